"""Values of questions: of each system by a metric, and by question and columns with their noise.

Comparisons by question use `question_values`; the split of noise into its sources uses
`trial_cells`, which has a cell for each question and each combination of values of the columns.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from errbar.analysis.evaluate import counts_of, is_reward, results_of
from errbar.analysis.methods.population import right_or_wrong
from errbar.analysis.rewards import Rewards, ballots_of, rewards_of
from errbar.base.arrays import Array, Integers
from errbar.base.remarks import counted
from errbar.data.columns import Key
from errbar.data.counts import CategoryCounts, CountsByState, States, Tally
from errbar.data.queries.named_questions import NamedQuestions
from errbar.data.sources.tables import Source
from errbar.errors import InputError
from errbar.metrics import Average, CountMetric, VoteAt
from errbar.metrics.base import none_long_enough, too_few_trials
from errbar.metrics.means import CategoryMetric


@dataclass(frozen=True, eq=False, kw_only=True)
class SystemValues:
    """Values of one system by one metric, for the questions that have one."""

    questions: Sequence[str]
    parts: Sequence[Array]  # values of what the metric is made of
    trials: Integers
    correct: Integers | None = None
    noise: Array | None = None
    extremes: Array | None = None  # lowest and highest outcome of each question, for rewards


def question_values(
    source: Source,
    named: NamedQuestions,
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
    source: Source, named: NamedQuestions, failures: str, bounds: tuple[float, float] | None
) -> SystemValues:
    """Mean reward of each question."""
    rewards = rewards_of(results_of(source, named.slice), failures, bounds)
    return SystemValues(
        questions=rewards.questions,
        parts=[rewards.values],
        trials=rewards.trials,
        noise=rewards.noise,
        extremes=rewards.extremes,
    )


def _by_votes(source: Source, named: NamedQuestions, metric: VoteAt, failures: str) -> SystemValues:
    """Share of right votes of each question; nan with too few trials."""
    ballots = ballots_of(source, named.slice, failures)
    fine = [each for each in ballots if each.trials >= metric.k]
    values = np.full(len(ballots), np.nan)
    values[[each.trials >= metric.k for each in ballots]] = metric.values(fine)
    trials = np.array([each.trials for each in ballots], dtype=np.int64)
    names = [each.question for each in ballots]
    return SystemValues(questions=names, parts=[values], trials=trials)


def _by_counts(
    source: Source, named: NamedQuestions, metric: CountMetric, failures: str
) -> SystemValues:
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
    """Questions with enough trials; other questions are refused, or dropped and counted."""
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


@dataclass(frozen=True, eq=False, kw_only=True)
class TrialCells:
    """Trials of one system on a task by question and by the values of columns."""

    keys: Sequence[tuple[str, ...]]  # question, then the value of each column
    mean: Array
    trials: Integers
    noise: Array  # variance of the mean; nan for a single trial
    cluster: Mapping[str, str]
    weight: Mapping[str, float]
    extremes: Array | None  # lowest and highest outcome of each cell, for rewards

    @property
    def variance(self) -> Array:
        """Unbiased, between the trials of a cell."""
        variance: Array = self.noise * self.trials
        return variance

    @property
    def squares(self) -> Array:
        """Mean square of the trials, less the square of their mean."""
        squares: Array = np.where(np.isnan(self.noise), 0.0, self.variance - self.noise)
        return squares


def trial_cells(
    source: Source, systems: Sequence[str], by: tuple[str, ...], failures: str
) -> dict[tuple[str, str], TrialCells]:
    """The cells of every system and task that has results."""
    named = {key: each for key, each in source.named().items() if each.slice.was_scored}
    unknown = [name for name in systems if name not in {key[0] for key in named}]
    if unknown:
        raise InputError(f"there is no system {unknown[0]!r}.")
    kept = {k: n for k, n in named.items() if not systems or k[0] in systems}
    if by:
        return _by_columns(source, by, kept, failures)
    cells = {}
    for key, each in kept.items():
        rewards = is_reward(each.slice, Average())
        own = question_values(source, each, Average(), failures, rewards=rewards)
        trials, mean = own.trials, own.parts[0]
        noise = own.noise
        if noise is None:
            with np.errstate(divide="ignore", invalid="ignore"):
                noise = np.where(trials > 1, mean * (1.0 - mean) / (trials - 1), np.nan)
        some = trials > 0
        keys = [(name,) for name, is_in in zip(own.questions, some, strict=True) if is_in]
        if keys:
            cells[key[0], key[1]] = TrialCells(
                keys=keys,
                mean=mean[some],
                trials=trials[some],
                noise=noise[some],
                extremes=None if own.extremes is None else own.extremes[:, some],
                **_properties(each),
            )
    return cells


def _by_columns(
    source: Source, by: tuple[str, ...], named: Mapping[Key, NamedQuestions], failures: str
) -> dict[tuple[str, str], TrialCells]:
    """The cells of every value of the columns, joined by system and task."""
    parts: dict[tuple[str, str], list[tuple[tuple[str, ...], Rewards]]] = {}
    for part in source.slices(by):
        system, task, *values = part.key
        if (system, task) in named and part.was_scored:
            rewards = rewards_of(results_of(source, part), failures)
            if rewards.values.size:
                parts.setdefault((system, task), []).append((tuple(values), rewards))
    tables = {}
    for key, each in parts.items():
        all_rewards = [rewards for _, rewards in each]
        trials = np.concatenate([rewards.trials for rewards in all_rewards])
        extremes = np.concatenate([rewards.extremes for rewards in all_rewards], axis=1)
        noise = [
            np.full(r.trials.size, np.nan) if r.noise is None else r.noise for r in all_rewards
        ]
        tables[key] = TrialCells(
            keys=[(name, *values) for values, rewards in each for name in rewards.questions],
            mean=np.concatenate([rewards.values for rewards in all_rewards]),
            trials=trials,
            noise=np.where(trials > 1, np.concatenate(noise), np.nan),
            extremes=extremes if is_reward(named[key].slice, Average()) else None,
            **_properties(named[key]),
        )
    return tables


def _properties(named: NamedQuestions) -> dict[str, Any]:
    """The cluster and the weight of each question."""
    weights = named.slice.weights
    each = np.ones(len(named.questions)) if weights is None else weights
    clusters = named.clusters if any(named.clusters) else ()
    return {
        "cluster": {
            name: f"in {cluster}" if cluster else f"of {name}"
            for name, cluster in zip(named.questions, clusters, strict=False)
        },
        "weight": dict(zip(named.questions, each.tolist(), strict=True)),
    }
