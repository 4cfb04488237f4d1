"""Tables of teachers, annotators and product teams in which it is easy to get a wrong number."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import errbar
from errbar.base.remarks import MARK, above
from errbar.errors import InputError, NotThere

GOOD, POOR = [1, 1, 1, 0, 1, 1, 1, 0], [1, 0, 1, 0, 1, 0, 1, 0]
BOTH = {"gpt": 0.75, "qwen": 0.5}
IDS = [f"q{at}" for at in range(8)]


def means(data: Any, **how: Any) -> dict[str, float]:
    """The mean of each system."""
    return {score.system: score.value for score in errbar.load(data, **how).score("avg")}


def marked(data: Any) -> str:
    """All warnings, in one line."""
    remarks = above(errbar.load(data).score("avg").notes())
    return " ".join(remark for remark in remarks if remark.startswith(MARK))


MARKDOWN = (
    "# Results\n\nOf | nothing.\n\n| Task | **gpt** | qwen |\n|---|:-:|--:|\n"
    + "".join(
        f"| task {at} | {'✅' if good else '❌'} | {'✅' if bad else '❌'} |\n"
        for at, (good, bad) in enumerate(zip(GOOD, POOR, strict=True))
    )
    + "\n## Cost\n\n| Model | $ |\n|---|---|\n| gpt | 12 |\n"
)


def test_a_table_in_markdown_is_read(tmp_path: Path) -> None:
    (tmp_path / "results.md").write_text(MARKDOWN, encoding="utf-8")
    assert means(tmp_path) == means(tmp_path / "results.md") == BOTH
    notes = " ".join(errbar.load(tmp_path).score("avg").notes())
    assert "the table 'Results'; not read, since they have no outcomes of questions: Cost" in notes


def test_markdown_next_to_tables_is_named_and_not_read(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(MARKDOWN, encoding="utf-8")
    rows = [{"id": name, "correct": good} for name, good in zip(IDS, GOOD, strict=True)]
    (tmp_path / "gpt.json").write_text(json.dumps(rows))
    assert "Not read: " in marked(tmp_path)
    assert list(means(tmp_path).values()) == [0.75]
    (tmp_path / "gpt.json").unlink()
    (tmp_path / "README.md").write_text("# Nothing\n\nto see | here\n")
    with pytest.raises(NotThere, match="there is no table in it"):
        errbar.load(tmp_path / "README.md")


def test_keys_that_are_tuples_are_levels() -> None:
    outcomes = {
        (system, name): value
        for system, values in (("gpt", GOOD), ("qwen", POOR))
        for name, value in zip(IDS, values, strict=True)
    }
    assert means(outcomes) == BOTH
    assert means({(name, system): value for (system, name), value in outcomes.items()}) == BOTH
    with pytest.raises(InputError, match="nothing says what their parts are"):
        errbar.load({("gpt", "q1"): 1, "q2": 0})


def test_points_and_their_maximum_with_decimal_commas_are_shares(tmp_path: Path) -> None:
    rows = [
        f"F{at};{name};{str(2 * share).replace('.', ',')};2,0"
        for name, shares in (("a", [1, 0.5, 0.75, 0.75]), ("b", [0.5, 0.5, 0.25, 0.75]))
        for at, share in enumerate(shares)
    ]
    file = tmp_path / "ergebnis.csv"
    file.write_text("\n".join(["Frage;Modell;Punkte;max. Punkte", *rows]))
    assert means(file) == {"a": 0.75, "b": 0.5}
    assert "The outcome is 'Punkte' divided by 'max. Punkte'" in marked(file)


def test_weights_in_per_cent(tmp_path: Path) -> None:
    file = tmp_path / "exam.csv"
    file.write_text("question,correct,weight\nq0,1,10%\nq1,1,20%\nq2,0,30%\nq3,1,35%\nq4,0,5%\n")
    assert list(means(file).values()) == [pytest.approx(0.65)]
    file.write_text("question,correct,weight\nq0,1,10%\nq1,1,0.2\nq2,0,30%\n")
    with pytest.raises(InputError, match="has the weight '10%', which is not a number"):
        errbar.load(file).score("avg")


def test_tasks_in_names_with_that_of_their_folder_are_shared(tmp_path: Path) -> None:
    for system, shift in (("gpt", 0), ("qwen", 1)):
        for task in ("sums", "maps"):
            place = tmp_path / system / f"{task}_{system}.json"
            place.parent.mkdir(exist_ok=True)
            values = [GOOD, POOR][shift]
            place.write_text(json.dumps([{"id": n, "correct": v} for n, v in enumerate(values)]))
    scores = errbar.load(tmp_path, files="tasks").score("avg")
    assert {(score.system, score.task): score.value for score in scores} == {
        (system, task): mean for system, mean in BOTH.items() for task in ("sums", "maps")
    }
    assert "a task of the system named by its folder" in " ".join(scores.notes())


def test_a_comparison_of_two_responses_is_for_preferences() -> None:
    rows = [
        {"id": name, "response_a_model": "gpt", "response_b_model": "qwen", "preferred": "A"}
        for name in IDS
    ]
    with pytest.raises(InputError, match="each row compares two systems"):
        errbar.load(rows)
    assert len(errbar.games(rows)) == 8


def test_a_list_beside_its_mean_has_the_outcomes(tmp_path: Path) -> None:
    found = {
        name: {"accuracy": sum(values) / 8, "n": 8, "per_question": list(map(bool, values))}
        for name, values in (("gpt", GOOD), ("qwen", POOR))
    }
    assert means(found) == BOTH
    file = tmp_path / "results.json"
    file.write_text(json.dumps(found))
    assert means(file) == BOTH
    file.write_text(json.dumps({name: {"score": 1, "logprobs": [0.5, 0.25]} for name in IDS}))
    assert list(means(file).values()) == [1.0]


def test_systems_in_rows_of_numbered_columns_are_marked() -> None:
    frame = pd.DataFrame({"gpt": GOOD, "qwen": POOR})
    assert "the rows (gpt, qwen) as questions" in marked(frame.T)
    assert means(frame.T.T) == BOTH
    tall = pd.DataFrame({0: GOOD, 1: POOR}, index=IDS)
    assert "as questions" not in marked(tall)


def test_answers_inside_objects_are_named_by_their_system() -> None:
    rows = [
        {
            "id": name,
            "gold": "ABCD"[at % 4],
            "answers": {"gpt-4.1": {"pred": a}, "qwen": {"pred": b}},
        }
        for at, name in enumerate(IDS)
        for a, b in [("ABCD"[(at + 1 - GOOD[at]) % 4], "ABCD"[(at + 1 - POOR[at]) % 4])]
    ]
    assert means(rows) == {"gpt-4.1": 0.75, "qwen": 0.5}


def test_answers_of_a_rater_are_no_systems(tmp_path: Path) -> None:
    rows = [
        f"{name},{system},yes,{'no' if at % 2 else 'yes'},{4 + at % 2}"
        for at, name in enumerate(IDS)
        for system in ("gpt", "qwen")
    ]
    file = tmp_path / "batch.csv"
    file.write_text("\n".join(["Input.id,Input.system,Answer.a,Answer.b,Answer.score_tone", *rows]))
    with pytest.raises(
        InputError, match=r"has 3 scores \(Answer\.a, Answer\.b, Answer\.score_tone"
    ):
        errbar.load(file)
