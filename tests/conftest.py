"""Property tests draw the same examples on every machine and leave no database behind.

`ERRBAR_FUZZ=1000 scripts/test` draws more of them, and breaks more logs.
"""

import gc
import os
from collections.abc import Iterator
from typing import Any

import pytest

import optional_packages
import quick
from shared_draws import shared_draws, short_chains
from shared_engine import shared_engine

__all__ = ["shared_draws", "shared_engine", "short_chains"]

collect_ignore_glob = ["fixtures/*"]  # scripts that run harnesses; no test, no example

_EXAMPLES = int(os.environ.get("ERRBAR_FUZZ", "15"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="a fast part: tests/support/quick.py")


def pytest_configure(config: pytest.Config) -> None:
    """What holds for examples in `src` as well, which the hooks of this file do not reach."""
    config.pluginmanager.register(optional_packages, "errbar optional packages")
    in_short = config.getoption("--quick")
    if in_short:
        config.pluginmanager.register(quick, "errbar quick")
    if "hypothesis" not in optional_packages.MISSING:
        _draw_examples(min(10, _EXAMPLES) if in_short else _EXAMPLES)


def pytest_collection() -> None:
    """Tests that are collected stay: to look for garbage among them takes a third of the time."""
    gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_unconfigure() -> None:
    gc.unfreeze()


def _draw_examples(number: int) -> None:
    from hypothesis import settings  # noqa: PLC0415  where it is missing, its tests are skipped

    settings.register_profile(
        "errbar", derandomize=True, deadline=None, database=None, max_examples=number
    )
    settings.load_profile("errbar")


@pytest.fixture(scope="module")
def tabs() -> Iterator[Any]:
    """Chromium."""
    from browser_pages import launched  # noqa: PLC0415  it needs playwright

    yield from launched()


@pytest.fixture
def browser(tabs: Any) -> Iterator[Any]:
    """Chromium, with pages that are free again after the test."""
    yield tabs
    tabs.give_back()
