"""The one list of metrics: what stands before k in a name → its class."""

from collections.abc import Callable
from typing import TypeVar

from errbar.metrics.base import Metric

METRICS: dict[str, type[Metric]] = {}
ALIASES: dict[str, str] = {}

M = TypeVar("M", bound=type[Metric])


def register(head: str, *aliases: str) -> Callable[[M], M]:
    """Give a metric its name; `aliases` are read but never printed."""

    def add(metric: M) -> M:
        metric.head = head
        METRICS[head] = metric
        ALIASES.update(dict.fromkeys(aliases, head))
        return metric

    return add
