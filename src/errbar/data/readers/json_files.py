"""A JSON file as one value: a document, a document on each line, or several after each other."""

from pathlib import Path
from typing import Any

from errbar.data.readers.documents import named_errors, parse, parse_lines, parse_next
from errbar.data.readers.file_content import raw_lines, raw_text, text_lines
from errbar.data.readers.file_formats import is_lines_by_name
from errbar.errors import NoOutcomes


def value_of_file(file: Path) -> Any:
    """The document in a file, or the list of documents on its lines."""
    try:
        if not is_lines_by_name(file):
            return parse(raw_text(file))
        lines = parse_lines(raw_text(file))
        if lines is None:
            lines = [parse(line) for line in raw_lines(file) if not line.isspace()]
        return lines if len(lines) > 1 else lines[0]
    except (ValueError, RecursionError, IndexError):
        pass  # objects over several lines, or invalid, which raises an error below
    return _documents_in("".join(text_lines(file)), str(file))


def _documents_in(text: str, where: str) -> Any:
    """The document in a text, or the list of several concatenated documents."""
    try:
        return parse(text)
    except (ValueError, RecursionError):
        found = []  # several documents, or invalid, which raises an error below
    at, end = _next(text, 0), len(text)
    while at < end:
        with named_errors(where):
            value, at = parse_next(text, at)
        found.append(value)
        at = _next(text, at)
    if not found:
        raise NoOutcomes(f"{where} is empty.")
    return found[0] if len(found) == 1 else found


def _next(text: str, at: int) -> int:
    """Start of the next document."""
    while at < len(text) and text[at] in " \t\r\n,\ufeff\x1e":
        at += 1
    return at
