"""Ten thousand trials and a thousand draws: twelve digits, down to deviations of 1e-290.

Values below 1e-300 lie at the edge of what a float can hold; those must only be next to nothing.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import pytest

import exact
import exact_large
from errbar import CategoryCounts, Counts
from errbar.metrics import (
    AreaUnderPass,
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
from exact import Moments, Question, average, relative_error, relative_error_of_sd

TOLERANCE = 1e-12
LEAST = Fraction(1, 10**300)
NEXT_TO_NOTHING = 1e-290

FLAT, HALVES, LOPSIDED = Prior(), Prior(0.5, 0.5), Prior(0.25, 3.0)
# Each k with one number of trials, and those that lose most digits with both.
SIZES = [*((1_000, k) for k in (2, 64, 300, 1_000)), *((10_000, k) for k in (1, 10, 300, 1_000))]
THIRDS = (0.0, 0.25, 1.0)


def uneven(k: int) -> tuple[float, ...]:
    """Spectrum weights that go up and down and add up to less than one."""
    return tuple((1 + r % 3) / (4 * k) for r in range(k))


CREDITS: dict[str, Callable[[int], CreditMetric]] = {
    "pass": PassAt,
    "pass^": PassHat,
    "auc": AreaUnderPass,
    "g-pass 0.28": lambda k: GPass(k, 0.28),
    "g-pass 0.5": lambda k: GPass(k, 0.5),
    "maj": Majority,
    "mg-pass": MeanGPass,
}
BLENDS: dict[str, Callable[[int], exact.Blend]] = {
    "geom": Geom,
    "geom of powers": lambda k: Geom(k, 0.25, 1.5),
    "geom-ds": DatasetGeom,
    "geo-spectrum": GeoSpectrum,
    "geo-spectrum 0.3": lambda k: GeoSpectrum(k, 0.3),
}


def states(trials: int) -> list[Question]:
    """All wrong, one right, a tenth, half, one wrong, all right."""
    rights = (0, 1, trials // 10, trials // 2, trials - 1, trials)
    return [(trials, correct) for correct in rights]


def rows(trials: int) -> list[tuple[int, int, int]]:
    """Three categories: all in one of them, all but one, and shared."""
    most = trials - 1
    return [
        *((trials, 0, 0), (0, trials, 0), (0, 0, trials)),
        *((most, 1, 0), (most, 0, 1), (1, 0, most), (0, 1, most), (1, most, 0)),
        *((trials // 2, trials // 4, trials // 4), (trials // 10, 0, trials - trials // 10)),
    ]


def counts_of(questions: Sequence[Question]) -> Counts:
    return Counts([trials for trials, _ in questions], [correct for _, correct in questions])


def check_value(found: float, expected: Fraction, told: object) -> None:
    if expected < LEAST:
        assert 0 <= found <= NEXT_TO_NOTHING, told
    else:
        assert relative_error(found, expected) <= TOLERANCE, (told, found, float(expected))


def check_sd(found: float, variance: Fraction, told: object) -> None:
    if variance < LEAST**2:
        assert 0 <= found <= NEXT_TO_NOTHING, told
    else:
        assert relative_error_of_sd(found, variance) <= TOLERANCE, (told, found)


def check(found: tuple[float, float], expected: Moments, told: object) -> None:
    check_value(found[0], expected[0], told)
    check_sd(found[1], expected[1], told)


def together(moments: Sequence[Moments]) -> Moments:
    """Moments of the mean of independent questions."""
    return average(m for m, _ in moments), average(v for _, v in moments) / len(moments)


@pytest.mark.parametrize(("trials", "k"), SIZES)
@pytest.mark.parametrize("kind", CREDITS)
def test_credit_keeps_twelve_digits(kind: str, trials: int, k: int) -> None:
    metric = CREDITS[kind](k)
    expected = [exact_large.moments(metric, state, FLAT) for state in states(trials)]
    for state, moments in zip(states(trials), expected, strict=True):
        check(metric.moments(counts_of([state])), moments, (metric, state))
        point = exact_large.subset_mean(metric, state)
        check_value(metric.point(counts_of([state])), point, (metric, state))
    check(metric.moments(counts_of(states(trials))), together(expected), metric)


@pytest.mark.parametrize("trials", [1_000, 10_000])
@pytest.mark.parametrize("kind", [*CREDITS, *BLENDS])
def test_many_k_at_once_keep_twelve_digits(kind: str, trials: int) -> None:
    """A curve goes another way than a single k: what its k share is done once."""
    ks = [300, 1, 64, 2, 10, 64]
    metrics: list[Any] = [(CREDITS | BLENDS)[kind](k) for k in ks]
    questions = states(trials)
    data = metrics[0].statistics([counts_of([question]) for question in questions])
    means, sds = type(metrics[0]).posterior(metrics, data, FLAT)
    for row, metric in enumerate(metrics):
        for column, question in enumerate(questions):
            found = float(means[row, column]), float(sds[row, column])
            check(found, reference(metric, question), (metric, question))


def reference(metric: CountMetric, question: Question) -> Moments:
    if isinstance(metric, CreditMetric):
        return exact_large.moments(metric, question, FLAT)
    assert isinstance(metric, exact.Blend)
    return exact_large.blend_moments(metric, [question], FLAT)


@pytest.mark.parametrize("prior", [HALVES, LOPSIDED], ids=str)
@pytest.mark.parametrize("kind", CREDITS)
def test_credit_keeps_twelve_digits_under_other_priors(kind: str, prior: Prior) -> None:
    for k in (1, 10, 300):
        metric = CREDITS[kind](k)
        for state in states(1_000):
            expected = exact_large.moments(metric, state, prior)
            check(metric.moments(counts_of([state]), prior), expected, (metric, state))


@pytest.mark.parametrize(("trials", "k"), [(n, k) for n, k in SIZES if k <= 300])
def test_spectrum_keeps_twelve_digits(trials: int, k: int) -> None:
    metric = Spectrum(k, uneven(k))
    for state in states(trials):
        expected = exact_large.moments(metric, state, FLAT)
        check(metric.moments(counts_of([state])), expected, (k, state))
        point = exact_large.subset_mean(metric, state)
        check_value(metric.point(counts_of([state])), point, (k, state))


@pytest.mark.parametrize("kind", ["pass", "pass^", "auc"])
def test_every_trial_may_be_drawn_of_ten_thousand(kind: str) -> None:
    metric = CREDITS[kind](10_000)
    for state in states(10_000)[:: 5 if kind == "auc" else 1]:
        expected = exact_large.moments(metric, state, FLAT)
        check(metric.moments(counts_of([state])), expected, (metric, state))


@pytest.mark.parametrize(("trials", "k"), SIZES)
@pytest.mark.parametrize("kind", BLENDS)
def test_blends_keep_twelve_digits(kind: str, trials: int, k: int) -> None:
    metric = BLENDS[kind](k)
    for questions in [*([state] for state in states(trials)), states(trials)]:
        expected = exact_large.blend_moments(metric, questions, FLAT)
        check(metric.moments(counts_of(questions)), expected, (metric, questions))


@pytest.mark.parametrize(("trials", "k"), [*SIZES, (10_000, 10_000)])
def test_maxima_keep_twelve_digits(trials: int, k: int) -> None:
    metric = MaxAt(k, THIRDS)
    expected = [exact_large.max_moments(row, THIRDS, k) for row in rows(trials)]
    for row, moments in zip(rows(trials), expected, strict=True):
        check(metric.moments(CategoryCounts([row])), moments, (metric, row))
        point = exact_large.max_point(row, THIRDS, k)
        check_value(metric.point(CategoryCounts([row])), point, (metric, row))
    check(metric.moments(CategoryCounts(rows(trials))), together(expected), metric)


@pytest.mark.parametrize("trials", [1_000, 10_000, 10**7])
def test_bayes_keeps_twelve_digits(trials: int) -> None:
    expected = [exact_large.bayes_moments(row, THIRDS) for row in rows(trials)]
    for row, moments in zip(rows(trials), expected, strict=True):
        check(Bayes(THIRDS).moments(CategoryCounts([row])), moments, row)
    check(Bayes(THIRDS).moments(CategoryCounts(rows(trials))), together(expected), trials)


def test_deviations_below_1e_200_are_among_those_checked() -> None:
    """Else the tolerance above would say nothing about saturated questions."""
    expected = [
        exact_large.moments(CREDITS[kind](k), state, FLAT)[1]
        for kind in CREDITS
        for trials, k in [(1_000, 300), (10_000, 64), (10_000, 300)]
        for state in states(trials)
    ]
    assert sum(LEAST**2 < variance < Fraction(1, 10**400) for variance in expected) >= 3


@pytest.mark.parametrize("kind", CREDITS)
def test_the_large_reference_agrees_with_the_plain_one(kind: str) -> None:
    for k in range(1, 6):
        metric = CREDITS[kind](k)
        for question in [(5, 0), (5, 2), (7, 7), (6, 5)]:
            for prior in (FLAT, HALVES, LOPSIDED):
                fast = exact_large.moments(metric, question, prior)
                assert fast == exact.credit_moments(metric, [question], prior)
            assert exact_large.subset_mean(metric, question) == exact.subset_mean(
                metric, [question]
            )


@pytest.mark.parametrize("kind", BLENDS)
def test_the_large_reference_agrees_with_the_plain_one_on_blends(kind: str) -> None:
    questions = [(5, 0), (5, 2), (7, 7), (6, 5)]
    for k in range(1, 5):
        metric = BLENDS[kind](k)
        fast = exact_large.blend_moments(metric, questions, HALVES)
        assert fast == exact.blend_moments(metric, questions, HALVES)
