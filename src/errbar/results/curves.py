"""Curves of ranked items with pointwise intervals, and comparisons at matched coverage."""

import math
from dataclasses import dataclass
from typing import Any

from errbar.base.tables import DASH, percent, pointed, supported
from errbar.metrics.ranked import Augrc, Aurc
from errbar.results.base import Result
from errbar.results.comparison import INCONCLUSIVE
from errbar.results.estimate import Interval, Subject


@dataclass(frozen=True, slots=True)
class BandPoint:
    """A point of a curve; its interval is nan where resampling gives none."""

    x: float
    value: float
    interval: Interval
    items: int = 0  # number of items behind this point, if it varies


@dataclass(frozen=True, slots=True)
class Band:
    """A curve of one system and task."""

    of: Subject
    points: tuple[BandPoint, ...]
    reach: float = 1.0  # largest coverage


def lacks_intervals(band: Band) -> bool:
    """Whether some points of the curve have no interval."""
    return any(math.isnan(point.interval.low) for point in band.points)


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
        """The system with the significantly lower number."""
        if self.reason:
            return INCONCLUSIVE
        if self.interval.low > 0:
            return f"{self.other} is lower"
        if self.interval.high < 0:
            return f"{self.one} is lower"
        return INCONCLUSIVE


@dataclass(frozen=True, slots=True, repr=False)
class MatchedCoverage(Result):
    """Comparisons at coverages that all systems reach."""

    rows: tuple[MatchedRow, ...]
    reach: dict[str, float]  # the largest coverage of each system
    common: float  # the largest that all of them reach
    items: int
    clusters: int
    method: str

    def breaks(self) -> set[int]:
        """Rows that begin another pair of systems."""
        systems = [(row.one, row.other) for row in self.rows]
        return {at for at in range(1, len(systems)) if systems[at] != systems[at - 1]}

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
        """Conclusion from the areas up to the common coverage, in sentences."""
        area = area_name(Aurc, self.common)
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
            notes.append("Intervals are not adjusted for their number.")
        if dropped:
            notes.append(f"Up to {percent(round(dropped, 4))} of the resamples were undefined.")
        return notes + [
            f"{row.metric}, {row.one} and {row.other}: {row.reason}."
            for row in self.rows
            if row.reason
        ]

    def _but(self) -> str:
        return ", except for cov@risk" if any("cov@" in row.metric for row in self.rows) else ""

    def _plainly(self, row: MatchedRow) -> str:
        where = f"Up to coverage {self.common:.4g}"
        if row.reason:
            return f"{where}, {row.one} and {row.other} cannot be compared: {row.reason}."
        low, high = (supported(end, row.sd) for end in (row.interval.low, row.interval.high))
        by = f"{percent(row.interval.level)} interval of the difference {low} to {high}"
        if row.verdict == INCONCLUSIVE:
            return f"{where}, {row.one} against {row.other} is inconclusive ({by})."
        better, worse = (row.one, row.other) if row.difference < 0 else (row.other, row.one)
        return f"{where}, {better} has a lower mean risk than {worse} ({by})."

    def columns(self) -> list[list[str]]:
        """Columns as text, each beginning with its head."""
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


def area_name(area: type[Aurc] | type[Augrc], common: float) -> str:
    """Name of the area up to the common coverage, as in the table."""
    return f"{area.head}(coverage={common:.4g})"


def _ends(row: MatchedRow) -> str:
    if row.reason:
        return DASH
    return " to ".join(supported(end, row.sd) for end in (row.interval.low, row.interval.high))
