"""What ROC functions accept, keep and refuse, and how parts merge."""

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errbar.errors import ErrbarError, InputError, WrongType
from errbar.metrics.confidence import RocAuc
from errbar.roc import (
    Bootstrap,
    Labelled,
    Scored,
    compare_paired,
    compare_unpaired,
    estimate,
    partial_auc,
    roc_auc,
    roc_auc_ci,
    roc_curve,
)

SCORES, LABELS = [0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1]
GOOD = Scored(SCORES, LABELS)


def masked_at(place: int | None, values: list[Any]) -> Any:
    return np.ma.array(np.array(values), mask=[at == place for at in range(len(values))])


EVERY_WAY_IN: dict[str, Callable[[Any, Any], object]] = {
    "roc_auc": roc_auc,
    "roc_auc, weighted": lambda s, y: roc_auc(s, y, weights=[1.0] * 4),
    "roc_curve": roc_curve,
    "partial_auc": lambda s, y: partial_auc(s, y, max_fpr=0.5),
    "roc_auc_ci": roc_auc_ci,
    "Scored": Scored,
    "compare_paired": lambda s, y: compare_paired(s, SCORES, y),
}
ways_in = pytest.mark.parametrize("call", EVERY_WAY_IN.values(), ids=EVERY_WAY_IN)


@ways_in
def test_a_score_that_is_not_a_number_is_refused_with_its_place(
    call: Callable[[Any, Any], object],
) -> None:
    for kind in ("f8", "f4", "f2", "g", ">f8"):
        with pytest.raises(InputError, match=r"^scores\[2\] is .*nan.*; it cannot be ranked\.$"):
            call(np.array([0.1, 0.4, np.nan, 0.8]).astype(kind), LABELS)
        with pytest.raises(InputError, match=r"^scores\[1\] is .*\(3 such entries\)\.$"):
            call(np.array([-np.inf, np.nan, np.nan, np.nan]).astype(kind), LABELS)


WRONG_LABELS: list[tuple[Any, str]] = [
    ([0, 1, 2, 1], r"labels\[2\] is 2;"),
    ([-1, 1, -1, 1], r"labels\[0\] is -1; .* \(2 such entries\)"),
    ([0, 1, 0.5, 1], r"labels\[2\] is 0\.5;"),
    ([0, 1, 1, math.nan], r"labels\[3\] is nan;"),
    ([0, math.inf, 1, 0], r"labels\[1\] is inf;"),
    (np.array([0, 1, 255, 1], dtype=np.uint8), r"labels\[2\] is 255;"),
]


@ways_in
def test_a_label_other_than_0_and_1_is_refused_with_its_place(
    call: Callable[[Any, Any], object],
) -> None:
    for labels, place in WRONG_LABELS:
        with pytest.raises(InputError, match=f"^{place}"):
            call(SCORES, labels)


@ways_in
def test_one_class_alone_is_refused(call: Callable[[Any, Any], object]) -> None:
    needed = "needs at least one positive and one negative"
    for label in (0, 1, True, False, 1.0):
        with pytest.raises(InputError, match=f"labels are all {int(label)}; .* {needed}"):
            call(SCORES, [label] * 4)


@ways_in
def test_no_items_at_all_are_refused(call: Callable[[Any, Any], object]) -> None:
    nothing: Any
    for nothing in ([], np.array([]), np.array([], dtype=int)):
        with pytest.raises(InputError, match="scores is empty; at least one item"):
            call(nothing, nothing)


@ways_in
def test_as_many_labels_as_scores_are_needed(call: Callable[[Any, Any], object]) -> None:
    for size in (0, 1, 3, 5):
        with pytest.raises(InputError, match=f"one entry per item; they have 4 and {size}"):
            call(SCORES, ([0, 1] * 3)[:size])


WRONG_KINDS: list[Any] = [
    None,
    "0.1",
    0.5,
    [["a"], ["b"]],
    [SCORES],
    np.array([SCORES, SCORES]),
    [[0.1], [0.4, 0.3]],
    ["0.1", "0.4", "0.35", "0.8"],
    [0.1, None, 0.35, 0.8],
    [0.1, 0.4j, 0.35, 0.8],
    np.array(SCORES, dtype=object).astype(str),
    {"a": 1.0},
    iter(SCORES),
]


