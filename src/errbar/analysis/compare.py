"""Comparisons of pairs of systems on the questions that both have.

P-values and intervals are adjusted for the number of comparisons (Bonferroni).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from itertools import combinations
from typing import Generic, Literal, NamedTuple, Protocol, TypeVar, get_args

from errbar.analysis.alignment import AlignedSystems, AlignedValues, Policy
from errbar.analysis.bracket import BracketSpread, bracketed_differences, bracketed_tables
from errbar.analysis.evaluate import Refusals
from errbar.analysis.methods import Calibrated
from errbar.analysis.methods.calibrated import ONE_TRIAL
from errbar.analysis.methods.population import Assumption
from errbar.analysis.pairs import Difference, assumptions
from errbar.analysis.score import ScoredMetric
from errbar.analysis.spreads import PairedSpread
from errbar.base.arguments import number, require_choice
from errbar.data.columns import unknown_name
from errbar.data.sources.tables import Source
from errbar.errors import InputError
from errbar.kernels.interval import normal_reach
from errbar.metrics.base import Direction, Metric
from errbar.results.comparison import Comparison
from errbar.results.comparisons import Comparisons
from errbar.results.estimate import Estimand, Interval

Adjust = Literal["bonferroni", "none"]


Kind = TypeVar("Kind", bound=Metric)
Alignable = TypeVar("Alignable", bound=AlignedSystems)


@dataclass(frozen=True)
class ComparisonRequest(Generic[Kind]):
    """A request to compare systems: metrics, systems, adjustment and intervals."""

    metrics: Sequence[Kind]
    _: KW_ONLY
    systems: Sequence[str] | None = None
    baseline: str | None = None
    margin: float | None = None
    adjust: Adjust = "bonferroni"
    intervals: Calibrated

    def __post_init__(self) -> None:
        if not self.metrics:
            raise InputError("there is no metric to compare by; name one, as in 'pass@8'.")
        require_choice(self.adjust, "adjust", get_args(Adjust))
        if self.margin is not None:
            number(self.margin, "margin", 0.0, math.inf)
        names = self.system_names()
        if names is not None and len(names) < 2:
            raise InputError(f"a comparison needs at least two systems; got {names!r}.")

    def system_names(self) -> list[str] | None:
        """The names of the requested systems, without repetition."""
        if self.systems is None:
            return None
        return list(dict.fromkeys([*self.systems, *([self.baseline] if self.baseline else [])]))

    def tables(self, tables: Sequence[Alignable]) -> tuple[list[Alignable], list[str]]:
        """Tasks that have the baseline, and a remark on every other task."""
        name = self.baseline
        if name is None:
            return list(tables), []
        kept = [data for data in tables if name in data.everyone]
        if not kept:
            systems = list(dict.fromkeys(system for data in tables for system in data.everyone))
            raise InputError(unknown_name(name, systems, "there is no baseline"))
        without_baseline = {data.task: None for data in tables if name not in data.everyone}
        return kept, [
            f"{task}: left out, without the baseline {name!r}." for task in without_baseline
        ]

    def pairs(self, systems: Sequence[str]) -> list[tuple[str, str]]:
        """All pairs of systems, or every system paired with the baseline."""
        if self.baseline is None:
            return list(combinations(systems, 2))
        return [(name, self.baseline) for name in systems if name != self.baseline]


class PairDifferences(Protocol):
    """The differences of all pairs of systems on one metric and task."""

    def of(self, first: int, second: int) -> Difference:
        """First minus second on their common questions, of which there is at least one."""


DifferencesOf = Callable[[AlignedValues, Calibrated], PairDifferences]


def compare_systems(
    source: Source,
    request: ComparisonRequest[ScoredMetric],
    policy: Policy,
    differences_of: DifferencesOf = bracketed_differences,
) -> Comparisons:
    """Compare every pair of systems, or each with the baseline, on all metrics and tasks."""
    tables: Sequence[AlignedValues]
    tables = bracketed_tables(source, request.metrics, request.system_names(), policy)
    remarks = dict.fromkeys(note for data in tables for note in data.remarks)
    tables, without = request.tables(tables)
    remarks |= dict.fromkeys(without)
    refusals = Refusals()
    tried = [
        (data, _pairs(data, differences_of(data, request.intervals), request, refusals, remarks))
        for data in tables
    ]
    groups = [
        (data, some)
        for data, pairs in tried
        if (some := [pair for pair in pairs if isinstance(pair, Pair)])
    ]
    if not groups:
        refusals.require_none(done="compared")
        raise InputError(f"{next(reversed(remarks))} Check that ids agree.")
    compared = [data for data, _ in groups]
    remarks |= dict.fromkeys(assumptions(compared, request.intervals))
    differences = [pair.found for _, pairs in groups for pair in pairs]
    family = sum(not difference.reason for difference in differences)
    size = max(family, 1) if request.adjust == "bonferroni" else 1
    rows = [
        _comparison(data, pair, request, size)
        if isinstance(pair, Pair)
        else missing_comparison(data.metric, data.task, pair, request)
        for data, pairs in tried
        for pair in pairs
    ]
    paired = any(map(_is_paired, differences))
    if request.intervals.estimand is not Estimand.POPULATION and paired:
        remarks[f"{ONE_TRIAL[0].upper()}{ONE_TRIAL[1:]}."] = None
    words = _describe_methods(groups, request.intervals.assume)
    free = request.baseline is None
    return Comparisons(tuple(rows), words, tuple(remarks), size, leader_first=free)


def bonferroni(p_value: float, comparisons: int) -> float:
    """Adjust a p-value for the number of comparisons (Bonferroni).

    An interval at the level 1 − α/m excludes zero if and only if m times its p-value is below α, so
    adjusted verdicts and simultaneous intervals agree.

    Examples
    --------
    >>> bonferroni(0.01, 3)
    0.03
    """
    return min(comparisons * p_value, 1.0)  # in this order, nan stays nan


class Pair(NamedTuple):
    """A difference with the indices of its two systems."""

    first: int
    second: int
    found: Difference


class RefusedPair(NamedTuple):
    """A pair of systems that cannot be compared, with the reason."""

    first: str
    second: str
    reason: str


def _pairs(
    data: AlignedValues,
    differences: PairDifferences,
    request: ComparisonRequest[ScoredMetric],
    refusals: Refusals,
    remarks: dict[str, None],
) -> list[Pair | RefusedPair]:
    """Pairs with common questions, and a remark on every other pair."""
    place = {name: at for at, name in enumerate(data.systems)}
    compared: list[Pair | RefusedPair] = []
    for pair in request.pairs(data.everyone):
        subject = data.pair_name(*pair)
        refusal = data.refusal_of(pair, data.metric)
        if refusal is not None:
            compared.append(RefusedPair(*pair, refusals.add(subject, data.metric, refusal)))
            continue
        first, second = (place[name] for name in pair)
        if not (data.present(first) & data.present(second)).any():
            where = f" in {data.task!r}" if data.task else ""
            names = f"{pair[0]!r} and {pair[1]!r}"
            remarks[f"{names} have no question in common{where}: they are not compared."] = None
            continue
        try:
            compared.append(Pair(first, second, differences.of(first, second)))
        except InputError as error:
            compared.append(RefusedPair(*pair, refusals.add(subject, data.metric, error)))
    return compared


def _comparison(
    data: AlignedValues, pair: Pair, request: ComparisonRequest[ScoredMetric], size: int
) -> Comparison:
    """A comparison as one of a family of `size`."""
    difference, spread = pair.found, pair.found.spread
    upwards = data.metric.direction is Direction.HIGHER
    tail = (1.0 - request.intervals.level) / size
    low = high = chance = no_worse = probable = math.nan
    if not difference.reason:
        low, high = spread.ends(1.0 - tail)
        chance = spread.chance_above(0.0)
        chance = chance if upwards else 1.0 - chance
        probable = spread.p_without_rare_failures()
        if request.margin is not None:
            above = spread.chance_above(-request.margin if upwards else request.margin)
            no_worse = above if upwards else 1.0 - above
    alone, probable = difference.p_value, bonferroni(probable, size)
    adjusted = bonferroni(alone, size)
    narrow = request.intervals.assume != "nothing"
    is_probable = not narrow and probable < 1.0 - request.intervals.level <= adjusted
    return Comparison(
        metric=data.metric,
        task=data.task,
        first=data.systems[pair.first],
        second=data.systems[pair.second],
        value=difference.value,
        against=difference.against,
        difference=spread.mean,
        sd=math.nan if difference.reason else spread.sd,
        interval=Interval(low, high, request.intervals.level, request.intervals.estimand),
        p_value=alone,
        adjusted=adjusted,
        probable=probable,
        undone_by=spread.losses_to_undo(normal_reach(1.0 - tail)) if is_probable else 0,
        chance=chance,
        wins=difference.wins,
        ties=difference.ties,
        losses=difference.losses,
        left_out=difference.left_out,
        clusters=difference.clusters,
        margin=request.margin,
        no_worse=no_worse,
        caution=difference.caution if narrow or is_probable else "",
        reason=difference.reason,
        failed=difference.failed,
        flips=_flips(difference, request.intervals.level, size),
    )


def _flips(found: Difference, level: float, size: int) -> int:
    """Number of the loser's failed trials that, if right instead of wrong, overturn the verdict."""
    if found.flips is None or found.reason or not isinstance(found.spread, BracketSpread):
        return 0
    ahead = found.spread.plain.mean > 0

    def holds(other: Difference) -> bool:
        decided = bonferroni(other.p_value, size) < 1.0 - level
        return decided and (other.spread.mean > 0) == ahead

    plain = replace(found, spread=found.spread.plain)
    return found.flips(not ahead, holds) if holds(plain) else 0


