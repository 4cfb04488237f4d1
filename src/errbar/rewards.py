"""Rewards: outcomes that are numbers of any size, averaged question by question.

They are not counted by state and have no prior. The interval comes from how far the means of the
questions lie apart, so it is for questions like these.
"""

import math

import numpy as np

from errbar.data.slices import Results
from errbar.errors import InputError
from errbar.estimate import Estimand, Estimate, Interval, Subject
from errbar.kernels.interval import student_reach
from errbar.metrics import CountMetric

DESCRIPTION = "avg of rewards: t interval from the spread of the questions' means"


def average_reward(
    of: Subject, metric: CountMetric, results: Results, taken: str, level: float
) -> Estimate:
    """Mean over questions of the mean reward; rows without a result are worth 0, or left out."""
    if taken == "right" and results.failed.any():
        raise InputError(
            f"{metric}: there is no best reward that rows without a result could be given. Count "
            f"them as 0 with errors='fail', or leave them out with errors='missing'."
        )
    trials = results.counts.sum(axis=1) + (0 if taken == "missing" else results.failed)
    some = trials > 0
    trials = trials[some]
    means = (results.counts[some] @ np.array(results.values, dtype=float)) / trials
    questions = len(means)
    value = math.fsum(means) / questions
    sd = math.nan
    reason = "one question says nothing of others" if questions == 1 else ""
    if questions > 1:
        squares = math.fsum(np.square(means - value))
        sd = math.sqrt(squares / (questions - 1) / questions)
    reach = student_reach(level, questions - 1) * sd if questions > 1 else math.nan
    interval = Interval(value - reach, value + reach, level, Estimand.POPULATION)
    return Estimate(of, metric, value, value, sd, interval, questions, int(trials.sum()), reason)
