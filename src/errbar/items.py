"""The documented functions on lists of item predictions: ties in input order, trapezoids.

They keep their documented behaviour to the letter: an item without an answer costs nothing and
is never covered, an area over nothing is 0.0, and a coverage out of reach has no risk. Their
honest companions are in `errbar.selective`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from errbar.errors import InputError

_SLACK = 1e-9  # a coverage this little below the target has reached it


@dataclass(frozen=True, slots=True)
class ItemPrediction:
    """One item: the score given, or None for no answer, the true one, and a confidence.

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
        """Whether there is an answer."""
        return self.score is not None

    @property
    def absolute_error(self) -> float:
        """Distance from the truth; 0 without an answer."""
        return 0 if self.score is None else abs(self.score - self.ground_truth)


def compute_risk_coverage_curve(items: Sequence[ItemPrediction]) -> list[tuple[float, float]]:
    """Coverage and mean absolute error after each answered item, the surest first.

    Coverage is relative to all items; equal confidences keep the order of the list.

    Examples
    --------
    >>> compute_risk_coverage_curve([ItemPrediction(1, 1, 0.9), ItemPrediction(None, 2, 0.1)])
    [(0.5, 0.0)]
    """
    surest = sorted(
        (item for item in items if item.is_predicted),
        key=lambda item: item.confidence,
        reverse=True,
    )
    curve: list[tuple[float, float]] = []
    error: float = 0  # whole errors add up exactly
    for covered, item in enumerate(surest, start=1):
        error += item.absolute_error
        curve.append((covered / len(items), error / covered))
    return curve


def compute_aurc(items: Sequence[ItemPrediction]) -> float:
    """Area under that curve by trapezoids from its first point.

    One point alone is as wide as its coverage; no point at all has the area 0.0.

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


def compute_risk_at_coverage(
    items: Sequence[ItemPrediction], target_coverage: float
) -> float | None:
    """Mean absolute error at the first coverage that reaches the target; None if none does.

    Examples
    --------
    >>> compute_risk_at_coverage([ItemPrediction(2, 1, 1.0), ItemPrediction(None, 0, 0.0)], 0.5)
    1.0
    """
    if not 0.0 < target_coverage <= 1.0:
        raise InputError(f"target_coverage must be in (0, 1], got {target_coverage}")
    for coverage, risk in compute_risk_coverage_curve(items):
        if coverage >= target_coverage - _SLACK:
            return risk
    return None
