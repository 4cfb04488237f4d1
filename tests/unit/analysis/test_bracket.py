"""Failed trials that may have been anything, against the same data with failures filled in."""

from collections.abc import Collection, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.optimize import brentq
from scipy.stats import norm

import errbar
from errbar.cli import main
from errbar.errors import InputError
from errbar.results.comparison import Comparison

Rows = dict[str, list[Any]]
TRIALS = 3


def rows(questions: int = 25, **failing: float) -> Rows:
    """Systems that get 0.8, 0.6, … right, and of which some trials fail."""
    rng = np.random.default_rng(3)
    found: Rows = {"system": [], "question": [], "trial": [], "outcome": []}
    for at, (name, share) in enumerate(failing.items()):
        right = rng.random((questions, TRIALS)) < 0.8 - 0.2 * at
        fails = rng.random((questions, TRIALS)) < share
        for (question, trial), lost in np.ndenumerate(fails):
            found["system"].append(name)
            found["question"].append(question)
            found["trial"].append(trial)
            found["outcome"].append(None if lost else int(right[question, trial]))
    return found | {"status": ["error" if x is None else "ok" for x in found["outcome"]]}


def filled(data: Rows, *, right: str = "") -> errbar.Runs:
    """Rows with failed trials counted as wrong, except those of one system."""
    pairs = zip(data["outcome"], data["system"], strict=True)
    outcomes = [int(name == right) if x is None else x for x, name in pairs]
    return errbar.load({**data, "outcome": outcomes, "status": ["ok"] * len(outcomes)})


DATA = rows(a=0.02, b=0.15)


@pytest.mark.parametrize(
    ("name", "estimand"), [("a", "population"), ("b", "population"), ("b", "benchmark")]
)
def test_the_interval_of_a_score_is_that_of_imbens_and_manski(name: str, estimand: str) -> None:
    some = {key: [x for x, who in zip(column, DATA["system"], strict=True) if who == name]
            for key, column in DATA.items()}  # fmt: skip
    worst, best = errbar.load(some).score("pass@2", errors="bracket", estimand=estimand)
    assert worst.bracket is not None
    assert worst.bracket == best.bracket
    width = (best.mean - worst.mean) / max(worst.sd, best.sd)
    reach = brentq(lambda c: norm.cdf(c + width) - norm.cdf(-c) - 0.95, 1.0, 3.0)
    level = min(np.ceil(1000 * (1.0 - 2.0 * norm.cdf(-reach))) / 1000, 0.95)  # rounded up
    assert 0.9 <= level <= 0.95
    low, high = (
        filled(some, right=right).score("pass@2", estimand=estimand, level=level)[0].interval
        for right in ("", name)
    )
    assert (worst.bracket.low, worst.bracket.high) == pytest.approx((low.low, high.high))


@pytest.mark.parametrize("estimand", ["population", "benchmark"])
def test_a_difference_is_held_under_the_worst_and_the_best_fate(estimand: str) -> None:
    (found,) = errbar.load(DATA).compare("pass@2", errors="bracket", estimand=estimand)
    plain, worst, best = (
        filled(DATA, right=right).compare("pass@2", estimand=estimand)[0] for right in ("", *"ba")
    )
    assert found.difference == pytest.approx(plain.difference)
    assert (found.low, found.high) == pytest.approx((worst.low, best.high), abs=1e-6)
    assert found.p_value == pytest.approx(worst.p_value, abs=1e-6)
    assert (found.wins, found.ties, found.losses) == (plain.wins, plain.ties, plain.losses)
    assert found.failed == sum(x is None for x in DATA["outcome"])


def test_without_failed_trials_nothing_changes() -> None:
    fine = rows(a=0.0, b=0.0)
    (plain,), (found,) = (errbar.load(fine).compare(errors=each) for each in ("fail", "bracket"))
    assert found == plain


