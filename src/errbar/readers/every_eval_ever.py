"""Results per sample in the schema of Every Eval Ever: `<uuid>_samples.jsonl`.

The schema has no field for a repeat: records of one sample, model and result are its trials, in the
order in which they stand. A sample that was scored by several metrics has a record for each; the
filter chooses among them. The aggregate beside, `<uuid>.json`, states the scores.

Metadata become columns to group by. What errbar wrote there itself, when it wrote a log in this
schema, becomes the column that it was.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from errbar.data.origin import Claim
from errbar.data.outcomes import STATUSES, USUAL
from errbar.readers.base import (
    Choice,
    Glance,
    Log,
    Reader,
    claim_means_over_rows,
    pick,
    picked_remark,
)
from errbar.readers.documents import (
    lines,
    list_in,
    name_of,
    number_or_none,
    object_in,
    object_of,
    require_key,
    require_object,
    text_or_none,
)

NAME = "every_eval_ever"
OWN = "errbar."  # before the name of a column of the outcomes table, among the metadata
WRITTEN_BY = "written_by"  # in an aggregate of ours
WITHOUT_SCORE = "rows_without_score"  # how many rows it knows of that have no record

_KEYS = ("schema_version", "evaluation_id", "model_id", "evaluation_name", "sample_id")
_SCORES = ("score", "is_correct")
_ENDING = "_samples.jsonl"
_MOST_METADATA = 100  # columns that are made of them

_Row = tuple[str, dict[str, Any]]  # where a record stands, and the record


def _recognise(glance: Glance) -> str:
    if glance.shape in ("lines", "object") and glance.has(*_KEYS):
        return "its lines have schema_version, evaluation_id, model_id and sample_id"
    return ""


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    scorer = pick(choice.scorer, _SCORES, "score", str(files[0]))
    rows = [(f"{path}, line {at}", row) for path in files for at, row in lines(path)]
    kept = _of_one_result(rows, choice, log, str(files[0]))
    trials: Counter[tuple[str, str, str]] = Counter()
    names: dict[str, None] = {}  # of metadata, in the order in which they are met
    for where, row in kept:
        key = (
            str(require_key(row, "model_id", where)),
            str(require_key(row, "evaluation_name", where)),
            name_of(row.get("sample_id"), f"{where}, sample_id"),
        )
        judged = require_object(row.get("evaluation"), f"{where}, evaluation")
        outcome = number_or_none(judged.get(scorer))
        metadata = row.get("metadata")
        known = metadata if isinstance(metadata, dict) else {}
        status = "error" if row.get("error") else "unscored" if outcome is None else "ok"
        log.add(
            system=key[0],
            task=key[1],
            question=key[2],
            outcome=outcome,
            answer=_answer(row),
            target=_target(row),
            **{"trial": trials[key], "status": status, **_own(known)},
            **_others(known, names),
        )
        trials[key] += 1
    if len(names) > _MOST_METADATA:
        left = len(names) - _MOST_METADATA
        log.remarks.append(f"{left} kinds of metadata are left out; {_MOST_METADATA} are columns.")
    mine = [row for _, row in kept]
    for path in files:
        _state(log, path, mine)
    return log


def _own(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Columns of the outcomes table that errbar itself wrote among the metadata."""
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
    """Whether a number of a trial says the same as its text: not so for 007."""
    return text.isascii() and text.isdigit() and len(text) < 16 and text == str(int(text))


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _others(metadata: Mapping[str, Any], names: dict[str, None]) -> dict[str, str]:
    """Metadata under names that no column of the outcomes table has; `names` takes them up."""
    found = {
        name: value
        for name, value in metadata.items()
        if isinstance(value, str) and name not in USUAL and not name.startswith(OWN)
    }
    names.update(dict.fromkeys(found))
    if len(names) <= _MOST_METADATA:
        return found
    kept = set(list(names)[:_MOST_METADATA])
    return {name: value for name, value in found.items() if name in kept}


def _of_one_result(rows: Sequence[_Row], choice: Choice, log: Log, where: str) -> list[_Row]:
    """Of the results that an evaluation has for a sample, the one that is scored."""
    results: dict[tuple[str, str], list[str]] = {}
    for _, row in rows:
        held = results.setdefault(_whose(row), [])
        held.extend([] if _result(row) in held else [_result(row)])
    names = list(dict.fromkeys(name for held in results.values() for name in held if name))
    if choice.filter is not None:
        pick(choice.filter, names, "result", where)
    taken = {
        whose: choice.filter if choice.filter in held else held[0]
        for whose, held in results.items()
    }
    for whose, held in results.items():
        said = picked_remark(taken[whose], held, f"{whose[1]}: the result", "filter")
        log.remarks += [one for one in said if one not in log.remarks]
    kept = [one for one in rows if _result(one[1]) == taken[_whose(one[1])]]
    if len(kept) < len(rows):
        log.remarks.append(f"{len(rows) - len(kept)} records are of other results, and left out.")
    return kept


def _whose(row: Mapping[str, Any]) -> tuple[str, str]:
    return str(row.get("model_id")), str(row.get("evaluation_name"))


def _result(row: Mapping[str, Any]) -> str:
    return str(row.get("evaluation_result_id") or "")


def _answer(row: Mapping[str, Any]) -> str | None:
    """What was taken out of the last text for an answer."""
    found = [one for one in list_in(row, "answer_attribution") if isinstance(one, dict)]
    last = next((one for one in reversed(found) if one.get("is_terminal")), None)
    return text_or_none(last.get("extracted_value")) if last else None


def _target(row: Mapping[str, Any]) -> str | None:
    reference = object_in(row, "input").get("reference")
    if isinstance(reference, list) and len(reference) == 1:
        return text_or_none(reference[0])
    return text_or_none(reference or None)


def _state(log: Log, path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Scores of the aggregate, where they are shares, and what it says of rows without a record."""
    beside = path.with_name(f"{path.name.removesuffix(_ENDING)}.json")
    if not path.name.endswith(_ENDING) or not beside.is_file():
        return
    told = object_of(beside)
    of_log = [row for row in rows if row.get("evaluation_id") == told.get("evaluation_id")]
    known = dict.fromkeys((_whose(row), _result(row)) for row in of_log)
    writer = object_in(object_in(told, "source_metadata"), "additional_details").get(WRITTEN_BY)
    ours = isinstance(writer, str) and writer.startswith("errbar ")
    for one in list_in(told, "evaluation_results"):
        result = require_object(one, f"{beside}, evaluation_results")
        lost = object_in(object_in(result, "score_details"), "details").get(WITHOUT_SCORE)
        for whose, name in known:
            mine = result.get("evaluation_name") == whose[1]
            if not mine or str(result.get("evaluation_result_id") or "") not in (name, ""):
                continue
            claims = list(_claim(result, *whose))
            if ours and lost is not None:
                stated = "".join(f", {claim.value:.4g}," for claim in claims)
                log.remarks.append(
                    f"{whose[0]} · {whose[1]}: {lost} rows without a score have no record here; "
                    f"the stated score{stated} counts them as wrong."
                )
            elif ours:
                log.claims += claims
            else:
                claim_means_over_rows(log, claims)


def _claim(result: Mapping[str, Any], system: str, task: str) -> Iterator[Claim]:
    value = number_or_none(object_in(result, "score_details").get("score"))
    told = object_in(result, "metric_config")
    if value is not None and [told.get("min_score"), told.get("max_score")] == [0, 1]:
        yield Claim("score", value, "avg", system, task)


READER = Reader(NAME, _recognise, _read, beside=("*.json",), chooses=("scorer", "filter"))
