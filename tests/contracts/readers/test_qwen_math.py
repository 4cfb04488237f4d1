"""Outputs of the Qwen2.5-Math evaluation."""

import json
from pathlib import Path

import pytest

import errbar
from broken_logs import require_clear_refusals, require_read_or_refused
from errbar.errors import InputError
from logs import FIXTURES, claims_of, real, remarks_of, rows_of

LOGS = FIXTURES / "qwen_math"
FOLDER = LOGS / "adder" / "math_eval" / "doubles"
SAMPLED = FOLDER / "test_cot_-1_seed21_t0.7_s0_e-1.jsonl"


def test_predictions_are_trials_and_seeds_add_to_them() -> None:
    runs = errbar.load(LOGS)
    found = rows_of(runs)
    warm = "adder (test_cot_-1_t0.7_s0_e-1)"
    marks = {
        (row["question"], row["trial"]): row["outcome"] for row in found if row["system"] == warm
    }
    expected = [[1, 1, 1, 0], [1, 0, 0, 0], [0, 0, 0, 0]]
    assert marks == {
        (str(question), trial): right
        for question, of_one in enumerate(expected)
        for trial, right in enumerate(of_one)
    }
    assert len(found) == 15
    assert claims_of(runs) == ["num_samples", "acc"]


def test_answers_targets_and_the_reward_model_are_kept() -> None:
    row = rows_of(SAMPLED)[3]
    assert (row["system"], row["task"], row["level"]) == ("adder", "doubles", "Level 1")
    assert (row["question"], row["trial"], row["answer"], row["target"]) == ("1", 1, "3", "2")
    assert row["confidence"] == 0.375


def test_a_question_that_occurs_again_counts_once(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    lines = SAMPLED.read_text().splitlines()
    changed = {**json.loads(lines[0]), "score": [False, False]}
    path.write_text("\n".join([*lines, json.dumps(changed)]))
    runs = errbar.load(path)
    assert sum(row["outcome"] for row in rows_of(runs)) == 1
    assert "1 lines are of questions that occur again" in remarks_of(runs)


def test_predictions_without_a_score_have_no_result(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    record = {"idx": 0, "gt": "1", "pred": ["1", "2"], "score": [True]}
    others = [{**record, "idx": 1, "score": []}, {**record, "idx": 2, "score": [], "pred": []}]
    path.write_text("\n".join(map(json.dumps, [record, *others])))
    found = [(row["question"], row["outcome"], row["status"]) for row in rows_of(path)]
    assert found == [
        *(("0", 1, "ok"), ("0", None, "unscored")),
        *(("1", None, "unscored"), ("1", None, "unscored"), ("2", None, "missing")),
    ]
    assert "1 row added: questions without predictions." in remarks_of(path)


def test_seeds_that_are_joined_state_nothing(tmp_path: Path) -> None:
    place = tmp_path / "adder" / "math_eval" / "doubles"
    place.mkdir(parents=True)
    for seed in "01":
        name = f"test_cot_-1_seed{seed}_t0.0_s0_e-1"
        (place / f"{name}.jsonl").write_bytes(SAMPLED.read_bytes())
        (place / f"{name}_metrics.json").write_text('{"num_samples": 3, "acc": 33.3}')
    assert not errbar.load(tmp_path).agreements()


def test_scores_of_steps_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    row = {"idx": 0, "gt": "1", "pred": ["1"], "score": [True], "code": [""]}
    path.write_text(json.dumps({**row, "pred_score": [[0.5, 0.25]]}))
    runs = errbar.load(path)
    assert rows_of(runs)[0]["confidence"] == 0.25
    assert "the last one is used" in remarks_of(runs)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"idx": None}, "line 1, idx: an id must be text or an integer"),
        ({"score": True}, "line 1, score: expected an array"),
        ({"pred": "420"}, "line 1, pred: expected an array"),
    ],
)
def test_fields_of_the_wrong_kind_are_refused(
    tmp_path: Path, change: dict[str, object], said: str
) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text(json.dumps({**json.loads(SAMPLED.read_text().splitlines()[0]), **change}))
    with pytest.raises(InputError, match=said):
        errbar.load(path)


def test_the_published_numbers_come_out() -> None:
    runs = errbar.load(real("qwen-math"))
    values = [each.value for each in runs.score(*(f"pass@{k}" for k in range(1, 9)))]
    assert [round(value - 1e-12, 4) for value in values] == [
        *(0.91, 0.9329, 0.9445, 0.951, 0.9548, 0.9571, 0.9587, 0.96),
    ]
    assert runs.score("avg")[0].value == pytest.approx(0.91, abs=1e-12)
    assert round(runs.roc()[0].value, 5) == 0.96824


def test_broken_logs(tmp_path: Path) -> None:
    require_read_or_refused(SAMPLED, tmp_path, reader="qwen_math")
    require_clear_refusals(SAMPLED, tmp_path, reader="qwen_math")
