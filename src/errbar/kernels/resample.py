"""Bootstrap weights: how often each cluster was drawn, a column per resample.

A resample is never written out. Its items are those of the data with a weight each, and all of
them share the order of the data.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[np.int64]

_BLOCK = 1 << 18  # numbers in one work array: 2 MB, so that a few of them stay near the cache


def columns(rows: int) -> int:
    """How many resamples of so many rows are worked on at a time."""
    return max(1, _BLOCK // max(1, rows))


def drawn(clusters: int, resamples: int, rows: int, rng: np.random.Generator) -> Iterator[Weights]:
    """Weights of clusters drawn with putting back, some resamples at a time."""
    size = columns(max(rows, clusters))
    for start in range(0, resamples, size):
        count = min(size, resamples - start)
        picks = rng.integers(0, clusters, (count, clusters))
        picks += clusters * np.arange(count)[:, None]
        weights = np.bincount(picks.reshape(-1), minlength=count * clusters)
        yield np.ascontiguousarray(weights.reshape(count, clusters).T)


def left_out(clusters: int, rows: int) -> Iterator[Weights]:
    """Weights with one cluster left out, for each of them in turn."""
    size = columns(max(rows, clusters))
    for start in range(0, clusters, size):
        count = min(size, clusters - start)
        weights = np.ones((clusters, count), dtype=np.int64)
        weights[np.arange(start, start + count), np.arange(count)] = 0
        yield weights
