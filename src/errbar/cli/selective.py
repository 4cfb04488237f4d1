"""`errbar selective` and `errbar roc`: metrics of the confidence of systems."""

import click

from errbar.cli import choice, options, working
from errbar.cli.options import Paths, ReadOptions, ResampleOptions, WriteOptions
from errbar.cli.output import show
from errbar.errors import InputError


@click.command()
@options.PATHS
@click.option(
    "--coverage",
    "coverages",
    multiple=True,
    type=float,
    default=(0.5,),
    show_default=True,
    help="A coverage at which to report the risk; may be repeated.",
)
@choice(
    *("--loss", "absolute", "zero-one", "squared", "normalised"),
    default="absolute",
    text="The loss of an item that is scored wrongly.",
)
@click.option("--span", type=float, help="The largest possible error, for --loss normalised.")
@options.RESAMPLE
@options.READ_WRITE_PLOT
def selective(
    paths: Paths,
    coverages: tuple[float, ...],
    loss: str,
    span: float | None,
    resampling: ResampleOptions,
    reading: ReadOptions,
    writing: WriteOptions,
) -> None:
    """Report risk and coverage of systems that abstain.

    PATHS is one path to outcomes with a confidence. Or it is runs of items: JSON files of
    experiments with predicted_items, ground_truth_items and item_signals (or evidence_counts) per
    participant. Several runs are compared at coverages that all of them reach; --signal chooses
    the confidence.

    \b
    Examples:
      errbar selective outcomes.csv --coverage 0.8
    """
    from errbar.data.readers.item_runs import is_item_run  # noqa: PLC0415  --help must not wait

    if not is_item_run(paths[0]):
        _selective_outcomes(paths, coverages, resampling, reading, writing)
        return
    if resampling.bins is not None:
        raise InputError("--bins is for outcomes; runs of items are ranked one by one.")
    if writing.style not in ("table", "json"):
        raise InputError("runs of items are reported as a table or as JSON: --format json.")
    from errbar.selective_report import report, risk_coverage_picture  # noqa: PLC0415

    with working(f"errbar selective {paths[0]}"):
        found = report(
            paths,
            coverages,
            loss,
            span=span,
            method=resampling.method(),
            signal=reading.signal,
            rng=resampling.rng,
        )
    picture = risk_coverage_picture(found, span, resampling.rng) if writing.plot else None
    show(found, writing, picture)


def _selective_outcomes(
    paths: Paths,
    coverages: tuple[float, ...],
    resampling: ResampleOptions,
    reading: ReadOptions,
    writing: WriteOptions,
) -> None:
    """Show areas and risks in a table; the picture has the whole curve."""
    metrics = ["aurc", "augrc", "e-aurc", *(f"risk@{share}" for share in coverages)]
    with options.opened("selective", paths, reading) as runs:
        found = runs.selective(*metrics, **resampling.keywords())
        draw = runs.plot.risk_coverage if writing.plot else None
        picture = draw(**resampling.keywords()) if draw else None
    show(found, writing, picture)


@click.command()
@options.PATHS
@options.RESAMPLE
@options.READ_WRITE_PLOT
def roc(
    paths: Paths, resampling: ResampleOptions, reading: ReadOptions, writing: WriteOptions
) -> None:
    """Compute ROC-AUC of the confidence at PATHS.

    It measures how well the confidence separates right answers from wrong ones.

    \b
    Examples:
      errbar roc outcomes.csv --resamples 2000
    """
    with options.opened("roc", paths, reading) as runs:
        found = runs.roc(**resampling.keywords())
        picture = runs.plot.roc(**resampling.keywords()) if writing.plot else None
    show(found, writing, picture)
