"""What became of every file and every row: read, left out, or added, each with its reason.

Accounts must close: the rows that files hold, and those that were added, are the rows of the table
and those that were left out. Where they do not, errbar itself is wrong, and says so.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

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
        kept = sum(one.kept for one in self.values())
        if kept != rows:
            raise InternalError(
                f"the files hold {sum(one.rows for one in self.values())} rows, of which "
                f"{kept} should be in the table; there are {rows}."
            )

    @property
    def skipped(self) -> dict[Path, str]:
        """Files that were not read, and why."""
        return {path: one.skipped for path, one in self.items() if one.skipped}

    def in_words(self) -> list[str]:
        """Files that were not read and rows that were left out or added, by reason."""
        said = skipped_in_words(self.skipped)
        for what, counters in (
            ("left out", [one.left_out for one in self.values()]),
            ("added", [one.added for one in self.values()]),
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
