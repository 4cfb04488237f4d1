"""ROC areas with DeLong's variance, and ROC curves.

The area is the Mann–Whitney statistic; its variance comes from the placements of each class
(DeLong, DeLong and Clarke-Pearson 1988), computed by sorting (Sun and Xu 2014): the i-th positive
at position p of the sorted scores has p − i negatives below it.

The interval rests on the same placements: the area is the mean, over the positives, of the share of
negatives below each, and the mean, over the negatives, of the share of positives above each. Each
is a mean of values between 0 and 1 with Gaffke's ends (`bounded_mean`). The two samples err
independently, so the squared distances from the area to the ends add up: the method of variance
estimates recovery, MOVER (Zou and Donner 2008).

Functions of totals take arrays of `positives` and `negatives` per distinct score, with scores
ascending along the last axis and replicates, if any, along the axis before it.
"""

import math

import numpy as np

from errbar.base.arrays import Array, Flags, Integers, Numbers
from errbar.kernels.bounded_mean import Sample, mean_ends
from errbar.kernels.sorting import distinct, totals

Positions = Integers


def area(positives: Numbers, negatives: Numbers) -> Array:
    """Chance that a positive outscores a negative, ties counting ½; nan if a class is empty."""
    positives, negatives = _scale(positives), _scale(negatives)
    below = np.cumsum(negatives, axis=-1)
    pairs = np.einsum("...i,...i->...", positives, 2 * below - negatives)
    all_pairs = positives.sum(axis=-1) * below[..., -1]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(pairs / (2 * all_pairs))


def _scale(weights: Numbers) -> Numbers:
    """Weights scaled by a power of two, so that their products neither underflow nor overflow."""
    if weights.dtype.kind != "f":
        return weights
    return np.ldexp(weights, -np.frexp(weights.max(axis=-1, keepdims=True))[1])


def area_in_order(ordered: Array, positive: Flags) -> float:
    """The area from sorted scores and their labels, where ties have negatives first."""
    places = np.flatnonzero(positive)
    size = places.size
    below = 2 * int(places.sum()) - size * (size - 1)  # negatives below a positive, twice
    _, negatives, positives = _ties(ordered, positive)
    below -= int(negatives @ positives)
    return below / (2 * size * (positive.size - size))


def placements(ordered: Array, positive: Flags) -> tuple[Array, Array]:
    """Negatives below each positive, and positives above each negative; ties count ½.

    Scores are sorted, and ties have negatives first.
    """
    places, others = np.flatnonzero(positive), np.flatnonzero(~positive)
    size = places.size
    beats = (places - np.arange(size)).astype(float)
    beaten = (size - (others - np.arange(others.size))).astype(float)
    last, negatives, positives = _ties(ordered, positive)
    if last.size:
        rank = np.searchsorted(places, last)  # of the first positive in each tie
        beats[_runs(rank, positives)] -= 0.5 * np.repeat(negatives, positives)
        beaten[_runs(last + 1 - rank - negatives, negatives)] -= 0.5 * np.repeat(
            positives, negatives
        )
    return beats, beaten


def _ties(ordered: Array, positive: Flags) -> tuple[Positions, Positions, Positions]:
    """Scores shared by both classes: position of the last negative, and the size of each class."""
    mixed = (ordered[1:] == ordered[:-1]) & (positive[1:] > positive[:-1])
    last = np.flatnonzero(mixed)
    scores = ordered[last]
    start = np.searchsorted(ordered, scores, side="left")
    end = np.searchsorted(ordered, scores, side="right")
    return last, last + 1 - start, end - last - 1


def _runs(starts: Positions, lengths: Positions) -> Positions:
    """Concatenated ranges start, start + 1, …, one for each run."""
    offset = np.cumsum(lengths) - lengths
    return np.repeat(starts - offset, lengths) + np.arange(int(lengths.sum()))


def delong(ordered: Array, positive: Flags) -> tuple[float, float]:
    """The area and DeLong's variance, from sorted scores and their labels."""
    _, starts, items = distinct(ordered)
    if 4 * starts.size < ordered.size:
        return _delong_of_groups(totals(starts, positive), items)
    beats, beaten = placements(ordered, positive)
    return mean_placement(beats, beaten.size), delong_variance(beats, beaten)


