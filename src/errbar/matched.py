"""Systems that abstain, compared where all of them answer.

A risk at one system's coverage says nothing against a risk at another's. So risks are compared at
coverages that every system reaches, and areas up to the largest of those. Systems have answered
the same items: resamples draw the same clusters for all, and differences are paired.
"""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.data.ranked import Arranged, Predictions, Totals
from errbar.errors import InputError, UnequalCoverage, WrongType
from errbar.kernels import ranked as kernel
from errbar.matched_values import MatchedCoverage, MatchedRow, area_name
from errbar.metrics import parse
from errbar.metrics.selective import Augrc, Aurc, RankedMetric, RiskAt
from errbar.uncertainty.bootstrap import Bootstrap, Replicates, joint_clusters, require_bootstrap

Array = NDArray[np.floating[Any]]

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
    if number < 2:
        unit = "item" if len(clusters) == 1 else "cluster"
        raise InputError(f"one {unit} alone cannot be resampled.")
    replicates = method.run(measure, number, rows, rng)
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
        metric = parse(one) if isinstance(one, str) else one
        if not isinstance(metric, RankedMetric):
            raise WrongType(f"{one!s} is not a metric of ranked predictions, such as risk@0.5.")
        if metric.whole and len(set(reach.values())) > 1:
            warnings.warn(
                f"{metric} up to different largest coverages favours who answers least; "
                f"{metric.head}(coverage={common:.4g}) is up to what all of them reach.",
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
        if metric.least_coverage() > common * (1 + kernel.SNAP):
            who = min(reach, key=lambda name: reach[name])
            raise InputError(
                f"{metric} is out of reach: {who!r} answered {common:.4g} of the items. Ask for "
                f"coverages up to that."
            )
    return asked + at


def _check(systems: Mapping[str, Predictions]) -> NDArray[np.intp]:
    """Same items for all; the cluster of each."""
    if not isinstance(systems, Mapping) or len(systems) < 2:
        raise InputError("two systems at least are compared, by name: {'a': Predictions(…), …}.")
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
