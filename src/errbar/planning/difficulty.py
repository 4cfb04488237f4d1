"""How success rates are spread over questions, before a run: assumed, or learned from a pilot.

A spread is points with weights, so that every mean over questions is a sum. What is learned comes
as many such rows, each of them a spread that fits the pilot.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.errors import InputError, WrongType
from errbar.kernels.power import moved, steps_of_normal

Array = NDArray[np.floating[Any]]
_Points = tuple[Array, Array]

_NODES = 128  # of a Beta: exact for polynomials of degree 255, so for two runs of 64 trials
_STEPS = 61  # of normal log odds
_CELLS = 400  # of learned points that are pooled
_FARTHEST_SHIFT = 40.0  # of log odds: beyond, a rate is 0 or 1
_HALVINGS = 60
_SIDES = (0.01, 500.0)  # least and largest parameter of a Beta that the sums can do
_BETA = re.compile(r"beta\(([0-9.e+-]+),([0-9.e+-]+)\)")


@dataclass(frozen=True, eq=False)
class Difficulty:
    """Success rates and how much each weighs: a row for each spread that may be the true one.

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
        """By its name, or as Beta parameters."""
        if isinstance(text, Difficulty):
            return text
        if not isinstance(text, str):
            raise WrongType(f"difficulty is text, as in 'beta(2, 2)'; got {text!r}.")
        plain = text.strip().lower().replace(" ", "")
        if plain in _NAMED:
            words, points = _NAMED[plain]
            return cls._single(words, points())
        found = _BETA.fullmatch(plain)
        if not found:
            raise InputError(
                f"difficulty {text!r} is not known; write beta(a, b), or one of "
                f"{', '.join(_NAMED)}."
            )
        sides = [_side(part, text) for part in found.groups()]
        return cls._single(f"Beta({sides[0]:g}, {sides[1]:g})", _beta(*sides))

    @classmethod
    def _single(cls, words: str, points: _Points) -> "Difficulty":
        rates, weights = points
        return cls(words, rates[None, :], weights[None, :])

    def __str__(self) -> str:
        return self.words

    def each(self) -> "list[Difficulty]":
        """Every spread that may be the true one, by itself."""
        return [
            Difficulty(self.words, self.rates[[at]], self.weights[[at]])
            for at in range(len(self.rates))
        ]

    def as_one(self) -> _Points:
        """Points and weights of all spreads together; those close to each other are one."""
        if len(self.rates) == 1:
            return self.rates[0], self.weights[0]
        rates, weights = self.rates.ravel(), self.weights.ravel() / len(self.rates)
        cell = 1 + np.floor(np.arcsin(np.sqrt(rates)) * (2.0 * _CELLS / np.pi)).astype(np.int64)
        cell = np.where(rates == 0.0, 0, np.where(rates == 1.0, _CELLS + 2, cell))
        whole = np.bincount(cell, weights).astype(float)
        held = whole > 0
        return np.bincount(cell, weights * rates)[held] / whole[held], whole[held]

    def with_mean(self, value: Callable[[Array], Array], mean: float) -> "Difficulty":
        """The same with all log odds shifted until the mean of a value of the rates is `mean`."""
        shift = shift_to(lambda s: float(self._mean(value(moved(self.rates, s)))), mean)
        return replace(
            self, words=f"{self.words}, shifted on log odds", rates=moved(self.rates, shift)
        )

    def _mean(self, values: Array) -> float:
        return float((values * self.weights).sum() / len(self.weights))


def shift_to(mean_at: Callable[[float], float], asked: float) -> float:
    """The shift of log odds at which a mean that goes one way with them is as asked for."""
    low, high = -_FARTHEST_SHIFT, _FARTHEST_SHIFT
    first, last = mean_at(low), mean_at(high)
    if not min(first, last) < asked < max(first, last):
        raise InputError(
            f"a mean of {asked:.4g} is out of reach: whatever the shift of all questions, it stays "
            f"between {min(first, last):.4g} and {max(first, last):.4g}."
        )
    rising = last > first
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if (mean_at(middle) < asked) == rising else (low, middle)
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
    """Points of Gauss and Jacobi."""
    from scipy.special import roots_jacobi  # noqa: PLC0415  loaded when first needed

    x, weights = roots_jacobi(_NODES, wrong - 1.0, right - 1.0)
    return np.clip(0.5 + 0.5 * x, 0.0, 1.0), weights / weights.sum()


def _mixed(*parts: tuple[float, _Points]) -> _Points:
    """Several with their shares."""
    rates = np.concatenate([points for _, (points, _) in parts])
    return rates, np.concatenate([share * weights for share, (_, weights) in parts])


def _at(rate: float) -> _Points:
    return np.array([rate]), np.ones(1)


def _log_odds(mean: float, sd: float) -> _Points:
    z, weights = steps_of_normal(_STEPS)
    return moved(np.full(z.size, 0.5), mean + sd * z), weights


_NAMED: dict[str, tuple[str, Callable[[], _Points]]] = {
    "uniform": ("uniform, Beta(1, 1)", lambda: _beta(1.0, 1.0)),
    "easy": ("easy, Beta(9, 1)", lambda: _beta(9.0, 1.0)),
    "hard": ("hard, Beta(0.15, 2.5)", lambda: _beta(0.15, 2.5)),
    "u-shaped": ("u-shaped, Beta(0.3, 0.3)", lambda: _beta(0.3, 0.3)),
    "spiked": (
        "spiked, 30 % never solved, 20 % always, the rest Beta(2, 2)",
        lambda: _mixed((0.3, _at(0.0)), (0.2, _at(1.0)), (0.5, _beta(2.0, 2.0))),
    ),
    "clusters": (
        "clusters, half Beta(20, 80), half Beta(80, 20)",
        lambda: _mixed((0.5, _beta(20.0, 80.0)), (0.5, _beta(80.0, 20.0))),
    ),
    "logit-normal": (
        "logit-normal, log odds of mean 0.5 and sd 1.5",
        lambda: _log_odds(0.5, 1.5),
    ),
}
