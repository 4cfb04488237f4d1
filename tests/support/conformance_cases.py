"""Tables that engines might read differently, and what is computed from each.

What is expected is counted here in plain Python, row by row, and scored from `errbar.Counts`.
"""

import itertools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, cast

import numpy as np

import conformance_clusters as clusters
import errbar
from conformance_engines import Table
from errbar.analysis.bracket import level_of_ends
from errbar.analysis.score import Errors, Short
from errbar.data.columns import NO_RESULT, UNSCORED, USUAL
from errbar.data.counts import CountsByState
from errbar.errors import InputError, NotEnoughTrials, WrongType
from errbar.results.estimate import Estimand, Estimate, Interval
from errbar.results.scores import Scores

ERRORS: tuple[Errors, ...] = ("fail", "missing", "bracket")
FATES = ("wrong", "right")  # what failed trials may have been
SHORT: tuple[Short, ...] = ("error", "drop", "posterior")
METRICS = ("pass@1", "pass@2", "pass^3", "maj@3", "bayes")
AWKWARD = ['say "hi"', "it's", "two\nlines", "🙂 é", "007", "7", "a,b;c|d", "NA", "null", " x", "x"]
STATUSES = "statuses"  # the case whose rows the policies tell apart
SQL = '"; drop table x; --'

