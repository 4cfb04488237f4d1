"""Predictions with a confidence, and the totals that ranked metrics are computed from.

`Predictions` has an entry per item: its confidence, its loss, and whether it was answered.
`Ranked` has an entry per distinct confidence; it is frozen and merges with `+`.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errbar.base.arguments import freeze, is_missing
from errbar.base.arrays import (
    Array,
    Integers,
    as_codes,
    as_flags,
    as_numbers,
    refuse_first,
    same_length,
)
from errbar.errors import InputError, WrongType
from errbar.kernels.resample import joint_clusters
from errbar.kernels.sorting import counts_of, starts_of, sums_by

_LARGEST = 1e300  # largest allowed sum of losses, with room for later arithmetic


class Totals(NamedTuple):
    """Items and loss per distinct confidence, the highest first; a row per replicate, if any.

    `total` counts all items, including unanswered ones. The oracle ranks the same losses in
    increasing order.
    """

    items: NDArray[Any]
    loss: Array
    total: NDArray[Any]
    oracle_items: NDArray[Any]
    oracle_loss: Array
    fractional: bool = False  # weights that are no counts of items


class Resampling(Protocol):
    """A sorted sample that can be weighted by resampling unit."""

    @property
    def units(self) -> int:
        """Number of resampling units."""

    @property
    def rows(self) -> int:
        """Length of the longest work array per replicate."""


class RankedSample:
    """Ranked items to be resampled: one by one, by cluster, or in groups (`GroupedTotals`)."""

    clusters: NDArray[np.intp] | int | None

    def __len__(self) -> int:
        raise NotImplementedError

    @property
    def unit(self) -> str:
        """The resampling unit: item or cluster."""
        return "item" if self.clusters is None else "cluster"

    @property
    def cluster_count(self) -> int:
        """Clusters, or items where there are none."""
        return len(self) if self.clusters is None else int(np.max(self.clusters)) + 1

    @property
    def group_count(self) -> int:
        """Number of groups of clusters that are resampled; 0 if clusters are resampled."""
        return 0

    def bin_error(self, _of: Callable[[Any], float]) -> float:
        """Largest error of a number due to binning; `_of` computes it from totals in bins."""
        return 0.0


@dataclass(frozen=True, eq=False)
class Predictions(RankedSample):
    """Confidence and loss of each item, whether it was answered, and its cluster.

    Examples
    --------
    >>> Predictions(confidence=[0.9, 0.4, 0.1], loss=[0, 1, 0], answered=[True, True, False])
    Predictions(3 items, 2 answered)
    """

    confidence: NDArray[Any]
    loss: Array
    answered: NDArray[np.bool_]
    # numbered in the order of their names; None: each item is a cluster
    clusters: NDArray[np.intp] | None

    def __init__(
        self,
        confidence: ArrayLike,
        loss: ArrayLike,
        answered: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
    ) -> None:
        sure, cost = as_numbers(confidence, "confidence"), as_numbers(loss, "loss")
        size = same_length(confidence=sure, loss=cost)
        flags = np.ones(size, dtype=bool) if answered is None else as_flags(answered, "answered")
        same_length(confidence=sure, answered=flags)
        hint = "; an item without an answer is marked in `answered`"
        if sure.dtype.kind == "f":
            refuse_first(flags & np.isnan(sure), sure, "confidence", f"it cannot be ranked{hint}")
        cost = cost.astype(float)
        refuse_first(flags & ~np.isfinite(cost), cost, "loss", f"it must be finite{hint}")
        large = flags & (np.abs(np.where(flags, cost, 0.0)) > _LARGEST / size)
        refuse_first(large, cost, "loss", "the sum of such losses overflows a float")
        freeze(
            self,
            confidence=sure.copy(),
            loss=cost,
            answered=flags.copy(),
            clusters=as_codes(clusters, size, "clusters"),
        )

    @classmethod
    def judged(
        cls,
        predicted: Sequence[Any] | NDArray[Any],
        truth: Sequence[Any] | NDArray[Any],
        confidence: ArrayLike,
        loss: str = "zero-one",
        *,
        span: float | None = None,
        clusters: ArrayLike | None = None,
    ) -> Self:
        """Compare answers with the truth; None or NaN means no answer.

        `loss` is 'zero-one', 'absolute', 'squared', or 'normalised': the absolute loss
        divided by `span`, the largest possible error.

        Examples
        --------
        >>> Predictions.judged([2, None, 0], [2, 1, 3], [0.9, 0.1, 0.5], "absolute").loss
        array([0., 0., 3.])
        """
        if loss not in LOSSES:
            known = ", ".join(map(repr, LOSSES))
            raise InputError(
                f"loss must be one of {known}; got {loss!r}. Pass any other loss as an array."
            )
        if (span is None) == (loss == "normalised"):
            raise InputError("span is required with loss='normalised' and not allowed otherwise.")
        if span is not None and (
            isinstance(span, bool) or not isinstance(span, Real) or not 0 < span < math.inf
        ):
            raise InputError(f"span must be positive and finite; got {span!r}.")
        if len(predicted) != len(truth):
            raise InputError(
                f"predicted and truth must have an entry per item each; they have "
                f"{len(predicted)} and {len(truth)}."
            )
        predicted, truth = _as_objects(predicted, "predicted"), _as_objects(truth, "truth")
        has_label = np.array([not is_missing(label) for label in predicted], dtype=bool)
        cost = np.zeros(len(has_label))
        for at in np.flatnonzero(has_label).tolist():
            if is_missing(truth[at]):
                raise InputError(
                    f"truth[{at}] is {truth[at]!r}; an answer cannot be compared with it."
                )
            try:
                cost[at] = LOSSES[loss](predicted[at], truth[at]) / (span or 1.0)
            except OverflowError as error:
                raise InputError(f"the loss of item {at} overflows a float.") from error
            except TypeError as error:
                raise WrongType(
                    f"loss={loss!r} needs numbers; item {at} has predicted={predicted[at]!r} and "
                    f"truth={truth[at]!r}."
                ) from error
        return cls(confidence, cost, has_label, clusters)

    def columns(self) -> tuple[NDArray[Any], ...]:
        """The arrays of the items, without their clusters."""
        return (self.loss, self.confidence, self.answered)

    def __len__(self) -> int:
        return self.loss.size

    def __repr__(self) -> str:
        together = f" in {self.clusters.max() + 1} clusters" if self.clusters is not None else ""
        return f"Predictions({len(self)} items{together}, {int(self.answered.sum())} answered)"

    @property
    def coverage(self) -> float:
        """Share of the items that were answered, the largest possible coverage."""
        return float(self.answered.mean())

    @property
    def unanswered(self) -> int:
        """Items without an answer."""
        return len(self) - int(self.answered.sum())

    def ranked(self) -> "Ranked":
        """Totals per distinct confidence."""
        return Ranked.of(self)

    def arranged(self) -> "ArrangedItems":
        """Ready to be weighted by cluster."""
        return ArrangedItems(self, joint_clusters(self.columns(), self.clusters))


LOSSES: dict[str, Callable[[Any, Any], float]] = {
    "zero-one": lambda predicted, truth: float(predicted != truth),
    "absolute": lambda predicted, truth: float(abs(predicted - truth)),
    "normalised": lambda predicted, truth: float(abs(predicted - truth)),
    "squared": lambda predicted, truth: float((predicted - truth) ** 2),
}


def _as_objects(values: Any, name: str) -> Any:
    """The values as Python objects, which neither overflow nor lose digits."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.getmaskarray(values).any():
        raise WrongType(f"{name} is a masked array with masked entries; leave those items out.")
    values = values.tolist() if isinstance(values, np.ndarray) else values
    for at, value in enumerate(values):
        if isinstance(value, np.ndarray | list):
            raise WrongType(
                f"{name}[{at}] is a list; each item must have a single answer and a single true "
                f"value."
            )
    return values


