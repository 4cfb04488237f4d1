"""The default interval method, for each of the three targets.

- `population`, new questions of the same kind: from the observed values of questions or clusters
  (`population`);
- `benchmark`, this exact benchmark: from the trial noise of the score, estimated with the
  distribution of difficulty (`learned`);
- `rerun`, a repeat of this run: the same, for the noise of two runs.

Metrics without an unbiased value per question use the posterior of the distribution of difficulty.
For k beyond the trials, the bounds hold for every distribution of difficulty.
"""

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from errbar.analysis.methods.base import Cell, Method, Systems, require_no_weights
from errbar.analysis.methods.chains import MOST_CHAINS
from errbar.analysis.methods.learned import ROOT_TWO, DifficultyPosterior
from errbar.analysis.methods.population import (
    ASSUMPTIONS,
    NOT_NARROWED,
    Assumption,
    QuestionSample,
    Summary,
    assumption_on_sizes,
    bounds_of_metric,
    clusters_of,
    combine_independent,
    finite_population,
    right_or_wrong,
)
from errbar.base.arguments import (
    require_all,
    require_bounds,
    require_choice,
    require_whole,
    strict_share,
)
from errbar.base.remarks import counted, join_parts
from errbar.data.counts import CategoryCounts, Counts, CountsByState, weights_of
from errbar.errors import InputError
from errbar.metrics.categories import Bayes
from errbar.metrics.means import AnyCounts, CountMetric
from errbar.results.estimate import Estimand, Interval

_ROUNDING = 1e-12  # relative: of sums in another order
# Questions of a stratum: fewer were not simulated. A smaller one joins the next, as if it were as
# difficult.
ENOUGH = 10


@dataclass(frozen=True, slots=True)
class Calibrated(Method):
    """The target of the interval, its level, and what is assumed about the questions.

    With `questions_in_all`, the questions are a sample from that many, and the interval narrows by
    the finite-population correction. By default an unseen question may score anything that the
    metric allows; with `assume="no rare failures"` it scores no worse and no better than those
    observed. `bounds` are those of rewards, where outcomes are not 0 and 1; `largest_cluster` is
    the most questions that any cluster has, observed or not. `seed` starts the random number
    generator.

    Examples
    --------
    >>> from errbar.metrics import PassAt
    >>> Calibrated(level=0.9).describe([PassAt(2)])
    'Bayesian bootstrap over questions with one unseen question at the bound (Gaffke)'
    """

    estimand: Estimand = Estimand.POPULATION
    level: float = 0.95
    _: KW_ONLY
    questions_in_all: int | None = None
    seed: int = 0
    assume: Assumption = "nothing"
    bounds: tuple[float, float] | None = None
    largest_cluster: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "estimand", Estimand(self.estimand))
        strict_share(self.level, "level")
        require_choice(self.assume, "assume", ASSUMPTIONS)
        require_bounds(self.bounds)
        if self.questions_in_all is not None:
            require_whole(self.questions_in_all, "questions_in_all", 1)
        require_whole(self.seed, "seed", 0)
        if self.largest_cluster is not None:
            require_whole(self.largest_cluster, "largest_cluster", 1, most=10**12)
            if self.estimand is not Estimand.POPULATION:
                raise InputError("largest_cluster is for the estimand 'population' only.")
        if self.questions_in_all is not None and self.estimand is not Estimand.POPULATION:
            raise InputError("questions_in_all is for the estimand 'population' only.")

    def cells(
        self,
        systems: Sequence[AnyCounts],
        metrics: Sequence[CountMetric],
        most_chains: int = MOST_CHAINS,
    ) -> list[list[Cell]]:
        """Cells of a table, a row per metric and a column per system; simulations take 1 chain."""
        each = self._systems(systems, metrics, most_chains)
        columns = [[system.cell(metric) for metric in metrics] for system in each]
        return [list(row) for row in zip(*columns, strict=True)]

    def at_levels(
        self, systems: Sequence[AnyCounts], metric: CountMetric, levels: Sequence[float]
    ) -> list[list[Cell]]:
        """The cell of one metric at several levels, a row per system."""
        each = self._systems(systems, [metric])
        return [[system.cell(metric, level) for level in levels] for system in each]

    def _systems(
        self,
        systems: Sequence[AnyCounts],
        metrics: Sequence[CountMetric],
        most_chains: int = MOST_CHAINS,
    ) -> "list[_SystemEstimates]":
        each = [_SystemEstimates(counts, self) for counts in systems]
        learning = [system for system in each if system.must_learn(metrics)]
        if not learning:
            return each
        strata = [counts for system in learning for counts in system.strata]
        rngs = [np.random.default_rng(self.seed) for _ in strata]
        alone = self.estimand is not Estimand.POPULATION and all(map(_is_seen, metrics))
        learned = iter(DifficultyPosterior.of(strata, rngs, most_chains, by_variance=alone))
        for system in learning:
            system.learn([next(learned) for _ in system.strata])
        return each

    def describe(
        self, metrics: Sequence[CountMetric], systems: Systems = (), *, within: bool = True
    ) -> str:
        """Name the method; with a single trial per question no posterior is needed."""
        if self.estimand is not Estimand.POPULATION:
            alone = {bool((counts.trials == 1).all()) for counts in systems}
            seen = f"{self._seen}{_TWICE if self.estimand is Estimand.RERUN else ''}"
            if alone == {True}:
                return seen
            made = f"{_BY_TRIALS}{_TWICE if self.estimand is Estimand.RERUN else ''}"
            return f"{made}; with one trial per question, {seen}" if True in alone else made
        least = [] if within else [int(counts.trials.min()) for counts in systems]
        beyond = [metric for metric in metrics if any(metric.draws > trials for trials in least)]
        inside = [metric for metric in metrics if not least or metric.draws <= max(least)]
        ways = (
            ([metric for metric in inside if _is_seen(metric)], self._seen),
            ([metric for metric in inside if not _is_seen(metric)], _LEARNED),
            (beyond, _BOUNDED),
        )
        used = [(", ".join(map(str, some)), way) for some, way in ways if some]
        return "; ".join(f"{some}: {way}" if at else way for at, (some, way) in enumerate(used))

    @property
    def _seen(self) -> str:
        return _SEEN if self.assume == "nothing" else _SEEN_NARROW


