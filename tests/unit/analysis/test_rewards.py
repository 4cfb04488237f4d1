"""Averages of rewards: every figure from exact fractions, or from random weights."""

import math
from fractions import Fraction
from pathlib import Path
from statistics import mean

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as some
from scipy import stats

import errbar
from errbar.analysis import audit
from errbar.errors import InputError
from errbar.kernels.bounded_mean import Sample, mean_ends

REWARDS = some.sampled_from([-2.0, -0.25, 0.0, 0.5, 0.75, 1.0, 3.0])
MATRICES = some.integers(1, 5).flatmap(
    lambda trials: some.lists(
        some.lists(REWARDS, min_size=trials, max_size=trials), min_size=2, max_size=8
    )
)


def bounds_of(matrix: list[list[float]]) -> tuple[Fraction, Fraction]:
    """0 and 1 if all lie there; else as far beyond the extremes as the next question's is."""
    lowest, highest = (sorted(map(Fraction, map(end, matrix))) for end in (min, max))
    if lowest[0] >= 0 and highest[-1] <= 1:
        return Fraction(0), Fraction(1)
    low = 2 * lowest[0] - lowest[1]
    return (max(low, Fraction(0)) if lowest[0] >= 0 else low), 2 * highest[-1] - highest[-2]


@given(MATRICES)
def test_the_mean_of_questions_means_and_its_spread(matrix: list[list[float]]) -> None:
    if all(value in (0.0, 1.0) for row in matrix for value in row):
        matrix[0][0] = 0.5
    (score,) = errbar.load(matrix).score("avg")
    means = [sum(map(Fraction, row), Fraction()) / len(row) for row in matrix]
    assert score.value == score.mean == pytest.approx(float(mean(means)), abs=1e-15)
    if math.isnan(score.sd):
        assert len(set(means)) == 1
    else:
        low, high = bounds_of(matrix)
        unseen = max(low, high, key=lambda bound: abs(bound - mean(means)))
        squares = sum((each - mean(means)) ** 2 for each in [*means, unseen])
        number = len(means)
        exact = math.sqrt(squares / (number + 1) / (number + 2))
        assert score.sd == pytest.approx(exact, abs=1e-12)
        least = 0.0 if min(map(min, matrix)) >= 0 else -math.inf
        assert least <= score.interval.low <= score.value <= score.interval.high
    assert score.interval.covers == "population"


def test_guessed_bounds_are_those_of_outcomes_not_of_means_of_questions() -> None:
    rows = [[0, 2, 0, 1], [1, 0, 0, 2], [0, 0, 0, 0], [1, 1, 0, 0]]
    said = "between 0 and 2"
    runs = errbar.load({"one": rows, "other": rows[::-1]})
    assert any(said in remark for remark in runs.score("avg").remarks)
    assert any(said in remark for remark in runs.compare("avg").remarks)
    for verb in (runs.score, runs.compare):
        with pytest.raises(InputError, match=r"an outcome of 2 lies outside of the bounds 0 to 1"):
            verb("avg", bounds=(0, 1))


def test_ends_are_those_of_random_weights_with_one_unseen_question() -> None:
    rewards = [0.5, 1.5, 2.5, 3.5, 4.5]
    (score,) = errbar.load([[each] for each in rewards]).score("avg", bounds=(0.0, 5.5))
    weights = np.random.default_rng(0).dirichlet(np.ones(6), 400_000)
    lows, highs = (weights @ np.array([*rewards, bound]) for bound in (0.0, 5.5))
    expected = float(np.quantile(lows, 0.025)), float(np.quantile(highs, 0.975))
    assert (score.interval.low, score.interval.high) == pytest.approx(expected, abs=0.01)


def test_without_known_bounds_an_end_is_no_nearer_than_that_of_student() -> None:
    rewards = [1.5, 2.5, 3.5, 4.5, 5.5]
    (score,) = errbar.load([[each] for each in rewards]).score("avg")
    symmetric = stats.t.interval(0.95, 4, 3.5, stats.sem(rewards))
    assert (score.interval.low, score.interval.high) == pytest.approx(symmetric)


