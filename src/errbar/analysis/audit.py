"""Audit of intervals: their coverage in simulated data that resemble the observed data."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from errbar.analysis.methods import Calibrated, Method
from errbar.analysis.methods.base import require_no_weights
from errbar.analysis.methods.learned import DifficultyPosterior
from errbar.analysis.methods.population import clusters_of, right_or_wrong
from errbar.base.arrays import Array
from errbar.base.remarks import about, way_to_say
from errbar.data.counts import Counts, CountsByState
from errbar.errors import InputError
from errbar.metrics import CountMetric, Metric
from errbar.metrics.means import AnyCounts
from errbar.results.estimate import SIMULATIONS, Estimand, Estimate, Subject

_SLACK = 1e-9  # rounding


class SimulatedData(NamedTuple):
    """Simulated data with their true success rates."""

    counts: CountsByState
    again: CountsByState  # the same questions in a rerun
    rates: Array
    weights: Array  # weights of the rates; they add up to one


def with_coverage(
    found: Sequence[Estimate], counts: Mapping[Subject, AnyCounts], method: Method
) -> tuple[list[Estimate], list[str]]:
    """Estimates with the coverage of their intervals, and why some could not be audited.

    The coverage is the share of simulations whose interval contains the true value.
    """
    coverage: dict[tuple[Subject, Metric], float] = {}
    reasons: list[str] = []
    for of, item in counts.items():
        fine = [
            each.metric
            for each in found
            if each.of == of and each.questions and isinstance(each.metric, CountMetric)
        ]
        if not fine:
            continue
        try:
            shares = coverage_shares(item, fine, method, np.random.default_rng(0))
        except InputError as error:
            reasons.append(about(f"coverage, {of}".removesuffix(", "), str(error)))
        else:
            coverage |= {(of, metric): share for metric, share in zip(fine, shares, strict=True)}
    audited = [
        replace(item, coverage=coverage.get((item.of, item.metric), math.nan)) for item in found
    ]
    return audited, reasons


def coverage_shares(
    counts: AnyCounts, metrics: Sequence[CountMetric], method: Method, rng: np.random.Generator
) -> list[float]:
    """For each metric, the share of simulations whose interval contains the true value.

    For new questions, data are simulated from the fitted difficulty model in three versions: as
    fitted, with some questions that always fail, and with some that always succeed. The share of
    such questions is the largest that the data do not exclude. The lowest of the three coverages is
    returned.
    """
    require_no_weights("an audit, which weights all questions alike,", counts)
    if clusters_of(counts) is not None:
        raise InputError(
            "an audit simulates independent questions, and these are in clusters. Ignore the "
            f"clusters: {way_to_say('--map cluster=', 'cluster=None')}"
        )
    known = right_or_wrong(counts)
    if not isinstance(known, Counts) or any(not metric.parts() for metric in metrics):
        raise InputError(
            "an audit simulates trials that are right or wrong; leave out metrics of categories."
        )
    covers = method.estimand if isinstance(method, Calibrated) else Estimand.BENCHMARK
    (learned,) = DifficultyPosterior.of([known], [rng])
    hidden = (None, 0.0, 1.0) if covers is Estimand.POPULATION else (None,)
    shares = [
        _shares_of(
            [_simulate(learned, covers, rng, rate) for _ in range(SIMULATIONS)], metrics, method
        )
        for rate in hidden
    ]
    return [min(each) for each in zip(*shares, strict=True)]


def _simulate(
    learned: DifficultyPosterior,
    covers: Estimand,
    rng: np.random.Generator,
    hidden: float | None = None,
) -> SimulatedData:
    """Simulate data: new questions, or the same questions with their posterior rates.

    Of new questions, a small share may have the `hidden` rate: 1 / M of M questions, a share that
    37% of all samples of M questions miss.
    """
    states, rates, weights, belongs = learned.draw(rng)
    often = states.questions[0].astype(np.int64)
    if covers is Estimand.POPULATION:
        if hidden is not None:
            share = 1.0 / float(often.sum())
            rates, weights = np.append(rates, hidden), np.append((1.0 - share) * weights, share)
        belongs = np.broadcast_to(weights, (often.size, weights.size))
    drawn = rng.multinomial(often, belongs)  # states × points
    if covers is not Estimand.POPULATION:
        weights = drawn.sum(axis=0) / often.sum()
    state, point = drawn.nonzero()
    number = drawn[state, point]
    trials, each = np.repeat(states.trials[state], number), np.repeat(rates[point], number)
    once = np.ones(trials.size, dtype=np.int64)
    counts, again = (CountsByState(trials, rng.binomial(trials, each), once) for _ in range(2))
    return SimulatedData(counts, again, rates, weights)


def _shares_of(
    simulated: Sequence[SimulatedData], metrics: Sequence[CountMetric], method: Method
) -> list[float]:
    """For each metric, the share of simulated data sets whose interval contains the truth."""
    covers = method.estimand if isinstance(method, Calibrated) else Estimand.BENCHMARK
    systems = [each.counts for each in simulated]
    if isinstance(method, Calibrated):
        plain = replace(method, questions_in_all=None)
        table = plain.cells(systems, metrics, most_chains=1)
    else:
        table = method.cells(systems, metrics)
    shares = []
    for metric, row in zip(metrics, table, strict=True):
        hits = [
            cell.interval.low - _SLACK
            <= _truth(metric, data, covers)
            <= cell.interval.high + _SLACK
            for cell, data in zip(row, simulated, strict=True)
            if not math.isnan(cell.interval.low)
        ]
        shares.append(float(np.mean(hits)) if hits else math.nan)
    return shares


def _truth(metric: CountMetric, simulated: SimulatedData, covers: Estimand) -> float:
    """The true value that the interval should contain."""
    if covers is Estimand.RERUN:
        return metric.point(simulated.again)
    means = [
        np.array(part.at_rates(simulated.rates) @ simulated.weights) for part in metric.parts()
    ]
    return float(metric.joined(*means))
