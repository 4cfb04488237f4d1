"""Results of comparing two systems, and tables of such comparisons."""

import math
from dataclasses import dataclass
from typing import Any

from errbar.base.tables import DASH, counted, percent, printable, supported
from errbar.metrics.base import Direction, Metric
from errbar.results.base import Rows
from errbar.results.estimate import Interval

INCONCLUSIVE = "inconclusive"
_LEAST_SHOWN, _LEAST_CHANCE = 1e-4, 1e-3  # smaller p-values and chances print as "< 0.0001"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One metric of two systems on the same questions; differences are first minus second."""

    metric: Metric
    task: str
    one: str
    other: str
    value: float  # of the first, on the questions of both
    against: float  # of the second
    difference: float
    sd: float
    interval: Interval  # of the difference; simultaneous over all comparisons of a table
    p_value: float  # two-sided, of this comparison alone
    adjusted: float  # p-value adjusted for the number of comparisons
    chance: float  # probability that the first is better
    wins: int  # questions on which the first is better
    ties: int
    losses: int
    probable: float = math.nan  # adjusted p-value that assumes no rare failures
    undone_by: int = 0  # outright losses among new questions that would undo "probably better"
    left_out: int = 0  # questions that only one of them has
    margin: float | None = None  # largest difference that does not matter
    no_worse: float = math.nan  # probability that the first is worse by at most the margin
    caution: str = ""  # a reason to treat the result with care
    reason: str = ""  # why there is no interval
    items: int = 0  # common ranked items, for metrics without a value per question

    @property
    def questions(self) -> int:
        """Number of common questions, or of common items for ranked metrics."""
        return self.items or self.wins + self.ties + self.losses

    @property
    def unit(self) -> str:
        """The unit of comparison: item or question."""
        return "item" if self.items else "question"

    @property
    def better(self) -> str:
        """The system that is significantly better; empty if inconclusive."""
        if not self.adjusted < 1.0 - self.interval.level:
            return ""
        return self.one if self._gain(self.difference) > 0 else self.other

    @property
    def probably_better(self) -> str:
        """The system that is better if there are no rare failures; empty if `better` is not."""
        if self.better or not self.probable < 1.0 - self.interval.level:
            return ""
        return self.one if self._gain(self.difference) > 0 else self.other

    @property
    def verdict(self) -> str:
        """Conclusion of the comparison: better, probably better or inconclusive."""
        if self.reason:
            return INCONCLUSIVE
        plainly = f"{self.better} is better" if self.better else INCONCLUSIVE
        if self.probably_better:
            plainly = f"{self.probably_better} is probably better"
        return self._beside(self.margin, plainly) if self.margin else plainly

    def _beside(self, margin: float, plainly: str) -> str:
        """Conclusion if differences up to the margin do not matter."""
        low, high = self.gain_ends
        verdicts = {
            f"{self.one} is better by more than {margin:g}": low > margin,
            f"{self.other} is better by more than {margin:g}": high < -margin,
            f"{plainly}, by less than {margin:g}": bool(self.better) and self._is_equal,
            plainly: bool(self.better),
            f"as good as each other, within {margin:g}": self._is_equal,
            f"{self.one} is no worse than {self.other}, within {margin:g}": low > -margin,
            f"{self.other} is no worse than {self.one}, within {margin:g}": high < margin,
        }
        return next((words for words, holds in verdicts.items() if holds), INCONCLUSIVE)

    @property
    def gain_ends(self) -> tuple[float, float]:
        """Interval of the improvement of the first over the second: positive is better."""
        ends = (self._gain(self.interval.low), self._gain(self.interval.high))
        return min(ends), max(ends)

    @property
    def _is_equal(self) -> bool:
        low, high = self.gain_ends
        return self.margin is not None and -self.margin < low and high < self.margin

    def _gain(self, difference: float) -> float:
        return difference if self.metric.direction is Direction.HIGHER else -difference

    def record(self) -> dict[str, Any]:
        """A flat record, for a DataFrame or JSON."""
        return {
            "task": self.task,
            "metric": str(self.metric),
            "one": self.one,
            "other": self.other,
            "value": self.value,
            "against": self.against,
            "difference": self.difference,
            "sd": self.sd,
            **self.interval.record(),
            "p_value": self.p_value,
            "adjusted": self.adjusted,
            "probable": self.probable,
            "undone_by": self.undone_by,
            "chance": self.chance,
            "wins": self.wins,
            "ties": self.ties,
            "losses": self.losses,
            "questions": self.questions,
            "left_out": self.left_out,
            "margin": self.margin,
            "no_worse": self.no_worse,
            "better": self.better,
            "probably_better": self.probably_better,
            "verdict": self.verdict,
            "caution": self.caution,
            "reason": self.reason,
        }

    @property
    def leader(self) -> str:
        """The system with the better score, whether or not significantly; the first if equal."""
        return self.other if self._gain(self.difference) < 0 else self.one

    @property
    def trailer(self) -> str:
        """The system with the worse score."""
        return self.one if self.leader == self.other else self.other

    @property
    def lead(self) -> tuple[float, float, float]:
        """By how much the leader is better, with the ends of the interval."""
        low, high = self.gain_ends
        ends = (low, high) if self.leader == self.one else (-high, -low)
        return abs(self.difference), *ends

    def lead_digits(self) -> tuple[str, str, str]:
        """The lead and the ends of its interval, to the digits that `sd` supports."""
        gap, low, high = (supported(number, self.sd) for number in self.lead)
        return gap, low, high

    def headline(self) -> tuple[str, str]:
        """The verdict in a sentence of two parts: the claim, and the numbers behind it."""
        if self.reason:
            return "No verdict", f": {self.one} against {self.other}: {self.reason}."
        gap, low, high = self.lead_digits()
        by = f"by {gap} {self.metric} ({self.interval.title} {low} to {high})"
        if self.better:
            return f"{self.leader} beats {self.trailer}", f" {by}."
        if self.probably_better:
            claim = f"{self.leader} is probably better than {self.trailer}"
            return claim, f" {by}, assuming no rare failures."
        if not self.difference:
            return "Inconclusive", f": {self.one} and {self.other} have the same {self.metric}."
        return "Inconclusive", f": {self.leader} leads {self.trailer} {by}."

    def __str__(self) -> str:
        return printable(f"{self.metric}: {self._sentence()}")

    def _sentence(self) -> str:
        title = self.interval.title
        if self.better and not self.margin and not self.reason:
            low, high = self.gain_ends
            worse = self.other if self.better == self.one else self.one
            ends = (low, high) if self.better == self.one else (-high, -low)
            gap, low_text, high_text = (
                supported(number, self.sd) for number in (abs(self.difference), *ends)
            )
            return f"{self.better} beats {worse} by {gap} ({title} {low_text} to {high_text})"
        gap, low_text, high_text = (
            supported(number, self.sd)
            for number in (self.difference, self.interval.low, self.interval.high)
        )
        known = f"{title} {low_text} to {high_text}"
        interval = f"no interval: {self.reason}" if self.reason else known
        return f"{self.one} vs {self.other}: {self.verdict} ({gap}, {interval})"


