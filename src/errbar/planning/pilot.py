"""What a pilot log tells of a run to come: how difficulty is spread, and how two systems disagree.

The spread is learned from the first system. A second system's log odds on a question are those of
the first and a shift, normal over questions; its mean is fixed by what the second system got in
all, its standard deviation is what the paired counts let expect of it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from errbar.data.slices import NEVER_SCORED, Slice
from errbar.data.sources import Source
from errbar.data.statistics import CountsByState, States
from errbar.errors import InputError, WrongType
from errbar.kernels import difficulty as kernel
from errbar.kernels.power import moved, steps_of_normal
from errbar.planning.difficulty import Difficulty, shift_to
from errbar.remarks import way_to_say
from errbar.tables import counted
from errbar.uncertainty.method import refuse_weights_in

Array = NDArray[np.floating[Any]]
Errors = Literal["fail", "missing"]
_Counted = dict[tuple[str, str], tuple[int, int]]  # task and question: trials and right ones

_TAKEN = {"fail": "wrong", "missing": "missing"}
_STEPS = 15  # of the normal shift
_DISAGREEMENTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0, 1.2, 1.4, 1.7, 2.0, 2.5, 3.0)
_USUAL = 1.5  # scale of disagreements before anything is seen: half a normal distribution
_SAFE = 1e-300
_AT_EITHER_END = 0.25  # of a trial: how near to 0 or 1 a mean rate is taken to be


class PilotLog(Protocol):
    """Outcomes of a pilot: the `Runs` that `errbar.load` returns."""

    @property
    def source(self) -> Source:
        """Where the outcomes are."""
        ...


@dataclass(frozen=True, eq=False)
class Pilot:
    """What was learned; a disagreement of nan was not."""

    difficulty: Difficulty
    disagreement: float
    remarks: tuple[str, ...]


def learned_from(
    log: PilotLog, systems: Sequence[str], errors: Errors, rng: np.random.Generator
) -> Pilot:
    """What a pilot of one system tells, or of two on the same questions."""
    source = getattr(log, "source", None)
    if not isinstance(source, Source):
        raise WrongType(f"a pilot is what errbar.load gives; got {type(log).__name__}.")
    if errors not in _TAKEN:
        raise InputError(f"errors must be 'fail' or 'missing'; got {errors!r}.")
    slices = source.slices(())
    names = _chosen(systems, list(dict.fromkeys(one.key[0] for one in slices)))
    if any(one.is_weighted for one in slices):
        refuse_weights_in("a plan, whose questions all count alike,")
    slices = [one for one in slices if one.was_scored]
    counts = _counts([one for one in slices if one.key[0] == names[0]], errors)
    states = States.of([counts])
    often = states.questions[0].astype(np.int64)
    start = np.zeros(1, dtype=np.int64)
    spread = kernel.learn(states.trials, states.correct, often, start, [rng])
    whose = f" of {names[0]}" if names[0] else ""
    words = f"learned from {counted(len(counts), 'question')}{whose}"
    difficulty = Difficulty(words, spread.rates[0], spread.weights[0])
    remarks = _remarks(slices, states.trials)
    if len(names) == 1:
        return Pilot(difficulty, math.nan, remarks)
    pairs, only = _pairs(source, names, errors)
    if only:
        remarks += (f"{counted(only, 'question')} of the pilot were given to one system only.",)
    if np.median(pairs[:, [0, 2]], axis=0).min() < 2:
        remarks += ("One trial per question does not tell how far two systems disagree.",)
        return Pilot(difficulty, math.nan, remarks)
    return Pilot(difficulty, _disagreement(difficulty, pairs), remarks)


def _chosen(systems: Sequence[str], found: list[str]) -> list[str]:
    """One system or two: those named, or all there are."""
    asked = [systems] if isinstance(systems, str) else list(systems)
    strange = [name for name in asked if name not in found]
    if strange:
        raise InputError(
            f"the pilot has no system {strange[0]!r}; it has: {', '.join(map(repr, found))}."
        )
    names = asked or found
    if len(names) > 2:
        raise InputError(
            f"the pilot has {len(found)} systems ({', '.join(found[:4])}{' …' * (len(found) > 4)})"
            f"; name one or two of them with {way_to_say('--system', 'systems=[…]')}."
        )
    return names


def _counts(slices: Sequence[Slice], errors: Errors) -> CountsByState:
    """The questions of all tasks of one system."""
    if not slices:
        raise InputError(f"the pilot: {NEVER_SCORED}.")
    if not all(one.is_binary for one in slices):
        raise WrongType("a pilot needs outcomes of 0 and 1; there are others.")
    each = [one.counts(_TAKEN[errors]) for one in slices]
    trials = np.concatenate([one.trials for one in each])
    some = trials > 0
    if not some.any():
        raise InputError("the pilot has no question with a result.")
    return CountsByState(
        trials[some],
        np.concatenate([one.correct for one in each])[some],
        np.concatenate([one.often for one in each])[some],
    )


def _remarks(slices: Sequence[Slice], trials: NDArray[np.int64]) -> tuple[str, ...]:
    remarks = []
    if trials.max() == 1:
        remarks.append(
            "The pilot has one trial per question, which cannot tell hard questions from bad luck: "
            "how difficulty is spread is hardly known."
        )
    if any(one.clusters is not None for one in slices):
        remarks.append(
            "The pilot has clusters. Questions are planned as if each stood for itself: where "
            "those of a cluster are alike, more are needed."
        )
    return tuple(remarks)


def _pairs(source: Source, names: Sequence[str], errors: Errors) -> tuple[NDArray[np.int64], int]:
    """Trials and right ones of both systems, a row per common question; how many are not."""
    first, second = (_by_question(source, name, errors) for name in names)
    common = [one for one in first if one in second and first[one][0] and second[one][0]]
    if not common:
        raise InputError(f"{names[0]!r} and {names[1]!r} share no question in the pilot.")
    rows = [(*first[one], *second[one]) for one in common]
    return np.array(rows, dtype=np.int64), len(first) + len(second) - 2 * len(common)


def _by_question(source: Source, name: str, errors: Errors) -> _Counted:
    """Counts of every question of a system."""
    found: _Counted = {}
    for (system, task), named in source.named().items():
        if system == name:
            counts = named.slice.counts(_TAKEN[errors])
            each = zip(counts.trials.tolist(), counts.correct.tolist(), strict=True)
            found |= {(task, q): one for q, one in zip(named.questions, each, strict=True)}
    return found


def _disagreement(difficulty: Difficulty, pairs: NDArray[np.int64]) -> float:
    """The standard deviation of the shift, as the second system's counts let expect it."""
    states, often = np.unique(pairs, axis=0, return_counts=True)
    n, right, others_n, others_right = states.T[:, :, None].astype(float)
    rates, weights = difficulty.as_one()
    belongs = kernel.belonging(right, n - right, *kernel.logs_of(rates, weights))
    asked = often * states[:, 2]
    solved, trials = float(often @ states[:, 3]), float(asked.sum())
    mean = min(max(solved, _AT_EITHER_END), trials - _AT_EITHER_END) / trials
    likeliest = kernel.logs_of(others_right / others_n, np.ones(1))[:2]
    steps, step_weights = steps_of_normal(_STEPS)

    def support(sd: float) -> float:
        def mean_at(shift: float) -> float:
            others = moved(rates[:, None], shift + sd * steps) @ step_weights
            return float(asked @ (belongs @ others)) / trials

        others = moved(rates[:, None], shift_to(mean_at, mean) + sd * steps)
        by_step = kernel.logs_of(others, np.ones(1))[:2]
        chance = np.zeros_like(belongs)
        for at, weight in enumerate(step_weights):
            right_less, wrong_less = (
                log[:, at] - best for log, best in zip(by_step, likeliest, strict=True)
            )
            chance += weight * np.exp(
                others_right * right_less + (others_n - others_right) * wrong_less
            )
        return float(often @ np.log((belongs * chance).sum(axis=1) + _SAFE))

    logs = np.array([support(sd) for sd in _DISAGREEMENTS])
    known = np.exp(logs - logs.max()) * np.gradient(_DISAGREEMENTS)
    known *= np.exp(-0.5 * np.square(np.array(_DISAGREEMENTS) / _USUAL))
    return float(known @ _DISAGREEMENTS / known.sum())