def test_the_verdict_on_scores_says_what_failed_trials_change() -> None:
    """b leads if failed trials are wrong, a if they are right; 4 of a failed."""

    def verdict(**outcomes: Sequence[int | None]) -> str:
        rows = [
            {"system": name, "question": at, "outcome": outcome}
            | {"status": "timeout" if outcome is None else "ok"}
            for name, own in outcomes.items()
            for at, outcome in enumerate(own)
        ]
        sentence = errbar.load(rows).score(errors="bracket").conclusion()
        assert sentence is not None
        return sentence.claim + sentence.rest

    turns = verdict(a=[1] * 10 + [None] * 4 + [0] * 6, b=[1] * 12 + [0] * 8)
    assert turns == (
        "If all failed trials are wrong, b has the highest avg; if all are right, a has the "
        "highest avg."
    )
    stays = verdict(a=[1] * 10 + [None] * 4 + [0] * 6, b=[1] * 2 + [0] * 18)
    assert stays == ("a has the highest avg, whether all failed trials are wrong or all are right.")
    assert verdict(a=[1] * 10 + [None] * 4 + [0] * 6).startswith(
        "a scores 0.50 to 0.70 avg (95% CI"
    )
    nothing_failed = verdict(a=[1] * 10 + [0] * 10, b=[1] * 12 + [0] * 8)
    assert nothing_failed.startswith("b has the highest avg (0.60)")


def test_a_verdict_is_undone_by_as_many_failures_as_mcnemars_test_needs() -> None:
    """All of a is right; of b, 3 are wrong and 10 fail. 2 · ½ⁿ < 0.05 from n = 6 discordant."""
    outcomes = [1] * 40 + [None] * 10 + [0] * 3 + [1] * 27
    status = ["timeout" if x is None else "ok" for x in outcomes]
    data = {"system": ["a"] * 40 + ["b"] * 40, "question": [*range(40)] * 2}
    found = errbar.load({**data, "outcome": outcomes, "status": status}).compare(errors="bracket")
    assert found[0].better == ""
    assert (found[0].failed, found[0].flips) == (10, 8)
    assert any("but not if 8 failed trials of b are right" in note for note in found.notes())
    sure = [0 if 50 <= at < 56 else x for at, x in enumerate(outcomes)]  # 6 are wrong for sure
    runs = errbar.load({**data, "outcome": sure, "status": status})
    (decided,) = runs.compare(errors="bracket")
    assert decided.better == "a"
    assert decided.flips == 0


def test_no_smaller_choice_of_failed_trials_undoes_a_verdict() -> None:
    """Failures on questions that the other system gets wrong too spread the differences most."""
    outcomes = {"a": [1] * 19 + [0] * 6, "b": [1] * 8 + [0] * 17}
    failed = [8, 10, 11, 12, 19, 20, 21, 22]  # of b: on questions that a solves, and does not

    def compared(right: Collection[int]) -> Comparison:
        filled = [
            {"system": name, "question": f"q{at:02}", "outcome": 1 if at in own else value}
            for name, values in outcomes.items()
            for own in [right if name == "b" else ()]
            for at, value in enumerate(values)
        ]
        return errbar.load(filled).compare()[0]

    lacking = [
        {"system": name, "question": f"q{at:02}", "outcome": None if lost else value}
        | {"status": "timeout" if lost else "ok"}
        for name, values in outcomes.items()
        for at, value in enumerate(values)
        for lost in [name == "b" and at in failed]
    ]
    flips = errbar.load(lacking).compare(errors="bracket")[0].flips
    assert compared(()).better
    for size in range(1, flips + 1):
        undone = not all(compared(some).better for some in combinations(failed, size))
        assert undone is (size == flips), size


def test_among_three_pairs_fewer_failures_undo_a_verdict() -> None:
    """As above with a third system: 2 · ½ⁿ < 0.05 / 3 only from n = 7 discordant questions."""
    outcomes = [1] * 40 + [None] * 10 + [0] * 3 + [1] * 27 + [1] * 39 + [0]
    status = ["timeout" if x is None else "ok" for x in outcomes]
    names = ["a"] * 40 + ["b"] * 40 + ["c"] * 40
    data = {"system": names, "question": [*range(40)] * 3, "outcome": outcomes, "status": status}
    rows = errbar.load(data).compare(errors="bracket")
    flips = {(row.first, row.second): row.flips for row in rows}
    assert len(flips) == 3
    assert flips["a", "b"] == 7


