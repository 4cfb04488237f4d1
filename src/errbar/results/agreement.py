"""Agreement of raters: coefficients, confusions and biases, each with its interval."""

from dataclasses import dataclass
from typing import Any, ClassVar

from errbar.base.remarks import Explanation, counted
from errbar.base.tables import Headline, interval_head
from errbar.results.base import Rows
from errbar.results.estimate import HasInterval, Interval, coverage_line, record_of


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
        head = interval_head("value", (row.interval.title for row in self.rows))
        return [
            ["about", *(row.about for row in self.rows)],
            ["measure", *(row.measure for row in self.rows)],
            [head, *self.cells_of("value")],
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
        """How far the ratings are apart, where they have too many values to agree."""
        low, high = (f"{end:.3g}" for end in (row.interval.low, row.interval.high))
        claim = f"{row.measure} is {row.value:.3g} on {counted(row.items, 'answer')}"
        return Headline(claim, f" ({row.interval.title} {low} to {high}).")

    def _on_positions(self) -> Headline:
        """How often a verdict stays, of the first judge."""
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
