"""Item analysis: abilities of systems, difficulties of questions, and suspect questions."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from errbar.analysis.alignment import AlignedValues, side_by_side
from errbar.analysis.readings import AveragedMetrics
from errbar.analysis.score import scored_metric
from errbar.base.arguments import require_choice, require_whole, strict_share
from errbar.base.arrays import Array, Integers
from errbar.base.remarks import Caution, about, counted, some_of
from errbar.data.sources.tables import Source
from errbar.errors import InputError
from errbar.kernels import item_checks as checks
from errbar.kernels import leave_out
from errbar.kernels.interval import student_reach
from errbar.kernels.item_checks import fit_correlated
from errbar.kernels.item_response import ItemFit, clustered_covariance, fit
from errbar.results.estimate import Estimand, Interval
from errbar.results.items import (
    ALL_RIGHT,
    ALL_WRONG,
    FLAT,
    INVERTED,
    AlikePair,
    ItemRow,
    Items,
    SubsetSize,
    SystemAbility,
    TaskItems,
)

_SEED = 0  # seed of the folds
_SIZES = (5, 10, 20, 50, 100, 200)  # sizes of subsets, if none is given
FEWEST = 5  # least number of systems for checks of questions, and for subsets
_MODELS = {
    "rasch": "the model of Rasch",
    "2pl": "the two-parameter model, log discriminations normal around 0",
}


@dataclass(frozen=True, kw_only=True)
class ItemRequest:
    """A request: the systems, the model, the size of a subset, and the level."""

    systems: Sequence[str] | None = None
    model: Literal["rasch", "2pl"] = "rasch"
    subset: int | None = None
    level: float = 0.95
    errors: Literal["fail", "missing"] = "fail"

    def __post_init__(self) -> None:
        strict_share(self.level, "level")
        require_choice(self.model, "model", tuple(_MODELS))
        if self.subset is not None:
            require_whole(self.subset, "subset", 1)


def items_of(source: Source, request: ItemRequest) -> Items:
    """The questions of every task that at least two systems answered."""
    metric = scored_metric("avg")
    part = AveragedMetrics([metric], source, request.errors, None)
    tables = side_by_side(part.source, [metric], request.systems, part.policy("drop"))
    remarks = [note for data in tables for note in data.remarks]
    fitted = []
    for data in tables:
        if data.correct is None or len(data.systems) < 2:
            why = "outcomes are not right or wrong" if data.correct is None else "a single system"
            remarks.append(about(data.task, Caution(f"left out: {why}.")))
            continue
        fitted.append(_FittedTask(data, request))
    if not fitted:
        raise InputError("items need outcomes of right or wrong of at least two systems.")
    remarks += [note for task in fitted for note in task.remarks()]
    method = (
        f"{_MODELS[request.model]} by marginal maximum likelihood, difficulties normal; "
        "intervals of abilities by the sandwich over questions (or clusters), or by the model "
        "if its are wider, t quantiles; of "
        "difficulties by their posterior, widened for the abilities; trials of a system on a "
        "question that are more alike than the model says count less (Williams 1982); checks by "
        "the model of Rasch"
    )
    return Items(
        tuple(row for task in fitted for row in task.rows()),
        systems=tuple(row for task in fitted for row in task.systems()),
        pairs=tuple(row for task in fitted for row in task.pairs()),
        subsets=tuple(row for task in fitted for row in task.subsets()),
        tasks=tuple(task.facts for task in fitted),
        level=request.level,
        method=method,
        remarks=(*remarks, *part.remarks()),
    )


class _FittedTask:
    """The fitted questions of one task."""

    def __init__(self, data: AlignedValues, request: ItemRequest) -> None:
        if data.correct is None:
            raise InputError("items need outcomes of right or wrong.")
        self._data, self._request = data, request
        trials = np.where(np.isnan(data.parts[0]), 0.0, data.trials).astype(float)
        right = np.where(trials > 0.0, data.correct, 0.0)
        total, most = right.sum(axis=0), trials.sum(axis=0)
        if not ((total > 0.0) & (total < most)).any():
            where = f" of {data.task!r}" if data.task else ""
            raise InputError(
                f"on every question{where} all systems are equally right, so abilities "
                "and difficulties cannot be estimated."
            )
        self._there: NDArray[np.bool_] = trials > 0.0
        self._rates = np.divide(right, trials, out=np.zeros_like(right), where=self._there)
        self.rasch, self._alike, design = fit_correlated(right, trials, data.clusters)
        self._right, self._trials = right / design, trials / design
        self.fit: ItemFit = self.rasch
        if request.model == "2pl":
            self.fit = fit(self._right, self._trials, data.clusters, slopes=True)
        self._dead = checks.dead_questions(self._right, self._trials, self.rasch)
        self._pairs = checks.agreeing_pairs(
            self._right, self._trials, self.rasch.expected, request.level
        )
        self.facts = TaskItems(
            task=data.task,
            systems=len(data.systems),
            questions=len(data.questions),
            spread=self.fit.spread,
            mean=self.fit.mean,
            alikeness=self._alike,
            all_right=int(self._dead.solved.sum()),
            all_wrong=int(self._dead.failed.sum()),
            expected_right=self._dead.expected_solved,
            expected_wrong=self._dead.expected_failed,
            pairs=self._pairs.tested,
        )

    def rows(self) -> list[ItemRow]:
        """Every question with its checks."""
        level = self._request.level
        unanimous = self._dead.solved | self._dead.failed
        squares = checks.fit_squares(self._right, self._trials, self.rasch.expected)
        inverted = checks.inversions(self._right, self._trials, self.rasch)
        live = [np.where(unanimous, np.nan, values) for values in (*squares, *inverted)]
        infit, outfit, infit_p, outfit_p, correlation, inverted_p = live
        infit_p, outfit_p, inverted_p = (
            checks.benjamini_hochberg(p) for p in (infit_p, outfit_p, inverted_p)
        )
        masks = {
            INVERTED: inverted_p < 1.0 - level,
            FLAT: (infit_p < 1.0 - level) & (infit > 1.0),
            ALL_WRONG: self._dead.failed,
            ALL_RIGHT: self._dead.solved,
        }
        lows, highs = self.fit.difficulty_ends(0.5 * (1.0 - level))
        answered = self._there.sum(axis=0)
        solved = self._rates.sum(axis=0) / answered
        return [
            ItemRow(
                task=self._data.task,
                question=name,
                systems=int(answered[at]),
                solved=float(solved[at]),
                value=float(self.fit.difficulties[at]),
                sd=float(self.fit.difficulty_sds[at]),
                interval=self._interval(lows[at], highs[at]),
                discrimination=float(self.fit.slopes[at]),
                infit=float(infit[at]),
                infit_p=float(infit_p[at]),
                outfit=float(outfit[at]),
                outfit_p=float(outfit_p[at]),
                correlation=float(correlation[at]),
                inverted_p=float(inverted_p[at]),
                by_luck=float(self._dead.by_luck[at]),
                flags=tuple(flag for flag, mask in masks.items() if mask[at]),
            )
            for at, name in enumerate(self._data.questions)
        ]

    def systems(self) -> list[SystemAbility]:
        """Every system, by descending ability."""
        reach = self._reach()
        sds = self.fit.ability_sds
        lows, highs = self.fit.abilities - reach * sds, self.fit.abilities + reach * sds
        total = self._right.sum(axis=1)
        lows = np.where(self.fit.separated & (total <= 0.0), -np.inf, lows)
        highs = np.where(self.fit.separated & (total > 0.0), np.inf, highs)
        adjusted, adjusted_sds = self._adjusted()
        # An ability bounded on one side predicts rates bounded on one side: from 12 of 12 right
        # and 8 answers missing, symmetrical ends would be 0.92 to 1.00.
        sds, adjusted_sds = np.where(self.fit.separated, np.nan, (sds, adjusted_sds))
        ends = _on_logits(adjusted, adjusted_sds, reach)
        return [
            SystemAbility(
                task=self._data.task,
                system=self._data.systems[at],
                questions=int(self._there[at].sum()),
                score=float(self._rates[at].sum() / self._there[at].sum()),
                value=float(self.fit.abilities[at]),
                sd=float(sds[at]),
                interval=self._interval(lows[at], highs[at]),
                adjusted=float(adjusted[at]),
                adjusted_sd=float(adjusted_sds[at]),
                adjusted_low=float(ends[0][at]),
                adjusted_high=float(ends[1][at]),
            )
            for at in np.argsort(-self.fit.abilities, kind="stable")
        ]

    def _adjusted(self) -> tuple[Array, Array]:
        """Mean rates over all questions with their sd; the expected rate where there is no answer.

        The influence of a question is its own rate, plus the effect on the abilities from which the
        rates of questions without an answer are predicted.
        """
        values = np.where(self._there, self._rates, self.fit.expected)
        number = values.shape[1]
        mean = values.mean(axis=1)
        slopes = np.where(self._there, 0.0, self.fit.steepness).sum(axis=1) / number
        influence = (values - mean[:, None]).T / number + self.fit.influence * slopes
        covariance = clustered_covariance(influence, self._data.clusters)
        return mean, np.sqrt(np.diag(covariance))

    def pairs(self) -> list[AlikePair]:
        """Pairs of questions whose residuals are correlated, the strongest correlation first."""
        names = self._data.questions
        rows = []
        for at in np.argsort(-self._pairs.correlation, kind="stable"):
            first, second = int(self._pairs.first[at]), int(self._pairs.second[at])
            both = self._there[:, first] & self._there[:, second]
            equal_rates = np.isclose(self._rates[both, first], self._rates[both, second])
            rows.append(
                AlikePair(
                    task=self._data.task,
                    first=names[first],
                    second=names[second],
                    correlation=float(self._pairs.correlation[at]),
                    p_value=float(self._pairs.p_value[at]),
                    agreement=float(equal_rates.mean()),
                )
            )
        return rows

    def subsets(self) -> list[SubsetSize]:
        """Subsets of several sizes, or of the requested size, with their errors."""
        number, systems = len(self._data.questions), len(self._data.systems)
        requested = self._request.subset
        if requested is not None and requested >= number:
            raise InputError(
                f"a subset of {requested} questions needs more than {requested}; "
                f"there are {counted(number, 'question')}."
            )
        if systems < FEWEST:
            return []
        sizes = [requested] if requested else [size for size in _SIZES if 2 * size <= number]
        if not sizes:
            return []
        rates = np.where(self._there, self._rates, self.rasch.expected)
        order = leave_out.forward_selection(rates, max(sizes))
        rng = np.random.default_rng(_SEED)
        errors = leave_out.cross_validate(rates, np.array(sizes, dtype=np.int64), rng)
        full = rates.mean(axis=1)
        found = []
        for row, size in enumerate(sizes):
            chosen = order[:size]
            slope, intercept = leave_out.linear_fit(rates[:, chosen].mean(axis=1), full)
            swapped = errors.swapped[row]
            found.append(
                SubsetSize(
                    task=self._data.task,
                    size=size,
                    swapped=float(swapped.mean()),
                    swapped_sd=float(swapped.std(ddof=1) / math.sqrt(systems)),
                    away=float(np.sqrt(errors.squares[row].mean())),
                    slope=slope,
                    intercept=intercept,
                    questions=tuple(self._data.questions[at] for at in chosen),
                )
            )
        return found

    def remarks(self) -> list[str]:
        """Remarks on the systems and trials that the analysis requires."""
        notes: list[str] = []
        names = self._data.systems
        if self._alike > 0.0:
            notes.append(
                f"Trials of a system on a question are more alike than the model says "
                f"(correlation {self._alike:.2f}): they count less."
            )
        if self.fit.separated.any():
            who = some_of([names[at] for at in np.flatnonzero(self.fit.separated)])
            notes.append(
                Caution(
                    f"all questions, or none, are solved by {who}, so the data bound the ability "
                    "on one side only (the log-F prior keeps it finite)."
                )
            )
        if self.fit.is_flat:
            notes.append(
                Caution(
                    "the outcomes do not show that questions differ in difficulty, so difficulties "
                    "have no interval."
                )
            )
        if self._request.subset is not None and len(names) < FEWEST:
            notes.append(
                Caution(
                    f"a subset needs at least {FEWEST} systems to choose it by; there are "
                    f"{len(names)}."
                )
            )
        lacking = int((~self._there).sum())
        if lacking:
            notes.append(
                f"{lacking:,} of {self._there.size:,} answers {'is' if lacking == 1 else 'are'} "
                "missing; adjusted scores use the success rate that the model expects for them."
            )
        return [about(self._data.task, note) for note in notes]

    def _interval(self, low: float, high: float) -> Interval:
        return Interval(float(low), float(high), self._request.level, Estimand.POPULATION)

    def _reach(self) -> float:
        """The t quantile of abilities, by the number of clusters; nan if there is only one."""
        clusters: Integers = np.unique(self._data.clusters)
        if clusters.size < 2:
            return math.nan
        return student_reach(self._request.level, clusters.size - 1)


def _on_logits(mean: Array, sd: Array, reach: float) -> tuple[Array, Array]:
    """Ends of intervals of shares, symmetrical in logits; nan at 0 and 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logit, spread = np.log(mean / (1.0 - mean)), sd / (mean * (1.0 - mean))
        low, high = (1.0 / (1.0 + np.exp(-(logit + side * spread))) for side in (-reach, reach))
    return low, high
