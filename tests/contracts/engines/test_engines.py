"""Every engine and every kind of file gives the same answers, which plain counting gives too."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from conformance_cases import CASES, Answer, Case, ask, differences, expected
from conformance_engines import ENGINES, WRAPPED, arrow

_EACH = {case.name: case for case in CASES}

# Cases that the wrapping of the same engine can touch.
_TOUCHED = {
    *("awkward ids", "bare", "statuses", "kinds of slices", "traps of CSV", "empty"),
    "clusters of text",
}
# Short questions are dealt with in Python, after the engine has counted: two engines are asked for
# all that may be done with them, the others for the first.
_ASKED_ALL = {"pyarrow", "CSV"}
_ASKED = [
    (engine, name)
    for engine in ENGINES
    for name in _EACH
    if engine not in WRAPPED or name in _TOUCHED
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


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("engine", ["pandas inferred", "polars", "pyarrow", "DuckDB table", "CSV"])
def test_the_order_of_rows_never_shows(engine: str, seed: int, tmp_path: Path) -> None:
    case = _case("awkward ids", whole=False)
    found = ask(case, ENGINES[engine](case.table.shuffled(seed), tmp_path))
    assert found == _in_words(case.name, whole=False)


def test_wrappings_and_cases_are_known() -> None:
    assert set(ENGINES) > WRAPPED
    assert set(ENGINES) > _ASKED_ALL
    assert set(_EACH) > _TOUCHED


def _case(name: str, *, whole: bool) -> Case:
    case = _EACH[name]
    return case if whole else replace(case, short=case.short[:1])


@cache
def _counted(name: str, *, whole: bool) -> Answer:
    return expected(_case(name, whole=whole))


@cache
def _in_words(name: str, *, whole: bool) -> Answer:
    """What one engine says, whose words and order the others must use."""
    case = _case(name, whole=whole)
    return ask(case, arrow(case.table))
