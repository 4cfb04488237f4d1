"""Heat maps of simulated coverage: the share of intervals that contain the true value."""

import json
import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from errbar.base.tables import percent
from errbar.errors import InputError
from errbar.results.pictures import vega
from errbar.results.pictures.picture import Picture, Spec
from errbar.results.pictures.vega import Datum

# Red is coverage below the level, blue above it; also distinguishable for colour-blind readers. In
# grey print, dark is below the level.
_COLOURS = (
    "#67001f", "#b2182b", "#d6604d", "#f4a582", "#fddbc7", "#f7f7f7", "#e1edf6", "#cbe1f0",
    "#b4d5ea",
)  # fmt: skip
_STEPS = (-9.0, -3.0, -1.0, -0.5, -0.2, 0.2, 0.5, 0.8)  # in units of 1 - level
_LEAST_LEVEL = 0.9
_ROUNDING = 1e-9  # the float nearest to 0.925 may lie on either side of it
_SIDE, _SMALL = 10, 8
_NAMES, _HEADS, _TITLES = -112, -24, -42  # offsets of names to the left, and of heads upwards


def coverage_map(
    cells: Iterable[Mapping[str, Any]], *, title: str, below: Iterable[str], level: float = 0.95
) -> Picture:
    """Draw a square per cell of a simulation study, coloured by the observed coverage.

    Parameters
    ----------
    cells
        Mappings with `method`, `difficulty` and `questions`, which are columns in this order,
        `metric` and `line`, which are rows, and `covered`, the share of intervals that contain the
        true value. Columns and rows appear in the order of the cells.
    title
        The title.
    below
        Sentences below the title.
    level
        The nominal level of the intervals.
    """
    every, bounds = [dict(cell) for cell in cells], _bounds(level)
    if not every or any(math.isnan(cell["covered"]) for cell in every):
        raise InputError("there must be at least one cell, and each needs a number `covered`.")
    # all numbers of questions below every difficulty: a column or two are too narrow for its name
    across = _places(every, ("method", "difficulty", "questions"), together=2)
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
            "encoding": {"x": x, "y": y, "color": _colour(bounds), "tooltip": _TOOLTIP},
        },
        _label_layer(
            _first(across, 1), {"y": {"value": _TITLES}}, x, fontSize=12, fontWeight="bold"
        ),
        _label_layer(_first(across, 2), {"y": {"value": _HEADS}}, x, fontSize=_SMALL),
        _label_layer(_first(down, 1), {"x": {"value": _NAMES}}, y, fontSize=10, fontWeight="bold"),
    ]
    body = {"width": {"step": _SIDE}, "height": {"step": _SIDE}, "layer": layers}
    return vega.compose(title, below, every, body)


Places = dict[tuple[Any, ...], int]

_TOOLTIP = vega.tooltips(
    method="method",
    metric="metric",
    line="trials and k",
    difficulty="difficulty",
    questions="questions",
    covered="held",
)


def _places(cells: Sequence[Datum], keys: Sequence[str], together: int | None = None) -> Places:
    """Return the position of each combination of keys, with gaps where the outer keys change.

    There are places for the combinations that occur, or whose first `together` keys do.
    """
    values = {key: list(dict.fromkeys(cell[key] for cell in cells)) for key in keys}
    present = {tuple(cell[key] for key in keys[:together]) for cell in cells}
    found: Places = {}
    place, last = 0, None
    for key in product(*values.values()):
        if key[:together] not in present:
            continue
        if last is not None:
            place += 1 + sum(
                part != last_part for part, last_part in zip(key[:-1], last, strict=False)
            )
        found[key] = place
        last = key
    return found


def _axis(channel: str, places: Places, **more: Any) -> Spec:
    """Return a channel of positions, labelled by the last key of each combination."""
    number = max(places.values()) + 1
    names = [""] * number
    for key, place in places.items():
        names[place] = str(key[-1])
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
    """Return the shares at which the colour changes."""
    if not _LEAST_LEVEL <= level < 1.0:
        raise InputError(f"level must be at least {_LEAST_LEVEL:g} and below 1; got {level!r}.")
    return [level + step * (1.0 - level) for step in _STEPS]


def _band(covered: float, bounds: Sequence[float]) -> str:
    """Describe the range between bounds in which a share lies."""
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
    """Return where each combination of the first keys begins, with its last key as label."""
    found: dict[tuple[Any, ...], int] = {}
    for key, place in places.items():
        found.setdefault(key[:keys], place)
    return {place: str(key[-1]) for key, place in found.items()}


def _label_layer(names: Mapping[int, str], beside: Spec, along: Spec, **font: Any) -> Spec:
    """Return a layer of labels beside an axis."""
    channel = along["field"]
    values = [{channel: place, "value": vega.json_value(name)} for place, name in names.items()]
    across = {"band": 0} if channel == "x" else {}
    return {
        "data": {"values": values},
        "mark": {"type": "text", "align": "left", "baseline": "middle", **font},
        "encoding": {channel: {**along, **across}, "text": {"field": "value"}, **beside},
    }
