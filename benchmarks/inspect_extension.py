"""What errbar's extension adds to the time of an eval of inspect_ai with its mock model.

    scripts/bench inspect_extension                1,000 samples x 4 epochs
    scripts/bench inspect_extension --samples 100  fewer samples

Both sides run the same eval in processes of their own, in turn, in the environment that
`scripts/harness inspect_ai` makes. With errbar the task has two of its metrics beside inspect_ai's
`accuracy`, and errbar's table is printed at the end (ERRBAR_INSPECT). CPU seconds are those of the
call of `eval`, after a small one that loads what is loaded once; the medians are compared.
"""

import argparse
import os
import statistics
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import errbar
from benchmarks.inspect_ai_log import HARNESSES

GOAL = 5.0  # percent
SIDES = ("inspect_ai alone", "with errbar")

EVAL = """
import random, sys, time
site, packages, samples, epochs, with_errbar = sys.argv[1:]
sys.path += [site, packages]
from inspect_ai import Epochs, Task, eval
from inspect_ai._util.entrypoints import ensure_entry_points
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import accuracy, match

metrics = [accuracy()]
if with_errbar == "True":
    ensure_entry_points("errbar")
    from errbar.integrations.inspect_ai import interval
    metrics += [interval("avg"), interval("pass@2")]

def run(samples):
    rng = random.Random(1)
    def answer(*_):
        output = ModelOutput.from_content("mockllm/model", rng.choice(["yes", "no"]))
        output.usage = ModelUsage(input_tokens=4, output_tokens=6, total_tokens=10)
        return output
    task = Task(
        name="yes_or_no",
        dataset=[Sample(input="?", target="yes", id=f"q{at}") for at in range(samples)],
        scorer=match(),
        metrics=metrics,
        epochs=Epochs(int(epochs), ["mean"]),
    )
    model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
    began = time.process_time()
    (log,) = eval(task, model=model, display="none", log_dir="logs")
    assert log.status == "success", log.error.message
    return time.process_time() - began

run(2)
print(run(int(samples)))
"""


def seconds(python: Path, *, with_errbar: bool, samples: int, epochs: int) -> float:
    """CPU seconds of an eval, in a process and a directory of its own."""
    places = [str(Path(errbar.__file__).parent.parent), sysconfig.get_path("purelib")]
    variables = {name: value for name, value in os.environ.items() if "ERRBAR" not in name}
    if with_errbar:
        variables["ERRBAR_INSPECT"] = "avg,pass@2"
    sizes = [str(samples), str(epochs), str(with_errbar)]
    with tempfile.TemporaryDirectory() as place:
        done = subprocess.run(
            [str(python), "-c", EVAL, *places, *sizes],
            env=variables,
            cwd=place,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        sys.exit(done.stderr.strip().splitlines()[-1])
    return float(done.stdout.split()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    python = HARNESSES / "inspect_ai" / "bin" / "python"
    if not python.exists():
        sys.exit("inspect_ai is not installed: scripts/harness inspect_ai")
    print(f"{options.samples:,} samples x {options.epochs} epochs, CPU seconds of each round")
    found: dict[str, list[float]] = {side: [] for side in SIDES}
    for _ in range(options.rounds):
        for side in SIDES:
            took = seconds(
                python,
                with_errbar=side == SIDES[1],
                samples=options.samples,
                epochs=options.epochs,
            )
            found[side].append(took)
    for side, times in found.items():
        print(f"{side:<20}{'  '.join(f'{took:7.2f}' for took in times)}", flush=True)
    alone, together = (statistics.median(times) for times in found.values())
    print(f"errbar adds {100.0 * (together / alone - 1.0):+.1f}% (goal: less than {GOAL:g}%)")


if __name__ == "__main__":
    main()
