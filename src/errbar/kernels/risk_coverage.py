"""Risk–coverage curves from totals per distinct confidence, and areas under them.

AURC is the mean selective risk over coverages (Geifman and El-Yaniv 2017), AUGRC the mean
generalized risk (Traub et al. 2024). Groups of equal confidence are averaged over all their orders,
which needs only totals per group and harmonic numbers. The last functions reproduce the areas that
other tools report, for comparison.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from errbar.base.arrays import Array, Integers, Numbers

SNAP = 1e-9  # relative: coverage × items this near a whole number is that number
_SERIES_FROM = 64  # from here three terms of the digamma series have an error below 1e-16
_SMALL = 8  # from here two terms have an error below 1e-8, far below that of random draws
_LONGEST = 1 << 25  # most harmonic numbers in a table: 0.3 GB
_EQUAL = 1e-12  # relative: risks this close are equal, but for rounding


def is_reached(coverage: float, largest: float) -> bool:
    """Whether a system that answers `largest` of the items reaches a coverage, up to rounding."""
    return coverage <= largest * (1 + SNAP)


def reach(coverage: float, total: Numbers) -> Array:
    """Number of items at a coverage; rounding errors near a whole number are removed."""
    items = coverage * np.asarray(total, dtype=float)
    near = np.rint(items)
    return np.where(np.abs(items - near) <= SNAP * near, near, items)


def mean_selective_risk(items: Numbers, loss: Array, upto: Array | None = None) -> Array:
    """Mean over k = 1 … `upto`, possibly fractional, of the risk of the k most confident items."""
    ends, before = np.cumsum(items, axis=-1), np.cumsum(loss, axis=-1)
    answered = ends[..., -1]
    if upto is None and ends.ndim == 1 and answered == items.size:
        return np.asarray((before / ends).mean())
    if upto is None and ends.ndim > 1:
        return _mean_of_replicates(items, loss, ends, before)
    if upto is None:
        return _mean_over_answered(items, loss, ends, before)
    before -= loss
    starts = ends - items
    per_item = loss / np.maximum(items, 1)
    whole, part = _within(starts, items, upto)
    rise = harmonic_rise(starts, whole) if ends.ndim == 1 else _harmonic_rises(ends, starts, whole)
    inner = np.where(whole == 1, rise, whole - starts * rise)  # Σ j / (starts + j)
    total = (before * rise + per_item * inner).sum(axis=-1)
    if part is not None:
        following = (before + (whole + 1) * per_item) / (starts + whole + 1)
        total += (part * following).sum(axis=-1)
    with np.errstate(invalid="ignore"):
        return _nan_below(total / upto, upto, answered)


def weighted_selective_risk(items: Array, loss: Array, upto: Array | None = None) -> Array:
    """`mean_selective_risk` for items of fractional weight: a row per replicate.

    Harmonic numbers are continued by the digamma function, H(x) = ψ(x + 1) + γ, so that whole
    weights give what copies of the items would.
    """
    ends = np.cumsum(items, axis=-1)
    answered = ends[..., -1]
    limit = answered if upto is None else upto
    starts, before = ends - items, np.cumsum(loss, axis=-1) - loss
    rise = _digamma(ends)
    at_start = np.concatenate([np.full((len(ends), 1), -np.euler_gamma), rise[:, :-1]], axis=1)
    last = ends
    if upto is not None:
        last = np.clip(upto[:, None], starts, ends)
        rise = np.clip(_digamma(upto[:, None]), at_start, rise)  # ψ is increasing
    rise -= at_start
    inner = (last - starts) - starts * rise
    total = (before * rise + loss / _no_zero(items) * inner).sum(axis=-1)
    with np.errstate(invalid="ignore"):
        return _nan_below(total / limit, upto, answered)


def _digamma(x: Array) -> Array:
    """ψ(x + 1), with x increasing along rows; from 8 on by a series with an error below 1e-8."""
    from scipy.special import psi  # noqa: PLC0415  loaded when first needed

    few = int((x.min(axis=0) < _SMALL).sum())
    large = x[:, few:] + 0.5
    inverse = 1.0 / (large * large)
    series = np.log(large) + inverse * (1 / 24 - inverse * (7 / 960))
    return np.concatenate([psi(x[:, :few] + 1.0), series], axis=1)


def _no_zero(items: Numbers) -> Numbers:
    """Divisors: 1 where there is no item, and so no loss."""
    return np.where(items > 0, items, 1)


def _mean_over_answered(items: Numbers, loss: Array, ends: Numbers, so_far: Array) -> Array:
    """`mean_selective_risk` over all answered items; only tied groups need harmonic numbers."""
    total = so_far / ends
    tied = np.flatnonzero(items > 1)
    count, end, lost = items[tied], ends[tied], loss[tied]
    rise = harmonic_rise(end - count, count)
    inner = count - (end - count) * rise
    total[tied] = (so_far[tied] - lost) * rise + lost / count * inner
    return np.asarray(total.sum() / ends[-1])


def _mean_of_replicates(items: Numbers, loss: Array, ends: Numbers, so_far: Array) -> Array:
    """`mean_selective_risk` over all answered items of many replicates, with few array passes."""
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
    """Mean over coverages of the generalized risk, cumulative loss / total items, by trapezoids.

    Expected loss grows linearly within a tied group, so the trapezoids are exact.
    """
    ends = np.cumsum(items, axis=-1)
    answered = ends[..., -1]
    starts, before = ends - items, np.cumsum(loss, axis=-1) - loss
    limit = answered if upto is None else upto
    width = np.minimum(np.maximum(np.asarray(limit)[..., None] - starts, 0), items)
    per_item = loss / _no_zero(items)
    area = (width * (before + 0.5 * width * per_item)).sum(axis=-1)
    with np.errstate(invalid="ignore"):
        mean = area / (limit * np.asarray(total))
    return _nan_below(mean, upto, answered)


def risk_at(items: Numbers, loss: Array, upto: Array) -> Array:
    """Risk of the `upto` most confident items; nan if fewer were answered."""
    ends, so_far = np.cumsum(items, axis=-1), np.cumsum(loss, axis=-1)
    group = np.minimum((ends < upto[..., None]).sum(axis=-1), items.shape[-1] - 1)
    end, lost, tied, added = (
        np.take_along_axis(part, group[..., None], axis=-1)[..., 0]
        for part in (ends, so_far, items, loss)
    )
    missing = (end - upto) / _no_zero(tied) * added
    return _nan_below((lost - missing) / upto, upto, ends[..., -1])


def risks_at(items: Numbers, loss: Array, upto: Array) -> Array:
    """Risks of the most confident items at several sizes: a row per replicate.

    A size beyond the answered items is cut to their number.
    """
    ends, so_far = np.cumsum(items, axis=-1), np.cumsum(loss, axis=-1)
    upto = np.minimum(np.ceil(upto), ends[:, -1:])
    group = np.stack([np.searchsorted(*row) for row in zip(ends, upto, strict=True)])
    end, lost, tied, added = (
        np.take_along_axis(part, group, axis=-1) for part in (ends, so_far, items, loss)
    )
    with np.errstate(invalid="ignore"):
        return (lost - (end - upto) / np.maximum(tied, 1) * added) / upto


def highest_allowed(risk: float) -> float:
    """A risk, and what rounding may add to it."""
    return risk + _EQUAL * abs(risk)


def coverage_at(items: Numbers, loss: Array, total: Numbers, risk: float) -> Array:
    """Largest coverage of a threshold whose selective risk is at most `risk`."""
    ends = np.cumsum(items, axis=-1)
    with np.errstate(invalid="ignore"):
        fine = np.cumsum(loss, axis=-1) / ends <= highest_allowed(risk)
    return np.where(fine, ends, 0).max(axis=-1) / np.asarray(total)


def most_coverage_at(
    right: Array, wrong: Array, mixed: NDArray[np.bool_], total: Numbers, risk: float
) -> float:
    """Upper bound of `coverage_at` over all orders within the `mixed` groups.

    In the best order correct answers come first and a threshold may follow any item, so a group
    extends into its wrong answers as far as the risk allows.
    """
    limit = highest_allowed(risk)
    lost = np.cumsum(wrong) - wrong
    fine = np.cumsum(right + wrong) - wrong
    allowed = (limit * fine - lost) / (1.0 - limit) if limit < 1.0 else np.full(fine.shape, np.inf)
    inside = np.where(mixed & (allowed >= 0), fine + np.minimum(allowed, wrong), 0.0)
    between = coverage_at(right + wrong, wrong, total, risk)
    return max(float(between), float(inside.max()) / float(total))


def harmonic_rise(start: Numbers, count: Numbers) -> Array:
    """1/(start + 1) + … + 1/(start + count), accurate for large `start` and small `count`."""
    small = _harmonic(_SERIES_FROM)
    start, count = start.astype(float), count.astype(float)
    x = np.maximum(start, _SERIES_FROM) + 0.5
    y = np.maximum(start + count, _SERIES_FROM) + 0.5
    # ψ(x + ½) = log x + 1/24x² − 7/960x⁴ + 31/8064x⁶ − …, with each difference in closed form
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
    """`harmonic_rise` for replicates, from a table: twelve digits suffice for them."""
    table = _harmonic_upto(ends)
    if table is None:
        return harmonic_rise(starts, whole)
    return table[(starts + whole).astype(np.intp)] - table[starts.astype(np.intp)]


def _harmonic_upto(ends: Numbers) -> Array | None:
    """Table of harmonic numbers up to the next power of two, or None if it would be too long."""
    most = int(ends[..., -1].max())
    return None if most > _LONGEST else _harmonic(1 << most.bit_length())


@lru_cache(maxsize=4)
def _harmonic(most: int) -> Array:
    return np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, most + 1))])


def _within(starts: Numbers, items: Numbers, limit: Numbers) -> tuple[Numbers, Array | None]:
    """Number of items of each group within the limit: whole items, and a fraction of the next."""
    room = np.minimum(np.maximum(np.asarray(limit)[..., None] - starts, 0), items)
    if room.dtype.kind in "iu":
        return room, None
    whole = np.floor(room)
    part = room - whole
    return whole, part if part.any() else None


def _nan_below(value: Array, upto: Array | None, answered: Numbers) -> Array:
    """`value`, or nan where fewer than `upto` items were answered, or none."""
    most = answered if upto is None else upto
    within = most <= answered * (1 + SNAP)
    return np.where(within & (np.asarray(answered) > 0), value, np.nan)


def rounded_difference(first: Array, second: Array) -> Array:
    """Difference of two risks, 0 if it is within rounding error."""
    difference = np.asarray(first - second)
    scale = np.maximum(np.abs(first), np.abs(second))
    return np.where(np.abs(difference) <= _EQUAL * scale, 0.0, difference)


Point = tuple[float, float]


def selective_risks(loss: Array) -> Array:
    """Mean loss of the first 1, 2, … items."""
    return np.cumsum(loss) / np.arange(1, loss.size + 1)


def trapezoids(loss: Array, total: int) -> float:
    """Trapezoid area from the first point on; a single point spans its own coverage."""
    risks = selective_risks(loss)
    if risks.size == 1:
        return float(risks[0] / total)
    return float((risks[1:] + risks[:-1]).sum() / (2 * total))


def span_normalised(loss: Array) -> float:
    """Trapezoid area between the first and the last point, divided by their distance."""
    risks = selective_risks(loss)
    return float((risks[1:] + risks[:-1]).mean() / 2)


def generalized_span_normalised(loss: Array, total: int) -> float:
    """`span_normalised` of the generalized risk, cumulative loss / total items."""
    so_far = np.cumsum(loss) / total
    return float((so_far[1:] + so_far[:-1]).mean() / 2)


def logarithmic(items: Integers, loss: Array) -> float:
    """Mean loss with weights −log(1 − rank / (answered + 1)); the most confident ranks last.

    Items of equal confidence share the mean of their weights.
    """
    from scipy.special import gammaln  # noqa: PLC0415  loaded when first needed

    ends = np.cumsum(items)
    starts, answered = ends - items, ends[-1]
    # The i-th most confident has rank answered + 1 − i: 1 − rank/(answered + 1) = i/(answered + 1).
    logs = np.where(
        items == 1,
        np.log(ends),
        (gammaln(ends + 1.0) - gammaln(starts + 1.0)) / items,
    )
    return float(loss @ (np.log(answered + 1.0) - logs) / answered)


def plateaus(items: Integers, loss: Array, total: int) -> float:
    """Trapezoid area between the ends of tied groups, constant before the first end."""
    ends = np.cumsum(items)
    return _under(ends / total, np.cumsum(loss) / ends)


def least_plateaus(items: Integers, loss: Array, total: int) -> float:
    """Least `plateaus` area over all rankings of these losses, ties included.

    A tie replaces the points between its ends by a straight line, so the best ranking keeps only
    the corners of the lower convex hull.
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
