"""Confidences, losses, answers and clusters: what is taken, what is refused, and in which words."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from errbar.data.predictions import LOSSES, Predictions, Ranked
from errbar.errors import InputError, WrongType
from errbar.selective import (
    augrc,
    aurc,
    coverage_at_risk,
    excess_augrc,
    excess_aurc,
    risk_at_coverage,
    risk_coverage,
)

NAN, INF = math.nan, math.inf

EVERY: dict[str, Callable[..., Any]] = {
    "aurc": aurc,
    "augrc": augrc,
    "excess_aurc": excess_aurc,
    "excess_augrc": excess_augrc,
    "risk_coverage": risk_coverage,
    "risk_at_coverage": lambda *data: risk_at_coverage(*data, coverage=0.5),
    "coverage_at_risk": lambda *data: coverage_at_risk(*data, risk=0.5),
}


@pytest.mark.parametrize(
    ("data", "kind", "message"),
    [
        (([0.9, NAN, NAN], [0, 1, 0]), InputError, r"confidence\[1\] is nan.*2 such entries"),
        (([0.9, NAN], [0, 1]), InputError, "an item without an answer is marked in `answered`"),
        (([0.9, 0.5], [0, NAN]), InputError, r"loss\[1\] is nan; it must be finite"),
        (([0.9, 0.5], [INF, 0]), InputError, r"loss\[0\] is inf; it must be finite"),
        (([0.9, 0.5], [0, -INF]), InputError, r"loss\[1\] is -inf; it must be finite"),
        (([], []), InputError, "confidence is empty"),
        (([0.9], []), InputError, "they have 1 and 0"),
        (([0.9, 0.5], [0]), InputError, "confidence and loss .* they have 2 and 1"),
        (([0.9, 0.5], [0, 1], [1]), InputError, "confidence and answered .* they have 2 and 1"),
        (([0.9, 0.5], [0, 1], [0, 0]), InputError, "none of the 2 items was answered"),
        (([0.9, 0.5], [0, 1], [1, 2]), InputError, r"answered\[1\] is 2; it must be 0 or 1"),
        (([0.9, 0.5], [0, 1], [0.5, 1]), InputError, r"answered\[0\] is 0\.5"),
        (([0.9, 0.5], [0, 1], [NAN, 1]), InputError, r"answered\[0\] is nan"),
        (([0.9, 0.5], [0, 1], [-1, 1]), InputError, r"answered\[0\] is -1"),
        (([0.9, 0.5], [0, 1], [None, 1]), WrongType, r"answered\[0\] is None"),
        (([0.9, 0.5], [0, 1], ["yes", "no"]), WrongType, r"answered\[0\] is 'yes'"),
        (
            (["0.9", "0.5"], [0, 1]),
            WrongType,
            r"must contain numbers; .*\[0\] is '0\.9'",
        ),
        (([0.9, "high"], [0, 1]), WrongType, "confidence must contain numbers"),
        (([0.9, None], [0, 1]), WrongType, r"confidence\[1\] is None"),
        (([0.9, 0.5], [0, None]), WrongType, r"loss\[1\] is None"),
        (([0.9, 0.5], ["0", "1"]), WrongType, r"loss\[0\] is '0'"),
        (([0.9, 1j], [0, 1]), WrongType, "confidence must contain numbers"),
        (([[0.9, 0.5]], [0, 1]), InputError, r"confidence must be a list .*shape \(1, 2\)"),
        (([0.9, 0.5], [[0], [1]]), InputError, r"loss must be a list .*shape \(2, 1\)"),
        (([0.9, 0.5], [0, 1], [[1, 1]]), InputError, r"answered must be a list .*\(1, 2\)"),
        (([[0.9], [0.5, 1]], [0, 1]), WrongType, "confidence must be a list of numbers"),
        ((0.9, 0), InputError, r"confidence must be a list .*shape \(\)"),
        (([0.9, 0.5], 0), InputError, r"loss must be a list .*shape \(\)"),
        (
            (np.ma.array([1.0, 2.0], mask=[False, True]), [0, 1]),
            WrongType,
            r"confidence\[1\] is masked",
        ),
        (([1, 2], np.ma.array([0, 1], mask=[True, False])), WrongType, r"loss\[0\] is masked"),
        (
            ([1, 2], [0, 1], np.ma.array([1, 1], mask=[True, False])),
            WrongType,
            r"answered\[0\] is masked",
        ),
        (([0.9, 0.5],), WrongType, "a loss per item is needed in addition to the confidence"),
        ((None, [0, 1]), InputError, "confidence"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_place(
    data: Any, kind: type[Exception], message: str
) -> None:
    for function in EVERY.values():
        with pytest.raises(kind, match=message):
            function(*data)


def test_every_error_is_also_the_built_in_one() -> None:
    with pytest.raises(ValueError, match="nan"):
        aurc([NAN], [0])
    with pytest.raises(TypeError, match="'a'"):
        aurc(["a"], [0])


@pytest.mark.parametrize(
    "values",
    [
        [10**30, 1],
        np.array([0.1, 0.2], dtype=object),
        [Fraction(1, 3), Fraction(1, 2)],
        np.array([1, 2], dtype="m8[s]"),
    ],
)
def test_numbers_that_numpy_has_no_type_for_are_refused(values: Any) -> None:
    with pytest.raises(WrongType, match="confidence must contain numbers") as caught:
        Predictions(values, [0, 1])
    assert "'of type" not in str(caught.value)


def test_what_already_holds_its_losses_takes_no_others() -> None:
    data = Predictions([1, 2], [0, 1])
    for each in (data, Ranked.of(data)):
        with pytest.raises(WrongType, match="already contain loss and answers"):
            aurc(each, [0, 1])
        with pytest.raises(WrongType, match="already contain loss and answers"):
            aurc(each, answered=[0, 1])


@pytest.mark.parametrize("mask", [False, [False, False]])
def test_a_masked_array_without_a_mask_is_an_array(mask: Any) -> None:
    assert aurc(np.ma.array([1.0, 2.0], mask=mask), [0, 1]) == aurc([1, 2], [0, 1])


def test_what_stands_beside_no_answer_is_not_looked_at() -> None:
    data = Predictions([0.9, NAN, INF], [0.5, NAN, -INF], [1, 0, 0])
    assert data.coverage == pytest.approx(1 / 3)
    assert aurc(data) == 0.5
    assert repr(data) == "Predictions(3 items, 1 answered)"


def test_infinite_confidences_rank_first_and_last() -> None:
    for function in (aurc, augrc, excess_aurc, excess_augrc):
        infinite = function([INF, 0.5, -INF, INF], [1, 0, 0, 0.5])
        assert infinite == function([3, 2, 1, 3], [1, 0, 0, 0.5])
    assert risk_coverage([-INF, INF], [0, 1]).threshold.tolist() == [INF, -INF]
    assert risk_coverage([-INF, INF], [0.5, 1.5]).threshold.tolist() == [INF, -INF]


def test_the_two_zeros_are_one_confidence() -> None:
    for lost in ([0, 1, 1], [0.25, 1.5, 1]):
        curve = risk_coverage([0.0, -0.0, 1.0], lost)
        assert curve.coverage.tolist() == pytest.approx([1 / 3, 1.0])


@pytest.mark.parametrize("value", [0, 0.0, -0.1, 1.01, NAN, INF])
def test_a_coverage_outside_zero_to_one_is_refused(value: float) -> None:
    for function in (aurc, augrc, excess_aurc, excess_augrc, risk_at_coverage):
        with pytest.raises(InputError, match="coverage must be"):
            function([1, 2], [0, 1], coverage=value)


@pytest.mark.parametrize("value", ["0.5", True, [0.5], 0.5j])
def test_a_coverage_that_is_no_number_is_refused(value: Any) -> None:
    for function in (aurc, augrc, excess_aurc, excess_augrc, risk_at_coverage):
        with pytest.raises(WrongType, match="coverage must be a number"):
            function([1, 2], [0, 1], coverage=value)


def test_a_coverage_out_of_reach_says_how_far_the_answers_go() -> None:
    for function in (aurc, augrc, excess_aurc, excess_augrc, risk_at_coverage):
        with pytest.raises(InputError, match=r"coverage 0\.6 is out of reach; 1 of 2 .*is 0\.5"):
            function([1, 2], [0, 1], [1, 0], coverage=0.6)
        assert math.isfinite(function([1, 2], [0, 1], [1, 0], coverage=0.5))


@pytest.mark.parametrize("value", [-0.1, NAN, INF, -INF])
def test_a_risk_outside_its_range_is_refused(value: float) -> None:
    with pytest.raises(InputError, match="risk must be"):
        coverage_at_risk([1, 2], [0, 1], risk=value)


# ----------------------------------------------------------------------------- clusters


@pytest.mark.parametrize(
    ("clusters", "message"),
    [
        (["a"], "one entry per item; got 1 for 3 items"),
        ([], "got 0 for 3 items"),
        (["a", None, "b"], r"clusters\[1\] is None; every item needs a value"),
        ([1.0, 2.0, NAN], r"clusters\[2\] is nan"),
        (np.ma.array([1, 2, 3], mask=[False, True, False]), r"clusters\[1\] is"),
        ([[1], [2], [3]], "clusters must be names or numbers"),
        (np.ones((3, 2)), "clusters must be names or numbers"),
        (7, "clusters"),
        (2.5, "clusters"),
        ("abc", "clusters"),
    ],
)
def test_clusters_that_name_nothing_are_refused(clusters: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Predictions([1, 2, 3], [0, 1, 0], clusters=clusters)


@pytest.mark.parametrize(
    ("clusters", "codes"),
    [
        (["b", "a", "b"], [1, 0, 1]),
        (np.array(["b", "a", "b"]), [1, 0, 1]),
        ([10, 9, 10], [1, 0, 1]),
        ([1, 1.0, True], [0, 0, 0]),
        (["2", 2, "2"], [1, 0, 1]),
        ([-INF, 0, INF], [0, 1, 2]),
        ([2**60 + 8, 2**60 + 1, 2**60 + 8], [1, 0, 1]),  # one number as floats
        ([10**400, 1, 10**400], [1, 0, 1]),
        ([("a", 2), ("a", 1), ("a", 2)], [1, 0, 1]),
        (np.array(["2021", "2020", "2021"], dtype="M8[Y]"), [1, 0, 1]),
    ],
)
def test_clusters_are_numbered_in_the_order_of_their_names(clusters: Any, codes: list[int]) -> None:
    found = Predictions([1, 2, 3], [0, 1, 0], clusters=clusters).clusters
    assert found is not None
    assert found.tolist() == codes


def test_no_clusters_are_none() -> None:
    assert Predictions([1, 2], [0, 1]).clusters is None
    data = Predictions([1, 2, 3], [0, 1, 0], clusters=["x", "x", "y"])
    assert repr(data) == "Predictions(3 items in 2 clusters, 3 answered)"


# --------------------------------------------------------------------------- predictions


def test_predictions_do_not_follow_what_they_were_made_of() -> None:
    sure, lost, held = np.array([0.9, 0.1]), np.array([0.0, 1.0]), np.array([True, True])
    data = Predictions(sure, lost, held)
    sure[0], lost[0], held[0] = 0.0, 5.0, False
    assert (data.confidence[0], data.loss[0], data.answered[0]) == (0.9, 0.0, True)
    for column in (data.confidence, data.loss, data.answered):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 0


def test_losses_may_be_whole_boolean_or_below_zero() -> None:
    assert aurc([3, 2, 1], [True, False, False]) == aurc([3, 2, 1], [1.0, 0.0, 0.0])
    assert aurc([3, 2, 1], np.array([1, 0, 0], dtype=np.uint8)) == aurc([3, 2, 1], [1.0, 0, 0])
    assert aurc([3, 2, 1], [-1, -1, -1]) == -1.0


# ------------------------------------------------------------------- answers held to truth


@pytest.mark.parametrize(
    ("loss", "span", "expected"),
    [
        ("zero-one", None, [0, 1, 1, 0]),
        ("absolute", None, [0, 2, 3, 0]),
        ("squared", None, [0, 4, 9, 0]),
        ("normalised", 3, [0, 2 / 3, 1, 0]),
        ("normalised", 0.5, [0, 4, 6, 0]),
    ],
)
@pytest.mark.parametrize("missing", [None, NAN])
def test_each_loss_is_what_it_says(
    loss: str, span: float | None, expected: list[float], missing: Any
) -> None:
    data = Predictions.judged(
        [2, 3, 0, missing],
        [2, 1, 3, 1],
        [0.9, 0.8, 0.7, 0.1],
        loss,
        span=span,
        clusters=list("aabb"),
    )
    assert data.loss.tolist() == pytest.approx(expected, abs=1e-15)
    assert data.answered.tolist() == [True, True, True, False]
    assert data.clusters is not None
    assert data.clusters.tolist() == [0, 0, 1, 1]


def test_no_loss_is_left_untested() -> None:
    assert set(LOSSES) == {"zero-one", "absolute", "squared", "normalised"}


def test_words_are_right_or_wrong() -> None:
    data = Predictions.judged(["yes", "no", None], ["yes", "yes", "no"], [0.9, 0.5, 0.1])
    assert data.loss.tolist() == [0, 1, 0]
    assert data.answered.tolist() == [True, True, False]


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.uint64, np.float16, np.float32, bool])
@pytest.mark.parametrize("loss", ["zero-one", "absolute", "squared"])
def test_narrow_numbers_do_not_wrap_round(kind: Any, loss: str) -> None:
    high = 1 if kind is bool else 100
    predicted, truth = np.array([0, high], dtype=kind), np.array([high, 0], dtype=kind)
    signed = np.array([-high, high]) if kind is np.int8 else np.array([0, high])
    if kind is np.int8:
        predicted, truth = signed.astype(kind), -signed.astype(kind)
    plain = Predictions.judged(predicted.tolist(), truth.tolist(), [0.1, 0.2], loss)
    assert (
        Predictions.judged(predicted, truth, [0.1, 0.2], loss).loss.tolist() == plain.loss.tolist()
    )


def test_a_masked_answer_is_refused_as_a_masked_confidence_is() -> None:
    predicted = np.ma.array([1.0, 2.0], mask=[False, True])
    with pytest.raises(WrongType, match="masked"):
        Predictions.judged(predicted, [1.0, 2.0], [0.1, 0.2])
    with pytest.raises(WrongType, match="masked"):
        Predictions.judged([1.0, 2.0], predicted, [0.1, 0.2])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1], [1], [1], "log"), r"one of 'zero-one'.*got 'log'"),
        (([1, 2], [1], [1, 1]), "predicted and truth .* they have 2 and 1"),
        (([1, 2], [1, 2], [1]), "they have 1 and 2"),
        (([1, 2], [1, None], [1, 1]), r"truth\[1\] is None; an answer cannot be compared with it"),
        (([1, 2], [NAN, 1], [1, 1]), r"truth\[0\] is nan; an answer cannot be compared with it"),
        ((["a"], ["b"], [1], "absolute"), "loss='absolute' needs numbers; item 0 has"),
        (([1, "b"], [1, 1], [1, 1], "squared"), "needs numbers; item 1 has predicted='b'"),
        (([INF, 1], [1, 1], [1, 1], "absolute"), r"\[0\] is inf"),
        (([1, 2], [1, 2], [NAN, 1]), r"confidence\[0\] is nan"),
        (([], [], []), "empty"),
        (([1e200], [0], [1], "squared"), r"0"),
    ],
)
def test_answers_that_cannot_be_held_to_truth_are_refused(arguments: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Predictions.judged(*arguments)


def test_a_missing_truth_does_not_matter_without_an_answer() -> None:
    data = Predictions.judged([1, None], [1, None], [0.9, 0.1])
    assert data.answered.tolist() == [True, False]


@pytest.mark.parametrize("loss", ["zero-one", "absolute", "squared"])
def test_a_span_belongs_to_the_normalised_loss_alone(loss: str) -> None:
    with pytest.raises(
        InputError, match="span is required with loss='normalised' and not allowed otherwise"
    ):
        Predictions.judged([1], [1], [1], loss, span=3)
    with pytest.raises(
        InputError, match="span is required with loss='normalised' and not allowed otherwise"
    ):
        Predictions.judged([1], [1], [1], "normalised")


@pytest.mark.parametrize("span", [0, -1, NAN, INF, "3", [3], True])
def test_a_span_that_measures_nothing_is_refused(span: Any) -> None:
    with pytest.raises(InputError, match="span must be"):
        Predictions.judged([1], [1], [1], "normalised", span=span)


def test_an_answer_that_is_a_list_is_refused_in_words() -> None:
    with pytest.raises(InputError, match="predicted"):
        Predictions.judged([np.array([1, 2])], [1], [0.1])
