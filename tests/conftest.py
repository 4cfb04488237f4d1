"""Property tests draw the same examples on every machine and leave no database behind."""

from hypothesis import settings

from shared_engine import shared_engine

__all__ = ["shared_engine"]

collect_ignore_glob = ["fixtures/*"]  # scripts that run harnesses; no test, no example

settings.register_profile("errbar", derandomize=True, deadline=None, database=None, max_examples=40)
settings.load_profile("errbar")
