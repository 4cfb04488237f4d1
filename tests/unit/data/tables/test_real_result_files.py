"""Shapes of result files found in public repositories; every number is counted here in Python."""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

import errbar
from errbar.errors import InputError


def means(path: Path, **options: Any) -> dict[str, float]:
    """The mean of each system."""
    return {score.system: score.value for score in errbar.load(path, **options).score("avg")}


def said(path: Path, **options: Any) -> str:
    """All that is printed, in one line."""
    return " ".join(str(errbar.load(path, **options).score("avg")).split())


def lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Write JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def document(path: Path, value: Any) -> Path:
    """Write a JSON document."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


RIGHT = {"opus": [1, 1, 0, 1, 1, 0, 1, 1], "haiku": [0, 1, 0, 1, 0, 0, 1, 0]}
MEANS = {system: sum(outcomes) / 8 for system, outcomes in RIGHT.items()}


def test_an_id_wins_over_the_text_of_a_problem(tmp_path: Path) -> None:
    rows = [
        {"id": at, "problem": "Find all numbers such that this holds.", "correct": outcome}
        for at, outcome in enumerate(RIGHT["opus"])
    ]
    path = lines(tmp_path / "aime.jsonl", rows)
    assert errbar.load(path).score("avg").notes()[0].startswith("8 questions, 8 trials")
    assert "question = id" in said(path)


def test_ids_of_rows_do_not_win_over_a_problem_that_repeats(tmp_path: Path) -> None:
    rows = [
        {"id": at, "problem": f"Find the number {at // 4} of these.", "correct": at % 3 == 0}
        for at in range(40)
    ]
    found = errbar.load(lines(tmp_path / "math.jsonl", rows)).score("avg")
    assert found.notes()[0].startswith("10 questions, 40 trials")


def test_numbered_trials_of_tasks_without_ids_are_trials_of_the_task(tmp_path: Path) -> None:
    rows = [
        {"runId": f"{system}{at}{trial}", "model": system, "task": f"0{at}-lru", "trial": trial + 1}
        | {"status": "ok", "solved": bool(outcome) and trial < 2}
        for system, outcomes in RIGHT.items()
        for at, outcome in enumerate(outcomes)
        for trial in range(3)
    ]
    path = lines(tmp_path / "results.jsonl", rows)
    assert means(path) == pytest.approx({system: mean * 2 / 3 for system, mean in MEANS.items()})
    assert errbar.load(path).score("avg").notes()[0].startswith("8 questions, 24 trials")


def test_arms_of_a_study_are_systems_and_its_tasks_questions(tmp_path: Path) -> None:
    rows = [
        {"model": "m", "arm": arm, "task": f"t{at}", "trial": trial, "success": bool(outcome)}
        for arm, outcomes in RIGHT.items()
        for at, outcome in enumerate(outcomes)
        for trial in (1, 2)
    ]
    path = lines(tmp_path / "runs.jsonl", rows)
    assert means(path) == {f"m/{arm}": mean for arm, mean in MEANS.items()}
    assert errbar.load(path).score("avg").notes()[0].startswith("8 questions, 16 trials")


@pytest.mark.parametrize(
    ("key", "number", "name", "outcome"),
    [
        ("attempts", "attempt", "task_name", "reward"),
        ("trials", "trial", "task_id", "passed"),
        ("runs", "run", "id", "success"),
        ("rollouts", "rollout", "problem", "score"),
        ("results", "seed", "question", "correct"),
    ],
)
def test_a_folder_per_model_with_a_document_per_task(
    key: str, number: str, name: str, outcome: str, tmp_path: Path
) -> None:
    for system, outcomes in RIGHT.items():
        for at, right in enumerate(outcomes):
            entries = [{number: trial, outcome: right} for trial in (1, 2, 3)]
            document(tmp_path / system / f"task_{at}.json", {name: f"task-{at}", key: entries})
    assert means(tmp_path) == MEANS
    assert errbar.load(tmp_path).score("avg").notes()[0].startswith("8 questions, 24 trials")


def test_a_grader_in_every_row_is_no_system(tmp_path: Path) -> None:
    for system, outcomes in RIGHT.items():
        value = {
            f"v1_{at}": {"model": ["gpt-4-0613"], "content": [str(score)], "score": [score / 2]}
            for at, score in enumerate(outcomes)
        }
        document(tmp_path / f"{system}_gpt-4-0613-grade-1runs.json", value)
    assert means(tmp_path) == {system: mean / 2 for system, mean in MEANS.items()}
    assert "'model' (gpt-4-0613) graded them and is no system" in said(tmp_path)


def test_systems_whose_ids_are_listed_by_verdict(tmp_path: Path) -> None:
    value = {
        system: {
            "passed": [f"q{at}" for at, outcome in enumerate(outcomes) if outcome],
            "failed": [f"q{at}" for at, outcome in enumerate(outcomes) if not outcome],
        }
        for system, outcomes in RIGHT.items()
    }
    assert means(document(tmp_path / "runs.json", value)) == MEANS


def test_checks_that_a_record_passed_are_no_ids(tmp_path: Path) -> None:
    value = {
        "aggregate": {"task_goal_completion": 75.0},
        "individual": {
            f"82e2fac_{at}": {"success": bool(outcome), "num_tests": 2}
            | {"passes": [{"requirement": "a"}] * outcome, "failures": [{"requirement": "b"}]}
            for at, outcome in enumerate(RIGHT["opus"])
        },
    }
    assert means(document(tmp_path / "test_normal.json", value)) == {"": MEANS["opus"]}


def test_rows_beside_counts_are_read(tmp_path: Path) -> None:
    value = {
        "cases": 8,
        "counts_by_difficulty": {"easy": {"correct": 6, "total": 8}},
        "model": "opus",
        "per_case": [
            {"case_id": f"c{at}", "expected_verdict": "SAFE", "verdict_correct": bool(outcome)}
            for at, outcome in enumerate(RIGHT["opus"])
        ],
    }
    path = document(tmp_path / "agent_results.json", value)
    assert means(path) == {"opus": MEANS["opus"]}
    assert "question = case_id" in said(path)


def test_a_list_of_scores_beside_their_share_is_named(tmp_path: Path) -> None:
    value = {
        "per_transcript": [
            {"transcript_id": f"t{at}", "pass_at_1": float(at % 2), "scores": [1.0, 0.5]}
            for at in range(6)
        ]
    }
    path = document(tmp_path / "eval_results.json", value)
    assert "'scores' has mean 0.75 and differs in 6 rows" in said(path)
    assert means(path, outcome="scores") == {"": 0.75}


def test_flags_of_a_run_are_no_systems(tmp_path: Path) -> None:
    rows = [
        {"request_id": f"REQ-{at}", "wrong_part": at % 5 == 0, "duplicate_order": at % 7 == 0}
        | {"escalated_to_human": False, "timed_out": at % 2 == 0, "final_answer_ready": True}
        for at in range(40)
    ]
    with pytest.raises(InputError, match="no column"):
        means(lines(tmp_path / "raw.jsonl", rows))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("pass_fail", ("pass", "fail")),
        ("verified", (True, False)),
        ("judge", (True, False)),
        ("result", ("hit", "miss")),
    ],
)
def test_seldom_names_and_words_of_outcomes(
    name: str, words: tuple[object, object], tmp_path: Path
) -> None:
    rows = [
        {"model": system, "case": f"q{at}", "label": f"kind {at % 2}"}
        | {name: words[0] if outcome else words[1]}
        for system, outcomes in RIGHT.items()
        for at, outcome in enumerate(outcomes)
    ]
    assert means(lines(tmp_path / "r.jsonl", rows)) == MEANS


def test_a_provider_is_the_system(tmp_path: Path) -> None:
    rows = [
        {"provider_id": system, "test": f"t{at}", "result": "", "passed": bool(outcome)}
        for system, outcomes in RIGHT.items()
        for at, outcome in enumerate(outcomes)
    ]
    assert means(lines(tmp_path / "eval_results.jsonl", rows)) == MEANS


def test_a_setting_that_follows_from_the_file_is_not_added_to_its_name(tmp_path: Path) -> None:
    for system, outcomes in RIGHT.items():
        rows = [{"generator": system, "score": outcome} for outcome in outcomes]
        document(tmp_path / f"{system}.json", rows)
    assert means(tmp_path) == MEANS


# Other kinds of files.


def database(path: Path) -> Path:
    """An SQLite database with outcomes, questions and settings."""
    with sqlite3.connect(path) as base:
        base.execute("CREATE TABLE questions (question_id TEXT, text TEXT)")
        base.execute("CREATE TABLE results (model TEXT, question_id TEXT, passed INTEGER)")
        for system, outcomes in RIGHT.items():
            rows = [(system, f"q{at}", outcome) for at, outcome in enumerate(outcomes)]
            base.executemany("INSERT INTO results VALUES (?, ?, ?)", rows)
        base.executemany(
            "INSERT INTO questions VALUES (?, ?)", [(f"q{at}", "?") for at in range(8)]
        )
    base.close()
    return path


def test_the_table_of_a_database_that_has_outcomes(tmp_path: Path) -> None:
    path = database(tmp_path / "runs.db")
    assert means(path) == MEANS
    assert "the table 'results'; not read, since they have no outcomes" in said(path)
    assert means(path, outcome="passed", system="model") == MEANS


def test_yaml_is_read_as_json_is(tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml")
    rows = [
        {"model": system, "id": f"q{at}", "correct": bool(outcome)}
        for system, outcomes in RIGHT.items()
        for at, outcome in enumerate(outcomes)
    ]
    path = tmp_path / "results.yaml"
    path.write_text(yaml.safe_dump(rows), encoding="utf-8")
    assert means(path) == MEANS
    words = {f"q{at}": "pass" if right else "fail" for at, right in enumerate(RIGHT["opus"])}
    other = tmp_path / "run.yml"
    other.write_text(yaml.safe_dump({"config": {"model": "opus"}, "results": words}))
    assert means(other) == {"opus": MEANS["opus"]}
    other.write_text("a: [1\n", encoding="utf-8")
    with pytest.raises(InputError, match="no valid YAML"):
        means(other)


def report(outcomes: Iterable[int]) -> str:
    """A JUnit report as pytest writes it, with a skipped test."""
    cases = [
        f'<testcase classname="test_evals" name="test_q[{at}]" time="0.1">'
        + ("" if outcome else '<failure message="assert False">x</failure>')
        + "</testcase>"
        for at, outcome in enumerate(outcomes)
    ]
    skipped = '<testcase classname="test_evals" name="test_later"><skipped/></testcase>'
    return (
        f'<testsuites><testsuite name="pytest">{"".join(cases)}{skipped}</testsuite></testsuites>'
    )


def test_reports_of_pytest_are_systems(tmp_path: Path) -> None:
    for system, outcomes in RIGHT.items():
        (tmp_path / f"{system}.xml").write_text(report(outcomes), encoding="utf-8")
    assert means(tmp_path) == MEANS
    assert "2 of 18 rows were never scored" in said(tmp_path)
    page = tmp_path / "page.xml"
    page.write_text("<html><body/></html>", encoding="utf-8")
    with pytest.raises(InputError, match="JUnit reports; this one begins with <html>"):
        means(page)
    page.write_text("<testsuite>", encoding="utf-8")
    with pytest.raises(InputError, match="not valid XML"):
        means(page)


def test_settings_and_caches_next_to_tables_are_named_and_not_read(tmp_path: Path) -> None:
    for system, outcomes in RIGHT.items():
        rows = [{"id": at, "correct": outcome} for at, outcome in enumerate(outcomes)]
        lines(tmp_path / f"{system}.jsonl", rows)
    (tmp_path / "config.yaml").write_text("do_sample: true\n", encoding="utf-8")
    (tmp_path / "junit.xml").write_text(report([1, 0]), encoding="utf-8")
    database(tmp_path / "mlflow.db")
    assert means(tmp_path) == MEANS
    assert "not read next to other tables; pass its path to read it" in said(tmp_path)


def test_a_list_of_answers_is_no_list_of_outcomes(tmp_path: Path) -> None:
    """As of an agent, whose run completed with `[3]` as its answer, right or wrong."""
    for model in ("gpt", "qwen"):
        rows = [
            {"index": at, "output": {"status": "completed", "result": f"[{at}]"}} for at in range(4)
        ]
        lines(tmp_path / model / "runs.jsonl", rows)
    with pytest.raises(InputError, match=r"'output.result' are neither: '\[0\]'"):
        means(tmp_path)


def test_lists_of_right_and_wrong_under_result_are_trials(tmp_path: Path) -> None:
    rows = [{"id": at, "result": f"[{at % 2}, 1]"} for at in range(4)]
    assert means(lines(tmp_path / "a.jsonl", rows)) == {"": 0.75}


COMPETITIONS = [  # score, whether lower is better, medal
    (0.91, False, True),
    (12.5, True, False),
    (301.0, True, True),
]


def graded(path: Path, **more: Any) -> Path:
    reports = [
        {
            "competition_id": f"c{at}",
            "score": score,
            "gold_threshold": score * 1.1,
            "bronze_threshold": score * 0.9,
            "any_medal": medal,
            "is_lower_better": lower,
        }
        | more
        for at, (score, lower, medal) in enumerate(COMPETITIONS)
    ]
    return document(path, {"total_runs": 3, "competition_reports": reports})


@pytest.mark.parametrize("sign", ["is_lower_better", "gold_threshold"])
def test_a_score_on_a_scale_of_each_question_is_not_averaged(sign: str, tmp_path: Path) -> None:
    """As of competitions: one has its accuracy, another its error, with thresholds for medals."""
    path = graded(tmp_path / "report.json")
    if sign == "gold_threshold":
        path = graded(path, is_lower_better=False)
    with pytest.raises(InputError, match=f"scale of its own in every row, by '{sign}'") as error:
        means(path)
    assert "'any_medal'" in str(error.value)
    assert means(path, outcome="any_medal") == {"": pytest.approx(2 / 3)}
    assert means(path, outcome="score") == {"": pytest.approx((0.91 + 12.5 + 301) / 3)}


def test_one_threshold_is_the_bar_of_a_score(tmp_path: Path) -> None:
    rows = [{"id": at, "score": at / 4, "threshold": 0.5 + at / 10} for at in range(4)]
    assert means(lines(tmp_path / "a.jsonl", rows)) == {"": pytest.approx(0.375)}


def test_a_column_that_only_failed_rows_have_is_no_outcome(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"name": f"case {at}", "metrics": {"relevancy": {"score": at / 8, "success": at > 5}}}
        for at in range(8)
    ]
    rows.append({"name": "case 8", "error": "unexpected argument", "success": False})
    path = document(tmp_path / "results.json", {"results": rows})
    with pytest.raises(InputError, match="'success' has a value only in rows with something in"):
        means(path)
    runs = errbar.load(path, outcome="metrics.relevancy.success")
    assert [score.value for score in runs.score("avg", errors="missing")] == [2 / 8]


def judgments(place: Path) -> None:
    """Scores that name their models, and for each model a file that scores the answers again."""
    rows = [
        {"question_id": f"q{at}", "model": model, "score": score / 2}
        for model, scores in {"m-1": [0, 1, 2], "m-2": [2, 2, 1]}.items()
        for at, score in enumerate(scores)
    ]
    lines(place / "ground_truth_judgment.jsonl", rows)
    for model in ("m-1", "m-2"):
        again = [{"question_id": f"q{at}", "follow_all_instructions": False} for at in range(3)]
        lines(place / f"{model}_strict.jsonl", again)


def test_files_that_score_the_answers_of_a_table_again_are_no_systems(tmp_path: Path) -> None:
    judgments(tmp_path)
    assert means(tmp_path) == {"m-1": pytest.approx(0.5), "m-2": pytest.approx(5 / 6)}
    text = said(tmp_path)
    assert "Not read: m-1_strict.jsonl, m-2_strict.jsonl (the scores of these systems" in text
    assert means(tmp_path / "m-1_strict.jsonl") == {"": 0.0}


def test_a_single_file_called_after_a_system_may_be_another_system(tmp_path: Path) -> None:
    judgments(tmp_path)
    for model in ("m-1", "m-2"):
        (tmp_path / f"{model}_strict.jsonl").unlink()
    rows = [{"question_id": f"q{at}", "correct": True} for at in range(3)]
    lines(tmp_path / "m-1-turbo.jsonl", rows)
    assert means(tmp_path)["m-1-turbo"] == 1.0


def test_a_file_with_questions_of_its_own_is_a_system(tmp_path: Path) -> None:
    judgments(tmp_path)
    rows = [{"question_id": f"q{at}", "follow_all_instructions": True} for at in range(4)]
    lines(tmp_path / "m-2_strict.jsonl", rows)
    assert {"m-1_strict", "m-2_strict"} <= means(tmp_path).keys()


def test_files_skipped_for_one_reason_are_named_together(tmp_path: Path) -> None:
    judgments(tmp_path)
    for model in ("m-1", "m-2"):
        answers = [{"question_id": f"q{at}", "model_id": model, "answer": "x"} for at in range(3)]
        lines(tmp_path / "answers" / f"{model}.jsonl", answers)
    assert "Not read: m-1.jsonl, m-2.jsonl (no column" in said(tmp_path)


def test_scores_of_one_but_for_rounding_are_between_0_and_1(tmp_path: Path) -> None:
    """A cosine similarity of a text with itself may be 1.0000000000000002."""
    scores = [1.0000000000000002, 0.74, 0.98, 0.86, 0.92, 1.0000000000000002]
    rows: list[dict[str, Any]] = [
        {
            "question": f"What is {at}?",
            "response": f"It is {at}.",
            "answer_relevancy": score,
            "faithfulness": 0.5,
        }
        for at, score in enumerate(scores)
    ]
    path = lines(tmp_path / "ragas.jsonl", rows)
    with pytest.raises(InputError, match=r"2 scores \(answer_relevancy, faithfulness\)"):
        means(path)
    (estimate,) = errbar.load(path, outcome="answer_relevancy").score("avg")
    exact = [row | {"answer_relevancy": min(1.0, row["answer_relevancy"])} for row in rows]
    (plain,) = errbar.load(exact, outcome="answer_relevancy").score("avg")
    assert estimate.interval == plain.interval
    assert "to lie between 0 and 1" in said(path, outcome="answer_relevancy")
    assert errbar.load(path, outcome="answer_relevancy").score("avg", bounds=(0, 1))


def test_totals_next_to_other_documents_say_what_to_load(tmp_path: Path) -> None:
    totals = {"dataset_revision": "1", "mteb_version": "2.18.0", "scores": {"test": [{"f1": 0.5}]}}
    document(tmp_path / "Task.json", totals)
    document(tmp_path / "model_meta.json", {"name": "bge", "languages": ["eng"]})
    with pytest.raises(InputError, match=r"Task\.json: this file has only totals of MTEB"):
        errbar.load(tmp_path)


def test_tables_of_groups_of_runs_are_totals(tmp_path: Path) -> None:
    header = [{"value": "Model"}, {"value": "EM", "metadata": {"run_group": "MMLU"}}]
    table = {"title": "x", "header": header, "rows": [[{"value": "gpt"}, {"value": 0.5}]]}
    document(tmp_path / "mmlu.json", table)
    with pytest.raises(InputError, match="only totals of HELM"):
        errbar.load(tmp_path)


def test_a_single_row_of_a_leaderboard_may_be_a_total(tmp_path: Path) -> None:
    path = tmp_path / "data_overall.csv"
    path.write_text("Rank,Model,Live Acc,Base\n1,Ada,53.75%,60.50%\n", encoding="utf-8")
    with pytest.raises(InputError, match="'Model' has a single row: if these are totals"):
        errbar.load(path)


def test_an_ok_that_is_true_where_there_is_no_error_is_no_outcome(tmp_path: Path) -> None:
    """As of a judge that was asked again: every call returned, and one answer was wrong."""
    rows = [
        {"task": f"t{at}", "judge": "gpt", "ok": True, "error": None, "nl_reward": float(at != 2)}
        for at in range(4)
    ]
    path = document(tmp_path / "regrade.json", {"run": "r", "rows": rows})
    with pytest.raises(InputError, match="'ok' is true where 'error' is empty"):
        means(path)
    assert [score.value for score in errbar.load(path, outcome="nl_reward").score("avg")] == [0.75]
    rows[1] |= {"ok": False}
    assert errbar.load(document(path, {"run": "r", "rows": rows})).score("avg")


def test_ids_with_other_texts_in_another_file_of_a_system_are_doubted(tmp_path: Path) -> None:
    for app, outcomes in {"mail": [1, 0, 0, 1], "chart": [1, 1, 1, 0]}.items():
        tasks = [
            {"task_id": f"task_e{at}", "instruction": f"In {app}, do {at}", "passed": bool(outcome)}
            for at, outcome in enumerate(outcomes)
        ]
        document(tmp_path / app / "results.json", {"model": "gemini", "tasks": tasks})
    text = said(tmp_path)
    assert "4 of 4 ids have another 'instruction' in another file" in text
    found = errbar.load(tmp_path, question="instruction").score("avg")
    assert found.notes()[0].startswith("8 questions, 8 trials")
    assert found.only("gemini")[0].value == 5 / 8


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (
            {"mercury": {"Easy_pass@1": 0.5, "Easy": {"passed": 242}}, "config": {"model": "m"}},
            "totals",
        ),
        ({"gpt": {"link": "x", "pass@1": {"complete": 40.5}}, "qwen": {"link": "y"}}, "totals"),
        (
            {"django-1": {"instance_id": "django-1", "model_patch": "diff"}},
            "predictions of SWE-bench",
        ),
        ({"a": {"colour": "red"}, "b": {"colour": "blue"}}, ""),
    ],
)
def test_objects_without_outcomes_are_called_what_they_may_be(
    value: dict[str, Any], hint: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="finds no outcomes in it") as error:
        errbar.load(document(tmp_path / "results.json", value))
    message = str(error.value)
    assert ("totals" in message, "predictions" in message) == ("totals" in hint, "pred" in hint)


def test_hidden_folders_are_named_where_nothing_else_is(tmp_path: Path) -> None:
    document(tmp_path / ".deepeval" / "x.json", {"testRunLink": "https://example.org"})
    with pytest.raises(
        InputError, match=r"Hidden, and not read unless you pass its path: \.deepeval"
    ):
        errbar.load(tmp_path)
