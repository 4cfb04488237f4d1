"""ROC-AUC: how well a score tells positives from negatives, whatever its scale."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from errbar.data.grouped import Grouped
from errbar.data.scored import Classes, Labelled
from errbar.kernels import roc as kernel
from errbar.metrics.base import Array, Metric, Needs
from errbar.metrics.registry import register


class LabelMetric(Metric):
    """A metric of how labels are ranked by score."""

    needs: ClassVar[Needs] = Needs.LABEL

    @abstractmethod
    def measure(self, classes: Classes) -> Array:
        """The value, or that of each replicate; nan where it is undefined."""

    def value(self, labelled: Labelled) -> float:
        """The value; nan where it is undefined."""
        return float(self.measure(labelled.classes()))


@register("roc-auc")
@dataclass(frozen=True)
class RocAuc(LabelMetric):
    """Chance that a positive outscores a negative, ties counting one half.

    Examples
    --------
    >>> from errbar.data.scored import Scored
    >>> RocAuc().value(Labelled.of(Scored([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1])))
    0.75
    """

    def measure(self, classes: Classes) -> Array:
        """Pairs in the right order."""
        return np.minimum(kernel.area(classes.positives, classes.negatives), 1.0)

    def bin_error(self, grouped: Grouped) -> float:
        """How far the value may be from what it is without bins: half the pairs that share one."""
        right, wrong = grouped.right.sum(axis=0), grouped.wrong.sum(axis=0)
        return float(right[grouped.mixed] @ wrong[grouped.mixed]) / (
            2.0 * float(right.sum()) * float(wrong.sum())
        )
