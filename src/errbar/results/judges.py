"""Results on judges: agreement of raters, scores corrected by labels, and what to label next."""

import csv
import io
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from errbar.base.files import atomic_file
from errbar.base.markup import inert_csv
from errbar.base.remarks import Explanation, counted, way_to_say
from errbar.base.tables import (
    DASH,
    Headline,
    align_points,
    interval_column,
    interval_title,
    score_head,
    score_text,
)
from errbar.results.base import Result, Rows
from errbar.results.estimate import Estimate, HasInterval, Interval, coverage_line, record_of
from errbar.results.scores import Scores


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AgreementRow(HasInterval):
    """One number about the raters."""

    about: str  # agreement, confusion, bias, …
    measure: str
    value: float
    sd: float
    interval: Interval
    items: int  # answers behind it
    of: tuple[str, ...] = ()  # the trusted and the other rating, or the values of a column

    def record(self) -> dict[str, Any]:
        """A flat record for a DataFrame or JSON."""
        return record_of(self, "about", "measure", "value", "sd", "interval", "items")


@dataclass(frozen=True, slots=True, repr=False)
class RaterAgreement(Rows[AgreementRow]):
    """What is known of the agreement of raters."""

    raters: tuple[str, ...]
    method: str
    remarks: tuple[str, ...] = ()
    drops: ClassVar[tuple[str, ...]] = ("answers",)

    def columns(self) -> list[list[str]]:
        """Return the columns as text, each beginning with its head."""
        return [
            ["about", *(row.about for row in self.rows)],
            ["measure", *(row.measure for row in self.rows)],
            self.column_of("value", "value"),
            ["answers", *(str(row.items) for row in self.rows)],
        ]

    def breaks(self) -> set[int]:
        """Rows that begin another subject."""
        abouts = [row.about for row in self.rows]
        return {at for at in range(1, len(abouts)) if abouts[at] != abouts[at - 1]}

    def notes(self) -> list[str]:
        """The method, and remarks on the ratings."""
        return [Explanation(f"Method: {self.method}."), *self.remarks]

    def conclusion(self) -> Headline | None:
        """How often the raters agree."""
        first = self.rows[0]
        if first.about == "position":
            return self._on_positions()
        if first.about == "bias":
            return self._on_bias(first)
        low, high = (f"{end:.2f}" for end in (first.interval.low, first.interval.high))
        who = " and ".join(self.raters) if len(self.raters) == 2 else f"{len(self.raters)} raters"
        share = f"{first.value:.2f} of {counted(first.items, 'answer')}"
        return Headline(f"{who} agree on {share}", f" ({first.interval.title} {low} to {high}).")

    def _on_bias(self, row: AgreementRow) -> Headline:
        """The bias of the ratings, where they have too many values to be equal."""
        low, high = (f"{end:.3g}" for end in (row.interval.low, row.interval.high))
        claim = f"{row.measure} is {row.value:.3g} on {counted(row.items, 'answer')}"
        return Headline(claim, f" ({row.interval.title} {low} to {high}).")

    def _on_positions(self) -> Headline:
        """How often the first judge keeps its verdict in both orders."""
        same = self.rows[1]
        judge = self.raters[0] if len(self.raters) == 1 else same.measure.partition(":")[0]
        judge = judge.replace("the judge", "The judge")
        pairs = counted(same.items, "pair")
        claim = (
            f"{judge} keeps its verdict in {same.value:.2f} of {pairs} when the order is changed"
        )
        return Headline(claim, ".")

    def footer(self) -> str:
        """A line on what the intervals cover."""
        return coverage_line(self.rows[0].interval).replace("questions", "answers")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CorrectedEstimate(Estimate):
    """A corrected metric of one system."""

    judge: float = math.nan  # score by the judge alone, on all questions
    labels: int = 0  # labelled questions
    labels_alone: float = math.nan  # score by the labels alone
    labels_low: float = math.nan
    labels_high: float = math.nan
    weight: float = math.nan  # weight of the judge in the corrected score, from 0 to 1

    def record(self) -> dict[str, Any]:
        """A flat record without the subject."""
        # super() without arguments fails in a dataclass with slots
        labels = record_of(self, "judge", "labels", "labels_alone", "labels_low", "labels_high")
        return {**Estimate.record(self), **labels, "judge_weight": self.weight}

    @property
    def is_wider(self) -> bool:
        """Whether the labels alone give a narrower interval."""
        return self.high - self.low > (self.labels_high - self.labels_low) * (1.0 + 1e-9)


