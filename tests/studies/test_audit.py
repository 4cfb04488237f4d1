"""The audit tells intervals that hold on data like these from those that do not."""

import math

import numpy as np
import pytest

import errbar
from errbar import Calibrated, CategoryCounts, Counts, Posterior, parse
from errbar.analysis import audit
from errbar.analysis.audit import coverage_shares
from errbar.data.counts import CountsByState
from errbar.errors import InputError
from errbar.metrics import CountMetric
from errbar.results.estimate import Estimand

SPIKED = Counts([4] * 60, [0] * 25 + [4] * 20 + [1, 2, 3] * 5)


def metric(name: str) -> CountMetric:
    found = parse(name)
    assert isinstance(found, CountMetric)
    return found


@pytest.mark.parametrize("target", list(Estimand))
def test_calibrated_intervals_hold(target: Estimand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "SIMULATIONS", 40)
    metrics = [metric("avg"), metric("pass@4")]
    shares = coverage_shares(SPIKED, metrics, Calibrated(target), np.random.default_rng(0))
    assert min(shares) > 0.84  # 95 % intervals hold in fewer than 34 of 40 with a chance of 0.3 %


def test_intervals_of_a_flat_prior_do_not() -> None:
    flat = coverage_shares(SPIKED, [metric("pass^4")], Posterior(), np.random.default_rng(0))
    assert flat[0] < 0.5


def test_categories_are_not_simulated() -> None:
    counts = CategoryCounts([[1, 2, 1], [0, 0, 4]])
    with pytest.raises(InputError, match="leave out metrics of categories"):
        coverage_shares(
            counts, [metric("max@2(weights=[0, 1, 2])")], Calibrated(), np.random.default_rng(0)
        )


def test_clusters_are_not_simulated() -> None:
    runs = errbar.load({"mine": CountsByState([1] * 6, [1, 0] * 3, [1] * 6, np.arange(6) // 2)})
    audited = runs.score("avg", audit=True)
    assert math.isnan(audited[0].coverage)
    assert "coverage, mine: an audit simulates independent questions" in str(audited)


def test_scores_show_their_coverage_only_if_an_audit_was_requested(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(audit, "SIMULATIONS", 50)
    runs = errbar.load({"mine": np.array([[1, 0, 1], [0, 0, 0], [1, 1, 1]] * 8)})
    plain, audited = runs.score("avg"), runs.score("avg", audit=True)
    assert math.isnan(plain[0].coverage)
    assert 0.8 < audited[0].coverage <= 1.0
    assert "coverage" in str(audited)
    assert "coverage" not in str(plain)
    assert audited.to_dicts()[0]["coverage"] == audited[0].coverage
