"""Scaling with the number of trials: how fast failures vanish, within and beyond the trials.

Within the trials the counts determine the answer. Beyond them there are two answers: bounds for all
distributions of difficulty that agree with the counts, and estimates by two families of
distributions.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from errbar.analysis.evaluate import Refusals
from errbar.analysis.methods import Calibrated
from errbar.analysis.methods.calibrated import design_effect
from errbar.analysis.readings import remarks_on
from errbar.analysis.score import (
    ScoreRequest,
    fewest_trials,
    scored_metric,
    scores_of,
    slices_by_subject,
)
from errbar.base.arguments import require_whole, strict_share
from errbar.base.arrays import Array
from errbar.base.remarks import Caution, Explanation, about, counted
from errbar.data.counts import CountsByState
from errbar.data.queries.questions import Slice, failures_as
from errbar.data.sources.tables import Source
from errbar.errors import InputError
from errbar.kernels.left_tail import BETA, FAMILIES, LeftTail, ProfileInterval
from errbar.kernels.partial_identification import GRID, CountShares, ratio_bounds
from errbar.metrics import PassAt
from errbar.results.base import Measurement
from errbar.results.estimate import Estimate, Subject
from errbar.results.scaling import Scaling, ScalingRow, ScalingStep

FEWEST = 4  # least trials of some question; fewer show only mean and variance of difficulty
_TIMES = (10, 100)  # multiples of the trials in the data, if ks are not given
_FEWEST_QUESTIONS = 10  # fewer were not simulated
_UNFIT = 0.01  # p-value of the test of fit below which a family is left out
_METHOD = (
    "bounds over all difficulty distributions that agree with the counts (F-localization; "
    "Ignatiadis and Wager 2022); families by maximum likelihood with profile likelihood intervals: "
    "Beta scaled to a largest rate, and normal log odds, both with questions that are never solved"
)


@dataclass(frozen=True, kw_only=True)
class ScalingRequest:
    """A request: numbers of trials, systems, policy for failed trials, and level."""

    ks: tuple[int, ...] = ()
    systems: tuple[str, ...] = ()
    errors: Literal["fail", "missing"] = "fail"
    level: float = 0.95

    def __post_init__(self) -> None:
        strict_share(self.level, "level")
        for k in self.ks:
            require_whole(k, "ks", 1)


def can_be_scaled(part: Slice) -> bool:
    """Whether there are trials and questions enough to say how failures vanish."""
    enough = part.is_binary and int(part.questions.sum()) >= _FEWEST_QUESTIONS
    return enough and fewest_trials(part) >= FEWEST


def scaling_of(source: Source, request: ScalingRequest) -> Scaling:
    """The scaling of every system and task, from the left tail of difficulty."""
    failures = failures_as(request.errors)
    slices = source.slices(())
    subjects = slices_by_subject(slices)
    _require_known(request.systems, {of.system for of in subjects})
    remarks: list[str] = []
    counted_at = {
        of: (part, _counts(of, part, failures, remarks))
        for of, part in subjects.items()
        if not request.systems or of.system in request.systems
    }
    counted_systems = {
        of: (part, counts) for of, (part, counts) in counted_at.items() if counts is not None
    }
    if not counted_systems:
        why = f" {remarks[0]}" if remarks else ""
        raise InputError(f"no system has enough trials to show how failures vanish.{why}")
    most = max(int(counts.trials.max()) for _, counts in counted_systems.values())
    ks = tuple(sorted(set(request.ks))) or tuple(times * most for times in _TIMES)
    if ks[0] <= most:
        raise InputError(
            f"k must exceed the {most} trials of a question; for {ks[0]}, score pass@{ks[0]}."
        )
    if not request.ks:
        times = " and ".join(map(str, _TIMES))
        remarks.append(
            Explanation(
                f"k: if not given, {times} times the largest number of trials of a question."
            )
        )
    how, refusals = Calibrated(level=request.level), Refusals()
    metrics = [scored_metric(f"pass@{k}") for k in ks]
    parts = [part for part, _ in counted_systems.values()]
    score_request = ScoreRequest(metrics, request.errors, "posterior", how, refusals)
    scores = scores_of(source, parts, score_request)
    bounded = {(each.of, each.metric.k): each for each in scores if isinstance(each.metric, PassAt)}
    rows = [
        _row(of, counts, {k: bounded[of, k] for k in ks}, request.level, remarks)
        for of, (_, counts) in counted_systems.items()
    ]
    remarks += [*scores.remarks, *remarks_on(source, parts, request.errors)]
    return Scaling(tuple(rows), _METHOD, tuple(dict.fromkeys(remarks)))


def _require_known(names: Sequence[str], known: set[str]) -> None:
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        raise InputError(f"there is no system {unknown!r}; there are {', '.join(sorted(known))}.")


def _counts(of: Subject, part: Slice, failures: str, remarks: list[str]) -> CountsByState | None:
    """Counts of a system if they show how failures vanish; otherwise None and a remark."""
    who = str(of)
    if not part.is_binary:
        remarks.append(about(who, Caution("left out: outcomes are not right or wrong.")))
        return None
    counts = part.where(part.weighs).counts(failures)
    counts = counts.where(counts.trials > 0)
    most, number = int(counts.trials.max(initial=0)), len(counts)
    if most < FEWEST or number < _FEWEST_QUESTIONS:
        why = (
            f"{counted(most, 'trial')} per question, {FEWEST} are needed"
            if most < FEWEST
            else f"{counted(number, 'question')}, {_FEWEST_QUESTIONS} are needed"
        )
        remarks.append(about(who, Caution(f"left out: {why}.")))
        return None
    return counts


def _row(
    of: Subject,
    counts: CountsByState,
    scores: Mapping[int, Estimate],
    level: float,
    remarks: list[str],
) -> ScalingRow:
    """The numbers of one system on one task; `scores` are pass@k for k beyond the trials."""
    mass = counts.masses()
    squares = mass if counts.weights is None else mass * counts.weights
    effect = design_effect(counts, level)
    groups = CountShares.by_trials((counts.trials, counts.correct), mass, squares, effect)
    size = float(mass.sum() ** 2 / squares.sum()) / effect
    least, most = int(counts.trials.min()), int(counts.trials.max())
    often = mass * (size / mass.sum())
    tails = [LeftTail(family, counts.trials, counts.correct, often) for family in FAMILIES]
    p_values = {tail.family.name: tail.p_value() for tail in tails}
    fit = [tail for tail in tails if not p_values[tail.family.name] < _UNFIT]
    if not fit:
        remarks.append(
            about(
                str(of),
                Caution(
                    "no family of distributions fits the counts, so only the bounds are given "
                    "(difficulty may come in groups; score them apart)."
                ),
            )
        )
    elif all(math.isnan(p) for p in p_values.values()):
        remarks.append(about(str(of), "too few questions to see whether a family fits."))
    steps = []
    for k, score in scores.items():
        bounds = _slopes(groups, most, k, level)
        steps.append(
            ScalingStep(
                k=k,
                bounded=Measurement(value=score.mean, sd=score.sd, low=score.low, high=score.high),
                solved=_combine_families(fit, [tail.solved(k, level) for tail in fit]),
                exponent=_combine_families(fit, [tail.exponent(most, k, level) for tail in fit]),
                lowest=bounds[0],
                highest=bounds[1],
            )
        )
    beta = next((tail for tail in fit if tail.family is BETA), None)
    return ScalingRow(
        of=of,
        questions=len(counts),
        least=least,
        most=most,
        unsolved=float(mass[counts.correct == 0].sum() / mass.sum()),
        within=_exponent_within(counts, mass, groups, least, level),
        limit=_number_with_sd(beta.limit(level)) if beta else _number_with_sd(None),
        p_values=p_values,
        steps=tuple(steps),
        level=level,
    )


def _exponent_within(
    counts: CountsByState, mass: Array, groups: Sequence[CountShares], least: int, level: float
) -> Measurement:
    """Exponent over the last doubling of the trials that all questions have."""
    few = least // 2
    if not few:
        return _number_with_sd(None)
    low, high = _slopes(groups, few, least, level)
    n, wrong = counts.trials, counts.trials - counts.correct
    failed = []
    for k in (few, least):
        steps = np.arange(k)
        left = np.maximum(wrong[:, None] - steps, 0) / (n[:, None] - steps)
        failed.append(float(left.prod(axis=1) @ mass / mass.sum()))
    if not failed[1]:
        return Measurement(value=math.nan, sd=math.nan, low=low, high=high)
    value = math.log(failed[0] / failed[1]) / math.log(least / few)
    return Measurement(value=value, sd=(high - low) / 4.0, low=low, high=high)


def _slopes(
    groups: Sequence[CountShares], few: int, many: int, level: float
) -> tuple[float, float]:
    """Bounds on the exponent between two numbers of trials, for any distribution of difficulty."""
    low, high = ratio_bounds((1.0 - GRID) ** many, (1.0 - GRID) ** few, groups, level)
    reach = math.log(many / few)
    return -math.log(high) / reach, -math.log(low) / reach if low > _NOTHING else math.inf


_NOTHING = 1e-6  # ten times the tolerance of the solver; a smaller share of failures counts as 0


def _combine_families(fit: Sequence[LeftTail], found: Sequence[ProfileInterval]) -> Measurement:
    """The estimate by the most likely family, with an interval that contains those of all."""
    if not fit:
        return _number_with_sd(None)
    best = max(range(len(fit)), key=lambda at: fit[at].log_likelihood)
    return _number_with_sd(
        ProfileInterval(
            found[best].value, min(each.low for each in found), max(each.high for each in found)
        )
    )


def _number_with_sd(found: ProfileInterval | None) -> Measurement:
    """An estimate with a standard deviation for printing: a quarter of the interval."""
    if found is None:
        return Measurement(value=math.nan, sd=math.nan, low=math.nan, high=math.nan)
    return Measurement(
        value=found.value, sd=(found.high - found.low) / 4.0, low=found.low, high=found.high
    )
