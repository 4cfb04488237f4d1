"""Games read from any shape, and what `prefer` says of them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from scipy.stats import beta

import errbar
from errbar import preferences
from errbar.base.remarks import above
from errbar.cli import main
from errbar.errors import InputError, NotThere, UnknownColumn
from logs import FIXTURES, real

BATTLES = (
    [("small", "large", "model_b")] * 12
    + [("small", "large", "model_a")] * 5
    + [("large", "huge", "tie")] * 4
    + [("large", "huge", "model_a")] * 3
    + [("huge", "small", "model_a")] * 6
    + [("huge", "small", "tie (bothbad)")] * 2
    + [("huge", "large", "model_a")] * 2
)


def records(battles: list[tuple[str, str, Any]] = BATTLES) -> list[dict[str, Any]]:
    return [
        {"question_id": at, "model_a": a, "model_b": b, "winner": winner}
        for at, (a, b, winner) in enumerate(battles)
    ]


def values(found: Any) -> dict[str, float]:
    return {row.system: row.value for row in found}


def test_every_container_gives_the_same_ratings(tmp_path: Path) -> None:
    expected = values(errbar.prefer(records()))
    frame = pd.DataFrame(records())
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "b.parquet")
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, records())), "utf-8")
    (tmp_path / "d.json").write_text(json.dumps(records()), "utf-8")
    for data in (frame, pl.DataFrame(frame), frame.to_dict("list"), *sorted(tmp_path.iterdir())):
        assert values(errbar.prefer(data)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("winner", "result"),
    [
        *(("model_a", 1.0), ("A", 1.0), ("left", 1.0), ("x", 1.0), ("[[A>>B]]", 1.0)),
        *(("model_b", 0.0), ("b", 0.0), ("second", 0.0), ("y", 0.0), ("A<B", 0.0), ("B>A", 0.0)),
        *(("tie", 0.5), ("both_bad", 0.5), ("A=B", 0.5), ("Draw", 0.5)),
    ],
)
def test_words_for_the_winner(winner: str, result: float) -> None:
    found = errbar.games([{"model_a": "x", "model_b": "y", "winner": winner}])
    assert found.rows.result.tolist() == [result]


def test_unknown_words_and_ambiguous_numbers_are_refused_with_the_way_out() -> None:
    with pytest.raises(InputError, match=r"'yes' \(1\).*first_wins"):
        errbar.games(records([("a", "b", "yes")]))
    assert errbar.games(records([("a", "b", "yes")]), first_wins=["yes"]).rows.result[0] == 1
    numbers = records([("a", "b", 0), ("a", "b", 1)])
    with pytest.raises(InputError, match="may count wins of the first system or number the winner"):
        errbar.games(numbers)
    found = errbar.games(numbers, first_wins=["0"], second_wins=["1"])
    assert found.rows.result.tolist() == [1.0, 0.0]
    both = [{**row, "human_winner": row["winner"]} for row in records()]
    assert len(errbar.games(both)) == len(both)  # the plain name is meant
    for row in both:
        row["judge_pick"] = row.pop("winner")
    with pytest.raises(InputError, match="two columns could be the winner"):
        errbar.games(both)
    with pytest.raises(UnknownColumn, match="no column says who won"):
        errbar.games([{"model_a": "x", "model_b": "y"}])


def test_rows_without_a_verdict_are_counted(tmp_path: Path) -> None:
    odd = records([*BATTLES, ("small", "large", None), ("small", "small", "A")])
    path = tmp_path / "battles.jsonl"
    path.write_text("\n".join(map(json.dumps, odd)), "utf-8")
    (tmp_path / "notes.txt").write_text("nothing", "utf-8")
    found = errbar.prefer([path, tmp_path / "notes.txt"])
    assert found.games == len(BATTLES)
    notes = " ".join(found.notes())
    assert "2 of 36 rows left out" in notes
    assert "notes.txt" in notes
    assert "2 of 36 games are 'both bad': counted as ties" in notes
    with pytest.raises(NotThere, match="no game has a verdict"):
        errbar.prefer(records([("a", "b", None)]))


def test_graded_judgments_of_arena_hard_and_mt_bench() -> None:
    hard = [
        {
            "uid": "q",
            "model": "m",
            "judge": "j",
            "baseline": "o",
            "games": [{"score": "A>>B"}, {"score": "A>B"}],
        },
        {
            "uid": "r",
            "model": "m",
            "judge": "j",
            "baseline": "o",
            "games": [{"score": "B>A"}, {"score": None}],
        },
    ]
    found = errbar.games(hard)  # the baseline is shown first in the first game
    assert found.rows.result.tolist() == [1.0, 1.0, 0.0]
    assert found.rows.weight.tolist() == [3.0, 1.0, 1.0]
    assert found.outcomes("o") == {  # a question has one weight
        "system": ["m"] * 2,
        "question": ["q", "r"],
        "outcome": [0.25, 1.0],
        "weight": [2.0, 1.0],
    }
    bench = [
        {
            "question_id": 1,
            "model_1": "m",
            "model_2": "n",
            "g1_winner": "model_1",
            "g2_winner": "tie",
            "judge": ["gpt", "p"],
        }
    ]
    found = errbar.games(bench)
    assert found.judges == ("gpt",)
    assert found.outcomes("n")["outcome"] == [1.0, 0.5]


def test_select_best_of_promptfoo() -> None:
    def row(test: int, provider: str, passed: bool) -> dict[str, Any]:
        part = {"pass": passed, "assertion": {"type": "select-best"}}
        return {
            "testIdx": test,
            "provider": {"id": provider},
            "gradingResult": {"componentResults": [part]},
        }

    rows = [row(0, "a", True), row(0, "b", False), row(1, "a", False), row(1, "b", True)]
    assert errbar.games(rows).outcomes("b")["outcome"] == [1.0, 0.0]


def test_feedback_of_pairwise_experiments_of_langsmith() -> None:
    def row(group: str, session: str, score: float | None) -> dict[str, Any]:
        own = {"run_id": f"{group}-{session}", "session_id": session, "score": score}
        shared = {"key": "ranked_preference", "comparative_experiment_id": "c"}
        return {**own, **shared, "feedback_group_id": group}

    rows = [row("g1", "a", 1), row("g1", "b", 0), row("g2", "b", 1), row("g2", "a", 0)]
    rows += [row("g3", "a", 0.5), row("g3", "b", 0.5), row("g4", "a", None), row("g4", "b", 1)]
    found = errbar.games([*rows, {**row("g5", "a", 1), "comparative_experiment_id": None}])
    assert found.judges == ("ranked_preference",)
    assert found.outcomes("b")["outcome"] == [1.0, 0.0, 0.5]
    assert any("1 of 4 rows left out" in remark for remark in found.remarks)


def test_position_bias_is_that_of_pairs_played_in_both_orders(tmp_path: Path) -> None:
    def game(question: int, first: str, second: str, winner: str) -> dict[str, Any]:
        return {"question_id": question, "model_a": first, "model_b": second, "winner": winner}

    rows = []
    for at in range(120):  # 72 keep their verdict, 36 prefer the first, 12 the second
        here = "model_b" if at >= 108 else "model_a"
        there = "model_b" if at < 72 or at >= 108 else "model_a"
        rows += [game(at, "x", "y", here), game(at, "y", "x", there)]
    rows.append(game(999, "x", "y", "model_a"))  # in one order only
    found = preferences.position_bias(rows)
    assert [row.value for row in found] == pytest.approx([0.1, 0.6, 0.3, 0.1])
    assert {row.items for row in found} == {120}
    assert found[1].interval.low == pytest.approx(beta.ppf(0.025, 72, 49), abs=1e-4)
    assert found[0].interval.low > 0.0
    assert "favours the answer shown first by 0.10" in str(found)
    file = tmp_path / "battles.json"
    file.write_text(json.dumps(rows), "utf-8")
    run = CliRunner().invoke(main, ["prefer", str(file), "--position"])
    assert "keeps its verdict in 0.60 of 120 pairs" in run.stdout
    with pytest.raises(InputError, match="played in both orders"):
        preferences.position_bias(rows[::2])


def test_the_report_on_games_has_ratings_pairs_and_escaped_names(tmp_path: Path) -> None:
    named = [{**row, "judge": "<b>j</b>"} for row in records()]
    target = preferences.report_games(named, tmp_path / "games.html")
    page = target.read_text("utf-8")
    assert "Bradley-Terry model, a tie is half a win" in target.read_text("utf-8")
    for row in errbar.prefer(named):
        assert f">{row.system}<" in page
        assert f"{row.value:.0f}" in page
    assert "0.71 <small>(17)" in page  # of 17 games large won 12 against small
    assert "&lt;b&gt;j" in page
    assert "<b>j</b>" not in page
    assert "played in both orders" not in page
    with pytest.raises(InputError, match="HTML file"):
        preferences.report_games(named, tmp_path / "games.txt")


def test_outcomes_of_games_are_refused_with_the_verb_that_takes_them() -> None:
    with pytest.raises(UnknownColumn, match=r"two systems.*errbar\.prefer"):
        errbar.load(records())


def test_systems_that_never_met_are_named() -> None:
    with pytest.raises(InputError, match=r"2 groups of systems.*: huge, large, small; u, v"):
        errbar.prefer(records([*BATTLES, ("u", "v", "A")]))


def test_a_system_that_won_all_has_a_finite_rating_and_no_upper_end() -> None:
    found = errbar.prefer(records([*BATTLES, *[("king", "large", "A")] * 5]))
    king = found[0]
    assert king.system == "king"
    assert np.isfinite(king.value)
    assert king.interval.high == np.inf
    assert any("king never lost" in note for note in found.notes())
    assert "∞" in str(found)
    assert json.loads(found.to_json())["rows"][0]["high"] is None
    with pytest.raises(InputError, match="won or lost all"):
        errbar.prefer(records([*BATTLES, *[("king", "large", "A")] * 5]), ties="davidson")


def test_ratings_are_those_of_arena_rank() -> None:
    """Made by tests/fixtures/reference_preferences.py; its ratings have no mean of 1000."""
    known = json.loads((FIXTURES / "judges" / "arena_rank.json").read_text("utf-8"))
    found = values(errbar.prefer(known["games"]))
    mean = np.mean([*known["ratings"].values()])
    expected = {name: rating - mean + 1000.0 for name, rating in known["ratings"].items()}
    assert found == pytest.approx(expected, abs=1e-6)


def test_ratings_by_judge_and_with_an_anchor() -> None:
    rows = [{**row, "judge": "ab"[at % 2]} for at, row in enumerate(records(BATTLES * 2))]
    found = errbar.prefer(rows, by_judge=True)
    assert [row.judge for row in found] == ["a"] * 3 + ["b"] * 3
    anchored = errbar.prefer(rows, anchor="small")
    assert values(anchored)["small"] == 1000.0
    apart = values(errbar.prefer(rows))
    assert values(anchored)["huge"] - 1000 == pytest.approx(apart["huge"] - apart["small"])


def test_elo_ratings_do_not_depend_on_the_order_of_the_rows() -> None:
    forwards = errbar.prefer(records(), method="elo")
    backwards = errbar.prefer(records()[::-1], method="elo", anchor="small")
    shift = values(forwards)["small"] - 1000.0
    for row in forwards:  # the mean of 1,000 orders has a standard error of about 0.1
        assert values(backwards)[row.system] + shift == pytest.approx(row.value, abs=0.5)
        assert row.interval.low < row.value < row.interval.high
    with pytest.raises(InputError, match="a tie as half a win"):
        errbar.prefer(records(), method="elo", ties="davidson")


def test_a_control_is_allowed_for() -> None:
    """The longer answer always wins: with the length allowed for, neither system is better."""
    rng = np.random.default_rng(0)
    rows = []
    for at in range(300):
        longer = rng.normal(0.8)
        won = rng.random() < 1 / (1 + np.exp(-2 * longer))
        rows.append(
            {"id": at, "model_a": "x", "model_b": "y", "winner": "ab"[not won], "length": longer}
        )
    plain = values(errbar.prefer(rows))
    assert plain["x"] - plain["y"] > 80
    found = errbar.prefer(rows, controls=["length"])
    assert {row.groups for row in found} == {"a"}
    assert any(note.startswith("length: coefficient +") for note in found.notes())


def test_the_position_is_allowed_for() -> None:
    """Two systems: the mean and half the difference of the log odds of the two orders."""
    games = [("x", "y", "a")] * 24 + [("x", "y", "b")] * 6 + [("y", "x", "a")] * 15
    games += [("y", "x", "b")] * 10
    rows = [dict(zip(("model_a", "model_b", "winner"), game, strict=True)) for game in games]
    found = errbar.prefer(rows, controls=["position"])
    shown_first, shown_second = np.log(24 / 6), -np.log(15 / 10)
    rated = values(found)
    points = 400 / np.log(10)
    assert rated["x"] - rated["y"] == pytest.approx(points * (shown_first + shown_second) / 2)
    effect = (shown_first - shown_second) / 2
    (note,) = [note for note in found.notes() if note.startswith("position: ")]
    assert f"coefficient {effect:+.2f} (95% CI " in note
    assert f"which is {points * effect:+.0f} points" in note
    with pytest.raises(InputError, match=r"position.*cannot be told apart"):
        errbar.prefer(rows[:30], controls=["position"])


def test_an_answer_is_as_long_as_its_text() -> None:
    rows = [
        {
            "model_a": "x",
            "model_b": "y",
            "winner": "ab"[at % 2],
            "output_1": first,
            "output_2": second,
        }
        for at, (first, second) in enumerate(
            [("42", "forty-two"), ("9999999", "no"), ("a", "b")] * 3
        )
    ]
    (length,) = errbar.games(rows, controls=["length"]).rows.controls[:3].T
    gaps = np.array([-7.0, 5.0, 0.0])
    assert length == pytest.approx(np.tanh(gaps / gaps.std()))


def test_win_rates_of_alpaca_eval_are_those_published() -> None:
    place = real("preferences/alpaca_eval")
    found = errbar.prefer(place, against="gpt4_1106_preview")
    shares = {row.system: round(100 * row.value, 3) for row in found}
    assert shares == {"claude-instant-1.2": 16.127, "gemma-7b-it": 6.937, "vicuna-7b-v1.3": 4.643}
    assert any("leaderboard.csv" in note for note in found.notes())


def test_the_command_prints_what_python_does(tmp_path: Path) -> None:
    path = tmp_path / "battles.jsonl"
    path.write_text("\n".join(map(json.dumps, records())), "utf-8")
    ended = CliRunner().invoke(
        main, ["prefer", str(path), "--ties", "davidson", "--format", "json"]
    )
    assert ended.exit_code == 0, ended.output
    rows = json.loads(ended.stdout)["rows"]
    expected = values(errbar.prefer(path, ties="davidson"))
    assert {row["system"]: row["value"] for row in rows} == pytest.approx(expected)
    wins = CliRunner().invoke(main, ["prefer", str(path), "--against", "small"])
    assert "win rate against small" in wins.output
    assert any("Columns: first = model_a" in note for note in above(errbar.prefer(path).notes()))
