"""compare by aurc, risk@c and roc-auc: the same items, the same resamples, one verb."""

import math
import re
import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

import errbar
from errbar import Predictions, roc, selective
from errbar.cli import main
from errbar.errors import InputError
from errbar.kernels import resample
from errbar.metrics import RankedMetric, RocAuc, parse
from errbar.results.comparison import Comparison

Array = NDArray[Any]
SELECTIVE = ("aurc", "augrc", "e-aurc", "e-augrc", "risk@0.5", "cov@risk0.2", "aurc(coverage=0.5)")


def table(
    seed: int, system: str, questions: int = 60, trials: int = 1, answered: float = 1.0
) -> pl.DataFrame:
    """Outcomes with a confidence that has many ties."""
    rng = np.random.default_rng(seed)
    size = questions * trials
    outcome = (rng.random(size) < 0.65).astype(float)
    held = np.arange(size) < round(answered * size)
    return pl.DataFrame(
        {
            "system": [system] * size,
            "question": [f"q{at:03d}" for at in range(questions) for _ in range(trials)],
            "trial": np.tile(np.arange(trials), questions),
            "outcome": outcome,
            "confidence": np.round(outcome + rng.normal(size=size), 1),
            "status": np.where(rng.permutation(held), "ok", "abstained"),
        }
    )


def both(*tables: pl.DataFrame) -> pl.DataFrame:
    return pl.concat(tables)


def predictions(data: pl.DataFrame, cluster: str = "question") -> Predictions:
    """Predictions of these rows: an item costs 1 unless it is right."""
    outcome, held = data["outcome"].to_numpy(), (data["status"] == "ok").to_numpy()
    return Predictions(data["confidence"].to_numpy(), 1.0 - outcome, held, data[cluster].to_list())


def only(data: pl.DataFrame, *metrics: str, **more: Any) -> Comparison:
    (found,) = errbar.load(data).compare(*metrics, **more)
    return found


# Outcomes and predictions: two doors to the same numbers.


def same_rows(found: Any, expected: Any) -> None:
    """Equal numbers, names and words, row by row."""
    for row, other in zip(found, expected, strict=True):
        record, known = row.record(), other.record()
        assert record.keys() == known.keys()
        for name, value in known.items():
            assert record[name] == (
                pytest.approx(value, abs=1e-12, nan_ok=True) if type(value) is float else value
            ), name
    assert found.together == expected.together


@pytest.mark.parametrize("metrics", [("aurc",), SELECTIVE])
@pytest.mark.parametrize("trials", [1, 3])
def test_predictions_and_outcomes_give_the_same_comparisons(
    metrics: tuple[str, ...], trials: int
) -> None:
    """Values, deviations, ends, p-values, adjusted p-values and verdicts."""
    tables = {
        name: table(seed, name, trials=trials, answered=0.9) for seed, name in enumerate("abc")
    }
    found = errbar.load(both(*tables.values())).compare(*metrics)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        systems = {name: predictions(data) for name, data in tables.items()}
        expected = selective.compare(systems, *metrics, rng=0)
    assert type(found) is type(expected)
    assert found.together == 3 * len(metrics)
    assert all(row.questions == 60 * trials for row in found)
    same_rows(found, expected)


@pytest.mark.parametrize(
    "more", [{"adjust": "none"}, {"baseline": "b"}, {"margin": 0.1, "baseline": "a"}]
)
def test_predictions_and_outcomes_take_the_same_options(more: dict[str, Any]) -> None:
    tables = {name: table(seed, name) for seed, name in enumerate("abc")}
    found = errbar.load(both(*tables.values())).compare("aurc", "risk@0.5", **more)
    systems = {name: predictions(data) for name, data in tables.items()}
    same_rows(found, selective.compare(systems, "aurc", "risk@0.5", rng=0, **more))


