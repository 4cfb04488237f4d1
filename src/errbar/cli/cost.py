"""`errbar cost`: what systems cost per trial and per success, beside their quality."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import click

from errbar.cli import options
from errbar.cli.help import command_on_paths
from errbar.cli.io import shows_result
from errbar.cli.options import Keywords, bundle

if TYPE_CHECKING:
    from errbar.results.costs import Costs
    from errbar.runs import Runs


@dataclass(frozen=True, kw_only=True)
class CostOptions(Keywords):
    """What to add up: keywords of `Runs.cost`."""

    of: str | None
    prices: str | None
    systems: tuple[str, ...]
    baseline: str | None
    tries: tuple[int, ...]
    errors: Literal["fail", "missing"]
    level: float
    rng: int


COST = bundle(
    "spending",
    CostOptions,
    click.option(
        "--of",
        metavar="COLUMN",
        help="The column to add up, as in seconds or output_tokens; by default the cost.",
    ),
    click.option(
        "--prices",
        type=click.Path(exists=True, dir_okay=False),
        metavar="FILE",
        help="A CSV or JSON file with the columns model, input and output: prices of a million "
        "tokens, from which costs are computed.",
    ),
    options.SYSTEMS,
    options.BASELINE,
    click.option(
        "--tries",
        type=int,
        multiple=True,
        help="Report the cost of up to this many tries per question, stopping at the first right "
        "one; may be repeated.",
    ),
    options.ERRORS,
    options.LEVEL,
    options.SEED,
)


@command_on_paths
@COST
@shows_result
def cost(runs: "Runs", spending: CostOptions) -> "Costs":
    """Add up what the systems at PATHS cost.

    It shows the cost of a trial and of a success beside the score, and the chance that no other
    system is as good and cheaper. --map cost=COLUMN names the column of the cost.

    \b
    Examples:
      errbar cost spent.csv
      errbar cost spent.csv --of seconds --tries 1 --tries 4
      errbar cost spent.csv --prices prices.csv
    """
    return runs.cost(**spending.keywords())
