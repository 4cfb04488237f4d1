"""The page of an audit of a leaderboard, to send to those who keep the board."""

from datetime import date
from pathlib import Path

from errbar import __version__
from errbar.base.files import atomic_file
from errbar.base.remarks import MARK, explanations, marked, unmarked
from errbar.base.tables import percent
from errbar.errors import InputError
from errbar.page.templates import packaged, template_of
from errbar.results.board_audit import BoardAudit

_MOST_ROWS = 30  # systems on the page, which is to be one page


def write_board_page(found: BoardAudit, path: str | Path, *, title: str = "") -> Path:
    """Write an audit to an HTML file that needs no other, and return its path."""
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"a page is an HTML file, as in board.html; got {str(path)!r}.")
    text = render_board(found, title=title)
    with atomic_file(target) as file:
        file.write_text(text, encoding="utf-8")
    return target


def render_board(found: BoardAudit, *, title: str = "") -> str:
    """Return the page as HTML."""
    notes = found.board.notes()
    first = list(dict.fromkeys(marked(notes)))
    today = date.today()
    columns = [column[: _MOST_ROWS + 1] for column in found.columns()]
    said = {*found.on_the_lead(), *found.on_stability()}
    text: str = template_of("board.html").render(
        title=title or f"How far can the order of {len(found)} systems be relied on?",
        version=__version__,
        day=f"{today.day} {today:%B %Y}",
        style=packaged("page.css"),
        found=found,
        columns=columns,
        hidden=max(len(found) - _MOST_ROWS, 0),
        level=percent(found[0].interval.level),
        warnings=[note for note in first if note.startswith(MARK)],
        guesses=[note for note in first if not note.startswith(MARK)],
        notes=[
            note
            for note in dict.fromkeys([*unmarked(notes), *explanations(found.notes())])
            if note not in said
        ],
    )
    return text
