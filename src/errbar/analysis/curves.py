"""Curves with intervals: a metric at many k, risk over coverage, ROC."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.analysis.bracket import bracketed_scores
from errbar.analysis.evaluate import Refusals, categories_of
from errbar.analysis.methods import Method
from errbar.analysis.methods.bootstrap import Bootstrap, generator_of
from errbar.analysis.readings import remarks_on, unlike_questions
from errbar.analysis.score import (
    Errors,
    ScoredMetric,
    ScoreRequest,
    Short,
    scored_metric,
    slices_by_subject,
    sort_by_subject,
)
from errbar.base.arrays import Array, Seed
from errbar.base.remarks import some_of
from errbar.data.labelled_scores import Scored
from errbar.data.predictions import Predictions, Resampling
from errbar.data.queries.questions import Slice, failures_as
from errbar.data.queries.ranked_totals import GroupedTotals
from errbar.data.sources.tables import Source
from errbar.kernels import risk_coverage, roc
from errbar.metrics import CountMetric, family
from errbar.results.estimate import Band, BandPoint, Estimand, Interval, Subject
from errbar.results.scores import Scores

_POINTS = 50  # largest number of points on a curve
_MOST = 1 << 20  # largest k of a curve, if ks are not given


def curve_scores(
    source: Source, found: Sequence[Slice], metric: str, errors: Errors, short: Short, how: Method
) -> Scores:
    """A family such as "pass@k" at every k that the trials of each system allow."""
    drawn_at = family(metric)

    def member(k: int) -> ScoredMetric:
        return scored_metric(drawn_at(k))

    first = member(1)
    takes_all = isinstance(first, CountMetric) and bool(categories_of(first))
    drawn = [part for part in found if takes_all or part.is_binary] or found
    alike: dict[tuple[int, ...], list[Slice]] = {}  # by the ks that their trials allow
    for part in drawn:
        alike.setdefault(_ks_of(part, errors), []).append(part)
    refusals = Refusals()
    parts = []
    for reached, some in alike.items():
        request = ScoreRequest([*map(member, reached)], errors, short, how, refusals)
        parts.append(bracketed_scores(source, some, request))
    refusals.require_others((each.of, each.metric) for part in parts for each in part)
    return Scores(
        sort_by_subject((each for part in parts for each in part), slices_by_subject(drawn)),
        "; ".join(dict.fromkeys(part.method for part in parts if part.method)),
        (
            *(remark for part in parts for remark in part.remarks),
            *_left_out_of(metric, found, drawn),
            *unlike_questions(source, found, errors),
            *remarks_on(source, found, errors),
        ),
    )


def _ks_of(part: Slice, errors: str) -> tuple[int, ...]:
    """1, 2, 4 … and the fewest trials of a question; 1 where no question has any."""
    failures = "wrong" if errors == "bracket" else failures_as(errors)
    trials = part.where(part.weighs).counts(failures).trials
    positive = trials[trials > 0]
    most = int(positive.min(initial=_MOST)) if positive.size else 1
    return tuple(sorted({*(2**power for power in range(most.bit_length())), most}))


def _left_out_of(name: str, found: Sequence[Slice], drawn: Iterable[Slice]) -> list[str]:
    """A remark on the systems that a curve leaves out, if there are any."""
    kept = {id(part) for part in drawn}
    left_out = [
        str(of) or "the system"
        for of, part in slices_by_subject(found).items()
        if id(part) not in kept
    ]
    if not left_out:
        return []
    return [
        f"{name} leaves out {some_of(left_out)} ({len(left_out)} of {len(found)}), whose outcomes "
        "are not 0 and 1; avg scores them."
    ]


def risk_bands(
    data: Mapping[Subject, Predictions | GroupedTotals], method: Bootstrap, rng: Seed
) -> list[Band]:
    """The selective risk of every system over the coverages that it reaches, if any.

    In a resample that answers less than a coverage, the risk there is that of all it answers.
    """
    return [_risk_band(of, items, method, rng) for of, items in data.items()]


def _risk_band(
    of: Subject, data: Predictions | GroupedTotals, method: Bootstrap, rng: Seed
) -> Band:
    arranged, reach = data.arranged(), data.coverage
    if not reach:
        return Band(of, (), 0.0)
    at = reach * np.arange(1, _POINTS + 1) / _POINTS

    def measure(weights: NDArray[Any]) -> Array:
        totals = arranged.totals(weights, with_oracle=False)
        upto = np.stack(
            [risk_coverage.reach(coverage, totals.total) for coverage in at.tolist()], axis=1
        )
        return risk_coverage.risks_at(totals.items, totals.loss, upto).T

    return Band(of, _resample_curve(at, measure, arranged, method, rng), reach)


def roc_bands(
    data: Mapping[Subject, Scored | GroupedTotals], method: Bootstrap, rng: Seed
) -> list[Band]:
    """The true positive rate of every system over the false positive rate."""
    return [_roc_band(of, items, method, rng) for of, items in data.items()]


def _roc_band(of: Subject, data: Scored | GroupedTotals, method: Bootstrap, rng: Seed) -> Band:
    arranged = data.by_class()
    at = np.linspace(0.0, 1.0, _POINTS + 1)

    def measure(weights: NDArray[Any]) -> Array:
        return roc.true_rates(*arranged.classes(weights), at).T

    points = _resample_curve(at, measure, arranged, method, rng)
    end = Interval(1.0, 1.0, method.level, Estimand.POPULATION)
    return Band(of, (*points[:-1], BandPoint(1.0, 1.0, end)))  # where every curve ends


def _resample_curve(
    at: Array,
    measure: Callable[[NDArray[Any]], Array],
    arranged: Resampling,
    method: Bootstrap,
    rng: Seed,
) -> tuple[BandPoint, ...]:
    how = method.without_unseen
    replicates = how.run(measure, arranged.units, arranged.rows, generator_of(rng))
    spreads = [replicates.spread(place, how) for place in range(at.size)]
    return tuple(
        BandPoint(x, spread.value, spread.interval)
        for x, spread in zip(at.tolist(), spreads, strict=True)
    )
