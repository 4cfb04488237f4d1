"""A candidate against a baseline: the systems of both, and what a gate refuses."""

import math
from collections.abc import Mapping

from errbar.analysis.rewards import largest_change
from errbar.base.remarks import way_to_say
from errbar.data.sources.joined import SystemPart
from errbar.data.sources.tables import Source
from errbar.errors import InputError
from errbar.metrics import Metric
from errbar.results.comparisons import Comparisons
from errbar.results.gate import require_reachable

BASELINE, CANDIDATE = "baseline", "candidate"


def parts_of(
    before: Source, now: Source, system: str | None, baseline_system: str | None
) -> tuple[SystemPart, SystemPart]:
    """Return the system of the baseline and that of the candidate."""
    old = SystemPart.of(
        before,
        _same_name(before, system) if baseline_system is None else baseline_system,
        BASELINE,
        way_to_say("--baseline-system", "baseline_system="),
    )
    new = SystemPart.of(now, system, CANDIDATE, way_to_say("--system", "system="))
    if old.source is new.source and old.system == new.system:
        raise InputError(
            f"the candidate and the baseline are the same{_quoted(new.system)}; give another log, "
            f"or name two systems with "
            f"{way_to_say('--system and --baseline-system', 'system= and baseline_system=')}."
        )
    return old, new


def require_comparable(
    joined: Source,
    found: Comparisons,
    limits: Mapping[Metric, float],
    bounds: tuple[float, float] | None,
    *,
    same_questions: bool,
) -> None:
    """Refuse what cannot be compared with its limit, and questions of one alone if asked to."""
    _require_differences(found)
    changes = {metric: largest_change(joined, metric, bounds) for metric in limits}
    require_reachable(limits, changes)
    if same_questions:
        _require_same_questions(joined, found)


def _require_differences(found: Comparisons) -> None:
    """Refuse a metric that is undefined for the baseline or the candidate."""
    for change in found:
        if math.isnan(change.value) or math.isnan(change.against):
            raise InputError(
                f"{change.metric}{f' of {change.task!r}' if change.task else ''} cannot be "
                f"compared with its limit: {change.reason}."
            )


def _require_same_questions(joined: Source, found: Comparisons) -> None:
    """Refuse questions that only the baseline or the candidate has."""
    lost = sum(change.left_out for change in found)
    alone = _in_one_alone(joined)
    if alone or lost:
        raise InputError(
            "baseline and candidate must have the same questions; "
            + " ".join(alone or [f"{lost} are in only one of them."])
        )


def _same_name(baseline: Source, system: str | None) -> str | None:
    """Return the name of the candidate, if the baseline has it among several systems."""
    systems = {part.key[0] for part in baseline.slices(())}
    return system if len(systems) > 1 and system in systems else None


def _in_one_alone(joined: Source) -> list[str]:
    """Return sentences on the tasks that only the baseline or the candidate has."""
    tasks: dict[str, set[str]] = {BASELINE: set(), CANDIDATE: set()}
    for part in joined.slices(()):
        tasks[part.key[0]].add(part.key[1])
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


def name_of(part: SystemPart) -> str:
    """Return the system with the path that it was read from."""
    path = part.source.where
    if part.system and path:
        return f"{part.system} ({path})"
    return part.system or path or "unnamed"


def _quoted(system: str) -> str:
    return f" system {system!r}" if system else ""
