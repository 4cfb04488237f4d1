"""`errbar demo`: what errbar says of a small bundled example, and its report."""

import click
from click.core import ParameterSource

import errbar
from errbar.cli.io import require_writable, show
from errbar.cli.options import WriteOptions, page
from errbar.errors import MissingExtra


@click.command()
@page("errbar-demo.html")
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
