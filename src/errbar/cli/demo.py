"""`errbar demo`: the main job on a small bundled example."""

import textwrap

import click

import errbar
from errbar.base.tables import wrapped
from errbar.errors import InputError

METRICS = ("avg", "maj@7", "pass@8", "pass^8", "geom@4")

TRY_NEXT = """\
import errbar
runs = {"mine": errbar.Counts(trials=[8, 8, 8], correct=[8, 3, 0])}
print(errbar.score(runs, "pass@1", "pass@8"))
"""


@click.command()
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False),
    default="errbar-demo.html",
    show_default=True,
    help="The report.",
)
def demo(output: str) -> None:
    """Score and compare a small bundled example, and write a report of it."""
    from errbar import demo as example  # noqa: PLC0415  --help must not wait

    runs = errbar.load(example.load())
    said = [
        example.ABOUT,
        str(runs.score(*METRICS)),
        "\n".join(wrapped(["Who is better:", *map(str, runs.compare("avg", "pass^8"))])),
        f"On your own counts, in Python:\n\n{textwrap.indent(TRY_NEXT, '    ').rstrip()}",
    ]
    click.echo("\n\n".join(said))
    try:
        path = errbar.report(runs, output, *METRICS, title="errbar demo", command="errbar demo")
    except InputError as error:
        raise InputError(f"all but the report is done: {error}") from error
    click.echo(f"\nAll of it and more on one page: {path}")
