"""Files of outcomes, read by DuckDB: CSV, JSON lines and Parquet, compressed, many at once.

Text stays text: every column of a CSV or JSON file is read as it is written, and only what must be
a number is turned into one, so an id of 007 stays 007. DuckDB streams, and spills to disk what
does not fit the memory it may use.
"""

import csv
import gzip
import io
import math
import re
import zlib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from errbar.data.engine import own_engine
from errbar.data.engine_errors import plain_errors
from errbar.data.outcomes import REQUIRED, USUAL, USUAL_COUNTS, Columns, are_counts, find_columns
from errbar.data.rows import STRANGE, TRIAL_NUMBER, Frame
from errbar.errors import InputError, NotThere, UnknownColumn

Paths = str | Path | Sequence[str | Path]

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
_COMPRESSED = (".gz", ".zst")
_LONGEST_LINE = 1 << 24  # with a longer one DuckDB reads a file by one thread alone
_WHOLLY_SNIFFED, _SNIFFED_LINES = 1 << 28, 20_000  # bytes and lines looked at for JSON keys
_OBJECTS = 'every line must be an object, as in {"question": 1, "outcome": 0}'
NOTHING = ("", "null", "none", "nan", "na", "n/a")
WORDS = {"true": "1", "false": "0", "yes": "1", "no": "0"}


def find_files(paths: Paths, *, of_any_kind: bool = False) -> list[Path]:
    """The files that paths, patterns or directories stand for, in order.

    Of a directory, those that end as tables do, or all that are not hidden.
    """
    each = [paths] if isinstance(paths, str | Path) else paths
    found = (file for path in each for file in _files_of(path, of_any_kind))
    return list(dict.fromkeys(found))


def _files_of(path: str | Path, of_any_kind: bool) -> list[Path]:
    text = str(path)
    place = Path(text)
    if place.is_dir():
        files = (file for file in place.rglob("*") if file.is_file())
        if of_any_kind:
            return sorted(one for one in files if not one.name.startswith("."))
        found = sorted(file for file in files if kind_of(file))
        if not found:
            endings = ", ".join(_KINDS)
            raise InputError(
                f"{text}: there is no log of a harness, and no file that ends in {endings}."
            )
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
    files: Sequence[Path], told: Mapping[str, str | None], connection: Any = None
) -> tuple[Frame, Columns]:
    """Files of one kind as one table, and which column holds what."""
    kinds = {kind_of(file) for file in files}
    kind = kinds.pop()
    if kind is None or kinds:
        strange = next((file for file in files if kind_of(file) is None), files[-1])
        raise InputError(
            f"{strange}: it is no log of a harness, and tables are read that end in .csv, .jsonl "
            f"or .parquet; several at once must all be of one kind."
        )
    engine = connection or own_engine()
    with plain_errors(str(files[0])):
        relation, held = _RELATIONS[kind](engine, files)
        own = [_quoted(name) for name in relation.columns if name not in (STRANGE, TRIAL_NUMBER)]
        relation = relation.project(", ".join(own))
        counts = are_counts(relation.columns, told)
        columns = find_columns(relation.columns, told, USUAL_COUNTS if counts else USUAL)
        _require_in_each(columns, held)
        if counts:
            relation = _counts_of_text(relation, columns)
        elif "VARCHAR" in {str(one) for one in relation.types}:
            relation = _numbers_of_text(relation, columns)
        return nw.from_native(relation).lazy(), columns


def _require_in_each(columns: Columns, held: Mapping[Path, Collection[str]]) -> None:
    """Refuse a file among others that lacks what each must have."""
    needed = ("question", "correct") if "correct" in columns else REQUIRED
    for file, names in held.items():
        lacking = next((columns[one] for one in needed if columns[one] not in names), None)
        if lacking is not None:
            raise UnknownColumn(f"{file}: there is no column {lacking!r}, as in the other files.")


_Read = tuple[Any, dict[Path, Collection[str]]]  # one relation, and the columns of each file


def _parquet(engine: Any, files: Sequence[Path]) -> _Read:
    held = {file: _rows_of_parquet(engine, [file]).columns for file in files}
    return _rows_of_parquet(engine, files), held


