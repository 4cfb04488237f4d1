"""Outcomes → the schema of Every Eval Ever, 0.2.2: `<uuid>.json` and `<uuid>_samples.jsonl`.

A system on a task is one evaluation: an aggregate with the score, and a record for each trial. The
schema wants a score in every record, so a row without any is not written: it is counted, and the
aggregate and the caller are told. What the schema has no field for stands in the metadata of the
record, under `errbar.` where it is a column of the outcomes table.

Nothing in a name depends on the time: the same rows give the same files.
"""

import hashlib
import json
import math
import time
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from errbar import __version__
from errbar.data.in_order import Row, rows_in_order
from errbar.data.outcomes import FAILED, UNSCORED
from errbar.data.slices import Slice
from errbar.data.sources import TableSource
from errbar.data.whole import for_a_while, written_whole
from errbar.errors import InputError
from errbar.estimate import Estimate
from errbar.readers.every_eval_ever import NAME, OWN, WITHOUT_SCORE, WRITTEN_BY
from errbar.runs import Runs

_VERSION = "0.2.2"
_UNKNOWN = "unknown"  # the schema's own word for what must be there and is not known
_ELSEWHERE = ("system", "task", "question", "outcome", "answer", "target")  # fields of the schema
_NO_OUTCOME = "no outcome"  # and no status that says why
_POLICY = "counted as wrong; left out where never scored"
_NO_MESSAGES = "not known; without messages the schema knows single_turn alone"


@dataclass(frozen=True, slots=True)
class Written:
    """What was written, and how many rows have no score that could be."""

    aggregates: tuple[Path, ...]
    records: int
    left_out: Mapping[str, int]  # by status

    def __str__(self) -> str:
        evaluations = len(self.aggregates)
        said = f"{self.records:,} records of {evaluations} evaluation{'s' * (evaluations > 1)}"
        if not self.left_out:
            return f"{said}."
        left = f"{sum(self.left_out.values()):,} ({_told(self.left_out)})"
        return f"{said}. Left out for want of a score, which the schema demands: {left}."


@dataclass(frozen=True, slots=True)
class _Samples:
    """The records of an evaluation, as the aggregate speaks of them."""

    name: uuid.UUID
    records: int
    checksum: str
    left_out: Mapping[str, int]


def write_every_eval_ever(
    runs: Runs, directory: str | Path, *, retrieved: int | None = None
) -> Written:
    """Write an aggregate and its records for every system and task.

    No file is put in its place before all of them are whole. The score is `avg` with its interval,
    rows without a result counted as wrong, but for rows that were never scored, which are left out.
    A system and task without any score is not written, as the schema demands one. `retrieved` is
    when the files were made, in seconds since 1970; now, if it is not told.
    """
    source = runs.source
    if not isinstance(source, TableSource):
        raise InputError("matrices and counts have no rows to write as records.")
    scores = runs.score("avg")
    estimates = {(one.system, one.task): one for one in scores}
    slices = {one.key: one for one in source.slices(())}
    moment = int(time.time()) if retrieved is None else retrieved
    aggregates: list[Path] = []
    records, left_out = 0, Counter[str]()
    with _made(Path(directory)) as place, ExitStack() as files:
        rows = files.enter_context(closing(rows_in_order(source.frame, source.columns, place)))
        for key, mine in groupby(rows, key=lambda row: (row.told["system"], row.told["task"])):
            if math.isnan(estimates[key].value):  # the schema demands a score
                left_out.update(_why_without_score(row) for row in mine)
                continue
            samples = _write_samples(key, mine, place, files)
            result = _result(estimates[key], slices[key], scores.method, samples.left_out)
            whole = {
                **_identity(key, samples.name, moment, source.origin.reader),
                "evaluation_results": [result],
                **_detailed(samples),
            }
            aggregates.append(place / f"{samples.name}.json")
            beside = files.enter_context(written_whole(aggregates[-1]))
            text = json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False)
            beside.write_text(f"{text}\n", encoding="utf-8")
            records += samples.records
            left_out.update(samples.left_out)
    return Written(tuple(aggregates), records, dict(left_out))


