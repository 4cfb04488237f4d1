"""Name agents by the settings in which they differ.

Runs of the same agent and model with different settings are different systems. API keys and other
secrets among the settings are ignored and never shown.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_SECRET = re.compile(r"key|token(?!s)|secret|password|credential|auth", re.I)
_LONGEST = 40


def tell_apart(settings: Sequence[Mapping[str, Any]]) -> list[str]:
    """Describe each of several settings by what differs; equal settings get equal names.

    Examples
    --------
    >>> tell_apart([{"effort": "low", "n": 1}, {"effort": "high", "n": 1}])
    ['effort=low', 'effort=high']
    >>> tell_apart([{"n": 1, "api_key": "a"}, {"n": 1, "api_key": "b"}])
    ['', '']
    """
    every = {key for each in settings for key in each}
    keys = sorted(key for key in every if not _SECRET.search(key))
    values = [
        tuple([_text(each[key]) if key in each else None for key in keys]) for each in settings
    ]
    differing = [len(set(column)) > 1 for column in zip(*values, strict=True)]
    known: dict[tuple[str | None, ...], str] = {}
    for texts in values:
        if texts not in known:
            shown = [
                f"{key}={_short(text)}"
                for key, text, differs in zip(keys, texts, differing, strict=True)
                if differs and text is not None
            ]
            name = ", ".join(shown)
            is_used = name in known.values()
            known[texts] = f"{name}, settings {len(known) + 1}".lstrip(", ") if is_used else name
    return [known[texts] for texts in values]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
