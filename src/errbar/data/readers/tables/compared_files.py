"""Files with different questions or the same ones again, and names of files that are tasks."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from errbar.base.files import without_endings
from errbar.base.remarks import Above, setting, some_of, warning
from errbar.data.columns import ROW
from errbar.data.engines.duckdb import quoted
from errbar.data.queries.expressions import Columns

_BENCHMARKS = re.compile(
    r"(?:gsm8?k|gsm_?plus|math(?:_?\d+)?|aime(?:_?\d+)?|mmlu(?:[-_]?(?:pro|redux))?|arc(?:[-_]?"
    r"(?:easy|challenge|e|c))?|hellaswag|winogrande|truthfulqa|piqa|boolq|openbookqa|commonsenseqa|"
    r"triviaqa|nq|squad|drop|bbh|gpqa(?:[-_]?diamond)?|human_?eval(?:plus)?|mbpp(?:plus)?|ifeval|"
    r"musr|race|copa|rte|cb|wic|wsc|sciq|siqa|mgsm|xnli|lambada|ceval|cmmlu|agieval|hotpotqa)",
    re.I,
)
_LANGUAGE = re.compile(
    r"ar|bg|bn|cs|da|de|el|en|es|et|fa|fi|fr|he|hi|hr|hu|id|it|ja|ko|lt|lv|ms|nl|no|pl|pt|ro|ru|sk|"
    r"sl|sv|sw|ta|te|th|tr|uk|ur|vi|zh",
    re.I,
)


def question_sets_remark(rows: Any, columns: Columns) -> list[Above]:
    """Warning if files read as systems share no question, or may be tasks or parts of a run."""
    systems = _systems(rows, columns)
    names = [system.name for system in systems]
    if len(names) < 2:
        return []
    shared = _shared_questions(rows, columns)
    tasks = setting("files", "tasks")
    if shared == 0:
        parts = setting("files", "parts")
        return [
            warning(
                f"No question is in two of the {len(names)} files, which are read as systems, so "
                f"they cannot be compared. If they are parts of one run, such as a resumed one, "
                f"join them with {parts}; if they are tasks, use {tasks}."
            )
        ]
    mixed = list(dict.fromkeys(task for name in names for _, task in _task_in(name)))
    if len(mixed) > 1 and all(map(_task_in, names)) and not are_named_as_tasks(names):
        return [
            warning(
                f"The names of the files contain benchmarks ({some_of(mixed)}), and each file is "
                f"read as a system of its own. {tasks} reads each as a task of the system that the "
                f"rest of its name is."
            )
        ]
    counts = {system.questions for system in systems}
    counted = all(system.is_counted for system in systems) and len(counts) == len(names)
    if counted or are_named_as_tasks(names):
        sizes = some_of((f"{system.name} {system.questions}" for system in systems), 4)
        return [
            warning(
                f"Files may be tasks, not systems ({sizes} questions): questions with the same id "
                f"are compared as the same question. If they are tasks, use {tasks}."
            )
        ]
    return [*_grid(names), *_warn_of_resumed(names)]


def formats_remark(files: Sequence[Path]) -> list[Above]:
    """Warning on files that differ only in their format, of which one may be made of the other."""
    names: dict[Path, list[str]] = {}
    for file in files:
        names.setdefault(file.with_name(without_endings(file)), []).append(file.name)
    alike = [some_of(group) for group in names.values() if len(group) > 1]
    return [
        warning(
            f"{group} differ only in their format, and each is read as a system. If one is a copy "
            f"of the other, leave it out."
        )
        for group in alike[:_MOST_PAIRS]
    ]


_MOST_PAIRS = 3


def _grid(names: Sequence[str]) -> list[Above]:
    """Warning if every folder has files of the same names, so that either may be the task."""
    pairs = [name.rpartition("/")[::2] for name in names]
    folders, lasts = ({pair[at] for pair in pairs} for at in (0, 1))
    if min(len(folders), len(lasts)) < 2 or len(names) < len(folders) * len(lasts):
        return []
    tasks = setting("files", "tasks")
    (folder, *_), (last, *_) = sorted(folders), sorted(lasts)
    if "/" in folder and all(map(_NUMBERED.fullmatch, lasts)):
        system, task = folder.split("/")[:2]
        return [
            warning(
                f"Each of {len(folders)} folders has the same {len(lasts)} files ({folder}/{last} "
                f"…), and each file is read as a system. If {system} is a system, {task} a task "
                f"and its files are trials, use {tasks}."
            )
        ]
    return [
        warning(
            f"Each of {len(folders)} folders has the same {len(lasts)} files ({folder}/{last} …), "
            f"and each file is read as a system: questions with the same id are compared as the "
            f"same question. If folders are systems and files tasks, use {tasks}; if folders are "
            f"tasks, load one folder at a time."
        )
    ]


_NUMBERED = re.compile(r"\D*\d+")


def _warn_of_resumed(names: Sequence[str]) -> list[Above]:
    """Warning if a file is named as the rest or the repetition of another."""
    for name in names:
        first = _REST.sub("", name)
        if first != name and first in names:
            parts, last = setting("files", "parts"), setting("repeats", "last")
            return [
                warning(
                    f"{name} is named as a continuation of {first}, and both are read as systems. "
                    f"If they are parts of one run, join them with {parts}, and with {last} if the "
                    f"later row of a question counts."
                )
            ]
    return []


_REST = re.compile(
    r"[\s_.-]+(?:resumed?|restart(?:ed)?|cont(?:inued?)?|continuation|rest|remaining|retr(?:y|ied)"
    r"|retries|rerun|redo|append(?:ed)?|part[\s_-]?2)\d*$",
    re.IGNORECASE,
)


def are_named_as_tasks(names: Sequence[str]) -> bool:
    """Whether all names, or files in folders, are those of benchmarks or languages."""
    names = [name.rpartition("/")[2] for name in names]
    return any(all(map(known.fullmatch, names)) for known in (_BENCHMARKS, _LANGUAGE))


def systems_and_tasks(names: Sequence[str], *, in_names: bool) -> tuple[list[str], list[str]]:
    """System and task of files by their paths, or by names that contain benchmarks.

    Examples
    --------
    >>> systems_and_tasks(["gpt/sums", "qwen/sums"], in_names=True)
    (['gpt', 'qwen'], ['sums', 'sums'])
    >>> systems_and_tasks(["gsm8k/gpt", "mmlu/gpt"], in_names=True)
    (['gpt', 'gpt'], ['gsm8k', 'mmlu'])
    >>> systems_and_tasks(["gpt-4o_gsm8k", "gpt-4o_mmlu"], in_names=True)
    (['gpt-4o', 'gpt-4o'], ['gsm8k', 'mmlu'])
    >>> systems_and_tasks(["gpt/sums_gpt", "qwen/sums_qwen"], in_names=True)
    (['gpt', 'qwen'], ['sums', 'sums'])
    """
    systems = [name.rpartition("/")[0] for name in names]
    tasks = [name.rpartition("/")[2] for name in names]
    if not in_names:
        return systems, tasks
    if are_named_as_tasks(systems) and not are_named_as_tasks(tasks):
        return tasks, systems
    found = [_task_in(name) for name in names]
    if not any(systems) and all(found):
        return [system for ((system, _),) in found], [task for ((_, task),) in found]
    return systems, _without_systems(tasks, systems)


def _without_systems(tasks: Sequence[str], systems: Sequence[str]) -> list[str]:
    """Names of tasks without that of their system, if it is in all of them: `gpt/sums_gpt`."""
    found = []
    for task, system in zip(tasks, systems, strict=True):
        last = re.escape(system.rpartition("/")[2])
        match = re.fullmatch(rf"(?:{last}[_\-.])?(.+?)(?:[_\-.]{last})?", task)
        found.append(match[1] if last and match else task)
    short = all(name != task for name, task in zip(found, tasks, strict=True))
    return found if short and len({*systems}) > 1 else list(tasks)


def _task_in(name: str) -> list[tuple[str, str]]:
    """What a name is without the benchmark at its start or end, and the benchmark; [] if none."""
    for separator in ("_", "-", "."):
        first, _, rest = name.partition(separator)
        start, _, last = name.rpartition(separator)
        for task, system in ((last, start), (first, rest)):
            if system and _BENCHMARKS.fullmatch(task):
                return [(system, task)]
    return []


class _Table(Protocol):
    """Rows with their column meanings, the files they are from, and whether these name systems."""

    @property
    def rows(self) -> Any: ...
    @property
    def columns(self) -> Columns: ...
    @property
    def files(self) -> tuple[Path, ...]: ...
    @property
    def by_file(self) -> bool: ...


def scored_again(tables: Sequence[_Table], asked: Collection[Path]) -> dict[Path, str]:
    """Files that score answers once more that another file has, and the reason to skip each.

    Where some rows name their systems, as `gpt` and `qwen`, files without names that are called
    after these, as `gpt_strict.jsonl` and `qwen_strict.jsonl`, and have no question of their own,
    are no further systems.
    """
    naming = [table for table in tables if "system" in table.columns and not table.by_file]
    rest = [
        table
        for table in tables
        if table.by_file and has_ids(table.columns) and not {*table.files} & {*asked}
    ]
    if not naming or not rest:
        return {}
    systems = {name for table in naming for name in _values(table, "system")}
    stems = {file: without_endings(file) for table in rest for file in table.files}
    found: dict[Path, str] = {}
    for table in rest:
        owners = {file: _owner(stems[file], systems) for file in table.files}
        ends = {stems[file].removeprefix(owner) for file, owner in owners.items()}
        # one file, such as gpt-4-turbo.jsonl next to rows of gpt-4, may be another system
        alike = len(ends) == 1 < len(set(owners.values())) == len(table.files)
        known = {name for other in naming for name in _values(other, "question")}
        if alike and all(owners.values()) and _values(table, "question") <= known:
            reason = f"the scores of these systems and questions are in {naming[0].files[0].name}"
            found |= dict.fromkeys(table.files, f"{reason}; pass its path to read it too")
    return found


def reasons_without_files(errors: Mapping[Path, Exception]) -> dict[Path, str]:
    """Why each file is skipped, without the file that its error begins with.

    An error may be of several files, and names the first of them.
    """
    first: dict[int, Path] = {}
    return {
        file: str(error).removeprefix(f"{first.setdefault(id(error), file)}: ")
        for file, error in errors.items()
    }


def _owner(stem: str, systems: Iterable[str]) -> str:
    """The system that a file is called after, with more behind its name; "" if none."""
    parts = [name for name in systems if stem.startswith(name) and stem != name]
    return max((name for name in parts if not stem[len(name)].isalnum()), key=len, default="")


def _values(table: _Table, meaning: str) -> set[str]:
    column = f"CAST({quoted(table.columns[meaning])} AS VARCHAR)"
    return {str(value) for (value,) in table.rows.project(column).distinct().fetchall()}


class _SystemFile(NamedTuple):
    """A file that is read as a system."""

    name: str
    questions: int
    is_counted: bool  # ids are consecutive, as in numbered rows


def _systems(rows: Any, columns: Columns) -> list[_SystemFile]:
    system, question = quoted(columns["system"]), _question(columns)
    number = f"try_cast({quoted(columns['question'])} AS BIGINT)"
    span = f"max({number}) - min({number}) + 1 = count(DISTINCT {question})"
    whole = f"coalesce({span} AND count({number}) = count(*), false)"
    each = f"{system}, count(DISTINCT {question}), {whole}"
    found = rows.aggregate(each, system).order("1").fetchall()
    return [_SystemFile(str(name), count, counted) for name, count, counted in found]


def _shared_questions(rows: Any, columns: Columns) -> int:
    """Number of questions shared by two or more systems."""
    system, question = quoted(columns["system"]), _question(columns)
    ((shared,),) = rows.query(
        "rows",
        f"SELECT count(*) FROM (SELECT {question} FROM rows GROUP BY ALL "
        f"HAVING count(DISTINCT {system}) > 1)",
    ).fetchall()
    return int(shared)


def _question(columns: Columns) -> str:
    names = [columns[meaning] for meaning in ("task", "question") if meaning in columns.named]
    return f"concat_ws('/', {', '.join(map(quoted, names))})"


def has_ids(columns: Columns) -> bool:
    """Whether questions have ids other than row numbers."""
    return columns["question"] != ROW
