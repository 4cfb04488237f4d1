"""Intervals from posteriors: normal ones around the mean, as documented, or of the whole one.

They are for these very questions, and hold their level only as far as the prior fits how the
difficulty of the questions is spread.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from errbar.errors import InputError, WrongType
from errbar.estimate import Estimand, Interval
from errbar.kernels.interval import normal_ends
from errbar.kernels.lattice import quantiles
from errbar.metrics.base import FLAT, Array, CountMetric, Moments, Prior, number
from errbar.metrics.categories import Average, CategoryMetric
from errbar.metrics.whole import whole


@dataclass(frozen=True, slots=True)
class Posterior:
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
        if not 0 < number(self.level, "level", -math.inf, math.inf) < 1:
            raise InputError(
                f"level must lie strictly between 0 and 1; got {self.level!r}. "
                f"For 95 % write level=0.95."
            )

        if self.ends not in ("normal", "whole"):
            raise InputError(f"ends must be 'normal' or 'whole'; got {self.ends!r}.")

    def intervals(
        self, metrics: Sequence[CountMetric], moments: Moments, data: Any
    ) -> list[list[Interval]]:
        """Within what each metric can be: a row per metric, a column per system.

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
        ends = [quantiles(spread, shares) for spread in whole(metric, data, self.prior)]
        low, high = np.clip(ends, *metric.bounds).T
        return low, high

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
        kind = "normal interval around the posterior mean"
        if self.ends == "whole":
            kind = "interval between quantiles of the whole posterior distribution"
        return f"{kind}{but}, {priors} prior for every question"

    def _prior_of(self, metric: CountMetric) -> str:
        if not isinstance(metric, CategoryMetric):
            return f"Beta({self.prior.right:g}, {self.prior.wrong:g})"
        each = ", ".join([f"{self.prior.each:g}"] * len(metric.weights))
        return f"Beta({each})" if len(metric.weights) == 2 else f"Dirichlet({each})"
