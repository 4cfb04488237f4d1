"""Which files are repeats of one system, by their names.

`llama-7b_seed1` and `llama-7b_seed2` are trials of llama-7b, and `llama-13b_seed1` is of another
system: only the number that counts repeats may be dropped. That is the one after a word for repeats
(seed, run, trial …) or a date; without such a word it is the only number in which names differ,
unless a letter follows it, as in 7b and 4o, where it is part of the name of a model.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple, NoReturn

from errbar.errors import InputError
from errbar.remarks import way_to_say

# A date, perhaps with a time of day: 2025-08-27__22-13-13, 20260523T033555Z, 20250829.
TIME = re.compile(
    r"(?<!\d)20\d\d-?[01]\d-?[0-3]\d"
    r"(?:(?:T|[_ ]{1,2}|-)[0-2]\d[-:_.]?[0-5]\d(?:[-:_.]?[0-5]\d)?(?:[.-]\d+)?Z?)?(?![\d])"
)
_WORDS = (
    *("seed", "run", "trial", "repeat", "rep", "iteration", "iter", "attempt", "try", "sample"),
    *("epoch", "replicate", "rollout", "repetition", "rs"),
)
_FIELD = re.compile(
    rf"(?P<time>{TIME.pattern})"
    rf"|(?P<repeat>(?<![a-z])(?:{'|'.join(_WORDS)})s?[-_ .=]?\(?\d+\)?(?![a-z0-9]))"
    r"|(?P<number>\d+)",
    re.I,
)
_EDGES = "_-. /:()"


class _Field(NamedTuple):
    """A number in a name."""

    start: int
    end: int
    text: str
    counts_repeats: bool
    is_of_model: bool  # as in 7b, 4o, 2.5, and in qwen3 where that is a folder


def repeats_of(names: Sequence[str]) -> list[str]:
    """The system of each name, without the number that counts repeats.

    Examples
    --------
    >>> repeats_of(["llama-7b_seed1", "llama-7b_seed2", "llama-13b_seed1", "gpt-4o_seed1"])
    ['llama-7b', 'llama-7b', 'llama-13b', 'gpt-4o']
    >>> repeats_of(["out_1", "out_2", "final"])
    ['out', 'out', 'final']
    >>> repeats_of(["monday", "tuesday"])
    ['', '']
    """
    fields = [_fields(name) for name in names]
    groups: dict[str, list[int]] = {}
    for at, name in enumerate(names):
        groups.setdefault(_template(name, fields[at]), []).append(at)
    systems = list(names)
    for places in groups.values():
        dropped = _counting([fields[at] for at in places], [names[at] for at in places])
        for at in places:
            systems[at] = _without(names[at], [fields[at][one] for one in dropped])
    if len(set(systems)) == len(systems) > 1:
        apart = next((places for places in groups.values() if len(places) > 1), None)
        if apart is None:
            return [""] * len(names)
        _refuse([names[at] for at in apart])
    return systems


def without_repeats(name: str) -> str:
    """A name without the numbers that words or dates mark as those of repeats.

    Examples
    --------
    >>> without_repeats("gpt-4o/gsm8k/seed_0"), without_repeats("arc_2")
    ('gpt-4o/gsm8k', 'arc_2')
    """
    return _without(name, [field for field in _fields(name) if field.counts_repeats])


def may_repeat(names: Sequence[str]) -> bool:
    """Whether some names differ by a number that may count repeats."""
    try:
        systems = repeats_of(names)
    except InputError:
        return True
    return any(systems) and len(set(systems)) < len(systems)


def _fields(name: str) -> list[_Field]:
    found = []
    for match in _FIELD.finditer(name):
        start, end = match.span()
        after, before = name[end : end + 2], name[max(0, start - 2) : start]
        is_of_model = bool(
            match["number"]
            and (
                after[:1].isalpha()
                or re.fullmatch(r"\.\d", after)
                or re.fullmatch(r"\d\.", before)
                or (before[-1:].isalpha() and "/" in name[end:])
            )
        )
        found.append(_Field(start, end, match[0], not match["number"], is_of_model))
    return found


def _template(name: str, fields: Sequence[_Field]) -> str:
    """A name with a sign for every number."""
    parts, place = [], 0
    for field in fields:
        parts.append(name[place : field.start])
        place = field.end
    return "#".join([*parts, name[place:]])


def _counting(fields: Sequence[Sequence[_Field]], names: Sequence[str]) -> list[int]:
    """Which of the numbers of names that are otherwise equal count repeats."""
    every = range(len(fields[0]))
    words = [at for at in every if fields[0][at].counts_repeats]
    varying = [at for at in every if len({each[at].text for each in fields}) > 1]
    if words:
        return words
    numbers = [at for at in varying if not any(each[at].is_of_model for each in fields)]
    if len(numbers) > 1:
        _refuse(names)
    return numbers


def _refuse(names: Sequence[str]) -> NoReturn:
    apart = way_to_say("--files systems", "files='systems'")
    shown = ", ".join(names[:4]) + " …" * (len(names) > 4)
    raise InputError(
        f"files are trials, but nothing says which number in their names counts repeats and which "
        f"is of a model: {shown}. Put a word before the number, as in run1 or seed1; or take every "
        f"file as a system with {apart}."
    )


def _without(name: str, fields: Sequence[_Field]) -> str:
    parts, place = [], 0
    for field in fields:
        parts.append(name[place : field.start].strip(_EDGES))
        place = field.end
    parts.append(name[place:].strip(_EDGES))
    mark = "/" if "/" in name else "_"
    rest = mark.join(part for part in parts if part)
    return rest or re.sub(r"\d+", "", TIME.sub("", name)).strip(_EDGES)
