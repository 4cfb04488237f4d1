"""A run while it goes on: the mean and what is known of it, after each question."""

from errbar.pictures.curves import banded
from errbar.pictures.look import FAINT, INK, WIDTH
from errbar.pictures.parts import Row, Spec, number, on_one, panels, picture, told
from errbar.pictures.picture import Picture
from errbar.pictures.words import short_names
from errbar.tables import percent
from errbar.watches import History, Monitoring, Watch

_MOST_POINTS = 400  # of a curve; what lies between is left out


def monitoring_picture(found: Monitoring | History) -> Picture:
    """A panel for each mean that is watched, with the claims and when one was made."""
    tasks = {one.task for one in found.watches}
    called = [
        " · ".join(part for part in (one.name, one.task if len(tasks) > 1 else "") if part)
        for one in found.watches
    ]
    short = short_names(called)
    rows = [
        row
        for name, one in zip(called, found.watches, strict=True)
        for row in _rows(one, name, short[name])
    ]
    x = number("x", "questions", scale={"nice": False}, axis={"grid": False, "tickMinStep": 1})
    y = number("value", _what(found.watches[0]), scale={"zero": False})
    tooltip = told(name="system", x="questions", value="mean", low="from", high="to")
    spec = {**banded([""], x, y, tooltip, dots=False), "width": WIDTH, "height": 220}
    spec["layer"] += [_claims("above"), _claims("below"), *_made()]
    claims = found.watches[0].claims
    below = [
        f"{percent(claims.level)} interval, for questions like these, at all looks together",
        f"Dashed: what is watched for, {_claimed(found.watches[0])}. Vertical: when it was decided",
    ]
    title = on_one("What is known of the run", tasks)
    return picture(title, below, rows, panels(spec, list(short.values())))


def _rows(one: Watch, name: str, label: str) -> list[Row]:
    looks, size = one.looks, len(one.questions)
    step = max(1, -(-size // _MOST_POINTS))
    kept = sorted({*range(0, size, step), size - 1} - {-1})
    fixed = {"label": "", "name": name, "panel": label}
    found: list[Row] = [
        {
            **fixed,
            "x": at + 1,
            "value": float(looks.value[at]),
            "low": float(looks.low[at]),
            "high": float(looks.high[at]),
        }
        for at in kept
    ]
    made: Row = {}
    if one.decided is not None:
        made = {"made": one.decided[0], "verdict": one.verdict, "late": one.decided[0] > size / 2}
    return [*found, {**fixed, "above": one.claims.above, "below": one.claims.below, **made}]


def _claims(which: str) -> Spec:
    """A line at the number that is claimed."""
    return {
        "transform": [{"filter": f"isValid(datum.{which})"}],
        "mark": {"type": "rule", "color": INK, "strokeDash": [4, 3]},
        "encoding": {"y": {"field": which, "type": "quantitative"}},
    }


def _made() -> list[Spec]:
    """A line where a claim was made, and what it says."""
    there = [{"filter": "isValid(datum.made)"}]
    x = {"field": "made", "type": "quantitative"}
    text: Spec = {"type": "text", "baseline": "top", "dy": 3, "fontSize": 11, "color": INK}
    text["align"] = {"expr": "datum.late ? 'right' : 'left'"}  # where there is more room
    text["dx"] = {"expr": "datum.late ? -5 : 5"}
    return [
        {"transform": there, "mark": {"type": "rule", "color": FAINT}, "encoding": {"x": x}},
        {
            "transform": there,
            "mark": text,
            "encoding": {"x": x, "y": {"value": 0}, "text": {"field": "verdict"}},
        },
    ]


def _what(one: Watch) -> str:
    return "difference of means" if one.against else "mean"


def _claimed(one: Watch) -> str:
    claims = {"above": one.claims.above, "below": one.claims.below}
    return " or ".join(f"{side} {than:g}" for side, than in claims.items() if than is not None)
