"""ROC areas with classes of unequal spread, and risk-coverage areas with rare confident errors."""

import math
from collections.abc import Callable
from functools import cache, partial
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from benchmarks.adversarial.cells import Array, Cell, Tallies, judge_interval
from errbar.roc import roc_auc, roc_auc_ci
from errbar.selective import Bootstrap, Predictions, aurc, estimate

Scores = Callable[[np.random.Generator, int], Array]

_MANY = 400_000  # of each class, for areas without a formula: off by less than 0.001
_NORMAL = NormalDist()


class Classes(NamedTuple):
    """How positives and negatives score."""

    positives: Scores
    negatives: Scores


def _binormal(area: float, ratio: float) -> Classes:
    """Positives `ratio` times as spread as negatives."""
    away = math.hypot(1.0, ratio) * _NORMAL.inv_cdf(area)
    return Classes(
        lambda rng, n: rng.normal(away, ratio, n), lambda rng, n: rng.normal(0.0, 1.0, n)
    )


def _inverted(share: float) -> Classes:
    """A share of the positives scores below all negatives."""
    return Classes(
        lambda rng, n: np.where(rng.random(n) < share, -9.0, 9.0),
        lambda rng, n: rng.normal(0.0, 1.0, n),
    )


ROC: dict[str, tuple[Classes, tuple[tuple[int, int], ...]]] = {
    "positives three times as spread, 0.97": (_binormal(0.97, 3.0), ((20, 200), (50, 50))),
    "positives three times as spread, 0.9": (_binormal(0.9, 3.0), ((10, 50), (30, 30))),
    "negatives three times as spread, 0.97": (_binormal(0.97, 1 / 3), ((20, 200), (50, 50))),
    "equal spread, 0.99": (_binormal(0.99, 1.0), ((20, 20), (20, 200), (100, 100))),
    "equal spread, 0.5": (_binormal(0.5, 1.0), ((10, 10), (10, 200))),
    "3 % of the positives inverted": (_inverted(0.03), ((30, 30), (100, 100))),
    "10 % of the positives inverted": (_inverted(0.1), ((10, 100), (30, 30))),
    "exponential, 0.95": (
        Classes(lambda rng, n: rng.exponential(19.0, n), lambda rng, n: rng.exponential(1.0, n)),
        ((20, 100), (50, 50)),
    ),
    "five levels": (
        Classes(
            lambda rng, n: rng.choice(5, n, p=[0.02, 0.03, 0.05, 0.3, 0.6]).astype(float),
            lambda rng, n: rng.choice(5, n, p=[0.5, 0.3, 0.1, 0.06, 0.04]).astype(float),
        ),
        ((20, 20), (30, 100)),
    ),
    "Student's t, 2 degrees": (
        Classes(lambda rng, n: rng.standard_t(2.0, n) + 2.0, lambda rng, n: rng.standard_t(2.0, n)),
        ((20, 20), (20, 200)),
    ),
}

Losses = Callable[[np.random.Generator, Array], Array]  # at confidences in 0 … 1
AURC: dict[str, Losses] = {
    "calibrated": lambda rng, c: (rng.random(c.size) > c).astype(float),
    "useless confidence": lambda rng, c: (rng.random(c.size) < 0.2).astype(float),
    "5 % confident errors": lambda rng, c: (rng.random(c.size) < 0.05).astype(float),
    "errors only at low confidence": lambda rng, c: (
        rng.random(c.size) < np.where(c < 0.3, 0.5, 0.01)
    ).astype(float),
    "graded losses": lambda rng, c: rng.beta(0.3, 0.3 + 2.0 * c),
}
ITEMS = (30, 100)


def cells() -> list[Cell]:
    """Every pair of classes and every kind of loss at every size."""
    found = [
        Cell("roc", f"{name}, {m} + {n}", partial(_roc, name, m, n))
        for name, (_, sizes) in ROC.items()
        for m, n in sizes
    ]
    return found + [
        Cell("aurc", f"{name}, n = {n}", partial(_aurc, name, n)) for name in AURC for n in ITEMS
    ]


def _data(classes: Classes, rng: np.random.Generator, m: int, n: int) -> tuple[Array, Array]:
    scores = np.concatenate([classes.positives(rng, m), classes.negatives(rng, n)])
    return scores, np.repeat([1, 0], [m, n])


@cache
def _area(name: str) -> float:
    rng = np.random.default_rng(404)
    return float(roc_auc(*_data(ROC[name][0], rng, _MANY, _MANY)))


@cache
def _risk_area(name: str) -> float:
    rng = np.random.default_rng(405)
    confidence = rng.random(4 * _MANY)
    return float(aurc(confidence, AURC[name](rng, confidence)))


def _roc(name: str, m: int, n: int, rng: np.random.Generator, level: float) -> Tallies:
    ends = roc_auc_ci(*_data(ROC[name][0], rng, m, n), level=level).interval
    return {"roc-auc": judge_interval(ends.low, ends.high, _area(name))}


def _aurc(name: str, n: int, rng: np.random.Generator, level: float) -> Tallies:
    confidence = rng.random(n)
    data = Predictions(confidence, AURC[name](rng, confidence))
    ends = estimate("aurc", data, method=Bootstrap(level=level), rng=0).interval
    return {"aurc": judge_interval(ends.low, ends.high, _risk_area(name))}
