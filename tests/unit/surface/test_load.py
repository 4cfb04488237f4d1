"""Arrays, counts and tables → Runs; rows that failed, and questions that are short."""

import math
import pickle
import zipfile
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import errbar
from errbar.errors import InputError, NotEnoughTrials, RepeatedTrial, UnknownMetric, WrongType

NAN = math.nan
MATRIX = [[1, 0, 1, 1], [0, 0, 1, 0]]

# Rows of one question: outcome and status. Three fail, and one of those was scored 1 all the same.
FAILING = {
    "a": [(1, "ok"), (None, "error"), (0, "ok"), (1, "limit")],
    "b": [(0, "ok"), (1, "timeout"), (None, "missing"), (1, "ok")],
}


def failing() -> pl.DataFrame:
    """The outcomes with failures, as a table."""
    return pl.DataFrame(
        [
            {"question": question, "trial": trial, "outcome": outcome, "status": status}
            for question, rows in FAILING.items()
            for trial, (outcome, status) in enumerate(rows)
        ]
    )


def banks(failed: int | None) -> list[list[int]]:
    """Results by question, with failed ones taken as `failed`, or left out."""
    return [
        [
            value
            for outcome, status in rows
            if (value := outcome if status in ("ok", "limit") else failed) is not None
        ]
        for rows in FAILING.values()
    ]


def pass_at(k: int, results: list[list[int]]) -> float:
    """By looking at every draw of k trials."""
    return float(
        mean(Fraction(mean(max(draw) for draw in combinations(bank, k))) for bank in results)
    )


def values(scores: Any) -> dict[tuple[str, str], float]:
    return {(str(score.of), str(score.metric)): score.value for score in scores}


def value(scores: Any) -> float:
    """Of the only estimate."""
    (score,) = scores
    return float(score.value)


# What can be given.


@pytest.mark.parametrize(
    "data",
    [
        MATRIX,
        tuple(map(tuple, MATRIX)),
        np.array(MATRIX),
        np.array(MATRIX, dtype=bool),
        np.array(MATRIX, dtype=float),
        np.array(MATRIX, dtype=np.int8).T.copy().T,
        [np.array(row) for row in MATRIX],
        errbar.Counts([4, 4], [3, 1]),
        pl.DataFrame({"question": [0] * 4 + [1] * 4, "outcome": [*MATRIX[0], *MATRIX[1]]}),
        pd.DataFrame({"question": list("aaaabbbb"), "outcome": [*MATRIX[0], *MATRIX[1]]}),
    ],
    ids=str,
)
def test_the_same_outcomes_score_the_same_in_any_form(data: Any) -> None:
    scores = errbar.load(data).score("pass@1", "pass@2")
    assert [score.value for score in scores] == [pass_at(1, MATRIX), pass_at(2, MATRIX)]
    assert [(score.system, score.questions, score.trials) for score in scores] == [("", 2, 8)] * 2
    assert (
        scores.estimates
        == errbar.score(errbar.Counts([4, 4], [3, 1]), "pass@1", "pass@2")[:].estimates
    )


def test_three_dimensions_are_systems_questions_and_trials() -> None:
    cube = np.zeros((3, 2, 4))
    cube[1] = MATRIX
    cube[2] = 1
    found = values(errbar.load(cube).score("pass@1"))
    assert found == {
        ("system 1", "pass@1"): 0,
        ("system 2", "pass@1"): 0.5,
        ("system 3", "pass@1"): 1,
    }
    assert found == values(errbar.load(cube.tolist()).score("pass@1"))


def test_matrices_by_name_are_systems_and_may_differ_in_size() -> None:
    runs = errbar.load({"b": MATRIX, "a": [[1, 1, 0]]})
    scores = runs.score("avg")
    assert values(scores) == {("b", "avg"): 0.5, ("a", "avg"): pytest.approx(2 / 3)}
    assert [score.system for score in scores] == ["b", "a"]  # as they were given


def test_counts_by_name_are_systems() -> None:
    runs = errbar.load(
        {"x": errbar.Counts([4, 2], [1, 2], ["p", "q"]), "y": errbar.Counts([1], [0])}
    )
    assert values(runs.score("avg")) == {("x", "avg"): 5 / 8, ("y", "avg"): 0}


def test_counts_may_be_of_unequal_trials_and_of_no_names() -> None:
    scores = errbar.load(errbar.Counts([5, 7, 7], [0, 7, 3])).score("pass@5")
    bank = [[0] * 5, [1] * 7, [1] * 3 + [0] * 4]
    assert value(scores) == pytest.approx(pass_at(5, bank), abs=1e-14)


def test_a_nan_in_a_matrix_is_a_failed_trial() -> None:
    runs = errbar.load([[1, NAN, 0], [1, 1, NAN]])
    assert value(runs.score("avg")) == pytest.approx((1 / 3 + 2 / 3) / 2)
    assert value(runs.score("avg", errors="missing")) == pytest.approx((1 / 2 + 1) / 2)
    said = runs.score("avg").remarks[0]
    assert said.startswith("⚠ 2 of 6 rows have no outcome and no status that says why: counted as")


