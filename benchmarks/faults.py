"""Processes that are killed, disks and memory that are full, files that change while they are read.

    scripts/bench faults                  100 runs of each fault
    scripts/bench faults --runs 1000
    scripts/bench faults --only killed    one of them
    scripts/bench faults --of report      of one command

Every run is `errbar` in a process of its own, which writes over a file or folder that exists. After
it the target must be as it was or complete, and a file that is read is never changed. A temporary
file may only be left by SIGKILL. Whatever happens, nothing prints a traceback.
"""

import argparse
import math
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import polars as pl

ROWS = 2_000
COMMANDS = {
    "convert to Parquet": ("convert", "IN", "TARGET/rows.parquet", "--force"),
    "convert to a schema": ("convert", "IN", "TARGET", "--as", "dataset", "--force"),
    "score as CSV": (
        "score",
        "IN",
        "--by",
        "question",
        "--format",
        "csv",
        "-o",
        "TARGET/a.csv",
        "--force",
    ),
    "report": ("report", "IN", "-o", "TARGET/page.html", "--force"),
}


class Place:
    """A folder with a log, and the target of a command as it was before."""

    def __init__(self, folder: Path, rows: int = ROWS) -> None:
        self.log = folder / "log.csv"
        self.target = folder / "target"
        _table(rows).write_csv(self.log)
        self.target.mkdir()

    def command(self, name: str) -> list[str]:
        """The arguments of a process."""
        words = {"IN": str(self.log), "TARGET": str(self.target)}
        parts = [part.replace("TARGET", words["TARGET"]) for part in COMMANDS[name]]
        return [sys.executable, "-m", "errbar", *(words.get(part, part) for part in parts)]

    def content(self) -> dict[str, int]:
        """Size of every file of the target that is not temporary; some contain the time."""
        return {
            str(path.relative_to(self.target)): path.stat().st_size
            for path in self.target.rglob("*")
            if path.is_file() and not any(part.startswith(".errbar-") for part in path.parts)
        }

    def leftovers(self) -> list[str]:
        """Temporary files."""
        return [path.name for path in self.target.parent.rglob(".errbar-*")]


def _table(rows: int) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "model": [f"m{at % 4}" for at in range(rows)],
            "question": [f"q{at // 4}" for at in range(rows)],
            "correct": [at * 7919 % 11 > 4 for at in range(rows)],
        }
    )


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _cpu_of(process: int) -> float:
    """Processor seconds of a process so far; infinite if it has ended."""
    try:
        fields = (
            Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        )
    except OSError:
        return math.inf
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Trial:
    """A command with its own log, and the content of its target before and after."""

    def __init__(self, name: str, folder: Path, rng: random.Random) -> None:
        self.name, self.rng = name, rng
        self.place = Place(folder)
        for _ in range(2):  # the second time over files that exist
            began = _cpu_of_children()
            subprocess.run(self.place.command(name), check=True, capture_output=True)
            self.cpu = _cpu_of_children() - began
        self.whole = self.place.content()
        self.restore()
        self.before = self.place.content()
        self.log = self.place.log.read_bytes()

    def restore(self) -> None:
        """Restore the target."""
        shutil.rmtree(self.place.target)
        for name in self.whole:
            path = self.place.target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"as it was")

    def start(self, limit: Callable[[], None] | None = None) -> subprocess.Popen[str]:
        """The process of the command."""
        return subprocess.Popen(
            self.place.command(self.name),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=limit,  # noqa: PLW1509  this program has one thread
        )

    def wait(self, process: subprocess.Popen[str]) -> None:
        """Wait until a random share of the work is done, by processor time, or all of it.

        By wall time, most moments on a busy machine would be before or after the work.
        """
        moment = self.rng.uniform(0.0, 1.05 * self.cpu)
        while process.poll() is None and _cpu_of(process.pid) < moment:
            time.sleep(0.002)

    def judged(self, process: subprocess.Popen[str], *, may_leave: bool = False) -> str:
        """The outcome of the command in words; one that begins with "wrong" is a fault."""
        _, said = process.communicate(timeout=600)
        after, left = self.place.content(), self.place.leftovers()
        for path in [*self.place.target.parent.rglob(".errbar-*")]:
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        self.restore()
        changed = sum(after.get(name) != size for name, size in self.before.items())
        faults = {
            f"a traceback: {said}": "Traceback" in said,
            "the log was changed": self.place.log.read_bytes() != self.log,
            f"left {left[:1]}": left and not may_leave,
            f"{changed} of {len(self.before)} files are not as they were": after
            not in (self.before, self.whole),
            "success, but nothing was written": process.returncode == 0 and after == self.before,
        }
        wrong = next((what for what, is_so in faults.items() if is_so), None)
        return f"wrong: {wrong}" if wrong else "complete" if after == self.whole else "as it was"


