"""A picture: one Vega-Lite specification with its data, its colours, titles, panels and axes.

Colours can be told apart by the colour-blind, and marks in grey print.
"""

import html
import importlib
import importlib.util
import json
import math
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errbar.base.files import atomic_file
from errbar.base.tables import percent, printable, supported
from errbar.errors import InputError
from errbar.results.estimate import Interval

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


_LONGEST, _TAIL = 42, 18  # letters of a name that are shown, and how many of them are its last
_LINE = 104  # letters of a line above a picture


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Names by what is shown of them: on one line, not too long, and no two alike.

    Examples
    --------
    >>> short_names(["small", "x" * 60])["x" * 60]
    'xxxxxxxxxxxxxxxxxxxxxxx…xxxxxxxxxxxxxxxxxx'
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in dict.fromkeys(names):
        text = printable(name)
        if len(text) > _LONGEST:
            text = f"{text[: _LONGEST - _TAIL - 1]}…{text[-_TAIL:]}"
        unique, number = text, 1
        while unique in taken:
            number += 1
            unique = f"{text} ({number})"
        taken.add(unique)
        found[name] = unique
    return found


def covering(intervals: Sequence[tuple[str, Interval]], noun: str = "intervals") -> list[str]:
    """What intervals are for, each with what it is of; of which, where they are not all alike."""
    kinds: dict[tuple[str, str], list[str]] = {}
    for of, one in intervals:
        kinds.setdefault((percent(one.level), one.covers.words), []).append(of)
    if len(kinds) == 1:
        ((level, words),) = kinds
        return [f"{level} {noun}, for {words}"]
    return [
        f"{', '.join(dict.fromkeys(of))}: {level} {noun}, for {words}"
        for (level, words), of in kinds.items()
    ]


def lines(sentences: Iterable[str]) -> list[str]:
    """Sentences on lines that are not too long."""
    return [
        line for one in sentences if one for line in textwrap.wrap(printable(one), _LINE) or [""]
    ]


def with_ends(value: float, sd: float, interval: Interval) -> str:
    """A number with its interval, to the digits that are known."""
    known = sd if sd == sd else (interval.high - interval.low) / 4  # noqa: PLR0124  not nan
    value_text, low, high = (supported(x, known) for x in (value, interval.low, interval.high))
    return f"{value_text} [{low}, {high}]".replace("-", "−")


_VERSION = "5.21"  # of Vega-Lite: the last that today's notebooks show by themselves
_MIME = "application/vnd.vegalite.v5+json"
_NO_EXTRA = "pictures are drawn by vl-convert-python: pip install 'errbar[plot]'."
_MOVING = ("params", "tooltip")
HOVER = "hover"  # the name of a layer that nobody sees, for the pointer alone


@dataclass(frozen=True, repr=False)
class Picture:
    """A picture, as `spec` says."""

    spec: Spec

    @property
    def title(self) -> str:
        """What stands above it."""
        return str(self.spec["title"]["text"])

    def svg(self) -> str:
        """As SVG."""
        return _converter().vegalite_to_svg(
            still(self.spec), vl_version=_VERSION, allowed_base_urls=[]
        )

    def png(self, scale: float = 2.0) -> bytes:
        """As PNG, with so many dots for each point."""
        if not 0 < scale <= 10 or math.isnan(scale):
            raise InputError(f"scale must be above 0 and at most 10; got {scale!r}.")
        return _converter().vegalite_to_png(
            still(self.spec), vl_version=_VERSION, scale=float(scale), allowed_base_urls=[]
        )

    def html(self) -> str:
        """As a page that needs nothing else: the code that draws it is in it."""
        code = _converter().javascript_bundle(vl_version=_VERSION)
        return _PAGE.format(title=html.escape(self.title), code=code, spec=_in_script(self.spec))

    def json(self) -> str:
        """The specification itself, as text."""
        return json.dumps(self.spec, ensure_ascii=False, allow_nan=False)

    def save(self, path: str | Path) -> None:
        """Write a file whole or not at all; its name ends in .svg, .png, .html or .json."""
        write = _WRITERS[require_suffix(path)]
        content = write(self)
        with atomic_file(path) as beside:
            beside.write_bytes(content if isinstance(content, bytes) else content.encode())

    def __repr__(self) -> str:
        return f"Picture({self.title!r})"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """For notebooks: what moves, and the still picture for those that cannot show it."""
        bundle: dict[str, Any] = {_MIME: self.spec, "text/plain": repr(self)}
        if has_extra():
            bundle["image/svg+xml"] = self.svg()
        return bundle

    def _repr_svg_(self) -> str:
        return self.svg()


