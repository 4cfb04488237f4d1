"""Scores of a judge corrected by trusted labels: prediction-powered inference.

Every question has a value by the judge's grades, and labelled questions one by their labels too. A
corrected score is a sum of two means: of the judge's values of the questions without a label, times
a weight, and of the rectifiers, label value − weight · judge's value. Each is the mean of a bounded
sample, with Gaffke's interval (`kernels.bounded_mean`), and MOVER combines the two. With 20 labels
of a good judge, the normal interval of the papers covers 60% instead of 95%: if the 20 labels show
no mistake, it concludes that the judge makes none.

The labelled questions are assumed to be a random sample of all. If they were chosen with unequal
probabilities, the judge's mean is that of all questions, and the two means are correlated through
the labelled questions.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from errbar.analysis.alignment import AlignedValues, mean_of
from errbar.analysis.evaluate import is_reward
from errbar.analysis.methods import Calibrated
from errbar.analysis.methods.population import Summary, sample_of
from errbar.analysis.outcome_scales import bounds_of
from errbar.analysis.pairs import Difference, range_of
from errbar.analysis.question_values import question_values
from errbar.analysis.spreads import CombinedMeans, MeanPart
from errbar.base.arguments import require_choice
from errbar.base.arrays import Array
from errbar.base.remarks import way_to_say
from errbar.data.columns import Key, list_names
from errbar.data.queries.named_questions import NamedQuestions
from errbar.data.sources.tables import Source
from errbar.errors import InputError
from errbar.kernels.hierarchical import exchangeable_normal, root_of
from errbar.kernels.prediction_powered import Judged
from errbar.kernels.sign_flip import rounded_difference
from errbar.metrics import CountMetric
from errbar.metrics.base import Direction
from errbar.metrics.confidence import ProbabilityMetric

Correction = Literal["ppi++", "ppi", "labels"]
CORRECTIONS: tuple[Correction, ...] = ("ppi++", "ppi", "labels")
Mask = NDArray[np.bool_]


class LabelValues(NamedTuple):
    """The value of each question by its labels, nan without one, and the weight of the label."""

    values: Array
    extremes: Array  # lowest and highest label of each question
    weights: Array
    short: int  # questions whose labels are too few for the metric


class LabelSource(Protocol):
    """Base class of what has labels for the questions of a system."""

    @property
    def correction(self) -> Correction:
        """How labels correct the judge."""

    def of(self, data: AlignedValues, system: str) -> LabelValues:
        """The label values of the questions of a system, in the order of `data.questions`."""


@dataclass(frozen=True)
class Labels:
    """Trusted labels: a source of outcomes of the same questions."""

    source: Source
    systems: Mapping[str, str]  # name in the judged source, name in this one
    tasks: Mapping[str, str]
    sampled: bool  # whether weights are those of sampling: 1 / probability of being chosen
    correction: Correction = "ppi++"

    @classmethod
    def match(
        cls, judged: Source, labels: Source, *, sampled: bool, correction: Correction = "ppi++"
    ) -> "Labels":
        """Match the systems and tasks of the labels with those of the judge's outcomes.

        They match by name. A single system on either side matches the single system on the other.
        """
        require_choice(correction, "correction", CORRECTIONS)
        there, here = (_names(source.named()) for source in (judged, labels))
        systems, tasks = (
            _match_names(have, given, noun)
            for have, given, noun in zip(there, here, ("system", "task"), strict=True)
        )
        return cls(labels, systems, tasks, sampled, correction)

    @cached_property
    def _named(self) -> dict[Key, NamedQuestions]:
        return self.source.named()

    def of(self, data: AlignedValues, system: str) -> LabelValues:
        """The label values of the questions of a system, in the order of `data.questions`."""
        is_mean = len(data.parts) == 1 and not isinstance(data.metric, ProbabilityMetric)
        if not isinstance(data.metric, CountMetric) or not is_mean:
            raise InputError(
                "cannot be corrected by labels, because it is not a mean over questions; avg "
                "and pass@k can"
            )
        values, weights = np.full(len(data.questions), np.nan), np.ones(len(data.questions))
        extremes = np.full((2, len(data.questions)), np.nan)
        key = self.systems.get(system), self.tasks.get(data.task)
        named = None if None in key else self._named.get(key)  # type: ignore[arg-type]
        if named is None or not named.slice.scored.any():
            raise InputError(f"no answer of {system} has a label; label some of every system")
        kept = named.where(named.slice.scored > 0)
        rewards = is_reward(named.slice, data.metric)
        means = question_values(self.source, kept, data.metric, "missing", rewards=rewards)
        place = {name: at for at, name in enumerate(data.questions)}
        own = kept.slice.weights if self.sampled else None
        weight_of = dict(zip(kept.questions, [] if own is None else own.tolist(), strict=False))
        ends = np.stack([means.parts[0]] * 2) if means.extremes is None else means.extremes
        for at, (name, value) in enumerate(
            zip(means.questions, means.parts[0].tolist(), strict=True)
        ):
            if name in place:
                values[place[name]] = value
                extremes[:, place[name]] = ends[:, at]
                weights[place[name]] = weight_of.get(name, 1.0)
        return LabelValues(values, extremes, weights, int(np.isnan(means.parts[0]).sum()))

    def unknown(self, judged: Source) -> int:
        """Number of labelled questions that the judge's outcomes lack."""
        there = judged.named()
        lost = 0
        for system, own in self.systems.items():
            for task, its in self.tasks.items():
                labelled = self._named.get((own, its))
                if labelled is not None:
                    known = there.get((system, task))
                    scored = labelled.where(labelled.slice.scored > 0).questions
                    lost += len({*scored} - {*(known.questions if known else ())})
        return lost


