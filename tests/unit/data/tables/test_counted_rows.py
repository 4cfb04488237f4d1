"""Tables that count: successes and trials of a question, or how often an outcome occurred."""

from pathlib import Path

import pytest

import errbar
from errbar.base.remarks import above


def csv(place: Path, text: str) -> Path:
    (place / "a.csv").write_text(text.replace(" ", "\n") + "\n", encoding="utf-8")
    return place / "a.csv"


def scored(file: Path, **told: str) -> dict[str, tuple[float, int, int]]:
    """Value, questions and trials of every system."""
    scores = errbar.load(file, **told).score("avg")  # type: ignore[arg-type]
    return {each.system: (round(each.value, 4), each.questions, each.trials) for each in scores}


def said_above(file: Path) -> str:
    return " ".join(above(errbar.load(file).score("avg").notes()))


@pytest.mark.parametrize(
    "names",
    [
        ("passes", "attempts"),
        ("correct", "attempts"),
        ("hits", "tries"),
        ("num_successes", "num_rollouts"),
        ("successful_runs", "total_runs"),
        ("pass_count", "run_count"),
        ("correct", "out_of"),
    ],
)
def test_successes_and_trials_of_each_question(names: tuple[str, str], tmp_path: Path) -> None:
    file = csv(tmp_path, f"id,{names[0]},{names[1]} q1,3,5 q2,5,5 q3,0,5")
    assert scored(file) == {"": (0.5333, 3, 15)}


@pytest.mark.parametrize("name", ["attempts", "total_attempts", "run_count"])
def test_attempts_beside_an_outcome_of_0_or_1_are_not_its_trials(name: str, tmp_path: Path) -> None:
    file = csv(tmp_path, f"id,passed,{name} q1,1,3 q2,0,5 q3,1,1 q4,1,2")
    assert scored(file) == {"": (0.75, 4, 4)}


def test_more_successes_than_attempts_are_no_counts(tmp_path: Path) -> None:
    file = csv(tmp_path, "id,correct,attempts q1,3,1 q2,7,2 q3,0,1")
    assert "neither 0 nor 1" in said_above(file)


@pytest.mark.parametrize(
    "text",
    [
        "outcome,count correct,37 incorrect,13",
        "correct,n 1,37 0,13",
        "result,frequency fail,13 pass,37",
    ],
)
def test_how_often_each_outcome_occurred(text: str, tmp_path: Path) -> None:
    file = csv(tmp_path, text)
    assert scored(file) == {"": (0.74, 50, 50)}
    assert "37 of 50 are right" in said_above(file)


def test_how_often_each_outcome_of_a_system_occurred(tmp_path: Path) -> None:
    file = csv(tmp_path, "model,outcome,count a,pass,37 a,fail,13 b,pass,3 b,fail,1")
    assert scored(file) == {"a": (0.74, 50, 50), "b": (0.75, 4, 4)}
    with pytest.raises(errbar.errors.InputError):
        errbar.load(file).compare("avg")  # they share no question


def test_how_often_each_outcome_of_a_question_occurred(tmp_path: Path) -> None:
    file = csv(tmp_path, "id,outcome,count q1,pass,3 q1,fail,1 q2,pass,4 q3,fail,4")
    assert scored(file) == {"": (0.5833, 3, 12)}


def test_a_count_beside_the_outcome_of_a_question_is_not_its_frequency(tmp_path: Path) -> None:
    file = csv(tmp_path, "id,outcome,count q1,pass,3 q2,fail,1 q3,pass,4")
    assert scored(file)[""][1:] == (3, 3)
    assert "'count' (1 to 4) is not used" in said_above(file)


def test_the_contents_of_counts_are_trials_and_not_rows(tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text("id,passed,n\nq1,3,10\nq2,4,10\n", encoding="utf-8")
    assert errbar.load(path).inspect().summary() == "2 questions, 20 trials"
    path.write_text("id,passed\nq1,1\nq2,0\n", encoding="utf-8")
    assert errbar.load(path).inspect().summary() == "2 questions, 2 rows"


@pytest.mark.parametrize(
    "names", [("sum", "count"), ("sum", "size"), ("mean", "count")], ids=" ".join
)
def test_groups_of_pandas_are_counts(names: tuple[str, str], tmp_path: Path) -> None:
    """What `groupby(["model", "q"])["correct"].agg(["sum", "count"])` gives."""
    of_all = 1 if names[0] == "sum" else 4
    rows = " ".join(f"m,q{at},{right / of_all:g},4" for at, right in enumerate((3, 4, 0)))
    file = csv(tmp_path, f"model,q,{names[0]},{names[1]} {rows}")
    assert scored(file) == {"m": (0.5833, 3, 12)}
    assert f"Counts: '{names[0]}'" in said_above(file)
    assert "not used" not in said_above(file)
    mean, *sizes = scored(file, outcome=names[0])["m"]
    assert mean == pytest.approx(7 / of_all / 3, abs=1e-4)
    assert sizes == [3, 3]


def test_sums_that_exceed_their_counts_are_no_counts(tmp_path: Path) -> None:
    file = csv(tmp_path, "model,q,sum,count m,q1,3.5,4 m,q2,7,4 m,q3,0,4")
    with pytest.raises(errbar.errors.UnknownColumn, match="'sum', 'count'"):
        scored(file)
