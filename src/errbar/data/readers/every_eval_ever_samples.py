"""Parse the records of Every Eval Ever in `<uuid>_samples.jsonl` into rows."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from errbar.data.columns import FAILED, STATUSES, USUAL
from errbar.data.readers.documents import (
    Other,
    OtherThanList,
    Part,
    Shape,
    lines_as,
    name_of,
    number_or_none,
    require_key,
    text_or_none,
)
from errbar.errors import InputError

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
class SampleReading:
    """Information collected over all records."""

    scorer: str
    versions: dict[str, None] = field(default_factory=dict)
    metadata: dict[str, None] = field(default_factory=dict)  # names that become columns
    beyond: set[str] = field(default_factory=set)  # names that are left out
    partly_right: int = 0  # records whose score disagrees with is_correct


class _Input(Part):
    """The reference of a sample."""

    reference: Any = None


class _Attribution(Part):
    """The place from which an answer was extracted."""

    extracted_value: Any = None
    is_terminal: Any = None


class _Evaluation(Part):
    """The scores of a sample; their names are SCORES."""

    score: Any = None
    is_correct: Any = None


class _Sample(Part):
    """The fields of a line that are used."""

    schema_version: Any = None
    evaluation_id: Any = None
    evaluation_result_id: Any = None
    model_id: Any = None
    evaluation_name: Any = None
    sample_id: Any = None
    evaluation: _Evaluation | Other = None
    error: Any = None
    metadata: Any = None
    input: _Input | Other = None
    answer_attribution: list[_Attribution | Other] | OtherThanList = None


_SHAPE: Shape[_Sample] = Shape(_Sample)


def read_samples(path: Path, reading: SampleReading) -> SampleFile:
    """Read the records of a file; information about all files is collected in `reading`."""
    samples = SampleFile(path)
    place = str(path)
    subjects: dict[tuple[Any, Any], SystemOnTask] = {}
    for batch in lines_as(path, _SHAPE):
        for at, row in batch:
            names = (row.model_id, row.evaluation_name)
            try:
                subject = subjects[names]
            except (KeyError, TypeError):  # not seen yet, or not text
                subject = _subject(row, f"{place}, line {at}")
                if type(row.model_id) is type(row.evaluation_name) is str:
                    subjects[names] = subject
            values = _values(row, reading, place, at)
            samples.records.append(Record(subject, str(row.evaluation_result_id or ""), values))
        samples.evaluations |= dict.fromkeys([str(row.evaluation_id) for _, row in batch])
        reading.versions |= dict.fromkeys([str(row.schema_version) for _, row in batch])
    return samples


def _subject(row: _Sample, where: str) -> SystemOnTask:
    named = {"model_id": row.model_id, "evaluation_name": row.evaluation_name}
    return SystemOnTask(*(str(require_key(named, name, where)) for name in named))


def _values(row: _Sample, reading: SampleReading, place: str, at: int) -> dict[str, Any]:
    """The columns of a record without its subject; a trial only if errbar wrote one."""
    judged, question = row.evaluation, row.sample_id
    if type(judged) is not _Evaluation:
        raise InputError(f"{place}, line {at}, evaluation: expected an object.")
    if type(question) is not str:
        question = name_of(question, f"{place}, line {at}, sample_id")
    score, right = number_or_none(judged.score), number_or_none(judged.is_correct)
    outcome = score if reading.scorer == "score" else right
    reading.partly_right += score is not None and right is not None and score != right
    error = row.error
    metadata = row.metadata if isinstance(row.metadata, dict) else None
    if metadata and NO_OUTCOME in metadata:
        outcome = None
    status = "unscored" if outcome is None else "ok"
    if error:
        status = error if error in FAILED else "error"
    values = {
        "question": question,
        "outcome": outcome,
        "status": status,
        "answer": _answer(row),
        "target": _target(row),
    }
    return values | _own(metadata) | _others(metadata, reading) if metadata else values


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
            found[meaning] = number_or_none(_float(value))
    return found


def _is_plain_number(text: str) -> bool:
    """Whether text equals its number when written again, which is false for 007."""
    return text.isascii() and text.isdigit() and len(text) < 16 and text == str(int(text))


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _others(metadata: Mapping[str, Any], reading: SampleReading) -> dict[str, str]:
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


def _answer(row: _Sample) -> str | None:
    """The answer extracted from the last message."""
    parts = row.answer_attribution if isinstance(row.answer_attribution, list) else ()
    for part in reversed(parts):
        if type(part) is _Attribution and part.is_terminal:
            return text_or_none(part.extracted_value)
    return None


def _target(row: _Sample) -> str | None:
    reference = row.input.reference if type(row.input) is _Input else None
    if isinstance(reference, list) and len(reference) == 1:
        return text_or_none(reference[0])
    return text_or_none(reference or None)
