"""Calibration of the confidence: stated confidence, share of right answers, and the cost."""

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, ClassVar

from errbar.base.remarks import Explanation
from errbar.base.tables import Headline, Table, interval_column, interval_title
from errbar.results.base import Measurement, Rows
from errbar.results.estimate import Band, BandPoint, Estimand, Interval, Subject, coverage_line

if TYPE_CHECKING:
    from errbar.results.pictures.picture import Picture


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """Answers of similar confidence; the intervals of all bins hold simultaneously."""

    least: float  # lowest and highest confidence
    most: float
    answers: int
    confidence: float  # the mean
    right: float  # share of right answers
    low: float
    high: float

    @property
    def is_off(self) -> bool:
        """Whether the stated confidence lies outside the interval."""
        return not self.low <= self.confidence <= self.high


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemCalibration:
    """The calibration of one system on one task."""

    of: Subject
    answers: int
    clusters: int
    confidence: float
    right: float
    excess: Measurement  # mean confidence less the share of right answers
    brier: Measurement
    miscalibration: Measurement
    discrimination: Measurement
    uncertainty: Measurement
    ece: float
    ece_by_chance: float  # its mean if nothing is miscalibrated and answers are independent
    bins: tuple[Bin, ...]
    level: float

    def record(self) -> dict[str, Any]:
        """A flat record, without the bins."""
        found: dict[str, Any] = {"system": self.of.system, "task": self.of.task}
        names = ("answers", "clusters", "confidence", "right")
        found |= {name: getattr(self, name) for name in names}
        for name in ("excess", "brier", "miscalibration", "discrimination", "uncertainty"):
            own = getattr(self, name)
            found |= {name: own.value, f"{name}_low": own.low, f"{name}_high": own.high}
        off = sum(each.is_off for each in self.bins)
        shares = {"ece": self.ece, "ece_by_chance": self.ece_by_chance}
        return {**found, **shares, "bins": len(self.bins), "bins_off": off, "level": self.level}

    def band(self) -> Band:
        """The bins as a curve with simultaneous intervals."""
        points = (
            BandPoint(
                each.confidence,
                each.right,
                Interval(each.low, each.high, self.level, Estimand.POPULATION),
                each.answers,
            )
            for each in self.bins
        )
        return Band(self.of, tuple(points))

    @property
    def is_off(self) -> bool:
        """Whether a bin or the average is significantly miscalibrated."""
        return any(each.is_off for each in self.bins) or not self.excess.holds(0.0)

    def verdict(self) -> str:
        """Whether the confidence is miscalibrated, and where most."""
        name = str(self.of) or "The confidence"
        numbers = f"it says {self.confidence:.2f} on average, and {self.right:.2f} are right"
        if not self.is_off:
            return f"{name} shows no miscalibration: {numbers}"
        off = [each for each in self.bins if each.is_off]
        if not off:
            word = "overconfident" if self.excess.value > 0.0 else "underconfident"
            return f"{name} is {word}: {numbers}"
        over = {each.confidence > each.right for each in off}
        word = (
            "miscalibrated" if len(over) > 1 else f"{'over' if True in over else 'under'}confident"
        )
        worst = max(off, key=lambda each: abs(each.confidence - each.right))
        return (
            f"{name} is {word}: where it says {worst.least:.2f} to {worst.most:.2f}, "
            f"{worst.right:.2f} are right ({worst.low:.2f} to {worst.high:.2f})"
        )


_MEANINGS = (
    "excess: mean confidence less the share of right answers; above 0 is overconfident.",
    "Brier = uncertainty + miscalibration − discrimination (CORP: isotonic recalibration). "
    "miscalibration: what recalibrating would gain; discrimination: what the recalibrated "
    "confidence gains over stating the share of right answers each time. Their values are fitted "
    "to these answers and so never too small; lower ends come from recalibration learned on other "
    "answers (ten folds). They hold if a higher confidence never means fewer right answers.",
    "Intervals of bins hold together (Bonferroni); * marks bins whose stated confidence lies "
    "outside.",
    "ece: mean distance of confidence and share of right answers over these bins. It grows with "
    "the number of bins and is above 0 without any miscalibration: by chance says how large it "
    "would then be for independent answers.",
)


