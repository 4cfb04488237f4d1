"""Resampling, against items written out one by one."""

import math
import random
from collections.abc import Callable
from statistics import fmean, stdev
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import beta, norm

from errbar import selective
from errbar.analysis import selective as analysis
from errbar.data.predictions import ArrangedItems, Predictions
from errbar.errors import InputError, WrongType
from errbar.kernels import resample
from errbar.kernels.interval import bca_ends, percentile_ends
from errbar.metrics import parse
from errbar.metrics.confidence import RankedMetric
from errbar.selective import Bootstrap, estimate

Array = NDArray[Any]
Value = Callable[..., float]

METRICS: dict[str, Value] = {
    "aurc": selective.aurc,
    "aurc(coverage=0.3)": lambda *data: selective.aurc(*data, coverage=0.3),
    "augrc": selective.augrc,
    "augrc(coverage=0.3)": lambda *data: selective.augrc(*data, coverage=0.3),
    "e-aurc": selective.excess_aurc,
    "e-aurc(coverage=0.3)": lambda *data: selective.excess_aurc(*data, coverage=0.3),
    "e-augrc": selective.excess_augrc,
    "risk@0.5": lambda *data: selective.risk_at_coverage(*data, coverage=0.5),
    "cov@risk0.2": lambda *data: selective.coverage_at_risk(*data, risk=0.2),
}
PERCENTILE = Bootstrap(resamples=200, ends="percentile")
BCA = Bootstrap(resamples=2000, ends="bca")


def predictions(seed: int, size: int = 24, groups: int | None = None) -> Predictions:
    """Few distinct confidences, losses with and without ties, a quarter unanswered."""
    rng = np.random.default_rng(seed)
    lost = np.where(rng.random(size) < 0.5, rng.random(size), rng.integers(0, 2, size))
    clusters = None if groups is None else np.arange(size) * groups // size
    return Predictions(rng.integers(0, 6, size) / 5, lost, rng.random(size) < 0.75, clusters)


def codes_of(data: Predictions) -> list[int]:
    """Clusters as numbered; items on their own by answered, confidence, loss."""
    if data.clusters is not None:
        return data.clusters.tolist()
    known = list(zip(data.answered, data.confidence, data.loss, strict=True))
    order = sorted(range(len(known)), key=lambda at: known[at])
    codes = [0] * len(known)
    for code, at in enumerate(order):
        codes[at] = code
    return codes


def written_out(value: Value, data: Predictions, weights: Array) -> float:
    """Each item as often as its cluster was drawn; nan where that is refused."""
    often = weights[codes_of(data)].astype(int)
    parts = (np.repeat(part, often) for part in (data.confidence, data.loss, data.answered))
    try:
        return value(*parts)
    except InputError:
        return math.nan


def weights_of(data: Predictions, resamples: int, seed: int) -> Array:
    clusters = max(codes_of(data)) + 1
    rows = max(int(data.answered.sum()), clusters)
    drawn = resample.bootstrap_weights(clusters, resamples, rows, np.random.default_rng(seed))
    return np.concatenate(list(drawn))


# ------------------------------------------------------------- replicate by replicate, exactly


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("groups", [None, 7])
def test_each_replicate_is_that_of_the_items_written_out(name: str, groups: int | None) -> None:
    data, metric = predictions(1, groups=groups), parse(name)
    assert isinstance(metric, RankedMetric)
    weights = weights_of(data, 150, 4)
    arranged = ArrangedItems(data, np.array(codes_of(data)))
    found = metric.measure(arranged.totals(weights, with_oracle=metric.with_oracle))
    expected = [written_out(METRICS[name], data, row) for row in weights]
    assert np.isnan(found).tolist() == np.isnan(expected).tolist()
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("groups", [None, 7])
def test_percentile_interval_and_sd_are_those_of_plain_replicates(
    name: str, groups: int | None
) -> None:
    data = predictions(2, groups=groups)
    result = estimate(name, data, method=PERCENTILE, rng=9)
    plain = np.array(
        [written_out(METRICS[name], data, row) for row in weights_of(data, 200, seed=9)]
    )
    kept = plain[np.isfinite(plain)]
    assert result.dropped == (200 - kept.size) / 200
    assert result.value == pytest.approx(
        METRICS[name](data.confidence, data.loss, data.answered), abs=1e-12
    )
    assert result.sd == pytest.approx(stdev(kept.tolist()), abs=1e-12)
    assert result.interval.low == pytest.approx(np.quantile(kept, 0.025), abs=1e-12)
    assert result.interval.high == pytest.approx(np.quantile(kept, 0.975), abs=1e-12)


