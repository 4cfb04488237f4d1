"""Brackets: worst-case bounds on results when the outcome of failed trials is unknown.

Most metrics never fall when a trial turns from wrong to right. Such a metric lies between its value
with all failed trials wrong (the worst case) and with all of them right (the best case), which are
the bounds of Manski (1989). Both are estimated on the same questions.

- A score has the interval of Imbens and Manski (2004), which contains the score with the stated
  probability whatever the failed trials would have been. The upper bound is never estimated below
  the lower one, so this holds for narrow brackets too (Stoye 2009, lemma 3).
- A difference of two systems extends from its lower end in the worst case for the first system to
  its upper end in the best case (Horowitz and Manski 2000). Ranks are derived from these intervals.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from errbar.analysis.alignment import AlignedValues, Policy, side_by_side
from errbar.analysis.evaluate import Refusals, chosen_method
from errbar.analysis.methods import Calibrated
from errbar.analysis.pairs import Difference, Differences
from errbar.analysis.question_values import values_of_counts
from errbar.analysis.score import (
    Errors,
    ScoredMetric,
    ScoreRequest,
    Short,
    scored_metric,
    scores_of,
    slices_by_subject,
)
from errbar.analysis.spreads import Spread
from errbar.base.arguments import require_choice
from errbar.base.arrays import Array, Integers
from errbar.data.queries.questions import Slice
from errbar.data.sources.tables import Source
from errbar.kernels.partial_identification import bracket_tail
from errbar.kernels.sign_flip import Ends
from errbar.metrics import CountMetric, Metric
from errbar.results.estimate import BRACKET, Estimate, Interval, Subject
from errbar.results.scores import Scores

BOTH = "both"  # rows without a result count in the worst and in the best case
_CASES = ("lowest", "right")  # what failed trials count as: in the worst case, in the best
_DIGITS = 12  # decimals to which gains are rounded before sorting
_STEP = 1e-3  # levels are rounded up to such steps, so that systems share them

_Key = tuple[Subject, Metric]


def pair_policy(errors: str, short: Short, bounds: tuple[float, float] | None) -> Policy:
    """Policy for pairs of systems: rows without a result, and questions with too few trials."""
    require_choice(errors, "errors", get_args(Errors))
    plain = Policy.of("fail" if errors == "bracket" else errors, short)
    return plain._replace(failures=BOTH, bounds=bounds) if errors == "bracket" else plain


def bracketed_scores(source: Source, found: Sequence[Slice], request: ScoreRequest) -> Scores:
    """Scores of slices; with `errors="bracket"`, in both cases and with an interval for either."""
    scores = scores_of(source, found, request)
    if request.errors != "bracket":
        return scores
    pairs: dict[_Key, list[Estimate]] = {}
    for each in scores:
        pairs.setdefault(_key(each), []).append(each)
    levels = {key: _level_of(*pair) for key, pair in pairs.items()}
    ends: dict[_Key, Interval] = {}
    for level in {level for level in levels.values() if not math.isnan(level)}:
        some = {key for key, own in levels.items() if own == level}
        slices = [
            part for of, part in slices_by_subject(found).items() if of in {key[0] for key in some}
        ]
        again = chosen_method(request.method, level=level)
        known = scores_of(
            source, slices, request._replace(method=again, refusals=Refusals(), audit=False)
        )
        for each in known:
            key = _key(each)
            if key in some:
                low = ends[key].low if key in ends else each.low
                requested = pairs[key][0].interval
                high = ends[key].high if key in ends else each.high
                ends[key] = replace(requested, low=min(low, each.low), high=max(high, each.high))
    rows = tuple(replace(each, bracket=ends.get(_key(each))) for each in scores)
    return replace(scores, estimates=rows, remarks=(BRACKET, *scores.remarks))


def _key(score: Estimate) -> _Key:
    """Subject and metric of a score: equal for its estimates in the worst and in the best case."""
    return replace(score.of, failed=""), score.metric


def bracket_rows(scores: Scores) -> Scores:
    """A row per score: its value in the worst case, with the interval that covers both cases."""
    best = {_key(each): each for each in scores if each.of.failed == "right"}
    rows = []
    for each in scores:
        if each.of.failed == "wrong":
            of, _ = key = _key(each)
            nowhere = Interval.unknown(each.interval.level, each.interval.covers)
            interval = each.bracket or nowhere
            reason = each.reason or best[key].reason
            rows.append(replace(each, of=of, interval=interval, bracket=None, reason=reason))
    note = (
        "Scores count failed trials as wrong; intervals also cover the case that failed "
        "trials would have been right."
    )
    remarks = (note, *(remark for remark in scores.remarks if remark != BRACKET))
    return replace(scores, estimates=tuple(rows), remarks=remarks) if rows else scores


def _level_of(worst: Estimate, best: Estimate) -> float:
    """Level of the intervals in both cases; nan if the score is defined in one case only."""
    if math.isnan(worst.mean) or math.isnan(best.mean):
        return math.nan
    return level_of_ends(best.mean - worst.mean, max(worst.sd, best.sd), worst.interval.level)


def level_of_ends(width: float, sd: float, level: float) -> float:
    """Level of the intervals at both ends of a bracket that together have the wanted coverage."""
    if not (sd > 0 and width > 0):
        return level
    needed = 1.0 - 2.0 * bracket_tail(width / sd, level)
    return min(level, math.ceil(needed / _STEP) * _STEP)


@dataclass(frozen=True, eq=False, kw_only=True)
class BracketedValues(AlignedValues):
    """Values of systems in the worst case, and those in the best case."""

    best: AlignedValues

    def stacked(self) -> AlignedValues:
        """All systems in the worst case, followed by all systems in the best case."""
        names = (
            *self.systems,
            *(f"{name}, failed trials in the best case" for name in self.systems),
        )
        pairs = zip(self.parts, self.best.parts, strict=True)
        joined = {
            name: _joint_values(getattr(self, name), getattr(self.best, name))
            for name in ("trials", "correct", "noise")
        }
        return AlignedValues(
            **{
                **_values_of(self),
                **joined,
                "systems": names,
                "everyone": names,
                "parts": tuple(np.concatenate(pair) for pair in pairs),
                "extremes": _joint_values(self.extremes, self.best.extremes, axis=1),
            }
        )

    def failed(self, system: int, some: NDArray[np.bool_]) -> Integers:
        """Number of failed trials of selected questions, where outcomes are right or wrong."""
        if self.correct is None or self.best.correct is None:
            return np.zeros(int(some.sum()), dtype=np.int64)
        found: Integers = self.best.correct[system, some] - self.correct[system, some]
        return found

    def with_right(self, system: int, extra: Integers) -> AlignedValues:
        """Values in the worst case, except that some failed trials of one system count as right."""
        if self.correct is None or not isinstance(self.metric, CountMetric):
            raise TypeError("failed trials are counted for outcomes of right and wrong only")
        some = self.present(system)
        correct = self.correct.copy()
        correct[system] += extra
        values = values_of_counts(self.metric, self.trials[system, some], correct[system, some])
        parts = tuple(part.copy() for part in self.parts)
        for part, own in zip(parts, values, strict=True):
            part[system, some] = own
        return replace(self, parts=parts, correct=correct)


def _values_of(data: AlignedValues) -> dict[str, Any]:
    """The fields of aligned values, without the best case if they have one."""
    return {field.name: getattr(data, field.name) for field in fields(AlignedValues)}


def _joint_values(worst: Array | None, best: Array | None, axis: int = 0) -> Array | None:
    return None if worst is None or best is None else np.concatenate([worst, best], axis=axis)


def bracketed_tables(
    source: Source, metrics: Sequence[ScoredMetric], systems: Sequence[str] | None, policy: Policy
) -> Sequence[AlignedValues]:
    """Systems aligned by question, in both cases if the policy says so."""
    if policy.failures != BOTH:
        return side_by_side(source, metrics, systems, policy)
    cases = [policy._replace(failures=each) for each in _CASES]
    worst, best = (side_by_side(source, metrics, systems, each) for each in cases)
    return [_bracketed_table(source, *tables, cases) for tables in zip(worst, best, strict=True)]


def _bracketed_table(
    source: Source, worst: AlignedValues, best: AlignedValues, cases: Sequence[Policy]
) -> BracketedValues:
    """A table in both cases, of the systems that have a value in both."""
    refused = {**worst.refused, **best.refused}
    everyone = worst.everyone
    if set(worst.systems) != set(best.systems):
        kept = [name for name in worst.systems if name not in refused]
        nobody = [replace(worst, systems=())] * 2
        worst, best = _systems_of_task(source, worst, kept, cases) if kept[1:] else nobody
    return BracketedValues(
        **{**_values_of(worst), "refused": refused, "everyone": everyone}, best=best
    )


def _systems_of_task(
    source: Source, data: AlignedValues, systems: Sequence[str], cases: Sequence[Policy]
) -> list[AlignedValues]:
    """Tables of some systems of this task, in both cases."""
    return [
        next(
            table
            for table in side_by_side(source, [data.metric], systems, each)
            if table.task == data.task
        )
        for each in cases
    ]


class BracketSpread(NamedTuple):
    """A difference with its range: from the worst to the best case for the first system."""

    worst: Spread
    best: Spread
    plain: Spread  # difference with all failed trials wrong

    @property
    def mean(self) -> float:
        """The difference with all failed trials wrong."""
        return self.plain.mean

    @property
    def sd(self) -> float:
        """The larger of the standard deviations in the two cases."""
        return max(self.worst.sd, self.best.sd)

    def ends(self, level: float) -> Ends:
        """Ends that contain the difference in every case."""
        return Ends(self.worst.ends(level).low, self.best.ends(level).high)

    def p_at_most(self, shift: float) -> float:
        """P-value of the hypothesis that the difference is `shift` or lower in some case."""
        return self.worst.p_at_most(shift)

    def p_at_least(self, shift: float) -> float:
        """P-value of the hypothesis that the difference is `shift` or higher in some case."""
        return self.best.p_at_least(shift)

    def chance_above(self, shift: float) -> float:
        """Probability that the difference exceeds `shift`, in the case nearest to one half."""
        if self.worst.mean > shift:
            return self.worst.chance_above(shift)
        return self.best.chance_above(shift) if self.best.mean < shift else math.nan

    def p_without_rare_failures(self) -> float:
        """The larger p-value of the two cases; 1 if they disagree on the sign."""
        if self.worst.mean <= 0.0 <= self.best.mean:
            return 1.0
        return max(each.p_without_rare_failures() for each in (self.worst, self.best))

    def losses_to_undo(self, reach: float) -> int:
        """The fewest outright losses that would undo a verdict."""
        return min(each.losses_to_undo(reach) for each in (self.worst, self.best))


class BracketDifferences:
    """Differences of all pairs of systems on one metric and task, in both cases."""

    def __init__(self, data: BracketedValues, intervals: Calibrated) -> None:
        self.data, self._intervals = data, intervals
        self._number = len(data.systems)
        self._known = Differences(data.stacked(), intervals)

    def of(self, first: int, second: int) -> Difference:
        """First minus second on their common questions; wins and losses are of the worst case."""
        best = self._number
        plain = self._known.of(first, second)
        worst = self._known.of(first, second + best)
        other = self._known.of(first + best, second)
        both = self.data.present(first) & self.data.present(second)
        failed = sum(int(self.data.failed(system, both).sum()) for system in (first, second))
        cautions = dict.fromkeys(filter(None, (plain.caution, worst.caution, other.caution)))
        return replace(
            plain,
            spread=BracketSpread(worst.spread, other.spread, plain.spread),
            caution="; ".join(cautions),
            reason=worst.reason or other.reason,
            failed=failed,
            flips=partial(self._flips, first, second),
        )

    def _flips(
        self, first: int, second: int, raised: bool, holds: Callable[[Difference], bool]
    ) -> int:
        """Smallest number of failed trials of one system that, if right, overturn a verdict.

        To raise the difference, failed trials of the first system are turned right, else those of
        the second: first the trials that change the difference most, and among equal ones those on
        questions whose differences lie farthest on that side already, since that spreads the
        differences, and widens the interval, most. All others stay wrong.
        The number is 0 if the verdict holds even with all of them right.
        """
        data, system = self.data, first if raised else second
        both = data.present(first) & data.present(second)
        failed = np.zeros(both.size, dtype=np.int64)
        failed[both] = data.failed(system, both)
        if not failed.any():
            return 0
        gain, difference = np.zeros((2, both.size))
        gain[both] = data.with_right(system, failed).alone(system, both)
        gain[both] -= data.alone(system, both)
        difference[both] = data.alone(first, both) - data.alone(second, both)
        if data.weights is not None:
            gain *= data.weights
        each = np.round(gain / np.maximum(failed, 1), _DIGITS)  # equal but for rounding
        order = np.lexsort((-difference if raised else difference, -each))
        before = np.cumsum(failed[order]) - failed[order]

        def is_overturned(number: int) -> bool:
            extra = np.zeros_like(failed)
            extra[order] = np.clip(number - before, 0, failed[order])
            changed = Differences(data.with_right(system, extra), self._intervals)
            return not holds(changed.of(first, second))

        low, high = 0, int(failed.sum())
        if not is_overturned(high):
            return 0
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if is_overturned(middle) else (middle, high)
        return high


def failures_to_undo(
    source: Source,
    limits: Mapping[Metric, float],
    policy: Policy,
    intervals: Calibrated,
    pairs: int,
) -> dict[tuple[Metric, str], int]:
    """Smallest number of failed trials that, if right, overturn a clear pass or regression.

    The result is by metric and task; `source` has a baseline and then a candidate, and a change is
    that of the candidate. The verdict is the one with failed trials as wrong, with simultaneous
    intervals for a number of pairs.
    """
    flips: dict[tuple[Metric, str], int] = {}
    if policy.failures != BOTH:
        return flips
    metrics = [scored_metric(metric) for metric in limits]
    level = 1.0 - (1.0 - intervals.level) / pairs
    for data in bracketed_tables(source, metrics, None, policy):
        if len(data.systems) < 2 or not isinstance(data, BracketedValues):
            continue
        baseline, candidate = (data.systems.index(name) for name in sorted(data.systems))
        pair = BracketDifferences(data, intervals).of(candidate, baseline)
        if pair.reason or pair.flips is None or not isinstance(pair.spread, BracketSpread):
            continue
        low, high = pair.spread.plain.ends(level)
        limit = -limits[data.metric]
        if low > limit or high < limit:
            passes = low > limit

            def holds(other: Difference, limit: float = limit, passes: bool = passes) -> bool:
                ends = other.spread.ends(level)
                return ends.low > limit if passes else ends.high < limit

            flips[data.metric, data.task] = pair.flips(not passes, holds)
    return flips


def bracketed_differences(
    data: AlignedValues, intervals: Calibrated
) -> BracketDifferences | Differences:
    """Differences of all pairs, in both cases if the values have both."""
    if isinstance(data, BracketedValues):
        return BracketDifferences(data, intervals)
    return Differences(data, intervals)
