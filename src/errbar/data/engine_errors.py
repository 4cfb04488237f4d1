"""What an engine says of a broken file, in one sentence with the file and the line."""

import gzip
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice

from errbar.errors import InputError

_ENGINES = ("duckdb", "_duckdb", "pyspark", "py4j")
_CUT_OFF = "The line is cut off: wait until the file is written, or delete the line."
_LONGEST = 300  # letters of an engine's own words that are shown


@contextmanager
def plain_errors(where: str = "", *others: str) -> Iterator[None]:
    """Errors of an engine as errors of ours; `where` goes before any that names no file."""
    files = [where, *others]
    try:
        yield
    except InputError as error:
        if where and not any(file in str(error) for file in files):
            raise type(error)(f"{where}: {error}") from error
        raise
    except Exception as error:
        if not type(error).__module__.startswith(_ENGINES):
            raise
        text = plainly(str(error))
        named = not where or any(file in text for file in files)
        raise InputError(text if named else f"{where}: {text}") from error


def plainly(text: str) -> str:
    """One sentence of many lines.

    Examples
    --------
    >>> plainly("Invalid Input Error: No magic bytes found at end of file 'a.parquet'")
    "No magic bytes found at end of file 'a.parquet'."
    """
    line = re.search(r"CSV Error on Line: (\d+)", text)
    if line:
        file = re.search(r"^\s*file = (.*)$", text, re.MULTILINE)
        return f"{file[1] if file else 'the file'}, line {line[1]}: {_csv_complaint(text)}."
    json = re.search(r'in file "(.*?)",.*?in line (\d+): (.*)', text)
    if json:
        why = json[3].partition(" Try ")[0].rstrip(". ")
        # Of a malformed line DuckDB gives the number of the next one.
        at = _line_in(json[1], int(json[2]) - ("Malformed" in text))
        cut_off = f" {_CUT_OFF}" * ("unexpected end" in why)
        return f"{json[1]}, line {at}: this is no line of JSON ({_short(why)}).{cut_off}"
    first = text.strip().split("\n", maxsplit=1)[0]
    said = re.sub(r"^(\w+ )*(Error|Exception): ", "", first)
    return f"{_short(said).rstrip('.')}."


def _line_in(file: str, number: int) -> int:
    """Which line of a file it is: DuckDB does not count blank ones."""
    if file.endswith(".zst"):  # Python reads none before 3.14
        return number
    with (gzip.open if file.endswith(".gz") else open)(file, "rb") as lines:
        filled = (at for at, line in enumerate(lines, start=1) if line.strip())
        return next(islice(filled, number - 1, None), number)


def _csv_complaint(text: str) -> str:
    columns = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    if columns:
        return f"it has {columns[2]} columns, and the first line {columns[1]}"
    if "unterminated quote" in text:
        return "a quotation mark is opened and never closed"
    if "unicode" in text.lower():
        return "it is not text in UTF-8"
    if "Maximum line size" in text:
        return "it is too long"
    lines = [one.strip() for one in text.split("\n")[1:]]
    said = next(
        (one for one in lines if one and not one.startswith("Original Line")), "it is broken"
    )
    return _short(said).rstrip(".")


def _short(text: str) -> str:
    text = "".join(letter if letter.isprintable() else " " for letter in text)
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
