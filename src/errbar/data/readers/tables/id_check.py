"""Check the chosen id of a question against the other columns that could identify it.

An id is wrong if it numbers the samples of another id, if no two systems share a value of it while
they share another column, or if it gives one number to different questions, as the position in a
shuffled file does. The other column is then the id, and a warning says so; where both readings
are possible, the warning gives both.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from errbar.base.remarks import Above, mapping, setting, warning
from errbar.data.columns import INDEX, ROW, USUAL, named_like, plain_name
from errbar.data.engines.duckdb import ALL_ROWS, distinct_rows, quoted, text_of
from errbar.data.queries.expressions import Columns
from errbar.data.readers.tables.competing_outcomes import free_columns
from errbar.data.readers.tables.conditions import purposeful_columns
from errbar.data.readers.tables.id_names import ASKED, INDICES, is_called_id

ROW_NUMBERS = frozenset({*INDICES, plain_name(INDEX), "index"})
_IDS = frozenset(map(plain_name, USUAL["question"]))
TEXTS = frozenset(map(plain_name, ("question", *ASKED)))
# What a question may have besides its text.
_BESIDE = frozenset(
    map(
        plain_name,
        (
            *("context", "passage", "document", "choices", "options", "image", "image_path"),
            *("url", "code", "table", "subject", "category", "topic", "entity", "target"),
            *("answer", "label", "reference", "expected", "gold", "language", "lang", "input"),
        ),
    )
)
# What a question is about; rows with different ones ask different questions.
_INPUTS = frozenset(
    map(
        plain_name,
        (
            *("context", "passage", "document", "image", "image_path", "image_id", "image_file"),
            *("url", "table", "audio", "audio_path", "video", "video_id", "db_id", "repo"),
        ),
    )
)
_MANY = 10  # groups of questions that are clusters; fewer are tasks
_MOST_COLUMNS = 8  # most other columns that are compared
_SHOWN = 40  # characters of a text in a message
_SHORTEST = 5  # characters of three words


class _Extent(NamedTuple):
    """How many questions a column tells apart, alone and with the chosen id."""

    name: str
    ids: int
    with_chosen: int


def with_checked_id(
    rows: Any, columns: Columns, assignment: Collection[str]
) -> tuple[Columns, list[Above]]:
    """The columns with the id that the data support, and a warning if it is another one."""
    if "question" in assignment or columns["question"] == ROW:
        return columns, []
    free = free_columns(rows.columns, columns)
    ids, texts = other_ids(free)
    inputs = named_like(free, _INPUTS)[:_MOST_COLUMNS]
    if not (ids or texts or inputs) and plain_name(columns["question"]) not in ROW_NUMBERS:
        return columns, []
    if {"system", "trial"} & columns.named.keys() == {"trial"}:
        texts = []  # no check below looks at them
    number, questions, extents = _extents(rows, columns, ids)
    finer, remarks = _finer(rows, columns, number, questions, extents)
    if finer is columns and inputs and questions < number:
        finer, remarks = _finer(rows, columns, *_extents(rows, columns, inputs))
    texts = [name for name in texts if rows.totals(are_sentences(name))[0]]
    if finer is columns and not remarks and questions < number and "trial" not in columns:
        finer, remarks = _check_index(rows, columns, texts)
    if finer is columns and not remarks and "system" in columns:
        alike = [extent.name for extent in extents if extent.ids == questions]
        finer, remarks = _check_shared_ids(rows, columns, [*alike, *texts], texts)
    if finer is columns and not remarks and questions == number and texts:
        remarks = _samples(rows, columns, texts)
    return finer, remarks


def other_ids(free: Sequence[str]) -> tuple[list[str], list[str]]:
    """Columns that may be ids too, and those that may have the text of a question."""
    ids = [name for name in free if plain_name(name) in _IDS or is_called_id(name)][:_MOST_COLUMNS]
    return ids, [name for name in named_like(free, TEXTS) if name not in ids][:_MOST_COLUMNS]


def _check_index(rows: Any, columns: Columns, texts: Sequence[str]) -> tuple[Columns, list[Above]]:
    """Another id, or a warning, if the index of a data frame repeats, as after concatenation."""
    chosen = columns["question"]
    if "question" not in columns.guessed or plain_name(chosen) not in ROW_NUMBERS:
        return columns, []
    keys = [*_keys(columns), chosen]
    for name in texts:
        ids, pairs = rows.totals(distinct_rows(keys), distinct_rows([*keys, name]))
        if pairs == ids:
            return columns, []  # one text under each number: these are trials
        remark = warning(
            f"{chosen!r} has the same number for different values of {name!r}, as the index of "
            f"tables that were concatenated does: the question is {name!r}. "
            f"{mapping('question', chosen)} keeps {chosen!r}."
        )
        return _with_id(columns, name), [remark]
    number = f"TRY_CAST({text_of(chosen)} AS BIGINT)"
    least, most, ids = rows.aggregate(
        f"min({number}), max({number}), count(DISTINCT {text_of(chosen)})"
    ).fetchall()[0]
    if least != 0 or most != ids - 1 or purposeful_columns(rows, columns):
        return columns, []
    apart = setting("rows", "questions")
    return columns, [
        warning(
            f"{chosen!r} looks like the index of tables that were concatenated, and rows with the "
            f"same number are read as trials of one question. If they are different questions, "
            f"use {apart}."
        )
    ]


def _samples(rows: Any, columns: Columns, texts: Sequence[str]) -> list[Above]:
    """Warning if every text occurs equally often, each time under another id."""
    if "trial" in columns:
        return []
    beside = named_like(free_columns(rows.columns, columns), _BESIDE)
    keys = [text_of(name) for name in (*_keys(columns), *texts, *beside)]
    each = rows.aggregate("count(*) AS n", ", ".join(keys))
    least, most, found = each.aggregate("min(n), max(n), count(*)").fetchall()[0]
    if least < most or most < 2 or found < 2:
        return []
    chosen, text = columns["question"], mapping("question", texts[0])
    return [
        warning(
            f"Every {texts[0]!r} occurs {most} times, each time under another {chosen!r}: each "
            f"row is read as a question. If they are samples of one question, use {text} ("
            f"{found} questions of {most} trials), since intervals are too narrow otherwise."
        )
    ]


def _keys(columns: Columns) -> list[str]:
    return [columns[meaning] for meaning in ("system", "task") if meaning in columns]


def _extents(rows: Any, columns: Columns, ids: Sequence[str]) -> tuple[int, int, list[_Extent]]:
    """Number of rows, number of questions by the chosen id, and the extent of other ids."""
    keys, chosen = _keys(columns), columns["question"]
    counts = [distinct_rows([*keys, chosen])]
    for name in ids:
        counts += [distinct_rows([*keys, name]), distinct_rows([*keys, chosen, name])]
    number, questions, *found = rows.totals(ALL_ROWS, *counts)
    return (
        number,
        questions,
        [_Extent(*each) for each in zip(ids, found[::2], found[1::2], strict=True)],
    )


def _finer(
    rows: Any, columns: Columns, number: int, questions: int, extents: Sequence[_Extent]
) -> tuple[Columns, list[Above]]:
    """Another id, if the chosen one repeats and together they identify every row."""
    if questions == number or "trial" in columns:
        return columns, []
    chosen = columns["question"]
    for extent in extents:
        if extent.with_chosen < number:
            continue
        known = plain_name(extent.name) in _IDS
        if known and questions < extent.ids < number and _are_numbers(rows, chosen):
            return _with_id(columns, extent.name, trial=chosen), [
                _numbers_samples(chosen, extent.name)
            ]
        if extent.ids == number and _is_shared(rows, columns, extent.name):
            found, reason = _with_id(columns, extent.name), _is_coarse(rows, columns, extent.name)
            (groups,) = rows.totals(distinct_rows([chosen]))
            if groups >= _MANY and "cluster" not in columns:
                return found.with_meaning("cluster", chosen), [reason]
            return found, [reason]
    return columns, []


def _are_numbers(rows: Any, name: str) -> bool:
    """Whether every value is a whole number."""
    ((strange,),) = rows.aggregate(
        f"count(*) FILTER (NOT regexp_full_match({text_of(name)}, '\\d{{1,9}}(\\.0+)?'))"
    ).fetchall()
    return not strange


def are_sentences(name: str) -> str:
    """SQL: whether most texts have three words or more, unlike the names of prompts."""
    text = text_of(name)
    between = "\\s+\\S+\\s+"  # words between two that trimming leaves, which is slow for long texts
    long = (
        f"CASE WHEN strlen({text}) < {_SHORTEST} THEN false "
        f"WHEN regexp_matches({text}, '[!-~]{between}[!-~]') THEN true "
        f"ELSE regexp_matches(trim({text}), '\\S{between}\\S') END"
    )
    return f"2 * count(*) FILTER ({long}) > count(*)"


def _numbers_samples(chosen: str, column: str) -> Above:
    keep = mapping("question", chosen)
    return warning(
        f"Every {column!r} has rows under several values of {chosen!r}, and never two under one: "
        f"the question is {column!r}, and {chosen!r} numbers its trials. If {chosen!r} is the "
        f"question, use {keep}."
    )


def _is_coarse(rows: Any, columns: Columns, column: str) -> Above:
    chosen = columns["question"]
    outcome = f"avg(CAST({quoted(columns['outcome'])} AS DOUBLE)) AS mean"
    keys = [*_keys(columns), chosen]
    each = rows.aggregate(outcome, ", ".join(map(text_of, keys)))
    trials = each.aggregate("avg(mean)").fetchall()[0][0]
    mean = rows.aggregate(outcome).fetchall()[0][0]
    means = "" if None in (trials, mean) else f" (mean of all systems {mean:.4g})"
    others = "" if None in (trials, mean) else f" (mean {trials:.4g})"
    keep = mapping("question", chosen)
    return warning(
        f"{chosen!r} repeats, and {column!r} identifies every row of a system and is shared by "
        f"systems: the question is {column!r}{means}. {keep} reads rows with the same {chosen!r} "
        f"as trials of one question{others}."
    )


def _with_id(columns: Columns, name: str, *, trial: str | None = None) -> Columns:
    """The columns with another id, and the former one as the trial or unused."""
    former = columns["question"]
    found = columns.with_meaning("question", name)
    found = found if trial is None else found.with_meaning("trial", trial)

    def without_new_id(names: tuple[str, ...]) -> tuple[str, ...]:
        rest = tuple(other for other in names if other != name)
        return (*rest, former) if trial is None and names else rest

    guessed = found.guessed | ({"question"} if trial is None else {"question", "trial"})
    return replace(
        found,
        guessed=guessed,
        beside=without_new_id(found.beside),
        unused=without_new_id(found.unused),
    )


def _check_shared_ids(
    rows: Any, columns: Columns, others: Sequence[str], texts: Sequence[str]
) -> tuple[Columns, list[Above]]:
    """Another id, if systems share it and not the chosen one, or if texts contradict that one."""
    chosen = columns["question"]
    if rows.totals(distinct_rows([columns["system"]]))[0] < 2:
        return columns, []
    keep = mapping("question", chosen)
    ids, ids_by_system = rows.totals(*shared_ids(columns))
    if ids == ids_by_system:
        for name in others:
            if _is_shared(rows, columns, name):
                remark = warning(
                    f"No two systems share a value of {chosen!r}, and they share {name!r}: the "
                    f"question is {name!r}. {keep} keeps {chosen!r}, by which they cannot be "
                    f"compared."
                )
                return _with_id(columns, name), [remark]
        return columns, []
    for name in texts:
        found = _contradictions(rows, columns, name)
        if found is None or not found.ids:
            continue
        example = f"{found.id!r} is {found.first!r:.{_SHOWN}} and {found.last!r:.{_SHOWN}}"
        unlike = f"{found.ids} of {found.shared} ids stand for other questions in another system"
        by_text = mapping("question", name)
        if 2 * found.ids <= found.shared:
            text = f"{unlike} by {name!r} ({example}). Systems are paired by {chosen!r}; {by_text} "
            return columns, [warning(f"{text}pairs them by {name!r}.")]
        remark = warning(
            f"{unlike} ({example}), as if {chosen!r} were the place in a file: the question is "
            f"{name!r}. {keep} pairs systems by {chosen!r}."
        )
        return _with_id(columns, name), [remark]
    return columns, []


def shared_ids(columns: Columns) -> tuple[str, str]:
    """SQL: the number of ids, and that of the ids of every system; equal if none is shared."""
    ids = [columns[meaning] for meaning in ("task", "question") if meaning in columns]
    return distinct_rows(ids), distinct_rows([columns["system"], *ids])


def _number_shared(rows: Any, columns: Columns, name: str) -> tuple[int, int]:
    """Number of values of a column that two systems have, and of all values."""
    keys = [text_of(name), *([text_of(columns["task"])] if "task" in columns else [])]
    each = rows.aggregate(
        f"count(DISTINCT {text_of(columns['system'])}) AS systems", ", ".join(keys)
    )
    shared, every = each.aggregate("count(*) FILTER (systems > 1), count(*)").fetchall()[0]
    return int(shared), int(every)


def _is_shared(rows: Any, columns: Columns, name: str) -> bool:
    """Whether a column has several values, at least half of them in two systems."""
    if "system" not in columns:
        return False
    shared, every = _number_shared(rows, columns, name)
    return every > 1 and 2 * shared >= every


class _Contradictions(NamedTuple):
    """Ids that stand for different questions in two systems, of those shared; an example."""

    ids: int
    shared: int
    id: str
    first: str
    last: str


def _contradictions(rows: Any, columns: Columns, text: str) -> _Contradictions | None:
    """Ids with different texts in different systems, if each text occurs in several systems.

    Texts that only one system has, such as prompts from its own template, contradict nothing.
    """
    task = text_of(columns["task"]) if "task" in columns else "''"
    texts = rows.aggregate(
        f"count(DISTINCT {text_of(text)}) AS texts", f"{task}, {text_of(columns['question'])}"
    )
    if texts.aggregate("max(texts) < 2").fetchall()[0][0]:
        return None  # the common case; the query below takes ten times as long for long texts
    each = (
        f"SELECT {task} AS task, {text_of(columns['question'])} AS id, trim({text_of(text)}) AS "
        f"asked, {text_of(columns['system'])} AS system FROM rows GROUP BY ALL"
    )
    common = (
        "SELECT task, asked FROM each GROUP BY ALL HAVING count(DISTINCT system) > 1 "
        "AND length(asked) > 0"
    )
    by_system = (
        "SELECT task, id, system, min(asked) AS first, max(asked) AS last FROM each "
        "JOIN common USING (task, asked) GROUP BY ALL"
    )
    by_id = (
        "SELECT id, min(first) AS first, max(last) AS last, bool_and(first = last) AS plain "
        "FROM by_system GROUP BY task, id HAVING count(*) > 1"
    )
    ((ids, shared, *example),) = rows.query(
        "rows",
        f"WITH each AS ({each}), common AS ({common}), by_system AS ({by_system}), "
        f"by_id AS ({by_id}) SELECT count(*) FILTER (first <> last), count(*), "
        f"arg_min(id, id) FILTER (first <> last), arg_min(first, id) FILTER (first <> last), "
        f"arg_min(last, id) FILTER (first <> last) FROM by_id WHERE plain",
    ).fetchall()
    return _Contradictions(ids, shared, *map(str, example)) if shared else None
