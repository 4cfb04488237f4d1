"""The command: plain text, one line for an error, exit codes that a script can use."""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

import errbar
from errbar import demo
from errbar.cli import main
from errbar.cli.work import INTERNAL
from errbar.errors import InputError

HOME = str(Path(errbar.__file__).parents[1])


def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """`python -m errbar` in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "errbar", *arguments],
        env={**os.environ, "PYTHONPATH": HOME},
        check=False,
        text=True,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
    )


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The demo writes its report where it is called."""
    monkeypatch.chdir(tmp_path)


@cache
def printed() -> str:
    result = CliRunner().invoke(main, ["demo"])
    assert result.exit_code == 0, result.output
    return result.output


def test_two_runs_of_the_demo_print_the_same_bytes() -> None:
    apart = run("demo")  # from the run in this process
    assert (apart.returncode, apart.stderr) == (0, "")
    assert apart.stdout == printed()


def test_the_demo_shows_what_the_command_says_of_its_logs() -> None:
    overview = CliRunner().invoke(main, [str(demo.LOGS)]).output
    assert printed().startswith(f"{demo.ABOUT}\n\n")
    for line in overview.splitlines():
        if not line.startswith("Columns: "):  # it names the option or the argument to change
            assert line in printed().splitlines()


def test_the_demo_says_what_the_data_are_and_what_the_bar_covers() -> None:
    lines = printed().splitlines()
    assert lines[0] == demo.ABOUT
    assert lines[2] == "dunlin-2 and siskin-1 are tied for the best."
    read = next(at for at, line in enumerate(lines) if line.startswith("Columns: "))
    assert " ".join(map(str.strip, lines[read + 2 : read + 3])) == (
        "dunlin-2 leads siskin-1 by 0.008 avg (95% CI -0.092 to 0.105)."
    )
    assert any(line.startswith("95% CI for new questions of the same kind") for line in lines)
    assert "\x1b" not in printed()


def test_without_jinja_the_demo_runs_and_a_report_names_its_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    shown = CliRunner().invoke(main, ["demo"])
    assert shown.exit_code == 0
    assert (
        "No report was written: reports need jinja2: pip install 'errbar[report]'." in shown.output
    )
    refused = CliRunner().invoke(main, ["report", str(demo.LOGS)])
    assert refused.exit_code == 2
    assert "pip install 'errbar[report]'" in refused.output
    assert "[plot]" not in refused.output


def test_help_and_version_are_printed() -> None:
    for option in ("-h", "--help"):
        result = CliRunner().invoke(main, [option])
        assert result.exit_code == 0
        assert "demo" in result.output
    assert CliRunner().invoke(main, ["--version"]).output.strip().endswith(errbar.__version__)


def test_help_loads_neither_numpy_nor_scipy() -> None:
    script = (
        "import sys\n"
        "from errbar.cli import main\n"
        "main(['--help'], standalone_mode=False)\n"
        "sys.exit(any(name in sys.modules for name in ('numpy', 'scipy')))\n"
    )
    environment = {**os.environ, "PYTHONPATH": HOME}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, check=False, capture_output=True
    )
    assert done.returncode == 0, done.stderr


def test_an_unknown_command_exits_with_two() -> None:
    done = run("no-such-command")
    assert done.returncode == 2
    assert "No such command 'no-such-command'" in done.stderr
    assert done.stdout == ""


