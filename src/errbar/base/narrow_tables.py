"""Tables fitted to the width of a terminal, by fixed steps until they are narrow enough.

1. Names lose their common beginning, and what precedes the last slash or the maker.

2. Names of more than 24 characters are cut at a separator.

3. Columns are left out, in the order that the table states.

4. A column of tasks becomes a line above the rows of each task.

5. Names are cut further, down to 6 characters.

Cut names stay different from each other, and a line below the tables states the steps.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from errbar.base.tables import GAP, Detail, Line, Table, cells_wide, page, with_printable_cells

NAMES = frozenset({"system", "task", "systems", "run"})  # heads of columns of names
JOINT = " − "  # between the two names of a pair
_LONG_NAME, _SHORT_NAME = 24, 6
_TELLING = 12  # least number of letters of a shortened name
_CUT = "…"  # in the place of what was left out
_SEPARATORS = "/_-:. "  # where a name is cut
_JOINTS = "/_-: "  # between parts of names; a point may be within a number


def page_of_width(
    parts: Sequence[Table | str], width: int, detail: Detail = Detail.USUAL
) -> list[Line]:
    """Return the lines of tables and sentences, fitted to a width."""
    tables = [part if isinstance(part, str) else _fit(part, width) for part in parts]
    fitted = [part for part in tables if isinstance(part, _NarrowedTable)]
    shown = [
        part.with_short_names() if isinstance(part, _NarrowedTable) else part for part in tables
    ]
    return page(shown, detail, width, _narrowing_note(fitted))


@dataclass(frozen=True)
class _NarrowedTable:
    """A narrowed table, with the steps that were applied."""

    table: Table
    names: Mapping[str, str] = field(default_factory=dict)  # shortened names
    dropped: Sequence[str] = ()  # columns, as the note names them

    def with_short_names(self) -> Table:
        """Return the table with its conclusion and notes using the names of the columns.

        Names of which little is left are written in full there, because a sentence has room.
        """
        if not self.names:
            return self.table
        conclusion = self.table.conclusion
        if conclusion is not None:
            claim, rest = (
                self._sentence_with_names(conclusion.claim),
                self._sentence_with_names(conclusion.rest),
            )
            conclusion = conclusion._replace(claim=claim, rest=rest)
        notes = [self._sentence_with_names(note) for note in self.table.notes]
        return replace(self.table, conclusion=conclusion, notes=notes)

    def _sentence_with_names(self, text: str) -> str:
        known = (name for name, short in self.names.items() if not _is_stub(short))
        longest_first = sorted(known, key=len, reverse=True)
        if not longest_first:
            return text
        pattern = "|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in longest_first)
        return re.sub(pattern, lambda found: self.names[found[0]], text)

    def fits(self, width: int) -> bool:
        """Whether the columns are narrow enough."""
        widths = [max(map(cells_wide, column)) for column in self.table.columns]
        return sum(widths) + len(GAP) * (len(widths) - 1) <= width


def _is_stub(short: str) -> bool:
    return _CUT in short and len(short) < _TELLING


def _narrowing_note(tables: Sequence[_NarrowedTable]) -> list[str]:
    """Return a line that states how the tables were narrowed."""
    dropped = dict.fromkeys(name for each in tables for name in each.dropped)
    done = ["names are shortened"] if any(each.names for each in tables) else []
    done += [f"not shown: {', '.join(dropped)}"] if dropped else []
    return [f"To fit the terminal: {'; '.join(done)}."] if done else []


def _fit(table: Table, width: int) -> _NarrowedTable:
    """Narrow a table step by step until it fits, or as far as it goes."""
    fitted = _NarrowedTable(with_printable_cells(table))
    columns = fitted.table.columns
    if fitted.fits(width):
        return fitted
    shared = [_strip_common_parts(group) for group in _names_in(columns)]
    fitted = _name_columns(fitted, columns, shared)
    longest = max((len(name) for group in shared for name in group.values()), default=0)
    fitted = _shorten_names(fitted, columns, shared, width, range(longest, _LONG_NAME - 1, -1))
    for head in table.drops:
        if fitted.fits(width):
            return fitted
        fitted = _drop_column(fitted, head)
    if not fitted.fits(width):
        fitted = _under_headings(fitted, "task")
    fitted = _shorten_names(fitted, columns, shared, width, range(longest, _SHORT_NAME - 1, -1))
    for most in range(longest, _SHORT_NAME - 1, -1):
        if fitted.fits(width):
            return fitted
        fitted = _name_columns(fitted, columns, [_numbered_names(group, most) for group in shared])
    return fitted


def _shorten_names(
    fitted: _NarrowedTable,
    columns: Sequence[Sequence[str]],
    groups: Sequence[Mapping[str, str]],
    width: int,
    lengths: Iterable[int],
) -> _NarrowedTable:
    """Cut names to ever smaller lengths until the table fits; they stay different."""
    for most in lengths:
        if fitted.fits(width):
            return fitted
        cut = [_cut(group, most) for group in groups]
        if None not in cut:
            fitted = _name_columns(fitted, columns, [group for group in cut if group is not None])
    return fitted


def _drop_column(fitted: _NarrowedTable, head: str) -> _NarrowedTable:
    """Leave out a column, or one that tells rows apart only if all its cells are the same."""
    columns = [column for column in fitted.table.columns if _name(column[0]) == _name(head)]
    if not columns:
        return fitted
    cells = {cell.strip() for cell in columns[0][1:]}
    name = _name(head)
    if head in (*NAMES, "metric"):
        if len(cells) > 1:
            return fitted
        name = f"{head} ({cells.pop()})"
    rest = [column for column in fitted.table.columns if column is not columns[0]]
    table = replace(fitted.table, columns=rest)
    return replace(fitted, table=table, dropped=(*fitted.dropped, name))


def _name(head: str) -> str:
    """The head of a column without its unit and the level of its interval."""
    return head.partition(" [")[0].removesuffix(" %")


def _under_headings(fitted: _NarrowedTable, head: str) -> _NarrowedTable:
    """Write a column as lines above the rows that share a cell, if such rows stand together."""
    found = next((column for column in fitted.table.columns if column[0] == head), None)
    if found is None:
        return fitted
    whole = {short: name for name, short in fitted.names.items()}  # a line has room for it
    cells = [whole.get(cell, cell) for cell in map(str.strip, found[1:])]
    first = {at: cell for at, cell in enumerate(cells) if at == 0 or cell != cells[at - 1]}
    if len(first) > len(set(cells)) or len(first) == len(cells):
        return fitted
    rest = [column for column in fitted.table.columns if column is not found]
    return replace(fitted, table=replace(fitted.table, columns=rest, headings=first))


def _names_in(columns: Iterable[Sequence[str]]) -> list[dict[str, None]]:
    """Return the different names of each column of names; those of a pair are two."""
    return [
        dict.fromkeys(name for cell in cells for name in cell.split(JOINT))
        for head, *cells in columns
        if head in NAMES
    ]


def _name_columns(
    fitted: _NarrowedTable, columns: Iterable[Sequence[str]], groups: Iterable[Mapping[str, str]]
) -> _NarrowedTable:
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


def _strip_common_parts(names: Iterable[str]) -> dict[str, str]:
    """Return names without the parts that all share, and without what precedes the last slash.

    A word before the first underscore that several names share is a maker, and left out too.

    Examples
    --------
    >>> _strip_common_parts(["runs_small", "runs_large"])
    {'runs_small': 'small', 'runs_large': 'large'}
    >>> _strip_common_parts(["openai/gpt-5", "google/gemini-2.5-pro"])
    {'openai/gpt-5': 'gpt-5', 'google/gemini-2.5-pro': 'gemini-2.5-pro'}
    >>> list(_strip_common_parts(["openai_gpt-5", "openai_gpt-5-mini", "google_gemini-3"]).values())
    ['gpt-5', 'gpt-5-mini', 'gemini-3']
    """
    shorter = {name: name for name in names}
    if len(shorter) > 1:
        start, end = (
            _common_beginning(list(shorter)),
            _common_beginning([name[::-1] for name in shorter]),
        )
        inner = {name: name[start : len(name) - end] for name in shorter}
        shorter = inner if all(inner.values()) and _differ(inner) else shorter
    ends = {name: short.rstrip("/").rpartition("/")[2] or short for name, short in shorter.items()}
    shorter = ends if _differ(ends) else shorter
    makers = [short.partition("_")[0] for short in shorter.values()]
    if all(map(str.isalpha, makers)) and len(set(makers)) < len(shorter):
        models = {name: short.partition("_")[2] for name, short in shorter.items()}
        shorter = models if all(models.values()) and _differ(models) else shorter
    return shorter


def _common_beginning(names: Sequence[str]) -> int:
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
    shorter = dict(names)
    for shorten in (_head, _both_ends, _tail):
        often = Counter(shorter.values())
        for name, short in names.items():
            if len(short) > most and (len(shorter[name]) > most or often[shorter[name]] > 1):
                shorter[name] = shorten(short, most - 1)
        if _differ(shorter):
            return shorter
    return None


def _numbered_names(names: Mapping[str, str], most: int) -> dict[str, str]:
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
    """Return the beginning and the end of a name, from a separator on where one is near.

    Examples
    --------
    >>> _both_ends("anthropic_claude-opus-4-0", 20)
    'anthropic_…opus-4-0'
    """
    start, end = name[: most - most // 2], name[len(name) - most // 2 :]
    before = max(start.rfind(letter) for letter in _SEPARATORS)
    after = min((end.find(letter) for letter in _SEPARATORS if letter in end), default=-1)
    start = start[: before + 1] if before + 1 > len(start) // 2 else start
    return f"{start}…{end[after + 1 :] if -1 < after < len(end) // 2 else end}"
