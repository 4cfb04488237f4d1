"""`history`: the scores of past runs over time, from a folder, a DuckDB file or anything loaded."""

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

from errbar.analysis.history import drifts_of
from errbar.base.arguments import checked, require_text, strict_share
from errbar.base.files import without_endings
from errbar.base.remarks import mapping, some_of, way_to_say
from errbar.data.columns import require_column
from errbar.data.engines.duckdb import open_database
from errbar.data.queries.expressions import column_lists
from errbar.data.queries.questions import failures_as
from errbar.data.sources.joined import JoinedSource, SystemPart
from errbar.errors import InputError, NotThere, WrongType
from errbar.loading import load
from errbar.metrics import Metric
from errbar.results.comparison import Comparison
from errbar.results.estimate import Estimand
from errbar.results.timeline import Timeline, natural_order
from errbar.runs import Runs

_DATABASES = {".duckdb", ".ddb", ".db"}
_MOST_NAMED = 8


@checked
def history(
    data: Any,
    *metrics: Metric | str,
    since: str | None = None,
    run: str | None = None,
    system: str | None = None,
    table: str | None = None,
    level: float = 0.95,
    estimand: Estimand | str = Estimand.POPULATION,
    errors: Literal["fail", "missing"] = "fail",
    short: Literal["error", "drop"] = "error",
    bounds: tuple[float, float] | None = None,
    columns: Mapping[str, str | None] | None = None,
    **reading: Any,
) -> Timeline:
    """Scores of past runs over time, the last change, and whether the score has drifted.

    Parameters
    ----------
    data
        A folder with a file or folder per run; a DuckDB file or a DataFrame with a column that
        names the run; a dict of runs, in its order; or anything else that `load` takes, with a
        system per run. Without an order, runs are ordered by name, with digits as numbers.
    *metrics
        Metrics by name or as values; `avg` by default.
    since
        The run with which the last one is compared and from which drift is tested; by default
        the last one but one, and the first.
    run
        The column of a DuckDB file or a DataFrame that names the run.
    system
        The system of each run, if runs have several.
    table
        The table of a DuckDB file, if it has several.
    level, estimand, errors, short, bounds
        As in `Runs.compare`.
    columns
        Columns by meaning, as in `{"question": "task_id"}`.
    **reading
        Other keywords of `load`.

    Examples
    --------
    >>> runs = {f"v{at}": [[1, 1, 0, 1]] * 30 for at in range(5)} | {"v5": [[0, 0, 1, 0]] * 30}
    >>> history(runs).has_drifted
    True
    """
    strict_share(level, "level")
    if not isinstance(columns, Mapping | None) or not all(
        isinstance(c, str) for c in columns or ()
    ):
        raise WrongType("columns must be names by their meaning, as in {'question': 'task_id'}.")
    failures_as(errors)  # raises an error before anything is read
    how = {"level": level, "estimand": estimand, "errors": errors, "short": short, "bounds": bounds}
    with ExitStack() as opened:
        runs = _runs_in(data, run, table, opened)
        parts = _system_of_runs(_parts(runs, {**(columns or {}), **reading}), system)
        return _timeline(parts, metrics, since, how)


def _timeline(
    parts: Mapping[str, SystemPart],
    metrics: Sequence[Metric | str],
    since: str | None,
    how: Mapping[str, Any],
) -> Timeline:
    """Scores of every run, the change of the last one, and drift; `how` is as in `compare`."""
    names = list(parts)
    require_text(since=since)
    if since is not None and since not in parts:
        listed = some_of(map(repr, names), _MOST_NAMED)
        raise NotThere(f"there is no run {since!r}; there are: {listed}.")
    whole = Runs(JoinedSource.of(parts))
    scores = whole.score(*metrics, **how)
    reference = since or (names[-2] if len(names) > 1 else "")
    changes: Sequence[Comparison] = ()
    if reference and reference != names[-1]:
        pair = JoinedSource.of({name: parts[name] for name in (reference, names[-1])})
        changes = Runs(pair).compare(*metrics, baseline=reference, **how)
    tested = names if since is None else names[names.index(since) :]
    return Timeline(
        runs=tuple(names),
        estimates=tuple(sorted(scores, key=lambda score: (score.task, names.index(score.system)))),
        changes=tuple(changes),
        drifts=drifts_of(whole.source.named(), tested, how["level"], how["errors"]),
        reference=reference,
        method=scores.method,
        level=how["level"],
        remarks=scores.remarks,
    )


