"""Small sizes, every state: the package against exact rational arithmetic."""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import pytest

from errbar import CategoryCounts, Counts
from errbar.metrics import (
    AreaUnderPass,
    Average,
    Bayes,
    CountMetric,
    CreditMetric,
    DatasetGeom,
    Geom,
    GeoSpectrum,
    GPass,
    Majority,
    MaxAt,
    MeanGPass,
    PassAt,
    PassHat,
    Prior,
    Spectrum,
)
from errbar.metrics.means import CategoryMetric
from every_metric import BLENDS, CATEGORY, CREDIT
from exact import (
    Blend,
    Moments,
    Question,
    blend_moments,
    blend_point,
    credit,
    credit_moments,
    relative_error,
    relative_error_of_sd,
    subset_mean,
)
from exact_categories import (
    Row,
    average_moments,
    bayes_moments,
    max_moments,
    max_moments_by_draws,
    max_point,
)

MEAN = 1e-13
SD = 1e-12

MOST_TRIALS = 6
QUESTIONS = [(n, c) for n in range(1, MOST_TRIALS + 1) for c in range(n + 1)]
RAGGED = [(1, 1), (5, 0), (5, 3), (2, 1), (6, 6), (5, 3), (3, 0)]
PRIORS = [Prior(1.0, 1.0, 1.0), Prior(0.5, 0.5, 0.5), Prior(0.25, 3.0, 0.25), Prior(7.0, 0.125, 2)]

ROWS: list[Row] = [
    (a, b, c) for a in range(4) for b in range(3) for c in range(4) if 1 <= a + b + c <= MOST_TRIALS
]
RAGGED_ROWS: list[Row] = [(1, 0, 2), (0, 0, 3), (4, 1, 0), (2, 2, 2), (0, 3, 0), (1, 0, 2)]


def credit_metrics() -> Iterator[CreditMetric]:
    """Every kind of credit at every small k."""
    for k in range(1, MOST_TRIALS + 1):
        yield from (PassAt(k), PassHat(k), AreaUnderPass(k), Majority(k), MeanGPass(k))
        yield from (GPass(k, tau) for tau in (0.28, 0.5, 0.75))
        yield Spectrum(k, tuple(0.5**r for r in range(1, k + 1)))
        yield Spectrum(k, (0.0,) * k)


def blends() -> Iterator[Blend]:
    for k in range(1, 5):
        yield from (Geom(k), Geom(k, 0.25, 2.0), Geom(k, 0.0, 1.0), Geom(k, 1.5, 0.0))
        yield from (DatasetGeom(k), DatasetGeom(k, 0.75, 0.25), DatasetGeom(k, 2.0, 0.0))
        yield from (GeoSpectrum(k), GeoSpectrum(k, 0.3), GeoSpectrum(k, 0.0), GeoSpectrum(k, 1.0))
        yield GeoSpectrum(k, 0.5, tuple(0.5**r for r in range(1, k + 1)))


ALL_CREDIT = list(dict.fromkeys([*credit_metrics(), *CREDIT]))
ALL_BLENDS = list(dict.fromkeys([*blends(), *BLENDS]))