_SEEN = "Bayesian bootstrap over questions with one unseen question at the bound (Gaffke)"
_SEEN_NARROW = (
    "Bayesian bootstrap over questions, assuming that no unseen question scores beyond those "
    "observed (no rare failures)"
)
_TWICE = ", widened by √2 for two runs"
_BY_TRIALS = "trial noise by a difficulty distribution estimated from all questions (Korn-Graubard)"
_LEARNED = "difficulty distribution estimated from all questions (Dirichlet mixture)"
_BOUNDED = "bounds over all difficulty distributions that agree with the counts (F-localization)"


def design_effect(counts: CountsByState, level: float) -> float:
    """Factor by which clusters multiply the variance of the success rate; 1 without clusters."""
    return _SystemEstimates(counts, Calibrated(level=level)).width_factor(level) ** 2


class _SystemEstimates:
    """The estimates of one system; the posterior of difficulty is drawn when first needed.

    For this exact benchmark, questions are grouped into strata by their number of trials, because
    difficult questions may have been tried less often. A stratum of single trials contains no
    information on trial noise, and is not learned.
    """

    def __init__(self, counts: AnyCounts, method: Calibrated) -> None:
        self._counts = right_or_wrong(counts)
        self._method = method
        self._known: list[DifficultyPosterior] = []
        self._least = int(counts.trials.min())
        self._single = self._counts.trials == 1
        require_all(method.questions_in_all, len(counts))
        if method.questions_in_all is not None:
            require_no_weights("questions_in_all", counts)

    @cached_property
    def strata(self) -> list[Counts]:
        """The counts from which difficulty is learned."""
        if isinstance(self._counts, CategoryCounts):
            raise TypeError("more than two categories have no success rate.")
        if self._learns_population:
            return [self._counts]
        return [self._counts.where(some) for some in self._masks]

    @cached_property
    def _masks(self) -> list[NDArray[np.bool_]]:
        """Questions of several trials, by their number of trials, in strata of enough questions."""
        trials, often = self._counts.trials, self._counts.repeats()
        found: list[NDArray[np.bool_]] = []
        some = np.zeros(trials.size, dtype=bool)
        for number in np.unique(trials[~self._single]).tolist():
            some = some | (trials == number)
            if some @ often >= ENOUGH:
                found.append(some)
                some = np.zeros(trials.size, dtype=bool)
        if some.any():
            last = found.pop() if found else np.zeros(trials.size, dtype=bool)
            found.append(last | some)
        return found

    @property
    def _learns_population(self) -> bool:
        covers, in_all = self._method.estimand, self._method.questions_in_all
        return covers is Estimand.POPULATION and in_all is None

    def must_learn(self, metrics: Sequence[CountMetric]) -> bool:
        """Whether the posterior of difficulty is needed."""
        if isinstance(self._counts, CategoryCounts):
            return False
        if not self._learns_population:
            return not self._single.all()
        return any(metric.draws > self._least or not _is_seen(metric) for metric in metrics)

    def learn(self, known: list[DifficultyPosterior]) -> None:
        """Take the posterior of every stratum, drawn together with those of other systems."""
        self._known = known

    def cell(self, metric: CountMetric, level: float | None = None) -> Cell:
        """The cell of a metric, at the level of the method or another."""
        level = self._method.level if level is None else level
        short = metric.draws > self._least
        value = math.nan if short else metric.point(self._counts)
        low, high = bounds_of_metric(metric, self._method.bounds)
        if low == high:
            return Cell(low, low, 0.0, self._interval(low, low, level), _NOTHING_OPEN)
        refusal = self._refusal(metric, short=short)
        if refusal:
            nowhere = self._interval(math.nan, math.nan, level)
            return Cell(value, math.nan, math.nan, nowhere, refusal)
        found, reason = self._summary(metric, level, short=short)
        mean, sd, lower, upper = found.within(low, high)
        if isinstance(metric, Bayes):
            value = mean
        if weights_of(self._counts) is not None and math.isclose(value, mean, rel_tol=_ROUNDING):
            mean = value  # both are sums of the same terms, in another order
        return Cell(value, mean, sd, self._interval(lower, upper, level), reason)

    def _summary(self, metric: CountMetric, level: float, *, short: bool) -> tuple[Summary, str]:
        if self._method.estimand is not Estimand.POPULATION:
            return self._benchmark_summary(metric, level, short=short)
        if short:
            found = self._pooled_posterior().beyond(metric, level, self.width_factor(level) ** 2)
        elif not _is_seen(metric):
            found = (
                self._pooled_posterior().population(metric, level).widened(self.width_factor(level))
            )
        else:
            found = self._seen().summary(metric, level, self._rng())
        found, reason = self._finite_population(found, metric, level)
        repeats, weights = self._counts.repeats(), weights_of(self._counts)
        largest, clusters = self._method.largest_cluster, clusters_of(self._counts)
        sizes = assumption_on_sizes(repeats, clusters, weights, level, largest)
        return found, join_parts(_BEYOND if short else "", reason, sizes)

    def _benchmark_summary(
        self, metric: CountMetric, level: float, *, short: bool
    ) -> tuple[Summary, str]:
        """Summary for this exact benchmark or a repeat of the run.

        Trial noise is not observable in questions of a single trial; for those, the interval covers
        the choice of questions as well. Both kinds of questions are combined by MOVER (Zou and
        Donner 2008): squared distances from the mean to the ends add up.
        """
        again = self._method.estimand is Estimand.RERUN
        if short:
            return self._pooled_posterior().beyond(metric, level), _BEYOND
        parts = []
        if self._single.any():
            alone = self._seen(clustered=False, some=self._single)
            found = alone.summary(metric, level, self._rng())
            parts.append((self._weight(self._single), found.widened(ROOT_TWO) if again else found))
        if not self._single.all():
            for some, known in zip(self._masks, self._learned(), strict=True):
                found = known.rerun(metric, level) if again else known.benchmark(metric, level)
                parts.append((self._weight(some), found))
        reasons = [ONE_TRIAL] if self._single.all() else []
        if self._single.any() and not reasons:
            number = counted(int(self._single @ self._counts.repeats()), "question")
            reasons.append(f"{number} with a single trial: {_COVERS_BOTH}")
        return combine_independent(parts), "; ".join(reasons)

    def _weight(self, some: NDArray[np.bool_]) -> float:
        """Share of some questions in the mean."""
        weights = weights_of(self._counts)
        each = self._counts.repeats() * (1.0 if weights is None else weights)
        return float(each[some].sum() / each.sum())

    def _refusal(self, metric: CountMetric, *, short: bool) -> str:
        """The reason why the data do not support an interval, if they do not."""
        covers = self._method.estimand
        if not metric.parts() and (short or covers is not Estimand.POPULATION):
            return (
                "supported for outcomes of 0 and 1 only; use k within the trials and "
                "estimand 'population'"
            )
        if short and covers is Estimand.RERUN:
            return f"a run of fewer than {metric.draws} trials per question has no {metric}"
        return ""

    def _finite_population(
        self, found: Summary, metric: CountMetric, level: float
    ) -> tuple[Summary, str]:
        """Finite-population correction: between the population and the benchmark interval."""
        in_all = self._method.questions_in_all
        if in_all is None:
            return found, ""
        share = len(self._counts) / in_all
        if self._single.all():
            return found, NOT_NARROWED
        if not metric.parts():
            return finite_population(found, share, self._seen().most_noise(metric))
        inner = self._benchmark_ends(metric, level)
        centre = found.mean

        def between(wide: float, narrow: float) -> float:
            return math.sqrt((1.0 - share) * wide**2 + share * narrow**2)

        low = centre - between(centre - found.low, max(centre - inner.low, 0.0))
        high = centre + between(found.high - centre, max(inner.high - centre, 0.0))
        return Summary(centre, between(found.sd, inner.sd), low, high), ""

    def _benchmark_ends(self, metric: CountMetric, level: float) -> Summary:
        method = replace(self._method, estimand=Estimand.BENCHMARK, questions_in_all=None)
        these = _SystemEstimates(self._counts, method)
        these.learn(self._learned())
        return these._benchmark_summary(metric, level, short=False)[0]

    def width_factor(self, level: float) -> float:
        """Factor by which clusters widen the interval of the success rate: √ design effect."""
        if clusters_of(self._counts) is None:
            return 1.0
        rate = Bayes()
        single = self._seen(clustered=False).summary(rate, level, self._rng())
        clustered = self._seen().summary(rate, level, self._rng())
        return max(1.0, clustered.sd / single.sd)

    def _seen(
        self, *, clustered: bool = True, some: NDArray[np.bool_] | None = None
    ) -> QuestionSample:
        counts = self._counts if some is None or some.all() else self._counts.where(some)
        known = self._method
        return QuestionSample(
            counts,
            known.assume,
            clustered=clustered,
            bounds=known.bounds,
            largest=known.largest_cluster,
        )

    def _learned(self) -> list[DifficultyPosterior]:
        if not self._known:
            rngs = [self._rng() for _ in self.strata]
            self._known = DifficultyPosterior.of(self.strata, rngs)
        return self._known

    def _pooled_posterior(self) -> DifficultyPosterior:
        """Difficulty learned from all questions, whatever their number of trials."""
        if self._learns_population:
            return self._learned()[0]
        if isinstance(self._counts, CategoryCounts):
            raise TypeError("more than two categories have no success rate.")
        return DifficultyPosterior.of([self._counts], [self._rng()])[0]

    def _rng(self) -> np.random.Generator:
        return np.random.default_rng(self._method.seed)

    def _interval(self, low: float, high: float, level: float) -> Interval:
        return Interval(low, high, level, self._method.estimand)


_NOTHING_OPEN = "it has this value whatever the outcomes are"
_COVERS_BOTH = "trial noise and difficulty cannot be separated, and the interval covers both"
ONE_TRIAL = f"with one trial per question, {_COVERS_BOTH}"
_BEYOND = "k exceeds the trials: the value rests on the difficulty model, the interval does not"


def _is_seen(metric: CountMetric) -> bool:
    """Whether the metric has an unbiased value for every question."""
    return all(part.unbiased for part in metric.parts())
