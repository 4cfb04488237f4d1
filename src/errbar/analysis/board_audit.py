"""Audit of a leaderboard: how firm the lead of the first system is, and what changes the order."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from errbar.analysis.alignment import AlignedValues, Policy, side_by_side
from errbar.analysis.methods import Calibrated
from errbar.analysis.rank_scores import QuestionPart
from errbar.analysis.score import scored_metric
from errbar.base.arrays import Array
from errbar.data.sources.tables import Source
from errbar.errors import InputError
from errbar.kernels.leave_out import (
    PartMeans,
    Removal,
    fewest_left_out,
    ranks_of,
    ranks_without,
    scores_of_parts,
)
from errbar.metrics import CountMetric
from errbar.metrics.base import Direction
from errbar.results.board_audit import BoardAudit, BoardRow, Change
from errbar.results.comparison import Comparison
from errbar.results.comparisons import Comparisons
from errbar.results.leaderboard import Leaderboard

_POWER = 0.8  # power for the number of questions, as in plans


@dataclass(frozen=True)
class _Part:
    """The common questions of a task."""

    task: str
    names: Sequence[str]
    means: PartMeans
    cluster_of: Sequence[str]  # questions of each cluster, by its number: the first one names it


def audit_of(
    source: Source, policy: Policy, board: Leaderboard, compared: Comparisons | None
) -> BoardAudit:
    """Audit a leaderboard, by the comparisons of its systems if there are any.

    Those of the first system with the second are adjusted for all pairs, as the board is.
    """
    metric = scored_metric(board.metric)
    if isinstance(metric, CountMetric) and len(metric.parts()) > 1:
        raise InputError(
            f"{metric} is not a mean over questions, so a question cannot be left out of it. "
            "Audit the board by a mean, such as avg or pass@k."
        )
    order = [row.system for row in board]
    tables = side_by_side(source, [metric], order, policy)
    parts = [
        _part(data, order, board.tasks[data.task]) for data in tables if data.task in board.tasks
    ]
    each = [part.means for part in parts]
    single = [ranks_without(each, at, np.arange(own.weights.size)) for at, own in enumerate(each)]
    clustered = any(own.clusters.max() + 1 < own.weights.size for own in each)
    whole = (
        [ranks_without(each, at, own.clusters) for at, own in enumerate(each)] if clustered else []
    )
    rows = [
        BoardRow(
            standing=row,
            without_question=_range_of(single, at),
            without_cluster=_range_of(whole, at) if whole else None,
            undone_by=fewest_left_out(each, at, at + 1).number if at + 1 < len(order) else math.nan,
        )
        for at, row in enumerate(board)
    ]
    pairs = _first_pairs(board, compared or ())
    family = compared.together if compared else 1
    questions = _changes(parts, single, order, [part.names for part in parts])
    clusters = _changes(parts, whole, order, [part.cluster_of for part in parts]) if whole else ()
    return BoardAudit(
        tuple(rows),
        board=board,
        pairs=pairs,
        decisive=_decisive(parts, fewest_left_out(each, 0, 1)),
        by_question=questions,
        by_cluster=clusters,
        clusters=sum(int(own.clusters.max()) + 1 for own in each) if clustered else 0,
        needed=_questions_needed(pairs, 1.0 - (1.0 - board[0].interval.level) / family),
    )


def _first_pairs(board: Leaderboard, compared: Iterable[Comparison]) -> tuple[Comparison, ...]:
    """The comparisons of the first system with the second, task by task."""
    first, second = (row.system for row in board[:2])
    rows = [row for row in compared if {row.first, row.second} == {first, second}]
    return tuple(
        row if row.first == first else row.swapped() for row in rows if row.task in board.tasks
    )


def _part(data: AlignedValues, order: Sequence[str], share: float) -> _Part:
    own = QuestionPart(data, order, share, Calibrated())
    up = 1.0 if data.metric.direction is Direction.HIGHER else -1.0
    weights = np.ones(own.questions) if own.weights is None else own.weights
    names = [name for name, some in zip(data.questions, own.some, strict=True) if some]
    first = {number: name for name, number in reversed([*zip(names, own.clusters, strict=True)])}
    sizes = np.bincount(own.clusters)
    labels = [
        f"the {sizes[number]} of {first[number]}" if sizes[number] > 1 else first[number]
        for number in range(sizes.size)
    ]
    means = PartMeans(up * own.values, weights, own.clusters, share)
    return _Part(data.task, names, means, labels)


def _range_of(ranks: Sequence[Array], system: int) -> tuple[int, int]:
    """Best and worst rank of a system over everything that is left out."""
    own = np.concatenate([each[system] for each in ranks])
    return (int(np.nanmin(own)), int(np.nanmax(own))) if not np.isnan(own).all() else (0, 0)


def _changes(
    parts: Sequence[_Part],
    ranks: Sequence[Array],
    order: Sequence[str],
    names: Sequence[Sequence[str]],
) -> tuple[Change, ...]:
    """Questions or clusters that change which system is first if they are left out."""
    changes = []
    usual = _leaders(ranks_of(scores_of_parts([part.means for part in parts])), order)
    for part, own, called in zip(parts, ranks, names, strict=True):
        for at, name in enumerate(called):
            leaders = _leaders(own[:, at], order)
            if not np.isnan(own[0, at]) and leaders != usual:
                changes.append(Change(part.task, name, leaders))
    return tuple(changes)


def _leaders(ranks: Array, order: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name, rank in zip(order, ranks.tolist(), strict=True) if rank == 1.0)


def _decisive(parts: Sequence[_Part], found: Removal) -> tuple[Change, ...]:
    """The questions without which the first system no longer leads the second."""
    own = parts[found.part]
    return tuple(Change(own.task, own.names[at], ()) for at in found.questions.tolist())


def _questions_needed(pairs: Sequence[Comparison], level: float) -> float:
    """Number of questions that would separate the first system from the second.

    This uses the normal approximation at the observed difference, at the level of one of several
    simultaneous comparisons, with the power that plans use; nan for several tasks.
    """
    if len(pairs) != 1 or math.isnan(pairs[0].sd):
        return math.nan
    pair, normal = pairs[0], NormalDist()
    if not pair.difference:
        return math.inf
    reach = normal.inv_cdf(0.5 * (1.0 + level)) + normal.inv_cdf(_POWER)
    return pair.questions * (reach * pair.sd / abs(pair.difference)) ** 2
