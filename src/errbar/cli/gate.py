"""`errbar gate`: compare two logs, write what was asked for, and end with the verdict."""

from collections.abc import Sequence
from typing import Literal

import click
from click.exceptions import Exit

import errbar
from errbar.cli import working
from errbar.cli.options import METRICS, PAIRED, PLOT, READ, WRITE, Reading, Writing, runs_of
from errbar.cli.output import put, save, show
from errbar.errors import InputError


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
        named = {errbar.parse(metric) for metric in drops}
        drops |= {metric: of_others for metric in metrics if errbar.parse(metric) not in named}
    return drops


@click.command()
@click.argument("baseline")
@click.argument("candidate", required=False)
@METRICS
@click.option(
    "--max-drop",
    multiple=True,
    required=True,
    metavar="[METRIC=]NUMBER",
    help="How far a metric may fall; without a name, any that is not named. May be repeated.",
)
@click.option("--system", help="Which one of the candidate, where it has several.")
@click.option("--baseline-system", help="Which one of the baseline, if not called the same.")
@click.option(
    "--inconclusive",
    type=click.Choice(["0", "1", "3"]),
    default="3",
    show_default=True,
    help="The exit code where the data do not tell.",
)
@click.option(
    "--same-questions", is_flag=True, help="Refuse questions that only one of the two has."
)
@click.option("--markdown", type=click.Path(dir_okay=False), help="A summary for a pull request.")
@click.option("--junit", type=click.Path(dir_okay=False), help="A test report for a CI.")
@PAIRED
@READ
@WRITE
@PLOT
def gate(
    baseline: str,
    candidate: str | None,
    metrics: tuple[str, ...],
    max_drop: tuple[str, ...],
    system: str | None,
    baseline_system: str | None,
    inconclusive: str,
    same_questions: bool,
    markdown: str | None,
    junit: str | None,
    estimand: str,
    errors: Literal["fail", "missing"],
    short: Literal["error", "drop"],
    level: float,
    reading: Reading,
    writing: Writing,
) -> None:
    """Whether no metric of CANDIDATE fell by more than --max-drop since BASELINE.

    Both are logs, compared question by question. Without CANDIDATE, --baseline-system and --system
    are two systems of one log. The exit code is 0 if it passes, 1 if it regresses, 3 (or what
    --inconclusive says) if the data do not tell, and 2 if there is nothing to tell by.
    """
    drops = drops_in(max_drop, metrics)
    if candidate is None and not (system and baseline_system):
        raise InputError(
            "give a second log, or two systems of the first: --baseline-system and --system."
        )
    with working(f"errbar gate {candidate or baseline}") as work:
        before = runs_of([baseline], reading, work)
        found = errbar.gate(
            before,
            before if candidate is None else runs_of([candidate], reading, work),
            *metrics,
            max_drop=drops,
            level=level,
            estimand=estimand,
            errors=errors,
            short=short,
            system=system,
            baseline_system=baseline_system,
            same_questions=same_questions,
            inconclusive=int(inconclusive),
        )
    if markdown:
        save(found.markdown(), markdown)
    if junit:
        save(found.junit(), junit)
    if writing.style == "markdown":
        put(found.markdown(), writing)
        if writing.plot:
            found.plot().save(writing.plot)
    else:
        show(found, writing)
    raise Exit(found.exit_code)
