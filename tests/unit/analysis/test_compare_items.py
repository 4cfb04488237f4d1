"""Systems compared at common coverages, against items written out one by one."""

import json
import math
import re
import warnings
from dataclasses import replace
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
from errbar.metrics.confidence import RiskAt
from errbar.results.base import finite
from errbar.results.comparisons import Comparisons
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
        upto = common if rest == "'common')" else float(rest[:-1])
        return area[head](sure, lost, held, coverage=upto)
    except InputError:
        return math.nan


def differences(name: str, pair: tuple[Predictions, Predictions], weights: Array) -> list[float]:
    found = []
    for row in weights.astype(int):
        often = row[pair[0].clusters]
        common = min(np.repeat(each.answered, often).mean() for each in pair)
        first, second = (
            (number(name, data, often, common) for data in pair) if common else (math.nan,) * 2
        )
        found.append(first - second)
    return found


def ends(row: Any) -> tuple[float, float]:
    return row.interval.low, row.interval.high


@pytest.mark.parametrize(
    ("shares", "groups"), [((1.0, 0.6), 8), ((0.7, 0.5), 15), ((1.0, 0.8, 0.6), 15)]
)
def test_each_difference_is_that_of_items_written_out(
    shares: tuple[float, ...], groups: int
) -> None:
    systems = {f"s{at}": system(at, share, groups=groups) for at, share in enumerate(shares)}
    names = ["cov@risk0.3", "e-aurc(coverage=0.2)", "aurc(coverage='common')"]
    names += ["augrc(coverage='common')", "risk@0.1", "risk@0.4"]
    result = compare(
        systems, *names[:4], coverages=[0.1, 0.4], adjust="none", method=PERCENTILE, rng=3
    )
    rows = max(30, groups)
    weights = np.concatenate(
        list(resample.bootstrap_weights(groups, 150, rows, np.random.default_rng(3)))
    )
    pairs = len(shares) * (len(shares) - 1) // 2
    assert [str(row.metric) for row in result] == [name for name in names for _ in range(pairs)]
    for row in result:
        first, second = systems[row.first], systems[row.second]
        name = str(row.metric)
        common = min(first.coverage, second.coverage)
        ones = np.ones(30, dtype=int)
        assert row.value == pytest.approx(number(name, first, ones, common), abs=1e-12)
        assert row.against == pytest.approx(number(name, second, ones, common), abs=1e-12)
        assert row.difference == pytest.approx(row.value - row.against, abs=1e-12)
        plain = np.array(differences(name, (first, second), weights))
        kept = plain[np.isfinite(plain)]
        assert row.sd == pytest.approx(stdev(kept.tolist()), abs=1e-12)
        expected = np.quantile(kept, [0.025, 0.975])
        for end, known in zip(ends(row), expected, strict=True):  # or moved to zero, as p has it
            assert end == pytest.approx(known, abs=1e-12) or end == 0.0


def test_rows_stand_pair_by_pair_in_the_order_given() -> None:
    systems = {name: system(at, 1.0) for at, name in enumerate(["z", "a", "m"])}
    result = compare(systems, coverages=[0.5], method=PERCENTILE, rng=0)
    pairs = list(dict.fromkeys((row.first, row.second) for row in result))
    assert pairs == [("z", "a"), ("z", "m"), ("a", "m")]
    assert "hold for all 9 comparisons together (Bonferroni)" in " ".join(result.explain().split())


def test_without_coverages_quarters_of_the_common_one_are_compared() -> None:
    systems = {"a": system(1, 1.0), "b": system(2, 0.8)}
    result = compare(systems, method=FEW, rng=0)
    assert [str(row.metric) for row in result] == [
        "risk@0.2",
        "risk@0.4",
        "risk@0.6",
        "aurc(coverage='common')",
        "augrc(coverage='common')",
    ]


def test_a_metric_may_be_given_as_a_value() -> None:
    systems = {"a": system(1, 1.0), "b": system(2, 0.8)}
    as_text = compare(systems, "risk@0.3", method=FEW, rng=0)
    as_value = compare(systems, RiskAt(0.3), method=FEW, rng=0)
    assert repr(as_text.to_dicts()) == repr(as_value.to_dicts())
    assert [str(row.metric) for row in as_text] == ["risk@0.3"]


# ------------------------------------------------------------------------------ coverage


@pytest.mark.parametrize("metric", ["aurc", "augrc", "e-aurc", "e-augrc"])
def test_whole_areas_at_different_coverages_are_warned_of(metric: str) -> None:
    systems = {"a": system(1, 1.0), "b": system(2, 0.5)}
    with pytest.warns(
        UnequalCoverage, match=rf"{metric}\(coverage='common'\) goes up to"
    ) as caught:
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
def test_a_metric_out_of_reach_has_no_number_and_names_who_does_not_reach_it(metric: str) -> None:
    systems = {"eager": system(1, 1.0), "shy": system(2, 0.5)}
    (row,) = compare(systems, metric, method=FEW, rng=0)
    assert row.reason == "shy answered 0.5 of the items"
    assert math.isnan(row.difference)
    assert row.verdict == "inconclusive"


