"""Systems aligned by question: the value of every question for every system.

A metric is a mean over questions, or a blend of such means. A blend is replaced by its linear
expansion around the means, so that it becomes a mean of question values too.
"""

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from errbar.analysis.evaluate import is_reward, reason_of
from errbar.analysis.question_values import SystemValues, long_enough, question_values
from errbar.analysis.score import ScoredMetric, Short
from errbar.base.arguments import require_choice, scaled_weights
from errbar.base.arrays import Array, Integers
from errbar.base.remarks import counted, setting, way_to_say
from errbar.data.columns import Key, unknown_name
from errbar.data.counts import CountsByState
from errbar.data.queries.named_questions import NamedQuestions
from errbar.data.queries.questions import NEVER_SCORED, failures_as
from errbar.data.sources.tables import Source
from errbar.errors import InputError
from errbar.metrics import CountMetric, Metric, VoteAt
from errbar.results.estimate import Subject

Kind = TypeVar("Kind")
Id = TypeVar("Id", bound=Hashable)


@dataclass(frozen=True, eq=False)
class Alignment(Generic[Id]):
    """The ids of several systems, and the position of each among the ids of all."""

    place: Mapping[Id, int]  # position of every id that any system has
    places: Sequence[Integers]  # positions of the ids of each system, in their order

    @property
    def ids(self) -> list[Id]:
        """The ids of all systems, in order."""
        return list(self.place)

    def shared(self) -> list[Integers]:
        """Positions, in each system, of the ids that every system has; in the order of `ids`."""
        often = np.bincount(np.concatenate(self.places), minlength=len(self.place))
        positions = []
        for at in self.places:
            order = np.argsort(at)
            positions.append(order[often[at[order]] == len(self.places)])
        return positions

    def at(self, ids: Iterable[Id]) -> Integers:
        """Positions of ids."""
        return np.array([self.place[question] for question in ids], dtype=np.int64)


def align(
    systems: Iterable[Collection[Id]], order: Callable[[Iterable[Any]], list[Any]] = sorted
) -> Alignment[Id]:
    """Align systems by the ids of their questions or items.

    `order` sorts the ids of all systems; `list` keeps the order of first appearance.

    Examples
    --------
    >>> found = align([["q1", "q3"], ["q3", "q2"]])
    >>> found.ids, [at.tolist() for at in found.places], [at.tolist() for at in found.shared()]
    (['q1', 'q2', 'q3'], [[0, 2], [2, 1]], [[1], [0]])
    """
    each = list(systems)
    known = order(dict.fromkeys(name for ids in each for name in ids))
    alignment = Alignment({name: at for at, name in enumerate(known)}, [])
    return replace(alignment, places=[alignment.at(ids) for ids in each])


def group_by_task(
    values: Mapping[Key, Kind], systems: Collection[str] | None = None
) -> dict[str, dict[str, Kind]]:
    """Group values by task and system, for all systems or for those named."""
    tasks: dict[str, dict[str, Kind]] = {}
    for (system, task), data in values.items():
        if systems is None or system in systems:
            tasks.setdefault(task, {})[system] = data
    return tasks


class Policy(NamedTuple):
    """How to count rows without a result ("wrong" or "missing") and questions with few trials."""

    failures: str
    short: Short
    bounds: tuple[float, float] | None = None  # bounds of the reward of a failed trial

    @classmethod
    def of(cls, errors: str, short: Short) -> "Policy":
        """The policy for values of the arguments `errors` and `short`."""
        require_choice(errors, "errors", ("fail", "missing"))
        require_choice(short, "short", ("error", "drop"))
        return cls(failures_as(errors), short)


