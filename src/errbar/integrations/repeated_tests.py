"""Verdict on a test that is run again and again: does it succeed as often as it must?

A round runs every case of the test once. Rounds are independent of each other and have the same
mean, the success rate of these exact cases, whatever the rates of single cases are. Evidence is
collected round by round as a likelihood ratio (`kernels.betting.log_evidence`), which may be looked
at after each of them (Ville's inequality): a test may stop as soon as it is decided.
"""

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from errbar.base.remarks import warning

if TYPE_CHECKING:
    from errbar.base.arrays import Array
    from errbar.base.tables import Table

SuiteDecision = Literal["pass", "fail", "inconclusive"]
_STOPPED = "stopped_early"  # column of an outcomes file: the mean of the test is biased
_HALVINGS = 50  # of [0, 1]: the ends are known to 1e-15


@dataclass(frozen=True, slots=True)
class TestVerdict:
    """What the complete rounds of a test say about its success rate."""

    decision: SuiteDecision
    rounds: int  # complete rounds that the decision rests on
    value: float  # mean outcome in these rounds
    low: float
    high: float


def needed_evidence(level: float, tests: int) -> float:
    """The e-value that decides; `tests` tests share 1 − level, each for two sides (Bonferroni)."""
    return 2.0 * tests / float(f"{1.0 - level:.12g}")  # 1 − 0.95 becomes exactly 0.05


def verdict_on(
    totals: Sequence[float], cases: int, at_least: float | None, needed: float
) -> TestVerdict | None:
    """Return the first verdict that `totals`, the sum of outcomes in each round, reach.

    Without `at_least` the rate is only estimated. None before the first round is complete.
    """
    import numpy as np  # noqa: PLC0415  not paid for by test suites without repeated tests

    from errbar.kernels.betting import log_evidence  # noqa: PLC0415

    if not totals:
        return None
    right = np.cumsum(np.asarray(totals, dtype=np.float64))
    trials = cases * np.arange(1.0, right.size + 1.0)
    log_needed = float(np.log(needed))
    last = right.size - 1
    decision: SuiteDecision = "inconclusive"
    if at_least is not None:
        above = log_evidence(right, trials, at_least) >= log_needed
        below = log_evidence(trials - right, trials, 1.0 - at_least) >= log_needed
        if (above | below).any():
            last = int((above | below).argmax())
            decision = "pass" if above[last] else "fail"
    total, number = right[last : last + 1], trials[last : last + 1]
    low = _end(total, number, log_needed)
    high = 1.0 - _end(number - total, number, log_needed)
    return TestVerdict(decision, last + 1, float((total / number)[0]), low, high)


def _end(total: "Array", trials: "Array", log_needed: float) -> float:
    """The largest mean that the evidence rejects as too low."""
    from errbar.kernels.betting import log_evidence  # noqa: PLC0415

    rejected, possible = 0.0, float((total / trials)[0])
    for _ in range(_HALVINGS):
        middle = (rejected + possible) / 2.0
        if log_evidence(total, trials, middle)[0] >= log_needed:
            rejected = middle
        else:
            possible = middle
    return rejected


class Trial(NamedTuple):
    """One run of one case."""

    test: str
    case: str
    number: int  # from 0 on; the round that it belongs to


class RepeatedTest(NamedTuple):
    """A test, its cases, the trials of each, and the rate that it must reach."""

    name: str
    cases: tuple[str, ...]
    trials: int
    at_least: float | None


