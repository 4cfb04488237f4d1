"""`errbar compare`: which system is better."""

from typing import Literal

import click

from errbar.cli import choice, options
from errbar.cli.options import Assume, PairOptions, Paths, ReadOptions, WriteOptions
from errbar.cli.output import show


@click.command()
@options.PATHS
@options.METRICS
@options.BASELINE
@click.option("--margin", type=float, help="A difference that is too small to matter.")
@choice(
    *("--adjust", "bonferroni", "none"),
    default="bonferroni",
    text="The adjustment for the number of comparisons.",
)
@options.ASSUME
@options.BOUNDS
@options.SYSTEMS
@options.PAIR
@options.READ_WRITE_PLOT
def compare(
    paths: Paths,
    metrics: tuple[str, ...],
    baseline: str | None,
    margin: float | None,
    adjust: Literal["bonferroni", "none"],
    assume: Assume,
    bounds: tuple[float, float] | None,
    systems: tuple[str, ...],
    pairing: PairOptions,
    reading: ReadOptions,
    writing: WriteOptions,
) -> None:
    """Compare the systems at PATHS, pair by pair.

    Two systems are compared on the questions that both have.
    """
    with options.opened("compare", paths, reading) as runs:
        found = runs.compare(
            *metrics,
            systems=systems or None,
            baseline=baseline,
            margin=margin,
            adjust=adjust,
            assume=assume,
            bounds=bounds,
            **pairing.keywords(),
        )
    show(found, writing)
