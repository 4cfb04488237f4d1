"""Trees of results that agents leave: OSWorld and BrowserGym, counted by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

import errbar
from errbar.errors import InputError
from logs import remarks_of, rows_of

SCORES = {"gpt-4o": [1.0, 0.0, 0.5, 0.0], "claude": [1.0, 1.0, 0.5, 0.0]}


def osworld(place: Path, run: str = "pyautogui/screenshot") -> Path:
    """A tree as OSWorld writes it: action space, observation, model, domain, example."""
    for model, scores in SCORES.items():
        for at, score in enumerate(scores):
            folder = place / run / model / ("chrome", "gimp")[at % 2] / f"example-{at}"
            folder.mkdir(parents=True)
            (folder / "result.txt").write_text(f"{score}\n", encoding="utf-8")
            (folder / "traj.jsonl").write_text('{"step_num": 1, "done": true}\n', encoding="utf-8")
            (folder / "runtime.log").write_text("log\n", encoding="utf-8")
    return place


def browsergym(place: Path, failed: int = -1) -> Path:
    """Folders as AgentLab writes them, one of which may have failed."""
    for agent, scores in SCORES.items():
        for at, score in enumerate(scores):
            name = f"2024-10-23_08-42-45_{agent}_on_miniwob.click-{at // 2}_{at % 2}"
            folder = place / name
            folder.mkdir(parents=True)
            error = "Timeout" if at == failed else None
            whole: dict[str, Any] = {"n_steps": 4, "cum_reward": 0 if error else score}
            whole |= {"err_msg": error, "terminated": True, "truncated": False}
            (folder / "summary_info.json").write_text(json.dumps(whole), encoding="utf-8")
            (folder / "exp_args.pkl").write_bytes(b"x")
    return place


def means(path: Path) -> dict[str, float]:
    return {score.system: score.value for score in errbar.load(path).score("avg")}


EXPECTED = {model: sum(scores) / 4 for model, scores in SCORES.items()}


def test_models_of_osworld_are_systems_and_examples_questions(tmp_path: Path) -> None:
    assert means(osworld(tmp_path)) == EXPECTED
    assert {row["question"] for row in rows_of(tmp_path)} == {
        *("chrome/example-0", "gimp/example-1", "chrome/example-2", "gimp/example-3")
    }


def test_trees_of_one_model_are_trials(tmp_path: Path) -> None:
    osworld(tmp_path, "first/screenshot")
    osworld(tmp_path, "second/screenshot")
    assert means(tmp_path) == EXPECTED
    assert {row["trial"] for row in rows_of(tmp_path)} == {0, 1}
    assert "4 examples" not in remarks_of(tmp_path)
    assert "8 examples have several results" in remarks_of(tmp_path)


def test_a_text_that_is_no_score_is_no_result(tmp_path: Path) -> None:
    osworld(tmp_path)
    other = tmp_path / "pyautogui" / "screenshot" / "gpt-4o" / "chrome" / "example-0"
    (other / "result.txt").write_text("done", encoding="utf-8")
    assert len(rows_of(tmp_path)) == 7


def test_agents_of_browsergym_are_systems_and_seeds_belong_to_their_task(tmp_path: Path) -> None:
    assert means(browsergym(tmp_path)) == EXPECTED
    rows = rows_of(tmp_path)
    assert {row["question"] for row in rows} == {
        *("miniwob.click-0 0", "miniwob.click-0 1", "miniwob.click-1 0", "miniwob.click-1 1")
    }
    assert {row["cluster"] for row in rows} == {"miniwob.click-0", "miniwob.click-1"}


def test_an_episode_that_failed_has_no_result(tmp_path: Path) -> None:
    browsergym(tmp_path, failed=0)
    assert means(tmp_path) == {"gpt-4o": 0.5 / 4, "claude": 1.5 / 4}
    assert {row["status"] for row in rows_of(tmp_path)} == {"ok", "error"}


def test_folders_that_were_renamed_are_refused(tmp_path: Path) -> None:
    (tmp_path / "run7").mkdir()
    text = '{"n_steps": 1, "cum_reward": 1, "terminated": true, "truncated": false}'
    (tmp_path / "run7" / "summary_info.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="names no agent and task"):
        errbar.load(tmp_path)
