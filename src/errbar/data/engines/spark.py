"""Read files of outcomes with Spark, for files that only a cluster can access."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

import narwhals.stable.v2 as nw

from errbar.base.remarks import Above
from errbar.data.engines.duckdb import text_literal
from errbar.data.outcome_words import NO_OUTCOME, NOTHING, WORDS, in_order, words_remark
from errbar.data.queries.expressions import STRANGE, TRIAL_NUMBER, Columns, Frame
from errbar.data.readers.choices import HowToRead
from errbar.data.readers.file_formats import CSV, JSON, PARQUET, kind_of
from errbar.data.readers.logs import unchecked
from errbar.data.readers.tables.column_choice import find_columns
from errbar.data.readers.tables.naming import name_systems
from errbar.data.readers.tables.statuses import with_usual_statuses_in
from errbar.errors import InputError, MissingExtra, WrongType


def spark_session(master: str | None = None, remote: str | None = None) -> Any:
    """Spark session on a master or at a remote address; the active session if neither is given."""
    try:
        from pyspark.sql import SparkSession  # noqa: PLC0415  an extra
    except ImportError as error:
        raise MissingExtra("Spark is not installed: pip install 'errbar[spark]'.") from error
    builder = SparkSession.builder.appName("errbar")
    if remote:
        return builder.remote(remote).getOrCreate()
    quiet = builder.config("spark.ui.enabled", "false")
    return (quiet.master(master) if master else quiet).getOrCreate()


def read_with_spark(
    paths: Sequence[str], how: HowToRead, session: Any
) -> tuple[Frame, Columns, list[Above]]:
    """Read files of one kind as one table; returns it with its columns and remarks."""
    if how.rows == "questions":
        raise InputError("rows in Spark have no order, so they cannot be numbered.")
    if not paths:
        raise WrongType("Spark reads files; pass a path, or a list of paths.")
    kinds = {kind_of(PurePath(path)) or PARQUET for path in paths}
    if len(kinds) > 1:
        raise InputError("all files must be of the same kind: CSV, JSON lines or Parquet.")
    kind = kinds.pop()
    if not hasattr(session, "read"):
        raise WrongType(f"spark is a Spark session; got {type(session).__name__}.")
    reader = session.read
    try:
        if kind == CSV:
            table = reader.option("header", True).option("multiLine", True).csv(list(paths))
        elif kind == JSON:
            table = reader.option("primitivesAsString", True).json(list(paths))
        else:
            table = reader.parquet(*paths)
    except Exception as error:  # Spark's errors have no common base class
        raise InputError(f"{paths[0]}: {str(error).splitlines()[0]}") from error
    columns = find_columns(table.columns, how.assignment)
    table, remarks = _numbers_of_text(table, columns, how.right)
    remarks = [unchecked("The table is in Spark"), *remarks]
    if len(paths) > 1 and "system" not in columns and "system" not in how.assignment:
        table, columns, named = _add_system_from_path(table, columns, paths, how)
        remarks += named
    frame, statuses = with_usual_statuses_in(nw.from_native(table).lazy(), columns, how.assignment)
    return frame, columns, [*remarks, *statuses]


def _add_system_from_path(
    table: Any, columns: Columns, paths: Sequence[str], how: HowToRead
) -> tuple[Any, Columns, list[Above]]:
    """Add a system column from the path of each row."""
    naming = name_systems([Path(path) for path in paths], files_are=how.files)
    pairs = zip(paths, naming.systems, strict=True)
    longest_first = sorted(pairs, key=lambda pair: -len(pair[0]))
    cases = " ".join(
        f"WHEN contains(input_file_name(), {text_literal(quote(path))}) THEN {text_literal(name)}"
        for path, name in longest_first
    )
    named = MappingProxyType({"system": "system", **columns.named})
    columns = replace(columns, named=named, beside=())
    return table.selectExpr("*", f"CASE {cases} END AS system"), columns, naming.remarks


def _numbers_of_text(table: Any, columns: Columns, right: Sequence[str]) -> tuple[Any, list[Above]]:
    """Convert outcome, confidence and trial to numbers where they were read as text."""
    kinds = dict(table.dtypes)
    added = {}
    remarks: list[Above] = []
    outcome = columns["outcome"]
    if right:
        text = f"lower(trim(cast({_quote(outcome)} AS string)))"
        nothing = ", ".join(map(text_literal, NOTHING))
        words = ", ".join(text_literal(word.strip().lower()) for word in right)
        added[outcome] = (
            f"CASE WHEN {text} IS NULL OR {text} IN ({nothing}) THEN NULL WHEN {text} IN ({words}) "
            f"THEN 1D ELSE 0D END"
        )
    elif kinds[outcome] == "string":
        text = f"lower(trim({_quote(outcome)}))"
        nothing = ", ".join(map(text_literal, NO_OUTCOME))
        remarks = words_remark(_counted_words(table, text), WORDS)
        words = " ".join(
            f"WHEN {text} = {text_literal(word)} THEN {worth:g}D" for word, worth in WORDS.items()
        )
        plain = f"try_cast({text} AS double)"
        share = f"try_cast(rtrim('% ', {text}) AS double) / 100"
        finite = f"CASE WHEN endswith({text}, '%') THEN {share} ELSE {plain} END"
        finite = f"coalesce({finite}, double('infinity'))"
        number = (
            f"CASE {words} WHEN {text} IN ({nothing}) OR {text} IS NULL THEN NULL ELSE {finite} END"
        )
        added[STRANGE] = f"CASE WHEN abs({number}) = double('infinity') THEN {_quote(outcome)} END"
        added[outcome] = number
    for meaning, name in (("confidence", None), ("trial", TRIAL_NUMBER)):
        if meaning in columns and kinds[columns[meaning]] == "string":
            kind = "double" if meaning == "confidence" else "int"
            added[name or columns[meaning]] = f"try_cast({_quote(columns[meaning])} AS {kind})"
    kept = [_quote(name) for name in table.columns if name not in added]
    shown = (f"{expression} AS {_quote(name)}" for name, expression in added.items())
    return table.selectExpr(*kept, *shown), remarks


def _counted_words(table: Any, text: str) -> dict[str, int]:
    """Number of rows per known outcome word."""
    known = ", ".join(text_literal(word) for word in WORDS)
    words = table.selectExpr(f"{text} AS word").where(f"word IN ({known})")
    return in_order((row["word"], row["count"]) for row in words.groupBy("word").count().collect())


def _quote(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
