"""Estimates of metrics from counts, by an interval method.

`chosen_method` returns the interval method for the arguments of a user; `counts_of` returns the
counts that a metric needs. An estimate that cannot be computed is missing, with a reason; it is an
error only if all estimates are missing (`Refusals`).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from errbar.analysis.methods import Assumption, Calibrated, Cell, Method, Posterior
from errbar.analysis.methods.population import clusters_of
from errbar.base.arguments import require_all
from errbar.base.arrays import Integers
from errbar.base.remarks import setting, some_of, way_to_say
from errbar.data.counts import CategoryCounts, Counts, CountsByState
from errbar.data.queries.questions import Slice
from errbar.data.queries.tallies import Results
from errbar.data.sources.tables import Source
from errbar.errors import InputError, WrongType
from errbar.metrics import CountMetric, Metric, Needs
from errbar.metrics.base import metric_of, too_few_trials
from errbar.metrics.means import (
    RIGHT_OR_WRONG,
    AnyCounts,
    CategoryMetric,
    OutcomeMean,
)
from errbar.results.estimate import Estimand, Estimate, Interval, Subject
from errbar.results.scores import Scores

_MOST_SHOWN = 6  # values in a message


def chosen_method(
    method: Method | str | None = None,
    *,
    estimand: Estimand | str | None = None,
    level: float | None = None,
) -> Method:
    """An interval method, by value or by name, with this target and level."""
    if method is None or (isinstance(method, str) and method == "calibrated"):
        method = Calibrated()
    elif isinstance(method, str) and method == "documented":
        method = Posterior()
    if not isinstance(method, Calibrated | Posterior):
        raise WrongType(
            f"method must be 'calibrated', 'documented' or a value, as in Calibrated(level=0.9); "
            f"got {method!r}."
        )
    settings: dict[str, Any] = {} if level is None else {"level": level}
    if isinstance(method, Posterior):
        if estimand not in (None, Estimand.BENCHMARK):
            raise InputError(
                f"the documented posterior is for the estimand 'benchmark'; got {estimand!r}."
            )
    elif estimand is not None:
        settings["estimand"] = estimand
    return replace(method, **settings)


def with_assumptions(
    method: Method,
    questions_in_all: int | None = None,
    assume: Assumption | None = None,
    bounds: tuple[float, float] | None = None,
    largest_cluster: int | None = None,
) -> Method:
    """The method with assumptions about the questions, which only `Calibrated` can make."""
    options = {
        "questions_in_all": (questions_in_all, "--questions-in-all"),
        "assume": (assume, "--assume"),
        "bounds": (bounds, "--bounds"),
        "largest_cluster": (largest_cluster, "--largest-cluster"),
    }
    settings: dict[str, Any] = {
        name: value for name, (value, _) in options.items() if value is not None
    }
    if isinstance(method, Calibrated):
        return replace(method, **settings)
    for name in settings:
        option = way_to_say(options[name][1], f"{name}=")
        raise InputError(f"{option} is for {setting('method', 'calibrated')}.")
    return method


def counts_of(source: Source, part: Slice, metric: CountMetric, failures: str) -> AnyCounts:
    """The counts that a metric needs: right and wrong, or its categories."""
    if isinstance(metric, CategoryMetric) and categories_of(metric):
        return _categories(source, part, metric, failures)
    if not part.is_binary:
        raise WrongType(
            f"needs outcomes of 0 and 1; there are {values_in(source, part)}. If they are "
            "rewards, use avg. If they are categories 0, 1, 2 …, use a metric with a weight for "
            "each: avg(weights=[…]), bayes(…) or max@k(…)"
        )
    return part.counts(failures)


def results_of(source: Source, part: Slice) -> Results:
    """The distinct results of a slice, without values that occur only in other slices."""
    results = source.categories(part.by)[part.key]
    occurring = np.flatnonzero(results.counts.sum(axis=0))
    values = [results.values[at] for at in occurring.tolist()]
    return results._replace(values=values, counts=results.counts[:, occurring])


def values_in(source: Source, part: Slice) -> str:
    """The first few distinct values, for a message."""
    values = results_of(source, part).values
    return some_of((f"{value + 0.0:g}" for value in values), _MOST_SHOWN)


def _categories(
    source: Source, part: Slice, metric: CategoryMetric, failures: str
) -> CategoryCounts:
    values, counts, _, clusters, names, weights = results_of(source, part)
    some = counts.sum(axis=1) > 0
    if weights is not None:
        some &= weights > 0
    rows = counts[some]
    wrong = [value for value in values if value not in range(len(metric.weights))]
    if wrong:
        raise WrongType(
            f"has weights for the outcomes 0 to {len(metric.weights) - 1}; the data have "
            f"{wrong[0]:g}"
        )
    if part.failed and failures != "missing":
        raise InputError(
            f"{part.failed} rows have no result, and no category stands for that; "
            f"{setting('errors', 'missing')} leaves them out"
        )
    tally = np.zeros((len(rows), len(metric.weights)), dtype=np.int64)
    tally[:, [int(value) for value in values]] = rows
    kept = [name for name, is_in in zip(names, some, strict=True) if is_in] if names else None
    return CategoryCounts(
        tally,
        kept,
        None if clusters is None else clusters[some],
        None if weights is None else weights[some],
    )


def categories_of(metric: CountMetric) -> tuple[float, ...]:
    """The weights of a metric of categories; empty for a metric of right and wrong."""
    if isinstance(metric, CategoryMetric) and metric.weights != RIGHT_OR_WRONG:
        return metric.weights
    return ()


def is_reward(part: Slice, metric: CountMetric) -> bool:
    """Whether outcomes are rewards, which are averaged unchanged."""
    if not isinstance(metric, OutcomeMean) or metric.weights != RIGHT_OR_WRONG:
        return False
    return not part.is_binary or metric.needs is Needs.PROBABILITY


_NUMBER = re.compile(r"\d+(\.\d+)?")


class Refusals:
    """Estimates that were refused, by subject and metric, with their errors."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], InputError] = {}

    def add(self, subject: object, metric: object, error: InputError) -> str:
        """Record a refusal and return its reason as a phrase."""
        self._found[str(subject), str(metric)] = error
        return reason_of(error, metric)

    def require_others(self, requested: Iterable[tuple[object, object]]) -> None:
        """Raise an error if every requested estimate is refused."""
        names = list(dict.fromkeys((str(subject), str(metric)) for subject, metric in requested))
        if all(name in self._found for name in names):
            self.require_none(names)

    def require_none(self, names: Sequence[tuple[str, str]] = (), done: str = "scored") -> None:
        """Raise the first refusal, if any, with the number of refusals of its kind."""
        names = names or list(self._found)
        if not names:
            return
        reasons = [reason_of(self._found[name], name[1]) for name in names]
        what = f"{' '.join(filter(None, names[0]))}: {reasons[0]}"
        if len(names) > 1:
            alike = sum(_kind(reason) == _kind(reasons[0]) for reason in reasons)
            some = "all" if alike == len(names) else f"{alike} of"
            what = f"nothing can be {done}. {what} (and so for {some} {len(names)})"
        raise type(first := self._found[names[0]])(f"{what}.") from first


