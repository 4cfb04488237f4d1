"""Results per sample in the schema of Every Eval Ever: `<uuid>_samples.jsonl`.

The schema has no field for a repeat: records of one sample, model and result are its trials, in the
order in which they stand. A sample that was scored by several metrics has a record for each; the
filter chooses among them. The aggregate beside, `<uuid>.json`, states the scores.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from errbar.data.origin import Claim
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

_KEYS = ("schema_version", "evaluation_id", "model_id", "evaluation_name", "sample_id")
_SCORES = ("score", "is_correct")
_ENDING = "_samples.jsonl"

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
    for where, row in kept:
        key = (
            str(require_key(row, "model_id", where)),
            str(require_key(row, "evaluation_name", where)),
            name_of(row.get("sample_id"), f"{where}, sample_id"),
        )
        judged = require_object(row.get("evaluation"), f"{where}, evaluation")
        outcome = number_or_none(judged.get(scorer))
        log.add(
            system=key[0],
            task=key[1],
            question=key[2],
            trial=trials[key],
            outcome=outcome,
            status="error" if row.get("error") else "unscored" if outcome is None else "ok",
            answer=_answer(row),
            target=_target(row),
        )
        trials[key] += 1
    mine = [row for _, row in kept]
    claim_means_over_rows(log, [claim for path in files for claim in _claims(path, mine)])
    return log


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


def _claims(path: Path, rows: Sequence[Mapping[str, Any]]) -> Iterator[Claim]:
    """Scores of the aggregate, where they are shares."""
    beside = path.with_name(f"{path.name.removesuffix(_ENDING)}.json")
    if not path.name.endswith(_ENDING) or not beside.is_file():
        return
    told = object_of(beside)
    of_log = [row for row in rows if row.get("evaluation_id") == told.get("evaluation_id")]
    known = dict.fromkeys((_whose(row), _result(row)) for row in of_log)
    for one in list_in(told, "evaluation_results"):
        result = require_object(one, f"{beside}, evaluation_results")
        for whose, name in known:
            mine = result.get("evaluation_name") == whose[1]
            if mine and str(result.get("evaluation_result_id") or "") in (name, ""):
                yield from _claim(result, *whose)


def _claim(result: Mapping[str, Any], system: str, task: str) -> Iterator[Claim]:
    value = number_or_none(object_in(result, "score_details").get("score"))
    told = object_in(result, "metric_config")
    if value is not None and [told.get("min_score"), told.get("max_score")] == [0, 1]:
        yield Claim("score", value, "avg", system, task)


READER = Reader("every_eval_ever", _recognise, _read, beside=("*.json",))
