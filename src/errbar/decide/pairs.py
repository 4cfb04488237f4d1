"""Two systems on the questions of both: their difference, and what there is to say of it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.decide.values import Together, mean_of
from errbar.errors import InputError
from errbar.estimate import Estimand
from errbar.kernels import signs
from errbar.metrics import CountMetric
from errbar.metrics.base import Direction
from errbar.remarks import setting
from errbar.tables import counted
from errbar.uncertainty.calibrated import usual_trials
from errbar.uncertainty.learned import Learned, Summary

Array = NDArray[np.floating[Any]]

_FEW_QUESTIONS, _FEW_CLUSTERS, FEW_THAT_DIFFER = 10, 10, 10
_ALMOST = 1e-12  # of the largest: values this near are equal but for rounding
_ROOT_TWO = math.sqrt(2.0)  # two runs differ by so much more than one does from the truth
_ANY_LEVEL = 0.95  # of ends that are not looked at


@dataclass(frozen=True, eq=False)
class Difference:
    """How far the first is ahead, before its number of companions is known."""

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
        """The interval that reaches so many deviations, and agrees with what was decided."""
        if self.totals is None:
            far = reach * self.sd
            ends = signs.Ends(max(self.mean - far, -self.span), min(self.mean + far, self.span))
        else:
            ends = signs.shift_ends(self.totals, self.sizes, reach * self.apart, self.span)
        return signs.agreeing(ends, sign)

    def score_above(self, shift: float) -> float:
        """Evidence that the mean is above a shift."""
        if self.totals is None:
            return (self.mean - shift) / self.sd if self.sd else math.nan
        return signs.evidence(self.totals - shift * self.sizes) / self.apart


class Differences:
    """The pairs of systems of one metric and task."""

    def __init__(self, data: Together, covers: Estimand) -> None:
        self._data, self._covers = data, covers
        self._known: dict[tuple[int, bytes], Summary] = {}

    def of(self, one: int, other: int) -> Difference:
        """The first less the second, on the questions of both; there is one at least."""
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
            reason = "" if sd else "nothing varies, so there is no telling how sure it is"
            score = mean / sd if sd else math.nan
        elif totals.size == 1:
            alone = "cluster" if data.clustered else "question"
            reason = f"one {alone} says nothing of others"
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
        # Differences that are all the same cannot tell how far others may lie.
        spread = number > 1 and square > _ALMOST * float(totals @ totals)
        sd = math.sqrt(square * number / (number - 1)) / asked if spread else math.nan
        return mean, sd, signs.evidence(totals)

    def _has_one_trial(self, *systems: int) -> bool:
        """One trial per question cannot tell trial noise from difficulty."""
        data = self._data
        if data.correct is None:
            return False
        return any(usual_trials(data.counts(at, data.held(at))) == 1 for at in systems)

    def _summary(self, system: int, some: NDArray[np.bool_]) -> Summary:
        """What is known of a system on these very questions."""
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
                f"{data.metric}: votes by answer are known for the estimand 'population' alone."
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
                f"{self._data.metric}: a question with one trial says nothing of its other trials. "
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
        """Why not to trust the approximation."""
        if learned:
            return ""
        if questions < _FEW_QUESTIONS:
            return f"only {counted(questions, 'question')}"
        if self._data.clustered and totals.size < _FEW_CLUSTERS:
            return f"only {counted(totals.size, 'cluster')}"
        differ = int((totals != 0).sum())
        if signs.differing(totals) < FEW_THAT_DIFFER:
            unit = "clusters" if self._data.clustered else "questions"
            few = f"few {unit} differ: {differ}"
            many = f"rests on few of the {differ} {unit} that differ"
            return few if differ <= FEW_THAT_DIFFER else many
        return ""


def apart_by(mine: Array, theirs: Array) -> Array:
    """How far values lie apart; not at all where they are equal but for rounding."""
    apart = mine - theirs
    apart[np.abs(apart) <= _ALMOST * max(np.abs(mine).max(), np.abs(theirs).max())] = 0.0
    return apart
