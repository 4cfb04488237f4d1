"""Exports of LangSmith, held against the rows in them."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from broken_logs import refusal, require_read_or_refused
from logs import FIXTURES, agreements_of, remarks_of, rows_of, values_of

HERE = FIXTURES / "langsmith"
BASE, TUNED, ROWS = HERE / "base.csv", HERE / "tuned.csv", HERE / "rows.jsonl"
RUNS, RESULTS = HERE / "runs.json", HERE / "results.json"


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def kept(source: Any, **chosen: Any) -> list[tuple[Any, ...]]:
    keys = ("question", "trial", "outcome", "status", "answer")
    found = [tuple(row[key] for key in keys) for row in rows_of(source, **chosen)]
    return sorted(found, key=lambda row: row[:2])


def expected(path: Path) -> list[tuple[Any, ...]]:
    """Of the table: its repetitions follow one another, three examples in each."""
    found = [
        (
            row["example_id"],
            at // 3,
            float(row["feedback.correct"]) if row["feedback.correct"] else None,
            "error" if row["error"] else "ok",
            row["outputs.answer"] or None,
        )
        for at, row in enumerate(table(path))
    ]
    return sorted(found, key=lambda row: row[:2])


@pytest.mark.parametrize("path", [BASE, ROWS, RESULTS], ids=lambda path: path.name)
def test_a_run_of_an_example_is_a_trial(path: Path) -> None:
    assert kept(path, scorer="correct") == expected(BASE)
    assert {row["target"] for row in rows_of(path)} == {"answer 1"}


def test_runs_are_the_same_and_name_their_experiment() -> None:
    rows = rows_of(RUNS, scorer="correct")
    assert {row["system"] for row in rows} == {"id-base", "id-tuned"}
    for name, path in (("id-base", BASE), ("id-tuned", TUNED)):
        mine = {
            (row["question"], row["trial"], row["outcome"]) for row in rows if row["system"] == name
        }
        assert mine == {each[:3] for each in expected(path)}
    assert "12 rows left out: runs inside another run" in remarks_of(RUNS)


def test_files_that_name_no_experiment_are_two_systems() -> None:
    rows = rows_of([BASE, TUNED], scorer="correct")
    assert {row["system"] for row in rows} == {"base", "tuned"}
    assert len(rows) == 12
    assert "Systems: named after the 2 files" in remarks_of([BASE, TUNED])
    assert {row["system"] for row in rows_of(BASE)} == {""}


def test_an_error_is_no_outcome() -> None:
    (failed,) = [row for row in rows_of(TUNED) if row["status"] == "error"]
    assert (failed["question"], failed["outcome"]) == ("e2", None)
    assert values_of(TUNED, "avg", scorer="correct") == pytest.approx([(1 + 0.5 + 0.75) / 3])


def test_the_mean_that_an_experiment_states_comes_out() -> None:
    stated = json.loads(RESULTS.read_text())["feedback_stats"]["correct"]
    found = [each.claim.value for each in agreements_of(RESULTS, scorer="correct")]
    assert found == [stated["avg"], stated["n"]]


@pytest.mark.parametrize("path", [BASE, ROWS, RESULTS], ids=lambda path: path.name)
def test_feedback_in_words_is_no_score_unless_they_say_so(path: Path, tmp_path: Path) -> None:
    assert {row["status"] for row in rows_of(path, scorer="tone")} == {"unscored"}
    copy = tmp_path / path.name
    copy.write_text(path.read_text().replace("polite", "pass"))
    assert {row["outcome"] for row in rows_of(copy, scorer="tone")} == {1.0}
    assert "'tone' has words" in remarks_of(copy, scorer="tone")


def test_pages_that_overlap_are_counted_once(tmp_path: Path) -> None:
    whole = json.loads(RUNS.read_text())[:12]
    for name, part in (("a.json", whole[:8]), ("b.json", whole[6:])):
        (tmp_path / name).write_text(json.dumps(part))
    assert kept(tmp_path, scorer="correct") == expected(BASE)
    assert "1 row left out: duplicate runs" in remarks_of(tmp_path)


def test_runs_of_no_example_are_left_out(tmp_path: Path) -> None:
    whole = json.loads(RUNS.read_text())
    whole[0]["reference_example_id"] = None
    path = tmp_path / "a.json"
    path.write_text(json.dumps(whole))
    assert len(rows_of(path)) == 11
    assert "1 row left out: runs of no example" in remarks_of(path)


def test_usual_spellings_of_column_names_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    head, _, rest = BASE.read_text().partition("\n")
    head = head.replace("example_id", "Example ID").replace("execution_time", "Execution Time")
    path.write_text(f"{head}\n{rest}")
    assert kept(path, scorer="correct") == expected(BASE)


def test_nan_under_error_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    keys = ("error", "feedback.correct", "execution_time", "example_id", "id")
    rows = [{key: row[key] for key in keys} | {"error": float("nan")} for row in table(BASE)]
    path.write_text(json.dumps(rows))
    assert [each[:3] for each in kept(path)] == [each[:3] for each in expected(BASE)]
    assert {row["status"] for row in rows_of(path)} == {"ok"}


def test_runs_without_feedback_are_unscored(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    runs = [{**load, "feedback_stats": None} for load in json.loads(RUNS.read_text())[:6]]
    path.write_text(json.dumps(runs))
    assert {row["status"] for row in rows_of(path)} == {"unscored"}
    assert "No run has feedback" in remarks_of(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[{"run_type": "x", "reference_example_id": 1}, 3]', "[1]: expected an object"),
        ("example_id,execution_time\n1\n", "line 2: there are 1 cells, but 2 columns"),
    ],
)
def test_what_is_broken_is_named(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    assert said in refusal(path, reader="langsmith")


@pytest.mark.parametrize("log", [BASE, ROWS, RUNS, RESULTS], ids=lambda path: path.name)
def test_spoiled_logs_are_read_or_refused(log: Path, tmp_path: Path) -> None:
    require_read_or_refused(log, tmp_path, reader="langsmith")
