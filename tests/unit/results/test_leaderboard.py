"""Letters: two systems share one exactly if they are not separated."""

from itertools import combinations

import numpy as np
import pytest

from errbar.results.leaderboard import letters_of


@pytest.mark.parametrize("seed", range(20))
def test_systems_share_a_letter_exactly_if_they_are_not_separated(seed: int) -> None:
    rng = np.random.default_rng(seed)
    number = int(rng.integers(2, 9))
    upper = np.triu(rng.random((number, number)) < 0.4, 1)
    separated = upper | upper.T
    letters = letters_of(separated.tolist())
    for one, other in combinations(range(number), 2):
        assert bool(set(letters[one]) & set(letters[other])) != separated[one, other]


def test_all_alike_have_one_letter_and_all_apart_their_own() -> None:
    assert letters_of([[False] * 3] * 3) == ["a", "a", "a"]
    apart = [[one != other for other in range(3)] for one in range(3)]
    assert letters_of(apart) == ["a", "b", "c"]


def test_the_alphabet_goes_on() -> None:
    apart = [[one != other for other in range(28)] for one in range(28)]
    assert letters_of(apart)[25:] == ["z", "a2", "b2"]


def test_fifty_systems_in_a_row_are_lettered_at_once() -> None:
    far = [[abs(one - other) > 9 for other in range(50)] for one in range(50)]
    letters = letters_of(far)
    assert letters[0] == "a"
    assert letters[20] == "lmnopqrstu"  # one for each run of ten that it is in
