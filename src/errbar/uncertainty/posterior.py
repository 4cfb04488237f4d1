"""Normal intervals around posterior means: the documented ones.

They are for these very questions, and hold their level only as far as the prior fits how the
difficulty of the questions is spread.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from errbar.errors import InputError, WrongType
from errbar.estimate import Estimand, Interval
from errbar.kernels.interval import normal_ends
from errbar.metrics.base import FLAT, CountMetric, Moments, Prior, number
from errbar.metrics.categories import Average, CategoryMetric


@dataclass(frozen=True, slots=True)
class Posterior:
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
        if not 0 < number(self.level, "level", -math.inf, math.inf) < 1:
            raise InputError(
                f"level must lie strictly between 0 and 1; got {self.level!r}. "
                f"For 95 % write level=0.95."
            )

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