Answer = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A table, how to load it, what to ask, and what is expected."""

    name: str
    table: Table
    told: Mapping[str, Any] = field(default_factory=dict)
    metrics: Sequence[str] = METRICS
    by: Sequence[str] = ()
    errors: Sequence[Errors] = ERRORS
    short: Sequence[Short] = SHORT
    curve: str = "pass@k"
    refused: str = ""  # the error that loading or the first question raises
    saying: Sequence[str] = ()  # words of it

    def meaning(self, name: str) -> str | None:
        """The column with this meaning: as mapped, or by one of the usual names used here."""
        known = {"question": ("task_id", "id"), "outcome": ("passed", "score")}
        usual = known.get(name, {"system": ("model",), "status": ("state",)}.get(name, ()))
        held = (each for each in (name, *usual) if each in self.table.kinds)
        return self.told.get(name, next(held, None))

    def clustered(self) -> list[Sequence[str]]:
        """The groupings by which clusters of questions are computed."""
        counted = self.meaning("cluster") and not self.meaning("weight")
        return [(), self.by][: 1 + bool(self.by)] if counted else []

    def once(self) -> "Case":
        """The same case under one policy only, where policies make no difference."""
        return replace(self, metrics=("pass@2",), errors=("fail",), short=("error",), curve="")

    def briefly(self) -> "Case":
        """A shorter case: inspection, scores by the usual policy and by slices, and clusters."""
        return replace(self, errors=(), curve="")

    def at_some_length(self) -> "Case":
        """A shorter case, with all policies if rows have statuses."""
        return replace(self, short=self.short[:1]) if self.name == STATUSES else self.briefly()

    def refusing(self, error: str, *saying: str) -> "Case":
        return replace(self, refused=error, saying=saying)


def ask(case: Case, data: Any) -> Answer:
    """All results that a case requests, with floats to the last bit."""

    def answer(question: Callable[[], Any]) -> Answer:
        return _attempt(question, f"{data}: " if isinstance(data, str | Path) else "")

    loaded: list[errbar.Runs] = []
    told = alone(case.table) | {**case.told}
    failed = answer(lambda: loaded.append(errbar.load(data, **told)))
    if not loaded:
        return {"inspect": failed, "score": failed}
    runs = loaded[0]
    found = {"inspect": answer(runs.inspect), "score": answer(partial(runs.score, "pass@1"))}
    if case.refused:
        return exact(found)
    for errors, short in itertools.product(case.errors, case.short):
        found[f"{errors}, {short}"] = answer(
            partial(runs.score, *case.metrics, errors=errors, short=short, level=0.9)
        )
    if case.by:
        found["by"] = answer(partial(runs.score, "pass@1", by=case.by))
    if case.curve:
        found["curve"] = answer(partial(runs.curve, case.curve))
        found["curve, missing"] = answer(partial(runs.curve, case.curve, errors="missing"))
    for at, by in enumerate(case.clustered()):
        found[f"clusters {at}"] = answer(partial(clusters.asked, runs, by))
        if "answer" in case.table.kinds:
            found[f"votes {at}"] = answer(partial(clusters.voted, runs, by))
    return exact(found)


def expected(case: Case) -> Answer:
    """The expected results, counted from the same rows in plain Python."""
    if case.refused == "RepeatedTrial":  # which `inspect` shows, and only scoring refuses
        return exact({"inspect": {"rows": _inspected(case)}, "score": {"error": case.refused}})
    if case.refused:
        return {name: {"error": case.refused} for name in ("inspect", "score")}
    found = {
        "inspect": {"rows": _inspected(case)},
        "score": _attempt(partial(_scored, case, ("pass@1",))),
    }
    for errors, short in itertools.product(case.errors, case.short):
        found[f"{errors}, {short}"] = _attempt(
            partial(_scored, case, case.metrics, errors, short, 0.9)
        )
    if case.by:
        found["by"] = _attempt(partial(_scored, case, ("pass@1",), by=case.by))
    if case.curve:
        found["curve"] = _attempt(partial(_curve, case, "fail"))
        found["curve, missing"] = _attempt(partial(_curve, case, "missing"))
    for at, by in enumerate(case.clustered()):
        given = (case.table.records(), case.meaning, by)
        found[f"clusters {at}"] = {"rows": clusters.expected(*given)}
        if "answer" in case.table.kinds:
            found[f"votes {at}"] = {"rows": clusters.expected_votes(*given)}
    return exact(found)


def differences(got: Answer, want: Answer) -> dict[str, Any]:
    """Where a result differs from what was counted; words and order are compared elsewhere."""
    return {
        name: (got.get(name), want[name])
        for name in want
        if _loose(got.get(name, {"error": "no answer"})) != _loose(want[name])
    }


def _loose(answer: Answer) -> Any:
    """Numbers in any order; what could not be scored is left out."""
    if "error" in answer:
        return answer["error"]
    there = [
        row for row in answer["rows"] if not (isinstance(row, dict) and row.get("questions") == 0)
    ]
    return sorted(there, key=repr)


def exact(value: Any) -> Any:
    """A value for comparison bit by bit, where nan equals nan."""
    if isinstance(value, dict):
        return {str(name): exact(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [exact(each) for each in value]
    return value.hex() if isinstance(value, float) else value


def alone(table: Table) -> dict[str, Any]:
    """The option by which files of a table without systems are not read as systems."""
    known = {"system", *USUAL["system"]} & {name.lower() for name in table.kinds}
    return {} if known else {"system": None}


def of_the_data(notes: Iterable[str], where: str = "") -> list[str]:
    """Notes without those on the reading of the data, which depend on the engine."""
    of_files = (
        *("Columns: ", "Systems: ", "⚠ Not read", "⚠ 2 files", "⚠ 3 files", "The table is "),
        *("1 file not read.", "2 files not read.", "The files have "),
    )
    kept = (note for note in notes if not note.startswith(of_files) and " read with " not in note)
    return [re.sub(r"^Read \d+ files?: ", "Read ", note.removeprefix(where)) for note in kept]


def _attempt(question: Callable[[], Any], where: str = "") -> Answer:
    """The result, or the error without the name of the file."""
    try:
        result = question()
        if result is None or isinstance(result, list):
            return {"rows": result}
        return {"rows": result.to_dicts(), "notes": of_the_data(result.notes(), where)}
    except Exception as error:  # a traceback of any kind is an answer to compare
        return {"error": type(error).__name__, "says": str(error).removeprefix(where)}


def _counted(case: Case, by: Sequence[str] = ()) -> dict[tuple[str, ...], dict[str, Counter[str]]]:
    """Rows, results and right results of each question, by system, task and slice."""
    found: dict[tuple[str, ...], dict[str, Counter[str]]] = defaultdict(
        lambda: defaultdict(Counter)
    )
    for row in case.table.records():
        key = _key_of(case, row, by)
        outcome = row[case.meaning("outcome") or ""]
        status = row.get(case.meaning("status") or "")
        scored = outcome is not None and not math.isnan(outcome) and status not in NO_RESULT
        tally = found[key][_text(row[case.meaning("question") or ""])]
        tally["rows"] += 1
        tally["trials"] += status != UNSCORED
        tally["scored"] += scored
        tally["right"] += scored and outcome == 1
        tally["other"] += scored and outcome not in (0, 1)
        tally["unexplained"] += not scored and status in (None, "ok")
        if scored:
            tally[f"category {int(outcome)}"] += 1
    return dict(sorted(found.items()))


def _key_of(case: Case, row: dict[str, Any], by: Sequence[str]) -> tuple[str, ...]:
    names = [case.meaning("system"), case.meaning("task"), *by]
    return tuple(
        _text(row.get(name or ""), "" if at < 2 else "(none)") for at, name in enumerate(names)
    )


def _text(value: Any, nothing: str = "") -> str:
    if value is None:
        return nothing
    return str(value).lower() if isinstance(value, bool) else str(value)


def _inspected(case: Case) -> list[dict[str, Any]]:
    return [
        {
            "system": key[0],
            "task": key[1],
            "questions": len(questions),
            "rows": sum(question["rows"] for question in questions.values()),
            "failed": sum(
                question["trials"] - question["scored"] for question in questions.values()
            ),
            "unscored": sum(
                question["rows"] - question["trials"] for question in questions.values()
            ),
            "least_trials": min(question["trials"] for question in questions.values()),
            "median_trials": float(
                np.median([question["trials"] for question in questions.values()])
            ),
            "most_trials": max(question["trials"] for question in questions.values()),
            "binary": not any(question["other"] for question in questions.values()),
        }
        for key, questions in _counted(case).items()
    ]


def _scored(
    case: Case,
    metrics: Sequence[str],
    errors: str = "fail",
    short: str = "error",
    level: float = 0.95,
    by: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """All numbers; an error if there are none."""
    if errors == "bracket":
        found = [
            row
            for fate in FATES
            for row in _each_scored(case, metrics, fate, short, level, by, failed=fate)
        ]
    else:
        found = _each_scored(case, metrics, errors, short, level, by)
    refused = [each for each in found if isinstance(each, InputError)]
    if len(refused) == len(found):
        raise refused[0]
    rows = [each for each in found if isinstance(each, dict)]
    if errors == "bracket":
        _add_brackets(rows, by, lambda inner: _by_fate(case, metrics, short, inner, by))
    return rows


Fates = dict[tuple[Any, ...], dict[str, dict[str, Any]]]


def _by_fate(
    case: Case, metrics: Sequence[str], short: str, level: float, by: Sequence[str]
) -> Fates:
    """The row of every score with failed trials as wrong, and as right."""
    found: Fates = defaultdict(dict)
    for fate in FATES:
        for row in _each_scored(case, metrics, fate, short, level, by, failed=fate):
            if isinstance(row, dict):
                found[_score_of(row, by)][fate] = row
    return found


def _score_of(row: dict[str, Any], by: Sequence[str]) -> tuple[Any, ...]:
    return tuple(row[name] for name in ("system", "task", *by, "metric"))


def _add_brackets(
    rows: Sequence[dict[str, Any]], by: Sequence[str], scored_at: Callable[[float], Fates]
) -> None:
    """From the lower end with failed trials as wrong to the upper end with them as right.

    Both are ends at the level that holds any fate (Imbens and Manski).
    """
    again = cache(scored_at)
    pairs: Fates = defaultdict(dict)
    for row in rows:
        pairs[_score_of(row, by)][row["failed"]] = row
    for key, pair in pairs.items():
        if pair.keys() == set(FATES) and not any(math.isnan(row["mean"]) for row in pair.values()):
            worst, best = (pair[fate] for fate in FATES)
            spread = max(worst["sd"], best["sd"])
            level = level_of_ends(best["mean"] - worst["mean"], spread, worst["level"])
            ends = [again(level)[key][fate] for fate in FATES]
            low, high = min(row["low"] for row in ends), max(row["high"] for row in ends)
            for row in (worst, best):
                row.update(bracket_low=low, bracket_high=high)


def _each_scored(
    case: Case,
    metrics: Sequence[str],
    errors: str,
    short: str,
    level: float,
    by: Sequence[str],
    failed: str = "",
) -> list[dict[str, Any] | InputError]:
    """Every metric of every system by itself: its value, or the reason why it has none."""
    together, weights_by = _clusters_of(case, by), _weights_of(case, by)
    rows: list[dict[str, Any] | InputError] = []
    for key, questions in _counted(case, by).items():
        subject = errbar.Subject(key[0], key[1], tuple(zip(by, key[2:], strict=True)), failed)
        for metric in [cast("Any", errbar.parse(name)) for name in metrics]:
            categories = len(getattr(metric, "weights", ()))
            reason = _no_score(list(questions.values()), errors)
            if reason:
                rows.append(InputError(reason))
                continue
            try:
                counts = _counts(
                    list(questions.values()),
                    errors,
                    categories,
                    together.get(key),
                    weights_by.get(key),
                )
                (row,) = errbar.score(
                    {subject: _long_enough(counts, metric.draws) if short == "drop" else counts},
                    metric,
                    method=errbar.Calibrated(level=level),
                    short="posterior" if short == "posterior" else "error",
                ).to_dicts()
            except InputError as error:
                rows.append(error)
            else:
                rows.append(row)
    return rows


def _no_score(questions: list[Counter[str]], errors: str) -> str:
    """The reason why a system has no score; empty if it has one."""
    if any(question["scored"] for question in questions):
        return ""
    if any(
        question["unexplained"] or question["rows"] > question["trials"] for question in questions
    ):
        return "no row of it was scored"
    return "no row of it has a result" if errors == "missing" else ""


def _dash(subject: Any, metric: Any, level: float, reason: str) -> dict[str, Any]:
    nan = math.nan
    nowhere = Interval(nan, nan, level, Estimand.POPULATION)
    return Scores(
        (
            Estimate(
                of=subject,
                metric=metric,
                value=nan,
                mean=nan,
                sd=nan,
                interval=nowhere,
                questions=0,
                trials=0,
                reason=reason,
            ),
        )
    ).to_dicts()[0]


def _clusters_of(case: Case, by: Sequence[str]) -> dict[tuple[str, ...], list[int]]:
    """A number for the cluster of each question of a slice, in the order of its questions."""
    if not case.meaning("cluster"):
        return {}
    names: dict[tuple[str, ...], dict[str, str]] = defaultdict(dict)
    for row in case.table.records():
        key = _key_of(case, row, by)
        question = _text(row[case.meaning("question") or ""])
        names[key][question] = _text(row[case.meaning("cluster") or ""]) or f"alone: {question}"
    return {
        key: [sorted(set(each.values())).index(name) for name in each.values()]
        for key, each in names.items()
    }


def _weights_of(case: Case, by: Sequence[str]) -> dict[tuple[str, ...], list[float]]:
    """The weight of each question of a slice, in the order of its questions."""
    if not case.meaning("weight"):
        return {}
    found: dict[tuple[str, ...], dict[str, float]] = defaultdict(dict)
    for row in case.table.records():
        question = _text(row[case.meaning("question") or ""])
        found[_key_of(case, row, by)][question] = float(row[case.meaning("weight") or ""])
    return {key: list(each.values()) for key, each in found.items()}


def _counts(
    questions: list[Counter[str]],
    errors: str,
    categories: int,
    clusters: list[int] | None,
    weights: list[float] | None,
) -> Any:
    held = "scored" if errors == "missing" else "trials"
    kept = [at for at, question in enumerate(questions) if question[held]]
    kept = [at for at in kept if weights is None or weights[at]]
    questions = [questions[at] for at in kept]
    clusters = clusters and [clusters[at] for at in kept]
    weights = weights and [weights[at] for at in kept]
    failed = [question["trials"] - question["scored"] for question in questions]
    if categories <= 2 and any(question["other"] for question in questions):
        raise WrongType("neither 0 nor 1")
    if categories > 2:
        if any(failed) and errors != "missing":
            raise InputError("no category is their own")
        tally = [[question[f"category {at}"] for at in range(categories)] for question in questions]
        return errbar.CategoryCounts(tally, clusters=clusters, weights=weights)
    right = np.array([question["right"] for question in questions])
    trials = [question["scored" if errors == "missing" else "trials"] for question in questions]
    more = np.array(failed) if errors == "right" else 0
    return CountsByState(trials, right + more, [1] * len(trials), clusters, weights)


def _long_enough(counts: Any, draws: int) -> Any:
    kept = counts.trials >= draws
    if not kept.any():
        raise NotEnoughTrials("none has")
    return counts.where(kept)


def _curve(case: Case, errors: str) -> list[dict[str, Any]]:
    """The curve of every system and task, up to its number of trials."""
    column = "scored" if errors == "missing" else "trials"
    most = {
        key: min(question[column] for question in questions.values() if question[column])
        for key, questions in _counted(case).items()
        if any(question[column] for question in questions.values())
    }
    ks = {*most.values(), *(2**power for power in range(12))}
    rows = _scored(case, [case.curve.replace("k", str(k)) for k in sorted(ks)], errors)
    reached = {key: {2**power for power in range(12)} | {n} for key, n in most.items()}
    return [
        row
        for row in rows
        for k in [errbar.parse(row["metric"]).k]  # type: ignore[attr-defined]
        if k <= most[row["system"], row["task"]] and k in reached[row["system"], row["task"]]
    ]


def _awkward() -> Case:
    """Text ids of every kind, tasks, ragged numbered trials, a column with nulls to group by."""
    rng = np.random.default_rng(1)
    rows: list[tuple[Any, ...]] = []
    for system, task in itertools.product(("small", "läрge"), ("math", 'it\'s "code"')):
        for question in AWKWARD:
            level = (None, "easy", "hard")[rng.integers(3)]
            drawn = rng.integers(2, size=rng.integers(3, 6)).tolist()
            rows += [(system, task, question, at, right, level) for at, right in enumerate(drawn)]
    kinds = dict.fromkeys(("system", "task", "question"), "text")
    kinds |= {"trial": "whole", "outcome": "whole", "level": "text"}
    metrics = (*METRICS, "pass@4")
    return Case("awkward ids", Table(kinds, rows), metrics=metrics, by=["level"], errors=("fail",))


def _bare() -> Case:
    """Only integer ids of questions and truth values, some of them missing."""
    rng = np.random.default_rng(2)
    rows = [
        (question, (None, True, False)[rng.integers(0 if trial else 1, 3)])
        for question in range(12)
        for trial in range(5)
    ]
    return Case("bare", Table({"task_id": "whole", "passed": "truth"}, rows))


def _statuses() -> Case:
    """Every status and a missing one, with outcomes that are null, NaN, or set by the harness."""
    rng = np.random.default_rng(3)
    kinds = {"model": "text", "id": "text", "epoch": "text", "score": "number", "state": "text"}
    known = ("error", "timeout", "abstained", "ok", "limit", "unscored", "missing", "failed", None)
    outcomes = (None, math.nan, 0.0, 1.0, 1.0)
    rows: list[tuple[Any, ...]] = []
    for model, question in itertools.product(("a", "b"), range(9)):
        for trial in range(5):
            row = (outcomes[rng.integers(5)], known[rng.integers(9)])
            rows.append((model, f"{question:03}", f"t{trial}", *(row if trial else (1.0, "ok"))))
    return Case(STATUSES, Table(kinds, rows), by=["state"])


def _categories() -> Case:
    """Grades from 0 to 3, among them minus zero."""
    rng = np.random.default_rng(4)
    kinds = {"system": "text", "question": "text", "trial": "whole", "outcome": "number"}
    grades = (0.0, 1.0, 2.0, 3.0, -0.0, None, math.nan)
    rows = [
        (system, f"q{question}", trial, grades[rng.integers(7 if trial > 1 else 5)])
        for system in ("a", "b")
        for question in range(10)
        for trial in range(4)
    ]
    weights = "weights=[0,0.25,0.5,1]"
    return Case(
        "categories",
        Table(kinds, rows),
        metrics=(f"avg({weights})", f"max@2({weights})", f"bayes({weights})"),
        errors=("missing", "fail"),
        short=("error", "posterior"),
        curve="",
    )


def _rewards() -> Case:
    """Outcomes other than 0 and 1: metrics of right and wrong refuse them."""
    rows = [("q", 0.5), ("q", 1.0), ("r", -2.0), ("r", 0.0)]
    kinds = {"question": "text", "outcome": "number"}
    return Case("rewards", Table(kinds, rows), metrics=("pass@1",), short=("error",), curve="")


def _sql() -> Case:
    """Columns and values that look like SQL."""
    kinds = {SQL: "text", "out'come": "whole", 'gr"oup': "text"}
    values = (SQL, "1 OR 1=1", "') --", "\\", "%s", "{x}", "$1")
    rows = [(value, trial % 2, value[:1]) for value in values for trial in range(3)]
    return Case(
        "columns named like SQL",
        Table(kinds, rows),
        told={"question": SQL, "outcome": "out'come"},
        by=['gr"oup', SQL],
    ).once()


def _dots() -> Case:
    """Columns whose names have dots and backticks, which Spark takes for structure."""
    kinds = {"doc.id": "text", "metrics.score": "whole", "a`b": "text", "spaced out": "whole"}
    rows = [(f"q{at}", trial % 2, "xy"[at % 2], trial) for at in range(4) for trial in range(3)]
    told = {"question": "doc.id", "outcome": "metrics.score", "trial": "spaced out"}
    return Case("columns with dots", Table(kinds, rows), told=told, by=["a`b"]).once()


def _slices() -> Case:
    """Grouped by a truth value, a whole number, and a number, some missing."""
    kinds = {"question": "whole", "outcome": "whole", "t": "truth", "w": "whole", "n": "number"}
    rows = [
        (
            at,
            trial % 2,
            (True, False, None)[at % 3],
            (1, None)[at % 2],
            (0.7, 1.0, None)[at // 2 % 3],
        )
        for at in range(18)
        for trial in range(3)
    ]
    return Case("kinds of slices", Table(kinds, rows), by=["t", "w", "n"]).once()


def _trials(
    name: str, kind: str, trials: Sequence[Any], twice: Any = None, pairs: int = 2, **told: Any
) -> Case:
    """Two questions with the same trials; `twice` is the first trial that is repeated."""
    kinds = {"system": "text", "question": "text", "trial": kind, "outcome": "whole"}
    rows = [("s", q, trial, at % 2) for q in ("q0", "q1") for at, trial in enumerate(trials)]
    case = Case(name, Table(kinds, rows), told=told).once()
    if twice is None:
        return case
    times = list(trials).count(twice)
    words = (
        f"{pairs} trials occur more than once; system 's', question 'q0', trial '{twice}' occurs "
    )
    return case.refusing("RepeatedTrial", f"{words}{times} times", "repeats='keep'")


def _csv_traps() -> Case:
    """Ids that mislead the detection of CSV dialects: comments, quotes, semicolons."""
    kinds = {"question": "text", "note": "text", "outcome": "whole"}
    ids = ("#1", "# 2", "'x'", "x", "a;b", "c;d", "//", "-")
    rows = [(q, "p;q;r", trial % 2) for q in ids for trial in range(3)]
    return Case("traps of CSV", Table(kinds, rows)).once()


def _nothing(column: str) -> Case:
    """Some rows without a question, a system or a task."""
    kinds = {"system": "text", "task": "text", "question": "text", "outcome": "whole"}
    lost = list(kinds).index(column)
    rows: list[tuple[Any, ...]] = []
    for at, trial in itertools.product(range(4), range(3)):
        row = ("s", "t", f"q{at}", trial % 2)
        rows.append(row if at else (*row[:lost], None, *row[lost + 1 :]))
    return Case(f"no {column}", Table(kinds, rows)).once()


def _seeds() -> list[Case]:
    """Five trials numbered by large seeds, whose sums are those of five consecutive numbers."""
    found = []
    for first in (348_598, 3_000_000_001, 2**62):  # sums of squares are exact in none
        trials = [first, first + 2, first + 2, first + 2, first + 4]
        found.append(_trials(f"seeds from {first}, one thrice", "whole", trials, first + 2))
        found.append(_trials(f"seeds from {first}", "whole", [first + at for at in range(5)]))
    return found


def _clusters(kind: str, names: Sequence[Any], **told: Any) -> Case:
    """Questions in clusters, some without one; and a column that divides the rows of each."""
    rng = np.random.default_rng(len(names))
    kinds = {"system": "text", "task": "text", "question": "text", "cluster": kind}
    kinds |= {"trial": "whole", "outcome": "whole", "answer": "text", "half": "text"}
    rows: list[tuple[Any, ...]] = []
    for system, task in itertools.product(("a", "b"), ("s", "t")):
        for at in range(14):
            name = (*names, None)[rng.integers(len(names) + 1)]
            for trial in range(rng.integers(2, 4)):
                outcome = (None, 0, 1, 1)[rng.integers(4)]
                said = "xyz"[rng.integers(3)]
                rows.append((system, task, f"q{at}", name, trial, outcome, said, "hl"[trial % 2]))
    table = Table(kinds, rows)
    if told:  # a key of the other GROUP BY, where trials have no number
        table = replace(table, kinds={("try" if n == "trial" else n): k for n, k in kinds.items()})
    label = f"clusters of {kind}{', trials without a number' if told else ''}"
    return replace(Case(label, table, told=told).once(), by=["half"])


def _weights(kind: str, weights: Sequence[Any], *, clustered: bool = False) -> Case:
    """Questions of different weights, some of them 0, some in clusters; rows without a result."""
    rng = np.random.default_rng(len(weights))
    kinds = {"system": "text", "question": "text", "weight": kind, "trial": "whole"}
    kinds |= {"outcome": "whole", "status": "text", "half": "text"}
    rows: list[tuple[Any, ...]] = []
    for system, at in itertools.product("ab", range(15)):
        for trial in range(4):
            outcome = (None, 0, 1, 1)[rng.integers(4)] if trial else 1
            status = "ok" if outcome is not None else ("error", "unscored")[at % 2]
            weight = weights[at % len(weights)]
            rows.append((system, f"q{at}", weight, trial, outcome, status, "12"[trial % 2]))
    table = Table(kinds, rows)
    if clustered:
        kinds = {**kinds, "cluster": "text"}
        table = Table(kinds, [(*row, "xyz"[len(row[1]) % 3]) for row in rows])
    name = f"weights of {kind}{' in clusters' * clustered}"
    case = Case(name, table, by=["half"], metrics=("pass@1", "pass@2", "geom-ds@2"))
    return replace(case, short=("drop",), curve="")


def _torn(name: str, trial: str, *clusters: str | None) -> Case:
    """A question whose rows name different clusters, in one of two systems."""
    kinds = {"system": "text", "question": "text", "cluster": "text", trial: "whole"}
    rows = [
        (system, q, "c" if system == "a" or q == "q0" else clusters[at], at, at % 2)
        for system, q in itertools.product("ab", ("q0", "q1", "q2"))
        for at in range(len(clusters))
    ]
    case = Case(name, Table({**kinds, "outcome": "whole"}, rows), told={"trial": None})
    found = "is in 'x' and in 'y'" if None not in clusters else "is in 'x' in 2 of its 3 rows"
    return replace(case, told={} if trial == "trial" else case.told).refusing(
        "InputError",
        f"system 'b', question 'q1' {found}",
        "and 1 more",
        "column 'cluster'",
        "cluster=None",
    )


def _empty() -> Case:
    table = Table({"question": "text", "trial": "whole", "outcome": "whole"}, [])
    return Case("empty", table).refusing("NotThere")


def _strange_status() -> Case:
    table = Table(
        {"question": "text", "outcome": "whole", "status": "text"},
        [("q", 1, "ok"), ("q", 0, "done"), ("r", None, "boom")],
    )
    return Case("unknown status", table).refusing("InputError", "status 'boom' is not known")


CASES = (
    _awkward(),
    _bare(),
    _statuses(),
    _categories(),
    _rewards(),
    _sql(),
    _dots(),
    _slices(),
    _trials("numbered twice", "whole", [0, 1, 1], 1),
    _trials("named twice", "text", ["a", "b", "a"], "a"),
    _trials("equal sums", "whole", [0, 1, 1, 4, 4, 6, 6, 7, 7, 9], 1, pairs=8),
    _trials("many trials, one twice", "whole", [*range(60), *range(61, 100), 70], 70),
    _trials("many trials", "whole", range(110)),
    _trials("repeats kept", "whole", [0, 1, 1], repeats="keep"),
    _trials("gaps in trials", "whole", [0, 5, -3]),
    _trials("trials of text", "text", ["1", "01", "1.0", "x"]),
    _trials("trials half known", "whole", [1, None, None, 2]),
    *_seeds(),
    _csv_traps(),
    _nothing("system"),
    _nothing("task"),
    _nothing("question").refusing("InputError", "question"),
    _clusters("text", AWKWARD),
    _clusters("text", ["", "one", "other"], trial=None),
    _clusters("whole", [3, 20, 100, -1]),
    _clusters("number", [0.5, 1.5, 10.25, 2.125], trial=None),
    _clusters("truth", [True, False]),
    _weights("number", [0.1, 2.5, 0.0, 1e-3, 40.0]),
    _weights("whole", [1, 2, 0, 7]),
    _weights("text", ["0.5", "3", "1e1"]),
    _weights("number", [0.1, 2.5, 1.75], clustered=True),
    _torn("two clusters", "trial", "x", "y", "x"),
    _torn("two clusters, trials without a number", "try", "x", "y", "x"),
    _torn("half in a cluster", "trial", "x", None, "x"),
    _torn("half in a cluster, trials without a number", "try", None, "x", "x"),
    _empty(),
    _strange_status(),
)
