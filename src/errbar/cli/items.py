"""`errbar items`: abilities, difficulties, questions that look wrong, and subsets that suffice."""

from typing import Literal

import click

from errbar.cli import io, options
from errbar.cli.help import command_on_paths
from errbar.cli.io import WriteOptions, loaded_outcomes, show
from errbar.cli.options import Paths, ReadOptions, choice, number


@command_on_paths
@choice(
    *("--model", "rasch", "2pl"),
    default="rasch",
    text="The item response model: questions differ in difficulty only (Rasch), or in "
    "discrimination too (2PL).",
)
@number("--subset", int, "The size of a subset of questions; by default several are tried.")
@io.output_file("--ids", "Write the ids of the questions of the subset, one per line.", ".txt")
@options.SYSTEMS
@options.ERRORS
@options.LEVEL
@io.READ_WRITE_PLOT
def items(
    paths: Paths,
    model: Literal["rasch", "2pl"],
    subset: int | None,
    ids: str | None,
    systems: tuple[str, ...],
    errors: Literal["fail", "missing"],
    level: float,
    reading: ReadOptions,
    writing: WriteOptions,
) -> None:
    """Find questions that look wrong, and subsets that suffice.

    \b
    Examples:
      errbar items logs/
      errbar items logs/ --model 2pl --explain
    """
    if ids and subset is None:
        raise click.UsageError("--ids writes the questions of a subset; give its size by --subset.")
    with loaded_outcomes("items", paths, reading) as runs:
        result = runs.items(
            model=model, subset=subset, systems=systems or None, errors=errors, level=level
        )
    if ids:
        result.write_subset(ids)
    show(result, writing)
