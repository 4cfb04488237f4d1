"""errbar: honest scores from raw evaluation logs."""

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from errbar import eval as eval  # noqa: A004  its documented name
    from errbar import plots as plots
    from errbar import roc as roc
    from errbar import selective as selective
    from errbar.data.ranked import Predictions as Predictions
    from errbar.data.ranked import Ranked as Ranked
    from errbar.data.scored import Scored as Scored
    from errbar.data.statistics import CategoryCounts as CategoryCounts
    from errbar.data.statistics import Counts as Counts
    from errbar.estimate import Estimate as Estimate
    from errbar.estimate import Interval as Interval
    from errbar.estimate import Subject as Subject
    from errbar.evaluate import score as score
    from errbar.gating import gate as gate
    from errbar.loading import load as load
    from errbar.metrics import family as family
    from errbar.metrics import parse as parse
    from errbar.planning import Plan as Plan
    from errbar.planning import plan as plan
    from errbar.roc import roc_auc as roc_auc
    from errbar.runs import Runs as Runs
    from errbar.scores import Scores as Scores
    from errbar.uncertainty import Bootstrap as Bootstrap
    from errbar.uncertainty import Calibrated as Calibrated
    from errbar.uncertainty import Posterior as Posterior
    from errbar.writers.every_eval_ever import write_every_eval_ever as write_every_eval_ever

_HOMES = {
    "Bootstrap": "errbar.uncertainty",
    "Calibrated": "errbar.uncertainty",
    "CategoryCounts": "errbar.data.statistics",
    "Counts": "errbar.data.statistics",
    "Estimate": "errbar.estimate",
    "Interval": "errbar.estimate",
    "Plan": "errbar.planning",
    "Posterior": "errbar.uncertainty",
    "Predictions": "errbar.data.ranked",
    "Ranked": "errbar.data.ranked",
    "Runs": "errbar.runs",
    "Scored": "errbar.data.scored",
    "Scores": "errbar.scores",
    "Subject": "errbar.estimate",
    "eval": "errbar",
    "family": "errbar.metrics",
    "gate": "errbar.gating",
    "load": "errbar.loading",
    "parse": "errbar.metrics",
    "plan": "errbar.planning",
    "plots": "errbar",
    "roc": "errbar",
    "roc_auc": "errbar.roc",
    "score": "errbar.evaluate",
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
    "eval",
    "family",
    "gate",
    "load",
    "parse",
    "plan",
    "plots",
    "roc",
    "roc_auc",
    "score",
    "selective",
    "write_every_eval_ever",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'errbar' has no attribute {name!r}")
    home = _HOMES[name]
    if home == "errbar":
        return importlib.import_module(f"errbar.{name}")
    return getattr(importlib.import_module(home), name)


def __dir__() -> list[str]:
    return __all__
