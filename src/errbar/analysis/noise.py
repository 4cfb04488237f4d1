"""Sources of noise: the choice of questions, the trials, and columns such as the judge.

The components are those of `kernels.variance_components`, for the mean of a system and for the
difference of two systems on their common questions.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.analysis.outcome_scales import bounds_of, remark_on_guess
from errbar.analysis.question_values import TrialCells, trial_cells
from errbar.analysis.readings import remarks_on
from errbar.base.arguments import require_bounds, require_whole, strict_share
from errbar.base.arrays import Array, Integers
from errbar.base.remarks import Caution, about, counted, have, way_to_say
from errbar.data.queries.questions import failures_as
from errbar.data.sources.tables import Source
from errbar.errors import InputError
from errbar.kernels import variance_components as kernel
from errbar.results.base import Measurement
from errbar.results.estimate import Subject
from errbar.results.noise import TRIALS, NoiseRow, NoiseSource, NoiseTable

MOST_IN_PAIRS = 6  # systems up to which all pairs are shown
_DRAWS = 2000  # the Monte Carlo error of a 95% end is then 1.5% of the width
_QUESTIONS, _CLUSTERS = "questions", "clusters"
_OWN = {_QUESTIONS: "choice of questions", _CLUSTERS: "choice of clusters"}
_METHOD = (
    "means over pairs of trials (Koch 1967), unbiased for ragged and crossed data; intervals by "
    "a Bayesian bootstrap over {unit} with one unseen unit at its worst (2,000 draws){levels}"
)
_LEVELS = (
    "; for columns with few levels by the modified large-sample method (Graybill and Wang 1980), "
    "which takes their effects to be normal"
)


@dataclass(frozen=True, kw_only=True)
class NoiseRequest:
    """A request: the columns that may add noise, systems, baseline, designs and level."""

    by: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    baseline: str | None = None
    errors: str = "fail"
    bounds: tuple[float, float] | None = None
    level: float = 0.95
    designs: tuple[tuple[int, int], ...] = ()
    rng: int = 0


def noise_of(source: Source, request: NoiseRequest) -> NoiseTable:
    """The components of every system and of pairs of systems, task by task."""
    strict_share(request.level, "level")
    require_whole(request.rng, "rng", 0)
    require_bounds(request.bounds)
    failures = failures_as(request.errors)
    slices = source.slices(())
    cells = trial_cells(source, request.systems, request.by, failures)
    if not cells:
        raise InputError("no system has a result, so there is no noise to estimate.")
    bounds = _bounds(cells, request.bounds)
    remarks: list[str] = []
    rows: list[NoiseRow] = []
    for key, each in cells.items():
        rows += _row(Subject(*key), "", each, bounds[key[1]], request, remarks)
    pairs, more = _pairs(cells, request)
    for first, second in pairs:
        of, both = Subject(*first), (cells[first], cells[second])
        rows += _row(of, second[0], both, bounds[first[1]], request, remarks)
    if not rows:
        raise InputError(_no_noise(remarks))
    if any(each.extremes is not None for each in cells.values()) and request.bounds is None:
        remarks += [remark_on_guess(f"{t}: " if t else "", b) for t, b in bounds.items()]
    clustered = any(len(set(each.cluster.values())) > 1 for each in cells.values())
    method = _METHOD.format(
        unit="clusters of questions" if clustered else "questions",
        levels=_LEVELS if request.by else "",
    )
    remarks += [*more, *remarks_on(source, slices, request.errors)]
    ordered = sorted(rows, key=lambda row: (row.of.task, bool(row.against)))
    return NoiseTable(tuple(ordered), request.designs, method, tuple(dict.fromkeys(remarks)))


def _no_noise(remarks: Sequence[str]) -> str:
    return (
        f"{remarks[0] if remarks else 'there is no noise to estimate.'} Run the questions several "
        f"times, or name a column that repeats them, as in {way_to_say('--by judge', 'by=[…]')}."
    )


def _bounds(
    cells: Mapping[tuple[str, str], TrialCells], given: tuple[float, float] | None
) -> dict[str, tuple[float, float]]:
    """The bounds of the outcomes of each task."""
    by_task = {}
    for task in dict.fromkeys(task for _, task in cells):
        own = [each.extremes for (_, of), each in cells.items() if of == task]
        rewards = [extremes for extremes in own if extremes is not None]
        by_task[task] = bounds_of(np.concatenate(rewards, axis=1), given) if rewards else (0.0, 1.0)
    return by_task


def _pairs(
    cells: Mapping[tuple[str, str], TrialCells], request: NoiseRequest
) -> tuple[list[tuple[tuple[str, str], tuple[str, str]]], list[str]]:
    """Pairs of systems of one task: all, or every system with the baseline."""
    found, remarks = [], []
    for task in dict.fromkeys(task for _, task in cells):
        systems = [system for system, of in cells if of == task]
        if request.baseline is not None:
            if request.baseline not in systems:
                raise InputError(f"there is no system {request.baseline!r} to use as the baseline.")
            others = [system for system in systems if system != request.baseline]
            found += [((other, task), (request.baseline, task)) for other in others]
        elif len(systems) <= MOST_IN_PAIRS:
            pairs = combinations(systems, 2)
            found += [((first, task), (second, task)) for first, second in pairs]
        else:
            choose = way_to_say("--baseline or --system", "baseline=… or systems=[…]")
            remarks.append(f"Differences of {len(systems)} systems are not shown; use {choose}.")
    return found, remarks


def _row(
    of: Subject,
    against: str,
    cells: TrialCells | tuple[TrialCells, TrialCells],
    bounds: tuple[float, float],
    request: NoiseRequest,
    remarks: list[str],
) -> list[NoiseRow]:
    """The noise of a system or of a difference; no row, and a remark, if it is undetermined."""
    who = str(Subject(f"{of.system} − {against}" if against else of.system, of.task))
    if isinstance(cells, TrialCells):
        table = _table(cells, cells.mean, cells.squares, cells.variance, 1.0 / cells.trials, bounds)
        trials, binary = cells.trials, cells.extremes is None
    else:
        joined = _cells_of_difference(*cells, bounds)
        if joined is None:
            remarks.append(about(who, Caution("left out: the two systems share no question.")))
            return []
        table, trials = joined
        binary = False
    sums = kernel.UnitSums.of(table)
    try:
        design = kernel.Design.of(table, sums)
    except kernel.Undetermined:
        remarks.append(about(who, Caution(_undetermined_remark(table, request.by))))
        return []
    single = int(np.isnan(table.variance).sum())
    if 0 < single < table.mean.size and not request.by:
        number = counted(table.mean.size, "question")
        subject = f"{single} of {number} {have(single)} a single trial"
        remarks.append(
            about(
                who,
                Caution(
                    f"{subject}; their trial noise is assumed to be that of the other questions."
                ),
            )
        )
    measured = NoiseMeasurement(table, sums, design, request)
    questions = len(np.unique(table.factors[_QUESTIONS]))
    return [
        NoiseRow(
            of=of,
            against=against,
            value=float(table.weight @ table.mean / table.weight.sum()),
            questions=questions,
            trials=questions / float(np.sum(1.0 / _per_question(table, trials))),
            sources=measured.sources(),
            icc=measured.icc(),
            level=request.level,
            is_binary=binary,
        )
    ]


def _per_question(table: kernel.CellTable, trials: Integers) -> Array:
    """Trials of each question, over all its cells."""
    found: Array = np.bincount(table.groups((_QUESTIONS,)), trials).astype(float)
    return found


def _undetermined_remark(table: kernel.CellTable, by: Sequence[str]) -> str:
    if by:
        names = " and ".join(map(repr, by))
        return (
            f"the noise of {names} cannot be separated from that of questions and trials: too "
            "few rows share a value."
        )
    if table.mean.size < 2:
        return (
            "there is only one question, so the choice of questions cannot be separated from "
            "trial noise."
        )
    return (
        "every question has one trial, so trial noise cannot be separated from the "
        "choice of questions."
    )


def _cells_of_difference(
    first: TrialCells, second: TrialCells, bounds: tuple[float, float]
) -> tuple[kernel.CellTable, Integers] | None:
    """The cells of the difference of two systems, where both have results."""
    place = {key: at for at, key in enumerate(second.keys)}
    here = [at for at, key in enumerate(first.keys) if key in place]
    if not here:
        return None
    there = [place[first.keys[at]] for at in here]
    mean = first.mean[here] - second.mean[there]
    variance = first.variance[here] + second.variance[there]
    squares = first.squares[here] + second.squares[there]
    trials, others = first.trials[here], second.trials[there]
    with np.errstate(divide="ignore", invalid="ignore"):
        per_row = (first.noise[here] + second.noise[there]) / variance
    usual = 0.5 * (1.0 / trials + 1.0 / others)
    keys = [first.keys[at] for at in here]
    both = TrialCells(
        keys=keys,
        mean=mean,
        trials=trials,
        noise=first.noise[here],
        cluster=first.cluster or second.cluster,
        weight=first.weight,
        extremes=None,
    )
    span = bounds[1] - bounds[0]
    shares = np.where(np.isfinite(per_row), per_row, usual)
    return _table(both, mean, squares, variance, shares, (-span, span), 0.5 * span**2), trials


def _table(
    cells: TrialCells,
    mean: Array,
    within: Array,
    variance: Array,
    per_row: Array,
    bounds: tuple[float, float],
    most: float | None = None,
) -> kernel.CellTable:
    """The cells as the kernel takes them: every question counts by its weight."""
    questions = [key[0] for key in cells.keys]
    names = list(dict.fromkeys(questions))
    code = {name: at for at, name in enumerate(names)}
    at = np.array([code[name] for name in questions], dtype=np.int64)
    rows = np.bincount(at, cells.trials)
    weight = np.array([cells.weight[name] for name in names])
    factors: dict[str, Integers] = {}
    if cells.cluster:
        factors[_CLUSTERS] = _codes([cells.cluster[name] for name in questions])
    factors[_QUESTIONS] = at
    for column in range(1, len(cells.keys[0])):
        factors[f"column {column}"] = _codes([key[column] for key in cells.keys])
    return kernel.CellTable(
        factors=factors,
        mean=mean,
        squares=np.square(mean) + within,
        variance=variance,
        per_row=per_row,
        weight=weight[at] * cells.trials / rows[at],
        bounds=bounds,
        most=0.25 * (bounds[1] - bounds[0]) ** 2 if most is None else most,
    )


def _codes(names: Sequence[str]) -> Integers:
    codes: Integers = np.unique(names, return_inverse=True)[1].astype(np.int64)
    return codes


class NoiseMeasurement:
    """The components of one table with their intervals."""

    def __init__(
        self,
        table: kernel.CellTable,
        sums: kernel.UnitSums,
        design: kernel.Design,
        request: NoiseRequest,
    ) -> None:
        self._table, self._design, self._request = table, design, request
        once = np.ones((1, sums.often.size))
        self._point = design.components(sums, once, once)[0]
        rng = np.random.default_rng(request.rng)
        self._draws = kernel.draw_components(table, sums, design, _DRAWS, rng)

    def sources(self) -> tuple[NoiseSource, ...]:
        """Every effect and, last, the trials."""
        weights = self._design.weights
        resampled = all(map(self._is_resampled, self._design.effects))
        whole = np.maximum(self._draws, 0.0) @ weights
        total = float(np.maximum(self._point, 0.0) @ weights)
        sources = []
        for at, effect in enumerate([*self._design.effects, ()]):
            spread = self._draws[..., at]
            if self._is_resampled(effect):
                low, high = (max(end, 0.0) for end in self._ends(spread))
            elif len(effect) == 1:
                low, high = kernel.level_interval(
                    self._table, self._design, self._point, effect, self._request.level
                )
            else:
                low = high = math.nan
            sd, ends = math.nan, (math.nan, math.nan)
            if resampled:
                shares = _ratio(np.maximum(spread, 0.0) * weights[at], whole)
                ends = self._ends(shares)
                sd = float(np.nanstd(shares)) if np.isfinite(shares).any() else math.nan
            value = float(self._point[at])
            own = max(value, 0.0) * float(weights[at])
            share = own / total if total else math.nan
            sources.append(
                NoiseSource(
                    name=self._name(effect),
                    variance=Measurement(value=value, sd=float(spread.std()), low=low, high=high),
                    weight=float(weights[at]),
                    share=Measurement(value=share, sd=sd, low=ends[0], high=ends[1]),
                    by_question=self._is_resampled(effect),
                    by_trial=not effect,
                )
            )
        return tuple(sources)

    def icc(self) -> Measurement:
        """The share of the variance of a trial that questions, and their clusters, explain."""
        own = [set(effect) <= {_QUESTIONS, _CLUSTERS} for effect in self._design.effects]
        mask = np.array([*own, False], dtype=float)
        value = float(_ratio(self._point @ mask, self._point.sum())[()])
        spread = _ratio(self._draws @ mask, self._draws.sum(axis=-1))
        resampled = all(map(self._is_resampled, self._design.effects))
        low, high = self._ends(spread) if resampled else (math.nan, math.nan)
        sd = float(np.nanstd(spread)) if np.isfinite(spread).any() else math.nan
        return Measurement(value=value, sd=sd, low=low, high=high)

    def _is_resampled(self, effect: kernel.Effect) -> bool:
        """Whether the levels of an effect are drawn anew with the questions, or their clusters."""
        return not effect or self._table.is_nested(effect)

    def _ends(self, spread: NDArray[np.float64]) -> tuple[float, float]:
        return kernel.ends_of(spread, self._request.level)

    def _name(self, effect: kernel.Effect) -> str:
        """An effect in words."""
        columns = {f"column {at + 1}": name for at, name in enumerate(self._request.by)}
        if not effect:
            lost = [] if np.isfinite(self._table.variance).any() else list(columns.values())
            return f"{TRIALS}, and {' × '.join([*lost, 'question'])}" if lost else TRIALS
        if len(effect) == 1 and effect[0] in _OWN:
            return _OWN[effect[0]]
        return " × ".join(
            [*(columns[name] for name in effect if name in columns)]
            + [name.removesuffix("s") for name in effect if name not in columns]
        )


def _ratio(part: Any, whole: Any) -> NDArray[np.float64]:
    """Quotients; nan where the whole is 0."""
    part, whole = np.asarray(part, dtype=float), np.asarray(whole, dtype=float)
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0.0)
