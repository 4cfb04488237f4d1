"""The report in a real browser: it draws, sorts, finds, and obeys nothing but its own script."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import sync_playwright

import errbar
from errbar import demo
from errbar.page import ReportSettings, write_report
from hostile import HOSTILE

CHROMIUM = shutil.which("chromium")
OUTCOMES = Path(demo.__file__).parent / "outcomes.csv"
QUIET = (
    "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-quic",
)  # fmt: skip

pytestmark = pytest.mark.skipif(
    CHROMIUM is None and "CI" not in os.environ, reason="no Chromium: scripts/browser installs it"
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=list(QUIET),
            timeout=120_000,  # milliseconds: a busy machine may need more than the usual 30 seconds
        )
        yield opened
        opened.close()


class Opened:
    """A page, with all that it said and asked for."""

    def __init__(self, browser: Any, path: Path, **how: Any) -> None:
        self.page = browser.new_page(**how)
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri())

    def keep(self, name: str) -> None:
        """A picture of the whole page, in the folder that ERRBAR_ARTEFACTS names."""
        if "ERRBAR_ARTEFACTS" in os.environ:
            place = Path(os.environ["ERRBAR_ARTEFACTS"])
            place.mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=str(place / f"{name}.png"), full_page=True)

    def column(self, table: str, at: int) -> list[str]:
        cells = self.page.locator(f"#{table} tbody tr td:nth-child({at})")
        return [text.strip() for text in cells.all_text_contents()]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    return write_report(errbar.load(OUTCOMES), path, ReportSettings())


def test_a_report_draws_without_a_word_and_without_a_network(browser: Any, report: Path) -> None:
    opened = Opened(browser, report)
    assert opened.said == []
    assert opened.asked == [report.as_uri()]
    assert opened.page.locator("figure svg").count() >= 4
    assert all(one.bounding_box()["height"] > 50 for one in opened.page.locator("figure svg").all())
    opened.keep("report")


def test_tables_sort_by_number_up_and_down(browser: Any, report: Path) -> None:
    opened = Opened(browser, report)
    opened.page.get_by_role("button", name="value").first.click()
    up = [float(text) for text in opened.column("table-scores", 4)]
    assert up == sorted(up)
    opened.page.get_by_role("button", name="value").first.click()
    down = [float(text) for text in opened.column("table-scores", 4)]
    assert down == sorted(up, reverse=True)


def test_tables_sort_by_the_keyboard_alone(browser: Any, report: Path) -> None:
    opened = Opened(browser, report)
    opened.page.locator("#table-scores th button").first.focus()
    opened.page.keyboard.press("Enter")
    assert opened.column("table-scores", 1) == sorted(opened.column("table-scores", 1))
    assert opened.page.locator("#table-scores th[aria-sort=ascending]").count() == 1


def test_a_filter_hides_the_other_rows(browser: Any, report: Path) -> None:
    opened = Opened(browser, report)
    opened.page.locator("input[data-filters=table-scores]").fill("pass^8")
    assert opened.page.locator("#table-scores tbody tr:visible").count() == 3


def test_questions_are_found_and_put_in_order(browser: Any, report: Path) -> None:
    opened = Opened(browser, report)
    hardest = [float(text) for text in opened.column("table-questions", 2)]
    assert hardest == sorted(hardest)
    opened.page.select_option("select[name=order]", "easiest")
    easiest = [float(text) for text in opened.column("table-questions", 2)]
    assert easiest == sorted(hardest, reverse=True)
    name = opened.column("table-questions", 1)[3]
    opened.page.fill("input[name=find]", name)
    assert name in opened.column("table-questions", 1)
    opened.page.fill("input[name=find]", "no question is called so")
    assert opened.page.locator("#found").inner_text() == "No question has this in its name."


def test_light_and_dark_differ_and_the_button_turns_them(browser: Any, report: Path) -> None:
    shade = "getComputedStyle(document.body).backgroundColor"
    light, dark = (
        Opened(browser, report, color_scheme=scheme).page for scheme in ("light", "dark")
    )
    assert light.evaluate(shade) != dark.evaluate(shade)
    before = light.evaluate(shade)
    light.click("#theme")
    assert light.evaluate(shade) == dark.evaluate(shade) != before


PAPER = {"width": 680, "height": 960}  # A4 with margins, in pixels of a browser
CUT = """[...document.querySelectorAll('.scroll, figure, pre')]
    .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.outerHTML.slice(0, 80))"""
INK_ON_WHITE = ["rgb(26, 28, 32)", "rgb(255, 255, 255)"]
LOOK = """[getComputedStyle(document.body)].flatMap((one) => [one.color, one.backgroundColor])"""
BROKEN = """[...document.querySelectorAll('td')].filter((cell) => {
    const text = document.createRange();
    text.selectNodeContents(cell);
    return /^[-\\d./]+$/.test(cell.textContent) && text.getClientRects().length > 1;
}).map((cell) => cell.textContent)"""
CONTROLS = "nav, button:not(th button), input, select"


def printed(opened: Opened) -> Any:
    """The page as paper shows it."""
    opened.page.emulate_media(media="print")
    return opened.page


def test_paper_is_white_and_has_no_controls(browser: Any, report: Path) -> None:
    opened = Opened(browser, report, color_scheme="dark", viewport=PAPER)
    opened.page.click("#theme")  # light, and dark again: chosen, not only preferred
    opened.page.click("#theme")
    assert opened.page.evaluate(LOOK) != INK_ON_WHITE
    assert opened.page.locator(CONTROLS).filter(visible=True).count() > 5
    page = printed(opened)
    assert page.evaluate(LOOK) == INK_ON_WHITE
    assert page.locator(CONTROLS).filter(visible=True).count() == 0
    assert page.locator("section").filter(visible=True).count() == page.locator("section").count()
    opened.keep("report-printed")


def test_paper_shows_the_rows_that_a_filter_hides(browser: Any, report: Path) -> None:
    opened = Opened(browser, report)
    opened.page.locator("input[data-filters=table-scores]").fill("no row has this")
    rows = opened.page.locator("#table-scores tbody tr")
    assert rows.filter(visible=True).count() == 0
    printed(opened)
    assert rows.filter(visible=True).count() == rows.count() > 6


def test_paper_cuts_no_table(browser: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    data = {
        f"a-model-with-a-name-that-is-{about}": rng.integers(0, 2, (12, 2))
        for about in ("long", "longer-than-that", "of_no_end_at_all", *map(str, range(7)))
    }
    path = write_report(errbar.load(data), tmp_path / "wide.html", ReportSettings(metrics=("avg",)))
    opened = Opened(browser, path, viewport=PAPER)
    assert opened.page.evaluate(CUT)  # a screen has bars to scroll by
    page = printed(opened)
    assert page.evaluate(CUT) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= PAPER["width"]
    assert page.evaluate(BROKEN) == []


def test_all_numbers_can_be_taken_along(browser: Any, report: Path, tmp_path: Path) -> None:
    opened = Opened(browser, report)
    with opened.page.expect_download() as download:
        opened.page.click("#download")
    download.value.save_as(tmp_path / "numbers.json")
    assert '"comparisons"' in (tmp_path / "numbers.json").read_text(encoding="utf-8")


def test_names_from_logs_are_shown_as_text_and_never_run(browser: Any, tmp_path: Path) -> None:
    lines = ["system,task,question,trial,outcome"]
    quoted = ['"' + name.replace('"', '""') + '"' for name in HOSTILE]
    for system in quoted:
        for question in quoted:
            lines += [f"{system},{quoted[0]},{question},{trial},{trial % 2}" for trial in range(2)]
    log = tmp_path / "log.csv"
    log.write_text("\n".join(lines) + "\n", encoding="utf-8")
    asked = ReportSettings(title=HOSTILE[0], command=HOSTILE[3])
    opened = Opened(browser, write_report(errbar.load(log), tmp_path / "r.html", asked))
    opened.page.select_option("select[name=order]", "name")
    assert opened.page.evaluate("window.hurt") is None
    assert opened.said == []
    assert len(opened.asked) == 1
    assert opened.page.locator("iframe, img, script:not(#numbers)").count() == 1  # its own script
    shown = opened.page.locator("#table-questions tbody td:first-child").all_text_contents()
    assert sorted(shown) == sorted(HOSTILE)


def test_fifty_systems_and_five_thousand_questions_stay_quick(browser: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rates = rng.beta(0.5, 0.5, 5000)
    data = {
        f"system {at}": (rng.random((5000, 2)) < np.clip(rates + at / 500, 0, 1)[:, None]) * 1.0
        for at in range(50)
    }
    path = write_report(
        errbar.load(data), tmp_path / "large.html", ReportSettings(metrics=("avg",))
    )
    assert path.stat().st_size < 3e6
    page = Opened(browser, path).page
    page.select_option("select[name=order]", "disputed")
    assert page.locator("#table-questions tbody tr").count() == 50
