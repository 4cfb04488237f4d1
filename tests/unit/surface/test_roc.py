"""ROC-AUC, the curve and the partial area: pairs counted one by one, and scikit-learn's numbers."""

import importlib
import math
import warnings
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from errbar.errors import InputError, WrongType
from errbar.roc import partial_auc, roc_auc, roc_curve

with warnings.catch_warnings():
    # joblib warns on import where semaphores cannot be made; nothing here runs in parallel.
    warnings.simplefilter("ignore")
    peer: Any = importlib.import_module("sklearn.metrics")

SCORES, LABELS = [0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1]
LARGEST, SMALLEST = np.finfo(float).max, 5e-324
LIMITS = [1e-9, 0.05, 0.1, 1 / 3, 0.5, 0.75, 0.999, 1.0]


def by_pairs(
    scores: Sequence[Any], labels: Sequence[Any], weights: Sequence[Any] | None = None
) -> Fraction:
    """The share of pairs in the right order, every pair looked at."""
    heavy = [Fraction(1)] * len(labels) if weights is None else [Fraction(w) for w in weights]
    items = list(zip(scores, labels, heavy, strict=True))
    won = every = Fraction(0)
    for score, label, weight in items:
        for other, other_label, other_weight in items:
            if label and not other_label:
                every += weight * other_weight
                credit = Fraction(int(score > other) * 2 + int(score == other), 2)
                won += credit * weight * other_weight
    return won / every


def labelled(score: st.SearchStrategy[Any], most: int = 25) -> st.SearchStrategy[list[Any]]:
    """Items of both classes, in any order."""
    item = st.tuples(score, st.integers(0, 1))
    both = st.tuples(st.tuples(score, st.just(0)), st.tuples(score, st.just(1)))
    return st.builds(
        lambda pair, more: [*pair, *more], both, st.lists(item, max_size=most)
    ).flatmap(st.permutations)


few = st.sampled_from([-2.5, -1.0, -0.0, 0.0, 0.1, 0.5, 1.0, 3.0])
any_float = st.floats(allow_nan=False)
tiny_or_huge = st.sampled_from(
    [-math.inf, -LARGEST, -3.0, -SMALLEST, -0.0, 0.0, SMALLEST, 2.0, LARGEST, math.inf]
)


