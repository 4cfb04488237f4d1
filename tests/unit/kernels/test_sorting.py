"""Sorting with a label on board, and sums per distinct score, against the plain way."""

import math
from collections import Counter
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from errbar.kernels.sorting import (
    counts_of,
    distinct,
    has_ties,
    is_binary,
    sort_with_label,
    starts_of,
    sums_by,
    totals,
)


def edges(kind: type[np.floating[Any]]) -> list[float]:
    """Where a key of too few bits, or a scale that rounds, would go wrong."""
    info = np.finfo(kind)
    unit, double = kind(1), kind(2)
    near = [
        unit,
        np.nextafter(unit, double),
        np.nextafter(double, unit),
        double,
        np.nextafter(double, double + unit),
    ]
    sizes = [kind(0), info.smallest_subnormal, info.tiny, *near, kind(4), info.max, kind(np.inf)]
    return [float(sign * size) for size in sizes for sign in (1, -1)]


@st.composite
def scores_with_labels(draw: st.DrawFn) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Arrays of any floats, of awkward ones, or of few distinct ones."""
    kind: type[np.floating[Any]] = np.float32 if draw(st.booleans()) else np.float64
    width: Literal[32, 64] = 32 if kind is np.float32 else 64
    awkward = st.sampled_from(edges(kind))
    anything = st.floats(allow_nan=False, width=width)
    size = draw(st.integers(1, 40))
    elements = draw(
        st.sampled_from(
            [
                anything,
                awkward,
                awkward.filter(math.isfinite),
                awkward.filter(lambda x: abs(x) < 2),
                st.floats(-8, 8, width=width),
                st.floats(0, allow_infinity=True, width=width),
                st.integers(-3, 3).map(float),
                st.floats(allow_nan=False, width=32).filter(lambda x: abs(x) < 1e-30),
            ]
        )
    )
    scores = draw(arrays.arrays(kind, size, elements=elements))
    labels = draw(arrays.arrays(np.bool_, size))
    return scores, labels


def sorted_plainly(
    scores: NDArray[Any], labels: NDArray[np.bool_]
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    places = np.lexsort((labels, scores))
    return scores[places], labels[places]


@settings(max_examples=100)
@given(scores_with_labels())
def test_scores_and_labels_come_out_as_sorting_their_places_gives(
    pair: tuple[NDArray[Any], NDArray[np.bool_]],
) -> None:
    scores, labels = pair
    before = scores.copy(), labels.copy()
    ordered, positive = sort_with_label(scores, labels)
    expected = sorted_plainly(scores, labels)
    assert ordered.dtype == scores.dtype
    assert positive.dtype == bool
    assert ordered.tolist() == expected[0].tolist()
    assert positive.tolist() == expected[1].tolist()
    assert scores.tobytes() == before[0].tobytes()
    assert labels.tobytes() == before[1].tobytes()
    assert not np.shares_memory(ordered, scores)


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.longdouble])
@pytest.mark.parametrize("scale", [1e-30, 1.0, 3.0, 1e30])
@pytest.mark.parametrize("shift", [0, 100, -100])
def test_long_arrays_come_out_the_same(
    kind: type[np.floating[Any]], scale: float, shift: int
) -> None:
    rng = np.random.default_rng(0)
    for scores in (rng.normal(size=3000), rng.integers(-5, 6, 3000)):
        typed = ((scores + shift) * scale).astype(kind)
        labels = rng.random(3000) < 0.5
        found = sort_with_label(typed, labels)
        for each, expected in zip(found, sorted_plainly(typed, labels), strict=True):
            assert (each == expected).all()


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.longdouble])
@pytest.mark.parametrize("at", [0.0, -0.0, 0.3, -0.3, 7.0, -7.0, 1e-45, math.inf, -math.inf])
def test_of_equal_scores_label_0_comes_first(kind: type[np.floating[Any]], at: float) -> None:
    labels = np.array([True, False, True, False, False])
    for other in (at, -5.0, 5.0):
        scores = np.array([at, at, at, at, other], dtype=kind)
        ordered, positive = sort_with_label(scores, labels)
        assert positive[ordered == kind(at)].tolist() == sorted(labels[scores == kind(at)])


def test_both_zeros_are_one_score() -> None:
    for beside in (1.0, -1.0, 5.0, -5.0, -np.inf):
        scores = np.array([0.0, -0.0, 0.0, -0.0, beside])
        ordered, positive = sort_with_label(scores, np.array([True, True, False, False, True]))
        assert positive[ordered == 0].tolist() == [False, False, True, True]


def test_one_score_alone_is_in_order() -> None:
    for score in (-np.inf, -3.0, -0.0, 0.5, np.inf):
        ordered, positive = sort_with_label(np.array([score]), np.array([True]))
        assert ordered.tolist() == [score]
        assert positive.tolist() == [True]


def test_arrays_that_cannot_be_written_to_or_have_gaps_are_sorted() -> None:
    scores = np.linspace(-9, 9, 20)[::-2]
    labels = (np.arange(20) % 3 == 0)[::2]
    for writeable in (True, False):
        scores.setflags(write=writeable)
        labels.setflags(write=writeable)
        for signed in (scores, np.abs(scores), scores / 10, scores[::-1]):
            found = sort_with_label(signed, labels)
            for each, expected in zip(found, sorted_plainly(signed, labels), strict=True):
                assert each.tolist() == expected.tolist()


few_scores = st.sampled_from([-np.inf, -2.0, -0.5, -0.0, 0.0, 0.5, 3.0, np.inf])
losses = st.sampled_from([0.0, 1.0]) | st.integers(0, 9).map(float) | st.floats(0, 5)


@given(st.lists(few_scores, min_size=1, max_size=30))
def test_distinct_numbers_start_and_recur_as_a_dictionary_says(scores: list[float]) -> None:
    ordered = np.sort(np.array(scores))
    expected = Counter(scores)  # both zeros are one key
    found, starts, often = distinct(ordered)
    assert found.tolist() == sorted(expected)
    assert often.tolist() == [expected[score] for score in sorted(expected)]
    assert starts.tolist() == starts_of(ordered).tolist()
    assert starts.tolist() == [sorted(scores).index(score) for score in sorted(expected)]
    assert has_ties(ordered) == (len(expected) < len(scores))


@given(st.lists(st.tuples(few_scores, st.integers(0, 9)), min_size=1, max_size=30))
def test_totals_add_up_each_run(items: list[tuple[float, int]]) -> None:
    items = sorted(items)
    scores = np.array([score for score, _ in items])
    values = np.array([value for _, value in items])
    expected: dict[float, int] = {}
    for score, value in items:
        expected[score] = expected.get(score, 0) + value
    starts = starts_of(scores)
    for typed in (values, values.astype(float)):
        assert totals(starts, typed).tolist() == [expected[score] for score in sorted(expected)]
    flags = values % 2 == 1
    odd = [sum(v % 2 for s, v in items if s == score) for score in sorted(expected)]
    assert totals(starts, flags).astype(int).tolist() == odd


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.longdouble, np.int64])
@given(items=st.lists(st.tuples(few_scores, losses), min_size=1, max_size=30))
def test_sums_per_score_are_those_of_a_dictionary(
    kind: type[np.number[Any]], items: list[tuple[float, float]]
) -> None:
    if kind is np.int64:
        items = [(max(min(score, 3.0), -2.0) * 2, value) for score, value in items]
    expected: dict[float, Fraction] = {}
    for score, value in items:
        expected[score] = expected.get(score, Fraction(0)) + Fraction(value)
    scores = np.array([score for score, _ in items]).astype(kind)
    values = np.array([value for _, value in items])
    found, often, sums = sums_by(scores, values)
    counted = Counter(score for score, _ in items)
    assert found.tolist() == sorted(expected)
    assert often.tolist() == [counted[score] for score in sorted(expected)]
    assert sums == pytest.approx([float(expected[score]) for score in sorted(expected)], abs=1e-12)


@given(
    st.lists(st.tuples(few_scores, losses), min_size=1, max_size=30),
    st.randoms(use_true_random=False),
)
def test_the_order_of_items_never_shows_in_a_sum(
    items: list[tuple[float, float]], random: Any
) -> None:
    shuffled = random.sample(items, len(items))
    results = []
    for some in (items, shuffled):
        scores, values = (np.array(part) for part in zip(*some, strict=True))
        results.append([part.tolist() for part in sums_by(scores, values)])
    assert results[0] == results[1]


def test_the_order_of_large_whole_numbers_never_shows_in_a_sum() -> None:
    values = np.array([2.0**53, 1.0, 1.0, 1.0, 3.0])
    found = {sums_by(np.zeros(5), np.roll(values, turn))[2].tolist()[0] for turn in range(5)}
    assert len(found) == 1


@given(
    st.lists(losses, min_size=1, max_size=30) | st.lists(st.sampled_from([0.0, 1.0]), min_size=1)
)
def test_values_are_counted_as_a_dictionary_counts(values: list[float]) -> None:
    expected = Counter(values)
    found, often = counts_of(np.array(values))
    assert found.tolist() == sorted(expected)
    assert often.tolist() == [expected[value] for value in sorted(expected)]
    assert is_binary(np.array(values)) == (set(values) <= {0.0, 1.0})
