"""Help: every command has examples that run, whole sentences, and completion in a shell."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import get_completion_class
from click.testing import CliRunner

from documented import Command, example_data, run
from errbar.cli import COMMANDS, main
from errbar.metrics import METRICS
from errbar.results.comparisons import Comparisons
from errbar.results.gate import Gate
from errbar.results.leaderboard import Leaderboard, Ratings
from errbar.results.scores import RankedScores, Scores
from logs import REPOSITORY
from terminals import HOME


def command(name: str) -> click.Command:
    found = main.get_command(click.Context(main), name)
    assert found is not None
    return found


def examples(name: str) -> list[str]:
    text = (command(name) if name else main).help or ""
    _, _, lines = text.partition("Examples:\n")
    return [line.strip() for line in lines.splitlines() if line.strip()]


@pytest.mark.usefixtures("short_chains")
@pytest.mark.parametrize("name", COMMANDS)
def test_the_examples_of_a_command_run(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    example_data(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert examples(name)
    for line in examples(name):
        words = shlex.split(line)
        assert words[0] == "errbar"
        assert name in (words[1], "overview", "metrics")
        run(Command(words, ""), tmp_path)


def test_the_first_help_fits_and_shows_how_to_begin() -> None:
    text = CliRunner().invoke(main, ["--help"], terminal_width=80).output
    assert "  errbar logs/\n" in text
    commands = text.partition("Scores:")[2]
    assert "..." not in commands  # no summary is cut
    listed = [
        line.split()[0] for line in text.partition("Scores:")[2].splitlines() if line[:2] == "  "
    ]
    assert listed == list(COMMANDS)
    assert max(map(len, text.splitlines())) <= 80
    assert len(examples("")) == 3


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_in_whole_sentences(name: str) -> None:
    found = command(name)
    summary, _, _ = (found.help or "").partition("\n")
    assert summary.endswith(".")
    for parameter in found.params:
        if isinstance(parameter, click.Option):
            words = (parameter.help or "").partition("  [default")[0]
            assert words[:1].isupper(), parameter.name
            assert words.endswith("."), parameter.name


def test_every_metric_is_listed_in_a_line() -> None:
    lines = CliRunner().invoke(main, ["metrics"]).output.splitlines()
    assert len(lines) == len(METRICS)
    assert all(line.startswith(head) for line, head in zip(lines, METRICS, strict=True))
    assert all(line.endswith(".") and len(line) <= 80 for line in lines)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_its_script_and_completions(shell: str) -> None:
    kind = get_completion_class(shell)
    assert kind is not None
    completions = kind(main, {}, "errbar", "_ERRBAR_COMPLETE")
    assert {item.value for item in completions.get_completions([], "r")} == {
        "rank",
        "report",
        "roc",
    }
    assert "--percent" in {item.value for item in completions.get_completions(["score"], "--pe")}
    assert {item.value for item in completions.get_completions(["score", "--format"], "m")} == {
        "markdown"
    }
    assert "_ERRBAR_COMPLETE" in completions.source()


def test_bash_completes_a_command() -> None:
    environment = {
        **os.environ,
        "PYTHONPATH": HOME,
        "_ERRBAR_COMPLETE": "bash_complete",
        "COMP_WORDS": "errbar comp",
        "COMP_CWORD": "1",
    }
    script = "from errbar.cli import main\nmain(prog_name='errbar')"
    ended = subprocess.run(
        [sys.executable, "-c", script], env=environment, check=False, capture_output=True, text=True
    )
    assert ended.stdout.split() == ["plain,compare"]


DROPS = {
    "`score`, `curve`": Scores.drops,
    "`compare`": Comparisons.drops,
    "`rank`": Leaderboard.drops,
    "`prefer`": Ratings.drops,
    "`gate`": Gate.drops,
    "`selective`, `roc`": RankedScores.drops,
}


def test_the_order_in_which_columns_are_left_out_is_documented() -> None:
    page = (REPOSITORY / "docs" / "terminal.md").read_text(encoding="utf-8")
    for commands, heads in DROPS.items():
        assert f"| {commands} | {', '.join(heads)} |" in page
