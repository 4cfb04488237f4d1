"""`errbar selective`: risk and coverage of systems that may decline to answer."""

from typing import TYPE_CHECKING

import click

import errbar
from errbar.cli import working
from errbar.cli.options import (
    BINS,
    PATHS,
    PLOT,
    READ,
    RESAMPLE,
    WRITE,
    Paths,
    Reading,
    Writing,
    runs_of,
)
from errbar.cli.output import show
from errbar.errors import InputError

if TYPE_CHECKING:
    from errbar.analysis.methods import Bootstrap


@click.command()
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
def selective(
    paths: Paths,
    coverages: tuple[float, ...],
    loss: str,
    span: float | None,
    bins: int | None,
    level: float,
    resamples: int,
    rng: int,
    reading: Reading,
    writing: Writing,
) -> None:
    """Risk, coverage and areas of systems that may decline to answer, with intervals.

    PATHS is one path to outcomes with a confidence. Or it is runs: JSON files of experiments with
    predicted_items, ground_truth_items and item_signals (or evidence_counts) per participant;
    several of them are compared at coverages that all reach. --signal chooses what ranks them.
    """
    from errbar.data.readers.item_runs import is_item_run  # noqa: PLC0415  --help must not wait

    method = errbar.Bootstrap(resamples, level)
    if not is_item_run(paths[0]):
        _selective_outcomes(paths, coverages, method, rng, bins, reading, writing)
        return
    if bins is not None:
        raise InputError("--bins is for outcomes; runs of items are ranked one by one.")
    if writing.style not in ("table", "json"):
        raise InputError("runs of items are reported as a table or as JSON: --format json.")
    _selective_items(paths, coverages, loss, span, method, rng, reading, writing)


def _selective_outcomes(
    paths: Paths,
    coverages: tuple[float, ...],
    method: "Bootstrap",
    rng: int,
    bins: int | None,
    reading: Reading,
    writing: Writing,
) -> None:
    """Areas and risks in a table; the picture has the whole curve."""
    metrics = ["aurc", "augrc", "e-aurc", *(f"risk@{share}" for share in coverages)]
    with working(f"errbar selective {paths[0]}") as work:
        runs = runs_of(paths, reading, work)
        found = runs.selective(*metrics, method=method, rng=rng, bins=bins)
        draw = runs.plot.risk_coverage if writing.plot else None
        picture = draw(method=method, rng=rng, bins=bins) if draw else None
    show(found, writing, picture)


def _selective_items(
    paths: Paths,
    coverages: tuple[float, ...],
    loss: str,
    span: float | None,
    method: "Bootstrap",
    rng: int,
    reading: Reading,
    writing: Writing,
) -> None:
    """Runs of items, one by one and compared."""
    from errbar.selective_report import report, risk_coverage_picture  # noqa: PLC0415  --help must not wait

    with working(f"errbar selective {paths[0]}"):
        found = report(
            paths, coverages, loss, span=span, method=method, signal=reading.signal, rng=rng
        )
    picture = risk_coverage_picture(found, span, rng) if writing.plot else None
    show(found, writing, picture)
