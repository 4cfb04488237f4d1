"""Small files are opened once: what is read to recognise a file is kept until it is read.

Opening takes most of the time of a small file, and there may be 100,000 of them in a directory.
"""

import gzip
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from errbar.errors import InputError


class _SmallFiles(dict[Path, bytes]):
    """Contents of files that were read whole."""

    left = 1 << 28  # bytes that may still be kept


_KEPT: ContextVar[_SmallFiles | None] = ContextVar("small_files", default=None)


@contextmanager
def opened_once() -> Iterator[None]:
    """Keep small files between being recognised and being read."""
    token = _KEPT.set(_SmallFiles())
    try:
        yield
    finally:
        _KEPT.reset(token)


def whole_file(path: Path) -> bytes | None:
    """The content of a small file that was read already."""
    kept = _KEPT.get()
    return None if kept is None else kept.get(path)


def head_of(path: Path, most: int) -> bytes:
    """The first bytes of a file, decompressed."""
    kept = _KEPT.get()
    if kept is not None and path in kept:
        return kept[path]
    try:
        if path.name.endswith(".gz") and path.suffix:
            with gzip.open(path, "rb") as packed:
                return packed.read(most)
        with open(path, "rb", buffering=0) as file:
            head = file.read(most)
            fits = kept is not None and 0 < len(head) < min(most, kept.left)
            # a pipe may give less than it has, and has no size
            if kept is not None and fits and os.fstat(file.fileno()).st_size == len(head):
                kept[path] = head
                kept.left -= len(head)
            return head
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} cannot be read: {error}.") from error
