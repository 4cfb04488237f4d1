"""Ratings of systems from games between them, by the Bradley-Terry model.

A rating is a strength on Elo's scale: 400 points are odds of ten to one. Ratings are relative, so
they are centred: 1000 is the mean of all systems that are linked by wins in both directions, or the
rating of an anchor. Differences of pairs are tested as in `rank`, adjusted for the number of pairs
(Bonferroni), so that all ranks lie in their ranges with the probability of the level.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errbar.base.arguments import strict_share
from errbar.base.arrays import Array
from errbar.base.remarks import Caution, setting, some_of
from errbar.data.columns import unknown_name
from errbar.data.games import Games
from errbar.errors import InputError
from errbar.kernels.bradley_terry import Fit, Ties, fit
from errbar.kernels.connectivity import components, confounded, reachable, strong_components
from errbar.kernels.hierarchical import DrawnRanks, exchangeable_normal, root_of
from errbar.results.estimate import Estimand, Interval
from errbar.results.leaderboard import Rating, Ratings, letters_of

_POINTS, _CENTRE = 400.0 / math.log(10.0), 1000.0  # Elo's scale
_SHOWN = 3  # pairs that are proposed for the next games
_METHODS = {
    Ties.HALF: "Bradley-Terry model, a tie is half a win",
    Ties.DAVIDSON: "Bradley-Terry model with ties of Davidson (1970)",
    Ties.RAO_KUPPER: "Bradley-Terry model with ties of Rao and Kupper (1967)",
}


@dataclass(frozen=True, kw_only=True)
class RatingRequest:
    """A request to rate systems: model of ties, level, anchor, and whether judges are apart."""

    ties: Ties = Ties.HALF
    level: float = 0.95
    anchor: str | None = None
    by_judge: bool = False

    def __post_init__(self) -> None:
        strict_share(self.level, "level")


def rate_games(games: Games, request: RatingRequest) -> Ratings:
    """Rate all systems, or the systems of each judge."""
    parts = judged_apart(games, by_judge=request.by_judge)
    rows: list[Rating] = []
    remarks: list[str] = [*games.remarks, *games.accounts.in_words()]
    for judge, part in parts.items():
        ratings = _GameRatings(part, request)
        rows += ratings.rows(judge)
        remarks += [f"{judge}: {note}" if judge else note for note in ratings.plain_remarks()]
        remarks += ratings.cautions(judge)
    hubs = games.hubs() if len(games.systems) > 2 else []
    if hubs:
        way = setting("against", hubs[0])
        remarks.append(f"Every game is against {hubs[0]}: {way} shows the win rates.")
    clusters = len(games.questions)
    within = "questions" if clusters else "games"
    method = (
        f"{_METHODS[request.ties]}; covariance by the jackknife over {within} (CR3), t quantiles "
        f"with Satterthwaite's degrees of freedom. A rating of 1000 is the mean of the systems; "
        f"400 points are odds of ten to one. expected win rate: against an opponent picked at "
        f"random"
    )
    return Ratings(tuple(rows), "rating", method, len(games), clusters, tuple(remarks))


def judged_apart(games: Games, *, by_judge: bool) -> dict[str, Games]:
    """The games of each judge, or all games under an empty name."""
    return games.by_judge() if by_judge else {"": games}


def place_of(anchor: str, games: Games) -> int:
    """Index of the system whose rating is fixed."""
    if anchor not in games.systems:
        raise InputError(unknown_name(anchor, list(games.systems), "there is no system"))
    return games.systems.index(anchor)


class _GameRatings:
    """The ratings of the systems in some games."""

    def __init__(self, games: Games, request: RatingRequest) -> None:
        self.games, self.request = games, request
        _require_connected(games)
        _require_told_apart(games)
        labels = strong_components(games.rows)
        sizes = np.bincount(labels)
        self.core: NDArray[np.bool_] = labels == int(np.argmax(sizes))
        self.separated = sizes.size > 1
        _require_ties(games, request.ties, separated=self.separated)
        self.fit: Fit = fit(games.rows, request.ties, penalised=self.separated)
        number = len(games.systems)
        self._open_above = ~reachable(games.rows, self.core, downwards=True)
        self._open_below = ~reachable(games.rows, self.core, downwards=False)
        centre = self.core / self.core.sum()
        if request.anchor is not None:
            centre = np.zeros(number)
            centre[place_of(request.anchor, games)] = 1.0
        self._contrasts = np.eye(number) - centre
        self.values = _CENTRE + _POINTS * (self._contrasts @ self.fit.strengths)
        self.covariance = self._covariance(number)
        both = np.concatenate([games.rows.first, games.rows.second])
        cluster, some = np.tile(games.rows.cluster, 2), np.zeros(number, dtype=np.int64)
        some[both] = cluster
        self.varied = np.bincount(both, cluster != some[both], number) > 0  # several clusters

    def _covariance(self, number: int) -> Array:
        """Covariance of the strengths.

        Where a system is separated, it is that of independent games too: a system that won all its
        games has almost no residuals, from which the jackknife would conclude that its strength is
        known exactly.
        """
        covariance = self.fit.covariance[:number, :number]
        if self.separated:
            covariance = covariance + self.fit.information[:number, :number]
        return covariance

    def _reach(self, tail: float) -> Array:
        """The t quantile of each parameter: systems, then controls."""
        from scipy.special import stdtrit  # noqa: PLC0415  loads SciPy

        degrees = np.maximum(self.fit.degrees, 1.0)
        quantiles: Array = stdtrit(degrees, 1.0 - tail)
        return quantiles

    def rows(self, judge: str) -> list[Rating]:
        """Ratings from the best down."""
        level = self.request.level
        spread = self._contrasts @ self.covariance @ self._contrasts.T
        sds = _POINTS * np.sqrt(np.maximum(np.diag(spread), 0.0))
        sds[~self.varied] = np.nan
        reach = self._reach(0.5 * (1.0 - level))[: sds.size] * sds
        lows = np.where(self._open_below, -np.inf, self.values - reach)
        highs = np.where(self._open_above, np.inf, self.values + reach)
        return ratings_of(
            self.games,
            judge=judge,
            values=self.values,
            sds=sds,
            intervals=[
                Interval(float(low), float(high), level, Estimand.POPULATION)
                for low, high in zip(lows, highs, strict=True)
            ],
            ahead=self._significant_order(level),
            draws=self._draws(),
            win_rates=mean_result(self._results()),
        )

    def _significant_order(self, level: float) -> Array:
        """1 where the row is significantly stronger than the column, −1 where weaker, else 0."""
        number = len(self.games.systems)
        away = self._standardised_differences()
        reach = self._reach((1.0 - level) / max(number * (number - 1), 1))[:number]
        needed = np.maximum(reach[:, None], reach[None, :])
        return np.where(away > needed, 1.0, np.where(away < -needed, -1.0, 0.0))

    def _standardised_differences(self) -> Array:
        """Differences of strengths by their standard deviations."""
        differences = self.fit.strengths[:, None] - self.fit.strengths[None, :]
        own = np.diag(self.covariance)
        variance = own[:, None] + own[None, :] - 2 * self.covariance
        known = self.varied[:, None] & self.varied[None, :]
        known &= variance > 0
        scaled: Array = np.where(known, differences, 0.0) / np.sqrt(np.where(known, variance, 1.0))
        return scaled

    def _draws(self) -> Array:
        return exchangeable_normal(self.fit.strengths, root_of(self.covariance))

    def _results(self) -> Array:
        """Expected result of each system against each other; a tie is half a win."""
        differences = self.fit.strengths[:, None] - self.fit.strengths[None, :]
        if self.request.ties is Ties.HALF:
            results: Array = 1.0 / (1.0 + np.exp(-differences))
        elif self.request.ties is Ties.DAVIDSON:
            tie = math.exp(self.fit.tie)
            up, down = np.exp(differences / 2), np.exp(-differences / 2)
            results = (up + 0.5 * tie) / (up + down + tie)
        else:
            won = 1.0 / (1.0 + np.exp(self.fit.tie - differences))
            lost = 1.0 / (1.0 + np.exp(self.fit.tie + differences))
            results = 0.5 * (1.0 + won - lost)
        return results

    def plain_remarks(self) -> list[str]:
        """Coefficients of controls, and the pairs to play next."""
        number = len(self.games.systems)
        notes = []
        for at, name in enumerate(self.games.controls, start=number):
            notes.append(self._control(at, name))
        pairs = self._next_pairs()
        if pairs:
            notes.append(f"The most informative games to play next: {', '.join(pairs)}.")
        return notes

    def _control(self, at: int, name: str) -> str:
        """The coefficient of a control with its interval."""
        level = self.request.level
        value = float(self.fit.controls[at - len(self.games.systems)])
        reach = float(self._reach(0.5 * (1.0 - level))[at])
        reach *= math.sqrt(self.fit.covariance[at, at])
        within = f"({100 * level:g}% CI {value - reach:+.2f} to {value + reach:+.2f}"
        if np.all(np.abs(self.games.rows.controls[:, at - len(self.games.systems)]) == 1.0):
            points = _POINTS * value
            return (
                f"{name}: coefficient {value:+.2f} {within}, log odds), which is {points:+.0f} "
                f"points; ratings are without it."
            )
        return (
            f"{name}: coefficient {value:+.2f} {within}, log odds of tanh of the difference by its "
            f"sd); ratings are for equal {name}."
        )

    def _next_pairs(self) -> list[str]:
        """Pairs of which one more game reduces the variance of undecided differences most."""
        number = len(self.games.systems)
        first, second = np.triu_indices(number, 1)
        undecided = self._significant_order(self.request.level)[first, second] == 0
        if not undecided.any():
            return []
        v = self.fit.information[:number, :number]
        apart = v[first] - v[second]  # covariance of each pair's difference with each system
        crossed = apart[:, first[undecided]] - apart[:, second[undecided]]
        own = apart[np.arange(first.size), first] - apart[np.arange(first.size), second]
        strengths = self.fit.strengths[first] - self.fit.strengths[second]
        p = 1.0 / (1.0 + np.exp(-strengths))
        gain = p * (1 - p) * np.square(crossed).sum(axis=1) / (1.0 + p * (1 - p) * own)
        best = np.argsort(-gain, kind="stable")[:_SHOWN]
        names = self.games.systems
        return [f"{names[first[at]]} – {names[second[at]]}" for at in best]

    def cautions(self, judge: str) -> list[str]:
        """Systems without an upper or a lower end, and systems on one question only."""
        names = self.games.systems
        notes = []
        for mask, words, end in (
            (self._open_above, "never lost to", "above"),
            (self._open_below, "never won against", "below"),
        ):
            if mask.any():
                who = some_of([names[at] for at in np.flatnonzero(mask)])
                notes.append(
                    f"{who} {words} the systems rated around 1000: the games do not bound the "
                    f"rating from {end} (Firth's penalty keeps it finite)."
                )
        alone = ~self.varied
        if alone.any():
            who = some_of([names[at] for at in np.flatnonzero(alone)])
            notes.append(f"{who}: no interval, because all games are on one question.")
        return [Caution(f"{judge}: {note}" if judge else note) for note in notes]


def ratings_of(
    games: Games,
    *,
    judge: str,
    values: Array,
    sds: Array,
    intervals: Sequence[Interval],
    ahead: Array,
    draws: Array,
    win_rates: Array,
) -> list[Rating]:
    """Ratings from the best down; `ahead` has 1 where the row is better than the column."""
    drawn = DrawnRanks(draws)
    systems = games.systems
    order = sorted(range(len(systems)), key=lambda at: (-values[at], systems[at]))
    letters = letters_of([[ahead[i, j] != 0 for j in order] for i in order])
    both = np.concatenate([games.rows.first, games.rows.second])
    played = np.bincount(both, minlength=len(systems))
    return [
        Rating(
            system=systems[at],
            value=float(values[at]),
            sd=float(sds[at]),
            interval=intervals[at],
            rank=place + 1,
            best_rank=1 + int((ahead[at] < 0).sum()),
            worst_rank=len(systems) - int((ahead[at] > 0).sum()),
            expected_rank=float(drawn.expected[at]),
            chance_best=float(drawn.best[at]),
            groups=letters[place],
            games=int(played[at]),
            win_rate=float(win_rates[at]),
            standard_error=math.nan,
            judge=judge,
        )
        for place, at in enumerate(order)
    ]


def mean_result(results: Array) -> Array:
    """Expected result against an opponent picked at random, from those against each other."""
    of_system = results.copy()
    np.fill_diagonal(of_system, 0.0)
    means: Array = of_system.sum(axis=1) / (of_system.shape[0] - 1)
    return means


def _require_connected(games: Games) -> None:
    labels = components(games.rows)
    number = int(labels.max()) + 1
    if len(games.systems) < 2:
        raise InputError("ratings need games between at least two systems.")
    if number == 1:
        return
    groups = [
        some_of([name for name, label in zip(games.systems, labels, strict=True) if label == at])
        for at in range(number)
    ]
    raise InputError(
        f"no game links these {number} groups of systems, so their ratings cannot be compared: "
        f"{some_of(groups, separator='; ')}. Rate them apart, or play games between them."
    )


def _require_told_apart(games: Games) -> None:
    """Refuse controls whose effect cannot be separated from the strengths."""
    for name, same in zip(games.controls, confounded(games.rows), strict=True):
        if same:
            raise InputError(
                f"the control {name!r} cannot be told apart from the ratings: the strengths of "
                "the systems (and other controls) determine it in every game; position, for "
                "example, if each pair was shown in one order only. Leave it out."
            )


def _require_ties(games: Games, ties: Ties, *, separated: bool) -> None:
    """Refuse a model of ties that the games do not allow."""
    if ties is Ties.HALF:
        return
    half = setting("ties", "half")
    results = games.rows.result
    if not np.isin(results, (0.0, 0.5, 1.0)).all():
        raise InputError(f"a model of ties needs wins, losses and ties, not grades; use {half}.")
    if not (results == 0.5).any() or (results == 0.5).all():
        raise InputError(f"a model of ties needs ties and decided games; use {half}.")
    if separated:
        raise InputError(
            f"some systems won or lost all their games, so a model of ties has no finite ratings; "
            f"use {half}."
        )
