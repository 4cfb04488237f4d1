"""Counts per question: frozen, with ids, and merged by them."""

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errbar import CategoryCounts, Counts
from errbar.errors import ErrbarError, InputError, NotEnoughTrials, WrongType
from errbar.metrics import Average, Bayes, CountMetric, Geom, GeoSpectrum, Majority, MaxAt, PassAt

NAMES = "abcdefgh"


@st.composite
def named_counts(draw: st.DrawFn) -> Counts:
    ids = draw(st.lists(st.sampled_from(NAMES), max_size=6, unique=True))
    trials = [draw(st.integers(0, 9)) for _ in ids]
    return Counts(trials, [draw(st.integers(0, n)) for n in trials], ids)


@st.composite
def named_categories(draw: st.DrawFn) -> CategoryCounts:
    ids = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=6, unique=True))
    row = st.lists(st.integers(0, 9), min_size=3, max_size=3)
    return CategoryCounts([draw(row) for _ in ids], ids)


def by_question(counts: Counts | CategoryCounts) -> dict[Any, tuple[int, ...]]:
    if isinstance(counts, CategoryCounts):
        return {q: tuple(row) for q, row in zip(counts.questions, counts.tally, strict=True)}
    rows = zip(counts.questions, counts.trials, counts.correct, strict=True)
    return {question: (int(n), int(c)) for question, n, c in rows}


@given(named_counts(), named_counts())
def test_trials_of_the_same_question_add_up(first: Counts, second: Counts) -> None:
    mine, theirs = by_question(first), by_question(second)
    expected = {
        q: tuple(x + y for x, y in zip(mine.get(q, (0, 0)), theirs.get(q, (0, 0)), strict=True))
        for q in {**mine, **theirs}
    }
    assert by_question(first + second) == expected


@given(named_counts(), named_counts())
def test_merged_questions_keep_their_order_and_new_ones_follow(
    first: Counts, second: Counts
) -> None:
    new = [question for question in second.questions if question not in first.questions]
    assert list((first + second).questions) == [*first.questions, *new]


@given(named_counts(), named_counts(), named_counts())
def test_merging_is_associative(a: Counts, b: Counts, c: Counts) -> None:
    assert (a + b) + c == a + (b + c)


@given(named_counts(), named_counts())
def test_merging_commutes_but_for_the_order_of_questions(a: Counts, b: Counts) -> None:
    assert by_question(a + b) == by_question(b + a)


@given(named_categories(), named_categories(), named_categories())
def test_categories_merge_like_counts(
    a: CategoryCounts, b: CategoryCounts, c: CategoryCounts
) -> None:
    assert (a + b) + c == a + (b + c)
    assert by_question(a + b) == by_question(b + a)
    assert (a + b).tally.sum() == a.tally.sum() + b.tally.sum()


@given(named_counts())
def test_adding_nothing_changes_nothing(counts: Counts) -> None:
    assert counts + Counts([], [], []) == counts


@given(named_counts(), named_counts())
def test_right_or_wrong_merge_as_two_categories_do(a: Counts, b: Counts) -> None:
    if len(a) and len(b):
        assert (a + b).categories() == a.categories() + b.categories()


def test_questions_without_ids_are_numbered_and_merge_by_number() -> None:
    merged = Counts([2, 2], [1, 0]) + Counts([3, 3, 3], [3, 2, 1])
    assert list(merged.questions) == [0, 1, 2]
    assert merged.trials.tolist() == [5, 5, 3]
    assert merged.correct.tolist() == [4, 2, 1]


def test_ids_may_be_anything_that_hashes() -> None:
    ids: list[Any] = [("task", 1), 7, "q", None, frozenset({1})]
    counts = Counts([1] * 5, [0] * 5, ids)
    assert list(counts.questions) == ids
    assert list((counts + counts).questions) == ids


