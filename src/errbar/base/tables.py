"""Numbers to their significant digits, and tables as plain text, Markdown, LaTeX and HTML."""

import html
import math
import re
import textwrap
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

_FOOTER_WIDTH = 80
_BREAKS = re.compile(r"\s*[\r\n\v\f\x85\u2028\u2029]+\s*")
_CONTROLS = re.compile(  # control characters, bidirectional marks, surrogates, noncharacters
    r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
# An underscore between letters or digits is no markup, nor is the sign in "> 0.999".
_MARKUP = re.compile(
    r"[\\`*~\[\]<&|$#]|>(?! \d)|(?<![^\W_])_|_(?![^\W_])|:(?=//)|(?<=www)\.|(?<!\w)@", re.IGNORECASE
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # where a spreadsheet takes a cell for a formula
_UNKNOWN_DIGITS, _EXACT_DIGITS = 4, 12  # significant digits if sd is nan, and if it is 0
_NO_NUMBER = "nan"
_NO_BREAK = "\u00a0"
DASH = "–"  # printed for a missing number
_MOST_DECIMALS = 12  # smaller numbers are written as 1.2e-20


def supported(number: float, sd: float) -> str:
    """Return `number` rounded to the second significant digit of `sd`.

    Examples
    --------
    >>> supported(0.70412, 0.0213), supported(0.70412, 0.00996), supported(12345.0, 678.0)
    ('0.704', '0.704', '12340')
    """
    if not (math.isfinite(number) and math.isfinite(sd)) or sd == 0:
        return f"{number + 0.0:.{_UNKNOWN_DIGITS if sd else _EXACT_DIGITS}g}"
    decimals = 1 - int(f"{sd:.1e}".partition("e")[2])  # of the rounded sd: 0.00996 is 0.010
    if decimals <= _MOST_DECIMALS:
        return f"{round(number, decimals) + 0.0:.{max(decimals, 0)}f}"  # without a negative zero
    if number == 0:
        return "0"
    known = int(f"{number:.1e}".partition("e")[2]) + decimals
    return f"{number:.{min(max(known, 1), _MOST_DECIMALS)}e}"


def percent(level: float) -> str:
    """Return a proportion in percent, as in "95 %"."""
    return f"{100 * level:.10g} %"


def counted(number: int, noun: str) -> str:
    """Return a count with its noun in the singular or plural.

    Examples
    --------
    >>> counted(1, "row"), counted(2, "row")
    ('1 row', '2 rows')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


@dataclass(frozen=True)
class Table:
    """Columns of text with notes above and below; prints as plain text."""

    columns: Sequence[Sequence[str]]  # each from its head down
    notes: Sequence[str] = ()
    breaks: Collection[int] = ()  # indices of rows that begin a new group
    above: Sequence[str] = ()  # remarks on how the data were interpreted

    def __str__(self) -> str:
        head, *rows = zip(
            *(_padded(each_printable(column)) for column in self.columns), strict=True
        )
        lines = ["  ".join(head), "  ".join("-" * len(cell) for cell in head)]
        for at, row in enumerate(rows):
            if at in self.breaks:
                lines.append("")
            lines.append("  ".join(row))
        first = [*wrapped(self.above), ""] if self.above else []
        body = [line.rstrip() for line in lines]
        return "\n".join([*first, *body, "", *wrapped(self.notes)])


def wrapped(notes: Iterable[str], width: int = _FOOTER_WIDTH) -> list[str]:
    """Wrap each note to `width` columns; continuation lines are indented."""
    return [_wrap(printable(note), width) for note in notes]


def _wrap(note: str, width: int) -> str:
    """Wrap a note without a break between a number and its percent sign."""
    text = textwrap.fill(note.replace(" %", f"{_NO_BREAK}%"), width, subsequent_indent="  ")
    return text.replace(f"{_NO_BREAK}%", " %")


def printable(text: str) -> str:
    """Return text on one line, with control characters escaped.

    Examples
    --------
    >>> print(printable("two\\nlines and \\x1b[31mred"))
    two lines and \\x1b[31mred
    """
    on_one_line = _BREAKS.sub(" ", text)
    return _CONTROLS.sub(_escaped, on_one_line)


def printable_json(text: str) -> str:
    """Return equivalent JSON with control characters escaped, except line breaks."""
    return _CONTROLS.sub(lambda c: c[0] if c[0] == "\n" else f"\\u{ord(c[0]):04x}", text)


def each_printable(cells: Iterable[str]) -> list[str]:
    """Return the cells with control characters escaped."""
    return [printable(cell) for cell in cells]


def markdown_table(
    columns: Iterable[Sequence[str]], notes: Iterable[str], above: Iterable[str] = ()
) -> str:
    """Return columns and notes as a Markdown table, with all markup in them escaped."""
    head, *rows = zip(
        *([inert_markdown(cell) for cell in column] for column in columns), strict=True
    )
    lines = [_row(head), _row(["---"] * len(head)), *(_row(row) for row in rows)]
    first = [f"{inert_markdown(note)}  " for note in above]
    below = [f"{inert_markdown(note)}  " for note in notes]
    return "\n".join([*first, *([""] if first else []), *lines, "", *below]).rstrip()


def inert_markdown(text: str) -> str:
    """Return text with Markdown markup, links and mentions escaped.

    Examples
    --------
    >>> print(inert_markdown("a|b <i> pass@1"))
    a&#124;b &#60;i&#62; pass@1
    """
    return _MARKUP.sub(_as_entity, printable(text))


def inert_csv(value: object) -> object:
    """Return text with control characters escaped and formulas marked as text.

    Examples
    --------
    >>> inert_csv("=1+1"), inert_csv(-1.5), inert_csv("a\\x07")
    ("'=1+1", -1.5, 'a\\\\x07')
    """
    if not isinstance(value, str):
        return value
    mark = "'" if value.startswith(_FORMULA) else ""
    return mark + _CONTROLS.sub(lambda c: c[0] if c[0] == "\n" else _escaped(c), value)


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()


def _as_entity(found: re.Match[str]) -> str:
    """Escape a character; GitHub links @name and #1 even then, so a comment separates them."""
    return f"&#{ord(found[0])};{'<!-- -->' if found[0] in '@#' else ''}"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.strip() for cell in cells)} |"


def latex_table(
    columns: Iterable[Sequence[str]], notes: Iterable[str], above: Iterable[str] = ()
) -> str:
    """Return columns and notes as a LaTeX table for the booktabs package; notes are comments."""
    head, *rows = zip(*map(each_printable, columns), strict=True)
    body = [f"{' & '.join(_latex(cell) for cell in row)} \\\\" for row in (head, *rows)]
    return "\n".join(
        [
            *(f"% {note}" for note in each_printable(above)),
            f"\\begin{{tabular}}{{{'l' * len(head)}}}",
            "\\toprule",
            body[0],
            "\\midrule",
            *body[1:],
            "\\bottomrule",
            "\\end{tabular}",
            *(f"% {note}" for note in each_printable(notes)),
        ]
    )


_LATEX = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "±": r"$\pm$",
    "−": r"$-$",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "–": "--",
    "·": r"$\cdot$",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}


