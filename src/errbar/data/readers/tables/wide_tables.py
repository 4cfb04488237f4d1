"""Melt wide tables, with a column per system, trial or question, to a row per outcome.

A column is a system if it contains outcomes between 0 and 1 and its name is not that of something
else, such as a temperature, cost, p-value, flag or total. If some columns have only right and
wrong, columns of fractions are left out too, since a difficulty looks just like a score. A remark
lists what was left out; a list of columns (`system=gpt,qwen`) overrides the choice.
"""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn

from errbar.base.arguments import is_missing
from errbar.base.remarks import Above, guess, mapping, some_of, warning
from errbar.data.columns import (
    COUNTERS,
    INDEX,
    MEASURES,
    PREDICTIONS,
    REFERENCES,
    RESPONSES,
    ROW,
    TOTALS,
    USUAL,
    named_like,
    plain_name,
)
from errbar.data.outcome_words import NOTHING, WORDS, distinct, is_outcome, known_word, number_in
from errbar.data.queries.expressions import HIDDEN, Columns
from errbar.data.readers.tables.column_choice import find_columns
from errbar.data.readers.tables.derived_columns import (
    Flat,
    derived_columns,
    numbers_of,
    row_numbers,
)
from errbar.data.readers.tables.false_outcomes import (
    advice_on,
    no_outcome,
    possible_outcomes,
    refuse_paired_answers,
)
from errbar.data.readers.tables.flagged_rows import graded_scores, is_filled
from errbar.data.readers.tables.graded_classes import Assignment
from errbar.data.readers.tables.id_names import is_verdict
from errbar.data.readers.tables.named_scores import parts_of_answers
from errbar.data.readers.tables.total_tables import refuse_steps
from errbar.data.readers.tables.wide_names import (
    are_measures,
    differ_by_number,
    is_answer_of,
    is_no_system,
    is_rater,
    is_response_beside,
    measures_by_system,
    trials_in,
)
from errbar.errors import InputError, UnknownColumn

_LOOKED_AT, _FEW = 500, 20  # rows inspected of a column; benchmarks in a table of totals
_COMMA = re.compile(r"^\s*([01]),(\d+\s*)$")
_ABOUT = re.compile(r".*[^\s(（].*[(（]\s*(.+?)\s*[)）]\s*")  # a measure of the column in brackets
_DIGIT = re.compile("[0-9]")  # which no name of a total has
_SCORE_NAME = re.compile(
    r"(score|rating|reward|grade|metric)s?$|^(score|rating|metric)", re.IGNORECASE
)


class _WideColumns(NamedTuple):
    """Columns with outcomes, and possible ones that are left out."""

    wide: list[str]
    by_name: list[str]  # left out by name
    fractions: list[str]  # left out because other columns have only right and wrong
    derived: Mapping[str, str] = MappingProxyType({})  # left out, since they follow from others
    systems: Sequence[str] = ()  # of each column, if the columns are trials of several systems


def melt(flat: Flat, assignment: Assignment) -> tuple[Flat, Above] | None:
    """Melt a table with a column per system; None if it is not wide."""
    if "outcome" in assignment:
        return None
    meaning, listed = _listed_columns(flat, assignment)
    rest = {key: name for key, name in assignment.items() if key != meaning}
    try:
        columns = _find({**flat, "outcome": []}, rest)
    except UnknownColumn:
        return None
    used = set(columns.named.values()) - set(listed)
    shown = _without_totals(flat, columns["question"])
    candidates = [
        name
        for name, column in shown.items()
        if name not in used | HIDDEN
        and not ((of := _ABOUT.fullmatch(name)) and of[1] in shown)
        and _is_wide(column[:_LOOKED_AT], column)
    ]
    chosen = _WideColumns(listed, [], []) if listed else _choose(candidates, shown)
    wide = chosen.wide
    rows = len(flat[wide[0]]) if wide else 0
    if not listed and (len(wide) < 2 or (columns["question"] == ROW and rows < 2)):
        return None
    if not listed and not all(map(is_verdict, wide)):
        refuse_paired_answers(list(flat))
    if not meaning:
        meaning = _meaning_of(wide, columns, flat)
        if meaning != "question" and columns["question"] == ROW:
            _refuse_steps(wide, flat)
        if meaning == "system":
            wide = _of_one_measure(wide, chosen.fractions, flat)
            chosen = chosen._replace(wide=wide)
            _refuse_scores_of(wide, flat)
            if "question" in columns.guessed and plain_name(columns["question"]) == "name":
                _refuse_totals_by_name(wide, flat, columns["question"])
        elif meaning == "question":
            _refuse_totals([*wide, *chosen.fractions], flat, columns["system"])
    if meaning != "system":  # trials and questions may have partial credit
        every = {*wide, *chosen.fractions, *(chosen.derived if meaning == "question" else ())}
        wide = [name for name in flat if name in every]
        kept_out = {} if meaning == "question" else chosen.derived
        chosen = chosen._replace(wide=wide, fractions=[], derived=kept_out)
    kept = {name: column for name, column in flat.items() if name not in wide}
    if columns["question"] == ROW and meaning != "question":
        kept["question"] = row_numbers(flat, rows)
    found = {name: column * len(wide) for name, column in kept.items()}
    found[meaning] = [name for name in wide for _ in range(rows)]
    trials = trials_in(wide) if meaning == "trial" and not listed else None
    if trials is not None and any(trials.systems) and "system" not in columns:
        found["system"] = [name for name in trials.systems for _ in range(rows)]
        chosen = chosen._replace(systems=trials.systems)
    found["outcome"] = [value for name in wide for value in flat[name]]
    unused = [name for name in kept if name not in used | HIDDEN | {"question"}]
    unnamed = columns["question"] == ROW and meaning != "question"
    return found, _remark(meaning, chosen, flat, unused, unnamed=unnamed)


