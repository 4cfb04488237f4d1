"""Leaderboards: systems by a score or a rating, with rank intervals and groups that are tied.

The letters are a compact letter display (Piepho 2004): systems that share a letter do not differ
significantly. `Ratings` are a leaderboard of preferences, from games between systems.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple, TypeVar

from errbar.base.remarks import Explanation, all_names, counted
from errbar.base.tables import Headline, Tone, align_points, percent, round_to_sd, score_text
from errbar.metrics.base import Direction, Metric
from errbar.results.base import Rows
from errbar.results.comparisons import share_text
from errbar.results.estimate import HasInterval, Interval, coverage_line, record_of


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Standing(HasInterval):
    """A row of a leaderboard."""

    system: str
    value: float
    sd: float
    interval: Interval
    rank: int  # rank by value; equal values share the better rank
    best_rank: int  # ends of the rank interval, simultaneous over all systems
    worst_rank: int
    expected_rank: float
    chance_best: float
    groups: str  # a letter for each group of systems that are not separated

    def record(self) -> dict[str, Any]:
        """A flat record for a DataFrame or JSON."""
        ranks = ("rank", "best_rank", "worst_rank", "expected_rank", "chance_best", "groups")
        return record_of(self, "system", "value", "sd", "interval", *ranks)


class Lead(NamedTuple):
    """How far the first system is ahead of the second: better by `gap`."""

    gap: float
    sd: float
    interval: Interval  # simultaneous for all pairs of systems


B = TypeVar("B", bound=Standing)


@dataclass(frozen=True, slots=True, repr=False)
class Board(Rows[B]):
    """Systems in descending order of a measure."""

    drops: ClassVar[tuple[str, ...]] = ("expected rank", "P(best)", "group")
    basis = ""  # what the measure is on, after its name

    @property
    def measure(self) -> str:
        """The measure that orders the systems."""
        raise NotImplementedError

    @property
    def bounds(self) -> tuple[float, float]:
        """Lowest and highest possible value of the measure."""
        raise NotImplementedError

    @property
    def size(self) -> str:
        """The size of the data, in words."""
        raise NotImplementedError

    def rank_columns(self) -> list[list[str]]:
        """Columns on ranks, each beginning with its head."""
        return [
            [f"{percent(self.rows[0].interval.level)} ranks", *self.rank_ranges()],
            ["expected rank", *align_points(f"{row.expected_rank:.1f}" for row in self)],
            ["P(best)", *(share_text(row.chance_best) for row in self)],
            ["group", *(row.groups for row in self)],
        ]

    def rank_ranges(self) -> list[str]:
        """The interval of the rank of each system, as in "2–5"."""
        return [
            str(row.best_rank)
            if row.best_rank == row.worst_rank
            else f"{row.best_rank}–{row.worst_rank}"
            for row in self
        ]

    def conclusion(self) -> Headline | None:
        """Which system is first, by how much, and whether it is significantly better."""
        first = sum(row.best_rank == 1 for row in self)
        tone = Tone.GOOD if first == 1 else Tone.DIM if first == len(self) else Tone.STRONG
        return Headline(*self.headline(), tone)

    def ties(self) -> list[list[int]]:
        """The places of the systems of each group that do not differ significantly."""
        letters = [set(_LETTER.findall(row.groups)) for row in self]
        groups = [
            [at for at, own in enumerate(letters) if letter in own]
            for letter in sorted(set().union(*letters), key=lambda name: (len(name), name))
        ]
        return [members for members in groups if len(members) > 1]

    def headline(self) -> tuple[str, str]:
        """Which system is the best, in a sentence of two parts: the claim, and the rest."""
        best = [row.system for row in self if row.best_rank == 1]
        first, second = self[0].system, self[1].system
        leads = f"{first} leads {second}", f" by {self.gap_text(f' {self.measure}{self.basis}')}"
        if len(best) == 1 and len(self) == 2:
            return f"{first} is better than {second}", f"{leads[1]}."
        equal = [row.system for row in self if row.value == self[0].value]
        if len(equal) > 1:
            who = all_names(equal) if len(equal) <= _MOST_NAMED else f"{len(equal)} systems"
            leads = f"{who} have the same {self.measure}{self.basis}", ""
        if len(best) == 1:
            lead = f"it leads {second} by {self.gap_text(self.basis)}."
            return f"{first} is the best of {len(self)} systems", f" by {self.measure}: {lead}"
        if len(best) == len(self) == 2:
            return f"Inconclusive: {leads[0]}", f"{leads[1]}."
        if len(best) == len(self):
            claim = f"Inconclusive: any of the {len(best)} systems may be the best"
            return claim, f"; {''.join(leads)}."
        if len(best) > _MOST_NAMED:
            whose = "; any of them" if equal == best else f", but any of {len(best)}"
            return leads[0], f"{leads[1]}{whose} may be the best."
        return f"{all_names(best)} are tied for the best", f"; {''.join(leads)}."

    def gap_text(self, by: str = "") -> str:
        """How far the first system is ahead of the second, in what measure."""
        text = score_text if self.are_scores else round_to_sd
        gap, sd = abs(self[0].value - self[1].value), math.hypot(self[0].sd, self[1].sd)
        return f"{text(gap, sd)}{by}"

    def rank_notes(self) -> list[str]:
        """Definitions of the columns on ranks."""
        return [
            f"ranks: simultaneous {percent(self.rows[0].interval.level)} intervals for the true "
            "ranks.",
            "group: systems that share a letter do not differ significantly.",
        ]


@dataclass(frozen=True, slots=True, repr=False)
class Leaderboard(Board[Standing]):
    """Systems in descending order of one metric, on one task or averaged over several."""

    metric: Metric
    _: KW_ONLY
    tasks: dict[str, float]  # the weight of each
    questions: int  # common to all systems
    method: str
    left_out: int = 0  # questions that not all systems have
    remarks: tuple[str, ...] = ()
    by: str = "mean"  # the method that orders the systems
    lead: Lead | None = None

    def gap_text(self, by: str = "") -> str:
        """How far the first system is ahead of the second, with the interval if it is known."""
        if self.lead is None:
            return Board.gap_text(self, by)
        lead, sd, interval = self.lead
        gap, low, high = (score_text(each, sd) for each in (lead, interval.low, interval.high))
        return f"{gap}{by} ({interval.title} {low} to {high})"

    @property
    def basis(self) -> str:  # type: ignore[override]
        """The common questions, if a system has others as well."""
        who = "all" if len(self) > 2 else "both"
        return f" on the {self.size} that {who} have" * (self.left_out > 0)

    @property
    def measure(self) -> str:
        """The metric, or the method that orders the systems."""
        return _MEASURES.get(self.by, str(self.metric))

    @property
    def bounds(self) -> tuple[float, float]:
        """Bounds of the measure."""
        if self.by == "copeland":
            return 1.0 - len(self), len(self) - 1.0
        if self.by in ("bradley-terry", "rasch"):
            return -math.inf, math.inf
        return self.metric.bounds if self.by == "mean" else (0.0, 1.0)

    @property
    def are_scores(self) -> bool:
        """Whether the measure is the metric, or a share of systems or of points."""
        return self.by not in ("copeland", "bradley-terry", "rasch")

    @property
    def size(self) -> str:
        """The number of questions."""
        return counted(self.questions, "question")

    def to_dicts(self) -> list[dict[str, Any]]:
        """A flat record per system, for a DataFrame or JSON."""
        by = {} if self.by == "mean" else {"by": self.by}
        return [{"metric": str(self.metric), **by, **row.record()} for row in self.rows]

    def columns(self) -> list[list[str]]:
        """Columns as text, each beginning with its head."""
        return [
            ["rank", *(str(row.rank) for row in self)],
            ["system", *(row.system for row in self)],
            self.column_of("value", self.measure),
            *self.rank_columns(),
        ]

    def footer(self) -> str:
        """A line on what the intervals cover and on the size of the data."""
        return coverage_line(self.rows[0].interval, f"{self.size} in common")

    def notes(self) -> list[str]:
        """Notes that are printed with the table."""
        first = self.rows[0].interval
        what = f"{self.size} common to all systems"
        weights = ", ".join(f"{task} {weight:.3g}" for task, weight in self.tasks.items())
        if len(self.tasks) > 1:
            what += f"; average of {len(self.tasks)} tasks with weights {weights}"
        notes = [
            f"{what}.",
            f"Each interval is for {first.covers.words}.",
            *self.rank_notes(),
            f"Method: {self.method}.",
        ]
        lower = self.metric.direction is Direction.LOWER and self.by == "mean"
        if self.by in _MEANINGS:
            notes.insert(1, f"{self.measure}: {_MEANINGS[self.by]}")
        return [
            *map(Explanation, notes),
            *([f"Tasks weighted: {weights}."] if len(set(self.tasks.values())) > 1 else []),
            *(["Lower is better."] if lower else []),
            *self.remarks,
        ]


_MEASURES = {
    "borda": "Borda",
    "copeland": "Copeland",
    "win-rate": "win rate",
    "bradley-terry": "strength",
    "rasch": "ability",
}
_MEANINGS = {
    "borda": "share of the other systems that a system beats on a question, ties as one half; the "
    "mean over questions.",
    "copeland": "systems that it beats on more questions than they beat it on, less those that "
    "beat it on more. Its interval has all values that the margins of its pairs allow.",
    "win-rate": "share of games won. A trial of each of two systems on a question is a game; it "
    "is won by the one that is right where the other is wrong, and else left out.",
    "bradley-terry": "Bradley-Terry strength in logits, mean 0, by the same games as the win rate.",
    "rasch": "in the model of Rasch, logits, mean 0, as `items` fits it.",
}
_MOST_NAMED = 4  # systems in a sentence
_LETTER = re.compile(r"[a-z]\d*")
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def letters_of(separated: Sequence[Sequence[bool]]) -> list[str]:
    """Compact letter display: letters of each system, from the pairs that differ significantly.

    Examples
    --------
    >>> letters_of([[False, False, True], [False, False, False], [True, False, False]])
    ['a', 'ab', 'b']
    """
    number = len(separated)
    sets = [(1 << number) - 1]  # of systems, a bit for each
    for first in range(number):
        for second in range(first + 1, number):
            if separated[first][second]:
                sets = _split(sets, 1 << first, 1 << second)
    ordered = sorted([system for system in range(number) if each >> system & 1] for each in sets)
    letters = [""] * number
    for at, members in enumerate(ordered):
        for system in members:
            letters[system] += _letter(at)
    return letters


def _split(sets: list[int], first: int, second: int) -> list[int]:
    """Split the sets that contain the pair, and drop sets within others."""
    pair = first | second
    together = [each for each in sets if each & pair == pair]
    kept = [each for each in sets if each & pair != pair]
    # no set that stays is within another, and no part is within one of the other system's parts
    for lacks in (first, second):
        parts = [each & ~lacks for each in together]
        others = [each for each in kept if not each & lacks]
        kept += [part for part in parts if not any(part & each == part for each in others)]
    return kept


def _letter(at: int) -> str:
    """a to z, then a2 to z2 and so on."""
    turn, letter = divmod(at, len(_ALPHABET))
    return _ALPHABET[letter] + (str(turn + 1) if turn else "")


_RATINGS = ("rating", "Elo")  # measures on Elo's scale


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rating(Standing):
    """A system with its rating, or with its win rate against a baseline."""

    games: int
    win_rate: float  # against an opponent picked at random, or against the baseline
    standard_error: float  # standard error of the mean over questions; nan for a rating
    judge: str = ""  # empty if the games of all judges are taken together

    def record(self) -> dict[str, Any]:
        """A flat record for a DataFrame or JSON."""
        # super() without arguments fails in a dataclass with slots
        return {
            **({"judge": self.judge} if self.judge else {}),
            **Standing.record(self),
            **record_of(self, "games", "win_rate", "standard_error"),
        }


@dataclass(frozen=True, slots=True, repr=False)
class Ratings(Board[Rating]):
    """Systems in descending order of their rating, by games between them."""

    measured: str  # "rating", "Elo", or "win rate against NAME"
    method: str
    games: int
    questions: int  # 0 if the games have no questions
    remarks: tuple[str, ...] = ()

    drops: ClassVar[tuple[str, ...]] = ("expected rank", "P(best)", "games", "group")

    @property
    def measure(self) -> str:
        """The measure that orders the systems."""
        return self.measured

    @property
    def bounds(self) -> tuple[float, float]:
        """A win rate is between 0 and 1; a rating has no bounds."""
        return (0.0, 1.0) if self.are_scores else (-math.inf, math.inf)

    @property
    def are_scores(self) -> bool:
        """Whether the measure is a win rate, not a rating."""
        return self.measured not in _RATINGS

    @property
    def size(self) -> str:
        """The number of games, and of the questions that they are on."""
        games = counted(self.games, "game")
        return f"{games} on {counted(self.questions, 'question')}" if self.questions else games

    def to_dicts(self) -> list[dict[str, Any]]:
        """A flat record per system, for a DataFrame or JSON."""
        return [{"measure": self.measured, **row.record()} for row in self.rows]

    def columns(self) -> list[list[str]]:
        """Columns as text, each beginning with its head."""
        several = len(self._judges()) > 1
        return [
            *([["judge", *(row.judge for row in self)]] if several else []),
            ["rank", *(str(row.rank) for row in self)],
            ["system", *(row.system for row in self)],
            [cell.replace("inf", "  ∞") for cell in self.column_of("value", self.measured)],
            *([["expected win rate", *self._win_rates()]] if not self.are_scores else []),
            ["games", *(str(row.games) for row in self)],
            *self.rank_columns(),
        ]

    def _win_rates(self) -> Iterable[str]:
        return align_points(f"{row.win_rate:.2f}" for row in self)

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
        """A line on what the intervals cover and on the size of the data."""
        return coverage_line(self.rows[0].interval, self.size)

    def notes(self) -> list[str]:
        """Notes that are printed with the table."""
        return [
            *map(Explanation, [*self.rank_notes(), f"Method: {self.method}."]),
            *self.remarks,
        ]
