"""Results of MMLU-Pro: what is right is told by the prediction, and guesses are a choice."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from broken_logs import DEEP, refusal, require_read_or_refused
from logs import FIXTURES, claims_of, remarks_of, rows_of, runs_of, values_of

HERE = FIXTURES / "mmlu_pro" / "eval_results"
ONE, TWO = HERE / "toy-1", HERE / "toy-2"
LOG = TWO / "business_result.json"


def told(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def write(path: Path, whole: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(whole), encoding="utf-8")
    return path


def test_an_answer_is_right_if_it_is_what_was_predicted() -> None:
    expected = {
        (path.parent.name, row["category"], str(row["question_id"])): float(
            row["pred"] == row["answer"]
        )
        for path in HERE.rglob("*_result.json")
        for row in told(path)
    }
    rows = rows_of(HERE)
    found = {(row["system"], row["task"], row["question"]): row["outcome"] for row in rows}
    assert found == expected
    assert len(rows) == len(expected) == 16


def test_with_guesses_the_summaries_are_the_same() -> None:
    assert claims_of(HERE, scorer="guess") == ["corr", "corr + wrong", "acc"] * 4
    summary = told(ONE / "business_summary.json")["business"]
    path = ONE / "business_result.json"
    assert values_of(path, "avg", scorer="guess") == pytest.approx([summary["acc"]])


def test_without_guesses_both_numbers_are_reported_above() -> None:
    rows = [row for path in ONE.glob("*_result.json") for row in told(path)]
    right = sum(row["pred"] == row["answer"] for row in rows)
    lost = sum(row["pred"] is None for row in rows)
    guessed = sum(told(path)["total"]["corr"] for path in ONE.glob("*_summary.json"))
    remarks = remarks_of(ONE)
    assert f"no answer was found in {lost} of {len(rows)} responses" in remarks
    assert f"acc {right / len(rows):.4f}" in remarks
    assert f"acc {guessed / len(rows):.4f}" in remarks
    assert "scorer='guess'" in remarks
    assert "no answer was found" not in remarks_of(LOG)


def test_every_file_is_accounted_for(tmp_path: Path) -> None:
    accounts = runs_of(HERE).source.origin.accounts
    assert {path: account.rows for path, account in accounts.items()} == {
        path: len(told(path)) if path.name.endswith("_result.json") else 0
        for path in HERE.rglob("*.json")
    }
    shutil.copy(LOG, tmp_path)
    shutil.copy(TWO / "business_summary.json", tmp_path / "law_summary.json")
    assert "Not read: law_summary.json (a summary without results" in remarks_of(tmp_path)


def test_a_summary_alone_is_refused_with_what_to_give() -> None:
    assert "has only totals" in refusal(TWO / "business_summary.json")


def test_the_total_of_all_subjects_is_compared_with_ours(tmp_path: Path) -> None:
    shutil.copytree(TWO, tmp_path / "toy")
    for path in (tmp_path / "toy").glob("*_summary.json"):
        path.unlink()
    counts = {path.stem[:-8]: told(path) for path in TWO.glob("*_summary.json")}
    total = {
        key: sum(count["total"][key] for count in counts.values()) for key in ("corr", "wrong")
    }
    summary = {subject: count[subject] for subject, count in counts.items()} | {"total": total}
    path = write(tmp_path / "toy" / "summary.json", summary)
    assert "all subjects: summary.json says corr 5 and wrong 3, errbar gets 5 and 3: the same" in (
        remarks_of(tmp_path)
    )
    assert len(claims_of(tmp_path)) == 6
    write(path, {**summary, "total": {"corr": 6, "wrong": 2}})
    assert "NOT THE SAME" in remarks_of(tmp_path)


def test_a_file_of_many_subjects_is_a_system(tmp_path: Path) -> None:
    for folder in (ONE, TWO):
        rows = [row for path in sorted(folder.glob("*_result.json")) for row in told(path)]
        write(tmp_path / f"model_outputs_{folder.name}_5shots.json", rows)
    rows = rows_of(tmp_path)
    assert {row["system"] for row in rows} == {"toy-1", "toy-2"}
    assert {row["task"] for row in rows} == {"business", "computer science"}


def test_the_folders_of_local_runs(tmp_path: Path) -> None:
    for model in ("Llama-3-8B", "Qwen-7B"):
        write(tmp_path / "results" / model / "CoT" / "all" / "business.json", told(LOG))
    assert {row["system"] for row in rows_of(tmp_path)} == {"Llama-3-8B", "Qwen-7B"}


def test_a_question_that_occurs_again_is_a_trial_of_it(tmp_path: Path) -> None:
    rows = told(LOG)
    path = write(tmp_path / "business_result.json", [*rows, rows[0]])
    assert sorted(row["trial"] for row in rows_of(path)) == [0, 0, 0, 0, 0, 1]
    assert "1 rows repeat a question_id" in remarks_of(path)
    write(tmp_path / "business.json", rows)
    assert "read as further trials of" in remarks_of(tmp_path)
    assert len(rows_of(tmp_path)) == 11


def test_a_row_without_a_prediction_field_has_no_result(tmp_path: Path) -> None:
    rows = told(LOG)
    del rows[1]["pred"]
    path = write(tmp_path / "business_result.json", rows)
    assert [row["status"] for row in rows_of(path)].count("unscored") == 1
    assert "1 rows have no 'pred'" in remarks_of(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"question_id": None}, "question 0: there is no 'question_id'"),
        ({"question_id": [1]}, "question 0, question_id: an id must be text or an integer"),
        ({"answer": None}, "question 0: there is no 'answer'"),
    ],
)
def test_what_is_broken_is_named(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    rows = told(LOG)
    path = write(tmp_path / "business_result.json", [{**rows[0], **change}, *rows[1:]])
    assert said in refusal(path, reader="mmlu_pro")


def test_endless_nesting_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "business_result.json"
    path.write_text(DEEP, encoding="utf-8")
    assert "nested too deeply" in refusal(path, reader="mmlu_pro")


def test_broken_logs_are_read_or_refused(tmp_path: Path) -> None:
    require_read_or_refused(TWO, tmp_path, reader="mmlu_pro")
