"""Ranking methods: Borda, win rate, Bradley-Terry and Rasch by questions, and Elo by games.

- Borda count (de Borda 1781): a question gives a system the share of the other systems that it
  beats, ties as one half; the score is the mean over questions.
- Win rate and Bradley-Terry (1952): a trial of each of two systems on a question is a game, won by
  the one that is right where the other is wrong; other games are left out. All pairs of trials are
  counted, so the order of trials does not matter. The win rate is the share of its games that a
  system wins; the strength is that of the model, in logits.
- Ability in the model of Rasch.
- Copeland (1951) counts pairs, and is no mean: `majorities` has the signs that it counts.

Win rate, strength and ability are no means either, but smooth functions of the weights of
questions. Each is replaced by its linear expansion, the score plus the influence of a question
times the number of questions: the mean of these values is the score. The bounds of a value are the
effects of the system's success or failure on an unseen question that the others solve at their mean
rates, or the observed extremes if they are wider.

Elo ratings (1978) are for games in an order: the winner gains what the loser loses. A game with
result y, from 0 to 1, moves the rating of the first system by K (y - p), where p = 1 / (1 +
10^(-d / 400)) is the result that the difference d of the ratings predicts. The ratings depend on
the order: concatenating files in another order can reverse systems. So games are played in many
random orders at once, a column of ratings for each.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from errbar.base.arrays import Array, Integers
from errbar.errors import InputError
from errbar.kernels.bradley_terry import GameRows, Ties, fit
from errbar.kernels.connectivity import components, strong_components
from errbar.kernels.item_checks import fit_correlated
from errbar.kernels.sign_flip import rounded_difference

START, SCALE = 1000.0, 400.0  # Elo's own: all begin alike, 400 points are odds of ten to one
STEP = 4.0  # K of the first leaderboard of Chatbot Arena (Zheng et al. 2023); in chess 10 to 40

_ALL_ALIKE = (
    "no trial tells some systems apart, because they are right and wrong on the same questions; "
    "rank by the mean."
)


class QuestionValues(NamedTuple):
    """Values of questions whose mean is a score (systems × questions), and their bounds."""

    values: Array
    ends: Array  # lowest and highest value of each system
    least: Array  # lowest difference of the system of the row and that of the column

    @classmethod
    def by_influence(
        cls, scores: Array, influence: Callable[[Array], Array], answers: Array, rates: Array
    ) -> "QuestionValues":
        """Values by the influence of answers, and bounds by that of an unseen question."""
        number = answers.shape[1]
        own = influence(answers)
        # where a penalty is in the scores, the influences of all questions do not quite cancel
        values = scores[:, None] + number * (own - own.mean(axis=1, keepdims=True))
        usual = np.tile(rates.mean(axis=1)[:, None], (1, scores.size))
        solved, failed = usual.copy(), usual.copy()
        np.fill_diagonal(solved, 1.0)
        np.fill_diagonal(failed, 0.0)
        middle = influence(usual[:, :1])
        up, down = (number * (influence(each) - middle) for each in (solved, failed))
        low, high = scores + np.diag(down), scores + np.diag(up)
        ends = np.minimum(low, values.min(axis=1)), np.maximum(high, values.max(axis=1))
        # the system of the row fails the unseen question, and that of the column solves it
        least = scores[:, None] - scores
        least += np.diag(down)[:, None] - down.T + up - np.diag(up)
        for row, own in enumerate(values):
            least[row] = np.minimum(least[row], (own - values).min(axis=1))
        return cls(values, np.column_stack(ends), least)


def borda_points(values: Array) -> QuestionValues:
    """Share of the other systems that each beats on each question, ties as one half.

    Examples
    --------
    >>> borda_points(np.array([[1.0, 0.5], [0.5, 0.5], [0.0, 1.0]])).values.tolist()
    [[1.0, 0.25], [0.5, 0.25], [0.0, 1.0]]
    """
    found = np.zeros(values.shape)
    for row in values:
        ahead = rounded_difference(values, row)
        found += (ahead > 0.0) + 0.5 * (ahead == 0.0)
    systems = values.shape[0]
    ends = np.tile([0.0, 1.0], (systems, 1))
    return QuestionValues((found - 0.5) / (systems - 1), ends, np.full((systems, systems), -1.0))


def majorities(values: Array, system: int) -> Array:
    """1 where a system is ahead of another on a question, −1 where behind: systems × questions."""
    found: Array = np.sign(rounded_difference(values[system], values))
    return found


def win_rates(rates: Array) -> QuestionValues:
    """Share of decided games that a system wins against all others."""
    won, lost = _expected_games(rates)
    games = (won + lost).sum(axis=1)
    if not games.all():
        raise InputError(f"no win rates: {_ALL_ALIKE}")
    scores = won.sum(axis=1) / games
    each = games[:, None]

    def influence(answers: Array) -> Array:
        """Influence of each question on the rates."""
        more, less = _expected_games(answers)
        found: Array = (more - scores[:, None] * (more + less)) / each
        return found

    return QuestionValues.by_influence(scores, influence, rates, rates)


def _expected_games(rates: Array) -> tuple[Array, Array]:
    """Expected games won and lost by each system on each question, against all others."""
    others = rates.sum(axis=0) - rates
    return rates * (rates.shape[0] - 1.0 - others), (1.0 - rates) * others


def strengths(rates: Array) -> QuestionValues:
    """Bradley-Terry strengths of decided games; with Firth's penalty if some are not finite."""
    systems = rates.shape[0]
    won = rates @ (1.0 - rates).T
    games = won + won.T
    first, second = np.triu_indices(systems, 1)
    played = games[first, second] > 0.0
    first, second = first[played], second[played]
    rows = GameRows(
        systems=systems,
        first=first,
        second=second,
        result=won[first, second] / games[first, second],
        weight=games[first, second],
        cluster=np.arange(first.size),
        controls=np.zeros((first.size, 0)),
    )
    if int(components(rows).max()) > 0:
        raise InputError(f"no strengths: {_ALL_ALIKE}")
    penalised = int(strong_components(rows).max()) > 0
    found = fit(rows, Ties.HALF, penalised=penalised)
    expected = 1.0 / (1.0 + np.exp(found.strengths[None, :] - found.strengths[:, None]))
    np.fill_diagonal(expected, 0.0)
    inverse = found.information[:systems, :systems]

    def influence(answers: Array) -> Array:
        """Influence of each question on the strengths: games won less those that are expected."""
        gained = _expected_games(answers)[0] - answers * (expected @ (1.0 - answers))
        gained -= (1.0 - answers) * (expected @ answers)
        moved = inverse @ gained
        centred: Array = moved - moved.mean(axis=0)
        return centred

    return QuestionValues.by_influence(found.strengths, influence, rates, rates)


