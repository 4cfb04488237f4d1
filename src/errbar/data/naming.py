"""Which file is which system, where the data do not say it themselves.

Files are told apart by what their names do not share: `results_gpt-4o.csv` and `results_qwen3.csv`
are gpt-4o and qwen3, and `a/eval.json` and `b/eval.json` are a and b. Names that differ by a number
alone may be repeats of one system: they are taken apart, which is said, unless asked otherwise.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from errbar.data.repeat_names import TIME, may_repeat, repeats_of, without_repeats
from errbar.remarks import Above, guess, warning, way_to_say

FilesAre = Literal["systems", "trials", "tasks", "parts"]

_BETWEEN = re.compile(r"([_/\s]+)")  # hyphens and points belong to the names of models
_MOST_SHOWN = 6
_NO_TASKS = frozenset(
    {"results", "result", "eval", "output", "outputs", "samples", "scores", "predictions", "data"}
)
_ENDINGS = frozenset(
    {
        *(".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet", ".pq", ".gz", ".zst"),
        *(".npy", ".npz", ".xlsx", ".feather", ".arrow", ".ipc", ".eval", ".txt"),
    }
)
# Parts of a table: part-00003-…-c000.snappy.parquet of Spark, train-00000-of-00002.arrow.
_PART = re.compile(r"(?:^part-\d{3,}(?:-[0-9a-f-]{8,})?(?:[-.]c\d+)?|-\d{3,}-of-\d{3,})")


class Naming(NamedTuple):
    """The system of each file, which trials of it they are, and what there is to say of that."""

    systems: list[str]
    trials: list[str]  # empty where a file is all there is of its system
    remarks: list[Above]
    tasks: Sequence[str] = ()  # of each file, where files are tasks


def name_systems(files: Sequence[Path], *endings: str, files_are: FilesAre | None = None) -> Naming:
    """Names for files that name no system, each a system of its own unless `files_are` trials.

    Parts of one table, as engines write them side by side, are one file.
    """
    wholes = [_whole(file) for file in files]
    distinct = list(dict.fromkeys(wholes))
    if len(distinct) < len(files):
        naming = name_systems(distinct, *endings, files_are=files_are)
        said = guess(f"{len(files)} files are parts of {_tables(len(distinct))}")
        place = {whole: at for at, whole in enumerate(distinct)}
        at = [place[whole] for whole in wholes]
        alone = len(distinct) == 1
        systems = [("" if alone else naming.systems[one]) for one in at]
        tasks = [naming.tasks[one] for one in at] if naming.tasks else ()
        return Naming(systems, [naming.trials[one] for one in at], [said, *naming.remarks], tasks)
    if files_are in ("tasks", "parts") and len(files) > 1:
        return _tasks_of(files, endings, files_are)
    names = systems_of(files, *endings)
    if files_are == "trials" and len(names) > 1:
        systems = repeats_of(names)
        return Naming(systems, names, [_joined_remark(systems, names)])
    if len(names) < 2:
        return Naming(names, [""] * len(names), [])
    if files_are is None and may_repeat(names):
        join = way_to_say("--files trials", "files='trials'")
        said = warning(
            f"{len(names)} files name no system, and some differ by a number alone "
            f"({_listed(names)}): each is a system of its own. If they repeat one run, join them "
            f"with {join}."
        )
        return Naming(names, [""] * len(names), [said])
    said = guess(
        f"Systems: named after the {len(names)} files",
        option="--files trials, tasks or parts",
        argument="files='trials', 'tasks' or 'parts'",
    )
    return Naming(names, [""] * len(names), [said])


def _tasks_of(files: Sequence[Path], endings: Sequence[str], files_are: str) -> Naming:
    """Files as tasks, or parts, of the system that their folder is; repeats are trials of it."""
    paths = [_named(file, endings) for file in files]
    shared = os.path.commonpath([path.parent for path in paths])
    names = [path.relative_to(shared).as_posix() for path in paths]
    lasts = {name.rpartition("/")[2].lower() for name in names}
    if len(lasts) == 1 and lasts <= _NO_TASKS:
        names = [name.rpartition("/")[0] or name for name in names]
    plain = [without_repeats(name) for name in names]
    trials = names if len(set(plain)) < len(plain) else [""] * len(names)
    systems = [name.rpartition("/")[0] for name in plain]
    if files_are == "parts":
        said = guess(
            f"Files are parts of {_listed(dict.fromkeys(systems)) or 'one system'}",
            option="--files systems",
            argument="files='systems'",
        )
        return Naming(systems, [""] * len(names), [said])
    tasks = [name.rpartition("/")[2] for name in plain]
    whose = "the system that its folder is" if any(systems) else "one system"
    said = guess(
        f"Each file is a task of {whose}: {_listed(dict.fromkeys(plain))}",
        option="--files systems",
        argument="files='systems'",
    )
    return Naming(systems, trials, [said], tasks)


def _joined_remark(systems: Sequence[str], names: Sequence[str]) -> Above:
    """Which files are the trials of which system."""
    groups: dict[str, list[str]] = {}
    for system, name in zip(systems, names, strict=True):
        groups.setdefault(system, []).append(name)
    each = [f"{system or 'one system'} = {_listed(files)}" for system, files in groups.items()]
    more = f"; and {len(each) - _MOST_SHOWN} more" if len(each) > _MOST_SHOWN else ""
    return guess(
        f"Files are trials: {'; '.join(each[:_MOST_SHOWN])}{more}",
        option="--files systems",
        argument="files='systems'",
    )


def _whole(file: Path) -> Path:
    """The table that a file is a part of, by its name; the file itself if it is none."""
    name = _PART.sub("", file.name)
    if name == file.name:
        return file
    stem = name.partition(".")[0].strip("-_ ")
    return file.parent / stem if stem and stem not in ("data", "part") else file.parent


def _tables(number: int) -> str:
    return "one table" if number == 1 else f"{number} tables"


def systems_of(files: Sequence[Path], *endings: str) -> list[str]:
    """Names of files without their ending and without what all of them share.

    A file that is called nothing else goes by its folder; of files that are called the same the
    folders are told too.

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
    paths = [_named(file, endings) for file in files]
    names = [path.name for path in paths]
    if len(set(names)) < len(names):
        shared = os.path.commonpath([path.parent for path in paths])
        names = [path.relative_to(shared).as_posix() for path in paths]
    if len(set(names)) < len(names):  # that differ by their endings only
        shared = os.path.commonpath([file.resolve().parent for file in files])
        names = [file.resolve().relative_to(shared).as_posix() for file in files]
    return _without_shared(names) if len(set(names)) == len(names) else [str(f) for f in files]


