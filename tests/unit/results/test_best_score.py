"""The first line above scores of several systems: the leader, and ties."""

from collections.abc import Mapping, Sequence

import pytest

import errbar

Tasks = Mapping[str, Mapping[str, Sequence[float]]]
A, B, C = [1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]


def claim(tasks: Tasks) -> str:
    rows = [
        {"system": system, "task": task, "id": f"{task}{at}", "correct": right}
        for task, systems in tasks.items()
        for system, outcomes in systems.items()
        for at, right in enumerate(outcomes)
    ]
    return str(errbar.load(rows).score("avg")).partition(";")[0].partition("\n")[0]


@pytest.mark.parametrize(
    ("tasks", "expected"),
    [
        ({"t": {"a": A, "b": B}}, "a has the highest avg."),
        ({"t": {"a": A, "b": A}}, "a and b share the highest avg."),
        ({"t": {"a": A, "b": A, "c": A, "d": B}}, "a, b and c share the highest avg."),
        ({"t": dict.fromkeys("abcd", A)}, "4 systems share the highest avg."),
        (
            {"t": {"a": A, "b": B}, "u": {"a": A, "b": C}},
            "a has the highest avg on 2 of 2 tasks",
        ),
        (
            {"t": {"a": A, "b": B}, "u": {"a": B, "b": A}},
            "a and b each have the highest avg on 1 of 2 tasks",
        ),
        (
            {"t": {"a": A, "b": B}, "u": {"a": B, "b": B}},
            "a has the highest avg on 2 of 2 tasks (1 tied)",
        ),
        (
            {"t": {"a": B, "b": B}, "u": {"a": B, "b": B}},
            "a and b each have the highest avg on 2 of 2 tasks (2 tied)",
        ),
    ],
)
def test_the_leader_is_named_and_ties_are_said(tasks: Tasks, expected: str) -> None:
    assert claim(tasks) == expected


def test_means_that_differ_in_the_last_bit_are_tied() -> None:
    a, b = [0.1, 0.1, 0.1], [0.3, 0.0, 0.0]
    values = [score.value for score in errbar.load({"a": a, "b": b}).score("avg")]
    assert values[0] != values[1] == pytest.approx(values[0], abs=1e-15)
    assert claim({"t": {"a": a, "b": b}}) == "a and b share the highest avg."
