"""Files: written atomically, so that they appear complete or not at all, and names of files.

Everything is written to a temporary name in the same directory first, and then renamed.
"""

import atexit
import os
import re
import secrets
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from difflib import get_close_matches
from pathlib import Path

from errbar.errors import InputError

_UNFINISHED: set[Path] = set()  # temporary files and directories that exist at the moment


@contextmanager
def atomic_file(target: str | Path) -> Iterator[Path]:
    """Yield a temporary file that replaces the target if no error occurs."""
    place = Path(target).resolve()  # a symbolic link stays, and the file it points to is replaced
    _require_place(target, place)
    with temporary_file(place.parent, place.suffix, f"{target} cannot be written") as beside:
        try:
            yield beside
            beside.chmod(0o666 & ~_umask())
            beside.replace(place)
        except OSError as error:
            raise InputError(f"{target} cannot be written: {error.strerror}.") from error
        except InputError as error:
            if str(beside) in str(error):  # the message of an engine that could not write it
                raise InputError(str(error).replace(str(beside), str(target))) from error
            raise


def without_endings(path: Path) -> str:
    """Return the name of a file without its ending and that of its compression.

    Examples
    --------
    >>> without_endings(Path("runs/v1.10.csv.gz"))
    'v1.10'
    """
    return Path(without_wrapping(path.name)).stem


# What follows the ending of a table: that of its compression, or the name of what a grader writes.
_WRAPPING = re.compile(
    r"(?:\.gz|\.zst)+$"
    r"|(?:(?<=\.json)|(?<=jsonl)|(?<=\.[ct]sv))\.(?:eval|result|score|graded|judg|label|metric)"
    r"(?!.*\.(?:jsonl?|[ct]sv|parquet)$).*$",
    re.IGNORECASE,
)


def without_wrapping(name: str) -> str:
    """The name of a file without what follows the ending of a table.

    Examples
    --------
    >>> without_wrapping("run.csv.gz"), without_wrapping("answers.jsonl.eval-results-gpt-4.1")
    ('run.csv', 'answers.jsonl')
    """
    return _WRAPPING.sub("", name)


@contextmanager
def atomic_directory(target: str | Path) -> Iterator[Path]:
    """Yield a temporary directory whose files are all moved to the target, or none of them.

    A target that does not exist is created by a single rename. In an existing target, other files
    stay, and files that were already moved are moved back if another one cannot be.
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
        action = "created" if is_new else "written to"
        raise InputError(f"{target} cannot be {action}: {error.strerror}.") from error
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
    """Move all files of a directory into another one, or none of them."""
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
def temporary_file(directory: Path, suffix: str, failure: str = "") -> Iterator[Path]:
    """Yield an empty file in a directory, and delete it in the end.

    `failure` begins the message of the error if the file cannot be created.
    """
    beside = directory / f".errbar-{secrets.token_hex(8)}{suffix}"
    _UNFINISHED.add(beside)  # before it exists: a signal may come at any time
    try:
        try:
            os.close(os.open(beside, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        except OSError as error:
            failure = failure or f"{directory} cannot be written to"
            raise InputError(f"{failure}: {error.strerror}.") from error
        yield beside
    finally:
        beside.unlink(missing_ok=True)
        _UNFINISHED.discard(beside)


@contextmanager
def temporary_directory() -> Iterator[Path]:
    """Yield an empty directory, and delete it with its contents in the end."""
    place = Path(tempfile.mkdtemp(prefix="errbar-")).resolve()
    _UNFINISHED.add(place)
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
        _UNFINISHED.discard(place)


def directory_until_exit() -> Path:
    """Return an empty directory that is deleted with its contents when the process ends."""
    place = Path(tempfile.mkdtemp(prefix="errbar-"))
    _UNFINISHED.add(place)
    atexit.register(_remove, place, os.getpid())
    return place


def _remove(place: Path, process: int) -> None:
    """Delete a directory of this process; a forked one leaves it to its parent."""
    if os.getpid() == process:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C must not stop the removal
        shutil.rmtree(place, ignore_errors=True)


def remove_unfinished() -> None:
    """Delete all temporary files and directories, for a process that must end at once."""
    for beside in tuple(_UNFINISHED):
        if beside.is_dir():
            shutil.rmtree(beside, ignore_errors=True)
        else:
            beside.unlink(missing_ok=True)


def _require_place(target: str | Path, place: Path) -> None:
    """Refuse a target that cannot be created or replaced as a file."""
    if place.is_dir():
        raise InputError(f"{target} is a directory; name a file in it.")
    if not place.parent.is_dir():
        raise InputError(f"{target} cannot be written: there is no directory {place.parent}.")
    if place.exists() and not place.is_file():
        raise InputError(f"{target} is not a regular file.")
    if place.exists() and not os.access(place, os.W_OK):
        raise InputError(f"{target} cannot be written: it is read-only.")


def _umask() -> int:
    """Return the file mode creation mask of the process."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def nearest_path(place: Path) -> str:
    """A sentence with the existing path most like a missing one, or with its missing part."""
    parent = next(each for each in place.parents if each.is_dir())
    missing = place.relative_to(parent).parts[0]
    try:
        names = [each.name for each in parent.iterdir()]
    except OSError:
        return ""
    if close := get_close_matches(missing, names, n=1):
        return f" Did you mean {str(parent / close[0])!r}?"
    return f" {str(parent)!r} has no {missing!r}." if parent != Path() else ""
