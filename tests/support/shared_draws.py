"""Posterior draws of difficulty that tests of one process share.

The sampler takes a second of processor time, and tests score the same few questions again and
again: in every engine, by every metric, under every policy. It gives the same draws for the same
questions and the same state of its generators, so they are kept under both, and a generator is left
as the sampler would have left it. The tests of the sampler itself import it and are not served.

Tests that compare two ways to a number, or only look whether a command runs, use `short_chains`.
"""

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from errbar.kernels import difficulty

_MOST_KEPT = 50  # of up to 2 MB for each system


class SharedDraws:
    """A replacement of `difficulty.learn`, which it calls for questions not seen before."""

    def __init__(self, learn: Any) -> None:
        self.learn = learn
        self.known: OrderedDict[Any, tuple[Any, list[Any]]] = OrderedDict()

    def __call__(self, *arrays: Any) -> Any:
        *questions, rngs = arrays
        before = (str(rng.bit_generator.state) for rng in rngs)
        key = (difficulty._SWEEPS, *map(_content, questions), *before)
        if key in self.known:
            self.known.move_to_end(key)
            draws, states = self.known[key]
            for rng, state in zip(rngs, states, strict=True):
                rng.bit_generator.state = state
        else:
            draws = self.learn(*arrays)
            self.known[key] = draws, [rng.bit_generator.state for rng in rngs]
            if len(self.known) > _MOST_KEPT:
                self.known.popitem(last=False)
        return type(draws)(*map(np.copy, draws))


def _content(array: Any) -> tuple[str, bytes]:
    return array.dtype.str, array.tobytes()


@pytest.fixture(scope="session", autouse=True)
def shared_draws() -> Iterator[None]:
    """Share posterior draws among all tests of this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(difficulty, "learn", SharedDraws(difficulty.learn))
        yield


@pytest.fixture
def short_chains(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of the sweeps, for tests that check no figure of the posterior."""
    monkeypatch.setattr(difficulty, "_FIRST", 10)
    monkeypatch.setattr(difficulty, "_SWEEPS", 40)