@ways_in
def test_what_is_no_list_of_numbers_is_refused_by_name(call: Callable[[Any, Any], object]) -> None:
    for wrong in WRONG_KINDS:
        with pytest.raises(InputError, match=r"^scores must"):
            call(wrong, LABELS)
        with pytest.raises(InputError, match=r"^labels must"):
            call(SCORES, wrong)


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        ([0.1, "x", 0.35, 0.8], r"scores\[1\] is 'x'"),
        ([0.1, 0.4, None, 0.8], r"scores\[2\] is None"),
        ([0.1, 0.4, 0.35, 0.8j], r"scores\[3\] is 0\.8j"),
    ],
)
def test_the_place_of_what_is_no_number_is_its_own(wrong: Any, place: str) -> None:
    with pytest.raises(WrongType, match=place):
        roc_auc(wrong, LABELS)


@pytest.mark.parametrize(
    ("wrong", "kind"),
    [
        (np.array(SCORES, dtype=object), "object"),
        ([2**70, 1, 2, 3], "object"),
        (np.array([1, 2, 3, 4], dtype="M8[ns]"), "datetime64"),
    ],
    ids=["object", "too large", "datetime"],
)
def test_a_type_that_is_no_number_is_not_called_a_value(wrong: Any, kind: str) -> None:
    with pytest.raises(WrongType, match=kind) as caught:
        roc_auc(wrong, LABELS)
    assert "[0] is 'of type" not in str(caught.value)


@ways_in
def test_a_masked_item_is_refused_with_its_place(call: Callable[[Any, Any], object]) -> None:
    masked = masked_at(2, SCORES)
    with pytest.raises(WrongType, match=r"scores\[2\] is masked; leave that item out"):
        call(masked, LABELS)
    masked = masked_at(1, LABELS)
    with pytest.raises(WrongType, match=r"labels\[1\] is masked"):
        call(SCORES, masked)


def test_a_masked_array_with_nothing_masked_is_an_array() -> None:
    assert roc_auc(masked_at(None, SCORES), masked_at(None, LABELS)) == 0.75


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -1, 1, 1], r"^weights\[1\] is -1\.0; it must be finite and not negative"),
        ([1, 1, math.inf, 1], r"^weights\[2\] is inf; it must be finite"),
        ([1, 1, 1, math.nan], r"^weights\[3\] is nan; it must be finite"),
        ([1, 1, 1], "scores and weights must have one entry per item; they have 4 and 3"),
        ([], "they have 4 and 0"),
        ([0, 0, 1, 1], "every item with label 0 has weight 0"),
        ([1, 1, 0, 0], "every item with label 1 has weight 0"),
        ([0, 0, 0, 0], "has weight 0"),
        (2.0, "^weights must be a list of numbers"),
        ([[1, 1, 1, 1]], "^weights must be a list of numbers"),
        (["1", "1", "1", "1"], "^weights must contain numbers"),
        ([1, None, 1, 1], r"weights\[1\] is None"),
        (masked_at(3, [1.0] * 4), r"weights\[3\] is masked"),
    ],
)
def test_weights_that_mean_nothing_are_refused(weights: Any, message: str) -> None:
    for call in (
        lambda: roc_auc(SCORES, LABELS, weights=weights),
        lambda: roc_curve(SCORES, LABELS, weights=weights),
        lambda: partial_auc(SCORES, LABELS, max_fpr=0.5, weights=weights),
        lambda: Scored(SCORES, LABELS, weights),
    ):
        with pytest.raises(InputError, match=message):
            call()


def test_the_other_scores_are_refused_under_their_own_name() -> None:
    with pytest.raises(InputError, match=r"other_scores\[1\] is nan"):
        compare_paired(SCORES, [0.1, math.nan, 0.2, 0.3], LABELS)
    with pytest.raises(InputError, match="other_scores"):
        compare_paired(SCORES, [0.1, 0.2, 0.3], LABELS)
    with pytest.raises(InputError, match="other_scores"):
        compare_paired(SCORES, "abc", LABELS)


def test_an_unpaired_comparison_needs_scored_items() -> None:
    pairs: list[Any] = [(GOOD, None), ((SCORES, LABELS), GOOD), (Labelled.of(GOOD), GOOD)]
    for pair in pairs:
        with pytest.raises(WrongType, match=r"both arguments must be Scored\(scores, labels\)"):
            compare_unpaired(*pair)


def test_weights_are_refused_where_a_variance_is_not_defined_for_them() -> None:
    weighed = Scored(SCORES, LABELS, weights=[1, 1, 2, 1])
    for pair in ((GOOD, weighed), (weighed, GOOD)):
        with pytest.raises(InputError, match="without weights or clusters"):
            compare_unpaired(*pair)
    unweighted: list[Any] = [roc_auc_ci, compare_paired]
    for call in unweighted:
        with pytest.raises(TypeError, match="weights"):
            call(SCORES, LABELS, weights=[1] * 4)