def reason_of(error: InputError, metric: object) -> str:
    """The message of an error without the leading metric and the full stop.

    Examples
    --------
    >>> reason_of(InputError("vote@3: votes are counted among at most 1000 trials."), "vote@3")
    'votes are counted among at most 1000 trials'
    """
    text = " ".join(str(error).split()).removesuffix(".")
    return text.removeprefix(f"{metric}: ").removeprefix(f"{metric} ")


def _kind(reason: str) -> str:
    """The reason without numbers and details, for grouping similar reasons."""
    return _NUMBER.sub("", reason.partition(";")[0].rpartition(": ")[2])


_CALIBRATED = Calibrated()


def score(
    systems: Mapping[str, AnyCounts] | Mapping[Subject, AnyCounts] | AnyCounts,
    *metrics: CountMetric | str,
    method: Method | Literal["documented"] = _CALIBRATED,
    short: Literal["error", "posterior"] = "error",
) -> Scores:
    """Compute every metric of every system with its interval.

    The interval is for new questions of the same kind, or for the target of `method`, as in
    `Calibrated("benchmark")` or `Posterior(...)`; "documented" is the flat prior of `errbar.eval`.
    A system whose questions have fewer trials than a metric draws has no value, and the estimate
    gives the reason; with `short="posterior"` the value is extrapolated by the difficulty model. It
    is an error only if nothing can be scored.

    Examples
    --------
    >>> runs = {"small": Counts([4, 4], [1, 3]), "large": Counts([4, 4], [2, 4])}
    >>> for estimate in score(runs, "pass@1", "pass@2"):
    ...     print(estimate)
    small pass@1: 0.50 ± 0.18, 95% CI 0.07 to 0.93
    small pass@2: 0.75 ± 0.24, 95% CI 0.11 to 0.99
    large pass@1: 0.75 ± 0.24, 95% CI 0.11 to 0.99
    large pass@2: 0.92 ± 0.27, 95% CI 0.14 to 1.00
    """
    named = _systems_by_name(systems)
    chosen = _metrics(metrics)
    how = chosen_method(method)
    for subject, counts in named.items():
        _require_counts(str(subject), counts)
    refusals = Refusals()
    rows = estimates_of(named, chosen, how, refusals, short=short, can_drop=False)
    refusals.require_others((row.of, row.metric) for row in rows)
    with_questions = [row for row in rows if row.questions]
    metrics_there = {row.metric for row in with_questions}
    systems_there = {row.of for row in with_questions}
    words = how.describe(
        [metric for metric in chosen if metric in metrics_there],
        [counts for of, counts in named.items() if of in systems_there],
        within=short != "posterior",
    )
    return Scores(tuple(rows), words)


