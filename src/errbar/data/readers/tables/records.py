"""Flatten nested and wide data into columns with a row per trial.

Outcomes may be in lists (`"correct": [true, false]`), inside other objects
(`"scores": {"accuracy": 1}`), keyed by question (`"responses": {"q1": 1}`), or in a column per
system. Each of these has a conversion step, and each step adds a remark.
"""

from collections.abc import Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from errbar.base.remarks import Above, guess
from errbar.data.columns import (
    ANSWERS,
    INDEX,
    MEASURES,
    RESPONSES,
    ROW,
    SCORES,
    USUAL,
    USUAL_COUNTS,
    is_flag,
    named_like,
    plain_name,
)
from errbar.data.queries.expressions import FILE, HIDDEN, Columns
from errbar.data.readers.tables.column_choice import find_columns
from errbar.data.readers.tables.counted_rows import are_counts
from errbar.data.readers.tables.derived_columns import (
    Flat,
    columns_of,
    flatten_objects,
    holds,
    repeat_rows,
    row_numbers,
)
from errbar.data.readers.tables.derived_counts import with_right_trials, with_tallies
from errbar.data.readers.tables.graded_classes import Assignment, grade_predictions
from errbar.data.readers.tables.id_names import is_id_inside, is_prose
from errbar.data.readers.tables.keyed_records import (
    are_distributions,
    are_outcomes_by_id,
    as_trials,
    by_system,
    has_records,
    role_of_keys,
    with_labels,
)
from errbar.data.readers.tables.named_scores import (
    graded_by_tests,
    is_about_tests,
    is_numbered,
    with_named_scores,
)
from errbar.data.readers.tables.nested_names import hides_names, names_in_parts
from errbar.data.readers.tables.printed_values import answers_as_text, parse_columns
from errbar.data.readers.tables.wide_names import TRIAL_NAME, is_event
from errbar.data.readers.tables.wide_tables import melt, refuse_scorers
from errbar.errors import UnknownColumn

_LOOKED_AT = 500  # rows inspected to classify a column
_ANY_ID = frozenset({"id", "uid", "key", "name", "index", "idx", plain_name(INDEX)})


class TidyColumns(NamedTuple):
    """Flat columns with their meanings, and remarks on the conversion."""

    flat: Flat
    columns: Columns
    remarks: list[Above]


def tidy(flat: Flat, assignment: Assignment, *, named: bool = True) -> TidyColumns:
    """Flatten columns of any nesting to one outcome per row.

    Unless rows are `named` by an outcome, one of their columns or of their parts must be.
    """
    if not named:
        _require_outcome(flatten_objects(flat), assignment)
    remarks: list[Above] = []
    flat = with_named_scores(answers_as_text(parse_columns(flat)))
    unpacked = _by_tests(flat, assignment) or _unpack_lists(flat) or _attempts(flat, assignment)
    unpacked = unpacked or _by_system(flat, assignment)
    if unpacked is not None:
        flat, remark = unpacked
        remarks.append(remark)
    columns = _find_meanings(flat, assignment)
    if columns is not None and "correct" in columns and not {"trials", "correct"} & {*assignment}:
        # counts next to the outcomes that they are the totals of
        counts = {columns["trials"], columns["correct"]}
        inside = _spread({name: flat[name] for name in flat if name not in counts}, assignment)
        if inside is not None:
            flat, remark = inside
            remarks.append(remark)
            columns = _find_meanings(flat, assignment)
    if columns is not None and _hides_names(flat, columns, assignment):
        flat = flatten_objects(flat)
        columns = _find_meanings(flat, assignment)
    if columns is None and any(holds(column, dict) for column in flat.values()):
        spread = _spread(flat, assignment)
        if spread is None:
            flat = _flattened(flat, assignment)
            spread = with_tallies(flat, assignment)
        if spread is not None:
            flat, remark = spread
            remarks.append(remark)
        columns = _find_meanings(flat, assignment)
    if columns is None:
        _refuse_scorers(flat, assignment)
        melted = _grade_predictions(flat, assignment) or with_right_trials(flat, assignment)
        melted = melted or melt(flat, assignment)
        if melted is not None:
            flat, remark = melted
            remarks.append(remark)
            columns = _find_meanings(flat, assignment)
    if columns is None:
        columns = _find(flat, assignment, scored=True)  # or an error that names what is missing
    if "outcome" in columns and holds(flat[columns["outcome"]], list):
        flat, columns, remark = _explode(flat, columns, assignment)
        remarks.append(remark)
    return TidyColumns(flat, columns, remarks)


