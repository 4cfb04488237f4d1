"""Of every reader: each file is read, skipped or known, and each record is a row or accounted for.

The fixtures of a reader are loaded as they are, and changed in ways that lose what they hold: a
score is taken out, a file is there twice, a list is cut short, another file lies beside.
"""

import json
import random
import shutil
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from errbar.data.readers.base import RecognisedFiles, every_reader, find_readers
from errbar.data.readers.choices import Choice
from errbar.data.readers.logs import Accounts, Log
from errbar.errors import InputError
from inspect_logs import members
from inspect_logs import write as write_archive
from logs import FIXTURES

# Readers whose logs are made where they are tested, or that refuse all.
ELSEWHERE = frozenset({"item_runs", "swe_bench_site", "totals"})
READERS = sorted(set(every_reader()) - ELSEWHERE)
# Readers that hold several files of one evaluation against each other: a copy is found to be one.
HELD_TOGETHER = frozenset(
    {
        *("bfcl", "bigcodebench", "braintrust", "every_eval_ever", "harbor", "langfuse"),
        *("langsmith", "matharena", "mmlu_pro", "openai_evals", "osworld", "promptfoo"),
        *("swe_bench",),
        *("tau2_bench", "terminal_bench"),
    }
)
# Notes of the fixtures' makers, which are no part of a log.
OWN = ("reported.json", "reference.json")
SUMMARIES = "summaries.json"
# Where the scores of a record stand; what is under other keys is no score.
SCORES = frozenset(
    {
        *("passed", "success", "base_status", "plus_status", "base", "plus", "score", "scores"),
        *("reward", "correct", "graded_list", "acc", "exact_match", "sum", "symbolic_correct"),
        *("cum_reward", "proof_status", "judgement", "value", "tests_outcomes"),
    }
)


def folders(name: str) -> list[Path]:
    """Fixtures of a reader that are logs by themselves."""
    place = FIXTURES / name
    if name == "lm_eval":
        return [place / each for each in ("named", "unnamed", "old")]
    if name == "inspect_ai":
        return [place, place / "set", place / "again"]
    return [place]


PLACES = [
    pytest.param(name, place, id=f"{name}-{place.name}")
    for name in READERS
    for place in folders(name)
]
APART = [place for place in PLACES if place.values[0] not in HELD_TOGETHER]


def files_in(place: Path) -> list[Path]:
    return sorted(path for path in place.rglob("*") if path.is_file() and path.name not in OWN)


def read(place: Path, name: str) -> tuple[RecognisedFiles, Log]:
    known = find_readers(files_in(place), name)
    (found,) = known.found
    return known, found.reader.read(found.files, Choice())


def read_or_refused(place: Path, name: str, file: Path) -> tuple[RecognisedFiles, Log] | None:
    """A log in which one file was changed; None if errbar refuses it and names the file."""
    try:
        return read(place, name)
    except InputError as error:
        refused = str(error)
    assert file.name in refused
    return None


def total(accounts: Accounts) -> int:
    """Rows that the files hold."""
    return sum(account.rows for account in accounts.values())


def left_out(accounts: Accounts) -> int:
    return sum(sum(account.left_out.values()) for account in accounts.values())


def require_closed(place: Path, known: RecognisedFiles, log: Log) -> None:
    """Nothing of the log is lost: no file, and no row."""
    (found,) = known.found
    log.accounts.require_closed(found.files, len(log))
    added = sum(sum(account.added.values()) for account in log.accounts.values())
    assert total(log.accounts) + added == len(log) + left_out(log.accounts)
    for reasons in (account.left_out | account.added for account in log.accounts.values()):
        assert all(reason.strip() for reason in reasons)
    for file in files_in(place):
        named = {*log.accounts, *known.companions, *known.others, *known.totals}
        assert file in named, file


def copied(place: Path, target: Path) -> Path:
    """A copy of a log, which lies as deep: folders may name systems."""
    whole = target / place.relative_to(FIXTURES)
    shutil.copytree(place, whole, ignore=shutil.ignore_patterns(*OWN))
    return whole


