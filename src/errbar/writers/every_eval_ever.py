"""Write Every Eval Ever 0.3.0: an aggregate and a file of records per system and task.

Files are placed as in the datastore of that project, under `data/<task>/<developer>/<model>/`:
`<uuid>.json` with the score and its uncertainty, `<uuid>_samples.jsonl` with a record per trial.

The schema requires a score in every record. A failed trial gets the score 0, as in the aggregate,
and an `error`; errbar reads it back as a trial without an outcome. A trial that was never scored
has no valid score, so it is left out and counted. Columns for which the schema has no field
go to the metadata of the record, with the prefix `errbar.` for columns of the outcomes table.

File names do not depend on the time: equal rows give equal files.
"""

import hashlib
import json
import math
import re
import time
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import Any

from errbar import __version__
from errbar.base.files import atomic_directory, temporary_file
from errbar.data.columns import FAILED
from errbar.data.queries.expressions import result_of, status_of
from errbar.data.queries.row_order import Row, rows_in_order
from errbar.data.readers.every_eval_ever import ENDING, NAME, VERSION, WITHOUT_SCORE, WRITTEN_BY
from errbar.data.readers.every_eval_ever_samples import NO_OUTCOME, OWN
from errbar.data.sources.tables import TableSource
from errbar.errors import InputError, NotThere
from errbar.results.estimate import Estimate
from errbar.runs import Runs

_UNKNOWN = "unknown"  # the schema's value for a required field that is unknown
_ELSEWHERE = ("system", "task", "question", "outcome", "answer", "target")  # fields of the schema
_NO_MESSAGES = "unknown; without messages the schema allows only single_turn"
_NOT_SCORED = ("ok", "unscored")  # statuses that do not explain a missing outcome

# Folder names that the datastore accepts: portable names, except that of its top folder.
_NOT_PORTABLE = re.compile(r'[/<>:"\\|?*\x00-\x1f]')
_RESERVED = {
    *("CON", "PRN", "AUX", "NUL", *(f"{port}{n}" for port in ("COM", "LPT") for n in range(1, 10)))
}
_LONGEST = 100  # bytes of a folder name; file systems allow 255


@dataclass(frozen=True, slots=True)
class WrittenRecords:
    """The files written, and the number of rows without a score."""

    aggregates: tuple[Path, ...]
    records: int
    left_out: Mapping[str, int]  # rows without a score, by status

    def __str__(self) -> str:
        evaluations = len(self.aggregates)
        summary = f"{self.records:,} records of {evaluations} evaluation{'s' * (evaluations > 1)}"
        if not self.left_out:
            return f"{summary}."
        left = f"{sum(self.left_out.values()):,} ({_listed(self.left_out)})"
        return f"{summary}. Left out, because the schema requires a score: {left}."


@dataclass(frozen=True, slots=True)
class _Aggregate:
    """Summary of the records of an evaluation, for its aggregate."""

    file: PurePosixPath  # relative to the target directory
    name: uuid.UUID
    records: int
    checksum: str
    left_out: Mapping[str, int]


