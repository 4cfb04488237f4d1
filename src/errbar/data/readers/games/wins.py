"""Tables of games without a column of the winner.

Either columns count the wins of each side (`winner_model_a`, `winner_model_b`, `winner_tie`;
`wins_a`, `wins_b`, `ties`), or one column has the systems that won and another those that lost
(`chosen_model`, `rejected_model`). Both become a row per game with a column `winner`.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from errbar.base.remarks import Above, guess
from errbar.data.columns import plain_name
from errbar.data.readers.tables.derived_columns import Flat
from errbar.errors import InputError

WON_BY_ORDER = "first_has_won"  # the column of a table of winners and losers
_PAIRS = (  # "chosen" and "rejected" alone are answers, not systems
    *(("chosenmodel", "rejectedmodel"), ("chosensystem", "rejectedsystem"), ("winner", "loser")),
    *(("winnermodel", "losermodel"), ("winningmodel", "losingmodel")),
)
_COUNTED = re.compile(r"(?<![a-z])(?:n|num|number|of|count|total|win|wins|winner|won)(?![a-z])")
_WORD = re.compile(r"(?<![a-z])(?:model|system|assistant|response|answer)(?![a-z])")
_SIDES: Mapping[str, str] = {"a": "first", "b": "second", "1": "first", "2": "second"}
_TIES = frozenset(("tie", "ties", "draw", "draws", "tied"))


def with_a_winner(columns: Flat, chosen: Mapping[str, str]) -> tuple[Flat, list[Above]]:
    """The table with a row per game and a column `winner`, if it says otherwise who won."""
    names = list(columns)
    if "winner" in chosen:
        return columns, []
    order = _winner_and_loser(names) if not {"first", "second"} & set(chosen) else None
    if order:
        kept = {name: values for name, values in columns.items() if name not in order}
        first, second = (columns[name] for name in order)
        remark = guess(f"{order[0]!r} won against {order[1]!r}; the order shown is not known")
        won = {"first": first, "second": second, "winner": ["first"] * len(first)}
        return {**kept, **won, WON_BY_ORDER: [True] * len(first)}, [remark]
    counts = _counts(names)
    return _one_row_per_game(columns, counts) if counts else (columns, [])


def columns_of_wins(names: Sequence[str], chosen: Mapping[str, str]) -> set[str]:
    """Names of the columns that `with_a_winner` uses."""
    if "winner" in chosen:
        return set()
    return {*(_winner_and_loser(names) or ()), *_counts(names).values()}


def _winner_and_loser(names: Sequence[str]) -> tuple[str, str] | None:
    plain = {plain_name(name): name for name in names}
    return next(((plain[a], plain[b]) for a, b in _PAIRS if a in plain and b in plain), None)


def _counts(names: Sequence[str]) -> dict[str, str]:
    """Columns with the wins of either side, and with ties if there is one."""
    found: dict[str, str] = {}
    for name in names:
        spaced = re.sub(r"[\s_\-]+", " ", name.strip().lower())
        bare = " ".join(_WORD.sub(" ", _COUNTED.sub(" ", spaced)).split())
        meaning = "tie" if bare in _TIES else _SIDES.get(bare) if _COUNTED.search(spaced) else None
        if meaning is not None:
            found.setdefault(meaning, name)
    return found if {"first", "second"} <= set(found) else {}


def _one_row_per_game(columns: Flat, counts: Mapping[str, str]) -> tuple[Flat, list[Above]]:
    often = {side: [_whole(cell, name) for cell in columns[name]] for side, name in counts.items()}
    totals = [sum(row) for row in zip(*often.values(), strict=True)]
    rows: list[int] = []
    winner: list[str | None] = []
    for at, total in enumerate(totals):
        for side, each in often.items():
            rows += [at] * each[at]
            winner += [side] * each[at]
        if not total:
            rows.append(at)
            winner.append(None)
    shown = ", ".join(repr(name) for name in counts.values())
    if max(totals, default=0) > 1:
        remark = guess(f"{shown} count games: {sum(totals)} games of {len(totals)} rows")
    else:
        remark = guess(f"{shown} say who won")
    return {**{name: [cells[at] for at in rows] for name, cells in columns.items()},
            "winner": winner}, [remark]  # fmt: skip


def _whole(cell: Any, name: str) -> int:
    """A number of games; none if the cell is empty."""
    try:
        number = float(cell if cell not in (None, "") else 0)
    except (TypeError, ValueError):
        number = -1.0
    if not number >= 0 or number != int(number):
        raise InputError(
            f"the column {name!r} has {cell!r}, but a count of wins is 0, 1, 2 and so on."
        )
    return int(number)
