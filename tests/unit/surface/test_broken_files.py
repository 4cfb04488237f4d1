"""Broken files beside the logs: games, ratings and prices are refused by name, as logs are."""

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import errbar
from errbar.data.queries.costs import read_prices
from errbar.errors import ErrbarError, InputError

GAME = {"model_a": "a", "model_b": "b", "winner": "model_a"}
READ: dict[str, Callable[[Path], Any]] = {
    "games": errbar.games,
    "prefer": errbar.prefer,
    "agree": lambda file: errbar.agree(file, raters=["human", "judge"]),
    "prices": read_prices,
}
BROKEN: dict[str, str | bytes] = {
    "cut.json": json.dumps([GAME])[:-9],
    "cut.jsonl": json.dumps(GAME) + "\n" + json.dumps(GAME)[:9],
    "lists.json": "[" * 100_000,
    "objects.json": '{"a":' * 100_000,
    "long number.json": '{"m": [' + "9" * 5_000 + ", 1]}",
    "open quote.csv": 'model,input,output\n"abc,1,2\n',
    "short row.csv": "model,input,output\nm,1\n",
    "long row.csv": "model,input,output\nm,1,2,3\n",
    "twice.csv": "model,input,output,input\nm,1,2,3\n",
    "long cell.csv": "model,input,output\n" + "q" * 200_000 + ",1,2\n",
    "empty.json": "",
    "text.json": '"x"',
    "NUL.csv": "\0",
    "half.json": b"\xff\xfe{",
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("verb", READ)
def test_a_broken_file_is_refused_by_an_error_of_errbar(
    verb: str, name: str, tmp_path: Path
) -> None:
    file, content = tmp_path / name, BROKEN[name]
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ErrbarError) as refused:
        READ[verb](file)
    assert name in str(refused.value) or "There are: 'm" in str(refused.value)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
@pytest.mark.parametrize("verb", READ)
def test_a_pipe_is_refused_at_once(verb: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(InputError, match=r"pipe\.csv"):
        READ[verb](tmp_path / "pipe.csv")


@pytest.mark.parametrize("huge", [10**400, -(10**400), 1e300])
@pytest.mark.parametrize(
    ("column", "options"),
    [
        ("winner", {}),
        ("weight", {}),
        ("length_a", {"controls": ["length"]}),
        ("wins_a", {}),
        ("question", {}),
        ("judge", {}),
    ],
)
def test_numbers_of_any_size_in_games_are_read_or_refused(
    column: str, options: dict[str, Any], huge: float
) -> None:
    rows: list[dict[str, Any]] = [
        {**GAME, "length_a": 1, "length_b": 2},
        {**GAME, "length_a": 3, "length_b": 1},
    ]
    if column == "wins_a":
        rows = [{"model_a": "a", "model_b": "b", "wins_a": 1, "wins_b": 2} for _ in range(2)]
    rows[1][column] = huge
    with suppress(InputError):
        assert len(errbar.games(rows, **options).rows.result) == 2


@pytest.mark.parametrize("huge", [10**400, -(10**400)])
def test_a_rating_beyond_all_floats_is_refused(huge: int) -> None:
    with pytest.raises(InputError, match="infinite"):
        errbar.agree(
            [{"human": 1, "judge": huge}, {"human": 0, "judge": 1}], raters=["human", "judge"]
        )


@pytest.mark.parametrize("value", [10**400, "1" + "0" * 400])
def test_an_outcome_beyond_all_floats_is_refused(value: object) -> None:
    rows = [{"question": "a", "outcome": value}, {"question": "b", "outcome": 1}]
    with pytest.raises(InputError, match="outcome must be a number"):
        errbar.load(rows).score("avg")


def test_lengths_are_all_numbers_or_all_those_of_texts() -> None:
    def lengths(*cells: Any) -> list[float]:
        rows = [{**GAME, "length": cell} for cell in cells]
        return errbar.games(rows, controls=["length"]).rows.controls[:, 0].tolist()

    assert lengths("a", "aaa", "12345") == lengths(1, 3, 5) == lengths("1", "3", "5")
    for cells in (("a", 3), (1, None), ("a", None), (1, [2]), (1, "")):
        with pytest.raises(InputError, match="control"):
            lengths(*cells)


def test_controls_of_any_size_stay_finite() -> None:
    rows = [{**GAME, "cost": value} for value in (1.0, 2.0, 4.0, 3.0)]
    usual = errbar.games(rows, controls=["cost"]).rows.controls
    for factor in (2.0**1020, 2.0**-1060):
        scaled = [{**row, "cost": row["cost"] * factor} for row in rows]  # type: ignore[operator]
        assert errbar.games(scaled, controls=["cost"]).rows.controls.tolist() == usual.tolist()


def test_counts_that_stand_for_too_many_games_are_refused() -> None:
    row = {"model_a": "a", "model_b": "b", "wins_a": 10_000_000, "wins_b": 1}
    with pytest.raises(InputError, match=r"'wins_a', 'wins_b' count 10,000,001 games; at most"):
        errbar.games([row])