def _rows_of_parquet(engine: Any, files: Sequence[Path]) -> Any:
    """Rows, with what the directories say: system=007 is text, and stays so.

    Parquet keeps NaN out of its least and greatest values, and DuckDB would conclude that there
    is none.
    """
    return engine.sql(
        "SELECT * FROM read_parquet("
        "?, union_by_name=true, hive_types_autocast=false, can_have_nan=true)",
        params=[[_literal(file) for file in files]],
    )


def _json(engine: Any, files: Sequence[Path]) -> _Read:
    held: dict[Path, Collection[str]] = {}
    for file in files:
        first = _first_line(file).strip()
        if not first.startswith("{") or (first == "{" and file.suffix == ".json"):
            raise InputError(f"{file}: {_OBJECTS}; the first is {first[:40]!r}.")
        held[file] = _keys(engine, file)
        if held[file] == ["json"]:  # what DuckDB calls lines that are not all objects
            _require_objects(file)
    groups: dict[tuple[str, ...], list[str]] = {}
    for file, names in held.items():
        groups.setdefault(tuple(names), []).append(_literal(file))
    parts = [
        engine.read_json(paths, format="newline_delimited", columns=dict.fromkeys(names, "VARCHAR"))
        for names, paths in groups.items()
    ]
    return _union(parts), held


def _require_objects(file: Path) -> None:
    """Refuse the first line that is anything else."""
    for at, raw in enumerate(_raw_lines(file), start=1):
        line = raw.decode("utf-8-sig").strip()
        if line and not line.startswith("{"):
            raise InputError(f"{file}, line {at}: {_OBJECTS}; this is {line[:40]!r}.")


def _keys(engine: Any, file: Path) -> list[str]:
    """The keys that occur; a status is looked for even if no line that was looked at has one."""
    whole = file.stat().st_size <= _WHOLLY_SNIFFED
    names: list[str] = engine.read_json(
        _literal(file),
        format="newline_delimited",
        sample_size=-1 if whole else _SNIFFED_LINES,
        map_inference_threshold=-1,
    ).columns
    known = {"status", *USUAL["status"]} & {name.lower() for name in names}
    return names if whole or known else [*names, "status"]


def _csv(engine: Any, files: Sequence[Path]) -> _Read:
    """Read as it is written: nothing about the dialect is left to guessing but the separator."""
    groups: dict[tuple[str, tuple[str, ...]], list[Path]] = {}
    for file in files:
        groups.setdefault(_dialect(file), []).append(file)
    parts = [
        engine.read_csv(
            [_literal(file) for file in group],
            header=True,
            auto_detect=False,
            sep=mark,
            quotechar='"',
            escapechar='"',
            strict_mode=True,
            null_padding=False,
            columns=dict.fromkeys(names, "VARCHAR"),
            max_line_size=_LONGEST_LINE,
        )
        for (mark, names), group in groups.items()
    ]
    held = {
        file: part.columns
        for part, group in zip(parts, groups.values(), strict=True)
        for file in group
    }
    return _union(parts), held


def _dialect(file: Path) -> tuple[str, tuple[str, ...]]:
    """What stands between the cells of a CSV file, and the names in its first line."""
    head = _header(file)
    mark = "\t" if ".tsv" in file.suffixes else _separator(head, ",;\t|")
    try:
        names = next(csv.reader(io.StringIO(head, newline=""), delimiter=mark), [])
    except csv.Error as error:
        raise InputError(f"{file}, line 1: it does not name columns ({error}).") from error
    if not any(name.strip() for name in names):
        raise InputError(f"{file}: the first line must name the columns; it is empty.")
    twice = [name for name, n in Counter(names).items() if n > 1]
    if twice:
        raise InputError(f"{file}: two columns are named {twice[0]!r}.")
    return mark, tuple(names)


def _separator(line: str, marks: str) -> str:
    """The mark that stands most often outside quotes."""
    return max(marks, key=re.sub(r'"(?:[^"]|"")*"', "", line).count)


def _union(parts: list[Any]) -> Any:
    """One under the other; a column that a part lacks is empty there."""
    names = list(dict.fromkeys(name for part in parts for name in part.columns))
    whole = None
    for part in parts:
        shown = ", ".join(
            _quoted(name) if name in part.columns else f"NULL::VARCHAR AS {_quoted(name)}"
            for name in names
        )
        one = part.project(shown)
        whole = one if whole is None else whole.union(one)
    return whole


_RELATIONS = {PARQUET: _parquet, JSON: _json, CSV: _csv}


