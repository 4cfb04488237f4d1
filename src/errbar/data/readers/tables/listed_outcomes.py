"""Lists of outcomes beside their means: `{"gpt": {"accuracy": 0.5, "per_question": [1, 0]}}`."""

import math
from collections.abc import Mapping
from typing import Any

from errbar.data.readers.tables.competing_outcomes import worth_of
from errbar.data.readers.tables.json_objects import is_list_of_outcomes
from errbar.data.readers.tables.surrounding_names import meaning_of

_ROUNDED = 6e-3  # of a mean with two decimals


def lists_beside_means(value: Mapping[str, Mapping[str, Any]]) -> dict[str, list[Any]]:
    """The only list of outcomes in each object, if a number beside it is its mean; else empty.

    Examples
    --------
    >>> lists_beside_means({"gpt": {"accuracy": 0.5, "per_question": [True, False]}})
    {'gpt': [True, False]}
    >>> lists_beside_means({"q1": {"score": 1, "logprobs": [0.5, 0.25]}})
    {}
    """
    found = {}
    for key, entry in value.items():
        lists = [field for field in entry.values() if is_list_of_outcomes(field)]
        stated = [
            number
            for name, number in entry.items()
            if meaning_of(name) == "outcome" and isinstance(number, int | float)
        ]
        if len(lists) != 1 or not stated:
            return {}
        known = [worth for each in lists[0] if (worth := worth_of(each)) is not None]
        share = sum(known) / max(len(known), 1)
        near = {"abs_tol": _ROUNDED}
        if not any(math.isclose(share * scale, stated[0], **near) for scale in (1, 100)):
            return {}
        found[key] = lists[0]
    return found
