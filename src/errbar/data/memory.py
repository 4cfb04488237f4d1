"""Tables in memory → outcomes: DataFrames of any kind where they are, records through DuckDB."""

from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw

from errbar.data.column_names import PARTS, SCORERS, TOTALS, VERSIONS, named_like, plain_name
from errbar.data.conditions import CHECKPOINTS, SETTINGS
from errbar.data.engine import own_engine
from errbar.data.held import stored
from errbar.data.origin import Origin
from errbar.data.outcomes import (
    ROW,
    STATUSES,
    USUAL,
    USUAL_COUNTS,
    Columns,
    are_counts,
    find_columns,
)
from errbar.data.reading import HowToRead
from errbar.data.records import tidy
from errbar.data.relations import Relation
from errbar.data.rows import Frame, column_of
from errbar.data.shaping import Shaped, shape
from errbar.data.sources import CountsTableSource, Source, TableSource
from errbar.data.status_words import USUAL_STATUSES
from errbar.data.summary_tables import TASKS
from errbar.errors import InputError, NotThere, UnknownColumn
from errbar.remarks import Above, way_to_say

_LOOKED_AT = 1000  # rows that say what a column holds
_LOOKED_INTO = 100_000  # rows that are looked into for conditions, whatever columns are called
_LOOKED_THROUGH = 1_000_000  # rows that are looked through for totals and ids that begin anew


def read_columns(flat: dict[str, list[Any]], how: HowToRead) -> Source:
    """Columns of any common shape."""
    return _source(*_shaped(flat, how), how)


def _shaped(flat: dict[str, list[Any]], how: HowToRead) -> tuple[Shaped, tuple[Above, ...]]:
    """Columns as outcomes, and what was made of them."""
    if not any(flat.values()):
        raise NotThere("the data have no row; there is nothing to score.")
    engine = own_engine()
    found = tidy(flat, how.told)
    relation = Relation(stored(engine, found.flat), (Path("data"),), apart=False)
    shaped = shape(engine, relation, how, None)
    return shaped, (*found.remarks, *shaped.remarks)


def _source(shaped: Shaped, said: tuple[Above, ...], how: HowToRead) -> Source:
    remarks = (shaped.columns.remark(), *said)
    kind = CountsTableSource if shaped.are_counts else TableSource
    frame = nw.from_native(shaped.rows).lazy()
    return kind(frame, shaped.columns, how.repeats == "keep", origin=Origin(remarks=remarks))


def read_frame(frame: Frame, how: HowToRead) -> Source:
    """A DataFrame, which stays where it is if it is flat and its outcomes are numbers."""
    kinds = frame.collect_schema()
    names = kinds.names()
    far = frame.implementation.is_spark_like()
    counts = are_counts(names, how.told)
    try:
        columns = find_columns(
            names,
            how.told,
            USUAL_COUNTS if counts else USUAL,
            sample=None if far else lambda name: _sample(frame, name),
        )
    except UnknownColumn:
        if far or not names:
            raise
        return read_columns(_collected(frame), how)
    if not far and not (_is_plain(columns, kinds, how) and _is_tidy(frame, columns)):
        return read_columns(_collected(frame), how)
    if not far and _needs_a_look(frame, columns, how):
        shaped, said = _shaped(_collected(frame), how)
        if said or shaped.left_out or shaped.columns.named != columns.named:
            return _source(shaped, said, how)
    if how.rows == "questions":
        raise InputError(
            f"rows in Spark have no order by which they could be numbered; give them an id of "
            f"their own and leave out {way_to_say('--rows', 'rows=')}."
        )
    origin = Origin(remarks=(columns.remark(),))
    kind = CountsTableSource if counts else TableSource
    return kind(frame, columns, how.repeats == "keep", origin=origin)


def _is_plain(columns: Columns, kinds: Any, how: HowToRead) -> bool:
    """Whether nothing has to be done to the rows first."""
    if how.rows == "questions" or how.right or columns["question"] == ROW:
        return False
    kind = kinds[columns.named.get("outcome", columns["question"])]
    return "outcome" not in columns or kind.is_numeric() or kind == nw.Boolean


def _needs_a_look(frame: Frame, columns: Columns, how: HowToRead) -> bool:
    """Whether other columns may say that rows are no trials; a look takes a copy of all rows."""
    if "outcome" not in columns:
        return False
    free = [name for name in frame.collect_schema().names() if name not in columns.named.values()]
    known = PARTS | VERSIONS | SCORERS | SETTINGS | CHECKPOINTS
    apart = how.rows is None and bool(named_like(free, known))
    doubtful = free or "trial" in columns or plain_name(columns["question"]) in TASKS
    most = _LOOKED_THROUGH if apart else _LOOKED_INTO if doubtful else 0
    return most > 0 and _rows_in(frame) <= most


def _rows_in(frame: Frame) -> int:
    return int(frame.select(nw.len().alias("n")).collect().item())


def _is_tidy(frame: Frame, columns: Columns) -> bool:
    """Whether no id is called a total, and every status is one of ours."""
    kinds = frame.collect_schema()
    texts = [columns["question"], *([columns["status"]] if "status" in columns else [])]
    texts = [name for name in texts if not kinds[name].is_numeric()]
    if not texts or "outcome" not in columns or _rows_in(frame) > _LOOKED_THROUGH:
        return True
    words = [TOTALS, USUAL_STATUSES.keys() - set(STATUSES)]
    return not any(
        plain_name(str(value)) in known or (at and str(value) not in STATUSES)
        for at, (name, known) in enumerate(zip(texts, words, strict=False))
        for value in _distinct(frame, name)
    )


def _distinct(frame: Frame, name: str) -> list[Any]:
    values = frame.select(column_of(frame, name).cast(nw.String).alias("value")).unique().collect()
    return [value for value in values.get_column("value").to_list() if isinstance(value, str)]


def _sample(frame: Frame, name: str) -> list[Any]:
    some = frame.select(column_of(frame, name).alias("value")).head(_LOOKED_AT).collect()
    return list(some.get_column("value").to_list())


def _collected(frame: Frame) -> dict[str, list[Any]]:
    """All columns in memory; nothing is None."""
    table = frame.collect()
    flat = {}
    for name in table.columns:
        column = table.get_column(name)
        pairs = zip(column.to_list(), column.is_null().to_list(), strict=True)
        flat[str(name)] = [None if null is True else value for value, null in pairs]
    return flat
