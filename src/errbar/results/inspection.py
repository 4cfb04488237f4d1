"""Inspection of the data: their contents, and agreement with the numbers that a log states."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from errbar.base.files import without_endings
from errbar.base.remarks import counted, setting
from errbar.base.tables import Headline, Table, Tone
from errbar.data.queries.questions import Slice, without_cluster
from errbar.data.readers.logs import COMPANION, NOWHERE, TALLIES, Accounts, Claim, Origin
from errbar.results.base import Result
from errbar.results.estimate import EqualByValue

_MOST_NAMED, _LONGEST = 3, 60  # names in a title, and their characters


@dataclass(frozen=True, slots=True, eq=False)
class Agreement(EqualByValue):
    """A number stated by a log, and the number that errbar computes."""

    claim: Claim
    value: float
    reason: str = ""  # why errbar computes none

    @property
    def holds(self) -> bool:
        """Whether the two agree to the digits of the stated number."""
        return abs(self.value - self.claim.value) <= 0.5000001 * 10.0**-self.claim.digits

    def __str__(self) -> str:
        claim = self.claim
        subject = " · ".join(part for part in (claim.system, claim.task) if part)
        claimed = f"the log says {claim.name} {claim.value:.{claim.digits}g}"
        claimed = f"{subject}: {claimed}" if subject else claimed
        computed_as = f"{claim.metric}, {setting('errors', claim.errors)}"
        if claim.metric in TALLIES:
            computed_as = f"{claim.metric} counted"
        if self.reason:
            return f"{claimed}; errbar gets none for {computed_as}: {self.reason}"
        same = "the same" if self.holds else "NOT THE SAME"
        return f"{claimed}, errbar gets {self.value:.{claim.digits}g} ({computed_as}): {same}."


@dataclass(frozen=True, repr=False, kw_only=True)
class Inspection(Result):
    """Contents of the data: systems, tasks, questions, trials, statuses and guesses."""

    slices: tuple[Slice, ...]
    statuses: dict[str, int]
    repeated: str = ""  # remark on trials that occur twice
    origin: Origin = NOWHERE
    agreements: tuple[Agreement, ...] = ()
    remarks: tuple[str, ...] = ()  # on rows that can be read in two ways
    examples: tuple[dict[str, str], ...] = ()  # some rows, by the meaning of their columns
    of_counts: bool = False  # whether a row of the data has the counts of several trials

    def summary(self) -> str:
        """The contents in one line."""
        systems = {part.key[0] for part in self.slices}
        tasks = {part.key[1] for part in self.slices}
        sizes = sorted({int(part.questions.sum()) for part in self.slices})
        rows = sum(part.rows for part in self.slices)
        size = counted(sizes[0], "question")
        if len(sizes) > 1:
            size = f"{sizes[0]} to {sizes[-1]} questions"
        times = [counted(len(tasks), "task")] if len(tasks) > 1 else []
        times += [counted(len(systems), "system")] if len(systems) > 1 else []
        is_crossed = len({part.key for part in self.slices}) == len(systems) * len(tasks)
        sizes_text = (" x " if is_crossed else ", ").join([size, *times])
        return f"{sizes_text}, {counted(rows, 'trial' if self.of_counts else 'row')}"

    def read(self) -> str:
        """What was read, and whether it agrees with the log, as a sentence."""
        files = sum(not account.skipped for account in self.origin.accounts.values())
        sentence = f"Read {counted(files, 'file')}: " if files else "Read "
        sentence += self.summary()
        if self.agreements:
            confirmed = sum(agreement.holds for agreement in self.agreements)
            all_hold = confirmed == len(self.agreements)
            sentence += f"; {'✓ ' if all_hold else ''}agrees with "
            sentence += f"all {confirmed}" if all_hold else f"{confirmed} of {len(self.agreements)}"
            sentence += " numbers that the log states"
            sentence = sentence.replace("with all 1 numbers", "with the number")
        return f"{sentence}."

    def conclusion(self) -> Headline | None:
        """What was read."""
        return Headline(self.read().removesuffix("."), ".", Tone.STRONG)

    def title(self) -> str:
        """The title of the data: the systems, and the task or else the file or folder."""
        systems, tasks = (
            list(dict.fromkeys(part.key[at] for part in self.slices)) for at in (0, 1)
        )
        who = _names_text(systems, "system")
        if len(tasks) > 1:
            return f"{who} on {_names_text(tasks, 'task')}"
        files = [path for path, file in self.origin.accounts.items() if not file.skipped]
        folders = {path.parent.name for path in files}
        place = (
            without_endings(files[0])
            if len(self.origin.accounts) == 1
            else folders.pop()
            if len(folders) == 1
            else ""
        )
        where = tasks[0] or place
        if where and systems == [""]:
            return where
        return f"{who} on {where}" if where not in ("", who) else who

    def facts(self) -> list[tuple[str, str]]:
        """The numbers of systems, tasks, questions and trials, with their nouns."""
        sizes = [int(part.questions.sum()) for part in self.slices]
        trials = [int(number) for part in self.slices for number in part.trials if number] or [0]
        systems, tasks = (len({part.key[at] for part in self.slices}) for at in (0, 1))
        ranges = {
            "system": (systems, systems),
            "task": (tasks, tasks),
            "question": (min(sizes), max(sizes)),  # of a system on a task, as in `summary`
            "trial": (min(trials), max(trials)),
        }
        if tasks == 1:
            del ranges["task"]
        return [
            (f"{low:,}–{high:,}" if low < high else f"{high:,}", noun if high == 1 else f"{noun}s")
            for noun, (low, high) in ranges.items()
        ]

    def to_dicts(self) -> list[dict[str, Any]]:
        """A flat record per system and task."""
        return [
            {
                "system": part.key[0],
                "task": part.key[1],
                "questions": int(part.questions.sum()),
                "rows": part.rows,
                "failed": part.failed,
                "unscored": part.ungraded,
                "least_trials": int(part.trials.min()),
                "median_trials": float(np.median(np.repeat(part.trials, part.questions))),
                "most_trials": int(part.trials.max()),
                "binary": part.is_binary,
            }
            for part in self.slices
        ]

    def columns(self) -> list[list[str]]:
        """Columns as text; `unscored` is left out if there are none."""
        rows = self.to_dicts()
        names = {"rows": "trials" if self.of_counts else "rows"}
        columns = [
            [names.get(head, head), *(f"{row[head]}" for row in rows)]
            for head in ("system", "task", "questions", "rows", "failed", "unscored")
            if head in ("questions", "rows", "failed") or any(row[head] for row in rows)
        ]
        return [
            *columns,
            ["trials each", *map(_trials_each, rows)],
            ["outcomes", *("right or wrong" if row["binary"] else "other" for row in rows)],
        ]

    drops: ClassVar[tuple[str, ...]] = ("outcomes", "trials each", "rows", "task")

    def notes(self) -> list[str]:
        """Notes that are printed with the table."""
        notes = [self.read()]
        if self.statuses:
            notes.append(
                "Status: " + ", ".join(f"{k} {v:,}" for k, v in self.statuses.items()) + "."
            )
        if self.repeated:
            notes.append(self.repeated)
        notes += _clusters_in(self.slices)
        notes += _weights_in(self.slices)
        notes += _files_in(self.origin.accounts, sum(part.rows for part in self.slices))
        remarks = [*self.remarks, *self.origin.notes()]
        return [*notes, *remarks, *map(str, self.agreements)]

    def parts(self) -> list[Table | str]:
        """The contents, and some example rows."""
        tables = super().parts()
        if self.examples:
            heads = dict.fromkeys(name for row in self.examples for name in row)
            columns = [[name, *(row.get(name, "") for row in self.examples)] for name in heads]
            columns = [column for column in columns if any(column[1:])]
            caption = "The first rows; columns are named by their meaning."
            drops = ["trial", *(name for name in reversed(heads) if name not in _ALWAYS)]
            tables.append(Table(columns, [caption], drops=drops))
        return tables


_ALWAYS = ("system", "question", "outcome")  # columns of rows that a narrow terminal keeps


def _trials_each(row: dict[str, Any]) -> str:
    """Range of the trials of a question, with the median if they differ."""
    least, most = row["least_trials"], row["most_trials"]
    return str(most) if least == most else f"{least} to {most} (median {row['median_trials']:g})"


def _files_in(accounts: Accounts, rows: int) -> list[str]:
    """Number of files that were not read, and of rows in files if it is another than that read."""
    own = sum(account.rows for account in accounts.values() if not account.skipped)
    notes = [f"The files have {counted(own, 'row')}."] if own not in (0, rows) else []
    lost = sum(account.skipped not in ("", COMPANION) for account in accounts.values())
    return [*notes, *([f"{counted(lost, 'file')} not read."] if lost else [])]


def _weights_in(slices: tuple[Slice, ...]) -> list[str]:
    """Range of the weights of questions."""
    weights = [part.weights for part in slices if part.weights is not None]
    if not weights:
        return []
    least, most = (float(end(np.concatenate(weights))) for end in (np.min, np.max))
    return [f"Questions weigh {least:g}{f' to {most:g}' if most > least else ' each'}."]


def _clusters_in(slices: tuple[Slice, ...]) -> list[str]:
    """Number of clusters per system and task, and of questions without one."""
    sizes = [np.unique(part.clusters).size for part in slices if part.clusters is not None]
    if not sizes:
        return []
    least, most = min(sizes), max(sizes)
    some = counted(most, "cluster") if least == most else f"{least} to {most} clusters"
    scope = " for each system and task" if len(sizes) > 1 else ""
    alone = without_cluster(slices)
    return [f"{some} of questions{scope}{f'; {alone}' if alone else '.'}"]


def _names_text(names: list[str], noun: str) -> str:
    """Return a few short names as a series, or else their number."""
    series = " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)
    short = len(names) <= _MOST_NAMED and 0 < len(series) <= _LONGEST
    return series if short else counted(len(names), noun)
