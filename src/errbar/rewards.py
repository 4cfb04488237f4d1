"""Values of questions that are not counted by state: rewards of any size, and votes by answer.

Rewards have no bounds, so their intervals are Student's: from how far the means of the questions,
or of clusters of them, lie apart, or from how far the trials of each question do. A weighted mean
is a ratio of two sums, whose variance is the linearised one: the sandwich estimator in the form HC2
(MacKinnon and White 1985), which allows for how far a heavy question draws the mean to itself. Its
degrees of freedom are the effective number of questions (Kish 1965), (Σw)²/Σw², less 1, but 1 at
least. With equal weights both are what they are without any.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.data.given import scaled_weights
from errbar.data.slices import Results
from errbar.errors import InputError
from errbar.estimate import Estimand, Estimate, Interval, Subject
from errbar.kernels.bounded import most_noise
from errbar.kernels.interval import student_reach
from errbar.metrics import Metric, VoteAt
from errbar.remarks import way_to_say
from errbar.uncertainty import Calibrated, Method
from errbar.uncertainty.method import refuse_weights_in, require_all
from errbar.uncertainty.seen import mean_of_sample, of_a_share

Array = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Answered:
    """What the questions of a subject came to."""

    values: Array  # of each question
    trials: NDArray[np.int64]  # of each question
    clusters: NDArray[np.int64] | None = None  # the cluster of each question
    noise: Array | None = None  # how uncertain the trials leave each value, as a variance
    questions: tuple[str, ...] = ()  # by name, where they have one
    weights: Array | None = None  # of each question, where they differ

    @property
    def mean(self) -> float:
        """Over questions, by their weights."""
        if self.weights is None:
            return math.fsum(self.values) / self.values.size
        return math.fsum(self.weights * self.values) / math.fsum(self.weights)


def rewards_of(results: Results, taken: str) -> Answered:
    """The mean reward of every question; rows without a result are worth 0, or left out."""
    if taken == "right" and results.failed.any():
        as_zero = way_to_say("--errors fail", "errors='fail'")
        left_out = way_to_say("--errors missing", "errors='missing'")
        raise InputError(
            f"there is no best reward that rows without a result could be given; {as_zero} counts "
            f"them as 0, {left_out} leaves them out"
        )
    endless = next((value for value in results.values if not math.isfinite(value)), None)
    if endless is not None:
        raise InputError(
            f"an outcome is {endless:g}, which has no mean; give every row a finite number, or "
            f"nothing where there is no result"
        )
    trials = results.counts.sum(axis=1) + (0 if taken == "missing" else results.failed)
    some = trials > 0
    if results.weights is not None:
        some &= results.weights > 0
    counts, each = results.counts[some], trials[some]
    values = np.array(results.values, dtype=float)
    means = (counts @ values) / each
    off = counts * np.square(values - means[:, None])
    nothing = each - counts.sum(axis=1)
    squares = off.sum(axis=1) + nothing * np.square(means)
    clusters = None if results.clusters is None else results.clusters[some]
    with np.errstate(divide="ignore", invalid="ignore"):
        noise = squares / (each - 1) / each
    names = zip(results.questions, some.tolist(), strict=True) if results.questions else ()
    kept = tuple(name for name, held in names if held)
    weights = None
    if results.weights is not None:
        weights = scaled_weights(results.weights[some], np.ones(each.size))
    return Answered(means, each, clusters, noise, kept, weights)


def average_reward(of: Subject, metric: Metric, answered: Answered, method: Method) -> Estimate:
    """Mean over questions, with an interval for the target of the method."""
    questions = answered.values.size
    value = answered.mean
    covers = target_of(method, questions, answered.weights)
    if covers is Estimand.POPULATION:
        variance, freedom, reason = _among_questions(answered, value)
        if not reason:
            variance, reason = _of_a_finite_number(variance, answered, method)
    else:
        variance, freedom, reason = _within_questions(answered)
        variance *= 2.0 if covers is Estimand.RERUN else 1.0
    sd = math.sqrt(variance)
    reach = student_reach(method.level, freedom) * sd if freedom else math.nan
    interval = Interval(value - reach, value + reach, method.level, covers)
    trials = int(answered.trials.sum())
    return Estimate(of, metric, value, value, sd, interval, questions, trials, reason)


def average_vote(of: Subject, metric: VoteAt, answered: Answered, method: Method) -> Estimate:
    """Mean over questions of what lies between 0 and 1."""
    values, once = answered.values, np.ones(answered.values.size)
    covers = target_of(method, values.size, answered.weights)
    found = mean_of_sample(values, once, answered.clusters, method.level, answered.weights)
    in_all = method.questions_in_all if isinstance(method, Calibrated) else None
    reason = ""
    if in_all is not None:
        noise = most_noise(values, answered.trials, metric.k, once)
        found, reason = of_a_share(found, values.size / in_all, noise)
    mean, sd, low, high = found.within(0.0, 1.0)
    if covers is not Estimand.POPULATION:
        sd = low = high = math.nan
        reason = "votes by answer are known for the estimand 'population' alone"
    interval = Interval(low, high, method.level, covers)
    trials = int(answered.trials.sum())
    return Estimate(of, metric, mean, mean, sd, interval, values.size, trials, reason)


def target_of(method: Method, questions: int, weights: Array | None = None) -> Estimand:
    """What the interval is for; the documented posterior is for these very questions."""
    if not isinstance(method, Calibrated):
        if weights is not None:
            refuse_weights_in("the documented posterior")
        return Estimand.BENCHMARK
    require_all(method.questions_in_all, questions)
    if weights is not None and method.questions_in_all is not None:
        refuse_weights_in("questions_in_all")
    return method.estimand


def _among_questions(answered: Answered, value: float) -> tuple[float, float, str]:
    """Variance of the mean by how far questions, or clusters of them, lie apart."""
    off = answered.values - value
    weights = sizes = answered.weights
    if weights is not None:
        off = weights * off
    if answered.clusters is not None:
        number_of = np.unique(answered.clusters, return_inverse=True)[1]
        off = np.bincount(number_of, off).astype(float)
        sizes = None if weights is None else np.bincount(number_of, weights).astype(float)
    number = off.size
    if number == 1:
        alone = "cluster" if answered.clusters is not None else "question"
        return math.nan, 0, f"one {alone} says nothing of others"
    asked = answered.values.size if weights is None else math.fsum(weights)
    squares = math.fsum(np.square(off)) / asked**2
    if not squares:
        return math.nan, 0, "all questions came to the same, so they cannot tell how sure it is"
    if sizes is None:
        return squares * number / (number - 1), number - 1, ""
    left = 1.0 - sizes / sizes.sum()  # of a question's own say in the mean that it is held against
    effective = float(sizes.sum()) ** 2 / float(sizes @ sizes)
    return math.fsum(np.square(off) / left) / asked**2, max(1.0, effective - 1.0), ""


def _within_questions(answered: Answered) -> tuple[float, int, str]:
    """Variance of the mean by how far the trials of each question lie apart."""
    noise = answered.noise
    if noise is None or not np.isfinite(noise).all():
        return math.nan, 0, "a question with one trial says nothing of its other trials"
    if answered.weights is None:
        total = math.fsum(noise) / answered.values.size**2
    else:
        total = math.fsum(answered.weights**2 * noise) / math.fsum(answered.weights) ** 2
    if not total:
        return math.nan, 0, "the trials of each question agree, so they cannot tell how sure it is"
    return total, int((answered.trials - 1).sum()), ""


def _of_a_finite_number(variance: float, answered: Answered, method: Method) -> tuple[float, str]:
    """Less is left to chance where the questions are a sample of a known number."""
    in_all = method.questions_in_all if isinstance(method, Calibrated) else None
    if in_all is None:
        return variance, ""
    share = answered.values.size / in_all
    within, _, reason = _within_questions(answered)
    if reason:
        return variance, f"questions_in_all narrows nothing: {reason}"
    return (1.0 - share) * variance + share * within, ""
