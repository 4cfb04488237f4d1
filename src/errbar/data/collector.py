"""Python's search for cycles, paused while data without any are read.

What JSON holds has no cycles; the search walks through all of it again and again, and takes up to
half of the time.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused_collector() -> Iterator[None]:
    """No search for cycles while it lasts, if there was one before."""
    searches = gc.isenabled()
    if searches:
        gc.disable()
    try:
        yield
    finally:
        if searches:
            gc.enable()
