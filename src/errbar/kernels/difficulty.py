"""Posterior of the distribution of question difficulty: a Gibbs sampler for a Dirichlet mixture.

The success rates of the questions come from an unknown discrete distribution with a fixed number of
points (the finite approximation of a Dirichlet process; Ishwaran and Zarepour 2002). A priori a
point is 0 or 1 with a small probability (questions never or always solved) and Beta(½, ½)
otherwise. The weights are Dirichlet; their concentration is sampled on a grid (griddy Gibbs; Ritter
and Tanner 1992).

The sampler is blocked (Ishwaran and James 2001): it alternates between assigning questions to
points and drawing all points and weights given the assignments. Both steps are conjugate, so a few
hundred sweeps suffice. Questions with the same counts are assigned by one multinomial draw, so the
cost does not grow with the number of questions.
"""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from errbar.base.arrays import Array, Integers

_POINTS = 20  # of the discrete distribution; 40 move no end of the benchmark by 1% of its width
# Grid for the concentration of the Dirichlet prior, in questions: the smaller, the fewer points are
# used. A fixed value is too coarse for a smooth distribution observed with 64 trials per question.
_MASSES = 2.0 ** np.arange(-4, 6)
_SHARES = _MASSES / _POINTS  # of each point
_LOG_PRIOR = np.log(_MASSES) - _MASSES  # exponential, mean 1: few trials tell little about it
# Prior probability that a point is 0, and that it is 1: two points of twenty each. With 0.05 or 0.2
# the ends for the benchmark move by 2% of the width or less, and by 8% for pass@4 of ten questions.
_AT_AN_END = 0.1
_SIDE = 0.5  # both parameters of the Beta prior of all other points
# Burn-in, sweeps after it, and thinning: draws four sweeps apart are nearly independent (3,200 of
# them were worth 1,700 to 4,300 for the mean of geom@k).
_FIRST, _SWEEPS, _EVERY = 100, 400, 4
_NEVER = -1e5  # stands for log 0, and can be multiplied by 0
_SAFE = 1e-300  # keeps the logarithm of a weight finite
_INSIDE = 1e-12  # least distance from 0 and 1 of a point that is neither


# Each generator, and the rows of the systems that it draws for.
_Generators = Sequence[tuple[np.random.Generator, slice]]


class DifficultyDraws(NamedTuple):
    """Posterior draws of the difficulty distribution: (systems ×) draws × points."""

    rates: Array
    weights: Array
    questions: Array  # questions assigned to each point in the same draw


def learn(
    trials: Integers,
    correct: Integers,
    often: Integers,
    starts: Integers,
    rngs: Sequence[np.random.Generator],
) -> DifficultyDraws:
    """Posterior draws for each chain; the states of a chain begin at its entry in `starts`.

    A chain is one run of the sampler for one system. Every generator draws for the same number of
    chains in a row. With a generator for the chains of each system, the draws of a system do not
    depend on the other systems; with a single generator, sampling takes half the time.
    """
    from scipy.special import betaln, gammaln  # noqa: PLC0415  loaded when first needed

    systems = starts.size
    owner = np.repeat(np.arange(systems), np.diff(np.append(starts, trials.size)))
    right, wrong = correct.astype(float)[:, None], (trials - correct).astype(float)[:, None]
    angle = np.linspace(0.0, np.pi, _POINTS)
    rates: Array = np.tile(0.5 - 0.5 * np.cos(angle), (systems, 1))
    weights: Array = np.full((systems, _POINTS), 1.0 / _POINTS)
    first = _POINTS * np.arange(systems)[:, None]
    each = systems // len(rngs)
    bounds = np.append(starts[::each], trials.size)
    states = [slice(*pair) for pair in pairwise(bounds.tolist())]
    rows = [slice(at * each, (at + 1) * each) for at in range(len(rngs))]
    generators = list(zip(rngs, rows, strict=True))
    unknown = math.log(1.0 - 2.0 * _AT_AN_END) - float(betaln(_SIDE, _SIDE))
    before = _LOG_PRIOR + gammaln(_MASSES) - _POINTS * gammaln(_SHARES)
    before = before - gammaln(_MASSES + np.add.reduceat(often, starts)[:, None])
    kept: list[tuple[Array, Array, Array]] = []
    for sweep in range(_FIRST + _SWEEPS):
        logs: Sequence[Array] = logs_of(rates, weights)
        if systems > 1:
            logs = [part[owner] for part in logs]
        chances = memberships(right, wrong, *logs)
        assigned = np.concatenate(
            [
                rng.multinomial(often[some], chances[some])
                for rng, some in zip(rngs, states, strict=True)
            ]
        )
        members, solved, failed = (
            _by_system(assigned * outcomes if outcomes is not None else assigned, starts)
            for outcomes in (None, right, wrong)
        )
        if sweep >= _FIRST and (sweep - _FIRST) % _EVERY == 0:
            kept.append((rates, weights, members.astype(float)))
        likely = before + gammaln(members[:, :, None] + _SHARES).sum(axis=1)
        weights = _draw_weights(members.astype(float), likely, generators)
        inside = np.exp(betaln(solved + _SIDE, failed + _SIDE) + unknown)
        rates = _draw_rates(solved, failed, inside, generators)
        # Heavy points first: a multinomial draw stops when no question is left to assign.
        order = np.argsort(-weights, axis=1) + first
        rates, weights = rates.ravel()[order], weights.ravel()[order]
    return DifficultyDraws(*(np.stack(part, axis=1) for part in zip(*kept, strict=True)))


