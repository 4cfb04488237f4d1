"""Subsets of questions that preserve the order of systems."""

import numpy as np

from errbar.kernels.leave_out import cross_validate


def test_a_predicted_score_is_a_rate_however_few_systems_set_the_line() -> None:
    """A line through four systems that hardly differ is steep: it leaves 0 to 1 for the fifth."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        rates = (rng.random((5, 30)) < np.linspace(0.4, 0.6, 5)[:, None]).astype(float)
        errors = cross_validate(rates, np.array([2, 5]), rng)
        full = rates.mean(axis=1)
        worst = np.maximum(full, 1.0 - full) ** 2
        assert (errors.squares <= worst + 1e-12).all()
