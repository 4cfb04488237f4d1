"""`errbar curve`: a metric at many k."""

from typing import TYPE_CHECKING

import click

from errbar.cli import options
from errbar.cli.options import ScoreOptions
from errbar.cli.output import shows_result

if TYPE_CHECKING:
    from errbar.results.base import Result
    from errbar.runs import Runs


@click.command()
@options.PATHS
@click.option(
    "-m", "--metric", default="pass@k", show_default=True, help="A metric with the letter k."
)
@click.option("-k", "ks", multiple=True, type=int, help="A value of k; may be repeated.")
@options.SCORE
@shows_result
def curve(
    runs: "Runs",
    metric: str,
    ks: tuple[int, ...],
    scoring: ScoreOptions,
) -> "Result":
    """Compute a metric at many k."""
    return runs.curve(metric, ks or None, **scoring.keywords())
