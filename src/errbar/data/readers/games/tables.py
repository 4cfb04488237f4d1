"""Tables of games: which column is which, and which rows have a verdict."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np

from errbar.base.arrays import Array, float_of, lists_by_name
from errbar.base.remarks import Above, guess, mapping
from errbar.data.columns import list_names, named_like, plain_name, unknown_name
from errbar.data.engines.duckdb import own_engine, plain_errors
from errbar.data.engines.flat_files import relations_of
from errbar.data.games import USUAL_GAMES, Games, games_of, require_control, weights_of
from errbar.data.queries.expressions import column_lists
from errbar.data.readers.file_formats import (
    CSV,
    JSON,
    PARQUET,
    kind_of,
    why_not_read,
)
from errbar.data.readers.finding import find_files
from errbar.data.readers.games.tools import games_in
from errbar.data.readers.games.winners import Words, results_of
from errbar.data.readers.games.wins import WON_BY_ORDER, columns_of_wins, decide_winners, tie_flags
from errbar.data.readers.json_files import value_of_file
from errbar.data.readers.logs import Account, Accounts
from errbar.data.readers.tables.derived_columns import Flat
from errbar.errors import InputError, NotThere, UnknownColumn

_LENGTH = "length"  # a control that can be taken from the answers
_POSITION = "position"  # a control that needs no column: the first system is shown first
_ANSWERS = (("output_1", "output_2"), ("response_a", "response_b"), ("answer_a", "answer_b"))
_ENDS = (("_a", "_b"), ("_1", "_2"))
_ALPACA = "generator1"
GameTable = tuple[Path | None, Flat, list[Above]]
_OPTIONAL = ("question", "judge", "cluster", "weight")
_NO_VERDICT, _ITSELF = "the game has no verdict", "a system plays against itself"


@dataclass(frozen=True, kw_only=True)
class HowToReadGames:
    """The user's choices of columns and words of games."""

    columns: Mapping[str, str] = field(default_factory=dict)  # column by meaning
    controls: Sequence[str] = ()
    words: Words = field(default_factory=Words)


def read_games(data: Any, how: HowToReadGames) -> Games:
    """Games from paths, records, columns or a DataFrame."""
    tables, accounts = tables_of(data, how)
    return join_games(tables, how, accounts)


def tables_of(data: Any, how: HowToReadGames) -> tuple[list[GameTable], Accounts]:
    """Tables of games in paths, records, columns or a DataFrame, with the account of every file."""
    if isinstance(data, str | Path) or (
        isinstance(data, list | tuple) and all(isinstance(path, str | Path) for path in data)
    ):
        return _of_files(data, how)
    if isinstance(data, Mapping):
        return [_table(None, lists_by_name(data, "games"), [], how)], Accounts()
    if isinstance(data, list | tuple):
        return [_table(None, *_of_records(list(data)), how)], Accounts()
    frame = nw.from_native(data, pass_through=True)
    if not isinstance(frame, nw.DataFrame | nw.LazyFrame):
        raise InputError(f"games are rows of a table or paths of files; got {type(data).__name__}.")
    lazy = frame.lazy()
    names = lazy.collect_schema().names()
    columns = [name for name in names if name in _used_columns(names, how)]
    return [_table(None, column_lists(lazy.select(columns)), [], how)], Accounts()


def _used_columns(names: Sequence[str], how: HowToReadGames) -> set[str]:
    """Columns that are read from a table of which only those leave the engine."""
    found = columns_of_wins(names, how.columns)
    rewritten, _ = decide_winners({name: [] for name in names}, how.columns)
    found |= {*find_game_columns(rewritten, how.columns).values(), "index"}  # of the instruction
    for control in how.controls:
        found |= {side for side in _sides_of(control, names) or () if side}
    return found


