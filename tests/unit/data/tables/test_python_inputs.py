"""Data in Python are read by the rules of files: the same numbers, and every guess said above."""

import collections
import dataclasses
import io
import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner

import errbar
from errbar.base.remarks import MARK, above
from errbar.cli import main
from errbar.errors import InputError, WrongType

FIRST = [1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 0, 1]  # 8 of 12
SECOND = [0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0]  # 4 of 12
THIRD = [1, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0, 1]  # 6 of 12
IDS = [f"q{at}" for at in range(len(FIRST))]
MATRIX = np.array([FIRST, SECOND, THIRD]).T
TRIALS_BY_ID = {name: row.tolist() for name, row in zip(IDS, MATRIX, strict=True)}
BY_SYSTEM = {"gpt": FIRST, "qwen": SECOND}


def read(data: Any, **told: Any) -> Any:
    """The means, the questions and trials of each system, and what stands above them."""
    runs = errbar.load(data, **told)
    scores = runs.score("avg")
    sizes = [
        (int(part.questions.sum()), int((part.trials * part.questions).sum()))
        for part in runs.source.slices(())
    ]
    return {score.system: score.value for score in scores}, sizes, " ".join(above(scores.remarks))


@pytest.fixture
def document(tmp_path: Path) -> Any:
    def write(value: Any) -> str:
        path = tmp_path / "results.json"
        path.write_text(json.dumps(value), encoding="utf-8")
        return str(path)

    return write


@pytest.mark.parametrize("in_file", [False, True], ids=["python", "json"])
def test_more_keys_than_outcomes_are_questions(document: Any, in_file: bool) -> None:
    means, sizes, said = read(document(TRIALS_BY_ID) if in_file else TRIALS_BY_ID)
    assert means == {"": pytest.approx(18 / 36)}
    assert sizes == [(12, 36)]
    assert "Questions: the 12 keys" in said
    assert "keys='systems'" in said


@pytest.mark.parametrize("in_file", [False, True], ids=["python", "json"])
def test_fewer_keys_than_outcomes_are_systems_and_both_readings_are_said(
    document: Any, in_file: bool
) -> None:
    data = document(BY_SYSTEM) if in_file else BY_SYSTEM
    means, sizes, said = read(data)
    assert means == {"gpt": pytest.approx(8 / 12), "qwen": pytest.approx(4 / 12)}
    assert sizes == [(12, 12), (12, 12)]
    assert f"{MARK} Systems: the 2 keys (gpt, qwen)" in said
    assert "use keys='questions'" in said
    means, sizes, said = read(data, keys="questions")
    assert (means, sizes) == ({"": pytest.approx(12 / 24)}, [(2, 24)])
    assert MARK not in said


def test_the_command_line_has_the_same_choice_as_an_option(document: Any) -> None:
    path = document(BY_SYSTEM)
    said = " ".join(CliRunner().invoke(main, ["score", path]).output.split())
    assert "use --keys questions" in said
    assert "keys=" not in said
    shown = CliRunner().invoke(main, ["score", path, "--keys", "questions"]).output
    assert "2 questions x 12 trials" in " ".join(shown.split())


def test_keys_are_refused_where_there_are_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="keys="):
        errbar.load(FIRST, keys="questions")
    table = tmp_path / "a.csv"
    table.write_text("id,correct\nq1,1\nq2,0\n", encoding="utf-8")
    with pytest.raises(InputError, match="JSON document"):
        errbar.load(str(table), keys="questions")


def test_two_levels_of_as_many_keys_are_read_as_said(document: Any) -> None:
    square = {"a": {"x": 1, "y": 0}, "b": {"x": 1, "y": 1}}
    with pytest.raises(InputError, match="keys='systems' or keys='questions'"):
        errbar.load(document(square))
    assert read(document(square), keys="systems")[0] == {"a": 0.5, "b": 1.0}
    assert read(square, keys="questions")[0] == {"x": 1.0, "y": 0.5}


@pytest.mark.parametrize("in_file", [False, True], ids=["python", "json"])
@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"trials": [4] * 5, "correct": [1, 2, 3, 4, 0]}, {"": 0.5}),
        ({"n": [4] * 5, "c": [1, 2, 3, 4, 0]}, {"": 0.5}),
        ({"correct": FIRST, "confidence": [0.5] * 12}, {"": 8 / 12}),
        ({"model": ["a"] * 6 + ["b"] * 6, "passed": FIRST}, {"a": 4 / 6, "b": 4 / 6}),
        ({"id": IDS, "gpt": FIRST, "qwen": SECOND}, {"gpt": 8 / 12, "qwen": 4 / 12}),
        ({"Question ID": IDS, "outcome": FIRST}, {"": 8 / 12}),
    ],
    ids=" ".join,
)
def test_lists_with_usual_names_are_the_columns_of_a_table(
    document: Any, columns: dict[str, list[Any]], expected: dict[str, float], in_file: bool
) -> None:
    means, _, said = read(document(columns) if in_file else columns)
    assert means == pytest.approx(expected)
    assert "Columns:" in said


