"""Parse the records of Every Eval Ever in `<uuid>_samples.jsonl` into rows."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from errbar.data.columns import FAILED, STATUSES, USUAL
from errbar.data.readers import documents

OWN = "errbar."  # prefix of columns of the outcomes table in the metadata
NO_OUTCOME = f"{OWN}outcome"  # set where the score of a record is only a placeholder
SCORES = ("score", "is_correct")
MOST_METADATA = 100  # most columns made of metadata


class SystemOnTask(NamedTuple):
    """The system and task of a record."""

    system: str
    task: str

    def __str__(self) -> str:
        return " · ".join(self)


class Record(NamedTuple):
    """The parts of a record that are kept."""

    subject: SystemOnTask
    result: str  # empty if the log has no name
    values: dict[str, Any]  # by column


@dataclass
class SampleFile:
    """The records of a file."""

    path: Path
    records: list[Record] = field(default_factory=list)
    evaluations: dict[str, None] = field(default_factory=dict)  # evaluation ids
    kept: Counter[tuple[SystemOnTask, str]] = field(
        default_factory=Counter
    )  # by subject and result


@dataclass
class Reading:
    """Information collected over all records."""

    scorer: str
    versions: dict[str, None] = field(default_factory=dict)
    metadata: dict[str, None] = field(default_factory=dict)  # names that become columns
    beyond: set[str] = field(default_factory=set)  # names that are left out
    partly_right: int = 0  # records whose score disagrees with is_correct


def read_samples(path: Path, reading: Reading) -> SampleFile:
    """Read the records of a file; information about all files is collected in `reading`."""
    samples = SampleFile(path)
    place = str(path)
    for at, row in documents.lines(path):
        where = f"{place}, line {at}"
        subject = SystemOnTask(
            str(documents.require_key(row, "model_id", where)),
            str(documents.require_key(row, "evaluation_name", where)),
        )
        values = _values(row, reading, where)
        samples.records.append(Record(subject, str(row.get("evaluation_result_id") or ""), values))
        samples.evaluations[str(row.get("evaluation_id"))] = None
        reading.versions[str(row.get("schema_version"))] = None
    return samples


def _values(row: Mapping[str, Any], reading: Reading, where: str) -> dict[str, Any]:
    """The columns of a record without its subject; a trial only if errbar wrote one."""
    judged, question = row.get("evaluation"), row.get("sample_id")
    if type(judged) is not dict:
        judged = documents.require_object(judged, f"{where}, evaluation")
    if type(question) is not str:
        question = documents.name_of(question, f"{where}, sample_id")
    numbers = {name: documents.number_or_none(judged.get(name)) for name in SCORES}
    outcome = numbers[reading.scorer]
    reading.partly_right += None not in numbers.values() and len({*numbers.values()}) > 1
    metadata = documents.object_in(row, "metadata")
    if NO_OUTCOME in metadata:
        outcome = None
    error = row.get("error")
    failed = error if error in FAILED else "error"
    return {
        "question": question,
        "outcome": outcome,
        "status": failed if error else "unscored" if outcome is None else "ok",
        "answer": _answer(row),
        "target": _target(row),
        **(_own(metadata) | _others(metadata, reading) if metadata else {}),
    }


def _own(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Columns of the outcomes table that errbar itself wrote to the metadata."""
    found: dict[str, Any] = {}
    for name, value in metadata.items():
        meaning = name.removeprefix(OWN)
        if meaning == name or not isinstance(value, str):
            continue
        if meaning == "trial":
            found[meaning] = int(value) if _is_plain_number(value) else value
        elif (meaning == "status" and value in STATUSES) or meaning == "cluster":
            found[meaning] = value
        elif meaning in ("confidence", "weight", "cost"):
            found[meaning] = documents.number_or_none(_float(value))
    return found


def _is_plain_number(text: str) -> bool:
    """Whether text equals its number when written again, which is false for 007."""
    return text.isascii() and text.isdigit() and len(text) < 16 and text == str(int(text))


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _others(metadata: Mapping[str, Any], reading: Reading) -> dict[str, str]:
    """Metadata other than columns of the outcomes table."""
    found = {}
    for name, value in metadata.items():
        if not isinstance(value, str) or name in USUAL or name.startswith(OWN):
            continue
        if name in reading.metadata or len(reading.metadata) < MOST_METADATA:
            reading.metadata[name] = None
            found[name] = value
        else:
            reading.beyond.add(name)
    return found


def _answer(row: Mapping[str, Any]) -> str | None:
    """The answer extracted from the last message."""
    found = [
        attribution
        for attribution in documents.list_in(row, "answer_attribution")
        if isinstance(attribution, dict)
    ]
    last = next(
        (attribution for attribution in reversed(found) if attribution.get("is_terminal")), None
    )
    return documents.text_or_none(last.get("extracted_value")) if last else None


def _target(row: Mapping[str, Any]) -> str | None:
    reference = documents.object_in(row, "input").get("reference")
    if isinstance(reference, list) and len(reference) == 1:
        return documents.text_or_none(reference[0])
    return documents.text_or_none(reference or None)
