"""`runs.compare`: whatever holds the outcomes, and whichever questions two systems share."""

import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

import errbar
from conformance_engines import BACKENDS, ENGINES, Table
from errbar.base.remarks import above
from errbar.errors import ErrbarError, InputError, NotEnoughTrials
from errbar.metrics import Average, Bayes, CountMetric, MaxAt
from errbar.metrics.means import CategoryMetric
from errbar.results.comparison import Comparison
from errbar.results.comparisons import Comparisons
from every_metric import COUNTED

A = [[1, 1, 0, 1], [0, 0, 1, 0], [1, 1, 1, 1], [1, 0, 1, 1], [0, 1, 1, 0], [1, 1, 1, 0]]
B = [[0, 1, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1], [1, 0, 0, 1], [0, 0, 1, 0], [1, 0, 1, 0]]
IDS = [f"{at}" for at in range(6)]


def frame(**systems: list[list[Any]]) -> pd.DataFrame:
    """A row per trial; a question that a system does not have is an empty list."""
    rows = [
        (system, IDS[at], trial, outcome)
        for system, questions in systems.items()
        for at, outcomes in enumerate(questions)
        for trial, outcome in enumerate(outcomes)
    ]
    return pd.DataFrame(rows, columns=["system", "question", "trial", "outcome"])


def only(found: Comparisons) -> Comparison:
    (comparison,) = found
    return comparison


def numbers(comparison: Comparison) -> list[Any]:
    """Everything that it says, bit by bit."""
    return [repr(value) for value in comparison.record().values()]


def counts_table() -> pd.DataFrame:
    rows = [
        (system, IDS[at], len(outcomes), sum(outcomes))
        for system, questions in (("a", A), ("b", B))
        for at, outcomes in enumerate(questions)
    ]
    return pd.DataFrame(rows, columns=["system", "question", "trials", "correct"])


def as_csv(place: Path) -> Path:
    frame(a=A, b=B).to_csv(place / "outcomes.csv", index=False)
    return place / "outcomes.csv"


def as_counts(_: Path) -> dict[str, errbar.Counts]:
    return {
        name: errbar.Counts([4] * 6, [sum(row) for row in matrix], IDS)
        for name, matrix in (("a", A), ("b", B))
    }


SOURCES: dict[str, Callable[[Path], Any]] = {
    "arrays": lambda _: {"a": np.array(A), "b": np.array(B)},
    "DataFrame": lambda _: frame(a=A, b=B),
    "CSV": as_csv,
    "table of counts": lambda _: counts_table(),
    "Counts": as_counts,
    "DuckDB": lambda _: duckdb.connect().from_df(frame(a=A, b=B)),
}


@pytest.mark.parametrize("kind", SOURCES)
def test_every_kind_of_source_gives_the_same(kind: str, tmp_path: Path) -> None:
    found = only(errbar.load(SOURCES[kind](tmp_path)).compare("pass@2"))
    same = only(errbar.load({"a": A, "b": B}).compare("pass@2"))
    assert numbers(found) == numbers(same)


