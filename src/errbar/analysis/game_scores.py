"""Other results of games than the Bradley-Terry model's.

- Elo ratings: means over random orders of the games, with bootstrap intervals.
- Win rates against a baseline at equal length or style, each system by a logistic regression of its
  own: errbar's, of any controls, and AlpacaEval's length-controlled one.
- Position bias of judges, from games played in both orders.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from errbar.analysis.methods.population import sample_of
from errbar.analysis.preferences import (
    RatingRequest,
    judged_apart,
    mean_result,
    place_of,
    rate_games,
    ratings_of,
)
from errbar.base.arguments import strict_share
from errbar.base.arrays import Array
from errbar.base.remarks import Caution, about
from errbar.data.games import Games
from errbar.data.readers.games.lengths import LengthRows, require_instructions
from errbar.errors import InputError
from errbar.kernels.bounded_mean import mean_ends
from errbar.kernels.hierarchical import DrawnRanks, exchangeable, exchangeable_normal
from errbar.kernels.interval import outer_quantiles, student_reach
from errbar.kernels.length_control import GamedRows
from errbar.kernels.length_control import length_controlled as fit_preferences
from errbar.kernels.ranking_methods import SCALE, START, STEP, elo, elo_resampled
from errbar.results.estimate import Estimand, Interval
from errbar.results.judges import AgreementRow, RaterAgreement
from errbar.results.leaderboard import Rating, Ratings, letters_of

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


def adjusted_rates(found: Games, baseline: str, *, level: float = 0.95) -> Ratings:
    """Win rates against a baseline at equal controls, as for answers of equal length.

    Each system has a logistic regression of its own: a strength, and a coefficient per control.
    Systems differ in rank if intervals that hold for all at once do not overlap.
    """
    results = found.against(baseline)  # raises an error for an unknown baseline
    at, rows = found.systems.index(baseline), found.rows
    remarks: list[str] = [*found.remarks, *found.accounts.in_words()]
    own: list[Rating] = []
    at_once: dict[str, Interval] = {}  # simultaneous intervals (Bonferroni)
    for system in results:
        place = found.systems.index(system)
        forth = (rows.first == at) & (rows.second == place)
        pair = found.where(forth | ((rows.first == place) & (rows.second == at)))
        boards = (
            rate_games(pair, RatingRequest(level=interval_level, anchor=baseline))
            for interval_level in (level, 1.0 - (1.0 - level) / len(results))
        )
        board, wide = boards
        own += [row for row in board if row.system == system]
        at_once |= {row.system: row.interval for row in wide if row.system == system}
        on_controls = [note for note in board.remarks if note.startswith(found.controls)]
        remarks += [f"{system}: {note}" for note in on_controls]
    values, sds = ({row.system: getattr(row, name) for row in own} for name in ("value", "sd"))
    slope = math.log(10.0) / 400.0
    rates = [
        replace(
            row,
            value=_chance(row.value),
            sd=row.sd * slope * _chance(row.value) * (1.0 - _chance(row.value)),
            interval=replace(
                row.interval, low=_chance(row.interval.low), high=_chance(row.interval.high)
            ),
            win_rate=_chance(row.value),
        )
        for row in own
    ]
    placed = _ranked_by_intervals(rates, at_once, values, sds)
    equal = " and ".join(found.controls)
    method = (
        f"logistic regression of the result on {equal}, for each system by itself, evaluated at 0; "
        f"covariance by the jackknife over questions (CR3). With length it is not AlpacaEval's "
        f"length-controlled rate, which needs its file df_gamed.csv"
    )
    measure, size = f"win rate against {baseline} at equal {equal}", sum(map(len, results.values()))
    return Ratings(placed, measure, method, size, len(found.questions), tuple(remarks))


def length_controlled_rates(
    found: Games,
    rows: Mapping[str, LengthRows],
    baseline: str,
    gamed: GamedRows,
    *,
    level: float = 0.95,
) -> Ratings:
    """AlpacaEval's length-controlled win rates, by its own estimator and its file df_gamed.csv.

    Their standard error is AlpacaEval's, the spread of the predictions over the root of their
    number. The interval is another: it allows for the error of the fitted model.
    """
    results = found.against(baseline)  # raises an error for an unknown baseline
    remarks: list[str] = [*found.remarks, *found.accounts.in_words()]
    rates: list[Rating] = []
    at_once: dict[str, Interval] = {}  # simultaneous intervals (Bonferroni)
    values, sds = {}, {}  # on the scale of log odds
    for system in results:
        own = rows[system]
        remarks += require_instructions(system, own, gamed.difficulty.size)
        fitted = fit_preferences(own.preference, own.difference, own.index, gamed)
        rate, n = fitted.rate, own.index.size
        values[system] = math.log(rate / (1.0 - rate))
        sds[system] = fitted.sd / (rate * (1.0 - rate))

        def ends(share: float, name: str = system, size: int = n) -> Interval:
            reach = student_reach(share, size - 1.0) * sds[name]
            low, high = (1.0 / (1.0 + math.exp(-values[name] + x)) for x in (reach, -reach))
            return Interval(low, high, share, Estimand.POPULATION)

        at_once[system] = ends(1.0 - (1.0 - level) / len(results))
        rates.append(
            unranked_rate(
                system,
                rate,
                fitted.sd,
                ends(level),
                systems=len(results),
                games=len(results[system]),
                standard_error=standard_error(fitted.preference.tolist()),
            )
        )
    method = (
        "AlpacaEval's length-controlled win rate (length_controlled_v1 of alpaca_eval 0.6.6; "
        "Dubois et al. 2024), computed by scikit-learn; interval by the jackknife over "
        "instructions, with the difficulties and the strength of the penalty as given"
    )
    return Ratings(
        _ranked_by_intervals(rates, at_once, values, sds),
        f"length-controlled win rate against {baseline}",
        method,
        sum(map(len, results.values())),
        len(found.questions),
        tuple(remarks),
    )


def unranked_rate(
    system: str,
    value: float,
    sd: float,
    interval: Interval,
    *,
    systems: int,
    games: int,
    standard_error: float,
) -> Rating:
    """A win rate against a baseline among several, before it is known which of them differ."""
    return Rating(
        system=system,
        value=value,
        sd=sd,
        interval=interval,
        rank=1,
        best_rank=1,
        worst_rank=systems,
        expected_rank=0.5 * (1 + systems),
        chance_best=1.0 / systems,
        groups="a",
        games=games,
        win_rate=value,
        standard_error=standard_error,
    )


def _ranked_by_intervals(
    rates: Sequence[Rating],
    at_once: Mapping[str, Interval],
    values: Mapping[str, float],
    sds: Mapping[str, float],
) -> tuple[Rating, ...]:
    """Win rates in order; systems differ if their simultaneous intervals do not overlap.

    Expected ranks are those of independent normal `values` on an unbounded scale.
    """
    own = sorted(rates, key=lambda row: (-values[row.system], row.system))
    ends = [at_once[row.system] for row in own]
    ahead = np.array([[mine.low > other.high for other in ends] for mine in ends])
    letters = letters_of((ahead | ahead.T).tolist())
    means, spreads = (np.array([each[row.system] for row in own]) for each in (values, sds))
    drawn = DrawnRanks(exchangeable_normal(means, np.diag(spreads)))
    return tuple(
        replace(
            row,
            rank=at + 1,
            best_rank=1 + int(ahead[:, at].sum()),
            worst_rank=len(own) - int(ahead[at].sum()),
            expected_rank=float(drawn.expected[at]),
            chance_best=float(drawn.best[at]),
            groups=letters[at],
        )
        for at, row in enumerate(own)
    )


def _chance(rating: float) -> float:
    """The chance to win against a system with the rating 1000."""
    return 1.0 / (1.0 + 10.0 ** ((1000.0 - rating) / 400.0))


def standard_error(results: Sequence[float]) -> float:
    """Sample standard deviation of the results over the root of their number, as in AlpacaEval."""
    if len(results) < 2:
        return math.nan
    return float(np.std(results, ddof=1) / math.sqrt(len(results)))


_ALIKE = 1e-9  # tolerance: results of a pair add up to 1 up to rounding
_POSITION = (
    "pairs of games of the same systems on the same question by the same judge, one in each order; "
    "Gaffke's interval over questions"
)


def position_bias(games: Games, level: float = 0.95) -> RaterAgreement:
    """How far judges prefer the answer that is shown first, from games played in both orders."""
    strict_share(level, "level")
    parts = games.by_judge() if len(games.judges) > 1 else {"": games}
    rows: list[AgreementRow] = []
    remarks: list[str] = []
    for judge, part in parts.items():
        first, clusters = _both_orders(part)
        if not len(first):
            remarks.append(about(judge, Caution("no pair was played in both orders.")))
            continue
        positions = _Positions(first, clusters, level).rows(f"{judge}: " if judge else "")
        bias = positions[0]
        if bias.interval.low > 0.0 or bias.interval.high < 0.0:
            side = "first" if bias.value > 0 else "second"
            low, high = sorted(abs(end) for end in (bias.interval.low, bias.interval.high))
            remarks.append(
                Caution(
                    f"{judge or 'The judge'} favours the answer shown {side} by "
                    f"{abs(bias.value):.2f} ({low:.2f} to {high:.2f}): play every pair in both "
                    "orders, equally often."
                )
            )
        rows += positions
    if not rows:
        raise InputError(
            "no pair of systems was played in both orders on one question by one judge; position "
            "bias needs such games (and a column with the question)."
        )
    raters = games.judges or ("the judge",)
    return RaterAgreement(tuple(rows), raters, _POSITION, (*games.remarks, *remarks))


def _both_orders(games: Games) -> tuple[Array, NDArray[np.intp]]:
    """Mean result of the system shown first in each order, a row per pair; and the question."""
    rows = games.rows
    if not games.questions:
        return np.empty((0, 2)), np.zeros(0, dtype=np.intp)
    swapped = rows.first > rows.second
    low, high = np.minimum(rows.first, rows.second), np.maximum(rows.first, rows.second)
    _, pair = np.unique(np.stack([rows.cluster, low, high]), axis=1, return_inverse=True)
    pair = pair.reshape(-1)
    size = int(pair.max()) + 1
    often = np.stack([np.bincount(pair[some], minlength=size) for some in (~swapped, swapped)])
    totals = np.stack(
        [np.bincount(pair[some], rows.result[some], size) for some in (~swapped, swapped)]
    )
    cluster = np.zeros(size, dtype=np.intp)
    cluster[pair] = rows.cluster
    both = (often > 0).all(axis=0)
    return (totals[:, both] / often[:, both]).T, cluster[both]


class _Positions:
    """Results of the system shown first, in both orders of each pair."""

    def __init__(self, first: Array, clusters: NDArray[np.intp], level: float) -> None:
        self._first, self._level = first, level
        codes = np.unique(clusters, return_inverse=True)[1]
        self._clusters = codes if int(codes.max()) + 1 < codes.size else None

    def rows(self, prefix: str) -> list[AgreementRow]:
        """The bias, and what becomes of verdicts when the order is changed."""
        here, there = self._first.T
        shares = {
            "same verdict in both orders": np.abs(here + there - 1.0) < _ALIKE,
            "first shown preferred both times": (here > 0.5) & (there > 0.5),
            "second shown preferred both times": (here < 0.5) & (there < 0.5),
        }
        bias = self._row(f"{prefix}first shown − 1/2", 0.5 * (here + there) - 0.5, (-0.5, 0.5))
        others = (
            self._row(f"{prefix}{words}", np.asarray(some, float), (0.0, 1.0))
            for words, some in shares.items()
        )
        return [bias, *others]

    def _row(self, words: str, values: Array, bounds: tuple[float, float]) -> AgreementRow:
        sample = sample_of(values, np.ones(values.size), self._clusters, None, bounds)
        interval = Interval(*mean_ends(sample, self._level), self._level, Estimand.POPULATION)
        return AgreementRow(
            about="position",
            measure=words,
            value=sample.mean,
            sd=sample.sd(),
            interval=interval,
            items=values.size,
        )
