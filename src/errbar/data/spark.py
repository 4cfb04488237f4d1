"""Files of outcomes read by Spark, for those that live where only a cluster can see them."""

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

import narwhals.stable.v2 as nw

from errbar.data.files import CSV, JSON, NOTHING, PARQUET, WORDS, kind_of
from errbar.data.outcomes import Columns, find_columns
from errbar.data.rows import STRANGE, TRIAL_NUMBER, Frame
from errbar.errors import InputError


def spark_session(master: str | None = None, remote: str | None = None) -> Any:
    """A session on a master, or at a remote address; the one that is there if neither is named."""
    try:
        from pyspark.sql import SparkSession  # noqa: PLC0415  an extra
    except ImportError as error:
        raise InputError("Spark is not installed: pip install 'errbar[spark]'.") from error
    builder = SparkSession.builder.appName("errbar")
    if remote:
        return builder.remote(remote).getOrCreate()
    quiet = builder.config("spark.ui.enabled", "false")
    return (quiet.master(master) if master else quiet).getOrCreate()


def read_with_spark(
    paths: Sequence[str], told: Mapping[str, str | None], session: Any
) -> tuple[Frame, Columns]:
    """Files of one kind as one table, and which column holds what."""
    kinds = {kind_of(PurePath(path)) or PARQUET for path in paths}
    if len(kinds) > 1:
        raise InputError("files are read together that are all CSV, all JSON lines or all Parquet.")
    kind = kinds.pop()
    reader = session.read
    try:
        if kind == CSV:
            table = reader.option("header", True).option("multiLine", True).csv(list(paths))
        elif kind == JSON:
            table = reader.option("primitivesAsString", True).json(list(paths))
        else:
            table = reader.parquet(*paths)
    except Exception as error:  # Spark's own errors have no common class over all its ways in
        raise InputError(f"{paths[0]}: {str(error).splitlines()[0]}") from error
    columns = find_columns(table.columns, told)
    return nw.from_native(_numbers_of_text(table, columns)).lazy(), columns


def _numbers_of_text(table: Any, columns: Columns) -> Any:
    """The outcome, the confidence and the trial as numbers, where they were read as text."""
    kinds = dict(table.dtypes)
    added = {}
    outcome = columns["outcome"]
    if kinds[outcome] == "string":
        text = f"lower(trim({_quoted(outcome)}))"
        words = " ".join(f"WHEN {text} = '{word}' THEN {value}D" for word, value in WORDS.items())
        nothing = ", ".join(f"'{word}'" for word in NOTHING)
        finite = f"coalesce(try_cast({text} AS double), double('infinity'))"
        number = (
            f"CASE {words} WHEN {text} IN ({nothing}) OR {text} IS NULL THEN NULL ELSE {finite} END"
        )
        added[STRANGE] = f"CASE WHEN abs({number}) = double('infinity') THEN {_quoted(outcome)} END"
        added[outcome] = number
    for meaning, name in (("confidence", None), ("trial", TRIAL_NUMBER)):
        if meaning in columns and kinds[columns[meaning]] == "string":
            kind = "double" if meaning == "confidence" else "int"
            added[name or columns[meaning]] = f"try_cast({_quoted(columns[meaning])} AS {kind})"
    kept = [_quoted(name) for name in table.columns if name not in added]
    return table.selectExpr(
        *kept, *(f"{expression} AS {_quoted(name)}" for name, expression in added.items())
    )


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
