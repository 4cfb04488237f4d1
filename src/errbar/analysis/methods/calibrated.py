"""The default interval method, for each of the three targets.

- `population`, new questions of the same kind: from the observed values of questions or clusters
  (`seen`);
- `benchmark`, this exact benchmark: from the posterior of the distribution of difficulty
  (`learned`);
- `rerun`, a repeat of this run: from the same posterior.

Metrics without an unbiased value per question, and k beyond the trials, use the posterior
throughout.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from errbar.analysis.methods.base import (
    Cell,
    Method,
    require_all,
    require_no_weights,
)
from errbar.analysis.methods.learned import RAREST, Learned, Summary
from errbar.analysis.methods.seen import NOT_NARROWED, Seen, clusters_of, of_a_share, right_or_wrong
from errbar.base.arguments import strict_share
from errbar.base.tables import counted, percent
from errbar.data.counts import CategoryCounts, Counts, weights_of
from errbar.errors import InputError, WrongType
from errbar.metrics.base import AnyCounts, CountMetric
from errbar.metrics.categories import Bayes
from errbar.results.estimate import Estimand, Interval

_ROOT_TWO = math.sqrt(2.0)  # sd of the difference of two runs, over that of a single run
_ROUNDING = 1e-12
_FARTHEST = 8  # k is at most min(this, trials / 2) times the trials of a question


@dataclass(frozen=True, slots=True)
class Calibrated(Method):
    """The target of the interval, its level, and the size of a finite population of questions.

    With `questions_in_all`, the questions are a sample from that many, and the interval narrows by
    the finite-population correction. `seed` starts the random number generator.

    Examples
    --------
    >>> from errbar.metrics import PassAt
    >>> Calibrated(level=0.9).describe([PassAt(2)])
    'Bayesian bootstrap over questions with an unseen question towards the bound (after Gaffke)'
    """

    estimand: Estimand = Estimand.POPULATION
    level: float = 0.95
    questions_in_all: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        known = [one.value for one in Estimand]
        if self.estimand not in known:
            raise InputError(
                f"estimand must be one of {', '.join(map(repr, known))}; got {self.estimand!r}."
            )
        object.__setattr__(self, "estimand", Estimand(self.estimand))
        strict_share(self.level, "level")
        for name, least in (("questions_in_all", 1), ("seed", 0)):
            value = getattr(self, name)
            if value is None and name == "questions_in_all":
                continue
            if isinstance(value, bool) or not isinstance(value, int | np.integer):
                raise WrongType(f"{name} must be a whole number; got {value!r}.")
            if value < least:
                raise InputError(f"{name} must be {least} at least; got {value!r}.")
        if self.questions_in_all is not None and self.estimand is not Estimand.POPULATION:
            raise InputError("questions_in_all is for the estimand 'population' only.")

    def cells(
        self,
        systems: Sequence[AnyCounts],
        metrics: Sequence[CountMetric],
        *,
        learned: Sequence[Learned] | None = None,
    ) -> list[list[Cell]]:
        """Cells of a table, a row per metric and a column per system.

        `learned` has the posteriors of systems that are known already.
        """
        known: Sequence[Learned | None] = learned or [None] * len(systems)
        each = [_System(counts, self, one) for counts, one in zip(systems, known, strict=True)]
        _learn([one for one in each if one.must_learn(metrics)], self.seed)
        columns = [one.column(metrics) for one in each]
        return [list(row) for row in zip(*columns, strict=True)]

    def describe(
        self,
        metrics: Sequence[CountMetric],
        systems: Sequence[AnyCounts] = (),
        *,
        within: bool = True,
    ) -> str:
        """Name the method; with a single trial per question no posterior is needed."""
        if self.estimand is not Estimand.POPULATION:
            alone = {usual_trials(counts) == 1 for counts in systems}
            seen = f"{_SEEN}{_TWICE if self.estimand is Estimand.RERUN else ''}"
            if alone == {True}:
                return seen
            return f"{_LEARNED}; with one trial per question, {seen}" if True in alone else _LEARNED
        least = [] if within else [int(counts.trials.min()) for counts in systems]
        learned = [
            str(metric)
            for metric in metrics
            if not _is_seen(metric) or any(metric.draws > trials for trials in least)
        ]
        weighed = any(
            _is_seen(metric) and (not least or metric.draws <= max(least)) for metric in metrics
        )
        said = [_SEEN] if weighed else []
        if learned:
            said.append(f"{', '.join(learned) + ': ' if weighed else ''}{_LEARNED}")
        return "; ".join(said)


_SEEN = "Bayesian bootstrap over questions with an unseen question towards the bound (after Gaffke)"
_TWICE = ", widened by √2 for two runs"
_LEARNED = "difficulty distribution estimated from all questions (Dirichlet mixture)"


class _System:
    """The estimates of one system; the posterior of difficulty is drawn when first needed."""

    def __init__(self, counts: AnyCounts, method: Calibrated, known: Learned | None) -> None:
        self._counts = right_or_wrong(counts)
        self._method = method
        self.known = known
        self._least, self._usual = int(counts.trials.min()), usual_trials(counts)
        require_all(method.questions_in_all, len(counts))
        if method.questions_in_all is not None:
            require_no_weights("questions_in_all", counts)

    @property
    def counts(self) -> Counts:
        """The data as counts of correct trials."""
        if isinstance(self._counts, CategoryCounts):
            raise TypeError("more than two categories have no success rate.")
        return self._counts

    def must_learn(self, metrics: Sequence[CountMetric]) -> bool:
        """Whether the posterior of difficulty is needed and not yet known."""
        if self.known or self._usual == 1 or isinstance(self._counts, CategoryCounts):
            return False
        if self._method.estimand is not Estimand.POPULATION or self._method.questions_in_all:
            return True
        return any(metric.draws > self._least or not _is_seen(metric) for metric in metrics)

    def column(self, metrics: Sequence[CountMetric]) -> list[Cell]:
        """The cell of every metric."""
        return [self._cell(metric) for metric in metrics]

    def _cell(self, metric: CountMetric) -> Cell:
        short = metric.draws > self._least
        value = math.nan if short else metric.point(self._counts)
        low, high = metric.bounds
        if low == high:
            return Cell(low, low, 0.0, self._interval(low, low), _NOTHING_OPEN)
        refusal = self._refusal(metric, short=short)
        if refusal:
            return Cell(value, math.nan, math.nan, self._interval(math.nan, math.nan), refusal)
        found, reason = self._summary(metric, short=short)
        mean, sd, *ends = found.within(low, high)
        if isinstance(metric, Bayes):
            value = mean
        if weights_of(self._counts) is not None and math.isclose(value, mean, rel_tol=_ROUNDING):
            mean = value  # the same sums in another order
        return Cell(value, mean, sd, self._interval(*ends), reason)

    def _summary(self, metric: CountMetric, *, short: bool) -> tuple[Summary, str]:
        level, covers = self._method.level, self._method.estimand
        if covers is not Estimand.POPULATION and self._usual == 1:
            wide = Seen(self._counts, clustered=False).summary(metric, level, self._rng())
            return wide.stretched(_ROOT_TWO) if covers is Estimand.RERUN else wide, ONE_TRIAL
        if covers is Estimand.BENCHMARK:
            return self._learned().benchmark(metric, level), _BEYOND if short else ""
        if covers is Estimand.RERUN:
            return self._learned().rerun(metric, level), _TOO_RARE if level > RAREST else ""
        if short or not _is_seen(metric):
            found = self._for_clusters(self._learned().population(metric, level))
        else:
            found = Seen(self._counts).summary(metric, level, self._rng())
        found, reason = self._of_a_finite_number(found, metric)
        return found, "; ".join(filter(None, (_BEYOND if short else "", reason)))

    def _refusal(self, metric: CountMetric, *, short: bool) -> str:
        """The reason why the data do not support an interval, if they do not."""
        covers = self._method.estimand
        if not metric.parts() and (short or covers is not Estimand.POPULATION):
            return (
                "supported for outcomes of 0 and 1 only; use k within the trials and "
                "estimand 'population'"
            )
        if not short:
            return ""
        if covers is Estimand.RERUN:
            return f"a run of fewer than {metric.draws} trials per question has no {metric}"
        farthest = self._usual * max(1, min(self._usual // 2, _FARTHEST))
        if metric.draws > farthest:
            return (
                f"most questions have {counted(self._usual, 'trial')} or fewer, which supports "
                f"k up to {farthest}"
            )
        return ""

    def _of_a_finite_number(self, found: Summary, metric: CountMetric) -> tuple[Summary, str]:
        """Finite-population correction: between the population and the benchmark interval."""
        in_all = self._method.questions_in_all
        if in_all is None:
            return found, ""
        share = len(self._counts) / in_all
        if self._usual == 1:
            return found, NOT_NARROWED
        if not metric.parts():
            return of_a_share(found, share, Seen(self._counts).most_noise(metric))
        inner = self._learned().benchmark(metric, self._method.level)
        centre = found.mean

        def between(wide: float, narrow: float) -> float:
            return math.sqrt((1.0 - share) * wide**2 + share * narrow**2)

        low = centre - between(centre - found.low, max(centre - inner.low, 0.0))
        high = centre + between(found.high - centre, max(inner.high - centre, 0.0))
        return Summary(centre, between(found.sd, inner.sd), low, high), ""

    def _for_clusters(self, found: Summary) -> Summary:
        """Widen by the design effect of the clusters on the success rate."""
        if clusters_of(self._counts) is None:
            return found
        rate, level = Bayes(), self._method.level
        apart = Seen(self._counts, clustered=False).summary(rate, level, self._rng())
        together = Seen(self._counts).summary(rate, level, self._rng())
        return found.stretched(max(1.0, together.sd / apart.sd))

    def _learned(self) -> Learned:
        if self.known is None:
            (self.known,) = Learned.of([self.counts], [self._rng()])
        return self.known

    def _rng(self) -> np.random.Generator:
        return np.random.default_rng(self._method.seed)

    def _interval(self, low: float, high: float) -> Interval:
        return Interval(low, high, self._method.level, self._method.estimand)


def _learn(systems: Sequence[_System], seed: int) -> None:
    """Draw the posteriors of systems, each with its own random number generator."""
    rngs = [np.random.default_rng(seed) for _ in systems]
    learned = Learned.of([one.counts for one in systems], rngs)
    for one, known in zip(systems, learned, strict=True):
        one.known = known


def usual_trials(counts: AnyCounts) -> int:
    """Median number of trials; a few questions with many trials do not count for the others."""
    trials, often = counts.trials, counts.repeats()
    order = np.argsort(trials, kind="stable")
    reached = np.cumsum(often[order]) >= 0.5 * often.sum()
    return int(trials[order][int(np.argmax(reached))])


_NOTHING_OPEN = "it has this value whatever the outcomes are"
ONE_TRIAL = (
    "with one trial per question, trial noise and difficulty cannot be separated; the interval "
    "covers both"
)
_TOO_RARE = f"above a level of {percent(RAREST)} the ends are rough: too few reruns are simulated"
_BEYOND = "k exceeds the trials; extrapolated by the difficulty model"


def _is_seen(metric: CountMetric) -> bool:
    """Whether the value of every question is unbiased."""
    return all(part.unbiased for part in metric.parts())
