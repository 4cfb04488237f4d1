"""Bootstrap intervals of ranked items: items, or clusters of items, are resampled.

A resample is a row of weights, the same for every system and metric, so differences are paired.
Resamples in which a number is undefined are left out, counted and reported.

The interval of a single number is that of the Bayesian bootstrap (Rubin 1981) with one unseen item,
or cluster: Gaffke's bound for means (`kernels.bounded_mean`), extended to areas. Each draw is
evaluated twice, with the unseen item at its worst and at its best. The ends are a low quantile of
the lower values and a high quantile of the higher ones. Differences are drawn in the same way
(`analysis.item_pairs`); curves are resampled without it.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from errbar.base.arguments import require_choice, strict_share
from errbar.base.arrays import Array
from errbar.data.predictions import RankedSample, Resampling
from errbar.errors import InputError, WrongType
from errbar.kernels import resample
from errbar.kernels.interval import bca_ends, outer_ends, percentile_ends
from errbar.kernels.risk_coverage import rounded_difference
from errbar.metrics.confidence import RankedMetric, RocAuc
from errbar.results.estimate import Estimand, Interval, RankedEstimate

# weights, a row per resample → numbers, a column per resample
Measure = Callable[[NDArray[Any]], Array]

# weights, and those of the unseen items in columns → the worst and the best numbers
Extremes = Callable[[NDArray[Any], NDArray[Any]], tuple[Array, Array]]
Sizes = tuple[tuple[Array, Array], ...]  # of each unseen item: distinct sizes, how often each
EndMethod = Literal["unseen", "bca", "percentile"]

_ROUNDING = 1e-12  # relative: resamples that differ by less are equal
_FEWEST, _MOST = 100, 1_000_000  # fewer resamples give no useful ends, more do not fit in memory


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """The bootstrap: number of resamples, level, and kind of interval.

    With 10,000 resamples the Monte Carlo error of a 95% end is 0.7% of the width (one standard
    deviation). "unseen" is the Bayesian bootstrap with an unseen item or cluster at its worst and
    at its best. "bca" (Efron 1987) and "percentile" take the items at hand for all there can be:
    they are narrower, and assume that no rare confident failure is missing from the data.

    Examples
    --------
    >>> Bootstrap(level=0.9)
    Bootstrap(resamples=10000, level=0.9, ends='unseen')
    """

    resamples: int = 10_000
    level: float = 0.95
    ends: EndMethod = "unseen"

    def __post_init__(self) -> None:
        if isinstance(self.resamples, bool) or not isinstance(self.resamples, int | np.integer):
            raise WrongType(f"resamples must be an integer; got {self.resamples!r}.")
        if not _FEWEST <= self.resamples <= _MOST:
            raise InputError(
                f"resamples must lie between {_FEWEST} and {_MOST:,}; got {self.resamples!r}."
            )
        strict_share(self.level, "level")
        require_choice(self.ends, "ends", get_args(EndMethod))

    def describe(self) -> str:
        """Describe the method in words."""
        if self.ends == "unseen":
            return f"Bayesian bootstrap with one unseen item or cluster, {self.resamples} draws"
        ends = {"bca": "BCa", "percentile": "percentile"}[self.ends]
        return f"{ends} bootstrap, {self.resamples} resamples"

    @property
    def without_unseen(self) -> "Bootstrap":
        """The bootstrap without an unseen item, for curves and "probably better"."""
        return replace(self, ends="bca") if self.ends == "unseen" else self

    def run(
        self,
        measure: Measure,
        clusters: int,
        rows: int,
        rng: np.random.Generator | int,
    ) -> "Replicates":
        """Evaluate `measure` on resamples, and on the data without each cluster (jackknife)."""
        require_several(clusters)
        generator = generator_of(rng)
        whole = measure(np.ones((1, clusters)))[:, 0]
        drawn = _join_extremes(
            measure, resample.bootstrap_weights(clusters, self.resamples, rows, generator)
        )
        left_out = (
            _join_extremes(measure, resample.jackknife_weights(clusters, rows))
            if self.ends == "bca"
            else np.empty((len(whole), 0))
        )
        return Replicates(whole, drawn, left_out)


# Of curves and "probably better": the Monte Carlo error of a standard deviation is 1/√(2·2000) of
# it, 1.6%, and that of a 95% end about as much of the width.
SEEN = Bootstrap(2000, ends="bca")


class UnseenItems(NamedTuple):
    """The effect of unseen items, or clusters, on a number, and their possible sizes.

    One item is unseen; for ROC, one positive and one negative.
    """

    extremes: Extremes
    sizes: Sizes
    often: Array | None = None  # how many items each unit stands for; None if for itself
    at_once: int | None = None  # draws measured together; None for as many as fit in the cache
    value: float | None = None  # observed value; None: computed by `measure`


class Replicates(NamedTuple):
    """Statistics of the data, of each resample, and of the data without each cluster."""

    whole: Array
    drawn: Array
    left_out: Array

    def less(self, first: int, second: int) -> "Replicates":
        """The difference of two statistics."""
        return Replicates(*(rounded_difference(part[[first]], part[[second]]) for part in self))

    def spread(self, at: int, method: Bootstrap) -> "StatisticSpread":
        """Standard deviation and interval of one statistic."""
        value, drawn = float(self.whole[at]), self.drawn[at]
        kept = drawn[np.isfinite(drawn)]
        dropped = drawn.size - kept.size
        reason = _reason(value, kept, dropped, drawn.size)
        if reason:
            without = StatisticSpread.unknown(value, method.level, reason)
            return without._replace(dropped=dropped / drawn.size)
        low, high = (
            percentile_ends(kept, method.level)
            if method.ends == "percentile"
            else bca_ends(value, kept, self.left_out[at], method.level)
        )
        interval = Interval(low, high, method.level, Estimand.POPULATION)
        return StatisticSpread(value, float(kept.std(ddof=1)), interval, dropped / drawn.size, "")


class StatisticSpread(NamedTuple):
    """A statistic with its standard deviation and interval."""

    value: float
    sd: float
    interval: Interval
    dropped: float  # share of the resamples that left it undefined
    reason: str  # why there is no interval, if there is none

    @classmethod
    def unknown(cls, value: float, level: float, reason: str) -> "StatisticSpread":
        """A statistic without an interval, with the reason."""
        nowhere = Interval.unknown(level, Estimand.POPULATION)
        return cls(value, math.nan, nowhere, 0.0, reason)


class Gap(NamedTuple):
    """Two statistics, and the spread of their difference."""

    value: float
    against: float
    difference: StatisticSpread

    def score(self, shift: float = 0.0) -> float:
        """Evidence that the difference exceeds a shift, in standard deviations."""
        mean, sd, _, _, reason = self.difference
        return math.nan if reason or not sd else (mean - shift) / sd


def _unseen_spread(
    value: float,
    unseen: UnseenItems,
    arranged: Resampling,
    method: Bootstrap,
    rng: np.random.Generator | int,
) -> StatisticSpread:
    """Spread of the draws of the Bayesian bootstrap, with unseen items at their worst and best."""
    draws = unseen_draws(
        *(arranged.units, arranged.rows, unseen.sizes, method.resamples, rng),
        often=unseen.often,
        at_once=unseen.at_once,
    )
    drawn = np.concatenate([np.sort(unseen.extremes(*some), axis=0) for some in draws], axis=1)
    low, high = kept = drawn[:, np.isfinite(drawn).all(axis=0)]
    dropped = method.resamples - low.size
    share = dropped / method.resamples
    reason = _reason(value, kept, dropped, method.resamples)
    if reason:
        return StatisticSpread.unknown(value, method.level, reason)._replace(dropped=share)
    ends = outer_ends(low, high, method.level)
    interval = Interval(*ends, method.level, Estimand.POPULATION)
    return StatisticSpread(value, float(max(low.std(), high.std())), interval, share, "")


def unseen_draws(
    units: int,
    rows: int,
    sizes: Sizes,
    draws: int,
    rng: np.random.Generator | int,
    *,
    often: Array | None = None,
    at_once: int | None = None,
) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Weights of the Bayesian bootstrap, and those of unseen items, a column for each."""
    generator = generator_of(rng)
    spare = max(2, len(sizes))  # a single unseen item has the first of two columns
    shapes = None if often is None else np.concatenate([often, np.ones(spare)])
    size = at_once or resample.block_size(max(rows, units + spare))
    for weights in resample.exponential_weights(units + spare, draws, size, generator, shapes):
        shape = (len(weights),)
        each = [resample.unseen_sizes(*known, shape, generator) for known in sizes]
        yield weights[:, :units], weights[:, units : units + len(each)] * np.stack(each, axis=1)


