"""Files that hold only totals: refused where they are alone, skipped by name beside logs."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import errbar
from broken_logs import refusal
from errbar.data.readers.base import every_reader, find_readers
from errbar.errors import InputError
from logs import FIXTURES, real, remarks_of, rows_of, runs_of

STATS = {"count": 1, "sum": 2.0, "sum_squared": 4.0, "min": 2.0, "max": 2.0, "mean": 2.0}
TOTALS: dict[str, tuple[str, Any]] = {
    "simple-evals": (
        "mmlu_gpt-4o.json",
        {"chars": 812.5, "chars:std": 90.1, "score:std": 0.4, "score": 0.78},
    ),
    "MTEB": (
        "Banking77Classification.json",
        {
            "dataset_revision": "0fd18e25",
            "task_name": "Banking77Classification",
            "mteb_version": "2.26.24",
            "scores": {"test": [{"accuracy": 0.8, "main_score": 0.8, "hf_subset": "default"}]},
            "evaluation_time": 12.5,
        },
    ),
    "HELM": (
        "stats.json",
        [{"name": {"name": "exact_match", "split": "test"}, "count": 1} | STATS],
    ),
    "lm-evaluation-harness before 0.4": (
        "results.json",
        {"results": {"arc": {"acc": 0.5}}, "versions": {"arc": 0}, "config": {"model": "hf"}},
    ),
    "Every Eval Ever": (
        "3f.json",
        {"schema_version": "0.2.2", "model_info": {}, "evaluation_results": [{"score": 0.5}]},
    ),
    "NeMo-Skills": (
        "metrics.json",
        {"math": {"pass@3": {"num_entries": 7, "symbolic_correct": 85.7}}},
    ),
}


def written(whose: str, place: Path, **form: Any) -> Path:
    name, whole = TOTALS[whose]
    path = place / name
    path.write_text(json.dumps(whole, **form), encoding="utf-8")
    return path


@pytest.mark.parametrize("form", [{}, {"indent": 2}], ids=["one line", "indented"])
@pytest.mark.parametrize("whose", TOTALS)
def test_totals_alone_are_refused_with_what_to_give(
    whose: str, form: dict[str, Any], tmp_path: Path
) -> None:
    said = refusal(written(whose, tmp_path, **form))
    assert f"this file has only totals of {whose}, and an error bar needs every question" in said
    assert len(said.split("of each question. ")[1]) > 20


def test_a_folder_of_totals_names_the_first_and_counts_the_others(tmp_path: Path) -> None:
    for whose in ("MTEB", "simple-evals"):
        written(whose, tmp_path)
    with pytest.raises(InputError, match=r"of MTEB \(so does another file\)"):
        errbar.load(tmp_path)


@pytest.mark.parametrize("whose", TOTALS)
def test_beside_logs_they_are_skipped_by_name(whose: str, tmp_path: Path) -> None:
    log = FIXTURES / "tau_bench"
    shutil.copytree(log, tmp_path, dirs_exist_ok=True)
    path = written(whose, tmp_path)
    assert len(rows_of(tmp_path)) == len(rows_of(log))
    assert f"Not read: {path.name} (it has only totals, of {whose})" in remarks_of(tmp_path)
    assert runs_of(tmp_path).source.origin.accounts.skipped == {
        path: f"it has only totals, of {whose}"
    }
    assert "neither a log of" not in remarks_of(tmp_path)


def test_a_chosen_reader_skips_them_too(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES / "tau_bench", tmp_path, dirs_exist_ok=True)
    written("MTEB", tmp_path)
    assert "it has only totals, of MTEB" in remarks_of(tmp_path, reader="tau_bench")


def test_what_a_reader_says_lies_beside_its_logs_is_not_called_skipped() -> None:
    assert "not read" not in remarks_of(next(real("helm").iterdir()))


def test_no_log_of_ours_is_taken_for_totals() -> None:
    taken = [path.name for path in FIXTURES.rglob("*.json") if find_readers([path]).totals]
    assert sorted(taken) == ["metrics.json", "stats.json"]


@pytest.mark.parametrize(
    "whole",
    [
        {"score": 0.5},
        {"score": 0.5, "score:std": 0.1, "answers": ["A"]},
        {"question": 1, "outcome": 1, "score": 1},
        [{"name": "a", "count": 3, "sum": 2}],
    ],
)
def test_what_may_be_a_table_is_not_refused_as_totals(whole: Any, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(whole), encoding="utf-8")
    assert not find_readers([path]).totals


def test_a_mapping_is_refused_for_its_own_reason(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        errbar.load(written("MTEB", tmp_path), question="id")
    assert "totals, whose columns are known" not in str(refused.value)


def test_totals_are_looked_for_last() -> None:
    assert list(every_reader())[-1] == "totals"
