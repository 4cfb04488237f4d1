"""Slices × metrics → estimates, under a policy for rows without a result and short questions."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from errbar.audit import held_shares
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
from errbar.rewards import Answered, average_reward, average_vote, rewards_of
from errbar.scores import Scores
from errbar.uncertainty import Method
from errbar.uncertainty.seen import clusters_of

Short = Literal["error", "drop", "posterior"]
ScoredMetric = CountMetric | VoteAt
_Part = dict[Subject, Estimate]

_REWARDS = "avg of rewards: t interval"
_VOTES = "vote@k: random weights for the questions"


@dataclass
class Scoring:
    """How slices are scored, and what is to be said of it."""

    source: Source
    taken: str  # rows without a result: "wrong", "missing" or "right"
    short: Short
    method: Method
    audit: bool = False  # whether intervals are tried on simulated data like these

    def scores(self, subjects: dict[Subject, Slice], metrics: list[ScoredMetric]) -> Scores:
        """Every metric of every subject."""
        if not metrics:
            raise InputError("there is no metric to score by; name one, as in score('pass@8').")
        remarks: list[str] = []
        if self.taken == "missing":
            subjects, remarks = _with_results(subjects)
        counted, words = self._counted(subjects, metrics, remarks)
        parts: list[_Part] = []
        for at, metric in enumerate(metrics):
            part = counted.get(at, {})
            if isinstance(metric, VoteAt):
                part = self._voted(subjects, metric, remarks)
                words[_VOTES] = None
            elif len(part) < len(subjects):
                others = {whose: one for whose, one in subjects.items() if whose not in part}
                part |= self._rewarded(others, metric)
                words[_REWARDS] = None
            parts.append(part)
        rows = tuple(part[whose] for whose in subjects for part in parts)
        return Scores(rows, "; ".join(words), tuple(remarks))

    def _rewarded(self, subjects: dict[Subject, Slice], metric: CountMetric) -> _Part:
        return {
            whose: average_reward(
                whose, metric, rewards_of(metric, self._results(one), self.taken), self.method
            )
            for whose, one in subjects.items()
        }

    def _counted(
        self, subjects: dict[Subject, Slice], metrics: list[ScoredMetric], remarks: list[str]
    ) -> tuple[dict[int, _Part], dict[str, None]]:
        """Metrics of counts by their place; those of the same counts are scored together."""
        groups: dict[tuple[Any, ...], dict[int, CountMetric]] = {}
        for at, metric in enumerate(metrics):
            if isinstance(metric, VoteAt):
                continue
            whose = tuple(of for of, one in subjects.items() if not _is_reward(one, metric))
            if whose:
                least = metric.draws if self.short == "drop" else 0
                groups.setdefault((whose, _categories_of(metric), least), {})[at] = metric
        found: dict[int, _Part] = {}
        asked: list[CountMetric] = []
        for (whose, *_), members in groups.items():
            together = list(members.values())
            asked += together
            scores = self._scored({of: subjects[of] for of in whose}, together, remarks)
            for first, at in enumerate(members):
                found[at] = {one.of: one for one in scores[first :: len(together)]}
        return found, {self.method.describe(asked): None} if asked else {}

    def _scored(
        self, subjects: dict[Subject, Slice], metrics: list[CountMetric], remarks: list[str]
    ) -> Scores:
        """Metrics that need the same counts."""
        counts = {whose: self._counts(one, metrics[0]) for whose, one in subjects.items()}
        if self.short == "drop":
            counts, said = _long_enough(counts, metrics[0])
            remarks += said
        short: Literal["posterior", "error"] = "posterior" if self.short == "posterior" else "error"
        try:
            found = score(counts, *metrics, method=self.method, short=short)
            return self._audited(found, counts, metrics, remarks) if self.audit else found
        except NotEnoughTrials as error:
            raise NotEnoughTrials(
                f"{error} Or let short='drop' (--short drop) leave those questions out, or "
                f"short='posterior' (--short posterior) look beyond the trials."
            ) from error

    def _audited(
        self,
        found: Scores,
        counts: dict[Subject, AnyCounts],
        metrics: list[CountMetric],
        remarks: list[str],
    ) -> Scores:
        """The same, with the share of simulations in which each interval held the truth."""
        if any(clusters_of(one) is not None for one in counts.values()):
            remarks.append("held: the questions that were simulated do not come in clusters.")
        shares = [
            share
            for one in counts.values()
            for share in held_shares(one, metrics, self.method, np.random.default_rng(0))
        ]
        rows = (replace(one, held=held) for one, held in zip(found, shares, strict=True))
        return replace(found, estimates=tuple(rows))

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
            clusters = [question.cluster for question in fine]
            known = [number for number in clusters if number is not None]
            answered = Answered(
                np.array(metric.values(fine)),
                sum(question.trials for question in fine),
                np.array(known) if len(known) == len(fine) else None,
            )
            found[whose] = average_vote(whose, metric, answered, self.method)
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
        if isinstance(metric, CategoryMetric) and _categories_of(metric):
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
        values, counts, _, clusters, names = self._results(one)
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
        kept = [name for name, held in zip(names, some, strict=True) if held] if names else None
        return CategoryCounts(tally, kept, None if clusters is None else clusters[some])

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


def _categories_of(metric: CountMetric) -> tuple[float, ...]:
    """The weights of the categories that are counted; none for right and wrong."""
    if isinstance(metric, CategoryMetric) and metric.weights != RIGHT_OR_WRONG:
        return metric.weights
    return ()


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
