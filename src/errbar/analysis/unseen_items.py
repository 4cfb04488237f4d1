"""Differences of two rankings, which hold whatever an unseen item does to either of them.

As for means (`analysis.pairs`), a difference that is called "better" must not rest on the absence
of rare failures.

- Areas under ROC curves of the same labels: the difference is the mean, over the positives, of the
  differences of their placements, and likewise over the negatives. All lie between −1 and 1, so
  both means have Gaffke's ends, combined by MOVER (Zou and Donner 2008) as for a single area.
- Any other metric: the Bayesian bootstrap with one unseen item, or cluster, that the first system
  ranks at its worst and the second at its best for one end, and the other way round for the other.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errbar.analysis.pairs import sample_of_differences
from errbar.analysis.spreads import LEVELS, EndsByScore, Independent
from errbar.base.arrays import Array
from errbar.data.scored import scores_and_labels
from errbar.kernels import roc
from errbar.kernels.bounded_mean import mean_ends
from errbar.kernels.sign_flip import Ends


class Drawn(NamedTuple):
    """Differences in each draw, with the unseen item against the first system, and for it."""

    low: Array
    high: Array

    def ends(self, level: float) -> Ends:
        """Interval for the difference."""
        tail = 0.5 * (1.0 - level)
        low, high = np.quantile(self.low, tail), np.quantile(self.high, 1.0 - tail)
        return Ends(float(low), float(high))

    def p_at_most(self, shift: float) -> float:
        """One-sided p-value of the hypothesis that the difference is `shift` or lower."""
        return _share(self.low <= shift)

    def p_at_least(self, shift: float) -> float:
        """One-sided p-value of the hypothesis that the difference is `shift` or higher."""
        return _share(self.high >= shift)

    def chance_above(self, shift: float) -> float:
        """Posterior probability that the difference exceeds `shift`; either end is as likely."""
        return 0.5 * (1.0 - self.p_at_most(shift) + self.p_at_least(shift))


def _share(flags: NDArray[np.bool_]) -> float:
    """Share of the draws, of which there is one more: no p-value of a simulation is 0."""
    return (float(flags.sum()) + 1.0) / (flags.size + 1.0)


UnseenSpread = Drawn | Independent


def paired_area_difference(
    scores: ArrayLike, other_scores: ArrayLike, labels: ArrayLike
) -> Independent:
    """Difference of two areas of the same items."""
    first, flags = scores_and_labels(scores, labels)
    second, _ = scores_and_labels(other_scores, labels, "other_scores")
    (beats, beaten), (beats_too, beaten_too) = (
        roc.item_placements(numbers, flags) for numbers in (first, second)
    )
    parts = np.sort(beats - beats_too) / beaten.size, np.sort(beaten - beaten_too) / beats.size
    value = float(parts[0].mean())
    positives, negatives = (_ends_of_part(value, part) for part in parts)
    turned = EndsByScore(0.0, negatives.sd, negatives.above, negatives.below)
    return Independent(positives, turned, 1.0)  # less its mirror image, so that the errors add up


def _ends_of_part(value: float, apart: Array) -> EndsByScore:
    sample = sample_of_differences(apart, np.ones(apart.size), (-1.0, 1.0))
    return EndsByScore.of(value, sample.sd(), [mean_ends(sample, level) for level in LEVELS])
