"""What `errbar selective` and `errbar roc` do."""

import json
from collections.abc import Sequence

from errbar.cli.outcomes import Given, put, runs_of, show, shown
from errbar.cli.work import working
from errbar.errors import InputError
from errbar.readers.item_runs import is_item_run
from errbar.scores import RankedScores
from errbar.selective_report import SelectiveReport, report
from errbar.uncertainty import Bootstrap


def selective_risk(paths: Sequence[str], given: Given) -> None:
    """Runs of items if the first path is one, outcomes with a confidence otherwise."""
    if not is_item_run(paths[0]):
        show(_outcomes(paths, given), given)
        return
    found = _item_runs(paths, given)
    if given["style"] == "json":
        put(json.dumps(found.to_dict(), indent=2), given)
    else:
        show(found, given)


def roc_of_outcomes(paths: Sequence[str], given: Given) -> None:
    """The area, with its interval, of every system."""
    with working(f"errbar roc {shown(paths)}") as work:
        scores = runs_of(paths, given, work).roc(method=_method(given), rng=given["seed"])
    show(scores, given)


def _item_runs(paths: Sequence[str], given: Given) -> SelectiveReport:
    if given["style"] not in ("table", "json"):
        raise InputError("runs of items are reported as a table or as JSON: --format json.")
    with working(f"errbar selective {paths[0]}"):
        return report(
            paths,
            given["coverages"],
            given["loss"],
            span=given["span"],
            method=_method(given),
            rng=given["seed"],
        )


def _outcomes(paths: Sequence[str], given: Given) -> RankedScores:
    metrics = ["aurc", "augrc", "e-aurc", *(f"risk@{share}" for share in given["coverages"])]
    with working(f"errbar selective {paths[0]}") as work:
        runs = runs_of(paths, given, work)
        return runs.selective(*metrics, method=_method(given), rng=given["seed"])


def _method(given: Given) -> Bootstrap:
    return Bootstrap(given["resamples"], given["level"])
