"""Scores in order, with what rides on them.

Sorting values is three times as quick as sorting places. So a label of 0 or 1 rides in the lowest
bit of a whole number that is ordered as its score is: a float's bits already are, once the sign
has been dealt with, and there is room for one bit more wherever all scores have one sign or none
is as large as two. Others are brought below two by a power of two, which changes no digit. Where
even that fails, as with an infinite score among negative ones, places are sorted after all.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.base.arrays import Array

Labels = NDArray[np.bool_]

_WORDS: dict[int, tuple[Any, Any]] = {4: (np.uint32, np.int32), 8: (np.uint64, np.int64)}


def sort_with_label(scores: Array, labels: Labels) -> tuple[Array, Labels]:
    """Scores from the lowest, and the label of each; of equal scores, label 0 comes first."""
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
    places = np.lexsort((labels, scores))
    return scores[places], labels[places]


def _sort_positive(scores: Array, labels: Labels) -> tuple[Array, Labels]:
    word = _WORDS[scores.dtype.itemsize][0]
    keys = (scores + scores.dtype.type(0)).view(word)  # adding 0 makes 0 of −0
    np.left_shift(keys, 1, out=keys)
    np.bitwise_or(keys, labels, out=keys)
    keys.sort()
    ordered = (keys & word(1)).astype(bool)
    np.right_shift(keys, 1, out=keys)
    return keys.view(scores.dtype), ordered


def _sort_below_two(scores: Array, labels: Labels) -> tuple[Array, Labels]:
    word = _WORDS[scores.dtype.itemsize][1]
    magnitude = np.iinfo(word).max
    keys = (scores + scores.dtype.type(0)).view(word)
    keys ^= (keys >> (8 * scores.dtype.itemsize - 1)) & magnitude  # negative floats run backwards
    np.left_shift(keys, 1, out=keys)
    np.bitwise_or(keys, labels, out=keys)
    keys.sort()
    ordered = (keys & word(1)).astype(bool)
    np.right_shift(keys, 1, out=keys)
    keys ^= (keys >> (8 * scores.dtype.itemsize - 1)) & magnitude
    return keys.view(scores.dtype), ordered


def places_down(scores: NDArray[Any]) -> NDArray[np.intp]:
    """Places of the scores from the highest, equal ones as they stand.

    Quicker than a stable sort: places are sorted once more where there are ties, as numbers of
    which the upper part is the rank of the score.
    """
    places = np.argsort(scores)
    ordered = scores[places]
    if not has_ties(ordered):
        return places[::-1]
    new = np.empty(scores.size, dtype=bool)
    new[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    rank = np.cumsum(new)
    width = int(scores.size).bit_length()
    keys = ((rank[-1] - rank) << width) | places
    keys.sort()
    return keys & ((1 << width) - 1)


def starts_of(ordered: NDArray[Any]) -> NDArray[np.intp]:
    """Where each distinct number begins."""
    new = np.empty(ordered.size, dtype=bool)
    new[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return np.flatnonzero(new)


def distinct(ordered: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp], NDArray[np.int64]]:
    """Distinct numbers, where each begins, and how often it occurs."""
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
    """Distinct scores from the lowest, how many items have each, and the sum of their values.

    Sums of whole numbers are exact in any order; others are taken in the order of the values, so
    that the order of the items never shows.
    """
    if scores.dtype.kind == "f" and is_binary(values):
        ordered, labels = sort_with_label(scores, values.astype(bool))
        found, starts, often = distinct(ordered)
        sums = totals(starts, labels).astype(float)
    else:
        places = np.argsort(scores)
        if not _add_up_exactly(values) and has_ties(scores[places]):
            places = np.lexsort((values, scores))
        found, starts, often = distinct(scores[places])
        sums = totals(starts, values[places])
    return found, often, sums


def _add_up_exactly(values: Array) -> bool:
    """Whether sums are the same in any order: whole numbers, of which no sum is too large."""
    return bool((values == np.rint(values)).all() and np.abs(values).sum() < 2.0**53)


def counts_of(values: Array) -> tuple[Array, NDArray[Any]]:
    """Distinct values from the lowest, and how often each occurs."""
    if is_binary(values):
        ones = int(values.sum())
        often = np.array([values.size - ones, ones])
        return np.array([0.0, 1.0])[often > 0], often[often > 0]
    found, _, often = distinct(np.sort(values))
    return found, often


def is_binary(values: Array) -> bool:
    """Whether all values are 0 or 1."""
    return bool(((values == 0) | (values == 1)).all())


def has_ties(ordered: NDArray[Any]) -> bool:
    """Whether two neighbours are equal."""
    return bool((ordered[1:] == ordered[:-1]).any())
