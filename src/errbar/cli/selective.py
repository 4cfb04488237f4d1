"""`errbar selective`, `errbar roc` and `errbar calibration`: the confidence of systems."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

import errbar
from errbar.cli import io, options
from errbar.cli.help import command_on_paths
from errbar.cli.io import WriteOptions, loaded_outcomes, show, shows_result
from errbar.cli.options import Paths, ReadOptions, bundle, choice, number
from errbar.cli.work import working
from errbar.errors import InputError

if TYPE_CHECKING:
    from errbar.analysis.methods import Bootstrap
    from errbar.results.calibration import Calibration
    from errbar.runs import Runs


@dataclass(frozen=True, kw_only=True)
class ResampleOptions:
    """Options of `RESAMPLE`: the bootstrap, its seed and the bins of the confidence."""

    bins: int | None
    level: float
    resamples: int
    rng: int

    def method(self) -> "Bootstrap":
        """The bootstrap with these settings."""
        return errbar.Bootstrap(self.resamples, self.level)

    def keywords(self) -> dict[str, Any]:
        """Keywords of `Runs.selective` and `Runs.roc`."""
        return {"method": self.method(), "rng": self.rng, "bins": self.bins}


RESAMPLE = bundle(
    "resampling",
    ResampleOptions,
    click.option(
        "--bins",
        type=int,
        help="The number of bins, if there are too many distinct confidences; the output says "
        "how large the error can be.",
    ),
    options.LEVEL,
    number("--resamples", int, "The number of bootstrap resamples.", default=10_000),
    options.SEED,
)


@command_on_paths
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
@RESAMPLE
@io.READ_WRITE_PLOT
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

    PATHS is one path to outcomes with a confidence, or runs of items, which are JSON files of
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
    from errbar.selective.report import report, risk_coverage_picture  # noqa: PLC0415

    with working(f"errbar selective {paths[0]}"):
        result = report(
            paths,
            coverages,
            loss,
            span=span,
            method=resampling.method(),
            signal=reading.signal,
            rng=resampling.rng,
        )
    picture = risk_coverage_picture(result, span, resampling.rng) if writing.plot else None
    show(result, writing, picture)


def _selective_outcomes(
    paths: Paths,
    coverages: tuple[float, ...],
    resampling: ResampleOptions,
    reading: ReadOptions,
    writing: WriteOptions,
) -> None:
    """Show areas and risks in a table; the picture has the whole curve."""
    from errbar.analysis.ranked import AREAS  # noqa: PLC0415  --help must not wait

    metrics = [*AREAS, *(f"risk@{share}" for share in coverages)]
    with loaded_outcomes("selective", paths, reading) as runs:
        result = runs.selective(*metrics, **resampling.keywords())
        draw = runs.plot.risk_coverage if writing.plot else None
        picture = draw(**resampling.keywords()) if draw else None
    show(result, writing, picture)


@command_on_paths
@RESAMPLE
@io.READ_WRITE_PLOT
def roc(
    paths: Paths, resampling: ResampleOptions, reading: ReadOptions, writing: WriteOptions
) -> None:
    """Compute ROC-AUC of the confidence at PATHS.

    It measures how well the confidence separates right answers from wrong ones. To check the
    confidence as a probability, use errbar calibration.

    \b
    Examples:
      errbar roc outcomes.csv --resamples 2000
    """
    with loaded_outcomes("roc", paths, reading) as runs:
        result = runs.roc(**resampling.keywords())
        picture = runs.plot.roc(**resampling.keywords()) if writing.plot else None
    show(result, writing, picture)


@command_on_paths
@click.option(
    "--bins", type=int, help="The number of bins of equally many answers.  [default: 10 or fewer]"
)
@options.LEVEL
@shows_result
def calibration(runs: "Runs", bins: int | None, level: float) -> "Calibration":
    """Check the confidence at PATHS against the answers.

    It shows where systems are over- or underconfident, and how much that adds to the Brier score.
    The confidence must be a probability, from 0 to 1.

    \b
    Examples:
      errbar calibration outcomes.csv --plot reliability.svg
    """
    return runs.calibration(bins=bins, level=level)
