"""Pictures of ranked items: risk–coverage curves, ROC curves and calibration."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from errbar.base.remarks import counted
from errbar.errors import InputError
from errbar.results.estimate import Band, Subject
from errbar.results.pictures import vega
from errbar.results.pictures.curves import POINTWISE, band_layers
from errbar.results.pictures.picture import Picture, Spec
from errbar.results.pictures.vega import Datum

_SIDE = 340  # side of a square panel
_NO_REFUSALS: Mapping[Subject, str] = MappingProxyType({})
_UNIT: Spec = {"domain": [0, 1], "nice": False}
_GAPS = "No band where every resample gives the same number"


def risk_picture(bands: Sequence[Band]) -> Picture:
    """Draw risk over coverage, with a line at the largest coverage that all systems reach.

    A system that answered no item has no curve; the subtitle names it.
    """
    unanswered = [str(band.of) or "the system" for band in bands if not band.points]
    bands = [band for band in bands if band.points]
    if not bands:
        raise InputError(f"{', '.join(unanswered)} answered nothing; there is no risk to draw.")
    rows = _rows(bands)
    x = vega.quantitative("x", "coverage", scale=_UNIT, axis={"grid": False})
    y = vega.quantitative("value", "selective risk", scale={"zero": True})
    tooltip = vega.tooltips(name="system", x="coverage", value="risk", low="from", high="to")
    spec = {
        **band_layers(_labels(rows), x, y, tooltip, dots=False),
        "width": vega.WIDTH,
        "height": 280,
    }
    common = _common(bands)
    spec["layer"] += [
        {
            "transform": [{"filter": "isValid(datum.common)"}],
            "mark": {"type": "rule", "color": vega.FAINT, "strokeDash": [4, 3]},
            "encoding": {"x": {"field": "common", "type": "quantitative"}},
        }
    ]
    parts = [f"{task}{': ' if task else ''}{reach:.4g}" for task, reach in common.items()]
    below = [
        *_notes(bands),
        "Lower is better",
        f"Not drawn, because no item was answered: {', '.join(unanswered)}" if unanswered else "",
        f"Dashed line: the largest coverage that all systems reach, {', '.join(parts)}"
        if parts
        else "",
    ]
    marks = [
        {"panel": task, "common": reach, "label": row["label"]}
        for task, reach in common.items()
        for row in rows[:1]
    ]
    return _panels("Risk over coverage", below, [*rows, *marks], bands, spec)


def roc_picture(bands: Sequence[Band], refused: Mapping[Subject, str] = _NO_REFUSALS) -> Picture:
    """Draw ROC curves and the diagonal; the subtitle gives the reason for missing curves."""
    rows = _rows(bands)
    x = vega.quantitative("x", "false positive rate", scale=_UNIT)
    y = vega.quantitative("value", "true positive rate", scale=_UNIT)
    tooltip = vega.tooltips(name="system", x="false", value="true", low="from", high="to")
    spec = {
        **band_layers(_labels(rows), x, y, tooltip, dots=False),
        "width": _SIDE,
        "height": _SIDE,
    }
    spec["layer"].insert(0, _DIAGONAL)
    below = [
        *_notes(bands),
        "Dashed line: an uninformative confidence",
        *(f"Not drawn: {of or 'the system'}, {why}" for of, why in refused.items()),
    ]
    return _panels("ROC of the confidence", below, rows, bands, spec)


def calibration_picture(bands: Sequence[Band]) -> Picture:
    """Draw the share of right answers over the mean confidence, in bins."""
    rows = _rows(bands)
    labels = _labels(rows)
    x = vega.quantitative("x", "mean confidence", scale=_UNIT)
    y = vega.quantitative("value", "share right", scale=_UNIT)
    tooltip = vega.tooltips(
        name="system", x="confidence", value="share right", low="from", high="to", items="answers"
    )
    look = {"opacity": vega.IF_PICKED, "tooltip": tooltip}
    spec: Spec = {
        "width": _SIDE,
        "height": _SIDE,
        "layer": [
            _DIAGONAL,
            {
                "params": vega.PICK,
                "mark": {"type": "rule", "strokeWidth": 1.5},
                "encoding": {
                    "x": x,
                    "y": {**y, "field": "low"},
                    "y2": {"field": "high"},
                    **vega.series(labels, "color"),
                    **look,
                },
            },
            {
                "mark": {"type": "line", "strokeWidth": 1.2, "strokeOpacity": 0.7},
                "encoding": {"x": x, "y": y, **vega.series(labels, "color", "strokeDash"), **look},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 52, "opacity": 1},
                "encoding": {"x": x, "y": y, **vega.series(labels, "color", "shape"), **look},
            },
        ],
    }
    most, least = (f([p.items for band in bands for p in band.points]) for f in (max, min))
    each = counted(most, "answer") if most == least else f"{least} to {most} answers"
    below = [
        *_notes(bands, "intervals, which hold together"),
        f"A point is a bin of {each}. Dashed line: perfect calibration",
    ]
    return _panels("Calibration", below, rows, bands, spec)


_DIAGONAL: Spec = {
    "data": {"values": [{"x": 0, "value": 0}, {"x": 1, "value": 1}]},
    "mark": {"type": "line", "color": vega.FAINT, "strokeDash": [4, 3], "strokeWidth": 1},
    "encoding": {
        "x": {"field": "x", "type": "quantitative"},
        "y": {"field": "value", "type": "quantitative"},
    },
}


def _rows(bands: Sequence[Band]) -> list[Datum]:
    short = vega.short_names(band.of.system for band in bands)
    return [
        {
            "label": short[band.of.system],
            "name": band.of.system,
            "panel": band.of.task,
            "x": point.x,
            "value": point.value,
            "low": point.interval.low,
            "high": point.interval.high,
            "items": point.items,
        }
        for band in bands
        for point in band.points
    ]


def _labels(rows: Sequence[Datum]) -> list[str]:
    return list(dict.fromkeys(row["label"] for row in rows))


def _common(bands: Sequence[Band]) -> dict[str, float]:
    """Return the largest coverage that all systems of a task reach, if it is below 1."""
    tasks: dict[str, list[float]] = {}
    for band in bands:
        tasks.setdefault(band.of.task, []).append(band.reach)
    return {task: min(each) for task, each in tasks.items() if len(each) > 1 and min(each) < 1}


def _notes(bands: Sequence[Band], noun: str = POINTWISE) -> list[str]:
    parts = vega.coverage_notes(
        [("", point.interval) for band in bands for point in band.points], noun
    )
    return [*parts, _GAPS if any(band.lacks_intervals for band in bands) else ""]


def _panels(
    title: str, below: Sequence[str], rows: Sequence[Datum], bands: Sequence[Band], spec: Spec
) -> Picture:
    tasks = list(dict.fromkeys(band.of.task for band in bands))
    return vega.compose(
        vega.with_task(title, tasks), below, rows, vega.facets(spec, tasks, columns=2)
    )
