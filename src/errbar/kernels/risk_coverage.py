"""Risk and coverage from totals per distinct confidence, and areas under the curve.

The areas of errbar average over ties; those that other tools draw are here, too.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from errbar.base.arrays import Array, Numbers

SNAP = 1e-9  # a coverage times the items this near a whole number is that number
_SERIES_FROM = 64  # items before a group from which three terms of a series leave less than 1e-16
_LONGEST = 1 << 25  # harmonic numbers in a table: 0.3 GB
_EQUAL = 1e-12  # risks this near are equal but for rounding


def reach(coverage: float, total: Numbers) -> Array:
    """How many items a coverage is, whole where it is meant to be."""
    items = coverage * np.asarray(total, dtype=float)
    near = np.rint(items)
    return np.where(np.abs(items - near) <= SNAP * near, near, items)


def mean_selective_risk(items: Numbers, loss: Array, upto: Array | None = None) -> Array:
    """Mean risk of the k surest items over k = 1, 2, … up to a number that may be broken."""
    ends, before = np.cumsum(items, axis=-1), np.cumsum(loss, axis=-1)
    answered = ends[..., -1]
    if upto is None and ends.ndim == 1 and answered == items.size:
        return np.asarray((before / ends).mean())
    if upto is None and ends.ndim > 1:
        return _mean_of_replicates(items, loss, ends, before)
    if upto is None:
        return _mean_of_whole(items, loss, ends, before)
    before -= loss
    starts = ends - items
    each = loss / np.maximum(items, 1)
    whole, part = _within(starts, items, upto)
    rise = harmonic_rise(starts, whole) if ends.ndim == 1 else _harmonic_rises(ends, starts, whole)
    inner = np.where(whole == 1, rise, whole - starts * rise)  # Σ j / (starts + j)
    total = (before * rise + each * inner).sum(axis=-1)
    if part is not None:
        following = (before + (whole + 1) * each) / (starts + whole + 1)
        total += (part * following).sum(axis=-1)
    with np.errstate(invalid="ignore"):
        return _reached(total / upto, upto, answered)


def _mean_of_whole(items: Numbers, loss: Array, ends: Numbers, so_far: Array) -> Array:
    """The same for all that was answered: only where there are ties is there more to do."""
    total = so_far / ends
    tied = np.flatnonzero(items > 1)
    count, end, lost = items[tied], ends[tied], loss[tied]
    rise = harmonic_rise(end - count, count)
    inner = count - (end - count) * rise
    total[tied] = (so_far[tied] - lost) * rise + lost / count * inner
    return np.asarray(total.sum() / ends[-1])


def _mean_of_replicates(items: Numbers, loss: Array, ends: Numbers, so_far: Array) -> Array:
    """The same for whole columns, with as few steps as it takes: they are many."""
    table = _harmonic_upto(ends)
    if table is None:
        rise = harmonic_rise(ends - items, items)
    else:
        reached = table.take(ends.astype(np.intp))
        rise = reached.copy()
        rise[:, 1:] -= reached[:, :-1]
    inner = loss / np.maximum(items, 1.0)
    inner *= items - ends
    inner += so_far
    inner -= loss
    total = np.einsum("bg,bg->b", rise, inner) + so_far[:, -1]
    with np.errstate(invalid="ignore"):
        return np.asarray(total / ends[..., -1])


def mean_generalized_risk(
    items: Numbers, loss: Array, total: Numbers, upto: Array | None = None
) -> Array:
    """Mean over coverages of the loss so far per item of all, by trapezoids from zero.

    Loss grows evenly within a group, so the trapezoids are exact for ties.
    """
    ends = np.cumsum(items, axis=-1)
    answered = ends[..., -1]
    starts, before = ends - items, np.cumsum(loss, axis=-1) - loss
    limit = answered if upto is None else upto
    width = np.minimum(np.maximum(np.asarray(limit)[..., None] - starts, 0), items)
    each = loss / np.maximum(items, 1)
    area = (width * (before + 0.5 * width * each)).sum(axis=-1)
    with np.errstate(invalid="ignore"):
        mean = area / (limit * np.asarray(total))
    return _reached(mean, upto, answered)


def risk_at(items: Numbers, loss: Array, upto: Array) -> Array:
    """Mean risk of so many of the surest items; nan where there are not so many."""
    upto = np.ceil(upto)
    ends, so_far = np.cumsum(items, axis=-1), np.cumsum(loss, axis=-1)
    group = np.minimum((ends < upto[..., None]).sum(axis=-1), items.shape[-1] - 1)
    end, lost, held, added = (
        np.take_along_axis(part, group[..., None], axis=-1)[..., 0]
        for part in (ends, so_far, items, loss)
    )
    missing = (end - upto) / np.maximum(held, 1) * added
    return _reached((lost - missing) / upto, upto, ends[..., -1])


def risks_at(items: Numbers, loss: Array, upto: Array) -> Array:
    """Mean risks of so many, and so many, of the surest items: a row per replicate.

    Where there are not so many, all that there are.
    """
    ends, so_far = np.cumsum(items, axis=-1), np.cumsum(loss, axis=-1)
    upto = np.minimum(np.ceil(upto), ends[:, -1:])
    group = np.stack([np.searchsorted(*row) for row in zip(ends, upto, strict=True)])
    end, lost, held, added = (
        np.take_along_axis(part, group, axis=-1) for part in (ends, so_far, items, loss)
    )
    with np.errstate(invalid="ignore"):
        return (lost - (end - upto) / np.maximum(held, 1) * added) / upto


def coverage_at(items: Numbers, loss: Array, total: Numbers, risk: float) -> Array:
    """Largest coverage with a threshold that keeps the selective risk at `risk` or below."""
    ends = np.cumsum(items, axis=-1)
    with np.errstate(invalid="ignore"):
        fine = np.cumsum(loss, axis=-1) / ends <= risk + _EQUAL * abs(risk)
    return np.where(fine, ends, 0).max(axis=-1) / np.asarray(total)


def most_coverage_at(
    right: Array, wrong: Array, mixed: NDArray[np.bool_], total: Numbers, risk: float
) -> float:
    """The most that `coverage_at` can be, whatever the order within the groups that are mixed.

    In the best order, right answers come first and a threshold stands after each item. A group
    then reaches as far into its wrong answers as the risk allows.
    """
    limit = risk + _EQUAL * abs(risk)
    lost = np.cumsum(wrong) - wrong
    fine = np.cumsum(right + wrong) - wrong
    allowed = (limit * fine - lost) / (1.0 - limit) if limit < 1.0 else np.full(fine.shape, np.inf)
    inside = np.where(mixed & (allowed >= 0), fine + np.minimum(allowed, wrong), 0.0)
    between = coverage_at(right + wrong, wrong, total, risk)
    return max(float(between), float(inside.max()) / float(total))


def harmonic_rise(start: Numbers, count: Numbers) -> Array:
    """1/(start + 1) + … + 1/(start + count), however large `start` and small `count`."""
    small = _harmonic(_SERIES_FROM)
    start, count = start.astype(float), count.astype(float)
    x = np.maximum(start, _SERIES_FROM) + 0.5
    y = np.maximum(start + count, _SERIES_FROM) + 0.5
    # ψ(x + ½) = log x + 1/24x² − 7/960x⁴ + 31/8064x⁶ − …, and each difference is taken as one
    log = np.log1p((y - x) / x)
    ix, iy = 1.0 / (x * x), 1.0 / (y * y)
    gap = -(y - x) * (x + y) * ix * iy  # 1/y² − 1/x²
    series = gap * (1 / 24 - (ix + iy) * (7 / 960) + (ix * ix + ix * iy + iy * iy) * (31 / 8064))
    far = log + series
    near = np.minimum(start, _SERIES_FROM).astype(np.intp)
    reached = np.minimum(start + count, _SERIES_FROM).astype(np.intp)
    rise = far + (small[reached] - small[near])
    return np.where(count == 1, 1.0 / (start + 1.0), np.where(count == 0, 0.0, rise))


def _harmonic_rises(ends: Numbers, starts: Numbers, whole: Numbers) -> Array:
    """The same for replicates, from one table: they need no more than twelve digits."""
    table = _harmonic_upto(ends)
    if table is None:
        return harmonic_rise(starts, whole)
    return table[(starts + whole).astype(np.intp)] - table[starts.astype(np.intp)]


def _harmonic_upto(ends: Numbers) -> Array | None:
    """A table for all of them, one for many lengths; none where it would be too long."""
    most = int(ends[..., -1].max())
    return None if most > _LONGEST else _harmonic(1 << most.bit_length())


@lru_cache(maxsize=4)
def _harmonic(most: int) -> Array:
    return np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, most + 1))])


def _within(starts: Numbers, items: Numbers, limit: Numbers) -> tuple[Numbers, Array | None]:
    """How many items of each group lie within the limit, whole ones and a part of one more."""
    room = np.minimum(np.maximum(np.asarray(limit)[..., None] - starts, 0), items)
    if room.dtype.kind in "iu":
        return room, None
    whole = np.floor(room)
    part = room - whole
    return whole, part if part.any() else None


def _reached(value: Array, upto: Array | None, answered: Numbers) -> Array:
    """Nan where fewer items were answered than asked about, or none at all."""
    most = answered if upto is None else upto
    return np.where((most <= answered) & (np.asarray(answered) > 0), value, np.nan)


def apart(one: Array, other: Array) -> Array:
    """Their difference, 0 where it is no more than rounding."""
    difference = np.asarray(one - other)
    scale = np.maximum(np.abs(one), np.abs(other))
    return np.where(np.abs(difference) <= _EQUAL * scale, 0.0, difference)


Point = tuple[float, float]


def selective_risks(loss: Array) -> Array:
    """Mean loss of the first 1, 2, … items."""
    return np.cumsum(loss) / np.arange(1, loss.size + 1)


def trapezoids(loss: Array, total: int) -> float:
    """From the first point on; one point alone is as wide as its coverage."""
    risks = selective_risks(loss)
    if risks.size == 1:
        return float(risks[0] / total)
    return float((risks[1:] + risks[:-1]).sum() / (2 * total))


def span_normalised(loss: Array) -> float:
    """Trapezoids from the first point on, over the width between the first and the last."""
    risks = selective_risks(loss)
    return float((risks[1:] + risks[:-1]).mean() / 2)


def generalized_span_normalised(loss: Array, total: int) -> float:
    """The same of the loss so far per item of all."""
    so_far = np.cumsum(loss) / total
    return float((so_far[1:] + so_far[:-1]).mean() / 2)


def logarithmic(items: NDArray[np.int64], loss: Array) -> float:
    """Losses weighted by −log(1 − rank / (answered + 1)), the surest item having the last rank.

    Items of equal confidence share the mean of their weights.
    """
    from scipy.special import gammaln  # noqa: PLC0415  loaded when first needed

    ends = np.cumsum(items)
    starts, answered = ends - items, ends[-1]
    # The i-th from the surest has rank answered + 1 − i, so 1 − rank/(answered + 1) is i over that.
    logs = np.where(
        items == 1,
        np.log(ends),
        (gammaln(ends + 1.0) - gammaln(starts + 1.0)) / items,
    )
    return float(loss @ (np.log(answered + 1.0) - logs) / answered)


def plateaus(items: NDArray[np.int64], loss: Array, total: int) -> float:
    """Trapezoids between the ends of equal confidences, flat before the first."""
    ends = np.cumsum(items)
    return _under(ends / total, np.cumsum(loss) / ends)


def least_plateaus(items: NDArray[np.int64], loss: Array, total: int) -> float:
    """The least such area that any ranking of these losses has, with whatever ties.

    A tie draws a straight line past the points between its ends, so the best ranking keeps the
    corners of the lower hull alone.
    """
    per_item = np.repeat(loss / items, items)
    count = np.arange(1, per_item.size + 1)
    corners: list[Point] = []
    for x, y in zip((count / total).tolist(), (np.cumsum(per_item) / count).tolist(), strict=True):
        while len(corners) > 1 and _is_above(corners[-1], corners[-2], (x, y)):
            corners.pop()
        corners.append((x, y))
    return _under(*np.array(corners).T)


def _is_above(point: Point, left: Point, right: Point) -> bool:
    """Whether `point` is on or above the line through its neighbours."""
    across = (point[1] - left[1]) * (right[0] - left[0])
    return across >= (right[1] - left[1]) * (point[0] - left[0])


def _under(coverage: Array, risk: Array) -> float:
    flat = coverage[0] * risk[0]
    return float(flat + np.trapezoid(risk, coverage))
