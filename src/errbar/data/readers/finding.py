"""Which files there are below paths, and how they begin.

Every folder is looked up once, and small files are kept between being recognised and being read.
"""

import gzip
import os
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path, PurePath

from errbar.base.files import nearest_path
from errbar.base.remarks import some_of
from errbar.data.readers.file_formats import (
    COMPRESSED,
    CSV,
    JSON,
    MARKS_OF_UTF16,
    decode,
    is_utf8,
    is_utf8_file,
    kind_of,
)
from errbar.errors import InputError

PathsOrGlobs = str | Path | Sequence[str | Path]
_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0)  # which only Windows has
_HIDDEN = "hidden, since its name starts with a dot; pass its path to read it"
_LINK = "a link to a folder; pass its path to read it"
_NOWHERE = "a link to a file that does not exist"
_CLOSED = "a folder that may not be opened"
_NO_FILE = "a pipe, socket or device, not a file"
_NEVER_READ = (".", "__MACOSX", "~$")  # "~$" marks the lock file of an open workbook
_SHOWN = (".aider.results.json", ".latest_test_run.json")  # hidden, and logs of a harness
_MANY = 16  # files of a folder that is worth listing twice


class ResolvedFolders:
    """Cache of folders with links resolved, each looked up once.

    `Path.resolve` looks up every parent folder of every file again: with 5,000 reports in
    separate folders it took over a third of the reading time. Of a folder that was listed, all
    links are known, so that its files need not be looked up at all.
    """

    def __init__(self) -> None:
        self._path_of = cache(Path)
        self._here = os.getcwd()
        self._real_folders: dict[str, str] = {}
        self._listed: dict[str, str] = {}  # real path of each folder that was listed
        self._links: dict[str, str] = {}  # target of each link in these

    def real_path(self, path: Path) -> str:
        """Like `path.resolve()`, but as text: creating thousands of Path objects is as slow."""
        text = str(path)
        above, _, name = text.rpartition(os.sep)
        place = self._listed.get(above)
        if place is not None:
            return self._links.get(text) or f"{place}{os.sep}{name}"
        if ".." in text and ".." in path.parts:
            return str(path.resolve())
        if not os.path.isabs(text):
            text = self._here if text == "." else os.path.join(self._here, text)
        return self._real(text)

    def folder_of(self, path: Path) -> Path:
        """Like `path.resolve().parent`."""
        return self._path_of(self.real_path(path).rpartition(os.sep)[0] or os.sep)

    def files_under(self, folder: Path, unread: dict[Path, str]) -> list[tuple[str, Path]]:
        """Files below a folder in order, each with its real path; others are added to `unread`.

        By os.scandir, which needs no extra system call per file. Links to folders are not followed.
        """
        found: list[tuple[str, str, Path | None]] = []  # path, real path, and the object if known
        folders = [(str(folder), self.real_path(folder))]
        others: dict[str, str] = {}  # what is no file, with the target if it is a link
        while folders:
            path, place = folders.pop()
            try:
                entries = list(os.scandir(path))
            except OSError as error:
                closed = isinstance(error, PermissionError)
                unread[Path(path)] = _CLOSED if closed else f"cannot be read: {error.strerror}"
                continue
            paths = _paths_in(path) if len(entries) > _MANY else {}
            place = place.rstrip(os.sep)
            self._listed[path.removeprefix(f".{os.sep}")] = place
            for entry in entries:
                name = entry.name
                if name.startswith(_NEVER_READ) and name not in _SHOWN:
                    if _is_hidden_by_dot(entry):
                        unread[Path(entry.path)] = _HIDDEN
                    continue
                real = f"{place}{os.sep}{name}"
                if entry.is_dir(follow_symlinks=False):
                    folders.append((entry.path, real))
                    continue
                is_link = entry.is_symlink()
                if is_link:
                    real = os.path.realpath(real)
                    self._links[entry.path.removeprefix(f".{os.sep}")] = real
                if os.path.isfile(real) if is_link else entry.is_file():  # or a loop
                    found.append((entry.path, real, paths.get(name)))
                else:
                    others[entry.path] = real
        read = set(self._listed.values())
        unread |= {Path(path): _why_no_file(at) for path, at in others.items() if at not in read}
        # the order of the parts of paths, as of Path, whose comparison takes ten times as long
        found.sort(key=lambda file: os.path.normcase(file[0]).replace(os.sep, "\0"))
        return [(real, known or Path(path)) for path, real, known in found]

    def _folder(self, folder: str) -> str:
        real = self._real_folders.get(folder)
        if real is None:
            real = self._real_folders[folder] = self._real(folder)
        return real

    def _real(self, path: str) -> str:
        above, separator, name = path.rpartition(os.sep)
        if not separator:  # the root, or a drive
            return path
        place = f"{self._folder(above)}{separator}{name}"
        return os.path.realpath(place) if os.path.islink(place) else place


