"""Which systems games link: without chains of games there is no common scale (Ford 1957).

Strengths can be compared within a component, and are finite within a strong component, whose
systems are linked by wins or ties in both directions.
"""

import numpy as np
from numpy.typing import NDArray

from errbar.kernels.bradley_terry import GameRows, Integers


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
    found, size = start.copy(), 0
    while found.sum() > size:
        size = int(found.sum())
        for mask, source, target in (
            (won, games.first, games.second),
            (lost, games.second, games.first),
        ):
            here, there = (source, target) if downwards else (target, source)
            found[there[mask & found[here]]] = True
    return found