@pytest.mark.parametrize("as_columns", [False, True])
def test_columns_of_unequal_length_are_refused(as_columns: bool) -> None:
    told: dict[str, Any] = {"outcome": "y"} if as_columns else {"question": "x"}
    with pytest.raises(InputError, match="equal lengths"):
        errbar.load({"x": [1, 2, 3], "y": [1, 0]}, **told)


@pytest.mark.parametrize(
    "ids", [range(12), range(5, 17), [907, 3, 44, 12, 5, 6, 71, 8, 9, 1, 2, 0]]
)
@pytest.mark.parametrize("form", [list, np.array, pd.DataFrame, lambda rows: {"a": rows}, iter])
def test_ids_beside_outcomes_are_never_averaged(form: Any, ids: Any) -> None:
    rows = list(zip(ids, FIRST, strict=True))
    with pytest.raises(InputError, match=r"first column .* like ids"):
        errbar.load(form(rows))


def test_ids_in_a_csv_without_names_are_refused_by_the_same_rule(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("907,1\n3,0\n44,1\n", encoding="utf-8")
    with pytest.raises(InputError, match="first column has distinct numbers"):
        errbar.load(str(file))


def test_pairs_with_ids_of_text_are_questions_and_outcomes() -> None:
    pairs = list(zip(IDS, FIRST, strict=True))
    means, sizes, said = read(pairs)
    assert (means, sizes) == ({"": pytest.approx(8 / 12)}, [(12, 12)])
    assert "Pairs: the first of each is the id" in said
    named = {"gpt": pairs, "qwen": list(zip(IDS, SECOND, strict=True))}
    assert read(named)[0] == pytest.approx({"gpt": 8 / 12, "qwen": 4 / 12})


@pytest.mark.parametrize(
    "wide",
    [
        MATRIX.T,
        MATRIX.T.tolist(),
        [*MATRIX.T],
        [pd.Series(row) for row in MATRIX.T],
        [pl.Series(row) for row in MATRIX.T],
        pd.DataFrame(MATRIX.T),
        {"mine": MATRIX.T},
    ],
    ids=["array", "lists", "arrays", "pandas", "polars", "frame", "named"],
)
def test_a_few_long_rows_are_said_to_be_questions_with_how_to_transpose(wide: Any) -> None:
    _, sizes, said = read(wide)
    assert sizes == [(3, 36)]
    assert f"{MARK} Matrix: 3 rows are questions, 12 columns are trials." in said
    assert "numpy.transpose" in said


@pytest.mark.parametrize(
    "tall",
    [MATRIX, MATRIX.tolist(), pd.DataFrame(MATRIX), pl.DataFrame(MATRIX), {"mine": MATRIX}],
    ids=["array", "lists", "pandas", "polars", "named"],
)
def test_how_a_matrix_was_read_is_said_without_a_warning(tall: Any) -> None:
    means, sizes, said = read(tall)
    assert [*means.values()] == [pytest.approx(0.5)]
    assert sizes == [(12, 36)]
    assert "Matrix: 12 rows are questions, 3 columns are trials." in said
    assert MARK not in said


def test_three_dimensions_are_systems_questions_and_trials() -> None:
    means, sizes, said = read(np.stack([MATRIX, 1 - MATRIX]))
    assert means == {"system 1": pytest.approx(0.5), "system 2": pytest.approx(0.5)}
    assert sizes == [(12, 36), (12, 36)]
    assert "2 systems: 12 rows are questions, 3 columns are trials" in said


def test_numbered_columns_beside_an_index_are_trials() -> None:
    rows = [(name, at, x) for name, row in TRIALS_BY_ID.items() for at, x in enumerate(row)]
    long = pd.DataFrame(rows, columns=["id", "seed", "correct"])
    wide = long.pivot(index="id", columns="seed", values="correct")
    means, sizes, said = read(wide)
    assert (means, sizes) == ({"": pytest.approx(0.5)}, [(12, 36)])
    assert "Trials: the columns" in said


@pytest.mark.parametrize("right", ["pass", "correct", "✓"])
@pytest.mark.parametrize("form", [list, tuple, np.array, pd.Series, pl.Series, pd.Categorical])
def test_a_list_of_words_holds_outcomes(form: Any, right: str) -> None:
    words = [right if x else "wrong" for x in FIRST]
    means, sizes, said = read(form(words))
    assert (means, sizes) == ({"": pytest.approx(8 / 12)}, [(12, 12)])
    assert "Outcomes are words" in said


def test_words_of_any_kind_are_outcomes_where_it_is_said_which_are_right() -> None:
    words = ["good" if x else "bad" for x in FIRST]
    assert read(words, right="good")[0] == {"": pytest.approx(8 / 12)}
    with pytest.raises(InputError, match=r"right=\['WORD'\]"):
        errbar.load(words)


def test_a_file_that_is_called_like_a_word_is_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pass").mkdir()
    (Path("pass") / "a.csv").write_text("id,correct\nq1,1\nq2,1\n", encoding="utf-8")
    assert read(["pass"])[0] == {"": 1.0}


class Row(NamedTuple):
    id: str
    correct: int


@dataclasses.dataclass
class Record:
    id: str
    correct: int


SAME: dict[str, Any] = {
    "structured array": np.array([*zip(IDS, FIRST, strict=True)], dtype="U5,i4"),
    "named tuples": [Row(*pair) for pair in zip(IDS, FIRST, strict=True)],
    "dataclasses": [Record(*pair) for pair in zip(IDS, FIRST, strict=True)],
    "record batch": pa.record_batch({"id": IDS, "correct": FIRST}),
    "arrow array": pa.array(FIRST),
    "deque": collections.deque(FIRST),
    "dict values": dict(zip(IDS, FIRST, strict=True)).values(),
    "dict items": dict(zip(IDS, FIRST, strict=True)).items(),
    "decimals": [Decimal(x) for x in FIRST],
    "fractions": [Fraction(x) for x in FIRST],
    "objects": np.array([bool(x) for x in FIRST], dtype=object),
    "NumPy scalars by id": {name: np.bool_(x) for name, x in zip(IDS, FIRST, strict=True)},
    "words by id": {name: "pass" if x else "fail" for name, x in zip(IDS, FIRST, strict=True)},
    "nullable": pd.DataFrame({"id": IDS, "correct": pd.array(FIRST, dtype="Int8")}),
    "categories": pd.DataFrame({"id": IDS, "correct": pd.Categorical(FIRST)}),
    "struct": pl.DataFrame({"id": IDS, "scores": [{"accuracy": x} for x in FIRST]}),
    "runs": errbar.load(FIRST),
}
SAME["structured array"].dtype.names = ("id", "correct")


@pytest.mark.parametrize("name", SAME)
def test_the_same_outcomes_are_the_same_in_any_container(name: str) -> None:
    means, sizes, _ = read(SAME[name])
    assert (means, sizes) == ({"": pytest.approx(8 / 12)}, [(12, 12)])


@pytest.mark.parametrize(
    "form", [iter, lambda rows: (row for row in rows), lambda rows: map(list, rows)]
)
def test_iterators_are_read_to_their_end(form: Any) -> None:
    assert read(form(MATRIX.tolist()))[1] == [(12, 36)]


@pytest.mark.parametrize(
    "missing",
    [
        np.ma.array([1, 1, 0, 1], mask=[False, False, False, True]),
        [1, 1, 0, None],
        np.array([1, 1, 0, None], dtype=object),
        pd.Series(pd.array([1, 1, 0, None], dtype="Int8")),
        {"a": 1, "b": 1, "c": 0, "d": None},
    ],
    ids=["masked", "None", "objects", "nullable", "by id"],
)
def test_what_is_masked_or_none_is_no_outcome(missing: Any) -> None:
    scores = errbar.load(missing).score("avg", errors="missing")
    assert scores[0].value == pytest.approx(2 / 3)
    assert f"{MARK} 1 of 4 rows has no outcome" in " ".join(
        errbar.load(missing).score("avg").remarks
    )


REFUSED: dict[str, tuple[Any, str]] = {
    "frames": ([pd.DataFrame({"id": IDS, "correct": FIRST})] * 2, "pass them by name"),
    "polars frames": ([pl.DataFrame({"id": IDS, "correct": FIRST})] * 2, "pass them by name"),
    "counts": ([errbar.Counts([4], [1])], "pass them by name"),
    "triples": ([("gpt", "q1", 1), ("gpt", "q2", 0)], "its values have no names"),
    "tuple keys": ({("gpt", "q1"): 1, "q2": 0}, "keys of the dict are tuples"),
    "set": ({0, 1}, "no order"),
    "open file": (io.StringIO("id,correct\nq1,1\n"), "pass its path"),
    "four dimensions": (np.zeros((2, 2, 2, 2)), "4 dimensions"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_says_too_little_is_refused_with_what_to_do(name: str) -> None:
    data, said = REFUSED[name]
    with pytest.raises(InputError, match=said):
        errbar.load(data)


@pytest.mark.parametrize("told", [{"right": "1"}, {"rows": "questions"}])
def test_what_is_for_tables_is_refused_for_numbers(told: Any) -> None:
    with pytest.raises((InputError, WrongType), match="for tables of outcomes"):
        errbar.load(MATRIX, **told)


@pytest.mark.parametrize("kept", [slice(None, None, 2), slice(3, None), [7, 2, 5, 0]], ids=str)
def test_frames_without_ids_are_paired_by_their_index(kept: Any) -> None:
    both = pd.DataFrame({"correct": FIRST}), pd.DataFrame({"correct": SECOND}).iloc[kept]
    rows = both[1].index.tolist()
    expected = np.mean([FIRST[at] - SECOND[at] for at in rows])
    found = errbar.load({"a": both[0], "b": both[1]}).compare("avg")[0]
    assert abs(found.difference) == pytest.approx(abs(expected))


def test_how_often_outcomes_occur_is_not_taken_for_outcomes() -> None:
    rows = pd.DataFrame({"id": ["q1", "q1", "q2"], "correct": [1, 0, 1]})
    with pytest.raises(InputError, match="contingency table"):
        errbar.load(pd.crosstab(rows["id"], rows["correct"]))


# Columns with several levels.


def leveled(*labels: tuple[object, object]) -> pd.DataFrame:
    values = ([1, 0, 1, 1], [0, 0, 1, 1], [1, 0, 0, 0], [0, 0, 0, 1])
    index = pd.Index(list("pqrs"), name="id")
    return pd.DataFrame(dict(zip(labels, values, strict=False)), index=index)


def test_levels_of_systems_and_trials_become_rows() -> None:
    frame = leveled(("gpt", 0), ("gpt", 1), ("qwen", 0), ("qwen", 1))
    for data in (frame, frame.reset_index(), frame.swaplevel(axis=1)):
        runs = errbar.load(data)
        assert {score.system: score.value for score in runs.score("avg")} == {
            "gpt": 0.625,
            "qwen": 0.25,
        }
        assert [score.value for score in runs.score("pass@2")] == [0.75, 0.5]


def test_a_level_with_one_label_is_dropped() -> None:
    frame = leveled(("correct", "gpt"), ("correct", "qwen"))
    for data in (frame, frame.reset_index()):
        found = {score.system: score.value for score in errbar.load(data).score("avg")}
        assert found == {"gpt": 0.75, "qwen": 0.5}


def test_a_level_of_measures_stays_in_columns() -> None:
    runs = errbar.load(leveled(("gpt", "acc"), ("gpt", "f1"), ("qwen", "acc"), ("qwen", "f1")))
    scores = runs.score("avg")
    assert {score.system: score.value for score in scores} == {"gpt": 0.75, "qwen": 0.25}
    assert any("'f1' has mean" in note for note in scores.notes())


def test_levels_that_nothing_explains_are_refused() -> None:
    with pytest.raises(InputError, match="several levels"):
        errbar.load(leveled(("gpt", "north"), ("gpt", "south"), ("qwen", "north")))


def test_arrays_by_system_and_task_are_matrices() -> None:
    """The keys next to matrices are tasks: {system: {task: array}}."""
    strong, weak = np.array([[1, 1], [1, 0], [0, 1]]), np.array([[0, 1], [1, 0], [0, 0]])
    data = {"gpt": {"s1": strong, "s2": weak[:2]}, "qwen": {"s1": weak, "s2": strong[:2]}}
    found = {(e.system, e.task): e.value for e in errbar.load(data).score("avg")}
    lists = {k: {n: m.tolist() for n, m in tasks.items()} for k, tasks in data.items()}
    assert found == {(e.system, e.task): e.value for e in errbar.load(lists).score("avg")}
    assert found == pytest.approx(
        {("gpt", "s1"): 2 / 3, ("gpt", "s2"): 0.5, ("qwen", "s1"): 1 / 3, ("qwen", "s2"): 0.75}
    )


def test_series_by_system_and_task_keep_their_ids() -> None:
    ids = ["a", "b", "c", "d"]
    right = pd.Series([1, 1, 0, 0], index=ids)
    data = {"gpt": {"s1": right}, "qwen": {"s1": right[::-1]}}
    pair = errbar.load(data).compare("avg")[0]
    assert (pair.difference, pair.questions) == (0, 4)
    with pytest.raises(InputError, match="labels that repeat"):
        errbar.load({"gpt": {"s1": pd.Series([1, 0], index=["a", "a"])}, "b": {"s1": right}})
