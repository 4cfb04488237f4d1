"""Pictures of questions: which system answered which, their difficulty, and rows by status."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from errbar.base.arrays import Array
from errbar.base.tables import counted
from errbar.data.queries.slices import Slice
from errbar.errors import InputError
from errbar.results.estimate import Estimand, Interval, Subject
from errbar.results.inspection import Inspection
from errbar.results.pictures.picture import (
    COLOURS,
    INK,
    NAMES_DOWN,
    STEP,
    WIDTH,
    Picture,
    Row,
    Spec,
    covering,
    number,
    on_one,
    panels,
    picture,
    short_names,
    told,
)

Shares = Mapping[str, Mapping[str, float]]  # by system: questions, and how often each was right

_MOST_COLUMNS = 400  # of a heat map; beyond, questions of like difficulty share one
_MOST_BINS = 10


def outcome_map(tasks: Mapping[str, Shares]) -> Picture:
    """A row per system, a column per question, the easiest first: how many trials were right."""
    rows, most, questions = [], 0, 0
    short = short_names(system for shares in tasks.values() for system in shares)
    for task, shares in tasks.items():
        groups = _by_difficulty(shares)
        most = max(most, len(groups))
        questions = max(questions, sum(map(len, groups)))
        rows += [
            {
                "label": short[system],
                "name": system,
                "panel": task,
                "x": at,
                "value": float(np.mean(held)),
                "question": group[0] if len(group) == 1 else f"{len(group)} questions",
            }
            for system, own in shares.items()
            for at, group in enumerate(groups)
            if (held := [own[one] for one in group if one in own])
        ]
    spec = _cells(most)
    each = "" if questions <= _MOST_COLUMNS else f", about {-(-questions // most)} to a column"
    below = [
        f"{counted(questions, 'question')}{each}, the easiest for all systems first",
        "Observed shares, without intervals. White: no trials",
    ]
    body = panels(spec, list(tasks))
    return picture(on_one("Right trials by question", tasks), below, rows, body)


def _cells(columns: int) -> Spec:
    wide = min(max(6 * columns, 300), 860)
    axis = {"labels": False, "ticks": False, "domain": False}
    x = {"field": "x", "type": "ordinal", "title": "questions, easiest first", "axis": axis}
    colour = number(
        "value",
        "share right",
        scale={"scheme": "cividis", "domain": [0, 1]},
        legend={"format": "%"},
    )
    tooltip = told(name="system", question="question", value="share right")
    return {
        "width": wide,
        "height": {"step": STEP},
        "mark": {"type": "rect"},
        "encoding": {"x": x, "y": NAMES_DOWN, "color": colour, "tooltip": tooltip},
    }


def _by_difficulty(shares: Shares) -> list[list[str]]:
    """Questions from the easiest for all systems, in columns of as many as are needed."""
    seen: dict[str, list[float]] = {}
    for own in shares.values():
        for question, share in own.items():
            seen.setdefault(question, []).append(share)
    order = sorted(seen, key=lambda one: (-float(np.mean(seen[one])), one))
    each = -(-len(order) // _MOST_COLUMNS)
    return [order[at : at + each] for at in range(0, len(order), each)]


def difficulty_edges(trials: NDArray[np.int64]) -> Array:
    """Edges of bins around shares that trials can have, so that each share is in the middle."""
    held = np.unique(trials[trials > 0])
    if not held.size:
        raise InputError("no question has a trial; there is no difficulty to draw.")
    parts = min(int(held[0]), _MOST_BINS) if held.size == 1 else _MOST_BINS
    return (np.arange(parts + 2) - 0.5) / parts


def difficulty_picture(
    observed: Mapping[Subject, Array], learned: Mapping[Subject, Array], level: float
) -> Picture:
    """Shares of questions by observed success rate, and what the learned spread expects there.

    `observed` has a share for each bin, `learned` a row of them for each draw.
    """
    tasks = {of.task for of in observed}
    called = {of: str(of) if len(tasks) > 1 else of.system for of in observed}
    short = short_names(called.values())
    rows: list[Row] = []
    tail = 0.5 * (1.0 - level)
    for of, shares in observed.items():
        draws, parts = learned[of], shares.size - 1
        low, high = np.quantile(draws, [tail, 1.0 - tail], axis=0)
        rows += [
            {
                "panel": short[called[of]],
                "x": at / parts,
                "left": (at - 0.44) / parts,
                "right": (at + 0.44) / parts,
                "share": float(shares[at]),
                "value": float(draws[:, at].mean()),
                "low": float(low[at]),
                "high": float(high[at]),
            }
            for at in range(parts + 1)
        ]
    below = [
        *covering([("", Interval(0.0, 1.0, level, Estimand.POPULATION))]),
        "Bars: observed. Points: expected under the difficulty model",
    ]
    spec = _histogram()
    names = [short[name] for name in called.values()]
    title = on_one("Distribution of difficulty", tasks)
    if len(names) == 1:
        title = on_one(title, names)
    return picture(title, below, rows, panels(spec, names, columns=2))


def _histogram() -> Spec:
    ticks: Sequence[float] = [0, 0.2, 0.4, 0.6, 0.8, 1]
    x = number("left", "success rate of a question", axis={"values": ticks, "grid": False})
    x["scale"] = {"domain": [-0.08, 1.08], "nice": False}
    y = number("share", "share of questions", scale={"zero": True, "nice": True})
    tooltip = told(x="success rate", share="observed", value="learned", low="from", high="to")
    return {
        "width": WIDTH,
        "height": 200,
        "layer": [
            {
                "mark": {"type": "rect", "color": COLOURS[5], "opacity": 0.55},
                "encoding": {
                    "x": x,
                    "x2": {"field": "right"},
                    "y": y,
                    "y2": {"datum": 0},
                    "tooltip": tooltip,
                },
            },
            {
                "mark": {"type": "rule", "color": INK, "strokeWidth": 1.5},
                "encoding": {
                    "x": {**x, "field": "x"},
                    "y": {**y, "field": "low"},
                    "y2": {"field": "high"},
                    "tooltip": tooltip,
                },
            },
            {
                "mark": {"type": "point", "filled": True, "size": 45, "color": INK, "opacity": 1},
                "encoding": {"x": {**x, "field": "x"}, "y": {**y, "field": "value"}},
            },
        ],
    }


# From dark to light, which prints in grey too.
_KINDS = {"right": "#08519c", "other score": "#56a0ce", "wrong": "#c6dbef", "no result": "#ffffff"}


def data_picture(found: Inspection) -> Picture:
    """A bar for each system and task, as long as it has rows."""
    tasks = {one.key[1] for one in found.slices}
    called = [
        " · ".join(filter(None, one.key[: 1 + (len(tasks) > 1)])) or "all rows"
        for one in found.slices
    ]
    short = short_names(called)
    rows = [
        {"label": short[name], "name": name, "kind": kind, "place": at, "rows": rows}
        for name, one in zip(called, found.slices, strict=True)
        for at, (kind, rows) in enumerate(_counted(one).items())
    ]
    kinds = [kind for kind in _KINDS if any(row["rows"] for row in rows if row["kind"] == kind)]
    scale = {"domain": kinds, "range": [_KINDS[kind] for kind in kinds]}
    spec = {
        "width": WIDTH,
        "height": {"step": STEP},
        "mark": {"type": "bar", "stroke": "#666666", "strokeWidth": 0.5},
        "encoding": {
            "y": NAMES_DOWN,
            "x": number("rows", "rows", axis={"grid": True, "tickMinStep": 1, "format": ",d"}),
            "color": {
                "field": "kind",
                "type": "nominal",
                "scale": scale,
                "legend": {"title": None, "symbolType": "square"},
            },
            "order": {"field": "place", "type": "quantitative"},
            "tooltip": told(name="system", kind="status", rows="rows"),
        },
    }
    below = [found.summary(), "Counts of rows; counts have no interval"]
    return picture(on_one("Contents of the data", tasks), below, rows, spec)


def _counted(one: Slice) -> dict[str, int]:
    right, other, scored = (
        int(part @ one.questions) for part in (one.right, one.other, one.scored)
    )
    return {
        "right": right,
        "other score": other,
        "wrong": scored - right - other,
        "no result": one.failed + one.ungraded,
    }
