"""Analyses of outcomes: scores, comparisons, ranks, curves, monitoring and plans.

A verb needs few of these modules: those that Python imports below are imported when they are first
used, as in `analysis.costs.costs_of(...)` after `from errbar import analysis`.

One system:

- `score`: every metric for every system and task; `evaluate`: one of them, and which method it has
  (`chosen_method`); `methods`: intervals.
- `readings`: what is said of rows above a result; `outcome_scales`: bounds of
  rewards (`bounds_of`), and scales that differ.
- `bracket`: failed trials in the worst and the best case; `rewards`: rewards and votes.
- `curves`: a metric at many k; `scaling`: beyond the trials; `noise`: questions against trials.
- `ranked`: items ranked by confidence, in logs; `selective`: in arrays; `roc`: areas;
  `calibration`: whether a confidence is true.
- `costs`: per trial and per success, and the Pareto front; `history`: past runs.
- `monitor`: a run in progress; `plan`: before a run; `audit`: the coverage of intervals
  on simulated data.
- `inspection`: what the data are, and numbers that a log states.

Several systems:

- `compare`: pairs by question, adjusted for many pairs; `pairs`: one pair; `alignment`: systems by
  question (`align`); `question_values`: the value of each question.
- `compare_items`: pairs by aurc, risk@c, roc-auc; `item_pairs`: one pair; `compare_ranked`: from
  logs and arrays.
- `spreads`: the interval and tests of a difference, sums (MOVER); `rank_scores`: of ranks.
- `gate`: which drop is too much, and what is refused.
- `rank`: a leaderboard; `rank_methods`: by Borda, Rasch and others; `board_audit`: its order.
- `items`: abilities, difficulties, questions that look wrong.
- `preferences`: games by Bradley-Terry; `game_scores`: Elo, rates at equal length, and whether a
  judge prefers the answer shown first (`position_bias`).

Judges:

- `agreement`: of raters; `labelling`: what to label next.
- `corrections`: a score corrected by labels; `corrected_scores`: tables of them, and
  scores by known rates (`scores_by_rates`).
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
