"""Files with one question each, whose folder, or the rest of whose name, is the system.

    gpt/q1.json, gpt/q2.json        gpt/q1/result.json          gpt_q1.json, qwen_q1.json
    gpt/q1/0.json, gpt/q1/1.json    gpt/q1_seed0.json           gpt/tasks/q1.csv, of several trials

A system with a single question is of no use. So where each of several files has one question, and
no two of a system have the same, the files are questions.
"""

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from errbar.base.remarks import Above, guess, setting, some_of, warning
from errbar.data.columns import RESPONSES, ROW, named_like
from errbar.data.engines.duckdb import quoted, store_columns, text_literal, text_of
from errbar.data.engines.flat_files import Relation
from errbar.data.queries.expressions import FILE, HIDDEN, Columns
from errbar.data.readers.choices import HowToRead
from errbar.data.readers.finding import resolved_folders
from errbar.data.readers.tables.column_choice import find_columns
from errbar.data.readers.tables.compared_files import are_named_as_tasks
from errbar.data.readers.tables.competing_outcomes import are_right_or_wrong
from errbar.data.readers.tables.file_names import free_name, with_column
from errbar.data.readers.tables.naming import without_ending
from errbar.data.readers.tables.repeat_numbers import without_repeats
from errbar.errors import UnknownColumn

_WORD = re.compile(r"[0-9A-Za-z]+")
_FEWEST = 3  # files; two may well be two systems with a question each


@dataclass(frozen=True)
class QuestionFiles:
    """The path that stands for the system of each file that is a question, and ids rows lack."""

    wholes: Mapping[Path, Path] = field(default_factory=dict)
    names: Mapping[Path, str] = field(default_factory=dict)  # ids, where no column has them
    tasks: frozenset[Path] = frozenset()  # files whose column `task` has the id
    remarks: tuple[Above, ...] = ()


class _File(NamedTuple):
    """A file and its question."""

    path: Path
    id: str  # empty if no column has it
    trial: str  # tells files of one question apart
    by_task: bool  # whether the column called task has the id


def question_files(relations: Sequence[Relation], how: HowToRead) -> QuestionFiles:
    """Files that are questions: by their contents, or because the user says so."""
    if how.files == "systems":
        return QuestionFiles()
    chosen = how.files == "questions"
    found = [file for relation in relations for file in _files_in(relation, how)]
    if not chosen:
        with_ids = [file for file in found if file.id]
        found = with_ids or (found if _are_alike(found) else [])
        if len(found) < _FEWEST or are_named_as_tasks([file.id for file in found]):
            return QuestionFiles()
    names = _names_of([file.path for file in found if not file.id])
    ids = {file.path: file.id or names[file.path] for file in found}
    wholes = _without_ids(ids, names) or _folders(ids, {file.path: file.trial for file in found})
    if chosen:
        folder_of = resolved_folders().folder_of
        wholes = {file: wholes.get(file) or folder_of(file) for file in ids}
    if not wholes:
        return QuestionFiles()
    tasks = frozenset(file.path for file in found if file.by_task)
    return QuestionFiles(wholes, names, tasks, (_remark(names, chosen=chosen),))


def _remark(names: Mapping[Path, str], *, chosen: bool) -> Above:
    text = "Files with one question each are read as questions; their folder is the system"
    if not names or chosen:
        text = text if not chosen else "Each file is read as a question; its folder is the system"
        return guess(text, option="--files systems", argument="files='systems'")
    apart = setting("files", "systems")
    return warning(
        f"No column has ids of questions, and files of the same names are in several folders "
        f"({some_of(sorted(set(names.values())), 3)}): each is read as a question, with its rows "
        f"as trials, of the system that its folder is. If files are systems, use {apart}."
    )


def with_questions(
    relation: Relation, columns: Columns, found: QuestionFiles
) -> tuple[Any, Columns]:
    """The rows with the ids of their files, if these are questions and no column has the ids."""
    rows, files = relation.rows, relation.files
    if files[0] in found.tasks and columns["question"] == ROW:
        named = {meaning: name for meaning, name in columns.named.items() if meaning != "task"}
        plain = replace(columns, named=MappingProxyType(named))
        return rows, plain.with_meaning("question", columns["task"])
    if files[0] not in found.names:
        return rows, columns
    name = free_name("file", rows.columns)
    columns = with_column(columns, "question", name)
    if not relation.apart:
        return rows.project(f"*, {text_literal(found.names[files[0]])} AS {quoted(name)}"), columns
    ids = [found.names[file] for file in files]
    stored = store_columns(rows.engine, {"path": list(map(str, files)), "id": ids})
    rows = rows.query(
        "rows",
        f"SELECT rows.*, errbar_files.id AS {quoted(name)} FROM rows JOIN ({stored.text}) AS "
        f"errbar_files ON rows.{quoted(FILE)} = errbar_files.path",
    )
    return rows, columns