@dataclass(frozen=True, slots=True, repr=False)
class CorrectedScoreTable(Scores):
    """Corrected metrics, beside those of the labels alone and of the judge alone."""

    drops: ClassVar[tuple[str, ...]] = ("sd", "weight", "questions", "trials", "task", "clusters")

    def columns(self) -> list[list[str]]:
        """Return the columns as text, each beginning with its head; empty columns are left out."""
        rows = [row for row in self.estimates if isinstance(row, CorrectedEstimate)]
        alone = ((row.labels_alone, row.labels_low, row.labels_high, row.sd) for row in rows)
        judge = (score_text(row.judge, row.sd) for row in rows)
        weights = (DASH if math.isnan(row.weight) else f"{row.weight:.2f}" for row in rows)
        titles = (row.interval.title for row in rows)
        return [
            *Scores.columns(self),
            interval_column("labels alone", titles, alone),
            ["labels", *(str(row.labels) if row.labels else DASH for row in rows)],
            [score_head("judge alone"), *align_points(judge)],
            ["weight", *weights],
        ]


_MEANINGS = (
    "judge errs: share of labels in such groups that differ from the judge, with half a "
    "label of either kind added (Jeffreys); the interval is Clopper and Pearson's.",
    "Width: mean width of the intervals of all systems, over simulated labels; the judge errs in "
    "them as it does in the labels so far.",
    "Weights: 1 / the probability with which a question was chosen; they are in the file, and are "
    "needed to read it back.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionGroup:
    """Questions that the judge grades alike."""

    task: str
    name: str
    answers: int
    labelled: int
    errs: float  # share of answers on which the judge is expected to differ from a label
    interval: Interval  # interval of that share by the labels alone; nan without any
    chosen: int

    def record(self) -> dict[str, Any]:
        """A flat record."""
        names = ("task", "name", "answers", "labelled", "errs", "interval", "chosen")
        return record_of(self, *names)


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class LabellingPlan(Result):
    """The questions to label next, and the widths that are expected."""

    groups: tuple[QuestionGroup, ...]
    questions: int  # number of questions to label
    labelled: int  # number of questions that have a label
    width_now: float  # nan without labels
    width: float
    width_even: float  # width if as many are chosen with equal probabilities
    is_even: bool
    level: float
    cells: tuple[dict[str, Any], ...]  # rows of the file to fill in
    method: str
    remarks: tuple[str, ...] = ()
    drops: ClassVar[tuple[str, ...]] = ("task", "labelled")

    def to_dicts(self) -> list[dict[str, Any]]:
        """A flat record per group."""
        return [group.record() for group in self.groups]

    def columns(self) -> list[list[str]]:
        """Return the columns as text, each beginning with its head; empty columns are left out."""
        tasks = [group.task for group in self.groups]
        return [
            *([["task", *tasks]] if any(tasks) else []),
            ["judge says", *(group.name for group in self.groups)],
            ["answers", *(str(group.answers) for group in self.groups)],
            ["labelled", *(str(group.labelled) for group in self.groups)],
            interval_column(
                "judge errs",
                [interval_title(self.level)],
                ((g.errs, g.interval.low, g.interval.high, 0.1) for g in self.groups),
            ),
            ["to label", *(str(group.chosen) for group in self.groups)],
        ]

    def notes(self) -> list[str]:
        """The expected widths, what the columns mean, and remarks."""
        gain = 1.0 - self.width / self.width_even
        choice = (
            "Questions are chosen with equal probabilities: to choose by group gains less than 3% "
            "of the width."
            if self.is_even
            else f"Chosen by group, with weights; with equal probabilities the interval would be "
            f"{self.width_even:.3f} wide ({100 * gain:.0f}% is gained)."
        )
        return [
            choice,
            *map(Explanation, _MEANINGS),
            Explanation(f"Method: {self.method}."),
            *self.remarks,
        ]

    def conclusion(self) -> Headline | None:
        """How many questions to label, and the expected width."""
        more = " more" if self.labelled else ""
        now = f" instead of {self.width_now:.3f}" if self.labelled else ""
        number = counted(self.questions, f"{'more ' if more else ''}question")
        interval = f"the {interval_title(self.level)} becomes about {self.width:.3f} wide{now}"
        return Headline(f"Label {number}: {interval}", ".")

    def footer(self) -> str:
        """A line on the next step."""
        file = way_to_say("--fill FILE writes", ".write(path) writes")
        back = way_to_say("--labels FILE", "labels=path")
        return f"{file} the answers to label; filled in, it is read by {back}."

    def write(self, path: str | Path) -> None:
        """Write the file of labels: known labels, and an empty cell for each chosen answer.

        It omits the judge's grades, so that they do not influence the labeller.
        """
        out = io.StringIO()
        heads = list(self.cells[0])
        writer = csv.DictWriter(out, heads, lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: inert_csv(cell) for key, cell in row.items()} for row in self.cells)
        with atomic_file(str(path)) as beside:
            beside.write_text(out.getvalue(), encoding="utf-8")
