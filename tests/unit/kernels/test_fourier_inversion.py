"""The whole distribution of a data-set mean: exact quantiles, closed moments, simulated shares."""

import math
import time
from statistics import NormalDist

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from scipy.special import betainc, betaincinv

from errbar import CategoryCounts, Counts, Posterior, score
from errbar.analysis.methods.posterior import score_posterior
from errbar.base.arrays import Array
from errbar.data.counts import CountsByState
from errbar.errors import InputError
from errbar.kernels import fourier_inversion as inversion
from errbar.kernels.fourier_inversion import GridDistribution
from errbar.metrics import (
    JEFFREYS,
    UNIFORM,
    AreaUnderPass,
    Average,
    Bayes,
    CountMetric,
    CreditMetric,
    DatasetGeom,
    Geom,
    GeoSpectrum,
    GPass,
    MaxAt,
    PassAt,
    PassHat,
    Prior,
)
from every_metric import COUNTED

SHARES = np.array([0.001, 0.025, 0.5, 0.975])
METRICS: list[CreditMetric] = [PassAt(1), PassAt(8), PassHat(4), GPass(8, 0.5), AreaUnderPass(8)]
PRIORS = [UNIFORM, Prior(0.05, 3.0)]
MIXES = {
    "two apart": ([16, 16], [0, 11], [1, 1]),
    "two saturated": ([4], [4], [2]),
    "thirty": ([16] * 5, [0, 3, 8, 15, 16], [10, 2, 5, 3, 10]),
    "thirty of one state": ([64], [0], [30]),
    "a thousand": ([16] * 17, list(range(17)), [300, *[10] * 15, 550]),
}
COUNTS = {name: CountsByState(*mix) for name, mix in MIXES.items()}
DRAWS = {"a thousand": 1_000}
# The closed moments of Geom are of first order only.
ONE_MEAN = [m for m in COUNTED if len(m.parts()) == 1 and not isinstance(m, Geom)]


def spread_of(metric: CountMetric, counts: Counts, prior: Prior = UNIFORM) -> GridDistribution:
    (spread,) = score_posterior(metric, metric.statistics([counts]), prior)
    return spread


def polynomial(metric: CreditMetric) -> Polynomial:
    """The score as a polynomial of the success rate, another way than the metric's own."""
    right, wrong = Polynomial([0.0, 1.0]), Polynomial([1.0, -1.0])
    ways = Polynomial([1.0, 1.0]) ** metric.k
    terms = zip(metric.credit(), ways.coef, range(metric.k + 1), strict=True)
    return sum((c * w * right**j * wrong ** (metric.k - j) for c, w, j in terms), Polynomial([0.0]))


def simulated_rates(counts: CountsByState, prior: Prior, draws: int) -> Array:
    a = np.repeat(prior.right + counts.correct, counts.often)
    b = np.repeat(prior.wrong + counts.trials - counts.correct, counts.often)
    return np.random.default_rng(5).beta(a, b, size=(draws, a.size))


@pytest.mark.parametrize(
    ("mix", "prior"),
    [*((mix, JEFFREYS) for mix in COUNTS), ("two apart", UNIFORM), ("thirty", UNIFORM)],
)
def test_simulated_means_fall_below_a_quantile_as_often_as_they_should(
    mix: str, prior: Prior
) -> None:
    counts, draws = COUNTS[mix], DRAWS.get(mix, 20_000)
    rates = simulated_rates(counts, prior, draws)
    error = np.sqrt(SHARES * (1.0 - SHARES) / draws)
    for metric in METRICS:
        ends = np.clip(inversion.quantiles(spread_of(metric, counts, prior), SHARES), 0.0, 1.0)
        means = np.sort(polynomial(metric)(rates).mean(axis=1))
        # 1e-6 is all that a lattice can tell where most of the mass is within a cell of it.
        assert (np.searchsorted(means, ends - 1e-6) / draws < SHARES + 4 * error).all(), metric
        assert (np.searchsorted(means, ends + 1e-6) / draws > SHARES - 4 * error).all(), metric