def _paths_in(folder: str) -> dict[str, Path]:
    """The paths in a folder by name; to parse each anew takes three times as long."""
    return {child.name: child for child in Path(folder).iterdir()}


def _is_hidden_by_dot(entry: os.DirEntry[str]) -> bool:
    name = entry.name
    is_own = name.startswith(".") and not name.startswith("._") and not name.endswith(_SHOWN)
    return is_own and os.path.isfile(entry.path)


def _why_no_file(path: str) -> str:
    """Why a path that is no file is not read; `path` has its links resolved."""
    if os.path.isdir(path):
        return _LINK
    return _NO_FILE if os.path.exists(path) else _NOWHERE


_FOLDERS: ContextVar[ResolvedFolders | None] = ContextVar("folders", default=None)


def resolved_folders() -> ResolvedFolders:
    """The folders looked up so far."""
    current = _FOLDERS.get()
    return ResolvedFolders() if current is None else current


def hidden_in(where: str) -> str:
    """What is hidden in a folder, in words; "" if nothing is."""
    names = sorted(os.listdir(where)) if os.path.isdir(where) else []
    hidden = some_of([name for name in names if name[0] == "." and name not in _SHOWN], 3)
    return f" Hidden, and not read unless you pass its path: {hidden}." if hidden else ""


def find_files(paths: PathsOrGlobs) -> list[Path]:
    """Expand paths, patterns and directories into files, in order; hidden files are left out."""
    return find_all_files(paths)[0]


def find_all_files(paths: PathsOrGlobs) -> tuple[list[Path], dict[Path, str]]:
    """Files of paths, patterns and directories; and what is there but not read, with the reasons.

    Files of operating systems and tools (.git, .DS_Store, ._results.csv) are left out.
    """
    each = [paths] if isinstance(paths, str | Path) else paths
    real = resolved_folders()
    unread: dict[Path, str] = {}
    every = [found for path in each for found in _files_of(path, real, unread)]
    kept = dict(reversed(every))
    if len(kept) < len(every):  # a file that is given twice by one path is no link
        again = {file: kept[place] for place, file in every if file != kept[place]}
        unread |= {link: f"the same file as {file}, by a link" for link, file in again.items()}
    reasons = sorted(unread.items())
    named = {file: reason for file, reason in reasons if file.name[0] != "." or kind_of(file)}
    return list(reversed(kept.values())), named


def _files_of(
    path: str | Path, real: ResolvedFolders, unread: dict[Path, str]
) -> list[tuple[str, Path]]:
    """Files of a path or pattern, each with its path after links are resolved."""
    text = os.path.expanduser(path)
    if not text:
        raise InputError("a path is empty; for the current directory write '.'.")
    place = Path(text)
    try:
        place.stat()
    except FileNotFoundError:
        pass  # perhaps a pattern
    except (OSError, ValueError) as error:  # too long, not permitted, a null byte
        raise InputError(f"{text} cannot be read: {getattr(error, 'strerror', error)}.") from error
    if place.is_dir():
        return real.files_under(place, unread)
    if place.is_file():
        return [(real.real_path(place), place)]
    if any(letter in text for letter in "*?["):
        anchor = Path(place.anchor) if place.is_absolute() else Path()
        pattern = str(place.relative_to(anchor)) if place.is_absolute() else text
        found: list[tuple[str, Path]] = []
        for match in sorted(anchor.glob(pattern)):
            if match.is_dir():
                found += real.files_under(match, unread)
            elif match.is_file():
                found.append((real.real_path(match), match))
            else:
                unread[match] = _why_no_file(str(match))
        if found:
            return found
        raise InputError(f"{text}: no file matches this pattern.")
    if place.exists():
        raise InputError(f"{text}: {_NO_FILE}. To read a pipe, pass it as standard input, named -.")
    raise InputError(f"{text}: there is no such file or directory.{nearest_path(place)}")


