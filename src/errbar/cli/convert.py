"""`errbar convert`: write outcomes with errbar's column names, or in another schema."""

from typing import Literal

import click

import errbar
from errbar.base.tables import printable
from errbar.cli import options
from errbar.cli.help import command_on_paths
from errbar.cli.io import FORCE, OutputPath, loaded_outcomes, paths_text, tell
from errbar.cli.options import Paths, ReadOptions
from errbar.errors import InputError


@command_on_paths
@click.argument("target", type=OutputPath(folder=True))
@click.option(
    "--as",
    "schema",
    type=click.Choice(["outcomes", "every_eval_ever", "dataset"]),
    default="outcomes",
    show_default=True,
    help="One table of outcomes, or a directory of files in another schema.",
)
@FORCE
@options.READ
def convert(
    paths: Paths,
    target: str,
    schema: Literal["outcomes", "every_eval_ever", "dataset"],
    reading: ReadOptions,
) -> None:
    """Write the outcomes at PATHS to TARGET.

    TARGET ends in .parquet, .csv or .jsonl, has errbar's column names, and is written completely or
    not at all. With --as every_eval_ever it is a directory that gets, for every system and task,
    the score with its interval and a record for each trial. With --as dataset it is a folder for
    the Hugging Face Hub: outcomes as Parquet, a card, and results as by --as every_eval_ever.

    \b
    Examples:
      errbar convert logs/ table.parquet
    """
    from errbar.writers import write_outcomes  # noqa: PLC0415  --help must not wait

    if reading.engine == "spark":
        raise InputError("convert writes files with DuckDB; omit --engine spark.")
    with loaded_outcomes("convert", paths, reading) as runs:
        if schema == "every_eval_ever":
            summary = str(errbar.write_every_eval_ever(runs, target))
        elif schema == "dataset":
            from errbar.writers.dataset import write_dataset  # noqa: PLC0415

            summary = str(write_dataset(runs, target))
        else:
            summary = f"{write_outcomes(runs, target, paths_text(paths)):,} rows."
    click.echo(printable(f"{target}: {summary}"))
    tell(runs.source.origin.notes())