def scipy_bca(value: float, drawn: Array, left_out: Array, level: float) -> list[float]:
    """Efron & Tibshirani (1993), 14.9 to 14.15, the middle of equals as half below."""
    near = np.abs(drawn - value) <= 1e-12
    below = np.mean(np.where(near, 0.5, drawn < value))
    z0 = norm.ppf(np.clip(below, 0.5 / drawn.size, 1 - 0.5 / drawn.size))
    apart = left_out.mean() - left_out
    square = np.sum(apart**2)
    a = np.sum(apart**3) / (6 * square**1.5) if square else 0.0
    z = norm.ppf([(1 - level) / 2, (1 + level) / 2])
    shares = norm.cdf(z0 + (z0 + z) / (1 - a * (z0 + z)))
    ends: list[float] = np.quantile(drawn, shares).tolist()
    return ends


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("groups", [None, 7])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_bca_interval_is_that_of_plain_replicates_and_a_plain_jackknife(
    name: str, groups: int | None, level: float
) -> None:
    data = predictions(3, groups=groups)
    result = estimate(name, data, method=Bootstrap(200, level, "bca"), rng=6)
    drawn = [written_out(METRICS[name], data, row) for row in weights_of(data, 200, seed=6)]
    clusters = max(codes_of(data)) + 1
    left = [written_out(METRICS[name], data, row) for row in 1.0 - np.eye(clusters)]
    assert not np.isnan(left).any()
    kept = np.array(drawn)[np.isfinite(drawn)]
    low, high = scipy_bca(result.value, kept, np.array(left), level)
    assert result.interval.low == pytest.approx(low, abs=1e-9)
    assert result.interval.high == pytest.approx(high, abs=1e-9)
    assert result.clusters == clusters
    assert result.items == 24


def test_what_is_left_without_each_cluster_is_all_but_that_one() -> None:
    found = np.concatenate(list(resample.jackknife_weights(7, 10_000)))
    assert found.tolist() == (1.0 - np.eye(7)).tolist()
    assert np.concatenate(list(resample.jackknife_weights(7, 1))).tolist() == found.tolist()


@pytest.mark.parametrize("clusters", [2, 5, 64])
def test_every_resample_draws_as_many_as_there_are(clusters: int) -> None:
    weights = np.concatenate(
        list(resample.bootstrap_weights(clusters, 333, 1, np.random.default_rng(0)))
    )
    assert weights.shape == (333, clusters)
    assert (weights.sum(axis=1) == clusters).all()
    assert (weights >= 0).all()
    assert np.abs(weights.mean(axis=0) - 1).max() < 5 / math.sqrt(333)


def test_a_seed_draws_the_same_however_many_resamples_are_worked_on_at_a_time() -> None:
    blocks = [
        np.concatenate(list(resample.bootstrap_weights(6, 500, rows, np.random.default_rng(3))))
        for rows in (1, 100, 5000, 10**9)
    ]
    assert all(np.array_equal(block, blocks[0]) for block in blocks)


# --------------------------------------------------------------------------- by chance


@pytest.mark.parametrize("groups", [None, 8])
def test_spread_agrees_with_resampling_lists_in_plain_python(groups: int | None) -> None:
    data = predictions(5, size=32, groups=groups)
    units: dict[int, list[tuple[float, float, bool]]] = {}
    for code, *item in zip(codes_of(data), data.confidence, data.loss, data.answered, strict=True):
        units.setdefault(code, []).append((item[0], item[1], item[2]))
    dice = random.Random(1)
    plain = []
    for _ in range(1500):
        drawn = [
            estimated
            for unit in dice.choices(list(units), k=len(units))
            for estimated in units[unit]
        ]
        sure, lost, held = zip(*drawn, strict=True)
        if any(held):
            plain.append(selective.aurc(sure, lost, held))
    result = estimate("aurc", data, method=Bootstrap(resamples=4000, ends="percentile"), rng=0)
    assert result.sd == pytest.approx(stdev(plain), rel=0.08)
    middle = [fmean([result.interval.low, result.interval.high])]
    assert middle == pytest.approx(
        [fmean(np.quantile(plain, [0.025, 0.975]).tolist())], abs=0.25 * result.sd
    )


