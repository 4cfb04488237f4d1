"""What the functions take for an outcome matrix, and what they refuse and why."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from errbar import eval as functions
from errbar.errors import ErrbarError

OUTCOMES = [[0, 1, 1, 0, 1], [1, 1, 0, 1, 1], [0, 0, 0, 0, 1]]
GRADES = [[0, 1, 2, 2, 1], [1, 1, 0, 2, 2], [2, 2, 2, 0, 0]]
WEIGHTS = [0.0, 0.5, 1.0]

Call = Callable[[Any], Any]
masked: Any = np.ma.masked_array

BINARY_CALLS: dict[str, Call] = {
    "pass_at_k": lambda R: functions.pass_at_k(R, 2),
    "pass_at_k_ci": lambda R: functions.pass_at_k_ci(R, 2),
    "maj_at_k": lambda R: functions.maj_at_k(R, 3),
    "geom_ds_at_k_ci": lambda R: functions.geom_ds_at_k_ci(R, 2),
    "bayes": functions.bayes,
    "avg_ci": functions.avg_ci,
    "max_at_k": lambda R: functions.max_at_k(R, 2),
    "curve": lambda R: functions.curve("pass@k", R).tolist(),
}
GRADED_CALLS: dict[str, Call] = {
    "bayes": lambda R: functions.bayes(R, WEIGHTS),
    "avg_ci": lambda R: functions.avg_ci(R, WEIGHTS),
    "max_at_k": lambda R: functions.max_at_k(R, 2, WEIGHTS),
    "max_at_k_ci": lambda R: functions.max_at_k_ci(R, 2, WEIGHTS),
}


def strided(matrix: list[list[int]]) -> NDArray[np.int64]:
    """Every second column of a wider matrix, backwards in memory."""
    wide = np.full((len(matrix), 2 * len(matrix[0])), 7)
    wide[:, ::2] = np.array(matrix)[:, ::-1]
    return wide[:, ::2][:, ::-1]


def read_only(matrix: list[list[int]]) -> NDArray[np.int64]:
    array = np.array(matrix)
    array.setflags(write=False)
    return array


FORMS: dict[str, Callable[[list[list[int]]], Any]] = {
    "list": lambda rows: rows,
    "nested tuples": lambda rows: tuple(tuple(row) for row in rows),
    "list of arrays": lambda rows: [np.array(row) for row in rows],
    "floats in lists": lambda rows: [[float(entry) for entry in row] for row in rows],
    "objects": lambda rows: np.array(rows, dtype=object),
    "Fortran order": np.asfortranarray,
    "strided view": strided,
    "read only": read_only,
    "transposed": lambda rows: np.array(rows).T.copy().T,
    "big endian": lambda rows: np.array(rows, dtype=">i4"),
    "big endian floats": lambda rows: np.array(rows, dtype=">f8"),
    "masked without a mask": masked,
    "masked with nothing masked": partial(masked, mask=np.zeros((3, 5))),
    **{
        f"np.{name}": partial(np.array, dtype=name)
        for name in [
            *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
            *("float16", "float32", "float64", "longdouble"),
        ]
    },
}


@pytest.mark.parametrize("form", FORMS)
def test_the_form_of_right_or_wrong_does_not_matter(form: str) -> None:
    for name, call in BINARY_CALLS.items():
        assert call(FORMS[form](OUTCOMES)) == call(np.array(OUTCOMES)), name


@pytest.mark.parametrize("form", FORMS)
def test_the_form_of_categories_does_not_matter(form: str) -> None:
    for name, call in GRADED_CALLS.items():
        assert call(FORMS[form](GRADES)) == call(np.array(GRADES)), name


@pytest.mark.parametrize("name", BINARY_CALLS)
def test_booleans_are_right_or_wrong(name: str) -> None:
    call = BINARY_CALLS[name]
    assert call(np.array(OUTCOMES, dtype=bool)) == call(OUTCOMES)
    assert call([[bool(entry) for entry in row] for row in OUTCOMES]) == call(OUTCOMES)


@pytest.mark.parametrize("name", BINARY_CALLS)
def test_one_dimension_is_one_question(name: str) -> None:
    call = BINARY_CALLS[name]
    assert call([0, 1, 1, 0, 1]) == call([[0, 1, 1, 0, 1]])
    assert call(np.array([True, False, True])) == call([[1, 0, 1]])


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "float16", "float32", "int32"])
@pytest.mark.parametrize("trials", [300, 5_001, 70_003])
def test_narrow_types_count_as_far_as_wide_ones(dtype: str, trials: int) -> None:
    outcomes = np.ones((1, trials), dtype=dtype)
    assert functions.pass_hat_k(outcomes, 1) == 1.0
    assert functions.avg(outcomes)[0] == 1.0


def test_single_precision_counts_beyond_its_own_whole_numbers() -> None:
    """2^24 + 1 is the first whole number that float32 does not have."""
    outcomes = np.ones((1, 2**24 + 3), dtype=np.float32)
    assert functions.pass_hat_k(outcomes, 1) == 1.0


WRONG_VALUES: dict[str, tuple[Any, str]] = {
    "nan": (math.nan, "nan"),
    "a half": (0.5, r"0\.5"),
    "minus one": (-1, "-1"),
    "two": (2, "2"),
    "infinity": (math.inf, "inf"),
    "minus infinity": (-math.inf, "-inf"),
    "almost one": (1 - 1e-15, r"0\.999"),
}


@pytest.mark.parametrize("value", WRONG_VALUES)
def test_an_entry_that_is_neither_right_nor_wrong_is_named(value: str) -> None:
    for call in BINARY_CALLS.values():
        entry, shown = WRONG_VALUES[value]
        outcomes = np.array(OUTCOMES, dtype=type(entry))
        outcomes[1, 3] = entry
        with pytest.raises(ErrbarError, match=rf"R\[1, 3\].*{shown}") as error:
            call(outcomes)
        assert isinstance(error.value, ValueError)


@pytest.mark.parametrize("entry", [3, -1, 1.5, math.nan, math.inf])
def test_a_category_without_a_weight_is_named(entry: float) -> None:
    for call in GRADED_CALLS.values():
        grades = np.array(GRADES, dtype=type(entry))
        grades[2, 0] = entry
        with pytest.raises(ErrbarError, match=rf"R\[2, 0\].*{entry}.*2") as error:
            call(grades)
        assert isinstance(error.value, ValueError)


def test_the_place_is_right_far_down_a_long_matrix() -> None:
    outcomes = np.zeros((300_000, 8), dtype=np.int8)
    outcomes[299_998, 7] = 3
    with pytest.raises(ErrbarError, match=r"R\[299998, 7\] is 3"):
        functions.pass_at_k(outcomes, 1)


REFUSED: dict[str, tuple[Any, str]] = {
    "no questions": (np.zeros((0, 5)), "0 questions"),
    "no trials": (np.zeros((5, 0)), "0 trials"),
    "an empty list": ([], "0 trials"),
    "a list of an empty list": ([[]], "0 trials"),
    "three dimensions": (np.zeros((2, 2, 2)), "3 dimensions"),
    "no dimension": (1, "0 dimensions"),
    "an array of no dimension": (np.array(1), "0 dimensions"),
    "text": ([["0", "1"]], "'0'"),
    "words": ("0101", "R"),
    "bytes": (np.array([[b"0"]]), "R"),
    "complex": ([[0, 1j]], "complex"),
    "dates": (np.array([["2026-01-01"]], dtype="M8[D]"), "datetime"),
    "none inside": ([[0, None]], r"R\[0, 1\] is None"),
    "none": (None, "R"),
    "text among objects": (np.array([[0, 1], [1, "x"]], dtype=object), r"R\[1, 1\] is 'x'"),
    "lists among objects": (np.array([[[0], 1]], dtype=object), "R"),
    "a ragged list": ([[0, 1], [1]], "Counts"),
    "a set": ({0, 1}, "R"),
    "a dictionary": ({"a": [0, 1]}, "R"),
    "masked": (masked([[0, 1], [1, 0]], mask=[[0, 0], [1, 0]]), r"R\[1, 0\]"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_matrix_of_numbers_is_refused(case: str) -> None:
    for call in BINARY_CALLS.values():
        given, told = REFUSED[case]
        with pytest.raises(ErrbarError, match=told) as error:
            call(given)
        assert isinstance(error.value, ValueError)
        assert "R" in str(error.value)


@pytest.mark.parametrize("case", [case for case in REFUSED if case != "text"])
def test_what_is_no_matrix_of_categories_is_refused(case: str) -> None:
    for call in GRADED_CALLS.values():
        with pytest.raises(ErrbarError, match=REFUSED[case][1]) as error:
            call(REFUSED[case][0])
        assert isinstance(error.value, ValueError)


def test_a_mask_on_a_row_is_not_lost_in_a_list() -> None:
    """NumPy drops the masks when it joins the rows; the hidden trial must not count as seen."""
    rows = [masked([0, 1], mask=[False, False]), masked([1, 0], mask=[True, False])]
    with pytest.raises(ErrbarError, match="masked"):
        functions.pass_at_k(rows, 1)


@pytest.mark.parametrize("name", BINARY_CALLS)
def test_the_matrix_is_left_as_it_was(name: str) -> None:
    outcomes = np.array(OUTCOMES)
    BINARY_CALLS[name](outcomes)
    assert outcomes.tolist() == OUTCOMES
    assert outcomes.flags.writeable


@pytest.mark.parametrize("name", GRADED_CALLS)
def test_the_matrix_of_categories_is_left_as_it_was(name: str) -> None:
    grades = np.array(GRADES)
    GRADED_CALLS[name](grades)
    assert grades.tolist() == GRADES
    assert grades.flags.writeable


BEFORE = [[0, 2], [1, 2], [0, 0]]


@pytest.mark.parametrize(
    ("before", "told"),
    [
        ([[0, 2], [1, 2]], "R0.*2 rows.*3"),
        ([[0], [1], [3]], r"R0\[2, 0\] is 3"),
        ([[0], [-1], [1]], r"R0\[1, 0\] is -1"),
        ([[0.0], [0.5], [1.0]], r"R0\[1, 0\] is 0.5"),
        ([["a"], ["b"], ["c"]], "R0"),
        ([[0], [1, 1], [0]], "R0"),
        (np.zeros((3, 1, 1)), "R0"),
        ([0, 1], "R0.*2 entries"),
        ([0.0, 1.0, 2.0], "R0"),
    ],
)
def test_outcomes_before_that_do_not_fit_are_named(before: Any, told: str) -> None:
    for call in (functions.bayes, functions.bayes_ci):
        with pytest.raises(ErrbarError, match=told) as error:
            call(GRADES, WEIGHTS, before)
        assert isinstance(error.value, ValueError)
    with pytest.raises(ErrbarError, match=told):
        functions.max_at_k_ci(GRADES, 2, WEIGHTS, before)


def test_no_outcomes_before_is_the_same_as_none_given() -> None:
    empty = np.zeros((3, 0), dtype=int)
    assert functions.bayes(GRADES, WEIGHTS, empty) == functions.bayes(GRADES, WEIGHTS)
    assert functions.max_at_k_ci(GRADES, 2, WEIGHTS, empty) == functions.max_at_k_ci(
        GRADES, 2, WEIGHTS
    )


def test_one_question_may_have_its_outcomes_before_in_one_dimension() -> None:
    flat = functions.bayes([0, 1, 2], WEIGHTS, [2, 2])
    assert flat == functions.bayes([[0, 1, 2]], WEIGHTS, [[2, 2]])
    assert functions.bayes([0, 1], None, [1]) == functions.bayes([[0, 1]], None, [[1]])


def test_outcomes_before_are_left_as_they_were() -> None:
    before = np.array(BEFORE)
    functions.bayes(GRADES, WEIGHTS, before)
    functions.max_at_k_ci(GRADES, 2, WEIGHTS, before)
    assert before.tolist() == BEFORE
    assert before.flags.writeable
