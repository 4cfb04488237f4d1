"""What can be asked of loaded outcomes can be asked of data in one call, and vice versa."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import errbar

METHODS = {
    name
    for name, _ in inspect.getmembers(errbar.Runs, inspect.isfunction)
    if not name.startswith("_")
}
FUNCTIONS = {name for name in errbar.__all__ if inspect.isfunction(getattr(errbar, name))}

MODULES = {"selective", "roc"}  # of functions on arrays; the methods are Runs.selective, Runs.roc
NOT_OF_RUNS = {
    "load": "gives Runs",
    "parse": "a metric",
    "family": "metrics",
    "games": "preferences, not outcomes",
    "prefer": "preferences, not outcomes",
    "agree": "ratings, not outcomes",
    "history": "many runs",
    "roc_auc": "arrays",
    "write_every_eval_ever": "writes a source",
}

# A call of every verb: what follows the data. Each takes a path as `load` does.
ASKED: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "score": (("avg",), {"level": 0.9}),
    "curve": (("pass^k", [1, 2]), {}),
    "compare": (("avg",), {"baseline": "b"}),
    "rank": ((), {}),
    "monitor": ((), {"above": 0.5}),
    "overview": ((), {}),
    "inspect": ((), {}),
    "items": ((), {"level": 0.9}),
    "audit_board": ((), {"level": 0.9}),
    "scaling": ((), {}),
    "noise": ((), {}),
    "cost": ((), {"errors": "missing"}),
    "agreements": ((), {}),
    "calibration": ((), {"bins": 2}),
    "next_labels": ((3,), {"task": ""}),
    "score_by_rates": ((), {"sensitivity": 0.9, "specificity": 0.9}),
    "gate": ((), {"max_drop": 0.5, "system": "a", "baseline_system": "b"}),
    "plan": (("avg",), {"width": 0.2, "systems": ["a"], "simulations": 0, "trials": [2]}),
    "report": ((), {"title": "Both"}),
}


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two systems, 30 questions, four trials of each, with a confidence and a cost."""
    rng = np.random.default_rng(0)
    lines = ["model,task_id,trial,passed,confidence,cost"]
    for model, rate in (("a", 0.7), ("b", 0.4)):
        for question in range(30):
            for trial in range(4):
                right = int(rng.random() < rate)
                sure, cost = 0.2 + 0.6 * rng.random(), rng.random()
                lines.append(f"{model},q{question},{trial},{right},{sure:.3f},{cost:.3f}")
    path = tmp_path_factory.mktemp("verbs") / "log.csv"
    path.write_text("\n".join(lines))
    return path


def asked_of(data: Any, verb: str, place: Path) -> Any:
    """A verb called as a function of data."""
    words, options = ASKED[verb]
    function: Callable[..., Any] = getattr(errbar, verb)
    if verb == "gate":
        return function(data, data, "avg", **options)
    if verb == "plan":
        return function(*words, pilot=data, **options)
    if verb == "report":
        return function(data, place / "one.html", "avg", **options).read_text()
    return function(data, *words, **options)


def asked_by_method(runs: errbar.Runs, verb: str, place: Path) -> Any:
    """A verb called as a method."""
    words, options = ASKED[verb]
    method: Callable[..., Any] = getattr(runs, verb)
    if verb == "gate":
        return method(runs, "avg", **options)
    if verb == "report":
        return method(place / "two.html", "avg", **options).read_text()
    return method(*words, **options)


def test_every_verb_is_in_both_places() -> None:
    assert FUNCTIONS - NOT_OF_RUNS.keys() == METHODS - MODULES
    assert NOT_OF_RUNS.keys() <= FUNCTIONS
    assert ASKED.keys() == METHODS - MODULES


@pytest.mark.parametrize("verb", ASKED)
def test_a_verb_takes_a_path_and_gives_what_the_method_gives(
    verb: str, log: Path, tmp_path: Path
) -> None:
    by_method = asked_by_method(errbar.load(log), verb, tmp_path)
    assert str(asked_of(log, verb, tmp_path)) == str(by_method)
