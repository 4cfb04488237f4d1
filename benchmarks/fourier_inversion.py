"""Quantiles of the whole posterior of a data-set mean beside simulated ones, and what they cost.

    scripts/bench fourier_inversion            10 million draws, or what is as good
    scripts/bench fourier_inversion --quick    few draws, to see that it runs

Each quantile is put to the simulation: the share of draws below it should be its own. The table has
the difference in standard errors of that share, in the median and the worst over all quantiles and
metrics; the worst is what remains where the quantile may move by 1e-6, which is all that a lattice
can tell where most of the mass is within a cell. Two columns more: the largest distance of its mean
and variance from the closed form.

Ten million draws of 1,000 questions are 10^10 rates. There, a mean is a chain that takes a question
at a step, and the chains of a pass share their luck out evenly: before each step they are sorted by
their sums, and neighbours get scores that lie far apart, from a van der Corput sequence with a
random shift (array-RQMC, L'Ecuyer, Lécot and Tuffin 2008). Each chain on its own is a plain draw,
so a share is right on average; how far it is off is seen from independent passes. `draws` is then
how many plain draws have the same error, for the share that fares worst.
"""

import argparse
import time

import numpy as np
from numpy.polynomial import Polynomial
from scipy.special import betaincinv

from errbar.analysis.methods.posterior import score_posterior
from errbar.base.arrays import Array
from errbar.data.counts import CountsByState
from errbar.kernels import fourier_inversion as inversion
from errbar.metrics import AreaUnderPass, CreditMetric, GPass, PassAt, PassHat, Prior
from errbar.metrics.means import JEFFREYS, UNIFORM

METRICS: list[CreditMetric] = [PassAt(1), PassAt(8), PassHat(4), GPass(8, 0.5), AreaUnderPass(8)]
SHARES = np.array([0.001, 0.025, 0.5, 0.975])
ALLOWED = 1e-6
CHUNK = 3_000_000  # rates drawn at a time
CHAINS = 1 << 16  # of a pass; a score is the mean of one of as many equal parts of its distribution
MANY = 1000  # questions from which on there are chains

MIXES = {
    "1: 5 of 16": ([16], [5], [1]),
    "1: 0 of 64": ([64], [0], [1]),
    "2: 0 and 11 of 16": ([16, 16], [0, 11], [1, 1]),
    "2: 4 of 4": ([4], [4], [2]),
    "30: five states": ([16] * 5, [0, 3, 8, 15, 16], [10, 2, 5, 3, 10]),
    "30: 0 of 64": ([64], [0], [30]),
    "1,000: 17 states": ([16] * 17, list(range(17)), [300, *[10] * 15, 550]),
}


def polynomial(metric: CreditMetric) -> Polynomial:
    """The score as a polynomial of the success rate, another way than the metric's own."""
    right, wrong = Polynomial([0.0, 1.0]), Polynomial([1.0, -1.0])
    ways = Polynomial([1.0, 1.0]) ** metric.k
    terms = zip(metric.credit(), ways.coef, range(metric.k + 1), strict=True)
    return sum((c * w * right**j * wrong ** (metric.k - j) for c, w, j in terms), Polynomial([0.0]))


