"""Find the reader of each file by its content."""

import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import NamedTuple, NoReturn

from errbar.data import readers
from errbar.data.readers.base import Choice, Glance, Reader
from errbar.errors import InputError, InternalError


@dataclass(frozen=True)
class Found:
    """A reader, the files it recognises, and the reason."""

    reader: Reader
    files: tuple[Path, ...]
    why: str


class Recognised(NamedTuple):
    """Files by reader, and the files that no reader recognises."""

    found: list[Found]
    companions: list[Path]  # files next to logs that add nothing
    others: list[Path]
    totals: Mapping[Path, str]  # files with totals only, and the reason


@cache
def every_reader() -> dict[str, Reader]:
    """All readers by name: the modules of this package with a `READER`."""
    names = sorted(module.name for module in pkgutil.iter_modules(readers.__path__))
    modules = (importlib.import_module(f"{readers.__name__}.{name}") for name in names)
    known = [module.READER for module in modules if hasattr(module, "READER")]
    known.sort(key=lambda reader: reader.only_totals)  # last, so that other readers come first
    return {reader.name: reader for reader in known}


def require_reader(name: str) -> Reader:
    """The reader with this name."""
    known = every_reader()
    if name not in known:
        raise InputError(f"there is no reader {name!r}; there are: {', '.join(known)}.")
    return known[name]


def find_readers(files: Sequence[Path], name: str | None = None) -> Recognised:
    """Group files by the reader that recognises them.

    A reader chosen by name gets the files it recognises, or all files if it recognises none.
    """
    known = list(every_reader().values())
    if name is not None:
        wanted = require_reader(name)
        known = [reader for reader in known if reader is wanted or reader.only_totals]
    whys: dict[str, dict[Path, str]] = {}
    others: list[Path] = []
    totals: dict[Path, str] = {}
    by_shape = {
        shape: [(reader, reader.find_signs) for reader in known if shape in reader.shapes]
        for shape in {shape for reader in known for shape in reader.shapes}
    }
    for file in files:
        glance = Glance(file)
        for reader, find_signs in by_shape.get(glance.shape, ()):
            why = find_signs(glance)
            if why and reader.only_totals:
                totals[file] = why
            elif why:
                whys.setdefault(reader.name, {})[file] = why
            if why:
                break
        else:
            others.append(file)
    if name is not None and not whys:
        return Recognised([Found(wanted, tuple(files), "as asked")], [], [], {})
    found = [
        Found(reader, tuple(whys[reader.name]), next(iter(whys[reader.name].values())))
        for reader in known
        if reader.name in whys
    ]
    patterns = [pattern for match in found for pattern in match.reader.beside]
    companions = [
        file
        for file in (*others, *totals)
        if any(fnmatch(file.name, pattern) for pattern in patterns)
    ]
    beside = set(companions)
    return Recognised(
        found,
        companions,
        [file for file in others if file not in beside],
        {file: why for file, why in totals.items() if file not in beside},
    )


def refuse_totals(files: Sequence[Path]) -> NoReturn:
    """Raise an error for files that contain only totals, with advice on what to load instead."""
    refusing = next(reader for reader in every_reader().values() if reader.only_totals)
    refusing.read(files, Choice())
    raise InternalError(f"{files[0]} was not refused.")
