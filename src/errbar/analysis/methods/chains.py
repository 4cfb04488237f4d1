"""Draws of the distribution of difficulty: how many chains of the sampler a system has.

Every end of an interval that rests on them is within 1 % of the width of its limit for endless
draws, with probability 95 %, by the two-stage procedure of Stein (1945, "A two-sample test for a
linear hypothesis whose power is independent of the variance"): how far the end varies between
groups of the first chains says how many chains are needed.
"""

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np

from errbar.base.arrays import Array
from errbar.data.counts import States
from errbar.kernels import difficulty
from errbar.kernels.interval import student_reach
from errbar.kernels.partial_identification import on_grid

_TOGETHER = 50  # systems that are fitted in one pass, of at most 10 MB each
# First chains of a system, more of few states, which are cheap and leave more open, and the
# states that all chains of a system have at most: eight seconds.
MOST_CHAINS, _LEAST_CHAINS, _STATES_AT_ONCE, _STATES_IN_ALL = 32, 4, 640, 10_240
# Terms of a sum that takes as long as the draws: half a second, a tenth in simulations of one chain
_MOST_TERMS, _TERMS_OF_CHAIN = 1 << 16, 1 << 13
_GROUPS = 8  # of chains, between which ends are compared: Student's t of 7 degrees of freedom
_NEAR, _SURE = 0.01, 0.95  # share of the width, and how often an end is so near its limit


class DifficultySample:
    """Draws of the distribution of difficulty of one system, or what is summed in their place."""

    def __init__(self, states: States, rng: np.random.Generator, most_chains: int) -> None:
        self.states, self.rng, self.most_chains = states, rng, most_chains
        often, wrong = states.questions[0].astype(int), states.trials - states.correct
        self.outcomes = difficulty.StateCounts(states.correct, wrong, often)
        most = max(_MOST_TERMS, _TERMS_OF_CHAIN * most_chains)
        self.summed = difficulty.terms_of_sum(self.outcomes) <= most

    @cached_property
    def drawn(self) -> difficulty.DifficultyDraws:
        """Draws of the distribution of difficulty."""
        return _draws_of([self])[0]

    @cached_property
    def seed(self) -> int:
        """Seed of all random numbers but those of the draws, which come first."""
        return int((self.drawn, self.rng.integers(1 << 62))[1])

    @cached_property
    def belongs(self) -> Array:
        """Chance that a question belongs to each point: draws × states × points."""
        rates, weights = self.drawn
        logs = difficulty.logs_of(rates[:, None, :], weights[:, None, :])
        sides = (side[:, None].astype(float) for side in self.outcomes[:2])
        return difficulty.memberships(*sides, *logs)

    def again(self, batch: int) -> "DifficultySample":
        """A sample of as many other chains."""
        rng = np.random.default_rng([self.seed, batch])
        return DifficultySample(self.states, rng, self._chains)

    @property
    def _chains(self) -> int:
        return len(self.drawn.rates) // difficulty.DRAWS

    @cached_property
    def _groups(self) -> list[slice]:
        """Draws by groups of chains; simulations, whose chains are few, have a single group."""
        number = min(_GROUPS, self._chains) if self.most_chains >= _GROUPS else 1
        edges = difficulty.DRAWS * (self._chains * np.arange(number + 1) // number)
        return [slice(*pair) for pair in pairwise(edges.tolist())]

    @cached_property
    def rates(self) -> list[Array]:
        """Posterior distribution of the success rate of a question of each state, on `GRID`.

        From each group of chains; a sum over all assignments is a single group.
        """
        if self.summed:
            return [on_grid(*difficulty.exact_rates_by_state(self.outcomes))]
        rng, (rates, _), belongs = np.random.default_rng(self.seed), self.drawn, self.belongs
        return [
            on_grid(*difficulty.rates_by_state(rates[some], belongs[some], self.outcomes, rng))
            for some in self._groups
        ]

    def batches_needed(self, ends: Array, width: float) -> int:
        """How many times the first chains an end needs, by the ends of each group of chains."""
        errors = ends.std(axis=0, ddof=1) / math.sqrt(len(ends))
        reach = student_reach(_SURE, len(ends) - 1.0)
        needed = (reach * float(errors.max()) / (_NEAR * width)) ** 2 if width > 0.0 else 0.0
        most = _STATES_IN_ALL // (self._chains * self.states.trials.size)
        return max(min(math.ceil(needed), most), 1)

    @cached_property
    def _rates_by_batch(self) -> list[Array]:
        """Their mean over the first chains, and over each batch of others so far."""
        if len(self.rates) == 1:
            return self.rates[:]
        draws = [some.stop - some.start for some in self._groups]
        return [np.average(self.rates, axis=0, weights=draws)]

    def mean_rates(self, batches: int) -> Array:
        """Their mean over the first chains and batches of as many others."""
        known = self._rates_by_batch
        for batch in range(len(known) - 1, batches - 1):
            known += self.again(batch)._rates_by_batch
        mean: Array = np.mean(known[:batches], axis=0)
        return mean


def draw_together(samples: Sequence[DifficultySample]) -> None:
    """Draw for several systems side by side, each from its own random numbers alone."""
    for start in range(0, len(samples), _TOGETHER):
        some = samples[start : start + _TOGETHER]
        for sample, drawn in zip(some, _draws_of(some), strict=True):
            sample.drawn = drawn


def _draws_of(several: Sequence[DifficultySample]) -> list[difficulty.DifficultyDraws]:
    """Posterior draws of each system, from several chains of the sampler run side by side."""
    most = max(sample.states.trials.size for sample in several)
    chains = min(max(_STATES_AT_ONCE // most, _LEAST_CHAINS), several[0].most_chains)
    repeated = [sample.states for sample in several for _ in range(chains)]
    sizes = [states.trials.size for states in repeated]
    spread = difficulty.learn(
        np.concatenate([states.trials for states in repeated]),
        np.concatenate([states.correct for states in repeated]),
        np.concatenate([states.questions[0] for states in repeated]).astype(np.int64),
        np.cumsum([0, *sizes[:-1]]),
        [sample.rng for sample in several],
    )
    parts = (part.reshape(len(several), -1, part.shape[-1]) for part in spread)
    return [difficulty.DifficultyDraws(*system) for system in zip(*parts, strict=True)]
