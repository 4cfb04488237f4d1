"""Files that are parts of one table or run, by their names: x-00000-of-00002, run, run-resumed."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from errbar.base.remarks import Above, setting, some_of, warning
from errbar.data.columns import ROW
from errbar.data.engines.duckdb import quoted, store_columns, text_of
from errbar.data.queries.expressions import FILE, Columns

_OF = re.compile(r"-(\d{3,})-of-(\d{3,})")
# part-00003-…-c000.snappy.parquet is of Spark.
_PART = re.compile(rf"(?:^part)?{_OF.pattern}|^part-\d{{3,}}(?:-[0-9a-f-]{{8,}})?(?:[-.]c\d+)?")
# shard_0, rank1, chunk-02: parts of a table, or else runs that are numbered.
_PIECE = re.compile(
    r"(?:(?<![a-z0-9])|(?<=[a-z0-9])(?=[A-Z]))(?i:shard|rank|part|chunk|batch|worker|gpu|split|slice"
    r"|process|proc|piece|segment|partition|device|node|thread|job)[-_ .=]?\d+(?![a-z0-9])"
    r"(?:[-_ ]?of[-_ ]?\d+)?|(?<![a-z0-9])\d+[-_ ]?of[-_ ]?\d+(?![a-z0-9])"
)
_SHOWN = 6


def whole_of(file: Path, *, pieces: bool = False) -> Path:
    """Table that a file is a part of, by its name; else the file itself.

    With `pieces`, shards and the like are parts too.

    Examples
    --------
    >>> whole_of(Path("out/gpt_shard_0.jsonl"), pieces=True).as_posix()
    'out/gpt'
    """
    own = file.name
    name = _PART.sub("", own)
    if name == own and pieces:
        name = _PIECE.sub("", own)
    if name == own:
        return file
    stem = name.partition(".")[0].strip("-_ ")
    return file.parent / stem if stem and stem not in ("data", "part") else file.parent


def sorted_files(files: Sequence[Path]) -> list[Path]:
    """Files by name as people count: run, run-resumed; part2, part10.

    Examples
    --------
    >>> [file.name for file in sorted_files([Path("a-2.csv"), Path("a.csv"), Path("a-10.csv")])]
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
    remarks = []
    for (whole, number), there in parts.items():
        start = 1 if number in there and 0 not in there else 0
        lost = sorted({*range(start, start + number)} - there)
        if lost:
            listed = some_of(lost, _SHOWN)
            remarks.append(
                warning(
                    f"{whole.name}: {len(there)} of {number} parts are there, by the names of the "
                    f"files (not there: {listed}). The score is of these parts only."
                )
            )
    return remarks[:_SHOWN]


def may_be_pieces(files: Sequence[Path]) -> bool:
    """Whether some files are numbered as the pieces of one table, such as shards."""
    wholes = [whole_of(file, pieces=True) for file in files if whole_of(file) == file]
    return len(set(wholes)) < len(wholes)


def questions_in_two(rows: Any, columns: Columns, groups: Mapping[Path, str]) -> int:
    """Number of questions that are in two files of one group."""
    if columns["question"] == ROW:
        return 0
    keys = [text_of(columns[name]) for name in ("task", "question") if name in columns]
    paths, wholes = list(map(str, groups)), list(groups.values())
    stored = store_columns(rows.engine, {"path": paths, "whole": wholes})
    ((shared,),) = rows.query(
        "rows",
        f"SELECT count(*) FROM (SELECT whole, {', '.join(keys)} FROM rows JOIN ({stored.text}) "
        f"AS files ON rows.{quoted(FILE)} = files.path GROUP BY ALL "
        f"HAVING count(DISTINCT path) > 1)",
    ).fetchall()
    return int(shared)


def repeated_in_parts(rows: Any, columns: Columns, files: Sequence[Path]) -> list[Above]:
    """Warning if parts of one table have the same ids, which may start anew in each part."""
    groups = {file: str(whole_of(file)) for file in files if whole_of(file) != file}
    if len(set(groups.values())) == len(groups):
        return []
    shared = questions_in_two(rows, columns, groups)
    if not shared or "trial" in columns:
        return []
    rows_apart = setting("rows", "questions")
    return [
        warning(
            f"{shared} ids are in two parts of one table, and rows with the same id are read as "
            f"trials of one question. If ids start anew in each part, use {rows_apart}."
        )
    ]