def test_a_kind_that_a_sample_may_miss_is_one_of_clusters_if_there_are_some() -> None:
    """Fourteen clusters of ten questions say less of rare kinds than 140 questions."""
    rng = np.random.default_rng(4)
    rates = {"a": 0.5, "b": 0.8}
    rows = [
        {"system": name, "question": at, "cluster": at // 10, "outcome": int(rng.random() < rate)}
        for name, rate in rates.items()
        for at in range(140)
    ]
    (row,) = found = errbar.compare([*rows])
    assert (row.sampled, row.questions) == ((14, "cluster"), 140)
    note = next(note for note in found.notes() if note.startswith("Probably better"))
    assert "A kind of cluster that makes up 19% of all is missing from one in twenty" in note
    assert "one unseen cluster at the bound" in found.method
    alone = errbar.compare([row | {"cluster": None} for row in rows])[0]
    assert alone.sampled == (140, "question")


def test_by_hand() -> None:
    comparison = only(errbar.load({"a": A, "b": B}).compare("avg"))
    apart = [(sum(a) - sum(b)) / 4 for a, b in zip(A, B, strict=True)]
    assert apart == [0.5, 0.25, 0.0, 0.25, 0.25, 0.25]
    assert (comparison.value, comparison.against, comparison.difference) == (16 / 24, 10 / 24, 0.25)
    assert (comparison.wins, comparison.ties, comparison.losses, comparison.questions) == (
        5,
        1,
        0,
        6,
    )
    # An unseen loss of weight E outweighs the rest with the chance E exp(−Σ g·d) = Π 1/(1 + d).
    tail = 1 / math.prod(1 + each for each in apart)
    assert comparison.p_value == pytest.approx(2 * tail, rel=1e-5)
    assert comparison.adjusted == comparison.p_value
    assert comparison.chance == pytest.approx(0.5 * (1 - tail) + 0.5, rel=1e-5)  # nothing is lost
    score = 1.5 / math.sqrt(0.25 + 4 / 16)
    assert comparison.probable == pytest.approx(math.erfc(score / math.sqrt(2)), abs=1e-15)
    squares = sum((each - 0.25) ** 2 for each in [*apart, -1.0])
    assert comparison.sd == pytest.approx(math.sqrt(squares / 7 / 8), abs=1e-15)


TABLE = Table(
    {"system": "text", "task": "text", "question": "text", "trial": "whole", "outcome": "whole"},
    [
        (system, task, f"{task} {at}", trial, int((7 * at + 3 * trial + 5 * number) % 11 > 4))
        for number, system in enumerate(("x", "y'", 'z "1"'))
        for task in ("t", "u")
        for at in range(number, 12)
        for trial in range(3 + (at + number) % 2)
    ],
)


def test_engines_agree_and_the_order_of_rows_is_of_no_account(tmp_path: Path) -> None:
    asked = ("pass@2", "geom-ds@3", "avg")
    known = errbar.load(ENGINES["pandas inferred"](TABLE, tmp_path)).compare(*asked)
    assert len(known) == 18
    for engine in BACKENDS:
        found = errbar.load(ENGINES[engine](TABLE.shuffled(5), tmp_path)).compare(*asked)
        assert list(map(numbers, found)) == list(map(numbers, known)), engine
    assert [each.left_out for each in known[:3]] == [1, 2, 1]


TWO_WEIGHTS = (Average((0.2, 0.7)), Bayes((0.2, 0.7)), MaxAt(2, (0.2, 0.7)), MaxAt(3, (0.7, 0.2)))


@cache
def overlapping(kinds: int) -> tuple[errbar.Runs, errbar.Runs]:
    """Two systems that share 12 of their 16 questions, and the same with those questions alone."""
    rng = np.random.default_rng(8)
    a, b = (rng.integers(0, kinds, (20, 6)).tolist() for _ in "ab")
    rows = pd.concat(
        pd.DataFrame(
            [(name, f"{at}", t, y) for at, row in some for t, y in enumerate(row)],
            columns=["system", "question", "trial", "outcome"],
        )
        for name, some in (("a", list(enumerate(a))[:16]), ("b", list(enumerate(b))[4:]))
    )
    common = rows[rows["question"].isin([f"{at}" for at in range(4, 16)])]
    return errbar.load(rows), errbar.load(common)


@pytest.mark.parametrize("metric", [*COUNTED, *TWO_WEIGHTS], ids=str)
def test_the_difference_is_that_of_the_scores_on_common_questions(metric: CountMetric) -> None:
    kinds = len(metric.weights) if isinstance(metric, CategoryMetric) else 2
    runs, common = overlapping(kinds)
    comparison, (first, second) = only(runs.compare(metric)), common.score(metric)
    assert (comparison.questions, comparison.left_out) == (12, 8)
    assert comparison.value == pytest.approx(first.value, abs=1e-12)
    assert comparison.against == pytest.approx(second.value, abs=1e-12)
    assert comparison.difference == pytest.approx(first.value - second.value, abs=1e-12)
    low, high = metric.bounds
    if low == high:  # mg-pass@1 is 0 whatever the outcomes are
        assert comparison.reason.startswith("nothing varies")
    else:
        assert (
            low - high
            <= comparison.interval.low
            <= comparison.difference
            <= comparison.interval.high
            <= high - low
        )
    assert comparison.wins + comparison.ties + comparison.losses == 12


@pytest.mark.parametrize("name", ["geom-ds@2", "geo-spectrum@3", "pass@2", "avg"])
def test_questions_that_went_the_same_are_ties_for_blends_too(name: str) -> None:
    changed = [A[0], A[1], A[2], A[3], A[4], B[5]]
    comparison = only(errbar.load({"a": A, "b": changed}).compare(name))
    assert (comparison.wins, comparison.ties, comparison.losses) == (1, 5, 0)


def test_ragged_trials_count_each_question_once() -> None:
    ragged = [row[: 2 + at % 3] for at, row in enumerate(A)]
    comparison = only(errbar.load(frame(a=ragged, b=B)).compare("avg"))
    means = [sum(row) / len(row) for row in ragged]
    assert comparison.value == pytest.approx(sum(means) / 6, abs=1e-15)
    said = r"a has no pass@3: needs 3 trials .*; 2 of 6 .* the least 2 \(question '0'\)"
    with pytest.raises(NotEnoughTrials, match=said):
        errbar.load(frame(a=ragged, b=B)).compare("pass@3")
    found = errbar.load(frame(a=ragged, b=B)).compare("pass@3", short="drop")
    assert (found[0].questions, found[0].left_out) == (4, 2)
    assert "a: pass@3 leaves out 2 questions with fewer than 3 trials." in found.notes()
    with pytest.raises(NotEnoughTrials, match="needs 5 trials per question; the most are 4"):
        errbar.load(frame(a=ragged, b=B)).compare("pass@5", short="drop")


def test_questions_that_one_system_lacks_are_left_out_and_reported() -> None:
    found = errbar.load(frame(a=[*A[:4], [], []], b=[[], *B[1:]])).compare("avg")
    assert (found[0].questions, found[0].left_out) == (3, 3)
    assert "3 questions left out, because only one of the two has them." in found.notes()


class TestRowsWithoutAResult:
    DATA = frame(a=[*A[:4], [1, None, 1, 0], [None] * 4], b=B)

    def test_they_count_as_wrong(self) -> None:
        found = errbar.load(self.DATA).compare("avg")
        assert found[0].value == pytest.approx((3 + 1 + 4 + 3 + 2) / 24)
        assert any("a: 5 of 24 rows have no outcome" in note for note in found.notes())

    def test_or_are_left_out_and_a_question_without_any_is_reported(self) -> None:
        found = errbar.load(self.DATA).compare("avg", errors="missing")
        assert found[0].value == pytest.approx((3 / 4 + 1 / 4 + 1 + 3 / 4 + 2 / 3) / 5)
        assert found[0].left_out == 1
        assert "a: 1 question left out for lack of a result." in found.notes()

    def test_of_rewards_likewise(self) -> None:
        rewards = self.DATA.assign(outcome=self.DATA["outcome"] * 2.5)
        found = errbar.load(rewards).compare("avg", errors="missing")
        assert found[0].left_out == 1
        assert "a: 1 question left out for lack of a result." in found.notes()


class TestClusters:
    def test_a_cluster_for_every_question_is_none(self) -> None:
        plain = frame(a=A, b=B)
        own = plain.assign(cluster="c" + plain["question"])
        assert numbers(errbar.load(own).compare("avg")[0]) == numbers(
            errbar.load(plain).compare("avg")[0]
        )

    def test_clusters_are_the_sample(self) -> None:
        data = frame(a=A, b=B)
        data["cluster"] = data["question"].astype(int) // 2
        found = errbar.load(data).compare("avg")
        totals = np.array([0.75, 0.25, 0.5])
        tail = 1 / np.prod(1 + totals / 2)  # an unseen cluster has two questions, too
        assert found[0].p_value == 1.0 < 2 * tail
        assert found[0].chance == pytest.approx(1 - 0.5 * tail, rel=1e-5)
        score = totals.sum() / math.sqrt(totals @ totals)
        assert found[0].probable == pytest.approx(math.erfc(score / math.sqrt(2)), abs=1e-15)
        assert found[0].questions == 6
        assert "paired by cluster" in found.method
        narrow = errbar.load(data).compare("avg", assume="no rare failures")
        assert narrow[0].caution == "only 3 clusters"

    def test_systems_must_agree_on_them(self) -> None:
        data = frame(a=A, b=B)
        data["cluster"] = data["question"].astype(int) // 2 + (data["system"] == "b")
        with pytest.raises(InputError, match=r"question '0' has the cluster '0' for 'a' and"):
            errbar.load(data).compare("avg")

    def test_one_cluster_says_nothing_of_others(self) -> None:
        comparison = only(errbar.load(frame(a=A, b=B).assign(cluster="c")).compare("avg"))
        # A weight B, uniform, on its mean of 0.25, and 1 − B on an unseen cluster at −1 or 1.
        ends = (0.025 * 0.25 - 0.975, 0.025 * 0.25 + 0.975)
        assert (comparison.interval.low, comparison.interval.high) == pytest.approx(ends, abs=1e-4)
        assert comparison.verdict == "inconclusive"


class TestRewards:
    def test_they_have_no_bounds(self) -> None:
        rng = np.random.default_rng(2)
        a, b = rng.normal(40.0, 10.0, (2, 30, 3)).round(3)
        comparison = only(errbar.load({"a": a, "b": b}).compare("avg"))
        assert comparison.difference == pytest.approx(a.mean() - b.mean(), abs=1e-12)
        assert comparison.interval.low < comparison.difference < comparison.interval.high

    def test_of_one_system_alone_make_the_others_rewards_too(self) -> None:
        data = {"a": np.array(A) * 0.5, "b": np.array(B)}
        for estimand in ("population", "benchmark", "rerun"):
            comparison = only(errbar.load(data).compare("avg", estimand=estimand))
            assert comparison.difference == pytest.approx(8 / 24 - 10 / 24)

    def test_small_ones_differ_and_large_ones_only_by_more_than_rounding(self) -> None:
        for scale in (1e-14, 1.0, 1e14):
            a, b = (np.array(matrix) * 0.5 * scale for matrix in (A, B))
            comparison = only(errbar.load({"a": a, "b": b}).compare("avg"))
            assert (comparison.wins, comparison.ties, comparison.losses) == (5, 1, 0)

    def test_trials_that_agree_do_not_make_anything_certain(self) -> None:
        data = {"a": [[0.5] * 3] * 12, "b": [[0.25] * 3] * 12}
        comparison = only(errbar.load(data).compare("avg", estimand="benchmark"))
        assert comparison.reason.startswith("nothing varies")
        assert math.isnan(comparison.interval.low)
        assert math.isnan(comparison.p_value)

    def test_one_trial_each_says_nothing_of_these_very_questions(self) -> None:
        data = {"a": [[0.5], [1.5]], "b": [[0.25], [0.5]]}
        with pytest.raises(InputError, match="estimand='population'"):
            errbar.load(data).compare("avg", estimand="benchmark")


class TestVotes:
    ROWS = pd.DataFrame(
        [
            (system, f"{at}", trial, answer, int(answer == "x"))
            for system, questions in (
                ("a", ["xxy", "xyz", "yyy", "xxx", "xyx"]),
                ("b", ["xyy", "yyz", "yyy", "xxx", "yyx"]),
            )
            for at, answers in enumerate(questions)
            for trial, answer in enumerate(answers)
        ],
        columns=["system", "question", "trial", "answer", "outcome"],
    )

    def test_the_difference_is_that_of_the_scores(self) -> None:
        runs = errbar.load(self.ROWS)
        comparison, (first, second) = only(runs.compare("vote@3")), runs.score("vote@3")
        assert comparison.difference == pytest.approx(first.value - second.value, abs=1e-14)
        assert (comparison.wins, comparison.ties, comparison.losses) == (3, 2, 0)

    def test_they_are_known_for_questions_like_these_alone(self) -> None:
        with pytest.raises(InputError, match="estimand"):
            errbar.load(self.ROWS).compare("vote@3", estimand="benchmark")

    def test_too_few_ballots(self) -> None:
        some = self.ROWS[~((self.ROWS["question"] == "1") & (self.ROWS["trial"] == 2))]
        with pytest.raises(NotEnoughTrials, match=r"the least 2 \(question '1'\)"):
            errbar.load(some).compare("vote@3")
        assert only(errbar.load(some).compare("vote@3", short="drop")).questions == 4


class TestWhoIsCompared:
    RUNS = errbar.load({"a": A, "b": B, "c": np.flip(B, axis=0)})

    def test_all_pairs(self) -> None:
        pairs = [(each.first, each.second) for each in self.RUNS.compare("avg")]
        assert pairs == [("a", "b"), ("a", "c"), ("b", "c")]

    def test_against_a_baseline(self) -> None:
        pairs = [(each.first, each.second) for each in self.RUNS.compare("avg", baseline="b")]
        assert pairs == [("a", "b"), ("c", "b")]

    def test_systems_by_name_and_the_baseline_among_them_without_being_named(self) -> None:
        found = self.RUNS.compare("avg", systems=["c", "a", "c"])
        assert [(each.first, each.second) for each in found] == [("c", "a")]
        for systems in (["c"], "c", ["c", "a"]):
            found = self.RUNS.compare("avg", systems=systems, baseline="a")
            assert [(each.first, each.second) for each in found] == [("c", "a")]

    @pytest.mark.parametrize(
        ("asked", "said"),
        [
            ({"systems": ["a", "d"]}, "no system 'd'. There are: 'a', 'b', 'c'"),
            ({"systems": ["a", "a"]}, "a comparison needs at least two systems; got ['a']"),
            ({"baseline": "d"}, "no baseline 'd'. There are: 'a', 'b', 'c'"),
            ({"systems": ["a"], "baseline": "d"}, "no system 'd'"),
            ({"margin": -0.1}, "margin"),
            ({"margin": math.nan}, "margin"),
            ({"level": 1.0}, "level"),
            ({"adjust": "holm"}, "adjust must be 'bonferroni' or 'none'"),
            ({"assume": "normality"}, "assume must be 'nothing' or 'no rare failures'"),
            ({"estimand": "mean"}, "estimand must be 'benchmark', 'population' or 'rerun'"),
            ({"short": "posterior"}, "short must be 'error' or 'drop'"),
        ],
        ids=str,
    )
    def test_what_makes_no_sense_is_refused(self, asked: dict[str, Any], said: str) -> None:
        with pytest.raises(ErrbarError) as caught:
            self.RUNS.compare("avg", **asked)
        assert said in str(caught.value)

    def test_without_a_metric_it_is_the_average(self) -> None:
        assert self.RUNS.compare() == self.RUNS.compare("avg")

    def test_one_system_alone(self) -> None:
        with pytest.raises(
            InputError, match="a comparison needs at least two systems; there is 'a'"
        ):
            errbar.load({"a": A}).compare("avg")

    def test_no_question_in_common(self) -> None:
        data = frame(a=[*A[:3], [], [], []], b=[[], [], [], *B[3:]])
        with pytest.raises(InputError, match="'a' and 'b' have no question in common"):
            errbar.load(data).compare("avg")

    def test_counts_by_state_do_not_know_which_question_is_which(self) -> None:
        states = errbar.data.counts.CountsByState([4, 4], [1, 3], [5, 5])
        with pytest.raises(InputError, match="do not identify questions"):
            errbar.load({"a": states, "b": states}).compare("avg")


class TestTasks:
    DATA = pd.concat(
        [
            frame(a=A, b=B).assign(task="t"),
            frame(a=B, b=A, base=A).assign(task="u"),
            frame(a=A).assign(task="alone"),
        ]
    )

    def test_each_is_compared_and_one_with_a_single_system_is_reported(self) -> None:
        found = errbar.load(self.DATA).compare("avg", systems=["a", "b"])
        assert [(each.task, each.difference) for each in found] == [("t", 0.25), ("u", -0.25)]
        assert "a · alone: left out; no other system has this task." in found.notes()

    def test_those_without_the_baseline_are_reported(self) -> None:
        found = errbar.load(self.DATA).compare("avg", baseline="base")
        assert {each.task for each in found} == {"u"}
        assert "t: left out, without the baseline 'base'." in found.notes()

    def test_systems_that_share_none(self) -> None:
        data = pd.concat([frame(a=A).assign(task="t"), frame(b=B).assign(task="u")])
        with pytest.raises(InputError, match="the 2 systems have no task in common"):
            errbar.load(data).compare("avg")


def test_a_pair_without_a_common_question_is_left_out_and_named() -> None:
    systems = {
        "a": errbar.Counts([4, 4, 4], [1, 2, 3], questions=["q1", "q2", "q3"]),
        "b": errbar.Counts([4, 4, 4], [2, 2, 4], questions=["q1", "q2", "q3"]),
        "c": errbar.Counts([4, 4], [1, 2], questions=["q8", "q9"]),
    }
    found = errbar.load(systems).compare("avg")
    assert [(row.first, row.second) for row in found] == [("a", "b")]
    assert "'a' and 'c' have no question in common: they are not compared." in found.notes()


def test_comparisons_and_ranks_state_what_they_assume_of_clusters() -> None:
    rows = [
        {"system": name, "question": at, "cluster": min(at // 3, 5), "outcome": (at + shift) % 2}
        for name, shift in (("a", 0), ("b", 1))
        for at in range(20)
    ]
    said = (
        "comparison: assumes that no cluster has more than 5 questions; a kind of cluster that "
        "makes up 39% of all may be missing (largest_cluster to change)."
    )
    runs = errbar.load(rows)
    assert said in above(runs.compare("avg").remarks)
    assert said in above(runs.rank("avg").remarks)
    score = runs.score("avg")
    assert f"avg: {said.removeprefix('comparison: ')}" in above(score.notes())
    given = runs.score("avg", largest_cluster=9)
    assert not any("assumes" in note for note in given.notes())
    assert said not in runs.compare("avg", estimand="benchmark").remarks


@pytest.mark.parametrize("seed", range(4))
def test_verdicts_intervals_p_values_probabilities_and_ranks_agree(seed: int) -> None:
    """Simultaneous intervals and adjusted p-values decide alike, on boards of every kind."""
    rng = np.random.default_rng(seed)
    for _ in range(12):
        questions, systems, trials = (
            int(rng.integers(*ends)) for ends in ((3, 25), (3, 6), (1, 6))
        )
        apart = np.linspace(0.1, 0.95, systems)[:, None] + rng.normal(
            0.0, 0.1, (systems, questions)
        )
        rates = rng.beta(0.5, 0.5, apart.shape) if rng.random() < 0.5 else apart.clip(0.0, 1.0)
        each = [errbar.Counts([trials] * questions, rng.binomial(trials, own)) for own in rates]
        runs = errbar.load({f"s{at}": own for at, own in enumerate(each)})
        level = float(rng.choice([0.8, 0.95, 0.99]))
        beaten_by = dict.fromkeys((f"s{at}" for at in range(systems)), 0)
        beats = dict(beaten_by)
        for row in runs.compare("avg", level=level):
            excludes_zero = row.low > 0.0 or row.high < 0.0
            assert bool(row.better) == excludes_zero == (row.adjusted <= 1.0 - level)
            assert 0.0 < row.chance < 1.0
            assert (row.chance - 0.5) * row.difference >= -1e-9
            if row.better:
                assert row.better == (row.first if row.difference > 0.0 else row.second)
                beats[row.better] += 1
                beaten_by[row.first if row.better == row.second else row.second] += 1
        for place in runs.rank("avg", level=level):
            assert place.best_rank == 1 + beaten_by[place.system]
            assert place.worst_rank == systems - beats[place.system]
