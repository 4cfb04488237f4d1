"""Result files in shapes that public repositories have, each counted by hand."""

import json
from pathlib import Path
from statistics import mean
from typing import Any

import pyarrow as pa
import pytest

import errbar
from errbar.base.remarks import MARK, above
from errbar.errors import InputError

GOOD = [True, True, True, False, True, True, True, False, True, True, False, True]  # 9 of 12
POOR = [False, True, False, False, True, True] + 6 * [False]  # 3 of 12
BOTH = {"gpt": 0.75, "qwen": 0.25}
SYSTEMS = {"gpt": GOOD, "qwen": POOR}


def means(data: Any, **how: Any) -> dict[str, float]:
    return {score.system: score.value for score in errbar.load(data, **how).score("avg")}


def marked(data: Any) -> str:
    remarks = above(errbar.load(data).score("avg").notes())
    return " ".join(remark for remark in remarks if remark.startswith(MARK))


def saved(place: Path, value: Any) -> Path:
    file = place / "results.json"
    file.write_text(json.dumps(value))
    return file


def test_a_record_per_system_in_columns_of_a_row(tmp_path: Path) -> None:
    rows = [
        {"claim_id": at, "truth": "REFUTES", "gpt": {"ms": 2, "correct": good}, "qwen": other}
        for at, (good, bad) in enumerate(zip(GOOD, POOR, strict=True))
        for other in [{"ms": 3, "correct": bad}]
    ]
    file = saved(tmp_path, rows)
    assert means(file) == BOTH
    assert "2 columns have a record of an outcome each, and are read as systems" in marked(file)
    beside = saved(tmp_path, [{**row, "response": "no"} for row in rows])
    assert set(means(beside)) == {""}  # two scorers of one response


def test_names_within_which_trials_are_numbered_anew_are_systems(tmp_path: Path) -> None:
    rows = [
        {"case_id": f"c{at}", "passed": right, "label": system, "run_index": run}
        for system, outcomes in SYSTEMS.items()
        for at, right in enumerate(outcomes)
        for run in range(2)
    ]
    file = saved(tmp_path, rows)
    assert means(file) == BOTH
    assert "rows for each 'label' (gpt, qwen)" in marked(file)


def test_counts_beside_the_outcomes_that_they_total(tmp_path: Path) -> None:
    models = [
        {
            "model": system,
            "results": {f"k{at}": {"correct": right, "s": 9} for at, right in enumerate(outcomes)},
            "pass_count": sum(outcomes),
            "total_runs": 12,
        }
        for system, outcomes in SYSTEMS.items()
    ]
    scores = errbar.load(saved(tmp_path, {"schema": 1, "models": models})).score("avg")
    assert {score.system: (score.value, score.questions) for score in scores} == {
        system: (value, 12) for system, value in BOTH.items()
    }


def test_lists_of_predictions_and_scores(tmp_path: Path) -> None:
    texts = [f"text {at}" for at in range(12)]
    scores = [float(right) for right in GOOD]
    value = {"predictions": texts, "references": texts, "scores": scores, "mean": 0.75}
    assert means(saved(tmp_path, value)) == {"": 0.75}


def test_one_question_about_many_images(tmp_path: Path) -> None:
    rows = [{"question": "vqa", "image": f"{at}.png", "correct": r} for at, r in enumerate(GOOD)]
    (score,) = errbar.load(saved(tmp_path, rows)).score("avg")
    assert (score.value, score.questions) == (0.75, 12)


def test_three_levels_of_keys_of_which_the_last_number_the_trials() -> None:
    data = {
        system: {f"q{at}": dict.fromkeys(range(3), right) for at, right in enumerate(outcomes)}
        for system, outcomes in SYSTEMS.items()
    }
    scores = errbar.load(data).score("avg")
    assert {score.system: (score.value, score.questions, score.trials) for score in scores} == {
        system: (value, 12, 36) for system, value in BOTH.items()
    }
    assert "the last number the trials" in marked(data)


def test_a_reader_of_record_batches() -> None:
    frame = pa.table({"id": [f"q{at}" for at in range(12)], "correct": GOOD})
    assert means(frame.to_reader()) == {"": 0.75}


def run_of(total: int, right: int, **more: Any) -> dict[str, Any]:
    return {"n_problems": total, "passed": right, "pass_rate": right / total, **more}


