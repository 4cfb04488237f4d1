"""Parts of Vega-Lite specifications: colours, titles, facets, axes, tooltips.

The palette of Okabe and Ito is distinguishable for colour-blind readers; shapes and dashes
distinguish series in grey print.
"""

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from errbar.base.tables import percent, printable, round_to_sd
from errbar.results.estimate import BaseEstimate, Estimate, Interval
from errbar.results.pictures.picture import Picture, Spec

Datum = dict[str, Any]

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
SHAPES = (
    "circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right",
    "triangle-left",
)  # fmt: skip
DASHES = ([1, 0], [6, 3], [2, 2], [9, 3, 2, 3], [12, 4], [1, 3], [6, 2, 2, 2, 2, 2])
INK, FAINT, GRID = "#222222", "#666666", "#e4e4e4"
WIDTH, STEP = 420, 21  # the width of a panel, and the height of a row

CONFIG: Spec = {
    "background": "white",
    "font": "Helvetica, Arial, Liberation Sans, sans-serif",
    # Room for the text of a system that has none of these fonts, and a wider one.
    "padding": {"left": 24, "right": 26, "top": 12, "bottom": 10},
    "view": {"stroke": None},
    "mark": {"color": COLOURS[0]},
    "title": {
        "anchor": "start", "frame": "group", "fontSize": 15, "fontWeight": 600, "color": INK,
        "subtitleFontSize": 11, "subtitleColor": FAINT, "subtitlePadding": 5, "offset": 14,
        "subtitleLineHeight": 14,
    },
    "axis": {
        "labelFontSize": 11, "titleFontSize": 12, "titleFontWeight": "normal", "labelColor": INK,
        "titleColor": INK, "gridColor": GRID, "domainColor": "#888888", "tickColor": "#888888",
        "labelLimit": 320, "titlePadding": 9, "tickSize": 4, "labelFlush": False,
    },
    "legend": {
        "labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": "normal", "labelColor": INK,
        "labelLimit": 320, "symbolSize": 70, "symbolStrokeWidth": 1.8, "orient": "right",
        "offset": 18, "rowPadding": 4,
    },
    "header": {
        "labelFontSize": 12, "labelFontWeight": 600, "labelColor": INK, "titleFontSize": 12,
        "titleFontWeight": "normal",
    },
}  # fmt: skip

PICK: list[Spec] = [
    {"name": "picked", "select": {"type": "point", "fields": ["label"]}, "bind": "legend"}
]
IF_PICKED: Spec = {"condition": {"param": "picked", "value": 1}, "value": 0.12}

_SOLID: Spec = {"symbolDash": [1, 0], "symbolStrokeWidth": 0}  # no dashed outlines of shapes


def series(labels: Sequence[str], *channels: str, dashes: bool = False) -> Spec:
    """Return encodings that distinguish series; none for a single unnamed series."""
    ranges: dict[str, Sequence[Any]] = {"color": COLOURS, "shape": SHAPES, "strokeDash": DASHES}
    if list(labels) == [""]:
        return {}
    symbol = {"symbolType": "stroke", "symbolSize": 400} if dashes else _SOLID
    legend = {"title": None, "symbolLimit": len(labels), **symbol} if len(labels) > 1 else None
    return {
        channel: {
            "field": "label",
            "type": "nominal",
            "scale": {
                "domain": list(labels),
                "range": [ranges[channel][at % len(ranges[channel])] for at in range(len(labels))],
            },
            "legend": legend,
        }
        for channel in channels
    }


