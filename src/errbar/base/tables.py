"""Numbers to their significant digits, and tables as Markdown, LaTeX and JUnit reports."""

import math
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple
from xml.etree import ElementTree as Xml

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
_NUMBER = re.compile(r"[<>]? ?[-+−]?[\d,.]+(e-?\d+)?( ?%)?( \[[-+\d., e–]+\])?( \*)?")
_UNKNOWN_DIGITS, _EXACT_DIGITS = 4, 12  # significant digits if sd is nan, and if it is 0
_NO_NUMBER = "nan"
_NO_BREAK = "\u00a0"
DASH = "–"  # printed for a missing number
_MOST_DECIMALS = 12  # smaller numbers are written as 1.2e-20
_percent: ContextVar[bool] = ContextVar("percent", default=False)


def supported(number: float, sd: float) -> str:
    """Return `number` rounded to the second significant digit of `sd`.

    Examples
    --------
    >>> supported(0.70412, 0.0213), supported(0.70412, 0.00996), supported(12345.0, 678.0)
    ('0.704', '0.704', '12340')
    """
    if not (math.isfinite(number) and math.isfinite(sd)) or sd == 0:
        return f"{number + 0.0:.{_UNKNOWN_DIGITS if sd else _EXACT_DIGITS}g}"
    decimals = _decimals(sd)
    if decimals <= _MOST_DECIMALS:
        return _fixed(number, decimals)
    if number == 0:
        return "0"
    known = int(f"{number:.1e}".partition("e")[2]) + decimals
    return f"{number:.{min(max(known, 1), _MOST_DECIMALS)}e}"


