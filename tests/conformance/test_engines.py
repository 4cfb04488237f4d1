"""Every engine and every kind of file gives the same answers, which plain counting gives too."""

from functools import cache
from pathlib import Path

import pytest

from conformance_cases import CASES, Answer, ask, differences, expected
from conformance_engines import ENGINES, arrow

_EACH = {case.name: case for case in CASES}

# The same rows in another wrapping of the same engine: asked of the cases that wrapping can touch.
_WRAPPED = {
    *("pandas nullable", "pandas categorical", "polars categorical", "DuckDB view"),
    *("CSV gz", "TSV", "JSON lines gz", "glob of Parquet"),
}
_TOUCHED = {
    *("awkward ids", "bare", "statuses", "kinds of slices", "traps of CSV", "empty"),
    "clusters of text",
}
_ASKED = [
    (engine, name)
    for engine in ENGINES
    for name in _EACH
    if engine not in _WRAPPED or name in _TOUCHED
]


@pytest.mark.parametrize(("engine", "name"), _ASKED)
def test_engines_give_what_plain_counting_gives(engine: str, name: str, tmp_path: Path) -> None:
    case = _EACH[name]
    answers = ask(case, ENGINES[engine](case.table.shuffled(seed=len(engine)), tmp_path))
    assert differences(answers, _counted(name)) == {}
    assert all(words in answers["score"]["says"] for words in case.saying)
    if case.table.rows:  # an empty file is called so, an empty table has no row
        assert answers == _in_words(name)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("engine", ["pandas inferred", "polars", "pyarrow", "DuckDB table", "CSV"])
def test_the_order_of_rows_never_shows(engine: str, seed: int, tmp_path: Path) -> None:
    table = _EACH["awkward ids"].table.shuffled(seed)
    assert ask(_EACH["awkward ids"], ENGINES[engine](table, tmp_path)) == _in_words("awkward ids")


def test_wrappings_and_cases_are_known() -> None:
    assert set(ENGINES) > _WRAPPED
    assert set(_EACH) > _TOUCHED


@cache
def _counted(name: str) -> Answer:
    return expected(_EACH[name])


@cache
def _in_words(name: str) -> Answer:
    """What one engine says, whose words and order the others must use."""
    return ask(_EACH[name], arrow(_EACH[name].table))
