"""Aggregate rows with a confidence into totals by cluster group and confidence: one GROUP BY.

The totals are small enough to be resampled, however many rows there are.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from errbar.base.arguments import freeze
from errbar.base.arrays import Array
from errbar.base.remarks import way_to_say
from errbar.data.labelled_scores import Classes, require_both_classes
from errbar.data.predictions import Ranked, RankedSample, Totals
from errbar.data.queries.expressions import ColumnArrays, Frame, fetch, one_if
from errbar.data.queries.ranked_rows import SURE, TOGETHER, Rankable
from errbar.errors import InputError, WrongType

_AT_ONCE = 16  # resamples that share one pass over the table


@dataclass(frozen=True, eq=False, kw_only=True)
class GroupedTotals(RankedSample):
    """A row per group of clusters, a column per confidence or bin, the highest first.

    Examples
    --------
    >>> GroupedTotals(confidence=[0.9, 0.4], right=[[1, 0], [2, 1]], wrong=[[0, 1], [0, 0]],
    ...         sizes=[2, 4], clusters=7, answering=5, mixed=[False, False])
    Grouped(6 items in 2 groups of 7 clusters, 5 answered, 2 confidences)
    """

    confidence: Array  # lowest confidence of each column
    right: Array
    wrong: Array
    sizes: Array  # items of each group, including unanswered ones
    clusters: int
    answering: int  # clusters with at least one answer
    mixed: NDArray[np.bool_]  # whether a column pools several confidences

    def __post_init__(self) -> None:
        freeze(
            self,
            mixed=np.asarray(self.mixed, dtype=bool),
            **{
                name: np.asarray(getattr(self, name), dtype=float)
                for name in ("confidence", "right", "wrong", "sizes")
            },
        )

    def __len__(self) -> int:
        return int(self.sizes.sum())

    def __repr__(self) -> str:
        return (
            f"Grouped({len(self)} items in {self.groups} groups of {self.clusters} clusters, "
            f"{self.answered} answered, {self.confidence.size} "
            f"{'bins' if self.mixed.any() else 'confidences'})"
        )

    @property
    def groups(self) -> int:
        """Number of groups to resample."""
        return self.sizes.size

    @property
    def units(self) -> int:
        """Number of units to resample."""
        return self.groups

    @property
    def cluster_count(self) -> int:
        """Clusters in all groups."""
        return self.clusters

    @property
    def group_count(self) -> int:
        """Groups, where a group is more than a cluster; else 0."""
        return self.groups if self.groups < self.clusters else 0

    def bin_error(self, _of: Callable[["GroupedTotals"], float]) -> float:
        """Largest error of a metric due to binning."""
        return _of(self)

    @property
    def answered(self) -> int:
        """Items with an answer."""
        return int(self.right.sum() + self.wrong.sum())

    @property
    def unanswered(self) -> int:
        """Items without an answer."""
        return len(self) - self.answered

    @property
    def coverage(self) -> float:
        """Share of the items that were answered."""
        return self.answered / len(self)

    @property
    def rows(self) -> int:
        """Length of a work array per replicate; processing several replicates at once is faster."""
        return -(-self.confidence.size // _AT_ONCE)

    def predictions(self) -> "GroupedTotals":
        """The totals themselves: a right answer has loss 0, a wrong one 1."""
        return self

    def arranged(self) -> "GroupedTotals":
        """The totals themselves, because groups can be weighted as they are."""
        return self

    def scored(self) -> "GroupedTotals":
        """The answered items, with right as the positive class; both classes are required."""
        answered = self.only_answered()
        require_both_classes(int(answered.right.sum()), len(answered))
        return answered

    def by_class(self) -> "GroupedTotals":
        """The answered items, which can be weighted by group."""
        return self.scored()

    def answers(self) -> NoReturn:
        """Refused: only totals are known."""
        raise InputError("calibration is drawn from rows one by one; these are too many.")

    def ranked(self) -> Ranked:
        """Totals of all groups together."""
        right, wrong = self.right.sum(axis=0), self.wrong.sum(axis=0)
        often = np.array([right.sum(), wrong.sum()], dtype=np.int64)
        return Ranked(
            confidence=self.confidence,
            items=(right + wrong).astype(np.int64),
            loss=wrong,
            abstained=len(self) - self.answered,
            losses=np.array([0.0, 1.0])[often > 0],
            often=often[often > 0],
        )

    def totals(self, weights: NDArray[Any], *, with_oracle: bool) -> Totals:
        """Totals with each group weighted: `weights` has a row per replicate."""
        right, wrong = weights @ self.right, weights @ self.wrong
        oracle = right[:, :0], wrong[:, :0]
        if with_oracle:
            often = np.stack([right.sum(axis=1), wrong.sum(axis=1)], axis=1)
            oracle = often, often * [0.0, 1.0]
        return Totals(right + wrong, wrong, weights @ self.sizes, *oracle)

    def classes(self, weights: NDArray[Any]) -> Classes:
        """Right and wrong answers with each group weighted, the lowest confidence first."""
        return Classes(*(np.flip(weights @ part, axis=1) for part in (self.right, self.wrong)))

    def only_answered(self) -> "GroupedTotals":
        """Copy without unanswered items, and without groups that have no answer."""
        sizes = self.right.sum(axis=1) + self.wrong.sum(axis=1)
        filled = sizes > 0
        return GroupedTotals(
            confidence=self.confidence,
            right=self.right[filled],
            wrong=self.wrong[filled],
            sizes=sizes[filled],
            clusters=self.answering,
            answering=self.answering,
            mixed=self.mixed,
        )

    def best(self) -> Totals:
        """The best order within bins: right answers first."""
        return self._ordered(right_first=True)

    def worst(self) -> Totals:
        """The worst order within bins: wrong answers first."""
        return self._ordered(right_first=False)

    def _ordered(self, *, right_first: bool) -> Totals:
        right, wrong = self.right.sum(axis=0), self.wrong.sum(axis=0)
        first = np.where(self.mixed, right if right_first else wrong, right + wrong)
        first_loss = np.where(self.mixed & right_first, 0.0, wrong)
        items = np.stack([first, right + wrong - first], axis=1).reshape(-1)
        loss = np.stack([first_loss, wrong - first_loss], axis=1).reshape(-1)
        some = items > 0
        whole = self.ranked().totals()
        return whole._replace(items=items[some], loss=loss[some])


GROUPS = 200  # error of an interval's width: 5%
MOST_CELLS = 20_000_000  # groups × confidences of a system: 0.3 GB, half a minute per metric
MOST_BINS = 1 << 16

_KEYS = ("system", "task")
_HALF = 1 << 16  # fine cells on either side of the middle
_PRIME = 2**31 - 1
_SPLIT = 1 << 16  # of a remainder, so that no product passes 53 bits: SQLite's MOD is of floats


def ranked_cells(found: Rankable, bins: int | None = None) -> dict[tuple[str, ...], GroupedTotals]:
    """Totals by group of clusters and by distinct confidence, or by bin, of every system and task.

    If there are no more clusters than groups, each cluster is a group.
    """
    rows = found.rows.select(
        *_KEYS,
        TOGETHER,
        "scored",
        **{SURE: nw.when(nw.col("scored") == 1).then(nw.col(SURE)).otherwise(nw.lit(0.0))},
        right=nw.col("right") * nw.col("scored"),
    )
    counted = [nw.len().alias("items"), nw.col("right").sum()]
    place = SURE
    if bins is not None:
        _require_bins(bins)
        place = "bin"
        rows = _in_fine_cells(rows, found)
        counted += [nw.col(SURE).min().alias("least"), nw.col(SURE).max().alias("most")]
    clusters = _number_clusters(rows)
    names = fetch(
        clusters.group_by(*_KEYS).agg(
            nw.col("number").min().alias("first"),
            nw.len().alias("clusters"),
            nw.col("answering").sum(),
        )
    )
    placed = _join_small(rows, _in_groups(clusters), TOGETHER, int(names["clusters"].sum()))
    if bins is None:
        _require_fit(rows, min(GROUPS, int(names["clusters"].max())))
    else:
        most = names["clusters"].size * (2 * _HALF + 3)
        placed = _join_small(placed, _in_bins(rows, bins), "cell", most)
    cells = placed.group_by("slot", "scored", place).agg(*counted)
    table = fetch(cells.head(MOST_CELLS + 1))
    if table["items"].size > MOST_CELLS:
        raise InputError(
            f"{names['clusters'].size} systems and tasks in {GROUPS} groups of clusters have more "
            f"than the {MOST_CELLS:,} cells that fit in memory, one for every "
            f"{'bin' if bins else 'confidence'}. Use fewer bins, for example "
            f"{way_to_say('--bins 100', 'bins=100')}, or score fewer systems at a time."
        )
    keyed = zip(*(column.tolist() for column in names.values()), strict=True)
    grouped: dict[tuple[str, ...], GroupedTotals] = {}
    for system, task, first, many, answering in sorted(keyed):
        mine = table["slot"] // GROUPS == first
        cells_of = {name: column[mine] for name, column in table.items()}
        grouped[(system, task)] = _group_totals(cells_of, place, int(many), int(answering))
    return grouped


def _join_small(rows: Frame, other: Frame, name: str, most: int) -> Frame:
    """Left join with a table of at most `most` rows that has a match for every row.

    A left join, because polars reorders inner joins: it starts with the small tables, which share
    only the system, and makes 72 million rows of 24,000. `head` drops nothing, but tells DuckDB
    which table is small; else it builds its hash table from all rows (3.8 GB instead of 0.5 for
    30 million).
    """
    return rows.join(other.head(most), on=[*_KEYS, name], how="left")


def _number_clusters(rows: Frame) -> Frame:
    """Every cluster of every system and task, numbered in the order of names."""
    named = rows.group_by(*_KEYS, TOGETHER).agg(nw.col("scored").max().alias("answering"))
    named = named.with_columns(one=nw.lit(1).cast(nw.Int64))
    return named.with_columns(number=_cumulative_sum("one", [*_KEYS, TOGETHER]))


def _in_groups(clusters: Frame) -> Frame:
    """The slot of every cluster: the first number of its system and task plus its group."""
    named = _with_totals(
        clusters, nw.col("number").min().alias("first"), nw.col("number").max().alias("last")
    )
    named = named.with_columns(number=nw.col("number") - nw.col("first"))
    named = named.with_columns(mixed=nw.col("number") % _PRIME)
    for factor in (48_271, 69_621):
        named = named.with_columns(mixed=(nw.col("mixed") * factor + 12_345) % _PRIME)
        named = _square(named, "mixed")
    few = nw.col("last") - nw.col("first") < GROUPS
    group = nw.when(few).then(nw.col("number")).otherwise(nw.col("mixed") % GROUPS)
    return named.select(*_KEYS, TOGETHER, slot=nw.col("first") * GROUPS + group)


def _square(frame: Frame, name: str) -> Frame:
    """Square a column of remainders, modulo the prime."""
    value = nw.col(name)
    frame = frame.with_columns(high=(value // _SPLIT).cast(nw.Int64), low=value % _SPLIT)
    upper = value * nw.col("high") % _PRIME * _SPLIT
    square = (upper + value * nw.col("low")) % _PRIME
    return frame.with_columns(**{name: square}).drop("high", "low")


def _in_fine_cells(rows: Frame, found: Rankable) -> Frame:
    """Add the number of a fine cell to each row, monotone in the confidence."""
    sure = nw.col(SURE)
    least, most = 0.5 * found.least, 0.5 * found.most  # halved, so that the difference is finite
    width = most - least if most > least else 1.0
    rows = rows.with_columns(up=(sure * 0.5 - least) / width, down=(most - sure * 0.5) / width)
    low = nw.col("up") < 0.5
    inside = (sure >= found.least) & (sure <= found.most)  # finite, and answered
    near = nw.when(low).then(nw.col("up")).otherwise(nw.col("down"))
    rows = rows.with_columns(near=nw.when(inside).then(near * 2.0).otherwise(nw.lit(0.0)))
    rows = rows.with_columns(near=nw.col("near").sqrt())
    rows = rows.with_columns(near=(nw.col("near").sqrt() * float(_HALF)).floor())
    cell = nw.when(low).then(nw.col("near")).otherwise(2.0 * _HALF - nw.col("near"))
    cell = nw.when(sure > found.most).then(nw.lit(2.0 * _HALF + 1.0)).otherwise(cell)
    cell = nw.when(sure < found.least).then(nw.lit(-1.0)).otherwise(cell)
    return rows.with_columns(cell=cell.cast(nw.Int64)).drop("up", "down", "near")


def _in_bins(rows: Frame, bins: int) -> Frame:
    """The bin of every cell that occurs.

    The bin of a cell follows from the number of answers before it. A cell with the answers of two
    bins or more spans a bin in which no other cell starts, and is assigned to that bin.
    """
    cells = rows.group_by(*_KEYS, "cell").agg(nw.col("scored").sum().alias("n"))
    cells = cells.with_columns(nw.col("n").cast(nw.Int64))
    cells = cells.with_columns(before=_cumulative_sum("n", [*_KEYS, "cell"]) - nw.col("n"))
    cells = _with_totals(
        cells, nw.col("before").min().alias("start"), nw.col("n").sum().alias("total")
    )
    cells = cells.with_columns(
        before=nw.col("before") - nw.col("start"), total=nw.col("total").cast(nw.Int64)
    )
    total = nw.when(nw.col("total") > 0).then(nw.col("total")).otherwise(nw.lit(1))
    heavy = one_if(nw.col("n") * bins >= nw.col("total") * 2)
    cells = cells.with_columns(bin=nw.col("before") * bins // total.cast(nw.Int64) + heavy)
    return cells.select(*_KEYS, "cell", nw.col("bin").cast(nw.Int64))


def _cumulative_sum(name: str, order: list[str]) -> nw.Expr:
    """Cumulative sum of a column in a total order."""
    return nw.col(name).cum_sum().over(order_by=order).cast(nw.Int64)


def _with_totals(frame: Frame, *totals: nw.Expr) -> Frame:
    """Add aggregates of its system and task to each row.

    `over` is avoided: narwhals implements it for Arrow as a join and relies on the row order, which
    threads may change.
    """
    return frame.join(frame.group_by(*_KEYS).agg(*totals), on=[*_KEYS], how="left")


def _group_totals(cells: ColumnArrays, place: str, clusters: int, answering: int) -> GroupedTotals:
    """The totals of one system and task."""
    is_scored = cells["scored"] == 1
    groups, row = np.unique(cells["slot"], return_inverse=True)
    places, column = np.unique(cells[place][is_scored], return_inverse=True)
    shape = (groups.size, places.size)
    column = places.size - 1 - column  # the highest first
    at = row[is_scored] * places.size + column
    items, right = (
        np.bincount(at, cells[name][is_scored], groups.size * places.size)
        .astype(float)
        .reshape(shape)
        for name in ("items", "right")
    )
    least = most = places[::-1]
    if "least" in cells:
        least, most = np.full(places.size, np.inf), np.full(places.size, -np.inf)
        np.minimum.at(least, column, cells["least"][is_scored])
        np.maximum.at(most, column, cells["most"][is_scored])
    return GroupedTotals(
        confidence=least,
        right=right,
        wrong=items - right,
        sizes=np.bincount(row, cells["items"]).astype(float),
        clusters=clusters,
        answering=answering,
        mixed=least < most,
    )


def _require_fit(rows: Frame, groups: int) -> None:
    """Raise an error if there are too many distinct confidences, before aggregating by them."""
    each = rows.filter(nw.col("scored") == 1).group_by(*_KEYS, SURE).agg(nw.len().alias("n"))
    sizes = fetch(each.group_by(*_KEYS).agg(nw.len().alias("n")))["n"]
    most = int(sizes.max(initial=0))
    if most * groups > MOST_CELLS:
        raise InputError(
            f"a system has {most:,} distinct confidences; with this many rows, exact ranking is "
            f"limited to {MOST_CELLS // groups:,}. Bin them, with a bound on the error: "
            f"{way_to_say('--bins 1000', 'bins=1000')}."
        )


def _require_bins(bins: object) -> None:
    if isinstance(bins, bool) or not isinstance(bins, int | np.integer):
        raise WrongType(f"bins must be an integer; got {bins!r}.")
    if not 2 <= bins <= MOST_BINS:
        raise InputError(f"bins must lie between 2 and {MOST_BINS:,}; got {bins!r}.")
