"""Means of rewards and of votes with their intervals, and the values of questions.

Systems are compared by the values of questions.
"""

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from errbar.analysis.evaluate import estimate_of, values_in
from errbar.analysis.methods import Calibrated, Method
from errbar.analysis.methods.base import Cell, refuse_weights_in
from errbar.analysis.methods.population import (
    Summary,
    assumption_on_sizes,
    finite_population,
    mean_of_sample,
)
from errbar.analysis.outcome_scales import (
    ROUNDING,
    bounds_of,
    remark_on_guess,
    require_within,
)
from errbar.base.arguments import require_all, require_scale, scaled_weights
from errbar.base.arrays import Array, Integers
from errbar.base.remarks import (
    GUESSED,
    join_parts,
    setting,
    warning,
    way_to_say,
)
from errbar.data.queries.questions import Slice
from errbar.data.queries.tallies import Ballots, Results
from errbar.data.sources.tables import Source
from errbar.errors import InputError, WrongType
from errbar.kernels.interval import is_skewed, skewed_ends, student_reach
from errbar.kernels.sign_flip import FEW, effective_size
from errbar.kernels.urn import most_noise
from errbar.metrics import Metric, VoteAt
from errbar.results.estimate import Estimand, Estimate, Interval, Subject

# Some harnesses write the smallest normal float, or a few times it, in place of 0.
_EPSILON = 100 * sys.float_info.min
_ALL_EQUAL = "all questions have the same value, so there is no spread to estimate"


def ballots_of(source: Source, part: Slice, failures: str) -> list[Ballots]:
    """The ballots of each question; a failed trial is a ballot without an answer, or none."""
    if not part.is_binary:
        raise WrongType(f"needs outcomes of 0 and 1; there are {values_in(source, part)}")
    questions = [each for each in source.ballots(part.by)[part.key] if each.weight > 0]
    if any(each.silent for each in questions) and not any(each.votes for each in questions):
        raise InputError(
            "no row has an answer to vote by; maj@k counts right and wrong without answers"
        )
    if failures == "missing":
        return [question for question in questions if question.trials]
    if failures == "right" and part.failed:
        raise InputError(
            f"rows without a result have no answer to vote for; {setting('errors', 'fail')} counts "
            f"them as ballots without a vote, {setting('errors', 'missing')} leaves them out"
        )
    return [replace(part, silent=part.silent + part.failed, failed=0) for part in questions]


@dataclass(frozen=True, kw_only=True)
class AnsweredQuestions:
    """The values of the questions of a subject."""

    values: Array  # value of each question
    trials: Integers  # trials of each question
    clusters: Integers | None = None  # the cluster of each question
    noise: Array | None = None  # variance of each value due to its trials
    questions: tuple[str, ...] = ()  # ids, if there are any
    weights: Array | None = None  # weights of questions; None if they are equal

    @property
    def mean(self) -> float:
        """Over questions, by their weights."""
        if self.weights is None:
            return math.fsum(self.values) / self.values.size
        return math.fsum(self.weights * self.values) / math.fsum(self.weights)


@dataclass(frozen=True, kw_only=True)
class Rewards(AnsweredQuestions):
    """The mean rewards of the questions of a subject."""

    extremes: Array  # the lowest and the highest outcome of each question


def rewards_of(
    results: Results, failures: str, bounds: tuple[float, float] | None = None
) -> Rewards:
    """The mean reward of every question; rows without a result are worth 0, or left out.

    With bounds, such rows can be worth the lowest or the highest reward ("lowest", "right").
    """
    worth = {"lowest": bounds[0], "right": bounds[1]}.get(failures, 0.0) if bounds else 0.0
    if failures == "right" and not bounds and results.failed.any():
        as_zero = setting("errors", "fail")
        left_out = setting("errors", "missing")
        raise InputError(
            "the best case of rows without a result is unknown, unless "
            f"{way_to_say('--bounds LOW HIGH', 'bounds=(low, high)')} says which; {as_zero} "
            f"counts them as 0, {left_out} leaves them out"
        )
    endless = next((value for value in results.values if not math.isfinite(value)), None)
    if endless is not None:
        raise InputError(
            f"an outcome is {endless:g}, which has no mean; give every row a finite number, or "
            f"nothing where there is no result"
        )
    values = np.array(results.values, dtype=float)
    values[np.abs(values) < _EPSILON] = 0.0
    values[(values > 1.0) & (values <= 1.0 + ROUNDING)] = 1.0
    require_scale(float(np.abs(values).max(initial=0.0)), "rewards")
    trials = results.counts.sum(axis=1) + (0 if failures == "missing" else results.failed)
    some = trials > 0 if results.weights is None else (trials > 0) & (results.weights > 0)
    counts, each = results.counts[some], trials[some]
    extremes = _extremes(values, counts, each, worth)
    if bounds is not None:
        require_within(extremes, bounds)
    nothing = each - counts.sum(axis=1)
    means = (counts @ values + nothing * worth) / each
    off = counts * np.square(values - means[:, None])
    squares = off.sum(axis=1) + nothing * np.square(means - worth)
    with np.errstate(divide="ignore", invalid="ignore"):
        noise = squares / (each - 1) / each
    names = zip(results.questions, some.tolist(), strict=True) if results.questions else ()
    weights = None
    if results.weights is not None:
        weights = scaled_weights(results.weights[some], np.ones(each.size))
    return Rewards(
        values=means,
        extremes=extremes,
        trials=each,
        clusters=None if results.clusters is None else results.clusters[some],
        noise=noise,
        questions=tuple(name for name, is_in in names if is_in),
        weights=weights,
    )


