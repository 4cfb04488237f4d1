"""Fenced blocks of the documentation, their commands, and data for these to run on.

One folder has data under all the names that the pages use, so that any command of any page can run
there. Where the comment of a command says "then add the column `x`", that is done too.
"""

import csv
import json
import os
import random
import re
import shlex
import shutil
import tomllib
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from click.testing import CliRunner

from errbar import demo
from errbar.cli import main
from inspect_logs import sample, saved, small
from logs import FIXTURES, REPOSITORY

PAGES = [REPOSITORY / "README.md", *sorted(REPOSITORY.glob("docs/**/*.md"))]
DEMO = Path("src/errbar/demo/logs")

_VERDICTS = {0: "pass", 1: "regress", 3: "inconclusive"}  # of a gate, by exit code
_QUICKLY = {"plan": ["--simulations", "100", "--max-trials", "4"]}

Row = dict[str, Any]


class Block(NamedTuple):
    """A fenced block of a page."""

    page: Path
    line: int
    language: str
    text: str

    @property
    def is_example(self) -> bool:
        """Whether the block has its output too, as a doctest."""
        return self.language == "python" and self.text.startswith(">>> ")

    @property
    def is_code(self) -> bool:
        """Whether the block is Python as in a file."""
        return self.language == "python" and not self.is_example

    def __str__(self) -> str:
        return f"{self.page.relative_to(REPOSITORY)}, line {self.line}"


class Command(NamedTuple):
    """A line of a shell, with its comment."""

    words: list[str]
    comment: str

    @property
    def targets(self) -> list[str]:
        """The files and folders that the command writes."""
        written = {"-o", "--plot", "--markdown", "--junit"}
        after = zip(self.words, self.words[1:], strict=False)
        named = [word for option, word in after if option in written]
        return [*named, self.words[3]] if self.words[1] == "convert" else named


def blocks(page: Path) -> list[Block]:
    """Every fenced block of a page, in order."""
    text = page.read_text(encoding="utf-8")
    found = re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [Block(page, text[: each.start()].count("\n") + 1, each[1], each[2]) for each in found]


def commands(block: Block) -> Iterator[Command]:
    """The lines of a shell block; of commands joined by `&&` only those of errbar are run."""
    for line in block.text.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        parts = [list(part) for joint, part in groupby(words, "&&".__eq__) if not joint]
        for index, (first, *rest) in enumerate(parts):
            head = "errbar" if first == ".venv/bin/errbar" else first
            if index == 0 or head == "errbar":
                yield Command([head, *rest], line.partition("#")[2].strip())


def run(command: Command, place: Path) -> str:
    """The output of errbar; its exit code must be that of the page, and its files must exist."""
    name = command.words[1]
    for target in command.targets:  # of an earlier example: a reader runs one of them
        if (place / target).is_file():
            (place / target).unlink()
    ended = CliRunner().invoke(main, [*command.words[1:], *_QUICKLY.get(name, [])])
    fine = _VERDICTS if name == "gate" else {0: ""}
    assert ended.exit_code in fine, f"{shlex.join(command.words)}: {ended.output}"
    assert fine[ended.exit_code] in ended.output
    for target in command.targets:
        assert list((place / target).rglob("*.json*")) or (place / target).stat().st_size > 100
    column = re.fullmatch(r"then add the column `(\w+)`", command.comment)
    if column:
        _add_column(place / command.targets[0], column[1])
    return ended.output


def require_named(command: Command) -> None:
    """Check that commands which no test runs name existing extras, scripts and benchmarks."""
    head, *rest = command.words
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    if head == "pip":
        assert rest in [["install", f"errbar[{extra}]"] for extra in extras]
        return
    if head == "pytest":  # run by tests/journeys/test_pytest_plugin.py
        return
    script = REPOSITORY / head
    assert script.parent.name == "scripts"
    assert os.access(script, os.X_OK)
    if script.name == "setup":
        assert set(rest) <= set(extras)
        return
    for name in rest:
        if not name.startswith("-"):
            assert list((REPOSITORY / "benchmarks").glob(f"{name}*"))


