"""`errbar history`: the scores of past runs over time, and whether they have drifted."""

from pathlib import Path

import click
from click.exceptions import Exit

import errbar
from errbar.cli import io, options
from errbar.cli.help import command_on_paths
from errbar.cli.io import WriteOptions, columns_in, keywords_of, paths_text, require_writable, show
from errbar.cli.options import PairOptions, Paths, ReadOptions
from errbar.cli.work import working
from errbar.errors import InputError


@command_on_paths
@options.METRICS
@click.option(
    "--since",
    metavar="RUN",
    help="The reference run: the last run is compared with it, and the test of drift starts there.",
)
@click.option("--run", metavar="COLUMN", help="The column of a DuckDB file that names the run.")
@click.option("--system", help="The system of each run, if runs have several.")
@click.option("--table", help="The table of a DuckDB file, if it has several.")
@click.option("--exit-code", is_flag=True, help="Exit with 1 if drift is detected.")
@options.PAIR
@io.READ_WRITE_PLOT
def history(
    paths: Paths,
    metrics: tuple[str, ...],
    since: str | None,
    run: str | None,
    system: str | None,
    table: str | None,
    exit_code: bool,
    pairing: PairOptions,
    reading: ReadOptions,
    writing: WriteOptions,
) -> None:
    """Show the scores of past runs, and whether they have drifted.

    PATHS is a folder with a log or folder per run, a DuckDB file, or a table in which a column
    names the run. Several PATHS are runs in that order. With --level 0.95, at most 5%
    of systems that never change are ever reported as drifted, however many runs follow.

    \b
    Examples:
      errbar history runs/ -m pass@1
      errbar history runs/ --since v1.2 --plot history.svg
      errbar history runs.duckdb --run release
    """
    if reading.engine == "spark":
        raise InputError("history reads runs with DuckDB; omit --engine spark.")
    require_writable(paths)
    with working(f"errbar history {paths_text(paths)}"):
        result = errbar.history(
            paths[0] if len(paths) == 1 else _by_name(paths),
            *metrics,
            since=since,
            run=run,
            system=system,
            table=table,
            **pairing.keywords(),
            columns=columns_in(reading.mapping),
            **keywords_of(reading),
        )
    show(result, writing)
    if exit_code and result.has_drifted:
        raise Exit(1)


def _by_name(paths: Paths) -> dict[str, str]:
    """Return the paths by their last part; by the whole path if last parts are not unique."""
    names = {Path(path).name: path for path in paths}
    return names if len(names) == len(paths) else {path: path for path in paths}
