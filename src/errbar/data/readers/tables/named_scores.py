"""Several scores of one response, which are no trials.

Lists of scores with their names become objects: `[{"name": "accuracy", "value": 1}, …]`. The tests
that a program passed, as a list or as a number of all, make it right if it passed all of them.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from errbar.base.remarks import Above, warning
from errbar.data.columns import ANSWERS, SCORERS, SCORES, named_like, plain_name
from errbar.data.readers.tables.competing_outcomes import worth_of
from errbar.data.readers.tables.derived_columns import Flat
from errbar.data.readers.tables.nested_names import names_in_parts

_NAMES = SCORERS | {"name", "key", "type"}
_VALUES = frozenset({"value", "score", "rating", "grade", "result", "passed", "correct"})
_LOOKED_AT = 500  # rows inspected to classify a column


def with_named_scores(flat: Flat) -> Flat:
    """Columns of lists of named scores as columns of objects, with a score under each name.

    Examples
    --------
    >>> with_named_scores({"scores": [[{"name": "exact", "value": 1}]]})
    {'scores': [{'exact': 1}]}
    """
    found = {}
    for name in flat:
        if plain_name(str(name).rpartition(".")[2]) not in SCORES:
            continue
        keys = _keys_of(flat[name][:_LOOKED_AT])
        if keys is not None:
            found[name] = [_as_object(value, *keys) for value in flat[name]]
    return {**flat, **found} if found else flat


def _keys_of(lists: Sequence[Any]) -> tuple[str, str] | None:
    """The key of the name and that of the score, if every entry has both and names differ."""
    some = [value for value in lists if value is not None]
    if not some or not all(isinstance(value, list) for value in some):
        return None
    entries = [entry for value in some for entry in value]
    if not entries or not all(isinstance(entry, Mapping) for entry in entries):
        return None
    names, values = (named_like(entries[0], known) for known in (_NAMES, _VALUES))
    if not names or not values:
        return None
    name, score = names[0], values[0]
    if not all(isinstance(entry.get(name), str) and score in entry for entry in entries):
        return None
    apart = all(len({entry[name] for entry in value}) == len(value) for value in some)
    return (name, score) if apart else None


def _as_object(value: Any, name: str, score: str) -> dict[str, Any]:
    entries = value if isinstance(value, list) else []
    return {str(entry.get(name)): entry.get(score) for entry in entries}


def is_numbered(lists: Sequence[Sequence[Mapping[str, Any]]], keys: Collection[str]) -> bool:
    """Whether a field numbers or names the entries, as the turns of a conversation; not as trials.

    Its values differ within a list and are the same in all lists.
    """
    longest = max(lists, key=len)
    for key in keys:
        values = [str(entry.get(key)) for entry in longest]
        repeats = len(values) == 1 or len(set(values)) < len(values)
        if repeats or any(names_in_parts([key], meaning) for meaning in ("trial", "outcome")):
            continue
        if all(
            [str(entry.get(key)) for entry in entries] == values[: len(entries)]
            for entries in lists
        ):
            return len(lists) > 1
    return False


_TESTS = re.compile(
    r"(?:.*[_\s.])?(?:tests?|test_?cases?|checks|assertions)(?:[_\s].*)?", re.IGNORECASE
)
_PASSED = re.compile(
    r"(?:n_|num_|number_of_)?(?:passed_(?:tests?|test_cases)|(?:tests?|test_cases)_passed)"
    r"|passed_(?:checks|assertions)|(?:checks|assertions)_passed",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"(?:n_|num_|number_of_|total_)?(?:tests?|test_cases|checks|assertions)(?:_total|_run|_count)?",
    re.IGNORECASE,
)
_FAILED = re.compile(r"failed_(?:tests?|test_cases|checks)|(?:tests?|checks)_failed", re.IGNORECASE)


def is_about_tests(name: str) -> bool:
    """Whether a name is that of what the tests of an answer say.

    Examples
    --------
    >>> [is_about_tests(name) for name in ("tests_passed", "unit_test_results", "contest")]
    [True, True, False]
    """
    return _TESTS.fullmatch(name) is not None


def counts_tests(value: Mapping[str, Any]) -> bool:
    """Whether an object has what the tests of one answer say beside their number."""
    return sum(map(is_about_tests, map(str, value))) > 1


def graded_by_tests(flat: Flat, tests: Sequence[str]) -> tuple[Flat, Above] | None:
    """A program is right if it passed all of its tests; None if no column has what they say."""
    for name in tests:
        column, shares = flat[name], None
        if (shares := _shares_in_lists(column)) is not None:
            what = repr(name)
        elif _PASSED.fullmatch(name):
            others = [other for other in tests if other != name]
            every = next(filter(_ALL.fullmatch, others), None)
            failed = next(filter(_FAILED.fullmatch, others), None)
            partner = every or failed
            if partner is None:
                continue
            shares = _shares_of_counts(column, flat[partner], are_all=partner == every)
            what = f"{name!r} and {partner!r}"
        if shares is None:
            continue
        some = [share for share in shares if share is not None]
        right = [None if share is None else float(share == 1) for share in shares]
        solved = fmean(share == 1 for share in some)
        remark = warning(
            f"{what}: a row counts as right if it passed all of its tests (mean of all rows "
            f"{solved:.4g}); the mean share of tests passed is {fmean(some):.4g}. If that share is "
            f"the score, add a column with it, called score."
        )
        return {**flat, "outcome": right}, remark
    return None


def _shares_in_lists(column: Sequence[Any]) -> list[float | None] | None:
    """The share of tests passed, if there are lists of what each test says; None if not."""
    lists = [value for value in column if isinstance(value, list) and value]
    tests = [[_verdict_of(entry) for entry in value] for value in lists]
    if not tests or any(worth not in (0.0, 1.0) for each in tests for worth in each):
        return None
    return [
        fmean(_verdict_of(entry) or 0.0 for entry in value)
        if isinstance(value, list) and value
        else None
        for value in column
    ]


def _verdict_of(entry: Any) -> float | None:
    """The verdict of a test, also in an object: {"name": "test_add", "passed": true}."""
    if not isinstance(entry, Mapping):
        return worth_of(entry)
    said = {plain_name(str(key)): value for key, value in entry.items()}
    return next((worth_of(said[name]) for name in _VERDICTS if name in said), None)


_VERDICTS = ("passed", "pass", "correct", "success", "ok", "status", "outcome", "result")


def _shares_of_counts(
    passed: Sequence[Any], others: Sequence[Any], *, are_all: bool
) -> list[float | None] | None:
    """The share of tests passed, by their number and that of all or of the failed ones."""
    shares: list[float | None] = []
    for some, more in zip(passed, others, strict=True):
        numbers = [
            len(value) if isinstance(value, list) else worth_of(value) for value in (some, more)
        ]
        if None in numbers:
            shares.append(None)
            continue
        right, rest = (number or 0.0 for number in numbers)
        tests = rest if are_all else right + rest
        if not 0 <= right <= tests or right % 1 or tests % 1:
            return None
        shares.append(right / tests if tests else None)
    return shares if any(share is not None for share in shares) else None


def parts_of_answers(names: Sequence[str], every: Iterable[str]) -> list[str]:
    """All parts of the object of answers that names are in, as Answer.fluent of Mechanical Turk.

    Examples
    --------
    >>> parts_of_answers(["Answer.fluent"], ["Input.id", "Answer.fluent", "Answer.rating"])
    ['Answer.fluent', 'Answer.rating']
    >>> parts_of_answers(["gpt", "qwen"], ["gpt", "qwen"])
    []
    """
    groups = {plain_name(name.partition(".")[0]) if "." in name else "" for name in names}
    if len(groups) != 1 or not groups <= ANSWERS:
        return []
    return [name for name in every if plain_name(name.partition(".")[0]) in groups]