def test_clusters_are_refused_where_a_variance_would_ignore_them() -> None:
    clustered = Scored(SCORES, LABELS, clusters=[1, 2, 1, 2])
    for pair in ((GOOD, clustered), (clustered, GOOD)):
        with pytest.raises(InputError, match="cluster"):
            compare_unpaired(*pair)


@pytest.mark.parametrize("level", [0, 1, 0.0, 1.0, -0.5, 95, math.nan, math.inf])
def test_a_level_lies_between_0_and_1(level: float) -> None:
    for call in (
        lambda: roc_auc_ci(SCORES, LABELS, level=level),
        lambda: compare_paired(SCORES, SCORES, LABELS, level=level),
        lambda: compare_unpaired(GOOD, GOOD, level=level),
        lambda: Bootstrap(level=level),
    ):
        with pytest.raises(InputError, match="level must"):
            call()


@pytest.mark.parametrize("level", ["0.95", None, True])
def test_a_level_is_a_number(level: Any) -> None:
    for call in (
        lambda: roc_auc_ci(SCORES, LABELS, level=level),
        lambda: compare_unpaired(GOOD, GOOD, level=level),
        lambda: Bootstrap(level=level),
    ):
        with pytest.raises(WrongType, match="level must be a number"):
            call()


@pytest.mark.parametrize("scale", ["log", "", None, "logit"])
def test_an_unknown_scale_is_refused(scale: Any) -> None:
    with pytest.raises(InputError, match="scale must be 'placement' or 'plain'; got"):
        roc_auc_ci(SCORES, LABELS, scale=scale)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"resamples": 99}, "resamples must lie between 100"),
        ({"resamples": 10**7}, "resamples must lie between 100"),
        ({"resamples": 1000.0}, "resamples must be an integer"),
        ({"resamples": True}, "resamples must be an integer"),
        ({"ends": "normal"}, "ends must be 'unseen', 'bca' or 'percentile'"),
    ],
)
def test_resampling_options_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Bootstrap(**options)


def test_resampling_needs_scored_items_and_a_seed() -> None:
    for wrong in (None, SCORES, Labelled.of(GOOD)):
        with pytest.raises(WrongType, match=r"resampling needs Scored\(scores, labels\); got"):
            estimate(wrong, rng=0)  # type: ignore[arg-type]
    for seed in (None, "0", 1.5, True):
        with pytest.raises(WrongType, match="rng must be a seed or a"):
            estimate(GOOD, rng=seed)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="rng"):
        estimate(GOOD)  # type: ignore[call-arg]


def test_a_negative_seed_is_answered_by_name() -> None:
    with pytest.raises(InputError, match="rng"):
        estimate(GOOD, rng=-1)


