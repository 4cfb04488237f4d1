"""The documented functions of item predictions: risk–coverage curve, its area, risk at a coverage.

Their definitions of ties, areas and unanswered items are those in the header of the package.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real

from errbar.base.arguments import describe
from errbar.errors import InputError, WrongType
from errbar.kernels.risk_coverage import SNAP

_describe = describe(
    {
        "items": "The items, answered or not.",
        "target_coverage": "A share of all items, in (0, 1].",
    }
)


@dataclass(frozen=True, slots=True)
class ItemPrediction:
    """An item: the predicted score, or None without an answer, the true score and the confidence.

    Examples
    --------
    >>> ItemPrediction(score=3, ground_truth=1, confidence=0.8).absolute_error
    2
    """

    score: float | None
    ground_truth: float
    confidence: float

    @property
    def is_predicted(self) -> bool:
        """Whether the item was answered."""
        return self.score is not None

    @property
    def absolute_error(self) -> float:
        """Absolute difference of prediction and truth; 0 without an answer."""
        return 0 if self.score is None else abs(self.score - self.ground_truth)


@_describe
def compute_risk_coverage_curve(items: Sequence[ItemPrediction]) -> list[tuple[float, float]]:
    """Return coverage and mean absolute error after each answered item, by falling confidence.

    Coverage is relative to all items; items with equal confidence keep the order of the list.

    Examples
    --------
    >>> compute_risk_coverage_curve([ItemPrediction(1, 1, 0.9), ItemPrediction(None, 2, 0.1)])
    [(0.5, 0.0)]
    """
    if not isinstance(items, Sequence) or not all(hasattr(x, "is_predicted") for x in items):
        raise WrongType(f"items must be a list of ItemPrediction; got {items!r:.80}.")
    surest = sorted(
        (item for item in items if item.is_predicted),
        key=lambda item: item.confidence,
        reverse=True,
    )
    curve: list[tuple[float, float]] = []
    error: float = 0  # integers add up exactly
    for covered, item in enumerate(surest, start=1):
        error += item.absolute_error
        curve.append((covered / len(items), error / covered))
    return curve


@_describe
def compute_aurc(items: Sequence[ItemPrediction]) -> float:
    """Return the area under the risk–coverage curve by the trapezoidal rule.

    The area begins at the first point; a single point has the width of its coverage.

    Examples
    --------
    >>> compute_aurc([ItemPrediction(2, 1, 1.0), ItemPrediction(None, 0, 0.0)])
    0.5
    """
    curve = compute_risk_coverage_curve(items)
    if len(curve) == 1:
        coverage, risk = curve[0]
        return coverage * risk
    area = 0.0
    for (before, left), (after, right) in pairwise(curve):
        area += (after - before) * (left + right) / 2
    return area


@_describe
def compute_risk_at_coverage(
    items: Sequence[ItemPrediction], target_coverage: float
) -> float | None:
    """Return the mean absolute error at the first coverage that reaches the target, or None.

    Examples
    --------
    >>> compute_risk_at_coverage([ItemPrediction(2, 1, 1.0), ItemPrediction(None, 0, 0.0)], 0.5)
    1.0
    """
    if not isinstance(target_coverage, Real) or not 0.0 < target_coverage <= 1.0:
        raise InputError(f"target_coverage must be in (0, 1], got {target_coverage}")
    for coverage, risk in compute_risk_coverage_curve(items):
        if coverage >= target_coverage - SNAP:  # absolute, as documented
            return risk
    return None
