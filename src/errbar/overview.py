"""What a person wants first: what was read, the scores, and who is better."""

from dataclasses import dataclass
from typing import Any

from errbar.decide.comparison import Comparison, Comparisons
from errbar.decide.leaderboard import Leaderboard
from errbar.inspection import Inspection
from errbar.remarks import above, below
from errbar.results import Result
from errbar.scores import Scores
from errbar.tables import Table, counted, percent, supported, wrapped

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