def _without_totals(flat: Flat, question: str) -> Flat:
    """Columns without the rows of sums and means, which need not look like outcomes."""
    ids = flat.get(question, [])
    totals = {
        at
        for at, value in enumerate(ids)
        if not _DIGIT.search(str(value)) and plain_name(str(value)) in TOTALS
    }
    if not totals:
        return flat
    return {
        name: [value for at, value in enumerate(column) if at not in totals]
        for name, column in flat.items()
    }


def _remark(
    meaning: str, chosen: _WideColumns, flat: Flat, unused: Sequence[str], *, unnamed: bool
) -> Above:
    """Remark on the columns used, those left out, and how to choose others."""
    wide = chosen.wide
    text = f"ide table: {len(wide)} columns are {meaning}s ({some_of(wide)})"
    text += f" of {some_of(list(dict.fromkeys(chosen.systems)))}" if chosen.systems else ""
    choose = mapping(meaning, "COLUMN,COLUMN")
    doubtful = [name for name in unused if _may_be_wide(flat[name]) and not is_no_system(name)]
    doubtful = [name for name in doubtful if name not in {*chosen.fractions, *chosen.derived}]
    numbered = differ_by_number(wide) if meaning == "system" else []
    # few columns of fractions among many others are rather measures than systems
    measured = len(unused) >= 2 * len(wide) and not any(_is_binary(flat[name]) for name in wide)
    scores = meaning == "system" and (measured or all(map(_SCORE_NAME.search, wide)))
    if not (doubtful or chosen.fractions or chosen.derived or numbered or scores):
        rest = f"; not used: {some_of(unused)}" if unused else ""
        rest += "; no column names the questions, so every row is one" if unnamed else ""
        return guess(
            f"W{text}{rest}",
            option=f"--map {meaning}=COLUMN,COLUMN",
            argument=f"{meaning}='COLUMN,COLUMN'",
        )
    reasons = [
        f"{name} is {how} in every row, and left out." for name, how in chosen.derived.items()
    ]
    if chosen.fractions:
        reasons.append(
            f"Left out, since they contain fractions while the others contain only right and "
            f"wrong: "
            f"{some_of(chosen.fractions)}."
        )
    if doubtful:
        reasons.append(
            f"Not used, although most of their values are outcomes: {some_of(doubtful)}."
        )
    if numbered:
        trials = mapping("trial", "COLUMN,COLUMN")
        reasons.append(
            f"{some_of(numbered)} differ only by a number: if they are trials of one system, list "
            f"them with {trials}."
        )
    if scores:
        outcome = mapping("outcome", wide[0])
        reasons.append(f"If they are scores of one system, choose one, for example {outcome}.")
    return warning(f"W{text}. {' '.join(reasons)} Choose the columns with {choose}.")


