"""Variance components: unbiased by enumeration, equal to pairs counted one by one and to peers."""

from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from errbar.base.arrays import Array
from errbar.kernels.variance_components import (
    CellTable,
    Design,
    Undetermined,
    UnitSums,
    draw_components,
    ends_of,
    level_interval,
)


def table(rows: dict[str, Any], values: Array) -> CellTable:
    """Cells of rows, of questions that count alike."""
    names = list(rows)
    codes = np.stack([rows[name] for name in names], axis=1)
    keys, place = np.unique(codes, axis=0, return_inverse=True)
    number = np.bincount(place.ravel())
    each = [values[place.ravel() == at] for at in range(len(keys))]
    question = keys[:, names.index("questions")]
    return CellTable(
        factors=dict(zip(names, keys.T, strict=True)),
        mean=np.array([part.mean() for part in each]),
        squares=np.array([np.square(part).mean() for part in each]),
        variance=np.array([part.var(ddof=1) if part.size > 1 else np.nan for part in each]),
        per_row=1.0 / number,
        weight=number / np.bincount(question, number)[question],
        bounds=(0.0, 1.0),
        most=0.25,
    )


def estimates(rows: dict[str, Any], values: Array) -> dict[tuple[str, ...], float]:
    """The components by effect; () is the trials."""
    cells = table(rows, values)
    sums = UnitSums.of(cells)
    design = Design.of(cells, sums)
    once = np.ones((1, sums.often.size))
    found = design.components(sums, once, once)[0].tolist()
    return dict(zip([*design.effects, ()], found, strict=True))


def test_no_bias_by_enumeration_of_ragged_right_and_wrong_trials() -> None:
    """Three questions with 2, 3 and 1 trials; each is easy or hard, with known chances."""
    trials, rates = (2, 3, 1), (Fraction(1, 5), Fraction(3, 4))
    rows = {"questions": np.repeat(np.arange(3), trials)}
    mean = [Fraction(0), Fraction(0)]
    for outcome in product((0, 1), repeat=6):
        found = estimates(rows, np.array(outcome, dtype=float))
        for kinds in product(rates, repeat=3):
            chance = Fraction(1, 8)
            for right, question in zip(outcome, rows["questions"].tolist(), strict=True):
                chance *= kinds[question] if right else 1 - kinds[question]
            for at, effect in enumerate([("questions",), ()]):
                mean[at] += chance * Fraction(found[effect])
    average = sum(rates) / 2
    assert float(mean[0]) == pytest.approx(float(sum((r - average) ** 2 for r in rates) / 2))
    assert float(mean[1]) == pytest.approx(float(sum(r * (1 - r) for r in rates) / 2))


def test_crossed_and_ragged_rows_as_pairs_counted_one_by_one() -> None:
    rng = np.random.default_rng(3)
    rows = {
        "questions": rng.integers(0, 5, 40),
        "judge": rng.integers(0, 3, 40),
        "prompt": rng.integers(0, 2, 40),
    }
    values = rng.random(40)
    weight = 1.0 / np.bincount(rows["questions"])[rows["questions"]]
    # a pair of one cell counts by the weight of the cell, others by the product of both rows'
    sums: dict[frozenset[str], list[float]] = {}
    for a, b in combinations(range(40), 2):
        alike = frozenset(name for name, codes in rows.items() if codes[a] == codes[b])
        own = weight[a] * weight[b]
        if len(alike) == 3:
            key = [codes[a] for codes in rows.values()]
            size = int(np.all([c == k for c, k in zip(rows.values(), key, strict=True)], 0).sum())
            own = weight[a] * size / (size * (size - 1) / 2)
        part = sums.setdefault(alike, [0.0, 0.0])
        part[0] += own * (values[a] - values[b]) ** 2 / 2
        part[1] += own
    found = estimates(rows, values)
    assert len(sums) == len(found) == 8
    for alike, (apart, pairs) in sums.items():
        differing = sum(
            value for effect, value in found.items() if not effect or set(effect) - alike
        )
        assert apart / pairs == pytest.approx(differing)


