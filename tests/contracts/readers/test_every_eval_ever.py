"""Samples in the schema of Every Eval Ever."""

import hashlib
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import errbar
from broken_logs import require_clear_refusals, require_read_or_refused
from errbar.base.remarks import above
from errbar.errors import InputError
from logs import FIXTURES, harness, remarks_of, rows_of

LOGS = FIXTURES / "every_eval_ever"
(SAMPLES,) = LOGS.glob("*_samples.jsonl")
RIGHT = [[1, 1], [0, 1], [0, 0]]


def test_records_of_one_sample_are_trials() -> None:
    runs = errbar.load(LOGS)
    found = {(row["question"], row["trial"]): row for row in rows_of(runs)}
    assert {key: row["outcome"] for key, row in found.items()} == {
        (f"double-{sample}", repeat): right
        for sample, marks in enumerate(RIGHT)
        for repeat, right in enumerate(marks)
    }
    trial = found["double-1", 0]
    assert (trial["system"], trial["task"]) == ("mock/adder", "doubles")
    assert (trial["answer"], trial["target"]) == ("3", "2")
    assert found["double-2", 1]["status"] == "error"
    said = runs.source.origin.remarks
    assert "6 rows left out: records of results that are not used." in said
    assert above(said) == [
        "doubles: using result 'doubles/exact' (also: doubles/short) "
        "(filter='doubles/short' to change)."
    ]


@pytest.mark.parametrize("result", ["doubles/exact", "doubles/short"])
@pytest.mark.parametrize("scorer", ["score", "is_correct"])
def test_the_stated_score_comes_out(result: str, scorer: str) -> None:
    (agreement,) = errbar.load(LOGS, filter=result, scorer=scorer).agreements()
    assert agreement.holds


def test_a_result_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="there is no result 'x'; there are: doubles/exact"):
        errbar.load(LOGS, filter="x")


def with_metadata(place: Path, metadata: list[Any]) -> Path:
    """As many records of the log as there are metadata, each with its own."""
    lines = SAMPLES.read_text().splitlines()[::2][: len(metadata)]
    records = [
        json.loads(line) | {"metadata": each} for line, each in zip(lines, metadata, strict=True)
    ]
    file = place / SAMPLES.name
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    return file


def test_metadata_are_columns_but_never_those_of_the_table(tmp_path: Path) -> None:
    known = [{"subject": "sums", "status": "done", "n": 3}, None, {"subject": "doubles"}]
    found = rows_of(errbar.load(with_metadata(tmp_path, known)))
    assert [row["subject"] for row in found] == ["sums", None, "doubles"]
    assert {row["status"] for row in found} == {"ok"}
    assert "n" not in found[0]


def test_columns_that_errbar_wrote_are_read_back_unchanged(tmp_path: Path) -> None:
    known = [
        {"errbar.trial": "10", "errbar.status": "limit", "errbar.confidence": "0.5"},
        {"errbar.trial": "007", "errbar.status": "strange", "errbar.confidence": "x"},
    ]
    found = rows_of(errbar.load(with_metadata(tmp_path, known)))
    assert [(row["trial"], row["status"]) for row in found] == [("10", "limit"), ("007", "ok")]
    assert found[0]["confidence"] == 0.5


def test_metadata_without_end_are_cut_off_and_counted(tmp_path: Path) -> None:
    known = [{f"name {at}": "x" for at in range(start, start + 60)} for start in (0, 60)]
    runs = errbar.load(with_metadata(tmp_path, known))
    assert "name 99" in rows_of(runs)[0]
    assert "name 100" not in rows_of(runs)[0]
    assert "20 kinds of metadata are left out; 100 are columns." in runs.source.origin.remarks


# Schema 0.3.0


def record(sample: str, score: float, **changes: Any) -> dict[str, Any]:
    return {
        "schema_version": "0.3.0",
        "evaluation_id": "sums/acme/model-1/1700000000",
        "model_id": "acme/model-1",
        "evaluation_name": "sums",
        "evaluation_result_id": "sums/accuracy",
        "sample_id": sample,
        "sample_hash": None,
        "interaction_type": "agentic",
        "input": {"raw": "1 + 1", "formatted": None, "reference": ["2"], "choices": None},
        "output": None,
        "messages": [{"turn_idx": 0, "role": "assistant", "content": "2", "tool_calls": None}],
        "answer_attribution": [],
        "evaluation": {"score": score, "is_correct": score == 1, "num_turns": 1},
        "token_usage": {"input_tokens": 3, "output_tokens": 1, "total_tokens": 4},
        "performance": {"latency_ms": 12.5},
        "error": None,
        "metadata": None,
        **changes,
    }


