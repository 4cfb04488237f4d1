"""Rows in one list of a nested document, and in the sheets of a workbook."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pytest

import errbar
from errbar.base.remarks import above
from errbar.errors import InputError

STRONG = [1, 1, 1, 0, 1, 1, 1, 0, 1, 1]
WEAK = [0, 1, 0, 0, 1, 1, 0, 0, 0, 0]
ITEMS = [{"id": f"q{at}", "correct": bool(right)} for at, right in enumerate(STRONG)]
OTHERS = [{"id": f"q{at}", "correct": bool(right)} for at, right in enumerate(WEAK)]


def scored(file: Path, **told: str) -> dict[tuple[str, str], float]:
    scores = errbar.load(file, **told).score("avg")  # type: ignore[arg-type]
    return {(each.system, each.task): round(each.value, 4) for each in scores}


def said_above(file: Path) -> str:
    return " ".join(above(errbar.load(file).score("avg").notes()))


def document(place: Path, value: Any) -> Path:
    (place / "a.json").write_text(json.dumps(value))
    return place / "a.json"


@pytest.mark.parametrize(
    "value",
    [
        {"meta": {"date": "2024"}, "data": {"items": ITEMS}},
        {"config": {"k": 1}, "results": {"details": ITEMS, "accuracy": 0.8}},
        {"output": {"run": {"rows": ITEMS}}, "version": 3},
        {"meta": "x", "a": {"data": {"output": {"items": ITEMS}}}, "status": {"ok": 5}},
    ],
)
def test_the_only_list_of_rows_is_read_at_any_depth(value: Any, tmp_path: Path) -> None:
    file = document(tmp_path, value)
    assert scored(file) == {("", ""): 0.8}
    assert "Rows: the list under" in said_above(file)


def test_a_list_of_runs_with_their_rows(tmp_path: Path) -> None:
    runs = [{"model": "a", "items": ITEMS}, {"model": "b", "items": OTHERS}]
    assert scored(document(tmp_path, {"runs": runs})) == {("a", ""): 0.8, ("b", ""): 0.3}


@pytest.mark.parametrize("names", [("train", "test"), ("gsm8k", "mmlu")])
def test_lists_named_as_splits_or_benchmarks_are_tasks(
    names: tuple[str, str], tmp_path: Path
) -> None:
    value = dict(zip(names, (ITEMS, OTHERS), strict=True))
    expected = {("", names[0]): 0.8, ("", names[1]): 0.3}
    assert scored(document(tmp_path, value)) == expected
    assert scored(document(tmp_path, {"meta": {}, "data": value})) == expected


def test_rows_in_two_objects_are_not_guessed(tmp_path: Path) -> None:
    value = {"first": {"a": ITEMS, "b": OTHERS}, "second": {"c": ITEMS}, "n": 3}
    with pytest.raises(InputError, match="no outcomes"):
        scored(document(tmp_path, value))


def test_outcomes_by_system_task_and_question_are_marked(tmp_path: Path) -> None:
    strong = {f"q{at}": bool(right) for at, right in enumerate(STRONG)}
    weak = {f"q{at}": bool(right) for at, right in enumerate(WEAK)}
    file = document(tmp_path, {"a": {"sums": strong, "words": weak}, "b": {"sums": weak}})
    assert scored(file) == {("a", "sums"): 0.8, ("a", "words"): 0.3, ("b", "sums"): 0.3}
    assert "Three levels of keys" in said_above(file)


def test_totals_by_system_and_task_are_refused(tmp_path: Path) -> None:
    value = {"a": {"sums": {"accuracy": 0.8, "stderr": 0.02}}, "b": {"sums": {"accuracy": 0.7}}}
    with pytest.raises(InputError, match="only totals"):
        scored(document(tmp_path, value))


def test_the_first_of_several_lists_may_name_the_columns(tmp_path: Path) -> None:
    rows = [["id", "correct"], *([f"q{at}", right] for at, right in enumerate(STRONG))]
    assert scored(document(tmp_path, rows)) == {("", ""): 0.8}


# Workbooks.


def workbook(place: Path, sheets: Mapping[str, Sequence[Sequence[Any]]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    book.save(place / "a.xlsx")
    return place / "a.xlsx"


def sheet(outcomes: Sequence[int]) -> list[Sequence[Any]]:
    return [("id", "correct"), *enumerate(outcomes)]


def test_sheets_are_systems(tmp_path: Path) -> None:
    file = workbook(tmp_path, {"gpt": sheet(STRONG), "qwen": sheet(WEAK)})
    assert scored(file) == {("gpt", ""): 0.8, ("qwen", ""): 0.3}
    assert "2 sheets are systems (gpt, qwen)" in said_above(file)
    assert scored(file, files="tasks") == {("", "gpt"): 0.8, ("", "qwen"): 0.3}
    assert scored(file, files="trials") == {("", ""): 0.55}


def test_sheets_without_outcomes_are_named_and_not_read(tmp_path: Path) -> None:
    notes = [("Read me",), ("The data are in the other sheet",)]
    file = workbook(tmp_path, {"Notes": notes, "data": sheet(STRONG)})
    assert scored(file) == {("", ""): 0.8}
    assert "the sheet 'data'; not read" in said_above(file)


def test_a_sheet_of_totals_is_not_a_system(tmp_path: Path) -> None:
    totals = [("model", "accuracy"), ("gpt", 0.8), ("qwen", 0.3)]
    file = workbook(tmp_path, {"Summary": totals, "gpt": sheet(STRONG), "qwen": sheet(WEAK)})
    assert scored(file) == {("gpt", ""): 0.8, ("qwen", ""): 0.3}


def test_numbered_sheets_are_marked(tmp_path: Path) -> None:
    file = workbook(tmp_path, {"Sheet1": sheet(STRONG), "Sheet2": sheet(WEAK)})
    assert "If they are trials or tasks" in said_above(file)


def test_sheets_of_rows_that_name_their_system_are_tasks(tmp_path: Path) -> None:
    rows = [("id", "model", "correct"), *((at, "gpt", right) for at, right in enumerate(STRONG))]
    file = workbook(tmp_path, {"mmlu": rows, "gsm8k": rows})
    assert scored(file) == {("gpt", "gsm8k"): 0.8, ("gpt", "mmlu"): 0.8}


def test_a_title_above_the_names_of_columns_is_skipped(tmp_path: Path) -> None:
    file = workbook(tmp_path, {"data": [("Results of May", None), (None, None), *sheet(STRONG)]})
    assert scored(file) == {("", ""): 0.8}


def test_a_workbook_of_notes_is_refused(tmp_path: Path) -> None:
    file = workbook(tmp_path, {"a": [("x",), ("y",)], "b": [("x",), ("z",)]})
    with pytest.raises(InputError, match="none of its 2 sheets"):
        scored(file)


def test_a_file_per_trial_whose_sections_are_one_row(tmp_path: Path) -> None:
    """Numbers of the same rows, a line each, which are read as nested columns."""
    lines = []
    (tmp_path / "files").mkdir()
    for agent, right in (("react", {0, 1, 4}), ("plan", {0, 2, 3, 4, 5})):
        for at in range(6):
            row = {
                "agent": {"name": agent},
                "env": {"task_id": f"T{at % 3}", "seed": at // 3},
                "summary": {"success": at in right, "n_steps": at, "total_cost_usd": at / 6},
            }
            lines.append(json.dumps(row))
            (tmp_path / "files" / f"{agent}-{at}.json").write_text(lines[-1])
    (tmp_path / "rows.jsonl").write_text("\n".join(lines))
    found = scored(tmp_path / "files")
    assert sorted(found.values()) == [0.5, 0.8333]
    assert found == scored(tmp_path / "rows.jsonl")
    assert "total_cost_usd" not in said_above(tmp_path / "files").partition("not used")[0]


def test_sections_with_totals_of_a_run_are_no_row(tmp_path: Path) -> None:
    totals = {"config": {"task_id": "sums", "model": "m"}, "metrics": {"accuracy": 0.5}}
    with pytest.raises(InputError):
        errbar.load(document(tmp_path, totals))