def test_coverages_out_of_reach_leave_the_others() -> None:
    systems = {"eager": system(1, 1.0), "shy": system(2, 0.5)}
    result = compare(systems, coverages=[0.25, 0.75], method=FEW, rng=0)
    assert [row.reason for row in result] == ["", "shy answered 0.5 of the items", "", ""]
    assert "eager − shy: shy answered 0.5 of the items." in " ".join(result.explain().split())


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
        assert math.isfinite(result[0].difference)


@pytest.mark.parametrize("answered", [1, 2, 3])
def test_resamples_in_which_one_answers_nothing_are_counted(answered: int) -> None:
    systems = {"a": system(1, 1.0), "b": system(2, answered / 30)}
    result = compare(systems, coverages=[], method=FEW, rng=0)
    for row in result:
        share = re.fullmatch(r"undefined in (\d+(\.\d)?)% of the resamples", row.caution)
        assert share is not None
        assert float(share[1]) / 100 == pytest.approx((1 - answered / 30) ** 30, abs=0.08)
        assert not (row.interval.low == row.interval.high == 0)


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
        assert {row.verdict for row in result} == {"inconclusive"}


# ------------------------------------------------------------------------------- verdicts


def better_and_worse(size: int = 60) -> tuple[Predictions, Predictions]:
    rng = np.random.default_rng(0)
    sure = rng.random(size)
    return Predictions(sure, rng.random(size) * 0.2), Predictions(sure, 0.5 + rng.random(size) / 2)


def test_the_verdict_names_the_lower_risk_whichever_comes_first() -> None:
    """A risk at a quarter of the items hangs on an unseen one too much to be sure of it."""
    better, worse = better_and_worse()
    first = compare({"good": better, "bad": worse}, method=FEW, rng=0)
    assert {row.better or row.probably_better for row in first} == {"good"}
    seen = Bootstrap(resamples=200, ends="bca")
    result = compare({"good": better, "bad": worse}, method=seen, rng=0)
    assert {row.verdict for row in result} == {"good is better"}
    assert all(row.difference < 0 for row in result)
    turned = compare({"bad": worse, "good": better}, method=seen, rng=0)
    assert {row.verdict for row in turned} == {"good is better"}
    assert all(row.difference > 0 for row in turned)
    assert str(turned[0]).startswith("risk@0.25: good beats bad by 0.")


def test_turning_two_systems_round_turns_the_difference_round() -> None:
    first, second = system(1, 1.0), system(2, 0.7)
    here = compare({"a": first, "b": second}, method=PERCENTILE, rng=0)
    there = compare({"b": second, "a": first}, method=PERCENTILE, rng=0)
    for left, right in zip(here.rows, there.rows, strict=True):
        assert left.difference == -right.difference
        assert left.sd == pytest.approx(right.sd, rel=1e-12)
        assert left.interval.low == pytest.approx(-right.interval.high, abs=1e-12)
        assert left.adjusted == pytest.approx(right.adjusted, rel=1e-12)


def test_what_the_data_cannot_tell_is_said_in_so_many_words() -> None:
    systems = {"a": system(1, 1.0), "b": system(3, 1.0)}
    result = compare(systems, method=FEW, rng=0)
    assert {row.verdict for row in result} == {"inconclusive"}
    assert str(result[0]).startswith("risk@0.25: a vs b: inconclusive (")


def test_a_system_cannot_be_told_from_itself() -> None:
    data = system(1, 0.8)
    result = compare({"a": data, "b": data}, method=FEW, rng=0)
    for row in result:
        assert (row.difference, row.verdict) == (0.0, "inconclusive")
        assert math.isnan(row.sd)
        assert row.reason
    assert "no interval: every resample gives the same number" in str(result[0])


@pytest.mark.parametrize("ends", ["percentile", "bca"])
def test_rounding_is_no_difference(ends: Any) -> None:
    """Losses in another order have an equal mean but for the last digit."""
    rng = np.random.default_rng(1)
    lost = rng.random(30)
    systems = {"a": Predictions(rng.random(30), lost), "b": Predictions(rng.random(30), lost)}
    row = compare(systems, coverages=[1.0], method=Bootstrap(300, ends=ends), rng=0)[0]
    assert str(row.metric) == "risk@1.0"
    assert row.verdict == "inconclusive"
    assert math.isnan(row.sd)
    assert row.reason


def test_more_coverage_is_not_called_worse() -> None:
    """Of a coverage at a risk the higher is better."""
    better, worse = better_and_worse()
    (row,) = compare({"good": better, "bad": worse}, "cov@risk0.4", method=FEW, rng=0)
    assert (row.value, row.against) == (1.0, 0.0)
    assert row.better in ("", "good")
    both = compare({"a": system(1, 1.0), "b": system(3, 1.0)}, "cov@risk0.4", method=FEW, rng=0)
    assert not any("Lower is better" in note for note in both.notes())


