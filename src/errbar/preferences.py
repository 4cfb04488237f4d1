"""Preferences: ratings and win rates of systems from games between them."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from errbar.analysis.agreement import position_bias as judged_positions
from errbar.analysis.elo import rate_by_elo
from errbar.analysis.preferences import RatingRequest, rate_games
from errbar.base.arguments import checked, require_choice, strict_share, texts
from errbar.data.games import USUAL_GAMES, Games
from errbar.data.readers.games.tables import HowToReadGames, read_games
from errbar.data.readers.games.winners import Words
from errbar.errors import InputError, WrongType
from errbar.kernels.bradley_terry import Ties
from errbar.kernels.hierarchical import DrawnRanks, exchangeable_normal
from errbar.loading import load
from errbar.results.agreement import RaterAgreement
from errbar.results.estimate import Interval
from errbar.results.leaderboard import Rating, Ratings, Standing, letters_of
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
    unknown = sorted(set(columns) - set(USUAL_GAMES))
    if unknown:
        raise WrongType(f"games has no option {unknown[0]}; columns are {', '.join(USUAL_GAMES)}.")
    words = Words(
        texts(first_wins, "first_wins"),
        texts(second_wins, "second_wins"),
        texts(ties_are, "ties_are"),
    )
    controls = texts(controls, "controls")
    return read_games(data, HowToReadGames(columns=columns, controls=controls, words=words))


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
    found = games(data, **reading)
    if against is None and method == "elo":
        if ties != "half":
            raise InputError("an Elo rating counts a tie as half a win; leave out the model.")
        return rate_by_elo(
            found, level=strict_share(level, "level"), anchor=anchor, by_judge=by_judge
        )
    if against is None:
        request = RatingRequest(ties=Ties(ties), level=level, anchor=anchor, by_judge=by_judge)
        return rate_games(found, request)
    if anchor or by_judge or ties != "half" or method != "bradley-terry":
        raise InputError(
            "a win rate against a baseline has no anchor, no model and is not split by judge; "
            "leave them out, or leave out the baseline."
        )
    if found.controls:
        return adjusted_rates(found, against, level=strict_share(level, "level"))
    return win_rates(found, against, level=strict_share(level, "level"))


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
    found = games(data, **reading)
    return write_games_report(found, prefer(found, **options), path, title=title)


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
        rate = Rating(
            system=score.system,
            value=score.value,
            sd=score.sd,
            interval=score.interval,
            rank=1 + sum(other.value > score.value for other in scores),
            best_rank=1,
            worst_rank=len(scores),
            expected_rank=0.5 * (1 + len(scores)),
            chance_best=1.0 / len(scores),
            groups="a",
            games=len(own),
            win_rate=score.value,
            standard_error=math.nan if weighted else _standard_error(own),
        )
        standing = ranked.get(score.system)
        rows.append(rate if standing is None else _with_ranks(rate, standing))
    rows.sort(key=lambda row: (row.rank, -row.value, row.system))
    method = (
        "mean result over questions, a tie is half a win; Bayesian bootstrap over questions with "
        "one unseen question at the bound (Gaffke)"
    )
    measure, size = f"win rate against {baseline}", sum(map(len, results.values()))
    return Ratings(tuple(rows), measure, method, size, scores[0].questions, tuple(remarks))


def adjusted_rates(found: Games, baseline: str, *, level: float = 0.95) -> Ratings:
    """Win rates against a baseline at equal controls, as for answers of equal length.

    Each system has a logistic regression of its own: a strength, and a coefficient per control.
    Systems differ in rank if intervals that hold for all at once do not overlap.
    """
    results = found.against(baseline)  # raises an error for an unknown baseline
    at, rows = found.systems.index(baseline), found.rows
    remarks: list[str] = [*found.remarks, *found.accounts.in_words()]
    own: list[Rating] = []
    at_once: dict[str, Interval] = {}  # simultaneous intervals (Bonferroni)
    for system in results:
        place = found.systems.index(system)
        forth = (rows.first == at) & (rows.second == place)
        pair = found.where(forth | ((rows.first == place) & (rows.second == at)))
        boards = (
            rate_games(pair, RatingRequest(level=interval_level, anchor=baseline))
            for interval_level in (level, 1.0 - (1.0 - level) / len(results))
        )
        board, wide = boards
        own += [row for row in board if row.system == system]
        at_once |= {row.system: row.interval for row in wide if row.system == system}
        on_controls = [note for note in board.remarks if note.startswith(found.controls)]
        remarks += [f"{system}: {note}" for note in on_controls]
    own.sort(key=lambda row: (-row.value, row.system))
    ends = [at_once[row.system] for row in own]
    ahead = np.array([[mine.low > other.high for other in ends] for mine in ends])
    letters = letters_of((ahead | ahead.T).tolist())
    values, sds = (np.array([getattr(row, name) for row in own]) for name in ("value", "sd"))
    drawn = DrawnRanks(exchangeable_normal(values, np.diag(sds)))
    placed = tuple(
        replace(
            row,
            value=_chance(row.value),
            sd=row.sd * math.log(10.0) / 400.0 * _chance(row.value) * (1.0 - _chance(row.value)),
            interval=replace(
                row.interval, low=_chance(row.interval.low), high=_chance(row.interval.high)
            ),
            rank=at + 1,
            best_rank=1 + int(ahead[:, at].sum()),
            worst_rank=len(own) - int(ahead[at].sum()),
            expected_rank=float(drawn.expected[at]),
            chance_best=float(drawn.best[at]),
            groups=letters[at],
            win_rate=_chance(row.value),
        )
        for at, row in enumerate(own)
    )
    equal = " and ".join(found.controls)
    method = (
        f"logistic regression of the result on {equal}, for each system by itself, evaluated at 0; "
        f"covariance by the jackknife over questions (CR3). With length it is not AlpacaEval's "
        f"length-controlled rate, which needs difficulties of its questions"
    )
    measure, size = f"win rate against {baseline} at equal {equal}", sum(map(len, results.values()))
    return Ratings(placed, measure, method, size, len(found.questions), tuple(remarks))


def _chance(rating: float) -> float:
    """The chance to win against a system with the rating 1000."""
    return 1.0 / (1.0 + 10.0 ** ((1000.0 - rating) / 400.0))


def runs_against(found: Games, baseline: str) -> Runs:
    """The games against a baseline as outcomes, for every other verb: 1 is a win, 0 a loss."""
    return load(found.outcomes(baseline), repeats="keep")


def _ranks(runs: Runs, level: float) -> dict[str, Standing]:
    board = runs.rank("avg", level=level, bounds=(0.0, 1.0))
    return {row.system: row for row in board}


def _with_ranks(rate: Rating, standing: Standing) -> Rating:
    names = ("rank", "best_rank", "worst_rank", "expected_rank", "chance_best", "groups")
    return replace(rate, **{name: getattr(standing, name) for name in names})


def _standard_error(results: Sequence[float]) -> float:
    """Sample standard deviation of the results over the root of their number, as in AlpacaEval."""
    if len(results) < 2:
        return math.nan
    return float(np.std(results, ddof=1) / math.sqrt(len(results)))
