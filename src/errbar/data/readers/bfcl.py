"""Results of the Berkeley Function Calling Leaderboard: two JSON-lines files for each category.

    result/<model>/<group>/BFCL_v4_<category>_result.json:
    {"id": "simple_python_0", "result": […], "input_token_count": 90, "latency": 0.4}

    score/<model>/<group>/BFCL_v4_<category>_score.json:
    {"accuracy": 0.5, "correct_count": 1, "total_count": 2}
    {"id": "simple_python_1", "model_name": "…", "valid": false, "error_type": "…", …}

A score file lists only the wrong answers, so both files are read together: an answer is right if
its id is in the result file and not in the score file.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from errbar.base.remarks import guess, some_of, warning
from errbar.data.readers.base import Glance, Reader
from errbar.data.readers.choices import Choice
from errbar.data.readers.documents import is_whole, lines, name_of, number_or_none, require_key
from errbar.data.readers.logs import Claim, Log
from errbar.data.readers.tables.naming import systems_of
from errbar.errors import InputError

_HEAD = ("accuracy", "correct_count", "total_count")
_COSTS = ("input_token_count", "output_token_count", "latency")
_NAME = re.compile(r"(?:BFCL_(?P<version>v\d+)_)?(?P<category>.+)_(?P<kind>result|score)\.jsonl?")
# Folders between the model folder and the files.
_GROUPS = frozenset(
    {
        *("non_live", "live", "multi_turn", "agentic", "format_sensitivity"),
        *("memory", "kv", "vector", "rec_sum", "web_search"),
    }
)
_UNSCORED = "_prereq"  # conversations that only fill the memory of an agent
_FAILED = "Error during inference"


class _Key(NamedTuple):
    """Key shared by a result file and its score file."""

    run: Path  # folder, with a star in place of "result" or "score"
    model: str
    version: str
    category: str


@dataclass
class _Scores:
    """A score file: its header, and the number of wrong answers per id."""

    path: Path
    head: Mapping[str, Any]
    wrong: Counter[str]
    total: int
    right: int


@dataclass
class _CategoryRun:
    """Answers of a model in a category, in order, and those that ended in an error."""

    key: _Key
    scores: _Scores
    result: Path | None
    ids: list[str] = field(default_factory=list)
    broken: set[int] = field(default_factory=set)  # positions of answers that ended in an error


def _recognise(glance: Glance) -> str:
    if glance.has(*_HEAD):
        listed = '"valid": false' in glance.text and '"model_name"' in glance.text
        if listed or _is_named(glance.path):
            return f"its first line has {', '.join(_HEAD)}"
    if glance.has("id", "result") and (glance.has(*_COSTS) or _is_named(glance.path)):
        return "its lines have id and result, as BFCL writes them"
    return ""


def _is_named(path: Path) -> bool:
    """Whether a file has a name that BFCL gives, with a version."""
    named = _NAME.fullmatch(path.name.removesuffix(".gz"))
    return named is not None and named["version"] is not None


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    results, scores = _result_and_score_files(files, log)
    runs = _pair_files(results, scores, log)
    versions = {run.key.version for run in runs}
    folders = list(dict.fromkeys(run.key.run for run in runs))
    names = dict(zip(folders, _folder_names(folders), strict=True))
    again = Counter((run.key.model, run.key.version, run.key.category) for run in runs)
    repeated = any(n > 1 for n in again.values())
    joined: dict[tuple[str, str], list[_CategoryRun]] = {}
    for run in runs:
        apart = repeated and choice.files == "systems"
        system = f"{run.key.model} ({names[run.key.run]})" if apart else run.key.model
        task = run.key.category
        task = f"{task} ({run.key.version})" if len(versions) > 1 else task
        joined.setdefault((system, task), []).append(run)
    if repeated and choice.files != "systems":
        shown = some_of(list(names.values()))
        text = (
            f"Models that occur in several folders ({shown}): each is one system, its runs trials"
        )
        log.remarks.append(guess(text, option="--files systems", argument="files='systems'"))
    for (system, task), group in joined.items():
        trial = 0
        for run in group:
            trial = _add(log, system, task, run, trial)
        log.claims += _claims(system, task, group)
    return log


def _folder_names(folders: Sequence[Path]) -> list[str]:
    """Names of run folders without their common prefix."""
    return [name.strip("*-_/") or name for name in systems_of(folders)]


def _result_and_score_files(
    files: Sequence[Path], log: Log
) -> tuple[dict[_Key, Path], dict[_Key, _Scores]]:
    """Result and score files by key; a second file with the same key is rejected."""
    results: dict[_Key, Path] = {}
    scores: dict[_Key, _Scores] = {}
    for file in files:
        named = _NAME.fullmatch(file.name.removesuffix(".gz"))
        first = next(lines(file), (0, {}))[1]
        is_score = "correct_count" in first
        category = named["category"] if named else file.stem
        key = _key(file, (named["version"] if named else "") or "", category)
        if not is_score and category.endswith(_UNSCORED):
            log.skip(file, "conversations that only fill the memory, and are not scored")
            continue
        entries: Mapping[_Key, Any] = scores if is_score else results
        if key in entries:
            other = entries[key].path if is_score else entries[key]
            raise InputError(
                f"{file}: {other} is of the same run and category; load only one of them."
            )
        if is_score:
            scores[key] = _scores(file)
        else:
            results[key] = file
    return results, scores


def _key(file: Path, version: str, category: str) -> _Key:
    folder = file.resolve().parent
    while folder.name in _GROUPS and folder.parent != folder:
        folder = folder.parent
    holder = folder.parent
    run = holder.with_name(re.sub(r"results?|scores?", "*", holder.name)) if holder.name else holder
    return _Key(run, folder.name, version, category)


def _scores(file: Path) -> _Scores:
    """Parse a score file; raises an error if its list disagrees with its counts."""
    numbered_lines = lines(file)
    at, head = next(numbered_lines)
    counts = [require_key(head, name, f"{file}, line {at}") for name in _HEAD[1:]]
    if not all(is_whole(count) and count >= 0 for count in counts):
        raise InputError(
            f"{file}, line {at}: correct_count and total_count must be integers of at least 0."
        )
    right, total = counts
    wrong: Counter[str] = Counter()
    for at, row in numbered_lines:
        where = f"{file}, line {at}"
        if row.get("valid") is not False:
            raise InputError(f"{where}: a score file lists wrong answers; this has no valid=false.")
        wrong[name_of(require_key(row, "id", where), where)] += 1
    if wrong.total() != total - right:
        raise InputError(
            f"{file}: its first line counts {total - right} wrong answers of {total}, but "
            f"{wrong.total()} are listed; the file is incomplete, so errbar cannot tell which "
            f"answers are right. Run `bfcl evaluate` again."
        )
    return _Scores(file, head, wrong, total, right)


def _pair_files(
    results: dict[_Key, Path], scores: dict[_Key, _Scores], log: Log
) -> list[_CategoryRun]:
    """Pair score and result files of the same run, or the only ones of model and category."""
    spare: dict[tuple[str, ...], list[_Key]] = {}
    for key in results.keys() - scores.keys():
        spare.setdefault(key[1:], []).append(key)
    alone = Counter(key[1:] for key in scores.keys() - results.keys())
    runs, without = [], []
    for key, found in scores.items():
        matching = key if key in results else None
        if matching is None and alone[key[1:]] == 1 and len(spare.get(key[1:], [])) == 1:
            matching = spare.pop(key[1:])[0]
        if matching is not None:
            runs.append(_answers(key, found, results.pop(matching), log))
        elif found.right == 0:
            log.read(found.path, found.total)
            runs.append(_CategoryRun(key, found, None, sorted(found.wrong.elements())))
        else:
            without.append(found)
    if not scores or (without and not any(run.result for run in runs)):
        raise InputError(_alone(without[0].path if without else next(iter(results.values()), None)))
    for found in without:
        log.skip(found.path, "the ids of right answers are in its result file, which is missing")
    for path in results.values():
        log.skip(path, "its answers were not scored: it has no score file")
    return runs


def _alone(path: Path | None) -> str:
    if path is not None and path.name.removesuffix(".gz").endswith("_score.json"):
        return (
            f"{path}: a score file of BFCL lists only the wrong answers; the ids of the right "
            f"ones are in the result file. Load both folders: `errbar score result/ score/`."
        )
    return (
        f"{path or 'the log'}: these answers were not scored. Run `bfcl evaluate` and load both "
        "folders: `errbar score result/ score/`."
    )


def _answers(key: _Key, scores: _Scores, result: Path, log: Log) -> _CategoryRun:
    """Ids of a result file; raises an error if its score file is of other answers."""
    run = _CategoryRun(key, scores, result)
    for at, row in lines(result):
        where = f"{result}, line {at}"
        answer = row.get("result")
        if "traceback" in row or (isinstance(answer, str) and answer.startswith(_FAILED)):
            run.broken.add(len(run.ids))
        run.ids.append(name_of(require_key(row, "id", where), where))
    log.read(result, len(run.ids))
    log.read(scores.path, 0)
    if len(run.ids) != scores.total:
        raise InputError(
            f"{scores.path}: it counts {scores.total} answers, but {result} has {len(run.ids)}; "
            f"they are from different evaluations. Run `bfcl evaluate` again."
        )
    stray = scores.wrong - Counter(run.ids)
    if stray:
        raise InputError(
            f"{scores.path}: {next(iter(stray))!r} is wrong there, but {result} has fewer answers "
            f"with this id; they are from different evaluations. Run `bfcl evaluate` again."
        )
    return run


def _add(log: Log, system: str, task: str, run: _CategoryRun, start: int) -> int:
    """Add a row per answer; of a repeated id, as many answers are wrong as the score file lists."""
    wrong, seen = Counter(run.scores.wrong), Counter[str]()
    lucky = 0
    for place, question in enumerate(run.ids):
        outcome = 0.0 if wrong[question] else 1.0
        wrong[question] -= outcome == 0.0
        broke = place in run.broken
        lucky += broke and outcome == 1.0
        more = {"cluster": question.split(":")[2]} if question.count(":") == 2 else {}
        log.add(
            system=system,
            task=task,
            question=question,
            trial=start + seen[question],
            outcome=outcome,
            status="error" if broke else "ok",
            **more,
        )
        seen[question] += 1
    again = len(run.ids) - len(seen)
    if again:
        log.remarks.append(
            warning(
                f"{system} · {task}: {again} answers are to a question that was answered before in "
                f"{(run.result or run.scores.path).name}; they are trials of it. BFCL counts each."
            )
        )
    log.remarks += _errors(system, task, len(run.broken), lucky)
    return start + max(seen.values(), default=0)


def _errors(system: str, task: str, broken: int, lucky: int) -> Iterator[str]:
    if broken:
        yield f"{system} · {task}: {broken} answers ended in an error; BFCL scores them as answers."
    if lucky:
        yield warning(
            f"{system} · {task}: BFCL counts {lucky} answers that ended in an error as right, "
            f"since no function was called; errbar counts an error as wrong by default."
        )


def _claims(system: str, task: str, runs: Iterable[_CategoryRun]) -> Iterator[Claim]:
    """Totals stated in the first lines, summed over runs, and their mean if questions are equal."""
    every = list(runs)
    several = f", sum of {len(every)} runs" if len(every) > 1 else ""
    total, right = sum(run.scores.total for run in every), sum(run.scores.right for run in every)
    yield Claim(f"total_count{several}", total, "rows", system, task)
    yield Claim(f"correct_count{several}", right, "right", system, task)
    stated = [number_or_none(run.scores.head.get("accuracy")) for run in every]
    alike = all(Counter(run.ids) == Counter(every[0].ids) for run in every)
    numbers = [number for number in stated if number is not None]
    if alike and len(numbers) == len(every) and len(set(every[0].ids)) == len(every[0].ids):
        several = f", mean of {len(every)} runs" if len(every) > 1 else ""
        yield Claim(f"accuracy{several}", sum(numbers) / len(numbers), "avg", system, task)


READER = Reader(
    "bfcl",
    ("lines", "object"),
    _recognise,
    _read,
    chooses=(),
    files=("systems", "trials"),
    keys=("correct_count", "result"),
)