def test_the_estimates_of_mixed_models() -> None:
    """By restricted maximum likelihood: `reference_mixed_models.py` made the numbers."""
    rng = np.random.default_rng(7)
    question = np.repeat(np.arange(12), 4)
    value = np.round(rng.normal(0.5, 0.2, 12)[question] + rng.normal(0.0, 0.1, 48), 3)
    assert estimates({"questions": question}, value) == pytest.approx(
        {("questions",): 0.019972000925063255, (): 0.008439205875993899}, rel=1e-5
    )
    rng = np.random.default_rng(11)
    question, judge, _ = (part.ravel() for part in np.indices((10, 3, 2)))
    value = rng.normal(0.5, 0.2, 10)[question] + rng.normal(0.0, 0.15, 3)[judge]
    value = value + rng.normal(0.0, 0.12, 30)[question * 3 + judge] + rng.normal(0.0, 0.1, 60)
    found = estimates({"questions": question, "judge": judge}, np.round(value, 3))
    assert found == pytest.approx(
        {
            ("questions",): 0.0313186656141608,
            ("judge",): 0.02011146664646936,
            ("questions", "judge"): 0.010681052176267676,
            (): 0.00854792582752311,
        },
        rel=1e-4,
    )


def test_a_nested_column_is_one_effect_and_a_column_with_single_rows_is_in_the_trials() -> None:
    rng = np.random.default_rng(4)
    question = np.repeat(np.arange(6), 4)
    nested = {"questions": question, "prompt": np.arange(24) // 2}
    assert list(estimates(nested, rng.random(24))) == [("questions",), ("prompt",), ()]
    clusters = {"clusters": question // 2, "questions": question}
    assert list(estimates(clusters, rng.random(24))) == [("clusters",), ("questions",), ()]
    single = {"questions": question, "run": np.tile(np.arange(4), 6)}
    assert list(estimates(single, rng.random(24))) == [("questions",), ("run",), ()]


@pytest.mark.parametrize("rows", [{"questions": range(5)}, {"questions": [0, 0, 0]}])
def test_what_the_rows_do_not_tell_is_refused(rows: dict[str, Any]) -> None:
    cells = table(
        {"questions": np.array(rows["questions"])},
        np.linspace(0.0, 1.0, 5)[: len(rows["questions"])],
    )
    with pytest.raises(Undetermined):
        Design.of(cells, UnitSums.of(cells))


def test_equal_questions_still_leave_room_for_one_that_was_not_seen() -> None:
    question = np.repeat(np.arange(30), 4)
    cells = table({"questions": question}, np.ones(120))
    sums = UnitSums.of(cells)
    draws = draw_components(cells, sums, Design.of(cells, sums), 2000, np.random.default_rng(0))
    for at in (0, 1):
        low, high = ends_of(draws[..., at], 0.95)
        assert abs(low) < 1e-15
        # of 30 questions, none of a kind that makes up 12% of all is seen with a chance of 2.5%
        assert 0.8 * 0.12 * (0.88, 1 / 3)[at] < high < 1.2 * 0.12 * (0.88, 1 / 3)[at]


def test_the_interval_of_few_levels_is_that_of_a_variance_where_nothing_else_is_left() -> None:
    """With endless questions the means of five judges are all there is: chi-square with 4."""
    question, judge = (part.ravel() for part in np.indices((2000, 5)))
    effects = np.array([-0.2, -0.1, 0.0, 0.1, 0.2])
    cells = table({"questions": question, "judge": judge}, 0.5 + effects[judge])
    sums = UnitSums.of(cells)
    design = Design.of(cells, sums)
    once = np.ones((1, sums.often.size))
    components = design.components(sums, once, once)[0]
    low, high = level_interval(cells, design, components, ("judge",), 0.95)
    assert components[design.effects.index(("judge",))] == pytest.approx(0.025)
    assert (low, high) == pytest.approx((0.025 * 4 / 11.1433, 0.025 * 4 / 0.484419), rel=1e-3)
