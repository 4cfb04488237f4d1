"""Totals by group of clusters: the same values as row by row, and bins within their bound."""

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import assume, given
from hypothesis import strategies as st

import errbar
from errbar import selective
from errbar.cli import main
from errbar.data.labelled_scores import Labelled, Scored
from errbar.data.predictions import Predictions, Ranked
from errbar.data.queries import ranked_totals as ranked_cells
from errbar.data.queries.ranked_totals import GroupedTotals
from errbar.data.sources import tables as sources
from errbar.errors import InputError
from errbar.kernels import risk_coverage as kernel
from errbar.metrics import parse
from errbar.metrics.confidence import CoverageAt, RankedMetric, RocAuc

METRICS = (
    *("aurc", "augrc", "e-aurc", "e-augrc", "risk@0.5", "cov@risk0.3", "cov@risk0"),
    *("aurc(coverage=0.4)", "augrc(coverage=0.37)", "e-aurc(coverage=0.25)"),
)
QUICK = errbar.Bootstrap(200, ends="bca")


def asked(name: str) -> RankedMetric:
    metric = parse(name)
    assert isinstance(metric, RankedMetric)
    return metric


def table(clusters: int, trials: int, *, digits: int | None = None, seed: int = 0) -> pl.DataFrame:
    """Two systems that know something of how sure to be; some rows have no answer."""
    rng = np.random.default_rng(seed)
    size = clusters * trials
    question = np.repeat(np.arange(clusters), trials)
    parts = []
    for system in ("one", "other"):
        ease = rng.normal(size=clusters)[question]
        sure = 1 / (1 + np.exp(-2 * ease - rng.normal(size=size)))
        sure = sure if digits is None else sure.round(digits)
        right = (rng.random(size) < 1 / (1 + np.exp(-ease))).astype(float)
        status = rng.choice(["ok", "abstained", "timeout", "limit"], size, p=[0.8, 0.1, 0.05, 0.05])
        held = np.isin(status, ["ok", "limit"])
        parts.append(
            pl.DataFrame(
                {
                    "system": [system] * size,
                    "question": [f"q{at}" for at in question],
                    "outcome": np.where(rng.random(size) < 0.03, np.nan, right),
                    "confidence": np.where(held | (rng.random(size) < 0.5), sure, np.nan),
                    "status": status,
                }
            )
        )
    return pl.concat(parts)


def in_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the number of rows, they do not fit."""
    monkeypatch.setattr(sources, "MOST_RANKED_ROWS", 0)


def grouped(data: Any, bins: int | None = None) -> GroupedTotals:
    found = errbar.load(data).source.ranked(bins)
    assert len(found) == 1
    drawn = next(iter(found.values()))
    assert isinstance(drawn, GroupedTotals)
    return drawn


@pytest.mark.parametrize("digits", [2, None], ids=["ties", "no ties"])
def test_where_clusters_are_few_nothing_changes(
    monkeypatch: pytest.MonkeyPatch, digits: int | None
) -> None:
    runs = errbar.load(table(150, 6, digits=digits))
    by_row = runs.selective(*METRICS, method=QUICK), runs.roc(method=QUICK)
    in_groups(monkeypatch)
    together = runs.selective(*METRICS, method=QUICK), runs.roc(method=QUICK)
    for expected, found in zip(by_row, together, strict=True):
        assert found.to_dicts() == expected.to_dicts()  # to the last bit
        by_answer = [note for note in expected.notes() if ".calibration()" not in note]
        assert found.notes() == by_answer


def test_values_of_many_clusters_are_exact_and_intervals_alike(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs = errbar.load(table(1500, 4, digits=2))
    some = METRICS[:6:2]
    method = errbar.Bootstrap(1000)  # which know a standard deviation to 2 %
    by_row = [*runs.selective(*some, method=method), *runs.roc(method=method)]
    in_groups(monkeypatch)
    scores = runs.selective(*some, method=method)
    for expected, found in zip(by_row, [*scores, *runs.roc(method=method)], strict=True):
        assert found.value == expected.value
        assert (found.items, found.clusters) == (expected.items, expected.clusters)
        assert (expected.groups, found.groups, found.bin_error) == (0, 200, 0.0)
        if expected.sd > 0:  # of 200 groups, a standard deviation is known to 5 %
            assert found.sd == pytest.approx(expected.sd, rel=0.25)
            width = expected.interval.high - expected.interval.low
            assert found.interval.low == pytest.approx(expected.interval.low, abs=0.35 * width)
            assert found.interval.high == pytest.approx(expected.interval.high, abs=0.35 * width)
    assert "1000 draws of 200 groups, into which 1,500 clusters were put" in scores.method


def test_clusters_whose_names_tell_how_hard_they_are_are_not_dealt_out_in_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Groups that each had their share of `easy` and of `hard` would seem to know the mean."""
    size = 20_000
    names = [f"{'easy' if at < size // 2 else 'hard'}-{at:06}" for at in range(size)]
    data = pl.DataFrame(
        {
            "question": names,
            "outcome": [float(name.startswith("easy")) for name in names],
            "confidence": [0.5] * size,
        }
    )
    in_groups(monkeypatch)
    estimate = errbar.load(data).selective("risk@1")[0]
    assert estimate.sd == pytest.approx(math.sqrt(0.25 / size), rel=0.2)
    groups = grouped(data)
    chance = size / 200  # a count by chance has its mean for a variance
    assert groups.sizes.sum() == size
    assert 0.6 * chance < groups.sizes.var() < 1.5 * chance


