"""Exports of Braintrust, held against the events in them."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from broken_logs import refusal, require_read_or_refused
from logs import FIXTURES, agreements_of, remarks_of, rows_of, values_of

HERE = FIXTURES / "braintrust"
BASE, TUNED = HERE / "base.json", HERE / "tuned.jsonl"
TABLE, SUMMARY = HERE / "table.csv", HERE / "summary.json"


def events() -> list[dict[str, Any]]:
    return json.loads(BASE.read_text(encoding="utf-8"))["events"]


def kept(source: Any, **chosen: Any) -> list[tuple[Any, ...]]:
    keys = ("question", "trial", "outcome", "status", "answer", "target")
    return [tuple(row[key] for key in keys) for row in rows_of(source, **chosen)]


def expected(scorer: str) -> list[tuple[Any, ...]]:
    """The roots, counted by hand; two of each record follow one another."""
    roots = [event for event in events() if event["span_id"] == event["root_span_id"]]
    return [
        (
            root["origin"]["id"],
            at % 2,
            root["scores"][scorer],
            "ok",
            root["output"],
            root["expected"],
        )
        for at, root in enumerate(roots)
    ]


@pytest.mark.parametrize("path", [BASE, TABLE, SUMMARY], ids=lambda path: path.name)
@pytest.mark.parametrize("scorer", ["exact", "close"])
def test_a_root_span_is_a_trial(path: Path, scorer: str) -> None:
    assert kept(path, scorer=scorer) == expected(scorer)


@pytest.mark.parametrize("form", ["array", "lines"])
def test_results_without_their_summary_are_read(form: str, tmp_path: Path) -> None:
    """As a script saves the `results` of an evaluation alone."""
    results = [
        {**result, "classifications": None, "tags": None, "exc_info": None}
        for result in json.loads(SUMMARY.read_text(encoding="utf-8"))["results"]
    ]
    file = tmp_path / ("a.json" if form == "array" else "a.jsonl")
    lines = "\n".join(map(json.dumps, results))
    file.write_text(json.dumps(results) if form == "array" else lines, encoding="utf-8")
    assert kept(file, scorer="exact") == kept(SUMMARY, scorer="exact")
    assert kept(file, scorer="close") == expected("close")


def test_spans_inside_a_trial_are_left_out_and_counted() -> None:
    inside = sum(not event["is_root"] for event in events())
    assert f"{inside} rows left out: spans inside a trial" in remarks_of(BASE)
    assert inside == 12


def test_an_error_has_no_outcome() -> None:
    (failed,) = [row for row in rows_of(TUNED) if row["status"] == "error"]
    assert (failed["question"], failed["trial"], failed["outcome"]) == ("record 3+3", 0, None)
    assert values_of(TUNED, "avg", scorer="exact") == pytest.approx([(1 + 0.5 + 0.5) / 3])


def test_the_mean_that_a_summary_states_comes_out() -> None:
    means = json.loads(SUMMARY.read_text())["summary"]["scores"]
    for scorer in ("exact", "close"):
        (each,) = agreements_of(SUMMARY, scorer=scorer)
        assert each.claim.value == means[scorer]["score"]
    assert {row["system"] for row in rows_of(SUMMARY)} == {"base"}


def test_experiments_without_a_name_go_by_their_files() -> None:
    rows = rows_of([BASE, TUNED])
    assert {row["system"] for row in rows} == {"base", "tuned"}
    assert len(rows) == 12
    assert "Systems: named after the files" in remarks_of([BASE, TUNED])
    assert {row["system"] for row in rows_of(BASE)} == {"id-base"}


def test_experiments_in_one_file_go_by_their_ids(tmp_path: Path) -> None:
    tuned = [json.loads(line) for line in TUNED.read_text().splitlines()]
    path = tmp_path / "both.json"
    path.write_text(json.dumps([*events(), *tuned]))
    assert {row["system"] for row in rows_of(path)} == {"id-base", "id-tuned"}


def test_pages_that_overlap_are_counted_once(tmp_path: Path) -> None:
    for name, part in (("a.json", events()[:12]), ("b.json", events()[9:])):
        (tmp_path / name).write_text(json.dumps(part))
    assert sorted(kept(tmp_path, scorer="exact")) == sorted(expected("exact"))
    assert {row["system"] for row in rows_of(tmp_path)} == {"id-base"}
    assert "1 row left out: duplicate spans" in remarks_of(tmp_path)


def test_without_records_inputs_are_the_questions(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{**event, "origin": None} for event in events()]))
    rows = rows_of(path)
    assert {row["question"] for row in rows} == {"2+2", "3+3", "4+4"}
    assert {row["trial"] for row in rows} == {0, 1}
    assert "Questions: the inputs" in remarks_of(path)


def test_an_evaluation_without_its_root_is_a_trial(tmp_path: Path) -> None:
    inner = [
        event | {"is_root": False, "span_parents": ["elsewhere"], "root_span_id": "elsewhere"}
        for event in events()
        if event["is_root"]
    ]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(inner))
    assert kept(path, scorer="exact") == expected("exact")


def test_scores_in_columns_are_read_too(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "span_id", "root_span_id", "input", "scores.exact", "origin.id"])
        for event in events():
            if event["is_root"]:
                score, record = event["scores"]["exact"], event["origin"]["id"]
                writer.writerow(
                    [event["id"], event["span_id"], event["span_id"], "x", score, record]
                )
    assert [each[:3] for each in kept(path)] == [each[:3] for each in expected("exact")]


def test_spans_without_a_score_are_unscored(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{**event, "scores": {}} for event in events()]))
    assert {row["status"] for row in rows_of(path)} == {"unscored"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"events": [3], "span_id": 1}', "events[0]: expected an object"),
        ("span_id,root_span_id,scores\n1,2\n", "line 2: there are 2 cells, but 3 columns"),
    ],
)
def test_what_is_broken_is_named(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    assert said in refusal(path, reader="braintrust")


@pytest.mark.parametrize("log", [BASE, TUNED, TABLE, SUMMARY], ids=lambda path: path.name)
def test_spoiled_logs_are_read_or_refused(log: Path, tmp_path: Path) -> None:
    require_read_or_refused(log, tmp_path, reader="braintrust")
