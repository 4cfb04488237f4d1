"""Design of labelling: which questions to label next, and how many.

Answers are grouped by the judge's grade, and by a column such as the judge's confidence. In each
group the labels so far show how often the judge errs. Questions with answers in groups of many
errors are sampled with a higher probability, and have a smaller weight
(`kernels.prediction_powered`). The width of intervals is simulated: labels are drawn from those of
the same group, and the corrected score is computed from them as `errbar score --labels` will
compute it.
"""

import math
from collections.abc import Collection
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.analysis.alignment import AlignedValues, Policy, TaskSystems, group_by_task
from errbar.analysis.corrections import CorrectedTask, Correction, Labels, LabelValues
from errbar.analysis.evaluate import is_reward
from errbar.analysis.question_values import question_values
from errbar.base.arguments import number, require_text, require_whole, strict_share
from errbar.base.arrays import Array
from errbar.base.remarks import Caution, about, guess, way_to_say
from errbar.data.columns import list_names
from errbar.data.queries.expressions import Columns, Frame
from errbar.data.queries.label_rows import answer_rows, column_by_question, label_rows
from errbar.data.sources.tables import Source, TableSource
from errbar.errors import InputError
from errbar.kernels.interval import clopper_pearson_ends
from errbar.kernels.prediction_powered import (
    chance_of_choice,
    neyman,
    systematic,
    two_stage_weights,
)
from errbar.metrics import Average
from errbar.results.estimate import Estimand, Interval, Subject
from errbar.results.judges import LabellingPlan, QuestionGroup

_METHOD = (
    "Neyman allocation over groups of answers, half of the sample spread evenly, systematic "
    "sampling (Madow 1949); widths simulated with labels drawn from those of the same group"
)
_SIMULATED = 20  # simulated data sets; the error of the mean width is then about 3%
_WORTH = 0.03  # least gain in width for which questions are chosen by group
# distinct grades up to which each is a group; number of groups otherwise
_MOST_VALUES, _PARTS = 4, 3
_FINE = 20  # widths are simulated: nearer than 5% of the questions is within their error
_MOST_GROUPS = 40  # a column that makes more has ids, or texts: few labels would fall in each
_EQUAL = 1e-9  # tolerance: a label and a grade that differ by less agree
_FEWEST = 20  # labels: coverage was not studied for fewer
_SEED = 1  # of the simulated labels
_UNLIKELY = 0.001  # p-value of all tests of a random choice together


@dataclass(frozen=True)
class LabellingRequest:
    """A request: how many questions, or how narrow an interval."""

    questions: int | None = None
    width: float | None = None
    _: KW_ONLY
    task: str | None = None  # needed if there are several tasks
    by: str | None = None  # a column of answers, as the confidence of the judge
    agreement: float = 0.8  # share of labels that agree with the judge, before any is given
    level: float = 0.95
    rng: int = 0

    def __post_init__(self) -> None:
        strict_share(self.level, "level")
        number(self.agreement, "agreement", 0.0, 1.0)
        if (self.questions is None) == (self.width is None):
            raise InputError(
                f"give the number to label, as in {way_to_say('-n 50', 'questions=50')}, or the "
                f"width of the interval, as in {way_to_say('--width 0.1', 'width=0.1')}."
            )
        if self.questions is not None:
            require_whole(self.questions, "questions", 1)
        require_whole(self.rng, "rng", 0)
        if self.width is not None:
            number(self.width, "width", 1e-6, math.inf)