RECORDS = [record("a", 1), record("b", 0), record("c", 1), record("d", 0, error="timeout")]
UUID = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
FOLDER = f"data/sums/acme/model-1/{UUID}"


def datastore(
    root: Path,
    records: list[dict[str, Any]],
    score: float,
    name: str = FOLDER,
    **stated: Any,
) -> Path:
    """An evaluation as the datastore has it: records, and an aggregate with their checksum."""
    samples = root / f"{name}_samples.jsonl"
    samples.parent.mkdir(parents=True, exist_ok=True)
    samples.write_text("".join(json.dumps(record) + "\n" for record in records))
    aggregate = {
        "schema_version": "0.3.0",
        "evaluation_id": records[0]["evaluation_id"],
        "retrieved_timestamp": "1700000000",
        "source_metadata": {
            "source_type": "evaluation_run",
            "source_organization_name": "Acme",
            "evaluator_relationship": "third_party",
        },
        "eval_library": {"name": "inspect_ai", "version": "unknown"},
        "model_info": {"name": "model-1", "id": "acme/model-1"},
        "evaluation_results": [
            {
                "evaluation_name": "sums",
                "evaluation_result_id": "sums/accuracy",
                "source_data": {"dataset_name": "sums", "source_type": "other"},
                "metric_config": {
                    "lower_is_better": False,
                    "score_type": "continuous",
                    "min_score": 0,
                    "max_score": 1,
                },
                "score_details": {"score": score},
            }
        ],
        "detailed_evaluation_results": {
            "format": "jsonl",
            "file_path": f"{name}_samples.jsonl",
            "hash_algorithm": "sha256",
            "checksum": hashlib.sha256(samples.read_bytes()).hexdigest(),
            "total_rows": len(records),
            **stated,
        },
    }
    (root / f"{name}.json").write_text(json.dumps(aggregate, indent=2))
    return samples


def test_records_of_the_newest_schema_are_read_and_what_it_states_comes_out(tmp_path: Path) -> None:
    samples = datastore(tmp_path, RECORDS, 0.5)
    for log in (tmp_path, samples):
        runs = errbar.load(log)
        assert [(row["question"], row["outcome"], row["status"]) for row in rows_of(runs)] == [
            ("a", 1, "ok"),
            ("b", 0, "ok"),
            ("c", 1, "ok"),
            ("d", 0, "timeout"),
        ]
        stated = {
            agreement.claim.name: agreement.claim.value
            for agreement in runs.agreements()
            if agreement.holds
        }
        assert stated == {"score": 0.5, "total_rows": 4}
        assert runs.source.origin.remarks == ()


def test_the_newest_schema_is_what_the_package_says(tmp_path: Path) -> None:
    """These records, but for the model's deployment, which the aggregate lacks."""
    datastore(tmp_path, RECORDS, 0.5)
    script = FIXTURES / "reference_every_eval_ever.py"
    asked = [harness("every_eval_ever"), script, tmp_path]
    run = subprocess.run(asked, capture_output=True, text=True, check=True, encoding="utf-8")
    wrong = {each for file in json.loads(run.stdout).values() for each in file["schema"]}
    assert wrong == {"$.model_info: 'additional_details' is a required property"}


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        ({"total_rows": 5}, "has 4 records, but its aggregate states 5; it may be truncated"),
        ({"checksum": "0" * 64}, "was changed after its aggregate was written: its sha256"),
        ({"hash_algorithm": "md5"}, "was changed after its aggregate was written: its md5"),
    ],
)
def test_a_file_that_is_not_what_its_aggregate_says_is_warned_of(
    stated: dict[str, Any], said: str, tmp_path: Path
) -> None:
    datastore(tmp_path, RECORDS, 0.5, **stated)
    (warned,) = above(errbar.load(tmp_path).source.origin.remarks)
    assert said in warned


