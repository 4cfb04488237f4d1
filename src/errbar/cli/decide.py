"""What the commands that decide do: load, call one function, and write it as asked."""

from collections.abc import Sequence

from errbar.cli.group import working
from errbar.cli.outcomes import Given, Paths, names_in, runs_of, show, shown
from errbar.errors import InputError


def compare_outcomes(paths: Paths, given: Given) -> None:
    """Which system is better."""
    with working(f"errbar compare {shown(paths)}") as work:
        found = runs_of(paths, given, work).compare(
            *names_in(given["metrics"]),
            systems=given["systems"] or None,
            baseline=given["baseline"],
            margin=given["margin"],
            estimand=given["estimand"],
            level=given["level"],
            adjust=given["adjust"],
            errors=given["errors"],
            short=given["short"],
        )
    show(found, given)


def rank_outcomes(paths: Paths, given: Given) -> None:
    """Who ranks where."""
    with working(f"errbar rank {shown(paths)}") as work:
        found = runs_of(paths, given, work).rank(
            given["metric"],
            systems=given["systems"] or None,
            weights=_weights_in(given["weights"]),
            estimand=given["estimand"],
            level=given["level"],
            errors=given["errors"],
            short=given["short"],
        )
    show(found, given)


def _weights_in(texts: Sequence[str]) -> dict[str, float] | None:
    """Weights of tasks as told: gsm8k=2."""
    weights = {}
    for text in texts:
        task, _, number = text.rpartition("=")
        try:
            weights[task] = float(number)
        except ValueError:
            raise InputError(
                f"--weight {text!r} must be written task=number, as gsm8k=2."
            ) from None
    return weights or None