def test_one_question_says_little() -> None:
    (score,) = errbar.load([[0.5, 0.25]]).score("avg")
    assert score.value == 0.375
    # A weight B, uniform, on the reward and 1 − B on an unseen one at 0 or at 1.
    ends = (0.025 * 0.375, 0.025 * 0.375 + 0.975)
    assert (score.interval.low, score.interval.high) == pytest.approx(ends, abs=1e-4)


@pytest.fixture
def failed(tmp_path: Path) -> Path:
    rows = (
        "question,trial,outcome,status\na,0,0.5,ok\na,1,,error\nb,0,1,ok\nb,1,0.25,ok\nc,0,,error\n"
    )
    path = tmp_path / "rewards.csv"
    path.write_text(rows)
    return path


def test_failed_rows_are_worth_nothing_or_left_out(failed: Path) -> None:
    runs = errbar.load(failed)
    as_nothing = [Fraction(1, 4), Fraction(5, 8), Fraction(0)]
    assert runs.score("avg")[0].value == pytest.approx(float(mean(as_nothing)), abs=1e-16)
    left_out = runs.score("avg", errors="missing")
    assert left_out[0].value == float(mean([Fraction(1, 2), Fraction(5, 8)]))
    assert left_out[0].questions == 2
    assert any("2 of 5 rows" in note for note in left_out.notes())


def test_there_is_no_best_reward_for_failed_rows(failed: Path) -> None:
    worst, best = errbar.load(failed).score("avg", errors="bracket")
    assert worst.value == errbar.load(failed).score("avg")[0].value
    assert math.isnan(best.value)
    assert "errors='fail' counts them as 0" in best.reason


def test_systems_with_rewards_and_with_right_or_wrong_stand_in_one_table() -> None:
    scores = errbar.load({"graded": [[0.5, 1.0]] * 3, "binary": [[0, 1]] * 3}).score("avg")
    assert [score.value for score in scores] == [0.75, 0.5]
    assert [score.interval.covers.value for score in scores] == ["population", "population"]
    assert "avg of rewards: Bayesian bootstrap over questions with one unseen" in scores.method
    assert "Bayesian bootstrap" in scores.method
    notes = " ".join(scores.notes())
    assert notes.count("95% CI: for new questions of the same kind") == 1


def test_equal_rewards_are_no_certainty() -> None:
    table = pl.DataFrame({"question": [1, 2, 3], "outcome": [2.5, 2.5, 2.5]})
    found = errbar.load(table).score("avg")[0]
    assert math.isnan(found.interval.low)
    assert "have the same value" in found.reason


def test_fewer_questions_in_all_than_were_asked_are_refused() -> None:
    table = pl.DataFrame({"question": [1, 1, 2, 2], "outcome": [0.5, 0.7, 0.1, 0.2]})
    with pytest.raises(InputError, match="2 questions were asked"):
        errbar.load(table).score("avg", questions_in_all=1)


@pytest.mark.parametrize("endless", [math.inf, -math.inf])
def test_a_reward_without_end_is_refused(endless: float) -> None:
    table = pl.DataFrame({"question": [1, 2], "outcome": [1.0, endless]})
    with pytest.raises(InputError, match=f"avg: an outcome is {endless:g}, which has no mean"):
        errbar.load(table).score("avg")


