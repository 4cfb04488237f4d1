"""ROC areas and selective risk against scikit-learn, statsmodels, torch-uncertainty, plain loops.

    scripts/bench ranked                everything, the plain bootstrap for some resamples only
    scripts/bench ranked --slow         the plain bootstrap in full
    scripts/bench ranked roc delong     some parts only
    scripts/bench ranked --quick        few items, to see that it runs

Both sides run in one process, in turn; "apart" is the largest difference between their results.
torch-uncertainty takes part if it is there: .venv/bin/python -m pip install torch-uncertainty
"""

import argparse
import math
import random
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score
from statsmodels.stats.nonparametric import rank_compare_2indep

from benchmarks.stopwatch import HEADER, Duel, duel, geometric_mean
from errbar import roc as ours
from errbar import selective
from errbar.selective import ItemPrediction, compute_aurc

try:
    import torch
    from torch_uncertainty.metrics.classification import AURC
except ImportError:
    AURC = None

Array = NDArray[np.floating[Any]]
Flags = NDArray[np.bool_]


class Sizes(NamedTuple):
    """How much work there is."""

    items: int = 1_000_000
    clusters: int = 1_000
    resamples: int = 10_000
    plain: int = 30  # resamples of the plain loop


QUICK = Sizes(items=20_000, clusters=100, resamples=1_000)


def scored(items: int, kind: str) -> tuple[Array, Flags]:
    """Scores that tell a fifth of positives from negatives, well but not perfectly."""
    rng = np.random.default_rng(0)
    labels = rng.random(items) < 0.2
    normal = rng.normal(size=items) + 1.5 * labels
    uniform = np.clip(0.5 * rng.random(items) + rng.random(items) * (0.3 + 0.2 * labels), 0.0, 1.0)
    scores = {
        "uniform": uniform,
        "normal": normal,
        "float32": normal.astype(np.float32),
        "tied": np.round(uniform, 2),
    }
    return scores[kind], labels


KINDS = {
    "uniform": "float64 within 0 and 1",
    "normal": "float64 of both signs",
    "float32": "float32 of both signs",
    "tied": "float64, two decimals",
}


def roc(sizes: Sizes) -> list[Duel]:
    """ROC-AUC of all items against scikit-learn's roc_auc_score."""
    duels = []
    for kind, name in KINDS.items():
        scores, labels = scored(sizes.items, kind)
        duels.append(
            duel(
                name,
                partial(ours.roc_auc, scores, labels),
                partial(roc_auc_score, labels, scores),
            )
        )
    return duels


def delong(sizes: Sizes) -> list[Duel]:
    """Area, deviation and plain interval against rank_compare_2indep; "apart" is relative here."""
    duels = []
    for kind, name in KINDS.items():
        scores, labels = scored(sizes.items, kind)
        mine, theirs = (partial(side, scores, labels) for side in (our_delong, their_delong))
        expected = theirs()
        # The deviation is a thousandth of the area, so an absolute difference would say little.
        apart = float(np.max(np.abs(mine() - expected) / np.abs(expected)))
        duels.append(replace(duel(name, mine, theirs), apart=apart))
    return duels


def our_delong(scores: Array, labels: Flags) -> Array:
    """Area, deviation and ends, the latter as statsmodels has them."""
    found = ours.roc_auc_ci(scores, labels, scale="plain")
    return np.array([found.value, found.sd, found.interval.low, found.interval.high])


def their_delong(scores: Array, labels: Flags) -> Array:
    """DeLong's variance by statsmodels, which takes the two classes apart."""
    found = rank_compare_2indep(scores[labels], scores[~labels], use_t=False)
    return np.array([found.prob1, math.sqrt(found.var_prob), *found.conf_int()])


def paired(sizes: Sizes) -> list[Duel]:
    """Paired comparison, as a multiple of two single intervals and one np.argsort."""
    for kind, name in KINDS.items():
        scores, labels = scored(sizes.items, kind)
        others = np.random.default_rng(1).permuted(scores)
        others = np.where(labels, scores, others).astype(scores.dtype)
        compared, *parts = shortest(
            partial(ours.compare_paired, scores, others, labels),
            partial(ours.roc_auc_ci, scores, labels),
            partial(ours.roc_auc_ci, others, labels),
            partial(np.argsort, scores),
        )
        print(
            f"{name:<44}{1e3 * compared:>9.2f} ms{1e3 * sum(parts):>9.2f} ms"
            f"{compared / sum(parts):>10.2f} times as long",
            flush=True,
        )
    return []


