"""Scores as DataFrames and records, sorted, filtered, in Markdown, LaTeX, CSV and JSON."""

import csv
import io
import json
import math
import re
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from shutil import which
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import errbar
from errbar.base.markup import latex_table
from errbar.cli.io import export
from errbar.errors import InputError
from errbar.results.base import Result
from errbar.results.scores import Scores

FIELDS = (
    *("system", "task", "metric", "value", "mean", "sd", "low", "high", "level", "covers"),
    *("questions", "trials", "reason"),
)
SPECIALS = r"a_b & 50 % $x$ #1 {y} ^ ~ \z"


def scores(*names: str) -> Scores:
    """Two metrics of each system, of 0, 1, 2 … right out of 4 trials."""
    counts = {name: errbar.Counts([4, 4], [at, 4]) for at, name in enumerate(names)}
    return errbar.load(counts).score("pass@1", "pass@2")


@cache
def short() -> Scores:
    """One value is nan: a question has too few trials."""
    counts = {
        "low": errbar.Counts([4], [0]),
        "none": errbar.Counts([1], [1]),
        "high": errbar.Counts([4], [4]),
    }
    return errbar.load(counts).score("pass@2", short="posterior", estimand="rerun")


def unescaped(text: str) -> str:
    """What LaTeX prints for an escaped cell."""
    for name, letter in (("backslash", "\\"), ("asciicircum", "^"), ("asciitilde", "~")):
        text = text.replace(f"\\text{name}{{}}", f"\x00{letter}")
    return re.sub(r"\\([&%$#_{}])", r"\1", text).replace("\x00", "")