def killed(trial: Trial) -> str:
    """SIGKILL, SIGTERM or SIGINT at a random moment."""
    sent = trial.rng.choice((signal.SIGKILL, signal.SIGTERM, signal.SIGINT))
    process = trial.start()
    trial.wait(process)
    process.send_signal(sent)
    return trial.judged(process, may_leave=sent == signal.SIGKILL)


def full(trial: Trial) -> str:
    """No file may grow beyond a random size, as on a disk that is nearly full."""
    most = int(10 ** trial.rng.uniform(1.0, 6.0))

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # the write fails instead
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    return trial.judged(trial.start(limit))


def memory(trial: Trial) -> str:
    """A random limit of address space."""
    most = int(trial.rng.uniform(0.3, 3.0) * 2**30)
    return trial.judged(trial.start(lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most))))


def two_writers(trial: Trial) -> str:
    """Two processes write the same target at once."""
    first, second = trial.start(), trial.start()
    _, said = first.communicate(timeout=600)
    found = trial.judged(second)
    return f"wrong: a traceback: {said}" if "Traceback" in said else found


def changing(trial: Trial) -> str:
    """The log grows, or is cut, while it is read."""
    process = trial.start()
    trial.wait(process)
    with trial.place.log.open("r+b") as log:
        if trial.rng.random() < 0.5:
            log.truncate(trial.rng.randrange(len(trial.log)))
        else:
            log.seek(0, os.SEEK_END)
            log.write(trial.log[: trial.rng.randrange(len(trial.log))])
    _, said = process.communicate(timeout=600)
    trial.place.log.write_bytes(trial.log)
    if process.returncode == 0:  # read before or after the change, which changes the size
        trial.restore()
        return f"wrong: a traceback: {said}" if "Traceback" in said else "complete"
    return trial.judged(process)


FAULTS = (killed, full, memory, two_writers, changing)


def run(runs: int, only: Sequence[str], of: Sequence[str], seed: int) -> Iterator[str]:
    """A line for every fault and command."""
    commands = of or [*COMMANDS]
    for fault in FAULTS:
        if only and fault.__name__ not in only:
            continue
        for name in commands:
            rng = random.Random(f"{seed}:{fault.__name__}:{name}")
            found: Counter[str] = Counter()
            with tempfile.TemporaryDirectory() as temporary:
                trial = Trial(name, Path(temporary), rng)
                for _ in range(-(-runs // len(commands))):
                    found[fault(trial)] += 1
            wrong = {what: count for what, count in found.items() if what.startswith("wrong")}
            yield (
                f"| {fault.__name__.replace('_', ' ')} | {name} | {found.total()} "
                f"| {found['complete']} | {found['as it was']} | {sum(wrong.values())} |"
            )
            for what, count in wrong.items():
                print(f"{fault.__name__}, {name}: {count} times {what}", file=sys.stderr)


def main() -> None:
    """Print the table of docs/promises.md."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=100, help="runs of each fault")
    parser.add_argument(
        "--only", nargs="*", default=(), choices=[fault.__name__ for fault in FAULTS]
    )
    parser.add_argument("--of", nargs="*", default=(), choices=COMMANDS, help="commands")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    print("| fault | command | runs | new file complete | old file unchanged | wrong |")
    print("|---|---|---:|---:|---:|---:|")
    for line in run(asked.runs, asked.only, asked.of, asked.seed):
        print(line, flush=True)


if __name__ == "__main__":
    main()