def labelling_of(source: Source, labels: Labels | None, request: LabellingRequest) -> LabellingPlan:
    """The questions of one task to label next."""
    tasks = group_by_task(source.named())
    task = request.task if request.task is not None or len(tasks) > 1 else next(iter(tasks))
    require_text(task=task)
    if task not in tasks:
        way = way_to_say("--task NAME", "task='…'")
        raise InputError(
            f"the data have the tasks {list_names([*tasks])}; choose one of them with {way}."
        )
    systems = tasks[task]
    data = TaskSystems(source, task, systems, Policy("wrong", "drop")).of(Average())
    if not data.systems:
        raise next(iter(data.refused.values()))
    field = _JudgedAnswers(source, data, labels, request)
    number_of = request.questions or field.number_for(request.width or 0.0)
    if number_of > field.free.size:
        raise InputError(
            f"{number_of} questions cannot be labelled: only {field.free.size} have no label yet."
        )
    even, chosen = (field.design(number_of, even=is_even) for is_even in (True, False))
    widths = [field.width(design) for design in (even, chosen)]
    is_even = widths[1] > widths[0] * (1.0 - _WORTH)
    design = even if is_even else chosen
    rng = np.random.default_rng(request.rng)
    picked = field.free[systematic(design, rng)]
    weights = field.weights(picked, design)
    remarks = list(data.remarks)
    if labels is None:
        words = f"The judge is assumed to agree with {100 * request.agreement:g}% of the labels"
        remarks.append(guess(words, option="--agreement", argument="agreement=…"))
    return LabellingPlan(
        groups=tuple(field.groups(picked)),
        questions=number_of,
        labelled=int(field.known.any(axis=0).sum()),
        width_now=field.width_now(),
        width=widths[0] if is_even else widths[1],
        width_even=widths[0],
        is_even=is_even,
        level=request.level,
        cells=tuple(field.cells(picked, weights)),
        method=_METHOD,
        remarks=(*remarks, *source.origin.remarks),
    )


class _SimulatedLabels(NamedTuple):
    """Simulated label values."""

    values: Array
    weights: Array
    correction: Correction

    def of(self, data: AlignedValues, system: str) -> LabelValues:
        """The label values of one system."""
        values = self.values[data.systems.index(system)]
        return LabelValues(values, np.stack([values, values]), self.weights, 0)