def _runs_in(data: Any, run: str | None, table: str | None, opened: ExitStack) -> Any:
    """Data by run, in order; or data whose systems are the runs."""
    if isinstance(data, str | Path):
        path = Path(os.path.expanduser(data))
        if path.suffix.lower() in _DATABASES and os.path.isfile(path):
            data = _table_of(path, table, opened)
        elif os.path.isdir(path):  # False for a name that is too long, unlike Path.is_dir
            data = _entries_of(path)
    if run is None:
        return data
    if isinstance(data, str | Path | Mapping):
        raise InputError(
            f"{way_to_say('--run', 'run=')} names a column of a DuckDB file or a DataFrame; of "
            f"other tables map it as the system, with {mapping('system', run)}."
        )
    import narwhals.stable.v2 as nw  # noqa: PLC0415  loaded when first needed

    table = nw.from_native(data, pass_through=True)
    if not isinstance(table, nw.DataFrame | nw.LazyFrame):
        raise WrongType(f"a history by a column needs a DataFrame; got {type(data).__name__}.")
    frame = table.lazy()
    require_column(run, frame.collect_schema())
    name = nw.col(run).cast(nw.String)
    names = column_lists(frame.select(name.alias("run")).unique())["run"]
    if None in names:
        raise InputError(f"some rows have no run in the column {run!r}; fill it in.")
    return {each: nw.to_native(frame.filter(name == each)) for each in natural_order(names)}


def _entries_of(folder: Path) -> dict[str, str]:
    """The files and folders of a folder, by the names of runs."""
    entries = {entry.name: entry for entry in folder.iterdir() if entry.name[0] not in "._"}
    if not entries:
        raise NotThere(f"{folder} is empty; a history is a folder with a log per run.")
    names: dict[str, str] = {}
    for name in natural_order([*entries]):
        run = _stem(entries[name])
        if run in names:
            raise InputError(
                f"{Path(names[run]).name} and {name} in {folder} would both be the run {run!r}: "
                f"rename one, or move it out of the folder."
            )
        names[run] = str(entries[name])
    return names


def _parts(runs: Any, reading: dict[str, Any]) -> dict[str, list[SystemPart]]:
    """The systems of each run, in the order of runs."""
    if isinstance(runs, Mapping) and all(isinstance(name, str) for name in runs):
        loaded = {name: load(each, **reading).source for name, each in runs.items()}
        return {
            name: [SystemPart(source, found) for found in _systems_in(source)]
            for name, source in loaded.items()
        }
    source = load(runs, **reading).source
    return {name: [SystemPart(source, name)] for name in natural_order(_systems_in(source))}


def _systems_in(source: Any) -> list[str]:
    return sorted({part.key[0] for part in source.slices(())})


def _system_of_runs(
    runs: Mapping[str, list[SystemPart]], system: str | None
) -> dict[str, SystemPart]:
    """The system of each run."""
    require_text(system=system)
    chosen = {}
    for run, parts in runs.items():
        there = {part.system: part for part in parts}
        listed = some_of(map(repr, there), _MOST_NAMED)
        if system is None and len(parts) > 1:
            option = way_to_say("--system NAME", "system='…'")
            raise InputError(f"the run {run!r} has several systems: {listed}. Give {option}.")
        if system is not None and len(parts) > 1 and system not in there:
            raise InputError(f"the run {run!r} has no system {system!r}; it has: {listed}.")
        chosen[run] = there[system] if system in there else parts[0]
    return chosen


def _table_of(path: Path, table: str | None, opened: ExitStack) -> Any:
    """The table of a DuckDB file, opened for reading."""
    import duckdb  # noqa: PLC0415  loaded when first needed

    try:
        connection = opened.enter_context(open_database(path))
        there = [name for (name,) in connection.execute("SHOW TABLES").fetchall()]
    except duckdb.Error as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{path} cannot be read as a DuckDB file ({reason}).") from error
    listed = ", ".join(map(repr, there)) or "none"
    chosen = there if table is None else [name for name in there if name == table]
    if len(chosen) != 1:
        option = way_to_say("--table", "table=")
        raise InputError(f"{path} has these tables: {listed}. Choose one with {option}.")
    return connection.table(chosen[0])


def _stem(entry: Path) -> str:
    """The name of a run: that of its folder, or of its file without its endings."""
    return entry.name if entry.is_dir() else without_endings(entry)
