"""Conditions, competing outcomes, ids and totals in the columns of a table."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
import pytest

import errbar
from errbar.base.remarks import MARK, above
from errbar.errors import InputError

RIGHT = [at % 4 != 0 for at in range(8)]  # .75
LESS = [at % 2 == 1 for at in range(8)]  # .5

Row = dict[str, object]


def crossed(name: str, values: Sequence[object], **more: object) -> list[Row]:
    """Every question under two values of a column: .75 right under the first, .5 under the last."""
    return [
        {**more, name: value, "id": f"q{at}", "correct": int(right[at])}
        for value, right in zip(values, (RIGHT, LESS), strict=True)
        for at in range(8)
    ]


def means(data: object, **told: object) -> dict[str, float]:
    scores = errbar.load(data, **told).score("avg")  # type: ignore[arg-type]
    return {score.system: round(score.value, 4) for score in scores}


def remarks(data: object, **told: object) -> list[str]:
    return above(errbar.load(data, **told).score("avg").notes())  # type: ignore[arg-type]


def warnings_of(data: object, **told: object) -> str:
    return " ".join(remark for remark in remarks(data, **told) if remark.startswith(MARK))


def said_of(data: object, **told: object) -> str:
    return " ".join(remarks(data, **told))


def as_csv(rows: Sequence[Row], place: Path) -> Path:
    pd.DataFrame(rows).to_csv(place / "a.csv", index=False)
    return place / "a.csv"


KINDS: list[Callable[[Sequence[Row], Path], object]] = [
    as_csv,
    lambda rows, _: list(rows),
    lambda rows, _: pd.DataFrame(rows),
]


# Conditions.


@pytest.mark.parametrize(
    ("name", "values", "systems"),
    [
        ("method", ["baseline", "ours"], ["m/baseline", "m/ours"]),
        ("prompt", ["direct", "cot"], ["m/direct", "m/cot"]),
        ("temperature", [0, 1], ["m/temperature=0", "m/temperature=1"]),
        ("num_shots", [0, 5], ["m/num_shots=0", "m/num_shots=5"]),
        ("agent", ["swe", "oh"], ["m/swe", "m/oh"]),
        ("step", [100, 200], ["m/step=100", "m/step=200"]),
    ],
)
def test_a_condition_is_part_of_the_system(
    name: str,
    values: list[object],
    systems: list[str],
) -> None:
    data = crossed(name, values, model="m")
    assert means(data) == dict(zip(systems, [0.75, 0.5], strict=True))
    warned = warnings_of(data)
    assert f"for each '{name}'" in warned
    assert "mean of all rows 0.625" in warned
    assert means(data, rows="trials") == {"m": 0.625}


@pytest.mark.parametrize("kind", KINDS, ids=["csv", "records", "frame"])
def test_a_condition_is_found_whatever_holds_the_rows(
    kind: Callable[[Sequence[Row], Path], object], tmp_path: Path
) -> None:
    data = kind(crossed("temperature", [0, 1], model="m"), tmp_path)
    assert means(data) == {"m/temperature=0": 0.75, "m/temperature=1": 0.5}
    assert "for each 'temperature'" in warnings_of(data)


def test_a_condition_without_a_system_is_the_system() -> None:
    assert means(crossed("quantization", ["int4", "fp16"])) == {"int4": 0.75, "fp16": 0.5}
    assert "system = quantization," in said_of(crossed("quantization", ["int4", "fp16"]))
    assert means(crossed("checkpoint", [100, 200])) == {
        "checkpoint=100": 0.75,
        "checkpoint=200": 0.5,
    }


def test_conditions_with_trials_of_the_same_numbers_are_apart() -> None:
    rows = [
        {"model": "m", "temperature": heat, "seed": seed, "id": f"q{at}", "correct": heat}
        for heat in (0, 1)
        for seed in range(3)
        for at in range(4)
    ]
    assert means(rows) == {"m/temperature=0": 0.0, "m/temperature=1": 1.0}


def test_two_conditions_of_which_one_follows_from_the_other_are_one() -> None:
    rows = crossed("method", ["baseline", "ours"], model="m")
    for row in rows:
        row["variant"] = f"{row['method']}-v1"
    assert set(means(rows)) == {"m/baseline", "m/ours"}


def test_a_condition_of_few_questions_is_none() -> None:
    rows = crossed("prompt", ["a", "b"], model="m")[:8]
    rows.append({"model": "m", "prompt": "b", "id": "q0", "correct": 1})
    assert set(means(rows)) == {"m"}


def test_prompts_that_differ_by_question_are_no_condition() -> None:
    rows = [
        {"model": "m", "prompt": f"{at} and {often}", "id": at, "correct": often}
        for at in range(5)
        for often in range(2)
    ]
    assert means(rows) == {"m": 0.5}


def test_a_condition_with_a_system_that_was_named_is_warned_of() -> None:
    rows = crossed("method", ["baseline", "ours"], model="m")
    assert means(rows, system="model") == {"m": 0.625}
    assert "means: baseline 0.75, ours 0.5" in warnings_of(rows, system="model")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("layer", ["early", "late"]),
        ("noise_db", [0.5, 2.5]),
        ("bits", [16, 4]),
    ],
)
def test_words_and_amounts_that_every_question_has_equally_often_are_settings(
    name: str, values: list[object]
) -> None:
    first, second = (value if isinstance(value, str) else f"{name}={value}" for value in values)
    assert means(crossed(name, values)) == {first: 0.75, second: 0.5}
    rows = crossed(name, values, model="m")
    scores = {(score.system, score.task): score.value for score in errbar.load(rows).score("avg")}
    assert scores == {("m", str(values[0])): 0.75, ("m", str(values[1])): 0.5}
    assert f"{values[0]} 0.75" in warnings_of(rows)
    assert "mean of all rows 0.625" in warnings_of(rows)
    assert means(rows, rows="trials") == {"m": 0.625}
    assert name not in warnings_of(rows, rows="trials")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("flavour", ["run_1", "run_2"]),
        ("flavour", ["2026-01-01", "2026-01-02"]),
        ("flavour", ["1b4f0e9", "9f86d08"]),
        ("flavour", [1, 2]),
        ("flavour", [17000000, 18000001]),
        ("hostname", ["a", "b"]),
        ("sessionId", ["x", "y"]),
    ],
)
def test_what_numbers_or_dates_repeats_is_no_setting(name: str, values: list[object]) -> None:
    rows = crossed(name, values, model="m")
    assert means(rows) == {"m": 0.625}
    assert f"'{name}' (means: {values[0]} 0.75, {values[1]} 0.5)" in warnings_of(rows)


def test_settings_with_numbered_trials_keep_their_trials() -> None:
    rows = [
        {"id": f"q{at}", "attack": attack, "trial": trial, "correct": int(attack == "none")}
        for at in range(5)
        for attack in ("none", "gcg")
        for trial in range(3)
    ]
    assert means(rows) == {"none": 1.0, "gcg": 0.0}
    assert {score.trials for score in errbar.load(rows).score("avg")} == {15}


def test_two_columns_of_settings_are_taken_together() -> None:
    rows = [
        {"id": at, "attack": attack, "defence": defence, "correct": int(attack == defence)}
        for at in range(4)
        for attack in ("no", "yes")
        for defence in ("no", "yes")
    ]
    assert means(rows) == {"no/no": 1.0, "no/yes": 0.0, "yes/no": 0.0, "yes/yes": 1.0}


def test_words_that_describe_responses_are_no_settings() -> None:
    """Both words occur in most questions by chance, but not equally often in each."""
    rows = [
        {"id": at, "ending": "stop" if trial * 7 % (at + 3) < 2 else "length", "correct": trial % 2}
        for at in range(12)
        for trial in range(8)
    ]
    assert means(rows) == {"": 0.5}


def test_settings_may_have_unequal_numbers_of_trials() -> None:
    """One trial without noise, three with it; the numbers of trials start anew."""
    rows = [
        {
            "model": "m",
            "id": f"q{at}",
            "level_db": noise,
            "trial": trial,
            "correct": int(noise < at),
        }
        for at in range(5)
        for noise, trials in ((0.0, 1), (0.2, 3), (2.5, 3))
        for trial in range(trials)
    ]
    scores = {(score.task, score.trials): score.value for score in errbar.load(rows).score("avg")}
    assert scores == {("0.0", 5): 0.8, ("0.2", 15): 0.8, ("2.5", 15): 0.4}


def test_settings_with_questions_of_their_own_are_warned_of() -> None:
    rows = [
        {"scaffold": name, "prompt": f"{name}, what is {at} and {at}?", "correct": int(at < right)}
        for name, right in (("plain", 2), ("tree", 5))
        for at in range(6)
    ]
    assert means(rows) == {"": 0.5833}
    assert "'scaffold' has 2 values, each with questions of its own" in warnings_of(rows)
    assert "(means: plain 0.3333, tree 0.8333)" in warnings_of(rows)
    assert means(rows, system="scaffold") == {"plain": 0.3333, "tree": 0.8333}
    assert "scaffold" not in warnings_of(rows, system="scaffold")


def test_what_the_outcome_follows_from_is_no_condition() -> None:
    rows = [
        {"problem": f"p{at}", "sample": trial, "verified": int(trial > 0), "category": kind}
        for at in range(4)
        for trial, kind in enumerate(("FAIL", "FULL", "FULL"))
    ]
    assert means(rows) == {"": 0.6667}
    assert "category" not in warnings_of(rows)
    conditions = [
        {"problem": f"p{at}", "sample": trial, "verified": int(kind == "easy"), "category": kind}
        for at in range(4)
        for trial, kind in enumerate(("easy", "hard", "easy", "hard"))
    ]  # as many of each kind: a condition that decides the outcome
    assert "(means: easy 1, hard 0)" in warnings_of(conditions)
    unnumbered = [{key: row[key] for key in row if key != "sample"} for row in rows]
    assert "(means: FAIL 0, FULL 1)" in warnings_of(unnumbered)


def test_settings_without_ids_are_paired_by_row() -> None:
    rows = [
        {"provider": name, "page": "x", "success": int(at < right)}
        for name, right in (("a", 9), ("b", 4))
        for at in range(12)
    ]
    (pair,) = errbar.load(rows).compare("avg")
    assert (pair.difference, pair.questions) == (5 / 12, 12)


def test_trials_with_many_names_are_questions() -> None:
    rows = [
        {"trial": f"Bridge_{at}_obj{at * 7}_False", "condition": name, "correct": int(at < right)}
        for at in range(12)
        for name, right in (("zero", 6), ("one", 9))
    ]
    scores = errbar.load(rows).score("avg")
    assert {(score.system, score.value, score.questions) for score in scores} == {
        ("zero", 0.5, 12),
        ("one", 0.75, 12),
    }
    assert "question = trial" in said_of(rows)


def test_runs_beside_a_setting_are_trials() -> None:
    """Runs are called systems where nothing else is: here the provider is what is compared."""
    rows = [
        {"provider": name, "question": f"q{at}", "run": run, "success": int(run > right + at)}
        for name, right in (("alpha", 0), ("beta", 2))
        for at in range(3)
        for run in range(1, 5)
    ]
    scores = errbar.load(rows).score("avg")
    assert {(score.system, score.questions, score.trials) for score in scores} == {
        ("alpha", 3, 12),
        ("beta", 3, 12),
    }
    assert {score.system: score.value for score in scores} == {"alpha": 9 / 12, "beta": 3 / 12}


@pytest.mark.parametrize("number", ["run", "request_number", "attemptNo"])
def test_numbers_that_start_anew_without_ids_are_warned_of(number: str) -> None:
    rows = [
        {"model": name, "page": page, number: at, "success": int(at > 2)}
        for name in "ab"
        for page in ("shop", "news", "wiki")
        for at in range(1, 6)
    ]
    said = f"{number!r} starts anew for each of the 3 values of 'page'"
    assert said in warnings_of(rows)
    assert "question='page' reads 3 questions of 5 trials" in warnings_of(rows)
    assert {score.questions for score in errbar.load(rows, question="page").score("avg")} == {3}
    assert said not in warnings_of(rows, question="page")
    through = [row | {number: at % 15} for at, row in enumerate(rows)]
    assert said not in warnings_of(through)


def test_the_id_of_a_run_may_number_the_trials_of_a_task() -> None:
    rows = [
        {"runId": f"{task}-{name}-{at}", "task": task, "agent": name, "reward": int(at < right)}
        for name, right in (("noop", 0), ("ref", 1))
        for task in ("01", "02", "03")
        for at in range(2)
    ]
    scores = errbar.load(rows).score("avg")
    assert {(score.system, score.task, score.value, score.questions) for score in scores} == {
        ("noop", "", 0.0, 3),
        ("ref", "", 0.5, 3),
    }
    unnumbered = [row | {"runId": f"{row['task']}-{at}-x"} for at, row in enumerate(rows)]
    assert {score.task for score in errbar.load(unnumbered).score("avg")} == {"01", "02", "03"}


def test_the_model_that_was_picked_is_an_answer() -> None:
    rows = [
        {
            "judge": "j",
            "arm": arm,
            "id": f"q{at}",
            "picked_model": "ab"[at % 2],
            "correct": at % 3 // 2,
        }
        for arm in ("raw", "trained")
        for at in range(6)
    ]
    assert means(rows) == {"raw": 0.3333, "trained": 0.3333}


def test_an_evaluation_is_the_outcome_if_it_is_a_verdict() -> None:
    rows = [
        {
            "id": at,
            "input": f"What is {at}?",
            "output": f"It is {at}.",
            "expected": "a number",
            "evaluation": "PASS" if at % 4 else "FAIL",
            "target_model": "m",
            "judge_model": "j",
        }
        for at in range(8)
    ]
    assert means(rows) == {"m": 0.75}
    rated = [row | {"evaluation": "quite good"} for row in rows]
    with pytest.raises(InputError, match="no column says whether a row is right"):
        errbar.load(rated)


def test_a_column_about_another_in_brackets_is_no_system() -> None:
    rows = [
        {"id": at, "base": at % 2, "tuned": at % 3 > 0, "parsed fine (tuned)": at % 5 > 0}
        for at in range(10)
    ]
    assert means(rows) == {"base": 0.5, "tuned": 0.6}
    renamed = [
        {"large (tuned)" if k == "tuned" else k: row[k] for k in list(row)[:3]} for row in rows
    ]
    assert means(renamed) == {"base": 0.5, "large (tuned)": 0.6}


def test_injected_errors_are_no_attacks() -> None:
    rows = [{"id": at, "injected_error_at_step": at % 3, "success": at % 2} for at in range(6)]
    assert "attack" not in warnings_of(rows)
    attacked = [{"id": at, "injected_prompt": at % 3, "success": at % 2} for at in range(6)]
    assert "rows are of attacks" in warnings_of(attacked)


def test_numbers_of_trials_are_no_condition() -> None:
    rows = crossed("run", [1, 2], model="m")
    assert means(rows) == {"m": 0.625}
    assert warnings_of(rows) == ""


@pytest.mark.parametrize("name", ["judge", "rater", "annotator"])
def test_several_judges_are_no_trials(name: str) -> None:
    with pytest.raises(InputError, match="several scores of one answer"):
        means(crossed(name, ["a", "b"], model="m"))


# Ids.


@pytest.mark.parametrize("name", ["scenario_id", "puzzleId", "scenario", "ticket ID", "exercise"])
def test_an_unknown_id_names_the_questions(name: str) -> None:
    rows = [
        {"model": model, name: f"s{at}", "run": run, "success": int(right[at])}
        for model, right in (("a", RIGHT), ("b", LESS))
        for run in range(3)
        for at in range(8)
    ]
    scores = errbar.load(rows).score("avg")
    assert {(score.questions, score.trials) for score in scores} == {(8, 24)}
    assert f"question = {name}, trial = run" in said_of(rows)


@pytest.mark.parametrize("name", ["session_id", "request_id", "run_id"])
def test_the_id_of_a_call_names_no_question(name: str) -> None:
    rows = [{"model": "m", name: f"x{at // 2}", "correct": at % 2} for at in range(8)]
    assert "every row is a question" in said_of(rows)


def test_a_text_that_is_the_same_in_all_rows_is_no_id() -> None:
    rows = [{"model": "m", "prompt": "Which circle is red?", "correct": each} for each in RIGHT]
    assert "every row is a question" in said_of(rows)
    with_images = [{**row, "image": f"{at}.png"} for at, row in enumerate(rows)]
    assert "question = image" in said_of(with_images)


def test_columns_without_a_use_are_named_beside_a_system() -> None:
    rows = [{"model": "m", "id": at, "correct": 1, "colour": f"c{at}"} for at in range(4)]
    assert "not used: 'colour'" in said_of(rows)


# Outcomes.


@pytest.mark.parametrize("vague", ["success", "passed"])
@pytest.mark.parametrize("name", ["score", "accuracy", "correct"])
def test_a_call_that_went_through_is_no_outcome(vague: str, name: str) -> None:
    rows = [{"id": at, vague: True, name: int(each)} for at, each in enumerate(RIGHT)]
    assert means(rows) == {"": 0.75}
    assert f"'{vague}' has mean 1 and differs in 2 rows" in warnings_of(rows)
    assert means(rows, outcome=vague) == {"": 1.0}


def test_words_beside_a_call_that_went_through_are_the_outcome() -> None:
    words = ["correct" if each else "incorrect" for each in RIGHT]
    rows = [{"id": at, "success": True, "result": word} for at, word in enumerate(words)]
    assert means(rows) == {"": 0.75}


def test_what_follows_from_a_score_by_a_threshold_is_the_outcome() -> None:
    rows = [{"id": at, "passed": at >= 4, "score": at / 10} for at in range(8)]
    assert means(rows) == {"": 0.5}
    assert "'score' has mean 0.35" in warnings_of(rows)


def test_other_metrics_of_a_row_are_named(tmp_path: Path) -> None:
    lines = [
        json.dumps({"id": at, "model": "m", "metrics": {"em": int(each), "f1": 0.5 + each / 2}})
        for at, each in enumerate(RIGHT)
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    said = warnings_of(tmp_path / "a.jsonl")
    assert "'metrics.em' (mean of all rows 0.75)" in said
    assert "'metrics.f1' has mean 0.875 and differs in 2 rows" in said


def test_a_score_is_divided_by_its_maximum() -> None:
    rows = [{"id": at, "score": at, "max_score": 10} for at in range(5)]
    assert means(rows) == {"": 0.2}
    assert "outcome='score' takes 'score' as it is (mean 2)" in warnings_of(rows)
    assert means(rows, outcome="score") == {"": 2.0}


def test_the_score_of_a_classifier_is_no_outcome() -> None:
    rows = [{"id": at, "label": "POSITIVE", "score": 0.9 + at / 100} for at in range(8)]
    with pytest.raises(InputError, match="probability that a classifier gives to its class"):
        means(rows)
    assert means(rows, outcome="score") == {"": 0.935}


def test_how_often_a_row_occurred_is_said() -> None:
    rows = [{"id": at, "correct": int(at < 2), "count": 1 + 2 * (at < 2)} for at in range(4)]
    assert "mean of all rows 0.75 instead of 0.5" in warnings_of(rows)
    assert means(rows, weight="count") == {"": 0.75}


def test_right_or_wrong_beside_a_number_may_be_no_count() -> None:
    rows = [{"id": at, "correct": int(each), "n": 100 + at} for at, each in enumerate(RIGHT)]
    assert "use outcome='correct' (mean 0.75)" in warnings_of(rows)
    assert means(rows, outcome="correct") == {"": 0.75}


def test_an_epoch_may_be_one_of_training() -> None:
    rows = crossed("epoch", [1, 2])
    assert "if these are epochs of training: system='epoch'" in said_of(rows)
    assert means(rows, system="epoch") == {"1": 0.75, "2": 0.5}


def test_answers_beside_outcomes_of_systems_are_no_systems(tmp_path: Path) -> None:
    head = "id,gpt_correct,gpt_answer,qwen_correct,qwen_answer\n"
    lines = (f"{at},{int(RIGHT[at])},x,{int(LESS[at])},y\n" for at in range(8))
    (tmp_path / "a.csv").write_text(head + "".join(lines), encoding="utf-8")
    assert means(tmp_path / "a.csv") == {"gpt_correct": 0.75, "qwen_correct": 0.5}


# Retries.


def test_attempts_until_success_are_warned_of() -> None:
    rows: list[Row] = [{"task_id": f"t{at}", "attempt": 1, "success": at < 2} for at in range(6)]
    rows += [{"task_id": f"t{at}", "attempt": 2, "success": at < 5} for at in range(2, 6)]
    said = warnings_of(rows)
    assert "the first attempt scores 0.3333, the last 0.8333, all attempts 0.5" in said


def test_attempts_that_go_on_after_a_success_are_trials() -> None:
    rows: list[Row] = [{"task_id": f"t{at}", "attempt": 1, "success": at < 2} for at in range(6)]
    rows += [{"task_id": f"t{at}", "attempt": 2, "success": at < 5} for at in range(1, 6)]
    assert "follows a success" not in warnings_of(rows)


# Totals.


@pytest.mark.parametrize("more", [{}, {"n": 100}])
def test_accuracies_of_tasks_are_totals(more: Row, tmp_path: Path) -> None:
    rows = [
        {"model": model, "task": task, "accuracy": 0.5 + at / 20, **more}
        for model in ("a", "b")
        for at, task in enumerate(("mmlu", "gsm8k", "arc"))
    ]
    for kind in KINDS:
        data = kind(rows, tmp_path)
        with pytest.raises(InputError, match="it has only totals, the 'accuracy' of each 'task'"):
            means(data)
        assert means(data, question="task") == {"a": 0.55, "b": 0.55}


def test_tasks_that_are_right_or_wrong_are_questions() -> None:
    rows = [{"model": "m", "task": f"t{at}", "score": int(each)} for at, each in enumerate(RIGHT)]
    assert means(rows) == {"m": 0.75}


def test_rows_beside_their_accuracy_are_the_data(tmp_path: Path) -> None:
    lists = [
        [{"id": at, "correct": each} for at, each in enumerate(right)] for right in (RIGHT, LESS)
    ]
    by_system = {
        name: {"accuracy": 0.9, "results": rows}
        for name, rows in zip(("gpt", "qwen"), lists, strict=True)
    }
    (tmp_path / "a.json").write_text(json.dumps(by_system), encoding="utf-8")
    assert means(tmp_path / "a.json") == {"gpt": 0.75, "qwen": 0.5}
    assert "not scored: accuracy" in said_of(tmp_path / "a.json")
    tasks = {
        name: {"acc": 0.9, "samples": rows}
        for name, rows in zip(("gsm8k", "mmlu"), lists, strict=True)
    }
    whole = {"model": "gpt", "config": {"seed": 1}, "tasks": tasks}
    (tmp_path / "b.json").write_text(json.dumps(whole), encoding="utf-8")
    scores = errbar.load(tmp_path / "b.json").score("avg")
    found = {(score.system, score.task): score.value for score in scores}
    assert found == {("gpt", "gsm8k"): 0.75, ("gpt", "mmlu"): 0.5}


def test_trials_that_are_said_to_have_no_number_get_none() -> None:
    rows = [
        {"id": f"q{at}", "run": run, "correct": (at + run) % 2} for at in range(5) for run in (1, 2)
    ]
    assert "trial = run" in " ".join(errbar.load(rows).score("avg").notes())
    assert "trial = run" not in " ".join(errbar.load(rows, trial=None).score("avg").notes())


def test_a_column_that_numbers_trials_is_not_called_unused() -> None:
    rows = [
        {"case_id": f"c{at}", "response_id": f"r{at}-{trial}", "grade": (at + trial) % 4}
        for at in range(6)
        for trial in range(2)
    ]
    scores = errbar.load(rows).score("avg")
    (line,) = [note for note in scores.notes() if note.startswith("Columns:")]
    assert "trial = response_id" in line
    assert "not used" not in line
    assert scores[0].value == pytest.approx(4 / 3)
