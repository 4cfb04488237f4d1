"""The orchestrator adds nothing to the numbers: it groups, orders, and refuses with a name."""

import math
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from errbar import CategoryCounts, Counts, Posterior, Scores, parse
from errbar import eval as functions
from errbar.analysis.evaluate import score
from errbar.data.counts import States
from errbar.data.matrices import binary_counts
from errbar.errors import InputError, NotEnoughTrials, UnknownMetric, WrongType
from errbar.metrics import Average, CountMetric, MaxAt, PassAt, PassHat, Prior
from errbar.results.estimate import Estimand

NAMES = (
    "pass@4",
    "avg",
    "pass@2",
    "geom-ds@3",
    "pass^2",
    "bayes",
    "g-pass@4_0.5",
    "maj@3",
    "pass@1",
    "geo-spectrum@4",
    "max@2",
    "geom@2",
    "auc@4",
    "mg-pass@4",
    "spectrum@2(weights=[0.5, 0.25])",
)


def matrix(seed: int, questions: int = 30, trials: int = 6) -> NDArray[np.int64]:
    rng = np.random.default_rng(seed)
    return (rng.random((questions, trials)) < rng.random((questions, 1))).astype(np.int64)


MATRICES = {"small": matrix(0), "medium": matrix(1, questions=50), "large": matrix(2)}
SYSTEMS = {name: binary_counts(R) for name, R in MATRICES.items()}


@pytest.mark.usefixtures("short_chains")
def test_estimates_come_system_by_system_in_the_order_of_the_metrics() -> None:
    table = score(SYSTEMS, *NAMES)
    order = [(each.system, each.metric) for each in table]
    assert order == [(system, parse(name)) for system in SYSTEMS for name in NAMES]


def test_scores_equal_each_metric_of_each_system_on_its_own() -> None:
    for each in score(SYSTEMS, *NAMES, method="documented"):
        counts = SYSTEMS[each.system]
        assert isinstance(each.metric, CountMetric)
        assert each.value == pytest.approx(each.metric.point(counts), abs=1e-12)
        assert (each.mean, each.sd) == pytest.approx(each.metric.moments(counts), abs=1e-12)


@pytest.mark.parametrize(
    ("name", "function", "extra"),
    [
        ("pass@4", functions.pass_at_k_ci, (4,)),
        ("pass^2", functions.pass_hat_k_ci, (2,)),
        ("g-pass@4_0.5", functions.g_pass_at_k_tau_ci, (4, 0.5)),
        ("maj@3", functions.maj_at_k_ci, (3,)),
        ("geom@2", functions.geom_at_k_ci, (2,)),
        ("auc@4", functions.auc_at_k_ci, (4,)),
        ("max@2", functions.max_at_k_ci, (2,)),
    ],
)
def test_scores_equal_the_functions_on_matrices(name: str, function: Any, extra: Any) -> None:
    for each in score(SYSTEMS, name, method="documented"):
        found = (each.mean, each.sd, each.interval.low, each.interval.high)
        assert found == pytest.approx(function(MATRICES[each.system], *extra), abs=1e-12)


def test_intervals_are_mean_and_z_sd_within_the_range_of_the_metric() -> None:
    z = NormalDist().inv_cdf(0.95)
    weights = (-1.0, 0.0, 2.0)
    counts = CategoryCounts([[0, 0, 2], [0, 1, 3], [2, 0, 0]])
    for each in score(counts, MaxAt(2, weights), method=Posterior(level=0.9)):
        assert each.interval.low == pytest.approx(max(-1.0, each.mean - z * each.sd))
        assert each.interval.high == pytest.approx(min(2.0, each.mean + z * each.sd))
        assert each.interval.level == 0.9
        assert each.interval.covers is Estimand.BENCHMARK


def test_metrics_of_one_class_keep_their_own_ranges() -> None:
    counts = CategoryCounts([[0, 0, 9], [0, 0, 9]])
    both = (MaxAt(2, (0.0, 5.0, 10.0)), MaxAt(2, (0.0, 0.5, 1.0)))
    wide, narrow = score(counts, *both, method="documented")
    assert wide.interval.high > 9.0
    assert narrow.interval.high <= 1.0