class Suite:
    """The repeated tests of a session, and what their trials have shown so far.

    `journals` is a directory that all processes of the session share, with a file for each test to
    which every process appends its outcomes.
    """

    def __init__(self, level: float, journals: Path, *, stops: bool) -> None:
        self.level = level
        self.journals = journals
        self.stops = stops
        self.tests: dict[str, RepeatedTest] = {}
        self.records: list[dict[str, Any]] = []  # of all processes; only the main one has them
        self.verdicts: dict[str, TestVerdict] = {}
        self.beside_baseline = ""  # the comparison with a baseline, as text

    def add(self, trial: Trial, trials: int, at_least: float | None) -> None:
        """Note a trial that will run."""
        test = self.tests.get(trial.test) or RepeatedTest(trial.test, (), trials, at_least)
        if trial.case not in test.cases:
            test = test._replace(cases=(*test.cases, trial.case))
        self.tests[trial.test] = test

    @property
    def needed(self) -> float:
        """The e-value that decides a test, such that all verdicts hold together."""
        judged = sum(test.at_least is not None for test in self.tests.values())
        return needed_evidence(self.level, max(judged, 1))

    def note(self, trial: Trial, value: float) -> None:
        """Append an outcome to the journal of its test; one write, so that lines do not mix."""
        line = json.dumps([trial.case, trial.number, value]) + "\n"
        place = os.open(self._journal(trial.test), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(place, line.encode())
        finally:
            os.close(place)

    def is_decided(self, name: str) -> bool:
        """Whether the outcomes in the journal decide a test."""
        journal = self._journal(name)
        if not self.stops or self.tests[name].at_least is None or not journal.exists():
            return False
        lines = journal.read_text("utf-8").splitlines(keepends=True)
        whole = [json.loads(line) for line in lines if line.endswith("\n")]
        verdict = self._judge(name, {(case, number): value for case, number, value in whole})
        return verdict is not None and verdict.decision != "inconclusive"

    def learn(self, record: dict[str, Any]) -> None:
        """Take what a report says about a trial, and about its test."""
        name, cases, trials, at_least = record.pop("test")
        self.tests.setdefault(name, RepeatedTest(name, tuple(cases), trials, at_least))
        self.records.append(record)

    def judge(self) -> None:
        """Take the verdict on every test; a trial with an error counts as 0."""
        outcomes: dict[str, dict[tuple[str, int], float]] = {}
        for record in self.records:
            if record["status"] != "missing":
                mine = outcomes.setdefault(record["task"], {})
                mine[record["question"], record["trial"]] = record["outcome"] or 0.0
        found = {name: self._judge(name, outcomes.get(name, {})) for name in self.tests}
        self.verdicts = {name: verdict for name, verdict in found.items() if verdict}

    def failure(self, name: str, inconclusive: str) -> str:
        """Why a test fails; empty if it does not. `inconclusive` is pass or fail."""
        test, verdict = self.tests[name], self.verdicts.get(name)
        records_of_test = [record for record in self.records if record["task"] == name]
        if records_of_test and all(record["status"] == "error" for record in records_of_test):
            trials = len(records_of_test)
            return f"each of {trials} trials ended in an error, not in a failed assertion."
        if test.at_least is None:
            return ""
        if verdict is None:
            return "no round is complete: a case has no first trial."
        if verdict.decision == "pass" or (verdict.decision, inconclusive) == (
            "inconclusive",
            "pass",
        ):
            return ""
        word = "below" if verdict.decision == "fail" else "not shown to reach"
        return (
            f"the success rate is {word} {test.at_least:g}: {_rate(verdict)} after "
            f"{_trials(test, verdict)}."
        )

    def write(self, target: str | Path) -> None:
        """Write the outcomes as JSON Lines, in an order that does not depend on the workers."""
        from errbar.base.files import atomic_file  # noqa: PLC0415  only if asked for

        rows = [record for record in self.records if record["status"] != "missing"]
        rows.sort(key=lambda row: (row["task"], row["trial"], row["question"]))
        stopped = self._stopped()
        rows = [{**row, _STOPPED: True} if row["task"] in stopped else row for row in rows]
        with atomic_file(target) as place:
            lines = (
                json.dumps({name: cell for name, cell in row.items() if cell is not None})
                for row in rows
            )
            place.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

    def compare(self, baseline: str, max_drop: float) -> str:
        """Gate the mean outcome of these exact cases; the verdict, empty if there is none."""
        import errbar  # noqa: PLC0415  only if asked for
        from errbar.errors import ErrbarError  # noqa: PLC0415

        now = self.journals / "outcomes.jsonl"
        self.write(now)
        if f'"{_STOPPED}": true' in Path(baseline).read_text("utf-8", errors="replace"):
            self.beside_baseline = (
                f"{baseline} cannot be a baseline: its tests stopped when they were decided, which "
                f"biases their means. Record it with --errbar-all."
            )
            return ""
        try:
            gate = errbar.gate(
                *(baseline, str(now), "avg"),
                max_drop=max_drop,
                estimand="benchmark",
                level=self.level,
            )
        except ErrbarError as error:
            self.beside_baseline = f"cannot be compared with {baseline}: {error}"
            return ""
        self.beside_baseline = str(gate)
        return gate.verdict.value

    def table(self) -> "Table":
        """A table of the verdicts."""
        from errbar.base.tables import Table, percent  # noqa: PLC0415  only if there is something to print

        tests = [(self.tests[name], verdict) for name, verdict in self.verdicts.items()]
        columns = [
            ["test", *(test.name for test, _ in tests)],
            ["verdict", *(verdict.decision if test.at_least else "–" for test, verdict in tests)],
            ["success rate", *(_rate(verdict) for _, verdict in tests)],
            ["at least", *(f"{test.at_least:g}" if test.at_least else "–" for test, _ in tests)],
            ["trials", *(_trials(test, verdict) for test, verdict in tests)],
        ]
        level = percent(self.level)
        footer = (
            f"[ ]: {level} confidence sequence for these exact cases, valid although tests stop "
            f"early; all verdicts hold together at {level}."
        )
        return Table(columns, notes=[*self._powerless()], footer=footer)

    def _stopped(self) -> set[str]:
        """The tests of which a verdict kept trials from being run."""
        run = Counter(row["task"] for row in self.records if row["status"] != "missing")
        return {
            name
            for name, verdict in self.verdicts.items()
            if verdict.decision != "inconclusive"
            and run[name] < len(self.tests[name].cases) * self.tests[name].trials
        }

    def _powerless(self) -> Iterator[str]:
        """Tests that cannot fail, with the number of trials that could show a failure."""
        for test in self.tests.values():
            if test.at_least is None or self._least_trials(test) <= test.trials:
                continue
            yield warning(
                f"{test.name} cannot fail: even if all of its trials failed, "
                f"{test.trials} would not show a rate below {test.at_least:g}; "
                f"{self._least_trials(test)} could."
            )

    def _least_trials(self, test: RepeatedTest) -> int:
        """The least number of trials of each case after which the test can fail."""
        trials = 1
        while True:
            verdict = verdict_on([0.0] * trials, len(test.cases), test.at_least, self.needed)
            if verdict and verdict.decision == "fail":
                return verdict.rounds
            trials *= 2

    def _judge(self, name: str, outcomes: Mapping[tuple[str, int], float]) -> TestVerdict | None:
        """The verdict on the rounds that are complete, up to the first that is not."""
        test = self.tests[name]
        totals: list[float] = []
        for number in range(test.trials):
            values = [outcomes.get((case, number)) for case in test.cases]
            known = [value for value in values if value is not None]
            if len(known) < len(values):
                break
            totals.append(sum(known))
        return verdict_on(totals, len(test.cases), test.at_least, self.needed)

    def _journal(self, name: str) -> Path:
        return self.journals / sha256(name.encode()).hexdigest()


def _rate(verdict: TestVerdict) -> str:
    """The success rate with its interval."""
    return f"{verdict.value:.2f} [{verdict.low:.2f}, {verdict.high:.2f}]"


def _trials(test: RepeatedTest, verdict: TestVerdict) -> str:
    """The trials that a verdict rests on."""
    cases = f"{len(test.cases)} cases x " if len(test.cases) > 1 else ""
    return f"{cases}{verdict.rounds} of {test.trials} trials"
