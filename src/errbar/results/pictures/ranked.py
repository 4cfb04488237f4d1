"""Pictures of ranked items: risk over coverage, ROC curves, calibration."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from errbar.base.tables import counted
from errbar.errors import InputError
from errbar.results.estimate import Band, Subject
from errbar.results.pictures.curves import POINTWISE, banded
from errbar.results.pictures.picture import (
    FAINT,
    IF_PICKED,
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

_SIDE = 340  # of a square
_NOBODY: Mapping[Subject, str] = MappingProxyType({})
_UNIT: Spec = {"domain": [0, 1], "nice": False}
_GAPS = "No band where every resample gives the same number"


def risk_picture(bands: Sequence[Band]) -> Picture:
    """Risk over coverage; a line marks the largest coverage that all systems of a task reach.

    A system that answered nothing has no curve; it is named.
    """
    silent = [str(one.of) or "the system" for one in bands if not one.points]
    bands = [one for one in bands if one.points]
    if not bands:
        raise InputError(f"{', '.join(silent)} answered nothing; there is no risk to draw.")
    rows = _rows(bands)
    x = number("x", "coverage", scale=_UNIT, axis={"grid": False})
    y = number("value", "selective risk", scale={"zero": True})
    tooltip = told(name="system", x="coverage", value="risk", low="from", high="to")
    spec = {**banded(_labels(rows), x, y, tooltip, dots=False), "width": WIDTH, "height": 280}
    common = _common(bands)
    spec["layer"] += [
        {
            "transform": [{"filter": "isValid(datum.common)"}],
            "mark": {"type": "rule", "color": FAINT, "strokeDash": [4, 3]},
            "encoding": {"x": {"field": "common", "type": "quantitative"}},
        }
    ]
    said = [f"{task}{': ' if task else ''}{reach:.4g}" for task, reach in common.items()]
    below = [
        *_covering(bands),
        "Lower is better",
        f"Not drawn, because no item was answered: {', '.join(silent)}" if silent else "",
        f"Dashed line: the largest coverage that all systems reach, {', '.join(said)}"
        if said
        else "",
    ]
    marks = [
        {"panel": task, "common": reach, "label": row["label"]}
        for task, reach in common.items()
        for row in rows[:1]
    ]
    return _in_panels("Risk over coverage", below, [*rows, *marks], bands, spec)


def roc_picture(bands: Sequence[Band], refused: Mapping[Subject, str] = _NOBODY) -> Picture:
    """ROC curves beside the diagonal, which tells nothing apart; and why some have none."""
    rows = _rows(bands)
    x = number("x", "false positive rate", scale=_UNIT)
    y = number("value", "true positive rate", scale=_UNIT)
    tooltip = told(name="system", x="false", value="true", low="from", high="to")
    spec = {**banded(_labels(rows), x, y, tooltip, dots=False), "width": _SIDE, "height": _SIDE}
    spec["layer"].insert(0, _DIAGONAL)
    below = [
        *_covering(bands),
        "Dashed line: an uninformative confidence",
        *(f"Not drawn: {of or 'the system'}, {why}" for of, why in refused.items()),
    ]
    return _in_panels("ROC of the confidence", below, rows, bands, spec)


def calibration_picture(bands: Sequence[Band]) -> Picture:
    """How often answers are right, over how sure the system was."""
    rows = _rows(bands)
    labels = _labels(rows)
    x = number("x", "mean confidence", scale=_UNIT)
    y = number("value", "share right", scale=_UNIT)
    tooltip = told(
        name="system", x="confidence", value="share right", low="from", high="to", items="answers"
    )
    look = {"opacity": IF_PICKED, "tooltip": tooltip}
    spec: Spec = {
        "width": _SIDE,
        "height": _SIDE,
        "layer": [
            _DIAGONAL,
            {
                "params": PICK,
                "mark": {"type": "rule", "strokeWidth": 1.5},
                "encoding": {
                    "x": x,
                    "y": {**y, "field": "low"},
                    "y2": {"field": "high"},
                    **series(labels, "color"),
                    **look,
                },
            },
            {
                "mark": {"type": "line", "strokeWidth": 1.2, "strokeOpacity": 0.7},
                "encoding": {"x": x, "y": y, **series(labels, "color", "strokeDash"), **look},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 52, "opacity": 1},
                "encoding": {"x": x, "y": y, **series(labels, "color", "shape"), **look},
            },
        ],
    }
    most, least = (f([p.items for one in bands for p in one.points]) for f in (max, min))
    each = counted(most, "answer") if most == least else f"{least} to {most} answers"
    below = [
        *_covering(bands, "intervals"),
        f"A point is a bin of {each}. Dashed line: perfect calibration",
    ]
    return _in_panels("Calibration", below, rows, bands, spec)


_DIAGONAL: Spec = {
    "data": {"values": [{"x": 0, "value": 0}, {"x": 1, "value": 1}]},
    "mark": {"type": "line", "color": FAINT, "strokeDash": [4, 3], "strokeWidth": 1},
    "encoding": {
        "x": {"field": "x", "type": "quantitative"},
        "y": {"field": "value", "type": "quantitative"},
    },
}


def _rows(bands: Sequence[Band]) -> list[Row]:
    short = short_names(one.of.system for one in bands)
    return [
        {
            "label": short[one.of.system],
            "name": one.of.system,
            "panel": one.of.task,
            "x": point.x,
            "value": point.value,
            "low": point.interval.low,
            "high": point.interval.high,
            "items": point.items,
        }
        for one in bands
        for point in one.points
    ]


def _labels(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(row["label"] for row in rows))


def _common(bands: Sequence[Band]) -> dict[str, float]:
    """The largest coverage that all systems of a task reach, where it is not all of them."""
    tasks: dict[str, list[float]] = {}
    for one in bands:
        tasks.setdefault(one.of.task, []).append(one.reach)
    return {task: min(each) for task, each in tasks.items() if len(each) > 1 and min(each) < 1}


def _covering(bands: Sequence[Band], noun: str = POINTWISE) -> list[str]:
    said = covering([("", point.interval) for one in bands for point in one.points], noun)
    return [*said, _GAPS if any(one.lacks_intervals for one in bands) else ""]


def _in_panels(
    title: str, below: Sequence[str], rows: Sequence[Row], bands: Sequence[Band], spec: Spec
) -> Picture:
    tasks = list(dict.fromkeys(one.of.task for one in bands))
    return picture(on_one(title, tasks), below, rows, panels(spec, tasks, columns=2))
