"""`errbar rank`: a leaderboard with rank intervals."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import click

from errbar.cli import io, options
from errbar.cli.help import command_on_paths
from errbar.cli.io import shows_result
from errbar.cli.options import PairOptions
from errbar.errors import InputError

if TYPE_CHECKING:
    from errbar.results.base import Result
    from errbar.runs import Runs


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


_WEIGHTS = click.option(
    "--weight",
    "weights",
    multiple=True,
    callback=weights_in,
    metavar="TASK=NUMBER",
    help="The weight of a task in the average over tasks; may be repeated. Equal by default.",
)


@command_on_paths
@click.option("-m", "--metric", default="avg", show_default=True, help="The metric to rank by.")
@_WEIGHTS
@options.choice(
    *("--by", "mean", "borda", "copeland", "win-rate", "bradley-terry", "rasch"),
    default="mean",
    text="The quantity to rank the systems by.",
)
@options.LARGEST_CLUSTER
@options.SYSTEMS
@options.PAIR
@shows_result
def rank(
    runs: "Runs",
    metric: str,
    weights: dict[str, float] | None,
    by: str,
    largest_cluster: int | None,
    systems: tuple[str, ...],
    pairing: PairOptions,
) -> "Result":
    """Rank the systems at PATHS, with rank intervals.

    \b
    Examples:
      errbar rank logs/ -m pass@8
      errbar rank logs/ --weight gsm8k=2 --weight aime=1
      errbar rank logs/ --by bradley-terry
    """
    method: dict[str, Any] = {} if by == "mean" else {"by": by}  # scores of a judge have no other
    return runs.rank(
        metric,
        systems=systems or None,
        weights=weights,
        largest_cluster=largest_cluster,
        **method,
        **pairing.keywords(),
    )


@command_on_paths
@click.option("-m", "--metric", default="avg", show_default=True, help="The metric of the board.")
@_WEIGHTS
@io.page_file("--page", "Also write an HTML page to send to those who keep the board.")
@options.BOUNDS
@options.SYSTEMS
@options.ERRORS
@options.LEVEL
@shows_result
def audit_board(
    runs: "Runs",
    metric: str,
    weights: dict[str, float] | None,
    page: str | None,
    bounds: tuple[float, float] | None,
    systems: tuple[str, ...],
    errors: Literal["fail", "missing"],
    level: float,
) -> "Result":
    """Check how robust the order of the leaderboard at PATHS is.

    It shows ranks that hold for all systems together, what separates the first from the second,
    and which questions or clusters change the order if they are left out.

    \b
    Examples:
      errbar audit-board logs/
      errbar audit-board logs/ --page board.html
    """
    result = runs.audit_board(
        metric,
        systems=systems or None,
        weights=weights,
        bounds=bounds,
        errors=errors,
        level=level,
    )
    if page:
        from errbar.page.boards import write_board_page  # noqa: PLC0415  an extra

        write_board_page(result, page)
    return result
