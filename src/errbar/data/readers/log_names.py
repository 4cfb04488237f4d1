"""Systems of logs that may leave out their model: those of such files are named after the files."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from errbar.base.remarks import Above
from errbar.data.readers.tables.naming import FilesAre, name_systems, systems_of

FILES_ARE: tuple[FilesAre, ...] = ("systems", "trials")  # what the files of such logs may be


def log_systems(
    named: Mapping[Path, str], files_are: FilesAre | None, *endings: str
) -> tuple[dict[Path, str], list[Above]]:
    """System of each log, from the one that it names.

    Logs without a name are read as tables without one are. With `files_are="systems"`, logs of one
    system get the names of their files as well.
    """
    systems, remarks = dict(named), list[Above]()
    unnamed = [file for file, system in named.items() if not system]
    if unnamed and len(named) > 1:
        naming = name_systems(unnamed, *endings, files_are=files_are)
        systems |= zip(unnamed, naming.systems, strict=True)
        remarks += naming.remarks
    if files_are == "systems":
        systems |= _apart([file for file in named if named[file]], systems, endings)
    return systems, remarks


def _apart(
    files: Sequence[Path], systems: Mapping[Path, str], endings: Sequence[str]
) -> dict[Path, str]:
    """Systems with the names of their files, if a system has several."""
    often = Counter(systems[file] for file in files)
    several = [file for file in files if often[systems[file]] > 1]
    names = systems_of(several, *endings)
    return {file: f"{systems[file]} ({name})" for file, name in zip(several, names, strict=True)}
