"""errbar: honest scores from raw evaluation logs."""

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from errbar import eval as eval  # noqa: A004
    from errbar.data.statistics import CategoryCounts as CategoryCounts
    from errbar.data.statistics import Counts as Counts
    from errbar.metrics import family as family
    from errbar.metrics import parse as parse

_HOMES = {
    "CategoryCounts": "errbar.data.statistics",
    "Counts": "errbar.data.statistics",
    "eval": "errbar",
    "family": "errbar.metrics",
    "parse": "errbar.metrics",
}

__all__ = ["CategoryCounts", "Counts", "__version__", "eval", "family", "parse"]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'errbar' has no attribute {name!r}")
    home = _HOMES[name]
    if home == "errbar":
        return importlib.import_module(f"errbar.{name}")
    return getattr(importlib.import_module(home), name)


def __dir__() -> list[str]:
    return __all__
