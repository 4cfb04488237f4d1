"""Systems × metrics → comparisons, pair by pair on the questions of both."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist
from typing import Generic, Literal, NamedTuple, Protocol, TypeVar

from errbar.analysis.alignment import Policy, Together, side_by_side
from errbar.analysis.methods.calibrated import ONE_TRIAL
from errbar.analysis.pairs import Difference, Differences, Pair, common_reach
from errbar.analysis.score import ScoredMetric
from errbar.base.arguments import number, strict_share
from errbar.data.sources.tables import Source
from errbar.errors import InputError
from errbar.kernels.interval import normal_reach
from errbar.metrics.base import Direction, Metric
from errbar.results.base import Refusals, reason_of
from errbar.results.comparison import Comparison, Comparisons
from errbar.results.estimate import Estimand, Interval

Adjust = Literal["holm", "none"]

_NORMAL = NormalDist()


class Tabled(Protocol):
    """One task and metric in which systems are compared."""

    @property
    def task(self) -> str:
        """The task of the systems."""

    @property
    def everyone(self) -> tuple[str, ...]:
        """All systems of the task, including those that cannot be compared."""


Kind = TypeVar("Kind", bound=Metric)
Data = TypeVar("Data", bound=Tabled)


@dataclass(frozen=True)
class Asked(Generic[Kind]):
    """A request to compare systems: metrics, policy, method and adjustment."""

    metrics: Sequence[Kind]
    systems: Sequence[str] | None = None
    baseline: str | None = None
    margin: float | None = None
    covers: Estimand = Estimand.POPULATION
    level: float = 0.95
    adjust: Adjust = "holm"

    def __post_init__(self) -> None:
        strict_share(self.level, "level")
        if not self.metrics:
            raise InputError("there is no metric to compare by; name one, as in 'pass@8'.")
        if self.adjust not in ("holm", "none"):
            raise InputError(f"adjust must be 'holm' or 'none'; got {self.adjust!r}.")
        if self.margin is not None:
            number(self.margin, "margin", 0.0, math.inf)
        wanted = self.wanted()
        if wanted is not None and len(wanted) < 2:
            raise InputError(f"a comparison needs at least two systems; got {wanted!r}.")

    def wanted(self) -> list[str] | None:
        """The systems requested by name, without repetition."""
        if self.systems is None:
            return None
        return list(dict.fromkeys([*self.systems, *([self.baseline] if self.baseline else [])]))

    def tables(self, tables: Sequence[Data]) -> tuple[list[Data], list[str]]:
        """Tasks that have the baseline, and a remark on every other task."""
        name = self.baseline
        if name is None:
            return list(tables), []
        kept = [data for data in tables if name in data.everyone]
        if not kept:
            there = ", ".join(dict.fromkeys(one for data in tables for one in data.everyone))
            raise InputError(f"there is no baseline {name!r}; there are: {there}.")
        left = {data.task: None for data in tables if name not in data.everyone}
        return kept, [f"{task}: left out, without the baseline {name!r}." for task in left]

    def pairs(self, systems: Sequence[str]) -> list[tuple[str, str]]:
        """All pairs of systems, or every system paired with the baseline."""
        if self.baseline is None:
            return list(combinations(systems, 2))
        return [(name, self.baseline) for name in systems if name != self.baseline]


def compare_systems(source: Source, asked: Asked[ScoredMetric], policy: Policy) -> Comparisons:
    """Compare every pair of systems, or each with the baseline, on all metrics and tasks."""
    tables = side_by_side(source, asked.metrics, asked.wanted(), policy)
    remarks = dict.fromkeys(note for data in tables for note in data.remarks)
    tables, without = asked.tables(tables)
    remarks |= dict.fromkeys(without)
    refusals = Refusals()
    tried = [(data, _pairs(data, asked, refusals, remarks)) for data in tables]
    groups = [
        (data, some)
        for data, pairs in tried
        if (some := [pair for pair in pairs if isinstance(pair, Pair)])
    ]
    if not groups:
        refusals.require_none(done="compared")
        raise InputError(f"{next(reversed(remarks))} Check that ids agree.")
    together = asked.adjust == "holm"
    reach = common_reach(groups, asked.level) if together else normal_reach(asked.level)
    found = [pair.found for _, pairs in groups for pair in pairs]
    alone = [_p_value(one) for one in found]
    adjusted = iter(holm(alone) if together else alone)
    rows = [
        _comparison(data, pair, asked, reach, next(adjusted))
        if isinstance(pair, Pair)
        else missing(data.metric, data.task, pair, asked)
        for data, pairs in tried
        for pair in pairs
    ]
    if asked.covers is not Estimand.POPULATION and any(one.totals is not None for one in found):
        remarks[f"{ONE_TRIAL[0].upper()}{ONE_TRIAL[1:]}."] = None
    size = len(found) if together else 1
    return Comparisons(tuple(rows), _described(groups), tuple(remarks), size)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for multiple comparisons by Holm's step-down procedure (Holm 1979).

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    found = [math.nan] * len(p_values)
    order = sorted(
        (at for at in range(len(p_values)) if not math.isnan(p_values[at])),
        key=lambda at: p_values[at],
    )
    worst = 0.0
    for done, at in enumerate(order):
        worst = max(worst, min(1.0, (len(order) - done) * p_values[at]))
        found[at] = worst
    return found


class Refused(NamedTuple):
    """A pair of systems that cannot be compared, with the reason."""

    one: str
    other: str
    reason: str


def _pairs(
    data: Together, asked: Asked[ScoredMetric], refusals: Refusals, remarks: dict[str, None]
) -> list[Pair | Refused]:
    """Pairs with common questions, and a remark on every other pair."""
    differences = Differences(data, asked.covers)
    place = {name: at for at, name in enumerate(data.systems)}
    found: list[Pair | Refused] = []
    for pair in asked.pairs(data.everyone):
        whose = _whose(data, *pair)
        without = next((name for name in pair if name in data.refused), None)
        if without is not None:
            error = data.refused[without]
            why = f"{without} has no {data.metric}: {reason_of(error, data.metric)}"
            found.append(Refused(*pair, refusals.add(whose, data.metric, type(error)(why))))
            continue
        one, other = (place[name] for name in pair)
        if not (data.held(one) & data.held(other)).any():
            where = f" in {data.task!r}" if data.task else ""
            names = f"{pair[0]!r} and {pair[1]!r}"
            remarks[f"{names} have no question in common{where}: they are not compared."] = None
            continue
        try:
            found.append(Pair(one, other, differences.of(one, other)))
        except InputError as error:
            found.append(Refused(*pair, refusals.add(whose, data.metric, error)))
    return found


def _whose(data: Together, one: str, other: str) -> str:
    return f"{one} − {other}{f' · {data.task}' if data.task else ''}"


def _p_value(found: Difference) -> float:
    return math.nan if found.reason else 2.0 * _NORMAL.cdf(-abs(found.score))


def _comparison(
    data: Together, pair: Pair, asked: Asked[ScoredMetric], reach: float, adjusted: float
) -> Comparison:
    found = pair.found
    upwards = data.metric.direction is Direction.HIGHER
    decided = adjusted < 1.0 - asked.level
    sign = int(math.copysign(1, found.score)) if decided else 0
    margin = asked.margin
    no_worse = math.nan
    if margin is not None and not found.reason:
        shifted = found.score_above(-margin) if upwards else -found.score_above(margin)
        no_worse = _NORMAL.cdf(shifted)
    low, high = (math.nan, math.nan) if found.reason else found.ends(reach, sign)
    return Comparison(
        data.metric,
        data.task,
        data.systems[pair.one],
        data.systems[pair.other],
        found.value,
        found.against,
        found.mean,
        found.sd,
        Interval(low, high, asked.level, asked.covers),
        _p_value(found),
        adjusted,
        math.nan if found.reason else _NORMAL.cdf(found.score if upwards else -found.score),
        found.wins,
        found.ties,
        found.losses,
        found.left_out,
        margin,
        no_worse,
        found.caution,
        found.reason,
    )


def missing(metric: Metric, task: str, pair: Refused, asked: Asked[Kind]) -> Comparison:
    """A comparison without a number, with the reason."""
    nan = math.nan
    nowhere = Interval(nan, nan, asked.level, asked.covers)
    return Comparison(
        metric,
        task,
        pair.one,
        pair.other,
        nan,
        nan,
        nan,
        nan,
        nowhere,
        nan,
        nan,
        nan,
        0,
        0,
        0,
        margin=asked.margin,
        reason=pair.reason,
    )


def _described(groups: Sequence[tuple[Together, Sequence[Pair]]]) -> str:
    clustered = any(data.clustered for data, _ in groups)
    paired = (
        f"paired by {'cluster' if clustered else 'question'}, sign-flip test of the differences"
    )
    rewards = any(data.noise is not None for data, _ in groups)
    learned = (
        "variance between the trials of each question"
        if rewards
        else "difficulty model fitted to each system on the common questions"
    )
    ways = {
        paired if pair.found.totals is not None else learned
        for _, pairs in groups
        for pair in pairs
    }
    return "; ".join(sorted(ways))