def _flattened(flat: Flat, assignment: Assignment) -> Flat:
    """Columns of nested objects, but for probabilities of classes, of which nobody named one."""
    kept = {
        name: column
        for name, column in flat.items()
        if holds(column, dict) and are_distributions(column)
        if not any((mapped or "").startswith(f"{name}.") for mapped in assignment.values())
    }
    return flatten_objects({name: flat[name] for name in flat if name not in kept}) | kept


def _require_outcome(flat: Flat, assignment: Assignment) -> None:
    """Raise an error that names the columns if none of them or of their parts is an outcome."""
    if not names_in_parts(chain.from_iterable(name.split(".") for name in flat), "outcome"):
        _find(flat, assignment)


def _grade_predictions(flat: Flat, assignment: Assignment) -> tuple[Flat, Above] | None:
    """The predictions of classifiers, compared with the class in a label."""
    made = grade_predictions(flat, assignment)
    if made is None:
        return None
    found = made.flat
    if made.often > 1 and _find(found, assignment)["question"] == ROW:
        rows = len(next(iter(flat.values())))
        found |= repeat_rows({"question": row_numbers(flat, rows)}, [made.often] * rows)
    return found, made.remark


def _by_tests(flat: Flat, assignment: Assignment) -> tuple[Flat, Above] | None:
    """Outcomes from tests: without another outcome, an answer is right if it passed its tests."""
    if "outcome" in assignment or any(names_in_parts([name], "outcome") for name in flat):
        return None
    tests = [name for name in flat if is_about_tests(name)]
    if not tests or _question_of({n: flat[n] for n in flat if n not in tests}, {}) == ROW:
        return None
    return graded_by_tests(flat, tests)


def _by_system(flat: Flat, assignment: Assignment) -> tuple[Flat, Above] | None:
    """A row for each system whose record is in an object, if the row names its question."""
    others = {name: column for name, column in flat.items() if not holds(column, dict)}
    named = [name for name in flat if name in others or not has_records(flat[name])]
    if {"outcome", "system"} & {*assignment} or any(
        names_in_parts([name], meaning) for name in named for meaning in ("outcome", "system")
    ):
        return None
    if len(others) == len(flat):
        return None
    if _find({**others, "outcome": []}, {})["question"] == ROW:
        return None
    return by_system(flat)


def _refuse_scorers(flat: Flat, assignment: Assignment) -> None:
    """Raise an error if a row has several scores and none has a known name."""
    parts = [name for name in flat if plain_name(name.partition(".")[0]) in SCORES and "." in name]
    if {"outcome", "system", "trial"} & assignment.keys() or len(parts) < 2:
        return
    refuse_scorers(parts)


def _hides_names(flat: Flat, columns: Columns, assignment: Assignment) -> bool:
    """Whether a nested object has a name that no column has: metadata.model, meta.task_id."""
    keys = {
        name: {str(key).lower() for value in column[:_LOOKED_AT] for key in value or ()}
        for name, column in flat.items()
        if holds(column, dict)
    }
    if hides_names(keys, columns, assignment):
        return True
    ids = {name for name in USUAL["question"] if is_id_inside(name)}
    inside = chain.from_iterable(keys.values())
    return columns.named.get("question") == ROW and not ids.isdisjoint(inside)


