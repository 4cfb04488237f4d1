"""Ranked rows, or groups of them, × metrics → estimates with what there is to say of them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from errbar import roc_estimates, selective_estimates
from errbar.by_system import ranked_by_system
from errbar.data.grouped import Grouped
from errbar.data.ranked import Predictions
from errbar.data.ranked_rows import RankedRows
from errbar.data.scored import Scored, require_both_classes
from errbar.data.sources import Key, Source
from errbar.errors import InputError
from errbar.estimate import Estimand, Interval, RankedEstimate, Subject
from errbar.metrics.roc import RocAuc
from errbar.metrics.selective import RankedMetric
from errbar.refusals import Refusals, reason_of
from errbar.scores import RankedScores
from errbar.uncertainty import Bootstrap
from errbar.uncertainty.bootstrap import joint_clusters

Keyed = Mapping[Key, RankedRows | Grouped]  # by system and task
Seed = np.random.Generator | int
K = TypeVar("K")

_USUAL = ("aurc", "augrc", "e-aurc")


def selective_scores(
    source: Source,
    metrics: Sequence[RankedMetric | str],
    method: Bootstrap,
    rng: Seed,
    *,
    bins: int | None,
) -> RankedScores:
    """Risk and coverage of every system; a reason where it has none, or does not reach so far."""
    asked = [selective_estimates.ranked_metric(metric) for metric in metrics or _USUAL]
    found, refused = ranked_by_system(source, bins)
    data = {key: predictions_of(rows) for key, rows in found.items()}
    refusals = Refusals()
    results = [
        _of(key, _selective(metric, data.get(key), refused.get(key), key, method, rng, refusals))
        for key in _in_order(found, refused)
        for metric in asked
    ]
    refusals.require_others((one.of, one.metric) for one in results)
    unanswered = sum(len(one) - int(np.sum(one.answered)) for one in data.values())
    return _told(results, method, unanswered, bins)


def roc_scores(source: Source, method: Bootstrap, rng: Seed, *, bins: int | None) -> RankedScores:
    """The area of every system, from the rows that are answered; a reason where there is none."""
    found, unranked = ranked_by_system(source, bins)
    kept, refused = classes_of(found)
    why = refused | {key: reason_of(error, RocAuc()) for key, error in unranked.items()}
    results = [
        _of(key, roc_estimates.estimate(kept[key], method=method, rng=rng))
        if key in kept
        else _of(key, _nothing(RocAuc(), found.get(key), method, why[key]))
        for key in _in_order(found, unranked)
    ]
    unanswered = sum(
        len(rows) - rows.answered if isinstance(rows, Grouped) else int((~rows.answered).sum())
        for rows in found.values()
    )
    return _told(results, method, unanswered, bins)


def _in_order(found: Keyed, refused: Mapping[Key, InputError]) -> list[Key]:
    """All systems and tasks, whether they can be ranked or not."""
    return sorted({*found, *refused}) if refused else list(found)


def _selective(
    metric: RankedMetric,
    data: Predictions | Grouped | None,
    refused: InputError | None,
    key: Key,
    method: Bootstrap,
    rng: Seed,
    refusals: Refusals,
) -> RankedEstimate:
    """One metric of one system, or why there is none."""
    try:
        if data is None:
            raise refused or InputError("there is no row to rank")
        return selective_estimates.estimate(metric, data, method=method, rng=rng)
    except InputError as error:
        return _nothing(metric, data, method, refusals.add(_subject(key), metric, error))


def _nothing(
    metric: RankedMetric | RocAuc,
    data: Predictions | Grouped | RankedRows | None,
    method: Bootstrap,
    why: str,
) -> RankedEstimate:
    nowhere = Interval(math.nan, math.nan, method.level, Estimand.POPULATION)
    ranked = predictions_of(data) if isinstance(data, RankedRows) else data
    items = clusters = 0
    if isinstance(ranked, Grouped):
        items, clusters = len(ranked), ranked.clusters
    elif ranked is not None:
        items = len(ranked)
        clusters = np.unique(joint_clusters(ranked.columns(), ranked.clusters)).size
    return RankedEstimate(metric, math.nan, math.nan, nowhere, items, clusters, reason=why)


def _subject(key: tuple[str, ...]) -> Subject:
    return Subject(key[0], key[1])


def _of(key: tuple[str, ...], estimate: RankedEstimate) -> RankedEstimate:
    return replace(estimate, of=_subject(key))


def predictions_of(rows: RankedRows | Grouped) -> Predictions | Grouped:
    """A row costs 1 unless its outcome is 1."""
    if isinstance(rows, Grouped):
        return rows
    lost = 1.0 - np.nan_to_num(rows.outcome)
    return Predictions(rows.confidence, lost, rows.answered, rows.cluster)


def scored_of(rows: RankedRows | Grouped) -> Scored | Grouped:
    """What was answered, right or wrong."""
    if isinstance(rows, Grouped):
        answered = rows.only_answered()
        require_both_classes(int(answered.right.sum()), len(answered))
        return rows
    held = rows.answered
    return Scored(rows.confidence[held], rows.outcome[held], clusters=rows.cluster[held])


def classes_of(
    found: Mapping[K, RankedRows | Grouped],
) -> tuple[dict[K, Scored | Grouped], dict[K, str]]:
    """What was answered right and wrong by whoever did both, and why others have no curve."""
    kept: dict[K, Scored | Grouped] = {}
    refused: dict[K, str] = {}
    for key, rows in found.items():
        if not np.sum(rows.answered):
            refused[key] = "nothing was answered"
            continue
        try:
            kept[key] = scored_of(rows)
        except InputError as error:
            refused[key] = str(error).removesuffix(".")
    if not kept:
        raise InputError(f"there is no ROC of anyone: {next(iter(refused.values()))}.")
    return kept, refused


def _told(
    results: list[RankedEstimate], method: Bootstrap, unanswered: int, bins: int | None
) -> RankedScores:
    words, remarks = method.describe(), []
    in_groups = [one for one in results if one.groups]
    if in_groups:
        clusters = " or ".join(dict.fromkeys(f"{one.clusters:,}" for one in in_groups))
        most = max(one.groups for one in in_groups)
        words += f" of {most} groups, into which {clusters} clusters were put at random"
    if bins is not None:
        furthest = max((one.bin_error for one in results), default=0.0)
        remarks.append(
            f"Confidences are in {bins} bins at most: no value is further than {furthest:.2g} from "
            f"what it is without them. An interval is that of the binned value."
        )
    if unanswered:
        remarks.append(f"{unanswered} rows are not answered.")
    return RankedScores(tuple(results), words, tuple(remarks))