def test_clusters_that_repeat_themselves_are_worth_no_more_than_one_item_each() -> None:
    rng = np.random.default_rng(12)
    sure, lost = rng.random(30), rng.random(30)
    once = estimate("risk@1.0", Predictions(sure, lost), method=PERCENTILE, rng=0)
    names = np.repeat(np.arange(30), 5)
    data = Predictions(np.repeat(sure, 5), np.repeat(lost, 5), clusters=names)
    again = estimate("risk@1.0", data, method=PERCENTILE, rng=0)
    assert (again.items, again.clusters) == (150, 30)
    assert again.sd == pytest.approx(once.sd, rel=0.3)


# ------------------------------------------------------------------------- an unseen item


def plain_risks(sure: Array, lost: Array, weights: Array) -> tuple[float, float]:
    """Areas of both kinds for distinct confidences, by small steps along the coverage."""
    order = np.argsort(-sure)
    steps = np.repeat(lost[order], np.rint(200 * weights[order]).astype(int))
    so_far = np.cumsum(steps)
    return float((so_far / np.arange(1, steps.size + 1)).mean()), float(so_far.mean() / steps.size)


@pytest.mark.parametrize("clusters", [None, np.repeat(range(20), [1, 2, 3, 4] * 5)])
def test_ends_are_quantiles_of_random_weights_with_an_unseen_item(clusters: Array | None) -> None:
    """Up to the steps, which make up an item's own part of the selective risk."""
    rng = np.random.default_rng(3)
    sure, lost = rng.random(50), (rng.random(50) < 0.3).astype(float)
    codes = np.arange(50) if clusters is None else clusters
    sizes = np.bincount(codes)
    unseen = float(np.square(sizes).sum() / sizes.sum())
    drawn = []
    for _ in range(3000):
        weights = np.append(rng.standard_exponential(sizes.size)[codes], 0)
        weights[-1] = unseen * rng.standard_exponential()
        drawn.append(
            [plain_risks(np.append(sure, 2), np.append(lost, bad), weights) for bad in (0, 1)]
        )
    for name, (low, high) in zip(("aurc", "augrc"), np.transpose(drawn, (2, 1, 0)), strict=True):
        found = estimate(name, Predictions(sure, lost, clusters=clusters), rng=0)
        near = 0.05 * (found.interval.high - found.interval.low)
        assert found.interval.low == pytest.approx(np.quantile(low, 0.025), abs=near)
        assert found.interval.high == pytest.approx(np.quantile(high, 0.975), abs=near)


@pytest.mark.parametrize("often", [5, 30, 400])
def test_no_loss_at_all_leaves_the_upper_end_of_the_exact_interval(often: int) -> None:
    """At full coverage the risk is a proportion, whose interval is that of Clopper and Pearson."""
    for lost in (0, 1):
        found = estimate("risk@1.0", Predictions(range(often), [lost] * often), rng=0)
        low, high = found.interval.low, found.interval.high
        assert (low if lost == 0 else 1 - high) == pytest.approx(0, abs=1e-12)
        far = high if lost == 0 else 1 - low
        assert far == pytest.approx(1 - 0.025 ** (1 / often), rel=0.05)
        assert found.sd > 0


@pytest.mark.parametrize("name", METRICS)
def test_weights_that_are_whole_are_items_written_out(name: str) -> None:
    """Also where nothing is rounded up to whole items, but for a risk at a coverage."""
    data, metric = predictions(1), parse(name)
    assert isinstance(metric, RankedMetric)
    weights = weights_of(data, 50, 4)
    arranged = ArrangedItems(data, np.array(codes_of(data)))
    totals = arranged.totals(weights, with_oracle=metric.with_oracle)
    whole, fine = metric.measure(totals), metric.measure(totals._replace(fractional=True))
    if "0.3" in name:  # a part of the next item, which is then a part of its group
        assert fine == pytest.approx(whole, abs=0.05, nan_ok=True)
    else:
        assert fine == pytest.approx(whole, abs=1e-8, nan_ok=True)