def priored(metrics: Sequence[CountMetric]) -> list[tuple[CountMetric, Prior]]:
    """Each metric with the flat prior and with one of the others in turn."""
    return [
        (metric, prior)
        for at, metric in enumerate(metrics)
        for prior in (PRIORS[0], PRIORS[1 + (at + at // 6) % 3])
    ]


def counts_of(questions: Sequence[Question]) -> Counts:
    return Counts([trials for trials, _ in questions], [correct for _, correct in questions])


def check_moments(
    metric: CountMetric, counts: Counts | CategoryCounts, prior: Prior, exact: Moments
) -> None:
    mean, sd = metric.moments(counts, prior)
    assert relative_error(mean, exact[0]) <= MEAN, (metric, counts, prior, mean)
    assert relative_error_of_sd(sd, exact[1]) <= SD, (metric, counts, prior, sd)


def check_point(metric: CountMetric, counts: Counts | CategoryCounts, exact: Fraction) -> None:
    found = metric.point(counts)
    assert relative_error(found, exact) <= MEAN, (metric, counts, found)


@pytest.mark.parametrize("metric", ALL_CREDIT, ids=str)
def test_credit_is_that_of_the_definition(metric: CreditMetric) -> None:
    for found, exact in zip(metric.credit(), credit(metric), strict=True):
        assert relative_error(float(found), exact) <= 4e-16


@pytest.mark.parametrize("metric", ALL_CREDIT, ids=str)
def test_point_is_the_credit_averaged_over_every_subset(metric: CreditMetric) -> None:
    long = [question for question in QUESTIONS if question[0] >= metric.k]
    for question in long:
        check_point(metric, counts_of([question]), subset_mean(metric, [question]))
    check_point(metric, counts_of(long), subset_mean(metric, long))


@pytest.mark.parametrize(("metric", "prior"), priored(ALL_CREDIT), ids=str)
def test_posterior_moments_of_credit_are_exact(metric: CreditMetric, prior: Prior) -> None:
    for question in QUESTIONS:
        exact = credit_moments(metric, [question], prior)
        check_moments(metric, counts_of([question]), prior, exact)
    check_moments(metric, counts_of(RAGGED), prior, credit_moments(metric, RAGGED, prior))


@pytest.mark.parametrize("prior", PRIORS, ids=str)
@pytest.mark.parametrize("kind", [PassAt, PassHat, AreaUnderPass, Majority, MeanGPass])
def test_many_k_at_once_are_as_exact_as_one(kind: type[CreditMetric], prior: Prior) -> None:
    """A curve goes another way than a single k; every question stands as a system of its own."""
    metrics = [kind(k) for k in (4, 1, 6, 2, 4)]
    data = kind.statistics([counts_of([question]) for question in QUESTIONS])
    means, sds = kind.posterior(metrics, data, prior)
    for row, metric in enumerate(metrics):
        for column, question in enumerate(QUESTIONS):
            mean, variance = credit_moments(metric, [question], prior)
            assert relative_error(float(means[row, column]), mean) <= MEAN, (metric, question)
            assert relative_error_of_sd(float(sds[row, column]), variance) <= SD, (metric, question)


@pytest.mark.parametrize("metric", ALL_BLENDS, ids=str)
def test_point_of_a_blend_is_the_blend_of_its_chances(metric: Blend) -> None:
    long = [question for question in QUESTIONS if question[0] >= metric.k]
    for questions in [*([question] for question in long), long]:
        check_point(metric, counts_of(questions), blend_point(metric, questions))


@pytest.mark.parametrize(("metric", "prior"), priored(ALL_BLENDS), ids=str)
def test_first_order_moments_of_blends_are_exact(metric: Blend, prior: Prior) -> None:
    for questions in [*([question] for question in QUESTIONS), RAGGED]:
        exact = blend_moments(metric, questions, prior)
        check_moments(metric, counts_of(questions), prior, exact)


def category_moments(metric: CategoryMetric, rows: Sequence[Row], prior: Prior) -> Moments:
    match metric:
        case Bayes():
            return bayes_moments(rows, metric.weights, prior.each)
        case Average():
            return average_moments(rows, metric.weights, prior.each)
        case MaxAt():
            return max_moments(rows, metric.weights, metric.k, prior.each)
        case _:
            raise NotImplementedError(f"{metric!r} has no definition here")


def category_point(metric: CategoryMetric, rows: Sequence[Row]) -> Fraction:
    if isinstance(metric, MaxAt):
        return max_point(rows, metric.weights, metric.k)
    return category_moments(metric, rows, Prior())[0]


THREE_WAY: list[CategoryMetric] = [
    *(m for m in CATEGORY if len(m.weights) == 3),
    *(MaxAt(k, (0.0, 0.5, 1.0)) for k in range(1, 6)),
    *(MaxAt(k, (0.25, 0.0, 3.0)) for k in (1, 2, 7)),
    MaxAt(2, (1.0, 1.0, 1.0)),
    Bayes((1.0, 1.0, 1.0)),
    Average((0.125, -3.0, 8.0)),
]


@pytest.mark.parametrize("metric", [m for m in THREE_WAY if m.draws <= MOST_TRIALS], ids=str)
def test_point_of_categories_is_exact(metric: CategoryMetric) -> None:
    long = [row for row in ROWS if sum(row) >= metric.draws]
    for rows in [*([row] for row in long), long]:
        exact = category_point(metric, rows)
        scale = max(abs(weight) for weight in metric.weights)
        found = metric.point(CategoryCounts(rows))
        assert abs(Fraction(found) - exact) <= MEAN * scale


@pytest.mark.parametrize(("metric", "prior"), priored(THREE_WAY), ids=str)
def test_posterior_moments_of_categories_are_exact(metric: CategoryMetric, prior: Prior) -> None:
    """Weights of both signs can add up to nearly 0, so the mean is held to the largest weight."""
    for rows in [*([row] for row in ROWS), RAGGED_ROWS]:
        mean, variance = category_moments(metric, rows, prior)
        found, sd = metric.moments(CategoryCounts(rows), prior)
        scale = max(abs(weight) for weight in metric.weights)
        assert abs(Fraction(found) - mean) <= MEAN * scale
        if min(metric.weights) >= 0:
            assert relative_error(found, mean) <= MEAN
        assert relative_error_of_sd(sd, variance) <= SD


@pytest.mark.parametrize("metric", [m for m in CATEGORY if len(m.weights) == 2], ids=str)
@pytest.mark.parametrize("prior", PRIORS, ids=str)
def test_right_or_wrong_are_two_categories(metric: CategoryMetric, prior: Prior) -> None:
    for questions in [*([question] for question in QUESTIONS), RAGGED]:
        rows = [(trials - correct, correct) for trials, correct in questions]
        exact = category_moments(metric, rows, prior)
        check_moments(metric, counts_of(questions), prior, exact)
        check_moments(metric, CategoryCounts(rows), prior, exact)


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("weights", [(0.0, 0.5, 1.0), (2.0, -1.0, 0.5), (0.0, 1.0, 1.0)])
def test_levels_and_single_draws_give_the_same_maximum(k: int, weights: tuple[float, ...]) -> None:
    """Two references: powers of the chance to stay below a level, and every possible draw."""
    for row in [(2, 1, 0), (0, 1, 3)]:
        by_levels = max_moments([row], weights, k, 0.5)
        assert by_levels == max_moments_by_draws(row, weights, k, 0.5)


def test_the_smallest_case_is_right_by_hand() -> None:
    """One trial, right, flat prior: p has density 2p, so E p = 2/3 and Var p = 1/18."""
    mean, variance = credit_moments(PassAt(1), [(1, 1)], Prior())
    assert (mean, variance) == (Fraction(2, 3), Fraction(1, 18))
    found = PassAt(1).moments(Counts([1], [1]))
    assert found == pytest.approx((2 / 3, math.sqrt(1 / 18)), rel=1e-15)