def test_an_aggregate_of_another_evaluation_is_warned_of_and_states_nothing(tmp_path: Path) -> None:
    samples = datastore(tmp_path, RECORDS, 0.9)
    samples.write_text(samples.read_text().replace("1700000000", "1800000000"))
    runs = errbar.load(tmp_path)
    assert "belongs to another evaluation than the records next to it" in remarks_of(runs)
    assert runs.agreements() == []


def test_two_runs_are_trials_and_state_their_own_scores(tmp_path: Path) -> None:
    datastore(tmp_path, RECORDS, 0.5)
    again = [record | {"evaluation_id": "sums/acme/model-1/2"} for record in RECORDS[:3]]
    datastore(tmp_path, again, 2 / 3, FOLDER.replace("3f25", "4f25"))
    runs = errbar.load(tmp_path)
    found = [(row["question"], row["trial"]) for row in rows_of(runs)]
    assert sorted(found) == [(q, t) for q in "abcd" for t in range(1 if q == "d" else 2)]
    assert above(runs.source.origin.remarks) == [
        "acme/model-1 · sums: 2 files, whose records are its trials (files='systems' to change)."
    ]
    assert "states 0.6667 for its own records" in remarks_of(runs)
    assert {agreement.claim.name: agreement.value for agreement in runs.agreements()} == {
        "total_rows": 7
    }


def test_a_copy_in_another_folder_is_not_a_second_run(tmp_path: Path) -> None:
    datastore(tmp_path / "one", RECORDS, 0.5)
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    runs = errbar.load(tmp_path)
    assert len(rows_of(runs)) == 4
    assert "the same content as another" in remarks_of(runs)


def test_other_records_of_the_same_evaluation_are_warned_of(tmp_path: Path) -> None:
    datastore(tmp_path / "one", RECORDS, 0.5)
    datastore(tmp_path / "two", RECORDS[:2], 0.5)
    runs = errbar.load(tmp_path)
    assert len(rows_of(runs)) == 6
    assert above(runs.source.origin.remarks)[0].startswith("⚠ 2 different files are of one")


def test_an_aggregate_without_records_is_named_and_alone_is_refused(tmp_path: Path) -> None:
    samples = datastore(tmp_path, RECORDS, 0.5)
    alone = samples.parent / "00000000-4f89-41d3-9a0c-0305e82c3301.json"
    shutil.copy(samples.parent / f"{UUID}.json", alone)
    said = remarks_of(tmp_path)
    assert f"Not read: {alone.name} (it states scores of an evaluation whose records are" in said
    with pytest.raises(InputError, match=r"is an aggregate .* has no trials"):
        errbar.load(alone)


def test_scores_that_are_not_what_is_correct_says_are_reported(tmp_path: Path) -> None:
    half = record("e", 0.5)
    datastore(tmp_path, [*RECORDS, half], 0.5)
    assert above(errbar.load(tmp_path).source.origin.remarks) == [
        "Outcome: score, which is not what is_correct says in 1 of 5 records "
        "(scorer='is_correct' to change)."
    ]
    assert above(errbar.load(tmp_path, scorer="is_correct").source.origin.remarks) == []


def test_a_later_schema_is_read_as_the_newest_that_is_known(tmp_path: Path) -> None:
    datastore(tmp_path, [record | {"schema_version": "0.4.1"} for record in RECORDS], 0.5)
    assert "Schema 0.4.1: read as 0.3.0, the newest known" in remarks_of(tmp_path)


@pytest.mark.parametrize("version", ["0.3.7", "0.2.2", "x", "None"])
def test_other_versions_are_read_without_a_word(version: str, tmp_path: Path) -> None:
    datastore(tmp_path, [record | {"schema_version": version} for record in RECORDS], 0.5)
    assert remarks_of(tmp_path) == ""


def test_broken_logs_that_errbar_wrote(tmp_path: Path) -> None:
    errbar.write_every_eval_ever(errbar.load(FIXTURES / "nemo_skills"), tmp_path)
    place = tmp_path / "broken"
    place.mkdir()
    (log, *_) = sorted(tmp_path.rglob("*_samples.jsonl"))
    require_read_or_refused(log, place, reader="every_eval_ever")


def test_broken_logs(tmp_path: Path) -> None:
    require_read_or_refused(SAMPLES, tmp_path, reader="every_eval_ever")
    require_clear_refusals(SAMPLES, tmp_path, reader="every_eval_ever")
