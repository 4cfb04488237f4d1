"""Sources of outcomes: the interface of all sources, and tables in an engine.

Every source provides the slices that metrics need, results per question and rows per status.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from errbar.base.remarks import mapping, way_to_say
from errbar.data.columns import ROW, Key
from errbar.data.engines.duckdb import plain_errors
from errbar.data.queries.costs import QuestionCosts, question_costs
from errbar.data.queries.count_tables import question_counts, slices_of_counts
from errbar.data.queries.expressions import HIDDEN, Columns, Frame, fetch, first_rows
from errbar.data.queries.label_rows import TrialsByQuestion, trials_by_question
from errbar.data.queries.named_questions import NamedQuestions, named_questions_in
from errbar.data.queries.properties import refuse_weights
from errbar.data.queries.questions import MOST_KEPT_ROWS, Slice, questions_of, slices
from errbar.data.queries.ranked_rows import (
    MOST_RANKED_ROWS,
    Penalty,
    RankedItems,
    RankedRows,
    ids_of,
    rankable,
    ranked_items,
    ranked_rows,
    replace_by_penalty,
)
from errbar.data.queries.ranked_totals import GroupedTotals, ranked_cells
from errbar.data.queries.row_order import OrderedRows, ordered_rows
from errbar.data.queries.tallies import Ballots, Results, ballots, categories, statuses
from errbar.data.readers.logs import NOWHERE, Origin
from errbar.errors import InputError, UnknownColumn

Categories = dict[Key, Results]
Rankings = Mapping[Key, RankedRows | GroupedTotals]


class Source(ABC):
    """Base class of the sources."""

    origin: Origin = NOWHERE
    where: str = ""  # path it was read from, if any

    @property
    def guesses_trials(self) -> bool:
        """Whether rows with the same id are assumed to be trials."""
        return False

    @property
    def outcome_column(self) -> str:
        """Name of the outcome column, if there is one."""
        return ""

    @property
    def has_ids(self) -> bool:
        """Whether questions have ids, rather than only the numbers of their rows."""
        return True

    def unused_columns(self) -> list[str]:
        """Columns that errbar does not use."""
        return []

    @abstractmethod
    def slices(self, by: Sequence[str]) -> list[Slice]:
        """Slices of every system and task, and of every value of the columns in `by`."""

    @abstractmethod
    def categories(self, by: Sequence[str]) -> Categories:
        """Distinct results of each slice, and how often each question has them."""

    @abstractmethod
    def named(self) -> dict[Key, NamedQuestions]:
        """Questions of every system and task, by name."""

    def ballots(self, by: Sequence[str]) -> dict[Key, list[Ballots]]:
        """Votes per answer of each question."""
        del by
        raise InputError("matrices and counts have no answers to vote by; use maj@k instead.")

    def costs(self, column: str | None) -> dict[Key, QuestionCosts]:
        """Costs of the rows of each question, by the column of that name or meaning."""
        del column
        raise InputError("matrices and counts have no cost; load rows with a column of it.")

    def with_repeats(self) -> "Source":
        """Copy of the source with every row a separate trial."""
        return self

    def ranked(self, bins: int | None) -> Rankings:
        """Confidence, result and cluster of every row, or totals per group of clusters."""
        del bins
        raise InputError("matrices and counts have no confidence to rank by.")

    def ranked_items(self) -> dict[Key, RankedItems]:
        """Confidence, result, cluster, question and trial of every row."""
        raise InputError("matrices and counts have no confidence to rank by.")

    def with_penalties(self, score: Penalty) -> "Source":
        """Copy with the penalty of the stated probability in place of each outcome."""
        del score
        raise InputError("matrices and counts have no confidence to compare with outcomes.")

    def trials_in_order(self, order: str | None) -> OrderedRows:
        """Rows in chronological order: as stored, or sorted by the column `order`."""
        del order
        raise InputError("counts do not record the order of trials; load the rows instead.")

    def trials(self) -> TrialsByQuestion:
        """The trials of every question, one by one."""
        raise InputError("counts do not say which trial was right; load the rows instead.")

    def with_origin(self, origin: Origin) -> Self:
        """Copy of the source with another origin."""
        return replace(self, origin=origin)  # type: ignore[type-var]  # each kind is a dataclass

    def at(self, where: str) -> Self:
        """Copy of the source with the path it was read from."""
        return replace(self, where=where)  # type: ignore[type-var]  # each table is a dataclass

    def examples(self, number: int) -> list[dict[str, str]]:
        """The first rows as text, by column meaning."""
        del number
        return []

    def statuses(self) -> dict[str, int]:
        """Number of rows per status."""
        return {}

    def weight_columns(self) -> list[str]:
        """Columns with the weights of questions."""
        return []


@dataclass(frozen=True, kw_only=True)
class _InTable(Source):
    """Outcomes in a table of pandas, polars, pyarrow, DuckDB or Spark."""

    frame: Frame
    columns: Columns
    allow_repeats: bool = False
    where: str = ""
    origin: Origin = NOWHERE

    def weight_columns(self) -> list[str]:
        """The column with the weights of questions, if there is one."""
        return [self.columns["weight"]] if "weight" in self.columns else []


@dataclass(frozen=True, kw_only=True)
class TableSource(_InTable):
    """A table with a row per trial."""

    _found: dict[Key, list[Slice]] = field(default_factory=dict)
    _results: dict[Key, Categories] = field(default_factory=dict)
    _statuses: dict[str, int] = field(default_factory=dict)
    _questions: list[Frame] = field(default_factory=list)  # at most one table
    _named: dict[Key, NamedQuestions] = field(default_factory=dict)

    @property
    def guesses_trials(self) -> bool:
        """Whether no column numbers the trials; readers of logs never need to guess."""
        return "trial" not in self.columns and not self.origin.reader

    @property
    def outcome_column(self) -> str:
        """Name of the outcome column of a table; None for a log."""
        return "" if self.origin.reader else self.columns["outcome"]

    @property
    def has_ids(self) -> bool:
        """Whether a column has the ids of questions."""
        return self.columns["question"] != ROW

    def unused_columns(self) -> list[str]:
        """Columns of the table that mean nothing to errbar."""
        used = {*self.columns.named.values(), *HIDDEN}
        with plain_errors(self.where):
            return [name for name in self.frame.collect_schema().names() if name not in used]

    def using(self, column: str) -> Self:
        """The source with a column marked as used, so that no remark calls it unused."""
        columns = self.columns
        beside, unused = (
            tuple(name for name in names if name != column)
            for names in (columns.beside, columns.unused)
        )
        now = replace(columns, beside=beside, unused=unused).remark()
        remarks = tuple(now if each == columns.remark() else each for each in self.origin.remarks)
        return self.with_origin(replace(self.origin, remarks=remarks))

    def slices(self, by: Sequence[str]) -> list[Slice]:
        """By one GROUP BY; cached."""
        key = tuple(by)
        if key not in self._found:
            with plain_errors(self.where):
                questions = questions_of(self.frame, self.columns, by)
                self._found[key] = slices(
                    self.frame, self.columns, questions, by, allow_repeats=self.allow_repeats
                )
            if not key and sum(part.rows for part in self._found[key]) <= MOST_KEPT_ROWS:
                self._questions[:] = [questions]
        return self._found[key]

    def categories(self, by: Sequence[str]) -> Categories:
        """By one GROUP BY; cached."""
        key = tuple(by)
        if key not in self._results:
            with plain_errors(self.where):
                self._results[key] = categories(self.frame, self.columns, by)
        return self._results[key]

    def named(self) -> dict[Key, NamedQuestions]:
        """From the query of the slices, which validates the data; cached for a small table."""
        self.slices(())
        with plain_errors(self.where):
            if self._questions and not self._named:
                self._named.update(named_questions_in(fetch(self._questions[0])))
            return self._named or named_questions_in(fetch(questions_of(self.frame, self.columns)))

    def ballots(self, by: Sequence[str]) -> dict[Key, list[Ballots]]:
        """By one GROUP BY."""
        with plain_errors(self.where):
            return ballots(self.frame, self.columns, by)

    def costs(self, column: str | None) -> dict[Key, QuestionCosts]:
        """By one GROUP BY; the query of the slices validates the data."""
        self.slices(())
        is_cost = column in (None, "cost")
        if is_cost and "cost" not in self.columns:
            raise UnknownColumn(
                f"no column has a cost. Name it: {mapping('cost')}; for anything else that is "
                f"spent, as seconds: {way_to_say('--of COLUMN', 'of=…')}"
            )
        with plain_errors(self.where):
            name = self.columns["cost"] if is_cost else str(column)
            return question_costs(self.frame, self.columns, name)

    def with_repeats(self) -> "TableSource":
        """Copy of the source with every row a separate trial."""
        return replace(self, allow_repeats=True, _found={})

    def ranked(self, bins: int | None) -> Rankings:
        """All rows if they fit in memory; else, or with bins, totals by one GROUP BY."""
        with plain_errors(self.where):
            refuse_weights(self.frame, self.columns, "ranking item by item")
            rows = rankable(self.frame, self.columns)
            fits = bins is None and rows.size <= MOST_RANKED_ROWS
            return ranked_rows(rows) if fits else ranked_cells(rows, bins)

    def ranked_items(self) -> dict[Key, RankedItems]:
        """All rows; the query of the slices validates their names."""
        self.slices(())
        with plain_errors(self.where):
            refuse_weights(self.frame, self.columns, "ranking item by item")
            rows = rankable(self.frame, self.columns, **ids_of(self.frame, self.columns))
            if rows.size > MOST_RANKED_ROWS:
                raise InputError(
                    f"comparing items one by one is limited to {MOST_RANKED_ROWS:,} rows, "
                    f"and there are {rows.size:,}. Compare fewer systems or tasks."
                )
            return ranked_items(rows)

    def with_penalties(self, score: Penalty) -> "TableSource":
        """Copy of the table with penalties in place of outcomes."""
        with plain_errors(self.where):
            frame, columns = replace_by_penalty(self.frame, self.columns, score)
        return TableSource(
            frame=frame,
            columns=columns,
            allow_repeats=self.allow_repeats,
            where=self.where,
            origin=self.origin,
        )

    def trials_in_order(self, order: str | None) -> OrderedRows:
        """All rows, fetched."""
        with plain_errors(self.where):
            refuse_weights(self.frame, self.columns, "watching a run")
            return ordered_rows(self.frame, self.columns, order)

    def trials(self) -> TrialsByQuestion:
        """All rows, fetched."""
        with plain_errors(self.where):
            return trials_by_question(self.frame, self.columns)

    def examples(self, number: int) -> list[dict[str, str]]:
        """The first rows."""
        with plain_errors(self.where):
            return first_rows(self.frame, self.columns, number)

    def statuses(self) -> dict[str, int]:
        """By one GROUP BY."""
        with plain_errors(self.where):
            self._statuses.update(self._statuses or statuses(self.frame, self.columns))
        return dict(self._statuses)


@dataclass(frozen=True, kw_only=True)
class CountsTableSource(_InTable):
    """A table with a row per question: its trials, and how many were right."""

    def slices(self, by: Sequence[str]) -> list[Slice]:
        """By one GROUP BY."""
        with plain_errors(self.where):
            return slices_of_counts(self.frame, self.columns, by, allow_repeats=self.allow_repeats)

    def named(self) -> dict[Key, NamedQuestions]:
        """By one GROUP BY."""
        with plain_errors(self.where):
            counted = question_counts(self.frame, self.columns, allow_repeats=self.allow_repeats)
            return named_questions_in(fetch(counted))

    def with_repeats(self) -> "CountsTableSource":
        """Copy of the source in which the rows of a question are added up."""
        return replace(self, allow_repeats=True)

    def categories(self, by: Sequence[str]) -> Categories:
        """Raises an error: counts of right and wrong have no other categories."""
        del by
        raise InputError(
            "a table of counts has only right and wrong; metrics with weights need rows."
        )
