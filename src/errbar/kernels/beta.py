"""Moments of credit under Beta posteriors, one number per state (trials, correct).

Given a question's success rate p, k new trials earn an expected credit g(p). Its mean is an
average over draws from the urn. Its variance is never a difference of two large numbers:

- powers of p or of 1 − p have products whose logarithms only grow;
- for any credit that rises with the number right, let J be the number right in k new trials and
  h(t) the mean credit of a further k after J = t. Then Var g = Cov(credit(J), h(J)), and by
  Hoeffding's identity this is a sum over pairs of rises, credit at i and h at t, of
  P(J ≤ min(i, t)) · P(J > max(i, t)): positive terms only. The rise of h is itself an expectation
  of the rises of credit, after one more right and one more wrong trial.

Variances are returned as logarithms: a standard deviation of 1e-200 is as exact as one of 0.1.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from errbar.kernels.urn import BACK, Array, band, blocks, hits, log_mass, misses

Gains = Array  # gains[i] is what the credit rises by from i to i + 1 right, i = 0…k−1
_TINY = 1e-290  # below this a running product has lost digits, and its terms no longer matter


def chance_of_one(a: Array, b: Array, ks: list[int]) -> Array:
    """Mean of 1 − (1 − p)^k: a row per k, a column per state."""
    return np.concatenate(
        [hits(a[r], b[r], BACK, max(ks))[:, np.subtract(ks, 1)].T for r in blocks(a.size, max(ks))],
        axis=1,
    )


def chance_of_all(a: Array, b: Array, ks: list[int]) -> Array:
    """Mean of p^k."""
    return np.concatenate(
        [misses(b[r], a[r], BACK, max(ks))[:, ks].T for r in blocks(a.size, max(ks))], axis=1
    )


def log_mean_power(a: Array, b: Array, ks: list[int]) -> Array:
    """Log of the mean of p^k, where the mean itself may be too small for a float."""
    return _sums_to(ks, a, b, lambda a, b, i: np.log((a + i) / (a + b + i)))


def log_var_power(a: Array, b: Array, ks: list[int]) -> Array:
    """Log variance of p^k; with `a` and `b` exchanged, of 1 − (1 − p)^k."""
    excess = _sums_to(ks, a, b, _log_growth)
    return 2 * log_mean_power(a, b, ks) + excess + np.log(-np.expm1(-excess))


def log_cov_one_all(a: Array, b: Array, ks: list[int]) -> Array:
    """Log covariance of 1 − (1 − p)^k and p^k."""
    deficit = _sums_to(ks, a, b, _log_decline)
    both = log_mean_power(a, b, ks) + log_mean_power(b, a, ks)
    return both + np.log(-np.expm1(-deficit))


def _log_growth(a: Array, b: Array, i: Array) -> Array:
    """Log of how E p^2k / (E p^k)² grows from k = i to i + 1."""
    right, total = a + i, a + b + i
    spread = (2 * i + 1) * total + i * (i + 1) * (1 + total / right)
    return np.log1p((b / right) * spread / ((total + i) * (total + i + 1)))


def _log_decline(a: Array, b: Array, i: Array) -> Array:
    """Log of how E p^k · E (1 − p)^k / E p^k (1 − p)^k grows from k = i to i + 1."""
    total = a + b
    return np.log1p((total * (2 * i + 1) + i * (3 * i + 2)) / np.square(total + i))


def log_var_area(a: Array, b: Array, ks: list[int]) -> Array:
    """Log variance of the trapezoid area under 1 − (1 − p)^j, j = 1…k, over its width."""
    most = max(ks)
    out = np.empty((len(ks), a.size))
    for r in blocks(a.size, 2 * most):
        right, total = a[r, None], (a[r] + b[r])[:, None]
        i = np.arange(most)
        all_wrong = misses(a[r], b[r], BACK, most)[:, 1:]
        after_both = misses(a[r] + 1, b[r] + 1, BACK, 2 * most)
        shift = right / ((total + i) * (total + i + 1))
        usable = after_both[:, :most] > _TINY
        shift = np.divide(shift, after_both[:, :most], out=np.zeros_like(shift), where=usable)
        for row, k in enumerate(ks):
            if k == 1:
                out[row, r] = np.log(all_wrong[:, 0] * shift[:, 0])
                continue
            rise = np.cumsum(shift[:, :k] * _window_sums(after_both, k), axis=1)
            trapezoid = np.full(k, 2.0)
            trapezoid[[0, -1]] = 1.0
            out[row, r] = np.log((all_wrong[:, :k] * rise) @ trapezoid) - 2 * np.log(2.0 * (k - 1))
    return out


def _window_sums(terms: Array, k: int) -> Array:
    """Σ c_j j terms[i + j − 1] for i = 0…k−1, with c = 1, 2, 2 … 2, 1 over j = 1…k."""
    here, after = terms[:, : 2 * k - 2], terms[:, 1 : 2 * k - 1]
    _, ramp = _windows(here + after, k - 1)
    flat, _ = _windows(after, k - 1)
    return flat + ramp


def _windows(terms: Array, width: int) -> tuple[Array, Array]:
    """Σ terms[i + e] and Σ (e + 1) terms[i + e] over e < width, for i = 0…width.

    Each window is a sum back from column `width` and a sum on from there: nothing is added that
    must be taken away again.
    """
    head, ramp, tail, climb = np.zeros((4, len(terms), width + 1))
    np.cumsum(terms[:, width - 1 :: -1], axis=1, out=head[:, width - 1 :: -1])
    np.cumsum(head[:, ::-1], axis=1, out=ramp[:, ::-1])
    np.cumsum(terms[:, width:], axis=1, out=tail[:, 1:])
    np.cumsum(terms[:, width:] * np.arange(1, width + 1), axis=1, out=climb[:, 1:])
    return head + tail, ramp + climb + np.arange(width, -1, -1) * tail


def credit_moments(
    trials: NDArray[np.int64], correct: NDArray[np.int64], prior: tuple[float, float], gains: Gains
) -> tuple[Array, Array]:
    """Log mean and log variance of the credit with these gains."""
    log_mean, log_var = np.empty(trials.size), np.empty(trials.size)
    for alike in _same_trials(trials):
        log_mean[alike], log_var[alike] = _covariance(
            int(trials[alike[0]]), correct[alike], prior, gains, gains
        )
    return log_mean, log_var


def log_credit_cov(
    trials: NDArray[np.int64],
    correct: NDArray[np.int64],
    prior: tuple[float, float],
    gains: Gains,
    others: Gains,
) -> Array:
    """Log covariance of two credits for the same number of draws."""
    log_cov = np.empty(trials.size)
    for alike in _same_trials(trials):
        _, log_cov[alike] = _covariance(
            int(trials[alike[0]]), correct[alike], prior, gains, others
        )
    return log_cov


def _same_trials(trials: NDArray[np.int64]) -> list[NDArray[np.intp]]:
    order = np.argsort(trials, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(trials[order])) + 1)


def _covariance(
    trials: int, correct: NDArray[np.int64], prior: tuple[float, float], gains: Gains, others: Gains
) -> tuple[Array, Array]:
    """Log mean of the credit with `gains` and its log covariance with that of `others`."""
    k = gains.size
    first, last = _support(gains)
    if first > last or not others.any():
        never = np.full(correct.size, -np.inf)
        return never, never
    low = int(correct.min())
    rises = _log_rises(trials, low, int(correct.max()), prior, others)
    windows = np.lib.stride_tricks.sliding_window_view(rises, k)
    log_mean, log_cov = np.empty(correct.size), np.empty(correct.size)
    gain = gains[first : last + 1]
    for r in blocks(correct.size, 3 * k):
        a = prior[0] + correct[r]
        b = prior[1] + trials - correct[r]
        log_rise = windows[correct[r] - low]
        scale = log_rise.max(axis=1)
        rise = np.exp(log_rise - scale[:, None])

        anchor, masses = band(a, b, BACK, k, 0, last)
        at_most = np.cumsum(masses, axis=1)  # P(J ≤ t), t = 0…last
        scale_low = log_mass(anchor, k, a, b)
        anchor, masses = band(a, b, BACK, k, first + 1, k)
        above = np.cumsum(masses[:, ::-1], axis=1)[:, ::-1]  # P(J > t), t = first…k−1
        scale_high = log_mass(anchor, k, a, b)

        below = np.cumsum(rise[:, : last + 1] * at_most, axis=1)[:, first:]
        beyond = np.zeros_like(above)
        beyond[:, :-1] = np.cumsum((rise[:, first + 1 :] * above[:, 1:])[:, ::-1], axis=1)[:, ::-1]
        wide = last + 1 - first
        pairs = above[:, :wide] * below + at_most[:, first:] * beyond[:, :wide]
        log_cov[r] = scale + scale_low + scale_high + np.log(pairs @ gain)
        log_mean[r] = scale_high + np.log(above[:, :wide] @ gain)
    return np.minimum(log_mean, np.log(gain.sum())), log_cov


def _log_rises(
    trials: int, low: int, high: int, prior: tuple[float, float], gains: Gains
) -> Array:
    """Log of h(t + 1) − h(t), for x = correct + t from `low` to `high + k − 1`.

    It depends on correct + t alone, so the states of all questions share one row of numbers.
    """
    k = gains.size
    first, last = _support(gains)
    gain = gains[first : last + 1]
    x = np.arange(low, high + k, dtype=float)
    a, b = prior[0] + x + 1.0, prior[1] + trials + k - x
    out = np.empty(x.size)
    for r in blocks(x.size, gain.size):
        anchor, masses = band(a[r], b[r], BACK, k - 1, first, last)
        out[r] = log_mass(anchor, k - 1, a[r], b[r]) + np.log(masses @ gain)
    result: Array = out + np.log(k / (sum(prior) + trials + k))
    return result


def _support(gains: Gains) -> tuple[int, int]:
    """First and last number right at which the credit rises; (0, −1) when it never does."""
    rising = np.flatnonzero(gains)
    return (int(rising[0]), int(rising[-1])) if rising.size else (0, -1)


def _sums_to(
    ks: list[int], a: Array, b: Array, term: Callable[[Array, Array, Array], Array]
) -> Array:
    """Σ term(a, b, i) over i < k: a row per k, pairwise between two ks, extended across them."""
    order = np.unique(ks)
    steps = np.arange(order[-1], dtype=float)
    starts = np.concatenate([[0], order[:-1]])
    out = np.empty((order.size, a.size))
    for r in blocks(a.size, steps.size):
        parts = np.add.reduceat(term(a[r, None], b[r, None], steps), starts, axis=1)
        out[:, r] = np.cumsum(parts, axis=1, dtype=np.longdouble).T
    return out[np.searchsorted(order, ks)]
