"""Every engine and every kind of file gives the same answers, which plain counting gives too."""

from functools import cache
from pathlib import Path

import pytest

from conformance_cases import CASES, Answer, ask, differences, expected
from conformance_engines import BACKENDS, ENGINES, SEPARATED, WRAPPED, arrow

_EACH = {case.name: case for case in CASES}

# Cases that the kind of a column can touch, asked of every engine; those that the wrapping of the
# same engine can touch; and all, asked of each backend that counts by its own means.
_TOUCHED = {"awkward ids", "bare", "statuses", "kinds of slices", "traps of CSV", "empty"}
_KINDS = _TOUCHED | {
    "clusters of text",
    *("categories", "trials of text", "trials half known", "seeds from 4611686018427387904"),
    *("clusters of number, trials without a number", "weights of text"),
}

# Engines count by status; what a policy, a curve and short questions make of the counts is Python
# of any engine: it is asked of one table as it is, and of each backend where policies differ.
_ASKED = [
    (engine, name)
    for name in _EACH
    for engine in ENGINES
    if (engine in BACKENDS or name in (_TOUCHED if engine in WRAPPED else _KINDS))
    and (name != "traps of CSV" or engine in SEPARATED.union(BACKENDS))
]


@pytest.mark.parametrize(("engine", "name"), _ASKED)
def test_engines_give_what_plain_counting_gives(engine: str, name: str, tmp_path: Path) -> None:
    case = _EACH[name]
    case = case.at_some_length() if engine in BACKENDS else case.briefly()
    answers = ask(case, ENGINES[engine](case.table.shuffled(seed=len(engine)), tmp_path))
    counted, in_words = ({key: one[key] for key in answers} for one in _known(name))
    assert differences(answers, counted) == {}
    assert all(words in answers["score"]["says"] for words in case.saying)
    if case.table.rows:  # an empty file is called so, an empty table has no row
        assert answers == in_words


@pytest.mark.parametrize("name", _EACH)
def test_policies_and_curves_are_what_plain_counting_gives(name: str) -> None:
    counted, in_words = _known(name)
    assert differences(in_words, counted) == {}


@pytest.mark.parametrize("engine", BACKENDS)
def test_the_order_of_rows_never_shows(engine: str, tmp_path: Path) -> None:
    case = _EACH["awkward ids"].briefly()
    found = ask(case, ENGINES[engine](case.table.shuffled(seed=1), tmp_path))
    assert found == {key: _known(case.name)[1][key] for key in found}


def test_wrappings_and_cases_are_known() -> None:
    assert set(ENGINES) > WRAPPED
    assert set(ENGINES) > set(BACKENDS)
    assert set(_EACH) > _KINDS


@cache
def _known(name: str) -> tuple[Answer, Answer]:
    """What plain counting gives, and what one engine says, whose words and order others must use.

    To all that may be asked of a case; an engine that is asked less has the same answers to it.
    """
    case = _EACH[name]
    return expected(case), ask(case, arrow(case.table))
