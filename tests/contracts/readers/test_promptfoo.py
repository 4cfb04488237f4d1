"""Outputs of promptfoo."""

import csv
import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import errbar
from broken_logs import refusal, require_clear_refusals, require_read_or_refused
from logs import FIXTURES, agreements_of, real, remarks_of, rows_of

HERE = FIXTURES / "promptfoo"
LOG = HERE / "out.json"
TABLES = [HERE / "out.csv", HERE / "earlier" / "out.csv", HERE / "earlier" / "table.csv"]
FIRST = HERE / "earlier" / "v1.json"


def kept(source: Any, **told: Any) -> list[tuple[Any, ...]]:
    """Rows without the name of their task, which only JSON has."""
    keys = ("system", "question", "trial", "outcome", "status")
    return sorted(tuple(row[key] for key in keys) for row in rows_of(source, **told))


def test_repeats_of_a_test_are_trials_of_one_question() -> None:
    found = rows_of(LOG)
    told = json.loads(LOG.read_text())["results"]["results"]
    trials = Counter((row["system"], row["question"]) for row in found)
    assert set(trials.values()) == {2}
    assert len(trials) == 12
    assert {row["trial"] for row in found} == {0, 1}
    assert {row["question"] for row in found} == {"n=0", "n=1", "n=2"}
    by_system = Counter(row["system"] for row in found if row["outcome"] == 1)
    assert by_system == Counter(
        f"{row['provider']['label']} ({row['prompt']['label']})" for row in told if row["success"]
    )


def test_a_result_without_a_grade_is_an_error() -> None:
    (failed,) = [row for row in rows_of(LOG) if row["status"] == "error"]
    assert (failed["system"], failed["question"]) == ("weak (Twice {{n}}?)", "n=1")
    assert failed["answer"] is None


@pytest.mark.parametrize(("scorer", "claims"), [(None, 16), ("exact", 3), ("short", 3)])
def test_the_stated_numbers_come_out(scorer: str | None, claims: int) -> None:
    runs = errbar.load(LOG, scorer=scorer)
    assert len(agreements_of(runs)) == claims
    told = [
        remark for remark in runs.source.origin.remarks if "which is a mean over rows" in remark
    ]
    assert bool(told) == (claims == 3)
    assert all(each.startswith("weak (Twice {{n}}?)") for each in told)


def test_tests_that_differ_in_their_assertions_are_two_questions(tmp_path: Path) -> None:
    told = json.loads(LOG.read_text())
    for row in told["results"]["results"]:
        if row["testIdx"] == 1:
            row["testCase"]["assert"] = []
    (tmp_path / "out.json").write_text(json.dumps(told))
    found = rows_of(tmp_path / "out.json")
    assert {row["question"] for row in found} == {"n=0", "n=0 (2)", "n=1", "n=2"}


def test_lines_are_read_too(tmp_path: Path) -> None:
    told = json.loads(LOG.read_text())["results"]["results"]
    path = tmp_path / "out.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in told))
    assert kept(path) == kept(LOG)


def test_what_a_script_gets_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "summary.json"
    path.write_text(json.dumps(json.loads(LOG.read_text())["results"]))
    assert kept(path) == kept(LOG)
    assert len(agreements_of(path)) == 16


@pytest.mark.parametrize(
    "path", [*TABLES, FIRST], ids=lambda path: f"{path.parent.name}.{path.name}"
)
def test_every_form_holds_the_same_results(path: Path) -> None:
    assert kept(path) == kept(LOG)
    assert "24 results do not include the assertions" in remarks_of(path)


@pytest.mark.parametrize("scorer", ["score", "exact", "short"])
@pytest.mark.parametrize("path", TABLES[:2], ids=["now", "earlier"])
def test_tables_hold_the_same_scores(path: Path, scorer: str) -> None:
    assert kept(path, scorer=scorer) == kept(LOG, scorer=scorer)


def test_the_verdicts_of_a_table_are_counted_as_they_stand() -> None:
    with TABLES[0].open(newline="") as file:
        head, *rows = csv.reader(file)
    said = Counter(
        cell for row in rows for name, cell in zip(head, row, strict=True) if name == "Status"
    )
    found = rows_of(TABLES[0])
    assert said == {"PASS": 20, "FAIL": 3, "ERROR": 1}
    assert said["PASS"] == sum(row["outcome"] for row in found)
    assert said["ERROR"] == sum(row["status"] == "error" for row in found)
    assert {row["answer"] for row in found} >= {"0", "2", "4"}


