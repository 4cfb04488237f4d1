"""Curves of ranked items with intervals, and systems compared where all of them answer."""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.analysis.methods.bootstrap import (
    Bootstrap,
    Replicates,
    generator_of,
    require_bootstrap,
)
from errbar.analysis.selective import ranked_metric
from errbar.base.arrays import Array, Seed
from errbar.data.predictions import Arranged, Predictions, Resampling, Totals
from errbar.data.queries.ranked_rows import RankedRows
from errbar.data.queries.ranked_totals import Grouped
from errbar.data.scored import Scored
from errbar.errors import InputError, UnequalCoverage, WrongType
from errbar.kernels import risk_coverage as kernel
from errbar.kernels import risk_coverage as ranked
from errbar.kernels import roc
from errbar.kernels.interval import share_ends
from errbar.kernels.resample import joint_clusters
from errbar.metrics.ranked import Augrc, Aurc, RankedMetric, RiskAt
from errbar.results.curves import Band, BandPoint, MatchedCoverage, MatchedRow, area_name
from errbar.results.estimate import Estimand, Interval, Subject

_POINTS = 50  # of a curve


def risk_bands(
    data: Mapping[Subject, Predictions | Grouped], method: Bootstrap, rng: Seed
) -> list[Band]:
    """The selective risk of every system over the coverages that it reaches; none may reach any.

    In a resample that answers less than a coverage, the risk there is that of all it answers.
    """
    return [_risk_band(of, one, method, rng) for of, one in data.items()]


def _risk_band(of: Subject, data: Predictions | Grouped, method: Bootstrap, rng: Seed) -> Band:
    arranged, reach = data.arranged(), data.coverage
    if not reach:
        return Band(of, (), 0.0)
    at = reach * np.arange(1, _POINTS + 1) / _POINTS

    def measure(weights: NDArray[Any]) -> Array:
        totals = arranged.totals(weights, with_oracle=False)
        upto = np.stack([ranked.reach(coverage, totals.total) for coverage in at.tolist()], axis=1)
        return ranked.risks_at(totals.items, totals.loss, upto).T

    return Band(of, _resampled(at, measure, arranged, method, rng), reach)


def roc_bands(data: Mapping[Subject, Scored | Grouped], method: Bootstrap, rng: Seed) -> list[Band]:
    """The true positive rate of every system over the false positive rate."""
    return [_roc_band(of, one, method, rng) for of, one in data.items()]


def _roc_band(of: Subject, data: Scored | Grouped, method: Bootstrap, rng: Seed) -> Band:
    arranged = data.by_class()
    at = np.linspace(0.0, 1.0, _POINTS + 1)

    def measure(weights: NDArray[Any]) -> Array:
        return roc.true_rates(*arranged.classes(weights), at).T

    points = _resampled(at, measure, arranged, method, rng)
    end = Interval(1.0, 1.0, method.level, Estimand.POPULATION)
    return Band(of, (*points[:-1], BandPoint(1.0, 1.0, end)))  # where every curve ends


def _resampled(
    at: Array,
    measure: Callable[[NDArray[Any]], Array],
    arranged: Resampling,
    method: Bootstrap,
    rng: Seed,
) -> tuple[BandPoint, ...]:
    replicates = method.run(measure, arranged.units, arranged.rows, generator_of(rng))
    spreads = [replicates.spread(place, method) for place in range(at.size)]
    return tuple(
        BandPoint(x, one.value, one.interval) for x, one in zip(at.tolist(), spreads, strict=True)
    )


def reliability(
    data: Mapping[Subject, RankedRows | Grouped], bins: int, level: float
) -> list[Band]:
    """How often answers are right, over how sure the system was: bins of equally many answers."""
    if bins < 1:
        raise InputError(f"there must be 1 bin at least; got bins={bins!r}.")
    return [_reliability(of, one, bins, level) for of, one in data.items()]


def _reliability(of: Subject, rows: RankedRows | Grouped, bins: int, level: float) -> Band:
    confidence, right, cluster = rows.answers()
    sure = confidence.astype(float)
    if not sure.size:
        raise InputError(f"{of or 'the system'} answered no item; there is no calibration to draw.")
    outside = sure[(sure < 0) | (sure > 1)]
    if outside.size:
        raise InputError(
            f"calibration compares confidences with shares, so they must lie between 0 and 1; "
            f"{of or 'the system'} has {outside[0]:.6g}. Turn them into chances first."
        )
    edges = np.unique(np.quantile(sure, np.linspace(0.0, 1.0, bins + 1)))
    which = np.clip(np.searchsorted(edges, sure, side="left") - 1, 0, max(edges.size - 2, 0))
    points = []
    for one in np.unique(which).tolist():
        some = which == one
        share = float(right[some].mean())
        ends = share_ends(share, _worth(right[some] - share, share, cluster[some]), level)
        interval = Interval(*ends, level, Estimand.POPULATION)
        points.append(BandPoint(float(sure[some].mean()), share, interval, int(some.sum())))
    return Band(of, tuple(points))


def _worth(apart: Array, share: float, clusters: NDArray[Any]) -> float:
    """How many independent items tell as much of a share as these, which come in clusters."""
    _, owner = np.unique(clusters, return_inverse=True)
    sums = np.bincount(owner, weights=apart)
    if share in (0.0, 1.0) or sums.size < 2:
        return float(sums.size)
    variance = sums.size / (sums.size - 1) * float(sums @ sums) / apart.size**2
    return (
        min(float(apart.size), max(share * (1.0 - share) / variance, 1.0))
        if variance
        else (float(apart.size))
    )


