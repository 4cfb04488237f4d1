"""Clusters of questions, as errbar computes them and as counted in plain Python."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

import errbar
from errbar.data.columns import NO_RESULT, UNSCORED
from errbar.data.queries.questions import COUNTED

Meaning = Callable[[str], str | None]  # the column that holds it
Rows = Sequence[Mapping[str, Any]]


def asked(runs: errbar.Runs, by: Sequence[str]) -> list[Any]:
    """States by cluster of every slice, and the cluster of every question."""
    results = runs.source.categories(by)
    found = []
    for each in runs.source.slices(by):
        counts = [getattr(each, name) for name in COUNTED]
        parts = (each.clusters, *counts, each.questions)
        states = np.stack(
            [np.full(each.trials.size, -1) if p is None else p for p in parts], axis=1
        )
        clusters = results[each.key].clusters
        numbers = None if clusters is None else clusters.tolist()
        found.append([list(each.key), sorted(states.tolist()), numbers, each.alone])
    return found


def voted(runs: errbar.Runs, by: Sequence[str]) -> list[Any]:
    """The cluster of every question, from its ballots."""
    return [[list(key), [q.cluster for q in each]] for key, each in runs.source.ballots(by).items()]


def expected(rows: Rows, meaning: Meaning, by: Sequence[str]) -> list[Any]:
    """What is expected, counted row by row."""
    states, together = _counted(rows, meaning, by)
    if not any(name for each in together.values() for name in each.values()):
        together = {}
    found = []
    for key, questions in sorted(states.items()):
        if not together:
            often = Counter((-1, *state) for state in map(_state, questions.values()))
            found.append([list(key), _entries(often), None, 0])
            continue
        cluster = together[key]
        named = sorted({name for name in cluster.values() if name})
        alone = sorted(q for q in questions if not cluster[q])
        number = {q: named.index(cluster[q]) for q in questions if cluster[q]}
        by_state = sorted(alone, key=lambda q: _state(questions[q]))
        often = Counter((number[q], *_state(questions[q])) for q in number)
        often.update((len(named) + at, *_state(questions[q])) for at, q in enumerate(by_state))
        number |= {q: len(named) + at for at, q in enumerate(alone)}
        numbers = [number[q] for q in sorted(questions)]
        found.append([list(key), _entries(often), numbers, len(alone)])
    return found


def expected_votes(rows: Rows, meaning: Meaning, by: Sequence[str]) -> list[Any]:
    """Of each question, in the order of their ids."""
    return [
        [key, numbers or [None] * sum(state[-1] for state in states)]
        for key, states, numbers, _ in expected(rows, meaning, by)
    ]


def _counted(rows: Rows, meaning: Meaning, by: Sequence[str]) -> tuple[Any, Any]:
    states: Any = defaultdict(lambda: defaultdict(Counter))
    together: Any = defaultdict(dict)
    for row in rows:
        names = [meaning("system"), meaning("task"), *by]
        key = tuple(_text(row.get(n or ""), "(none)" * (at > 1)) for at, n in enumerate(names))
        question = _text(row[meaning("question") or ""])
        outcome = row[meaning("outcome") or ""]
        scored = outcome is not None and not math.isnan(outcome)
        scored = scored and row.get(meaning("status") or "") not in NO_RESULT
        tally = states[key][question]
        status = row.get(meaning("status") or "")
        tally["trials"] += status != UNSCORED
        tally["unscored"] += status == UNSCORED
        tally["unexplained"] += not scored and status in (None, "ok")
        tally["scored"] += scored
        tally["right"] += scored and outcome == 1
        tally["other"] += scored and outcome not in (0, 1)
        together[key][question] = _text(row.get(meaning("cluster") or ""))
    return states, together


def _state(tally: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(tally[name] for name in COUNTED)


def _entries(often: Mapping[tuple[int, ...], int]) -> list[list[int]]:
    return sorted([*state, n] for state, n in often.items())


def _text(value: Any, nothing: str = "") -> str:
    if value is None:
        return nothing
    return str(value).lower() if isinstance(value, bool) else str(value)
