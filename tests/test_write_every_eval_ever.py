"""Outcomes written in the schema of Every Eval Ever, and read again.

The schema is not copied here. What it demands of the fields that errbar writes is checked by hand,
as of version 0.2.2.
"""

import hashlib
import json
import uuid
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner

import errbar
from errbar.cli.main import main
from errbar.errors import InputError
from errbar.runs import Runs
from logs import FIXTURES, rows_of

LOGS = sorted(path for path in FIXTURES.iterdir() if path.is_dir())

RECORD = {
    *("schema_version", "evaluation_id", "model_id", "evaluation_name", "sample_id"),
    *("interaction_type", "input", "answer_attribution", "evaluation"),
}
MAY_RECORD = {
    *("evaluation_result_id", "sample_hash", "output", "messages", "token_usage"),
    *("performance", "error", "metadata"),
}
AGGREGATE = {
    *("schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata"),
    *("model_info", "eval_library", "evaluation_results"),
}
MAY_AGGREGATE = {"evaluation_timestamp", "detailed_evaluation_results"}


def require_texts(part: dict[str, Any]) -> None:
    assert all(isinstance(value, str) for value in part.values())


def require_record(one: dict[str, Any]) -> None:
    assert set(one) >= RECORD
    assert set(one) <= RECORD | MAY_RECORD
    require_texts({name: one[name] for name in RECORD if name not in _PARTS})
    assert one["interaction_type"] == "single_turn"
    assert isinstance(one["input"]["raw"], str)
    assert all(isinstance(text, str) for text in one["input"]["reference"])
    assert isinstance(one["output"]["raw"], list)
    assert one["messages"] is None
    for found in one["answer_attribution"]:
        assert type(found["turn_idx"]) is int
        assert type(found["is_terminal"]) is bool
        require_texts(
            {name: found[name] for name in ("source", "extracted_value", "extraction_method")}
        )
    assert isinstance(one["evaluation"]["score"], float)
    assert isinstance(one["evaluation"]["is_correct"], bool)
    assert one["error"] is None or isinstance(one["error"], str)
    require_texts(one["metadata"])


_PARTS = ("input", "answer_attribution", "evaluation")


def require_aggregate(whole: dict[str, Any]) -> None:
    assert set(whole) >= AGGREGATE
    assert set(whole) <= AGGREGATE | MAY_AGGREGATE
    require_texts({name: whole[name] for name in AGGREGATE if not name.endswith(_NESTED)})
    source = whole["source_metadata"]
    assert source["source_type"] == "evaluation_run"
    assert source["evaluator_relationship"] == "other"
    require_texts({"name": source["source_organization_name"], **source["additional_details"]})
    require_texts({name: whole["model_info"][name] for name in ("name", "id")})
    require_texts({name: whole["eval_library"][name] for name in ("name", "version")})
    (result,) = whole["evaluation_results"]
    assert result["source_data"]["source_type"] == "other"
    require_texts(result["source_data"])
    config = result["metric_config"]
    assert config["lower_is_better"] is False
    assert config.get("score_type") in ("binary", None)
    require_texts(config["additional_details"])
    details = result["score_details"]
    require_texts(details["details"])
    assert isinstance(details["score"], float)
    uncertainty = details["uncertainty"]
    assert type(uncertainty["num_samples"]) is int
    assert isinstance(uncertainty["standard_error"]["value"], float)
    assert set(uncertainty["confidence_interval"]) >= {"lower", "upper", "confidence_level"}


_NESTED = ("metadata", "info", "library", "results")


KEPT = [
    *("system", "task", "question", "trial", "outcome", "status", "answer", "target"),
    *("confidence", "cluster", "weight", "cost"),
]


def plain(runs: Runs) -> list[dict[str, Any]]:
    """Rows with an outcome, with nothing for what is not there, in the order of their names."""
    found = []
    for row in rows_of(runs):
        values = {name: None if str(value) == "nan" else value for name, value in row.items()}
        for name in ("system", "task"):
            values[name] = values.get(name) or "unknown"
        found.append(values)
    return sorted(
        found, key=lambda row: (row["system"], row["task"], row["question"], row["trial"])
    )


