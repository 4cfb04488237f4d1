"""`errbar scaling`: pass@k far beyond the trials, and how fast failures vanish."""

from typing import TYPE_CHECKING, Literal

import click

from errbar.cli import options
from errbar.cli.io import shows_result

if TYPE_CHECKING:
    from errbar.results.scaling import Scaling
    from errbar.runs import Runs


@click.command()
@options.PATHS
@click.option(
    "-k",
    "ks",
    type=int,
    multiple=True,
    metavar="K",
    help="A number of trials beyond those there are; may be repeated. By default 10 and 100 times "
    "the trials.",
)
@options.SYSTEMS
@options.ERRORS
@options.LEVEL
@shows_result
def scaling(
    runs: "Runs",
    ks: tuple[int, ...],
    systems: tuple[str, ...],
    errors: Literal["fail", "missing"],
    level: float,
) -> "Scaling":
    """Say what many more tries would solve at PATHS.

    How fast failures vanish as trials are added, with what the data cannot tell.

    \b
    Examples:
      errbar scaling logs/ -k 100
      errbar scaling logs/ -k 100 -k 1000 --explain
    """
    return runs.scaling(ks, systems=systems, errors=errors, level=level)
