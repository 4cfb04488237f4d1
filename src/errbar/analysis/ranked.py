"""Estimates from items ranked by confidence, as rows or as totals; systems aligned by item."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeVar

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from errbar.analysis import roc as roc_estimates
from errbar.analysis import selective as selective_estimates
from errbar.analysis.alignment import AlignedSystems, align
from errbar.analysis.evaluate import Refusals, reason_of
from errbar.analysis.methods import Bootstrap
from errbar.base.arrays import Array, Flags, Integers, Seed
from errbar.base.remarks import counted, mapping, way_to_say
from errbar.data.columns import Key
from errbar.data.engines.duckdb import plain_errors
from errbar.data.labelled_scores import Scored
from errbar.data.predictions import Predictions
from errbar.data.queries.expressions import fetch, keys_in, names_of
from errbar.data.queries.ranked_rows import MOST_RANKED_ROWS, RankedItems, RankedRows, rankable
from errbar.data.queries.ranked_totals import GroupedTotals
from errbar.data.sources.tables import Rankings, Source, TableSource
from errbar.errors import InputError, NotThere, UnknownColumn
from errbar.kernels.resample import joint_clusters
from errbar.metrics.confidence import RankedMetric, RocAuc
from errbar.results.estimate import Estimand, Interval, RankedEstimate, Subject
from errbar.results.scores import RankedScores

Kind = TypeVar("Kind")
Refused = dict[Key, InputError]


def ranked_by_system(source: Source, bins: int | None) -> tuple[Rankings, Refused]:
    """Ranked data of every system and task, with the reason where there are none."""
    return _by_system(source, lambda part: part.ranked(bins))


def items_by_system(source: Source) -> tuple[Mapping[Key, RankedItems], Refused]:
    """Ranked items of every system and task, with the reason where there are none."""
    return _by_system(source, lambda part: part.ranked_items())


def _by_system(
    source: Source, ask: Callable[[Source], Mapping[Key, Kind]]
) -> tuple[Mapping[Key, Kind], Refused]:
    """Query all systems at once; if that is refused, one system and task at a time."""
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


@plain_errors()
def _is_rankable(source: TableSource) -> bool:
    """Whether every row can be ranked, so that the refusal is about size or bins."""
    try:
        rankable(source.frame, source.columns)
    except InputError:
        return False
    return True


@plain_errors()
def _parts(source: TableSource) -> dict[Key, TableSource]:
    """Split a source by system and task; empty if the rows do not fit in memory."""
    source.statuses()  # raises an error for an unknown status
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
    parts = {}
    for key in sorted(set(keys_in(table, ()))):
        some = frame
        for name, value in zip(("system", "task"), key, strict=True):
            if name in names:
                some = some.filter(names[name].fill_null("") == value)
        parts[key] = replace(source, frame=some, where="", _found={}, _results={}, _statuses={})
    return parts


Keyed = Mapping[Key, RankedRows | GroupedTotals]  # by system and task
K = TypeVar("K")

AREAS = ("aurc", "augrc", "e-aurc")
_USUAL = (*AREAS, "risk@0.5")


def selective_scores(
    source: Source,
    metrics: Sequence[RankedMetric | str],
    method: Bootstrap,
    rng: Seed,
    *,
    bins: int | None,
) -> RankedScores:
    """Score selective metrics of every system, with the reason where there is none."""
    chosen = [selective_estimates.ranked_metric(metric) for metric in metrics or _USUAL]
    ranked, refused = ranked_by_system(source, bins)
    data = {key: rows.predictions() for key, rows in ranked.items()}
    refusals = Refusals()

    def estimate_of(key: Key, metric: RankedMetric) -> RankedEstimate:
        """One metric of one system, or the reason why there is none."""
        try:
            if key not in data:
                raise refused.get(key) or InputError("there is no row to rank")
            return selective_estimates.estimate(metric, data[key], method=method, rng=rng)
        except InputError as error:
            why = refusals.add(_subject(key), metric, error)
            return _no_estimate(metric, data.get(key), method, why)

    results = [
        _with_subject(key, estimate_of(key, metric))
        for key in _every_subject(ranked, refused)
        for metric in chosen
    ]
    refusals.require_others((estimate.of, estimate.metric) for estimate in results)
    unanswered = sum(estimate.unanswered for estimate in data.values())
    return _with_remarks(results, method, unanswered, bins)


def roc_scores(source: Source, method: Bootstrap, rng: Seed, *, bins: int | None) -> RankedScores:
    """Score ROC-AUC of every system from answered rows, with the reason where there is none."""
    ranked, unranked = ranked_by_system(source, bins)
    kept, refused = classes_of(ranked)
    data = {key: ranked[key].predictions() for key in refused}
    why = refused | {key: reason_of(error, RocAuc()) for key, error in unranked.items()}
    results = [
        _with_subject(key, roc_estimates.estimate(kept[key], method=method, rng=rng))
        if key in kept
        else _with_subject(key, _no_estimate(RocAuc(), data.get(key), method, why[key]))
        for key in _every_subject(ranked, unranked)
    ]
    unanswered = sum(rows.unanswered for rows in ranked.values())
    return _with_remarks(results, method, unanswered, bins)


def _every_subject(found: Keyed, refused: Mapping[Key, InputError]) -> list[Key]:
    """All systems and tasks, including those that cannot be ranked."""
    return sorted({*found, *refused}) if refused else list(found)


def _no_estimate(
    metric: RankedMetric | RocAuc,
    data: Predictions | GroupedTotals | None,
    method: Bootstrap,
    why: str,
) -> RankedEstimate:
    nan = math.nan
    nowhere = Interval.unknown(method.level, Estimand.POPULATION)
    items, groups = (0, 0) if data is None else (len(data), data.cluster_count)
    return RankedEstimate(
        metric=metric, value=nan, sd=nan, interval=nowhere, items=items, clusters=groups, reason=why
    )


def _subject(key: tuple[str, ...]) -> Subject:
    return Subject(key[0], key[1])


def _with_subject(key: tuple[str, ...], estimate: RankedEstimate) -> RankedEstimate:
    return replace(estimate, of=_subject(key))


def classes_of(
    found: Mapping[K, RankedRows | GroupedTotals],
) -> tuple[dict[K, Scored | GroupedTotals], dict[K, str]]:
    """Right and wrong answers of systems that have both, and reasons for the others."""
    kept: dict[K, Scored | GroupedTotals] = {}
    refused: dict[K, str] = {}
    for key, rows in found.items():
        if not np.sum(rows.answered):
            refused[key] = "no item was answered"
            continue
        try:
            kept[key] = rows.scored()
        except InputError as error:
            refused[key] = str(error).removesuffix(".")
    if not kept:
        raise InputError(f"no system has a ROC curve: {next(iter(refused.values()))}.")
    return kept, refused


def _with_remarks(
    results: list[RankedEstimate], method: Bootstrap, unanswered: int, bins: int | None
) -> RankedScores:
    words, remarks = method.describe(), []
    in_groups = [result for result in results if result.groups]
    if in_groups:
        clusters = " or ".join(dict.fromkeys(f"{result.clusters:,}" for result in in_groups))
        most = max(result.groups for result in in_groups)
        words += f" of {most} groups, into which {clusters} clusters were put at random"
    if bins is not None:
        furthest = max((result.bin_error for result in results), default=0.0)
        remarks.append(
            f"Confidences are in at most {bins} bins, which changes no value by more than "
            f"{furthest:.2g}. Intervals are those of the binned values."
        )
    if unanswered:
        remarks.append(f"{counted(unanswered, 'row')} without an answer.")
    return RankedScores(tuple(results), words, tuple(remarks))


_Id = tuple[str, str | float | None]  # a question and a trial


@dataclass(frozen=True, eq=False, kw_only=True)
class PairedItems(AlignedSystems):
    """Items of one task: a row per system, a column per item that any system has."""

    present: Flags  # whether a system has an item
    confidence: Array  # nan where a system lacks the item
    loss: Array  # nan where a system lacks the item, or did not answer it
    clusters: NDArray[np.intp]  # the number of each item's cluster

    @property
    def answered(self) -> Flags:
        """Mask of the items that have a scored answer."""
        return ~np.isnan(self.loss)

    @cached_property
    def units(self) -> NDArray[np.intp]:
        """The resampling unit of each item, its cluster.

        Clusters of one item each are numbered by the values of their items, so that a seed draws
        the same resamples whatever the clusters are called.
        """
        if np.unique(self.clusters).size < self.clusters.size:
            return self.clusters
        sure = np.where(self.answered, self.confidence, np.nan)
        rows = sorted(range(len(self.systems)), key=lambda at: self.systems[at])
        return joint_clusters([column[at] for at in rows for column in (self.loss, sure)], None)

    def shared(self, first: int, second: int) -> Flags:
        """Mask of the items that both systems have."""
        both: Flags = self.present[first] & self.present[second]
        if not both.any():
            raise InputError(
                "they have no item in common; check that the ids of questions and trials agree"
            )
        return both


class _RowKeys(NamedTuple):
    """Keys of the rows of one system: question, trial, and index among equal keys."""

    ids: Integers
    nth: Integers
    order: NDArray[np.intp]  # indices of the rows
    often: Integers  # how many rows each id has


def paired_items(task: str, items_of: Mapping[str, RankedItems | InputError]) -> PairedItems:
    """Align the items of all systems by key."""
    systems = {name: entry for name, entry in items_of.items() if not isinstance(entry, InputError)}
    refused = {name: entry for name, entry in items_of.items() if isinstance(entry, InputError)}
    aligned = align(map(_ids, systems.values()), order=list)
    number = len(aligned.place)
    placed = [
        _row_keys(items, at, number)
        for items, at in zip(systems.values(), aligned.places, strict=True)
    ]
    _require_distinct(list(systems), aligned.ids, placed)
    most = np.max([np.zeros(number, dtype=np.int64), *(entry.often for entry in placed)], axis=0)
    starts = np.cumsum(most) - most  # an id has as many places as rows in any system
    shape = (len(systems), int(most.sum()))
    present = np.zeros(shape, dtype=bool)
    confidence, loss = np.full((2, *shape), np.nan)
    clusters = np.full(shape[1], -1, dtype=np.intp)
    numbers = _numbers_of_clusters(systems)
    for row, (name, items) in enumerate(systems.items()):
        at, order = starts[placed[row].ids] + placed[row].nth, placed[row].order
        present[row, at] = True
        confidence[row, at] = items.rows.confidence[order]
        loss[row, at] = 1.0 - items.rows.outcome[order]
        own = np.array([numbers[entry] for entry in items.rows.cluster[order].tolist()])
        conflicting = (clusters[at] >= 0) & (clusters[at] != own)
        if conflicting.any():
            question = items.question[order[int(np.argmax(conflicting))]]
            raise InputError(
                f"question {question!r:.80} is in a different cluster for {name!r} than for other "
                "systems; items are paired, and an item has one cluster. Correct the column, or "
                f"ignore it: {way_to_say('--map cluster=', 'cluster=None')}"
            )
        clusters[at] = own
    return PairedItems(
        task=task,
        systems=tuple(systems),
        refused=refused,
        everyone=tuple(items_of),
        present=present,
        confidence=confidence,
        loss=loss,
        clusters=clusters,
    )


def _ids(items: RankedItems) -> list[_Id]:
    return list(zip(items.question, items.trial, strict=True))


def _row_keys(items: RankedItems, ids: Integers, number: int) -> _RowKeys:
    """Sort rows of one id by confidence, so that the order of the input does not matter."""
    order = np.lexsort((items.rows.outcome, items.rows.confidence, ids))
    ordered = ids[order]
    starts = np.searchsorted(ordered, ordered)
    nth = np.arange(ordered.size) - starts
    return _RowKeys(ordered, nth, order, np.bincount(ids, minlength=number))


def _require_distinct(
    systems: Sequence[str], known: Sequence[_Id], placed: Sequence[_RowKeys]
) -> None:
    """Match rows without trial numbers only if all systems have equally many."""
    if not placed:
        return
    often = np.stack([place.often for place in placed])
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
