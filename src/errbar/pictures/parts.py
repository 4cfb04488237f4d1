"""What pictures are made of: the whole with its title, panels side by side, and axes."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from errbar.pictures.look import CONFIG
from errbar.pictures.picture import Picture
from errbar.pictures.words import lines
from errbar.tables import printable

Spec = dict[str, Any]
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