@pytest.mark.parametrize("state", [(16, 5), (1, 0), (64, 64), (10_000, 3)])
@pytest.mark.parametrize("prior", PRIORS, ids=str)
def test_one_question_has_the_quantiles_of_its_beta(state: tuple[int, int], prior: Prior) -> None:
    trials, correct = state
    a, b = prior.right + correct, prior.wrong + trials - correct
    rates = betaincinv(a, b, SHARES)
    for metric in METRICS:
        found = inversion.quantiles(spread_of(metric, Counts([trials], [correct]), prior), SHARES)
        assert found == pytest.approx(metric.at_rates(rates), abs=1e-6)


@pytest.mark.parametrize(
    ("a", "b"), [(1.0, 65.0), (0.5, 0.5), (1e-9, 65.0), (0.01, 0.02), (3e8, 1e9), (1e-3, 1e9)]
)
def test_points_hold_a_beta_however_skewed(a: float, b: float) -> None:
    rates, masses = inversion.beta_points(np.array([a]), np.array([b]), 1024)
    total = a + b
    variance = a * b / (total * total * (total + 1.0))
    mean = float(masses[0] @ rates[0])
    assert mean == pytest.approx(a / total, rel=1e-10)
    assert float(masses[0] @ np.square(rates[0] - mean)) == pytest.approx(variance, rel=1e-8)
    told = rates[0, 1:] < 1.0  # beyond, a float has no rates
    middle = 0.5 * (rates[0, 1:] + rates[0, :-1])[told]
    assert np.cumsum(masses[0])[:-1][told] == pytest.approx(betainc(a, b, middle), abs=0.005)


@pytest.mark.parametrize(
    ("metric", "mix"),
    [(metric, "thirty") for metric in ONE_MEAN] + [(m, mix) for m in METRICS[:4] for mix in COUNTS],
    ids=str,
)
def test_moments_are_those_of_the_closed_form(metric: CountMetric, mix: str) -> None:
    mean, variance = inversion.moments(spread_of(metric, COUNTS[mix], JEFFREYS))
    exact, sd = metric.moments(COUNTS[mix], JEFFREYS)
    assert mean == pytest.approx(exact, abs=1e-8)
    assert variance == pytest.approx(sd * sd, abs=1e-8)


def test_ends_approach_the_normal_ones_as_questions_grow_many() -> None:
    z = NormalDist().inv_cdf(0.975)
    for metric in METRICS:
        apart = []
        for often in (10, 1_000, 100_000):
            counts = CountsByState([16] * 3, [0, 7, 16], [often] * 3)
            mean, sd = metric.moments(counts)
            ends = inversion.quantiles(spread_of(metric, counts), np.array([0.025, 0.975]))
            apart.append(np.abs((ends - mean) / sd - [-z, z]).max())
        assert apart[0] > apart[1] > apart[2]
        assert apart[2] < 0.005


def test_scores_of_nearly_zero_or_one_keep_their_steps() -> None:
    """With a thousand draws a majority is all or nothing: the mean counts questions."""
    metric = GPass(1_000, 0.5)
    spread = spread_of(metric, CountsByState([2], [1], [6]), JEFFREYS)
    above = inversion.chance_above(spread, (np.arange(7) + 0.5) / 6.0)
    binomial = np.cumsum([math.comb(6, j) / 64 for j in range(7)])
    assert 1.0 - above == pytest.approx(binomial, abs=0.02)


def test_chances_below_and_above_make_one_and_small_ones_have_digits() -> None:
    for counts in (Counts([16], [5]), COUNTS["thirty"]):
        spread = spread_of(PassAt(1), counts)
        x = np.linspace(-0.1, 1.1, 50)
        below = np.interp(x, spread.edges, spread.below, left=0.0, right=1.0)
        assert below + inversion.chance_above(spread, x) == pytest.approx(np.ones(50))
    above = inversion.chance_above(spread_of(PassAt(1), Counts([64], [0])), np.array([0.3]))
    assert above == pytest.approx(0.7**65, rel=1e-4)