@pytest.mark.parametrize("clusters", [250, 4000])
def test_an_unseen_cluster_has_the_size_of_a_random_items_cluster(clusters: int) -> None:
    """Of groups of clusters, into which they were put at random, the mean of that size is found."""
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 20, clusters).astype(float)
    of_items = np.repeat(sizes, sizes.astype(int)).mean()
    drawn = resample.unseen_sizes(*resample.sizes_of_clusters(sizes, clusters), (40_000,), rng)
    assert set(drawn) <= set(sizes)
    assert drawn.mean() == pytest.approx(of_items, rel=0.01)
    groups = [np.bincount(rng.integers(0, 200, clusters), sizes, 200) for _ in range(50)]
    found = [float(resample.sizes_of_clusters(group, clusters)[0][0]) for group in groups]
    assert np.mean(found) == pytest.approx(of_items, rel=0.05)


@pytest.mark.parametrize("size", [30, 200])
def test_another_seed_moves_an_end_by_little(size: int) -> None:
    rng = np.random.default_rng(1)
    data = Predictions(rng.random(size), rng.random(size) < 0.2)
    found = [estimate("aurc", data, rng=seed).interval for seed in range(8)]
    ends = np.array([[interval.low, interval.high] for interval in found])
    width = float((ends[:, 1] - ends[:, 0]).mean())
    assert ends.std(axis=0).max() < 0.014 * width  # two seeds then differ by 2% on average


def many(seed: int, items: int = 4000) -> Predictions:
    """More items than are drawn one by one, no two of one confidence, wrong ones less sure."""
    rng = np.random.default_rng(seed)
    sure = rng.random(items)
    return Predictions(sure, rng.random(items) < 0.1 + 0.5 * (1 - sure), rng.random(items) < 0.9)


@pytest.mark.parametrize("values", [2, 3, 1000])
def test_two_losses_keep_the_sums_of_the_first_three_powers_of_each_group(values: int) -> None:
    rng = np.random.default_rng(values)
    loss = rng.integers(0, values, 500) / 7
    starts = np.unique(np.r_[0, 1, 3, rng.integers(4, 500, 20)])
    losses, items = resample.two_losses(loss, starts)
    for power in range(4):
        sums = np.add.reduceat(loss**power, starts)
        assert np.sum(items * losses**power, axis=1) == pytest.approx(sums, rel=1e-9)
    assert (items >= 0).all()
    assert losses.min() >= loss.min() - 1e-12
    assert losses.max() <= loss.max() + 1e-12


@pytest.mark.parametrize("name", METRICS)
def test_the_value_of_many_items_is_exact_though_they_are_drawn_in_groups(name: str) -> None:
    data = many(1)
    exact = METRICS[name](data)
    assert estimate(name, data, method=Bootstrap(200), rng=0).value == pytest.approx(exact, 1e-12)


def in_clusters(seed: int, items: int, clusters: int, decimals: int) -> Predictions:
    """Items of clusters of unequal size and difficulty, some of them unanswered."""
    rng = np.random.default_rng(seed)
    which, sure = rng.integers(0, clusters, items), rng.random(items)
    wrong = rng.random(items) < 1 / (1 + np.exp(2 * sure + rng.normal(size=clusters)[which]))
    return Predictions(
        sure.round(decimals), wrong, answered=rng.random(items) < 0.9, clusters=which
    )


