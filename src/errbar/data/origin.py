"""Where outcomes came from: which reader, what made it sure, and what the log says of itself."""

from dataclasses import dataclass, field
from typing import Literal

from errbar.data.accounts import Accounts

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
