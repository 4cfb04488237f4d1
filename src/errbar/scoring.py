"""Slices × metrics → estimates, under a policy for rows without a result and short questions."""

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from errbar.audit import held_shares
from errbar.data.given import scaled_weights
from errbar.data.slices import NEVER_SCORED, Slice
from errbar.data.sources import Source
from errbar.errors import InputError, NotEnoughTrials, WrongType
from errbar.estimate import Estimate, Interval, Subject
from errbar.evaluate import score
from errbar.metrics import CountMetric, Metric, Needs, VoteAt, parse
from errbar.metrics.base import AnyCounts
from errbar.remarks import way_to_say
from errbar.rewards import Answered, average_reward, average_vote, rewards_of, target_of
from errbar.scores import Scores
from errbar.tables import counted
from errbar.tallied import ballots_of, categories_of, counts_of, is_reward
from errbar.uncertainty import Method
from errbar.uncertainty.seen import clusters_of

Short = Literal["error", "drop", "posterior"]
ScoredMetric = CountMetric | VoteAt
_Part = dict[Subject, Estimate]

_REWARDS = "avg of rewards: t interval"
_VOTES = "vote@k: Bayesian bootstrap of the questions"
_NOT_HELD = "held: only right and wrong trials are simulated, not rewards or votes by answer."


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
        asked_of = list(subjects)
        subjects, lacking, remarks = _scorable(subjects, self.taken)
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
        if self.audit and words.keys() & {_REWARDS, _VOTES}:
            remarks.append(_NOT_HELD)
        for of, reason in lacking.items():
            for metric, part in zip(metrics, parts, strict=True):
                part[of] = self._without_score(of, metric, reason)
        rows = tuple(part[whose] for whose in asked_of for part in parts)
        return Scores(rows, "; ".join(words), tuple(remarks))

    def _rewarded(self, subjects: dict[Subject, Slice], metric: CountMetric) -> _Part:
        return {
            whose: average_reward(
                whose,
                metric,
                rewards_of(metric, self.source.categories(one.by)[one.key], self.taken),
                self.method,
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
            whose = tuple(of for of, one in subjects.items() if not is_reward(one, metric))
            if whose:
                least = metric.draws if self.short == "drop" else 0
                groups.setdefault((whose, categories_of(metric), least), {})[at] = metric
        found: dict[int, _Part] = {}
        asked: list[CountMetric] = []
        systems: list[AnyCounts] = []
        for (whose, *_), members in groups.items():
            together = list(members.values())
            counts = {
                of: counts_of(self.source, subjects[of], together[0], self.taken) for of in whose
            }
            most = {of: int(one.trials.max()) for of, one in counts.items()}
            if self.short == "drop":
                counts, said = _long_enough(counts, together[0])
                remarks += said
            asked += together
            systems += counts.values()
            scores = self._scored(counts, together, remarks)
            for first, at in enumerate(members):
                found[at] = {one.of: one for one in scores[first :: len(together)]}
                for of in most.keys() - counts.keys():
                    metric = members[at]
                    found[at][of] = self._unscored(of, metric, metric.draws, most[of])
        within = self.short != "posterior"
        return found, {self.method.describe(asked, systems, within=within): None} if asked else {}

    def _scored(
        self, counts: dict[Subject, AnyCounts], metrics: list[CountMetric], remarks: list[str]
    ) -> Scores:
        """Metrics that need the same counts."""
        short: Literal["posterior", "error"] = "posterior" if self.short == "posterior" else "error"
        try:
            found = score(counts, *metrics, method=self.method, short=short)
            return self._audited(found, counts, metrics, remarks) if self.audit else found
        except NotEnoughTrials as error:
            draws = max(metric.draws for metric in metrics)
            few = [str(of) for of, one in counts.items() if one.trials.min() < draws]
            least = min(int(one.trials.min()) for one in counts.values())
            also = (
                f" Questions of {first_of(few[1:])} have fewer, too: {least} is the most for all."
                if few[1:]
                else ""
            )
            raise NotEnoughTrials(
                f"{error}{also} Or let short='drop' (--short drop) leave out those questions, and "
                f"whoever has no others, or short='posterior' (--short posterior) look beyond the "
                f"trials."
            ) from error

    def _unscored(self, of: Subject, metric: ScoredMetric, draws: int, most: int) -> Estimate:
        """What is said where no question is left."""
        reason = f"no question has the {draws} trials that it draws; the most are {most}"
        return self._without_score(of, metric, reason)

    def _without_score(self, of: Subject, metric: ScoredMetric, reason: str) -> Estimate:
        """No number, and why."""
        nowhere = Interval(math.nan, math.nan, self.method.level, target_of(self.method, 0))
        return Estimate(of, metric, math.nan, math.nan, math.nan, nowhere, 0, 0, reason)

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
        found, most = {}, {}
        for whose, one in subjects.items():
            questions = ballots_of(self.source, one, metric, self.taken)
            fine = [question for question in questions if question.trials >= metric.k]
            few = len(questions) - len(fine)
            name = str(whose) or "the system"
            if few and self.short != "drop":
                raise NotEnoughTrials(
                    f"{name}: {metric} needs {metric.k} trials per question; {few} of "
                    f"{len(questions)} have fewer. Lower k, or pass short='drop'."
                )
            if not fine:
                most[whose] = max(question.trials for question in questions)
                found[whose] = self._unscored(whose, metric, metric.k, most[whose])
                continue
            if few:
                remarks.append(f"{name}: {metric} leaves out {few} of {len(questions)} questions.")
            clusters = [question.cluster for question in fine]
            known = [number for number in clusters if number is not None]
            answered = Answered(
                np.array(metric.values(fine)),
                np.array([question.trials for question in fine]),
                np.array(known) if len(known) == len(fine) else None,
                weights=scaled_weights([one.weight for one in fine], np.ones(len(fine))),
            )
            found[whose] = average_vote(whose, metric, answered, self.method)
        if len(most) == len(subjects):
            raise _too_few(metric, metric.k, most)
        return found


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


def _scorable(
    subjects: dict[Subject, Slice], taken: str
) -> tuple[dict[Subject, Slice], dict[Subject, str], list[str]]:
    """Subjects with the questions that can be scored, why others have no score, and remarks."""
    kept: dict[Subject, Slice] = {}
    lacking: dict[Subject, str] = {}
    said: list[str] = []
    for whose, one in subjects.items():
        weigh = _that_weigh(whose, one)
        some = weigh & (one.scored > 0 if taken == "missing" else one.trials > 0)
        if not one.was_scored:
            lacking[whose] = NEVER_SCORED
        elif not some.any():
            lacking[whose] = "no row of it has a result"
        else:
            kept[whose] = one.where(some)
            said += _left_out(whose, one, some | ~weigh)
            nothing = int(one.questions[~weigh].sum())
            if nothing:
                name = str(replace(whose, failed="")) or "the system"
                said.append(f"{name}: {counted(nothing, 'question')} of weight 0 left out.")
    if not kept:
        names = first_of([str(replace(of, failed="")) for of in lacking]).strip(", ")
        raise InputError(f"{names or 'the system'}: {next(iter(lacking.values()))}.")
    return kept, lacking, said


def _that_weigh(whose: Subject, one: Slice) -> NDArray[np.bool_]:
    """The states of questions whose weight is not 0; there must be one."""
    weigh = one.weighs
    if not weigh.any():
        raise InputError(
            f"{str(whose) or 'the system'}: all questions have the weight 0, so there is no mean. "
            f"Correct the weights, or do without them: {way_to_say('--map weight=', 'weight=None')}"
        )
    return weigh


def _left_out(whose: Subject, one: Slice, kept: NDArray[np.bool_]) -> list[str]:
    """How many questions have no result, and how many of those were never scored."""
    never = ~kept & (one.trials == 0)
    asked, name, said = int(one.questions.sum()), str(replace(whose, failed="")), []
    for out, words in ((never, "were never scored"), (~kept & ~never, "have no result at all")):
        number = int(one.questions[out].sum())
        if number:
            said.append(f"{name}: {number} of {asked} questions {words}, and are left out.")
    return [remark.removeprefix(": ") for remark in said]


def _long_enough(
    counts: dict[Subject, AnyCounts], metric: CountMetric
) -> tuple[dict[Subject, AnyCounts], list[str]]:
    """Questions with trials enough of whoever has any, and how many were dropped."""
    kept: dict[Subject, AnyCounts] = {}
    dropped: list[str] = []
    for whose, one in counts.items():
        fine = one.trials >= metric.draws
        if not fine.any():
            continue
        few = int((~fine) @ one.repeats())
        if few:
            dropped.append(
                f"{whose}: {metric} leaves out {few} of {len(one)} questions, which have fewer "
                f"than {metric.draws} trials.".removeprefix(": ")
            )
        kept[whose] = one.where(fine)
    if not kept:
        most = {of: int(one.trials.max()) for of, one in counts.items()}
        raise _too_few(metric, metric.draws, most)
    return kept, dropped


def _too_few(metric: ScoredMetric, draws: int, most: dict[Subject, int]) -> NotEnoughTrials:
    """Where nobody is left; `most` are the trials that a question of each has at most."""
    return NotEnoughTrials(
        f"{first_of([str(of) for of in most]) or 'the system'}: no question has {draws} trials, "
        f"as {metric} needs. Lower k to at most {max(most.values())}, or collect more trials."
    )


def first_of(names: list[str]) -> str:
    """Names, but not more than are read."""
    return ", ".join([*names[:5], *["…"] * (len(names) > 5)])
