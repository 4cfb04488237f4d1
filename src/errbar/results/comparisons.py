"""Tables of comparisons: which systems differ, and by how much."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from errbar.base.narrow_tables import JOINT
from errbar.base.remarks import Caution, Explanation, all_of, counted, some_of
from errbar.base.tables import DASH, Headline, Tone
from errbar.kernels.interval import largest_unseen
from errbar.metrics.base import Direction
from errbar.results.base import Rows
from errbar.results.comparison import INCONCLUSIVE, Comparison
from errbar.results.estimate import coverage_line

_MOST_NAMED = 3  # pairs in a note
_OFTEN = 0.95  # of all samples, but one in twenty
_LEAST_SHOWN, _LEAST_CHANCE = 1e-4, 1e-3  # smaller p-values and chances print as "< 0.0001"


@dataclass(frozen=True, slots=True, repr=False)
class Comparisons(Rows[Comparison]):
    """Comparisons with simultaneous intervals."""

    method: str
    remarks: tuple[str, ...] = ()
    together: int = 1  # number of comparisons that they are adjusted for
    leader_first: bool = False  # whether a pair is printed with the better system first
    tones: ClassVar[Mapping[str, Tone]] = {
        "better": Tone.GOOD,
        "worse": Tone.BAD,
        "probably better": Tone.STRONG,
        "probably worse": Tone.STRONG,
        INCONCLUSIVE: Tone.DIM,
    }

    drops: ClassVar[tuple[str, ...]] = ("p", "P(better)", "task", "metric", "win/tie/loss")

    def columns(self) -> list[list[str]]:
        """Return the columns as text, each beginning with its head; empty columns are left out."""
        shown = replace(self, rows=tuple(self._in_shown_order()))
        metrics = {str(row.metric) for row in shown}
        name = f"{metrics.pop()} difference" if len(metrics) == 1 else "difference"
        head, *cells = shown.column_of("difference", name, signed=True)
        columns = [
            ["task", *(row.task for row in shown)],
            ["metric", *(str(row.metric) if metrics else "" for row in shown)],
            ["systems", *(f"{row.first}{JOINT}{row.second}" for row in shown)],
            [
                head,
                *(cell if row.questions else DASH for cell, row in zip(cells, shown, strict=True)),
            ],
            ["P(better)", *(share_text(row.chance) for row in shown)],
            ["p", *(_p(row.adjusted) for row in shown)],
            ["win/tie/loss", *(_tally(row) for row in shown)],
            ["verdict", *(row.short_verdict for row in shown)],
        ]
        return [column for column in columns if any(column[1:])]

    def _in_shown_order(self) -> list[Comparison]:
        """Pairs in the order of printing: that of the ranking, unless the user chose the order.

        A system ranks by its mean over its pairs, whose questions may differ.
        """
        rows = [self._better_first(row) for row in self]
        if not self.leader_first:
            return rows
        groups = dict.fromkeys((row.task, row.metric) for row in rows)
        return [
            row
            for group in groups
            for row in _sort_pairs([row for row in rows if (row.task, row.metric) == group])
        ]

    def _better_first(self, row: Comparison) -> Comparison:
        """A pair with the better system first, unless the user chose the order."""
        return row.swapped() if self.leader_first and row.leader == row.second else row

    def conclusion(self) -> Headline | None:
        """The verdict on a single pair, or how many pairs differ."""
        compared = [row for row in self if row.questions]
        if len(compared) == 1:
            return Headline(*compared[0].sentence(), Tone.GOOD if compared[0].better else Tone.DIM)
        tally = self.tally().removesuffix(".")
        if not any(row.better for row in compared):
            open_question = f"Inconclusive: {tally[:1].lower()}{tally[1:]}"
            return Headline(open_question, ".", Tone.DIM) if tally else None
        others = {name for row in compared for name in (row.first, row.second)}
        names = sorted({row.better for row in compared} - {""})
        best = next((name for name in names if self._beats(name, others - {name})), "")
        if not best:
            return Headline(tally, ".", Tone.GOOD)
        claim = f"{best} beats each of the {len(others) - 1} other systems"
        return Headline(claim, self._closest(best), Tone.GOOD)

    def _closest(self, best: str) -> str:
        """The lead of the best system over the one that comes closest to it."""
        own = [row for row in self if row.questions and row.better == best]
        if len({(row.task, row.metric) for row in own}) > 1:
            return "."
        closest = min(own, key=lambda row: row.lead[0])
        gap, low, high = closest.lead_digits()
        interval = f"({closest.interval.title} {low} to {high})"
        return f"; the closest is {closest.trailer}, by {gap} {closest.metric} {interval}."

    def _beats(self, name: str, others: Collection[str]) -> bool:
        """Whether a system is better than each of the others, by all metrics and on all tasks."""
        own = [row for row in self if row.questions and name in (row.first, row.second)]
        losers = {row.first if row.second == name else row.second for row in own}
        return losers == set(others) and all(row.better == name for row in own)

    def footer(self) -> str:
        """A line on what the intervals cover and on the size of the data."""
        compared = [row for row in self if row.questions]
        if not compared:
            return ""
        sizes = {row.questions for row in compared}
        size = counted(sizes.pop(), compared[0].unit) if len(sizes) == 1 else ""
        family = "not adjusted for multiple testing" if len(compared) > 1 else ""
        if self.together > 1:
            family = f"simultaneous for {all_of(self.together, 'comparison')}"
        return coverage_line(compared[0].interval, size, family)

    def tally(self, baseline: str | None = None) -> str:
        """How many pairs of systems differ, in a sentence; a pair counts once for all tasks."""
        compared = [row for row in self if row.questions]
        pairs, sure, probable = (
            {frozenset((row.first, row.second)) for row in rows}
            for rows in (
                compared,
                [row for row in compared if row.better],
                [row for row in compared if row.called_probable],
            )
        )
        if not pairs:
            return ""
        tasks, metrics = ({getattr(row, name) for row in compared} for name in ("task", "metric"))
        if len(pairs) == 1 and max(len(tasks), len(metrics)) > 1:
            name = "task" if len(tasks) > 1 else "metric"
            decided = len({getattr(row, name) for row in compared if row.better})
            return (
                f"{compared[0].first} and {compared[0].second} differ significantly "
                f"{'on' if name == 'task' else 'by'} {decided or 'none'} of "
                f"{len(tasks if name == 'task' else metrics)} {name}s."
            )
        where = " on at least one task" if len(tasks) > 1 else ""
        where += " by at least one metric" if len(metrics) > 1 else ""
        more = len(probable - sure)
        do = f"probably {'does' if more == 1 else 'do'}"
        also = f"; {more:,}{' more' if sure else ''} {do}" if more else ""
        claims = {f"{row.leader} beats {row.trailer}" for row in compared if row.better}
        which = f" ({claims.pop()})" if len(claims) == 1 < len(pairs) else ""
        careful = sum(bool(row.caution) for row in compared if row.better)
        care = f"; {careful:,} with caution" if careful else ""
        verb = "differ" if len(sure) > 1 else "differs"
        the = "the " if len(pairs) > 1 else ""
        if baseline is not None:
            of = f"{counted(len(pairs), 'system')} {verb} significantly from {baseline}"
        else:
            of = f"{counted(len(pairs), 'pair')} of systems {verb} significantly"
        return f"{f'{len(sure):,}' if sure else 'None'} of {the}{of}{where}{which}{also}{care}."

    def notes(self) -> list[str]:
        """Notes that are printed with the table."""
        covers = list(dict.fromkeys(row.interval.covers for row in self))
        notes = [f"The interval is for {target.words}." for target in covers]
        if self.together > 1:
            notes.append(
                f"Intervals, p and verdicts hold for all {self.together} comparisons together "
                f"(Bonferroni)."
            )
        elif sum(row.questions > 0 for row in self) > 1:
            notes.append("Comparisons are not adjusted for multiple testing.")
        ranked = any(row.items for row in self)
        wins = "" if ranked else "; win/tie/loss: questions on which it is better, equal or worse"
        notes.append(f"P(better): probability that the first system is better{wins}.")
        lower = any(row.metric.direction is Direction.LOWER for row in self)
        return [
            *self.sizes(),
            *map(Explanation, notes),
            *self._note_on_probable(),
            *self.on_failures(),
            *(["Lower is better."] if lower else []),
            Explanation(f"Method: {self.method}."),
            *self._cautions(),
            *self._reasons(),
            *self.remarks,
        ]

    def _cautions(self) -> list[Caution]:
        """Cautions: a note per reason, with the pairs that it concerns."""
        why: dict[str, dict[str, None]] = {}
        for row in self:
            if row.caution:
                why.setdefault(row.caution, {})[self._pair_name(row)] = None
        return [Caution(f"{self._pair_names(pairs)}: {caution}.") for caution, pairs in why.items()]

    def _pair_name(self, row: Comparison) -> str:
        """The name of a pair, with its task if there are several."""
        several = len({row.task for row in self}) > 1
        row = self._better_first(row)
        return f"{row.first}{JOINT}{row.second}{f' · {row.task}' if several and row.task else ''}"

    def _pair_names(self, pairs: Collection[str]) -> str:
        """The names of pairs, or their number if they are all or many."""
        if len(pairs) == len({self._pair_name(row) for row in self}) > 1:
            return "all pairs"
        return some_of(pairs, _MOST_NAMED)

    def _note_on_probable(self) -> list[str]:
        """The assumption of "probably better", and how few losses would undo it."""
        rows = [row for row in self if row.probably_better]
        if not rows:
            return []
        fewest = min(row.undone_by for row in rows)
        failures = "a single outright failure" if fewest == 1 else f"{fewest} outright failures"
        which = "" if len(rows) == 1 else " the weakest of these verdicts"
        undone = f"; {failures} among new questions would undo{which or ' it'}" if fewest else ""
        number, unit = min(row.sampled for row in rows)
        share = f"{100.0 * largest_unseen(max(number, 1), _OFTEN):.2g}% of all"
        note = (
            f"Probably better: assuming no rare failures. A kind of {unit} that makes up {share} "
            f"is missing from one in twenty samples of {counted(number, unit)}{undone}."
        )
        return [note if any(row.called_probable for row in rows) else Explanation(note)]

    def on_failures(self) -> list[str]:
        """How many failed trials would change a verdict."""
        rows = [row for row in self if row.failed]
        if not rows:
            return []
        notes = [
            "Differences count failed trials as wrong; intervals, p and verdicts also cover the "
            "case that failed trials would have been right."
        ]
        several = len({row.task for row in self}) > 1
        for row in [row for row in rows if row.flips][:_MOST_NAMED]:
            undone = "a single failed trial" if row.flips == 1 else f"{row.flips} failed trials"
            on = f" on {row.task}" if several and row.task else ""
            notes.append(
                f"{row.leader} beats {row.trailer} by {row.metric}{on} if all failed trials are "
                f"wrong, but not if {undone} of {row.trailer} {'is' if row.flips == 1 else 'are'} "
                "right."
            )
        return notes

    def _reasons(self) -> list[str]:
        """Reasons for missing numbers: a note per reason, with the pairs that it concerns."""
        why: dict[str, dict[str, None]] = {}
        for row in self:
            if row.reason:
                why.setdefault(row.reason, {})[self._pair_name(row)] = None
        return [f"{self._pair_names(pairs)}: {reason}." for reason, pairs in why.items()]

    def sizes(self) -> list[str]:
        """Numbers of common questions, and of questions that only one system of a pair has."""
        compared = [row for row in self if row.questions]
        if not compared:
            return []
        unit, per_pair = compared[0].unit, " per pair" if len(compared) > 1 else ""
        sizes = [row.questions for row in compared]
        notes: list[str] = [Explanation(f"{counted(max(sizes), unit)}{per_pair}.")]
        if min(sizes) < max(sizes):
            notes = [f"{min(sizes)} to {max(sizes)} {unit}s{per_pair}."]
        left_out = [row.left_out for row in self if row.left_out]
        if left_out:
            some = (
                f"{max(left_out)}"
                if min(left_out) == max(left_out)
                else f"{min(left_out)} to {max(left_out)}"
            )
            noun, have = (unit, "has it") if max(left_out) == 1 else (f"{unit}s", "has them")
            if len(left_out) < len(compared):
                kinds = {(row.task, str(row.metric)) for row in compared}
                rows = "pairs" if len(kinds) == 1 else "comparisons"
                per_pair = f" in {len(left_out)} of {len(compared)} {rows}"
            notes.append(
                Caution(f"{some} {noun} left out{per_pair}, because only one of the two {have}.")
            )
        return notes


def _sort_pairs(rows: Sequence[Comparison]) -> list[Comparison]:
    """Pairs of one task and metric, those of the best system first; no pair is left out."""
    sign = 1.0 if rows[0].metric.direction is Direction.LOWER else -1.0
    values: dict[str, list[float]] = {}
    for row in rows:
        for name, value in ((row.first, row.value), (row.second, row.against)):
            values.setdefault(name, []).extend([sign * value] if row.questions else [])
    means = {name: sum(own) / len(own) if own else math.inf for name, own in values.items()}
    place = {name: at for at, name in enumerate(sorted(means, key=means.__getitem__))}
    return sorted(rows, key=lambda row: sorted((place[row.first], place[row.second])))


def _tally(row: Comparison) -> str:
    return f"{row.wins}/{row.ties}/{row.losses}" if row.questions and not row.items else ""


def share_text(chance: float) -> str:
    """A probability to three digits, which is never shown as 0 or 1."""
    if math.isnan(chance):
        return ""
    if chance < _LEAST_CHANCE:
        return f"< {_LEAST_CHANCE:g}"
    return f"> {1 - _LEAST_CHANCE:g}" if chance > 1 - _LEAST_CHANCE else f"{chance:.3f}"


def _p(value: float) -> str:
    if math.isnan(value):
        return ""
    return f"< {_LEAST_SHOWN:g}" if value < _LEAST_SHOWN else f"{value:.2g}"