def test_no_reader_is_forgotten() -> None:
    assert set(every_reader()) >= ELSEWHERE | HELD_TOGETHER
    assert {name for name in READERS if not (FIXTURES / name).is_dir()} == set()


@pytest.mark.parametrize(("name", "place"), PLACES)
def test_every_file_and_every_row_is_accounted_for(name: str, place: Path) -> None:
    found, log = read(place, name)
    require_closed(place, found, log)
    assert len(log) > 0
    assert total(log.accounts) > 0


@pytest.mark.parametrize(("name", "place"), PLACES)
def test_another_file_is_named_as_skipped(name: str, place: Path, tmp_path: Path) -> None:
    log_place = copied(place, tmp_path)
    _, before = read(log_place, name)
    other = log_place / "notes.txt"
    other.write_text("Nothing that a harness wrote.", encoding="utf-8")
    found, log = read(log_place, name)
    require_closed(log_place, found, log)
    assert other in {*found.others, *found.companions}
    assert (len(log), total(log.accounts)) == (len(before), total(before.accounts))


@pytest.mark.parametrize(("name", "place"), APART)
def test_a_file_that_is_there_twice_is_counted_twice(
    name: str, place: Path, tmp_path: Path
) -> None:
    log_place = copied(place, tmp_path)
    _, before = read(log_place, name)
    holding = [file for file, account in before.accounts.items() if account.rows]
    for file in holding[:3]:
        again = file.with_name(f"again_{file.name}") if name != "nemo_skills" else _numbered(file)
        shutil.copy(file, again)
        read_again = read_or_refused(log_place, name, file)
        if read_again is not None:
            found, log = read_again
            require_closed(log_place, found, log)
            held = log.accounts[again].rows
            assert held == log.accounts[file].rows > 0
            assert total(log.accounts) == total(before.accounts) + held
        again.unlink()


@pytest.mark.parametrize(
    "name",
    [
        reader
        for reader in READERS
        if "files" in every_reader()[reader].chooses and reader not in HELD_TOGETHER
    ],
)
def test_files_that_repeat_a_run_are_further_trials_on_request(name: str, tmp_path: Path) -> None:
    place = copied(FIXTURES / name, tmp_path)
    _, before = read(place, name)
    (file, *_) = [path for path, account in before.accounts.items() if account.rows]
    endings = ("_eval_results.json", "_eval_all.json", "_results.jsonl", ".json", ".jsonl")
    ending = next(ending for ending in endings if file.name.endswith(ending))
    paths = [tmp_path / f"run-{at}{ending}" for at in (1, 2)]
    for path in paths:
        shutil.copy(file, path)
    reader = every_reader()[name]
    apart, joined = (reader.read(paths, Choice(files=how)) for how in ("systems", "trials"))
    keys = [
        list(zip(*(log.columns[each] for each in ("system", "question", "trial")), strict=True))
        for log in (apart, joined)
    ]
    assert len(keys[0]) == len(keys[1]) == len(set(keys[0])) == len(set(keys[1]))
    assert [len({system for system, *_ in key}) for key in keys] == [2, 1]
    joined.accounts.require_closed(paths, len(joined))


def _numbered(file: Path) -> Path:
    """NeMo-Skills knows a file by its name, which ends in the number of a trial."""
    return file.with_name("output-rs77.jsonl")


@pytest.mark.parametrize(("name", "place"), APART)
def test_a_record_without_its_score_does_not_vanish_and_is_not_wrong(
    name: str, place: Path, tmp_path: Path
) -> None:
    log_place = copied(place, tmp_path)
    _, before = read(log_place, name)
    instead: Any
    for instead in (None, [], {}):
        tried = 0
        for file, log in changed_logs(name, log_place, before, partial(without_score, instead)):
            if log is not None:
                assert total(log.accounts) == total(before.accounts), (file, instead)
                assert wrong(log) <= wrong(before), (file, instead)
            tried += 1
        assert tried or name in ("lighteval", "osworld")  # are no JSON