_DEFAULT = Bootstrap()
_QUARTERS = (0.25, 0.5, 0.75)  # of the common coverage, where no coverage is asked for


def compare(
    systems: Mapping[str, Predictions],
    *metrics: RankedMetric | str,
    coverages: Sequence[float] | None = None,
    method: Bootstrap = _DEFAULT,
    rng: np.random.Generator | int,
) -> MatchedCoverage:
    """Risks at common coverages and areas up to the common coverage, of every pair of systems.

    `coverages` are quarters of the common one unless given; `metrics` are compared beside them.

    Examples
    --------
    >>> a = Predictions([0.9, 0.8, 0.7, 0.6] * 12, [0, 0, 0, 1] * 12)
    >>> b = Predictions([0.9, 0.8, 0.7, 0.6] * 12, [0, 1, 1, 0] * 12)
    >>> [row.verdict for row in compare({"a": a, "b": b}, coverages=[0.5], rng=0).rows]
    ['a is lower', 'a is lower', 'a is lower']
    """
    require_bootstrap(method)
    clusters = _check(systems)
    reach = {name: data.coverage for name, data in systems.items()}
    common = min(reach.values())
    if common == 0:
        nobody = min(reach, key=lambda name: reach[name])
        raise InputError(f"{nobody!r} answered no item; there is no coverage to compare at.")
    asked = _asked(metrics, coverages, common, reach)
    names = [*(str(metric) for metric in asked), *(area_name(k, common) for k in (Aurc, Augrc))]
    arranged = [Arranged(data, clusters) for data in systems.values()]

    def measure(weights: NDArray[Any]) -> Array:
        oracle = any(metric.with_oracle for metric in asked)
        totals = [one.totals(weights, with_oracle=oracle) for one in arranged]
        return np.stack(
            [*(m.measure(one) for m in asked for one in totals), *_common_areas(totals)]
        )

    rows = max(one.rows for one in arranged)
    number = int(clusters.max()) + 1
    unit = "item" if len(clusters) == 1 else "cluster"
    replicates = method.run(measure, number, rows, rng, unit=unit)
    pairs = combinations(range(len(systems)), 2)
    return MatchedCoverage(
        tuple(
            _row(name, list(systems), pair, replicates, at * len(systems), method)
            for pair in pairs
            for at, name in enumerate(names)
        ),
        reach,
        common,
        len(clusters),
        number,
        method.describe(),
    )


def _row(
    metric: str,
    systems: list[str],
    pair: tuple[int, int],
    replicates: Replicates,
    start: int,
    method: Bootstrap,
) -> MatchedRow:
    one, other = pair
    spread = replicates.less(start + one, start + other).spread(0, method)
    value, against = replicates.whole[[start + one, start + other]].tolist()
    return MatchedRow(metric, systems[one], systems[other], value, against, *spread)


def _common_areas(totals: Sequence[Totals]) -> list[Array]:
    """Areas up to the coverage that all reach, which may differ from resample to resample."""
    upto = np.min([one.items.sum(axis=-1) for one in totals], axis=0).astype(float)
    return [
        *(kernel.mean_selective_risk(one.items, one.loss, upto) for one in totals),
        *(kernel.mean_generalized_risk(one.items, one.loss, one.total, upto) for one in totals),
    ]


def _asked(
    metrics: Sequence[RankedMetric | str],
    coverages: Sequence[float] | None,
    common: float,
    reach: Mapping[str, float],
) -> list[RankedMetric]:
    asked: list[RankedMetric] = []
    for one in metrics:
        metric = ranked_metric(one)
        if metric.whole and len(set(reach.values())) > 1:
            warnings.warn(
                f"{metric} up to different largest coverages favours the system that answers "
                f"least; "
                f"{metric.head}(coverage={common:.4g}) goes up to the coverage that all of "
                f"them reach.",
                UnequalCoverage,
                stacklevel=3,
            )
        asked.append(metric)
    if coverages is None:
        coverages = [float(f"{common * part:.2g}") for part in _QUARTERS]
    if not isinstance(coverages, Iterable) or isinstance(coverages, str):
        raise WrongType(f"coverages must be a list; got {coverages!r}.")
    at = [RiskAt(coverage) for coverage in coverages]
    for metric in (*asked, *at):
        if not kernel.is_reached(metric.least_coverage(), common):
            who = min(reach, key=lambda name: reach[name])
            raise InputError(
                f"{metric} is out of reach: {who!r} answered {common:.4g} of the items. Ask for "
                f"coverages up to that."
            )
    return asked + at


def _check(systems: Mapping[str, Predictions]) -> NDArray[np.intp]:
    """Same items for all; the cluster of each."""
    if not isinstance(systems, Mapping) or len(systems) < 2:
        raise InputError(
            "a comparison needs at least two systems, by name: {'a': Predictions(…), …}."
        )
    for name, data in systems.items():
        if not isinstance(data, Predictions):
            raise WrongType(f"{name!r} must be Predictions; got {type(data).__name__}.")
    first, *others = systems
    for other in others:
        if len(systems[other]) != len(systems[first]):
            raise InputError(
                f"systems are compared on the same items in the same order; {first!r} has "
                f"{len(systems[first])} and {other!r} has {len(systems[other])}."
            )
        if not _equal(systems[first].clusters, systems[other].clusters):
            raise InputError(f"{first!r} and {other!r} must have the same clusters, item by item.")
    columns = [column for data in systems.values() for column in data.columns()]
    return joint_clusters(columns, systems[first].clusters)


def _equal(one: NDArray[np.intp] | None, other: NDArray[np.intp] | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)
