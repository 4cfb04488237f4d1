"""Leaderboards: letters that systems share, and the sentence on the best."""

import re
from dataclasses import replace
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest

import errbar
from errbar.metrics import Average
from errbar.results.estimate import Estimand, Interval
from errbar.results.leaderboard import Leaderboard, Standing, letters_of


def board(*rows: tuple[str, int, str]) -> Leaderboard:
    """A leaderboard of systems, each with its best rank and its letters."""
    interval = Interval(0.4, 0.6, 0.95, Estimand.POPULATION)
    standings = tuple(
        Standing(
            system=system,
            value=0.5,
            sd=0.05,
            interval=interval,
            rank=at + 1,
            best_rank=best,
            worst_rank=len(rows),
            expected_rank=at + 1.0,
            chance_best=0.1,
            groups=groups,
        )
        for at, (system, best, groups) in enumerate(rows)
    )
    return Leaderboard(standings, Average(), tasks={"": 1.0}, questions=40, method="")


def test_a_tie_has_the_places_of_all_that_share_a_letter() -> None:
    rows = (("a", 1, "a"), ("b", 1, "ab"), ("c", 2, "bz2"), ("d", 4, "c"), ("e", 3, "z2"))
    assert board(*rows).ties() == [[0, 1], [1, 2], [2, 4]]


@pytest.mark.parametrize(
    ("best_ranks", "values", "words"),
    [
        ((1, 2), (0.5, 0.25), "a is better than b by 0.250 avg."),
        ((1, 2, 2), (0.5, 0.25, 0.25), "a is the best of 3 systems by avg: it leads b by 0.250."),
        ((1, 1), (0.5, 0.25), "Inconclusive: a leads b by 0.250 avg."),
        ((1, 1), (0.5, 0.5), "Inconclusive: a and b have the same avg."),
        (
            (1, 1, 1),
            (0.5, 0.25, 0.1),
            "Inconclusive: any of the 3 systems may be the best; a leads b by 0.250 avg.",
        ),
        (
            (1, 1, 1),
            (0.5, 0.5, 0.5),
            "Inconclusive: any of the 3 systems may be the best; a, b and c have the same avg.",
        ),
        (
            (1, 1, 1, 1, 1, 6),
            (0.5, 0.5, 0.5, 0.5, 0.5, 0.0),
            "5 systems have the same avg; any of them may be the best.",
        ),
        (
            (1, 1, 3),
            (0.5, 0.25, 0.1),
            "a and b are tied for the best; a leads b by 0.250 avg.",
        ),
        (
            (1, 1, 1, 1, 1, 6),
            (0.5, 0.25, 0.1, 0.1, 0.1, 0.0),
            "a leads b by 0.250 avg, but any of 5 may be the best.",
        ),
        (
            (1, 1, 1, 1, 1, 6),
            (0.5, 0.5, 0.1, 0.1, 0.1, 0.0),
            "a and b have the same avg, but any of 5 may be the best.",
        ),
    ],
)
def test_the_headline_names_the_best_by_how_much_and_those_that_may_be(
    best_ranks: tuple[int, ...], values: tuple[float, ...], words: str
) -> None:
    ranked = board(*((name, best, "") for name, best in zip("abcdef", best_ranks, strict=False)))
    rows = (replace(row, value=value) for row, value in zip(ranked, values, strict=True))
    assert "".join(replace(ranked, rows=tuple(rows)).headline()) == words


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("metric", ["avg", "pass@3"])
def test_the_lead_in_the_headline_is_that_of_the_comparison_of_all_pairs(
    seed: int, metric: str
) -> None:
    rng = np.random.default_rng(seed)
    hard = rng.beta(0.7, 0.7, (30, 1))
    data = {
        name: (rng.random((30, 3)) < np.clip(hard + shift, 0, 1)) * 1.0
        for name, shift in zip("abcd", rng.normal(0.0, 0.15, 4), strict=True)
    }
    runs = errbar.load(data)
    ranked = runs.rank(metric)
    leaders = {row.system for row in ranked[:2]}
    (pair,) = (row for row in runs.compare(metric) if {row.first, row.second} == leaders)
    numbers = re.findall(r"-?\d\.\d+", "".join(pair.headline()))
    assert re.findall(r"-?\d\.\d+", "".join(ranked.headline())) == numbers
    assert len(numbers) == (3 if pair.difference else 0)