_WRITERS: dict[str, Callable[[Picture], str | bytes]] = {
    ".svg": Picture.svg,
    ".png": Picture.png,
    ".html": Picture.html,
    ".json": Picture.json,
}


def require_suffix(path: str | Path) -> str:
    """What the file is to be, by the end of its name, which must be one that can be written."""
    suffix = Path(path).suffix.lower()
    if suffix not in _WRITERS:
        raise InputError(f"{path}: a picture ends in {', '.join(_WRITERS)}; got {suffix!r}.")
    if suffix != ".json":
        _converter()
    return suffix


def has_extra() -> bool:
    """Whether pictures can be drawn here."""
    return importlib.util.find_spec("vl_convert") is not None


def still(part: Any) -> Any:
    """The same without what moves: an encoding that waits for a choice goes with the choice."""
    if isinstance(part, dict):
        return {
            key: value if key == "data" else still(value)
            for key, value in part.items()
            if key not in _MOVING and not _waits(value)
        }
    if isinstance(part, list):
        return [
            still(one) for one in part if not (isinstance(one, dict) and one.get("name") == HOVER)
        ]
    return part


def _waits(value: Any) -> bool:
    return isinstance(value, dict) and "param" in value.get("condition", {})


def _converter() -> Any:
    try:
        return importlib.import_module("vl_convert")
    except ImportError as error:
        raise InputError(_NO_EXTRA) from error


def _in_script(spec: Spec) -> str:
    """JSON that can end neither the script that it stands in nor a line of it."""
    return json.dumps(spec, allow_nan=False).replace("<", "\\u003c").replace(">", "\\u003e")


# The policy lets the page load nothing at all; Vega makes functions of its expressions.
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>body {{ margin: 2rem; font-family: sans-serif; }}</style>
</head>
<body>
<div id="picture"></div>
<script>{code}</script>
<script>
const actions = {{ export: true, source: false, compiled: false, editor: false }};
vegaEmbed("#picture", {spec}, {{ actions, renderer: "svg" }});
</script>
</body>
</html>
"""


Row = dict[str, Any]

_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"


def picture(
    title: str, below: Iterable[str], rows: Iterable[Mapping[str, Any]], body: Spec
) -> Picture:
    """A picture of rows, with a title and what stands below it."""
    head = {"text": " ".join(lines([title])), "subtitle": lines(below)}
    values = [{key: plain(value) for key, value in row.items()} for row in rows]
    whole = {"$schema": _SCHEMA, "title": head, "data": {"values": values}, **body}
    return Picture({**whole, "config": CONFIG})


def plain(value: Any) -> Any:
    """What JSON and SVG can hold: null for what is no number, and text without controls."""
    if isinstance(value, str):
        return printable(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value


_SMALLER: dict[bool, Spec] = {
    True: {"labelFontSize": 9, "labelFontWeight": "normal", "labelLimit": 190},
    False: {},
}


def panels(spec: Spec, names: Sequence[str], *, columns: int = 1) -> Spec:
    """The same for every panel that rows name, under each other or side by side; one is itself."""
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
        "columns": 1 if len(names) == 3 else columns,  # three side by side leave a hole
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


def number(field: str, title: str | None, **more: Any) -> Spec:
    """A channel of numbers."""
    return {"field": field, "type": "quantitative", "title": title, **more}


def on_one(title: str, tasks: Iterable[str]) -> str:
    """A title, with the task where there is only one."""
    named = dict.fromkeys(tasks)
    return " · ".join([title, *named]) if len(named) == 1 and "" not in named else title


def told(**fields: str) -> list[Spec]:
    """What is said under the pointer: columns with their titles."""
    return [
        {"field": field, "title": title, **({"format": ".4g"} if field in _NUMBERS else {})}
        for field, title in fields.items()
    ]


_NUMBERS = {"value", "low", "high", "x", "share"}
