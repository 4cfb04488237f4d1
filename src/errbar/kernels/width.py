"""How wide intervals of many samples are: those of `bounded`, a batch at once by the saddle point.

All values have one size. Then the signed root w of twice the exponent has the slope t·Σ shape / w
over x, and few steps find an end.
"""

from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.kernels.bounded import FAR, FARTHER, MANY, NO_ROOM, ROUNDING, UNSEEN

Array = NDArray[np.floating[Any]]

_ENDS, _SADDLES = 30, 100  # steps at most
_CLOSE, _SADDLE = 1e-3, 1e-6  # of a normal score
_FLAT = 1e-4  # a root below which formulas with it are 0/0


def near_widths(values: Array, often: NDArray[np.int64], level: float) -> Array:
    """For samples of values between 0 and 1: a row says how often each occurs."""
    z = NormalDist().inv_cdf(0.5 * (1.0 - level))
    low, high = (_low_ends(each, often, z) for each in (values, 1.0 - values))
    return 1.0 - low - high


def _low_ends(values: Array, often: NDArray[np.int64], z: float) -> Array:
    """The x of each row below which its weighted mean lies with the normal score `z`."""
    value = np.column_stack([np.broadcast_to(values, often.shape), _unseen_values(values, often)])
    shape = np.column_stack([often, np.full(len(often), UNSEEN)])
    held = shape > 0.0
    least = np.where(held, value, np.inf).min(axis=1)
    most = np.where(held, value, -np.inf).max(axis=1)
    total = shape.sum(axis=1)
    mean = (shape * value).sum(axis=1) / total
    spread = np.sqrt((shape * np.square(value - mean[:, None])).sum(axis=1)) / total
    has_room = most - least >= NO_ROOM
    x = np.where(has_room, np.maximum(mean + z * spread, 0.5 * (least + mean)), least)
    t = np.zeros(len(often))
    going = np.flatnonzero(has_room)
    for _ in range(_ENDS):
        apart = np.where(held[going], value[going] - x[going, None], 0.0)
        w, t[going], curve = _saddles(shape[going], apart, t[going])
        steep = np.sqrt(curve)
        flat = np.abs(w) < _FLAT
        safe = np.where(flat, 1.0, w)
        score = np.where(flat, 0.0, w + np.log(np.where(flat, 1.0, t[going] * steep / safe)) / safe)
        slope = total[going] * np.where(flat, 1.0 / steep, t[going] / safe)
        new = x[going] - (score - z) / slope
        bound = np.where(score > z, least[going], most[going])
        inside = (least[going] < new) & (new < most[going])
        x[going] = np.where(inside, new, 0.5 * (x[going] + bound))
        going = going[np.abs(score - z) > _CLOSE]
        if not going.size:
            break
    return x


def _saddles(shape: Array, apart: Array, start: Array) -> tuple[Array, Array, Array]:
    """For each row the signed root, the saddle point and the curvature there."""
    low, high = 1.0 / apart.min(axis=1), 1.0 / apart.max(axis=1)
    t = np.where((low < start) & (start < high), start, 0.0)
    for _ in range(_SADDLES):
        part = apart / (1.0 - t[:, None] * apart)
        weighed = shape * part
        slope, curve = weighed.sum(axis=1), np.einsum("ij,ij->i", weighed, part)
        if (np.abs(slope) <= _SADDLE * np.sqrt(curve)).all():
            break
        low, high = np.where(slope < 0.0, t, low), np.where(slope < 0.0, high, t)
        step = t - slope / curve
        t = np.where((low < step) & (step < high), step, 0.5 * (low + high))
    exponent = (shape * np.log1p(-t[:, None] * apart)).sum(axis=1)
    return np.copysign(np.sqrt(np.maximum(2.0 * exponent, 0.0)), t), t, curve


def _unseen_values(values: Array, often: NDArray[np.int64]) -> Array:
    """How low something is that was not seen, below the mean of each row: `unseen_value` of all."""
    number = often.sum(axis=1).astype(float)
    mean = often @ values / number
    variance = (often * np.square(values - mean[:, None])).sum(axis=1) / np.maximum(number - 1.0, 1)
    short = np.where(values < 1.0 - ROUNDING, 1.0 - values, 0.0)
    squares = often @ np.square(short)
    falling = np.square(often @ short) / np.where(squares > 0.0, squares, np.inf)
    share = np.maximum(np.exp(-falling / MANY), 1.0 / number)
    farthest = mean - np.where(often > 0, values, np.inf).min(axis=1)
    away = np.maximum(FAR * np.sqrt(variance), np.maximum(FARTHER * farthest, mean * share))
    return np.maximum(0.0, mean - away)