@contextmanager
def _made(directory: Path) -> Iterator[Path]:
    """The directory, made if it is not there, and gone again if nothing comes of it."""
    missing = not directory.exists()
    try:
        directory.mkdir(exist_ok=True)
    except FileExistsError as error:
        raise InputError(f"{directory} is a file; name a directory to write to.") from error
    except OSError as error:
        raise InputError(f"{directory} cannot be made: {error.strerror}.") from error
    try:
        yield directory
    except BaseException:
        if missing and not any(directory.iterdir()):
            directory.rmdir()
        raise


def _write_samples(
    key: tuple[str, str], rows: Iterable[Row], place: Path, files: ExitStack
) -> _Samples:
    """A record for each row with a score.

    Every record has the name of its evaluation, which depends on all of them. So they are written
    without it first.
    """
    digest = hashlib.sha256(json.dumps(key).encode())
    records, left_out = 0, Counter[str]()
    with for_a_while(place, ".jsonl") as parts:
        with parts.open("wb") as out:
            for row in rows:
                score = row.told["outcome"]
                ungraded = row.told.get("status") == UNSCORED
                if score is None or not math.isfinite(score) or ungraded:
                    left_out[_why_without_score(row)] += 1
                    continue
                line = _line(_record(row, float(score)))
                digest.update(line)
                out.write(line)
                records += 1
        digest.update(json.dumps(left_out, sort_keys=True).encode())
        name = uuid.UUID(bytes=digest.digest()[:16], version=4)  # the archive takes no other
        if not records:
            return _Samples(name, 0, "", left_out)
        beside = files.enter_context(written_whole(place / f"{name}_samples.jsonl"))
        head = _line(_head(key, name))[:-2] + b", "  # the object stays open
        whole = hashlib.sha256()
        with parts.open("rb") as lines, beside.open("wb") as out:
            for line in lines:
                record = head + line[1:]
                whole.update(record)
                out.write(record)
    return _Samples(name, records, whole.hexdigest(), left_out)


