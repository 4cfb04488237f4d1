"""Preferences: ratings and win rates of systems from games between them."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from errbar.analysis.game_scores import (
    adjusted_rates,
    length_controlled_rates,
    rate_by_elo,
    standard_error,
    unranked_rate,
)
from errbar.analysis.game_scores import position_bias as judged_positions
from errbar.analysis.preferences import RatingRequest, rate_games
from errbar.base.arguments import checked, require_choice, strict_share, texts
from errbar.base.remarks import way_to_say
from errbar.data.games import USUAL_GAMES, Games
from errbar.data.readers.games.lengths import read_gamed, read_lengths
from errbar.data.readers.games.tables import HowToReadGames, read_games
from errbar.data.readers.games.winners import Words
from errbar.errors import InputError, WrongType
from errbar.kernels.bradley_terry import Ties
from errbar.loading import load
from errbar.results.judges import RaterAgreement
from errbar.results.leaderboard import Rating, Ratings, Standing
from errbar.runs import Runs

_READING = {"controls", "first_wins", "second_wins", "ties_are", *USUAL_GAMES}


@checked
def games(
    data: Any,
    *,
    controls: Sequence[str] = (),
    first_wins: Sequence[str] = (),
    second_wins: Sequence[str] = (),
    ties_are: Sequence[str] = (),
    **columns: str,
) -> Games:
    """Read games: preferences between the answers of two systems.

    Parameters
    ----------
    data
        Paths of files, a DataFrame or Spark table, a list of records, or a dict of columns.
    controls
        Names of numbers to allow for, as in ["length"]: columns length_a and length_b, or one
        column with their difference; the length can be that of the answers. "position" is the
        advantage of the answer shown first, and needs no column.
    first_wins, second_wins, ties_are
        Words of the column `winner` that errbar does not know.
    **columns
        Column names by meaning, as in `winner="human_winner"`: first, second, winner, question,
        judge, cluster, weight.

    Examples
    --------
    >>> games([{"model_a": "small", "model_b": "large", "winner": "model_b"}])
    Games(2 systems, 1 games)
    """
    if isinstance(data, Games):
        return data
    how = _how_to_read(controls, first_wins, second_wins, ties_are, **columns)
    return read_games(data, how)


def _how_to_read(
    controls: Sequence[str] = (),
    first_wins: Sequence[str] = (),
    second_wins: Sequence[str] = (),
    ties_are: Sequence[str] = (),
    **columns: str,
) -> HowToReadGames:
    """The keywords of `games` as a value."""
    unknown = sorted(set(columns) - set(USUAL_GAMES))
    if unknown:
        raise WrongType(f"games has no option {unknown[0]}; columns are {', '.join(USUAL_GAMES)}.")
    words = Words(
        texts(first_wins, "first_wins"),
        texts(second_wins, "second_wins"),
        texts(ties_are, "ties_are"),
    )
    return HowToReadGames(columns=columns, controls=texts(controls, "controls"), words=words)


@checked
def prefer(
    data: Any,
    *,
    against: str | None = None,
    ties: Literal["half", "davidson", "rao-kupper"] = "half",
    level: float = 0.95,
    anchor: str | None = None,
    by_judge: bool = False,
    method: Literal["bradley-terry", "elo"] = "bradley-terry",
    length_controlled: str | Path | None = None,
    **reading: Any,
) -> Ratings:
    """Rate systems by the games between them, with intervals, ranks and groups.

    Parameters
    ----------
    data
        Games, or anything that `games` takes.
    against
        A baseline: the win rates of all others against it, in place of ratings.
    ties
        The model of ties: half a win, Davidson's, or Rao and Kupper's.
    level
        The level of the intervals.
    anchor
        The system whose rating is set to 1000; by default the mean of all ratings is 1000.
    by_judge
        Whether the games of each judge are rated apart.
    method
        The Bradley-Terry model, or Elo ratings (mean over random orders).
    length_controlled
        AlpacaEval's file df_gamed.csv, for its length-controlled win rates against the baseline.
    **reading
        Keywords of `games`, as in `winner="human_winner"`, `controls=["length"]`.

    Examples
    --------
    >>> won = [("a", "b", "model_a")] * 6 + [("a", "b", "model_b")] * 2
    >>> rows = [dict(zip(("model_a", "model_b", "winner"), game)) for game in won]
    >>> print([row.system for row in prefer(rows)], round(prefer(rows)[0].win_rate, 2))
    ['a', 'b'] 0.75
    """
    require_choice(ties, "ties", [each.value for each in Ties])
    require_choice(method, "method", ("bradley-terry", "elo"))
    level = strict_share(level, "level")
    if against is None and length_controlled is None:
        played = games(data, **reading)
        if method == "elo":
            if ties != "half":
                raise InputError("an Elo rating counts a tie as half a win; leave out the model.")
            return rate_by_elo(played, level=level, anchor=anchor, by_judge=by_judge)
        request = RatingRequest(ties=Ties(ties), level=level, anchor=anchor, by_judge=by_judge)
        return rate_games(played, request)
    if anchor or by_judge or ties != "half" or method != "bradley-terry":
        raise InputError(
            "a win rate against a baseline has no anchor, no model and is not split by judge; "
            "leave them out, or leave out the baseline."
        )
    return _rates_against(data, against, length_controlled, level, reading)


def _rates_against(
    data: Any, baseline: str | None, gamed: str | Path | None, level: float, reading: dict[str, Any]
) -> Ratings:
    """Win rates against a baseline: plain, at equal controls, or AlpacaEval's length-controlled."""
    if gamed is not None:
        if baseline is None or reading.pop("controls", ()):
            way = way_to_say("--against NAME", "against='NAME'")
            raise InputError(
                f"AlpacaEval's length-controlled win rate needs a baseline, {way}, and no controls."
            )
        rows = read_lengths(data, _how_to_read(**reading), baseline)
        return length_controlled_rates(*rows, baseline, read_gamed(gamed), level=level)
    played = games(data, **reading)
    rates = adjusted_rates if played.controls else win_rates
    return rates(played, str(baseline), level=level)


