"""Letters: two systems share one exactly if they are not separated."""

import re
from itertools import combinations, permutations

import numpy as np
import pytest

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


def test_the_headline_names_the_best_and_those_that_may_be() -> None:
    named = [("a", 1, ""), ("b", 1, ""), ("c", 1, ""), ("d", 1, ""), ("e", 1, ""), ("f", 6, "")]
    for first, words in (
        (1, "b is better than c by avg."),
        (2, "d and e are tied for the best by avg: not significantly different."),
        (5, "a leads by avg, but any of 5 may be the best."),
    ):
        last = named[-1:] if first > 1 else [("c", 2, "")]
        rows = [("b", 1, "")] if first == 1 else named[5 - first : 5]
        assert "".join(board(*rows, *last).headline()) == words
    assert "".join(board(*named[:5]).headline()) == (
        "Inconclusive: any of the 5 systems may be the best."
    )


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
