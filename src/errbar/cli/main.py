"""The commands. Only click is loaded here; a command loads what it runs."""

from typing import Any

import click

from errbar.cli import deciding
from errbar.cli.group import main
from errbar.cli.options import (
    BASELINE,
    BINS,
    ERRORS,
    ESTIMAND,
    LEVEL,
    METRICS,
    PATHS,
    PLOT,
    POLICY,
    READ,
    RESAMPLE,
    WRITE,
)

__all__ = ["deciding", "main"]


@main.command()
@PATHS
@READ
@WRITE
def overview(paths: tuple[str, ...], **options: Any) -> None:
    """What is at PATHS, its scores, and who is better; the same as errbar PATHS."""
    from errbar.cli.outcomes import overview_of_outcomes  # noqa: PLC0415  --help must not wait

    overview_of_outcomes(paths, options)


@main.command()
@PATHS
@METRICS
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
@PLOT
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
@PLOT
def curve(paths: tuple[str, ...], **options: Any) -> None:
    """A metric at many k, for the outcomes at PATHS."""
    from errbar.cli.outcomes import curve_of_outcomes  # noqa: PLC0415  --help must not wait

    curve_of_outcomes(paths, options)


@main.command()
@PATHS
@READ
@WRITE
@PLOT
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
@PLOT
def selective(paths: tuple[str, ...], **options: Any) -> None:
    """Risk, coverage and areas of systems that may decline to answer, with intervals.

    PATHS is one path to outcomes with a confidence. Or it is runs: JSON files of experiments with
    predicted_items, ground_truth_items and item_signals (or evidence_counts) per participant;
    several of them are compared at coverages that all reach. --signal chooses what ranks them.
    """
    from errbar.cli.ranked import selective_risk  # noqa: PLC0415  --help must not wait

    selective_risk(paths, options)


@main.command()
@PATHS
@BINS
@RESAMPLE
@READ
@WRITE
@PLOT
def roc(paths: tuple[str, ...], **options: Any) -> None:
    """How well the confidence at PATHS tells right answers from wrong ones: ROC-AUC."""
    from errbar.cli.ranked import roc_of_outcomes  # noqa: PLC0415  --help must not wait

    roc_of_outcomes(paths, options)


@main.command()
@PATHS
@click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    help="A metric, or a comma list of them; may be repeated. Chosen by the data if none.",
)
@BASELINE
@click.option("--title", default="", help="Of the page.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False),
    default="report.html",
    show_default=True,
    help="The page.",
)
@ESTIMAND
@ERRORS
@LEVEL
@READ
def report(paths: tuple[str, ...], **options: Any) -> None:
    """One page of everything at PATHS, to be sent to a colleague: it needs no other file."""
    from errbar.cli.report import report_outcomes  # noqa: PLC0415  --help must not wait

    report_outcomes(paths, options)


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
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False),
    default="errbar-demo.html",
    show_default=True,
    help="The report.",
)
def demo(output: str) -> None:
    """Score and compare a small bundled example, and write a report of it."""
    from errbar.cli.demo import show_demo  # noqa: PLC0415  --help must not wait

    show_demo(output)
