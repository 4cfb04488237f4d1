"""Real leaderboards: samples of their questions and trials, against the whole board.

Each board is taken as the population: the rate of a system at a question is its share of right
trials. Questions are drawn with replacement, trials by these rates.
"""

import gzip
import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.adversarial.cells import Tally, judge_interval
from errbar.analysis.evaluate import score
from errbar.analysis.methods import Calibrated
from errbar.data.counts import Counts
from errbar.metrics import CountMetric, PassAt, PassHat
from errbar.metrics.means import Average
from errbar.results.estimate import Estimand

Array = NDArray[np.floating[Any]]

QUESTIONS = (10, 30, 100)


class Board(NamedTuple):
    """Success rates of systems (rows) at questions, and how many trials a question has."""

    name: str
    rates: Array
    trials: int


def run(logs: Path, draws: int) -> None:
    """Print coverage and width by board, target, metric and number of questions."""
    print("| board | target | questions | metric | holds | lowest system | width | intervals |")
    print("|---|---|--:|---|--:|--:|--:|--:|")
    for board in (
        read("SWE-bench Verified", logs / "swebench_verified" / "responses.jsonl.gz", 1),
        read("Terminal-Bench", logs / "terminalbench" / "responses_raw.jsonl", 5),
    ):
        for questions in QUESTIONS:
            _print(board, Estimand.POPULATION, questions, draws)
        if board.trials > 1:
            _print(board, Estimand.BENCHMARK, board.rates.shape[1], draws)


def read(name: str, path: Path, trials: int) -> Board:
    """Rates of the systems that answered every question."""
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    rows = [json.loads(line)["responses"] for line in text.splitlines()]
    questions = sorted(set().union(*rows))
    whole = [row for row in rows if len(row) == len(questions)]
    rates = [[_rate(row[question]) for question in questions] for row in whole]
    return Board(name, np.array(rates), trials)


def _rate(response: Any) -> float:
    if isinstance(response, dict):
        return response["successes"] / response["trials"]
    return float(response)


def _print(board: Board, target: Estimand, questions: int, draws: int) -> None:
    metrics: list[CountMetric] = [Average()]
    if board.trials > 1:
        metrics += [PassAt(board.trials), PassHat(2)]
    by_system = np.array(
        [judged(board, row, target, questions, draws, metrics) for row in board.rates]
    )
    for at, metric in enumerate(metrics):
        tried, true, width = by_system[:, at, :3].sum(axis=0)
        lowest = (by_system[:, at, 1] / by_system[:, at, 0]).min()
        shares = f"{100 * true / tried:.1f} | {100 * lowest:.0f} | {width / tried:.3f}"
        where = f"{board.name} | {target.value} | {questions} | {metric}"
        print(f"| {where} | {shares} | {tried:.0f} |", flush=True)


def judged(
    board: Board,
    rates: Array,
    target: Estimand,
    questions: int,
    draws: int,
    metrics: list[CountMetric],
) -> list[Tally]:
    """Tally of each metric, over draws from one system."""
    rng = np.random.default_rng([31, questions, *(100 * rates).astype(int).tolist()])
    each = np.tile(rates, (draws, 1))
    if target is Estimand.POPULATION:
        each = rates[rng.integers(rates.size, size=(draws, questions))]
    trials = np.full(questions, board.trials)
    systems = {
        str(at): Counts(trials, row) for at, row in enumerate(rng.binomial(board.trials, each))
    }
    found = [Tally() for _ in metrics]
    estimates = iter(score(systems, *metrics, method=Calibrated(target)))
    truths = [float(part.at_rates(rates[None]).mean()) for m in metrics for part in m.parts()]
    for _ in range(draws):
        for at, truth in enumerate(truths):
            ends = next(estimates).interval
            found[at] = found[at].plus(judge_interval(ends.low, ends.high, truth))
    return found