@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.name)
def test_what_is_written_is_read_again(log: Path, tmp_path: Path) -> None:
    runs = errbar.load(log)
    written = errbar.write_every_eval_ever(runs, tmp_path / "out")
    before, again = plain(runs), errbar.load(tmp_path / "out")
    scored = [row for row in before if row["outcome"] is not None]
    assert [{name: row.get(name) for name in KEPT} for row in plain(again)] == [
        {name: row.get(name) for name in KEPT} for row in scored
    ]
    assert written.records == len(scored)
    lost = Counter(row["status"] for row in before if row["outcome"] is None)
    assert written.left_out == lost
    failed = [row for row in before if row["outcome"] is None and row["status"] != "unscored"]
    partly = {(row["system"], row["task"]) for row in failed}
    partly &= {(row["system"], row["task"]) for row in scored}  # the others have an aggregate only
    said = [one for one in again.source.origin.remarks if "have no record here" in one]
    assert len(said) == len(partly)
    assert all(one.holds for one in again.agreements())
    if not lost:
        mine = [(one.value, one.sd, one.interval, one.trials) for one in runs.score("avg")]
        assert [(o.value, o.sd, o.interval, o.trials) for o in again.score("avg")] == mine


@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.name)
def test_files_have_what_the_schema_demands(log: Path, tmp_path: Path) -> None:
    runs = errbar.load(log)
    written = errbar.write_every_eval_ever(runs, tmp_path, retrieved=1_700_000_000)
    scores = {(one.system or "unknown", one.task or "unknown"): one for one in runs.score("avg")}
    assert len(written.aggregates) == len(scores)
    for file in written.aggregates:
        whole = json.loads(file.read_text())
        require_aggregate(whole)
        assert uuid.UUID(file.stem).version == 4
        (result,) = whole["evaluation_results"]
        estimate = scores.pop((whole["model_info"]["id"], result["evaluation_name"]))
        assert result["score_details"]["score"] == estimate.value
        assert result["score_details"]["uncertainty"]["standard_error"]["value"] == estimate.sd
        detailed = whole.get("detailed_evaluation_results")
        if detailed is None:
            lost = int(result["score_details"]["details"]["rows_without_score"])
            assert lost == estimate.trials  # not one of them has a score
            continue
        raw = (tmp_path / detailed["file_path"]).read_bytes()
        assert detailed["checksum"] == hashlib.sha256(raw).hexdigest()
        records = [json.loads(line) for line in raw.splitlines()]
        assert detailed["total_rows"] == len(records)
        for record in records:
            require_record(record)
            assert record["evaluation_id"] == whole["evaluation_id"]
            assert record["model_id"] == whole["model_info"]["id"]
            assert record["evaluation_result_id"] == result["evaluation_result_id"]


def contents(place: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in place.iterdir()}


def test_the_same_data_give_the_same_files_and_other_data_others(tmp_path: Path) -> None:
    log = FIXTURES / "verifiers"
    for name in ("one", "two"):
        errbar.write_every_eval_ever(errbar.load(log), tmp_path / name, retrieved=1)
    first = contents(tmp_path / "one")
    assert first == contents(tmp_path / "two")
    errbar.write_every_eval_ever(errbar.load(log), tmp_path / "one", retrieved=2)
    assert set(contents(tmp_path / "one")) == set(first)
    errbar.write_every_eval_ever(Runs(table("1")), tmp_path / "three")
    errbar.write_every_eval_ever(Runs(table("0")), tmp_path / "three")
    assert len(contents(tmp_path / "three")) == 4


def table(outcome: str, more: str = "") -> Any:
    sql = f"SELECT 'q' || range AS question, {outcome} AS outcome{more} FROM range(4)"
    return errbar.load(duckdb.sql(sql)).source


