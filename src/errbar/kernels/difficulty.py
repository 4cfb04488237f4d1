"""How the difficulty of questions is spread, learned from all of them, with its own uncertainty.

The success rates of the questions are drawn from an unknown distribution: a number of points, each
with a weight. Before anything is seen, a point may be 0 or 1 (questions that are never solved, or
always) or anywhere between, by Beta(½, ½); the weights are Dirichlet, and how much they prefer few
points is learned, too. Gibbs sampling goes to and fro between the points that questions belong to
and what the questions say of the points. A point moves as a whole, by its Beta posterior, so a few
hundred sweeps do. Questions in the same state move together, by one multinomial: the cost does not
grow with their number.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from errbar.base.arrays import Array, Integers

_POINTS = 20
# How many questions' worth the Dirichlet prior of the weights weighs: the less, the fewer points.
# One mass for all data is too coarse for a smooth spread of which 64 trials tell much.
_MASSES = 2.0 ** np.arange(-4, 6)
_LOG_PRIOR = np.log(_MASSES) - _MASSES  # exponential, mean 1: few trials tell nothing of it
_AT_AN_END = 0.1  # chance that a point is 0 before anything is seen, and that it is 1
_SIDE = 0.5  # of the Beta prior of all other points
_FIRST, _SWEEPS, _EVERY = 100, 400, 4  # sweeps thrown away, sweeps after, one kept of so many
_NEVER = -1e5  # log of a chance that is 0
_INSIDE = 1e-12  # how near a point that is neither 0 nor 1 comes to them


class Spread(NamedTuple):
    """Draws of how difficulty is spread: systems × draws × points, or of one system."""

    rates: Array
    weights: Array
    questions: Array  # how many questions belong to each point in the same draw


def learn(
    trials: Integers,
    correct: Integers,
    often: Integers,
    starts: Integers,
    rngs: Sequence[np.random.Generator],
) -> Spread:
    """The spread of each system, whose states begin at `starts`.

    With a generator for each, what is learned of a system does not depend on the others. With one
    for all, it takes half the time.
    """
    from scipy.special import betaln, gammaln  # noqa: PLC0415  loaded when first needed

    systems = starts.size
    owner = np.repeat(np.arange(systems), np.diff(np.append(starts, trials.size)))
    right, wrong = correct.astype(float)[:, None], (trials - correct).astype(float)[:, None]
    angle = np.linspace(0.0, np.pi, _POINTS)
    rates = np.tile(0.5 - 0.5 * np.cos(angle), (systems, 1))
    weights = np.full((systems, _POINTS), 1.0 / _POINTS)
    first = _POINTS * np.arange(systems)[:, None]
    parts = len(rngs)
    bounds = np.append(starts, trials.size) if parts > 1 else np.array([0, trials.size])
    states = [slice(*pair) for pair in pairwise(bounds.tolist())]
    rows = [slice(at, at + 1) if parts > 1 else slice(None) for at in range(parts)]
    unknown = math.log(1.0 - 2.0 * _AT_AN_END) - float(betaln(_SIDE, _SIDE))
    share = _MASSES / _POINTS
    before = _LOG_PRIOR + gammaln(_MASSES) - _POINTS * gammaln(share)
    before = before - gammaln(_MASSES + np.add.reduceat(often, starts)[:, None])
    kept: list[tuple[Array, Array, Array]] = []
    for sweep in range(_FIRST + _SWEEPS):
        logs: Sequence[Array] = logs_of(rates, weights)
        if systems > 1:
            logs = [part[owner] for part in logs]
        chances = belonging(right, wrong, *logs)
        drawn = np.concatenate(
            [
                rng.multinomial(often[some], chances[some])
                for rng, some in zip(rngs, states, strict=True)
            ]
        )
        held, solved, failed = (
            _by_system(drawn * each if each is not None else drawn, starts)
            for each in (None, right, wrong)
        )
        if sweep >= _FIRST and (sweep - _FIRST) % _EVERY == 0:
            kept.append((rates, weights, held.astype(float)))
        likely = before + gammaln(held[:, :, None] + share).sum(axis=1)
        weights = held.astype(float)
        for rng, some in zip(rngs, rows, strict=True):
            masses = (likely[some] + rng.gumbel(size=likely[some].shape)).argmax(axis=1)
            weights[some] = rng.standard_gamma(weights[some] + share[masses, None])
        weights += 1e-300
        weights /= weights.sum(axis=1, keepdims=True)
        solved += _SIDE
        failed += _SIDE
        inside = np.exp(betaln(solved, failed) + unknown)
        never, always = _AT_AN_END * (solved == _SIDE), _AT_AN_END * (failed == _SIDE)
        ends = never + always
        place, rates = np.empty_like(inside), np.empty_like(inside)
        for rng, some in zip(rngs, rows, strict=True):
            place[some] = rng.random(inside[some].shape)
            rates[some] = rng.beta(solved[some], failed[some])
        place *= ends + inside
        np.clip(rates, _INSIDE, 1.0 - _INSIDE, out=rates)
        rates[place < ends] = 1.0
        rates[place < never] = 0.0
        # Points with many questions first: a multinomial ends where it has no question left.
        order = np.argsort(-weights, axis=1) + first
        rates, weights = rates.ravel()[order], weights.ravel()[order]
    return Spread(*(np.stack(part, axis=1) for part in zip(*kept, strict=True)))


def _by_system(drawn: Array, starts: Integers) -> Array:
    """Sums over the states of each system."""
    if starts.size == 1:
        return drawn.sum(axis=0, keepdims=True)
    sums: Array = np.add.reduceat(drawn, starts)
    return sums


def logs_of(rates: Array, weights: Array) -> tuple[Array, Array, Array]:
    """Logs of a right trial's chance, of a wrong one's and of the weight, at each point."""
    with np.errstate(divide="ignore"):
        right, wrong = np.log(rates), np.log1p(-rates)
    return np.maximum(right, _NEVER), np.maximum(wrong, _NEVER), np.log(weights)


def belonging(right: Array, wrong: Array, *logs_of_points: Array) -> Array:
    """The chance that a question in some state belongs to each point, along the last axis."""
    log_right, log_wrong, log_weight = logs_of_points
    logs = right * log_right
    logs += wrong * log_wrong
    logs += log_weight
    logs -= logs.max(axis=-1, keepdims=True)
    chances = np.exp(logs, out=logs)
    chances /= chances.sum(axis=-1, keepdims=True)
    return chances
