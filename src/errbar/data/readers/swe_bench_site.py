"""Leaderboards of the SWE-bench website: `data/leaderboards.json`.

    {"leaderboards": [{"name": "Verified", "results": [
        {"name": "agent + model", "folder": "20250101_agent", "resolved": 50.0,
         "per_instance_details": {"a__b-1": {"resolved": true, "cost": 0.1, "api_calls": 9}}}]}]}

A submission is a system and a leaderboard a task. Most submissions state only the resolved share in
per cent; these cannot be scored and are counted in a remark. Details of models may also be in a
file of their own, as in `info_for_leaderboard.json`: {"model": {"a__b-1": {…}}}.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from errbar.data.readers.base import Glance, Reader
from errbar.data.readers.choices import Choice
from errbar.data.readers.documents import (
    list_in,
    number_or_none,
    numbers_or_none,
    object_in,
    object_of,
    require_list,
    require_object,
    text_or_none,
    truth_or_none,
)
from errbar.data.readers.logs import Claim, Log
from errbar.data.readers.swe_bench_runs import repositories_of
from errbar.errors import InputError

_SIGNS = ('"api_calls"', '"cost"', '"resolved"')


class _LeaderboardEntry(NamedTuple):
    """A submission on a leaderboard."""

    board: str
    name: str
    folder: str
    details: Mapping[str, Any]
    share: float | None  # resolved share
    where: str


def _recognise(glance: Glance) -> str:
    if glance.has("leaderboards") and all(
        f'"{key}"' in glance.text for key in ("folder", "resolved")
    ):
        return "a JSON document with leaderboards of submissions that have folder and resolved"
    if (
        _SIGNS[0] in glance.text
        and all(sign in glance.text for sign in _SIGNS)
        and glance.keys
        and not any("__" in key for key in glance.keys)
        and "__" in glance.text
    ):
        return "a JSON document of models with instances that have resolved, cost and api_calls"
    return ""


def _read(files: Sequence[Path], _: Choice) -> Log:
    log = Log()
    entries = [(file, entry) for file in files for entry in _entries(file)]
    totals = Counter(entry.board for _, entry in entries if not entry.details)
    if len(entries) == sum(totals.values()):
        raise InputError(
            f"{files[0]}: it has only totals, the resolved share of each of {len(entries)} "
            f"submissions, and no results of single instances, so there is no interval. Its "
            f"`folder` names the submission in the repository of experiments, whose logs errbar "
            f"reads."
        )
    often = Counter((entry.board, entry.name) for _, entry in entries if entry.details)
    for file in files:
        log.read(file, 0)
    for file, entry in entries:
        if not entry.details:
            continue
        alone = often[entry.board, entry.name] == 1
        system = entry.name if alone else f"{entry.name} ({entry.folder or entry.where})"
        _add(log, file, entry, system)
    for board, n in totals.items():
        log.remarks.append(
            f"{board}: {n} submissions have only totals, no details of instances, and are not read."
        )
    return log


def _entries(file: Path) -> Iterator[_LeaderboardEntry]:
    whole = object_of(file)
    if "leaderboards" not in whole:
        for model, entry in whole.items():
            details = require_object(entry, f"{file}, {model}")
            yield _LeaderboardEntry("", model, "", details, None, model)
        return
    for board in require_list(whole["leaderboards"], f"{file}, leaderboards"):
        part = require_object(board, f"{file}, leaderboards")
        name = text_or_none(part.get("name")) or ""
        for at, value in enumerate(list_in(part, "results")):
            where = f"{file}, {name}, result {at}"
            result = require_object(value, where)
            share = number_or_none(result.get("resolved"))
            folder = text_or_none(result.get("folder")) or ""
            yield _LeaderboardEntry(
                name,
                text_or_none(result.get("name")) or folder or f"result {at}",
                folder,
                object_in(result, "per_instance_details"),
                None if share is None else share / 100,
                f"result {at}",
            )


def _add(log: Log, file: Path, entry: _LeaderboardEntry, system: str) -> None:
    size = len(entry.details)
    log.read(file, size)
    if size:
        instances = list(entry.details)
        parts = [
            part if type(part) is dict else require_object(part, f"{file}, {system}, {instance}")
            for instance, part in entry.details.items()
        ]
        resolved = _truths([part.get("resolved") for part in parts], instances, f"{file}, {system}")
        log.extend(
            system=[system] * size,
            task=[entry.board] * size,
            question=instances,
            trial=[1] * size,
            outcome=resolved,
            status=["unscored" if truth is None else "ok" for truth in resolved],
            repo=repositories_of(instances),
            cost=numbers_or_none([part.get("cost") for part in parts]),
            api_calls=numbers_or_none([part.get("api_calls") for part in parts]),
        )
    if entry.share is not None:
        log.claims.append(
            Claim("resolved, in per cent", entry.share, "avg", system, entry.board, digits=4)
        )


def _truths(values: Sequence[Any], instances: Sequence[str], where: str) -> list[float | None]:
    """Whether each instance was resolved; positions are formatted only for errors."""
    if set(map(type, values)) == {bool}:
        return list(map(float, values))
    return [
        truth_or_none(value, f"{where}, {instance}, resolved")
        for value, instance in zip(values, instances, strict=True)
    ]


READER = Reader("swe_bench_site", ("object",), _recognise, _read, chooses=())
