"""Outcomes written in the schema of Every Eval Ever, and read again.

The schema is not copied here. The package itself judges all files where scripts/harness has
installed it; everywhere, what version 0.3.0 requires of the fields that errbar writes is checked by
hand.
"""

import hashlib
import json
import re
import subprocess
import uuid
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest
from click.testing import CliRunner

import errbar
from errbar.cli import main
from errbar.data.readers.base import every_reader
from errbar.errors import InputError
from errbar.runs import Runs
from logs import FIXTURES, harness, rows_of

LOGS = sorted(path for path in FIXTURES.iterdir() if path.name in every_reader())

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


def require_record(record: dict[str, Any]) -> None:
    assert set(record) >= RECORD
    assert set(record) <= RECORD | MAY_RECORD
    require_texts({name: record[name] for name in RECORD if name not in _PARTS})
    assert record["interaction_type"] == "single_turn"
    assert isinstance(record["input"]["raw"], str)
    assert all(isinstance(text, str) for text in record["input"]["reference"])
    assert isinstance(record["output"]["raw"], list)
    assert record["messages"] is None
    for found in record["answer_attribution"]:
        assert type(found["turn_idx"]) is int
        assert type(found["is_terminal"]) is bool
        require_texts(
            {name: found[name] for name in ("source", "extracted_value", "extraction_method")}
        )
    assert isinstance(record["evaluation"]["score"], float)
    assert isinstance(record["evaluation"]["is_correct"], bool)
    assert record["error"] is None or isinstance(record["error"], str)
    require_texts(record["metadata"])


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
    assert {"deployment_type", "model_availability"} <= set(
        whole["model_info"]["additional_details"]
    )
    require_texts({name: whole["eval_library"][name] for name in ("name", "version")})
    (result,) = whole["evaluation_results"]
    assert result["source_data"]["source_type"] == "other"
    require_texts(result["source_data"])
    config = result["metric_config"]
    assert config["lower_is_better"] is False
    assert config.get("score_type") in ("continuous", None)
    assert ("score_type" in config) == ({"min_score", "max_score"} <= set(config))
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
        found, key=lambda row: (row["system"], row["task"], row["question"], row.get("trial"))
    )


def is_written(row: dict[str, Any]) -> bool:
    """Whether a row has a score, or failed for a reason and so counts as wrong."""
    if row["status"] in ("ok", None):
        return row["outcome"] is not None
    return bool(row["status"] != "unscored")


class Written(NamedTuple):
    """A log, what was written of it, and what is read of that again."""

    runs: Runs
    place: Path
    written: Any
    again: Runs


@pytest.fixture(scope="module")
def write(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Written]:
    """Write a log, once for all tests."""

    @cache
    def write_once(path: Path) -> Written:
        runs, place = errbar.load(path), tmp_path_factory.mktemp("written")
        written = errbar.write_every_eval_ever(runs, place, retrieved=1_700_000_000)
        return Written(runs, place, written, errbar.load(place))

    return write_once


@pytest.fixture(params=LOGS, ids=lambda path: path.name)
def log(request: pytest.FixtureRequest, write: Callable[[Path], Written]) -> Written:
    """Every log."""
    return write(request.param)


def test_what_is_written_is_read_again(log: Written) -> None:
    runs, _, written, again = log
    before = plain(runs)
    kept = [row for row in before if is_written(row)]
    assert [{name: row.get(name) for name in KEPT} for row in plain(again)] == [
        {name: row.get(name) for name in KEPT} for row in kept
    ]
    assert written.records == len(kept)
    lost = len(before) - len(kept)
    assert written.left_out == ({"unscored": lost} if lost else {})
    partly = {(row["system"], row["task"]) for row in before if not is_written(row)}
    partly &= {(row["system"], row["task"]) for row in kept}  # of the others nothing is written
    said = [
        remark for remark in again.source.origin.remarks if "because they had no score" in remark
    ]
    assert len(said) == len(partly)
    if not lost:
        mine, theirs = (
            sorted(
                (each.value, each.sd, str(each.interval), each.trials) for each in some.score("avg")
            )
            for some in (runs, again)
        )
        assert theirs == mine


