"""pytest plug-in: a test that is run several times and judged by how often it succeeds.

    @pytest.mark.errbar(trials=8, at_least=0.8)
    def test_agent_books_a_flight(): ...

Each trial is an item of its own, so that it has fresh fixtures and any plug-in can run it. Cases of
a parametrised test are its questions. A failed trial is data, not a failure: what passes or fails
is the test as a whole, in a report of its own. Trials that come after the verdict are not run.

With pytest-xdist every worker appends its outcomes to one journal per test, in a directory that the
main process made, and reads there whether the test is decided. The main process collects the
outcomes from the reports of pytest, so that it needs no journal.
"""

import json
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any, Literal

from errbar.errors import MissingExtra
from errbar.integrations.repeated_tests import Suite, Trial

try:
    import pytest
except ModuleNotFoundError as error:
    raise MissingExtra("pytest is not installed: pip install 'errbar[pytest]'.") from error

MARK = "errbar"
_TRIAL = "errbar_trial_number"
_NOT_NEEDED = "decided before this trial"
_SUITE = pytest.StashKey[Suite]()
_RECORDED = pytest.StashKey["Outcome"]()


def trial_of(item: pytest.Item) -> Trial | None:
    """The trial that an item is, if its test is marked."""
    call = getattr(item, "callspec", None)
    if call is None or _TRIAL not in call.params:
        return None
    number = call.params[_TRIAL]
    own = f"trial{number}"
    name = item.nodeid.partition("[")[0]
    case = call.id.removesuffix(own).removesuffix("-") or name.rpartition("::")[2]
    return Trial(name, case, number)


def arguments_of(mark: pytest.Mark) -> tuple[int, float | None]:
    """The arguments of the mark, checked."""
    keywords = dict(mark.kwargs)
    trials, at_least = keywords.pop("trials", None), keywords.pop("at_least", None)
    if mark.args or keywords:
        unknown = ", ".join(map(str, [*mark.args, *keywords]))
        raise pytest.UsageError(
            f"@pytest.mark.errbar takes trials= and at_least=, not {unknown}; for example "
            f"@pytest.mark.errbar(trials=8, at_least=0.8)."
        )
    if not isinstance(trials, int) or isinstance(trials, bool) or trials < 1:
        raise pytest.UsageError(f"@pytest.mark.errbar(trials={trials!r}): give a number from 1 on.")
    if at_least is not None and not (
        isinstance(at_least, int | float) and 0.0 < float(at_least) < 1.0
    ):
        raise pytest.UsageError(
            f"@pytest.mark.errbar(at_least={at_least!r}): give a rate between 0 and 1, or leave it "
            f"out to measure only. No number of trials shows that a test never fails."
        )
    return trials, at_least


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the plug-in."""
    group = parser.getgroup("errbar", "errbar: tests that are repeated and scored")
    group.addoption(
        "--errbar-level",
        type=float,
        default=0.95,
        metavar="LEVEL",
        help="the level at which all verdicts hold together (default: 0.95)",
    )
    group.addoption(
        "--errbar-inconclusive",
        choices=("pass", "fail"),
        default="pass",
        help="what an inconclusive test does (default: pass)",
    )
    group.addoption(
        "--errbar-all", action="store_true", help="run all trials, even after the verdict"
    )
    group.addoption("--errbar-system", metavar="NAME", help="the system under test, for the file")
    group.addoption(
        "--errbar-out", metavar="FILE", help="write all outcomes to this JSON Lines file"
    )
    group.addoption(
        "--errbar-baseline",
        metavar="FILE",
        help="compare with the outcomes of an earlier run; all trials are run",
    )
    group.addoption(
        "--errbar-max-drop",
        type=float,
        metavar="DROP",
        help="the largest drop from the baseline that is allowed; 0.05 is 5 points of 100",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark and check the options."""
    config.addinivalue_line(
        "markers",
        "errbar(trials, at_least): run the test several times and judge how often it succeeds",
    )
    level = config.getoption("errbar_level")
    if not 0.0 < level < 1.0:  # not by base.arguments, which loads NumPy in every session
        raise pytest.UsageError(f"--errbar-level {level}: give a number between 0 and 1.")
    baseline = config.getoption("errbar_baseline")
    if (baseline is None) != (config.getoption("errbar_max_drop") is None):
        raise pytest.UsageError("--errbar-baseline and --errbar-max-drop go together.")
    if baseline is not None and not Path(baseline).exists():
        raise pytest.UsageError(f"--errbar-baseline {baseline}: there is no such file.")
    worker = getattr(config, "workerinput", None)
    place = worker["errbar_journals"] if worker else tempfile.mkdtemp(prefix="errbar-")
    stops = not config.getoption("errbar_all") and baseline is None
    config.stash[_SUITE] = Suite(level, Path(place), stops=stops)
    config.pluginmanager.register(Collector(config.stash[_SUITE]), "errbar-collector")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the journals."""
    suite = config.stash.get(_SUITE, None)
    if suite and not _is_worker(config):
        shutil.rmtree(suite.journals, ignore_errors=True)


def _is_worker(config: pytest.Config) -> bool:
    """Whether this process is a worker of pytest-xdist, whose reports go to the main process."""
    return hasattr(config, "workerinput")


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker of pytest-xdist where the journals are."""
    node.workerinput["errbar_journals"] = str(node.config.stash[_SUITE].journals)


