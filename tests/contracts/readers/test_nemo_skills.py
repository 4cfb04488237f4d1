"""Outputs of NeMo-Skills."""

import json
import shutil
from pathlib import Path

import pytest

import errbar
from broken_logs import require_clear_refusals, require_read_or_refused
from errbar.errors import InputError
from logs import FIXTURES, agreements_of, real, remarks_of, rows_of

LOGS = FIXTURES / "nemo_skills"
SUMS = LOGS / "adder" / "eval-results" / "sums"
RIGHT = [[1, 1, 1], [1, 0, 1], [0, 0, 1], [0, 0, 0]]


def test_a_file_is_a_trial_and_a_line_a_question() -> None:
    found = {(row["question"], row["trial"]): row for row in rows_of(SUMS)}
    assert {key: row["outcome"] for key, row in found.items()} == {
        (str(question), trial): right
        for question, marks in enumerate(RIGHT)
        for trial, right in enumerate(marks)
    }
    row = found["1", 1]
    assert (row["system"], row["task"], row["answer"], row["target"]) == ("adder", "sums", "3", "2")
    assert (row["confidence"], row["subset"], row["tokens"]) == (0.3, "easy", 11)
    assert found["3", 2]["answer"] is None


def test_ids_are_taken_where_there_are_some_and_timeouts_said() -> None:
    found = rows_of(SUMS.parent / "proofs")
    assert {row["question"] for row in found} == {"lemma-0", "lemma-1", "lemma-2"}
    assert sum(row["status"] == "timeout" for row in found) == 3
    assert all(row["outcome"] == 0 for row in found if row["status"] == "timeout")


@pytest.mark.parametrize("scorer", [None, "judge_correct"])
def test_the_stated_numbers_come_out(scorer: str | None) -> None:
    runs = errbar.load(LOGS, scorer=scorer)
    agreements = agreements_of(runs)
    assert len(agreements) == (9 if scorer is None else 5)


def test_scores_of_two_judges_are_joined() -> None:
    both = errbar.load(SUMS, scorer="both_correct")
    either = errbar.load(SUMS, scorer="any_correct")
    assert sum(row["outcome"] for row in rows_of(both)) == sum(map(sum, RIGHT))
    assert sum(row["outcome"] for row in rows_of(either)) == sum(map(sum, RIGHT)) + 3


def test_a_task_without_the_score_is_left_out_and_counted() -> None:
    runs = errbar.load(LOGS, scorer="lean4_correct")
    assert len(rows_of(runs)) == 6
    assert "12 rows left out: sums has no score 'lean4_correct'." in str(runs.inspect())


def test_fewer_files_than_the_metrics_are_of_state_nothing() -> None:
    assert not errbar.load(SUMS / "output-rs1.jsonl").agreements()


def test_a_greedy_file_beside_trials_is_a_system_of_its_own(tmp_path: Path) -> None:
    place = Path(shutil.copytree(LOGS / "adder", tmp_path / "adder")) / "eval-results" / "sums"
    shutil.copy(place / "output-rs0.jsonl", place / "output.jsonl")
    found = rows_of(place)
    assert sum(row["system"] == "adder (greedy)" for row in found) == 4
    assert len(found) == 16


def test_a_file_that_is_still_written_is_reported_and_not_read(tmp_path: Path) -> None:
    place = Path(shutil.copytree(SUMS, tmp_path / "sums"))
    shutil.move(place / "output-rs2.jsonl", place / "output-rs2.jsonl-async")
    runs = errbar.load(place)
    assert len(rows_of(runs)) == 8
    assert "Not read: output-rs2.jsonl-async" in remarks_of(runs)


def test_two_models_are_distinguished_by_their_folders(tmp_path: Path) -> None:
    shutil.copytree(LOGS / "adder", tmp_path / "a" / "run")
    shutil.copytree(LOGS / "adder", tmp_path / "b" / "run")
    assert {row["system"] for row in rows_of(tmp_path)} == {"a/run", "b/run"}