def _delong_of_groups(positives: Positions, items: Positions) -> tuple[float, float]:
    """`delong` from totals per distinct score, faster if there are few of them."""
    negatives = items - positives
    p, n = int(positives.sum()), int(negatives.sum())
    beats = np.cumsum(negatives) - 0.5 * negatives
    beaten = p - (np.cumsum(positives) - 0.5 * positives)
    area = float(positives @ beats) / (p * n)
    if min(p, n) < 2:
        return area, math.nan
    spreads = [
        float(often @ np.square(placed - (often @ placed) / size)) / (size - 1) / size
        for often, placed, size in ((positives, beats, p), (negatives, beaten, n))
    ]
    return area, spreads[0] / n**2 + spreads[1] / p**2


def placement_samples(ordered: Array, positive: Flags) -> tuple[Sample, Sample]:
    """Placements of each class as shares of the other, equal ones pooled; scores are sorted."""
    _, starts, items = distinct(ordered)
    positives = totals(starts, positive).astype(float)
    negatives = items - positives
    p, n = float(positives.sum()), float(negatives.sum())
    below = (np.cumsum(negatives) - 0.5 * negatives) / n
    above = (p - (np.cumsum(positives) - 0.5 * positives)) / p
    return _pool(below, positives), _pool(above[::-1], negatives[::-1])


def _pool(values: Array, often: Array) -> Sample:
    """Sample of values in increasing order."""
    some = often > 0.0
    pooled, starts, _ = distinct(values[some])
    return Sample(pooled, np.ones(pooled.size), np.add.reduceat(often[some], starts))


def area_ends(value: float, samples: tuple[Sample, Sample], level: float) -> tuple[float, float]:
    """Interval for an area, from the placements of both classes, by MOVER."""
    lows, highs = zip(*(mean_ends(sample, level) for sample in samples), strict=True)
    low = value - math.hypot(*(value - end for end in lows))
    high = value + math.hypot(*(end - value for end in highs))
    return max(low, 0.0), min(high, 1.0)


def mean_placement(beats: Array, negatives: int) -> float:
    """The area, from the placements of the positives."""
    return float(beats.sum()) / (beats.size * negatives)


def delong_variance(beats: Array, beaten: Array) -> float:
    """Variance of an area or a difference of areas, from its placements; nan for a single item."""
    if min(beats.size, beaten.size) < 2:
        return math.nan
    return _spread(beats) / beaten.size**2 + _spread(beaten) / beats.size**2


def _spread(placed: Array) -> float:
    """Variance of the mean of the placements."""
    centred = placed - placed.mean()
    centred *= centred
    centred.sort()  # so that rounding depends neither on the order of items nor on the sign
    return float(centred.sum()) / (placed.size - 1) / placed.size


def item_placements(scores: Array, labels: Flags) -> tuple[Array, Array]:
    """`placements` for unsorted scores, in the order of the items."""
    order = np.argsort(scores)
    _, starts, items = distinct(scores[order])
    positives = totals(starts, labels[order]).astype(float)
    negatives = items - positives
    below = np.cumsum(negatives) - 0.5 * negatives
    above = positives.sum() - (np.cumsum(positives) - 0.5 * positives)
    group = np.empty(scores.size, dtype=np.intp)
    group[order] = np.repeat(np.arange(starts.size), items)
    return below[group[labels]], above[group[~labels]]


def corners(positives: Numbers, negatives: Numbers) -> tuple[Array, Array]:
    """False and true positive rates as the threshold decreases, from (0, 0) to (1, 1)."""
    rates = []
    for part in (negatives, positives):
        so_far = np.concatenate([[0.0], np.cumsum(part[::-1])])
        rates.append(so_far / so_far[-1])
    return rates[0], rates[1]


def true_rates(positives: Numbers, negatives: Numbers, false: Array) -> Array:
    """Highest true positive rate at each false positive rate: a row per replicate."""
    rates = np.full((len(positives), false.size), np.nan)
    for row, (with_positives, with_negatives) in enumerate(zip(positives, negatives, strict=True)):
        if with_positives.any() and with_negatives.any():
            x, y = corners(with_positives, with_negatives)
            at = np.searchsorted(x, false, side="right") - 1
            after = np.minimum(at + 1, x.size - 1)
            step = np.where(x[after] > x[at], x[after] - x[at], 1.0)
            rates[row] = y[at] + (false - x[at]) / step * (y[after] - y[at])
    return rates


def area_below(false: Array, true: Array, limit: float) -> float:
    """Area under a ROC curve from a false positive rate of 0 to `limit`."""
    inside = np.searchsorted(false, limit, side="right")
    x = np.append(false[:inside], limit)
    y = np.append(true[:inside], np.interp(limit, false, true))
    return float(np.trapezoid(y, x))
