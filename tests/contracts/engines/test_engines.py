"""Every engine and every kind of file gives the same answers, which plain counting gives too."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from conformance_cases import CASES, Answer, Case, ask, differences, expected
from conformance_engines import (
    BACKENDS,
    ENGINES,
    PLANNED,
    SEPARATED,
    WARNINGS_OF_IBIS,
    WRAPPED,
    arrow,
)
from errbar.analysis.score import Errors

pytestmark = [
    pytest.mark.usefixtures("short_chains"),  # both sides have the same posterior
    pytest.mark.filterwarnings(*WARNINGS_OF_IBIS),
]

_EACH = {case.name: case for case in CASES}

# Cases that the kind of a column can touch, asked of every engine; those that the wrapping of the
# same engine can touch; and all, asked of DuckDB and in turn of one of the backends in memory,
# which count by the same expressions of narwhals.
_TOUCHED = {"awkward ids", "bare", "statuses", "kinds of slices", "traps of CSV", "empty"}
_KINDS = _TOUCHED | {
    "clusters of text",
    *("categories", "trials of text", "trials half known", "seeds from 4611686018427387904"),
    *("clusters of number, trials without a number", "weights of text"),
}

# What a plan can get wrong: nulls of every kind, NaN, truth as text, long trial numbers, repeats.
# Dask takes a second to plan a case and runs pandas, which is asked all of them.
_TYPES = {"statuses", "kinds of slices"}
_IN_A_PLAN = _TYPES | {
    "bare",
    *("clusters of number, trials without a number", "weights of text", "numbered twice"),
    "seeds from 4611686018427387904",
}


def _cases_of(engine: str) -> set[str]:
    """The cases that are asked of an engine that does not count by its own means."""
    if engine in PLANNED:
        return _IN_A_PLAN if engine != "Dask" else _TYPES
    return _TOUCHED if engine in WRAPPED else _KINDS


def _is_asked(engine: str, place: int, name: str) -> bool:
    if name == "traps of CSV" and engine not in SEPARATED.union(BACKENDS):
        return False
    if engine not in BACKENDS:
        return name in _cases_of(engine)
    in_memory = [backend for backend in BACKENDS if backend != "CSV"]
    in_turn = {"CSV", in_memory[place % len(in_memory)]}
    return name in _KINDS or engine in in_turn


# Engines count by status; what a policy, a curve and short questions make of the counts is Python
# of any engine: it is asked of one table as it is, and of each backend where policies differ.
_ASKED = [
    (engine, name)
    for place, name in enumerate(_EACH)
    for engine in ENGINES
    if _is_asked(engine, place, name)
]


@pytest.mark.parametrize(("engine", "name"), _ASKED)
def test_engines_give_what_plain_counting_gives(engine: str, name: str, tmp_path: Path) -> None:
    case = _EACH[name]
    case = case.at_some_length() if engine in BACKENDS else case.briefly()
    answers = ask(case, ENGINES[engine](case.table.shuffled(seed=len(engine)), tmp_path))
    counted, in_words = _known(case)
    assert differences(answers, counted) == {}
    assert all(words in answers["score"]["says"] for words in case.saying)
    if case.table.rows:  # an empty file is called so, an empty table has no row
        assert answers == in_words


@pytest.mark.parametrize("name", _EACH)
def test_policies_and_curves_are_what_plain_counting_gives(name: str) -> None:
    case = _EACH[name]
    assert differences(ask(case, arrow(case.table)), expected(case)) == {}


@pytest.mark.parametrize("engine", BACKENDS)
def test_the_order_of_rows_never_shows(engine: str, tmp_path: Path) -> None:
    case = _EACH["awkward ids"].briefly()
    found = ask(case, ENGINES[engine](case.table.shuffled(seed=1), tmp_path))
    assert found == _known(case)[1]


def test_wrappings_and_cases_are_known() -> None:
    assert set(ENGINES) > WRAPPED | PLANNED
    assert set(ENGINES) > set(BACKENDS)
    assert set(_EACH) > _KINDS | _IN_A_PLAN


_KNOWN: dict[tuple[str, Sequence[Errors]], tuple[Answer, Answer]] = {}


def _known(case: Case) -> tuple[Answer, Answer]:
    """What plain counting gives, and what one engine says, whose words and order others must use.

    Kept by what tells a case that is asked briefly from the same case under every policy.
    """
    key = case.name, case.errors
    if key not in _KNOWN:
        _KNOWN[key] = expected(case), ask(case, arrow(case.table))
    return _KNOWN[key]
