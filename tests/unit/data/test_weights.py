"""Weights of questions: what a weighted mean is, how sure it is, and where weights are refused."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

import errbar
from conformance_engines import BACKENDS, ENGINES, Table
from errbar.analysis.evaluate import score
from errbar.base.remarks import above, on_command_line
from errbar.data.counts import CountsByState
from errbar.errors import InputError
from errbar.metrics import Average, Bayes, DatasetGeom, Geom, GeoSpectrum, MaxAt, PassAt, PassHat
from errbar.metrics.means import CategoryMetric, CountMetric
from every_metric import COUNTED
from exact import subset_mean

Weights = Sequence[Fraction]

WEIGHTS = [Fraction(each) for each in (1, 2, 0.5, 4, 0.25, 3, 1)]
RIGHT = [0, 1, 3, 5, 6, 2, 4]  # of each question, of six trials


def outcomes(right: int, trials: int = 6) -> list[int]:
    return [1] * right + [0] * (trials - right)


def frame(results: Sequence[Sequence[Any]], weights: Any, **more: Any) -> pl.DataFrame:
    """A row per trial; what is given by name is said of every question."""
    rows = [
        {"question": f"q{at:03}", "outcome": outcome, "weight": weight}
        | {name: values[at] for name, values in more.items()}
        for at, (trials, weight) in enumerate(zip(results, weights, strict=True))
        for outcome in trials
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


BINARY = frame([outcomes(right) for right in RIGHT], [float(w) for w in WEIGHTS])
GRADES = [[0, 1, 2, 2], [0, 0, 0, 1], [2, 2, 2, 2], [1, 1, 0, 2], [0, 2, 1, 1], [0] * 4, [1] * 4]
GRADED = frame(GRADES, [float(w) for w in WEIGHTS])


def weighted(values: Sequence[Fraction], weights: Weights = WEIGHTS) -> Fraction:
    total = sum((w * v for w, v in zip(weights, values, strict=True)), Fraction(0))
    return total / sum(weights, Fraction(0))


def each(metric: Any) -> list[Fraction]:
    """Every question by itself, subset by subset."""
    return [subset_mean(metric, [(6, right)]) for right in RIGHT]


def blended(metric: Geom | DatasetGeom | GeoSpectrum) -> float:
    if isinstance(metric, GeoSpectrum):
        first, second = each(PassAt(metric.k)), each(metric.spectrum)
        powers = metric.lam, 1.0 - metric.lam
    else:
        first, second = each(PassAt(metric.k)), each(PassHat(metric.k))
        powers = metric.pass_power, metric.unanimous_power
    if isinstance(metric, Geom):
        values = [
            float(a) ** powers[0] * float(b) ** powers[1]
            for a, b in zip(first, second, strict=True)
        ]
        weights = np.array([float(weight) for weight in WEIGHTS])
        return float(weights @ values / weights.sum())
    return float(weighted(first)) ** powers[0] * float(weighted(second)) ** powers[1]


def categorical(metric: CategoryMetric) -> float:
    rows = GRADES if len(metric.weights) > 2 else [outcomes(right) for right in RIGHT]
    worth = [[Fraction(metric.weights[each]) for each in row] for row in rows]
    if isinstance(metric, MaxAt):
        worth = [[max(draw) for draw in combinations(row, metric.k)] for row in worth]
    return float(weighted([sum(row, Fraction(0)) / len(row) for row in worth]))


# An interval of a weighted geom takes two seconds: one of them, whose powers differ.
SCORED = [each for each in COUNTED if not isinstance(each, Geom) or each.unanimous_power == 2.0]


@pytest.mark.parametrize("metric", SCORED, ids=str)
def test_the_score_is_the_weighted_mean_of_what_questions_come_to(metric: CountMetric) -> None:
    three = isinstance(metric, CategoryMetric) and len(metric.weights) > 2
    (found,) = errbar.load(GRADED if three else BINARY).score(metric)
    if isinstance(metric, CategoryMetric):
        expected = categorical(metric)
    elif isinstance(metric, Geom | DatasetGeom | GeoSpectrum):
        expected = blended(metric)
    else:
        expected = float(weighted(each(metric)))
    assert found.value == pytest.approx(expected, abs=1e-12)
    assert found.interval.low - 1e-9 <= found.mean <= found.interval.high + 1e-9


def test_votes_and_rewards_are_weighted_too() -> None:
    answers = [list("xxy"), list("yyx"), list("xyx")]
    rows = [
        {"question": q, "answer": a, "outcome": int(a == "x"), "weight": w}
        for q, (each_answer, w) in enumerate(zip(answers, (1.0, 2.0, 5.0), strict=True))
        for a in each_answer
    ]
    (found,) = errbar.load(pl.DataFrame(rows)).score("vote@3")
    assert found.value == pytest.approx((1 + 0 + 5) / 8)
    rewards = frame([[1.5, 2.5], [-1.0, 0.0], [4.0, 4.0]], [1, 2, 5])
    assert errbar.load(rewards).score("avg")[0].value == pytest.approx((2 - 0.5 * 2 + 4 * 5) / 8)


WHOLE = [1, 2, 1, 3, 2, 1, 2]
METRICS = ("avg", "pass@2", "pass^3", "geom-ds@2", "geo-spectrum@3")


@pytest.mark.parametrize("metric", METRICS)
def test_whole_weights_give_the_value_of_questions_that_occur_so_often(metric: str) -> None:
    results = [outcomes(right) for right in RIGHT]
    once = errbar.load(frame(results, WHOLE)).score(metric)[0]
    often = [row for row, weight in zip(results, WHOLE, strict=True) for _ in range(weight)]
    assert once.value == pytest.approx(errbar.load(often).score(metric)[0].value, abs=1e-12)


ASKED: dict[str, Callable[[errbar.Runs], Any]] = {
    "population": lambda runs: runs.score("avg", "pass@2", "geom-ds@2"),
    "benchmark": lambda runs: runs.score("avg", "pass@2", estimand="benchmark"),
    "rerun": lambda runs: runs.score("avg", "pass@2", estimand="rerun"),
    "beyond": lambda runs: runs.score("pass@8", short="posterior"),
    "compare": lambda runs: runs.compare("avg", "pass@2", "geom-ds@2"),
    "compare benchmark": lambda runs: runs.compare("pass@2", estimand="benchmark"),
    "rank": lambda runs: runs.rank("avg"),
    "rank benchmark": lambda runs: runs.rank("avg", estimand="benchmark"),
    "curve": lambda runs: runs.curve("pass@k"),
}
ALL_ASKED = ASKED | {"geom": lambda runs: runs.score("geom@2")}  # slow where weights differ


def two_systems(weights: Any, **more: Any) -> pl.DataFrame:
    parts = []
    for system, shift in (("a", 0), ("b", 1)):
        results = [outcomes(min(6, right + shift * (right % 2))) for right in RIGHT]
        table = frame(results, weights, **more)
        parts.append(table.with_columns(system=pl.lit(system)))
    return pl.concat(parts)


@pytest.mark.usefixtures("short_chains")
@pytest.mark.parametrize("asked", ALL_ASKED.values(), ids=ALL_ASKED)
@pytest.mark.parametrize("clustered", [False, True])
def test_equal_weights_are_no_weights(asked: Callable[[errbar.Runs], Any], clustered: bool) -> None:
    more = {"cluster": ["x", "x", "y", "y", "z", None, "w"]} if clustered else {}
    plain = asked(errbar.load(two_systems([1.0] * 7, **more), weight=None))
    same = asked(errbar.load(two_systems([0.3] * 7, **more)))
    assert repr(same.to_dicts()) == repr(plain.to_dicts())
    assert not any("weighted" in each for each in above(same.notes()))


@pytest.mark.usefixtures("short_chains")
@pytest.mark.parametrize("asked", ALL_ASKED.values(), ids=ALL_ASKED)
def test_the_scale_of_weights_changes_nothing(asked: Callable[[errbar.Runs], Any]) -> None:
    weights = np.array([float(weight) for weight in WEIGHTS])
    plain, scaled = (asked(errbar.load(two_systems(scale * weights))) for scale in (1.0, 1024.0))
    for mine, theirs in zip(plain.to_dicts(), scaled.to_dicts(), strict=True):
        for name, value in mine.items():
            if isinstance(value, float):
                assert theirs[name] == pytest.approx(value, rel=1e-9, abs=1e-12, nan_ok=True)


KINDS = {"system": "text", "question": "text", "trial": "whole", "outcome": "whole"}
KINDS |= {"weight": "number", "answer": "text", "cluster": "text"}


@pytest.mark.parametrize("engine", BACKENDS)
def test_every_backend_weighs_alike(engine: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    rows: list[tuple[Any, ...]] = []
    for system in "ab":
        for at, weight in enumerate((0.1, 2.5, 1e-3, 7.0, 2.5, 0.0)):
            drawn = rng.integers(2, size=3).tolist()
            rows += [
                (system, f"q{at}", trial, outcome, weight, "xy"[outcome], "cd"[at % 2])
                for trial, outcome in enumerate(drawn)
            ]
    runs = errbar.load(ENGINES[engine](Table(KINDS, rows).shuffled(len(engine)), tmp_path))
    table = pl.DataFrame(rows, schema=list(KINDS), orient="row")
    questions: list[Callable[[errbar.Runs], Any]] = [
        lambda runs: runs.score("avg", "pass@2", "vote@3", "avg(weights=[0, 0.5, 1])"),
        lambda runs: runs.compare("avg"),
    ]
    for asked in questions:
        assert repr(asked(runs).to_dicts()) == repr(asked(errbar.load(table)).to_dicts())
    found = {each.system: each.value for each in runs.score("avg")}
    for system in "ab":
        shares: dict[str, list[int]] = {}
        of_question = {row[1]: Fraction(row[4]) for row in rows}
        for row in rows:
            if row[0] == system:
                shares.setdefault(row[1], []).append(row[3])
        values = [Fraction(sum(share), len(share)) for share in shares.values()]
        expected = weighted(values, [of_question[name] for name in shares])
        assert found[system] == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.parametrize("engine", ["pandas inferred", "polars", "DuckDB view", "CSV", "Parquet"])
def test_tables_of_counts_have_weights_too(engine: str, tmp_path: Path) -> None:
    kinds = {"question": "text", "trials": "whole", "correct": "whole", "weight": "number"}
    rows = [("p", 4, 1, 3.0), ("q", 2, 2, 1.0), ("r", 4, 0, 0.0)]
    runs = errbar.load(ENGINES[engine](Table(kinds, rows), tmp_path))
    assert runs.score("avg")[0].value == pytest.approx((0.25 * 3 + 1.0) / 4)
    torn = [*rows, ("p", 4, 1, 2.0)]
    (tmp_path / "torn").mkdir()
    data = ENGINES[engine](Table(kinds, torn), tmp_path / "torn")
    with pytest.raises(InputError, match=r"question 'p' has the weights 2(\.0)? and 3"):
        errbar.load(data, repeats="keep").score("avg")


@pytest.mark.parametrize("engine", ["pandas inferred", "polars", "DuckDB view", "CSV", "Parquet"])
@pytest.mark.parametrize("counts", [False, True])
def test_weights_that_differ_between_systems_are_refused(
    engine: str, counts: bool, tmp_path: Path
) -> None:
    kinds = {"system": "text", "question": "text", "weight": "number"}
    kinds |= {"trials": "whole", "correct": "whole"} if counts else {"outcome": "whole"}
    result = (4, 1) if counts else (1,)
    rows = [("a", "p", 3.0, *result), ("a", "q", 1.0, *result)]
    agreeing = [*rows, ("b", "q", 1.0, *result), ("b", "p", 3.0, *result)]
    assert errbar.load(ENGINES[engine](Table(kinds, agreeing), tmp_path)).score("avg")
    (tmp_path / "torn").mkdir()
    torn = Table(kinds, [*agreeing[:3], ("b", "p", 2.0, *result)])
    runs = errbar.load(ENGINES[engine](torn, tmp_path / "torn"))
    with pytest.raises(InputError, match=r"question 'p' has the weight 2 for 'b' and 3 for 'a'"):
        runs.score("avg")


# How sure it is.


def test_a_question_that_weighs_much_makes_the_interval_wider() -> None:
    results = [outcomes(at % 7) for at in range(40)]
    even, uneven = (
        errbar.load(frame(results, weights)).score("avg")[0]
        for weights in ([1.0] * 40, [1.0] * 39 + [40.0])
    )
    assert uneven.sd > 2.0 * even.sd
    assert uneven.interval.high - uneven.interval.low > even.interval.high - even.interval.low


def test_the_interval_of_weighted_rewards_is_that_of_random_weights_with_one_unseen() -> None:
    rng = np.random.default_rng(2)
    values, weights = rng.normal(size=12), rng.lognormal(size=12)
    (found,) = errbar.load(frame([[v] for v in values], weights)).score("avg")
    mean = float(weights @ values / weights.sum())
    assert found.value == pytest.approx(mean)
    ordered = np.sort(values)
    bounds = 2 * ordered[0] - ordered[1], 2 * ordered[-1] - ordered[-2]
    totals, sizes = weights * values, weights
    ends = (found.interval.low, found.interval.high)
    assert ends == pytest.approx(_simulated_ends(totals, sizes, bounds), abs=0.02)
    clusters = [f"c{at // 3}" for at in range(12)]
    (found,) = errbar.load(frame([[v] for v in values], weights, cluster=clusters)).score("avg")
    totals, sizes = (each.reshape(4, 3).sum(axis=1) for each in (totals, sizes))
    ends = (found.interval.low, found.interval.high)
    assert ends == pytest.approx(_simulated_ends(totals, sizes, bounds), abs=0.02)


def _simulated_ends(
    totals: NDArray[np.float64], sizes: NDArray[np.float64], bounds: tuple[float, float]
) -> tuple[float, float]:
    """Quantiles of a ratio under exponential weights; the unseen size is a random question's."""
    rng = np.random.default_rng(5)
    weights = rng.standard_exponential((400_000, totals.size))
    unseen = rng.choice(sizes, 400_000, p=sizes / sizes.sum()) * rng.standard_exponential(400_000)
    low, high = (
        np.quantile((weights @ totals + bound * unseen) / (weights @ sizes + unseen), share)
        for bound, share in zip(bounds, (0.025, 0.975), strict=True)
    )
    return float(low), float(high)


