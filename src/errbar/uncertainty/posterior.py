"""Normal intervals around posterior means: the documented ones.

They are for these very questions, and hold their level only as far as the prior fits how the
difficulty of the questions is spread.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.errors import WrongType
from errbar.estimate import Estimand, Interval
from errbar.kernels.interval import normal_ends
from errbar.metrics.base import FLAT, AnyCounts, CountMetric, Moments, Needs, Prior
from errbar.metrics.categories import Average, CategoryMetric
from errbar.uncertainty.method import Cell, Method, require_level


@dataclass(frozen=True, slots=True)
class Posterior(Method):
    """Independent posteriors of the questions under one prior, and the level of the interval.

    Examples
    --------
    >>> Posterior(level=0.9)
    Posterior(prior=Prior(right=1.0, wrong=1.0, each=1.0), level=0.9)
    """

    prior: Prior = FLAT
    level: float = 0.95

    def __post_init__(self) -> None:
        if not isinstance(self.prior, Prior):
            raise WrongType(
                f"prior must be a Prior, as in Prior(right=1, wrong=1); got {self.prior!r}."
            )
        require_level(self.level)

    def cells(
        self, systems: Sequence[AnyCounts], metrics: Sequence[CountMetric]
    ) -> list[list[Cell]]:
        """A row per metric, a column per system; every class of metrics is computed once."""
        places: dict[type[CountMetric], list[int]] = {}
        for at, metric in enumerate(metrics):
            places.setdefault(type(metric), []).append(at)
        data: dict[Needs, Any] = {}  # metrics that need the same share what it is summed up to
        rows: list[list[Cell]] = [[] for _ in metrics]
        for kind, at_each in places.items():
            if kind.needs not in data:
                data[kind.needs] = kind.statistics(systems)
            members = [metrics[at] for at in at_each]
            values = _observed(members, systems, data[kind.needs])
            moments = kind.posterior(members, data[kind.needs], self.prior)
            intervals = self.intervals(members, moments)
            parts = (values.tolist(), *(part.tolist() for part in moments), intervals)
            for at, *row in zip(at_each, *parts, strict=True):
                rows[at] = [
                    Cell(value, mean, sd, interval, _why_alone(metrics[at], counts))
                    for counts, value, mean, sd, interval in zip(systems, *row, strict=True)
                ]
        return rows

    def intervals(self, metrics: Sequence[CountMetric], moments: Moments) -> list[list[Interval]]:
        """Mean ± z·sd within what each metric can be: a row per metric, a column per system."""
        return [
            [
                Interval(low, high, self.level, Estimand.BENCHMARK)
                for low, high in zip(
                    *(ends.tolist() for ends in normal_ends(mean, sd, self.level, metric.bounds)),
                    strict=True,
                )
            ]
            for metric, mean, sd in zip(metrics, *moments, strict=True)
        ]

    def describe(self, metrics: Sequence[CountMetric]) -> str:
        """How the intervals of `metrics` are made.

        Examples
        --------
        >>> from errbar.metrics import PassAt
        >>> Posterior().describe([PassAt(8)])
        'normal interval around the posterior mean, Beta(1, 1) prior for every question'
        """
        priors = " or ".join(dict.fromkeys(self._prior_of(metric) for metric in metrics))
        observed = any(isinstance(metric, Average) for metric in metrics)
        but = " (avg: around the observed mean)" if observed else ""
        return f"normal interval around the posterior mean{but}, {priors} prior for every question"

    def _prior_of(self, metric: CountMetric) -> str:
        if not isinstance(metric, CategoryMetric):
            return f"Beta({self.prior.right:g}, {self.prior.wrong:g})"
        each = ", ".join([f"{self.prior.each:g}"] * len(metric.weights))
        return f"Beta({each})" if len(metric.weights) == 2 else f"Dirichlet({each})"


def _why_alone(metric: CountMetric, counts: AnyCounts) -> str:
    """Why there is no observed value, where there is none."""
    few = int((counts.trials < metric.draws) @ counts.repeats())
    if not few:
        return ""
    return f"{few} of {len(counts)} questions have fewer trials; from the posterior alone"


def _observed(
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
