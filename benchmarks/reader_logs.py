"""Logs of every harness, of any size, for measuring readers.

Each function writes a log with about as many rows as are asked for, every record with a text as
long as is asked for, where the harness keeps what was asked and answered.
"""

import json
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import duckdb

Write = Callable[[Path, int, str], None]


def write_document(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def write_lines(path: Path, rows: Iterable[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def deepeval(place: Path, rows: int, text: str) -> None:
    cases = [
        {
            "name": f"q{at // 4}",
            "input": text,
            "actualOutput": text,
            "expectedOutput": "1",
            "success": at % 3 > 0,
            "metricsData": [
                {"name": "Exact", "threshold": 0.5, "success": at % 3 > 0, "score": 1.0}
            ],
            "runDuration": 0.5,
            "order": at,
        }
        for at in range(rows)
    ]
    write_document(place / "test_run.json", {"testCases": cases, "metricsScores": []})


def evalplus(place: Path, rows: int, text: str) -> None:
    sample = {"solution": text, "base_status": "pass", "plus_status": "fail"}
    more = {"base_fail_tests": [], "plus_fail_tests": [[1, 2]]}
    tasks = {
        f"HumanEval/{at}": [{"task_id": f"HumanEval/{at}", **sample, **more}] * 10
        for at in range(rows // 10)
    }
    write_document(place / "a_eval_results.json", {"date": "", "hash": "", "eval": tasks})


def every_eval_ever(place: Path, rows: int, text: str) -> None:
    write_lines(
        place / "a_samples.jsonl",
        (
            {
                "schema_version": "0.2.1",
                "evaluation_id": "doubles/adder/1",
                "evaluation_result_id": "doubles/exact",
                "model_id": "mock/adder",
                "evaluation_name": "doubles",
                "sample_id": f"q{at}",
                "interaction_type": "single_turn",
                "input": {"raw": text, "reference": ["0"]},
                "output": {"raw": [text]},
                "messages": None,
                "answer_attribution": [{"turn_idx": 0, "extracted_value": "0"}],
                "evaluation": {"score": 1.0, "is_correct": True},
                "error": None,
            }
            for at in range(rows)
        ),
    )


def helm(place: Path, rows: int, text: str) -> None:
    names = ("exact_match", "quasi_exact_match", "num_references", "num_prompt_tokens", "logprob")
    entries, states = [], []
    for at in range(rows):
        entries.append(
            {
                "instance_id": f"id{at}",
                "train_trial_index": 0,
                "stats": [
                    {"name": {"name": name, "split": "test"}, "count": 1, "sum": 1, "mean": 1.0}
                    for name in names
                ],
            }
        )
        instance = {"id": f"id{at}", "input": {"text": text}, "references": [], "split": "test"}
        result = {"success": True, "completions": [{"text": text, "logprob": 0.0}]}
        states.append({"instance": instance, "train_trial_index": 0, "result": result})
    run = place / "mmlu-model=mock_adder"
    write_document(run / "per_instance_stats.json", entries)
    write_document(run / "scenario_state.json", {"request_states": states})
    write_document(run / "run_spec.json", {"name": "mmlu:model=mock_adder"})


def human_eval(place: Path, rows: int, text: str) -> None:
    write_lines(
        place / "a_results.jsonl",
        (
            {
                "task_id": f"HumanEval/{at // 10}",
                "completion": text,
                "result": "passed",
                "passed": at % 3 > 0,
            }
            for at in range(rows)
        ),
    )


def inspect_ai(place: Path, rows: int, text: str) -> None:
    """An archive with summaries alone: those of a run's samples are never opened."""
    samples = [
        {
            "id": at // 4,
            "epoch": at % 4 + 1,
            "input": text,
            "target": "42",
            "metadata": {"level": at % 5},
            "scores": {"grade": {"value": "C", "answer": "42", "explanation": text}},
            "completed": True,
        }
        for at in range(rows)
    ]
    spec = {"task": "bench", "task_id": "1", "model": "mock/adder", "created": "2026"}
    header = {"version": 2, "status": "success", "eval": spec}
    with zipfile.ZipFile(place / "log.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("_journal/start.json", "header.json"):
            archive.writestr(name, json.dumps(header))
        archive.writestr("summaries.json", json.dumps(samples))


def item_runs(place: Path, rows: int, text: str) -> None:
    items = ("Sleep", "Mood", "Appetite", "Energy")
    people = [
        {
            "participant_id": at,
            "success": True,
            "notes": text,
            "predicted_items": dict.fromkeys(items, 2),
            "ground_truth_items": dict.fromkeys(items, 1),
            "evidence_counts": dict.fromkeys(items, 3),
        }
        for at in range(rows // len(items))
    ]
    write_document(
        place / "run.json", {"experiments": [{"name": "a", "results": {"results": people}}]}
    )


def lighteval(place: Path, rows: int, text: str) -> None:
    """Details of one response each, and the same rows as JSON lines for the plain loop."""
    lines = place.with_name(f"{place.name}-plain") / "details.jsonl"
    write_lines(
        lines,
        (
            {
                "doc": {
                    "query": text,
                    "choices": ["1", "2"],
                    "gold_index": 0,
                    "id": str(at),
                    "task_name": "sums|0",
                },
                "metric": {"em": at % 3 / 2},
                "model_response": {"text": [text], "logprobs": [], "input": text},
            }
            for at in range(rows)
        ),
    )
    target = place / "details_sums-0_2026-01-01T00-00-01.000001.parquet"
    source = f"read_json('{lines}', format = 'newline_delimited')"
    duckdb.sql(f"COPY (SELECT * FROM {source}) TO '{target}' (FORMAT parquet)")


def livecodebench(place: Path, rows: int, text: str) -> None:
    problems = [
        {
            "question_id": f"q{at}",
            "question_content": text,
            "platform": "leetcode",
            "difficulty": "easy",
            "contest_date": "2025-01-01",
            "output_list": [text] * 10,
            "code_list": [text] * 10,
            "graded_list": [True, False] * 5,
            "pass@1": 0.5,
            "metadata": ['{"execution time": 0.02}'] * 10,
        }
        for at in range(rows // 10)
    ]
    write_document(place / "a_eval_all.json", problems)


def lm_eval(place: Path, rows: int, text: str) -> None:
    write_lines(
        place / "samples_sums_2026-01-01T00-00-01.000001.jsonl",
        (
            {
                "doc_id": at,
                "doc": {"question": text},
                "target": "1",
                "arguments": {"gen_args_0": {"arg_0": text}},
                "resps": [[text]],
                "filtered_resps": ["1"],
                "filter": "none",
                "metrics": ["exact_match"],
                "exact_match": float(at % 3 > 0),
            }
            for at in range(rows)
        ),
    )


def nemo_skills(place: Path, rows: int, text: str) -> None:
    for trial in range(4):
        write_lines(
            place / "eval-results" / "sums" / f"output-rs{trial}.jsonl",
            (
                {
                    "problem": f"{at} {text}",
                    "expected_answer": "1",
                    "generation": text,
                    "predicted_answer": "1",
                    "symbolic_correct": at % 3 > 0,
                    "num_generated_tokens": 100,
                }
                for at in range(rows // 4)
            ),
        )


def opencompass(place: Path, rows: int, text: str) -> None:
    stated = {f"G-Pass@{k}_{tau}": 0.5 for k in (2, 4, 8) for tau in (0.0, 0.25, 0.5, 0.75, 1.0)}
    details = [
        {
            "example_abbr": f"sums_{at}",
            **stated,
            "prompt": text,
            "pred": ["1"] * 8,
            "answer": ["1"] * 8,
            "correct": [True, False] * 4,
        }
        for at in range(rows // 8)
    ]
    write_document(
        place / "results" / "adder" / "sums.json", {"accuracy": 50.0, "details": details}
    )


def promptfoo(place: Path, rows: int, text: str) -> None:
    results = [
        {
            "cost": 0.001,
            "gradingResult": {"pass": True, "score": 1, "namedScores": {}},
            "namedScores": {},
            "prompt": {"raw": text, "label": "Twice {{n}}?"},
            "promptIdx": 0,
            "provider": {"id": "mock:adder", "label": "adder"},
            "response": {"output": text},
            "score": 1,
            "success": at % 3 > 0,
            "testCase": {"vars": {"n": at}},
            "testIdx": at,
            "vars": {"n": at},
            "failureReason": 0,
        }
        for at in range(rows)
    ]
    write_document(
        place / "out.json", {"evalId": "e", "results": {"version": 3, "results": results}}
    )


def qwen_math(place: Path, rows: int, text: str) -> None:
    write_lines(
        place / "sums.jsonl",
        (
            {
                "idx": at,
                "question": text,
                "gt": "1",
                "code": [text] * 8,
                "pred": ["1", "2"] * 4,
                "score": [True, False] * 4,
            }
            for at in range(rows // 8)
        ),
    )


def swe_bench(place: Path, rows: int, _: str) -> None:
    ids = [f"toy__sums-{at}" for at in range(rows)]
    kinds = ("submitted", "completed", "resolved", "unresolved", "empty_patch", "error")
    held: dict[str, list[str]] = {kind: [] for kind in kinds}
    held |= {"submitted": ids, "completed": ids}
    held |= {"resolved": ids[: rows // 2], "unresolved": ids[rows // 2 :]}
    report: dict[str, Any] = {f"{kind}_instances": len(each) for kind, each in held.items()}
    report |= {f"{kind}_ids": each for kind, each in held.items()}
    write_document(place / "toy__agent.first.json", {"total_instances": rows, **report})


def tau_bench(place: Path, rows: int, text: str) -> None:
    trials = [
        {
            "task_id": at // 4,
            "reward": float(at % 3 > 0),
            "info": {"source": "user"},
            "traj": [{"role": "user", "content": text}] * 4,
            "trial": at % 4,
        }
        for at in range(rows)
    ]
    write_document(place / "adder.json", trials)


def tau2_bench(place: Path, rows: int, text: str) -> None:
    simulations = [
        {
            "id": f"s{at}",
            "task_id": f"t{at // 4}",
            "termination_reason": "user_stop",
            "agent_cost": 0.01,
            "reward_info": {"reward": 1.0},
            "messages": [{"role": "user", "content": text}] * 4,
            "trial": at % 4,
            "seed": 1,
        }
        for at in range(rows)
    ]
    info = {"num_trials": 4, "agent_info": {"llm": "adder"}, "user_info": {"llm": "user"}}
    tasks = [{"id": f"t{at}"} for at in range(rows // 4)]
    write_document(place / "a.json", {"info": info, "tasks": tasks, "simulations": simulations})


def terminal_bench(place: Path, rows: int, text: str) -> None:
    results = [
        {
            "id": str(at),
            "trial_name": f"t{at // 4}.{at % 4 + 1}-of-4.2025-07-01__10-00-00",
            "task_id": f"t{at // 4}",
            "instruction": text,
            "is_resolved": at % 3 > 0,
            "failure_mode": "unset",
            "parser_results": {"test_it": "passed"},
            "recording_path": None,
            "total_input_tokens": 10,
            "total_output_tokens": 5,
        }
        for at in range(rows)
    ]
    write_document(place / "2025-07-01__10-00-00" / "results.json", {"id": "a", "results": results})


def verifiers(place: Path, rows: int, text: str) -> None:
    write_lines(
        place / "sums--mock--adder" / "a" / "results.jsonl",
        (
            {
                "example_id": at // 4,
                "prompt": [{"role": "user", "content": text}],
                "completion": [{"role": "assistant", "content": text}],
                "task": "sums",
                "reward": float(at % 3 > 0),
                "exact": float(at % 3 > 0),
                "generation_ms": 10.0,
                "answer": "1",
                "error": None,
            }
            for at in range(rows)
        ),
    )


WRITERS: dict[str, Write] = {
    write.__name__: write
    for write in (
        *(deepeval, evalplus, every_eval_ever, helm, human_eval, inspect_ai, item_runs),
        *(lighteval, livecodebench, lm_eval, nemo_skills, opencompass, promptfoo, qwen_math),
        *(swe_bench, tau_bench, tau2_bench, terminal_bench, verifiers),
    )
}