_LONGEST, _TAIL = 42, 18  # characters of a shortened name, and of its end
_LINE = 88  # characters of a line in a subtitle: as wide as a chart with its legend


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Return a short, unique label on one line for each name.

    Examples
    --------
    >>> short_names(["small", "x" * 60])["x" * 60]
    'xxxxxxxxxxxxxxxxxxxxxxx…xxxxxxxxxxxxxxxxxx'
    """
    labels: dict[str, str] = {}
    used: set[str] = set()
    for name in dict.fromkeys(names):
        text = printable(name)
        if len(text) > _LONGEST:
            text = f"{text[: _LONGEST - _TAIL - 1]}…{text[-_TAIL:]}"
        unique, number = text, 1
        while unique in used:
            number += 1
            unique = f"{text} ({number})"
        used.add(unique)
        labels[name] = unique
    return labels


def coverage_notes(intervals: Sequence[tuple[str, Interval]], noun: str = "CI") -> list[str]:
    """Describe the targets of intervals, each given with its name; names appear if they differ."""
    kinds: dict[tuple[str, str], list[str]] = {}
    for name, interval in intervals:
        kinds.setdefault((percent(interval.level), interval.covers.short_words), []).append(name)
    if len(kinds) == 1:
        ((level, words),) = kinds
        return [f"{level} {noun} for {words}"]
    return [
        f"{', '.join(dict.fromkeys(names))}: {level} {noun} for {words}"
        for (level, words), names in kinds.items()
    ]


def wrapped_lines(sentences: Iterable[str]) -> list[str]:
    """Return sentences wrapped to lines."""
    return [
        line
        for sentence in sentences
        if sentence
        for line in textwrap.wrap(printable(sentence), _LINE) or [""]
    ]


def point_of(estimate: BaseEstimate) -> float:
    """Return the observed value; if there is none, the centre of the interval."""
    if isinstance(estimate, Estimate) and math.isnan(estimate.value):
        return estimate.mean
    return estimate.value


def with_interval(value: float, sd: float, interval: Interval) -> str:
    """Return a number with its interval, to the significant digits of `sd`."""
    known = sd if sd == sd else (interval.high - interval.low) / 4  # noqa: PLR0124  not nan
    value_text, low, high = (round_to_sd(x, known) for x in (value, interval.low, interval.high))
    return f"{value_text} [{low}, {high}]".replace("-", "−")


_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"


def compose(
    title: str, below: Iterable[str], rows: Iterable[Mapping[str, Any]], body: Spec
) -> Picture:
    """Compose a picture from rows, a title, a subtitle and the body of a specification."""
    head = {"text": " ".join(wrapped_lines([title])), "subtitle": wrapped_lines(below)}
    values = [{key: json_value(value) for key, value in row.items()} for row in rows]
    spec = {"$schema": _SCHEMA, "title": head, "data": {"values": values}, **body}
    return Picture({**spec, "config": CONFIG})


def json_value(value: Any) -> Any:
    """Return a value for JSON: null for a number that is not finite, text without controls."""
    if isinstance(value, str):
        return printable(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value


_SMALLER: dict[bool, Spec] = {
    True: {"labelFontSize": 9, "labelFontWeight": "normal", "labelLimit": 190},
    False: {},
}


def facets(spec: Spec, names: Sequence[str], *, columns: int = 1) -> Spec:
    """Repeat a specification for each value of the field `panel`; a single panel is not faceted."""
    if len(names) < 2:
        return spec
    head = {
        "field": "panel",
        "type": "nominal",
        "sort": list(names),
        "title": None,
        "header": {"labelAnchor": "start", "labelPadding": 6, **_SMALLER[columns > 2]},
    }
    return {
        "facet": head,
        "columns": 1 if len(names) == 3 else columns,  # three panels in two columns leave a gap
        "spec": spec,
        "spacing": 22,
    }


NAMES_DOWN: Spec = {
    "field": "label",
    "type": "nominal",
    "sort": None,  # in the order of the rows
    "title": None,
    "axis": {"ticks": False, "domain": False, "labelPadding": 8},
}


def quantitative(field: str, title: str | None, **more: Any) -> Spec:
    """Return a quantitative channel."""
    return {"field": field, "type": "quantitative", "title": title, **more}


def with_task(title: str, tasks: Iterable[str]) -> str:
    """Return a title with the task, if there is a single named one."""
    named = dict.fromkeys(tasks)
    return " · ".join([title, *named]) if len(named) == 1 and "" not in named else title


def tooltips(**fields: str) -> list[Spec]:
    """Return the fields of a tooltip with their titles."""
    return [
        {"field": field, "title": title, **({"format": ".4g"} if field in _NUMBERS else {})}
        for field, title in fields.items()
    ]


_NUMBERS = {"value", "low", "high", "x", "share"}