@pytest.mark.parametrize("seed", range(20))
def test_systems_share_a_letter_exactly_if_they_are_not_separated(seed: int) -> None:
    rng = np.random.default_rng(seed)
    number = int(rng.integers(2, 9))
    upper = np.triu(rng.random((number, number)) < 0.4, 1)
    separated = upper | upper.T
    letters = letters_of(separated.tolist())
    for first, second in combinations(range(number), 2):
        assert bool(set(letters[first]) & set(letters[second])) != separated[first, second]


@pytest.mark.parametrize("seed", range(5))
def test_no_letter_is_given_to_a_part_of_the_systems_of_another(seed: int) -> None:
    place = np.random.default_rng(seed).random(40)
    separated = np.abs(place[:, None] - place) > 0.3 * np.random.default_rng(seed).random((40, 40))
    separated = np.triu(separated, 1) | np.triu(separated, 1).T
    letters = [re.findall(r"[a-z]\d*", text) for text in letters_of(separated.tolist())]
    members: dict[str, set[int]] = {}
    for system, own in enumerate(letters):
        for letter in own:
            members.setdefault(letter, set()).add(system)
    assert not any(own < other for own, other in permutations(members.values(), 2))
    for first, second in combinations(range(40), 2):
        assert bool({*letters[first]} & {*letters[second]}) != separated[first, second]


def test_all_alike_have_one_letter_and_all_apart_their_own() -> None:
    assert letters_of([[False] * 3] * 3) == ["a", "a", "a"]
    apart = [[index != other for other in range(3)] for index in range(3)]
    assert letters_of(apart) == ["a", "b", "c"]


def test_the_alphabet_goes_on() -> None:
    apart = [[index != other for other in range(28)] for index in range(28)]
    assert letters_of(apart)[25:] == ["z", "a2", "b2"]


def test_fifty_systems_in_a_row_are_lettered_at_once() -> None:
    far = [[abs(index - other) > 9 for other in range(50)] for index in range(50)]
    letters = letters_of(far)
    assert letters[0] == "a"
    assert letters[20] == "lmnopqrstu"  # one for each run of ten that it is in


@pytest.mark.parametrize("options", [{"estimand": "benchmark"}, {"errors": "bracket"}])
def test_the_lead_has_the_interval_of_the_comparison_whatever_it_covers(
    options: dict[str, Any],
) -> None:
    rng = np.random.default_rng(3)
    rows = [
        {"system": name, "question": at, "status": status, "outcome": int(rng.random() < chance)}
        for name, chance in (("a", 0.7), ("b", 0.6), ("c", 0.5))
        for at in range(25)
        for status in ("ok", "ok", "ok", "error" if rng.random() < 0.2 else "ok")
    ]
    runs = errbar.load(rows)
    ranked = runs.rank("avg", **options)
    leaders = {row.system for row in ranked[:2]}
    (pair,) = (row for row in runs.compare("avg", **options) if {row.first, row.second} == leaders)
    numbers = re.findall(r"-?\d\.\d+", "".join(pair.sentence()))
    assert len(numbers) == 3
    assert re.findall(r"-?\d\.\d+", "".join(ranked.headline())) == numbers


@pytest.mark.parametrize("by", ["borda", "bradley-terry"])
def test_every_order_says_by_how_much_the_first_leads_with_an_interval(by: Any) -> None:
    rng = np.random.default_rng(3)
    data = {name: (rng.random((20, 4)) < 0.6) * 1.0 for name in "abc"}
    assert "95% CI" in "".join(errbar.load(data).rank("avg", by=by).headline())


def test_a_lead_on_common_questions_names_them() -> None:
    rng = np.random.default_rng(4)
    rows = [
        {"system": name, "question": at, "outcome": int(rng.random() < 0.6)}
        for name, most in (("a", 40), ("b", 30), ("c", 40))
        for at in range(most)
    ]
    runs = errbar.load(rows)
    assert " avg on the 30 questions that all have" in "".join(runs.rank("avg").headline())
    pairs = {frozenset((p.first, p.second)): "".join(p.sentence()) for p in runs.compare("avg")}
    assert "on the 30 questions that both have" in pairs[frozenset("ab")]
    assert "questions that" not in pairs[frozenset("ac")]
