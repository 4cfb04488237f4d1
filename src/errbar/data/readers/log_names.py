"""Names of systems in logs: the model, else the name of the file, with settings that differ.

Runs of the same agent and model with different settings are different systems. API keys and other
secrets among the settings are ignored and never shown.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from errbar.base.remarks import Above, guess
from errbar.data.readers.choices import FilesAre
from errbar.data.readers.tables.naming import Naming, name_systems, systems_of, without_ending

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


_SECRET = re.compile(
    r"(?:api|access|secret|private|account|subscription)[_-]?key$|secret|passw(?:or)?d|credential"
    r"|(?:auth|api|access|bearer|hf|hub|session|refresh)[_-]?token$|^token$|(?:^|[_-])auth"
    r"(?:orization)?$",
    re.IGNORECASE,
)
_KEY = re.compile(r"(?:key|token)$", re.IGNORECASE)  # also `answer_key`, `eos_token`
_RANDOM = re.compile(r"(?=.*\d)[\w.~+/=-]{16,}")  # what the value of a secret looks like
_LONGEST = 40


def without_secrets(settings: Any) -> Any:
    """Settings without API keys and the like, at any depth and in texts as "model=m,api_key=k".

    Examples
    --------
    >>> without_secrets({"args": {"api_key": "a", "n": 1}, "tokenizer": "t", "text": "n=1,token=b"})
    {'args': {'n': 1}, 'tokenizer': 't', 'text': 'n=1'}
    """
    if isinstance(settings, Mapping):
        return {
            name: without_secrets(value)
            for name, value in settings.items()
            if not _is_secret(str(name), value)
        }
    if isinstance(settings, list):
        return [without_secrets(value) for value in settings]
    if isinstance(settings, str) and "=" in settings:
        parts = (part.partition("=") for part in settings.split(","))
        kept = (part for part in parts if not (part[1] and _is_secret(part[0].strip(), part[2])))
        return ",".join(map("".join, kept))
    return settings


def _is_secret(name: str, value: Any) -> bool:
    if _SECRET.search(name):
        return True
    is_key = _KEY.search(name) is not None
    return is_key and isinstance(value, str) and _RANDOM.fullmatch(value.strip()) is not None


def tell_apart(settings: Sequence[Mapping[str, Any]]) -> list[str]:
    """Describe each of several settings by what differs; equal settings get equal names.

    Examples
    --------
    >>> tell_apart([{"effort": "low", "n": 1}, {"effort": "high", "n": 1}])
    ['effort=low', 'effort=high']
    >>> tell_apart([{"n": 1, "api_key": "a"}, {"n": 1, "api_key": "b"}])
    ['', '']
    """
    settings = [without_secrets(each) for each in settings]
    keys = sorted({key for each in settings for key in each})
    values = [
        tuple([_text(each[key]) if key in each else None for key in keys]) for each in settings
    ]
    differing = [len(set(column)) > 1 for column in zip(*values, strict=True)]
    known: dict[tuple[str | None, ...], str] = {}
    for texts in values:
        if texts not in known:
            shown = [
                f"{key}={_short(text)}"
                for key, text, differs in zip(keys, texts, differing, strict=True)
                if differs and text is not None
            ]
            name = ", ".join(shown)
            is_used = name in known.values()
            known[texts] = f"{name}, settings {len(known) + 1}".lstrip(", ") if is_used else name
    return [known[texts] for texts in values]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
