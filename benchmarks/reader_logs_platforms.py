"""Exports of evaluation platforms, of any size, for measuring readers; as in `reader_logs`."""

from pathlib import Path

from benchmarks.reader_logs import Write, write_document, write_lines

_MOMENT = "2026-02-27T17:59:31.811Z"


def braintrust(place: Path, rows: int, text: str) -> None:
    """A root span for each trial, as JSON lines."""
    write_lines(
        place / "base.jsonl",
        (
            {
                "_xact_id": "1000",
                "created": _MOMENT,
                "experiment_id": "id-base",
                "root_span_id": f"root-{at}",
                "id": f"event-{at}",
                "span_id": f"root-{at}",
                "span_parents": None,
                "is_root": True,
                "span_attributes": {"name": "eval", "type": "eval"},
                "input": f"{at // 4} {text}",
                "output": text,
                "expected": "4",
                "error": None,
                "scores": {"exact": at % 3 > 0, "close": 0.5},
                "metadata": {"model": "toy"},
                "metrics": {"start": 0.0, "end": 1.0, "estimated_cost": 0.002},
                "origin": {"object_type": "dataset", "object_id": "d", "id": f"record {at // 4}"},
            }
            for at in range(rows)
        ),
    )


def langfuse(place: Path, rows: int, text: str) -> None:
    """Items of an experiment with a score each."""
    score = {"name": "exact", "dataType": "BOOLEAN", "source": "API", "timestamp": _MOMENT}
    items = [
        {
            "id": f"span-{at}",
            "traceId": f"trace-{at}",
            "startTime": _MOMENT,
            "level": "DEFAULT",
            "experimentId": "id-base",
            "experimentName": "base",
            "experimentItemId": f"q{at // 4}",
            "input": {"question": text},
            "output": text,
            "expectedOutput": "4",
            "scores": [{"id": f"score-{at}", **score, "value": at % 3 > 0}],
        }
        for at in range(rows)
    ]
    write_document(place / "experiments.json", {"data": items})


def langsmith(place: Path, rows: int, text: str) -> None:
    """Rows of an experiment: each with its run, its example and its evaluation."""
    write_lines(
        place / "rows.jsonl",
        (
            {
                "run": {
                    "id": f"run-{at}",
                    "name": "target",
                    "run_type": "chain",
                    "session_id": "id-base",
                    "reference_example_id": f"e{at // 4}",
                    "parent_run_id": None,
                    "error": None,
                    "inputs": {"question": text},
                    "outputs": {"answer": text},
                    "total_cost": 0.001,
                },
                "example": {"id": f"e{at // 4}", "dataset_id": "d", "outputs": {"answer": "4"}},
                "evaluation_results": {"results": [{"key": "correct", "score": at % 3 / 2}]},
            }
            for at in range(rows)
        ),
    )


def openai_evals(place: Path, rows: int, text: str) -> None:
    """Two events for each sample: what was asked and answered, and whether it matches."""
    spec = {"completion_fns": ["toy"], "eval_name": "sums.dev.v0", "run_id": "r", "created_at": ""}
    events = []
    for at in range(rows):
        head = {"run_id": "r", "sample_id": f"sums.dev.{at}", "created_by": "", "created_at": ""}
        asked = {"prompt": text, "sampled": [text]}
        match = {"correct": at % 3 > 0, "expected": "15", "picked": "15"}
        events.append({**head, "event_id": 2 * at, "type": "sampling", "data": asked})
        events.append({**head, "event_id": 2 * at + 1, "type": "match", "data": match})
    write_lines(
        place / "run.jsonl", [{"spec": spec}, *events, {"final_report": {"accuracy": 2 / 3}}]
    )


WRITERS: dict[str, Write] = {
    write.__name__: write for write in (braintrust, langfuse, langsmith, openai_evals)
}
