"""The group of commands. Only click is loaded here; a command loads what it runs."""

from collections.abc import Callable
from typing import Any

import click

from errbar import __version__
from errbar.cli.endings import ended_early
from errbar.errors import ErrbarError


class _Refusal(click.ClickException):
    """Something given cannot be used: one line on stderr, and the exit code of wrong usage."""

    exit_code = 2


class _Commands(click.Group):
    """Commands that end in one line where they must end early."""

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        with ended_early():
            return super().make_context(*arguments, **more)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with ended_early():
                return super().invoke(ctx)
        except ErrbarError as error:
            if ctx.params.get("debug"):
                raise
            from errbar.tables import printable  # noqa: PLC0415  --help must not wait

            raise _Refusal(printable(" ".join(str(error).split()))) from error


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="errbar")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def main(debug: bool) -> None:
    """Honest scores from raw evaluation logs: every metric with its error bar."""
    del debug  # read where errors are shown


Command = Callable[..., None]
Options = Callable[[Command], Command]


def _options(*options: Options) -> Options:
    """Several options as one decorator."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


_PATHS = click.argument("paths", nargs=-1, required=True)

_MAP = click.option(
    "--map",
    "mapping",
    multiple=True,
    metavar="MEANING=COLUMN",
    help="Which column is what, as question=task_id, or cluster= for none; may be repeated.",
)

_READ = _options(
    _MAP,
    click.option(
        "--repeats",
        type=click.Choice(["refuse", "keep"]),
        default="refuse",
        show_default=True,
        help="What to do with a trial that occurs twice.",
    ),
    click.option("--reader", help="Whose logs these are, as inspect_ai; found out if not named."),
    click.option("--scorer", help="Which score of a row, where the log has several."),
    click.option("--filter", help="Which filter of lm-evaluation-harness."),
    click.option(
        "--engine",
        type=click.Choice(["duckdb", "spark"]),
        default="duckdb",
        show_default=True,
        help="What reads the files.",
    ),
    click.option("--master", help="Of Spark, as local[2]."),
    click.option("--spark-remote", "remote", help="Of Spark Connect, as sc://host."),
)

_WRITE = _options(
    click.option(
        "--format",
        "style",
        type=click.Choice(["table", "json", "csv", "markdown", "latex"]),
        default="table",
        show_default=True,
    ),
    click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write to a file."),
)

_LEVEL = click.option(
    "--level", type=float, default=0.95, show_default=True, help="Of the intervals."
)

_POLICY = _options(
    click.option(
        "--errors",
        type=click.Choice(["fail", "missing", "bracket"]),
        default="fail",
        show_default=True,
        help="Rows without a result: wrong, left out, both ways.",
    ),
    click.option(
        "--short",
        type=click.Choice(["error", "drop", "posterior"]),
        default="error",
        show_default=True,
        help="Questions with fewer trials than a metric draws.",
    ),
    click.option("--by", multiple=True, help="A column whose values are scored apart."),
    click.option(
        "--estimand",
        type=click.Choice(["population", "benchmark", "rerun"]),
        help="What intervals cover: questions like these (the default), these very questions, or "
        "what the same run would show again.",
    ),
    click.option(
        "--method",
        type=click.Choice(["calibrated", "documented"]),
        default="calibrated",
        show_default=True,
        help="Intervals that hold their level, or those of the papers.",
    ),
    _LEVEL,
)

_BINS = click.option(
    "--bins",
    type=int,
    help="Of the confidences, where too many differ; the error that they make is bounded.",
)

_RESAMPLE = _options(
    _LEVEL,
    click.option(
        "--resamples", type=int, default=2000, show_default=True, help="Of the bootstrap."
    ),
    click.option("--seed", type=int, default=0, show_default=True, help="Of the bootstrap."),
)


@main.command()
@_PATHS
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
@_POLICY
@_READ
@_WRITE
def score(paths: tuple[str, ...], **options: Any) -> None:
    """Score the outcomes at PATHS: logs of a harness, or CSV, JSON lines and Parquet.

    A path is a file, a pattern or a directory. The harness is found by what is in the files.
    """
    from errbar.cli.outcomes import score_outcomes  # noqa: PLC0415  --help must not wait

    score_outcomes(paths, options)


_DECIDE = _options(
    click.option(
        "--system", "systems", multiple=True, help="Of these only; may be repeated. All if none."
    ),
    click.option(
        "--estimand",
        type=click.Choice(["population", "benchmark", "rerun"]),
        default="population",
        show_default=True,
        help="What it is about: questions like these, these very questions, or the same run again.",
    ),
    click.option(
        "--errors",
        type=click.Choice(["fail", "missing"]),
        default="fail",
        show_default=True,
        help="Rows without a result: wrong, or left out.",
    ),
    click.option(
        "--short",
        type=click.Choice(["error", "drop"]),
        default="error",
        show_default=True,
        help="Questions with fewer trials than a metric draws.",
    ),
    _LEVEL,
)


@main.command()
@_PATHS
@click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    default=("avg",),
    show_default=True,
    help="A metric, or a comma list of them; may be repeated.",
)
@click.option("--baseline", help="A system that all others are compared with; all pairs if none.")
@click.option("--margin", type=float, help="A difference that would not matter.")
@click.option(
    "--adjust",
    type=click.Choice(["holm", "none"]),
    default="holm",
    show_default=True,
    help="For the number of comparisons.",
)
@_DECIDE
@_READ
@_WRITE
def compare(paths: tuple[str, ...], **options: Any) -> None:
    """Which system is better, question by question, for the outcomes at PATHS."""
    from errbar.cli.decide import compare_outcomes  # noqa: PLC0415  --help must not wait

    compare_outcomes(paths, options)


@main.command()
@_PATHS
@click.option("-m", "--metric", default="avg", show_default=True, help="What systems rank by.")
@click.option(
    "--weight",
    "weights",
    multiple=True,
    metavar="TASK=NUMBER",
    help="Of a task in the average of several; may be repeated. All alike if none.",
)
@_DECIDE
@_READ
@_WRITE
def rank(paths: tuple[str, ...], **options: Any) -> None:
    """Rank the systems at PATHS, with the ranks that each may have."""
    from errbar.cli.decide import rank_outcomes  # noqa: PLC0415  --help must not wait

    rank_outcomes(paths, options)


@main.command()
@_PATHS
@click.option("-m", "--metric", default="pass@k", show_default=True, help="With the letter k.")
@click.option("-k", "ks", multiple=True, type=int, help="A k; may be repeated.")
@_POLICY
@_READ
@_WRITE
def curve(paths: tuple[str, ...], **options: Any) -> None:
    """A metric at many k, for the outcomes at PATHS."""
    from errbar.cli.outcomes import curve_of_outcomes  # noqa: PLC0415  --help must not wait

    curve_of_outcomes(paths, options)


@main.command()
@_PATHS
@_READ
@_WRITE
def inspect(paths: tuple[str, ...], **options: Any) -> None:
    """What is at PATHS: systems, tasks, questions, trials, statuses, and what was guessed."""
    from errbar.cli.outcomes import inspect_outcomes  # noqa: PLC0415  --help must not wait

    inspect_outcomes(paths, options)


@main.command()
@_PATHS
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
@_BINS
@_RESAMPLE
@_READ
@_WRITE
def selective(paths: tuple[str, ...], **options: Any) -> None:
    """Risk, coverage and areas of systems that may decline to answer, with intervals.

    PATHS is one path to outcomes with a confidence. Or it is runs: JSON files of experiments with
    predicted_items, ground_truth_items and evidence_counts per participant; several of them are
    compared at coverages that all reach.
    """
    from errbar.cli.ranked import selective_risk  # noqa: PLC0415  --help must not wait

    selective_risk(paths, options)


@main.command()
@_PATHS
@_BINS
@_RESAMPLE
@_READ
@_WRITE
def roc(paths: tuple[str, ...], **options: Any) -> None:
    """How well the confidence at PATHS tells right answers from wrong ones: ROC-AUC."""
    from errbar.cli.ranked import roc_of_outcomes  # noqa: PLC0415  --help must not wait

    roc_of_outcomes(paths, options)


@main.command()
@_PATHS
@click.argument("target")
@click.option(
    "--as",
    "schema",
    type=click.Choice(["outcomes", "every_eval_ever"]),
    default="outcomes",
    show_default=True,
    help="One table, or a directory of files in a schema.",
)
@_READ
def convert(paths: tuple[str, ...], target: str, **options: Any) -> None:
    """Write the outcomes at PATHS with errbar's own column names to TARGET.

    TARGET ends in .parquet, .csv or .jsonl, and is written whole or not at all. With --as
    every_eval_ever it is a directory: for every system and task the score with its interval, and
    a record for each trial.
    """
    from errbar.cli.outcomes import convert_outcomes  # noqa: PLC0415  --help must not wait

    convert_outcomes(paths, target, options)


@main.command()
def demo() -> None:
    """Score a small bundled example."""
    from errbar.cli.demo import report  # noqa: PLC0415  --help must not wait

    click.echo(report())
