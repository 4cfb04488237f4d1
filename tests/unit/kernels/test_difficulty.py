"""The learned spread of difficulty, held against weighing draws from its prior by likelihood."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from math import exp, pi, prod

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import betaln

from errbar.kernels.difficulty import (
    DifficultyDraws,
    StateCounts,
    exact_rates_by_state,
    expected_scores,
    learn,
    logs_of,
    memberships,
    rates_by_state,
    terms_of_sum,
)

PRIOR_DRAWS = 150_000


def by_weighing(trials: list[int], correct: list[int], k: int) -> tuple[float, float, float]:
    """Mean and sd of the questions' mean of 1 − (1 − p)^k, and mean over questions like these."""
    rng = np.random.default_rng(5)
    points, total = 20, rng.exponential(size=(PRIOR_DRAWS, 1))
    weights = rng.standard_gamma(total / points, (PRIOR_DRAWS, points)) + 1e-300
    weights /= weights.sum(axis=1, keepdims=True)
    rates = rng.beta(0.5, 0.5, weights.shape)
    where = rng.random(weights.shape)
    rates[where < 0.1], rates[where > 0.9] = 0.0, 1.0
    score = 1.0 - (1.0 - rates) ** k
    likely = np.ones(PRIOR_DRAWS)
    mean, variance = np.zeros((2, PRIOR_DRAWS))
    for n, c in zip(trials, correct, strict=True):
        chances = weights * rates**c * (1.0 - rates) ** (n - c)
        whole = chances.sum(axis=1)
        likely *= whole
        first = (chances * score).sum(axis=1) / np.maximum(whole, 1e-300)
        second = (chances * score**2).sum(axis=1) / np.maximum(whole, 1e-300)
        mean += first / len(trials)
        variance += (second - first**2) / len(trials) ** 2
    likely /= likely.sum()
    centre = likely @ mean
    sd = np.sqrt(likely @ (variance + np.square(mean - centre)))
    return float(centre), float(sd), float(likely @ (weights * score).sum(axis=1))


def assigned(
    spread: DifficultyDraws, trials: NDArray[np.int64], correct: NDArray[np.int64]
) -> NDArray[np.int64]:
    """How many questions belong to each point of each draw, drawn at random."""
    rates, weights = (part.reshape(-1, 1, part.shape[-1]) for part in spread)
    sides = (side[:, None].astype(float) for side in (correct, trials - correct))
    chances = memberships(*sides, *logs_of(rates, weights))
    return np.random.default_rng(5).multinomial(1, chances).sum(axis=1)


def by_sampling(trials: list[int], correct: list[int], k: int) -> tuple[float, float, float]:
    """The moments estimated from 40 chains."""
    chains = 40
    spread = learn(
        np.tile(trials, chains),
        np.tile(correct, chains),
        np.ones(chains * len(trials), dtype=np.int64),
        np.arange(chains) * len(trials),
        [np.random.default_rng(1)],
    )
    held = assigned(spread, np.array(trials), np.array(correct))
    rates, weights = (part.reshape(-1, part.shape[-1]) for part in spread)
    score = 1.0 - (1.0 - rates) ** k
    mean = (held * score).sum(axis=1) / len(trials)
    return float(mean.mean()), float(mean.std()), float((weights * score).sum(axis=1).mean())


@pytest.mark.parametrize(
    ("trials", "correct", "k"),
    [([2, 2], [0, 1], 1), ([4, 4, 4], [0, 0, 2], 4), ([1, 3, 5], [1, 0, 5], 2), ([2], [2], 3)],
)
def test_sampling_gives_what_weighing_the_prior_gives(
    trials: list[int], correct: list[int], k: int
) -> None:
    assert by_sampling(trials, correct, k) == pytest.approx(
        by_weighing(trials, correct, k), abs=0.02
    )


