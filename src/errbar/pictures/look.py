"""How pictures look: colours that the colour-blind can tell apart, and marks that print in grey.

A series has a colour, a dash and a shape. Colours are those of Okabe and Ito without the yellow,
which is lost on white. Their numbers have no common divisor with each other, so that no two of the
first 56 series share both dash and shape.
"""

from collections.abc import Sequence
from typing import Any

Spec = dict[str, Any]

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
SHAPES = (
    "circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right",
    "triangle-left",
)  # fmt: skip
DASHES = ([1, 0], [6, 3], [2, 2], [9, 3, 2, 3], [12, 4], [1, 3], [6, 2, 2, 2, 2, 2])
INK, FAINT, GRID = "#222222", "#666666", "#e4e4e4"
WIDTH, STEP = 420, 21  # of a panel, and from row to row

CONFIG: Spec = {
    "background": "white",
    "font": "Helvetica, Arial, Liberation Sans, sans-serif",
    "padding": 14,
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

_SOLID: Spec = {"symbolDash": [1, 0], "symbolStrokeWidth": 0}  # a dashed outline is no shape


def series(labels: Sequence[str], *channels: str, dashes: bool = False) -> Spec:
    """Encodings that tell series apart, on some channels; none of one without a name."""
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
