"""`errbar gate`: compare two logs, write reports, and exit with a code for the verdict."""

from collections.abc import Sequence
from dataclasses import dataclass

import click
from click.exceptions import Exit

import errbar
from errbar.cli import io, options
from errbar.cli.help import Subcommand
from errbar.cli.io import WriteOptions, put, runs_of, save, show
from errbar.cli.options import Assume, Keywords, PairOptions, ReadOptions, bundle
from errbar.cli.work import working
from errbar.errors import InputError


def drops_in(texts: Sequence[str], metrics: Sequence[str]) -> dict[str, float]:
    """Return the allowed drop of each metric; a number without a name is for all others.

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
                f"--max-drop {text!r} must be a number (5% is 0.05), or metric=number as in "
                "pass@1=0.02."
            ) from error
        if name.strip() in drops:
            raise InputError(f"--max-drop gives two limits for {name or 'all metrics'}.")
        drops[name.strip()] = drop
    of_others = drops.pop("", None)
    if of_others is not None:
        named = {errbar.parse(metric) for metric in drops}
        drops |= {metric: of_others for metric in metrics if errbar.parse(metric) not in named}
    return drops


@dataclass(frozen=True, kw_only=True)
class GateOptions(Keywords):
    """Options of `GATE`, as keywords of `errbar.gate`."""

    system: str | None
    baseline_system: str | None
    same_questions: bool
    inconclusive: int
    assume: Assume
    largest_cluster: int | None


GATE = bundle(
    "gating",
    GateOptions,
    click.option("--system", help="The system of the candidate, if it has several."),
    click.option("--baseline-system", help="The system of the baseline, if its name differs."),
    click.option(
        "--inconclusive",
        type=click.Choice(["0", "1", "3"]),
        default="3",
        show_default=True,
        callback=lambda _, __, code: int(code),
        help="The exit code if the verdict is inconclusive.",
    ),
    click.option(
        "--same-questions", is_flag=True, help="Fail if a question is in only one of the two logs."
    ),
    options.ASSUME,
    options.LARGEST_CLUSTER,
)


@click.command(cls=Subcommand)
@click.argument("baseline")
@click.argument("candidate", required=False)
@options.METRICS
@click.option(
    "--max-drop",
    multiple=True,
    required=True,
    metavar="[METRIC=]NUMBER",
    help="The largest drop that is allowed, of one metric or of all others; 0.05 is 5 points of "
    "100. May be repeated.",
)
@GATE
@io.output_file("--markdown", "Also write a comment for a pull request to this file.", ".md")
@io.output_file("--junit", "Also write a JUnit test report to this file.", ".xml")
@options.PAIR
@io.READ_WRITE_PLOT
def gate(
    baseline: str,
    candidate: str | None,
    metrics: tuple[str, ...],
    max_drop: tuple[str, ...],
    gating: GateOptions,
    markdown: str | None,
    junit: str | None,
    pairing: PairOptions,
    reading: ReadOptions,
    writing: WriteOptions,
) -> None:
    """Check CANDIDATE for a regression from BASELINE.

    The gate passes if the data show that no metric fell by more than --max-drop. BASELINE and
    CANDIDATE are logs, compared question by question. Without CANDIDATE, --baseline-system and
    --system are two systems of one log. The exit code is 0 if the gate passes, 1 if a metric
    regresses, 3 (or the value of --inconclusive) if the data are inconclusive, and 2 for an error.

    \b
    Examples:
      errbar gate old/ new/ --max-drop 0.05
      errbar gate runs.csv --baseline-system old --system new --max-drop 0.05
    """
    drops = drops_in(max_drop, metrics)
    if candidate is None and not (gating.system and gating.baseline_system):
        raise InputError(
            "give a second log, or two systems of the first with --baseline-system and --system."
        )
    with working(f"errbar gate {candidate or baseline}") as work:
        before = runs_of([baseline], reading, work)
        result = errbar.gate(
            before,
            before if candidate is None else runs_of([candidate], reading, work),
            *metrics,
            max_drop=drops,
            **gating.keywords(),
            **pairing.keywords(),
        )
    if markdown:
        save(result.markdown(), markdown)
    if junit:
        save(result.junit(), junit)
    if writing.style == "markdown":
        put(result.markdown(), writing)
        if writing.plot:
            result.plot().save(writing.plot)
    else:
        show(result, writing)
    raise Exit(result.exit_code)
