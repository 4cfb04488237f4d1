"""Comparisons of systems by their confidences: risk and coverage, and ROC-AUC.

Items come from outcomes, from `Predictions` of each system, or from scores and labels. All are
compared by `compare_items`, so equal items give equal numbers.
"""

import warnings
from collections.abc import Mapping, Sequence, Sized
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from errbar.analysis.alignment import several_by_task
from errbar.analysis.compare import Adjust, ComparisonRequest
from errbar.analysis.compare_items import TestedDifference, compare_items, tested_comparison
from errbar.analysis.item_pairs import ItemMetric
from errbar.analysis.methods import Calibrated
from errbar.analysis.methods.bootstrap import Bootstrap, Gap, require_bootstrap
from errbar.analysis.ranked import PairedItems, items_by_system, paired_items
from errbar.analysis.readings import rows_never_scored
from errbar.analysis.roc import paired_areas, unpaired_areas
from errbar.analysis.selective import ranked_metric
from errbar.base.arguments import require_text, strict_share
from errbar.base.arrays import Array, are_same
from errbar.data.columns import Key
from errbar.data.labelled_scores import Scored
from errbar.data.predictions import Predictions
from errbar.data.queries.ranked_rows import RankedItems
from errbar.data.sources.tables import Source
from errbar.errors import InputError, UnequalCoverage, WrongType
from errbar.metrics import Metric
from errbar.metrics.base import metric_of
from errbar.metrics.confidence import COMMON, Augrc, Aurc, LabelMetric, RankedMetric, RiskAt, RocAuc
from errbar.results.comparisons import Comparisons
from errbar.results.estimate import Estimand

_DEFAULT = Bootstrap()
_QUARTERS = (0.25, 0.5, 0.75)  # of the common coverage, where no coverage is asked for


def ranked_metrics(metrics: Sequence[Metric | str]) -> list[ItemMetric]:
    """The metrics if they are of ranked items; empty if none is, and an error for a mixture."""
    named = [metric_of(metric) for metric in metrics]
    ranked = [metric for metric in named if isinstance(metric, RankedMetric | LabelMetric)]
    if ranked and len(ranked) < len(named):
        unranked = next(metric for metric in named if metric not in ranked)
        raise InputError(
            f"{ranked[0]} is compared by items and {unranked} by questions; ask for one kind of "
            f"metric at a time."
        )
    return ranked


def compare_ranked(
    source: Source,
    request: ComparisonRequest[ItemMetric],
    method: Bootstrap,
    rng: np.random.Generator | int,
) -> Comparisons:
    """Compare systems of outcomes on the items that both of a pair have, with remarks on them."""
    if request.intervals.estimand is not Estimand.POPULATION:
        raise InputError(
            f"{request.metrics[0]}: ranked items are compared for the estimand 'population' only."
        )
    items, refused = items_by_system(source)
    items_of: dict[Key, RankedItems | InputError] = {
        key: items[key] if key in items else refused[key] for key in sorted({*items, *refused})
    }
    tasks, remarks_on_single = several_by_task(items_of, request.system_names())
    tables = [paired_items(task, each) for task, each in tasks.items()]
    comparisons = compare_items(tables, request, method, rng)
    on_data = [*rows_never_scored(source), *source.origin.remarks]
    return replace(comparisons, remarks=(*remarks_on_single, *comparisons.remarks, *on_data))


def compare(
    systems: Mapping[str, Predictions],
    *metrics: RankedMetric | str,
    coverages: Sequence[float] | None = None,
    baseline: str | None = None,
    margin: float | None = None,
    adjust: Adjust = "bonferroni",
    method: Bootstrap = _DEFAULT,
    rng: np.random.Generator | int,
) -> Comparisons:
    """Compare systems, pair by pair on the same items in the same order.

    Numbers are those of `Runs.compare` on the same items.

    Parameters
    ----------
    systems
        The predictions of each system, by its name.
    *metrics
        What to compare by. If none, the areas up to the coverage that both of a pair reach, and
        the risk at `coverages`.
    coverages
        Where to compare risks; quarters of the coverage that all systems reach if neither these
        nor metrics are given.
    baseline, margin, adjust
        As in `Runs.compare`.
    method
        How items, or clusters of them, are resampled, and the level of all intervals together.
    rng
        A seed or a generator.

    Examples
    --------
    >>> a = Predictions([0.9, 0.8, 0.7, 0.6] * 12, [0, 0, 0, 1] * 12)
    >>> b = Predictions([0.9, 0.8, 0.7, 0.6] * 12, [0, 1, 1, 0] * 12)
    >>> [row.verdict for row in compare({"a": a, "b": b}, coverages=[0.5], rng=0)]
    ['a is better', 'a is probably better', 'a is better']
    """
    require_bootstrap(method)
    require_text(baseline=baseline)
    data = _same_items(systems)
    reach = {name: each.coverage for name, each in systems.items()}
    chosen = _metrics(metrics, coverages, reach)
    how = ComparisonRequest(
        chosen,
        baseline=baseline,
        margin=margin,
        adjust=adjust,
        intervals=Calibrated(level=method.level),
    )
    comparisons = compare_items([data], how, method, rng)
    clusters = int(data.clusters.max()) + 1
    remarks = [f"Coverage: {', '.join(f'{name} {share:.4g}' for name, share in reach.items())}."]
    if clusters < data.clusters.size:
        remarks.append(f"Items are in {clusters} clusters.")
    return replace(comparisons, remarks=(*remarks, *comparisons.remarks))


