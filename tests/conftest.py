"""Property tests draw the same examples on every machine and leave no database behind."""

import pytest
from hypothesis import settings

import optional_packages
import quick
from shared_engine import shared_engine

__all__ = ["shared_engine"]

collect_ignore_glob = ["fixtures/*"]  # scripts that run harnesses; no test, no example

settings.register_profile("errbar", derandomize=True, deadline=None, database=None, max_examples=40)
settings.load_profile("errbar")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="a fast part: tests/support/quick.py")


def pytest_configure(config: pytest.Config) -> None:
    """What holds for examples in `src` as well, which the hooks of this file do not reach."""
    config.pluginmanager.register(optional_packages, "errbar optional packages")
    if config.getoption("--quick"):
        config.pluginmanager.register(quick, "errbar quick")
