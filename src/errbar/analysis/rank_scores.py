"""Joint uncertainty of the scores of several systems, from which their ranks follow.

For the population, the questions are a sample that all systems share. For this exact benchmark,
the trial noise of each system is independent.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Literal, NamedTuple, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from errbar.analysis.alignment import AlignedValues
from errbar.analysis.methods import Calibrated
from errbar.analysis.methods.population import Summary, mean_of_sample
from errbar.analysis.pairs import range_of, sample_of_differences
from errbar.analysis.rewards import AnsweredQuestions, average_reward
from errbar.analysis.score import ScoredMetric
from errbar.base.arguments import require_choice
from errbar.base.arrays import Array
from errbar.base.remarks import setting, way_to_say
from errbar.errors import InputError
from errbar.kernels.bounded_mean import Sample, low_end
from errbar.kernels.hierarchical import DRAWS, SEED, exchangeable_normal, with_g_prior
from errbar.kernels.resample import unseen_weights
from errbar.kernels.sign_flip import rounded_difference
from errbar.metrics import CountMetric
from errbar.results.estimate import Estimand, Subject

_AT_ONCE = 1 << 22  # random numbers in memory at a time: 32 MB

RankBy = Literal["mean", "borda", "copeland", "win-rate", "bradley-terry", "rasch"]


@dataclass(frozen=True)
class RankRequest:
    """A request to rank systems: metric, systems, weights of tasks and intervals."""

    metric: ScoredMetric
    _: KW_ONLY
    by: RankBy = "mean"
    systems: Sequence[str] | None = None
    weights: Mapping[str, float] | None = None  # weights of tasks
    intervals: Calibrated

    def __post_init__(self) -> None:
        require_choice(self.by, "by", get_args(RankBy))
        if self.intervals.estimand is Estimand.RERUN:
            raise InputError(
                "ranks are properties of systems, not of a run; use estimand "
                "'population' or 'benchmark'."
            )
        if self.by != "mean" and self.intervals.largest_cluster is not None:
            option = way_to_say("--largest-cluster", "largest_cluster")
            raise InputError(f"{option} applies to ranks by the mean only.")
        if self.by != "mean" and self.intervals.estimand is Estimand.BENCHMARK:
            raise InputError(
                f"ranks by {self.by} are for new questions; {setting('estimand', 'benchmark')} is "
                f"for ranks by the mean."
            )


class RankedPart(Protocol):
    """The scores of all systems on one task."""

    weight: float
    questions: int
    left_out: int
    means: Array

    def summaries(self) -> list[Summary]:
        """Mean, standard deviation and ends of each system."""


class JointScores(Protocol):
    """Joint uncertainty of the scores of all systems, averaged over tasks."""

    means: Array

    def low_end(self, first: int, second: int, tail: float) -> float:
        """Lower end of the difference of two systems."""

    def sd(self, first: int, second: int) -> float:
        """Standard deviation of the difference of two systems."""

    def scores(self) -> Array:
        """Joint posterior draws of the scores, a row per draw."""


class RankScoring(NamedTuple):
    """How systems are scored for their ranks: the parts of the tasks, and all of them together."""

    part_of: Callable[[AlignedValues, Sequence[str], float, Calibrated], Any]
    together: Callable[[Sequence[Any]], JointScores]
    words: str


class QuestionPart:
    """Values of the questions, or clusters, of one task for every system."""

    def __init__(
        self, data: AlignedValues, systems: Sequence[str], weight: float, intervals: Calibrated
    ) -> None:
        rows = [data.systems.index(name) for name in systems]
        present = np.stack([data.present(at) for at in rows])
        self.weight = weight
        self.some: NDArray[np.bool_] = np.logical_and.reduce(present)
        self.questions = int(self.some.sum())
        self.left_out = int(present.any(axis=0).sum()) - self.questions
        self._data, self._rows, self._intervals = data, rows, intervals
        self.largest = intervals.largest_cluster
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
        return range_of(self._data, self._intervals.bounds)

    def differences(self, first: int, second: int) -> Sample:
        """Differences of two systems, of clusters of questions."""
        low, high = self.range
        difference = rounded_difference(self.totals[first], self.totals[second])
        sample = sample_of_differences(difference, self.sizes, (low - high, high - low))
        return sample._replace(largest=self.largest)

    def distances(self, level: float) -> Array:
        """Distances from the mean to the lower and to the upper end of each system."""
        distances = self._at(level)
        return np.array([[s.mean - s.low for s in distances], [s.high - s.mean for s in distances]])

    def summaries(self) -> list[Summary]:
        """Mean, standard deviation and ends of each system."""
        if not self._known:
            self._known = self._at(self._intervals.level)
        return self._known

    def _at(self, level: float) -> list[Summary]:
        metric = self._data.metric
        if self._data.correct is not None and isinstance(metric, CountMetric):
            return self._of_counts(metric, level)
        if self._intervals.estimand is Estimand.POPULATION:
            return [self._of_sample(values) for values in self.values]
        raise InputError(f"{metric} is ranked for the estimand 'population' only.")

    def _of_counts(self, metric: CountMetric, level: float) -> list[Summary]:
        """Mean, sd and ends of each system, as `score` gives them."""
        counts = [self._data.counts(at, self.some) for at in self._rows]
        (cells,) = replace(self._intervals, level=level).cells(counts, [metric])
        return [
            Summary(cell.mean, cell.sd, cell.interval.low, cell.interval.high) for cell in cells
        ]

    def _of_sample(self, values: Array) -> Summary:
        data, level = self._data, self._intervals.level
        clusters = self.clusters if data.clustered else None
        if data.extremes is None:
            each = np.ones(values.size)
            sample = each, clusters, level, self.weights, self.range
            return mean_of_sample(values, *sample, largest=self.largest)
        once = np.ones(values.size, dtype=np.int64)
        answered = AnsweredQuestions(
            values=values, trials=once, clusters=clusters, weights=self.weights
        )
        estimate = average_reward(Subject(), data.metric, answered, self._intervals, self.range)
        return Summary(estimate.value, estimate.sd, estimate.interval.low, estimate.interval.high)


class SampledScores:
    """Joint uncertainty for the population: questions are sampled, the same for all systems."""

    def __init__(self, parts: Sequence[QuestionPart]) -> None:
        self._parts = parts
        self.means = np.sum([part.weight * part.means for part in parts], axis=0)

    def low_end(self, first: int, second: int, tail: float) -> float:
        """Lower end of the difference of two systems; tasks are combined by MOVER."""
        below = []
        for part in self._parts:
            sample = part.differences(first, second)
            below.append(part.weight * (sample.mean - low_end(sample, tail)))
        return float(self.means[first] - self.means[second]) - math.hypot(*below)

    def sd(self, first: int, second: int) -> float:
        """Standard deviation of the difference of two systems."""
        parts = self._parts
        return math.hypot(*(part.weight * part.differences(first, second).sd() for part in parts))

    def scores(self) -> Array:
        """Joint posterior draws of the scores of all systems, a row per draw.

        Each task has one unseen question, which the systems solve in a random order, at equal
        distances from the lower to the upper bound. The systems are taken to be exchangeable.
        """
        rng = np.random.default_rng(SEED)
        systems = self.means.size
        scores = np.zeros((DRAWS, systems))
        for part in self._parts:
            low, high = part.range
            ladder, like = np.linspace(low, high, systems), part.sizes
            if part.largest is not None:
                like = np.array([part.largest])
            step = max(1, _AT_ONCE // part.sizes.size)
            for start in range(0, DRAWS, step):
                some = slice(start, min(start + step, DRAWS))
                number = some.stop - start
                weights = rng.standard_exponential((number, part.sizes.size))
                unseen = unseen_weights(like, np.ones(like.size), (number, 1), rng)
                order = rng.permuted(np.tile(ladder, (number, 1)), axis=1)
                total = (weights @ part.sizes)[:, None] + unseen
                scores[some] += part.weight * (weights @ part.totals.T + unseen * order) / total
        influences = [
            part.weight / part.size * (part.totals - np.outer(part.means, part.sizes))
            for part in self._parts
        ]
        return with_g_prior(scores, influences, rng)


class ApartScores:
    """Joint uncertainty for this exact benchmark: independent trial noise of each system."""

    def __init__(self, parts: Sequence[QuestionPart]) -> None:
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

    def sd(self, first: int, second: int) -> float:
        """Standard deviation of the difference of two systems."""
        return math.hypot(float(self._sds[first]), float(self._sds[second]))

    def scores(self) -> Array:
        """Joint posterior draws of the scores of all systems, a row per draw."""
        return exchangeable_normal(self.means, np.diag(self._sds))


def usual_scoring(intervals: Calibrated) -> RankScoring:
    """Scores from the outcomes themselves."""
    if intervals.estimand is Estimand.POPULATION:
        words = (
            "Bayesian bootstrap over questions with one unseen question, the same for all systems"
        )
        return RankScoring(QuestionPart, SampledScores, words)
    return RankScoring(QuestionPart, ApartScores, "difficulty model fitted to each system")