def _listed_columns(flat: Flat, assignment: Assignment) -> tuple[str, list[str]]:
    """Columns listed by the user as systems or trials, as in system=gpt,qwen."""
    for meaning in ("system", "trial", "question"):
        listed = assignment.get(meaning)
        if listed is None or listed in flat or "," not in listed:
            continue
        names = [name.strip() for name in listed.split(",") if name.strip()]
        lacking = [name for name in names if name not in flat]
        if lacking:
            raise UnknownColumn(
                f"the data have no column {lacking[0]!r}, which is listed among the {meaning}s; "
                f"there are: {some_of([name for name in flat if name not in HIDDEN], 30)}."
            )
        strange = [name for name in names if not _is_number_column(flat[name])]
        if strange:
            raise UnknownColumn(
                f"the column {strange[0]!r}, listed as a {meaning}, has no outcomes."
            )
        return meaning, names
    return "", []


def _is_number_column(column: Sequence[Any]) -> bool:
    return all(is_outcome(value) or number_in(str(value)) is not None for value in distinct(column))


def _choose(candidates: Sequence[str], flat: Flat) -> _WideColumns:
    """Choose the columns that are systems, by their names and values."""
    references = named_like(candidates, REFERENCES)
    answers = [name for name in candidates if name not in references and not is_no_system(name)]
    answers += named_like(candidates, PREDICTIONS)
    if references and answers:
        listed = mapping("system", "COLUMN,COLUMN")
        raise UnknownColumn(
            f"{no_outcome(answers[0], references[0])} List the columns with the outcomes of "
            f"systems with {listed}."
        )
    measures = named_like(candidates, MEASURES)
    no_systems = all(map(is_no_system, candidates))
    if len(measures) > 1 and (no_systems or not any(_is_binary(flat[n]) for n in candidates)):
        refuse_scorers(measures if no_systems else candidates)
    if rated := parts_of_answers(candidates, flat):
        refuse_scorers([name for name in rated if _is_number_column(flat[name])])
    if are_measures(candidates) or (len(candidates) > 1 and all(map(is_rater, candidates))):
        refuse_scorers(candidates)
    verdicts = [name for name in candidates if is_verdict(name)]
    if len(verdicts) > 1:  # columns with other names are something else
        candidates = verdicts
    if candidates and len(graded := graded_scores(flat)) > 1 and not {*graded} & {*candidates}:
        refuse_scorers(graded)
    by_name = [name for name in candidates if is_no_system(name) or is_answer_of(name)]
    rest = [name for name in candidates if name not in by_name]
    derived = derived_columns(rest, flat)
    rest = [name for name in rest if name not in derived]
    binary = [name for name in rest if _is_binary(flat[name])]
    fractions = [name for name in rest if name not in binary] if binary else []
    return _WideColumns(binary or rest, by_name, fractions, derived)


def _of_one_measure(wide: list[str], fractions: Sequence[str], flat: Flat) -> list[str]:
    """The columns of the only measure that all systems have; an error if there are several."""
    grid = measures_by_system([*wide, *fractions], list(flat))
    if grid is None or len(grid.measures) == 1:
        return wide if grid is None else grid.first
    listed = ",".join(grid.first)
    systems = mapping("system", listed)
    raise UnknownColumn(
        f"each of {some_of(grid.systems)} has {len(grid.measures)} measures "
        f"({some_of(grid.measures, 6)}), and their names do not tell which is the outcome. List "
        f"the columns of one measure, for example with {systems}."
    )


def _refuse_scores_of(wide: Sequence[str], flat: Flat) -> None:
    """Raise an error if columns may be scores of a single response instead of systems."""
    parts = {name.rpartition(".")[2]: name for name in reversed(flat)}
    response = next((parts[part] for part in named_like(reversed(parts), RESPONSES)), None)
    response = response or next((name for name in flat if is_response_beside(name, wide)), None)
    if response is None:
        return
    listed = ",".join(wide)
    systems = mapping("system", listed)
    raise UnknownColumn(
        f"every row has one {response!r}, so {some_of(wide)} may be its scores rather than systems."
        f" Choose the outcome, for example with {mapping('outcome', wide[0])}, or list the systems "
        f"with {systems}."
    )


def _refuse_totals(wide: Sequence[str], flat: Flat, system: str) -> None:
    """Raise an error for a leaderboard: a row per system, and its score on each benchmark."""
    if all(_is_binary(flat[name]) for name in wide) or len(wide) >= _FEW:
        return
    if len(differ_by_number(wide)) == len(wide):  # q1, q2 … are questions with partial credit
        return
    anyway = mapping("question", ",".join(wide))
    raise UnknownColumn(
        f"it has only totals, a score of each {system!r} for {some_of(wide)}, and an error bar "
        f"needs every question. Load the files with the outcome of each question; if these "
        f"columns are questions, list them with {anyway}."
    )


