"""Forests: a row for each number, with its interval as a line and in figures.

A number without an interval is not drawn; its row says that there is none.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from errbar.base.tables import counted, percent
from errbar.metrics.base import Direction
from errbar.results.comparison import Comparisons
from errbar.results.estimate import AnyEstimate, Estimate, Interval
from errbar.results.gate import Gate
from errbar.results.leaderboard import Leaderboard
from errbar.results.pictures.picture import (
    COLOURS,
    FAINT,
    GRID,
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
    with_ends,
)
from errbar.results.scores import Estimates

_NONE = "no interval"
_ENDS = {"low": "from", "high": "to"}
_ZERO: Spec = {
    "data": {"values": [{}]},
    "mark": {"type": "rule", "color": INK, "strokeDash": [4, 3], "strokeWidth": 1},
    "encoding": {"x": {"datum": 0}},
}


def score_forest(scores: Estimates[Any]) -> Picture:
    """Every estimate, a panel for each metric."""
    metrics = list(dict.fromkeys(str(one.metric) for one in scores))
    tasks = {one.task for one in scores}
    called = [str(replace(one.of, task="") if len(tasks) == 1 else one.of) for one in scores]
    short, alone = short_names(called), set(called) == {""} and len(metrics) > 1
    rows = [
        _row(short[name], str(one.metric), _point(one), one.sd, one.interval)
        | {"name": name, "why": one.reason}
        for name, one in zip(called, scores, strict=True)
    ]
    if alone:  # one system without a name: its metrics are the rows
        rows = [{**row, "label": row["panel"], "panel": ""} for row in rows]
    title = metrics[0] if len(metrics) == 1 else "Scores"
    worse = all(one.metric.direction is Direction.LOWER for one in scores)
    below = [
        *covering([(str(one.metric), one.interval) for one in scores]),
        "Lower is better" if worse else "",
    ]
    tooltip = told(name="system", panel="metric", value="value", **_ENDS, why="why none")
    bounds = [one.metric.bounds for one in scores]
    within = min(low for low, _ in bounds), max(high for _, high in bounds)
    x = number("value", title if len(metrics) == 1 else "value", scale=_scale(rows, within))
    spec = _forest(x, tooltip)
    body = panels(spec, [""] if alone else metrics)
    return picture(on_one(title, tasks), below, rows, body)


def comparison_forest(found: Comparisons) -> Picture:
    """Every difference beside zero, and what would not matter."""
    tasks = {row.task for row in found}
    called = [_pair(row.one, row.other, row.task if len(tasks) > 1 else "") for row in found]
    short = short_names(called)
    rows = [
        _row(short[name], str(row.metric), row.difference, row.sd, row.interval)
        | {"name": row.verdict, "why": row.reason}
        for name, row in zip(called, found, strict=True)
    ]
    adjusted = any(row.adjusted > row.p_value for row in found)
    together = "; simultaneous" if adjusted else ""
    margins = sorted({row.margin for row in found if row.margin})
    below = [f"{line}{together}" for line in covering([(str(r.metric), r.interval) for r in found])]
    if margins:
        below.append(f"Shaded: differences up to the margin of {margins[0]:g}")
    lower = [str(row.metric) for row in found if row.metric.direction is Direction.LOWER]
    if lower:
        below.append(f"Lower is better: {', '.join(dict.fromkeys(lower))}")
    return _differences(rows, below, margins[0] if margins else None, tasks)


def gate_forest(found: Gate) -> Picture:
    """Every change beside zero and beside what is just not allowed."""
    short = short_names(row.name for row in found.rows)
    rows = [
        _row(short[row.name], "", one.difference, one.sd, one.interval)
        | {"name": row.verdict.value, "limit": row.limit, "why": one.reason}
        for row in found.rows
        for one in [row.comparison]
    ]
    lower = [row.name for row in found.rows if row.comparison.metric.direction is Direction.LOWER]
    below = [
        *covering([(row.name, row.comparison.interval) for row in found.rows]),
        f"{found.candidate} (candidate) minus {found.baseline} (baseline). Vertical line: the "
        f"limit",
        f"Lower is better: {', '.join(lower)}" if lower else "",
    ]
    x = number("value", "change", axis={"grid": True})
    tooltip = told(label="metric", value="change", **_ENDS, limit="limit", name="verdict")
    spec = _forest(x, tooltip, around=[_ZERO])
    limit = {"type": "tick", "color": COLOURS[1], "thickness": 3, "size": STEP - 5}
    encoding = {"y": NAMES_DOWN, "x": {**x, "field": "limit"}, "tooltip": tooltip}
    spec["layer"].append({"mark": limit, "encoding": encoding})
    return picture(found.headline.rstrip("."), below, rows, spec)


def rank_picture(board: Leaderboard) -> Picture:
    """Scores, and beside them the ranks that each system may have."""
    short = short_names(row.system for row in board)
    rows = [
        _row(short[row.system], "", row.value, row.sd, row.interval)
        | {
            "name": row.system,
            "rank": row.rank,
            "best": row.best_rank,
            "worst": row.worst_rank,
            "ranks": _ranks(row.best_rank, row.worst_rank),
            "why": "",
        }
        for row in board
    ]
    level = percent(board[0].interval.level)
    below = [
        *covering([("", row.interval) for row in board]),
        f"Ranks: simultaneous {level} intervals for the true ranks "
        f"({counted(board.questions, 'question')})",
    ]
    x = number("value", str(board.metric), scale=_scale(rows, board.metric.bounds))
    left = _forest(x, told(name="system", value="value", **_ENDS), width=260)
    body = {
        "hconcat": [left, _rank_panel(len(board))],
        "spacing": 36,
        "resolve": {"scale": {"y": "shared"}},
    }
    return picture(f"Ranks by {board.metric}", below, rows, body)


def _rank_panel(systems: int) -> Spec:
    ticks = sorted({1, *range(max(1, systems // 10), systems + 1, max(1, systems // 10))})
    x = {
        **number("best", "rank"),
        "scale": {"domain": [0.5, systems + 0.5], "nice": False},
        "axis": {"values": ticks, "format": "d"},
    }
    y = {**NAMES_DOWN, "axis": None}
    tooltip = told(name="system", rank="rank", best="best", worst="worst")
    return {
        "width": 220,
        "height": {"step": STEP},
        "layer": [
            _line(y, x, "worst", tooltip, strokeCap="round", strokeWidth=5, opacity=0.35),
            {
                "mark": {
                    "type": "point",
                    "filled": True,
                    "size": 55,
                    "opacity": 1,
                    "color": COLOURS[0],
                },
                "encoding": {"y": y, "x": {**x, "field": "rank"}, "tooltip": tooltip},
            },
            _figures("ranks", 230, y),
        ],
    }


def _ranks(best: int, worst: int) -> str:
    return str(best) if best == worst else f"{best} to {worst}"


def _differences(
    rows: Sequence[Row], below: Iterable[str], margin: float | None, tasks: Iterable[str]
) -> Picture:
    """Rows of differences, around a line where there is none."""
    metrics = list(dict.fromkeys(row["panel"] for row in rows))
    title = f"Differences of {metrics[0]}" if len(metrics) == 1 else "Differences"
    tooltip = told(label="systems", panel="metric", value="difference", **_ENDS, name="verdict")
    x = number("value", "difference (first minus second)", axis={"grid": True})
    around: list[Spec] = []
    if margin is not None:
        shade = {"type": "rect", "color": GRID, "opacity": 0.7}
        ends = {"x": {"datum": -margin}, "x2": {"datum": margin}}
        around.append({"data": {"values": [{}]}, "mark": shade, "encoding": ends})
    spec = _forest(x, tooltip, around=[*around, _ZERO])
    return picture(on_one(title, tasks), below, rows, panels(spec, metrics))


def _forest(
    x: Spec, tooltip: list[Spec], *, width: int = WIDTH, around: Sequence[Spec] = ()
) -> Spec:
    """Lines, points on them, and figures beside them."""
    across = {"scale": _AS_NEEDED, **x}
    point = {"type": "point", "filled": True, "size": 55, "opacity": 1, "color": COLOURS[0]}
    return {
        "width": width,
        "height": {"step": STEP},
        "layer": [
            *around,
            _line(NAMES_DOWN, {**across, "field": "low"}, "high", tooltip, strokeWidth=2),
            {
                "mark": point,
                "encoding": {
                    "y": NAMES_DOWN,
                    "x": {**across, "field": "drawn"},
                    "tooltip": tooltip,
                },
            },
            _figures("figures", width + 10, NAMES_DOWN),
        ],
    }


_AS_NEEDED: Spec = {"zero": False, "nice": True, "padding": 6}


def _scale(rows: Sequence[Row], within: tuple[float, float]) -> Spec:
    """From the least to the largest that is drawn and a little beyond, but within what can be."""
    ends = [
        row[end] for row in rows for end in ("low", "high", "drawn") if not math.isnan(row[end])
    ]
    if not ends or min(ends) < within[0] or max(ends) > within[1]:
        return _AS_NEEDED
    beyond = 0.05 * (max(ends) - min(ends) or 1.0)
    return {
        "domain": [max(within[0], min(ends) - beyond), min(within[1], max(ends) + beyond)],
        "nice": False,
    }


def _line(y: Spec, x: Spec, to: str, tooltip: list[Spec], **look: Any) -> Spec:
    return {
        "mark": {"type": "rule", "color": COLOURS[0], **look},
        "encoding": {"y": y, "x": x, "x2": {"field": to}, "tooltip": tooltip},
    }


def _figures(field: str, at: float, y: Spec) -> Spec:
    """A column of text to the right."""
    mark = {"type": "text", "align": "left", "fontSize": 11, "color": FAINT}
    return {
        "mark": mark,
        "encoding": {"y": y, "x": {"value": at}, "text": {"field": field, "type": "nominal"}},
    }


def _row(label: str, panel: str, value: float, sd: float, interval: Interval) -> Row:
    """What is drawn of a number; `drawn` is null where it has no interval."""
    known = not math.isnan(value + interval.low + interval.high)
    return {
        "label": label,
        "panel": panel,
        "value": value,
        "low": interval.low,
        "high": interval.high,
        "drawn": value if known else math.nan,
        "figures": with_ends(value, sd, interval) if known else _NONE,
    }


def _point(one: AnyEstimate) -> float:
    """The observed value; where the trials give none, what the interval is around."""
    return one.mean if isinstance(one, Estimate) and math.isnan(one.value) else one.value


def _pair(one: str, other: str, task: str) -> str:
    return f"{one} − {other}{f' · {task}' if task else ''}"
