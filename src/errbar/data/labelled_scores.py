"""Scores of items with a true label, and the totals that ROC metrics are computed from.

`Scored` has an entry per item. `Labelled` has an entry per distinct score; it is frozen and merges
with `+`.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errbar.base.arguments import freeze
from errbar.base.arrays import Array, as_codes, as_flags, as_numbers, refuse_first, same_length
from errbar.data.predictions import RankedSample
from errbar.errors import InputError
from errbar.kernels.resample import joint_clusters
from errbar.kernels.sorting import distinct, sort_with_label, starts_of, totals


class Classes(NamedTuple):
    """Weight of positives and negatives per distinct score, the lowest first."""

    positives: NDArray[Any]
    negatives: NDArray[Any]


def scores_and_labels(
    scores: ArrayLike, labels: ArrayLike, name: str = "scores"
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Validate scores and labels: arrays of equal length with both classes present."""
    numbers, flags = as_numbers(scores, name), as_flags(labels, "labels")
    same_length(**{name: numbers, "labels": flags})
    if numbers.dtype.kind == "f" and np.isnan(numbers.min()):
        refuse_first(np.isnan(numbers), numbers, name, "it cannot be ranked")
    require_both_classes(int(np.count_nonzero(flags)), flags.size)
    if not numbers.dtype.isnative:
        numbers = numbers.astype(numbers.dtype.newbyteorder("="))
    if numbers.dtype.kind in "biu" and _fit_a_float(numbers):
        numbers = numbers.astype(float)
    elif numbers.dtype == np.float16:
        numbers = numbers.astype(np.float32)
    return np.ascontiguousarray(numbers), flags


def require_both_classes(positives: int, items: int) -> None:
    """Raise an error if all labels are equal."""
    if positives in (0, items):
        raise InputError(
            f"labels are all {int(positives > 0)}; the area under the ROC curve needs at least "
            f"one positive and one negative item."
        )


def _fit_a_float(numbers: NDArray[Any]) -> bool:
    """Whether floats represent these integers exactly."""
    return int(numbers.min()) >= -(2**53) and int(numbers.max()) <= 2**53


@dataclass(frozen=True, eq=False)
class Scored(RankedSample):
    """Score, label, weight and cluster of each item.

    Examples
    --------
    >>> Scored([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1])
    Scored(2 positives, 2 negatives)
    """

    scores: NDArray[Any]
    labels: NDArray[np.bool_]
    weights: Array | None
    clusters: NDArray[np.intp] | None  # numbered in the order of their names; None: each item

    def __init__(
        self,
        scores: ArrayLike,
        labels: ArrayLike,
        weights: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
    ) -> None:
        numbers, flags = scores_and_labels(scores, labels)
        heavy = None
        if weights is not None:
            with np.errstate(over="ignore", invalid="ignore"):  # overflow is reported below
                heavy = as_numbers(weights, "weights").astype(float)
                total = float(heavy.sum())
            same_length(scores=numbers, weights=heavy)
            wrong = ~(np.isfinite(heavy) & (heavy >= 0))
            refuse_first(wrong, heavy, "weights", "it must be finite and not negative")
            if np.isinf(total):
                raise InputError(
                    "the sum of the weights overflows a float; divide them by a constant."
                )
            for label in (False, True):
                if not heavy[flags == label].any():
                    raise InputError(f"every item with label {int(label)} has weight 0.")
        codes = as_codes(clusters, numbers.size, "clusters")
        freeze(self, scores=numbers.copy(), labels=flags.copy(), weights=heavy, clusters=codes)

    def columns(self) -> tuple[NDArray[Any], ...]:
        """The arrays of the items, without their clusters."""
        heavy = () if self.weights is None else (self.weights,)
        return (*heavy, self.labels, self.scores)

    def __len__(self) -> int:
        return self.scores.size

    def scored(self) -> "Scored":
        """The items themselves."""
        return self

    def by_class(self) -> "ArrangedScores":
        """Sorted items, which can be weighted by cluster."""
        return ArrangedScores(self, joint_clusters(self.columns(), self.clusters))

    def __repr__(self) -> str:
        positives = int(self.labels.sum())
        return f"Scored({positives} positives, {len(self) - positives} negatives)"


@dataclass(frozen=True, eq=False)
class Labelled:
    """Positives and negatives per distinct score, the lowest first.

    Examples
    --------
    >>> Labelled.of(Scored([0.1, 0.4, 0.4, 0.8], [0, 0, 1, 1]))
    Labelled(scores=[0.1, 0.4, 0.8], positives=[0, 1, 1], negatives=[1, 1, 0])
    """

    scores: NDArray[Any]
    positives: NDArray[Any]
    negatives: NDArray[Any]

    def __post_init__(self) -> None:
        freeze(self, **vars(self))

    @classmethod
    def of(cls, scored: Scored) -> Self:
        """Add up items of equal score."""
        return cls.of_arrays(scored.scores, scored.labels, scored.weights)

    @classmethod
    def of_arrays(
        cls, scores: NDArray[Any], labels: NDArray[np.bool_], weights: Array | None = None
    ) -> Self:
        """Add up items of equal score, for arrays that are already validated."""
        if weights is None:
            ordered, positive = sort_with_label(scores, labels)
            levels, starts, items = distinct(ordered)
            positives = totals(starts, positive).astype(np.int64)
            return cls(levels, positives, items - positives)
        places = np.lexsort((weights, labels, scores))
        ordered, positive, heavy = scores[places], labels[places], weights[places]
        levels, starts, _ = distinct(ordered)
        return cls(
            levels,
            np.add.reduceat(np.where(positive, heavy, 0.0), starts),
            np.add.reduceat(np.where(positive, 0.0, heavy), starts),
        )

    def __add__(self, other: Self) -> "Labelled":
        if not isinstance(other, Labelled):
            return NotImplemented
        scores, place = np.unique(np.concatenate([self.scores, other.scores]), return_inverse=True)
        parts = [
            np.bincount(place, weights=np.concatenate(pair), minlength=scores.size)
            for pair in ((self.positives, other.positives), (self.negatives, other.negatives))
        ]
        whole = self.positives.dtype.kind == other.positives.dtype.kind == "i"
        return Labelled(scores, *(part.astype(np.int64) if whole else part for part in parts))

    def __repr__(self) -> str:
        return (
            f"Labelled(scores={self.scores.tolist()}, positives={self.positives.tolist()}, "
            f"negatives={self.negatives.tolist()})"
        )

    def classes(self) -> Classes:
        """The totals that metrics are computed from."""
        return Classes(self.positives, self.negatives)


class ArrangedScores:
    """Sorted scores, to be weighted by cluster."""

    def __init__(self, scored: Scored, clusters: NDArray[np.intp]) -> None:
        heavy = np.ones(len(scored)) if scored.weights is None else scored.weights
        places = np.lexsort((clusters, heavy, scored.labels, scored.scores))
        self._rows = clusters[places]
        self._units = int(clusters.max()) + 1
        self._starts = starts_of(scored.scores[places])
        label = scored.labels[places]
        self._parts = tuple(np.where(side, heavy[places], 0.0) for side in (label, ~label))

    @property
    def units(self) -> int:
        """Number of clusters to resample."""
        return self._units

    @property
    def rows(self) -> int:
        """Length of the longest work array per replicate."""
        return self._rows.size

    def classes(self, weights: NDArray[Any]) -> Classes:
        """Positives and negatives with each cluster weighted; a row of weights per replicate."""
        items = weights.take(self._rows, axis=1)
        return Classes(
            *(np.add.reduceat(items * part, self._starts, axis=1) for part in self._parts)
        )
