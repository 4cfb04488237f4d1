"""Item analysis: abilities of systems, difficulties of questions, and suspect questions."""

import math
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any, ClassVar

from errbar.base.files import atomic_file
from errbar.base.remarks import Explanation, counted, way_to_say
from errbar.base.tables import (
    DASH,
    Headline,
    Table,
    align_points,
    interval_column,
    interval_title,
    score_head,
    score_text,
)
from errbar.errors import InputError
from errbar.results.base import Rows
from errbar.results.estimate import EqualByValue, HasInterval, Interval, coverage_line, record_of

ALL_RIGHT, ALL_WRONG = "all right", "all wrong"
_SOLVED = {ALL_RIGHT: "solved by all systems", ALL_WRONG: "solved by none"}
INVERTED, FLAT, ALIKE = "inverted", "flat", "alike"
_SHOWN = 20  # rows of a table on paper; exports have all
_TO_THREE = 0.01  # standard deviation that supports three decimals
_MEANINGS = (
    "ability and difficulty: in logits. A system of ability θ solves a question of difficulty b "
    "with the log odds θ − b; 0 is the mean ability of the systems.",
    "all right, all wrong: no system failed it, or none solved it. by luck: the probability that "
    "a repeat of the run would not be unanimous, if difficulties are normal.",
    "inverted: better systems fail it more often (Spearman's correlation with the ability by all "
    "other questions is below 0), so that its answer key or its test may be wrong.",
    "flat: success depends less on ability than the model says (infit above 1).",
    "alike: two questions on which systems succeed and fail together, beyond what their abilities "
    "and difficulties explain.",
    "p: the p-value of the check, adjusted for the number of questions (Benjamini and Hochberg) "
    "or of pairs (Holm). Systems count as independent; related systems, such as versions of one "
    "model, make p too small.",
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SystemAbility(HasInterval):
    """A system of one task on the scale of its questions."""

    task: str
    system: str
    questions: int  # questions with an answer
    score: float  # mean rate over its own questions
    value: float  # ability
    sd: float
    interval: Interval
    adjusted: float  # mean rate over all questions: expected where there is no answer
    adjusted_sd: float
    adjusted_low: float
    adjusted_high: float

    def record(self) -> dict[str, Any]:
        """A flat record for a DataFrame or JSON."""
        adjusted = ("adjusted", "adjusted_sd", "adjusted_low", "adjusted_high")
        first = record_of(self, "task", "system", "questions", "score", "value", "sd", "interval")
        return first | record_of(self, *adjusted)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ItemRow(HasInterval):
    """A question."""

    task: str
    question: str
    systems: int  # systems with an answer
    solved: float  # mean rate of those
    value: float  # difficulty
    sd: float
    interval: Interval
    discrimination: float  # 1 in the model of Rasch
    infit: float  # nan if all outcomes are equal; so are all fields below except `by_luck`
    infit_p: float
    outfit: float
    outfit_p: float
    correlation: float  # of its rates with abilities estimated from the other questions
    inverted_p: float
    by_luck: float  # chance that a repeat is not unanimous; nan unless there is a single outcome
    flags: tuple[str, ...]

    @property
    def chance(self) -> str:
        """The p-value of the check that flags the question, as text."""
        return _chance(_p_of(self))

    def record(self) -> dict[str, Any]:
        """A flat record for a DataFrame or JSON."""
        checks = ("discrimination", "infit", "infit_p", "outfit", "outfit_p")
        more = ("correlation", "inverted_p", "by_luck")
        first = record_of(self, "task", "question", "systems", "solved", "value", "sd", "interval")
        return first | record_of(self, *checks, *more) | {"flags": ", ".join(self.flags)}


@dataclass(frozen=True, slots=True, kw_only=True)
class AlikePair:
    """Two questions with correlated residuals."""

    task: str
    first: str
    second: str
    correlation: float  # of what ability and difficulty leave unexplained
    p_value: float  # adjusted (Holm)
    agreement: float  # share of systems with the same rate on both

    def record(self) -> dict[str, Any]:
        """A flat record."""
        names = ("task", "first", "second", "correlation", "p_value", "agreement")
        return record_of(self, *names)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskItems:
    """Statistics of all questions of a task."""

    task: str
    systems: int
    questions: int
    spread: float  # sd of the difficulties
    mean: float
    alikeness: float  # correlation of trials of a system on a question beyond the model
    all_right: int
    all_wrong: int
    expected_right: float  # number of such questions that the model expects
    expected_wrong: float
    pairs: int  # number of pairs tested


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SubsetSize(EqualByValue):
    """A subset of the questions of a task, with its cross-validated error."""

    task: str
    size: int
    swapped: float  # share of pairs of systems whose order changes
    swapped_sd: float  # standard error of that share
    away: float  # root mean square error of the score predicted from the subset
    slope: float  # score on all = intercept + slope × score on the subset, between 0 and 1
    intercept: float
    questions: tuple[str, ...]

    def record(self) -> dict[str, Any]:
        """A flat record."""
        names = ("task", "size", "swapped", "swapped_sd", "away", "slope", "intercept")
        return record_of(self, *names) | {"questions": ", ".join(self.questions)}


@dataclass(frozen=True, slots=True, repr=False)
class Items(Rows[ItemRow]):
    """The questions of every task, with the systems."""

    _: KW_ONLY
    systems: tuple[SystemAbility, ...]
    pairs: tuple[AlikePair, ...]
    subsets: tuple[SubsetSize, ...]
    tasks: tuple[TaskItems, ...]
    level: float
    method: str
    remarks: tuple[str, ...] = ()
    drops: ClassVar[tuple[str, ...]] = ("outfit", "sd", "task", "answers", "infit", "difficulty")

    @property
    def suspects(self) -> list[ItemRow]:
        """Suspect questions, the most doubtful first."""
        rows = [row for row in self.rows if {INVERTED, FLAT} & {*row.flags}]
        return sorted(rows, key=lambda row: (INVERTED not in row.flags, row.correlation))

    @property
    def are_scores(self) -> bool:
        """Never: difficulties are log odds."""
        return False

    def columns(self) -> list[list[str]]:
        """Suspect questions as columns of text; the hardest questions if none is suspect."""
        rows = (self.suspects or sorted(self.rows, key=lambda row: -row.value))[:_SHOWN]
        title = [interval_title(self.level)]
        tasks = [row.task for row in rows]
        hard = ((row.value, row.interval.low, row.interval.high, 0.1) for row in rows)
        columns = [
            ["question", *(row.question for row in rows)],
            *([["task", *tasks]] if any(tasks) else []),
            _scores("solved", (row.solved for row in rows)),
            interval_column("difficulty", title, hard, are_scores=False),
            ["infit", *_cells(row.infit for row in rows)],
            ["outfit", *_cells(row.outfit for row in rows)],
            ["correlation", *_cells((row.correlation for row in rows), signed=True)],
            ["p", *(row.chance for row in rows)],
            ["by luck", *_cells(row.by_luck for row in rows)],
            ["looks", *(", ".join(row.flags) for row in rows)],
        ]
        return [column for column in columns if any(cell not in ("", DASH) for cell in column[1:])]

    def parts(self) -> list[Table | str]:
        """Tables of suspect questions, systems, correlated pairs, and subsets."""
        first = Rows.parts(self)
        return [*first, self._system_table(), *self._pair_tables(), *self._subset_tables()]

    def _system_table(self) -> Table:
        rows = self.systems[:_SHOWN]
        title = [interval_title(self.level)]
        able = ((row.value, row.interval.low, row.interval.high, row.sd) for row in rows)
        abilities = interval_column("ability", title, able, are_scores=False)
        tasks = [row.task for row in rows]
        columns = [
            ["system", *(row.system for row in rows)],
            *([["task", *tasks]] if any(tasks) else []),
            _scores("score", (row.score for row in rows)),
            [cell.replace("inf", "  ∞") for cell in abilities],
        ]
        if self.is_adjusted:
            adjusted = (
                (row.adjusted, row.adjusted_low, row.adjusted_high, row.adjusted_sd) for row in rows
            )
            columns.append(interval_column("adjusted score", title, adjusted))
            columns.append(["questions", *(str(row.questions) for row in rows)])
        left = len(self.systems) - len(rows)
        more = [f"{counted(left, 'system')} more: {_export_rows('.systems')}."] if left else []
        return Table(columns=columns, notes=more, drops=("questions", "task"))

    @property
    def is_adjusted(self) -> bool:
        """Whether systems answered different questions, so that their scores are adjusted."""
        return len({(row.task, row.questions) for row in self.systems}) > len(self.tasks)

    def _pair_tables(self) -> list[Table]:
        if not self.pairs:
            return []
        rows = self.pairs[:_SHOWN]
        left = len(self.pairs) - len(rows)
        more = [f"{counted(left, 'pair')} more: {_export_rows('.pairs')}."] if left else []
        columns = [
            ["alike", *(f"{row.first} and {row.second}" for row in rows)],
            ["correlation", *_cells((row.correlation for row in rows), signed=True)],
            ["same outcome", *(f"{row.agreement:.2f}" for row in rows)],
            ["p", *(_chance(row.p_value) for row in rows)],
        ]
        return [Table(columns=columns, notes=more)]

    def _subset_tables(self) -> list[Table]:
        if not self.subsets:
            return []
        tasks = [row.task for row in self.subsets]
        columns = [
            ["subset", *(counted(row.size, "question") for row in self.subsets)],
            *([["task", *tasks]] if any(tasks) else []),
            ["pairs in another order", *map(_share, self.subsets)],
            _scores("score off by", (row.away for row in self.subsets)),
        ]
        note = Explanation(
            "Subsets: questions are added by forward selection. Errors are those on systems that "
            "had no part in the choice (ten folds over systems): the share of other systems to "
            "which the order changes, ties as one half, ± its standard error; and the root mean "
            "square of the score predicted from the subset by linear regression."
        )
        return [Table(columns=columns, explanation=[note])]

    def notes(self) -> list[str]:
        """What the columns mean, the method, and remarks on the data."""
        return [
            *map(Explanation, _MEANINGS),
            Explanation(f"Method: {self.method}."),
            *(sentence for task in self.tasks for sentence in _on_dead(task)),
            *self.remarks,
        ]

    def conclusion(self) -> Headline | None:
        """The number of suspect questions, with the reasons."""
        number = counted(len(self.rows), "question")
        counts = {
            flag: sum(flag in row.flags for row in self.rows)
            for flag in (INVERTED, FLAT, ALL_WRONG, ALL_RIGHT)
        }
        claims = [f"{count} {_SOLVED.get(flag, flag)}" for flag, count in counts.items() if count]
        if self.pairs:
            claims.append(f"{counted(len(self.pairs), 'pair')} alike")
        if not claims:
            return Headline(f"None of {number} looks wrong", ".")
        if not self.suspects and not self.pairs:
            return Headline(f"None of {number} looks wrong; {', '.join(claims)}", ".")
        wrong = len(self.suspects)
        claim = f"{wrong} of {number} {'looks' if wrong == 1 else 'look'} wrong"
        return Headline(f"{claim}: {', '.join(claims)}", ".")

    def footer(self) -> str:
        """A line on what the intervals cover."""
        return coverage_line(self.systems[0].interval)

    def further_records(self) -> dict[str, list[dict[str, Any]]]:
        """Records of systems, pairs of questions and subsets."""
        return {
            "systems": [row.record() for row in self.systems],
            "pairs": [row.record() for row in self.pairs],
            "subsets": [row.record() for row in self.subsets],
        }

    def write_subset(self, path: str | Path) -> None:
        """Write the ids of the largest subset of every task, one per line."""
        if not self.subsets:
            raise InputError("there is no subset to write: it takes five systems to choose one.")
        largest = {row.task: row for row in self.subsets}
        names = [name for row in largest.values() for name in row.questions]
        with atomic_file(str(path)) as beside:
            beside.write_text("".join(f"{name}\n" for name in names), encoding="utf-8")


def _export_rows(field: str) -> str:
    return way_to_say("--format json has all", f"{field} has all")


def _p_of(row: ItemRow) -> float:
    """The p-value of the check that flags a question."""
    if INVERTED in row.flags:
        return row.inverted_p
    return row.infit_p if FLAT in row.flags else math.nan


def _chance(p_value: float) -> str:
    if math.isnan(p_value):
        return DASH
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"


def _cells(values: Iterable[float], *, signed: bool = False) -> list[str]:
    style = "+.2f" if signed else ".2f"
    return [DASH if math.isnan(value) else f"{value:{style}}" for value in values]


def _scores(name: str, scores: Iterable[float]) -> list[str]:
    """A column of scores, to three decimals."""
    return [score_head(name), *align_points(score_text(score, _TO_THREE) for score in scores)]


def _share(row: SubsetSize) -> str:
    return f"{100.0 * row.swapped:.1f} ± {100.0 * row.swapped_sd:.1f}%"


def _on_dead(task: TaskItems) -> list[str]:
    """Remarks on unanimous questions, beside the numbers that the model expects."""
    remarks = []
    for number, words, expected in (
        (task.all_wrong, "no system solves", task.expected_wrong),
        (task.all_right, "all systems solve", task.expected_right),
    ):
        if number:
            where = f"{task.task}: " if task.task else ""
            remarks.append(
                f"{where}{counted(number, 'question')} that {words}; the model expects "
                f"{expected:.1f}."
            )
    return remarks
