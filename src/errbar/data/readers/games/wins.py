"""Tables of games without a column of the winner.

Either columns count the wins of each side (`winner_model_a`, `winner_model_b`, `winner_tie`;
`wins_a`, `wins_b`, `ties`), or one column has the systems that won and another those that lost
(`chosen_model`, `rejected_model`). Both become a row per game with a column `winner`. A column of
flags (`is_tie`) may mark the ties, and a column of pairs the two systems.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from errbar.base.arrays import float_of
from errbar.base.remarks import Above, guess
from errbar.data.columns import list_names, named_like, plain_name
from errbar.data.games import USUAL_GAMES
from errbar.data.readers.tables.derived_columns import Flat
from errbar.errors import InputError

WON_BY_ORDER = "first_has_won"  # the column of a table of winners and losers
# "chosen" and "rejected" alone are answers, not systems
_WON = ("chosen", "winner", "winning", "preferred", "better")
_LOST = ("rejected", "loser", "losing", "other", "dispreferred", "worse")
_OF = ("model", "system", "modelname", "modelid", "modeltag")
_PAIRS = (("winner", "loser"), *((a + of, b + of) for of in _OF for a in _WON for b in _LOST))
_FLAGS = frozenset(("istie", "tie", "tied", "isdraw", "draw"))
_MARKED, _UNMARKED = (
    frozenset(("1", "1.0", "true", "yes")),
    frozenset(("0", "0.0", "false", "no", "", "none", "nan")),
)
_OF_JUDGE = re.compile(r"(?:winner|preference|preferred|vote|verdict|choice)[\s_-]?\d+", re.I)
_BOTH = ("pair", "models", "systems", "modelpair")
_COUNTED = re.compile(r"(?<![a-z])(?:n|num|number|of|count|total|win|wins|winner|won)(?![a-z])")
_WORD = re.compile(r"(?<![a-z])(?:model|system|assistant|response|answer)(?![a-z])")
_SIDES: Mapping[str, str] = {"a": "first", "b": "second", "1": "first", "2": "second"}
_MOST_GAMES = 10_000_000  # each of them becomes a row
_TIES = frozenset(("tie", "ties", "draw", "draws", "tied"))


def decide_winners(columns: Flat, chosen: Mapping[str, str]) -> tuple[Flat, list[Above]]:
    """The table with a row per game and a column `winner`, if it says otherwise who won."""
    columns = _with_both_systems(columns, chosen)
    names = list(columns)
    if "winner" in chosen:
        return columns, []
    judged = _by_judge(columns)
    if judged is not None:
        return judged
    order = _winner_and_loser(names) if not {"first", "second"} & set(chosen) else None
    if order:
        kept = {name: values for name, values in columns.items() if name not in order}
        first, second = (columns[name] for name in order)
        remark = guess(f"{order[0]!r} won against {order[1]!r}; the order shown is not known")
        winner = ["tie" if is_tie else "first" for is_tie in tie_flags(columns, len(first))]
        won = {"first": first, "second": second, "winner": winner}
        return {**kept, **won, WON_BY_ORDER: [True] * len(first)}, [remark]
    counts = _counts(names)
    return _one_row_per_game(columns, counts) if counts else (columns, [])


def _by_judge(columns: Flat) -> tuple[Flat, list[Above]] | None:
    """A row per judge of a game, whose verdicts are in winner1, winner2, …; None if these count."""
    names = [name for name in columns if _OF_JUDGE.fullmatch(name.strip())]
    cells = [cell for name in names for cell in columns[name] if cell not in (None, "")]
    if len(names) < 2 or not cells or any(str(cell).replace(".", "").isdecimal() for cell in cells):
        return None
    others = {name: values * len(names) for name, values in columns.items() if name not in names}
    found = {**others, "winner": [cell for name in names for cell in columns[name]]}
    judges = named_like(others, frozenset(map(plain_name, ("judge", *USUAL_GAMES["judge"]))))
    if not judges:
        found["judge"] = [name for name in names for _ in columns[name]]
    shown = ", ".join(map(repr, names))
    return found, [guess(f"{shown} are the verdicts of {len(names)} judges, a game each")]


def tie_flags(columns: Flat, rows: int) -> list[bool]:
    """Whether a column such as `is_tie` marks each row; no row if its cells are no flags."""
    name = _flag_column(list(columns))
    cells = [str(cell).strip().lower() for cell in columns[name]] if name else []
    if not set(cells) <= _MARKED | _UNMARKED:
        cells = []
    return [cell in _MARKED for cell in cells] or [False] * rows


def _flag_column(names: Sequence[str]) -> str | None:
    """A column of flags, unless it counts ties beside wins."""
    if _counts(names):
        return None
    return next((name for name in names if plain_name(name) in _FLAGS), None)


def _with_both_systems(columns: Flat, chosen: Mapping[str, str]) -> Flat:
    """The table with a column for either system in place of one with both, as ["x", "y"]."""
    sides = [frozenset(map(plain_name, (side, *USUAL_GAMES[side]))) for side in ("first", "second")]
    if {"first", "second"} & set(chosen) or any(named_like(columns, side) for side in sides):
        return columns
    for name, cells in columns.items():
        pairs = [cell for cell in cells if isinstance(cell, list | tuple) and len(cell) == 2]
        if plain_name(name) in _BOTH and pairs and len(pairs) == len(cells):
            own = {key: values for key, values in columns.items() if key != name}
            return {**own, "first": [a for a, _ in pairs], "second": [b for _, b in pairs]}
    return columns


def columns_of_wins(names: Sequence[str], chosen: Mapping[str, str]) -> set[str]:
    """Names of the columns that `decide_winners` uses."""
    if "winner" in chosen:
        return set()
    flag = _flag_column(names)
    judged = {name for name in names if _OF_JUDGE.fullmatch(name.strip())}
    some = {*(_winner_and_loser(names) or ()), *_counts(names).values(), *([flag] if flag else [])}
    return some | judged


def _winner_and_loser(names: Sequence[str]) -> tuple[str, str] | None:
    plain = {plain_name(name): name for name in names}
    return next(((plain[a], plain[b]) for a, b in _PAIRS if a in plain and b in plain), None)


def _counts(names: Sequence[str]) -> dict[str, str]:
    """Columns with the wins of either side, and the column with ties, if any."""
    found: dict[str, str] = {}
    for name in names:
        spaced = re.sub(r"[\s_\-]+", " ", name.strip().lower())
        bare = " ".join(_WORD.sub(" ", _COUNTED.sub(" ", spaced)).split())
        meaning = "tie" if bare in _TIES else _SIDES.get(bare) if _COUNTED.search(spaced) else None
        if meaning is not None:
            found.setdefault(meaning, name)
    return found if {"first", "second"} <= set(found) else {}


def _one_row_per_game(columns: Flat, counts: Mapping[str, str]) -> tuple[Flat, list[Above]]:
    often = {
        side: [_whole_number(cell, name) for cell in columns[name]] for side, name in counts.items()
    }
    totals = [sum(row) for row in zip(*often.values(), strict=True)]
    if sum(totals) > _MOST_GAMES:
        raise InputError(
            f"{list_names([*counts.values()])} count {sum(totals):,} games; at most "
            f"{_MOST_GAMES:,} are read from counts."
        )
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


def _whole_number(cell: Any, name: str) -> int:
    """A number of games; none if the cell is empty."""
    try:
        number = float_of(cell if cell not in (None, "") else 0)
    except (TypeError, ValueError):
        number = -1.0
    if not (0 <= number < math.inf and number == int(number)):
        raise InputError(
            f"the column {name!r} has {cell!r}, but a count of wins is 0, 1, 2 and so on."
        )
    return int(number)