def test_each_class_of_metrics_is_computed_once_for_all_systems(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[int] = []
    posterior = PassAt.posterior.__func__  # type: ignore[attr-defined]

    def counted(cls: type[PassAt], metrics: list[PassAt], data: Any, prior: Prior) -> Any:
        calls.append(len(metrics))
        return posterior(cls, metrics, data, prior)

    monkeypatch.setattr(PassAt, "posterior", classmethod(counted))
    score(SYSTEMS, "pass@1", "pass^2", "pass@2", "avg", "pass@4", method="documented")
    assert calls == [3]


def test_metrics_that_need_the_same_share_one_summary_of_the_data(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pooled: list[int] = []
    pool = States.of.__func__  # type: ignore[attr-defined]

    def counted(cls: type[States], systems: list[Counts]) -> States:
        pooled.append(len(systems))
        states: States = pool(cls, systems)
        return states

    monkeypatch.setattr(States, "of", classmethod(counted))
    score(SYSTEMS, "pass@1", "pass^2", "maj@3", "geom@2", method="documented")
    assert pooled == [3]


def test_a_metric_asked_twice_is_answered_twice() -> None:
    first, second = score(SYSTEMS["small"], "pass@2", PassAt(2))
    assert first == second


def test_counts_without_a_name_are_one_system_without_a_name() -> None:
    (each,) = score(SYSTEMS["small"], "pass@2")
    assert each.system == ""
    assert (each.questions, each.trials) == (30, 180)


def test_questions_with_unequal_trials_are_scored_as_they_are() -> None:
    ragged = Counts(trials=[2, 5, 9], correct=[1, 5, 0])
    (each,) = score(ragged, "pass@2")
    assert each.value == pytest.approx((1.0 + 1.0 + 0.0) / 3)
    assert each.trials == 16


@pytest.mark.usefixtures("short_chains")
def test_every_number_is_a_python_float() -> None:
    for each in score(SYSTEMS, *NAMES):
        numbers = (each.value, each.mean, each.sd, each.interval.low, each.interval.high)
        assert {type(number) for number in numbers} == {float}
        assert all(math.isfinite(number) for number in numbers)


def test_the_prior_of_the_method_is_used_and_named() -> None:
    prior = Prior(right=0.5, wrong=2.0)
    (each,) = table = score(SYSTEMS["small"], "pass@2", method=Posterior(prior=prior))
    assert (each.mean, each.sd) == pytest.approx(PassAt(2).moments(SYSTEMS["small"], prior))
    assert "Beta(0.5, 2) prior for every question" in table.method


def test_the_method_names_the_priors_that_were_used() -> None:
    prior = Prior(right=2.0, wrong=2.0, each=0.5)
    method = Posterior(prior=prior)
    assert "Beta(2, 2) prior" in method.describe([PassHat(2)])
    assert "Beta(0.5, 0.5) prior" in method.describe([MaxAt(2)])
    both = method.describe([PassHat(2), MaxAt(2, (0.0, 1.0, 2.0))])
    assert "Beta(2, 2) or Dirichlet(0.5, 0.5, 0.5) prior" in both
    assert "observed mean" in method.describe([Average()])


def test_results_are_scores_that_print_their_method() -> None:
    table = score(SYSTEMS, "pass@2")
    assert isinstance(table, Scores)
    assert "Bayesian bootstrap over questions" in " ".join(table.explain().split())
    flat = score(SYSTEMS, "pass@2", method="documented")
    assert "Beta(1, 1) prior for every question" in " ".join(flat.explain().split())


def test_more_draws_than_trials_names_the_system_the_question_and_what_to_do() -> None:
    short = Counts(trials=[8, 3], correct=[1, 1], questions=["q1", "q2"])
    with pytest.raises(NotEnoughTrials) as refused:
        score({"short": short}, "pass@4")
    assert str(refused.value) == (
        "short pass@4: needs 4 trials per question; 1 of 2 questions have fewer, the least 3 "
        "(question 'q2'); lower k to at most 3, or extrapolate with short='posterior'."
    )
    with pytest.raises(NotEnoughTrials, match=r"^pass@4: needs 4 trials"):
        score(short, "pass@4")
    with pytest.raises(NotEnoughTrials, match=r"short pass@4: .* \(and so for all 4\)\.$"):
        score({"short": short, "once": Counts([1], [1])}, "pass@4", "pass^5")


def test_a_system_with_too_few_trials_keeps_no_other_from_being_scored() -> None:
    fine, short = Counts([8], [2]), Counts([8, 3], [1, 1], ["q1", "q2"])
    found = score({"fine": fine, "short": short}, "pass@1", "pass@4")
    assert found[:2] == score({"fine": fine}, "pass@1", "pass@4")[:]
    assert found[2:3].estimates == score({"short": short}, "pass@1").estimates
    assert found[3].value != found[3].value
    assert "the least 3 (question 'q2')" in found[3].reason
    assert f"short pass@4: {found[3].reason}." in found.notes()


def test_a_system_without_questions_is_refused_by_name() -> None:
    with pytest.raises(InputError, match=r"empty avg: there is no question"):
        score({"empty": Counts([], [])}, "avg")


def test_a_question_without_trials_is_refused_even_where_a_prior_would_answer() -> None:
    with pytest.raises(NotEnoughTrials, match="bayes"):
        score({"mine": Counts([4, 0], [1, 0])}, "bayes")


def test_no_systems_and_no_metrics_say_what_to_give() -> None:
    with pytest.raises(InputError, match="no system to score; give one"):
        score({}, "pass@1")
    with pytest.raises(InputError, match=r"no metric .*score\(systems, 'pass@8'\)"):
        score(SYSTEMS)


def test_systems_whose_names_print_alike_are_refused_and_none_is_lost() -> None:
    counts = Counts([2], [1])
    assert [each.system for each in score({1: counts, 2: counts}, "avg")] == ["1", "2"]  # type: ignore[arg-type]
    with pytest.raises(InputError, match="same name"):
        score({1: counts, "1": counts}, "avg")  # type: ignore[arg-type]


def test_what_is_not_counts_is_refused_with_what_to_give() -> None:
    with pytest.raises(WrongType, match=r"system 'mine' must be given as errbar\.Counts"):
        score({"mine": [[0, 1], [1, 1]]}, "pass@1")  # type: ignore[arg-type]
    with pytest.raises(WrongType, match=r"systems must be counts by name.*got list"):
        score([[0, 1], [1, 1]], "pass@1")  # type: ignore[arg-type]


def test_metrics_in_a_list_are_refused_with_how_to_give_them() -> None:
    with pytest.raises(WrongType, match="a metric is given by its name"):
        score(SYSTEMS, ["pass@1", "pass@2"])  # type: ignore[arg-type]


def test_an_unknown_metric_is_refused_with_its_name() -> None:
    with pytest.raises(UnknownMetric, match="'psas@1'"):
        score(SYSTEMS, "psas@1")


def test_categories_under_a_right_or_wrong_metric_name_the_system() -> None:
    with pytest.raises(WrongType, match="graded pass@1: needs right-or-wrong"):
        score({"graded": CategoryCounts([[1, 2, 3]])}, "pass@1")
    weighted = "avg(weights=[0, 0.5, 1])"
    found = score({"graded": CategoryCounts([[1, 2, 3]])}, "pass@1", weighted)
    assert found[1:].estimates == score({"graded": CategoryCounts([[1, 2, 3]])}, weighted).estimates
    assert "right-or-wrong" in found[0].reason


def test_a_method_that_is_none_is_refused() -> None:
    with pytest.raises(WrongType, match=r"Calibrated\(level=0\.9\)"):
        score(SYSTEMS, "pass@1", method=0.9)  # type: ignore[arg-type]


@pytest.mark.parametrize("level", [0.0, 1.0, 95, -0.1, math.nan])
def test_a_level_outside_zero_to_one_is_refused(level: float) -> None:
    with pytest.raises(InputError, match="level must"):
        Posterior(level=level)


def test_a_level_in_percent_is_told_how_to_be_written() -> None:
    with pytest.raises(InputError, match=r"write level=0\.95"):
        Posterior(level=95)


@pytest.mark.parametrize("level", [True, "0.95", None])
def test_a_level_that_is_no_number_is_of_the_wrong_type(level: Any) -> None:
    with pytest.raises(WrongType, match="level must be a number"):
        Posterior(level=level)


@pytest.mark.parametrize(
    "trials",
    [{"right": 0.0}, {"wrong": -1.0}, {"each": math.inf}, {"right": math.nan}, {"wrong": 1e10}],
)
def test_a_prior_that_is_not_positive_or_far_too_large_is_refused(trials: dict[str, float]) -> None:
    with pytest.raises(InputError, match=r"prior\.(right|wrong|each)"):
        Prior(**trials)


def test_a_prior_of_another_kind_is_refused() -> None:
    with pytest.raises(WrongType, match=r"Prior\(right=1, wrong=1\)"):
        Posterior(prior=(1, 1))  # type: ignore[arg-type]
