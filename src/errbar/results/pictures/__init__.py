"""Pictures of results: Vega-Lite specifications that contain their data, drawn offline.

- `picture`: a picture, and the files it is written to; `vega`: colours, axes, facets.
- `forest`: intervals; `curves`: a metric over k, plans, costs, scaling; `timeline`: over time.
- `questions`: questions and rows; `ranked`: risk–coverage, ROC, calibration.
- `coverage`: simulated coverage.
"""

from collections.abc import Callable
from typing import Any

from errbar.errors import InputError, WrongType
from errbar.results.board_audit import BoardAudit
from errbar.results.comparisons import Comparisons
from errbar.results.costs import Costs
from errbar.results.gate import Gate
from errbar.results.inspection import Inspection
from errbar.results.items import Items
from errbar.results.judges import LabellingPlan, RaterAgreement
from errbar.results.leaderboard import Board
from errbar.results.monitoring import Monitoring, MonitoringPath
from errbar.results.noise import NoiseTable
from errbar.results.overview import Overview
from errbar.results.pictures.coverage import coverage_map
from errbar.results.pictures.curves import (
    cost_picture,
    is_curve,
    planning_curve,
    scaling_picture,
    score_curve,
)
from errbar.results.pictures.forest import (
    agreement_forest,
    comparison_forest,
    gate_forest,
    labelling_forest,
    noise_bars,
    rank_picture,
    score_forest,
)
from errbar.results.pictures.picture import Picture
from errbar.results.pictures.questions import data_picture, items_picture
from errbar.results.pictures.ranked import calibration_picture, risk_picture, roc_picture
from errbar.results.pictures.timeline import monitoring_picture, timeline_picture
from errbar.results.scaling import Scaling
from errbar.results.scores import Estimates
from errbar.results.timeline import Timeline

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
    """Draw a result: a curve for one metric at many k, otherwise mostly a forest plot.

    Parameters
    ----------
    result
        A result of errbar, such as `Scores` or `Comparisons`.
    """
    draw = next((draw for kind, draw in _BY_KIND.items() if isinstance(result, kind)), None)
    if draw is None:
        raise WrongType(
            f"{type(result).__name__} cannot be drawn; a result can, such as runs.score('avg')."
        )
    if not result.to_dicts():
        raise InputError(f"{type(result).__name__} has no rows; there is nothing to draw.")
    return draw(result)


def _scores(scores: Estimates[Any]) -> Picture:
    return score_curve(scores) if is_curve(scores) else score_forest(scores)


_BY_KIND: dict[type, Callable[[Any], Picture]] = {
    Estimates: _scores,
    Comparisons: comparison_forest,
    Board: rank_picture,
    Gate: gate_forest,
    Inspection: data_picture,
    Monitoring: monitoring_picture,
    MonitoringPath: monitoring_picture,
    Timeline: timeline_picture,
    RaterAgreement: agreement_forest,
    LabellingPlan: labelling_forest,
    NoiseTable: noise_bars,
    Items: items_picture,
    Costs: cost_picture,
    Scaling: scaling_picture,
    BoardAudit: lambda audit: rank_picture(audit.board),
    Overview: lambda overview: _scores(overview.scores),
}