def _refuse_totals_by_name(wide: Sequence[str], flat: Flat, name: str) -> None:
    """Raise an error for a leaderboard whose names may be of systems: few rows, only shares."""
    names = flat[name]
    shares = (0 < worth < 1 for column in wide for worth in numbers_of(flat[column]).tolist())
    if len(names) >= _FEW or len(set(names)) < len(names) or not all(shares):
        return
    anyway = mapping("system", ",".join(wide))
    raise UnknownColumn(
        f"it has only totals, a score of each {name!r} for {some_of(wide)}, and an error bar needs "
        f"every question. Load the files with the outcome of each question; if every {name!r} is "
        f"a question and these columns are systems, list them with {anyway}."
    )


def refuse_scorers(names: Sequence[str]) -> NoReturn:
    """Error for rows with several scores, with advice on choosing one."""
    choose = mapping("outcome", names[0])
    systems = mapping("system", ",".join(names[:2]))
    raise UnknownColumn(
        f"every row has {len(names)} scores ({some_of(names, 6)}), and their names do not tell "
        f"which is the outcome. Choose one, for example {choose}; if they are systems, list them "
        f"with {systems}."
    )


def _is_binary(column: Sequence[Any]) -> bool:
    return all(
        isinstance(value, bool) or value in (0, 1) or _is_binary_text(value)
        for value in distinct(column)
        if not is_missing(value)
    )


def _is_binary_text(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    word = value.strip().lower()
    return word in NOTHING or known_word(word) in WORDS or number_in(word) in (0.0, 1.0)


def _find(flat: Flat, assignment: Assignment) -> Columns:
    names = [name for name in flat if name not in HIDDEN]
    return find_columns(
        names, assignment, USUAL, sample=lambda name: flat.get(name, [])[:_LOOKED_AT]
    )


def _refuse_steps(wide: Sequence[str], flat: Flat) -> None:
    """Raise an error for shares by step, epoch, seed or the like, such as a curve of training."""
    counters = [name for name in named_like(flat, COUNTERS) if name not in wide]
    if counters and not all(_is_binary(flat[name]) for name in wide):
        refuse_steps(counters[0])


def _meaning_of(wide: Sequence[str], columns: Columns, flat: Flat) -> str:
    """Role of the columns of a wide table: trials, systems, or questions with systems in rows."""
    rows = len(flat[wide[0]])
    if trials_in(wide) is not None:
        return "trial"
    if "system" in columns:
        single = "trial" in columns or len(set(flat[columns["system"]])) == rows
        numbered = len(differ_by_number(wide)) == len(wide)
        if columns["question"] == ROW and (single or numbered):
            return "question"
        raise InputError(
            f"there is a column for each of {some_of(wide)}, and {columns['system']!r} names "
            f"systems too; choose the outcome column, for example with "
            f"{mapping('outcome', wide[0])}."
            f"{advice_on(possible_outcomes(list(flat), lambda name: flat[name][:_LOOKED_AT]))}"
        )
    if columns["question"] in (INDEX, "index") and len(wide) > rows:
        raise InputError(
            f"the table has {rows} rows and {len(wide)} columns of outcomes, and it is unclear "
            f"which of them are systems. Name the first column question or system, or the index."
        )
    return "system"


def _is_wide(sample: Sequence[Any], column: Sequence[Any]) -> bool:
    """Whether a column has only outcomes between 0 and 1, and is filled in half of the rows."""
    if not all(map(_is_outcome, distinct(sample))) or not all(map(_is_outcome, distinct(column))):
        return False
    blank = {str(value): value for value in distinct(column) if not is_filled(value)}
    return 2 * sum(map(column.count, blank.values())) <= len(column) > 0


def _is_outcome(value: Any) -> bool:
    """Whether a value can be an outcome, perhaps with a decimal comma."""
    return is_outcome(_COMMA.sub(r"\1.\2", value) if isinstance(value, str) else value)


def _may_be_wide(column: Sequence[Any]) -> bool:
    """Whether most, but not all, values of a column are outcomes between 0 and 1."""
    some = list(filter(is_filled, column))
    return 2 * sum(map(is_outcome, some)) > len(some)
