"""Every question with what each system made of it, for looking them up in the page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from errbar.data.named import Named
from errbar.data.sources import Source


@dataclass(frozen=True)
class Questions:
    """The questions of one task: trials and right ones of each system, in columns."""

    task: str
    names: tuple[str, ...]
    clusters: tuple[str, ...]  # empty where no question is in one
    systems: tuple[str, ...]
    trials: list[list[int]]  # of each system, by question; 0 where it has none
    right: list[list[int]]

    def record(self) -> dict[str, Any]:
        """What the page keeps; the same number of trials everywhere is kept once."""
        known = {n for each in self.trials for n in each}
        return {
            "task": self.task,
            "names": self.names,
            "clusters": self.clusters,
            "systems": self.systems,
            "trials": known.pop() if len(known) == 1 else self.trials,
            "right": self.right,
        }


def questions_of(source: Source, systems: Sequence[str] | None = None) -> list[Questions]:
    """Every task whose outcomes are right or wrong."""
    tasks: dict[str, dict[str, Named]] = {}
    for (system, task), named in source.named().items():
        if named.slice.is_binary and (systems is None or system in systems):
            tasks.setdefault(task, {})[system] = named
    return [_task(task, each) for task, each in tasks.items()]


def _task(task: str, systems: dict[str, Named]) -> Questions:
    clusters = {
        question: cluster
        for named in systems.values()
        for question, cluster in zip(named.questions, named.clusters, strict=True)
    }
    place = {name: at for at, name in enumerate(sorted(clusters))}
    trials, right = np.zeros((2, len(systems), len(place)), dtype=np.int64)
    for row, named in enumerate(systems.values()):
        at = [place[name] for name in named.questions]
        trials[row, at], right[row, at] = named.slice.trials, named.slice.right
    some = any(clusters.values())
    return Questions(
        task,
        tuple(place),
        tuple(clusters[name] for name in place) if some else (),
        tuple(systems),
        trials.tolist(),
        right.tolist(),
    )
