"""Bradley-Terry models against other packages, other optimisers and clusters left out by hand."""

import json

import choix
import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from errbar.base.arrays import Array
from errbar.kernels.bradley_terry import GameRows, Ties, fit
from errbar.kernels.connectivity import components, reachable, strong_components
from logs import FIXTURES


def league(
    systems: int = 5, games: int = 300, *, ties: float = 0.0, controls: int = 0, questions: int = 0
) -> GameRows:
    rng = np.random.default_rng(systems + games)
    first = rng.integers(systems, size=games)
    second = (first + rng.integers(1, systems, size=games)) % systems
    strengths = rng.standard_normal(systems)
    values = rng.standard_normal((games, controls))
    apart = strengths[first] - strengths[second] + 0.5 * values.sum(axis=1)
    result = (rng.random(games) < 1 / (1 + np.exp(-apart))).astype(float)
    result[rng.random(games) < ties] = 0.5
    cluster = rng.integers(questions, size=games) if questions else np.arange(games)
    return GameRows(
        systems=systems,
        first=first,
        second=second,
        result=result,
        weight=rng.choice([1.0, 3.0], games) if controls else np.ones(games),
        cluster=np.unique(cluster, return_inverse=True)[1],
        controls=values,
    )


def design(games: GameRows) -> Array:
    rows = np.arange(games.first.size)
    found = np.zeros((rows.size, games.systems))
    found[rows, games.first], found[rows, games.second] = 1.0, -1.0
    return np.hstack([found, games.controls])


def test_strengths_are_those_of_choix() -> None:
    games = league()
    pairs = [
        (a, b) if won else (b, a)
        for a, b, won in zip(games.first, games.second, games.result, strict=True)
    ]
    expected = choix.ilsr_pairwise(games.systems, pairs, alpha=0.0, tol=1e-12)
    assert fit(games).strengths == pytest.approx(expected, abs=1e-7)


def test_strengths_and_controls_are_those_of_logistic_regression() -> None:
    games = league(controls=2)
    model = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-10, max_iter=10_000)
    x = design(games)[:, 1:]  # the first system has strength 0
    model.fit(x, games.result, sample_weight=games.weight)
    expected = np.append(0.0, model.coef_[0][: games.systems - 1])
    found = fit(games)
    assert found.strengths == pytest.approx(expected - expected.mean(), abs=1e-5)
    assert found.controls == pytest.approx(model.coef_[0][games.systems - 1 :], abs=1e-5)


@pytest.mark.parametrize("ties", [Ties.HALF, Ties.DAVIDSON])
def test_strengths_with_ties_are_those_of_scorio(ties: Ties) -> None:
    """Made by tests/fixtures/reference_preferences.py."""
    known = json.loads((FIXTURES / "judges" / "arena_rank.json").read_text("utf-8"))["scorio"]
    right = np.array(known["right"])
    first, second = np.triu_indices(len(right), 1)
    result = 0.5 * (1.0 + right[first] - right[second])  # a row per pair, a column per question
    pairs = [np.repeat(each, right.shape[1]) for each in (first, second)]
    decided = result.reshape(-1) != 0.5 if ties is Ties.HALF else np.full(result.size, True)
    games = GameRows(
        systems=len(right),
        first=pairs[0][decided],
        second=pairs[1][decided],
        result=result.reshape(-1)[decided],
        weight=np.ones(int(decided.sum())),
        cluster=np.arange(int(decided.sum())),
        controls=np.zeros((int(decided.sum()), 0)),
    )
    expected = np.log(known[ties.value])
    assert fit(games, ties).strengths == pytest.approx(expected - expected.mean(), abs=1e-4)


@pytest.mark.parametrize("ties", [Ties.DAVIDSON, Ties.RAO_KUPPER])
def test_models_of_ties_maximise_the_probability_of_the_games(ties: Ties) -> None:
    games = league(ties=0.3)

    def lost(beta: Array) -> float:
        """Negative log-likelihood, from the probabilities of the papers with odds exp(strength)."""
        a, b = np.exp(beta[games.first]), np.exp(beta[games.second])
        t = np.exp(beta[-1])
        if ties is Ties.DAVIDSON:
            total = a + b + t * np.sqrt(a * b)
            chances = a / total, b / total, t * np.sqrt(a * b) / total
        else:
            won, beaten = a / (a + t * b), b / (b + t * a)
            chances = won, beaten, 1 - won - beaten
        won, beaten, tied = chances
        y = games.result
        likely = np.where(y == 1, won, np.where(y == 0, beaten, tied))
        return -float(np.log(np.maximum(likely, 1e-300)).sum()) + beta[:-1].sum() ** 2

    best = minimize(lost, np.append(np.zeros(games.systems), 0.5), tol=1e-10)
    found = fit(games, ties)
    assert found.strengths == pytest.approx(best.x[:-1] - best.x[:-1].mean(), abs=1e-4)
    assert found.tie == pytest.approx(best.x[-1], abs=1e-4)


@pytest.mark.parametrize("controls", [0, 1])
@pytest.mark.parametrize("questions", [0, 40])
def test_the_covariance_is_that_of_clusters_left_out_by_hand(questions: int, controls: int) -> None:
    games = league(games=120, questions=questions, controls=controls)
    found = fit(games)
    x, beta = design(games), np.append(found.strengths, found.controls)
    p = 1 / (1 + np.exp(-x @ beta))
    whole = (x * (games.weight * p * (1 - p))[:, None]).T @ x
    changes = []
    for cluster in range(int(games.cluster.max()) + 1):
        kept = games.cluster != cluster
        part = (x[kept] * (games.weight * p * (1 - p))[kept, None]).T @ x[kept]
        score = x[~kept].T @ (games.weight * (games.result - p))[~kept]
        changes.append(np.linalg.pinv(part) @ score)
    moved = np.array(changes)
    moved[:, : games.systems] -= moved[:, : games.systems].mean(axis=1, keepdims=True)
    expected = (len(changes) - 1) / len(changes) * moved.T @ moved
    assert found.covariance == pytest.approx(expected, rel=1e-6, abs=1e-9)
    assert np.linalg.matrix_rank(whole) == games.systems - 1 + controls


def test_games_that_are_all_won_have_the_finite_rating_of_firth() -> None:
    """Two systems: Firth's estimate is the log odds with half a game added to either side."""
    ones = np.ones(10)
    games = GameRows(
        systems=2,
        first=np.zeros(10, dtype=np.int64),
        second=np.ones(10, dtype=np.int64),
        result=ones,
        weight=ones,
        cluster=np.arange(10),
        controls=np.zeros((10, 0)),
    )
    found = fit(games, penalised=True).strengths
    assert found[0] - found[1] == pytest.approx(np.log(10.5 / 0.5), abs=1e-6)


def test_components_and_chains_of_wins() -> None:
    games = GameRows(
        systems=5,  # 0 beats 1, which ties with 2; 3 and 4 play each other alone
        first=np.array([0, 1, 3]),
        second=np.array([1, 2, 4]),
        result=np.array([1.0, 0.5, 1.0]),
        weight=np.ones(3),
        cluster=np.arange(3),
        controls=np.zeros((3, 0)),
    )
    assert len(set(components(games))) == 2
    strong = strong_components(games)
    assert strong[1] == strong[2]
    assert len(set(strong)) == 4
    middle = np.array([False, True, True, False, False])
    assert reachable(games, middle, downwards=False).tolist() == [True, True, True, False, False]
    assert reachable(games, middle, downwards=True).tolist() == middle.tolist()
