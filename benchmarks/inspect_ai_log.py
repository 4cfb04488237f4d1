"""A log of inspect_ai of any size, and its reading by errbar beside that by the package itself.

The package runs in a separate environment (`scripts/harness inspect_ai` makes it), where it times
its reading and reports what it read; without that environment, errbar alone is timed.
"""

import json
import random
import subprocess
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import errbar

HARNESSES = Path(__file__).parents[1] / ".cache" / "harnesses"
WORDS = [
    "the",
    "model",
    "reads",
    "a",
    "question",
    "and",
    "thinks",
    "about",
    "it",
    "until",
    "it",
    "has",
    "an",
    "answer",
]
TURNS = 5
GOAL = 10.0

# Its own reading of a log, and the accuracy of what it read, timed in its own process.
ASK_INSPECT_AI = """
import json, sys, time
from inspect_ai.log import read_eval_log
from inspect_ai.scorer import SampleScore, accuracy, mean_score
best = float("inf")
for _ in range(int(sys.argv[2])):
    start = time.perf_counter()
    log = read_eval_log(sys.argv[1])
    by_id = {}
    for one in log.samples:
        by_id.setdefault(one.id, []).append(one.scores["grade"])
    value = accuracy()([SampleScore(score=mean_score()(one)) for one in by_id.values()])
    best = min(best, time.perf_counter() - start)
print(json.dumps([best, value]))
"""


def compare_inspect_ai(samples: int, directory: Path) -> None:
    """A log of as many samples in 4 epochs, each with messages and events of about 20 kB."""
    path = inspect_ai_log(directory / "log.eval", samples)
    size = path.stat().st_size / 1e6
    mine, value = best_of(lambda: errbar.load(path).score("avg")[0].value)
    print(f"inspect_ai: {samples:,} samples, {size:.1f} MB")
    print(f"  errbar.load and avg  {mine:>8.3f} s, accuracy {value:.4f}")
    python = HARNESSES / "inspect_ai" / "bin" / "python"
    if not python.exists():
        print("  inspect_ai is not installed; for the comparison: scripts/harness inspect_ai")
        return
    asked = [str(python), "-c", ASK_INSPECT_AI, str(path), "2"]
    said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    theirs, reference = json.loads(said.splitlines()[-1])
    again, _ = best_of(lambda: errbar.load(path).score("avg")[0].value)
    ratio = theirs / min(mine, again)
    print(f"  read_eval_log        {theirs:>8.3f} s, accuracy {reference:.4f}")
    print(f"  {ratio:.0f} times as fast (goal {GOAL:.0f}), apart {abs(value - reference):.0e}")


def inspect_ai_log(path: Path, samples: int) -> Path:
    """A log as inspect_ai 0.3 writes it: members packed one by one, with summaries at the end."""
    rng = random.Random(0)
    spec = {
        "task": "bench",
        "task_id": "1",
        "model": "made/up",
        "created": "2026-01-01T00:00:00Z",
        "dataset": {"samples": samples // 4},
        "config": {"epochs": 4},
    }
    header: dict[str, Any] = {"version": 2, "status": "success", "eval": spec, "plan": {}}
    summaries = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps(header))
        for at in range(samples):
            summary, whole = inspect_ai_sample(at // 4, at % 4 + 1, rng)
            archive.writestr(f"samples/{at // 4}_epoch_{at % 4 + 1}.json", json.dumps(whole))
            summaries.append(summary)
        archive.writestr("summaries.json", json.dumps(summaries))
        header["results"] = {"total_samples": samples}
        archive.writestr("header.json", json.dumps(header))
    return path


def inspect_ai_sample(question: int, epoch: int, rng: random.Random) -> tuple[Any, Any]:
    """A summary, and the sample with eight turns of talk and an event for each."""

    def text(words: int) -> str:
        return " ".join(rng.choices(WORDS, k=words))

    messages = [
        {"id": f"m{at}", "role": "assistant" if at % 2 else "user", "content": text(120)}
        for at in range(16)
    ]
    output = {
        "model": "made/up",
        "choices": [{"message": messages[-1], "stop_reason": "stop"}],
        "usage": {"input_tokens": 2000, "output_tokens": 200, "total_tokens": 2200},
    }
    stamp = {"timestamp": "2026-01-01T00:00:00+00:00", "working_start": 0.0, "uuid": "0"}
    events = [
        {
            "event": "model",
            "model": "made/up",
            "input": messages[:1],
            "tools": [],
            "tool_choice": "auto",
            "config": {},
            "output": output,
            **stamp,
        }
        for _ in range(8)
    ]
    grade = "C" if rng.random() < 0.6 else "I"
    summary = {
        "id": question,
        "epoch": epoch,
        "input": text(60),
        "target": "42",
        "metadata": {"level": rng.randrange(5), "subject": rng.choice(WORDS)},
        "scores": {"grade": {"value": grade, "answer": text(3), "explanation": text(150)}},
        "model_usage": {"made/up": output["usage"]},
        "completed": True,
    }
    whole = {name: each for name, each in summary.items() if name != "completed"}
    return summary, whole | {"messages": messages, "output": output, "store": {}, "events": events}


def best_of(work: Callable[[], float]) -> tuple[float, float]:
    """The least of several times, and what came out."""
    times = []
    for _ in range(TURNS):
        start = time.perf_counter()
        value = work()
        times.append(time.perf_counter() - start)
    return min(times), value
