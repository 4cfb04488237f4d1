"""Spread of ROC areas: DeLong by its definition, separated classes, resampling written out."""

import dataclasses
import math
from fractions import Fraction
from itertools import pairwise
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from errbar.kernels import resample
from errbar.results.comparison import Comparison
from errbar.results.estimate import Estimand, RankedEstimate
from errbar.roc import (
    Bootstrap,
    Scored,
    compare_paired,
    compare_unpaired,
    estimate,
    roc_auc,
    roc_auc_ci,
)

SCORES, LABELS = [0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1]
# Ratings of 58 normal and 51 abnormal images, Hanley and McNeil 1982, table I.
NORMAL, ABNORMAL = (33, 6, 6, 11, 2), (3, 2, 2, 11, 33)

Kernel = list[list[Fraction]]


def kernel_of(scores: Any, labels: Any) -> Kernel:
    """Credit of every pair: a row per positive, a column per negative."""
    positives = [s for s, y in zip(scores, labels, strict=True) if y]
    negatives = [s for s, y in zip(scores, labels, strict=True) if not y]
    return [[Fraction(int(x > y) * 2 + int(x == y), 2) for y in negatives] for x in positives]


def mean(values: list[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def covariance(left: Kernel, right: Kernel) -> Fraction:
    """DeLong's: the covariance of the means of rows over the positives, and of columns."""
    total = Fraction(0)
    for a, b in ((left, right), (transposed(left), transposed(right))):
        x, y = [mean(row) for row in a], [mean(row) for row in b]
        products = [(p - mean(x)) * (q - mean(y)) for p, q in zip(x, y, strict=True)]
        total += sum(products, Fraction(0)) / (len(x) - 1) / len(x)
    return total


def transposed(kernel: Kernel) -> Kernel:
    return [list(column) for column in zip(*kernel, strict=True)]


def area(kernel: Kernel) -> Fraction:
    return mean([mean(row) for row in kernel])


score = st.integers(-4, 4).map(float) | st.sampled_from([-math.inf, 0.5, math.inf])


@st.composite
def items(draw: st.DrawFn) -> tuple[list[float], list[float], list[int]]:
    """Two scores of each item and its label, two items of a class at least, in any order."""
    rows = [(draw(score), draw(score), label) for label in (0, 0, 1, 1)]
    rows += draw(st.lists(st.tuples(score, score, st.integers(0, 1)), max_size=15))
    first, second, labels = zip(*draw(st.permutations(rows)), strict=True)
    return list(first), list(second), list(labels)


def reach(level: float) -> float:
    return NormalDist().inv_cdf((1 + level) / 2)


@given(items(), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_the_spread_of_one_area_is_delongs(
    data: tuple[list[float], list[float], list[int]], level: float
) -> None:
    scores, _, labels = data
    kernel = kernel_of(scores, labels)
    value, variance = area(kernel), covariance(kernel, kernel)
    placed, plain = (
        roc_auc_ci(scores, labels, level=level, scale=s) for s in ("placement", "plain")
    )
    assert placed.value == plain.value == float(value)
    assert placed.interval.level == plain.interval.level == level
    assert placed.interval.covers is Estimand.POPULATION
    assert placed.items == placed.clusters == len(scores)
    if variance == 0:
        assert placed.sd == plain.sd > 0
        assert placed.interval == plain.interval
        return
    sd = math.sqrt(variance)
    assert placed.sd == pytest.approx(sd, rel=1e-12)
    assert plain.sd == placed.sd
    theta, z = float(value), reach(level)
    assert plain.interval.low == pytest.approx(max(theta - z * sd, 0), abs=1e-12)
    assert plain.interval.high == pytest.approx(min(theta + z * sd, 1), abs=1e-12)
    assert 0 <= placed.interval.low <= theta <= placed.interval.high <= 1


def test_a_spread_by_hand() -> None:
    """Placements ½ and 1 in both classes: variance ⅛ / 2 twice."""
    found = roc_auc_ci(SCORES, LABELS, scale="plain", level=0.5)
    assert found.sd == pytest.approx(math.sqrt(1 / 8), rel=1e-15)
    assert found.interval.low == pytest.approx(0.75 - 0.6744897501960817 * math.sqrt(1 / 8))
    assert str(found) == "roc-auc: 0.75 ± 0.35, 50% CI 0.51 to 0.99"


def test_the_published_ratings_give_the_published_figures() -> None:
    """Area 0.8932, standard error 0.0307, 0.83295 to 0.95339, as Stata's manual has them."""
    ratings = [rating for part in (NORMAL, ABNORMAL) for rating in np.repeat(range(1, 6), part)]
    labels = [0] * sum(NORMAL) + [1] * sum(ABNORMAL)
    found = roc_auc_ci(ratings, labels, scale="plain")
    assert found.value == pytest.approx(0.8932, abs=5e-5)
    assert found.sd == pytest.approx(0.0307, abs=5e-5)
    assert found.interval.low == pytest.approx(0.83295, abs=5e-6)
    assert found.interval.high == pytest.approx(0.95339, abs=5e-6)


def test_a_large_sample_has_the_spread_of_its_definition() -> None:
    rng = np.random.default_rng(0)
    for values in (0, 6):
        labels = rng.random(1500) < 0.4
        scores = rng.normal(size=1500) + labels
        scores = np.floor(scores * values) if values else scores
        psi = (np.sign(scores[labels][:, None] - scores[~labels]) + 1) / 2
        parts = (psi.mean(axis=1), psi.mean(axis=0))
        sd = math.sqrt(sum(part.var(ddof=1) / part.size for part in parts))
        for typed in (scores, scores.astype(np.float32), np.exp(scores)):
            psi_typed = roc_auc_ci(typed, labels)
            assert psi_typed.value == pytest.approx(psi.mean(), abs=1e-12)
            assert psi_typed.sd == pytest.approx(sd, rel=1e-6)


@given(items(), st.randoms(use_true_random=False))
def test_neither_order_nor_scale_of_scores_changes_an_interval(
    data: tuple[list[float], list[float], list[int]], random: Any
) -> None:
    scores, _, labels = data
    places = random.sample(range(len(labels)), len(labels))
    expected = fields(roc_auc_ci(scores, labels))
    moved = [math.atan(scores[at]) * 7 for at in places]
    assert fields(roc_auc_ci(moved, [labels[at] for at in places])) == expected


def fields(result: RankedEstimate) -> str:
    """All of it, nan equal to nan."""
    return repr(result)


def test_turned_scores_turn_the_interval_round() -> None:
    scores, labels = [1, 5, 3, 2, 4, 6, 3], [0, 0, 0, 1, 1, 1, 1]
    found = roc_auc_ci(scores, labels)
    turned = roc_auc_ci([-s for s in scores], labels)
    assert turned.value == pytest.approx(1 - found.value, abs=1e-15)
    assert turned.sd == pytest.approx(found.sd, rel=1e-14)
    assert turned.interval.low == pytest.approx(1 - found.interval.high, abs=1e-14)
    assert turned.interval.high == pytest.approx(1 - found.interval.low, abs=1e-14)


def test_a_higher_level_reaches_further() -> None:
    levels = (0.5, 0.8, 0.95, 0.99)
    ends = [roc_auc_ci(SCORES * 5, LABELS * 5, level=level).interval for level in levels]
    for inner, outer in pairwise(ends):
        assert outer.low < inner.low < inner.high < outer.high


def random_ends(placed: list[Fraction], level: float) -> tuple[float, float]:
    """Quantiles of means with exponential weights and an unseen value at 0, and at 1."""
    weights = np.random.default_rng(0).standard_exponential((200_000, len(placed) + 1))
    sums = weights[:, 1:] @ np.array([float(each) for each in placed])
    total = weights.sum(axis=1)
    tail = (1 - level) / 2
    low = np.quantile(sums / total, tail)
    return float(low), float(np.quantile((sums + weights[:, 0]) / total, 1 - tail))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_ends_are_those_of_random_weights_on_the_placements_of_all_pairs(
    seed: int, level: float
) -> None:
    rng = np.random.default_rng(seed)
    sizes = [(3, 8), (12, 5), (20, 20), (6, 40), (1, 30), (25, 25)][seed]
    labels = np.repeat([1, 0], sizes)
    scores = rng.normal(size=labels.size) + labels * rng.uniform(0, 3)
    scores = np.round(scores) if seed % 2 else scores
    kernel = kernel_of(scores.tolist(), labels.tolist())
    value, below, above = float(area(kernel)), 0.0, 0.0
    for rows in (kernel, transposed(kernel)):
        low, high = random_ends([mean(row) for row in rows], level)
        below, above = below + (value - low) ** 2, above + (high - value) ** 2
    found = roc_auc_ci(scores, labels, level=level)
    assert found.value == value
    assert found.interval.low == pytest.approx(max(value - math.sqrt(below), 0), abs=4e-3)
    assert found.interval.high == pytest.approx(min(value + math.sqrt(above), 1), abs=4e-3)


@pytest.mark.parametrize("sizes", [(1, 1), (2, 2), (1, 9), (9, 1), (20, 100), (500, 300)], ids=str)
@pytest.mark.parametrize("scale", ["placement", "plain"])
def test_perfect_separation_is_not_certainty(sizes: tuple[int, int], scale: Any) -> None:
    """All placements are 1, so the ends of each class are those of Clopper and Pearson."""
    positives, negatives = sizes
    labels = [0] * negatives + [1] * positives
    scores = np.arange(len(labels)) - 3.0
    right, wrong = (roc_auc_ci(part, labels, scale=scale) for part in (scores, -scores))
    assert (right.value, wrong.value) == (1.0, 0.0)
    expected = max(1 - math.hypot(*(1 - 0.025 ** (1 / size) for size in sizes)), 0.0)
    for found in (right, wrong):
        assert found.sd > 0
        assert not found.reason
        assert "nan" not in str(found)
    assert right.interval.high == 1.0
    assert right.interval.low == pytest.approx(expected, abs=1e-5)
    assert wrong.interval.low == 0.0
    assert wrong.interval.high == pytest.approx(1 - right.interval.low, abs=1e-12)


@pytest.mark.parametrize("scale", ["placement", "plain"])
def test_scores_that_are_all_tied_still_leave_an_interval(scale: Any) -> None:
    widths = []
    for often in (2, 10, 100):
        found = roc_auc_ci([0.3] * 2 * often, [0, 1] * often, scale=scale)
        assert found.value == 0.5
        assert found.sd > 0
        assert found.interval.low == pytest.approx(1 - found.interval.high, abs=1e-12)
        widths.append(found.interval.high - found.interval.low)
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 0.1


@pytest.mark.parametrize(
    ("scores", "labels"),
    [
        ([1, 2, 3, 4], [0, 0, 1, 0]),
        ([1, 2, 3, 4], [1, 0, 1, 1]),
        ([1, 1], [0, 1]),
        ([1, 1, 2], [0, 1, 0]),
    ],
)
def test_one_of_a_class_alone_has_a_very_wide_interval(
    scores: list[int], labels: list[int]
) -> None:
    found = roc_auc_ci(scores, labels)
    assert 0 < found.value < 1
    assert found.sd > 0
    assert not found.reason
    assert found.interval.high - found.interval.low > 0.7


def check_difference(found: Comparison, gap: Fraction, variance: Fraction, level: float) -> None:
    assert found.difference == pytest.approx(float(gap), abs=1e-14)
    assert found.interval.level == level
    if variance == 0 or {found.value, found.against} & {0.0, 1.0}:
        assert found.reason
        assert "no interval" in str(found)
        for number in (found.sd, found.interval.low, found.interval.high, found.p_value):
            assert math.isnan(number)
        return
    sd = math.sqrt(variance)
    assert not found.reason
    assert found.sd == pytest.approx(sd, rel=1e-9)
    assert found.interval.low == pytest.approx(max(float(gap) - reach(level) * sd, -1), abs=1e-9)
    assert found.interval.high == pytest.approx(min(float(gap) + reach(level) * sd, 1), abs=1e-9)
    assert found.p_value == pytest.approx(math.erfc(abs(gap) / sd / math.sqrt(2)), abs=1e-9)
    assert 0 <= found.p_value <= 1


@given(items(), st.sampled_from([0.5, 0.9, 0.95]))
@example(
    ([0.0, 0, 0, 1] + [0] * 6, [0.0, 0, 1, -math.inf] + [0] * 6, [0, 0, 1, 1] + [0] * 5 + [1]), 0.5
)
def test_a_paired_difference_has_delongs_covariance(
    data: tuple[list[float], list[float], list[int]], level: float
) -> None:
    first, second, labels = data
    left, right = kernel_of(first, labels), kernel_of(second, labels)
    variance = covariance(left, left) + covariance(right, right) - 2 * covariance(left, right)
    (found,) = compare_paired(first, second, labels, level=level)
    assert (found.value, found.against) == pytest.approx((area(left), area(right)), abs=1e-14)
    check_difference(found, area(left) - area(right), variance, level)
    (turned,) = compare_paired(second, first, labels, level=level)
    if not found.reason:
        assert turned.difference == -found.difference
        assert turned.sd == found.sd
        assert turned.p_value == found.p_value
        assert (turned.interval.low, turned.interval.high) == (
            -found.interval.high,
            -found.interval.low,
        )


@given(items(), items(), st.sampled_from([0.5, 0.9, 0.95]))
def test_an_unpaired_difference_adds_the_variances(
    data: tuple[list[float], list[float], list[int]],
    more: tuple[list[float], list[float], list[int]],
    level: float,
) -> None:
    parts = [(scores, labels) for scores, _, labels in (data, more)]
    left, right = (kernel_of(*part) for part in parts)
    if 0 in (covariance(left, left), covariance(right, right)):
        return  # separated or tied: held by a test of its own
    first, second = (Scored(*part) for part in parts)
    (found,) = compare_unpaired(first, second, level=level)
    assert (found.value, found.against) == (float(area(left)), float(area(right)))
    variance = covariance(left, left) + covariance(right, right)
    check_difference(found, area(left) - area(right), variance, level)
    (turned,) = compare_unpaired(second, first, level=level)
    assert (turned.difference, turned.sd) == (-found.difference, found.sd)
    assert turned.p_value == found.p_value


def test_the_areas_that_are_compared_are_the_areas() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        first, second = rng.integers(0, 20, (2, 57))
        labels = rng.permutation(57) < 25
        (found,) = compare_paired(first, second, labels)
        assert found.value == roc_auc(first, labels)
        assert found.against == roc_auc(second, labels)
        (apart,) = compare_unpaired(Scored(first, labels), Scored(second, labels))
        assert (apart.value, apart.against) == (found.value, found.against)


def test_the_order_of_items_changes_no_comparison() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        first, second = rng.integers(0, 20, (2, 57))
        labels = rng.permutation(57) < 25
        places = rng.permutation(57)
        shuffled = [part[places] for part in (first, second, labels)]
        expected = compare_paired(first, second, labels)
        assert compare_paired(*shuffled) == expected
        assert compare_unpaired(
            Scored(shuffled[0], shuffled[2]), Scored(shuffled[1], shuffled[2])
        ) == compare_unpaired(Scored(first, labels), Scored(second, labels))


@pytest.mark.parametrize("size", [3, 7, 10, 49])
def test_a_difference_without_spread_is_not_certain_because_of_rounding(size: int) -> None:
    """One score has a negative, the other a positive first: every placement differs by 1/size."""
    first = [*range(1, 2 * size, 2), *range(0, 2 * size, 2)]
    second = [*range(0, 2 * size, 2), *range(1, 2 * size, 2)]
    labels = [1] * size + [0] * size
    left, right = kernel_of(first, labels), kernel_of(second, labels)
    assert covariance(left, left) + covariance(right, right) == 2 * covariance(left, right)
    (found,) = compare_paired(first, second, labels)
    assert math.isnan(found.sd)
    assert math.isnan(found.p_value)
    assert found.reason


def test_equal_scores_do_not_differ_and_no_interval_is_made_up() -> None:
    for other in (SCORES, [10 * s for s in SCORES]):
        (found,) = compare_paired(SCORES, other, LABELS)
        assert found.difference == 0.0
        assert math.isnan(found.sd)
        assert found.reason


def test_one_of_a_class_alone_cannot_be_compared() -> None:
    alone = Scored([1, 2, 3], [0, 1, 0])
    whole = Scored(SCORES, LABELS)
    results = [
        compare_paired([1, 2, 3], [3, 2, 1], [0, 1, 0]),
        compare_paired([1, 2], [2, 1], [0, 1]),
        compare_unpaired(alone, whole),
        compare_unpaired(whole, alone),
    ]
    for (found,) in results:
        assert math.isnan(found.sd)
        assert math.isnan(found.p_value)
        assert math.isnan(found.interval.low)
        assert "gives no spread" in str(found)


@pytest.mark.parametrize("sizes", [(2, 2), (3, 3)])
def test_a_separated_side_of_a_comparison_is_not_taken_as_certain(sizes: tuple[int, int]) -> None:
    """Its own interval reaches far down; so must that of the difference, or there is none."""
    labels = [0] * sizes[0] + [1] * sizes[1]
    separated = Scored(range(len(labels)), labels)
    alone = roc_auc_ci(range(len(labels)), labels).interval.low
    other = Scored(SCORES * 50, LABELS * 50)
    for (found,), side in (
        (compare_unpaired(separated, other), -1),
        (compare_unpaired(other, separated), 1),
    ):
        if not found.reason:
            far = found.interval.low if side < 0 else -found.interval.high
            assert far <= alone - 0.75


def test_two_separated_sides_have_no_spread_and_say_so() -> None:
    separated = Scored([1, 2, 3, 4], LABELS)
    for (found,) in (
        compare_unpaired(separated, separated),
        compare_paired([1, 2, 3, 4], [1, 1, 2, 2], LABELS),
        compare_paired([1, 2, 3, 4], [4, 3, 2, 1], LABELS),
    ):
        assert math.isnan(found.sd)
        assert found.reason
        assert math.isnan(found.interval.low)


def written_out(scored: Scored, method: Bootstrap, seed: int) -> NDArray[Any]:
    """The area of every resample, its items copied as often as their cluster was drawn."""
    codes = scored.clusters
    if codes is None:
        columns = (scored.scores, scored.labels, scored.weights)
        key = [column for column in reversed(columns) if column is not None]
        codes = np.empty(len(scored), dtype=np.intp)
        codes[np.lexsort(key)] = np.arange(len(scored))
    clusters = int(codes.max()) + 1
    drawn = resample.bootstrap_weights(
        clusters, method.resamples, len(scored), np.random.default_rng(seed)
    )
    areas = []
    for often in np.concatenate(list(drawn)):
        assert often.sum() == clusters
        places = np.repeat(np.arange(len(scored)), often[codes].astype(int))
        labels = scored.labels[places]
        heavy = None if scored.weights is None else scored.weights[places]
        some = [(labels == side) & (True if heavy is None else heavy > 0) for side in (False, True)]
        known = all(part.any() for part in some)
        areas.append(roc_auc(scored.scores[places], labels, weights=heavy) if known else math.nan)
    return np.array(areas)


def some_items(seed: int, size: int = 60) -> tuple[NDArray[Any], NDArray[Any]]:
    rng = np.random.default_rng(seed)
    labels = rng.permutation(size) < size // 3
    return np.round(rng.normal(size=size) + labels, 1), labels


def some_scored(which: str) -> Scored:
    scores, labels = some_items(1)
    rng = np.random.default_rng(2)
    weights = rng.exponential(size=60) if "weights" in which else None
    clusters = rng.integers(0, 12, 60) if "clusters" in which else None
    if "few" in which:
        return Scored([3, 1, 2, 2, 5, 0], [1, 0, 0, 1, 1, 0], clusters=[1, 2, 3, 3, 4, 4])
    return Scored(scores, labels, weights, clusters)


ALL_WHICH = ["items", "weights", "clusters", "weights and clusters", "few"]


@pytest.mark.parametrize("which", ALL_WHICH)
def test_resampling_equals_copying_items(which: str) -> None:
    scored, method = some_scored(which), Bootstrap(300, level=0.9, ends="percentile")
    expected = written_out(scored, method, seed=5)
    kept = expected[~np.isnan(expected)]
    found = estimate(scored, method=method, rng=5)
    assert found.value == pytest.approx(
        roc_auc(scored.scores, scored.labels, weights=scored.weights), abs=1e-14
    )
    assert found.sd == pytest.approx(kept.std(ddof=1), rel=1e-10)
    assert found.dropped == (300 - kept.size) / 300
    low, high = np.quantile(kept, [0.05, 0.95])
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high), abs=1e-12)
    assert (found.interval.level, found.interval.covers) == (0.9, Estimand.POPULATION)
    assert found.items == len(scored)
    names = range(len(scored)) if scored.clusters is None else scored.clusters.tolist()
    assert found.clusters == len(set(names))
    assert found == estimate(scored, method=method, rng=np.random.default_rng(5))


@pytest.mark.parametrize("which", ALL_WHICH)
def test_bca_ends_are_those_of_the_textbook(which: str) -> None:
    scored, method = some_scored(which), Bootstrap(400, 0.9, "bca")
    expected = written_out(scored, method, seed=7)
    kept = expected[~np.isnan(expected)]
    value = roc_auc(scored.scores, scored.labels, weights=scored.weights)
    codes = np.arange(len(scored)) if scored.clusters is None else scored.clusters
    left = []
    for code in sorted(set(codes)):
        rest = codes != code
        if 0 < scored.labels[rest].sum() < rest.sum():
            heavy = None if scored.weights is None else scored.weights[rest]
            left.append(roc_auc(scored.scores[rest], scored.labels[rest], weights=heavy))
    apart = np.mean(left) - np.array(left)
    skew = (apart**3).sum() / (6 * (apart**2).sum() ** 1.5)
    normal = NormalDist()
    # Replicates equal to the value but for rounding are ties.
    below = (np.sum(kept < value - 1e-12) + 0.5 * np.sum(abs(kept - value) <= 1e-12)) / kept.size
    bias = normal.inv_cdf(below)
    shares = []
    for share in (0.05, 0.95):
        z = bias + normal.inv_cdf(share)
        shares.append(normal.cdf(bias + z / (1 - skew * z)))
    found = estimate(scored, method=method, rng=7)
    low, high = np.quantile(kept, shares)
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high), abs=1e-9)
    assert found.sd == pytest.approx(kept.std(ddof=1), rel=1e-10)


