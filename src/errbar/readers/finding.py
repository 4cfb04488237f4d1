"""Which reader a file is for, found by what is in it."""

import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

from errbar import readers
from errbar.errors import InputError
from errbar.readers.base import Glance, Reader, some_of


@dataclass(frozen=True)
class Found:
    """A reader, the files that it knows, and why."""

    reader: Reader
    files: tuple[Path, ...]
    why: str
    remarks: tuple[str, ...] = ()
    skipped: Mapping[Path, str] = field(default_factory=dict)  # files that it does not know


@cache
def every_reader() -> dict[str, Reader]:
    """The readers of this package by name: its modules that have a `READER`."""
    names = sorted(one.name for one in pkgutil.iter_modules(readers.__path__))
    modules = (importlib.import_module(f"{readers.__name__}.{name}") for name in names)
    known = [module.READER for module in modules if hasattr(module, "READER")]
    return {reader.name: reader for reader in known}


def find_reader(files: Sequence[Path], asked: str | None = None) -> Found | None:
    """The reader of these files, None if they are of no harness.

    All files that a reader knows must be of one; a reader that was asked for takes those that it
    knows, and all of them if it knows none.
    """
    known = every_reader()
    if asked is not None:
        if asked not in known:
            raise InputError(f"there is no reader {asked!r}; there are: {', '.join(known)}.")
        known = {asked: known[asked]}
    whys: dict[str, dict[Path, str]] = {}
    for file in files:
        glance = Glance(file)
        for name, reader in known.items():
            why = reader.recognise(glance)
            if why:
                whys.setdefault(name, {})[file] = why
                break
    if len(whys) > 1:
        shown = "; ".join(f"{next(iter(one))} of {name}" for name, one in whys.items())
        raise InputError(
            f"there are logs of more than one harness: {shown}. Name one, as in "
            f"reader={next(iter(whys))!r}, or load them one by one."
        )
    if not whys:
        return Found(known[asked], tuple(files), "as asked") if asked else None
    name, found = whys.popitem()
    reader = known[name]
    others = [
        file
        for file in files
        if file not in found and not any(fnmatch(file.name, one) for one in reader.beside)
    ]
    skipped = dict.fromkeys(others, f"no log of {name}")
    return Found(reader, tuple(found), next(iter(found.values())), _left(others, name), skipped)


def _left(others: Sequence[Path], name: str) -> tuple[str, ...]:
    """What to say of files that lie beside the logs."""
    if not others:
        return ()
    shown = some_of([file.name for file in others])
    are = "file is no log" if len(others) == 1 else "files are no logs"
    return (f"{len(others)} {are} of {name} and not read: {shown}.",)
