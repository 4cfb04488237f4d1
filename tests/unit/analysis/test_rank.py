"""Ranks: by whole simulations, against exact small cases, and with everything that is refused."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray
from scipy.special import expit

import errbar
from errbar.cli import main
from errbar.errors import InputError
from errbar.results.leaderboard import Leaderboard

Data = dict[str, NDArray[np.float64]]


def simulated(rng: np.random.Generator, systems: int, questions: int, trials: int) -> Data:
    """Systems that are the better the later their name, on questions of all difficulties."""
    strength = np.linspace(-0.8, 0.8, systems)
    rates = expit(strength[:, None] + rng.normal(0, 1.5, questions))
    return {
        f"s{at:02d}": (rng.random((questions, trials)) < rates[at][:, None]).astype(float)
        for at in range(systems)
    }


def ranked(data: Data, metric: str = "avg", estimand: str = "population") -> Leaderboard:
    return errbar.load(data).rank(metric, estimand=estimand)


@pytest.mark.parametrize("seed", range(40))
def test_probabilities_of_small_boards_do_not_contradict_their_ranks(seed: int) -> None:
    rng = np.random.default_rng([4, seed])
    systems, questions = int(rng.integers(2, 7)), int(rng.integers(10, 31))
    rates = rng.beta(0.5, 0.5, questions) + rng.normal(0.0, 0.3, (systems, 1))
    right = rng.random((2, systems, questions)) < rates
    data = {f"s{at}": right[:, at].T.astype(float) for at in range(systems)}
    board = ranked(data)
    assert sum(row.chance_best for row in board) == pytest.approx(1.0)
    for row in board:
        assert 0.0 < row.chance_best < 1.0
        assert row.best_rank == 1 or row.chance_best < 0.05
        assert row.worst_rank > 1 or row.chance_best > 0.95
        assert row.best_rank - 0.05 <= row.expected_rank <= row.worst_rank + 0.05
    if systems == 2:
        (pair,) = errbar.load(data).compare("avg")
        assert {row.system: row.chance_best for row in board}["s0"] == pytest.approx(
            pair.chance, abs=0.02
        )


def test_values_and_intervals_are_those_of_the_scores() -> None:
    data = simulated(np.random.default_rng(0), 4, 60, 4)
    scores = errbar.load(data).score("pass@2")
    for row in ranked(data, "pass@2"):
        single = scores.only(row.system)[0]
        assert row.value == pytest.approx(single.value, abs=1e-14)
        assert (row.interval.low, row.interval.high) == pytest.approx(
            (single.interval.low, single.interval.high), abs=1e-12
        )


def test_rows_go_from_the_best_down() -> None:
    rows = ranked(simulated(np.random.default_rng(1), 6, 80, 4))
    values = [row.value for row in rows]
    assert values == sorted(values, reverse=True)
    assert [row.rank for row in rows] == list(range(1, 7))
    assert all(row.best_rank <= row.rank <= row.worst_rank for row in rows)


def test_chances_to_be_best_add_up_and_expected_ranks_too() -> None:
    rows = ranked(simulated(np.random.default_rng(2), 5, 50, 2))
    assert sum(row.chance_best for row in rows) == pytest.approx(1.0)
    assert sum(row.expected_rank for row in rows) == pytest.approx(5 * 6 / 2)


def test_of_two_systems_the_chance_to_be_best_is_that_of_comparing_them() -> None:
    data = simulated(np.random.default_rng(3), 2, 40, 2)
    best = {row.system: row.chance_best for row in ranked(data)}
    comparison = errbar.load(data).compare("avg")[0]
    assert best[comparison.first] == pytest.approx(comparison.chance, abs=0.015)


def test_two_systems_are_separated_exactly_if_comparing_them_says_so() -> None:
    for seed in range(12):
        data = simulated(np.random.default_rng(seed), 2, 30, 1)
        apart = ranked(data)[0].groups != ranked(data)[1].groups
        assert apart == bool(errbar.load(data).compare("avg")[0].better)


def test_ranks_hold_all_true_ranks_in_nearly_all_simulations() -> None:
    rng = np.random.default_rng(4)
    held = 0
    for _ in range(10):
        rows = ranked(simulated(rng, 10, 60, 2))
        true = {f"s{at:02d}": 10 - at for at in range(10)}
        held += all(row.best_rank <= true[row.system] <= row.worst_rank for row in rows)
    assert held >= 9


def test_equal_systems_are_one_group_in_nearly_all_simulations() -> None:
    rng = np.random.default_rng(5)
    together = 0
    for _ in range(20):
        rates = rng.random(50)
        data = {f"s{at}": (rng.random((50, 2)) < rates[:, None]).astype(float) for at in range(6)}
        together += {row.groups for row in ranked(data)} == {"a"}
    assert together >= 17


def test_systems_with_the_same_outcomes_share_rank_and_chance() -> None:
    matrix = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, 0.0]])
    rows = ranked({"a": matrix, "b": matrix.copy()})
    assert [row.rank for row in rows] == [1, 1]
    # Only the unseen question tells them apart, and it favours either in half of 10,000 draws.
    assert [row.expected_rank for row in rows] == pytest.approx([1.5, 1.5], abs=0.02)
    assert [row.chance_best for row in rows] == pytest.approx([0.5, 0.5], abs=0.02)
    assert [(row.best_rank, row.worst_rank) for row in rows] == [(1, 2), (1, 2)]


def test_no_chance_to_be_best_is_0_or_1_and_the_worst_may_be_best() -> None:
    """Ten questions, of which one tells three systems apart."""
    data = {name: np.ones((10, 4)) for name in "abc"}
    data["b"][0, 2:], data["c"][0] = 0.0, 0.0
    chances = {row.system: row.chance_best for row in ranked(data)}
    assert sum(chances.values()) == pytest.approx(1.0)
    assert 0.05 < chances["c"] < chances["b"] < chances["a"] < 0.95
    apart = {f"s{at}": np.full((2000, 1), float(at)) for at in (0, 1)}
    assert all(0.0 < row.chance_best < 1.0 for row in ranked(apart))


def test_chances_are_those_of_random_weights_with_one_unseen_question() -> None:
    data = simulated(np.random.default_rng(12), 3, 20, 2)
    values = np.stack([data[name].mean(axis=1) for name in sorted(data)])
    rng = np.random.default_rng(13)
    weights = rng.dirichlet(np.ones(21), 40_000)
    unseen = rng.permuted(np.tile([0.0, 0.5, 1.0], (40_000, 1)), axis=1)
    scores = weights[:, :20] @ values.T + weights[:, 20:] * unseen
    best = np.bincount(scores.argmax(axis=1), minlength=3) / len(scores)
    ranks = 1 + (scores[:, None, :] > scores[:, :, None]).sum(axis=2).mean(axis=0)
    for row in ranked(data):
        at = sorted(data).index(row.system)
        assert row.chance_best == pytest.approx(best[at], abs=0.02)
        assert row.expected_rank == pytest.approx(ranks[at], abs=0.03)


def test_letters_are_those_of_comparing_all_pairs() -> None:
    for seed in range(4):
        data = simulated(np.random.default_rng(seed), 4, 60, 3)
        letters = {row.system: set(row.groups) for row in ranked(data)}
        for pair in errbar.load(data).compare("avg"):
            assert bool(pair.better) == (not letters[pair.first] & letters[pair.second])


def outcomes(tmp_path: Path) -> Path:
    """Two tasks: one system leads in each by the same, but one task has more questions."""
    rng = np.random.default_rng(6)
    lines = ["system,task,question,trial,outcome"]
    for task, questions, better in (("short", 40, "a"), ("long", 160, "b")):
        for question in range(questions):
            for system in ("a", "b", "c"):
                rate = 0.8 if system == better else 0.5
                lines += [
                    f"{system},{task},q{question},{trial},{int(rng.random() < rate)}"
                    for trial in range(4)
                ]
    path = tmp_path / "outcomes.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_suite_is_the_average_of_its_tasks_however_many_questions_they_have(
    tmp_path: Path,
) -> None:
    runs = errbar.load(outcomes(tmp_path))
    each = {(each.system, each.task): each for each in runs.score("avg")}
    for row in runs.rank("avg"):
        parts = [each[row.system, task] for task in ("short", "long")]
        assert row.value == pytest.approx(sum(part.value for part in parts) / 2)
        assert row.sd == pytest.approx(math.hypot(*(part.sd for part in parts)) / 2)


def test_weights_move_the_average(tmp_path: Path) -> None:
    runs = errbar.load(outcomes(tmp_path))
    assert runs.rank("avg", weights={"short": 3, "long": 1})[0].system == "a"
    assert runs.rank("avg", weights={"short": 1, "long": 3})[0].system == "b"
    alone = runs.rank("avg", weights={"short": 1.0})
    assert "Tasks weighted: " in str(alone)
    assert "short 1" in str(alone)
    assert "long 0" in str(alone)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ({"other": 1.0}, "no task 'other'"),
        ({"short": -1.0}, "at least 0"),
        ({"short": 0.0}, "all weights of tasks are 0"),
    ],
)
def test_weights_that_make_no_average_are_refused(
    tmp_path: Path, weights: dict[str, float], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        errbar.load(outcomes(tmp_path)).rank("avg", weights=weights)


def test_questions_that_not_all_have_are_left_out_and_counted() -> None:
    data = simulated(np.random.default_rng(7), 3, 30, 2)
    data["s02"] = data["s02"][:20]
    rows = ranked(data)
    assert rows.questions == 20
    assert "10 questions left out, because not all systems have them" in str(rows)
    assert rows[0].value == pytest.approx(max(matrix[:20].mean() for matrix in data.values()))


def test_a_system_without_a_task_is_left_out_and_named(tmp_path: Path) -> None:
    path = outcomes(tmp_path)
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(line for line in lines if not line.startswith("c,long")) + "\n")
    rows = errbar.load(path).rank("avg")
    assert [row.system for row in rows] != []
    assert "tasks: c" in str(rows)


def test_these_very_questions_are_ranked_by_trial_noise_alone() -> None:
    data = simulated(np.random.default_rng(8), 3, 100, 8)
    wide, narrow = ranked(data), ranked(data, estimand="benchmark")
    for population, benchmark in zip(wide, narrow, strict=True):
        assert benchmark.interval.covers == "benchmark"
        assert benchmark.sd < population.sd


def test_a_run_has_no_rank() -> None:
    with pytest.raises(InputError, match="'population' or 'benchmark'"):
        ranked(simulated(np.random.default_rng(9), 2, 10, 2), estimand="rerun")


def test_nothing_in_common_is_an_error_that_says_so() -> None:
    first = errbar.Counts([4, 4], [1, 2], questions=["q1", "q2"])
    second = errbar.Counts([4, 4], [1, 2], questions=["q3", "q4"])
    with pytest.raises(InputError, match="no question is common to all systems"):
        errbar.load({"a": first, "b": second}).rank("avg")


def test_ranks_repeat_to_the_bit() -> None:
    data = simulated(np.random.default_rng(10), 4, 40, 2)
    assert ranked(data).to_dicts() == ranked(data).to_dicts()


def test_the_command_says_the_same(tmp_path: Path) -> None:
    path = outcomes(tmp_path)
    asked = ["rank", str(path), "-m", "pass@2", "--weight", "short=2", "--weight", "long=1"]
    result = CliRunner().invoke(main, [*asked, "--format", "json"])
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)["rows"]
    same = errbar.load(path).rank("pass@2", weights={"short": 2.0, "long": 1.0})
    assert rows == [json.loads(json.dumps(row)) for row in same.to_dicts()]
    assert list(rows[0]) == [
        *("metric", "system", "value", "sd", "low", "high", "level", "covers", "rank"),
        *("best_rank", "worst_rank", "expected_rank", "chance_best", "groups"),
    ]


def test_a_weight_that_is_no_number_is_refused_by_the_command(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["rank", str(outcomes(tmp_path)), "--weight", "short"])
    assert result.exit_code == 2
    assert "task=number" in result.stderr


def test_rewards_are_ranked_with_the_intervals_of_their_scores() -> None:
    rng = np.random.default_rng(11)
    data = {name: rng.normal(mean, 1.0, (30, 3)) for name, mean in (("a", 2.0), ("b", 0.0))}
    scores = errbar.load(data).score("avg")
    rows = ranked(data)
    assert [row.system for row in rows] == ["a", "b"]
    for row in rows:
        single = scores.only(row.system)[0]
        assert row.value == pytest.approx(single.value, abs=1e-14)
        assert (row.sd, row.interval) == (single.sd, single.interval)


def test_one_question_ranks_nobody() -> None:
    rows = ranked({"a": np.array([[1.0, 1.0]]), "b": np.array([[0.0, 0.0]])})
    # Clopper and Pearson's intervals for one of one, and none of one.
    ends = [(row.interval.low, row.interval.high) for row in rows]
    assert ends[0] == pytest.approx((0.025, 1.0), abs=1e-4)
    assert ends[1] == pytest.approx((0.0, 0.975), abs=1e-4)
    assert [(row.best_rank, row.worst_rank) for row in rows] == [(1, 2), (1, 2)]


def test_one_question_of_unbounded_rewards_says_nothing_of_how_sure_a_rank_is() -> None:
    rows = ranked({"a": np.array([[2.5, 0.5]]), "b": np.array([[1.25, 1.25]])})
    assert all(math.isnan(row.sd) and math.isnan(row.interval.low) for row in rows)
    assert [(row.best_rank, row.worst_rank) for row in rows] == [(1, 2), (1, 2)]


def test_expected_ranks_follow_the_scores_with_more_systems_than_questions() -> None:
    """The covariance of 40 systems on 30 questions is singular, which must not turn their order."""
    for seed in range(3):
        rows = ranked(simulated(np.random.default_rng(seed), 40, 30, 2))
        assert all(row.best_rank <= row.expected_rank <= row.worst_rank for row in rows)
        places = [1.0 + sum(other.value > row.value for other in rows) for row in rows]
        expected = [row.expected_rank for row in rows]
        assert np.corrcoef(places, expected)[0, 1] > 0.98
