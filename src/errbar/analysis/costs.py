"""Costs of systems: per trial and per success, differences, the Pareto front, several tries.

A question counts by its weight, whatever its number of rows. Rows without a cost are assumed to
cost as much as other rows of the same question and result. Questions without any cost are left out.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from errbar.analysis.alignment import align
from errbar.analysis.readings import remarks_on
from errbar.base.arguments import require_scale, require_whole, strict_share
from errbar.base.arrays import Array
from errbar.base.remarks import Caution, about, counted, guess, have
from errbar.data.columns import Key, named_like
from errbar.data.queries.costs import INPUT_TOKENS, OUTPUT_TOKENS, Price, QuestionCosts, price_of
from errbar.data.queries.named_questions import NamedQuestions
from errbar.data.queries.questions import failures_as
from errbar.data.sources.tables import Source
from errbar.errors import InputError, UnknownColumn
from errbar.kernels.bounded_mean import Sample, mean_ends
from errbar.kernels.ratio import (
    Ratio,
    difference_of_means,
    draws_until_right,
    ratio_of_sums,
    ratios_of_sums,
    tradeoffs,
)
from errbar.results.base import Measurement
from errbar.results.costs import CostDifference, CostRow, Costs, Tries
from errbar.results.estimate import Subject

_Chances = tuple[float, float]

MOST_IN_PAIRS = 6  # systems up to which all pairs are compared
_SAME = 1e-12  # relative: smaller differences are rounding errors
_UNKNOWN = (math.nan, math.nan)
_METHOD = (
    "the outer ends of two intervals: a Bayesian bootstrap over {unit} with one unseen unit, which "
    "costs as much as the estimated maximum (Robson and Whitlock 1964), and Hall's "
    "transformation (1992), which allows for skewness; of mean costs and their differences also "
    "that of lognormal costs (Krishnamoorthy and Mathew 2003), unless Anderson and Darling's test "
    "refutes these at 10%; scores by Gaffke's bound"
)


@dataclass(frozen=True, kw_only=True)
class CostRequest:
    """A request: the column of the cost, prices, systems, baseline and numbers of tries."""

    of: str | None = None  # the column that is added up; the cost by default
    prices: Mapping[str, Price] | None = None
    systems: tuple[str, ...] = ()
    baseline: str | None = None
    tries: tuple[int, ...] = ()
    errors: str = "fail"
    level: float = 0.95
    rng: int = 0


@dataclass(frozen=True, eq=False, kw_only=True)
class _SystemCosts:
    """Quality and cost of the questions of a system on a task."""

    questions: Sequence[str]
    quality: Array  # mean outcome of each question
    cost: Array  # mean cost of a trial of each question
    right: Array
    trials: Array
    if_wrong: Array  # mean cost of a wrong trial of each question
    if_right: Array
    weight: Array
    cluster: Sequence[str]
    is_binary: bool
    total: float

    def units(self, *values: Array) -> list[Array]:
        """Totals of values by cluster, by the weight of questions."""
        codes = np.unique(self.cluster, return_inverse=True)[1]
        return [np.bincount(codes, self.weight * each).astype(float) for each in values]

    def at(self, places: Sequence[int]) -> "_SystemCosts":
        """A selection of the questions, in this order."""
        chosen = {
            name: getattr(self, name)[places]
            for name in ("quality", "cost", "right", "trials", "if_wrong", "if_right", "weight")
        }
        return _SystemCosts(
            questions=[self.questions[at] for at in places],
            cluster=[self.cluster[at] for at in places],
            is_binary=self.is_binary,
            total=self.total,
            **chosen,
        )


def costs_of(source: Source, request: CostRequest) -> Costs:
    """The costs of every system and task."""
    strict_share(request.level, "level")
    require_whole(request.rng, "rng", 0)
    missing = failures_as(request.errors) == "missing"
    remarks: list[str] = []
    by_system: dict[tuple[str, str], _SystemCosts] = {}
    named = source.named()
    for key, costs in _costs_of_questions(source, request, remarks).items():
        if not request.systems or key[0] in request.systems:
            own = _system(costs, named[key], str(Subject(key[0], key[1])), remarks, missing=missing)
            if own is not None:
                by_system[key[0], key[1]] = own
    if not by_system:
        raise InputError("no row has both a result and a cost; there is nothing to add up.")
    rows, differences = [], []
    for task in dict.fromkeys(task for _, task in by_system):
        systems = {system: own for (system, of), own in by_system.items() if of == task}
        fronts = _fronts(systems, request.rng)
        rows += [
            _row(Subject(name, task), own, fronts.get(name, _UNKNOWN), request, remarks)
            for name, own in systems.items()
        ]
        differences += _differences(task, systems, request)
    clustered = any(len(set(own.cluster)) < len(own.cluster) for own in by_system.values())
    unit = "clusters of questions" if clustered else "questions"
    remarks += remarks_on(source, source.slices(()), request.errors)
    return Costs(
        tuple(rows),
        request.of or "cost",
        tuple(differences),
        _METHOD.format(unit=unit),
        tuple(dict.fromkeys(remarks)),
    )


def _costs_of_questions(
    source: Source, request: CostRequest, remarks: list[str]
) -> dict[Key, QuestionCosts]:
    """The costs in a column, or those of the tokens in two columns at their prices."""
    if request.prices is None:
        return source.costs(request.of)
    if request.of is not None:
        raise InputError("prices compute the cost from tokens; leave out the column of the cost.")
    names = source.unused_columns()
    read, written = (
        next(iter(named_like(names, known)), None) for known in (INPUT_TOKENS, OUTPUT_TOKENS)
    )
    if read is None or written is None:
        raise UnknownColumn(
            "prices need a column with the number of input tokens (input_tokens, prompt_tokens) "
            "and one with that of output tokens (output_tokens, completion_tokens)."
        )
    remarks.append(guess(f"Cost: {read!r} and {written!r} at the prices given, per million"))
    both = source.costs(read), source.costs(written)
    by_system = {}
    for key, ins in both[0].items():
        outs, price = both[1][key], price_of(key[0], request.prices)
        by_system[key] = QuestionCosts(
            questions=ins.questions,
            rows=ins.rows,
            scored=ins.scored,
            right=ins.right,
            reward=ins.reward,
            paid=np.minimum(ins.paid, outs.paid),
            spent=price.of(ins.spent, outs.spent),
            paid_right=np.minimum(ins.paid_right, outs.paid_right),
            spent_right=price.of(ins.spent_right, outs.spent_right),
            least=np.minimum(ins.least, outs.least),
        )
    return by_system


def _system(
    costs: QuestionCosts, named: NamedQuestions, who: str, remarks: list[str], *, missing: bool
) -> _SystemCosts | None:
    """Means of every question that has trials and a cost; None if there is no such question."""
    trials = costs.scored if missing else costs.rows
    some = (trials > 0) & (costs.paid > 0)
    place = {name: at for at, name in enumerate(named.questions)}
    at = np.array([place[name] for name in costs.questions], dtype=np.int64)
    weights = named.slice.weights
    weight = np.ones(len(at)) if weights is None else weights[at]
    some &= weight > 0
    rows, paid = int(costs.rows.sum()), int(costs.paid.sum())
    if not some.any() or not named.slice.was_scored:
        remarks.append(about(who, Caution("left out: no row has both a result and a cost.")))
        return None
    if paid < rows:
        lost = rows - paid
        words = (
            f"{lost:,} of {rows:,} rows {have(lost)} no cost; each gets the mean cost of the other "
            f"rows with the same question and result."
        )
        remarks.append(about(who, Caution(words)))
    out = int(((trials > 0) & (costs.paid == 0) & (weight > 0)).sum())
    if out:
        remarks.append(
            about(who, Caution(f"{counted(out, 'question')} left out for lack of a cost."))
        )
    spent, n = costs.spent[some], costs.paid[some].astype(float)
    hits, spent_hits = costs.paid_right[some].astype(float), costs.spent_right[some]
    mean = spent / n
    with np.errstate(divide="ignore", invalid="ignore"):
        if_right = np.where(hits > 0, spent_hits / hits, mean)
        if_wrong = np.where(n > hits, (spent - spent_hits) / (n - hits), mean)
    right, own = costs.right[some].astype(float), trials[some].astype(float)
    _require_amounts(who, costs, some)
    if not spent.any():
        words = "all costs are 0; perhaps the prices were not known, so do not compare it by cost."
        remarks.append(about(who, Caution(words)))
    quality = costs.reward[some] / own
    is_binary = named.slice.is_binary
    names = [name for name, is_in in zip(costs.questions, some, strict=True) if is_in]
    clusters = [named.clusters[place[name]] if named.clusters else "" for name in names]
    return _SystemCosts(
        questions=names,
        quality=quality,
        cost=(right * if_right + (own - right) * if_wrong) / own if is_binary else mean,
        right=right,
        trials=own,
        if_wrong=if_wrong,
        if_right=if_right,
        weight=weight[some],
        cluster=[f"in {c}" if c else f"of {q}" for c, q in zip(clusters, names, strict=True)],
        is_binary=is_binary,
        total=float(costs.spent.sum()),
    )


def _require_amounts(who: str, costs: QuestionCosts, some: NDArray[np.bool_]) -> None:
    """Refuse costs that are infinite, negative or beyond the numbers whose squares are floats."""
    wrong = some & (~np.isfinite(costs.spent) | (costs.least < 0.0))
    if wrong.any():
        at = int(np.argmax(wrong))
        least = costs.least[at]
        found = f"the least is {least:g}" if least < 0.0 else "they add up to inf"
        raise InputError(
            f"{about(who, 'costs')} must be finite and not negative; of the rows of question "
            f"{costs.questions[at]!r} {found}."
        )
    require_scale(float(costs.spent[some].max(initial=0.0)), about(who, "costs"))


def _row(
    of: Subject, own: _SystemCosts, chances: _Chances, request: CostRequest, remarks: list[str]
) -> CostRow:
    """The numbers of one system on one task."""
    rng = np.random.default_rng(request.rng)
    quality, cost = own.units(own.quality, own.cost)
    per_trial, per_success = _means_and_ratios(own, [(cost, quality)], request.level, rng)[0]
    if math.isnan(per_success.value):
        why = "no trial is right" if not quality.any() else "rewards are negative"
        remarks.append(about(str(of), Caution(f"{why}, so there is no cost of a success.")))
    return CostRow(
        of=of,
        quality=_mean_share(own, own.quality, request.level),
        cost=per_trial,
        per_success=per_success,
        total=own.total,
        front=chances[0],
        cheapest=chances[1],
        questions=len(own.questions),
        tries=tuple(_tries(of, own, request, remarks)) if own.is_binary else (),
        level=request.level,
    )


def _mean_share(own: _SystemCosts, values: Array, level: float) -> Measurement:
    """Mean of a variable between 0 and 1, or of rewards whose range is unknown."""
    sizes, totals = own.units(np.ones(values.size), values)
    if values.min() < 0.0 or values.max() > 1.0:
        return _number_with_sd(ratio_of_sums(totals, sizes, sizes, level, np.random.default_rng(0)))
    sample = Sample(np.clip(totals, 0.0, sizes), sizes, np.ones(sizes.size))
    low, high = mean_ends(sample, level)
    return Measurement(value=sample.mean, sd=sample.sd(), low=low, high=high)


def _means_and_ratios(
    own: _SystemCosts,
    pairs: Sequence[tuple[Array, Array]],
    level: float,
    rng: np.random.Generator,
) -> list[tuple[Measurement, Measurement]]:
    """Mean cost, and cost of a success, of every pair of costs and successes by unit.

    The cost of a success is undefined without a success, and with negative outcomes.
    """
    (sizes,) = own.units(np.ones(own.cost.size))
    ratios: list[tuple[Array, Array]] = []
    for costs, successes in pairs:
        ratios.append((costs, sizes))
        has_ratio = successes.sum() > 0.0 and successes.min() >= 0.0
        ratios.append((costs, successes if has_ratio else sizes))
    estimates = [_cost_with_sd(each) for each in ratios_of_sums(ratios, sizes, level, rng)]
    return [
        (mean, ratio if bottom is successes else _without_spread(math.nan))
        for mean, ratio, (_, bottom), (_, successes) in zip(
            estimates[::2], estimates[1::2], ratios[1::2], pairs, strict=True
        )
    ]


def _tries(of: Subject, own: _SystemCosts, request: CostRequest, remarks: list[str]) -> list[Tries]:
    """Results of several tries of each question, on the questions with enough trials."""
    fewest = int(own.trials.min())
    numbers = request.tries or tuple(k for k in (1, 2, 4, 8, 16) if k <= fewest if fewest > 1)
    # numbers of tries, by the number of questions with enough trials
    together: dict[int, list[int]] = {}
    for k in numbers:
        enough = int((own.trials >= k).sum())
        if enough < own.trials.size:
            drop = f"{counted(own.trials.size - enough, 'question')} with fewer than {k} trials"
            remarks.append(about(str(of), Caution(f"{k} tries: left out {drop}.")))
        if enough > 1:
            together.setdefault(enough, []).append(k)
    rows = []
    for ks in together.values():
        some = own.at(np.flatnonzero(own.trials >= ks[-1]).tolist())
        pairs, solved = [], []
        for k in ks:
            wrong, hits = draws_until_right(some.right, some.trials, k)
            costs, successes = some.units(wrong * some.if_wrong + hits * some.if_right, hits)
            pairs.append((costs, successes))
            solved.append(_mean_share(some, hits, request.level))
        rng = np.random.default_rng([request.rng, 3])
        measured = _means_and_ratios(some, pairs, request.level, rng)
        rows += [
            Tries(k=k, solved=share, cost=cost, per_solved=per_solved)
            for k, share, (cost, per_solved) in zip(ks, solved, measured, strict=True)
        ]
    return rows


def _number_with_sd(found: Ratio) -> Measurement:
    """An estimate; a standard deviation that is only rounding error becomes 0."""
    sd = found.sd if found.sd > _SAME * abs(found.value) else 0.0  # 0 if it is only rounding
    return Measurement(value=found.value, sd=sd, low=found.low, high=found.high)


def _cost_with_sd(found: Ratio) -> Measurement:
    """A cost; costs of 0 alone show no spread, not even that of the cost of a success."""
    return _number_with_sd(found) if found.value else _without_spread(0.0)


def _without_spread(value: float) -> Measurement:
    return Measurement(value=value, sd=math.nan, low=math.nan, high=math.nan)


def _fronts(systems: Mapping[str, _SystemCosts], seed: int) -> dict[str, _Chances]:
    """Probabilities of being on the Pareto front and cheapest per success, on common questions."""
    if len(systems) < 2:
        return {}
    shared = align([own.questions for own in systems.values()]).shared()
    if shared[0].size < 2:
        return {}
    each = [own.at(at.tolist()) for own, at in zip(systems.values(), shared, strict=True)]
    sizes, *parts = each[0].units(
        np.ones(shared[0].size), *(own.quality for own in each), *(own.cost for own in each)
    )
    del sizes  # all systems are averaged over the same
    quality, cost = np.stack(parts[: len(each)], axis=1), np.stack(parts[len(each) :], axis=1)
    fronts, least = tradeoffs(quality, cost, np.random.default_rng([seed, 1]))
    return dict(zip(systems, zip(fronts.tolist(), least.tolist(), strict=True), strict=True))


def _differences(
    task: str, systems: Mapping[str, _SystemCosts], request: CostRequest
) -> list[CostDifference]:
    """Paired differences in cost per trial."""
    if request.baseline is not None:
        if request.baseline not in systems:
            raise InputError(f"there is no system {request.baseline!r} to use as the baseline.")
        pairs = [(name, request.baseline) for name in systems if name != request.baseline]
    else:
        pairs = list(combinations(systems, 2)) if len(systems) <= MOST_IN_PAIRS else []
    differences = []
    for first, second in pairs:
        here, there = align([systems[first].questions, systems[second].questions]).shared()
        if here.size < 2:
            continue
        own, other = systems[first].at(here.tolist()), systems[second].at(there.tolist())
        sizes, own_cost, other_cost = own.units(np.ones(here.size), own.cost, other.cost)
        rng = np.random.default_rng([request.rng, 2])
        differences.append(
            CostDifference(
                first=first,
                second=second,
                task=task,
                questions=int(here.size),
                difference=_number_with_sd(
                    difference_of_means(own_cost, other_cost, sizes, request.level, rng)
                ),
            )
        )
    return differences