def _table(
    file: Path | None, columns: Flat, remarks: list[Above], how: HowToReadGames
) -> GameTable:
    """A table with a column of the winner."""
    columns, notes = decide_winners(columns, how.columns)
    return file, columns, [*remarks, *notes]


def _of_files(paths: Any, how: HowToReadGames) -> tuple[list[GameTable], Accounts]:
    files = find_files(paths)
    accounts = Accounts()
    tables: list[GameTable] = []
    for file in files:
        kind = kind_of(file)
        if kind not in (CSV, JSON, PARQUET):
            accounts[file] = Account(skipped=why_not_read(file))
            continue
        with plain_errors(str(file)):
            columns, remarks = (
                _of_records(records_of(file)) if kind == JSON else (cells_of(file, kind), [])
            )
            table = _table(file, columns, remarks, how)
        try:
            find_game_columns(table[1], how.columns)
        except UnknownColumn as error:
            if len(files) == 1:
                raise type(error)(f"{file}: {error}") from error
            accounts[file] = Account(skipped=f"no table of games: {error}".removesuffix("."))
            continue
        tables.append(table)
    if not tables:
        raise NotThere(f"no file has games: {'; '.join(accounts.in_words()) or 'there is none'}")
    return tables, accounts


def records_of(file: Path) -> list[Mapping[str, Any]]:
    """Objects of a JSON document or of JSON lines; of promptfoo, its results."""
    document = value_of_file(file)
    while isinstance(document, Mapping) and isinstance(document.get("results"), Mapping | list):
        document = document["results"]
    if isinstance(document, Mapping) and document and games_in([document]) is None:
        document = _rows_within(document)
    found = document if isinstance(document, list) else [document]
    if not found or not all(isinstance(record, Mapping) for record in found):
        raise InputError(f"{file}: games are objects, as in {{'model_a': …, 'model_b': …}}.")
    return found


def _rows_within(document: Mapping[str, Any]) -> Any:
    """Rows in the only list of objects of a document, or objects alike by their id."""
    lists = [value for value in document.values() if isinstance(value, list)]
    rows = [value for value in lists if value and all(isinstance(row, Mapping) for row in value)]
    if len(rows) == len(lists) == 1:
        return rows[0]
    values = list(document.values())
    if len(values) > 1 and all(isinstance(value, Mapping) for value in values):
        keys = {frozenset(value) for value in values}
        if len(keys) == 1 and not {"question", "id"} & {*values[0]}:
            return [{"question": key, **value} for key, value in document.items()]
    return document


_PREFIX = re.compile(r"(?:Input|Answer)\.(?=.)")  # of Mechanical Turk


def cells_of(file: Path, kind: str) -> Flat:
    """Columns of a CSV or Parquet file."""
    with plain_errors(str(file)):
        (relation,) = relations_of(own_engine(), kind, [file], apart=False)
        cells = column_lists(nw.from_native(relation.rows.relation).lazy())
    plain = {name: _PREFIX.sub("", name) for name in cells}
    is_clear = len(set(plain.values())) == len(plain)
    return {plain[name]: values for name, values in cells.items()} if is_clear else cells


def _of_records(records: list[Any]) -> tuple[Flat, list[Above]]:
    """Columns of records, of a known tool or as they are."""
    if not records or not all(isinstance(record, Mapping) for record in records):
        raise InputError("games are rows with names, as in {'model_a': …, 'model_b': …}.")
    known = games_in(records)
    rows, remarks = known if known is not None else (records, [])
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}, remarks


