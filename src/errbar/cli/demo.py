"""`errbar demo`: scores, comparisons and a report of a small bundled example."""

import textwrap

import click

import errbar
from errbar.base.tables import wrapped
from errbar.cli import page
from errbar.errors import InputError

METRICS = ("avg", "maj@7", "pass@8", "pass^8", "geom@4")

TRY_NEXT = """\
import errbar
runs = {"mine": errbar.Counts(trials=[8, 8, 8], correct=[8, 3, 0])}
print(errbar.score(runs, "pass@1", "pass@8"))
"""


@click.command()
@page("errbar-demo.html")
def demo(output: str) -> None:
    """Score, compare and report a small example."""
    from errbar import demo as example  # noqa: PLC0415  --help must not wait

    runs = errbar.load(example.load())
    paragraphs = [
        example.ABOUT,
        str(runs.score(*METRICS)),
        "\n".join(wrapped(["Which system is better:", *map(str, runs.compare("avg", "pass^8"))])),
        f"To score your own counts in Python:\n\n{textwrap.indent(TRY_NEXT, '    ').rstrip()}",
    ]
    click.echo("\n\n".join(paragraphs))
    try:
        path = errbar.report(runs, output, *METRICS, title="errbar demo", command="errbar demo")
    except InputError as error:
        raise InputError(f"everything but the report was written: {error}") from error
    click.echo(f"\nThe report, with more results: {path}")
