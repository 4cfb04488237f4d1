"""Systems compared at common coverages, against items written out one by one."""

import json
import math
import warnings
from html.parser import HTMLParser
from statistics import stdev
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from errbar import selective
from errbar.data.predictions import Predictions
from errbar.errors import InputError, UnequalCoverage, WrongType
from errbar.kernels import resample
from errbar.metrics.ranked import RiskAt
from errbar.results.curves import MatchedCoverage, MatchedRow
from errbar.results.estimate import Estimand, Interval
from errbar.selective import Bootstrap, compare

Array = NDArray[Any]
PERCENTILE = Bootstrap(resamples=150, ends="percentile")
FEW = Bootstrap(resamples=200)


def system(seed: int, answered: float, size: int = 30, groups: int = 30) -> Predictions:
    """Items with few distinct confidences; each cluster has a number of its own."""
    rng = np.random.default_rng(seed)
    held = np.arange(size) < round(answered * size)
    return Predictions(
        rng.integers(0, 8, size),
        np.where(rng.random(size) < 0.6, rng.random(size), rng.integers(0, 2, size)),
        rng.permutation(held),
        np.arange(size) * groups // size,
    )


def written_out(data: Predictions, often: Array) -> tuple[Array, Array, Array]:
    return (
        np.repeat(data.confidence, often),
        np.repeat(data.loss, often),
        np.repeat(data.answered, often),
    )


def number(name: str, data: Predictions, often: Array, common: float) -> float:
    """One number of one system in one resample; nan where it is refused."""
    sure, lost, held = written_out(data, often)
    try:
        if name.startswith("risk@"):
            return selective.risk_at_coverage(sure, lost, held, coverage=float(name[5:]))
        if name.startswith("cov@risk"):
            return selective.coverage_at_risk(sure, lost, held, risk=float(name[8:]))
        area = {"aurc": selective.aurc, "augrc": selective.augrc, "e-aurc": selective.excess_aurc}
        head, _, rest = name.partition("(coverage=")
        if not rest:
            return area[head](sure, lost, held)
        return area[head](sure, lost, held, coverage=common)
    except InputError:
        return math.nan


def differences(
    name: str, pair: tuple[Predictions, Predictions], systems: list[Predictions], weights: Array
) -> list[float]:
    found = []
    for row in weights.astype(int):
        often = row[systems[0].clusters]
        common = min(np.repeat(one.answered, often).mean() for one in systems)
        one, other = (
            (number(name, data, often, common) for data in pair) if common else (math.nan,) * 2
        )
        found.append(one - other)
    return found


@pytest.mark.parametrize("groups", [30, 8])
@pytest.mark.parametrize("shares", [(1.0, 0.6), (0.7, 0.5), (1.0, 0.8, 0.6)])
def test_each_difference_is_that_of_items_written_out(
    shares: tuple[float, ...], groups: int
) -> None:
    systems = {f"s{at}": system(at, share, groups=groups) for at, share in enumerate(shares)}
    result = compare(
        systems,
        "cov@risk0.3",
        "e-aurc(coverage=0.2)",
        coverages=[0.1, 0.4],
        method=PERCENTILE,
        rng=3,
    )
    rows = max(30, groups)
    weights = np.concatenate(
        list(resample.bootstrap_weights(groups, 150, rows, np.random.default_rng(3)))
    )
    common = min(data.coverage for data in systems.values())
    assert result.common == common
    assert result.reach == {name: data.coverage for name, data in systems.items()}
    names = ["cov@risk0.3", "e-aurc(coverage=0.2)", "risk@0.1", "risk@0.4"]
    names += [f"aurc(coverage={common:.4g})", f"augrc(coverage={common:.4g})"]
    pairs = len(shares) * (len(shares) - 1) // 2
    assert [row.metric for row in result.rows] == names * pairs
    for row in result.rows:
        one, other = systems[row.one], systems[row.other]
        if row.metric.startswith("e-aurc"):
            continue
        ones = np.ones(30, dtype=int)
        assert row.value == pytest.approx(number(row.metric, one, ones, common), abs=1e-12)
        assert row.against == pytest.approx(number(row.metric, other, ones, common), abs=1e-12)
        assert row.difference == pytest.approx(row.value - row.against, abs=1e-12)
        plain = np.array(differences(row.metric, (one, other), list(systems.values()), weights))
        kept = plain[np.isfinite(plain)]
        assert row.dropped == pytest.approx(1 - kept.size / 150, abs=1e-12)
        assert row.sd == pytest.approx(stdev(kept.tolist()), abs=1e-12)
        assert row.interval.low == pytest.approx(np.quantile(kept, 0.025), abs=1e-12)
        assert row.interval.high == pytest.approx(np.quantile(kept, 0.975), abs=1e-12)


