"""Boards and costs of systems that are free, level, unlike, or never right."""

import pytest

import errbar
from errbar.errors import InputError


def rows(**more: object) -> list[dict[str, object]]:
    return [
        {"system": system, "question": f"q{at}", "outcome": int(at % step == 0)} | more
        for system, step in (("a", 2), ("b", 3))
        for at in range(24)
    ]


def test_trials_that_cost_nothing_leave_nobody_the_cheapest() -> None:
    found = errbar.cost(rows(cost=0.0))
    assert [row.per_success.value for row in found] == [0.0, 0.0]
    assert "Successes of a, b cost the same" in str(found)


def test_a_cost_that_never_varies_has_few_digits() -> None:
    assert "e-01" not in str(errbar.cost(rows(cost=0.2)))


@pytest.mark.parametrize("cost", [-0.1, float("inf")])
def test_costs_that_cannot_be_are_refused(cost: float) -> None:
    data = rows(cost=0.1)
    data[3]["cost"] = cost
    with pytest.raises(InputError, match=r"must be finite and not negative.*'q3'"):
        errbar.cost(data)


def test_a_cost_that_is_text_is_refused_by_its_column() -> None:
    with pytest.raises(InputError, match="'cost' must be a number; found 'about 2'"):
        errbar.load(rows(cost="about 2"))


def test_a_confidence_in_words_is_stated_and_refused_only_where_it_ranks() -> None:
    runs = errbar.load(rows(confidence="about 2"))
    assert any(
        note.startswith("⚠ ") and "'confidence' must be a number; found 'about 2'" in note
        for note in runs.score("avg").notes()
    )
    with pytest.raises(InputError, match=r"confidence must hold numbers.* holds text"):
        runs.roc()


def test_games_that_tell_nobody_apart_have_no_strengths() -> None:
    same = [row | {"outcome": int(str(row["question"]) < "q2")} for row in rows()]
    with pytest.raises(InputError, match="no trial tells some systems apart"):
        errbar.rank(same, by="bradley-terry")


def test_tasks_on_different_scales_are_averaged_with_a_warning() -> None:
    marks = [row | {"task": "marks", "outcome": 10 * int(str(row["outcome"]))} for row in rows()]
    both = [row | {"task": "right"} for row in rows()] + marks
    assert "Tasks have different scales (marks 0 to 10, right 0 to 1)" in str(errbar.rank(both))
    assert "different scales" not in str(errbar.rank(both, by="borda"))
    assert "different scales" not in str(
        errbar.rank([row | {"task": "again"} for row in rows()] + both[:48])
    )
