"""Bootstrap and jackknife weights: how much each cluster counts, a row per resample.

The cluster bootstrap (Efron and Tibshirani 1993) draws whole clusters with replacement. A resample
is represented by weights on the items of the data instead of copies of them, so all resamples share
one sort order. The Bayesian bootstrap (Rubin 1981) gives every cluster an exponential weight.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.base.arrays import Array

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


def exponential_weights(
    clusters: int, resamples: int, rows: int, rng: np.random.Generator
) -> Iterator[ResampleWeights]:
    """Yield weights of the Bayesian bootstrap, for a block of resamples at a time."""
    size = block_size(max(rows, clusters))
    for start in range(0, resamples, size):
        yield rng.standard_exponential((min(size, resamples - start), clusters))


def unseen_weights(
    sizes: Array, often: Array, shape: tuple[int, ...], rng: np.random.Generator
) -> Array:
    """Exponential weights of an unseen cluster, times its size: that of a random question's."""
    weights = rng.standard_exponential(shape)
    if (sizes == sizes[0]).all():
        return float(sizes[0]) * weights
    questions = often * sizes
    return rng.choice(sizes, shape, p=questions / questions.sum()) * weights


def unseen_size(sizes: NDArray[Any], clusters: int) -> float:
    """Size of an unseen cluster: Σ size² / Σ size, one of the effective number (Kish 1965).

    Fewer sizes than clusters are those of groups into which clusters were put at random. The sum of
    squares is then estimated from the variance of the groups, and is at least that of equal
    clusters.
    """
    unit = float(np.ldexp(1.0, np.frexp(float(sizes.max()))[1]))  # squares must not overflow
    ordered = np.sort(sizes) / unit  # so that rounding does not depend on the order of clusters
    total, squares = float(ordered.sum()), float(np.square(ordered).sum())
    if sizes.size < clusters:
        between = (squares - total**2 / sizes.size) / (1.0 - 1.0 / sizes.size)
        squares = max(between, total**2 / clusters)
    return unit * squares / total


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
