"""Ranked items of several systems, side by side: the same question and trial is the same item."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.data.ranked_rows import RankedItems
from errbar.errors import InputError
from errbar.remarks import mapping, way_to_say

Array = NDArray[np.floating[Any]]
Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]
_Id = tuple[str, str | float | None]  # a question and a trial


@dataclass(frozen=True, eq=False)
class PairedItems:
    """The items of one task: a row per system, a column per item that any of them has."""

    task: str
    systems: tuple[str, ...]
    held: Flags
    confidence: Array  # nan where an item is not held
    outcome: Array  # nan where it is not held or not answered
    clusters: NDArray[np.intp]  # the number of each item's cluster, in order of their names
    refused: Mapping[str, InputError]  # by system: why its items cannot be ranked
    everyone: tuple[str, ...]  # all systems in order, those that are refused too

    @property
    def answered(self) -> Flags:
        """Which items have an answer with a result."""
        return ~np.isnan(self.outcome)

    def shared(self, one: int, other: int) -> Flags:
        """The items that two systems have."""
        both: Flags = self.held[one] & self.held[other]
        if not both.any():
            raise InputError(
                "they have no item in common; check that the ids of questions and trials agree"
            )
        return both


class _Placed(NamedTuple):
    """Rows of one system: which question and trial, and the how manieth of those."""

    ids: Integers
    nth: Integers
    order: NDArray[np.intp]  # of the rows that these are of
    often: Integers  # how many rows each id has


def paired_items(task: str, given: Mapping[str, RankedItems | InputError]) -> PairedItems:
    """The items of all systems that have any, each in one place."""
    systems = {name: one for name, one in given.items() if not isinstance(one, InputError)}
    refused = {name: one for name, one in given.items() if isinstance(one, InputError)}
    known: dict[_Id, int] = {}
    ids = [
        np.array([known.setdefault(one, len(known)) for one in _ids(items)], dtype=np.int64)
        for items in systems.values()
    ]
    placed = [
        _placed(items, some, len(known)) for items, some in zip(systems.values(), ids, strict=True)
    ]
    _require_told_apart(list(systems), list(known), placed)
    most = 1 + max((int(one.nth.max()) for one in placed), default=0)
    keys = [one.ids * most + one.nth for one in placed]
    places = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *keys]))
    shape = (len(systems), places.size)
    held = np.zeros(shape, dtype=bool)
    confidence, outcome = np.full((2, *shape), np.nan)
    clusters = np.full(places.size, -1, dtype=np.intp)
    numbers = _numbers_of_clusters(systems)
    for row, (name, items) in enumerate(systems.items()):
        at, order = np.searchsorted(places, keys[row]), placed[row].order
        held[row, at] = True
        confidence[row, at] = items.rows.confidence[order]
        outcome[row, at] = items.rows.outcome[order]
        mine = np.array([numbers[one] for one in items.rows.cluster[order].tolist()])
        torn = (clusters[at] >= 0) & (clusters[at] != mine)
        if torn.any():
            question = items.question[order[int(np.argmax(torn))]]
            raise InputError(
                f"question {question!r:.80} is in another cluster for {name!r} than for other "
                f"systems; items are paired, and belong to one. Correct the column, or do "
                f"without: {way_to_say('--map cluster=', 'cluster=None')}"
            )
        clusters[at] = mine
    return PairedItems(
        task, tuple(systems), held, confidence, outcome, clusters, refused, tuple(given)
    )


def _ids(items: RankedItems) -> list[_Id]:
    return list(zip(items.question, items.trial, strict=True))


def _placed(items: RankedItems, ids: Integers, number: int) -> _Placed:
    """In an order of their own: rows of one id by confidence, not as they are given."""
    order = np.lexsort((items.rows.outcome, items.rows.confidence, ids))
    ordered = ids[order]
    starts = np.searchsorted(ordered, ordered)
    nth = np.arange(ordered.size) - starts
    return _Placed(ordered, nth, order, np.bincount(ids, minlength=number))


def _require_told_apart(
    systems: Sequence[str], known: Sequence[_Id], placed: Sequence[_Placed]
) -> None:
    """Rows that no trial tells apart are the same items only if all systems have as many."""
    if not placed:
        return
    often = np.stack([one.often for one in placed])
    least = np.where(often > 0, often, np.iinfo(np.int64).max).min(axis=0)
    most = often.max(axis=0)
    doubtful = (most > 1) & (least < most)
    if doubtful.any():
        at = int(np.argmax(doubtful))
        more, fewer = int(np.argmax(often[:, at])), int(np.argmax(often[:, at] == least[at]))
        raise InputError(
            f"question {known[at][0]!r:.80} has {most[at]} rows of {systems[more]!r} and "
            f"{least[at]} of {systems[fewer]!r}, and no trial tells them apart. Say which column "
            f"does with {mapping('trial')}."
        )


def _numbers_of_clusters(systems: Mapping[str, RankedItems]) -> dict[str, int]:
    names = {name for items in systems.values() for name in items.rows.cluster.tolist()}
    return {name: at for at, name in enumerate(sorted(names))}