def _files_in(relation: Relation, how: HowToRead) -> list[_File]:
    """The files of a relation with their questions; none if a file has several."""
    chosen = how.files == "questions"
    if not relation.apart:
        return [_File(file, "", "", by_task=False) for file in relation.files if chosen]
    looked = relation.rows.head()
    named = _columns_in(relation, how)
    trial = named.get("trial")
    if "question" in named:
        found = _with_id(relation, named["question"], trial)
        if found or not chosen:
            return [_File(*each, by_task=False) for each in found]
    are_trials = chosen or (named and _are_trials(relation, named, looked))
    if "task" in named and not chosen and (are_trials or trial):
        found = _with_id(relation, named["task"], trial)
        ids = {path: id_ for path, id_, _ in found}
        folders = {path: path.parent for path in ids}
        if ids and (_are_different(folders, ids) or _without_ids(ids, {})):
            return [_File(*each, by_task=True) for each in found]
    return [_File(file, "", "", by_task=False) for file in relation.files if are_trials]


def _columns_in(relation: Relation, how: HowToRead) -> dict[str, str]:
    """Columns by meaning; none if there is no outcome."""
    looked = relation.rows.head()
    names = [name for name in relation.names if name not in HIDDEN]
    try:  # the outcome may be inside an object
        columns = find_columns(
            dict.fromkeys([*names, "outcome"]),
            how.assignment,
            sample=lambda name: looked.get(name, []),
        )
    except UnknownColumn:
        return {}
    return {meaning: name for meaning, name in columns.named.items() if name in looked}


def _with_id(relation: Relation, name: str, trial: str | None) -> list[tuple[Path, str, str]]:
    """Files, ids and trials, if each file has one id; the first rows rule most tables out."""
    looked = relation.rows.head()
    pairs = {*zip(looked[FILE], map(str, looked[name]), strict=True)}
    if len(pairs) > len({file for file, _ in pairs}):
        return []
    numbers = f"min({text_of(trial)})" if trial else "''"
    each = relation.rows.aggregate(
        f"{quoted(FILE)}, max({text_of(name)}), min({text_of(name)}), {numbers}, count(*)",
        quoted(FILE),
    ).fetchall()  # to count distinct ids takes twice the time
    by_text = {str(file): file for file in relation.files}
    if len(each) < len(by_text) or any(last != id_ or not id_ for _, last, id_, _, _ in each):
        return []
    are_single = all(rows == 1 for *_, rows in each)
    return [(by_text[path], id_, first * are_single) for path, _, id_, first, _ in each]


def _are_trials(
    relation: Relation, named: Mapping[str, str], looked: Mapping[str, Sequence[Any]]
) -> bool:
    """Whether the rows of every file can be those of a single question.

    A column numbers them as trials, or there is only one row, whose outcome is no total.
    """
    trial = named.get("trial")
    numbers = f"count(DISTINCT {text_of(trial)})" if trial else "1"
    each = relation.rows.aggregate(f"{numbers}, count(*)", quoted(FILE)).fetchall()
    if any(number < rows for number, rows in each):
        return False
    if any(rows > 1 for _, rows in each):
        return True
    outcomes = looked.get(named.get("outcome", ""), ())
    return are_right_or_wrong(outcomes) or bool(named_like(looked, RESPONSES))


def _are_alike(found: Sequence[_File]) -> bool:
    """Whether files have the same names in several folders, which are not those of benchmarks."""
    folder_of = resolved_folders().folder_of
    folders: dict[Path, set[str]] = {}
    for file in found:
        folders.setdefault(folder_of(file.path), set()).add(file.path.name)
    several = {folder: names for folder, names in folders.items() if len(names) > 1}
    if len(several) < 2 or are_named_as_tasks([folder.name for folder in several]):
        return False
    often = Counter(name for names in several.values() for name in names)
    stems = [name.partition(".")[0] for name in often]
    return not are_named_as_tasks(stems) and min(often.values()) > 1