def test_the_sd_of_a_comparison_is_that_of_the_weighted_differences() -> None:
    rng = np.random.default_rng(3)
    first, second = rng.integers(2, size=(2, 30))
    weights = rng.lognormal(size=30)
    tables = [
        frame([[v] for v in values.tolist()], weights).with_columns(system=pl.lit(name))
        for name, values in (("a", first), ("b", second))
    ]
    (found,) = errbar.load(pl.concat(tables)).compare("avg")
    apart = first - second
    mean = float(weights @ apart / weights.sum())
    unseen = float(weights @ weights**2 / weights.sum()) * (1 + abs(mean)) ** 2  # farther bound
    squares = float(np.square(weights * (apart - mean)).sum()) + unseen
    sd = math.sqrt(squares / 31 / 32) / weights.mean()
    assert (found.difference, found.sd) == pytest.approx((mean, sd))


@pytest.mark.parametrize("estimand", ["benchmark", "rerun"])
def test_weights_on_few_questions_leave_more_to_the_luck_of_trials(estimand: str) -> None:
    results = [outcomes(6), outcomes(0)] * 18 + [outcomes(3)] * 4
    even, uneven = (
        errbar.load(frame(results, weights)).score("avg", estimand=estimand)[0]
        for weights in ([1.0] * 40, [1.0] * 36 + [30.0] * 4)
    )
    assert uneven.sd > 2.0 * even.sd


