"""Files and directories that are written whole or not at all."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from errbar.errors import InputError

_UNFINISHED: set[Path] = set()  # files beside their targets, or there for a while


@contextmanager
def written_whole(target: str | Path) -> Iterator[Path]:
    """A file beside the target, which takes its place unless something goes wrong."""
    place = Path(target).resolve()  # a link stays, and what it points to is replaced
    _require_place(target, place)
    try:
        handle, name = tempfile.mkstemp(place.suffix, ".errbar-", place.parent)
    except OSError as error:
        raise InputError(f"{target} cannot be written: {error.strerror}.") from error
    os.close(handle)
    beside = Path(name)
    _UNFINISHED.add(beside)
    try:
        yield beside
        beside.chmod(0o666 & ~_umask())
        beside.replace(place)
    except OSError as error:
        raise InputError(f"{target} cannot be written: {error.strerror}.") from error
    except InputError as error:
        if name in str(error):  # an engine could not write it
            raise InputError(str(error).replace(name, str(target))) from error
        raise
    finally:
        beside.unlink(missing_ok=True)
        _UNFINISHED.discard(beside)


@contextmanager
def directory_written_whole(target: str | Path) -> Iterator[Path]:
    """A directory to fill; all of its files take their places in the target, or none does.

    A target that does not exist yet appears by one rename. In one that exists, files that are not
    written anew stay; those that have been moved there are taken back if another cannot be.
    """
    place = Path(target).resolve()
    if place.exists() and not place.is_dir():
        raise InputError(f"{target} is a file; name a directory to write to.")
    is_new = not place.exists()
    try:
        staged = Path(
            tempfile.mkdtemp(prefix=".errbar-", dir=place.parent if is_new else place)
        ).resolve()
    except OSError as error:
        cannot = "made" if is_new else "written to"
        raise InputError(f"{target} cannot be {cannot}: {error.strerror}.") from error
    _UNFINISHED.add(staged)
    try:
        yield staged
        if is_new:
            staged.chmod(0o777 & ~_umask())
            staged.rename(place)
        else:
            _move_files(staged, place)
    except OSError as error:
        raise InputError(f"{target} cannot be written: {error.strerror}.") from error
    finally:
        shutil.rmtree(staged, ignore_errors=True)
        _UNFINISHED.discard(staged)


def _move_files(staged: Path, place: Path) -> None:
    """Move all files of a directory into another, or none of them."""
    files = sorted(file for file in staged.rglob("*") if file.is_file())
    replaced = Path(tempfile.mkdtemp(dir=staged))
    with ExitStack() as undo:
        for at, file in enumerate(files):
            target = place / file.relative_to(staged)
            for folder in reversed(target.parents):
                if not folder.exists():
                    folder.mkdir()
                    undo.callback(folder.rmdir)
            if target.is_file():
                target.rename(replaced / str(at))
                undo.callback((replaced / str(at)).replace, target)
            file.rename(target)
            undo.callback(target.replace, file)
        undo.pop_all()


@contextmanager
def for_a_while(directory: Path, suffix: str) -> Iterator[Path]:
    """A file in a directory that is taken away in the end."""
    try:
        handle, name = tempfile.mkstemp(suffix, ".errbar-", directory)
    except OSError as error:
        raise InputError(f"{directory} cannot be written to: {error.strerror}.") from error
    os.close(handle)
    beside = Path(name)
    _UNFINISHED.add(beside)
    try:
        yield beside
    finally:
        beside.unlink(missing_ok=True)
        _UNFINISHED.discard(beside)


@contextmanager
def directory_for_a_while() -> Iterator[Path]:
    """A directory of our own that is taken away in the end, with all that is in it."""
    place = Path(tempfile.mkdtemp(prefix="errbar-")).resolve()
    _UNFINISHED.add(place)
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
        _UNFINISHED.discard(place)


def remove_unfinished() -> None:
    """Take away what is being written, for a process that must end at once."""
    for beside in tuple(_UNFINISHED):
        if beside.is_dir():
            shutil.rmtree(beside, ignore_errors=True)
        else:
            beside.unlink(missing_ok=True)


def _require_place(target: str | Path, place: Path) -> None:
    """Refuse a target that is no file, or cannot become one."""
    if place.is_dir():
        raise InputError(f"{target} is a directory; name a file in it.")
    if not place.parent.is_dir():
        raise InputError(f"{target} cannot be written: there is no directory {place.parent}.")
    if place.exists() and not place.is_file():
        raise InputError(f"{target} is no file that can be replaced.")
    if place.exists() and not os.access(place, os.W_OK):
        raise InputError(f"{target} cannot be written: it is read-only.")


def _umask() -> int:
    """What the user keeps from others in every file."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
