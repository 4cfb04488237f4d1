"""Curves with bands: a metric over k, within and beyond the trials; planned power; and costs."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from errbar.errors import InputError
from errbar.metrics.base import Direction, Metric
from errbar.results.costs import Costs
from errbar.results.pictures import vega
from errbar.results.pictures.picture import HOVER, Picture, Spec
from errbar.results.pictures.vega import Datum
from errbar.results.scaling import Scaling
from errbar.results.scores import Estimates

POINTWISE = "pointwise bands"
_HEIGHT = 280
_SMALL: Spec = {"width": 190, "height": 110}
_MOST_TOGETHER = 8  # curves in one panel; more get a panel each
_BAND = 0.20  # opacity of a band, less if many overlap


def is_curve(scores: Estimates[Any]) -> bool:
    """Whether every metric belongs to a family with several numbers, such as pass@k."""
    numbers: dict[str, set[float]] = {}
    for estimate in scores:
        if estimate.metric.numbered is None:
            return False
        numbers.setdefault(family_name(estimate.metric), set()).add(_number(estimate.metric))
    return bool(numbers) and all(len(each) > 1 for each in numbers.values())


def score_curve(scores: Estimates[Any]) -> Picture:
    """Draw the metric of every system over its number, with a panel per task."""
    families = list(dict.fromkeys(family_name(estimate.metric) for estimate in scores))
    labels = vega.short_names(_subject(estimate) for estimate in scores)
    apart = len(labels) > _MOST_TOGETHER  # each in a small panel of its own
    rows = [
        {
            "label": "" if apart else labels[_subject(estimate)],
            "name": _subject(estimate),
            "panel": _joined_text(
                labels[_subject(estimate)] if apart else "",
                family_name(estimate.metric) if len(families) > 1 else "",
                estimate.task,
            ),
            "x": _number(estimate.metric),
            "metric": str(estimate.metric),
            **_point_fields(vega.point_of(estimate), estimate.interval.low, estimate.interval.high),
        }
        for estimate in scores
    ]
    across = scores[0].metric.numbered or ""
    title = vega.with_task(
        f"{' and '.join(families)} over {across}", {estimate.task for estimate in scores}
    )
    worse = all(estimate.metric.direction is Direction.LOWER for estimate in scores)
    below = [
        *vega.coverage_notes(
            [(str(estimate.metric), estimate.interval) for estimate in scores], POINTWISE
        ),
        "Lower is better" if worse else "",
    ]
    x = vega.quantitative("x", across, scale=_scale(rows, across), axis=_axis(rows, across))
    y = vega.quantitative(
        "value", families[0] if len(families) == 1 else "value", scale={"zero": False}
    )
    tooltip = vega.tooltips(name="system", metric="metric", value="value", low="from", high="to")
    spec = band_layers([""] if apart else list(labels.values()), x, y, tooltip)
    size = _SMALL if apart else {"width": vega.WIDTH, "height": _HEIGHT}
    names = list(dict.fromkeys(row["panel"] for row in rows))
    body = vega.facets({**spec, **size}, names, columns=4 if apart else 2)
    return vega.compose(title, below, rows, body)


def planning_curve(
    rows: Iterable[Mapping[str, Any]], *, target: float | None = 0.8, subtitle: Sequence[str] = ()
) -> Picture:
    """Draw power over the number of questions, with a curve per number of trials.

    Parameters
    ----------
    rows
        Mappings with `questions`, `power` and `trials`, and `low` and `high` if the power has an
        interval.
    target
        The power at which a dashed line is drawn; None for no line.
    subtitle
        Sentences below the title.
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
        raise InputError("the plan has no rows; there is nothing to draw.")
    labels = list(dict.fromkeys(row["label"] for row in found))
    x = vega.quantitative(
        "x",
        "questions",
        scale={"type": "log", "nice": False, "padding": 12},
        axis={"format": "d", "grid": False},
    )
    y = vega.quantitative("value", "power", scale={"domain": [0, 1]})
    tooltip = vega.tooltips(label="trials", x="questions", value="power", low="from", high="to")
    spec = band_layers(labels, x, y, tooltip)
    if target is not None:
        spec["layer"].append(level_line(target))
    title = "Power by questions and trials"
    below = [f"Dashed line: a power of {target:g}"] if target is not None else []
    return vega.compose(
        title, [*subtitle, *below], found, {**spec, "width": vega.WIDTH, "height": _HEIGHT}
    )