@dataclass(frozen=True, slots=True, repr=False)
class Comparisons(Rows[Comparison]):
    """Comparisons whose intervals are simultaneous at their level."""

    method: str
    remarks: tuple[str, ...] = ()
    together: int = 1  # number of comparisons that they are adjusted for

    def to_dicts(self) -> list[dict[str, Any]]:
        """A flat record per comparison, for a DataFrame or JSON."""
        return [row.record() for row in self.rows]

    def columns(self) -> list[list[str]]:
        """Return the columns as text, each beginning with its head; empty columns are left out."""
        gap, low, high = self.columns_of("difference")
        ends = [
            DASH if row.reason else f"{left} to {right}"
            for row, left, right in zip(self, low, high, strict=True)
        ]
        levels = {percent(row.interval.level) for row in self}
        columns = [
            ["task", *(row.task for row in self)],
            ["metric", *(str(row.metric) for row in self)],
            ["systems", *(f"{row.one} − {row.other}" for row in self)],
            ["difference", *gap],
            [f"{' or '.join(sorted(levels))} interval", *ends],
            ["P(better)", *(share_text(row.chance) for row in self)],
            ["p", *(_p(row.adjusted) for row in self)],
            ["win/tie/loss", *(_tally(row) for row in self)],
            ["verdict", *(row.verdict for row in self)],
            ["caution", *(row.caution for row in self)],
        ]
        return [column for column in columns if any(column[1:])]

    def tally(self, baseline: str | None = None) -> str:
        """How many pairs of systems differ, in a sentence; a pair counts once for all tasks."""
        there = [row for row in self if row.questions]
        pairs, sure, probable = (
            {frozenset((row.one, row.other)) for row in rows}
            for rows in (
                there,
                [row for row in there if row.better],
                [row for row in there if row.probably_better],
            )
        )
        if not pairs:
            return ""
        tasks = {row.task for row in there}
        if len(tasks) > 1 and len(pairs) == 1:
            decided = len({row.task for row in there if row.better})
            return (
                f"{there[0].one} and {there[0].other} differ significantly on "
                f"{decided or 'none'} of {len(tasks)} tasks."
            )
        where = " on at least one task" if len(tasks) > 1 else ""
        more = len(probable - sure)
        also = f"; {more} more probably {'does' if more == 1 else 'do'}" if more else ""
        careful = sum(bool(row.caution) for row in there if row.better)
        care = f"; {careful} with caution" if careful else ""
        verb = "differs" if len(sure) == 1 else "differ"
        if baseline is not None:
            of = f"{counted(len(pairs), 'system')} {verb} significantly from {baseline}"
        else:
            of = f"{counted(len(pairs), 'pair')} of systems {verb} significantly"
        return f"{len(sure) or 'None'} of {of}{where}{also}{care}."

    def notes(self) -> list[str]:
        """What stands under the table."""
        covers = list(dict.fromkeys(row.interval.covers for row in self))
        notes = [*self._sizes()]
        notes += [f"The interval is for {target.words}." for target in covers]
        if self.together > 1:
            notes.append(
                f"Intervals, p and verdicts hold for all {self.together} comparisons together "
                f"(Bonferroni)."
            )
        elif sum(row.questions > 0 for row in self) > 1:
            notes.append("Comparisons are not adjusted for multiple testing.")
        ranked = any(row.items for row in self)
        wins = "" if ranked else "; win/tie/loss: questions on which it is better, equal or worse"
        notes.append(f"P(better): probability that the first system is better{wins}.")
        notes += self._probable()
        if any(row.metric.direction is Direction.LOWER for row in self):
            notes.append("Lower is better.")
        return [*notes, f"Method: {self.method}.", *self._reasons(), *self.remarks]

    def _probable(self) -> list[str]:
        """What "probably better" rests on, and how little would undo it."""
        rows = [row for row in self if row.probably_better]
        if not rows:
            return []
        fewest = min(row.undone_by for row in rows)
        failures = "a single outright failure" if fewest == 1 else f"{fewest} outright failures"
        which = "" if len(rows) == 1 else " the weakest of them"
        return [
            f"Probably better: assuming no rare failures, too rare to show in these questions; "
            f"{failures} among new questions would undo{which or ' it'}."
        ]

    def _reasons(self) -> list[str]:
        """Why numbers are missing: a note per reason, with the pairs that share it."""
        several = len({row.task for row in self}) > 1
        why: dict[str, dict[str, None]] = {}
        for row in self:
            if row.reason:
                where = f" · {row.task}" if several and row.task else ""
                why.setdefault(row.reason, {})[f"{row.one} − {row.other}{where}"] = None
        return [f"{', '.join(pairs)}: {reason}." for reason, pairs in why.items()]

    def _sizes(self) -> list[str]:
        """Number of common questions, and of questions that only one system of a pair has."""
        there = [row for row in self if row.questions]
        sizes = {row.questions for row in there}
        per_pair = " per pair" if len(there) > 1 else ""
        unit = there[0].unit if there else "question"
        notes = [f"{counted(sizes.pop(), unit)}{per_pair}."] if len(sizes) == 1 else []
        notes += [
            f"{row.one} − {row.other}{f' · {row.task}' if row.task else ''}: "
            f"{counted(row.questions, unit)}."
            for row in there
            if sizes and row.metric == there[0].metric
        ]
        lost = dict.fromkeys(
            f"{row.one} − {row.other}: {counted(row.left_out, unit)} of only one of the "
            f"two {'is' if row.left_out == 1 else 'are'} left out."
            for row in self
            if row.left_out
        )
        return [*notes, *lost]


def _tally(row: Comparison) -> str:
    return f"{row.wins}/{row.ties}/{row.losses}" if row.questions and not row.items else ""


def share_text(chance: float) -> str:
    """A probability to three digits, which is never shown as 0 or 1."""
    if math.isnan(chance):
        return ""
    if chance < _LEAST_CHANCE:
        return f"< {_LEAST_CHANCE:g}"
    return f"> {1 - _LEAST_CHANCE:g}" if chance > 1 - _LEAST_CHANCE else f"{chance:.3f}"


def _p(value: float) -> str:
    if math.isnan(value):
        return ""
    return f"< {_LEAST_SHOWN:g}" if value < _LEAST_SHOWN else f"{value:.2g}"