def _extremes(values: Array, counts: Integers, trials: Integers, worth: float) -> Array:
    """Lowest and highest outcome of each question; failed trials have the given worth."""
    order = np.argsort(values)
    occur = counts[:, order] > 0
    extremes = np.full((2, trials.size), worth)
    if values.size:
        first, last = occur.argmax(axis=1), values.size - 1 - occur[:, ::-1].argmax(axis=1)
        extremes = np.where(occur.any(axis=1), values[order][np.stack([first, last])], worth)
    failed = trials > counts.sum(axis=1)
    extremes[0, failed] = np.minimum(extremes[0, failed], worth)
    extremes[1, failed] = np.maximum(extremes[1, failed], worth)
    return extremes


def average_reward(
    of: Subject,
    metric: Metric,
    answered: AnsweredQuestions,
    method: Method,
    bounds: tuple[float, float],
) -> Estimate:
    """Mean over questions, with an interval for the target of the method.

    The bounds of rewards are those of the method; without any, they are guessed.
    """
    questions = answered.values.size
    value = answered.mean
    covers = target_of(method, questions, answered.weights)
    if covers is Estimand.POPULATION:
        found, reason = _population_interval(answered, method, bounds)
        sd, low, high = found.sd, found.low, found.high
    else:
        variance, freedom, reason = _trial_variance(answered)
        sd = math.sqrt(variance * (2.0 if covers is Estimand.RERUN else 1.0))
        reach = student_reach(method.level, freedom) * sd if freedom else math.nan
        low, high = value - reach, value + reach
    interval = Interval(low, high, method.level, covers)
    cell = Cell(value, value, sd, interval, reason)
    trials = answered.trials
    return estimate_of(cell, of, metric, questions, trials.sum().item(), trials, answered.clusters)


def bounds_by_task(
    answered: Mapping[Subject, Rewards], bounds: tuple[float, float] | None
) -> dict[str, tuple[float, float]]:
    """Bounds of each task: those given, or those estimated from the outcomes of all its systems."""
    extremes: dict[str, list[Array]] = {}
    for of, rewards in answered.items():
        extremes.setdefault(of.task, []).append(rewards.extremes)
    return {
        task: bounds_of(np.concatenate(parts, axis=1), bounds) for task, parts in extremes.items()
    }


def votes_on(questions: Sequence[Ballots], metric: VoteAt) -> AnsweredQuestions:
    """The value of each question by the votes of its trials."""
    clusters = [question.cluster for question in questions]
    known = [number for number in clusters if number is not None]
    return AnsweredQuestions(
        values=np.array(metric.values(questions)),
        trials=np.array([question.trials for question in questions]),
        clusters=np.array(known) if len(known) == len(questions) else None,
        weights=scaled_weights([ballots.weight for ballots in questions], np.ones(len(questions))),
    )


def average_vote(
    of: Subject, metric: VoteAt, answered: AnsweredQuestions, method: Method
) -> Estimate:
    """Mean over questions of votes, which lie between 0 and 1."""
    trials, size = answered.trials, answered.values.size
    covers = target_of(method, size, answered.weights)
    found, assumed = _mean_of(answered, method)
    in_all = method.questions_in_all if isinstance(method, Calibrated) else None
    if in_all is not None:
        noise = most_noise(answered.values, trials, metric.k, np.ones(size))
        found, reason = finite_population(found, size / in_all, noise)
        assumed = join_parts(assumed, reason)
    mean, sd, low, high = found.within(0.0, 1.0)
    if covers is not Estimand.POPULATION:
        sd = low = high = math.nan
        assumed = "votes by answer are supported for the estimand 'population' only"
    cell = Cell(mean, mean, sd, Interval(low, high, method.level, covers), assumed)
    return estimate_of(cell, of, metric, size, trials.sum().item(), trials, answered.clusters)


def _mean_of(
    answered: AnsweredQuestions, method: Method, bounds: tuple[float, float] = (0.0, 1.0)
) -> tuple[Summary, str]:
    """Mean for new questions, and its assumption on the sizes of clusters."""
    known = method if isinstance(method, Calibrated) else Calibrated()
    once, clusters = np.ones(answered.values.size), answered.clusters
    level, weights, given = method.level, answered.weights, known.largest_cluster
    assumed = assumption_on_sizes(once, clusters, weights, level, given)
    sample = once, clusters, level, weights, bounds
    return mean_of_sample(answered.values, *sample, known.assume, given), assumed