def _names(named_by_key: Mapping[Key, NamedQuestions]) -> tuple[list[str], list[str]]:
    """Names of the systems and of the tasks."""
    systems, tasks = (list(dict.fromkeys(key[at] for key in named_by_key)) for at in (0, 1))
    return systems, tasks


def _match_names(judged: Sequence[str], labels: Sequence[str], noun: str) -> dict[str, str]:
    if len(judged) == len(labels) == 1:
        return {judged[0]: labels[0]}
    if not set(judged) & set(labels):
        raise InputError(
            f"no label is of a {noun} that was judged: the labels have {list_names(labels)}, the "
            f"outcomes {list_names(judged)}. Give the labels a column with the {noun}, or name the "
            f"column that has them with {way_to_say('--label COLUMN', 'label=...')}."
        )
    return {name: name for name in judged if name in labels}


class CorrectedScore(NamedTuple):
    """A corrected score, with the scores by the judge alone and by the labels alone."""

    spread: CombinedMeans
    weight: float  # weight of the judge's grades: 1 in PPI, tuned in PPI++, 0 with labels alone
    judged: Judged
    alone: CombinedMeans  # score by the labels alone
    judge: float  # mean of the judge's values of all questions

    @property
    def labels(self) -> int:
        """Number of labelled questions."""
        return int(self.judged.labels.size)


