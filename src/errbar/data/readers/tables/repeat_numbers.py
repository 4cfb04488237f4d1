"""Numbers in names of files that count repeats, as in run1 and run2, beside those of models."""

import re
from collections.abc import Sequence
from typing import NamedTuple, NoReturn

from errbar.base.remarks import setting, some_of
from errbar.errors import InputError

# A date, optionally with a time: 2025-08-27__22-13-13, 20260523T033555Z, 20250829.
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
_DECIMALS, _BEFORE_DECIMALS = re.compile(r"\.\d"), re.compile(r"\d\.")
_EDGES = "_-. /:()"
_FIRST = 100  # names among which repeats are looked for first


class _Field(NamedTuple):
    """A number in a name."""

    start: int
    end: int
    text: str
    counts_repeats: bool
    is_of_model: bool  # as in 7b, 4o, 2.5, or in qwen3 if that is a folder


def repeats_of(names: Sequence[str]) -> list[str]:
    """Remove the number that counts repeats from each name.

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
        dropped = _counting_numbers([fields[at] for at in places], [names[at] for at in places])
        for at in places:
            systems[at] = _without(names[at], [fields[at][name] for name in dropped])
    if len(set(systems)) == len(systems) > 1:
        apart = next((places for places in groups.values() if len(places) > 1), None)
        if apart is None:
            return [""] * len(names)
        _refuse([names[at] for at in apart])
    return systems


def without_repeats(name: str) -> str:
    """Remove numbers that words or dates mark as repeats from a name.

    Examples
    --------
    >>> without_repeats("gpt-4o/gsm8k/seed_0"), without_repeats("arc_2")
    ('gpt-4o/gsm8k', 'arc_2')
    """
    return _without(name, [part for part in _fields(name) if part.counts_repeats])


def may_repeat(names: Sequence[str]) -> bool:
    """Whether some names differ only by a number that may count repeats."""
    if len(names) > _FIRST and may_repeat(names[:_FIRST]):  # more names make no fewer repeats
        return True
    try:
        systems = repeats_of(names)
    except InputError:
        return True
    return any(systems) and len(set(systems)) < len(systems)


def _fields(name: str) -> list[_Field]:
    found = []
    for match in _FIELD.finditer(name):
        start, end = match.span()
        is_number = bool(match["number"])
        is_of_model = is_number and (
            name[end : end + 1].isalpha()
            or _DECIMALS.match(name, end) is not None
            or _BEFORE_DECIMALS.fullmatch(name, max(0, start - 2), start) is not None
            or (name[start - 1 : start].isalpha() and "/" in name[end:])
        )
        found.append(_Field(start, end, match[0], not is_number, is_of_model))
    return found


def _template(name: str, fields: Sequence[_Field]) -> str:
    """A name with a placeholder for every number."""
    parts, place = [], 0
    for part in fields:
        parts.append(name[place : part.start])
        place = part.end
    return "#".join([*parts, name[place:]])


def _counting_numbers(fields: Sequence[Sequence[_Field]], names: Sequence[str]) -> list[int]:
    """Which numbers in otherwise equal names count repeats."""
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
    apart = setting("files", "systems")
    shown = some_of(names, 4)
    raise InputError(
        f"files are trials, but it is unclear which number in their names counts repeats and "
        f"which belongs to a model: {shown}. Put a word before the number, as in run1 or seed1, "
        f"or read every file as a system with {apart}."
    )


def _without(name: str, fields: Sequence[_Field]) -> str:
    parts, place = [], 0
    for part in fields:
        parts.append(name[place : part.start].strip(_EDGES))
        place = part.end
    parts.append(name[place:].strip(_EDGES))
    mark = "/" if "/" in name else "_"
    rest = mark.join(part for part in parts if part)
    return rest or re.sub(r"\d+", "", TIME.sub("", name)).strip(_EDGES)
