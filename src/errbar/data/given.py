"""What counts are given as: whole numbers, ids of questions, clusters by number.

Everything wrong with them is said here.
"""

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errbar.errors import InputError, WrongType

Integers = NDArray[np.int64]


def whole(values: ArrayLike, name: str) -> Integers:
    """Whole numbers in an array."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.getmaskarray(values).any():
        raise WrongType(f"{name} is a masked array with masked entries; leave those questions out.")
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise InputError(f"{name} must be rows of equal length; NumPy says: {error}.") from error
    if array.size and array.dtype.kind not in "iu":
        raise WrongType(f"{name} must hold whole numbers; got {array.dtype} values.")
    return array.astype(np.int64)


def cluster_numbers(clusters: ArrayLike | None, size: int) -> Integers | None:
    """Clusters by number, one for each entry."""
    if clusters is None:
        return None
    numbers = whole(clusters, "clusters")
    if numbers.shape != (size,) or (size and numbers.min() < 0):
        raise InputError(
            f"clusters must number what each of the {size} entries belongs to, from 0; got shape "
            f"{numbers.shape}{f', the least is {numbers.min()}' if numbers.size else ''}."
        )
    return numbers


def scaled_weights(weights: ArrayLike | None, often: NDArray[Any]) -> NDArray[np.float64] | None:
    """Weights of entries, with a mean near 1 over questions; None where all are the same.

    They are scaled by a power of two, which rounds nothing.
    """
    if weights is None:
        return None
    given = np.asarray(weights, dtype=float)
    if given.shape != often.shape or not np.isfinite(given).all() or (given <= 0).any():
        raise InputError(
            f"weights must be one positive number for each of the {often.size} entries; got "
            f"{given.tolist()!r:.80}."
        )
    if not given.size or (given == given[0]).all():
        return None
    most = float(given.max())  # a sum of the largest floats is beyond them
    mean = most * (math.fsum(often * (given / most)) / float(often.sum()))
    return np.ldexp(given, -round(math.log2(mean)))


def are_same_weights(mine: NDArray[Any] | None, theirs: NDArray[Any] | None) -> bool:
    """Whether weights are the same, or neither are there."""
    if mine is None or theirs is None:
        return mine is theirs
    return np.array_equal(mine, theirs)


def are_same_clusters(mine: Integers | None, theirs: Integers | None) -> bool:
    """Whether clusters have the same numbers, or neither are there."""
    if mine is None or theirs is None:
        return mine is theirs
    return np.array_equal(mine, theirs)


def refuse_weighted(*summands: NDArray[Any] | None) -> None:
    """Refuse to add counts with weights, which were scaled apart."""
    if any(weights is not None for weights in summands):
        raise InputError("counts with weights cannot be added. Load the rows of both together.")


def refuse_clusters(*summands: Integers | None) -> None:
    """Refuse to add counts in clusters: numbers of one say nothing of another's."""
    if any(clusters is not None for clusters in summands):
        raise InputError(
            "counts in clusters cannot be added: nothing says which clusters of the two are the "
            "same. Load the rows of both together."
        )


def question_ids(questions: Sequence[Hashable] | None, size: int) -> Sequence[Hashable]:
    """Ids as given, which must differ; without any, questions are numbered."""
    if questions is None or isinstance(questions, range):
        return range(size)
    if len(questions) != size:
        raise InputError(f"{len(questions)} question ids were given for {size} questions.")
    if len(set(questions)) != size:
        twice, times = Counter(questions).most_common(1)[0]
        raise InputError(f"question ids must differ; {twice!r} occurs {times} times.")
    return tuple(questions)


def union_of(
    mine: Sequence[Hashable], theirs: Sequence[Hashable]
) -> tuple[Sequence[Hashable], Integers]:
    """Mine and then what is new of theirs, and where each of theirs stands in that."""
    if isinstance(mine, range) and isinstance(theirs, range):
        return range(max(len(mine), len(theirs))), np.arange(len(theirs))
    place = {question: at for at, question in enumerate(mine)}
    where = [place.setdefault(question, len(place)) for question in theirs]
    return tuple(place), np.array(where, dtype=np.int64)
