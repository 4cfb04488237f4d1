"""Rare errors beside questions that are known, for this exact benchmark, and their neighbours.

The fourth outside trial had one such shape, which fell short. It is repeated here on new data, with
other shares of questions never solved, other rates, and numbers of questions and of trials.
"""

from functools import partial

from benchmarks.adversarial.cells import Cell
from benchmarks.adversarial.outside import Shape, judge_counts, mixture
from benchmarks.coverage.difficulties import Point
from errbar.results.estimate import Estimand


def _beside(known: float, share: float, rate: float, *how: int, metric: str) -> Shape:
    """A share of the questions is never solved, or always, and the others have one rate."""
    questions, trials = how
    pieces = mixture((share, Point(known)), (1.0 - share, Point(rate)))
    return Shape(pieces, questions, trials, ("avg", metric))


COUNTS: dict[str, Shape] = {
    "a tenth never, rest 0.999, 60 x 64": _beside(0.0, 0.1, 0.999, 60, 64, metric="pass^32"),
    "a tenth never, rest 0.9995, 60 x 64": _beside(0.0, 0.1, 0.9995, 60, 64, metric="pass^32"),
    "a tenth never, rest 0.997, 60 x 64": _beside(0.0, 0.1, 0.997, 60, 64, metric="pass^32"),
    "a third never, rest 0.999, 60 x 64": _beside(0.0, 1 / 3, 0.999, 60, 64, metric="pass^8"),
    "a tenth always, rest 0.001, 60 x 64": _beside(1.0, 0.1, 0.001, 60, 64, metric="pass@32"),
    "half never, rest 0.98, 40 x 8": _beside(0.0, 0.5, 0.98, 40, 8, metric="pass^4"),
    "a tenth never, rest 0.99, 100 x 4": _beside(0.0, 0.1, 0.99, 100, 4, metric="pass^2"),
    "a tenth never, rest 0.999, 300 x 8": _beside(0.0, 0.1, 0.999, 300, 8, metric="pass^4"),
    "a fifth never, rest 0.99, 12 x 32": _beside(0.0, 0.2, 0.99, 12, 32, metric="pass^8"),
}


def cells() -> list[Cell]:
    """Every shape."""
    return [
        Cell("rare errors", name, partial(judge_counts, shape, Estimand.BENCHMARK), 50)
        for name, shape in COUNTS.items()
    ]
