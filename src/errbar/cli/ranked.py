"""What `errbar selective` does with runs of items, and with outcomes."""

import json
from collections.abc import Sequence

from errbar.cli.outcomes import runs_of, written
from errbar.errors import InputError
from errbar.readers.item_runs import is_item_run
from errbar.selective_report import report
from errbar.uncertainty import Bootstrap


def item_runs(
    paths: Sequence[str],
    coverages: Sequence[float],
    loss: str,
    span: float | None,
    level: float,
    resamples: int,
    seed: int,
    style: str,
) -> str | None:
    """The report on runs of items; None where the first path is no such run."""
    if not is_item_run(paths[0]):
        return None
    if style not in ("table", "json"):
        raise InputError("runs of items are reported as a table or as JSON: --format json.")
    method = Bootstrap(resamples, level)
    shown = report(paths, coverages, loss, span=span, method=method, rng=seed)
    return json.dumps(shown.to_dict(), indent=2) if style == "json" else str(shown)


def outcomes_by_confidence(
    paths: Sequence[str],
    coverages: Sequence[float],
    mapping: Sequence[str],
    repeats: str,
    level: float,
    resamples: int,
    seed: int,
    style: str,
) -> str:
    """Areas and risks of outcomes with a confidence."""
    if len(paths) > 1:
        raise InputError(f"outcomes are read from one path or pattern; {paths[1]!r} is a second.")
    metrics = ["aurc", "augrc", "e-aurc", *(f"risk@{coverage}" for coverage in coverages)]
    method = Bootstrap(resamples, level)
    scores = runs_of(paths[0], mapping, repeats).selective(*metrics, method=method, rng=seed)
    return written(scores, style)
