"""Pictures that can be drawn: of results, of outcomes, of plans and simulations."""

from errbar.pictures import (
    Picture,
    calibration_picture,
    coverage_map,
    planning_curve,
    plot,
    risk_picture,
    roc_picture,
)
from errbar.run_pictures import RunPlots

__all__ = [
    "Picture",
    "RunPlots",
    "calibration_picture",
    "coverage_map",
    "planning_curve",
    "plot",
    "risk_picture",
    "roc_picture",
]
