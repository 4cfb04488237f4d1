"""What one system cannot have keeps no other from being scored, compared or ranked."""

import json
import math
import random
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import polars as pl
import pytest
from click.testing import CliRunner

import errbar
from errbar.cli import main
from errbar.errors import InputError
from errbar.page import ReportSettings, contents_of
from errbar.runs import Runs

QUESTIONS = 12


def rows_of(system: str, seed: int) -> pl.DataFrame:
    """Four trials of each question, with answers and confidences."""
    rng = random.Random(seed)
    rows = [
        (system, f"q{question:02d}", trial, rng.choice("xyz"), rng.random(), rng.random() < 0.6)
        for question in range(QUESTIONS)
        for trial in range(4)
    ]
    names = ("system", "question", "trial", "answer", "confidence", "right")
    table = pl.DataFrame(rows, schema=names, orient="row")
    return table.select(
        pl.exclude("right"),
        outcome=pl.col("right").cast(pl.Float64),
        status=pl.lit("ok"),
    )


FINE = pl.concat([rows_of("a", 1), rows_of("b", 2), rows_of("c", 3)])
EARLY = pl.col("question") < "q03"


class Kind(NamedTuple):
    """A way in which a system lacks what a metric needs."""

    change: Callable[[pl.DataFrame], pl.DataFrame]
    metric: str
    reason: str  # in Python
    told: Mapping[str, Any] = MappingProxyType({})  # arguments of score, compare and others


