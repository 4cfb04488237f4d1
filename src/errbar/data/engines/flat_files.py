"""CSV, JSON lines and Parquet files, compressed or not, as DuckDB relations.

Columns of CSV and JSON files are read as text, so an id of 007 stays 007. DuckDB streams the data
and spills to disk what does not fit in memory.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import reduce
from itertools import islice
from pathlib import Path
from typing import Any

from errbar.base.remarks import Above
from errbar.data.columns import INDEX, USUAL
from errbar.data.engines.duckdb import (
    Query,
    Schema,
    copy_rows,
    literal_path,
    plain_errors,
    quoted,
    require_shallow,
    text_literal,
)
from errbar.data.queries.expressions import FILE, HIDDEN
from errbar.data.readers.file_content import LONGEST_LINE, raw_lines, require_no_hole, text_lines
from errbar.data.readers.file_formats import CSV, JSON, PARQUET
from errbar.data.readers.finding import whole_file
from errbar.data.readers.tables.stray_lines import (
    above_remarks,
    levels_of,
    lines_above,
    separator_in,
    without_end,
)
from errbar.errors import InputError

_PARSED_ONCE = 1 << 24  # bytes of text files that are copied into the engine
_TAIL = 1 << 12  # bytes at the end of a file that may be notes
_PACKED = 10  # the text of a compressed file is at least this many times as long
_WHOLLY_SNIFFED, _SNIFFED_LINES = 1 << 28, 20_000  # bytes and lines searched for JSON keys
_NUMBERS = {"BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "FLOAT", "DOUBLE", "HUGEINT"}
# DuckDB's name for a key that differs from another only in case
_RENAMED = re.compile(r".+_\d+", re.DOTALL)
_OBJECTS = 'every line must be an object, as in {"question": 1, "outcome": 0}'


@dataclass(frozen=True)
class Relation:
    """Rows of files with the same columns."""

    rows: Query  # with the column FILE if `apart`
    files: tuple[Path, ...]
    apart: bool
    remarks: tuple[Above, ...] = ()

    @property
    def names(self) -> list[str]:
        """Columns of the files."""
        return [name for name in self.rows.columns if name != FILE]


def relations_of(engine: Any, kind: str, files: Sequence[Path], *, apart: bool) -> list[Relation]:
    """Relations of files of one kind; files with the same columns share a relation.

    With `apart`, a column FILE has the path of each row.
    """
    for file in files:
        if any("\ud800" <= letter <= "\udfff" for letter in str(file)):
            raise InputError(f"{file}: the name is not UTF-8, so it cannot be opened; rename it.")
    read = {PARQUET: _parquet, CSV: _csv, JSON: _json}[kind]
    relations = [
        replace(relation, rows=_without_hidden(relation)) for relation in read(engine, files, apart)
    ]
    if kind == PARQUET:
        return relations
    return [
        replace(relation, rows=copy_rows(relation.rows)) if _is_small(relation) else relation
        for relation in relations
    ]


def _is_small(relation: Relation) -> bool:
    """Whether the files are small enough to be parsed once instead of for every query."""
    sizes = (
        file.stat().st_size * (_PACKED if file.suffix in (".gz", ".zst") else 1)
        for file in relation.files
    )
    return sum(sizes) <= _PARSED_ONCE


def _without_hidden(relation: Relation) -> Query:
    """Drop columns of a file whose names are reserved by errbar."""
    own = {FILE} if relation.apart else set()
    shown = [name for name in relation.rows.columns if name not in HIDDEN - own]
    if len(shown) == len(relation.rows.columns):
        return relation.rows
    return relation.rows.project(", ".join(map(quoted, shown)))


def _parquet(engine: Any, files: Sequence[Path], apart: bool) -> Iterator[Relation]:
    groups: dict[tuple[str, ...], list[Path]] = {}
    for file in files:
        with plain_errors(str(file)):
            require_shallow(engine, file)
            names = tuple(sorted(_rows_of_parquet(engine, [file], False).columns))
        groups.setdefault(names, []).append(file)
    for group in groups.values():
        yield Relation(_rows_of_parquet(engine, group, apart), tuple(group), apart)


def _rows_of_parquet(engine: Any, files: Sequence[Path], apart: bool) -> Query:
    """Rows with the hive partition columns; system=007 stays text.

    Parquet leaves NaN out of its min/max statistics, from which DuckDB would conclude that there
    is none.
    """
    return Query(
        engine,
        f"FROM read_parquet({_list_of(files)}, union_by_name=true, hive_types_autocast=false, "
        f"can_have_nan=true{_with_file(apart)})",
    )


def _list_of(files: Sequence[Path]) -> str:
    """SQL: a list of paths."""
    return f"[{', '.join(text_literal(literal_path(file)) for file in files)}]"


def _with_file(apart: bool) -> str:
    """SQL: the option of a reader that adds the path of each row."""
    return f", filename={text_literal(FILE)}" if apart else ""


def _texts(names: Sequence[str]) -> str:
    """SQL: columns of texts."""
    return f"{{{', '.join(f'{text_literal(name)}: {_TEXT}' for name in names)}}}"


_TEXT = "'VARCHAR'"


def _texts_in(files: Sequence[Path], names: Sequence[str], apart: bool) -> Schema | None:
    """Columns of text files; None if folders such as model=adder add columns."""
    if any("=" in folder for file in files for folder in file.parent.parts):
        return None
    return dict.fromkeys([*names, *([FILE] if apart else [])], "VARCHAR")


def _json(engine: Any, files: Sequence[Path], apart: bool) -> Iterator[Relation]:
    groups: dict[tuple[str, ...], list[Path]] = {}
    for file in files:
        first = _first_line(file).strip()
        if not first.startswith("{"):
            raise InputError(f"{file}: {_OBJECTS}; the first is {first[:40]!r}.")
        keys = _keys(engine, file)
        if keys == ["json"]:  # DuckDB's column name if not all lines are objects
            _require_objects(file)
        groups.setdefault(tuple(keys), []).append(file)
    for names, group in groups.items():
        text = (
            f"FROM read_json({_list_of(group)}, format='newline_delimited', "
            f"columns={_texts(names)}{_with_file(apart)})"
        )
        rows = Query(engine, text, _texts_in(group, names, apart))
        yield Relation(rows, tuple(group), apart)


def _require_objects(file: Path) -> None:
    """Raise an error for the first line that is not an object."""
    for at, raw in enumerate(raw_lines(file), start=1):
        line = raw.decode("utf-8-sig").strip()
        if line and not line.startswith("{"):
            raise InputError(f"{file}, line {at}: {_OBJECTS}; this is {line[:40]!r}.")


def _keys(engine: Any, file: Path) -> list[str]:
    """Keys of a JSON file; `status` is always included, even if no sampled line has it."""
    whole = file.stat().st_size <= _WHOLLY_SNIFFED
    settings: dict[str, Any] = {
        "format": "newline_delimited",
        "sample_size": -1 if whole else _SNIFFED_LINES,
        "map_inference_threshold": -1,
        "maximum_depth": 1,  # names only; to tell the types of texts takes as long again
    }
    options = ", ".join(f"{option}={value!r}" for option, value in settings.items())
    path = text_literal(literal_path(file))
    described = engine.execute(f"DESCRIBE SELECT * FROM read_json({path}, {options})").fetchall()
    names: list[str] = [name for name, *_ in described]
    # a relation would scan twice, and reject duplicate names
    if any(map(_RENAMED.fullmatch, names)):
        names = engine.read_json(literal_path(file), **settings).columns
    known = {"status", *USUAL["status"]} & {name.lower() for name in names}
    return names if whole or known else [*names, "status"]


def _csv(engine: Any, files: Sequence[Path], apart: bool) -> Iterator[Relation]:
    """Relations of CSV files; of the dialect, only the separator is guessed."""
    groups: dict[Dialect, list[Path]] = {}
    for file in files:
        require_no_hole(file)
        groups.setdefault(dialect_of(file), []).append(file)
    for dialect, group in groups.items():
        text = (
            f"FROM read_csv({_list_of(group)}, header={not dialect.cut}, "
            f"skip={dialect.above + dialect.lines - (not dialect.cut)}, auto_detect=false, "
            f"sep={text_literal(dialect.mark)}, quote='\"', escape='\"', strict_mode=true, "
            f"null_padding={dialect.has_notes}, max_line_size={LONGEST_LINE}, "
            f"columns={_texts(dialect.names)}{_with_file(apart)})"
        )
        rows = Query(engine, text, _texts_in(group, dialect.names, apart))
        remarks = tuple(note for file in group for note in above_remarks(file, dialect.above))
        yield Relation(rows, tuple(group), apart, remarks)


@dataclass(frozen=True)
class Dialect:
    """Dialect of a CSV file."""

    _: KW_ONLY
    mark: str  # separator of cells
    names: tuple[str, ...]  # column names
    cut: int  # surplus cells of the first line
    above: int  # lines above the header: comments, blank lines, and "sep=;" of Excel
    has_notes: bool  # whether the last lines have too few cells
    lines: int = 1  # of the header, which has several levels where pandas writes them


def dialect_of(file: Path) -> Dialect:
    """Separator of a CSV file, and the column names in its first line."""
    above = lines_above(file)
    head = _header_of(file, above)
    mark = "\t" if ".tsv" in file.suffixes else separator_in(head, ",;\t|")
    cells = [name.strip() for name in _cells(head, mark, file)]
    if not any(name.strip() for name in cells):
        raise InputError(f"{file}: the first line must name the columns; it is empty.")
    names = [name or (INDEX if at == 0 else f"(unnamed {at + 1})") for at, name in enumerate(cells)]
    twice = [name for name, n in Counter(names).items() if n > 1]
    if twice and (levels := levels_of(file, above, mark)):
        names, lines = levels
        notes = _ends_in_notes(file, len(names), mark, above + lines - 1)
        named = tuple(names)
        return Dialect(mark=mark, names=named, cut=0, above=above, has_notes=notes, lines=lines)
    if twice:
        raise InputError(
            f"{file}: two columns are named {twice[0]!r}; rename one. If the header has several "
            f"lines, as pandas writes levels of columns, join them first, as in "
            f"frame.columns = ['_'.join(map(str, name)) for name in frame.columns]."
        )
    cut = _beyond_rows(file, cells, mark, above)
    names = names[: len(names) - cut]
    notes = _ends_in_notes(file, len(names), mark, above)
    return Dialect(mark=mark, names=tuple(names), cut=cut, above=above, has_notes=notes)


def _ends_in_notes(file: Path, width: int, mark: str, above: int) -> bool:
    """Whether lines with a single cell follow the last row, and no other line is too short."""
    if width < 2 or file.suffix in (".gz", ".zst") or file.stat().st_size > _PARSED_ONCE:
        return False
    if (tail := whole_file(file)) is None:
        with file.open("rb") as raw:
            raw.seek(-min(_TAIL, file.stat().st_size), 2)
            tail = raw.read()
    last = tail[-_TAIL:].rstrip().rpartition(b"\n")[2].decode(errors="replace")
    if len(_cells(last, mark, file)) != 1:
        return False
    lines = csv.reader(islice(text_lines(file), above + 1, None), delimiter=mark)
    try:
        sizes = [len(cells) for cells in lines if any(map(str.strip, cells))]
    except csv.Error:
        return False
    notes = next((at for at, size in enumerate(sizes) if size == 1), len(sizes))
    return 0 < notes < len(sizes) and {*sizes[:notes]} == {width} and {*sizes[notes:]} == {1}


def _first_below(file: Path, above: int) -> str | None:
    """The first line below the header that is not blank; None if it goes on in the next."""
    lines = islice(text_lines(file), above + 1, None)
    second = next((line for line in lines if line.strip()), None)
    return second if second is not None and second.count('"') % 2 == 0 else None


def _beyond_rows(file: Path, head: Sequence[str], mark: str, above: int) -> int:
    """Number of unnamed cells at the end of the first line that the second line lacks."""
    unnamed = len(head) - len(list(without_end(head)))
    if not unnamed or "\n" in "".join(head):
        return 0
    second = _first_below(file, above)
    if second is None:
        return 0
    beyond = len(head) - len(_cells(second, mark, file))
    return beyond if 0 < beyond <= unnamed else 0


def _cells(line: str, mark: str, file: Path) -> list[str]:
    try:
        return next(csv.reader(io.StringIO(line, newline=""), delimiter=mark), [])
    except csv.Error as error:
        raise InputError(f"{file}, line 1: cannot read the column names ({error}).") from error


def _header_of(file: Path, above: int = 0) -> str:
    """The first line below the first `above` lines, continued while a quotation mark is open."""
    head = ""
    for line in islice(text_lines(file), above, None):
        head += line
        if head.count('"') % 2 == 0 or len(head) > LONGEST_LINE:
            break
    return head


def union_of_rows(parts: Sequence[Query]) -> Query:
    """Union of relations by column name; a missing column is null.

    Columns of the same name but different types become text.
    """
    kinds: dict[str, set[str]] = {}
    for part in parts:
        for name, kind in part.schema.items():
            kinds.setdefault(name, set()).add(kind)
    first, *others = (
        part.project(", ".join(_column(name, part.columns, kinds[name]) for name in kinds))
        for part in parts
    )
    return reduce(Query.union, others, first)


def _column(name: str, present: Sequence[str], kinds: set[str]) -> str:
    kind = next(iter(kinds)) if len(kinds) == 1 else "VARCHAR"
    if len(kinds) > 1 and kinds <= _NUMBERS:
        kind = "DOUBLE"
    value = quoted(name) if name in present else "NULL"
    if name in present and len(kinds) == 1:
        return value
    return f"CAST({value} AS {kind}) AS {quoted(name)}"


def _first_line(file: Path) -> str:
    """The first line that is not blank."""
    return next(line for line in text_lines(file) if line.strip())