def band_layers(
    labels: Sequence[str], x: Spec, y: Spec, tooltip: list[Spec], *, dots: bool = True
) -> Spec:
    """Return layers of bands, lines and points; without `dots`, points are invisible."""
    dark = _BAND if len(labels) <= 4 else max(0.06, 2 * _BAND / len(labels))
    low_to_high = {"y": {**y, "field": "low"}, "y2": {"field": "high"}}
    layers: list[Spec] = [
        {
            "params": vega.PICK,
            "mark": {"type": "area", "fillOpacity": dark, "strokeOpacity": 0, "clip": True},
            "encoding": {
                "x": x,
                **low_to_high,
                **vega.series(labels, "color", dashes=not dots),
                "opacity": vega.IF_PICKED,
            },
        },
        {
            "mark": {"type": "line", "strokeWidth": 1.8, "clip": True},
            "encoding": {
                "x": x,
                "y": y,
                **vega.series(labels, "color", "strokeDash", dashes=not dots),
                "opacity": vega.IF_PICKED,
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
                    **vega.series(labels, "color", "shape"),
                    "tooltip": tooltip,
                    "opacity": vega.IF_PICKED,
                },
            }
        )
    else:
        invisible = {"type": "point", "filled": True, "size": 90, "opacity": 0}
        layers.append(
            {
                "name": HOVER,
                "mark": invisible,
                "encoding": {"x": x, "y": y, "tooltip": tooltip},
            }
        )
    return {"layer": layers}


def level_line(at: float) -> Spec:
    """Return a dashed horizontal line."""
    mark = {"type": "rule", "color": vega.FAINT, "strokeDash": [4, 3], "strokeWidth": 1}
    return {"data": {"values": [{}]}, "mark": mark, "encoding": {"y": {"datum": at}}}


def _point_fields(value: float, low: float, high: float) -> Datum:
    """Return a value and its interval; all null if one of them is nan."""
    known = not math.isnan(value + low + high)
    return {
        "value": value if known else None,
        "low": low if known else None,
        "high": high if known else None,
    }