def test_names_values_and_order_survive(tmp_path: Path) -> None:
    """Ids and names that JSON must escape, trials in the order of their numbers, rewards."""
    data = duckdb.sql(
        "SELECT * FROM (VALUES ('a\"b', '007', 10, 0.1::DOUBLE, 'é\u2028\n', 'ok', NULL),"
        " ('a\"b', '007', 9, 'nan'::DOUBLE, NULL, 'limit', 0.5::DOUBLE),"
        " ('a\"b', '007', 2, 2.5, NULL, 'limit', 'nan'::DOUBLE),"
        " ('a\"b', '7', 0, -1, '', 'abstained', 1.0)"
        ") rows(system, question, trial, outcome, answer, status, confidence)"
    )
    runs = errbar.load(data)
    written = errbar.write_every_eval_ever(runs, tmp_path / "new")
    assert written.left_out == {"limit": 1}
    assert str(written) == (
        "3 records of 1 evaluation. Left out for want of a score, which the schema demands: 1 "
        "(limit 1)."
    )
    again = rows_of(errbar.load(tmp_path / "new"))
    shown = ("system", "question", "trial", "outcome", "answer", "status")
    assert [tuple(row[name] for name in shown) for row in again] == [
        ('a"b', "007", 2, 2.5, None, "limit"),
        ('a"b', "007", 10, 0.1, "é\u2028\n", "ok"),
        ('a"b', "7", 0, -1.0, "", "abstained"),
    ]
    assert [row["confidence"] for row in again][2] == 1.0
    (whole,) = (json.loads(file.read_text()) for file in written.aggregates)
    assert "score_type" not in whole["evaluation_results"][0]["metric_config"]


def test_a_system_without_any_score_is_not_written_and_its_rows_are_counted(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no row of it was scored"):
        errbar.write_every_eval_ever(Runs(table("NULL::DOUBLE")), tmp_path / "none")
    data = duckdb.sql(
        "SELECT * FROM (VALUES ('a', 'q', 1, 'ok'), ('b', 'q', NULL, NULL), "
        "('c', 'q', 0, 'unscored'), ('a', 'r', 0, 'unscored')"
        ") rows(system, question, outcome, status)"
    )
    written = errbar.write_every_eval_ever(errbar.load(data), tmp_path / "new")
    assert (written.records, written.left_out) == (1, {"no outcome": 1, "unscored": 2})
    (file,) = written.aggregates
    told = json.loads(file.read_text())["evaluation_results"][0]["score_details"]
    assert (told["score"], told["details"]["rows_never_scored"]) == (1.0, "1")
    assert "rows_without_score" not in told["details"]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_tables_in_memory_are_written_too(library: str, tmp_path: Path) -> None:
    pytest.importorskip(library)
    relation: Any = duckdb.sql(
        "SELECT range % 3 AS question, range // 3 AS trial, "
        "CASE WHEN range > 0 THEN range % 2 END AS outcome, range > 4 AS late FROM range(6)"
    )
    made = {"pandas": relation.df, "polars": relation.pl, "pyarrow": relation.to_arrow_table}
    written = errbar.write_every_eval_ever(errbar.load(made[library]()), tmp_path)
    assert (written.records, written.left_out) == (5, {"no outcome": 1})
    again = rows_of(errbar.load(tmp_path))
    assert [(row["question"], row["trial"], row["outcome"], row["late"]) for row in again] == [
        ("0", 1, 1, "false"),
        ("1", 0, 1, "false"),
        ("1", 1, 0, "false"),
        ("2", 0, 0, "false"),
        ("2", 1, 1, "true"),
    ]


def test_what_cannot_be_written_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no rows to write"):
        errbar.write_every_eval_ever(errbar.load([[0, 1]]), tmp_path / "out")
    with pytest.raises(InputError, match="outcome is inf"):
        errbar.write_every_eval_ever(Runs(table("'inf'::DOUBLE")), tmp_path / "out")
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(InputError, match="is a file; name a directory"):
        errbar.write_every_eval_ever(Runs(table("1")), file)
    with pytest.raises(InputError, match="cannot be made: No such file or directory"):
        errbar.write_every_eval_ever(Runs(table("1")), tmp_path / "no" / "where")
    assert list(tmp_path.iterdir()) == [file]


def test_convert_says_what_was_written_and_which_reader_was_used(tmp_path: Path) -> None:
    log, target = str(FIXTURES / "swe_bench"), str(tmp_path / "out")
    done = CliRunner().invoke(main, ["convert", log, target, "--as", "every_eval_ever"])
    assert done.exit_code == 0, done.output
    first, second, *_ = done.output.splitlines()
    assert first.startswith(f"{target}: 15 records of 1 evaluation. Left out for want of a score")
    assert first.endswith(": 3 (error 1, missing 2).")
    assert second.startswith("Reader: swe_bench (")
    done = CliRunner().invoke(main, ["convert", log, f"{target}.csv"])
    assert done.output.splitlines()[:2] == [f"{target}.csv: 18 rows.", second]
