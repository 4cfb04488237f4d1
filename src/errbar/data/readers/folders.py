"""Files below a folder, and paths with links resolved, each folder looked up once."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

_HIDDEN = "hidden, since its name starts with a dot; pass its path to read it"
_LINK = "a link to a folder; pass its path to read it"
_NOWHERE = "a link to a file that does not exist"
_CLOSED = "a folder that may not be opened"
_NEVER_READ = (".", "__MACOSX", "~$")  # "~$" marks the lock file of an open workbook
_SHOWN = (".aider.results.json",)  # hidden files that are logs of a harness


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
        found: list[tuple[str, str]] = []  # path, and real path
        folders = [(str(folder), self.real_path(folder))]
        linked: dict[str, str] = {}  # links to folders and to nothing, with their targets
        while folders:
            path, place = folders.pop()
            try:
                entries = list(os.scandir(path))
            except PermissionError:
                unread[Path(path)] = _CLOSED
                continue
            place = place.rstrip(os.sep)
            self._listed[path.removeprefix(f".{os.sep}")] = place
            for entry in entries:
                name = entry.name
                if name.startswith(_NEVER_READ) and name not in _SHOWN:
                    if _is_hidden_by_dot(entry):
                        unread[Path(entry.path)] = _HIDDEN
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append((entry.path, f"{place}{os.sep}{name}"))
                elif entry.is_symlink():
                    target = os.path.realpath(f"{place}{os.sep}{name}")
                    self._links[entry.path.removeprefix(f".{os.sep}")] = target
                    if entry.is_file():
                        found.append((entry.path, target))
                    else:
                        linked[entry.path] = target
                elif entry.is_file():
                    found.append((entry.path, f"{place}{os.sep}{name}"))
        read = set(self._listed.values())
        for path, target in linked.items():
            if target not in read:
                unread[Path(path)] = _LINK if os.path.isdir(target) else _NOWHERE
        # the order of the parts of paths, as of Path, whose comparison takes ten times as long
        found.sort(key=lambda pair: os.path.normcase(pair[0]).replace(os.sep, "\0"))
        return [(real, Path(path)) for path, real in found]

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


def _is_hidden_by_dot(entry: os.DirEntry[str]) -> bool:
    name = entry.name
    is_own = name.startswith(".") and not name.startswith("._") and not name.endswith(_SHOWN)
    return is_own and entry.is_file()


_CURRENT: ContextVar[ResolvedFolders | None] = ContextVar("folders", default=None)


@contextmanager
def resolved_once() -> Iterator[None]:
    """Keep the folders that are looked up meanwhile."""
    token = _CURRENT.set(ResolvedFolders())
    try:
        yield
    finally:
        _CURRENT.reset(token)


def resolved_folders() -> ResolvedFolders:
    """The folders looked up so far."""
    current = _CURRENT.get()
    return ResolvedFolders() if current is None else current
