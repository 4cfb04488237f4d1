"""What may be chosen about reading: roles of files, rows and keys, columns, scores of a log.

None, or nothing, means that errbar decides.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

FilesAre = Literal["systems", "questions", "trials", "tasks", "parts"]
RowsAre = Literal["trials", "questions"]
RepeatsAre = Literal["refuse", "keep", "last"]
KeysAre = Literal["systems", "questions"]


@dataclass(frozen=True)
class HowToRead:
    """Options of reading; None or empty means that errbar decides."""

    assignment: Mapping[str, str | None] = field(default_factory=dict)
    right: tuple[str, ...] = ()  # words that mean right
    rows: RowsAre | None = None  # role of rows with the same id
    files: FilesAre | None = None  # role of files that do not name their system
    repeats: RepeatsAre = "refuse"  # how to treat repeated trials
    keys: KeysAre | None = None  # role of the keys of lists of outcomes
    pieces: bool = False  # whether shards and the like are parts of one table


Regrade = Callable[[Any, Any, Any], float | bool | None]  # arguments: response, target, doc


@dataclass(frozen=True)
class Choice:
    """Choices among several scores of a log; None means the default."""

    scorer: str | None = None
    filter: str | None = None
    regrade: Regrade | None = None  # function that grades every response again
    signal: str | None = None  # signal used as the confidence of an item
    files: FilesAre | None = None  # role of files that do not name their system


@dataclass(frozen=True)
class ReadRequest:
    """All options of reading."""

    how: HowToRead
    reader: str | None = None
    choice: Choice = field(default_factory=Choice)
    connection: Any = None