def test_what_aggregates_state_comes_out(log: Written) -> None:
    agreements, written = log.again.agreements(), log.written
    assert all(agreement.holds for agreement in agreements)
    counted = [agreement for agreement in agreements if agreement.claim.name == "total_rows"]
    assert len(counted) == len(written.aggregates)
    assert sum(each.value for each in counted) == written.records


FILE_PATH = re.compile(
    r"data(/[^/]+){3}/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
    r"_samples\.jsonl"
)


def test_files_have_what_the_schema_requires(log: Written) -> None:
    files = {file for file in log.place.rglob("*") if file.is_file()}
    for file in log.written.aggregates:
        whole = json.loads(file.read_text())
        require_aggregate(whole)
        assert uuid.UUID(file.stem).version == 4
        (result,) = whole["evaluation_results"]
        detailed = whole["detailed_evaluation_results"]
        assert FILE_PATH.fullmatch(detailed["file_path"])
        samples = log.place / detailed["file_path"]
        assert samples == file.with_name(f"{file.stem}_samples.jsonl")
        raw = samples.read_bytes()
        assert detailed["checksum"] == hashlib.sha256(raw).hexdigest()
        records = [json.loads(line) for line in raw.splitlines()]
        assert detailed["total_rows"] == len(records)
        for record in records:
            require_record(record)
            assert record["evaluation_id"] == whole["evaluation_id"]
            assert record["model_id"] == whole["model_info"]["id"]
            assert record["evaluation_result_id"] == result["evaluation_result_id"]
        files -= {file, samples}
    assert not files


def test_the_score_has_the_uncertainty_that_errbar_states(tmp_path: Path) -> None:
    runs = errbar.load(FIXTURES / "verifiers")
    (file,) = errbar.write_every_eval_ever(runs, tmp_path).aggregates
    (estimate,) = scores = runs.score("avg")
    (result,) = json.loads(file.read_text())["evaluation_results"]
    assert result["score_details"]["score"] == estimate.value
    assert result["score_details"]["uncertainty"] == {
        "num_samples": estimate.questions,
        "standard_error": {"value": estimate.sd, "method": scores.method},
        "confidence_interval": {
            "lower": estimate.interval.low,
            "upper": estimate.interval.high,
            "confidence_level": 0.95,
            "method": scores.method,
        },
    }


def said_by_the_package(*places: Path) -> dict[str, dict[str, list[str]]]:
    script = FIXTURES / "reference_every_eval_ever.py"
    asked = [harness("every_eval_ever"), script, *places]
    run = subprocess.run(asked, capture_output=True, text=True, check=True, encoding="utf-8")
    found: dict[str, dict[str, list[str]]] = json.loads(run.stdout)
    return found


def test_the_package_finds_every_file_valid(
    write: Callable[[Path], Written], tmp_path: Path
) -> None:
    """Its schemas and its validator; it warns of systems whose developer nobody knows."""
    harness("every_eval_ever")
    logs = [write(path) for path in LOGS]
    written = [log.written for log in logs]
    written.append(errbar.write_every_eval_ever(Runs(hostile()), tmp_path))
    said = said_by_the_package(*(log.place for log in logs), tmp_path)
    assert len(said) == 2 * sum(len(each.aggregates) for each in written)
    assert [each for each in said.values() if each["schema"] or each["errors"]] == []
    for file, verdict in said.items():
        for warned in verdict["warnings"]:
            assert "names no datastore directory" in warned, file


def test_a_developer_in_the_name_of_a_system_leaves_nothing_to_warn_of(tmp_path: Path) -> None:
    harness("every_eval_ever")
    more = ", 'openai/gpt-4o:2024/mini' AS system, 'suite/gsm8k' AS task"
    written = errbar.write_every_eval_ever(Runs(table("1", more)), tmp_path)
    (file,) = written.aggregates
    assert file.parent == tmp_path / "data" / "suite_gsm8k" / "openai" / "gpt-4o_2024_mini"
    assert [each["warnings"] for each in said_by_the_package(tmp_path).values()] == [[], []]