def _latex(cell: str) -> str:
    text = "".join(_LATEX.get(letter, letter) for letter in cell.strip())
    # After \\ and \toprule a bracket begins an argument, and an asterisk belongs to the command.
    return f"{{}}{text}" if text.startswith(("[", "*")) else text


def html_table(
    columns: Iterable[Sequence[str]], notes: Iterable[str], above: Iterable[str] = ()
) -> str:
    """Return columns and notes as an HTML table, with all text escaped."""
    head, *rows = zip(*columns, strict=True)
    first = "".join(f"<p>{html.escape(note)}</p>" for note in above)
    body = "".join(f"<tr>{_cells('td', row)}</tr>" for row in rows)
    below = "<br>".join(html.escape(note) for note in notes)
    return (
        f"{first}<table><thead><tr>{_cells('th', head)}</tr></thead><tbody>{body}</tbody>"
        f'<tfoot><tr><td colspan="{len(head)}" style="text-align: left">{below}</td></tr>'
        f"</tfoot></table>"
    )


def pointed(cells: Iterable[str]) -> list[str]:
    """Return cells padded so that decimal points align; nan becomes a dash.

    Examples
    --------
    >>> pointed(["0.25", "nan", "12.5"])
    [' 0.25', ' –   ', '12.5 ']
    """
    parts = [(cell if cell != _NO_NUMBER else DASH).partition(".") for cell in cells]
    left = max((len(integer) for integer, _, _ in parts), default=0)
    right = max((len(point + rest) for _, point, rest in parts), default=0)
    return [f"{integer:>{left}}{point + rest:<{right}}" for integer, point, rest in parts]


def _padded(column: Sequence[str]) -> list[str]:
    width = max(len(cell) for cell in column)
    return [cell.ljust(width) for cell in column]


def _cells(tag: str, row: Sequence[str]) -> str:
    return "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row)
