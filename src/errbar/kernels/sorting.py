"""Sorting scores together with labels, and totals per distinct score.

Sorting values is three times as fast as `argsort`. A binary label is therefore packed into the
lowest bit of an integer key that sorts like its score. The bits of a float do so once the sign is
handled, and a bit is free if all scores are nonnegative or all are below two in magnitude; other
scores are scaled below two by a power of two, which is exact. Where this fails, as with an infinite
score among negative ones, `lexsort` is used.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.base.arrays import Array, Flags, Integers

_WORDS: dict[int, tuple[Any, Any]] = {4: (np.uint32, np.int32), 8: (np.uint64, np.int64)}


def sort_with_label(scores: Array, labels: Flags) -> tuple[Array, Flags]:
    """Scores in ascending order with their labels; ties have label 0 first."""
    scores = scores.astype(scores.dtype.newbyteorder("="), copy=False)
    if scores.dtype.kind == "f" and scores.dtype.itemsize in _WORDS:
        low, high = float(scores.min()), float(scores.max())
        if low >= 0:
            return _sort_positive(scores, labels)
        largest = max(-low, high)
        down = 2.0 ** -max(0, np.frexp(largest)[1] - 1)
        scaled = scores * scores.dtype.type(down)
        if np.isfinite(largest) and (down == 1.0 or np.array_equal(scaled / down, scores)):
            ordered, labels = _sort_below_two(scaled, labels)
            return ordered if down == 1.0 else ordered / scores.dtype.type(down), labels
    order = np.lexsort((labels, scores))
    return scores[order], labels[order]


def _sort_positive(scores: Array, labels: Flags) -> tuple[Array, Flags]:
    word = _WORDS[scores.dtype.itemsize][0]
    keys = (scores + scores.dtype.type(0)).view(word)  # adding 0 turns −0 into 0
    np.left_shift(keys, 1, out=keys)
    np.bitwise_or(keys, labels, out=keys)
    keys.sort()
    ordered = (keys & word(1)).astype(bool)
    np.right_shift(keys, 1, out=keys)
    return keys.view(scores.dtype), ordered


def _sort_below_two(scores: Array, labels: Flags) -> tuple[Array, Flags]:
    word = _WORDS[scores.dtype.itemsize][1]
    magnitude = np.iinfo(word).max
    keys = (scores + scores.dtype.type(0)).view(word)
    keys ^= (keys >> (8 * scores.dtype.itemsize - 1)) & magnitude  # negative floats sort in reverse
    np.left_shift(keys, 1, out=keys)
    np.bitwise_or(keys, labels, out=keys)
    keys.sort()
    ordered = (keys & word(1)).astype(bool)
    np.right_shift(keys, 1, out=keys)
    keys ^= (keys >> (8 * scores.dtype.itemsize - 1)) & magnitude
    return keys.view(scores.dtype), ordered


def argsort_descending(scores: NDArray[Any]) -> NDArray[np.intp]:
    """Indices that sort the scores in descending order, stable for ties.

    Faster than a stable sort: with ties, the indices are sorted a second time as integers whose
    upper bits are the rank of the score.
    """
    order = np.argsort(scores)
    ordered = scores[order]
    if not has_ties(ordered):
        return order[::-1]
    new = np.empty(scores.size, dtype=bool)
    new[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    rank = np.cumsum(new)
    width = int(scores.size).bit_length()
    keys = ((rank[-1] - rank) << width) | order
    keys.sort()
    return keys & ((1 << width) - 1)


def starts_of(ordered: NDArray[Any]) -> NDArray[np.intp]:
    """Index at which each distinct number begins, in sorted input."""
    new = np.empty(ordered.size, dtype=bool)
    new[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return np.flatnonzero(new)


def distinct(ordered: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp], Integers]:
    """Distinct numbers of sorted input, the index at which each begins, and its count."""
    starts = starts_of(ordered)
    if starts.size == ordered.size:
        return ordered, starts, np.ones(starts.size, dtype=np.int64)
    return ordered[starts], starts, np.diff(starts, append=ordered.size)


def totals(starts: NDArray[np.intp], values: NDArray[Any]) -> NDArray[Any]:
    """Sum of `values` from each start to the next."""
    if starts.size == values.size:
        return values
    if values.dtype == bool:
        before = np.zeros(values.size + 1, dtype=np.int64)
        np.cumsum(values, out=before[1:])
        return np.diff(before[starts], append=before[-1])
    return np.add.reduceat(values, starts)


def sums_by(scores: NDArray[Any], values: Array) -> tuple[NDArray[Any], NDArray[Any], Array]:
    """Distinct scores in ascending order, the number of items at each, and the sum of their values.

    Sums of whole numbers are exact in any order; other values are summed in sorted order, so that
    the result does not depend on the order of the items.
    """
    if scores.dtype.kind == "f" and is_binary(values):
        ordered, labels = sort_with_label(scores, values.astype(bool))
        levels, starts, often = distinct(ordered)
        sums = totals(starts, labels).astype(float)
    else:
        order = np.argsort(scores)
        if not _add_up_exactly(values) and has_ties(scores[order]):
            order = np.lexsort((values, scores))
        levels, starts, often = distinct(scores[order])
        sums = totals(starts, values[order])
    return levels, often, sums


def _add_up_exactly(values: Array) -> bool:
    """Whether sums are exact in any order: whole numbers with sums below 2⁵³."""
    return bool((values == np.rint(values)).all() and np.abs(values).sum() < 2.0**53)


def counts_of(values: Array) -> tuple[Array, NDArray[Any]]:
    """Distinct values in ascending order, and the count of each."""
    if is_binary(values):
        ones = int(values.sum())
        often = np.array([values.size - ones, ones])
        return np.array([0.0, 1.0])[often > 0], often[often > 0]
    levels, _, often = distinct(np.sort(values))
    return levels, often


def is_binary(values: Array) -> bool:
    """Whether all values are 0 or 1."""
    return bool(((values == 0) | (values == 1)).all())


def has_ties(ordered: NDArray[Any]) -> bool:
    """Whether two neighbours are equal."""
    return bool((ordered[1:] == ordered[:-1]).any())
