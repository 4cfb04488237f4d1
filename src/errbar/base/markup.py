"""Tables as Markdown and LaTeX, JUnit reports, and text without effect in CSV and JSON."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from xml.etree import ElementTree as Xml

from errbar.base.tables import CONTROLS, each_printable, escape_control, is_numeric, printable

# An underscore between letters or digits is no markup, nor is the sign in "> 0.999".
_MARKUP = re.compile(
    r"[\\`*~\[\]<&|$#]|>(?! \d)|(?<![^\W_])_|_(?![^\W_])|:(?=//)|(?<=www)\.|(?<!\w)@", re.IGNORECASE
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # where a spreadsheet takes a cell for a formula


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


def _as_entity(found: re.Match[str]) -> str:
    """Escape a character; GitHub links @name and #1 even then, so a comment separates them."""
    return f"&#{ord(found[0])};{'<!-- -->' if found[0] in '@#' else ''}"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.strip() for cell in cells)} |"


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
    return mark + without_controls(value)


def without_controls(text: str) -> str:
    """Return text with control characters escaped, except line breaks."""
    return CONTROLS.sub(lambda c: c[0] if c[0] == "\n" else escape_control(c), text)


def printable_json(text: str) -> str:
    """Return equivalent JSON with control characters escaped, except line breaks."""
    return CONTROLS.sub(lambda c: c[0] if c[0] == "\n" else f"\\u{ord(c[0]):04x}", text)


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
    "\u200b": "{}",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}
# Between letters that LaTeX would print as one: two hyphens as a dash, two quotes as one mark.
_LIGATURE = re.compile("(?<=-)(?=-)|(?<=')(?=')|(?<=`)(?=`)|(?<=,)(?=,)")


def _latex(cell: str) -> str:
    apart = _LIGATURE.sub("\u200b", cell.strip())
    text = "".join(_LATEX.get(letter, letter) for letter in apart)
    # After \\ and \toprule a bracket begins an argument, and an asterisk belongs to the command.
    return f"{{}}{text}" if text.startswith(("[", "*")) else text


def _latex_number(cell: str) -> str:
    blanks = len(cell) - len(cell.rstrip())
    phantom = f"\\phantom{{{'0' * blanks}}}" if blanks else ""
    return f"{_latex(cell).replace('-', '$-$')}{phantom}"


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
