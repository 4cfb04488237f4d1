"""Names with characters that end a process, in every column, through every command that draws."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from errbar.cli import COMMANDS, main

# Noncharacters, NUL, an escape sequence, a mark that turns text around.
ODD = "a\ufdd0\ufffe\uffff\U0001fffe\U0010ffff\0\x1b[31m\u202eb"
MORE = {
    "agree": ["--rater", "human", "--rater", "judge"],
    "gate": ["--max-drop", "0.5", "--inconclusive", "0"],
    "label": ["--label", "human", "--questions", "4"],
    "monitor": ["--above", "0.4"],
    "plan": ["--difference", "0.1", "--simulations", "5"],
    "roc": ["--resamples", "50"],
    "selective": ["--resamples", "50"],
}
OPTION = "--plot"


def commands_with(option: str) -> list[str]:
    """Names of the commands that have an option."""
    context = click.Context(main)
    found = {name: main.get_command(context, name) for name in COMMANDS}
    return [name for name, each in found.items() if each and option in _options(each)]


def _options(command: click.Command) -> set[str]:
    return {name for each in command.params for name in each.opts}


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    """A file of JSON lines."""
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Paths by command: a log with such a name in every column, past runs of it, games."""
    place = tmp_path_factory.mktemp("odd")
    rows = [
        {
            "system": f"{system}{ODD}",
            "task": f"{task}{ODD}",
            "question": f"q{at}{ODD}",
            "trial": trial,
            "outcome": (at * 7 + trial + ord(system)) % 3 // 2,
            "confidence": at * 11 % 17 / 17,
            "cost": 1.0 + at % 5,
            "answer": f"{at % 3}{ODD}",
            "human": at % 2,
            "judge": at % 3 // 2,
        }
        for system in "xyz"
        for task in "st"
        for at in range(12)
        for trial in range(2)
    ]
    for day in range(4):
        write(place / "runs" / f"2026-01-0{day + 1}.jsonl", rows)
    games = [
        {"model_a": f"x{ODD}", "model_b": f"{'yz'[at % 2]}{ODD}", "judge": ODD, "question": ODD}
        | {"winner": ("model_a", "model_b", "tie")[at % 3]}
        for at in range(30)
    ]
    log = write(place / "log.jsonl", rows)
    own = [write(place / f"{name}.jsonl", rows[at : at + 48]) for at, name in ((0, "a"), (48, "b"))]
    return {name: [log] for name in COMMANDS} | {
        "gate": own,
        "history": [str(place / "runs")],
        "prefer": [write(place / "games.jsonl", games)],
    }


def run(*arguments: str, where: Path) -> None:
    """Run errbar in a process of its own, which must end well."""
    done = subprocess.run(
        [sys.executable, "-m", "errbar", *arguments],
        cwd=where,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr.decode()[-800:]
    for said in (done.stdout.decode(), done.stderr.decode()):
        assert not {"\0", "\x1b", "\u202e", "\ufffe", "\uffff"} & {*said}


@pytest.mark.parametrize("command", commands_with(OPTION))
def test_every_command_draws_them(command: str, data: dict[str, list[str]], tmp_path: Path) -> None:
    run(command, *data[command], *MORE.get(command, ()), OPTION, "p.svg", where=tmp_path)
    drawn = (tmp_path / "p.svg").read_text("utf-8")
    assert not {"\0", "\ufffe", "\uffff"} & {*drawn}


def test_a_report_shows_them(data: dict[str, list[str]], tmp_path: Path) -> None:
    run("report", *data["report"], "-o", "page.html", where=tmp_path)
    page = (tmp_path / "page.html").read_text("utf-8")
    assert not {"\0", "\ufffe", "\uffff"} & {*page}
