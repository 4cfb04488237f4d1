"""Rows with a confidence, a system and task at a time where not all of them can be ranked."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar

import narwhals.stable.v2 as nw

from errbar.data.rankable import rankable
from errbar.data.ranked_rows import MOST_RANKED_ROWS, RankedItems
from errbar.data.rows import fetch, keys_in, names_of
from errbar.data.sources import Key, Rankings, Source, TableSource
from errbar.errors import InputError, NotThere, UnknownColumn

Kind = TypeVar("Kind")
Refused = dict[Key, InputError]


def ranked_by_system(source: Source, bins: int | None) -> tuple[Rankings, Refused]:
    """What `source.ranked` says of every system and task that it can, and why not of others."""
    return _each(source, lambda part: part.ranked(bins))


def items_by_system(source: Source) -> tuple[Mapping[Key, RankedItems], Refused]:
    """The same for `source.ranked_items`."""
    return _each(source, lambda part: part.ranked_items())


def _each(
    source: Source, ask: Callable[[Source], Mapping[Key, Kind]]
) -> tuple[Mapping[Key, Kind], Refused]:
    """All at once; only if that is refused, one system and task after another."""
    try:
        return ask(source), {}
    except (UnknownColumn, NotThere):
        raise
    except InputError:
        if not isinstance(source, TableSource) or _is_rankable(source):
            raise
        parts = _parts(source)
        if len(parts) < 2:
            raise
        kept: dict[Key, Kind] = {}
        refused: Refused = {}
        for key, part in parts.items():
            try:
                kept |= ask(part)
            except InputError as error:
                refused[key] = error
        if not kept:
            raise
        return kept, refused


def _is_rankable(source: TableSource) -> bool:
    """Whether every row has what ranking needs; if so, it is refused for its size or the bins."""
    try:
        rankable(source.frame, source.columns)
    except InputError:
        return False
    return True


def _parts(source: TableSource) -> dict[Key, TableSource]:
    """Every system and task as a source of its own; none where together they do not fit."""
    source.statuses()  # a status that nobody knows is wrong for all of them
    frame, columns = source.frame, source.columns
    names = {
        name: column
        for name, column in names_of(frame, columns, ()).items()
        if name in ("system", "task")
    }
    if not names:
        return {}
    table = fetch(frame.select(**names).group_by(*names).agg(nw.len().alias("rows")))
    if int(table["rows"].sum()) > MOST_RANKED_ROWS:
        return {}
    found = {}
    for key in sorted(set(keys_in(table, ()))):
        some = frame
        for name, value in zip(("system", "task"), key, strict=True):
            if name in names:
                some = some.filter(names[name].fill_null("") == value)
        found[key] = replace(source, frame=some, where="", _found={}, _results={}, _statuses={})
    return found
