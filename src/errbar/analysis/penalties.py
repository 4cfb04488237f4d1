"""Which outcomes a metric averages: those of the data, or penalties of stated probabilities.

A proper score (`brier`, `log-loss`) is the mean of a penalty for each answer. The source with
these penalties in place of outcomes is scored, compared and ranked as any rewards are; rows without
an answer state no probability, and are left out.
"""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

from errbar.analysis.alignment import Policy
from errbar.analysis.readings import remarks_on
from errbar.analysis.score import Errors, ScoredMetric, Short
from errbar.base.arguments import require_choice
from errbar.base.remarks import counted, guess
from errbar.data.queries.questions import failures_as
from errbar.data.sources.tables import Source
from errbar.errors import InputError
from errbar.metrics.base import Metric
from errbar.metrics.probabilities import ProbabilityMetric
from errbar.results.estimate import Estimand
from errbar.results.scores import Scores


class Averaged(NamedTuple):
    """Metrics of the same outcomes, with the policy and the bounds of those."""

    metrics: list[ScoredMetric]
    source: Source
    errors: Errors
    bounds: tuple[float, float] | None

    def policy(self, short: Literal["error", "drop"]) -> Policy:
        """How rows without a result, and questions with too few trials, count."""
        return Policy(failures_as(self.errors), short)

    def remarks(self, by: Sequence[str] = ()) -> list[str]:
        """Remarks on the data."""
        found = self.source.slices(by)
        first = self.metrics[0]
        if not isinstance(first, ProbabilityMetric):
            return remarks_on(self.source, found, self.errors)
        lost = sum(part.failed for part in found)
        silent = f"{first} leaves out {counted(lost, 'row')} without an answer, which state no"
        silent += " probability, whatever failures count as elsewhere"
        return [*([guess(silent)] if lost else []), *self.source.origin.remarks]


def averaged(
    source: Source,
    metrics: Sequence[ScoredMetric],
    errors: Errors,
    bounds: tuple[float, float] | None,
) -> list[Averaged]:
    """The metrics by what they average: outcomes together, every kind of penalty by itself."""
    plain = [metric for metric in metrics if not isinstance(metric, ProbabilityMetric)]
    found = [Averaged(plain, source, errors, bounds)] if plain else []
    for metric in metrics:
        if isinstance(metric, ProbabilityMetric):
            low, high = metric.bounds
            known = bounds if math.isinf(high) else (low, high)
            penalised = source.with_penalties(metric)
            found.append(Averaged([metric], penalised, "missing", known))
    return found


def averaged_alike(
    source: Source,
    metrics: Sequence[ScoredMetric],
    errors: Errors,
    bounds: tuple[float, float] | None,
) -> Averaged:
    """Metrics that all average the same outcomes; a mixture is refused."""
    stated = [metric for metric in metrics if isinstance(metric, ProbabilityMetric)]
    if stated and len(metrics) > 1:
        other = next(metric for metric in metrics if metric is not stated[0])
        raise InputError(
            f"{stated[0]} and {other} are means of different outcomes; ask for one at a time."
        )
    return averaged(source, metrics, errors, bounds)[0]


def require_policy(errors: str, short: str) -> None:
    """Check how scores are to count rows without a result, and questions with too few trials."""
    require_choice(errors, "errors", ("fail", "missing", "bracket"))
    require_choice(short, "short", ("error", "drop", "posterior"))


def require_pair_policy(errors: str, short: Short, estimand: str) -> None:
    """Check the arguments that `compare` and `rank` share."""
    Policy.of(errors, short)
    require_choice(estimand, "estimand", tuple(each.value for each in Estimand))


def in_order_of(metrics: Sequence[Metric], parts: Sequence[Scores]) -> Scores:
    """Scores of several kinds of outcomes in one table, in the order of subjects and metrics."""
    if len(parts) == 1:
        return parts[0]
    rows = [row for part in parts for row in part]
    subjects = list(dict.fromkeys(row.of for row in rows))
    rows.sort(key=lambda row: (subjects.index(row.of), metrics.index(row.metric)))
    remarks = dict.fromkeys(remark for part in parts for remark in part.remarks)
    methods = dict.fromkeys(part.method for part in parts if part.method)
    return Scores(tuple(rows), "; ".join(methods), tuple(remarks))
