"""Several sources as one, each system under a unique name; whether they have the same ids."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self, TypeVar

import narwhals.stable.v2 as nw

from errbar.base.remarks import Above, mapping, some_of, warning
from errbar.data.columns import ROW, Key, named_like
from errbar.data.queries.costs import QuestionCosts
from errbar.data.queries.expressions import column_of, fetch
from errbar.data.queries.label_rows import TrialsByQuestion
from errbar.data.queries.named_questions import NamedQuestions
from errbar.data.queries.questions import Slice
from errbar.data.queries.ranked_rows import Penalty, RankedItems
from errbar.data.queries.tallies import Ballots
from errbar.data.readers.logs import NOWHERE, Accounts, Origin
from errbar.data.readers.tables.id_check import TEXTS
from errbar.data.sources.tables import Categories, CountsTableSource, Rankings, Source, TableSource
from errbar.errors import InputError, RepeatedTrial

Kind = TypeVar("Kind")


class SystemPart(NamedTuple):
    """One system of a source."""

    source: Source
    system: str  # its name in that source

    @classmethod
    def of(cls, source: Source, system: str | None, role: str, option: str) -> Self:
        """The system of that name, or the only system of the source."""
        there = sorted({slice_.key[0] for slice_ in source.slices(())})
        listed = some_of(map(repr, there), 8)
        if system is None and len(there) > 1:
            raise InputError(
                f"the {role} has {len(there)} systems: {listed}. Choose one: {option}."
            )
        if system is not None and system not in there:
            raise InputError(f"the {role} has no system {system!r}; it has: {listed}.")
        return cls(source, there[0] if system is None else system)

    @property
    def is_whole(self) -> bool:
        """Whether the source has no other system."""
        return all(slice_.key[0] == self.system for slice_ in self.source.slices(()))


@dataclass(frozen=True)
class JoinedSource(Source):
    """Systems of several sources, keyed by their name in the combination."""

    parts: Mapping[str, SystemPart]
    origin: Origin = NOWHERE

    @classmethod
    def of(cls, parts: Mapping[str, SystemPart]) -> Self:
        """Combine parts and the origins of their sources, each remark once."""
        remarks = dict.fromkeys(
            remark for part in parts.values() for remark in part.source.origin.remarks
        )
        return cls(parts, Origin(remarks=tuple(remarks)))

    @classmethod
    def by_name(cls, sources: Mapping[str, Source]) -> Self:
        """Combine named sources; a single system takes the name of its source, others both."""
        parts: dict[str, SystemPart] = {}
        for name, source in sources.items():
            systems = _systems_in(source)
            for system in systems:
                parts[name if len(systems) == 1 else f"{name} · {system}"] = SystemPart(
                    source, system
                )
        return cls._with_origins(parts)

    @classmethod
    def of_all(cls, sources: Sequence[Source]) -> Self:
        """Combine sources and keep the system names, with the path added where names clash."""
        often = Counter(system for source in sources for system in _systems_in(source))
        parts: dict[str, SystemPart] = {}
        for at, source in enumerate(sources):
            for system in _systems_in(source):
                where = source.origin.reader or source.where or f"source {at + 1}"
                name = system if often[system] == 1 else f"{system} ({where})"
                free = name if name not in parts else f"{name} {at + 1}"
                parts[free] = SystemPart(source, system)
        return cls._with_origins(parts)

    @classmethod
    def _with_origins(cls, parts: Mapping[str, SystemPart]) -> Self:
        """Combine parts with the origins of their sources, with systems renamed as in `parts`."""
        sources = list({id(part.source): part.source for part in parts.values()}.values())
        remarks = dict.fromkeys(remark for source in sources for remark in source.origin.remarks)
        claims = tuple(
            replace(claim, system=name)
            for name, part in parts.items()
            for claim in part.source.origin.claims
            if claim.system == part.system
        )
        accounts = Accounts()
        for source in sources:
            accounts.update(source.origin.accounts)
        readers = dict.fromkeys(source.origin.reader for source in sources if source.origin.reader)
        whys = dict.fromkeys(source.origin.why for source in sources if source.origin.why)
        origin = Origin(", ".join(readers), "; ".join(whys), claims, tuple(remarks), accounts)
        return cls(parts, origin)

    @property
    def guesses_trials(self) -> bool:
        """Whether any part guesses its trials."""
        return any(part.source.guesses_trials for part in self.parts.values())

    def slices(self, by: Sequence[str]) -> list[Slice]:
        """Those of each part."""
        return [
            replace(slice_, key=(name, *slice_.key[1:]))
            for name, part in self.parts.items()
            for slice_ in part.source.slices(by)
            if slice_.key[0] == part.system
        ]

    def categories(self, by: Sequence[str]) -> Categories:
        """Those of each part."""
        return self._query_renamed(lambda source: source.categories(by))

    def named(self) -> dict[Key, NamedQuestions]:
        """Questions of each part, with systems renamed in the slices too."""
        named = self._query_renamed(lambda source: source.named())
        return {
            key: replace(named_slice, slice=replace(named_slice.slice, key=key))
            for key, named_slice in named.items()
        }

    def ballots(self, by: Sequence[str]) -> dict[Key, list[Ballots]]:
        """Those of each part."""
        return self._query_renamed(lambda source: source.ballots(by))

    def costs(self, column: str | None) -> dict[Key, QuestionCosts]:
        """Those of each part."""
        return self._query_renamed(lambda source: source.costs(column))

    def trials(self) -> TrialsByQuestion:
        """Those of each part."""
        return self._query_renamed(lambda source: source.trials())

    def ranked(self, bins: int | None) -> Rankings:
        """Those of each part."""
        return self._query_renamed(lambda source: source.ranked(bins))

    def ranked_items(self) -> dict[Key, RankedItems]:
        """Those of each part."""
        return self._query_renamed(lambda source: source.ranked_items())

    def with_penalties(self, score: Penalty) -> "JoinedSource":
        """Penalties in each part."""
        parts = {
            name: part._replace(source=part.source.with_penalties(score))
            for name, part in self.parts.items()
        }
        return replace(self, parts=parts)

    def statuses(self) -> dict[str, int]:
        """Statuses of all parts; a source with other systems too counts those as well."""
        if not all(part.is_whole for part in self.parts.values()):
            return {}
        total: dict[str, int] = {}
        for part in self.parts.values():
            for status, rows in part.source.statuses().items():
                total[status] = total.get(status, 0) + rows
        return total

    def weight_columns(self) -> list[str]:
        """The weight columns of all parts."""
        names = (name for part in self.parts.values() for name in part.source.weight_columns())
        return list(dict.fromkeys(names))

    def _query_renamed(self, query: Callable[[Source], Mapping[Key, Kind]]) -> dict[Key, Kind]:
        """The results of `query` for the system of each part, under its name in the combination."""
        return {
            (name, *key[1:]): statistics
            for name, part in self.parts.items()
            for key, statistics in query(part.source).items()
            if key[0] == part.system
        }


def _systems_in(source: Source) -> list[str]:
    """Systems of a source, sorted by name; a table without a system column is one system."""
    try:
        slices = source.slices(())
    except RepeatedTrial:
        slices = source.with_repeats().slices(())
    return sorted({slice_.key[0] for slice_ in slices})


def tables_with_ids(source: Source) -> list[TableSource | CountsTableSource]:
    """The tables of a source; none if some part is no table, or has no ids of questions."""
    parts = [source]
    if isinstance(source, JoinedSource):
        parts = [part.source for part in source.parts.values()]
    tables = [part for part in parts if isinstance(part, TableSource | CountsTableSource)]
    with_ids = all(table.columns["question"] != ROW for table in tables)
    return tables if with_ids and len(tables) == len(parts) else []


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
