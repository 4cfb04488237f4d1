"""The whole posterior distribution of a metric, where it is one mean over questions.

Such a mean is a sum of independent scores, each a function of one Beta success rate, and
`kernels.lattice` adds those up. Two means that are blended depend on each other, and categories
have several rates: neither is a sum of such scores.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.data.statistics import Integers, States, distinct
from errbar.errors import InputError
from errbar.kernels import lattice
from errbar.kernels.lattice import Spread
from errbar.metrics.base import CountMetric, Prior, QuestionMean
from errbar.metrics.categories import Average, CategoryMetric


class _System(NamedTuple):
    """The distinct states of one system, and how many questions are in each."""

    trials: Integers
    correct: Integers
    often: NDArray[np.float64]


def whole(metric: CountMetric, data: Any, prior: Prior) -> list[Spread]:
    """The distribution of each system's value, from the `statistics` of its kind of metric."""
    part = only_part(metric)
    return [_joined(metric, _of_part(metric, part, system, prior)) for system in _systems(data)]


def only_part(metric: CountMetric) -> QuestionMean:
    """The one mean over questions that it is made of; refused where there is none."""
    parts = metric.parts()
    if len(parts) == 1:
        return parts[0]
    why = "it blends two means over questions" if parts else "it has more than two categories"
    raise InputError(
        f"{metric} has no ends of the whole distribution: {why}. Ask for those of the normal one: "
        f"Posterior(ends='normal')."
    )


def _systems(data: Any) -> Iterator[_System]:
    if isinstance(data, States):
        for questions in data.questions:
            held = questions > 0
            yield _System(data.trials[held], data.correct[held], questions[held])
    else:
        for tally in data:
            wrong, right = tally.rows.T
            (trials, correct), often = distinct(wrong + right, right, often=tally.often)
            yield _System(trials, correct, often)


def _of_part(metric: CountMetric, part: QuestionMean, system: _System, prior: Prior) -> Spread:
    """The distribution of the mean that a metric is made of."""
    is_category = isinstance(metric, CategoryMetric)
    right, wrong = (prior.each, prior.each) if is_category else (prior.right, prior.wrong)
    trials, correct, often = system
    points = lattice.points_for(often)
    rates, masses = lattice.beta_points(right + correct, wrong + (trials - correct), points)
    scores = part.at_rates(rates)
    if isinstance(metric, Average):  # stretched by as much as the prior drew it in
        scores = (scores * (trials + right + wrong)[:, None] - right) / trials[:, None]
    return lattice.mean_of(scores, masses, often)


def _joined(metric: CountMetric, spread: Spread) -> Spread:
    """The same on the metric's own scale, which two weights may turn round."""
    edges = metric.joined(spread.edges)
    if edges[-1] >= edges[0]:
        return Spread(edges, spread.below, spread.above)
    return Spread(edges[::-1], spread.above[::-1], spread.below[::-1])
