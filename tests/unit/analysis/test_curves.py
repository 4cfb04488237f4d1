"""Curves of runs: how far each task goes, what is left out, and what is refused."""

import math
from collections.abc import Sequence

import polars as pl
import pytest

import errbar
from errbar.errors import InputError, NotEnoughTrials, UnknownMetric, WrongType
from errbar.metrics import PassAt
from exact import subset_mean

NAN = math.nan


def test_a_curve_goes_to_the_fewest_trials_of_a_question() -> None:
    scores = errbar.load(errbar.Counts([5, 7], [2, 3])).curve("pass@k")
    assert [str(score.metric) for score in scores] == ["pass@1", "pass@2", "pass@4", "pass@5"]
    for each, k in zip(scores, (1, 2, 4, 5), strict=True):
        exact = subset_mean(PassAt(k), [(5, 2), (7, 3)])
        assert each.value == pytest.approx(float(exact), abs=1e-14)


@pytest.mark.parametrize(
    ("trials", "ks"), [(1, [1]), (2, [1, 2]), (8, [1, 2, 4, 8]), (9, [1, 2, 4, 8, 9])]
)
def test_the_ks_of_a_curve_are_powers_of_two_and_the_last(trials: int, ks: list[int]) -> None:
    scores = errbar.load(errbar.Counts([trials], [1])).curve("pass^k")
    assert [str(score.metric) for score in scores] == [f"pass^{k}" for k in ks]


def of_two_tasks(grades: Sequence[float]) -> pl.DataFrame:
    """Two systems: 4 trials of a sum, and as many trials of an essay as it has grades."""
    rows = [
        (system, task, "q1", trial, outcome)
        for system in ("b", "a")
        for task, outcomes in (("sums", (1, 0, 1, 0)), ("essay", grades))
        for trial, outcome in enumerate(outcomes)
    ]
    names = ("system", "task", "question", "trial", "outcome")
    return pl.DataFrame(rows, schema=names, orient="row", strict=False)


def test_a_curve_of_each_system_goes_as_far_as_its_own_trials() -> None:
    counts = {"few": errbar.Counts([3, 4], [2, 1]), "many": errbar.Counts([9, 8], [2, 1])}
    scores = errbar.load(counts).curve("pass@k")
    assert [(score.system, str(score.metric)) for score in scores] == [
        (system, f"pass@{k}")
        for system, ks in (("few", (1, 2, 3)), ("many", (1, 2, 4, 8)))
        for k in ks
    ]
    for name, count in counts.items():
        assert scores.only(name).estimates == errbar.load({name: count}).curve("pass@k").estimates


def test_a_curve_of_a_system_without_results_is_a_dash() -> None:
    runs = errbar.load({"fine": [[1, 0], [1, 1]], "lost": [[NAN, NAN], [NAN, NAN]]})
    scores = runs.curve("pass@k", errors="missing")
    assert [(score.system, str(score.metric)) for score in scores] == [
        ("fine", "pass@1"),
        ("fine", "pass@2"),
        ("lost", "pass@1"),
    ]
    assert [score.reason for score in scores] == ["", "", "no row of it was scored"]


def test_a_curve_of_each_task_goes_as_far_as_its_own_trials() -> None:
    scores = errbar.load(of_two_tasks((1, 0))).curve("pass@k")
    assert [(score.system, score.task, str(score.metric)) for score in scores] == [
        (system, task, f"pass@{k}")
        for system in ("a", "b")
        for task, ks in (("essay", (1, 2)), ("sums", (1, 2, 4)))
        for k in ks
    ]


def test_a_curve_leaves_out_rewards_and_says_so() -> None:
    runs = errbar.load(of_two_tasks((0.5, 0.25)))
    scores = runs.curve("pass@k")
    assert {score.task for score in scores} == {"sums"}
    said = "pass@k leaves out a · essay, b · essay (2 of 4), whose outcomes are not 0 and 1;"
    assert any(remark.startswith(said) for remark in scores.remarks)
    asked = runs.curve("pass@k", [1, 2])
    assert {each.task for each in asked if math.isnan(each.value)} == {"essay"}
    assert "needs outcomes of 0 and 1; there are 0.25, 0.5. If they are rewards" in asked[0].reason
    with pytest.raises(WrongType, match=r"a · essay pass@1: needs outcomes .*and so for all 4"):
        errbar.load(of_two_tasks((0.5,)).filter(pl.col("task") == "essay")).curve("pass@k", [1, 2])


def test_a_curve_of_categories_leaves_none_out() -> None:
    scores = errbar.load(of_two_tasks((2, 1))).curve("max@k(weights=[0, 1, 2])")
    assert {score.task for score in scores} == {"sums", "essay"}


def test_a_curve_of_votes_leaves_out_rewards() -> None:
    table = of_two_tasks((0.5, 0.25)).with_columns(answer=pl.lit("x"))
    scores = errbar.load(table).curve("vote@k")
    assert {score.task for score in scores} == {"sums"}
    essay, sums = errbar.load(table).score("vote@1")[:2]
    assert essay.reason == "needs outcomes of 0 and 1; there are 0.25, 0.5"
    assert sums.value == 0.5


def test_a_curve_takes_the_ks_it_is_given_in_their_order() -> None:
    runs = errbar.load(errbar.Counts([5, 7], [2, 3]))
    for ks in ([3, 1], iter([3, 1])):
        assert [str(each.metric) for each in runs.curve("maj@k", ks)] == ["maj@3", "maj@1"]


def test_a_curve_beyond_the_trials_or_of_one_metric_is_refused() -> None:
    runs = errbar.load(errbar.Counts([5, 7], [2, 3]))
    with pytest.raises(NotEnoughTrials, match="the least 5"):
        runs.curve("pass@k", [6])
    with pytest.raises(UnknownMetric, match="letter k"):
        runs.curve("pass@8")
    with pytest.raises(InputError):
        runs.curve("pass@k", [0])
    with pytest.raises(InputError):
        runs.curve("pass@k", [])


def test_a_curve_heeds_the_policy_on_failed_rows() -> None:
    runs = errbar.load([[1, NAN, 0, 1], [1, 1, NAN, NAN]])
    assert [str(each.metric) for each in runs.curve("pass@k", errors="missing")] == [
        "pass@1",
        "pass@2",
    ]
    assert [str(each.metric) for each in runs.curve("pass@k")] == ["pass@1", "pass@2", "pass@4"]


def test_a_curve_over_a_question_without_result_says_so() -> None:
    runs = errbar.load([[1, 0], [NAN, NAN]])
    try:
        scores = runs.curve("pass@k", errors="missing")
    except NotEnoughTrials as refused:
        said = str(refused)
    else:
        said = " ".join(scores.remarks)
        assert [(str(score.metric), score.value) for score in scores] == [
            ("pass@1", 0.5),
            ("pass@2", 1),
        ]
    assert "1 of 2 questions" in said