@dataclass(frozen=True, eq=False, kw_only=True)
class Ranked:
    """Totals per distinct confidence, the highest first, and the frequency of each loss.

    Examples
    --------
    >>> Ranked.of(Predictions([0.9, 0.4, 0.4], [0, 1, 0]))
    Ranked(confidence=[0.9, 0.4], items=[1, 2], loss=[0.0, 1.0], abstained=0)
    """

    confidence: NDArray[Any]
    items: Integers
    loss: Array
    abstained: int
    losses: Array  # distinct, the least first
    often: Integers

    def __post_init__(self) -> None:
        freeze(self, **vars(self))

    @classmethod
    def of(cls, predictions: Predictions) -> Self:
        """Add up items of equal confidence."""
        some = slice(None) if predictions.answered.all() else predictions.answered
        sure, cost = predictions.confidence[some], predictions.loss[some]
        if sure.size:
            confidence, items, loss = sums_by(sure, cost)
            losses, often = counts_of(cost)
        else:
            confidence = loss = losses = np.zeros(0)
            items = often = np.zeros(0, dtype=np.int64)
        return cls(
            confidence=confidence[::-1],
            items=items[::-1],
            loss=loss[::-1],
            abstained=len(predictions) - sure.size,
            losses=losses,
            often=often,
        )

    def __add__(self, other: Self) -> "Ranked":
        if not isinstance(other, Ranked):
            return NotImplemented
        confidence, sums = _merge_keys(
            _concatenate(self.confidence, other.confidence),
            np.concatenate([self.items, other.items]),
            np.concatenate([self.loss, other.loss]),
        )
        losses, often = _merge_keys(
            np.concatenate([self.losses, other.losses]), np.concatenate([self.often, other.often])
        )
        return Ranked(
            confidence=confidence[::-1],
            items=sums[0][::-1],
            loss=sums[1][::-1],
            abstained=self.abstained + other.abstained,
            losses=losses,
            often=often[0],
        )

    def __repr__(self) -> str:
        return (
            f"Ranked(confidence={self.confidence.tolist()}, items={self.items.tolist()}, "
            f"loss={self.loss.tolist()}, abstained={self.abstained})"
        )

    @property
    def answered(self) -> int:
        """Items with an answer."""
        return int(self.items.sum())

    @property
    def total(self) -> int:
        """All items."""
        return self.answered + self.abstained

    @property
    def coverage(self) -> float:
        """Share of the items that were answered, the largest possible coverage."""
        return self.answered / self.total

    def totals(self) -> Totals:
        """The totals that metrics are computed from."""
        return Totals(
            self.items, self.loss, np.asarray(self.total), self.often, self.losses * self.often
        )


