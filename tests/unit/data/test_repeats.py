"""Trials that occur twice: every small question is looked at, and held against plain counting."""

from collections import Counter
from collections.abc import Callable
from itertools import combinations_with_replacement

import duckdb
import narwhals.stable.v2 as nw
import polars as pl
import pytest

import errbar
from errbar.data.queries.questions import count_by_bits
from errbar.data.queries.repeats import POWERS, is_doubtful, powers_of
from errbar.errors import RepeatedTrial

COLUMNS = ("question", "number", "outcome")


def table_of(questions: list[tuple[int, ...]]) -> pl.DataFrame:
    """One row per trial."""
    rows = [(at, trial, 1) for at, trials in enumerate(questions) for trial in trials]
    return pl.DataFrame(rows, schema=dict.fromkeys(COLUMNS, pl.Int64), orient="row")


def doubtful_by_powers(questions: list[tuple[int, ...]]) -> list[bool]:
    """What sums of powers say of each."""
    frame = nw.from_native(table_of(questions).lazy()).with_columns(**powers_of(nw.col("number")))
    ends = (nw.col("place").min().alias("first"), nw.col("place").max().alias("last"))
    sums = [nw.col(name).sum() for name in POWERS]
    summed = frame.group_by("question").agg(nw.len().alias("trials"), *ends, *sums)
    found = summed.select("question", doubtful=is_doubtful()).sort("question").collect()
    return found["doubtful"].to_list()


def doubtful_by_bits(questions: list[tuple[int, ...]]) -> list[bool]:
    """What bits say of each."""
    with duckdb.connect() as engine:
        engine.register("given", table_of(questions).to_arrow())
        rows = nw.from_native(engine.table("given")).lazy()
        counted = count_by_bits(rows, ["question"], [])
        found = nw.to_native(counted).order("question").fetchnumpy()
    return found["doubtful"].astype(bool).tolist()


@pytest.mark.parametrize("size", range(1, 10))
def test_powers_pass_trials_in_a_row_and_nothing_else(size: int) -> None:
    questions = list(combinations_with_replacement(range(10), size))
    in_a_row = [trials == tuple(range(trials[0], trials[0] + size)) for trials in questions]
    assert doubtful_by_powers(questions) == [not fine for fine in in_a_row]


@pytest.mark.parametrize("size", range(1, 10))
def test_bits_pass_trials_that_differ_and_nothing_else(size: int) -> None:
    questions = list(combinations_with_replacement(range(10), size))
    assert doubtful_by_bits(questions) == [len(set(trials)) < size for trials in questions]


@pytest.mark.parametrize("size", [1, 2, 16, 52, 100, 104, 127, 200])
def test_long_rows_are_beyond_doubt_while_their_numbers_fit(size: int) -> None:
    rows = [tuple(range(at, at + size)) for at in (-2, 0, 1, 30, 51, 52, 53, 90, 1000)]
    assert doubtful_by_powers(rows) == [not (row[0] >= 0 and row[-1] < 104) for row in rows]
    numbers = [{min(max(trial, 0), 126) for trial in row} for row in rows]
    assert doubtful_by_bits(rows) == [len(some) < size for some in numbers]


@pytest.mark.parametrize("doubtful", [doubtful_by_powers, doubtful_by_bits])
@pytest.mark.parametrize("size", [2, 11, 16, 40, 100])
def test_a_long_row_with_one_trial_in_the_place_of_another_is_doubtful(
    doubtful: Callable[[list[tuple[int, ...]]], list[bool]], size: int
) -> None:
    swaps = [(here, there) for here in range(size) for there in range(size) if here != there]
    questions = [tuple(b if t == a else t for t in range(size)) for a, b in swaps]
    assert all(doubtful(questions))


@pytest.mark.parametrize("trials", [(0, 1, 1, 3), (5, 5), (-1, 0, 1, 1), (7, 7, 7), (0, 0, 3, 3)])
def test_a_repeated_trial_is_refused_and_named(trials: tuple[int, ...]) -> None:
    rows = {"question": ["q"] * len(trials), "trial": trials, "outcome": [1] * len(trials)}
    often = Counter(trials)
    twice = min(str(trial) for trial in often if often[trial] > 1)
    with pytest.raises(RepeatedTrial, match=f"trial '{twice}' occurs {often[int(twice)]} times"):
        errbar.load(pl.DataFrame(rows)).score("pass@1")


def test_gaps_alone_are_fine() -> None:
    rows = {"question": ["q"] * 4, "trial": [0, 2, 5, 9_000_000_000], "outcome": [1, 0, 1, 1]}
    assert errbar.load(pl.DataFrame(rows)).score("pass@1")[0].value == 0.75


def test_a_row_without_a_trial_is_no_repeat() -> None:
    rows = {"question": ["q"] * 3, "trial": [0, None, None], "outcome": [1, 0, 1]}
    assert errbar.load(pl.DataFrame(rows)).score("pass@1")[0].value == 2 / 3
