"""Prediction-powered inference: a mean from a few trusted labels and many grades of a judge.

The mean of a judge's grades is off by an unknown amount, which the labelled items estimate: the
mean of label − weight · grade among them, the rectifier, is added to weight · grade among all
others. Weight 1 is PPI (Angelopoulos et al. 2023, "Prediction-powered inference", Science 382).
The weight with the least variance is PPI++ (Angelopoulos, Duchi and Zrnic 2023, arXiv:2311.01453):
the regression estimator of survey sampling (Cochran 1977), with the weight kept within 0 and 1.
Weight 0 uses the labels only. All of them assume that the labelled items are a random sample.

Items may have been labelled with unequal probabilities that are known, so that a label counts as
1 / its probability. The items without a label are then no random sample, and weight · grade is
averaged over all items: active inference (Zrnic and Candès 2024, "Active statistical inference",
arXiv:2403.03208), the difference estimator of survey sampling (Särndal, Swensson and Wretman 1992).

Neyman allocation (1934) chooses these probabilities so that the variance is smallest: the sampling
rate of a stratum is proportional to its standard deviation. Half of every sample is nevertheless
spread evenly, as Zrnic and Candès advise. Then strata whose standard deviation is wrongly estimated
as 0 are sampled too, and no weight is larger than twice that of an even sample. Systematic sampling
with a random start (Madow 1949) draws every item with exactly its probability.

If only the sensitivity and the specificity of a judge are known, from other items, the share of
right answers is that of Rogan and Gladen (1978), with the limits of Lang and Reiczigel (2014,
"Confidence limits for prevalence of disease adjusted for estimated sensitivity and specificity").
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.base.arrays import Array
from errbar.kernels.interval import normal_reach
from errbar.kernels.urn import chance_of_at_least


class Judged(NamedTuple):
    """Labels with the grades of the same items, and the grades of all other items.

    Weights have a mean of 1 among the labelled items, and among the others. If `among` is given,
    the labelled items are also among the others, at these places.
    """

    labels: Array
    grades: Array
    others: Array
    label_weights: Array
    other_weights: Array
    among: NDArray[np.intp] | None = None

    @classmethod
    def of(
        cls,
        labels: Array,
        grades: Array,
        others: Array,
        label_weights: Array | None = None,
        other_weights: Array | None = None,
        among: NDArray[np.intp] | None = None,
    ) -> "Judged":
        """Labels and grades with weights scaled to a mean of 1; equal weights by default."""
        return cls(
            labels,
            grades,
            others,
            _scaled_weights(label_weights, labels.size),
            _scaled_weights(other_weights, others.size),
            among,
        )

    def mean(self, weight: float) -> float:
        """Corrected mean.

        Examples
        --------
        >>> found = Judged.of(np.array([1.0, 0.0]), np.array([1.0, 1.0]), np.array([1.0, 1.0, 0.0]))
        >>> round(found.mean(1.0), 4), found.mean(0.0)
        (0.1667, 0.5)
        """
        rectifier = self.label_weights * (self.labels - weight * self.grades)
        imputed = weight * self.other_weights * self.others
        return float(rectifier.mean()) + (float(imputed.mean()) if self.others.size else 0.0)

    def tuned_weight(self) -> float:
        """The weight of the grades with the least variance, between 0 and 1 (PPI++)."""
        n, others = self.labels.size, self.others.size
        if not others or n < 2:
            return 0.0
        if self.among is not None:
            by_label, by_grade = self._influence(0.0), self._influence(1.0) - self._influence(0.0)
            size = float(by_grade @ by_grade)
            return min(max(-float(by_label @ by_grade) / size, 0.0), 1.0) if size > 0.0 else 0.0
        centre = self.mean(1.0)
        labels = self.label_weights * (self.labels - centre)
        grades = self.label_weights * (self.grades - centre)
        all_grades = np.concatenate([grades, self.other_weights * (self.others - centre)])
        variance = float(all_grades.var(ddof=1))
        if not variance > 0.0:
            return 0.0
        covariance = float((labels - labels.mean()) @ (grades - grades.mean())) / n
        return min(max(covariance / (1.0 + n / others) / variance, 0.0), 1.0)

    def _influence(self, weight: float) -> Array:
        """Influence of each item on the mean, where labelled items are part of all items."""
        imputed = weight * self.others
        mean = float((self.other_weights * imputed).mean())
        influence = self.other_weights * (imputed - mean) / self.others.size
        rectifier = self.labels - weight * self.grades
        off = rectifier - float((self.label_weights * rectifier).mean())
        influence[self.among] += self.label_weights * off / rectifier.size
        return influence

    def normal_ends(self, weight: float, level: float) -> tuple[float, float, float]:
        """Standard deviation and ends of the normal interval of the papers."""
        rectifier = self.label_weights * (self.labels - weight * self.grades)
        variance = float(rectifier.var()) / rectifier.size
        if self.among is not None:
            variance = float(np.square(self._influence(weight)).sum())
        elif self.others.size:
            variance += float((weight * self.other_weights * self.others).var()) / self.others.size
        sd, mean = math.sqrt(variance), self.mean(weight)
        reach = normal_reach(level) * sd
        return sd, mean - reach, mean + reach


def _scaled_weights(weights: Array | None, size: int) -> Array:
    return np.ones(size) if weights is None else weights * size / weights.sum()


class KnownRate(NamedTuple):
    """A sensitivity or a specificity, with the number of items behind it; infinite if exact."""

    share: float
    items: float


def rogan_gladen(share: float, sensitivity: float, specificity: float) -> float:
    """Share of right answers, from the share that the judge passes.

    Examples
    --------
    >>> round(rogan_gladen(0.5, 0.9, 0.8), 4)
    0.4286
    """
    corrected = (share + specificity - 1.0) / (sensitivity + specificity - 1.0)
    return min(max(corrected, 0.0), 1.0)


def rogan_gladen_ends(
    passed: KnownRate, sensitivity: KnownRate, specificity: KnownRate, level: float
) -> tuple[float, float, float]:
    """Standard deviation and limits of Lang and Reiczigel, from three independent shares.

    Shares are moved towards one half, that of the judge as by Agresti and Coull and the others by
    one item of each kind; the centre of the interval moves with the skewness of the estimate.
    """
    z = normal_reach(level)
    passed = _with_pseudo_items(passed, 0.5 * z * z)
    sensitivity, specificity = (
        _with_pseudo_items(sensitivity, 1.0),
        _with_pseudo_items(specificity, 1.0),
    )
    youden = sensitivity.share + specificity.share - 1.0
    right = (passed.share + specificity.share - 1.0) / youden
    of_right, of_wrong = (
        known.share * (1.0 - known.share) / known.items for known in (sensitivity, specificity)
    )
    skew = 2.0 * z * z * (right * of_right - (1.0 - right) * of_wrong)
    variance = passed.share * (1.0 - passed.share) / passed.items
    variance += right * right * of_right + (1.0 - right) ** 2 * of_wrong
    sd = math.sqrt(variance) / abs(youden)
    low, high = (right + skew + side * z * sd for side in (-1.0, 1.0))
    return sd, min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0)


def _with_pseudo_items(known: KnownRate, number: float) -> KnownRate:
    """A share with as many items of either kind added."""
    if math.isinf(known.items):
        return known
    items = known.items + 2.0 * number
    return KnownRate((known.share * known.items + number) / items, items)


# Share of a sample that is spread evenly (a defensive mixture, Hesterberg 1995): no chance is below
# half of an even one, so wrong standard deviations at most double the variance.
_EVEN = 0.5


def neyman(sds: Array, number: int) -> Array:
    """Probability of each item in a sample of `number`: half even, half by standard deviation.

    Examples
    --------
    >>> neyman(np.array([0.0, 0.0, 1.0, 1.0]), 2).tolist()
    [0.25, 0.25, 0.75, 0.75]
    """
    even = np.full(sds.size, 1.0 / sds.size)
    total = float(sds.sum())
    shares = _EVEN * even + (1.0 - _EVEN) * sds / total if total > 0.0 else even
    chances = np.minimum(number * shares, 1.0)
    while (short := number - float(chances.sum())) > 1e-9 and (chances < 1.0).any():
        room = chances < 1.0  # certain items leave their rest to others
        chances[room] += short * shares[room] / float(shares[room].sum())
        chances = np.minimum(chances, 1.0)
    return chances


def systematic(chances: Array, rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw a systematic sample, which includes each item with its own probability.

    The probabilities add up to the size of the sample.
    """
    order = rng.permutation(chances.size)
    ends = np.cumsum(chances[order])
    number = round(float(ends[-1]))
    ends *= number / ends[-1]
    at = np.searchsorted(ends, rng.random() + np.arange(number), side="right")
    places: NDArray[np.intp] = np.sort(order[np.minimum(at, chances.size - 1)])
    return places