@pytest.mark.parametrize("which", ALL_WHICH)
def test_the_order_of_items_changes_no_resampled_number(which: str) -> None:
    scored = some_scored(which)
    names = scored.clusters
    rng = np.random.default_rng(0)
    expected = estimate(scored, rng=0)
    for _ in range(3):
        at = rng.permutation(len(scored))
        heavy = None if scored.weights is None else scored.weights[at]
        shuffled = Scored(
            scored.scores[at], scored.labels[at], heavy, None if names is None else names[at]
        )
        assert estimate(shuffled, rng=0) == expected


def test_names_of_clusters_may_come_as_a_list_or_an_array() -> None:
    scores, labels = some_items(3)
    names = np.random.default_rng(4).integers(0, 15, 60)
    method = Bootstrap(200)
    expected = estimate(Scored(scores, labels, clusters=names), method=method, rng=0)
    for given_names in (names.tolist(), list(names), tuple(names.astype(float)), names * 2 - 7):
        found = estimate(Scored(scores, labels, clusters=given_names), method=method, rng=0)
        assert found == expected


def test_resampling_follows_any_rising_rescaling() -> None:
    scores, labels = some_items(6)
    method = Bootstrap(200)
    expected = estimate(Scored(scores, labels), method=method, rng=0)
    for other in (scores * 1e300, np.exp(scores), scores.astype(np.longdouble) - 100):
        assert estimate(Scored(other, labels), method=method, rng=0) == expected