def is_compressed(file: PurePath) -> bool:
    """Whether a suffix is that of a compressed file."""
    return file.name.lower().endswith(COMPRESSED)


class _SmallFiles(dict[Path, bytes]):
    """Contents of files that were read whole: opening 100,000 small files twice is slow."""

    left = 1 << 28  # bytes that may still be kept

    def __init__(self) -> None:
        super().__init__()
        self.encodings: dict[Path, str] = {}  # of files that are kept as UTF-8, but are not


_KEPT: ContextVar[_SmallFiles | None] = ContextVar("small_files", default=None)


@contextmanager
def opened_once() -> Iterator[None]:
    """Keep small files between being recognised and being read, and folders that are resolved."""
    kept, folders = _KEPT.set(_SmallFiles()), _FOLDERS.set(ResolvedFolders())
    try:
        yield
    finally:
        _KEPT.reset(kept)
        _FOLDERS.reset(folders)


def whole_file(path: Path) -> bytes | None:
    """The content of a small file that was read already; never that of a compressed one."""
    kept = _KEPT.get()
    return None if kept is None else kept.get(path)


_MOST_RECODED = 1 << 28  # bytes of a text file that is converted in memory


def encoding_of(path: Path) -> str:
    """Encoding of a text file whose content is kept as UTF-8; empty if it is UTF-8 itself."""
    kept = _KEPT.get()
    return "" if kept is None or not kept.encodings else kept.encodings.get(path, "")


def keep_as_utf8(path: Path) -> None:
    """Keep the content of a text file as UTF-8 if it is UTF-16 with its mark, or not UTF-8.

    Text that is not UTF-8 is taken to be that of Windows in Western languages.
    """
    kept = _KEPT.get()
    raw = None if kept is None else kept.get(path)
    if kept is None or (raw is not None and is_utf8(raw)):
        return
    if kind_of(path) not in (CSV, JSON) or is_compressed(path):
        return
    if raw is None and (size_of(path) > _MOST_RECODED or is_utf8_file(path)):
        return
    found = decode(path.read_bytes() if raw is None else raw)
    if found is not None:  # else it raises an error when it is read
        kept[path], kept.encodings[path] = found[0].encode(), found[1]


def size_of(path: Path) -> int:
    """Bytes of a file, compressed if it is; 0 if it is not there."""
    small = whole_file(path)
    if small is not None:
        return len(small)
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def size_of_all(paths: Collection[Path]) -> int:
    """Bytes of files together, without a call for each that was read already."""
    kept = _KEPT.get()
    if kept is None:
        return sum(map(size_of, paths))
    small = zip(paths, map(kept.get, paths), strict=True)
    return sum(size_of(path) if content is None else len(content) for path, content in small)


def head_of(path: Path, most: int) -> bytes:
    """The first bytes of a file, decompressed."""
    kept = _KEPT.get()
    if kept is not None and (whole := kept.get(path)) is not None:
        return whole
    try:
        if path.name.endswith(".gz") and path.suffix:
            with gzip.open(path, "rb") as packed:
                return packed.read(most)
        head, is_whole = _first_bytes(path, most)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} cannot be read: {error}.") from error
    if kept is not None and head.startswith(MARKS_OF_UTF16):
        keep_as_utf8(path)
        if path in kept:
            return kept[path]
    if kept is not None and is_whole and len(head) < kept.left and not is_compressed(path):
        kept[path] = head
        kept.left -= len(head)
    return head


def _first_bytes(path: Path, most: int) -> tuple[bytes, bool]:
    """The first bytes of a file, and whether they are all; os.open takes half the time of open."""
    file = os.open(path, _READ)
    try:
        head = more = os.read(file, most)
        while more and len(head) < most:  # a pipe may give less than it has
            more = os.read(file, most - len(head))
            head += more
        return head, not more and len(head) > 0
    finally:
        os.close(file)
