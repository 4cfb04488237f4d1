"""`errbar rank`: a leaderboard with rank intervals."""

from collections.abc import Sequence

import click

from errbar.cli import options
from errbar.cli.options import PairOptions, Paths, ReadOptions, WriteOptions
from errbar.cli.output import show
from errbar.errors import InputError


def weights_in(
    _: click.Context, __: click.Parameter, texts: Sequence[str]
) -> dict[str, float] | None:
    """Return the weights of tasks, each written as gsm8k=2."""
    weights = {}
    for text in texts:
        task, _equals, number = text.rpartition("=")
        try:
            weights[task] = float(number)
        except ValueError:
            raise InputError(
                f"--weight {text!r} must be written task=number, as in gsm8k=2."
            ) from None
    return weights or None


@click.command()
@options.PATHS
@click.option("-m", "--metric", default="avg", show_default=True, help="The metric to rank by.")
@click.option(
    "--weight",
    "weights",
    multiple=True,
    callback=weights_in,
    metavar="TASK=NUMBER",
    help="The weight of a task in the average over tasks; may be repeated. Equal by default.",
)
@options.SYSTEMS
@options.PAIR
@options.READ_WRITE_PLOT
def rank(
    paths: Paths,
    metric: str,
    weights: dict[str, float] | None,
    systems: tuple[str, ...],
    pairing: PairOptions,
    reading: ReadOptions,
    writing: WriteOptions,
) -> None:
    """Rank the systems at PATHS, with rank intervals."""
    with options.opened("rank", paths, reading) as runs:
        found = runs.rank(metric, systems=systems or None, weights=weights, **pairing.keywords())
    show(found, writing)