def test_files_with_other_questions_are_refused(tmp_path: Path) -> None:
    place = tmp_path / "sums"
    shutil.copytree(SUMS, place)
    lines = (place / "output-rs1.jsonl").read_text().splitlines()
    (place / "output-rs1.jsonl").write_text("\n".join(reversed(lines)))
    with pytest.raises(InputError, match=r"question 0 is another than in output-rs0\.jsonl"):
        errbar.load(place)


def test_a_shorter_file_is_reported(tmp_path: Path) -> None:
    place = tmp_path / "sums"
    shutil.copytree(SUMS, place)
    lines = (place / "output-rs1.jsonl").read_text().splitlines()
    (place / "output-rs1.jsonl").write_text("\n".join(lines[:3]))
    runs = errbar.load(place)
    assert len(rows_of(runs)) == 11
    assert "files have 3 to 4 lines" in str(runs.inspect())


def test_an_ordinary_file_of_that_name_is_not_taken(tmp_path: Path) -> None:
    path = tmp_path / "output.jsonl"
    path.write_text('{"question": "a", "is_correct": 1}\n{"question": "b", "is_correct": 0}\n')
    assert not errbar.load(path).source.origin.reader


@pytest.mark.parametrize(
    ("task", "values"),
    [("math", [71.43, 80.95, 85.71]), ("gpqa", [50, 62.5, 68.75, 75])],
)
def test_golden_metrics_come_out(task: str, values: list[float]) -> None:
    runs = errbar.load(real("nemo-skills") / "eval-results" / task)
    scores = runs.score(*(f"pass@{k + 1}" for k in range(len(values))))
    assert [round(100 * score.value, 2) for score in scores] == values


def test_every_golden_number_of_every_task_comes_out() -> None:
    runs = errbar.load(real("nemo-skills") / "eval-results")
    agreements = agreements_of(runs)
    assert len(agreements) == 32
    plus = errbar.load(real("nemo-skills") / "eval-results", scorer="passing_plus_tests")
    assert agreements_of(plus)


def test_broken_logs(tmp_path: Path) -> None:
    require_read_or_refused(SUMS / "output-rs0.jsonl", tmp_path, reader="nemo_skills")
    require_clear_refusals(SUMS / "output-rs0.jsonl", tmp_path, reader="nemo_skills")


def test_a_score_that_is_no_number_is_counted(tmp_path: Path) -> None:
    told = [json.loads(line) for line in (SUMS / "output-rs0.jsonl").read_text().splitlines()]
    told[1]["symbolic_correct"] = "maybe"
    (tmp_path / "output-rs0.jsonl").write_text("\n".join(map(json.dumps, told)))
    runs = errbar.load(tmp_path)
    assert [row["status"] for row in rows_of(runs)] == ["ok", "unscored", "ok", "ok"]
    (said,) = [remark for remark in runs.source.origin.remarks if "not a number" in remark]
    assert "1 rows have a symbolic_correct that is not a number, such as 'maybe'" in said


def test_a_line_that_was_not_scored_has_no_result(tmp_path: Path) -> None:
    place = SUMS.parent / "proofs"
    told = [json.loads(line) for line in (place / "output-rs0.jsonl").read_text().splitlines()]
    told[0]["proof_status"] = None
    (tmp_path / "output-rs0.jsonl").write_text("\n".join(map(json.dumps, told)))
    (row,) = [row for row in rows_of(tmp_path) if row["question"] == told[0]["id"]]
    assert (row["outcome"], row["status"]) == (None, "unscored")


def test_a_judge_without_a_verdict_gives_no_result(tmp_path: Path) -> None:
    told = [json.loads(line) for line in (SUMS / "output-rs0.jsonl").read_text().splitlines()]
    told[0]["judgement"] = None
    (tmp_path / "output-rs0.jsonl").write_text("\n".join(map(json.dumps, told)))
    for scorer in ("judge_correct", "both_correct", "any_correct"):
        first = rows_of(tmp_path, scorer=scorer)[0]
        assert (first["outcome"], first["status"]) == (None, "unscored")
