"""Scores of a judge corrected by trusted labels, beside what either says by itself."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from errbar.base.tables import DASH, interval_cells, interval_head, pointed, score_text
from errbar.results.estimate import Estimate, record_of
from errbar.results.scores import Scores


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CorrectedEstimate(Estimate):
    """A corrected metric of one system."""

    judge: float = math.nan  # by the judge alone, on all questions
    labels: int = 0  # labelled questions
    labels_alone: float = math.nan  # by the labels alone
    labels_low: float = math.nan
    labels_high: float = math.nan
    weight: float = math.nan  # of the judge in the corrected score, from 0 to 1

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
    """Corrected metrics, with those of the labels and of the judge beside them."""

    drops: ClassVar[tuple[str, ...]] = ("sd", "weight", "questions", "trials", "task", "clusters")

    def columns(self) -> list[list[str]]:
        """Return the columns as text, each beginning with its head; empty columns are left out."""
        rows = [row for row in self.estimates if isinstance(row, CorrectedEstimate)]
        alone = interval_cells(
            (row.labels_alone, row.labels_low, row.labels_high, row.sd) for row in rows
        )
        judge = (score_text(row.judge, row.sd) for row in rows)
        weights = (DASH if math.isnan(row.weight) else f"{row.weight:.2f}" for row in rows)
        head = interval_head("labels alone", (row.interval.title for row in rows))
        return [
            *Scores.columns(self),
            [head, *alone],
            ["labels", *(str(row.labels) if row.labels else DASH for row in rows)],
            ["judge alone", *pointed(judge)],
            ["weight", *weights],
        ]
