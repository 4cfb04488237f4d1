"""Verdicts on repeated tests: exact expectations, agreement with the interval, and error rates."""

from fractions import Fraction
from itertools import product
from math import comb, exp
from pathlib import Path

import numpy as np
import pytest

from errbar.integrations.repeated_tests import Suite, Trial, needed_evidence, verdict_on
from errbar.kernels.betting import log_evidence


def evidence(right: float, trials: float, mean: float) -> float:
    return exp(log_evidence(np.array([right]), np.array([trials]), mean)[0])


def exact_evidence(right: int, trials: int, mean: Fraction) -> Fraction:
    """The integral of q^right (1−q)^wrong over q in (mean, 1), term by term."""
    wrong = trials - right
    integral = sum(
        (-1) ** j * comb(wrong, j) * (1 - mean ** (right + j + 1)) / (right + j + 1)
        for j in range(wrong + 1)
    )
    return integral / (1 - mean) / (mean**right * (1 - mean) ** wrong)


@pytest.mark.parametrize("mean", [Fraction(1, 5), Fraction(1, 2), Fraction(9, 10)])
def test_evidence_equals_exact_arithmetic(mean: Fraction) -> None:
    for trials in range(1, 9):
        for right in range(trials + 1):
            expected = float(exact_evidence(right, trials, mean))
            assert evidence(right, trials, float(mean)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    "rates",
    [(0.4, 0.4, 0.4, 0.4), (0.0, 0.2, 0.6, 0.8), (0.1, 0.1, 0.7, 0.7), (0.0, 0.0, 0.8, 0.8)],
)
def test_expected_evidence_is_at_most_1_whatever_the_rates_of_the_cases(
    rates: tuple[float, ...],
) -> None:
    expected = 0.0
    for outcomes in product((0, 1), repeat=len(rates)):
        chances = (p if x else 1.0 - p for p, x in zip(rates, outcomes, strict=True))
        expected += float(np.prod(list(chances))) * evidence(sum(outcomes), len(rates), 0.4)
    assert expected <= 1.0 + 1e-12


def test_no_rate_is_above_1_or_below_0() -> None:
    assert evidence(5, 5, 1.0) == 1.0
    assert log_evidence(np.array([0.0, 1.0]), np.array([3.0, 3.0]), 0.0).tolist() == [0.0, np.inf]


def test_a_test_fails_or_passes_when_its_interval_leaves_the_rate_out() -> None:
    rng = np.random.default_rng(5)
    needed = needed_evidence(0.95, 3)
    decisions = set()
    for rate in (0.1, 0.5, 0.8, 0.95):
        for _ in range(40):
            rounds = rng.binomial(4, rate, 25).tolist()
            verdict = verdict_on(rounds, 4, 0.7, needed)
            assert verdict is not None
            decisions.add(verdict.decision)
            inside = verdict.low < 0.7 < verdict.high
            assert inside == (verdict.decision == "inconclusive")
            if verdict.high < 0.7:
                assert verdict.decision == "fail"
    assert decisions == {"pass", "fail", "inconclusive"}


def test_a_verdict_does_not_change_with_rounds_that_come_after_it() -> None:
    needed = needed_evidence(0.95, 1)
    rounds = [0.0] * 6
    first = verdict_on(rounds, 1, 0.8, needed)
    assert first is not None
    assert first.decision == "fail"
    assert first.rounds < 6
    assert verdict_on([*rounds, 1.0, 1.0, 1.0], 1, 0.8, needed) == first


def test_suites_at_their_limit_fail_less_often_than_the_level_says() -> None:
    rng = np.random.default_rng(11)
    needed = needed_evidence(0.9, 5)
    suites, wrong = 400, 0
    for _ in range(suites):
        verdicts = [verdict_on(rng.binomial(3, 0.8, 12).tolist(), 3, 0.8, needed) for _ in range(5)]
        wrong += any(v is not None and v.decision == "fail" for v in verdicts)
    assert wrong / suites <= 0.1 + 2.0 * (0.09 / suites) ** 0.5


def test_a_late_case_keeps_its_round_open(tmp_path: Path) -> None:
    suite = Suite(0.95, tmp_path, stops=True)
    for case in ("a", "b"):
        suite.add(Trial("t", case, 0), 9, 0.5)
    for number in range(9):
        suite.note(Trial("t", "a", number), 0.0)
    assert not suite.is_decided("t")
    for number in range(9):
        suite.note(Trial("t", "b", number), 0.0)
    assert suite.is_decided("t")


def test_half_a_line_in_a_journal_is_not_read(tmp_path: Path) -> None:
    suite = Suite(0.95, tmp_path, stops=True)
    suite.add(Trial("t", "a", 0), 9, 0.9)
    suite.note(Trial("t", "a", 0), 1.0)
    (journal,) = tmp_path.iterdir()
    with journal.open("a") as file:
        file.write('["a", 1,')
    assert not suite.is_decided("t")


def test_all_wrong_is_enough_evidence_after_the_trials_that_are_named(tmp_path: Path) -> None:
    suite = Suite(0.95, tmp_path, stops=True)
    suite.add(Trial("t", "a", 0), 2, 0.5)
    record = {"task": "t", "question": "a", "trial": 0, "outcome": 0.0, "status": "ok"}
    suite.learn({**record, "test": suite.tests["t"]})
    suite.judge()
    printed = str(suite.table())
    # (1 − 0.5^(n+1)) / ((n+1) · 0.5^(n+1)) reaches 2 / 0.05 = 40 first at n = 8.
    assert (1 - 0.5**8) / (8 * 0.5**8) < 40 < (1 - 0.5**9) / (9 * 0.5**9)
    assert "cannot fail" in printed
    assert "8 could" in " ".join(printed.split())
