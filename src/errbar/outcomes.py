"""Outcomes of systems: what they are, noise and cost, and analyses of confidences and of order."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from errbar import analysis, results
from errbar.analysis.methods import Bootstrap
from errbar.analysis.readings import rows_never_scored
from errbar.analysis.score import Errors
from errbar.base.arguments import checked, names_in_order, whole_numbers
from errbar.base.arrays import Seed
from errbar.data.queries.costs import read_prices
from errbar.data.sources.tables import Source
from errbar.metrics.confidence import RankedMetric

if TYPE_CHECKING:
    from errbar.plots import RunPlots

_RESAMPLED = Bootstrap()


@dataclass(frozen=True, repr=False)
class Outcomes:
    """Outcomes of systems on questions, in memory, in files or in a database."""

    source: Source

    @property
    def plot(self) -> "RunPlots":
        """Pictures of the outcomes, as in `runs.plot.questions()`."""
        from errbar.plots import RunPlots  # noqa: PLC0415  an extra

        return RunPlots(self.source)

    def inspect(self) -> "results.inspection.Inspection":
        """Describe the data; trials that occur twice are reported, not refused."""
        return analysis.inspection.inspection_of(self.source)

    def agreements(self) -> "list[results.inspection.Agreement]":
        """Return every number that the log states, with the number that errbar computes."""
        return analysis.inspection.agreements_of(self.source)

    def __repr__(self) -> str:
        return f"Runs({self.inspect().summary()})"

    @checked
    def selective(
        self,
        *metrics: RankedMetric | str,
        method: Bootstrap = _RESAMPLED,
        rng: Seed = 0,
        bins: int | None = None,
    ) -> "results.scores.RankedScores":
        """Compute metrics of selective prediction: risk and coverage by confidence.

        A row is an item, and its loss is 1 unless its outcome is 1. Rows without a result, and
        those with the status `abstained`, count as not answered.

        Parameters
        ----------
        *metrics
            Metrics such as "aurc" and "risk@0.5"; by default the usual areas and risks.
        method
            The bootstrap, which resamples clusters: the values of a column `cluster`, or questions.
            With more than 20 million rows, or with `bins`, it resamples groups of clusters.
        rng
            A seed or a generator for the resamples.
        bins
            The number of bins, for too many distinct confidences; `bin_error` bounds the error.
        """
        scores = analysis.ranked.selective_scores(self.source, metrics, method, rng, bins=bins)
        return self._with_remarks(scores, method.level)

    @checked
    def roc(
        self, *, method: Bootstrap = _RESAMPLED, rng: Seed = 0, bins: int | None = None
    ) -> "results.scores.RankedScores":
        """Compute ROC-AUC: how well the confidence separates right answers from wrong ones.

        Parameters
        ----------
        method, rng, bins
            As in `selective`.
        """
        scores = analysis.ranked.roc_scores(self.source, method, rng, bins=bins)
        return self._with_remarks(scores, method.level)

    @checked
    def calibration(
        self, *, bins: int | None = None, level: float = 0.95
    ) -> "results.calibration.Calibration":
        """Compare the confidence with how often answers are right.

        Parameters
        ----------
        bins
            The number of bins of equally many answers; 10 by default, or fewer of 20 each.
        level
            The level of the intervals.
        """
        return analysis.calibration.calibration_of(self.source, bins=bins, level=level)

    @checked
    def noise(
        self,
        *,
        by: Sequence[str] = (),
        systems: Sequence[str] = (),
        baseline: str | None = None,
        designs: Sequence[tuple[int, int]] = (),
        errors: Literal["fail", "missing"] = "fail",
        bounds: tuple[float, float] | None = None,
        level: float = 0.95,
        rng: int = 0,
    ) -> "results.noise.NoiseTable":
        """Show where the uncertainty of scores and of differences comes from.

        Parameters
        ----------
        by
            Columns whose values may add noise too, such as the judge, the prompt or the run.
        systems
            The systems to look at; all by default.
        baseline
            The system with which all others are compared; by default all pairs of a few systems.
        designs
            Numbers of questions, and of trials of each, of which to show the standard error.
        errors, bounds, level
            As in `score`.
        rng
            The seed of the intervals.
        """
        request = analysis.noise.NoiseRequest(
            by=names_in_order(by),
            systems=names_in_order(systems),
            baseline=baseline,
            errors=errors,
            bounds=bounds,
            level=level,
            designs=tuple((questions, trials) for questions, trials in designs),
            rng=rng,
        )
        return analysis.noise.noise_of(self.source, request)

    @checked
    def items(
        self,
        *,
        systems: Sequence[str] | None = None,
        model: Literal["rasch", "2pl"] = "rasch",
        subset: int | None = None,
        level: float = 0.95,
        errors: Literal["fail", "missing"] = "fail",
    ) -> "results.items.Items":
        """Fit an item response model, and find questions that look wrong.

        Parameters
        ----------
        systems, level, errors
            As in `rank`.
        model
            Questions differ in difficulty ("rasch"), or in discrimination too ("2pl").
        subset
            The size of a subset of questions that keeps the order; by default several are tried.
        """
        request = analysis.items.ItemRequest(
            systems=systems, model=model, subset=subset, level=level, errors=errors
        )
        return analysis.items.items_of(self.source, request)

    @checked
    def cost(
        self,
        *,
        of: str | None = None,
        prices: Mapping[str, tuple[float, float]] | str | Path | None = None,
        systems: Sequence[str] = (),
        baseline: str | None = None,
        tries: Sequence[int] = (),
        errors: Literal["fail", "missing"] = "fail",
        level: float = 0.95,
        rng: int = 0,
    ) -> "results.costs.Costs":
        """Add up what systems cost: per trial, per success, and with several tries.

        Parameters
        ----------
        of
            The column to add up, such as "seconds"; by default the cost.
        prices
            The prices of a million tokens that a model reads and writes: pairs by model, or a file.
        systems
            The systems to look at; all by default.
        baseline
            The system with which all others are compared; by default all pairs of a few systems.
        tries
            Report the cost of up to this many tries per question, stopping at the first right one.
        errors, level
            As in `score`.
        rng
            The seed of the intervals.
        """
        request = analysis.costs.CostRequest(
            of=of,
            prices=None if prices is None else read_prices(prices),
            systems=names_in_order(systems),
            baseline=baseline,
            tries=tuple(tries),
            errors=errors,
            level=level,
            rng=rng,
        )
        return analysis.costs.costs_of(self.source, request)

    @checked
    def scaling(
        self,
        ks: Iterable[int] = (),
        *,
        systems: Sequence[str] = (),
        errors: Literal["fail", "missing"] = "fail",
        level: float = 0.95,
    ) -> "results.scaling.Scaling":
        """Estimate what many more trials would solve, and how fast failures vanish.

        Parameters
        ----------
        ks
            Numbers of trials beyond those in the data; by default 10 and 100 times as many.
        systems
            The systems to look at; all by default.
        errors, level
            As in `score`.
        """
        request = analysis.scaling.ScalingRequest(
            ks=whole_numbers(ks, "ks"),
            systems=names_in_order(systems),
            errors=errors,
            level=level,
        )
        return analysis.scaling.scaling_of(self.source, request)

    @checked
    def monitor(
        self,
        *systems: str,
        above: float | None = None,
        below: float | None = None,
        level: float = 0.95,
        trials: int = 1,
        bounds: tuple[float, float] = (0.0, 1.0),
        errors: Errors = "fail",
        order: str | None = None,
    ) -> "results.monitoring.Monitoring":
        """Decide whether a run can stop, by sequential tests that are valid at any time.

        Parameters
        ----------
        *systems
            One system to monitor, or two whose difference is monitored; by default every system.
        above, below
            Stop when the mean is above or below this number. For two systems it is their
            difference, by default tested against 0.
        level
            At most a share `1 - level` of runs ends in a false claim.
        trials
            The number of trials per question, planned before the run; further trials are not used.
        bounds
            The smallest and largest possible outcome.
        errors
            As in `score`, without "bracket".
        order
            The column that orders the rows; by default their order in the data.
        """
        claims = results.monitoring.Claims(above, below, level)
        return analysis.monitor.monitor_source(
            self.source, systems, claims, trials=trials, bounds=bounds, errors=errors, order=order
        )

    def _with_remarks(
        self, scores: "results.scores.RankedScores", level: float
    ) -> "results.scores.RankedScores":
        """Return the scores with the remarks on the data, and whether the confidence is off."""
        unscored = rows_never_scored(self.source, {(each.system, each.task) for each in scores})
        items = sum({each.of: each.items for each in scores}.values())
        remarks = [
            *unscored,
            *self.source.origin.remarks,
            *analysis.calibration.verdict_line(self.source, items, level),
        ]
        return replace(scores, remarks=(*scores.remarks, *remarks))
