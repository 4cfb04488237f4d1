"""Functions that load outcomes and analyse them in one call.

`score(data, "pass@8")` is `load(data).score("pass@8")`. A function takes the keywords of the method
of `Runs` and those of `load`. The only name that both have is `trials` of `monitor`, which goes to
the method: a column of that name occurs in tables of counts, which cannot be monitored.
"""

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Literal

from errbar.analysis import evaluate
from errbar.analysis.evaluate import chosen_method, narrowed
from errbar.analysis.gate import (
    BASELINE,
    CANDIDATE,
    name_of,
    parts_of,
    require_differences,
    require_same_questions,
)
from errbar.analysis.methods import Assumption
from errbar.analysis.rewards import largest_change
from errbar.data.columns import USUAL, USUAL_COUNTS
from errbar.data.counts import CategoryCounts
from errbar.errors import InputError, WrongType
from errbar.judges import joined_runs
from errbar.loading import load
from errbar.metrics import Metric
from errbar.results.calibration import Calibration
from errbar.results.comparisons import Comparisons
from errbar.results.estimate import Estimand, Subject
from errbar.results.gate import Gate, gate_of, limits_of, require_reachable
from errbar.results.inspection import Inspection
from errbar.results.leaderboard import Leaderboard
from errbar.results.monitoring import Monitoring
from errbar.results.overview import Overview
from errbar.results.scores import Scores
from errbar.results.timeline import Timeline
from errbar.runs import Runs

_LOADING = {name for name in signature(load).parameters if name not in ("data", "columns")}


def score(data: Any, *metrics: Metric | str, **options: Any) -> Scores:
    """Compute metrics of every system with confidence intervals.

    Parameters
    ----------
    data
        Anything that `load` takes, or `CategoryCounts`, or a dict of them by system.
    *metrics
        Metrics by name or as values, as in "pass@8"; `avg` by default.
    **options
        Keywords of `Runs.score` and of `load`, as in `estimand="benchmark"`, `question="task_id"`.

    Examples
    --------
    >>> score([[1, 0, 1, 1], [0, 0, 1, 0]], "pass@2")[0].value
    0.75
    """
    if _has_categories(data):
        return _score_categories(data, metrics, **options)
    runs, keywords = _runs(data, Runs.score, options)
    return runs.score(*metrics, **keywords)


def curve(
    data: Any, metric: str = "pass@k", ks: Iterable[int] | None = None, **options: Any
) -> Scores:
    """Compute a metric at many k.

    Parameters
    ----------
    data
        Anything that `load` takes.
    metric
        A metric with the letter k, as in "pass@k".
    ks
        The values of k; by default 1, 2, 4 … and the smallest number of trials of a question.
    **options
        Keywords of `Runs.curve` and of `load`.
    """
    runs, keywords = _runs(data, Runs.curve, options)
    return runs.curve(metric, ks, **keywords)


def compare(data: Any, *metrics: Metric | str, **options: Any) -> Comparisons:
    """Compare systems, pair by pair on the questions that both have.

    Parameters
    ----------
    data
        Anything that `load` takes.
    *metrics
        Metrics by name or as values; `avg` by default.
    **options
        Keywords of `Runs.compare` and of `load`, as in `baseline="old"`, `margin=0.02`.
    """
    runs, keywords = _runs(data, Runs.compare, options)
    return runs.compare(*metrics, **keywords)


def rank(data: Any, metric: Metric | str = "avg", **options: Any) -> Leaderboard:
    """Rank systems, with rank intervals and groups that are not separated.

    Parameters
    ----------
    data
        Anything that `load` takes.
    metric
        The metric to rank by.
    **options
        Keywords of `Runs.rank` and of `load`, as in `weights={"gsm8k": 2}`.
    """
    runs, keywords = _runs(data, Runs.rank, options)
    return runs.rank(metric, **keywords)


def monitor(data: Any, *systems: str, **options: Any) -> Monitoring:
    """Decide whether a run can stop, by sequential tests that are valid at any time.

    Parameters
    ----------
    data
        Anything that `load` takes.
    *systems
        One system to monitor, or two whose difference is monitored; by default every system.
    **options
        Keywords of `Runs.monitor` and of `load`, as in `above=0.5`, `trials=4`.
    """
    runs, keywords = _runs(data, Runs.monitor, options)
    return runs.monitor(*systems, **keywords)


def calibration(data: Any, **options: Any) -> Calibration:
    """Compare the confidence with how often answers are right.

    Parameters
    ----------
    data
        Anything that `load` takes.
    **options
        Keywords of `Runs.calibration` and of `load`, as in `bins=5`, `confidence="p_true"`.
    """
    runs, keywords = _runs(data, Runs.calibration, options)
    return runs.calibration(**keywords)


def overview(data: Any, **options: Any) -> Overview:
    """Summarise what was read, the scores, and which system is better.

    Parameters
    ----------
    data
        Anything that `load` takes.
    **options
        Keywords of `Runs.overview` and of `load`, as in `errors="missing"`.
    """
    runs, keywords = _runs(data, Runs.overview, options)
    return runs.overview(**keywords)