def find_game_columns(names: Sequence[str] | Flat, chosen: Mapping[str, str]) -> dict[str, str]:
    """Column of each meaning; two columns that could both be the winner are refused."""
    present = list(names)
    found: dict[str, str] = {}
    for meaning, usual in USUAL_GAMES.items():
        if meaning in chosen:
            if not chosen[meaning] and meaning in _OPTIONAL:
                continue
            if chosen[meaning] not in present:
                raise UnknownColumn(unknown_name(chosen[meaning], present, "there is no column"))
            found[meaning] = chosen[meaning]
            continue
        likely = [meaning, *usual]
        order = {plain_name(name): at for at, name in reversed(list(enumerate(likely)))}
        some = sorted(named_like(present, frozenset(order)), key=lambda n: order[plain_name(n)])
        if meaning == "winner":
            named = [name for name in present if plain_name(name).endswith("winner")]
            some += [name for name in named if name not in some]
        if meaning == "winner" and len(some) > 1 and plain_name(some[0]) != "winner":
            raise InputError(
                f"two columns could be the winner: {some[0]!r} and {some[1]!r}. Choose one: "
                + mapping("winner", some[0])
                + "."
            )
        if some:
            found[meaning] = some[0]
    lacking = [meaning for meaning in ("first", "second", "winner") if meaning not in found]
    if lacking:
        what = "says who won" if lacking[0] == "winner" else f"is the {lacking[0]} system"
        raise UnknownColumn(
            f"no column {what} of a game; there are: {list_names(present)}. Name it: "
            + mapping(lacking[0])
            + "."
        )
    return found


def join_games(tables: Sequence[GameTable], how: HowToReadGames, accounts: Accounts) -> Games:
    """Games of all tables, with the account of every row."""
    whole: Flat = {}
    remarks_above: list[Above] = []
    optional: set[str] | None = None
    for file, columns, remarks in tables:
        with plain_errors(str(file or "")):
            kept, notes = _rows(columns, how, accounts.of(file) if file else Account())
        remarks_above += [*remarks, *notes]
        present = set(kept)
        if optional is not None and present != optional:
            lacking = sorted(present ^ optional)
            raise InputError(f"{file}: only some files have a column for {', '.join(lacking)}.")
        optional = present
        for name, values in kept.items():
            whole.setdefault(name, []).extend(values)
    if not whole.get("first"):
        raise NotThere("no game has a verdict, so there is nothing to rate.")
    remarks_above += _on_spellings({*whole["first"], *whole["second"]})
    files = [file for file, *_ in tables if file]
    if files:
        accounts.require_closed(files, len(whole["first"]))
    games = games_of(whole, list(dict.fromkeys(remarks_above)))
    return Games(**{**vars(games), "accounts": accounts})


def _on_spellings(systems: set[str]) -> list[Above]:
    """Say which systems differ in upper and lower case, spaces or punctuation alone."""
    alike: dict[str, list[str]] = {}
    for system in sorted(systems):
        alike.setdefault(plain_name(system), []).append(system)
    return [
        guess(f"{list_names(names)} are taken for different systems")
        for names in alike.values()
        if len(names) > 1
    ]


class Verdicts(NamedTuple):
    """Both systems and the result of every row; None where there is no verdict."""

    found: dict[str, str]  # column of each meaning
    first: list[str]
    second: list[str]
    results: list[float | None]
    remarks: list[Above]


def verdicts_of(columns: Flat, how: HowToReadGames) -> Verdicts:
    """The verdict in every row of a table."""
    found = find_game_columns(columns, how.columns)
    first = [str(name) for name in columns[found["first"]]]
    second = [str(name) for name in columns[found["second"]]]
    zero_ties = plain_name(found["first"]) == _ALPACA  # whose 0 is a tie
    name = found["winner"]
    results, remarks = results_of(
        columns[name], first, second, name, how.words, zero_ties=zero_ties
    )
    ties = tie_flags(columns, len(first))
    for at in np.flatnonzero(ties).tolist():
        if results[at] not in (None, 0.5):
            raise InputError(
                f"row {at + 1} is marked as a tie, but {name!r} says {columns[name][at]!r}."
            )
    if any(ties):
        remarks = [*remarks, guess(f"{sum(ties)} of {len(first)} games are marked as ties")]
    results = [0.5 if is_tie else result for is_tie, result in zip(ties, results, strict=True)]
    return Verdicts(found, first, second, results, remarks)


