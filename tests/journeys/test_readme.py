"""What the README and the documentation show is what errbar does."""

import doctest
from pathlib import Path

import pytest
from click.testing import CliRunner

from errbar.cli import main
from logs import REPOSITORY

ROOT = REPOSITORY
README = ROOT / "README.md"
WITH_EXAMPLES = [
    README,
    *(page for page in sorted(ROOT.glob("docs/**/*.md")) if ">>> " in page.read_text("utf-8")),
]


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: page.name)
def test_every_example_of_the_documentation_runs(page: Path) -> None:
    results = doctest.testfile(str(page), module_relative=False)
    assert results.attempted > 3
    assert results.failed == 0


def test_the_readme_shows_what_the_command_prints_of_a_log() -> None:
    log = "tests/fixtures/inspect_ai/epochs.eval"
    shown = README.read_text(encoding="utf-8")
    assert log in shown
    assert CliRunner().invoke(main, ["curve", str(ROOT / log)]).output.rstrip() in shown


def test_the_readme_shows_what_the_demo_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    printed = CliRunner().invoke(main, ["demo"]).output.rstrip()
    assert printed in README.read_text(encoding="utf-8")
    assert (tmp_path / "errbar-demo.html").stat().st_size > 50_000
