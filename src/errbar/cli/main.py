"""The group of commands. Only click is loaded here; a command loads what it runs."""

import json
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
            raise _Refusal(" ".join(str(error).split())) from error


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="errbar")
def main() -> None:
    """Honest scores from raw evaluation logs: every metric with its error bar."""


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


@main.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(dir_okay=False))
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
    help="What a wrong score costs.",
)
@click.option("--span", type=float, help="The largest possible error, for --loss normalised.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Of the intervals.")
@click.option("--resamples", type=int, default=2000, show_default=True, help="Of the bootstrap.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the bootstrap.")
@click.option("--json", "as_json", is_flag=True, help="Print all numbers as JSON.")
def selective(
    runs: tuple[str, ...],
    coverages: tuple[float, ...],
    loss: str,
    span: float | None,
    level: float,
    resamples: int,
    seed: int,
    as_json: bool,
) -> None:
    """Risk, coverage and areas of RUNS that may decline to answer, each with its interval.

    A run is a JSON file of experiments with predicted_items, ground_truth_items and
    evidence_counts per participant. Two runs or more are compared at coverages that all reach.
    """
    from errbar.selective_report import report  # noqa: PLC0415  --help must not wait for NumPy
    from errbar.uncertainty import Bootstrap  # noqa: PLC0415

    method = Bootstrap(resamples, level)
    shown = report(runs, coverages, loss, span=span, method=method, rng=seed)
    click.echo(json.dumps(shown.to_dict(), indent=2) if as_json else str(shown))
