"""Whether questions have the trials that a metric draws."""

import numpy as np

from errbar.data.statistics import CategoryCounts, Counts, CountsByState
from errbar.errors import InputError, NotEnoughTrials


def require_trials(counts: Counts | CategoryCounts, k: int, metric: object) -> None:
    """Refuse questions with fewer than `k` trials."""
    trials = counts.trials
    if not trials.size:
        raise InputError(f"{metric} was asked of no question at all.")
    if trials.min() >= k:
        return
    short = trials < k
    at = int(np.argmax(short))
    some = (
        f"one has {trials[at]}"
        if isinstance(counts, CountsByState)
        else f"question {counts.questions[at]!r} has {trials[at]}"
    )
    raise NotEnoughTrials(
        f"{metric} draws {k} of a question's trials; {int(short @ counts.repeats())} of "
        f"{len(counts)} questions have fewer ({some}). Lower k to at most {trials.min()}, or "
        f"collect more trials."
    )
