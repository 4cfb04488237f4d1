"""Rows that nobody graded are missing under every policy; rows without a reason are said aloud."""

import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import errbar
from conformance_engines import BACKENDS, ENGINES, Table
from errbar.base.remarks import MARK, above, on_command_line
from errbar.errors import InputError

POLICIES: tuple[Any, ...] = ("fail", "missing", "bracket")
KINDS = {"system": "text", "question": "text", "trial": "whole", "outcome": "whole"}
KINDS |= {"status": "text", "answer": "text", "confidence": "number"}

# Whatever the harness put there, an unscored row is neither right nor wrong.
GRADED = [
    ("a", "p", 0, 1, "ok", "x", 0.9),
    ("a", "p", 1, 0, "ok", "y", 0.2),
    ("a", "q", 0, 1, None, "x", 0.7),
    ("b", "p", 0, 0, "ok", "y", 0.4),
    ("b", "q", 0, 1, "ok", "x", 0.6),
]
UNGRADED = [
    ("a", "q", 1, None, "unscored", None, None),
    ("a", "r", 0, 0, "unscored", "z", 0.9),
    ("b", "q", 1, 1, "unscored", "x", 0.1),
]


POLARS = {"text": pl.String, "whole": pl.Int64, "number": pl.Float64}


def frame(rows: list[tuple[Any, ...]]) -> pl.DataFrame:
    schema = {name: POLARS[kind] for name, kind in KINDS.items()}
    return pl.DataFrame(rows, schema=schema, orient="row")


def warnings_in(remarks: Iterable[str]) -> list[str]:
    return [each for each in above(remarks) if each.startswith(MARK)]


@pytest.mark.parametrize("engine", BACKENDS)
def test_unscored_rows_change_no_number_on_any_backend(engine: str, tmp_path: Path) -> None:
    places = [tmp_path / name for name in ("with", "without")]
    for place in places:
        place.mkdir()
    tables = Table(KINDS, [*GRADED, *UNGRADED]), Table(KINDS, GRADED)
    mine, plain = (
        errbar.load(ENGINES[engine](table, place))
        for table, place in zip(tables, places, strict=True)
    )

    def records(runs: errbar.Runs) -> list[Any]:
        found: list[Any] = [
            runs.score("avg", "pass@1", "maj@1", "bayes", errors=errors).to_dicts()
            for errors in POLICIES
        ]
        asked: list[Callable[[], Any]] = [
            lambda: runs.score("vote@1"),
            lambda: runs.curve("pass@k"),
            lambda: runs.compare("avg"),
            lambda: runs.selective("aurc", "cov@risk0.5", method=errbar.Bootstrap(100)),
        ]
        return [*found, *(each().to_dicts() for each in asked)]

    assert repr(records(mine)) == repr(records(plain))


@pytest.mark.parametrize(
    "asked",
    [
        lambda runs: runs.rank("avg"),
        lambda runs: runs.roc(method=errbar.Bootstrap(100)),
        lambda runs: runs.compare("aurc"),
        lambda runs: runs.monitor(above=0.1),
        lambda runs: runs.score("avg", estimand="benchmark"),
        lambda runs: errbar.gate(runs, runs, "avg", max_drop=0.1, system="a", baseline_system="b"),
    ],
)
def test_nor_does_any_other_question_count_them(asked: Callable[[errbar.Runs], Any]) -> None:
    mine, plain = (errbar.load(frame(rows)) for rows in ([*GRADED, *UNGRADED], GRADED))
    assert repr(asked(mine).to_dicts()) == repr(asked(plain).to_dicts())


def test_unscored_rows_are_counted_and_stated() -> None:
    runs = errbar.load(frame([*GRADED, *UNGRADED]))
    for errors in POLICIES:
        said = runs.score("avg", errors=errors).remarks
        assert "3 of 8 rows were never scored, and are left out." in said
        assert "a: 1 of 3 questions were never scored, and are left out." in said
    assert "3 rows were never scored, and are left out." in runs.roc().remarks
    assert [row["rows"] for row in runs.inspect().to_dicts()] == [5, 3]
    assert [row["unscored"] for row in runs.inspect().to_dicts()] == [2, 1]
    assert "unscored" in str(runs.inspect())


def test_categories_and_rewards_leave_them_out_too() -> None:
    rows = {
        "question": ["p", "p", "q", "q"],
        "outcome": [2, 0, 1, 2],
        "status": ["ok", "ok", "ok", "unscored"],
    }
    runs = errbar.load(pl.DataFrame(rows))
    assert runs.score("avg")[0].value == (1 + 1) / 2
    assert runs.score("avg(weights=[0, 0.5, 1])")[0].value == (0.5 + 0.5) / 2


NEVER = {"null, no status": (None, None), "null, ok": (None, "ok"), "unscored": (0, "unscored")}


