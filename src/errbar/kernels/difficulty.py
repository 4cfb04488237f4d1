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
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.base.arrays import Array, Integers
from errbar.kernels.binomial import masses

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
DRAWS = _SWEEPS // _EVERY  # of each chain
_NEVER = -1e5  # stands for log 0, and can be multiplied by 0
_SAFE = 1e-300  # keeps the logarithm of a weight finite
_INSIDE = 1e-12  # least distance from 0 and 1 of a point that is neither


# Each generator, and the rows of the systems that it draws for.
_Generators = Sequence[tuple[np.random.Generator, slice]]


class StateCounts(NamedTuple):
    """Right and wrong trials of each state, and the number of its questions."""

    right: Integers
    wrong: Integers
    often: Integers


class DifficultyDraws(NamedTuple):
    """Posterior draws of the difficulty distribution: (systems ×) draws × points."""

    rates: Array
    weights: Array


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
    from scipy.special import gammaln  # noqa: PLC0415  loaded when first needed

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
    before = _LOG_PRIOR + gammaln(_MASSES) - _POINTS * gammaln(_SHARES)
    before = before - gammaln(_MASSES + np.add.reduceat(often, starts)[:, None])
    kept: list[tuple[Array, Array]] = []
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
            kept.append((rates, weights))
        likely = before + gammaln(members[:, :, None] + _SHARES).sum(axis=1)
        weights = _draw_weights(members.astype(float), likely, generators)
        rates = _draw_rates(solved, failed, generators)
        # Heavy points first: a multinomial draw stops when no question is left to assign.
        order = np.argsort(-weights, axis=1) + first
        rates, weights = rates.ravel()[order], weights.ravel()[order]
    return DifficultyDraws(*(np.stack(part, axis=1) for part in zip(*kept, strict=True)))


def expected_scores(
    scores: Callable[[Array], Array],
    rates: Array,
    belongs: Array,
    outcomes: StateCounts,
    rng: np.random.Generator,
) -> tuple[Array, Array]:
    """Moments of scores at the points, integrated over their rates (Gelfand and Smith 1990).

    The questions are assigned to the points of each draw once more; given that, a rate is 0, 1 or a
    Beta variable, and no draw of it is needed. A point of many trials keeps the rate that was
    drawn, because it hardly varies. `scores` gives a row per score. Returned are the share of each
    state's questions at each point (draws × states × points), and the mean product of each two
    scores at each point, the first of which is 1 (draws × points × scores × scores).
    """
    share, few, distinct, place = _assign(belongs, outcomes, rng)
    at = np.concatenate([_NODES, rates[~few]])
    values = np.concatenate([np.ones((1, at.size)), scores(at)])
    products = (values[:, None] * values).reshape(-1, at.size).T
    moments = np.empty((*few.shape, products.shape[1]))
    moments[~few] = products[_NODES.size :]
    integrals = (chances @ products[: _NODES.size] for _, chances in _on_nodes(*distinct))
    moments[few] = np.concatenate([np.empty((0, products.shape[1])), *integrals])[place]
    shape = (*few.shape, len(values), len(values))
    return share, moments.reshape(shape)