def _unpack_lists(flat: Flat) -> tuple[Flat, Above] | None:
    """A row per object in a column of lists, if the objects have outcomes and the rows do not."""
    if any(names_in_parts([name], "outcome") for name in flat):
        return None
    for name, column in flat.items():
        if not holds(column, list) or not _are_records(column):
            continue
        lists = [value if isinstance(value, list) and value else [{}] for value in column]
        # scores beside the list are its totals
        totals = [other for other in named_like(flat, SCORES) if holds(flat[other], dict)]
        others = {key: flat[key] for key in flat if key not in {name, *totals}}
        found = repeat_rows(others, [len(entries) for entries in lists])
        for key, values in columns_of(entry for entries in lists for entry in entries).items():
            found[key if key not in found else f"{name}.{key}"] = values
        labelled = with_labels(found, name, lists)
        if labelled is not None:
            return found, labelled
        keys = {key for entries in lists for entry in entries for key in entry}
        if names_in_parts(keys, "question") or is_numbered(lists, keys):
            return found, guess(f"Rows: the entries of the lists in {name!r}")
        if not any(names_in_parts([key], "trial") for key in found):
            found["trial"] = [at + 1 for entries in lists for at in range(len(entries))]
        return found, as_trials(f"the entries of the lists in {name!r}")
    return None


def _attempts(flat: Flat, assignment: Assignment) -> tuple[Flat, Above] | None:
    """A row per column of objects with outcomes, such as attempt_1, attempt_2."""
    names = [
        name
        for name, column in flat.items()
        if TRIAL_NAME.fullmatch(name.strip())
        and _are_records([[value] for value in column if value])
    ]
    if len(names) < 2 or {"outcome", "trial"} & {*assignment}:
        return None
    others = {name: values for name, values in flat.items() if name not in names}
    rows = zip(*(flat[name] for name in names), strict=True)
    made = [[(name, cell) for name, cell in zip(names, row, strict=True) if cell] for row in rows]
    sizes = [len(entries) for entries in made]
    found = repeat_rows(others, sizes)
    for key, values in columns_of(cell for entries in made for _, cell in entries).items():
        found[key if key not in found else f"{names[0]}.{key}"] = values
    found["trial"] = [name for entries in made for name, _ in entries]
    found = flatten_objects(found)
    if _find({**found, "outcome": []}, assignment)["question"] == ROW:
        found |= repeat_rows({"question": row_numbers(flat, len(sizes))}, sizes)
    return found, as_trials(f"the columns {', '.join(names)}")


def _are_records(column: Sequence[Any]) -> bool:
    """Whether lists contain objects with an outcome."""
    some = [value for value in column[:_LOOKED_AT] if isinstance(value, list) and value]
    return bool(some) and all(
        isinstance(entry, dict) and names_in_parts(entry, "outcome")
        for value in some
        for entry in value
    )


def sample_of(flat: Flat, name: str) -> list[Any]:
    """Some values of a column."""
    return flat.get(name, [])[:_LOOKED_AT]


def _find(flat: Flat, assignment: Assignment, *, scored: bool = False) -> Columns:
    names = [name for name in flat if name not in HIDDEN]
    sample = partial(sample_of, flat)
    usual = USUAL_COUNTS if are_counts(names, assignment, sample) else USUAL
    return find_columns(names, assignment, usual, sample=sample, scored=scored)


def _find_meanings(flat: Flat, assignment: Assignment) -> Columns | None:
    """Column meanings, if there is a question and an outcome."""
    try:
        columns = _find(flat, assignment)
    except UnknownColumn:
        return None
    for meaning in ("outcome", "question"):
        name = columns.named.get(meaning)
        if name in flat and holds(flat[name], dict) and meaning not in assignment:
            return None
    return columns


def _spread(flat: Flat, assignment: Assignment) -> tuple[Flat, Above] | None:
    """A row per entry of a column of objects that map question ids to outcomes."""
    for name, column in flat.items():
        if not holds(column, dict) or not are_outcomes_by_id(column):
            continue
        others = {other: values for other, values in flat.items() if other != name}
        own = _question_of(others, assignment)
        if _are_metrics(name, flat, own, assignment):
            continue
        if own == ROW and _repeat_names(others, assignment):
            continue  # the same questions of the same system again
        if are_distributions(column):
            continue  # the probabilities of classes
        entries = [list(value.items()) if isinstance(value, dict) else [] for value in column]
        found = repeat_rows(others, [len(pairs) for pairs in entries])
        ids = [str(key) for pairs in entries for key, _ in pairs]
        values = [value for pairs in entries for _, value in pairs]
        if holds(values, dict):
            found |= {key: [value.get(key) for value in values] for key in values[0]}
        else:
            found["outcome"] = values
        role, remark = role_of_keys(name, ids, len(column), own, others)
        found[role] = ids
        if "system" not in found and "subject_id" in found:
            found["system"] = found.pop("subject_id")
        return found, remark
    return None


