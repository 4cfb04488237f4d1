"""Bets on a mean: held against every possible run, and against trying one mean after another."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errbar.kernels.betting import SHARES, log_wealth, low_ends

NEEDED = math.log(40.0)


def wealth_of(values: tuple[float, ...], mean: float) -> float:
    """The last wealth of one run."""
    return math.exp(log_wealth(np.array(values), mean)[-1])


@pytest.mark.parametrize("mean", [0.05, 0.3, 0.5, 0.8, 0.99])
@pytest.mark.parametrize("length", [1, 2, 5, 9])
def test_wealth_on_average_over_all_runs_is_what_it_was(mean: float, length: int) -> None:
    runs = product((0.0, 1.0), repeat=length)
    average = math.fsum(
        mean ** sum(run) * (1.0 - mean) ** (length - sum(run)) * wealth_of(run, mean)
        for run in runs
    )
    assert average == pytest.approx(1.0, abs=1e-12)


def test_wealth_is_kept_on_average_for_values_between_the_bounds() -> None:
    values, chances = (0.0, 0.25, 0.6, 1.0), (0.3, 0.2, 0.4, 0.1)
    mean = math.fsum(v * c for v, c in zip(values, chances, strict=True))
    for length in (1, 4, 6):
        average = math.fsum(
            math.prod(chances[values.index(x)] for x in run) * wealth_of(run, mean)
            for run in product(values, repeat=length)
        )
        assert average == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("rate", [0.0, 0.2, 0.49])
def test_wealth_falls_on_average_where_the_mean_is_below(rate: float) -> None:
    average = math.fsum(
        rate ** sum(run) * (1.0 - rate) ** (6 - sum(run)) * wealth_of(run, 0.5)
        for run in product((0.0, 1.0), repeat=6)
    )
    assert average < 1.0


@pytest.mark.parametrize("mean", [0.2, 0.5, 0.9])
def test_the_chance_to_ever_reach_what_is_needed_is_small_over_all_runs(mean: float) -> None:
    """Every run of 14 values by its chance, with a look after each."""
    runs = np.array(list(product((0.0, 1.0), repeat=14)))
    right = runs.sum(axis=1)
    chance = mean**right * (1.0 - mean) ** (14 - right)
    for needed in (2.0, 5.0, 20.0):
        reached = log_wealth(runs, mean).max(axis=1) >= math.log(needed)
        assert float(chance @ reached) <= 1.0 / needed


def test_wealth_is_a_mean_of_products() -> None:
    values = np.array([1.0, 0.0, 0.4])
    first = np.exp(log_wealth(np.array([1.0]), 0.5)) - 1.0  # the mean share
    assert SHARES.min() < first < SHARES.max()
    whole = [np.prod(1.0 - f + f * values / 0.5) for f in SHARES]
    assert min(whole) < math.exp(log_wealth(values, 0.5)[-1]) < max(whole)


def test_the_order_of_values_does_not_change_the_last_wealth() -> None:
    rng = np.random.default_rng(0)
    values = rng.random(200)
    last = log_wealth(values, 0.4)[-1]
    assert log_wealth(rng.permutation(values), 0.4)[-1] == pytest.approx(last, abs=1e-9)


def test_wealth_of_the_first_values_does_not_know_of_the_others() -> None:
    values = np.random.default_rng(1).random(50)
    whole, ends = log_wealth(values, 0.45), low_ends(values, NEEDED)
    for size in (1, 7, 49):
        assert np.array_equal(log_wealth(values[:size], 0.45), whole[:size])
        assert low_ends(values[:size], NEEDED) == pytest.approx(ends[:size], abs=1e-12)


def rejected_up_to(values: np.ndarray, means: np.ndarray) -> np.ndarray:
    """After each value the largest of `means` that has been spoken against."""
    ever = np.array([np.maximum.accumulate(log_wealth(values, mean)) >= NEEDED for mean in means])
    return np.where(ever, means[:, None], 0.0).max(axis=0)


@pytest.mark.parametrize("seed", range(6))
def test_an_end_is_where_the_test_begins_to_reject(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = (rng.random(400) < 0.7).astype(float) if seed % 2 else rng.beta(2.0, 1.0, 400)
    means = np.linspace(0.001, 0.999, 999)
    found = rejected_up_to(values, means)
    ends = low_ends(values, NEEDED)
    assert np.all(found <= ends + 1e-9)
    assert np.all(ends < found + 0.001 + 1e-9)
    assert np.all(np.diff(ends) >= 0.0)


@settings(max_examples=60, deadline=None)
@given(
    values=st.lists(st.floats(0.0, 1.0), min_size=1, max_size=40),
    needed=st.sampled_from([1.5, 20.0, 1e6]),
)
def test_wealth_at_an_end_is_what_is_needed(values: list[float], needed: float) -> None:
    array = np.array(values)
    ends = low_ends(array, math.log(needed))
    assert np.all((ends >= 0.0) & (ends < 1.0))
    if ends[-1] > 1e-9:
        reached = log_wealth(array, float(ends[-1])).max()
        assert reached == pytest.approx(math.log(needed), abs=1e-6)


@pytest.mark.parametrize("values", [[0.001, 0.002, 1.0, 1.0], [0.0, 1e-9, 0.5], [0.3, 0.0, 1.0]])
def test_an_end_does_not_know_of_larger_values_to_come(values: list[float]) -> None:
    ends = low_ends(np.array(values), NEEDED)
    for size in range(1, len(values) + 1):
        alone = low_ends(np.array(values[:size]), NEEDED)[-1]
        assert ends[size - 1] == pytest.approx(alone, rel=1e-9)
        assert not alone or log_wealth(np.array(values[:size]), alone).max() >= NEEDED - 1e-9


def test_an_end_after_very_many_zeros_is_no_number_too_large() -> None:
    values = np.append(np.zeros(2_000_000), [1.0, 0.0])
    assert low_ends(values, NEEDED)[-1] == 0.0


def test_ends_of_all_and_of_none() -> None:
    assert not low_ends(np.zeros(500), NEEDED).any()
    ends = low_ends(np.ones(500), NEEDED)
    assert 0.98 < ends[-1] < 1.0
    assert not low_ends(np.full(5, 1e-300), NEEDED).any()


def test_a_bet_on_the_bounds_is_won_at_once_or_never() -> None:
    values = np.array([0.0, 0.0, 0.3, 0.0])
    assert log_wealth(values, 0.0).tolist() == [0.0, 0.0, math.inf, math.inf]
    assert not log_wealth(np.ones(4), 1.0).any()


def test_many_values_neither_overflow_nor_vanish() -> None:
    for values in (np.ones(100_000), np.zeros(100_000)):
        found = log_wealth(values, 0.5)
        assert np.isfinite(found).all()
    assert log_wealth(np.ones(100_000), 0.5)[-1] > 60_000
    rate = (np.random.default_rng(0).random(100_000) < 0.9).astype(float)
    low, high = low_ends(rate, NEEDED)[-1], 1.0 - low_ends(1.0 - rate, NEEDED)[-1]
    assert 0.89 < low < rate.mean() < high < 0.91


def test_an_interval_of_few_values_is_wide_and_holds_their_mean() -> None:
    values = np.array([1.0, 1.0, 0.0])
    low, high = low_ends(values, NEEDED)[-1], 1.0 - low_ends(1.0 - values, NEEDED)[-1]
    assert 0.0 < low < 0.2
    assert 0.95 < high < 1.0
