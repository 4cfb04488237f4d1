"""Overview of the data: which system is better, all scores side by side, and what was read."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from errbar.base.remarks import (
    Caution,
    OnCommon,
    add_conditions,
    all_of,
    explanations,
    marked,
    unmarked,
    warning,
)
from errbar.base.tables import Headline, Table, Tone, interval_column, score_head, score_text
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

    def conclusion(self) -> Headline | None:
        """Which system is better, or the score of a single system."""
        if self.reason:
            return Headline(self.reason.removesuffix("."), ".", Tone.DIM)
        if self.compared is not None and (len(self.compared) == 1 or self.ranked is None):
            return self.compared.conclusion()
        return self.scores.conclusion() if self.ranked is None else self.ranked.conclusion()

    def verdicts(self) -> list[str]:
        """The comparison of systems, in sentences."""
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
        return _columns(self.scores, self._board(), self._on_common())

    def notes(self) -> list[str]:
        """Notes on the data, the scores and the comparison."""
        return [
            self.inspection.read(),
            *self.verdicts(),
            *self._disagreements(),
            *self.scores.notes(),
        ]

    def parts(self) -> list[Table | str]:
        """The conclusion and warnings, ranks over several tasks, the scores, and the pairs."""
        pairs = [] if self.compared is None else self.compared.notes()
        cautions = [note for note in pairs if isinstance(note, Caution)]
        notes = [*self._disagreements(), *self.scores.notes(), *cautions]
        if self._on_common():
            sizes = self.compared.sizes() if self.compared and len(self.compared) == 1 else []
            notes = [n for n in notes if not isinstance(n, OnCommon) and n not in sizes]
        columns = self.columns()
        tables = [
            Table(
                columns=columns,
                notes=unmarked(notes),
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
        tables[-1] = replace(tables[-1], notes=[*tables[-1].notes, self.inspection.read()])
        return [*tables]

    def _board(self) -> Leaderboard | None:
        """The ranks, if they are of the only task."""
        return self.ranked if self.ranked is not None and len(self.ranked.tasks) == 1 else None

    def _on_common(self) -> dict[Subject, str]:
        """Scores that verdict and ranks are based on, if systems have other questions as well."""
        board = self._board()
        if board is not None and board.left_out:
            task, known = (
                next(iter(board.tasks)),
                [(row.system, row.value, row.sd) for row in board],
            )
        elif self.compared is not None and len(self.compared) == 1 and self.compared[0].left_out:
            pair = self.compared[0]
            task = pair.task
            known = [(pair.first, pair.value, pair.sd), (pair.second, pair.against, pair.sd)]
        else:
            return {}
        return {Subject(name, task): score_text(value, sd) for name, value, sd in known}

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


def _columns(
    scores: Scores, board: Leaderboard | None, on_common: Mapping[Subject, str]
) -> list[list[str]]:
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
    if on_common:
        columns.insert(
            3,
            [
                score_head(f"{scores[0].metric} in common"),
                *(on_common.get(of, "") for of in subjects),
            ],
        )
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
