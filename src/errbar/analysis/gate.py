"""Gates: the compared systems, the limits, what is refused, and the verdict for each metric."""

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from errbar.analysis.outcome_scales import largest_change
from errbar.base.arguments import number
from errbar.base.remarks import way_to_say
from errbar.data.sources.joined import SystemPart
from errbar.data.sources.tables import Source
from errbar.errors import InputError
from errbar.metrics import Metric
from errbar.metrics.base import metric_of
from errbar.results.comparisons import Comparisons
from errbar.results.gate import Gate, GateRow

BASELINE, CANDIDATE = "baseline", "candidate"


def limits_of(
    metrics: Sequence[Metric | str], max_drop: float | Mapping[str, float]
) -> dict[Metric, float]:
    """Largest allowed drop of each metric: the same for all, or by name."""
    gated = list(dict.fromkeys(metric_of(metric) for metric in metrics))
    if not gated:
        raise InputError("there is no metric to gate by; name one, as in 'pass@1'.")
    if not isinstance(max_drop, Mapping):
        return dict.fromkeys(gated, number(max_drop, "max_drop", 0.0, math.inf))
    limits = {
        metric_of(name): number(drop, f"max_drop of {name}", 0.0, math.inf)
        for name, drop in max_drop.items()
    }
    listed = ", ".join(map(str, gated))
    if len(limits) < len(max_drop):
        raise InputError(f"max_drop names a metric twice: {list(max_drop)}.")
    for metric in limits:
        if metric not in gated:
            raise InputError(f"max_drop names {metric}, which is not among the metrics: {listed}.")
    for metric in gated:
        if metric not in limits:
            raise InputError(f"max_drop has no limit for {metric}; add one.")
    return {metric: limits[metric] for metric in gated}


def _require_reachable(limits: Mapping[Metric, float], largest: Mapping[Metric, float]) -> None:
    """Refuse a limit that even the largest possible change of the metric does not exceed."""
    for metric, limit in limits.items():
        if limit >= largest[metric]:
            option = way_to_say("--max-drop", "max_drop")
            raise InputError(
                f"{option} {limit:g} can never be exceeded: {metric} cannot change by more than "
                f"{largest[metric]:g}. {option} is on the scale of the metric: 5 percentage "
                f"points are 0.05."
            )


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
            f"the candidate and the baseline are the same{_quote(new.system)}; give another log, "
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
    """Refuse changes without a number and, on request, questions that only one run has."""
    _require_differences(found)
    changes = {metric: largest_change(joined, metric, bounds) for metric in limits}
    _require_reachable(limits, changes)
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
    unmatched = sum(change.left_out for change in found)
    alone = _unshared_tasks(joined)
    if alone or unmatched:
        raise InputError(
            "baseline and candidate must have the same questions; "
            + " ".join(alone or [f"{unmatched} are in only one of them."])
        )


def _same_name(baseline: Source, system: str | None) -> str | None:
    """Return the name of the candidate, if the baseline has it among several systems."""
    systems = {part.key[0] for part in baseline.slices(())}
    return system if len(systems) > 1 and system in systems else None


def _unshared_tasks(joined: Source) -> list[str]:
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


def _quote(system: str) -> str:
    return f" system {system!r}" if system else ""


def gate_of(
    comparisons: Comparisons,
    limits: Mapping[Metric, float],
    names: tuple[str, str],
    inconclusive: int,
    flips: Mapping[tuple[Metric, str], int] = MappingProxyType({}),
) -> Gate:
    """A gate from comparisons of a candidate with a baseline, and the limits."""
    rows = tuple(
        GateRow(change, limits[change.metric], flips.get((change.metric, change.task), 0))
        for change in comparisons
    )
    return Gate(
        rows=rows,
        baseline=names[0],
        candidate=names[1],
        method=comparisons.method,
        remarks=comparisons.remarks,
        inconclusive=inconclusive,
    )
