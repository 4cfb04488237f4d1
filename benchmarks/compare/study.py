"""One cell: how often each test errs where neither system is better, and how often it sees one."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import errbar
from benchmarks.compare import tests, worlds
from benchmarks.compare.worlds import NULLS, Cell
from benchmarks.coverage.difficulties import DIFFICULTIES
from errbar.metrics import CountMetric, PassAt

Array = NDArray[np.floating[Any]]

_CLOSE = 1e-5  # relative: equal differences are pooled in another order


class Null(NamedTuple):
    """Shares of data sets without a difference in which one was found."""

    cell: Cell
    metric: str
    kind: str
    ours: float
    t_test: float
    probable: float  # errbar's "probably better" or "better"
    differ: float  # questions that differ, on average
    again: float = float("nan")  # errbar's share in ten times as many data sets


class Seen(NamedTuple):
    """Shares of data sets in which a true difference was found, and lies in the interval."""

    cell: Cell
    metric: str
    shift: float
    difference: float
    ours: float
    t_test: float
    covered: float
    wrong: float  # share in which the worse system was called better
    probable: float


class Agreed(NamedTuple):
    """Shares of data sets of one trial per question on which errbar and McNemar's test agree."""

    cell: Cell
    kind: str
    shares: dict[str, float]


def nulls(cell: Cell, replicates: int) -> Iterator[Null | Agreed]:
    """Both kinds of null, every metric."""
    for kind in NULLS:
        first, second = worlds.null_counts(cell, kind, replicates)
        for metric in worlds.metrics_of(cell.trials):
            table = worlds.value_table(metric, cell.trials)
            mine, theirs = table[first], table[second]
            found = tests.errbar_test(mine - theirs)
            require_the_same(cell, metric, first[0], second[0], float(found.p_value[0]))
            yield Null(
                cell,
                str(metric),
                kind,
                _share(found.rejected),
                _share(tests.t_test(mine, theirs)),
                _share(found.probable),
                float(found.differ.mean()),
            )
            if cell.trials == 1:
                yield _agreed(cell, kind, mine - theirs, found)


def again(row: Null, replicates: int) -> Null:
    """A cell with other data sets, ten times as many, to see whether it was chance."""
    (metric,) = (each for each in worlds.metrics_of(row.cell.trials) if str(each) == row.metric)
    table = worlds.value_table(metric, row.cell.trials)
    shares = []
    for stream in range(1, 11):
        first, second = worlds.null_counts(row.cell, row.kind, replicates, stream)
        shares.append(_share(tests.errbar_test(table[first] - table[second]).rejected))
    return row._replace(again=sum(shares) / len(shares))


def powers(cell: Cell, replicates: int) -> Iterator[Seen | Agreed]:
    """A shift for each metric that a test should see about two times in three."""
    for stream, metric in enumerate(worlds.metrics_of(cell.trials)):
        table = worlds.value_table(metric, cell.trials)
        effect = worlds.aimed_effect(cell, table)
        first, second = worlds.shifted_counts(cell, effect.shift, replicates, stream)
        mine, theirs = table[first], table[second]
        apart = mine - theirs
        found = tests.errbar_test(apart)
        yield Seen(
            cell,
            str(metric),
            effect.shift,
            effect.difference,
            _share(found.rejected),
            _share(tests.t_test(mine, theirs)),
            tests.covered(apart[: replicates // 2], effect.difference),
            _share(found.rejected & (found.ahead * effect.difference < 0)),
            _share(found.probable),
        )
        if cell.trials == 1:
            yield _agreed(cell, "shifted", apart, found)


class Ceiling(NamedTuple):
    """Shares of data sets in which a difference was found although there is none."""

    metric: str
    noise: float
    ours: float
    t_test: float
    flips: float
    unpaired: float
    probable: float
    differ: float


def ceiling(replicates: int) -> Iterator[Ceiling]:
    """Easy questions, 100 × 16, one system better on most of them and much worse on a few."""
    easy, cell = DIFFICULTIES["easy"], Cell(100, 16, "easy")
    for k in (1, 2, 4, 8):
        table = worlds.value_table(PassAt(k), cell.trials)
        for noise in (1.0, 2.0):
            rng = cell.rng(9, k, int(noise))
            shift = worlds.balanced_shift(easy, noise, table)
            rates = easy.draw(rng, (replicates, cell.questions))
            other = worlds.moved(rates, shift + noise * rng.standard_normal(rates.shape))
            mine, theirs = (table[rng.binomial(cell.trials, each)] for each in (rates, other))
            found = tests.errbar_test(mine - theirs)
            yield Ceiling(
                f"pass@{k}",
                noise,
                _share(found.rejected),
                _share(tests.t_test(mine, theirs)),
                _share(tests.sign_flip_test((mine - theirs)[: replicates // 2], rng)),
                _share(tests.unpaired_t_test(mine, theirs)),
                _share(found.probable),
                float(found.differ.mean()),
            )


def require_the_same(
    cell: Cell, metric: CountMetric, first: Array, second: Array, p_value: float
) -> None:
    """That `runs.compare` gives the p-value of the kernel."""
    trials = np.full(cell.questions, cell.trials)
    counts = {"a": errbar.Counts(trials, first), "b": errbar.Counts(trials, second)}
    (row,) = errbar.load(counts).compare(metric)
    if abs(row.p_value - p_value) > _CLOSE * max(p_value, _CLOSE):
        raise ValueError(f"{cell} {metric}: {row.p_value} and {p_value}")


def _agreed(cell: Cell, kind: str, apart: Array, found: tests.Judged) -> Agreed:
    others = tests.mcnemar_tests(apart)
    return Agreed(
        cell, kind, {name: _share(found.rejected == each) for name, each in others.items()}
    )


def _share(flags: NDArray[np.bool_]) -> float:
    return float(flags.mean()) if flags.size else float("nan")
