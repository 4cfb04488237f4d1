"""Tables of the shapes that people keep outcomes in, of any size, for measuring their reading.

Each function writes a table with a number of outcomes, and in every record a text of some length.
"""

import csv
from pathlib import Path

import duckdb

from benchmarks.reader_logs import Write, write_document, write_lines


def flat_lines(place: Path, rows: int, text: str) -> None:
    write_lines(
        place / "a.jsonl",
        ({"id": f"q{at // 4}", "correct": at % 3 > 0, "answer": text} for at in range(rows)),
    )


def nested_lines(place: Path, rows: int, text: str) -> None:
    write_lines(
        place / "a.jsonl",
        (
            {
                "id": f"q{at // 4}",
                "model": "adder",
                "answer": text,
                "scores": {"accuracy": int(at % 3 > 0), "f1": 0.5},
                "metadata": {"level": at % 5},
            }
            for at in range(rows)
        ),
    )


def json_array(place: Path, rows: int, text: str) -> None:
    records = [{"id": f"q{at // 4}", "correct": at % 3 > 0, "answer": text} for at in range(rows)]
    write_document(place / "a.json", records)


def lists_per_question(place: Path, rows: int, text: str) -> None:
    write_lines(
        place / "a.jsonl",
        (
            {"id": f"q{at}", "prompt": text, "correct": [True, False, True, True]}
            for at in range(rows // 4)
        ),
    )


def flat_csv(place: Path, rows: int, text: str) -> None:
    with (place / "a.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(("id", "model", "correct", "answer"))
        table.writerows((f"q{at // 4}", "adder", int(at % 3 > 0), text) for at in range(rows))


def wide_csv(place: Path, rows: int, text: str) -> None:
    """A column for each of four systems."""
    with (place / "a.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(("id", "prompt", "adder", "guesser", "parrot", "owl"))
        table.writerows((f"q{at}", text, at % 2, int(at % 3 > 0), 0, 1) for at in range(rows // 4))


def fifty_columns_csv(place: Path, rows: int, text: str) -> None:
    """A column for each of 47 numbers and texts that no analysis asks for."""
    others = [f"field_{at}" for at in range(47)]
    with (place / "a.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(("id", "model", "correct", *others))
        for at in range(rows):
            cells = (f"v{at * k % 99991}{text}" if k % 2 else at * k / 7 for k in range(1, 48))
            table.writerow((f"q{at // 4}", "adder", int(at % 3 > 0), *cells))


def parquet(place: Path, rows: int, text: str) -> None:
    """The bare loop reads the same rows as JSON lines."""
    aside = place.with_name(f"{place.name}-plain")
    aside.mkdir()
    flat_lines(aside, rows, text)
    with duckdb.connect() as engine:
        found = engine.read_json(str(aside / "a.jsonl"))
        found.write_parquet(str(place / "a.parquet"))


TABLES: dict[str, Write] = {
    write.__name__: write
    for write in (
        *(flat_lines, nested_lines, json_array, lists_per_question),
        *(flat_csv, wide_csv, fifty_columns_csv, parquet),
    )
}