def target_of(method: Method, questions: int, weights: Array | None = None) -> Estimand:
    """The target of the interval; the documented posterior is for this exact benchmark."""
    if not isinstance(method, Calibrated):
        if weights is not None:
            refuse_weights_in("the documented posterior")
        return Estimand.BENCHMARK
    require_all(method.questions_in_all, questions)
    if weights is not None and method.questions_in_all is not None:
        refuse_weights_in("questions_in_all")
    return method.estimand


def remarks_on_bounds(subject: str, values: Array, guessed: tuple[float, float]) -> list[str]:
    """The guess about the bounds of rewards, and a warning if few questions determine the mean."""
    return [remark_on_guess(subject, guessed), *_on_spread(subject, values, guessed)]


def remarks_on_spread(
    answered: Mapping[Subject, AnsweredQuestions], guessed: Mapping[str, tuple[float, float]]
) -> Iterator[str]:
    """A warning for each system whose mean depends on few questions."""
    for of, rewards in answered.items():
        yield from _on_spread(f"{of}: " if str(of) else "", rewards.values, guessed[of.task])


def _on_spread(subject: str, values: Array, guessed: tuple[float, float]) -> list[str]:
    """A warning if the mean depends on few questions, or on too few for rewards this skewed."""
    deviations = values - values.mean()
    rests_on = effective_size(deviations)
    found, few = "", f"{max(rests_on, 1.0):.0f} of {values.size} questions"
    if rests_on < min(FEW, 0.5 * values.size):
        found = f"the spread of the rewards rests on about {few}"
    elif is_skewed(deviations):
        found = "the rewards are skewed, and the interval may be too short"
    if not found or guessed == (0.0, 1.0):
        return []
    way = way_to_say("--bounds LOW HIGH", "bounds=(low, high)")
    advice = f"the mean may be far off. Give the possible range with {way}."
    return [warning(f"{subject}{found}: {advice}")]


def _population_interval(
    answered: AnsweredQuestions, method: Method, bounds: tuple[float, float]
) -> tuple[Summary, str]:
    """Interval for new questions, narrower if the questions are a sample of a known number."""
    known = method if isinstance(method, Calibrated) else Calibrated()
    found, assumed = _mean_of(answered, method, bounds)
    is_guess = known.bounds is None and bounds != (0.0, 1.0)
    # neither the rewards nor their estimated range tell how far others may lie
    if not found.sd or (is_guess and np.ptp(answered.values) == 0):
        return Summary(found.mean, math.nan, math.nan, math.nan), _ALL_EQUAL
    if is_guess and known.assume == "nothing":
        found = _widen_beyond_guess(found, answered, method.level, bounds[0])
    reason = ""
    if known.questions_in_all is not None:
        within, _, reason = _trial_variance(answered)
        if reason:
            reason = f"questions_in_all has no effect: {reason}"
        else:
            noise = min(1.0, within / found.sd**2)
            share = answered.values.size / known.questions_in_all
            found, reason = finite_population(found, share, noise)
    if is_guess:
        low, high = (f"{bound:.3g}" for bound in bounds)
        guessed = f"holds if every reward lies between {low} and {high}, {GUESSED}"
        assumed = join_parts(guessed, _beyond_guess(found, bounds), assumed)
    return found, join_parts(assumed, reason)


def _widen_beyond_guess(
    found: Summary, answered: AnsweredQuestions, level: float, least: float
) -> Summary:
    """Move an end outwards to that of Hall's interval, because guessed bounds may be too narrow.

    A lower bound of 0 or more is not a guess: no reward of any system is negative.
    """
    values = answered.values
    each = np.ones(values.size) if answered.weights is None else answered.weights
    deviations = each * (values - found.mean)
    if answered.clusters is not None:
        deviations = np.bincount(np.unique(answered.clusters, return_inverse=True)[1], deviations)
    below, above = skewed_ends(deviations * deviations.size / each.sum(), level)
    low = min(found.low, found.mean + below)
    if least >= 0.0:
        low = max(low, 0.0)
    return found._replace(low=low, high=max(found.high, found.mean + above))


def _beyond_guess(found: Summary, bounds: tuple[float, float]) -> str:
    """Why an end lies beyond the guessed bounds of rewards; empty if none does."""
    beyond = {"lower": found.low < bounds[0], "upper": found.high > bounds[1]}
    ends = [name for name, is_beyond in beyond.items() if is_beyond]
    if not ends:
        return ""
    lies = f"the {ends[0]} end lies" if len(ends) == 1 else "both ends lie"
    return f"{lies} beyond the guessed bounds, which may be too narrow (Hall's interval)"


def _trial_variance(answered: AnsweredQuestions) -> tuple[float, int, str]:
    """Variance of the mean, from the variance between the trials of each question."""
    noise = answered.noise
    if noise is None or not np.isfinite(noise).all():
        return math.nan, 0, "a question with a single trial gives no spread between trials"
    if answered.weights is None:
        total = math.fsum(noise) / answered.values.size**2
    else:
        total = math.fsum(answered.weights**2 * noise) / math.fsum(answered.weights) ** 2
    if not total:
        return math.nan, 0, "the trials of each question agree, so there is no spread to estimate"
    return total, int((answered.trials - 1).sum()), ""
