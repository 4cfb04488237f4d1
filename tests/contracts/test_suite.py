"""How the tests themselves are run: what is left out, what is skipped, and what is shared."""

import re
import shutil
import subprocess
import tomllib
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

import optional_packages
from optional_packages import PACKAGES, Package, installation_lines, missing_package
from quick import SLOW_FILES, SLOW_TESTS, TESTS, WHOLE_FILES

MISSING = {"openpyxl": PACKAGES["openpyxl"], "pandas": PACKAGES["pandas"]}


def failed(text: str, printed: str = "") -> Any:
    return SimpleNamespace(
        outcome="failed", longreprtext=text, capstdout=printed, nodeid="a.py::b", longrepr=None
    )


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("E   ModuleNotFoundError: No module named 'pandas'", "pandas"),
        ("No module named 'pandas.io'", "pandas"),
        ("ImportError: Missing optional dependency 'openpyxl'. Use pip", "openpyxl"),
        ("reading Excel needs openpyxl: pip install 'errbar[excel]'.", "openpyxl"),
        ("No module named 'pandasql'", None),
        ("No module named 'polars'", None),
        ("assert 1 == 2  # of pandas", None),
    ],
)
def test_a_failure_is_about_a_missing_package_only_if_it_says_so(
    text: str, name: str | None
) -> None:
    assert missing_package(text, MISSING) == name


def test_lack_of_a_package_is_a_skip_with_its_reason_and_no_other_failure_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(optional_packages, "MISSING", {"gone": Package("gone")})
    monkeypatch.delenv("CI", raising=False)
    reports = [failed("No module named 'gone'"), failed("", "No module named 'gone'"), failed("x")]
    for report in reports:
        optional_packages.skip_for_missing_package(report)
    assert [report.outcome for report in reports] == ["skipped", "skipped", "failed"]
    (line,) = installation_lines(reports[:2])
    assert line == "2 skipped: gone is not installed. To install it: scripts/setup test"
    monkeypatch.setenv("CI", "true")
    report = failed("No module named 'gone'")
    optional_packages.skip_for_missing_package(report)
    assert report.outcome == "failed"


def test_the_summary_names_the_command_that_installs_what_was_missing() -> None:
    reasons = [
        "scripts/harness inspect_ai installs the package",
        "no Chromium: scripts/browser installs it",
        "there are no real logs of helm beside the repository",
    ]
    reports = [SimpleNamespace(longrepr=("a.py", 1, f"Skipped: {reason}")) for reason in reasons]
    ends = [line.partition("To install it: ")[2] for line in installation_lines(reports)]
    assert ends == ["scripts/browser", "scripts/harness inspect_ai"]


def test_every_package_for_tests_may_be_missing() -> None:
    with (TESTS.parent / "pyproject.toml").open("rb") as file:
        extra = tomllib.load(file)["project"]["optional-dependencies"]["test"]
    names = {re.split(r"[\[<>=]", requirement)[0] for requirement in extra}
    assert names - {"pytest", "pytest-xdist"} == set(PACKAGES)


def test_what_quick_tests_leave_out_exists() -> None:
    assert {name for name in SLOW_FILES | WHOLE_FILES if not (TESTS / name).exists()} == set()
    text = "".join(path.read_text(encoding="utf-8") for path in TESTS.rglob("test_*.py"))
    assert {name for name in SLOW_TESTS if f"def {name}(" not in text} == set()


def test_connections_share_an_engine_and_see_nothing_of_each_other() -> None:
    connections = [duckdb.connect(), duckdb.connect()]
    for at, connection in enumerate(connections):
        connection.execute(f"CREATE TABLE outcomes AS SELECT {at} AS number")
    for at, connection in enumerate(connections):
        assert connection.execute("SELECT number FROM outcomes").fetchall() == [(at,)]
    databases = "SELECT count(*) FROM duckdb_databases() WHERE starts_with(database_name, 'own_')"
    assert connections[0].execute(databases).fetchall()[0][0] >= 2


@pytest.mark.skipif(shutil.which("sh") is None, reason="scripts need a POSIX shell")
def test_every_benchmark_that_is_named_can_be_run_by_its_name() -> None:
    root = TESTS.parent
    run = subprocess.run(
        ["sh", "scripts/bench", "--list"], cwd=root, check=True, capture_output=True, text=True
    )
    listed = run.stdout.split()
    pages = [*root.glob("*.md"), *root.glob("docs/**/*.md")]
    text = "".join(path.read_text(encoding="utf-8") for path in pages)
    named = set(re.findall(r"scripts/bench ([a-z_]+)", text))
    assert {"adversarial", "probabilities", "ranked"} <= named <= set(listed)
    for name in listed:
        assert any(
            (root / "benchmarks" / place).is_file()
            for place in (f"{name}.py", f"{name}/__main__.py")
        )
