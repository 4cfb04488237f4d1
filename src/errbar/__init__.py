"""errbar: scores with confidence intervals from raw evaluation logs.

Layers, in the order of imports:

- `errors`: what was asked, what was found, where, what to do.
- `base`: numbers, text, arguments, files; `kernels`: arrays in, arrays out.
- `data`: outcomes, wherever they are; `metrics`: what is computed from them.
- `results`: what was found; `analysis`: data × metric × method.

What users call:

- `loading`: `load`, and what kind of object it was given.
- `verbs`: `score`, `compare` and the others, on anything that can be loaded.
- `runs`, `outcomes`: what can be asked of loaded outcomes: of their scores, and of all else.
- `preferences`: games; `judges`: raters and labels; `past_runs`: `history`; `plots`: pictures.
- `eval`, `selective`, `roc`: functions of arrays.
- `page`: the report; `writers`: files for other tools; `demo`: a small example.
- `cli`: the command; `integrations`: plug-ins for other tools.
"""

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from errbar import eval as eval  # noqa: A004  its documented name
    from errbar import plots as plots
    from errbar import roc as roc
    from errbar import selective as selective
    from errbar.analysis.methods import Bootstrap as Bootstrap
    from errbar.analysis.methods import Calibrated as Calibrated
    from errbar.analysis.methods import Posterior as Posterior
    from errbar.analysis.plan import Plan as Plan
    from errbar.data.counts import CategoryCounts as CategoryCounts
    from errbar.data.counts import Counts as Counts
    from errbar.data.labelled_scores import Scored as Scored
    from errbar.data.predictions import Predictions as Predictions
    from errbar.data.predictions import Ranked as Ranked
    from errbar.judges import agree as agree
    from errbar.judges import next_labels as next_labels
    from errbar.judges import score_by_rates as score_by_rates
    from errbar.loading import load as load
    from errbar.metrics import family as family
    from errbar.metrics import parse as parse
    from errbar.page import report as report
    from errbar.past_runs import history as history
    from errbar.preferences import games as games
    from errbar.preferences import prefer as prefer
    from errbar.results.estimate import Estimate as Estimate
    from errbar.results.estimate import Interval as Interval
    from errbar.results.estimate import Subject as Subject
    from errbar.results.scores import Scores as Scores
    from errbar.roc import roc_auc as roc_auc
    from errbar.runs import Runs as Runs
    from errbar.verbs import agreements as agreements
    from errbar.verbs import audit_board as audit_board
    from errbar.verbs import calibration as calibration
    from errbar.verbs import compare as compare
    from errbar.verbs import cost as cost
    from errbar.verbs import curve as curve
    from errbar.verbs import gate as gate
    from errbar.verbs import inspect as inspect
    from errbar.verbs import items as items
    from errbar.verbs import monitor as monitor
    from errbar.verbs import noise as noise
    from errbar.verbs import overview as overview
    from errbar.verbs import plan as plan
    from errbar.verbs import rank as rank
    from errbar.verbs import scaling as scaling
    from errbar.verbs import score as score
    from errbar.writers.every_eval_ever import write_every_eval_ever as write_every_eval_ever

_HOMES = {
    "Bootstrap": "errbar.analysis.methods",
    "Calibrated": "errbar.analysis.methods",
    "CategoryCounts": "errbar.data.counts",
    "Counts": "errbar.data.counts",
    "Estimate": "errbar.results.estimate",
    "Interval": "errbar.results.estimate",
    "Plan": "errbar.analysis.plan",
    "Posterior": "errbar.analysis.methods",
    "Predictions": "errbar.data.predictions",
    "Ranked": "errbar.data.predictions",
    "Runs": "errbar.runs",
    "Scored": "errbar.data.labelled_scores",
    "Scores": "errbar.results.scores",
    "Subject": "errbar.results.estimate",
    "agree": "errbar.judges",
    "agreements": "errbar.verbs",
    "audit_board": "errbar.verbs",
    "calibration": "errbar.verbs",
    "compare": "errbar.verbs",
    "cost": "errbar.verbs",
    "curve": "errbar.verbs",
    "eval": "errbar",
    "family": "errbar.metrics",
    "games": "errbar.preferences",
    "gate": "errbar.verbs",
    "history": "errbar.past_runs",
    "inspect": "errbar.verbs",
    "items": "errbar.verbs",
    "load": "errbar.loading",
    "monitor": "errbar.verbs",
    "next_labels": "errbar.judges",
    "noise": "errbar.verbs",
    "overview": "errbar.verbs",
    "parse": "errbar.metrics",
    "plan": "errbar.verbs",
    "plots": "errbar",
    "prefer": "errbar.preferences",
    "rank": "errbar.verbs",
    "report": "errbar.page",
    "roc": "errbar",
    "roc_auc": "errbar.roc",
    "scaling": "errbar.verbs",
    "score": "errbar.verbs",
    "score_by_rates": "errbar.judges",
    "selective": "errbar",
    "write_every_eval_ever": "errbar.writers.every_eval_ever",
}

__all__ = [
    "Bootstrap",
    "Calibrated",
    "CategoryCounts",
    "Counts",
    "Estimate",
    "Interval",
    "Plan",
    "Posterior",
    "Predictions",
    "Ranked",
    "Runs",
    "Scored",
    "Scores",
    "Subject",
    "__version__",
    "agree",
    "agreements",
    "audit_board",
    "calibration",
    "compare",
    "cost",
    "curve",
    "eval",
    "family",
    "games",
    "gate",
    "history",
    "inspect",
    "items",
    "load",
    "monitor",
    "next_labels",
    "noise",
    "overview",
    "parse",
    "plan",
    "plots",
    "prefer",
    "rank",
    "report",
    "roc",
    "roc_auc",
    "scaling",
    "score",
    "score_by_rates",
    "selective",
    "write_every_eval_ever",
]


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module 'errbar' has no attribute {name!r}")
    home = _HOMES[name]
    if home == "errbar":
        return importlib.import_module(f"errbar.{name}")
    return getattr(importlib.import_module(home), name)


def __dir__() -> list[str]:
    return __all__