def test_rows_stand_pair_by_pair_in_the_order_given() -> None:
    systems = {name: system(at, 1.0) for at, name in enumerate(["z", "a", "m"])}
    result = compare(systems, coverages=[0.5], method=PERCENTILE, rng=0)
    pairs = list(dict.fromkeys((row.one, row.other) for row in result.rows))
    assert pairs == [("z", "a"), ("z", "m"), ("a", "m")]
    assert "not adjusted for their number" in str(result)


def test_without_coverages_quarters_of_the_common_one_are_compared() -> None:
    systems = {"a": system(1, 1.0), "b": system(2, 0.8)}
    result = compare(systems, method=FEW, rng=0)
    assert [row.metric for row in result.rows] == [
        "risk@0.2",
        "risk@0.4",
        "risk@0.6",
        "aurc(coverage=0.8)",
        "augrc(coverage=0.8)",
    ]


def test_a_metric_may_be_given_as_a_value() -> None:
    systems = {"a": system(1, 1.0), "b": system(2, 0.8)}
    as_text = compare(systems, "risk@0.3", coverages=[], method=FEW, rng=0)
    as_value = compare(systems, RiskAt(0.3), coverages=[], method=FEW, rng=0)
    assert repr(as_text.to_dicts()) == repr(as_value.to_dicts())
    assert [row.metric for row in as_text.rows] == [
        "risk@0.3",
        "aurc(coverage=0.8)",
        "augrc(coverage=0.8)",
    ]


# ------------------------------------------------------------------------------ coverage


@pytest.mark.parametrize("metric", ["aurc", "augrc", "e-aurc", "e-augrc"])
def test_whole_areas_at_different_coverages_are_warned_of(metric: str) -> None:
    systems = {"a": system(1, 1.0), "b": system(2, 0.5)}
    with pytest.warns(UnequalCoverage, match=rf"{metric}\(coverage=0\.5\) goes up to") as caught:
        compare(systems, metric, method=FEW, rng=0)
    assert len(caught) == 1
    assert caught[0].filename == __file__


