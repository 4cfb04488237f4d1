"""Multiple choice by log-likelihood: the chosen answer and its confidence."""

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np


def likeliest(likelihoods: Sequence[Sequence[float] | None]) -> dict[str, list[Any]]:
    """The choice with the largest log-likelihood, and its share of the probability."""
    answers: list[str | None] = [None] * len(likelihoods)
    shares: list[float | None] = [None] * len(likelihoods)
    by_size: dict[int, list[int]] = defaultdict(list)
    for at, likelihood in enumerate(likelihoods):
        if likelihood:
            by_size[len(likelihood)].append(at)
    for rows in by_size.values():
        values = np.array([likelihoods[at] for at in rows], dtype=float)
        with np.errstate(invalid="ignore"):
            share = 1 / np.exp(values - values.max(axis=1, keepdims=True)).sum(axis=1)
        best = values.argmax(axis=1).tolist()
        for at, answer, sure in zip(rows, best, share.tolist(), strict=True):
            answers[at] = str(answer)
            shares[at] = None if math.isnan(sure) else sure
    return {"answer": answers, "confidence": shares}


def are_graded(
    answers: Sequence[str | None], targets: Sequence[Any], outcomes: Sequence[float | None]
) -> bool:
    """Whether answers equal targets exactly where the harness counts them as right."""
    return all(
        (answer == target) == bool(outcome)
        for answer, target, outcome in zip(answers, map(str, targets), outcomes, strict=True)
        if answer is not None and outcome is not None and target.isdecimal()
    )
