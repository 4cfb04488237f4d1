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
