"""Which files there are, and what kind of table each is by its ending."""

import os
from collections.abc import Sequence
from pathlib import Path, PurePath

from errbar.errors import InputError

Paths = str | Path | Sequence[str | Path]

CSV, JSON, PARQUET, ARROW, EXCEL, ARRAY = "CSV", "JSON", "Parquet", "Arrow", "Excel", "NumPy"
_KINDS = {
    ".csv": CSV,
    ".tsv": CSV,
    ".jsonl": JSON,
    ".ndjson": JSON,
    ".json": JSON,
    ".parquet": PARQUET,
    ".pq": PARQUET,
    ".arrow": ARROW,
    ".feather": ARROW,
    ".ipc": ARROW,
    ".xlsx": EXCEL,
    ".npy": ARRAY,
    ".npz": ARRAY,
}
COMPRESSED = (".gz", ".zst")
_PICKLED = (".pkl", ".pickle", ".joblib", ".pt", ".pth")
_PACKED = (".bz2", ".xz", ".lzma", ".zip", ".7z", ".tar", ".tgz", ".lz4", ".br")
_HIDDEN = (".", "__MACOSX", "~$")  # "~$" locks a workbook that is open
_SHOWN = (".aider.results.json",)  # what a harness writes into hidden files


def find_files(paths: Paths) -> list[Path]:
    """The files that paths, patterns or directories stand for, in order; hidden ones are not."""
    each = [paths] if isinstance(paths, str | Path) else paths
    real = ResolvedFolders().real_path
    found = {real(file): file for path in reversed(each) for file in reversed(_files_of(path))}
    return list(reversed(found.values()))


def _files_of(path: str | Path) -> list[Path]:
    text = os.path.expanduser(path)
    place = Path(text)
    if place.is_dir():
        return _files_under(place)
    if place.is_file():
        return [place]
    if any(letter in text for letter in "*?["):
        anchor = Path(place.anchor) if place.is_absolute() else Path()
        pattern = str(place.relative_to(anchor)) if place.is_absolute() else text
        found = [
            file
            for one in sorted(anchor.glob(pattern))
            for file in (_files_under(one) if one.is_dir() else [one])
        ]
        if found:
            return found
        raise InputError(f"{text}: no file matches this pattern.")
    raise InputError(f"{text}: there is no such file or directory.")


def _files_under(folder: Path) -> list[Path]:
    """By os.scandir, whose entries know what they are: a Path would ask the disk for each file."""
    found: list[Path] = []
    folders = [str(folder)]
    while folders:
        try:
            entries = list(os.scandir(folders.pop()))
        except PermissionError:
            continue
        for entry in entries:
            if entry.name.startswith(_HIDDEN) and entry.name not in _SHOWN:
                continue
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            elif entry.is_file():
                found.append(Path(entry.path))
    return sorted(found)


def hidden_tables(paths: Paths) -> list[Path]:
    """Tables in directories that are not read because their names begin with a dot.

    What systems and tools hide there (.git, .DS_Store, ._results.csv) nobody misses.
    """
    each = [paths] if isinstance(paths, str | Path) else paths
    return [
        file
        for folder in map(Path, each)
        if folder.is_dir()
        for file in sorted(folder.rglob(".*"))
        if file.is_file()
        and kind_of(file)
        and not file.name.startswith("._")
        and not any(part.startswith(_HIDDEN) for part in file.relative_to(folder).parts[:-1])
    ]


def kind_of(file: PurePath) -> str | None:
    """What the ending of a file says it is."""
    suffixes = [suffix.lower() for suffix in file.suffixes]
    while suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return _KINDS.get(suffixes[-1]) if suffixes else None


def why_not_read(file: Path) -> str:
    """The reason that a file which is no log of a harness is not read as a table."""
    if file.suffix.lower() in _PICKLED:
        return "a pickle can run any code when it is opened; save the data as Parquet or CSV"
    if file.suffix.lower() in _PACKED:
        return f"errbar does not unpack {file.suffix}; unpack it first (.gz and .zst are read)"
    return f"no log of a harness, and no table: those end in {', '.join(_KINDS)}"


class ResolvedFolders(dict[str, str]):
    """Folders by path as they are without links, each looked up once.

    `Path.resolve` asks for every folder above every file again: of 5,000 reports in folders of
    their own it took over a third of the time of reading them.
    """

    def real_path(self, path: Path) -> str:
        """As `path.resolve()`, in text: of thousands of files a Path for each takes as long."""
        if ".." in path.parts:
            return str(path.resolve())
        return self._real(str(path.absolute()))

    def __missing__(self, folder: str) -> str:
        real = self[folder] = self._real(folder)
        return real

    def _real(self, path: str) -> str:
        above, separator, name = path.rpartition(os.sep)
        if not separator:  # the root, or a drive
            return path
        place = f"{self[above]}{separator}{name}"
        return os.path.realpath(place) if os.path.islink(place) else place
