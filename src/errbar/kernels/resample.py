"""Bootstrap weights: how often each cluster was drawn, a row per resample.

A resample is never written out. Its items are those of the data with a weight each, and all of
them share the order of the data.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[np.float64]

_BLOCK = 1 << 15  # numbers in one work array: a dozen of them stay in the cache


def at_a_time(rows: int) -> int:
    """How many resamples of so many rows are worked on at a time."""
    return max(1, _BLOCK // max(1, rows))


def drawn(clusters: int, resamples: int, rows: int, rng: np.random.Generator) -> Iterator[Weights]:
    """Weights of clusters drawn with putting back, some resamples at a time."""
    size = at_a_time(max(rows, clusters))
    for start in range(0, resamples, size):
        count = min(size, resamples - start)
        picks = rng.integers(0, clusters, (count, clusters))
        picks += clusters * np.arange(count)[:, None]
        weights = np.bincount(picks.reshape(-1), minlength=count * clusters)
        yield weights.reshape(count, clusters).astype(float)


def left_out(clusters: int, rows: int) -> Iterator[Weights]:
    """Weights with one cluster left out, for each of them in turn."""
    size = at_a_time(max(rows, clusters))
    for start in range(0, clusters, size):
        count = min(size, clusters - start)
        weights = np.ones((count, clusters))
        weights[np.arange(count), np.arange(start, start + count)] = 0
        yield weights
