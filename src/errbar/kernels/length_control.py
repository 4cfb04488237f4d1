"""AlpacaEval's length-controlled preferences (Dubois, Galambosi, Liang and Hashimoto 2024).

The model of a preference is a logistic regression without intercept on three terms: tanh of the
difference of the lengths of both answers by its standard deviation, the difficulty of the
instruction, and 1 for a row of the system. The rows of two baselines that were told to answer at
length, or briefly ("gamed"), are fitted together with them, with a 0 for the third term and a
weight of 0.1: their answers are equally good, so they tell how much length alone gains. The
prediction for a difference of 0 is the length-controlled preference.

The number is defined by an estimator, not only by the model: an L1 penalty whose strength is the
best of ten by cross-validation over five groups of rows, and liblinear's search with a given seed.
So scikit-learn computes it, as in the package alpaca_eval 0.6.6; other estimators agree to three
digits only.
"""

from typing import NamedTuple

import numpy as np

from errbar.base.arrays import Array, Integers
from errbar.errors import MissingExtra

_GAMED_WEIGHT = 0.1  # λ = 0.2 for both gamed baselines together
_FOLDS, _SEED = 5, 123  # of the package
_LEAST = 1e-15  # keeps logarithms of predicted chances finite


class GamedRows(NamedTuple):
    """The rows of the gamed baselines, and the difficulties of all instructions."""

    preference: Array
    difference: Array  # of the lengths, by its standard deviation
    instruction: Integers  # its number
    difficulty: Array  # of each instruction


class LengthControlled(NamedTuple):
    """Preferences at equal lengths, and by how much they change without each row."""

    preference: Array  # predicted, of every row
    influence: Array  # change of their mean without each instruction, by one Newton step

    @property
    def rate(self) -> float:
        """The length-controlled win rate."""
        return float(self.preference.mean())

    @property
    def sd(self) -> float:
        """Its standard deviation over new instructions, by the jackknife."""
        n = self.influence.size
        apart = self.influence - self.influence.mean()
        return float(np.sqrt((n - 1) / n * (apart @ apart)))


def length_controlled(
    preference: Array, difference: Array, index: Integers, gamed: GamedRows
) -> LengthControlled:
    """Length-controlled preferences of a system; rows with a preference of nan are predicted only.

    `difference` is the length of the baseline's answer less that of the system's.
    """
    own, difficulty = np.tanh(difference / difference.std(ddof=1)), gamed.difficulty[index]
    ones, seen = np.ones(own.size), ~np.isnan(preference)
    others = gamed.difficulty[gamed.instruction]
    features = np.concatenate(
        [
            np.stack([np.tanh(gamed.difference), others, 0.0 * others], axis=1),
            np.stack([own, difficulty, ones], axis=1)[seen],
        ]
    )
    target = np.concatenate([gamed.preference, preference[seen]])
    weight = np.concatenate([np.full(others.size, _GAMED_WEIGHT), ones[seen]])
    slopes = _fit(features, target, weight)
    at_equal_length = np.stack([0.0 * ones, difficulty, ones], axis=1)
    predicted = _logistic(at_equal_length @ slopes)
    gradient = (predicted * (1.0 - predicted)) @ at_equal_length / own.size
    moved = _moves(features, target, weight, slopes) @ gradient
    instruction = np.concatenate([gamed.instruction, index[seen]])
    influence = np.bincount(instruction, moved, gamed.difficulty.size).astype(float)
    influence[index] += (predicted.mean() - predicted) / max(own.size - 1, 1)
    return LengthControlled(predicted, influence)


def _fit(features: Array, target: Array, weight: Array) -> Array:
    """Slopes of the package's estimator; a preference counts as a win and a loss by its share."""
    try:
        from sklearn import config_context  # noqa: PLC0415  an extra
        from sklearn.linear_model import LogisticRegressionCV  # noqa: PLC0415
        from sklearn.metrics import make_scorer  # noqa: PLC0415
        from sklearn.model_selection import GroupKFold  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtra(
            "length-controlled win rates need scikit-learn: pip install 'errbar[alpaca]'."
        ) from error

    rows = np.arange(target.size)
    chance = np.concatenate([target, 1.0 - target])
    twice = np.concatenate([weight, weight])
    with config_context(enable_metadata_routing=True):
        scorer = make_scorer(_log_likelihood, response_method="predict_proba")
        model = LogisticRegressionCV(
            cv=GroupKFold(n_splits=_FOLDS),
            scoring=scorer.set_score_request(chance=True, weight=True),
            random_state=_SEED,
            l1_ratios=(1.0,),
            solver="liblinear",
            fit_intercept=False,
            use_legacy_attributes=False,
        ).set_fit_request(sample_weight=True)
        model.fit(
            np.concatenate([features, features]),
            np.repeat([1, 0], target.size),
            sample_weight=chance * twice,
            groups=np.concatenate([rows, rows]),
            chance=chance,
            weight=twice,
        )
    slopes: Array = model.coef_[0]
    return slopes


def _log_likelihood(won: Array, predicted: Array, *, chance: Array, weight: Array) -> float:
    """Mean of the weighted log-likelihood of graded preferences, which are twice among the rows."""
    target = np.where(won == 1, chance, 1.0 - chance)
    p = np.clip(predicted, _LEAST, 1.0 - _LEAST)
    return float(np.mean(weight * (target * np.log(p) + (1.0 - target) * np.log(1.0 - p))))


def _moves(features: Array, target: Array, weight: Array, slopes: Array) -> Array:
    """Change of the slopes if a row is left out: one Newton step at a fixed penalty.

    A slope that the penalty has set to 0 stays there.
    """
    free = np.flatnonzero(slopes)
    moved = np.zeros(features.shape)
    own, p = features[:, free], _logistic(features @ slopes)
    curved = weight * p * (1.0 - p)
    inverse = np.linalg.pinv((own.T * curved) @ own)
    leverage = curved * np.einsum("ij,jk,ik->i", own, inverse, own)
    step = weight * (target - p) / np.maximum(1.0 - leverage, _LEAST)
    moved[:, free] = -(own * step[:, None]) @ inverse
    return moved


def _logistic(x: Array) -> Array:
    return np.exp(-np.logaddexp(0.0, -x))
