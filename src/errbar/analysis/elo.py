"""Elo ratings: means over random orders of the games, with bootstrap intervals."""

import math

import numpy as np

from errbar.analysis.preferences import judged_apart, mean_result, place_of, ratings_of
from errbar.base.arrays import Array
from errbar.data.games import Games
from errbar.errors import InputError
from errbar.kernels.elo import SCALE, START, STEP, elo, elo_resampled
from errbar.kernels.hierarchical import exchangeable
from errbar.kernels.interval import outer_quantiles
from errbar.results.estimate import Estimand, Interval
from errbar.results.leaderboard import Rating, Ratings

_DRAWS, _SEED = 1000, 1  # an end of a 95% interval then has a standard error of 2% of its width


def rate_by_elo(games: Games, *, level: float, anchor: str | None, by_judge: bool) -> Ratings:
    """Rate all systems, or the systems of each judge, independently of the order of the rows."""
    if games.controls:
        raise InputError("Elo ratings have no controls; leave them out, or use Bradley-Terry.")
    if not np.all(games.rows.weight == games.rows.weight[0]):
        raise InputError("Elo ratings have no weights of games; use Bradley-Terry.")
    parts = judged_apart(games, by_judge=by_judge)
    rows = [row for judge, part in parts.items() for row in _rate(part, judge, level, anchor)]
    what = "questions" if games.questions else "games"
    method = (
        f"Elo ratings after all games, from {START:.0f}, K = {STEP:.0f}, mean over {_DRAWS} random "
        f"orders of the games; bootstrap over {what} (percentiles). win rate: expected against an "
        f"opponent picked at random"
    )
    remarks = (
        *games.remarks,
        *games.accounts.in_words(),
        "Elo ratings are close together after few games: all begin at 1000.",
    )
    return Ratings(tuple(rows), "Elo", method, len(games), len(games.questions), remarks)


def _rate(games: Games, judge: str, level: float, anchor: str | None) -> list[Rating]:
    rng = np.random.default_rng(_SEED)
    values = elo(games.rows, _DRAWS, rng).mean(axis=0)
    draws = elo_resampled(games.rows, _DRAWS, rng)
    if anchor is not None:
        at = place_of(anchor, games)
        values = START + values - values[at]
        draws = START + draws - draws[:, at : at + 1]
    alone = np.unique(games.rows.cluster).size < 2
    sds = np.full(values.size, math.nan) if alone else draws.std(axis=0, ddof=1)
    lows, highs = outer_quantiles(draws, draws, level)
    predicted = 1.0 / (1.0 + 10.0 ** ((values[None, :] - values[:, None]) / SCALE))
    return ratings_of(
        games,
        judge=judge,
        values=values,
        sds=sds,
        intervals=[
            Interval.unknown(level, Estimand.POPULATION)
            if alone
            else Interval(float(low), float(high), level, Estimand.POPULATION)
            for low, high in zip(lows, highs, strict=True)
        ],
        ahead=np.zeros((values.size, values.size))
        if alone
        else _significant_order(games, values, draws, level),
        draws=exchangeable(draws, rng),
        win_rates=mean_result(predicted),
    )


def _significant_order(games: Games, values: Array, draws: Array, level: float) -> Array:
    """1 where the row is significantly stronger than the column, −1 where weaker (Bonferroni)."""
    from scipy.special import stdtrit  # noqa: PLC0415  loads SciPy

    number = values.size
    degrees = np.unique(games.rows.cluster).size - 1
    if not degrees:
        return np.zeros((number, number))
    tail = (1.0 - level) / (number * (number - 1))
    covariance = np.cov(draws, rowvar=False)
    own = np.diag(covariance)
    spread = np.sqrt(np.maximum(own[:, None] + own[None, :] - 2 * covariance, 0.0))
    difference = values[:, None] - values[None, :]
    return np.sign(difference) * (np.abs(difference) > stdtrit(degrees, 1.0 - tail) * spread)
