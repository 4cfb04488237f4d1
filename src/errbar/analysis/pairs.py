"""Differences of systems on the questions of both, for a pair or for all systems together."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.analysis.alignment import Together, mean_of
from errbar.analysis.methods.calibrated import usual_trials
from errbar.analysis.methods.learned import Learned, Summary
from errbar.base.arrays import Array
from errbar.base.remarks import setting
from errbar.base.tables import counted
from errbar.errors import InputError
from errbar.kernels import sign_flip as signs
from errbar.kernels.interval import normal_reach
from errbar.metrics import CountMetric
from errbar.metrics.base import Direction
from errbar.results.estimate import Estimand

_FEW_QUESTIONS, _FEW_CLUSTERS, FEW_THAT_DIFFER = 10, 10, 10
_ALMOST = 1e-12  # of the largest: values this near are equal but for rounding
_ROOT_TWO = math.sqrt(2.0)  # sd of the difference of two runs, over that of a single run
_ANY_LEVEL = 0.95  # of ends that are not looked at


@dataclass(frozen=True, eq=False)
class Difference:
    """Difference of two systems on one metric, before adjustment for multiple comparisons."""

    value: float
    against: float
    mean: float
    sd: float
    score: float  # evidence that the mean is not zero, in normal deviations
    wins: int
    ties: int
    losses: int
    left_out: int
    caution: str
    span: float
    totals: Array | None  # of clusters, where those are the sample
    sizes: Array
    sds: tuple[float, float] | None = None  # of each system, where they vary apart
    reason: str = ""  # why there is no telling how sure it is
    apart: float = 1.0  # how many times as far as the truth a second run may be

    def ends(self, reach: float, sign: int) -> signs.Ends:
        """Interval of a given reach in standard deviations, consistent with the verdict."""
        if self.totals is None:
            far = reach * self.sd
            ends = signs.Ends(max(self.mean - far, -self.span), min(self.mean + far, self.span))
        else:
            ends = signs.shift_ends(self.totals, self.sizes, reach * self.apart, self.span)
        return signs.clip_to_verdict(ends, sign)

    def score_above(self, shift: float) -> float:
        """Evidence, in normal deviations, that the mean exceeds a shift."""
        if self.totals is None:
            return (self.mean - shift) / self.sd if self.sd else math.nan
        return signs.evidence(self.totals - shift * self.sizes) / self.apart


class Differences:
    """All pairs of systems on one metric and task."""

    def __init__(self, data: Together, covers: Estimand) -> None:
        self._data, self._covers = data, covers
        self._known: dict[tuple[int, bytes], Summary] = {}

    def of(self, one: int, other: int) -> Difference:
        """First minus second on their common questions, of which there is at least one."""
        data = self._data
        held = data.held(one), data.held(other)
        both = held[0] & held[1]
        number = int(both.sum())
        mine, theirs = data.values(one, both), data.values(other, both)
        ahead = apart_by(data.alone(one, both), data.alone(other, both))
        if data.metric.direction is Direction.LOWER:
            ahead = -ahead
        clusters = np.unique(data.clusters[both], return_inverse=True)[1]
        weights, apart = data.weighing(both), apart_by(mine, theirs)
        if weights is not None:
            apart *= weights
        totals = np.bincount(clusters, apart).astype(float)
        sizes = np.bincount(clusters, weights).astype(float)
        mean, sd, score = self._population(totals, sizes)
        learned = self._covers is not Estimand.POPULATION and not self._has_one_trial(one, other)
        again = _ROOT_TWO if self._covers is Estimand.RERUN and not learned else 1.0
        sds, reason = None, ""
        if learned:
            first, second = (self._summary(at, both) for at in (one, other))
            sds = first.sd, second.sd
            mean, sd = first.mean - second.mean, math.hypot(*sds)
            reason = "" if sd else "nothing varies, so there is no spread to estimate"
            score = mean / sd if sd else math.nan
        elif totals.size == 1:
            alone = "cluster" if data.clustered else "question"
            reason = f"a single {alone} gives no spread"
        return Difference(
            mean_of(mine, weights),
            mean_of(theirs, weights),
            mean,
            sd * again,
            score / again,
            int((ahead > 0).sum()),
            int((ahead == 0).sum()),
            int((ahead < 0).sum()),
            int((held[0] | held[1]).sum()) - number,
            self._caution(totals, number, learned=learned),
            data.span,
            None if learned else totals,
            sizes,
            sds,
            reason,
            again,
        )

    def _population(self, totals: Array, sizes: Array) -> tuple[float, float, float]:
        number, asked = totals.size, float(sizes.sum())
        mean = float(totals.sum()) / asked
        square = float(np.square(totals - mean * sizes).sum())
        # Differences that are all equal do not determine a standard deviation.
        spread = number > 1 and square > _ALMOST * float(totals @ totals)
        sd = math.sqrt(square * number / (number - 1)) / asked if spread else math.nan
        return mean, sd, signs.evidence(totals)

    def _has_one_trial(self, *systems: int) -> bool:
        """Whether a system has one trial per question, so that trial noise cannot be estimated."""
        data = self._data
        if data.correct is None:
            return False
        return any(usual_trials(data.counts(at, data.held(at))) == 1 for at in systems)

    def _summary(self, system: int, some: NDArray[np.bool_]) -> Summary:
        """Posterior summary of a system on this exact benchmark."""
        key = system, some.tobytes()
        if key not in self._known:
            noise = self._data.noise
            if noise is not None:
                self._known[key] = self._of_rewards(system, some, noise[system, some])
                return self._known[key]
            # Systems that have these questions too are learned in one go.
            alike = [at for at in range(len(self._data.systems)) if self._data.held(at)[some].all()]
            found = self._learned(alike, some)
            self._known |= {(at, key[1]): one for at, one in zip(alike, found, strict=True)}
        return self._known[key]

    def _learned(self, systems: Sequence[int], some: NDArray[np.bool_]) -> list[Summary]:
        data = self._data
        if not isinstance(data.metric, CountMetric):
            raise InputError(
                f"{data.metric}: votes by answer are supported for the estimand 'population' only."
            )
        counts = [data.counts(at, some) for at in systems]
        known = Learned.of(counts, [np.random.default_rng(0) for _ in systems])
        if self._covers is Estimand.RERUN:
            return [one.rerun(data.metric, _ANY_LEVEL) for one in known]
        return [one.benchmark(data.metric, _ANY_LEVEL) for one in known]

    def _of_rewards(self, system: int, some: NDArray[np.bool_], noise: Array) -> Summary:
        values = self._data.parts[0][system, some]
        if not np.isfinite(noise).all():
            raise InputError(
                f"{self._data.metric}: a question with a single trial gives no spread between "
                f"trials. "
                f"Ask for {setting('estimand', 'population')}."
            )
        twice = 2.0 if self._covers is Estimand.RERUN else 1.0
        weights = self._data.weighing(some)
        if weights is None:
            sd = math.sqrt(twice * float(noise.sum())) / values.size
        else:
            sd = math.sqrt(twice * float(weights**2 @ noise)) / float(weights.sum())
        return Summary(mean_of(values, weights), sd, math.nan, math.nan)

    def _caution(self, totals: Array, questions: int, *, learned: bool) -> str:
        """Caution about the normal approximation, or an empty text."""
        if learned:
            return ""
        if questions < _FEW_QUESTIONS:
            return f"only {counted(questions, 'question')}"
        if self._data.clustered and totals.size < _FEW_CLUSTERS:
            return f"only {counted(totals.size, 'cluster')}"
        differ = int((totals != 0).sum())
        if signs.effective_size(totals) < FEW_THAT_DIFFER:
            unit = "clusters" if self._data.clustered else "questions"
            few = f"few {unit} differ: {differ}"
            many = f"rests on few of the {differ} {unit} that differ"
            return few if differ <= FEW_THAT_DIFFER else many
        return ""


def apart_by(mine: Array, theirs: Array) -> Array:
    """Differences of values; exactly 0 where they are equal up to rounding."""
    apart = mine - theirs
    apart[np.abs(apart) <= _ALMOST * max(np.abs(mine).max(), np.abs(theirs).max())] = 0.0
    return apart


_DRAWS = 10_000
_AT_ONCE = 1_000
_ROUNDING = 1e-12  # relative squared distance below which two systems vary alike


class Pair(NamedTuple):
    """A difference with the indices of its two systems."""

    one: int
    other: int
    found: Difference


class Moving(NamedTuple):
    """Influence of each random weight on each system, and the pairs of interest."""

    steps: Array  # systems × weights
    pairs: NDArray[np.intp]  # a row for each
    seed: int = 0  # equal where the same questions are weighted


def common_reach(groups: Sequence[tuple[Together, Sequence[Pair]]], level: float) -> float:
    """Reach in standard deviations for which all intervals hold simultaneously."""
    tasks: dict[str, int] = {}  # questions of a task are weighed alike for every metric
    moving = [
        Moving(
            _steps(data, pairs),
            np.array([(one, other) for one, other, _ in pairs]),
            tasks.setdefault(data.task, len(tasks)),
        )
        for data, pairs in groups
    ]
    return reach_of(moving, level)


def reach_of(groups: Sequence[Moving], level: float) -> float:
    """Reach that the largest standardised difference stays within, with probability `level`.

    Standard deviations are those of the draws: systems that share only some questions each vary
    with all of their own.
    """
    if sum(len(pairs) for _, pairs, _ in groups) < 2:
        return normal_reach(level)
    farthest = np.zeros(_DRAWS)
    for steps, pairs, seed in groups:
        one, other = pairs.T
        sd = apart(steps)[one, other]
        one, other, sd = one[sd > 0], other[sd > 0], sd[sd > 0]
        for at in range(0, _DRAWS, _AT_ONCE):
            moved = drawn(steps, np.random.default_rng([seed, at]))
            block = farthest[at : at + _AT_ONCE]
            off = np.abs(moved[:, one] - moved[:, other]) / sd
            np.maximum(block, off.max(axis=1, initial=0.0), out=block)
    return max(float(np.quantile(farthest, level)), normal_reach(level))


def drawn(steps: Array, rng: np.random.Generator) -> Array:
    """Deviations of each system in some of the draws."""
    return rng.standard_normal((_AT_ONCE, steps.shape[1])) @ steps.T


def draws_of(steps: Array, seed: int) -> Array:
    """Deviations of each system in all draws, block by block."""
    parts = range(_DRAWS // _AT_ONCE)
    return np.concatenate([drawn(steps, np.random.default_rng([seed, at])) for at in parts])


def apart(rows: Array) -> Array:
    """Euclidean distance between every two rows."""
    products = rows @ rows.T
    own = np.diag(products)
    square = own[:, None] + own - 2.0 * products
    square[square < _ROUNDING * (own[:, None] + own)] = 0.0
    root: Array = np.sqrt(square)
    return root


def _steps(data: Together, pairs: Sequence[Pair]) -> Array:
    """Influence of each cluster's weight, or of the trial noise, on each system."""
    luck = {
        at: sd
        for one, other, found in pairs
        if found.sds is not None
        for at, sd in zip((one, other), found.sds, strict=True)
    }
    systems = len(data.systems)
    if luck:  # systems are independent, given their questions
        steps = np.zeros((systems, systems))
        for place, at in enumerate(sorted(luck, key=lambda at: data.systems[at])):
            steps[at, place] = luck[at]
        return steps
    number = int(data.clusters.max()) + 1
    steps = np.zeros((systems, number))
    for at in range(systems):
        held = data.held(at)
        values = data.values(at, held)
        weights = data.weighing(held)
        off = values - mean_of(values, weights)
        size: float = values.size
        if weights is not None:
            off, size = off * weights, float(weights.sum())
        steps[at] = np.bincount(data.clusters[held], off, number) / size
    return steps