def report_games(
    data: Any, path: str | Path = "games.html", *, title: str = "", **options: Any
) -> Path:
    """Write a report on games as one HTML file that needs no other file, and return its path.

    Parameters
    ----------
    data
        Games, or anything that `games` takes.
    path
        The file to write, which ends in .html.
    title
        The title of the page; by default the systems.
    **options
        Keywords of `prefer`.
    """
    from errbar.page.boards import write_games_report  # noqa: PLC0415  an extra

    reading = {name: options.pop(name) for name in [*options] if name in _READING}
    played = games(data, **reading)
    rates = (
        prefer(played, **options)
        if options.get("length_controlled") is None
        else prefer(data, **options, **reading)  # it needs rows that are no games
    )
    return write_games_report(played, rates, path, title=title)


@checked
def position_bias(data: Any, *, level: float = 0.95, **reading: Any) -> RaterAgreement:
    """Measure how far judges prefer the answer that they are shown first.

    Parameters
    ----------
    data
        Games that were played in both orders, or anything that `games` takes; `first` was shown
        first.
    level
        The level of the intervals.
    **reading
        Keywords of `games`.

    Examples
    --------
    >>> orders = [("a", "b", "model_a"), ("b", "a", "model_a")] * 3
    >>> names = ("model_a", "model_b", "winner", "question_id")
    >>> rows = [dict(zip(names, (*game, at // 2))) for at, game in enumerate(orders)]
    >>> found = position_bias(rows)
    >>> found[0].measure, found[0].value
    ('first shown − 1/2', 0.5)
    """
    return judged_positions(games(data, **reading), level)


@checked
def win_rates(found: Games, baseline: str, *, level: float = 0.95) -> Ratings:
    """Win rates against a baseline: the mean result over questions; a tie is half a win."""
    runs = runs_against(found, baseline)
    scores = runs.score("avg", level=level, bounds=(0.0, 1.0))
    remarks = [*found.remarks, *found.accounts.in_words()]
    ranked: dict[str, Standing] = {}
    try:
        ranked = _ranks(runs, level) if len(scores) > 1 else {}
    except InputError as error:
        remarks.append(f"The ranks stay open: {error}")
    results = found.against(baseline)
    weighted = bool(np.any(found.rows.weight != 1.0))
    rows = []
    for score in scores:
        own = results[score.system]
        rate = unranked_rate(
            score.system,
            score.value,
            score.sd,
            score.interval,
            systems=len(scores),
            games=len(own),
            standard_error=math.nan if weighted else standard_error(own),
        )
        rate = replace(rate, rank=1 + sum(other.value > score.value for other in scores))
        standing = ranked.get(score.system)
        rows.append(rate if standing is None else _with_ranks(rate, standing))
    rows.sort(key=lambda row: (row.rank, -row.value, row.system))
    method = (
        "mean result over questions, a tie is half a win; Bayesian bootstrap over questions with "
        "one unseen question at the bound (Gaffke)"
    )
    measure, size = f"win rate against {baseline}", sum(map(len, results.values()))
    return Ratings(tuple(rows), measure, method, size, scores[0].questions, tuple(remarks))


def runs_against(found: Games, baseline: str) -> Runs:
    """The games against a baseline as outcomes, for every other verb: 1 is a win, 0 a loss."""
    return load(found.outcomes(baseline), repeats="keep")


def _ranks(runs: Runs, level: float) -> dict[str, Standing]:
    board = runs.rank("avg", level=level, bounds=(0.0, 1.0))
    return {row.system: row for row in board}


def _with_ranks(rate: Rating, standing: Standing) -> Rating:
    names = ("rank", "best_rank", "worst_rank", "expected_rank", "chance_best", "groups")
    return replace(rate, **{name: getattr(standing, name) for name in names})
