"""Watching a run: what is settled when, what is claimed, looks at a log that grows, the command."""

import importlib
import json
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner, Result

import errbar
from errbar.cli import main
from errbar.cli.io import runs_of as runs_at
from errbar.data.live_logs import whole_lines
from errbar.data.queries.row_order import ordered_rows
from errbar.data.readers.tables.column_choice import find_columns
from errbar.errors import InputError, NotThere, UnknownColumn, WrongType
from errbar.kernels.betting import log_wealth
from errbar.results.monitoring import Monitoring

KEYS = (
    *("system", "against", "task", "above", "below", "value", "low", "high", "level", "covers"),
    *("e_above", "p_above", "e_below", "p_below", "needed", "decision", "decided_at", "verdict"),
    *("questions", "pending", "trials", "unused_trials"),
)
STEPS = (
    *("system", "against", "task", "questions", "question", "outcome", "value", "low", "high"),
    *("e_above", "e_below"),
)
HOME = str(Path(errbar.__file__).parents[1])


def rows_of(outcomes: Any, system: str = "mine", first: int = 0) -> list[dict[str, Any]]:
    """A row per trial: questions one after another, each with all its trials."""
    return [
        {"system": system, "question": f"q{first + at}", "trial": trial, "outcome": float(value)}
        for at, trials in enumerate(outcomes)
        for trial, value in enumerate(np.atleast_1d(trials))
    ]


def runs_of(rows: list[dict[str, Any]]) -> errbar.Runs:
    return errbar.load(pl.DataFrame(rows))


def drawn(rate: float, size: int, seed: int = 0) -> np.ndarray:
    return (np.random.default_rng(seed).random(size) < rate).astype(float)


