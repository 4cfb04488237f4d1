"""Rewards: outcomes that are numbers of any size, averaged question by question.

They are not counted by state and have no prior. The interval comes from how far the means of the
questions lie apart, so it is for questions like these.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from errbar.data.slices import Results
from errbar.errors import InputError
from errbar.estimate import Estimand, Estimate, Interval, Subject
from errbar.kernels.interval import student_reach
from errbar.metrics import CountMetric, Metric, VoteAt


def average_reward(
    of: Subject, metric: CountMetric, results: Results, taken: str, level: float
) -> Estimate:
    """Mean over questions of the mean reward; rows without a result are worth 0, or left out."""
    if taken == "right" and results.failed.any():
        raise InputError(
            f"{metric}: there is no best reward that rows without a result could be given. Count "
            f"them as 0 with errors='fail', or leave them out with errors='missing'."
        )
    endless = next((value for value in results.values if not math.isfinite(value)), None)
    if endless is not None:
        raise InputError(
            f"{metric}: an outcome is {endless:g}, which has no mean. Give every row a finite "
            f"number, or nothing where there is no result."
        )
    trials = results.counts.sum(axis=1) + (0 if taken == "missing" else results.failed)
    some = trials > 0
    means = (results.counts[some] @ np.array(results.values, dtype=float)) / trials[some]
    return over_questions(of, metric, means.tolist(), int(trials.sum()), level)


def over_questions(
    of: Subject, metric: Metric, values: Sequence[float], trials: int, level: float
) -> Estimate:
    """The mean of a value per question, with a t interval for questions like these."""
    questions = len(values)
    value = math.fsum(values) / questions
    interval = Interval(math.nan, math.nan, level, Estimand.POPULATION)
    if questions == 1:
        reason = "one question says nothing of others"
        return Estimate(of, metric, value, value, math.nan, interval, 1, trials, reason)
    squares = math.fsum((one - value) ** 2 for one in values)
    sd = math.sqrt(squares / (questions - 1) / questions)
    reach = student_reach(level, questions - 1) * sd
    low, high = metric.bounds if isinstance(metric, VoteAt) else (-math.inf, math.inf)
    ends = max(value - reach, low), min(value + reach, high)
    interval = replace(interval, low=ends[0], high=ends[1])
    return Estimate(of, metric, value, value, sd, interval, questions, trials)
