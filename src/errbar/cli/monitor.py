"""`errbar monitor`: one look at a log, or one after another while it grows."""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import click
from click.exceptions import Exit

from errbar.base.tables import printable
from errbar.cli import working
from errbar.cli.options import (
    ERRORS,
    LEVEL,
    PATHS,
    PLOT,
    READ,
    WRITE,
    Paths,
    Reading,
    Writing,
    runs_of,
    shown,
)
from errbar.cli.output import show
from errbar.errors import ErrbarError, InputError, NotThere

if TYPE_CHECKING:
    from errbar.data.live_logs import WholeLines
    from errbar.results.monitoring import Monitoring

Lines = Callable[[Sequence[str]], AbstractContextManager["WholeLines"]]

_UNDECIDED = 3  # the exit code, where one is asked for
_MOST_TRIES = 5


@click.command()
@PATHS
@click.option("--above", type=float, help="Stop when the mean is above this.")
@click.option("--below", type=float, help="Stop when the mean is below this; with --above, either.")
@click.option(
    "--better",
    nargs=2,
    metavar="A B",
    help="Stop when one of two systems is better; with --above or --below, by their difference.",
)
@click.option("--system", help="Watch this system alone, not each of them.")
@click.option(
    "--trials",
    type=int,
    default=1,
    show_default=True,
    help="Of a question, planned before the run: it counts when it has so many.",
)
@click.option(
    "--bounds",
    nargs=2,
    type=float,
    default=(0.0, 1.0),
    show_default=True,
    metavar="LEAST MOST",
    help="Between which outcomes lie.",
)
@click.option("--order", metavar="COLUMN", help="Which says when; else rows count as they stand.")
@ERRORS
@LEVEL
@click.option("--history", is_flag=True, help="A row per question: what was known after it.")
@click.option("--follow", is_flag=True, help="Look again and again until there is a verdict.")
@click.option(
    "--every",
    type=click.FloatRange(min=0.01),
    default=10.0,
    show_default=True,
    help="Seconds between looks.",
)
@click.option("--exit-code", is_flag=True, help="End with 0 to stop, with 3 to go on.")
@READ
@WRITE
@PLOT
def monitor(
    paths: Paths,
    above: float | None,
    below: float | None,
    better: tuple[str, str] | None,
    system: str | None,
    trials: int,
    bounds: tuple[float, float],
    order: str | None,
    errors: Literal["fail", "missing"],
    level: float,
    history: bool,
    follow: bool,
    every: float,
    exit_code: bool,
    reading: Reading,
    writing: Writing,
) -> None:
    """Whether the run that writes to PATHS can stop, however often that is asked.

    At most 5 % of all runs (with --level 0.95) end in a claim that does not hold, with a look after
    every trial. A last line that is not whole is left out.
    """
    if reading.engine == "spark":
        raise InputError("monitor reads rows in their order, by DuckDB; leave out --engine spark.")
    if better and system is not None:
        raise InputError("--system watches one system, --better two; give one of them.")
    systems = better or (() if system is None else (system,))
    watch = _Watch(paths, reading, systems, above, below, level, trials, bounds, errors, order)
    found = _followed(watch, every) if follow else _looked(watch)
    picture = found.plot() if writing.plot else None
    show(found.history() if history else found, writing, picture)
    if exit_code and not found.is_decided:
        raise Exit(_UNDECIDED)


@dataclass(frozen=True)
class _Watch:
    """What is looked at, and what it is watched for."""

    paths: Paths
    reading: Reading
    systems: tuple[str, ...]
    above: float | None
    below: float | None
    level: float
    trials: int
    bounds: tuple[float, float]
    errors: Literal["fail", "missing"]
    order: str | None

    def look(self, lines: Lines) -> "Monitoring":
        """One look at the whole lines of the log."""
        with working(f"errbar monitor {shown(self.paths)}") as work, lines(self.paths) as whole:
            try:
                found = runs_of(whole.paths, self.reading, work).monitor(
                    *self.systems,
                    above=self.above,
                    below=self.below,
                    level=self.level,
                    trials=self.trials,
                    bounds=self.bounds,
                    errors=self.errors,
                    order=self.order,
                )
            except ErrbarError as error:
                raise type(error)(whole.told(str(error))) from error
        remarks = (*map(whole.told, found.remarks), *whole.remarks)
        return replace(found, remarks=remarks)


def _followed(watch: _Watch, every: float) -> "Monitoring":
    """Look again and again until all is decided; what is new goes to stderr."""
    last = ""
    while True:
        found = None
        try:
            found = _looked(watch)
            said = found.line()
        except NotThere as error:
            said = f"waiting: {error}"
        if said != last:
            click.echo(printable(f"{time.strftime('%H:%M:%S')}  {said}"), err=True)
        if found is not None and found.is_decided:
            return found
        last = said
        time.sleep(every)


def _looked(watch: _Watch) -> "Monitoring":
    """One look; again if the log was written to meanwhile, at a copy if half a line was read."""
    from errbar.data.live_logs import (  # noqa: PLC0415  --help must not wait
        WrittenMeanwhile,
        copied_lines,
        sizes_of,
        whole_lines,
    )

    lines = whole_lines
    for _ in range(_MOST_TRIES - 1):
        before = sizes_of(watch.paths)
        try:
            return watch.look(lines)
        except WrittenMeanwhile:
            lines = copied_lines
        except ErrbarError:
            if sizes_of(watch.paths) == before:
                raise
    return watch.look(copied_lines)