def _line(part: Mapping[str, Any]) -> bytes:
    return json.dumps(part, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _head(key: tuple[str, str], name: uuid.UUID) -> dict[str, str]:
    """What all records of an evaluation have in common."""
    system, task = (one or _UNKNOWN for one in key)
    return {
        "schema_version": _VERSION,
        "evaluation_id": f"{task}/{system}/{name}",
        "model_id": system,
        "evaluation_name": task,
        "evaluation_result_id": f"{task}/avg",
    }


def _record(row: Row, score: float) -> dict[str, Any]:
    """The rest of a record."""
    answer, target = (_text(row.told.get(name)) for name in ("answer", "target"))
    status = _status(row, "ok")
    told = {name: value for name, value in row.told.items() if name not in _ELSEWHERE}
    told["status"] = None if status == "ok" else status
    metadata = {**{f"{OWN}{name}": told[name] for name in told}, **row.others}
    extracted = {
        "turn_idx": 0,
        "source": "output.raw",
        "extracted_value": answer,
        "extraction_method": _UNKNOWN,
        "is_terminal": True,
    }
    return {
        "sample_id": row.told["question"],
        "interaction_type": "single_turn",
        "input": {"raw": "", "reference": [] if target is None else [target]},
        "output": {"raw": []},
        "messages": None,
        "answer_attribution": [] if answer is None else [extracted],
        "evaluation": {"score": score, "is_correct": score == 1},
        "error": status if status in FAILED else None,
        "metadata": {name: _text(value) for name, value in metadata.items() if value is not None},
    }


def _status(row: Row, usual: str) -> str:
    """The status of a row; the usual one where it says nothing, or nothing that explains it."""
    status = row.told.get("status")
    return usual if status is None or status == "ok" else str(status)


def _why_without_score(row: Row) -> str:
    return _status(row, _NO_OUTCOME)


def _text(value: Any) -> str | None:
    """Text as it is, other values as they stand in JSON."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _identity(key: tuple[str, str], name: uuid.UUID, moment: int, reader: str) -> dict[str, Any]:
    """Whose evaluation it is; a log in this schema says nothing of its harness in its samples."""
    head = _head(key, name)
    return {
        "schema_version": _VERSION,
        "evaluation_id": head["evaluation_id"],
        "retrieved_timestamp": str(moment),
        "source_metadata": {
            "source_type": "evaluation_run",
            "source_organization_name": _UNKNOWN,
            "evaluator_relationship": "other",
            "additional_details": {WRITTEN_BY: f"errbar {__version__}"},
        },
        "eval_library": {
            "name": reader if reader not in ("", NAME) else _UNKNOWN,
            "version": _UNKNOWN,
        },
        "model_info": {
            "name": head["model_id"],
            "id": head["model_id"],
            "additional_details": {"deployment_type": _UNKNOWN, "model_availability": _UNKNOWN},
        },
    }


def _detailed(samples: _Samples) -> dict[str, Any]:
    """Where the records are, if there are any."""
    if not samples.records:
        return {}
    told = {
        "format": "jsonl",
        "file_path": f"{samples.name}_samples.jsonl",
        "hash_algorithm": "sha256",
        "checksum": samples.checksum,
        "total_rows": samples.records,
        "additional_details": {"interaction_type": _NO_MESSAGES},
    }
    return {"detailed_evaluation_results": told}


def _result(
    estimate: Estimate, one: Slice, method: str, left_out: Mapping[str, int]
) -> dict[str, Any]:
    """The score, with all that is known of how sure it is."""
    binary = one.is_binary
    mean = "Weighted mean" if one.is_weighted else "Mean"
    description = f"{mean} over questions of the mean over their trials"
    task = estimate.task or _UNKNOWN
    config: dict[str, Any] = {
        "evaluation_description": description,
        "metric_id": "accuracy" if binary else "errbar.mean_reward",
        "metric_name": str(estimate.metric),
        "metric_kind": "accuracy" if binary else "mean_reward",
        "lower_is_better": False,
        "additional_details": {"rows_without_result": _POLICY},
    }
    if binary:  # rewards have bounds that nobody told
        config |= {"score_type": "binary", "metric_unit": "proportion"}
        config |= {"min_score": 0, "max_score": 1}
    details = {
        "questions": str(estimate.questions),
        "trials": str(estimate.trials),
        "interval_covers": estimate.interval.covers.words,
    }
    failed = {status: rows for status, rows in left_out.items() if status != UNSCORED}
    if failed:
        details |= {WITHOUT_SCORE: str(sum(failed.values())), "their_status": _told(failed)}
    if len(failed) < len(left_out):
        details["rows_never_scored"] = str(left_out[UNSCORED])
    return {
        "evaluation_name": task,
        "evaluation_result_id": f"{task}/avg",
        "source_data": {"dataset_name": task, "source_type": "other"},
        "metric_config": config,
        "score_details": {
            "score": estimate.value,
            "details": details,
            "uncertainty": _uncertainty(estimate, method),
        },
    }


def _uncertainty(estimate: Estimate, method: str) -> dict[str, Any]:
    told: dict[str, Any] = {"num_samples": estimate.questions}
    interval = estimate.interval
    if math.isfinite(estimate.sd):
        told["standard_error"] = {"value": estimate.sd, "method": method}
    if math.isfinite(interval.low) and math.isfinite(interval.high):
        told["confidence_interval"] = {
            "lower": interval.low,
            "upper": interval.high,
            "confidence_level": interval.level,
            "method": method,
        }
    return told


def _told(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {n}" for name, n in sorted(counts.items()))
