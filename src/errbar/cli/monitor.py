"""`errbar monitor`: sequential tests on a log, once or repeatedly while it grows."""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import click
from click.exceptions import Exit

from errbar.base.tables import printable
from errbar.cli import io, options
from errbar.cli.help import command_on_paths
from errbar.cli.io import WriteOptions, paths_text, require_writable, runs_of, show
from errbar.cli.options import Paths, ReadOptions
from errbar.cli.work import working
from errbar.errors import ErrbarError, InputError, NotThere

if TYPE_CHECKING:
    from errbar.data.live_logs import WholeLines
    from errbar.results.monitoring import Monitoring

Lines = Callable[[Sequence[str]], AbstractContextManager["WholeLines"]]

_UNDECIDED = 3  # the exit code with --exit-code
_MOST_TRIES = 5


@command_on_paths
@click.option("--above", type=float, help="Stop when the mean is above this number.")
@click.option("--below", type=float, help="Stop when the mean is below this number.")
@click.option(
    "--better",
    nargs=2,
    metavar="A B",
    help="Stop when one of these two systems is better; --above and --below then test the "
    "difference.",
)
@click.option("--system", help="Monitor only this system.")
@click.option(
    "--trials",
    type=int,
    default=1,
    show_default=True,
    help="The number of trials per question, planned before the run; a question counts once "
    "it has all of them.",
)
@click.option(
    "--bounds",
    nargs=2,
    type=float,
    default=(0.0, 1.0),
    show_default=True,
    metavar="LEAST MOST",
    help="The smallest and largest possible outcome.",
)
@click.option(
    "--order",
    metavar="COLUMN",
    help="The column that orders the rows; by default their order in the log.",
)
@options.ERRORS
@options.LEVEL
@click.option("--history", is_flag=True, help="Show the state after each question.")
@click.option(
    "--follow", is_flag=True, help="Read the log again and again until every test is decided."
)
@click.option(
    "--every",
    type=click.FloatRange(min=0.01),
    default=10.0,
    show_default=True,
    help="The seconds between two reads of the log with --follow.",
)
@click.option(
    "--exit-code", is_flag=True, help="Exit with 0 if the run can stop, with 3 if it should go on."
)
@io.READ_WRITE_PLOT
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
    reading: ReadOptions,
    writing: WriteOptions,
) -> None:
    """Decide whether the run that writes to PATHS can stop.

    The tests are valid at any time. With --level 0.95, at most 5% of runs end in a false claim,
    even with a look after every trial. An incomplete last line is left out.

    \b
    Examples:
      errbar monitor log.jsonl --better new old
      errbar monitor log.jsonl --above 0.5 --history
    """
    if reading.engine == "spark":
        raise InputError("monitor reads rows in order, with DuckDB; omit --engine spark.")
    if better and system is not None:
        raise InputError("--system monitors one system, --better two; give only one of them.")
    systems = better or (() if system is None else (system,))
    claims = {
        "above": above,
        "below": below,
        "level": level,
        "trials": trials,
        "bounds": bounds,
        "errors": errors,
        "order": order,
    }
    require_writable(paths)
    log = _Log(paths, reading, systems, claims)
    result = _follow(log, every) if follow else _look(log)
    picture = result.plot() if writing.plot else None
    show(result.history() if history else result, writing, picture)
    if exit_code and not result.is_decided:
        raise Exit(_UNDECIDED)


@dataclass(frozen=True)
class _Log:
    """The log to monitor, and the claims to test."""

    paths: Paths
    reading: ReadOptions
    systems: tuple[str, ...]
    claims: dict[str, Any]  # keywords of `Runs.monitor`

    def look(self, lines: Lines) -> "Monitoring":
        """Test the claims on the complete lines of the log."""
        with (
            working(f"errbar monitor {paths_text(self.paths)}") as work,
            lines(self.paths) as complete,
        ):
            try:
                runs = runs_of(complete.paths, self.reading, work)
                result = runs.monitor(*self.systems, **self.claims)
            except ErrbarError as error:
                raise type(error)(complete.with_own_paths(str(error))) from error
        remarks = (*map(complete.with_own_paths, result.remarks), *complete.remarks)
        return replace(result, remarks=remarks)


def _follow(log: _Log, every: float) -> "Monitoring":
    """Look repeatedly until all claims are decided; changes are printed on stderr."""
    last = ""
    while True:
        result = None
        try:
            result = _look(log)
            line = result.line()
        except NotThere as error:
            line = f"waiting: {error}"
        if line != last:
            click.echo(printable(f"{time.strftime('%H:%M:%S')}  {line}"), err=True)
        if result is not None and result.is_decided:
            return result
        last = line
        time.sleep(every)


def _look(log: _Log) -> "Monitoring":
    """Look once; again if the log changed meanwhile, and at a copy if half a line was read."""
    from errbar.data.live_logs import (  # noqa: PLC0415  --help must not wait
        ChangedWhileRead,
        copied_lines,
        sizes_of,
        whole_lines,
    )

    lines = whole_lines
    for _ in range(_MOST_TRIES - 1):
        before = sizes_of(log.paths)
        try:
            return log.look(lines)
        except ChangedWhileRead:
            lines = copied_lines
        except ErrbarError:
            if sizes_of(log.paths) == before:
                raise
    return log.look(copied_lines)