def _reason(value: float, kept: Array, dropped: int, resamples: int) -> str:
    if math.isnan(value):
        return "undefined on the data themselves"
    if dropped > resamples // 2:
        return f"undefined in {dropped} of {resamples} resamples"
    if kept.max() - kept.min() <= _ROUNDING * abs(value):
        return "every resample gives the same number, so there is no spread to estimate"
    return ""


def require_several(clusters: int, unit: str = "cluster") -> None:
    """Refuse to resample a single cluster or item, which shows no variation."""
    if clusters < 2:
        raise InputError(f"a single {unit} cannot be resampled.")


def _join_extremes(measure: Measure, weights: Iterator[NDArray[Any]]) -> Array:
    return np.concatenate([measure(some) for some in weights], axis=1)


def resampled_estimate(
    metric: RankedMetric | RocAuc,
    sample: RankedSample,
    measure: Measure,
    unseen: UnseenItems,
    arranged: Resampling,
    method: Bootstrap,
    rng: np.random.Generator | int,
) -> RankedEstimate:
    """The first statistic of `measure` with its interval, and what was resampled."""
    require_several(arranged.units, sample.unit)
    if method.ends == "unseen":
        often = np.ones(arranged.units) if unseen.often is None else unseen.often
        value = float(measure(often[None, :])[0, 0]) if unseen.value is None else unseen.value
        spread = _unseen_spread(value, unseen, arranged, method, rng)
    else:
        spread = method.run(measure, arranged.units, arranged.rows, rng).spread(0, method)
    return RankedEstimate(
        metric=metric,
        value=spread.value,
        sd=spread.sd,
        interval=spread.interval,
        items=len(sample),
        clusters=sample.cluster_count,
        dropped=spread.dropped,
        reason=spread.reason,
        groups=sample.group_count,
        bin_error=sample.bin_error(metric.bin_error),
    )


def generator_of(rng: np.random.Generator | int) -> np.random.Generator:
    """A random number generator, or a new one from a seed."""
    if isinstance(rng, np.random.Generator):
        return rng
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer):
        raise WrongType(f"rng must be a seed or a numpy.random.Generator; got {rng!r}.")
    if rng < 0:
        raise InputError(f"a seed must not be negative; got rng={rng!r}.")
    return np.random.default_rng(rng)


def require_bootstrap(method: object) -> None:
    """Refuse a method other than a bootstrap."""
    if not isinstance(method, Bootstrap):
        raise WrongType(f"method must be a Bootstrap, as in Bootstrap(level=0.9); got {method!r}.")