def test_a_masked_entry_is_never_read_as_if_it_were_data() -> None:
    masked = np.ma.array([[1, 1], [1, 1]], mask=[[False, True], [False, False]])
    try:
        scores = errbar.load(masked).score("avg")
    except InputError:
        return
    assert value(scores) == 0.75


@pytest.mark.parametrize("told", [{"question": "id"}, {"questoin": "id"}])
@pytest.mark.parametrize("data", [MATRIX, {"a": MATRIX}, errbar.Counts([4], [2])], ids=str)
def test_columns_told_of_data_without_columns_are_refused(data: Any, told: Any) -> None:
    with pytest.raises(InputError, match=r"columns|quest"):
        errbar.load(data, **told)


def test_names_that_become_one_as_text_are_refused() -> None:
    for data in (MATRIX, errbar.Counts([4], [2])):
        with pytest.raises(InputError, match="same name"):
            errbar.load({1: data, "1": data})


WRONG: list[tuple[Any, str]] = [
    (5, "int"),
    (None, "NoneType"),
    (b"bytes", "bytes"),
    ({1, 2}, "set"),
    (({1, 0} for _ in range(3)), "set|number"),
    ([], "list|empty"),
    ({}, "the dict is empty"),
    ([[]], "empty"),
    (np.zeros((0, 3)), "0 questions"),
    (np.zeros((3, 0)), "0 trials"),
    (np.array(3), "0 dimensions"),
    (np.zeros((1, 1, 1, 1)), "4 dimensions"),
    ([["a", "b"]], "'a'"),
    ([["1", "maybe", "0"]], "'1', 'maybe', '0'"),
    ([[1, object()]], "object"),
    ([[[1, 0], [1]]], "equal|unequal|as many"),
    (np.array([[1j]]), "complex"),
    (np.zeros((2, 2), dtype="M8[s]"), "datetime"),
    ({"a": [[1], [1, 0]]}, "a"),
    ({"a": "text"}, "a"),
]


