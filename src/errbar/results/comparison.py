"""Comparison of two systems: the difference with its interval, and the verdict."""

import math
import warnings
from dataclasses import dataclass, replace
from typing import Any

from errbar.base.remarks import counted
from errbar.base.tables import printable, score_text
from errbar.metrics.base import Direction, Metric
from errbar.results.estimate import HasInterval, Interval, record_of

INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Comparison(HasInterval):
    """One metric of two systems on the same questions; differences are first minus second."""

    metric: Metric
    task: str
    first: str  # name of a system
    second: str
    value: float  # score of the first, on the common questions
    against: float  # score of the second
    difference: float
    sd: float
    interval: Interval  # interval of the difference, simultaneous over all comparisons of a table
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
    clusters: int = 0  # of the common questions or items; 0 if they have none
    items: int = 0  # common ranked items, for metrics without a value per question
    # failed trials of both systems, if the interval covers all their possible outcomes
    failed: int = 0
    flips: int = 0  # failed trials of the loser that, if right, undo what counting them wrong says

    @property
    def one(self) -> str:
        """Deprecated name of `first`."""
        warnings.warn("Comparison.one is called first.", DeprecationWarning, stacklevel=2)
        return self.first

    @property
    def other(self) -> str:
        """Deprecated name of `second`."""
        warnings.warn("Comparison.other is called second.", DeprecationWarning, stacklevel=2)
        return self.second

    @property
    def questions(self) -> int:
        """Number of common questions, or of common items for ranked metrics."""
        return self.items or self.wins + self.ties + self.losses

    @property
    def unit(self) -> str:
        """The unit of comparison: item or question."""
        return "item" if self.items else "question"

    @property
    def sampled(self) -> tuple[int, str]:
        """How many independent units were drawn, and what they are."""
        return (self.clusters, "cluster") if self.clusters else (self.questions, self.unit)

    @property
    def better(self) -> str:
        """The system that is significantly better; empty if inconclusive."""
        if not self.adjusted < 1.0 - self.interval.level:
            return ""
        return self.first if self._gain(self.difference) > 0 else self.second

    @property
    def probably_better(self) -> str:
        """The system that is better if rare failures are ruled out; empty if `better` names one."""
        if self.better or not self.probable < 1.0 - self.interval.level:
            return ""
        return self.first if self._gain(self.difference) > 0 else self.second

    @property
    def called_probable(self) -> bool:
        """Whether the verdict is "probably better", which is never so with a margin."""
        return bool(self.probably_better) and not self.margin

    @property
    def verdict(self) -> str:
        """Conclusion of the comparison: better, probably better or inconclusive."""
        who, words = self._subject_and_words
        against = self.second if who == self.first else self.first
        return f"{who} is {words}".replace("no worse", f"no worse than {against}") if who else words

    @property
    def short_verdict(self) -> str:
        """Conclusion on the first system, without names: better, worse or inconclusive."""
        who, words = self._subject_and_words
        if who == self.second:
            return words.replace("worse", "|").replace("better", "worse").replace("|", "better")
        return words

    @property
    def _subject_and_words(self) -> tuple[str, str]:
        """The system that the verdict is about, if any, and the words that follow its name."""
        plainly = (self.better, "better") if self.better else ("", INCONCLUSIVE)
        if self.probably_better:
            plainly = (self.probably_better, "probably better")
        if self.reason:
            return "", INCONCLUSIVE
        return self._with_margin(self.margin, *plainly) if self.margin else plainly

    def _with_margin(self, margin: float, who: str, plainly: str) -> tuple[str, str]:
        """The verdict where differences up to the margin do not matter."""
        low, high = self.gain_ends
        verdicts = {
            (self.first, f"better by more than {margin:g}"): low > margin,
            (self.second, f"better by more than {margin:g}"): high < -margin,
            (who, f"{plainly}, by less than {margin:g}"): bool(self.better) and self._is_equal,
            (who, plainly): bool(self.better),
            ("", f"as good as each other, within {margin:g}"): self._is_equal,
            (self.first, f"no worse, within {margin:g}"): low > -margin,
            (self.second, f"no worse, within {margin:g}"): high < margin,
        }
        return next((found for found, holds in verdicts.items() if holds), ("", INCONCLUSIVE))

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

    def swapped(self) -> "Comparison":
        """The same comparison with the systems exchanged; differences stay first minus second."""
        ends = (-self.interval.high, -self.interval.low)
        return replace(
            self,
            first=self.second,
            second=self.first,
            value=self.against,
            against=self.value,
            difference=-self.difference,
            interval=replace(self.interval, low=ends[0], high=ends[1]),
            chance=1.0 - self.chance,
            wins=self.losses,
            losses=self.wins,
            no_worse=math.nan,  # is about the other system
        )

    def record(self) -> dict[str, Any]:
        """A flat record for a DataFrame or JSON."""
        failures = ("failed", "flips") if self.failed else ()
        return record_of(
            self,
            *("task", "metric", "first", "second", "value", "against", "difference", "sd"),
            *("interval", "p_value", "adjusted", "probable", "undone_by", "chance"),
            *("wins", "ties", "losses", "questions", "left_out", "margin", "no_worse"),
            *("better", "probably_better", "verdict", "caution", "reason", *failures),
        )

    @property
    def leader(self) -> str:
        """The system with the better score, whether or not significantly; the first if equal."""
        return self.second if self._gain(self.difference) < 0 else self.first

    @property
    def trailer(self) -> str:
        """The system with the worse score."""
        return self.first if self.leader == self.second else self.second

    @property
    def lead(self) -> tuple[float, float, float]:
        """The lead of the better system, with the ends of its interval."""
        low, high = self.gain_ends
        ends = (low, high) if self.leader == self.first else (-high, -low)
        return abs(self.difference), *ends

    def lead_digits(self) -> tuple[str, str, str]:
        """The lead and the ends of its interval, to the digits that `sd` supports."""
        gap, low, high = (score_text(number, self.sd) for number in self.lead)
        return gap, low, high

    def headline(self) -> tuple[str, str]:
        """The verdict in a sentence of two parts: the claim, and the numbers behind it."""
        claim, rest = self.sentence()
        if self.better or self.called_probable:
            return claim, rest
        verdict, colon, who = claim.partition(": ")
        return verdict, f"{colon}{who}{rest}"

    def sentence(self) -> tuple[str, str]:
        """The verdict as a claim without numbers, and the numbers behind it."""
        if self.reason:
            return f"No verdict: {self.first} against {self.second}", f": {self.reason}."
        gap, low, high = self.lead_digits()
        on = self._on_common()
        by = f"by {gap} {self.metric}{on} ({self.interval.title} {low} to {high})"
        if self._subject_and_words[1] not in ("better", "probably better", INCONCLUSIVE):
            leads = f"{self.leader} leads {by}"
            return (
                self._claim_with_margin(),
                f"; {leads if self.difference else 'both score the same'}.",
            )
        if self.better:
            return f"{self.leader} beats {self.trailer}", f" {by}."
        if self.called_probable:
            claim = f"{self.leader} is probably better than {self.trailer}"
            return claim, f" {by}, assuming no rare failures."
        if not self.difference:
            same = f"{self.first} and {self.second} have the same {self.metric}{on}"
            return f"Inconclusive: {same}", "."
        return f"Inconclusive: {self.leader} leads {self.trailer}", f" {by}."

    def _on_common(self) -> str:
        """The questions that the difference is on, if a system has others as well."""
        if not self.left_out:
            return ""
        return f" on the {counted(self.questions, self.unit)} that both have"

    def _claim_with_margin(self) -> str:
        """The verdict with a margin, as a sentence on both systems."""
        who, words = self._subject_and_words
        if not who:
            return f"{self.first} and {self.second} are {words}"
        against = self.second if who == self.first else self.first
        how = "no worse" if words.startswith("no worse") else "better"
        return f"{who} is {how} than {against}{words.removeprefix(how)}"

    def __repr__(self) -> str:
        return f"<Comparison {self}>"

    def __str__(self) -> str:
        return printable(f"{self.metric}: {self._sentence()}")

    def _sentence(self) -> str:
        title = self.interval.title
        if self.better and not self.margin and not self.reason:
            low, high = self.gain_ends
            worse = self.second if self.better == self.first else self.first
            ends = (low, high) if self.better == self.first else (-high, -low)
            gap, low_text, high_text = (
                score_text(number, self.sd) for number in (abs(self.difference), *ends)
            )
            return f"{self.better} beats {worse} by {gap} ({title} {low_text} to {high_text})"
        gap, low_text, high_text = (
            score_text(number, self.sd)
            for number in (self.difference, self.interval.low, self.interval.high)
        )
        known = f"{title} {low_text} to {high_text}"
        interval = f"no interval: {self.reason}" if self.reason else known
        return f"{self.first} vs {self.second}: {self.verdict} ({gap}, {interval})"
