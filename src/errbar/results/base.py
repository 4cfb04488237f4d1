"""Base of all results: printing, notebooks, conversion to DataFrames and to text formats."""

import csv
import html
import importlib
import io
import json
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, overload

from errbar.base.markup import (
    inert_csv,
    inert_markdown,
    latex_table,
    markdown_table,
    printable_json,
)
from errbar.base.remarks import above, add_conditions, below, explanations, marked, unmarked
from errbar.base.tables import (
    DASH,
    Detail,
    Headline,
    Table,
    Tone,
    interval_cells,
    interval_column,
    is_numeric,
    page,
    plain,
    scale,
    score_head,
)
from errbar.errors import InputError

if TYPE_CHECKING:
    from errbar.results.pictures.picture import Picture

R = TypeVar("R")

_BAR_WIDTH = 120  # pixels of the bars of intervals in a notebook
_WITH_INTERVAL = re.compile(r"([-+]?[\d.]+) +\[ *([-+]?[\d.]+), *([-+]?[\d.]+)\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """A number with its interval."""

    value: float
    sd: float
    low: float
    high: float

    def holds(self, number: float) -> bool:
        """Whether a number lies within the interval."""
        return self.low <= number <= self.high

    @property
    def cell(self) -> tuple[float, float, float, float]:
        """Value, ends and standard deviation, as tables take them."""
        return self.value, self.low, self.high, self.sd


class Result(ABC):
    """A table of rows with notes."""

    __slots__ = ()
    drops: ClassVar[tuple[str, ...]] = ()  # columns that a narrow terminal leaves out, in order
    tones: ClassVar[Mapping[str, Tone]] = {}  # of cells, by their text

    @property
    def are_scores(self) -> bool:
        """Whether its values are scores, which `--percent` shows in percent."""
        return True

    @abstractmethod
    def to_dicts(self) -> list[dict[str, Any]]:
        """A flat record per row, for a DataFrame or JSON."""

    def further_records(self) -> dict[str, list[dict[str, Any]]]:
        """Records besides the rows of the table, by name, for JSON."""
        return {}

    @abstractmethod
    def columns(self) -> list[list[str]]:
        """Columns as text, each beginning with its head; empty columns are left out."""

    @abstractmethod
    def notes(self) -> list[str]:
        """Notes on the rows; guesses and warnings print above the table, others below."""

    def breaks(self) -> set[int]:
        """Rows that begin a new group."""
        return set()

    def conclusion(self) -> Headline | None:
        """The main finding in a sentence; None if there is none."""
        return None

    def footer(self) -> str:
        """A line on what the numbers mean."""
        return ""

    def parts(self) -> list[Table | str]:
        """The tables to print, and the sentences between them."""
        notes = self.notes()
        return [
            Table(
                columns=self.columns(),
                notes=unmarked(self._further(notes)),
                breaks=self.breaks(),
                above=marked(notes),
                conclusion=self.conclusion(),
                footer=add_conditions(self.footer(), notes),
                explanation=explanations(self._further(notes)),
                drops=self.drops,
                tones=self.tones,
            )
        ]

    def explain(self) -> str:
        """The result as it prints, with definitions and methods."""
        return plain(page(self.parts(), Detail.EXPLAINED))

    def to_pandas(self) -> Any:
        """A pandas DataFrame of the records."""
        return _library("pandas").DataFrame(self.to_dicts())

    def to_polars(self) -> Any:
        """A polars DataFrame of the records."""
        return _library("polars").DataFrame(self.to_dicts())

    def to_arrow(self) -> Any:
        """A pyarrow Table of the records."""
        return _library("pyarrow").Table.from_pylist(self.to_dicts())

    def to_json(self) -> str:
        """JSON with guesses, rows and notes; a number that is not finite is null."""
        notes = self.notes()
        document: dict[str, Any] = {"guesses": above(notes), "rows": _finite(self.to_dicts())}
        document["notes"] = below(notes)
        document |= {name: _finite(records) for name, records in self.further_records().items()}
        return printable_json(json.dumps(document, indent=2, ensure_ascii=False))

    def to_csv(self, *, raw: bool = False) -> str:
        """CSV of the records, without the notes.

        Control characters are escaped, and text that a spreadsheet would take for a formula has an
        apostrophe before it; with `raw`, text is written as it is.
        """
        rows = self.to_dicts()
        if self.are_scores:
            rows = [_to_percent(row) for row in rows]
        if not raw:
            rows = [
                {str(inert_csv(key)): inert_csv(value) for key, value in row.items()}
                for row in rows
            ]
        out = io.StringIO()
        # Python before 3.13 does not quote a carriage return, which then ends a row.
        heads = list(rows[0]) if rows else []
        writer = csv.DictWriter(
            out,
            heads,
            lineterminator="\n",
            quoting=csv.QUOTE_NONNUMERIC if raw else csv.QUOTE_MINIMAL,
        )
        writer.writeheader()
        writer.writerows(rows)
        return out.getvalue().rstrip("\n")

    def to_markdown(self) -> str:
        """A Markdown table with its conclusion and notes."""
        notes, headline = self.notes(), self.conclusion()
        table = markdown_table(self.columns(), self._further(notes), above(notes))
        if headline is None:
            return table
        return f"**{inert_markdown(headline.claim)}**{inert_markdown(headline.rest)}\n\n{table}"

    def to_latex(self) -> str:
        """A LaTeX table (booktabs) with its conclusion and notes as comments."""
        notes, headline = self.notes(), self.conclusion()
        first = [f"{headline.claim}{headline.rest}"] if headline is not None else []
        return latex_table(self.columns(), self._further(notes), [*first, *above(notes)])

    def to_html(self) -> str:
        """An HTML table with its notes, as a notebook shows it."""
        notes = self.notes()
        return _html_table(self.columns(), self._further(notes), above(notes), self.conclusion())

    def _further(self, notes: Sequence[str]) -> list[str]:
        """Notes below the table, without the conclusion, which is printed first."""
        headline = self.conclusion()
        return [
            note
            for note in below(notes)
            if headline is None or note != headline.claim + headline.rest
        ]

    def plot(self) -> "Picture":
        """A picture of the result; see "Pictures" in the documentation."""
        from errbar.results.pictures import plot  # noqa: PLC0415  an extra

        return plot(self)

    def __str__(self) -> str:
        return plain(page(self.parts()))

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return self.to_html()


class ResultSequence(Sequence[R], Result):
    """A result that is also the sequence of its entries, stored in the field `entries_field`."""

    __slots__ = ()
    entries_field: ClassVar[str]

    def _entries(self) -> tuple[R, ...]:
        entries: tuple[R, ...] = getattr(self, self.entries_field)
        return entries

    def __len__(self) -> int:
        return len(self._entries())

    def __iter__(self) -> Iterator[R]:
        return iter(self._entries())

    @overload
    def __getitem__(self, at: int) -> R: ...
    @overload
    def __getitem__(self, at: slice) -> Self: ...
    def __getitem__(self, at: int | slice) -> R | Self:
        if isinstance(at, slice):
            part: Self = replace(self, **{self.entries_field: self._entries()[at]})  # type: ignore[type-var]
            return part
        return self._entries()[at]


@dataclass(frozen=True, slots=True, repr=False)
class Rows(ResultSequence[R]):
    """A result whose entries are its rows."""

    entries_field: ClassVar[str] = "rows"
    rows: tuple[R, ...]

    def to_dicts(self) -> list[dict[str, Any]]:
        """A flat record per row, for a DataFrame or JSON."""
        rows: Sequence[Any] = self.rows
        return [row.record() for row in rows]

    def _numbers(self, field: str) -> list[tuple[float, float, float, float]]:
        rows: Sequence[Any] = self.rows
        return [(getattr(row, field), row.interval.low, row.interval.high, row.sd) for row in rows]

    def cells_of(self, field: str, *, signed: bool = False) -> list[str]:
        """A number of each row with its interval, to the digits that sd supports."""
        return interval_cells(self._numbers(field), signed=signed, are_scores=self.are_scores)

    def column_of(self, field: str, name: str, *, signed: bool = False) -> list[str]:
        """The column of a number of each row with its interval, from its head down."""
        rows: Sequence[Any] = self.rows
        titles = (row.interval.title for row in rows)
        numbers = self._numbers(field)
        return interval_column(name, titles, numbers, signed=signed, are_scores=self.are_scores)


# Fields of records that are scores or differences of scores.
_SCORES = frozenset(
    {
        *("value", "mean", "sd", "low", "high", "against", "difference", "margin"),
        *("baseline", "candidate", "change", "max_drop"),
    }
)


def _to_percent(row: dict[str, Any]) -> dict[str, Any]:
    """A record with its scores in percent, within `in_percent`."""
    if scale() == 1:
        return row
    scores = {key for key, value in row.items() if key in _SCORES and not isinstance(value, str)}
    return {
        score_head(key) if key in scores else key: scale() * value
        if key in scores and isinstance(value, float)
        else value
        for key, value in row.items()
    }


def finite(value: Any) -> Any:
    """A value for JSON: null for a number that is not finite."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _finite(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: finite(value) for key, value in record.items()} for record in records]


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise InputError(f"{name} is not installed: pip install {name}.") from error


_LEFT = ' style="text-align:left"'


def _html_table(
    columns: Iterable[Sequence[str]],
    notes: Iterable[str],
    above: Iterable[str] = (),
    conclusion: Headline | None = None,
) -> str:
    """Return a conclusion, columns and notes as HTML, with all text escaped.

    A number with its interval, as in 0.67 [0.53, 0.78], has a bar below it; notes are folded.
    """
    whole = list(columns)
    sides = [
        "" if is_numeric(column) else _LEFT for column in whole
    ]  # notebooks align to the right
    head, *rows = zip(*map(_with_bars, whole), strict=True)
    first = "".join(f"<p>{html.escape(note)}</p>" for note in above)
    if conclusion is not None:
        claim, rest = html.escape(conclusion.claim), html.escape(conclusion.rest)
        first = f"<p><strong>{claim}</strong>{rest}</p>{first}"
    body = "".join(f"<tr>{_cells('td', row, sides)}</tr>" for row in rows)
    below = "<br>".join(html.escape(note) for note in notes)
    folded = f"<details><summary>Notes</summary>{below}</details>" if below else ""
    return (
        f"{first}<table><thead><tr>{_cells('th', head, sides)}</tr></thead><tbody>{body}</tbody>"
        f"</table>"
        f"{folded}"
    )


def _with_bars(column: Sequence[str]) -> list[str]:
    """Return cells as HTML; intervals are drawn on one axis, with zero if signs differ."""
    matches = [_WITH_INTERVAL.fullmatch(cell.strip()) for cell in column]
    bars = [tuple(map(float, match.groups())) if match else () for match in matches]
    ends = [number for bar in bars for number in bar]
    texts = [html.escape(cell) for cell in column]
    if not ends:
        return texts
    left = min(ends)
    factor = _BAR_WIDTH / ((max(ends) - left) or 1.0)
    zero = f'<path d="M{-left * factor:.1f} 0v10" opacity=".5"/>' if left < 0 < max(ends) else ""
    return [
        f'{text}<br><svg width="{_BAR_WIDTH + 6}" height="10" viewBox="-3 0 {_BAR_WIDTH + 6} 10" '
        f'aria-hidden="true" fill="currentColor" stroke="currentColor">{zero}<path d="M'
        f'{(bar[1] - left) * factor:.1f} 5H{(bar[2] - left) * factor:.1f}" stroke-width="4" '
        f'opacity=".35"/><circle cx="{(bar[0] - left) * factor:.1f}" cy="5" r="2.5"/></svg>'
        if bar
        else text
        for text, bar in zip(texts, bars, strict=True)
    ]


def _cells(tag: str, row: Sequence[str], sides: Sequence[str]) -> str:
    return "".join(f"<{tag}{side}>{cell}</{tag}>" for cell, side in zip(row, sides, strict=True))


def size_columns(estimates: Sequence[Any]) -> list[list[str]]:
    """Numbers of questions and trials if they differ, and of clusters if there are any."""
    sizes = {
        name: [getattr(estimate, name) for estimate in estimates]
        for name in ("questions", "trials", "clusters")
    }
    if sizes["trials"] == sizes["questions"]:
        del sizes["trials"]
    return [
        [name, *(str(size) if size else DASH for size in numbers)]
        for name, numbers in sizes.items()
        if len({size for size in numbers if size}) > (name != "clusters")
    ]
