"""Counts × metrics × method → estimates: the only orchestrator."""

from collections.abc import Mapping, Sequence
from typing import Literal

from errbar.data.enough import require_trials
from errbar.data.statistics import CategoryCounts, Counts
from errbar.errors import InputError, WrongType
from errbar.estimate import Estimate, Subject
from errbar.metrics import CountMetric, Metric, Needs, parse
from errbar.metrics.base import AnyCounts
from errbar.scores import Scores
from errbar.uncertainty import Calibrated, Cell, Method, chosen_method

_CALIBRATED = Calibrated()


def score(
    systems: Mapping[str, AnyCounts] | Mapping[Subject, AnyCounts] | AnyCounts,
    *metrics: CountMetric | str,
    method: Method | Literal["documented"] = _CALIBRATED,
    short: Literal["error", "posterior"] = "error",
) -> Scores:
    """Every metric of every system with its interval, system by system.

    The interval is for questions like these, or what a `method` says: `Calibrated("benchmark")`,
    `Posterior(...)`, or "documented" for the flat-prior one of `errbar.eval`. Where questions have
    fewer trials than a metric draws, that is an error, or with `short="posterior"` the metric is
    what the learned spread of difficulty makes of it.

    Examples
    --------
    >>> runs = {"small": Counts([4, 4], [1, 3]), "large": Counts([4, 4], [2, 4])}
    >>> for estimate in score(runs, "pass@1", "pass@2"):
    ...     print(estimate)
    small pass@1: 0.50 ± 0.23, 95 % interval 0.08 to 0.92
    small pass@2: 0.75 ± 0.30, 95 % interval 0.14 to 0.99
    large pass@1: 0.75 ± 0.30, 95 % interval 0.14 to 0.99
    large pass@2: 0.92 ± 0.30, 95 % interval 0.25 to 1.00
    """
    named = _named(systems)
    asked = _metrics(metrics)
    how = chosen_method(method)
    for subject, counts in named.items():
        _check(str(subject), counts, asked, short)
    columns = zip(*how.cells(list(named.values()), asked), strict=True)
    return Scores(
        tuple(
            _estimate(subject, metric, counts, cell)
            for (subject, counts), column in zip(named.items(), columns, strict=True)
            for metric, cell in zip(asked, column, strict=True)
        ),
        how.describe(asked, list(named.values()), within=short != "posterior"),
    )


def _estimate(of: Subject, metric: CountMetric, counts: AnyCounts, cell: Cell) -> Estimate:
    value, mean, sd, interval, reason = cell
    return Estimate(of, metric, value, mean, sd, interval, len(counts), counts.all_trials, reason)


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
