"""Trials that occur twice: every small question is looked at, and held against plain counting."""

from collections import Counter
from itertools import combinations_with_replacement

import narwhals.stable.v2 as nw
import polars as pl
import pytest

import errbar
from errbar.data.repeats import is_doubtful, powers_of
from errbar.errors import RepeatedTrial


def doubtful(questions: list[tuple[int, ...]]) -> list[bool]:
    """What the sums say of each."""
    rows = [(at, trial) for at, trials in enumerate(questions) for trial in trials]
    table = pl.DataFrame(rows, schema={"question": pl.Int64, "trial": pl.Float64}, orient="row")
    frame = nw.from_native(table.lazy()).with_columns(**powers_of(nw.col("trial")))
    summed = frame.group_by("question").agg(
        nw.len().alias("trials"), nw.col("packed").sum(), nw.col("fourths").sum()
    )
    found = summed.select("question", doubtful=is_doubtful()).sort("question").collect()
    return found["doubtful"].to_list()


@pytest.mark.parametrize("size", range(1, 10))
def test_trials_in_a_row_are_beyond_doubt_and_repeated_ones_never(size: int) -> None:
    questions = list(combinations_with_replacement(range(10), size))
    in_a_row = [trials == tuple(range(trials[0], trials[0] + size)) for trials in questions]
    assert doubtful(questions) == [not fine for fine in in_a_row]


@pytest.mark.parametrize("first", [0, 1, 16, 1000, 30_000])
@pytest.mark.parametrize("size", [1, 2, 100, 1000])
def test_long_rows_from_anywhere_are_beyond_doubt_if_their_sums_are_exact(
    first: int, size: int
) -> None:
    trials = tuple(range(first, first + size))
    exact = sum(t * (t * 2**22 + 1) for t in trials) < 2**52 and sum(t**4 for t in trials) < 2**53
    assert doubtful([trials]) == [not exact]


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
