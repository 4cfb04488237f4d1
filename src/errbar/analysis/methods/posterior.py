"""Intervals from the posterior of each question's success rate.

They are normal, as documented for `errbar.eval`, or quantiles of the whole distribution.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.analysis.methods.base import Cell, Method, require_no_weights
from errbar.base.arguments import require_choice, strict_share
from errbar.base.arrays import Array, Integers
from errbar.data.counts import States, distinct_rows
from errbar.errors import InputError, WrongType
from errbar.kernels.fourier_inversion import (
    GridDistribution,
    beta_points,
    mean_of,
    points_for,
    quantiles,
)
from errbar.metrics.base import Needs
from errbar.metrics.means import (
    FLAT,
    AnyCounts,
    CategoryMetric,
    CountMetric,
    Moments,
    OutcomeMean,
    Prior,
    QuestionMean,
    normal_ends,
)
from errbar.results.estimate import Estimand, Interval


class _SystemStates(NamedTuple):
    """The distinct states of one system, and how many questions are in each."""

    trials: Integers
    correct: Integers
    often: NDArray[np.float64]


def score_posterior(metric: CountMetric, data: Any, prior: Prior) -> list[GridDistribution]:
    """Posterior distribution of the score of each system, from the `statistics` of the metric."""
    part = only_part(metric)
    return [
        _on_metric_scale(metric, _part_posterior(metric, part, system, prior))
        for system in _systems(data)
    ]


def only_part(metric: CountMetric) -> QuestionMean:
    """The single part of a metric; refused if the metric has none or several."""
    parts = metric.parts()
    if len(parts) == 1:
        return parts[0]
    why = "it blends two means over questions" if parts else "it has more than two categories"
    raise InputError(
        f"{metric} has no quantiles of its posterior distribution: {why}. Use the normal "
        "interval: Posterior(ends='normal')."
    )


def _systems(data: Any) -> Iterator[_SystemStates]:
    if isinstance(data, States):
        for questions in data.questions:
            some = questions > 0
            yield _SystemStates(data.trials[some], data.correct[some], questions[some])
    else:
        for tally in data:
            wrong, right = tally.rows.T
            (trials, correct), often = distinct_rows(wrong + right, right, often=tally.often)
            yield _SystemStates(trials, correct, often)


def _part_posterior(
    metric: CountMetric, part: QuestionMean, system: _SystemStates, prior: Prior
) -> GridDistribution:
    """Posterior distribution of the mean that a metric is a function of."""
    is_category = isinstance(metric, CategoryMetric)
    right, wrong = (prior.each, prior.each) if is_category else (prior.right, prior.wrong)
    trials, correct, often = system
    points = points_for(often)
    rates, masses = beta_points(right + correct, wrong + (trials - correct), points)
    scores = part.at_rates(rates)
    if isinstance(metric, OutcomeMean):  # undo the shrinkage by the prior
        scores = (scores * (trials + right + wrong)[:, None] - right) / trials[:, None]
    return mean_of(scores, masses, often)


def _on_metric_scale(metric: CountMetric, spread: GridDistribution) -> GridDistribution:
    """The distribution on the scale of the metric, reversed if the weights are."""
    edges = metric.joined(spread.edges)
    if edges[-1] >= edges[0]:
        return GridDistribution(edges, spread.below, spread.above)
    return GridDistribution(edges[::-1], spread.above[::-1], spread.below[::-1])


@dataclass(frozen=True, slots=True)
class Posterior(Method):
    """Independent posteriors of the questions under one prior, and the level of the interval.

    With `ends="normal"` it is the mean ± z·sd; with `ends="whole"` it leaves out equal shares of
    the whole distribution at both ends, for metrics that are one mean over questions.

    Examples
    --------
    >>> Posterior(level=0.9)
    Posterior(prior=Prior(right=1.0, wrong=1.0, each=1.0), level=0.9, ends='normal')
    """

    prior: Prior = FLAT
    level: float = 0.95
    ends: Literal["normal", "whole"] = "normal"

    def __post_init__(self) -> None:
        if not isinstance(self.prior, Prior):
            raise WrongType(
                f"prior must be a Prior, as in Prior(right=1, wrong=1); got {self.prior!r}."
            )
        strict_share(self.level, "level")
        require_choice(self.ends, "ends", ("normal", "whole"))

    def cells(
        self, systems: Sequence[AnyCounts], metrics: Sequence[CountMetric]
    ) -> list[list[Cell]]:
        """A row per metric, a column per system; every class of metrics is computed once."""
        require_no_weights("the documented posterior", *systems)
        places: dict[type[CountMetric], list[int]] = {}
        for at, metric in enumerate(metrics):
            places.setdefault(type(metric), []).append(at)
        data: dict[Needs, Any] = {}  # metrics that need the same share what it is summed up to
        rows: list[list[Cell]] = [[] for _ in metrics]
        for kind, at_each in places.items():
            if kind.needs not in data:
                data[kind.needs] = kind.statistics(systems)
            members = [metrics[at] for at in at_each]
            values = _observed_estimates(members, systems, data[kind.needs])
            moments = kind.posterior(members, data[kind.needs], self.prior)
            intervals = self.intervals(members, moments, data[kind.needs])
            parts = (values.tolist(), *(part.tolist() for part in moments), intervals)
            for at, *row in zip(at_each, *parts, strict=True):
                rows[at] = [
                    Cell(value, mean, sd, interval, _why_alone(metrics[at], counts))
                    for counts, value, mean, sd, interval in zip(systems, *row, strict=True)
                ]
        return rows

    def intervals(
        self, metrics: Sequence[CountMetric], moments: Moments, data: Any
    ) -> list[list[Interval]]:
        """Intervals within the bounds of each metric: a row per metric, a column per system.

        `data` are the statistics that the moments come from.
        """
        if self.ends == "whole":
            ends = [self._whole_ends(metric, data) for metric in metrics]
        else:
            ends = [
                normal_ends(mean, sd, self.level, metric.bounds)
                for metric, mean, sd in zip(metrics, *moments, strict=True)
            ]
        return [
            [
                Interval(low, high, self.level, Estimand.BENCHMARK)
                for low, high in zip(lows.tolist(), highs.tolist(), strict=True)
            ]
            for lows, highs in ends
        ]

    def _whole_ends(self, metric: CountMetric, data: Any) -> tuple[Array, Array]:
        """Quantiles of the whole distribution, for each system."""
        shares = np.array([0.5 * (1.0 - self.level), 0.5 * (1.0 + self.level)])
        ends = [quantiles(spread, shares) for spread in score_posterior(metric, data, self.prior)]
        low, high = np.clip(ends, *metric.bounds).T
        return low, high

    def describe(
        self,
        metrics: Sequence[CountMetric],
        systems: Sequence[AnyCounts] = (),  # noqa: ARG002  whatever they are
        *,
        within: bool = True,  # noqa: ARG002  whatever they are
    ) -> str:
        """Name the method of the intervals.

        Examples
        --------
        >>> from errbar.metrics import PassAt
        >>> Posterior().describe([PassAt(8)])
        'normal interval around the posterior mean, Beta(1, 1) prior for every question'
        """
        priors = " or ".join(dict.fromkeys(self._prior_of(metric) for metric in metrics))
        observed = any(isinstance(metric, OutcomeMean) for metric in metrics)
        but = " (avg: around the observed mean)" if observed else ""
        kind = "normal interval around the posterior mean"
        if self.ends == "whole":
            kind = "interval between quantiles of the whole posterior distribution"
        return f"{kind}{but}, {priors} prior for every question"

    def _prior_of(self, metric: CountMetric) -> str:
        if not isinstance(metric, CategoryMetric):
            return f"Beta({self.prior.right:g}, {self.prior.wrong:g})"
        each = ", ".join([f"{self.prior.each:g}"] * len(metric.weights))
        return f"Beta({each})" if len(metric.weights) == 2 else f"Dirichlet({each})"


def _why_alone(metric: CountMetric, counts: AnyCounts) -> str:
    """The reason why there is no observed value; empty if there is one."""
    few = int((counts.trials < metric.draws) @ counts.repeats())
    if not few:
        return ""
    return f"{few} of {len(counts)} questions have fewer trials; from the posterior alone"


def _observed_estimates(
    members: list[CountMetric], systems: Sequence[AnyCounts], data: Any
) -> NDArray[np.floating[Any]]:
    """Estimates from the observed trials; nan where a metric draws more than there are."""
    kind = type(members[0])
    least = [int(counts.trials.min()) for counts in systems]
    if all(member.draws <= min(least) for member in members):
        return kind.observed(members, data)
    values = np.full((len(members), len(systems)), math.nan)
    for at, (counts, most) in enumerate(zip(systems, least, strict=True)):
        fine = [row for row, member in enumerate(members) if member.draws <= most]
        if fine:
            drawn = [members[row] for row in fine]
            values[fine, at] = kind.observed(drawn, kind.statistics([counts]))[:, 0]
    return values
