"""The documented functions on item predictions, against a plain retelling of their definition."""

import math
from dataclasses import FrozenInstanceError
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errbar.selective import (
    ItemPrediction,
    compute_aurc,
    compute_risk_at_coverage,
    compute_risk_coverage_curve,
)

Item = ItemPrediction


def plain_curve(items: list[Item]) -> list[tuple[Any, Any]]:
    """The best answered items first, those of equal confidence as they were given."""
    left = [item for item in items if item.score is not None]
    curve: list[tuple[Any, Any]] = []
    error: Any = 0
    while left:
        best = left[0]
        for item in left[1:]:
            if item.confidence > best.confidence:
                best = item
        left = [item for item in left if item is not best]
        assert best.score is not None
        error = error + abs(best.score - best.ground_truth)
        curve.append(((len(curve) + 1) / len(items), error / (len(curve) + 1)))
    return curve


def plain_aurc(items: list[Item]) -> float:
    curve = plain_curve(items)
    if not curve:
        return 0.0
    if len(curve) == 1:
        return float(curve[0][0] * curve[0][1])
    area = 0.0
    for at in range(1, len(curve)):
        width = curve[at][0] - curve[at - 1][0]
        area += width * (curve[at - 1][1] + curve[at][1]) / 2
    return area


def plain_risk(items: list[Item], target: float) -> float | None:
    reached = [risk for coverage, risk in plain_curve(items) if coverage >= target - 1e-9]
    return reached[0] if reached else None


WHOLE = st.builds(
    Item,
    score=st.none() | st.integers(0, 3),
    ground_truth=st.integers(0, 3),
    confidence=st.integers(0, 3) | st.floats(0, 3, allow_subnormal=False),
)
BROKEN = st.builds(
    Item,
    score=st.none() | st.floats(-5, 5),
    ground_truth=st.floats(-5, 5),
    confidence=st.sampled_from([-math.inf, -1.5, 0, 0.0, 0.25, 7, math.inf]),
)


@given(st.lists(WHOLE, max_size=12) | st.lists(BROKEN, max_size=12), st.integers(1, 40))
def test_every_result_is_that_of_the_plain_definition_bit_for_bit(
    items: list[Item], fortieths: int
) -> None:
    assert compute_risk_coverage_curve(items) == plain_curve(items)
    assert compute_aurc(items) == plain_aurc(items)
    assert compute_risk_at_coverage(items, fortieths / 40) == plain_risk(items, fortieths / 40)


def test_right_answers_cost_nothing_however_many_others_are_left_open() -> None:
    items = [Item(3, 3, 0.9), Item(1, 1, 0.8), Item(0, 0, 0.7), Item(None, 2, 0.0)]
    assert compute_aurc(items) == 0.0


def test_a_sure_mistake_costs_more_than_an_unsure_one() -> None:
    surest_wrong = [Item(3, 0, 1.0), Item(2, 2, 0.5), Item(1, 1, 0.3)]
    surest_right = [Item(3, 0, 0.1), Item(2, 2, 0.5), Item(1, 1, 0.3)]
    # Risks 3, 3/2, 1 in steps of a third, and 0, 0, 1.
    assert compute_aurc(surest_wrong) == pytest.approx((4.5 + 2.5) / 6, abs=1e-15)
    assert compute_aurc(surest_right) == pytest.approx(1 / 6, abs=1e-15)


@pytest.mark.parametrize("items", [[], [Item(None, 1, 0.0), Item(None, 2, 0.0)]])
def test_nothing_answered_has_no_curve_no_area_and_no_risk(items: list[Item]) -> None:
    assert compute_risk_coverage_curve(items) == []
    assert compute_aurc(items) == 0.0
    assert compute_risk_at_coverage(items, 0.01) is None


def test_one_answer_alone_has_its_error_times_its_coverage() -> None:
    assert compute_aurc([Item(2, 1, 1.0), Item(None, 0, 0.0)]) == 0.5
    assert compute_aurc([Item(None, 0, 5.0), Item(0, 3, 1.0), Item(None, 0, 0.0)]) == 1.0
    assert compute_aurc([Item(2, 0, 1.0)]) == 2.0


def test_coverage_counts_what_was_left_open() -> None:
    items = [Item(2, 2, 1.0), Item(None, 1, 0.0), Item(None, 0, 0.0)]
    assert compute_risk_coverage_curve(items) == [(1 / 3, 0.0)]