@pytest.mark.parametrize("metric", ["aurc(coverage=0.4)", "risk@0.4", "cov@risk0.2"])
def test_what_is_matched_already_is_not_warned_of(metric: str) -> None:
    systems = {"a": system(1, 1.0), "b": system(2, 0.5)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare(systems, metric, coverages=[0.3], method=FEW, rng=0)
        compare({"a": system(1, 0.5), "b": systems["b"]}, "aurc", method=FEW, rng=0)


@pytest.mark.parametrize("metric", ["risk@0.9", "aurc(coverage=0.6)", "e-augrc(coverage=0.51)"])
@pytest.mark.parametrize("coverages", [None, [], [0.3]])
def test_a_metric_out_of_reach_is_refused_with_the_name_of_who_does_not_reach_it(
    metric: str, coverages: list[float] | None
) -> None:
    systems = {"eager": system(1, 1.0), "shy": system(2, 0.5)}
    with pytest.raises(InputError, match=r"out of reach: 'shy' answered 0\.5"):
        compare(systems, metric, coverages=coverages, method=FEW, rng=0)


def test_coverages_out_of_reach_are_refused_with_the_name_of_who_does_not_reach_them() -> None:
    systems = {"eager": system(1, 1.0), "shy": system(2, 0.5)}
    with pytest.raises(InputError, match=r"risk@0\.75 is out of reach: 'shy' answered 0\.5"):
        compare(systems, coverages=[0.25, 0.75], method=FEW, rng=0)


@pytest.mark.parametrize("coverages", [[0.0], [-0.1], [1.5], [math.nan], ["0.5"], [True], [None]])
def test_coverages_outside_zero_to_one_are_refused(coverages: list[Any]) -> None:
    with pytest.raises(InputError, match="coverage"):
        compare({"a": system(1, 1.0), "b": system(2, 1.0)}, coverages=coverages, rng=0)


@pytest.mark.parametrize("coverages", [0.5, "0.5"])
def test_coverages_are_a_list(coverages: Any) -> None:
    with pytest.raises(InputError, match="coverage"):
        compare({"a": system(1, 1.0), "b": system(2, 1.0)}, coverages=coverages, rng=0)


def test_the_coverage_all_reach_is_itself_within_reach() -> None:
    for answered in (1 / 3, 0.7, 29 / 30, 1 / 30):
        shy = system(2, answered)
        systems = {"a": system(1, 1.0), "b": shy}
        result = compare(systems, coverages=[shy.coverage], method=FEW, rng=0)
        assert math.isfinite(result.rows[0].difference)


@pytest.mark.parametrize("answered", [1, 2, 3])
def test_resamples_in_which_one_answers_nothing_are_counted(answered: int) -> None:
    systems = {"a": system(1, 1.0), "b": system(2, answered / 30)}
    result = compare(systems, coverages=[], method=FEW, rng=0)
    for row in result.rows:
        assert row.dropped == pytest.approx((1 - answered / 30) ** 30, abs=0.08)
        assert not (row.interval.low == row.interval.high == 0)
    assert "of the resamples were undefined" in " ".join(str(result).split())


def test_two_clusters_that_different_systems_answer_leave_nothing_to_compare_without_either() -> (
    None
):
    clusters = [1, 1, 2, 2]
    systems = {
        "a": Predictions([1, 2, 3, 4], [0.3, 0.6, 0.4, 0.5], [1, 1, 0, 0], clusters),
        "b": Predictions([1, 2, 3, 4], [0.2, 0.9, 0.1, 0.8], [0, 0, 1, 1], clusters),
    }
    for seed in range(6):
        result = compare(systems, coverages=[0.5], method=FEW, rng=seed)
        for row in result.rows:
            assert row.dropped == pytest.approx(0.5, abs=0.15)
            assert row.verdict == "inconclusive"


# ------------------------------------------------------------------------------- verdicts


def better_and_worse(size: int = 60) -> tuple[Predictions, Predictions]:
    rng = np.random.default_rng(0)
    sure = rng.random(size)
    return Predictions(sure, rng.random(size) * 0.2), Predictions(sure, 0.5 + rng.random(size) / 2)


def test_the_verdict_names_the_lower_risk_whichever_comes_first() -> None:
    better, worse = better_and_worse()
    result = compare({"good": better, "bad": worse}, method=FEW, rng=0)
    assert {row.verdict for row in result.rows} == {"good is lower"}
    assert all(row.difference < 0 for row in result.rows)
    assert result.verdict.startswith(
        "Up to coverage 1, good has a lower mean risk than bad (95 % interval of the difference -0."
    )
    turned = compare({"bad": worse, "good": better}, method=FEW, rng=0)
    assert {row.verdict for row in turned.rows} == {"good is lower"}
    assert all(row.difference > 0 for row in turned.rows)
    assert turned.verdict.startswith("Up to coverage 1, good has a lower mean risk than bad (")


def test_turning_two_systems_round_turns_the_difference_round() -> None:
    one, other = system(1, 1.0), system(2, 0.7)
    here = compare({"a": one, "b": other}, method=PERCENTILE, rng=0)
    there = compare({"b": other, "a": one}, method=PERCENTILE, rng=0)
    for left, right in zip(here.rows, there.rows, strict=True):
        assert left.difference == -right.difference
        assert left.sd == pytest.approx(right.sd, rel=1e-12)
        assert left.interval.low == pytest.approx(-right.interval.high, abs=1e-12)


def test_what_the_data_cannot_tell_is_said_in_so_many_words() -> None:
    systems = {"a": system(1, 1.0), "b": system(3, 1.0)}
    result = compare(systems, method=FEW, rng=0)
    assert {row.verdict for row in result.rows} == {"inconclusive"}
    assert result.verdict.startswith("Up to coverage 1, a against b is inconclusive (95 %")


def test_a_system_cannot_be_told_from_itself() -> None:
    data = system(1, 0.8)
    result = compare({"a": data, "b": data}, method=FEW, rng=0)
    for row in result.rows:
        assert (row.difference, row.verdict) == (0.0, "inconclusive")
        assert math.isnan(row.sd)
        assert row.reason
    assert "cannot be compared: every resample gives the same number" in result.verdict


@pytest.mark.parametrize("ends", ["percentile", "bca"])
def test_rounding_is_no_difference(ends: Any) -> None:
    """The same losses in another order have the same mean but for the last digit."""
    rng = np.random.default_rng(1)
    lost = rng.random(30)
    systems = {"a": Predictions(rng.random(30), lost), "b": Predictions(rng.random(30), lost)}
    row = compare(systems, coverages=[1.0], method=Bootstrap(300, ends=ends), rng=0).rows[0]
    assert row.metric == "risk@1.0"
    assert row.verdict == "inconclusive"
    assert math.isnan(row.sd)
    assert row.reason


def test_the_verdict_is_given_once_though_the_area_was_asked_for() -> None:
    systems = {"a": system(1, 1.0), "b": system(3, 0.5)}
    result = compare(systems, "aurc(coverage=0.5)", method=FEW, rng=0)
    assert result.verdict.count("Up to coverage") == 1


def test_more_coverage_is_not_called_worse() -> None:
    """Of a coverage at a risk the higher is better; nothing under the table says otherwise."""
    better, worse = better_and_worse()
    result = compare({"good": better, "bad": worse}, "cov@risk0.4", method=FEW, rng=0)
    assert (result.rows[0].value, result.rows[0].against) == (1.0, 0.0)
    both = compare({"a": system(1, 1.0), "b": system(3, 1.0)}, "cov@risk0.4", method=FEW, rng=0)
    for note in both.notes():
        assert "Lower is better" not in note or "cov@risk" in note


def test_each_verdict_follows_from_its_interval() -> None:
    def row(low: float, high: float, reason: str = "") -> MatchedRow:
        interval = Interval(low, high, 0.95, Estimand.POPULATION)
        return MatchedRow("risk@0.5", "a", "b", 0.1, 0.2, -0.1, 0.05, interval, 0.0, reason)

    assert row(-0.2, -0.01).verdict == "a is lower"
    assert row(0.01, 0.2).verdict == "b is lower"
    assert row(-0.1, 0.1).verdict == "inconclusive"
    assert row(0.0, 0.1).verdict == "inconclusive"
    assert row(-0.1, 0.0).verdict == "inconclusive"
    assert row(math.nan, math.nan).verdict == "inconclusive"
    assert row(0.01, 0.2, "some reason").verdict == "inconclusive"


# --------------------------------------------------------------------------- what is refused


def test_systems_must_have_the_same_items() -> None:
    with pytest.raises(InputError, match="'a' has 30 and 'c' has 20"):
        compare({"a": system(1, 1.0), "b": system(2, 1.0), "c": system(2, 1.0, 20, 20)}, rng=0)


@pytest.mark.parametrize("groups", [7, None])
def test_systems_must_have_the_same_clusters(groups: int | None) -> None:
    one = system(1, 1.0, groups=8)
    other = system(2, 1.0, groups=groups or 8)
    if groups is None:
        other = Predictions(other.confidence, other.loss, other.answered)
    for pair in ({"a": one, "b": other}, {"b": other, "a": one}):
        with pytest.raises(InputError, match="must have the same clusters, item by item"):
            compare(pair, rng=0)


def test_one_cluster_or_item_alone_is_an_error() -> None:
    with pytest.raises(InputError, match="a single cluster cannot be resampled"):
        compare({"a": system(1, 1.0, groups=1), "b": system(2, 1.0, groups=1)}, rng=0)
    with pytest.raises(InputError, match="a single item cannot be resampled"):
        compare({"a": Predictions([1], [0]), "b": Predictions([1], [1])}, rng=0)


def test_who_answers_nothing_is_named() -> None:
    with pytest.raises(InputError, match="'mute' answered no item"):
        compare({"a": system(1, 1.0), "mute": system(2, 0.0)}, rng=0)


@pytest.mark.parametrize("systems", [{}, {"a": system(1, 1.0)}, [system(1, 1.0)] * 2, None])
def test_fewer_than_two_named_systems_are_refused(systems: Any) -> None:
    with pytest.raises(InputError, match="at least two systems"):
        compare(systems, rng=0)


@pytest.mark.parametrize("other", [None, [1, 2], ([1], [0])])
def test_a_system_that_is_not_predictions_is_named(other: Any) -> None:
    with pytest.raises(WrongType, match="'b' must be Predictions"):
        compare({"a": system(1, 1.0), "b": other}, rng=0)


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("pass@2", "not a metric of ranked predictions"),
        (3, "metrics are given one by one, by name or as values, .* got 3"),
        (None, "metrics are given one by one, by name or as values, .* got None"),
    ],
)
def test_a_metric_of_something_else_is_refused(metric: Any, words: str) -> None:
    with pytest.raises(WrongType, match=words):
        compare({"a": system(1, 1.0), "b": system(2, 1.0)}, metric, rng=0)


