"""Votes by answer: against every subset written out, and against counting by hand."""

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from statistics import mean

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as some

import errbar
from errbar.data.queries.tallies import Ballots
from errbar.errors import InputError, NotEnoughTrials, UnknownColumn, WrongType
from errbar.metrics import VoteAt

RIGHT = {"a", "b"}  # two ways to write what is right
ANSWERS = some.lists(some.sampled_from(["a", "b", "c", "d", None]), min_size=1, max_size=8)


def by_subsets(answers: list[str | None], k: int) -> Fraction:
    """The mean credit of the winner over every k-subset of the trials."""
    credits = []
    for drawn in combinations(answers, k):
        votes = Counter(answer for answer in drawn if answer is not None)
        most = max(votes.values(), default=0)
        winners = [answer for answer, n in votes.items() if n == most]
        right = sum(answer in RIGHT for answer in winners)
        credits.append(Fraction(right, len(winners)) if winners else Fraction())
    return mean(credits)


def table(questions: Sequence[Sequence[str | None]]) -> pl.DataFrame:
    rows = [
        (f"q{at}", trial, answer, float(answer in RIGHT))
        for at, answers in enumerate(questions)
        for trial, answer in enumerate(answers)
    ]
    return pl.DataFrame(rows, schema=["question", "trial", "answer", "outcome"], orient="row")


@given(some.lists(ANSWERS, min_size=1, max_size=4), some.integers(1, 8))
def test_the_winner_of_every_subset(questions: list[list[str | None]], k: int) -> None:
    k = min(k, *map(len, questions))
    (each,) = errbar.load(table(questions)).score(f"vote@{k}")
    expected = mean(by_subsets(answers, k) for answers in questions)
    assert each.value == pytest.approx(float(expected), abs=1e-13)


def test_a_large_question_against_exact_counting() -> None:
    ballots = Ballots(votes=(40, 30, 20), credit=(0.0, 1.0, 0.0), silent=10)
    (value,) = VoteAt(100).values([ballots])
    assert value == 0.0
    (value,) = VoteAt(1).values([ballots])
    assert value == pytest.approx(0.3, abs=1e-14)
    values = [VoteAt(k).values([ballots])[0] for k in (9, 33, 90, 99)]
    assert values == sorted(values, reverse=True)  # more votes, less luck


def test_one_draw_is_the_average() -> None:
    runs = errbar.load(table([["a", "c", "c"], ["b", None, "a"]]))
    vote, avg = runs.score("vote@1", "avg")
    assert vote.value == pytest.approx(avg.value, abs=1e-15)


def test_votes_differ_from_the_majority_of_right_and_wrong() -> None:
    runs = errbar.load(table([["a", "a", "c", "d", None]]))  # two of five right, but most agreed on
    vote, majority = runs.score("vote@5", "maj@5")
    assert (vote.value, majority.value) == (1.0, 0.0)


def test_failed_trials_do_not_vote_and_may_be_left_out(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    rows = ["q,0,a,1,ok", "q,1,c,0,ok", "q,2,c,,error", "r,0,a,1,ok", "r,1,a,1,ok", "r,2,a,1,ok"]
    path.write_text("\n".join(["question,trial,answer,outcome,status", *rows]))
    runs = errbar.load(path)
    assert runs.score("vote@3")[0].value == 0.75  # a tie on q, a clear win on r
    assert runs.score("vote@2", errors="missing")[0].value == 0.75
    with pytest.raises(NotEnoughTrials, match="1 of 2 questions have fewer"):
        runs.score("vote@3", errors="missing")
    left = runs.score("vote@3", errors="missing", short="drop")
    assert left[0].value == 1.0
    assert any("leaves out 1 of 2" in note for note in left.notes())
    worst, best = runs.score("vote@2", errors="bracket")
    assert worst.value == runs.score("vote@2")[0].value
    assert math.isnan(best.value)
    assert "no answer to vote for; errors='fail' counts" in best.reason


def test_a_system_without_any_answer_has_no_vote_and_keeps_no_other_from_it() -> None:
    rows = table([["a", "a", "c"], ["c", "a", "a"]])
    both = pl.concat(
        [
            rows.with_columns(system=pl.lit("told")),
            rows.with_columns(system=pl.lit("untold"), answer=pl.lit(None, dtype=pl.String)),
        ],
        how="diagonal",
    )
    silent, told = sorted(
        errbar.load(both).score("vote@3"), key=lambda each: each.value == each.value
    )
    assert (told.system, told.value) == ("told", errbar.load(rows).score("vote@3")[0].value)
    assert silent.reason.startswith("no row has an answer to vote by; maj@k")


def test_ties_may_go_to_the_answer_that_came_first() -> None:
    runs = errbar.load(table([["c", "a", "a", "c"], ["a", "d", "d", "a"], ["d", "c", "a", "a"]]))
    split, first = runs.score("vote@4", "vote@4(ties='first')")
    assert split.value == pytest.approx((0.5 + 0.5 + 1) / 3, abs=1e-15)
    assert first.value == pytest.approx((0 + 1 + 1) / 3, abs=1e-15)
    with pytest.raises(InputError, match="needs exactly 3 numbered trials of every question"):
        runs.score("vote@3(ties='first')")
    with pytest.raises(InputError, match="'split' or 'first'"):
        runs.score("vote@4(ties='last')")


def test_answers_are_needed_and_so_is_right_or_wrong() -> None:
    with pytest.raises(UnknownColumn, match=r"maj@k"):
        errbar.load(pl.DataFrame({"question": ["q"], "outcome": [1]})).score("vote@1")
    with pytest.raises(InputError, match=r"maj@k"):
        errbar.load([[1, 0]]).score("vote@1")
    rewards = pl.DataFrame({"question": ["q"], "outcome": [0.5], "answer": ["a"]})
    with pytest.raises(WrongType, match="0 and 1"):
        errbar.load(rewards).score("vote@1")


def test_more_trials_than_a_float_can_count_are_refused() -> None:
    with pytest.raises(InputError, match="1000 trials"):
        VoteAt(2).values([Ballots(votes=(1001,), credit=(1.0,), silent=0)])


def test_a_known_number_of_questions_narrows_votes_down_to_their_noise() -> None:
    same, other = ["a"] * 12, ["c"] * 12
    runs = errbar.load(table([same] * 12 + [other] * 11 + [["a"] * 9 + ["c"] * 3]))
    plain, half, nearly = (runs.score("vote@3", questions_in_all=n)[0] for n in (None, 48, 24))
    widths = [each.interval.high - each.interval.low for each in (plain, half, nearly)]
    assert 0.75 * widths[0] > widths[1] > widths[2] > 0
    assert plain.sd > half.sd > nearly.sd > 0
    assert not half.reason


def test_votes_of_all_trials_cannot_tell_noise_and_say_so() -> None:
    runs = errbar.load(table([["a", "a", "c"]] * 12 + [["c", "d", "a"]] * 12))
    plain, found = (runs.score("vote@3", questions_in_all=n)[0] for n in (None, 24))
    assert (found.sd, found.interval) == (plain.sd, plain.interval)
    assert "questions_in_all has no effect" in found.reason


def test_an_audit_says_that_votes_are_not_simulated() -> None:
    scores = errbar.load(table([["a", "a", "c"]] * 5)).score("vote@3", audit=True)
    assert any("not rewards or votes" in note for note in scores.notes())
