"""`Runs`: outcomes of systems, and the analyses of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from errbar.analysis import penalties
from errbar.analysis.calibration import beside_pairs, calibration_of, in_a_line
from errbar.analysis.compare import Adjust, ComparisonRequest, compare_systems
from errbar.analysis.compare_ranked import compare_ranked, ranked_metrics
from errbar.analysis.curves import curve_scores
from errbar.analysis.evaluate import chosen_method, narrowed
from errbar.analysis.inspection import agreements_of, inspection_of
from errbar.analysis.methods import Assumption, Bootstrap, Method
from errbar.analysis.monitor import monitor_source
from errbar.analysis.rank import rank_systems
from errbar.analysis.rank_scores import RankRequest
from errbar.analysis.ranked import roc_scores, selective_scores
from errbar.analysis.readings import rows_never_scored
from errbar.analysis.score import Errors, Short, scored_metric, scores_of, usual_metrics
from errbar.base.arguments import require_choice
from errbar.base.arrays import Seed
from errbar.data.sources.tables import Source
from errbar.errors import ErrbarError, InputError, WrongType
from errbar.metrics import Metric, family
from errbar.metrics.ranked import RankedMetric
from errbar.results.base import Refusals
from errbar.results.calibration import Calibration
from errbar.results.comparisons import Comparisons
from errbar.results.estimate import Estimand
from errbar.results.inspection import Agreement, Inspection
from errbar.results.leaderboard import Leaderboard
from errbar.results.monitoring import Claims, Monitoring
from errbar.results.overview import MOST_COMPARED, NOT_COMPARED, Overview
from errbar.results.scores import RankedScores, Scores

if TYPE_CHECKING:
    from errbar.plots import RunPlots

_RESAMPLED = Bootstrap()
_DEFAULT_METRICS = ("avg",)


@dataclass(frozen=True, repr=False)
class Runs:
    """Outcomes of systems on questions, in memory, in files or in a database."""

    source: Source

    def score(
        self,
        *metrics: Metric | str,
        errors: Errors = "fail",
        short: Short = "error",
        estimand: Estimand | str | None = None,
        method: Method | Literal["calibrated", "documented"] | None = None,
        level: float | None = None,
        questions_in_all: int | None = None,
        assume: Assumption | None = None,
        bounds: tuple[float, float] | None = None,
        audit: bool = False,
        by: Sequence[str] = (),
    ) -> Scores:
        """Compute metrics of every system with confidence intervals.

        A score that cannot be computed is nan, and its estimate gives the reason. It is an error
        only if no score at all can be computed.

        Parameters
        ----------
        *metrics
            Metrics by name or as values, as in "pass@8"; `avg` by default.
        errors
            Rows without a result count as wrong ("fail"), are left out ("missing"), or are counted
            both ways ("bracket").
        short
            Questions with fewer trials than a metric draws leave no score ("error"), are dropped
            and counted ("drop"), or the metric is extrapolated by a difficulty model ("posterior").
        estimand
            The target of the intervals: new questions of the same kind ("population", the
            default), this exact benchmark ("benchmark"), or a repeat of this run ("rerun").
        method
            Intervals that hold their level ("calibrated") or those of `errbar.eval` ("documented").
        level
            The confidence level; 0.95 by default.
        questions_in_all
            The size of the question pool, if these questions are a random sample of it.
        assume
            What to assume about unseen questions: "nothing" (the default), or "no rare failures",
            that they score no worse and no better than those observed, for narrower intervals.
        bounds
            The lowest and the highest possible reward; by default a guess, which is printed.
        audit
            Also report the share of simulated data sets whose interval contains the true value.
        by
            Columns whose values are scored separately.
        """
        penalties.require_policy(errors, short)
        scored = [scored_metric(metric) for metric in metrics or _DEFAULT_METRICS]
        intervals = chosen_method(method, estimand=estimand, level=level)
        refusals, parts, by = Refusals(), [], _listed(by)
        for part in penalties.averaged(self.source, scored, errors, bounds):
            how = narrowed(intervals, questions_in_all, assume, part.bounds)
            settings = part.metrics, part.errors, short, how, refusals, audit
            own = scores_of(part.source, part.source.slices(by), *settings)
            parts.append(replace(own, remarks=(*own.remarks, *part.remarks(by))))
        scores = penalties.in_order_of(scored, parts)
        refusals.require_others((each.of, each.metric) for each in scores)
        return scores

    def curve(
        self,
        metric: str = "pass@k",
        ks: Iterable[int] | None = None,
        *,
        errors: Errors = "fail",
        short: Short = "error",
        estimand: Estimand | str | None = None,
        method: Method | Literal["calibrated", "documented"] | None = None,
        level: float | None = None,
        by: Sequence[str] = (),
    ) -> Scores:
        """Compute a metric at many k.

        A system whose outcomes are not 0 and 1 is left out.

        Parameters
        ----------
        metric
            A metric with the letter k, as in "pass@k".
        ks
            The values of k; by default 1, 2, 4 … and the smallest number of trials of a question.
        errors, short, estimand, method, level, by
            As in `score`. With `short="posterior"`, k may exceed the number of trials.
        """
        drawn_at = family(metric)
        intervals = chosen_method(method, estimand=estimand, level=level)
        if ks is not None:
            if not isinstance(ks, Iterable):
                raise WrongType(f"ks must be a list of whole numbers; got {ks!r}.")
            members = [scored_metric(drawn_at(k)) for k in ks]
            if not members:
                raise InputError("ks is empty; give at least one k, or omit ks for all of them.")
            return self.score(*members, errors=errors, short=short, method=intervals, by=by)
        penalties.require_policy(errors, short)
        found = self.source.slices(_listed(by))
        return curve_scores(self.source, found, metric, errors, short, intervals)

    def overview(
        self,
        *,
        errors: Literal["fail", "missing"] = "fail",
        bounds: tuple[float, float] | None = None,
    ) -> Overview:
        """Summarise what was read, the scores, and which system is better.

        Parameters
        ----------
        errors, bounds
            As in `compare`.
        """
        require_choice(errors, "errors", ("fail", "missing"))
        found = self.source.slices(())
        scores = self.score(*usual_metrics(found), errors=errors, short="drop", bounds=bounds)
        systems = {part.key[0] for part in found}
        if len(systems) < 2:
            return Overview(self.inspect(), scores)
        compared = ranked = None
        reason = ""
        try:
            if len(systems) <= MOST_COMPARED:
                compared = self.compare("avg", errors=errors, short="drop", bounds=bounds)
            if len(systems) > 2:
                ranked = self.rank("avg", errors=errors, short="drop", bounds=bounds)
        except ErrbarError as error:
            reason = "" if compared else f"{NOT_COMPARED}: {error}"
        return Overview(self.inspect(), scores, compared, ranked, reason)

    def selective(
        self,
        *metrics: RankedMetric | str,
        method: Bootstrap = _RESAMPLED,
        rng: Seed = 0,
        bins: int | None = None,
    ) -> RankedScores:
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
        found = selective_scores(self.source, metrics, method, rng, bins=bins)
        return self._with_remarks(found, method.level)

    def roc(
        self, *, method: Bootstrap = _RESAMPLED, rng: Seed = 0, bins: int | None = None
    ) -> RankedScores:
        """Compute ROC-AUC: how well the confidence separates right answers from wrong ones.

        Parameters
        ----------
        method, rng, bins
            As in `selective`.
        """
        found = roc_scores(self.source, method, rng, bins=bins)
        return self._with_remarks(found, method.level)

    def calibration(self, *, bins: int | None = None, level: float = 0.95) -> Calibration:
        """Compare the confidence with how often answers are right.

        Parameters
        ----------
        bins
            The number of bins of equally many answers; 10 by default, or fewer of 20 each.
        level
            The level of the intervals.
        """
        return calibration_of(self.source, bins=bins, level=level)

    def compare(
        self,
        *metrics: Metric | str,
        systems: Sequence[str] | None = None,
        baseline: str | None = None,
        margin: float | None = None,
        estimand: Estimand | str = Estimand.POPULATION,
        level: float = 0.95,
        adjust: Adjust = "bonferroni",
        assume: Assumption = "nothing",
        bounds: tuple[float, float] | None = None,
        errors: Literal["fail", "missing"] = "fail",
        short: Literal["error", "drop"] = "error",
        rng: Seed = 0,
    ) -> Comparisons:
        """Compare systems, pair by pair on the questions that both have.

        Parameters
        ----------
        *metrics
            Metrics as in `score`; `avg` by default. Metrics of a confidence (`aurc`, `risk@0.5`,
            `roc-auc`) are compared on the items that both systems have.
        systems
            The systems to compare; all by default.
        baseline
            The system with which all others are compared; by default all pairs are compared.
        margin
            A difference too small to matter, for verdicts of non-inferiority and equivalence.
        estimand, level, errors, short
            As in `score`.
        adjust
            "bonferroni" adjusts verdicts and intervals for the number of comparisons.
        assume, bounds
            As in `score`.
        rng
            A seed or a generator for the resamples of metrics of a confidence.
        """
        penalties.require_pair_policy(errors, short, estimand)
        metrics = metrics or _DEFAULT_METRICS
        chosen = None if systems is None else _listed(systems)
        ranked = ranked_metrics(metrics)
        request: ComparisonRequest[Any] = ComparisonRequest(
            ranked or [scored_metric(metric) for metric in metrics],
            systems=chosen,
            baseline=baseline,
            margin=margin,
            covers=Estimand(estimand),
            level=level,
            adjust=adjust,
            assume=assume,
            bounds=bounds,
        )
        if ranked:
            compared = compare_ranked(self.source, request, Bootstrap(level=level), rng)
            remarks = [*rows_never_scored(self.source), *self.source.origin.remarks]
            remarks += beside_pairs(self.source, compared)
            return replace(compared, remarks=(*compared.remarks, *remarks))
        part = penalties.averaged_alike(self.source, request.metrics, errors, bounds)
        request = replace(request, bounds=part.bounds)
        found = compare_systems(part.source, request, part.policy(short))
        remarks = part.remarks()
        if part.source is not self.source:  # penalties of stated probabilities
            remarks += beside_pairs(self.source, found)
        return replace(found, remarks=(*found.remarks, *remarks))

    def rank(
        self,
        metric: Metric | str = "avg",
        *,
        systems: Sequence[str] | None = None,
        weights: Mapping[str, float] | None = None,
        estimand: Estimand | str = Estimand.POPULATION,
        level: float = 0.95,
        bounds: tuple[float, float] | None = None,
        errors: Literal["fail", "missing"] = "fail",
        short: Literal["error", "drop"] = "error",
    ) -> Leaderboard:
        """Rank systems, with rank intervals and groups that are not separated.

        Systems are ranked on the questions that all of them have.

        Parameters
        ----------
        metric
            The metric to rank by.
        systems
            The systems to rank; all by default.
        weights
            The weights of tasks in the average over tasks; equal by default.
        estimand, level, bounds, errors, short
            As in `score`.
        """
        penalties.require_pair_policy(errors, short, estimand)
        scored = scored_metric(metric)
        part = penalties.averaged_alike(self.source, [scored], errors, bounds)
        request = RankRequest(
            scored,
            systems=systems,
            weights=weights,
            covers=Estimand(estimand),
            level=level,
            bounds=part.bounds,
        )
        found = rank_systems(part.source, request, part.policy(short))
        return replace(found, remarks=(*found.remarks, *part.remarks()))

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
    ) -> Monitoring:
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
        claims = Claims(above, below, level)
        return monitor_source(
            self.source, systems, claims, trials=trials, bounds=bounds, errors=errors, order=order
        )

    @property
    def plot(self) -> "RunPlots":
        """Pictures of the outcomes, as in `runs.plot.questions()`."""
        from errbar.plots import RunPlots  # noqa: PLC0415  an extra

        return RunPlots(self.source)

    def inspect(self) -> Inspection:
        """Describe the data; trials that occur twice are reported, not refused."""
        return inspection_of(self.source)

    def agreements(self) -> list[Agreement]:
        """Return every number that the log states, with the number that errbar computes."""
        return agreements_of(self.source)

    def __repr__(self) -> str:
        return f"Runs({self.inspect().summary()})"

    def _with_remarks(self, scores: RankedScores, level: float) -> RankedScores:
        """Return the scores with the remarks on the data, and whether the confidence is off."""
        unscored = rows_never_scored(self.source, {(each.system, each.task) for each in scores})
        items = sum({each.of: each.items for each in scores}.values())
        remarks = [*unscored, *self.source.origin.remarks, *in_a_line(self.source, items, level)]
        return replace(scores, remarks=(*scores.remarks, *remarks))


def _listed(by: Sequence[str]) -> tuple[str, ...]:
    return (by,) if isinstance(by, str) else tuple(dict.fromkeys(by))
