"""Scores: estimates of every metric for every system and task.

Rows without a result, and questions with too few trials, are counted by the user's policy.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from errbar.analysis.audit import with_coverage
from errbar.analysis.evaluate import (
    Refusals,
    categories_of,
    counts_of,
    estimates_of,
    is_reward,
    missing_estimate,
    results_of,
)
from errbar.analysis.methods import Calibrated, Method
from errbar.analysis.outcome_scales import (
    given_bounds,
    remark_on_guess,
    subjects_without_rewards,
    who_has_rewards,
)
from errbar.analysis.rewards import (
    Rewards,
    average_reward,
    average_vote,
    ballots_of,
    bounds_by_task,
    remarks_on_spread,
    rewards_of,
    votes_on,
)
from errbar.base.arguments import require_choice
from errbar.base.remarks import counted, way_to_say
from errbar.data.queries.questions import NEVER_SCORED, Slice, failures_as
from errbar.data.sources.tables import Source
from errbar.errors import InputError, WrongType
from errbar.metrics import CountMetric, Metric, VoteAt
from errbar.metrics.base import metric_of, none_long_enough, too_few_trials
from errbar.metrics.means import AnyCounts
from errbar.results.estimate import Estimand, Estimate, Subject
from errbar.results.scores import Scores

Errors = Literal["fail", "missing", "bracket"]
Short = Literal["error", "drop", "posterior"]
ScoredMetric = CountMetric | VoteAt
_Part = dict[Subject, Estimate]

_GAFFKE = "Bayesian bootstrap over questions with one unseen question at the bound"
_REWARDS = f"avg of rewards: {_GAFFKE} of the rewards (Gaffke)"
_REWARDS_OF_THESE = "avg of rewards: t interval, from the variance between trials"
_VOTES = f"vote@k: {_GAFFKE} (Gaffke)"
_NOT_AUDITED = "coverage: only right-or-wrong trials are simulated, not rewards or votes by answer."


@dataclass
class Scoring:
    """Scoring of slices: the policy, the interval method, and the remarks that result."""

    source: Source
    failures: str  # rows without a result: "wrong", "missing" or "right"
    short: Short
    method: Method
    _: KW_ONLY
    refusals: Refusals = field(default_factory=Refusals)
    audit: bool = False  # whether intervals are tried on simulated data like these
    remarks: list[str] = field(default_factory=list)

    def scores(self, subjects: dict[Subject, Slice], metrics: list[ScoredMetric]) -> Scores:
        """Every metric of every subject; refused estimates have no value, and the reason."""
        if not metrics:
            raise InputError("there is no metric to score by; name one, as in score('pass@8').")
        there, lacking, self.remarks = _scorable(subjects, self.failures)
        tallied, words = self._score_counts(there, metrics)
        parts: list[_Part] = []
        for at, metric in enumerate(metrics):
            part = tallied.get(at, {})
            if isinstance(metric, VoteAt):
                part = self._each(there, metric, partial(self._vote_score, metric=metric))
                words |= _method_if_any(part, _VOTES)
            elif len(part) < len(there):
                others = {of: rest for of, rest in there.items() if of not in part}
                rewards = self._reward_scores(others, metric, there)
                words |= _method_if_any(rewards, self._reward_words())
                part |= rewards
            for of, reason in lacking.items():
                part[of] = self._refused_estimate(of, metric, InputError(reason))
            parts.append(part)
        if self.audit and words.keys() & {_REWARDS, _REWARDS_OF_THESE, _VOTES}:
            self.remarks.append(_NOT_AUDITED)
        rows = tuple(part[of] for of in subjects for part in parts)
        over = "over clusters of questions" if any(e.clusters for e in rows) else "over questions"
        ways = "; ".join(words).replace("over questions", over)
        return Scores(rows, ways, tuple(self.remarks))

    def _reward_words(self) -> str:
        """Describe the method of the intervals of rewards."""
        method = self.method
        if isinstance(method, Calibrated) and method.estimand is Estimand.POPULATION:
            return _REWARDS
        return _REWARDS_OF_THESE

    def _refused_estimate(self, of: Subject, metric: ScoredMetric, error: InputError) -> Estimate:
        """An estimate without a number, with the reason."""
        return missing_estimate(of, metric, self.method, self.refusals.add(of, metric, error))

    def _each(
        self,
        subjects: dict[Subject, Slice],
        metric: ScoredMetric,
        score: Callable[[Subject, Slice], Estimate],
    ) -> _Part:
        """One metric for each subject in turn; it may be refused for some."""
        estimates = {}
        for of, part in subjects.items():
            try:
                estimates[of] = score(of, part)
            except InputError as error:
                estimates[of] = self._refused_estimate(of, metric, error)
        return estimates

    def _reward_scores(
        self, subjects: dict[Subject, Slice], metric: CountMetric, there: Collection[Subject]
    ) -> _Part:
        """Mean rewards; missing bounds are guessed once for all systems of a task."""
        known = self.method if isinstance(self.method, Calibrated) else Calibrated()
        estimates: _Part = {}
        answered: dict[Subject, Rewards] = {}
        for of, part in subjects.items():
            try:
                answered[of] = rewards_of(
                    results_of(self.source, part), self.failures, known.bounds
                )
            except InputError as error:
                estimates[of] = self._refused_estimate(of, metric, error)
        bounds = bounds_by_task(answered, known.bounds)

        def average(of: Subject, _: Slice) -> Estimate:
            return average_reward(of, metric, answered[of], self.method, bounds[of.task])

        estimates |= self._each({of: subjects[of] for of in answered}, metric, average)
        if self.method is known and known.estimand is Estimand.POPULATION and not known.bounds:
            self.remarks += [
                remark_on_guess(who_has_rewards(task, answered, there), guessed)
                for task, guessed in bounds.items()
            ]
            self.remarks += remarks_on_spread(answered, bounds)
        if answered and known.bounds and known.estimand is Estimand.POPULATION:
            self.remarks.append(given_bounds(known.bounds))
        return estimates

    def _score_counts(
        self, subjects: dict[Subject, Slice], metrics: list[ScoredMetric]
    ) -> tuple[dict[int, _Part], dict[str, None]]:
        """Estimates of metrics of counts by position; equal counts are scored together."""
        groups: dict[tuple[Any, ...], dict[int, CountMetric]] = {}
        for at, metric in enumerate(metrics):
            if isinstance(metric, VoteAt):
                continue
            graded = any(is_reward(part, metric) for part in subjects.values())
            others = subjects_without_rewards(self.source, subjects, metric) if graded else subjects
            members_of = tuple(others)
            if members_of:
                least = metric.draws if self.short == "drop" else 0
                groups.setdefault((members_of, categories_of(metric), least), {})[at] = metric
        tallied: dict[int, _Part] = {}
        described: dict[CountMetric, None] = {}
        systems: list[AnyCounts] = []
        for (members_of, *_), members in groups.items():
            counts, refused = self._common_counts({of: subjects[of] for of in members_of}, members)
            scores = self._estimates(counts, list(members.values()))
            for first, (at, metric) in enumerate(members.items()):
                tallied[at] = {item.of: item for item in scores[first :: len(members)]}
                for of, error in refused.items():
                    tallied[at][of] = self._refused_estimate(of, metric, error)
                if any(item.questions for item in tallied[at].values()):
                    described[metric] = None
            scored = {item.of for item in scores if item.questions}
            systems += [item for of, item in counts.items() if of in scored]
        within = self.short != "posterior"
        words = self.method.describe(list(described), systems, within=within) if described else ""
        return tallied, {words: None} if words else {}

    def _common_counts(
        self, subjects: dict[Subject, Slice], members: dict[int, CountMetric]
    ) -> tuple[dict[Subject, AnyCounts], dict[Subject, InputError]]:
        """The counts that several metrics share, or the reason why a subject has none."""
        metric = next(iter(members.values()))
        counts: dict[Subject, AnyCounts] = {}
        refused: dict[Subject, InputError] = {}
        for of, part in subjects.items():
            try:
                found = counts_of(self.source, part, metric, self.failures)
                kept = _long_enough(found, metric) if self.short == "drop" else found
            except InputError as error:
                refused[of] = error
                continue
            counts[of] = kept
            if len(kept) < len(found):
                self.remarks.append(
                    f"{of}: {metric} leaves out {len(found) - len(kept)} of {len(found)} "
                    f"questions, which have fewer than {metric.draws} trials.".removeprefix(": ")
                )
        return counts, refused

    def _estimates(
        self, counts: dict[Subject, AnyCounts], metrics: list[CountMetric]
    ) -> list[Estimate]:
        """Estimates of metrics that need the same counts."""
        short: Literal["posterior", "error"] = "posterior" if self.short == "posterior" else "error"
        estimates = estimates_of(counts, metrics, self.method, self.refusals, short=short)
        if not self.audit:
            return estimates
        audited, reasons = with_coverage(estimates, counts, self.method)
        self.remarks += reasons
        return audited

    def _vote_score(self, of: Subject, part: Slice, metric: VoteAt) -> Estimate:
        questions = ballots_of(self.source, part, self.failures)
        trials = np.array([question.trials for question in questions], dtype=np.int64)
        short = too_few_trials(metric.k, trials)
        if short and self.short != "drop":
            raise short
        fine = [question for question in questions if question.trials >= metric.k]
        if not fine:
            raise none_long_enough(metric.k, trials)
        answered = votes_on(fine, metric)
        estimate = average_vote(of, metric, answered, self.method)
        if short:
            few = len(questions) - len(fine)
            name = str(of) or "the system"
            self.remarks.append(f"{name}: {metric} leaves out {few} of {len(questions)} questions.")
        return estimate


class ScoreRequest(NamedTuple):
    """A request to score slices: metrics, rows without a result, few trials, and intervals."""

    metrics: Sequence[ScoredMetric]
    errors: Errors
    short: Short
    method: Method
    refusals: Refusals
    audit: bool = False


def scores_of(source: Source, found: Sequence[Slice], request: ScoreRequest) -> Scores:
    """Score slices by the policy `errors`; with "bracket" failed trials count both ways."""

    def scored_as(failures: str, failed: str = "") -> Scores:
        scoring = Scoring(
            source,
            failures,
            request.short,
            request.method,
            refusals=request.refusals,
            audit=request.audit,
        )
        return scoring.scores(slices_by_subject(found, failed), list(request.metrics))

    if request.errors != "bracket":
        return scored_as(failures_as(request.errors))
    worst, best = scored_as("lowest", "wrong"), scored_as("right", "right")
    return replace(
        worst,
        estimates=sort_by_subject((*worst, *best), slices_by_subject(found)),
        method="; ".join(dict.fromkeys(filter(None, (worst.method, best.method)))),
        remarks=tuple(dict.fromkeys((*worst.remarks, *best.remarks))),
    )


def sort_by_subject(
    estimates: Iterable[Estimate], subjects: Iterable[Subject]
) -> tuple[Estimate, ...]:
    """Estimates in the order of their subjects."""
    places = {subject: at for at, subject in enumerate(subjects)}
    return tuple(sorted(estimates, key=lambda each: places[replace(each.of, failed="")]))


def require_policy(errors: str, short: str) -> None:
    """Check the policy for rows without a result and for questions with too few trials."""
    require_choice(errors, "errors", get_args(Errors))
    require_choice(short, "short", get_args(Short))


def scored_metric(name: Metric | str) -> ScoredMetric:
    """A metric of trials, from its name or itself."""
    metric = metric_of(name)
    if isinstance(metric, CountMetric | VoteAt):
        return metric
    raise WrongType(
        f"{metric} is a metric of ranked items: ask runs.selective() or runs.roc(), or the "
        f"commands errbar selective and errbar roc."
    )


def _scorable(
    subjects: dict[Subject, Slice], failures: str
) -> tuple[dict[Subject, Slice], dict[Subject, str], list[str]]:
    """Subjects restricted to questions that can be scored, reasons for the others, and remarks."""
    kept: dict[Subject, Slice] = {}
    lacking: dict[Subject, str] = {}
    remarks: list[str] = []
    for subject, part in subjects.items():
        weigh = _has_weight(subject, part)
        some = weigh & (part.scored > 0 if failures == "missing" else part.trials > 0)
        if not part.was_scored:
            lacking[subject] = NEVER_SCORED
        elif not some.any():
            lacking[subject] = "no row has a result"
        else:
            kept[subject] = part.where(some)
            remarks += _remarks_on_left_out(subject, part, some | ~weigh)
            nothing = int(part.questions[~weigh].sum())
            if nothing:
                name = str(replace(subject, failed="")) or "the system"
                remarks.append(f"{name}: {counted(nothing, 'question')} of weight 0 left out.")
    return kept, lacking, remarks


def _has_weight(subject: Subject, part: Slice) -> NDArray[np.bool_]:
    """Mask of the states with positive weight; an error if no state has any."""
    weigh = part.weighs
    if not weigh.any():
        raise InputError(
            f"{str(subject) or 'the system'}: all questions have the weight 0, so there is no "
            "mean. Correct the weights, or ignore them: "
            f"{way_to_say('--map weight=', 'weight=None')}"
        )
    return weigh


def _remarks_on_left_out(subject: Subject, part: Slice, kept: NDArray[np.bool_]) -> list[str]:
    """Remarks on questions without a result, apart for those that were never scored."""
    never = ~kept & (part.trials == 0)
    questions, name, remarks = int(part.questions.sum()), str(replace(subject, failed="")), []
    for out, words in ((never, "were never scored"), (~kept & ~never, "have no result at all")):
        number = int(part.questions[out].sum())
        if number:
            remarks.append(f"{name}: {number} of {questions} questions {words}, and are left out.")
    return [remark.removeprefix(": ") for remark in remarks]


def _long_enough(counts: AnyCounts, metric: CountMetric) -> AnyCounts:
    """The questions with enough trials."""
    fine = counts.trials >= metric.draws
    if not fine.any():
        raise none_long_enough(metric.draws, counts.trials)
    return counts.where(fine)


def _method_if_any(part: _Part, words: str) -> dict[str, None]:
    """A sentence on the method of estimates, if there are any estimates."""
    return {words: None} if any(estimate.questions for estimate in part.values()) else {}


def fewest_trials(part: Slice) -> int:
    """The smallest number of trials of a question that was scored; 0 if none was."""
    trials = part.trials[part.trials > 0]
    return int(trials.min()) if part.was_scored and trials.size else 0


def usual_metrics(slices: Sequence[Slice]) -> tuple[str, ...]:
    """The default metrics: the mean and, with several trials, pass@k and pass^k."""
    fewest = [fewest_trials(part) for part in slices if part.is_binary]
    several = [trials for trials in fewest if trials > 1]
    return ("avg", f"pass@{min(several)}", f"pass^{min(several)}") if several else ("avg",)


def slices_by_subject(found: Iterable[Slice], failed: str = "") -> dict[Subject, Slice]:
    """Slices by their subject."""
    slices: dict[Subject, Slice] = {}
    for part in found:
        system, task, *names = part.key
        slices[Subject(system, task, tuple(zip(part.by, names, strict=True)), failed)] = part
    return slices
