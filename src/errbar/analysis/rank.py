"""Ranks of systems, with ranges that hold together, on the questions that all systems have.

The range of a system has every rank that the comparisons of pairs leave open. All pairs are
compared as by `compare`, adjusted for their number: with the probability of the level, no pair is
decided wrongly and all ranks lie in their ranges. Probabilities of ranks come from one joint
posterior: the Bayesian bootstrap with one unseen question, of systems taken to be exchangeable.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errbar.analysis.alignment import AlignedValues, Policy, side_by_side
from errbar.analysis.methods import Calibrated
from errbar.analysis.methods.population import Summary, combined, mean_of_sample
from errbar.analysis.pairs import apart_by, guessed_ranges, range_of, sample_of_differences
from errbar.analysis.rewards import Answered, average_reward
from errbar.analysis.score import ScoredMetric, first_of
from errbar.base.arguments import require_bounds, strict_share
from errbar.base.arrays import Array
from errbar.base.tables import counted
from errbar.data.sources.tables import Source
from errbar.errors import InputError
from errbar.kernels.bounded_mean import Sample, low_end
from errbar.kernels.hierarchical import exchangeable
from errbar.kernels.resample import unseen_weights
from errbar.metrics import CountMetric
from errbar.metrics.base import Direction
from errbar.results.base import Refusals, reason_of
from errbar.results.estimate import Estimand, Interval, Subject
from errbar.results.leaderboard import Leaderboard, Standing, letters_of

_ROUNDING = 1e-12  # values this near are equal
_DRAWS, _SEED = 10_000, 1
_AT_ONCE = 1 << 22  # random numbers in memory at a time


@dataclass(frozen=True)
class RankRequest:
    """A request to rank systems: metric, weights of tasks, policy and method."""

    metric: ScoredMetric
    systems: Sequence[str] | None = None
    weights: Mapping[str, float] | None = None  # of tasks
    covers: Estimand = Estimand.POPULATION
    level: float = 0.95
    bounds: tuple[float, float] | None = None  # of rewards

    def __post_init__(self) -> None:
        strict_share(self.level, "level")
        require_bounds(self.bounds)
        if self.covers is Estimand.RERUN:
            raise InputError(
                "ranks are properties of systems, not of a run; use estimand "
                "'population' or 'benchmark'."
            )


def rank_systems(source: Source, request: RankRequest, policy: Policy) -> Leaderboard:
    """Rank every system that has every task."""
    tables = side_by_side(source, [request.metric], request.systems, policy)
    remarks = [note for data in tables for note in data.remarks]
    several = _of_several(tables, remarks)
    systems, left = _in_all(several)
    kept = _with_questions(several, systems, remarks)
    weights = _weights(
        [data.task for data in tables], [data.task for data in kept], request.weights
    )
    remarks += guessed_ranges(kept, request.covers, request.bounds)
    parts = [_Part(data, systems, weights[data.task], request) for data in kept]
    vary = _Sampled(parts) if request.covers is Estimand.POPULATION else _Apart(parts)
    up = 1.0 if request.metric.direction is Direction.HIGHER else -1.0
    ahead = _decided(vary, request.level) * up  # 1 where the row is better than the column
    scores = exchangeable(vary.scores() * up, np.random.default_rng(_SEED))
    drawn = DrawnRanks(scores)
    rows = _standings(systems, parts, ahead, drawn, up, request)
    lost = sum(part.left_out for part in parts)
    if left:
        remarks.append(f"Left out, because they lack some tasks: {', '.join(left)}.")
    remarks += _not_ranked(several)
    if lost:
        verb = "is" if lost == 1 else "are"
        remarks.append(f"{counted(lost, 'question')} that some systems lack {verb} left out.")
    words = (
        "Bayesian bootstrap over questions with one unseen question, the same for all systems"
        if request.covers is Estimand.POPULATION
        else "difficulty model fitted to each system"
    )
    questions = sum(part.questions for part in parts)
    return Leaderboard(tuple(rows), request.metric, weights, questions, words, tuple(remarks))


def _of_several(tables: Sequence[AlignedValues], remarks: list[str]) -> list[AlignedValues]:
    """Tasks in which at least two systems have a score, and a remark on every other."""
    kept = []
    refusals = Refusals()
    for data in tables:
        if len(data.systems) > 1:
            kept.append(data)
            continue
        for name, error in data.refused.items():
            refusals.add(Subject(name, data.task), data.metric, error)
        remarks += [
            f"{data.task}: left out of the average; of {names}: {reason}."
            for reason, names in _reasons(data).items()
        ]
    if not kept:
        refusals.require_none(done="ranked")
    return kept


def _with_questions(
    tables: Sequence[AlignedValues], systems: Sequence[str], remarks: list[str]
) -> list[AlignedValues]:
    """Tasks in which all systems share a question, and a remark on every other."""
    kept = [data for data in tables if _shared(data, systems).any()]
    if not kept:
        where = f" of {tables[0].task!r}" if tables[0].task else ""
        raise InputError(
            f"no question{where} is common to all systems; check that ids agree, or name systems "
            f"that share questions."
        )
    remarks += [
        f"{data.task}: left out of the average (no question is common to all systems)."
        for data in tables
        if data not in kept
    ]
    return kept


def _shared(data: AlignedValues, systems: Sequence[str]) -> NDArray[np.bool_]:
    """Mask of the questions that all of these systems have."""
    return np.logical_and.reduce([data.present(data.systems.index(name)) for name in systems])


def _reasons(data: AlignedValues) -> dict[str, str]:
    """Reasons why systems have no score, each with the systems it applies to."""
    why: dict[str, list[str]] = {}
    for name, error in data.refused.items():
        why.setdefault(reason_of(error, data.metric), []).append(name)
    return {reason: first_of(names) for reason, names in why.items()}


def _not_ranked(tables: Sequence[AlignedValues]) -> list[str]:
    """Remarks on systems without a score in a task, with the reason."""
    return [
        f"Not ranked: {names}{f' (in {data.task})' if data.task else ''}: {reason}."
        for data in tables
        for reason, names in _reasons(data).items()
    ]


def _weights(
    tasks: Sequence[str], kept: Sequence[str], weights: Mapping[str, float] | None
) -> dict[str, float]:
    """Weights of the remaining tasks; they sum to 1."""
    if weights is None:
        return {task: 1.0 / len(kept) for task in kept}
    unknown = sorted(set(weights) - set(tasks))
    if unknown:
        raise InputError(f"there is no task {unknown[0]!r} to weigh; there are: {list(tasks)}.")
    if any(not weight >= 0 or math.isinf(weight) for weight in weights.values()):
        raise InputError(f"weights of tasks must be 0 at least; got {dict(weights)}.")
    total = sum(weights.get(task, 0.0) for task in kept)
    if not total:
        raise InputError("all weights of tasks are 0; give one that is not.")
    return {task: weights.get(task, 0.0) / total for task in kept}


def _in_all(tables: Sequence[AlignedValues]) -> tuple[tuple[str, ...], list[str]]:
    """Systems with a score in every task, and those that lack a task."""
    known = dict.fromkeys(name for data in tables for name in data.everyone)
    kept = tuple(name for name in known if all(name in data.systems for data in tables))
    left = [name for name in known if any(name not in data.everyone for data in tables)]
    if len(kept) < 2:
        lacking = [name for name in known if name not in kept]
        why = " ".join(_not_ranked(tables))
        raise InputError(
            f"systems are ranked on the tasks that all of them have; these lack some: "
            f"{', '.join(lacking)}. Rank one task at a time, or name systems that have all."
            f"{f' {why}' if why else ''}"
        )
    return kept, left


class _Part:
    """Values of the questions, or clusters, of one task for every system."""

    def __init__(
        self, data: AlignedValues, systems: Sequence[str], weight: float, request: RankRequest
    ) -> None:
        rows = [data.systems.index(name) for name in systems]
        present = np.stack([data.present(at) for at in rows])
        self.weight = weight
        self.some: NDArray[np.bool_] = np.logical_and.reduce(present)
        self.questions = int(self.some.sum())
        self.left_out = int(present.any(axis=0).sum()) - self.questions
        self._data, self._rows, self._request = data, rows, request
        values = np.stack([data.values(at, self.some) for at in rows])
        self.clusters = np.unique(data.clusters[self.some], return_inverse=True)[1]
        self.weights = data.weighing(self.some)
        heavy = values if self.weights is None else values * self.weights
        self.sizes = np.bincount(self.clusters, self.weights).astype(float)
        self.totals = np.stack([np.bincount(self.clusters, cell) for cell in heavy])
        self.values = values
        self.size = float(self.sizes.sum())  # how many questions there are, or what they weigh
        self.means = values.mean(axis=1)
        if self.weights is not None:
            self.means = heavy.sum(axis=1) / self.size
        self._known: list[Summary] = []

    @property
    def range(self) -> tuple[float, float]:
        """Bounds of a value: those of the metric, or those that rewards suggest."""
        return range_of(self._data, self._request.bounds)

    def differences(self, first: int, second: int) -> Sample:
        """Differences of two systems, of clusters of questions."""
        low, high = self.range
        apart = apart_by(self.totals[first], self.totals[second])
        return sample_of_differences(apart, self.sizes, (low - high, high - low))

    def distances(self, level: float) -> Array:
        """Distances from the mean to the lower and to the upper end of each system."""
        found = self._at(level)
        return np.array([[s.mean - s.low for s in found], [s.high - s.mean for s in found]])

    def summaries(self) -> list[Summary]:
        """Mean, standard deviation and ends of each system."""
        if not self._known:
            self._known = self._at(self._request.level)
        return self._known

    def _at(self, level: float) -> list[Summary]:
        metric = self._data.metric
        if self._data.correct is not None and isinstance(metric, CountMetric):
            return self._of_counts(metric, level)
        if self._request.covers is Estimand.POPULATION:
            return [self._of_sample(values) for values in self.values]
        raise InputError(f"{metric} is ranked for the estimand 'population' only.")

    def _of_counts(self, metric: CountMetric, level: float) -> list[Summary]:
        """Mean, sd and ends of each system, as `score` gives them."""
        counts = [self._data.counts(at, self.some) for at in self._rows]
        method = Calibrated(self._request.covers, level, bounds=self._request.bounds)
        (cells,) = method.cells(counts, [metric])
        return [
            Summary(cell.mean, cell.sd, cell.interval.low, cell.interval.high) for cell in cells
        ]

    def _of_sample(self, values: Array) -> Summary:
        data, level = self._data, self._request.level
        clusters = self.clusters if data.clustered else None
        if data.bounded:
            each = np.ones(values.size)
            return mean_of_sample(values, each, clusters, level, self.weights, self.range)
        once = np.ones(values.size, dtype=np.int64)
        answered = Answered(values=values, trials=once, clusters=clusters, weights=self.weights)
        method = Calibrated(level=level, bounds=self._request.bounds)
        found = average_reward(Subject(), data.metric, answered, method, self.range)
        return Summary(found.value, found.sd, found.interval.low, found.interval.high)


class _Sampled:
    """Joint uncertainty for the population: questions are sampled, the same for all systems."""

    def __init__(self, parts: Sequence[_Part]) -> None:
        self._parts = parts
        self.means = np.sum([part.weight * part.means for part in parts], axis=0)

    def low_end(self, first: int, second: int, tail: float) -> float:
        """Lower end of the difference of two systems; tasks are combined by MOVER."""
        below = []
        for part in self._parts:
            sample = part.differences(first, second)
            below.append(part.weight * (sample.mean - low_end(sample, tail)))
        return float(self.means[first] - self.means[second]) - math.hypot(*below)

    def scores(self) -> Array:
        """Joint posterior draws of the scores of all systems, a row per draw.

        Each task has one unseen question, which the systems solve in a random order, at equal
        distances from the lower to the upper bound.
        """
        rng = np.random.default_rng(_SEED)
        systems = self.means.size
        scores = np.zeros((_DRAWS, systems))
        for part in self._parts:
            low, high = part.range
            ladder, once = np.linspace(low, high, systems), np.ones(part.sizes.size)
            step = max(1, _AT_ONCE // part.sizes.size)
            for start in range(0, _DRAWS, step):
                some = slice(start, min(start + step, _DRAWS))
                number = some.stop - start
                weights = rng.standard_exponential((number, part.sizes.size))
                unseen = unseen_weights(part.sizes, once, (number, 1), rng)
                order = rng.permuted(np.tile(ladder, (number, 1)), axis=1)
                total = (weights @ part.sizes)[:, None] + unseen
                scores[some] += part.weight * (weights @ part.totals.T + unseen * order) / total
        return scores


class _Apart:
    """Joint uncertainty for this exact benchmark: independent trial noise of each system."""

    def __init__(self, parts: Sequence[_Part]) -> None:
        self._parts = parts
        self._weights = np.array([part.weight for part in parts])
        each = [part.summaries() for part in parts]
        self.means = self._weights @ np.array([[cell.mean for cell in some] for some in each])
        sds = np.array([[cell.sd for cell in some] for some in each])
        self._sds = np.sqrt(np.square(self._weights) @ np.square(sds))
        self._ends: dict[float, tuple[Array, Array]] = {}

    def low_end(self, first: int, second: int, tail: float) -> float:
        """Lower end of the difference of two systems, by MOVER."""
        if tail not in self._ends:
            level = 1.0 - 2.0 * tail
            each = np.array([part.distances(level) for part in self._parts])
            squares = np.square(self._weights[:, None, None] * each).sum(axis=0)
            below, above = np.sqrt(squares)
            self._ends[tail] = below, above
        below, above = self._ends[tail]
        away = math.hypot(float(below[first]), float(above[second]))
        return float(self.means[first] - self.means[second]) - away

    def scores(self) -> Array:
        """Joint draws of the scores of all systems, a row per draw."""
        rng = np.random.default_rng(_SEED)
        return self.means + self._sds * rng.standard_normal((_DRAWS, self.means.size))


def _decided(vary: _Sampled | _Apart, level: float) -> Array:
    """1 where the row is significantly higher than the column, −1 where lower, else 0.

    All pairs hold together (Bonferroni), so that a verdict is that of `compare` on all pairs.
    """
    number = vary.means.size
    tail = (1.0 - level) / (number * (number - 1))
    found = np.zeros((number, number))
    for high in range(number):
        for low in range(number):
            if vary.means[high] > vary.means[low] and vary.low_end(high, low, tail) > 0.0:
                found[high, low], found[low, high] = 1.0, -1.0
    return found


class DrawnRanks:
    """Ranks under joint draws; tied scores share a rank.

    No probability is 0 or 1: each system is given one draw more in which it is the best.
    """

    def __init__(self, scores: Array) -> None:
        better = (scores[:, None, :] > scores[:, :, None]).sum(axis=2)
        equal = (scores[:, None, :] == scores[:, :, None]).sum(axis=2)
        ranks = better + 0.5 * (equal + 1)
        first = better == 0
        shares = (first / first.sum(axis=1, keepdims=True)).sum(axis=0)
        self.expected = ranks.mean(axis=0)
        self.best = (shares + 1.0) / (len(scores) + shares.size)


def _standings(
    systems: Sequence[str],
    parts: Sequence[_Part],
    ahead: Array,
    drawn: DrawnRanks,
    up: float,
    request: RankRequest,
) -> list[Standing]:
    found = [
        combined([(part.weight, part.summaries()[at]) for part in parts])
        for at in range(len(systems))
    ]
    values = np.sum([part.weight * part.means for part in parts], axis=0)
    order = sorted(range(len(systems)), key=lambda at: (-up * values[at], systems[at]))
    letters = letters_of([[ahead[i, j] != 0 for j in order] for i in order])
    rows = []
    for place, at in enumerate(order):
        better = values * up > values[at] * up + _ROUNDING
        rows.append(
            Standing(
                system=systems[at],
                value=float(values[at]),
                sd=found[at].sd,
                interval=Interval(found[at].low, found[at].high, request.level, request.covers),
                rank=1 + int(better.sum()),
                best_rank=1 + int((ahead[at] < 0).sum()),
                worst_rank=len(systems) - int((ahead[at] > 0).sum()),
                expected_rank=float(drawn.expected[at]),
                chance_best=float(drawn.best[at]),
                groups=letters[place],
            )
        )
    return rows