def test_resamples_of_one_class_are_dropped_and_counted() -> None:
    scored = Scored([1, 4, 2, 3], [0, 0, 1, 1])
    method = Bootstrap(2000, ends="percentile")
    found = estimate(scored, method=method, rng=3)
    assert found.dropped == pytest.approx(2 / 16, abs=0.03)  # all four of one class
    assert not found.reason
    assert f"{100 * found.dropped:.10g}% of resamples undefined" in str(found)
    assert 0 <= found.interval.low <= found.interval.high <= 1


def test_mostly_undefined_resamples_give_no_interval() -> None:
    """Two clusters of one class each: half of the resamples, or a few more, have one class."""
    clusters = ["a"] * 2 + ["b"] * 2
    seen = set()
    for seed in range(6):
        scored = Scored([1, 3, 2, 4], [0, 0, 1, 1], clusters=clusters)
        found = estimate(scored, method=Bootstrap(2000, ends="bca"), rng=seed)
        assert found.value == 0.75
        assert found.reason
        assert math.isnan(found.sd)
        assert math.isnan(found.interval.low)
        assert math.isnan(found.interval.high)
        assert found.dropped == pytest.approx(0.5, abs=0.05)
        seen.add(found.reason.split()[0])
    assert seen == {"undefined", "every"}


