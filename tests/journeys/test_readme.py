"""What the README and the documentation show is what errbar does."""

import doctest
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance_engines import WARNINGS_OF_IBIS
from errbar.cli import main
from errbar.data.readers.base import every_reader
from logs import REPOSITORY

ROOT = REPOSITORY
README = ROOT / "README.md"
QUICKSTART = ROOT / "docs" / "quickstart.md"
WITH_EXAMPLES = [
    page
    for page in [README, *sorted(ROOT.glob("docs/**/*.md"))]
    if ">>> " in page.read_text("utf-8")
]


@pytest.mark.filterwarnings(*WARNINGS_OF_IBIS)
@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: page.name)
def test_every_example_of_the_documentation_runs(page: Path) -> None:
    results = doctest.testfile(str(page), module_relative=False)
    assert results.attempted > 3
    assert results.failed == 0


def test_the_readme_shows_the_table_that_its_command_prints(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    shown = README.read_text(encoding="utf-8")
    (log,) = re.findall(r"`.venv/bin/errbar (src/[^`]+)`", shown)
    printed = CliRunner().invoke(main, [log, "--format", "markdown"]).output
    verdict, *table = [line for line in printed.splitlines() if line.startswith(("**", "|"))]
    assert len(table) == 2 + 5  # the heads, a rule, and a row per system
    assert table == [line for line in shown.splitlines() if line.startswith("|")]
    assert verdict in shown.splitlines()


def test_the_readme_counts_the_formats_that_are_read() -> None:
    formats = [reader for reader in every_reader().values() if not reader.only_totals]
    for page in (README, QUICKSTART):
        (others,) = re.findall(r"\[(\d+)\s+other", page.read_text(encoding="utf-8"))
        assert int(others) + len(["inspect_ai", "lm_eval"]) == len(formats)


def test_every_link_of_the_readme_leads_to_a_file() -> None:
    text = README.read_text(encoding="utf-8")
    links = re.findall(r'\]\(([^)#]+)|(?:href|src)="([^"#]+)', text)
    assert len(links) > 10
    assert [link for pair in links if not (ROOT / (link := "".join(pair))).is_file()] == []


def test_the_first_steps_show_what_the_command_prints_of_a_log() -> None:
    log = "tests/fixtures/inspect_ai/epochs.eval"
    shown = QUICKSTART.read_text(encoding="utf-8")
    assert log in shown
    assert CliRunner().invoke(main, ["curve", str(ROOT / log)]).output.rstrip() in shown


def test_the_first_steps_show_what_the_demo_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    printed = CliRunner().invoke(main, ["demo"]).output.rstrip()
    assert printed in QUICKSTART.read_text(encoding="utf-8")
    assert (tmp_path / "errbar-demo.html").stat().st_size > 50_000