def _question_of(others: Flat, assignment: Assignment) -> str:
    """The column with the ids of rows, beside an object of outcomes; `ROW` if there is none."""
    rest = {meaning: column for meaning, column in assignment.items() if meaning != "outcome"}
    try:
        return _find({**others, "outcome": []}, rest)["question"]
    except UnknownColumn:
        return ROW


def _repeat_names(others: Flat, assignment: Assignment) -> bool:
    """Whether rows that name their system or trial name the same ones again."""
    rest = {meaning: column for meaning, column in assignment.items() if meaning != "outcome"}
    columns = _find({**others, "outcome": []}, rest)
    keys = [columns[meaning] for meaning in ("system", "task", "trial") if meaning in columns]
    keys += [FILE] if keys and FILE in others else []
    names = list(zip(*(map(str, others[key]) for key in keys), strict=True))
    return len({*names}) < len(names)


def _are_metrics(name: str, flat: Flat, question: str, assignment: Assignment) -> bool:
    """Whether the keys of objects are metrics, since the row itself names its question.

    Half of them may be flags (format_ok, has_source), unless every row is of another system.
    """
    if any((column or "").startswith(f"{name}.") for column in assignment.values()):
        return True
    column = flat[name]
    keys = {str(key) for value in column if isinstance(value, dict) for key in value}
    if plain_name(name) in SCORES and named_like(keys, MEASURES):
        return True
    flags = 2 * sum(is_flag(key) or is_event(key) for key in keys) >= len(keys) > 1
    if flags and not (question == ROW and _has_names(flat)):
        return True
    if question == ROW:
        return False
    if plain_name(name) not in SCORES:
        return plain_name(question) not in _ANY_ID  # which may name a run as well
    numbered = all(any(letter.isdigit() for letter in key) for key in keys)
    return len(column) > len(keys) or not numbered


def _has_names(flat: Flat) -> bool:
    """Whether every row has a name of its own, such as that of a system, beside no response."""
    return not named_like(flat, RESPONSES | ANSWERS) and any(
        all(isinstance(value, str) for value in column)
        and len({*column}) == len(column)
        and not is_prose(column)
        for column in flat.values()
    )


def _explode(flat: Flat, columns: Columns, assignment: Assignment) -> tuple[Flat, Columns, Above]:
    """A row per entry of the lists in the outcome column."""
    name = columns["outcome"]
    lists = flat[name]
    if {*map(type, lists)} != {list} or not all(lists):
        lists = [value if isinstance(value, list) and value else [None] for value in lists]
    sizes = list(map(len, lists))
    others = {column: values for column, values in flat.items() if column != name}
    found = repeat_rows(others, sizes)
    aside = ""
    for other, values in flat.items():  # lists of the same length are split too: answers, costs
        if other != name and holds(values, list) and [len(v or ()) for v in values] == sizes:
            split = [entry for value in values for entry in value]
            if other == columns.named.get("system") and "system" not in assignment:
                grader = len({*map(str, split)}) == 1  # one name for every score of every row
                aside = f"; {other!r} ({split[0]}) graded them and is no system" if grader else ""
                found.pop(other)
                found[f"{other} of the grader" if grader else other] = split
                continue
            found[other] = split
    usual = "outcome" in assignment or names_in_parts([name.rpartition(".")[2]], "outcome")
    found[name if usual else "outcome"] = list(chain.from_iterable(lists))
    most = max(sizes)
    numbers = [range(1, size + 1) for size in range(most + 1)]
    position = list(chain.from_iterable(map(numbers.__getitem__, sizes)))
    trial = columns.named.get("trial")
    if trial is not None:
        pairs = zip(found[trial], position, strict=True)
        found[trial] = [f"{trial_name}/{at}" for trial_name, at in pairs]
    else:
        found["trial"] = position
    each = f"{most}" if min(sizes) == most else f"{min(sizes)} to {most}"
    remark = as_trials(f"the entries of the lists in {name!r}, {each} per row{aside}")
    return found, _find(found, assignment), remark
