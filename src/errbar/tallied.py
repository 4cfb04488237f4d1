"""Slices → what a metric counts of them, with rows without a result taken as was asked."""

from dataclasses import replace

import numpy as np

from errbar.data.ballots import Ballots
from errbar.data.slices import Slice
from errbar.data.sources import Source
from errbar.data.statistics import CategoryCounts
from errbar.errors import InputError, WrongType
from errbar.metrics import CountMetric, VoteAt
from errbar.metrics.base import AnyCounts
from errbar.metrics.categories import RIGHT_OR_WRONG, Average, CategoryMetric


def ballots_of(source: Source, one: Slice, metric: VoteAt, taken: str) -> list[Ballots]:
    """The ballots of each question; a failed trial is a ballot without an answer, or none."""
    if not one.is_binary:
        whose = " · ".join(filter(None, one.key)) or "the system"
        raise WrongType(f"{whose}: {metric} needs outcomes of 0 and 1; there are others.")
    questions = [each for each in source.ballots(one.by)[one.key] if each.weight > 0]
    if taken == "missing":
        return [question for question in questions if question.trials]
    if taken == "right" and one.failed:
        raise InputError(
            f"{metric}: rows without a result have no answer to vote for. Count them as "
            f"ballots without a vote with errors='fail', or leave them out with "
            f"errors='missing'."
        )
    return [replace(one, silent=one.silent + one.failed, failed=0) for one in questions]


def counts_of(source: Source, one: Slice, metric: CountMetric, taken: str) -> AnyCounts:
    """Right and wrong, or the categories that a metric has weights for."""
    if isinstance(metric, CategoryMetric) and categories_of(metric):
        return _categories(source, one, metric, taken)
    if not one.is_binary:
        values = source.categories(one.by)[one.key].values
        shown = ", ".join(f"{value + 0.0:g}" for value in values[:6])
        whose = " · ".join(filter(None, one.key))
        raise WrongType(
            f"{whose}{': ' * bool(whose)}{metric} needs outcomes of 0 and 1; there are "
            f"{shown}{' …' * (len(values) > 6)}. "
            f"As rewards they are averaged by avg; as categories 0, 1, 2 … they are taken by "
            f"metrics with a weight for each: avg(weights=[…]), bayes(…), max@k(…)."
        )
    return one.counts(taken)


def _categories(source: Source, one: Slice, metric: CategoryMetric, taken: str) -> CategoryCounts:
    values, counts, _, clusters, names, weights = source.categories(one.by)[one.key]
    some = counts.sum(axis=1) > 0
    if weights is not None:
        some &= weights > 0
    found = counts[some]
    wrong = [value for value in values if value not in range(len(metric.weights))]
    if wrong:
        raise WrongType(
            f"{metric} has weights for the outcomes 0 to {len(metric.weights) - 1}; there is "
            f"{wrong[0]:g}."
        )
    if one.failed and taken != "missing":
        raise InputError(
            f"{metric}: {one.failed} rows have no result, and no category is their own. Leave "
            f"them out: errors='missing'."
        )
    tally = np.zeros((len(found), len(metric.weights)), dtype=np.int64)
    tally[:, [int(value) for value in values]] = found
    kept = [name for name, held in zip(names, some, strict=True) if held] if names else None
    return CategoryCounts(
        tally,
        kept,
        None if clusters is None else clusters[some],
        None if weights is None else weights[some],
    )


def categories_of(metric: CountMetric) -> tuple[float, ...]:
    """The weights of the categories that are counted; none for right and wrong."""
    if isinstance(metric, CategoryMetric) and metric.weights != RIGHT_OR_WRONG:
        return metric.weights
    return ()


def is_reward(one: Slice, metric: CountMetric) -> bool:
    """Whether outcomes are averaged as they are."""
    return isinstance(metric, Average) and metric.weights == RIGHT_OR_WRONG and not one.is_binary