def estimates_of(
    systems: Mapping[Subject, AnyCounts],
    metrics: Sequence[CountMetric],
    method: Method,
    refusals: Refusals,
    *,
    short: Literal["error", "posterior"] = "error",
    can_drop: bool = True,
) -> list[Estimate]:
    """Estimates of every metric of every system; without a value where a metric is refused.

    `can_drop` says whether a reason may advise to leave short questions out.
    """
    together: dict[tuple[int, ...], list[Subject]] = {}  # by the metrics that can be scored
    estimates: dict[tuple[Subject, int], Estimate] = {}
    for of, counts in systems.items():
        fine = []
        for at, metric in enumerate(metrics):
            refusal = _refusal(counts, metric, method, short, can_drop=can_drop)
            if refusal is None:
                fine.append(at)
            else:
                estimates[of, at] = missing_estimate(
                    of, metric, method, refusals.add(of, metric, refusal)
                )
        if fine:
            together.setdefault(tuple(fine), []).append(of)
    for fine_at, subjects in together.items():
        rows = method.cells([systems[of] for of in subjects], [metrics[at] for at in fine_at])
        for at, row in zip(fine_at, rows, strict=True):
            for of, cell in zip(subjects, row, strict=True):
                counts = systems[of]
                sizes = (len(counts), counts.all_trials, counts.trials)
                estimates[of, at] = estimate_of(cell, of, metrics[at], *sizes, clusters_of(counts))
    return [estimates[of, at] for of in systems for at in range(len(metrics))]


def estimate_of(
    cell: Cell,
    of: Subject,
    metric: Metric,
    questions: int,
    trials: int,
    of_each: NDArray[Any],
    clusters: Integers | None = None,
) -> Estimate:
    """The estimate of one metric of one subject, from its cell in the table of a method.

    `of_each` has the trials of each question, or each number that occurs. `clusters` has the
    cluster of each question; they are resampled for new questions only.
    """
    sizes = {"questions": questions, "trials": trials, "is_even": np.unique(of_each).size == 1}
    if clusters is not None and cell.interval.covers is Estimand.POPULATION:
        sizes["clusters"] = np.unique(clusters).size
    return Estimate(of=of, metric=metric, **{**cell._asdict(), **sizes})


def missing_estimate(of: Subject, metric: Metric, method: Method, reason: str) -> Estimate:
    """An estimate without a value, with the reason."""
    covers = method.estimand if isinstance(method, Calibrated) else Estimand.BENCHMARK
    return Estimate.without_value(of, metric, Interval.unknown(method.level, covers), reason)


def _systems_by_name(
    systems: Mapping[str, AnyCounts] | Mapping[Subject, AnyCounts] | AnyCounts,
) -> dict[Subject, AnyCounts]:
    if isinstance(systems, Counts | CategoryCounts):
        return {Subject(): systems}
    if not isinstance(systems, Mapping):
        raise WrongType(
            f"systems must be counts by name, as in {{'mine': errbar.Counts(trials, correct)}}; "
            f"got {type(systems).__name__}."
        )
    if not systems:
        raise InputError(
            "there is no system to score; give one at least, as in "
            "{'mine': errbar.Counts(trials, correct)}."
        )
    named = {
        name if isinstance(name, Subject) else Subject(str(name)): counts
        for name, counts in systems.items()
    }
    if len(named) < len(systems):
        raise InputError("two systems have the same name; rename one.")
    return named


def _metrics(names: Sequence[CountMetric | str]) -> list[CountMetric]:
    if not names:
        raise InputError(
            "there is no metric to score by; name one at least, as in score(systems, 'pass@8')."
        )
    metrics: list[CountMetric] = []
    for name in names:
        metric = metric_of(name)
        if not isinstance(metric, CountMetric) or metric.needs is Needs.PROBABILITY:
            raise WrongType(
                f"{metric} needs {metric.needs.value} of each item, which counts do not hold; "
                f"see errbar.selective and errbar.roc."
            )
        metrics.append(metric)
    return metrics


def _require_counts(system: str, counts: AnyCounts) -> None:
    """Refuse anything but counts, with the name of the system."""
    if not isinstance(counts, Counts | CategoryCounts):
        raise WrongType(
            f"system {system!r} must be given as errbar.Counts(trials, correct) or "
            f"errbar.CategoryCounts(tally); got {type(counts).__name__}."
        )


def _refusal(
    counts: AnyCounts, metric: CountMetric, method: Method, short: str, *, can_drop: bool
) -> InputError | None:
    """The reason why a metric cannot be computed; None if it can."""
    if isinstance(counts, CategoryCounts) and metric.needs is Needs.RIGHT_OR_WRONG:
        return WrongType(
            "needs right-or-wrong counts; got categories. Give errbar.Counts(trials, correct), or "
            "ask for avg, bayes or max@k with weights"
        )
    if not counts.trials.size:
        return InputError("there is no question")
    in_all = method.questions_in_all if isinstance(method, Calibrated) else None
    try:
        require_all(in_all, len(counts))
    except InputError as error:
        return error
    return too_few_trials(
        metric.draws if short == "error" else 1,
        counts.trials,
        counts.repeats(),
        names=None if isinstance(counts, CountsByState) else counts.questions,
        can_drop=can_drop,
        can_extrapolate=bool(metric.parts()),
    )
