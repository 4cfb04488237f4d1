"""Ranked rows, or groups of them, × metrics → estimates with what there is to say of them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from errbar import roc, selective
from errbar.data.grouped import Grouped
from errbar.data.ranked import Predictions
from errbar.data.ranked_rows import RankedRows
from errbar.data.scored import Scored, require_both_classes
from errbar.errors import InputError, OutOfReach
from errbar.estimate import Estimand, Interval, RankedEstimate, Subject
from errbar.metrics import parse
from errbar.metrics.roc import RocAuc
from errbar.metrics.selective import RankedMetric
from errbar.scores import RankedScores
from errbar.uncertainty import Bootstrap
from errbar.uncertainty.bootstrap import joint_clusters

Keyed = Mapping[tuple[str, ...], RankedRows | Grouped]  # by system and task
Seed = np.random.Generator | int
K = TypeVar("K")

_USUAL = ("aurc", "augrc", "e-aurc")


def selective_scores(
    found: Keyed,
    metrics: Sequence[RankedMetric | str],
    method: Bootstrap,
    rng: Seed,
    *,
    bins: int | None,
) -> RankedScores:
    """Risk and coverage of every system; nothing and a reason where one does not reach so far."""
    data = {key: predictions_of(rows) for key, rows in found.items()}
    columns = [_by_system(metric, data, method, rng) for metric in metrics or _USUAL]
    results = [_of(key, column[key]) for key in data for column in columns]
    unanswered = sum(len(one) - int(np.sum(one.answered)) for one in data.values())
    return _told(results, method, unanswered, bins)


def roc_scores(found: Keyed, method: Bootstrap, rng: Seed, *, bins: int | None) -> RankedScores:
    """The area of every system, from the rows that are answered; a reason where there is none."""
    kept, refused = classes_of(found)
    results = [
        _of(key, roc.estimate(kept[key], method=method, rng=rng))
        if key in kept
        else _of(key, _nothing(RocAuc(), predictions_of(rows), method, refused[key]))
        for key, rows in found.items()
    ]
    unanswered = sum(
        len(rows) - rows.answered if isinstance(rows, Grouped) else int((~rows.answered).sum())
        for rows in found.values()
    )
    return _told(results, method, unanswered, bins)


def _by_system(
    metric: RankedMetric | str,
    data: Mapping[tuple[str, ...], Predictions | Grouped],
    method: Bootstrap,
    rng: Seed,
) -> dict[tuple[str, ...], RankedEstimate]:
    """One metric of all systems, of which one at least must reach it."""
    estimates, refused = {}, []
    for key, one in data.items():
        try:
            estimates[key] = selective.estimate(metric, one, method=method, rng=rng)
        except OutOfReach as error:
            refused.append(OutOfReach(f"{_subject(key)}: {error}".removeprefix(": ")))
            estimates[key] = _nothing(metric, one, method, str(error))
    if len(refused) == len(data):
        raise refused[0]
    return estimates


def _nothing(
    metric: RankedMetric | RocAuc | str, data: Predictions | Grouped, method: Bootstrap, why: str
) -> RankedEstimate:
    asked = parse(metric) if isinstance(metric, str) else metric
    nowhere = Interval(math.nan, math.nan, method.level, Estimand.POPULATION)
    clusters = (
        data.clusters
        if isinstance(data, Grouped)
        else np.unique(joint_clusters(data.columns(), data.clusters)).size
    )
    reason = why.removeprefix(f"{asked}: ").removesuffix(".")
    return RankedEstimate(asked, math.nan, math.nan, nowhere, len(data), clusters, reason=reason)


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
