"""What `errbar gate` does: compare two logs, write what was asked for, and end with the verdict."""

from collections.abc import Sequence

from click.exceptions import Exit

from errbar.cli.group import working
from errbar.cli.outcomes import Given, names_in, put, runs_of, save, show
from errbar.errors import InputError
from errbar.gating import gate
from errbar.metrics import parse
from errbar.results.gate import Gate


def gate_outcomes(baseline: str, candidate: str | None, given: Given) -> None:
    """The verdict as a table, as files for a CI, and as the exit code."""
    found = _gated(baseline, candidate, given)
    if given["markdown"]:
        save(found.markdown(), given["markdown"])
    if given["junit"]:
        save(found.junit(), given["junit"])
    if given["style"] == "markdown":
        put(found.markdown(), given)
        if given["plot"]:
            found.plot().save(given["plot"])
    else:
        show(found, given)
    raise Exit(found.exit_code)


def _gated(baseline: str, candidate: str | None, given: Given) -> Gate:
    metrics = names_in(given["metrics"])
    drops = drops_in(given["drops"], metrics)
    if candidate is None and not (given["system"] and given["baseline_system"]):
        raise InputError(
            "give a second log, or two systems of the first: --baseline-system and --system."
        )
    with working(f"errbar gate {candidate or baseline}") as work:
        before = runs_of([baseline], given, work)
        return gate(
            before,
            before if candidate is None else runs_of([candidate], given, work),
            *metrics,
            max_drop=drops,
            level=given["level"],
            estimand=given["estimand"],
            errors=given["errors"],
            short=given["short"],
            system=given["system"],
            baseline_system=given["baseline_system"],
            same_questions=given["same_questions"],
            inconclusive=int(given["inconclusive"]),
        )


def drops_in(texts: Sequence[str], metrics: Sequence[str]) -> dict[str, float]:
    """How far each metric may fall; a number without a name is for those that are not named.

    Examples
    --------
    >>> drops_in(["0.02", "pass@8=0.05"], ["pass@1", "pass@8"])
    {'pass@8': 0.05, 'pass@1': 0.02}
    """
    drops: dict[str, float] = {}
    for text in texts:
        name, _, amount = text.rpartition("=")
        try:
            drop = float(amount)
        except ValueError as error:
            raise InputError(
                f"--max-drop {text!r} must be a number, or metric=number as in pass@1=0.02."
            ) from error
        if name.strip() in drops:
            raise InputError(f"--max-drop says twice how far {name or 'a metric'} may fall.")
        drops[name.strip()] = drop
    of_others = drops.pop("", None)
    if of_others is not None:
        named = {parse(metric) for metric in drops}
        drops |= {metric: of_others for metric in metrics if parse(metric) not in named}
    return drops
