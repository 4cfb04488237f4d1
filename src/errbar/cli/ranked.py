"""What `errbar selective` and `errbar roc` do."""

import json
from collections.abc import Sequence

from errbar.cli.outcomes import Given, runs_of, show, written
from errbar.errors import InputError
from errbar.readers.item_runs import is_item_run
from errbar.selective_report import report
from errbar.uncertainty import Bootstrap


def selective_risk(paths: Sequence[str], given: Given) -> None:
    """Runs of items if the first path is one, outcomes with a confidence otherwise."""
    show((_item_runs if is_item_run(paths[0]) else _outcomes)(paths, given), given)


def roc_of_outcomes(path: str, given: Given) -> None:
    """The area, with its interval, of every system."""
    scores = runs_of(path, given).roc(method=_method(given), rng=given["seed"], bins=given["bins"])
    show(written(scores, given["style"]), given)


def _item_runs(paths: Sequence[str], given: Given) -> str:
    style = given["style"]
    if given["bins"] is not None:
        raise InputError("--bins is for outcomes; runs of items are ranked one by one.")
    if style not in ("table", "json"):
        raise InputError("runs of items are reported as a table or as JSON: --format json.")
    shown = report(
        paths,
        given["coverages"],
        given["loss"],
        span=given["span"],
        method=_method(given),
        rng=given["seed"],
    )
    return json.dumps(shown.to_dict(), indent=2) if style == "json" else str(shown)


def _outcomes(paths: Sequence[str], given: Given) -> str:
    if len(paths) > 1:
        raise InputError(f"outcomes are read from one path or pattern; {paths[1]!r} is a second.")
    metrics = ["aurc", "augrc", "e-aurc", *(f"risk@{share}" for share in given["coverages"])]
    runs = runs_of(paths[0], given)
    scores = runs.selective(*metrics, method=_method(given), rng=given["seed"], bins=given["bins"])
    return written(scores, given["style"])


def _method(given: Given) -> Bootstrap:
    return Bootstrap(given["resamples"], given["level"])