@dataclass(frozen=True, eq=False, kw_only=True)
class AlignedSystems:
    """The aligned systems of one task, and the systems that could not be aligned."""

    task: str
    systems: tuple[str, ...]
    refused: Mapping[str, InputError]  # reasons why systems are not aligned, by system
    everyone: tuple[str, ...]  # all systems in order, including refused ones

    def pair_name(self, first: str, second: str) -> str:
        """A difference of two systems, for messages."""
        return f"{first} − {second}{f' · {self.task}' if self.task else ''}"

    def refusal_of(self, pair: tuple[str, str], metric: Metric) -> InputError | None:
        """Why a pair cannot be compared, if one of its systems was refused."""
        without = next((name for name in pair if name in self.refused), None)
        if without is None:
            return None
        error = self.refused[without]
        return type(error)(f"{without} has no {metric}: {reason_of(error, metric)}")


@dataclass(frozen=True, eq=False, kw_only=True)
class AlignedValues(AlignedSystems):
    """Values of one metric on one task: a row per system, a column per question."""

    metric: ScoredMetric
    parts: tuple[Array, ...]  # values of what the metric is made of; nan where there is none
    clusters: Integers  # the number of each question's cluster
    clustered: bool  # whether any has more than one question
    trials: Integers
    correct: Integers | None  # correct trials, if outcomes are right or wrong
    noise: Array | None  # for rewards: variance of each value due to its trials
    extremes: Array | None  # lowest and highest outcome of each question; None unless rewards
    remarks: tuple[str, ...]
    weights: Array | None = None  # weights of questions; None if they are equal
    questions: tuple[str, ...] = ()

    def weighing(self, some: NDArray[np.bool_]) -> Array | None:
        """Weights of selected questions; None if all are equal."""
        if self.weights is None:
            return None
        return scaled_weights(self.weights[some], np.ones(int(some.sum())))

    @property
    def span(self) -> float:
        """Largest possible distance between two values."""
        low, high = self.metric.bounds
        return high - low if self.extremes is None else float("inf")

    def present(self, system: int) -> NDArray[np.bool_]:
        """Mask of the questions that a system has."""
        return ~np.isnan(self.parts[0][system])

    def alone(self, system: int, some: NDArray[np.bool_]) -> Array:
        """Values of selected questions, each computed independently of the other questions."""
        each = [part[system, some] for part in self.parts]
        if isinstance(self.metric, CountMetric) and self.metric.parts():
            return self.metric.joined(*each)
        return each[0]

    def values(self, system: int, some: NDArray[np.bool_]) -> Array:
        """Values of selected questions whose mean is the metric."""
        each = [part[system, some] for part in self.parts]
        if len(each) == 1 or not isinstance(self.metric, CountMetric):
            return self.alone(system, some)
        weights = self.weighing(some)
        means = [np.array(mean_of(part, weights)) for part in each]
        total = np.full(each[0].size, float(self.metric.joined(*means)))
        for part, mean, slope in zip(each, means, self.metric.slopes(*means), strict=True):
            total += float(slope) * (part - mean)
        return total

    def counts(self, system: int, some: NDArray[np.bool_]) -> CountsByState:
        """Correct trials of selected questions, by state."""
        if self.correct is None:
            raise InputError(
                f"{self.metric}: comparisons on this exact benchmark need outcomes of right or "
                f"wrong. Ask for {setting('estimand', 'population')}."
            )
        trials, correct = self.trials[system, some], self.correct[system, some]
        clusters = self.clusters[some] if self.clustered else None
        once = np.ones(trials.size, dtype=np.int64)
        return CountsByState(trials, correct, once, clusters, self.weighing(some))


def mean_of(values: Array, weights: Array | None) -> float:
    """Weighted mean, or the plain mean without weights."""
    return float(values.mean() if weights is None else weights @ values / weights.sum())


def side_by_side(
    source: Source, metrics: Sequence[ScoredMetric], systems: Sequence[str] | None, policy: Policy
) -> list[AlignedValues]:
    """Align every metric on every task that at least two systems have."""
    named_by_key = source.named()
    scored = {key: named for key, named in named_by_key.items() if named.slice.was_scored}
    unscored = [Subject(key[0], key[1]) for key in named_by_key if key not in scored]
    absent = [name for name in systems or () if name not in {key[0] for key in scored}]
    for of in unscored:
        if of.system in absent:
            raise InputError(f"{str(of) or 'the system'}: {NEVER_SCORED}; it cannot be compared.")
    scored, weightless = _questions_with_weight(scored)
    several, remarks = several_by_task(scored, systems)
    remarks += weightless
    remarks += [f"{of}: {NEVER_SCORED}; left out." for of in unscored]
    tables = [
        TaskSystems(source, task, each, policy).of(metric)
        for metric in metrics
        for task, each in several.items()
    ]
    return [replace(tables[0], remarks=(*remarks, *tables[0].remarks)), *tables[1:]]


