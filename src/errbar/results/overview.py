"""Overview of the data: which system is better, all scores side by side, and what was read."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from errbar.base.remarks import (
    Caution,
    add_conditions,
    all_of,
    counted,
    explanations,
    marked,
    unmarked,
    warning,
)
from errbar.base.tables import Headline, Table, Tone, interval_column
from errbar.metrics.base import Direction
from errbar.results.base import Result, size_columns
from errbar.results.comparison import Comparison
from errbar.results.comparisons import Comparisons
from errbar.results.estimate import Estimate, Subject
from errbar.results.inspection import Inspection
from errbar.results.leaderboard import Leaderboard
from errbar.results.scores import Scores

MOST_COMPARED = 3  # systems up to which pairs are compared
NOT_COMPARED = "Systems are not compared"


@dataclass(frozen=True, repr=False)
class Overview(Result):
    """What was read, the scores, and the comparison of systems."""

    inspection: Inspection
    scores: Scores
    compared: Comparisons | None = None
    ranked: Leaderboard | None = None
    reason: str = ""  # why there is no comparison

    def read(self) -> str:
        """What was read, as a sentence."""
        accounts = self.inspection.origin.accounts
        files = sum(not account.skipped for account in accounts.values())
        sentence = f"Read {counted(files, 'file')}: " if files else "Read "
        sentence += self.inspection.summary()
        agreements = self.inspection.agreements
        if agreements:
            confirmed = sum(agreement.holds for agreement in agreements)
            all_hold = confirmed == len(agreements)
            sentence += f"; {'✓ ' if all_hold else ''}agrees with "
            sentence += f"all {confirmed}" if all_hold else f"{confirmed} of {len(agreements)}"
            sentence += " numbers that the log states"
            sentence = sentence.replace("with all 1 numbers", "with the number")
        return f"{sentence}."

    def conclusion(self) -> Headline | None:
        """Which system is better, or the score of a single system."""
        if self.reason:
            return Headline(NOT_COMPARED, ".", Tone.DIM)
        if self.compared is not None and (len(self.compared) == 1 or self.ranked is None):
            return self.compared.conclusion()
        return self.scores.conclusion() if self.ranked is None else self.ranked.conclusion()

    def verdicts(self) -> list[str]:
        """The comparison of systems, in sentences."""
        if self.reason:
            return [self.reason]
        sentence = self.conclusion()
        several = self.compared is not None and len(self.compared) > 1
        return [
            *([sentence.claim + sentence.rest] if sentence is not None else []),
            *(map(_of_pair, self.compared or ()) if several else ()),
        ]

    def to_dicts(self) -> list[dict[str, Any]]:
        """The scores, a flat record each."""
        return self.scores.to_dicts()

    def columns(self) -> list[list[str]]:
        """The scores as text, a row per system and task."""
        return _columns(self.scores, self._board())

    def notes(self) -> list[str]:
        """Notes on the data, the scores and the comparison."""
        return [self.read(), *self.verdicts(), *self._disagreements(), *self.scores.notes()]

    def parts(self) -> list[Table | str]:
        """The conclusion and warnings, ranks over several tasks, the scores, and the pairs."""
        pairs = [] if self.compared is None else self.compared.notes()
        cautions = [note for note in pairs if isinstance(note, Caution)]
        notes = [*self._disagreements(), *self.scores.notes(), *cautions]
        columns = self.columns()
        tables = [
            Table(
                columns=columns,
                notes=[*filter(None, [self._why_not(), self._basis()]), *unmarked(notes)],
                breaks=_breaks(columns),
                footer=add_conditions(self.scores.footer(), notes),
                explanation=[
                    note for note in explanations(notes) if note != self.scores.definition()
                ],
                drops=_drops(columns),
            )
        ]
        if self.ranked is not None and self._board() is None:
            tables.insert(0, _below(self.ranked, "Ranks: by the average over tasks."))
        if self.compared is not None:
            together = self.compared.together
            line = f"Differences: simultaneous for {all_of(together, 'comparison')} (Bonferroni)."
            tables.append(_below(self.compared, line if together > 1 else ""))
        tables[0] = replace(tables[0], conclusion=self.conclusion(), above=marked(notes))
        tables[-1] = replace(tables[-1], notes=[*tables[-1].notes, self.read()])
        return [*tables]

    def _board(self) -> Leaderboard | None:
        """The ranks, if they are of the only task."""
        return self.ranked if self.ranked is not None and len(self.ranked.tasks) == 1 else None

    def _why_not(self) -> str:
        """The reason why there is no comparison, under a headline."""
        why = self.reason.removeprefix(f"{NOT_COMPARED}: ")
        return f"{why[:1].upper()}{why[1:]}"

    def _basis(self) -> str:
        """The questions behind the verdict and the ranks, if scores are based on more."""
        pair = self.compared[0] if self.compared is not None and len(self.compared) == 1 else None
        ranks = "Ranks" if self.ranked is not None else ""
        if pair is not None:
            systems, tasks, questions = {pair.first, pair.second}, {pair.task}, pair.questions
            words = f"{f'Verdict and {ranks.lower()}' if ranks else 'Verdict'}: on", "both systems"
        elif self.ranked is not None:
            systems, tasks = {row.system for row in self.ranked}, set(self.ranked.tasks)
            questions, words = self.ranked.questions, (f"{ranks}: on", "all systems")
        else:
            return ""
        sizes = dict.fromkeys(systems, 0)
        for row in self.scores.only(metric=str(self.scores[0].metric)):
            if row.system in systems and row.task in tasks:
                sizes[row.system] += row.questions
        if not 0 < questions < max(sizes.values()):
            return ""
        return f"{words[0]} the {counted(questions, 'question')} that {words[1]} have."

    def _disagreements(self) -> list[str]:
        """Numbers that the log states and errbar does not reproduce."""
        agreements = self.inspection.agreements
        return [warning(str(agreement)) for agreement in agreements if not agreement.holds]


def _below(result: Result, note: str) -> Table:
    """The table of a result without the remarks above it, and without the columns dropped first."""
    notes = result.notes()
    return Table(
        columns=[column for column in result.columns() if column[0] not in result.drops[:2]],
        notes=[note] if note else [],
        breaks=result.breaks(),
        explanation=explanations(notes),
        drops=result.drops,
        tones=result.tones,
    )


def _columns(scores: Scores, board: Leaderboard | None) -> list[list[str]]:
    """A row per system and task, the best first, and a column per metric."""
    by_subject: dict[Subject, dict[str, Estimate]] = {}
    for estimate in scores:
        by_subject.setdefault(estimate.of, {})[str(estimate.metric)] = estimate
    subjects = _best_first(by_subject)
    columns = [
        ["system", *(of.system for of in subjects)],
        ["task", *(of.task for of in subjects)],
    ]
    for metric in dict.fromkeys(str(estimate.metric) for estimate in scores):
        rows = [by_subject[of][metric] for of in subjects]
        numbers = ((each.value, each.low, each.high, each.sd) for each in rows)
        titles = (each.interval.title for each in rows)
        columns.append(interval_column(metric, titles, numbers))
    columns += size_columns([next(iter(by_subject[of].values())) for of in subjects])
    if board is not None:
        ranks = dict(zip((row.system for row in board), board.rank_ranges(), strict=True))
        cells = [ranks.get(of.system, "") if of.task in board.tasks else "" for of in subjects]
        columns.insert(0, ["rank", *cells])
    return [column for column in columns if any(column[1:])]


def _best_first(by_subject: dict[Subject, dict[str, Estimate]]) -> list[Subject]:
    """Subjects by task, in each task from the best score down; those without a score last."""
    tasks = list(dict.fromkeys(of.task for of in by_subject))

    def place(of: Subject) -> tuple[int, bool, float]:
        estimate = next(iter(by_subject[of].values()))
        sign = -1.0 if estimate.metric.direction is Direction.HIGHER else 1.0
        unknown = math.isnan(estimate.value)
        return tasks.index(of.task), unknown, 0.0 if unknown else sign * estimate.value

    return sorted(by_subject, key=place)


def _breaks(columns: Sequence[Sequence[str]]) -> set[int]:
    """Rows that begin another task."""
    tasks = next((cells for head, *cells in columns if head == "task"), [])
    if len(set(tasks)) == len(tasks):
        return set()
    return {at for at in range(1, len(tasks)) if tasks[at] != tasks[at - 1]}


def _drops(columns: Sequence[Sequence[str]]) -> list[str]:
    """Columns that a narrow terminal leaves out: sizes, then metrics from the last."""
    metrics = [head for head, *_ in columns if head.endswith("]")]
    return ["trials", "questions", "task", "clusters", *metrics[:0:-1], "rank"]


def _of_pair(comparison: Comparison) -> str:
    """The verdict on a pair in a sentence, with its task."""
    return f"{comparison.task}: ".removeprefix(": ") + "".join(comparison.headline())