def _names_of(files: Sequence[Path]) -> dict[Path, str]:
    """Questions named after their files; after their folders, if all files are called alike."""
    real_path = resolved_folders().real_path
    paths = {file: Path(without_ending(real_path(file))) for file in files}
    alike = len({path.name for path in paths.values()}) == 1 < len(paths)
    return {file: (path.parent if alike else path).name for file, path in paths.items()}


def _without_ids(ids: Mapping[Path, str], names: Mapping[Path, str]) -> dict[Path, Path]:
    """Each path without the id and without the number of the trial.

    {} if that is no system, which has several questions.
    """
    if names:
        return {}
    real_path = resolved_folders().real_path
    first_file, first_id = next(iter(ids.items()))
    first_path = without_ending(real_path(first_file))
    if without_id(first_path, first_id) == first_path:
        return {}  # known without a look at the others
    paths = [without_ending(real_path(file)) for file in ids]  # Path objects take most of the time
    shared = os.path.commonpath({path.rpartition(os.sep)[0] or os.sep for path in paths})
    wholes: dict[Path, Path] = {}
    places: dict[tuple[str, ...], Path] = {}
    for (file, id_), path in zip(ids.items(), paths, strict=True):
        parts = path[len(shared) :].lstrip(os.sep).split(os.sep)
        rests = [without_id(part, id_) for part in parts]
        first = next((at for at, rest in enumerate(rests) if rest != parts[at]), None)
        if first is None:
            return {}
        below = [without_repeats(rest) for rest in rests[first:]]
        kept = [rest for rest in below if any(map(str.isalpha, rest))]
        place = (*parts[:first], *kept)
        if place not in places:
            places[place] = Path(shared, *place)
        wholes[file] = places[place]
    questions = {(whole, ids[file]) for file, whole in wholes.items()}
    return wholes if 2 * len(set(wholes.values())) <= len(questions) else {}


def without_id(part: str, id_: str) -> str:
    """A part of a path without the last occurrence of an id, however its words are separated."""
    words, of_part = _WORD.findall(id_.lower()), list(_WORD.finditer(part))
    lower = [word[0].lower() for word in of_part]
    for at in range(len(lower) - len(words), -1, -1) if words else ():
        if lower[at : at + len(words)] == words:
            sides = (part[: of_part[at].start()], part[of_part[at + len(words) - 1].end() :])
            return "_".join(side.strip("_-. ") for side in sides if side.strip("_-. "))
    return part


def _folders(ids: Mapping[Path, str], trials: Mapping[Path, str]) -> dict[Path, Path]:
    """Folder of each file; {} if a folder has two files of a question among others.

    That is the nearest folder with several files, all of other questions or trials; or the one
    above it, if all files of a folder are of one question.
    """
    real = resolved_folders()
    own = {file: real.folder_of(file) for file in ids}
    found, rest = dict(own), own
    while len(rest) > 1:
        often = Counter(rest.values())
        several = {file: folder for file, folder in rest.items() if often[folder] > 1}
        of_questions = _folders_of_questions(several, ids, trials)
        if len(of_questions) < len(several):
            return {}
        found |= of_questions
        above = {file: folder.parent for file, folder in rest.items() if file not in several}
        rest = {file: folder for file, folder in above.items() if folder != rest[file]}
    return found


def _folders_of_questions(
    folders: Mapping[Path, Path], ids: Mapping[Path, str], trials: Mapping[Path, str]
) -> Mapping[Path, Path]:
    """The folders, if their files are of other questions, or those above if of one each."""
    of_folder = {folder: ids[file] for file, folder in folders.items()}
    parents = {folder: folder.parent for folder in of_folder}
    of_one = all(ids[file] == of_folder[folder] for file, folder in folders.items())
    if of_one and len(set(of_folder.values())) > 1 and _are_different(parents, of_folder):
        return {file: folder.parent for file, folder in folders.items()}
    marks = {file: f"{ids[file]}\0{trials[file]}" for file in folders}
    return folders if _are_different(folders, marks) else {}


def _are_different(folders: Mapping[Path, Path], ids: Mapping[Path, str]) -> bool:
    """Whether no two entries of a folder have the same id."""
    return len({(folder, ids[file]) for file, folder in folders.items()}) == len(folders)