def two_stage_weights(former: Array, items: int, chances: Array) -> tuple[Array, Array]:
    """Weights of the items of a first sample, and of those drawn later from the rest.

    `former` are the weights of the first sample, which by itself gives an unbiased mean. The
    items of the first sample with weight 1, and the new ones with 1 / `chances`, give another. The
    two means are averaged, with shares such that all items have equal weights if both samples are
    even.
    """
    if not former.size:
        return former, 1.0 / chances
    rest, drawn = items - former.size, chances.size
    own = former * items / former.sum()
    of_new, of_old = rest / drawn - 1.0, items / former.size - 1.0 + rest / drawn
    share = of_new / of_old if of_old > 0.0 else 0.5
    return share * own + (1.0 - share), (1.0 - share) / chances


def chance_of_choice(grades: Array, chosen: NDArray[np.bool_]) -> float:
    """Two-sided p-value of the hypothesis that the chosen items are a random sample of all.

    The number of chosen items with a grade above the mean of all is then hypergeometric (Fisher's
    exact test).

    Examples
    --------
    >>> grades = np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    >>> round(chance_of_choice(grades, grades > 0), 3)  # twice one in twenty
    0.1
    """
    high = grades > grades.mean()
    size, total = np.array([grades.size]), np.array([high.sum()])
    drawn, right = int(chosen.sum()), int((high & chosen).sum())
    least, most = max(0, drawn + int(total[0]) - grades.size), min(drawn, int(total[0]))

    def at_least(number: int) -> float:
        if number <= least:
            return 1.0
        return 0.0 if number > most else float(chance_of_at_least(size, total, drawn, number)[0])

    return min(1.0, 2.0 * min(at_least(right), 1.0 - at_least(right + 1)))