@pytest.mark.parametrize(
    "scored",
    [
        Scored([1, 2], [0, 1]),
        Scored([1, 2, 3, 4], [0, 0, 1, 1]),
        Scored([4, 3, 2, 1], [0, 0, 1, 1]),
        Scored([5, 5, 5, 5], [0, 1, 0, 1]),
        Scored([1, 2, 3, 4], [0, 0, 1, 1], weights=[0.1, 0.7, 0.3, 1.1]),
        Scored([4, 3, 2, 1], [0, 0, 1, 1], weights=[0.1, 0.7, 0.3, 1.1]),
        Scored([5, 5, 5, 5, 5], [0, 1, 0, 1, 1], weights=[0.1, 0.7, 0.3, 1.1, 0.9]),
    ],
    ids=["one pair", "separated", "turned", "tied", "weights", "turned weights", "tied weights"],
)
@pytest.mark.parametrize("ends", ["bca", "percentile"])
def test_resamples_that_all_agree_are_not_certainty(scored: Scored, ends: Any) -> None:
    found = estimate(scored, method=Bootstrap(200, ends=ends), rng=1)
    assert min(abs(found.value - simple) for simple in (0.0, 0.5, 1.0)) < 1e-15
    assert math.isnan(found.sd)
    assert math.isnan(found.interval.low)
    assert math.isnan(found.interval.high)
    assert found.reason
    assert str(found).endswith(f"no interval: {found.reason}")


def test_resampling_agrees_with_delong_on_many_items() -> None:
    scores, labels = some_items(8, size=600)
    by_formula = roc_auc_ci(scores, labels)
    for ends in ("bca", "percentile"):
        method = Bootstrap(1000, ends=ends)
        found = estimate(Scored(scores, labels), method=method, rng=0)
        assert found.sd == pytest.approx(by_formula.sd, rel=0.1)
        assert found.interval.low == pytest.approx(by_formula.interval.low, abs=0.01)
        assert found.interval.high == pytest.approx(by_formula.interval.high, abs=0.01)


def test_the_unit_of_weights_changes_no_resampled_number() -> None:
    scores, labels = some_items(9)
    weights = np.random.default_rng(1).integers(1, 9, 60)
    method = Bootstrap(200)
    expected = estimate(Scored(scores, labels, weights), method=method, rng=0)
    for unit in (2.0**-900, 2.0**-10, 2.0**900):
        found = estimate(Scored(scores, labels, weights * unit), method=method, rng=0)
        assert dataclasses.astuple(found) == dataclasses.astuple(expected)
