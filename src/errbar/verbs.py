"""The verbs: what can be asked of outcomes, in one call on whatever `load` takes.

`score(data, "pass@8")` is `load(data).score("pass@8")`. A verb has the options of the method of
`Runs` and those of `load`. The one name that both have, `trials` of `monitor`, is the method's: the
column of that name is in tables of counts, which have no order to be monitored in.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Literal

from errbar.analysis import evaluate
from errbar.analysis.methods import chosen_method
from errbar.base.remarks import way_to_say
from errbar.data.columns import USUAL, USUAL_COUNTS
from errbar.data.counts import CategoryCounts
from errbar.data.sources.joined import Joined, Part
from errbar.errors import InputError, WrongType
from errbar.loading import load
from errbar.metrics import Metric
from errbar.results.comparison import Comparisons
from errbar.results.estimate import Estimand, Subject
from errbar.results.gate import Gate, gate_of, limits_of
from errbar.results.inspection import Inspection, Overview
from errbar.results.leaderboard import Leaderboard
from errbar.results.monitoring import Monitoring
from errbar.results.scores import Scores
from errbar.runs import Runs

BASELINE, CANDIDATE = "baseline", "candidate"
_LOADING = {name for name in signature(load).parameters if name not in ("data", "columns")}


def score(data: Any, *metrics: Metric | str, **options: Any) -> Scores:
    """Every metric of every system with its interval.

    Parameters
    ----------
    data
        Whatever `load` takes, or `CategoryCounts`, or a dict of them by system.
    *metrics
        By name or as values, as in "pass@8"; `avg` if none.
    **options
        Those of `Runs.score` and of `load`, as in `estimand="benchmark"`, `question="task_id"`.

    Examples
    --------
    >>> score([[1, 0, 1, 1], [0, 0, 1, 0]], "pass@2")[0].value
    0.75
    """
    if _has_categories(data):
        return _score_categories(data, metrics, **options)
    runs, asked = _runs(data, Runs.score, options)
    return runs.score(*metrics, **asked)


def curve(
    data: Any, metric: str = "pass@k", ks: Iterable[int] | None = None, **options: Any
) -> Scores:
    """A metric at many k.

    Parameters
    ----------
    data
        Whatever `load` takes.
    metric
        With the letter k, as in "pass@k".
    ks
        By default 1, 2, 4 … and the fewest trials of a question.
    **options
        Those of `Runs.curve` and of `load`.
    """
    runs, asked = _runs(data, Runs.curve, options)
    return runs.curve(metric, ks, **asked)


def compare(data: Any, *metrics: Metric | str, **options: Any) -> Comparisons:
    """Which system is better, pair by pair on the questions that both have.

    Parameters
    ----------
    data
        Whatever `load` takes.
    *metrics
        By name or as values; `avg` if none.
    **options
        Those of `Runs.compare` and of `load`, as in `baseline="old"`, `margin=0.02`.
    """
    runs, asked = _runs(data, Runs.compare, options)
    return runs.compare(*metrics, **asked)


def rank(data: Any, metric: Metric | str = "avg", **options: Any) -> Leaderboard:
    """Systems in order, the ranks that each may have, and which cannot be told apart.

    Parameters
    ----------
    data
        Whatever `load` takes.
    metric
        What systems rank by.
    **options
        Those of `Runs.rank` and of `load`, as in `weights={"gsm8k": 2}`.
    """
    runs, asked = _runs(data, Runs.rank, options)
    return runs.rank(metric, **asked)


def monitor(data: Any, *systems: str, **options: Any) -> Monitoring:
    """Whether a run can stop, however often that is asked.

    Parameters
    ----------
    data
        Whatever `load` takes.
    *systems
        One to be watched alone, or two whose difference is; each on its own if none.
    **options
        Those of `Runs.monitor` and of `load`, as in `above=0.5`, `trials=4`.
    """
    runs, asked = _runs(data, Runs.monitor, options)
    return runs.monitor(*systems, **asked)


def overview(data: Any, **options: Any) -> Overview:
    """What was read, the scores, and who is better: what a person wants first.

    Parameters
    ----------
    data
        Whatever `load` takes.
    **options
        Those of `load`.
    """
    return _runs(data, Runs.overview, options)[0].overview()


def inspect(data: Any, **options: Any) -> Inspection:
    """What is in the data: systems, tasks, questions, trials, statuses, and what was guessed.

    Parameters
    ----------
    data
        Whatever `load` takes.
    **options
        Those of `load`.
    """
    return _runs(data, Runs.inspect, options)[0].inspect()


def report(
    data: Any,
    path: str | Path = "report.html",
    *metrics: str,
    estimand: Estimand | str = Estimand.POPULATION,
    level: float = 0.95,
    baseline: str | None = None,
    errors: Literal["fail", "missing"] = "fail",
    title: str = "",
    command: str = "",
    **options: Any,
) -> Path:
    """One page of everything, in an HTML file that needs no other; where it is.

    Parameters
    ----------
    data
        Whatever `load` takes.
    path
        The file; it ends in .html.
    *metrics
        By name; chosen by the data if none.
    estimand, level, errors
        As in `score`.
    baseline
        The system that every other is compared with; all pairs if None.
    title
        Of the page; what was read if empty.
    command
        What makes the same page again, to be shown on it.
    **options
        Those of `load`.
    """
    from errbar.page import Asked, write_report  # noqa: PLC0415  an extra

    runs, _ = _runs(data, report, options)
    asked = Asked(metrics, Estimand(estimand), level, baseline, errors, title, command)
    return write_report(runs, path, asked)


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

    Parameters
    ----------
    baseline, candidate
        Whatever `load` takes; for two systems of one log, the same twice.
    *metrics
        By name or as values.
    max_drop
        A number, or one for each metric by name; what is better when less must not rise by it.
    level, estimand, errors, short
        As in `score`.
    system, baseline_system
        Which system of each is meant, where it has several; the second if not called the same.
    same_questions
        Refuse questions that only one of the two has; they are left out and counted otherwise.
    inconclusive
        The exit code where the data do not tell.

    Examples
    --------
    >>> old, new = [[1, 1, 0, 1]] * 40, [[1, 0, 0, 0], [0, 1, 0, 0]] * 20
    >>> found = gate(old, new, "pass@1", max_drop=0.02)
    >>> found.verdict.value, found.exit_code
    ('regress', 1)
    """
    limits = limits_of(metrics, max_drop)
    old, new = _parts(load(baseline), load(candidate), system, baseline_system)
    joined = Joined.of({BASELINE: old, CANDIDATE: new})
    found = Runs(joined).compare(
        *limits, baseline=BASELINE, estimand=estimand, level=level, errors=errors, short=short
    )
    _require_differences(found)
    if same_questions:
        _require_same_questions(joined, found)
    return gate_of(found, limits, (_called(old), _called(new)), inconclusive)


