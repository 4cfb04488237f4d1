"""Pictures that can be drawn: of results, of outcomes, of plans and simulations."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import numpy as np

from errbar.analysis.alignment import by_task
from errbar.analysis.curves import reliability, risk_bands, roc_bands
from errbar.analysis.methods import Bootstrap
from errbar.analysis.methods.learned import Learned
from errbar.analysis.ranked import classes_of, ranked_by_system
from errbar.base.arguments import strict_share
from errbar.base.arrays import Array, Seed
from errbar.data.counts import CountsByState
from errbar.data.queries.ranked_rows import RankedRows
from errbar.data.queries.ranked_totals import Grouped
from errbar.data.queries.slices import Slice, failures_as
from errbar.data.sources.tables import Key, Source
from errbar.errors import InputError
from errbar.results.base import reason_of
from errbar.results.estimate import Subject
from errbar.results.pictures import coverage_map, planning_curve, plot
from errbar.results.pictures.questions import difficulty_edges, difficulty_picture, outcome_map
from errbar.results.pictures.ranked import calibration_picture, risk_picture, roc_picture
from errbar.results.pictures.vega import Picture

Errors = Literal["fail", "missing"]
Kind = TypeVar("Kind")

_RESAMPLED = Bootstrap()


@dataclass(frozen=True)
class RunPlots:
    """What can be drawn of outcomes."""

    source: Source

    def questions(self, *, errors: Errors = "fail") -> Picture:
        """How many trials of each question each system got right, the easiest question first."""
        scored: dict[Key, Mapping[str, float]] = {}
        for key, named in self.source.named().items():
            if named.slice.was_scored:
                counts = _counts(named.slice, errors)
                shares = zip(named.questions, counts.correct, counts.trials, strict=True)
                scored[key] = {name: int(right) / int(n) for name, right, n in shares if n}
        return outcome_map(by_task(scored))

    def difficulty(self, *, errors: Errors = "fail", level: float = 0.95, rng: Seed = 0) -> Picture:
        """How often questions were right, and what is learned of that from all of them."""
        strict_share(level, "level")
        slices = {
            Subject(one.key[0], one.key[1]): one.where(one.trials > 0)
            for one in self.source.slices(())
            if one.was_scored
        }
        counts = {of: _counts(one, errors) for of, one in slices.items()}
        known = Learned.of(list(counts.values()), np.random.default_rng(rng))
        observed: dict[Subject, Array] = {}
        learned: dict[Subject, Array] = {}
        for (of, one), spread in zip(counts.items(), known, strict=True):
            edges, asked = difficulty_edges(one.trials), one.trials > 0
            rates, often = one.correct[asked] / one.trials[asked], one.repeats()[asked]
            shares, _ = np.histogram(rates, edges, weights=often)
            observed[of], learned[of] = shares / often.sum(), spread.expected(edges)
        return difficulty_picture(observed, learned, level)

    def risk_coverage(
        self, *, method: Bootstrap = _RESAMPLED, rng: Seed = 0, bins: int | None = None
    ) -> Picture:
        """Risk over coverage, with its band; `bins` as in `selective`."""
        data = {of: rows.predictions() for of, rows in self._ranked(bins).items()}
        return risk_picture(risk_bands(data, method, rng))

    def roc(
        self, *, method: Bootstrap = _RESAMPLED, rng: Seed = 0, bins: int | None = None
    ) -> Picture:
        """ROC curves of the confidence, with their bands; `bins` as in `roc`."""
        found, unranked = ranked_by_system(self.source, bins)
        data, refused = classes_of(_by_subject(found))
        why = {of: reason_of(error, "roc-auc") for of, error in _by_subject(unranked).items()}
        return roc_picture(roc_bands(data, method, rng), refused | why)

    def calibration(self, *, bins: int = 10, level: float = 0.95) -> Picture:
        """How often answers are right, over how sure the system was, in bins of as many each."""
        strict_share(level, "level")
        return calibration_picture(reliability(self._ranked(None), bins, level))

    def _ranked(self, bins: int | None) -> dict[Subject, RankedRows | Grouped]:
        return _by_subject(ranked_by_system(self.source, bins)[0])


def _by_subject(found: Mapping[Key, Kind]) -> dict[Subject, Kind]:
    return {Subject(key[0], key[1]): one for key, one in found.items()}


def _counts(one: Slice, errors: Errors) -> CountsByState:
    taken = failures_as(errors)
    if not one.is_binary:
        whose = Subject(one.key[0], one.key[1])
        raise InputError(f"{whose or 'the system'} has rewards; this picture is of right or wrong.")
    return replace(one, weights=None).counts(taken)


__all__ = [
    "Picture",
    "RunPlots",
    "calibration_picture",
    "coverage_map",
    "planning_curve",
    "plot",
    "risk_picture",
    "roc_picture",
]
