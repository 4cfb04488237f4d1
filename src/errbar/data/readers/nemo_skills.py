"""Outputs of NeMo-Skills: each of `output-rs0.jsonl`, `output-rs1.jsonl` … is a trial.

The directory is the task, and the parent of `eval-results` is the system. A line is a question,
identified by its `id` if every line has one, else by its position, as NeMo-Skills itself pairs the
lines of its files. Scores have the names used in `metrics.json`.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from errbar.base.remarks import about
from errbar.data.readers.base import Glance, Reader
from errbar.data.readers.choices import Choice
from errbar.data.readers.documents import (
    is_whole,
    lines,
    number_or_none,
    numbers_or_none,
    object_in,
    object_of,
    text_or_none,
    texts_or_none,
)
from errbar.data.readers.logs import Claim, Log, pick, picked_remark
from errbar.errors import InputError

_NAME = re.compile(r"output(?:-rs(\d+))?\.jsonl(?!-async)(.*)")  # -async: not yet in order
_SCORED = frozenset(
    {"symbolic_correct", "judgement", "is_correct", "proof_status", "strict_eval", "graded_list"}
    | {"passed", "swe-bench-metrics"}
)
_SCORES_INSIDE = (  # key, key in it, and the name of the score
    ("strict_eval", "follow_all_instructions", "prompt_strict_accuracy"),
    ("loose_eval", "follow_all_instructions", "prompt_loose_accuracy"),
    ("swe-bench-metrics", "resolved", "issues_resolved"),
)
_NESTED = frozenset(key for key, *_ in _SCORES_INSIDE)
_WRITTEN = frozenset({"num_generated_tokens", "generation", "predicted_answer"})
_TEXTS = ("problem", "question")
_CUT = "limit"  # truncated, but still scored
_VERDICT = re.compile(r"\*{0,2}judgement\*{0,2}\s*:\s*(yes|no)", re.IGNORECASE)


class _Line(NamedTuple):
    """The fields of a line that are used; prompts and responses are dropped."""

    id: Any
    hashes: dict[str, int]  # of the question, equal in two lines that have the same
    scores: dict[str, Any]
    status: str  # empty if it finished
    answer: Any
    target: Any
    confidence: Any
    subset: Any
    tokens: Any


@dataclass
class _TrialFile:
    """One file."""

    path: Path
    number: int
    rows: list[_Line]


@dataclass
class _DirectoryRun:
    """The files of one directory."""

    system: str
    task: str
    trials: list[_TrialFile] = field(default_factory=list)

    def scorers(self) -> list[str]:
        rows = (row for trial in self.trials for row in trial.rows)
        return list(dict.fromkeys(name for row in rows for name in row.scores))


def _recognise(glance: Glance) -> str:
    if not _NAME.fullmatch(glance.path.name.removesuffix(".gz")):
        return ""
    scored = sorted(_SCORED & glance.keys)
    if scored and _WRITTEN & glance.keys:
        return f"it is named output*.jsonl, and its lines have {scored[0]}"
    return ""


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    runs = _runs(files)
    every = list(dict.fromkeys(name for run in runs for name in run.scorers()))
    chosen = pick(choice.scorer, every, "score", str(files[0])) if choice.scorer else None
    for run in runs:
        found = run.scorers()
        where = str(run.trials[0].path)
        for trial in run.trials:
            log.read(trial.path, len(trial.rows))
        if chosen is not None and chosen not in found:
            for trial in run.trials:
                log.leave_out(trial.path, f"{run.task} has no score {chosen!r}", len(trial.rows))
            continue
        scorer = pick(chosen, found, "score", where)
        remarks = [
            about(run.task, text) for text in picked_remark(scorer, found, "score", "scorer")
        ]
        log.remarks += [text for text in remarks if text not in log.remarks]
        _add(log, run, scorer)
        log.claims += _claims(run, scorer)
    return log


def _runs(files: Sequence[Path]) -> list[_DirectoryRun]:
    """Files by directory; an unnumbered file among numbered ones is a separate run."""
    places: dict[Path, list[Path]] = {}
    for file in files:
        places.setdefault(file.resolve().parent, []).append(file)
    systems = _systems(places)
    runs = []
    for place, paths in places.items():
        numbered = [_trial(path, at) for at, path in enumerate(paths) if _number(path) is not None]
        greedy = [_trial(path, at) for at, path in enumerate(paths) if _number(path) is None]
        if numbered:
            runs.append(_DirectoryRun(systems[place], place.name, numbered))
        if greedy:
            also = f"{systems[place]} (greedy)".strip() if numbered else systems[place]
            runs.append(_DirectoryRun(also, place.name, greedy))
    return runs


def _systems(places: Iterable[Path]) -> dict[Path, str]:
    """Names of the parent folders, shortened as far as they stay unique."""
    roots = {place: _root(place) for place in places}
    found = {root for root in roots.values() if root is not None}
    if len(found) < 2:
        return {place: root.name if root else "" for place, root in roots.items()}
    shared = os.path.commonpath(found)
    return {
        place: os.path.relpath(root, shared).replace(os.sep, "/") if root else ""
        for place, root in roots.items()
    }


def _root(place: Path) -> Path | None:
    names = place.parts
    if "eval-results" not in names:
        return None
    at = len(names) - 1 - names[::-1].index("eval-results")
    return Path(*names[:at])


def _number(path: Path) -> int | None:
    named = _NAME.fullmatch(path.name.removesuffix(".gz"))
    return int(named[1]) if named and named[1] else None


def _trial(path: Path, at: int) -> _TrialFile:
    number = _number(path)
    rows = [_row(row) for _, row in lines(path)]
    return _TrialFile(path, at if number is None else number, rows)


def _row(row: Mapping[str, Any]) -> _Line:
    return _Line(
        row.get("id"),
        {key: hash(text_or_none(row[key])) for key in _TEXTS if key in row},
        _scores(row),
        _ending(row),
        row.get("predicted_answer"),
        row.get("expected_answer"),
        row.get("reward_model_score"),
        row.get("subset_for_metrics"),
        row.get("num_generated_tokens"),
    )


def _add(log: Log, run: _DirectoryRun, scorer: str) -> None:
    names = _questions(run)
    sizes = [len(trial.rows) for trial in run.trials]
    if min(sizes) < max(sizes):
        log.remarks.append(
            f"{run.task}: its files have {min(sizes)} to {max(sizes)} lines; some trials are "
            "missing."
        )
    not_numbers: Counter[str] = Counter()
    for trial, ids in zip(run.trials, names, strict=True):
        rows = trial.rows
        values = [row.scores.get(scorer) for row in rows]
        outcomes = numbers_or_none(values)
        for value, outcome in zip(values, outcomes, strict=True) if None in outcomes else ():
            if outcome is None and value is not None:
                not_numbers[f"{value!r:.40}"] += 1
        log.extend(
            system=[run.system] * len(rows),
            task=[run.task] * len(rows),
            question=ids,
            trial=[trial.number] * len(rows),
            outcome=outcomes,
            status=[_status(row, outcome) for row, outcome in zip(rows, outcomes, strict=True)],
            answer=texts_or_none([row.answer for row in rows]),
            target=texts_or_none([row.target for row in rows]),
            confidence=numbers_or_none([row.confidence for row in rows]),
            subset=texts_or_none([row.subset for row in rows]),
            tokens=numbers_or_none([row.tokens for row in rows]),
        )
    if not_numbers:
        shown = not_numbers.most_common(1)[0][0]
        log.remarks.append(
            f"{run.task}: {not_numbers.total()} rows have a {scorer} that is not a number, such as "
            f"{shown}; they have no result."
        )


def _questions(run: _DirectoryRun) -> list[list[str]]:
    """Question ids of each file, or positions."""
    ids = [[row.id for row in trial.rows] for trial in run.trials]
    if all(_are_ids(ids_of_trial) for ids_of_trial in ids):
        return [list(map(str, ids_of_trial)) for ids_of_trial in ids]
    first = run.trials[0]
    for other in run.trials[1:]:
        for at, (first_row, other_row) in enumerate(zip(first.rows, other.rows, strict=False)):
            for key in first_row.hashes.keys() & other_row.hashes.keys():
                if first_row.hashes[key] != other_row.hashes[key]:
                    raise InputError(
                        f"{other.path}: question {at} is another than in {first.path.name} (their "
                        f"{key!r} differs). Without ids the files of a directory must ask the same "
                        f"questions in the same order; load them one by one."
                    )
    return [[str(at) for at in range(len(trial.rows))] for trial in run.trials]


def _are_ids(values: Sequence[Any]) -> bool:
    are = all(isinstance(value, str) or is_whole(value) for value in values)
    return are and len(set(map(str, values))) == len(values)


def _scores(row: Mapping[str, Any]) -> dict[str, Any]:
    """Scores of a row under the names used by NeMo-Skills."""
    found: dict[str, Any] = {}
    if "symbolic_correct" in row:
        found["symbolic_correct"] = row["symbolic_correct"]
    if "expected_judgement" in row:
        expected = _verdict(row["expected_judgement"])
        found["correct_judgements"] = _is_verdict(row.get("judgement"), expected)
    elif "judgement" in row:
        found["judge_correct"] = _is_verdict(row["judgement"], "yes")
    if {"symbolic_correct", "judge_correct"} <= found.keys():
        both = (found["symbolic_correct"], found["judge_correct"])
        known = None not in map(number_or_none, both)
        found["both_correct"] = all(both) if known else None
        found["any_correct"] = any(both) if known else None
    if "is_correct-plus" in row:
        found["passing_base_tests"] = row.get("is_correct")
        found["passing_plus_tests"] = row["is_correct-plus"]
    elif "is_correct" in row:
        found["accuracy"] = row["is_correct"]
    if "passed" in row:
        found["accuracy"] = row["passed"]
    graded = row.get("graded_list")
    if isinstance(graded, list) and graded:
        found["accuracy"] = graded[0]
    if "proof_status" in row:
        proof = row["proof_status"]
        found["lean4_correct"] = proof == "completed" if isinstance(proof, str) else proof
    for key, part, name in () if _NESTED.isdisjoint(row) else _SCORES_INSIDE:
        value = row.get(key)
        if isinstance(value, dict):
            found[name] = value.get(part)
    return found


def _is_verdict(judgement: Any, expected: str) -> bool | None:
    """Whether the verdict of a judge is the expected one; None without a judge."""
    return _verdict(judgement) == expected if isinstance(judgement, str) else None


def _verdict(judgement: Any) -> str:
    """Verdict of a judge: yes, no, or None."""
    verdict = _VERDICT.search(judgement) if isinstance(judgement, str) else None
    return verdict[1].lower() if verdict else ""


def _status(row: _Line, outcome: float | None) -> str:
    if row.status in ("", _CUT):
        return "unscored" if outcome is None else row.status or "ok"
    return row.status


def _ending(row: Mapping[str, Any]) -> str:
    """Status of a line that did not finish normally."""
    if row.get("error"):
        return "error"
    if row.get("proof_status") == "timeout":
        return "timeout"
    return _CUT if row.get("finish_reason") == "length" else ""


def _claims(run: _DirectoryRun, scorer: str) -> Iterator[Claim]:
    """Number of questions, pass@k and mean stated in metrics.json for all files of the directory.

    The number of questions is stated with every score; it is checked once.
    """
    trials = len(run.trials)
    stated = _metrics(run)
    questions = [number_or_none(object_in(stated, name).get("num_entries")) for name in stated]
    for entries in sorted({question for question in questions if question is not None}):
        yield Claim("num_entries", entries, "questions", run.system, run.task)
    for name in stated:
        value = number_or_none(object_in(stated, name).get(scorer))
        k = name.removeprefix("pass@")
        if value is None or (name != f"pass@1[avg-of-{trials}]" and not k.isdecimal()):
            continue
        metric = f"pass@{int(k)}" if k.isdecimal() else "avg"
        yield Claim(f"{name} {scorer}", value / 100, metric, run.system, run.task)


def _metrics(run: _DirectoryRun) -> dict[str, Any]:
    """Contents of metrics.json for the run; empty if it covers other files."""
    path = run.trials[0].path
    named = _NAME.fullmatch(path.name)
    ending = named[2] if named else ""  # logs with a suffix have metrics with the same suffix
    place = path.resolve().parent
    for folder in (place, place.parent):
        file = folder / f"metrics.json{ending}"
        if file.is_file():
            metrics = object_in(object_of(file), run.task)
            ks = [int(name[5:]) for name in metrics if re.fullmatch(r"pass@\d{1,9}", name)]
            return metrics if max(ks, default=0) == len(run.trials) else {}
    return {}


_BESIDE = ("metrics*.json*", "*.done", "*.log", "summarize*")
READER = Reader(
    "nemo_skills",
    ("lines", "object"),
    _recognise,
    _read,
    beside=_BESIDE,
    keys=("num_generated_tokens", "generation", "predicted_answer"),
)
