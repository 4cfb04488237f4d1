"""Trials of systems by question and by the values of columns: means and the noise in them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from errbar.analysis.evaluate import is_reward, results_of
from errbar.analysis.question_values import question_values
from errbar.analysis.rewards import Rewards, rewards_of
from errbar.base.arrays import Array, Integers
from errbar.data.columns import Key
from errbar.data.queries.named import Named
from errbar.data.sources.tables import Source
from errbar.errors import InputError
from errbar.metrics import Average


@dataclass(frozen=True, eq=False, kw_only=True)
class TrialCells:
    """Trials of one system on a task by question and by the values of columns."""

    keys: Sequence[tuple[str, ...]]  # question, then the value of each column
    mean: Array
    trials: Integers
    noise: Array  # variance of the mean; nan for a single trial
    cluster: Mapping[str, str]
    weight: Mapping[str, float]
    extremes: Array | None  # of rewards

    @property
    def variance(self) -> Array:
        """Unbiased, between the trials of a cell."""
        found: Array = self.noise * self.trials
        return found

    @property
    def squares(self) -> Array:
        """Mean square of the trials, less the square of their mean."""
        found: Array = np.where(np.isnan(self.noise), 0.0, self.variance - self.noise)
        return found


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
    found = {}
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
            found[key[0], key[1]] = TrialCells(
                keys=keys,
                mean=mean[some],
                trials=trials[some],
                noise=noise[some],
                extremes=None if own.extremes is None else own.extremes[:, some],
                **_properties(each),
            )
    return found


def _by_columns(
    source: Source, by: tuple[str, ...], named: Mapping[Key, Named], failures: str
) -> dict[tuple[str, str], TrialCells]:
    """The cells of every value of the columns, joined by system and task."""
    parts: dict[tuple[str, str], list[tuple[tuple[str, ...], Rewards]]] = {}
    for part in source.slices(by):
        system, task, *values = part.key
        if (system, task) in named and part.was_scored:
            rewards = rewards_of(results_of(source, part), failures)
            if rewards.values.size:
                parts.setdefault((system, task), []).append((tuple(values), rewards))
    found = {}
    for key, each in parts.items():
        all_rewards = [rewards for _, rewards in each]
        trials = np.concatenate([rewards.trials for rewards in all_rewards])
        extremes = np.concatenate([rewards.extremes for rewards in all_rewards], axis=1)
        noise = [
            np.full(r.trials.size, np.nan) if r.noise is None else r.noise for r in all_rewards
        ]
        found[key] = TrialCells(
            keys=[(name, *values) for values, rewards in each for name in rewards.questions],
            mean=np.concatenate([rewards.values for rewards in all_rewards]),
            trials=trials,
            noise=np.where(trials > 1, np.concatenate(noise), np.nan),
            extremes=extremes if is_reward(named[key].slice, Average()) else None,
            **_properties(named[key]),
        )
    return found


def _properties(named: Named) -> dict[str, Any]:
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
