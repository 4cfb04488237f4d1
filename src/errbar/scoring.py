"""Slices × metrics → estimates, under a policy for rows without a result and short questions."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from errbar.data.ballots import Ballots
from errbar.data.slices import Results, Slice
from errbar.data.sources import Source
from errbar.data.statistics import CategoryCounts
from errbar.errors import InputError, NotEnoughTrials, WrongType
from errbar.estimate import Estimate, Subject
from errbar.evaluate import score
from errbar.metrics import CountMetric, Metric, Needs, VoteAt, parse
from errbar.metrics.base import AnyCounts
from errbar.metrics.categories import RIGHT_OR_WRONG, Average, CategoryMetric
from errbar.rewards import average_reward, over_questions
from errbar.scores import Scores
from errbar.uncertainty import Posterior

Short = Literal["error", "drop", "posterior"]
ScoredMetric = CountMetric | VoteAt
_Part = dict[Subject, Estimate]

_REWARDS = "avg of rewards: t interval from the spread of the questions' means"
_VOTES = "vote@k: t interval from the spread of the questions"


@dataclass
class Scoring:
    """How slices are scored, and what is to be said of it."""

    source: Source
    taken: str  # rows without a result: "wrong", "missing" or "right"
    short: Short
    method: Posterior

    def scores(self, subjects: dict[Subject, Slice], metrics: list[ScoredMetric]) -> Scores:
        """Every metric of every subject."""
        if not metrics:
            raise InputError("there is no metric to score by; name one, as in score('pass@8').")
        remarks: list[str] = []
        if self.taken == "missing":
            subjects, remarks = _with_results(subjects)
        parts: list[_Part] = []
        counted: list[CountMetric] = []
        words: dict[str, None] = {}
        for metric in metrics:
            if isinstance(metric, VoteAt):
                parts.append(self._voted(subjects, metric, remarks))
                words[_VOTES] = None
                continue
            rewarded = {whose: one for whose, one in subjects.items() if _is_reward(one, metric)}
            others = {whose: one for whose, one in subjects.items() if whose not in rewarded}
            part = self._rewarded(rewarded, metric)
            parts.append(part | self._counted(others, metric, remarks))
            counted += [metric] if others else []
            words |= {_REWARDS: None} if rewarded else {}
        said = [*([self.method.describe(counted)] if counted else []), *words]
        rows = tuple(part[whose] for whose in subjects for part in parts)
        return Scores(rows, "; ".join(said), tuple(remarks))

    def _rewarded(self, subjects: dict[Subject, Slice], metric: CountMetric) -> _Part:
        return {
            whose: average_reward(whose, metric, self._results(one), self.taken, self.method.level)
            for whose, one in subjects.items()
        }

    def _counted(
        self, subjects: dict[Subject, Slice], metric: CountMetric, remarks: list[str]
    ) -> _Part:
        if not subjects:
            return {}
        counts = {whose: self._counts(one, metric) for whose, one in subjects.items()}
        if self.short == "drop":
            counts, said = _long_enough(counts, metric)
            remarks += said
        short: Literal["posterior", "error"] = "posterior" if self.short == "posterior" else "error"
        try:
            found = score(counts, metric, method=self.method, short=short)
        except NotEnoughTrials as error:
            raise NotEnoughTrials(
                f"{error} Or let short='drop' (--short drop) leave those questions out, or "
                f"short='posterior' do without the observed value."
            ) from error
        return {one.of: one for one in found}

    def _voted(self, subjects: dict[Subject, Slice], metric: VoteAt, remarks: list[str]) -> _Part:
        found = {}
        for whose, one in subjects.items():
            questions = self._ballots(one, metric)
            fine = [question for question in questions if question.trials >= metric.k]
            few = len(questions) - len(fine)
            name = str(whose) or "the system"
            if few and (self.short != "drop" or not fine):
                raise NotEnoughTrials(
                    f"{name}: {metric} needs {metric.k} trials per question; {few} of "
                    f"{len(questions)} have fewer. Lower k, or pass short='drop'."
                )
            if few:
                remarks.append(f"{name}: {metric} leaves out {few} of {len(questions)} questions.")
            trials = sum(question.trials for question in fine)
            values = metric.values(fine)
            found[whose] = over_questions(whose, metric, values, trials, self.method.level)
        return found

    def _ballots(self, one: Slice, metric: VoteAt) -> list[Ballots]:
        """The ballots of each question; a failed trial is a ballot without an answer, or none."""
        questions = self.source.ballots(one.by)[one.key]
        if self.taken == "missing":
            return [question for question in questions if question.trials]
        if self.taken == "right" and one.failed:
            raise InputError(
                f"{metric}: rows without a result have no answer to vote for. Count them as "
                f"ballots without a vote with errors='fail', or leave them out with "
                f"errors='missing'."
            )
        return [replace(one, silent=one.silent + one.failed, failed=0) for one in questions]

    def _counts(self, one: Slice, metric: CountMetric) -> AnyCounts:
        if isinstance(metric, CategoryMetric) and metric.weights != RIGHT_OR_WRONG:
            return self._categories(one, metric)
        if not one.is_binary:
            values = self._results(one).values
            shown = ", ".join(f"{value + 0.0:g}" for value in values[:6])
            raise WrongType(
                f"{metric} needs outcomes of 0 and 1; there are {shown}{' …' * (len(values) > 6)}. "
                f"As rewards they are averaged by avg; as categories 0, 1, 2 … they are taken by "
                f"metrics with a weight for each: avg(weights=[…]), bayes(…), max@k(…)."
            )
        return one.counts(self.taken)

    def _categories(self, one: Slice, metric: CategoryMetric) -> CategoryCounts:
        values, counts, _, clusters = self._results(one)
        some = counts.sum(axis=1) > 0
        found = counts[some]
        wrong = [value for value in values if value not in range(len(metric.weights))]
        if wrong:
            raise WrongType(
                f"{metric} has weights for the outcomes 0 to {len(metric.weights) - 1}; there is "
                f"{wrong[0]:g}."
            )
        if one.failed and self.taken != "missing":
            raise InputError(
                f"{metric}: {one.failed} rows have no result, and no category is their own. Leave "
                f"them out: errors='missing'."
            )
        tally = np.zeros((len(found), len(metric.weights)), dtype=np.int64)
        tally[:, [int(value) for value in values]] = found
        return CategoryCounts(tally, clusters=None if clusters is None else clusters[some])

    def _results(self, one: Slice) -> Results:
        return self.source.categories(one.by)[one.key]


def scored_metric(metric: Metric | str) -> ScoredMetric:
    """A metric of trials, by name or as it is."""
    asked = parse(metric) if isinstance(metric, str) else metric
    if isinstance(asked, CountMetric | VoteAt):
        return asked
    if isinstance(asked, Metric) and asked.needs in (Needs.CONFIDENCE, Needs.LABEL):
        raise WrongType(
            f"{asked} is a metric of ranked items: ask runs.selective() or runs.roc(), or the "
            f"commands errbar selective and errbar roc."
        )
    raise WrongType(f"metrics are given by name or as values, as in 'pass@8'; got {metric!r}.")


def _is_reward(one: Slice, metric: CountMetric) -> bool:
    """Whether outcomes are averaged as they are."""
    return isinstance(metric, Average) and metric.weights == RIGHT_OR_WRONG and not one.is_binary


def _with_results(subjects: dict[Subject, Slice]) -> tuple[dict[Subject, Slice], list[str]]:
    """Questions with a result at least, and how many have none."""
    kept, said = {}, []
    for whose, one in subjects.items():
        some = one.scored > 0
        if not some.any():
            raise InputError(
                f"{str(whose) or 'the system'}: no row has a result; all are left out."
            )
        none = int(one.questions[~some].sum())
        if none:
            left = f"{none} of {int(one.questions.sum())} questions have no result at all, and are"
            said.append(f"{whose}: {left} left out.".removeprefix(": "))
        kept[whose] = one.where(some)
    return kept, said


def _long_enough(
    counts: dict[Subject, AnyCounts], metric: CountMetric
) -> tuple[dict[Subject, AnyCounts], list[str]]:
    """Questions with trials enough, and how many were dropped."""
    kept: dict[Subject, AnyCounts] = {}
    dropped: list[str] = []
    for whose, one in counts.items():
        fine = one.trials >= metric.draws
        if not fine.any():
            name = str(whose) or "the system"
            raise NotEnoughTrials(
                f"{name}: no question has {metric.draws} trials, as {metric} needs. Lower k to at "
                f"most {one.trials.max()}, or leave this system out."
            )
        few = int((~fine) @ one.repeats())
        if few:
            dropped.append(
                f"{whose}: {metric} leaves out {few} of {len(one)} questions, which have fewer "
                f"than {metric.draws} trials.".removeprefix(": ")
            )
        kept[whose] = one.where(fine)
    return kept, dropped
