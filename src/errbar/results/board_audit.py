"""Audit of a leaderboard: simultaneous ranks, and the stability of the order."""

import math
import re
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple

from errbar.base.remarks import Explanation, counted, some_of
from errbar.base.tables import DASH, Headline
from errbar.results.base import Rows
from errbar.results.comparison import Comparison
from errbar.results.estimate import EqualByValue, Interval
from errbar.results.leaderboard import Leaderboard, Standing

_WITHOUT_QUESTION = "without a question: ranks by score if any single question is left out."
_WITHOUT_CLUSTER = "without a cluster: ranks by score if any single cluster is left out."
_TO_LEVEL = (
    "questions to level: the fewest questions to leave out so that the next system draws level; 0 "
    "if it is level now."
)


class Change(NamedTuple):
    """A question or a cluster whose removal changes which system is first."""

    task: str
    left_out: str
    leaders: tuple[str, ...]  # who is first without it


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoardRow(EqualByValue):
    """A system of a leaderboard."""

    standing: Standing
    without_question: tuple[int, int]  # best and worst rank; 0 if no question can be left out
    without_cluster: tuple[int, int] | None  # None without clusters
    undone_by: float  # fewest questions without which the next system is level; nan for the last

    @property
    def system(self) -> str:
        """Its name."""
        return self.standing.system

    @property
    def value(self) -> float:
        """Its score."""
        return self.standing.value

    @property
    def sd(self) -> float:
        """Standard deviation of its score."""
        return self.standing.sd

    @property
    def interval(self) -> Interval:
        """Interval of its score."""
        return self.standing.interval

    def record(self) -> dict[str, Any]:
        """A flat record."""
        record = self.standing.record()
        for name in ("without_question", "without_cluster"):
            ends = getattr(self, name) or (math.nan, math.nan)
            record |= {f"{name}_best": ends[0], f"{name}_worst": ends[1]}
        return record | {"undone_by": self.undone_by}


@dataclass(frozen=True, slots=True, repr=False)
class BoardAudit(Rows[BoardRow]):
    """A leaderboard with the lead of the first system, and what changes the order."""

    _: KW_ONLY
    board: Leaderboard
    pairs: tuple[Comparison, ...]  # the first against the second, task by task
    decisive: tuple[Change, ...]  # the fewest questions without which the first does not lead
    by_question: tuple[Change, ...]  # single questions that change who is first
    by_cluster: tuple[Change, ...]
    clusters: int  # how many; 0 without clusters
    needed: float  # questions that would tell the first from the second; nan if unknown
    drops: ClassVar[tuple[str, ...]] = ("group", "questions to level", "without a question")

    def columns(self) -> list[list[str]]:
        """Columns as text, each beginning with its head."""
        own = {column[0]: column for column in self.board.columns()}
        first = [column for head, column in own.items() if head not in ("expected rank", "P(best)")]
        columns = [*first, ["without a question", *(_ranks(row.without_question) for row in self)]]
        if self.clusters:
            ranks = (_ranks(row.without_cluster) for row in self)
            columns.append(["without a cluster", *ranks])
        return [*columns, ["questions to level", *(_number(row.undone_by) for row in self)]]

    def notes(self) -> list[str]:
        """Notes on the lead, on the stability of the order, and on the method."""
        return [
            *self.board.notes(),
            *map(Explanation, self.meanings()),
            *self.on_the_lead(),
            *self.on_stability(),
        ]

    def meanings(self) -> list[str]:
        """What the columns mean that only an audit has."""
        return [_WITHOUT_QUESTION, *[_WITHOUT_CLUSTER] * bool(self.clusters), _TO_LEVEL]

    def conclusion(self) -> Headline | None:
        """Which system is the best."""
        return self.board.conclusion()

    def footer(self) -> str:
        """A line on what the intervals cover."""
        return self.board.footer()

    def on_the_lead(self) -> list[str]:
        """Sentences on the difference between the first and the second system."""
        sentences = []
        more = sum(pair.questions for pair in self.pairs) > self.board.questions
        for pair in self.pairs:
            both = f"{'on' if pair.task else 'On'} the {pair.questions:,} questions that both have"
            where = ", ".join([*[pair.task] * bool(pair.task), *[both] * more])
            where = f"{where}: " if where else ""
            what = ""
            if len(self.pairs) > 1 or more:  # else the conclusion has the lead
                what = f"{''.join(pair.headline()).removesuffix('.')}; "
            what = re.sub("^Inconclusive", "inconclusive", what) if where else what
            sentences.append(
                f"{where}{what}{pair.first} is ahead on {counted(pair.wins, 'question')}, "
                f"{pair.second} on {pair.losses}, and they are level on {pair.ties}."
            )
        if math.isinf(self.needed):
            sentences.append("They are level, so no number of questions would separate them.")
        elif not math.isnan(self.needed) and self.needed > self.pairs[0].questions:
            sentences.append(
                f"If the true difference is the observed one, about {_two_digits(self.needed)} "
                "such questions would separate them with 80% power (normal approximation)."
            )
        return sentences

    def on_stability(self) -> list[str]:
        """Sentences on what would change which system is first."""
        first, second = self[0].system, self[1].system
        named = some_of(change.left_out for change in self.decisive)
        if self[0].undone_by == 0:
            sentences = []
        elif math.isinf(self[0].undone_by):
            sentences = [f"{first} leads {second} whichever questions are left out."]
        else:
            few = f"{len(self.decisive):,} of {counted(self.board.questions, 'question')}"
            sentences = [f"Leaving out {few} puts {second} level or ahead: {named}."]
        sentences += _on_changes(self.by_question, "question", self.board.questions, first)
        if self.clusters:
            sentences += _on_changes(self.by_cluster, "cluster", self.clusters, first)
        return sentences

    def further_records(self) -> dict[str, list[dict[str, Any]]]:
        """Records besides the rows of the leaderboard."""
        return {
            "first_against_second": [pair.record() for pair in self.pairs],
            "decisive_questions": _records(self.decisive),
            "questions_that_change_the_first": _records(self.by_question),
            "clusters_that_change_the_first": _records(self.by_cluster),
        }


def _records(changes: Sequence[Change]) -> list[dict[str, Any]]:
    return [
        {"task": each.task, "left_out": each.left_out, "first": ", ".join(each.leaders)}
        for each in changes
    ]


def _on_changes(changes: Sequence[Change], unit: str, total: int, first: str) -> list[str]:
    if not changes:
        none = f"None of {counted(total, unit)} changes who is first if it alone is left out."
        return [none] if total > 1 else []
    others = dict.fromkeys(name for each in changes for name in each.leaders if name != first)
    who = f" ({some_of(others)} then leads or is level)" if others else ""
    verb, each = ("changes", "it is") if len(changes) == 1 else ("change", "one of them is")
    return [
        f"{len(changes):,} of {counted(total, unit)} {verb} who is first if {each} left out{who}: "
        f"{some_of(change.left_out for change in changes)}."
    ]


def _ranks(ends: tuple[int, int] | None) -> str:
    if ends is None or not ends[0]:
        return DASH
    return f"{ends[0]}" if ends[0] == ends[1] else f"{ends[0]}–{ends[1]}"


def _number(found: float) -> str:
    if math.isnan(found):
        return DASH
    return "∞" if math.isinf(found) else f"{found:,.0f}"


def _two_digits(number: float) -> str:
    """A number with two significant digits."""
    return f"{float(f'{number:.2g}'):,.0f}"
