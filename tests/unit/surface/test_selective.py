"""The honest companions, against every order of equal confidences in exact fractions."""

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import permutations, product
from statistics import fmean
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from errbar import selective
from errbar.data.predictions import Predictions, Ranked
from errbar.kernels.risk_coverage import harmonic_rise
from errbar.selective import (
    Bootstrap,
    augrc,
    aurc,
    coverage_at_risk,
    excess_augrc,
    excess_aurc,
    risk_at_coverage,
    risk_coverage,
)

Row = tuple[Any, float, bool]  # confidence, loss, answered
Rows = list[Row]
Exact = Callable[[list[Fraction], int], Fraction]  # losses as covered, all items → a number

FEW = Bootstrap(resamples=100)


def close(expected: float) -> Any:
    return pytest.approx(expected, rel=1e-12, abs=1e-14)


def some_answered(rows: Rows) -> bool:
    return any(held for _, _, held in rows)


def rows_of(losses: st.SearchStrategy[float], most: int) -> st.SearchStrategy[Rows]:
    row = st.tuples(st.integers(0, 3), losses, st.sampled_from([True, True, True, False]))
    return st.lists(row, min_size=1, max_size=most).filter(some_answered)


QUARTERS = st.integers(0, 8).map(lambda quarters: quarters / 4)
SMALL = rows_of(QUARTERS, 6)
ANY = rows_of(st.floats(0, 10) | st.sampled_from([0.1, 0.2, 0.3]), 25)
SHARES = st.fractions(Fraction(1, 30), 1, max_denominator=30)


def columns(rows: Rows) -> tuple[list[Any], list[float], list[bool]]:
    sure, lost, held = zip(*rows, strict=True)
    return list(sure), list(lost), list(held)


def every_order(rows: Rows) -> Iterator[list[Fraction]]:
    kept = [row for row in rows if row[2]]
    groups = [
        [Fraction(lost) for sure, lost, _ in kept if sure == level]
        for level in sorted({row[0] for row in kept}, reverse=True)
    ]
    for each in product(*(permutations(group) for group in groups)):
        yield [lost for group in each for lost in group]


def over_every_order(rows: Rows, exact: Exact) -> Fraction:
    found = [exact(order, len(rows)) for order in every_order(rows)]
    return sum(found, Fraction(0)) / len(found)


def of_the_oracle(rows: Rows, exact: Exact) -> Fraction:
    return exact(sorted(Fraction(lost) for _, lost, held in rows if held), len(rows))


def reachable(rows: Rows) -> Fraction:
    return Fraction(sum(held for _, _, held in rows), len(rows))


def mean_of_risks(share: Fraction) -> Exact:
    """Σ risk of the first k over k up to share · n, the last one in part."""

    def exact(order: list[Fraction], total: int) -> Fraction:
        upto = share * total
        area = Fraction(0)
        for k in range(1, len(order) + 1):
            part = min(max(upto - (k - 1), Fraction(0)), Fraction(1))
            area += part * sum(order[:k]) / k
        return area / upto

    return exact


def trapezoids_of_generalized_risks(share: Fraction) -> Exact:
    """∫ loss so far per item of all, over coverages from 0 to the share, over the share."""

    def exact(order: list[Fraction], total: int) -> Fraction:
        area = Fraction(0)
        for k in range(len(order)):
            left, right = sum(order[:k], Fraction(0)), sum(order[: k + 1], Fraction(0))
            part = min(max(share * total - k, Fraction(0)), Fraction(1))
            end = left + part * (right - left)
            area += part / total * (left + end) / 2 / total
        return area / share

    return exact


def risk_of_the_first(share: Fraction) -> Exact:
    def exact(order: list[Fraction], total: int) -> Fraction:
        k = math.ceil(share * total)
        return sum(order[:k], Fraction(0)) / k

    return exact


# ------------------------------------------------------------------- exact, over all orders


@given(SMALL)
def test_aurc_is_the_mean_selective_risk_over_every_order(rows: Rows) -> None:
    exact = over_every_order(rows, mean_of_risks(reachable(rows)))
    assert aurc(*columns(rows)) == close(float(exact))


