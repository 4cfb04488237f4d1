"""`errbar compare`: which system is better."""

from typing import TYPE_CHECKING, Literal

import click

from errbar.cli import options
from errbar.cli.help import command_on_paths
from errbar.cli.io import shows_result
from errbar.cli.options import Assume, PairOptions, choice

if TYPE_CHECKING:
    from errbar.results.base import Result
    from errbar.runs import Runs


@command_on_paths
@options.METRICS
@options.BASELINE
@click.option("--margin", type=float, help="A difference that is too small to matter.")
@choice(
    *("--adjust", "bonferroni", "none"),
    default="bonferroni",
    text="The adjustment for the number of comparisons.",
)
@options.ASSUME
@options.LARGEST_CLUSTER
@options.SYSTEMS
@options.PAIR
@shows_result
def compare(
    runs: "Runs",
    metrics: tuple[str, ...],
    baseline: str | None,
    margin: float | None,
    adjust: Literal["bonferroni", "none"],
    assume: Assume,
    largest_cluster: int | None,
    systems: tuple[str, ...],
    pairing: PairOptions,
) -> "Result":
    """Compare the systems at PATHS, pair by pair.

    Two systems are compared on the questions that both have.

    \b
    Examples:
      errbar compare logs/ -m pass@8
      errbar compare logs/ --baseline old --margin 0.02
    """
    return runs.compare(
        *metrics,
        systems=systems or None,
        baseline=baseline,
        margin=margin,
        adjust=adjust,
        assume=assume,
        largest_cluster=largest_cluster,
        **pairing.keywords(),
    )
