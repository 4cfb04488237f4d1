"""The pytest plug-in in real sessions of pytest, with and without pytest-xdist."""

import io
import json
import os
import subprocess
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from importlib.metadata import entry_points
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import pytest

import errbar
from documented import blocks, commands
from errbar.integrations.pytest_plugin import arguments_of
from logs import REPOSITORY

BAD = """
import pytest

@pytest.mark.errbar(trials=12, at_least=0.8)
@pytest.mark.parametrize("city", ["rome", "oslo", "lima"])
def test_books(city, tmp_path):
    assert not list(tmp_path.iterdir())
    (tmp_path / "used").touch()
    assert city == "rome"
"""

GOOD = """
import pytest

@pytest.mark.errbar(trials=40, at_least=0.8)
def test_answers():
    pass

def test_plain():
    pass
"""


class Ended(NamedTuple):
    """What a session of pytest came to."""

    returncode: int
    stdout: str
    stderr: str


def arguments(place: Path, code: str, *options: str) -> list[str]:
    """What pytest is told, for one file of tests, which this writes.

    Without the plug-ins of other packages, whose imports take longer than the tests.
    """
    (place / "test_agent.py").write_text(code, encoding="utf-8")
    plugins = ["-p", "errbar.integrations.pytest_plugin", "-p", "no:cacheprovider"]
    return [*plugins, *options]


def temporary(place: Path) -> Path:
    """Where a session may put temporary files, and must not leave any but those of `tmp_path`."""
    folder = place / "temporary"
    folder.mkdir(exist_ok=True)
    return folder


def left_in(place: Path) -> list[str]:
    return [
        each.name for each in temporary(place).iterdir() if not each.name.startswith("pytest-of-")
    ]


# What looks after a whole process, which is the one outside; the first looks for garbage in it.
_APART = ("-p", "no:unraisableexception", "-p", "no:threadexception", "-p", "no:faulthandler")


def session(place: Path, code: str, *options: str) -> Ended:
    """A session of pytest in this process, which takes a tenth of the time of a new one."""
    printed, complained = io.StringIO(), io.StringIO()
    told = ["--import-mode=importlib", *_APART, *arguments(place, code, *options)]
    with (
        pytest.MonkeyPatch.context() as patch,
        redirect_stdout(printed),
        redirect_stderr(complained),
    ):
        for name in [name for name in os.environ if name.startswith("PYTEST_")]:
            patch.delenv(name)
        patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        patch.setenv("COLUMNS", "120")
        patch.setattr(tempfile, "tempdir", str(temporary(place)))
        patch.chdir(place)
        code_of_exit = int(pytest.main(told))
        sys.modules.pop("test_agent", None)
    assert left_in(place) == []
    return Ended(code_of_exit, printed.getvalue(), complained.getvalue())


