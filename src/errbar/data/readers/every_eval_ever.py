"""Every Eval Ever, up to schema 0.3.0: records in `<uuid>_samples.jsonl`, scores in `<uuid>.json`.

The schema has no field for a repeat: records of the same sample, model and result are trials, in
file order. A sample scored by several metrics has a record for each; the filter chooses among them.
The aggregate states the scores, the number of records and their checksum, all of which are checked.

Metadata become columns to group by. Columns of the outcomes table that errbar itself wrote to the
metadata are restored.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from errbar.base.remarks import guess, setting, some_of, warning
from errbar.data.readers.base import Glance, Reader
from errbar.data.readers.choices import Choice
from errbar.data.readers.documents import (
    list_in,
    number_or_none,
    object_in,
    object_of,
    require_object,
)
from errbar.data.readers.every_eval_ever_samples import (
    MOST_METADATA,
    SCORES,
    SampleFile,
    SampleReading,
    SystemOnTask,
    read_samples,
)
from errbar.data.readers.log_names import FILES_ARE, runs_apart
from errbar.data.readers.logs import Claim, Log, pick
from errbar.errors import InputError

NAME = "every_eval_ever"
VERSION = "0.3.0"  # newest schema that is read, and the one that is written
ENDING = "_samples.jsonl"
WRITTEN_BY = "written_by"  # in an aggregate written by errbar
WITHOUT_SCORE = "rows_without_score"  # number of rows without a record

_KEYS = ("schema_version", "evaluation_id", "model_id", "evaluation_name", "sample_id")
_CHECKSUMS = ("sha256", "md5")


def _recognise(glance: Glance) -> str:
    if glance.has(*_KEYS) or _is_aggregate(glance):
        return "JSON with schema_version and evaluation_id, of samples or of their results"
    return ""


def _is_aggregate(glance: Glance) -> bool:
    """Whether a file is an aggregate, even if long results hide its later keys."""
    if glance.shape not in ("lines", "object") or not glance.has("schema_version", "evaluation_id"):
        return False
    return glance.has("evaluation_results") or glance.has("retrieved_timestamp", "source_metadata")


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    aggregates = [path for path in files if _is_aggregate(Glance(path))]
    known = frozenset(aggregates)
    paths = [path for path in files if path not in known]
    if not paths:
        raise InputError(
            f"{files[0]} is an aggregate of Every Eval Ever, which states scores and has no "
            f"trials. Load the {ENDING.removeprefix('_')} next to it; without it there is nothing "
            f"to score."
        )
    reading = SampleReading(pick(choice.scorer, SCORES, "score", str(paths[0])))
    samples = _without_copies([read_samples(path, reading) for path in paths], log)
    _keep_apart(samples, choice)
    results = _results(samples, choice, log, str(paths[0]))
    trials: Counter[tuple[SystemOnTask, str]] = Counter()
    for sample in samples:
        log.read(sample.path, len(sample.records))
        for subject, result, values in sample.records:
            if result != results[subject]:
                log.leave_out(sample.path, "records of results that are not used")
                continue
            question = (subject, values["question"])
            log.add(
                system=subject.system,
                task=subject.task,
                **{"trial": trials[question], **values},
            )
            trials[question] += 1
            sample.kept[subject, result] += 1
    with_samples = {_beside(sample.path) for sample in samples}
    for path in aggregates:
        if path in with_samples:
            log.read(path, 0)
        else:
            log.skip(path, "it states scores of an evaluation whose records are missing")
    _say(log, reading, choice, samples)
    _check(log, samples)
    return log


def _without_copies(samples: Sequence[SampleFile], log: Log) -> list[SampleFile]:
    """Leave out copies of files; warn of different files of the same evaluation."""
    by_evaluation: dict[tuple[str, ...], list[SampleFile]] = defaultdict(list)
    for sample in samples:
        by_evaluation[tuple(sample.evaluations)].append(sample)
    copies: set[Path] = set()
    for alike in by_evaluation.values():
        if len(alike) == 1 or not alike[0].records:
            continue
        firsts: dict[str, Path] = {}
        for sample in alike:
            first = firsts.setdefault(_checksum(sample.path, "sha256"), sample.path)
            if first != sample.path:
                log.skip(sample.path, f"a copy of {first.name} in another folder")
                copies.add(sample.path)
        if len(firsts) > 1:
            shown = some_of([str(path) for path in firsts.values()])
            log.remarks.append(
                warning(
                    f"{len(firsts)} different files are of one evaluation, "
                    f"{next(iter(alike[0].evaluations))}: {shown}. All their records are trials; "
                    f"leave out what does not belong, or keep them apart with "
                    f"{setting('files', 'systems')}."
                )
            )
    return [sample for sample in samples if sample.path not in copies]


def _keep_apart(samples: Sequence[SampleFile], choice: Choice) -> None:
    """With files='systems', systems on a task that is in several files get the names of these."""
    files: dict[SystemOnTask, list[Path]] = defaultdict(list)
    for sample in samples:
        for subject in {record.subject for record in sample.records}:
            files[subject].append(sample.path)
    for subject, paths in files.items():
        systems = runs_apart(dict.fromkeys(paths, subject), choice.files, ENDING)
        for sample in samples if len(paths) > 1 else ():
            sample.records = [
                record._replace(subject=subject._replace(system=systems[sample.path]))
                if record.subject == subject
                else record
                for record in sample.records
            ]


def _results(
    samples: Sequence[SampleFile], choice: Choice, log: Log, where: str
) -> dict[SystemOnTask, str]:
    """Choose one of the results that an evaluation has for a sample."""
    found: dict[SystemOnTask, dict[str, None]] = defaultdict(dict)
    for sample in samples:
        for record in sample.records:
            found[record.subject][record.result] = None
    if choice.filter is not None:
        pick(choice.filter, list(dict.fromkeys(_named(found.values()))), "result", where)
    picked: dict[SystemOnTask, str] = {}
    remarks: dict[str, None] = {}
    for subject, results in found.items():
        mine = choice.filter if choice.filter in results else next(iter(results))
        picked[subject] = mine or ""
        others = [name or "one without a name" for name in results if name != mine]
        if others:
            remarks[
                guess(
                    f"{subject.task}: using result {mine!r} (also: {some_of(others)})",
                    option=f"--filter {others[0]}",
                    argument=f"filter={others[0]!r}",
                )
            ] = None
    log.remarks += remarks
    return picked


def _named(results: Iterable[Mapping[str, None]]) -> Iterator[str]:
    return (name for names in results for name in names if name)


def _say(log: Log, reading: SampleReading, choice: Choice, samples: Sequence[SampleFile]) -> None:
    """Add remarks on guesses and omissions."""
    if reading.partly_right and choice.scorer is None:
        log.remarks.append(
            guess(
                f"Outcome: score, which is not what is_correct says in {reading.partly_right} of "
                f"{sum(len(sample.records) for sample in samples)} records",
                option="--scorer is_correct",
                argument="scorer='is_correct'",
            )
        )
    newer = [version for version in reading.versions if _is_newer(version)]
    if newer:
        log.remarks.append(
            guess(
                f"Schema {some_of(newer)}: read as {VERSION}, the newest known",
                option="--map, which reads the file as a table,",
                argument="outcome='…', which reads the file as a table,",
            )
        )
    runs = Counter(
        subject for sample in samples for subject in {subject for subject, _ in sample.kept}
    )
    for subject, files in runs.items():
        if files > 1:
            log.remarks.append(
                guess(
                    f"{subject}: {files} files, whose records are its trials",
                    option="--files systems",
                    argument="files='systems'",
                )
            )
    if reading.beyond:
        log.remarks.append(
            f"{len(reading.beyond)} kinds of metadata are left out; {MOST_METADATA} are columns."
        )


def _is_newer(version: str) -> bool:
    """Whether a version is newer than the known schema, ignoring its last number."""
    numbers = version.split(".")[:2]
    if len(numbers) < 2 or not all(n.isascii() and n.isdigit() and len(n) < 9 for n in numbers):
        return False
    return [int(n) for n in numbers] > [int(n) for n in VERSION.split(".")[:2]]


def _check(log: Log, samples: Sequence[SampleFile]) -> None:
    """Check the records against their aggregates: scores, number and checksum."""
    files = Counter(
        subject for sample in samples for subject in {subject for subject, _ in sample.kept}
    )
    rows: dict[SystemOnTask, list[float]] = defaultdict(list)
    for sample in samples:
        beside = _beside(sample.path)
        if beside is None or not beside.is_file():
            continue
        document = object_of(beside)
        if sample.evaluations and str(document.get("evaluation_id")) not in sample.evaluations:
            log.remarks.append(
                warning(f"{beside.name} belongs to another evaluation than the records next to it.")
            )
            continue
        detailed = object_in(document, "detailed_evaluation_results")
        total = number_or_none(detailed.get("total_rows"))
        _check_file(log, sample, total, detailed)
        subjects = {subject for subject, _ in sample.kept}
        if total is not None and sample.kept.total() == len(sample.records) and len(subjects) == 1:
            rows[subjects.pop()].append(total)
        _state_scores(log, sample, document, files)
    log.claims += [
        Claim("total_rows", sum(stated), "rows", *subject)
        for subject, stated in rows.items()
        if len(stated) == files[subject]
    ]


def _check_file(
    log: Log, samples: SampleFile, total: float | None, detailed: Mapping[str, Any]
) -> None:
    """Warn if a file differs from its description in the aggregate."""
    if total is not None and total != len(samples.records):
        log.remarks.append(
            warning(
                f"{samples.path.name} has {len(samples.records)} records, but its aggregate "
                f"states {total:g}; it may be truncated."
            )
        )
        return
    how, stated = detailed.get("hash_algorithm"), detailed.get("checksum")
    if how not in _CHECKSUMS or not isinstance(stated, str):
        return
    if _checksum(samples.path, how) != stated.lower():
        log.remarks.append(
            warning(
                f"{samples.path.name} was changed after its aggregate was written: its {how} "
                "checksum differs."
            )
        )


def _state_scores(
    log: Log, samples: SampleFile, document: Mapping[str, Any], files: Mapping[SystemOnTask, int]
) -> None:
    """Add the scores stated in the aggregate, if they are shares, and its rows without a record."""
    writer = object_in(object_in(document, "source_metadata"), "additional_details").get(WRITTEN_BY)
    ours = isinstance(writer, str) and writer.startswith("errbar ")
    for value in list_in(document, "evaluation_results"):
        result = require_object(value, f"{_beside(samples.path)}, evaluation_results")
        details = object_in(result, "score_details")
        lost = object_in(details, "details").get(WITHOUT_SCORE)
        for subject, name in samples.kept:
            mine = result.get("evaluation_name") == subject.task
            if not mine or str(result.get("evaluation_result_id") or "") not in (name, ""):
                continue
            claims = list(_claim(result, *subject))
            if files[subject] > 1:
                log.remarks += [
                    f"{subject}: {samples.path.name} states {claim.value:.4g} for its own records."
                    for claim in claims
                ]
            elif ours:
                log.claims += claims
            else:
                log.claim_means_over_rows(claims)
            if ours and lost is not None:
                log.remarks.append(
                    f"{subject}: rows left out when this log was written, because they had no "
                    f"score: {lost}."
                )


def _claim(result: Mapping[str, Any], system: str, task: str) -> Iterator[Claim]:
    value = number_or_none(object_in(result, "score_details").get("score"))
    config = object_in(result, "metric_config")
    if value is not None and [config.get("min_score"), config.get("max_score")] == [0, 1]:
        yield Claim("score", value, "avg", system, task)


def _beside(path: Path) -> Path | None:
    """The aggregate of a file of records."""
    if not path.name.endswith(ENDING):
        return None
    return path.with_name(f"{path.name.removesuffix(ENDING)}.json")


def _checksum(path: Path, how: str) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, how).hexdigest()


READER = Reader(
    NAME,
    ("lines", "object"),
    _recognise,
    _read,
    chooses=("scorer", "filter"),
    files=FILES_ARE,
    keys=("evaluation_id",),
)
