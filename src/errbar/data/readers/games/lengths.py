"""What AlpacaEval's length-controlled win rate needs beside games: lengths, and `df_gamed.csv`.

AlpacaEval numbers instructions by the rows of an annotation file, from 0, or by a column `index`;
that number links them to the difficulties. So rows without a verdict count here as well.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from errbar.base.arrays import Array, Integers, float_of
from errbar.base.remarks import Caution, guess
from errbar.data.games import Games
from errbar.data.readers.file_formats import CSV, PARQUET, kind_of
from errbar.data.readers.finding import find_files
from errbar.data.readers.games.tables import (
    HowToReadGames,
    cells_of,
    control_values,
    join_games,
    tables_of,
    verdicts_of,
)
from errbar.data.readers.tables.derived_columns import Flat
from errbar.errors import InputError, UnknownColumn
from errbar.kernels.length_control import GamedRows

_LENGTH, _INDEX = "length", "index"
_COLUMNS = (_INDEX, "preference", "std_delta_len", "instruction_difficulty")


@dataclass(frozen=True)
class LengthRows:
    """All rows of a system against a baseline."""

    preference: Array  # result of the system; nan where there is no verdict
    difference: Array  # length of the baseline's answer less that of the system's
    index: Integers  # of the instruction


def read_lengths(
    data: Any, how: HowToReadGames, baseline: str
) -> tuple[Games, dict[str, LengthRows]]:
    """Games, and the rows of every other system against the baseline."""
    tables, accounts = tables_of(data, replace(how, controls=(_LENGTH,)))
    found: dict[str, LengthRows] = {}
    for file, columns, _ in tables:
        for system, rows in _by_system(columns, how, baseline).items():
            if system in found:
                raise InputError(
                    f"{file}: rows of {system!r} are in several files; AlpacaEval numbers "
                    f"instructions by the rows of one file."
                )
            found[system] = rows
    return join_games(tables, how, accounts), found


def _by_system(columns: Flat, how: HowToReadGames, baseline: str) -> dict[str, LengthRows]:
    """The rows of a table against the baseline, by the other system."""
    found = verdicts_of(columns, how)
    apart = control_values(_LENGTH, columns)
    indices = columns.get(_INDEX)
    rows: dict[str, list[tuple[float, float, int]]] = {}
    for at, pair in enumerate(zip(found.first, found.second, strict=True)):
        if baseline not in pair or pair[0] == pair[1]:
            continue
        result, is_first = found.results[at], pair[0] != baseline
        won = np.nan if result is None else result if is_first else 1.0 - result
        own = rows.setdefault(pair[0] if is_first else pair[1], [])
        index = len(own) if indices is None else _whole(indices[at])
        own.append((won, -apart[at] if is_first else apart[at], index))
    return {
        system: LengthRows(*(np.array(column) for column in zip(*own, strict=True)))
        for system, own in rows.items()
    }


def _whole(value: Any) -> int:
    try:
        number = float_of(value)
    except (TypeError, ValueError):
        number = np.nan
    if not (np.isfinite(number) and number == int(number)):
        raise InputError(f"the column 'index' must number instructions, and has {value!r}.")
    return int(number)


def read_gamed(path: str | Path) -> GamedRows:
    """The rows of the gamed baselines and the difficulties in AlpacaEval's `df_gamed.csv`."""
    files = find_files([path])
    kind = kind_of(files[0]) if len(files) == 1 else None
    if kind not in (CSV, PARQUET):
        raise InputError(f"{path}: AlpacaEval's df_gamed.csv, one CSV file, is needed.")
    columns = cells_of(files[0], kind)
    lacking = [name for name in _COLUMNS if name not in columns]
    if lacking:
        raise UnknownColumn(
            f"{path}: no column {', '.join(map(repr, lacking))}; AlpacaEval's df_gamed.csv has "
            f"{', '.join(_COLUMNS)}."
        )
    if any(str(value).lower() == "true" for value in columns.get("not_gamed_baseline", ())):
        raise InputError(f"{path}: not_gamed_baseline must be False in every row.")
    try:
        index, preference, difference, difficulty = (
            np.array(columns[name], dtype=float) for name in _COLUMNS
        )
    except (TypeError, ValueError) as error:
        raise InputError(f"{path}: the four columns must be numbers ({error}).") from error
    known = np.isfinite(difference) & np.isfinite(difficulty)
    if not (known.all() and ((preference >= 0.0) & (preference <= 1.0)).all()):
        raise InputError(f"{path}: the columns must be numbers, and preferences lie in [0, 1].")
    numbers, place = np.unique(index, return_index=True)
    if not np.array_equal(numbers, place):
        raise InputError(
            f"{path}: its first rows must be the instructions 0, 1, 2, … in this order, as "
            f"AlpacaEval takes difficulties from them by the number of the row."
        )
    rows = index.astype(np.int64)
    if not np.array_equal(difficulty, difficulty[place][rows]):
        raise InputError(f"{path}: an instruction has several difficulties.")
    return GamedRows(preference, difference, rows, difficulty[place])


def require_instructions(system: str, rows: LengthRows, number: int) -> list[str]:
    """Remarks on how the rows of a system are linked to `number` difficulties, or an error."""
    size, index = rows.index.size, rows.index
    if np.unique(index).size < size or index.min() < 0 or index.max() >= number:
        raise InputError(
            f"{system}: a row for each of {number:,} instructions is needed, numbered from 0 by "
            f"their order or by a column 'index'; there are {size:,} rows, numbered "
            f"{int(index.min())} to {int(index.max())}."
        )
    if size == number:
        return [guess(f"{system}: {number:,} instructions are linked to difficulties by their row")]
    if np.array_equal(index, np.arange(size)):
        raise InputError(
            f"{system}: {size:,} rows for {number:,} instructions, so their order does not say "
            f"which are missing. Add a column 'index' with their numbers, from 0."
        )
    return [Caution(f"{system}: {number - size:,} of {number:,} instructions have no row.")]