@pytest.mark.parametrize(("name", "place"), APART)
def test_a_list_that_is_cut_short_leaves_accounts_that_close(
    name: str, place: Path, tmp_path: Path
) -> None:
    log_place = copied(place, tmp_path)
    _, before = read(log_place, name)
    for file, log in changed_logs(name, log_place, before, shortened):
        assert log is None or total(log.accounts) <= total(before.accounts), file


def changed_logs(
    name: str, place: Path, before: Log, change: Any
) -> Iterator[tuple[Path, Log | None]]:
    """Every file that can be changed, with the log that is read then, if it is not refused."""
    for file, changed in changed_files(place, before, change):
        raw = file.read_bytes()
        write(file, changed)
        read_again = read_or_refused(place, name, file)
        if read_again is not None:
            require_closed(place, *read_again)
        yield file, read_again[1] if read_again else None
        file.write_bytes(raw)


def wrong(log: Log) -> int:
    """Rows that count as wrong by what the harness gave them."""
    rows = zip(log.columns["outcome"], log.columns["status"], strict=True)
    return sum(outcome == 0 and status == "ok" for outcome, status in rows)


def changed_files(place: Path, log: Log, change: Any) -> Iterator[tuple[Path, list[Any]]]:
    """Files that hold rows, each some times with one part of it changed."""
    rng = random.Random(place.name)
    for file in files_in(place):
        account = log.accounts.get(file)
        documents = load(file) if account and account.rows else []
        for _ in range(4 if documents else 0):
            copy = json.loads(json.dumps(documents))
            at = rng.randrange(len(copy))
            if change(copy[at], rng):
                yield file, copy


def without_score(instead: Any, value: Any, rng: random.Random) -> bool:
    """Put something without a score in place of one, wherever it stands; whether there was one."""
    places = list(scores_in(value))
    if places:
        holder, key = rng.choice(places)
        holder[key] = instead
    return bool(places)


def scores_in(value: Any) -> Iterator[tuple[Any, Any]]:
    """Where scores stand: what holds each, and under which key or at which place."""
    parts: Any = value.items() if isinstance(value, dict) else ()
    for key, held in parts:
        if key in SCORES and isinstance(held, list) and not any(map(_has_parts, held)):
            yield from ((held, at) for at in range(len(held)))
        elif key in SCORES and not _has_parts(held):
            yield value, key
        yield from scores_in(held)
    for each in value if isinstance(value, list) else ():
        yield from scores_in(each)


def _has_parts(value: Any) -> bool:
    return isinstance(value, dict | list)


def shortened(value: Any, rng: random.Random) -> bool:
    """Take the last part off one of the lists; whether there was one."""
    lists = list(lists_in(value))
    if lists:
        rng.choice(lists).pop()
    return bool(lists)


def lists_in(value: Any) -> Iterator[list[Any]]:
    if isinstance(value, list) and value:
        yield value
    for each in value.values() if isinstance(value, dict) else value if _has_parts(value) else ():
        yield from lists_in(each)


def load(file: Path) -> list[Any]:
    """The documents of a file: one, or one on each line; of an archive that of its summaries."""
    if file.suffix == ".parquet":
        return []
    if zipfile.is_zipfile(file):
        held = members(file)
        return [json.loads(held[SUMMARIES])] if SUMMARIES in held else []
    raw = file.read_bytes()
    try:
        return [json.loads(raw)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in raw.splitlines() if line.strip()]


def write(file: Path, documents: list[Any]) -> None:
    """A file again, with other documents."""
    if zipfile.is_zipfile(file):
        write_archive(file, members(file) | {SUMMARIES: json.dumps(documents[0]).encode()})
    else:
        file.write_text("\n".join(map(json.dumps, documents)) + "\n", encoding="utf-8")
