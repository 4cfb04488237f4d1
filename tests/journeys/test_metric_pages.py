"""Every metric has a page, and every page says the same things in the same order."""

from pathlib import Path

import pytest

from errbar.metrics import METRICS
from logs import REPOSITORY

DOCS = REPOSITORY / "docs"
PAGES = sorted(DOCS.glob("metrics/*.md"))
HEADINGS = [
    "## Formula",
    "## Example",
    "## Use it when",
    "## Do not use it when",
    "## Its error bar",
    "## Elsewhere",
]
PAGE_OF = {
    "pass@": "pass-at-k",
    "pass^": "pass-hat-k",
    "g-pass@": "g-pass",
    "mg-pass@": "mg-pass",
    "maj@": "maj",
    "vote@": "vote",
    "auc@": "auc",
    "geom@": "geom",
    "geom-ds@": "geom",
    "geo-spectrum@": "geo-spectrum",
    "spectrum@": "spectrum",
    "max@": "max",
    "avg": "avg",
    "bayes": "bayes",
    "aurc": "aurc",
    "e-aurc": "aurc",
    "augrc": "augrc",
    "e-augrc": "augrc",
    "risk@": "risk-at-coverage",
    "cov@risk": "coverage-at-risk",
    "roc-auc": "roc-auc",
    "brier": "brier",
    "log-loss": "log-loss",
}


def test_every_metric_has_a_page_and_every_page_a_metric() -> None:
    assert set(PAGE_OF) == set(METRICS)
    assert set(PAGE_OF.values()) == {page.stem for page in PAGES}


@pytest.mark.parametrize(("head", "page"), PAGE_OF.items(), ids=str)
def test_the_title_of_a_page_names_the_metric(head: str, page: str) -> None:
    title = (DOCS / f"metrics/{page}.md").read_text("utf-8").partition("\n")[0]
    assert any(name.startswith(head) for name in title.split())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_has_every_heading_in_its_place(page: Path) -> None:
    text = page.read_text("utf-8")
    assert [line for line in text.splitlines() if line.startswith("## ")] == HEADINGS
    assert text.count(">>> ") > 3
    assert "../intervals.md" in text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_can_be_found(page: Path) -> None:
    link = f"metrics/{page.name}"
    for place in ("metrics.md", "../mkdocs.yml"):
        assert link in (DOCS / place).read_text("utf-8"), place