def points_in_use(correct: np.ndarray, trials: int) -> float:
    """How many points have questions, on average."""
    spread = learn(
        np.full(correct.size, trials),
        correct,
        np.ones(correct.size, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        [np.random.default_rng(3)],
    )
    used = assigned(spread, np.full(correct.size, trials), correct) > 0
    return float(used.sum(axis=1).mean())


def test_how_few_points_are_preferred_is_learned() -> None:
    rng = np.random.default_rng(4)
    two = rng.binomial(64, np.repeat([0.2, 0.8], 100))
    smooth = rng.binomial(64, rng.random(200))
    assert points_in_use(two, 64) < 4
    assert points_in_use(smooth, 64) > 10


def test_equal_questions_may_be_given_together() -> None:
    rng = np.random.default_rng(0)
    correct = rng.binomial(8, rng.random(300))
    often = np.bincount(correct, minlength=9)
    spread = learn(
        np.full(9, 8), np.arange(9), often, np.zeros(1, dtype=np.int64), [np.random.default_rng(2)]
    )
    assert (spread.rates * spread.weights).sum(axis=2).mean() == pytest.approx(
        correct.mean() / 8, abs=0.01
    )


def test_systems_are_learned_from_their_own_questions() -> None:
    spread = learn(
        np.array([16, 16]),
        np.array([0, 16]),
        np.array([50, 50]),
        np.array([0, 1]),
        [np.random.default_rng(0)],
    )
    none, all_ = (spread.rates * spread.weights).sum(axis=2).mean(axis=1)
    assert none < 0.02
    assert all_ > 0.98


def test_a_seed_repeats_to_the_bit() -> None:
    data = (np.array([4, 4]), np.array([1, 3]), np.array([5, 6]), np.zeros(1, dtype=np.int64))
    first, second = (learn(*data, [np.random.default_rng(7)]) for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize(("solved", "failed"), [(3, 2), (0, 4), (5, 0), (2500, 1500)])
def test_scores_at_a_point_have_the_moments_of_its_rate(solved: int, failed: int) -> None:
    right, wrong, often = (np.array([number]) for number in (solved, failed, 1))
    share, moments = expected_scores(
        lambda rates: np.stack([rates, rates**8]),
        np.full((1, 1), 0.625),
        np.ones((1, 1, 1)),
        StateCounts(right, wrong, often),
        np.random.default_rng(0),
    )
    a, b = Fraction(2 * solved + 1, 2), Fraction(2 * failed + 1, 2)

    def inside(power: int) -> float:
        """Mean of a power of a Beta variable."""
        return float(prod((a + i) / (a + b + i) for i in range(power)))

    # A rate is 0 or 1 with prior probability 0.1 each, and else Beta(½, ½).
    chance = 0.8 * exp(betaln(float(a), float(b))) / pi
    ends = 0.1 * (solved == 0), 0.1 * (failed == 0)
    total = chance + sum(ends)
    part = chance / total if total else 1.0
    found = [part * inside(power) + (1.0 - part) * ends[1] * 10.0 for power in (1, 8, 2, 9, 16)]
    assert share.tolist() == [[[1.0]]]
    rate, eighth, square, ninth, last = found
    expected = [[1.0, rate, eighth], [rate, square, ninth], [eighth, ninth, last]]
    assert moments[0, 0] == pytest.approx(np.array(expected), rel=1e-9)


def test_a_point_of_many_trials_keeps_its_rate() -> None:
    once = np.ones(1, dtype=np.int64)
    _, moments = expected_scores(
        lambda rates: rates[None, :] ** 2,
        np.full((1, 1), 0.3),
        np.ones((1, 1, 1)),
        StateCounts(3000 * once, 7000 * once, once),
        np.random.default_rng(0),
    )
    assert moments[0, 0] == pytest.approx(np.array([[1.0, 0.09], [0.09, 0.0081]]))


def partitions(number: int) -> Iterator[list[int]]:
    """Every way to put questions into groups, as the group of each."""
    if number == 0:
        yield []
        return
    for groups in partitions(number - 1):
        yield from ([*groups, group] for group in range(max(groups, default=-1) + 2))


def mean_rates_by_enumeration(right: list[int], wrong: list[int]) -> list[float]:
    """Posterior mean rate of each question, over all partitions into at most twenty points."""
    points, masses = 20, [Fraction(2) ** power for power in range(-4, 6)]
    total, means = 0.0, [0.0] * len(right)

    def at_point(solved: int, failed: int) -> float:
        ends = 0.1 * (solved == 0) + 0.1 * (failed == 0)
        return ends + 0.8 * exp(betaln(solved + 0.5, failed + 0.5)) / pi

    for groups in partitions(len(right)):
        members = Counter(groups)
        labels = prod(points - group for group in members)
        likely = 0.0
        for mass in masses:
            new = prod(prod(mass / points + i for i in range(n)) for n in members.values())
            likely += exp(-mass) * float(mass * new / prod(mass + i for i in range(len(right))))
        rates = {}
        for group in members:
            solved, failed = (
                sum(each for each, at in zip(side, groups, strict=True) if at == group)
                for side in (right, wrong)
            )
            likely *= at_point(solved, failed)
            rates[group] = at_point(solved + 1, failed) / at_point(solved, failed)
        total += labels * likely
        for question, group in enumerate(groups):
            means[question] += labels * likely * rates[group]
    return [mean / total for mean in means]


RIGHT, WRONG, OFTEN = np.array([4, 3, 0, 1]), np.array([0, 1, 4, 5]), np.array([2, 1, 2, 1])
COUNTS = StateCounts(RIGHT, WRONG, OFTEN)


def test_exact_rates_are_those_of_all_assignments() -> None:
    rates, weights = exact_rates_by_state(COUNTS)
    each = (np.repeat(side, OFTEN).tolist() for side in (RIGHT, WRONG))
    assert np.repeat(weights @ rates, OFTEN) == pytest.approx(
        mean_rates_by_enumeration(*each), rel=1e-9
    )


def test_sampled_rates_are_near_the_exact_ones() -> None:
    chains, states = 20, RIGHT.size
    trials = np.tile(RIGHT + WRONG, chains)
    starts = np.arange(chains) * states
    rng = np.random.default_rng(2)
    spread = learn(trials, np.tile(RIGHT, chains), np.tile(OFTEN, chains), starts, [rng])
    points, weights = (part.reshape(-1, part.shape[-1]) for part in spread[:2])
    logs = logs_of(points[:, None, :], weights[:, None, :])
    belongs = memberships(RIGHT[:, None].astype(float), WRONG[:, None].astype(float), *logs)
    exact = exact_rates_by_state(COUNTS)
    sampled = rates_by_state(points, belongs, COUNTS, rng)
    for power in (1, 4):
        found, expected = (weights @ rates**power for rates, weights in (sampled, exact))
        assert found == pytest.approx(expected, abs=0.01)


def test_equal_questions_in_two_states_are_summed_as_in_one() -> None:
    """Equal questions in one state, and in two states."""
    alike = StateCounts(np.array([2]), np.array([2]), np.array([30]))
    rates, weights = exact_rates_by_state(alike)
    apart = StateCounts(np.array([2, 2]), np.array([2, 2]), np.array([20, 10]))
    _, twice = exact_rates_by_state(apart)
    assert weights.sum() == pytest.approx(1.0, abs=1e-12)
    for power in (1, 2, 4, 8):
        whole = weights @ rates**power
        assert twice @ rates**power == pytest.approx(np.repeat(whole, 2), rel=1e-9)


def test_many_trials_at_unlike_rates_are_not_taken_for_one_rate() -> None:
    """Together they have a probability below 1e-300: they are two points, each with its own."""
    unlike = StateCounts(np.array([900, 500]), np.array([100, 500]), np.array([1, 1]))
    rates, weights = exact_rates_by_state(unlike)
    assert weights @ rates == pytest.approx([900.5 / 1001, 0.5], rel=1e-9)


def test_the_size_of_a_sum_grows_with_the_questions_of_each_state() -> None:
    assert terms_of_sum(COUNTS) == 5 * 3 * 5 * 3
    assert terms_of_sum(StateCounts(np.array([5000]), np.array([0]), np.array([1]))) == np.inf
