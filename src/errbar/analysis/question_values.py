"""The value of each question of a system by a metric, for systems that are compared by question."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from errbar.analysis.evaluate import counts_of, results_of
from errbar.analysis.methods.population import right_or_wrong
from errbar.analysis.rewards import ballots_of, rewards_of
from errbar.base.arrays import Array, Integers
from errbar.base.remarks import counted
from errbar.data.counts import CategoryCounts, CountsByState, States, Tally
from errbar.data.queries.named import Named
from errbar.data.sources.tables import Source
from errbar.metrics import CountMetric, VoteAt
from errbar.metrics.base import none_long_enough, too_few_trials
from errbar.metrics.categories import CategoryMetric


@dataclass(frozen=True, eq=False, kw_only=True)
class SystemValues:
    """Values of one system by one metric, for the questions that have one."""

    questions: Sequence[str]
    parts: Sequence[Array]  # values of what the metric is made of
    trials: Integers
    correct: Integers | None = None
    noise: Array | None = None
    extremes: Array | None = None  # of rewards: lowest and highest outcome of each question


def question_values(
    source: Source,
    named: Named,
    metric: CountMetric | VoteAt,
    failures: str,
    bounds: tuple[float, float] | None = None,
    *,
    rewards: bool,
) -> SystemValues:
    """Value of each question; `rewards` says whether outcomes are averaged as they are."""
    if isinstance(metric, VoteAt):
        return _by_votes(source, named, metric, failures)
    if rewards:
        return _by_rewards(source, named, failures, bounds)
    return _by_counts(source, named, metric, failures)


def _by_rewards(
    source: Source, named: Named, failures: str, bounds: tuple[float, float] | None
) -> SystemValues:
    """Mean reward of each question."""
    found = rewards_of(results_of(source, named.slice), failures, bounds)
    return SystemValues(
        questions=found.questions,
        parts=[found.values],
        trials=found.trials,
        noise=found.noise,
        extremes=found.extremes,
    )


def _by_votes(source: Source, named: Named, metric: VoteAt, failures: str) -> SystemValues:
    """Share of right votes of each question; nan with too few trials."""
    ballots = ballots_of(source, named.slice, failures)
    fine = [each for each in ballots if each.trials >= metric.k]
    values = np.full(len(ballots), np.nan)
    values[[each.trials >= metric.k for each in ballots]] = metric.values(fine)
    trials = np.array([each.trials for each in ballots], dtype=np.int64)
    names = [each.question for each in ballots]
    return SystemValues(questions=names, parts=[values], trials=trials)


def _by_counts(source: Source, named: Named, metric: CountMetric, failures: str) -> SystemValues:
    """Values of each question from its counts; nan with too few trials."""
    counts = counts_of(source, named.slice, metric, failures)
    names: Sequence[str] = named.questions
    if isinstance(counts, CategoryCounts):
        names = list(map(str, counts.questions))
        if isinstance(metric, CategoryMetric) and not metric.parts():
            tally = Tally(counts.tally, counts.repeats())
            values = metric.row_values(tally)
            return SystemValues(questions=names, parts=[values], trials=counts.trials)
        counts = cast(CountsByState, right_or_wrong(counts))
    parts = values_of_counts(metric, counts.trials, counts.correct)
    return SystemValues(questions=names, parts=parts, trials=counts.trials, correct=counts.correct)


def values_of_counts(metric: CountMetric, trials: Integers, correct: Integers) -> list[Array]:
    """Values of questions by each part of a metric; nan with too few trials."""
    some = (trials > 0) & (trials >= metric.draws)
    once = np.ones((1, int(some.sum())))
    states = States(trials[some], correct[some], once, once.sum(axis=1))
    parts = []
    for part in metric.parts():
        values = np.full(trials.size, np.nan)
        if some.any():
            values[some] = part.subset_means([part], states)[0]
        parts.append(values)
    return parts


def long_enough(
    own: SystemValues,
    metric: CountMetric | VoteAt,
    subject: str,
    remarks: list[str],
    *,
    drop: bool,
) -> SystemValues:
    """Questions with enough trials; others are refused, or dropped and counted."""
    k = metric.k if isinstance(metric, VoteAt) else metric.draws
    none, short = own.trials == 0, (own.trials > 0) & (own.trials < k)
    if short.any() and not drop:
        tried = np.flatnonzero(~none).tolist()
        few = too_few_trials(k, own.trials[tried], names=[own.questions[at] for at in tried])
        if few is not None:
            raise few
    out = none | short
    if not out.any():
        return own
    if out.all():
        raise none_long_enough(k, own.trials)
    if short.any():
        remarks.append(
            f"{subject}: {metric} leaves out {counted(int(short.sum()), 'question')} with "
            f"fewer than {k} trials."
        )
    kept = ~out
    return replace(
        own,
        questions=[name for name, is_in in zip(own.questions, kept, strict=True) if is_in],
        parts=[part[kept] for part in own.parts],
        trials=own.trials[kept],
        correct=None if own.correct is None else own.correct[kept],
        noise=None if own.noise is None else own.noise[kept],
        extremes=None if own.extremes is None else own.extremes[:, kept],
    )