def test_a_known_number_of_questions_narrows_rewards_or_says_why_not() -> None:
    twice = pl.DataFrame(
        {"question": [1, 1, 2, 2, 3, 3], "outcome": [0.5, 0.7, 0.1, 0.2, 2.0, 2.5]}
    )
    plain, found = (errbar.load(twice).score("avg", questions_in_all=n)[0] for n in (None, 4))
    assert found.sd < plain.sd
    assumed = "holds if every reward lies between 0 and 4.3, which is a guess"
    beyond = "; the upper end lies beyond the guessed bounds, which may be too narrow"
    assert plain.reason == f"{assumed}{beyond} (Hall's interval)"
    assert found.interval.high < 4.3 < plain.interval.high
    assert found.reason == assumed
    one_trial = {"question": [1, 2, 3], "outcome": [0.5, 0.7, 0.9]}
    agreeing = {"question": [1, 1, 2, 2], "outcome": [0.5, 0.5, 0.9, 0.9]}
    for columns, said in ((one_trial, "single trial"), (agreeing, "trials of each question agree")):
        runs = errbar.load(pl.DataFrame(columns))
        plain, found = (runs.score("avg", questions_in_all=n)[0] for n in (None, 4))
        assert (found.sd, found.interval) == (plain.sd, plain.interval)
        assert found.reason.startswith("questions_in_all has no effect")
        assert said in found.reason


def test_an_audit_says_that_rewards_are_not_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "SIMULATIONS", 10)
    both = errbar.load({"graded": [[0.5, 1.0]] * 3, "binary": [[0, 1]] * 3})
    audited = both.score("avg", audit=True)
    assert [math.isnan(row.coverage) for row in audited] == [True, False]
    assert any("not rewards or votes" in note for note in audited.notes())
    assert not any("not rewards" in note for note in both.score("avg").notes())


def test_compared_rewards_have_the_bounds_of_their_scores_and_say_so() -> None:
    """Small gains of 30 questions do not exclude a rare disaster: rewards may be as low as 0."""
    better = [0.95 + 0.001 * (at % 7) for at in range(30)]
    rows = [
        {"system": system, "question": str(at), "outcome": value - loss}
        for system, loss in (("a", 0.0), ("b", 0.01))
        for at, value in enumerate(better)
    ]
    runs = errbar.load(rows)
    found = runs.compare("avg")
    sample = Sample(np.full(1, 0.01), np.ones(1), np.full(1, 30.0), (-1.0, 1.0))
    low, high = mean_ends(sample, 0.95)
    assert (found[0].interval.low, found[0].interval.high) == pytest.approx((low, high), abs=1e-6)
    assert (found[0].better, found[0].probably_better) == ("", "a")
    said = "Rewards are taken to lie between 0 and 1"
    assert any(remark.startswith(said) for remark in found.remarks)
    assert any(remark.startswith(said) for remark in runs.rank("avg").remarks)
    assert not any(said in remark for remark in runs.compare("avg", bounds=(0, 2)).remarks)
    with pytest.raises(InputError, match=r"lies outside of the bounds 0 to 0\.5"):
        runs.compare("avg", bounds=(0, 0.5))


@pytest.mark.parametrize("verb", ["score", "compare", "rank"])
def test_a_screen_tells_the_bounds_of_rewards_once(verb: str) -> None:
    values = {"a": [0.0, 1.0, 2.0, 0.5] * 8, "b": [0.5, 2.0, 1.0, 0.0] * 8}
    rows = [
        {"system": system, "question": at, "reward": value}
        for system, some in values.items()
        for at, value in enumerate(some)
    ]
    ask = getattr(errbar.load(rows), verb)
    guessed = " ".join(str(ask("avg")).split())
    assert guessed.count("between 0 and 2") == 1
    assert "Outcomes: from" not in guessed
    assert guessed.index("Rewards are taken to lie between 0 and 2 (bounds=") < guessed.index("CI]")
    given = " ".join(str(ask("avg", bounds=(0, 2))).split())
    assert given.count("between 0 and 2") == 1
    assert "rewards lie between 0 and 2 (.explain())." in given
    assert "Outcomes: from" not in given


