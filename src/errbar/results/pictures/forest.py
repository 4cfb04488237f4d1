"""Forest plots: a row per number, with its interval as a line and in figures.

A number without an interval is not drawn; its row reads "no interval".
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from errbar.base.tables import percent
from errbar.metrics.base import Direction
from errbar.results.comparisons import Comparisons
from errbar.results.estimate import Interval
from errbar.results.gate import Gate
from errbar.results.judges import LabellingPlan, RaterAgreement
from errbar.results.leaderboard import Board
from errbar.results.noise import NoiseTable
from errbar.results.pictures import vega
from errbar.results.pictures.picture import Picture, Spec
from errbar.results.pictures.vega import Datum, point_of
from errbar.results.scores import Estimates

_NONE = "no interval"
_PARTS, _ROUNDING = 5, 1e-9  # about the number of parts of an axis, at most one more
_ENDS = {"low": "from", "high": "to"}
_ZERO: Spec = {
    "data": {"values": [{}]},
    "mark": {"type": "rule", "color": vega.INK, "strokeDash": [4, 3], "strokeWidth": 1},
    "encoding": {"x": {"datum": 0}},
}


@dataclass(frozen=True)
class Axis:
    """Evenly spaced ticks at round numbers, and positions between the first and the last.

    Examples
    --------
    >>> axis = Axis.of([0.532, 0.781])
    >>> axis.ticks, axis.at(0.6)
    ((0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8), 33.33)
    """

    ticks: tuple[float, ...]

    @classmethod
    def of(cls, numbers: Iterable[float]) -> "Axis":
        """Return an axis that reaches all numbers that are finite."""
        known = [number for number in numbers if math.isfinite(number)] or [0.0, 1.0]
        low, high = min(known), max(known)
        rough = (high - low or abs(high) or 1.0) / _PARTS
        size = 10.0 ** math.floor(math.log10(rough))
        step = size * next(part for part in (1, 2, 5, 10) if part * size >= rough * (1 - _ROUNDING))
        first, last = math.floor(low / step + _ROUNDING), math.ceil(high / step - _ROUNDING)
        last = max(last, first + 1)
        return cls(tuple(float(f"{at * step:.12g}") for at in range(first, last + 1)))

    def at(self, number: float) -> float:
        """Return a position in percent."""
        first, last = self.ticks[0], self.ticks[-1]
        return round(100.0 * (number - first) / (last - first), 2)


def score_forest(scores: Estimates[Any]) -> Picture:
    """Draw every estimate, with a panel per metric."""
    metrics = list(dict.fromkeys(str(estimate.metric) for estimate in scores))
    tasks = {estimate.task for estimate in scores}
    names = [
        str(replace(estimate.of, task="") if len(tasks) == 1 else estimate.of)
        for estimate in scores
    ]
    short, alone = vega.short_names(names), set(names) == {""} and len(metrics) > 1
    rows = [
        _row(short[name], str(estimate.metric), point_of(estimate), estimate.sd, estimate.interval)
        | {"name": name, "why": estimate.reason}
        for name, estimate in zip(names, scores, strict=True)
    ]
    if alone:  # a single unnamed system: its metrics are the rows
        rows = [{**row, "label": row["panel"], "panel": ""} for row in rows]
    title = metrics[0] if len(metrics) == 1 else "Scores"
    worse = all(estimate.metric.direction is Direction.LOWER for estimate in scores)
    below = [
        *vega.coverage_notes([(str(estimate.metric), estimate.interval) for estimate in scores]),
        "Lower is better" if worse else "",
    ]
    tooltip = vega.tooltips(name="system", panel="metric", value="value", **_ENDS, why="remark")
    bounds = [estimate.metric.bounds for estimate in scores]
    within = min(low for low, _ in bounds), max(high for _, high in bounds)
    x = vega.quantitative(
        "value", title if len(metrics) == 1 else "value", scale=_scale(rows, within)
    )
    spec = _forest(x, tooltip)
    body = vega.facets(spec, [""] if alone else metrics)
    return vega.compose(vega.with_task(title, tasks), below, rows, body)


def comparison_forest(found: Comparisons) -> Picture:
    """Draw every difference with a line at zero, and the margin shaded."""
    tasks = {row.task for row in found}
    names = [_pair(row.first, row.second, row.task if len(tasks) > 1 else "") for row in found]
    short = vega.short_names(names)
    rows = [
        _row(short[name], str(row.metric), row.difference, row.sd, row.interval)
        | {"name": row.verdict, "why": row.reason}
        for name, row in zip(names, found, strict=True)
    ]
    adjusted = any(row.adjusted > row.p_value for row in found)
    together = "; simultaneous" if adjusted else ""
    margins = sorted({row.margin for row in found if row.margin})
    below = [
        f"{line}{together}"
        for line in vega.coverage_notes([(str(r.metric), r.interval) for r in found])
    ]
    if margins:
        below.append(f"Shaded: differences up to the margin of {margins[0]:g}")
    lower = [str(row.metric) for row in found if row.metric.direction is Direction.LOWER]
    if lower:
        below.append(f"Lower is better: {', '.join(dict.fromkeys(lower))}")
    return _differences(rows, below, margins[0] if margins else None, tasks)


def gate_forest(found: Gate) -> Picture:
    """Draw every change with a line at zero, and its limit."""
    short = vega.short_names(row.name for row in found.rows)
    rows = [
        _row(short[row.name], "", change.difference, change.sd, change.interval)
        | {"name": row.verdict.value, "limit": row.limit, "why": change.reason}
        for row in found.rows
        for change in [row.comparison]
    ]
    lower = [row.name for row in found.rows if row.comparison.metric.direction is Direction.LOWER]
    below = [
        *vega.coverage_notes([(row.name, row.comparison.interval) for row in found.rows]),
        f"{found.candidate} (candidate) minus {found.baseline} (baseline). Vertical line: the "
        f"limit",
        f"Lower is better: {', '.join(lower)}" if lower else "",
    ]
    x = vega.quantitative("value", "change", axis={"grid": True})
    tooltip = vega.tooltips(label="metric", value="change", **_ENDS, limit="limit", name="verdict")
    spec = _forest(x, tooltip, around=[_ZERO])
    limit = {"type": "tick", "color": vega.COLOURS[1], "thickness": 3, "size": vega.STEP - 5}
    encoding = {"y": vega.NAMES_DOWN, "x": {**x, "field": "limit"}, "tooltip": tooltip}
    spec["layer"].append({"mark": limit, "encoding": encoding})
    return vega.compose(found.headline.rstrip("."), below, rows, spec)


def agreement_forest(found: RaterAgreement) -> Picture:
    """Draw every number on the raters, with a panel for each kind."""
    rows = [
        _row(row.measure, row.about, row.value, row.sd, row.interval) | {"items": row.items}
        for row in found
    ]
    kinds = list(dict.fromkeys(row.about for row in found))
    tooltip = vega.tooltips(label="measure", value="value", **_ENDS, items="answers")
    body = vega.facets(_forest(vega.quantitative("value", "value"), tooltip), kinds)
    below = [found.footer().partition(" (")[0]]
    apart = {"scale": {"y": "independent"}} if len(kinds) > 1 else {}
    title = f"Agreement of {' and '.join(found.raters)}"
    return vega.compose(title, below, rows, body | ({"resolve": apart} if apart else {}))


def labelling_forest(found: LabellingPlan) -> Picture:
    """Draw how often the judge errs in each group of answers."""
    rows = [_row(group.name, group.task, group.errs, 0.1, group.interval) for group in found.groups]
    tooltip = vega.tooltips(label="judge says", value="judge errs", **_ENDS)
    body = _forest(vega.quantitative("value", "share of labels that differ"), tooltip)
    return vega.compose("Where the judge errs", [found.notes()[0]], rows, body)


def noise_bars(found: NoiseTable) -> Picture:
    """Draw the parts of each squared standard error, in the order of the sources."""
    rows = [
        {"label": label, "panel": "", "source": source.name, "value": source.square}
        | {"share": f"{100.0 * source.share.value:.0f}%", "order": at}
        for label, row in zip(found.labels(), found, strict=True)
        for at, source in enumerate(row.sources)
    ]
    names = list(dict.fromkeys(row["source"] for row in rows))
    colour = {
        "field": "source",
        "type": "nominal",
        "scale": {"domain": names, "range": [vega.COLOURS[at % 7] for at in range(len(names))]},
        "legend": {"title": None, "orient": "bottom"},
    }
    body = {
        "width": vega.WIDTH,
        "height": {"step": vega.STEP},
        "mark": {"type": "bar"},
        "encoding": {
            "y": vega.NAMES_DOWN,
            "x": vega.quantitative("value", "squared standard error", axis={"grid": True}),
            "color": colour,
            "order": {"field": "order", "type": "quantitative"},
            "tooltip": vega.tooltips(label="system", source="source", share="share"),
        },
    }
    below = [found.footer().partition(" (")[0]]
    return vega.compose("Where the uncertainty comes from", below, rows, body)


def rank_picture(board: Board[Any]) -> Picture:
    """Draw scores, and beside them the rank interval of each system."""
    short = vega.short_names(row.system for row in board)
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
    scale = _scale(rows, board.bounds)
    for row in rows:  # an end that the data do not give is that of the axis
        for end, edge in zip(("low", "high"), scale.get("domain", (0.0, 0.0)), strict=True):
            row[end] = edge if math.isinf(row[end]) else row[end]
    level = percent(board[0].interval.level)
    below = [
        *vega.coverage_notes([("", row.interval) for row in board]),
        f"Ranks: simultaneous {level} intervals for the true ranks ({board.size})",
    ]
    x = vega.quantitative("value", board.measure, scale=scale)
    left = _forest(x, vega.tooltips(name="system", value="value", **_ENDS), width=260)
    body = {
        "hconcat": [left, _rank_panel(len(board))],
        "spacing": 36,
        "resolve": {"scale": {"y": "shared"}},
    }
    return vega.compose(f"Ranks by {board.measure}", below, rows, body)


def _rank_panel(systems: int) -> Spec:
    ticks = sorted({1, *range(max(1, systems // 10), systems + 1, max(1, systems // 10))})
    x = {
        **vega.quantitative("best", "rank"),
        "scale": {"domain": [0.5, systems + 0.5], "nice": False},
        "axis": {"values": ticks, "format": "d"},
    }
    y = {**vega.NAMES_DOWN, "axis": None}
    tooltip = vega.tooltips(name="system", rank="rank", best="best", worst="worst")
    return {
        "width": 220,
        "height": {"step": vega.STEP},
        "layer": [
            _line(y, x, "worst", tooltip, strokeCap="round", strokeWidth=5, opacity=0.35),
            {
                "mark": {
                    "type": "point",
                    "filled": True,
                    "size": 55,
                    "opacity": 1,
                    "color": vega.COLOURS[0],
                },
                "encoding": {"y": y, "x": {**x, "field": "rank"}, "tooltip": tooltip},
            },
            _figures("ranks", 230, y),
        ],
    }


def _ranks(best: int, worst: int) -> str:
    return str(best) if best == worst else f"{best} to {worst}"


def _differences(
    rows: Sequence[Datum], below: Iterable[str], margin: float | None, tasks: Iterable[str]
) -> Picture:
    """Draw rows of differences around a line at zero."""
    metrics = list(dict.fromkeys(row["panel"] for row in rows))
    title = f"Differences of {metrics[0]}" if len(metrics) == 1 else "Differences"
    tooltip = vega.tooltips(
        label="systems", panel="metric", value="difference", **_ENDS, name="verdict"
    )
    x = vega.quantitative("value", "difference (first minus second)", axis={"grid": True})
    around: list[Spec] = []
    if margin is not None:
        shade = {"type": "rect", "color": vega.GRID, "opacity": 0.7}
        ends = {"x": {"datum": -margin}, "x2": {"datum": margin}}
        around.append({"data": {"values": [{}]}, "mark": shade, "encoding": ends})
    spec = _forest(x, tooltip, around=[*around, _ZERO])
    return vega.compose(vega.with_task(title, tasks), below, rows, vega.facets(spec, metrics))


def _forest(
    x: Spec, tooltip: list[Spec], *, width: int = vega.WIDTH, around: Sequence[Spec] = ()
) -> Spec:
    """Return layers of interval lines, points, and figures beside them."""
    across = {"scale": _AS_NEEDED, **x}
    point = {"type": "point", "filled": True, "size": 55, "opacity": 1, "color": vega.COLOURS[0]}
    return {
        "width": width,
        "height": {"step": vega.STEP},
        "layer": [
            *around,
            _line(vega.NAMES_DOWN, {**across, "field": "low"}, "high", tooltip, strokeWidth=2),
            {
                "mark": point,
                "encoding": {
                    "y": vega.NAMES_DOWN,
                    "x": {**across, "field": "drawn"},
                    "tooltip": tooltip,
                },
            },
            _figures("figures", width + 10, vega.NAMES_DOWN),
        ],
    }


_AS_NEEDED: Spec = {"zero": False, "nice": True, "padding": 6}


def _scale(rows: Sequence[Datum], within: tuple[float, float]) -> Spec:
    """Return a scale from the smallest to the largest end plus 5%, within the bounds."""
    ends = [row[end] for row in rows for end in ("low", "high", "drawn") if math.isfinite(row[end])]
    if not ends or min(ends) < within[0] or max(ends) > within[1]:
        return _AS_NEEDED
    beyond = 0.05 * (max(ends) - min(ends) or 1.0)
    return {
        "domain": [max(within[0], min(ends) - beyond), min(within[1], max(ends) + beyond)],
        "nice": False,
    }


def _line(y: Spec, x: Spec, to: str, tooltip: list[Spec], **look: Any) -> Spec:
    return {
        "mark": {"type": "rule", "color": vega.COLOURS[0], **look},
        "encoding": {"y": y, "x": x, "x2": {"field": to}, "tooltip": tooltip},
    }


def _figures(field: str, at: float, y: Spec) -> Spec:
    """Return a layer of text to the right of the panel."""
    mark = {"type": "text", "align": "left", "fontSize": 11, "color": vega.FAINT}
    return {
        "mark": mark,
        "encoding": {"y": y, "x": {"value": at}, "text": {"field": field, "type": "nominal"}},
    }


def _row(label: str, panel: str, value: float, sd: float, interval: Interval) -> Datum:
    """Return the fields of a number; `drawn` is nan if it has no interval."""
    known = not math.isnan(value + interval.low + interval.high)
    return {
        "label": label,
        "panel": panel,
        "value": value,
        "low": interval.low,
        "high": interval.high,
        "drawn": value if known else math.nan,
        "figures": vega.with_interval(value, sd, interval) if known else _NONE,
    }


def _pair(first: str, second: str, task: str) -> str:
    return f"{first} − {second}{f' · {task}' if task else ''}"
