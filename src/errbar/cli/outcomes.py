"""What the commands on outcomes do: load, call one function, and write it as asked."""

import csv
import io
import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from errbar.base.files import written_whole
from errbar.base.remarks import above, below
from errbar.base.tables import latex_table, markdown_table, printable, printable_json
from errbar.cli.group import Work, working
from errbar.data.columns import require_meaning
from errbar.data.readers.tables.column_choice import REQUIRED
from errbar.data.sources.tables import CountsTableSource, TableSource
from errbar.errors import InputError
from errbar.loading import load
from errbar.runs import Runs
from errbar.writers.every_eval_ever import write_every_eval_ever
from errbar.writers.outcomes import convert_table

if TYPE_CHECKING:
    from errbar.results.pictures.picture import Picture

Given = Mapping[str, Any]  # the options of a command
Paths = Sequence[str]


def score_outcomes(paths: Paths, given: Given) -> None:
    """Every metric that was asked for."""
    with working(f"errbar score {shown(paths)}") as work:
        scores = runs_of(paths, given, work).score(
            *names_in(given["metrics"]),
            errors=given["errors"],
            short=given["short"],
            estimand=given["estimand"],
            method=given["method"],
            level=given["level"],
            questions_in_all=given["questions_in_all"],
            audit=given["audit"],
            by=given["by"],
        )
    show(scores, given)


def overview_of_outcomes(paths: Paths, given: Given) -> None:
    """What a person wants first."""
    with working(f"errbar {shown(paths)}") as work:
        found = runs_of(paths, given, work).overview()
    show(found, given)


def curve_of_outcomes(paths: Paths, given: Given) -> None:
    """One metric at many k."""
    with working(f"errbar curve {shown(paths)}") as work:
        scores = runs_of(paths, given, work).curve(
            given["metric"],
            given["ks"] or None,
            errors=given["errors"],
            short=given["short"],
            estimand=given["estimand"],
            method=given["method"],
            level=given["level"],
            by=given["by"],
        )
    show(scores, given)


def inspect_outcomes(paths: Paths, given: Given) -> None:
    """What is there."""
    with working(f"errbar inspect {shown(paths)}") as work:
        found = runs_of(paths, given, work).inspect()
    show(found, given)


def convert_outcomes(paths: Paths, target: str, given: Given) -> None:
    """The same outcomes under our own column names, or in the schema of others."""
    if given["engine"] == "spark":
        raise InputError("convert writes files by DuckDB; leave out --engine spark.")
    with working(f"errbar convert {shown(paths)}") as work:
        runs = runs_of(paths, given, work)
        if given["schema"] == "every_eval_ever":
            said = str(write_every_eval_ever(runs, target))
        else:
            source = runs.source
            if not isinstance(source, TableSource | CountsTableSource):
                raise InputError(f"{shown(paths)}: a matrix has no columns to convert.")
            rows = convert_table(source.frame, source.columns, target, shown(paths))
            said = f"{rows:,} rows."
    click.echo(printable(f"{target}: {said}"))
    _tell(runs.source.origin.notes())


def runs_of(paths: Paths, given: Given, work: Work) -> Runs:
    """Outcomes at paths, with columns as told, read by the engine that was asked for."""
    session = None
    if given["engine"] == "spark":
        from errbar.data.engines.spark import spark_session  # noqa: PLC0415  an extra

        session = spark_session(given["master"], given["remote"])
    elif given["master"] or given["remote"]:
        raise InputError("--master and --spark-remote are for --engine spark.")
    told: dict[str, Any] = {**columns_in(given["mapping"])}
    connection = work.connection() if session is None else None
    return load(
        list(paths) if len(paths) > 1 else paths[0],
        repeats=given["repeats"],
        reader=given["reader"],
        scorer=given["scorer"],
        filter=given["filter"],
        signal=given["signal"],
        files=given["files"],
        rows=given["rows"],
        keys=given["keys"],
        right=given["right"],
        connection=connection,
        spark=session,
        **told,
    )


def shown(paths: Paths) -> str:
    """What a message calls them."""
    return paths[0] if len(paths) == 1 else f"{paths[0]} …"


def columns_in(mapping: Sequence[str]) -> dict[str, str | None]:
    """Columns as told: question=task_id, or cluster= for none."""
    columns: dict[str, str | None] = {}
    for one in mapping:
        meaning, equals, name = one.partition("=")
        if not equals or not meaning or (not name and meaning in REQUIRED):
            raise InputError(f"--map {one!r} must be written meaning=column, as question=task_id.")
        if meaning in columns:
            raise InputError(f"--map says twice which column is {meaning}.")
        require_meaning(meaning)
        columns[meaning] = name or None
    return columns


def names_in(lists: Sequence[str]) -> list[str]:
    """Names given one by one or in comma lists; commas within brackets belong to a name.

    Examples
    --------
    >>> names_in(["pass@1,pass@8", "avg(weights=[0, 1])"])
    ['pass@1', 'pass@8', 'avg(weights=[0, 1])']
    """
    names = []
    for text in lists:
        depth, start = 0, 0
        for at, letter in enumerate(f"{text},"):
            depth += (letter in "([") - (letter in ")]")
            if letter == "," and not depth:
                names.append(text[start:at].strip())
                start = at + 1
        if depth:
            names.append(text[start:].strip())
    return [name for name in names if name]


def written(result: Any, style: str) -> str:
    """A result that has `columns`, `notes` and `to_dicts`, as text."""
    if style == "json":
        records = [{k: _plain(v) for k, v in row.items()} for row in result.to_dicts()]
        notes = result.notes()
        whole = {"guesses": above(notes), "rows": records, "notes": below(notes)}
        return printable_json(json.dumps(whole, indent=2, ensure_ascii=False))
    if style == "csv":
        rows = result.to_dicts()
        out = io.StringIO()
        writer = csv.DictWriter(out, list(rows[0]) if rows else [], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return out.getvalue().rstrip("\n")
    if style == "markdown":
        notes = result.notes()
        return markdown_table(result.columns(), below(notes), above(notes))
    if style == "latex":
        notes = result.notes()
        return latex_table(result.columns(), below(notes), above(notes))
    return str(result)


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def show(result: Any, given: Given, picture: "Picture | None" = None) -> None:
    """A result as asked for; a table on a terminal is fitted to it. Then its picture."""
    if given["style"] == "table" and not given["output"] and sys.stdout.isatty():
        from errbar.cli.terminal import print_parts  # noqa: PLC0415  loads rich

        print_parts(result.parts())
    else:
        put(written(result, given["style"]), given)
    if given["style"] == "csv":  # which has no place for them
        notes = result.notes()
        _tell([*above(notes), *below(notes)])
    if given.get("plot"):
        (picture or result.plot()).save(given["plot"])


def _tell(notes: Iterable[str]) -> None:
    """On stderr, what the output has no place for."""
    for note in notes:
        click.echo(printable(note), err=True)


def put(text: str, given: Given) -> None:
    """Print, or write to the file that was asked for."""
    if given["output"]:
        save(text, given["output"])
    else:
        click.echo(text, nl=False, color=True)  # else click takes colours out of ids
        click.echo()  # apart: where PYTHONUNBUFFERED is set, a text that is cut short is no error


def save(text: str, path: str) -> None:
    """Write a file whole or not at all."""
    with written_whole(path) as beside:
        beside.write_text(f"{text}\n", encoding="utf-8")
