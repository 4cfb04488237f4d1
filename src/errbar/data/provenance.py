"""Where outcomes came from: the reader, the files, and an account of every row."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from errbar.errors import InternalError

COMPANION = "beside logs, and says nothing new"  # why a file is not read that nobody misses


def _counts() -> defaultdict[str, int]:
    """Counts by reason; a Counter takes five times as long to make, and every file has two."""
    return defaultdict(int)


@dataclass
class Account:
    """One file: the rows it holds, those of them that were left out, and those added for it."""

    rows: int = 0
    left_out: defaultdict[str, int] = field(default_factory=_counts)  # rows by reason
    added: defaultdict[str, int] = field(default_factory=_counts)  # rows that it does not hold
    skipped: str = ""  # why the file was not read

    @property
    def kept(self) -> int:
        """Rows that must be in the table."""
        return self.rows + sum(self.added.values()) - sum(self.left_out.values())


class Accounts(dict[Path, Account]):
    """Accounts by file."""

    def of(self, path: Path) -> Account:
        """The account of a file, which may be new."""
        found = self.get(path)
        if found is None:
            found = self[path] = Account()
        return found

    def require_closed(self, files: Iterable[Path], rows: int) -> None:
        """Refuse accounts that leave a file or a row unexplained."""
        lost = next((file for file in files if file not in self), None)
        if lost is not None:
            raise InternalError(f"{lost} was neither read nor skipped.")
        kept = sum(account.kept for account in self.values())
        if kept != rows:
            raise InternalError(
                f"the files hold {sum(account.rows for account in self.values())} rows, of which "
                f"{kept} should be in the table; there are {rows}."
            )

    @property
    def skipped(self) -> dict[Path, str]:
        """Files that were not read, and why."""
        return {path: account.skipped for path, account in self.items() if account.skipped}

    def in_words(self) -> list[str]:
        """Files that were not read and rows that were left out or added, by reason."""
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


def skipped_in_words(skipped: Mapping[Path, str]) -> list[str]:
    """Files that were not read, and why."""
    reasons: dict[str, list[str]] = {}
    for path, reason in skipped.items():
        reasons.setdefault(reason, []).append(path.name)
    return [f"not read: {_some(names)} ({reason})." for reason, names in reasons.items()]


def _some(names: Sequence[str], most: int = 5) -> str:
    """The first of many names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


# What a log may state beside its scores, each counted over the rows of a system and task.
TALLIES = ("rows", "questions", "right", "failed")


@dataclass(frozen=True, slots=True)
class Claim:
    """A number that a log states, and what to ask of errbar to get the same."""

    name: str  # as the harness calls it
    value: float
    metric: str  # as errbar calls it, or one of TALLIES
    system: str = ""
    task: str = ""
    errors: Literal["fail", "missing"] = "fail"  # how the harness takes rows without a result
    digits: int = 9  # to how many decimal places the log states it


@dataclass(frozen=True, slots=True)
class Origin:
    """What there is to say of a log beside its rows."""

    reader: str = ""
    why: str = ""  # what in the file says that it is of this harness
    claims: tuple[Claim, ...] = ()
    remarks: tuple[str, ...] = ()  # what was chosen, what was left out, what is strange
    accounts: Accounts = field(default_factory=Accounts)  # what became of every file and row

    def notes(self) -> list[str]:
        """Which reader it was and why, and the remarks; nothing where there is no log."""
        return [*([f"Reader: {self.reader} ({self.why})."] if self.reader else []), *self.remarks]


NOWHERE = Origin()  # of outcomes that are in no log
