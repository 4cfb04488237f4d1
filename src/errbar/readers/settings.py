"""Settings that tell agents of one name apart, in words.

Runs of one agent and model under other settings are of another system. Settings can hold the keys
of accounts, which make no other system, and are never told.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_SECRET = re.compile(r"key|token(?!s)|secret|password|credential|auth", re.I)
_LONGEST = 40


def tell_apart(settings: Sequence[Mapping[str, Any]]) -> list[str]:
    """A name for each of several settings: what differs among them, the same for equal ones.

    Examples
    --------
    >>> tell_apart([{"effort": "low", "n": 1}, {"effort": "high", "n": 1}])
    ['effort=low', 'effort=high']
    >>> tell_apart([{"n": 1, "api_key": "a"}, {"n": 1, "api_key": "b"}])
    ['', '']
    """
    plain = [{str(k): v for k, v in one.items() if not _SECRET.search(str(k))} for one in settings]
    keys = sorted({key for one in plain for key in one})
    told = [{key: _text(one[key]) for key in keys if key in one} for one in plain]
    differing = [key for key in keys if len({one.get(key) for one in told}) > 1]
    known: dict[str, str] = {}
    for one in told:
        whole = json.dumps(one)
        if whole not in known:
            said = ", ".join(f"{key}={_short(one[key])}" for key in differing if key in one)
            taken = said in known.values()
            known[whole] = f"{said}, settings {len(known) + 1}".lstrip(", ") if taken else said
    return [known[json.dumps(one)] for one in told]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
