"""Tables with a confidence, and every way in which they are ranked."""

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import errbar
from conformance_cases import alone, of_the_data
from conformance_engines import Table
from errbar.data.columns import NO_RESULT
from errbar.data.sources import tables as sources

METRICS = ("aurc", "e-aurc", "risk@0.25", "cov@risk0.4")
_QUICK = errbar.Bootstrap(100)
_BINS = 12


@dataclass(frozen=True)
class Case:
    """A table, and words of the error that ranking it raises, if it does."""

    name: str
    table: Table
    refused: str = ""


# How the rows are ranked: above how many of them in groups of clusters, and in how many bins.
WAYS = {"rows": (10**9, None), "groups": (0, None), "bins": (10**9, _BINS)}


def ask(case: Case, data: Any, ways: Iterable[str] = tuple(WAYS)) -> dict[Any, Any]:
    """Results by rows, by groups and by bins: values, intervals, counts and words, bit by bit."""
    runs = errbar.load(data, **alone(case.table))
    where = f"{data}: " if isinstance(data, str | Path) else ""
    found: dict[Any, Any] = {}
    for way in ways:
        most, bins = WAYS[way]
        with patch.object(sources, "MOST_RANKED_ROWS", most):
            try:
                risks = runs.selective(*METRICS, method=_QUICK, bins=bins)
                areas = runs.roc(method=_QUICK, bins=bins)
            except errbar.errors.InputError as error:
                found[way] = type(error).__name__, str(error).removeprefix(where)
                continue
        rows = [*risks.to_dicts(), *areas.to_dicts()]
        found[way] = [
            {name: each.hex() if isinstance(each, float) else each for name, each in row.items()}
            for row in rows
        ]
        found[way, "notes"] = [of_the_data(each.notes()) for each in (risks, areas)]
        found[way, "aurc"] = {
            row["system"]: row["value"].hex() for row in rows if row["metric"] == "aurc"
        }
        found[way, "bin_error"] = {row["system"]: row["bin_error"].hex() for row in rows}
    if case.refused:
        assert all(case.refused in says for _, says in found.values()), found
    return found


def expected(case: Case) -> dict[str, float]:
    """AURC of every system: the mean risk of the surest k, over all k, ties averaged."""
    losses: dict[str, dict[float, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in case.table.records():
        outcome, status = row["outcome"], row.get("status")
        if outcome is None or math.isnan(outcome) or status in (*NO_RESULT, "abstained"):
            continue
        losses[row["system"] or ""][row["confidence"]].append(1.0 - outcome)
    areas = {}
    for system, tied in losses.items():
        risks, lost, covered = [], 0.0, 0
        for sure in sorted(tied, reverse=True):
            each = math.fsum(tied[sure]) / len(tied[sure])
            risks += [(lost + at * each) / (covered + at) for at in range(1, len(tied[sure]) + 1)]
            lost, covered = lost + math.fsum(tied[sure]), covered + len(tied[sure])
        areas[system] = math.fsum(risks) / len(risks)
    return areas


def _statuses() -> Case:
    """Abstentions, failures, missing confidences, a cluster of several questions, ties."""
    rng = np.random.default_rng(21)
    kinds = dict.fromkeys(("system", "question", "cluster", "status"), "text")
    kinds |= {"outcome": "number", "confidence": "number"}
    known = ("ok", None, "limit", "abstained", "timeout", "error", "unscored")
    rows: list[tuple[Any, ...]] = []
    for system, question in itertools.product(("a", "é", None), range(120)):
        for _ in range(2):
            status = known[rng.choice(7, p=[0.4, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1])]
            outcome = (0.0, 1.0, None)[rng.choice(3, p=[0.4, 0.5, 0.1])]
            held = outcome is not None and status in ("ok", "limit", None)
            sure = rng.integers(0, 20) / 20
            nothing = (None, math.nan, sure)[rng.integers(3)]
            row = (system, f"q{question}", f"c{question // 5}", status, outcome)
            rows.append((*row, sure if held else nothing))
    return Case("statuses and clusters", Table(kinds, rows))


def _many() -> Case:
    """More clusters than groups, and distinct confidences most of which are close to 1."""
    rng = np.random.default_rng(22)
    kinds = {"system": "text", "question": "whole", "outcome": "truth", "confidence": "number"}
    rows = [
        (system, question, bool(rng.integers(2)), 1.0 - 10.0 ** -rng.uniform(0, 9))
        for system in ("a", "b")
        for question in range(230)
        for _ in range(2)
    ]
    return Case("many confidences", Table(kinds, rows))


def _whole() -> Case:
    """Confidences that are whole numbers, of both signs."""
    rng = np.random.default_rng(23)
    kinds = {"system": "text", "question": "text", "outcome": "whole", "confidence": "whole"}
    rows = [("s", f"q{at % 7}", int(rng.integers(2)), int(rng.integers(-3, 4))) for at in range(60)]
    return Case("whole confidences", Table(kinds, rows))


def nameless(kind: str, *, spelled_out: bool = False) -> Case:
    """Questions without a cluster beside others; `spelled_out` gives each a name of its own."""
    rng = np.random.default_rng(24)
    kinds = {"system": "text", "question": "text", "cluster": kind}
    kinds |= {"outcome": "whole", "confidence": "number"}
    known = {"text": ("q1", "b", "", None), "number": (1.5, 2.5, None, None)}[kind]
    rows: list[tuple[Any, ...]] = []
    for system, at in itertools.product(("a", "b"), range(24)):
        cluster = known[at % 4]
        if spelled_out and at % 4 > 1:
            cluster = f"z q{at:02}" if kind == "text" else 9000.0 + at
        for _ in range(2):
            row = (system, f"q{at:02}", cluster, int(rng.integers(2)), rng.integers(9) / 8)
            rows.append(row)
    return Case(f"questions without a cluster ({kind})", Table(kinds, rows))


def _refused(name: str, words: str, **changed: Any) -> Case:
    kinds = {"system": "text", "question": "text", "status": "text"}
    kinds |= {"outcome": "number", "confidence": "number"}
    usual = {"system": "s", "status": "ok", "outcome": 1.0, "confidence": 0.5}
    rows = [
        tuple((usual | {"question": f"q{at}"} | (changed if at % 3 == 0 else {}))[n] for n in kinds)
        for at in range(9)
    ]
    return Case(name, Table(kinds, rows), words)


RANKED = (
    _statuses(),
    _many(),
    _whole(),
    nameless("text"),
    nameless("number"),
    _refused(
        "no confidence",
        "3 of 9 rows have an answer and no confidence in the column 'confidence', so they cannot "
        "be ranked. Give them one, or the status 'abstained'.",
        confidence=None,
    ),
    _refused("NaN for a confidence", "3 of 9 rows have an answer", confidence=math.nan),
    _refused("grades", "3 of 9 rows of the column 'outcome' are neither", outcome=0.5),
    _refused("no question", "3 rows have no question in the column 'question'", question=None),
    _refused("a strange status", "status 'flaky' is not known", status="flaky", outcome=None),
)
