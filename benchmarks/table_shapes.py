"""Tables of the shapes that people keep outcomes in, of any size, for measuring their reading.

Each function writes a table of so many outcomes, every record with a text as long as is asked for.
"""

from pathlib import Path

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


TABLES: dict[str, Write] = {
    write.__name__: write for write in (flat_lines, nested_lines, json_array, lists_per_question)
}
