"""Results: printed, tabulated, exported and drawn. Nothing here infers anything.

The modules that Python imports below are imported when they are first used, as those of
`errbar.analysis` are.

- `base`: every result as text, DataFrame, CSV, JSON and HTML; `pictures`: as a picture.
- `estimate`: a value with its interval, and its flat record (`record_of`); `scores`: their tables;
  `best_score`: which system has the best.
- `comparison`: a pair, and the words "better" and "inconclusive"; `comparisons`: tables of pairs,
  and the colour of each verdict.
- `leaderboard`: ranks and groups that are tied (`letters_of`); `board_audit`: how firm the lead is.
- `gate`: its verdict, exit codes and comment on a pull request.
- `monitoring`: during a run; `timeline`: over past runs.
- `plan`, `noise`, `costs`, `scaling`, `items`, `calibration`: of the verb of that name.
- `judges`: agreement of raters, corrected scores, what to label.
- `overview`: `errbar PATHS`; `inspection`: what the data are, and stated beside computed numbers.
"""

from typing import TYPE_CHECKING

from errbar.base import modules_on_first_use

if TYPE_CHECKING:
    from errbar.results import board_audit as board_audit
    from errbar.results import calibration as calibration
    from errbar.results import comparisons as comparisons
    from errbar.results import costs as costs
    from errbar.results import gate as gate
    from errbar.results import inspection as inspection
    from errbar.results import items as items
    from errbar.results import judges as judges
    from errbar.results import leaderboard as leaderboard
    from errbar.results import monitoring as monitoring
    from errbar.results import noise as noise
    from errbar.results import overview as overview
    from errbar.results import scaling as scaling

__getattr__ = modules_on_first_use(__name__)