@dataclass(frozen=True, slots=True, repr=False)
class Calibration(Rows[SystemCalibration]):
    """The calibration of all systems."""

    method: str = ""
    remarks: tuple[str, ...] = ()
    drops: ClassVar[tuple[str, ...]] = (
        *("ece (by chance)", "uncertainty", "task", "answers"),
        *("discrimination", "miscalibration", "brier"),
    )

    def bins(self) -> list[dict[str, Any]]:
        """A flat record per bin."""
        names = ("least", "most", "answers", "confidence", "right", "low", "high", "is_off")
        return [
            {"system": row.of.system, "task": row.of.task}
            | {name: getattr(each, name) for name in names}
            for row in self.rows
            for each in row.bins
        ]

    def columns(self) -> list[list[str]]:
        """Return the columns as text, each beginning with its head; empty columns are left out."""
        title = [interval_title(self.rows[0].level)]
        names = {
            "system": [row.of.system for row in self.rows],
            "task": [row.of.task for row in self.rows],
        }
        columns = [[name, *column] for name, column in names.items() if any(column)]
        columns += [
            ["says", *(f"{row.confidence:.3f}" for row in self.rows)],
            ["right", *(f"{row.right:.3f}" for row in self.rows)],
        ]
        for name in ("excess", "brier", "miscalibration", "discrimination"):
            numbers = (getattr(row, name).cell for row in self.rows)
            columns.append(interval_column(name, title, numbers, signed=name == "excess"))
        ece = (f"{row.ece:.3f} ({row.ece_by_chance:.3f})" for row in self.rows)
        return [
            *columns,
            ["uncertainty", *(f"{row.uncertainty.value:.3f}" for row in self.rows)],
            ["ece (by chance)", *ece],
            ["answers", *(str(row.answers) for row in self.rows)],
        ]

    def breaks(self) -> set[int]:
        """Rows that begin another system, if systems have several tasks."""
        sizes = [len(list(group)) for _, group in groupby(row.of.system for row in self.rows)]
        if max(sizes, default=1) == 1:
            return set()
        return {sum(sizes[:at]) for at in range(1, len(sizes))}

    def parts(self) -> list[Table | str]:
        """The table of systems, and one of the bins of each."""
        return [*Rows.parts(self), *(self._bins_of(row) for row in self.rows)]

    def _bins_of(self, row: SystemCalibration) -> Table:
        head, *cells = interval_column(
            "right",
            [interval_title(row.level)],
            ((each.right, each.low, each.high, 0.01) for each in row.bins),
        )
        marks = (" *" if each.is_off else "" for each in row.bins)
        who = f"{row.of}: confidence" if str(row.of) else "confidence"
        return Table(
            columns=[
                [who, *(f"{each.least:.3f} to {each.most:.3f}" for each in row.bins)],
                ["says", *(f"{each.confidence:.3f}" for each in row.bins)],
                [head, *(f"{cell}{mark}" for cell, mark in zip(cells, marks, strict=True))],
                ["answers", *(str(each.answers) for each in row.bins)],
            ]
        )

    def notes(self) -> list[str]:
        """What the columns mean, the method, and remarks on the data."""
        return [
            *map(Explanation, _MEANINGS),
            Explanation(f"Method: {self.method}."),
            *self.remarks,
        ]

    def conclusion(self) -> Headline | None:
        """The verdict on a single system, or on the one that is miscalibrated most."""
        off = [row for row in self.rows if row.is_off]
        if not off:
            claim = self.rows[0].verdict() if len(self.rows) == 1 else "No miscalibration is seen"
            return Headline(claim, ".")
        worst = max(off, key=lambda row: row.miscalibration.value).verdict()
        if len(self.rows) > 1:
            are = "is" if len(off) == 1 else "are"
            worst = f"{len(off)} of {len(self.rows)} systems {are} miscalibrated; {worst}"
        return Headline(worst, ".")

    def footer(self) -> str:
        """A line on what the intervals cover."""
        row = self.rows[0]
        interval = Interval(row.brier.low, row.brier.high, row.level, Estimand.POPULATION)
        clusters = any(each.clusters < each.answers for each in self.rows)
        return coverage_line(interval, "answers of a question or cluster together" * clusters)

    def plot(self) -> "Picture":
        """Draw the share of right answers over the confidence."""
        from errbar.results.pictures import calibration_picture  # noqa: PLC0415  an extra

        return calibration_picture([row.band() for row in self.rows])
