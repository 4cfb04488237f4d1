"""Bradley-Terry models of paired comparisons, with covariances that allow for clusters of games.

System i has a strength s_i, and d = s_i - s_j + controls is the predictor of a game of i and j.

- `Ties.HALF`: a result is a number from 0 to 1 with mean 1 / (1 + exp(-d)) (Bradley and Terry
  1952); a tie is 0.5. A quasi-likelihood: graded preferences are results as well.
- `Ties.DAVIDSON`: win, loss and tie have weights exp(d/2), exp(-d/2) and exp(t) (Davidson 1970).
- `Ties.RAO_KUPPER`: win and loss have probabilities 1 / (1 + exp(t - d)) and 1 / (1 + exp(t + d))
  (Rao and Kupper 1967).

All three log-likelihoods are concave, so Newton's method with step halving finds the maximum. It is
finite if and only if every system is linked to every other by wins or ties in both directions (Ford
1957). Where it is not, Firth's penalty (1993) gives finite strengths.

The covariance is the one-step jackknife over clusters of games (CR3; Bell and McCaffrey 2002). It
allows for any dependence within clusters, and errs on the wide side with few of them. The degrees
of freedom of its t quantiles are Satterthwaite's, under independent games.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.base.arrays import Array, Integers

_STEPS, _HALVINGS = 200, 40  # limits; 2⁻⁴⁰ of a Newton step is rounding
_CLOSE = 1e-10  # a Newton step of this length ends the search; strengths are logarithms of odds
_AT_ONCE = 1 << 22  # numbers of a block in memory
_SINGULAR = 1e-9  # a cluster that alone determines a strength, up to rounding


class Ties(Enum):
    """The model of ties."""

    HALF = "half"
    DAVIDSON = "davidson"
    RAO_KUPPER = "rao-kupper"


@dataclass(frozen=True, kw_only=True)
class GameRows:
    """Games as arrays: systems and clusters by index, results of the first system from 0 to 1."""

    systems: int  # how many there are
    first: Integers
    second: Integers
    result: Array
    weight: Array
    cluster: Integers
    controls: Array  # a column per control

    def part(self, rows: NDArray[np.bool_]) -> "GameRows":
        """Some of the games; systems keep their index, clusters are numbered anew."""
        return GameRows(
            systems=self.systems,
            first=self.first[rows],
            second=self.second[rows],
            result=self.result[rows],
            weight=self.weight[rows],
            cluster=np.unique(self.cluster[rows], return_inverse=True)[1],
            controls=self.controls[rows],
        )


@dataclass(frozen=True, kw_only=True)
class Fit:
    """Strengths with the covariance of all parameters: strengths, controls, tie parameter."""

    strengths: Array  # their mean is 0
    controls: Array
    tie: float  # nan if ties are half a win
    covariance: Array  # covariance of all parameters, by the jackknife
    information: Array  # inverse of the information: the covariance of independent games
    degrees: Array  # degrees of freedom of each parameter
    penalised: bool  # whether Firth's penalty was needed


class _Derivatives(NamedTuple):
    """Derivatives of the log-likelihood of each game by the predictor d and the tie parameter t."""

    value: float
    by_d: Array
    by_t: Array
    dd: Array  # negative second derivatives
    dt: Array
    tt: Array


def fit(games: GameRows, ties: Ties = Ties.HALF, *, penalised: bool = False) -> Fit:
    """Strengths that maximise the likelihood, with Firth's penalty if `penalised`.

    Systems must be connected, and without a penalty every strength must be finite. Firth's penalty
    is for ties as half a win only.
    """
    model = _Model(games, ties)
    beta = np.zeros(model.size)
    if ties is not Ties.HALF:
        beta[-1] = _first_guess(games, ties)
    at = model.at(beta)
    for _ in range(_STEPS):
        inverse = np.linalg.inv(model.information(at))
        gradient = model.gradient(at)
        if penalised:
            gradient = gradient + model.penalty(at, inverse)
        step = inverse @ gradient
        if penalised:
            step *= min(1.0, 1.0 / max(np.abs(step).max(), 1e-300))
            beta = beta + step
            at = model.at(beta)
        else:
            beta, at = _climb(model, beta, step, at)
        if np.abs(step).max() < _CLOSE:
            break
    inverse = np.linalg.inv(model.information(at))
    covariance, degrees = _jackknife(model, at, inverse)
    number = games.systems
    return Fit(
        strengths=beta[:number] - beta[:number].mean(),
        controls=beta[number : number + games.controls.shape[1]],
        tie=float("nan") if ties is Ties.HALF else float(beta[-1]),
        covariance=covariance,
        information=inverse,
        degrees=degrees,
        penalised=penalised,
    )


def _first_guess(games: GameRows, ties: Ties) -> float:
    """The tie parameter if all systems were equal."""
    share = float(np.average(games.result == 0.5, weights=games.weight))
    return float(np.log((2 * share if ties is Ties.DAVIDSON else 1 + share) / (1 - share)))


def _climb(
    model: "_Model", beta: Array, step: Array, at: _Derivatives
) -> tuple[Array, _Derivatives]:
    """The end of a step, halved until the likelihood does not fall."""
    for _ in range(_HALVINGS):
        after = model.at(beta + step)
        if after.value >= at.value - 1e-12 * abs(at.value):
            return beta + step, after
        step = step / 2
    return beta, at


class _Model:
    """The likelihood of games under a model of ties."""

    def __init__(self, games: GameRows, ties: Ties) -> None:
        self.games, self.ties = games, ties
        self.blocks = 1 if ties is Ties.HALF else 2  # scores of a game: by d, and by t
        self.size = games.systems + games.controls.shape[1] + self.blocks - 1
        self.pair = games.first * games.systems + games.second
        self.has_plain_games = self.size == games.systems  # no controls, no tie parameter

    def at(self, beta: Array) -> _Derivatives:
        """Derivatives of the weighted log-likelihood of each game."""
        games = self.games
        number = games.systems
        slopes = beta[number : number + games.controls.shape[1]]
        d = beta[games.first] - beta[games.second] + games.controls @ slopes
        y, w = games.result, games.weight
        nothing = np.zeros(0)
        if self.ties is Ties.HALF:
            p = _logistic(d)
            value = float(w @ (y * d - np.logaddexp(0.0, d)))
            return _Derivatives(value, w * (y - p), nothing, w * p * (1 - p), nothing, nothing)
        t = float(beta[-1])
        tied = y == 0.5
        if self.ties is Ties.DAVIDSON:
            half = np.abs(d) / 2  # divided by the larger of win and loss: nothing overflows
            sign = np.sign(d)
            more, less, tie = np.ones(d.size), np.exp(-2 * half), np.exp(t - half)
            total = more + less + tie
            mean = 0.5 * sign * (more - less) / total
            share = tie / total
            value = float(w @ ((y - 0.5) * d + tied * t - half - np.log(total)))
            dd = 0.25 * (more + less) / total - mean**2
            return _Derivatives(
                value,
                w * (y - 0.5 - mean),
                w * (tied - share),
                w * dd,
                -w * mean * share,
                w * share * (1 - share),
            )
        won, lost = (y == 1) | tied, (y == 0) | tied
        a, b = _logistic(d - t), _logistic(-d - t)
        rest = -np.expm1(-2 * t) if t > 0 else np.nan  # t must be positive
        value = w @ (
            won * -np.logaddexp(0.0, t - d)
            + lost * -np.logaddexp(0.0, t + d)
            + tied * (2 * t + np.log(rest))
        )
        up, down = won * (1 - a), lost * (1 - b)
        ups, downs = won * a * (1 - a), lost * b * (1 - b)
        return _Derivatives(
            float(value) if np.isfinite(value) else -np.inf,
            w * (up - down),
            w * (-up - down + tied * 2 / rest),
            w * (ups + downs),
            w * (downs - ups),
            w * (ups + downs + tied * 4 * np.exp(-2 * t) / rest**2),
        )

    def gradient(self, at: _Derivatives) -> Array:
        """Gradient of the log-likelihood."""
        games, number = self.games, self.games.systems
        gradient = np.zeros(self.size)
        gradient[:number] = np.bincount(games.first, at.by_d, number)
        gradient[:number] -= np.bincount(games.second, at.by_d, number)
        gradient[number : number + games.controls.shape[1]] = games.controls.T @ at.by_d
        if self.blocks == 2:
            gradient[-1] = at.by_t.sum()
        return gradient

    def information(self, at: _Derivatives) -> Array:
        """Information, made regular in the direction in which all strengths are shifted."""
        games, number = self.games, self.games.systems
        pairs = np.bincount(self.pair, at.dd, number * number).reshape(number, number)
        pairs = pairs + pairs.T
        information = np.zeros((self.size, self.size))
        information[:number, :number] = np.diag(pairs.sum(axis=1)) - pairs
        sides = dict(enumerate((games.controls * at.dd[:, None]).T, start=number))
        if self.blocks == 2:
            sides[self.size - 1] = at.dt
            crossed = games.controls.T @ at.dt
            information[number:-1, -1] = information[-1, number:-1] = crossed
            information[-1, -1] = at.tt.sum()
        for column, values in sides.items():
            by_system = np.bincount(games.first, values, number)
            by_system -= np.bincount(games.second, values, number)
            information[:number, column] = information[column, :number] = by_system
        own = slice(number, number + games.controls.shape[1])
        information[own, own] = games.controls.T @ (games.controls * at.dd[:, None])
        information[:number, :number] += pairs.sum() / number**2
        return information

    def influence(self, inverse: Array, rows: Integers) -> Array:
        """X H⁻¹: how the scores of games move the parameters; games × scores × parameters."""
        games, number = self.games, self.games.systems
        by_d = inverse[games.first[rows]] - inverse[games.second[rows]]
        if games.controls.shape[1]:
            by_d += games.controls[rows] @ inverse[number : number + games.controls.shape[1]]
        if self.blocks == 1:
            return by_d[:, None, :]
        return np.stack([by_d, np.broadcast_to(inverse[-1], by_d.shape)], axis=1)

    def cross_products(self, influence: Array, rows: Integers) -> Array:
        """X H⁻¹ Xᵀ of clusters: from the influence, clusters × scores × parameters."""
        games, number = self.games, self.games.systems
        own = slice(number, number + games.controls.shape[1])
        starts = np.arange(0, influence.size, self.size).reshape(*influence.shape[:2], 1)
        first, second = games.first[rows][:, None, :], games.second[rows][:, None, :]
        by_d = influence.take(starts + first) - influence.take(starts + second)
        if games.controls.shape[1]:
            by_d += influence[:, :, own] @ np.swapaxes(games.controls[rows], 1, 2)
        if self.blocks == 1:
            return by_d
        by_t = np.broadcast_to(influence[:, :, -1:], by_d.shape)
        return np.stack([by_d, by_t], axis=3).reshape(*by_d.shape[:2], -1)

    def scores(self, at: _Derivatives, rows: Integers) -> Array:
        """Derivatives of games by d and t: games × scores."""
        parts = [at.by_d[rows]] + ([at.by_t[rows]] if self.blocks == 2 else [])
        return np.stack(parts, axis=1)

    def weights(self, at: _Derivatives, rows: Integers) -> Array:
        """Information of games on d and t: games × scores × scores."""
        if self.blocks == 1:
            return at.dd[rows][:, None, None]
        dd, dt, tt = at.dd[rows], at.dt[rows], at.tt[rows]
        return np.stack([np.stack([dd, dt], axis=1), np.stack([dt, tt], axis=1)], axis=1)

    def penalty(self, at: _Derivatives, inverse: Array) -> Array:
        """Gradient of Firth's penalty: each game pulled to 1/2 by half its leverage."""
        games = self.games
        rows = np.arange(games.first.size)
        spread = np.empty(rows.size)
        step = max(1, _AT_ONCE // self.size)
        for start in range(0, rows.size, step):
            some = rows[start : start + step, None]
            spread[some[:, 0]] = self.cross_products(self.influence(inverse, some[:, 0]), some)[
                :, 0, 0
            ]
        expected = games.result - at.by_d / games.weight
        return self.gradient(at._replace(by_d=at.dd * spread * (0.5 - expected)))


def _logistic(d: Array) -> Array:
    return 1.0 / (1.0 + np.exp(-d))


def _jackknife(model: _Model, at: _Derivatives, inverse: Array) -> tuple[Array, Array]:
    """Covariance of the parameters if one cluster at a time is left out, and degrees of freedom.

    Leaving out a cluster with features X, scores u and information W changes the parameters, in one
    Newton step, by H⁻¹Xᵀ(I - W X H⁻¹ Xᵀ)⁻¹u, where H is the information of all games.
    """
    covariance = np.zeros((model.size, model.size))
    squares, fourths = np.zeros(model.size), np.zeros(model.size)
    clusters = 0
    for rows in _blocks_of(model):
        clusters += rows.shape[0]
        alone = rows.shape[1] == 1 and model.has_plain_games
        sums = _single_games(model, at, inverse, rows[:, 0]) if alone else None
        crossed, second, fourth = sums or _clusters(model, at, inverse, rows)
        covariance += crossed
        squares += second
        fourths += fourth
    covariance *= (clusters - 1) / clusters
    return covariance, squares**2 / np.maximum(fourths, np.finfo(float).tiny)


def _clusters(
    model: _Model, at: _Derivatives, inverse: Array, rows: Integers
) -> tuple[Array, Array, Array]:
    """Sums over clusters: crossed changes, and spreads by the information, once and squared."""
    number, games = rows.shape
    wide = games * model.blocks
    influence = model.influence(inverse, rows.ravel()).reshape(number, wide, model.size)
    scores = model.scores(at, rows.ravel()).reshape(number, wide)
    weights = model.weights(at, rows.ravel()).reshape(number, games, model.blocks, model.blocks)
    within = model.cross_products(influence, rows).reshape(number, games, model.blocks, wide)
    left = np.eye(wide) - (weights @ within).reshape(number, wide, wide)
    change = (_solve(left, scores)[:, None, :] @ influence)[:, 0]
    apart = influence.reshape(number, games, model.blocks, model.size)
    spread = np.einsum("cgij,cgip,cgjp->cp", weights, apart, apart)
    return change.T @ change, spread.sum(axis=0), np.square(spread).sum(axis=0)


def _single_games(
    model: _Model, at: _Derivatives, inverse: Array, rows: Integers
) -> tuple[Array, Array, Array]:
    """The sums of `_clusters` over clusters of one game: those of a pair share their features."""
    pairs, pair = np.unique(model.pair[rows], return_inverse=True)
    first, second = np.divmod(pairs, model.games.systems)
    own, dd = np.diag(inverse), at.dd[rows]
    leverage = (own[first] + own[second] - 2 * inverse[first, second])[pair] * dd
    change = _solve((1.0 - leverage)[:, None, None], at.by_d[rows, None])[:, 0]
    sums = np.stack([np.bincount(pair, each) for each in (change**2, dd, dd**2)])
    crossed, second_sum, fourth_sum = np.zeros_like(inverse), *np.zeros((2, model.size))
    step = max(1, _AT_ONCE // model.size)
    for start in range(0, pairs.size, step):
        some = slice(start, start + step)
        differences = inverse[first[some]] - inverse[second[some]]
        square = np.square(differences)
        crossed += (differences * sums[0, some, None]).T @ differences
        second_sum += sums[1, some] @ square
        fourth_sum += sums[2, some] @ np.square(square)
    return crossed, second_sum, fourth_sum


def _solve(left: Array, u: Array) -> Array:
    """Solutions of left x = u; a cluster that alone determines a strength has no solution."""
    if left.shape[1] == 1:
        alone = left[:, 0, 0] < _SINGULAR
        return np.where(alone[:, None], 0.0, u / np.where(alone, 1.0, left[:, 0, 0])[:, None])
    try:
        solution: Array = np.linalg.solve(left, u[:, :, None])[:, :, 0]
    except np.linalg.LinAlgError:
        solution = (np.linalg.pinv(left, rcond=_SINGULAR) @ u[:, :, None])[:, :, 0]
    return solution


def _blocks_of(model: _Model) -> Iterator[Integers]:
    """Rows of clusters with equally many games, a cluster per line, in blocks."""
    cluster = model.games.cluster
    order = np.argsort(cluster, kind="stable")
    sizes = np.bincount(cluster)
    ends = np.cumsum(sizes)
    for size in np.unique(sizes[sizes > 0]):
        starts = (ends - sizes)[sizes == size]
        wide = int(size) * model.blocks
        step = max(1, _AT_ONCE // (wide * (wide + model.size) * 4))
        if wide == 1 and model.has_plain_games:
            step = starts.size  # single games are summed by pair
        for at in range(0, starts.size, step):
            some = starts[at : at + step]
            yield order[some[:, None] + np.arange(size)]