def _questions_with_weight(
    named_by_key: Mapping[Key, NamedQuestions],
) -> tuple[dict[Key, NamedQuestions], list[str]]:
    """Questions with a weight above 0, and a remark on those left out."""
    weighted, remarks = {}, []
    for key, named in named_by_key.items():
        kept = named.slice.weighs
        weighted[key] = named if kept.all() else named.where(kept)
        if not kept.any():
            raise InputError(f"{Subject(key[0], key[1])}: all questions have the weight 0.")
        if not kept.all():
            out = counted(int((~kept).sum()), "question")
            remarks.append(f"{Subject(key[0], key[1])}: {out} of weight 0 left out.")
    return weighted, remarks


def several_by_task(
    values: Mapping[Key, Kind], systems: Sequence[str] | None
) -> tuple[dict[str, dict[str, Kind]], list[str]]:
    """Tasks with at least two systems, and a remark on every other task."""
    tasks = group_by_task(values, systems)
    known = list(dict.fromkeys(name for each in tasks.values() for name in each))
    for name in systems or ():
        if name not in known:
            names = list(dict.fromkeys(key[0] for key in values))
            raise InputError(unknown_name(name, names, "there is no system"))
    order = known if systems is None else systems  # in the requested order
    several = {
        task: {name: each[name] for name in order if name in each}
        for task, each in tasks.items()
        if len(each) > 1
    }
    if not several:
        number = f"there is {repr(known[0]) if any(known) else 'one' if known else 'none'}"
        if len(known) > 1:
            raise InputError(f"the {len(known)} systems have no task in common.")
        raise InputError(f"a comparison needs at least two systems; {number}.")
    remarks = [
        f"{Subject(next(iter(each)), task)}: left out; no other system has this task."
        for task, each in tasks.items()
        if task not in several
    ]
    return several, remarks


