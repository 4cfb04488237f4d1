"""Numbers to their significant digits, and pages of text: conclusions, remarks and tables.

A pipe, a notebook and a terminal get the same lines; only a terminal has a width, to which
`narrow_tables` fits them, and shows tones.
"""

import math
import re
import textwrap
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import KW_ONLY, dataclass, field, replace
from enum import Enum, StrEnum
from typing import NamedTuple

from errbar.base.remarks import MARK, true_within

_BREAKS = re.compile(r"\s*[\r\n\v\f\x85\u2028\u2029]+\s*")
CONTROLS = re.compile(  # control characters, bidirectional marks, surrogates, noncharacters
    r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
_NUMBER = re.compile(r"[<>]? ?[-+−]?[\d,.]+(e-?\d+)?( ?%)?( \[[-+\d., e–]+\])?( \*)?")
_UNKNOWN_DIGITS, _EXACT_DIGITS = 4, 12  # significant digits if sd is nan, and if it is 0
_NO_NUMBER = "nan"
_NO_BREAK = "\u00a0"
DASH = "–"  # printed for a missing number
_MOST_DECIMALS = 12  # smaller numbers are written as 1.2e-20
_percent: ContextVar[bool] = ContextVar("percent", default=False)
_WIDEST_TEXT = 100  # sentences are wrapped to at most this width on a terminal
_PIPED_TEXT = 80  # and to this elsewhere
GAP = "  "  # between columns


def round_to_sd(number: float, sd: float) -> str:
    """Return `number` rounded to the second significant digit of `sd`.

    Examples
    --------
    >>> round_to_sd(0.70412, 0.0213), round_to_sd(0.70412, 0.00996), round_to_sd(12345.0, 678.0)
    ('0.704', '0.704', '12340')
    """
    if not (math.isfinite(number) and math.isfinite(sd)) or sd == 0:
        return f"{number + 0.0:.{_UNKNOWN_DIGITS if sd else _EXACT_DIGITS}g}"
    decimals = _decimals(sd)
    if decimals <= _MOST_DECIMALS:
        return _with_decimals(number, decimals)
    if number == 0:
        return "0"
    known = int(f"{number:.1e}".partition("e")[2]) + decimals
    return f"{number:.{min(max(known, 1), _MOST_DECIMALS)}e}"


def _with_decimals(number: float, decimals: int) -> str:
    """Return a number with some decimals, without a negative zero.

    Sums that differ in the sixteenth digit are rounded alike.

    Examples
    --------
    >>> _with_decimals(0.4525, 3), _with_decimals(0.45249999999999996, 3)
    ('0.453', '0.453')
    """
    plain = float(f"{number:.{_EXACT_DIGITS}g}")
    return f"{round(plain, decimals) + 0.0:.{max(decimals, 0)}f}"


def _decimals(sd: float) -> int:
    """Return the decimals of the second digit of a standard deviation: 0.00996 is 0.010."""
    return 1 - int(f"{sd:.1e}".partition("e")[2])


def percent(level: float) -> str:
    """Return a proportion in percent, as in "95%"."""
    return f"{100 * level:.10g}%"


def interval_title(level: float) -> str:
    """Return what an interval is called wherever it is printed, as in "95% CI"."""
    return f"{percent(level)} CI"


def score_text(number: float, sd: float) -> str:
    """Return a score as `round_to_sd` does, in percent within `in_percent`."""
    return round_to_sd(scale() * number, scale() * sd)


def score_head(name: str) -> str:
    """Return the head of a column of scores, which says whether they are in percent."""
    return f"{name} %" if _percent.get() else name


def interval_head(name: str, titles: Iterable[str]) -> str:
    """Return the head of a column with intervals, as in "avg [95% CI]"."""
    different = list(dict.fromkeys(titles))
    return f"{name} [{different[0] if len(different) == 1 else 'CI'}]"


def scale() -> float:
    """Return the factor of scores: 100 within `in_percent`, else 1."""
    return 100.0 if _percent.get() else 1.0


def in_percent() -> AbstractContextManager[None]:
    """Within this context, tables show scores in percent."""
    return true_within(_percent)


def interval_column(
    name: str,
    titles: Iterable[str],
    rows: Iterable[tuple[float, float, float, float]],
    *,
    signed: bool = False,
    are_scores: bool = True,
) -> list[str]:
    """Return a column of numbers with their intervals, from its head down.

    Examples
    --------
    >>> with in_percent():
    ...     interval_column("avg", ["95% CI"], [(0.664, 0.341, 0.9, 0.14)])
    ['avg % [95% CI]', '66 [34, 90]']
    """
    head = interval_head(score_head(name) if are_scores else name, titles)
    return [head, *interval_cells(rows, signed=signed, are_scores=are_scores)]


def interval_cells(
    rows: Iterable[tuple[float, float, float, float]],
    *,
    signed: bool = False,
    are_scores: bool = True,
) -> list[str]:
    """Return value, lower and upper end of each row as one cell; `sd` comes last in a row.

    Only scores are in percent within `in_percent`. All rows have the same decimals if their
    standard deviations support about as many.

    Examples
    --------
    >>> interval_cells([(0.664, 0.341, 0.9, 0.14), (0.7, 0.4, 0.95, 0.096)])
    ['0.66 [0.34, 0.90]', '0.70 [0.40, 0.95]']
    """
    factor = scale() if are_scores else 1.0
    known = [tuple(factor * number for number in row) for row in rows]
    decimals = [_decimals(sd) for *_, sd in known if math.isfinite(sd) and sd]
    shared = min(decimals, default=_MOST_DECIMALS + 1)
    alike = bool(decimals) and max(decimals) - shared <= 1 and shared <= _MOST_DECIMALS

    def text(number: float, sd: float) -> str:
        is_fixed = alike and math.isfinite(number)
        digits = _with_decimals(number, shared) if is_fixed else round_to_sd(number, sd)
        return f"+{digits}" if signed and number >= 0 and math.isfinite(number) else digits

    columns = [align_points(text(row[at], row[-1]) for row in known) for at in range(3)]
    cells = []
    for value, low, high, row in zip(*columns, known, strict=True):
        ends = f"{low}, {high}" if alike else f"{low.strip()}, {high.strip()}"
        without = value if math.isnan(row[0]) else f"{value} [{DASH}]"
        cells.append(without if math.isnan(row[1]) else f"{value} [{ends}]")
    return cells


def align_points(cells: Iterable[str]) -> list[str]:
    """Return cells padded so that decimal points align; nan becomes a dash.

    Examples
    --------
    >>> align_points(["0.25", "nan", "12.5"])
    [' 0.25', ' –   ', '12.5 ']
    """
    parts = [(cell if cell != _NO_NUMBER else DASH).partition(".") for cell in cells]
    left = max((len(integer) for integer, _, _ in parts), default=0)
    right = max((len(point + rest) for _, point, rest in parts), default=0)
    return [f"{integer:>{left}}{point + rest:<{right}}" for integer, point, rest in parts]


def is_numeric(column: Sequence[str]) -> bool:
    """Whether a column, which begins with its head, has nothing but numbers and intervals."""
    cells = [cell.strip() for cell in column[1:]]
    return any(cells) and all(cell in ("", DASH) or _NUMBER.fullmatch(cell) for cell in cells)


def printable(text: str) -> str:
    """Return text on one line, with control characters escaped.

    Examples
    --------
    >>> print(printable("two\\nlines and \\x1b[31mred"))
    two lines and \\x1b[31mred
    """
    on_one_line = _BREAKS.sub(" ", text)
    return CONTROLS.sub(escape_control, on_one_line)


def each_printable(cells: Iterable[str]) -> list[str]:
    """Return the cells with control characters escaped."""
    return [printable(cell) for cell in cells]


def escape_control(found: re.Match[str]) -> str:
    """Return a control character as an escape sequence."""
    return found[0].encode("unicode_escape").decode()


class Tone(StrEnum):
    """How a piece of text looks on a terminal, as a style of rich."""

    PLAIN = ""
    STRONG = "bold"
    GOOD = "bold green"
    BAD = "bold red"
    DIM = "dim"
    WARNING = "yellow"


class Detail(Enum):
    """How much of a page is printed."""

    TABLE = "table"  # only tables
    USUAL = "usual"  # conclusions, warnings and tables
    EXPLAINED = "explained"  # definitions and methods as well


class Headline(NamedTuple):
    """A conclusion in a sentence of two parts: the claim, and the numbers behind it."""

    claim: str
    rest: str
    tone: Tone = Tone.PLAIN


Line = tuple[tuple[str, Tone], ...]


@dataclass(frozen=True)
class Table:
    """Columns of text, with a conclusion and remarks above them and notes below."""

    columns: Sequence[Sequence[str]]  # each from its head down
    notes: Sequence[str] = ()
    _: KW_ONLY
    breaks: Collection[int] = ()  # indices of rows that begin a new group
    above: Sequence[str] = ()  # remarks on how the data were interpreted
    conclusion: Headline | None = None
    footer: str = ""  # what the numbers mean, in a line
    explanation: Sequence[str] = ()  # definitions and methods, printed if asked for
    drops: Sequence[str] = ()  # heads of columns, the first to be left out first
    tones: Mapping[str, Tone] = field(default_factory=dict)  # of cells, by their text
    headings: Mapping[int, str] = field(default_factory=dict)  # lines above rows, by their index

    def __str__(self) -> str:
        return plain(page([self]))


def plain(lines: Iterable[Line]) -> str:
    """Return lines as text without tones."""
    return "\n".join("".join(text for text, _ in line).rstrip() for line in lines)


def page(
    parts: Sequence[Table | str],
    detail: Detail = Detail.USUAL,
    width: int | None = None,
    last: Sequence[str] = (),
) -> list[Line]:
    """Return the lines of tables and sentences; common notes are printed once.

    `width` is that of a terminal, to which the tables were fitted; `last` are notes on all tables.
    """
    blocks: list[list[Line]] = []
    printed: set[str] = set()
    footers: dict[str, None] = {}
    for part in parts:
        if isinstance(part, str):
            if detail is not Detail.TABLE:
                blocks.append(_text([part], width))
            continue
        grid = _grid(with_printable_cells(part), "-" if width is None else "─")
        if detail is Detail.TABLE:
            blocks.append(grid)
            continue
        first = _first_blocks(part, width, printed)
        notes = [note for note in part.notes if note not in printed]
        printed.update(notes)
        blocks += [*first, grid, _text(notes, width, Tone.DIM)]
        if not (detail is Detail.EXPLAINED and part.explanation):  # the explanation says the same
            footers |= dict.fromkeys(filter(None, [part.footer]))
    if detail is not Detail.TABLE:
        blocks.append(_text([*footers, *last], width, Tone.DIM))
    if detail is Detail.EXPLAINED:
        tables = [part for part in parts if isinstance(part, Table)]
        blocks.append(_text(dict.fromkeys(note for t in tables for note in t.explanation), width))
    lines: list[Line] = []
    for block in filter(None, blocks):
        lines += [*([()] if lines else []), *block]
    return lines


def with_printable_cells(table: Table) -> Table:
    """Return a table with control characters escaped in all cells."""
    return replace(table, columns=[each_printable(column) for column in table.columns])


def _first_blocks(table: Table, width: int | None, printed: set[str]) -> list[list[Line]]:
    """What stands above a table: the verdict, how the data were interpreted, the conclusion.

    A remark stands above the numbers that it decides, also above those of the conclusion.
    """
    remarks = [note for note in table.above if note not in printed]
    printed.update(remarks)
    warned = [line for note in remarks for line in _text([note], width, _tone_of(note))]
    conclusion = table.conclusion
    if conclusion is None:
        return [warned]
    if not remarks or not re.search(r"\d", conclusion.rest):
        return [_sentence(conclusion, width), warned]
    if not conclusion.claim:
        return [warned, _sentence(conclusion, width)]
    verdict = _sentence(conclusion._replace(rest="."), width)
    claim, rest = ("", conclusion.rest[2:]) if conclusion.rest.startswith("; ") else conclusion[:2]
    return [verdict, warned, _text([f"{claim}{rest}"], width)]


def _tone_of(note: str) -> Tone:
    return Tone.WARNING if note.startswith(MARK) else Tone.DIM


def _sentence(headline: Headline, width: int | None) -> list[Line]:
    """Return the lines of a conclusion; its claim has the tone, the rest is plain."""
    rest = Tone.DIM if headline.tone is Tone.DIM else Tone.PLAIN
    left = len("".join(printable(headline.claim).split()))  # letters of the claim, without spaces
    lines: list[Line] = []
    for line in _wrap(f"{headline.claim}{headline.rest}", width):
        ends = [at for at, letter in enumerate(line, 1) if not letter.isspace()]
        end = ends[min(left, len(ends)) - 1] if left else 0
        lines.append(((line[:end], headline.tone), (line[end:], rest)))
        left -= min(left, len(ends))
    return lines


def _text(notes: Iterable[str], width: int | None, tone: Tone = Tone.PLAIN) -> list[Line]:
    return [((line, tone),) for note in notes for line in _wrap(note, width)]


def _wrap(note: str, width: int | None) -> list[str]:
    """Wrap a note without a break within "95% CI"; continuation lines are indented."""
    text = textwrap.fill(
        printable(note).replace("% CI", f"%{_NO_BREAK}CI"),
        min(width or _PIPED_TEXT, _WIDEST_TEXT),
        subsequent_indent="  ",
        break_long_words=False,  # a name stays whole
        break_on_hyphens=False,
    )
    return text.replace(f"%{_NO_BREAK}CI", "% CI").split("\n")


def cells_wide(text: str) -> int:
    """Return the width of text on a terminal, where some letters take two cells and some none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(letter) else 1 + (unicodedata.east_asian_width(letter) in "WF")
        for letter in text
    )


def _grid(table: Table, rule: str) -> list[Line]:
    """Return the lines of the columns: heads, a rule, and rows in groups."""
    head, *rows = zip(*map(_align, table.columns), strict=True)
    rules = [rule * cells_wide(cell) for cell in head]
    lines = [_row(head, lambda _: Tone.STRONG), _row(rules, lambda _: Tone.DIM)]
    for at, row in enumerate(rows):
        lines += [()] if at and at in {*table.breaks, *table.headings} else []
        lines += [((table.headings[at], Tone.STRONG),)] if at in table.headings else []
        lines.append(_row(row, lambda cell: _tone_in(table.tones, cell)))
    return lines


def _tone_in(tones: Mapping[str, Tone], cell: str) -> Tone:
    """Return the tone of a cell by its text, up to a comma or to how much it says."""
    return tones.get(re.split(r",| by ", cell.strip())[0], Tone.PLAIN)


def _row(cells: Sequence[str], tone: Callable[[str], Tone]) -> Line:
    pieces = [piece for cell in cells for piece in ((GAP, Tone.PLAIN), (cell, tone(cell)))]
    return tuple(pieces[1:])


def _align(column: Sequence[str]) -> list[str]:
    """Return the cells of a column at the same width: numbers to the right, text to the left."""
    width = max(map(cells_wide, column))
    numeric = is_numeric(column)
    pads = [" " * (width - cells_wide(cell)) for cell in column]
    return [
        f"{pad}{cell}" if numeric else f"{cell}{pad}"
        for pad, cell in zip(pads, column, strict=True)
    ]
