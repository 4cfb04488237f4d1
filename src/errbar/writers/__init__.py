"""Writers of outcomes: a table with errbar's column names, or the schema of another project.

- `every_eval_ever`: the schema of Every Eval Ever; `dataset`: a folder for the Hugging Face Hub.
"""

from pathlib import Path

import narwhals.stable.v2 as nw

from errbar.base.files import atomic_file
from errbar.data.engines.duckdb import plain_errors, text_literal
from errbar.data.queries.count_tables import slices_of_counts
from errbar.data.queries.expressions import HIDDEN, Columns, Frame, require_numbers
from errbar.data.readers.file_formats import COMPRESSED, CSV, JSON, PARQUET, kind_of
from errbar.data.sources.tables import CountsTableSource, TableSource
from errbar.errors import InputError
from errbar.runs import Runs

_WRITTEN = {PARQUET: "FORMAT parquet", CSV: "FORMAT csv, HEADER", JSON: "FORMAT json"}


def write_outcomes(runs: Runs, target: str | Path, path: str) -> int:
    """Write all outcomes to a file atomically, and return the number of rows.

    The target may be the source itself.
    """
    source = runs.source
    if not isinstance(source, TableSource | CountsTableSource):
        raise InputError(f"{path}: a matrix has no columns to convert.")
    return _write_table(source.frame, source.columns, target, path)


def _write_table(frame: Frame, columns: Columns, target: str | Path, path: str) -> int:
    kind = kind_of(Path(target))
    packed = Path(target).suffix.lower() in COMPRESSED
    if kind not in _WRITTEN or (kind == PARQUET and packed):  # Parquet is compressed within
        raise InputError(f"{target}: write to a file that ends in .parquet, .csv or .jsonl.")
    renamed = {name: meaning for meaning, name in columns.named.items()}
    hidden = HIDDEN - {*columns.named.values()}
    kept = [name for name in frame.collect_schema().names() if name not in hidden]
    clashes = [name for name in kept if name in columns.named and name not in renamed]
    if clashes:
        raise InputError(
            f"{path}: the column {clashes[0]!r} clashes with the column that is used as "
            f"{clashes[0]}; rename it."
        )
    with atomic_file(target) as beside:
        with plain_errors(path):
            if "outcome" in columns:
                require_numbers(frame, columns["outcome"])
            else:
                slices_of_counts(frame, columns, allow_repeats=True)
        how = _WRITTEN[kind]
        if ".tsv" in Path(target).suffixes:
            how += ", DELIMITER '\t'"
        relation = nw.to_native(frame.select(*kept).rename(renamed))
        with plain_errors():
            # The temporary file exists already, so DuckDB need not write to another and rename it.
            copy = f"COPY rows TO {text_literal(str(beside))} ({how}, USE_TMP_FILE false)"
            ((rows,),) = relation.query("rows", copy).fetchall()
    return int(rows)
