"""Two logs, or two systems of one → a gate."""

import math
from collections.abc import Mapping
from typing import Any, Literal

from errbar.base.remarks import way_to_say
from errbar.data.sources.joined import Joined, Part
from errbar.errors import InputError
from errbar.loading import load
from errbar.metrics import Metric
from errbar.results.estimate import Estimand
from errbar.results.gate import Gate, gate_of, limits_of
from errbar.runs import Runs

BASELINE, CANDIDATE = "baseline", "candidate"


def gate(
    baseline: Any,
    candidate: Any,
    *metrics: Metric | str,
    max_drop: float | Mapping[str, float],
    level: float = 0.95,
    estimand: Estimand | str = Estimand.POPULATION,
    errors: Literal["fail", "missing"] = "fail",
    short: Literal["error", "drop"] = "error",
    system: str | None = None,
    baseline_system: str | None = None,
    same_questions: bool = False,
    inconclusive: int = 3,
) -> Gate:
    """Whether no metric of the candidate fell by more than `max_drop`, question by question.

    Both are `Runs`, or whatever `load` takes. Where there are several systems, `system` says which
    one is meant, and `baseline_system` which one of the baseline if it is another; for two systems
    of one log, give it twice. `max_drop` is a number, or one for each metric by name; a metric of
    which less is better must not rise by it. `same_questions` refuses data in which only one of the
    two has a question, which are left out and counted otherwise.

    Examples
    --------
    >>> old, new = [[1, 1, 0, 1]] * 40, [[1, 0, 0, 0], [0, 1, 0, 0]] * 20
    >>> found = gate(old, new, "pass@1", max_drop=0.02)
    >>> found.verdict.value, found.exit_code
    ('regress', 1)
    """
    limits = limits_of(metrics, max_drop)
    before, now = _runs(baseline), _runs(candidate)
    old = Part.of(
        before.source,
        _same_name(before, system) if baseline_system is None else baseline_system,
        BASELINE,
        way_to_say("--baseline-system", "baseline_system="),
    )
    new = Part.of(now.source, system, CANDIDATE, way_to_say("--system", "system="))
    if old.source is new.source and old.system == new.system:
        raise InputError(
            f"the candidate and the baseline are one and the same{_quoted(new.system)}; give "
            f"another log, or say which systems: "
            f"{way_to_say('--system, --baseline-system', 'system=, baseline_system=')}."
        )
    joined = Joined.of({BASELINE: old, CANDIDATE: new})
    found = Runs(joined).compare(
        *limits, baseline=BASELINE, estimand=estimand, level=level, errors=errors, short=short
    )
    for one in found:
        if math.isnan(one.value) or math.isnan(one.against):
            raise InputError(
                f"{one.metric}{f' of {one.task!r}' if one.task else ''} cannot be held against its "
                f"limit: {one.reason}."
            )
    lost = sum(one.left_out for one in found)
    alone = _in_one_alone(joined) if same_questions else []
    if same_questions and (alone or lost):
        raise InputError(
            "baseline and candidate must have the same questions; "
            + " ".join(alone or [f"{lost} are in one of them alone."])
        )
    return gate_of(found, limits, (_called(old), _called(new)), inconclusive)


def _runs(data: Any) -> Runs:
    return data if isinstance(data, Runs) else load(data)


def _same_name(baseline: Runs, system: str | None) -> str | None:
    """The candidate's name, where the baseline has it among others."""
    there = {one.key[0] for one in baseline.source.slices(())}
    return system if len(there) > 1 and system in there else None


def _in_one_alone(joined: Joined) -> list[str]:
    """Tasks that only one of the two was given, in words."""
    tasks: dict[str, set[str]] = {BASELINE: set(), CANDIDATE: set()}
    for one in joined.slices(()):
        tasks[one.key[0]].add(one.key[1])
    alone = {
        who: sorted(tasks[who] - tasks[other])
        for who, other in ((BASELINE, CANDIDATE), (CANDIDATE, BASELINE))
    }
    return [
        f"Only the {who} has {'the task' if len(names) == 1 else 'the tasks'} "
        f"{', '.join(map(repr, names))}."
        for who, names in alone.items()
        if names
    ]


def _called(part: Part) -> str:
    """What a reader knows it by: the system, and the path if it was read from one."""
    path = part.source.where
    if part.system and path:
        return f"{part.system} ({path})"
    return part.system or path or "without a name"


def _quoted(system: str) -> str:
    return f" system {system!r}" if system else ""