def family_name(metric: Metric) -> str:
    """Return the name of a metric with its field name in place of the number.

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


def _subject(estimate: Any) -> str:
    """Return the subject without its task, which has a panel."""
    parts = (estimate.system, *(value for _, value in estimate.slice))
    policy = f" (failed as {estimate.of.failed})" if estimate.of.failed else ""
    return " · ".join(part for part in parts if part) + policy


def _joined_text(*parts: str) -> str:
    return " · ".join(part for part in parts if part)


def _scale(rows: Sequence[Datum], across: str) -> Spec:
    if across != "k":
        return {"zero": False}
    ks = [row["x"] for row in rows]
    return {"type": "log", "base": 2, "nice": False, "domain": [min(ks), max(ks)], "padding": 12}


def _axis(rows: Sequence[Datum], across: str) -> Spec:
    if across != "k":
        return {}
    most, least = max(row["x"] for row in rows), min(row["x"] for row in rows)
    powers = [2**at for at in range(int(most).bit_length()) if least <= 2**at <= most]
    return {"values": sorted({least, most, *powers}), "format": "d", "grid": False}


_DECADE = 10.0  # costs farther apart than this are drawn on a logarithmic scale


def cost_picture(found: Costs) -> Picture:
    """Draw quality over cost per trial."""
    names = vega.short_names(found.names())
    rows: list[dict[str, Any]] = [
        {
            "label": names[name],
            "panel": row.of.task,
            "value": row.quality.value,
            "low": row.quality.low,
            "high": row.quality.high,
            "cost": row.cost.value,
            "least": row.cost.low,
            "most": row.cost.high,
        }
        for name, row in zip(found.names(), found, strict=True)
    ]
    drawn = [row["cost"] for row in rows]
    is_wide = min(drawn) > 0.0 and max(drawn) > _DECADE * min(drawn)
    scale: Spec = {"type": "log"} if is_wide else {"zero": False, "nice": True, "padding": 20}
    if is_wide:  # a lower end of 0 has no place on it
        for row in rows:
            row["least"] = max(row["least"], 0.1 * min(drawn))
    x = vega.quantitative("cost", f"{found.unit} per trial", scale=scale)
    y = vega.quantitative("value", "avg", scale={"zero": False, "nice": True, "padding": 12})
    tooltip = vega.tooltips(label="system", value="avg", cost=f"{found.unit} per trial")
    rule: Spec = {"type": "rule", "color": vega.FAINT, "strokeWidth": 1.2, "opacity": 0.8}
    text: Spec = {"type": "text", "align": "left", "dx": 7, "dy": -8, "fontSize": 11}
    spec: Spec = {
        "width": vega.WIDTH,
        "height": 260,
        "layer": [
            {
                "mark": rule,
                "encoding": {"x": {**x, "field": "least"}, "x2": {"field": "most"}, "y": y},
            },
            {
                "mark": rule,
                "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
                "encoding": {"x": x, "y": y, "tooltip": tooltip},
            },
            {
                "mark": text,
                "encoding": {"x": x, "y": y, "text": {"field": "label", "type": "nominal"}},
            },
        ],
    }
    below = [found.footer().partition(" (")[0]]
    tasks = list(dict.fromkeys(row["panel"] for row in rows))
    return vega.compose("Quality against cost", below, rows, vega.facets(spec, tasks))


def scaling_picture(found: Scaling) -> Picture:
    """Draw pass@k of every system: bounds as a thin line, the models as a thick one."""
    names = vega.short_names(found.names())
    rows: list[dict[str, Any]] = []
    for name, row in zip(found.names(), found, strict=True):
        for step in row.steps:
            own = step.solved
            known = not math.isnan(own.value)
            rows.append(
                {
                    "label": f"{names[name]} · pass@{step.k:,}".removeprefix(" · "),
                    "panel": "",
                    "value": own.value if known else None,
                    "low": own.low if known else None,
                    "high": own.high if known else None,
                    "least": step.bounded.low,
                    "most": step.bounded.high,
                }
            )
    x = vega.quantitative("least", "pass@k", scale={"zero": False, "nice": True})
    tooltip = vega.tooltips(label="system", value="by model", least="at least", most="at most")

    def line(width: float, ends: tuple[str, str], colour: str) -> Spec:
        return {
            "mark": {"type": "rule", "strokeWidth": width, "color": colour},
            "encoding": {"x": {**x, "field": ends[0]}, "x2": {"field": ends[1]}},
        }

    body: Spec = {
        "width": vega.WIDTH,
        "height": {"step": vega.STEP},
        "encoding": {"y": vega.NAMES_DOWN, "tooltip": tooltip},
        "layer": [
            line(1.2, ("least", "most"), vega.FAINT),
            line(4.0, ("low", "high"), vega.COLOURS[0]),
            {
                "mark": {"type": "point", "filled": True, "size": 60, "color": vega.COLOURS[0]},
                "encoding": {"x": {**x, "field": "value"}},
            },
        ],
    }
    below = [
        found.footer().partition(" (")[0],
        "Thick: models of difficulty. Thin: any distribution of difficulty.",
    ]
    return vega.compose("Far beyond the trials", below, rows, body)
