"""Pictures as Vega-Lite specifications that contain their data: colours, titles, facets, axes.

The palette of Okabe and Ito is distinguishable for colour-blind readers; shapes and dashes
distinguish series in grey print.
"""

import html
import importlib
import importlib.util
import json
import math
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errbar.base.files import atomic_file
from errbar.base.tables import percent, printable, supported
from errbar.errors import InputError
from errbar.results.estimate import AnyEstimate, Estimate, Interval

Spec = dict[str, Any]

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


def point_of(estimate: AnyEstimate) -> float:
    """Return the observed value; if there is none, the centre of the interval."""
    if isinstance(estimate, Estimate) and math.isnan(estimate.value):
        return estimate.mean
    return estimate.value


def with_interval(value: float, sd: float, interval: Interval) -> str:
    """Return a number with its interval, to the significant digits of `sd`."""
    known = sd if sd == sd else (interval.high - interval.low) / 4  # noqa: PLR0124  not nan
    value_text, low, high = (supported(x, known) for x in (value, interval.low, interval.high))
    return f"{value_text} [{low}, {high}]".replace("-", "−")


_VERSION = "5.21"  # of Vega-Lite: the latest that notebooks render without an extension
_MIME = "application/vnd.vegalite.v5+json"
_NO_EXTRA = "pictures need vl-convert-python: pip install 'errbar[plot]'."
_INTERACTIVE = ("params", "tooltip")
HOVER = "hover"  # the name of an invisible layer with tooltips


@dataclass(frozen=True, repr=False)
class Picture:
    """A picture, given by its Vega-Lite specification."""

    spec: Spec

    @property
    def title(self) -> str:
        """The title of the picture."""
        return str(self.spec["title"]["text"])

    def svg(self) -> str:
        """Return the picture as SVG."""
        return _converter().vegalite_to_svg(
            _in_xml(static(self.spec)), vl_version=_VERSION, allowed_base_urls=[]
        )

    def png(self, scale: float = 2.0) -> bytes:
        """Return the picture as PNG, with `scale` pixels per point."""
        if not 0 < scale <= 10 or math.isnan(scale):
            raise InputError(f"scale must be above 0 and at most 10; got {scale!r}.")
        return _converter().vegalite_to_png(
            _in_xml(static(self.spec)),
            vl_version=_VERSION,
            scale=float(scale),
            allowed_base_urls=[],
        )

    def html(self) -> str:
        """Return an HTML page that contains all scripts, so that it needs no network."""
        code = _converter().javascript_bundle(vl_version=_VERSION)
        spec = in_script(json.dumps(self.spec, allow_nan=False))
        return _PAGE.format(title=html.escape(self.title), code=code, spec=spec)

    def json(self) -> str:
        """Return the specification as JSON."""
        return json.dumps(self.spec, ensure_ascii=False, allow_nan=False)

    def save(self, path: str | Path) -> None:
        """Write the picture to a file that ends in .svg, .png, .html or .json, atomically."""
        write = _WRITERS[require_suffix(path)]
        content = write(self)
        with atomic_file(path) as beside:
            beside.write_bytes(content if isinstance(content, bytes) else content.encode())

    def __repr__(self) -> str:
        return f"Picture({self.title!r})"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """Return the interactive picture for a notebook, and SVG as a fallback."""
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
    """Return the suffix of a file name, which must be one of those that can be written."""
    suffix = Path(path).suffix.lower()
    if suffix not in _WRITERS:
        raise InputError(
            f"{path}: a picture's file name ends in {', '.join(_WRITERS)}; got {suffix!r}."
        )
    if suffix != ".json":
        _converter()
    return suffix


def has_extra() -> bool:
    """Whether the package that draws pictures is installed."""
    return importlib.util.find_spec("vl_convert") is not None


def static(part: Any) -> Any:
    """Return a specification without selections, tooltips and encodings that depend on them."""
    if isinstance(part, dict):
        return {
            key: value if key == "data" else static(value)
            for key, value in part.items()
            if key not in _INTERACTIVE and not _depends_on_selection(value)
        }
    if isinstance(part, list):
        return [
            static(layer)
            for layer in part
            if not (isinstance(layer, dict) and layer.get("name") == HOVER)
        ]
    return part


# Characters that XML does not allow; the converter ends the whole process at one of them.
_NOT_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def _in_xml(part: Any) -> Any:
    """Return a specification with characters that XML does not allow replaced by U+FFFD."""
    if isinstance(part, str):
        return _NOT_XML.sub("\ufffd", part)
    if isinstance(part, dict):
        return {_in_xml(key): _in_xml(value) for key, value in part.items()}
    return [_in_xml(entry) for entry in part] if isinstance(part, list) else part


def _depends_on_selection(value: Any) -> bool:
    return isinstance(value, dict) and "param" in value.get("condition", {})


def _converter() -> Any:
    try:
        return importlib.import_module("vl_convert")
    except ImportError as error:
        raise InputError(_NO_EXTRA) from error


_UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def in_script(text: str) -> str:
    """Return JSON such that it cannot close the script element that contains it."""
    for letter, escaped in _UNSAFE.items():
        text = text.replace(letter, escaped)
    return text


# The policy forbids all network access; Vega compiles expressions, which needs unsafe-eval.
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
body {{ width: fit-content; margin: 2rem auto; font-family: sans-serif; background: #f7f7f5; }}
#picture {{ background: #fff; border: 1px solid #e2e2de; border-radius: 12px; padding: 8px; }}
</style>
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