def abilities(right: Array, trials: Array, clusters: Integers) -> QuestionValues:
    """Abilities in the model of Rasch."""
    total = right.sum(axis=0)
    if not ((total > 0.0) & (total < trials.sum(axis=0))).any():
        raise InputError(f"no abilities: {_ALL_ALIKE}")
    found = fit_correlated(right, trials, clusters)
    usual = (trials / found.design).mean(axis=1)[:, None]

    def influence(answers: Array) -> Array:
        """Influence of each question on the abilities, if it has as many trials as others."""
        same = answers.shape == right.shape and answers is right
        often = trials / found.design if same else np.broadcast_to(usual, answers.shape)
        solved = right / found.design if same else answers * often
        moved: Array = found.fit.influence_of(solved, often).T
        return moved

    return QuestionValues.by_influence(found.fit.abilities, influence, right, right / trials)


def elo(games: GameRows, orders: int, rng: np.random.Generator) -> Array:
    """Ratings after all games in random orders: orders × systems.

    Examples
    --------
    >>> game = dict(systems=2, first=np.array([0]), second=np.array([1]), result=np.ones(1))
    >>> rest = dict(weight=np.ones(1), cluster=np.array([0]), controls=np.zeros((1, 0)))
    >>> elo(GameRows(**game, **rest), 1, np.random.default_rng(0)).tolist()
    [[1002.0, 998.0]]
    """
    number = games.first.size
    return _ratings_after(games, np.stack([rng.permutation(number) for _ in range(orders)]))


def elo_resampled(games: GameRows, orders: int, rng: np.random.Generator) -> Array:
    """Ratings of games whose clusters are drawn with replacement, in random orders."""
    clusters = int(games.cluster.max()) + 1
    often = rng.multinomial(clusters, np.full(clusters, 1.0 / clusters), size=orders)
    drawn = [
        rng.permutation(np.repeat(np.arange(games.first.size), counts[games.cluster]))
        for counts in often
    ]
    longest = max(map(len, drawn))
    padded = [np.pad(rows, (0, longest - rows.size), constant_values=-1) for rows in drawn]
    return _ratings_after(games, np.stack(padded))


def _ratings_after(games: GameRows, rows: Integers) -> Array:
    """Ratings after the games of each line of `rows`, in that order; -1 stands for no game."""
    ratings = np.full((rows.shape[0], games.systems), START)
    line = np.arange(rows.shape[0])
    for game in rows.T:
        first, second = games.first[game], games.second[game]
        predicted = 1.0 / (1.0 + 10.0 ** ((ratings[line, second] - ratings[line, first]) / SCALE))
        gain = STEP * (games.result[game] - predicted) * (game >= 0)
        ratings[line, first] += gain
        ratings[line, second] -= gain
    return ratings