REFUSED: dict[str, tuple[Any, str]] = {
    "totals of runs": (
        [run_of(20, right, model_name="m", quant=f"q{right % 3}") for right in (9, 14, 16)],
        "'pass_rate' is 'passed' / 'n_problems' in every row",
    ),
    "totals of systems by key": (
        {name: {"n_tasks": 30, "label": name, "by": {"label": 0.1}} for name in ("a", "b", "c")},
        "it has only totals (a, b, c, with n_tasks)",
    ),
    "a record of a run": (
        [{"timestamp": "2026", "ci": {"low": 0.1}, "bound_passed": True}],
        "may be that of a whole run",
    ),
    "answers that nobody compared": (
        [
            {"id": at, "predicted_decision": "no", "actual_decision": "yes", "escalated": False,
             "llm_calls": 1, "followups_asked": 0}
            for at in range(9)
        ],
        "'actual_decision' looks like the reference answer",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_outcomes_of_questions_is_refused(name: str, tmp_path: Path) -> None:
    value, message = REFUSED[name]
    with pytest.raises(InputError) as error:
        errbar.load(saved(tmp_path, value)).score("avg")
    assert message in str(error.value)


def test_totals_with_ids_are_warned_of(tmp_path: Path) -> None:
    rows = {f"m{n}": {"in_total": 400, "good": n, "accuracy": n / 400} for n in (175, 252, 389)}
    assert "'accuracy' is 'good' / 'in_total' in every row" in marked(saved(tmp_path, rows))
    tests = [{"id": f"t{n}", "tests": 5, "ok": n, "score": n / 5} for n in range(6)]
    assert "in every row" not in marked(saved(tmp_path, tests))  # tests of one question
    assert means(tmp_path) == {"": mean(n / 5 for n in range(6))}


def test_sizes_and_counts_are_no_systems_and_few_measures_are_doubted(tmp_path: Path) -> None:
    rows = [
        {"id": at, "kind": "safety", "text": f"Do {at} now", "set_size_amb": 1, "set_size_clr": 0,
         "AmbDiff": at / 12, "ICR": 1 - at / 24, "status_amb": "Ambiguous"}
        for at in range(12)
    ]  # fmt: skip
    file = saved(tmp_path, rows)
    assert set(means(file)) == {"AmbDiff", "ICR"}
    assert "If they are scores of one system, choose one" in marked(file)


@pytest.mark.parametrize("nested", [True, False])
def test_rows_without_ids_are_numbered_within_their_file(nested: bool, tmp_path: Path) -> None:
    for system, outcomes in SYSTEMS.items():
        rows = [
            {f"run_{run}": {"solved": right} if nested else right for run in (1, 2)}
            for right in outcomes
        ]
        (tmp_path / f"{system}.json").write_text(json.dumps(rows))
    assert means(tmp_path) == BOTH
    (pair,) = errbar.load(tmp_path).compare("avg")
    assert pair.questions == 12


# Documents whose rows have no field with the name of an outcome: they are found as they are alike.
ALIKE: dict[str, tuple[Any, dict[str, float]]] = {
    "ids by system": (
        {
            name: {f"b {at}": {"prompt": "p", "leaked": done} for at, done in enumerate(each)}
            for name, each in SYSTEMS.items()
        },
        BOTH,
    ),
    "a list beside settings": (
        {
            "settings": {"judge": {"name": "j"}, "steps": 5},
            "attempted": [{"index": at, "leaked": done} for at, done in enumerate(GOOD)],
        },
        {"": 0.75},
    ),
    "a list for each system": (
        {
            name: [{"src": f"text {at}", "leaked": done} for at, done in enumerate(each)]
            for name, each in SYSTEMS.items()
        },
        BOTH,
    ),
    "ids": ({f"b {at}": {"query": "q", "leaked": x} for at, x in enumerate(GOOD)}, {"": 0.75}),
    "deep in ids": (
        {f"b {at}": {"query": "q", "run": {"end": {"leaked": x}}} for at, x in enumerate(GOOD)},
        {"": 0.75},
    ),
}


@pytest.mark.parametrize("name", ALIKE)
def test_rows_without_a_known_outcome_are_found_and_it_is_asked_for(
    name: str, tmp_path: Path
) -> None:
    value, expected = ALIKE[name]
    file = saved(tmp_path, value)
    with pytest.raises(InputError, match=r"no column .*outcome; there are: .*leaked'.*outcome="):
        errbar.load(file)
    column = "run.end.leaked" if name == "deep in ids" else "leaked"
    scores = errbar.load(file, outcome=column).score("avg")
    assert {score.system: score.value for score in scores} == expected


TOTALS: list[Any] = [
    {"bard": {"text": {"share": 0.4, "n": 5}}, "gpt": {"text": {"share": 0.6, "n": 5}}},
    {"average": {"right": 3}, "kind": {"a": {"right": 1}, "b": {"right": 2}}},
    {"files": {"a.py": {"lines": 3, "size": 2}, "b.py": {"lines": 4, "size": 9}}},
]


@pytest.mark.parametrize("value", TOTALS)
def test_objects_that_are_alike_are_no_outcomes_by_themselves(value: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        errbar.load(saved(tmp_path, value)).score("avg")


def test_counts_of_few_rows_are_totals_of_the_others(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{"entry": "attempt", "uuid": f"u{at}"} for at in range(20)]
    rows += [{"entry": "eval", "probe": name, "passed": 7, "total": 10} for name in ("p", "q")]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(InputError, match="only 2 of 22 rows have counts in 'passed' and 'total'"):
        errbar.load(tmp_path / "log.jsonl")


def test_members_of_an_enumeration_mean_what_their_names_say(tmp_path: Path) -> None:
    words = {True: "Grade.CORRECT", False: "Grade.INCORRECT"}
    rows = "".join(f"q{at},{words[done]}\n" for at, done in enumerate(GOOD))
    (tmp_path / "graded.csv").write_text(f"id,verdict\n{rows}")
    assert means(tmp_path / "graded.csv") == {"": 0.75}
    (tmp_path / "graded.csv").write_text(f"id,verdict\n{rows}z,Grade.PARTLY\n")
    with pytest.raises(InputError, match=r"'grade\.partly'|'Grade\.PARTLY'"):
        errbar.load(tmp_path / "graded.csv").score("avg")


def test_one_text_about_different_images_is_no_repeated_question(tmp_path: Path) -> None:
    rows = [
        {"question": f"Is there a thing {at % 6}?", "image": f"{at}.png", "model": name, "ok": done}
        for name, each in SYSTEMS.items()
        for at, done in enumerate(each)
    ]
    runs = errbar.load(saved(tmp_path, rows))
    scores = {score.system: (score.value, score.questions) for score in runs.score("avg")}
    assert scores == {"gpt": (0.75, 12), "qwen": (0.25, 12)}
    assert "the question is 'image'" in marked(tmp_path / "results.json")


def test_a_score_of_zero_is_no_probability_of_the_likeliest_class(tmp_path: Path) -> None:
    rows = "".join(f"asked {at},{'ab'[at % 2]}x,{at % 3 / 2}\n" for at in range(12))
    (tmp_path / "harm.csv").write_text(f"forbidden_prompt,category,score\n{rows}")
    assert means(tmp_path / "harm.csv") == {"": pytest.approx(0.5)}


def test_the_only_model_beside_what_a_judge_said_is_the_judge(tmp_path: Path) -> None:
    for name, each in SYSTEMS.items():
        (tmp_path / name / "judge").mkdir(parents=True)
        rows = [
            {"question_id": f"q{at}", "llm_judge_correct": done, "llm_judge_raw": "x", "model": "j"}
            for at, done in enumerate(each)
        ]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / name / "judge" / "rescored.jsonl").write_text(text)
    assert means(tmp_path) == BOTH
    notes = errbar.load(tmp_path).score("avg").notes()
    assert any("'model' (j) is read as the judge" in note for note in above(notes))
    assert means(tmp_path, system="model") == {"j": 0.5}


def test_points_of_parts_are_no_questions_beside_their_sum(tmp_path: Path) -> None:
    for at in range(12):
        parts = [{"total": 2, "result": at % 3}, {"total": 1, "result": 1}]
        whole = {"total": 3, "result": at % 3 + 1}
        value = {"checkpoints": parts, "final_score": whole}
        (tmp_path / f"eval_{'abcdefghijkl'[at]}.json").write_text(json.dumps(value))
    with pytest.raises(InputError):
        errbar.load(tmp_path).score("avg")
    (score,) = errbar.load(tmp_path, files="questions").score("avg")
    assert score.value == pytest.approx(2 / 3)
    assert score.questions == 12


def test_checks_of_a_file_are_no_questions_beside_it(tmp_path: Path) -> None:
    rows = "".join(f"q{at},{int(done)}\n" for at, done in enumerate(GOOD))
    (tmp_path / "scored.csv").write_text(f"question_id,is_correct\n{rows}")
    checks = {"row_count": {"passed": True, "detail": 12}, "csv": {"passed": True, "detail": None}}
    (tmp_path / "check.json").write_text(json.dumps({"checks": checks, "rows": 12}))
    assert means(tmp_path) == {"": 0.75}
    assert "check.json" in marked(tmp_path)


def test_a_system_is_named_by_what_is_inside_an_object(tmp_path: Path) -> None:
    rows = [
        {"task_id": at, "score": int(done), "agent": {"kind": "react"}, "run": {"model": name}}
        for name, each in SYSTEMS.items()
        for at, done in enumerate(each)
    ]
    assert means(saved(tmp_path, rows)) == BOTH
