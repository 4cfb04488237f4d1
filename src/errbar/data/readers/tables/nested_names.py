"""Names of fields inside objects, such as scores.accuracy and agent.name, and what they mean."""

import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache

from errbar.data.columns import USUAL, plain_name
from errbar.data.queries.expressions import Columns

_GRADING = re.compile(r"judg|grader|label|evaluator|critic|verdict|autoeval", re.IGNORECASE)


@cache
def ranked_names(meaning: str, usual: tuple[str, ...]) -> dict[str, int]:
    """Known names for a meaning, the most likely first, with their ranks."""
    names = dict.fromkeys(map(plain_name, (meaning, *usual)))
    return {name: rank for rank, name in enumerate(names)}


def parts_named(present: Iterable[str], meaning: str) -> list[str]:
    """Nested columns named like scores.accuracy, em/v1/score, agent.name, or dataset.name."""
    parts = [name for name in present if isinstance(name, str) and ("." in name or "/" in name)]
    ends = {name: name.replace("/", ".").split(".")[-2:] for name in parts}
    known = {name: {plain_name(end[-1]), plain_name("_".join(end))} for name, end in ends.items()}
    if meaning in ("system", "task"):  # which have a name, unlike trials and outcomes
        for name, end in ends.items():
            known[name] |= {plain_name(end[0])} if end[-1].lower() == "name" else set()
    usual = [plain_name(name) for name in (meaning, *USUAL[meaning])]
    found = list(dict.fromkeys(name for end in usual for name in parts if end in known[name]))
    if meaning == "system":  # the model in an object of a grader is the judge
        found = [name for name in found if not _GRADING.search(name.rpartition(".")[0])]
    if found or meaning != "outcome":
        return found
    scores = [name for name in parts if name.lower().startswith(("score.", "scores."))]
    return scores if len(scores) == 1 else [name for name in parts if "value" in known[name]]


def names_in_parts(keys: Iterable[object], meaning: str) -> bool:
    """Whether a nested object has a known key for a meaning."""
    usual = ranked_names(meaning, USUAL[meaning])
    return any(plain_name(str(key)) in usual for key in keys)


def hides_names(
    keys: Mapping[str, Collection[str]], columns: Columns, assigned: Collection[str]
) -> bool:
    """Whether objects have a name that no column has: of a system in any, of a task in its own.

    `keys` are those of the objects in each column of objects.
    """
    named = {meaning for meaning, name in columns.named.items() if name not in keys} | {*assigned}
    parts = {name: [f"{name}.{key}" for key in inside] for name, inside in keys.items()}
    if "system" not in named and any(
        names_in_parts(keys[name], "system") or _is_named(name, "system", parts[name])
        for name in keys
    ):
        return True
    return "task" not in named and any(_is_named(name, "task", parts[name]) for name in keys)


def _is_named(name: str, meaning: str, parts: Collection[str]) -> bool:
    """Whether a column is called a system or a task, and its objects have the name of that."""
    return names_in_parts([name], meaning) and bool(parts_named(parts, meaning))