def rates_by_state(
    rates: Array, belongs: Array, outcomes: StateCounts, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Posterior distribution of the success rate of a question of each state.

    Returned are rates and their weights, a row per state. They are the mean over all draws, with
    the rates of points integrated as in `expected_scores`.
    """
    share, few, distinct, place = _assign(belongs, outcomes, rng)
    by_state = np.moveaxis(share, 1, 0) / len(share)
    states, number = len(by_state), distinct.shape[1]
    row = number * np.arange(states)[:, None] + place
    mass = np.bincount(row.ravel(), by_state[:, few].ravel(), states * number)
    mass = mass.reshape(states, number)
    weights = np.zeros((states, _NODES.size))
    for some, chances in _on_nodes(*distinct):
        weights += mass[:, some] @ chances
    return np.append(_NODES, rates[~few]), np.hstack([weights, by_state[:, ~few]])


def terms_of_sum(outcomes: StateCounts) -> float:
    """Size of the Fourier transforms of `exact_rates_by_state`; infinite beyond its nodes."""
    right, wrong, often = outcomes
    too_many = int(often @ (right + wrong)) > _MOST_TRIALS
    return math.inf if too_many else math.prod((2.0 * often + 1.0).tolist())


def exact_rates_by_state(outcomes: StateCounts) -> tuple[Array, Array]:
    """What `rates_by_state` estimates, summed over all assignments of the questions to points.

    Given the concentration, what the points contribute to the probability of the data are equal
    functions of how many questions of each state they have, and their sum over all assignments is
    a coefficient of the power of that function, a polynomial with a variable for each state.
    """
    from scipy.special import gammaln  # noqa: PLC0415  loaded when first needed

    right, wrong, often = outcomes
    # questions of each state at a point
    has = np.indices((often + 1).tolist()).reshape(often.size, -1)
    solved, failed = right @ has, wrong @ has
    # relative to questions that are all alone
    alike = _log_marginal(solved, failed) - _log_marginal(right, wrong) @ has
    alike -= gammaln(has + 1.0).sum(axis=0)
    number, members = int(often.sum()), has.sum(axis=0)
    tilt: Array = np.zeros(often.size)
    log_mass, chances = np.empty(_MASSES.size), []
    for at, share in enumerate(_SHARES):
        logs = alike + gammaln(members + share) - gammaln(share)
        tilt = _tilt(logs, has, often / _POINTS, tilt)
        point = np.exp(logs + tilt @ has - (scale := _log_sum(logs + tilt @ has)))
        joint = point * _power(point, _POINTS - 1, often)[::-1]
        log_mass[at] = math.log(total := joint.sum()) + _POINTS * scale - tilt @ often
        chances.append(joint / total)
    log_mass += _LOG_PRIOR + gammaln(_MASSES) - gammaln(_MASSES + number)
    chance = np.exp(log_mass - _log_sum(log_mass)) @ np.stack(chances)
    share_of = has * chance / (has @ chance)[:, None]
    # contents with the same trials have the same rates
    codes, place = np.unique(solved * (_MOST_TRIALS + 1) + failed, return_inverse=True)
    by_trials = np.stack([np.bincount(place, row) for row in share_of])
    distinct = np.array(np.divmod(codes, _MOST_TRIALS + 1))
    weights = sum(by_trials[:, some] @ each for some, each in _on_nodes(*distinct))
    return _NODES, np.asarray(weights)


def _log_sum(logs: Array) -> float:
    """Log of the sum of exponentials."""
    return float(logs.max() + np.log(np.exp(logs - logs.max()).sum()))


def _tilt(logs: Array, has: Integers, mean: Array, start: Array) -> Array:
    """Exponential tilt that gives the contents of a point this mean.

    Then all questions together are near the middle of the distribution of a sum of points, and
    rounding errors of Fourier transforms are far below it. Any tilt has the same coefficients.
    """
    from scipy.optimize import minimize  # noqa: PLC0415  loaded when first needed

    def cumulant(tilt: Array) -> tuple[float, Array]:
        total = _log_sum(logs + tilt @ has)
        slope: Array = has @ np.exp(logs + tilt @ has - total) - mean
        return total - float(tilt @ mean), slope

    found: Array = minimize(cumulant, start, jac=True, tol=1e-3).x  # a rough one serves
    return found


def _log_marginal(solved: Integers, failed: Integers) -> Array:
    """Log probability of the outcomes at a point, whose rate is integrated."""
    ends = _AT_AN_END * ((solved == 0).astype(float) + (failed == 0))
    with np.errstate(divide="ignore"):
        logs: Array = np.logaddexp(_log_inside(solved, failed), np.log(ends))
    return logs


def _log_inside(solved: Array | Integers, failed: Array | Integers) -> Array:
    """Log probability of the outcomes at a point, and that its rate is neither 0 nor 1."""
    from scipy.special import betaln  # noqa: PLC0415  loaded when first needed

    known = math.log(1.0 - 2.0 * _AT_AN_END) - float(betaln(_SIDE, _SIDE))
    found: Array = betaln(solved + _SIDE, failed + _SIDE) + known
    return found


def _power(point: Array, power: int, often: Integers) -> Array:
    """Coefficients of a power of a polynomial, up to `often` of each variable, by squaring."""
    length, axes = (2 * often + 1).tolist(), tuple(range(often.size))
    kept = tuple(slice(most + 1) for most in often.tolist())
    found = point = point.reshape(often + 1)

    def times(left: Array, right: Array) -> Array:
        waves = np.fft.rfftn(left, length, axes)
        waves *= waves if left is right else np.fft.rfftn(right, length, axes)
        return np.fft.irfftn(waves, length, axes)[kept]

    for digit in f"{power:b}"[1:]:
        found = times(found, found)
        if digit == "1":
            found = times(found, point)
    return np.maximum(found, 0.0).ravel()


# Trials of a point that is integrated: beyond them the standard deviation of its rate is 0.008 or
# less. There are eight nodes for each √n, which leave exp(−128) of a density, and a hundred for the
# scores. Midpoint rule for p = sin²u, in which the prior is flat. A density of n trials has Fourier
# coefficients like exp(−ω²/8n), and the first aliased ω is four times the number of nodes.
_MOST_TRIALS = 4096
_INNER = 100 + 8 * 64
_NODES: Array = np.concatenate(
    [[0.0, 1.0], np.square(np.sin((np.arange(_INNER) + 0.5) * (0.5 * math.pi / _INNER)))]
)
_AT_ONCE = 1 << 22  # numbers in the largest array: 32 MB


def _assign(
    belongs: Array, outcomes: StateCounts, rng: np.random.Generator
) -> tuple[Array, NDArray[np.bool_], Integers, Integers]:
    """Assign the questions to the points of each draw.

    Returned are the share of each state's questions at each point, the points of few enough trials
    to be integrated, their distinct numbers of right and of wrong trials, and which of them each
    point has.
    """
    assigned = rng.multinomial(outcomes.often, belongs)
    solved, failed = (side @ assigned for side in (outcomes.right, outcomes.wrong))
    few = solved + failed <= _MOST_TRIALS
    codes, place = np.unique(solved[few] * (_MOST_TRIALS + 1) + failed[few], return_inverse=True)
    return (
        assigned / outcomes.often[:, None],
        few,
        np.array(np.divmod(codes, _MOST_TRIALS + 1)),
        place,
    )


def _on_nodes(solved: Integers, failed: Integers) -> Iterator[tuple[slice, Array]]:
    """Posterior probability of each node, for points of some trials, a block at a time."""
    log_right, log_wrong = np.log(_NODES[2:]), np.log1p(-_NODES[2:])
    for start in range(0, solved.size, _AT_ONCE // _INNER):
        some = slice(start, start + _AT_ONCE // _INNER)
        logs = np.outer(solved[some], log_right) + np.outer(failed[some], log_wrong)
        density = np.exp(logs - logs.max(axis=1, keepdims=True))
        inside = np.exp(_log_inside(solved[some], failed[some]))
        ends = _AT_AN_END * np.stack([solved[some] == 0, failed[some] == 0], axis=1)
        ends /= ends.sum(axis=1, keepdims=True) + inside[:, None] + _SAFE
        density *= ((1.0 - ends.sum(axis=1)) / density.sum(axis=1))[:, None]
        yield some, np.hstack([ends, density])


def _draw_weights(members: Array, likely: Array, generators: _Generators) -> Array:
    """Draw the weights: Dirichlet, with a concentration drawn by its log probabilities `likely`."""
    weights = members
    for rng, some in generators:
        masses = (likely[some] + rng.gumbel(size=likely[some].shape)).argmax(axis=1)
        weights[some] = rng.standard_gamma(weights[some] + _SHARES[masses, None])
    weights += _SAFE
    weights /= weights.sum(axis=1, keepdims=True)
    return weights


def draw_rates(solved: Array, failed: Array, rng: np.random.Generator) -> Array:
    """Draw the rates of points from their right and wrong trials, as a sweep of `learn` does."""
    return _draw_rates(solved, failed, [(rng, slice(None))])


def _draw_rates(solved: Array, failed: Array, generators: _Generators) -> Array:
    """Draw the points by their right and wrong trials."""
    inside = np.exp(_log_inside(solved, failed))
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


def expected_in_bins(
    rates: Array, weights: Array, trials: Integers, parts: Array, edges: Array
) -> Array:
    """Expected share of questions in each bin of the fraction correct: a row per draw.

    `parts` are the shares of all questions that have each number of `trials`.
    """
    found = np.zeros((len(rates), edges.size - 1))
    for n, part in zip(trials.tolist(), parts.tolist(), strict=True):
        which = np.searchsorted(edges, np.arange(n + 1) / n, side="right") - 1
        step = max(1, _AT_ONCE // (rates.shape[1] * (n + 1)))
        for start in range(0, len(rates), step):
            draws = slice(start, start + step)
            some = np.zeros((edges.size - 1, rates[draws].size))
            np.add.at(some, which, masses(rates[draws].ravel(), n))
            by_point = some.reshape(-1, *rates[draws].shape)
            found[draws] += part * np.einsum("bdp,dp->db", by_point, weights[draws])
    return found / weights.sum(axis=1, keepdims=True)


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
