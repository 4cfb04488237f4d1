"""`errbar PATHS`, `errbar demo` and `errbar inspect`: who is better, and what the data are."""

from typing import TYPE_CHECKING, Literal

import click
from click.core import ParameterSource

import errbar
from errbar.cli import io, options
from errbar.cli.help import Subcommand, command_on_paths
from errbar.cli.io import (
    WriteOptions,
    page_output,
    paths_text,
    require_writable,
    runs_of,
    show,
    shows_result,
)
from errbar.cli.options import Paths, ReadOptions
from errbar.cli.work import working
from errbar.errors import MissingExtra

if TYPE_CHECKING:
    from errbar.results.base import Result
    from errbar.runs import Runs


@command_on_paths
@options.ERRORS
@options.BOUNDS
@io.READ_WRITE_PLOT
def overview(
    paths: Paths,
    errors: Literal["fail", "missing"],
    bounds: tuple[float, float] | None,
    reading: ReadOptions,
    writing: WriteOptions,
) -> None:
    """Show which system is better, all scores, and what was read.

    errbar PATHS without a command is the same.

    \b
    Examples:
      errbar logs/
      errbar logs/ --explain
    """
    with working(f"errbar {paths_text(paths)}") as work:
        result = runs_of(paths, reading, work).overview(errors=errors, bounds=bounds)
    show(result, writing)


@click.command(cls=Subcommand)
@page_output("errbar-demo.html")
def demo(output: str) -> None:
    """Show scores, comparisons and a report of a small example.

    \b
    Examples:
      errbar demo -o demo.html
    """
    from errbar import demo as example  # noqa: PLC0415  --help must not wait

    if click.get_current_context().get_parameter_source("output") is not ParameterSource.DEFAULT:
        require_writable([])
    runs = errbar.load(example.LOGS)
    click.echo(f"{example.ABOUT}\n")
    show(runs.overview(), WriteOptions())
    try:
        path = errbar.report(runs, output, command="errbar demo")
    except MissingExtra as missing:
        click.echo(f"\nNo report was written: {missing}")
    else:
        click.echo(f"\nThe report, with charts and every question: {path}")
    click.echo("The same for your own logs: errbar logs/ and errbar report logs/")


@command_on_paths
@shows_result
def inspect(runs: "Runs") -> "Result":
    """Show the contents of the data at PATHS.

    These are systems, tasks, questions, trials and statuses, and how the data were interpreted.

    \b
    Examples:
      errbar inspect logs/
    """
    return runs.inspect()
