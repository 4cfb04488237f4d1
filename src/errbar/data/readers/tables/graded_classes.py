"""Compare the predictions of classifiers with the class in a label.

A prediction is right where it equals the label, case and spaces aside. Only classes are compared,
of which there are few: whether a free answer agrees with its reference is for a grader to say.
The label is a column with a usual name for one (`label`, `gold`, `y_true`). Predictions are the
columns that are named so (`prediction`, `pred_bert`, `bert_prediction`); without any, they are the
columns whose values are all classes of the label, a system each.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from errbar.base.remarks import Above, guess, mapping, some_of, warning
from errbar.data.columns import (
    PREDICTIONS,
    REFERENCES,
    SCORERS,
    USUAL,
    Sampler,
    named_like,
    plain_name,
)
from errbar.data.outcome_words import NOTHING, is_outcome
from errbar.data.queries.expressions import HIDDEN
from errbar.data.readers.tables.competing_outcomes import plain_value
from errbar.data.readers.tables.derived_columns import Flat, repeat_rows
from errbar.data.readers.tables.id_names import ASKED, is_called_id
from errbar.data.readers.tables.wide_names import (
    KINDS,
    is_answer,
    is_no_system,
    is_prediction,
    is_true_class,
    paired_reference,
    stem_of,
)
from errbar.errors import UnknownColumn

Assignment = Mapping[str, str | None]

_MOST_CLASSES = 50
_FEWEST_ROWS = 4
_OUTCOMES = frozenset(map(plain_name, ("outcome", *USUAL["outcome"]))) - REFERENCES
_SYSTEMS = frozenset(map(plain_name, ("system", *USUAL["system"])))
_IDS = frozenset(map(plain_name, ("question", *USUAL["question"], *ASKED)))
_UNSURE = frozenset({"label", "target", "expected", "actual"})  # names that an outcome may have


class ComparedLabels(NamedTuple):
    """Columns with an outcome, the number of rows made of each, and the remark."""

    flat: Flat
    often: int
    remark: Above


def grade_predictions(flat: Flat, assignment: Assignment) -> ComparedLabels | None:
    """Grade the predictions of a table that has a label and no outcome; None if it has none."""
    if {"outcome", "trials", "correct"} & {*assignment} or named_like(flat, _OUTCOMES):
        return None
    reference = _reference(flat, assignment)
    if reference is None:
        return None
    classes = _classes(flat[reference])
    systems = _systems(flat, reference, classes, assignment)
    if not systems:
        if "system" not in assignment:
            refuse_classes(reference, list(flat), flat.__getitem__)
        return None
    label = list(map(plain_value, flat[reference]))
    outcomes = {name: _compare_with_label(flat[name], label) for name in systems}
    remark = _remark(flat, reference, systems, classes)
    if list(systems.values()) == [""]:
        (only,) = outcomes.values()
        return ComparedLabels({**flat, "outcome": only}, 1, remark)
    kept = {name: column for name, column in flat.items() if name not in systems}
    often = len(systems)
    found = repeat_rows(kept, [often] * len(label))
    found["system"] = list(systems.values()) * len(label)
    rows = range(len(label))
    found["outcome"] = [outcomes[name][row] for row in rows for name in systems]
    if "answer" not in found:
        found["answer"] = [flat[name][row] for row in rows for name in systems]
    return ComparedLabels(found, often, remark)


def refuse_classes(outcome: str, present: Sequence[str], sample: Sampler | None) -> None:
    """Raise an error for a label next to other columns of its classes, which may predict it."""
    if sample is None or plain_name(outcome) not in REFERENCES:
        return
    classes = _classes(sample(outcome))
    others = _others(present, outcome, classes, sample)
    if not others or set(map(plain_name, present)) & _SYSTEMS:
        return
    label = list(map(plain_value, sample(outcome)))
    shares = [_mean(_compare_with_label(sample(name), label)) for name in others]
    agreed = ", ".join(f"{share:.4g}" for share in shares[:3])
    mean = _mean(_compare_with_label(["1"] * len(label), label))
    raise UnknownColumn(
        f"{outcome!r} and {some_of(others)} have the same {len(classes)} values. If {outcome!r} is "
        f"the true class and the others predict it, {mapping('target', outcome)} counts a "
        f"prediction as right where it equals it ({agreed} of the first rows). If {outcome!r} says "
        f"whether a row is right (mean {mean:.4g}), use {mapping('outcome', outcome)}. If each "
        f"column has the outcomes of a system, list them with "
        f"{mapping('system', ','.join(others))}."
    )


def _reference(flat: Flat, assignment: Assignment) -> str | None:
    """The column with the true class: as mapped, else the only one of few classes."""
    if "target" in assignment:
        target = assignment["target"]
        return target if target in flat and _classes(flat[str(target)]) else None
    pairs = [paired_reference(name, flat) for name in flat]
    names = dict.fromkeys([*(name for name in pairs if name), *_references(flat)])
    found = [name for name in names if _classes(flat[name])]
    alike = {tuple(map(plain_value, flat[name])) for name in found}
    return found[0] if len(alike) == 1 else None


def _references(flat: Flat) -> list[str]:
    """Columns called a true class; a key if another column is the id, and no correct_label of 0, 1.

    Whether a label was correct may be said by such a column.
    """
    has_id = any(name for name in flat if plain_name(name) in _IDS - {"key"} or is_called_id(name))
    return [
        name
        for name in flat
        if (plain_name(name) == "key" and has_id)
        or plain_name(name) in REFERENCES
        or (is_true_class(name) and not _is_binary(flat[name]))
    ]


def _classes(column: Sequence[Any]) -> set[str]:
    """The classes of a label; none if there are too many, as of free answers."""
    if any(isinstance(value, list | dict) for value in column):
        return set()
    some = [text for text in map(plain_value, column) if text not in NOTHING]
    classes = set(some)
    few = 2 <= len(classes) <= min(_MOST_CLASSES, len(some) // 2)
    return classes if few and len(some) >= _FEWEST_ROWS else set()


def _systems(
    flat: Flat, reference: str, classes: set[str], assignment: Assignment
) -> dict[str, str]:
    """Columns of predictions and the systems they are of; '' for the only one."""
    listed = assignment.get("system") or ""
    if "," in listed and listed not in flat:
        names = [name.strip() for name in listed.split(",") if name.strip() in flat]
        outcomes = "target" not in assignment and all(_is_binary(flat[name]) for name in names)
        return {} if outcomes else {name: name for name in names}
    answer = assignment.get("answer")
    if answer in flat:
        return {str(answer): ""}
    paired = [name for name in flat if paired_reference(name, flat) == reference]
    named = [*paired, *(name for name in flat if name != reference and is_prediction(name))]
    named = [name for name in dict.fromkeys(named) if _mostly(flat[name], classes)]
    systems = {name: "" if name in paired else _predicting_system(name) for name in named}
    if len(named) > 1 and (not all(systems.values()) or len({*systems.values()}) < len(systems)):
        if len({tuple(map(plain_value, flat[name])) for name in named}) > 1:
            _refuse_choice(named, reference)
        return {named[0]: ""}
    sure = plain_name(reference) not in _UNSURE or "target" in assignment
    if systems or (not sure and _is_binary(flat[reference])):
        return systems
    others = _others(flat, reference, classes, flat.__getitem__)
    if len(others) == 1 and (is_answer(others[0]) or named_like(flat, _SYSTEMS)):
        return {others[0]: ""}
    inside = {name: _predicting_system(name) for name in others if "." in name}
    short = len({*inside.values()}) == len(others)
    return inside if short else {name: name for name in others}


def _predicting_system(name: str) -> str:
    """The system in the name of a column of predictions; empty if it names none.

    Examples
    --------
    >>> [_predicting_system(name) for name in ("pred_bert", "gpt-4o_prediction", "pred_label")]
    ['bert', 'gpt-4o', '']
    >>> [_predicting_system(name) for name in ("answers.gpt-4.1.pred", "gpt-4.1.pred")]
    ['gpt-4.1', 'gpt-4.1']
    """
    if plain_name(name) in PREDICTIONS:
        return ""
    inside, _, last = name.strip().rpartition(".")
    if inside and plain_name(last) in PREDICTIONS:  # answers.gpt-4.1.pred
        within = inside.partition(".")[2]
        return within if within[:1].isalpha() else inside
    words = [word for word in re.split(r"[\s_]+", name.strip()) if word]
    named = [word for word in words if plain_name(word) not in PREDICTIONS | KINDS]
    return "_".join(named)


def _refuse_choice(named: Sequence[str], reference: str) -> NoReturn:
    """Error for several columns of predictions whose names do not tell the systems."""
    raise UnknownColumn(
        f"{some_of(named)} may be compared with {reference!r}. Choose one with "
        f"{mapping('answer', named[0])}, or list those of systems with "
        f"{mapping('target', reference)} and {mapping('system', ','.join(named))}."
    )


def _candidates(names: Iterable[str], reference: str) -> list[str]:
    """Columns that may be named after a system."""
    return [
        name
        for name in names
        if name not in {reference, *HIDDEN}
        and plain_name(name) not in _IDS | SCORERS
        and stem_of(name) not in SCORERS
        and not is_called_id(name)
        and not is_no_system(name)
    ]


def _others(names: Iterable[str], reference: str, classes: set[str], sample: Sampler) -> list[str]:
    """Columns whose values are all classes of the label, if one of them has several."""
    found: dict[str, set[str]] = {}
    for name in _candidates(names, reference):
        if any(isinstance(value, list | dict) for value in sample(name)):
            continue
        values = set(map(plain_value, sample(name))) - {*NOTHING}
        if values and values <= classes:
            found[name] = values
    return list(found) if any(len(values) > 1 for values in found.values()) else []


def _mostly(column: Sequence[Any], classes: set[str]) -> bool:
    """Whether at least half of the predictions are classes of the label."""
    if any(isinstance(value, list | dict) for value in column):
        return False
    texts = [text for text in map(plain_value, column) if text not in NOTHING]
    return 0 < len(texts) <= 2 * sum(text in classes for text in texts)


def _is_binary(column: Sequence[Any]) -> bool:
    texts = set(map(plain_value, column)) - {*NOTHING}
    return bool(texts) and all(map(is_outcome, texts))


def _compare_with_label(predictions: Sequence[Any], label: Sequence[str]) -> list[int | None]:
    """1 where a prediction equals the label, 0 where it does not, None where one is missing."""
    return [
        None if text in NOTHING or true in NOTHING else int(text == true)
        for text, true in zip(map(plain_value, predictions), label, strict=True)
    ]


def _mean(outcomes: Sequence[int | None]) -> float:
    some = [outcome for outcome in outcomes if outcome is not None]
    return sum(some) / len(some) if some else float("nan")


def _remark(flat: Flat, reference: str, systems: Mapping[str, str], classes: set[str]) -> Above:
    """Remark on what was compared, and on predictions that are no class of the label."""
    names = list(systems)
    if list(systems.values()) == [""]:
        text = f"{names[0]!r} is right where it equals {reference!r}"
    else:
        text = f"{some_of(names)} are right where they equal {reference!r}"
        text += (
            f"; the systems are {some_of(systems.values())}" if names != [*systems.values()] else ""
        )
    strange = [
        value
        for name in names
        for value in flat[name]
        if plain_value(value) not in classes | {*NOTHING}
    ]
    empty = _if_empty_counts(flat, reference, names)
    if not strange and not empty:
        return guess(
            f"Outcomes: {text}", option="--map outcome=COLUMN", argument="outcome='COLUMN'"
        )
    if strange:
        kinds = some_of([repr(value) for value in dict.fromkeys(strange)], 3)
        empty = (
            f" {len(strange)} predictions are none of its {len(classes)} classes ({kinds}) and "
            f"count as wrong.{empty}"
        )
    return warning(f"Outcomes: {text}.{empty} Another column says it: {mapping('outcome')}.")


def _if_empty_counts(flat: Flat, reference: str, names: Sequence[str]) -> str:
    """The mean if an empty label is an answer of its own; empty if no label is."""
    label = list(map(plain_value, flat[reference]))
    empty = sum(true in NOTHING for true in label)
    if not empty:
        return ""
    same = [
        value == true or {value, true} <= {*NOTHING}
        for name in names
        for value, true in zip(map(plain_value, flat[name]), label, strict=True)
    ]
    return (
        f" {reference!r} is empty in {empty} rows, which have no outcome; if empty is an answer of "
        f"its own, fill it in every column (mean of all rows {sum(same) / len(same):.4g})."
    )
