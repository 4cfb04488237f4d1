"""Shapes of tables of games that public files have, each beside the results counted by hand."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.optimize import minimize

import errbar
from errbar.cli import main
from errbar.errors import InputError, UnknownColumn

Rows = list[dict[str, Any]]


def games(cells: list[Any], first: str = "x", second: str = "y") -> Rows:
    return [
        {"question_id": at, "model_a": first, "model_b": second, "winner": cell}
        for at, cell in enumerate(cells)
    ]


def results(data: Any, **reading: Any) -> list[float]:
    found: list[float] = errbar.games(data, **reading).rows.result.tolist()
    return found


@pytest.mark.parametrize(
    ("word", "result"),
    [
        *(("[[A]]", 1.0), ("[B]", 0.0), ("[[C]]", 0.5), ("A++", 1.0), ("B+", 0.0)),
        *(("A is better", 1.0), ("model_b wins", 0.0), ("X", 1.0), ("Both good", 0.5)),
    ],
)
def test_verdicts_as_judges_write_them(word: str, result: float) -> None:
    assert results(games([word])) == [result]


def test_numbers_beside_words_number_the_systems() -> None:
    assert results(games(["1", "2", "tie"])) == [1.0, 0.0, 0.5]
    with pytest.raises(InputError, match=r"'0' \(1\)"):
        results(games(["0", "1", "tie"]))


def test_zero_one_and_two_may_have_either_as_the_tie() -> None:
    cells = [0, 1, 2, 2]
    with pytest.raises(InputError, match="of these, 0 or 2 may be a tie") as refused:
        results(games(cells))
    assert "first_wins=['1'], second_wins=['2'], ties_are=['0']" in str(refused.value)
    zero_ties = results(games(cells), first_wins=["1"], second_wins=["2"], ties_are=["0"])
    two_ties = results(games(cells), first_wins=["0"], second_wins=["1"], ties_are=["2"])
    assert zero_ties == [0.5, 1.0, 0.0, 0.0]
    assert two_ties == [1.0, 0.0, 0.5, 0.5]
    alpaca = [
        {"generator_1": "x", "generator_2": "y", "instruction": str(at), "preference": cell}
        for at, cell in enumerate(cells)
    ]
    assert results(alpaca) == zero_ties  # AlpacaEval says what its 0 is


@pytest.mark.parametrize(
    ("ends", "cells", "expected"),
    [
        ((-3, 3), [-3, -1, 0, 2, None], [1.0, 2 / 3, 0.5, 1 / 6]),
        ((1, 0), [1, 0.25, 0.5], [1.0, 0.25, 0.5]),
        ((5, 1), [5, 4, 1], [1.0, 0.75, 0.0]),
    ],
)
def test_grades_lie_between_the_numbers_of_both_sides(
    ends: tuple[int, int], cells: list[Any], expected: list[float]
) -> None:
    how: dict[str, Any] = {"first_wins": [str(ends[0])], "second_wins": [str(ends[1])]}
    assert results(games(cells), **how) == pytest.approx(expected)
    assert any("grades between" in remark for remark in errbar.games(games(cells), **how).remarks)
    with pytest.raises(InputError, match="name no winner"):
        results(games([*cells, 99]), **how)


def test_a_word_that_is_a_name_and_the_other_side_is_refused() -> None:
    swapped = [*games(["A", "B"], "A", "B"), *games(["A", "B"], "B", "A")]
    with pytest.raises(InputError, match=r"in 2 of 4 rows, which is the name of one system and"):
        results(swapped)
    assert results(swapped, first_wins=["A"], second_wins=["B"]) == [1.0, 0.0, 1.0, 0.0]
    assert results(games(["A", "B"], "A", "B")) == [1.0, 0.0]  # name and side agree


def test_columns_that_count_wins() -> None:
    sides = ("winner_model_a", "winner_model_b", "winner_tie")
    each = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 0)]
    rows = [
        {"id": at, "model_a": "x", "model_b": "y", **dict(zip(sides, row, strict=True))}
        for at, row in enumerate(each)
    ]
    expected = [1.0, 0.0, 0.5]
    for data in (rows, pd.DataFrame(rows), pd.DataFrame(rows).to_dict("list")):
        assert results(data) == expected
    found = errbar.games(rows)
    assert any("say who won" in remark for remark in found.remarks)
    assert any("1 of 4 rows left out" in remark for remark in found.remarks)
    totals = {"model_a": ["x"], "model_b": ["y"], "a_wins": [3], "b_wins": [2], "ties": [1]}
    assert sorted(results(totals)) == [0.0, 0.0, 0.5, 1.0, 1.0, 1.0]
    with pytest.raises(InputError, match=r"a count of wins is 0, 1, 2"):
        results({**totals, "a_wins": [0.4]})


def test_columns_of_winners_and_losers() -> None:
    rows = [{"prompt": "p", "chosen_model": "x", "rejected_model": "y", "chosen": "t"}] * 2
    rows += [{"prompt": "q", "chosen_model": "y", "rejected_model": "x", "chosen": "t"}]
    assert {row.system: row.win_rate for row in errbar.prefer(rows)} == pytest.approx(
        {"x": 2 / 3, "y": 1 / 3}
    )
    assert results([{"winner": "x", "loser": "y"}]) == [1.0]
    with pytest.raises(InputError, match="does not say which answer was shown first"):
        errbar.prefer(rows, controls=["position"])
    with pytest.raises(UnknownColumn):  # texts, not systems
        errbar.games([{"prompt": "p", "chosen": "good text", "rejected": "bad text"}])


def test_a_winner_of_one_judge_beside_another_is_refused() -> None:
    rows = [{"model_a": "x", "model_b": "y", "gpt4_winner": "A", "human_winner": "B"}]
    with pytest.raises(InputError, match="two columns could be the winner"):
        errbar.games(rows)
    assert results(rows, winner="gpt4_winner") == [1.0]


def test_comparisons_of_label_studio() -> None:
    def task(at: int, side: str, **more: Any) -> dict[str, Any]:
        part = {"type": "pairwise", "from_name": "pw", "value": {"selected": side}}
        return {
            "id": at,
            "data": {"prompt": "p", "model_a": "x", "model_b": "y"},
            "annotations": [{"completed_by": 7, "was_cancelled": False, "result": [part], **more}],
        }

    rows = [task(1, "left"), task(2, "right"), task(3, "left", was_cancelled=True)]
    found = errbar.games(rows)
    assert found.rows.result.tolist() == [1.0, 0.0]
    assert found.judges == ("7",)
    with pytest.raises(UnknownColumn, match="is the first system"):
        errbar.games([{**row, "data": {"prompt": "p"}} for row in rows])


def test_weights_of_games_on_one_question_do_not_stop_win_rates(tmp_path: Path) -> None:
    scores = [("A>>B", "A>B"), ("B>A", "A>>B"), ("A=B", "B>>A")]
    hard = [
        {"uid": str(at), "model": "m", "baseline": "o", "judge": "j",
         "games": [{"score": first}, {"score": second}]}
        for at, (first, second) in enumerate(scores)
    ]  # fmt: skip
    won, weight = [0, 1, 1, 1, 0.5, 0], [3, 1, 1, 3, 1, 3]
    expected = sum(a * b for a, b in zip(won, weight, strict=True)) / sum(weight)
    (found,) = errbar.prefer(hard, against="o")
    assert found.value == pytest.approx(expected)  # Arena-Hard's pooled score
    assert found.games == 6
    (plain,) = errbar.prefer(hard, against="o", weight="")
    assert plain.value == pytest.approx(sum(won) / 6)
    path = tmp_path / "m.jsonl"
    path.write_text("\n".join(map(json.dumps, hard)), "utf-8")
    said = CliRunner().invoke(main, ["prefer", str(path), "--against", "o", "--map", "weight="])
    assert said.exit_code == 0, said.output


def test_what_fastchat_counts_otherwise_is_stated() -> None:
    rows = [{"question_id": 1, "model_1": "m", "model_2": "n", "g1_winner": "model_1",
             "g2_winner": second} for second in ("tie", "model_1", "model_2")]  # fmt: skip
    remarks = " ".join(errbar.games(rows).remarks)
    assert "in 1 of 3 records one of two is a tie" in remarks


def test_a_win_rate_at_equal_length_is_a_logistic_regression_of_each_system() -> None:
    rng = np.random.default_rng(8)
    rows, expected = [], {}
    for system, strength in (("m", -0.5), ("n", 1.0)):
        longer = rng.integers(-400, 400, 400)
        won = rng.random(400) < 1.0 / (1.0 + np.exp(-strength - 0.004 * longer))
        rows += [
            {"id": at, "model_a": system, "model_b": "base", "length": int(more),
             "winner": "A" if is_won else "B"}
            for at, (more, is_won) in enumerate(zip(longer, won, strict=True))
        ]  # fmt: skip
        expected[system] = longer, won
    spread = np.std(np.concatenate([longer for longer, _ in expected.values()]))
    found = {row.system: row for row in errbar.prefer(rows, against="base", controls=["length"])}
    for system, (longer, won) in expected.items():
        design = np.stack([np.ones(400), np.tanh(longer / spread)], axis=1)
        signs = np.where(won, 1.0, -1.0)

        def lost(beta: np.ndarray, design: np.ndarray = design, signs: np.ndarray = signs) -> float:
            return float(np.logaddexp(0.0, -signs * (design @ beta)).sum())

        best = minimize(lost, np.zeros(2), tol=1e-12)
        chance = 1 / (1 + np.exp(-(design @ best.x)))
        sd = np.linalg.inv((design.T * (chance * (1 - chance))) @ design)[0, 0] ** 0.5
        assert found[system].value == pytest.approx(1 / (1 + np.exp(-best.x[0])), abs=1e-5)
        ends = [1 / (1 + np.exp(-(best.x[0] + sign * 1.96 * sd))) for sign in (-1, 1)]
        assert [found[system].interval.low, found[system].interval.high] == pytest.approx(
            ends, abs=0.01
        )
    assert (found["n"].rank, found["n"].worst_rank, found["m"].best_rank) == (1, 1, 2)
    assert {row.groups for row in found.values()} == {"a", "b"}


def test_a_flag_marks_ties_beside_a_winner_that_is_empty_or_was_written_anyway() -> None:
    rows = games(["A", "", "B"])
    for row, flag in zip(rows, (0, 1, 0), strict=True):
        row["is_tie"] = flag
    found = errbar.games(rows)
    assert found.rows.result.tolist() == [1.0, 0.5, 0.0]
    assert "1 of 3 games are marked as ties." in found.remarks
    pairs = [{"winner": "x", "loser": "y", "tie": flag} for flag in ("false", "true", "false")]
    assert results(pairs) == [1.0, 0.5, 1.0]
    assert results(pd.DataFrame(rows)) == [1.0, 0.5, 0.0]
    rows[0]["is_tie"] = 1
    with pytest.raises(InputError, match="row 1 is marked as a tie, but 'winner' says 'A'"):
        errbar.games(rows)
    numbers = [{**row, "draw": at} for at, row in enumerate(games(["A", "B", "A"]), start=3)]
    assert results(numbers) == [1.0, 0.0, 1.0]  # the number of a draw is no flag


@pytest.mark.parametrize(
    ("won", "lost"), [("preferred_model_tag", "other_model_tag"), ("better_model", "worse_model")]
)
def test_columns_of_winners_and_losers_have_many_names(won: str, lost: str) -> None:
    assert errbar.games([{won: "x", lost: "y"}] * 3).systems == ("x", "y")


def test_games_lie_in_a_list_of_a_document_or_by_their_question(tmp_path: Path) -> None:
    rows = games(["A", "tie", "B"])
    file = tmp_path / "games.json"
    file.write_text(json.dumps({"version": 1, "names": ["x"], "battles": rows}))
    with pytest.raises(UnknownColumn):
        errbar.games(file)  # two lists, of which one is no table
    file.write_text(json.dumps({"version": 1, "battles": rows}))
    assert results(file) == [1.0, 0.5, 0.0]
    own = [{k: v for k, v in row.items() if k != "question_id"} for row in rows]
    file.write_text(json.dumps({f"q{at}": row for at, row in enumerate(own)}))
    found = errbar.games(file)
    assert found.rows.result.tolist() == [1.0, 0.5, 0.0]
    assert found.questions == ("q0", "q1", "q2")


def test_a_column_has_both_systems_as_a_pair() -> None:
    rows = [{"pair": ["x", "y"], "judge_verdict": word} for word in ("A", "Tie", "B")]
    assert results(rows) == [1.0, 0.5, 0.0]
    rows[0]["pair"] = ["x"]
    with pytest.raises(UnknownColumn):
        errbar.games(rows)


def test_sheets_of_mechanical_turk_have_prefixes(tmp_path: Path) -> None:
    rows = [
        {"WorkerId": f"w{at % 2}", "Input.item_id": f"i{at // 2}", "Input.model_a": "x",
         "Input.model_b": "y", "Answer.winner": word}
        for at, word in enumerate(["A", "B", "tie", "A"])
    ]  # fmt: skip
    file = tmp_path / "batch.csv"
    pd.DataFrame(rows).to_csv(file, index=False)
    found = errbar.games(file)
    assert found.rows.result.tolist() == [1.0, 0.0, 0.5, 1.0]
    assert (found.questions, found.judges) == (("i0", "i1"), ("w0", "w1"))
    ratings = tmp_path / "ratings.csv"
    sheet = {"HITId": [*"aabb"], "WorkerId": ["u", "v"] * 2, "label": [*"xxxy"]}
    pd.DataFrame(sheet).to_csv(ratings, index=False)
    assert errbar.agree(ratings)[0].value == 0.5


def test_records_of_argilla_have_an_answer_for_each_person() -> None:
    def record(at: int, answers: list[tuple[str, str]]) -> dict[str, Any]:
        given = [
            {"value": value, "user_id": f"u{who}", "status": status}
            for who, (value, status) in enumerate(answers)
        ]
        return {
            "id": f"r{at}",
            "fields": {"prompt": "p", "response_a": "x", "response_b": "y"},
            "metadata": {"model_a": "x", "model_b": "y"},
            "responses": {"preference": given},
        }

    rows = [
        record(0, [("response_a", "submitted"), ("response_b", "submitted")]),
        record(1, [("tie", "submitted"), ("response_b", "discarded")]),
    ]
    found = errbar.games(rows)
    assert found.rows.result.tolist() == [1.0, 0.0, 0.5]
    assert (found.questions, found.judges) == (("r0", "r1"), ("u0", "u1"))


def test_choices_of_a_side_in_label_studio_are_games() -> None:
    def task(choice: str) -> dict[str, Any]:
        parts = [
            {"type": "choices", "from_name": "side", "value": {"choices": [choice]}},
            {"type": "choices", "from_name": "tone", "value": {"choices": ["polite"]}},
        ]
        annotation = {"result": parts, "completed_by": {"email": "a@b"}}
        data = {"model_a": "x", "model_b": "y"}
        return {"id": choice, "data": data, "annotations": [annotation]}

    assert results([task("Left"), task("Right"), task("Tie")]) == [1.0, 0.0, 0.5]


@pytest.mark.parametrize("noun", ["completion", "Option", "output", "response"])
def test_a_side_is_a_letter_or_a_number_of_what_was_shown(noun: str) -> None:
    words = [f"{noun}_a", f"{noun} B", f"{noun}-1", f"{noun}_2", "tie"]
    assert results(games(words)) == [1.0, 0.0, 1.0, 0.0, 0.5]


def test_systems_that_differ_in_spelling_alone_are_named() -> None:
    rows = [("GPT-4", "m2"), ("gpt 4", "m2"), ("m2", "GPT-4")]
    games = [{"model_a": a, "model_b": b, "winner": "model_a"} for a, b in rows]
    found = errbar.prefer(games)
    assert len(found) == 3
    assert "'GPT-4', 'gpt 4' are taken for different systems" in "\n".join(found.remarks)
    assert "different systems" not in "\n".join(errbar.prefer([games[0], games[2]]).remarks)
