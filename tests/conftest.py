"""Property tests draw the same examples on every machine and leave no database behind.

`ERRBAR_FUZZ=1000 scripts/test` draws more of them, and breaks more logs.
"""

import os

import pytest
from hypothesis import settings

import optional_packages
import quick
from shared_draws import shared_draws
from shared_engine import shared_engine

__all__ = ["shared_draws", "shared_engine"]

collect_ignore_glob = ["fixtures/*"]  # scripts that run harnesses; no test, no example

_EXAMPLES = int(os.environ.get("ERRBAR_FUZZ", "25"))
settings.register_profile(
    "errbar", derandomize=True, deadline=None, database=None, max_examples=_EXAMPLES
)
settings.load_profile("errbar")
settings.register_profile("quick", max_examples=min(10, _EXAMPLES))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="a fast part: tests/support/quick.py")


def pytest_configure(config: pytest.Config) -> None:
    """What holds for examples in `src` as well, which the hooks of this file do not reach."""
    config.pluginmanager.register(optional_packages, "errbar optional packages")
    if config.getoption("--quick"):
        settings.load_profile("quick")
        config.pluginmanager.register(quick, "errbar quick")
