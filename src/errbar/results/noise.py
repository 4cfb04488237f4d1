"""Sources of the uncertainty of scores, and the effect of more questions and trials."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from errbar.base.remarks import Explanation, counted
from errbar.base.tables import (
    DASH,
    Headline,
    Table,
    interval_column,
    interval_head,
    interval_title,
    scale,
    score_head,
)
from errbar.results.base import Measurement, Rows
from errbar.results.estimate import EqualByValue, Estimand, Interval, Subject, coverage_line

TRIALS = "trial noise"
_ENDLESS = math.inf


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NoiseSource(EqualByValue):
    """A source of noise, its variance component, and its share of the squared standard error."""

    name: str
    variance: Measurement  # variance component, for a single trial of a new question
    weight: float  # weight of that component in the squared standard error
    share: Measurement
    by_question: bool  # whether more questions reduce it
    by_trial: bool  # whether more trials reduce it

    @property
    def square(self) -> float:
        """Contribution to the squared standard error; an estimate below 0 counts as 0."""
        return max(self.variance.value, 0.0) * self.weight


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NoiseRow(EqualByValue):
    """The noise in the mean of a system, or in the difference of two systems."""

    of: Subject
    against: str  # the second system of a difference
    value: float
    questions: int
    trials: float  # trials of a question on average (harmonic mean)
    sources: tuple[NoiseSource, ...]  # the last is the trials
    icc: Measurement  # intraclass correlation: share of the variance of a trial due to questions
    level: float
    is_binary: bool

    @property
    def who(self) -> str:
        """The system, or both."""
        return f"{self.of.system} − {self.against}" if self.against else self.of.system

    @property
    def name(self) -> str:
        """The system, or both, with the task."""
        return " · ".join(filter(None, (self.who, self.of.task)))

    @property
    def se(self) -> float:
        """Standard error, for new questions of the same kind."""
        return self.se_with(self.questions, self.trials)

    def se_with(self, questions: float, trials: float) -> float:
        """Standard error with these numbers of questions and of trials per question.

        The numbers of levels of other columns, such as judges, stay the same.
        """
        more, often = questions / self.questions, trials / self.trials
        square = math.fsum(
            source.square
            / (more if source.by_question else 1.0)
            / (often if source.by_trial else 1.0)
            for source in self.sources
        )
        return math.sqrt(square) if square > 0.0 else math.nan  # never 0 for lack of data

    def records(self) -> list[dict[str, Any]]:
        """A flat record per source."""
        record: dict[str, Any] = {"system": self.of.system, "task": self.of.task}
        record |= {"against": self.against, "value": self.value, "se": self.se}
        record |= {"questions": self.questions, "trials": self.trials, "icc": self.icc.value}
        record |= {"icc_low": self.icc.low, "icc_high": self.icc.high, "level": self.level}
        return [
            record
            | {
                "source": source.name,
                "variance": source.variance.value,
                "variance_low": source.variance.low,
                "variance_high": source.variance.high,
                "share": source.share.value,
                "share_low": source.share.low,
                "share_high": source.share.high,
            }
            for source in self.sources
        ]

    def verdict(self) -> str:
        """The largest source of the uncertainty."""
        most = max(self.sources, key=lambda source: source.share.value)
        what = "the difference" if self.against else "avg"
        share = f"{100.0 * most.share.value:.0f}%"
        where = f"{self.name}: " if self.name else ""
        return f"{where}{share} of the uncertainty of {what} comes from the {most.name}"

    def difficulty(self) -> str:
        """The Beta distribution with this mean and intraclass correlation, for `errbar.plan`."""
        share = min(max(self.icc.value, 1e-3), 1.0 - 1e-3)
        size = 1.0 / share - 1.0
        mean = min(max(self.value, 1e-3), 1.0 - 1e-3)
        return f"beta({size * mean:.3g}, {size * (1.0 - mean):.3g})"


_MEANINGS = (
    "variance: components of the variance of a single trial of a new question; they add up. "
    "choice of questions: variance between the success rates of questions (data noise); trial "
    "noise: variance between trials of a question (prediction noise). For a difference, a trial "
    "is one trial of each system (definitions of Wang 2025, arXiv:2512.21326, here without "
    "bias). An estimate may be below 0.",
    "share: of the squared standard error of the score, for these numbers of questions and trials.",
    "ICC: intraclass correlation, the share of the variance of a trial that the questions explain.",
)


@dataclass(frozen=True, slots=True, repr=False)
class NoiseTable(Rows[NoiseRow]):
    """The noise of all systems and of their differences."""

    designs: tuple[tuple[int, int], ...] = ()  # questions and trials of further designs
    method: str = ""
    remarks: tuple[str, ...] = ()
    drops: ClassVar[tuple[str, ...]] = ("ICC", "endless trials", "avg", "variance")

    def to_dicts(self) -> list[dict[str, Any]]:
        """A flat record per system, or difference, and source of noise."""
        return [record for row in self.rows for record in row.records()]

    def labels(self) -> list[str]:
        """A name of each row, with the task if there are several."""
        several = len({row.of.task for row in self.rows}) > 1
        return [row.name if several else row.who for row in self.rows]

    def columns(self) -> list[list[str]]:
        """Return the columns as text, each beginning with its head."""
        title = [interval_title(self.rows[0].level)]
        each = [(row, source) for row in self.rows for source in row.sources]
        labels = dict(zip(map(id, self.rows), self.labels(), strict=True))
        names = [labels[id(row)] if row.sources[0] is source else "" for row, source in each]
        variances = (source.variance.cell for _, source in each)
        shares = [_percents(source.share) for _, source in each]
        systems = [["system", *names]] if any(names) else []
        return [
            *systems,
            ["source of noise", *(source.name for _, source in each)],
            interval_column("variance", title, variances, are_scores=False),
            [interval_head("share", title), *shares],
        ]

    def breaks(self) -> set[int]:
        """Rows at which another system begins."""
        sizes = [len(row.sources) for row in self.rows]
        return {sum(sizes[:at]) for at in range(1, len(sizes))}

    def parts(self) -> list[Table | str]:
        """Tables of the components, and of standard errors with more data."""
        return [*Rows.parts(self), Table(columns=self.design_columns(), drops=self.drops)]

    def design_records(self) -> list[dict[str, Any]]:
        """Standard errors with more questions or trials: a flat record per row and design."""
        return [
            {"system": row.of.system, "task": row.of.task, "against": row.against}
            | {"questions": questions, "trials": trials, "se": row.se_with(questions, trials)}
            for row in self.rows
            for questions, trials in _designs(row, self.designs)
        ]

    def design_columns(self) -> list[list[str]]:
        """Standard errors with the present and with more data, as columns of text."""
        rows = self.rows
        iccs = (row.icc.cell for row in rows)
        title = [interval_title(rows[0].level)]

        def errors(head: str, questions: float = 1.0, trials: float = 1.0) -> list[str]:
            """Standard errors with multiples of the questions and of the trials."""
            with_more = (
                row.se_with(questions * row.questions, trials * row.trials) for row in rows
            )
            return [head, *(map(_error, with_more))]

        columns = [
            ["system", *self.labels()],
            [score_head("avg"), *(f"{scale() * row.value:.3f}" for row in rows)],
            errors(score_head("standard error")),
            errors(score_head("2 × trials"), trials=2.0),
            errors(score_head("2 × questions"), questions=2.0),
            errors(score_head("endless trials"), trials=_ENDLESS),
        ]
        for questions, trials in self.designs:
            each = (_error(row.se_with(questions, trials)) for row in rows)
            columns.append([score_head(f"{questions} × {trials}"), *each])
        columns.append(interval_column("ICC", title, iccs, are_scores=False))
        return [column for column in columns if any(column[1:])]

    def notes(self) -> list[str]:
        """What the columns mean, the method, and remarks on the data."""
        return [
            *map(Explanation, _MEANINGS),
            Explanation(f"Method: {self.method}."),
            *self.remarks,
        ]

    def conclusion(self) -> Headline | None:
        """The verdict on a single system, or on all of them."""
        if all(math.isnan(row.se) for row in self.rows):
            return Headline("All trials agree, so there is no trial noise", ".")
        if len(self.rows) == 1:
            return Headline(self.rows[0].verdict(), ".")
        claims: list[str] = []
        for what, some in (
            ("scores", [row for row in self.rows if not row.against]),
            ("differences", [row for row in self.rows if row.against]),
        ):
            shares = [100.0 * row.sources[-1].share.value for row in some]
            shares = [share for share in shares if not math.isnan(share)]
            if shares:
                whole = "that" if claims else "the uncertainty"
                claims.append(f"{_range(shares)} of {whole} of {what}")
        claim = f"{TRIALS.capitalize()} accounts for {', and '.join(claims)}"
        return Headline(claim, ".")

    def footer(self) -> str:
        """A line on what the intervals cover."""
        row = self.rows[0]
        interval = Interval(row.icc.low, row.icc.high, row.level, Estimand.POPULATION)
        sizes = sorted({row.questions for row in self.rows})
        questions = counted(sizes[0], "question") if len(sizes) == 1 else ""
        trials = sorted({f"{row.trials:.3g}" for row in self.rows})
        each = f"{questions}, {trials[0]} trials of each" if questions and len(trials) == 1 else ""
        return coverage_line(interval, each)


def _designs(row: NoiseRow, more: Sequence[tuple[int, int]]) -> list[tuple[float, float]]:
    now = row.questions, row.trials
    return [now, (now[0], 2 * now[1]), (2 * now[0], now[1]), (now[0], _ENDLESS), *more]


def _error(se: float) -> str:
    return DASH if math.isnan(se) else f"{scale() * se:.4f}"


def _percents(share: Measurement) -> str:
    if math.isnan(share.value):
        return DASH
    ends = f" [{100.0 * share.low:.0f}, {100.0 * share.high:.0f}]"
    known = not math.isnan(share.low)
    return f"{100.0 * share.value:.0f}%{ends if known else ''}"


def _range(shares: Sequence[float]) -> str:
    low, high = f"{min(shares):.0f}", f"{max(shares):.0f}"
    return f"{low}%" if low == high else f"{low} to {high}%"
