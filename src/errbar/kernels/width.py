"""About how wide intervals of many samples are, nearly in proportion to what `bounded` computes.

Each side is as wide as the spread of the values and of a share of something unseen make it. Where
hardly any value falls short of a bound, the unseen lies far away, and is most of the width.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.kernels.bounded import UNSEEN

Array = NDArray[np.floating[Any]]

_FAR, _FARTHER, _MANY = 5.0, 2.0, 10.0  # as in `bounded.unseen_value`


def rough_widths(values: Array, often: NDArray[np.int64]) -> Array:
    """For samples of values between 0 and 1, in order: a row says how often each occurs."""
    number = float(often[0].sum())
    mean = often @ values / number
    variance = np.maximum(often @ np.square(values) / number - mean * mean, 0.0)
    held = often > 0
    least = values[np.argmax(held, axis=1)]
    most = values[values.size - 1 - np.argmax(held[:, ::-1], axis=1)]
    sides = ((mean, mean - least, 1.0 - values), (1.0 - mean, most - mean, values))
    wide = np.zeros(len(often))
    for room, farthest, short in sides:
        squares = often @ np.square(short)
        falling = np.square(often @ short) / np.where(squares > 0.0, squares, np.inf)
        share = np.maximum(np.exp(-falling / _MANY), 1.0 / number)
        seen = np.maximum(_FAR * np.sqrt(variance), _FARTHER * farthest)
        away = np.minimum(np.maximum(seen, room * share), room)
        wide += np.sqrt(number * variance + UNSEEN * away * away) / number
    return wide
