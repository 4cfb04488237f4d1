"""Logs of agents with a row per step: the last step of an episode counts, or nothing does."""

from collections.abc import Iterable
from typing import Any

import pandas as pd
import pytest

import errbar
from errbar.base.remarks import MARK, above
from errbar.errors import NoOutcomes

LENGTHS = (3, 4, 2, 5, 3, 4)
SOLVED = (1, 0, 1, 1, 0, 1)  # 4 of 6


def episodes(
    by: str, *, lengths: Iterable[int] = LENGTHS, outcome: str = "reward", **beside: Any
) -> pd.DataFrame:
    """A row per step, with the reward at the last one."""
    rows = [
        {by: f"e{at}", "step": step, "action": "click", **beside}
        | {outcome: float(solved and step == length - 1)}
        for at, (length, solved) in enumerate(zip(lengths, SOLVED, strict=True))
        for step in range(length)
    ]
    return pd.DataFrame(rows)


def scored(data: pd.DataFrame, **how: Any) -> tuple[dict[str, tuple[float, int, int]], str]:
    runs = errbar.load(data, **how)
    scores = runs.score("avg")
    found = {each.system: (round(each.value, 4), each.questions, each.trials) for each in scores}
    return found, " ".join(above(scores.remarks))


@pytest.mark.parametrize("by", ["task_id", "episode", "trajectory_id", "number"])
@pytest.mark.parametrize("lengths", [LENGTHS, (3,) * 6], ids=["ragged", "equal"])
def test_the_last_step_of_an_episode_is_its_outcome(by: str, lengths: tuple[int, ...]) -> None:
    means, said = scored(episodes(by, lengths=lengths))
    assert means == {"": (0.6667, 6, 6)}
    assert said.startswith(f"{MARK} The rows are the steps of 6 episodes")
    assert f"({sum(lengths) - 6} rows left out)" in said
    assert "rows='trials'" in said


def test_rows_left_out_are_counted() -> None:
    text = str(errbar.load(episodes("task_id")).inspect())
    assert f"{sum(LENGTHS) - 6} rows left out" in " ".join(text.split())


def test_every_row_counts_if_that_is_said() -> None:
    means, said = scored(episodes("task_id"), rows="trials")
    assert means[""][2] == sum(LENGTHS)
    assert "episodes" not in said


def test_episodes_of_a_task_are_its_trials() -> None:
    twice = pd.concat([episodes("task_id", episode=number) for number in range(2)])
    means, said = scored(twice.reset_index(drop=True))
    assert means == {"": (0.6667, 6, 12)}
    assert "trial = episode" in said


def test_episodes_of_two_systems_are_paired() -> None:
    data = pd.concat([episodes("episode", model="a"), episodes("episode", model="b")])
    means, _ = scored(data)  # whose index repeats
    assert means == {"a": (0.6667, 6, 6), "b": (0.6667, 6, 6)}


def test_a_success_that_every_step_repeats_is_that_of_the_episode() -> None:
    data = episodes("task_id")
    data["success"] = data.groupby("task_id")["reward"].transform("max")
    means, said = scored(data.drop(columns="reward"))
    assert means == {"": (0.6667, 6, 6)}
    assert "all steps of an episode have the same outcome" in said


def test_rewards_of_single_steps_are_no_outcomes() -> None:
    data = episodes("episode")
    data["reward"] = 1.0  # for every step that the pole stands
    with pytest.raises(
        NoOutcomes, match="steps of 6 episodes, numbered by 'step' within 'episode'"
    ):
        errbar.load(data)


def test_graded_steps_of_problems_are_no_trials_unless_that_is_said() -> None:
    data = episodes("problem_id", outcome="correct")
    data["correct"] = [at % 3 % 2 for at in range(len(data))]
    with pytest.raises(NoOutcomes, match="system='step' scores every step by itself"):
        errbar.load(data)
    assert scored(data, rows="trials")[0][""][1:] == (6, sum(LENGTHS))
    assert len(scored(data, system="step")[0]) == max(LENGTHS)


def test_checkpoints_of_a_training_are_systems() -> None:
    data = episodes("question", lengths=(3,) * 6, outcome="correct")
    data["correct"] = [at % 3 % 2 for at in range(len(data))]
    assert set(scored(data)[0]) == {"step=0", "step=1", "step=2"}
