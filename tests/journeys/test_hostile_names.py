"""Names with characters that end a process, in every column, through every command that draws."""

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import pytest

import errbar
from errbar.cli import COMMANDS, main

# Noncharacters, NUL, an escape sequence, a mark that turns text around.
ODD = "a\ufdd0\ufffe\uffff\U0001fffe\U0010ffff\0\x1b[31m\u202eb"
OBEYED = {"\0", "\x1b", "\u202e", "\ufffe", "\uffff"}  # by terminals, or refused by XML
MORE = {
    "agree": ["--rater", "human", "--rater", "judge"],
    "gate": ["--max-drop", "0.5", "--inconclusive", "0"],
    "label": ["--label", "human", "--questions", "4"],
    "monitor": ["--above", "0.4"],
    "plan": ["--difference", "0.1", "--simulations", "5"],
    "roc": ["--resamples", "200"],
    "selective": ["--resamples", "200"],
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
    rows: list[dict[str, Any]] = [
        {
            "system": f"{system}{ODD}",
            "task": f"{task}{ODD}",
            "question": f"q{at}{ODD}",
            "trial": trial,
            "outcome": (at * 7 + trial * (1 + at % 2) + ord(system)) % 3 // 2,
            "confidence": at * 11 % 17 / 17,
            "cost": 1.0 + at % 5,
            "answer": f"{at % 3}{ODD}",
            "human": at % 2 if at % 3 else None,
            "judge": at % 3 // 2,
        }
        for system in "xyz"
        for task in "st"
        for at in range(12)
        for trial in range(4)
    ]
    first, second = (
        [row for row in rows if row["system"][0] == system and row["task"][0] == "s"]
        for system in "xy"
    )
    for day in range(4):
        write(place / "runs" / f"2026-01-0{day + 1}.jsonl", first)
    games = [
        {"model_a": f"x{ODD}", "model_b": f"{'yz'[at % 2]}{ODD}", "judge": ODD, "question": ODD}
        | {"winner": ("model_a", "model_b", "tie")[at % 3]}
        for at in range(30)
    ]
    log = write(place / "log.jsonl", rows)
    pair = write(place / "pair.jsonl", first + second)
    return {name: [log] for name in COMMANDS} | {
        "gate": [write(place / "a.jsonl", first), write(place / "b.jsonl", second)],
        "history": [str(place / "runs")],
        "label": [pair],
        "plan": [pair],
        "prefer": [write(place / "games.jsonl", games)],
    }


def run(place: Path, lines: Sequence[Sequence[str]]) -> None:
    """Run command lines in one process apart, which must reach the end of each of them."""
    code = (
        "import json, sys\n"
        "from errbar.cli import main\n"
        "for line in json.loads(sys.argv[1]):\n"
        "    main(line, standalone_mode=False)\n"
        "    print('ended', line[0], flush=True)\n"
    )
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code, json.dumps(lines)],
        cwd=place,
        capture_output=True,
        check=False,
        timeout=600,
    )
    said = done.stdout.decode()
    ended = re.findall(r"^ended (\S+)$", said, re.MULTILINE)
    assert ended == [line[0] for line in lines], done.stderr.decode()[-800:]
    assert not OBEYED & {*said, *done.stderr.decode()}


def test_every_command_draws_them(data: dict[str, list[str]], tmp_path: Path) -> None:
    names = commands_with(OPTION)
    run(
        tmp_path,
        [[name, *data[name], *MORE.get(name, ()), OPTION, f"{name}.svg"] for name in names],
    )
    for name in names:
        drawn = (tmp_path / f"{name}.svg").read_text("utf-8")
        assert not (OBEYED - {"\u202e"}) & {*drawn}, name


def test_every_page_shows_them(data: dict[str, list[str]], tmp_path: Path) -> None:
    pages = {"report": "-o", "audit-board": "--page", "prefer": "--report"}
    run(tmp_path, [[name, *data[name], flag, f"{name}.html"] for name, flag in pages.items()])
    for name in pages:
        assert not OBEYED & {*(tmp_path / f"{name}.html").read_text("utf-8")}, name


def test_names_of_arrays_may_hold_half_a_character(tmp_path: Path) -> None:
    runs = errbar.load({"a\ud800": [[1, 0, 1]] * 3, "b": [[0, 0, 1]] * 3})
    page = runs.report(tmp_path / "page.html")
    assert "a\\ud800" in Path(page).read_text("utf-8")
    for ending in ("json", "html"):
        runs.score("avg").plot().save(tmp_path / f"p.{ending}")
