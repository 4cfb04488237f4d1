"""Where outcomes came from: the reader, the files, and an account of every row."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from errbar.base.remarks import Above, guess
from errbar.errors import InternalError

COMPANION = "belongs to the logs and adds nothing"  # reason for skipping a file that is not needed


def _counts() -> defaultdict[str, int]:
    """Row counts by reason. A Counter takes five times as long to create, and each file has two."""
    return defaultdict(int)


@dataclass
class Account:
    """Account of a file: its rows, those left out, and those added."""

    rows: int = 0
    left_out: defaultdict[str, int] = field(default_factory=_counts)  # rows by reason
    # rows that are not in the file, by reason
    added: defaultdict[str, int] = field(default_factory=_counts)
    skipped: str = ""  # why the file was not read

    @property
    def kept(self) -> int:
        """Number of rows that must be in the table."""
        return self.rows + sum(self.added.values()) - sum(self.left_out.values())


class Accounts(dict[Path, Account]):
    """Accounts by file."""

    def of(self, path: Path) -> Account:
        """The account of a file, created if there is none yet."""
        found = self.get(path)
        if found is None:
            found = self[path] = Account()
        return found

    def require_closed(self, files: Iterable[Path], rows: int) -> None:
        """Raise an error unless every file and every row is accounted for."""
        lost = next((file for file in files if file not in self), None)
        if lost is not None:
            raise InternalError(f"{lost} was neither read nor skipped.")
        kept = sum(account.kept for account in self.values())
        if kept != rows:
            raise InternalError(
                f"the files contain {sum(account.rows for account in self.values())} rows, of "
                f"which "
                f"{kept} should be in the table; there are {rows}."
            )

    @property
    def skipped(self) -> dict[Path, str]:
        """Skipped files and the reason for each."""
        return {path: account.skipped for path, account in self.items() if account.skipped}

    def in_words(self) -> list[str]:
        """One sentence per reason for which files were skipped or rows left out or added."""
        said = skipped_in_words(self.skipped)
        for what, counters in (
            ("left out", [account.left_out for account in self.values()]),
            ("added", [account.added for account in self.values()]),
        ):
            total: Counter[str] = Counter()
            for counter in counters:
                total.update(counter)
            said += [
                f"{n} row{'s' * (n > 1)} {what}: {reason}." for reason, n in total.items() if n
            ]
        return said


def unchecked(where: str) -> Above:
    """Remark that the other columns and rows of a table were not examined, and why."""
    return guess(
        f"{where}: columns are chosen by their names alone, and not checked for rows of totals, "
        f"copies and retries, ids that restart, and conditions that were varied"
    )


def skipped_in_words(skipped: Mapping[Path, str]) -> list[str]:
    """Skipped files and the reason for each."""
    reasons: dict[str, list[str]] = {}
    for path, reason in skipped.items():
        reasons.setdefault(reason, []).append(path.name)
    return [f"not read: {_some(names)} ({reason})." for reason, names in reasons.items()]


def _some(names: Sequence[str], most: int = 5) -> str:
    """Join the first names and say how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


# Totals that a log may state, each a count over the rows of a system and task.
TALLIES = ("rows", "questions", "right", "failed")


@dataclass(frozen=True, slots=True)
class Claim:
    """A number stated by a log, and how errbar computes the same number."""

    name: str  # name used by the harness
    value: float
    metric: str  # metric of errbar, or one of TALLIES
    system: str = ""
    task: str = ""
    errors: Literal["fail", "missing"] = "fail"  # how the harness treats rows without a result
    digits: int = 9  # decimal places stated by the log


@dataclass(frozen=True, slots=True)
class Origin:
    """Provenance of a log: its reader, the scores it states, remarks, and accounts of its files."""

    reader: str = ""
    why: str = ""  # how the format was recognised
    claims: tuple[Claim, ...] = ()
    remarks: tuple[str, ...] = ()  # choices, omissions and anomalies
    accounts: Accounts = field(default_factory=Accounts)  # an account of every file and row

    def notes(self) -> list[str]:
        """The reader, how the format was recognised, and the remarks; empty without a log."""
        return [*([f"Reader: {self.reader} ({self.why})."] if self.reader else []), *self.remarks]


NOWHERE = Origin()  # for outcomes that do not come from a log
