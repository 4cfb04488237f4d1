"""`errbar convert`: the same outcomes under errbar's own column names, or in another schema."""

from typing import Literal

import click

import errbar
from errbar.base.tables import printable
from errbar.cli import working
from errbar.cli.options import PATHS, READ, Paths, Reading, runs_of, shown
from errbar.cli.output import tell
from errbar.errors import InputError


@click.command()
@PATHS
@click.argument("target")
@click.option(
    "--as",
    "schema",
    type=click.Choice(["outcomes", "every_eval_ever"]),
    default="outcomes",
    show_default=True,
    help="One table, or a directory of files in a schema.",
)
@READ
def convert(
    paths: Paths, target: str, schema: Literal["outcomes", "every_eval_ever"], reading: Reading
) -> None:
    """Write the outcomes at PATHS with errbar's own column names to TARGET.

    TARGET ends in .parquet, .csv or .jsonl, and is written whole or not at all. With --as
    every_eval_ever it is a directory: for every system and task the score with its interval, and
    a record for each trial.
    """
    from errbar.writers import write_outcomes  # noqa: PLC0415  --help must not wait

    if reading.engine == "spark":
        raise InputError("convert writes files by DuckDB; leave out --engine spark.")
    with working(f"errbar convert {shown(paths)}") as work:
        runs = runs_of(paths, reading, work)
        if schema == "every_eval_ever":
            said = str(errbar.write_every_eval_ever(runs, target))
        else:
            said = f"{write_outcomes(runs, target, shown(paths)):,} rows."
    click.echo(printable(f"{target}: {said}"))
    tell(runs.source.origin.notes())