@pytest.mark.parametrize(("data", "said"), WRONG, ids=range(len(WRONG)))
def test_what_cannot_be_read_is_refused_with_a_reason(data: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        errbar.load(data).score("avg")


def test_no_question_at_all_cannot_even_be_inspected() -> None:
    with pytest.raises(InputError):
        errbar.load(errbar.Counts([], [])).inspect().to_dicts()


def test_repeats_is_refused_or_keep() -> None:
    with pytest.raises(InputError, match="'both'"):
        errbar.load(MATRIX, repeats="both")  # type: ignore[arg-type]


# Array files.


def test_an_npy_file_is_a_matrix_or_a_matrix_per_system(tmp_path: Path) -> None:
    np.save(tmp_path / "two.npy", np.array(MATRIX))
    np.save(tmp_path / "three.npy", np.array([MATRIX, [[1] * 4] * 2]))
    assert value(errbar.load(tmp_path / "two.npy").score("avg")) == 0.5
    found = values(errbar.load(str(tmp_path / "three.npy")).score("avg"))
    assert found == {("system 1", "avg"): 0.5, ("system 2", "avg"): 1}


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_arrays_of_an_npz_file_are_systems(tmp_path: Path, save: Callable[..., None]) -> None:
    save(tmp_path / "runs.npz", small=np.array(MATRIX), large=np.ones((2, 3)))
    found = values(errbar.load(tmp_path / "runs.npz").score("avg"))
    assert found == {("small", "avg"): 0.5, ("large", "avg"): 1}


class Trap:
    """Creates a file when it is unpickled."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> tuple[Any, tuple[str, str]]:
        return open, (str(self.place), "w")


def test_the_trap_itself_works(tmp_path: Path) -> None:
    pickle.loads(pickle.dumps(Trap(tmp_path / "sprung"))).close()
    assert (tmp_path / "sprung").exists()


@pytest.mark.parametrize("name", ["array.npy", "bare.npy", "array.npz", "bare.npz", "member.npz"])
def test_a_pickle_is_refused_and_never_run(name: str, tmp_path: Path) -> None:
    trap = Trap(tmp_path / "sprung")
    file = tmp_path / name
    objects = np.array([[trap]], dtype=object)
    if name == "array.npz":
        np.savez(file, a=objects)
    elif name == "array.npy":
        np.save(file, objects, allow_pickle=True)
    elif name == "member.npz":
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("a.npy", pickle.dumps(trap))
    else:
        file.write_bytes(pickle.dumps(trap))
    with pytest.raises(InputError, match=name) as refused:
        errbar.load(file).score("avg")
    assert "unsafely" not in str(refused.value)
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize("ending", [".npy", ".npz"])
@pytest.mark.parametrize("harm", ["truncated", "halved", "empty", "text", "flipped"])
def test_a_damaged_array_file_is_refused_by_name(ending: str, harm: str, tmp_path: Path) -> None:
    file = tmp_path / f"runs{ending}"
    if ending == ".npy":
        np.save(file, np.array(MATRIX))
    else:
        np.savez(file, a=np.array(MATRIX))
    whole = file.read_bytes()
    flipped = bytearray(whole)
    flipped[100 if ending == ".npz" else 3] ^= 0xFF
    file.write_bytes(
        {
            "truncated": whole[:-9],
            "halved": whole[: len(whole) // 2],
            "empty": b"",
            "text": b"question,outcome\na,1\n",
            "flipped": bytes(flipped),
        }[harm]
    )
    with pytest.raises(InputError, match=f"runs{ending}") as refused:
        errbar.load(file).score("avg")
    assert not str(refused.value).endswith("..")


def test_several_array_files_are_systems(tmp_path: Path) -> None:
    for name in ("a", "b"):
        np.save(tmp_path / f"{name}.npy", np.array(MATRIX))
    scores = errbar.load(str(tmp_path / "*.npy")).score("avg")
    assert [score.system for score in scores] == ["a", "b"]
    assert [score.value for score in scores] == [errbar.load(MATRIX).score("avg")[0].value] * 2


def test_text_in_an_array_file_is_refused_in_one_sentence(tmp_path: Path) -> None:
    np.save(tmp_path / "runs.npy", np.array([["a"]]))
    with pytest.raises(InputError, match=r"runs\.npy.*numbers.*'a'\.$"):
        errbar.load(tmp_path / "runs.npy")


# Rows that failed.


def test_failed_rows_are_wrong_unless_told_otherwise() -> None:
    scores = errbar.load(failing()).score("pass@1", "pass@2")
    assert [score.value for score in scores] == pytest.approx(
        [pass_at(k, banks(0)) for k in (1, 2)]
    )
    assert (
        scores.estimates
        == errbar.load(failing()).score("pass@1", "pass@2", errors="fail").estimates
    )
    assert {score.trials for score in scores} == {8}


def test_failed_rows_can_be_left_out() -> None:
    scores = errbar.load(failing()).score("pass@1", "pass@2", errors="missing")
    assert [score.value for score in scores] == [
        pytest.approx(pass_at(k, banks(None)), abs=1e-15) for k in (1, 2)
    ]
    assert {score.trials for score in scores} == {5}


def test_failed_rows_can_be_taken_both_ways() -> None:
    scores = errbar.load(failing()).score("pass@1", "pass@2", errors="bracket")
    found = {(str(score.of), str(score.metric)): score.value for score in scores}
    assert found == {
        (f"(failed as {name})", f"pass@{k}"): pytest.approx(pass_at(k, banks(value)))
        for name, value in (("wrong", 0), ("right", 1))
        for k in (1, 2)
    }


def test_both_ways_stand_beside_each_other_for_every_system_and_metric() -> None:
    data = {"b (x)": [[1, NAN]], "a": [[0, 1]]}
    scores = errbar.load(data).score("pass@1", "pass@2", errors="bracket")
    rows = {(str(score.of), str(score.metric)): score.value for score in scores}
    for metric, worst, best in (("pass@1", 0.5, 1), ("pass@2", 1, 1)):
        assert rows["b (x) (failed as wrong)", metric] == worst
        assert rows["b (x) (failed as right)", metric] == best
        assert rows["a (failed as wrong)", metric] == rows["a (failed as right)", metric]
    assert len(rows) == len(scores) == 8
    order = [score.system.partition(" (failed")[0] for score in scores]
    assert order == ["b (x)"] * 4 + ["a"] * 4  # systems stay as they were given


@pytest.mark.parametrize(
    ("errors", "said"),
    [
        ("fail", "counted as wrong"),
        ("missing", "left out"),
        ("bracket", "counted both as wrong and as right"),
    ],
)
def test_the_policy_and_its_numbers_stand_under_the_table(errors: Any, said: str) -> None:
    scores = errbar.load(failing()).score("pass@1", errors=errors)
    remark = f"3 of 8 rows have no result (error 1, missing 1, timeout 1): {said}."
    assert remark in scores.remarks
    assert remark in " ".join(str(scores).split())


def test_nothing_is_said_of_failures_where_there_are_none() -> None:
    assert errbar.load(MATRIX).score("avg").remarks == (
        "Matrix: 2 rows are questions, 4 columns are trials.",
    )


def test_abstained_rows_are_counted_as_their_outcome_says_and_unscored_ones_never() -> None:
    table = pl.DataFrame(
        {
            "question": ["a"] * 4,
            "outcome": [1, 1, 0, None],
            "status": ["abstained", "unscored", "ok", "ok"],
        }
    )
    runs = errbar.load(table)
    assert value(runs.score("avg")) == 1 / 3
    assert value(runs.score("avg", errors="missing")) == 1 / 2
    (found,) = runs.inspect().to_dicts()
    assert (found["rows"], found["failed"], found["unscored"]) == (4, 1, 1)


def test_an_unknown_status_of_a_row_without_an_outcome_is_refused() -> None:
    table = pl.DataFrame({"question": ["a"] * 2, "outcome": [1, None], "status": ["ok", "flaky"]})
    for ask in (lambda: errbar.load(table).score("avg"), lambda: errbar.load(table).inspect()):
        with pytest.raises(InputError, match="'flaky'"):
            ask()


def test_an_unknown_status_of_a_row_with_an_outcome_is_warned_of_unless_it_is_mapped() -> None:
    table = pl.DataFrame({"question": ["a"] * 2, "outcome": [1, 0], "status": ["ok", "flaky"]})
    scores = errbar.load(table).score("avg")
    assert value(scores) == 0.5
    assert "'flaky' (1)" in str(scores).partition("\navg ")[0]  # above the table
    with pytest.raises(InputError, match="'flaky'"):
        errbar.load(table, status="status").score("avg")


def test_a_status_can_be_ignored() -> None:
    table = pl.DataFrame({"question": ["a"] * 2, "outcome": [1, 0], "status": ["ok", "crashed"]})
    runs = errbar.load(table, status=None)
    assert value(runs.score("avg")) == 0.5
    assert runs.inspect().statuses == {}


def test_an_unknown_policy_is_refused_with_the_known_ones() -> None:
    runs = errbar.load(MATRIX)
    with pytest.raises(InputError, match="'fail', 'missing' or 'bracket'; got 'ignore'"):
        runs.score("avg", errors="ignore")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="'error', 'drop' or 'posterior'; got 'ignore'"):
        runs.score("avg", short="ignore")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="'ignore'"):
        runs.curve("pass@k", errors="ignore")  # type: ignore[arg-type]


@pytest.mark.parametrize("short", ["error", "drop", "posterior"])
@pytest.mark.parametrize("metric", ["avg", "avg(weights=[0, 1, 2])", "pass@1"])
@pytest.mark.parametrize("form", ["matrix", "table"])
def test_a_question_with_no_result_is_not_left_out_in_silence(
    form: str, metric: str, short: Any
) -> None:
    results = [[1, NAN], [NAN, NAN]]
    table = pl.DataFrame({"question": list("aabb"), "outcome": [1, None, None, None]})
    runs = errbar.load(results if form == "matrix" else table)
    try:
        scores = runs.score(metric, errors="missing", short=short)
    except NotEnoughTrials as refused:
        said = str(refused)
        assert short != "drop"
        assert "at most 0" not in said
    else:
        said = " ".join(scores.remarks)
        assert [(score.value, score.questions, score.trials) for score in scores] == [(1, 1, 1)]
        assert "3 of 4 rows" in said
    assert "1 of 2 questions" in said


def test_a_system_whose_every_row_failed_has_no_number_and_says_why() -> None:
    table = pl.DataFrame(
        {"system": list("sstt"), "question": list("abab"), "outcome": [0, 2, None, None]}
    )
    first, second = errbar.load(table).score("avg(weights=[0, 1, 2])", errors="missing")
    assert (first.value, first.reason) == (1.0, "")
    assert math.isnan(second.value)
    assert second.reason == "no row of it was scored"
    nobody = table.filter(pl.col("system") == "t")
    with pytest.raises(InputError, match=r"^t avg: no row of it was scored\.$"):
        errbar.load(nobody).score("avg", errors="missing")


# Questions that are short.

UNEQUAL = {"a": errbar.Counts([4, 2, 4], [2, 1, 1]), "b": errbar.Counts([4, 4], [2, 1])}


def test_short_questions_leave_a_dash_and_say_how_many_there_are() -> None:
    short, fine = errbar.load(UNEQUAL).score("pass@3")
    assert math.isnan(short.value)
    assert short.reason == (
        "needs 3 trials per question; 1 of 3 questions have fewer, the least 2; short='drop' "
        "leaves those out"
    )
    assert fine.value == errbar.load({"b": UNEQUAL["b"]}).score("pass@3")[0].value


def test_short_questions_can_be_dropped_and_are_counted() -> None:
    scores = errbar.load(UNEQUAL).score("pass@1", "pass@3", short="drop")
    found = values(scores)
    kept = [[1, 1, 0, 0], [1, 0, 0, 0]]
    assert found["a", "pass@3"] == found["b", "pass@3"] == pytest.approx(pass_at(3, kept))
    assert found["a", "pass@1"] == pytest.approx(pass_at(1, [*kept, [1, 0]]))
    assert scores.remarks == (
        "a: pass@3 leaves out 1 of 3 questions, which have fewer than 3 trials.",
    )
    assert [score.questions for score in scores] == [3, 2, 2, 2]


def test_dropping_every_question_is_an_error() -> None:
    said = r"a pass@5: needs 5 trials per question; the most are 4 \(and so for all 2\)"
    with pytest.raises(NotEnoughTrials, match=said):
        errbar.load(UNEQUAL).score("pass@5", short="drop")


ONE_IS_SHORT = {
    "once": errbar.Counts([1, 1, 1], [1, 0, 1]),
    "often": errbar.Counts([4, 4, 4], [4, 2, 4]),
    "twice": errbar.Counts([2, 2], [1, 2]),
}


def test_every_system_that_is_short_is_named_with_what_to_do() -> None:
    scores = errbar.load(ONE_IS_SHORT).score("avg", "pass^4")
    said = {score.system: score.reason for score in scores if math.isnan(score.value)}
    assert said == {
        name: f"needs 4 trials per question; {few} of {few} questions have fewer, the least "
        f"{most}; lower k to at most {most}, or extrapolate with short='posterior'"
        for name, few, most in (("once", 3, 1), ("twice", 2, 2))
    }
    with pytest.raises(NotEnoughTrials, match=r"once pass\^5.*and so for all 3"):
        errbar.load(ONE_IS_SHORT).score("pass^5")


def test_whoever_has_no_question_left_keeps_no_other_from_being_scored() -> None:
    scores = errbar.load(ONE_IS_SHORT).score("avg", "pass^4", short="drop")
    found = {(score.system, str(score.metric)): score for score in scores}
    assert found["often", "pass^4"].value == pytest.approx(2 / 3)
    assert found["once", "avg"].value == pytest.approx(2 / 3)
    for name, most in (("once", 1), ("twice", 2)):
        score = found[name, "pass^4"]
        assert math.isnan(score.value)
        assert (score.questions, score.trials) == (0, 0)
        assert score.reason == f"needs 4 trials per question; the most are {most}"
    assert "once pass^4: needs 4 trials per question" in str(scores)


def test_votes_too_are_scored_of_whoever_has_trials_enough() -> None:
    table = pl.DataFrame(
        {
            "system": ["once", "often", "often", "often"],
            "question": "q",
            "trial": [1, 1, 2, 3],
            "answer": "x",
            "outcome": 1,
        }
    )
    runs = errbar.load(table)
    often, once = runs.score("vote@3", short="drop")
    assert math.isnan(once.value)
    assert often.value == 1
    with pytest.raises(NotEnoughTrials, match="often vote@4: needs 4 trials per question"):
        runs.score("vote@4", short="drop")


def test_short_questions_can_be_left_to_the_posterior() -> None:
    scores = errbar.load(UNEQUAL).score("pass@3", short="posterior")
    first, second = scores
    assert math.isnan(first.value)
    assert "exceeds the trials" in first.reason
    assert second.value == pytest.approx(pass_at(3, [[1, 1, 0, 0], [1, 0, 0, 0]]))
    assert scores.estimates[1:] == errbar.score(UNEQUAL, "pass@3", short="posterior")[1:].estimates
    assert scores.method.startswith("Bayesian bootstrap over questions")  # of the second
    assert "; pass@3: bounds over all difficulty distributions" in scores.method  # of the first
    dropped = errbar.load(UNEQUAL).score("pass@1", "pass@3", short="drop")
    assert "learned" not in dropped.method
    alone = errbar.load(errbar.Counts([4], [2])).score("pass@8", short="posterior")
    assert alone.method.startswith("bounds over all difficulty distributions")


def test_dropping_works_with_categories_too() -> None:
    runs = errbar.load([[0, 1, 2], [2, 2, NAN]])
    metric = "max@3(weights=[0, 0.5, 1])"
    scores = runs.score(metric, errors="missing", short="drop")
    assert value(scores) == 1
    assert [score.questions for score in scores] == [1]
    assert "leaves out 1 of 2 questions" in scores.remarks[0]


# Levels and metrics.


def test_the_level_changes_the_interval_and_nothing_else() -> None:
    wide, narrow = (errbar.load(MATRIX).score("avg", level=level)[0] for level in (0.95, 0.5))
    assert (wide.value, wide.mean, wide.sd) == (narrow.value, narrow.mean, narrow.sd)
    assert (wide.interval.level, narrow.interval.level) == (0.95, 0.5)
    assert wide.interval.low < narrow.interval.low < wide.value
    assert wide.value < narrow.interval.high < wide.interval.high


def test_a_level_given_on_its_own_wins_over_that_of_the_method() -> None:
    scores = errbar.load(MATRIX).score("avg", method=errbar.Posterior(level=0.9), level=0.8)
    assert scores[0].interval.level == 0.8


@pytest.mark.parametrize("level", [0, 1, 95, -0.1, NAN])
def test_a_level_outside_of_0_and_1_is_refused(level: float) -> None:
    with pytest.raises(InputError, match="level"):
        errbar.load(MATRIX).score("avg", level=level)


def test_metrics_are_names_or_values_one_by_one() -> None:
    runs = errbar.load(MATRIX)
    assert runs.score(errbar.parse("pass@2")).estimates == runs.score("pass@2").estimates
    assert runs.score() == runs.score("avg")
    with pytest.raises(WrongType, match=r"\['avg'\]"):
        runs.score(["avg"])  # type: ignore[arg-type]
    with pytest.raises(UnknownMetric, match="Did you mean 'pass@k'"):
        runs.score("pas@2")
    for text, near in (("pass", "pass@k"), ("maj", "maj@k"), ("rocauc", "roc-auc")):
        with pytest.raises(UnknownMetric, match=f"Did you mean '{near}'"):
            errbar.parse(text)
    for usual, name in (("auroc", "roc-auc"), ("log_loss", "log-loss"), ("brier_score", "brier")):
        assert str(errbar.parse(usual)) == name
    with pytest.raises(WrongType, match="ranked"):
        runs.score("aurc")


def test_estimates_come_system_by_system_in_the_order_of_the_metrics() -> None:
    scores = errbar.load({"b": MATRIX, "a": MATRIX}).score("pass@2", "avg")
    assert [(score.system, str(score.metric)) for score in scores] == [
        *(("b", "pass@2"), ("b", "avg")),
        *(("a", "pass@2"), ("a", "avg")),
    ]


# Slices.

SLICED: dict[str, list[Any]] = {
    "model": ["m"] * 8,
    "question": list("aabbccdd"),
    "passed": [True, False, True, True, False, False, None, True],
    "level": ["easy"] * 4 + ["hard"] * 4,
    "lang": ["en", "en", "de", "de"] * 2,
}


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_slices_by_one_column_are_scored_apart(kind: Any) -> None:
    runs = errbar.load(kind(SLICED))
    expected = {("m · easy", "pass@1"): 3 / 4, ("m · hard", "pass@1"): 1 / 4}
    assert values(runs.score("pass@1", by="level")) == expected
    assert values(runs.score("pass@1", by=["level"])) == expected


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_slices_by_several_columns_are_scored_apart(kind: Any) -> None:
    scores = errbar.load(kind(SLICED)).score("pass@1", by=["level", "lang"])
    assert values(scores) == {
        ("m · easy · de", "pass@1"): 1,
        ("m · easy · en", "pass@1"): 1 / 2,
        ("m · hard · de", "pass@1"): 1 / 2,
        ("m · hard · en", "pass@1"): 0,
    }
    assert {(score.questions, score.trials) for score in scores} == {(1, 2)}


def test_a_slice_without_a_value_is_shown_and_not_dropped() -> None:
    table = pl.DataFrame({"question": list("ab"), "outcome": [1, 0], "level": [None, "hard"]})
    scores = errbar.load(table).score("pass@1", by=["level"])
    assert len(scores) == 2
    assert sum(score.trials for score in scores) == 2


def test_categories_of_a_slice_are_its_own() -> None:
    table = pl.DataFrame({"question": list("aabb"), "outcome": [0, 1, 2, 2], "g": list("xxyy")})
    scores = errbar.load(table).score("avg(weights=[0, 1, 2])", by=["g"])
    assert [(score.slice, score.value, score.questions) for score in scores] == [
        ((("g", "x"),), 0.5, 1),
        ((("g", "y"),), 2, 1),
    ]


def test_tasks_are_scored_apart_and_named() -> None:
    table = pl.DataFrame({"task": list("xxyy"), "question": list("abab"), "outcome": [1, 1, 0, 1]})
    assert values(errbar.load(table).score("avg")) == {("x", "avg"): 1, ("y", "avg"): 0.5}
    part = table.filter(pl.col("task") == "y").with_columns(system=pl.lit("s"))
    assert values(errbar.load(part).score("avg")) == {("s · y", "avg"): 0.5}


def test_slices_whose_names_look_alike_are_distinguished() -> None:
    table = pl.DataFrame(
        {"system": ["a · b", "a"], "task": ["c", "b · c"], "question": [1, 1], "outcome": [1, 0]}
    )
    scores = errbar.load(table).score("avg")
    assert [(score.system, score.task, score.value) for score in scores] == [
        ("a", "b · c", 0),
        ("a · b", "c", 1),
    ]


def test_a_column_to_group_by_that_is_named_twice_is_taken_once() -> None:
    runs = errbar.load(pl.DataFrame(SLICED))
    assert runs.score("avg", by=["lang", "lang"]) == runs.score("avg", by=["lang"])


@pytest.mark.parametrize("data", [MATRIX, errbar.Counts([4], [2]), pl.DataFrame(SLICED)], ids=str)
def test_a_column_to_group_by_that_is_not_there_is_named(data: Any) -> None:
    with pytest.raises(InputError, match="'nope'"):
        errbar.load(data).score("avg", by=["nope"])


def test_a_column_to_group_by_that_is_misspelt_is_hinted_at() -> None:
    with pytest.raises(InputError, match="Did you mean 'level'"):
        errbar.load(pl.DataFrame(SLICED)).score("avg", by=["levle"])


# Categories and rewards.


@pytest.mark.parametrize("form", ["matrix", "table"])
def test_categories_are_weighed(form: str) -> None:
    results = [[0, 1, 2], [2, 2, 0]]
    table = pl.DataFrame({"question": list("aaabbb"), "outcome": [0, 1, 2, 2, 2, 0]})
    runs = errbar.load(results if form == "matrix" else table)
    scores = runs.score("avg(weights=[0, 0.5, 1])", "max@2(weights=[0, 0.5, 1])")
    weighed: list[list[float]] = [[0, 0.5, 1], [1, 1, 0]]
    assert scores[0].value == pytest.approx(mean(mean(row) for row in weighed))
    best = mean(mean(max(draw) for draw in combinations(row, 2)) for row in weighed)
    assert scores[1].value == pytest.approx(best)


@pytest.mark.parametrize("outcome", [0, 1, 2])
def test_categories_may_all_be_the_same(outcome: int) -> None:
    weights = [0, 0.5, 2]
    scores = errbar.load([[outcome] * 2] * 2).score(f"avg(weights={weights})")
    assert value(scores) == weights[outcome]


def test_weights_of_right_and_wrong_need_no_categories() -> None:
    assert value(errbar.load([[0, 1], [1, 1]]).score("avg(weights=[0, 2])")) == 1.5
    assert value(errbar.load(errbar.Counts([2, 2], [1, 2])).score("avg(weights=[0, 2])")) == 1.5
    assert value(errbar.load([[0, 1], [1, 1]]).score("avg(weights=[0, 2, 5])")) == 1.5


def test_a_category_without_weight_is_named() -> None:
    with pytest.raises(WrongType, match=r"outcomes 0 to 2; the data have 3"):
        errbar.load([[0, 1, 3]]).score("avg(weights=[0, 0.5, 1])")


@pytest.mark.parametrize("metric", ["bayes", "pass@1", "maj@1"])
@pytest.mark.parametrize("outcomes", [[0, 0.5], [0, 2], [-1, 1], [1, math.inf]])
def test_a_metric_of_right_and_wrong_refuses_rewards_and_says_what_takes_them(
    metric: str, outcomes: list[float]
) -> None:
    with pytest.raises(WrongType, match=r"needs outcomes of 0 and 1.*avg.*weights"):
        errbar.load([outcomes]).score(metric)


def test_a_refused_reward_is_one_that_the_system_has() -> None:
    fine, odd = errbar.load({"fine": [[0, 1]], "odd": [[0, 0.25]]}).score("pass@1")
    assert (fine.value, fine.reason) == (0.5, "")
    assert "there are 0, 0.25. If they are rewards" in odd.reason


def test_a_category_out_of_range_is_refused_to_the_system_that_has_it() -> None:
    metric = "avg(weights=[0, 0.5, 1])"
    runs = errbar.load({"fine": [[0, 1, 2]], "odd": [[0, 1, 3]]})
    fine, odd = runs.score(metric)
    assert fine.value == pytest.approx(0.5)
    assert odd.reason == "has weights for the outcomes 0 to 2; the data have 3"
    with pytest.raises(WrongType, match=r"nothing can be scored\. fine.*the data have 2"):
        runs.score("avg(weights=[0, 0.5])")


def test_an_endless_reward_spoils_the_mean_of_its_own_system_alone() -> None:
    fine, odd = errbar.load({"fine": [[0.5, 1]], "odd": [[0.5, math.inf]]}).score("avg")
    assert fine.value == 0.75
    assert "an outcome is inf, which has no mean" in odd.reason


def test_failed_rows_have_no_category() -> None:
    runs = errbar.load([[0, 1, 2], [2, 2, NAN]])
    metric = "avg(weights=[0, 0.5, 1])"
    policies: tuple[Any, ...] = ("fail", "bracket")
    for errors in policies:
        with pytest.raises(InputError, match="errors='missing'"):
            runs.score(metric, errors=errors)
    assert value(runs.score(metric, errors="missing")) == pytest.approx((0.5 + 1) / 2)


# Contents of the data.


def test_an_inspection_counts_everything() -> None:
    found = errbar.load(failing()).inspect()
    assert found.to_dicts() == [
        {
            "system": "",
            "task": "",
            "questions": 2,
            "rows": 8,
            "failed": 3,
            "unscored": 0,
            "least_trials": 4,
            "median_trials": 4.0,
            "most_trials": 4,
            "binary": True,
        }
    ]
    assert found.statuses == {"error": 1, "limit": 1, "missing": 1, "ok": 4, "timeout": 1}
    assert "Status: error 1, limit 1, missing 1, ok 4, timeout 1." in found.notes()


def test_the_median_of_trials_is_over_questions() -> None:
    (found,) = errbar.load(errbar.Counts([1, 1, 1, 9, 4], [0, 1, 1, 5, 2])).inspect().to_dicts()
    assert (found["least_trials"], found["median_trials"], found["most_trials"]) == (1, 1.0, 9)
    (found,) = errbar.load(errbar.Counts([1, 4], [0, 1])).inspect().to_dicts()
    assert found["median_trials"] == 2.5


def test_an_inspection_says_whether_outcomes_are_right_or_wrong() -> None:
    found = errbar.load({"a": [[0, 1]], "b": [[0, 0.5]]}).inspect().to_dicts()
    assert [row["binary"] for row in found] == [True, False]


def test_an_inspection_shows_what_was_guessed() -> None:
    table = pd.DataFrame({"task_id": ["a"], "passed": [True]})
    shown = str(errbar.load(table).inspect())
    assert shown.startswith(
        "Read 1 question, 1 row.\n\n"
        "Columns: question = task_id, outcome = passed (outcome='…' to change)."
    )
    assert "Columns: question = task_id" in str(errbar.load(table).score("avg")).partition("[95")[0]
    assert repr(errbar.load(table)) == ("Runs(1 question, 1 row)")


# Tables, in short; every engine is in the conformance suite.


def test_a_repeated_trial_is_refused_or_kept() -> None:
    table = pl.DataFrame({"question": list("aab"), "trial": [0, 0, 0], "outcome": [1, 0, 1]})
    with pytest.raises(RepeatedTrial, match="question 'a', trial '0' occurs 2 times"):
        errbar.load(table).score("avg")
    assert value(errbar.load(table, repeats="keep").score("avg")) == 0.75


def test_a_row_without_a_question_is_refused() -> None:
    table = pl.DataFrame({"question": ["a", None, None], "outcome": [1, 0, 1]})
    with pytest.raises(InputError, match=r"2 .*no question|question.* 2 "):
        errbar.load(table).score("avg")


def test_a_row_without_a_system_is_shown_apart() -> None:
    table = pl.DataFrame(
        {"system": ["m", None], "question": ["a", "a"], "outcome": [1, 0], "trial": [0, 0]}
    )
    scores = errbar.load(table).score("avg")
    assert len(scores) == 2
    assert values(scores)["m", "avg"] == 1


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_text_among_outcomes_is_refused_with_its_column(kind: Any) -> None:
    table = kind({"question": ["a", "b"], "passed": ["1", "abc"]})
    with pytest.raises(WrongType, match="'passed'"):
        errbar.load(table).score("avg")


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_a_table_without_rows_is_refused(kind: Any) -> None:
    table = kind({"question": ["a"], "outcome": [1]})[:0]
    with pytest.raises(InputError, match="no row"):
        errbar.load(table).score("avg")


def test_a_table_of_the_user_is_left_as_it_was() -> None:
    table = pd.DataFrame(SLICED)
    before = table.copy(deep=True)
    errbar.load(table).score("pass@1", by=["level"])
    pd.testing.assert_frame_equal(table, before)


def test_columns_of_a_pandas_table_may_be_numbered() -> None:
    table = pd.DataFrame([["a", 1, 0], ["b", 0, 1]], columns=["question", "outcome", 7])
    assert value(errbar.load(table).score("avg")) == 0.5


def test_two_columns_of_one_name_are_refused() -> None:
    table = pd.DataFrame([[1, 1, 0]], columns=["question", "outcome", "outcome"])
    with pytest.raises(InputError, match=r"^two columns are named 'outcome'; rename one\.$"):
        errbar.load(table)


def test_a_reader_is_refused_beside_spark() -> None:
    with pytest.raises(InputError, match="Convert the log first: errbar convert"):
        errbar.load("log.eval", reader="inspect_ai", spark=object())


def test_columns_that_pool_rows_by_their_absence_are_named() -> None:
    table = pl.DataFrame({"question": ["q", "q"], "outcome": [1, 0], "Vendor": ["a", "b"]})
    (said,) = (remark for remark in errbar.load(table).score("avg").remarks if "Columns" in remark)
    assert "no column names the system, so all rows are one system; not used: 'Vendor' (" in said
    named = errbar.load(table, system="Vendor")
    assert not any("names the system" in remark for remark in named.score("avg").remarks)
    meant = errbar.load(table, system=None)
    assert not any("names the system" in remark for remark in meant.score("avg").remarks)


def test_fewer_questions_than_were_studied_are_said_to_be() -> None:
    few, many = (errbar.load(errbar.Counts([4] * n, [2] * n)).score("avg") for n in (9, 10))
    assert "Fewer than 10 questions: coverage was not studied for so few." in few.notes()
    assert not any("studied" in note for note in many.notes())


@pytest.mark.parametrize("name", ["accuracy", "acc", "mean"])
def test_the_mean_is_known_by_its_usual_names(name: str) -> None:
    assert str(errbar.parse(name)) == "avg"