def test_the_package_still_objects_to_what_is_wrong(tmp_path: Path) -> None:
    """The check above can fail."""
    harness("every_eval_ever")
    (file,) = errbar.write_every_eval_ever(Runs(table("1")), tmp_path).aggregates
    whole = json.loads(file.read_text())
    whole["detailed_evaluation_results"]["file_path"] = "samples.jsonl"
    del whole["evaluation_results"][0]["score_details"]["score"]
    file.write_text(json.dumps(whole))
    said = said_by_the_package(tmp_path)[str(file)]
    assert len(said["schema"]) == 2
    assert said["errors"]


def contents(place: Path) -> dict[str, bytes]:
    return {
        file.relative_to(place).as_posix(): file.read_bytes()
        for file in place.rglob("*")
        if file.is_file()
    }


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


def hostile() -> Any:
    """Names that no folder may have, ids that JSON must escape, every status, rewards."""
    systems = ['a"b', "data/CON", "/", "..", "x" * 300, "é/ü ", "a\nb/c", "unknown"]
    tasks = ["t", "data", "com1.x", ".", "ab. ", "\x01", "?", ""]
    statuses = ["ok", "error", "timeout", "limit", "abstained", "missing", "failed", "unscored"]
    rows = [
        (system, task, f"{status}\n", 0 if status == "ok" else None, status)
        for system, task in zip(systems, tasks, strict=True)
        for status in statuses
    ]
    names = ("system", "task", "question", "outcome", "status")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    return errbar.load(pytest.importorskip("pandas").DataFrame(columns)).source


def test_names_values_and_order_survive(tmp_path: Path) -> None:
    """Ids and names that JSON must escape, trials in the order of their numbers, rewards."""
    data = duckdb.sql(
        "SELECT * FROM (VALUES ('a\"b', '007', 10, 0.1::DOUBLE, 'é\u2028\n', 'ok', NULL),"
        " ('a\"b', '007', 9, 'nan'::DOUBLE, NULL, 'limit', 0.5::DOUBLE),"
        " ('a\"b', '007', 3, 'nan'::DOUBLE, NULL, 'ok', 0.5::DOUBLE),"
        " ('a\"b', '007', 2, 2.5, NULL, 'limit', 'nan'::DOUBLE),"
        " ('a\"b', '7', 0, -1, '', 'abstained', 1.0)"
        ") rows(system, question, trial, outcome, answer, status, confidence)"
    )
    runs = errbar.load(data)
    written = errbar.write_every_eval_ever(runs, tmp_path / "new")
    assert written.left_out == {"unscored": 1}
    assert str(written) == (
        "4 records of 1 evaluation. Left out, because the schema requires a score: 1 (unscored 1)."
    )
    again = rows_of(errbar.load(tmp_path / "new"))
    shown = ("system", "question", "trial", "outcome", "answer", "status")
    assert [tuple(row[name] for name in shown) for row in again] == [
        ('a"b', "007", 2, 2.5, None, "limit"),
        ('a"b', "007", 9, None, None, "limit"),
        ('a"b', "007", 10, 0.1, "é\u2028\n", "ok"),
        ('a"b', "7", 0, -1.0, "", "abstained"),
    ]
    assert [row["confidence"] for row in again][1::2] == [0.5, 1.0]
    (whole,) = (json.loads(file.read_text()) for file in written.aggregates)
    assert "score_type" not in whole["evaluation_results"][0]["metric_config"]


def test_names_that_no_folder_may_have_are_written_and_read_again(tmp_path: Path) -> None:
    runs = Runs(hostile())
    written = errbar.write_every_eval_ever(runs, tmp_path)
    assert len({file.parent for file in written.aggregates}) == 8
    assert {len(file.relative_to(tmp_path).parts) for file in written.aggregates} == {5}
    assert written.left_out == {"unscored": 8}
    shown = ("system", "task", "question", "outcome", "status")
    assert [[row[name] for name in shown] for row in plain(errbar.load(tmp_path))] == [
        [row[name] for name in shown] for row in plain(runs) if row["status"] != "unscored"
    ]


