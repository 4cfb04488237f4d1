"""Seven ways in which the difficulty of questions may be spread.

Each is a mixture of pieces. A piece draws success rates, and gives nodes and weights by which a
mean over it is a sum.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]

_NODES = 400  # exact for polynomials of degree 799; Geom@2 under the hard spread is off by 1e-9


class Piece(ABC):
    """One part of a mixture."""

    @abstractmethod
    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Success rates at random."""

    @abstractmethod
    def nodes(self) -> tuple[Array, Array]:
        """Rates and weights whose sums are means."""


@dataclass(frozen=True)
class Point(Piece):
    """Questions of one rate."""

    rate: float

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """That rate."""
        del rng
        return np.full(shape, self.rate)

    def nodes(self) -> tuple[Array, Array]:
        """That rate."""
        return np.array([self.rate]), np.ones(1)


@dataclass(frozen=True)
class BetaPiece(Piece):
    """Rates by a Beta distribution."""

    right: float
    wrong: float

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Beta variables."""
        return rng.beta(self.right, self.wrong, shape)

    def nodes(self) -> tuple[Array, Array]:
        """Those of Gauss and Jacobi."""
        from scipy.special import roots_jacobi  # noqa: PLC0415  slow to load

        x, weights = roots_jacobi(_NODES, self.wrong - 1.0, self.right - 1.0)
        return 0.5 + 0.5 * x, weights / weights.sum()


@dataclass(frozen=True)
class LogitNormal(Piece):
    """Rates whose log odds are normal."""

    mean: float
    sd: float

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Normal log odds, as rates."""
        return 1.0 / (1.0 + np.exp(-rng.normal(self.mean, self.sd, shape)))

    def nodes(self) -> tuple[Array, Array]:
        """Equal steps, which for a normal density leave an error that falls exponentially."""
        z = np.linspace(-10.0, 10.0, 2001)
        weights = np.exp(-0.5 * z * z)
        return 1.0 / (1.0 + np.exp(-self.mean - self.sd * z)), weights / weights.sum()


@dataclass(frozen=True)
class Difficulty:
    """A mixture, by name."""

    name: str
    words: str
    pieces: tuple[tuple[float, Piece], ...]

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Success rates of questions."""
        shares = [share for share, _ in self.pieces]
        which = rng.choice(len(shares), shape, p=shares)
        return np.choose(which, [piece.draw(rng, shape) for _, piece in self.pieces])

    def nodes(self) -> tuple[Array, Array]:
        """Rates and weights whose sums are means over all questions there could be."""
        each = [(share, *piece.nodes()) for share, piece in self.pieces]
        return (
            np.concatenate([rates for _, rates, _ in each]),
            np.concatenate([share * weights for share, _, weights in each]),
        )


def _plain(name: str, right: float, wrong: float) -> Difficulty:
    return Difficulty(name, f"Beta({right:g}, {wrong:g})", ((1.0, BetaPiece(right, wrong)),))


DIFFICULTIES = {
    each.name: each
    for each in (
        _plain("uniform", 1.0, 1.0),
        _plain("easy", 9.0, 1.0),
        _plain("hard", 0.15, 2.5),
        _plain("u-shaped", 0.3, 0.3),
        Difficulty(
            "spiked",
            "30 % never solved, 20 % always, the rest Beta(2, 2)",
            ((0.3, Point(0.0)), (0.2, Point(1.0)), (0.5, BetaPiece(2.0, 2.0))),
        ),
        Difficulty(
            "clusters",
            "half Beta(20, 80), half Beta(80, 20)",
            ((0.5, BetaPiece(20.0, 80.0)), (0.5, BetaPiece(80.0, 20.0))),
        ),
        Difficulty(
            "logit-normal", "log odds normal, mean 0.5, sd 1.5", ((1.0, LogitNormal(0.5, 1.5)),)
        ),
    )
}
