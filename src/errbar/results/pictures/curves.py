"""Pictures of curves: a metric over k with the band of its intervals, and a run as it goes on."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from errbar.base.tables import percent
from errbar.errors import InputError
from errbar.metrics.base import Direction, Metric
from errbar.results.monitoring import History, Monitoring, Watch
from errbar.results.pictures.picture import (
    FAINT,
    HOVER,
    IF_PICKED,
    INK,
    PICK,
    WIDTH,
    Picture,
    Row,
    Spec,
    covering,
    number,
    on_one,
    panels,
    picture,
    series,
    short_names,
    told,
)
from errbar.results.scores import Estimates

POINTWISE = "pointwise bands"
_HEIGHT = 280
_SMALL: Spec = {"width": 190, "height": 110}
_MOST_TOGETHER = 8  # curves in one panel; more cannot be followed
_BAND = 0.20  # how dark a band is; less where many lie over each other


def is_curve(scores: Estimates[Any]) -> bool:
    """Whether there is the same metric at several numbers, and no other metric."""
    numbers: dict[str, set[float]] = {}
    for one in scores:
        if one.metric.numbered is None:
            return False
        numbers.setdefault(family_name(one.metric), set()).add(_number(one.metric))
    return bool(numbers) and all(len(each) > 1 for each in numbers.values())


def score_curve(scores: Estimates[Any]) -> Picture:
    """The metric of every system over its number; a panel for each task, if there are several."""
    families = list(dict.fromkeys(family_name(one.metric) for one in scores))
    labels = short_names(_whose(one) for one in scores)
    apart = len(labels) > _MOST_TOGETHER  # each in a small panel of its own
    rows = [
        {
            "label": "" if apart else labels[_whose(one)],
            "name": _whose(one),
            "panel": _joined(
                labels[_whose(one)] if apart else "",
                family_name(one.metric) if len(families) > 1 else "",
                one.task,
            ),
            "x": _number(one.metric),
            "metric": str(one.metric),
            **drawn(_value(one), one.interval.low, one.interval.high),
        }
        for one in scores
    ]
    across = scores[0].metric.numbered or ""
    title = on_one(f"{' and '.join(families)} over {across}", {one.task for one in scores})
    worse = all(one.metric.direction is Direction.LOWER for one in scores)
    below = [
        *covering([(str(one.metric), one.interval) for one in scores], POINTWISE),
        "Lower is better" if worse else "",
    ]
    x = number("x", across, scale=_scale(rows, across), axis=_axis(rows, across))
    y = number("value", families[0] if len(families) == 1 else "value", scale={"zero": False})
    tooltip = told(name="system", metric="metric", value="value", low="from", high="to")
    spec = banded([""] if apart else list(labels.values()), x, y, tooltip)
    size = _SMALL if apart else {"width": WIDTH, "height": _HEIGHT}
    names = list(dict.fromkeys(row["panel"] for row in rows))
    body = panels({**spec, **size}, names, columns=4 if apart else 2)
    return picture(title, below, rows, body)


def planning_curve(
    rows: Iterable[Mapping[str, Any]], *, target: float | None = 0.8, said: Sequence[str] = ()
) -> Picture:
    """The chance to see a difference over the number of questions, a curve for each of trials.

    A row has `questions`, `power` and `trials`, and `low` and `high` where its power has an
    interval. What is `said` stands under the title.
    """
    found = [
        {
            "label": f"{row['trials']} trial{'' if row['trials'] == 1 else 's'} each",
            "x": row["questions"],
            "value": row["power"],
            "low": row.get("low"),
            "high": row.get("high"),
        }
        for row in rows
    ]
    if not found:
        raise InputError("a plan without rows has nothing to draw.")
    labels = list(dict.fromkeys(row["label"] for row in found))
    x = number(
        "x",
        "questions",
        scale={"type": "log", "nice": False, "padding": 12},
        axis={"format": "d", "grid": False},
    )
    y = number("value", "power", scale={"domain": [0, 1]})
    tooltip = told(label="trials", x="questions", value="power", low="from", high="to")
    spec = banded(labels, x, y, tooltip)
    if target is not None:
        spec["layer"].append(level_line(target))
    title = "Power by questions and trials"
    below = [f"Dashed line: a power of {target:g}"] if target is not None else []
    return picture(title, [*said, *below], found, {**spec, "width": WIDTH, "height": _HEIGHT})


def banded(
    labels: Sequence[str], x: Spec, y: Spec, tooltip: list[Spec], *, dots: bool = True
) -> Spec:
    """Bands, lines within them, and a mark at each point."""
    dark = _BAND if len(labels) <= 4 else max(0.06, 2 * _BAND / len(labels))
    low_to_high = {"y": {**y, "field": "low"}, "y2": {"field": "high"}}
    layers: list[Spec] = [
        {
            "params": PICK,
            "mark": {"type": "area", "fillOpacity": dark, "strokeOpacity": 0, "clip": True},
            "encoding": {
                "x": x,
                **low_to_high,
                **series(labels, "color", dashes=not dots),
                "opacity": IF_PICKED,
            },
        },
        {
            "mark": {"type": "line", "strokeWidth": 1.8, "clip": True},
            "encoding": {
                "x": x,
                "y": y,
                **series(labels, "color", "strokeDash", dashes=not dots),
                "opacity": IF_PICKED,
            },
        },
    ]
    if dots:
        layers.append(
            {
                "mark": {"type": "point", "filled": True, "size": 48, "opacity": 1},
                "encoding": {
                    "x": x,
                    "y": y,
                    **series(labels, "color", "shape"),
                    "tooltip": tooltip,
                    "opacity": IF_PICKED,
                },
            }
        )
    else:
        unseen = {"type": "point", "filled": True, "size": 90, "opacity": 0}
        layers.append(
            {"name": HOVER, "mark": unseen, "encoding": {"x": x, "y": y, "tooltip": tooltip}}
        )
    return {"layer": layers}


def level_line(at: float) -> Spec:
    """A thin line across, at a number."""
    mark = {"type": "rule", "color": FAINT, "strokeDash": [4, 3], "strokeWidth": 1}
    return {"data": {"values": [{}]}, "mark": mark, "encoding": {"y": {"datum": at}}}


def drawn(value: float, low: float, high: float) -> Row:
    """A point with its interval, or neither."""
    known = not math.isnan(value + low + high)
    return {
        "value": value if known else None,
        "low": low if known else None,
        "high": high if known else None,
    }


def family_name(metric: Metric) -> str:
    """The name with a letter for the number.

    Examples
    --------
    >>> from errbar import parse
    >>> family_name(parse("g-pass@8_0.5")), family_name(parse("risk@0.5"))
    ('g-pass@k_0.5', 'risk@coverage')
    """
    value = getattr(metric, metric.numbered or "")
    rest = str(metric).removeprefix(f"{metric.head}{value!r}")
    return f"{metric.head}{metric.numbered}{rest}"


def _number(metric: Metric) -> float:
    return getattr(metric, metric.numbered or "")


def _value(one: Any) -> float:
    """The observed value; where the trials give none, what the interval is around."""
    return one.mean if math.isnan(one.value) and hasattr(one, "mean") else one.value


def _whose(one: Any) -> str:
    """The subject without its task, which has a panel."""
    parts = (one.system, *(value for _, value in one.slice))
    taken = f" (failed: {one.of.failed})" if one.of.failed else ""
    return " · ".join(part for part in parts if part) + taken


def _joined(*parts: str) -> str:
    return " · ".join(part for part in parts if part)


def _scale(rows: Sequence[Row], across: str) -> Spec:
    if across != "k":
        return {"zero": False}
    ks = [row["x"] for row in rows]
    return {"type": "log", "base": 2, "nice": False, "domain": [min(ks), max(ks)], "padding": 12}


def _axis(rows: Sequence[Row], across: str) -> Spec:
    if across != "k":
        return {}
    most, least = max(row["x"] for row in rows), min(row["x"] for row in rows)
    powers = [2**at for at in range(int(most).bit_length()) if least <= 2**at <= most]
    return {"values": sorted({least, most, *powers}), "format": "d", "grid": False}


_MOST_POINTS = 400  # of a curve; what lies between is left out


def monitoring_picture(found: Monitoring | History) -> Picture:
    """A panel for each mean that is watched, with the claims and when one was made."""
    tasks = {one.task for one in found.watches}
    called = [
        " · ".join(part for part in (one.name, one.task if len(tasks) > 1 else "") if part)
        for one in found.watches
    ]
    short = short_names(called)
    rows = [
        row
        for name, one in zip(called, found.watches, strict=True)
        for row in _rows(one, name, short[name])
    ]
    x = number("x", "questions", scale={"nice": False}, axis={"grid": False, "tickMinStep": 1})
    y = number("value", _what(found.watches[0]), scale={"zero": False})
    tooltip = told(name="system", x="questions", value="mean", low="from", high="to")
    spec = {**banded([""], x, y, tooltip, dots=False), "width": WIDTH, "height": 220}
    spec["layer"] += [_claims("above"), _claims("below"), *_made()]
    claims = found.watches[0].claims
    below = [
        f"{percent(claims.level)} interval, for new questions of the same kind, at all looks "
        f"together",
        f"Dashed: the claim, {_claimed(found.watches[0])}. Vertical: when it was decided",
    ]
    title = on_one("State of the run", tasks)
    return picture(title, below, rows, panels(spec, list(short.values())))


def _rows(one: Watch, name: str, label: str) -> list[Row]:
    looks, size = one.looks, len(one.questions)
    step = max(1, -(-size // _MOST_POINTS))
    kept = sorted({*range(0, size, step), size - 1} - {-1})
    fixed = {"label": "", "name": name, "panel": label}
    found: list[Row] = [
        {
            **fixed,
            "x": at + 1,
            "value": float(looks.value[at]),
            "low": float(looks.low[at]),
            "high": float(looks.high[at]),
        }
        for at in kept
    ]
    made: Row = {}
    if one.decided is not None:
        made = {"made": one.decided[0], "verdict": one.verdict, "late": one.decided[0] > size / 2}
    return [*found, {**fixed, "above": one.claims.above, "below": one.claims.below, **made}]


def _claims(which: str) -> Spec:
    """A line at the number that is claimed."""
    return {
        "transform": [{"filter": f"isValid(datum.{which})"}],
        "mark": {"type": "rule", "color": INK, "strokeDash": [4, 3]},
        "encoding": {"y": {"field": which, "type": "quantitative"}},
    }


def _made() -> list[Spec]:
    """A line where a claim was made, and what it says."""
    there = [{"filter": "isValid(datum.made)"}]
    x = {"field": "made", "type": "quantitative"}
    text: Spec = {"type": "text", "baseline": "top", "dy": 3, "fontSize": 11, "color": INK}
    text["align"] = {"expr": "datum.late ? 'right' : 'left'"}  # where there is more room
    text["dx"] = {"expr": "datum.late ? -5 : 5"}
    return [
        {"transform": there, "mark": {"type": "rule", "color": FAINT}, "encoding": {"x": x}},
        {
            "transform": there,
            "mark": text,
            "encoding": {"x": x, "y": {"value": 0}, "text": {"field": "verdict"}},
        },
    ]


def _what(one: Watch) -> str:
    return "difference of means" if one.against else "mean"


def _claimed(one: Watch) -> str:
    claims = {"above": one.claims.above, "below": one.claims.below}
    return " or ".join(f"{side} {than:g}" for side, than in claims.items() if than is not None)