def test_a_score_that_never_changes_is_certain() -> None:
    spread = inversion.mean_of(np.full((2, 9), 0.25), np.full((2, 9), 1 / 9), np.array([3.0, 4.0]))
    assert inversion.quantiles(spread, SHARES) == pytest.approx([0.25] * 4)


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_a_million_questions_cost_no_more_than_their_states(metric: CreditMetric) -> None:
    counts = CountsByState([64] * 65, range(65), [15_385] * 65)
    start = time.process_time()
    spread = spread_of(metric, counts)
    assert time.process_time() - start < 1.5  # 0.05 to 0.15 s on a quiet machine
    mean, sd = metric.moments(counts)
    expected = [mean + z * sd for z in (NormalDist().inv_cdf(share) for share in SHARES)]
    assert inversion.quantiles(spread, SHARES) == pytest.approx(expected, abs=0.01 * sd)


def test_scores_take_their_ends_from_the_whole_distribution() -> None:
    systems = {"few": Counts([16] * 3, [0, 2, 16]), "one": Counts([4], [4])}
    shares = np.array([0.05, 0.95])
    found = score(systems, "pass@1", "pass@4", method=Posterior(level=0.9, ends="whole"))
    for each in found:
        assert isinstance(each.metric, CountMetric)
        ends = inversion.quantiles(spread_of(each.metric, systems[each.system]), shares)
        assert [each.interval.low, each.interval.high] == pytest.approx(ends, abs=1e-12)
        assert each.mean == pytest.approx(each.metric.moments(systems[each.system])[0])
    assert "quantiles of the whole posterior distribution" in found.method


def test_two_weights_place_the_ends_and_may_turn_them_round() -> None:
    counts, method = Counts([6] * 4, [0, 1, 5, 6]), Posterior(ends="whole")
    (plain, wide, turned) = score(
        counts, MaxAt(3), MaxAt(3, (-1.0, 3.0)), MaxAt(3, (1.0, 0.0)), method=method
    )
    assert wide.interval.low == pytest.approx(4.0 * plain.interval.low - 1.0)
    assert wide.interval.high == pytest.approx(4.0 * plain.interval.high - 1.0)
    (hat,) = score(counts, PassHat(3), method=method)
    assert turned.interval.low == pytest.approx(1.0 - hat.interval.high)
    assert turned.interval.high == pytest.approx(1.0 - hat.interval.low)


def test_two_categories_are_as_good_as_right_and_wrong() -> None:
    counts, method = Counts([6] * 4, [0, 1, 5, 6]), Posterior(JEFFREYS, ends="whole")
    metrics = (Bayes(), Average(), MaxAt(2))
    for binary, categorical in zip(
        score(counts, *metrics, method=method),
        score(counts.categories(), *metrics, method=method),
        strict=True,
    ):
        assert binary.interval == categorical.interval


def test_no_end_leaves_what_the_metric_can_be() -> None:
    certain = Counts([64] * 3, [64] * 3)
    for each in score(certain, "pass@8", "avg", method=Posterior(ends="whole")):
        assert 0.0 <= each.interval.low <= each.interval.high <= 1.0


def test_blends_and_more_than_two_categories_are_refused_with_what_to_do() -> None:
    method = Posterior(ends="whole")
    counts = Counts([4, 4], [1, 3])
    for blend in (DatasetGeom(2), GeoSpectrum(2)):
        with pytest.raises(InputError, match=r"blends two means.*ends='normal'"):
            score(counts, blend, method=method)
    graded = CategoryCounts([[1, 2, 1]])
    with pytest.raises(InputError, match=r"more than two categories.*ends='normal'"):
        score(graded, MaxAt(2, (0.0, 0.5, 1.0)), method=method)


def test_other_ends_are_refused() -> None:
    with pytest.raises(InputError, match="ends must be 'normal' or 'whole'; got 'both'"):
        Posterior(ends="both")  # type: ignore[arg-type]


def test_the_named_priors_are_what_they_are_called() -> None:
    assert Prior() == UNIFORM
    assert Prior(0.5, 0.5, 0.5) == JEFFREYS
