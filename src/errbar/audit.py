"""Does the interval hold its level on data like these? Simulated from what was learned of them.

A draw of the spread of difficulty is taken for the truth. For questions like these, new ones are
drawn from it; for these very questions, each gets a success rate that fits what it showed. Their
trials are drawn again, and the interval of the new data either holds what was taken for the truth
or does not.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from errbar.data.statistics import Counts
from errbar.errors import InputError
from errbar.estimate import SIMULATIONS, Estimand
from errbar.metrics.base import AnyCounts, CountMetric
from errbar.uncertainty import Calibrated, Method
from errbar.uncertainty.learned import Imagined, Learned
from errbar.uncertainty.method import require_no_weights
from errbar.uncertainty.seen import right_or_wrong

_SLACK = 1e-9


def held_shares(
    counts: AnyCounts, metrics: Sequence[CountMetric], method: Method, rng: np.random.Generator
) -> list[float]:
    """For each metric, the share of simulations whose interval held the truth."""
    require_no_weights("an audit, whose simulated questions all count alike,", counts)
    known = right_or_wrong(counts)
    if not isinstance(known, Counts) or any(not metric.parts() for metric in metrics):
        raise InputError("an audit simulates right and wrong trials; leave categories out of it.")
    covers = method.estimand if isinstance(method, Calibrated) else Estimand.BENCHMARK
    (learned,) = Learned.of([known], rng)
    imagined = [learned.imagine(covers, rng) for _ in range(SIMULATIONS)]
    systems = [one.counts for one in imagined]
    if isinstance(method, Calibrated):
        plain = replace(method, questions_in_all=None)
        table = plain.cells(systems, metrics, learned=Learned.of(systems, rng))
    else:
        table = method.cells(systems, metrics)
    shares = []
    for metric, row in zip(metrics, table, strict=True):
        held = [
            cell.interval.low - _SLACK <= _truth(metric, one, covers) <= cell.interval.high + _SLACK
            for cell, one in zip(row, imagined, strict=True)
            if not math.isnan(cell.interval.low)
        ]
        shares.append(float(np.mean(held)) if held else math.nan)
    return shares


def _truth(metric: CountMetric, imagined: Imagined, covers: Estimand) -> float:
    """What the interval was to hold."""
    if covers is Estimand.RERUN:
        return metric.point(imagined.again)
    means = [np.array(part.at_rates(imagined.rates) @ imagined.weights) for part in metric.parts()]
    return float(metric.joined(*means))