@given(SMALL, SHARES)
def test_aurc_up_to_a_coverage_counts_the_last_item_in_part(rows: Rows, share: Fraction) -> None:
    share = min(share, reachable(rows))
    exact = over_every_order(rows, mean_of_risks(share))
    assert aurc(*columns(rows), coverage=float(share)) == close(float(exact))


@given(SMALL)
def test_augrc_is_the_mean_of_trapezoids_from_zero(rows: Rows) -> None:
    exact = over_every_order(rows, trapezoids_of_generalized_risks(reachable(rows)))
    assert augrc(*columns(rows)) == close(float(exact))


@given(SMALL, SHARES)
def test_augrc_up_to_a_coverage_ends_within_a_trapezoid(rows: Rows, share: Fraction) -> None:
    share = min(share, reachable(rows))
    exact = over_every_order(rows, trapezoids_of_generalized_risks(share))
    assert augrc(*columns(rows), coverage=float(share)) == close(float(exact))


@given(SMALL, SHARES)
def test_risk_at_a_coverage_is_that_of_the_least_items_that_reach_it(
    rows: Rows, share: Fraction
) -> None:
    share = min(share, reachable(rows))
    exact = over_every_order(rows, risk_of_the_first(share))
    assert risk_at_coverage(*columns(rows), coverage=float(share)) == close(float(exact))


