"""Pages of styled lines: conclusions, remarks, and tables fitted to a width.

A pipe, a notebook and a terminal get the same lines; only a terminal has a width and shows tones.
A table that is too wide for it is narrowed in fixed steps, until it fits:

1. Names lose what they share: their common beginning, or what precedes the last slash.
2. Names of more than 24 characters are cut at a separator.
3. Columns are left out, in the order that the table states.
4. Names are cut further, down to 6 characters.

Names are cut so that they stay different, and a line below the table says what was done.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, StrEnum
from typing import NamedTuple

from errbar.base.remarks import MARK
from errbar.base.tables import each_printable, is_numeric, printable, wrapped

NAMES = frozenset({"system", "task", "systems", "run"})  # heads of columns of names
JOINT = " − "  # between the two names of a pair
_GAP = "  "  # between columns
_WIDEST_TEXT = 80  # sentences are wrapped to at most this width
_LONG_NAME, _SHORT_NAME = 24, 6
_SEPARATORS = "/_-:. "  # where a name is cut
_JOINTS = "/_-: "  # between parts of names; a point may be within a number


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
    breaks: Collection[int] = ()  # indices of rows that begin a new group
    above: Sequence[str] = ()  # remarks on how the data were interpreted
    conclusion: Headline | None = None
    footer: str = ""  # what the numbers mean, in a line
    explanation: Sequence[str] = ()  # definitions and methods, printed if asked for
    drops: Sequence[str] = ()  # heads of columns, the first to be left out first
    tones: Mapping[str, Tone] = field(default_factory=dict)  # of cells, by their text

    def __str__(self) -> str:
        return plain(page([self]))


def plain(lines: Iterable[Line]) -> str:
    """Return lines as text without tones."""
    return "\n".join("".join(text for text, _ in line).rstrip() for line in lines)


def page(
    parts: Sequence[Table | str], width: int | None = None, detail: Detail = Detail.USUAL
) -> list[Line]:
    """Return the lines of tables and sentences; what they have in common is said once."""
    blocks: list[list[Line]] = []
    said: set[str] = set()
    last: dict[str, None] = {}
    narrowed: list[_Fitted] = []
    rule = "-" if width is None else "─"
    for part in parts:
        if isinstance(part, str):
            if detail is not Detail.TABLE:
                blocks.append(_text([part], width))
            continue
        fitted = _fit(part, width)
        if detail is Detail.TABLE:
            blocks.append(_grid(fitted.table, rule))
            continue
        blocks += _first_blocks(fitted, width, said)
        blocks.append(_grid(fitted.table, rule))
        notes = [note for note in map(fitted.said, part.notes) if note not in said]
        said.update(notes)
        blocks.append(_text(notes, width, Tone.DIM))
        if not (detail is Detail.EXPLAINED and part.explanation):  # which says the same
            last |= dict.fromkeys(filter(None, [part.footer]))
        narrowed.append(fitted)
    if detail is not Detail.TABLE:
        blocks.append(_text([*last, *_narrowed(narrowed)], width, Tone.DIM))
    if detail is Detail.EXPLAINED:
        tables = [part for part in parts if isinstance(part, Table)]
        blocks.append(_text(dict.fromkeys(note for t in tables for note in t.explanation), width))
    lines: list[Line] = []
    for block in filter(None, blocks):
        lines += [*([()] if lines else []), *block]
    return lines


def _first_blocks(fitted: "_Fitted", width: int | None, said: set[str]) -> list[list[Line]]:
    """What stands above a table: a claim without numbers, remarks, and then numbers.

    A remark on how the data were interpreted comes before the numbers that it decides, also before
    those of the conclusion.
    """
    remarks = [note for note in fitted.table.above if note not in said]
    said.update(remarks)
    sentence = fitted.table.conclusion
    if sentence is not None:
        sentence = Headline(fitted.said(sentence.claim), fitted.said(sentence.rest), sentence.tone)
    if sentence is not None and remarks and sentence.claim:
        sentence = sentence._replace(rest=".")
    warned = [_text([note], width, _tone_of(note)) for note in remarks]
    blocks = [[line for block in warned for line in block]]
    if sentence is not None:
        at = 0 if sentence.claim else 1
        blocks.insert(at, _sentence(sentence, width))
    return blocks


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
    (text,) = wrapped([note], min(width or _WIDEST_TEXT, _WIDEST_TEXT))
    return text.split("\n")


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
    head, *rows = zip(*map(_aligned, table.columns), strict=True)
    rules = [rule * cells_wide(cell) for cell in head]
    lines = [_row(head, lambda _: Tone.STRONG), _row(rules, lambda _: Tone.DIM)]
    for at, row in enumerate(rows):
        lines += [()] if at in table.breaks else []
        lines.append(_row(row, lambda cell: _tone_in(table.tones, cell)))
    return lines


def _tone_in(tones: Mapping[str, Tone], cell: str) -> Tone:
    """Return the tone of a cell by its text, up to a comma or to how much it says."""
    return tones.get(re.split(r",| by ", cell.strip())[0], Tone.PLAIN)


def _row(cells: Sequence[str], tone: Callable[[str], Tone]) -> Line:
    pieces = [piece for cell in cells for piece in ((_GAP, Tone.PLAIN), (cell, tone(cell)))]
    return tuple(pieces[1:])


def _aligned(column: Sequence[str]) -> list[str]:
    """Return the cells of a column at the same width: numbers to the right, text to the left."""
    width = max(map(cells_wide, column))
    numeric = is_numeric(column)
    pads = [" " * (width - cells_wide(cell)) for cell in column]
    return [
        f"{pad}{cell}" if numeric else f"{cell}{pad}"
        for pad, cell in zip(pads, column, strict=True)
    ]


@dataclass(frozen=True)
class _Fitted:
    """A table narrowed to a width, with what was done to it."""

    table: Table
    names: Mapping[str, str] = field(default_factory=dict)  # shortened names
    dropped: Sequence[str] = ()  # columns, as the note names them

    def said(self, text: str) -> str:
        """Return text with the names as the table has them."""
        if not self.names:
            return text
        longest_first = sorted(self.names, key=len, reverse=True)
        pattern = "|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in longest_first)
        return re.sub(pattern, lambda found: self.names[found[0]], text)

    def fits(self, width: int) -> bool:
        """Whether the columns are narrow enough."""
        widths = [max(map(cells_wide, column)) for column in self.table.columns]
        return sum(widths) + len(_GAP) * (len(widths) - 1) <= width


def _narrowed(tables: Sequence[_Fitted]) -> list[str]:
    """Return what was done to make tables fit, in a line."""
    dropped = dict.fromkeys(name for each in tables for name in each.dropped)
    done = ["names are shortened"] if any(each.names for each in tables) else []
    done += [f"not shown: {', '.join(dropped)}"] if dropped else []
    return [f"Narrow terminal: {'; '.join(done)}."] if done else []


def _fit(table: Table, width: int | None) -> _Fitted:
    """Narrow a table step by step until it fits, or as far as it goes."""
    columns = [each_printable(column) for column in table.columns]
    fitted = _Fitted(replace(table, columns=columns))
    if width is None or fitted.fits(width):
        return fitted
    shared = [_without_shared(group) for group in _names_in(columns)]
    fitted = _renamed(fitted, columns, shared)
    longest = max((len(name) for group in shared for name in group.values()), default=0)
    fitted = _shortened(fitted, columns, shared, width, range(longest, _LONG_NAME - 1, -1))
    for head in table.drops:
        if fitted.fits(width):
            return fitted
        fitted = _without(fitted, head)
    fitted = _shortened(fitted, columns, shared, width, range(longest, _SHORT_NAME - 1, -1))
    for most in range(longest, _SHORT_NAME - 1, -1):
        if fitted.fits(width):
            return fitted
        fitted = _renamed(fitted, columns, [_numbered(group, most) for group in shared])
    return fitted


def _shortened(
    fitted: _Fitted,
    columns: Sequence[Sequence[str]],
    groups: Sequence[Mapping[str, str]],
    width: int,
    lengths: Iterable[int],
) -> _Fitted:
    """Cut names to ever smaller lengths until the table fits; they stay different."""
    for most in lengths:
        if fitted.fits(width):
            return fitted
        cut = [_cut(group, most) for group in groups]
        if None not in cut:
            fitted = _renamed(fitted, columns, [group for group in cut if group is not None])
    return fitted


def _without(fitted: _Fitted, head: str) -> _Fitted:
    """Leave out a column, or one that tells rows apart only if all its cells are the same."""
    found = [column for column in fitted.table.columns if column[0].removesuffix(" %") == head]
    if not found:
        return fitted
    cells = {cell.strip() for cell in found[0][1:]}
    name = head.partition(" [")[0]
    if head in (*NAMES, "metric"):
        if len(cells) > 1:
            return fitted
        name = f"{head} ({cells.pop()})"
    rest = [column for column in fitted.table.columns if column is not found[0]]
    table = replace(fitted.table, columns=rest)
    return replace(fitted, table=table, dropped=(*fitted.dropped, name))


def _names_in(columns: Iterable[Sequence[str]]) -> list[dict[str, None]]:
    """Return the different names of each column of names; those of a pair are two."""
    return [
        dict.fromkeys(name for cell in cells for name in cell.split(JOINT))
        for head, *cells in columns
        if head in NAMES
    ]


def _renamed(
    fitted: _Fitted, columns: Iterable[Sequence[str]], groups: Iterable[Mapping[str, str]]
) -> _Fitted:
    """Write the names of the columns that are left as the groups have them."""
    known = {name: short for group in groups for name, short in group.items() if name != short}
    kept = {column[0] for column in fitted.table.columns}
    renamed = [
        [head, *(JOINT.join(known.get(name, name) for name in cell.split(JOINT)) for cell in cells)]
        if head in NAMES
        else [head, *cells]
        for head, *cells in columns
        if head in kept
    ]
    return replace(fitted, table=replace(fitted.table, columns=renamed), names=known)


def _without_shared(names: Iterable[str]) -> dict[str, str]:
    """Return names without the parts that all share, and without what precedes the last slash.

    Examples
    --------
    >>> _without_shared(["runs_small", "runs_large"])
    {'runs_small': 'small', 'runs_large': 'large'}
    >>> _without_shared(["openai/gpt-5", "google/gemini-2.5-pro"])
    {'openai/gpt-5': 'gpt-5', 'google/gemini-2.5-pro': 'gemini-2.5-pro'}
    """
    found = {name: name for name in names}
    if len(found) > 1:
        start, end = _shared(list(found)), _shared([name[::-1] for name in found])
        inner = {name: name[start : len(name) - end] for name in found}
        found = inner if all(inner.values()) and _differ(inner) else found
    ends = {name: short.rstrip("/").rpartition("/")[2] or short for name, short in found.items()}
    return ends if _differ(ends) else found


def _shared(names: Sequence[str]) -> int:
    """Return the length of the common beginning of names, up to a joint before a letter."""
    first, last = min(names), max(names)  # all others lie between them
    same = [a == b for a, b in zip(first, last, strict=False)]
    common = first[: [*same, False].index(False)]
    ends = (at for at in range(len(common), 0, -1) if common[at - 1] in _JOINTS)
    return next((at for at in ends if all(name[at : at + 1].isalpha() for name in names)), 0)


def _cut(names: Mapping[str, str], most: int) -> dict[str, str] | None:
    """Return names of at most a number of letters, or None if some would be the same.

    The end is left out; where names would be the same, the middle or else the beginning is.

    Examples
    --------
    >>> _cut({"a": "tool-calling-gemini-2.0-flash", "b": "gpt-4o"}, 20)
    {'a': 'tool-calling…', 'b': 'gpt-4o'}
    """
    found = dict(names)
    for shorten in (_head, _both_ends, _tail):
        often = Counter(found.values())
        for name, short in names.items():
            if len(short) > most and (len(found[name]) > most or often[found[name]] > 1):
                found[name] = shorten(short, most - 1)
        if _differ(found):
            return found
    return None


def _numbered(names: Mapping[str, str], most: int) -> dict[str, str]:
    """Return names of at most a number of letters that end in numbers, so that they differ."""
    return {
        name: short if len(short) <= most else f"{short[: most - 1 - len(str(at))]}…{at}"
        for at, (name, short) in enumerate(names.items(), 1)
    }


def _differ(names: Mapping[str, str]) -> bool:
    return len(set(names.values())) == len(names)


def _head(name: str, most: int) -> str:
    start = name[:most]
    end = max(start.rfind(letter) for letter in _SEPARATORS)
    return f"{start[:end] if end > most // 2 else start}…"


def _tail(name: str, most: int) -> str:
    return f"…{_head(name[::-1], most)[-2::-1]}"


def _both_ends(name: str, most: int) -> str:
    return f"{name[: most - most // 2]}…{name[len(name) - most // 2 :]}"
