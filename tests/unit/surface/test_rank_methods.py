"""`rank(by=...)`: Borda, Copeland, win rate, Bradley-Terry, Rasch."""

from typing import Any

import numpy as np
import pytest

import errbar
from errbar.base.arrays import Array
from errbar.errors import InputError
from errbar.kernels import ranking_methods as kernel

METHODS = ["borda", "copeland", "win-rate", "bradley-terry", "rasch"]
# scorio 0.2.3, rank.NAME(R, return_scores=True) on `matrix()`; strengths are exponentials
SCORIO = {
    "borda": [110.0, 72.5, 90.0, 77.5, 50.0],
    "copeland": [4.0, -2.0, 2.0, 0.0, -4.0],
    "win-rate": [0.85714286, 0.40740741, 0.62195122, 0.46987952, 0.18085106],
    "bradley-terry": [4.27763678, 0.6902976, 1.37899104, 0.88362319, 0.27792728],
}
# scorio 0.2.3, rank.rasch on the questions of `matrix()` that some systems solve and some do not,
# centred: its joint likelihood stretches the abilities of few systems
SCORIO_RASCH = [1.75864, -0.402477, 0.487695, -0.151597, -1.692261]


def matrix() -> Array:
    rng = np.random.default_rng(1)
    rates = np.array([0.8, 0.6, 0.55, 0.5, 0.3])[:, None, None]
    return (rng.random((5, 40, 1)) < rates).astype(int)


def board() -> errbar.Runs:
    return errbar.load({f"s{at}": rows for at, rows in enumerate(matrix())})


def values(found: Any) -> dict[str, float]:
    return {row.system: row.value for row in found}


def test_scores_are_those_of_scorio() -> None:
    found = {by: list(dict(sorted(values(board().rank(by=by)).items())).values()) for by in METHODS}  # type: ignore[arg-type]
    assert np.array(found["borda"]) * 40 * 4 == pytest.approx(SCORIO["borda"])
    assert found["copeland"] == pytest.approx(SCORIO["copeland"])
    assert found["win-rate"] == pytest.approx(SCORIO["win-rate"], abs=1e-8)
    logs = np.log(SCORIO["bradley-terry"])
    assert found["bradley-terry"] == pytest.approx(logs - logs.mean(), abs=2e-5)
    abilities = {row.system: row.value for row in board().items().systems}
    assert found["rasch"] == pytest.approx([abilities[f"s{at}"] for at in range(5)])


def test_abilities_are_those_of_scorio_but_for_its_stretch() -> None:
    right = matrix().sum(axis=2)
    some = (right.sum(axis=0) > 0) & (right.sum(axis=0) < 5)
    runs = errbar.load({f"s{at}": rows[some] for at, rows in enumerate(matrix())})
    found = values(runs.rank(by="rasch"))
    own = np.array([found[f"s{at}"] for at in range(5)])
    assert np.corrcoef(own, SCORIO_RASCH)[0, 1] > 0.9999
    assert np.polyfit(own, SCORIO_RASCH, 1)[0] == pytest.approx(1.2, abs=0.05)  # 5/4 at most


@pytest.mark.parametrize("of", ["win-rate", "bradley-terry", "rasch"])
def test_values_of_questions_are_the_score_and_its_change_if_a_question_weighs_more(
    of: str,
) -> None:
    rates = matrix().mean(axis=2)

    def made(answers: Array) -> kernel.QuestionValues:
        if of == "rasch":
            return kernel.abilities(answers, np.ones_like(answers), np.arange(answers.shape[1]))
        return (kernel.win_rates if of == "win-rate" else kernel.strengths)(answers)

    found, often = made(rates), 60
    base = np.tile(rates, (1, often))
    more = made(np.column_stack([base, rates[:, [3]]])).values.mean(axis=1)
    moved = (more - made(base).values.mean(axis=1)) * (often * 40)
    scores = found.values.mean(axis=1)
    assert moved == pytest.approx(found.values[:, 3] - scores, abs=0.02 * np.abs(moved).max())
    assert (found.ends[:, 0] < scores).all()
    assert (scores < found.ends[:, 1]).all()
    assert (found.least < scores[:, None] - scores + 1e-12).all()


@pytest.mark.parametrize("by", METHODS)
def test_ranks_separate_what_differs_and_nothing_else(by: Any) -> None:
    rng = np.random.default_rng(0)
    easy = rng.normal(0.0, 1.0, 150)
    gains = {"best": 3.0, "one": 0.0, "other": 0.0, "worst": -3.0}
    data = {
        name: rng.random((150, 2)) < (1.0 / (1.0 + np.exp(-easy - gain)))[:, None]
        for name, gain in gains.items()
    }
    found = errbar.rank(data, by=by)
    ranges = {row.system: (row.best_rank, row.worst_rank) for row in found}
    assert ranges == {"best": (1, 1), "one": (2, 3), "other": (2, 3), "worst": (4, 4)}
    assert found[0].chance_best > 0.9
    assert all(row.low <= row.value <= row.high for row in found)
    assert found.to_dicts()[0]["by"] == by
    assert "best is the best of 4 systems by" in str(found)


@pytest.mark.parametrize("by", METHODS)
def test_a_few_questions_decide_nothing_even_if_one_wins_all_its_games(by: Any) -> None:
    few = {"a": [[1], [1], [1], [0]], "b": [[1], [0], [1], [0]], "c": [[0], [0], [1], [0]]}
    assert {(row.best_rank, row.worst_rank) for row in errbar.rank(few, by=by)} == {(1, 3)}


def test_what_a_method_cannot_rank_is_refused() -> None:
    with pytest.raises(InputError, match=r"by must be .mean., .borda."):
        board().rank(by="elo")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="are for new questions"):
        board().rank(by="borda", estimand="benchmark")
    rewards = {"a": [[0.2], [0.9]], "b": [[0.1], [0.4]]}
    with pytest.raises(InputError, match="right or wrong"):
        errbar.rank(rewards, by="rasch")
    assert errbar.rank(rewards, by="copeland")[0].value == 1.0


@pytest.mark.parametrize("outcome", [0, 1])
@pytest.mark.parametrize("by", ["win-rate", "bradley-terry", "rasch"])
def test_systems_that_nothing_tells_apart_have_no_games_to_rank_them_by(
    by: Any, outcome: int
) -> None:
    """Intervals by linear expansion would reach to one side only, as others solve all or none."""
    alike = [[outcome] * 4] * 20
    with pytest.raises(InputError, match="no trial tells some systems apart"):
        errbar.rank({"a": alike, "b": alike}, by=by)
