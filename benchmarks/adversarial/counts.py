"""Success rates of questions, from contaminated to heavy-tailed: scores for all three targets."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from scipy.special import betaincinv

from benchmarks.adversarial.cells import Array, Cell, Tallies, added, judge_interval
from benchmarks.coverage.difficulties import BetaPiece, Difficulty, LogitNormal, Piece, Point
from errbar.analysis.evaluate import score
from errbar.analysis.methods import Calibrated
from errbar.data.counts import Counts
from errbar.metrics import CountMetric, PassAt, PassHat
from errbar.metrics.means import Average
from errbar.results.estimate import Estimand

_TOGETHER = 50  # data sets that are scored in one call
_STEPS = 20_000  # of the midpoint rule for the truth of a quantile function


@dataclass(frozen=True)
class Quantiles(Piece):
    """Rates by their quantile function."""

    at: Callable[[Array], Array]

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Quantiles at uniform random places."""
        return self.at(rng.random(shape))

    def nodes(self) -> tuple[Array, Array]:
        """Midpoints of equal steps."""
        return self.at((np.arange(_STEPS) + 0.5) / _STEPS), np.full(_STEPS, 1.0 / _STEPS)


def _logistic(log_odds: Array) -> Array:
    return 1.0 / (1.0 + np.exp(-np.clip(log_odds, -700.0, 700.0)))


def _mixture(*pieces: tuple[float, Piece]) -> Difficulty:
    return Difficulty("", "", pieces)


def _rare(share: float, rate: float, rest: Piece) -> Difficulty:
    """A small share of the questions has another rate than the rest."""
    return _mixture((share, Point(rate)), (1.0 - share, rest))


SHAPES: dict[str, Difficulty] = {
    "3 % never solved": _rare(0.03, 0.0, BetaPiece(97.0, 3.0)),
    "3 % always solved": _rare(0.03, 1.0, BetaPiece(3.0, 97.0)),
    "2 % never solved": _rare(0.02, 0.0, BetaPiece(97.0, 3.0)),
    "5 % never solved": _rare(0.05, 0.0, BetaPiece(97.0, 3.0)),
    "10 % never solved": _rare(0.1, 0.0, BetaPiece(97.0, 3.0)),
    "1 % never solved": _rare(0.01, 0.0, BetaPiece(99.0, 1.0)),
    "1 % always solved": _rare(0.01, 1.0, BetaPiece(1.0, 99.0)),
    "3 % half solved, rest always": _rare(0.03, 0.5, Point(1.0)),
    "5 % half solved, rest never": _rare(0.05, 0.5, Point(0.0)),
    "2 % never, rest a coin": _rare(0.02, 0.0, BetaPiece(200.0, 200.0)),
    "8 % at a tenth, rest 0.95": _rare(0.08, 0.1, Point(0.95)),
    "all at 0.99": _mixture((1.0, Point(0.99))),
    "all at 0.01": _mixture((1.0, Point(0.01))),
    "all at one half": _mixture((1.0, Point(0.5))),
    "all at 0.9": _mixture((1.0, Point(0.9))),
    "half never, half always": _mixture((0.5, Point(0.0)), (0.5, Point(1.0))),
    "90 % always, rest uniform": _mixture((0.9, Point(1.0)), (0.1, BetaPiece(1.0, 1.0))),
    "90 % never, rest uniform": _mixture((0.9, Point(0.0)), (0.1, BetaPiece(1.0, 1.0))),
    "three points": _mixture((0.3, Point(0.05)), (0.4, Point(0.5)), (0.3, Point(0.95))),
    "three extreme points": _mixture(
        (0.05, Point(0.001)), (0.9, Point(0.97)), (0.05, Point(0.999))
    ),
    "near ties 0.45 and 0.55": _mixture((0.5, Point(0.45)), (0.5, Point(0.55))),
    "ladder of eighths": _mixture(*((1 / 9, Point(step / 8)) for step in range(9))),
    "Beta(0.05, 0.05)": _mixture((1.0, BetaPiece(0.05, 0.05))),
    "Beta(0.02, 1)": _mixture((1.0, BetaPiece(0.02, 1.0))),
    "Beta(1, 0.02)": _mixture((1.0, BetaPiece(1.0, 0.02))),
    # By quantiles: the quadrature of `BetaPiece` overflows for so narrow a distribution.
    "Beta(500, 500)": _mixture((1.0, Quantiles(lambda u: betaincinv(500.0, 500.0, u)))),
    "Beta(5, 1)": _mixture((1.0, BetaPiece(5.0, 1.0))),
    "log odds Cauchy": _mixture(
        (1.0, Quantiles(lambda u: _logistic(3.0 + np.tan(np.pi * (u - 0.5)))))
    ),
    "log odds normal, sd 6": _mixture((1.0, LogitNormal(0.0, 6.0))),
    "log odds exponential": _mixture((1.0, Quantiles(lambda u: _logistic(4.0 + 3.0 * np.log(u))))),
    "fifth powers": _mixture((1.0, Quantiles(lambda u: u**5))),
    "one minus a Pareto": _mixture(
        (1.0, Quantiles(lambda u: 1.0 - np.minimum(1.0, 0.005 / u**0.8)))
    ),
    "multiple choice with four options": _mixture(
        (1.0, Quantiles(lambda u: 0.25 + 0.75 * np.sin(0.5 * np.pi * u) ** 2))
    ),
    "multiple choice, mostly known": _mixture((0.9, Point(1.0)), (0.1, Point(0.25))),
    "triangular": _mixture((1.0, Quantiles(np.sqrt))),
    "a fifth uniform, rest 0.7": _mixture((0.8, Point(0.7)), (0.2, BetaPiece(1.0, 1.0))),
    "a tenth each at 0 and 1, rest narrow": _mixture(
        (0.1, Point(0.0)), (0.1, Point(1.0)), (0.8, BetaPiece(60.0, 40.0))
    ),
    "flaky: 95 % at 0.995": _mixture((0.95, Point(0.995)), (0.05, BetaPiece(1.0, 3.0))),
}
QUESTIONS = (10, 30, 100)
TRIALS = (1, 4, 32)
MORE = (
    ("3 % never solved", 30, 100),
    ("3 % always solved", 30, 100),
    ("2 % never solved", 50, 100),
)


