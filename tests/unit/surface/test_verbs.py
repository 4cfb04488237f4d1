"""The verbs at the top are the methods of `Runs` on whatever `load` takes."""

import inspect
import re
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import polars as pl
import pytest

import errbar
from errbar import CategoryCounts, Counts, Subject
from errbar.analysis import evaluate
from errbar.data.columns import USUAL, USUAL_COUNTS
from errbar.errors import InputError, WrongType
from errbar.results.estimate import Estimand

A = [[1, 0, 1, 1], [0, 0, 1, 0], [1, 1, 1, 1], [0, 1, 1, 0]]
B = [[0, 0, 1, 1], [0, 0, 0, 0], [1, 0, 1, 1], [0, 1, 0, 0]]
BOTH = {"a": A, "b": B}

LOG = """model,task_id,passed,difficulty
a,q1,1,easy
a,q1,0,easy
a,q2,1,hard
a,q2,1,hard
b,q1,0,easy
b,q1,0,easy
b,q2,0,hard
b,q2,1,hard
"""

ASKED: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "score": (("pass@2", "avg"), {"estimand": "benchmark", "level": 0.9}),
    "curve": (("pass^k", [1, 3]), {"errors": "missing"}),
    "compare": (("avg", "pass@2"), {"baseline": "b", "margin": 0.1}),
    "rank": (("pass@2",), {"level": 0.9}),
    "items": ((), {"level": 0.9}),
    "monitor": (("a", "b"), {"trials": 2}),
    "noise": ((), {"level": 0.9, "baseline": "b"}),
    "overview": ((), {}),
    "inspect": ((), {}),
}


@pytest.mark.parametrize("verb", ASKED)
def test_a_verb_is_the_method_of_what_load_gives(verb: str) -> None:
    words, options = ASKED[verb]
    expected = getattr(errbar.load(BOTH), verb)(*words, **options)
    for data in (BOTH, errbar.load(BOTH)):
        found = getattr(errbar, verb)(data, *words, **options)
        np.testing.assert_equal(found.to_dicts(), expected.to_dicts())  # nan is nan
        assert str(found) == str(expected)


@pytest.mark.parametrize("verb", ASKED)
def test_a_verb_without_options_is_the_method_without_options(verb: str) -> None:
    options = {"above": 0.5} if verb == "monitor" else {}
    expected = getattr(errbar.load(BOTH), verb)(**options)
    np.testing.assert_equal(getattr(errbar, verb)(BOTH, **options).to_dicts(), expected.to_dicts())


def test_data_in_the_place_of_a_metric_are_not_printed_but_where_to_put_them_is() -> None:
    for data in (pl.DataFrame({"question": range(99)}), A):
        with pytest.raises(WrongType) as refused:
            errbar.compare(A, data)
        said = f"got a {type(data).__name__}. Pass the data of several systems as one dict"
        assert said in str(refused.value)
    with pytest.raises(WrongType, match=r"got \['avg', 'pass@2'\]\.$"):
        errbar.compare(BOTH, ["avg", "pass@2"])


def test_the_calibration_of_a_table_is_that_of_what_load_gives() -> None:
    rows = {"outcome": [0, 1, 1] * 30, "p_true": [0.2, 0.7, 0.9] * 30}
    found = errbar.calibration(rows, confidence="p_true", bins=2)
    assert found == errbar.load(rows, confidence="p_true").calibration(bins=2)


def test_the_only_name_that_a_verb_and_load_share_is_the_trials_to_wait_for() -> None:
    loading = {*inspect.signature(errbar.load).parameters, *USUAL, *USUAL_COUNTS}
    for verb in ASKED:
        options = inspect.signature(getattr(errbar.Runs, verb)).parameters.values()
        own = {option.name for option in options if option.kind is option.KEYWORD_ONLY}
        assert own & loading == ({"trials"} if verb == "monitor" else set())


@pytest.mark.parametrize("verb", [*ASKED, "calibration", "cost", "agreements"])
def test_the_signature_of_a_verb_is_that_of_the_method(verb: str) -> None:
    function, method = getattr(errbar, verb), getattr(errbar.Runs, verb)
    _, *own = inspect.signature(method).parameters.values()
    first, *there, last = inspect.signature(function).parameters.values()
    assert there == own
    assert get_type_hints(function)["return"] == get_type_hints(method)["return"]
    assert (first.name, last.name, last.kind) == ("data", "reading", last.VAR_KEYWORD)
    described = inspect.getdoc(function) or ""
    assert described.startswith((inspect.getdoc(method) or "").splitlines()[0])
    for parameter in (first, *own, last):
        assert re.search(rf"^(\*|\w+, )*{parameter.name}\b", described, re.MULTILINE), parameter


