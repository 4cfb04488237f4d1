"""`Runs`: outcomes of systems, and the analyses of their scores."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from errbar import analysis, results
from errbar.analysis.evaluate import Refusals, chosen_method, with_assumptions
from errbar.analysis.methods import Assumption, Bootstrap, Calibrated, Method
from errbar.analysis.readings import AveragedMetrics
from errbar.analysis.score import (
    Errors,
    ScoredMetric,
    ScoreRequest,
    Short,
    require_policy,
    scored_metric,
    scores_of,
    usual_metrics,
)
from errbar.base.arguments import checked, names_in_order, require_choice
from errbar.base.arrays import Seed
from errbar.errors import ErrbarError, InputError, WrongType
from errbar.metrics import Metric, Needs, family
from errbar.outcomes import Outcomes
from errbar.results.estimate import Estimand
from errbar.results.scores import Scores

_DEFAULT_METRICS = ("avg",)


@dataclass(frozen=True, repr=False)
class Runs(Outcomes):
    """Outcomes of systems on questions, in memory, in files or in a database."""

    @checked
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
        largest_cluster: int | None = None,
        audit: bool = False,
        by: Sequence[str] = (),
    ) -> Scores:
        """Compute metrics of every system with confidence intervals.

        A score that cannot be computed is nan, with a reason; it is an error only if none can be.

        Parameters
        ----------
        *metrics
            Metrics by name or as values, as in "pass@8"; `avg` by default.
        errors
            Rows without a result are wrong ("fail"), left out ("missing"), or either ("bracket").
        short
            Questions with fewer trials than a metric draws leave no score ("error"), are dropped
            and counted ("drop"), or the metric is extrapolated by a difficulty model ("posterior").
        estimand, level
            New questions of the same kind ("population", the default), this exact benchmark
            ("benchmark") or a repeat of this run ("rerun"); the confidence level, 0.95 by default.
        method
            Intervals that hold their level ("calibrated") or those of `errbar.eval` ("documented").
        questions_in_all
            The size of the question pool, if these questions are a random sample of it.
        assume
            What to assume about unseen questions: "nothing" (the default), or "no rare failures",
            that they score no worse and no better than those observed, for narrower intervals.
        bounds
            The lowest and the highest possible reward; by default a guess, which is printed.
        largest_cluster
            The number of questions in the largest cluster; by default that of the largest observed.
        audit
            Also report the share of simulated data sets whose interval contains the true value.
        by
            Columns whose values are scored separately.
        """
        require_policy(errors, short)
        usual = chosen_method(method, estimand=estimand, level=level)
        scored = [scored_metric(metric) for metric in metrics or _DEFAULT_METRICS]
        refusals, parts, by = Refusals(), [], names_in_order(by)
        for part in self._averaged(scored, errors, bounds):
            how = with_assumptions(usual, questions_in_all, assume, part.bounds, largest_cluster)
            request = ScoreRequest(part.metrics, part.errors, short, how, refusals, audit)
            score = analysis.bracket.bracketed_scores if part.errors == "bracket" else scores_of
            own = score(part.source, part.source.slices(by), request)
            parts.append(replace(own, remarks=(*own.remarks, *part.remarks(by))))
        scores = parts[0] if len(parts) == 1 else analysis.calibration.merge_scores(scored, parts)
        refusals.require_others((each.of, each.metric) for each in scores)
        return scores

    @checked
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
            try:
                ks = list(ks)
            except TypeError as error:
                raise WrongType(f"ks must be a list of whole numbers; got {ks!r}.") from error
            members = [scored_metric(drawn_at(k)) for k in ks]
            if not members:
                raise InputError("ks is empty; give at least one k, or omit ks for all of them.")
            return self.score(*members, errors=errors, short=short, method=intervals, by=by)
        require_policy(errors, short)
        slices = self.source.slices(names_in_order(by))
        return analysis.curves.curve_scores(self.source, slices, metric, errors, short, intervals)

    @checked
    def overview(
        self,
        *,
        errors: Literal["fail", "missing"] = "fail",
        bounds: tuple[float, float] | None = None,
    ) -> "results.overview.Overview":
        """Summarise what was read, the scores, and which system is better.

        Parameters
        ----------
        errors, bounds
            As in `compare`.
        """
        require_choice(errors, "errors", ("fail", "missing"))
        slices = self.source.slices(())
        scores = self.score(*usual_metrics(slices), errors=errors, short="drop", bounds=bounds)
        systems = {part.key[0] for part in slices}
        if len(systems) < 2:
            return results.overview.Overview(self.inspect(), scores)
        compared = ranked = None
        reason = ""
        try:
            if len(systems) <= results.overview.MOST_COMPARED:
                compared = self.compare("avg", errors=errors, short="drop", bounds=bounds)
            if len(systems) > 2:
                ranked = self.rank("avg", errors=errors, short="drop", bounds=bounds)
        except ErrbarError as error:
            reason = "" if compared else f"{results.overview.NOT_COMPARED}: {error}"
        return results.overview.Overview(self.inspect(), scores, compared, ranked, reason)

    @checked
    def compare(
        self,
        *metrics: Metric | str,
        systems: Sequence[str] | None = None,
        baseline: str | None = None,
        margin: float | None = None,
        estimand: Estimand | str = Estimand.POPULATION,
        level: float = 0.95,
        adjust: "analysis.compare.Adjust" = "bonferroni",
        assume: Assumption = "nothing",
        bounds: tuple[float, float] | None = None,
        largest_cluster: int | None = None,
        errors: Errors = "fail",
        short: Literal["error", "drop"] = "error",
        rng: Seed = 0,
    ) -> "results.comparisons.Comparisons":
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
        estimand, level, assume, bounds, largest_cluster, errors, short
            As in `score`.
        adjust
            "bonferroni" adjusts verdicts and intervals for the number of comparisons.
        rng
            A seed or a generator for the resamples of metrics of a confidence.
        """
        analysis.bracket.pair_policy(errors, short, bounds)
        known = Calibrated(Estimand(estimand), level, assume=assume, bounds=bounds)
        metrics = metrics or _DEFAULT_METRICS
        ranked = analysis.compare_ranked.ranked_metrics(metrics)
        request: analysis.compare.ComparisonRequest[Any] = analysis.compare.ComparisonRequest(
            ranked or [scored_metric(metric) for metric in metrics],
            systems=None if systems is None else names_in_order(systems),
            baseline=baseline,
            margin=margin,
            adjust=adjust,
            intervals=replace(known, largest_cluster=largest_cluster),
        )
        if ranked:
            return self._compared_items(request, rng)
        part = self._averaged_alike(request.metrics, errors, bounds)
        request = replace(request, intervals=replace(request.intervals, bounds=part.bounds))
        comparisons = analysis.compare.compare_systems(
            part.source, request, analysis.bracket.pair_policy(part.errors, short, part.bounds)
        )
        remarks = part.remarks(paired=True)
        if part.source is not self.source:  # penalties of stated probabilities
            remarks += analysis.calibration.verdict_for_pairs(self.source, comparisons)
        return replace(comparisons, remarks=(*comparisons.remarks, *remarks))

    @checked
    def rank(
        self,
        metric: Metric | str = "avg",
        *,
        by: "analysis.rank_scores.RankBy" = "mean",
        systems: Sequence[str] | None = None,
        weights: Mapping[str, float] | None = None,
        estimand: Estimand | str = Estimand.POPULATION,
        level: float = 0.95,
        bounds: tuple[float, float] | None = None,
        largest_cluster: int | None = None,
        errors: Errors = "fail",
        short: Literal["error", "drop"] = "error",
    ) -> "results.leaderboard.Leaderboard":
        """Rank systems, with rank intervals and groups that are not separated.

        Systems are ranked on the questions that all of them have.

        Parameters
        ----------
        metric
            The metric to rank by.
        by
            What to rank the systems by: the "mean" over questions, "borda", "copeland", "win-rate",
            "bradley-terry" or "rasch".
        systems
            The systems to rank; all by default.
        weights
            The weights of tasks in the average over tasks; equal by default.
        estimand, level, bounds, largest_cluster, errors, short
            As in `score`.
        """
        analysis.bracket.pair_policy(errors, short, bounds)
        intervals = Calibrated(Estimand(estimand), level, largest_cluster=largest_cluster)
        scored = scored_metric(metric)
        part = self._averaged_alike([scored], errors, bounds)
        request = analysis.rank_scores.RankRequest(
            scored,
            by=by,
            systems=systems,
            weights=weights,
            intervals=replace(intervals, bounds=part.bounds),
        )
        board = analysis.rank.rank_systems(
            part.source, request, analysis.bracket.pair_policy(part.errors, short, part.bounds)
        )
        return replace(board, remarks=(*board.remarks, *part.remarks(paired=True)))

    def audit_board(
        self,
        metric: Metric | str = "avg",
        *,
        systems: Sequence[str] | None = None,
        weights: Mapping[str, float] | None = None,
        level: float = 0.95,
        bounds: tuple[float, float] | None = None,
        errors: Literal["fail", "missing"] = "fail",
        short: Literal["error", "drop"] = "error",
    ) -> "results.board_audit.BoardAudit":
        """Audit a leaderboard: ranks, the lead of the first, and the stability of the order.

        Parameters
        ----------
        metric
            The metric of the board, a mean over questions.
        systems, weights, level, bounds, errors, short
            As in `rank`.
        """
        require_choice(errors, "errors", ("fail", "missing"))
        options: dict[str, Any] = {"level": level, "bounds": bounds}
        options |= {"errors": errors, "short": short}
        board = self.rank(metric, systems=systems, weights=weights, **options)
        compared = self.compare(metric, systems=[row.system for row in board], **options)
        part = self._averaged_alike([scored_metric(metric)], errors, bounds)
        return analysis.board_audit.audit_of(
            part.source, analysis.bracket.pair_policy(part.errors, short, bounds), board, compared
        )

    def gate(self, baseline: Any, *metrics: Metric | str, **options: Any) -> "results.gate.Gate":
        """Test that no metric of these outcomes fell by more than `max_drop` below a baseline.

        Parameters
        ----------
        baseline
            Anything that `errbar.load` takes.
        *metrics, **options
            Metrics, and keywords of `errbar.gate`, as in `max_drop=0.02`.
        """
        from errbar.verbs import gate  # noqa: PLC0415  which imports this module

        return gate(baseline, self, *metrics, **options)

    def report(self, path: str | Path = "report.html", *metrics: str, **options: Any) -> Path:
        """Write a report as one HTML file; the keywords are those of `errbar.report`."""
        from errbar.page import report  # noqa: PLC0415  which imports this module

        return report(self, path, *metrics, **options)

    def plan(self, metric: Metric | str, **options: Any) -> "analysis.plan.Plan":
        """Plan a run with these outcomes as the pilot; the keywords are those of `errbar.plan`."""
        from errbar.verbs import plan  # noqa: PLC0415  which imports this module

        return plan(metric, pilot=self, **options)

    def next_labels(
        self, questions: int | None = None, **options: Any
    ) -> "results.judges.LabellingPlan":
        """Choose the questions to label next; the keywords are those of `errbar.next_labels`."""
        from errbar.judges import next_labels  # noqa: PLC0415  which imports this module

        return next_labels(self, questions, **options)

    def score_by_rates(self, **options: Any) -> Scores:
        """Score by known rates of a judge; the keywords are those of `errbar.score_by_rates`."""
        from errbar.judges import score_by_rates  # noqa: PLC0415  which imports this module

        return score_by_rates(self, **options)

    def _compared_items(
        self, request: "analysis.compare.ComparisonRequest[Any]", rng: Seed
    ) -> "results.comparisons.Comparisons":
        """Compare metrics of a confidence, and say whether the confidence is off."""
        how = Bootstrap(level=request.intervals.level)
        comparisons = analysis.compare_ranked.compare_ranked(self.source, request, how, rng)
        beside = analysis.calibration.verdict_for_pairs(self.source, comparisons)
        return replace(comparisons, remarks=(*comparisons.remarks, *beside))

    def _averaged(
        self, metrics: Sequence[ScoredMetric], errors: Errors, bounds: tuple[float, float] | None
    ) -> list[AveragedMetrics]:
        """The metrics by what they average: these outcomes, or penalties of probabilities."""
        if any(metric.needs is Needs.PROBABILITY for metric in metrics):
            return analysis.calibration.split_by_outcome(self.source, metrics, errors, bounds)
        return [AveragedMetrics(metrics, self.source, errors, bounds)]

    def _averaged_alike(
        self, metrics: Sequence[ScoredMetric], errors: Errors, bounds: tuple[float, float] | None
    ) -> AveragedMetrics:
        """Metrics that all average the same outcomes; a mixture is refused."""
        if len(metrics) > 1:
            analysis.calibration.require_alike(metrics)
        return self._averaged(metrics, errors, bounds)[0]
