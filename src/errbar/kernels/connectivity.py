"""Connectivity of games: without chains of games systems have no common scale (Ford 1957).

Strengths can be compared within a component, and are finite within a strong component, whose
systems are linked by wins or ties in both directions. The coefficient of a control, such as being
shown first, is identified unless strengths alone reproduce the control in every game.
"""

import numpy as np
from numpy.typing import NDArray

from errbar.base.arrays import Integers
from errbar.kernels.bradley_terry import GameRows

_SAME = 1e-9  # share of a control's sum of squares that is rounding


def components(games: GameRows) -> Integers:
    """Number of the component of each system; systems are linked by games."""
    return _components(games, games.first, games.second, directed=False)


def strong_components(games: GameRows) -> Integers:
    """Number of the component of each system; systems are linked by wins or ties both ways."""
    won, lost = games.result > 0, games.result < 1
    return _components(
        games,
        np.concatenate([games.first[won], games.second[lost]]),
        np.concatenate([games.second[won], games.first[lost]]),
        directed=True,
    )


def _components(games: GameRows, source: Integers, target: Integers, *, directed: bool) -> Integers:
    from scipy.sparse import coo_array  # noqa: PLC0415  only where it is needed
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    size = (games.systems, games.systems)
    links = coo_array((np.ones(source.size), (source, target)), shape=size)
    _, labels = connected_components(links.tocsr(), directed=directed, connection="strong")
    return np.asarray(labels, dtype=np.int64)


def reachable(games: GameRows, start: NDArray[np.bool_], *, downwards: bool) -> NDArray[np.bool_]:
    """Mask of the systems that a chain of wins or ties links to those of `start`.

    Downwards, a system of `start` won or tied against the next; upwards, it lost or tied.
    """
    won, lost = games.result > 0, games.result < 1
    members, size = start.copy(), 0
    while members.sum() > size:
        size = int(members.sum())
        for mask, source, target in (
            (won, games.first, games.second),
            (lost, games.second, games.first),
        ):
            here, there = (source, target) if downwards else (target, source)
            members[there[mask & members[here]]] = True
    return members


def confounded(games: GameRows) -> NDArray[np.bool_]:
    """Mask of the controls that strengths and the controls before them reproduce in every game."""
    number, controls = games.systems, games.controls
    size = number + controls.shape[1]
    gram = np.zeros((size, size))
    pairs = np.bincount(games.first * number + games.second, minlength=number**2)
    gram[:number, :number] = -pairs.reshape(number, number)
    gram += gram.T
    gram[np.arange(size), np.arange(size)] = -gram.sum(axis=1)
    for at, values in enumerate(controls.T, start=number):
        gram[:number, at] = np.bincount(games.first, values, number)
        gram[:number, at] -= np.bincount(games.second, values, number)
        gram[at, :number] = gram[:number, at]
    gram[number:, number:] = controls.T @ controls
    reproduced = np.zeros(controls.shape[1], dtype=bool)
    for at in range(controls.shape[1]):
        end = number + at
        whole, known = gram[end, end], gram[:end, end]
        rest = whole - known @ np.linalg.pinv(gram[:end, :end], hermitian=True) @ known
        reproduced[at] = rest <= _SAME * whole
    return reproduced