def test_what_does_not_exist_is_a_dash_and_its_reason_stands_below() -> None:
    found = short()
    shown = [str(found), found._repr_html_()]
    shown += [export(found, style) for style in ("markdown", "latex")]
    for text in shown:
        assert "nan" not in text
        assert "fewer than 2 trials per question" in " ".join(text.split())
    row = next(line for line in shown[2].splitlines() if line.startswith("| none"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert (cells[0], set(cells[1:-2])) == ("none", {"–"})
    assert math.isnan(found.to_dicts()[1]["value"])
    assert math.isnan(found.to_pandas()["value"][1])


@pytest.mark.parametrize(("apart", "heads"), [(2**-52, 0), (1e-4, 1)])
def test_a_mean_that_differs_by_rounding_alone_has_no_column(apart: float, heads: int) -> None:
    found = scores("a")
    rows = tuple(replace(row, value=0.4525, mean=0.4525 + apart) for row in found)
    columns = replace(found, estimates=rows).columns()
    assert [column[0] for column in columns].count("mean") == heads


def test_records_have_every_field_of_every_estimate() -> None:
    found = scores("small", "large")
    records = found.to_dicts()
    assert [tuple(record) for record in records] == [FIELDS] * 4
    assert [(r["system"], r["metric"]) for r in records] == [
        ("small", "pass@1"),
        ("small", "pass@2"),
        ("large", "pass@1"),
        ("large", "pass@2"),
    ]
    assert [r["value"] for r in records] == pytest.approx([1 / 2, 1 / 2, 5 / 8, 3 / 4])
    assert all(type(r[name]) is float for r in records for name in FIELDS[3:9])


def test_every_kind_of_table_holds_the_same_records() -> None:
    found = scores("small", "large")
    pandas, polars, arrow = found.to_pandas(), found.to_polars(), found.to_arrow()
    assert isinstance(pandas, pd.DataFrame)
    assert isinstance(polars, pl.DataFrame)
    assert isinstance(arrow, pa.Table)
    assert pandas.to_dict("records") == found.to_dicts()
    assert polars.to_dicts() == found.to_dicts()
    assert arrow.to_pylist() == found.to_dicts()


def test_an_unknown_value_stays_nan_in_every_table() -> None:
    found = short()
    assert math.isnan(found.to_pandas()["value"][1])
    assert math.isnan(found.to_polars()["value"][1])
    assert math.isnan(found.to_arrow()["value"][1].as_py())


@pytest.mark.parametrize("name", ["pandas", "polars", "pyarrow"])
def test_a_library_that_is_not_there_is_named_with_how_to_get_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    to_table = getattr(scores("a"), f"to_{name.removeprefix('py')}")
    with pytest.raises(InputError, match=f"pip install {name}"):
        to_table()


def test_sorting_puts_the_best_first_unless_told_otherwise() -> None:
    found = scores("a", "b", "c").only(metric="pass@1")
    assert [each.system for each in found.sorted()] == ["c", "b", "a"]
    assert [each.system for each in found.sorted(descending=False)] == ["a", "b", "c"]
    assert [each.system for each in found.sorted("system")] == ["c", "b", "a"]


def test_sorting_keeps_method_and_remarks_and_the_order_of_equals() -> None:
    found = errbar.load([[1, math.nan]]).score("pass@1", "avg")
    again = found.sorted("value")
    assert (again.method, again.remarks) == (found.method, found.remarks)
    assert found.remarks
    assert [str(each.metric) for each in again] == ["pass@1", "avg"]


@pytest.mark.parametrize("descending", [True, False])
def test_an_unknown_value_is_sorted_last(descending: bool) -> None:
    order = [each.system for each in short().sorted("value", descending=descending)]
    assert order == (["high", "low", "none"] if descending else ["low", "high", "none"])


def test_a_column_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(InputError, match=r"'median'.*value, mean, sd"):
        scores("a").sorted("median")


def test_scores_are_filtered_by_system_and_by_metric() -> None:
    found = scores("a", "b")
    assert [(each.system, str(each.metric)) for each in found.only("b", metric="pass@2")] == [
        ("b", "pass@2")
    ]
    assert len(found.only(system="a")) == len(found.only(metric="pass@1")) == 2
    assert found.only() == found
    assert found.only("a").method == found.method


def tasks() -> errbar.Runs:
    """Two systems, two tasks, two values of a column; some rows have a confidence and no result."""
    rows = [
        (system, task, level, f"{task}{at}", float(at % 2) if at else None, at / 8)
        for system in ("a", "b")
        for task in ("sums", "words")
        for level in ("easy", "hard")
        for at in range(8)
    ]
    names = ["system", "task", "level", "question", "outcome", "confidence"]
    return errbar.load(pl.DataFrame(rows, schema=names, orient="row"), repeats="keep")


def test_estimates_know_their_task_and_their_slice() -> None:
    scores = tasks().score("avg", by=["level"])
    assert [(score.system, score.task, score.slice) for score in scores] == [
        (system, task, (("level", level),))
        for system in ("a", "b")
        for task in ("sums", "words")
        for level in ("easy", "hard")
    ]
    assert str(scores[1]).startswith("a · sums · hard avg: ")


def test_records_have_a_column_for_each_that_was_grouped_by() -> None:
    record = tasks().score("avg", by=["level", "question"]).to_dicts()[0]
    assert list(record)[:5] == ["system", "task", "by level", "question", "metric"]
    assert (record["by level"], record["question"], record["level"]) == ("easy", "sums0", 0.95)


@pytest.mark.parametrize("name", ["system", "value", "failed", "by level"])
def test_a_column_that_is_named_like_a_field_stands_beside_it(name: str) -> None:
    table = pl.DataFrame({name: list("xy"), "level": list("uv"), "q": list("pq"), "o": [1, None]})
    runs = errbar.load(table, question="q", outcome="o", system=None)
    rows = runs.score("avg", by=[name, "level"], errors="bracket").to_dicts()
    assert len({len(row) for row in rows}) == 1
    assert [row["failed"] for row in rows] == ["wrong", "right"] * 2
    assert {row["level"] for row in rows} == {0.95}
    held = [[key for key, value in row.items() if value in ("x", "y", "u", "v")] for row in rows]
    assert all(len(keys) == 2 for keys in held)
    assert held[0] != [name, "level"]


@pytest.mark.parametrize("ask", ["score", "selective", "roc"])
def test_any_scores_are_filtered_by_task_and_sorted(ask: str) -> None:
    metrics = {"score": ["avg", "pass@1"], "selective": ["aurc", "augrc"], "roc": []}[ask]
    found = getattr(tasks(), ask)(*metrics)
    each = len(metrics) or 1
    assert len(found) == 4 * each
    words = found.only(task="words")
    assert [(word.system, word.task) for word in words] == [
        (system, "words") for system in ("a", "b") for _ in range(each)
    ]
    assert (words.method, words.remarks) == (found.method, found.remarks)
    assert len(found.only("a", task="sums")) == each
    assert [each.task for each in found.sorted("task")] == ["words"] * 2 * each + [
        "sums"
    ] * 2 * each
    assert {row["task"] for row in found.to_dicts()} == {"sums", "words"}
    if metrics:
        assert {str(each.metric) for each in found.only(metric=metrics[1])} == {metrics[1]}
    with pytest.raises(InputError, match="'median'"):
        found.sorted("median")


def test_ranked_scores_are_a_sequence_that_becomes_any_table() -> None:
    found = tasks().selective("aurc")
    assert [each.task for each in found[:2]] == ["sums", "words"]
    assert found.to_pandas().to_dict("records") == found.to_dicts()
    assert found.to_polars().to_dicts() == found.to_arrow().to_pylist() == found.to_dicts()


def test_the_table_has_a_column_for_all_that_tells_its_rows_apart() -> None:
    text = str(tasks().score("avg", by=["level"], errors="bracket"))
    head, _, first, second, *_ = text.partition("\n\n")[2].splitlines()
    assert head.split()[:6] == ["system", "task", "by", "level", "failed", "avg"]
    assert first.split()[:4] == ["a", "sums", "easy", "wrong"]
    assert second.split()[:4] == ["a", "sums", "easy", "right"]


def test_what_is_the_same_for_all_is_said_of_each() -> None:
    def sizes(found: Scores) -> str:
        return next(note for note in found.notes() if " questions, " in note)

    assert sizes(scores("a")) == "2 questions, 8 trials."
    assert sizes(scores("a", "b")).endswith("of each system.")
    assert sizes(tasks().score("avg").only("a")).endswith("of each task.")
    assert sizes(tasks().score("avg", by="level")).endswith("of each system and task and slice.")


def test_rows_are_grouped_by_subject_or_else_by_system() -> None:
    assert tasks().score("avg", "pass@1").breaks() == {2, 4, 6}
    assert tasks().score("avg").breaks() == {2}
    assert tasks().score("avg").only(task="sums").breaks() == set()


def test_a_metric_is_found_however_it_is_spelt() -> None:
    found = errbar.load([[0, 2], [1, 1]]).score("avg(weights=[0,0.5,1])")
    assert len(found.only(metric="avg(weights=[0, 0.5, 1])")) == 1


@pytest.mark.parametrize("style", ["table", "json", "csv", "markdown", "latex"])
def test_no_scores_at_all_can_still_be_written(style: str) -> None:
    nothing = scores("a").only("b")
    assert len(nothing) == 0
    assert isinstance(export(nothing, style), str)


def test_json_gives_back_every_record_and_note() -> None:
    found = scores("small", 'q"uote\n🦆')
    back = json.loads(export(found, "json"))
    assert back == {"guesses": [], "rows": found.to_dicts(), "notes": found.notes()}


def test_json_has_null_where_a_number_is_unknown() -> None:
    def refuse(name: str) -> Any:
        raise AssertionError(f"{name} is not JSON")

    rows = json.loads(export(short(), "json"), parse_constant=refuse)["rows"]
    assert [row["value"] for row in rows] == [0.0, None, 1.0]


def test_csv_gives_back_every_record() -> None:
    found = scores("small, really", 'q"uote\nnext', "=1+1")
    back = list(csv.DictReader(io.StringIO(export(found, "raw-csv"))))
    records = found.to_dicts()
    assert [tuple(row) for row in back] == [FIELDS] * 6
    for row, record in zip(back, records, strict=True):
        for name in ("system", "metric", "covers", "reason"):
            assert row[name] == record[name]
        for name in FIELDS[3:9]:
            assert float(row[name]) == record[name]
        assert (int(row["questions"]), int(row["trials"])) == (2, 8)


def test_markdown_has_a_line_per_estimate_and_the_notes_below() -> None:
    found = scores("small", "large")
    said, gap, *lines = export(found, "markdown").splitlines()
    assert (said.partition("** ")[0], gap) == ("**large has the highest pass@1", "")
    assert lines[0] == "| system | metric | score [95% CI] | sd |"
    assert set(lines[1]) <= set("| -:")
    assert lines[2].startswith("| small | pass@1 | ")
    assert [line.count("|") for line in lines[:6]] == [5] * 6
    assert lines[6] == ""
    assert [line.strip() for line in lines[7:]] == found.notes()


def test_the_mark_below_a_markdown_table_begins_no_list() -> None:
    found = errbar.load([[1, 1]] * 20).score("pass@2", method="documented")
    assert "* the observed score lies outside" in "\n".join(found.notes())
    lines = export(found, "markdown").splitlines()
    assert any(line.startswith("&#42; the observed score") for line in lines)


@pytest.mark.parametrize("name", ["a|b", "a\nb", "a\r\nb", "a\u2028b"])
@pytest.mark.parametrize("style", ["table", "markdown", "latex"])
def test_a_name_of_any_letters_stays_in_its_cell(name: str, style: str) -> None:
    plain = export(scores("a b", "other"), style).split("\n")
    found = export(scores(name, "other"), style).split("\n")
    assert len(found) == len(plain)
    if style == "markdown":
        assert [line.count("|") for line in found] == [line.count("|") for line in plain]


def test_latex_escapes_what_would_be_a_command() -> None:
    text = export(scores(SPECIALS), "latex")
    rows = [line for line in text.splitlines() if "pass" in line and not line.startswith("%")]
    assert len(rows) == 2
    for row in rows:
        cells = re.split(r"(?<!\\) & ", row.removesuffix(r" \\"))
        assert len(cells) == 4
        assert unescaped(cells[0]) == SPECIALS
    assert r"[95\% CI]" in text


def test_latex_is_a_whole_booktabs_table_with_notes_as_comments() -> None:
    found = scores("small")
    said, *lines = export(found, "latex").splitlines()
    assert said == "% small scores 0.50 pass@1 (95% CI 0.01 to 0.99)."
    assert lines[:2] == [r"\begin{tabular}{llrr}", r"\toprule"]
    end = lines.index(r"\end{tabular}")
    assert lines[end - 1] == r"\bottomrule"
    assert [line.removeprefix("% ") for line in lines[end + 1 :]] == found.notes()


def test_latex_keeps_hyphens_and_quotes_apart() -> None:
    table = latex_table([["a", "run_0--1", "it''s"], ["b", "0–1", "-"]], ())
    assert r"run\_0-{}-1 & 0--1 \\" in table  # a dash of the text stays a dash
    assert r"it'{}'s" in table


def test_latex_aligns_numbers_to_the_right() -> None:
    table = latex_table([["a", "x", "y"], ["n", "0.5 ", "0.25"], ["p", "> 0.9", "-1"]], ())
    assert table.splitlines()[0] == r"\begin{tabular}{lrr}"
    assert r"x & 0.5\phantom{0} & \textgreater{} 0.9 \\" in table
    assert r"y & 0.25 & $-$1 \\" in table


HARD = ["[x] y", "*star", "a--b", "c''d", "a < b > c | d", SPECIALS, 'q"uote', "dash – … ×"]


@pytest.mark.skipif(which("pdflatex") is None, reason="there is no LaTeX on this machine")
def test_a_real_latex_prints_every_table(tmp_path: Path) -> None:
    systems = {name: errbar.Counts([4, 4, 4], [at % 3, 2, 4]) for at, name in enumerate(HARD)}
    runs = errbar.load(systems)
    results: list[Result] = [
        runs.score("avg", "pass@2"),
        runs.compare("avg"),
        runs.rank("avg"),
        runs.inspect(),
    ]
    tables = "\n\n".join(result.to_latex() for result in results)
    page = (
        "\\documentclass{article}\\usepackage{booktabs}\\pagestyle{empty}\n"
        f"\\begin{{document}}\\tiny\n{tables}\n\\end{{document}}\n"
    )
    (tmp_path / "page.tex").write_text(page, encoding="utf-8")
    ended = subprocess.run(
        ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "page.tex"],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
        errors="replace",
    )
    assert ended.returncode == 0, ended.stdout[-2000:]
    assert (tmp_path / "page.pdf").stat().st_size > 1000


def test_a_note_never_leaves_its_comment() -> None:
    table = pl.DataFrame({"a\n\\input{x}": ["p", "q"], "outcome": [1, 0]})
    found = errbar.load(table, question="a\n\\input{x}").score("avg")
    lines = re.split(r"[\n\r\u2028]", export(found, "latex"))
    after = lines[lines.index(r"\end{tabular}") + 1 :]
    assert all(line.startswith("%") for line in after)


def test_remarks_stand_under_every_readable_format() -> None:
    table = {"question": [1, 1], "outcome": [1, None], "status": ["ok", "error"]}
    found = errbar.load(pd.DataFrame(table)).score("avg")
    remark = "1 of 2 rows has no result (error 1): counted as wrong."
    assert remark in found.remarks
    for style in ("table", "json", "markdown", "latex"):
        assert remark in export(found, style)
    assert remark in found._repr_html_()


def test_the_sizes_under_a_table_are_those_of_every_metric() -> None:
    counts = {"a": errbar.Counts([4, 2, 4], [2, 1, 1])}
    notes = errbar.load(counts).score("pass@1", "pass@3", short="drop").notes()
    assert any("3 questions, 10 trials" in note for note in notes)


def test_metrics_that_several_systems_lack_are_named_once() -> None:
    short, long = [[1], [0], [0]], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    runs = errbar.load({"a": short, "b": short, "c": long})
    found = runs.score("avg", "pass@3", "pass^3", short="drop")
    assert "pass@3, pass^3 of a, b: needs 3 trials per question; the most are 1." in found.notes()


def test_a_product_of_questions_and_trials_is_printed_only_if_all_have_as_many() -> None:
    even = errbar.Counts([2, 2, 2], [1, 0, 2])
    uneven = errbar.Counts([1, 2, 3], [1, 0, 2])
    assert "3 questions x 2 trials" in str(errbar.score(even, "avg"))
    assert "3 questions, 6 trials" in str(errbar.score(uneven, "avg"))