def test_there_is_no_default_seed() -> None:
    with pytest.raises(TypeError, match="rng"):
        compare({"a": system(1, 1.0), "b": system(2, 1.0)})  # type: ignore[call-arg]


# ------------------------------------------------------------------------------- printing


def some_result() -> MatchedCoverage:
    names = ["<b>bold</b>", 'quo"te & co', "plain"]
    systems = {name: system(at, 1 - at / 4, groups=10) for at, name in enumerate(names)}
    return compare(systems, coverages=[0.25], method=FEW, rng=0)


def test_records_are_flat_and_go_through_json() -> None:
    records = some_result().to_dicts()
    assert json.loads(json.dumps(records, allow_nan=False)) == records
    assert len(records) == 9
    for record in records:
        assert all(type(value) in (str, float) for value in record.values())
        assert record["difference"] == record["value"] - record["against"]
        assert record["covers"] == "population"


class Cells(HTMLParser):
    """Text of the cells, and every tag."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_names_with_markup_are_shown_as_text() -> None:
    cells = Cells()
    cells.feed(some_result()._repr_html_())
    assert "b" not in cells.tags
    assert '<b>bold</b> − quo"te & co' in cells.text


def test_a_result_prints_as_a_table_with_its_notes() -> None:
    text = str(some_result())
    assert repr(some_result()) == text
    lines = text.splitlines()
    assert lines[0].split() == [
        "metric", "systems", "first", "second", "difference", "interval", "verdict",
    ]  # fmt: skip
    assert "30 items in 10 clusters. Coverage: <b>bold</b> 1" in " ".join(text.split())
    assert "of all: 0.5" in " ".join(text.split())
    assert "BCa bootstrap, 200 resamples" in text


def test_a_result_without_an_interval_says_so() -> None:
    data = system(1, 0.8)
    text = str(compare({"a": data, "b": data}, method=FEW, rng=0))
    assert "–" in text
    assert "nan to nan" not in text
    assert "risk@0.2, a and b: every resample gives the same number" in " ".join(text.split())
