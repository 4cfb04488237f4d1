"""Logs of leaderboards and agents, of any size, for measuring readers; as in `reader_logs`."""

from pathlib import Path
from typing import Any

from benchmarks.reader_logs import Write, write_document, write_lines


def aider(place: Path, rows: int, text: str) -> None:
    """A file for each exercise."""
    run = place / "2025-01-01-10-00-00--toy" / "python" / "exercises" / "practice"
    for at in range(rows):
        result = {
            "testdir": f"practice/exercise-{at}",
            "testcase": f"exercise-{at}",
            "model": "toy-model",
            "edit_format": "diff",
            "tests_outcomes": [False, at % 3 > 0],
            "cost": 0.01,
            "chat_hashes": [text],
        }
        write_document(run / f"exercise-{at}" / ".aider.results.json", result)


def bfcl(place: Path, rows: int, text: str) -> None:
    """Every third answer is wrong, and stands in the file of scores too."""
    below = Path("toy-model") / "non_live"
    answer = {"result": f"[area(base=10)]{text}", "input_token_count": 90, "latency": 0.4}
    write_lines(
        place / "result" / below / "BFCL_v4_simple_python_result.json",
        ({"id": f"simple_python_{at}", **answer} for at in range(rows)),
    )
    wrong = range(0, rows, 3)
    right = rows - len(wrong)
    head = {"accuracy": right / rows, "correct_count": right, "total_count": rows}
    fault = {
        "model_name": "toy-model",
        "valid": False,
        "error_type": "simple:wrong",
        "prompt": text,
    }
    write_lines(
        place / "score" / below / "BFCL_v4_simple_python_score.json",
        [head, *({"id": f"simple_python_{at}", **fault} for at in wrong)],
    )


def bigcodebench(place: Path, rows: int, text: str) -> None:
    sample = {"solution": text, "status": "pass", "details": {}}
    tasks = {
        f"BigCodeBench/{at}": [{"task_id": f"BigCodeBench/{at}", **sample}] * 4
        for at in range(rows // 4)
    }
    name = "toy--main--bigcodebench-hard-instruct--vllm-0.8-4-sanitized_calibrated"
    write_document(place / f"{name}_eval_results.json", {"date": "2025", "eval": tasks})


def evalscope(place: Path, rows: int, text: str) -> None:
    write_lines(
        place / "20260101_100000" / "reviews" / "toy-model" / "sums_main.jsonl",
        (
            {
                "index": at,
                "target": ["4"],
                "messages": [{"role": "user", "content": text}],
                "sample_score": {
                    "sample_id": at,
                    "group_id": at // 4,
                    "generation_index": at % 4,
                    "score": {
                        "value": {"acc": float(at % 3 > 0)},
                        "status": "success",
                        "extracted_prediction": "4",
                        "main_score_name": "acc",
                    },
                },
            }
            for at in range(rows)
        ),
    )


def harbor(place: Path, rows: int, text: str) -> None:
    """A file for each trial."""
    agent = {"name": "oracle", "version": "1.0.0", "model_info": {"name": "m", "provider": "toy"}}
    for at in range(rows):
        name = f"task-{at // 4}__{at % 4}"
        trial = {
            "id": f"{at}",
            "task_name": f"task-{at // 4}",
            "trial_name": name,
            "trial_uri": f"file:///jobs/job/{name}",
            "task_id": {"path": f"tasks/task-{at // 4}"},
            "source": "toy",
            "task_checksum": "0",
            "config": {"trial_name": name, "agent": {"name": "oracle", "model_name": "toy/m"}},
            "agent_info": agent,
            "agent_result": {"n_input_tokens": 200, "cost_usd": 0.5, "metadata": text},
            "verifier_result": {"rewards": {"reward": float(at % 3 > 0)}},
            "exception_info": None,
        }
        write_document(place / "job" / name / "result.json", trial)


def matharena(place: Path, rows: int, text: str) -> None:
    """A file for each problem."""
    for at in range(rows // 4):
        talk = [{"role": "user", "content": text}, {"role": "assistant", "content": text}]
        problem = {
            "idx": at,
            "problem": text,
            "gold_answer": "70",
            "types": ["Algebra"],
            "N": 4,
            "cost": {"cost": 2.0, "input_tokens": 400, "output_tokens": 3600, "time": 8.0},
            "pass_at_1": 0.75,
            "answers": ["70", "70", "7", "70"],
            "correct": [True, True, False, True],
            "messages": [talk] * 4,
            "detailed_costs": [{"cost": 0.5, "input_tokens": 100, "output_tokens": 900}] * 4,
        }
        write_document(place / "outputs" / "aime" / "toy" / f"{at}.json", problem)


def mmlu_pro(place: Path, rows: int, text: str) -> None:
    questions = [
        {
            "question_id": at,
            "question": text,
            "options": ["1", "2", "3", "4"],
            "answer": "I",
            "answer_index": 8,
            "category": "business",
            "src": "toy",
            "pred": "I" if at % 3 else "A",
            "model_outputs": text,
        }
        for at in range(rows)
    ]
    write_document(place / "toy-model" / "business_result.json", questions)


def swe_bench_instances(place: Path, rows: int, text: str) -> None:
    """A report for each instance, as the harness writes them."""
    run = place / "logs" / "run_evaluation" / "first" / "toy__agent"
    for at in range(rows):
        name = f"toy__sums-{at}"
        tests = {"FAIL_TO_PASS": {"success": [text], "failure": []}}
        report = {
            "patch_is_None": False,
            "patch_exists": True,
            "patch_successfully_applied": True,
            "resolved": at % 2 > 0,
            "tests_status": tests,
        }
        write_document(run / name / "report.json", {name: report})


def swe_bench_site(place: Path, rows: int, _: str) -> None:
    results: list[dict[str, Any]] = [
        {
            "name": f"agent {system}",
            "folder": f"2025010{system}_agent",
            "resolved": 50.0,
            "per_instance_details": {
                f"toy__sums-{at}": {"cost": 0.125, "api_calls": 9, "resolved": at % 2 > 0}
                for at in range(rows // 4)
            },
        }
        for system in range(4)
    ]
    boards = [{"name": "Verified", "results": results}]
    write_document(place / "leaderboards.json", {"leaderboards": boards})


WRITERS: dict[str, Write] = {
    write.__name__: write
    for write in (
        *(aider, bfcl, bigcodebench, evalscope, harbor, matharena, mmlu_pro),
        *(swe_bench_instances, swe_bench_site),
    )
}
