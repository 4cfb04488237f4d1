"""What errbar makes of changed logs: read, refused in words of its own, or a fault.

The logs are the fixtures of every reader and a table of each kind, beside files of games, ratings
and prices. A change of one value to another
of its kind cannot take a row away: as many rows as before must be in the table, or be left out with
the reason, unless errbar refuses the log or names the file as not read. Every tenth log goes
all the way to a score.
"""

import contextlib
import csv
import random
import shutil
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

import errbar
from benchmarks.fuzz.mutants import (
    broken,
    broken_archive,
    broken_parquet,
    changed_value,
    strange_values,
)
from errbar.data.queries.costs import read_prices
from errbar.data.readers.base import every_reader
from errbar.errors import ErrbarError, InputError, InternalError, NoOutcomes, RepeatedTrial
from errbar.runs import Runs

FIXTURES = Path(__file__).parents[2] / "tests" / "fixtures"
NOT_LOGS = ("reported.json", "reference.json")  # notes of the fixtures' makers
WHOLE = 10  # every tenth log goes all the way to a score
# "unnamed" is a refusal that names no file, "lost" an account that does not close; "hang" is found
# by who waits for the outcome.
KINDS = ("read", "refused", "unnamed", "foreign", "lost", "hang")


class Rows(NamedTuple):
    """Rows by the accounts of a log."""

    held: int  # by its files
    kept: int  # in the table


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant."""

    kind: str  # one of KINDS
    detail: str = ""


def sources(place: Path) -> dict[str, Path]:
    """Logs by name: a folder for each reader, and tables, which are written below `place`."""
    found = {name: FIXTURES / name for name in every_reader() if (FIXTURES / name).is_dir()}
    return found | {f"table:{name}": path for name, path in tables(place).items()}


def tables(place: Path) -> dict[str, Path]:
    """A folder for each kind of table, with one table."""
    frame = pl.DataFrame(
        {
            "model": ["a"] * 12 + ["b"] * 12,
            "question_id": [f"q{at // 2 % 6}" for at in range(24)],
            "trial": [at % 2 for at in range(24)],
            "correct": [at % 3 > 0 for at in range(24)],
            "confidence": [at / 24 for at in range(24)],
        }
    )
    wide = frame.filter(trial=0).pivot("model", index="question_id", values="correct")
    games = frame.select(
        "question_id",
        pl.lit("a").alias("model_a"),
        pl.lit("b").alias("model_b"),
        pl.col("correct").replace_strict({True: "model_a", False: "tie"}).alias("winner"),
        (1 - pl.col("confidence")).alias("weight"),
        pl.col("trial").alias("length"),
    )
    ratings = frame.select("question_id", "model", human=pl.col("trial"), judge=pl.col("correct"))
    prices = pl.DataFrame({"model": ["a", "b"], "input": [1.0, 2.5], "output": [3, 4]})
    writes: dict[str, Callable[[Path], Any]] = {
        "rows.csv": frame.write_csv,
        "rows.tsv": lambda path: frame.write_csv(path, separator="\t"),
        "rows.jsonl": frame.write_ndjson,
        "rows.json": frame.write_json,
        "rows.parquet": frame.write_parquet,
        "wide.csv": wide.write_csv,
        "games.csv": games.write_csv,
        "games.json": games.write_json,
        "games.jsonl": games.write_ndjson,
        "games.parquet": games.write_parquet,
        "ratings.csv": ratings.write_csv,
        "ratings.json": ratings.write_json,
        "prices.csv": prices.write_csv,
        "prices.json": prices.write_json,
        "lists.json": frame.group_by("question_id", maintain_order=True).agg("correct").write_json,
    }
    found = {}
    for name, write in writes.items():
        found[name] = place / name.replace(".", "-")
        found[name].mkdir(parents=True, exist_ok=True)
        write(found[name] / name)
    return found


def cases(
    source: Path, place: Path, rng: random.Random, number: int, kept: Path
) -> Iterator[Callable[[], Outcome]]:
    """Copies of a log with one file changed, each with the way to see what errbar makes of it.

    What is neither read nor refused is kept.
    """
    copy = place / source.name
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns(*NOT_LOGS))
    files = sorted(file for file in copy.rglob("*") if file.is_file())
    read = _OTHERS.get(files[0].stem)
    before = None if read else rows_of(copy)[1]
    strange = strange_values(rng)
    for at in range(number):
        file = rng.choice(files)
        raw = file.read_bytes()
        changed, costs_rows = _changed(raw, rng, strange, at % 5)

        def case(at: int = at, known: Rows | None = None if costs_rows else before) -> Outcome:
            if read is not None:
                found = outcome(copy, lambda: read(files[0]))
            else:
                found = outcome(copy, lambda: read_log(copy, known, whole=at % WHOLE == 0))
            if found.kind not in ("read", "refused"):
                shutil.copytree(copy, kept / str(at), dirs_exist_ok=True)
            return found

        file.write_bytes(changed)
        yield case
        file.write_bytes(raw)
    shutil.rmtree(copy)


def _changed(
    raw: bytes, rng: random.Random, strange: Iterator[object], turn: int
) -> tuple[bytes, bool]:
    """A file changed in the way whose turn it is, and whether that may cost a row."""
    if raw.startswith(b"PAR1") and turn >= 1:
        return broken_parquet(raw, rng, strange), True
    if raw.startswith(b"PK") and turn >= 2:
        with contextlib.suppress(ValueError, zipfile.BadZipFile, NotImplementedError):
            return broken_archive(raw, rng, strange), True
    if turn == 4:
        with contextlib.suppress(ValueError, IndexError, csv.Error):
            return changed_value(raw, rng), False
    return broken(raw, rng, strange, in_bytes=turn < 2), True


def _read_games(file: Path) -> None:
    errbar.games(file, controls=["length"])
    with contextlib.suppress(InputError):  # of the analysis, which is of all games together
        str(errbar.prefer(file))


def _read_ratings(file: Path) -> None:
    str(errbar.agree(file, raters=["human", "judge"]))


# How the files are read that are no logs of outcomes, by the start of their names.
_OTHERS: dict[str, Callable[[Path], Any]] = {
    "games": _read_games,
    "ratings": _read_ratings,
    "prices": read_prices,
}


def rows_of(copy: Path) -> tuple[Runs, Rows | None]:
    """A log and the rows in its accounts; None for those if a file is named as not read.

    Accounts that do not close, or leave out a file, raise an error.
    """
    runs = errbar.load(copy)
    accounts = runs.source.origin.accounts
    lost = [file for file in copy.rglob("*") if file.is_file() and file not in accounts]
    if lost:
        raise InternalError(f"{lost[0].name} is in no account.")
    if accounts.skipped:
        return runs, None
    return runs, Rows(
        sum(account.rows for account in accounts.values()),
        sum(account.kept for account in accounts.values()),
    )


def read_log(copy: Path, before: Rows | None, *, whole: bool) -> None:
    """Read a log, which must have so many rows if the number is known."""
    runs, rows = rows_of(copy)
    if whole:
        runs.score("avg")
    if (
        before is not None
        and rows is not None
        and rows.held < before.held
        and rows.kept < before.kept
    ):
        raise InternalError(f"{before} before one value was changed, now {rows}")


def outcome(copy: Path, read: Callable[[], Any]) -> Outcome:
    """What errbar makes of a log."""
    try:
        read()
    except InternalError as error:
        return Outcome("lost", str(error))
    except (NoOutcomes, RepeatedTrial) as error:  # of all files together
        return Outcome("refused", str(error))
    except ErrbarError as error:
        named = any(path.name in str(error) for path in (copy, *copy.rglob("*")))
        return Outcome("refused" if named else "unnamed", str(error))
    except Exception as error:
        return Outcome("foreign", f"{type(error).__name__}: {error}")
    return Outcome("read")