def simulated(counts: CountsByState, prior: Prior, draws: int, ends: Array) -> tuple[Array, Array]:
    """The share of simulated means below each end, a row per metric, and its standard error."""
    rng = np.random.default_rng(1)
    a = np.repeat(prior.right + counts.correct, counts.often)
    b = np.repeat(prior.wrong + counts.trials - counts.correct, counts.often)
    scores = [polynomial(metric) for metric in METRICS]
    below = np.zeros(ends.shape)
    left = draws
    while left:
        some = min(left, max(1, CHUNK // a.size))
        rates = rng.beta(a, b, size=(some, a.size))
        for row, score in enumerate(scores):
            means = np.sort(score(rates).mean(axis=1))
            below[row] += np.searchsorted(means, ends[row])
        left -= some
    return below / draws, np.sqrt(SHARES * (1.0 - SHARES) / draws) * np.ones((len(METRICS), 1))


def evenly_simulated(
    counts: CountsByState, prior: Prior, passes: int, ends: Array
) -> tuple[Array, Array]:
    """Shares below the ends by array-RQMC: chains whose random numbers are spread evenly."""
    rng = np.random.default_rng(1)
    far_apart = np.zeros(1, dtype=np.int64)
    while far_apart.size < CHAINS:
        far_apart = np.concatenate([2 * far_apart, 2 * far_apart + 1])
    below = np.zeros((passes, *ends.shape))
    states = zip(counts.trials.tolist(), counts.correct.tolist(), strict=True)
    parts = [equal_parts(trials, correct, prior) for trials, correct in states]
    for shares in below:
        for row in range(len(METRICS)):
            sums = np.zeros(CHAINS)
            for scores, often in zip(parts, counts.often.tolist(), strict=True):
                for shift in rng.integers(CHAINS, size=often):
                    sums.sort()
                    sums += scores[row].take((far_apart + shift) % CHAINS)
            shares[row] = np.searchsorted(np.sort(sums), ends[row] * len(counts)) / CHAINS
    middle = below[..., SHARES.size : 2 * SHARES.size]
    return below.mean(axis=0), middle.std(axis=0, ddof=1) / np.sqrt(passes)


def equal_parts(trials: int, correct: int, prior: Prior) -> list[Array]:
    """For each metric the mean score of equally likely parts, from the lowest rates to the highest.

    With 17 states the mean of 1,000 questions loses 4e-6 of its variance by that, and moves by 5e-6
    of its standard deviation: a thousandth of the error that is left.
    """
    nodes, weights = np.polynomial.legendre.leggauss(4)
    places = (np.arange(CHAINS)[:, None] + 0.5 * (1.0 + nodes)) / CHAINS
    rates = betaincinv(prior.right + correct, prior.wrong + trials - correct, places)
    return [polynomial(metric)(rates) @ weights / 2.0 for metric in METRICS]


def compare(name: str, prior: Prior, draws: int) -> None:
    """One line of the table."""
    counts = CountsByState(*MIXES[name])
    ends, off_mean, off_var, seconds = np.empty((len(METRICS), SHARES.size)), 0.0, 0.0, 0.0
    for row, metric in enumerate(METRICS):
        start = time.perf_counter()
        (spread,) = score_posterior(metric, metric.statistics([counts]), prior)
        ends[row] = np.clip(inversion.quantiles(spread, SHARES), 0.0, 1.0)
        seconds = max(seconds, time.perf_counter() - start)
        mean, variance = inversion.moments(spread)
        exact, sd = metric.moments(counts, prior)
        off_mean, off_var = max(off_mean, abs(mean - exact)), max(off_var, abs(variance - sd * sd))
    moved = np.concatenate([ends - ALLOWED, ends, ends + ALLOWED], axis=1)
    if len(counts) < MANY:
        below, error = simulated(counts, prior, draws, moved)
    else:
        below, error = evenly_simulated(counts, prior, max(4, draws // 300_000), moved)
        draws = round(float((SHARES * (1.0 - SHARES) / np.square(error)).min()))
    low, middle, high = np.split(below, 3, axis=1)
    typical = np.median(np.abs(middle - SHARES) / error)
    worst = np.maximum(np.maximum(low - SHARES, SHARES - high), 0.0) / error
    row, column = np.unravel_index(worst.argmax(), worst.shape)
    where = f"{METRICS[row]} at {SHARES[column]:g}"
    print(
        f"{name:20}{prior.right:6g}{draws:14,}{typical:8.2f}{worst.max():8.2f}  "
        f"{where:24}{off_mean:10.1e}{off_var:10.1e}{seconds:8.2f}"
    )


def scale() -> None:
    """A million questions in 65 states."""
    counts = CountsByState([64] * 65, range(65), [15_385] * 65)
    for metric in METRICS:
        start = time.perf_counter()
        score_posterior(metric, metric.statistics([counts]), UNIFORM)
        print(
            f"{len(counts):,} questions, 65 states, {metric}: {time.perf_counter() - start:.2f} s"
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    draws = 100_000 if parser.parse_args().quick else 10_000_000
    print(
        f"{'questions':20}{'prior':>6}{'draws':>14}{'median':>8}{'worst':>8}  {'where':24}"
        f"{'mean':>10}{'variance':>10}{'seconds':>8}"
    )
    for prior in (UNIFORM, JEFFREYS):
        for name in MIXES:
            if prior == UNIFORM or name.startswith(("1:", "2:")):
                compare(name, prior, draws)
    scale()


if __name__ == "__main__":
    main()
