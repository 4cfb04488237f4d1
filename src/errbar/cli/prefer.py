"""`errbar prefer`: ratings and win rates from games between systems."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import click

from errbar.cli import io, options
from errbar.cli.help import command_on_paths
from errbar.cli.io import WriteOptions, paths_text, require_writable, show
from errbar.cli.options import Keywords, Paths, bundle, choice
from errbar.cli.work import working
from errbar.errors import InputError

if TYPE_CHECKING:
    from errbar.results.base import Result


@dataclass(frozen=True, kw_only=True)
class GameOptions(Keywords):
    """How games are read and rated: keywords of `errbar.prefer` but the columns."""

    against: str | None
    ties: Literal["half", "davidson", "rao-kupper"]
    method: Literal["bradley-terry", "elo"]
    anchor: str | None
    by_judge: bool
    level: float
    length_controlled: str | None
    controls: tuple[str, ...]
    first_wins: tuple[str, ...]
    second_wins: tuple[str, ...]
    ties_are: tuple[str, ...]


GAMES = bundle(
    "rating",
    GameOptions,
    click.option("--against", help="Show the win rates of all systems against this one."),
    click.option(
        "--length-controlled",
        metavar="FILE",
        help="With --against: AlpacaEval's length-controlled win rates, by its file df_gamed.csv. "
        "Needs errbar[alpaca].",
    ),
    choice(
        *("--ties", "half", "davidson", "rao-kupper"),
        default="half",
        text="The model of ties: half a win, Davidson's, or Rao and Kupper's.",
    ),
    choice(
        *("--method", "bradley-terry", "elo"),
        default="bradley-terry",
        text="The Bradley-Terry model, or Elo ratings (mean over random orders).",
    ),
    click.option(
        "--anchor",
        help="The system whose rating is set to 1000; by default the mean of all ratings is 1000.",
    ),
    click.option("--by-judge", is_flag=True, help="Rate the games of each judge separately."),
    click.option(
        "--control",
        "controls",
        multiple=True,
        metavar="NAME",
        help="Control for a property of the answers, as in length (columns length_a and "
        "length_b), or for position (the advantage of the answer shown first). May be "
        "repeated.",
    ),
    click.option(
        "--first",
        "first_wins",
        multiple=True,
        metavar="WORD",
        help="A word that means that the first system won; may be repeated. If --first and "
        "--second are numbers, values between them are grades.",
    ),
    click.option(
        "--second",
        "second_wins",
        multiple=True,
        metavar="WORD",
        help="A word that means that the second system won; may be repeated.",
    ),
    click.option(
        "--tie",
        "ties_are",
        multiple=True,
        metavar="WORD",
        help="A word that means a tie; may be repeated.",
    ),
    options.LEVEL,
)


_READING = ("level", "first_wins", "second_wins", "ties_are")  # options of `position_bias`


def _columns(_: click.Context, __: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    """Columns by meaning, each written as winner=human_winner."""
    columns = {}
    for text in texts:
        meaning, equals, name = text.partition("=")
        if not (meaning and equals):
            raise InputError(
                f"--map {text!r} must be written meaning=column, as in winner=human_winner."
            )
        columns[meaning] = name
    return columns


@command_on_paths
@GAMES
@click.option(
    "--map",
    "columns",
    multiple=True,
    callback=_columns,
    metavar="MEANING=COLUMN",
    help="Say which column has the first system, second, winner, question, judge, cluster or "
    "weight; weight= says that no column has it. May be repeated.",
)
@click.option(
    "--position",
    is_flag=True,
    help="In place of ratings, show how far judges prefer the answer that is shown first.",
)
@io.page_file(
    "--report", "Also write an HTML page with ratings, pairs and the position bias of the judges."
)
@io.WRITE
@io.PLOT
def prefer(
    paths: Paths,
    columns: dict[str, str],
    rating: GameOptions,
    position: bool,
    report: str | None,
    writing: WriteOptions,
) -> None:
    """Rate systems by preferences between their answers.

    A row is a game of two systems that a person or a judge model decided.

    \b
    Examples:
      errbar prefer battles.jsonl
      errbar prefer battles.jsonl --against small
      errbar prefer battles.jsonl --map winner=winner --ties davidson
      errbar prefer swapped.jsonl --position
      errbar prefer battles.jsonl --report battles.html
    """
    from errbar import preferences  # noqa: PLC0415  --help must not wait

    with working(f"errbar prefer {paths_text(paths)}"):
        require_writable(paths)
        if position:
            reading: dict[str, Any] = {name: getattr(rating, name) for name in _READING}
            result: Result = preferences.position_bias(list(paths), **{**reading, **columns})
        else:
            result = preferences.prefer(list(paths), **{**rating.keywords(), **columns})
        if report:
            preferences.report_games(list(paths), report, **{**rating.keywords(), **columns})
    show(result, writing)
