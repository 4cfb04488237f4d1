"""Where logs for tests are, and logs broken in the ways that disks and hands break them."""

import json
import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import errbar
from errbar.errors import ErrbarError
from errbar.runs import Runs

FIXTURES = Path(__file__).parent / "fixtures"
SHARED = Path(__file__).parents[2] / "shared" / "logs"

WRONG: list[Any] = [
    *(None, True, False, -1, 0.5, 10**30, 10**400, float("nan"), float("inf")),
    *("", "x", "NaN", "\ud800", "a\0b", [], {}, [[]], [None], {"": 1}, {"a": {"b": []}}),
]
BYTES = (b"\xff", b"\0", b"NaN", b"-Infinity", b"[" * 3000, b"{}", b"\n", b'"', b",", b"null")


def shared(name: str) -> Path:
    """A folder of real logs; the test is skipped where there is none."""
    place = SHARED / name
    if not place.exists():
        pytest.skip(f"there are no real logs of {name} beside the repository")
    return place


def rows(runs: Runs) -> list[dict[str, Any]]:
    """The outcomes as plain records."""
    frame = runs.source.frame.collect()  # type: ignore[attr-defined]
    found: list[dict[str, Any]] = frame.rows(named=True)
    return found


def broken(raw: bytes, rng: random.Random, count: int) -> Iterator[bytes]:
    """The log with some bytes or some values changed, cut off or doubled."""
    for _ in range(count):
        yield _in_bytes(raw, rng) if rng.random() < 0.4 else _in_values(raw, rng)


def _in_bytes(raw: bytes, rng: random.Random) -> bytes:
    at, to = sorted(rng.randrange(len(raw) + 1) for _ in range(2))
    return rng.choice(
        [
            raw[:at],
            raw[:at] + raw[min(to, at + 40) :],
            raw[:at] + rng.choice(BYTES) + raw[at:],
            raw[:at] + raw[at : at + 200] + raw[at:],
        ]
    )


def _in_values(raw: bytes, rng: random.Random) -> bytes:
    text = raw.decode()
    try:
        parts = [json.loads(text)]
    except json.JSONDecodeError:
        parts = [json.loads(line) for line in text.splitlines() if line.strip()]
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(parts))
        parts[at] = _changed(parts[at], rng)
    return "\n".join(json.dumps(part) for part in parts).encode() + b"\n"


def _changed(value: Any, rng: random.Random) -> Any:
    """A document with one part of it, near or deep, put wrong."""
    if not isinstance(value, dict | list) or not value or rng.random() < 0.15:
        return rng.choice(WRONG)
    if isinstance(value, list):
        at = rng.randrange(len(value))
        return [*value[:at], _changed(value[at], rng), *value[at + 1 :]]
    key = rng.choice(list(value))
    if rng.random() < 0.1:
        return {name: one for name, one in value.items() if name != key}
    return {**value, key: _changed(value[key], rng)}


def require_clear_errors(log: Path, reader: str, tmp_path: Path, count: int = 200) -> None:
    """A broken log is read, or refused with an error of our own; nothing else happens."""
    rng = random.Random(f"{reader} {log.name}")
    for at, raw in enumerate(broken(log.read_bytes(), rng, count)):
        path = tmp_path / log.name
        path.write_bytes(raw)
        with suppress(ErrbarError):
            runs = errbar.load(path, reader=reader)
            if at % 10 == 0:
                runs.inspect()


def require_clear_refusals(log: Path, reader: str, tmp_path: Path) -> None:
    """Cut off, of another encoding, nested without end: an error that names the file."""
    raw = log.read_bytes()
    cut = raw[: raw.rindex(b":") + 1]
    for at, bad in enumerate((cut, b"\xff\xfe" + raw, b"[" * 100_000, b"", b"[]")):
        path = tmp_path / f"bad{at}{log.suffix}"
        path.write_bytes(bad)
        with pytest.raises(ErrbarError, match=path.name):
            errbar.load(path, reader=reader)