def population(spread: float, link: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rates and weights: U-shaped difficulty tied by `link` to log weights, which are normal."""
    normal, other = np.random.default_rng(11).standard_normal((2, 200_000))
    rates = 1.0 / (1.0 + np.exp(-2.0 * (link * normal + math.sqrt(1 - link**2) * other)))
    return rates, np.exp(spread * normal)


def test_a_population_interval_holds_its_level() -> None:
    """Where heavy questions are easier; the study of coverage has other populations."""
    rng = np.random.default_rng(7)
    rates, weights = population(0.75, 0.6)
    truth = float(weights @ rates / weights.sum())
    held = []
    for _ in range(40):
        sample = rng.integers(rates.size, size=50)
        right, once = rng.binomial(4, rates[sample]), np.ones(50, dtype=int)
        counts = CountsByState(np.full(50, 4), right, once, None, weights[sample])
        (found,) = errbar.score(counts, "avg")
        held.append(found.interval.low <= truth <= found.interval.high)
    assert sum(held) >= 35  # fewer of 40 have a chance of 1.4 %


# What is said, and what is refused.


def test_the_column_is_named_above_the_numbers() -> None:
    runs = errbar.load(two_systems([float(weight) for weight in WEIGHTS]))
    for result in (runs.score("avg"), runs.curve("pass@k"), runs.compare("avg"), runs.rank("avg")):
        said = "Questions: weighted by 'weight' (weight=None to change)."
        assert said in above(result.notes())
    with on_command_line():
        remarks = above(runs.score("avg").remarks)
    assert "Questions: weighted by 'weight' (--map weight= to change)." in remarks
    assert "Questions weigh 0.25 to 4." in runs.inspect().notes()
    plain = errbar.load(two_systems([float(weight) for weight in WEIGHTS]), weight=None)
    assert not any("weighted" in remark for remark in plain.score("avg").remarks)


def test_a_weight_of_nothing_leaves_a_question_out_and_says_so() -> None:
    data = two_systems([0.0, *(float(weight) for weight in WEIGHTS[1:])])
    some = data.filter(pl.col("question") != "q000")
    for asked in ASKED.values():
        mine, fewer = (asked(errbar.load(each)) for each in (data, some))
        assert repr(mine.to_dicts()) == repr(fewer.to_dicts())
        assert any("1 question of weight 0 left out" in note for note in mine.notes())


REFUSED: dict[str, tuple[list[Any], str]] = {
    "two weights": ([1.0, 2.0], "question 'q' has the weights 1.0 and 2.0"),
    "negative": ([-1.0, -1.0], "question 'q' has the weight -1.0"),
    "infinite": ([math.inf, math.inf], "question 'q' has the weight inf"),
    "half": ([1.0, None], "question 'q' has the weight 1.0 in only 1 of its 2 rows"),
    "none": ([None, None], "question 'q' has no weight, while others have one"),
    "nan": ([math.nan, math.nan], "question 'q' has no weight, while others have one"),
}


# Every fault in NumPy's arrays and in SQL; elsewhere those that hang on how nothing is written.
_FAULTS = [
    *((engine, fault) for engine in ("pandas inferred", "CSV") for fault in REFUSED),
    *(("polars", "nan"), ("polars", "half"), ("pyarrow", "none"), ("DuckDB view", "nan")),
]


@pytest.mark.parametrize(("engine", "fault"), _FAULTS)
def test_a_faulty_weight_is_refused_by_name(engine: str, fault: str, tmp_path: Path) -> None:
    weights, words = REFUSED[fault]
    kinds = {"question": "text", "outcome": "whole", "weight": "number"}
    rows = [("p", 1, 1.0), ("p", 0, 1.0), *(("q", 1, weight) for weight in weights)]
    runs = errbar.load(ENGINES[engine](Table(kinds, rows), tmp_path))
    with pytest.raises(InputError) as caught:
        runs.score("avg")
    said = str(caught.value)
    assert words in said
    assert "column 'weight'" in said
    assert "ignore weights: weight=None" in said
    assert errbar.load(ENGINES[engine](Table(kinds, rows), tmp_path), weight=None).score("avg")


def test_weights_that_are_no_numbers_are_refused_by_name() -> None:
    with pytest.raises(InputError, match="'q001' has the weight 'heavy', which is not a number"):
        errbar.load(frame([[1], [0]], ["1", "heavy"])).score("avg")
    assert errbar.load(frame([[1], [0]], ["1", "3"])).score("avg")[0].value == 0.25


def test_a_slice_without_any_weight_is_refused() -> None:
    with pytest.raises(InputError, match="all questions have the weight 0"):
        errbar.load(frame([[1], [0]], [0.0, 0.0])).score("avg")


def test_a_column_without_any_weight_is_as_good_as_none() -> None:
    empty = frame([[1], [0]], [None, None])
    assert errbar.load(empty).score("avg")[0].value == 0.5
    assert errbar.load(empty.with_columns(pl.col("weight").cast(pl.Float64))).score("avg")


def test_systems_must_agree_on_the_weight_of_a_question() -> None:
    data = two_systems([float(weight) for weight in WEIGHTS])
    other = pl.when(pl.col("system") == "b").then(2.0).otherwise(pl.col("weight"))
    runs = errbar.load(data.with_columns(weight=other))
    for asked in (runs.compare, runs.rank):
        with pytest.raises(InputError, match="'q000' has the weight 1 for 'a' and 2 for 'b'"):
            asked("avg")
    baseline, candidate = (errbar.load(data.filter(pl.col("system") == name)) for name in "ab")
    assert errbar.gate(baseline, candidate, "avg", max_drop=0.5).rows
    lone = errbar.load(data.filter(pl.col("system") == "b"), weight=None)
    with pytest.raises(InputError, match="has the weight 1 for 'baseline' and none for"):
        errbar.gate(baseline, lone, "avg", max_drop=0.5)


NO_PLACE: dict[str, Callable[[errbar.Runs], Any]] = {
    "selective": lambda runs: runs.selective(),
    "roc": lambda runs: runs.roc(),
    "compare aurc": lambda runs: runs.compare("aurc"),
    "monitor": lambda runs: runs.monitor(above=0.5),
    "plan": lambda runs: errbar.plan("avg", pilot=runs, systems=["a"], width=0.1),
    "documented": lambda runs: runs.score("avg", method="documented"),
    "questions_in_all": lambda runs: runs.score("avg", questions_in_all=100),
}


@pytest.mark.parametrize("asked", NO_PLACE.values(), ids=NO_PLACE)
def test_weights_are_refused_where_they_have_no_meaning(
    asked: Callable[[errbar.Runs], Any],
) -> None:
    data = two_systems([float(weight) for weight in WEIGHTS]).with_columns(
        confidence=pl.int_range(pl.len()) / pl.len()
    )
    with pytest.raises(InputError, match=r"different weights.*weight=None"):
        asked(errbar.load(data))


def test_an_audit_says_that_weights_are_not_simulated() -> None:
    found = errbar.load(two_systems([float(weight) for weight in WEIGHTS])).score("avg", audit=True)
    assert any(
        remark.startswith("coverage, a: ") and "different weights" in remark
        for remark in found.remarks
    )
    assert all(math.isnan(each.coverage) for each in found)


def test_the_mean_of_an_interval_for_questions_like_these_is_the_score() -> None:
    scores = errbar.load(BINARY).score("avg", "pass@2", "maj@3", "geom-ds@2")
    assert [score.mean for score in scores] == [score.value for score in scores]
    assert "mean" not in str(scores).split("metric")[1].split("\n")[0]


def test_average_and_bayes_are_the_same_weighted_mean() -> None:
    average, bayes = errbar.load(BINARY).score(Average(), Bayes())
    assert average.value == pytest.approx(bayes.value, abs=1e-12)


def test_the_interval_of_a_weighted_geom_is_that_of_weighted_known_rates() -> None:
    """Of 2,000 trials each, the rates are known, and only the choice of questions is left."""
    right = np.array([40, 120, 400, 700, 1000, 1200, 1500, 1700, 1800, 1900, 1960, 1990])
    weights = np.array([8.0, 8, 8, 8, 1, 1, 1, 1, 1, 1, 1, 1])
    trials = np.full(right.size, 2000)
    once = np.ones(right.size, dtype=np.int64)
    counts = CountsByState(trials, right, once, None, weights)
    (found,) = score(counts, Geom(2))
    rates = right / 2000
    geometric = np.sqrt((1 - (1 - rates) ** 2) * rates**2)
    rng = np.random.default_rng(5)
    drawn = weights * rng.standard_exponential((100_000, right.size))
    unseen = rng.choice(weights, 100_000, p=weights / weights.sum())
    unseen *= rng.standard_exponential(100_000)
    total = drawn.sum(axis=1) + unseen
    low = np.quantile(drawn @ geometric / total, 0.025)
    high = np.quantile((drawn @ geometric + unseen) / total, 0.975)
    assert found.interval.low == pytest.approx(low, abs=0.01)
    assert found.interval.high == pytest.approx(high, abs=0.01)
