"""Pictures of results: Vega-Lite specifications with the data in them, drawn without a network."""

from collections.abc import Callable
from typing import Any

from errbar.decide.comparison import Comparisons
from errbar.decide.gate import Gate
from errbar.decide.leaderboard import Leaderboard
from errbar.errors import InputError, WrongType
from errbar.inspection import Inspection
from errbar.matched_values import MatchedCoverage
from errbar.pictures.coverage import coverage_map
from errbar.pictures.curves import is_curve, planning_curve, score_curve
from errbar.pictures.data import data_picture
from errbar.pictures.forest import (
    comparison_forest,
    gate_forest,
    matched_forest,
    rank_picture,
    score_forest,
)
from errbar.pictures.picture import Picture
from errbar.pictures.ranked import calibration_picture, risk_picture, roc_picture
from errbar.pictures.watch import monitoring_picture
from errbar.scores import Estimates
from errbar.watches import History, Monitoring

__all__ = [
    "Picture",
    "calibration_picture",
    "coverage_map",
    "planning_curve",
    "plot",
    "risk_picture",
    "roc_picture",
]


def plot(result: Any) -> Picture:
    """The picture of a result: a curve where it is one metric at many k, else a forest."""
    draw = next((draw for kind, draw in _BY_KIND.items() if isinstance(result, kind)), None)
    if draw is None:
        known = ", ".join(kind.__name__ for kind in _BY_KIND)
        raise WrongType(f"there is no picture of {type(result).__name__}; there is of: {known}.")
    if not result.to_dicts():
        raise InputError(f"{type(result).__name__}: there is nothing in it to draw.")
    return draw(result)


def _scores(scores: Estimates[Any]) -> Picture:
    return score_curve(scores) if is_curve(scores) else score_forest(scores)


_BY_KIND: dict[type, Callable[[Any], Picture]] = {
    Estimates: _scores,
    Comparisons: comparison_forest,
    Leaderboard: rank_picture,
    MatchedCoverage: matched_forest,
    Gate: gate_forest,
    Inspection: data_picture,
    Monitoring: monitoring_picture,
    History: monitoring_picture,
}