class TaskSystems:
    """All systems of one task."""

    def __init__(
        self, source: Source, task: str, systems: Mapping[str, NamedQuestions], policy: Policy
    ) -> None:
        self._source, self._task, self._systems, self._policy = source, task, systems, policy

    def of(self, metric: ScoredMetric) -> AlignedValues:
        """Align one metric over all systems that have it."""
        by_system, refused, remarks = self._values_by_system(metric)
        each = list(by_system.values())
        aligned = align(self._systems[system].questions for system in by_system)
        shape = (len(each), len(aligned.place))
        parts = tuple(np.full(shape, np.nan) for _ in (each[0].parts if each else [None]))
        trials, correct = np.zeros((2, *shape), dtype=np.int64)
        noise = np.full(shape, np.nan)
        are_rewards = any(entry.extremes is not None for entry in each)
        extremes = np.full((2, *shape), np.nan) if are_rewards else None
        for row, entry in enumerate(each):
            at = aligned.at(entry.questions)
            for part, values in zip(parts, entry.parts, strict=True):
                part[row, at] = values
            trials[row, at] = entry.trials
            correct[row, at] = 0 if entry.correct is None else entry.correct
            noise[row, at] = np.nan if entry.noise is None else entry.noise
            if extremes is not None and entry.extremes is not None:
                extremes[:, row, at] = entry.extremes
        clusters, clustered = self._clusters(aligned, by_system)
        return AlignedValues(
            metric=metric,
            task=self._task,
            systems=tuple(by_system),
            refused=refused,
            everyone=tuple(self._systems),
            parts=parts,
            clusters=clusters,
            clustered=clustered,
            trials=trials,
            correct=None if any(entry.correct is None for entry in each) else correct,
            noise=None if any(entry.noise is None for entry in each) else noise,
            extremes=extremes,
            remarks=tuple(remarks),
            weights=self._weights(aligned, by_system),
            questions=tuple(aligned.place),
        )

    def _values_by_system(
        self, metric: ScoredMetric
    ) -> tuple[dict[str, SystemValues], dict[str, InputError], list[str]]:
        """Values per system, reasons why others have none, and questions dropped."""
        refused: dict[str, InputError] = {}
        while True:
            systems = [system for system in self._systems if system not in refused]
            rewards = self._has_rewards(systems, metric)
            by_system: dict[str, SystemValues] = {}
            remarks: list[str] = []
            for system in systems:
                try:
                    by_system[system] = self._values_of(system, metric, remarks, rewards=rewards)
                except InputError as error:
                    refused[system] = error
            if self._has_rewards(list(by_system), metric) == rewards:
                return by_system, refused, remarks

    def _has_rewards(self, systems: Sequence[str], metric: ScoredMetric) -> bool:
        """Whether any system has rewards, so that outcomes of 0 and 1 are rewards as well."""
        return not isinstance(metric, VoteAt) and any(
            is_reward(self._systems[system].slice, metric) for system in systems
        )

    def _values_of(
        self, system: str, metric: ScoredMetric, remarks: list[str], *, rewards: bool
    ) -> SystemValues:
        named = self._systems[system]
        if self._policy.failures == "missing" and not named.slice.scored.any():
            raise InputError("no row has a result")
        failures = self._policy.failures
        bounds = self._policy.bounds
        values = question_values(self._source, named, metric, failures, bounds, rewards=rewards)
        subject = str(Subject(system, self._task))
        kept = long_enough(values, metric, subject, remarks, drop=self._policy.short == "drop")
        nothing = len(named.questions) - len(values.questions) + int((values.trials == 0).sum())
        if nothing:
            remarks.append(
                f"{subject}: {counted(nothing, 'question')} left out for lack of a result."
            )
        return kept

    def _weights(self, aligned: Alignment[str], systems: Iterable[str]) -> Array | None:
        """Weight of each question, if weights differ; systems must agree."""
        weights_of: dict[str, Sequence[float | None]] = {}
        for system in systems:
            own, questions = self._systems[system].slice.weights, self._systems[system].questions
            weights_of[system] = [None] * len(questions) if own is None else own.tolist()
        of = self._common_property("weight", weights_of)
        weights = np.array([of[name] or math.nan for name in aligned.ids])
        are_equal = weights.size == 0 or (weights == weights[0]).all()
        return None if np.isnan(weights).any() or are_equal else weights

    def _clusters(self, aligned: Alignment[str], systems: Iterable[str]) -> tuple[Integers, bool]:
        """Cluster index of each question; systems must agree."""
        of = self._common_property(
            "cluster", {name: self._systems[name].clusters for name in systems}
        )
        numbers: dict[tuple[str, str], int] = {}
        clusters = np.array(
            [
                numbers.setdefault(("in", of[name]) if of[name] else ("", name), len(numbers))
                for name in aligned.ids
            ],
            dtype=np.int64,
        )
        return clusters, len(numbers) < len(clusters)

    def _common_property(
        self, noun: str, values_of: Mapping[str, Sequence[Kind]]
    ) -> dict[str, Kind]:
        """A property of each question, which must be the same for all systems that have it."""
        agreed: dict[str, tuple[Kind, str]] = {}  # the value, and the system that has it
        for system, values in values_of.items():
            for question, value in zip(self._systems[system].questions, values, strict=True):
                known, who = agreed.setdefault(question, (value, system))
                if known != value:
                    raise InputError(
                        f"question {question!r:.80} has the {noun} {_as_text(known)} for {who!r} "
                        f"and {_as_text(value)} for {system!r}; systems are paired by question, "
                        f"and a question has one {noun}. Correct the column, or ignore it: "
                        f"{way_to_say(f'--map {noun}=', f'{noun}=None')}"
                    )
        return {question: value for question, (value, _) in agreed.items()}


def _as_text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return "none" if value is None else f"{value!r:.80}"