def without_answers(table: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(answer=pl.lit(None, dtype=pl.String))


def rewarded(table: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(outcome=pl.col("outcome") / 2 + 0.25)


def failed(table: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(outcome=pl.lit(None, dtype=pl.Float64), status=pl.lit("error"))


KINDS = {
    "few trials": Kind(
        lambda table: table.filter(~EARLY | (pl.col("trial") < 2)),
        "pass@4",
        "needs 4 trials per question; 3 of 12 questions have fewer, the least 2",
    ),
    "no trials left": Kind(
        lambda table: table.filter(pl.col("trial") < 2),
        "pass@4",
        "needs 4 trials per question; the most are 2",
        {"short": "drop"},
    ),
    "rewards": Kind(
        rewarded, "pass@2", "needs outcomes of 0 and 1; there are 0.25, 0.75. If they are rewards"
    ),
    "few ballots": Kind(
        lambda table: table.filter(~EARLY | (pl.col("trial") < 2)),
        "vote@4",
        "needs 4 trials per question; 3 of 12 questions have fewer, the least 2",
    ),
    "no answers": Kind(without_answers, "vote@2", "no row has an answer to vote by; maj@k"),
    "no result": Kind(failed, "pass@2", "no row has a result", {"errors": "missing"}),
    "no category": Kind(
        lambda table: table.with_columns(outcome=pl.col("outcome") * 3),
        "max@2(weights=[0, 0.5, 1])",
        "has weights for the outcomes 0 to 2; the data have 3",
    ),
}
EACH = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def odd(kind: Kind) -> pl.DataFrame:
    return kind.change(rows_of("odd", 4))


def both(kind: Kind) -> Runs:
    """Three systems that have the metric, and one that has not."""
    return errbar.load(pl.concat([FINE, odd(kind)]))


@cache
def fine() -> Runs:
    return errbar.load(FINE)


def same(found: Any, expected: Any) -> bool:
    """Equal, where nan equals nan."""
    return repr(found) == repr(expected)


@EACH
def test_others_are_scored_as_if_it_were_not_there(kind: Kind) -> None:
    found = both(kind).score("avg", kind.metric, **kind.told)
    alone = fine().score("avg", kind.metric, **kind.told)
    # outcomes above 1 show that 1 is not the bound of rewards, for the others of the task either
    left_out = {"avg"} if kind is KINDS["no category"] else set()
    records = [
        [r for r in scores.to_dicts() if r["system"] != "odd" and r["metric"] not in left_out]
        for scores in (found, alone)
    ]
    assert same(*records)
    (missing,) = found.only("odd", metric=kind.metric)
    assert math.isnan(missing.value)
    assert math.isnan(missing.interval.low)
    assert missing.reason.startswith(kind.reason)
    said = " ".join(str(found).split())
    assert " ".join(missing.reason.split()) in said
    name = str(missing.metric)
    rows = [line for line in str(found).splitlines() if line.startswith("odd ") and name in line]
    assert set(rows[0].replace(name, "").split()) == {"odd", "–"}


@EACH
def test_nothing_to_score_is_an_error_with_the_reason_and_how_many(kind: Kind) -> None:
    alone = errbar.load(odd(kind))
    with pytest.raises(InputError) as refused:
        alone.score(kind.metric, **kind.told)
    assert str(refused.value).startswith(f"odd {errbar.parse(kind.metric)}: {kind.reason}")
    two = pl.concat([odd(kind), odd(kind).with_columns(system=pl.lit("other"))])
    with pytest.raises(InputError, match=r"^nothing can be scored\. odd .* for all 2\)\.$"):
        errbar.load(two).score(kind.metric, **kind.told)


@EACH
def test_curves_of_others_go_as_far_as_their_own_trials(kind: Kind) -> None:
    name = kind.metric.replace("4", "k").replace("@2", "@k")
    found, alone = (runs.curve(name, **kind.told) for runs in (both(kind), fine()))
    assert same(
        [record for record in found.to_dicts() if record["system"] != "odd"], alone.to_dicts()
    )
    asked = both(kind).curve(name, [2, 4], **kind.told)
    expected = fine().curve(name, [2, 4], **kind.told)
    assert same(
        [record for record in asked.to_dicts() if record["system"] != "odd"], expected.to_dicts()
    )
    assert any(each.reason for each in asked.only("odd"))


@EACH
def test_others_are_compared_as_if_it_were_not_there(kind: Kind) -> None:
    found = both(kind).compare(kind.metric, **kind.told)
    alone = fine().compare(kind.metric, **kind.told)
    assert same(
        [record for record in found.to_dicts() if record["second"] != "odd"], alone.to_dicts()
    )
    missing = [row for row in found if row.second == "odd"]
    assert [row.first for row in missing] == ["a", "b", "c"]
    for row in missing:
        assert math.isnan(row.difference)
        assert row.reason.startswith(f"odd has no {row.metric}: {kind.reason}")
        assert row.verdict == "inconclusive"
        assert row.better == ""
    assert f"a − odd, b − odd, c − odd: {missing[0].reason}." in found.notes()
    line = next(line for line in str(found).splitlines() if "a − odd" in line)
    assert line.count("–") == 1
    assert found.together == alone.together
    assert found.plot() is not None


@EACH
def test_nothing_to_compare_is_an_error(kind: Kind) -> None:
    runs = errbar.load(pl.concat([rows_of("a", 1), odd(kind)]))
    with pytest.raises(InputError) as refused:
        runs.compare(kind.metric, **kind.told)
    assert f"odd has no {errbar.parse(kind.metric)}: {kind.reason}" in str(refused.value)
    with pytest.raises(InputError, match="nothing can be compared"):
        both(kind).compare(kind.metric, baseline="odd", **kind.told)


@EACH
def test_others_are_ranked_as_if_it_were_not_there(kind: Kind) -> None:
    found = both(kind).rank(kind.metric, **kind.told)
    assert same(found.to_dicts(), fine().rank(kind.metric, **kind.told).to_dicts())
    assert any(note.startswith(f"Not ranked: odd: {kind.reason}") for note in found.notes())
    runs = errbar.load(pl.concat([rows_of("a", 1), odd(kind)]))
    with pytest.raises(InputError) as refused:
        runs.rank(kind.metric, **kind.told)
    assert kind.reason in str(refused.value)


@EACH
def test_a_gate_refuses_what_cannot_be_computed(kind: Kind) -> None:
    before, now = errbar.load(rows_of("a", 1)), errbar.load(odd(kind))
    with pytest.raises(InputError) as refused:
        errbar.gate(before, now, "avg", kind.metric, max_drop=1.0, inconclusive=0, **kind.told)
    assert kind.reason in str(refused.value)


@pytest.mark.parametrize("lack", ["few trials", "no result"])  # rewards: in a report below
def test_a_report_has_the_others_and_the_reason(lack: str) -> None:
    kind = KINDS[lack]
    asked = ReportSettings(metrics=(kind.metric,), errors=kind.told.get("errors", "fail"))
    found = {section.name: section for section in contents_of(both(kind), asked).sections}
    alone = {section.name: section for section in contents_of(fine(), asked).sections}
    for name in ("scores", "ranks", "comparisons"):
        rows, expected = (sections[name].result for sections in (found, alone))
        assert rows is not None
        assert expected is not None
        kept = [
            row
            for row in rows.to_dicts()
            if "odd" not in (row.get("system"), row.get("first"), row.get("second"))
        ]
        if lack != "few trials":
            assert same(kept, expected.to_dicts())  # a report drops short questions
            assert kind.reason in " ".join(rows.notes())
    curve = found["curve-one"].result
    assert curve is not None
    assert {row["system"] for row in curve.to_dicts()} >= {"a", "b", "c"}


# Tasks.


def tasked() -> pl.DataFrame:
    """A task that all have, and one whose outcomes are rewards."""
    essays = rewarded(FINE).with_columns(task=pl.lit("essays"))
    return pl.concat([FINE.with_columns(task=pl.lit("sums")), essays])


def test_a_task_of_rewards_keeps_no_other_from_being_scored_compared_and_ranked() -> None:
    runs = errbar.load(tasked())
    alone = errbar.load(FINE.with_columns(task=pl.lit("sums")))
    scores = runs.score("pass@2")
    assert same(
        [record for record in scores.to_dicts() if record["task"] == "sums"],
        alone.score("pass@2").to_dicts(),
    )
    compared = runs.compare("pass@2")
    kept = [record for record in compared.to_dicts() if record["task"] == "sums"]
    assert same(kept, alone.compare("pass@2").to_dicts())
    board = runs.rank("pass@2")
    assert same(board.to_dicts(), alone.rank("pass@2").to_dicts())
    assert any(
        note.startswith("essays: left out of the average; of a, b, c: needs")
        for note in board.notes()
    )
    weighed = runs.rank("pass@2", weights={"sums": 1, "essays": 5})
    assert same(weighed.to_dicts(), board.to_dicts())
    with pytest.raises(InputError, match="weights of tasks are 0"):
        runs.rank("pass@2", weights={"essays": 5})


def test_a_gate_never_leaves_a_task_out() -> None:
    baseline = errbar.load(tasked().filter(pl.col("system") == "a"))
    candidate = errbar.load(tasked().filter(pl.col("system") == "b"))
    with pytest.raises(InputError, match=r"pass@2 of 'essays' cannot be compared with its limit"):
        errbar.gate(baseline, candidate, "pass@2", max_drop=1.0, inconclusive=0)


def test_a_pair_that_trials_cannot_tell_apart_keeps_no_other_from_being_compared() -> None:
    rows = rewarded(FINE)
    once = rows.filter((pl.col("system") != "c") | (pl.col("trial") == 0))
    found = errbar.load(once).compare("avg", estimand="benchmark")
    alone = errbar.load(rows.filter(pl.col("system") != "c")).compare("avg", estimand="benchmark")
    assert same([row for row in found.to_dicts() if row["second"] != "c"], alone.to_dicts())
    for row in found[1:]:
        assert "a single trial gives no spread between trials" in row.reason


# Confidence.

UNSURE = {
    "no confidence": (
        lambda table: table.with_columns(confidence=pl.lit(None, dtype=pl.Float64)),
        "48 of 48 rows have an answer and no confidence",
    ),
    "rewards": (rewarded, "ranking needs outcomes of 0 and 1; 48 of 48 rows"),
}


@pytest.mark.parametrize(("change", "reason"), UNSURE.values(), ids=UNSURE)
def test_others_are_ranked_by_confidence(
    change: Callable[[pl.DataFrame], pl.DataFrame], reason: str
) -> None:
    odd = change(rows_of("odd", 4))
    runs = errbar.load(pl.concat([FINE, odd]))
    quick = errbar.Bootstrap(resamples=200)
    for found, alone in (
        (runs.selective("aurc", method=quick), fine().selective("aurc", method=quick)),
        (runs.roc(method=quick), fine().roc(method=quick)),
        (runs.roc(method=quick, bins=8), fine().roc(method=quick, bins=8)),
    ):
        kept = [row for row in found.to_dicts() if row["system"] != "odd"]
        assert kept == alone.to_dicts()
        (missing,) = found.only("odd")
        assert math.isnan(missing.value)
        assert missing.reason.startswith(reason)
        assert reason in " ".join(str(found).split())
    compared = runs.compare("aurc")
    expected = fine().compare("aurc").to_dicts()
    assert [row for row in compared.to_dicts() if row["second"] != "odd"] == expected
    assert all(
        f"odd has no aurc: {reason}" in row.reason for row in compared if row.second == "odd"
    )
    assert "odd" in runs.plot.roc(method=quick).svg()
    runs.plot.risk_coverage(method=quick)
    with pytest.raises(InputError, match=reason):
        errbar.load(odd).selective()
    with pytest.raises(InputError, match=reason):
        errbar.load(odd).roc()


def test_a_coverage_that_nobody_reaches_keeps_no_other_metric_from_being_scored() -> None:
    shy = FINE.with_columns(
        status=pl.when(pl.col("trial") > 0).then(pl.lit("abstained")).otherwise(pl.lit("ok"))
    )
    runs = errbar.load(shy)
    found = runs.selective("risk@0.2", "risk@0.5")
    assert found.only(metric="risk@0.2").to_dicts() == runs.selective("risk@0.2").to_dicts()
    assert all(math.isnan(each.value) for each in found.only(metric="risk@0.5"))
    with pytest.raises(InputError, match=r"nothing can be scored\. a risk@0\.5: .*for all 3"):
        runs.selective("risk@0.5")


# The command.


@pytest.fixture
def mixed(tmp_path: Path) -> str:
    kinds = ("few trials", "rewards", "no answers")
    tables = [odd(KINDS[name]).with_columns(system=pl.lit(name)) for name in kinds]
    pl.concat([FINE, *tables]).write_csv(tmp_path / "mixed.csv")
    return str(tmp_path / "mixed.csv")


@pytest.mark.parametrize(
    "command",
    [
        ("score", "-m", "pass@1,pass@4,vote@4"),
        ("curve", "-k", "1", "-k", "4"),
        ("compare", "-m", "pass@4"),
        ("rank", "-m", "pass@4"),
    ],
    ids=lambda command: command[0],
)
def test_the_command_ends_well_and_speaks_of_options(command: tuple[str, ...], mixed: str) -> None:
    ended = CliRunner().invoke(main, [command[0], mixed, *command[1:]])
    assert ended.exit_code == 0, ended.output
    said = " ".join(ended.stdout.split())
    assert "--short drop leaves those out" in said
    assert "short='drop'" not in said
    assert "needs outcomes of 0 and 1; there are 0.25, 0.75" in said
    told = CliRunner().invoke(main, [command[0], mixed, *command[1:], "--format", "json"])
    rows = json.loads(told.stdout)["rows"]
    assert any(row.get("value") is not None for row in rows)
    if command[0] != "rank":
        assert any(row["value"] is None and row["reason"] for row in rows)


@pytest.mark.parametrize("command", ["score", "compare", "rank"])
def test_the_command_refuses_in_one_line_where_nothing_is_left(command: str, mixed: str) -> None:
    ended = CliRunner().invoke(main, [command, mixed, "-m", "pass@9"])
    assert (ended.exit_code, ended.stdout) == (2, "")
    (line,) = ended.stderr.strip().splitlines()
    assert "needs 9 trials per question; 12 of 12 questions have fewer, the least 4" in line
    assert "lower k to at most 4" in line


def test_a_report_of_mixed_systems_is_written(mixed: str, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    ended = CliRunner().invoke(main, ["report", mixed, "-m", "pass@4", "-o", str(target)])
    assert ended.exit_code == 0, ended.output
    text = target.read_text(encoding="utf-8")
    assert "needs outcomes of 0 and 1; there are 0.25, 0.75" in text
    assert ">–<" in text
