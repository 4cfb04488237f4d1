"""What `errbar monitor` does: one look at a log, or one after another while it grows."""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

import click
from click.exceptions import Exit

from errbar.base.tables import printable
from errbar.cli.group import working
from errbar.cli.outcomes import Given, runs_of, show, shown
from errbar.data.live_logs import WholeLines, WrittenMeanwhile, copied_lines, sizes_of, whole_lines
from errbar.errors import ErrbarError, InputError, NotThere
from errbar.results.monitoring import Monitoring

Lines = Callable[[Sequence[str]], AbstractContextManager[WholeLines]]

_UNDECIDED = 3  # the exit code, where one is asked for
_MOST_TRIES = 5


def monitor_outcomes(paths: Sequence[str], given: Given) -> None:
    """Look, say what is known, and whether that is enough."""
    if given["engine"] == "spark":
        raise InputError("monitor reads rows in their order, by DuckDB; leave out --engine spark.")
    if given["better"] and given["system"] is not None:
        raise InputError("--system watches one system, --better two; give one of them.")
    found = _followed(paths, given) if given["follow"] else _looked(paths, given)
    picture = found.plot() if given["plot"] else None
    show(found.history() if given["history"] else found, given, picture)
    if given["exit_code"] and not found.is_decided:
        raise Exit(_UNDECIDED)


def _followed(paths: Sequence[str], given: Given) -> Monitoring:
    """Look again and again until all is decided; what is new goes to stderr."""
    last = ""
    while True:
        found = None
        try:
            found = _looked(paths, given)
            said = found.line()
        except NotThere as error:
            said = f"waiting: {error}"
        if said != last:
            click.echo(printable(f"{time.strftime('%H:%M:%S')}  {said}"), err=True)
        if found is not None and found.is_decided:
            return found
        last = said
        time.sleep(given["every"])


def _looked(paths: Sequence[str], given: Given) -> Monitoring:
    """One look; again if the log was written to meanwhile, at a copy if half a line was read."""
    lines = whole_lines
    for _ in range(_MOST_TRIES - 1):
        before = sizes_of(paths)
        try:
            return _look(paths, given, lines)
        except WrittenMeanwhile:
            lines = copied_lines
        except ErrbarError:
            if sizes_of(paths) == before:
                raise
    return _look(paths, given, copied_lines)


def _look(paths: Sequence[str], given: Given, lines: Lines) -> Monitoring:
    alone = [given["system"]] if given["system"] is not None else []
    with working(f"errbar monitor {shown(paths)}") as work, lines(paths) as whole:
        try:
            found = runs_of(whole.paths, given, work).monitor(
                *(given["better"] or alone),
                above=given["above"],
                below=given["below"],
                level=given["level"],
                trials=given["trials"],
                bounds=given["bounds"],
                errors=given["errors"],
                order=given["order"],
            )
        except ErrbarError as error:
            raise type(error)(whole.told(str(error))) from error
    remarks = (*map(whole.told, found.remarks), *whole.remarks)
    return replace(found, remarks=remarks)
