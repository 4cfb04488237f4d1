"""Calibration of the confidence of systems: where it is off, by how much, and what that costs.

Every quantity is a mean over answers of a bounded variable, so it has Gaffke's interval
(`kernels.bounded_mean`), over clusters of answers if there are any. The quantities are: the
confidence less the result, in each bin, with levels so that all bins hold simultaneously; the
squared distance; and the contribution of each answer to miscalibration and discrimination. In a bin
of independent answers that are right or wrong, with a single stated confidence, the interval is
that of Clopper and Pearson.

A proper score (`brier`, `log-loss`) is the mean of a penalty for each answer. The penalties take
the place of outcomes, and are scored, compared and ranked like any rewards. Rows without an answer
state no probability, and are left out.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errbar.analysis.methods.population import sample_of
from errbar.analysis.ranked import ranked_by_system
from errbar.analysis.readings import AveragedMetrics
from errbar.analysis.score import Errors, ScoredMetric
from errbar.base.arguments import strict_share
from errbar.base.arrays import Array
from errbar.base.remarks import Caution, about, counted, guess, some_of, way_to_say
from errbar.data.sources.tables import Source
from errbar.errors import InputError
from errbar.kernels import calibration as kernel
from errbar.kernels.bounded_mean import mean_ends
from errbar.metrics.base import Metric
from errbar.metrics.confidence import ProbabilityMetric
from errbar.results.base import Measurement
from errbar.results.calibration import Bin, Calibration, SystemCalibration
from errbar.results.comparisons import Comparisons
from errbar.results.estimate import Subject
from errbar.results.scores import Scores

BINS = 10  # usual in reliability diagrams, so that errors by bins can be compared
FEWEST = 20  # least number of answers in a bin, if the number of bins is not given
_METHOD = (
    "Bayesian bootstrap over {unit} with one unseen one at the bound (Gaffke), in bins of about "
    "equally many answers adjusted for their number (Bonferroni); miscalibration and "
    "discrimination by isotonic regression (Dimitriadis, Gneiting and Jordan 2021), lower ends by "
    "ten-fold cross-fitting"
)
_SEED = 0  # seed of the folds
# answers up to which other results show a line on calibration: half a second
_MOST_ANSWERS = 200_000


def calibration_of(source: Source, *, bins: int | None = None, level: float = 0.95) -> Calibration:
    """The calibration of every system and task."""
    strict_share(level, "level")
    if bins is not None and bins < 1:
        raise InputError(f"there must be 1 bin at least; got bins={bins!r}.")
    found, refused = ranked_by_system(source, None)
    rows, remarks = [], []
    unanswered: dict[Subject, int] = {}
    for key, ranked in found.items():
        of = Subject(key[0], key[1])
        if not np.sum(ranked.answered):
            remarks.append(about(str(of), Caution("no item was answered.")))
            continue
        confidence, outcome, cluster = ranked.answers()
        together = np.unique(cluster, return_inverse=True)[1]
        rows.append(calibration_of_answers(of, confidence, outcome, together, bins, level))
        if ranked.unanswered:
            unanswered[of] = ranked.unanswered
    if unanswered:
        lost = counted(sum(unanswered.values()), "row")
        each = some_of(f"{of} {number}" for of, number in unanswered.items() if str(of))
        remarks.append(guess(f"{lost} without an answer left out{f' ({each})' if each else ''}"))
    remarks += [
        about(str(Subject(key[0], key[1])), Caution(f"{why}")) for key, why in refused.items()
    ]
    if not rows:
        raise InputError("no system answered any question, so there is no calibration.")
    clustered = any(row.clusters < row.answers for row in rows)
    unit = "clusters of answers" if clustered else "answers"
    remarks += source.origin.remarks
    return Calibration(tuple(rows), _METHOD.format(unit=unit), tuple(remarks))


def verdict_line(source: Source, answers: int, level: float) -> list[str]:
    """The verdict on the calibration in a line, for other results about the confidence.

    Empty if the confidence is no probability, or if there are too many answers.
    """
    if answers > _MOST_ANSWERS:
        return []
    try:
        found = calibration_of(source, level=level).conclusion()
    except InputError:
        return []
    more = way_to_say("errbar calibration", ".calibration()")
    return [f"{found.claim} ({more} has more)."] if found else []


def verdict_for_pairs(source: Source, found: Comparisons) -> list[str]:
    """The verdict on the calibration, for comparisons by a metric of the confidence."""
    systems = {name for row in found for name in (row.first, row.second)}
    answers = len(systems) * max(row.questions for row in found)
    return verdict_line(source, answers, found[0].interval.level)


def calibration_of_answers(
    of: Subject,
    confidence: Array,
    outcome: Array,
    clusters: NDArray[np.intp],
    bins: int | None = None,
    level: float = 0.95,
) -> SystemCalibration:
    """The calibration of the answers of one system."""
    stated, right = confidence.astype(float), outcome.astype(float)
    outside = stated[(stated < 0.0) | (stated > 1.0)]
    if outside.size:
        raise InputError(
            f"calibration compares confidences with shares, so they must lie between 0 and 1; "
            f"{str(of) or 'the system'} has {outside[0]:.6g}. Turn them into probabilities first."
        )
    answers = _StatedAnswers(stated, right, clusters, level)
    number = max(1, min(BINS, stated.size // FEWEST)) if bins is None else bins
    number = min(number, stated.size)  # as many bins as answers hold one value each, as more would
    which = kernel.equal_bins(answers.stated, number)
    ece = kernel.ExpectedError.of(answers.stated, answers.right, which)
    in_sample, cross_fitted = answers.parts()
    return SystemCalibration(
        of=of,
        answers=stated.size,
        clusters=int(answers.clusters.max()) + 1,
        confidence=float(answers.stated.mean()),
        right=float(answers.right.mean()),
        excess=answers.mean(answers.stated - answers.right, (-1.0, 1.0)),
        brier=answers.mean(np.square(answers.stated - answers.right), (0.0, 1.0)),
        miscalibration=answers.between(cross_fitted.miscalibration, in_sample.miscalibration),
        discrimination=answers.between(cross_fitted.discrimination, in_sample.discrimination),
        uncertainty=answers.uncertainty(),
        ece=ece.value,
        ece_by_chance=ece.by_chance,
        bins=tuple(answers.bins(which)),
        level=level,
    )


class _StatedAnswers:
    """Stated probabilities and results of one system, in clusters."""

    def __init__(
        self, stated: Array, right: Array, clusters: NDArray[np.intp], level: float
    ) -> None:
        # in this order, neither the names nor the order of rows decides how numbers are rounded
        order = np.lexsort((clusters, right, stated))
        self.stated, self.right = stated[order], right[order]
        self.clusters = np.unique(clusters[order], return_inverse=True)[1].astype(np.int64)
        self._level = level

    def mean(
        self,
        values: Array,
        bounds: tuple[float, float],
        some: NDArray[np.bool_] | slice = slice(None),
        level: float | None = None,
    ) -> Measurement:
        """A mean over answers with its interval."""
        clusters = self.clusters[some]
        alone = np.unique(clusters).size == clusters.size
        once = np.ones(clusters.size)
        sample = sample_of(values[some], once, None if alone else clusters, None, bounds)
        low, high = mean_ends(sample, self._level if level is None else level)
        return Measurement(value=sample.mean, sd=sample.sd(), low=low, high=high)

    def parts(self) -> tuple[kernel.BrierParts, kernel.BrierParts]:
        """Parts of the Brier score by recalibration on these answers, and on others."""
        in_sample = kernel.in_sample_parts(self.stated, self.right)
        if int(self.clusters.max()) < 1:
            return in_sample, in_sample
        rng = np.random.default_rng(_SEED)
        return in_sample, kernel.out_of_sample_parts(self.stated, self.right, self.clusters, rng)

    def between(self, new: Array, seen: Array) -> Measurement:
        """The value by recalibration on the same answers; the lower end by that on others."""
        bounds = (-1.0, 1.0)
        least, most = self.mean(new, bounds), self.mean(seen, bounds)
        return Measurement(value=most.value, sd=most.sd, low=max(least.low, 0.0), high=most.high)

    def uncertainty(self) -> Measurement:
        """Variance of the result, which is largest where one half are right."""
        share = self.mean(self.right, (0.0, 1.0))
        low, high = sorted(end * (1.0 - end) for end in (share.low, share.high))
        value = share.value * (1.0 - share.value)
        most = 0.25 if share.low <= 0.5 <= share.high else high
        return Measurement(
            value=value, sd=abs(1.0 - 2.0 * share.value) * share.sd, low=low, high=most
        )

    def bins(self, which: NDArray[np.intp]) -> list[Bin]:
        """Every bin with its share of right answers; the intervals hold simultaneously."""
        number = int(which.max()) + 1
        return [self._bin(which == at, 1.0 - (1.0 - self._level) / number) for at in range(number)]

    def _bin(self, some: NDArray[np.bool_], level: float) -> Bin:
        stated = self.stated[some]
        mean = float(stated.mean())
        # a result less its confidence lies between −highest and 1 − lowest
        bounds = -float(stated.max()), 1.0 - float(stated.min())
        gap = self.mean(self.right - self.stated, bounds, some, level)
        return Bin(
            least=float(stated.min()),
            most=float(stated.max()),
            answers=stated.size,
            confidence=mean,
            right=float(self.right[some].mean()),
            low=max(mean + gap.low, 0.0),
            high=min(mean + gap.high, 1.0),
        )


@dataclass(frozen=True)
class PenaltySource(AveragedMetrics):
    """A metric of stated probabilities, and a source with its penalties in place of outcomes."""

    def remarks(self, by: Sequence[str] = (), *, paired: bool = False) -> list[str]:
        """Remarks on the data."""
        del paired
        lost = sum(part.failed for part in self.source.slices(by))
        silent = (
            f"{self.metrics[0]} leaves out {counted(lost, 'row')} without an answer, "
            "because they state"
        )
        silent += " no probability; other metrics may count them as wrong"
        return [*([guess(silent)] if lost else []), *self.source.origin.remarks]


def split_by_outcome(
    source: Source,
    metrics: Sequence[ScoredMetric],
    errors: Errors,
    bounds: tuple[float, float] | None,
) -> list[AveragedMetrics]:
    """Split metrics by what they average: the outcomes, or one kind of penalty each."""
    plain = [metric for metric in metrics if not isinstance(metric, ProbabilityMetric)]
    found = [AveragedMetrics(plain, source, errors, bounds)] if plain else []
    for metric in metrics:
        if isinstance(metric, ProbabilityMetric):
            low, high = metric.bounds
            known = bounds if math.isinf(high) else (low, high)
            found.append(PenaltySource([metric], source.with_penalties(metric), "missing", known))
    return found


def require_alike(metrics: Sequence[ScoredMetric]) -> None:
    """Refuse metrics that average different outcomes."""
    stated = [metric for metric in metrics if isinstance(metric, ProbabilityMetric)]
    if stated and len(metrics) > 1:
        other = next(metric for metric in metrics if metric is not stated[0])
        raise InputError(
            f"{stated[0]} and {other} are means of different outcomes; ask for one at a time."
        )


def merge_scores(metrics: Sequence[Metric], parts: Sequence[Scores]) -> Scores:
    """Merge scores of several kinds of outcomes into one table, ordered by subject and metric."""
    rows = [row for part in parts for row in part]
    subjects = list(dict.fromkeys(row.of for row in rows))
    rows.sort(key=lambda row: (subjects.index(row.of), metrics.index(row.metric)))
    remarks = dict.fromkeys(remark for part in parts for remark in part.remarks)
    methods = dict.fromkeys(part.method for part in parts if part.method)
    return Scores(tuple(rows), "; ".join(methods), tuple(remarks))