def _fixed(number: float, decimals: int) -> str:
    """Return a number with some decimals, without a negative zero.

    Sums that differ in the sixteenth digit are rounded alike.

    Examples
    --------
    >>> _fixed(0.4525, 3), _fixed(0.45249999999999996, 3)
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


def all_of(number: int, noun: str) -> str:
    """Return "all 3 rows", or "both rows"."""
    return f"both {noun}s" if number == 2 else f"all {counted(number, noun)}"


def counted(number: int, noun: str) -> str:
    """Return a count with its noun in the singular or plural.

    Examples
    --------
    >>> counted(1, "row"), counted(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def score_text(number: float, sd: float) -> str:
    """Return a score as `supported` does, in percent within `in_percent`."""
    return supported(scale() * number, scale() * sd)


def score_head(name: str) -> str:
    """Return the head of a column of scores, which says whether they are in percent."""
    return f"{name} %" if _percent.get() else name


def interval_head(name: str, titles: Iterable[str]) -> str:
    """Return the head of a column of scores with intervals, as in "avg [95% CI]"."""
    different = list(dict.fromkeys(titles))
    return f"{score_head(name)} [{different[0] if len(different) == 1 else 'CI'}]"


def scale() -> float:
    """Return the factor of scores: 100 within `in_percent`, else 1."""
    return 100.0 if _percent.get() else 1.0


@contextmanager
def in_percent() -> Iterator[None]:
    """Within this context, tables show scores in percent."""
    token = _percent.set(True)
    try:
        yield
    finally:
        _percent.reset(token)


def interval_cells(
    rows: Iterable[tuple[float, float, float, float]], *, signed: bool = False
) -> list[str]:
    """Return value, lower and upper end of each row as one cell; `sd` comes last in a row.

    All rows have the same decimals if their standard deviations support about as many.

    Examples
    --------
    >>> interval_cells([(0.664, 0.341, 0.9, 0.14), (0.7, 0.4, 0.95, 0.096)])
    ['0.66 [0.34, 0.90]', '0.70 [0.40, 0.95]']
    """
    known = [tuple(scale() * number for number in row) for row in rows]
    decimals = [_decimals(sd) for *_, sd in known if math.isfinite(sd) and sd]
    shared = min(decimals, default=_MOST_DECIMALS + 1)
    alike = bool(decimals) and max(decimals) - shared <= 1 and shared <= _MOST_DECIMALS

    def text(number: float, sd: float) -> str:
        if not (alike and math.isfinite(number)):
            found = supported(number, sd)
        else:
            found = _fixed(number, shared)
        return f"+{found}" if signed and number >= 0 and math.isfinite(number) else found

    columns = [pointed(text(row[at], row[-1]) for row in known) for at in range(3)]
    cells = []
    for value, low, high, row in zip(*columns, known, strict=True):
        ends = f"{low}, {high}" if alike else f"{low.strip()}, {high.strip()}"
        without = value if math.isnan(row[0]) else f"{value} [{DASH}]"
        cells.append(without if math.isnan(row[1]) else f"{value} [{ends}]")
    return cells


def wrapped(notes: Iterable[str], width: int = _FOOTER_WIDTH) -> list[str]:
    """Wrap each note to `width` columns; continuation lines are indented."""
    return [_wrap(printable(note), width) for note in notes]


def _wrap(note: str, width: int) -> str:
    """Wrap a note without a break within "95% CI"."""
    text = textwrap.fill(
        note.replace("% CI", f"%{_NO_BREAK}CI"),
        width,
        subsequent_indent="  ",
        break_long_words=False,  # a name stays whole
        break_on_hyphens=False,
    )
    return text.replace(f"%{_NO_BREAK}CI", "% CI")


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
    """Return columns and notes as a Markdown table, with all markup in them escaped.

    Columns of numbers are aligned to the right, and the brackets of intervals are no markup.
    """
    cells = [list(column) for column in columns]
    head, *rows = zip(*map(_inert_column, cells), strict=True)
    rule = ["---:" if is_numeric(column) else "---" for column in cells]
    lines = [_row(head), _row(rule), *(_row(row) for row in rows)]
    first = [f"{inert_markdown(note)}  " for note in above]
    below = [f"{inert_markdown(note)}  " for note in notes]
    return "\n".join([*first, *([""] if first else []), *lines, "", *below]).rstrip()


def _inert_column(column: Sequence[str]) -> list[str]:
    head, *cells = column
    name, _, title = head.rpartition(" [")
    if not (is_numeric(column) and re.fullmatch(r"([\d.]+% )?CI\]", title)):
        return [inert_markdown(cell) for cell in column]
    ends = [cell.partition(" [") for cell in cells]
    return [
        f"{inert_markdown(name)} [{title}",
        *(f"{inert_markdown(value)}{gap}{rest}" for value, gap, rest in ends),
    ]


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
    """Return columns and notes as a LaTeX table for the booktabs package; notes are comments.

    Numbers are aligned to the right, with blanks as wide as digits after those with fewer decimals.
    """
    cells = [each_printable(column) for column in columns]
    kinds = ["r" if is_numeric(column) else "l" for column in cells]
    written = [
        [_latex(head), *map(_latex_number if kind == "r" else _latex, rest)]
        for kind, (head, *rest) in zip(kinds, cells, strict=True)
    ]
    body = [f"{' & '.join(row)} \\\\" for row in zip(*written, strict=True)]
    return "\n".join(
        [
            *(f"% {note}" for note in each_printable(above)),
            f"\\begin{{tabular}}{{{''.join(kinds)}}}",
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
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
    "−": "$-$",
    "×": r"$\times$",
    "–": "--",
    "…": r"\dots{}",
    "·": r"$\cdot$",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}


def _latex(cell: str) -> str:
    text = "".join(_LATEX.get(letter, letter) for letter in cell.strip())
    # After \\ and \toprule a bracket begins an argument, and an asterisk belongs to the command.
    return f"{{}}{text}" if text.startswith(("[", "*")) else text


def _latex_number(cell: str) -> str:
    blanks = len(cell) - len(cell.rstrip())
    phantom = f"\\phantom{{{'0' * blanks}}}" if blanks else ""
    return f"{_latex(cell).replace('-', '$-$')}{phantom}"


def is_numeric(column: Sequence[str]) -> bool:
    """Whether a column, which begins with its head, has nothing but numbers and intervals."""
    cells = [cell.strip() for cell in column[1:]]
    return any(cells) and all(cell in ("", DASH) or _NUMBER.fullmatch(cell) for cell in cells)


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


_NO_XML = re.compile("[\ufffe\uffff]")  # not allowed in XML, beside what `printable` escapes


class JUnitCase(NamedTuple):
    """A test case of a JUnit report."""

    group: str
    name: str
    failure: str  # kind of the failure; empty if the test passes
    message: str


def junit_report(name: str, suite: str, cases: Sequence[JUnitCase]) -> str:
    """A JUnit report of one suite.

    Examples
    --------
    >>> print(junit_report("all", "some", [JUnitCase("a", "b", "", "fine & good")]))
    <?xml version="1.0" encoding="utf-8"?>
    <testsuites name="all" tests="1" failures="0" errors="0">
      <testsuite name="some" tests="1" failures="0" errors="0" skipped="0" time="0">
        <testcase classname="a" name="b" time="0">
          <system-out>fine &amp; good</system-out>
        </testcase>
      </testsuite>
    </testsuites>
    """
    failed = sum(bool(case.failure) for case in cases)
    counts = {"tests": str(len(cases)), "failures": str(failed), "errors": "0"}
    root = Xml.Element("testsuites", {"name": _text(name), **counts})
    more = {"skipped": "0", "time": "0"}
    inside = Xml.SubElement(root, "testsuite", {"name": _text(suite), **counts, **more})
    for case in cases:
        element = Xml.SubElement(
            inside, "testcase", classname=_text(case.group), name=_text(case.name), time="0"
        )
        if case.failure:
            Xml.SubElement(
                element, "failure", type=case.failure, message=_text(case.message)
            ).text = _text(case.message)
        else:
            Xml.SubElement(element, "system-out").text = _text(case.message)
    Xml.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{Xml.tostring(root, encoding="unicode")}'


def _text(text: str) -> str:
    """Printable text without characters that XML does not allow."""
    return _NO_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", printable(text))
