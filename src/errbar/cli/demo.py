"""What `errbar demo` does: the main job on a small bundled example."""

import textwrap

import click

from errbar import demo
from errbar.analysis.evaluate import score
from errbar.base.tables import wrapped
from errbar.errors import InputError
from errbar.loading import load
from errbar.page import write_report
from errbar.page.contents import Asked

METRICS = ("avg", "maj@7", "pass@8", "pass^8", "geom@4")

TRY_NEXT = """\
import errbar
runs = {"mine": errbar.Counts(trials=[8, 8, 8], correct=[8, 3, 0])}
print(errbar.score(runs, "pass@1", "pass@8"))
"""


def show_demo(target: str) -> None:
    """The bundled example: its scores, who is better, a report, and what to try next."""
    systems = demo.load()
    runs = load(systems)
    said = [
        demo.ABOUT,
        str(score(systems, *METRICS)),
        "\n".join(wrapped(["Who is better:", *map(str, runs.compare("avg", "pass^8"))])),
        f"On your own counts, in Python:\n\n{textwrap.indent(TRY_NEXT, '    ').rstrip()}",
    ]
    click.echo("\n\n".join(said))
    try:
        path = write_report(
            runs, target, Asked(METRICS, title="errbar demo", command="errbar demo")
        )
    except InputError as error:
        raise InputError(f"all but the report is done: {error}") from error
    click.echo(f"\nAll of it and more on one page: {path}")
