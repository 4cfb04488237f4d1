"""Posterior mean and variance of credit under a Beta prior, per state (trials, correct).

If a question has success rate p, k new trials earn an expected credit g(p). Its posterior mean is
an average over beta-binomial draws (`kernels.urn`). Its variance is computed without subtracting
large numbers from each other:

- for powers of p or of 1 − p, as a product whose logarithm is a sum of positive terms;
- for any credit that is nondecreasing in the number of correct trials, from Hoeffding's covariance
  identity (Hoeffding 1940). Let J be the number correct in k new trials and h(t) the expected
  credit of a further k trials given J = t. Then Var g = Cov(credit(J), h(J)) is a sum over pairs
  of increments, of the credit at i and of h at t, weighted by P(J ≤ min(i, t)) · P(J > max(i, t)):
  every term is positive. An increment of h is itself an expected increment of the credit, after
  one more correct and one more wrong trial.

Variances are returned as logarithms: a standard deviation of 1e-200 is as exact as one of 0.1.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator

import numpy as np

from errbar.base.arrays import Array, Integers
from errbar.kernels.urn import BACK, all_wrong, band, blocks, log_scale, one_right, same_size

Gains = Array  # gains[i] is the increment of the credit from i to i + 1 correct, i = 0…k−1
_LONGEST_ROW = 4096  # longest shared row of masses that is cheaper than one row per state
_SHORT_SUM = 128  # terms summed directly; longer sums are split, to limit rounding
_EXP_RANGE = 600.0  # logs within this range exponentiate without overflow or underflow
_DEEP = 1e-100  # tails below this are rescaled, so that products of two do not underflow
_TINY = 1e-250  # products below this are near underflow, and their terms are negligible


def chance_of_one(a: Array, b: Array, ks: list[int]) -> Array:
    """Posterior mean of 1 − (1 − p)^k: a row per k, a column per state."""
    return one_right(a, b, BACK, ks)


def chance_of_all(a: Array, b: Array, ks: list[int]) -> Array:
    """Posterior mean of p^k: a row per k, a column per state."""
    return all_wrong(b, a, BACK, ks)


def log_power_moments(a: Array, b: Array, ks: list[int]) -> tuple[Array, Array]:
    """Log mean and log variance of p^k; the variance of 1 − p^k is the same."""
    growth = _log_growth if len(ks) > 1 else _log_growth_to(ks[0])
    log_mean, excess = _sums_to(ks, a, b, _log_rate, growth)
    return log_mean, 2 * log_mean + excess + np.log(-np.expm1(-excess))


def log_cov_one_all(log_one: Array, log_all: Array, a: Array, b: Array, ks: list[int]) -> Array:
    """Log covariance of 1 − (1 − p)^k and p^k, given the log means of (1 − p)^k and p^k."""
    (deficit,) = _sums_to(ks, a, b, _log_decline)
    return log_one + log_all + np.log(-np.expm1(-deficit))


def log_var_above(at_most: Array, above: Array, ks: list[int]) -> Array:
    """Log posterior variance of the chance that the best of k draws exceeds a level."""
    return log_power_moments(at_most, above, ks)[1]


def log_cov_above(lower: Array, between: Array, above: Array, ks: list[int]) -> Array:
    """Log posterior covariance of the chances to exceed two levels."""
    share = log_power_moments(lower, between, ks)[0]
    return share + log_var_above(lower + between, above, ks)


def _log_rate(a: Array, b: Array, i: Array) -> Array:
    """Log of E p^(i + 1) / E p^i."""
    right = a + i
    return np.log(right / (right + b))


def _log_growth(a: Array, b: Array, i: Array) -> Array:
    """Log of the factor by which E p^2k / (E p^k)² grows from k = i to i + 1."""
    right, total = a + i, (a + b) + i
    spread = (2 * i + 1) * total + (i * (i + 1)) * (1 + total / right)
    further = total + i
    return np.log1p((b * spread) / (right * further * (further + 1)))


def _log_growth_to(k: int) -> Callable[[Array, Array, Array], Array]:
    """Log factors of E p^2k / (E p^k)² for a single k, which are cheaper to compute."""

    def factor(a: Array, b: Array, i: Array) -> Array:
        right = a + i
        return np.log1p((k * b) / (right * (right + (b + k))))

    return factor


def _log_decline(a: Array, b: Array, i: Array) -> Array:
    """Log of the factor by which E p^k · E (1 − p)^k / E p^k (1 − p)^k grows from i to i + 1."""
    total = a + b
    return np.log1p((total * (2 * i + 1) + i * (3 * i + 2)) / np.square(total + i))


def log_var_area(a: Array, b: Array, ks: list[int]) -> Array:
    """Log variance of the trapezoid area under 1 − (1 − p)^j, j = 1…k, divided by its width.

    With q = 1 − p this is the variance of Σ c_j q^j. Cov(q^j, q^l) equals E q^j times the increase
    of E q^l after j further wrong trials; the i-th of them adds
    a / ((a+b+i)(a+b+i+1)) · l · E q^(l−1), taken after i + 1 wrong trials and one correct.
    """
    most = max(ks)
    out = np.empty((len(ks), a.size))
    upto = np.arange(2.0 * most)[:, None]
    for r in blocks(a.size, 2 * most):
        right, total = a[r], a[r] + b[r]
        further = total + upto[: most + 1]
        wrong = np.multiply.accumulate((b[r] + upto[:most]) / further[:-1], axis=0)
        after = np.ones((2 * most + 1, right.size))
        np.multiply.accumulate((b[r] + 1 + upto) / (total + 2 + upto), axis=0, out=after[1:])
        raised = right / (further[:-1] * further[1:] * np.maximum(after[:most], _TINY))
        for k, rises in _area_rises(after, sorted(set(ks))):
            if k == 1:
                log_var = log_power_moments(b[r], right, [1])[1][0]  # as for Pass@1, to the bit
            else:
                both = 2.0 * wrong[:k]
                both[:: k - 1] = wrong[: k : k - 1]
                beyond = np.add.accumulate(both[::-1], axis=0)[::-1]
                variance = np.einsum("in,in,in->n", raised[:k], rises[:k], beyond)
                log_var = np.log(variance) - 2 * math.log(2.0 * (k - 1))
            out[np.equal(ks, k), r] = log_var
    return out


def _area_rises(after: Array, ks: list[int]) -> Iterator[tuple[int, Array]]:
    """Yield each k with Σ c_l l after[i + l − 1] over l = 1…k, for i < k."""
    rises, reached, most = np.zeros((0, 0)), 1, ks[-1]
    for k in ks:
        if k <= _SHORT_SUM and k - reached > 1:
            weights = np.zeros(3 * k - 2)
            weights[k - 1 : 2 * k - 1] = np.arange(2.0, 2 * k + 2, 2)
            weights[k - 1 : 2 * k - 1 : k - 1] /= 2.0
            places = np.arange(2 * k - 1) - np.arange(1 - k, 1)[:, None]
            yield k, weights.take(places) @ after[: 2 * k - 1]
            continue
        if not rises.size:
            rises = np.zeros((most, after.shape[1]))
        if k > 1:
            flat, ramp = _windows(after[reached - 1 : -1] + after[reached:], k - reached, most)
            rises += ramp + (reached - 1) * flat
            rises += _windows(after[reached:], k - reached, most)[0]
        reached = k
        yield k, rises


def _windows(terms: Array, width: int, count: int) -> tuple[Array, Array]:
    """Σ terms[i + e] and Σ (e + 1) terms[i + e] over e < width, for i < count.

    The rows are cut into blocks of `width`, so that a window is the end of one block and the
    beginning of the next, and no running sum has to be subtracted again.
    """
    if width == 1:
        return terms[:count], terms[:count]
    states = terms.shape[1]
    pieces = -(-count // width)
    cut = np.zeros((pieces + 1, width, states))
    filled = min(len(terms), (pieces + 1) * width)
    cut.reshape(-1, states)[:filled] = terms[:filled]
    ends = np.cumsum(cut[:-1, ::-1], axis=1)
    ramps = np.cumsum(ends, axis=1)[:, ::-1]
    starts, climbs = np.zeros((2, pieces, width, states))
    place = np.arange(1.0, width)[:, None]
    np.cumsum(cut[1:, :-1], axis=1, out=starts[:, 1:])
    np.cumsum(cut[1:, :-1] * place, axis=1, out=climbs[:, 1:])
    flat = ends[:, ::-1] + starts
    ramp = ramps + climbs + np.arange(width, 0, -1)[:, None] * starts
    return flat.reshape(-1, states)[:count], ramp.reshape(-1, states)[:count]


def credit_moments(
    trials: Integers,
    correct: Integers,
    prior: tuple[float, float],
    gains: Gains,
    *others: Gains,
) -> Array:
    """Log mean and log variance of the credit with these gains, as two rows.

    Each of the `others` adds two rows: its log mean, and its log covariance with the first.
    """
    kinds = (gains, *others)
    out = np.empty((2 * len(kinds), trials.size))
    for size, alike in same_size(trials):
        out[:, alike] = _covariances(size, correct[alike], prior, kinds)
    return out


def _covariances(
    trials: int, correct: Integers, prior: tuple[float, float], kinds: tuple[Gains, ...]
) -> Array:
    """Log mean of each credit, and its log covariance with the first credit."""
    k = kinds[0].size
    out = np.full((2 * len(kinds), correct.size), -np.inf)
    supports = [_support(gains) for gains in kinds]
    if supports[0][0] > supports[0][1]:
        return out
    reached = _reached_counts(correct, k)
    rises = _log_rises(trials, reached, prior, kinds[0], supports[0])
    for r in blocks(correct.size, 3 * k):
        a, b = prior[0] + correct[r], (prior[1] + trials) - correct[r]
        rise, scale = _windows_of_exp(rises, np.searchsorted(reached, correct[r]), k)
        masses = band(a, b, BACK, k, 0, k)
        masses /= np.add.reduce(masses, axis=0)
        for kind, (gains, (first, last)) in enumerate(zip(kinds, supports, strict=True)):
            if first > last:
                continue
            gain = gains[first : last + 1]
            at_most, above, scale_low, scale_high = _tails(masses, a, b, k, first, last)
            pairs = _pairs(rise, at_most, above, first, last)
            with np.errstate(divide="ignore"):  # a zero here means less than 1e-600
                logs = np.log([gain @ above[: gain.size], gain @ pairs])
            out[2 * kind, r] = np.minimum(logs[0] + scale_high, math.log(gain.sum()))
            out[2 * kind + 1, r] = logs[1] + (scale + scale_low + scale_high)
    return out


def _pairs(rise: Array, at_most: Array, above: Array, first: int, last: int) -> Array:
    """Σ rise[t] · P(J ≤ min(i, t)) · P(J > max(i, t)) over all t, for i = first…last."""
    below = np.add.accumulate(rise[: last + 1] * at_most, axis=0)[first:]
    pairs = above[: last - first + 1] * below
    if len(above) > 1:
        beyond = np.add.accumulate((rise[first + 1 :] * above[1:])[::-1], axis=0)[::-1]
        beyond = beyond[: len(pairs)]
        pairs[: len(beyond)] += at_most[first : first + len(beyond)] * beyond
    return pairs


def _tails(
    masses: Array, a: Array, b: Array, k: int, first: int, last: int
) -> tuple[Array, Array, Array | float, Array | float]:
    """P(J ≤ t), t = 0…last, and P(J > t), t = first…k−1, with the logs of their scale factors."""
    at_most = np.add.accumulate(masses[: last + 1], axis=0)
    above = np.add.accumulate(masses[:first:-1], axis=0)[::-1]
    if min(at_most[-1].min(), above[0].min()) >= _DEEP:
        return at_most, above, 0.0, 0.0
    scale_low, scale_high = np.zeros((2, a.size))
    deep = np.minimum(at_most[-1], above[0]) < _DEEP
    low, scale_low[deep] = _scaled_band(a[deep], b[deep], k, 0, last)
    high, scale_high[deep] = _scaled_band(a[deep], b[deep], k, first + 1, k)
    at_most[:, deep] = np.add.accumulate(low, axis=0)
    above[:, deep] = np.add.accumulate(high[::-1], axis=0)[::-1]
    return at_most, above, scale_low, scale_high


def _scaled_band(a: Array, b: Array, k: int, first: int, last: int) -> tuple[Array, Array]:
    """Masses divided by the largest of them, and the log of that divisor."""
    masses = band(a, b, BACK, k, first, last)
    masses /= masses.max(axis=0)
    return masses, log_scale(masses, first, k, a, b)


def _windows_of_exp(logs: Array, starts: Integers, width: int) -> tuple[Array, Array]:
    """exp(logs[start : start + width]) for each start, with the log of its scale factor."""
    places = np.arange(width)[:, None] + starts
    top = logs.max()
    if logs.min() > top - _EXP_RANGE:
        columns = np.exp(logs - top).take(places)
        scale = columns.max(axis=0)
        return columns / scale, top + np.log(scale)
    columns = logs.take(places)
    scale = columns.max(axis=0)
    return np.exp(columns - scale), scale


def _reached_counts(correct: Integers, k: int) -> Integers:
    """Every correct + t, t < k, in order; as one contiguous range where that costs little more."""
    low, high = int(correct.min()), int(correct.max())
    if high - low <= 4 * k * correct.size:
        return np.arange(low, high + k)
    return np.unique(correct[:, None] + np.arange(k))


def _log_rises(
    trials: int,
    reached: Integers,
    prior: tuple[float, float],
    gains: Gains,
    support: tuple[int, int],
) -> Array:
    """Log of h(t + 1) − h(t) for each value `reached` by correct + t.

    It depends on correct + t only, so all questions share one row of numbers.
    """
    k = gains.size
    size = prior[0] + prior[1] + trials + k
    quick = _mean_gains_by_exchange(reached, prior[0], size, gains, support)
    if quick is not None and quick.min() > _TINY:
        return np.log(quick * (k / size))
    x = reached.astype(float)
    a, b = prior[0] + x + 1.0, prior[1] + trials + k - x
    if quick is None:
        quick = np.zeros(x.size)
    with np.errstate(divide="ignore"):
        log_mean = np.log(quick)
    remaining = np.flatnonzero(quick <= _TINY)
    for r in blocks(remaining.size, k):
        log_mean[remaining[r]] = _log_mean_gain(a[remaining[r]], b[remaining[r]], gains, support)
    return log_mean + math.log(k / size)


def _log_mean_gain(a: Array, b: Array, gains: Gains, support: tuple[int, int]) -> Array:
    """Log of the expected gain from one more correct draw, given k − 1 other draws."""
    others = gains.size - 1
    first, last = support
    gain = gains[first : last + 1]
    if 2 * gain.size >= gains.size:
        masses = band(a, b, BACK, others, 0, others)
        mean = (gain @ masses[first : last + 1]) / np.add.reduce(masses, axis=0)
        if mean.min() > _TINY:
            return np.log(mean)
    masses = band(a, b, BACK, others, first, last)
    return log_scale(masses, first, others, a, b) + np.log(gain @ masses)


def _mean_gains_by_exchange(
    reached: Integers,
    right: float,
    size: float,
    gains: Gains,
    support: tuple[int, int],
) -> Array | None:
    """Mean gains for a credit with a single gain, or with equal gains from a threshold on.

    Trials and draws are exchanged: each further correct trial among `size + 1` raises the chance
    of reaching the threshold by the chance that so many trials precede the draw that reaches it.
    One row of masses then serves every state. Returns None if the shortcut does not apply.
    """
    first, last = support
    k, gain = gains.size, gains[last]
    if first < last and (last < k - 1 or not (gains[first:] == gain).all()):
        return None
    if last - first == k - 1:
        return np.full(reached.size, gain)
    if not (right.is_integer() and size.is_integer() and size <= _LONGEST_ROW + 2 * reached.size):
        return None
    draws = int(size)
    places = reached + int(right)
    if first == last:
        masses = band(np.array([first + 1]), np.array([k - first]), BACK, draws - 1, 0, draws - 1)
        return (gain * size / k / masses.sum()) * masses[places, 0]
    masses = band(np.array([first]), np.array([k - first]), BACK, draws, 0, draws)
    so_far = np.add.accumulate(masses[:, 0])
    return (gain / so_far[-1]) * so_far[places]


def _support(gains: Gains) -> tuple[int, int]:
    """First and last number correct at which the credit increases; (0, −1) if it never does."""
    rising = np.flatnonzero(gains)
    return (int(rising[0]), int(rising[-1])) if rising.size else (0, -1)


def _sums_to(
    ks: list[int], a: Array, b: Array, *terms: Callable[[Array, Array, Array], Array]
) -> Array:
    """Σ term(a, b, i) over i < k: an array of terms × k × states.

    Blocks are summed first and then added up, so that ten thousand terms lose no digit.
    """
    most = max(ks)
    if len(ks) == 1 and most <= _SHORT_SUM and len(blocks(a.size, most)) == 1:
        steps = np.arange(most, dtype=float)[:, None]
        return np.array([[np.add.reduce(term(a, b, steps), axis=0)] for term in terms])
    cuts = sorted({*range(0, most, _SHORT_SUM), *ks} - {most})
    ends = [bisect_left(cuts, k) - 1 for k in ks]
    steps = np.arange(most, dtype=float)[:, None]
    out = np.empty((len(terms), len(ks), a.size))
    for r in blocks(a.size, most):
        for number, term in enumerate(terms):
            parts = np.add.reduceat(term(a[r], b[r], steps), cuts, axis=0)
            if len(cuts) > 1:
                parts = np.cumsum(parts, axis=0, dtype=np.longdouble)
            out[number, :, r] = parts[ends]
    return out
