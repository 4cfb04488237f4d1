"""What `errbar report` does: load, build the page, and say where it is."""

import shlex
from pathlib import Path

import click

from errbar.base.tables import printable
from errbar.cli.group import working
from errbar.cli.outcomes import Given, Paths, names_in, runs_of, shown
from errbar.page import write_report
from errbar.page.contents import Asked
from errbar.results.estimate import Estimand


def report_outcomes(paths: Paths, given: Given) -> None:
    """One page of everything."""
    asked = Asked(
        tuple(names_in(given["metrics"])),
        Estimand(given["estimand"]),
        given["level"],
        given["baseline"],
        given["errors"],
        given["title"],
        _command(paths, given),
    )
    with working(f"errbar report {shown(paths)}") as work:
        target = write_report(runs_of(paths, given, work), given["output"], asked)
    size = target.stat().st_size / 1e6
    click.echo(printable(f"{target}: {size:.1f} MB, one file that needs no other."))


def _command(paths: Paths, given: Given) -> str:
    """What makes the same page again."""
    words = ["errbar", "report", *paths]
    for name in names_in(given["metrics"]):
        words += ["-m", name]
    for option in ("baseline", "title"):
        if given[option]:
            words += [f"--{option}", given[option]]
    if given["estimand"] != Estimand.POPULATION:
        words += ["--estimand", given["estimand"]]
    if given["level"] != 0.95:
        words += ["--level", str(given["level"])]
    if given["errors"] != "fail":
        words += ["--errors", given["errors"]]
    for told in given["mapping"]:
        words += ["--map", told]
    return shlex.join([*words, "-o", Path(given["output"]).name])
