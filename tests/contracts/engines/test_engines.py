"""Every engine and every kind of file gives the same answers, which plain counting gives too."""

from functools import cache
from pathlib import Path

import pytest

from conformance_cases import CASES, Answer, Case, ask, differences, expected
from conformance_engines import ENGINES, WRAPPED, arrow

_EACH = {case.name: case for case in CASES}

# Cases that the kind of a column can touch, asked of every engine; those that the wrapping of the
# same engine can touch; and all, asked of each backend that counts by its own means.
_TOUCHED = {
    *("awkward ids", "bare", "statuses", "kinds of slices", "traps of CSV", "empty"),
    "clusters of text",
}
_KINDS = _TOUCHED | {
    *("categories", "trials of text", "trials half known", "seeds from 4611686018427387904"),
    *("clusters of truth", "clusters of number, trials without a number", "weights of text"),
}
_BACKENDS = {"pandas inferred", "polars", "pyarrow", "CSV"}  # CSV stands for all of DuckDB

# Engines count by status; what a policy, a curve and short questions make of the counts is Python
# of any engine: one engine is asked for all of it, the others briefly.
_ASKED_ALL = {"pyarrow"}
_ASKED = [
    (engine, name)
    for engine in ENGINES
    for name in _EACH
    if engine in _BACKENDS or name in (_TOUCHED if engine in WRAPPED else _KINDS)
]


@pytest.mark.parametrize(("engine", "name"), _ASKED)
def test_engines_give_what_plain_counting_gives(engine: str, name: str, tmp_path: Path) -> None:
    whole = engine in _ASKED_ALL
    case = _case(name, whole=whole)
    answers = ask(case, ENGINES[engine](case.table.shuffled(seed=len(engine)), tmp_path))
    assert differences(answers, _counted(name, whole=whole)) == {}
    assert all(words in answers["score"]["says"] for words in case.saying)
    if case.table.rows:  # an empty file is called so, an empty table has no row
        assert answers == _in_words(name, whole=whole)


@pytest.mark.parametrize("engine", sorted(_BACKENDS))
def test_the_order_of_rows_never_shows(engine: str, tmp_path: Path) -> None:
    case = _case("awkward ids", whole=False)
    found = ask(case, ENGINES[engine](case.table.shuffled(seed=1), tmp_path))
    assert found == _in_words(case.name, whole=False)


def test_wrappings_and_cases_are_known() -> None:
    assert set(ENGINES) > WRAPPED
    assert set(ENGINES) > _BACKENDS > _ASKED_ALL
    assert set(_EACH) > _KINDS


def _case(name: str, *, whole: bool) -> Case:
    return _EACH[name] if whole else _EACH[name].briefly()


@cache
def _counted(name: str, *, whole: bool) -> Answer:
    return expected(_case(name, whole=whole))


@cache
def _in_words(name: str, *, whole: bool) -> Answer:
    """What one engine says, whose words and order the others must use."""
    case = _case(name, whole=whole)
    return ask(case, arrow(case.table))