def metrics_of(trials: int) -> list[CountMetric]:
    """A mean, a metric that rises and one that falls with the draws."""
    return [Average()] if trials == 1 else [Average(), PassAt(4), PassHat(4)]


def cells(targets: Sequence[Estimand]) -> list[Cell]:
    """Every shape at every size."""
    sizes = [(name, m, n) for name in SHAPES for m in QUESTIONS for n in TRIALS]
    return [
        Cell("counts", f"{name}, M = {m}, N = {n}", partial(_draw, targets, name, m, n), _TOGETHER)
        for name, m, n in [*sizes, *MORE]
    ]


@cache
def _nodes(name: str) -> tuple[Array, Array]:
    return SHAPES[name].nodes()


def _draw(
    targets: Sequence[Estimand],
    name: str,
    questions: int,
    trials: int,
    rng: np.random.Generator,
    level: float,
) -> Tallies:
    metrics = metrics_of(trials)
    rates = SHAPES[name].draw(rng, (_TOGETHER, questions))
    first, again = rng.binomial(trials, np.stack([rates, rates]))
    number = np.full(questions, trials)
    systems = {str(at): Counts(number, row) for at, row in enumerate(first)}
    nodes, weights = _nodes(name)
    found = []
    for target in targets:
        estimates = iter(score(systems, *metrics, method=Calibrated(target, level)))
        for at in range(_TOGETHER):
            for metric in metrics:
                (part,) = metric.parts()
                ends = next(estimates).interval
                if target is Estimand.POPULATION:
                    truth = float(part.at_rates(nodes[None, :])[0] @ weights)
                elif target is Estimand.BENCHMARK:
                    truth = float(part.at_rates(rates[None, at]).mean())
                else:
                    truth = float(metric.point(Counts(number, again[at])))
                judged = judge_interval(ends.low, ends.high, truth)
                found.append({f"{target.value} {metric}": judged})
    return added(found)