@pytest.mark.parametrize("name", [name for name in METRICS if name != "cov@risk0.2"])
def test_a_draw_of_clusters_has_the_same_totals_in_groups_as_item_by_item(name: str) -> None:
    data, metric = in_clusters(1, 5000, 300, decimals=2), analysis.ranked_metric(name)
    groups = analysis.grouped_items(data, metric, data.ranked())
    assert groups is not None
    weights = np.random.default_rng(2).standard_exponential((7, 300))
    found = groups.arranged.totals(weights, with_oracle=metric.with_oracle)
    expected = data.arranged().totals(weights, with_oracle=metric.with_oracle)
    for own, other in zip(found[:5], expected[:5], strict=True):
        assert own == pytest.approx(other, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("risk", [0.0, 0.01, 0.1, 0.2, 0.5, 1.0])
@pytest.mark.parametrize("decimals", [2, 9])
def test_a_coverage_of_every_draw_is_that_of_all_thresholds(risk: float, decimals: int) -> None:
    data = in_clusters(6, 20_000, 1000, decimals)
    metric = analysis.ranked_metric(f"cov@risk{risk}")
    groups = analysis.grouped_items(data, metric, data.ranked())
    assert groups is not None
    for weights in np.random.default_rng(7).standard_exponential((200, 1, 1000)):
        found = metric.measure(groups.arranged.totals(weights, with_oracle=False))
        expected = metric.measure(data.arranged().totals(weights, with_oracle=False))
        assert found == pytest.approx(expected, rel=1e-12)


def test_a_coverage_of_many_items_is_looked_for_where_a_draw_can_have_it() -> None:
    data, metric = many(8, 100_000), analysis.ranked_metric("cov@risk0.2")
    groups = analysis.grouped_items(data, metric, data.ranked())
    assert groups is not None
    assert groups.arranged.rows < 20_000


@pytest.mark.parametrize("name", ["aurc", "e-aurc", "risk@0.5", "cov@risk0.2"])
def test_clusters_of_a_single_item_are_drawn_as_items(name: str) -> None:
    data = many(9, 3000)
    expected = estimate(name, data, rng=0)
    single = Predictions(data.confidence, data.loss, data.answered, clusters=np.arange(3000))
    found = estimate(name, single, rng=0)
    assert (found.value, found.sd, found.interval) == (
        expected.value,
        expected.sd,
        expected.interval,
    )


@pytest.mark.parametrize("name", ["aurc", "e-augrc", "risk@0.5", "cov@risk0.3"])
def test_single_items_beside_clusters_are_drawn_together(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = in_clusters(3, 1000, 100, decimals=9)
    data = in_clusters(3, 4000, 100, decimals=9)
    assert data.clusters is not None
    clusters = np.where(np.arange(4000) < 1000, data.clusters, 100 + np.arange(4000))
    data = Predictions(data.confidence, data.loss, data.answered, clusters=clusters)
    groups = analysis.grouped_items(data, analysis.ranked_metric(name), data.ranked())
    assert groups is not None
    assert groups.often.sum() == data.cluster_count == 3000 + few.cluster_count
    assert groups.often.size < (0.5 if name != "cov@risk0.3" else 1.0) * data.cluster_count
    found = estimate(name, data, rng=0)
    monkeypatch.setattr(analysis, "grouped_items", lambda *_: None)
    expected = estimate(name, data, rng=0)
    width = expected.interval.high - expected.interval.low
    assert found.value == pytest.approx(expected.value, rel=1e-12)
    assert found.sd == pytest.approx(expected.sd, rel=0.05)
    assert found.interval.low == pytest.approx(expected.interval.low, abs=0.04 * width)
    assert found.interval.high == pytest.approx(expected.interval.high, abs=0.04 * width)


@pytest.mark.parametrize("name", ["aurc", "e-augrc", "risk@0.5"])
def test_ends_of_many_items_of_clusters_are_those_of_drawing_item_by_item(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = in_clusters(3, 4000, 100, decimals=9)
    found = estimate(name, data, rng=0)
    monkeypatch.setattr(analysis, "grouped_items", lambda *_: None)
    expected = estimate(name, data, rng=0)
    width = expected.interval.high - expected.interval.low
    assert found.value == pytest.approx(expected.value, rel=1e-12)
    assert found.sd == pytest.approx(expected.sd, rel=0.03)
    assert found.interval.low == pytest.approx(expected.interval.low, abs=0.03 * width)
    assert found.interval.high == pytest.approx(expected.interval.high, abs=0.03 * width)


def test_losses_of_clusters_other_than_two_values_are_added_up() -> None:
    data = in_clusters(4, 3000, 50, decimals=2)
    other = Predictions(
        data.confidence, data.loss * data.confidence, data.answered, clusters=data.clusters
    )
    metric = analysis.ranked_metric("aurc")
    groups = analysis.grouped_items(other, metric, other.ranked())
    assert groups is not None
    weights = np.random.default_rng(5).standard_exponential((3, 50))
    found = metric.measure(groups.arranged.totals(weights, with_oracle=False))
    expected = metric.measure(other.arranged().totals(weights, with_oracle=False))
    assert found == pytest.approx(expected, rel=1e-12)


def test_ends_of_the_risk_of_many_items_are_those_of_clopper_and_pearson() -> None:
    data = many(2)
    found = estimate("risk@1", Predictions(data.confidence, data.loss), rng=0).interval
    wrong, right = int(data.loss.sum()), int((1 - data.loss).sum())
    ends = beta.ppf(0.025, wrong, right + 1), beta.ppf(0.975, wrong + 1, right)
    assert (found.low, found.high) == pytest.approx(ends, abs=0.03 * (ends[1] - ends[0]))


def test_the_mean_of_many_other_losses_varies_as_in_the_bayesian_bootstrap() -> None:
    rng = np.random.default_rng(3)
    loss = rng.random(5000) ** 3
    found = estimate("risk@1", Predictions(rng.random(5000), loss), rng=0)
    assert found.sd == pytest.approx(loss.std() / math.sqrt(5001), rel=0.03)


@pytest.mark.parametrize("name", ["aurc", "augrc(coverage=0.3)"])
def test_groups_of_items_vary_as_items_that_are_drawn_one_by_one(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, method = many(4, 2500), Bootstrap(2000)
    grouped = estimate(name, data, method=method, rng=0)
    monkeypatch.setattr(analysis, "_DRAWN_ALONE", 10_000)
    alone = estimate(name, data, method=method, rng=0)
    assert grouped.sd == pytest.approx(alone.sd, rel=0.08)  # both are random: 2.2% of it
    assert grouped.interval.low == pytest.approx(alone.interval.low, abs=0.3 * alone.sd)
    assert grouped.interval.high == pytest.approx(alone.interval.high, abs=0.3 * alone.sd)


def test_losses_beyond_one_have_an_estimated_bound() -> None:
    rng = np.random.default_rng(0)
    sure, lost = rng.random(40), rng.poisson(3.0, 40)
    found = estimate("aurc", Predictions(sure, lost), rng=0)
    tenfold = estimate("aurc", Predictions(sure, 10 * lost), rng=0)
    assert tenfold.interval.high == pytest.approx(10 * found.interval.high, rel=1e-9)
    assert found.interval.low >= 0.0


# ---------------------------------------------------------------- what cannot be resampled


@pytest.mark.parametrize("name", METRICS)
def test_resamples_that_answer_nothing_are_counted_not_absorbed(name: str) -> None:
    """Two of twelve items answered: a resample has neither with a chance of (10/12)^12 = 11 %."""
    data = Predictions(range(12), [0, 1] * 6, [1, 1] + [0] * 10)
    if "0.3" in name or "0.5" in name:
        with pytest.raises(InputError, match="out of reach; 2 of 12 items"):
            estimate(name, data, rng=0)
        return
    result = estimate(name, data, method=BCA, rng=0)
    if name.startswith("cov"):
        return
    assert result.dropped == pytest.approx((10 / 12) ** 12, abs=0.03)
    if result.reason:
        assert math.isnan(result.sd)
        assert math.isnan(result.interval.low)
    else:
        assert result.interval.low < result.interval.high
        assert f"{100 * result.dropped:.10g}% of resamples undefined" in str(result)


def test_a_coverage_at_the_edge_of_reach_is_undefined_in_about_half_of_all_resamples() -> None:
    rng = np.random.default_rng(0)
    data = Predictions(rng.random(40), rng.random(40), np.arange(40) < 20)
    result = estimate("risk@0.5", data, rng=3)
    assert 0.3 < result.dropped < 0.6
    whole = estimate("risk@0.45", data, rng=3)
    assert 0.1 < whole.dropped < 0.4
    assert whole.interval.low < whole.value < whole.interval.high


def test_a_number_undefined_in_most_resamples_has_no_interval() -> None:
    data = Predictions(
        range(9), [0, 0.5, 1] * 3, [1] + [0] * 8, clusters=[0, 0, 0, 1, 1, 1, 2, 2, 2]
    )
    found = [estimate("risk@0.11", data, method=BCA, rng=seed) for seed in range(3)]
    for result in found:
        assert result.dropped == pytest.approx(8 / 27, abs=0.05)
        assert "every resample gives the same number" in result.reason
    data = Predictions(range(8), [0, 0.5] * 4, [1, 1, 1, 1, 0, 0, 0, 0])
    result = estimate("aurc(coverage=0.5)", data, method=BCA, rng=1)
    assert result.dropped > 0.3
    if result.reason:
        assert "undefined in" in result.reason


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("lost", [0.0, 0.1, 1.0, 7.3])
def test_equal_losses_leave_the_spread_of_what_is_seen_unknown(name: str, lost: float) -> None:
    data = Predictions(np.arange(30) % 7, [lost] * 30)
    result = estimate(name, data, method=BCA, rng=0)
    assert math.isnan(result.sd)
    assert math.isnan(result.interval.low)
    assert math.isnan(result.interval.high)
    assert result.reason.startswith("every resample gives the same number")
    assert "no interval" in str(result)


@pytest.mark.parametrize("name", ["e-aurc", "e-augrc", "e-aurc(coverage=0.33)"])
@pytest.mark.parametrize("binary", [False, True])
def test_a_perfect_ranking_has_no_spread_rather_than_one_of_rounding(
    name: str, binary: bool
) -> None:
    lost = np.random.default_rng(1).random(30)
    data = Predictions(-lost, lost > 0.5 if binary else lost)
    result = estimate(name, data, method=BCA, rng=0)
    assert result.value == pytest.approx(0.0, abs=1e-12)
    assert math.isnan(result.sd)
    assert math.isnan(result.interval.high)
    assert result.reason


@pytest.mark.parametrize("name", ["risk@1.0", "risk@0.5", "aurc", "augrc", "e-aurc"])
def test_a_loss_in_other_units_has_the_same_interval_in_those_units(name: str) -> None:
    """Tenths are rounded in floats and whole numbers are not; ties with the value must not show."""
    rng = np.random.default_rng(0)
    for size in (4, 6, 9):
        sure, whole = rng.integers(0, 3, size), rng.integers(0, 4, size)
        if len(set(whole.tolist())) == 1:
            continue
        plain = estimate(name, Predictions(sure, whole), method=BCA, rng=0)
        scaled = estimate(name, Predictions(sure, whole / 10), method=BCA, rng=0)
        assert plain.value == pytest.approx(10 * scaled.value, rel=1e-12)
        assert plain.interval.low == pytest.approx(10 * scaled.interval.low, abs=1e-9, nan_ok=True)
        assert plain.interval.high == pytest.approx(
            10 * scaled.interval.high, abs=1e-9, nan_ok=True
        )


@pytest.mark.parametrize(
    "data",
    [
        Predictions([1, 2], [0, 1], clusters=["a", "a"]),
        Predictions([1, 2, 3], [0, 1, 0], clusters=[7, 7, 7]),
    ],
)
def test_one_cluster_alone_is_an_error(data: Predictions) -> None:
    with pytest.raises(InputError, match="a single cluster cannot be resampled"):
        estimate("aurc", data, rng=0)


def test_one_item_alone_is_an_error() -> None:
    with pytest.raises(InputError, match="a single item cannot be resampled"):
        estimate("aurc", Predictions([0.5], [1]), rng=0)


def test_two_items_are_few_but_enough() -> None:
    result = estimate("aurc", Predictions([0.5, 0.1], [0, 1]), rng=0)
    assert 0.0 <= result.interval.low <= 0.25 <= result.interval.high <= 1.0


def test_nothing_answered_is_an_error() -> None:
    for name in METRICS:
        with pytest.raises(InputError, match="none of the 3 items was answered"):
            estimate(name, Predictions([1, 2, 3], [0, 1, 0], [0, 0, 0]), rng=0)


# --------------------------------------------------------------------------------- seeds


def test_a_seed_and_its_generator_agree() -> None:
    data = predictions(7)
    seeded = estimate("aurc", data, rng=42)
    assert repr(estimate("aurc", data, rng=np.random.default_rng(42))) == repr(seeded)
    assert repr(estimate("aurc", data, rng=np.int64(42))) == repr(seeded)  # type: ignore[arg-type]
    assert repr(estimate("aurc", data, rng=43)) != repr(seeded)


def test_a_generator_moves_on() -> None:
    data, generator = predictions(7), np.random.default_rng(0)
    first, second = (estimate("aurc", data, rng=generator) for _ in range(2))
    assert first.value == second.value
    assert first.sd != second.sd


def test_there_is_no_default_seed() -> None:
    with pytest.raises(TypeError, match="rng"):
        estimate("aurc", predictions(7))  # type: ignore[call-arg]


@pytest.mark.parametrize("rng", [None, 1.0, "0", True, [1], np.random.RandomState(0), np.random])
def test_what_is_no_seed_is_refused(rng: Any) -> None:
    with pytest.raises(WrongType, match="rng must be a seed or a numpy"):
        estimate("aurc", predictions(7), rng=rng)


def test_a_negative_seed_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="rng"):
        estimate("aurc", predictions(7), rng=-1)


# ----------------------------------------------------------------------------- arguments


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"resamples": 99}, "between 100 and 1,000,000; got 99"),
        ({"resamples": 0}, "between 100"),
        ({"resamples": -5}, "between 100"),
        ({"resamples": 1_000_001}, "got 1000001"),
        ({"resamples": 2e3}, "integer; got 2000.0"),
        ({"resamples": True}, "integer; got True"),
        ({"resamples": "2000"}, "integer; got '2000'"),
        ({"resamples": None}, "integer; got None"),
        ({"level": 0}, "strictly between 0 and 1; got 0"),
        ({"level": 1.0}, "strictly between 0 and 1; got 1.0"),
        ({"level": 95}, r"For 95% write level=0\.95"),
        ({"level": -0.5}, "strictly between"),
        ({"level": math.nan}, "level"),
        ({"level": math.inf}, "level"),
        ({"level": "0.9"}, "level must be a number"),
        ({"level": True}, "level must be a number"),
        ({"ends": "basic"}, "'unseen', 'bca' or 'percentile'; got 'basic'"),
        ({"ends": None}, "'bca' or 'percentile'; got None"),
        ({"ends": []}, "'bca' or 'percentile'"),
    ],
)
def test_a_bootstrap_that_makes_no_sense_is_refused(
    arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        Bootstrap(**arguments)


def test_a_bootstrap_describes_itself() -> None:
    words = "Bayesian bootstrap with one unseen item or cluster, 500 draws"
    assert Bootstrap(500, 0.9).describe() == words
    assert Bootstrap(500, 0.9, "bca").describe() == "BCa bootstrap, 500 resamples"
    assert PERCENTILE.describe() == "percentile bootstrap, 200 resamples"
    assert Bootstrap() == Bootstrap(10_000, 0.95, "unseen")


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("pass@2", "not a metric of ranked predictions"),
        ("avg", "not a metric of ranked predictions"),
        (3, "a metric is given by its name, .* got 3"),
        (None, "a metric is given by its name, .* got None"),
    ],
)
def test_a_metric_of_something_else_is_refused(metric: Any, words: str) -> None:
    with pytest.raises(WrongType, match=words):
        estimate(metric, predictions(7), rng=0)


