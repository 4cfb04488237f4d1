"""Experimental conditions in the rows, such as method, temperature or prompt, are not trials.

Rows of the same system and question may be repeats, as trials are, or differ because something was
varied on purpose. A column was varied on purpose if questions have rows for most of its values. Its
name decides what it is:

| name | becomes |
|---|---|
| `SETTINGS` and `CHECKPOINTS`: method, prompt, temperature, shots, agent, step … | the system |
| `TRIAL_NUMBERS`: run, iteration … | the trial |
| parts and languages (`repeated_ids`) | the question, or the task |
| scorers: judge, rater … (`repeated_ids`) | refused |
| any other | trials, with a warning that names the column |
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from errbar.base.remarks import Above, guess, mapping, mean_in_brackets, setting, warning
from errbar.data.columns import (
    ANSWERS,
    PARTS,
    REFERENCES,
    RESPONSES,
    ROW,
    SCORERS,
    TRIAL_NUMBERS,
    USUAL,
    VERSIONS,
    named_like,
    plain_name,
)
from errbar.data.engines.duckdb import ALL_ROWS, distinct_rows, quoted, text_literal, text_of
from errbar.data.queries.expressions import TRIAL_NUMBER, Columns
from errbar.data.readers.tables.competing_outcomes import are_names, free_columns

# Settings of a run: each value is a separate system.
SETTINGS = frozenset(
    map(
        plain_name,
        (
            *("model", "model_name", "model_id", "agent", "agent_name", "method", "method_name"),
            *("condition", "variant", "treatment", "arm", "approach", "technique", "strategy"),
            *("setting", "setup", "ablation", "ablation_flags", "ablations", "baseline", "policy"),
            *("prompt", "prompt_name", "prompt_type", "prompt_style", "prompt_template"),
            *("prompt_version", "prompt_variant", "prompt_id", "prompting", "system_prompt"),
            *("template", "instruction", "persona", "format", "prompt_format", "scaffold"),
            *("temperature", "temp", "top_p", "top_k", "min_p", "sampling", "decoding"),
            *(
                "shots",
                "shot",
                "n_shots",
                "num_shots",
                "n_shot",
                "k_shot",
                "num_fewshot",
                "fewshot",
            ),
            *("few_shot", "cot", "use_cot", "reasoning", "reasoning_effort", "effort", "thinking"),
            *("thinking_budget", "budget", "max_tokens", "context_length", "max_steps", "tools"),
            *(
                "use_tools",
                "tool_use",
                "rag",
                "retriever",
                "router",
                "retrieval",
                "use_rag",
                "memory",
            ),
            *("framework", "harness", "provider", "backend", "engine", "quantization", "quant"),
            *("dtype", "algorithm", "optimizer", "learning_rate", "lr", "adapter", "finetuned"),
            *("fine_tuned", "architecture", "size", "model_size", "noise", "perturbation"),
            *("model_version", "model_family", "model_type", "deployment", "endpoint", "service"),
            *("assistant", "bot", "chatbot", "solver", "classifier", "predictor", "detector"),
            *("generator", "pipeline", "algo", "candidate", "contestant", "student", "team"),
            *("submission", "submitter", "experiment", "experiment_name", "exp", "run_name"),
            *("implementation", "revision", "release", "build", "commit", "branch"),
            *("provider_id", "provider_name", "agent_id", "agent_version", "scaffolding"),
            *(
                "scaffold_name",
                "harness_name",
                "threshold",
                "cutoff",
                "prompt_profile",
                "prompt_set",
                "mode",
            ),
            *("chunking", "chunker", "chunk_size", "chunk_overlap", "chunking_strategy"),
            *("embedding", "embedding_model", "embedder", "reranker", "search_type"),
        ),
    )
)
# Checkpoints of a model in training.
CHECKPOINTS = frozenset(
    map(
        plain_name,
        (
            *("step", "global_step", "training_step", "train_step", "checkpoint", "ckpt"),
            *("checkpoint_step", "training_epoch", "train_epoch", "training_iteration"),
        ),
    )
)
_NO_CONDITIONS = ANSWERS | RESPONSES | REFERENCES
_TRIALS = TRIAL_NUMBERS | frozenset(map(plain_name, ("trial", *USUAL["trial"])))
_MOST_COLUMNS = 64  # most columns checked
_MOST_VALUES = 20  # most values of a column with an unknown name
_MOST_VALUES_OF_ROWS = 10  # most values of a setting, if there are no question ids
_SHOWN = 6
_MOST_WARNINGS = 3


class VariedColumn(NamedTuple):
    """A column, its number of values, and the mean number of values per question."""

    name: str
    values: int
    each: float


def purposeful_columns(rows: Any, columns: Columns) -> list[str]:
    """Columns whose names imply that rows with the same id differ on purpose."""
    names = SETTINGS | CHECKPOINTS | PARTS | VERSIONS | SCORERS
    return named_like(free_columns(rows.columns, columns), names)


def with_conditions(
    rows: Any, columns: Columns, assignment: Collection[str], varied: Sequence[VariedColumn]
) -> tuple[Any, Columns, list[Above]]:
    """Add conditions to the system names, and trial numbers to the trials.

    Systems and trials mapped by the user (`assignment`) are left unchanged.
    """
    if columns["question"] == ROW:
        settings = _settings_of_rows(rows, columns, condition_candidates(rows, columns))
    else:
        settings = _settings(rows, columns, varied)
    remarks: list[Above] = []
    if settings and "system" not in assignment:
        rows, columns, remark = _add_settings_to_names(rows, columns, settings)
        remarks.append(remark)
    if "trial" not in columns and "trial" not in assignment and columns["question"] != ROW:
        columns = _with_trial(rows, columns)
    elif "trial" in columns and "trial" not in assignment and columns["question"] != ROW:
        rows, columns, joined = _with_joint_trial(rows, columns)
        remarks += joined
    return rows, columns, remarks


def pooled_conditions(rows: Any, columns: Columns, varied: Sequence[VariedColumn]) -> list[Above]:
    """Warnings on other columns that vary within a question."""
    keys, remarks = _keys(columns), []
    for column in varied:
        known = plain_name(column.name) in SETTINGS | CHECKPOINTS | PARTS | VERSIONS | SCORERS
        if column.values > _MOST_VALUES or plain_name(column.name) in _TRIALS:
            continue
        if not known and ("trial" in columns or column.each != column.values):
            continue
        each = rows.aggregate("count(*) AS n", ", ".join(map(text_of, [*keys, column.name])))
        least, most = each.aggregate("min(n), max(n)").fetchall()[0]
        if least == most or known:
            remarks.append(_pooling_remark(rows, columns, column.name))
    return remarks[:_MOST_WARNINGS]


def condition_candidates(rows: Any, columns: Columns) -> list[str]:
    """Columns that may be conditions: not answers or other outcomes."""
    free = free_columns(rows.columns, columns)
    no_conditions = _NO_CONDITIONS - ({"label"} if not named_like(free, ANSWERS) else set())
    return [
        name for name in free if plain_name(name) not in no_conditions and name not in columns.also
    ][:_MOST_COLUMNS]


def _keys(columns: Columns, *more: str) -> list[str]:
    """Key columns of a question, or of one of its trials."""
    return [
        columns[meaning] for meaning in ("system", "task", "question", *more) if meaning in columns
    ]


def varied_columns(rows: Any, columns: Columns) -> list[VariedColumn]:
    """Columns of which questions have, on average, over half of the values beyond the first."""
    free = condition_candidates(rows, columns)
    if columns["question"] == ROW or not free:
        return []
    keys = _keys(columns)
    number, ids = rows.totals(ALL_ROWS, distinct_rows(keys))
    if number == ids:
        return []
    values = dict(zip(free, rows.totals(*(distinct_rows([name]) for name in free)), strict=True))
    most = number / ids  # no question has more values, on average, than it has rows
    free = [name for name in free if 2 * (most - 1) > values[name] - 1 > 0]
    if not free:
        return []
    counts = [f"count(DISTINCT {text_of(name)}) AS v{at}" for at, name in enumerate(free)]
    each = rows.aggregate(", ".join(counts), ", ".join(map(text_of, keys)))
    means = each.aggregate(", ".join(f"avg(v{at})" for at in range(len(free)))).fetchall()[0]
    found = [VariedColumn(name, values[name], mean) for name, mean in zip(free, means, strict=True)]
    return [column for column in found if 2 * (column.each - 1) > column.values - 1]


def _settings(rows: Any, columns: Columns, varied: Sequence[VariedColumn]) -> list[str]:
    """Settings among the varied columns, without those determined by others."""
    names = [column.name for column in varied if _is_setting(rows, column)]
    complete = [column.name for column in varied if column.each == column.values]
    names += named_like(complete, CHECKPOINTS)
    names += [] if names else _told_apart_by_trials(rows, columns, complete)
    chosen: list[str] = []
    for name in names:
        keys = [*_keys(columns), *chosen]
        before, after = rows.totals(distinct_rows(keys), distinct_rows([*keys, name]))
        if after > before:
            chosen.append(name)
    return chosen


def _is_setting(rows: Any, column: VariedColumn) -> bool:
    """Whether a varied column is a setting, such as a k of 1, 3 and 5 that numbers no trials."""
    if plain_name(column.name) != "k":
        return plain_name(column.name) in SETTINGS
    values = _values_of(rows, column.name)
    if not all(map(str.isdecimal, values)):
        return False
    numbers = sorted(map(int, values))
    return numbers != list(range(numbers[0], numbers[0] + len(numbers)))


def _told_apart_by_trials(rows: Any, columns: Columns, complete: Sequence[str]) -> list[str]:
    """The column of names within each of which a column of numbers counts the trials anew."""
    free = free_columns(rows.columns, columns)
    numbers = named_like(free, _TRIALS)
    others = [
        name for name in complete if plain_name(name) not in _TRIALS | PARTS | VERSIONS | SCORERS
    ]
    if not numbers or not others:
        return []
    keys = _keys(columns)
    number, *apart = rows.totals(ALL_ROWS, *(distinct_rows([*keys, name]) for name in numbers))
    for name in others if number not in apart else ():
        pairs = (distinct_rows([*keys, name, trial]) for trial in numbers)
        if number in rows.totals(*pairs) and are_names(_values_of(rows, name)):
            return [name]
    return []


def _settings_of_rows(rows: Any, columns: Columns, free: Sequence[str]) -> list[str]:
    """Settings with the same number of rows per value, if there are no question ids."""
    chosen = []
    systems = [columns["system"]] if "system" in columns else []
    for name in named_like(free, SETTINGS | CHECKPOINTS):
        keys = ", ".join(map(text_of, [*systems, name]))
        values, groups, least, most = (
            rows.aggregate(f"{text_of(name)} AS value, count(*) AS n", keys)
            .aggregate("count(DISTINCT value), count(*), min(n), max(n)")
            .fetchall()[0]
        )
        before = rows.totals(distinct_rows(systems))[0] if systems else 1
        varies = 1 < values <= _MOST_VALUES_OF_ROWS and groups > before
        if varies and 1 < least == most:
            chosen.append(name)
    return chosen


def _values_of(rows: Any, name: str) -> list[str]:
    some = rows.project(f"{text_of(name)} AS value").distinct().order("value").limit(_SHOWN + 1)
    return [value for (value,) in some.fetchall()]


def _listed(values: Sequence[str]) -> str:
    short = [value if len(value) <= 30 else f"{value[:29]}…" for value in values[:_SHOWN]]
    return ", ".join(short) + (" …" if len(values) > _SHOWN else "")


def _add_settings_to_names(
    rows: Any, columns: Columns, settings: Sequence[str]
) -> tuple[Any, Columns, Above]:
    """Systems called by their settings too; a number goes with the name of its column."""
    parts = [columns["system"]] if "system" in columns else []
    texts = [text_of(name) for name in parts]
    shown = []
    for name in settings:
        values = _values_of(rows, name)
        shown.append(f"{name!r} ({_listed(values)})")
        plain = not any(value and value[0].isalpha() and len(value) > 1 for value in values)
        plain = plain or {value.lower() for value in values} <= {"true", "false", "none", ""}
        texts.append(f"{text_literal(f'{name}=')} || {text_of(name)}" if plain else text_of(name))
    called = " and ".join([*parts, *settings])
    name = called if called not in rows.columns else f"errbar {called}"
    mean = rows.aggregate(f"avg(CAST({quoted(columns['outcome'])} AS DOUBLE))").fetchall()[0][0]
    together = mean_in_brackets("rows", mean)
    pooled = setting("rows", "trials")
    each = "every question has rows" if columns["question"] != ROW else "there are rows"
    remark = warning(
        f"{each} for each {' and '.join(shown)}: settings are not trials, so a system is named by "
        f"{called}. {pooled} reads all rows as one system{together}."
    )
    if texts == [text_of(called)]:
        name = called  # the column is the system as it is
    columns = columns.with_meaning("system", name)
    if name != called or name not in rows.columns:
        rows = rows.project(f"*, concat_ws('/', {', '.join(texts)}) AS {quoted(name)}")
    unused = tuple(column for column in columns.unused if column not in settings)
    return rows, replace(columns, beside=(), unused=unused), remark


def _with_trial(rows: Any, columns: Columns) -> Columns:
    """The trial, where a column numbers the rows of each question."""
    names = named_like(free_columns(rows.columns, columns), TRIAL_NUMBERS)
    if not names:
        return columns
    keys = _keys(columns)
    number, ids = rows.totals(ALL_ROWS, distinct_rows(keys))
    if number == ids:
        return columns
    for name in names:
        if rows.totals(distinct_rows([*keys, name]))[0] == number:
            columns = columns.with_meaning("trial", name)
            unused, beside = (
                tuple(other for other in others if other != name)
                for others in (columns.unused, columns.beside)
            )
            guessed = columns.guessed | {"trial"}
            return replace(columns, guessed=guessed, unused=unused, beside=beside)
    return columns


def _with_joint_trial(rows: Any, columns: Columns) -> tuple[Any, Columns, list[Above]]:
    """Number trials by two columns, such as seed and epoch, if one alone repeats."""
    names = named_like(free_columns(rows.columns, columns), _TRIALS)
    if not names:  # to count the trials of many questions takes most of the time of a load
        return rows, columns, []
    trial = columns["trial"]
    keys = _keys(columns, "trial")
    number, ids = rows.totals(ALL_ROWS, distinct_rows(keys))
    if number == ids:
        return rows, columns, []
    for name in names:
        if rows.totals(distinct_rows([*keys, name]))[0] == number:
            joint = f"{trial} and {name}"
            kept = f" EXCLUDE ({quoted(TRIAL_NUMBER)})" if TRIAL_NUMBER in rows.columns else ""
            value = f"concat_ws('/', {text_of(trial)}, {text_of(name)})"
            columns = columns.with_meaning("trial", joint)
            unused = tuple(other for other in columns.unused if other != name)
            beside = tuple(other for other in columns.beside if other != name)
            remark = guess(
                f"Trials: numbered by {trial!r} and {name!r} together",
                option="--map trial=COLUMN",
                argument="trial='COLUMN'",
            )
            rows = rows.project(f"*{kept}, {value} AS {quoted(joint)}")
            return rows, replace(columns, unused=unused, beside=beside), [remark]
    return rows, columns, []


def _pooling_remark(rows: Any, columns: Columns, name: str) -> Above:
    """That the rows of every value of a column are trials of one system, and their means."""
    mean = f"avg(CAST({quoted(columns['outcome'])} AS DOUBLE))"
    found = rows.aggregate(f"{text_of(name)} AS value, {mean} AS mean", text_of(name)).order(
        "value"
    )
    means = [
        f"{value or 'none'} {'-' if score is None else format(score, '.4g')}"
        for value, score in found.limit(_SHOWN + 1).fetchall()
    ]
    meaning = "task" if "system" in columns and "task" not in columns else "system"
    apart = mapping(meaning, name)
    sure = setting("rows", "trials")
    return warning(
        f"every question has rows for each {name!r} (means: {_listed(means)}), and they are read "
        f"as trials of one system. If {name!r} is a condition, {apart} scores its values "
        f"separately; if they are trials, use {sure}."
    )