confidences = st.one_of(
    st.lists(st.sampled_from([0.0, -0.0, 0.25, 0.5, 1.0]), min_size=2, max_size=60),
    st.lists(st.floats(0, 1), min_size=2, max_size=60),
    st.lists(st.floats(-1e308, 1e308) | st.just(math.inf) | st.just(-math.inf), min_size=2),
    st.lists(st.floats(1e-12, 1e-9).map(lambda gap: 1 - gap), min_size=2, max_size=60),
    st.lists(st.just(0.3), min_size=2, max_size=20),
)


@given(
    confidences,
    st.sampled_from([2, 3, 5, 8, 1000]),
    st.sampled_from([0.0, 0.3, 0.8, 1.0]),
    st.integers(0, 2**32 - 1),
)
def test_the_exact_value_lies_within_the_bound(
    sure: list[float], bins: int, share_right: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    size = len(sure)
    right = rng.random(size) < share_right
    held = rng.random(size) < 0.8
    assume(held.mean() >= 0.5)
    data = pl.DataFrame(
        {
            "question": np.arange(size),
            "outcome": right.astype(int),
            "confidence": np.where(held, sure, np.nan),
            "status": np.where(held, "ok", "abstained"),
        }
    )
    binned = grouped(data, bins)
    assert binned.confidence.size <= bins
    exact = Ranked.of(Predictions(np.where(held, sure, 0.0), ~right, held))
    for metric in map(asked, METRICS):
        value, error = metric.value(binned.ranked()), metric.bin_error(binned)
        assert abs(metric.value(exact) - value) <= error + 1e-9 * abs(value), metric
        assert error >= 0
    if 0 < right[held].sum() < held.sum():
        area = RocAuc().value(Labelled.of(Scored(np.array(sure)[held], right[held])))
        ours = binned.only_answered()
        value = RocAuc().measure(ours.classes(np.ones((1, ours.groups))))[0]
        assert abs(area - value) <= RocAuc().bin_error(ours) + 1e-12


def orders(right: list[int], wrong: list[int]) -> list[tuple[int, ...]]:
    """Losses in every order that the bins leave open."""
    each = [
        set(itertools.permutations([0] * r + [1] * w)) for r, w in zip(right, wrong, strict=True)
    ]
    return [tuple(itertools.chain(*parts)) for parts in itertools.product(*each)]


@pytest.mark.parametrize("name", METRICS)
def test_the_bound_is_that_of_trying_every_order(name: str) -> None:
    right, wrong, total = [2, 1, 3], [1, 2, 1], 12
    metric = asked(name)
    data = GroupedTotals(
        confidence=np.array([0.9, 0.5, 0.1]),
        right=np.array([right, [0, 0, 0]]),
        wrong=np.array([wrong, [0, 0, 0]]),
        sizes=np.array([10, 2]),
        clusters=2,
        answering=1,
        mixed=np.array([True, True, True]),
    )
    value = metric.value(data.ranked())
    off = [
        abs(metric.value(Ranked.of(_in_order(losses, total))) - value)
        for losses in orders(right, wrong)
    ]
    if isinstance(metric, CoverageAt):  # which bounds part of an item's coverage
        assert max(off) <= metric.bin_error(data) + 1e-12 <= max(off) + 1 / total
    else:
        assert metric.bin_error(data) == pytest.approx(max(off), abs=1e-12)


def _in_order(losses: tuple[int, ...], total: int) -> Predictions:
    size = len(losses)
    answered = np.arange(total) < size
    return Predictions(-np.arange(float(total)), [*losses, *[0] * (total - size)], answered)


def test_the_bound_of_an_area_is_half_the_pairs_in_a_bin() -> None:
    right, wrong = np.array([[3.0, 1.0]]), np.array([[1.0, 2.0]])
    data = GroupedTotals(
        confidence=np.array([0.9, 0.1]),
        right=right,
        wrong=wrong,
        sizes=np.array([7]),
        clusters=1,
        answering=1,
        mixed=np.array([True, False]),
    )
    assert RocAuc().bin_error(data) == 3 * 1 / (2 * 4 * 3)


def test_a_confidence_that_many_share_stays_apart_and_exact() -> None:
    rng = np.random.default_rng(5)
    sure = np.where(rng.random(20_000) < 0.6, 1.0, rng.random(20_000))
    data = {"question": range(20_000), "outcome": rng.integers(0, 2, 20_000), "confidence": sure}
    binned = grouped(pl.DataFrame(data), 100)
    assert binned.confidence[0] == 1.0
    assert not binned.mixed[0]
    assert RocAuc().bin_error(binned) < 0.002  # as one bin among 100 it would be 0.09


@pytest.mark.parametrize("end", [0.0, 1.0])
def test_confidences_that_crowd_at_an_end_are_distinguished(end: float) -> None:
    rng = np.random.default_rng(6)
    gap = 10.0 ** -rng.uniform(1, 12, 20_000)
    data = {
        "question": range(20_000),
        "outcome": rng.integers(0, 2, 20_000),
        "confidence": abs(end - gap),
    }
    assert RocAuc().bin_error(grouped(pl.DataFrame(data), 1000)) < 0.001


def test_more_bins_than_confidences_change_nothing() -> None:
    data = table(300, 4, digits=2, seed=3).filter(pl.col("system") == "one")
    runs = errbar.load(data)
    exact = runs.selective(*METRICS, method=QUICK)
    binned = runs.selective(*METRICS, method=QUICK, bins=5000)
    for expected, found in zip(exact, binned, strict=True):
        assert (found.value, found.bin_error) == (expected.value, 0.0)
    assert "in at most 5000 bins, which changes no value by more than 0." in " ".join(
        binned.notes()
    )


def test_a_group_that_answers_nothing_is_not_resampled_for_an_area() -> None:
    data = GroupedTotals(
        confidence=np.array([0.9, 0.1]),
        right=np.array([[1, 0], [0, 0], [1, 1]]),
        wrong=np.array([[0, 1], [0, 0], [1, 0]]),
        sizes=np.array([3, 2, 3]),
        clusters=3,
        answering=2,
        mixed=np.array([False, False]),
    )
    held = data.only_answered()
    assert (held.groups, held.clusters, len(held)) == (2, 2, 5)
    assert repr(data) == "Grouped(8 items in 3 groups of 3 clusters, 5 answered, 2 confidences)"


def test_beyond_the_table_harmonic_numbers_come_as_a_series(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(7)
    items = rng.integers(0, 50, (3, 400)).astype(float)
    loss = rng.binomial(items.astype(int), 0.3).astype(float)
    upto = np.array([100.0, 2000.5, 4000.0])
    table = [kernel.mean_selective_risk(items, loss, limit) for limit in (None, upto)]
    monkeypatch.setattr(kernel, "_LONGEST", 10)
    series = [kernel.mean_selective_risk(items, loss, limit) for limit in (None, upto)]
    np.testing.assert_allclose(series, table, rtol=1e-13)


def test_groups_are_estimated_like_items() -> None:
    data = grouped(table(40, 5).filter(pl.col("system") == "one"), 10)
    estimate = selective.estimate("aurc", data, rng=0)
    assert estimate.clusters == 40
    assert estimate.groups == 0
    assert 0 < estimate.bin_error < 0.2


def test_more_confidences_than_fit_are_counted_and_bins_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    in_groups(monkeypatch)
    runs = errbar.load(table(250, 8))
    monkeypatch.setattr(ranked_cells, "MOST_CELLS", 50_000)
    with pytest.raises(InputError, match=r"has 1,\d+ distinct .* limited to 250\. .* bins=1000"):
        runs.selective()
    monkeypatch.setattr(ranked_cells, "MOST_CELLS", 2000)
    with pytest.raises(InputError, match=r"2 systems and tasks in 200 groups.* Use fewer bins"):
        runs.roc(bins=20)
    assert all(each.bin_error > 0 for each in runs.roc(method=QUICK, bins=2))


@pytest.mark.parametrize("bins", [1, 0, -5, 65_537, True, 10.0, "10"])
def test_bins_that_are_no_number_of_bins_are_refused(bins: Any) -> None:
    with pytest.raises(InputError, match="bins must"):
        errbar.load(table(5, 2)).selective(bins=bins)


@pytest.mark.parametrize("bins", [None, 5])
def test_a_system_that_does_not_reach_a_coverage_keeps_no_other_from_being_shown(
    bins: int | None,
) -> None:
    """Of 40 items, bold answers all, shy the surest 16, mute none."""
    cuts = {"bold": 0, "shy": 24, "mute": 40}
    rows = [
        (name, at, "ok" if at >= cut else "abstained")
        for name, cut in cuts.items()
        for at in range(40)
    ]
    columns = {
        name: [row[at] for row in rows] for at, name in enumerate(("system", "question", "status"))
    }
    outcomes = {"confidence": columns["question"], "outcome": [at % 3 > 0 for _, at, _ in rows]}
    rows_of_all = pl.DataFrame({**columns, **outcomes})
    scores = errbar.load(rows_of_all).selective("risk@0.4", "risk@0.5", bins=bins)
    held = {(score.system, str(score.metric)): not math.isnan(score.value) for score in scores}
    assert {key for key, some in held.items() if some} == {
        ("bold", "risk@0.4"),
        ("bold", "risk@0.5"),
        ("shy", "risk@0.4"),
    }
    assert len(held) == 6
    alone = errbar.load(rows_of_all.filter(pl.col("system") == "bold"))
    (bold,) = scores.only(system="bold", metric="risk@0.5")
    assert bold.value == alone.selective("risk@0.5", bins=bins)[0].value
    said = " ".join(scores.notes())
    assert "shy risk@0.5: coverage 0.5 is out of reach; 16 of 40 items were answered" in said
    assert "which is 0.4." in said
    assert "mute risk@0.5: none of the 40 items was answered" in said
    others = errbar.load(rows_of_all.filter(pl.col("system") != "bold"))
    with pytest.raises(InputError, match=r"mute risk@0\.5: none of the 40 items was answered"):
        others.selective("risk@0.5", bins=bins)


def test_one_class_and_nothing_answered_are_refused_in_groups_too() -> None:
    data = {"question": range(20), "confidence": np.linspace(0, 1, 20)}
    right = errbar.load(pl.DataFrame({**data, "outcome": [1] * 20}))
    with pytest.raises(InputError, match="labels are all 1"):
        right.roc(bins=5)
    assert right.selective("aurc", bins=5)[0].value == 0.0
    silent = errbar.load(pl.DataFrame({**data, "outcome": [1] * 20, "status": ["abstained"] * 20}))
    with pytest.raises(InputError, match="none of the 20 items was answered"):
        silent.selective(bins=5)
    with pytest.raises(InputError, match="out of reach"):
        errbar.load(table(20, 4)).selective("risk@0.99", bins=5)
    alone = errbar.load(pl.DataFrame({**data, "outcome": [0, 1] * 10, "cluster": ["c"] * 20}))
    with pytest.raises(InputError, match="a single cluster"):
        alone.selective(bins=5)
    with pytest.raises(InputError, match="a single cluster"):
        alone.roc(bins=5)


def test_data_without_a_row_have_nothing_to_rank() -> None:
    empty = table(2, 2).clear()
    with pytest.raises(InputError, match="there is nothing to rank"):
        errbar.load(empty).selective()


def test_matrices_have_no_confidence() -> None:
    with pytest.raises(InputError, match="no confidence"):
        errbar.load(np.eye(3)).roc(bins=5)


def test_the_command_takes_bins_and_tells_their_error(tmp_path: Path) -> None:
    file = tmp_path / "outcomes.parquet"
    table(30, 4).write_parquet(file)
    for command in ("selective", "roc"):
        said = CliRunner().invoke(main, [command, str(file), "--bins", "4", "--format", "json"])
        found = json.loads(said.stdout)
        assert all(0 < row["bin_error"] < 0.3 for row in found["rows"])
        said = CliRunner().invoke(main, [command, str(file), "--bins", "4"])
        assert "in at most 4 bins, which changes no value by more than" in " ".join(
            said.stdout.split()
        )


def test_runs_of_items_have_no_bins(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    file.write_text(json.dumps({"experiments": [{"results": {"participant_id": 1}}]}))
    said = CliRunner().invoke(main, ["selective", str(file), "--bins", "4"])
    assert said.exit_code == 2
    assert "--bins is for outcomes" in said.stderr