def shortest(*works: Callable[[], Any], turns: int = 5) -> list[float]:
    """The least time of each function, run in turn."""
    took = [math.inf] * len(works)
    for _ in range(turns):
        for at, work in enumerate(works):
            start = time.perf_counter()
            work()
            took[at] = min(took[at], time.perf_counter() - start)
    return took


def ranked(items: int, kind: str) -> tuple[Array, Array]:
    """Confidence and loss, the lower the surer."""
    rng = np.random.default_rng(0)
    confidence = rng.random(items)
    wrong = rng.random(items) < 0.5 * (1.0 - confidence)
    loss = rng.exponential(size=items) * wrong if kind == "real" else wrong.astype(float)
    return (np.round(confidence, 2) if kind == "tied" else confidence), loss


LOSSES = {
    "distinct": "0/1 loss, no ties",
    "tied": "0/1 loss, two decimals",
    "real": "real loss, no ties",
}


def aurc(sizes: Sizes) -> list[Duel]:
    """AURC against the documented functions on lists of items; "mean" is another number."""
    duels = []
    for kind, name in LOSSES.items():
        confidence, loss = ranked(sizes.items, kind)
        plain = partial(compute_aurc, items_of(confidence, loss))
        area = partial(selective.aurc, confidence, loss)
        duels.append(duel(f"trapezoid: {name}", partial(area, estimator="trapezoid"), plain))
        duels.append(duel(f"mean: {name}", area, plain))
    return duels


def items_of(confidence: Array, loss: Array) -> list[ItemPrediction]:
    """Items with that absolute error."""
    pairs = zip(confidence.tolist(), loss.tolist(), strict=True)
    return [ItemPrediction(cost, 0.0, sure) for sure, cost in pairs]


def torch_uncertainty(sizes: Sizes) -> list[Duel]:
    """AURC against torch-uncertainty: what its `compute` takes, and with its `update` before."""
    # Its sort keeps ties in no order of their own, so tied rows agree to some 1e-5 only; in a
    # stable order its area is ours.
    if AURC is None:
        print("left out: torch-uncertainty is not installed. See scripts/bench ranked --help.")
        return []
    print(f"torch uses {torch.get_num_threads()} threads, errbar one")
    duels = []
    before = torch.get_default_dtype()
    for number in (torch.float32, torch.float64):
        torch.set_default_dtype(number)  # the type in which torch stores and sums losses
        for kind in ("distinct", "tied"):
            confidence, loss = ranked(sizes.items, kind)
            confidence = 0.5 + 0.5 * confidence.astype(str(number).removeprefix("torch."))
            sure = torch.from_numpy(confidence)
            given = torch.stack([sure, 1 - sure], 1), torch.from_numpy(loss.astype(np.int64))
            area = partial(selective.aurc, confidence, loss, estimator="torch-uncertainty")
            filled = AURC(compute_with_cache=False)
            filled.update(*given)
            digits = "two decimals" if kind == "tied" else "all digits"  # float32 then ties a few
            name = f"{confidence.dtype}, {digits}"
            duels += [
                duel(f"compute: {name}", area, filled.compute),
                duel(f"mean: {name}", partial(selective.aurc, confidence, loss), filled.compute),
                duel(f"both: {name}", area, partial(updated, given)),
            ]
    torch.set_default_dtype(before)
    return duels


def updated(given: tuple[Any, Any]) -> Any:
    """From probabilities and targets to the area."""
    metric = AURC()
    metric.update(*given)
    return metric.compute()


def bootstrap(sizes: Sizes) -> list[Duel]:
    """AURC of clusters of 8 items, 30 % unanswered, against a plain loop over lists of items."""
    scaled = "" if sizes.plain == sizes.resamples else ", and its time is scaled up"
    print(
        f"{sizes.resamples:,} resamples of {sizes.clusters:,} clusters; the loop ran "
        f"{sizes.plain:,} of them{scaled}.\n"
        f"It draws other resamples and sums trapezoids, so results are not held together."
    )
    duels = []
    for distinct in (None, 6):
        data = clustered(sizes.clusters, distinct)
        lists = lists_of(data)
        plain = shortest(partial(plain_bootstrap, lists, sizes.plain), turns=1)[0]
        name = "all confidences differ" if distinct is None else f"{distinct} confidences"
        for method in (
            selective.Bootstrap(sizes.resamples, ends="percentile"),
            selective.Bootstrap(sizes.resamples, ends="bca"),
        ):
            work = partial(selective.estimate, "aurc", data, method=method, rng=0)
            extra = extra_memory(work)
            took = shortest(work, turns=3)[0]
            label = f"{name}, {method.ends}"
            print(f"{f'extra memory: {label}':<44}{extra:>9.1f} MB", flush=True)
            duels.append(Duel(label, took, plain / sizes.plain * sizes.resamples, math.nan))
    return duels


