"""The scale of outcomes: bounds of rewards, given or estimated, and remarks on what is doubtful.

Doubtful are ranges that differ between systems, and codes that stand for no result.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from errbar.analysis.evaluate import is_reward, results_of
from errbar.analysis.methods.population import bounds_of_metric
from errbar.base.arrays import Array
from errbar.base.remarks import (
    Above,
    Condition,
    GuessedBounds,
    Scale,
    guess,
    setting,
    some_of,
    warning,
    way_to_say,
)
from errbar.data.queries.questions import Slice
from errbar.data.sources.tables import Source
from errbar.errors import InputError
from errbar.kernels.interval import endpoints
from errbar.metrics import CountMetric, Metric
from errbar.results.estimate import Subject

_TRUTHS = (
    *("correct", "is_correct", "passed", "is_pass", "success", "succeeded", "is_success"),
    *("resolved", "is_resolved", "solved"),
)
ROUNDING = 1e-9  # a cosine similarity may be 1.0000000000000002
_GAP = 10  # percentages are at least this many times as large as shares


def exceeds_unit(source: Source, part: Slice, metric: Metric) -> bool:
    """Whether some rewards lie below 0 or above 1."""
    if not isinstance(metric, CountMetric) or not is_reward(part, metric):
        return False
    values = results_of(source, part).values
    return min(values, default=0.0) < 0.0 or max(values, default=0.0) > 1.0 + ROUNDING


def subjects_without_rewards(
    source: Source, subjects: Mapping[Subject, Slice], metric: CountMetric
) -> tuple[Subject, ...]:
    """Subjects whose outcomes are categories rather than rewards.

    Outcomes of 0 and 1 are rewards if others of the task lie below 0 or above 1, so that 0 and 1
    are not the bounds.
    """
    graded = {of.task for of, part in subjects.items() if exceeds_unit(source, part, metric)}
    others = (of for of in subjects if of.task not in graded)
    return tuple(of for of in others if not is_reward(subjects[of], metric))


def given_bounds(bounds: tuple[float, float]) -> Condition:
    """The remark on bounds of rewards that the user gave."""
    return Condition(f"rewards lie between {bounds[0]:.3g} and {bounds[1]:.3g}")


def bounds_of(extremes: Array, bounds: tuple[float, float] | None) -> tuple[float, float]:
    """Bounds of rewards: those given, or bounds estimated from the outcomes.

    `extremes` are the lowest and the highest outcome of each question. Outcomes between 0 and 1 are
    assumed to be bounded by 0 and 1. Otherwise the bounds are the estimated ends of the range
    (Robson and Whitlock 1964); the lower one is 0 if no outcome is negative.
    """
    if bounds is not None:
        require_within(extremes, bounds)
        return bounds
    lowest, highest = extremes
    if lowest.min() >= 0.0 and highest.max() <= 1.0:
        return 0.0, 1.0
    low, high = endpoints(lowest)[0], endpoints(highest)[1]
    return (max(low, 0.0) if lowest.min() >= 0.0 else low), high


def require_within(extremes: Array, bounds: tuple[float, float]) -> None:
    """Refuse bounds that an outcome exceeds; rows are the lowest and highest of each question."""
    outside = extremes[(extremes < bounds[0]) | (extremes > bounds[1])]
    if outside.size:
        option = way_to_say("--bounds LOW HIGH", "bounds=(low, high)")
        missing = setting("errors", "missing")
        failed = f"; rows without a result count as 0, and {missing} leaves them out"
        raise InputError(
            f"an outcome of {outside[0]:g} lies outside of the bounds {bounds[0]:g} to "
            f"{bounds[1]:g}; correct {option}, or leave it out{'' if outside[0] else failed}"
        )


def remark_on_guess(subject: str, bounds: tuple[float, float]) -> str:
    """The guess about the bounds of rewards."""
    rewards = f"{subject}rewards" if subject else "Rewards"
    return GuessedBounds(
        guess(
            f"{rewards} are taken to lie between {bounds[0]:.3g} and {bounds[1]:.3g}",
            option="--bounds LOW HIGH",
            argument="bounds=(low, high)",
        )
    )


def largest_change(
    source: Source, metric: Metric, bounds: tuple[float, float] | None = None
) -> float:
    """The largest possible change of a metric; infinite for rewards outside 0 to 1."""
    if any(exceeds_unit(source, part, metric) for part in source.slices(())):
        return math.inf
    low, high = (
        bounds_of_metric(metric, bounds) if isinstance(metric, CountMetric) else metric.bounds
    )
    return high - low


def remarks_on_rewards(source: Source, found: Sequence[Slice]) -> list[Above]:
    """Remarks on a column of right and wrong that has other numbers, and on their scale."""
    return [*_strange_truths(source, found), *_scales(source, found)]


def _strange_truths(source: Source, found: Sequence[Slice]) -> list[Above]:
    """Warning on a column of right and wrong that has other numbers than 0 and 1."""
    column = source.outcome_column
    if column.lower() not in _TRUTHS:
        return []
    other = sum(int(part.other @ part.questions) for part in found)
    return [
        warning(
            f"{other} rows of {column!r} are neither 0 nor 1: all are taken as rewards and "
            f"averaged as they are."
        )
    ]


def _scales(source: Source, found: Sequence[Slice]) -> list[Above]:
    """The range of outcomes that are not all 0 and 1, and whether systems differ in their scale."""
    ranges = {part.key: _values(source, part) for part in found}
    ranges = {key: values for key, values in ranges.items() if values}
    least, most = min(map(min, ranges.values())), max(map(max, ranges.values()))
    remarks: list[Above] = []
    if least < 0 or most > 1:
        text = f"Outcomes: from {least:.4g} to {most:.4g}, averaged as they are"
        remarks.append(Scale(guess(text)))
    for task in dict.fromkeys(key[1] for key in ranges):
        of_task = {key: part for key, part in ranges.items() if key[1] == task}
        small = [key for key, part in of_task.items() if min(part) >= 0 and max(part) <= 1]
        large = [key for key in of_task if key not in small and max(of_task[key]) > 1]
        if small and large:
            remarks.append(
                warning(
                    f"Scales differ: {_name(small[0])} has outcomes from "
                    f"{min(of_task[small[0]]):.4g} to {max(of_task[small[0]]):.4g}, "
                    f"{_name(large[0])} from {min(of_task[large[0]]):.4g} to "
                    f"{max(of_task[large[0]]):.4g}. If one is in percent, write both alike before "
                    f"they are compared."
                )
            )
        for key, often in of_task.items():
            remarks += _codes(key, often) or (_gap(key, often) if key not in small else [])
    return remarks


def _codes(key: Sequence[str], often: Mapping[float, int]) -> list[Above]:
    """A warning where a number far from all others may stand for no result, such as -1 or 999.

    Only whole numbers are taken for codes: -0.1 may be a reward less a penalty.
    """
    values = sorted(often)
    if len(values) < 3:
        return []
    code = values[0] if values[0] < 0 <= values[1] else values[-1]
    if not float(code).is_integer():
        return []
    others = [value for value in values if value != code]
    repeats = often[code] > 1 or set(f"{code:g}") == {"9"}
    if code > 0 and not (others[-1] > 1 and code >= _GAP * others[-1] and repeats):
        return []
    rows = sum(often.values())
    total = sum(value * n for value, n in often.items())
    mean = (total - code * often[code]) / (rows - often[code])
    return [
        warning(
            f"{_name(key)}: {often[code]} of {rows} outcomes are {code:g}, the others "
            f"{others[0]:.4g} to {others[-1]:.4g}. It is averaged like them (mean of all rows "
            f"{total / rows:.4g}); if it stands for no result, empty those cells (mean {mean:.4g})."
        )
    ]


def _gap(key: Sequence[str], values: Iterable[float]) -> list[Above]:
    """A warning if outcomes up to 1 are mixed with others that are at least ten times as large."""
    sizes = sorted({abs(value) for value in values if value})
    within, beyond = [size for size in sizes if size <= 1], [size for size in sizes if size > 1]
    if not within or not beyond or beyond[0] < _GAP * within[-1]:
        return []
    return [
        warning(
            f"{_name(key)}: some outcomes are {within[-1]:.4g} at most and others {beyond[0]:.4g} "
            f"at least, with nothing between: two scales may be mixed, or a number may stand for "
            f"no result. All are averaged as they are."
        )
    ]


def _name(key: Sequence[str]) -> str:
    return key[0] or "the system"


def _values(source: Source, part: Slice) -> dict[float, int]:
    """The outcomes that occur, and how often."""
    if part.is_binary:
        right, scored = int(part.right @ part.questions), int(part.scored @ part.questions)
        return {0.0: scored - right, 1.0: right}
    results = source.categories(part.by)[part.key]
    often = results.counts.sum(axis=0)
    return {value: int(n) for value, n in zip(results.values, often, strict=True) if n}


def who_has_rewards(task: str, mine: Iterable[Subject], there: Iterable[Subject]) -> str:
    """The task, and the systems with rewards if others of the task are only right or wrong."""
    systems, every = ({of.system: None for of in some if of.task == task} for some in (mine, there))
    names = some_of(systems) if len(systems) < len(every) else ""
    subject = " · ".join(part for part in (names, task) if part)
    return f"{subject}: " if subject else ""
