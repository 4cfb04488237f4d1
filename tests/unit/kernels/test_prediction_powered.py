"""Prediction-powered means against ppi-python; Rogan and Gladen's share and samples by simulation.

Of samples with unequal probabilities, every item is drawn as often as it should be.
"""

import json
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats

from errbar.kernels.prediction_powered import (
    Judged,
    KnownRate,
    neyman,
    rogan_gladen,
    rogan_gladen_ends,
    systematic,
    two_stage_weights,
)
from logs import FIXTURES

# Made by tests/fixtures/reference_judges.py
REFERENCE = json.loads((FIXTURES / "judges" / "reference.json").read_text("utf-8"))


@pytest.mark.parametrize("case", REFERENCE["prediction_powered"])
def test_means_weights_and_normal_intervals_are_those_of_ppi_python(case: dict[str, Any]) -> None:
    names = ("labels", "grades", "others", "label_weights", "other_weights")
    given = {name: np.array(case[name]) for name in names if case[name] is not None}
    judged = Judged.of(**given)
    weight = judged.tuned_weight() if case["weight"] is None else case["weight"]
    assert judged.mean(weight) == pytest.approx(case["mean"], abs=1e-9)
    assert judged.normal_ends(weight, 0.95)[1:] == pytest.approx(case["ends"], abs=1e-9)


def test_a_judge_without_variation_and_one_without_questions_have_no_weight() -> None:
    labels = np.array([1.0, 0.0, 1.0])
    assert Judged.of(labels, np.ones(3), np.ones(5)).tuned_weight() == 0.0
    assert Judged.of(labels, labels, np.zeros(0)).tuned_weight() == 0.0
    assert Judged.of(labels, labels, np.zeros(0)).mean(0.0) == pytest.approx(2 / 3)


def test_known_rates_give_back_the_share_that_made_the_judges() -> None:
    for share in (0.0, 0.2, 0.9):
        passed = share * 0.9 + (1.0 - share) * (1.0 - 0.7)
        assert rogan_gladen(passed, 0.9, 0.7) == pytest.approx(share)


def test_limits_of_lang_and_reiczigel_hold_the_share() -> None:
    rng, share, held, sets = np.random.default_rng(0), 0.3, 0, 1000
    for _ in range(sets):
        passed = rng.binomial(200, share * 0.9 + (1 - share) * 0.2) / 200
        sensitivity, specificity = rng.binomial(40, 0.9) / 40, rng.binomial(40, 0.8) / 40
        known = KnownRate(passed, 200), KnownRate(sensitivity, 40), KnownRate(specificity, 40)
        _, low, high = rogan_gladen_ends(*known, 0.95)
        held += low <= share <= high
    assert held / sets > 0.93


def test_limits_of_lang_and_reiczigel_miss_on_either_side_alike() -> None:
    items, share = 20, 0.1
    count = np.arange(items + 1)
    sure, unsure = stats.binom(items, 0.9).pmf(count), stats.binom(items, 0.8).pmf(count)
    passed = stats.binom(60, share * 0.9 + (1 - share) * 0.2).pmf(np.arange(61))
    below = above = 0.0
    for a, b, c in product(range(items + 1), range(items + 1), range(61)):
        chance = sure[a] * unsure[b] * passed[c]
        if chance > 1e-7:
            known = KnownRate(c / 60, 60), KnownRate(a / items, items), KnownRate(b / items, items)
            _, low, high = rogan_gladen_ends(*known, 0.95)
            below += chance * (share > high)
            above += chance * (share < low)
    assert max(below, above) < 0.03


def test_exact_rates_leave_only_the_noise_of_the_questions() -> None:
    exact = KnownRate(0.9, np.inf), KnownRate(0.8, np.inf)
    sd, low, high = rogan_gladen_ends(KnownRate(0.5, 1e9), *exact, 0.95)
    assert (low, high) == pytest.approx((0.3 / 0.7, 0.3 / 0.7), abs=1e-3)
    assert sd < 1e-3


def test_items_are_drawn_with_their_probabilities() -> None:
    chances = np.array([0.05, 0.05, 0.1, 0.9, 0.9, 1.0])
    rng, times = np.random.default_rng(0), 20_000
    found = np.zeros(chances.size)
    for _ in range(times):
        drawn = systematic(chances, rng)
        assert drawn.size == 3
        found[drawn] += 1.0
    error = np.sqrt(chances * (1.0 - chances) / times)
    assert (np.abs(found / times - chances) <= 4.5 * error).all()


def test_items_that_are_certain_leave_their_rest_to_others() -> None:
    chances = neyman(np.array([9.0, 0.5, 0.5, 0.0]), 2)
    assert chances[0] == 1.0
    assert chances.sum() == pytest.approx(2.0)
    assert chances[1] == chances[2] > chances[3] > 0.0


def test_two_samples_one_after_the_other_give_an_unbiased_mean() -> None:
    """The second sample depends on the first: it prefers values like the largest found."""
    rng = np.random.default_rng(1)
    values, found = rng.random(40), []
    for _ in range(4000):
        first = rng.permutation(40)[:8]
        rest = np.setdiff1d(np.arange(40), first)
        chances = neyman(np.exp(-np.abs(values[rest] - values[first].max())) - 0.3, 10)
        second = systematic(chances, rng)
        old, new = two_stage_weights(np.ones(8), 40, chances[second])
        found.append((old @ values[first] + new @ values[rest[second]]) / 40)
    assert np.mean(found) == pytest.approx(values.mean(), abs=4 * np.std(found) / 4000**0.5)
    even = two_stage_weights(np.ones(8), 40, np.full(8, 8 / 32))
    assert np.concatenate(even) == pytest.approx(np.full(16, 2.5))
