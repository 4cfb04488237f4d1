"""What every metric must do, whichever it is."""

import math
from itertools import combinations
from statistics import mean

import numpy as np
import pytest

from errbar import CategoryCounts, Counts
from errbar.metrics import Average, Bayes, CountMetric, CreditMetric, Direction, Needs, Prior
from errbar.metrics.means import CategoryMetric
from every_metric import CATEGORY, COUNTED, CREDIT

MANY = 10**5


def has_three_categories(metric: CountMetric) -> bool:
    return isinstance(metric, CategoryMetric) and len(metric.weights) == 3


def counts_for(metric: CountMetric, often: int = 1) -> Counts | CategoryCounts:
    """A few questions with eight trials each, `often` times over, in the shape it needs."""
    if has_three_categories(metric):
        return CategoryCounts(often * np.array([[1, 3, 4], [4, 3, 1], [2, 2, 4]]))
    return Counts(often * np.array([8, 8, 8]), often * np.array([7, 3, 5]))


def test_every_metric_is_of_a_kind_that_the_suites_know() -> None:
    """Credit and categories are checked by their own suites; the rest are blends."""
    rest = [m for m in COUNTED if m not in CREDIT and m not in CATEGORY]
    assert {type(metric).__name__ for metric in rest} == {"Geom", "DatasetGeom", "GeoSpectrum"}


@pytest.mark.parametrize("metric", COUNTED, ids=str)
def test_it_states_what_it_needs(metric: CountMetric) -> None:
    of_categories = isinstance(metric, CategoryMetric)
    assert metric.needs is (Needs.CATEGORY if of_categories else Needs.RIGHT_OR_WRONG)
    assert metric.direction is Direction.HIGHER
    assert type(metric).__doc__


@pytest.mark.parametrize("metric", COUNTED, ids=str)
def test_it_states_how_many_trials_it_draws(metric: CountMetric) -> None:
    assert type(metric.draws) is int
    assert metric.draws == getattr(metric, "k", 1)


@pytest.mark.parametrize("metric", COUNTED, ids=str)
def test_its_bounds_are_reached_by_the_worst_and_the_best(metric: CountMetric) -> None:
    low, high = metric.bounds
    assert type(low) is float
    assert type(high) is float
    assert low < high or str(metric) in ("mg-pass@1", "geo-spectrum@1")  # which nothing earns
    if isinstance(metric, CategoryMetric):
        weights = metric.weights
        assert (low, high) == (min(weights), max(weights))
        worst, best = (
            CategoryCounts([[MANY * (at == weights.index(end)) for at in range(len(weights))]])
            for end in (low, high)
        )
        assert metric.point(worst) == pytest.approx(low, abs=100 / MANY)
        assert metric.point(best) == pytest.approx(high, abs=100 / MANY)
    else:
        assert metric.point(Counts([8], [0])) == low == 0.0
        assert metric.point(Counts([8], [8])) == pytest.approx(high, abs=1e-15)


@pytest.mark.parametrize("metric", COUNTED, ids=str)
def test_its_estimates_are_floats_within_bounds(metric: CountMetric) -> None:
    low, high = metric.bounds
    value = metric.point(counts_for(metric))
    centre, sd = metric.moments(counts_for(metric))
    assert [type(number) for number in (value, centre, sd)] == [float] * 3
    assert low <= value <= high
    assert low <= centre <= high
    assert 0 <= sd <= (high - low) / 2


@pytest.mark.parametrize("metric", CREDIT, ids=str)
def test_point_equals_counting_every_subset(metric: CreditMetric) -> None:
    credit = metric.credit()
    for trials in range(metric.k, metric.k + 3):
        for correct in range(trials + 1):
            bank = [1] * correct + [0] * (trials - correct)
            counted = mean(float(credit[sum(draw)]) for draw in combinations(bank, metric.k))
            found = metric.point(Counts([trials], [correct]))
            assert found == pytest.approx(counted, rel=1e-14, abs=1e-300)


