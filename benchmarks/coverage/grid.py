"""What is studied: units of work, and the metrics that each of them is judged by.

All metrics of a unit are of the same simulated data, so a unit is a difficulty, a number of
questions and a number of trials.
"""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

import errbar
from benchmarks.coverage.difficulties import DIFFICULTIES
from errbar.metrics import (
    AreaUnderPass,
    Average,
    CountMetric,
    Geom,
    GPass,
    Majority,
    MaxAt,
    PassAt,
    PassHat,
)
from errbar.results.estimate import Estimand

QUESTIONS = (10, 30, 100, 300, 1000)
TRIALS = (1, 2, 4, 16, 64)
LEVEL = 0.95
ESTIMANDS = (Estimand.POPULATION, Estimand.BENCHMARK, Estimand.RERUN)
FAMILIES = ("avg", "pass@k", "pass^k", "g-pass@k", "maj@k", "auc@k", "geom@k", "max@k")
_CODE = ("data/counts.py", "kernels", "metrics", "analysis/methods")  # what the results depend on


class Unit(NamedTuple):
    """One piece of work."""

    difficulty: str
    questions: int
    trials: int

    def __str__(self) -> str:
        return f"{self.difficulty}/{self.questions}/{self.trials}"


class Asked(NamedTuple):
    """A metric, and where it stands in the table."""

    family: str
    k: int
    metric: CountMetric


@dataclass(frozen=True)
class Settings:
    """How thorough the study is."""

    replicates: int = 1000
    most_questions: int = max(QUESTIONS)
    level: float = LEVEL
    targets: tuple[Estimand, ...] = ESTIMANDS
    sample: int | None = None  # seed of a stratified sample of the units

    def units(self, only: Sequence[str] = ()) -> list[Unit]:
        """The units, or those that some pattern such as hard/30/16, hard or /30/ fits.

        A sample has one unit for each number of questions and of trials, whose difficulty is drawn
        so that all occur about equally often.
        """
        sizes = [(m, n) for m in QUESTIONS if m <= self.most_questions for n in TRIALS]
        if self.sample is None:
            every = [Unit(name, *size) for name in DIFFICULTIES for size in sizes]
        else:
            rng = np.random.default_rng(self.sample)
            rounds = math.ceil(len(sizes) / len(DIFFICULTIES))
            names = [name for _ in range(rounds) for name in rng.permutation(list(DIFFICULTIES))]
            every = [Unit(str(name), *size) for name, size in zip(names, sizes, strict=False)]
        return [unit for unit in every if not only or any(_fits(unit, each) for each in only)]

    def identity(self) -> str:
        """What a result depends on: the code, the level, the replicates, the targets."""
        targets = "" if self.targets == ESTIMANDS else f", {' and '.join(self.targets)} only"
        made_by = f"errbar {errbar.__version__} {code()}"
        return f"{made_by}, {self.level:g}, {self.replicates} replicates{targets}"


QUICK = Settings(replicates=100, most_questions=300)


def asked(trials: int) -> list[Asked]:
    """All metrics at k = N and k = N/2."""
    found = [Asked("avg", 1, Average())]
    for k in dict.fromkeys((trials, max(trials // 2, 1))):
        found += [
            Asked("pass@k", k, PassAt(k)),
            Asked("pass^k", k, PassHat(k)),
            Asked("g-pass@k", k, GPass(k, 0.5)),
            Asked("maj@k", k, Majority(k)),
            Asked("auc@k", k, AreaUnderPass(k)),
            Asked("geom@k", k, Geom(k)),
            Asked("max@k", k, MaxAt(k, (0.2, 0.7))),
        ]
    return found


def code() -> str:
    """A short digest of the code that makes the intervals."""
    root = Path(errbar.__file__).parent
    files = [path for name in _CODE for path in sorted((root / name).glob("*.py")) or [root / name]]
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:10]


def _fits(unit: Unit, pattern: str) -> bool:
    wanted = [*pattern.split("/"), "", ""][:3]
    return all(not each or each == str(part) for each, part in zip(wanted, unit, strict=True))
