"""Letters for systems that cannot be told apart: those that share one are not separated.

The sets are split one separated pair at a time, and sets inside others are dropped (insert and
absorb), which is how statisticians letter the means of a table.
"""

from collections.abc import Sequence

_ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def letters_of(separated: Sequence[Sequence[bool]]) -> list[str]:
    """The letters of each system, given which pairs are separated; the first has an a.

    Examples
    --------
    >>> letters_of([[False, False, True], [False, False, False], [True, False, False]])
    ['a', 'ab', 'b']
    """
    number = len(separated)
    sets = [frozenset(range(number))]
    for one in range(number):
        for other in range(one + 1, number):
            if separated[one][other]:
                sets = _split(sets, one, other)
    ordered = sorted(sets, key=sorted)
    return [
        "".join(_letter(at) for at, each in enumerate(ordered) if system in each)
        for system in range(number)
    ]


def _split(sets: list[frozenset[int]], one: int, other: int) -> list[frozenset[int]]:
    """Sets without the pair in any."""
    apart = [each for each in sets if not {one, other} <= each]
    for each in sets:
        if {one, other} <= each:
            apart += [each - {one}, each - {other}]
    return [
        each
        for at, each in enumerate(apart)
        if not any(
            each < bigger or (each == bigger and at > place) for place, bigger in enumerate(apart)
        )
    ]


def _letter(at: int) -> str:
    """a to z, then a2 to z2 and so on."""
    turn, letter = divmod(at, len(_ALPHABET))
    return _ALPHABET[letter] + (str(turn + 1) if turn else "")
