"""What to label next: probabilities and weights that are right, and a file that reads back."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import errbar
from errbar.cli import main
from errbar.errors import InputError
from errbar.results.judges import CorrectedEstimate


def judged(questions: int = 300, labelled: int = 50) -> tuple[list[dict[str, Any]], list[int]]:
    """A judge that errs where it is not sure, and the truth; the first questions are labelled."""
    rng = np.random.default_rng(2)
    truth = (rng.random(questions) < 0.6).astype(int)
    unsure = rng.random(questions) < 0.2
    grade = np.where(rng.random(questions) < np.where(unsure, 0.4, 0.01), 1 - truth, truth)
    rows = [
        {
            "question": f"q{at}",
            "outcome": int(grade[at]),
            "sure": 0.5 if unsure[at] else 0.95,
            "human": int(truth[at]) if at < labelled else None,
        }
        for at in range(questions)
    ]
    return rows, truth.tolist()


def test_with_labels_of_unequal_weight_the_judge_counts_for_all_questions() -> None:
    """The difference estimator by hand; the unlabelled alone would not be a random sample."""
    rows, truth = judged()
    grades = np.array([row["outcome"] for row in rows])
    chosen = np.flatnonzero(np.arange(300) % np.where(grades, 10, 3) == 0)
    weights = np.where(grades, 10.0, 3.0)[chosen]
    labels = [
        {"question": f"q{at}", "label": truth[at], "weight": weight}
        for at, weight in zip(chosen.tolist(), weights.tolist(), strict=True)
    ]
    plain = [{"question": row["question"], "outcome": row["outcome"]} for row in rows]
    (found,) = errbar.score(plain, labels=labels, correction="ppi")
    off = np.array(truth)[chosen] - grades[chosen]
    assert found.value == pytest.approx(grades.mean() + weights @ off / weights.sum(), abs=1e-12)


def test_the_file_is_filled_in_and_read_back(tmp_path: Path) -> None:
    rows, truth = judged()
    source = tmp_path / "judged.csv"
    with source.open("w", newline="") as opened:
        writer = csv.DictWriter(opened, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    fill = tmp_path / "fill.csv"
    words = ["label", str(source), "--label", "human", "-n", "60", "--by", "sure", "--fill"]
    run = CliRunner().invoke(main, [*words, str(fill), "--format", "json"])
    assert run.exit_code == 0, run.output
    groups = json.loads(run.stdout)["rows"]
    assert sum(group["chosen"] for group in groups) == 60
    assert sum(group["labelled"] for group in groups) == 50
    with fill.open(newline="") as opened:
        cells = list(csv.DictReader(opened))
    assert set(cells[0]) == {"question", "label", "weight"}  # nothing of what the judge said
    assert sum(cell["label"] == "" for cell in cells) == 60
    for cell in cells:
        cell["label"] = str(truth[int(cell["question"][1:])])
    with fill.open("w", newline="") as opened:
        writer = csv.DictWriter(opened, list(cells[0]))
        writer.writeheader()
        writer.writerows(cells)
    (score,) = errbar.load(source).score("avg")
    (corrected,) = errbar.load(source, labels=fill).score("avg")
    assert isinstance(corrected, CorrectedEstimate)
    assert corrected.labels == 110
    assert corrected.low <= np.mean(truth) <= corrected.high
    assert corrected.judge == pytest.approx(score.value)


def test_labels_of_several_systems_tasks_and_trials_are_read_back(tmp_path: Path) -> None:
    rows = [
        {"system": s, "task": t, "question": f"q{q}", "trial": k, "outcome": (q + k) % 3 > 0}
        for s in ("a", "b")
        for t in ("x", "y")
        for q in range(40)
        for k in range(2)
    ]
    runs = errbar.load(rows)
    with pytest.raises(InputError, match=r"the tasks 'x', 'y'.*task="):
        errbar.next_labels(runs, 10)
    found = errbar.next_labels(runs, 10, task="y")
    assert {cell["task"] for cell in found.cells} == {"y"}
    assert len(found.cells) == 10 * 2 * 2
    found.write(tmp_path / "fill.csv")
    with (tmp_path / "fill.csv").open(newline="") as opened:
        labels = [{**cell, "label": 1} for cell in csv.DictReader(opened)]
    scores = errbar.load([row for row in rows if row["task"] == "y"], labels=labels).score("pass@2")
    assert [each.labels for each in scores if isinstance(each, CorrectedEstimate)] == [10, 10]


def test_doubtful_answers_are_chosen_more_often_if_that_is_worth_it() -> None:
    rows, _ = judged(2000, 150)
    found = errbar.next_labels(errbar.load(rows, label="human"), 300, by="sure")
    assert not found.is_even
    assert found.width < 0.97 * found.width_even
    share = {group.name: group.chosen / (group.answers - group.labelled) for group in found.groups}
    assert min(share[name] for name in share if "0.5" in name) > 1.5 * max(
        share[name] for name in share if "0.95" in name
    )


def test_the_share_of_errors_of_a_group_is_that_of_jeffreys() -> None:
    """Half an error and half a right grade are added to those of the labelled answers."""
    rows, _ = judged(300, 60)
    found = errbar.next_labels(errbar.load(rows, label="human"), 30)
    assert len(found.groups) == 2
    for group, grade in zip(
        sorted(found.groups, key=lambda group: group.name), (0, 1), strict=True
    ):
        own = [row for row in rows[:60] if row["outcome"] == grade]
        wrong = sum(row["human"] != grade for row in own)
        assert group.labelled == len(own)
        assert group.errs == pytest.approx((wrong + 0.5) / (len(own) + 1.0))


def test_a_width_is_reached_by_the_number_of_labels_that_is_stated() -> None:
    rows, _ = judged(150)
    runs = errbar.load([{k: v for k, v in row.items() if k != "human"} for row in rows])
    found = errbar.next_labels(runs, width=0.3, agreement=0.9)
    assert found.width <= 0.3
    assert errbar.next_labels(runs, found.questions // 2, agreement=0.9).width > 0.3
    with pytest.raises(InputError, match="needs more questions"):
        errbar.next_labels(runs, width=0.05)
    with pytest.raises(InputError, match=r"number to label, as in .*, or the width"):
        errbar.next_labels(runs)
    with pytest.raises(InputError, match="only 150 have no label"):
        errbar.next_labels(runs, 151)
