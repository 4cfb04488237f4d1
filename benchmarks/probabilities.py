"""Whether P(better) and P(best) mean what they say: of statements at 90 to 95 %, how many are true.

    scripts/bench probabilities                # tables for docs/coverage.md
    scripts/bench probabilities --boards 100
    scripts/bench probabilities --systems 40   # about as many systems as questions: their ranks
    scripts/bench probabilities --logs FOLDER  # systems and questions of real leaderboards
    scripts/bench probabilities --logs FOLDER --redrawn 40

Boards of one leaderboard share its systems, so their statements are not independent. With --redrawn
the leaderboard is drawn anew as often, with means that are normal, as the model assumes, and the
same mean and standard deviation; what P(best) above 80 % says on the boards of each shows how far
the true ones may be from the number expected if the model is right.

A board has systems whose mean log odds are drawn from a normal distribution, and whose questions
have difficulties of one of the shapes of the coverage study, with disagreement between systems, or
with rare outright failures of every system. The truth is the mean over all questions of that
shape; of a real leaderboard, from which systems and questions are drawn, that over all its
questions. Statements are taken from `errbar compare` and `errbar rank` as a reader sees them.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import errbar
from benchmarks.coverage.difficulties import DIFFICULTIES
from benchmarks.coverage.leaderboards import Board, read
from errbar.kernels.hierarchical import with_g_prior

Array = NDArray[np.floating[Any]]

SYSTEMS, APART, DISAGREEMENT = 4, 0.4, 0.7  # and standard deviations of log odds
SIZES = ((30, 1), (30, 8), (100, 4), (300, 1))
SIZES_OF_MANY = ((30, 2), (60, 4))  # for boards of more than SEVERAL systems
SEVERAL = 8
REAL_SIZES = ((40, 30), (40, 100), (8, 60))  # systems and questions drawn from a leaderboard
RARE = (0.0, 0.03)  # share of questions that a system fails outright, whatever they are
BANDS = ((0.5, 0.6), (0.6, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 0.95), (0.95, 0.99), (0.99, 1.0))
_MANY = 200_000  # questions behind a truth


class Statement(NamedTuple):
    """A probability that was printed, and whether what it is of is true."""

    kind: str
    probability: float
    true: bool


def rates_of(shape: str, questions: int, shifts: Array, rare: float, rng: Any) -> Array:
    """Success rates: systems × questions."""
    base = np.clip(DIFFICULTIES[shape].draw(rng, (questions,)), 1e-9, 1.0 - 1e-9)
    odds = np.log(base / (1.0 - base)) + shifts[:, None]
    odds = odds + rng.normal(0.0, DISAGREEMENT, odds.shape)
    rates = 1.0 / (1.0 + np.exp(-odds))
    return np.where(rng.random(rates.shape) < rare, 0.0, rates)


def simulated(systems: int, boards: int) -> Iterator[list[Statement]]:
    """All statements about each simulated board of systems."""
    for shape in DIFFICULTIES:
        for questions, trials in SIZES if systems <= SEVERAL else SIZES_OF_MANY:
            for rare in RARE:
                at = list(DIFFICULTIES).index(shape)
                own = [systems] if systems != SYSTEMS else []
                rng = np.random.default_rng([23, at, questions, trials, rare > 0, *own])
                for _ in range(boards):
                    shifts = rng.normal(0.0, APART, systems)
                    many = _MANY * SYSTEMS // systems
                    behind = rates_of(shape, many, shifts, rare, np.random.default_rng(0))
                    rates = rates_of(shape, questions, shifts, rare, rng)
                    yield list(board(rates, trials, behind.mean(axis=1), rng))


def sampled(leaderboard: Board, boards: int) -> Iterator[list[Statement]]:
    """All statements about each sample of a real leaderboard; its questions may come twice."""
    for systems, questions in REAL_SIZES:
        rng = np.random.default_rng([29, systems, questions])
        for _ in range(boards):
            rates = leaderboard.rates[rng.choice(len(leaderboard.rates), systems, replace=False)]
            drawn = rates[:, rng.integers(0, rates.shape[1], questions)]
            yield list(board(drawn, leaderboard.trials, rates.mean(axis=1), rng))


SURE = 0.8  # P(best) of the statements that are counted
_DRAWS = 2_500  # of the posterior of a board, of which only P(best) is used


class Surely(NamedTuple):
    """Boards on which a system has P(best) of at least `SURE`."""

    number: int
    expected: float  # of them true
    true: int


def redrawn(leaderboard: Board, rng: np.random.Generator) -> Board:
    """The leaderboard with normal means; a system gains, or loses, a share of what is open."""
    means = leaderboard.rates.mean(axis=1)
    new = np.clip(rng.normal(means.mean(), means.std(ddof=1), means.size), 0.0, 1.0)
    up = np.clip((new - means) / (1.0 - means), 0.0, 1.0)[:, None]
    down = np.clip(new / means, 0.0, 1.0)[:, None]
    rates = leaderboard.rates
    return leaderboard._replace(rates=(rates + up * (1.0 - rates)) * down)


def surely(leaderboard: Board, boards: int, rng: np.random.Generator) -> Surely:
    """How often statements of P(best) at or above `SURE` are true, on samples of a leaderboard."""
    chances, true = [], 0
    for systems, questions in REAL_SIZES:
        for _ in range(boards):
            rates = leaderboard.rates[rng.choice(len(leaderboard.rates), systems, replace=False)]
            drawn = rates[:, rng.integers(0, rates.shape[1], questions)]
            values = rng.binomial(leaderboard.trials, drawn) / leaderboard.trials
            found = chances_best(values, rng)
            if found.max() >= SURE:
                chances.append(float(found.max()))
                truth = rates.mean(axis=1)
                true += truth[found.argmax()] == truth.max()
    return Surely(len(chances), sum(chances), true)


def chances_best(values: Array, rng: np.random.Generator) -> Array:
    """P(best) of each system, as `errbar rank` has it, with fewer draws."""
    systems, questions = values.shape
    weights = rng.standard_exponential((_DRAWS, questions + 1))
    unseen = rng.permuted(np.tile(np.linspace(0.0, 1.0, systems), (_DRAWS, 1)), axis=1)
    total = weights[:, :-1] @ values.T + weights[:, -1:] * unseen
    draws = total / weights.sum(axis=1, keepdims=True)
    influences = (values - values.mean(axis=1, keepdims=True)) / questions
    best = with_g_prior(draws, [influences], rng).argmax(axis=1)
    return np.bincount(best, minlength=systems) / _DRAWS


def show_redrawn(leaderboard: Board, number: int, boards: int) -> None:
    """Print the statements of the leaderboard, and where they stand among those redrawn."""
    rng = np.random.default_rng(43)
    own = surely(leaderboard, boards, rng)
    gaps = []
    for _ in range(number):
        some = surely(redrawn(leaderboard, rng), boards, rng)
        gaps.append(some.true - some.expected)
    off = own.true - own.expected
    rank = sum(gap <= off for gap in gaps)
    print(
        f"\nP(best) of {100 * SURE:g} % and more: {own.number} boards, "
        f"{own.expected:.1f} expected, {own.true} true, {off:+.1f}. Of {number} leaderboards with "
        f"normal means {rank} are as low or lower; they have {np.mean(gaps):+.1f} on average, and "
        f"a standard deviation of {np.std(gaps, ddof=1):.1f}."
    )


def board(rates: Array, trials: int, truth: Array, rng: Any) -> Iterator[Statement]:
    """All statements about one board of systems, whose rates at its questions are given."""
    names = [f"system {at}" for at in range(len(rates))]
    means = dict(zip(names, truth.tolist(), strict=True))
    runs = errbar.load(
        {
            name: rng.binomial(1, mine[:, None], (mine.size, trials))
            for name, mine in zip(names, rates, strict=True)
        }
    )
    for pair in runs.compare("avg") if len(names) <= SEVERAL else ():
        better = means[pair.first] > means[pair.second]
        surely = pair.chance >= 0.5
        yield Statement("P(better)", max(pair.chance, 1.0 - pair.chance), better == surely)
    best = max(means.values())
    rows = list(runs.rank("avg"))
    first = [row.chance_best for row in rows if means[row.system] == best]
    yield Statement("P(the best)", sum(first), true=True)
    for row in rows:
        is_best = means[row.system] == best
        if row.chance_best >= 0.5:
            yield Statement("P(best)", row.chance_best, is_best)
        else:
            yield Statement("P(not best)", 1.0 - row.chance_best, not is_best)
        place = 1 + sum(other > means[row.system] for other in means.values())
        away = abs(row.expected_rank - place) / len(names)
        yield Statement("rank", away, row.best_rank <= row.expected_rank <= row.worst_rank)


def show(boards: Iterable[list[Statement]]) -> None:
    """Print how many statements of each probability are true, and how good all of them are."""
    found: dict[str, list[Statement]] = defaultdict(list)
    for said in boards:
        for each in said:
            found[each.kind].append(each)
    ranks, first = found.pop("rank"), found.pop("P(the best)")
    print("| statement | probability | statements | mean probability | true |")
    print("|---|---|--:|--:|--:|")
    for kind, statements in found.items():
        for low, high in BANDS:
            some = [each for each in statements if low <= each.probability < high]
            if some:
                mean = 100 * np.mean([each.probability for each in some])
                true = 100 * np.mean([each.true for each in some])
                band = f"{100 * low:g} to {100 * high:g} %"
                print(f"| {kind} | {band} | {len(some)} | {mean:.1f} | {true:.1f} |")
    loss = -np.mean(np.log([each.probability for each in first]))
    error = np.sqrt(np.mean(np.square([each.probability for each in ranks])))
    inside = 100 * np.mean([each.true for each in ranks])
    print(
        f"\n{len(first)} boards: log loss of P(best) {loss:.3f}; root mean square error of the "
        f"expected rank {100 * error:.2f} % of the systems; {inside:.2f} % of the expected ranks "
        f"are in the range of ranks"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="scripts/bench probabilities",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--boards", type=int, default=20, help="boards of each shape and size")
    parser.add_argument("--systems", type=int, default=SYSTEMS, help="systems of a board")
    parser.add_argument("--logs", type=Path, help="folder of real leaderboards")
    parser.add_argument("--redrawn", type=int, default=0, help="leaderboards with normal means")
    options = parser.parse_args()
    if options.logs is None:
        show(simulated(options.systems, options.boards))
        return
    for name, path, trials in (
        ("SWE-bench Verified", "swebench_verified/responses.jsonl.gz", 1),
        ("Terminal-Bench", "terminalbench/responses_raw.jsonl", 5),
    ):
        print(f"\n{name}\n")
        leaderboard = read(name, options.logs / path, trials)
        if options.redrawn:
            show_redrawn(leaderboard, options.redrawn, options.boards)
        else:
            show(sampled(leaderboard, options.boards))


if __name__ == "__main__":
    main()