def test_a_row_that_does_not_say_whose_result_is_missing_is_left_out(tmp_path: Path) -> None:
    lines = TABLES[2].read_text().splitlines(keepends=True)
    lines[1] = lines[1].rpartition(",")[0] + "\n"
    path = tmp_path / "table.csv"
    path.write_text("".join(lines))
    assert len(rows_of(path)) == 20
    assert "3 rows left out: rows with fewer cells than columns" in remarks_of(path)


def test_cells_without_a_result_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("n,[a] q,[b] q\n1,[PASS] yes,\n2,[FAIL] no,[ERROR] oh\n")
    assert len(rows_of(path)) == 3
    assert "1 row left out: cells without a result" in remarks_of(path)


def test_a_second_run_adds_trials(tmp_path: Path) -> None:
    shutil.copy(LOG, tmp_path / "a.json")
    again = json.loads(LOG.read_text()) | {"evalId": "another"}
    (tmp_path / "b.json").write_text(json.dumps(again))
    runs = errbar.load(tmp_path)
    assert {row["trial"] for row in rows_of(runs)} == set(range(4))
    assert not runs.agreements()


def test_one_evaluation_in_several_files_is_counted_once(tmp_path: Path) -> None:
    shutil.copy(LOG, tmp_path / "a.json")
    (tmp_path / "b.json").write_text(LOG.read_text() + "\n")  # else it would be a copy
    for at, table in enumerate(TABLES):
        shutil.copy(table, tmp_path / f"{at}.csv")
    assert kept(tmp_path) == kept(LOG)
    said = remarks_of(tmp_path)
    assert "96 rows left out: results that are also in another file" in said
    assert "⚠ 0.csv has the same results as b.json" in said


def test_a_table_with_other_answers_is_another_run(tmp_path: Path) -> None:
    shutil.copy(LOG, tmp_path / "a.json")
    (tmp_path / "b.csv").write_text(TABLES[0].read_text().replace("\n0,0,PASS", "\n0,zero,PASS"))
    assert len(rows_of(tmp_path)) == 48


def test_providers_of_one_name_are_not_one_system(tmp_path: Path) -> None:
    told = json.loads(LOG.read_text())
    for row in told["results"]["results"]:
        row["provider"] = {"id": "model"}
    for prompt in told["results"]["prompts"]:
        prompt["provider"] = "model"
    path = tmp_path / "out.json"
    path.write_text(json.dumps(told))
    assert {row["system"] for row in rows_of(path)} == {
        f"model #{at} ({prompt})"
        for at in (1, 2)
        for prompt in ("Twice {{n}}?", "Double {{n}}, please.")
    }
    assert "model occurs more than once" in remarks_of(path)
    assert len(agreements_of(path)) == 16


def test_totals_that_do_not_fit_are_reported(tmp_path: Path) -> None:
    told = json.loads(LOG.read_text())
    del told["results"]["results"][0]
    path = tmp_path / "out.json"
    path.write_text(json.dumps(told))
    assert "⚠ out.json: its totals state 24 results, but it has 23." in remarks_of(path)


def test_the_reported_counts_come_out() -> None:
    runs = errbar.load(real("promptfoo"))
    found = rows_of(runs)
    counts = Counter("error" if row["status"] == "error" else row["outcome"] for row in found)
    assert counts == {1.0: 66, 0.0: 49, "error": 5}
    assert {row["trial"] for row in found} == {0, 1, 2}
    values = {each.system: each.value for each in runs.score("avg")}
    assert values == pytest.approx({"strong": 43 / 60, "weak": 23 / 60}, abs=1e-12)
    assert agreements_of(runs)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("n,[a] q\n1,[PASS] x,y\n", "line 2: there are 3 cells, but 2 columns"),
        ("n,[a] q\n1,maybe\n", "line 2: a result must start with [PASS], [FAIL] or [ERROR]"),
        ("n,[a] q,Status,Score\n1,x,GOOD,1\n", "line 2: a status is PASS, FAIL or ERROR"),
        ("n,q\n1,x\n", "line 1: no column has a name like '[provider] prompt'"),
    ],
)
def test_a_broken_table_is_named(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_text(text)
    assert said in refusal(path, reader="promptfoo")


@pytest.mark.parametrize("log", [LOG, FIRST, *TABLES[:2]], ids=["json", "v1", "csv", "earlier"])
def test_broken_logs(log: Path, tmp_path: Path) -> None:
    require_read_or_refused(log, tmp_path, reader="promptfoo")


def test_clear_refusals(tmp_path: Path) -> None:
    require_clear_refusals(LOG, tmp_path, reader="promptfoo")