def _runs(
    data: Any, verb: Callable[..., Any], options: Mapping[str, Any]
) -> tuple[Runs, dict[str, Any]]:
    """Outcomes, loaded with the options that are for `load`, and the options of the verb."""
    own = {
        name: option
        for name, option in signature(verb).parameters.items()
        if option.kind is Parameter.KEYWORD_ONLY
    }
    asked = {name: value for name, value in options.items() if name in own}
    reading = {name: value for name, value in options.items() if name not in own}
    known = [*own, *_LOADING, *dict.fromkeys([*USUAL, *USUAL_COUNTS])]
    for name in reading:
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise WrongType(f"{verb.__name__} has no option {name}.{hint}")
    if reading and isinstance(data, Runs):
        raise InputError(
            f"{next(iter(reading))} says how outcomes are read, and these are loaded already; give "
            f"it to load."
        )
    return load(data, **reading), asked


def _has_categories(data: Any) -> bool:
    """Whether it is counts that only `evaluate` takes: of categories, or by `Subject`."""
    if not isinstance(data, Mapping):
        return isinstance(data, CategoryCounts)
    return any(
        isinstance(name, Subject) or isinstance(counts, CategoryCounts)
        for name, counts in data.items()
    )


def _score_categories(
    data: Any,
    metrics: Iterable[Any],
    *,
    short: Literal["error", "posterior"] = "error",
    method: Any = None,
    estimand: Estimand | str | None = None,
    level: float | None = None,
    questions_in_all: int | None = None,
    **others: Any,
) -> Scores:
    if others:
        raise InputError(f"{next(iter(others))} is for outcomes; counts by category are tabulated.")
    how = chosen_method(method, estimand=estimand, level=level, questions_in_all=questions_in_all)
    return evaluate.score(data, *(metrics or ("avg",)), method=how, short=short)


def _parts(
    before: Runs, now: Runs, system: str | None, baseline_system: str | None
) -> tuple[Part, Part]:
    """The system of each that is compared."""
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
    return old, new


def _require_differences(found: Comparisons) -> None:
    """Refuse a metric that the baseline or the candidate has no number for."""
    for change in found:
        if math.isnan(change.value) or math.isnan(change.against):
            raise InputError(
                f"{change.metric}{f' of {change.task!r}' if change.task else ''} cannot be held "
                f"against its limit: {change.reason}."
            )


def _require_same_questions(joined: Joined, found: Comparisons) -> None:
    lost = sum(change.left_out for change in found)
    alone = _in_one_alone(joined)
    if alone or lost:
        raise InputError(
            "baseline and candidate must have the same questions; "
            + " ".join(alone or [f"{lost} are in one of them alone."])
        )


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
