"""Systems that abstain, compared where all of them answer.

A risk at one system's coverage says nothing against a risk at another's. So risks are compared at
coverages that every system reaches, and areas up to the largest of those. Systems have answered
the same items: resamples draw the same clusters for all, and differences are paired.
"""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from errbar.data.ranked import Arranged, Predictions, Totals
from errbar.errors import InputError, UnequalCoverage, WrongType
from errbar.estimate import Interval
from errbar.kernels import ranked as kernel
from errbar.metrics import parse
from errbar.metrics.selective import Augrc, Aurc, RankedMetric, RiskAt
from errbar.tables import DASH, Table, html_table, percent, pointed, supported
from errbar.uncertainty.bootstrap import Bootstrap, Replicates, joint_clusters, require_bootstrap

if TYPE_CHECKING:
    from errbar.plots.picture import Picture

Array = NDArray[np.floating[Any]]

_DEFAULT = Bootstrap()
_QUARTERS = (0.25, 0.5, 0.75)  # of the common coverage, where no coverage is asked for


@dataclass(frozen=True, slots=True)
class MatchedRow:
    """One number of two systems, and their difference."""

    metric: str
    one: str
    other: str
    value: float  # of the first
    against: float  # of the second
    difference: float
    sd: float
    interval: Interval  # of the difference
    dropped: float  # share of the resamples in which it was undefined
    reason: str  # why there is no interval, if there is none

    @property
    def verdict(self) -> str:
        """Which of the two has the lower number, as far as the data can tell."""
        if self.reason:
            return "cannot tell"
        if self.interval.low > 0:
            return f"{self.other} is lower"
        if self.interval.high < 0:
            return f"{self.one} is lower"
        return "cannot tell"


@dataclass(frozen=True, slots=True, repr=False)
class MatchedCoverage:
    """Comparisons at coverages that all systems reach."""

    rows: tuple[MatchedRow, ...]
    reach: dict[str, float]  # the largest coverage of each system
    common: float  # the largest that all of them reach
    items: int
    clusters: int
    method: str

    def table(self) -> Table:
        """What is shown of them."""
        systems = [(row.one, row.other) for row in self.rows]
        breaks = {at for at in range(1, len(systems)) if systems[at] != systems[at - 1]}
        return Table(self._columns(), self.notes(), breaks)

    def plot(self) -> "Picture":
        """A picture of the differences."""
        from errbar.plots import plot  # noqa: PLC0415  an extra

        return plot(self)

    def __str__(self) -> str:
        return str(self.table())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return html_table(self._columns(), self.notes())

    def to_dicts(self) -> list[dict[str, Any]]:
        """A flat record per comparison, for a DataFrame or JSON."""
        return [
            {
                "metric": row.metric,
                "one": row.one,
                "other": row.other,
                "value": row.value,
                "against": row.against,
                "difference": row.difference,
                "sd": row.sd,
                "low": row.interval.low,
                "high": row.interval.high,
                "level": row.interval.level,
                "covers": row.interval.covers.value,
                "dropped": row.dropped,
                "verdict": row.verdict,
                "reason": row.reason,
            }
            for row in self.rows
        ]

    @property
    def verdict(self) -> str:
        """What the areas up to the common coverage say, in plain words."""
        area = _area_name(Aurc, self.common)
        last = {(row.one, row.other): row for row in self.rows if row.metric == area}
        return " ".join(self._plainly(row) for row in last.values())

    def notes(self) -> list[str]:
        """What stands under the table."""
        reaches = ", ".join(f"{name} {share:.4g}" for name, share in self.reach.items())
        together = f" in {self.clusters} clusters" if self.clusters < self.items else ""
        dropped = max(row.dropped for row in self.rows)
        notes = [
            self.verdict,
            f"{self.items} items{together}. Coverage: {reaches}; of all: {self.common:.4g}.",
            f"Lower is better{self._but()}. Method: {self.method}, the same items for all systems.",
        ]
        if len(self.reach) > 2:
            notes.append("Each interval stands for itself; they are not adjusted for their number.")
        if dropped:
            notes.append(f"Up to {percent(round(dropped, 4))} of the resamples were undefined.")
        return notes + [
            f"{row.metric}, {row.one} and {row.other}: {row.reason}."
            for row in self.rows
            if row.reason
        ]

    def _but(self) -> str:
        return ", but for cov@risk" if any("cov@" in row.metric for row in self.rows) else ""

    def _plainly(self, row: MatchedRow) -> str:
        where = f"Up to coverage {self.common:.4g}"
        if row.reason:
            return f"{where}, {row.one} and {row.other} cannot be compared: {row.reason}."
        low, high = (supported(end, row.sd) for end in (row.interval.low, row.interval.high))
        by = f"{percent(row.interval.level)} interval of the difference {low} to {high}"
        if row.verdict == "cannot tell":
            return f"{where}, the data cannot tell {row.one} and {row.other} apart ({by})."
        better, worse = (row.one, row.other) if row.difference < 0 else (row.other, row.one)
        return f"{where}, {better} risks less on average than {worse} ({by})."

    def _columns(self) -> list[list[str]]:
        rows = self.rows
        return [
            ["metric", *(row.metric for row in rows)],
            ["systems", *(f"{row.one} − {row.other}" for row in rows)],
            ["first", *pointed(supported(row.value, row.sd) for row in rows)],
            ["second", *pointed(supported(row.against, row.sd) for row in rows)],
            ["difference", *pointed(supported(row.difference, row.sd) for row in rows)],
            ["interval", *(_ends(row) for row in rows)],
            ["verdict", *(row.verdict for row in rows)],
        ]


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
    names = [*(str(metric) for metric in asked), *(_area_name(k, common) for k in (Aurc, Augrc))]
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


def _area_name(area: type[Aurc] | type[Augrc], common: float) -> str:
    return f"{area.head}(coverage={common:.4g})"


def _ends(row: MatchedRow) -> str:
    if row.reason:
        return DASH
    return " to ".join(supported(end, row.sd) for end in (row.interval.low, row.interval.high))
