"""A confidence level lies strictly between 0 and 1, for every command and every function."""

import json
import math
from pathlib import Path
from typing import Any

import click
import pytest
from benchmarks.fuzz import functions
from click.testing import CliRunner

from errbar.cli import COMMANDS, main
from errbar.errors import InputError

FLAG, TARGET = "--level", ".eval."
TEXTS = ("nan", "inf", "-inf", "-1", "0", "1", "95", "1e400", "abc", "")
LEVELS = (math.nan, math.inf, -math.inf, -1, 0, 1, 1.0, 95, 10**400, "abc", True, [0.95])
NEEDED = {
    "agree": ["--rater", "human", "--rater", "judge"],
    "gate": ["--max-drop", "0.1", "--system", "a", "--baseline-system", "b"],
    "label": ["--label", "human", "--questions", "4"],
    "monitor": ["--above", "0.4"],
    "plan": ["--difference", "0.1"],
}
ROWS = [
    {"system": system, "question": at, "outcome": (at + ord(system)) % 3 // 2}
    | {"confidence": at / 12, "cost": 1.0, "human": at % 2 if at % 3 else None, "judge": at % 2}
    for system in "ab"
    for at in range(12)
]
GAMES = [{"model_a": "a", "model_b": "b", "winner": "ab"[at % 2]} for at in range(9)]
KNOWN = {
    name: next(iter({"level", "confidence"} & {*functions.Shape.of(name, function).known}))
    for name, function in functions.functions().items()
    if "level" in functions.Shape.of(name, function).known
    or (TARGET in name and "confidence" in functions.Shape.of(name, function).known)
}


def commands() -> list[str]:
    """Names of the commands with a level."""
    context = click.Context(main)
    found = {name: main.get_command(context, name) for name in COMMANDS}
    return [
        name for name, each in found.items() if each and any(FLAG in p.opts for p in each.params)
    ]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("command", commands())
def test_every_command_refuses_a_level_that_is_none(
    command: str, text: str, tmp_path: Path
) -> None:
    log = tmp_path / "log.jsonl"
    rows = GAMES if command == "prefer" else ROWS
    log.write_text("\n".join(map(json.dumps, rows)))
    more = ["-o", str(tmp_path / "page.html")] if command == "report" else []
    asked = [command, str(log), *NEEDED.get(command, ()), f"{FLAG}={text}", *more]
    said = CliRunner().invoke(main, asked)
    assert said.exit_code == 2, said.output
    assert "level" in said.stderr
    assert not said.stdout
    assert [file.name for file in tmp_path.iterdir()] == ["log.jsonl"]


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: repr(level)[:8])
@pytest.mark.parametrize("name", sorted(KNOWN))
def test_every_function_refuses_a_level_that_is_none(name: str, level: Any) -> None:
    with pytest.raises(InputError, match=KNOWN[name]):
        functions.call(name, functions.functions()[name], **{KNOWN[name]: level})


def test_a_level_is_known_to_every_verb_with_intervals() -> None:
    assert len(commands()) >= 20
    assert {"errbar.score", "errbar.compare", "errbar.eval.avg_ci"} <= set(KNOWN)