def test_risk_at_half_coverage_is_the_error_of_the_surer_half() -> None:
    items = [Item(2, 2, 1.0), Item(3, 1, 0.8), Item(1, 1, 0.5), Item(0, 2, 0.3)]
    assert compute_risk_at_coverage(items, target_coverage=0.5) == 1.0


def test_risk_at_full_coverage_is_the_error_of_all() -> None:
    assert compute_risk_at_coverage([Item(2, 2, 1.0), Item(1, 0, 0.5)], 1.0) == 0.5


def test_a_coverage_out_of_reach_has_no_risk() -> None:
    items = [Item(2, 2, 1.0)] + [Item(None, 1, 0.0)] * 3
    assert compute_risk_at_coverage(items, 0.5) is None
    assert compute_risk_at_coverage(items, 0.25) == 0.0


def test_coverages_rise_whatever_the_order_of_the_list() -> None:
    curve = compute_risk_coverage_curve([Item(1, 1, 0.5), Item(2, 2, 1.0), Item(0, 1, 0.3)])
    assert [coverage for coverage, _ in curve] == [1 / 3, 2 / 3, 1.0]


def test_the_curve_has_a_point_per_answer_and_none_for_the_rest() -> None:
    items = [Item(1, 1, 1.0), Item(None, 2, 0.0), Item(2, 2, 0.5)]
    assert len(compute_risk_coverage_curve(items)) == 2


def test_equal_confidences_keep_the_order_of_the_list() -> None:
    first_wrong = [Item(1, 0, 0.5), Item(0, 0, 0.5)]
    assert compute_risk_coverage_curve(first_wrong) == [(0.5, 1.0), (1.0, 0.5)]
    assert compute_risk_coverage_curve(first_wrong[::-1]) == [(0.5, 0.0), (1.0, 0.5)]


def test_a_coverage_a_billionth_below_the_target_has_reached_it() -> None:
    items = [Item(1, 0, 0.9), Item(0, 0, 0.5)]
    assert compute_risk_at_coverage(items, 0.5 + 1e-10) == 1.0
    assert compute_risk_at_coverage(items, 0.5 + 1e-8) == 0.5


@pytest.mark.parametrize("target", [0.0, -0.1, 1.0000001, 50, math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("items", [[], [Item(1, 1, 1.0)]])
def test_a_target_outside_zero_to_one_is_refused(items: list[Item], target: float) -> None:
    with pytest.raises(ValueError, match=r"target_coverage must be in \(0, 1\]"):
        compute_risk_at_coverage(items, target)


def test_an_item_is_frozen_has_slots_and_compares_by_value() -> None:
    item = Item(score=2, ground_truth=1, confidence=0.5)
    with pytest.raises(FrozenInstanceError):
        item.score = 1  # type: ignore[misc]
    assert not hasattr(item, "__dict__")
    assert item == Item(2, 1, 0.5)
    assert len({item, Item(2, 1, 0.5)}) == 1


def test_an_item_knows_its_error_and_whether_it_was_answered() -> None:
    assert (Item(0, 3, 0.1).is_predicted, Item(0, 3, 0.1).absolute_error) == (True, 3)
    assert (Item(None, 3, 0.1).is_predicted, Item(None, 3, 0.1).absolute_error) == (False, 0)


def test_a_list_is_left_as_it_was() -> None:
    items = [Item(1, 0, 0.1), Item(None, 0, 0.2), Item(1, 0, 0.3)]
    before = list(items)
    compute_risk_coverage_curve(items)
    assert items == before


@pytest.mark.parametrize(
    "scores", [[10**400, 10**400 + 4], [Fraction(1, 3), Fraction(2, 3)], [Decimal("0.1"), 7]]
)
def test_errors_add_up_exactly_in_whatever_numbers_they_come(scores: list[Any]) -> None:
    truth = scores[0] * 0 + 10**400 if scores[0] > 10**300 else 0
    items = [Item(scores[0], truth, 0.9), Item(scores[1], truth, 0.5)]
    assert compute_risk_coverage_curve(items) == plain_curve(items)


def test_whole_errors_beyond_the_digits_of_a_float_add_up_exactly() -> None:
    items = [Item(2**53, 0, 0.9), Item(1, 0, 0.5), Item(1, 0, 0.4)]
    assert compute_risk_coverage_curve(items)[-1] == (1.0, (2**53 + 2) / 3)
