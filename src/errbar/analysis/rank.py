"""Who ranks where: all systems on the questions of all, drawn together.

A system may rank below another unless it is shown to be better. All pairs are tried at once,
against the largest deviation among those that are not yet decided: so with a chance of the level
no pair is decided wrongly, and all ranks are as they are said to be.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errbar.analysis.alignment import Policy, Together, side_by_side
from errbar.analysis.methods import Calibrated
from errbar.analysis.methods.learned import Summary
from errbar.analysis.methods.seen import mean_of_sample
from errbar.analysis.pairs import FEW_THAT_DIFFER, Moving, apart, apart_by, draws_of, reach_of
from errbar.analysis.score import ScoredMetric, first_of
from errbar.analysis.values import Answered, average_reward
from errbar.base.arguments import strict_share
from errbar.base.arrays import Array
from errbar.base.tables import counted
from errbar.data.sources.tables import Source
from errbar.errors import InputError
from errbar.kernels import sign_flip as signs
from errbar.metrics import CountMetric
from errbar.metrics.base import Direction
from errbar.results.base import Refusals, reason_of
from errbar.results.estimate import Estimand, Interval, Subject
from errbar.results.leaderboard import Leaderboard, Standing, letters_of

_ROUNDING = 1e-12  # values this near are equal


@dataclass(frozen=True)
class RankAsked:
    """A request to rank systems: metric, weights of tasks, policy and method."""

    metric: ScoredMetric
    systems: Sequence[str] | None = None
    weights: Mapping[str, float] | None = None  # of tasks
    covers: Estimand = Estimand.POPULATION
    level: float = 0.95

    def __post_init__(self) -> None:
        strict_share(self.level, "level")
        if self.covers is Estimand.RERUN:
            raise InputError(
                "ranks are properties of systems, not of a run; use estimand "
                "'population' or 'benchmark'."
            )


def rank_systems(source: Source, asked: RankAsked, policy: Policy) -> Leaderboard:
    """Rank every system that has every task."""
    tables = side_by_side(source, [asked.metric], asked.systems, policy)
    remarks = [note for data in tables for note in data.remarks]
    several = _of_several(tables, remarks)
    systems, left = _in_all(several)
    kept = _with_questions(several, systems, remarks)
    weights = _weights([data.task for data in tables], [data.task for data in kept], asked.weights)
    parts = [_Part(data, systems, weights[data.task], asked) for data in kept]
    vary = _Sampled(parts) if asked.covers is Estimand.POPULATION else _Apart(parts)
    up = 1.0 if asked.metric.direction is Direction.HIGHER else -1.0
    ahead = _decided(vary, asked.level) * up  # 1 where the row is better than the column
    drawn = _Drawn(vary.scores() * up)
    rows = _standings(systems, parts, ahead, drawn, up, asked)
    lost = sum(part.left_out for part in parts)
    if left:
        remarks.append(f"Left out, because they lack some tasks: {', '.join(left)}.")
    remarks += _not_ranked(several)
    if lost:
        verb = "is" if lost == 1 else "are"
        remarks.append(f"{counted(lost, 'question')} that some systems lack {verb} left out.")
    remarks += _cautions(parts, ahead, asked.covers)
    words = (
        "Bayesian bootstrap over questions, with the same weights for all systems"
        if asked.covers is Estimand.POPULATION
        else "difficulty model fitted to each system"
    )
    asked_in_all = sum(part.questions for part in parts)
    return Leaderboard(tuple(rows), asked.metric, weights, asked_in_all, words, tuple(remarks))


def _cautions(parts: Sequence["_Part"], ahead: Array, covers: Estimand) -> list[str]:
    """Number of pairs whose separation rests on few questions."""
    if covers is not Estimand.POPULATION:
        return []
    totals = np.concatenate([part.weight / part.size * part.totals for part in parts], axis=1)
    pairs = np.argwhere(np.triu(ahead != 0)).tolist()
    few = sum(
        signs.effective_size(apart_by(totals[one], totals[other])) < FEW_THAT_DIFFER
        for one, other in pairs
    )
    if not few:
        return []
    those = "Caution: the separation rests"
    if len(pairs) > 1:
        those = f"Caution: {few} of the {len(pairs)} separated pairs rest"
    return [f"{those} on few questions that differ; see compare."]


def _of_several(tables: Sequence[Together], remarks: list[str]) -> list[Together]:
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
    tables: Sequence[Together], systems: Sequence[str], remarks: list[str]
) -> list[Together]:
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


def _shared(data: Together, systems: Sequence[str]) -> NDArray[np.bool_]:
    """Mask of the questions that all of these systems have."""
    return np.logical_and.reduce([data.held(data.systems.index(name)) for name in systems])


def _reasons(data: Together) -> dict[str, str]:
    """Reasons why systems have no score, each with the systems it applies to."""
    why: dict[str, list[str]] = {}
    for name, error in data.refused.items():
        why.setdefault(reason_of(error, data.metric), []).append(name)
    return {reason: first_of(names) for reason, names in why.items()}


def _not_ranked(tables: Sequence[Together]) -> list[str]:
    """Remarks on systems without a score in a task, with the reason."""
    return [
        f"Not ranked: {names}{f' (in {data.task})' if data.task else ''}: {reason}."
        for data in tables
        for reason, names in _reasons(data).items()
    ]


def _weights(
    tasks: Sequence[str], kept: Sequence[str], given: Mapping[str, float] | None
) -> dict[str, float]:
    """Weights of the remaining tasks; they sum to 1."""
    if given is None:
        return {task: 1.0 / len(kept) for task in kept}
    unknown = sorted(set(given) - set(tasks))
    if unknown:
        raise InputError(f"there is no task {unknown[0]!r} to weigh; there are: {list(tasks)}.")
    if any(not weight >= 0 or math.isinf(weight) for weight in given.values()):
        raise InputError(f"weights of tasks must be 0 at least; got {dict(given)}.")
    total = sum(given.get(task, 0.0) for task in kept)
    if not total:
        raise InputError("all weights of tasks are 0; give one that is not.")
    return {task: given.get(task, 0.0) / total for task in kept}


def _in_all(tables: Sequence[Together]) -> tuple[tuple[str, ...], list[str]]:
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
        self, data: Together, systems: Sequence[str], weight: float, asked: RankAsked
    ) -> None:
        rows = [data.systems.index(name) for name in systems]
        held = np.stack([data.held(at) for at in rows])
        self.weight = weight
        self.some: NDArray[np.bool_] = np.logical_and.reduce(held)
        self.questions = int(self.some.sum())
        self.left_out = int(held.any(axis=0).sum()) - self.questions
        self._data, self._rows, self._asked = data, rows, asked
        values = np.stack([data.values(at, self.some) for at in rows])
        self.clusters = np.unique(data.clusters[self.some], return_inverse=True)[1]
        self.weights = data.weighing(self.some)
        heavy = values if self.weights is None else values * self.weights
        self.sizes = np.bincount(self.clusters, self.weights).astype(float)
        self.totals = np.stack([np.bincount(self.clusters, one) for one in heavy])
        self.values = values
        self.size = float(self.sizes.sum())  # how many questions there are, or what they weigh
        self.means = values.mean(axis=1)
        if self.weights is not None:
            self.means = heavy.sum(axis=1) / self.size
        self._known: list[Summary] = []

    def summaries(self) -> list[Summary]:
        """Mean, standard deviation and ends of each system."""
        if not self._known:
            metric = self._data.metric
            if self._data.correct is not None and isinstance(metric, CountMetric):
                self._known = self._of_counts(metric)
            elif self._asked.covers is Estimand.POPULATION:
                self._known = [self._of_sample(one) for one in self.values]
            else:
                raise InputError(f"{metric} is ranked for the estimand 'population' only.")
        return self._known

    def _of_counts(self, metric: CountMetric) -> list[Summary]:
        """Mean, sd and ends of each system, as `score` gives them."""
        counts = [self._data.counts(at, self.some) for at in self._rows]
        (cells,) = Calibrated(self._asked.covers, self._asked.level).cells(counts, [metric])
        return [
            Summary(cell.mean, cell.sd, cell.interval.low, cell.interval.high) for cell in cells
        ]

    def _of_sample(self, values: Array) -> Summary:
        data, level = self._data, self._asked.level
        clusters = self.clusters if data.clustered else None
        if data.bounded:
            low, high = data.metric.bounds
            span = high - low or 1.0
            each = np.ones(values.size)
            part = mean_of_sample((values - low) / span, each, clusters, level, self.weights)
            ends = low + span * part.low, low + span * part.high
            return Summary(low + span * part.mean, span * part.sd, *ends)
        once = np.ones(values.size, dtype=np.int64)
        answered = Answered(values, once, clusters, weights=self.weights)
        found = average_reward(Subject(), data.metric, answered, Calibrated(level=level))
        return Summary(found.value, found.sd, found.interval.low, found.interval.high)


class _Sampled:
    """Joint uncertainty for the population: questions are sampled, the same for all systems."""

    def __init__(self, parts: Sequence[_Part]) -> None:
        scaled = [(part.weight / part.size, part) for part in parts]
        totals = np.concatenate([scale * part.totals for scale, part in scaled], axis=1)
        off = np.concatenate(
            [scale * (part.totals - part.means[:, None] * part.sizes) for scale, part in scaled],
            axis=1,
        )
        self.steps, self._totals = off, totals
        self.means = totals.sum(axis=1)
        self.under_signs = apart(totals)

    def scores(self) -> Array:
        """Joint draws of the scores of all systems, a row per draw, by random signs."""
        return self.means + draws_of(self._totals, 1)


class _Apart:
    """Joint uncertainty for this exact benchmark: independent trial noise of each system."""

    def __init__(self, parts: Sequence[_Part]) -> None:
        each = [part.summaries() for part in parts]
        weights = np.array([part.weight for part in parts])
        self.means = weights @ np.array([[one.mean for one in some] for some in each])
        sds = np.array([[one.sd for one in some] for some in each])
        self.steps = np.diag(np.sqrt(np.square(weights) @ np.square(sds)))
        self.under_signs = apart(self.steps)

    def scores(self) -> Array:
        """Joint draws of the scores of all systems, a row per draw."""
        return self.means + draws_of(self.steps, 1)


def _decided(vary: _Sampled | _Apart, level: float) -> Array:
    """1 where the row is significantly higher than the column, −1 where lower, else 0."""
    gap = vary.means[:, None] - vary.means
    with np.errstate(divide="ignore", invalid="ignore"):
        score = np.where(vary.under_signs > 0, gap / vary.under_signs, 0.0)
    upper = np.triu(np.ones_like(score, dtype=bool), 1)
    done = np.zeros_like(upper)
    while True:
        open_pairs = np.argwhere(upper & ~done)
        if not len(open_pairs):
            break
        reach = reach_of([Moving(vary.steps, open_pairs)], level)
        new = upper & ~done & (np.abs(score) >= reach)
        if not new.any():
            break
        done |= new
    return np.where(done | done.T, np.sign(score), 0.0)


class _Drawn:
    """Ranks under joint draws; tied scores share a rank."""

    def __init__(self, scores: Array) -> None:
        better = (scores[:, None, :] > scores[:, :, None]).sum(axis=2)
        equal = (scores[:, None, :] == scores[:, :, None]).sum(axis=2)
        ranks = better + 0.5 * (equal + 1)
        first = better == 0
        self.expected = ranks.mean(axis=0)
        self.best = (first / first.sum(axis=1, keepdims=True)).mean(axis=0)


def _standings(
    systems: Sequence[str],
    parts: Sequence[_Part],
    ahead: Array,
    drawn: _Drawn,
    up: float,
    asked: RankAsked,
) -> list[Standing]:
    found = [
        _average([part.summaries()[at] for part in parts], parts) for at in range(len(systems))
    ]
    values = np.sum([part.weight * part.means for part in parts], axis=0)
    order = sorted(range(len(systems)), key=lambda at: (-up * values[at], systems[at]))
    letters = letters_of([[ahead[i, j] != 0 for j in order] for i in order])
    rows = []
    for place, at in enumerate(order):
        better = values * up > values[at] * up + _ROUNDING
        rows.append(
            Standing(
                systems[at],
                float(values[at]),
                found[at].sd,
                Interval(found[at].low, found[at].high, asked.level, asked.covers),
                1 + int(better.sum()),
                1 + int((ahead[at] < 0).sum()),
                len(systems) - int((ahead[at] > 0).sum()),
                float(drawn.expected[at]),
                float(drawn.best[at]),
                letters[place],
            )
        )
    return rows


def _average(each: Sequence[Summary], parts: Sequence[_Part]) -> Summary:
    """Combine independent tasks: squared distances from the mean to the ends add up."""
    weights = np.array([part.weight for part in parts])
    if len(each) == 1:
        return each[0]
    mean, sd, low, high = np.array(each).T
    whole = float(weights @ mean)
    reach = [math.sqrt(float(np.square(weights * off).sum())) for off in (mean - low, high - mean)]
    spread = math.sqrt(float(np.square(weights * sd).sum()))
    return Summary(whole, spread, whole - reach[0], whole + reach[1])
