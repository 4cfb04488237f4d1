"""Multiple choice by log-likelihood: the chosen answer and its confidence."""

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from errbar.data.readers.documents import number_or_none


def choice_likelihoods(values: Any) -> list[float] | None:
    """Log-likelihoods of the choices, if there are several."""
    if not isinstance(values, list) or len(values) < 2:
        return None
    numbers = [number_or_none(value) for value in values]
    return [number for number in numbers if number is not None] if None not in numbers else None


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