class _JudgedAnswers:
    """The answers of one task: which are labelled, and how the judge errs in groups of them."""

    def __init__(
        self,
        source: Source,
        data: AlignedValues,
        labels: Labels | None,
        request: LabellingRequest,
    ) -> None:
        self._source, self._data, self._labels, self._request = source, data, labels, request
        self._grades = data.parts[0]
        self._present = ~np.isnan(self._grades)
        self._values = np.full(self._grades.shape, np.nan)
        self._former = np.ones(self._grades.shape[1])
        for at, system in enumerate(data.systems if labels is not None else ()):
            own = labels.of(data, system) if labels is not None else None
            if own is not None:
                self._values[at] = own.values
                has = ~np.isnan(own.values)
                self._former[has] = own.weights[has]
        self.known = ~np.isnan(self._values)
        self.free: NDArray[np.intp] = np.flatnonzero(~self.known.any(axis=0))
        seen = np.concatenate([self._grades[self._present], self._values[self.known]])
        self._ends = (0.0, 1.0) if data.extremes is None else (float(seen.min()), float(seen.max()))
        self._names, self._codes = self._find_groups()
        self._off = [self._residuals(code) for code in range(len(self._names))]

    def _find_groups(self) -> tuple[list[str], NDArray[np.intp]]:
        """Groups of answers by grade and column: their names, and the code of each answer."""
        parts = [_parts(self._grades)]
        if self._request.by is not None:
            keys = self._data.systems, self._data.task, self._data.questions
            frame, columns = _table(self._source)
            parts.append(_parts(column_by_question(frame, columns, self._request.by, *keys)))
        labels = np.full(self._grades.shape, "", dtype=object)
        for at, part in enumerate(parts):
            head = "" if at == 0 else f", {self._request.by} "
            labels = labels + head + part
        labels[~self._present] = ""
        names = sorted(set(labels[self._present].tolist()))
        if len(names) > _MOST_GROUPS:
            raise InputError(
                f"the column {self._request.by!r} makes {len(names)} groups; name one with few "
                f"values, or with numbers."
            )
        place = {name: at for at, name in enumerate(names)}
        codes = np.array([[place.get(name, -1) for name in row] for row in labels.tolist()])
        return names, codes

    def _residuals(self, code: int) -> Array:
        """Label less grade in a group, with half a label more of each kind, right and wrong."""
        low, high = self._ends
        some = self._codes == code
        grade = float(self._grades[some].mean())
        largest = high + low - 2.0 * grade
        largest = largest if abs(largest) > _EQUAL else high - grade
        both = some & self.known
        residuals = self._values[both] - self._grades[both]
        if self._labels is not None:
            # half of each kind (Jeffreys)
            return np.concatenate([residuals, residuals, [0.0, largest]])
        wrong = max(round(100.0 * (1.0 - self._request.agreement)), 0)
        return np.concatenate([np.zeros(100 - wrong), np.full(wrong, largest)])

    @cached_property
    def _sds(self) -> Array:
        """Standard deviation of the error of each question without a label, over systems."""
        by_code = np.array([each.var() for each in self._off])
        variances = np.where(self._present, by_code[np.maximum(self._codes, 0)], np.nan)
        sds: Array = np.sqrt(np.nanmean(variances[:, self.free], axis=0))
        return sds

    def design(self, questions: int, *, even: bool) -> Array:
        """The probability of each question without a label to be chosen."""
        sds = np.ones(self.free.size) if even else self._sds
        return neyman(sds, min(questions, self.free.size))

    def weights(self, picked: NDArray[np.intp], design: Array) -> Array:
        """The weight of every question: of those labelled before, and of those picked."""
        weights = np.ones(self._grades.shape[1])
        before = np.flatnonzero(self.known.any(axis=0))
        chances = design[np.searchsorted(self.free, picked)]
        old, new = two_stage_weights(self._former[before], weights.size, chances)
        weights[before], weights[picked] = old, new
        return weights

    def width(self, design: Array) -> float:
        """Mean width of the intervals if these questions are labelled."""
        widths = []
        for seed in range(_SIMULATED):
            rng = np.random.default_rng([_SEED, seed])
            drawn = self._simulate_labels(rng)
            picked = self.free[systematic(design, rng)]
            values = self._values.copy()
            values[:, picked] = drawn[:, picked]
            widths += self._widths(values, self.weights(picked, design))
        return float(np.mean(widths))

    def width_now(self) -> float:
        """Mean width by the labels so far."""
        if not self.known.any():
            return math.nan
        return float(np.mean(self._widths(self._values, self._former)))

    def _widths(self, values: Array, weights: Array) -> list[float]:
        correction = "ppi++" if self._labels is None else self._labels.correction
        task = CorrectedTask(self._data, _SimulatedLabels(values, weights, correction), None)
        widths = []
        for at in range(len(self._data.systems)):
            if (~np.isnan(values[at])).any():
                low, high = task.score(at).spread.ends(self._request.level)
                widths.append(high - low)
        return widths

    def _simulate_labels(self, rng: np.random.Generator) -> Array:
        """Labels of all answers, drawn from the labels of the same group."""
        low, high = self._ends
        drawn = np.full(self._grades.shape, np.nan)
        for code, off in enumerate(self._off):
            some = self._codes == code
            drawn[some] = self._grades[some] + rng.choice(off, int(some.sum()))
        return np.clip(drawn, low, high)

    def number_for(self, width: float) -> int:
        """The smallest number of questions whose interval is expected to be narrow enough."""
        most = self.free.size
        least = max(1, min(most, _FEWEST) - int(self.known.any(axis=0).sum()))

        def reached(questions: int) -> bool:
            designs = (self.design(questions, even=even) for even in (True, False))
            return min(self.width(design) for design in designs) <= width

        if not reached(most):
            every = self.width(self.design(most, even=True))
            raise InputError(
                f"even with all {most} questions labelled the interval is about {every:.3g} wide; "
                f"a width of {width:g} needs more questions."
            )
        low, high = least - 1, most
        while high - low > max(1, high // _FINE):
            middle = (low + high) // 2
            low, high = (low, middle) if reached(middle) else (middle, high)
        return high

    def groups(self, picked: NDArray[np.intp]) -> list[QuestionGroup]:
        """Every group with the number of its answers that are to be labelled."""
        chosen = np.zeros(self._grades.shape[1], dtype=bool)
        chosen[picked] = True
        groups = []
        for code, name in enumerate(self._names):
            some = self._codes == code
            both = some & self.known
            wrong = np.abs(self._values[both] - self._grades[both]) > _EQUAL
            interval = Interval.unknown(self._request.level, Estimand.POPULATION)
            if wrong.size:
                ends = clopper_pearson_ends(wrong.sum(keepdims=True), wrong.size, interval.level)
                interval = replace(interval, low=float(ends[0][0]), high=float(ends[1][0]))
            groups.append(
                QuestionGroup(
                    task=self._data.task,
                    name=name,
                    answers=int(some.sum()),
                    labelled=wrong.size,
                    errs=float((np.abs(self._off[code]) > _EQUAL).mean()),
                    interval=interval,
                    chosen=int((some & chosen).sum()),
                )
            )
        return groups

    def cells(self, picked: NDArray[np.intp], weights: Array) -> list[dict[str, Any]]:
        """Rows of the file: labels that are known, and those to fill in."""
        place = {name: at for at, name in enumerate(self._data.questions)}
        rows = [] if self._labels is None else label_rows(*_table(self._labels.source))
        before = {name for name, at in place.items() if self.known[:, at].any()}
        task = self._data.task

        def chosen(row: dict[str, Any], questions: Collection[str]) -> bool:
            return row["question"] in questions and (row.get("task") or task) == task

        cells = [row for row in rows if chosen(row, before)]
        new = {self._data.questions[at] for at in picked.tolist()}
        cells += [row for row in answer_rows(*_table(self._source)) if chosen(row, new)]
        heads = list(dict.fromkeys(name for row in cells for name in row))
        heads = [*(name for name in heads if name != "label"), "label", "weight"]
        return [
            {name: row.get(name, "") for name in heads}
            | {"weight": f"{weights[place[row['question']]]:.6g}"}
            for row in cells
        ]


def _parts(values: NDArray[Any]) -> NDArray[Any]:
    """The group of each value in words: a few distinct values, or ranges of numbers."""
    names = np.full(values.shape, "", dtype=object)
    if values.dtype.kind != "f":
        names[...] = values
        return names
    some = ~np.isnan(values)
    distinct = np.unique(values[some])
    if distinct.size <= _MOST_VALUES:
        names[some] = [f"{value:g}" for value in values[some].tolist()]
        return names
    inner = np.unique(np.quantile(values[some], np.linspace(0.0, 1.0, _PARTS + 1)[1:-1]))
    edges = [float(distinct[0]), *inner.tolist(), float(distinct[-1])]
    which = np.searchsorted(inner, values[some], side="right")
    words = [f"{low:.3g} to {high:.3g}" for low, high in pairwise(edges)]
    names[some] = [words[at] for at in which.tolist()]
    return names


def _table(source: Source) -> tuple[Frame, Columns]:
    if not isinstance(source, TableSource):
        raise InputError(
            "choosing what to label needs a single table or log with a row per answer."
        )
    return source.frame, source.columns


def remarks_on_choice(source: Source, labels: Labels) -> list[str]:
    """Say where labels were hardly chosen at random: the judge grades their answers otherwise."""
    if labels.sampled and labels.source.weight_columns():
        return []  # chosen with unequal probabilities
    labels_of, found = labels.source.named(), list[tuple[float, str, float, float]]()
    for (system, task), named in source.named().items():
        own = labels_of.get((labels.systems.get(system, ""), labels.tasks.get(task, "")))
        if own is None or any(named.clusters) or not named.slice.was_scored:
            continue
        rewards = is_reward(named.slice, Average())
        try:
            values = question_values(source, named, Average(), "missing", rewards=rewards)
        except InputError:
            continue  # the reason is given with the scores
        known = set(own.where(own.slice.scored > 0).questions)
        graded = ~np.isnan(values.parts[0])
        chosen = np.array([name in known for name in values.questions])[graded]
        grades = values.parts[0][graded]
        if chosen.any() and not chosen.all():
            means = float(grades[chosen].mean()), float(grades[~chosen].mean())
            found.append((chance_of_choice(grades, chosen), str(Subject(system, task)), *means))
    unlikely = sorted(test for test in found if test[0] < _UNLIKELY / len(found))
    return [
        about(
            subject,
            Caution(
                f"{'the' if subject else 'The'} judge's mean is {mean:.2f} on answers with a "
                f"label and {other:.2f} on the others. Such a difference is unlikely if labels "
                f"were chosen at random (p < {_UNLIKELY}), and only labels chosen at random "
                "correct the scores."
            ),
        )
        for _, subject, mean, other in unlikely[:1]
    ]
