"""Tables of outcomes of any size, written by DuckDB: Parquet in several files, CSV, JSON lines.

A system answers every question once per trial, trial after trial, as a harness does. Outcomes are
a hash of system, question and trial, so the same sizes always give the same rows.
"""

from pathlib import Path
from typing import NamedTuple

import duckdb

FORMATS = {"parquet": "FORMAT parquet", "csv": "FORMAT csv, HEADER", "jsonl": "FORMAT json"}


class Shape(NamedTuple):
    """How many of each; rows are their product."""

    systems: int
    questions: int
    trials: int

    @property
    def rows(self) -> int:
        """One for each trial of each question by each system."""
        return self.systems * self.questions * self.trials


def make_outcomes(directory: Path, shape: Shape, ending: str, files: int = 1) -> Path:
    """A directory of files with these outcomes; one that is complete is used as it is."""
    place = directory / f"{ending}-{shape.systems}-{shape.questions}-{shape.trials}-{files}"
    done = place / "complete"
    if done.exists():
        return place
    place.mkdir(parents=True, exist_ok=True)
    size = -(-shape.rows // files)
    with duckdb.connect() as engine:
        for part in range(files):
            rows = _rows(shape, part * size, min((part + 1) * size, shape.rows))
            target = str(place / f"part-{part:02}.{ending}").replace("'", "''")
            engine.execute(f"COPY ({rows}) TO '{target}' ({FORMATS[ending]})")
    done.touch()
    return place


def _rows(shape: Shape, start: int, end: int) -> str:
    """A query of the rows from start to end. A question is as hard for all, a system as good."""
    per_system = shape.questions * shape.trials
    return f"""
        SELECT
            format('system-{{:02d}}', s) AS system,
            format('question-{{:06d}}', q) AS question,
            t::INTEGER AS trial,
            (hash(s, q, t) % 1000 < 50 + (hash(q) % 900) * (s + 20) // {shape.systems + 20})
                ::TINYINT AS outcome
        FROM (
            SELECT
                i // {per_system} AS s,
                i % {per_system} // {shape.questions} AS t,
                i % {shape.questions} AS q
            FROM range({start}, {end}) AS numbers(i)
        )
    """
