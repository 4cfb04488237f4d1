"""Name systems after files if the data do not name them.

File and folder names are used without shared prefixes and suffixes; see `docs/reading.md`.
"""

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from errbar.base.files import without_wrapping
from errbar.base.remarks import Above, guess, setting, some_of, warning
from errbar.data.readers.choices import FilesAre
from errbar.data.readers.file_formats import COMPRESSED, ENDINGS
from errbar.data.readers.finding import resolved_folders
from errbar.data.readers.tables.compared_files import formats_remark, systems_and_tasks
from errbar.data.readers.tables.repeat_numbers import TIME, may_repeat, repeats_of, without_repeats
from errbar.data.readers.tables.split_files import lacking_parts, may_be_pieces, whole_of

_BETWEEN = re.compile(r"([_/\s]+)")  # hyphens and periods are part of model names
_MOST_SHOWN = 6
_NO_TASKS = frozenset(
    {"results", "result", "eval", "output", "outputs", "samples", "scores", "predictions", "data"}
)
_ENDINGS = frozenset((*ENDINGS, *COMPRESSED, ".eval", ".txt"))


class Naming(NamedTuple):
    """System and trial of each file, with remarks."""

    systems: list[str]
    trials: list[str]  # empty if a file is the only one of its system
    remarks: list[Above]
    tasks: Sequence[str] = ()  # task of each file, if files are tasks


def name_systems(
    files: Sequence[Path],
    *endings: str,
    files_are: FilesAre | None = None,
    pieces: bool = False,
) -> Naming:
    """Name files that do not name their system; each is a system unless `files_are` says otherwise.

    Parts of a table, as written by Spark, count as one file, and with `pieces` so do shards.
    """
    are_pieces = pieces or (files_are == "parts" and may_be_pieces(files))
    wholes = [whole_of(f, pieces=are_pieces) if files_are != "systems" else f for f in files]
    distinct = list(dict.fromkeys(wholes))
    if len(distinct) < len(files):
        rest = None if are_pieces and files_are == "parts" else files_are
        naming = name_systems(distinct, *endings, files_are=rest)
        parts = guess(
            f"{len(files)} files are parts of {_tables(len(distinct))}",
            option="--files systems",
            argument="files='systems'",
        )
        if pieces:
            parts = guess(
                f"{len(files)} files are parts of {_tables(len(distinct))}, by their names "
                f"({_listed([file.name for file in files])}) and since no question is in two parts",
                option="--files systems",
                argument="files='systems'",
            )
        remarks = [parts, *lacking_parts(files, wholes), *naming.remarks]
        place = {whole: at for at, whole in enumerate(distinct)}
        at = [place[whole] for whole in wholes]
        alone = len(distinct) == 1
        systems = [("" if alone else naming.systems[index]) for index in at]
        tasks = [naming.tasks[index] for index in at] if naming.tasks else ()
        return Naming(systems, [naming.trials[index] for index in at], remarks, tasks)
    if files_are in ("tasks", "parts") and len(files) > 1:
        return _tasks_of(files, endings, files_are)
    names = systems_of(files, *endings)
    if files_are == "trials" and len(names) > 1:
        systems = repeats_of(names)
        return Naming(systems, names, [_joined_remark(systems, names)])
    if len(names) < 2:
        return Naming(names, [""] * len(names), [])
    if files_are is None and may_repeat(names):
        join = setting("files", "trials")
        remark = warning(
            f"{len(names)} files name no system, and some differ only by a number "
            f"({_listed(names)}): each is read as a separate system. If they repeat one run, join "
            f"them with {join}; if they are parts of one table, with {setting('files', 'parts')}; "
            f"if each is a question, with {setting('files', 'questions')}."
        )
        return Naming(names, [""] * len(names), [remark])
    remark = guess(
        f"Systems: named after the {len(names)} files",
        option="--files trials, tasks, parts or questions",
        argument="files='trials', 'tasks', 'parts' or 'questions'",
    )
    return Naming(names, [""] * len(names), [remark, *formats_remark(files)])


def _tasks_of(files: Sequence[Path], endings: Sequence[str], files_are: str) -> Naming:
    """Files as tasks or parts of the system that is their folder; repeats are trials."""
    real_path = resolved_folders().real_path
    names = _below_shared([without_ending(real_path(file), endings) for file in files])
    lasts = {name.rpartition("/")[2].lower() for name in names}
    if len(lasts) == 1 and lasts <= _NO_TASKS:
        names = [name.rpartition("/")[0] or name for name in names]
    plain = [without_repeats(name) for name in names]
    trials = names if len(set(plain)) < len(plain) else [""] * len(names)
    systems, tasks = systems_and_tasks(plain, in_names=files_are == "tasks")
    if files_are == "parts":
        remark = guess(
            f"Files are parts of {_listed(dict.fromkeys(systems)) or 'one system'}, in this order: "
            f"{_listed(names)}",
            option="--files systems",
            argument="files='systems'",
        )
        return Naming(systems, [""] * len(names), [remark])
    system = "one system" if not any(systems) else "the system named by its folder"
    if any(systems) and systems[0] != plain[0].rpartition("/")[0]:
        system = "the system named by the file; the folder names the task"
        system = system if "/" in plain[0] else "the system named by the rest of its name"
    remark = guess(
        f"Each file is a task of {system}: {_listed(dict.fromkeys(plain))}",
        option="--files systems",
        argument="files='systems'",
    )
    return Naming(systems, trials, [remark], tasks)


