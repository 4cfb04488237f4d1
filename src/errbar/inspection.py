"""What is in the data, and whether errbar gets the numbers that a log states of itself."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from errbar.data.origin import NOWHERE, TALLIES, Claim, Origin
from errbar.data.slices import Slice, without_cluster
from errbar.results import Result
from errbar.tables import counted


@dataclass(frozen=True, slots=True)
class Agreement:
    """A number that a log states, and what errbar gets for it."""

    claim: Claim
    value: float
    reason: str = ""  # why errbar gets none

    @property
    def holds(self) -> bool:
        """Whether the two are the same, to the digits that the log states."""
        return abs(self.value - self.claim.value) <= 0.5000001 * 10.0**-self.claim.digits

    def __str__(self) -> str:
        claim = self.claim
        whose = " · ".join(part for part in (claim.system, claim.task) if part)
        says = f"the log says {claim.name} {claim.value:.{claim.digits}g}"
        says = f"{whose}: {says}" if whose else says
        asked = f"{claim.metric}, errors={claim.errors!r}"
        if claim.metric in TALLIES:
            asked = f"{claim.metric} counted"
        if self.reason:
            return f"{says}; errbar gets none for {asked}: {self.reason}"
        same = "the same" if self.holds else "NOT THE SAME"
        return f"{says}, errbar gets {self.value:.{claim.digits}g} ({asked}): {same}."


@dataclass(frozen=True, repr=False)
class Inspection(Result):
    """What is in the data: systems, tasks, questions, trials, statuses, what was guessed."""

    slices: tuple[Slice, ...]
    statuses: dict[str, int]
    guessed: str
    repeated: str = ""  # what there is to say of trials that occur twice
    origin: Origin = NOWHERE
    agreements: tuple[Agreement, ...] = ()

    def summary(self) -> str:
        """One line."""
        systems = {one.key[0] for one in self.slices}
        tasks = {one.key[1] for one in self.slices}
        questions = sum(int(one.questions.sum()) for one in self.slices)
        rows = sum(one.rows for one in self.slices)
        return (
            f"{counted(len(systems), 'system')}, {counted(len(tasks), 'task')}, "
            f"{counted(questions, 'pair')} of a system and a question, {counted(rows, 'row')}"
        )

    def to_dicts(self) -> list[dict[str, Any]]:
        """A flat record per system and task."""
        return [
            {
                "system": one.key[0],
                "task": one.key[1],
                "questions": int(one.questions.sum()),
                "rows": one.rows,
                "failed": one.failed,
                "unscored": one.ungraded,
                "least_trials": int(one.trials.min()),
                "median_trials": float(np.median(np.repeat(one.trials, one.questions))),
                "most_trials": int(one.trials.max()),
                "binary": one.is_binary,
            }
            for one in self.slices
        ]

    def columns(self) -> list[list[str]]:
        """The table as text, each column from its head down; `unscored` where there are any."""
        rows = self.to_dicts()
        heads = [head for head in rows[0] if head != "unscored" or any(row[head] for row in rows)]
        return [[head.replace("_", " "), *(f"{row[head]}" for row in rows)] for head in heads]

    def notes(self) -> list[str]:
        """What stands under the table."""
        notes = [f"{self.summary()}."]
        if self.statuses:
            notes.append("Status: " + ", ".join(f"{k} {v}" for k, v in self.statuses.items()) + ".")
        if self.repeated:
            notes.append(self.repeated)
        notes += _clusters_in(self.slices)
        notes += _weights_in(self.slices)
        if self.guessed:
            notes.append(f"Columns: {self.guessed}.")
        return [*notes, *self.origin.notes(), *map(str, self.agreements)]


def _weights_in(slices: tuple[Slice, ...]) -> list[str]:
    """Between what weights of questions lie."""
    found = [one.weights for one in slices if one.weights is not None]
    if not found:
        return []
    least, most = (float(end(np.concatenate(found))) for end in (np.min, np.max))
    return [f"Questions weigh {least:g}{f' to {most:g}' if most > least else ' each'}."]


def _clusters_in(slices: tuple[Slice, ...]) -> list[str]:
    """How many clusters a system and task has, and how many questions are in none."""
    found = [np.unique(one.clusters).size for one in slices if one.clusters is not None]
    if not found:
        return []
    least, most = min(found), max(found)
    some = counted(most, "cluster") if least == most else f"{least} to {most} clusters"
    each = " for each system and task" if len(found) > 1 else ""
    alone = without_cluster(slices)
    return [f"{some} of questions{each}{f'; {alone}' if alone else '.'}"]
