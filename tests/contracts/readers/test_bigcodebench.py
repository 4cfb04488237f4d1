"""Results of BigCodeBench, held against the pass@k that it writes beside them."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from broken_logs import DEEP, refusal, require_read_or_refused
from logs import FIXTURES, agreements_of, claims_of, remarks_of, rows_of, runs_of, values_of

HERE = FIXTURES / "bigcodebench"
LOG = next(HERE.glob("toy*eval_results.json"))
TOTALS = next(HERE.glob("toy*pass_at_k.json"))
TASK = "BigCodeBench-Hard (instruct)"


def told(path: Path = LOG) -> dict[str, Any]:
    whole: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return whole


def test_a_row_for_each_sample_of_each_model() -> None:
    expected = {
        (path.name.partition("--bigcodebench")[0], name, trial): float(sample["status"] == "pass")
        for path in HERE.glob("*eval_results.json")
        for name, samples in told(path)["eval"].items()
        for trial, sample in enumerate(samples)
    }
    rows = rows_of(HERE)
    found = {(row["system"], row["question"], row["trial"]): row["outcome"] for row in rows}
    assert found == expected
    assert len(rows) == len(expected) == 40
    assert {row["task"] for row in rows} == {TASK}


def test_the_numbers_that_bigcodebench_writes() -> None:
    names = ["pass@1", "pass@2", "pass@4"]
    assert values_of(LOG, *names) == pytest.approx([told(TOTALS)[name] for name in names])
    assert claims_of(HERE) == names * 2


def test_a_program_that_never_ends_is_wrong() -> None:
    late = [row for row in rows_of(LOG) if row["status"] != "ok"]
    assert [(row["status"], row["outcome"]) for row in late] == [("limit", 0.0)] * 2


def test_tasks_with_a_broken_reference_solution_are_named_and_marked() -> None:
    assert "a reference solution failed for 1 of the tasks" in remarks_of(LOG)
    broken = {row["question"] for row in rows_of(LOG) if row["reference"] == "failed"}
    assert broken == set(told(TOTALS)["failed_tasks"])


def test_every_file_is_accounted_for(tmp_path: Path) -> None:
    accounts = runs_of(HERE).source.origin.accounts
    assert {path.name: account.rows for path, account in accounts.items()} == {
        path.name: 20 * ("eval_results" in path.name) for path in HERE.iterdir()
    }
    shutil.copy(LOG, tmp_path)
    shutil.copy(TOTALS, tmp_path / "another_pass_at_k.json")
    assert "Not read: another_pass_at_k.json (it has only totals" in remarks_of(tmp_path)
    assert claims_of(tmp_path) == []


def test_totals_alone_are_refused_with_what_to_give() -> None:
    assert "has only totals, and an error bar needs every sample" in refusal(TOTALS)


def test_runs_of_a_model_that_were_made_alike_are_trials(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        shutil.copy(LOG, tmp_path / folder)
        shutil.copy(TOTALS, tmp_path / folder)
    rows = rows_of(tmp_path)
    assert len(rows) == 40
    assert {row["trial"] for row in rows} == set(range(8))
    assert "2 files are read as runs of one system" in remarks_of(tmp_path)


def test_runs_of_a_model_that_were_made_otherwise_are_systems(tmp_path: Path) -> None:
    shutil.copy(LOG, tmp_path)
    shutil.copy(LOG, tmp_path / LOG.name.replace("vllm-0.8", "hf-0"))
    assert {row["system"] for row in rows_of(tmp_path)} == {
        "toy--main (vllm-0.8-4-sanitized_calibrated)",
        "toy--main (hf-0-4-sanitized_calibrated)",
    }


def test_files_of_other_names_are_named_after_themselves(tmp_path: Path) -> None:
    for name in ("x", "y"):
        shutil.copy(LOG, tmp_path / f"{name}_eval_results.json")
    assert {row["system"] for row in rows_of(tmp_path)} == {"x", "y"}
    assert "Systems: named after the 2 files" in remarks_of(tmp_path)


def test_a_wrong_statement_is_found(tmp_path: Path) -> None:
    shutil.copy(LOG, tmp_path)
    said = {**told(TOTALS), "pass@1": 0.41}
    (tmp_path / TOTALS.name).write_text(json.dumps(said), encoding="utf-8")
    with pytest.raises(AssertionError, match="NOT THE SAME"):
        agreements_of(tmp_path)


def test_a_task_without_samples_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "toy_eval_results.json"
    path.write_text(broken({"a/1": [{"status": "pass"}], "a/2": []}), encoding="utf-8")
    rows = rows_of(path, reader="bigcodebench")
    assert [row["status"] for row in rows] == ["ok", "missing"]
    assert "1 row added: tasks without a sample" in remarks_of(path, reader="bigcodebench")


def broken(value: Any) -> str:
    return json.dumps({"date": "", "eval": value})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LOG.read_text(encoding="utf-8")[:900], "this is not valid JSON"),
        (broken({"a/1": [{"status": "perhaps"}]}), "a/1, sample 0: a status is pass, fail"),
        (broken({"a/1": [{"status": ["pass"]}]}), "a/1, sample 0: a status is pass, fail"),
        (broken({"a/1": ["status"]}), "a/1, sample 0: expected an object"),
        (broken({"a/1": {"status": "pass"}}), "a/1: expected an array"),
        (broken([]), "eval: expected an object"),
        (broken({}), "no row to score"),
        ('{"eval": {"a": ' + DEEP, "nested too deeply"),
    ],
)
def test_what_is_broken_is_named(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "toy_eval_results.json"
    path.write_text(text, encoding="utf-8")
    assert said in refusal(path, reader="bigcodebench")


def test_broken_logs_are_read_or_refused(tmp_path: Path) -> None:
    require_read_or_refused(LOG, tmp_path)
