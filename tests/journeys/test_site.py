"""The built documentation, opened from its folder: it is whole, quiet and searchable."""

import inspect
import os
import re
from pathlib import Path
from typing import Any

import pytest

import errbar
from browser_pages import NARROW, OVERFLOW, WIDE, Opened, needs_chromium
from errbar.cli import COMMANDS
from logs import REPOSITORY

SITE = REPOSITORY / ".cache" / "site"
PAGES = ["index", "notebook", "gallery", "metrics/g-pass", "commands/score", "api/Runs"]

pytestmark = [
    needs_chromium,
    pytest.mark.skipif(
        not SITE.is_dir() and "CI" not in os.environ, reason="no site: scripts/docs builds it"
    ),
]


def page_of(name: str) -> Path:
    return SITE / f"{name}.html"


@pytest.mark.parametrize(
    ("name", "size", "scheme"),
    [
        *((name, NARROW, "dark") for name in PAGES),
        ("index", WIDE, "light"),
        ("gallery", WIDE, "light"),
    ],
    ids=lambda value: f"{value['width']}" if isinstance(value, dict) else value,
)
def test_a_page_is_quiet_and_asks_for_files_alone(
    browser: Any, name: str, size: dict[str, int], scheme: str
) -> None:
    opened = Opened(browser, page_of(name), color_scheme=scheme, viewport=size)
    opened.keep(f"site-{name.replace('/', '-')}-{scheme}-{size['width']}")
    assert opened.said == []
    assert [url for url in opened.asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert opened.page.evaluate(OVERFLOW) <= 0


def test_the_search_finds_a_metric(browser: Any) -> None:
    opened = Opened(browser, page_of("index"), viewport=WIDE)
    opened.page.locator("input.md-search__input").click()
    opened.page.keyboard.type("pass@k")
    opened.page.locator(".md-search-result__item h1").first.wait_for()
    found = opened.page.locator(".md-search-result__item h1").all_text_contents()
    assert "pass@k" in found
    opened.keep("site-search")
    assert opened.said == []


def test_a_copy_of_a_session_has_neither_prompts_nor_output(browser: Any) -> None:
    opened = Opened(browser, page_of("tutorial"), viewport=WIDE)
    shown = opened.page.locator(".language-pycon code").first
    assert ">>> " in shown.inner_text()
    copied = shown.evaluate(
        "(code) => { code.setAttribute('data-md-copying', ''); return code.innerText }"
    )
    assert copied.splitlines()[0] == "import errbar"
    assert ">>>" not in copied
    assert "siskin" not in copied  # a name of the output


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_the_methods_print_on_two_pages(browser: Any, paper: str) -> None:
    opened = Opened(browser, page_of("methods"), viewport=WIDE)
    printed = opened.page.pdf(format=paper, prefer_css_page_size=False)
    assert len(re.findall(rb"/Type */Page\b", printed)) == 2


def test_formulas_are_typeset_and_pictures_drawn() -> None:
    formula = page_of("metrics/pass-at-k").read_text(encoding="utf-8")
    assert formula.count("<math ") >= 2
    assert "arithmatex" not in formula
    gallery = page_of("gallery").read_text(encoding="utf-8")
    assert len(re.findall('<div class="picture(?: shades)?"><svg', gallery)) == 10


def test_sessions_show_empty_lines_without_the_mark_of_doctest() -> None:
    page = page_of("selective").read_text(encoding="utf-8")
    assert "P(better)" in page  # what a session prints
    assert "BLANKLINE" not in page


def test_every_class_and_every_command_has_a_page() -> None:
    classes = [name for name in errbar.__all__ if inspect.isclass(getattr(errbar, name))]
    assert len(classes) > 10
    for name in classes:
        assert f'id="errbar.{name}"' in page_of(f"api/{name}").read_text(encoding="utf-8")
    for name in COMMANDS:
        assert re.search(rf"<h1[^>]*>errbar {name}", page_of(f"commands/{name}").read_text("utf-8"))
