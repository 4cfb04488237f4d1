"""Intervals that hold their level: what they promise for every metric, target and kind of data."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import errbar
from errbar import Calibrated, CategoryCounts, Counts, Posterior, score
from errbar import eval as functions
from errbar.analysis.evaluate import chosen_method
from errbar.analysis.methods import learned
from errbar.data.counts import CountsByState, States
from errbar.errors import InputError, WrongType
from errbar.kernels.bounded_mean import Sample, mean_ends
from errbar.metrics import AreaUnderPass, CountMetric, CreditMetric, PassAt, PassHat
from errbar.metrics.means import CategoryMetric
from errbar.page import ReportSettings, contents_of
from errbar.results.estimate import Estimand, Estimate, Interval
from errbar.results.gate import Verdict
from every_metric import COUNTED

TARGETS = list(Estimand)
BINARY = [metric for metric in COUNTED if metric.parts()]


def drawn(questions: int, trials: int, seed: int = 0) -> Counts:
    rng = np.random.default_rng(seed)
    return Counts(np.full(questions, trials), rng.binomial(trials, rng.beta(0.5, 0.5, questions)))


def estimate_of(
    counts: Counts | CategoryCounts, metric: CountMetric | str, **given: object
) -> Estimate:
    method = Calibrated(**given)  # type: ignore[arg-type]
    return score(counts, metric, method=method, short="posterior")[0]


def width(estimate: Estimate) -> float:
    return estimate.interval.high - estimate.interval.low


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("metric", BINARY, ids=str)
def test_every_metric_has_an_interval_within_bounds(metric: CountMetric, target: Estimand) -> None:
    found = estimate_of(drawn(25, 6), metric, estimand=target)
    low, high = metric.bounds
    assert found.interval.covers is target
    assert low <= found.interval.low <= found.interval.high <= high
    assert found.sd >= 0
    always_zero = not metric.joined(*(part.at_rates(np.array([0.5])) for part in metric.parts()))[0]
    assert width(found) > 0 or always_zero


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("right", [0, 4])
@pytest.mark.parametrize(
    "name", ["avg", "bayes", "pass@4", "pass^4", "maj@3", "geom-ds@2", "auc@4"]
)
def test_nothing_or_everything_right_is_no_certainty(
    name: str, right: int, target: Estimand
) -> None:
    found = estimate_of(Counts([4] * 10, [right] * 10), name, estimand=target)
    assert width(found) > 0
    assert found.interval.low == 0.0 or right
    assert found.interval.high > 0.999 or not right
    assert found.interval.low <= found.value + 1e-9
    assert found.value <= found.interval.high + 1e-9


def test_what_the_flat_prior_got_wrong_is_right() -> None:
    wrong = Counts([16] * 30, [0] * 30)
    assert functions.pass_at_k_ci(np.zeros((30, 16), dtype=int), 16)[0] > 0.48
    for target in TARGETS:
        found = estimate_of(wrong, "pass@16", estimand=target)
        assert found.interval.low == 0.0
        assert found.interval.high < 0.17
    right = estimate_of(Counts([1] * 200, [1] * 200), "bayes")
    assert (right.value, right.interval.high) == (1.0, 1.0)
    assert 0.97 < right.interval.low < 0.99


def test_targets_are_ordered_by_what_they_leave_open() -> None:
    counts = drawn(100, 16)
    benchmark, rerun, population = (
        width(estimate_of(counts, "pass@4", estimand=target))
        for target in ("benchmark", "rerun", "population")
    )
    assert benchmark < rerun < population


@pytest.mark.usefixtures("short_chains")
def test_the_same_again_to_the_bit_and_whatever_else_is_scored() -> None:
    counts, others = drawn(30, 8), {"b": drawn(40, 8, 1), "c": drawn(20, 4, 2)}
    for target in TARGETS:
        method = Calibrated(target)
        alone = score({"a": counts}, "pass@4", "geom@2", method=method)
        among = score({**others, "a": counts}, "pass@4", "geom@2", method=method)
        assert [replace(x) for x in among if x.system == "a"] == list(alone)
        assert list(score({"a": counts}, "pass@4", "geom@2", method=method)) == list(alone)


@pytest.mark.usefixtures("short_chains")
def test_a_score_does_not_depend_on_what_else_is_asked() -> None:
    counts = drawn(30, 8)
    for target in TARGETS:
        method = Calibrated(target)
        alone = score(counts, "geom@2", method=method)[0]
        assert score(counts, "geom@4", "pass@2", "geom@2", method=method)[2] == alone


@pytest.mark.usefixtures("short_chains")
def test_counts_by_state_are_the_same_data() -> None:
    counts = Counts([4, 4, 4, 2], [1, 1, 3, 0])
    pooled = CountsByState([2, 4, 4], [0, 1, 3], [1, 2, 1])
    for target in TARGETS:
        assert estimate_of(counts, "pass@2", estimand=target) == estimate_of(
            pooled, "pass@2", estimand=target
        )


def test_weights_of_two_categories_stretch_the_interval() -> None:
    counts = drawn(40, 8)
    plain, stretched = estimate_of(counts, "avg"), estimate_of(counts, "avg(weights=[3, 1])")
    ends = (3 - 2 * plain.interval.high, 3 - 2 * plain.interval.low)
    assert (stretched.interval.low, stretched.interval.high) == pytest.approx(ends)


@pytest.mark.parametrize("metric", [m for m in COUNTED if not m.parts()], ids=str)
def test_more_categories_have_an_interval_for_questions_like_these(metric: CountMetric) -> None:
    assert isinstance(metric, CategoryMetric)
    rng = np.random.default_rng(1)
    fitting = CategoryCounts(
        rng.multinomial(6, np.full(len(metric.weights), 1 / len(metric.weights)), 12)
    )
    found = estimate_of(fitting, metric)
    low, high = metric.bounds
    assert low <= found.interval.low < found.interval.high <= high
    refused = estimate_of(fitting, metric, estimand="benchmark")
    assert math.isnan(refused.interval.low)
    assert "'population'" in refused.reason


def test_clusters_of_equal_questions_count_once() -> None:
    once = CountsByState([4] * 4, [0, 1, 3, 4], [1] * 4)
    fivefold = CountsByState([4] * 4, [0, 1, 3, 4], [5] * 4, [0, 1, 2, 3])
    apart = CountsByState([4] * 4, [0, 1, 3, 4], [5] * 4)
    for name in ("avg", "pass@2"):
        few, together, many = (estimate_of(counts, name) for counts in (once, fivefold, apart))
        assert (together.interval.low, together.interval.high) == pytest.approx(
            (few.interval.low, few.interval.high), abs=1e-6
        )
        assert width(many) < 0.7 * width(together)
    assert width(estimate_of(fivefold, "geom@2")) > 1.3 * width(estimate_of(apart, "geom@2"))
    assert estimate_of(fivefold, "avg", estimand="benchmark") == estimate_of(
        apart, "avg", estimand="benchmark"
    )


def test_a_known_number_of_questions_leaves_less_to_chance() -> None:
    counts = drawn(100, 8)
    widths = [width(estimate_of(counts, "avg", questions_in_all=n)) for n in (100, 200, 10_000_000)]
    assert widths == sorted(widths)
    assert widths[0] == pytest.approx(
        width(estimate_of(counts, "avg", estimand="benchmark")), rel=0.05
    )
    assert widths[-1] == pytest.approx(width(estimate_of(counts, "avg")), rel=1e-4)
    with pytest.raises(InputError, match="100 questions were asked"):
        estimate_of(counts, "avg", questions_in_all=99)


def test_k_beyond_the_trials_widens_the_farther_it_goes() -> None:
    counts = drawn(60, 8)
    for target in ("population", "benchmark"):
        found = [estimate_of(counts, PassAt(k), estimand=target) for k in (8, 16, 32, 512)]
        assert [math.isnan(x.value) for x in found] == [False, True, True, True]
        means = [x.mean for x in found]
        assert means == sorted(means)
        widths = [width(x) for x in found]
        assert widths == sorted(widths)
        assert "exceeds the trials" in found[1].reason
    assert "has no pass@16" in estimate_of(counts, "pass@16", estimand="rerun").reason


def test_single_trials_bound_what_two_would_show() -> None:
    found = estimate_of(Counts([1] * 1000, [1, 0] * 500), "pass@2").interval
    low, high = 0.5, 0.75  # all solved or never solved; all at one half
    assert low - 0.05 < found.low < low
    assert high < found.high < high + 0.05


def test_one_trial_per_question_is_said_to_leave_the_two_apart() -> None:
    counts = Counts([1] * 50, [1] * 30 + [0] * 20)
    population, benchmark, rerun = (
        estimate_of(counts, "avg", estimand=target)
        for target in ("population", "benchmark", "rerun")
    )
    assert width(benchmark) == width(population) < width(rerun)
    assert "one trial per question" in benchmark.reason


def test_a_metric_that_falls_with_the_rate_mirrors_one_that_rises() -> None:
    correct = [0, 0, 1, 4, 6, 7, 8, 8, 8, 8]
    turned = Counts([8] * 10, [8 - c for c in correct])
    rising, falling = (
        np.mean(
            [
                (found.interval.low, found.interval.high)
                for found in (estimate_of(counts, name, seed=seed) for seed in range(5))
            ],
            axis=0,
        )
        for counts, name in (
            (turned, "max@16(weights=[0, 1])"),
            (Counts([8] * 10, correct), "max@16(weights=[1, 0])"),
        )
    )
    assert falling == pytest.approx(rising, abs=0.015)


@pytest.mark.parametrize("target", [Estimand.BENCHMARK, Estimand.RERUN])
def test_ends_reach_farther_where_few_of_many_questions_carry_the_uncertainty(
    target: Estimand,
) -> None:
    even = Counts([16] * 100, [8] * 100)
    (all_of_them,) = score(even, "avg", method=Calibrated(target))
    few = Counts([16] * 100, [16] * 97 + [3, 8, 10])
    (three_of_them,) = score(few, "avg", method=Calibrated(target))
    deviations = [
        (found.interval.high - found.interval.low) / found.sd
        for found in (all_of_them, three_of_them)
    ]
    assert deviations[0] < deviations[1]


def test_trial_noise_is_that_of_runs_of_known_rates() -> None:
    rng = np.random.default_rng(3)
    rates = rng.beta(0.5, 0.5, 300)
    runs = [Counts([8] * 300, rng.binomial(8, rates)) for _ in range(400)]
    (known,) = learned.DifficultyPosterior.of(runs[:1], [np.random.default_rng(1)])
    metrics: list[CreditMetric] = [PassAt(1), PassAt(4), PassHat(4), AreaUnderPass(3)]
    for metric in metrics:
        found = known.benchmark(metric, 0.95)
        assert found.mean == metric.point(runs[0])
        assert found.sd == pytest.approx(np.std([metric.point(run) for run in runs]), rel=0.15)


def test_ends_hardly_depend_on_the_seed() -> None:
    """With the first chains alone, the upper end moves by 2.8 % of the width."""
    right = [35, 58, 57, 54, 34, 60, 28, 55, 52, 57, 51, 63]
    counts = Counts([64] * 12, right)
    found = [
        score(counts, "pass^32", method=Calibrated(Estimand.BENCHMARK, seed=seed))[0].interval
        for seed in (0, 1)
    ]
    ends = np.array([(each.low, each.high) for each in found])
    assert np.ptp(ends, axis=0).max() < 0.02 * np.diff(ends).mean()


def test_other_metrics_beside_a_score_do_not_change_it() -> None:
    """Although they may need more chains, and share them."""
    counts = Counts([64] * 12, [35, 58, 57, 54, 34, 60, 28, 55, 52, 57, 51, 63])
    (alone,) = score(counts, "maj@63", method=Calibrated(Estimand.BENCHMARK))
    *_, after = score(counts, "pass^32", "maj@63", method=Calibrated(Estimand.BENCHMARK))
    assert after.interval == alone.interval


def test_noise_that_the_trials_do_not_determine_is_the_largest_possible() -> None:
    """Two trials determine E p and E p², and the variance of pass^2 depends on E p⁴."""
    counts = Counts([2] * 400, [2] * 361 + [1] * 38 + [0])  # as if all were at 0.95
    found = estimate_of(counts, "pass^2", estimand="benchmark")
    all_alike = math.sqrt(0.95**2 * (1.0 - 0.95**2) / 400)
    assert found.sd == pytest.approx(all_alike, rel=0.02)


@pytest.mark.parametrize("trials", [2, 16])
def test_nothing_solved_has_the_limit_of_clopper_and_pearson(trials: int) -> None:
    counts = Counts([trials] * 25, [0] * 25)
    for name, k in (("avg", 1), ("pass@2", 2)):
        found = estimate_of(counts, name, estimand="benchmark").interval
        assert found.low == 0.0
        assert found.high == pytest.approx(1.0 - 0.025 ** (k / (25 * trials)), rel=1e-3)
    mirrored = estimate_of(
        Counts([trials] * 25, [trials] * 25), "avg", estimand="benchmark"
    ).interval
    assert mirrored.high == 1.0
    assert mirrored.low == pytest.approx(0.025 ** (1 / (25 * trials)), rel=1e-3)


def test_nothing_solved_twice_may_hide_in_few_questions() -> None:
    """With pass^2 the worst case is a single question that is solved in most runs."""
    found = estimate_of(Counts([2] * 30, [0] * 30), "pass^2", estimand="benchmark").interval
    alone = (1.0 - 0.025**0.5) ** 2 / 30
    assert alone <= found.high < 1.5 * alone


@pytest.mark.parametrize("target", TARGETS)
def test_equal_weights_leave_nothing_open(target: Estimand) -> None:
    found = estimate_of(drawn(5, 4), "avg(weights=[1, 1])", estimand=target)
    assert (found.interval.low, found.interval.high, found.sd) == (1.0, 1.0, 0.0)
    assert "whatever the outcomes are" in found.reason


def test_one_question_with_many_trials_does_not_speak_for_the_others() -> None:
    counts = Counts([1] * 99 + [64], [0, 1] * 49 + [0, 3])
    found = estimate_of(counts, "avg", estimand="benchmark")
    assert found.reason.startswith("99 questions with a single trial")
    like_these = estimate_of(counts, "avg")  # which is what the single trials have
    assert width(found) == pytest.approx(0.99 * width(like_these), rel=0.05)


@pytest.mark.parametrize("level", [1e-12, 0.5, 0.9999, 1.0 - 1e-16])
@pytest.mark.parametrize("target", TARGETS)
def test_any_level_has_ends_in_their_order(target: Estimand, level: float) -> None:
    found = estimate_of(drawn(12, 4), "pass@2", estimand=target, level=level).interval
    assert 0.0 <= found.low <= found.high <= 1.0


def test_a_higher_level_is_never_narrower() -> None:
    counts = Counts([4] * 10, [0] * 10)
    for target in TARGETS:
        widths = [
            width(estimate_of(counts, "pass@4", estimand=target, level=level))
            for level in (0.2, 0.5, 0.8, 0.95, 0.99)
        ]
        assert widths == sorted(widths)


def test_the_switch_gives_the_documented_numbers() -> None:
    rng = np.random.default_rng(3)
    matrix = (rng.random((20, 6)) < rng.random((20, 1))).astype(int)
    counts = Counts([6] * 20, matrix.sum(axis=1))
    found = score(counts, "pass@4", method="documented")[0]
    mean, sd, low, high = functions.pass_at_k_ci(matrix, 4)
    assert (found.mean, found.sd) == pytest.approx((mean, sd))
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high))
    assert found.interval.covers is Estimand.BENCHMARK


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"estimand": "questions"}, InputError, "'population'"),
        ({"level": 95}, InputError, "level=0.95"),
        ({"questions_in_all": 0}, InputError, "1 at least"),
        ({"questions_in_all": 2.5}, WrongType, "whole number"),
        ({"seed": -1}, InputError, "0 at least"),
        ({"estimand": "rerun", "questions_in_all": 9}, InputError, "'population' only"),
    ],
)
def test_what_makes_no_sense_is_refused(
    given: dict[str, object], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        Calibrated(**given)  # type: ignore[arg-type]


def test_methods_are_chosen_by_name_or_value() -> None:
    assert chosen_method() == Calibrated()
    assert chosen_method("documented", level=0.9) == Posterior(level=0.9)
    assert chosen_method(estimand="rerun") == Calibrated(Estimand.RERUN)
    with pytest.raises(InputError, match="'benchmark'"):
        chosen_method("documented", estimand="population")
    with pytest.raises(WrongType, match="'calibrated'"):
        chosen_method("bayesian")


@pytest.mark.parametrize("target", ["population", "benchmark"])
def test_intervals_hold_the_truth_of_spiked_difficulty(target: str) -> None:
    rng = np.random.default_rng(11)
    held = dict.fromkeys(("avg", "pass@4", "pass^4"), 0)
    simulations = 10
    for _ in range(simulations):
        kind = rng.random(60)
        rates = np.where(kind < 0.3, 0.0, np.where(kind < 0.5, 1.0, rng.beta(2, 2, 60)))
        counts = Counts(np.full(60, 4), rng.binomial(4, rates))
        population = {"avg": 0.45, "pass@4": 0.2 + 0.5 * 6 / 7, "pass^4": 0.2 + 0.5 / 7}
        for estimate in score(counts, *held, method=Calibrated(Estimand(target))):
            metric = estimate.metric
            assert isinstance(metric, CountMetric)
            truth = (
                population[str(metric)]
                if target == "population"
                else float(metric.parts()[0].at_rates(rates).mean())
            )
            held[str(metric)] += estimate.interval.low <= truth <= estimate.interval.high
    # 10 intervals that hold in 95 % of the cases hold in fewer than 7 with a chance of 1e-3
    assert min(held.values()) >= 7


def test_a_rerun_may_show_the_bound() -> None:
    counts = Counts([4] * 10, [4] * 9 + [3])
    for name in ("pass@4", "maj@4", "g-pass@4(tau=0.5)", "pass@2"):
        assert estimate_of(counts, name, estimand=Estimand.RERUN).interval.high == 1.0
    wrong = Counts([4] * 10, [0] * 9 + [1])
    assert estimate_of(wrong, "pass^2", estimand=Estimand.RERUN).interval.low == 0.0


@pytest.mark.parametrize("name", ["avg(weights=[0, 1, 2])", "max@2(weights=[0, 1, 2])"])
def test_a_known_number_of_questions_narrows_categories_down_to_their_noise(name: str) -> None:
    rng = np.random.default_rng(4)
    shares = rng.dirichlet([0.3, 0.3, 0.3], 100)
    counts = CategoryCounts(np.array([rng.multinomial(16, share) for share in shares]))
    plain = estimate_of(counts, name)
    found = [estimate_of(counts, name, questions_in_all=n) for n in (100, 200, 10_000_000)]
    widths = [width(x) for x in found]
    assert widths[0] < widths[1] < 0.8 * widths[2]
    assert widths[2] == pytest.approx(width(plain), rel=1e-4)
    assert found[0].sd < found[1].sd < plain.sd
    metric = found[0].metric
    assert isinstance(metric, CategoryMetric)
    again = [
        metric.point(CategoryCounts(np.array([rng.multinomial(16, share) for share in shares])))
        for _ in range(400)
    ]
    assert found[0].sd > 0.9 * np.std(again)  # it is the noise of the trials, or more


def test_where_noise_cannot_be_told_a_known_number_of_questions_narrows_nothing_and_says_so() -> (
    None
):
    once = Counts([1] * 50, [1] * 30 + [0] * 20)
    categories = CategoryCounts([[1, 0, 0]] * 20 + [[0, 0, 1]] * 20)
    for counts, name in (
        (once, "avg"),
        (once, "geom@1"),
        (categories, "avg(weights=[0, 1, 2])"),
    ):
        plain, found = estimate_of(counts, name), estimate_of(counts, name, questions_in_all=60)
        assert (found.interval, found.sd) == (plain.interval, plain.sd)
        assert "questions_in_all has no effect" in found.reason
        assert not plain.reason


def test_the_description_says_what_was_done_with_one_trial_per_question() -> None:
    once, twice = Counts([1] * 9, [0, 1, 1] * 3), drawn(9, 2)
    assert (
        "difficulty distribution"
        in score(twice, "avg", method=Calibrated(Estimand.BENCHMARK)).method
    )
    alone = score(once, "avg", method=Calibrated(Estimand.BENCHMARK)).method
    assert alone == score(once, "avg").method
    assert "difficulty distribution" not in alone
    assert "√2" in score(once, "avg", method=Calibrated(Estimand.RERUN)).method
    both = score({"a": once, "b": twice}, "avg", method=Calibrated(Estimand.BENCHMARK)).method
    assert "difficulty distribution" in both
    assert "with one trial per question, Bayesian bootstrap" in both


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["avg", "bayes", "geom-ds@1", "avg(weights=[-3, 1])"])
@pytest.mark.parametrize("correct", [[0], [1], [0, 1], [1, 1]])
def test_no_sd_is_beyond_what_bounds_allow(correct: list[int], name: str, target: Estimand) -> None:
    found = estimate_of(Counts([1] * len(correct), correct), name, estimand=target)
    assert isinstance(found.metric, CountMetric)
    low, high = found.metric.bounds
    assert 0.0 < found.sd <= 0.5 * (high - low)


def test_the_sd_of_a_blend_is_that_of_one_distribution() -> None:
    counts = drawn(40, 8)
    found = estimate_of(counts, "geom-ds@2")
    rng = np.random.default_rng(1)
    values = []
    for _ in range(4000):  # questions drawn again, with putting back
        some = rng.integers(0, 40, 40)
        again = Counts(counts.trials[some], counts.correct[some])
        assert isinstance(found.metric, CountMetric)
        values.append(found.metric.point(again))
    assert found.sd == pytest.approx(np.std(values), rel=0.1)


HALF_OF_EIGHT = States.of([Counts([8], [4])])


@pytest.mark.parametrize(
    "name", ["avg", "pass@2", "maj@3", "maj@7", "auc@2", "geom-ds@2", "avg(weights=[3, 1])"]
)
def test_equal_questions_leave_open_what_one_unseen_question_can_be(name: str) -> None:
    """The weight of the unseen question among 31 is Beta(1, 30), whose quantiles are powers."""
    found = estimate_of(Counts([8] * 30, [4] * 30), name)
    assert isinstance(found.metric, CountMetric)
    weight = 1 - 0.025 ** (1 / 30)
    ends = []
    for side in (0, 1):
        parts = [
            np.array(
                (1 - weight) * part.subset_means([part], HALF_OF_EIGHT)[0][0]
                + weight * part.bounds[side]
            )
            for part in found.metric.parts()
        ]
        ends.append(float(found.metric.joined(*parts)))
    low, high = min(ends), max(ends)
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high), abs=0.002)
    assert 0.0 < found.sd < high - low


def test_spread_beyond_the_noise_of_trials_leaves_the_interval_to_the_questions() -> None:
    spread = drawn(30, 8)
    (values, often) = np.unique(spread.correct / 8, return_counts=True)
    low, high = mean_ends(Sample(values, np.ones(values.size), often.astype(float)), 0.95)
    assert estimate_of(spread, "avg").interval == Interval(low, high, 0.95, Estimand.POPULATION)


@pytest.mark.parametrize("target", ["benchmark", "rerun"])
@pytest.mark.parametrize("questions", [10, 50])
@pytest.mark.parametrize("level", [0.95, 0.999])
def test_another_seed_moves_no_end_by_a_fiftieth_of_the_width(
    target: str, questions: int, level: float
) -> None:
    counts = drawn(questions, 4)
    for name in ("avg", "pass@4", "geom@3"):
        given = {"estimand": target, "level": level}
        found = [estimate_of(counts, name, **given, seed=seed).interval for seed in range(3)]
        ends = np.array([(interval.low, interval.high) for interval in found])
        assert np.ptp(ends, axis=0).max() < 0.02 * np.ptp(ends, axis=1).mean()


def test_the_order_of_questions_does_not_change_the_last_digit_of_categories() -> None:
    rng = np.random.default_rng(6)
    tally = rng.multinomial(7, [0.2, 0.3, 0.5], 300)
    clusters = np.arange(300) // 3
    for name in ("avg", "bayes", "max@2"):
        metric = f"{name}(weights=[0.1, 0.7, 1.3])"
        for together in (None, clusters):
            first = estimate_of(CategoryCounts(tally, clusters=together), metric)
            for _ in range(5):
                order = rng.permutation(300)
                same = None if together is None else together[order]
                assert estimate_of(CategoryCounts(tally[order], clusters=same), metric) == first


@pytest.mark.parametrize(("number", "largest", "share"), [(5, 12, "45%"), (12, 5, "22%")])
def test_the_assumption_about_unseen_clusters_is_stated(
    number: int, largest: int, share: str
) -> None:
    correct = [0, 1, 1, 2, 0, 2] * 10
    counts = CountsByState([2] * 60, correct, [1] * 60, clusters=np.arange(60) % number)
    assert estimate_of(counts, "avg").reason == (
        f"assumes that no cluster has more than {largest} questions; a kind of cluster that makes "
        f"up {share} of all may be missing"
    )
    assert not estimate_of(counts, "avg", estimand="benchmark").reason


@pytest.mark.parametrize(("metric", "wrong"), [("pass^32", 1), ("avg", 1), ("avg", 3)])
def test_rare_errors_beside_questions_never_solved_reach_down_as_far_as_without_them(
    metric: str, wrong: int
) -> None:
    easy = [64] * (54 - wrong) + [63] * wrong
    alone, beside = (
        score(Counts([64] * len(right), right), metric, method=Calibrated(Estimand.BENCHMARK))[0]
        for right in (easy, easy + [0] * 6)
    )
    below = alone.value - alone.interval.low
    share = len(easy) / 60
    # the binomial sample of all 60 puts the end at 0.43 of this distance for pass^32, and at 0.39
    # and 0.59 for avg
    assert beside.value - beside.interval.low > 0.65 * share * below


@pytest.mark.parametrize(("level", "errors"), [(0.8, 2.303), (0.9, 2.996), (0.99, 5.298)])
def test_no_error_beside_questions_never_solved_leaves_open_as_many_as_without_them(
    level: float, errors: float
) -> None:
    counts = Counts([64] * 60, [64] * 54 + [0] * 6)
    (found,) = score(counts, "avg", method=Calibrated(Estimand.BENCHMARK, level))
    below = (found.value - found.interval.low) * 60 * 64
    assert below == pytest.approx(errors, rel=0.05)  # −log of the tail: a Poisson variable of 0


def clustered_runs(sizes: Sequence[int], right: Sequence[int]) -> errbar.Runs:
    """Clusters of single trials, of which the first are right."""
    return errbar.load(
        [
            {"question": f"{cluster}-{at}", "cluster": cluster, "outcome": int(at < right[cluster])}
            for cluster, size in enumerate(sizes)
            for at in range(size)
        ]
    )


def test_with_a_largest_cluster_the_unseen_one_is_as_large() -> None:
    sizes, right = np.array([3, 2, 5, 1, 4, 2]), np.array([2, 2, 1, 1, 3, 0])
    rng = np.random.default_rng(0)
    weights, unseen = rng.standard_exponential((200_000, 6)), 9 * rng.standard_exponential(200_000)
    total = weights @ sizes + unseen
    low = np.quantile(weights @ right / total, 0.025)
    high = np.quantile((weights @ right + unseen) / total, 0.975)
    (found,) = clustered_runs(sizes.tolist(), right.tolist()).score("avg", largest_cluster=9)
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high), abs=0.002)
    assert found.reason == "holds if no cluster has more than 9 questions, as given"
    (usual,) = clustered_runs(sizes.tolist(), right.tolist()).score("avg")
    assert found.interval.low < usual.interval.low < usual.interval.high < found.interval.high


def test_with_a_largest_cluster_the_interval_holds_where_no_large_one_was_drawn() -> None:
    """2% of clusters are thirty times as large, and fail: nearly half of all samples have none."""
    rng, held, usual = np.random.default_rng(1), 0, 0
    truth = 0.98 * 2 * 0.8 / (0.98 * 2 + 0.02 * 60)
    for _ in range(60):
        large = rng.random(40) < 0.02
        sizes = np.where(large, 60, 2)
        right = np.where(large, 0, rng.binomial(2, 0.8, 40))
        runs = clustered_runs(sizes.tolist(), right.tolist())
        for known in (None, 60):
            (found,) = runs.score("avg", largest_cluster=known)
            holds = found.interval.low <= truth <= found.interval.high
            held, usual = held + (holds and bool(known)), usual + (holds and not known)
    assert held == 60
    assert usual < 50


def test_a_largest_cluster_that_cannot_be_is_refused() -> None:
    runs = clustered_runs([3, 2], [1, 2])
    with pytest.raises(
        InputError, match="largest_cluster is 2, but a cluster in the data has 3 questions"
    ):
        runs.score("avg", largest_cluster=2)
    with pytest.raises(InputError, match="'population' only"):
        runs.score("avg", largest_cluster=5, estimand="benchmark")
    with pytest.raises(InputError, match="there is no column of clusters"):
        errbar.load({"a": np.ones((5, 2))}).score("avg", largest_cluster=5)
    with pytest.raises(InputError, match="largest_cluster= is for"):
        runs.score("avg", largest_cluster=5, method="documented")


def test_comparisons_and_ranks_take_a_largest_cluster_too() -> None:
    """One large cluster that was not drawn may turn a difference that all others agree on."""
    rows = [
        {"system": name, "question": f"{c}-{at}", "cluster": c, "outcome": int(at < right[c % 2])}
        for name, right in (("a", (2, 3)), ("b", (0, 1)))
        for c in range(24)
        for at in range(2 + c % 2)
    ]
    runs = errbar.load(rows)
    usual, known = runs.compare("avg")[0], runs.compare("avg", largest_cluster=200)[0]
    assert usual.better == "a"
    assert not known.better
    assert known.interval.low < 0.0 < usual.interval.low
    assert [row.worst_rank for row in runs.rank("avg")] == [1, 2]
    assert [row.worst_rank for row in runs.rank("avg", largest_cluster=200)] == [2, 2]
    said = "holds if no cluster has more than 200 questions, as given"
    assert any(said in note for note in runs.rank("avg", largest_cluster=200).remarks)
    (best, _), pair = runs.rank("avg", largest_cluster=200), known
    assert best.chance_best == pytest.approx(pair.chance, abs=0.015)
    assert best.chance_best < runs.rank("avg")[0].chance_best - 0.05
    gate = partial(errbar.gate, runs, runs, "avg", baseline_system="b", system="a", max_drop=0.02)
    assert gate().verdict is Verdict.PASS
    assert gate(largest_cluster=200).verdict is Verdict.INCONCLUSIVE
    change = gate(largest_cluster=200).rows[0].comparison.interval
    assert (change.low, change.high) == (known.interval.low, known.interval.high)
    page = contents_of(runs, ReportSettings(metrics=("avg",), largest_cluster=200))
    assert page.result("comparisons")[0].interval == known.interval
    assert page.result("ranks")[0].interval == best.interval
    assert page.result("scores")[0].interval == runs.score("avg", largest_cluster=200)[0].interval
    with pytest.raises(InputError, match="largest_cluster is 2, but a cluster"):
        contents_of(runs, ReportSettings(largest_cluster=2))
    with pytest.raises(InputError, match="applies to ranks by the mean only"):
        runs.rank("avg", by="borda", largest_cluster=200)
    sure = errbar.load([row | {"confidence": at % 7} for at, row in enumerate(rows)])
    with pytest.raises(InputError, match="not of a confidence"):
        sure.compare("aurc", largest_cluster=200)


@pytest.mark.parametrize(("trials", "questions", "never"), [(4, 10, 1), (16, 30, 1), (32, 30, 3)])
def test_ends_reach_as_far_as_those_of_any_method_that_holds(
    trials: int, questions: int, never: int
) -> None:
    """Rates p of the questions never solved, 1 of the others, give this run more often than α."""
    right = [0] * never + [trials] * (questions - never)
    counts = Counts([trials] * questions, right)
    for level in (0.8, 0.95, 0.99):
        for k in (1, 2, trials):
            ((cell,),) = Calibrated(Estimand.BENCHMARK, level).cells([counts], [PassAt(k)])
            rate = 1.0 - (1.0 - level) ** (1.0 / (trials * never))
            needed = 1.0 - never / questions * (1.0 - rate) ** k
            assert cell.interval.high >= needed