def test_an_error_on_purpose_is_one_line_on_stderr_and_exits_with_two(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    @click.command()
    def refuse() -> None:
        raise InputError("the first line\nand the second")

    monkeypatch.setitem(main.commands, "refuse", refuse)
    result = CliRunner().invoke(main, ["refuse"])
    assert result.exit_code == 2
    assert result.stderr == "Error: the first line and the second\n"
    assert result.stdout == ""


def test_any_other_error_has_a_code_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    @click.command()
    def fail() -> None:
        raise ZeroDivisionError

    monkeypatch.setitem(main.commands, "fail", fail)
    found = CliRunner().invoke(main, ["fail"])
    assert found.exit_code == INTERNAL
    assert "this is a bug in errbar" in found.output
    assert "ZeroDivisionError" in found.output


REWARDS = "system,question,reward\n" + "".join(
    f"{system},{at},{(at * step) % 50 + 10}\n"
    for system, step in (("a", 7), ("b", 11), ("c", 17))
    for at in range(12)
)
GATE = ["--baseline-system", "a", "--system", "b", "--max-drop", "5"]


@pytest.mark.parametrize(
    ("before", "after"), [([], []), (["score"], []), (["rank"], []), (["gate"], GATE)]
)
def test_the_advice_on_bounds_can_be_followed(before: list[str], after: list[str]) -> None:
    Path("rewards.csv").write_text(REWARDS)
    ask = [*before, "rewards.csv", *after]
    guessed = CliRunner().invoke(main, ask).output
    known = CliRunner().invoke(main, [*ask, "--bounds", "0", "1000"])
    assert "--bounds LOW HIGH to change" in guessed
    assert "--bounds" not in known.output
    assert known.exit_code in (0, 3), known.output


def test_ranks_and_comparisons_of_given_bounds_have_the_intervals_of_scores() -> None:
    Path("rewards.csv").write_text(REWARDS)
    runs = errbar.load("rewards.csv")
    scores = {each.system: each.interval for each in runs.score(bounds=(0, 1000))}
    assert {row.system: row.interval for row in runs.rank(bounds=(0, 1000))} == scores
    assert runs.overview(bounds=(0, 1000)).scores.to_dicts() == (
        runs.score(short="drop", bounds=(0, 1000)).to_dicts()
    )


@pytest.mark.parametrize("command", [[], ["score"]])
def test_the_advice_on_errors_can_be_followed(command: list[str]) -> None:
    Path("runs.csv").write_text("system,question,outcome\na,1,1\na,2,\nb,1,0\nb,2,1\n")
    ask = [*command, "runs.csv"]
    assert "left out with --errors missing (avg 1)" in CliRunner().invoke(main, ask).output
    result = CliRunner().invoke(main, [*ask, "--errors", "missing"])
    assert result.exit_code == 0, result.output
    assert "counted as wrong with --errors fail (avg 0.5)" in result.output


def outcomes(**questions: range) -> str:
    """A table of systems that have these questions."""
    rows = [f"{name},{at},{at % 3 > 0:d}" for name, some in questions.items() for at in some]
    return "\n".join(["system,question,outcome", *rows, ""])


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        ({"a": range(30), "b": range(20)}, "on the 20 questions that both have"),
        (
            {"a": range(30), "b": range(5, 40), "c": range(30)},
            "on the 25 questions that all have",
        ),
        ({"a": range(30), "b": range(30)}, ""),
        ({"a": range(30), "b": range(30), "c": range(30)}, ""),
    ],
)
def test_an_overview_says_which_questions_ranks_and_verdicts_rest_on(
    questions: dict[str, range], said: str
) -> None:
    Path("runs.csv").write_text(outcomes(**questions))
    output = CliRunner().invoke(main, ["runs.csv"]).output
    assert " ".join(output.split()).count("questions that") == bool(said)
    assert said in " ".join(output.split())
    assert ("avg in common" in output) == bool(said)


def test_an_overview_says_once_that_systems_are_not_compared() -> None:
    Path("runs.csv").write_text("system,task,question,outcome\na,x,1,1\na,x,2,0\nb,y,1,0\n")
    text = CliRunner().invoke(main, ["runs.csv"]).output
    assert text.startswith("Systems are not compared: the 2 systems have no task in common.")
    assert text.count("not compared") == text.count("in common") == 1


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("run.csv", "Did you mean 'runs.csv'?"),
        ("logs/rusn.csv", "Did you mean 'logs/runs.csv'?"),
        ("logs/v2/runs.csv", "'logs' has no 'v2'."),
    ],
)
def test_a_path_that_is_not_there_names_the_nearest(asked: str, said: str) -> None:
    Path("logs").mkdir()
    for place in ("runs.csv", "logs/runs.csv"):
        Path(place).write_text("question,outcome\n1,1\n")
    result = CliRunner().invoke(main, [asked])
    assert result.exit_code == 2
    assert result.output == f"Error: {asked}: there is no such file or directory. {said}\n"


@pytest.mark.parametrize("command", ["roc", "selective"])
def test_a_single_system_has_its_first_score_in_a_sentence(command: str) -> None:
    rows = [f"{at},{at % 2},{0.9 if at % 2 else 0.1}" for at in range(20)]
    Path("sure.csv").write_text("\n".join(["question,outcome,confidence", *rows, ""]))
    output = CliRunner().invoke(main, [command, "sure.csv"]).output
    assert "The system scores " in output


@pytest.mark.parametrize("command", ["inspect", "scaling"])
def test_a_command_begins_with_its_answer(command: str) -> None:
    rows = [f"{name},{at},{int(at % 3 > 0)}" for name in "ab" for at in range(20) for _ in range(4)]
    Path("runs.csv").write_text("\n".join(["model,id,correct", *rows, ""]))
    output = CliRunner().invoke(main, [command, "runs.csv"]).output
    assert output.startswith(
        ("Read 1 file: 20 questions x 2 systems, 160 rows.", "2 systems share")
    )