def expected_scores(
    scores: Callable[[Array], Array],
    rates: Array,
    belongs: Array,
    right: Integers,
    wrong: Integers,
    often: Integers,
    rng: np.random.Generator,
) -> tuple[Array, Array]:
    """Moments of scores at the points, integrated over their rates (Gelfand and Smith 1990).

    The questions are assigned to the points of each draw once more; given that, a rate is 0, 1 or a
    Beta variable, and no draw of it is needed. A point of many trials keeps the rate that was
    drawn, because it hardly varies. `scores` gives a row per score. Returned are the share of each
    state's questions at each point (draws × states × points), and the mean product of each two
    scores at each point, the first of which is 1 (draws × points × scores × scores).
    """
    assigned = rng.multinomial(often, belongs)
    totals = np.stack([side @ assigned for side in (right, wrong)], axis=-1)  # draws × points × 2
    few = totals.sum(axis=-1) <= _MOST_TRIALS
    # Midpoint rule for p = sin²u, in which the prior is flat. A density of n trials has Fourier
    # coefficients like exp(−ω²/8n), and the first aliased ω is four times the number of nodes.
    nodes = np.square(np.sin((np.arange(_NODES) + 0.5) * (0.5 * math.pi / _NODES)))
    at = np.concatenate([[0.0, 1.0], nodes, rates[~few]])
    values = np.concatenate([np.ones((1, at.size)), scores(at)])
    products = (values[:, None] * values).reshape(-1, at.size).T
    moments = np.empty((*few.shape, products.shape[1]))
    moments[~few] = products[2 + _NODES :]
    distinct, place = np.unique(totals[few], axis=0, return_inverse=True)
    moments[few] = _integrated(products[: 2 + _NODES], nodes, *distinct.T)[place.ravel()]
    shape = (*few.shape, len(values), len(values))
    return assigned / often[:, None], moments.reshape(shape)


_AT_ONCE = 1 << 22  # numbers in the largest array: 32 MB
# Trials of a point that is integrated: beyond them the standard deviation of its rate is 0.008 or
# less. There are eight nodes for each √n, which leave exp(−128) of a density, and a hundred for the
# scores.
_MOST_TRIALS = 4096
_NODES = 100 + 8 * 64


def _integrated(products: Array, nodes: Array, solved: Array, failed: Array) -> Array:
    """Means of functions, given at 0, at 1 and at the nodes, for points of some trials."""
    from scipy.special import betaln  # noqa: PLC0415  loaded when first needed

    moments = np.empty((solved.size, products.shape[1]))
    log_right, log_wrong = np.log(nodes), np.log1p(-nodes)
    for start in range(0, solved.size, _AT_ONCE // _NODES):
        some = slice(start, start + _AT_ONCE // _NODES)
        logs = np.outer(solved[some], log_right) + np.outer(failed[some], log_wrong)
        density = np.exp(logs - logs.max(axis=1, keepdims=True))
        moments[some] = density @ products[2:] / density.sum(axis=1, keepdims=True)
    inside = (1.0 - 2.0 * _AT_AN_END) * np.exp(
        betaln(solved + _SIDE, failed + _SIDE) - float(betaln(_SIDE, _SIDE))
    )
    for end, none in ((0, solved == 0), (1, failed == 0)):
        share = np.where(none, _AT_AN_END, 0.0)
        part = (share / (inside + share + _SAFE))[:, None]
        moments += part * (products[end] - moments)
        inside += share
    return moments


def _draw_weights(members: Array, likely: Array, generators: _Generators) -> Array:
    """Draw the weights: Dirichlet, with a concentration drawn by its log probabilities `likely`."""
    weights = members
    for rng, some in generators:
        masses = (likely[some] + rng.gumbel(size=likely[some].shape)).argmax(axis=1)
        weights[some] = rng.standard_gamma(weights[some] + _SHARES[masses, None])
    weights += _SAFE
    weights /= weights.sum(axis=1, keepdims=True)
    return weights


def _draw_rates(solved: Array, failed: Array, inside: Array, generators: _Generators) -> Array:
    """Draw the points by their right and wrong trials; `inside`: odds to be neither 0 nor 1."""
    never, always = _AT_AN_END * (solved == 0), _AT_AN_END * (failed == 0)
    ends = never + always
    place, rates = np.empty_like(inside), np.empty_like(inside)
    for rng, some in generators:
        place[some] = rng.random(inside[some].shape)
        rates[some] = rng.beta(solved[some] + _SIDE, failed[some] + _SIDE)
    place *= ends + inside
    np.clip(rates, _INSIDE, 1.0 - _INSIDE, out=rates)
    rates[place < ends] = 1.0
    rates[place < never] = 0.0
    return rates


def _by_system(assigned: Array, starts: Integers) -> Array:
    """Sum over the states of each system."""
    if starts.size == 1:
        return assigned.sum(axis=0, keepdims=True)
    sums: Array = np.add.reduceat(assigned, starts)
    return sums


def logs_of(rates: Array, weights: Array) -> tuple[Array, Array, Array]:
    """Logs of the success rate, of the failure rate and of the weight of each point."""
    with np.errstate(divide="ignore"):
        right, wrong = np.log(rates), np.log1p(-rates)
    return np.maximum(right, _NEVER), np.maximum(wrong, _NEVER), np.log(weights)


def memberships(right: Array, wrong: Array, *point_logs: Array) -> Array:
    """Posterior probability that a question belongs to each point, along the last axis."""
    log_right, log_wrong, log_weight = point_logs
    logs = right * log_right
    logs += wrong * log_wrong
    logs += log_weight
    logs -= logs.max(axis=-1, keepdims=True)
    chances = np.exp(logs, out=logs)
    chances /= chances.sum(axis=-1, keepdims=True)
    return chances
