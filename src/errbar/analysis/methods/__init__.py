"""Which way of making intervals a user meant."""

from dataclasses import replace
from typing import Any

from errbar.analysis.methods.base import Cell, Method
from errbar.analysis.methods.bootstrap import Bootstrap
from errbar.analysis.methods.calibrated import Calibrated
from errbar.analysis.methods.posterior import Posterior
from errbar.analysis.methods.seen import Assumption
from errbar.base.remarks import setting, way_to_say
from errbar.errors import InputError, WrongType
from errbar.results.estimate import Estimand

__all__ = ["Assumption", "Bootstrap", "Calibrated", "Cell", "Method", "Posterior", "chosen_method"]


def chosen_method(
    method: Method | str | None = None,
    *,
    estimand: Estimand | str | None = None,
    level: float | None = None,
    questions_in_all: int | None = None,
    assume: Assumption | None = None,
) -> Method:
    """A method as it is or by name, with what was asked for besides."""
    if method in (None, "calibrated"):
        method = Calibrated()
    elif method == "documented":
        method = Posterior()
    if not isinstance(method, Calibrated | Posterior):
        raise WrongType(
            f"method must be 'calibrated', 'documented' or a value, as in Calibrated(level=0.9); "
            f"got {method!r}."
        )
    asked: dict[str, Any] = {} if level is None else {"level": level}
    if isinstance(method, Posterior):
        if estimand not in (None, Estimand.BENCHMARK):
            raise InputError(
                f"the documented posterior is for the estimand 'benchmark'; got {estimand!r}."
            )
        if questions_in_all is not None:
            option = way_to_say("--questions-in-all", "questions_in_all=")
            raise InputError(f"{option} is for {setting('method', 'calibrated')}.")
        if assume is not None:
            option = way_to_say("--assume", "assume=")
            raise InputError(f"{option} is for {setting('method', 'calibrated')}.")
        return replace(method, **asked)
    if estimand is not None:
        asked["estimand"] = estimand
    if questions_in_all is not None:
        asked["questions_in_all"] = questions_in_all
    if assume is not None:
        asked["assume"] = assume
    return replace(method, **asked)
