"""Rows with a confidence, fetched one by one: what ranking asks for as long as they fit."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.data.rankable import SURE, TOGETHER, Rankable
from errbar.data.rows import fetch

MOST_RANKED_ROWS = 20_000_000  # 2 GB of rows


class RankedRows(NamedTuple):
    """Rows of one system and task."""

    confidence: NDArray[Any]
    outcome: NDArray[Any]  # nan where there is no answer, or no result of one
    cluster: NDArray[Any]

    @property
    def answered(self) -> NDArray[np.bool_]:
        """Which rows have an answer with a result."""
        return ~np.isnan(self.outcome)


def ranked_rows(found: Rankable) -> dict[tuple[str, ...], RankedRows]:
    """Confidence, result and cluster of every row, by system and task."""
    table = fetch(found.rows.select("system", "task", TOGETHER, SURE, "outcome"))
    order = np.lexsort((table["task"].astype(str), table["system"].astype(str)))
    keys = list(zip(table["system"][order].tolist(), table["task"][order].tolist(), strict=True))
    starts = [at for at in range(len(keys)) if at == 0 or keys[at] != keys[at - 1]]
    return {
        keys[start]: RankedRows(
            *(table[name][order[start:end]] for name in (SURE, "outcome", TOGETHER))
        )
        for start, end in zip(starts, [*starts[1:], len(keys)], strict=True)
    }