def random_items(
    seed: int, size: int = 500, values: int = 0
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Scores (of so many distinct values, where given), labels and weights."""
    rng = np.random.default_rng(seed)
    labels = rng.random(size) < 0.3
    labels[:2] = False, True
    scores = rng.normal(size=size) + labels
    if values:
        scores = np.floor(scores * values / 4)
    return scores, labels, rng.exponential(size=size)


@pytest.mark.parametrize(
    ("scores", "labels", "expected"),
    [
        (SCORES, LABELS, 0.75),
        ([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1], 1.0),
        ([0.9, 0.8, 0.2, 0.1], [0, 0, 1, 1], 0.0),
        ([0.5, 0.5, 0.5, 0.5], [0, 1, 0, 1], 0.5),
        ([1, 2], [0, 1], 1.0),
        ([2, 1], [0, 1], 0.0),
        ([1, 1], [0, 1], 0.5),
    ],
)
def test_documented_cases(scores: list[float], labels: list[int], expected: float) -> None:
    found = roc_auc(scores, labels)
    assert type(found) is float
    assert found == expected


@given(labelled(few) | labelled(any_float) | labelled(tiny_or_huge))
def test_the_area_is_the_share_of_pairs_in_the_right_order(items: list[Any]) -> None:
    scores, labels = zip(*items, strict=True)
    assert roc_auc(scores, labels) == float(by_pairs(scores, labels))


@given(labelled(st.floats(allow_nan=False, width=32)))
def test_single_precision_scores_are_compared_exactly(items: list[Any]) -> None:
    scores, labels = zip(*items, strict=True)
    assert roc_auc(np.array(scores, dtype=np.float32), labels) == float(by_pairs(scores, labels))


@given(labelled(st.tuples(few, st.sampled_from([0.0, 0.1, 0.25, 1.0, 3.0, 7.5]))), st.data())
def test_weighted_pairs_count_by_the_product_of_their_weights(
    items: list[Any], data: st.DataObject
) -> None:
    scores = [score for (score, _), _ in items]
    labels = [label for _, label in items]
    weights = [weight for (_, weight), _ in items]
    for label in (0, 1):  # a class without weight is refused
        weights[labels.index(label)] = data.draw(st.sampled_from([0.5, 2.0]))
    found = roc_auc(scores, labels, weights=weights)
    assert found == pytest.approx(float(by_pairs(scores, labels, weights)), abs=1e-14)


@pytest.mark.parametrize("values", [0, 2, 7, 1000])
@pytest.mark.parametrize("kind", ["f8", "f4", "f2", "g", ">f8", ">f4", ">f2", "i8", "i1", ">i4"])
def test_the_area_is_that_of_scikit_learn_for_every_type(kind: str, values: int) -> None:
    scores, labels, weights = random_items(1, values=values)
    typed = scores.clip(-100, 100).astype(kind)
    as_double = typed.astype(float)
    expected = peer.roc_auc_score(labels, as_double)
    assert roc_auc(typed, labels) == pytest.approx(expected, abs=1e-12)
    expected = peer.roc_auc_score(labels, as_double, sample_weight=weights)
    assert roc_auc(typed, labels, weights=weights) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("shift", [-1e6, -3.0, 0.0, 1e-3, 5.0, 1e6])
@pytest.mark.parametrize("scale", [1e-300, 1e-5, 1.0, 1.9999, 2.0, 1e3, 1e300])
def test_the_area_is_that_of_scikit_learn_at_every_magnitude(shift: float, scale: float) -> None:
    scores, labels, _ = random_items(2, values=30)
    moved = (scores + shift) * scale
    assert roc_auc(moved, labels) == pytest.approx(peer.roc_auc_score(labels, moved), abs=1e-12)


def test_booleans_and_whole_numbers_are_scores() -> None:
    scores, labels, weights = random_items(3)
    for given_scores in (scores > 0, (scores * 3).astype(int), (scores > 0).tolist()):
        expected = peer.roc_auc_score(labels, np.asarray(given_scores, dtype=float))
        assert roc_auc(given_scores, labels) == pytest.approx(expected, abs=1e-12)
        assert roc_auc(given_scores, labels.astype(float)) == pytest.approx(expected, abs=1e-12)
        expected = peer.roc_auc_score(labels, given_scores, sample_weight=weights)
        found = roc_auc(given_scores, labels.tolist(), weights=weights)
        assert found == pytest.approx(expected, abs=1e-12)


def test_a_large_sample_equals_scikit_learn() -> None:
    for values in (0, 5):
        scores, labels, _ = random_items(4, size=200_000, values=values)
        for typed in (scores, scores.astype(np.float32), scores * 1e9, np.abs(scores)):
            expected = peer.roc_auc_score(labels, typed)
            assert roc_auc(typed, labels) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.longdouble])
@pytest.mark.parametrize("at", [-3.0, -1.0, 0.1, 1.0, 2.0, 1e30])
@pytest.mark.parametrize("beside", [0.5, -0.5])
def test_scores_that_differ_in_the_last_bit_are_not_equal(
    kind: type[np.floating[Any]], at: float, beside: float
) -> None:
    low = kind(at)
    high = np.nextafter(low, kind(np.inf))
    scores = np.array([low, high, kind(beside), kind(beside)])
    expected = float(by_pairs(list(scores), [0, 1, 0, 1]))
    assert roc_auc(scores, [0, 1, 0, 1]) == expected
    assert roc_auc(scores, [1, 0, 1, 0]) == 1 - expected


def test_negative_zero_equals_zero() -> None:
    assert roc_auc([-0.0, 0.0], [0, 1]) == roc_auc([0.0, -0.0], [0, 1]) == 0.5
    assert roc_auc([-1.0, -0.0, 0.0, -np.inf], [0, 0, 1, 1]) == 0.375
    assert roc_auc([-0.0, 0.0], [0, 1], weights=[1, 2]) == 0.5
    assert len(roc_curve([-0.0, 0.0], [0, 1]).threshold) == 2


def test_subnormal_scores_rank_beside_the_largest() -> None:
    scores = [-LARGEST, -SMALLEST, 0.0, SMALLEST, 2 * SMALLEST, LARGEST]
    for at in range(1, 6):
        labels = [0] * at + [1] * (6 - at)
        assert roc_auc(scores, labels) == 1.0
        assert roc_auc(np.array(scores, dtype=np.longdouble), labels) == 1.0


def test_infinite_scores_rank_like_any_other() -> None:
    for kind in (np.float16, np.float32, np.float64, np.longdouble):
        scores = np.array([-np.inf, 1.0, -2.0, np.inf, np.inf], dtype=kind)
        labels = [0, 0, 1, 1, 0]
        assert roc_auc(scores, labels) == float(by_pairs(list(scores), labels))
    assert roc_auc([np.inf, np.inf], [0, 1]) == roc_auc([-np.inf, -np.inf], [0, 1]) == 0.5


@pytest.mark.parametrize(
    "scores",
    [
        [2**53, 2**53 + 1, 2**53 + 2, 2**53 + 3],
        [-(2**53) - 1, -(2**53), 2**62, 2**62 + 1],
        np.array([2**63 - 2, 2**63 - 1, 2**63, 2**63 + 1], dtype=np.uint64),
        np.array([0, 2**64 - 2, 2**64 - 1, 2**64 - 1], dtype=np.uint64),
        np.array([2**53, 2**53 + 1, 2**63, 2**63 + 1], dtype=">u8"),
        [-(2**63), -(2**63) + 1, 0, 2**63 - 1],
    ],
    ids=["above 2**53", "both signs", "above 2**63", "up to 2**64", "big-endian", "all of int64"],
)
def test_whole_numbers_too_large_for_a_float_stay_separate(scores: Any) -> None:
    for labels in ([0, 1, 0, 1], [1, 0, 1, 0], [0, 0, 1, 1], [0, 1, 1, 0]):
        expected = float(by_pairs([int(score) for score in scores], labels))
        assert roc_auc(scores, labels) == expected
        assert roc_auc(scores, labels, weights=[1, 1, 1, 1]) == expected


def test_any_byte_order_keeps_the_digits_of_long_floats() -> None:
    scores = np.array([1, np.nextafter(np.longdouble(1), 2)])
    for kind in (scores.dtype, scores.dtype.newbyteorder()):
        assert roc_auc(scores.astype(kind), [0, 1]) == 1.0


@pytest.mark.parametrize("kind", ["f8", "f4", "f2", "g", "i8", "u8", "?", ">f8"])
def test_what_was_given_is_neither_modified_nor_needed_in_one_piece(kind: str) -> None:
    wide = np.arange(24).reshape(6, 4)[::-1] % 7
    scores = wide.astype(kind)[:, 1]
    labels = np.array([[0, 0], [1, 1], [0, 0], [1, 1], [0, 0], [0, 0]], dtype=bool)[:, 1]
    weights = np.linspace(1, 2, 12)[::2]
    before = [each.copy() for each in (scores, labels, weights)]
    expected = roc_auc(before[0].copy(), before[1].copy())
    assert expected == float(by_pairs(scores.tolist(), labels.tolist()))
    for writeable in (True, False):
        for array in (scores, labels, weights):
            array.setflags(write=writeable)
        assert roc_auc(scores, labels) == expected
        assert roc_auc(scores[::-1], labels[::-1]) == expected
        roc_auc(scores, labels, weights=weights)
        roc_curve(scores, labels, weights=weights)
        partial_auc(scores, labels, max_fpr=0.4)
        for array, was in zip((scores, labels, weights), before, strict=True):
            assert array.dtype == was.dtype
            assert (array == was).all()


def test_a_threshold_of_zero_has_no_sign() -> None:
    for scores in ([0.0, -0.0, 1.0], [-0.0, 0.0, 1.0]):
        assert repr(roc_curve(scores, [0, 1, 1]).threshold.tolist()) == "[inf, 1.0, 0.0]"


@given(labelled(few) | labelled(any_float), st.randoms(use_true_random=False))
def test_the_order_of_items_changes_nothing(items: list[Any], random: Any) -> None:
    weighed = [(*item, random.choice([0.1, 0.3, 1.7])) for item in items]
    shuffled = random.sample(weighed, len(weighed))
    results = []
    for some in (weighed, shuffled):
        scores, labels, weights = zip(*some, strict=True)
        curve = roc_curve(scores, labels, weights=weights)
        results.append(
            (
                roc_auc(scores, labels),
                roc_auc(scores, labels, weights=weights),
                partial_auc(scores, labels, max_fpr=0.3),
                partial_auc(scores, labels, max_fpr=0.3, weights=weights),
                repr(curve.threshold.tolist()),
                curve.false_positive_rate.tolist(),
                curve.true_positive_rate.tolist(),
            )
        )
    assert results[0] == results[1]


@given(labelled(st.integers(-50, 50)))
def test_a_rising_rescaling_changes_nothing(items: list[Any]) -> None:
    scores, labels = (np.array(part) for part in zip(*items, strict=True))
    expected = roc_auc(scores, labels)
    logistic = 1 / (1 + np.exp(-scores / 10))
    for other in (
        scores * 1e306,
        scores * 5e-324,
        scores + 0.5,
        logistic,
        np.exp(scores),
        scores**3,
    ):
        assert roc_auc(other, labels) == expected
    assert roc_auc(scores.astype(np.float16), labels) == expected


@given(labelled(few) | labelled(tiny_or_huge))
def test_other_labels_and_negated_scores_turn_the_area_round(items: list[Any]) -> None:
    scores, labels = (np.array(part) for part in zip(*items, strict=True))
    expected = float(1 - by_pairs(scores.tolist(), labels.tolist()))
    assert roc_auc(scores, 1 - labels) == expected
    assert roc_auc(-scores, labels) == expected
    assert roc_auc(-scores, 1 - labels) == roc_auc(scores, labels)


@given(labelled(few), st.lists(st.integers(0, 4), min_size=27, max_size=27))
def test_a_whole_weight_is_so_many_copies(items: list[Any], often: list[int]) -> None:
    scores, labels = (np.array(part) for part in zip(*items, strict=True))
    weights = np.array(often[: len(items)])
    for label in (0, 1):
        weights[np.flatnonzero(labels == label)[0]] += 1
    copied = roc_auc(np.repeat(scores, weights), np.repeat(labels, weights))
    assert roc_auc(scores, labels, weights=weights) == pytest.approx(copied, abs=1e-15)


@pytest.mark.parametrize("unit", [5e-324, 1e-300, 1e-200, 1e-160, 1e100, 1e200, 1e307])
def test_the_unit_of_the_weights_does_not_matter(unit: float) -> None:
    weights = [unit, 2 * unit, 3 * unit, unit]
    expected = float(by_pairs(SCORES, LABELS, [1, 2, 3, 1]))
    assert roc_auc(SCORES, LABELS, weights=weights) == pytest.approx(expected, abs=1e-14)
    found = partial_auc(SCORES, LABELS, max_fpr=1.0, weights=weights)
    assert found.raw == pytest.approx(expected, abs=1e-14)


def test_classes_may_weigh_very_differently() -> None:
    weights = [1e-200, 1e-200, 1e200, 1e200]
    assert roc_auc(SCORES, LABELS, weights=weights) == pytest.approx(0.75, abs=1e-14)


@pytest.mark.parametrize("values", [0, 2, 9])
@pytest.mark.parametrize("weighed", [False, True])
def test_corners_of_the_curve_are_those_of_scikit_learn(values: int, weighed: bool) -> None:
    scores, labels, weights = random_items(5, size=80, values=values)
    heavy = weights if weighed else None
    false, true, threshold = peer.roc_curve(
        labels, scores, drop_intermediate=False, sample_weight=heavy
    )
    curve = roc_curve(scores, labels, weights=heavy)
    assert curve.false_positive_rate == pytest.approx(false, abs=1e-14)
    assert curve.true_positive_rate == pytest.approx(true, abs=1e-14)
    assert curve.threshold.tolist() == threshold.tolist()
    assert repr(curve) == f"RocCurve({threshold.size} points)"


def rates_at_thresholds(scores: Any, labels: Any) -> None:
    """Calling positive what scores at least a threshold gives the rates of its point."""
    curve = roc_curve(scores, labels)
    array, positive = np.asarray(scores), np.asarray(labels, dtype=bool)
    called = array[:, None] >= curve.threshold
    assert called[~positive].mean(axis=0).tolist() == curve.false_positive_rate.tolist()
    assert called[positive].mean(axis=0).tolist() == curve.true_positive_rate.tolist()


@given(labelled(few) | labelled(st.floats(allow_nan=False, allow_infinity=False)))
def test_a_threshold_calls_just_what_its_point_says(items: list[Any]) -> None:
    scores, labels = zip(*items, strict=True)
    rates_at_thresholds(scores, labels)
    curve = roc_curve(scores, labels)
    for rates in (curve.false_positive_rate, curve.true_positive_rate):
        assert (rates[0], rates[-1]) == (0.0, 1.0)
        assert (np.diff(rates) >= 0).all()
    points = list(zip(curve.false_positive_rate, curve.true_positive_rate, strict=True))
    under = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(points))
    assert under == pytest.approx(roc_auc(scores, labels), abs=1e-14)


def test_the_first_threshold_calls_nothing_even_where_a_score_is_infinite() -> None:
    rates_at_thresholds([1.0, np.inf, -np.inf, 3.0], [0, 1, 0, 1])


@pytest.mark.parametrize(
    "scores",
    [
        np.array([2**53 + 1, 2**53 + 3, 2**53 + 2, 2**53 + 5]),
        np.array([2**64 - 1, 2**64 - 2, 2**64 - 3, 5], dtype=np.uint64),
        np.longdouble(1) + np.arange(4) * np.finfo(np.longdouble).eps,
        np.array([0.1, 0.2, 0.3, 0.1], dtype=np.float32),
        np.array([0.1, 0.2, 0.3, 0.1], dtype=np.float16),
        np.array([True, False, True, True]),
    ],
    ids=["int64", "uint64", "longdouble", "float32", "float16", "bool"],
)
def test_thresholds_are_as_fine_as_the_scores(scores: NDArray[Any]) -> None:
    rates_at_thresholds(scores, [0, 1, 1, 0])


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("values", [0, 2, 9])
@pytest.mark.parametrize("weighed", [False, True])
def test_the_standardised_partial_area_is_that_of_scikit_learn(
    limit: float, values: int, weighed: bool
) -> None:
    scores, labels, weights = random_items(6, size=90, values=values)
    heavy = weights if weighed else None
    expected = peer.roc_auc_score(labels, scores, max_fpr=limit, sample_weight=heavy)
    found = partial_auc(scores, labels, max_fpr=limit, weights=heavy)
    assert found.max_fpr == limit
    assert found.standardised == pytest.approx(expected, abs=1e-12)


def under_the_curve(scores: Sequence[Any], labels: Sequence[Any], limit: Fraction) -> Fraction:
    """Trapezoids between the exact corners, the last cut at `limit`."""
    positives = [s for s, label in zip(scores, labels, strict=True) if label]
    negatives = [s for s, label in zip(scores, labels, strict=True) if not label]
    points = [(Fraction(0), Fraction(0))]
    for threshold in sorted(set(scores), reverse=True):
        false, true = (
            Fraction(sum(s >= threshold for s in part), len(part))
            for part in (negatives, positives)
        )
        points.append((false, true))
    total = Fraction(0)
    for (x0, y0), (x1, y1) in pairwise(points):
        if x0 < limit and x1 > x0:
            end = min(x1, limit)
            y = y0 + (y1 - y0) * (end - x0) / (x1 - x0)
            total += (end - x0) * (y0 + y) / 2
    return total


@given(labelled(few), st.sampled_from([Fraction(i, 16) for i in range(1, 17)]))
def test_the_raw_partial_area_is_a_sum_of_trapezoids(items: list[Any], limit: Fraction) -> None:
    scores, labels = zip(*items, strict=True)
    found = partial_auc(scores, labels, max_fpr=float(limit))
    raw = under_the_curve(scores, labels, limit)
    lowest, highest = limit * limit / 2, limit
    assert found.raw == pytest.approx(float(raw), abs=1e-14)
    standardised = (1 + (raw - lowest) / (highest - lowest)) / 2
    assert found.standardised == pytest.approx(float(standardised), abs=1e-13)


@given(labelled(few) | labelled(tiny_or_huge))
def test_the_partial_area_up_to_one_is_the_area(items: list[Any]) -> None:
    scores, labels = zip(*items, strict=True)
    found = partial_auc(scores, labels, max_fpr=1)
    assert found.raw == pytest.approx(roc_auc(scores, labels), abs=1e-14)
    assert found.standardised == pytest.approx(roc_auc(scores, labels), abs=1e-14)


@pytest.mark.parametrize("limit", [0, 0.0, -0.1, 1.0000001, 2, math.nan, math.inf])
def test_a_partial_area_needs_a_rate_above_zero_and_at_most_one(limit: float) -> None:
    with pytest.raises(InputError, match=r"max_fpr must be .*1.*; got"):
        partial_auc(SCORES, LABELS, max_fpr=limit)


@pytest.mark.parametrize("limit", ["0.5", None, True, [0.5]])
def test_a_partial_area_needs_a_number(limit: Any) -> None:
    with pytest.raises(WrongType, match="max_fpr must be a number"):
        partial_auc(SCORES, LABELS, max_fpr=limit)
