"""Results of the Berkeley Function Calling Leaderboard: results and scores read together."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from broken_logs import refusal, require_read_or_refused
from errbar.data.readers.bfcl import READER
from errbar.data.readers.choices import Choice
from logs import FIXTURES, claims_of, remarks_of, rows_of, runs_of, values_of

HERE = FIXTURES / "bfcl"
SIMPLE = "acme_toy-2/non_live/BFCL_v4_simple_python"
RESULT, SCORE = f"result/{SIMPLE}_result.json", f"score/{SIMPLE}_score.json"


def told(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def pairs(folder: Path = HERE) -> Iterator[tuple[str, str, Path, Path]]:
    for score in sorted((folder / "score").rglob("*_score.json")):
        part = score.relative_to(folder / "score")
        result = folder / "result" / part.with_name(part.name.replace("_score", "_result"))
        yield (
            part.parts[0],
            part.name.removeprefix("BFCL_v4_")[: -len("_score.json")],
            result,
            score,
        )


def copied(place: Path, *names: str) -> Path:
    for name in names:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(HERE / name, place / name)
    return place


def test_an_answer_is_right_if_it_is_not_among_the_failures() -> None:
    expected = {}
    for model, category, result, score in pairs():
        wrong = {row["id"] for row in told(score)[1:]}
        for row in told(result):
            expected[model, category, row["id"]] = float(row["id"] not in wrong)
    rows = rows_of(HERE)
    found = {(row["system"], row["task"], row["question"]): row["outcome"] for row in rows}
    assert found == expected
    assert len(rows) == len(expected) == 34


def test_all_that_the_first_lines_state_is_checked() -> None:
    names = ["total_count", "correct_count", "accuracy"]
    assert claims_of(HERE) == names * len(list(pairs()))


def test_every_file_is_read_or_skipped() -> None:
    accounts = runs_of(HERE).source.origin.accounts
    files = set(HERE.rglob("*.json"))
    assert set(accounts) == files
    assert [path.name for path in accounts.skipped] == ["BFCL_v4_memory_kv_prereq_result.json"]
    assert sum(account.rows for account in accounts.values()) == 34


def test_an_answer_that_broke_off_is_an_error_with_the_score_of_bfcl() -> None:
    broken = [row for row in rows_of(HERE) if row["status"] == "error"]
    assert [(row["question"], row["outcome"]) for row in broken] == [("simple_python_5", 0.0)]


def test_an_error_that_bfcl_counts_as_right_is_reported(tmp_path: Path) -> None:
    copied(tmp_path, RESULT, SCORE)
    rows = told(tmp_path / RESULT)
    rows[0] = {"id": rows[0]["id"], "result": "Error during inference: x", "traceback": "…"}
    write(tmp_path / RESULT, rows)
    assert "BFCL counts 1 answers that ended in an error as right" in remarks_of(tmp_path)
    assert values_of(tmp_path, "avg") == pytest.approx([4 / 6])
    assert values_of(tmp_path, "avg", errors="missing") == pytest.approx([4 / 5])


def test_prompts_of_one_question_are_a_cluster() -> None:
    rows = [row for row in rows_of(HERE) if row["task"] == "format_sensitivity"]
    assert [row["cluster"] for row in rows] == [row["question"].split(":")[2] for row in rows]
    assert len({row["cluster"] for row in rows}) == 2


def test_scores_alone_name_no_right_answer_and_are_refused() -> None:
    assert "the ids of the right ones are in the result file" in refusal(HERE / SCORE)


def test_scores_alone_are_read_where_no_answer_is_right() -> None:
    score = HERE / "score/acme_toy-2/multi_turn/BFCL_v4_multi_turn_base_score.json"
    rows = rows_of(score)
    assert [row["question"] for row in rows] == [row["id"] for row in told(score)[1:]]
    assert {row["outcome"] for row in rows} == {0.0}


def test_results_alone_are_refused() -> None:
    assert "these answers were not scored" in refusal(HERE / RESULT)


def test_files_without_their_other_half_are_named(tmp_path: Path) -> None:
    other = "acme_toy-1/live/BFCL_v4_live_relevance"
    simple = "acme_toy-1/non_live/BFCL_v4_simple_python"
    names = (RESULT, SCORE, f"score/{other}_score.json", f"result/{simple}_result.json")
    copied(tmp_path, *names)
    assert len(rows_of(tmp_path)) == 6
    remarks = remarks_of(tmp_path)
    assert "Not read: BFCL_v4_live_relevance_score.json (the ids of right answers" in remarks
    assert "Not read: BFCL_v4_simple_python_result.json (its answers were not scored" in remarks


def test_runs_of_a_model_are_trials_and_systems_on_request(tmp_path: Path) -> None:
    for run in ("main", "fixed"):
        copied(tmp_path / run, RESULT, SCORE)
    rows = rows_of(tmp_path)
    assert sorted((row["question"], row["trial"]) for row in rows) == [
        (f"simple_python_{at}", trial) for at in range(6) for trial in (0, 1)
    ]
    assert "Models that occur in several folders (fixed, main)" in remarks_of(tmp_path)
    assert claims_of(tmp_path) == [
        "total_count, sum of 2 runs",
        "correct_count, sum of 2 runs",
        "accuracy, mean of 2 runs",
    ]
    apart = READER.read(sorted(tmp_path.rglob("*.json")), Choice(files="systems"))
    assert set(apart.columns["system"]) == {"acme_toy-2 (main)", "acme_toy-2 (fixed)"}


def test_folders_that_only_share_model_and_category_are_paired(tmp_path: Path) -> None:
    copied(tmp_path / "a", RESULT)
    copied(tmp_path / "b", SCORE)
    assert len(rows_of(tmp_path)) == 6


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def test_an_id_that_occurs_twice_has_two_trials(tmp_path: Path) -> None:
    copied(tmp_path, RESULT, SCORE)
    rows = told(tmp_path / RESULT)
    write(tmp_path / RESULT, [*rows, rows[-1]])
    head, *wrong = told(tmp_path / SCORE)
    write(tmp_path / SCORE, [{**head, "total_count": 7, "correct_count": 6}, *wrong])
    found = [row["outcome"] for row in rows_of(tmp_path) if row["question"] == "simple_python_5"]
    assert sorted(found) == [0.0, 1.0]
    assert "1 answers are to a question that was answered before" in remarks_of(tmp_path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda rows: rows[:-1], "counts 1 wrong answers of 6, but 0 are listed"),
        (
            lambda rows: [{**rows[0], "total_count": 9, "correct_count": 8}, *rows[1:]],
            "has 6; they are from different evaluations",
        ),
        (lambda rows: [rows[0], {**rows[1], "id": "x_1"}], "'x_1' is wrong there"),
        (lambda rows: [rows[0], {**rows[1], "valid": True}], "this has no valid=false"),
        (lambda rows: [{**rows[0], "correct_count": "5"}, rows[1]], "must be integers"),
    ],
)
def test_scores_of_other_answers_are_refused(change: Any, said: str, tmp_path: Path) -> None:
    copied(tmp_path, RESULT, SCORE)
    write(tmp_path / SCORE, change(told(HERE / SCORE)))
    assert said in refusal(tmp_path)


def test_two_files_of_one_run_are_refused(tmp_path: Path) -> None:
    copied(tmp_path, RESULT, SCORE)
    place = tmp_path / "score/acme_toy-2/live"
    place.mkdir()
    shutil.copy(HERE / SCORE, place)
    assert "is of the same run and category" in refusal(tmp_path)


def test_broken_logs_are_read_or_refused(tmp_path: Path) -> None:
    small = copied(tmp_path / "small", RESULT, SCORE)
    (tmp_path / "copy").mkdir()
    require_read_or_refused(small, tmp_path / "copy", reader="bfcl")
