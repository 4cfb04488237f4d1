"""Results of LiveCodeBench."""

import json
from pathlib import Path
from typing import Any

import pytest

import errbar
from broken_logs import DEEP, refusal, require_read_or_refused
from logs import FIXTURES, claims_of, real, remarks_of, rows_of, values_of

HERE = FIXTURES / "livecodebench"
NAME = "Toy_Scenario.codegeneration_3_0.2"
LOG = HERE / f"{NAME}_eval_all.json"


def test_a_row_for_each_grading() -> None:
    told = json.loads(LOG.read_text(encoding="utf-8"))
    expected = [
        (each["question_id"], trial, float(passed), each["difficulty"], each["platform"])
        for each in told
        for trial, passed in enumerate(each["graded_list"])
    ]
    rows = rows_of(LOG)
    keys = ("question", "trial", "outcome", "difficulty", "platform")
    assert [tuple(row[key] for key in keys) for row in rows] == expected
    assert {row["system"] for row in rows} == {NAME}


def test_a_runner_that_failed_is_an_error_and_a_slow_program_is_wrong() -> None:
    rows = {(row["question"], row["trial"]): row for row in rows_of(LOG)}
    assert rows["2001", 0]["status"] == "error"
    assert rows["abc300_b", 2]["status"] == "ok"
    assert [key for key, row in rows.items() if row["status"] != "ok"] == [("2001", 0)]


def test_numbers_of_the_harness() -> None:
    names = claims_of(HERE)
    stated = ["pass@1", "pass@2", "pass@3", "problems in detail"]
    assert names == ["pass@1 (mean of the problems)", *stated]
    assert claims_of(LOG) == names


def test_slices_by_the_properties_of_a_problem() -> None:
    scores = errbar.load(LOG).score("pass@1", by=["difficulty"])
    found = {dict(estimate.of.slice)["difficulty"]: estimate.value for estimate in scores.estimates}
    assert found == pytest.approx({"easy": 5 / 6, "medium": 1 / 3, "hard": 0})


def test_outputs_without_gradings_are_reported() -> None:
    left = f"Not read: {NAME}.json (outputs without gradings)."
    assert left in remarks_of(HERE).splitlines()
    assert "outputs that were not graded" in refusal(HERE / f"{NAME}.json")


def test_real_results() -> None:
    folder = real("livecodebench")
    assert values_of(folder, "pass@1") == pytest.approx([0.6840909], abs=5e-8)
    assert claims_of(folder)


def problem(**changes: Any) -> str:
    whole = {"question_id": "a", "contest_date": "", "difficulty": "easy", "graded_list": [True]}
    return json.dumps([whole, {**whole, "question_id": "b", **changes}])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LOG.read_text(encoding="utf-8")[:900], "this is not valid JSON"),
        (problem(graded_list="yes"), "problem 1, graded_list: expected an array"),
        (problem(graded_list=["yes"]), "problem 1, graded_list: expected true or false"),
        (problem(graded_list=[float("nan")]), "problem 1, graded_list: expected true or false"),
        (problem(question_id=None), "problem 1: there is no 'question_id'"),
        (problem(question_id=1.5), "problem 1: an id must be text or an integer"),
        (problem()[:-1] + ", 3]", "element 2: expected an object"),
        (problem()[:-1] + ", " + DEEP, "nested too deeply"),
    ],
)
def test_what_is_broken_is_named(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "a_eval_all.json"
    path.write_text(text, encoding="utf-8")
    assert said in refusal(path)


def test_a_problem_without_gradings_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "a_eval_all.json"
    path.write_text(problem(graded_list=[]), encoding="utf-8")
    assert [row["status"] for row in rows_of(path)] == ["ok", "missing"]


def test_a_sample_without_a_grading_has_no_result(tmp_path: Path) -> None:
    path = tmp_path / "a_eval_all.json"
    path.write_text(problem(graded_list=[False], code_list=["", "", ""]), encoding="utf-8")
    found = [(row["question"], row["outcome"], row["status"]) for row in rows_of(path)]
    assert found == [("a", 1, "ok"), ("b", 0, "ok"), *2 * [("b", None, "unscored")]]


def test_spoiled_logs_are_read_or_refused(tmp_path: Path) -> None:
    require_read_or_refused(LOG, tmp_path, reader="livecodebench")
