"""Files that are taken as systems though they ask different questions: tasks or parts of a run."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from errbar.data.engine import quoted
from errbar.data.outcomes import ROW, Columns
from errbar.remarks import Above, warning, way_to_say

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
    """A warning where files taken as systems share no question, or are named as tasks are."""
    systems = _systems(rows, columns)
    names = [system.name for system in systems]
    if len(names) < 2:
        return []
    shared = _shared_questions(rows, columns)
    tasks = way_to_say("--files tasks", "files='tasks'")
    if shared == 0:
        parts = way_to_say("--files parts", "files='parts'")
        return [
            warning(
                f"no question is in two of the {len(names)} files, which are taken as systems: "
                f"they cannot be compared. If they are parts of one run, as of one that was "
                f"resumed, join them with {parts}; if they are tasks, say {tasks}."
            )
        ]
    counts = {system.questions for system in systems}
    counted = all(system.is_counted for system in systems) and len(counts) == len(names)
    if counted or are_named_as_tasks(names):
        sizes = ", ".join(f"{system.name} {system.questions}" for system in systems[:4])
        return [
            warning(
                f"files may be tasks, not systems ({sizes} questions): questions with the same id "
                f"are compared as the same question. If they are tasks, say {tasks}."
            )
        ]
    return []


def are_named_as_tasks(names: Sequence[str]) -> bool:
    """Whether names, or files in folders, are called as benchmarks or languages, all of them."""
    names = [name.rpartition("/")[2] for name in names]
    return any(all(map(known.fullmatch, names)) for known in (_BENCHMARKS, _LANGUAGE))


class _System(NamedTuple):
    """A file that is taken as a system."""

    name: str
    questions: int
    is_counted: bool  # ids are first, first + 1 … last, as where rows of a file are numbered


def _systems(rows: Any, columns: Columns) -> list[_System]:
    system, question = quoted(columns["system"]), _question(columns)
    number = f"try_cast({quoted(columns['question'])} AS BIGINT)"
    span = f"max({number}) - min({number}) + 1 = count(DISTINCT {question})"
    whole = f"coalesce({span} AND count({number}) = count(*), false)"
    each = f"{system}, count(DISTINCT {question}), {whole}"
    found = rows.aggregate(each, system).order("1").fetchall()
    return [_System(str(name), count, counted) for name, count, counted in found]


def _shared_questions(rows: Any, columns: Columns) -> int:
    """How many questions more than one system has."""
    system, question = quoted(columns["system"]), _question(columns)
    ((shared,),) = rows.query(
        "rows",
        f"SELECT count(*) FROM (SELECT {question} FROM rows GROUP BY ALL "
        f"HAVING count(DISTINCT {system}) > 1)",
    ).fetchall()
    return int(shared)


def _question(columns: Columns) -> str:
    names = [columns[one] for one in ("task", "question") if one in columns.named]
    return f"concat_ws('/', {', '.join(map(quoted, names))})"


def has_ids(columns: Columns) -> bool:
    """Whether questions are told apart by more than their place."""
    return columns["question"] != ROW
