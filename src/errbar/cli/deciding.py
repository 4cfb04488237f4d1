"""The commands that decide. Only click is loaded here; a command loads what it runs."""

from typing import Any

import click

from errbar.cli.group import main
from errbar.cli.options import (
    BASELINE,
    DECIDE,
    ERRORS,
    LEVEL,
    METRICS,
    PAIRED,
    PATHS,
    PLOT,
    READ,
    WRITE,
)


@main.command()
@PATHS
@METRICS
@BASELINE
@click.option("--margin", type=float, help="A difference that would not matter.")
@click.option(
    "--adjust",
    type=click.Choice(["holm", "none"]),
    default="holm",
    show_default=True,
    help="For the number of comparisons.",
)
@DECIDE
@READ
@WRITE
@PLOT
def compare(paths: tuple[str, ...], **options: Any) -> None:
    """Which system is better, question by question, for the outcomes at PATHS."""
    from errbar.cli.decide import compare_outcomes  # noqa: PLC0415  --help must not wait

    compare_outcomes(paths, options)


@main.command()
@PATHS
@click.option("-m", "--metric", default="avg", show_default=True, help="What systems rank by.")
@click.option(
    "--weight",
    "weights",
    multiple=True,
    metavar="TASK=NUMBER",
    help="Of a task in the average of several; may be repeated. All alike if none.",
)
@DECIDE
@READ
@WRITE
@PLOT
def rank(paths: tuple[str, ...], **options: Any) -> None:
    """Rank the systems at PATHS, with the ranks that each may have."""
    from errbar.cli.decide import rank_outcomes  # noqa: PLC0415  --help must not wait

    rank_outcomes(paths, options)


@main.command()
@click.argument("baseline")
@click.argument("candidate", required=False)
@METRICS
@click.option(
    "--max-drop",
    "drops",
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
def gate(baseline: str, candidate: str | None, **options: Any) -> None:
    """Whether no metric of CANDIDATE fell by more than --max-drop since BASELINE.

    Both are logs, compared question by question. Without CANDIDATE, --baseline-system and --system
    are two systems of one log. The exit code is 0 if it passes, 1 if it regresses, 3 (or what
    --inconclusive says) if the data do not tell, and 2 if there is nothing to tell by.
    """
    from errbar.cli.decide_gate import gate_outcomes  # noqa: PLC0415  --help must not wait

    gate_outcomes(baseline, candidate, options)


@main.command()
@PATHS
@click.option("--above", type=float, help="Stop when the mean is above this.")
@click.option("--below", type=float, help="Stop when the mean is below this; with --above, either.")
@click.option(
    "--better",
    nargs=2,
    metavar="A B",
    help="Stop when one of two systems is better; with --above or --below, by their difference.",
)
@click.option("--system", help="Watch this system alone, not each of them.")
@click.option(
    "--trials",
    type=int,
    default=1,
    show_default=True,
    help="Of a question, planned before the run: it counts when it has so many.",
)
@click.option(
    "--bounds",
    nargs=2,
    type=float,
    default=(0.0, 1.0),
    show_default=True,
    metavar="LEAST MOST",
    help="Between which outcomes lie.",
)
@click.option("--order", metavar="COLUMN", help="Which says when; else rows count as they stand.")
@ERRORS
@LEVEL
@click.option("--history", is_flag=True, help="A row per question: what was known after it.")
@click.option("--follow", is_flag=True, help="Look again and again until there is a verdict.")
@click.option(
    "--every",
    type=click.FloatRange(min=0.01),
    default=10.0,
    show_default=True,
    help="Seconds between looks.",
)
@click.option("--exit-code", is_flag=True, help="End with 0 to stop, with 3 to go on.")
@READ
@WRITE
@PLOT
def monitor(paths: tuple[str, ...], **options: Any) -> None:
    """Whether the run that writes to PATHS can stop, however often that is asked.

    At most 5 % of all runs (with --level 0.95) end in a claim that does not hold, with a look after
    every trial. A last line that is not whole is left out.
    """
    from errbar.cli.monitor import monitor_outcomes  # noqa: PLC0415  --help must not wait

    monitor_outcomes(paths, options)


@main.command()
@click.argument("pilot", nargs=-1)
@click.option("-m", "--metric", default="pass@1", show_default=True)
@click.option("--difference", type=float, help="To be seen between two systems, as 0.03.")
@click.option("--width", type=float, help="Of the interval of one system, as 0.05.")
@click.option("--power", type=float, default=0.8, show_default=True)
@LEVEL
@click.option("--difficulty", help="In place of a pilot: beta(2,2), uniform, u-shaped, hard …")
@click.option("--mean", type=float, help="What the metric is to be on average; shifts difficulty.")
@click.option(
    "--disagreement",
    type=float,
    help="Of two systems about what is hard: sd of log odds. Without a pilot of two, 1.",
)
@click.option("--system", "systems", multiple=True, help="Of the pilot: one or two of several.")
@ERRORS
@click.option("--questions", type=int, help="As many as there are; finds the trials.")
@click.option("--budget", type=float, help="What may be spent; finds what it buys.")
@click.option("--trials", type=int, multiple=True, help="Per question; may be repeated.")
@click.option("--max-trials", type=int, help="Per question.  [default: 64]")
@click.option("--question-cost", type=float, default=0.0, show_default=True)
@click.option("--trial-cost", type=float, default=1.0, show_default=True, help="Of one system.")
@click.option("--simulations", type=int, default=2000, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
@PLOT
@READ
@WRITE
def plan(pilot: tuple[str, ...], **options: Any) -> None:
    """How many questions and trials it takes, from a PILOT log or an assumed difficulty.

    To see a difference between two systems, or to know the score of one to some width.
    """
    from errbar.cli.plan import plan_run  # noqa: PLC0415  --help must not wait

    plan_run(pilot, options)
