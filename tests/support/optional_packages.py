"""Packages that tests use beside the dependencies of errbar, and skips where they are missing.

A test, or a whole file of tests, that needs a missing package is skipped and says which; at the end
of the run stands what was skipped and which command installs it. Where `CI` is set nothing is
missing on purpose, so there such a test fails.
"""

import importlib.util
import os
import re
from collections import Counter
from collections.abc import Generator, Iterator, Mapping
from typing import Any, NamedTuple

import pytest


class Package(NamedTuple):
    """How tests import it, and the extras in which errbar says that it is missing."""

    module: str
    extras: tuple[str, ...] = ()


PACKAGES: Mapping[str, Package] = {
    "axe-playwright-python": Package("axe_playwright_python"),
    "choix": Package("choix"),
    "dask": Package("dask"),
    "hypothesis": Package("hypothesis"),
    "ibis-framework": Package("ibis"),
    "ipykernel": Package("ipykernel"),
    "jinja2": Package("jinja2", ("report",)),
    "mpmath": Package("mpmath"),
    "nbclient": Package("nbclient"),
    "openpyxl": Package("openpyxl", ("excel",)),
    "pandas": Package("pandas"),
    "playwright": Package("playwright"),
    "polars": Package("polars"),
    "pyarrow": Package("pyarrow", ("arrow",)),
    "pyspark": Package("pyspark", ("spark",)),
    "pyyaml": Package("yaml", ("yaml",)),
    "scikit-learn": Package("sklearn", ("alpaca",)),
    "vl-convert-python": Package("vl_convert", ("plot",)),
}
INSTALLED_BY = "scripts/setup test"

# A reason that names what is missing, and the command that installs it.
COMMANDS = {
    r"(.+) is not installed": INSTALLED_BY,
    r"could not import .*": INSTALLED_BY,  # the words of pytest.importorskip
    r".*(scripts/harness \w+) installs .*": r"\1",
    r".*(scripts/browser) installs .*": r"\1",
    r".*(scripts/docs) builds .*": r"\1",
    r"Spark runs on Java.*": "apt-get install default-jre-headless (or set JAVA_HOME)",
}


def missing_packages() -> dict[str, Package]:
    """Optional packages that cannot be imported here."""
    return {name: package for name, package in PACKAGES.items() if not _is_there(package.module)}


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):  # ValueError: a test has put None in its place
        return False


MISSING = missing_packages()


def missing_package(text: str, missing: Mapping[str, Package]) -> str | None:
    """The missing package that caused a failure, from the message of Python, pandas or errbar."""
    for name, (module, extras) in missing.items():
        said = [
            rf"No module named '{module}\b",
            rf"(Missing optional dependency|usable engine; tried using:).*'{module}'",
            *(rf"errbar\[{extra}\]" for extra in extras),
        ]
        if any(re.search(pattern, text) for pattern in said):
            return name
    return None


def skip_for_missing_package(report: pytest.CollectReport | pytest.TestReport) -> None:
    """Turn a failure for lack of an optional package into a skip that names it."""
    if report.outcome != "failed" or not MISSING or "CI" in os.environ:
        return
    name = missing_package(f"{report.longreprtext}\n{report.capstdout}", MISSING)
    if name is not None:
        path = report.nodeid.partition("::")[0]
        report.outcome = "skipped"
        report.longrepr = (path, 0, f"Skipped: {name} is not installed")


def installation_lines(reports: list[Any]) -> Iterator[str]:
    """Which tests were skipped for lack of which package, and the command that installs it."""
    reasons = Counter(str(report.longrepr[2]).removeprefix("Skipped: ") for report in reports)
    for reason, times in sorted(reasons.items()):
        for pattern, command in COMMANDS.items():
            if found := re.fullmatch(pattern, reason):
                yield f"{times} skipped: {reason}. To install it: {found.expand(command)}"


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    skip_for_missing_package(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    skip_for_missing_package(report)
    return report


def pytest_terminal_summary(terminalreporter: Any) -> None:
    lines = list(installation_lines(terminalreporter.stats.get("skipped", [])))
    if lines:
        terminalreporter.section("skipped for lack of something that can be installed")
        for line in lines:
            terminalreporter.line(line)
