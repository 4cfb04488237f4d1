"""What may be asked of the reading of a table."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from errbar.data.naming import FilesAre

RowsAre = Literal["trials", "questions"]
RepeatsAre = Literal["refuse", "keep", "last"]
KeysAre = Literal["systems", "questions"]


@dataclass(frozen=True)
class HowToRead:
    """What was asked of the reading; None and nothing where errbar is to find out."""

    told: Mapping[str, str | None] = field(default_factory=dict)
    right: tuple[str, ...] = ()  # the words that mean right
    rows: RowsAre | None = None  # what rows with the same id are
    files: FilesAre | None = None  # what files that name no system are
    repeats: RepeatsAre = "refuse"  # of one trial
    keys: KeysAre | None = None  # what the names of lists of outcomes are