def lines(rows: list[dict[str, Any]]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


# What is settled, and when.


def test_a_question_counts_once_when_it_has_its_trials() -> None:
    order = [("a", 1), ("b", 1), ("b", 0), ("c", 1), ("a", 0), ("b", 1), ("d", 0), ("d", 0)]
    rows = [{"question": name, "outcome": value} for name, value in order]
    watch = runs_of(rows).monitor(above=0.5, trials=2).watches[0]
    assert watch.questions == ("b", "a", "d")
    assert watch.outcomes.tolist() == [0.5, 0.5, 0.0]
    assert (watch.pending, watch.unused_trials) == (1, 1)
    assert watch.value == pytest.approx(1 / 3)


def test_a_pair_counts_when_both_have_it() -> None:
    rows = [
        *rows_of([1, 0, 1], "A"),
        *rows_of([1, 1], "B", first=2),
        *rows_of([0], "B"),
    ]
    watch = runs_of(rows).monitor("A", "B").watches[0]
    assert watch.questions == ("q2", "q0")
    assert watch.outcomes.tolist() == [0.0, 1.0]
    assert watch.pending == 2  # q1, which B lacks, and q3, which A lacks


def test_each_system_and_task_is_watched_apart() -> None:
    rows = [
        {"system": system, "task": task, "question": at, "outcome": 1.0}
        for system in ("A", "B")
        for task in ("sums", "words")
        for at in range(3)
    ]
    found = runs_of(rows).monitor(above=0.5)
    assert [(watch.system, watch.task) for watch in found.watches] == [
        *[("A", "sums"), ("A", "words"), ("B", "sums"), ("B", "words")]
    ]
    assert "Rows are not adjusted for multiple testing" in str(found)
    assert [watch.name for watch in runs_of(rows).monitor("B", above=0.5).watches] == ["B", "B"]
    assert [watch.task for watch in runs_of(rows).monitor("A", "B").watches] == ["sums", "words"]


def test_a_column_can_say_in_which_order_rows_came() -> None:
    times = ["10", "9", "2", "1"]
    rows = [
        {"question": name, "outcome": 1.0, "when": when}
        for name, when in zip("abcd", times, strict=True)
    ]
    assert runs_of(rows).monitor(above=0.5).watches[0].questions == ("a", "b", "c", "d")
    by_number = runs_of(rows).monitor(above=0.5, order="when")
    assert by_number.watches[0].questions == ("d", "c", "b", "a")
    dated = [
        row | {"when": f"2024-01-0{at} 10:00"} for row, at in zip(rows, (3, 1, 4, 2), strict=True)
    ]
    assert runs_of(dated).monitor(above=0.5, order="when").watches[0].questions == tuple("bdac")


def test_rows_without_a_result_are_wrong_or_left_out() -> None:
    rows = [{"question": at, "outcome": None if at % 2 else 1.0} for at in range(8)]
    failed = runs_of(rows).monitor(above=0.5)
    assert (failed.watches[0].value, len(failed.watches[0].questions)) == (0.5, 8)
    assert any("4 of 8 rows have no outcome" in note for note in failed.notes())
    left = runs_of(rows).monitor(above=0.5, errors="missing")
    assert (left.watches[0].value, len(left.watches[0].questions)) == (1.0, 4)


def test_of_a_cluster_the_first_question_counts() -> None:
    clusters = ["x", "x", "y", None, None, "y"]
    rows = [
        {"question": at, "outcome": float(at != 1), "cluster": name}
        for at, name in enumerate(clusters)
    ]
    found = runs_of(rows).monitor(above=0.5)
    assert found.watches[0].questions == ("0", "2", "3", "4")
    assert found.watches[0].dependent == 2
    assert any("2 more are complete" in note for note in found.notes())


def test_every_engine_gives_the_same() -> None:
    rows = rows_of(np.stack([drawn(0.7, 60), drawn(0.7, 60, 1)], axis=1))
    frame = pl.DataFrame(rows)
    expected = runs_of(rows).monitor(above=0.5, trials=2).to_dicts()
    for table in (frame.lazy(), frame.to_arrow(), pd.DataFrame(rows)):
        assert errbar.load(table).monitor(above=0.5, trials=2).to_dicts() == expected


def test_matrices_are_read_question_by_question() -> None:
    matrices = {"A": [[1, 1], [1, 0], [0, 1]], "B": [[0, 0], [1, 0], [0, 0]]}
    watch = errbar.load(matrices).monitor("A", "B", trials=2).watches[0]
    assert watch.outcomes.tolist() == [1.0, 0.0, 0.5]


# What is claimed.


def test_e_values_are_the_wealth_of_the_bets() -> None:
    values = drawn(0.7, 200)
    record = runs_of(rows_of(values)).monitor(above=0.6, below=0.6).to_dicts()[0]
    up, down = log_wealth(values, 0.6), log_wealth(1 - values, 0.4)
    assert record["e_above"] == pytest.approx(math.exp(up[-1]))
    assert record["e_below"] == pytest.approx(math.exp(down[-1]))
    assert record["p_above"] == pytest.approx(min(1.0, 1 / math.exp(up.max())))
    assert record["needed"] == 40.0


@pytest.mark.parametrize("rate", [0.3, 0.9])
def test_a_claim_is_made_when_the_interval_leaves_the_number(rate: float) -> None:
    found = runs_of(rows_of(drawn(rate, 300))).monitor(above=0.6, below=0.6)
    watch = found.watches[0]
    assert watch.decided is not None
    at, decision = watch.decided
    assert decision == ("above" if rate > 0.6 else "below")
    assert watch.verdict == f"stop: {decision} 0.6"
    low, high = watch.looks.low, watch.looks.high
    assert low[at - 2] <= 0.6 <= high[at - 2]
    assert low[at - 1] > 0.6 or high[at - 1] < 0.6
    assert found.is_decided


def test_which_of_two_is_better_is_said_in_words() -> None:
    rows = [*rows_of(drawn(0.9, 300), "new"), *rows_of(drawn(0.6, 300, 1), "old")]
    assert runs_of(rows).monitor("new", "old").watches[0].verdict == "stop: new is better than old"
    assert runs_of(rows).monitor("old", "new").watches[0].verdict == "stop: new is better than old"
    by = runs_of(rows).monitor("new", "old", above=0.05)
    assert by.watches[0].verdict == "stop: new − old is above 0.05"
    assert by.watches[0].interval.high == 1.0  # only one side is watched


def test_a_claim_stays_though_later_questions_speak_against_it() -> None:
    values = np.concatenate([np.ones(60), np.zeros(600)])
    found = runs_of(rows_of(values)).monitor(above=0.5, below=0.5)
    watch = found.watches[0]
    assert watch.decided is not None
    assert watch.decided[1] == "above"
    assert watch.decided[0] < 20
    assert watch.contradicts
    assert "contradict each other" in str(found)


def test_rewards_in_known_bounds_are_watched_in_their_own_units() -> None:
    values = drawn(0.8, 200)
    plain = runs_of(rows_of(values)).monitor(above=0.5).to_dicts()[0]
    scaled = runs_of(rows_of(10 * values - 5)).monitor(above=0.0, bounds=(-5, 5)).to_dicts()[0]
    assert scaled["e_above"] == pytest.approx(plain["e_above"])
    assert scaled["low"] == pytest.approx(10 * plain["low"] - 5)
    assert scaled["decided_at"] == plain["decided_at"]


def test_before_the_first_question_nothing_is_known() -> None:
    found = runs_of(rows_of([1, 0])).monitor(above=0.5, below=0.5, trials=3)
    record = found.to_dicts()[0]
    assert math.isnan(record["value"])
    assert [record[key] for key in ("low", "high", "e_above", "p_above")] == [0.0, 1.0, 1.0, 1.0]
    assert (record["verdict"], record["questions"], record["pending"]) == ("go on", 0, 2)
    assert "2 questions pending" in str(found)
    assert found.history().to_dicts() == []
    assert str(found.history())


def test_a_result_prints_as_a_table_and_as_html() -> None:
    found = runs_of(rows_of(drawn(0.9, 100))).monitor(above=0.5, below=0.5)
    verdict, _, conclusion, table, *_ = str(found).split("\n\n")
    assert verdict == "Stop: mine is above 0.5."
    assert conclusion.startswith("Stop: mine is above 0.5, decided after ")
    head = table.splitlines()[0].split("  ")
    assert [each.strip() for each in head if each.strip()] == [
        *("system", "mean [95% CI]", "questions", "e above 0.5", "e below 0.5", "verdict")
    ]
    assert "<table>" in found._repr_html_()
    assert repr(found.history()) == str(found.history())


def test_huge_evidence_is_a_number_still() -> None:
    record = runs_of(rows_of(np.ones(2_000))).monitor(above=0.1).to_dicts()[0]
    assert math.isfinite(record["e_above"])
    assert record["p_above"] == 0.0


# Looks.


def test_looking_after_every_trial_shows_what_the_whole_log_shows() -> None:
    rng = np.random.default_rng(5)
    rows = [
        {"system": system, "question": at, "outcome": float(rng.random() < rate)}
        for at in range(25)
        for _ in range(2)
        for system, rate in (("A", 0.9), ("B", 0.2))
    ]
    whole = runs_of(rows).monitor("A", "B", trials=2)
    steps = {row["questions"]: row for row in whole.history().to_dicts()}
    for seen in range(4, len(rows) + 1, 3):  # ends at every place of a round of four rows
        record = runs_of(rows[:seen]).monitor("A", "B", trials=2).to_dicts()[0]
        if record["questions"]:
            step = steps[record["questions"]]
            for key in ("value", "low", "high", "e_above", "e_below"):
                assert record[key] == pytest.approx(step[key], rel=1e-9), key
        if record["decided_at"]:
            assert record["decided_at"] == whole.to_dicts()[0]["decided_at"]
    assert whole.is_decided


def ever_claimed(values: np.ndarray, line: float, least: float = 0.0) -> float:
    """The share of runs, a row each, in which either claim is ever made, at a look after each."""
    span = 1.0 - least
    up, mean = (values - least) / span, (line - least) / span
    above = log_wealth(up, mean).max(axis=1) >= math.log(40)
    below = log_wealth(1.0 - up, 1.0 - mean).max(axis=1) >= math.log(40)
    return float(np.mean(above | below))


@pytest.mark.parametrize(
    ("shape", "trials"), [((1.0, 1.0), 1), ((9.0, 1.0), 4), ((0.15, 2.5), 1), ((0.3, 0.3), 4)]
)
def test_equal_systems_seldom_raise_a_false_alarm(shape: tuple[float, float], trials: int) -> None:
    rng = np.random.default_rng(3)
    rate = rng.beta(*shape, (1000, 300))
    first, second = (rng.binomial(trials, rate) / trials for _ in range(2))
    assert ever_claimed(first - second, 0.0, least=-1.0) < 0.05


@pytest.mark.parametrize("rate", [0.5, 0.8, 0.95])
def test_a_rate_on_the_line_seldom_raises_a_false_alarm(rate: float) -> None:
    values = np.random.default_rng(7).random((1500, 400)) < rate
    assert ever_claimed(values.astype(float), rate) < 0.05


def test_the_method_claims_in_the_runs_in_which_the_bets_do() -> None:
    rng = np.random.default_rng(11)
    values = (rng.random((20, 60)) < 0.62).astype(float)
    for row in values:
        found = errbar.load(row[:, None]).monitor(above=0.5, below=0.5)
        assert found.is_decided == bool(ever_claimed(row[None, :], 0.5))


# What cannot be watched.


@pytest.mark.parametrize(
    ("systems", "options", "said"),
    [
        ((), {}, "say when to stop"),
        ((), {"above": 1.0}, "can never be claimed"),
        ((), {"below": 0.0}, "can never be claimed"),
        ((), {"above": 1.5}, r"above must be in \[0, 1\]"),
        ((), {"above": 0.5, "level": 1.0}, "level must lie strictly"),
        ((), {"above": 0.5, "trials": 0}, "trials must be 1 at least"),
        ((), {"above": 0.5, "bounds": (1, 0)}, "the lower one first"),
        ((), {"above": 0.5, "errors": "bracket"}, "errors must be 'fail' or 'missing'"),
        (("A", "A"), {}, "compared with itself"),
        (("A", "B", "C"), {}, "at most two systems"),
    ],
)
def test_what_makes_no_sense_is_refused(
    systems: tuple[str, ...], options: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        runs_of(rows_of([1, 0, 1], "A")).monitor(*systems, **options)


def test_what_is_not_there_is_refused() -> None:
    runs = runs_of(rows_of([1, 0, 1], "A"))
    with pytest.raises(NotThere, match=r"no system 'B'\. .*There are: 'A'"):
        runs.monitor("A", "B")
    with pytest.raises(UnknownColumn, match="no column to order by named 'when'"):
        runs.monitor(above=0.5, order="when")
    with pytest.raises(WrongType, match="trials must be a whole number"):
        runs.monitor(above=0.5, trials=2.0)  # type: ignore[arg-type]
    half: list[dict[str, Any]] = [
        {"question": 1, "outcome": 1.0, "when": None},
        {"question": 2, "outcome": 1.0, "when": 1},
    ]
    with pytest.raises(InputError, match="1 of 2 rows has no value in the column 'when'"):
        runs_of(half).monitor(above=0.5, order="when")


def test_outcomes_out_of_bounds_are_refused() -> None:
    with pytest.raises(InputError, match=r"between 0 and 1; 1 of 2 rows do not, such as 3 of"):
        runs_of(rows_of([1, 3])).monitor(above=0.5)
    other = [*rows_of([1, 0]), *rows_of([7], "other")]
    assert runs_of(other).monitor("mine", above=0.5).watches  # which is not watched


def test_counts_have_no_order() -> None:
    with pytest.raises(InputError, match="counts do not record the order of trials"):
        errbar.load(errbar.Counts([4, 4], [1, 2])).monitor(above=0.5)
    with pytest.raises(InputError, match="matrices have none"):
        errbar.load([[1, 0], [0, 1]]).monitor(above=0.5, order="when")


@pytest.mark.parametrize(
    ("engine", "where"),
    [(nw.Implementation.PYSPARK, "Spark"), (nw.Implementation.IBIS, "a database")],
)
def test_rows_in_spark_and_in_databases_have_no_order(
    engine: nw.Implementation, where: str
) -> None:
    frame: Any = SimpleNamespace(implementation=engine)
    with pytest.raises(InputError, match=f"rows in {where} have no order"):
        ordered_rows(frame, find_columns(["question", "outcome"]), None)


# The command.


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["monitor", *arguments])


def shown(*arguments: str) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def log(tmp_path: Path) -> Path:
    file = tmp_path / "log.jsonl"
    rows = [*rows_of(drawn(0.9, 80), "new"), *rows_of(drawn(0.4, 80, 1), "old")]
    file.write_text(lines(rows))
    return file


def test_json_has_the_documented_keys(log: Path) -> None:
    whole = json.loads(shown(str(log), "--better", "new", "old", "--format", "json"))
    assert list(whole) == ["guesses", "rows", "notes"]
    assert [tuple(row) for row in whole["rows"]] == [KEYS]
    assert whole["rows"][0]["decision"] == "above"
    assert whole["rows"][0]["verdict"] == "stop: new is better than old"
    steps = json.loads(shown(str(log), "--above", "0.5", "--history", "--format", "json"))
    assert {tuple(row) for row in steps["rows"]} == {STEPS}
    assert len(steps["rows"]) == 160


@pytest.mark.parametrize("style", ["table", "csv", "markdown", "latex"])
def test_other_formats_say_the_same(log: Path, style: str) -> None:
    text = shown(str(log), "--above", "0.6", "--below", "0.6", "--format", style)
    assert "stop: above 0.6" in text
    assert "stop: below 0.6" in text


def test_the_exit_code_tells_a_script_whether_to_stop(log: Path) -> None:
    assert run(str(log), "--better", "new", "old", "--exit-code").exit_code == 0
    assert run(str(log), "--system", "new", "--above", "0.95", "--exit-code").exit_code == 3
    assert run(str(log), "--system", "new", "--above", "0.95").exit_code == 0


def test_the_command_takes_what_the_method_takes(log: Path) -> None:
    given = ["--trials", "2", "--level", "0.9", "--errors", "missing", "--order", "question"]
    row = json.loads(
        shown(str(log), "--system", "new", "--above", "0.5", *given, "--format", "json")
    )
    assert [row["rows"][0][key] for key in ("trials", "level", "needed")] == [2, 0.9, 10.0]
    assert row["rows"][0]["pending"] == 80
    scaled = shown(str(log), "--above", "1", "--bounds", "-5", "5", "--format", "json")
    assert json.loads(scaled)["rows"][0]["above"] == 1.0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "say when to stop"),
        (["--better", "new", "nobody"], "there is no system 'nobody'"),
        (["--better", "new", "old", "--system", "new"], "give only one of them"),
        (["--above", "0.5", "--engine", "spark"], "omit --engine spark"),
        (["--above", "0.5", "--map", "outcome=nothing"], "no column 'nothing'"),
    ],
)
def test_the_command_refuses_with_one_sentence(log: Path, options: list[str], said: str) -> None:
    result = run(str(log), *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert "Traceback" not in result.stderr


# A log that grows.


@pytest.mark.parametrize("ending", [".jsonl", ".csv"])
def test_half_a_line_at_the_end_is_left_out_and_reported(tmp_path: Path, ending: str) -> None:
    rows = rows_of(drawn(0.9, 30))
    text = lines(rows) if ending == ".jsonl" else pl.DataFrame(rows).write_csv()
    file = tmp_path / f"log{ending}"
    last = len(text.splitlines(keepends=True)[-1])
    for cut in (1, 2, last // 2, last - 1):  # without its line break, and down to one character
        file.write_text(text[:-cut])
        whole = json.loads(shown(str(file), "--above", "0.5", "--format", "json"))
        without_its_end = cut > 1 or ending == ".csv"  # an object that can be read is whole
        assert whole["rows"][0]["questions"] == 30 - without_its_end
        told = f"The last line of {file} is incomplete and was left out."
        assert (told in whole["notes"]) == without_its_end


def test_half_lines_among_several_files_are_left_out(tmp_path: Path) -> None:
    rows = rows_of(drawn(0.9, 40))
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.jsonl").write_text(lines(rows[:20]))
    (tmp_path / "logs" / "b.jsonl").write_text(lines(rows[20:])[:-5])
    for path in (str(tmp_path / "logs"), str(tmp_path / "logs" / "*.jsonl")):
        row = json.loads(shown(path, "--above", "0.5", "--format", "json"))["rows"][0]
        assert row["questions"] == 39


def test_what_is_wrong_with_a_copied_log_names_the_log_itself(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text('{"question": 1, "outcome": 1}\nbroken\n{"question"')
    result = run(str(file), "--above", "0.5")
    assert result.exit_code == 2
    assert f"Error: {file}, line " in result.stderr
    assert "errbar-" not in result.stderr


def growing_by_half_lines(file: Path, ahead: list[str], at: str) -> Any:
    """What stands at a dotted name, with half a line written to a file before it and half after.

    Whoever looks at the file before and after finds whole lines, and whoever reads it half a one.
    """
    place, _, name = at.rpartition(".")
    module = importlib.import_module(place)
    real = getattr(module, name)

    def between(*given: Any, **options: Any) -> Any:
        half, rest = ahead[0][:-3], ahead.pop(0)[-3:]
        with file.open("a") as log:
            log.write(half)
        try:
            return real(*given, **options)
        finally:
            with file.open("a") as log:
                log.write(rest)

    return between


@pytest.mark.parametrize(
    ("ending", "follow", "at"),
    [
        (".jsonl", [], "errbar.cli.monitor.runs_of"),
        (".csv", ["--follow"], "errbar.cli.monitor.runs_of"),
        (".csv", [], "errbar.data.sources.tables.ordered_rows"),
        (".jsonl", ["--follow"], "errbar.data.sources.tables.ordered_rows"),
    ],
)
def test_half_a_line_written_while_a_log_is_read_is_never_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, follow: list[str], at: str
) -> None:
    rows = rows_of(np.full(40, 0.75))
    text = lines(rows) if ending == ".jsonl" else pl.DataFrame(rows).write_csv()
    every = text.splitlines(keepends=True)
    file = tmp_path / f"log{ending}"
    file.write_text("".join(every[:-10]))
    ahead = every[-10:]
    monkeypatch.setattr(at, growing_by_half_lines(file, ahead, at))
    row = json.loads(shown(str(file), "--above", "0.5", *follow, "--format", "json"))["rows"][0]
    assert len(ahead) == 8  # the log itself, and a copy
    assert (row["questions"], row["pending"]) == (31, 0)
    assert row["value"] == pytest.approx(0.75)


def test_a_log_that_stands_still_is_not_copied(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def noted(paths: Any, *given: Any) -> Any:
        read.extend(paths)
        return runs_at(paths, *given)

    monkeypatch.setattr("errbar.cli.monitor.runs_of", noted)
    shown(str(log), "--above", "0.5")
    assert read == [str(log)]


def test_links_to_logs_are_copied_under_their_own_names(tmp_path: Path) -> None:
    (tmp_path / "stored").mkdir()
    (tmp_path / "stored" / "1f3a").write_text('{"question": 1, "outcome": 1}\n{"qu')
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "log.jsonl").symlink_to(tmp_path / "stored" / "1f3a")
    for path in (tmp_path / "logs", tmp_path / "logs" / "log.jsonl"):
        row = json.loads(shown(str(path), "--above", "0.5", "--format", "json"))["rows"][0]
        assert row["questions"] == 1


def test_copies_are_gone_afterwards(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text('{"question": 1, "outcome": 1}\n{"qu')
    with whole_lines([str(file)]) as whole:
        assert Path(whole.paths[0]).read_text() == '{"question": 1, "outcome": 1}\n'
    assert not Path(whole.place).exists()
    file.write_text("")
    with pytest.raises(NotThere, match="no complete line yet"), whole_lines([str(file)]):
        pass


@pytest.fixture
def follow() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """`errbar monitor --follow` in processes of their own, none of which outlives its test."""
    started = []

    def start(*arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "errbar", "monitor", *arguments, "--follow"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": HOME},
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_following_waits_for_a_log_and_ends_with_a_verdict(tmp_path: Path, follow: Any) -> None:
    file = tmp_path / "log.jsonl"
    process = follow(str(file), "--better", "new", "old", "--every", "0.05", "--format", "json")
    new, old = rows_of(np.ones(40), "new"), rows_of(np.zeros(40), "old")
    rows = [row for pair in zip(new, old, strict=True) for row in pair]
    assert "waiting: " in process.stderr.readline()
    with file.open("w") as growing:
        for row in rows:
            text = lines([row])
            for half in (text[:20], text[20:]):
                growing.write(half)
                growing.flush()
                time.sleep(0.01)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert json.loads(out)["rows"][0]["verdict"] == "stop: new is better than old"
    assert "stop: new is better than old" in err.splitlines()[-1]


def test_following_ends_with_ctrl_c(log: Path, follow: Any) -> None:
    process = follow(str(log), "--above", "0.97")
    assert "go on" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    assert "Interrupted." in process.communicate(timeout=60)[1]
    assert process.returncode == 130


def test_a_mistake_is_not_waited_for(log: Path) -> None:
    result = run(str(log), "--above", "2", "--follow")
    assert result.exit_code == 2


def test_monitoring_is_a_frozen_value() -> None:
    found = runs_of(rows_of([1, 0])).monitor(above=0.5)
    assert isinstance(found, Monitoring)
    with pytest.raises(AttributeError):
        found.remarks = ()  # type: ignore[misc]
