"""Counts × metrics × method → estimates: the only orchestrator.

Metrics of one class are computed together for all systems, so the cost depends on the distinct
states of the questions and on the number of classes.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from errbar.data.statistics import CategoryCounts, Counts, require_trials
from errbar.errors import InputError, WrongType
from errbar.estimate import Estimate, Interval, Subject
from errbar.metrics import CountMetric, Metric, Needs, parse
from errbar.metrics.base import AnyCounts
from errbar.scores import Scores
from errbar.uncertainty import Posterior

_DOCUMENTED = Posterior()

_Cell = tuple[float, float, float, Interval]  # value, mean, sd and interval


def score(
    systems: Mapping[str, AnyCounts] | Mapping[Subject, AnyCounts] | AnyCounts,
    *metrics: CountMetric | str,
    method: Posterior = _DOCUMENTED,
    short: Literal["error", "posterior"] = "error",
) -> Scores:
    """Every metric of every system with its interval, system by system.

    Where questions have fewer trials than a metric draws, that is an error, or with
    `short="posterior"` the metric is taken from the posterior alone.

    Examples
    --------
    >>> runs = {"small": Counts([4, 4], [1, 3]), "large": Counts([4, 4], [2, 4])}
    >>> for estimate in score(runs, "pass@1", "pass@2"):
    ...     print(estimate)
    small pass@1: 0.50 ± 0.13, 95 % interval 0.25 to 0.75, observed 0.50
    small pass@2: 0.69 ± 0.13, 95 % interval 0.43 to 0.95, observed 0.75
    large pass@1: 0.67 ± 0.12, 95 % interval 0.44 to 0.90, observed 0.75
    large pass@2: 0.83 ± 0.10, 95 % interval 0.63 to 1.00, observed 0.92
    """
    named = _named(systems)
    asked = _metrics(metrics)
    if not isinstance(method, Posterior):
        raise WrongType(f"method must be a Posterior, as in Posterior(level=0.9); got {method!r}.")
    for subject, counts in named.items():
        _check(str(subject), counts, asked, short)
    columns = zip(*_table(list(named.values()), asked, method), strict=True)
    return Scores(
        tuple(
            _estimate(subject, metric, counts, cell)
            for (subject, counts), column in zip(named.items(), columns, strict=True)
            for metric, cell in zip(asked, column, strict=True)
        ),
        method.describe(asked),
    )


def _estimate(of: Subject, metric: CountMetric, counts: AnyCounts, cell: _Cell) -> Estimate:
    value, mean, sd, interval = cell
    few = int((counts.trials < metric.draws) @ counts.repeats())
    reason = ""
    if few:
        value = math.nan
        reason = f"{few} of {len(counts)} questions have fewer trials; from the posterior alone"
    return Estimate(of, metric, value, mean, sd, interval, len(counts), counts.all_trials, reason)


def _table(
    systems: Sequence[AnyCounts], metrics: Sequence[CountMetric], method: Posterior
) -> list[list[_Cell]]:
    """A row per metric, a column per system; every class of metrics is computed once."""
    places: dict[type[CountMetric], list[int]] = {}
    for at, metric in enumerate(metrics):
        places.setdefault(type(metric), []).append(at)
    data: dict[Needs, Any] = {}  # metrics that need the same share what it is summed up to
    rows: list[list[_Cell]] = [[] for _ in metrics]
    for kind, at_each in places.items():
        if kind.needs not in data:
            data[kind.needs] = kind.statistics(systems)
        members = [metrics[at] for at in at_each]
        values = _observed(members, systems, data[kind.needs])
        moments = kind.posterior(members, data[kind.needs], method.prior)
        intervals = method.intervals(members, moments, data[kind.needs])
        for at, *row in zip(
            at_each, values.tolist(), *(part.tolist() for part in moments), intervals, strict=True
        ):
            rows[at] = list(zip(*row, strict=True))
    return rows


def _observed(
    members: list[CountMetric], systems: Sequence[AnyCounts], data: Any
) -> NDArray[np.floating[Any]]:
    """Estimates from the observed trials; nan where a metric draws more than there are."""
    kind = type(members[0])
    least = [int(counts.trials.min()) for counts in systems]
    if all(member.draws <= min(least) for member in members):
        return kind.observed(members, data)
    values = np.full((len(members), len(systems)), math.nan)
    for at, (counts, most) in enumerate(zip(systems, least, strict=True)):
        fine = [row for row, member in enumerate(members) if member.draws <= most]
        if fine:
            drawn = [members[row] for row in fine]
            values[fine, at] = kind.observed(drawn, kind.statistics([counts]))[:, 0]
    return values


def _named(
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


def _metrics(asked: Sequence[CountMetric | str]) -> list[CountMetric]:
    if not asked:
        raise InputError(
            "there is no metric to score by; name one at least, as in score(systems, 'pass@8')."
        )
    metrics: list[CountMetric] = []
    for one in asked:
        metric = parse(one) if isinstance(one, str) else one
        if isinstance(metric, Metric) and not isinstance(metric, CountMetric):
            raise WrongType(
                f"{metric} needs {metric.needs.value} of each item, which counts do not hold; "
                f"see errbar.selective and errbar.roc."
            )
        if not isinstance(metric, CountMetric):
            raise WrongType(
                f"metrics are given one by one, by name or as values, as in "
                f"score(systems, 'pass@1', 'pass@8'); got {one!r}."
            )
        metrics.append(metric)
    return metrics


def _check(system: str, counts: AnyCounts, metrics: Sequence[CountMetric], short: str) -> None:
    """Refuse what cannot be scored, and say whose it is."""
    if not isinstance(counts, Counts | CategoryCounts):
        raise WrongType(
            f"system {system!r} must be given as errbar.Counts(trials, correct) or "
            f"errbar.CategoryCounts(tally); got {type(counts).__name__}."
        )
    hungriest = max(metrics, key=lambda metric: metric.draws)
    try:
        require_trials(counts, hungriest.draws if short == "error" else 1, hungriest)
    except InputError as error:
        raise type(error)(f"system {system!r}: {error}" if system else str(error)) from error
    if isinstance(counts, Counts):
        return
    for metric in metrics:
        if metric.needs is Needs.RIGHT_OR_WRONG:
            raise WrongType(
                f"system {system!r}: {metric} needs right-or-wrong counts; got categories. "
                f"Give errbar.Counts(trials, correct), or ask for avg, bayes or max@k with weights."
            )