def test_a_failed_trial_has_the_score_that_the_aggregate_counts_it_as(tmp_path: Path) -> None:
    more = ", CASE WHEN range = 0 THEN 'timeout' ELSE 'ok' END AS status"
    runs = Runs(table("CASE WHEN range > 0 THEN 1 END", more))
    (file,) = errbar.write_every_eval_ever(runs, tmp_path).aggregates
    samples = file.with_name(f"{file.stem}_samples.jsonl")
    records = [json.loads(line) for line in samples.read_text().splitlines()]
    scores = [record["evaluation"]["score"] for record in records]
    assert [record["error"] for record in records] == ["timeout", None, None, None]
    (result,) = json.loads(file.read_text())["evaluation_results"]
    assert result["score_details"]["score"] == sum(scores) / 4 == 0.75
    assert [row["outcome"] for row in rows_of(errbar.load(tmp_path))] == [None, 1, 1, 1]


def test_where_no_row_has_a_score_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match="no row has a score, which this schema requires in every record"
    ):
        errbar.write_every_eval_ever(Runs(table("NULL::DOUBLE")), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_system_without_any_score_is_left_out_and_counted(tmp_path: Path) -> None:
    more = ", 's' || (range % 2) AS system"
    written = errbar.write_every_eval_ever(
        Runs(table("CASE WHEN range % 2 = 0 THEN 1 END", more)), tmp_path
    )
    assert (written.records, written.left_out, len(written.aggregates)) == (2, {"unscored": 2}, 1)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_tables_in_memory_are_written_too(library: str, tmp_path: Path) -> None:
    pytest.importorskip(library)
    relation: Any = duckdb.sql(
        "SELECT range % 3 AS question, range // 3 AS trial, "
        "CASE WHEN range > 0 THEN range % 2 END AS outcome, range > 4 AS late FROM range(6)"
    )
    made = {"pandas": relation.df, "polars": relation.pl, "pyarrow": relation.to_arrow_table}
    written = errbar.write_every_eval_ever(errbar.load(made[library]()), tmp_path)
    assert (written.records, written.left_out) == (5, {"unscored": 1})
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
    with pytest.raises(InputError, match="cannot be created: No such file or directory"):
        errbar.write_every_eval_ever(Runs(table("1")), tmp_path / "no" / "where")
    assert list(tmp_path.iterdir()) == [file]


def test_what_was_moved_is_taken_back_if_another_file_cannot_be(tmp_path: Path) -> None:
    more = ", 's' || range AS system"
    errbar.write_every_eval_ever(Runs(table("1", more)), tmp_path / "out", retrieved=1)
    before = contents(tmp_path / "out")
    folders = sorted(folder for folder in (tmp_path / "out").rglob("*") if folder.is_dir())
    blocked = next(iter(sorted(before, reverse=True)))  # the last file to be moved
    (tmp_path / "out" / blocked).unlink()
    (tmp_path / "out" / blocked / "x").mkdir(parents=True)
    with pytest.raises(InputError, match="cannot be written: Is a directory"):
        errbar.write_every_eval_ever(Runs(table("1", more)), tmp_path / "out", retrieved=2)
    left = contents(tmp_path / "out")
    assert left == {name: raw for name, raw in before.items() if name != blocked}
    found = {folder for folder in (tmp_path / "out").rglob("*") if folder.is_dir()}
    place = tmp_path / "out" / blocked
    assert found == {*folders, place, place / "x"}


def test_a_new_directory_has_the_rights_that_others_have(tmp_path: Path) -> None:
    errbar.write_every_eval_ever(Runs(table("1")), tmp_path / "out")
    (tmp_path / "usual").mkdir()
    modes = [(tmp_path / name).stat().st_mode for name in ("out", "usual")]
    assert modes[0] == modes[1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "usual"]


def test_convert_says_what_was_written_and_which_reader_was_used(tmp_path: Path) -> None:
    log, target = str(FIXTURES / "swe_bench"), str(tmp_path / "out")
    done = CliRunner().invoke(main, ["convert", log, target, "--as", "every_eval_ever"])
    assert done.exit_code == 0, done.output
    first, second, *_ = done.output.splitlines()
    assert first == f"{target}: 18 records of 1 evaluation."
    assert second.startswith("Reader: swe_bench (")
    done = CliRunner().invoke(main, ["convert", log, f"{target}.csv"])
    assert done.output.splitlines()[:2] == [f"{target}.csv: 18 rows.", second]