def test_the_systems_of_a_task_have_one_range_of_rewards_and_it_is_stated_once() -> None:
    marks = {"low": [1, 1, 2, 1, 2, 1] * 5, "high": [5, 4, 5, 3, 5, 4] * 5}
    rows, others = (
        [
            {"system": system, "task": task, "question": at, "reward": factor * value}
            for system, values in marks.items()
            for at, value in enumerate(values)
        ]
        for task, factor in (("essays", 1), ("sums", 10))
    )
    found = errbar.load([*rows, *others]).score("avg")
    said = [remark for remark in found.remarks if "taken to lie" in remark]
    assert [text.partition(" (")[0] for text in said] == [
        "essays: rewards are taken to lie between 1 and 5",
        "sums: rewards are taken to lie between 10 and 50",
    ]
    essays = [row for row in found if row.task == "essays"]
    given = errbar.load(rows).score("avg", bounds=(1, 5))
    for guessed, known in zip(essays, given, strict=True):
        assert guessed.interval.low <= known.interval.low
        assert guessed.interval.high >= known.interval.high
    ranked = {row.system: row.interval for row in errbar.load(rows).rank("avg")}
    for row in essays:
        assert ranked[row.system].high == pytest.approx(row.interval.high)


def test_bounds_count_where_all_rewards_seen_are_0_or_1() -> None:
    """Thirty rewards of 0 do not exclude that one in thirty is 10."""
    runs = errbar.load([{"question": at, "reward": 0.0} for at in range(30)])
    found = runs.score("avg", bounds=(0, 10))[0].interval
    usual = runs.score("avg")[0].interval
    assert found.high == pytest.approx(10.0 * usual.high)
    assert usual.high == pytest.approx(1.0 - 0.025 ** (1 / 30))


def test_bounds_are_said_of_the_systems_that_have_rewards() -> None:
    rows = [
        {"id": at, "system": system, "reward": reward}
        for at in range(30)
        for system, reward in (("binary", at % 2), ("graded", at % 11 / 10))
    ]
    said = errbar.load(rows).score("avg").remarks
    assert any(text.startswith("graded: rewards are taken to lie between 0 and 1") for text in said)
    graded = [row for row in rows if row["system"] == "graded"]
    said = errbar.load(graded).score("avg").remarks
    assert any(text.startswith("Rewards are taken to lie between 0 and 1") for text in said)


def test_zeros_and_ones_beside_losses_have_the_bounds_of_their_task() -> None:
    """A system of wins and ties may lose to come, as the other one did."""
    rows = [
        {"id": at, "system": system, "reward": reward}
        for at in range(20)
        for system, reward in (("lucky", at % 5 == 0), ("other", at % 4 - 1 if at % 4 < 3 else 0))
    ]
    found = errbar.load(rows).score("avg")
    given = errbar.load(rows).score("avg", bounds=(-1, 1))
    assert found[0].interval.low <= given[0].interval.low < 0.0
    assert "holds if every reward lies between -1 and 1, which is a guess" in found[0].reason


def test_a_bracket_without_an_interval_is_a_dash() -> None:
    rows = {"outcome": [1.36, None], "status": ["ok", "error"], "question": ["a", "a"]}
    table = pl.DataFrame({**rows, "trial": [0, 1], "system": ["s", "s"]})
    found = errbar.load(table).score("avg", errors="bracket", bounds=(0, 2))
    assert [str(each.of) for each in found] == ["s (failed as wrong)", "s (failed as right)"]
    alone = errbar.load(table.with_columns(outcome=pl.lit(1.36))).score(errors="bracket")
    assert {each.bracket_text for each in alone} == {"–"}


def test_zeros_and_ones_of_a_column_of_rewards_are_a_guess_until_bounds_are_given() -> None:
    for column, said in (("reward", True), ("Total Payoff", True), ("correct", False)):
        runs = errbar.load([{"question": at, column: at % 2} for at in range(20)], outcome=column)
        found = [note for note in runs.score("avg").remarks if "0 or 1 in every row" in note]
        assert bool(found) == said
        assert not said or "rewards are assumed to lie between 0 and 1 (bounds=" in found[0]
        given = runs.score("avg", bounds=(-1, 1)).remarks
        assert not [note for note in given if "0 or 1 in every row" in note]
