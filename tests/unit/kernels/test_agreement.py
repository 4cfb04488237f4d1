"""Coefficients of agreement against scikit-learn, krippendorff and irrCAC, and their intervals."""

import json
from functools import partial
from typing import Any

import numpy as np
import pytest

from errbar.kernels.agreement import (
    DISTANCES,
    AgreementSums,
    Coefficient,
    RatingCodes,
    agreement,
    coefficients,
    cohen,
    fleiss,
    gwet,
    krippendorff,
)
from logs import FIXTURES

# Made by tests/fixtures/reference_judges.py
REFERENCE = json.loads((FIXTURES / "judges" / "reference.json").read_text("utf-8"))["agreement"]


def ratings_of(case: dict[str, Any]) -> RatingCodes:
    rows = [[np.nan if rating is None else rating for rating in row] for row in case["ratings"]]
    ratings = np.array(rows)
    values = np.unique(ratings[~np.isnan(ratings)])
    codes = np.where(np.isnan(ratings), -1, np.searchsorted(values, np.nan_to_num(ratings)))
    return RatingCodes(codes.astype(np.int64), values)


def sums_of(ratings: RatingCodes) -> AgreementSums:
    features = ratings.features()
    return ratings.sums(features, np.ones((1, len(features))))


@pytest.mark.parametrize("case", REFERENCE)
def test_coefficients_are_those_of_other_packages(case: dict[str, Any]) -> None:
    ratings = ratings_of(case)
    sums = sums_of(ratings)
    assert agreement(sums)[0] == pytest.approx(case["agreement"], abs=1e-9)
    assert gwet(sums)[0] == pytest.approx(case["gwet"], abs=1e-9)
    assert fleiss(sums)[0] == pytest.approx(case["fleiss"], abs=1e-9)
    for scale, expected in case["alpha"].items():
        found = krippendorff(sums, ratings.values, DISTANCES[scale])[0]
        assert found == pytest.approx(expected, abs=1e-9)
    at = np.arange(ratings.categories)
    apart = np.abs(at[:, None] - at) / (ratings.categories - 1)
    weights = {"None": 1.0 - np.eye(at.size), "linear": apart, "quadratic": apart**2}
    for kind, expected in case.get("kappa", {}).items():
        assert cohen(sums, weights[kind])[0] == pytest.approx(expected, abs=1e-9)


def test_raters_that_always_agreed_are_not_known_to_agree_always() -> None:
    codes = np.tile(np.arange(20) % 2, (2, 1))
    measures: dict[str, Coefficient] = {
        "kappa": partial(cohen, weights=1.0 - np.eye(2)),
        "agreement": agreement,
    }
    ratings = RatingCodes(codes, np.array([0.0, 1.0]))
    found = coefficients(ratings, measures, np.arange(20), 0.95, np.random.default_rng(0))
    assert found["kappa"].value == found["kappa"].high == 1.0
    assert found["agreement"].low == pytest.approx(0.832, abs=0.01)  # Clopper and Pearson's limit
    assert found["kappa"].low < 0.75


def test_intervals_hold() -> None:
    rng, held, sets = np.random.default_rng(0), 0, 60
    for seed in range(sets):
        truth = (rng.random(40) < 0.5).astype(np.int64)
        judge = np.where(rng.random(40) < 0.9, truth, 1 - truth)
        ratings = RatingCodes(np.stack([truth, judge]), np.array([0.0, 1.0]))
        found = coefficients(
            ratings, {"AC1": gwet}, np.arange(40), 0.95, np.random.default_rng(seed)
        )
        held += found["AC1"].low <= 0.8 <= found["AC1"].high
    assert held >= 54
