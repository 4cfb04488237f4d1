"""How the work grows: counted in calls, not in seconds, so that no machine decides."""

import sys
from collections import Counter
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import errbar
from errbar.analysis.pairs import sample_of_differences
from errbar.kernels import bounded_mean
from errbar.kernels.bounded_mean import Sample, low_end


def calls(work: Callable[[], Any]) -> Counter[str]:
    """How often each function of errbar is called."""
    found: Counter[str] = Counter()

    def count(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and "errbar" in frame.f_code.co_filename:
            found[frame.f_code.co_qualname] += 1

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return found


def systems(number: int, questions: int = 4) -> errbar.Runs:
    rng = np.random.default_rng(number)
    return errbar.load(
        {
            f"system {at}": errbar.Counts(np.full(questions, 3), rng.integers(0, 4, questions))
            for at in range(number)
        }
    )


@pytest.mark.parametrize("show", [str, lambda found: found.to_json()], ids=["table", "json"])
def test_the_calls_for_many_systems_grow_with_their_number(show: Callable[[Any], Any]) -> None:
    few, many = systems(100), systems(400)
    before = calls(lambda: show(few.score("avg")))
    after = calls(lambda: show(many.score("avg")))
    steep = {name: (before[name], n) for name, n in after.items() if n > 6 * before[name] + 400}
    assert steep == {}


def test_systems_that_are_alike_share_their_interval() -> None:
    bounded_mean._cached_low_end.cache_clear()
    alike = {f"system {at}": errbar.Counts([4] * 20, [0, 1, 3, 4] * 5) for at in range(50)}
    found = errbar.score(alike, "avg")
    assert len({(row.interval.low, row.interval.high) for row in found}) == 1
    assert bounded_mean._cached_low_end.cache_info().misses <= 4


@given(
    values=st.lists(st.integers(0, 8), min_size=1, max_size=12, unique=True),
    seed=st.integers(0, 99),
    tail=st.sampled_from([0.025, 0.05, 0.2]),
)
def test_a_remembered_end_is_the_computed_one(values: list[int], seed: int, tail: float) -> None:
    rng = np.random.default_rng(seed)
    often = rng.integers(1, 9, len(values)).astype(float)
    sample = Sample(np.array(values) / 8.0, np.ones(len(values)), often)
    assert low_end(sample, tail) == bounded_mean._low_end(sample, tail)
    assert low_end(sample, tail) == bounded_mean._low_end(sample, tail)


@given(
    rows=st.lists(st.tuples(st.integers(-3, 3), st.integers(1, 3)), min_size=1, max_size=60),
    alike=st.booleans(),
)
def test_equal_differences_are_pooled_as_by_unique_columns(
    rows: list[tuple[int, int]], alike: bool
) -> None:
    totals = np.array([total for total, _ in rows]) / 4.0
    sizes = np.array([1.0 if alike else size for _, size in rows])
    found = sample_of_differences(totals, sizes, (-1.0, 1.0))
    expected, often = np.unique(np.stack([totals, sizes]), axis=1, return_counts=True)
    assert np.array_equal(np.stack([found.values, found.sizes]), expected)
    assert np.array_equal(found.often, often)
