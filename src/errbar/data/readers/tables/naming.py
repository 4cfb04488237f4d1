"""Name systems after files if the data do not name them, and find files that are repeats.

File and folder names are used without shared prefixes and suffixes; see `docs/reading.md`.
"""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, NoReturn

from errbar.base.files import without_wrapping
from errbar.base.remarks import Above, guess, setting, some_of, warning
from errbar.data.readers.finding import COMPRESSED, ENDINGS, resolved_folders
from errbar.data.readers.tables.compared_files import formats_remark, systems_and_tasks
from errbar.data.readers.tables.split_files import lacking_parts, may_be_pieces, whole_of
from errbar.errors import InputError

FilesAre = Literal["systems", "questions", "trials", "tasks", "parts"]

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
    if any(systems) and tasks[0] != plain[0].rpartition("/")[2]:
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
    """A path without the ending of its file; that of the folder if nothing else is left."""
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


RowsAre = Literal["trials", "questions"]
RepeatsAre = Literal["refuse", "keep", "last"]
KeysAre = Literal["systems", "questions"]


@dataclass(frozen=True)
class HowToRead:
    """Options of reading; None or empty means that errbar decides."""

    assignment: Mapping[str, str | None] = field(default_factory=dict)
    right: tuple[str, ...] = ()  # words that mean right
    rows: RowsAre | None = None  # role of rows with the same id
    files: FilesAre | None = None  # role of files that do not name their system
    repeats: RepeatsAre = "refuse"  # how to treat repeated trials
    keys: KeysAre | None = None  # role of the keys of lists of outcomes
    pieces: bool = False  # whether shards and the like are parts of one table


# A date, optionally with a time: 2025-08-27__22-13-13, 20260523T033555Z, 20250829.
TIME = re.compile(
    r"(?<!\d)20\d\d-?[01]\d-?[0-3]\d"
    r"(?:(?:T|[_ ]{1,2}|-)[0-2]\d[-:_.]?[0-5]\d(?:[-:_.]?[0-5]\d)?(?:[.-]\d+)?Z?)?(?![\d])"
)
_WORDS = (
    *("seed", "run", "trial", "repeat", "rep", "iteration", "iter", "attempt", "try", "sample"),
    *("epoch", "replicate", "rollout", "repetition", "rs"),
)
_FIELD = re.compile(
    rf"(?P<time>{TIME.pattern})"
    rf"|(?P<repeat>(?<![a-z])(?:{'|'.join(_WORDS)})s?[-_ .=]?\(?\d+\)?(?![a-z0-9]))"
    r"|(?P<number>\d+)",
    re.I,
)
_DECIMALS, _BEFORE_DECIMALS = re.compile(r"\.\d"), re.compile(r"\d\.")
_EDGES = "_-. /:()"
_FIRST = 100  # names among which repeats are looked for first


class _Field(NamedTuple):
    """A number in a name."""

    start: int
    end: int
    text: str
    counts_repeats: bool
    is_of_model: bool  # as in 7b, 4o, 2.5, or in qwen3 if that is a folder


def repeats_of(names: Sequence[str]) -> list[str]:
    """Remove the number that counts repeats from each name.

    Examples
    --------
    >>> repeats_of(["llama-7b_seed1", "llama-7b_seed2", "llama-13b_seed1", "gpt-4o_seed1"])
    ['llama-7b', 'llama-7b', 'llama-13b', 'gpt-4o']
    >>> repeats_of(["out_1", "out_2", "final"])
    ['out', 'out', 'final']
    >>> repeats_of(["monday", "tuesday"])
    ['', '']
    """
    fields = [_fields(name) for name in names]
    groups: dict[str, list[int]] = {}
    for at, name in enumerate(names):
        groups.setdefault(_template(name, fields[at]), []).append(at)
    systems = list(names)
    for places in groups.values():
        dropped = _counting_numbers([fields[at] for at in places], [names[at] for at in places])
        for at in places:
            systems[at] = _without(names[at], [fields[at][name] for name in dropped])
    if len(set(systems)) == len(systems) > 1:
        apart = next((places for places in groups.values() if len(places) > 1), None)
        if apart is None:
            return [""] * len(names)
        _refuse([names[at] for at in apart])
    return systems


def without_repeats(name: str) -> str:
    """Remove numbers that words or dates mark as repeats from a name.

    Examples
    --------
    >>> without_repeats("gpt-4o/gsm8k/seed_0"), without_repeats("arc_2")
    ('gpt-4o/gsm8k', 'arc_2')
    """
    return _without(name, [part for part in _fields(name) if part.counts_repeats])


def may_repeat(names: Sequence[str]) -> bool:
    """Whether some names differ only by a number that may count repeats."""
    if len(names) > _FIRST and may_repeat(names[:_FIRST]):  # more names make no fewer repeats
        return True
    try:
        systems = repeats_of(names)
    except InputError:
        return True
    return any(systems) and len(set(systems)) < len(systems)


def _fields(name: str) -> list[_Field]:
    found = []
    for match in _FIELD.finditer(name):
        start, end = match.span()
        is_number = bool(match["number"])
        is_of_model = is_number and (
            name[end : end + 1].isalpha()
            or _DECIMALS.match(name, end) is not None
            or _BEFORE_DECIMALS.fullmatch(name, max(0, start - 2), start) is not None
            or (name[start - 1 : start].isalpha() and "/" in name[end:])
        )
        found.append(_Field(start, end, match[0], not is_number, is_of_model))
    return found


def _template(name: str, fields: Sequence[_Field]) -> str:
    """A name with a placeholder for every number."""
    parts, place = [], 0
    for part in fields:
        parts.append(name[place : part.start])
        place = part.end
    return "#".join([*parts, name[place:]])


def _counting_numbers(fields: Sequence[Sequence[_Field]], names: Sequence[str]) -> list[int]:
    """Which numbers in otherwise equal names count repeats."""
    every = range(len(fields[0]))
    words = [at for at in every if fields[0][at].counts_repeats]
    varying = [at for at in every if len({each[at].text for each in fields}) > 1]
    if words:
        return words
    numbers = [at for at in varying if not any(each[at].is_of_model for each in fields)]
    if len(numbers) > 1:
        _refuse(names)
    return numbers


def _refuse(names: Sequence[str]) -> NoReturn:
    apart = setting("files", "systems")
    shown = some_of(names, 4)
    raise InputError(
        f"files are trials, but it is unclear which number in their names counts repeats and "
        f"which belongs to a model: {shown}. Put a word before the number, as in run1 or seed1, "
        f"or read every file as a system with {apart}."
    )


def _without(name: str, fields: Sequence[_Field]) -> str:
    parts, place = [], 0
    for part in fields:
        parts.append(name[place : part.start].strip(_EDGES))
        place = part.end
    parts.append(name[place:].strip(_EDGES))
    mark = "/" if "/" in name else "_"
    rest = mark.join(part for part in parts if part)
    return rest or re.sub(r"\d+", "", TIME.sub("", name)).strip(_EDGES)