def write_every_eval_ever(
    runs: Runs, directory: str | Path, *, retrieved: int | None = None
) -> WrittenRecords:
    """Write an aggregate and its records for every system and task.

    All files are written, or none. The score is `avg` with its interval; failed trials count as
    wrong.

    Parameters
    ----------
    runs
        Outcomes in a table.
    directory
        The directory to write to; it is created if it does not exist.
    retrieved
        The time of writing in seconds since 1970; by default the current time.
    """
    source = runs.source
    if not isinstance(source, TableSource):
        raise InputError("matrices and counts have no rows to write as records.")
    scored = _scored_rows(source)
    try:
        binary = {slice_.key: slice_.is_binary for slice_ in scored.slices(())}
    except NotThere as error:
        raise NotThere("no row has a score, which this schema requires in every record.") from error
    scores = Runs(scored).score("avg")
    for score in scores:
        if math.isnan(score.value):
            raise InputError(f"{score.of} has no score to write: {score.reason}.")
    estimates = {(score.system, score.task): score for score in scores}
    moment = int(time.time()) if retrieved is None else retrieved
    written: list[_Aggregate] = []
    left_out = Counter[str]()
    with (
        atomic_directory(directory) as place,
        closing(rows_in_order(source.frame, source.columns, place)) as rows,
    ):
        for key, mine in groupby(rows, key=lambda row: (row.values["system"], row.values["task"])):
            evaluation = _write_samples(key, mine, place)
            left_out.update(evaluation.left_out)
            if not evaluation.records:
                continue
            result = _result(estimates[key], binary[key], scores.method, evaluation.left_out)
            aggregate = {
                **_identity(key, evaluation.name, moment, source.origin.reader),
                "evaluation_results": [result],
                "detailed_evaluation_results": _records_reference(evaluation),
            }
            text = json.dumps(aggregate, indent=2, ensure_ascii=False, allow_nan=False)
            (place / _aggregate_of(evaluation)).write_text(f"{text}\n", encoding="utf-8")
            written.append(evaluation)
    aggregates = tuple(Path(directory) / _aggregate_of(evaluation) for evaluation in written)
    return WrittenRecords(
        aggregates, sum(evaluation.records for evaluation in written), dict(left_out)
    )


def _scored_rows(source: TableSource) -> TableSource:
    """Rows to write: those with an outcome, and those whose failure has a status."""
    frame = source.frame
    is_scored = ~result_of(frame, source.columns).is_null()
    if "status" in source.columns:
        status = status_of(frame, source.columns).fill_null("ok")
        is_scored = (is_scored & (status == "ok")) | ~status.is_in(_NOT_SCORED)
    return TableSource(
        frame=frame.filter(is_scored),
        columns=source.columns,
        allow_repeats=source.allow_repeats,
        where=source.where,
        origin=source.origin,
    )


def _write_samples(key: tuple[str, str], rows: Iterable[Row], place: Path) -> _Aggregate:
    """A record for each row with a score.

    Every record contains the name of its evaluation, a digest of all records, so records are
    first written without it.
    """
    digest = hashlib.sha256(json.dumps(key).encode())
    records, left_out = 0, Counter[str]()
    with temporary_file(place, ".jsonl") as parts:
        with parts.open("wb") as out:
            for row in rows:
                score, status = row.values["outcome"], row.values.get("status") or "ok"
                is_known = score is not None and math.isfinite(score)
                if status in _NOT_SCORED and (status == "unscored" or not is_known):
                    left_out["unscored"] += 1
                    continue
                line = _line(_record(row, status, float(score) if is_known else None))
                digest.update(line)
                out.write(line)
                records += 1
        digest.update(json.dumps(left_out, sort_keys=True).encode())
        # the version required by the datastore
        name = uuid.UUID(bytes=digest.digest()[:16], version=4)
        file = _folder(*key) / f"{name}{ENDING}"
        checksum = hashlib.sha256()
        if records:
            (place / file).parent.mkdir(parents=True, exist_ok=True)
            head = _line(_head(key, name))[:-2] + b", "  # without the closing brace
            with parts.open("rb") as lines, (place / file).open("wb") as out:
                for line in lines:
                    record = head + line[1:]
                    checksum.update(record)
                    out.write(record)
    return _Aggregate(file, name, records, checksum.hexdigest(), left_out)


def _aggregate_of(samples: _Aggregate) -> PurePosixPath:
    return samples.file.with_name(f"{samples.name}.json")


def _folder(system: str, task: str) -> PurePosixPath:
    """Folder of a model in the datastore; a name without a developer has no developer folder.

    Examples
    --------
    >>> str(_folder("openai/gpt-4o", "gsm8k")), str(_folder("mine", "a/b: c"))
    ('data/gsm8k/openai/gpt-4o', 'data/a_b_ c/unknown/mine')
    """
    developer, stroke, model = system.partition("/")
    parts = (task, developer, model) if stroke else (task, _UNKNOWN, system)
    return PurePosixPath("data", *map(_folder_name, parts))


