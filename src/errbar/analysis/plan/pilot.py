"""Difficulty of questions before a run: assumed, or estimated from a pilot log."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from errbar.analysis.alignment import align
from errbar.analysis.methods.base import refuse_weights_in
from errbar.base.arrays import Array, Integers
from errbar.base.remarks import counted, some_of, way_to_say
from errbar.data.counts import CountsByState, States
from errbar.data.queries.questions import NEVER_SCORED, OneWayErrors, Slice, failures_as
from errbar.data.sources.tables import Source
from errbar.errors import InputError, WrongType
from errbar.kernels import difficulty as kernel
from errbar.kernels.power import normal_quadrature, shift_log_odds

_Points = tuple[Array, Array]

_NODES = 128  # of a Beta: exact for polynomials of degree 255, so for two runs of 64 trials
_ODDS_STEPS = 61  # of normal log odds
_CELLS = 400  # of learned points that are pooled
_FARTHEST_SHIFT = 40.0  # of log odds: beyond, a rate is 0 or 1
_HALVINGS = 60  # of an interval of 80: its length is then rounding
_SIDES = (0.01, 500.0)  # range of the parameters of a Beta, in which the sums are accurate
_BETA = re.compile(r"beta\(([0-9.e+-]+),([0-9.e+-]+)\)")


@dataclass(frozen=True, eq=False)
class Difficulty:
    """Success rates and their weights, with a row per plausible distribution of difficulty.

    Examples
    --------
    >>> print(Difficulty.of("beta(2, 2)"))
    Beta(2, 2)
    """

    words: str
    rates: Array
    weights: Array  # a row adds up to one

    @classmethod
    def of(cls, text: "str | Difficulty") -> "Difficulty":
        """Difficulty by name, or from Beta parameters."""
        if isinstance(text, Difficulty):
            return text
        if not isinstance(text, str):
            raise WrongType(f"difficulty is text, as in 'beta(2, 2)'; got {text!r}.")
        plain = text.strip().lower().replace(" ", "")
        if plain in _NAMED:
            words, points = _NAMED[plain]
            return cls._single(words, points())
        beta = _BETA.fullmatch(plain)
        if not beta:
            raise InputError(
                f"difficulty {text!r} is not known; write beta(a, b), or one of "
                f"{', '.join(_NAMED)}."
            )
        sides = [_side(part, text) for part in beta.groups()]
        return cls._single(f"Beta({sides[0]:g}, {sides[1]:g})", _beta(*sides))

    @classmethod
    def _single(cls, words: str, points: _Points) -> "Difficulty":
        rates, weights = points
        return cls(words, rates[None, :], weights[None, :])

    def __str__(self) -> str:
        return self.words

    def each(self) -> "list[Difficulty]":
        """Each plausible distribution by itself."""
        return [
            Difficulty(self.words, self.rates[[at]], self.weights[[at]])
            for at in range(len(self.rates))
        ]

    def average(self) -> _Points:
        """The average of all distributions, with close points merged."""
        if len(self.rates) == 1:
            return self.rates[0], self.weights[0]
        rates, weights = self.rates.ravel(), self.weights.ravel() / len(self.rates)
        cell = 1 + np.floor(np.arcsin(np.sqrt(rates)) * (2.0 * _CELLS / np.pi)).astype(np.int64)
        cell = np.where(rates == 0.0, 0, np.where(rates == 1.0, _CELLS + 2, cell))
        whole = np.bincount(cell, weights).astype(float)
        some = whole > 0
        return np.bincount(cell, weights * rates)[some] / whole[some], whole[some]

    def with_mean(self, value: Callable[[Array], Array], mean: float) -> "Difficulty":
        """Copy with all log odds shifted so that the mean value of the rates is `mean`."""
        shift = shift_to(lambda s: float(self._mean(value(shift_log_odds(self.rates, s)))), mean)
        return replace(
            self,
            words=f"{self.words}, shifted on log odds",
            rates=shift_log_odds(self.rates, shift),
        )

    def _mean(self, values: Array) -> float:
        return float((values * self.weights).sum() / len(self.weights))


def shift_to(mean_at: Callable[[float], float], target: float) -> float:
    """The shift of the log odds at which a monotone mean reaches its target."""
    low, high = -_FARTHEST_SHIFT, _FARTHEST_SHIFT
    first, last = mean_at(low), mean_at(high)
    if not min(first, last) < target < max(first, last):
        raise InputError(
            f"a mean of {target:.4g} is out of reach: whatever the shift of all questions, it "
            f"stays between {min(first, last):.4g} and {max(first, last):.4g}."
        )
    rising = last > first
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if (mean_at(middle) < target) == rising else (low, middle)
    return 0.5 * (low + high)


def _side(part: str, text: str) -> float:
    try:
        side = float(part)
    except ValueError as error:
        raise InputError(f"difficulty {text!r}: {part!r} is not a number.") from error
    if not _SIDES[0] <= side <= _SIDES[1]:
        raise InputError(
            f"difficulty {text!r}: the parameters of a Beta lie between {_SIDES[0]:g} and "
            f"{_SIDES[1]:g}."
        )
    return side


def _beta(right: float, wrong: float) -> _Points:
    """Nodes and weights of Gauss–Jacobi quadrature for a Beta distribution."""
    from scipy.special import roots_jacobi  # noqa: PLC0415  loaded when first needed

    x, weights = roots_jacobi(_NODES, wrong - 1.0, right - 1.0)
    return np.clip(0.5 + 0.5 * x, 0.0, 1.0), weights / weights.sum()


def _mixture(*parts: tuple[float, _Points]) -> _Points:
    """A mixture of distributions with these shares."""
    rates = np.concatenate([points for _, (points, _) in parts])
    return rates, np.concatenate([share * weights for share, (_, weights) in parts])


def _at(rate: float) -> _Points:
    return np.array([rate]), np.ones(1)


def _log_odds(mean: float, sd: float) -> _Points:
    z, weights = normal_quadrature(_ODDS_STEPS)
    return shift_log_odds(np.full(z.size, 0.5), mean + sd * z), weights


_NAMED: dict[str, tuple[str, Callable[[], _Points]]] = {
    "uniform": ("uniform, Beta(1, 1)", lambda: _beta(1.0, 1.0)),
    "easy": ("easy, Beta(9, 1)", lambda: _beta(9.0, 1.0)),
    "hard": ("hard, Beta(0.15, 2.5)", lambda: _beta(0.15, 2.5)),
    "u-shaped": ("u-shaped, Beta(0.3, 0.3)", lambda: _beta(0.3, 0.3)),
    "spiked": (
        "spiked, 30% never solved, 20% always, the rest Beta(2, 2)",
        lambda: _mixture((0.3, _at(0.0)), (0.2, _at(1.0)), (0.5, _beta(2.0, 2.0))),
    ),
    "clusters": (
        "clusters, half Beta(20, 80), half Beta(80, 20)",
        lambda: _mixture((0.5, _beta(20.0, 80.0)), (0.5, _beta(80.0, 20.0))),
    ),
    "logit-normal": (
        "logit-normal, log odds of mean 0.5 and sd 1.5",
        lambda: _log_odds(0.5, 1.5),
    ),
}


_Counted = dict[tuple[str, str], tuple[int, int]]  # task and question: trials and right ones

_SHIFT_STEPS = 15  # nodes for the normal shift
# Of log odds, the coarser the larger: their posterior is integrated by the trapezoidal rule.
_DISAGREEMENTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0, 1.2, 1.4, 1.7, 2.0, 2.5, 3.0)
_USUAL = 1.5  # scale of the half-normal prior of the disagreement
_SAFE = 1e-300  # keeps the logarithm of a chance finite
_AT_EITHER_END = 0.25  # a mean rate keeps at least this share of a trial from 0 and 1


class PilotLog(Protocol):
    """Outcomes of a pilot: the `Runs` that `errbar.load` returns."""

    @property
    def source(self) -> Source:
        """Where the outcomes are."""
        ...


@dataclass(frozen=True, eq=False)
class Pilot:
    """The findings of a pilot; the disagreement is nan if it is unknown."""

    difficulty: Difficulty
    disagreement: float
    remarks: tuple[str, ...]


def learn_difficulty(
    log: PilotLog, systems: Sequence[str], errors: OneWayErrors, rng: np.random.Generator
) -> Pilot:
    """Estimate difficulty from a pilot of one system, or of two on the same questions."""
    source = getattr(log, "source", None)
    if not isinstance(source, Source):
        raise WrongType(f"a pilot is what errbar.load gives; got {type(log).__name__}.")
    failures_as(errors)  # raises an error before anything is read
    slices = source.slices(())
    names = _chosen_systems(systems, list(dict.fromkeys(part.key[0] for part in slices)))
    if any(part.is_weighted for part in slices):
        refuse_weights_in("a plan, which weights all questions alike,")
    slices = [part for part in slices if part.was_scored]
    counts = _counts([part for part in slices if part.key[0] == names[0]], errors)
    states = States.of([counts])
    often = states.questions[0].astype(np.int64)
    start = np.zeros(1, dtype=np.int64)
    spread = kernel.learn(states.trials, states.correct, often, start, [rng])
    of_system = f" of {names[0]}" if names[0] else ""
    words = f"estimated from {counted(len(counts), 'question')}{of_system}"
    difficulty = Difficulty(words, spread.rates[0], spread.weights[0])
    remarks = _remarks(slices, states.trials)
    if len(names) == 1:
        return Pilot(difficulty, math.nan, remarks)
    pairs, only = _pairs(source, names, errors)
    if only:
        remarks += (
            f"{counted(only, 'question')} of the pilot not used: only one of the two systems "
            "has them.",
        )
    if np.median(pairs[:, [0, 2]], axis=0).min() < 2:
        remarks += ("One trial per question does not show how far two systems disagree.",)
        return Pilot(difficulty, math.nan, remarks)
    return Pilot(difficulty, _disagreement(difficulty, pairs), remarks)


def _chosen_systems(systems: Sequence[str], found: list[str]) -> list[str]:
    """The one or two systems of the pilot: those named, or all."""
    chosen = [systems] if isinstance(systems, str) else list(systems)
    unknown = [name for name in chosen if name not in found]
    if unknown:
        raise InputError(
            f"the pilot has no system {unknown[0]!r}; it has: {', '.join(map(repr, found))}."
        )
    names = chosen or found
    if len(names) > 2:
        raise InputError(
            f"the pilot has {len(found)} systems ({some_of(found, 4)}); "
            f"name one or two of them with {way_to_say('--system', 'systems=[…]')}."
        )
    return names


def _counts(slices: Sequence[Slice], errors: OneWayErrors) -> CountsByState:
    """Counts of all questions of a system, over all tasks."""
    if not slices:
        raise InputError(f"the pilot: {NEVER_SCORED}.")
    if not all(part.is_binary for part in slices):
        raise WrongType("a pilot needs outcomes of 0 and 1; this one has other outcomes.")
    each = [part.counts(failures_as(errors)) for part in slices]
    trials = np.concatenate([part.trials for part in each])
    some = trials > 0
    if not some.any():
        raise InputError("the pilot has no question with a result.")
    return CountsByState(
        trials[some],
        np.concatenate([part.correct for part in each])[some],
        np.concatenate([part.often for part in each])[some],
    )


def _remarks(slices: Sequence[Slice], trials: Integers) -> tuple[str, ...]:
    remarks = []
    if trials.max() == 1:
        remarks.append(
            "The pilot has one trial per question, which cannot separate difficulty from trial "
            "noise: the distribution of difficulty is hardly known."
        )
    if any(part.clusters is not None for part in slices):
        remarks.append(
            "The pilot has clusters. Questions are planned as if independent: if those of a "
            "cluster are alike, more are needed."
        )
    return tuple(remarks)


def _pairs(source: Source, names: Sequence[str], errors: OneWayErrors) -> tuple[Integers, int]:
    """Trials and right trials of both systems per common question, and the number of others."""
    each = [_by_question(source, name, errors) for name in names]
    shared = align(found.keys() for found in each).shared()
    counts = [np.array([*found.values()], dtype=np.int64).reshape(-1, 2) for found in each]
    rows = np.hstack([matrix[at] for matrix, at in zip(counts, shared, strict=True)])
    rows = rows[(rows[:, [0, 2]] > 0).all(axis=1)]
    if not rows.size:
        raise InputError(f"{names[0]!r} and {names[1]!r} share no question in the pilot.")
    return rows, sum(map(len, each)) - 2 * len(rows)


def _by_question(source: Source, name: str, errors: OneWayErrors) -> _Counted:
    """Counts of every question of a system."""
    found: _Counted = {}
    for (system, task), named in source.named().items():
        if system == name:
            counts = named.slice.counts(failures_as(errors))
            each = zip(counts.trials.tolist(), counts.correct.tolist(), strict=True)
            found |= {(task, q): row for q, row in zip(named.questions, each, strict=True)}
    return found


def _disagreement(difficulty: Difficulty, pairs: Integers) -> float:
    """Estimate the standard deviation of the shift from the counts of the second system."""
    states, often = np.unique(pairs, axis=0, return_counts=True)
    n, right, others_n, others_right = states.T[:, :, None].astype(float)
    rates, weights = difficulty.average()
    belongs = kernel.memberships(right, n - right, *kernel.logs_of(rates, weights))
    tries = often * states[:, 2]
    solved, trials = float(often @ states[:, 3]), float(tries.sum())
    mean = min(max(solved, _AT_EITHER_END), trials - _AT_EITHER_END) / trials
    likeliest = kernel.logs_of(others_right / others_n, np.ones(1))[:2]
    steps, step_weights = normal_quadrature(_SHIFT_STEPS)

    def support(sd: float) -> float:
        def mean_at(shift: float) -> float:
            others = shift_log_odds(rates[:, None], shift + sd * steps) @ step_weights
            return float(tries @ (belongs @ others)) / trials

        others = shift_log_odds(rates[:, None], shift_to(mean_at, mean) + sd * steps)
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