def missing_comparison(
    metric: Metric, task: str, pair: RefusedPair, request: ComparisonRequest[Kind]
) -> Comparison:
    """A comparison without a value, with the reason."""
    nan = math.nan
    return Comparison(
        metric=metric,
        task=task,
        first=pair.first,
        second=pair.second,
        value=nan,
        against=nan,
        difference=nan,
        sd=nan,
        interval=Interval.unknown(request.intervals.level, request.intervals.estimand),
        p_value=nan,
        adjusted=nan,
        chance=nan,
        wins=0,
        ties=0,
        losses=0,
        margin=request.margin,
        reason=pair.reason,
    )


def _is_paired(found: Difference) -> bool:
    """Whether the values of the two systems are paired by question, or by cluster."""
    spread = found.spread
    return isinstance(spread.plain if isinstance(spread, BracketSpread) else spread, PairedSpread)


def _describe_methods(
    groups: Sequence[tuple[AlignedValues, Sequence[Pair]]], assume: Assumption
) -> str:
    """Describe the methods of a table of comparisons."""
    clustered = any(data.clustered for data, _ in groups)
    unit = "cluster" if clustered else "question"
    test = (
        f"Bayesian bootstrap with one unseen {unit} at the bound (Gaffke); for single trials, "
        "McNemar's exact test"
        if assume == "nothing"
        else "sign-flip test of the differences, assuming no rare failures"
    )
    paired = f"paired by {unit}, {test}"
    rewards = any(data.noise is not None for data, _ in groups)
    independent = (
        "variance between the trials of each question"
        if rewards
        else "intervals of both systems by the difficulty model, combined by MOVER"
    )
    ways = {
        paired if _is_paired(pair.found) else independent for _, pairs in groups for pair in pairs
    }
    return "; ".join(sorted(ways))
