"""Files that hold the same bytes under two names: a copy, which is no second system or trial."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from errbar.remarks import Above, warning

_LARGEST = 1 << 28  # bytes; copies of more are not looked for


def copies_among(files: Sequence[Path]) -> list[Above]:
    """What there is to say of files that are copies of one another."""
    by_size: dict[int, list[Path]] = {}
    for file in files:
        by_size.setdefault(file.stat().st_size, []).append(file)
    same: dict[bytes, list[Path]] = {}
    for size, alike in by_size.items():
        if len(alike) > 1 and 0 < size <= _LARGEST:
            for file in alike:
                same.setdefault(hashlib.sha256(file.read_bytes()).digest(), []).append(file)
    return [
        warning(
            f"{' and '.join(file.name for file in copies[:4])} hold the same bytes, and each is "
            f"read. If one is a copy of the other, it is no repeat and no other system: give one."
        )
        for copies in same.values()
        if len(copies) > 1 and _may_be_copies(copies)
    ]


def _may_be_copies(files: Sequence[Path]) -> bool:
    """Whether files are large enough to be alike by copying only."""
    return files[0].stat().st_size > _BY_CHANCE or len({file.name for file in files}) == 1


_BY_CHANCE = 40  # bytes; files of a row or two are alike by chance