@pytest.hookimpl(trylast=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make every trial of a marked test an item."""
    mark = metafunc.definition.get_closest_marker(MARK)
    if mark:
        trials, _ = arguments_of(mark)
        metafunc.fixturenames.append(_TRIAL)
        ids = [f"trial{number}" for number in range(trials)]
        metafunc.parametrize(_TRIAL, range(trials), ids=ids, indirect=True)


@pytest.fixture(name=_TRIAL)
def _trial_number(request: pytest.FixtureRequest) -> int:
    number: int = request.param
    return number


class Outcome:
    """Records the outcome of a trial: `errbar_outcome(0.7)`, with columns of the file by name."""

    def __init__(self) -> None:
        self.value: float | None = None
        self.columns: dict[str, Any] = {}

    def __call__(self, value: float, **columns: Any) -> None:
        """Record a number from 0 to 1, and columns such as `cost`, `answer` or `confidence`."""
        number = float(value)
        if not 0.0 <= number <= 1.0:
            raise ValueError(f"errbar_outcome({value!r}): an outcome lies between 0 and 1.")
        for name, cell in columns.items():
            if not isinstance(cell, str | int | float | None):
                raise TypeError(f"errbar_outcome({name}={cell!r}): give text or a number.")
        self.value = number
        self.columns = columns


@pytest.fixture
def errbar_outcome(request: pytest.FixtureRequest) -> Outcome:
    """Record a graded outcome instead of right or wrong, in a test with the mark errbar."""
    if trial_of(request.node) is None:
        raise pytest.UsageError("errbar_outcome is for tests marked with @pytest.mark.errbar(...).")
    outcome = Outcome()
    request.node.stash[_RECORDED] = outcome
    return outcome


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order the trials of a test by rounds; other tests keep their places."""
    places: dict[str, list[int]] = {}
    trials: dict[int, Trial] = {}
    for place, item in enumerate(items):
        trial = trial_of(item)
        if trial:
            trials[place] = trial
            places.setdefault(trial.test, []).append(place)
    for mine in places.values():
        by_round = sorted(mine, key=lambda place: trials[place].number)
        moved = [items[place] for place in by_round]
        for place, item in zip(mine, moved, strict=True):
            items[place] = item


def pytest_collection_finish(session: pytest.Session) -> None:
    """Note the marked tests that will run."""
    suite = session.config.stash[_SUITE]
    for item in session.items:
        mark, trial = item.get_closest_marker(MARK), trial_of(item)
        if mark and trial:
            suite.add(trial, *arguments_of(mark))
        elif mark:
            raise pytest.UsageError(
                f"{item.nodeid}: @pytest.mark.errbar is for functions and for methods of plain "
                f"classes; pytest cannot repeat those of unittest.TestCase."
            )


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leave out trials of a test that is decided."""
    trial = trial_of(item)
    if trial and item.config.stash[_SUITE].is_decided(trial.test):
        pytest.skip(_NOT_NEEDED)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn the end of a trial into an outcome."""
    report = yield
    trial = trial_of(item)
    if trial is None or report.when == "teardown" or (report.when == "setup" and report.passed):
        return report
    suite = item.config.stash[_SUITE]
    recorded = item.stash.get(_RECORDED, Outcome())
    value, status = _outcome_of(report, call, recorded)
    record = {
        "system": item.config.getoption("errbar_system"),
        "task": trial.test,
        "question": trial.case,
        "trial": trial.number,
        "outcome": value,
        "status": status,
        **recorded.columns,
        "test": suite.tests[trial.test],  # the main process of pytest-xdist has not collected it
    }
    report.user_properties.append((MARK, json.dumps(record)))
    if status != "missing":
        suite.note(trial, value or 0.0)
    if report.when == "call" and report.failed:
        report.outcome = "passed"  # the test as a whole has a report of its own
    return report


def _outcome_of(
    report: pytest.TestReport, call: pytest.CallInfo[None], recorded: Outcome
) -> tuple[float | None, str]:
    """The outcome and the status of a trial."""
    if report.skipped:
        return None, "missing"
    if call.excinfo is None:
        return (1.0 if recorded.value is None else recorded.value), "ok"
    wrong = call.excinfo.errisinstance((AssertionError, pytest.fail.Exception))
    return (0.0, "ok") if wrong and report.when == "call" else (None, "error")


def _record_in(report: pytest.TestReport) -> dict[str, Any] | None:
    """What a report says about a trial."""
    for name, text in getattr(report, "user_properties", ()):
        if name == MARK:
            record: dict[str, Any] = json.loads(text)
            return record
    return None


def pytest_report_teststatus(report: Any) -> tuple[str, str, str] | None:
    """Show trials apart from tests."""
    record = _record_in(report) if report.when == "call" or report.skipped else None
    if record is None or (report.skipped and _NOT_NEEDED not in str(report.longrepr)):
        return None
    if report.skipped:
        return "trials not needed", "", "NOT NEEDED"
    if record["status"] == "error":
        return "trials with an error", "e", "TRIAL ERROR"
    if record["outcome"] in {0.0, 1.0}:
        right = record["outcome"] == 1.0
        return (
            ("trials right", ".", "TRIAL RIGHT") if right else ("trials wrong", "x", "TRIAL WRONG")
        )
    return "trials graded", ".", "TRIAL GRADED"


class Collector:
    """Collects the outcomes in the reports of one session, those of workers included."""

    def __init__(self, suite: Suite) -> None:
        self.suite = suite

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what a report says about a trial."""
        record = _record_in(report)
        if record:
            self.suite.learn(record)


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop(session: pytest.Session) -> Generator[None, object, object]:
    """After the last trial, report every marked test as one test."""
    done = yield
    config = session.config
    suite = config.stash[_SUITE]
    if _is_worker(config) or not suite.records:
        return done
    suite.judge()
    session.testscollected += len(suite.tests)  # else the progress exceeds 100%
    for name in suite.tests:
        failure = suite.failure(name, config.getoption("errbar_inconclusive"))
        _log(config, f"{name}[errbar]", failure)
    if config.getoption("errbar_out"):
        suite.write(config.getoption("errbar_out"))
    if config.getoption("errbar_baseline"):
        _log(config, "errbar::baseline", _regression(suite, config))
    return done


def _log(config: pytest.Config, name: str, failure: str) -> None:
    """Log a report that pytest, JUnit files and other plug-ins count as a test."""
    phases: tuple[Literal["setup", "call", "teardown"], ...] = ("setup", "call", "teardown")
    for when in phases:
        failed = bool(failure) and when == "call"
        report = pytest.TestReport(
            nodeid=name,
            location=(name.partition("::")[0], None, name.rpartition("::")[2]),
            keywords={},
            outcome="failed" if failed else "passed",
            longrepr=failure if failed else None,
            when=when,
        )
        config.hook.pytest_runtest_logreport(report=report)


def _regression(suite: Suite, config: pytest.Config) -> str:
    """Why the tests as a whole fail beside the baseline; empty if they do not."""
    baseline = config.getoption("errbar_baseline")
    verdict = suite.compare(baseline, config.getoption("errbar_max_drop"))
    fails = ("regress", config.getoption("errbar_inconclusive") == "fail" and "inconclusive", "")
    return suite.beside_baseline if verdict in fails else ""


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print a table of the repeated tests."""
    suite = config.stash.get(_SUITE, None)
    if suite and suite.verdicts:
        terminalreporter.section("errbar")
        terminalreporter.write_line(str(suite.table()))
        if suite.beside_baseline:
            terminalreporter.write_line("")
            terminalreporter.write_line(suite.beside_baseline)
