"""Lists by name: columns of a table, trials of questions, or questions of systems.

A JSON document and a dict in Python go by the same rule. Names of columns make a table. Otherwise
there are more questions than trials, as a rule, and more questions than systems: the keys are
questions if there are as many of them as outcomes under each, and systems if there are fewer.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from errbar.data.column_names import plain_name
from errbar.data.outcome_words import is_outcome
from errbar.data.outcomes import USUAL, are_counts
from errbar.data.reading import KeysAre
from errbar.remarks import Above, guess, warning, way_to_say

_PLAIN = 5  # times as many keys as outcomes under each: they are hardly systems
_LOOKED_AT = 200
_FEWEST_IDS = 3  # distinct numbers that may be ids


def are_columns(lists: Mapping[str, Sequence[Any]]) -> bool:
    """Whether lists are the columns of a table: of one length, with usual names.

    Examples
    --------
    >>> are_columns({"trials": [4, 4], "correct": [1, 3]})
    True
    >>> are_columns({"gpt": [1, 0], "qwen": [0, 0]})
    False
    """
    if len({len(column) for column in lists.values()}) != 1 or not len(next(iter(lists.values()))):
        return False
    if are_counts(lists, {}):
        return True
    if any(_is_called(name, "outcome") and _holds_outcomes(lists[name]) for name in lists):
        return True
    return len(lists) > 1 and any(
        _is_called(name, "question") and _holds_ids(lists[name]) for name in lists
    )


def keys_of_lists(
    lists: Mapping[str, Any], asked: KeysAre | None = None
) -> tuple[KeysAre, list[Above]]:
    """What the keys of lists of outcomes are, and what to say of it."""
    number = len(lists)
    longest = max(len(one) if hasattr(one, "__len__") else 1 for one in lists.values())
    keys = asked or ("questions" if number >= longest else "systems")
    other: KeysAre = "systems" if keys == "questions" else "questions"
    choose = way_to_say(f"--keys {other}", f"keys={other!r}")
    outcomes = f"{'up to ' * (not _are_alike(lists))}{longest} outcome{'s' * (longest > 1)}"
    if keys == "questions":
        said = f"Questions: the {number} keys ({_listed(lists)}), with {outcomes} of each as trials"
        otherwise = f"If the keys are systems and the outcomes questions, say {choose}."
    else:
        said = f"Systems: the {number} keys ({_listed(lists)}), with {outcomes} of each"
        otherwise = (
            f"The outcomes are questions, paired by their place. If the keys are questions and the "
            f"outcomes trials, say {choose}."
        )
    if asked:
        return keys, [guess(said)]
    if number == 1 or longest == 1 or number >= _PLAIN * longest:
        return keys, [guess(said, option=f"--keys {other}", argument=f"keys={other!r}")]
    return keys, [warning(f"{said}. {otherwise}")]


def _are_alike(lists: Mapping[str, Any]) -> bool:
    return len({len(one) if hasattr(one, "__len__") else 1 for one in lists.values()}) == 1


def _is_called(name: str, meaning: str) -> bool:
    return plain_name(str(name)) in map(plain_name, (meaning, *USUAL[meaning]))


def _holds_outcomes(column: Sequence[Any]) -> bool:
    """Whether the values can be outcomes, which ids, answers and records are not."""
    return all(
        is_outcome(value) if isinstance(value, str) else not isinstance(value, Mapping)
        for value in column[:_LOOKED_AT]
    )


def _holds_ids(column: Sequence[Any]) -> bool:
    """Whether the values name rows: words that mean neither right nor wrong, or distinct ones."""
    some = [str(value) for value in column[:_LOOKED_AT]]
    distinct = len(some) >= _FEWEST_IDS and len(set(some)) == len(some)
    return distinct or not all(map(is_outcome, column[:_LOOKED_AT]))


def _listed(names: Mapping[str, Any], most: int = 6) -> str:
    shown = [str(name) for name in names]
    return ", ".join(shown[:most]) + (f" and {len(shown) - most} more" * (len(shown) > most))