def test_items_that_stand_alone_need_no_names_to_be_drawn_alike() -> None:
    tables = {name: table(seed, name, answered=0.7) for seed, name in enumerate("ab")}
    found = errbar.load(both(*tables.values())).compare("augrc(coverage='common')")
    nameless = {
        name: Predictions(each.confidence, each.loss, each.answered)
        for name, each in ((name, predictions(data)) for name, data in tables.items())
    }
    same_rows(found, selective.compare(nameless, "augrc(coverage='common')", rng=0))


@cache
def twenty_questions(seed: int) -> Predictions:
    return predictions(table(seed, "", 20, 3, answered=0.9))


@cache
def written_out() -> dict[str, list[float]]:
    """Differences by hand: of each resample of the items, copied as often as they are drawn."""
    metrics = {name: parse(name) for name in SELECTIVE}
    drawn = np.concatenate(list(resample.bootstrap_weights(20, 200, 60, np.random.default_rng(0))))
    differences: dict[str, list[float]] = {name: [] for name in SELECTIVE}
    for weights in drawn.astype(int):
        often = np.repeat(weights, 3)
        first, second = (
            Predictions(
                *(np.repeat(part, often) for part in (d.confidence, d.loss, d.answered))
            ).ranked()
            for d in (twenty_questions(1), twenty_questions(2))
        )
        for name, metric in metrics.items():
            assert isinstance(metric, RankedMetric)
            differences[name].append(metric.value(first) - metric.value(second))
    return differences


@pytest.mark.parametrize("name", SELECTIVE)
def test_two_systems_that_share_all_items_have_the_spread_of_items_written_out(name: str) -> None:
    systems = {"a": twenty_questions(1), "b": twenty_questions(2)}
    (found,) = selective.compare(systems, name, method=errbar.Bootstrap(200), rng=0)
    assert found.sd == pytest.approx(float(np.nanstd(written_out()[name], ddof=1)), abs=1e-12)


def test_values_are_those_of_each_system_alone() -> None:
    data = both(table(1, "a"), table(2, "b"))
    alone = {each.system: each.value for each in errbar.load(data).selective("aurc")}
    found = only(data, "aurc")
    assert (found.value, found.against) == pytest.approx((alone["a"], alone["b"]), abs=1e-12)


def test_clusters_of_a_column_are_drawn_whole() -> None:
    first, second = (
        table(seed, name).with_columns(cluster=pl.col("question").str.slice(0, 3))
        for seed, name in ((1, "a"), (2, "b"))
    )
    found = only(both(first, second), "aurc")
    systems = {"a": predictions(first, "cluster"), "b": predictions(second, "cluster")}
    (expected,) = selective.compare(systems, "aurc", rng=0)
    assert found.record() == expected.record()
    assert found.caution == "only 6 clusters"


# Numbers of ROC-AUC.