@pytest.mark.parametrize("metric", CREDIT, ids=str)
def test_credit_never_falls_and_starts_at_nothing(metric: CreditMetric) -> None:
    credit, gains = metric.credit(), metric.gains()
    assert credit.shape == (metric.k + 1,)
    assert gains.shape == (metric.k,)
    assert credit[0] == 0
    assert (gains >= 0).all()
    assert np.diff(credit) == pytest.approx(gains, abs=1e-15)
    assert credit[-1] <= 1


@pytest.mark.parametrize("metric", COUNTED, ids=str)
def test_the_posterior_closes_in_on_the_point(metric: CountMetric) -> None:
    """With so many trials the prior no longer matters; the deviation falls with their root."""
    few = metric.moments(counts_for(metric))
    centre, sd = metric.moments(counts_for(metric, often=MANY))
    assert centre == pytest.approx(metric.point(counts_for(metric, often=MANY)), abs=10 / MANY)
    assert sd <= 3 * few[1] / math.sqrt(MANY)


@pytest.mark.parametrize("metric", [m for m in COUNTED if not isinstance(m, Average)], ids=str)
def test_a_stronger_prior_leaves_less_doubt(metric: CountMetric) -> None:
    """But for avg, whose deviation is stretched by as much as the prior draws it in."""
    weak = metric.moments(counts_for(metric), Prior(1.0, 1.0, 1.0))
    strong = metric.moments(counts_for(metric), Prior(1e6, 1e6, 1e6))
    assert strong[1] < weak[1] or weak[1] == 0


@pytest.mark.parametrize("metric", COUNTED, ids=str)
def test_questions_that_all_went_alike_are_known_better_together(metric: CountMetric) -> None:
    single: Counts | CategoryCounts = Counts([8], [5])
    many: Counts | CategoryCounts = Counts([8] * 100, [5] * 100)
    if has_three_categories(metric):
        single, many = CategoryCounts([[2, 3, 3]]), CategoryCounts([[2, 3, 3]] * 100)
    centre, sd = metric.moments(single)
    assert metric.moments(many) == pytest.approx((centre, sd / 10), rel=1e-12)
    assert metric.point(many) == pytest.approx(metric.point(single), rel=1e-13)


@pytest.mark.parametrize("metric", COUNTED, ids=str)
def test_several_at_once_are_the_same_as_one_by_one(metric: CountMetric) -> None:
    """Two metrics of a class and two systems in one pass: a row per metric, a column per system."""
    first, second = counts_for(metric), counts_for(metric, often=3)
    kind = type(metric)
    data = kind.statistics([first, second])
    points = kind.observed([metric, metric], data)
    means, sds = kind.posterior([metric, metric], data, Prior())
    for system, counts in enumerate((first, second)):
        expected = metric.moments(counts)
        for row in range(2):
            assert points[row, system] == pytest.approx(metric.point(counts), rel=1e-13)
            assert (means[row, system], sds[row, system]) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("metric", [m for m in CATEGORY if isinstance(m, Bayes)], ids=str)
def test_bayes_has_no_estimate_but_its_posterior_mean(metric: CategoryMetric) -> None:
    assert metric.point(counts_for(metric)) == metric.moments(counts_for(metric))[0]


@pytest.mark.parametrize("metric", COUNTED, ids=str)
def test_nothing_is_ever_nan(metric: CountMetric) -> None:
    sizes = [8, 9, 100, 12_345]
    for trials in sizes:
        for correct in {0, 1, trials // 2, trials - 1, trials}:
            counts: Counts | CategoryCounts = Counts([trials], [correct])
            if has_three_categories(metric):
                counts = CategoryCounts([[trials - correct, 0, correct]])
            numbers = (metric.point(counts), *metric.moments(counts))
            assert all(math.isfinite(number) for number in numbers)
            assert numbers[2] >= 0
