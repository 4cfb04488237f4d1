"""Error messages of DuckDB in a sentence that names the file and the line."""

import gzip
import re
from itertools import islice

_CUT_OFF = "The line is incomplete: wait until the file is written, or delete the line."
_LONGEST = 300  # characters of DuckDB's own message that are shown


def one_sentence(text: str) -> str:
    """Shorten a multi-line error message to one sentence.

    Examples
    --------
    >>> one_sentence("Invalid Input Error: No magic bytes found at end of file 'a.parquet'")
    'a.parquet: this is not a whole Parquet file; write it again, or change its ending.'
    """
    if torn := re.search(
        r"(?:No magic bytes found at end of|too small to be a Parquet) file '(.*?)'", text
    ):
        return f"{torn[1]}: this is not a whole Parquet file; write it again, or change its ending."
    line = re.search(r"CSV Error on Line: (\d+)", text)
    if line:
        file = re.search(r"^\s*file = (.*)$", text, re.MULTILINE)
        place = _strange_byte(file[1]) if file and "unicode" in text.lower() else ""
        return f"{file[1] if file else 'the file'}, line {line[1]}: {_csv_complaint(text)}{place}."
    json = re.search(r'in file "(.*?)",.*?in line (\d+): (.*)', text)
    if json:
        why = json[3].partition(" Try ")[0].rstrip(". ")
        # For a malformed line DuckDB reports the number of the next line.
        at = _line_in(json[1], int(json[2]) - ("Malformed" in text))
        cut_off = f" {_CUT_OFF}" * ("unexpected end" in why)
        return f"{json[1]}, line {at}: this is not valid JSON ({_short(why)}).{cut_off}"
    first = text.strip().split("\n", maxsplit=1)[0]
    message = re.sub(r"^(\w+ )*(Error|Exception): ", "", first)
    return f"{_short(message).rstrip('.')}."


def _line_in(file: str, number: int) -> int:
    """Line number in the file, given DuckDB's number, which skips blank lines."""
    if file.endswith(".zst"):  # Python cannot read zstd before 3.14
        return number
    with (gzip.open if file.endswith(".gz") else open)(file, "rb") as lines:
        filled = (at for at, line in enumerate(lines, start=1) if line.strip())
        return next(islice(filled, number - 1, None), number)


def _strange_byte(file: str) -> str:
    """Position of the first byte that is not UTF-8, with a guess at what it is."""
    if file.endswith(".zst"):
        return ""
    before = 0
    with (gzip.open if file.endswith(".gz") else open)(file, "rb") as lines:
        for line in lines:
            try:
                line.decode()
            except UnicodeDecodeError as error:
                return f" (byte {before + error.start} is perhaps CP1252 of Windows, or Latin-1)"
            before += len(line)
    return ""


def _csv_complaint(text: str) -> str:
    columns = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    if columns:
        return f"it has {columns[2]} columns, but the first line has {columns[1]}"
    if "unterminated quote" in text:
        return "a quotation mark is never closed"
    if "unicode" in text.lower():
        return "it is not UTF-8 text; save it as UTF-8"
    if "Maximum line size" in text:
        return "it is too long"
    lines = [line.strip() for line in text.split("\n")[1:]]
    complaint = next(
        (line for line in lines if line and not line.startswith("Original Line")), "it is broken"
    )
    return _short(complaint).rstrip(".")


def _short(text: str) -> str:
    text = "".join(letter if letter.isprintable() else " " for letter in text)
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
