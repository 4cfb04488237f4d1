"""Agreement of raters beyond chance: kappa, AC1 and alpha, from sums over items.

Ratings are codes of categories, 0 to K − 1 in the order of their values; ratings may be missing.
Every coefficient is a function of a few sums over items, so a weighted bootstrap of items needs one
matrix product:

- agreement: the mean over items of the share of pairs of raters that agree;
- Cohen's kappa (1960, weighted 1968) of two raters, from their table;
- Fleiss' kappa (1971) and Gwet's AC1 (2008), from the mean share of every category;
- Krippendorff's alpha (1970) with nominal, ordinal and interval distances, from the coincidences of
  pairs of ratings of an item.

The intervals are those of the Bayesian bootstrap over items, or clusters of them, with one unseen
item: for the lower end an item on which the raters disagree most, for the upper end one on which
they agree. Without it, agreement on 20 items would imply that the raters always agree.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from errbar.base.arrays import Array, Integers

Distance = Callable[[Array, Array], Array]  # squared, from totals (draws × K) and values


class AgreementSums(NamedTuple):
    """Sums over items from which every coefficient follows: a row per draw of items."""

    paired: Array  # items with at least two ratings
    agreed: Array  # their shares of agreeing pairs
    items: Array  # items with a rating
    shares: Array  # share of each category among them
    coincidences: Array  # pairs of ratings of an item, draws × K × K
    table: Array  # joint table of two raters, draws × K × K


def nominal(totals: Array, values: Array) -> Array:
    """0 for equal categories, else 1."""
    del totals
    distances: Array = 1.0 - np.eye(values.size)
    return distances[None]


def ordinal(totals: Array, values: Array) -> Array:
    """Squared number of ratings between two categories, with half of their own."""
    del values
    middle = np.cumsum(totals, axis=1) - 0.5 * totals
    distances: Array = np.square(middle[:, :, None] - middle[:, None, :])
    return distances


def interval(totals: Array, values: Array) -> Array:
    """Squared difference of the values."""
    del totals
    distances: Array = np.square(values[:, None] - values[None, :])
    return distances[None]


DISTANCES: Mapping[str, Distance] = {"nominal": nominal, "ordinal": ordinal, "interval": interval}


@dataclass(frozen=True, eq=False)
class RatingCodes:
    """Ratings as category numbers, a row per rater; −1 where there is none."""

    codes: Integers
    values: Array  # value of each category, in order

    @property
    def categories(self) -> int:
        """Number of categories."""
        return int(self.values.size)

    def with_item(self, codes: Integers) -> "RatingCodes":
        """The ratings with one more item."""
        return RatingCodes(np.column_stack([self.codes, codes]), self.values)

    def features(self) -> Array:
        """Contribution of each item to the sums, a row per item."""
        raters, items = self.codes.shape
        k = self.categories
        counts = np.zeros((items, k))
        for row in self.codes:
            some = np.flatnonzero(row >= 0)
            counts[some, row[some]] += 1.0
        number = counts.sum(axis=1)
        paired, rated = (number > 1).astype(float), (number > 0).astype(float)
        pairs = counts[:, :, None] * counts[:, None, :]
        pairs[:, np.arange(k), np.arange(k)] -= counts
        coincidences = pairs / np.maximum(number - 1.0, 1.0)[:, None, None]
        coincidences[number < 2] = 0.0
        agreed = np.einsum("ikk->i", coincidences) / np.maximum(number, 1.0)
        shares = counts / np.maximum(number, 1.0)[:, None]
        table = np.zeros((items, k, k))
        if raters == 2:
            both = np.flatnonzero((self.codes >= 0).all(axis=0))
            table[both, self.codes[0, both], self.codes[1, both]] = 1.0
        parts = [paired[:, None], agreed[:, None], rated[:, None], shares]
        return np.concatenate(
            [*parts, coincidences.reshape(items, -1), table.reshape(items, -1)], axis=1
        )

    def sums(self, features: Array, weights: Array) -> AgreementSums:
        """Weighted sums over items; `weights` has a row per draw."""
        k = self.categories
        total = weights @ features
        edges = np.cumsum([1, 1, 1, k, k * k])
        paired, agreed, items, shares, pairs, table = np.split(total, edges, axis=1)
        return AgreementSums(
            paired[:, 0],
            agreed[:, 0],
            items[:, 0],
            shares,
            pairs.reshape(-1, k, k),
            table.reshape(-1, k, k),
        )


def agreement(sums: AgreementSums) -> Array:
    """Mean share of agreeing pairs of raters."""
    return sums.agreed / sums.paired


def gwet(sums: AgreementSums) -> Array:
    """Gwet's AC1."""
    share = sums.shares / sums.items[:, None]
    k = share.shape[1]
    chance = (share * (1.0 - share)).sum(axis=1) / (k - 1.0)
    return _beyond(agreement(sums), chance)


