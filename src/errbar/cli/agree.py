"""`errbar agree` and `errbar label`: whether a judge is any good, and what people should label."""

from dataclasses import dataclass
from typing import Literal

import click

from errbar.cli import io, options
from errbar.cli.help import Subcommand, command_on_paths
from errbar.cli.io import WriteOptions, loaded_outcomes, require_writable, show
from errbar.cli.options import Keywords, Paths, ReadOptions, bundle, choice, number
from errbar.cli.work import working


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
    click.option(
        "--truth", metavar="COLUMN", help="The rater to trust as the ground truth; one of --rater."
    ),
    choice(
        *("--scale", "nominal", "ordinal", "interval"),
        default="nominal",
        text="What the ratings are: categories, categories in order, or numbers.",
    ),
    click.option(
        "--by",
        multiple=True,
        metavar="COLUMN",
        help="Also report the judge's bias for each value of this column, as in system; may be "
        "repeated.",
    ),
    click.option(
        "--cluster",
        metavar="COLUMN",
        help="The column with the cluster of each answer, as in question.",
    ),
    click.option(
        "--order",
        metavar="COLUMN",
        help="The column with the order in time, to test for drift of the judge.",
    ),
    options.LEVEL,
)


@click.command(cls=Subcommand)
@click.argument("path")
@click.option(
    "--rater",
    "raters",
    multiple=True,
    metavar="COLUMN",
    help="A column with the ratings of one rater. If each row is an answer, name at least two.",
)
@RATINGS
@io.WRITE
@io.PLOT
def agree(
    path: str, raters: tuple[str, ...], ratings: RatingOptions, writing: WriteOptions
) -> None:
    """Measure how far raters agree on the answers at PATH.

    PATH is a table with a row per answer and a column per rater, where a missing rating is empty;
    or with a row per rating, and columns such as rater and rating.

    \b
    Examples:
      errbar agree ratings.csv
      errbar agree judged.csv --rater outcome --rater human --truth human
      errbar agree judged.csv --rater outcome --rater human --truth human --by system
    """
    from errbar.judges import agree as measured  # noqa: PLC0415  --help must not wait

    with working(f"errbar agree {path}"):
        require_writable([path])
        result = measured(path, raters, **ratings.keywords())
    show(result, writing)


@dataclass(frozen=True, kw_only=True)
class LabellingOptions(Keywords):
    """Which questions to label: keywords of `errbar.next_labels`."""

    questions: int | None
    width: float | None
    task: str | None
    by: str | None
    agreement: float
    level: float
    rng: int


LABELLING = bundle(
    "choosing",
    LabellingOptions,
    click.option("-n", "--questions", type=int, help="How many questions to label."),
    click.option("--width", type=float, help="How wide the interval of the score may be."),
    click.option("--task", help="The task to label, if there are several."),
    click.option(
        "--by",
        metavar="COLUMN",
        help="A column that may tell where the judge errs more often, as in confidence.",
    ),
    number(
        "--agreement",
        float,
        "The expected share of labels that agree with the judge, if there are no labels yet.",
        default=0.8,
    ),
    options.LEVEL,
    options.SEED,
)


@command_on_paths
@LABELLING
@io.output_file(
    "--fill", "Write a CSV file of the answers to label, to be read back by --labels.", ".csv"
)
@io.READ_WRITE_PLOT
def label(
    paths: Paths,
    choosing: LabellingOptions,
    fill: str | None,
    reading: ReadOptions,
    writing: WriteOptions,
) -> None:
    """Choose the answers at PATHS that people should label.

    If there are labels already (--labels, --label), answers on which the judge is likely to err
    are chosen more often, and the file has their weights.

    \b
    Examples:
      errbar label judged.csv -n 50 --agreement 0.9
      errbar label judged.csv --label human --width 0.2
    """
    from errbar.judges import next_labels  # noqa: PLC0415  --help must not wait

    with loaded_outcomes("label", paths, reading) as runs:
        result = next_labels(runs, **choosing.keywords())
    if fill:
        result.write(fill)
    show(result, writing)