class CorrectedTask:
    """Corrected scores and differences of the systems of one task."""

    def __init__(
        self, data: AlignedValues, labels: LabelSource, bounds: tuple[float, float] | None
    ) -> None:
        self.data, self._labels = data, labels
        self._known: dict[int, LabelValues] = {}
        self._asked = bounds
        self._clusters = int(data.clusters.max(initial=-1)) + 1

    def labels_of(self, system: int) -> LabelValues:
        """The label values of a system."""
        if system not in self._known:
            self._known[system] = self._labels.of(self.data, self.data.systems[system])
        return self._known[system]

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """Lowest and highest possible value of a question, by judge and labels."""
        data = self.data
        labels = [self.labels_of(at).extremes for at in range(len(data.systems)) if self._has(at)]
        observed = np.concatenate([ends[:, ~np.isnan(ends[0])] for ends in labels], axis=1)
        if data.extremes is not None:
            judged = data.extremes[:, ~np.isnan(data.extremes[0])]
            return bounds_of(np.concatenate([judged, observed], axis=1), self._asked)
        low, high = range_of(data, self._asked)
        outside = observed[(observed < low) | (observed > high)]
        if outside.size:
            option = way_to_say("--bounds LOW HIGH", "bounds=(low, high)")
            raise InputError(
                f"a label is {outside[0]:g}, but the judge's outcomes lie between {low:g} and "
                f"{high:g}; put both on one scale, or give its ends with {option}"
            )
        return low, high

    def _has(self, system: int) -> bool:
        try:
            return bool(self.labels_of(system).values.size)
        except InputError:
            return False

    def score(self, system: int, some: Mask | None = None) -> CorrectedScore:
        """Corrected score of a system on selected questions, by default on all its questions."""
        some = self.data.present(system) if some is None else some
        labels = self.labels_of(system)
        return self._corrected(self.data.parts[0][system], labels, some, self.bounds)

    def difference(self, first: int, second: int, some: Mask) -> tuple[CombinedMeans, float, float]:
        """First minus second on selected questions, and both corrected scores.

        The errors of the two are correlated by the questions that both have, labelled or not. (A
        sample of differences needs no correlation, but its bounds are twice as wide: with 20
        labels its intervals are 15% to 35% wider.)
        """
        first_spread, second_spread = (self.score(at, some).spread for at in (first, second))
        low, high = self.bounds
        minus = [MeanPart(part.sample.mirrored, -part.influence) for part in second_spread.parts]
        difference = CombinedMeans([*first_spread.parts, *minus], (low - high, high - low))
        return difference, first_spread.mean, second_spread.mean

    def _corrected(
        self, grades: Array, labels: LabelValues, some: Mask, bounds: tuple[float, float]
    ) -> CorrectedScore:
        known = some & ~np.isnan(labels.values)
        chosen = labels.weights[known]
        by_chance = bool((chosen == chosen[:1]).all())  # every question with the same probability
        others = some & ~known if by_chance else some
        if not known.any():
            raise InputError("none of these questions has a label")
        heavy = np.ones(some.size) if self.data.weights is None else self.data.weights
        judged = Judged.of(
            labels.values[known],
            grades[known],
            grades[others],
            (heavy * labels.weights)[known],
            heavy[others],
            None if by_chance else np.flatnonzero(known[others]),
        )
        weight = self._weight(judged)
        low, high = bounds
        rectifiers = labels.values - weight * grades
        ends = low - weight * high, high - weight * low
        alone = CombinedMeans(
            [self._part(labels.values, known, judged.label_weights, bounds)], bounds
        )
        parts = [self._part(rectifiers, known, judged.label_weights, ends)]
        if weight:
            scaled = weight * low, weight * high
            parts.append(self._part(weight * grades, others, judged.other_weights, scaled))
        spread = CombinedMeans(parts, bounds) if weight else alone
        judge = mean_of(grades[some], self.data.weighing(some))
        return CorrectedScore(spread, weight, judged, alone, judge)

    def _weight(self, judged: Judged) -> float:
        """Weight of the judge's grades; without a question to grade it is 0."""
        if not judged.others.size or self._labels.correction == "labels":
            return 0.0
        return 1.0 if self._labels.correction == "ppi" else judged.tuned_weight()

    def _part(
        self, values: Array, some: Mask, weights: Array, bounds: tuple[float, float]
    ) -> MeanPart:
        """The mean of some of the questions."""
        values, clusters = values[some], self.data.clusters[some]
        equal = bool((weights == weights[0]).all())
        sample = sample_of(
            values,
            np.ones(values.size),
            clusters if self.data.clustered else None,
            None if equal else weights,
            bounds,
        )
        off = weights * (values - sample.mean) / weights.sum()
        influence: Array = np.bincount(clusters, off, self._clusters).astype(float)
        return MeanPart(sample, influence)


