"""Names of systems in columns: spelled in two ways, given once for a block, made of settings."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from errbar.base.remarks import (
    Above,
    guess,
    mapping,
    mean_in_brackets,
    setting,
    some_of,
    warning,
    way_to_say,
)
from errbar.data.columns import (
    ANSWERS,
    PARTS,
    PROPERTIES,
    REFERENCES,
    RESPONSES,
    ROW,
    SCORERS,
    VERSIONS,
    Sampler,
    is_flag,
    named_like,
    plain_name,
)
from errbar.data.engines.duckdb import distinct_rows, quoted, text_literal, text_of
from errbar.data.outcome_words import is_outcome
from errbar.data.queries.expressions import FILE, Columns
from errbar.data.readers.tables.competing_outcomes import free_columns
from errbar.data.readers.tables.id_names import ASKED, is_prose
from errbar.data.readers.tables.repeat_numbers import may_repeat
from errbar.data.readers.tables.wide_names import TRIAL_NAME
from errbar.errors import InputError

_MOST = 1000  # most names that are compared
_SHOWN = 4
_TEXTS = frozenset(map(plain_name, ("question", "problem", *ASKED)))
SHOWN = 6  # values of a setting
_DATE = re.compile(r"\d{4}[-/.]?\d\d?[-/.]?\d\d?\b.*|\d\d?[-/.]\d\d?[-/.]\d{2,4}\b.*")
_HASH = re.compile(r"(?=.*\d)[0-9a-f-]{6,}")
_FEW_SYSTEMS = 20
_LARGEST = 1_000_000  # larger numbers are rather times or seeds than settings


def only_about(
    files: Sequence[Path], naming: Mapping[Path, Sequence[str]] | None, remarks: list[Above]
) -> list[Above]:
    """Remarks on names of files, of which only some decide; rows of the others name theirs."""
    if naming is None or not files or len(files) == len(naming):
        return remarks
    names = list(dict.fromkeys(naming[file][0] for file in files))
    if may_repeat(names):
        return remarks
    own = guess(
        f"Systems: {some_of(names)} {'is' if len(names) == 1 else 'are'} named after "
        f"{'its file' if len(names) == 1 else 'their files'}; the other files name their systems",
        option="--files trials, tasks, parts or questions",
        argument="files='trials', 'tasks', 'parts' or 'questions'",
    )
    on_names = ("Systems: named after", f"{len(naming)} files name no system")
    return [own if remark.startswith(on_names) else remark for remark in remarks]


def names_remark(rows: Any, columns: Columns) -> list[Above]:
    """Remarks on systems that differ in case and spaces, and on a judge; refuses merged cells."""
    remarks = _judge_remark(rows.head(), columns)
    if "system" not in columns:
        return remarks
    name = columns["system"]
    if rows.totals(distinct_rows([name]))[0] < 2:
        return remarks
    counts = rows.aggregate(f"{text_of(name)} AS name, count(*) AS n", text_of(name))
    found = dict(counts.order("name").limit(_MOST).fetchall())
    blank, others = found.pop("", 0), sum(found.values())
    if found and blank > others == len(found):
        raise InputError(
            f"{blank} of {blank + others} rows are empty in {name!r}, and every name occurs there "
            "once, as in merged cells of a spreadsheet. Fill the names down to all rows, or read "
            f"all rows as one system: {way_to_say('--map system=', 'system=None')}."
        )
    spelled: dict[str, list[str]] = {}
    for written in found:
        spelled.setdefault("".join(written.split()).casefold(), []).append(written)
    if "system" in columns.guessed and plain_name(name) == "run" and len(found) > 1:
        trials = mapping("trial", name)
        remarks.append(
            warning(
                f"The {len(found)} values of {name!r} are read as systems. If they repeat one "
                f"system, use {trials}."
            )
        )
    return remarks + [
        warning(
            f"{' and '.join(map(repr, alike))} differ only in case and spaces, and are read as "
            f"{len(alike)} systems. If they are the same, write the names in {name!r} alike."
        )
        for alike in spelled.values()
        if len(alike) > 1
    ]


def uneven_systems(rows: Any, columns: Columns) -> list[Above]:
    """Warning if systems without ids of questions have different numbers of rows.

    Rows of one place are then not of one question, and the name may be of something that varies
    from question to question, such as the method by which each was solved.
    """
    if "system" not in columns:
        return _possible_systems(rows, columns) if "outcome" in columns else []
    name = columns["system"]
    keys = [text_of(columns[meaning]) for meaning in ("task", "system") if meaning in columns]
    each = rows.aggregate("count(*) AS n", ", ".join(keys))
    least, most = each.aggregate("min(n), max(n)").fetchall()[0]
    if least == most:
        return []
    option = mapping("system")
    whole = f"; {option} reads all rows as one system" if "system" in columns.guessed else ""
    return [
        warning(
            f"No column has ids of questions, and the systems in {name!r} have {least} to {most} "
            f"rows, so rows cannot be paired and systems are not compared{whole}."
        )
    ]


def _possible_systems(rows: Any, columns: Columns) -> list[Above]:
    """Warning on columns that may name the system, where neither ids nor a known name tell.

    They have a few names, of as many rows each, which are nothing that questions have.
    """
    found: dict[str, list[str]] = {}
    known = PARTS | VERSIONS | SCORERS | REFERENCES | ANSWERS | PROPERTIES | {FILE}
    for name in free_columns(rows.columns, columns):
        if plain_name(name) in known or is_flag(name) or rows.schema[name] != "VARCHAR":
            continue
        each = rows.aggregate(f"{text_of(name)} AS value, count(*) AS n", text_of(name))
        names, least, most = each.aggregate("count(*), min(n), max(n)").fetchall()[0]
        values = values_of(rows, name)
        if 1 < names <= _FEW_SYSTEMS and least == most > names and not any(map(is_outcome, values)):
            found[name] = values
    if not found:
        return []
    shown = some_of([f"{name!r} ({listed(values)})" for name, values in found.items()], 3)
    return [
        warning(
            f"No column has ids of questions and none names the system, so every row is a question "
            f"of one system. As many rows have each value of {shown}: if these are systems, "
            f"use {mapping('system', next(iter(found)))}."
        )
    ]


def same_system_remark(rows: Any, columns: Columns) -> list[Above]:
    """Warning if a column names the same system in several files that share questions."""
    if not {"system", "outcome"} <= columns.named.keys() or columns["question"] == ROW:
        return []
    keys = [text_of(columns[name]) for name in ("task", "question") if name in columns]
    name = text_of(columns["system"])
    file = f"hash({quoted(FILE)})"  # two paths take three times as long to compare
    selected = f"{name} AS system, min({file}) < max({file}) AS several"
    systems = rows.aggregate(selected, name).filter("several").fetchall()
    if not systems:
        return []
    among = ", ".join(text_literal(system) for system, _ in systems)
    each = rows.filter(f"{name} IN ({among})").aggregate(selected, ", ".join([name, *keys]))
    found = each.filter("several").aggregate("min(system)").fetchall()[0][0]
    if found is None:
        return []
    mean = f"avg(CAST({quoted(columns['outcome'])} AS DOUBLE))"
    mine = rows.query(
        "rows",
        f"SELECT {quoted(FILE)}, {mean} FROM rows WHERE {name} = {text_literal(found)} "
        f"GROUP BY ALL ORDER BY ALL",
    ).fetchall()
    means = (
        f"{Path(path).name} {'-' if score is None else format(score, '.4g')}"
        for path, score in mine
    )
    apart = setting("files", "systems")
    return [
        warning(
            f"{len(mine)} files have outcomes of {found!r} for the same questions (means: "
            f"{some_of(means, _SHOWN)}), and they are read as trials of one system. If they are "
            f"different systems, use {apart}.{_other_questions(rows, columns, found, keys)}"
        )
    ]


def _other_questions(rows: Any, columns: Columns, system: str, keys: Sequence[str]) -> str:
    """A sentence on ids that have another text in another file of a system; "" if few have."""
    mine = rows.filter(f"{text_of(columns['system'])} = {text_literal(system)}")
    for name in named_like(free_columns(rows.columns, columns), _TEXTS):
        asked = f"count(DISTINCT {text_of(name)}) AS texts, count(DISTINCT {quoted(FILE)}) AS files"
        each = mine.aggregate(asked, ", ".join(keys)).filter("files > 1")
        other, shared = each.aggregate("count(*) FILTER (texts > 1), count(*)").fetchall()[0]
        if 2 * other > shared:
            return (
                f" {other} of {shared} ids have another {name!r} in another file, so they may be "
                f"different questions: {mapping('question', name)} reads them as such."
            )
    return ""


# A name that ends in model or llm, or adds a word for a name to these; not that of a scorer, nor of
# what was answered.
_SYSTEM = re.compile(
    r"(?!.*(judge|grader|grading|evaluator|eval|scorer|reward|embed|retriev|rerank|critic|verifier"
    r"|user|simulat|teacher|reference|parent|tokenizer|draft|pick|chosen|guess|predict|prefer|winn))(?:.*[^a-z])?(model|llm)(name)?"
    r"|(model|llm)([\s_.-]*(config|info|settings|params|args|spec|card|details))?[\s_.-]*(name|id|version|path|slug|tag|alias|key|variant|checkpoint|snapshot"
    r"|revision|name[\s_-]or[\s_-]path)",
    re.IGNORECASE,
)


def names_system(name: str) -> bool:
    """Whether a name is that of a column of systems, such as `provider_model` or `llm_name`.

    Examples
    --------
    >>> [names_system(name) for name in ("llm_name", "HF model", "judge_model", "picked_model")]
    [True, True, False, False]
    """
    return _SYSTEM.fullmatch(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.strip())) is not None


_JUDGE = re.compile(r"judge|grader", re.IGNORECASE)


def is_judge(name: str, present: Sequence[str], sample: Sampler) -> bool:
    """Whether the only model of all rows is their judge: they say what it said, and no response."""
    said = [column for column in present if isinstance(column, str) and _JUDGE.search(column)]
    if len(said) < 2 or named_like(present, RESPONSES | ANSWERS) or not named_like([name], _MODELS):
        return False
    return len({str(value) for value in sample(name)}) == 1


def _judge_remark(looked: Mapping[str, Sequence[Any]], columns: Columns) -> list[Above]:
    """Guess that the only model of all rows is their judge."""
    for name in named_like(columns.unused, _MODELS):
        if is_judge(name, list(looked), looked.__getitem__):
            change = mapping("system", name)
            text = f"{name!r} ({looked[name][0]}) is read as the judge, and not as the system"
            return [guess(text, option=change, argument=change)]
    return []


_MODELS = frozenset(map(plain_name, ("model", "model_name", "model_id", "llm")))


def called_after_model(
    present: Sequence[str], used: set[str], sample: Sampler | None
) -> str | None:
    """The first column whose name mentions a model and whose values repeat."""
    for name in present:
        if not isinstance(name, str) or name in used or not names_system(name):
            continue
        values = sample(name) if sample is not None else ()
        texts = [value for value in values if isinstance(value, str) and value.strip()]
        different = len(texts) > 1 and len(set(texts)) == len(texts)
        if texts and not different and not is_prose(texts):
            return name
    return None


def one_row_each(system: str | None, sample: Sampler | None) -> str:
    """Advice on a table with one row per system, as a leaderboard has."""
    if system is None or sample is None:
        return ""
    names = [str(name) for name in sample(system) if name is not None]
    if not names or len(set(names)) < len(names):
        return ""
    return (
        f" Every {system!r} has a single row: if these are totals, load the outcomes of questions."
    )


def are_levels(values: Sequence[str]) -> bool:
    """Whether values are settings: words or amounts, and no dates, hashes or numbers of repeats.

    Examples
    --------
    >>> [are_levels(some) for some in (["none", "gcg"], ["0.1", "0.5"], ["1000", "2000"])]
    [True, True, True]
    >>> [are_levels(some) for some in (["1", "2"], ["run_1", "run_2"], ["2026-01-01"])]
    [False, False, False]
    """
    some = [value.strip() for value in values if value.strip()]
    if any(value.startswith(("[", "{")) for value in some):  # a list or an object
        return False
    if not some or all(map(_DATE.fullmatch, some)) or all(map(_HASH.fullmatch, some)):
        return False
    if all(map(TRIAL_NAME.fullmatch, some)):
        return False
    try:
        numbers = sorted(map(float, some))
    except ValueError:
        return True
    counted = [numbers[0] + at for at in range(len(numbers))] == numbers
    return not counted and numbers[-1] <= _LARGEST


def with_settings_in_names(
    rows: Any, columns: Columns, settings: Sequence[str]
) -> tuple[Any, Columns, Above]:
    """Systems called by their settings too; a number goes with the name of its column."""
    parts = [columns["system"]] if "system" in columns else []
    texts = [text_of(name) for name in parts]
    shown = []
    for name in settings:
        values = values_of(rows, name)
        shown.append(f"{name!r} ({listed(values)})")
        plain = not any(value and value[0].isalpha() and len(value) > 1 for value in values)
        plain = plain or {value.lower() for value in values} <= {"true", "false", "none", ""}
        texts.append(f"{text_literal(f'{name}=')} || {text_of(name)}" if plain else text_of(name))
    called = " and ".join([*parts, *settings])
    name = called if called not in rows.columns else f"errbar {called}"
    together, pooled = mean_of_all(rows, columns), setting("rows", "trials")
    pooled += f" and {setting('repeats', 'keep')}" if "trial" in columns else ""
    each = "every question has rows" if columns["question"] != ROW else "there are rows"
    remark = warning(
        f"{each} for each {' and '.join(shown)}: settings are not trials, so a system is named by "
        f"{called}. {pooled} reads all rows as one system{together}."
    )
    if texts == [text_of(called)]:
        name = called  # the column is the system as it is
    columns = columns.with_meaning("system", name, settings)
    if name != called or name not in rows.columns:
        rows = rows.project(f"*, concat_ws('/', {', '.join(texts)}) AS {quoted(name)}")
    if (
        columns["question"] == ROW
    ):  # as in tables that name systems, the n-th rows are of one question
        groups = ", ".join(text_of(columns[m]) for m in ("system", "task") if m in columns)
        number = f"row_number() OVER (PARTITION BY {groups} ORDER BY {quoted(ROW)})"
        rows = rows.project(f"* REPLACE ({number} AS {quoted(ROW)})")
    return rows, replace(columns, beside=()), remark


def values_of(rows: Any, name: str, most: int = SHOWN) -> list[str]:
    """The values of a column in their order, and one more than `most` if there are more."""
    some = rows.project(f"{text_of(name)} AS value").distinct().order("value").limit(most + 1)
    return [value for (value,) in some.fetchall()]


def listed(values: Sequence[str]) -> str:
    """Join some values with commas."""
    short = [value if len(value) <= 30 else f"{value[:29]}…" for value in values[:SHOWN]]
    return ", ".join(short) + (" …" if len(values) > SHOWN else "")


def mean_of_all(rows: Any, columns: Columns) -> str:
    """The mean of all rows, in brackets."""
    mean = rows.aggregate(f"avg(CAST({quoted(columns['outcome'])} AS DOUBLE))").fetchall()[0][0]
    return mean_in_brackets("rows", mean)