def _rows(columns: Flat, how: HowToReadGames, account: Account) -> tuple[Flat, list[Above]]:
    """Rows with a verdict, under the names of `errbar.data.games`."""
    found, first, second, results, remarks = verdicts_of(columns, how)
    account.rows += len(first)
    kept = []
    for at, (result, a, b) in enumerate(zip(results, first, second, strict=True)):
        if a == b:
            account.left_out[_ITSELF] += 1
        elif result is None:
            account.left_out[_NO_VERDICT] += 1
        else:
            kept.append(at)
    table: Flat = {"first": first, "second": second, "result": list(results)}
    for meaning in _OPTIONAL:
        if meaning in found:
            table[meaning] = columns[found[meaning]]
    table |= {control: control_values(control, columns) for control in how.controls}
    shown = ", ".join(
        meaning if meaning == name else f"{meaning} = {name}" for meaning, name in found.items()
    )
    remarks = [guess(f"Columns: {shown}", option="--map", argument="COLUMN="), *remarks]
    lost = len(first) - len(kept)
    if lost:
        remarks.append(_lost(account, len(first)))
    games: Flat = {name: [values[at] for at in kept] for name, values in table.items()}
    if "weight" in games:
        games["weight"] = weights_of(games["weight"]).tolist()
    for control in how.controls:
        require_control(np.array(games[control]))
    return games, remarks


def _lost(account: Account, rows: int) -> Above:
    parts = [f"in {n} {reason}" for reason, n in account.left_out.items() if n]
    return guess(f"{sum(account.left_out.values())} of {rows} rows left out: {', '.join(parts)}")


def _sides_of(control: str, names: Sequence[str] | Flat) -> tuple[str, str | None] | None:
    """The columns of a control: one for each system, or one with their difference."""
    for first, second in _ENDS:
        if control + first in names and control + second in names:
            return control + first, control + second
    if control in names:
        return control, None
    if control == _LENGTH:
        return next((pair for pair in _ANSWERS if pair[0] in names and pair[1] in names), None)
    return None


def control_values(control: str, columns: Flat) -> list[float]:
    """The value of the first system less that of the second in each game."""
    sides = _sides_of(control, columns)
    if control == _POSITION and WON_BY_ORDER in columns:
        raise InputError(
            "a table of winners and losers does not say which answer was shown first, so "
            "there is no control 'position'."
        )
    if sides is None and control == _POSITION:
        return [1.0] * len(next(iter(columns.values())))
    if sides is None:
        raise UnknownColumn(
            f"no column is the control {control!r}; name two columns {control}_a and {control}_b, "
            f"or one with their difference."
        )
    cells = [columns[side] for side in sides if side is not None]
    try:
        own, *other = _numbers(cells, control, are_answers=sides in _ANSWERS)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"the control {control!r} must be a number in every game ({error})."
        ) from error
    return list(own - other[0] if other else own)


def _numbers(cells: Sequence[Sequence[Any]], control: str, *, are_answers: bool) -> list[Array]:
    """Cells as numbers, or as the lengths of texts; nan where there is none."""
    if control == _LENGTH and (
        are_answers or (_are_texts(cells) and not all(map(_is_number, chain(*cells))))
    ):
        return _measured(cells, lambda answer: float(len(str(answer))))
    return _measured(cells, float_of)


def _measured(cells: Sequence[Sequence[Any]], measure: Callable[[Any], float]) -> list[Array]:
    return [
        np.array([math.nan if value is None else measure(value) for value in column])
        for column in cells
    ]


def _are_texts(cells: Sequence[Sequence[Any]]) -> bool:
    return all(value is None or isinstance(value, str) for value in chain(*cells))


def _is_number(value: Any) -> bool:
    """Whether a cell is empty or can be read as a number."""
    try:
        float_of(value or 0)
    except (TypeError, ValueError):
        return False
    return True