def test_counts_cannot_be_changed() -> None:
    counts = Counts([2, 3], [1, 2], ["a", "b"])
    for array in (counts.trials, counts.correct):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 9
    for field in ("trials", "correct", "questions"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(counts, field, [1, 1])


def test_category_counts_cannot_be_changed() -> None:
    counts = CategoryCounts([[1, 2], [3, 4]], ["a", "b"])
    with pytest.raises(ValueError, match="read-only"):
        counts.tally[0, 0] = 9
    for field in ("tally", "questions"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(counts, field, [1, 1])


def test_what_was_given_is_neither_frozen_nor_followed() -> None:
    trials, correct, ids = np.array([2, 3]), np.array([1, 2]), ["a", "b"]
    counts = Counts(trials, correct, ids)
    trials[0], correct[0], ids[0] = 9, 9, "z"
    assert (counts.trials[0], counts.correct[0], counts.questions[0]) == (2, 1, "a")
    tally = np.array([[1, 2]])
    categories = CategoryCounts(tally)
    tally[0, 0] = 9
    assert categories.tally[0, 0] == 1


def test_merging_leaves_both_sides_as_they_were() -> None:
    first, second = Counts([2], [1], ["a"]), Counts([3], [3], ["a"])
    assert first + second == Counts([5], [4], ["a"])
    assert first == Counts([2], [1], ["a"])
    assert second == Counts([3], [3], ["a"])


def test_counts_are_equal_when_questions_and_numbers_are() -> None:
    assert Counts([2], [1], ["a"]) == Counts([2], [1], ["a"])
    assert Counts([2], [1], ["a"]) != Counts([2], [1], ["b"])
    assert Counts([2], [1], ["a"]) != Counts([2], [0], ["a"])
    assert CategoryCounts([[1, 1]]) == CategoryCounts([[1, 1]])
    assert CategoryCounts([[1, 1]]) != CategoryCounts([[1, 2]])
    assert Counts([2], [1]) != CategoryCounts([[1, 1]])


@pytest.mark.parametrize(
    ("trials", "correct", "ids", "told"),
    [
        ([2, 2], [1], None, "equal length"),
        ([[2]], [[1]], None, "lists"),
        ([2], [3], ["q7"], "'q7' has 3 correct of 2"),
        ([2], [-1], None, "-1"),
        ([-2], [-2], None, "-2"),
        ([2, 2], [1, 1], ["a"], "1 question ids.*2 questions"),
        ([2, 2], [1, 1], ["a", "a"], "'a'"),
    ],
)
def test_counts_that_contradict_themselves_are_refused(
    trials: Any, correct: Any, ids: Any, told: str
) -> None:
    with pytest.raises(InputError, match=told) as error:
        Counts(trials, correct, ids)
    assert isinstance(error.value, ValueError)


@pytest.mark.parametrize("values", [[1.5], [1.0], ["1"], [True], [None], [1j]])
def test_counts_that_are_no_whole_numbers_are_refused(values: Any) -> None:
    with pytest.raises(WrongType, match="trials"):
        Counts(values, [1])
    with pytest.raises(WrongType, match="correct"):
        Counts([1], values)
    with pytest.raises(WrongType, match="tally"):
        CategoryCounts([values * 2])


@pytest.mark.parametrize(
    ("tally", "told"),
    [
        ([1, 2], "row per question"),
        ([[1], [2]], "two at least"),
        ([[[1, 2]]], "row per question"),
        ([[1, 2], [0, -1]], "negative.*1"),
    ],
)
def test_a_tally_that_is_none_is_refused(tally: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        CategoryCounts(tally)


@pytest.mark.parametrize(
    "tally", [[[1, 2], [3]], np.zeros((0, 3), dtype=int), []], ids=["ragged", "no rows", "empty"]
)
def test_a_tally_of_no_shape_is_refused_in_our_words_or_taken(tally: Any) -> None:
    """No questions may be a valid tally; whatever is refused is refused by errbar."""
    try:
        counts = CategoryCounts(tally)
    except ErrbarError:
        return
    assert len(counts) == 0


def test_ragged_lists_of_trials_are_refused_in_our_words() -> None:
    ragged: Any = [[1], [1, 2]]
    with pytest.raises(ErrbarError, match="trials"):
        Counts(ragged, [1, 2])


def test_categories_of_different_number_do_not_add() -> None:
    with pytest.raises(InputError, match=r"2 categories.*3"):
        CategoryCounts([[1, 1]]) + CategoryCounts([[1, 1, 1]])


def test_only_counts_of_the_same_kind_add() -> None:
    strange: Any = 1
    with pytest.raises(TypeError):
        Counts([1], [1]) + strange
    other: Any = CategoryCounts([[1, 1]])
    with pytest.raises(TypeError):
        Counts([1], [1]) + other
    with pytest.raises(TypeError):
        CategoryCounts([[1, 1]]) + strange


@pytest.mark.parametrize("metric", [PassAt(4), Majority(4), Geom(4), GeoSpectrum(4), MaxAt(4)])
def test_too_few_trials_are_counted_and_the_first_question_named(metric: CountMetric) -> None:
    counts = Counts([5, 3, 4, 2], [1, 1, 1, 1], ["long", "short", "enough", "shorter"])
    with pytest.raises(NotEnoughTrials, match=r"4.*2 of 4.*'short' has 3") as error:
        metric.point(counts)
    assert isinstance(error.value, ValueError)
    assert str(metric) in str(error.value)


def test_the_posterior_needs_no_number_of_trials() -> None:
    counts = Counts([5, 3], [1, 1])
    mean, sd = PassAt(100).moments(counts)
    assert 0 < mean < 1
    assert sd > 0


def test_a_question_without_trials_has_its_prior_and_no_average() -> None:
    counts = Counts([0, 4], [0, 2], ["unseen", "seen"])
    assert PassAt(1).moments(counts)[0] == pytest.approx((1 / 2 + 3 / 6) / 2)
    assert Bayes().moments(counts)[0] == pytest.approx((1 / 2 + 3 / 6) / 2)
    with pytest.raises(NotEnoughTrials, match="'unseen'"):
        PassAt(1).point(counts)
    with pytest.raises(NotEnoughTrials, match="'unseen'"):
        Average().point(counts)
    with pytest.raises(NotEnoughTrials, match="'unseen'"):
        Average().moments(counts)


@pytest.mark.parametrize("metric", [PassAt(1), Majority(1), Geom(1), GeoSpectrum(1), MaxAt(1)])
def test_no_questions_have_no_score(metric: CountMetric) -> None:
    with pytest.raises(InputError, match="needs at least one question"):
        metric.point(Counts([], []))
    with pytest.raises(InputError, match="needs at least one question"):
        metric.moments(Counts([], []))


def test_categories_are_no_right_or_wrong() -> None:
    with pytest.raises(WrongType, match="categories"):
        PassAt(1).point(CategoryCounts([[1, 1, 1]]))
    with pytest.raises(InputError, match=r"2 weights.*3"):
        Bayes().moments(CategoryCounts([[1, 1, 1]]))


def test_masked_counts_are_refused() -> None:
    hidden = np.ma.array([4, 4], mask=[False, True])
    with pytest.raises(WrongType, match="masked"):
        Counts(hidden, [1, 1])
    with pytest.raises(WrongType, match="masked"):
        CategoryCounts(np.ma.array([[1, 2]], mask=[[True, False]]))
    assert Counts(np.ma.array([4, 4]), [1, 1]) == Counts([4, 4], [1, 1])