def test_a_method_is_a_value_and_not_its_name() -> None:
    with pytest.raises(WrongType, match="method"):
        estimate(GOOD, method="bca", rng=0)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("clusters", "message"),
    [
        ([1, 2, 3], "clusters must have one entry per item; got 3 for 4 items"),
        ([1, None, 2, 2], r"clusters\[1\] is None; every item needs a value"),
        ([1, 2, math.nan, 2], r"clusters\[2\] is nan"),
        (masked_at(3, [1, 2, 1, 2]), r"clusters\[3\] is None"),
        ([[1], [1], [2], [2]], "clusters must be names or numbers"),
        (np.ones((4, 1)), "clusters must be names or numbers"),
        (5, "clusters must"),
        ("aabb", "clusters must"),
    ],
)
def test_clusters_that_name_nothing_are_refused(clusters: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Scored(SCORES, LABELS, clusters=clusters)


def test_one_cluster_alone_cannot_be_resampled() -> None:
    with pytest.raises(InputError, match="a single cluster cannot be resampled"):
        estimate(Scored(SCORES, LABELS, clusters=["a"] * 4), rng=0)


def test_errors_are_of_one_tree_and_still_value_errors() -> None:
    for kind in (ErrbarError, ValueError):
        with pytest.raises(kind):
            roc_auc([1, 2], [1, 1])
    with pytest.raises(TypeError):
        roc_auc(["a", "b"], [0, 1])


def test_scored_items_are_kept_apart_from_what_was_given() -> None:
    scores, labels = np.array(SCORES), np.array(LABELS, dtype=bool)
    weights, clusters = np.ones(4), np.array([1, 2, 1, 2])
    scored = Scored(scores, labels, weights, clusters)
    scores[:], labels[:], weights[:], clusters[:] = 0.0, True, 9.0, 7
    assert scored.scores.tolist() == SCORES
    assert scored.labels.tolist() == [False, False, True, True]
    assert scored.weights is not None
    assert scored.weights.tolist() == [1.0] * 4
    assert scored.clusters is not None
    assert scored.clusters.tolist() == [0, 1, 0, 1]
    assert all(each.flags.writeable for each in (scores, labels, weights, clusters))
    for kept in (scored.scores, scored.labels, scored.weights, scored.clusters):
        with pytest.raises(ValueError, match="read-only"):
            kept[0] = 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        scored.scores = scores  # type: ignore[misc]


def test_scored_items_print_how_many_there_are() -> None:
    assert repr(GOOD) == "Scored(2 positives, 2 negatives)"
    assert len(GOOD) == 4
    assert repr(Scored([1, 2, 3], [1, 0, 1])) == "Scored(2 positives, 1 negatives)"


def test_sums_per_score_print_as_they_are() -> None:
    found = Labelled.of(Scored([0.1, 0.4, 0.4, 0.8], [0, 0, 1, 1]))
    assert repr(found) == (
        "Labelled(scores=[0.1, 0.4, 0.8], positives=[0, 1, 1], negatives=[1, 1, 0])"
    )


def test_sums_per_score_cannot_be_written_to() -> None:
    weighed = Scored(SCORES, LABELS, weights=[1, 2, 3, 4])
    totals = Labelled.of(GOOD)
    for sums in (totals, Labelled.of(weighed), totals + totals):
        with pytest.raises(dataclasses.FrozenInstanceError):
            sums.scores = np.ones(4)  # type: ignore[misc]
        for part in (sums.scores, sums.positives, sums.negatives):
            assert not part.flags.writeable


few = st.sampled_from([-1.0, -0.0, 0.0, 0.5, 1.0, 3.0, math.inf])


@st.composite
def parts(draw: st.DrawFn) -> list[tuple[float, int, float]]:
    """Items of both classes with weights."""
    item = st.tuples(few, st.integers(0, 1), st.sampled_from([0.25, 0.5, 1.0, 3.0]))
    items = draw(st.lists(item, max_size=12))
    return [(draw(few), 0, 1.0), *items, (draw(few), 1, 1.0)]


def columns(items: list[tuple[float, int, float]]) -> list[list[Any]]:
    return [list(part) for part in zip(*items, strict=True)]


@given(parts())
def test_sums_per_score_are_those_of_a_dictionary(items: list[tuple[float, int, float]]) -> None:
    scores, labels, weights = columns(items)
    for heavy in (None, weights):
        found = Labelled.of(Scored(scores, labels, heavy))
        expected = {score: [0.0, 0.0] for score in sorted(set(scores))}
        for score, label, weight in items:
            expected[score][1 - label] += weight if heavy else 1
        assert found.scores.tolist() == list(expected)
        assert found.positives.tolist() == [positive for positive, _ in expected.values()]
        assert found.negatives.tolist() == [negative for _, negative in expected.values()]


@pytest.mark.parametrize("weighed", [False, True])
@given(a=parts(), b=parts(), c=parts())
def test_merged_parts_are_what_all_items_together_are(
    weighed: bool, a: list[Any], b: list[Any], c: list[Any]
) -> None:
    def summed(items: list[Any]) -> Labelled:
        scores, labels, weights = columns(items)
        return Labelled.of(Scored(scores, labels, weights if weighed else None))

    whole, apart = summed([*a, *b, *c]), [summed(some) for some in (a, b, c)]
    for merged in (apart[0] + apart[1] + apart[2], apart[2] + (apart[1] + apart[0])):
        for name in ("scores", "positives", "negatives"):
            assert getattr(merged, name).tolist() == getattr(whole, name).tolist()
            assert getattr(merged, name).dtype == getattr(whole, name).dtype
        assert RocAuc().value(merged) == RocAuc().value(whole)


def test_merging_with_something_else_is_refused() -> None:
    with pytest.raises(TypeError, match="unsupported operand"):
        Labelled.of(GOOD) + 1  # type: ignore[operator]


def test_weighted_and_unweighted_parts_merge() -> None:
    merged = Labelled.of(GOOD) + Labelled.of(Scored(SCORES, LABELS, [0.5, 0.5, 0.5, 0.5]))
    assert merged.positives.tolist() == [0.0, 1.5, 0.0, 1.5]
    assert RocAuc().value(merged) == 0.75