def test_options_of_load_and_of_the_verb_are_distinguished(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text(LOG, encoding="ascii")
    found = errbar.score(str(log), "pass@1", "pass@2", question="task_id", by=["difficulty"])
    expected = errbar.load(log, question="task_id").score("pass@1", "pass@2", by=["difficulty"])
    assert found.to_dicts() == expected.to_dicts()
    assert [row.value for row in errbar.rank(str(log), question="task_id")] == [0.75, 0.25]


def test_an_unknown_option_is_refused_with_the_nearest() -> None:
    with pytest.raises(WrongType, match=r"^score has no option error\. Did you mean errors\?$"):
        errbar.score(A, "avg", error="missing")
    with pytest.raises(WrongType, match=r"metrics\. Metrics follow the data, as in score\(data, "):
        errbar.score(BOTH, metrics=["avg"])
    with pytest.raises(WrongType, match=r"^rank has no option nonsense\.$"):
        errbar.rank(BOTH, nonsense=1)
    with pytest.raises(WrongType, match=r"^plan has no option powr\. Did you mean power\?$"):
        errbar.plan("avg", width=0.1, difficulty="uniform", powr=0.9)


def test_how_to_read_a_pilot_is_refused_without_one() -> None:
    with pytest.raises(InputError, match=r"^scorer says how a pilot is read; pass pilot too\.$"):
        errbar.plan("avg", width=0.1, difficulty="uniform", scorer="plus")


def test_how_to_read_is_refused_for_outcomes_that_are_loaded_already() -> None:
    with pytest.raises(InputError, match=r"^scorer is an option of load.*pass it to load"):
        errbar.score(errbar.load(A), "avg", scorer="plus")


def test_a_score_without_a_metric_is_the_average() -> None:
    (found,) = errbar.score(A)
    assert found.value == np.mean(A)
    assert errbar.score(A) == errbar.load(A).score() == errbar.score(A, "avg")
    (graded,) = errbar.score(CategoryCounts([[1, 2]]))
    assert graded.value == pytest.approx(2 / 3)


def test_an_estimate_has_the_ends_of_its_interval() -> None:
    found = errbar.score(A)[0]
    assert (found.low, found.high) == (found.interval.low, found.interval.high)
    rows = [{"id": at, "correct": at % 3 > 0, "confidence": at / 20} for at in range(20)]
    ranked = errbar.load(rows).roc()[0]
    assert (ranked.low, ranked.high) == (ranked.interval.low, ranked.interval.high)


# Counts.


@pytest.mark.parametrize(
    "method", [None, "documented", errbar.Calibrated(Estimand.BENCHMARK, level=0.9)]
)
@pytest.mark.parametrize("short", ["error", "posterior"])
def test_counts_give_what_they_give_without_being_loaded(method: Any, short: Any) -> None:
    systems = {"a": Counts([4, 3], [1, 3], ["q1", "q2"]), "b": Counts([4, 4], [2, 4])}
    options = {"short": short} if method is None else {"short": short, "method": method}
    found = errbar.score(systems, "pass@1", "pass@4", **options)
    expected = evaluate.score(systems, "pass@1", "pass@4", **options)
    numbers = [(e.of, e.value, e.mean, e.sd, e.low, e.high) for e in found]
    np.testing.assert_equal(
        numbers, [(e.of, e.value, e.mean, e.sd, e.low, e.high) for e in expected]
    )


def test_categories_and_subjects_are_scored_as_they_are() -> None:
    graded, weighted = CategoryCounts([[1, 2, 3], [0, 4, 2]]), "avg(weights=[0, 0.5, 1])"
    expected = evaluate.score(graded, weighted, method=errbar.Calibrated(Estimand.RERUN, level=0.8))
    assert errbar.score(graded, weighted, estimand="rerun", level=0.8) == expected
    subject = Subject("a", "sums")
    assert errbar.score({subject: Counts([4], [1])}, "avg")[0].of == subject
    assert "or `CategoryCounts`" in str(errbar.score.__doc__)
    assert "or `CategoryCounts`" not in str(errbar.compare.__doc__)
    with pytest.raises(InputError, match=r"^by is for outcomes"):
        errbar.score(graded, weighted, by=["difficulty"])


# The report.


def test_a_report_is_a_file_of_everything(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    pytest.importorskip("vl_convert")
    path = errbar.report(BOTH, tmp_path / "page.html", "avg", title="Mine & yours")
    assert path == tmp_path / "page.html"
    text = path.read_text(encoding="utf-8")
    assert "Mine &amp; yours" in text
    with pytest.raises(InputError, match=r"as in report\.html"):
        errbar.report(BOTH, tmp_path / "page.pdf")
