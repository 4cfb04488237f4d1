"""Logs that are broken in every way: the same for every reader that must survive them."""

import json
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import errbar
from errbar.errors import InputError

STRANGE: tuple[Any, ...] = (
    *(None, True, -1, 0.5, 10**400, 1e308, float("nan"), float("inf"), "", "NaN", "é\ud800"),
    *([], {}, [[]], [None], {"": None}, [[[[]]]]),
)


def shared_logs(name: str) -> Path:
    """Real logs of a harness, which lie beside the repository where they are at all."""
    return Path(__file__).parents[2] / "shared" / "logs" / name


def survives(place: Path, **told: Any) -> bool:
    """Whether a log can be read; it may be refused, but only in our own words."""
    try:
        found = errbar.load(str(place), **told).inspect()
    except InputError:
        return False
    assert found.slices
    return True


def mutated_bytes(raw: bytes, rng: random.Random) -> bytes:
    """A file with a few bytes changed, taken out, put in, or cut off at the end."""
    changed = bytearray(raw)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(changed)) if changed else 0
        kind = rng.randrange(4)
        if kind == 0 and changed:
            changed[at] = rng.randrange(256)
        elif kind == 1:
            del changed[at : at + rng.randint(1, 40)]
        elif kind == 2:
            changed[at:at] = rng.choice([b"\xff", b"\0", b"{", b'"', b"NaN", b"\n", b"[" * 2000])
        else:
            del changed[at:]
    return bytes(changed)


def mutated_value(value: Any, rng: random.Random) -> Any:
    """A document in which one value, somewhere, is strange or missing."""
    places = list(_places(value))
    if not places:
        return rng.choice(STRANGE)
    holder, key = rng.choice(places)
    if rng.random() < 0.2:
        del holder[key]
    else:
        holder[key] = rng.choice(STRANGE)
    return value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, one in list(pairs):
        yield value, key
        if isinstance(one, dict | list):
            yield from _places(one)


def mutated_json(raw: bytes, rng: random.Random) -> bytes:
    """A file of JSON, whole or by lines, with one value changed."""
    text = raw.decode()
    try:
        return json.dumps(mutated_value(json.loads(text), rng)).encode()
    except json.JSONDecodeError:
        lines = text.splitlines()
        at = rng.randrange(len(lines))
        lines[at] = json.dumps(mutated_value(json.loads(lines[at]), rng))
        return "\n".join(lines).encode()


def mutations(
    log: Path, place: Path, kinds: tuple[Callable[[bytes, random.Random], bytes], ...], n: int
) -> Iterator[Path]:
    """Copies of a directory in which one file is changed."""
    rng = random.Random(5)
    names = sorted(file.relative_to(log) for file in log.rglob("*") if file.is_file())
    for _ in range(n):
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(log, place)
        target = place / rng.choice(names)
        target.write_bytes(rng.choice(kinds)(target.read_bytes(), rng))
        yield place
