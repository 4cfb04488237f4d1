"""Item response models: abilities of systems and difficulties of questions, from counts.

System s solves question q in a trial with the logit a_q (θ_s − b_q): θ is the ability, b the
difficulty, a the discrimination. In the model of Rasch (1960) every a is 1; in the two-parameter
model (Birnbaum 1968) its logarithm is normal around 0. Difficulties are a sample from a normal
distribution.

Abilities are estimated by marginal maximum likelihood (Bock and Lieberman 1970): the difficulty of
every question is integrated out on a grid, so that questions that all systems solve, or none, need
no infinite difficulty, and abilities are right however few systems there are. On a grid shared by
all questions the likelihood is one product of matrices. Newton's method uses the information after
the parameters of questions are eliminated; the last step has that of Louis (1982).

A system that solved everything, or nothing, has no finite ability: it gets the log-F(1, 1) prior of
Greenland and Mansournia (2015), which is half a success and half a failure at average difficulty.

The variance of abilities is that of the sandwich over clusters of questions, for which the model
need not be true, or the model's if that is larger: few questions that look alike, and a system that
solves all that another does, leave the sandwich next to nothing. Difficulties have their posterior
given the abilities (empirical Bayes), widened by what the abilities are uncertain (delta method).
If the outcomes do not show that difficulties differ, they do not show by how much.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.base.arrays import Array, Integers

_STEPS, _HALVINGS = 100, 30  # most Newton steps, and halvings of a step, to 1e-9 of its length
_CLOSE = 1e-7  # a Newton step that gains less likelihood than this ends the search
_REACH = 6.0  # standard deviations of the difficulties that the grid covers
_PER_SD = 0.5  # step of the grid, by the smallest posterior sd: quantiles are right to 1% of it
_PER_SD_OF_TWO = 1.0  # of a grid with discriminations: a sum over it is still right to 1e-8
_MOST_NODES = 4000  # of a grid: 30,000 trials of a question
_LOG_SLOPES = np.linspace(-4.0, 4.0, 25)  # grid of log discriminations, by their sd
_SPREADS = (0.05, 10.0)  # least and largest sd of difficulties: beyond, outcomes hardly change
_SLOPE_SPREADS = (0.02, 1.5)  # least and largest sd of log discriminations
_FAR = 1e-9  # posterior probability of nodes that the information leaves out
_AT_ONCE = 32  # questions whose information is added up in a product of matrices


@dataclass(frozen=True, kw_only=True)
class ItemFit:
    """A fitted model. Ability 0 is the mean of the systems that failed and solved something."""

    abilities: Array
    ability_sds: Array  # the larger of the sandwich's and of the model's
    separated: NDArray[np.bool_]  # systems that solved everything, or nothing
    mean: float  # mean of the difficulties
    spread: float
    slope_spread: float  # sd of log discriminations; 0 in the Rasch model
    difficulties: Array  # posterior means
    difficulty_sds: Array
    slopes: Array  # discriminations: exponentials of posterior means of their logarithms
    expected: Array  # posterior mean of the rate, systems × questions
    steepness: Array  # derivative of each rate by the ability of its system
    influence: Array  # influence of each question on the abilities: questions × systems
    response: Array  # derivatives of the abilities by the scores of a question
    grid: Array  # grid of difficulties, with the posterior of each question
    posterior: Array
    log_likelihood: float

    @property
    def is_flat(self) -> bool:
        """Whether the outcomes do not show that difficulties differ."""
        return self.spread <= _SPREADS[0]

    def difficulty_ends(self, tail: float) -> Array:
        """Quantiles of the posterior of each difficulty, widened to its standard deviation."""
        raw = np.sqrt(np.maximum(self.posterior @ self.grid**2 - self.difficulties**2, 0.0))
        wider = self.difficulty_sds / np.where(raw > 0.0, raw, 1.0)
        step = self.grid[1] - self.grid[0]
        sums = np.cumsum(self.posterior, axis=1)
        ends = []
        for share in (tail, 1.0 - tail):
            found = [np.interp(share, row, self.grid + 0.5 * step) for row in sums]
            ends.append(self.difficulties + (np.array(found) - self.difficulties) * wider)
        return np.array(ends)

    def influence_of(self, right: Array, trials: Array) -> Array:
        """Influence of other questions in the model of Rasch: questions × systems."""
        model = _MarginalModel(right, trials, slopes=False)
        beta = _ItemParameters(self.abilities - self.mean, self.spread, 0.0)
        state = model.at(beta)
        return model.all_scores(beta, state) @ self.response


class _Nodes(NamedTuple):
    """A grid of difficulties, and of discriminations if they differ."""

    places: Array  # grid of difficulties
    logs: Array  # grid of log discriminations

    @property
    def difficulty(self) -> Array:
        """The difficulty of each node."""
        return np.repeat(self.places, self.logs.size)

    @property
    def log_slope(self) -> Array:
        """The log discrimination of each node."""
        return np.tile(self.logs, self.places.size)


class _GridState(NamedTuple):
    """The likelihood at some parameters, with the posterior of every question on the nodes."""

    value: float
    nodes: _Nodes
    posterior: Array  # questions × nodes
    rates: Array  # systems × nodes


class _ItemParameters(NamedTuple):
    abilities: Array
    spread: float
    slope_spread: float


def fit(
    right: Array, trials: Array, clusters: Integers | None = None, *, slopes: bool = False
) -> ItemFit:
    """Fit the model of Rasch, or with `slopes` the two-parameter model.

    `right` and `trials` are counts, or counts by a design effect, with a row per system and a
    column per question.
    """
    model = _MarginalModel(right, trials, slopes=slopes)
    beta = model.start()
    state = model.at(beta)
    for _ in range(_STEPS):
        beta, state, gain = model.climb(beta, state)
        if gain < _CLOSE:
            break
    if clusters is None:
        clusters = np.arange(right.shape[1])
    return model.fitted_model(beta, state, clusters)


class _MarginalModel:
    """The marginal likelihood of counts."""

    def __init__(self, right: Array, trials: Array, *, slopes: bool) -> None:
        self.right, self.trials, self.slopes = right.T, trials.T, slopes  # questions × systems
        total, most = right.sum(axis=1), trials.sum(axis=1)
        self.separated: NDArray[np.bool_] = (total <= 0.0) | (total >= most)

    def start(self) -> _ItemParameters:
        """Log odds of the rates, stretched for the spread of the others (as in PROX)."""
        wrong = self.trials - self.right
        ability, ease = (
            np.log((self.right.sum(axis) + 0.5) / (wrong.sum(axis) + 0.5)) for axis in (0, 1)
        )
        stretched = np.sqrt(1.0 + np.array([ease.var(), ability.var()]) / 2.9)
        spread = float(np.clip(ease.std() * stretched[1], *_SPREADS))
        abilities = (ability - ability.mean()) * stretched[0] + ease.mean() * stretched[1]
        return _ItemParameters(abilities, max(spread, 0.5), 0.3 if self.slopes else 0.0)

    def grid(self, beta: _ItemParameters) -> _Nodes:
        """Nodes that cover the prior, near enough for the narrowest posterior."""
        steep = float(np.exp(beta.slope_spread))
        info = 0.25 * float(self.trials.sum(axis=1).max()) * steep**2
        step = (_PER_SD_OF_TWO if self.slopes else _PER_SD) / np.sqrt(info + beta.spread**-2)
        reach = _REACH * beta.spread
        number = int(min(np.ceil(2.0 * reach / step), _MOST_NODES)) | 1
        logs = beta.slope_spread * _LOG_SLOPES if self.slopes else np.zeros(1)
        return _Nodes(np.linspace(-reach, reach, number), logs)

    def at(self, beta: _ItemParameters) -> _GridState:
        """The likelihood, the posterior of every question and the rate of every system."""
        nodes = self.grid(beta)
        slope = np.exp(nodes.log_slope)
        logits = slope * (beta.abilities[:, None] - nodes.difficulty)
        prior = -0.5 * (nodes.difficulty / beta.spread) ** 2
        if self.slopes:
            prior = prior - 0.5 * np.tile(_LOG_SLOPES, nodes.places.size) ** 2
        prior -= np.log(np.exp(prior).sum())
        away = np.exp(-np.abs(logits))
        losses = np.log1p(away) + np.maximum(logits, 0.0)
        posterior = self.right @ logits
        posterior -= self.trials @ losses
        posterior += prior
        top = posterior.max(axis=1, keepdims=True)
        np.exp(posterior - top, out=posterior)
        total = posterior.sum(axis=1, keepdims=True)
        posterior /= total
        rates = np.where(logits >= 0.0, 1.0, away) / (1.0 + away)
        value = float(np.log(total).sum() + top.sum()) + self._penalty(beta.abilities)
        return _GridState(value, nodes, posterior, rates)

    def _penalty(self, abilities: Array) -> float:
        own = abilities[self.separated]
        return float((0.5 * own - np.logaddexp(0.0, own)).sum())

    def climb(
        self, beta: _ItemParameters, state: _GridState
    ) -> tuple[_ItemParameters, _GridState, float]:
        """One Newton step, halved until the likelihood does not fall, and its expected gain."""
        gradient = self.scores(state).sum(axis=0)
        own = np.where(self.separated, logistic(beta.abilities), 0.5)
        gradient += 0.5 - own
        step = np.linalg.solve(self._information(beta, state), gradient)
        spreads, gain = self._spread_steps(beta, state)
        gain += float(gradient @ step) / 2.0
        share = 1.0
        for _ in range(_HALVINGS):
            scales = np.exp(share * spreads)
            there = _ItemParameters(
                beta.abilities + share * step,
                float(np.clip(beta.spread * scales[0], *_SPREADS)),
                float(np.clip(beta.slope_spread * scales[1], *_SLOPE_SPREADS))
                if self.slopes
                else 0.0,
            )
            found = self.at(there)
            if found.value >= state.value - 1e-10 * abs(state.value):
                return there, found, gain
            share /= 2.0
        return beta, state, 0.0

    def scores(self, state: _GridState) -> Array:
        """Derivatives of the likelihood of each question by the abilities."""
        if not self.slopes:
            return self.right - self.trials * (state.posterior @ state.rates.T)
        slope = np.exp(state.nodes.log_slope)
        mean = state.posterior @ slope
        return self.right * mean[:, None] - self.trials * (
            state.posterior @ (slope * state.rates).T
        )

    def all_scores(self, beta: _ItemParameters, state: _GridState) -> Array:
        """Derivatives of the likelihood of each question by abilities and log spreads."""
        return np.column_stack([self.scores(state), (self._squares(beta, state) - 1.0).T])

    def _squares(self, beta: _ItemParameters, state: _GridState) -> Array:
        """Posterior mean squares of difficulties and log discriminations, by their variances."""
        found: list[Array] = [state.posterior @ (state.nodes.difficulty / beta.spread) ** 2]
        if self.slopes:
            found.append(state.posterior @ np.tile(_LOG_SLOPES, state.nodes.places.size) ** 2)
        return np.stack(found)

    def _spread_steps(self, beta: _ItemParameters, state: _GridState) -> tuple[Array, float]:
        """Newton steps of the log spreads, with the information of what is known of each."""
        squares = self._squares(beta, state)
        means: list[Array] = [state.posterior @ state.nodes.difficulty / beta.spread]
        if self.slopes:
            means.append(state.posterior @ np.tile(_LOG_SLOPES, state.nodes.places.size))
        known = 1.0 - (squares - np.square(np.stack(means)))  # reliability of each question
        gradient = (squares - 1.0).sum(axis=1)
        information = 2.0 * np.square(known).sum(axis=1) + 1e-9
        step = np.clip(gradient / information, -0.5, 0.5)
        limits = (_SPREADS, _SLOPE_SPREADS)
        for at, spread in enumerate((beta.spread, beta.slope_spread)[: step.size]):
            low, high = limits[at]
            if (spread <= low and step[at] < 0.0) or (spread >= high and step[at] > 0.0):
                step[at] = 0.0
        gain = float(gradient @ step) / 2.0
        return np.append(step, 0.0)[:2], gain

    def _information(self, beta: _ItemParameters, state: _GridState) -> Array:
        """Information on the abilities, after difficulties and discriminations are eliminated."""
        difficulty = state.posterior @ state.nodes.difficulty
        slope = np.exp(state.posterior @ state.nodes.log_slope)[:, None]
        away = beta.abilities - difficulty[:, None]
        rate = logistic(slope * away)
        weight = self.trials * rate * (1.0 - rate)
        crossed: list[Array] = [-weight * slope**2]  # by ability and difficulty
        if self.slopes:
            crossed.append(weight * slope * slope * away)
        by_question = np.stack(crossed, axis=2)  # questions × systems × parameters
        size = len(crossed)
        own = np.zeros((difficulty.size, size, size))
        own[:, 0, 0] = (weight * slope**2).sum(axis=1) + beta.spread**-2
        if self.slopes:
            own[:, 1, 1] = (weight * (slope * away) ** 2).sum(axis=1) + beta.slope_spread**-2
            own[:, 0, 1] = own[:, 1, 0] = -(weight * slope * slope * away).sum(axis=1)
        root = np.linalg.cholesky(np.linalg.inv(own))
        left = np.swapaxes(by_question @ root, 0, 1).reshape(beta.abilities.size, -1)
        found: Array = np.diag((weight * slope**2).sum(axis=0)) - left @ left.T
        rate = logistic(beta.abilities)
        return found + np.diag(np.where(self.separated, rate * (1.0 - rate), 0.0))

    def _louis(self, beta: _ItemParameters, state: _GridState) -> Array:
        """Observed information on abilities and log spreads (Louis 1982)."""
        systems, extra = beta.abilities.size, 1 + self.slopes
        found = np.zeros((systems + extra, systems + extra))
        slope = np.exp(state.nodes.log_slope)
        squares = [(state.nodes.difficulty / beta.spread) ** 2]
        if self.slopes:
            squares.append(np.tile(_LOG_SLOPES, state.nodes.places.size) ** 2)
        columns: list[Array] = []
        for question, posterior in enumerate(state.posterior):
            near = posterior > _FAR
            chance, steep = posterior[near], slope[near]
            rates, trials = state.rates[:, near], self.trials[question]
            scores = np.concatenate(
                [
                    steep * (self.right[question][:, None] - trials[:, None] * rates),
                    [square[near] - 1.0 for square in squares],
                ]
            )
            scores -= (scores @ chance)[:, None]
            columns.append(scores * np.sqrt(chance))
            # a product for each question is too small for the threads that it wakes
            if len(columns) == _AT_ONCE or question == len(state.posterior) - 1:
                joined = np.concatenate(columns, axis=1)
                found -= joined @ joined.T
                columns.clear()
            whole = trials * ((rates * (1.0 - rates)) @ (chance * steep**2))
            known = [2.0 * float(square[near] @ chance) for square in squares]
            found[np.diag_indices_from(found)] += np.concatenate([whole, known])
        rate = logistic(beta.abilities)
        own = np.where(self.separated, rate * (1.0 - rate), 0.0)
        found[np.arange(systems), np.arange(systems)] += own
        return found

    def _slopes_of_means(self, beta: _ItemParameters, state: _GridState, mean: Array) -> Array:
        """Derivatives of the posterior means of difficulties by abilities and log spreads."""
        nodes = state.nodes
        slope = np.exp(nodes.log_slope)
        by_place = state.posterior * nodes.difficulty
        solved = (slope * state.rates).T
        by_ability = self.trials * (mean[:, None] * (state.posterior @ solved) - by_place @ solved)
        if self.slopes:
            spare = by_place @ slope - mean * (state.posterior @ slope)
            by_ability += self.right * spare[:, None]
        squares = self._squares(beta, state)
        shapes = [(nodes.difficulty / beta.spread) ** 2]
        if self.slopes:
            shapes.append(np.tile(_LOG_SLOPES, nodes.places.size) ** 2)
        by_spread = [
            by_place @ shape - mean * square for shape, square in zip(shapes, squares, strict=True)
        ]
        return np.column_stack([by_ability, *by_spread])

    def fitted_model(self, beta: _ItemParameters, state: _GridState, clusters: Integers) -> ItemFit:
        """The fitted model, with abilities centred."""
        scores, systems = self.all_scores(beta, state), beta.abilities.size
        inverse = np.linalg.inv(self._louis(beta, state))
        centre = np.where(self.separated, 0.0, 1.0)
        # a single one would be its own mean, and its ability look known
        centre = centre if centre.sum() > 1.0 else np.ones(systems)
        centre /= centre.sum()
        origin = float(centre @ beta.abilities)
        moves = scores @ inverse
        response = inverse[:, :systems] - (inverse[:, :systems] @ centre)[:, None]
        influence = scores @ response
        by_model = response[:systems] - centre @ response[:systems]
        variances = np.maximum(
            np.diag(clustered_covariance(influence, clusters)), np.diag(by_model)
        )
        nodes, shape = state.nodes, (-1, state.nodes.places.size, state.nodes.logs.size)
        posterior = state.posterior.reshape(shape).sum(axis=2)
        mean = posterior @ nodes.places
        slopes = self._slopes_of_means(beta, state, mean)
        slopes[:, :systems] -= centre
        variance = posterior @ nodes.places**2 - mean**2
        variance += np.sum(slopes @ clustered_covariance(moves, clusters) * slopes, axis=1)
        log_slope = state.posterior @ nodes.log_slope
        slope = np.exp(nodes.log_slope)
        expected = state.posterior @ state.rates.T
        steepness = state.posterior @ (slope * state.rates * (1.0 - state.rates)).T
        return ItemFit(
            abilities=beta.abilities - origin,
            ability_sds=np.sqrt(variances),
            separated=self.separated,
            mean=-origin,
            spread=beta.spread,
            slope_spread=beta.slope_spread,
            difficulties=mean - origin,
            difficulty_sds=np.sqrt(np.where(beta.spread > _SPREADS[0], variance, np.nan)),
            slopes=np.exp(log_slope),
            expected=expected.T,
            steepness=steepness.T,
            influence=influence,
            response=response,
            grid=nodes.places - origin,
            posterior=posterior,
            log_likelihood=state.value,
        )


def clustered_covariance(influence: Array, clusters: Integers) -> Array:
    """Covariance of a sum of influences over clusters that are independent."""
    labels = np.unique(clusters, return_inverse=True)[1]
    number = int(labels.max()) + 1
    sums = np.zeros((number, influence.shape[1]))
    np.add.at(sums, labels, influence)
    found: Array = sums.T @ sums * (number / max(number - 1, 1))
    return found


def logistic(logit: Array) -> Array:
    """Probability of a logit."""
    away = np.exp(-np.abs(logit))
    found: Array = np.where(logit >= 0.0, 1.0, away) / (1.0 + away)
    return found
