"""Pages of leaderboards: ratings from games, and the audit of a leaderboard."""

from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from errbar import __version__
from errbar.analysis.game_scores import position_bias
from errbar.base.remarks import MARK, all_names, explanations, marked, unmarked
from errbar.base.tables import percent
from errbar.data.games import Games
from errbar.errors import InputError
from errbar.page.templates import day_text, packaged, template_of, write_page
from errbar.results.board_audit import BoardAudit
from errbar.results.judges import RaterAgreement
from errbar.results.leaderboard import Rating, Ratings
from errbar.results.pictures.forest import Axis

_MOST_PAIRED = 30  # systems in the table of pairs
_DEFINED = ("ranks: ", "group: ")  # what the page defines itself, or does not show


def write_games_report(games: Games, found: Ratings, path: str | Path, *, title: str = "") -> Path:
    """Write a report on games to an HTML file that needs no other, and return its path."""
    return write_page(path, lambda: render_games(games, found, title=title), kind="report")


def render_games(games: Games, found: Ratings, *, title: str = "") -> str:
    """Return the page as HTML."""
    notes, positions = found.notes(), _positions(games, found)
    if positions is not None:
        notes += positions.notes()
    first = list(dict.fromkeys(marked(notes)))
    text: str = template_of("games.html").render(
        title=title or _title(games),
        version=__version__,
        day=day_text(date.today()),
        style=packaged("page.css"),
        games=games,
        found=found,
        boards=_boards(found),
        axis=Axis.of(
            number for row in found for number in (row.interval.low, row.value, row.interval.high)
        ),
        interval=found.rows[0].interval.title,
        warnings=[note for note in first if note.startswith(MARK)],
        guesses=[note for note in first if not note.startswith(MARK)],
        pairs=_pairs(games, found) if len(games.systems) <= _MOST_PAIRED else [],
        **_position_table(positions),
        remarks=[note for note in unmarked(notes) if not note.startswith(_DEFINED)],
        methods=[
            _sentence(note.removeprefix("Method: "))
            for note in dict.fromkeys(explanations(notes))
            if not note.startswith(_DEFINED)
        ],
    )
    return text


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _title(games: Games) -> str:
    """The systems by name if they are few."""
    if len(games.systems) <= 3:
        return f"Preferences between {all_names(games.systems)}"
    return f"Preferences between {len(games.systems)} systems"


def _boards(found: Ratings) -> dict[str, list[tuple[Rating, str, str]]]:
    """Each judge's systems, with their values and ends as text."""
    boards: dict[str, list[tuple[Rating, str, str]]] = {}
    for row, cell in zip(found, found.cells_of("value"), strict=True):
        boards.setdefault(row.judge, []).append((row, *_parts(cell)))
    return boards


def _parts(cell: str) -> tuple[str, str]:
    """The value of a cell, and the ends of its interval in words."""
    value, _, ends = cell.strip().partition(" [")
    return value, ends.strip("] ").replace(",", " to").replace("inf", "∞")


def _pairs(games: Games, found: Ratings) -> list[tuple[str, list[tuple[float, int]]]]:
    """Share of wins and number of games of each system against each other, the best first."""
    order = [games.systems.index(name) for name in dict.fromkeys(row.system for row in found)]
    rows, size = games.rows, len(games.systems)
    won, played = np.zeros((2, size, size))
    np.add.at(won, (rows.first, rows.second), rows.result)
    np.add.at(won, (rows.second, rows.first), 1.0 - rows.result)
    np.add.at(played, (rows.first, rows.second), 1.0)
    played += played.T
    return [
        (
            games.systems[at],
            [
                (won[at, other] / max(played[at, other], 1.0), int(played[at, other]))
                for other in order
            ],
        )
        for at in order
    ]


def _position_table(positions: RaterAgreement | None) -> dict[str, Any]:
    """The position bias in a sentence and as columns, without columns of a single value."""
    headline = positions.conclusion() if positions is not None else None
    if positions is None or headline is None:
        return {"positions": [], "position_claim": ""}
    columns = [column for column in positions.columns() if len(set(column[1:])) > 1]
    return {"positions": columns, "position_claim": headline.claim}


def _positions(games: Games, found: Ratings) -> RaterAgreement | None:
    """The position bias, if any pair was played in both orders."""
    try:
        return position_bias(games, found.rows[0].interval.level)
    except InputError:
        return None


_MOST_ROWS = 30  # systems on the page, which is to be one page


def write_board_page(found: BoardAudit, path: str | Path, *, title: str = "") -> Path:
    """Write an audit to an HTML file that needs no other, and return its path."""
    return write_page(path, lambda: render_board(found, title=title), kind="page")


def render_board(found: BoardAudit, *, title: str = "") -> str:
    """Return the page as HTML."""
    notes = found.board.notes()
    first = list(dict.fromkeys(marked(notes)))
    shown = found[:_MOST_ROWS]
    cells = (_parts(cell) for cell in found.board.cells_of("value"))
    extras = [(head, column) for head, *column in found.columns()[3:] if head != "group"]
    said = {*found.on_the_lead(), *found.on_stability(), *found.meanings()}
    text: str = template_of("board.html").render(
        title=title or f"How far can the order of {len(found)} systems be relied on?",
        version=__version__,
        day=day_text(date.today()),
        style=packaged("page.css"),
        found=found,
        rows=[(row, *parts) for row, parts in zip(shown, cells, strict=False)],
        extras=extras,
        axis=Axis.of(
            end for row in shown for end in (row.interval.low, row.value, row.interval.high)
        ),
        interval=found[0].interval.title,
        meaning=" ".join(map(_sentence, found.meanings())),
        hidden=max(len(found) - _MOST_ROWS, 0),
        level=percent(found[0].interval.level),
        warnings=[note for note in first if note.startswith(MARK)],
        guesses=[note for note in first if not note.startswith(MARK)],
        notes=[
            _sentence(note.removeprefix("Method: "))
            for note in dict.fromkeys([*unmarked(notes), *explanations(found.notes())])
            if note not in said and not note.startswith(_DEFINED)
        ],
    )
    return text
