"""Exports of Langfuse, each held against the records in it."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from broken_logs import refusal, require_read_or_refused
from logs import FIXTURES, remarks_of, rows_of

HERE = FIXTURES / "langfuse"
EXPERIMENTS, JOINED = HERE / "experiments.json", HERE / "joined"
TRACES, SCORES = HERE / "traces.csv", HERE / "scores.csv"


def told() -> list[dict[str, Any]]:
    return json.loads(EXPERIMENTS.read_text(encoding="utf-8"))["data"]


def score_of(item: dict[str, Any], name: str) -> Any:
    return next((score["value"] for score in item["scores"] if score["name"] == name), None)


def kept(source: Any, **chosen: Any) -> list[tuple[Any, ...]]:
    keys = ("system", "question", "trial", "outcome")
    return [tuple(row[key] for key in keys) for row in rows_of(source, **chosen)]


def expected() -> list[tuple[Any, ...]]:
    """Counted from the items: each is a trial of its experiment and item, in order."""
    found: list[tuple[Any, ...]] = []
    for item in told():
        name = (item["experimentName"], item["experimentItemId"])
        earlier = sum(each[:2] == name for each in found)
        found.append((*name, earlier, score_of(item, "exact")))
    return found


def test_an_item_of_an_experiment_is_a_trial() -> None:
    assert kept(EXPERIMENTS) == expected()
    rows = rows_of(EXPERIMENTS)
    assert [row["status"] for row in rows] == ["ok", "ok", "error", *["ok"] * 5]
    assert [row["answer"] for row in rows] == [item["output"] for item in told()]
    assert [row["target"] for row in rows] == [item["expectedOutput"] for item in told()]


def test_runs_are_joined_with_their_scores() -> None:
    assert kept(JOINED) == expected()
    assert {row["task"] for row in rows_of(JOINED)} == {"toy"}
    assert "1 row left out: scores of a whole run or session" in remarks_of(JOINED)


def test_items_that_do_not_say_their_run_are_warned_of(tmp_path: Path) -> None:
    run = json.loads((JOINED / "runs.json").read_text())[0]
    keys = ("id", "datasetItemId", "traceId", "observationId")
    items = [{key: item[key] for key in keys} for item in run["datasetRunItems"]]
    (tmp_path / "items.json").write_text(json.dumps(items))
    (tmp_path / "scores.json").write_text((JOINED / "scores.json").read_text())
    assert [each[1:] for each in kept(tmp_path)] == [each[1:] for each in expected()[:4]]
    assert "⚠ 4 items do not name their run" in remarks_of(tmp_path)


def test_runs_without_scores_are_unscored() -> None:
    rows = rows_of(JOINED / "runs.json")
    assert [(row["outcome"], row["status"]) for row in rows] == [(None, "unscored")] * 8
    assert "No trial has a score" in remarks_of(JOINED / "runs.json")


def test_the_export_of_traces_has_a_column_for_each_score() -> None:
    with TRACES.open(encoding="utf-8", newline="") as file:
        cells = [row["exact"] for row in csv.DictReader(file)]
    outcomes = [json.loads(cell)[0] if cell != '""' else None for cell in cells]
    rows = rows_of(TRACES)
    assert [row["outcome"] for row in rows] == outcomes == [each[3] for each in expected()]
    assert {row["system"] for row in rows} == {"base", "tuned"}
    assert {row["question"] for row in rows} == {f'{{"question": "q{at}"}}' for at in (1, 2, 3)}
    assert "Systems: the model in the metadata" in remarks_of(TRACES)


def test_scores_alone_make_a_trial_of_each_trace() -> None:
    found = {row["question"]: row["outcome"] for row in rows_of(SCORES)}
    assert found == {item["traceId"]: score_of(item, "exact") for item in told() if item["scores"]}


def test_a_category_is_a_score_only_if_its_word_says_so(tmp_path: Path) -> None:
    assert {each[3] for each in kept(EXPERIMENTS, scorer="judged")} == {None}
    path = tmp_path / "a.json"
    words = EXPERIMENTS.read_text().replace('"good"', '"pass"').replace('"bad"', '"fail"')
    path.write_text(words)
    assert [each[3] for each in kept(path, scorer="judged")] == [1, 0, None, 0, 1, 1, 0, 0]
    assert "'judged' has words" in remarks_of(path, scorer="judged")


def test_the_number_of_a_category_is_no_score() -> None:
    scores = json.loads((JOINED / "scores.json").read_text())
    assert {each["value"] for each in scores["data"] if each["name"] == "judged"} == {0.0}
    assert {each[3] for each in kept(JOINED, scorer="judged")} == {None}


def test_values_that_differ_are_averaged_and_reported(tmp_path: Path) -> None:
    items = told()
    items[0]["scores"].append({**items[0]["scores"][0], "id": "again", "value": False})
    path = tmp_path / "a.json"
    path.write_text(json.dumps(items))
    assert kept(path)[0][3] == 0.5
    assert "1 trials have several values of 'exact' that differ" in remarks_of(path)


def test_pages_that_overlap_are_counted_once(tmp_path: Path) -> None:
    for name, items in (("a.jsonl", told()[:5]), ("b.jsonl", told()[3:])):
        (tmp_path / name).write_text("".join(json.dumps(item) + "\n" for item in items))
    assert sorted(kept(tmp_path), key=str) == sorted(expected(), key=str)
    assert "2 rows left out: duplicate records" in remarks_of(tmp_path)


def test_scores_of_other_traces_are_reported(tmp_path: Path) -> None:
    runs = json.loads((JOINED / "runs.json").read_text())[:1]
    (tmp_path / "runs.json").write_text(json.dumps(runs))
    (tmp_path / "scores.json").write_text((JOINED / "scores.json").read_text())
    assert len(rows_of(tmp_path)) == 4
    assert "8 rows left out: scores of traces that are in no other file" in remarks_of(tmp_path)


def test_files_of_traces_without_a_run_are_two_systems(tmp_path: Path) -> None:
    for name in ("gpt", "qwen"):
        traces = [
            {**item, "id": name + item["traceId"], "timestamp": "", "name": "answer"}
            | {"userId": None, "sessionId": None, "tags": []}
            for item in told()
        ]
        keys = ("id", "timestamp", "name", "userId", "sessionId", "tags", "input", "scores")
        slim = [{key: trace[key] for key in keys} for trace in traces]
        (tmp_path / f"{name}.json").write_text(json.dumps(slim))
    rows = rows_of(tmp_path)
    assert {row["system"] for row in rows} == {"gpt", "qwen"}
    assert len(rows) == 16
    assert "named after the 2 files" in remarks_of(tmp_path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[{"id": 1}, 3]', "[1]: expected an object"),
        ("id,traceId,datasetItemId\n1,2\n", "line 2: there are 2 cells, but 3 columns"),
        ("id,id,traceId,datasetItemId\n1,1,2,3\n", "two columns are named 'id'"),
    ],
)
def test_what_is_broken_is_named(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    assert said in refusal(path, reader="langfuse")


@pytest.mark.parametrize("log", [EXPERIMENTS, JOINED, TRACES], ids=lambda path: path.name)
def test_spoiled_logs_are_read_or_refused(log: Path, tmp_path: Path) -> None:
    require_read_or_refused(log, tmp_path, reader="langfuse")
