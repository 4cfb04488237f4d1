"""Pictures of results, outcomes, plans and simulations."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from errbar.analysis.alignment import group_by_task
from errbar.analysis.calibration import BINS, calibration_of
from errbar.analysis.curves import risk_bands, roc_bands
from errbar.analysis.evaluate import reason_of
from errbar.analysis.methods import SEEN, Bootstrap
from errbar.analysis.methods.learned import DifficultyPosterior
from errbar.analysis.ranked import classes_of, ranked_by_system
from errbar.base.arguments import describe, strict_share
from errbar.base.arrays import Array, Seed
from errbar.data.columns import Key
from errbar.data.counts import CountsByState
from errbar.data.queries.questions import OneWayErrors, Slice, failures_as
from errbar.data.queries.ranked_rows import RankedRows
from errbar.data.queries.ranked_totals import GroupedTotals
from errbar.data.sources.tables import Source
from errbar.errors import InputError
from errbar.results.estimate import Subject
from errbar.results.pictures import coverage_map, planning_curve, plot
from errbar.results.pictures.picture import Picture
from errbar.results.pictures.questions import difficulty_edges, difficulty_picture, outcome_map
from errbar.results.pictures.ranked import calibration_picture, risk_picture, roc_picture

Kind = TypeVar("Kind")

_RESAMPLING = describe({"method, rng, bins": "As in `Runs.selective`."})


@dataclass(frozen=True)
class RunPlots:
    """Pictures of outcomes, as methods of `runs.plot`."""

    source: Source

    def questions(self, *, errors: OneWayErrors = "fail") -> Picture:
        """Draw the share of right trials per question and system, the easiest question first.

        Parameters
        ----------
        errors
            Rows without a result count as wrong ("fail") or are left out ("missing").
        """
        scored: dict[Key, Mapping[str, float]] = {}
        for key, named in self.source.named().items():
            if named.slice.was_scored:
                counts = _counts(named.slice, errors)
                shares = zip(named.questions, counts.correct, counts.trials, strict=True)
                scored[key] = {name: int(right) / int(n) for name, right, n in shares if n}
        return outcome_map(group_by_task(scored))

    def difficulty(
        self, *, errors: OneWayErrors = "fail", level: float = 0.95, rng: Seed = 0
    ) -> Picture:
        """Draw the success rates of questions, observed and under the model of difficulty.

        Parameters
        ----------
        errors
            Rows without a result count as wrong ("fail") or are left out ("missing").
        level
            The level of the intervals of the model.
        rng
            A seed or a generator for the posterior draws.
        """
        strict_share(level, "level")
        slices = {
            Subject(part.key[0], part.key[1]): part.where(part.trials > 0)
            for part in self.source.slices(())
            if part.was_scored
        }
        counts = {of: _counts(part, errors) for of, part in slices.items()}
        rngs = [np.random.default_rng(rng) for _ in counts]
        known = DifficultyPosterior.of(list(counts.values()), rngs)
        observed: dict[Subject, Array] = {}
        learned: dict[Subject, Array] = {}
        for (of, own), spread in zip(counts.items(), known, strict=True):
            edges, tried = difficulty_edges(own.trials), own.trials > 0
            rates, often = own.correct[tried] / own.trials[tried], own.repeats()[tried]
            shares, _ = np.histogram(rates, edges, weights=often)
            observed[of], learned[of] = shares / often.sum(), spread.expected(edges)
        return difficulty_picture(observed, learned, level)

    @_RESAMPLING
    def risk_coverage(
        self, *, method: Bootstrap = SEEN, rng: Seed = 0, bins: int | None = None
    ) -> Picture:
        """Draw risk–coverage curves with pointwise bands."""
        data = {of: rows.predictions() for of, rows in self._ranked(bins).items()}
        return risk_picture(risk_bands(data, method, rng))

    @_RESAMPLING
    def roc(self, *, method: Bootstrap = SEEN, rng: Seed = 0, bins: int | None = None) -> Picture:
        """Draw ROC curves of the confidence with pointwise bands."""
        ranked, unranked = ranked_by_system(self.source, bins)
        data, refused = classes_of(_by_subject(ranked))
        why = {of: reason_of(error, "roc-auc") for of, error in _by_subject(unranked).items()}
        return roc_picture(roc_bands(data, method, rng), refused | why)

    def calibration(self, *, bins: int = BINS, level: float = 0.95) -> Picture:
        """Draw the share of right answers over the confidence, in bins of equal size.

        The intervals of all bins of a system hold together.

        Parameters
        ----------
        bins
            The number of bins.
        level
            The level of the intervals.
        """
        return calibration_of(self.source, bins=bins, level=level).plot()

    def _ranked(self, bins: int | None) -> dict[Subject, RankedRows | GroupedTotals]:
        return _by_subject(ranked_by_system(self.source, bins)[0])


def _by_subject(found: Mapping[Key, Kind]) -> dict[Subject, Kind]:
    return {Subject(key[0], key[1]): value for key, value in found.items()}


def _counts(part: Slice, errors: OneWayErrors) -> CountsByState:
    policy = failures_as(errors)
    if not part.is_binary:
        subject = Subject(part.key[0], part.key[1])
        raise InputError(
            f"{subject or 'the system'} has rewards; this picture needs outcomes 0 and 1."
        )
    return replace(part, weights=None).counts(policy)


__all__ = [
    "Picture", "RunPlots", "calibration_picture", "coverage_map", "planning_curve", "plot",
    "risk_picture", "roc_picture",
]  # fmt: skip
