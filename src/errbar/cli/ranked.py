"""What `errbar selective` and `errbar roc` do."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from errbar.analysis.curves import risk_bands
from errbar.analysis.methods import Bootstrap
from errbar.cli.group import working
from errbar.cli.outcomes import Given, put, runs_of, show, shown
from errbar.data.readers.item_runs import is_item_run
from errbar.errors import InputError
from errbar.results.estimate import Subject
from errbar.selective_report import SelectiveReport, report

if TYPE_CHECKING:
    from errbar.results.pictures.picture import Picture


def selective_risk(paths: Sequence[str], given: Given) -> None:
    """Runs of items if the first path is one, outcomes with a confidence otherwise."""
    if not is_item_run(paths[0]):
        _selective_outcomes(paths, given)
        return
    found = _item_runs(paths, given)
    picture = _risks_of_items(found, given) if given["plot"] else None
    if given["style"] != "json":
        show(found, given, picture)
        return
    put(json.dumps(found.to_dict(), indent=2), given)
    if picture is not None:
        picture.save(given["plot"])


def roc_of_outcomes(paths: Sequence[str], given: Given) -> None:
    """The area, with its interval, of every system."""
    with working(f"errbar roc {shown(paths)}") as work:
        runs = runs_of(paths, given, work)
        how = {"method": _method(given), "rng": given["seed"], "bins": given["bins"]}
        scores = runs.roc(**how)
        picture = runs.plot.roc(**how) if given["plot"] else None
    show(scores, given, picture)


def _item_runs(paths: Sequence[str], given: Given) -> SelectiveReport:
    if given["bins"] is not None:
        raise InputError("--bins is for outcomes; runs of items are ranked one by one.")
    if given["style"] not in ("table", "json"):
        raise InputError("runs of items are reported as a table or as JSON: --format json.")
    with working(f"errbar selective {paths[0]}"):
        return report(
            paths,
            given["coverages"],
            given["loss"],
            span=given["span"],
            method=_method(given),
            signal=given["signal"],
            rng=given["seed"],
        )


def _risks_of_items(found: SelectiveReport, given: Given) -> "Picture":
    from errbar.results.pictures import risk_picture  # noqa: PLC0415  an extra

    data = {
        Subject(one.run.name): one.run.predictions(given["loss"], given["span"])
        for one in found.runs
    }
    return risk_picture(risk_bands(data, _method(given), given["seed"]))


def _selective_outcomes(paths: Sequence[str], given: Given) -> None:
    """Areas and risks in a table; the picture has the whole curve."""
    metrics = ["aurc", "augrc", "e-aurc", *(f"risk@{share}" for share in given["coverages"])]
    with working(f"errbar selective {paths[0]}") as work:
        runs = runs_of(paths, given, work)
        how = {"method": _method(given), "rng": given["seed"], "bins": given["bins"]}
        scores = runs.selective(*metrics, **how)
        picture = runs.plot.risk_coverage(**how) if given["plot"] else None
    show(scores, given, picture)


def _method(given: Given) -> Bootstrap:
    return Bootstrap(given["resamples"], given["level"])