def _metrics(
    metrics: Sequence[RankedMetric | str],
    coverages: Sequence[float] | None,
    reach: Mapping[str, float],
) -> list[ItemMetric]:
    """The metrics to compare by, with a warning if the areas extend to different coverages."""
    named = [ranked_metric(metric) for metric in metrics]
    for metric in named:
        if metric.uses_full_reach and len(set(reach.values())) > 1:
            warnings.warn(
                f"{metric} up to different largest coverages favours the system that answers "
                f"least; {metric.head}(coverage={COMMON!r}) goes up to the coverage that both "
                f"systems reach.",
                UnequalCoverage,
                stacklevel=3,
            )
    if coverages is None:
        common = 0.0 if named else min(reach.values())
        coverages = [float(f"{common * part:.2g}") for part in _QUARTERS if common]
    if isinstance(coverages, str) or not np.iterable(coverages):
        raise WrongType(f"coverages must be a list; got {coverages!r}.")
    areas = [] if named else [Aurc(COMMON), Augrc(COMMON)]
    return [*named, *(RiskAt(coverage) for coverage in coverages), *areas]


def _same_items(systems: Mapping[str, Predictions]) -> PairedItems:
    """The items of all systems, which must be the same items in the same clusters."""
    if not isinstance(systems, Mapping) or len(systems) < 2:
        raise InputError(
            "a comparison needs at least two systems, by name: {'a': Predictions(…), …}."
        )
    for name, data in systems.items():
        if not isinstance(data, Predictions):
            raise WrongType(f"{name!r} must be Predictions; got {type(data).__name__}.")
    first, *others = systems
    size, clusters = len(systems[first]), systems[first].clusters
    for other in others:
        if len(systems[other]) != size:
            raise InputError(
                f"systems are compared on the same items in the same order; {first!r} has "
                f"{size} and {other!r} has {len(systems[other])}."
            )
        if not are_same(clusters, systems[other].clusters):
            raise InputError(f"{first!r} and {other!r} must have the same clusters, item by item.")
    names = tuple(systems)
    return PairedItems(
        task="",
        systems=names,
        refused={},
        everyone=names,
        present=np.ones((len(names), size), dtype=bool),
        confidence=np.stack([_ranks(data) for data in systems.values()]),
        loss=np.stack([np.where(data.answered, data.loss, np.nan) for data in systems.values()]),
        clusters=np.arange(size) if clusters is None else clusters,
    )


def _ranks(data: Predictions) -> Array:
    """Ranks of the confidences: exact as floats, whatever their type."""
    return np.unique(data.confidence, return_inverse=True)[1].astype(float)


def compare_paired(
    scores: ArrayLike, other_scores: ArrayLike, labels: ArrayLike, *, level: float = 0.95
) -> Comparisons:
    """ROC-AUC of two scores of the same items, by DeLong's covariance.

    It assumes that there are no rare failures; `Runs.compare` does not.

    Examples
    --------
    >>> print(compare_paired([1, 2, 4, 3, 6, 5], [2, 4, 5, 6, 3, 1], [0, 0, 0, 1, 1, 1])[0])
    roc-auc: first vs second: inconclusive (0.44, 95% CI -0.37 to 1.00)
    """
    gap = paired_areas(scores, other_scores, labels, strict_share(level, "level"))
    return _areas(gap, level, len(cast(Sized, labels)), "DeLong's covariance")


def compare_unpaired(first: Scored, second: Scored, *, level: float = 0.95) -> Comparisons:
    """ROC-AUC of scores on different items, by DeLong's variances.

    Examples
    --------
    >>> first, second = Scored([1, 3, 2, 4], [0, 0, 1, 1]), Scored([1, 2, 3], [0, 1, 0])
    >>> print(compare_unpaired(first, second)[0])
    roc-auc: first vs second: inconclusive (0.25, no interval: a single positive or negative \
gives no spread)
    """
    gap = unpaired_areas(first, second, strict_share(level, "level"))
    words = "DeLong's variances of independent samples"
    return _areas(gap, level, len(first) + len(second), words)


def _areas(gap: Gap, level: float, items: int, words: str) -> Comparisons:
    request: ComparisonRequest[ItemMetric] = ComparisonRequest(
        [RocAuc()], intervals=Calibrated(level=level)
    )
    names = ("first", "second")
    row = tested_comparison(RocAuc(), names, TestedDifference(gap), request, items)
    return Comparisons((row,), words)
