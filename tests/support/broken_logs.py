"""Damaged logs, as by disks and by hand: each is read, or refused with an error of errbar.

Kinds of damage take turns, so that few copies have all of them: two copies of five have bytes
changed, three have values of their JSON changed, and no strange value comes again before every
other had its turn. `ERRBAR_FUZZ=1000 scripts/test tests/contracts/readers` breaks more copies of
every log.
"""

import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarks.fuzz.mutants import broken, strange_values

import errbar
from errbar.errors import InputError
from logs import rows_of

# Copies of each log. They have about 40 values changed, so that each of the 35 strange ones occurs.
BROKEN = int(os.environ.get("ERRBAR_FUZZ", "36"))
DEEP = "[" * 100_000


def require_read_or_refused(log: Path, place: Path, **told: Any) -> None:
    """Broken copies of a log, some of which are read and some are refused.

    Every seventh that is read is looked into as well, which takes most of the time.
    """
    found = [
        read_or_refused(copy, looked_into=at % 7 == 0, **told)
        for at, copy in enumerate(broken_copies(log, place))
    ]
    assert any(each is not None for each in found)
    assert any(each is None for each in found)


def read_or_refused(
    path: Path, *, looked_into: bool = False, **told: Any
) -> list[dict[str, Any]] | None:
    """The rows of a log; None if it is refused with an error of errbar that names the file."""
    try:
        runs = errbar.load(path, **told)
        if looked_into:
            assert str(runs.inspect())
        return rows_of(runs)
    except InputError as error:
        refused = str(error)
    assert path.name in refused or "no row has a result" in refused, refused
    return None


def refusal(path: Path, **told: Any) -> str:
    """The error with which errbar refuses a log; it must name the file."""
    with pytest.raises(InputError) as caught:
        errbar.load(path, **told).inspect()
    assert str(path) in str(caught.value)
    return str(caught.value)


def require_clear_refusals(log: Path, place: Path, **told: Any) -> None:
    """Truncated, empty, wrongly encoded or deeply nested logs give an error that names the file."""
    raw = log.read_bytes()
    cut = raw[: raw.rindex(b":") + 1]
    for at, bad in enumerate((cut, b"\xff\xfe" + raw, DEEP.encode(), b"", b"[]")):
        path = place / f"bad{at}{log.suffix}"
        path.write_bytes(bad)
        refusal(path, **told)


def broken_copies(log: Path, place: Path) -> Iterator[Path]:
    """Copies of a log, a file or a folder, each with one damaged file."""
    rng = random.Random(log.name)
    copy = place / log.name
    if log.is_dir():
        shutil.copytree(log, copy)
    else:
        shutil.copy(log, copy)
    files = sorted(each for each in (copy, *copy.rglob("*")) if each.is_file())
    strange = strange_values(rng)
    for at in range(BROKEN):
        file = rng.choice(files)
        raw = file.read_bytes()
        file.write_bytes(broken(raw, rng, strange, in_bytes=at % 5 < 2))
        yield copy
        file.write_bytes(raw)
