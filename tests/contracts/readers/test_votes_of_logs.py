"""Votes by answer on a real log, against what its harness printed."""

import pytest

import errbar
from logs import real


def test_the_majority_of_answers_is_that_of_the_harness() -> None:
    runs = errbar.load(real("qwen-math"))
    (first,) = runs.score("vote@8(ties='first')")
    assert first.value == pytest.approx(0.93, abs=5e-5)
    (split,) = runs.score("vote@8")
    assert split.value == pytest.approx(0.925, abs=5e-5)  # three questions are tied, one right each
