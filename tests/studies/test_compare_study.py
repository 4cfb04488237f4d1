"""The study of comparisons: worlds whose truth is known, tests that are what they are called."""

import numpy as np
import pytest
from benchmarks.compare import report, study, tests, worlds
from benchmarks.compare.worlds import Cell
from benchmarks.coverage.difficulties import DIFFICULTIES

from errbar.metrics import Average, PassAt

CELL = Cell(30, 4, "uniform")


def test_a_shift_does_what_quadrature_says() -> None:
    table = worlds.value_table(PassAt(2), 4)
    effect = worlds.effect_of(0.5, CELL, table)
    first, second = worlds.shifted_counts(CELL, 0.5, 4000, 0)
    apart = table[first] - table[second]
    assert effect.difference == pytest.approx(apart.mean(), abs=0.004)
    means = apart.mean(axis=1)
    assert effect.deviations == pytest.approx(means.mean() / means.std(), rel=0.06)
    assert abs(worlds.aimed_effect(CELL, table).deviations) == pytest.approx(2.4, abs=1e-3)


@pytest.mark.parametrize("kind", worlds.NULLS)
def test_no_difference_is_none(kind: str) -> None:
    first, second = worlds.null_counts(CELL, kind, 4000)
    assert (first - second).mean() == pytest.approx(0.0, abs=0.02)


def test_noise_and_a_shift_that_leave_the_mean_as_it_is() -> None:
    easy, table = DIFFICULTIES["easy"], worlds.value_table(PassAt(4), 16)
    shift = worlds.balanced_shift(easy, 2.0, table)
    rng = np.random.default_rng(1)
    rates = easy.draw(rng, (400_000,))
    other = worlds.moved(rates, shift + 2.0 * rng.standard_normal(rates.size))
    mine, theirs = (table[rng.binomial(16, each)] for each in (rates, other))
    assert mine.mean() == pytest.approx(theirs.mean(), abs=4e-4)
    assert shift > 1.0


def test_values_by_state_are_the_metrics_own() -> None:
    assert worlds.value_table(Average(), 4).tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert set(worlds.value_table(PassAt(8), 16)[9:]) == {1.0}  # to the last bit


def test_mcnemars_tests_by_hand() -> None:
    apart = np.array([[1.0] * 9 + [-1.0] * 2 + [0.0] * 9, [1.0] * 5 + [-1.0] * 5 + [0.0] * 10])
    found = tests.mcnemar_tests(apart)
    # 9 to 2: exact 0.065, mid-p 0.039, chi-square 0.035.
    assert [found[name][0] for name in ("exact", "mid-p", "chi-square")] == [False, True, True]
    assert not any(each[1] for each in found.values())


def test_a_cell_and_its_report() -> None:
    rows = [
        row
        for cell in (Cell(30, 1, "easy"), CELL)
        for part in (study.nulls, study.powers)
        for row in part(cell, 40)
    ]
    text = report.text(rows, list(study.ceiling(4)), 40, "a second")
    assert "## A difference: how often it is found" in text
    assert "| 30 | 4 | 8 |" in text
    first = next(row for row in rows if isinstance(row, study.Null))
    assert 0.0 <= study.again(first, 40).again < 0.2
