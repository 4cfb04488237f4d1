"""Ratings of systems from games between them: a leaderboard of preferences."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from errbar.base.remarks import Explanation, counted
from errbar.base.tables import Headline, interval_head, pointed
from errbar.results.estimate import covered, record_of
from errbar.results.leaderboard import Board, Standing

_RATINGS = ("rating", "Elo")  # measures on Elo's scale


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rating(Standing):
    """A system with its rating, or with its win rate against a baseline."""

    games: int
    win_rate: float  # against an opponent picked at random, or against the baseline
    standard_error: float  # of the mean of independent questions; nan for a rating
    judge: str = ""  # empty if the games of all judges are taken together

    def record(self) -> dict[str, Any]:
        """A flat record, for a DataFrame or JSON."""
        # super() without arguments fails in a dataclass with slots
        return {
            **({"judge": self.judge} if self.judge else {}),
            **Standing.record(self),
            **record_of(self, "games", "win_rate", "standard_error"),
        }


@dataclass(frozen=True, slots=True, repr=False)
class Ratings(Board[Rating]):
    """Systems from the best down, by the games between them."""

    measured: str  # "rating", "Elo", or "win rate against NAME"
    method: str
    games: int
    questions: int  # 0 if the games have no questions
    remarks: tuple[str, ...] = ()

    drops: ClassVar[tuple[str, ...]] = ("expected rank", "P(best)", "games", "group")

    @property
    def measure(self) -> str:
        """What the systems are ordered by."""
        return self.measured

    @property
    def bounds(self) -> tuple[float, float]:
        """A win rate is between 0 and 1; a rating has no bounds."""
        return (-math.inf, math.inf) if self.measured in _RATINGS else (0.0, 1.0)

    @property
    def size(self) -> str:
        """The number of games, and of the questions that they are on."""
        found = counted(self.games, "game")
        return f"{found} on {counted(self.questions, 'question')}" if self.questions else found

    def to_dicts(self) -> list[dict[str, Any]]:
        """A flat record per system, for a DataFrame or JSON."""
        return [{"measure": self.measured, **row.record()} for row in self.rows]

    def columns(self) -> list[list[str]]:
        """Each column from its head down."""
        titles = (row.interval.title for row in self)
        rated = self.measured in _RATINGS
        several = len(self._judges()) > 1
        return [
            *([["judge", *(row.judge for row in self)]] if several else []),
            ["rank", *(str(row.rank) for row in self)],
            ["system", *(row.system for row in self)],
            [interval_head(self.measured, titles), *self._values()],
            *([["expected win rate", *self._win_rates()]] if rated else []),
            ["games", *(str(row.games) for row in self)],
            *self.rank_columns(),
        ]

    def _values(self) -> Iterable[str]:
        return (cell.replace("inf", "  ∞") for cell in self.cells_of("value"))

    def _win_rates(self) -> Iterable[str]:
        return pointed(f"{row.win_rate:.2f}" for row in self)

    def _judges(self) -> list[str]:
        return list(dict.fromkeys(row.judge for row in self))

    def breaks(self) -> set[int]:
        """Rows at which the games of another judge begin."""
        judges = [row.judge for row in self]
        return {at for at in range(1, len(judges)) if judges[at] != judges[at - 1]}

    def conclusion(self) -> Headline | None:
        """Which system is the best; judges are not summed up."""
        return None if len(self._judges()) > 1 or len(self) < 2 else Board.conclusion(self)

    def footer(self) -> str:
        """What the intervals cover, and the size of the data, in a line."""
        return covered(self.rows[0].interval, self.size)

    def notes(self) -> list[str]:
        """What stands under the table."""
        return [
            *map(Explanation, [*self.rank_notes(), f"Method: {self.method}."]),
            *self.remarks,
        ]
