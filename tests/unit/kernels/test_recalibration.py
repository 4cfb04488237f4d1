"""Isotonic recalibration and parts of the Brier score: other packages, and brute force."""

import json

import numpy as np
import pytest

from errbar.kernels.calibration import (
    ExpectedError,
    Recalibration,
    equal_bins,
    in_sample_parts,
    out_of_sample_parts,
)
from logs import FIXTURES

# Made by tests/fixtures/reference_judges.py
REFERENCE = json.loads((FIXTURES / "judges" / "reference.json").read_text("utf-8"))["calibration"]
STATED, RIGHT = np.array(REFERENCE["confidence"]), np.array(REFERENCE["right"], dtype=float)


@pytest.mark.parametrize("ties", ["distinct", "tied"])
def test_parts_are_those_of_model_diagnostics(ties: str) -> None:
    stated = STATED if ties == "distinct" else STATED.round(1)
    expected = REFERENCE["corp"][ties]
    parts = in_sample_parts(stated, RIGHT)
    assert parts.miscalibration.mean() == pytest.approx(expected["miscalibration"], abs=1e-12)
    assert parts.discrimination.mean() == pytest.approx(expected["discrimination"], abs=1e-12)


def test_recalibration_is_the_best_increasing_function() -> None:
    """By the max-min formula over blocks, for a few answers with ties."""
    stated = np.array([0.1, 0.3, 0.3, 0.4, 0.7, 0.8, 0.9])
    right = np.array([1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0])
    at = np.unique(stated)
    expected = [
        max(
            min(right[(stated >= low) & (stated <= high)].mean() for high in at if high >= x)
            for low in at
            if low <= x
        )
        for x in at
    ]
    assert Recalibration.fit(stated, right).values == pytest.approx(expected)


def test_an_answer_is_never_recalibrated_by_answers_of_its_own_cluster() -> None:
    """What an answer adds if it is right and if it is wrong tells what it is recalibrated to."""
    rng = np.random.default_rng(0)
    clusters = np.arange(60) // 3
    stated, right = rng.random(60), (rng.random(60) < 0.5).astype(float)
    for cluster in range(20):
        some = clusters == cluster
        wrong, fine = (
            out_of_sample_parts(
                stated, np.where(some, result, right), clusters, np.random.default_rng(1)
            )
            for result in (0.0, 1.0)
        )
        own = stated[some]
        to = own + 0.5 * (fine.miscalibration - wrong.miscalibration)[some]
        assert wrong.miscalibration[some] == pytest.approx(own**2 - to**2)


def test_bins_hold_about_equally_many_and_split_no_value() -> None:
    stated = np.repeat([0.1, 0.5, 0.9, 1.0], [5, 40, 5, 30])
    which = equal_bins(stated, 4)
    for value in np.unique(stated):
        assert len(set(which[stated == value])) == 1
    spread = equal_bins(np.random.default_rng(0).random(1000), 10)
    assert set(np.bincount(spread)) <= {99, 100, 101}


def test_the_expected_error_by_chance_is_its_mean_over_calibrated_answers() -> None:
    rng = np.random.default_rng(0)
    stated = rng.random(500)
    which = equal_bins(stated, 10)
    drawn = [
        ExpectedError.of(stated, (rng.random(500) < stated).astype(float), which)
        for _ in range(400)
    ]
    assert np.mean([each.value for each in drawn]) == pytest.approx(drawn[0].by_chance, rel=0.03)
