"""Ranked rows, or groups of them, × metrics → estimates with what there is to say of them."""

from collections.abc import Sequence

import numpy as np

from errbar import roc, selective
from errbar.data.grouped import Grouped
from errbar.data.ranked import Predictions
from errbar.data.ranked_rows import RankedRows
from errbar.data.scored import Scored
from errbar.estimate import RankedEstimate, RankedScores
from errbar.metrics.selective import RankedMetric
from errbar.uncertainty import Bootstrap

Named = Sequence[tuple[str, RankedRows | Grouped]]  # by the name of the system
Seed = np.random.Generator | int

_USUAL = ("aurc", "augrc", "e-aurc")


def selective_scores(
    found: Named,
    metrics: Sequence[RankedMetric | str],
    method: Bootstrap,
    rng: Seed,
    *,
    bins: int | None,
    guessed: str,
) -> RankedScores:
    """Risk and coverage of every system."""
    data = [(name, _predictions(rows)) for name, rows in found]
    results = [
        (name, selective.estimate(metric, one, method=method, rng=rng))
        for name, one in data
        for metric in metrics or _USUAL
    ]
    unanswered = sum(len(one) - int(np.sum(one.answered)) for _, one in data)
    return _told(results, method, unanswered, bins, guessed)


def roc_scores(
    found: Named, method: Bootstrap, rng: Seed, *, bins: int | None, guessed: str
) -> RankedScores:
    """The area of every system, from the rows that are answered."""
    results = [(name, roc.estimate(_scored(rows), method=method, rng=rng)) for name, rows in found]
    unanswered = sum(
        len(rows) - rows.answered if isinstance(rows, Grouped) else int((rows.answered == 0).sum())
        for _, rows in found
    )
    return _told(results, method, unanswered, bins, guessed)


def _predictions(rows: RankedRows | Grouped) -> Predictions | Grouped:
    """A row costs 1 unless its outcome is 1."""
    if isinstance(rows, Grouped):
        return rows
    lost = 1.0 - np.nan_to_num(rows.outcome)
    return Predictions(rows.confidence, lost, rows.answered, rows.cluster)


def _scored(rows: RankedRows | Grouped) -> Scored | Grouped:
    if isinstance(rows, Grouped):
        return rows
    held = rows.answered.astype(bool)
    return Scored(rows.confidence[held], rows.outcome[held], clusters=rows.cluster[held])


def _told(
    results: list[tuple[str, RankedEstimate]],
    method: Bootstrap,
    unanswered: int,
    bins: int | None,
    guessed: str,
) -> RankedScores:
    words, remarks = method.describe(), []
    in_groups = [one for _, one in results if one.groups]
    if in_groups:
        clusters = " or ".join(dict.fromkeys(f"{one.clusters:,}" for one in in_groups))
        most = max(one.groups for one in in_groups)
        words += f" of {most} groups, into which {clusters} clusters were put at random"
    if bins is not None:
        furthest = max((one.bin_error for _, one in results), default=0.0)
        remarks.append(
            f"Confidences are in {bins} bins at most: no value is further than {furthest:.2g} from "
            f"what it is without them. An interval is that of the binned value."
        )
    if unanswered:
        remarks.append(f"{unanswered} rows are not answered.")
    if guessed:
        remarks.append(f"Columns: {guessed}.")
    return RankedScores(tuple(results), words, tuple(remarks))
