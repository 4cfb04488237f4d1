"""What is in the data, whether it agrees with what the log states, and a first overview."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from errbar.base.remarks import above, below
from errbar.base.tables import Table, counted, percent, supported, wrapped
from errbar.data.provenance import COMPANION, NOWHERE, TALLIES, Accounts, Claim, Origin
from errbar.data.queries.slices import Slice, without_cluster
from errbar.results.base import Result
from errbar.results.comparison import Comparison, Comparisons
from errbar.results.leaderboard import Leaderboard
from errbar.results.scores import Scores


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


MOST_COMPARED = 3  # systems whose pairs are told one by one; more are ranked


@dataclass(frozen=True, repr=False)
class Overview(Result):
    """What was read, the scores, and who is better."""

    inspection: Inspection
    scores: Scores
    compared: Comparisons | None = None
    ranked: Leaderboard | None = None
    reason: str = ""  # why nobody is compared

    def read(self) -> str:
        """What was read, in a sentence."""
        accounts = self.inspection.origin.accounts
        files = sum(not one.skipped for one in accounts.values())
        said = f"Read {counted(files, 'file')}: " if files else "Read "
        said += self.inspection.summary()
        agreements = self.inspection.agreements
        if agreements:
            held = sum(one.holds for one in agreements)
            said += f"; errbar gets {held} of the {len(agreements)} numbers that the log states"
        return f"{said}."

    def verdicts(self) -> list[str]:
        """Who is better, in sentences."""
        if self.compared is not None:
            return [sentence_of(one) for one in self.compared]
        if self.ranked is not None:
            best = [row.system for row in self.ranked if row.best_rank == 1]
            if len(best) == 1:
                return [f"{best[0]} is the best by {self.ranked.metric}."]
            shown = ", ".join(best[:5]) + (f" and {len(best) - 5} more" if len(best) > 5 else "")
            return [f"Inconclusive by {self.ranked.metric}: any of {shown} may be the best."]
        return [self.reason] if self.reason else []

    def to_dicts(self) -> list[dict[str, Any]]:
        """The scores, a flat record each."""
        return self.scores.to_dicts()

    def columns(self) -> list[list[str]]:
        """The scores as text."""
        return self.scores.columns()

    def breaks(self) -> set[int]:
        """The rows of the scores that begin a new group."""
        return self.scores.breaks()

    def notes(self) -> list[str]:
        """What is said of the data, the scores and the comparison."""
        failed = [str(one) for one in self.inspection.agreements if not one.holds]
        return [self.read(), *self.verdicts(), *failed, *self.scores.notes()]

    def parts(self) -> list[Table | str]:  # type: ignore[override]  # sentences between tables
        """What was read and who is better, and then the scores."""
        notes = self.scores.notes()
        failed = [str(one) for one in self.inspection.agreements if not one.holds]
        first = [*above(notes), *failed]
        scores = Table(self.scores.columns(), below(notes), self.scores.breaks())
        found: list[Table | str] = ["\n".join(wrapped([*first, self.read()]))]
        if self.verdicts():
            found.append("\n".join(wrapped(self.verdicts())))
        if self.ranked is not None:
            found.append(Table(self.ranked.columns(), (), self.ranked.breaks()))
        return [*found, scores]

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.parts()))


def sentence_of(one: Comparison) -> str:
    """Who is better by how much, in a sentence."""
    task = f"{one.task}: " if one.task else ""
    gap, low, high = (
        supported(abs(x), one.sd) for x in (one.difference, one.interval.low, one.interval.high)
    )
    level = f"{percent(one.interval.level).replace(' ', '')} CI"
    if one.reason:
        return f"{task}{one.one} against {one.other} by {one.metric}: {one.reason}."
    if one.better:
        worse = one.other if one.better == one.one else one.one
        ends = sorted([low, high], key=float)
        caution = f"; caution: {one.caution}" if one.caution else ""
        return (
            f"{task}{one.better} beats {worse} by {gap} {one.metric} "
            f"({level} {ends[0]} to {ends[1]}){caution}."
        )
    low, high = (supported(x, one.sd) for x in (one.interval.low, one.interval.high))
    return (
        f"{task}{one.one} against {one.other}: inconclusive (difference in {one.metric} "
        f"{supported(one.difference, one.sd)}, {level} {low} to {high})."
    )
