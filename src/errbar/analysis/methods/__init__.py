"""Which way of making intervals a user meant."""

from dataclasses import replace
from typing import Any

from errbar.analysis.methods.base import Cell, Method
from errbar.analysis.methods.bootstrap import SEEN, Bootstrap
from errbar.analysis.methods.calibrated import Calibrated
from errbar.analysis.methods.posterior import Posterior
from errbar.analysis.methods.seen import Assumption
from errbar.base.remarks import setting, way_to_say
from errbar.errors import InputError, WrongType
from errbar.results.estimate import Estimand

__all__ = [
    "SEEN",
    "Assumption",
    "Bootstrap",
    "Calibrated",
    "Cell",
    "Method",
    "Posterior",
    "chosen_method",
    "narrowed",
]


def chosen_method(
    method: Method | str | None = None,
    *,
    estimand: Estimand | str | None = None,
    level: float | None = None,
) -> Method:
    """A method as it is or by name, with the target and the level that were given."""
    if method in (None, "calibrated"):
        method = Calibrated()
    elif method == "documented":
        method = Posterior()
    if not isinstance(method, Calibrated | Posterior):
        raise WrongType(
            f"method must be 'calibrated', 'documented' or a value, as in Calibrated(level=0.9); "
            f"got {method!r}."
        )
    given: dict[str, Any] = {} if level is None else {"level": level}
    if isinstance(method, Posterior):
        if estimand not in (None, Estimand.BENCHMARK):
            raise InputError(
                f"the documented posterior is for the estimand 'benchmark'; got {estimand!r}."
            )
    elif estimand is not None:
        given["estimand"] = estimand
    return replace(method, **given)


def narrowed(
    method: Method,
    questions_in_all: int | None = None,
    assume: Assumption | None = None,
    bounds: tuple[float, float] | None = None,
) -> Method:
    """A method with what is known about the questions, which only the calibrated one can use."""
    options = {
        "questions_in_all": (questions_in_all, "--questions-in-all"),
        "assume": (assume, "--assume"),
        "bounds": (bounds, "--bounds"),
    }
    given: dict[str, Any] = {
        name: value for name, (value, _) in options.items() if value is not None
    }
    if isinstance(method, Calibrated):
        return replace(method, **given)
    for name in given:
        option = way_to_say(options[name][1], f"{name}=")
        raise InputError(f"{option} is for {setting('method', 'calibrated')}.")
    return method