def _folder_name(text: str) -> str:
    name = _NOT_PORTABLE.sub("_", text or _UNKNOWN)
    name = name.encode()[:_LONGEST].decode(errors="ignore").rstrip(". ")
    is_reserved = name in ("", "data") or name.partition(".")[0].upper() in _RESERVED
    return f"_{name}" if is_reserved else name


def _line(part: Mapping[str, Any]) -> bytes:
    return json.dumps(part, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _head(key: tuple[str, str], name: uuid.UUID) -> dict[str, str]:
    """Fields shared by all records of an evaluation."""
    system, task = (part or _UNKNOWN for part in key)
    return {
        "schema_version": VERSION,
        "evaluation_id": f"{task}/{system}/{name}",
        "model_id": system,
        "evaluation_name": task,
        "evaluation_result_id": f"{task}/avg",
    }


def _record(row: Row, status: str, score: float | None) -> dict[str, Any]:
    """Fields of a single record."""
    answer, target = (_text(row.values.get(name)) for name in ("answer", "target"))
    own = {name: value for name, value in row.values.items() if name not in _ELSEWHERE}
    own["status"] = None if status == "ok" else status
    metadata = {**row.others, **{f"{OWN}{name}": value for name, value in own.items()}}
    if score is None:
        metadata[NO_OUTCOME] = "null"
    extracted = {
        "turn_idx": 0,
        "source": "output.raw",
        "extracted_value": answer,
        "extraction_method": _UNKNOWN,
        "is_terminal": True,
    }
    return {
        "sample_id": row.values["question"],
        "interaction_type": "single_turn",
        "input": {"raw": "", "reference": [] if target is None else [target]},
        "output": {"raw": []},
        "messages": None,
        "answer_attribution": [] if answer is None else [extracted],
        "evaluation": {"score": score or 0.0, "is_correct": score == 1},
        "error": status if status in FAILED else None,
        "metadata": {name: _text(value) for name, value in metadata.items() if value is not None},
    }


def _text(value: Any) -> str | None:
    """Text unchanged, other values as JSON."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _identity(key: tuple[str, str], name: uuid.UUID, moment: int, reader: str) -> dict[str, Any]:
    """Source and model of an evaluation; records in this schema do not name their harness."""
    head = _head(key, name)
    return {
        "schema_version": VERSION,
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


def _records_reference(samples: _Aggregate) -> dict[str, Any]:
    """Reference to the file of records."""
    return {
        "format": "jsonl",
        "file_path": str(samples.file),
        "hash_algorithm": "sha256",
        "checksum": samples.checksum,
        "total_rows": samples.records,
        "additional_details": {"interaction_type": _NO_MESSAGES},
    }


def _result(
    estimate: Estimate, binary: bool, method: str, left_out: Mapping[str, int]
) -> dict[str, Any]:
    """The score with its uncertainty."""
    task = estimate.task or _UNKNOWN
    config: dict[str, Any] = {
        "evaluation_description": "Mean over questions of the mean over their trials",
        "metric_id": "accuracy" if binary else "errbar.mean_reward",
        "metric_name": str(estimate.metric),
        "metric_kind": "accuracy" if binary else "mean_reward",
        "lower_is_better": False,
        "additional_details": {"failed_trials": "counted as wrong"},
    }
    if binary:  # a continuous score needs bounds, and those of rewards are unknown
        config |= {"score_type": "continuous", "metric_unit": "proportion"}
        config |= {"min_score": 0, "max_score": 1}
    details = {
        "questions": str(estimate.questions),
        "trials": str(estimate.trials),
        "interval_covers": estimate.interval.covers.words,
    }
    if left_out:
        details |= {WITHOUT_SCORE: str(sum(left_out.values()))}
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
    uncertainty: dict[str, Any] = {"num_samples": estimate.questions}
    interval = estimate.interval
    if math.isfinite(estimate.sd):
        uncertainty["standard_error"] = {"value": estimate.sd, "method": method}
    if math.isfinite(interval.low) and math.isfinite(interval.high):
        uncertainty["confidence_interval"] = {
            "lower": interval.low,
            "upper": interval.high,
            "confidence_level": interval.level,
            "method": method,
        }
    return uncertainty


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {n}" for name, n in sorted(counts.items()))
