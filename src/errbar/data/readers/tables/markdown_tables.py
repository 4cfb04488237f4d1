"""Tables in Markdown files: rows of cells between bars, below a line of dashes."""

import re
from pathlib import Path

from errbar.data.readers.file_content import text_lines
from errbar.errors import NoOutcomes

_BELOW_HEAD = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*")
_BAR = re.compile(r"(?<!\\)\|")
_TITLE = re.compile(r"#+\s*(.+)")
_EMPHASIS = re.compile(r"(\*\*|__|[*`])(.*)\1")


def markdown_tables(file: Path) -> dict[str, dict[str, list[str | None]]]:
    """Columns of each table with rows, by the title above it.

    Examples
    --------
    >>> _cells(r"| **gpt-4** | a \\| b | `1` |  |")
    ['gpt-4', 'a | b', '1', '']
    """
    lines = [line.rstrip("\r\n") for line in text_lines(file)]
    found: dict[str, dict[str, list[str | None]]] = {}
    title, at = "table", 0
    while at + 1 < len(lines):
        headline = _TITLE.fullmatch(lines[at].strip())
        title = headline[1] if headline else title
        names = _cells(lines[at]) if "|" in lines[at] else []
        if not names or not _BELOW_HEAD.fullmatch(lines[at + 1]):
            at += 1
            continue
        begin = at = at + 2
        while at < len(lines) and "|" in lines[at]:
            at += 1
        rows = [_cells(line) for line in lines[begin:at]]
        if rows and len(_cells(lines[begin - 1])) == len(names):
            called = title if title not in found else f"{title} ({len(found) + 1})"
            found[called] = {
                name or f"column {place + 1}": [
                    (row[place] or None) if place < len(row) else None for row in rows
                ]
                for place, name in enumerate(names)
            }
    if not found:
        raise NoOutcomes(f"{file}: there is no table in it; there is nothing to score.")
    return found


def _cells(line: str) -> list[str]:
    """The cells of a row, without the marks of emphasis and of code."""
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith(r"\|") else inner
    cells = [cell.strip().replace(r"\|", "|") for cell in _BAR.split(inner)]
    return [match[2] if (match := _EMPHASIS.fullmatch(cell)) else cell for cell in cells]