class CorrectedDifferences:
    """All pairs of systems on one metric and task, corrected by labels."""

    def __init__(self, data: AlignedValues, intervals: Calibrated, labels: Labels) -> None:
        self._data, self._task = data, CorrectedTask(data, labels, intervals.bounds)

    def of(self, first: int, second: int) -> Difference:
        """First minus second on their common questions; wins and losses are those by the judge."""
        data = self._data
        masks = data.present(first), data.present(second)
        both = masks[0] & masks[1]
        ahead = rounded_difference(data.parts[0][first, both], data.parts[0][second, both])
        if data.metric.direction is Direction.LOWER:
            ahead = -ahead
        spread, value, against = self._task.difference(first, second, both)
        return Difference(
            value=value,
            against=against,
            spread=spread,
            wins=int((ahead > 0).sum()),
            ties=int((ahead == 0).sum()),
            losses=int((ahead < 0).sum()),
            left_out=int((masks[0] | masks[1]).sum()) - int(both.sum()),
            caution="",
            reason="" if spread.sd else "nothing varies, so there is no spread to estimate",
        )


class CorrectedPart:
    """Corrected scores of all systems on one task, for their ranks."""

    def __init__(
        self,
        data: AlignedValues,
        systems: Sequence[str],
        weight: float,
        intervals: Calibrated,
        labels: Labels,
    ) -> None:
        self._rows = [data.systems.index(name) for name in systems]
        present = np.stack([data.present(at) for at in self._rows])
        self._some: Mask = np.logical_and.reduce(present)
        self.weight, self.questions = weight, int(self._some.sum())
        self.left_out = int(present.any(axis=0).sum()) - self.questions
        self._task, self._level = CorrectedTask(data, labels, intervals.bounds), intervals.level
        self.scored = [self._task.score(at, self._some).spread for at in self._rows]
        self.means = np.array([spread.mean for spread in self.scored])

    def summaries(self) -> list[Summary]:
        """Mean, standard deviation and ends of each system."""
        return self._summaries

    @cached_property
    def _summaries(self) -> list[Summary]:
        """Computed once for each system."""
        return [
            Summary(spread.mean, spread.sd, *spread.ends(self._level)) for spread in self.scored
        ]

    def difference(self, first: int, second: int) -> CombinedMeans:
        """Difference of two systems."""
        return self._task.difference(self._rows[first], self._rows[second], self._some)[0]

    def covariance(self) -> Array:
        """Covariance of the scores: correlated as their influences on the questions are."""
        sds = np.array([spread.sd for spread in self.scored])
        influence = np.stack([spread.influence for spread in self.scored])
        size = np.linalg.norm(influence, axis=1)
        scaled = influence / np.where(size > 0, size, 1.0)[:, None]
        correlation = scaled @ scaled.T
        np.fill_diagonal(correlation, 1.0)
        return correlation * np.outer(sds, sds)


class CorrectedScores:
    """Joint uncertainty of corrected scores, averaged over tasks."""

    def __init__(self, parts: Sequence[CorrectedPart]) -> None:
        self._parts = parts
        self.means = np.sum([part.weight * part.means for part in parts], axis=0)

    def low_end(self, first: int, second: int, tail: float) -> float:
        """Lower end of the difference of two systems; tasks are combined by MOVER."""
        apart = [(part.weight, part.difference(first, second)) for part in self._parts]
        below = [
            weight * (found.mean - found.ends(1.0 - 2.0 * tail).low) for weight, found in apart
        ]
        return math.fsum(weight * found.mean for weight, found in apart) - math.hypot(*below)

    def sd(self, first: int, second: int) -> float:
        """Standard deviation of the difference of two systems."""
        return math.hypot(*(p.weight * p.difference(first, second).sd for p in self._parts))

    def scores(self) -> Array:
        """Joint posterior draws of the scores of all systems, a row per draw."""
        total = np.sum([part.weight**2 * part.covariance() for part in self._parts], axis=0)
        return exchangeable_normal(self.means, root_of(total))