def _joined_remark(systems: Sequence[str], names: Sequence[str]) -> Above:
    """Guess that says which files are trials of which system."""
    groups: dict[str, list[str]] = {}
    for system, name in zip(systems, names, strict=True):
        groups.setdefault(system, []).append(name)
    each = [f"{system or 'one system'} = {_listed(files)}" for system, files in groups.items()]
    return guess(
        f"Files are trials: {some_of(each, _MOST_SHOWN, '; ')}",
        option="--files systems",
        argument="files='systems'",
    )


def _tables(number: int) -> str:
    return "one table" if number == 1 else f"{number} tables"


def systems_of(files: Sequence[Path], *endings: str) -> list[str]:
    """File names without their suffix and without shared words.

    A file without a distinctive name is named after its folder; files with equal names get the
    folder names as well.

    Examples
    --------
    >>> systems_of([Path("out/a_results.jsonl"), Path("out/b_results.jsonl")], "_results.jsonl")
    ['a', 'b']
    >>> systems_of([Path("a/results.json"), Path("b/results.json")], "results.json")
    ['a', 'b']
    >>> systems_of([Path("results_org_gpt-4o.csv"), Path("results_org_gpt-4o-mini.csv")])
    ['gpt-4o', 'gpt-4o-mini']
    """
    if not files:
        return []
    wholes = list(map(resolved_folders().real_path, files))
    paths = [without_ending(whole, endings) for whole in wholes]
    names = [path.rpartition(os.sep)[2] for path in paths]
    folders = [path.rpartition(os.sep)[0] for path in paths]
    if len(set(folders)) == len(folders) and not any(_is_name(without_time(n)) for n in names):
        names = _below_shared(folders)  # of one run each, whose time is the name of the file
    elif len(set(names)) < len(names):
        names = _below_shared(paths)
    if len(set(names)) < len(names):  # files that differ only in their suffix
        names = _below_shared(wholes)
    return _without_shared(names) if len(set(names)) == len(names) else [str(f) for f in files]


def without_time(name: str) -> str:
    """Remove dates and times from a name, since they distinguish runs and not systems.

    Examples
    --------
    >>> without_time("20250829_goose_claude-4-opus"), without_time("2025-08-27__22-13-13_results")
    ('goose_claude-4-opus', 'results')
    """
    return TIME.sub("", name).strip("_-. ")


def data_set_of(question: str) -> str:
    """Part of an id before the slash: HumanEval in HumanEval/7."""
    return question.rpartition("/")[0]


def _below_shared(paths: Sequence[str]) -> list[str]:
    """Paths without the folders that all of them are in."""
    shared = os.path.commonpath([Path(path).parent for path in paths])
    return [Path(path).relative_to(shared).as_posix() for path in paths]


def without_ending(whole: str, endings: Sequence[str] = ()) -> str:
    """A path without the ending of its file; the path of its folder if only an ending is left."""
    folder, _, name = whole.rpartition(os.sep)
    name = without_wrapping(name)
    ending = next((ending for ending in endings if name.endswith(ending)), "")
    if not ending:
        suffix = os.path.splitext(name)[1]
        ending = suffix if suffix.lower() in _ENDINGS else ""
    stem = name.removesuffix(ending).rstrip("_.")
    return f"{folder}{os.sep}{stem}" if stem else folder


def _without_shared(names: list[str]) -> list[str]:
    """Remove the words that all names start or end with; a number alone is not a name."""
    if len(names) < 2:
        return names
    # words at even positions, separators at odd ones
    words = [_BETWEEN.split(name) for name in names]
    start = _common_length(words)
    end = _common_length([list(reversed(words_of_name[start:])) for words_of_name in words])
    kept = ["".join(words_of_name[start : len(words_of_name) - end]) for words_of_name in words]
    while start and not all(map(_is_name, kept)):
        start -= 2
        kept = ["".join(words_of_name[start : len(words_of_name) - end]) for words_of_name in words]
    good = len(set(kept)) == len(kept) and all(map(_is_name, kept))
    return kept if good else names


def _is_name(text: str) -> bool:
    """Whether a text contains a letter."""
    return text[:1].isalpha() or any(map(str.isalpha, text))


def _common_length(words: Sequence[Sequence[str]]) -> int:
    """Length of the common prefix, ending at a separator."""
    shared = 0
    for at, column in enumerate(zip(*words, strict=False)):
        if len(set(column)) > 1:
            break
        if at % 2:
            shared = at + 1
    return shared


def _listed(names: Iterable[str]) -> str:
    return some_of(filter(None, names), _MOST_SHOWN)
