"""How often intervals held the truth in a simulation: a heat map, methods side by side."""

import json
import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from errbar.base.tables import percent
from errbar.errors import InputError
from errbar.results.pictures.picture import Picture, Row, Spec, picture, plain, told

# Red is too seldom, blue more often than asked; told apart by the colour-blind too. In grey, dark
# is too seldom.
_COLOURS = (
    "#67001f", "#b2182b", "#d6604d", "#f4a582", "#fddbc7", "#f7f7f7", "#e1edf6", "#cbe1f0",
    "#b4d5ea",
)  # fmt: skip
_STEPS = (-9.0, -3.0, -1.0, -0.5, -0.2, 0.2, 0.5, 0.8)  # times what the level leaves
_LEAST_LEVEL = 0.9
_ROUNDING = 1e-9  # 0.925 in floats may lie on either side of itself
_SIDE, _SMALL = 10, 8
_NAMES, _HEADS, _TITLES = -112, -24, -42  # how far left metrics are named, and how far up the rest


def coverage_map(
    cells: Iterable[Mapping[str, Any]], *, title: str, below: Iterable[str], level: float = 0.95
) -> Picture:
    """A square for each cell, with how many intervals of it held the truth.

    A cell has a `method`, a `difficulty` and a number of `questions`, which are columns in this
    order, a `metric` and a `line` of it, which are rows, and `covered`, a share. Each is shown in
    the order in which it comes.
    """
    every, bounds = [dict(cell) for cell in cells], _bounds(level)
    if not every or any(math.isnan(cell["covered"]) for cell in every):
        raise InputError("there must be a cell at least, and each must say how many held.")
    across = _places(every, ("method", "difficulty", "questions"))
    down = _places(every, ("metric", "line"))
    for cell in every:
        cell["x"] = across[cell["method"], cell["difficulty"], cell["questions"]]
        cell["y"] = down[cell["metric"], cell["line"]]
        cell["band"] = _band(cell["covered"], bounds)
    x = _axis("x", across, orient="top", labelAngle=-90)
    y = _axis("y", down)
    layers = [
        {
            "mark": {"type": "rect", "aria": False},
            "encoding": {"x": x, "y": y, "color": _colour(bounds), "tooltip": _TOLD},
        },
        _named(_first(across, 1), {"y": {"value": _TITLES}}, x, fontSize=12, fontWeight="bold"),
        _named(_first(across, 2), {"y": {"value": _HEADS}}, x, fontSize=_SMALL),
        _named(_first(down, 1), {"x": {"value": _NAMES}}, y, fontSize=10, fontWeight="bold"),
    ]
    body = {"width": {"step": _SIDE}, "height": {"step": _SIDE}, "layer": layers}
    return picture(title, below, every, body)


Places = dict[tuple[Any, ...], int]

_TOLD = told(
    method="method",
    metric="metric",
    line="trials and k",
    difficulty="difficulty",
    questions="questions",
    covered="held",
)


def _places(cells: Sequence[Row], keys: Sequence[str]) -> Places:
    """Where each combination of some keys lies; a gap for each but the last where it changes."""
    values = {key: list(dict.fromkeys(cell[key] for cell in cells)) for key in keys}
    held = {tuple(cell[key] for key in keys) for cell in cells}
    found: Places = {}
    place, last = 0, None
    for one in product(*values.values()):
        if one not in held:
            continue
        if last is not None:
            place += 1 + sum(mine != theirs for mine, theirs in zip(one[:-1], last, strict=False))
        found[one] = place
        last = one
    return found


def _axis(channel: str, places: Places, **more: Any) -> Spec:
    """A channel of places, of which the held ones are named by their last key."""
    number = max(places.values()) + 1
    names = [""] * number
    for one, place in places.items():
        names[place] = str(one[-1])
    axis = {
        "labelExpr": f"{json.dumps(names)}[datum.value]",
        "labelFontSize": _SMALL,
        "labelPadding": 4,
        "labelOverlap": False,
        "ticks": False,
        "domain": False,
        "grid": False,
        **more,
    }
    scale = {"domain": list(range(number)), "paddingInner": 0.1, "paddingOuter": 0}
    return {"field": channel, "type": "ordinal", "title": None, "scale": scale, "axis": axis}


def _bounds(level: float) -> list[float]:
    """From where on a share has the next colour."""
    if not _LEAST_LEVEL <= level < 1.0:
        raise InputError(f"level must be {_LEAST_LEVEL:g} at least and below 1; got {level!r}.")
    return [level + step * (1.0 - level) for step in _STEPS]


def _band(covered: float, bounds: Sequence[float]) -> str:
    """Between which bounds a share lies, in words."""
    at = bisect_right(bounds, covered + _ROUNDING)
    if not at:
        return f"below {percent(bounds[0])}"
    if at == len(bounds):
        return f"{percent(bounds[-1])} and more"
    return f"{percent(bounds[at - 1])} to {percent(bounds[at])}"


def _colour(bounds: Sequence[float]) -> Spec:
    words = [_band(share, bounds) for share in (-1.0, *bounds)]
    legend = {"title": None, "orient": "bottom", "columns": len(words), "symbolType": "square"}
    scale = {"domain": words, "range": list(_COLOURS)}
    return {"field": "band", "type": "ordinal", "scale": scale, "legend": legend}


def _first(places: Places, keys: int) -> dict[int, str]:
    """Where each combination of the first keys begins, and what the last of these is."""
    found: dict[tuple[Any, ...], int] = {}
    for one, place in places.items():
        found.setdefault(one[:keys], place)
    return {place: str(one[-1]) for one, place in found.items()}


def _named(names: Mapping[int, str], beside: Spec, along: Spec, **font: Any) -> Spec:
    """Words beside an axis."""
    channel = along["field"]
    values = [{channel: place, "value": plain(name)} for place, name in names.items()]
    across = {"band": 0} if channel == "x" else {}
    return {
        "data": {"values": values},
        "mark": {"type": "text", "align": "left", "baseline": "middle", **font},
        "encoding": {channel: {**along, **across}, "text": {"field": "value"}, **beside},
    }
