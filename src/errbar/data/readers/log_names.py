"""Systems of logs that may leave out their model: those of such files are named after the files."""

import os
from collections.abc import Mapping
from pathlib import Path

from errbar.base.remarks import Above, guess
from errbar.data.readers.tables.naming import (
    FilesAre,
    Naming,
    name_systems,
    systems_of,
    without_ending,
)

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
    known = {file: (system,) for file, system in systems.items() if named[file]}
    return systems | runs_apart(known, files_are, *endings), remarks


def runs_apart(
    subjects: Mapping[Path, tuple[str, ...]], files_are: FilesAre | None, *endings: str
) -> dict[Path, str]:
    """System of each file, the first part of its subject.

    With `files_are="systems"`, files of one subject get the names of their files as well, as far as
    these differ.
    """
    systems = {file: subject[0] for file, subject in subjects.items()}
    if files_are != "systems":
        return systems
    by_subject: dict[tuple[str, ...], list[Path]] = {}
    for file, subject in subjects.items():
        by_subject.setdefault(subject, []).append(file)
    for subject, files in by_subject.items():
        if len(files) > 1:
            names = systems_of(files, *endings)
            systems |= {
                file: f"{subject[0]} ({name})" for file, name in zip(files, names, strict=True)
            }
    return systems


def names_within_tasks(
    tasks: Mapping[Path, str], files_are: FilesAre | None, *endings: str
) -> Naming:
    """Systems of files that know their task: those of several tasks may have the same file names.

    Two files with one name, of different tasks, are one system. Otherwise files are named as those
    that know nothing.
    """
    files = list(tasks)
    if files_are is None and len(set(tasks.values())) > 1:
        named = [without_ending(str(file), endings).rpartition(os.sep)[2] for file in files]
        subjects = set(zip(named, tasks.values(), strict=True))
        distinct = list(dict.fromkeys(named))
        if len(subjects) == len(files) > len(distinct):
            short = dict(zip(distinct, systems_of(list(map(Path, distinct))), strict=True))
            remark = guess(
                f"Systems: the {len(distinct)} names of the {len(files)} files, which are of "
                f"{len(set(tasks.values()))} tasks",
                option="--files systems",
                argument="files='systems'",
            )
            return Naming([short[name] for name in named], [""] * len(files), [remark])
    return name_systems(files, *endings, files_are=files_are)