def process(place: Path, code: str, *options: str) -> Ended:
    """A session of pytest in a process of its own."""
    command = [sys.executable, "-m", "pytest", *arguments(place, code, *options)]
    environment = {name: os.environ[name] for name in os.environ if not name.startswith("PYTEST_")}
    environment |= {"TMPDIR": str(temporary(place)), "COLUMNS": "120"}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    done = subprocess.run(
        command, cwd=place, env=environment, capture_output=True, text=True, check=False
    )
    assert left_in(place) == []
    return Ended(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("workers", [(), ("-p", "xdist", "-n", "2")], ids=["alone", "xdist"])
def test_a_test_below_its_rate_fails_as_soon_as_that_is_shown(
    tmp_path: Path, workers: tuple[str, ...]
) -> None:
    asked = (*workers, "--errbar-out", "out.jsonl", "--junitxml", "j.xml")
    done = process(tmp_path, BAD, *asked) if workers else session(tmp_path, BAD, *asked)
    assert done.returncode == 1, done.stdout
    assert "the success rate is below 0.8: 0.33 [" in done.stdout
    assert "1 failed" in done.stdout
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert len({(row["question"], row["trial"]) for row in rows}) == len(rows)
    if not workers:  # of two workers, one may be late with its part of the first round
        assert len(rows) < 36
        assert "trials not needed" in done.stdout
    assert all(row["outcome"] == (row["question"] == "rome") for row in rows)
    assert all(row.get("stopped_early", False) == (len(rows) < 36) for row in rows)
    assert errbar.score(str(tmp_path / "out.jsonl"), "avg")[0].value == pytest.approx(1 / 3)
    cases = ElementTree.parse(tmp_path / "j.xml").iter("testcase")
    failed = [case.get("name") for case in cases if case.find("failure") is not None]
    assert failed == ["test_books[errbar]"]


def test_a_test_above_its_rate_passes_and_stops(tmp_path: Path) -> None:
    done = session(tmp_path, GOOD)
    assert done.returncode == 0, done.stdout
    assert "pass" in done.stdout
    assert "2 passed" in done.stdout  # the plain test, and the marked one as a whole
    assert "trials not needed" in done.stdout


def test_trials_end_right_wrong_graded_or_with_an_error(tmp_path: Path) -> None:
    code = """
import pytest

@pytest.mark.errbar(trials=3)
def test_graded(errbar_outcome, errbar_trial_number):
    errbar_outcome(errbar_trial_number / 4, cost=0.5)

@pytest.mark.errbar(trials=2, at_least=0.5)
def test_crashes():
    raise RuntimeError("down")

@pytest.mark.errbar(trials=2, at_least=0.5)
class TestAgent:
    def test_fails(self):
        pytest.fail("wrong")

    def test_skips(self):
        pytest.skip("no network")
"""
    done = session(tmp_path, code, "--errbar-out", "out.jsonl", "--errbar-system", "gull-2")
    assert done.returncode == 1
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    by_test: dict[str, list[tuple[float | None, str]]] = {}
    for row in rows:
        assert row["system"] == "gull-2"
        outcome = (row.get("outcome"), row["status"])
        by_test.setdefault(row["task"].rpartition("::")[2], []).append(outcome)
    assert by_test == {
        "test_graded": [(0.0, "ok"), (0.25, "ok"), (0.5, "ok")],
        "test_crashes": [(None, "error"), (None, "error")],
        "test_fails": [(0.0, "ok"), (0.0, "ok")],
    }
    assert [row["cost"] for row in rows if "cost" in row] == [0.5] * 3
    assert "each of 2 trials ended in an error" in done.stdout
    assert "no round is complete" in done.stdout
    assert "test_fails cannot fail" in " ".join(done.stdout.split())


def test_inconclusive_tests_fail_only_on_request(tmp_path: Path) -> None:
    code = GOOD.replace("40", "3")
    assert session(tmp_path, code).returncode == 0
    done = session(tmp_path, code, "--errbar-inconclusive", "fail")
    assert done.returncode == 1
    assert "not shown to reach 0.8" in done.stdout


def test_a_run_is_compared_with_a_stored_baseline(tmp_path: Path) -> None:
    code = """
import os, pytest

@pytest.mark.errbar(trials=20)
@pytest.mark.parametrize("case", range(10))
def test_answers(case, errbar_trial_number):
    assert (7 * case + errbar_trial_number) % 10 < int(os.environ["RIGHT_OF_10"])
"""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RIGHT_OF_10", "9")
        assert session(tmp_path, code, "--errbar-out", "old.jsonl").returncode == 0
        baseline = ("--errbar-baseline", "old.jsonl", "--errbar-max-drop", "0.1")
        same = session(tmp_path, code, *baseline)
        assert same.returncode == 0
        assert "Pass" in same.stdout
        patch.setenv("RIGHT_OF_10", "4")
        worse = session(tmp_path, code, *baseline)
        assert worse.returncode == 1
        assert "-0.5" in worse.stdout


def test_a_run_that_stopped_early_is_no_baseline(tmp_path: Path) -> None:
    session(tmp_path, BAD, "--errbar-out", "old.jsonl")
    done = session(tmp_path, BAD, "--errbar-baseline", "old.jsonl", "--errbar-max-drop", "0.1")
    assert done.returncode == 1
    assert "Record it with --errbar-all" in " ".join(done.stdout.split())
    assert "trials not needed" not in done.stdout


@pytest.mark.parametrize(
    ("mark", "said"),
    [
        (pytest.mark.errbar(trials=0), "give a number from 1 on"),
        (pytest.mark.errbar(at_least=0.5), "give a number from 1 on"),
        (pytest.mark.errbar(trials=3, at_least=1.0), "between 0 and 1"),
        (pytest.mark.errbar(trials=3, atleast=0.5), "not atleast"),
        (pytest.mark.errbar(3), "not 3"),
    ],
)
def test_a_wrong_mark_is_an_error_that_says_what_to_write(
    mark: pytest.MarkDecorator, said: str
) -> None:
    with pytest.raises(pytest.UsageError, match=said):
        arguments_of(mark.mark)


def test_a_mark_that_would_have_no_effect_is_refused(tmp_path: Path) -> None:
    code = """
import unittest, pytest

@pytest.mark.errbar(trials=3)
class TestAgent(unittest.TestCase):
    def test_a(self): pass
"""
    done = session(tmp_path, code)
    assert done.returncode == 4
    assert "cannot repeat those of unittest.TestCase" in done.stderr


def test_wrong_options_end_the_session(tmp_path: Path) -> None:
    done = session(tmp_path, GOOD, "--errbar-max-drop", "0.1")
    assert done.returncode == 4
    assert "--errbar-baseline and --errbar-max-drop go together" in done.stderr


def test_the_commands_of_the_page_run_in_order(tmp_path: Path) -> None:
    page = REPOSITORY / "docs" / "how-to" / "test-with-pytest.md"
    (code,) = (block.text for block in blocks(page) if block.is_code)
    shell = [block for block in blocks(page) if block.language == "sh"]
    sessions = [c.words for block in shell for c in commands(block) if c.words[0] == "pytest"]
    assert len(sessions) == 3
    for _, file, *options in sessions:
        assert file == "test_agent.py"
        done = session(tmp_path, f"import random\nrandom.seed(3)\n{code}", *options)
        assert done.returncode == 0, done.stdout
    scored = errbar.score(str(tmp_path / "outcomes.jsonl"))
    assert {estimate.system for estimate in scored} == {"gull-2"}


def test_the_plug_in_is_found_by_pytest_and_costs_other_suites_no_heavy_import(
    tmp_path: Path,
) -> None:
    (found,) = entry_points(group="pytest11", name="errbar")
    assert found.value == "errbar.integrations.pytest_plugin"
    code = "import sys\ndef test_a(): assert not {'numpy', 'duckdb', 'scipy'} & set(sys.modules)\n"
    done = process(tmp_path, code)
    assert done.returncode == 0, done.stdout
    said = [line for line in done.stdout.splitlines() if not line.startswith("rootdir: ")]
    assert not any("errbar" in line for line in said)