@pytest.mark.parametrize("size", [3, 7, 10, 49, 100, 1000])
def test_a_coverage_of_whole_items_is_that_many_in_spite_of_rounding(size: int) -> None:
    rng = np.random.default_rng(size)
    sure, lost = rng.permutation(size), rng.integers(0, 8, size) / 4
    ordered = lost[np.argsort(-sure)]
    for k in range(1, size + 1, max(1, size // 50)):
        risk = risk_at_coverage(sure, lost, coverage=k / size)
        assert risk == close(ordered[:k].mean())
        nearly = risk_at_coverage(sure, lost, coverage=k / size * (1 - 1e-11))
        assert nearly == risk


@given(SMALL, st.fractions(0, 2, max_denominator=12))
def test_coverage_at_a_risk_is_the_largest_that_a_threshold_reaches(
    rows: Rows, risk: Fraction
) -> None:
    kept = [row for row in rows if row[2]]
    fine = [0]
    for level in {row[0] for row in kept}:
        above = [Fraction(lost) for sure, lost, _ in kept if sure >= level]
        if sum(above) / len(above) <= risk:
            fine.append(len(above))
    assert coverage_at_risk(*columns(rows), risk=float(risk)) == max(fine) / len(rows)


@given(SMALL, SHARES | st.none())
def test_excess_is_what_the_oracle_would_save(rows: Rows, share: Fraction | None) -> None:
    reached = reachable(rows) if share is None else min(share, reachable(rows))
    coverage = None if share is None else float(reached)
    for function, exact in (
        (excess_aurc, mean_of_risks(reached)),
        (excess_augrc, trapezoids_of_generalized_risks(reached)),
    ):
        saved = over_every_order(rows, exact) - of_the_oracle(rows, exact)
        assert function(*columns(rows), coverage=coverage) == pytest.approx(float(saved), abs=1e-12)


@given(ANY, SHARES | st.none(), st.booleans())
def test_excess_is_never_negative_and_nothing_for_a_perfect_ranking(
    rows: Rows, share: Fraction | None, negative: bool
) -> None:
    sure, lost, held = columns(rows)
    lost = [each - 5.0 for each in lost] if negative else lost
    coverage = None if share is None else float(min(share, reachable(rows)))
    for function in (excess_aurc, excess_augrc):
        assert function(sure, lost, held, coverage=coverage) >= 0.0
        perfect = function([-each for each in lost], lost, held, coverage=coverage)
        assert perfect == pytest.approx(0.0, abs=1e-12)


@given(rows_of(st.sampled_from([0.0, 1.0]), 20))
def test_augrc_of_zero_and_one_is_auroc_of_failures_and_accuracy(rows: Rows) -> None:
    rows = [(sure, lost, True) for sure, lost, _ in rows]
    right = [sure for sure, lost, _ in rows if lost == 0]
    wrong = [sure for sure, lost, _ in rows if lost == 1]
    accuracy = Fraction(len(right), len(rows))
    missed = Fraction(0)
    if right and wrong:
        pairs = [Fraction(1 + (r > w) - (r < w), 2) for r in right for w in wrong]
        missed = 1 - sum(pairs, Fraction(0)) / len(pairs)
    exact = missed * accuracy * (1 - accuracy) + (1 - accuracy) ** 2 / 2
    assert augrc(*columns(rows)) == close(float(exact))


# ----------------------------------------------------------------------------- the curve


@given(SMALL)
def test_the_curve_has_a_point_at_the_end_of_each_confidence(rows: Rows) -> None:
    curve = risk_coverage(*columns(rows))
    kept = [row for row in rows if row[2]]
    levels = sorted({row[0] for row in kept}, reverse=True)
    assert curve.threshold.tolist() == levels
    assert curve.max_coverage == len(kept) / len(rows)
    for at, level in enumerate(levels):
        above = [lost for sure, lost, _ in kept if sure >= level]
        assert curve.coverage[at] == len(above) / len(rows)
        assert curve.selective_risk[at] == close(fmean(above))
        assert curve.generalized_risk[at] == close(sum(above) / len(rows))


def test_a_curve_says_how_far_it_goes() -> None:
    curve = risk_coverage([0.9, 0.9, 0.5, 0.1], [0, 1, 0, 1], [1, 1, 1, 0])
    assert repr(curve) == "RiskCoverage(2 points up to coverage 0.75, where the risk is 0.3333)"


def test_thresholds_are_those_confidences_whatever_their_layout() -> None:
    sure, lost = np.array([0.1, 0.2, 0.1, 0.4]), [0, 1, 0, 1]
    for layout in ("<f8", ">f8", "<f4", ">f4", "f2", np.longdouble):
        found = risk_coverage(sure.astype(layout), lost).threshold
        expected = np.array([0.4, 0.2, 0.1]).astype(layout)
        assert found.tolist() == expected.tolist(), layout


@pytest.mark.parametrize("layout", [">f8", ">f4", ">i4", "f2", "u1", "i1", "?", np.longdouble])
def test_a_layout_in_memory_changes_no_number(layout: Any) -> None:
    rng = np.random.default_rng(3)
    sure, lost = rng.integers(0, 2, 60).astype(layout), rng.integers(0, 2, 60)
    assert aurc(sure, lost) == aurc(sure.astype(float), lost)
    assert aurc(sure[::-2], lost[::-2]) == aurc(sure[::-2].astype(float), lost[::-2])


# ---------------------------------------------------------- orders and scales do not matter


def all_numbers(rows: Rows) -> list[float]:
    data = columns(rows)
    curve = risk_coverage(*data)
    half = curve.max_coverage / 2
    return [
        aurc(*data),
        augrc(*data),
        excess_aurc(*data),
        excess_augrc(*data),
        aurc(*data, coverage=half),
        augrc(*data, coverage=half),
        excess_aurc(*data, coverage=half),
        excess_augrc(*data, coverage=half),
        risk_at_coverage(*data, coverage=half),
        *(coverage_at_risk(*data, risk=risk) for risk in (0.0, 0.1, 0.2, 1.0, 5.0)),
        *(aurc(*data, estimator=name) for name in ("plateau", "fd-shifts", "logarithmic")),
        *(excess_aurc(*data, estimator=name) for name in ("plateau", "fd-shifts", "logarithmic")),
        augrc(*data, estimator="fd-shifts"),
        *curve.coverage,
        *curve.selective_risk,
        *curve.generalized_risk,
        curve.max_coverage,
    ]


@given(ANY, st.randoms(use_true_random=False))
def test_the_order_of_items_changes_no_bit(rows: Rows, random: Any) -> None:
    shuffled = random.sample(rows, len(rows))
    assert all_numbers(rows) == all_numbers(shuffled)
    first, second = risk_coverage(*columns(rows)), risk_coverage(*columns(shuffled))
    assert first.threshold.tolist() == second.threshold.tolist()


@pytest.mark.parametrize(
    "lost",
    [
        [1e16, 1.0, 1.0, 0.0],  # whole, yet beyond what a float adds exactly
        [2.0**53, 1.0, 1.0, 1.0],
        [0.1, 0.2, 0.3, 1e9],
        [-0.0, 0.0, 1.5, 1.5],
    ],
)
def test_the_order_of_items_changes_no_bit_for_losses_of_any_size(lost: list[float]) -> None:
    found = {
        tuple(function([1, 1, 1, 1], list(permutation)) for function in (aurc, augrc, excess_aurc))
        for permutation in permutations(lost)
    }
    assert len(found) == 1


@given(
    ANY,
    st.randoms(use_true_random=False),
    st.sampled_from(["aurc", "augrc", "e-aurc", "cov@risk0.2", "aurc(coverage=0.04)", "risk@0.04"]),
    st.booleans(),
)
@settings(max_examples=30)
def test_the_order_of_items_does_not_decide_what_a_seed_draws(
    rows: Rows, random: Any, metric: str, together: bool
) -> None:
    rows = [*rows, (1, 0.5, True), (2, 0.25, True), (1, 0.1, True)]
    names = [f"c{at % 3}" for at in range(len(rows))] if together else None
    order = random.sample(range(len(rows)), len(rows))
    shuffled = [rows[at] for at in order]
    again = None if names is None else [names[at] for at in order]
    first = selective.estimate(
        metric, Predictions(*columns(rows), clusters=names), method=FEW, rng=5
    )
    second = selective.estimate(
        metric, Predictions(*columns(shuffled), clusters=again), method=FEW, rng=5
    )
    assert repr(first) == repr(second)


@given(ANY, st.randoms(use_true_random=False), st.booleans(), st.lists(st.booleans(), min_size=30))
@settings(max_examples=20)
def test_the_order_of_items_changes_no_comparison(
    rows: Rows, random: Any, together: bool, flips: list[bool]
) -> None:
    rows = [*rows, (1, 0.5, True), (2, 0.25, True), (1, 0.1, True)]
    names = [at % 4 for at in range(len(rows))] if together else None
    order = random.sample(range(len(rows)), len(rows))

    def found(places: list[int]) -> str:
        here = [rows[at] for at in places]
        there = [
            (3 - sure, lost + flips[at % 30], True)
            for at, (sure, lost, _) in ((at, rows[at]) for at in places)
        ]
        held = None if names is None else [names[at] for at in places]
        systems = {
            "a": Predictions(*columns(here), clusters=held),
            "b": Predictions(*columns(there), clusters=held),
        }
        result = selective.compare(systems, coverages=[0.04], method=FEW, rng=1)
        return repr(result.to_dicts()) + str(result)

    assert found(list(range(len(rows)))) == found(order)


@given(ANY, st.lists(st.floats(-1e6, 1e6), min_size=4, max_size=4, unique=True))
def test_a_rising_change_of_confidence_changes_no_bit(rows: Rows, levels: list[float]) -> None:
    levels = sorted(levels)
    assert all_numbers(rows) == all_numbers([(levels[row[0]], *row[1:]) for row in rows])
    ends = [-math.inf, 0.0, 1.0, math.inf]
    assert all_numbers(rows) == all_numbers([(ends[row[0]], *row[1:]) for row in rows])


@pytest.mark.parametrize("metric", ["aurc", "augrc", "e-aurc", "risk@0.5", "cov@risk0.2"])
def test_a_rising_change_of_confidence_changes_no_estimate(metric: str) -> None:
    rng = np.random.default_rng(8)
    sure, lost = rng.integers(0, 5, 40) / 4, rng.random(40) < 0.3
    plain = selective.estimate(metric, Predictions(sure, lost), method=FEW, rng=2)
    stretched = selective.estimate(metric, Predictions(np.exp(9 * sure), lost), method=FEW, rng=2)
    assert repr(plain) == repr(stretched)


# ------------------------------------------------------------------------- Ranked statistics


@given(ANY, ANY)
def test_totals_of_parts_add_up_to_totals_of_the_whole(first: Rows, second: Rows) -> None:
    merged = Ranked.of(Predictions(*columns(first))) + Ranked.of(Predictions(*columns(second)))
    whole = Ranked.of(Predictions(*columns(first + second)))
    assert merged.confidence.tolist() == whole.confidence.tolist()
    assert merged.items.tolist() == whole.items.tolist()
    assert (merged.abstained, merged.total) == (whole.abstained, whole.total)
    half = whole.coverage / 2
    for function in (aurc, augrc, excess_aurc, excess_augrc):
        assert function(merged) == pytest.approx(function(whole), abs=1e-12)
        assert function(merged, coverage=half) == pytest.approx(
            function(whole, coverage=half), abs=1e-12
        )
    assert risk_at_coverage(merged, coverage=half) == pytest.approx(
        risk_at_coverage(whole, coverage=half), abs=1e-12
    )


@given(ANY)
def test_totals_and_predictions_give_the_numbers_of_the_arrays(rows: Rows) -> None:
    data = Predictions(*columns(rows))
    for function in (aurc, augrc, excess_aurc, excess_augrc):
        assert function(*columns(rows)) == function(data) == function(Ranked.of(data))
    again = risk_coverage(Ranked.of(data))
    assert again.generalized_risk.tolist() == risk_coverage(data).generalized_risk.tolist()


def test_totals_of_nothing_answered_merge_with_others() -> None:
    nothing = Ranked.of(Predictions([1, 2], [0, 1], [0, 0]))
    some = Ranked.of(Predictions([1, 2], [0, 1]))
    assert risk_at_coverage(nothing + some, coverage=0.5) == 0.5
    assert (nothing + nothing).total == 4
    with pytest.raises(TypeError):
        some + 1  # type: ignore[operator]


def test_whole_confidences_beyond_the_digits_of_a_float_stay_apart_when_merged() -> None:
    large = Ranked.of(Predictions([2**60 + 1, 2**60], [1, 0]))
    nothing = Ranked.of(Predictions([1], [0], [0]))
    assert (large + nothing).items.tolist() == [1, 1]


def test_totals_cannot_be_written_to() -> None:
    totals = Ranked.of(Predictions([1, 2], [0, 1]))
    with pytest.raises(ValueError, match="read-only"):
        totals.items[0] = 5


# ------------------------------------------------------------------------------ large data


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("share", [None, 0.123456, 0.5])
def test_a_hundred_thousand_items_keep_twelve_digits(
    tied: bool, binary: bool, share: float | None
) -> None:
    size = 100_000
    rng = np.random.default_rng(11)
    sure = rng.random(size)
    sure = np.round(sure, 2) if tied else sure
    lost = (rng.random(size) < 0.2).astype(float) if binary else rng.random(size)
    down = np.argsort(-sure, kind="stable")
    levels, group = np.unique(-sure[down], return_inverse=True)
    shared = np.bincount(group, lost[down]) / np.bincount(group)
    so_far = np.cumsum(shared[group].astype(np.longdouble))
    upto = size if share is None else share * size
    part = np.clip(upto - np.arange(size), 0, 1)
    risks = so_far / np.arange(1, size + 1)
    assert levels.size == (101 if tied else size)
    assert aurc(sure, lost, coverage=share) == pytest.approx(
        float((part * risks).sum() / part.sum()), abs=1e-12
    )
    end = so_far - (1 - part) * shared[group]
    heights = part * (so_far - shared[group] + end) / 2 / size
    assert augrc(sure, lost, coverage=share) == pytest.approx(
        float(heights.sum() / part.sum()), abs=1e-12
    )


def _rise(start: NDArray[Any], count: NDArray[Any]) -> NDArray[Any]:
    return harmonic_rise(np.asarray(start), np.asarray(count))


def test_a_rise_of_harmonic_numbers_is_its_sum_for_small_numbers() -> None:
    pairs = [(start, count) for start in range(0, 90, 3) for count in range(0, 90, 7)]
    start, count = np.array(pairs).T
    expected = [float(sum(Fraction(1, s + j) for j in range(1, c + 1))) for s, c in pairs]
    assert _rise(start, count) == pytest.approx(expected, rel=0, abs=4e-15)


@pytest.mark.parametrize("start", [63, 64, 65, 1000, 10**6, 10**9, 10**12])
@pytest.mark.parametrize("count", [1, 2, 3, 17, 1000, 10**6, 10**9])
def test_a_rise_of_harmonic_numbers_keeps_its_digits_for_large_ones(start: int, count: int) -> None:
    with mpmath.workdps(50):
        expected = float(mpmath.harmonic(start + count) - mpmath.harmonic(start))
    (found,) = _rise(np.array([start]), np.array([count]))
    assert found == pytest.approx(expected, rel=4e-15, abs=0)


# --------------------------------------------------------------------- ends of the range


@pytest.mark.parametrize("coverage", [1e-3, 1e-10, 1e-12, 1e-300])
def test_a_coverage_below_one_item_is_the_first_item_in_part(coverage: float) -> None:
    sure, lost = [3, 2, 1], [0.5, 1, 1]
    assert risk_at_coverage(sure, lost, coverage=coverage) == 0.5
    assert aurc(sure, lost, coverage=coverage) == pytest.approx(0.5, abs=1e-12)
    assert 0.0 <= augrc(sure, lost, coverage=coverage) <= coverage
    assert excess_aurc(sure, lost, coverage=coverage) == pytest.approx(0.0, abs=1e-12)


def test_one_item_is_its_own_area() -> None:
    assert aurc([0.3], [0.7]) == 0.7
    assert augrc([0.3], [0.7]) == 0.35
    assert excess_aurc([0.3], [0.7]) == 0.0
    assert risk_at_coverage([0.3], [0.7], coverage=0.01) == 0.7
    assert coverage_at_risk([0.3], [0.7], risk=0.7) == 1.0
    assert coverage_at_risk([0.3], [0.7], risk=0.69) == 0.0


def test_all_tied_has_the_mean_loss_everywhere() -> None:
    lost = [0.0, 1.0, 0.25, 0.75]
    assert aurc([1, 1, 1, 1], lost) == pytest.approx(0.5, abs=1e-15)
    assert augrc([1, 1, 1, 1], lost) == pytest.approx(0.25, abs=1e-15)
    for coverage in (0.1, 0.25, 0.6, 1.0):
        assert risk_at_coverage([1] * 4, lost, coverage=coverage) == pytest.approx(0.5, abs=1e-15)
    assert coverage_at_risk([1] * 4, lost, risk=0.5) == 1.0
    assert coverage_at_risk([1] * 4, lost, risk=0.49) == 0.0


def test_declining_buys_nothing() -> None:
    """An item without an answer is never covered, whatever stands in its place."""
    sure, lost = [0.9, 0.8, 0.7], [0, 1, 0]
    open_items = ([math.nan, 99.0], [math.nan, -math.inf], [0, 0])
    data = (sure + open_items[0], lost + open_items[1], [1, 1, 1, *open_items[2]])
    assert aurc(*data) == aurc(sure, lost)
    assert augrc(*data) == pytest.approx(augrc(sure, lost) * 3 / 5, rel=1e-12)
    assert risk_coverage(*data).max_coverage == 0.6
    assert coverage_at_risk(*data, risk=1) == 0.6


def test_rounding_does_not_keep_a_risk_from_its_own_bound() -> None:
    """0.1 + 0.2 + 0.3 in floats is more than 0.6."""
    assert coverage_at_risk([3, 2, 1], [0.1, 0.2, 0.3], risk=0.2) == 1.0


@pytest.mark.parametrize("size", [2, 3])
def test_losses_near_the_largest_float_are_answered_not_absorbed(size: int) -> None:
    sure, lost = list(range(size)), [1e308] * size
    try:
        found = aurc(sure, lost)
    except ValueError:
        return
    assert found == pytest.approx(1e308)