def clustered(clusters: int, distinct: int | None) -> selective.Predictions:
    """Clusters that share a difficulty; who is unsure often does not answer."""
    rng = np.random.default_rng(0)
    ease = np.repeat(0.8 * rng.normal(size=clusters), 8) + rng.normal(size=8 * clusters)
    confidence = 1.0 / (1.0 + np.exp(-ease - rng.normal(size=ease.size)))
    if distinct is not None:
        confidence = np.floor(confidence * distinct) / distinct
    wrong = rng.random(ease.size) < 1.0 / (1.0 + np.exp(1.5 * ease + 1.0))
    unsure = confidence + 0.5 * rng.random(ease.size)
    answered = unsure > np.quantile(unsure, 0.3)
    return selective.Predictions(confidence, wrong, answered, np.arange(ease.size) // 8)


def lists_of(data: selective.Predictions) -> list[list[ItemPrediction]]:
    """A list of items for each cluster."""
    flat = [
        ItemPrediction(cost if held else None, 0.0, sure)
        for cost, held, sure in zip(
            data.loss.tolist(), data.answered.tolist(), data.confidence.tolist(), strict=True
        )
    ]
    return [flat[start : start + 8] for start in range(0, len(flat), 8)]


def plain_bootstrap(clusters: list[list[ItemPrediction]], resamples: int) -> list[float]:
    """What one would write without arrays."""
    draw = random.Random(0)
    areas = []
    for _ in range(resamples):
        drawn = draw.choices(clusters, k=len(clusters))
        areas.append(compute_aurc([item for cluster in drawn for item in cluster]))
    return areas


def memory(sizes: Sizes) -> list[Duel]:
    """Peak of what one call on all items allocates."""
    scores, labels = scored(sizes.items, "normal")
    confidence, loss = ranked(sizes.items, "distinct")
    works: dict[str, Callable[[], Any]] = {
        "roc_auc": partial(ours.roc_auc, scores, labels),
        "roc_auc_ci": partial(ours.roc_auc_ci, scores, labels),
        "compare_paired": partial(ours.compare_paired, scores, -scores, labels),
        "aurc": partial(selective.aurc, confidence, loss),
        "scikit-learn roc_auc_score": partial(roc_auc_score, labels, scores),
        "statsmodels rank_compare_2indep": partial(their_delong, scores, labels),
    }
    for name, work in works.items():
        print(f"{name:<44}{extra_memory(work):>9.1f} MB", flush=True)
    return []


def extra_memory(work: Callable[[], Any]) -> float:
    """Peak of what it allocates, in MB."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


PARTS: dict[str, Callable[[Sizes], list[Duel]]] = {
    "roc": roc,
    "delong": delong,
    "paired": paired,
    "aurc": aurc,
    "torch": torch_uncertainty,
    "bootstrap": bootstrap,
    "memory": memory,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="scripts/bench ranked",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("parts", nargs="*", help=f"some of: {', '.join(PARTS)}")
    parser.add_argument("--slow", action="store_true", help="with the plain bootstrap in full")
    parser.add_argument("--quick", action="store_true", help="with few items")
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"no part {sorted(unknown)[0]!r}; there are {', '.join(PARTS)}")
    sizes = QUICK if options.quick else Sizes()
    if options.slow:
        sizes = sizes._replace(plain=sizes.resamples)
    print(f"{sizes.items:,} items")
    for name in options.parts or PARTS:
        print(f"\n{name}: {PARTS[name].__doc__}", flush=True)
        duels = PARTS[name](sizes)
        if duels:
            print(HEADER)
        for each in duels:
            print(each, flush=True)
        if len(duels) > 1:
            print(f"{'geometric mean':<68}{geometric_mean(duels):>10.1f}×")
            print(f"{'least':<68}{min(d.ratio for d in duels):>10.1f}×", flush=True)


if __name__ == "__main__":
    main()