def without_time(name: str) -> str:
    """A name without dates and times of day, which tell runs apart and not systems.

    Examples
    --------
    >>> without_time("20250829_goose_claude-4-opus"), without_time("2025-08-27__22-13-13_results")
    ('goose_claude-4-opus', 'results')
    """
    return TIME.sub("", name).strip("_-. ")


def data_set_of(question: str) -> str:
    """What stands before the stroke of an id: HumanEval of HumanEval/7."""
    return question.rpartition("/")[0]


def _named(file: Path, endings: Sequence[str]) -> Path:
    whole = file.resolve()
    name = whole.name.removesuffix(".gz").removesuffix(".zst")
    ending = next((one for one in endings if name.endswith(one)), "")
    if not ending and Path(name).suffix.lower() in _ENDINGS:
        ending = Path(name).suffix
    stem = name.removesuffix(ending).rstrip("_.")
    return whole.parent / stem if stem else whole.parent


def _without_shared(names: list[str]) -> list[str]:
    """Names without the words that all of them begin or end with; a number is no name."""
    if len(names) < 2:
        return names
    words = [_BETWEEN.split(name) for name in names]  # words at even places, what is between at odd
    start = _shared_words(words)
    end = _shared_words([list(reversed(one[start:])) for one in words])
    kept = ["".join(one[start : len(one) - end]) for one in words]
    while start and not all(map(_is_name, kept)):
        start -= 2
        kept = ["".join(one[start : len(one) - end]) for one in words]
    good = len(set(kept)) == len(kept) and all(map(_is_name, kept))
    return kept if good else names


def _is_name(text: str) -> bool:
    """Whether there is a letter in it."""
    return any(letter.isalpha() for letter in text)


def _shared_words(words: Sequence[Sequence[str]]) -> int:
    """How many places from the start all have in common, up to and with a mark between words."""
    shared = 0
    for at, column in enumerate(zip(*words, strict=False)):
        if len(set(column)) > 1:
            break
        if at % 2:
            shared = at + 1
    return shared


def _listed(names: Sequence[str] | dict[str, None]) -> str:
    shown = [name for name in names if name]
    more = f" and {len(shown) - _MOST_SHOWN} more" if len(shown) > _MOST_SHOWN else ""
    return ", ".join(shown[:_MOST_SHOWN]) + more
