"""The commands. Only click is loaded here; a command loads what it runs."""

from typing import Any

import click

from errbar.cli import deciding
from errbar.cli.group import main
from errbar.cli.options import BINS, PATHS, POLICY, READ, RESAMPLE, WRITE

__all__ = ["deciding", "main"]


@main.command()
@PATHS
@click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    default=("avg",),
    show_default=True,
    help="A metric, or a comma list of them; may be repeated.",
)
@click.option(
    "--audit",
    is_flag=True,
    help="Try the intervals on simulated data like these, and say how many hold.",
)
@click.option(
    "--questions-in-all", type=int, help="How many there are, if those asked are a sample of them."
)
@POLICY
@READ
@WRITE
def score(paths: tuple[str, ...], **options: Any) -> None:
    """Score the outcomes at PATHS: logs of a harness, or CSV, JSON lines and Parquet.

    A path is a file, a pattern or a directory. The harness is found by what is in the files.
    """
    from errbar.cli.outcomes import score_outcomes  # noqa: PLC0415  --help must not wait

    score_outcomes(paths, options)


@main.command()
@PATHS
@click.option("-m", "--metric", default="pass@k", show_default=True, help="With the letter k.")
@click.option("-k", "ks", multiple=True, type=int, help="A k; may be repeated.")
@POLICY
@READ
@WRITE
def curve(paths: tuple[str, ...], **options: Any) -> None:
    """A metric at many k, for the outcomes at PATHS."""
    from errbar.cli.outcomes import curve_of_outcomes  # noqa: PLC0415  --help must not wait

    curve_of_outcomes(paths, options)


@main.command()
@PATHS
@READ
@WRITE
def inspect(paths: tuple[str, ...], **options: Any) -> None:
    """What is at PATHS: systems, tasks, questions, trials, statuses, and what was guessed."""
    from errbar.cli.outcomes import inspect_outcomes  # noqa: PLC0415  --help must not wait

    inspect_outcomes(paths, options)


@main.command()
@PATHS
@click.option(
    "--coverage",
    "coverages",
    multiple=True,
    type=float,
    default=(0.5,),
    show_default=True,
    help="A coverage to give the risk at; may be repeated.",
)
@click.option(
    "--loss",
    type=click.Choice(["absolute", "zero-one", "squared", "normalised"]),
    default="absolute",
    show_default=True,
    help="What a wrong score of an item costs.",
)
@click.option("--span", type=float, help="The largest possible error, for --loss normalised.")
@BINS
@RESAMPLE
@READ
@WRITE
def selective(paths: tuple[str, ...], **options: Any) -> None:
    """Risk, coverage and areas of systems that may decline to answer, with intervals.

    PATHS is one path to outcomes with a confidence. Or it is runs: JSON files of experiments with
    predicted_items, ground_truth_items and evidence_counts per participant; several of them are
    compared at coverages that all reach.
    """
    from errbar.cli.ranked import selective_risk  # noqa: PLC0415  --help must not wait

    selective_risk(paths, options)


@main.command()
@PATHS
@BINS
@RESAMPLE
@READ
@WRITE
def roc(paths: tuple[str, ...], **options: Any) -> None:
    """How well the confidence at PATHS tells right answers from wrong ones: ROC-AUC."""
    from errbar.cli.ranked import roc_of_outcomes  # noqa: PLC0415  --help must not wait

    roc_of_outcomes(paths, options)


@main.command()
@PATHS
@click.argument("target")
@click.option(
    "--as",
    "schema",
    type=click.Choice(["outcomes", "every_eval_ever"]),
    default="outcomes",
    show_default=True,
    help="One table, or a directory of files in a schema.",
)
@READ
def convert(paths: tuple[str, ...], target: str, **options: Any) -> None:
    """Write the outcomes at PATHS with errbar's own column names to TARGET.

    TARGET ends in .parquet, .csv or .jsonl, and is written whole or not at all. With --as
    every_eval_ever it is a directory: for every system and task the score with its interval, and
    a record for each trial.
    """
    from errbar.cli.outcomes import convert_outcomes  # noqa: PLC0415  --help must not wait

    convert_outcomes(paths, target, options)


@main.command()
@click.argument("pilot", nargs=-1)
@click.option("-m", "--metric", default="pass@1", show_default=True)
@click.option("--difference", type=float, help="To be seen between two systems, as 0.03.")
@click.option("--width", type=float, help="Of the interval of one system, as 0.05.")
@click.option("--power", type=float, default=0.8, show_default=True)
@click.option("--level", type=float, default=0.95, show_default=True)
@click.option("--difficulty", help="In place of a pilot: beta(2,2), uniform, u-shaped, hard …")
@click.option("--mean", type=float, help="What the metric is to be on average; shifts difficulty.")
@click.option(
    "--disagreement",
    type=float,
    help="Of two systems about what is hard: sd of log odds. Without a pilot of two, 1.",
)
@click.option("--system", "systems", multiple=True, help="Of the pilot: one or two of several.")
@click.option("--errors", type=click.Choice(["fail", "missing"]), default="fail", show_default=True)
@click.option("--questions", type=int, help="As many as there are; finds the trials.")
@click.option("--budget", type=float, help="What may be spent; finds what it buys.")
@click.option("--trials", type=int, multiple=True, help="Per question; may be repeated.")
@click.option("--max-trials", type=int, help="Per question.  [default: 64]")
@click.option("--question-cost", type=float, default=0.0, show_default=True)
@click.option("--trial-cost", type=float, default=1.0, show_default=True, help="Of one system.")
@click.option("--simulations", type=int, default=2000, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--plot", type=click.Path(dir_okay=False), help="Write power over questions as SVG.")
@_READ
@_WRITE
def plan(pilot: tuple[str, ...], **options: Any) -> None:
    """How many questions and trials it takes, from a PILOT log or an assumed difficulty.

    To see a difference between two systems, or to know the score of one to some width.
    """
    from errbar.cli.plan import plan_run  # noqa: PLC0415  --help must not wait

    plan_run(pilot, options)


@main.command()
def demo() -> None:
    """Score a small bundled example."""
    from errbar.cli.demo import report  # noqa: PLC0415  --help must not wait

    click.echo(report())
