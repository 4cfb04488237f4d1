"""The group of commands. Only click is loaded here; a command loads what it runs."""

from typing import Any

import click

from errbar import __version__
from errbar.errors import ErrbarError


class _Refusal(click.ClickException):
    """Something given cannot be used: one line on stderr, and the exit code of wrong usage."""

    exit_code = 2


class _Commands(click.Group):
    """Commands whose errors on purpose are shown without a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except ErrbarError as error:
            if ctx.params.get("debug"):
                raise
            raise _Refusal(" ".join(str(error).split())) from error


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="errbar")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def main(debug: bool) -> None:
    """Honest scores from raw evaluation logs: every metric with its error bar."""
    del debug  # read where errors are shown


@main.command()
def demo() -> None:
    """Score a small bundled example."""
    from errbar.cli.demo import report  # noqa: PLC0415  --help must not wait for NumPy

    click.echo(report())


def _source(command: Any) -> Any:
    """Options of every command that reads outcomes."""
    for option in (
        click.option(
            "--map",
            "mapping",
            multiple=True,
            metavar="MEANING=COLUMN",
            help="Which column is what, as question=task_id; may be repeated.",
        ),
        click.option(
            "--repeats",
            type=click.Choice(["refuse", "keep"]),
            default="refuse",
            show_default=True,
            help="What to do with a trial that occurs twice.",
        ),
        click.option(
            "--format",
            "style",
            default="table",
            show_default=True,
            type=click.Choice(["table", "json", "csv", "markdown", "latex"]),
        ),
        click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write to a file."),
    ):
        command = option(command)
    return click.argument("path")(command)


def _policy(command: Any) -> Any:
    """Options of every command that scores."""
    for option in (
        click.option(
            "--errors",
            type=click.Choice(["fail", "missing", "bracket"]),
            default="fail",
            show_default=True,
            help="Rows without a result: wrong, left out, both ways.",
        ),
        click.option(
            "--level", type=float, default=0.95, show_default=True, help="Of the intervals."
        ),
        click.option("--by", multiple=True, help="A column whose values are scored apart."),
    ):
        command = option(command)
    return command


def _show(text: str, output: str | None) -> None:
    from errbar.cli.outcomes import save  # noqa: PLC0415

    if output:
        save(text, output)
    else:
        click.echo(text)


@main.command()
@_source
@_policy
@click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    default=("avg", "pass@1"),
    show_default=True,
    help="A metric, or a comma list of them; may be repeated.",
)
@click.option(
    "--short",
    type=click.Choice(["error", "drop", "posterior"]),
    default="error",
    show_default=True,
    help="Questions with fewer trials than a metric draws.",
)
def score(
    path: str,
    metrics: tuple[str, ...],
    mapping: tuple[str, ...],
    repeats: str,
    style: str,
    output: str | None,
    errors: Any,
    short: Any,
    level: float,
    by: tuple[str, ...],
) -> None:
    """Score the outcomes at PATH: a file, a pattern or a directory of CSV, JSONL or Parquet."""
    from errbar.cli.outcomes import names_in, runs_of, written  # noqa: PLC0415

    runs = runs_of(path, mapping, repeats)
    scores = runs.score(*names_in(metrics), errors=errors, short=short, level=level, by=by)
    _show(written(scores, style), output)


@main.command()
@_source
@_policy
@click.option("-m", "--metric", default="pass@k", show_default=True, help="With the letter k.")
@click.option("-k", "ks", multiple=True, type=int, help="A k; may be repeated.")
def curve(
    path: str,
    metric: str,
    ks: tuple[int, ...],
    mapping: tuple[str, ...],
    repeats: str,
    style: str,
    output: str | None,
    errors: Any,
    level: float,
    by: tuple[str, ...],
) -> None:
    """A metric at many k, for the outcomes at PATH."""
    from errbar.cli.outcomes import runs_of, written  # noqa: PLC0415
    from errbar.uncertainty import Posterior  # noqa: PLC0415

    runs = runs_of(path, mapping, repeats)
    scores = runs.curve(metric, ks or None, errors=errors, method=Posterior(level=level), by=by)
    _show(written(scores, style), output)


@main.command()
@_source
def inspect(
    path: str, mapping: tuple[str, ...], repeats: str, style: str, output: str | None
) -> None:
    """What is at PATH: systems, tasks, questions, trials, statuses, and what was guessed."""
    from errbar.cli.outcomes import runs_of, written  # noqa: PLC0415

    _show(written(runs_of(path, mapping, repeats).inspect(), style), output)


def _resampled(command: Any) -> Any:
    """Options of every command that resamples."""
    for option in (
        click.option(
            "--level", type=float, default=0.95, show_default=True, help="Of the intervals."
        ),
        click.option(
            "--resamples", type=int, default=2000, show_default=True, help="Of the bootstrap."
        ),
        click.option("--seed", type=int, default=0, show_default=True, help="Of the bootstrap."),
    ):
        command = option(command)
    return command


@main.command()
@_source
@_resampled
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
@click.argument("more", nargs=-1)
def selective(
    path: str,
    more: tuple[str, ...],
    coverages: tuple[float, ...],
    loss: str,
    span: float | None,
    mapping: tuple[str, ...],
    repeats: str,
    style: str,
    output: str | None,
    level: float,
    resamples: int,
    seed: int,
) -> None:
    """Risk, coverage and areas of systems that may decline to answer, with intervals.

    PATH holds outcomes with a confidence. Or it is a run: a JSON file of experiments with
    predicted_items, ground_truth_items and evidence_counts per participant; several runs (MORE)
    are compared at coverages that all reach.
    """
    from errbar.cli.ranked import item_runs, outcomes_by_confidence  # noqa: PLC0415

    text = item_runs((path, *more), coverages, loss, span, level, resamples, seed, style)
    if text is None:
        text = outcomes_by_confidence(
            (path, *more), coverages, mapping, repeats, level, resamples, seed, style
        )
    _show(text, output)


@main.command()
@_source
@_resampled
def roc(
    path: str,
    mapping: tuple[str, ...],
    repeats: str,
    style: str,
    output: str | None,
    level: float,
    resamples: int,
    seed: int,
) -> None:
    """How well the confidence at PATH tells right answers from wrong ones: ROC-AUC."""
    from errbar.cli.outcomes import runs_of, written  # noqa: PLC0415
    from errbar.uncertainty import Bootstrap  # noqa: PLC0415

    method = Bootstrap(resamples, level)
    scores = runs_of(path, mapping, repeats).roc(method=method, rng=seed)
    _show(written(scores, style), output)


@main.command()
@click.argument("path")
@click.argument("target")
@click.option(
    "--map",
    "mapping",
    multiple=True,
    metavar="MEANING=COLUMN",
    help="Which column is what, as question=task_id; may be repeated.",
)
def convert(path: str, target: str, mapping: tuple[str, ...]) -> None:
    """Write the outcomes at PATH with errbar's own column names to TARGET.

    TARGET ends in .parquet, .csv or .jsonl, and is written whole or not at all.
    """
    from errbar.cli.outcomes import columns_in  # noqa: PLC0415
    from errbar.data.files import convert_files  # noqa: PLC0415

    rows = convert_files(path, target, columns_in(mapping))
    click.echo(f"{target}: {rows:,} rows.")
