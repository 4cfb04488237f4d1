"""Order effects: ratings and position bias where judges favour the answer that is shown first.

    scripts/bench order_effect                    ratings with and without --control position
    scripts/bench order_effect --data-sets 50

Eight systems, 1,600 games. A judge adds an advantage to the log odds of the answer that is shown
first. Each pair is shown in either order as often, in an order drawn at random, or with the
stronger system first in four of five games, as where a baseline is usually on the left. *naive* is
the rating that ignores the order, *corrected* the one with `--control position`; the truth is the
strength without any advantage. *found* is how often the interval of the advantage is off zero: with
an advantage of 0 that is a false alarm. The last table is `--position`: pairs that were played in
both orders on one question, by a judge that with some probability takes the first answer unread.
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from errbar.base.arrays import Array
from errbar.data.games import Games
from errbar.kernels.bradley_terry import GameRows
from errbar.preferences import position_bias, prefer

_POINTS = 400.0 / np.log(10.0)
_SYSTEMS, _GAMES = 8, 1600
_NAMES = tuple(f"s{at}" for at in range(_SYSTEMS))
STRENGTHS = np.linspace(1.2, -1.2, _SYSTEMS)
ORDERS = {"balanced": 0.5, "at random": 0.5, "stronger first in 80%": 0.8}
ADVANTAGES = (0.0, 0.3, 0.8)


def league(order: str, advantage: float, rng: np.random.Generator) -> Games:
    """Games of one data set, each on another question."""
    pairs = np.array(np.triu_indices(_SYSTEMS, 1)).T  # the stronger system comes first
    chosen = np.resize(np.arange(len(pairs)), _GAMES)
    strong, weak = pairs[chosen].T
    at = np.arange(_GAMES)
    ahead = (
        (at // len(pairs)) % 2 == 0 if order == "balanced" else rng.random(_GAMES) < ORDERS[order]
    )
    first, second = np.where(ahead, strong, weak), np.where(ahead, weak, strong)
    odds = STRENGTHS[first] - STRENGTHS[second] + advantage
    result = (rng.random(_GAMES) < 1.0 / (1.0 + np.exp(-odds))).astype(float)
    rows = GameRows(
        systems=_SYSTEMS,
        first=first,
        second=second,
        result=result,
        weight=np.ones(_GAMES),
        cluster=at,
        controls=np.zeros((_GAMES, 0)),
    )
    return Games(_NAMES, rows, tuple(map(str, at)))


def truths() -> Array:
    """Ratings of the systems on Elo's scale, where neither answer has an advantage."""
    return 1000.0 + _POINTS * (STRENGTHS - STRENGTHS.mean())


def with_position(games: Games) -> Games:
    """The games with the control that `--control position` makes."""
    rows = replace(games.rows, controls=np.ones((len(games), 1)))
    return replace(games, rows=rows, controls=("position",))


def found_advantage(remarks: tuple[str, ...]) -> tuple[float, float]:
    """The interval of the coefficient of the position, from the remark on it."""
    (said,) = (remark for remark in remarks if remark.startswith("position: "))
    low, high = said.partition("CI ")[2].partition(",")[0].split(" to ")
    return float(low), float(high)


def ratings(data_sets: int) -> Iterator[str]:
    """Shares of ratings and advantages within their intervals."""
    for order in ORDERS:
        for advantage in ADVANTAGES:
            held = {"naive": 0, "corrected": 0}
            off = {"naive": np.zeros(_SYSTEMS), "corrected": np.zeros(_SYSTEMS)}
            noticed = covered = 0
            for seed in range(data_sets):
                rng = np.random.default_rng([seed, round(10 * advantage), len(order)])
                games = league(order, advantage, rng)
                for way, some in (("naive", games), ("corrected", with_position(games))):
                    board = prefer(some)
                    rows = {row.system: row for row in board}
                    for at, (name, truth) in enumerate(zip(_NAMES, truths(), strict=True)):
                        held[way] += rows[name].interval.low <= truth <= rows[name].interval.high
                        off[way][at] += (rows[name].value - truth) / data_sets
                    if way == "corrected":
                        low, high = found_advantage(board.remarks)
                        noticed += low > 0.0 or high < 0.0
                        covered += low <= advantage <= high
            shares = " | ".join(f"{100 * n / (data_sets * _SYSTEMS):.1f}" for n in held.values())
            worst = " | ".join(f"{np.abs(each).max():.0f}" for each in off.values())
            found = f"{100 * covered / data_sets:.1f} | {100 * noticed / data_sets:.1f}"
            yield f"| {order} | {advantage:g} | {shares} | {worst} | {found} |"


def swapped(drawn: float, questions: int, rng: np.random.Generator) -> Games:
    """Each question played in both orders; with the chance `drawn` the first answer just wins."""
    first = np.tile([0, 1], questions)
    better = np.repeat(rng.random(questions) < 0.65, 2)  # whether the first system deserves it
    verdict = np.where(first == 0, better, ~better)
    verdict = np.where(rng.random(2 * questions) < 0.15, ~verdict, verdict)
    result = np.where(rng.random(2 * questions) < drawn, True, verdict).astype(float)
    number = 2 * questions
    rows = GameRows(
        systems=2,
        first=first,
        second=1 - first,
        result=result,
        weight=np.ones(number),
        cluster=np.repeat(np.arange(questions), 2),
        controls=np.zeros((number, 0)),
    )
    return Games(_NAMES[:2], rows, tuple(map(str, range(questions))))


def positions(data_sets: int) -> Iterator[str]:
    """Shares of intervals of `--position` that hold the bias, and of those off zero."""
    for questions in (30, 100, 300):
        for drawn in (0.0, 0.1, 0.3):
            held = noticed = 0
            for seed in range(data_sets):
                rng = np.random.default_rng([seed, questions, round(100 * drawn)])
                row = position_bias(swapped(drawn, questions, rng))[0]
                held += row.interval.low <= drawn / 2 <= row.interval.high
                noticed += row.interval.low > 0.0 or row.interval.high < 0.0
            shares = f"{100 * held / data_sets:.1f} | {100 * noticed / data_sets:.1f}"
            yield f"| {questions} | {drawn / 2:g} | {shares} |"


def main(arguments: list[str]) -> None:
    """Print both studies as Markdown tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-sets", type=int, default=200)
    chosen = parser.parse_args(arguments)
    print(
        "| order | advantage | naive held, % | corrected held, % | naive off by, points | "
        "corrected off by | advantage held, % | found, % |\n|---|--:|--:|--:|--:|--:|--:|--:|"
    )
    for row in ratings(chosen.data_sets):
        print(row, flush=True)
    print("\n| pairs | true bias | held, % | found, % |\n|--:|--:|--:|--:|")
    for row in positions(5 * chosen.data_sets):
        print(row, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
