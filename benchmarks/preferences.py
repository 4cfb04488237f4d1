"""Ratings from games: coverage on simulated leagues, and speed beside choix.

    scripts/bench preferences             coverage of ratings, verdicts and ranks
    scripts/bench preferences --speed     100 systems x 10^6 games, beside choix
    scripts/bench preferences --length-controlled    coverage of AlpacaEval's length-controlled rate

A league has true strengths, a list of pairs to play, a share of ties, and questions on which
systems are better or worse than usual; all games of a question share these effects. The truth of a
rating is that of the Bradley-Terry model fitted to the expected result of every pair that is
played. The list of leagues was written before the first run.
"""

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist

import numpy as np

from errbar.analysis.game_scores import length_controlled_rates
from errbar.base.arrays import Array, Integers
from errbar.data.games import Games, games_of
from errbar.data.readers.games.lengths import LengthRows
from errbar.kernels.bradley_terry import GameRows, fit
from errbar.kernels.connectivity import strong_components
from errbar.kernels.length_control import GamedRows, length_controlled
from errbar.preferences import prefer

_POINTS = 400.0 / np.log(10.0)


@dataclass(frozen=True)
class League:
    """A league: how many systems, games, questions; spreads of strengths and question effects."""

    name: str
    systems: int
    games: int
    questions: int  # 0: each game is on a question of its own
    spread: float = 1.0
    effect: float = 0.0
    ties: float = 0.0
    sparse: bool = False  # only neighbours in a ring and some random pairs play
    star: bool = False  # all games are against the first system

    def pairs(self, rng: np.random.Generator) -> Integers:
        """The pairs that play."""
        everyone = np.array(np.triu_indices(self.systems, 1)).T
        if self.star:
            return everyone[everyone[:, 0] == 0]
        if not self.sparse:
            return everyone
        ring = np.array([[at, (at + 1) % self.systems] for at in range(self.systems)])
        return np.concatenate([ring, everyone[rng.choice(len(everyone), self.systems)]])


LEAGUES = (
    League("dense, 5 systems", 5, 1000, 0),
    League("dense, 5 systems, 60 games", 5, 60, 0),
    League("dense, 10 systems, close", 10, 2000, 0, spread=0.1),
    League("dense, 10 systems, ties 40%", 10, 1000, 0, ties=0.4),
    League("10 systems, 50 questions, all pairs", 10, 2250, 50, effect=0.7),
    League("10 systems, 20 questions, all pairs", 10, 900, 20, effect=0.7),
    League("5 systems, 15 questions", 5, 150, 15, effect=1.0, ties=0.2),
    League("20 systems, 400 games, sparse", 20, 400, 0, sparse=True),
    League("20 systems, 200 games, sparse", 20, 200, 0, sparse=True),
    League("20 systems, 200 questions, sparse", 20, 2000, 200, effect=0.7, sparse=True),
    League("star, 8 systems, 100 questions", 8, 700, 100, effect=0.5, star=True),
    League("8 systems, 25 questions, sparse, ties 30%", 8, 400, 25, 1.0, 1.0, 0.3, sparse=True),
    League("50 systems, 5000 games, sparse, ties 30%", 50, 5000, 0, ties=0.3, sparse=True),
    League("100 systems, 5000 games", 100, 5000, 0),
    League("100 systems, 2000 games, sparse, ties 20%", 100, 2000, 0, ties=0.2, sparse=True),
    League("100 systems, 500 questions, ties 20%", 100, 10_000, 500, effect=0.7, ties=0.2),
)


