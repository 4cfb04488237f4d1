"""Slices → what a metric counts of them, with rows without a result taken as was asked.

What cannot be counted is refused by a phrase; whoever asked says whose it is, and by which metric.
"""

from dataclasses import replace

import numpy as np

from errbar.data.ballots import Ballots
from errbar.data.slices import Results, Slice
from errbar.data.sources import Source
from errbar.data.statistics import CategoryCounts
from errbar.errors import InputError, WrongType
from errbar.metrics import CountMetric
from errbar.metrics.base import AnyCounts
from errbar.metrics.categories import RIGHT_OR_WRONG, Average, CategoryMetric
from errbar.remarks import way_to_say

_MOST_SHOWN = 6  # values in a message


def ballots_of(source: Source, one: Slice, taken: str) -> list[Ballots]:
    """The ballots of each question; a failed trial is a ballot without an answer, or none."""
    if not one.is_binary:
        raise WrongType(f"needs outcomes of 0 and 1; there are {_shown(source, one)}")
    questions = [each for each in source.ballots(one.by)[one.key] if each.weight > 0]
    if any(each.silent for each in questions) and not any(each.votes for each in questions):
        raise InputError(
            "no row has an answer to vote by; maj@k counts right and wrong without answers"
        )
    if taken == "missing":
        return [question for question in questions if question.trials]
    if taken == "right" and one.failed:
        raise InputError(
            f"rows without a result have no answer to vote for; {_counted('fail')} counts them as "
            f"ballots without a vote, {_counted('missing')} leaves them out"
        )
    return [replace(one, silent=one.silent + one.failed, failed=0) for one in questions]


def counts_of(source: Source, one: Slice, metric: CountMetric, taken: str) -> AnyCounts:
    """Right and wrong, or the categories that a metric has weights for."""
    if isinstance(metric, CategoryMetric) and categories_of(metric):
        return _categories(source, one, metric, taken)
    if not one.is_binary:
        raise WrongType(
            f"needs outcomes of 0 and 1; there are {_shown(source, one)}. As rewards they are "
            f"averaged by avg; as categories 0, 1, 2 … they are taken by metrics with a weight for "
            f"each: avg(weights=[…]), bayes(…), max@k(…)"
        )
    return one.counts(taken)


def results_of(source: Source, one: Slice) -> Results:
    """The results that occur in a slice, without values that only others have."""
    found = source.categories(one.by)[one.key]
    there = np.flatnonzero(found.counts.sum(axis=0))
    values = [found.values[at] for at in there.tolist()]
    return found._replace(values=values, counts=found.counts[:, there])


def _shown(source: Source, one: Slice) -> str:
    """The first values that occur."""
    values = results_of(source, one).values
    shown = ", ".join(f"{value + 0.0:g}" for value in values[:_MOST_SHOWN])
    return f"{shown}{' …' * (len(values) > _MOST_SHOWN)}"


def _categories(source: Source, one: Slice, metric: CategoryMetric, taken: str) -> CategoryCounts:
    values, counts, _, clusters, names, weights = results_of(source, one)
    some = counts.sum(axis=1) > 0
    if weights is not None:
        some &= weights > 0
    found = counts[some]
    wrong = [value for value in values if value not in range(len(metric.weights))]
    if wrong:
        raise WrongType(
            f"has weights for the outcomes 0 to {len(metric.weights) - 1}; there is {wrong[0]:g}"
        )
    if one.failed and taken != "missing":
        raise InputError(
            f"{one.failed} rows have no result, and no category is their own; "
            f"{_counted('missing')} leaves them out"
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


def _counted(errors: str) -> str:
    return way_to_say(f"--errors {errors}", f"errors={errors!r}")


def categories_of(metric: CountMetric) -> tuple[float, ...]:
    """The weights of the categories that are counted; none for right and wrong."""
    if isinstance(metric, CategoryMetric) and metric.weights != RIGHT_OR_WRONG:
        return metric.weights
    return ()


def is_reward(one: Slice, metric: CountMetric) -> bool:
    """Whether outcomes are averaged as they are."""
    return isinstance(metric, Average) and metric.weights == RIGHT_OR_WRONG and not one.is_binary