@pytest.mark.parametrize("data", [[1, 2], None, ([1], [0])])
def test_only_predictions_can_be_resampled(data: Any) -> None:
    with pytest.raises(WrongType, match="resampling needs Predictions"):
        estimate("aurc", data, rng=0)
    with pytest.raises(WrongType, match="got Ranked"):
        estimate("aurc", selective.Ranked.of(predictions(7)), rng=0)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["bca", 2000, None])
def test_a_method_that_is_none_is_refused(method: Any) -> None:
    with pytest.raises(TypeError, match="Bootstrap"):
        estimate("aurc", predictions(7), method=method, rng=0)


# ----------------------------------------------------------------------- ends on their own


def test_ends_of_a_level_hold_that_much_of_the_replicates() -> None:
    assert percentile_ends(np.arange(101.0), 0.9) == pytest.approx((5.0, 95.0))


def test_bca_without_bias_or_skew_is_the_percentile_interval() -> None:
    replicates, left = np.arange(101.0), np.array([-1.0, 0.0, 1.0])
    assert bca_ends(50.0, replicates, left, 0.9) == pytest.approx((5.0, 95.0))


def test_bca_ends_stay_within_the_replicates_however_far_out_the_value_lies() -> None:
    replicates = np.linspace(0, 1, 200)
    for value in (-5.0, 0.0, 1.0, 5.0):
        for skewed in ([0.0, 0.0, 100.0], [100.0, 100.0, 0.0], [1.0, 1.0, 1.0]):
            low, high = bca_ends(value, replicates, np.array(skewed), 0.99)
            assert 0.0 <= low <= high <= 1.0


def test_bca_without_a_jackknife_leaves_the_skew_out() -> None:
    replicates = np.arange(101.0)
    left = np.array([math.nan, math.nan])
    assert bca_ends(50.0, replicates, left, 0.9) == pytest.approx((5.0, 95.0))


@pytest.mark.parametrize("seed", range(4))
def test_an_interval_has_its_ends_in_order_and_lies_within_what_can_be(seed: int) -> None:
    data = predictions(seed, size=12)
    for name in METRICS:
        metric = parse(name)
        assert isinstance(metric, RankedMetric)
        if metric.least_coverage() > data.coverage:
            continue
        result = estimate(name, data, method=Bootstrap(resamples=150), rng=seed)
        if not result.reason:
            assert 0.0 <= result.interval.low <= result.interval.high <= 1.0
            assert result.sd > 0
