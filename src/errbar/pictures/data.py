"""What is in the data: rows of each system and task, by what came of them."""

from errbar.data.slices import Slice
from errbar.inspection import Inspection
from errbar.pictures.look import STEP, WIDTH
from errbar.pictures.parts import NAMES_DOWN, number, on_one, picture, told
from errbar.pictures.picture import Picture
from errbar.pictures.words import short_names

# From dark to light, which prints in grey too.
_KINDS = {"right": "#08519c", "other score": "#56a0ce", "wrong": "#c6dbef", "no result": "#ffffff"}


def data_picture(found: Inspection) -> Picture:
    """A bar for each system and task, as long as it has rows."""
    tasks = {one.key[1] for one in found.slices}
    called = [
        " · ".join(filter(None, one.key[: 1 + (len(tasks) > 1)])) or "all rows"
        for one in found.slices
    ]
    short = short_names(called)
    rows = [
        {"label": short[name], "name": name, "kind": kind, "place": at, "rows": rows}
        for name, one in zip(called, found.slices, strict=True)
        for at, (kind, rows) in enumerate(_counted(one).items())
    ]
    kinds = [kind for kind in _KINDS if any(row["rows"] for row in rows if row["kind"] == kind)]
    scale = {"domain": kinds, "range": [_KINDS[kind] for kind in kinds]}
    spec = {
        "width": WIDTH,
        "height": {"step": STEP},
        "mark": {"type": "bar", "stroke": "#666666", "strokeWidth": 0.5},
        "encoding": {
            "y": NAMES_DOWN,
            "x": number("rows", "rows", axis={"grid": True, "tickMinStep": 1, "format": ",d"}),
            "color": {
                "field": "kind",
                "type": "nominal",
                "scale": scale,
                "legend": {"title": None, "symbolType": "square"},
            },
            "order": {"field": "place", "type": "quantitative"},
            "tooltip": told(name="system", kind="what came of them", rows="rows"),
        },
    }
    below = [found.summary(), "Counts of rows, which are what they are: there is no interval"]
    return picture(on_one("What is in the data", tasks), below, rows, spec)


def _counted(one: Slice) -> dict[str, int]:
    right, other, scored = (
        int(part @ one.questions) for part in (one.right, one.other, one.scored)
    )
    return {
        "right": right,
        "other score": other,
        "wrong": scored - right - other,
        "no result": one.failed + one.ungraded,
    }