def inspect(data: Any, **options: Any) -> Inspection:
    """Describe the data: systems, tasks, questions, trials, statuses and guesses.

    Parameters
    ----------
    data, **options
        Anything that `load` takes, and the keywords of `load`.
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
    history: Any = None,
    **options: Any,
) -> Path:
    """Write a report as one HTML file that needs no other file, and return its path.

    Parameters
    ----------
    data
        Anything that `load` takes.
    path
        The file to write, which ends in .html.
    *metrics
        Metrics by name; by default those that suit the data.
    estimand, level, errors
        As in `Runs.score`.
    baseline
        The system with which all others are compared; by default all pairs are compared.
    title
        The title of the page; by default a summary of the data.
    command
        The command that makes the same page, to be shown on it.
    history
        Past runs, to be shown over time: anything that `errbar.history` takes, or its result.
    **options
        Keywords of `load`.
    """
    from errbar.page import ReportSettings, write_report  # noqa: PLC0415  an extra
    from errbar.past_runs import history as past_runs  # noqa: PLC0415  not always needed

    runs, _ = _runs(data, report, options)
    if history is not None and not isinstance(history, Timeline):
        history = past_runs(
            history, *metrics, estimand=estimand, level=level, errors=errors, short="drop"
        )
    settings = ReportSettings(
        metrics=metrics,
        level=level,
        errors=errors,
        baseline=baseline,
        title=title,
        estimand=Estimand(estimand),
        command=command,
        history=history,
    )
    return write_report(runs, path, settings)


def gate(
    baseline: Any,
    candidate: Any,
    *metrics: Metric | str,
    max_drop: float | Mapping[str, float],
    level: float = 0.95,
    estimand: Estimand | str = Estimand.POPULATION,
    errors: Literal["fail", "missing"] = "fail",
    short: Literal["error", "drop"] = "error",
    assume: Assumption = "nothing",
    bounds: tuple[float, float] | None = None,
    system: str | None = None,
    baseline_system: str | None = None,
    same_questions: bool = False,
    inconclusive: int = 3,
) -> Gate:
    """Test that no metric of the candidate fell by more than `max_drop` below the baseline.

    Parameters
    ----------
    baseline, candidate, *metrics
        Anything that `load` takes (for two systems of one log, the same data twice), and metrics.
    max_drop
        The largest drop that is allowed, for all metrics or by name, on the scale of the metric;
        a metric of which lower values are better must not rise by more.
    level, estimand, errors, short, assume, bounds
        As in `Runs.compare`.
    system, baseline_system
        The systems of both, if they have several; that of the baseline only if the names differ.
    same_questions
        Refuse questions that only one of the two has; by default they are left out and counted.
    inconclusive
        The exit code if the data are inconclusive: 0, 1 or 3.

    Examples
    --------
    >>> old, new = [[1, 1, 0, 1]] * 40, [[1, 0, 0, 0], [0, 1, 0, 0]] * 20
    >>> gate(old, new, "pass@1", max_drop=0.02).verdict.value
    'regress'
    """
    limits = limits_of(metrics, max_drop)
    both = {BASELINE: load(baseline), CANDIDATE: load(candidate)}
    old, new = parts_of(both[BASELINE].source, both[CANDIDATE].source, system, baseline_system)
    runs = joined_runs(both, {BASELINE: old, CANDIDATE: new})
    found = runs.compare(
        *limits,
        baseline=BASELINE,
        estimand=estimand,
        level=level,
        errors=errors,
        short=short,
        assume=assume,
        bounds=bounds,
    )
    require_differences(found)
    source = runs.source
    require_reachable(limits, {metric: largest_change(source, metric, bounds) for metric in limits})
    if same_questions:
        require_same_questions(source, found)
    return gate_of(found, limits, (name_of(old), name_of(new)), inconclusive)


def _runs(
    data: Any, verb: Callable[..., Any], options: Mapping[str, Any]
) -> tuple[Runs, dict[str, Any]]:
    """Load outcomes with the options for `load`, and return them with the other options."""
    own = {
        name: option
        for name, option in signature(verb).parameters.items()
        if option.kind is Parameter.KEYWORD_ONLY
    }
    keywords = {name: value for name, value in options.items() if name in own}
    reading = {name: value for name, value in options.items() if name not in own}
    known = [*own, *_LOADING, *dict.fromkeys([*USUAL, *USUAL_COUNTS])]
    for name in reading:
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f" Did you mean {near[0]}?" if near else ""
            if name in ("metric", "metrics"):
                hint = f" Metrics follow the data, as in {verb.__name__}(data, 'avg')."
            raise WrongType(f"{verb.__name__} has no option {name}.{hint}")
    if reading and isinstance(data, Runs):
        raise InputError(
            f"{next(iter(reading))} is an option of load, but these outcomes are loaded already; "
            f"pass it to load."
        )
    return load(data, **reading), keywords


def _has_categories(data: Any) -> bool:
    """Whether the data are counts that only `evaluate` takes: of categories, or by `Subject`."""
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
    assume: Assumption | None = None,
    **others: Any,
) -> Scores:
    if others:
        raise InputError(
            f"{next(iter(others))} is for outcomes; it does not apply to counts by category."
        )
    how = chosen_method(method, estimand=estimand, level=level)
    how = narrowed(how, questions_in_all, assume)
    return evaluate.score(data, *(metrics or ("avg",)), method=how, short=short)
