"""Variance components from pairs of rows, with intervals from the Bayesian bootstrap.

Half the mean squared difference of two rows that agree on some factors, and on no others, estimates
the sum of the components of all effects in which they differ (Koch 1967, Technometrics 9). This is
unbiased for every design, ragged, crossed or nested, and for outcomes of 0 and 1: within a question
with c of n right it is c(n − c) / (n(n − 1)). One linear system turns these means into components.
Factors that group the rows alike are one effect, and an effect that groups single rows is part of
the trials. Every question counts by its weight, whatever its number of rows.

Intervals reweight units (questions, or clusters of them) as in the Bayesian bootstrap, with one
unseen unit of the kind that is worst for each end, as in `bounded_mean`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.base.arrays import Array, Integers
from errbar.kernels.interval import percentile_ends
from errbar.kernels.resample import unseen_sizes

Effect = tuple[str, ...]  # the factors whose combinations are the levels of an effect

_AT_ONCE = 1 << 21  # random numbers in memory at a time
_DIGITS = 10  # to which sums of units are compared, beyond their rounding
_NO_PAIRS = 1e-9  # of weight, below which only rounding is left


class Undetermined(ValueError):
    """Effects that a design does not tell apart."""


@dataclass(frozen=True, eq=False, kw_only=True)
class CellTable:
    """Rows that agree on all factors, a cell each."""

    factors: Mapping[str, Integers]  # code of each cell; the first factor is the unit
    mean: Array
    squares: Array  # mean of the squares of rows
    variance: Array  # unbiased variance between the rows of a cell; nan for a single row
    per_row: Array  # variance of the mean of a cell, in units of the variance of a row
    weight: Array  # weight of the question, divided among its cells by their rows
    bounds: tuple[float, float]  # bounds of the mean of a cell
    most: float  # largest variance of the rows of a cell that outcomes can have

    def groups(self, effect: Effect) -> Integers:
        """The group of each cell, numbered as they appear: cells of a group agree on an effect."""
        if not effect:
            return np.zeros(self.mean.size, dtype=np.int64)
        codes = np.stack([self.factors[name] for name in effect], axis=1)
        _, first, place = np.unique(codes, axis=0, return_index=True, return_inverse=True)
        numbers: Integers = np.argsort(np.argsort(first))[place.ravel()]
        return numbers

    def is_nested(self, effect: Effect) -> bool:
        """Whether every group lies within one of several units, which share no level then."""
        unit = next(iter(self.factors))
        group, units = self.groups(effect), self.groups((unit,))
        pairs = np.unique(np.stack([group, units]), axis=1).shape[1]
        return unit in effect or (pairs == int(group.max()) + 1 and bool(units.any()))


def _sums(groups: NDArray[np.integer[Any]], parts: Array, number: int) -> Array:
    """Sums by group."""
    sums: Array = np.bincount(groups, parts, number).astype(float)
    return sums


def subsets(names: Sequence[str]) -> list[Effect]:
    """All subsets, small ones first."""
    return list(chain.from_iterable(combinations(names, size) for size in range(len(names) + 1)))


class Pairs(NamedTuple):
    """Half the squared differences of pairs, summed with their weights, and these weights."""

    apart: Array
    weight: Array


class GroupSums(NamedTuple):
    """Weights, weighted values and squares of every unit (row) in every group (column)."""

    weight: Array
    first: Array
    second: Array


@dataclass(frozen=True, eq=False)
class UnitSums:
    """Sums by which units are reweighted: of pairs within a unit, and for pairs across units."""

    inside: Mapping[Effect, Pairs]  # by the factors on which pairs agree exactly
    across: Mapping[Effect, GroupSums]  # by factors on which pairs agree at least
    often: Array  # how many units are like this

    @classmethod
    def of(cls, cells: CellTable) -> "UnitSums":
        """The sums of every unit of a table."""
        names = list(cells.factors)
        units = cells.groups((names[0],))
        number = int(units.max()) + 1
        own = [pattern for pattern in subsets(names) if names[0] in pattern]
        whole = {pattern: _within(cells, pattern, units, number) for pattern in own}
        inside = {pattern: _exactly(pattern, whole) for pattern in own}
        known = np.isfinite(cells.variance)
        weight = np.where(known, cells.weight, 0.0)
        variance = np.where(known, cells.variance, 0.0)
        parts = (_sums(units, part, number) for part in (weight * variance, weight))
        inside[tuple(names)] = Pairs(*parts)
        across = {}
        for pattern in subsets(names[1:]):
            if not pattern or not cells.is_nested(pattern):
                across[pattern] = _group_sums(cells, cells.groups(pattern), units, number)
        return cls(inside, across, np.ones(number))

    def merged(self) -> "UnitSums":
        """Merge units that are alike, and count them."""
        parts = [part for sums in (*self.inside.values(), *self.across.values()) for part in sums]
        table = np.column_stack(parts)
        _, first, place = np.unique(
            np.round(table, _DIGITS), axis=0, return_index=True, return_inverse=True
        )
        inside = {p: Pairs(*(part[first] for part in s)) for p, s in self.inside.items()}
        across = {p: GroupSums(*(part[first] for part in s)) for p, s in self.across.items()}
        return UnitSums(inside, across, _sums(place.ravel(), self.often, first.size))

    @property
    def size(self) -> Array:
        """Weight of each unit."""
        return self.across[()].weight[:, 0]

    def pairs(self, pattern: Effect, weights: Array, squares: Array) -> Pairs:
        """Pairs that agree on exactly these factors: an entry per row of weights."""
        if pattern in self.inside:
            return Pairs(*(weights @ part for part in self.inside[pattern]))
        whole = {}
        for other, (heft, first, second) in self.across.items():
            if set(pattern) <= set(other):
                total, sums, second_sums = (weights @ part for part in (heft, first, second))
                both = (total * second_sums - np.square(sums)).sum(axis=1)
                own = squares @ (heft * second - np.square(first)).sum(axis=1)
                pairs = np.square(total).sum(axis=1) - squares @ np.square(heft).sum(axis=1)
                whole[other] = Pairs(both - own, pairs)
        return _exactly(pattern, whole)


def _within(cells: CellTable, pattern: Effect, units: Integers, number: int) -> Pairs:
    """Pairs within each unit that agree on these factors at least."""
    group = cells.groups(pattern)
    unit_of = np.zeros(int(group.max()) + 1, dtype=np.int64)
    unit_of[group] = units
    parts = (cells.weight, cells.weight * cells.mean, cells.weight * cells.squares)
    heft, first, second = (_sums(group, part, unit_of.size) for part in parts)
    apart = _sums(unit_of, heft * second - np.square(first), number)
    return Pairs(apart, _sums(unit_of, np.square(heft), number))


def _group_sums(cells: CellTable, group: Integers, units: Integers, number: int) -> GroupSums:
    groups = int(group.max()) + 1
    parts = (cells.weight, cells.weight * cells.mean, cells.weight * cells.squares)
    at = units * groups + group
    sums = (_sums(at, part, number * groups).reshape(number, groups) for part in parts)
    return GroupSums(*sums)


def _exactly(pattern: Effect, whole: Mapping[Effect, Pairs]) -> Pairs:
    """Pairs that agree on these factors only, by inclusion and exclusion."""
    more = [other for other in whole if set(pattern) <= set(other)]
    signs = [(-1.0) ** (len(other) - len(pattern)) for other in more]
    parts = (
        np.sum([sign * whole[other][at] for sign, other in zip(signs, more, strict=True)], axis=0)
        for at in (0, 1)
    )
    return Pairs(*parts)


@dataclass(frozen=True, eq=False)
class Design:
    """The effects that a table tells apart, and how their components follow from pairs."""

    effects: tuple[Effect, ...]  # without the trials
    patterns: tuple[Effect, ...]  # factors on which there are pairs that agree
    solve: Array  # matrix from means over pairs to components; the last is of the trials
    weights: Array  # weight of each component in the variance of the mean over all rows

    @classmethod
    def of(cls, cells: CellTable, sums: UnitSums) -> "Design":
        """The design of a table; `Undetermined` if it does not tell its effects apart."""
        names = list(cells.factors)
        groups = {effect: cells.groups(effect) for effect in subsets(names)}
        effects: list[Effect] = []
        for effect in subsets(names)[1:]:
            known = (groups[other] for other in [(), *effects])
            if not any(np.array_equal(groups[effect], other) for other in known):
                effects.append(effect)
        if not np.isfinite(cells.variance).any():
            finest = groups[tuple(names)]
            effects = [each for each in effects if not np.array_equal(groups[each], finest)]
        once = np.ones((1, sums.often.size))
        patterns = tuple(
            pattern
            for pattern in subsets(names)
            if (pattern in sums.inside or pattern in sums.across)
            and sums.pairs(pattern, once, once).weight[0] > _NO_PAIRS
        )
        differ = [
            [*(not set(effect) <= set(pattern) for effect in effects), True] for pattern in patterns
        ]
        system = np.array(differ, dtype=float).reshape(len(patterns), len(effects) + 1)
        if not effects or np.linalg.matrix_rank(system) <= len(effects):
            raise Undetermined
        shares = cells.weight / cells.weight.sum()
        parts = [float(np.square(np.bincount(groups[each], shares)).sum()) for each in effects]
        weights = np.array([*parts, float(np.square(shares) @ cells.per_row)])
        return cls(tuple(effects), patterns, np.linalg.pinv(system), weights)

    def components(self, sums: UnitSums, weights: Array, squares: Array) -> Array:
        """Components of all effects and of the trials: a row per row of weights."""
        pairs = (sums.pairs(pattern, weights, squares) for pattern in self.patterns)
        means = np.stack([apart / weight for apart, weight in pairs], axis=1)
        estimates: Array = means @ self.solve.T
        return estimates


class UnseenUnit(NamedTuple):
    """An unobserved unit: the mean, the mean square and the variance of its rows."""

    first: float
    second: float
    apart: float  # half the squared difference of rows that differ in `factor`
    factor: str = ""  # that of any two rows, if empty
    trials: float = 0.0  # variance between rows that agree on all factors


def unseen_kinds(cells: CellTable) -> list[UnseenUnit]:
    """Units that are worst for the ends of some component."""
    low, high = cells.bounds
    middle, reach = 0.5 * (low + high), 0.25 * (high - low) ** 2
    mean = float(cells.weight @ cells.mean / cells.weight.sum())
    several = cells.per_row[cells.per_row < 1.0]
    few = float(several.max()) if several.size else 0.5
    kinds = [UnseenUnit(value, value * value, 0.0) for value in (low, mean, high)]
    kinds += [
        UnseenUnit(middle, middle * middle + reach, reach, factor)
        for factor in list(cells.factors)[1:]
    ]
    noisy = UnseenUnit(middle, middle * middle + cells.most, cells.most)
    return [*kinds, noisy._replace(trials=cells.most / (1.0 - few))]


def _add_unseen(sums: UnitSums, unseen: UnseenUnit, factors: Sequence[str]) -> UnitSums:
    """Sums with one more unit, which has average weights."""
    share = sums.often / sums.often.sum()
    inside = {}
    for pattern, (apart, weight) in sums.inside.items():
        own = float(share @ weight)
        differs = unseen.factor not in pattern if unseen.factor else True
        distance = unseen.trials if len(pattern) == len(factors) else unseen.apart * differs
        inside[pattern] = Pairs(np.append(apart, own * distance), np.append(weight, own))
    across = {}
    for pattern, (heft, first, second) in sums.across.items():
        own_heft = (share @ heft)[None, :]
        across[pattern] = GroupSums(
            np.vstack([heft, own_heft]),
            np.vstack([first, own_heft * unseen.first]),
            np.vstack([second, own_heft * unseen.second]),
        )
    return UnitSums(inside, across, np.append(sums.often, 1.0))


def ends_of(quantity: NDArray[np.float64], level: float) -> tuple[float, float]:
    """Ends of a quantity from its draws for every kind of unseen unit, the first axis.

    A share of nothing, which is nan, may be anything from 0 to 1.
    """
    least = np.where(np.isnan(quantity), 0.0, quantity).min(axis=0)
    most = np.where(np.isnan(quantity), 1.0, quantity).max(axis=0)
    return percentile_ends(least, level)[0], percentile_ends(most, level)[1]


def draw_components(
    cells: CellTable, sums: UnitSums, design: Design, number: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draws of all components: an entry per kind of unseen unit, draw and component."""
    few = sums.merged()
    names = list(cells.factors)
    each = [_add_unseen(few, kind, names) for kind in unseen_kinds(cells)]
    relative = few.size / float(few.often @ few.size / few.often.sum())
    groups = sum(part.first.shape[1] for part in few.across.values())
    step = max(1, _AT_ONCE // ((few.often.size + 1) * max(1, groups)))
    draws = []
    for start in range(0, number, step):
        count = min(step, number - start)
        weights = rng.standard_gamma(few.often, (count, few.often.size))
        unseen = rng.standard_exponential((count, 1))
        unseen *= unseen_sizes(relative, few.often, (count, 1), rng)
        squares = np.square(weights) * (2.0 / (few.often + 1.0))
        both = np.hstack([weights, unseen]), np.hstack([squares, np.square(unseen)])
        draws.append(np.stack([design.components(part, *both) for part in each]))
    return np.concatenate(draws, axis=1)


def level_interval(
    cells: CellTable, design: Design, components: Array, effect: Effect, level: float
) -> tuple[float, float]:
    """Interval for the component of a factor whose few levels are themselves a sample.

    The variance between the means of its levels is that component, and what other effects leave in
    these means. If level effects are normal, both are multiples of chi-square variables, and the
    modified large-sample method gives the interval of their difference (Graybill and Wang 1980;
    Burdick and Graybill 1992). No mean of a level lies outside of the bounds of outcomes.
    """
    from scipy.special import chdtri  # noqa: PLC0415  loaded when first needed

    groups = cells.groups(effect)
    number = int(groups.max()) + 1
    heft = np.bincount(groups, cells.weight)
    share = cells.weight / heft[groups]
    rest = 0.0
    for other, component in zip(design.effects, components, strict=False):
        if other != effect:
            lines = cells.groups(other)
            size = int(lines.max()) + 1
            means = np.bincount(groups * size + lines, share, number * size).reshape(number, size)
            own = float(np.square(means).sum()) / number
            shared = (float(np.square(means.sum(axis=0)).sum()) / number - own) / (number - 1)
            rest += float(component) * (own - shared)
    rest = max(rest + float(components[-1] * (np.square(share) @ cells.per_row)) / number, 0.0)
    value = float(components[design.effects.index(effect)])
    whole, tail = max(value + rest, 0.0), 0.5 * (1.0 - level)
    units = int(cells.groups((next(iter(cells.factors)),)).max())

    def ends(variance: float, freedom: int) -> tuple[float, float]:
        low, high = (float(chdtri(freedom, q)) for q in (tail, 1.0 - tail))
        return variance * freedom / low, variance * freedom / high

    (low, high), (least, most) = ends(whole, number - 1), ends(rest, (number - 1) * units)
    reach = 0.25 * (cells.bounds[1] - cells.bounds[0]) ** 2 * number / (number - 1)
    return (
        max(value - float(np.hypot(whole - low, most - rest)), 0.0),
        min(max(value + float(np.hypot(high - whole, rest - least)), 0.0), reach),
    )
