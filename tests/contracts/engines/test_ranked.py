"""Every engine ranks alike: row by row, by groups of clusters, and in bins."""

import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import errbar
from conformance_engines import BACKENDS, ENGINES, WARNINGS_OF_IBIS, WRAPPED, arrow
from conformance_ranked import RANKED, Case, ask, expected, nameless

pytestmark = pytest.mark.filterwarnings(*WARNINGS_OF_IBIS)

_EACH = {case.name: case for case in RANKED}
_TOUCHED = {"statuses and clusters"}  # text, numbers and nulls: what a wrapping can touch
# Groups and bins are sums of the columns that rows are ranked by. Each backend adds up, and so do
# plans for SQLite, whose remainders are of floats; what is refused is refused before.
_SUMMED = dict.fromkeys(_TOUCHED, ("rows", "groups", "bins")) | {
    "many confidences": ("groups", "bins"),
    "whole confidences": ("rows", "bins"),
    "questions without a cluster (text)": ("rows", "groups"),
}
_ASKED = [
    (engine, name)
    for engine in ENGINES
    for name in _EACH
    if engine in BACKENDS
    or (name in _TOUCHED and engine not in WRAPPED)
    or (name == "many confidences" and engine == "Ibis on SQLite")
]


@pytest.mark.parametrize(("engine", "name"), _ASKED)
def test_engines_rank_as_plain_python_does(engine: str, name: str, tmp_path: Path) -> None:
    case = _EACH[name]
    adds_up = engine in {*BACKENDS, "Ibis on SQLite"}
    ways = _SUMMED.get(name, ("rows",)) if adds_up else ("rows",)
    answers = ask(case, ENGINES[engine](case.table.shuffled(seed=len(engine)), tmp_path), ways)
    assert answers == {key: says for key, says in _in_words(name).items() if _way(key) in ways}
    if not case.refused:
        for system, value in expected(case).items():
            for way in set(ways) - {"bins"}:
                got = answers[way, "aurc"][system]
                assert math.isclose(float.fromhex(got), value, rel_tol=1e-12)


@pytest.mark.parametrize("kind", ["text", "number"])
def test_a_question_without_a_cluster_is_one_of_its_own(kind: str) -> None:
    lone, named = (nameless(kind, spelled_out=told) for told in (False, True))
    assert _in_words(lone.name) == ask(named, arrow(named.table))
    found = errbar.load(arrow(lone.table))
    scored = {
        each.key[0]: len(set(np.array(each.clusters).tolist())) for each in found.source.slices(())
    }
    ranked = {each.system: each.clusters for each in found.selective("aurc")}
    assert ranked == scored == {"a": 2 + 12, "b": 2 + 12}


@pytest.mark.parametrize("name", [case.name for case in RANKED if case.refused])
def test_what_cannot_be_ranked_is_named_with_its_file(name: str, tmp_path: Path) -> None:
    case = _EACH[name]
    file = ENGINES["Parquet"](case.table, tmp_path)
    with pytest.raises(errbar.errors.InputError) as caught:
        errbar.load(file).roc()
    assert str(caught.value).startswith(f"{file}: ")
    assert case.refused in str(caught.value)


@cache
def _in_words(name: str) -> dict[Any, Any]:
    return ask(_EACH[name], arrow(_EACH[name].table))


def _way(key: str | tuple[str, str]) -> str:
    return key if isinstance(key, str) else key[0]


def test_cases_that_a_wrapping_can_touch_are_known() -> None:
    assert set(_EACH) > _TOUCHED
    assert set(ENGINES) > WRAPPED.union(BACKENDS)


def test_bins_of_a_case_change_its_result() -> None:
    binned: Case = _EACH["many confidences"]
    answers = ask(binned, arrow(binned.table))
    errors = [float.fromhex(answer) for answer in answers["bins", "bin_error"].values()]
    assert all(0 < error < 0.2 for error in errors)
