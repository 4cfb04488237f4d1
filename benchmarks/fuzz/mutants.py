"""Logs changed in the ways that disks, hands and other programs change them.

Bytes are replaced, taken out, put in, doubled or cut off; values of JSON are replaced by strange
ones, which take turns, so that none comes again before every other had its turn; one value is
replaced by another of its kind, which loses no row.
"""

import csv
import io
import json
import random
import zipfile
from collections.abc import Iterator
from typing import Any

import polars as pl

STRANGE: tuple[Any, ...] = (
    *(None, True, False, -1, 1, 2, 0.5, -1.5, 1e308, 1 << 70, 10**30, 10**400),
    *(float("nan"), float("inf"), "", "x", "C", "text", "NaN", "a\0b", "\ud800", "é\ud800"),
    *([], [1], [None], [[]], [[[[]]]], {}, {"": 1}, {"": None}, {"": []}, {"a": 1}),
    {"a": {"b": []}},
    *(
        "\uffff",
        "\x1b]8;;a\x07",
        "\u202eb",
        "=1+1",
        "a|b`$\n",
        "<script>",
        "0x1F",
        "1_000",
        "١",
        "1e400",
    ),
    *("q" * 5000, [[1, 2], [3]], [{}] * 3, {"0": {"0": {"0": 1}}}, -(1 << 63), 5e-324, -0.0),
)
BYTES = (
    *(b"\xff", b"\0", b"NaN", b"-Infinity", b"null", b"[" * 3000, b"{", b"{}", b'"', b",", b"\n"),
)


def strange_values(rng: random.Random) -> Iterator[Any]:
    """All strange values in a random order, then in another, without end."""
    while True:
        yield from rng.sample(STRANGE, len(STRANGE))


def broken(raw: bytes, rng: random.Random, strange: Iterator[Any], *, in_bytes: bool) -> bytes:
    """A file with some bytes changed, or some values if it holds JSON."""
    if in_bytes:
        return broken_bytes(raw, rng)
    try:
        return broken_json(raw, rng, strange)
    except ValueError:
        return broken_bytes(raw, rng)


def broken_bytes(raw: bytes, rng: random.Random) -> bytes:
    """A file with some bytes changed, taken out, put in, doubled, or cut off at the end."""
    changed = bytearray(raw)
    for _ in range(rng.randint(1, 3)):
        start = rng.randrange(len(changed) + 1)
        end = rng.choice((start, start + 1, start + 8, start + 40, len(changed)))
        put = (b"", rng.choice(BYTES), rng.randbytes(1), rng.randbytes(4), raw[start : start + 200])
        changed[start:end] = rng.choice(put)
    return bytes(changed)


def broken_json(raw: bytes, rng: random.Random, strange: Iterator[Any]) -> bytes:
    """A file of JSON, one document or one on each line, with some values changed."""
    parts = documents(raw)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(parts))
        parts[at] = broken_value(parts[at], rng, strange)
    return as_lines(parts)


def broken_value(value: Any, rng: random.Random, strange: Iterator[Any]) -> Any:
    """A document with one part, at any depth, replaced by a strange value or removed."""
    if not isinstance(value, dict | list) or not value or rng.random() < 0.1:
        return next(strange)
    key = rng.choice(list(value) if isinstance(value, dict) else range(len(value)))
    changed: Any = value.copy()
    if rng.random() < 0.1:
        del changed[key]
    else:
        changed[key] = broken_value(value[key], rng, strange)
    return changed


def changed_value(raw: bytes, rng: random.Random) -> bytes:
    """A file with one number, text or truth value changed to another of its kind."""
    try:
        parts = documents(raw)
    except ValueError:
        return changed_cell(raw, rng)
    holder: Any = parts
    while True:
        key = rng.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
        if not isinstance(holder[key], dict | list) or not holder[key]:
            break
        holder = holder[key]
    holder[key] = _another(holder[key], rng)
    return as_lines(parts)


def changed_cell(raw: bytes, rng: random.Random) -> bytes:
    """A file of comma- or tab-separated values with one cell below the header changed."""
    text = raw.decode()
    separator = "\t" if "\t" in text else ","
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    row = rng.choice(rows[1:])
    at = rng.randrange(len(row))
    row[at] = rng.choice(("1", "0", "0.5", row[at] + "x", row[at] + "1"))
    written = io.StringIO(newline="")
    csv.writer(written, delimiter=separator, lineterminator="\n").writerows(rows)
    return written.getvalue().encode()


def _another(value: Any, rng: random.Random) -> Any:
    match value:
        case bool():
            return not value
        case int() | float():
            return value + rng.choice((-1, 1, 0.5))
        case str():
            return value + rng.choice(("x", " ", "é", "0"))
        case _:
            return value


def broken_parquet(raw: bytes, rng: random.Random, strange: Iterator[Any]) -> bytes:
    """A Parquet file with a column changed: some values strange, of another type, or nested."""
    frame = pl.read_parquet(io.BytesIO(raw))
    name = rng.choice(frame.columns)
    values: list[Any] = frame[name].to_list()
    kind = rng.randrange(4)
    if kind == 0:
        values[rng.randrange(len(values))] = None
    elif kind == 1:
        values = [[value] for value in values]
        for _ in range(rng.randrange(20)):
            values = [[value] for value in values]
    elif kind == 2:
        values = [{"a": value, "b": None} for value in values]
    else:
        values[rng.randrange(len(values))] = next(strange)
        values = [value if isinstance(value, str) else repr(value) for value in values]
        values = [value.encode("utf-8", "replace").decode() for value in values]
    written = io.BytesIO()
    frame.with_columns(pl.Series(name, values, strict=False)).write_parquet(written)
    return written.getvalue()


def broken_archive(raw: bytes, rng: random.Random, strange: Iterator[Any]) -> bytes:
    """A zip archive of JSON documents, one of them with values changed."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice(sorted(members))
    members[name] = broken(members[name], rng, strange, in_bytes=False)
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    return written.getvalue()


def documents(raw: bytes) -> list[Any]:
    """The documents of a file of JSON: one, or one on each line."""
    text = raw.decode()
    try:
        return [json.loads(text)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]


def as_lines(parts: list[Any]) -> bytes:
    """Documents as the bytes of a file, each on a line."""
    return "\n".join(map(json.dumps, parts)).encode() + b"\n"
