"""Ratings as tools nest them: a row per rating, and nothing lost."""

import json
from pathlib import Path
from typing import Any

import pytest

import errbar


def judged(decisions: list[tuple[str, list[str | None]]]) -> list[dict[str, Any]]:
    """Pairs with a label, judged in both orders."""
    return [
        {
            "pair_id": f"p{at}",
            "source": "law",
            "label": label,
            "judge_name": "arena_hard",
            "judgments": [
                None if said is None else {"judgment": {"judge_model": "j"}, "decision": said}
                for said in both
            ],
        }
        for at, (label, both) in enumerate(decisions)
    ]


def studio(choices: list[list[str]]) -> list[dict[str, Any]]:
    """Tasks of Label Studio with a choice of each of several people, and a prediction."""
    return [
        {
            "id": at,
            "data": {"text": "…", "model": "m"},
            "annotations": [
                {"completed_by": {"email": who}, "result": [_choice(value)]}
                for who, value in zip(("ann", "bob"), task, strict=False)
            ]
            + [{"completed_by": 3, "was_cancelled": True, "result": [_choice("no")]}],
            "predictions": [{"model_version": "v1", "result": [_choice(task[-1])]}],
        }
        for at, task in enumerate(choices)
    ]


def _choice(value: str) -> dict[str, Any]:
    return {"type": "choices", "from_name": "q", "to_name": "t", "value": {"choices": [value]}}


def agreement(found: Any) -> float:
    return next(row.value for row in found if row.measure == "agreement")


def test_a_judge_that_saw_pairs_in_both_orders_is_compared_with_the_label() -> None:
    rows = judged(
        [
            ("A>B", ["A>B", "B>A"]),  # right twice: the second saw the answers in reverse order
            ("B>A", ["B>A", "B>A"]),  # right, then wrong
            ("A>B", ["A=B", None]),  # a tie, and no decision
        ]
    )
    found = errbar.agree(rows, truth="label")
    assert agreement(found) == pytest.approx(3 / 5)
    assert "reverse order" in "\n".join(found.remarks)


def test_choices_of_label_studio(tmp_path: Path) -> None:
    rows = studio([["yes", "yes"], ["yes", "no"], ["no", "no"], ["no"]])
    (tmp_path / "export.json").write_text(json.dumps(rows), encoding="utf-8")
    found = errbar.agree(tmp_path / "export.json")
    # ann, bob and v1, which says what the last of them says: pairs that agree of all pairs
    by_pair = [3 / 3, 1 / 3, 3 / 3, 1 / 1]
    assert agreement(found) == pytest.approx(sum(by_pair) / 4)


def test_responses_of_argilla_beside_a_suggestion() -> None:
    rows = [
        {
            "id": f"r{at}",
            "fields": {"prompt": "…"},
            "metadata": {"model": "m"},
            "responses": {
                "quality": [
                    {"user_id": "u1", "value": value, "status": "submitted"},
                    {"user_id": "u2", "value": 9, "status": "draft"},
                ]
            },
            "suggestions": {"quality": {"value": suggested, "agent": "judge"}},
        }
        for at, (value, suggested) in enumerate([(1, 1), (2, 3), (4, 4), (5, 5)])
    ]
    assert agreement(errbar.agree(rows)) == pytest.approx(3 / 4)


def test_human_scores_of_instances_by_metric() -> None:
    scores = {"fluency": [[2, 2], [5, 4]], "grammar": [[1, 1], [3, 3]]}
    tree = {
        "dataset": "made up",
        "annotations": [{"metric": metric, "category": "graded"} for metric in scores],
        "instances": [
            {
                "id": at,
                "instance": "…",
                "annotations": {
                    metric: {"mean_human": 0, "individual_human_scores": each[at]}
                    for metric, each in scores.items()
                },
            }
            for at in range(2)
        ],
    }
    found = errbar.agree(tree)
    assert agreement(found) == pytest.approx(3 / 4)
    assert "2 things are asked of an answer (fluency, grammar)" in "\n".join(found.remarks)


def test_columns_with_the_names_of_nested_ratings_are_columns() -> None:
    table = {"judgments": ["a", "b"], "label": ["a", "a"]}
    assert agreement(errbar.agree(table, ["judgments", "label"])) == 0.5


def test_an_abstention_is_a_category_and_said_to_be_one() -> None:
    found = errbar.agree({"j": ["good", "Abstain", "bad"], "h": ["good", "bad", "bad"]}, ["j", "h"])
    assert agreement(found) == pytest.approx(2 / 3)
    assert "'Abstain' (1): a category of its own" in "\n".join(found.remarks)
