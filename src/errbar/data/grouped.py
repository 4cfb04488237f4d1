"""Right and wrong answers by group of clusters and by confidence: ranking at any number of rows.

A ranked metric needs totals per distinct confidence, and a resample needs them for the clusters it
drew. Where there are too many clusters to hold each, groups of them are resampled instead: a
resample is then a row of weights times one table. Counts are whole numbers, so that their sums are
exact in any order.

A column of the table is a distinct confidence, or a bin of neighbouring ones. The order within a
bin is not known; the best and the worst that it can be bound what binning costs.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.data.frozen import freeze
from errbar.data.ranked import Ranked, Totals
from errbar.data.scored import Classes

Floats = NDArray[np.floating[Any]]

_AT_ONCE = 16  # resamples that share one pass over the table


@dataclass(frozen=True, eq=False)
class Grouped:
    """A row per group of clusters, a column per confidence or bin, the highest first.

    Examples
    --------
    >>> Grouped([0.9, 0.4], [[1, 0], [2, 1]], [[0, 1], [0, 0]], [2, 4], 7, 5, [False, False])
    Grouped(6 items in 2 groups of 7 clusters, 5 answered, 2 confidences)
    """

    confidence: Floats  # the least of each column
    right: Floats
    wrong: Floats
    sizes: Floats  # items of each group, those without an answer too
    clusters: int
    answering: int  # clusters with an answer at least
    mixed: NDArray[np.bool_]  # whether a column holds several confidences

    def __post_init__(self) -> None:
        freeze(
            self,
            mixed=np.asarray(self.mixed, dtype=bool),
            **{
                name: np.asarray(getattr(self, name), dtype=float)
                for name in ("confidence", "right", "wrong", "sizes")
            },
        )

    def __len__(self) -> int:
        return int(self.sizes.sum())

    def __repr__(self) -> str:
        return (
            f"Grouped({len(self)} items in {self.groups} groups of {self.clusters} clusters, "
            f"{self.answered} answered, {self.confidence.size} "
            f"{'bins' if self.mixed.any() else 'confidences'})"
        )

    @property
    def groups(self) -> int:
        """How many there are to resample."""
        return self.sizes.size

    @property
    def answered(self) -> int:
        """Items with an answer."""
        return int(self.right.sum() + self.wrong.sum())

    @property
    def rows(self) -> int:
        """How long a work array of one replicate is, of which several are worth their room."""
        return -(-self.confidence.size // _AT_ONCE)

    def ranked(self) -> Ranked:
        """Totals of all groups together."""
        right, wrong = self.right.sum(axis=0), self.wrong.sum(axis=0)
        often = np.array([right.sum(), wrong.sum()], dtype=np.int64)
        return Ranked(
            self.confidence,
            (right + wrong).astype(np.int64),
            wrong,
            len(self) - self.answered,
            np.array([0.0, 1.0])[often > 0],
            often[often > 0],
        )

    def totals(self, weights: NDArray[Any], *, with_oracle: bool) -> Totals:
        """Totals where each group counts so often: a row of weights per replicate."""
        right, wrong = weights @ self.right, weights @ self.wrong
        oracle = right[:, :0], wrong[:, :0]
        if with_oracle:
            often = np.stack([right.sum(axis=1), wrong.sum(axis=1)], axis=1)
            oracle = often, often * [0.0, 1.0]
        return Totals(right + wrong, wrong, weights @ self.sizes, *oracle)

    def classes(self, weights: NDArray[Any]) -> Classes:
        """Right and wrong answers where each group counts so often, the lowest confidence first."""
        return Classes(*(np.flip(weights @ part, axis=1) for part in (self.right, self.wrong)))

    def only_answered(self) -> "Grouped":
        """The same without what was not answered, and without groups that answered nothing."""
        sizes = self.right.sum(axis=1) + self.wrong.sum(axis=1)
        held = sizes > 0
        return Grouped(
            self.confidence,
            self.right[held],
            self.wrong[held],
            sizes[held],
            self.answering,
            self.answering,
            self.mixed,
        )

    def best(self) -> Totals:
        """Every bin with its right answers first."""
        return self._ordered(right_first=True)

    def worst(self) -> Totals:
        """Every bin with its wrong answers first."""
        return self._ordered(right_first=False)

    def _ordered(self, *, right_first: bool) -> Totals:
        right, wrong = self.right.sum(axis=0), self.wrong.sum(axis=0)
        first = np.where(self.mixed, right if right_first else wrong, right + wrong)
        first_loss = np.where(self.mixed & right_first, 0.0, wrong)
        items = np.stack([first, right + wrong - first], axis=1).reshape(-1)
        loss = np.stack([first_loss, wrong - first_loss], axis=1).reshape(-1)
        some = items > 0
        whole = self.ranked().totals()
        return whole._replace(items=items[some], loss=loss[some])