@pytest.mark.parametrize("rows", NEVER.values(), ids=NEVER)
@pytest.mark.parametrize("errors", POLICIES)
def test_a_system_that_was_never_scored_has_a_dash_and_a_reason(
    rows: tuple[Any, Any], errors: Any
) -> None:
    lost = [("c", q, at, *rows, "x", 0.5) for q in ("p", "q") for at in range(2)]
    runs = errbar.load(frame([*GRADED, *lost]))
    for scores in (runs.score("avg", "vote@1", errors="fail"), runs.score("avg", errors=errors)):
        for score in scores:
            assert math.isnan(score.value) == (score.system == "c")
            assert (score.reason == "no row of it was scored") == (score.system == "c")
    assert "no row of it was scored" in str(runs.score("avg"))
    assert "c: no row of it was scored; left out." in runs.compare("avg").remarks
    assert [row.system for row in runs.rank("avg")] == ["a", "b"]
    curve = runs.curve("pass@k", errors=errors)
    assert {each.reason for each in curve if each.system == "c"} == {"no row of it was scored"}
    watch = {watch.system: watch for watch in runs.monitor(above=0.1).watches}["c"]
    assert not len(watch.questions)
    with pytest.raises(InputError, match="c: no row of it was scored; it cannot be compared"):
        runs.compare("avg", systems=["a", "c"])
    with pytest.raises(InputError, match="no row of it was scored"):
        errbar.plan("avg", pilot=runs, systems=["c"], width=0.1)


@pytest.mark.parametrize("errors", POLICIES)
def test_where_nothing_at_all_was_scored_is_an_error_that_says_so(errors: Any) -> None:
    runs = errbar.load(frame([("c", "p", 0, None, None, "x", 0.5)]))
    with pytest.raises(InputError, match="no row of it was scored"):
        runs.score("avg", errors=errors)
    with pytest.raises(InputError, match="no row has a score"):
        runs.monitor(above=0.5)


def test_a_system_whose_every_row_failed_scores_nothing_by_the_policy() -> None:
    failed = [("c", "p", 0, None, "error", None, None), ("c", "q", 0, 1, "timeout", None, None)]
    runs = errbar.load(frame([*GRADED, *failed]))
    assert {each.system: each.value for each in runs.score("avg")}["c"] == 0.0
    both = [each for each in runs.score("avg", errors="bracket") if each.system == "c"]
    assert [each.value for each in both] == [0.0, 1.0]
    left = {each.system: each for each in runs.score("avg", errors="missing")}["c"]
    assert math.isnan(left.value)
    assert left.reason == "no row has a result"


def test_failures_beside_rows_that_nobody_graded_are_no_score() -> None:
    rows = [("c", "p", 0, None, "error", None, None), ("c", "q", 0, None, "unscored", None, None)]
    found = errbar.load(frame([*GRADED, *rows])).score("avg")
    assert math.isnan({each.system: each.value for each in found}["c"])


# Rows without an outcome that no status explains.

DOUBTFUL = [*GRADED, ("a", "p", 2, None, "ok", None, None), ("a", "q", 2, None, None, None, None)]


def test_the_reasons_of_rows_without_a_result_add_up() -> None:
    rows = [
        {"question": at, "outcome": outcome, "status": status}
        for at, (outcome, status) in enumerate(
            [(1, "ok"), (0, "limit"), (None, "limit"), (None, "limit"), (None, "timeout")]
        )
    ]
    said = errbar.load(rows).score("avg").remarks
    assert "3 of 5 rows have no result (timeout 1, limit 2): counted as wrong." in said


def test_rows_without_a_reason_are_stated_above_with_both_readings() -> None:
    runs = errbar.load(frame([*DOUBTFUL, ("b", "q", 2, None, "error", None, None)]))
    wrong, left = (1 / 3 + 1 / 2) / 2, (1 / 2 + 1) / 2
    scores = runs.score("avg")
    assert scores[0].value == pytest.approx(wrong)
    (said,) = warnings_in(scores.remarks)
    assert said == (
        "⚠ a: 2 of 5 rows have no outcome and no status that says why: counted as wrong (avg "
        f"{wrong:.3g}); left out with errors='missing' (avg {left:.3g})."
    )
    assert str(scores).startswith("a has the highest avg.\n\n⚠ a: 2 of 5 rows")
    (said,) = warnings_in(runs.score("avg", errors="missing").remarks)
    assert "left out (avg 0.75); counted as wrong with errors='fail' (avg 0.417)" in said
    with on_command_line():
        (said,) = warnings_in(runs.score("avg").remarks)
    assert "left out with --errors missing" in said
    assert "1 of 8 rows has no result (error 1): counted as wrong." in scores.remarks
    for result in (runs.compare("avg"), runs.rank("avg"), runs.monitor(above=0.1)):
        assert "⚠ a: 2 of 5 rows" in str(result)


def test_many_systems_share_one_line() -> None:
    rows = [
        (f"s{at}", "p", trial, None if trial > at else 1, None, None, None)
        for at in range(8)
        for trial in range(8)
    ]
    (said,) = warnings_in(errbar.load(frame(rows)).score("avg").remarks)
    assert said.startswith("⚠ 28 of 56 rows of 7 systems and tasks have no outcome")
    assert "The largest share: s0: 7 of 8 rows" in said


def test_rewards_without_a_reason_are_said_too() -> None:
    data = {"question": ["p", "p", "q"], "outcome": [2.0, None, -1.0]}
    said = " ".join(warnings_in(errbar.load(pl.DataFrame(data)).score("avg").remarks))
    assert "counted as wrong (avg 0); left out with errors='missing' (avg 0.5)" in said
