"""Trials of a system on a question that are more alike than the model of Rasch says.

Systems differ in what they find hard, beyond one ability each. Then trials of one system on one
question go together, and n of them count as n / (1 + (n - 1) ρ) (Williams 1982).
"""

from typing import NamedTuple

import numpy as np

from errbar.base.arrays import Array, Integers
from errbar.kernels.item_response import ItemFit, fit


class AlikeTrials(NamedTuple):
    """A fit in which trials that are more alike than the model says count less."""

    fit: ItemFit
    alikeness: float
    design: Array  # by which counts are divided


def fit_alike(right: Array, trials: Array, clusters: Integers) -> AlikeTrials:
    """Fit the model of Rasch twice: as if trials were independent, and by their design effect."""
    once = fit(right, trials, clusters)
    alike = alikeness(right, trials, once.expected)
    design = 1.0 + alike * np.maximum(trials - 1.0, 0.0)
    return AlikeTrials(
        fit(right / design, trials / design, clusters) if alike else once, alike, design
    )


def alikeness(right: Array, trials: Array, expected: Array) -> float:
    """Correlation of the trials of one system on one question beyond the model (Williams 1982).

    From the squares of residuals: the variance of n trials is n p (1 − p) (1 + (n − 1) ρ).
    """
    variance = trials * expected * (1.0 - expected)
    excess = float((np.square(right - trials * expected) - variance).sum())
    room = float((variance * np.maximum(trials - 1.0, 0.0)).sum())
    return min(max(excess / room, 0.0), 1.0) if room > 0.0 else 0.0
