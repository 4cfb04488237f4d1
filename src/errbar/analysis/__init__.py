"""Analyses of outcomes: scores, comparisons, ranks, curves, monitoring and plans.

A verb needs few of these modules: those named below are imported when they are first used, as in
`analysis.costs.costs_of(...)` after `from errbar import analysis`.
"""

from typing import TYPE_CHECKING

from errbar.base import modules_on_first_use

if TYPE_CHECKING:
    from errbar.analysis import board_audit as board_audit
    from errbar.analysis import bracket as bracket
    from errbar.analysis import calibration as calibration
    from errbar.analysis import compare as compare
    from errbar.analysis import compare_ranked as compare_ranked
    from errbar.analysis import costs as costs
    from errbar.analysis import curves as curves
    from errbar.analysis import inspection as inspection
    from errbar.analysis import items as items
    from errbar.analysis import monitor as monitor
    from errbar.analysis import noise as noise
    from errbar.analysis import plan as plan
    from errbar.analysis import rank as rank
    from errbar.analysis import rank_scores as rank_scores
    from errbar.analysis import ranked as ranked
    from errbar.analysis import scaling as scaling

__getattr__ = modules_on_first_use(__name__)