def _concatenate(first: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
    """Concatenate two arrays; an empty array does not affect the type."""
    if not first.size or not other.size:
        return first if first.size else other
    return np.concatenate([first, other])


def _merge_keys(
    keys: NDArray[Any], *columns: NDArray[Any]
) -> tuple[NDArray[Any], list[NDArray[Any]]]:
    """Distinct keys in increasing order, and the sum of each column per key."""
    distinct, place = np.unique(keys, return_inverse=True)
    sums = [np.zeros(distinct.size, dtype=column.dtype) for column in columns]
    for total, column in zip(sums, columns, strict=True):
        np.add.at(total, place, column)
    return distinct, sums


class ArrangedItems:
    """Predictions sorted by decreasing confidence, to be weighted by cluster."""

    def __init__(self, predictions: Predictions, clusters: NDArray[np.intp]) -> None:
        at = np.flatnonzero(predictions.answered)
        sure, cost, rows = predictions.confidence[at], predictions.loss[at], clusters[at]
        self._sizes = np.bincount(clusters)
        self._ranked = _Groups.by(sure, cost, rows, down=True)
        self._oracle = _Groups.by(cost, cost, rows, down=False)

    @property
    def units(self) -> int:
        """Number of clusters to resample."""
        return self._sizes.size

    @property
    def rows(self) -> int:
        """Length of the longest work array per replicate."""
        return max(self._ranked.rows.size, self._sizes.size)

    def totals(self, weights: NDArray[Any], *, with_oracle: bool) -> Totals:
        """Totals with each cluster weighted: `weights` has a row per replicate."""
        items, loss = self._ranked.weighted(weights)
        oracle = self._oracle.weighted(weights) if with_oracle else (items[:, :0], loss[:, :0])
        return Totals(items, loss, weights[:, : self._sizes.size] @ self._sizes, *oracle)


class _Groups(NamedTuple):
    """Sorted rows: their clusters, their losses, and the start of each group of ties."""

    rows: NDArray[np.intp]
    cost: Array
    starts: NDArray[np.intp]

    @classmethod
    def by(cls, keys: NDArray[Any], cost: Array, rows: NDArray[np.intp], *, down: bool) -> Self:
        """Sort by the keys; ties are sorted by loss and cluster, not by item order."""
        places = np.lexsort((rows, cost, keys))
        if down:
            places = places[::-1]
        return cls(rows[places], cost[places], starts_of(keys[places]))

    def weighted(self, weights: NDArray[Any]) -> tuple[NDArray[Any], Array]:
        """Number of items and total loss of each group under the weights."""
        items = weights.take(self.rows, axis=1)
        loss = items * self.cost
        if self.starts.size == self.rows.size:
            return items, loss
        return (
            np.add.reduceat(items, self.starts, axis=1),
            np.add.reduceat(loss, self.starts, axis=1),
        )
