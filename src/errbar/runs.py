"""Outcomes of systems, and everything that can be asked of them."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from errbar.analysis.alignment import Policy
from errbar.analysis.compare import Asked, compare_systems
from errbar.analysis.compare_ranked import compare_ranked, ranked_metrics
from errbar.analysis.methods import Bootstrap, Calibrated, Method, Posterior, chosen_method
from errbar.analysis.monitor import monitored
from errbar.analysis.rank import RankAsked, rank_systems
from errbar.analysis.ranked import roc_scores, selective_scores
from errbar.analysis.readings import (
    copied_rows,
    ids_written_otherwise,
    nameless_systems,
    repeated_ids,
    rows_never_scored,
    rows_without_result,
    scales,
    strange_truths,
    who_was_never_scored,
)
from errbar.analysis.score import (
    ScoredMetric,
    Scoring,
    Short,
    by_subject,
    ks_of,
    left_out_of,
    scored_metric,
    usual_metrics,
)
from errbar.analysis.values import categories_of
from errbar.base.remarks import guess
from errbar.data.provenance import TALLIES
from errbar.data.queries.slices import Slice, without_cluster
from errbar.data.sources.tables import Source, TableSource
from errbar.errors import ErrbarError, InputError, RepeatedTrial
from errbar.metrics import CountMetric, Metric, family
from errbar.metrics.ranked import RankedMetric
from errbar.results.base import Refusals
from errbar.results.comparison import Comparisons
from errbar.results.estimate import Estimand, Estimate, Subject
from errbar.results.inspection import MOST_COMPARED, Agreement, Inspection, Overview
from errbar.results.leaderboard import Leaderboard
from errbar.results.monitoring import Monitoring
from errbar.results.scores import RankedScores, Scores

if TYPE_CHECKING:
    from errbar.plots import RunPlots

Errors = Literal["fail", "missing", "bracket"]

_QUICK = Posterior()  # where only the observed value is looked at
_RESAMPLED = Bootstrap()
_EXAMPLES = 3  # rows that an inspection shows
_TAKEN = {"fail": "wrong", "missing": "missing"}


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

        The interval is for questions like these (`estimand="population"`), for these very
        questions asked again without end ("benchmark"), or for what the same run would show if
        repeated ("rerun"). `questions_in_all` says how many questions there are of which these are
        a sample. `method="documented"` gives the flat-prior intervals of `errbar.eval`. `audit`
        tries the intervals on simulated data like these, and tells how many held the truth.

        Rows without a result count as wrong (`errors="fail"`), are left out ("missing"), or are
        taken both ways ("bracket"). A system that has questions with fewer trials than a metric
        draws is not given a number (`short="error"`); or those questions are dropped and counted
        ("drop"), or the metric is left to what is learned of how difficulty is spread
        ("posterior"). `by` names columns whose values are scored apart.

        A number that cannot be had is nan, its estimate says why, and all others are scored. Only
        if nothing can be scored is it an error.
        """
        _require(errors, ("fail", "missing", "bracket"), "errors")
        _require(short, ("error", "drop", "posterior"), "short")
        asked = [scored_metric(metric) for metric in metrics]
        how = chosen_method(
            method, estimand=estimand, level=level, questions_in_all=questions_in_all
        )
        found = self.source.slices(_listed(by))
        refusals = Refusals()
        scores = self._scored(found, asked, errors, short, how, refusals, audit)
        refusals.require_others((one.of, one.metric) for one in scores)
        return replace(scores, remarks=(*scores.remarks, *self._remarks(found, errors)))

    def curve(
        self,
        name: str,
        ks: Iterable[int] | None = None,
        *,
        errors: Errors = "fail",
        short: Short = "error",
        estimand: Estimand | str | None = None,
        method: Method | Literal["calibrated", "documented"] | None = None,
        level: float | None = None,
        by: Sequence[str] = (),
    ) -> Scores:
        """A metric at many k; without `ks`, at 1, 2, 4 … and the fewest trials of a question.

        Every system has its own fewest in each task, and is left out where its outcomes are not 0
        and 1. With `short="posterior"`, k may lie beyond the trials, as far as they can tell.
        """
        member = family(name)
        if ks is not None:
            members = [member(k) for k in ks]
            return self.score(
                *members,
                errors=errors,
                short=short,
                estimand=estimand,
                method=method,
                level=level,
                by=by,
            )
        _require(errors, ("fail", "missing", "bracket"), "errors")
        _require(short, ("error", "drop", "posterior"), "short")
        how = chosen_method(method, estimand=estimand, level=level)
        found = self.source.slices(_listed(by))
        first = scored_metric(member(1))
        takes_all = isinstance(first, CountMetric) and bool(categories_of(first))
        drawn = [one for one in found if takes_all or one.is_binary] or found
        alike: dict[tuple[int, ...], list[Slice]] = {}  # by the ks that their trials allow
        for one in drawn:
            alike.setdefault(ks_of(one, errors), []).append(one)
        refusals = Refusals()
        parts = [
            self._scored(
                some, [scored_metric(member(k)) for k in reached], errors, short, how, refusals
            )
            for reached, some in alike.items()
        ]
        refusals.require_others((one.of, one.metric) for part in parts for one in part)
        return Scores(
            _in_order((one for part in parts for one in part), by_subject(drawn)),
            "; ".join(dict.fromkeys(part.method for part in parts if part.method)),
            (
                *(remark for part in parts for remark in part.remarks),
                *left_out_of(name, found, drawn),
                *self._remarks(found, errors),
            ),
        )

    def overview(self) -> Overview:
        """What was read, the scores, and who is better: what a person wants first."""
        found = self.source.slices(())
        scores = self.score(*usual_metrics(found), short="drop")
        systems = {one.key[0] for one in found}
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

        Rows without a result, and those with the status `abstained`, are not answered. Resamples
        draw clusters, which are questions unless a column says otherwise; beyond 20 million rows,
        or with `bins`, groups of clusters. `bins` are for more distinct confidences than fit, and
        `bin_error` of an estimate says how far off they can make it.
        """
        return self._told(selective_scores(self.source, metrics, method, rng, bins=bins))

    def roc(
        self,
        *,
        method: Bootstrap = _RESAMPLED,
        rng: np.random.Generator | int = 0,
        bins: int | None = None,
    ) -> RankedScores:
        """How well the confidence tells right answers from wrong ones; `bins` as in `selective`."""
        return self._told(roc_scores(self.source, method, rng, bins=bins))

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

        All pairs, or every system against a `baseline`. Verdicts and intervals are adjusted for
        the number of comparisons (`adjust`). A difference up to `margin` does not matter: the
        verdict then says who is no worse by more than that.

        Metrics of a confidence (`aurc`, `risk@0.5`, `roc-auc`) are compared on the items that both
        have, where `rng` draws the resamples and rows without a result are not answered.
        """
        _require(errors, ("fail", "missing"), "errors")
        _require(short, ("error", "drop"), "short")
        _require(estimand, tuple(one.value for one in Estimand), "estimand")
        wanted = None if systems is None else _listed(systems)
        how = (wanted, baseline, margin, Estimand(estimand), level, adjust)
        ranked = ranked_metrics(metrics)
        if ranked:
            items = Asked(ranked, *how)
            compared = compare_ranked(self.source, items, replace(_RESAMPLED, level=level), rng)
            said = rows_never_scored(self.source)
            return replace(compared, remarks=(*compared.remarks, *said, *self._of_data()))
        asked = Asked([scored_metric(metric) for metric in metrics], *how)
        found = compare_systems(self.source, asked, Policy(_TAKEN[errors], short))
        remarks = (*found.remarks, *self._remarks(self.source.slices(()), errors))
        return replace(found, remarks=remarks)

    def rank(
        self,
        metric: Metric | str,
        *,
        systems: Sequence[str] | None = None,
        weights: Mapping[str, float] | None = None,
        estimand: Estimand | str = Estimand.POPULATION,
        level: float = 0.95,
        errors: Literal["fail", "missing"] = "fail",
        short: Literal["error", "drop"] = "error",
    ) -> Leaderboard:
        """Systems in order, the ranks that each may have, and which cannot be told apart.

        Of several tasks the average counts, by `weights` if given. All systems are ranked on the
        questions that all of them have.
        """
        _require(errors, ("fail", "missing"), "errors")
        _require(short, ("error", "drop"), "short")
        _require(estimand, tuple(one.value for one in Estimand), "estimand")
        asked = RankAsked(scored_metric(metric), systems, weights, Estimand(estimand), level)
        found = rank_systems(self.source, asked, Policy(_TAKEN[errors], short))
        remarks = (*found.remarks, *self._remarks(self.source.slices(()), errors))
        return replace(found, remarks=remarks)

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

        The mean of each system, or of the one that is named, is watched for being `above` a number,
        `below` one, or either; of two systems the difference, by default for which is better. A
        question is settled by its first `trials`, in the order of the rows or of the column
        `order`. Outcomes lie within `bounds`; rows without a result as in `score`.
        """
        _require(errors, ("fail", "missing"), "errors")
        found = self.source.slices(())
        if not any(one.was_scored for one in found):
            raise InputError("no row was scored; there is nothing to watch.")
        return monitored(
            self.source.in_turn(order),
            systems,
            above=above,
            below=below,
            level=level,
            trials=trials,
            bounds=bounds,
            errors=errors,
            remarks=[*who_was_never_scored(by_subject(found)), *self._remarks(found, errors)],
            unscored=[one.key for one in found if not one.was_scored],
        )

    @property
    def plot(self) -> "RunPlots":
        """Pictures of the outcomes themselves, as `runs.plot.questions()`."""
        from errbar.plots import RunPlots  # noqa: PLC0415  an extra

        return RunPlots(self.source)

    def _told(self, scores: RankedScores) -> RankedScores:
        """The same, with what there is to say of the data."""
        said = rows_never_scored(self.source, {(one.system, one.task) for one in scores})
        return replace(scores, remarks=(*scores.remarks, *said, *self._of_data()))

    def _of_data(self) -> list[str]:
        """What was guessed, and what the log says."""
        return list(self.source.origin.remarks)

    def inspect(self) -> "Inspection":
        """What is in the data; trials that occur twice are told of, not refused."""
        repeated = ""
        try:
            found = self.source.slices(())
        except RepeatedTrial as error:
            repeated = str(error)
            found = self.source.with_repeats().slices(())
        if not any(one.questions.sum() for one in found):
            raise InputError("there is no question in the data.")
        accounts = self.source.origin.accounts
        if isinstance(self.source, TableSource) and any(one.rows for one in accounts.values()):
            accounts.require_closed((), sum(one.rows for one in found))
        return Inspection(
            tuple(found),
            self.source.statuses(),
            repeated,
            self.source.origin,
            () if repeated else tuple(self.agreements()),
            tuple(repeated_ids(self.source, found)),
            tuple(self.source.examples(_EXAMPLES)),
        )

    def agreements(self) -> list[Agreement]:
        """Every number that the log states, beside what errbar gets for it."""
        claims = self.source.origin.claims
        slices = by_subject(self.source.slices(())) if claims else {}
        found = []
        for claim in claims:
            whose = Subject(claim.system, claim.task)
            if whose not in slices:
                found.append(Agreement(claim, math.nan, "there is no row of it."))
                continue
            if claim.metric in TALLIES:
                found.append(Agreement(claim, slices[whose].tally(claim.metric)))
                continue
            try:
                quick = Calibrated() if slices[whose].is_weighted else _QUICK
                scoring = Scoring(self.source, _TAKEN[claim.errors], "drop", quick)
                asked = [scored_metric(claim.metric)]
                (mine,) = scoring.scores({whose: slices[whose]}, asked, Refusals())
                why = f"{mine.reason}." if math.isnan(mine.value) else ""
                found.append(Agreement(claim, mine.value, why))
            except ErrbarError as error:
                found.append(Agreement(claim, math.nan, str(error)))
        return found

    def __repr__(self) -> str:
        return f"Runs({self.inspect().summary()})"

    def _scored(
        self,
        found: list[Slice],
        metrics: Sequence[ScoredMetric],
        errors: Errors,
        short: Short,
        method: Method,
        refusals: Refusals,
        audit: bool = False,
    ) -> Scores:
        """With rows that have no result taken as was asked, but nothing said of them."""

        def scored(taken: str, failed: str = "") -> Scores:
            scoring = Scoring(self.source, taken, short, method, audit)
            return scoring.scores(by_subject(found, failed), list(metrics), refusals)

        if errors != "bracket":
            return scored(_TAKEN[errors])
        worst, best = (scored(taken, taken) for taken in ("wrong", "right"))
        return replace(
            worst,
            estimates=_in_order((*worst, *best), by_subject(found)),
            method="; ".join(dict.fromkeys(filter(None, (worst.method, best.method)))),
            remarks=tuple(dict.fromkeys((*worst.remarks, *best.remarks))),
        )

    def _remarks(self, found: list[Slice], errors: Errors) -> list[str]:
        """What was guessed, and how many rows had no result."""
        remarks = rows_without_result(self.source, by_subject(found), errors)
        if any(one.is_weighted for one in found):
            columns = " and ".join(map(repr, self.source.weight_columns()))
            words = f"Questions: weighted by {columns}"
            remarks.append(guess(words, option="--map weight=", argument="weight=None"))
        alone = without_cluster(found)
        if alone:
            remarks.append(alone)
        remarks += nameless_systems(found)
        remarks += strange_truths(self.source, found)
        remarks += copied_rows(self.source, found)
        remarks += scales(self.source, found)
        remarks += ids_written_otherwise(self.source, found)
        return [*remarks, *repeated_ids(self.source, found), *self._of_data()]


def _in_order(estimates: Iterable[Estimate], of: Iterable[Subject]) -> tuple[Estimate, ...]:
    """Estimates by what they are of; those of one are in the order in which they come."""
    places = {subject: at for at, subject in enumerate(of)}
    return tuple(sorted(estimates, key=lambda one: places[replace(one.of, failed="")]))


def _require(value: str, known: tuple[str, ...], name: str) -> None:
    if value not in known:
        raise InputError(f"{name} must be one of {', '.join(map(repr, known))}; got {value!r}.")


def _listed(by: Sequence[str]) -> tuple[str, ...]:
    return (by,) if isinstance(by, str) else tuple(dict.fromkeys(by))
