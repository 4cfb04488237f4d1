"""Files that are parts of one table or run, by their names: x-00000-of-00002, run, run-resumed."""

import re
from collections.abc import Sequence
from pathlib import Path

from errbar.base.remarks import Above, warning

_OF = re.compile(r"-(\d{3,})-of-(\d{3,})")
# part-00003-…-c000.snappy.parquet is of Spark.
_PART = re.compile(rf"(?:^part)?{_OF.pattern}|^part-\d{{3,}}(?:-[0-9a-f-]{{8,}})?(?:[-.]c\d+)?")
_SHOWN = 6


def whole_of(file: Path) -> Path:
    """Table that a file is a part of, by its name; else the file itself."""
    name = _PART.sub("", file.name)
    if name == file.name:
        return file
    stem = name.partition(".")[0].strip("-_ ")
    return file.parent / stem if stem and stem not in ("data", "part") else file.parent


def in_order(files: Sequence[Path]) -> list[Path]:
    """Files by name as people count: run, run-resumed; part2, part10.

    Examples
    --------
    >>> [file.name for file in in_order([Path("a-2.csv"), Path("a.csv"), Path("a-10.csv")])]
    ['a.csv', 'a-2.csv', 'a-10.csv']
    """

    def place(file: Path) -> tuple[Path, list[tuple[int, str]]]:
        words = re.findall(r"\d+|\D+", file.name.partition(".")[0])
        rest = re.findall(r"\d+|\D+", file.name.partition(".")[2])
        return file.parent, [
            (int(word), "") if word.isdecimal() else (-1, word) for word in (*words, *rest)
        ]

    return sorted(files, key=place)


def lacking_parts(files: Sequence[Path], wholes: Sequence[Path]) -> list[Above]:
    """Warnings on tables of which not all parts are there, by the number in their names."""
    parts: dict[tuple[Path, int], set[int]] = {}
    for file, whole in zip(files, wholes, strict=True):
        for part, number in _OF.findall(file.name)[-1:]:
            parts.setdefault((whole, int(number)), set()).add(int(part))
    said = []
    for (whole, number), there in parts.items():
        start = 1 if number in there and 0 not in there else 0
        lost = sorted({*range(start, start + number)} - there)
        if lost:
            listed = ", ".join(map(str, lost[:_SHOWN])) + " …" * (len(lost) > _SHOWN)
            said.append(
                warning(
                    f"{whole.name}: {len(there)} of {number} parts are there, by the names of the "
                    f"files (not there: {listed}). The score is of these parts only."
                )
            )
    return said[:_SHOWN]