def expected(apart: Array, effect: float, ties: float) -> Array:
    """Mean result of games with normal question effects, by Gauss-Hermite quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    shifted = apart[:, None] + np.sqrt(2.0) * effect * nodes
    won = (1.0 / (1.0 + np.exp(-shifted))) @ weights / weights.sum()
    return (1.0 - ties) * won + 0.5 * ties


def play(league: League, rng: np.random.Generator) -> tuple[Games, Array]:
    """A data set and the true ratings of all systems."""
    strengths = league.spread * np.array(
        [NormalDist().inv_cdf((at + 0.5) / league.systems) for at in range(league.systems)]
    )
    pairs = league.pairs(rng)
    chosen = np.resize(np.arange(len(pairs)), league.games)
    first, second = pairs[chosen].T
    per = league.games // league.questions if league.questions else 1
    question = np.arange(league.games) // per
    effects = league.effect * rng.standard_normal((int(question.max()) + 1, league.systems))
    apart = (
        strengths[first] - strengths[second] + effects[question, first] - effects[question, second]
    )
    result = (rng.random(league.games) < 1.0 / (1.0 + np.exp(-apart))).astype(float)
    result[rng.random(league.games) < league.ties] = 0.5
    rows = _rows(league.systems, first, second, result, question)
    pairs_played, times = np.unique(chosen, return_counts=True)
    a, b = pairs[pairs_played].T
    mean = expected(strengths[a] - strengths[b], league.effect, league.ties)
    whole = _rows(league.systems, a, b, mean, np.arange(a.size), times.astype(float))
    names = tuple(f"s{at:03}" for at in range(league.systems))
    questions = tuple(map(str, range(int(question.max()) + 1)))
    return Games(names, rows, questions), fit(whole).strengths


def _rows(
    systems: int,
    first: Integers,
    second: Integers,
    result: Array,
    cluster: Integers,
    weight: Array | None = None,
) -> GameRows:
    return GameRows(
        systems=systems,
        first=first,
        second=second,
        result=result,
        weight=np.ones(first.size) if weight is None else weight,
        cluster=cluster,
        controls=np.zeros((first.size, 0)),
    )


def study(league: League, data_sets: int) -> str:
    """Shares of ratings within their intervals, of wrong verdicts, and of leagues ranked right."""
    held = ranked = total = separated = 0
    widths = []
    for seed in range(data_sets):
        games, truth = play(league, np.random.default_rng([seed, len(league.name)]))
        labels = strong_components(games.rows)
        core = labels == int(np.argmax(np.bincount(labels)))
        separated += bool(labels.max())
        ratings = 1000.0 + _POINTS * (truth - truth[core].mean())
        found = {row.system: row for row in prefer(games)}
        order = [found[name] for name in games.systems]
        held += sum(
            row.interval.low <= value <= row.interval.high
            for row, value in zip(order, ratings, strict=True)
        )
        total += len(order)
        widths += [row.interval.high - row.interval.low for row in order]
        true_rank = 1 + (truth[None, :] > truth[:, None] + 1e-12).sum(axis=1)
        right = [
            row.best_rank <= rank <= row.worst_rank
            for row, rank in zip(order, true_rank, strict=True)
        ]
        ranked += all(right)
    width = float(np.median(widths))
    shares = f"{100 * held / total:.1f} | {100 * ranked / data_sets:.1f}"
    return f"| {league.name} | {data_sets} | {shares} | {width:.0f} | {separated} |"


def speed() -> None:
    """100 systems: errbar with intervals and ranks, choix without."""
    import choix  # noqa: PLC0415  only here

    for number in (100_000, 1_000_000):
        league = League(f"100 systems, {number} games", 100, number, 0)
        games, _ = play(league, np.random.default_rng(0))
        rows = games.rows
        won = rows.result == 1
        pairs = np.where(won, (rows.first, rows.second), (rows.second, rows.first)).T.tolist()
        calls: dict[str, Callable[[], object]] = {
            "errbar": partial(prefer, games),
            "choix.ilsr_pairwise": partial(choix.ilsr_pairwise, 100, pairs),
        }
        for name, call in calls.items():
            began, spent = time.perf_counter(), time.process_time()
            call()
            wall, cpu = time.perf_counter() - began, time.process_time() - spent
            print(f"{league.name}: {name} {wall:.1f} s ({cpu:.1f} s of CPU)", flush=True)


def annotated(
    strength: float, number: int, rng: np.random.Generator
) -> tuple[LengthRows, GamedRows]:
    """Graded preferences for a system, those and for two gamed baselines.

    Every judge likes long answers; the answers of the system are longer than the baseline's.
    """
    difficulty = rng.standard_normal(number)

    def graded(strength: float, apart: Array) -> Array:
        odds = strength + 0.3 * difficulty - 1.2 * np.tanh(apart) + rng.standard_normal(number)
        return 1.0 / (1.0 + np.exp(-2.0 * odds))  # mostly close to 0 or to 1

    lengths = rng.normal(-0.5, 1.0, number)
    gamed = [rng.normal(sign, 0.5, number) for sign in (-1.0, 1.0)]
    index = np.arange(number)
    others = np.concatenate([graded(0.0, apart) for apart in gamed])
    return (
        LengthRows(graded(strength, lengths), lengths, index),
        GamedRows(others, np.concatenate(gamed), np.tile(index, 2), difficulty),
    )


def length_controlled_study(data_sets: int) -> None:
    """How often the interval holds the rate of very many instructions."""
    print("| strength | instructions | held, % | width | AlpacaEval's ± 1.96, % |")
    print("|--:|--:|--:|--:|--:|")
    for strength in (-2.0, -0.5, 0.5):
        own, gamed = annotated(strength, 50_000, np.random.default_rng(0))
        truth = length_controlled(own.preference, own.difference, own.index, gamed).rate
        for number in (100, 805):
            held, narrow, width = 0, 0, 0.0
            for seed in range(data_sets):
                rng = np.random.default_rng([seed, number])
                own, gamed = annotated(strength, number, rng)
                games = games_of(
                    {
                        "first": ["system"] * number,
                        "second": ["baseline"] * number,
                        "result": own.preference.tolist(),
                        "question": [str(at) for at in range(number)],
                    }
                )
                (row,) = length_controlled_rates(games, {"system": own}, "baseline", gamed)
                held += row.interval.low <= truth <= row.interval.high
                narrow += abs(row.value - truth) <= 1.96 * row.standard_error
                width += row.interval.high - row.interval.low
            shares = f"{100 * held / data_sets:.1f} | {width / data_sets:.3f}"
            plain = f"{100 * narrow / data_sets:.1f}"
            print(f"| {strength:g} | {number} | {shares} | {plain} |", flush=True)


def main(arguments: list[str]) -> None:
    """Print the study as a Markdown table, or the times."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--length-controlled", action="store_true")
    parser.add_argument("--data-sets", type=int, default=1000)
    parser.add_argument("--only", default="")
    chosen = parser.parse_args(arguments)
    if chosen.speed:
        speed()
        return
    if chosen.length_controlled:
        length_controlled_study(chosen.data_sets)
        return
    print("| league | data sets | ratings held, % | all ranks held, % | median width | separated |")
    print("|---|--:|--:|--:|--:|--:|")
    for league in LEAGUES:
        if chosen.only in league.name:
            sets = chosen.data_sets if league.systems < 50 else chosen.data_sets // 5
            print(study(league, sets), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
