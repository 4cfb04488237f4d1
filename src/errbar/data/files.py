"""Files of outcomes, read by DuckDB: CSV, JSON lines and Parquet, compressed, many at once.

Text stays text: every column of a CSV or JSON file is read as it is written, and only what must be
a number is turned into one, so an id of 007 stays 007. DuckDB streams, and spills to disk what
does not fit the memory it may use.
"""

from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Any

import duckdb
import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from errbar.data.outcomes import USUAL, USUAL_COUNTS, Columns, are_counts, find_columns
from errbar.data.tabulate import STRANGE, TRIAL_NUMBER, Frame, fetch, require_numbers
from errbar.errors import InputError

CSV, JSON, PARQUET = "CSV", "JSON lines", "Parquet"
_KINDS = {
    ".csv": CSV,
    ".tsv": CSV,
    ".jsonl": JSON,
    ".ndjson": JSON,
    ".json": JSON,
    ".parquet": PARQUET,
    ".pq": PARQUET,
}
_COMPRESSED = (".gz", ".zst", ".bz2")
NOTHING = ("", "null", "none", "nan", "na", "n/a")
WORDS = {"true": "1", "false": "0", "yes": "1", "no": "0"}


def find_files(path: str | Path) -> list[Path]:
    """The files that a path, a pattern or a directory stands for, in order."""
    text = str(path)
    place = Path(text)
    if place.is_dir():
        found = sorted(file for file in place.rglob("*") if file.is_file() and kind_of(file))
        if not found:
            endings = ", ".join(_KINDS)
            raise InputError(f"{text}: no file there ends in {endings}.")
        return found
    if place.is_file():
        return [place]
    if any(letter in text for letter in "*?["):
        anchor = Path(place.anchor) if place.is_absolute() else Path()
        pattern = str(place.relative_to(anchor)) if place.is_absolute() else text
        found = sorted(file for file in anchor.glob(pattern) if file.is_file())
        if found:
            return found
        raise InputError(f"{text}: no file matches this pattern.")
    raise InputError(f"{text}: there is no such file or directory.")


def kind_of(file: PurePath) -> str | None:
    """What the ending of a file says it is."""
    suffixes = [suffix.lower() for suffix in file.suffixes]
    while suffixes and suffixes[-1] in _COMPRESSED:
        suffixes.pop()
    return _KINDS.get(suffixes[-1]) if suffixes else None


def read_files(
    files: Sequence[Path], told: dict[str, str], connection: Any = None
) -> tuple[Frame, Columns]:
    """Files of one kind as one table, and which column holds what."""
    kinds = {kind_of(file) for file in files}
    if None in kinds or len(kinds) > 1:
        strange = next((file for file in files if kind_of(file) is None), files[-1])
        raise InputError(
            f"{strange}: files are read together that all end in .csv, in .jsonl or in .parquet."
        )
    engine = connection or duckdb.connect()
    names = [str(file) for file in files]
    for file in files:
        if file.stat().st_size == 0:
            raise InputError(f"{file} is empty.")
    try:
        relation = _relation(engine, kinds.pop() or CSV, names)
        counts = are_counts(relation.columns, told)
        columns = find_columns(relation.columns, told, USUAL_COUNTS if counts else USUAL)
        if counts:
            return nw.from_native(_counts_of_text(relation, columns)).lazy(), columns
        if "VARCHAR" in {str(kind) for kind in relation.types}:
            relation, columns = _numbers_of_text(relation, columns)
    except (duckdb.Error, UnicodeDecodeError) as error:
        raise InputError(_first_words(names, error)) from error
    return nw.from_native(relation).lazy(), columns


def _relation(engine: Any, kind: str, names: list[str]) -> Any:
    if kind == PARQUET:
        return engine.read_parquet(names, union_by_name=True)
    if kind == JSON:
        sniffed = engine.read_json(names, format="newline_delimited", union_by_name=True)
        as_text = dict.fromkeys(sniffed.columns, "VARCHAR")
        return engine.read_json(names, format="newline_delimited", columns=as_text)
    return engine.read_csv(names, header=True, all_varchar=True, union_by_name=True)