def test_several_comparisons_are_adjusted_for_their_number() -> None:
    systems = {name: system(at, 1.0, 120, 120) for at, name in enumerate("abcd")}
    result = compare(systems, "aurc", "risk@0.5", method=FEW, rng=0)
    assert result.together == 12
    for row in result:
        assert row.adjusted == pytest.approx(min(1.0, 12 * row.p_value), rel=1e-12)
    loose = compare(systems, "aurc", "risk@0.5", adjust="none", method=FEW, rng=0)
    assert [row.adjusted for row in loose] == [row.p_value for row in result]
    wide, narrow = ([high - low for low, high in map(ends, rows)] for rows in (result, loose))
    assert all(more >= less for more, less in zip(wide, narrow, strict=True))
    assert sum(wide) > 1.1 * sum(narrow)


def test_ends_and_p_values_count_the_same_comparisons_where_some_have_no_value() -> None:
    """Four comparisons, of which one is out of reach: all ends are at the level 1 − 0.05 / 4."""
    systems = {"eager": system(1, 1.0), "shy": system(2, 0.5)}
    result = compare(systems, coverages=[0.25, 0.75], method=FEW, rng=0)
    strict = replace(FEW, level=1.0 - 0.05 / 4)
    alone = compare(systems, coverages=[0.25, 0.75], adjust="none", method=strict, rng=0)
    assert result.together == 4
    for row, other in zip(result, alone, strict=True):
        assert ends(row) == pytest.approx(ends(other), nan_ok=True)
        if not row.reason:
            assert row.adjusted == pytest.approx(min(1.0, 4 * row.p_value), rel=1e-12)


# --------------------------------------------------------------------------- what is refused


def test_systems_must_have_the_same_items() -> None:
    with pytest.raises(InputError, match="'a' has 30 and 'c' has 20"):
        compare({"a": system(1, 1.0), "b": system(2, 1.0), "c": system(2, 1.0, 20, 20)}, rng=0)


@pytest.mark.parametrize("groups", [7, None])
def test_systems_must_have_the_same_clusters(groups: int | None) -> None:
    first = system(1, 1.0, groups=8)
    second = system(2, 1.0, groups=groups or 8)
    if groups is None:
        second = Predictions(second.confidence, second.loss, second.answered)
    for pair in ({"a": first, "b": second}, {"b": second, "a": first}):
        with pytest.raises(InputError, match="must have the same clusters, item by item"):
            compare(pair, rng=0)


def test_one_cluster_or_item_alone_is_an_error() -> None:
    with pytest.raises(InputError, match="a single cluster cannot be resampled"):
        compare({"a": system(1, 1.0, groups=1), "b": system(2, 1.0, groups=1)}, rng=0)
    with pytest.raises(InputError, match="a single item cannot be resampled"):
        compare({"a": Predictions([1], [0]), "b": Predictions([1], [1])}, rng=0)


def test_who_answers_nothing_is_named() -> None:
    result = compare({"a": system(1, 1.0), "mute": system(2, 0.0)}, rng=0)
    assert [str(row.metric) for row in result] == [
        "aurc(coverage='common')",
        "augrc(coverage='common')",
    ]
    assert {row.reason for row in result} == {"mute answered none of the items"}


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
        (3, "a metric is given by its name, .* got 3"),
        (None, "a metric is given by its name, .* got None"),
    ],
)
def test_a_metric_of_something_else_is_refused(metric: Any, words: str) -> None:
    with pytest.raises(WrongType, match=words):
        compare({"a": system(1, 1.0), "b": system(2, 1.0)}, metric, rng=0)


def test_there_is_no_default_seed() -> None:
    with pytest.raises(TypeError, match="rng"):
        compare({"a": system(1, 1.0), "b": system(2, 1.0)})  # type: ignore[call-arg]


# ------------------------------------------------------------------------------- printing


def some_result() -> Comparisons:
    names = ["<b>bold</b>", 'quo"te & co', "plain"]
    systems = {name: system(at, 1 - at / 4, groups=10) for at, name in enumerate(names)}
    return compare(systems, coverages=[0.25], method=FEW, rng=0)


def test_records_are_flat_and_go_through_json() -> None:
    result = some_result()
    assert len(result.to_dicts()) == 9
    for record, again in zip(result.to_dicts(), json.loads(result.to_json())["rows"], strict=True):
        assert all(type(value) in (str, float, int, type(None)) for value in record.values())
        assert record["difference"] == record["value"] - record["against"]
        assert record["covers"] == "population"
        assert again == {key: finite(value) for key, value in record.items()}


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
    text = some_result().explain()
    usual, _, footer = repr(some_result()).rpartition("\n\n")
    assert text.startswith(usual)
    assert "30 items" in footer
    words = " ".join(text.split())
    assert "30 items per pair." in words
    assert "Items are in 10 clusters." in words
    assert """Coverage: <b>bold</b> 1, quo"te & co 0.7333, plain 0.5.""" in words
    assert "Bayesian bootstrap with one unseen item or cluster, 200 draws" in text


def test_a_result_without_an_interval_says_so() -> None:
    data = system(1, 0.8)
    text = str(compare({"a": data, "b": data}, method=FEW, rng=0))
    assert "–" in text
    assert "nan to nan" not in text
    assert "a − b: every resample gives the same number" in " ".join(text.split())