def _first_line(file: Path) -> str:
    """The first line that is not blank."""
    return next(line for line in _lines(file) if line.strip())


def _header(file: Path) -> str:
    """The first line, and those that a quotation mark carries it on to."""
    head = ""
    for line in _lines(file):
        head += line
        if head.count('"') % 2 == 0 or len(head) > _LONGEST_LINE:
            break
    return head


def _lines(file: Path) -> Iterator[str]:
    """Lines of a text file that may be compressed; one at least that is not blank."""
    blank = True
    for at, raw in enumerate(_raw_lines(file), start=1):
        if b"\0" in raw:
            raise InputError(f"{file} is not text in UTF-8.")
        try:
            line = raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError(f"{file}, line {at}: it is not text in UTF-8.") from error
        blank = blank and not line.strip()
        yield line
    if blank:
        raise NotThere(f"{file} is empty.")


def _raw_lines(file: Path) -> Iterator[bytes]:
    suffix = file.suffix.lower()
    if suffix == ".zst":
        yield from _raw_lines_of_zst(file)
        return
    opened = gzip.open if suffix == ".gz" else open
    try:
        with opened(file, "rb") as lines:
            while line := lines.readline(_LONGEST_LINE):
                yield line
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{file} cannot be read: {error}.") from error


def _raw_lines_of_zst(file: Path) -> Iterator[bytes]:
    """The first ones, by the engine: Python reads no zstd before 3.14."""
    lines = own_engine().read_csv(
        _literal(file),
        header=False,
        auto_detect=False,
        sep="\x1f",
        quotechar="",
        columns={"line": "VARCHAR"},
        max_line_size=_LONGEST_LINE,
    )
    for (line,) in lines.limit(100).fetchall():
        yield f"{line}\n".encode()


def _numbers_of_text(relation: Any, columns: Columns) -> Any:
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
        parts.append(f"CAST(nullif(trim({sure}), '') AS DOUBLE) AS {sure}")
    if "trial" in columns and kinds[columns["trial"]] == "VARCHAR":
        parts.append(f"TRY_CAST({_quoted(columns['trial'])} AS INTEGER) AS {_quoted(TRIAL_NUMBER)}")
    return relation.project(", ".join(parts))


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
    first = next(_lines(file)).strip()
    mark = _separator(first, ",;\t")
    if mark not in first or any(_cell(cell) is None for cell in first.split(mark)):
        return None
    rows: list[list[float]] = []
    with file.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as lines:
        for number, cells in enumerate(csv.reader(lines, delimiter=mark), start=1):
            row = [_cell(cell) for cell in cells]
            if not cells:
                continue
            if None in row or len(row) != len(first.split(mark)):
                raise InputError(
                    f"{file}, line {number}: a matrix has {len(first.split(mark))} numbers in "
                    f"every line; this is {mark.join(cells)[:60]!a}."
                )
            rows.append([value for value in row if value is not None])
    return np.array(rows)


def _cell(text: str) -> float | None:
    """A number, nan for nothing, or None."""
    try:
        return float(text) if text.strip() else math.nan
    except ValueError:
        return None


def _as_number(name: str) -> str:
    """A number, null for nothing, and infinity for whatever is neither."""
    plain, text = _quoted(name), f"lower(trim({_quoted(name)}))"
    # Nearly all are 0 or 1, and need no more than a look.
    seen = f"WHEN {plain} = '1' THEN 1 WHEN {plain} = '0' THEN 0"
    return f"CASE {seen} ELSE CASE {_words(text)} ELSE {_finite(text)} END END"


def _strange(name: str) -> str:
    """The text where it is neither a number nor a word for one nor for nothing."""
    return f"CASE WHEN isinf({_as_number(name)}) THEN {_quoted(name)} END"


def _words(text: str) -> str:
    words = " ".join(f"WHEN {text} = '{word}' THEN {value}" for word, value in WORDS.items())
    # DuckDB makes a join of IN with so many words.
    nothing = " OR ".join(f"{text} = '{word}'" for word in NOTHING)
    return f"{words} WHEN {text} IS NULL OR {nothing} THEN NULL"


def _finite(text: str) -> str:
    return f"coalesce(TRY_CAST({text} AS DOUBLE), 'inf'::DOUBLE)"


def _literal(file: Path) -> str:
    """A path in which no letter stands for others."""
    return re.sub(r"([*?\[])", r"[\1]", str(file))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
