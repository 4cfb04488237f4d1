"""Bootstrap and jackknife weights: how often each cluster is drawn, a row per resample.

The cluster bootstrap (Efron and Tibshirani 1993) draws whole clusters with replacement. A resample
is represented by weights on the items of the data instead of copies of them, so all resamples share
one sort order.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

ResampleWeights = NDArray[np.float64]

_BLOCK = 1 << 15  # numbers in a work array: 256 kB, so that a dozen arrays fit in the cache


def block_size(rows: int) -> int:
    """Number of resamples of `rows` rows that are processed at a time."""
    return max(1, _BLOCK // max(1, rows))


def bootstrap_weights(
    clusters: int, resamples: int, rows: int, rng: np.random.Generator
) -> Iterator[ResampleWeights]:
    """Yield weights of clusters drawn with replacement, for a block of resamples at a time."""
    size = block_size(max(rows, clusters))
    for start in range(0, resamples, size):
        count = min(size, resamples - start)
        picks = rng.integers(0, clusters, (count, clusters))
        picks += clusters * np.arange(count)[:, None]
        weights = np.bincount(picks.reshape(-1), minlength=count * clusters)
        yield weights.reshape(count, clusters).astype(float)


def jackknife_weights(clusters: int, rows: int) -> Iterator[ResampleWeights]:
    """Yield weights that leave out a single cluster, each cluster in turn."""
    size = block_size(max(rows, clusters))
    for start in range(0, clusters, size):
        count = min(size, clusters - start)
        weights = np.ones((count, clusters))
        weights[np.arange(count), np.arange(start, start + count)] = 0
        yield weights


def joint_clusters(
    columns: Sequence[NDArray[Any]], clusters: NDArray[np.intp] | None
) -> NDArray[np.intp]:
    """The cluster of each item; without any, items numbered by what is known of them.

    So the order in which items are given never decides which of them a seed draws.
    """
    if clusters is not None:
        return clusters
    codes = np.empty(len(columns[0]), dtype=np.intp)
    codes[np.lexsort(tuple(columns))] = np.arange(codes.size)
    return codes
