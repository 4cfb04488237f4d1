"""What is in the data, and whether errbar gets the numbers that a log states of itself."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from errbar.data.accounts import COMPANION, Accounts
from errbar.data.origin import NOWHERE, TALLIES, Claim, Origin
from errbar.data.slices import Slice, without_cluster
from errbar.results import Result
from errbar.tables import Table, counted


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
    repeated: str = ""  # what there is to say of trials that occur twice
    origin: Origin = NOWHERE
    agreements: tuple[Agreement, ...] = ()
    remarks: tuple[str, ...] = ()  # what two readings of the rows give
    examples: tuple[dict[str, str], ...] = ()  # some rows, by what their columns mean

    def summary(self) -> str:
        """One line."""
        systems = {one.key[0] for one in self.slices}
        tasks = {one.key[1] for one in self.slices}
        sizes = sorted({int(one.questions.sum()) for one in self.slices})
        rows = sum(one.rows for one in self.slices)
        each = counted(sizes[0], "question")
        if len(sizes) > 1:
            each = f"{sizes[0]} to {sizes[-1]} questions"
        times = [counted(len(tasks), "task")] if len(tasks) > 1 else []
        times += [counted(len(systems), "system")] if len(systems) > 1 else []
        return f"{' x '.join([each, *times])}, {counted(rows, 'row')}"

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
        notes += _files_in(self.origin.accounts)
        said = [*self.remarks, *self.origin.notes()]
        return [*notes, *said, *map(str, self.agreements)]

    def parts(self) -> list[Table]:
        """What there is, and some of its rows."""
        found = super().parts()
        if self.examples:
            heads = dict.fromkeys(name for row in self.examples for name in row)
            shown = [[name, *(row.get(name, "") for row in self.examples)] for name in heads]
            found.append(Table(shown, ["The first rows, by what their columns mean."]))
        return found

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.parts()))


def _files_in(accounts: Accounts) -> list[str]:
    """How many files were read, and what became of their rows."""
    read = [one for one in accounts.values() if not one.skipped]
    if not read:
        return []
    held = sum(one.rows for one in read)
    said = f"{counted(len(read), 'file')} read"
    if held:
        said += f" with {counted(held, 'row')}"
    lost = sum(one.skipped not in ("", COMPANION) for one in accounts.values())
    if lost:
        said += f", {counted(lost, 'file')} not read"
    return [f"{said}."]


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
