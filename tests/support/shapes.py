"""Outcomes in the shapes in which people keep them, each with the expected means."""

import json
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl

Means = Mapping[str, float]  # of each system

# Ten questions of two systems, and five trials of four questions, whose means are told by eye.
GOOD = {f"q{at}": at not in (3, 7) for at in range(10)}  # .8
POOR = {f"q{at}": at % 2 == 0 for at in range(10)}  # .5
TRIALS = {"a": [1, 1, 1, 1, 1], "b": [1, 0, 1, 0, 0], "c": [0] * 5, "d": [1, 1, 1, 1, 0]}  # .55


@dataclass(frozen=True)
class Shape:
    """How to write a shape, and the mean of each system; a single system may have any name."""

    write: Callable[[Path], object]
    means: Means


def _lines(path: Path, rows: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _json(path: Path, value: object, indent: int | None = None) -> None:
    path.write_text(json.dumps(value, indent=indent), encoding="utf-8")


def _records(outcomes: Mapping[str, object], name: str = "correct") -> list[dict[str, object]]:
    return [{"id": key, name: value} for key, value in outcomes.items()]


def _words(right: str, wrong: str) -> Callable[[Path], object]:
    def write(place: Path) -> None:
        rows = "".join(f"{key},{right if value else wrong}\n" for key, value in GOOD.items())
        (place / "words.csv").write_text(f"id,verdict\n{rows}", encoding="utf-8")

    return write


def _two_files(place: Path) -> None:
    _lines(place / "baseline.jsonl", _records(POOR))
    _lines(place / "finetuned.jsonl", _records(GOOD))


def _seven_csvs(place: Path) -> None:
    for at, outcomes in enumerate([GOOD, POOR] * 3 + [GOOD]):
        rows = "".join(
            f'{key},"text, of it",{int(outcome)}.0\n' for key, outcome in outcomes.items()
        )
        (place / f"results_org_model-{'abcdefg'[at]}.csv").write_text(f"id,input,score\n{rows}")


def _text_beside_id(place: Path) -> None:
    table = pd.DataFrame(
        {
            "question_id": list(GOOD),
            "question": ["Which of these is it?"] * 9 + ["And what of this one?"],
            "correct": list(GOOD.values()),
        }
    )
    table.to_parquet(place / "mmlu.parquet")


def _index(place: Path) -> None:
    pd.DataFrame(_records(GOOD)).to_csv(place / "frame.csv")


def _index_alone(place: Path) -> None:
    pd.DataFrame({"correct": GOOD}).to_csv(place / "index.csv")


def _trailing_comma(place: Path) -> None:
    rows = "".join(f"{key},{int(each)}\n" for key, each in GOOD.items())
    (place / "trailing.csv").write_text(f"id,correct,\n{rows}")


def _trailing_commas(place: Path) -> None:
    rows = "".join(f"{key},{int(each)},\n" for key, each in GOOD.items())
    (place / "commas.csv").write_text(f"id,correct,\n{rows}")


def _wide(place: Path) -> None:
    wide = {"id": list(GOOD), "gpt": list(GOOD.values()), "qwen": list(POOR.values())}
    pd.DataFrame(wide).to_csv(place / "wide.csv", index=False)


def _wide_trials(place: Path) -> None:
    rows = [{"id": key, **{f"trial_{k}": v for k, v in enumerate(t)}} for key, t in TRIALS.items()]
    pd.DataFrame(rows).to_csv(place / "trials.csv", index=False)


def _transposed(place: Path) -> None:
    rows = {"upper": GOOD, "lower": POOR}
    table = pd.DataFrame([{"model": name, **row} for name, row in rows.items()])
    table.astype(dict.fromkeys(GOOD, int)).to_csv(place / "rows.csv", index=False)


def _passed_of_total(place: Path) -> None:
    rows = [f"{key},{sum(trial)},{len(trial)}\n" for key, trial in TRIALS.items()]
    (place / "passed.csv").write_text("task,passed,total\n" + "".join(rows))


def _nested(place: Path) -> None:
    _lines(
        place / "nested.jsonl",
        [{"id": k, "scores": {"accuracy": int(v), "length": 17}} for k, v in GOOD.items()],
    )


def _leaderboard(place: Path) -> None:
    rows: list[dict[str, object]] = [
        {"subject_id": name, "responses": {key: int(outcome) for key, outcome in outcomes.items()}}
        for name, outcomes in (("subject", GOOD), ("object", POOR))
    ]
    _lines(place / "responses.jsonl", rows)


def _counts(place: Path) -> None:
    _json(
        place / "counts.json",
        {key: {"successes": sum(trial), "trials": len(trial)} for key, trial in TRIALS.items()},
    )


def _excel(place: Path) -> None:
    pd.DataFrame(_records(GOOD)).to_excel(place / "book.xlsx", index=False)


def _data_set(place: Path) -> None:
    """As Hugging Face's datasets saves one: an Arrow stream in parts, and two descriptions."""
    import pyarrow as pa  # noqa: PLC0415

    table = pa.Table.from_pylist(_records(GOOD))
    for at, part in enumerate((table.slice(0, 6), table.slice(6))):
        path = str(place / f"data-0000{at}-of-00002.arrow")
        with pa.OSFile(path, "wb") as file, pa.ipc.new_stream(file, table.schema) as stream:
            stream.write_table(part)
    _json(place / "dataset_info.json", {"citation": "", "features": {}})
    _json(place / "state.json", {"_data_files": [{"filename": "data-00000-of-00002.arrow"}]})


def _one_file_per_question(place: Path) -> None:
    for key, value in GOOD.items():
        _json(place / f"{key}.json", {"id": key, "correct": value}, indent=2)


def _folders_of_questions(place: Path) -> None:
    for system, outcomes in (("low", POOR), ("high", GOOD)):
        (place / system).mkdir()
        for at, (key, outcome) in enumerate(outcomes.items()):
            record = {"task_id": key, "score": float(outcome), "steps": [system, at]}
            _json(place / system / f"{at}.json", record, indent=1)


def _attempts_at_tasks(place: Path) -> None:
    rows = [
        f"{system},{key},{attempt},{int(outcome)}\n"
        for system, outcomes in (("slow", POOR), ("fast", GOOD))
        for key, outcome in outcomes.items()
        for attempt in (1, 2)
    ]
    (place / "attempts.csv").write_text("".join(["agent,task,attempt,success\n", *rows]))


def _totals_at_the_end(place: Path) -> None:
    for name, outcomes in (("early", GOOD), ("late", POOR)):
        mean = sum(outcomes.values()) / len(outcomes)
        _lines(place / f"{name}.jsonl", [*_records(outcomes), {"accuracy": mean, "n": 10}])


def _keys_beside_ids(place: Path) -> None:
    rows = [{"id": key, "results": {"alpha": GOOD[key], "omega": POOR[key]}} for key in GOOD]
    _json(place / "rows.json", rows)


def _broken_off(place: Path) -> None:
    _lines(place / "entire.jsonl", _records(GOOD))
    _lines(place / "partial.jsonl", _records(POOR)[:4])


def _decimal_commas(place: Path) -> None:
    lines = [f"{key};{int(GOOD[key])},0;{int(POOR[key])},0\n" for key in GOOD]
    (place / "commas.csv").write_text("".join(["id;north;south\n", *lines]), encoding="utf-8")


def _weighted(place: Path) -> None:
    """Weights of 1, and of 0 where the first system is wrong: 8 of 8 are right, and 5 of 8."""
    rows = [
        {"model": name, "id": key, "correct": outcomes[key], "weight": int(GOOD[key])}
        for name, outcomes in (("heavy", GOOD), ("light", POOR))
        for key in GOOD
    ]
    pd.DataFrame(rows).to_csv(place / "weights.csv", index=False)


def _labels(place: Path) -> None:
    true = {key: "spam" if at % 3 else "ham" for at, key in enumerate(GOOD)}
    other = {"spam": "ham", "ham": "spam"}
    table = pd.DataFrame({"id": list(GOOD), "label": true.values()})
    for name, outcomes in (("bert", GOOD), ("bart", POOR)):
        table[f"pred_{name}"] = [true[k] if outcomes[k] else other[true[k]] for k in GOOD]
    table.to_csv(place / "labels.csv", index=False)


def _sheets(place: Path) -> None:
    with pd.ExcelWriter(place / "sheets.xlsx") as book:
        for name, outcomes in (("left", GOOD), ("right", POOR)):
            pd.DataFrame(_records(outcomes)).to_excel(book, sheet_name=name, index=False)


def _junit(place: Path) -> None:
    cases = "".join(
        f'<testcase classname="t" name="{key}">{"" if passed else "<failure/>"}</testcase>'
        for key, passed in GOOD.items()
    )
    (place / "junit.xml").write_text(f"<testsuite name='s' tests='10'>{cases}</testsuite>")


def _sqlite(place: Path) -> None:
    with closing(sqlite3.connect(place / "runs.db")) as database:
        database.execute("CREATE TABLE results (id TEXT, correct INTEGER)")
        rows = [(key, int(outcome)) for key, outcome in GOOD.items()]
        database.executemany("INSERT INTO results VALUES (?, ?)", rows)
        database.commit()


def _sure_in_words(place: Path) -> None:
    rows = [row | {"confidence": "high"} for row in _records(GOOD)]
    _lines(place / "sure.jsonl", rows)


def _verdict_lists(place: Path) -> None:
    lists = {"passed": [k for k in GOOD if GOOD[k]], "failed": [k for k in GOOD if not GOOD[k]]}
    _json(place / "verdicts.json", lists)


def _nested_in_records(place: Path) -> None:
    """Records by id, with the outcome in a nested field."""
    for name, outcomes in (("thrifty", POOR), ("lavish", GOOD)):
        (place / name).mkdir()
        records = {
            key: {"query": f"find {key}", "run": {"summary": {"score": int(v), "turns": 3}}}
            for key, v in outcomes.items()
        }
        _json(place / name / "20260210_173116.json", records)


def _graded_by_another(place: Path) -> None:
    """The answers of two systems, graded by a third model, in files with the name of that."""
    for name, outcomes in (("full-history", POOR), ("notes", GOOD)):
        rows: list[dict[str, object]] = [
            {"question_id": k, "autoeval_label": {"model": "judge-1", "label": v}}
            for k, v in outcomes.items()
        ]
        _lines(place / f"{name}.jsonl.eval-results-judge-1", rows)


def _configured(place: Path) -> None:
    """A list of rows beside the settings of a model and of its judge, in files named by a time."""
    for name, day, outcomes in (("plus", 9, POOR), ("flash", 10, GOOD)):
        (place / name).mkdir()
        rows = [{"id": key, "final_score": float(v)} for key, v in outcomes.items()]
        _json(
            place / name / f"202602{day:02d}_173116.json",
            {"model_config": {"name": name}, "evaluator_config": {"name": "j"}, "results": rows},
        )


def _enumeration_members(place: Path) -> None:
    rounds = {
        key: {"query": "x", "is_solved": {f"{n}": _ANSWERS[t] for n, t in enumerate(trials)}}
        for key, trials in TRIALS.items()
    }
    _json(place / "rounds.json", rounds)


_ANSWERS = ("AnswerStatus.Unsolved", "AnswerStatus.Solved")

SHAPES: dict[str, Shape] = {
    "a file per system": Shape(_two_files, {"baseline": 0.5, "finetuned": 0.8}),
    "seven CSV files": Shape(
        _seven_csvs, {f"model-{each}": [0.8, 0.5][at % 2] for at, each in enumerate("abcdefg")}
    ),
    "the text beside the id": Shape(_text_beside_id, {"": 0.8}),
    "an array of objects": Shape(lambda p: _json(p / "array.json", _records(GOOD)), {"": 0.8}),
    "results in an object": Shape(
        lambda p: _json(p / "in.json", {"model": "m", "results": _records(GOOD)}, 1), {"m": 0.8}
    ),
    "outcomes by id": Shape(lambda p: _json(p / "by_id.json", GOOD), {"": 0.8}),
    "outcomes by system and id": Shape(
        lambda p: _json(p / "both.json", {"good": GOOD, "poor": POOR}), {"good": 0.8, "poor": 0.5}
    ),
    "counts by id": Shape(_counts, {"": 0.55}),
    "lists by id": Shape(
        lambda p: _json(p / "lists.json", {f"{k}{n}": v for k, v in TRIALS.items() for n in "xy"}),
        {"": 0.55},
    ),
    "lists by system": Shape(
        lambda p: _json(
            p / "by_system.json",
            {"listed": [*GOOD.values()] * 3, "other": [*POOR.values()] * 3},
        ),
        {"listed": 0.8, "other": 0.5},
    ),
    "a table by columns": Shape(
        lambda p: _json(p / "columns.json", {"id": [*GOOD], "correct": [*GOOD.values()]}),
        {"": 0.8},
    ),
    "objects in lists": Shape(
        lambda p: _lines(
            p / "samples.jsonl",
            [
                {
                    "problem_id": key,
                    "samples": [{"text": "x", "correct": trial} for trial in trials],
                }
                for key, trials in TRIALS.items()
            ],
        ),
        {"": 0.55},
    ),
    "the system inside an object": Shape(
        lambda p: _lines(
            p / "inside.jsonl",
            [
                {"id": key, "correct": outcome, "metadata": {"model": name, "n": 3}}
                for name, outcomes in (("inner", GOOD), ("inmost", POOR))
                for key, outcome in outcomes.items()
            ],
        ),
        {"inner": 0.8, "inmost": 0.5},
    ),
    "systems in rows": Shape(_transposed, {"upper": 0.8, "lower": 0.5}),
    "a record for each system in a row": Shape(
        lambda p: _json(
            p / "models.json",
            [
                {"id": key, "models": {"big": {"correct": each}, "small": {"correct": POOR[key]}}}
                for key, each in GOOD.items()
            ],
        ),
        {"big": 0.8, "small": 0.5},
    ),
    "records by id beside totals": Shape(
        lambda p: _json(
            p / "run.json",
            {
                "metrics": {"accuracy": 0.8, "n": 10},
                "per_question": {key: {"correct": each} for key, each in GOOD.items()},
            },
        ),
        {"": 0.8},
    ),
    "passed and total": Shape(_passed_of_total, {"": 0.55}),
    "pretty-printed objects": Shape(
        lambda p: (p / "pretty.jsonl").write_text(
            "\n".join(json.dumps(record, indent=2) for record in _records(GOOD))
        ),
        {"": 0.8},
    ),
    "a list of each question": Shape(
        lambda p: _lines(p / "list.jsonl", _records(TRIALS)), {"": 0.55}
    ),
    "a nested score": Shape(_nested, {"": 0.8}),
    "an unnamed index": Shape(_index, {"": 0.8}),
    "an unnamed index that is the id": Shape(_index_alone, {"": 0.8}),
    "a comma after the header": Shape(_trailing_comma, {"": 0.8}),
    "a comma after every line": Shape(_trailing_commas, {"": 0.8}),
    "a column per system": Shape(_wide, {"gpt": 0.8, "qwen": 0.5}),
    "a column per trial": Shape(_wide_trials, {"": 0.55}),
    "PASS and FAIL": Shape(_words("PASS", "FAIL"), {"": 0.8}),
    "C and I": Shape(_words("C", "I"), {"": 0.8}),
    "correct and incorrect": Shape(_words("correct", "incorrect"), {"": 0.8}),
    "check marks": Shape(_words("✓", "✗"), {"": 0.8}),
    "success and failure": Shape(_words("success", "failure"), {"": 0.8}),
    "per cent": Shape(_words("100%", "0%"), {"": 0.8}),
    "Excel": Shape(_excel, {"": 0.8}),
    "Feather": Shape(
        lambda p: pl.DataFrame(_records(GOOD)).write_ipc(p / "f.feather", compression="zstd"),
        {"": 0.8},
    ),
    "a saved data set": Shape(_data_set, {"": 0.8}),
    "a matrix of NumPy": Shape(
        lambda p: np.save(p / "m.npy", np.array(list(TRIALS.values()))), {"": 0.55}
    ),
    "a file per question": Shape(_one_file_per_question, {"": 0.8}),
    "folders of files per question": Shape(_folders_of_questions, {"low": 0.5, "high": 0.8}),
    "tasks and attempts": Shape(_attempts_at_tasks, {"slow": 0.5, "fast": 0.8}),
    "responses by system": Shape(_leaderboard, {"subject": 0.8, "object": 0.5}),
    "a total at the end of each file": Shape(_totals_at_the_end, {"early": 0.8, "late": 0.5}),
    "systems as keys beside ids": Shape(_keys_beside_ids, {"alpha": 0.8, "omega": 0.5}),
    "a run that was broken off": Shape(_broken_off, {"entire": 0.8, "partial": 0.5}),
    "decimal commas": Shape(_decimal_commas, {"north": 0.8, "south": 0.5}),
    "weights": Shape(_weighted, {"heavy": 1.0, "light": 0.625}),
    "labels and predictions": Shape(_labels, {"bert": 0.8, "bart": 0.5}),
    "a sheet per system": Shape(_sheets, {"left": 0.8, "right": 0.5}),
    "JUnit": Shape(_junit, {"": 0.8}),
    "SQLite": Shape(_sqlite, {"": 0.8}),
    "a confidence in words": Shape(_sure_in_words, {"": 0.8}),
    "ids by verdict": Shape(_verdict_lists, {"": 0.8}),
    "UTF-16": Shape(
        lambda p: pd.DataFrame(_records(GOOD)).to_csv(
            p / "wide.csv", index=False, encoding="utf-16"
        ),
        {"": 0.8},
    ),
    "an outcome two levels inside records": Shape(
        _nested_in_records, {"thrifty": 0.5, "lavish": 0.8}
    ),
    "graded by another model": Shape(_graded_by_another, {"full-history": 0.5, "notes": 0.8}),
    "a model in its settings": Shape(_configured, {"plus": 0.5, "flash": 0.8}),
    "members of an enumeration": Shape(_enumeration_members, {"": 0.55}),
}
