"""`errbar agree`: how far raters agree, and whether a judge is any good."""

from dataclasses import dataclass
from typing import Literal

import click

from errbar.cli import options, working
from errbar.cli.io import require_writable, show
from errbar.cli.options import Keywords, WriteOptions, bundle, choice


@dataclass(frozen=True, kw_only=True)
class RatingOptions(Keywords):
    """What the columns and ratings are: keywords of `errbar.agree` but the raters."""

    truth: str | None
    scale: Literal["nominal", "ordinal", "interval"]
    by: tuple[str, ...]
    cluster: str | None
    order: str | None
    level: float


RATINGS = bundle(
    "ratings",
    RatingOptions,
    click.option("--truth", metavar="COLUMN", help="The rater that is trusted, one of --rater."),
    choice(
        *("--scale", "nominal", "ordinal", "interval"),
        default="nominal",
        text="What the ratings are: categories, categories in order, or numbers.",
    ),
    click.option(
        "--by",
        multiple=True,
        metavar="COLUMN",
        help="Also the bias of the judge for every value of this column, as system; may be "
        "repeated.",
    ),
    click.option("--cluster", metavar="COLUMN", help="Answers that belong together, as question."),
    click.option("--order", metavar="COLUMN", help="The order in time, for the drift."),
    options.LEVEL,
)


@click.command()
@click.argument("path")
@click.option(
    "--rater",
    "raters",
    multiple=True,
    required=True,
    metavar="COLUMN",
    help="A column with the ratings of one rater; at least two.",
)
@RATINGS
@options.WRITE
@options.PLOT
def agree(
    path: str, raters: tuple[str, ...], ratings: RatingOptions, writing: WriteOptions
) -> None:
    """Measure how far raters agree on the answers at PATH.

    PATH is a table with a row per answer and a column per rater; a missing rating is empty.

    \b
    Examples:
      errbar agree judged.csv --rater outcome --rater human --truth human
      errbar agree judged.csv --rater outcome --rater human --truth human --by system
    """
    from errbar.judges import agree as measured  # noqa: PLC0415  --help must not wait

    with working(f"errbar agree {path}"):
        require_writable([path])
        found = measured(path, raters, **ratings.keywords())
    show(found, writing)