def example_data(place: Path) -> None:
    """Data under the names that the pages use."""
    rows = _rows(["new", "old", "small"], ["gsm8k", "aime"], trials=9)
    _csv(place / "logs" / "runs.csv", rows)
    two = [row for row in rows if row["system"] != "small"]
    _csv(place / "runs.csv", two)
    _lines(place / "pilot.jsonl", two)
    _lines(place / "pilot" / "runs.jsonl", two)
    for name, others in (("old", ["old/", "baseline/"]), ("new", ["new/", "candidate/"])):
        alone = [{**row, "system": "mine"} for row in rows if row["system"] == name]
        for other in others:
            _csv(place / other / "runs.csv", alone)
    for at, name in enumerate(("v1.2", "v1.9", "v1.10")):
        some = [row for row in two if row["system"] == "new" and int(row["trial"]) // 3 == at]
        _csv(place / "runs" / f"{name}.csv", [{**row, "system": "mine"} for row in some])
    with duckdb.connect(str(place / "runs.duckdb")) as engine:
        files = f"read_csv('{place}/runs/*.csv', filename='release')"
        engine.execute(f"CREATE TABLE outcomes AS SELECT * FROM {files}")
    _lines(place / "log.jsonl", _watched())
    _lines(place / "battles.jsonl", _battles())
    _lines(place / "swapped.jsonl", _swapped())
    _csv(place / "flaky.csv", _flaky())
    _csv(place / "outcomes.csv", _sure())
    _csv(place / "judged.csv", _judged())
    _csv(place / "graded.csv", _graded())
    _csv(place / "spent.csv", _spent())
    _csv(place / "prices.csv", _PRICES)
    _csv(place / "ratings.csv", [rating for row in _judged() for rating in _as_ratings(row)])
    _csv(place / "labels.csv", [row for row in map(_as_label, _judged()) if row["label"] != ""])
    pq.write_table(pa.Table.from_pylist(_sure()), place / "outcomes.parquet")
    (place / "outcomes").mkdir()
    pq.write_table(pa.Table.from_pylist(rows), place / "outcomes" / "runs.parquet")
    _lines(place / "results.jsonl", [{"case": "a", "ok": True, "config": "base"}])
    shutil.copytree(demo.LOGS, place / DEMO)
    shutil.copytree(FIXTURES / "lm_eval" / "named" / "toy__strong", place / "output" / "toy")
    shutil.copytree(FIXTURES / "lighteval", place / "evals")
    adder = "doubles--mock--adder"
    shutil.copytree(FIXTURES / "verifiers" / adder, place / "outputs" / "evals" / adder)


def inspect_logs(place: Path) -> None:
    """A log of inspect_ai with several scorers and with metadata of samples."""
    values = ["C", "C", "I", "C", "I", "C"]
    samples = [
        sample(f"q{at // 2}", 1 + at % 2, value, metadata={"level": at // 4, "document": at // 4})
        for at, value in enumerate(values)
    ]
    for record in samples:
        record["scores"]["number"] = {"value": 0.5}
        record["scores"]["parts"] = {"value": {"a": 1.0, "b": 0.0}}
    accuracy = {"name": "accuracy", "value": 4 / 6}
    results = {"scores": [{"name": "s", "scorer": "s", "metrics": {"accuracy": accuracy}}]}
    saved(place / "run.json", small(samples, results=results))


def _rows(systems: list[str], tasks: list[str], *, trials: int) -> list[Row]:
    rng = random.Random(0)
    found = []
    for task in tasks:
        for at in range(15):
            easy = rng.random()
            found += [
                {
                    "system": system,
                    "task": task,
                    "question": f"{task}-{at}",
                    "trial": trial,
                    "outcome": int(rng.random() < easy),
                    "difficulty": "easy" if easy > 0.5 else "hard",
                }
                for system in systems
                for trial in range(trials)
            ]
    return found


def _as_ratings(row: Row) -> list[Row]:
    """A row per rating: that of the judge, and that of people if there is one."""
    item = f"{row['system']} {row['question']}"
    both = {"judge": row["outcome"], "human": row["human"]}
    return [{"item": item, "rater": who, "rating": r} for who, r in both.items() if r != ""]


def _judged() -> list[Row]:
    """Two systems that a lenient judge graded, and people's verdicts on every third question."""
    rng = random.Random(2)
    found = []
    for at in range(120):
        for system, share in (("new", 0.8), ("old", 0.5)):
            right = int(rng.random() < share)
            human = right if at % 3 == 0 else ""
            graded = right or int(rng.random() < 0.2)
            found.append(
                {"system": system, "question": f"q{at}", "outcome": graded, "human": human}
            )
    return found


_PRICES = [
    {"model": "small", "input": 0.25, "output": 2},
    {"model": "large", "input": 3, "output": 15},
]


def _spent() -> list[Row]:
    """Trials of two systems with their cost, their tokens and their time."""
    rng = random.Random(4)
    return [
        {
            "system": system,
            "question": f"q{at}",
            "trial": trial,
            "outcome": int(rng.random() < share),
            "cost": round(dear * rng.random(), 5),
            "input_tokens": rng.randrange(100, 900),
            "output_tokens": rng.randrange(10, 90),
            "seconds": round(rng.lognormvariate(1, 1), 2),
        }
        for at in range(30)
        for system, share, dear in (("small", 0.4, 0.01), ("large", 0.7, 0.1))
        for trial in range(4)
    ]


def _graded() -> list[Row]:
    """Answers of one system, three of each question, that each of three judges graded."""
    rng = random.Random(3)
    found = []
    for at in range(40):
        easy = rng.random()
        for trial in range(3):
            right = rng.random() < easy
            found += [
                {"question": f"q{at}", "trial": f"{judge}-{trial}", "judge": judge, "outcome": o}
                for judge, mild in (("a", 0.1), ("b", 0.3), ("c", 0.5))
                for o in (int(right or rng.random() < mild),)
            ]
    return found


def _as_label(row: Row) -> Row:
    return {"system": row["system"], "question": row["question"], "label": row["human"]}


def _battles() -> list[Row]:
    rng = random.Random(1)
    names = ("large", "medium", "small")
    return [
        {"id": at, "model_a": a, "model_b": b, "winner": rng.choice(("A", "B", "tie")), "judge": j}
        for at in range(40)
        for j in ("people", "model")
        for a, b in [rng.sample(names, 2)]
    ]


def _swapped() -> list[Row]:
    """Games in both orders, by a judge that favours the answer shown first."""
    rng = random.Random(1)
    return [
        {"id": at, "model_a": a, "model_b": b, "winner": "A" if rng.random() < 0.6 else "B"}
        for at in range(40)
        for a, b in (("large", "small"), ("small", "large"))
    ]


def _watched() -> list[Row]:
    """A run that can stop: both systems are above 0.8, and the new one is better."""
    return [
        {"system": system, "question": f"q{at}", "trial": trial, "outcome": right}
        for at in range(300)
        for trial in range(4)
        for system, right in (("new", 1), ("old", int(at % 8 > 0)))
    ]


def _flaky() -> list[Row]:
    """Two systems, of which one loses a tenth of its trials."""
    rng = random.Random(2)
    found: list[Row] = []
    for system, right, lost in (("steady", 0.8, 0.0), ("flaky", 0.6, 0.1)):
        for at in range(60):
            for trial in range(3):
                fails = rng.random() < lost
                outcome = "" if fails else int(rng.random() < right)
                row: Row = {"system": system, "question": f"q{at}", "trial": trial}
                found.append(row | {"outcome": outcome, "status": "timeout" if fails else "ok"})
    return found


def _sure() -> list[Row]:
    """Two prompts with separately numbered trials, and answers that may be declined."""
    rng = random.Random(0)
    found = []
    for at in range(40):
        for trial in range(4):
            sure = rng.random()
            found.append(
                {
                    "prompt": "short" if trial < 2 else "long",
                    "document": f"d{at // 4}",
                    "question": f"q{at}",
                    "trial": trial,
                    "outcome": int(rng.random() < 0.4 + 0.6 * sure) if sure > 0.1 else None,
                    "status": "ok" if sure > 0.1 else "abstained",
                    "confidence": round(sure, 3),
                }
            )
    return found


def _csv(file: Path, rows: list[Row]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", newline="") as opened:
        writer = csv.DictWriter(opened, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _lines(file: Path, rows: list[Row]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))


def _add_column(file: Path, name: str) -> None:
    with file.open(newline="") as opened:
        rows = list(csv.DictReader(opened))
    _csv(file, [{**row, name: at // 2} for at, row in enumerate(rows)])
