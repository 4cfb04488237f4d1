"""Check that sources which are compared mean the same questions by the same ids."""

from collections.abc import Mapping
from dataclasses import replace

import narwhals.stable.v2 as nw

from errbar.base.remarks import Above, mapping, warning
from errbar.data.columns import ROW, named_like
from errbar.data.queries.expressions import column_of, fetch
from errbar.data.readers.tables.id_check import TEXTS
from errbar.data.sources.joined import JoinedSource
from errbar.data.sources.tables import TableSource

_MOST_ROWS = 200_000  # rows whose texts are compared
_SHOWN = 40  # characters of a text in a message


def with_checked_ids(joined: JoinedSource) -> JoinedSource:
    """Add a warning if an id has one text in a source and another text in a second one."""
    sources = {
        name: part.source
        for name, part in joined.parts.items()
        if isinstance(part.source, TableSource) and not part.source.origin.reader
    }
    if len(sources) < 2 or len({id(source) for source in sources.values()}) < 2:
        return joined
    first, *_ = sources.values()
    for text in named_like(first.unused_columns(), TEXTS):
        contradiction = _contradiction(sources, text)
        if contradiction:
            remarks = (*joined.origin.remarks, *contradiction)
            return replace(joined, origin=replace(joined.origin, remarks=remarks))
    return joined


def _contradiction(sources: Mapping[str, TableSource], text: str) -> list[Above]:
    texts = {name: _texts(source, text) for name, source in sources.items()}
    (first, mine), *others = texts.items()
    for other, theirs in others:
        both = set(mine.values()) & set(theirs.values())
        shared = [id_ for id_ in mine if id_ in theirs]
        apart = [
            id_ for id_ in shared if mine[id_] != theirs[id_] and {mine[id_], theirs[id_]} <= both
        ]
        if apart:
            id_ = min(apart)
            pair = f"{mine[id_]!r:.{_SHOWN}} and {theirs[id_]!r:.{_SHOWN}}"
            column = sources[first].columns["question"]
            return [
                warning(
                    f"{len(apart)} of {len(shared)} ids stand for other questions in {other} than "
                    f"in {first} ({id_!r} is {pair}), as if {column!r} were the place in a file. "
                    f"Systems are paired by {column!r}; {mapping('question', text)} pairs them by "
                    f"{text!r}."
                )
            ]
    return []


def _texts(source: TableSource, text: str) -> dict[str, str]:
    """Text of each id; empty if the source has no such column, or is large."""
    frame, question = source.frame, source.columns["question"]
    names = frame.collect_schema().names()
    if question == ROW or text not in names:
        return {}
    chosen = {"id": column_of(frame, question), "text": column_of(frame, text)}
    table = fetch(
        frame.select(**{name: column.cast(nw.String) for name, column in chosen.items()}).head(
            _MOST_ROWS
        )
    )
    pairs = zip(table["id"].tolist(), table["text"].tolist(), strict=True)
    return {str(id_): str(value).strip() for id_, value in pairs if value}