def labelled(questions: int = 60) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Two systems with the same outcomes."""
    first, second = table(1, "a", questions), table(2, "b", questions)
    return first, second.with_columns(outcome=first["outcome"])


def test_two_scores_of_the_same_labels_have_delong() -> None:
    first, second = labelled()
    expected = roc.compare_paired(
        first["confidence"].to_numpy(), second["confidence"].to_numpy(), first["outcome"].to_numpy()
    )
    found = errbar.load(both(first, second)).compare("roc-auc", assume="no rare failures")
    assert type(found) is type(expected)
    assert found.method == expected.method == "DeLong's covariance"
    renamed = replace(found, rows=(replace(found[0], first="first", second="second"),))
    same_rows(renamed, expected)


def test_several_of_them_are_adjusted_for_their_number() -> None:
    first, second = labelled()
    third = second.with_columns(system=pl.lit("c"), confidence=second["confidence"].reverse())
    runs = errbar.load(both(first, second, third))
    found = runs.compare("roc-auc", assume="no rare failures")
    scores = {each["system"][0]: each["confidence"].to_numpy() for each in (first, second, third)}
    labels = first["outcome"].to_numpy()
    for row in found:
        (pair,) = roc.compare_paired(
            scores[row.first], scores[row.second], labels, level=1 - 0.05 / 3
        )
        each = pair.interval
        assert row.interval.low == pytest.approx(min(each.low, row.interval.low))
        assert row.interval.high == pytest.approx(max(each.high, row.interval.high))
    loose = runs.compare("roc-auc", adjust="none", assume="no rare failures")
    assert loose[0].interval.low > found[0].interval.low
    assert loose[0].adjusted == loose[0].p_value


def test_rare_failures_leave_a_difference_of_areas_open() -> None:
    """The placements of 30 positives are those of a sample that misses one failure in thirty."""
    rng = np.random.default_rng(4)
    label = np.repeat([1.0, 0.0], 30)
    shared = rng.normal(size=60)
    first, second = shared + 1.5 * label, shared + 2.1 * label
    named = [
        table(1, name).with_columns(outcome=pl.Series(label), confidence=pl.Series(scores))
        for name, scores in (("a", first), ("b", second))
    ]
    found = only(both(*named), "roc-auc")
    assert (found.better, found.probably_better) == ("", "b")
    above = [np.mean(second[:30, None] > second[None, 30:], axis=1)]
    above.append(np.mean(first[:30, None] > first[None, 30:], axis=1))
    weights = rng.standard_exponential((20_000, 31))
    weights /= weights.sum(axis=1, keepdims=True)
    worst = weights @ np.append(above[0] - above[1], -1.0)  # b fails on an unseen positive
    assert np.quantile(worst, 0.025) < 0.0 < np.mean(above[0] - above[1])
    assert -found.interval.high <= np.quantile(worst, 0.025) + 0.002  # negatives only widen it


@pytest.mark.parametrize("metric", ["aurc", "risk@0.5"])
def test_a_comparison_holds_with_an_unseen_item_written_out(metric: str) -> None:
    """Weights of the Bayesian bootstrap, as copies in a thousandth each, of 12 items and one."""
    systems = {"a": predictions(table(1, "a", 12)), "b": predictions(table(2, "b", 12))}
    (found,) = selective.compare(systems, metric, rng=0)
    rng, chosen = np.random.default_rng(5), parse(metric)
    assert isinstance(chosen, RankedMetric)
    lowest = []
    for weights in rng.standard_exponential((400, 13)):
        often = np.maximum(np.rint(1000 * weights), 1).astype(int)
        numbers = [
            chosen.value(
                Predictions(
                    np.repeat([*data.confidence, 99.0], often), np.repeat([*data.loss, lost], often)
                ).ranked()
            )
            for data, lost in ((systems["a"], 0.0), (systems["b"], 1.0))
        ]
        lowest.append(numbers[0] - numbers[1])
    assert found.interval.low == pytest.approx(np.quantile(lowest, 0.025), abs=0.06)


@pytest.mark.parametrize("same_labels", [True, False])
def test_where_delong_is_not_for_clusters_are_drawn(same_labels: bool) -> None:
    """Against items written out as often as their question was drawn."""
    first, second = table(1, "a", 20, 3), table(2, "b", 20, 3)
    if same_labels:
        second = second.with_columns(outcome=first["outcome"])
    found = only(both(first, second), "roc-auc")
    drawn = np.concatenate(list(resample.bootstrap_weights(20, 2000, 60, np.random.default_rng(0))))
    gaps = [_area(first, weights) - _area(second, weights) for weights in drawn[:, :].astype(int)]
    assert found.sd == pytest.approx(float(np.nanstd(gaps, ddof=1)), abs=1e-12)
    assert found.difference == pytest.approx(_area(first, np.ones(20)) - _area(second, np.ones(20)))


def _area(data: pl.DataFrame, often: Sequence[int] | Array) -> float:
    each = np.repeat(np.asarray(often, dtype=int), 3)
    labels = np.repeat(data["outcome"].to_numpy(), each)
    if len(set(labels)) < 2:
        return math.nan
    return roc.roc_auc(np.repeat(data["confidence"].to_numpy(), each), labels)


def test_an_item_that_one_of_them_does_not_answer_is_still_an_item_of_the_other() -> None:
    first, second = table(1, "a", answered=0.8), table(2, "b")
    found = only(both(first, second), "roc-auc")
    held = first.filter(pl.col("status") == "ok")
    assert found.value == pytest.approx(
        roc.roc_auc(held["confidence"].to_numpy(), held["outcome"].to_numpy())
    )
    assert found.questions == 60


# Items.


def test_items_are_matched_by_question_and_trial_whatever_their_order() -> None:
    data = both(table(1, "a", trials=2), table(2, "b", trials=2))
    mixed = data.sample(fraction=1.0, shuffle=True, seed=3)
    for name in ("aurc", "roc-auc"):
        assert only(data, name).record() == only(mixed, name).record()


def test_items_that_one_system_lacks_are_left_out_and_counted() -> None:
    first, second = table(1, "a", trials=2), table(2, "b", trials=2)
    lacking = second.filter(
        (pl.col("question") != "q007") & ~((pl.col("question") == "q009") & (pl.col("trial") == 1))
    )
    kept = first.join(lacking.select("question", "trial"), on=["question", "trial"])
    for name in ("risk@0.5", "roc-auc"):
        found, expected = only(both(first, lacking), name), only(both(kept, lacking), name)
        assert (found.left_out, found.questions) == (3, 117)
        assert found.difference == pytest.approx(expected.difference, abs=1e-12)
        assert expected.left_out == 0
    shown = str(errbar.load(both(first, lacking)).compare("aurc"))
    assert "3 items left out, because only one of the two has them." in shown
    assert "; 117 items" in shown
    assert "win/tie/loss" not in shown


def test_every_pair_has_items_of_its_own() -> None:
    tables = [table(seed, name) for seed, name in enumerate("abc")]
    tables[2] = tables[2].filter(pl.col("question") < "q040")
    found = errbar.load(both(*tables)).compare("aurc")
    assert [row.questions for row in found] == [60, 40, 40]
    pair = only(both(*tables[:2]), "aurc")
    assert found[0].difference == pytest.approx(pair.difference, abs=1e-12)


def test_rows_that_no_trial_tells_apart_must_be_as_many() -> None:
    first, second = table(1, "a", trials=2).drop("trial"), table(2, "b", trials=2).drop("trial")
    numbered = only(both(table(1, "a", trials=2), table(2, "b", trials=2)), "aurc")
    assert only(both(first, second), "aurc").record() == numbered.record()
    with pytest.raises(InputError, match="'q000' has 2 rows of 'a' and 1 of 'b', and no trial"):
        errbar.load(both(first, second[1:])).compare("aurc")


def test_rows_kept_twice_are_trials_of_their_own() -> None:
    data = both(table(1, "a"), table(2, "b"))
    twice = errbar.load(both(data, data), repeats="keep").compare("roc-auc")
    assert twice[0].questions == 120
    assert twice[0].difference == pytest.approx(only(data, "roc-auc").difference, abs=1e-12)


@pytest.mark.parametrize("engine", ["pandas", "pyarrow", "duckdb", "csv", "text trials"])
def test_every_engine_matches_the_same_items(engine: str, tmp_path: Path) -> None:
    data = both(table(1, "a", trials=2), table(2, "b", trials=3))
    expected = only(data, "roc-auc").record()
    given: Any = data
    if engine == "pandas":
        given = data.to_pandas()
    elif engine == "pyarrow":
        given = data.to_arrow()
    elif engine == "duckdb":
        given = duckdb.sql("SELECT * FROM data")
    elif engine == "csv":
        data.write_csv(tmp_path / "data.csv")
        given = tmp_path / "data.csv"
    else:
        given = data.with_columns(trial=pl.format("run {}", "trial"))
    assert only(given, "roc-auc").record() == expected


def test_an_item_in_two_clusters_is_refused() -> None:
    first = table(1, "a").with_columns(cluster=pl.col("question"))
    second = table(2, "b").with_columns(
        cluster=pl.when(pl.col("question") == "q003").then(pl.lit("x")).otherwise("question")
    )
    with pytest.raises(InputError, match="'q003' is in a different cluster for 'b'"):
        errbar.load(both(first, second)).compare("aurc")


def test_systems_without_an_item_in_common_are_refused() -> None:
    second = table(2, "b").with_columns(question="other " + pl.col("question"))
    with pytest.raises(InputError, match="a − b aurc: they have no item in common"):
        errbar.load(both(table(1, "a"), second)).compare("aurc")


# What is said.


def test_less_risk_is_better_and_more_area_is() -> None:
    good = table(1, "good", 200).with_columns(confidence=pl.col("outcome") + pl.col("confidence"))
    bad = table(1, "bad", 200).with_columns(confidence=-pl.col("confidence"))
    for name in (*SELECTIVE[:5], "roc-auc"):
        found = only(both(good, bad), name)
        assert (found.first, found.verdict) == ("bad", "good is better"), name
        assert found.chance < 0.01
        assert found.adjusted < 0.05
    close = only(both(good, good.with_columns(system=pl.lit("near"))), "aurc", margin=0.1)
    assert close.reason.startswith("every resample gives the same number")
    assert close.verdict == "inconclusive"


def test_a_margin_tells_who_is_no_worse() -> None:
    data = both(table(1, "a", 400), table(2, "b", 400))
    found = only(data, "aurc", margin=0.5)
    assert found.no_worse > 0.99
    assert "as good as each other, within 0.5" in found.verdict


def test_intervals_hold_together_and_are_wider_for_it() -> None:
    data = both(*(table(seed, name) for seed, name in enumerate("abcd")))
    runs = errbar.load(data)
    joint, alone = runs.compare("aurc", "risk@0.5"), runs.compare("aurc", "risk@0.5", adjust="none")
    assert len(joint) == 12
    width = [
        (row.interval.high - row.interval.low) / (other.interval.high - other.interval.low)
        for row, other in zip(joint, alone, strict=True)
    ]
    assert min(width) >= 1.0
    assert 1.1 < float(np.mean(width)) < 1.6
    assert all(row.adjusted >= row.p_value for row in joint)


def test_simultaneous_intervals_hold_their_level() -> None:
    """Six differences of systems that are equally good: all of them are held, 95 % of the time."""
    held = 0
    for seed in range(12):
        data = both(*(table(10 * seed + at, name, 80) for at, name in enumerate("abcd")))
        found = errbar.load(data).compare("roc-auc", rng=seed)
        held += all(row.interval.low <= 0 <= row.interval.high for row in found)
    assert held >= 10  # fewer in 2 % of all runs


def test_against_a_baseline_and_of_some_systems() -> None:
    runs = errbar.load(both(*(table(seed, name) for seed, name in enumerate("abc"))))
    found = runs.compare("aurc", baseline="b")
    assert [(row.first, row.second) for row in found] == [("a", "b"), ("c", "b")]
    assert len(runs.compare("aurc", systems=["a", "c"])) == 1
    with pytest.raises(InputError, match="no system 'x'"):
        runs.compare("aurc", systems=["a", "x"])


def test_tasks_are_compared_one_by_one() -> None:
    data = both(*(table(seed, name) for seed, name in enumerate("ab")))
    tasks = both(*(data.with_columns(task=pl.lit(name)) for name in ("x", "y")))
    found = errbar.load(tasks).compare("aurc")
    assert [row.task for row in found] == ["x", "y"]
    assert found[0].difference == found[1].difference


def test_different_coverages_are_a_caution() -> None:
    data = both(table(1, "a", answered=0.5), table(2, "b", answered=0.9))
    found = only(data, "aurc")
    assert found.caution == "coverages differ, 0.5 and 0.9; aurc(coverage='common') is fair"
    assert only(data, "aurc(coverage='common')").caution == ""
    assert only(data, "aurc(coverage=0.3)").caution == ""
    some = re.fullmatch(
        r"undefined in (\d+\.\d)% of the resamples", only(data, "aurc(coverage=0.5)").caution
    )
    # Chance that a resample of 60 items answers fewer than 30, of which half are answered.
    fewer = sum(math.comb(60, answers) for answers in range(30)) / 2**60
    assert some is not None
    assert float(some[1]) == pytest.approx(100 * fewer, abs=3.5)
    assert "36 rows without an answer." in errbar.load(data).compare("aurc").remarks


def test_a_number_that_a_system_has_not_is_no_number() -> None:
    data = both(table(1, "a", answered=0.5), table(2, "b"))
    found = only(data, "risk@0.8")
    assert found.reason == "a answered 0.5 of the items"
    assert math.isnan(found.interval.low)
    assert found.verdict == "inconclusive"
    right = table(3, "c").with_columns(outcome=pl.lit(1.0))
    rows = errbar.load(both(data, right)).compare("roc-auc")
    assert [bool(row.reason) for row in rows] == [False, True, True]
    assert rows[1].reason == "c is always right, or always wrong"
    none = table(4, "d").with_columns(status=pl.lit("abstained"))
    assert only(both(table(1, "a"), none), "aurc").reason == "d answered none of the items"


@pytest.mark.parametrize(
    ("metrics", "more", "words"),
    [
        (("aurc", "pass@1"), {}, "aurc is compared by items and pass@1 by questions"),
        (("aurc",), {"estimand": "benchmark"}, "for the estimand 'population' only"),
        (("aurc",), {"level": 95}, "level"),
        (("aurc",), {"rng": -1}, "seed"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    metrics: tuple[str, ...], more: dict[str, Any], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        errbar.load(both(table(1, "a"), table(2, "b"))).compare(*metrics, **more)


def test_matrices_have_nothing_to_rank_by() -> None:
    with pytest.raises(InputError, match="no confidence to rank by"):
        errbar.load({"a": [[1, 0]], "b": [[0, 1]]}).compare("aurc")


def test_one_cluster_alone_is_refused() -> None:
    data = both(table(1, "a", 1, 9), table(2, "b", 1, 9))
    with pytest.raises(InputError, match="a single cluster cannot be resampled"):
        errbar.load(data).compare("aurc")


def test_no_kind_of_metric_is_left_out() -> None:
    assert {type(parse(name)) for name in SELECTIVE} == set(_all_below(RankedMetric))
    assert isinstance(parse("roc-auc"), RocAuc)


def _all_below(kind: type) -> list[type]:
    below: list[type] = kind.__subclasses__()
    return [leaf for each in below for leaf in (_all_below(each) or [each])]


# The command.


def test_the_commands_take_them_too(tmp_path: Path) -> None:
    both(table(1, "a", 100), table(2, "b", 100)).write_csv(tmp_path / "two.csv")
    file = str(tmp_path / "two.csv")
    shown = CliRunner().invoke(main, ["compare", file, "-m", "aurc,risk@0.5"])
    assert shown.exit_code == 0, shown.output
    assert "b − a    -0.087" in shown.output  # less risk is better, and b is first
    systems = ("--baseline-system", "a", "--system", "b")
    gated = CliRunner().invoke(main, ["gate", file, "-m", "roc-auc", "--max-drop", "0.9", *systems])
    assert gated.exit_code == 0, gated.output
    assert "100 items." in gated.output
    less = errbar.gate(
        table(1, "a", 100), table(2, "b", 100), "aurc", max_drop=0.001, inconclusive=0
    )
    assert less.verdict.value == "inconclusive"
    assert "items instead of 100" in less.rows[0].advice() or "too close" in less.rows[0].advice()
