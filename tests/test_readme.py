"""What the README shows is what errbar does."""

import doctest
from pathlib import Path

from click.testing import CliRunner

from errbar.cli.main import main

README = Path(__file__).parents[1] / "README.md"


def test_every_example_of_the_readme_runs() -> None:
    results = doctest.testfile(str(README), module_relative=False)
    assert results.attempted > 5
    assert results.failed == 0


def test_the_readme_shows_what_the_demo_prints() -> None:
    assert CliRunner().invoke(main, ["demo"]).output.rstrip() in README.read_text(encoding="utf-8")
