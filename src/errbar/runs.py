"""Outcomes of systems, and everything that can be asked of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from errbar.analysis.alignment import Policy
from errbar.analysis.compare import Asked, compare_systems
from errbar.analysis.compare_ranked import compare_ranked, ranked_metrics
from errbar.analysis.inspection import agreements_of, inspection_of
from errbar.analysis.methods import Bootstrap, Method, chosen_method
from errbar.analysis.monitor import monitored
from errbar.analysis.rank import RankAsked, rank_systems
from errbar.analysis.ranked import roc_scores, selective_scores
from errbar.analysis.readings import remarks_on, rows_never_scored, who_was_never_scored
from errbar.analysis.score import (
    Errors,
    ScoredMetric,
    Short,
    by_subject,
    in_order,
    ks_of,
    left_out_of,
    scored_metric,
    scores_of,
    usual_metrics,
)
from errbar.analysis.values import categories_of
from errbar.data.queries.slices import Slice, failures_as
from errbar.data.sources.tables import Source
from errbar.errors import ErrbarError, InputError
from errbar.metrics import CountMetric, Metric, family
from errbar.metrics.ranked import RankedMetric
from errbar.results.base import Refusals
from errbar.results.comparison import Comparisons
from errbar.results.estimate import Estimand
from errbar.results.inspection import MOST_COMPARED, Agreement, Inspection, Overview
from errbar.results.leaderboard import Leaderboard
from errbar.results.monitoring import Monitoring
from errbar.results.scores import RankedScores, Scores

if TYPE_CHECKING:
    from errbar.plots import RunPlots

_RESAMPLED = Bootstrap()
_USUAL = ("avg",)  # where no metric is named


@dataclass(frozen=True, repr=False)
class Runs:
    """Outcomes of systems on questions, wherever they are."""

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
        audit: bool = False,
        by: Sequence[str] = (),
    ) -> Scores:
        """Every metric of every system with its interval.

        A number that cannot be had is nan, its estimate says why, and all others are scored. Only
        if nothing can be scored is it an error.

        Parameters
        ----------
        *metrics
            By name or as values, as in "pass@8"; `avg` if none.
        errors
            Rows without a result count as wrong ("fail"), are left out ("missing"), or are taken
            both ways ("bracket").
        short
            A system that has questions with fewer trials than a metric draws is given no number
            ("error"); or those questions are dropped and counted ("drop"), or the metric is
            estimated from the learned spread of difficulty ("posterior").
        estimand
            What intervals cover: new questions of the same kind ("population", the default), this
            exact benchmark ("benchmark"), or a repeat of this run ("rerun").
        method
            "calibrated" holds its level; "documented" gives the intervals of `errbar.eval`.
        level
            Of the intervals; 0.95 by default.
        questions_in_all
            How many questions there are, of which these are a sample.
        audit
            Try the intervals on simulated data like these, and report how many held the truth.
        by
            Columns whose values are scored apart.
        """
        _require(errors, ("fail", "missing", "bracket"), "errors")
        _require(short, ("error", "drop", "posterior"), "short")
        asked = [scored_metric(metric) for metric in metrics or _USUAL]
        how = chosen_method(
            method, estimand=estimand, level=level, questions_in_all=questions_in_all
        )
        found = self.source.slices(_listed(by))
        refusals = Refusals()
        scores = scores_of(self.source, found, asked, errors, short, how, refusals, audit)
        refusals.require_others((each.of, each.metric) for each in scores)
        return replace(scores, remarks=(*scores.remarks, *remarks_on(self.source, found, errors)))

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
        """A metric at many k.

        A system is left out where its outcomes are not 0 and 1.

        Parameters
        ----------
        metric
            With the letter k, as in "pass@k".
        ks
            By default 1, 2, 4 … and the fewest trials of a question, for each system and task.
        errors, short, estimand, method, level, by
            As in `score`. With `short="posterior"`, k may lie beyond the trials.
        """
        drawn_at = family(metric)

        def member(k: int) -> ScoredMetric:
            return scored_metric(drawn_at(k))

        how = chosen_method(method, estimand=estimand, level=level)
        if ks is not None:
            members = [member(k) for k in ks]
            if not members:
                raise InputError("ks is empty; name a k at least, or leave ks out for all of them.")
            return self.score(*members, errors=errors, short=short, method=how, by=by)
        _require(errors, ("fail", "missing", "bracket"), "errors")
        _require(short, ("error", "drop", "posterior"), "short")
        found = self.source.slices(_listed(by))
        first = member(1)
        takes_all = isinstance(first, CountMetric) and bool(categories_of(first))
        drawn = [part for part in found if takes_all or part.is_binary] or found
        alike: dict[tuple[int, ...], list[Slice]] = {}  # by the ks that their trials allow
        for part in drawn:
            alike.setdefault(ks_of(part, errors), []).append(part)
        refusals = Refusals()
        parts = [
            scores_of(self.source, some, list(map(member, reached)), errors, short, how, refusals)
            for reached, some in alike.items()
        ]
        refusals.require_others((each.of, each.metric) for part in parts for each in part)
        return Scores(
            in_order((each for part in parts for each in part), by_subject(drawn)),
            "; ".join(dict.fromkeys(part.method for part in parts if part.method)),
            (
                *(remark for part in parts for remark in part.remarks),
                *left_out_of(metric, found, drawn),
                *remarks_on(self.source, found, errors),
            ),
        )

    def overview(self) -> Overview:
        """What was read, the scores, and who is better: what a person wants first."""
        found = self.source.slices(())
        scores = self.score(*usual_metrics(found), short="drop")
        systems = {part.key[0] for part in found}
        if len(systems) < 2:
            return Overview(self.inspect(), scores)
        try:
            if len(systems) > MOST_COMPARED:
                return Overview(self.inspect(), scores, ranked=self.rank("avg", short="drop"))
            return Overview(self.inspect(), scores, self.compare("avg", short="drop"))
        except ErrbarError as error:
            return Overview(self.inspect(), scores, reason=f"Systems are not compared: {error}")

    def selective(
        self,
        *metrics: RankedMetric | str,
        method: Bootstrap = _RESAMPLED,
        rng: np.random.Generator | int = 0,
        bins: int | None = None,
    ) -> RankedScores:
        """Risk and coverage by confidence; a row is an item, and costs 1 unless its outcome is 1.

        Rows without a result, and those with the status `abstained`, are not answered.

        Parameters
        ----------
        *metrics
            As "aurc", "risk@0.5"; the usual areas and risks if none.
        method
            The bootstrap. It draws clusters, which are questions unless a column says otherwise;
            beyond 20 million rows, or with `bins`, groups of clusters.
        rng
            A seed or a generator for the resamples.
        bins
            For more distinct confidences than fit; `bin_error` of an estimate bounds their error.
        """
        return self._with_remarks(selective_scores(self.source, metrics, method, rng, bins=bins))

    def roc(
        self,
        *,
        method: Bootstrap = _RESAMPLED,
        rng: np.random.Generator | int = 0,
        bins: int | None = None,
    ) -> RankedScores:
        """How well the confidence tells right answers from wrong ones.

        Parameters
        ----------
        method, rng, bins
            As in `selective`.
        """
        return self._with_remarks(roc_scores(self.source, method, rng, bins=bins))

    def compare(
        self,
        *metrics: Metric | str,
        systems: Sequence[str] | None = None,
        baseline: str | None = None,
        margin: float | None = None,
        estimand: Estimand | str = Estimand.POPULATION,
        level: float = 0.95,
        adjust: Literal["holm", "none"] = "holm",
        errors: Literal["fail", "missing"] = "fail",
        short: Literal["error", "drop"] = "error",
        rng: np.random.Generator | int = 0,
    ) -> Comparisons:
        """Which system is better, pair by pair on the questions that both have.

        Parameters
        ----------
        *metrics
            As in `score`; `avg` if none. Metrics of a confidence (`aurc`, `risk@0.5`, `roc-auc`)
            are compared on the items that both have.
        systems
            Only these; all if None.
        baseline
            The system that every other is compared with; all pairs if None.
        margin
            A difference that does not matter; the verdict then says who is no worse by more.
        estimand, level, errors, short
            As in `score`.
        adjust
            "holm" adjusts verdicts and intervals for the number of comparisons.
        rng
            A seed or a generator for the resamples of metrics of a confidence.
        """
        _require(errors, ("fail", "missing"), "errors")
        _require(short, ("error", "drop"), "short")
        _require(estimand, tuple(each.value for each in Estimand), "estimand")
        metrics = metrics or _USUAL
        wanted = None if systems is None else _listed(systems)
        how = (wanted, baseline, margin, Estimand(estimand), level, adjust)
        ranked = ranked_metrics(metrics)
        if ranked:
            items = Asked(ranked, *how)
            method = replace(_RESAMPLED, level=level)
            compared = compare_ranked(self.source, items, method, rng)
            remarks = [*rows_never_scored(self.source), *self.source.origin.remarks]
            return replace(compared, remarks=(*compared.remarks, *remarks))
        asked = Asked([scored_metric(metric) for metric in metrics], *how)
        found = compare_systems(self.source, asked, Policy(failures_as(errors), short))
        remarks = remarks_on(self.source, self.source.slices(()), errors)
        return replace(found, remarks=(*found.remarks, *remarks))

    def rank(
        self,
        metric: Metric | str = "avg",
        *,
        systems: Sequence[str] | None = None,
        weights: Mapping[str, float] | None = None,
        estimand: Estimand | str = Estimand.POPULATION,
        level: float = 0.95,
        errors: Literal["fail", "missing"] = "fail",
        short: Literal["error", "drop"] = "error",
    ) -> Leaderboard:
        """Systems in order, the ranks that each may have, and which cannot be told apart.

        All systems are ranked on the questions that all of them have.

        Parameters
        ----------
        metric
            What systems rank by.
        systems
            Only these; all if None.
        weights
            Of tasks in the average of several; all alike if None.
        estimand, level, errors, short
            As in `score`.
        """
        _require(errors, ("fail", "missing"), "errors")
        _require(short, ("error", "drop"), "short")
        _require(estimand, tuple(each.value for each in Estimand), "estimand")
        asked = RankAsked(scored_metric(metric), systems, weights, Estimand(estimand), level)
        found = rank_systems(self.source, asked, Policy(failures_as(errors), short))
        remarks = remarks_on(self.source, self.source.slices(()), errors)
        return replace(found, remarks=(*found.remarks, *remarks))

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
        """Whether a run can stop, however often that is asked.

        Parameters
        ----------
        *systems
            One to be watched alone, or two whose difference is; each on its own if none.
        above, below
            Stop when the mean is above or below this; for two systems, their difference, and by
            default when one is better.
        level
            Of all runs, at most `1 - level` end in a claim that does not hold.
        trials
            A question is settled by so many of its first trials.
        bounds
            Between which outcomes lie.
        errors
            As in `score`, without "bracket".
        order
            The column that says when a row was made; else rows count in the order they are in.
        """
        _require(errors, ("fail", "missing"), "errors")
        found = self.source.slices(())
        if not any(part.was_scored for part in found):
            raise InputError("no row was scored; there is nothing to watch.")
        remarks = [
            *who_was_never_scored(by_subject(found)),
            *remarks_on(self.source, found, errors),
        ]
        return monitored(
            self.source.in_turn(order),
            systems,
            above=above,
            below=below,
            level=level,
            trials=trials,
            bounds=bounds,
            errors=errors,
            remarks=remarks,
            unscored=[part.key for part in found if not part.was_scored],
        )

    @property
    def plot(self) -> "RunPlots":
        """Pictures of the outcomes themselves, as `runs.plot.questions()`."""
        from errbar.plots import RunPlots  # noqa: PLC0415  an extra

        return RunPlots(self.source)

    def inspect(self) -> Inspection:
        """What is in the data; trials that occur twice are reported, not refused."""
        return inspection_of(self.source)

    def agreements(self) -> list[Agreement]:
        """Every number that the log states, beside what errbar gets for it."""
        return agreements_of(self.source)

    def __repr__(self) -> str:
        return f"Runs({self.inspect().summary()})"

    def _with_remarks(self, scores: RankedScores) -> RankedScores:
        """The same, with what there is to say of the data."""
        said = rows_never_scored(self.source, {(each.system, each.task) for each in scores})
        return replace(scores, remarks=(*scores.remarks, *said, *self.source.origin.remarks))


def _require(value: str, known: tuple[str, ...], name: str) -> None:
    if value not in known:
        raise InputError(f"{name} must be one of {', '.join(map(repr, known))}; got {value!r}.")


def _listed(by: Sequence[str]) -> tuple[str, ...]:
    return (by,) if isinstance(by, str) else tuple(dict.fromkeys(by))
