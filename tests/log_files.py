"""Logs for tests of readers: our own, real ones where they are at hand, and spoiled ones."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import errbar
from errbar.errors import ErrbarError
from errbar.readers.base import Choice
from errbar.readers.finding import every_reader

TESTS = Path(__file__).parent
FIXTURES = TESTS / "fixtures"
REAL = TESTS.parent.parent / "shared" / "logs"
DEEP = "[" * 100_000
STRANGE: tuple[Any, ...] = (
    None,
    True,
    -1,
    2,
    0.5,
    float("nan"),
    float("inf"),
    10**400,
    "",
    "x",
    [],
    {},
    "\ud800",
)


def real(name: str) -> Path:
    """A folder of real logs, which are not in the repository."""
    folder = REAL / name
    if not folder.exists():
        pytest.skip(f"the real logs of {name} are not at hand")
    return folder


def rows_of(reader: str, *files: Path, **chosen: str) -> list[dict[str, Any]]:
    """What a reader makes of files, a row each."""
    log = every_reader()[reader].read(files, Choice(chosen.get("scorer"), chosen.get("filter")))
    return [
        dict(zip(log.columns, row, strict=True)) for row in zip(*log.columns.values(), strict=True)
    ]


def values_of(path: Path, *metrics: str, **options: Any) -> list[float]:
    """What errbar gets for metrics of the only system of a log."""
    chosen = {key: options.pop(key) for key in ("scorer", "filter") if key in options}
    scores = errbar.load(path, **chosen).score(*metrics, **options)
    assert len(scores.estimates) == len(metrics)
    return [one.value for one in scores.estimates]


def require_agreement(path: Path, **chosen: Any) -> list[str]:
    """The names of what a log states; errbar must get the same for each."""
    found = errbar.load(path, **chosen).agreements()
    for one in found:
        assert one.holds, str(one)
    return [one.claim.name for one in found]


def refusal(path: Path, **options: Any) -> str:
    """What errbar says of a log that it does not read."""
    with pytest.raises(ErrbarError) as caught:
        errbar.load(path, **options).inspect()
    return str(caught.value)


def require_no_surprise(log: Path, reader: str, copy: Path, often: int = 200) -> None:
    """Copies of a log with something spoiled are read, or refused by an error of ours.

    Any other error comes through. Every tenth that is read is tabulated too, which takes longer.
    """
    for at, raw in enumerate(spoiled(log.read_bytes(), often)):
        copy.write_bytes(raw)
        try:
            runs = errbar.load(copy, reader=reader)
            if at % 10 == 0:
                runs.inspect()
        except ErrbarError:
            continue


def spoiled(raw: bytes, often: int, seed: int = 0) -> Iterator[bytes]:
    """A log with some of its bytes changed, or one of its values."""
    rng = random.Random(seed)
    for _ in range(often):
        yield rng.choice((_bytes_spoiled, _value_spoiled))(raw, rng)


def _bytes_spoiled(raw: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(raw))
    end = min(len(raw), start + rng.choice((0, 1, 8, len(raw))))
    return raw[:start] + rng.randbytes(rng.choice((0, 1, 4))) + raw[end:]


def _value_spoiled(raw: bytes, rng: random.Random) -> bytes:
    """One document, or one of several that stand on a line each."""
    text = raw.decode()
    try:
        return _changed(json.loads(text), rng).encode()
    except json.JSONDecodeError:
        lines = text.splitlines()
        at = rng.randrange(len(lines))
        lines[at] = _changed(json.loads(lines[at]), rng)
        return "\n".join(lines).encode()


def _changed(value: Any, rng: random.Random) -> str:
    places: list[tuple[Any, Any]] = []
    pending = [value]
    while pending:
        one = pending.pop()
        keys = one if isinstance(one, dict) else range(len(one)) if isinstance(one, list) else ()
        places += [(one, key) for key in keys]
        pending += [one[key] for key in keys]
    within, key = rng.choice(places)
    if rng.random() < 0.2:
        del within[key]
    else:
        within[key] = rng.choice(STRANGE)
    return json.dumps(value)