def _numbers_of_text(relation: Any, columns: Columns) -> tuple[Any, Columns]:
    """The outcome and the trial as numbers, where they were read as text."""
    kinds = dict(zip(relation.columns, map(str, relation.types), strict=True))
    parts = [_quoted(name) for name in relation.columns if name != columns["outcome"]]
    outcome = columns["outcome"]
    if kinds[outcome] == "VARCHAR":
        parts.append(f"{_as_number(outcome)} AS {_quoted(outcome)}")
        parts.append(f"{_strange(outcome)} AS {_quoted(STRANGE)}")
    else:
        parts.append(_quoted(outcome))
    if "confidence" in columns and kinds[columns["confidence"]] == "VARCHAR":
        sure = _quoted(columns["confidence"])
        parts.remove(sure)
        parts.append(f"TRY_CAST({sure} AS DOUBLE) AS {sure}")
    if "trial" in columns and kinds[columns["trial"]] == "VARCHAR":
        parts.append(f"TRY_CAST({_quoted(columns['trial'])} AS BIGINT) AS {_quoted(TRIAL_NUMBER)}")
    return relation.project(", ".join(parts)), columns


def _counts_of_text(relation: Any, columns: Columns) -> Any:
    """Numbers of trials and of right ones, where they were read as text."""
    numbers = [columns["trials"], columns["correct"]]
    parts = [_quoted(name) for name in relation.columns if name not in numbers]
    parts += [f"TRY_CAST({_quoted(name)} AS DOUBLE) AS {_quoted(name)}" for name in numbers]
    return relation.project(", ".join(parts))


def read_matrix(file: Path) -> NDArray[Any] | None:
    """A CSV file of numbers alone, a row per question; None if its first line has a name."""
    if kind_of(file) != CSV or file.suffix.lower() in _COMPRESSED:
        return None
    with file.open(encoding="utf-8-sig", errors="replace") as lines:
        first = lines.readline(1 << 20)
    separator = next((mark for mark in ",;\t" if mark in first), " ")
    try:
        for cell in first.strip().split(separator):
            float(cell or "nan")
        if separator not in first:
            return None
        return np.genfromtxt(file, delimiter=separator, encoding="utf-8-sig", ndmin=2)
    except ValueError as error:
        if "Some errors" in str(error):
            raise InputError(f"{file}: {str(error).splitlines()[-1].strip()}.") from error
        return None


def _as_number(name: str) -> str:
    text = f"lower(trim({_quoted(name)}))"
    words = " ".join(f"WHEN {text} = '{word}' THEN {value}" for word, value in WORDS.items())
    return f"CASE {words} ELSE TRY_CAST({text} AS DOUBLE) END"


def _strange(name: str) -> str:
    """The text where it is neither a number nor a word for one nor for nothing."""
    text = f"lower(trim({_quoted(name)}))"
    nothing = ", ".join(f"'{word}'" for word in NOTHING)
    return (
        f"CASE WHEN {text} IN ({nothing}) OR {_as_number(name)} IS NOT NULL THEN NULL "
        f"ELSE {_quoted(name)} END"
    )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _first_words(names: list[str], error: Exception) -> str:
    text = str(error).strip()
    first = text.split("\n", maxsplit=1)[0]
    where = "" if any(name in first for name in names) else f"{names[0]}: "
    more = next((line.strip() for line in text.split("\n") if "Line:" in line), "")
    return f"{where}{first} {more}".strip()


def convert_files(path: str | Path, target: str | Path, told: dict[str, str]) -> int:
    """Write outcomes under their own column names, whole or not at all; how many rows."""
    place = Path(target)
    kind = kind_of(place)
    if kind is None:
        raise InputError(f"{target}: write to a file that ends in .parquet, .csv or .jsonl.")
    frame, columns = read_files(find_files(path), told)
    require_numbers(frame, columns["outcome"])
    renamed = {name: meaning for meaning, name in columns.named.items()}
    kept = [name for name in frame.collect_schema().names() if name not in (STRANGE, TRIAL_NUMBER)]
    relation = nw.to_native(frame.select(*kept).rename(renamed))
    beside = place.with_name(f".{place.name}.part{place.suffix}")
    try:
        if kind == PARQUET:
            relation.write_parquet(str(beside))
        elif kind == CSV:
            relation.write_csv(str(beside), sep="\t" if ".tsv" in place.suffixes else ",")
        else:
            relation.query("rows", f"COPY rows TO {_text(str(beside))} (FORMAT json)")
        beside.replace(place)
    except (duckdb.Error, OSError) as error:
        raise InputError(_first_words([str(target)], error)) from error
    finally:
        beside.unlink(missing_ok=True)
    return int(fetch(nw.from_native(relation).lazy().select(nw.len().alias("n")))["n"][0])


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