def test_ranks_hold_under_every_fate() -> None:
    data = rows(60, a=0.0, b=0.2, c=0.05)
    board = errbar.load(data).rank(errors="bracket")
    expected = {name: [1, 3] for name in "abc"}
    for high in "abc":
        for low in {*"abc"} - {high}:
            runs = filled(data, right=low)
            pairs = runs.compare()  # adjusted for three pairs, as ranks are
            if any(row.better == high and low in (row.first, row.second) for row in pairs):
                expected[high][1] -= 1
                expected[low][0] += 1
    assert {row.system: [row.best_rank, row.worst_rank] for row in board} == expected
    assert expected != {name: [1, 3] for name in "abc"}
    for row in board:
        bracket = errbar.load(data).score(errors="bracket").only(row.system)[0].bracket
        assert (row.low, row.high) == pytest.approx(bracket.ends if bracket else ())


def test_a_gate_passes_only_if_it_does_under_every_fate() -> None:
    runs = errbar.load(rows(200, old=0.3, new=0.0))
    both: Any = {"system": "new", "baseline_system": "old", "max_drop": 0.1}
    as_wrong, as_any = (
        errbar.gate(runs, runs, "avg", errors=each, **both) for each in ("fail", "bracket")
    )
    assert (as_wrong.verdict.value, as_any.verdict.value) == ("pass", "inconclusive")
    (row,) = as_any.rows
    assert any(f"inconclusive if {row.flips} failed trials of the bas" in x for x in as_any.notes())
    assert 0 < row.flips < row.comparison.failed
    wider = errbar.gate(runs, runs, "avg", "pass@2", errors="bracket", **both).rows[0]
    assert wider.comparison.difference == row.comparison.difference
    assert wider.flips < row.flips  # intervals of two metrics hold together
    assert row.needed is None  # more questions do not make failures known
    assert not any("would probably be conclusive" in note for note in as_any.notes())


def test_rewards_are_bracketed_by_their_bounds() -> None:
    data = {"question": range(6), "outcome": [2.0, -1.0, 0.5, 1.0, 0.0, None]}
    runs = errbar.load({**data, "status": ["ok"] * 5 + ["error"]})
    worst, best = runs.score("avg", errors="bracket", bounds=(-1.0, 2.0))
    assert (worst.value, best.value) == pytest.approx(((2.5 - 1.0) / 6, (2.5 + 2.0) / 6))
    assert worst.bracket is not None
    assert worst.bracket.low < worst.value < best.value < worst.bracket.high


def test_comparisons_name_the_method_that_made_them() -> None:
    runs = errbar.load(DATA)
    by_question = runs.compare("avg", errors="bracket").method
    assert by_question == runs.compare("avg", errors="fail").method
    assert by_question.startswith("paired by question, Bayesian bootstrap")
    fixed = runs.compare("avg", errors="bracket", estimand="benchmark").method
    assert fixed == "intervals of both systems by the difficulty model, combined by MOVER"


def test_the_command_and_the_refusal_of_labels(tmp_path: Any) -> None:
    file = tmp_path / "log.csv"
    columns = [["" if x is None else x for x in column] for column in DATA.values()]
    lines = [",".join(DATA), *(",".join(map(str, row)) for row in zip(*columns, strict=True))]
    file.write_text("\n".join(lines), "utf-8")
    for verb in ("score", "compare", "rank"):
        ended = CliRunner().invoke(main, [verb, str(file), "--errors", "bracket"])
        assert ended.exit_code == 0, ended.output
        assert "failed trials would have been right" in " ".join(ended.output.split())
    judged = errbar.load({**DATA, "human": [1] * len(DATA["trial"])}, label="human")
    with pytest.raises(InputError, match="'fail' or 'missing'"):
        judged.compare(errors="bracket")
