"""Bootstrap and jackknife weights of clusters, a row per resample.

The cluster bootstrap (Efron and Tibshirani 1993) draws whole clusters with replacement. A resample
is represented by weights on the items of the data instead of copies of them, so all resamples share
one sort order. The Bayesian bootstrap (Rubin 1981) gives every cluster an exponential weight.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.base.arrays import Array, Integers
from errbar.kernels.bounded_mean import chances_of_sizes

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
    clusters: int,
    resamples: int,
    size: int,
    rng: np.random.Generator,
    shapes: Array | None = None,
) -> Iterator[ResampleWeights]:
    """Yield weights of the Bayesian bootstrap, for a block of `size` resamples at a time.

    With `shapes` the weight of each cluster is that of so many: the sum of n exponential variables
    has a gamma distribution with shape n.
    """
    for start in range(0, resamples, size):
        shape = (min(size, resamples - start), clusters)
        if shapes is None:
            yield rng.standard_exponential(shape)
        else:
            yield rng.standard_gamma(shapes, shape)


def two_losses(loss: Array, starts: NDArray[np.intp]) -> tuple[Array, Array]:
    """Two losses that represent those of each group, and the number of items for each.

    They are the nodes of a Gauss quadrature: the sums of l⁰, l, l² and l³ over the group are
    preserved, and so are the first three cumulants of its weight and loss in the Bayesian
    bootstrap, which are such sums. If a group has two distinct losses, as right and wrong, they are
    these.
    """
    number = np.diff(starts, append=loss.size).astype(float)
    low, high = np.minimum.reduceat(loss, starts), np.maximum.reduceat(loss, starts)
    each_low, each_high = np.repeat(low, number.astype(int)), np.repeat(high, number.astype(int))
    highest = np.add.reduceat((loss == each_high) & (loss > each_low), starts, dtype=float)
    are_two = np.logical_and.reduceat((loss == each_low) | (loss == each_high), starts)
    mean = np.add.reduceat(loss, starts) / number
    deviations = loss - np.repeat(mean, number.astype(int))
    deviation = np.sqrt(np.add.reduceat(deviations**2, starts) / number)
    scale = np.where(are_two, 1.0, deviation)
    skewness = np.add.reduceat(deviations**3, starts) / number / scale**3
    half = np.hypot(0.5 * skewness, 1.0)  # half the distance of the nodes
    nodes = np.stack(
        [mean + scale * (0.5 * skewness - half), mean + scale * (0.5 * skewness + half)]
    )
    above = number * (half - 0.5 * skewness) / (2.0 * half)
    losses = np.where(are_two, np.stack([low, high]), nodes)
    items = np.where(are_two, highest, above)
    return losses.T, np.stack([number - items, items], axis=1)


def sum_by_cell(cell: Integers, like: Array, weights: Array | None = None) -> Array:
    """Sums of weights, or numbers, by the cell of an array of this shape."""
    heft = None if weights is None else weights.ravel()
    return np.bincount(cell.ravel(), heft, like.size).astype(float).reshape(like.shape)


def unseen_weights(
    sizes: Array, often: Array, shape: tuple[int, ...], rng: np.random.Generator
) -> Array:
    """Exponential weights of an unseen cluster, times its size."""
    weights = rng.standard_exponential(shape)
    weights *= unseen_sizes(sizes, often, shape, rng)
    return weights


def unseen_sizes(
    sizes: Array, often: Array, shape: tuple[int, ...], rng: np.random.Generator
) -> Array:
    """Draw sizes of an unseen cluster."""
    if (sizes == sizes[0]).all():
        return np.full(shape, float(sizes[0]))
    return rng.choice(sizes, shape, p=chances_of_sizes(sizes, often))


def sizes_of_clusters(sizes: NDArray[Any], clusters: int) -> tuple[Array, Array]:
    """Distinct sizes from which that of an unseen cluster is drawn, and how often each occurs.

    Fewer sizes than clusters are those of groups into which clusters were put at random. Then only
    the mean size of a random question's cluster, Σ size² / Σ size, can be estimated: the sum of
    squares by the variance of the groups, and at least that of equal clusters.
    """
    if sizes.size >= clusters:
        distinct, often = np.unique(sizes[sizes > 0].astype(float), return_counts=True)
        return distinct, often.astype(float)
    ordered = np.sort(sizes)  # so that rounding does not depend on the order of groups
    total, squares = float(ordered.sum()), float(np.square(ordered).sum())
    between = (squares - total**2 / sizes.size) / (1.0 - 1.0 / sizes.size)
    return np.array([max(between, total**2 / clusters) / total]), np.ones(1)


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
    """The cluster of each item; without clusters, items are numbered by their values.

    So a seed draws the same items whatever their order.
    """
    if clusters is not None:
        return clusters
    codes = np.empty(len(columns[0]), dtype=np.intp)
    codes[np.lexsort(tuple(columns))] = np.arange(codes.size)
    return codes