def fleiss(sums: AgreementSums) -> Array:
    """Fleiss' kappa, for any number of ratings of an item."""
    share = sums.shares / sums.items[:, None]
    return _beyond(agreement(sums), np.square(share).sum(axis=1))


def cohen(sums: AgreementSums, weights: Array) -> Array:
    """Cohen's kappa of two raters; `weights` are those of disagreements."""
    cells = sums.table / sums.table.sum(axis=(1, 2))[:, None, None]
    expected = cells.sum(axis=2)[:, :, None] * cells.sum(axis=1)[:, None, :]
    observed = (weights * cells).sum(axis=(1, 2))
    return _beyond(1.0 - observed, 1.0 - (weights * expected).sum(axis=(1, 2)))


def krippendorff(sums: AgreementSums, values: Array, distance: Distance) -> Array:
    """Krippendorff's alpha."""
    totals = sums.coincidences.sum(axis=2)
    size = totals.sum(axis=1)
    disagreement = distance(totals, values)
    observed = (disagreement * sums.coincidences).sum(axis=(1, 2))
    expected = (disagreement * totals[:, :, None] * totals[:, None, :]).sum(axis=(1, 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        alpha: Array = 1.0 - (size - 1.0) * observed / expected
    return alpha


def _beyond(observed: Array, chance: Array) -> Array:
    """Agreement beyond chance; nan where chance alone makes raters agree."""
    with np.errstate(divide="ignore", invalid="ignore"):
        coefficient: Array = (observed - chance) / (1.0 - chance)
    return np.where(chance < 1.0, coefficient, np.nan)


class CoefficientEnds(NamedTuple):
    """A coefficient with its standard deviation and interval."""

    value: float
    sd: float
    low: float
    high: float


Coefficient = Callable[[AgreementSums], Array]
# Bootstrap draws: the Monte Carlo error of a standard deviation is 1/√(2·4000) of it, 1.1%, and
# that of a 95% end about as much of the width. Random numbers in memory at a time: 32 MB.
_DRAWS = 4000  # the Monte Carlo error of a 95% end is then 1.1% of the width
_AT_ONCE = 1 << 22  # random numbers in memory at a time: 32 MB


def coefficients(
    ratings: RatingCodes,
    measures: Mapping[str, Coefficient],
    clusters: Integers,
    level: float,
    rng: np.random.Generator,
    weights: Array | None = None,
) -> dict[str, CoefficientEnds]:
    """Every coefficient with its interval; `clusters` has the cluster of each item.

    An item counts by its weight, 1 by default; only the ratios of weights matter.
    """
    own = ratings.features()
    if weights is not None:
        own *= (weights / weights.mean())[:, None]
    once = np.ones((1, own.shape[0]))
    number = np.unique(clusters, return_inverse=True)[1]
    usual = own.shape[0] / (int(number.max()) + 1)  # items of a cluster
    by_cluster = np.zeros((int(number.max()) + 1, own.shape[1]))
    np.add.at(by_cluster, number, own)
    totals = ratings.sums(own, once)
    shares = totals.shares[0]
    worst, best = (
        ratings.with_item(codes).features()[-1] * usual
        for codes in _unseen(ratings.codes.shape[0], shares)
    )
    drawn: dict[str, list[list[Array]]] = {name: [[], []] for name in measures}
    step = max(1, _AT_ONCE // by_cluster.shape[0])
    for start in range(0, _DRAWS, step):
        weights = rng.standard_exponential((min(step, _DRAWS - start), by_cluster.shape[0] + 1))
        for side, unseen in enumerate((worst, best)):
            sums = ratings.sums(np.vstack([by_cluster, unseen]), weights)
            for name, measure in measures.items():
                drawn[name][side].append(measure(sums))
    by_measure = {}
    tail = 0.5 * (1.0 - level)
    for name, measure in measures.items():
        low, high = (np.concatenate(side) for side in drawn[name])
        value = float(measure(totals)[0])
        ends = float(np.nanquantile(low, tail)), float(np.nanquantile(high, 1.0 - tail))
        sd = float(max(np.nanstd(low), np.nanstd(high)))
        by_measure[name] = CoefficientEnds(value, sd, min(ends[0], value), max(ends[1], value))
    return by_measure


def _unseen(raters: int, shares: Array) -> tuple[Integers, Integers]:
    """Unseen items: half of the raters at either end of the scale; all at the rarest category."""
    worst = np.zeros(raters, dtype=np.int64)
    worst[raters // 2 :] = shares.size - 1
    return worst, np.full(raters, int(np.argmin(shares)), dtype=np.int64)
