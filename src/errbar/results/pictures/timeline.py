"""Pictures over time: the scores of past runs with their drift, and systems that are monitored."""

from errbar.base.tables import interval_title
from errbar.results.monitoring import Monitoring, MonitoringPath, Watch
from errbar.results.pictures import vega
from errbar.results.pictures.curves import band_layers
from errbar.results.pictures.picture import Picture, Spec
from errbar.results.pictures.vega import Datum
from errbar.results.timeline import Timeline

_STEP, _HEIGHT = 44, 220  # pixels between runs, and of a panel


def timeline_picture(found: Timeline) -> Picture:
    """Draw the score of every run, with a panel per task and metric."""
    records = found.to_dicts()
    tasks = {record["task"] for record in records}
    metrics = list(dict.fromkeys(record["metric"] for record in records))
    short = vega.short_names(found.runs)
    rows: list[Datum] = [
        {
            "run": short[record["run"]],
            "name": record["run"],
            "panel": " · ".join(
                part
                for part in (
                    record["metric"] if len(metrics) > 1 else "",
                    record["task"] if len(tasks) > 1 else "",
                )
                if part
            ),
            "value": record["value"],
            "low": record["low"],
            "high": record["high"],
            "drift": f"drift: {record['drift']}" if record["drift"] else None,
        }
        for record in records
        if record["value"] == record["value"]
    ]
    spec = {"layer": _layers(list(short.values()), metrics[0] if len(metrics) == 1 else "value")}
    below = [
        *vega.coverage_notes(
            [(str(estimate.metric), estimate.interval) for estimate in found.estimates]
        ),
        "".join(found.conclusion()[:2]),
    ]
    width = {"width": max(180, min(_STEP * len(found.runs), 2 * vega.WIDTH)), "height": _HEIGHT}
    panels = list(dict.fromkeys(row["panel"] for row in rows))
    body = vega.facets({**spec, **width}, panels)
    return vega.compose(vega.with_task("Scores of runs", tasks), below, rows, body)


def _layers(runs: list[str], title: str) -> list[Spec]:
    """Intervals, a line, points, and the word drift where it was detected."""
    x: Spec = {
        "field": "run",
        "type": "nominal",
        "sort": runs,
        "title": "run",
        "axis": {"labelAngle": -40, "grid": False},
    }
    y = vega.quantitative("value", title)
    y["scale"] = {"zero": False}
    tooltip = vega.tooltips(name="run", value="value", low="from", high="to")
    return [
        {
            "mark": {"type": "rule", "color": vega.INK, "strokeWidth": 1.5},
            "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
        },
        {
            "mark": {"type": "line", "color": vega.FAINT, "strokeWidth": 1},
            "encoding": {"x": x, "y": y},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 48, "opacity": 1, "color": vega.INK},
            "encoding": {"x": x, "y": y, "tooltip": tooltip},
        },
        {
            "transform": [{"filter": "isValid(datum.drift)"}],
            "mark": {"type": "text", "dy": -10, "fontSize": 11, "color": vega.INK},
            "encoding": {"x": x, "y": {**y, "field": "high"}, "text": {"field": "drift"}},
        },
    ]


_MOST_POINTS = 400  # points of a curve; points between them are left out


def monitoring_picture(found: Monitoring | MonitoringPath) -> Picture:
    """Draw the confidence sequence of each monitored mean, with the claims and decisions."""
    tasks = {watch.task for watch in found.watches}
    names = [
        " · ".join(part for part in (watch.name, watch.task if len(tasks) > 1 else "") if part)
        for watch in found.watches
    ]
    short = vega.short_names(names)
    rows = [
        row
        for name, watch in zip(names, found.watches, strict=True)
        for row in _rows(watch, name, short[name])
    ]
    x = vega.quantitative(
        "x", "questions", scale={"nice": False}, axis={"grid": False, "tickMinStep": 1}
    )
    y = vega.quantitative("value", _quantity(found.watches[0]), scale={"zero": False})
    tooltip = vega.tooltips(name="system", x="questions", value="mean", low="from", high="to")
    spec = {**band_layers([""], x, y, tooltip, dots=False), "width": vega.WIDTH, "height": 220}
    spec["layer"] += [_claims("above"), _claims("below"), *_decisions()]
    claims = found.watches[0].claims
    below = [
        f"{interval_title(claims.level)}, for new questions of the same kind, at every look",
        f"Dashed: the claim, {_claim_text(found.watches[0])}. Vertical: when it was decided",
    ]
    title = vega.with_task("State of the run", tasks)
    return vega.compose(title, below, rows, vega.facets(spec, list(short.values())))


def _rows(watch: Watch, name: str, label: str) -> list[Datum]:
    looks, size = watch.looks, len(watch.questions)
    step = max(1, -(-size // _MOST_POINTS))
    kept = sorted({*range(0, size, step), size - 1} - {-1})
    fixed = {"label": "", "name": name, "panel": label}
    found: list[Datum] = [
        {
            **fixed,
            "x": at + 1,
            "value": float(looks.value[at]),
            "low": float(looks.low[at]),
            "high": float(looks.high[at]),
        }
        for at in kept
    ]
    made: Datum = {}
    if watch.decided is not None:
        made = {
            "made": watch.decided[0],
            "verdict": watch.verdict,
            "late": watch.decided[0] > size / 2,
        }
    return [*found, {**fixed, "above": watch.claims.above, "below": watch.claims.below, **made}]


def _claims(which: str) -> Spec:
    """Return a line at the number of a claim."""
    return {
        "transform": [{"filter": f"isValid(datum.{which})"}],
        "mark": {"type": "rule", "color": vega.INK, "strokeDash": [4, 3]},
        "encoding": {"y": {"field": which, "type": "quantitative"}},
    }


def _decisions() -> list[Spec]:
    """Return a line where a claim was accepted, with the verdict."""
    there = [{"filter": "isValid(datum.made)"}]
    x = {"field": "made", "type": "quantitative"}
    text: Spec = {"type": "text", "baseline": "top", "dy": 3, "fontSize": 11, "color": vega.INK}
    text["align"] = {"expr": "datum.late ? 'right' : 'left'"}  # on the wider side
    text["dx"] = {"expr": "datum.late ? -5 : 5"}
    return [
        {"transform": there, "mark": {"type": "rule", "color": vega.FAINT}, "encoding": {"x": x}},
        {
            "transform": there,
            "mark": text,
            "encoding": {"x": x, "y": {"value": 0}, "text": {"field": "verdict"}},
        },
    ]


def _quantity(watch: Watch) -> str:
    return "difference of means" if watch.against else "mean"


def _claim_text(watch: Watch) -> str:
    claims = {"above": watch.claims.above, "below": watch.claims.below}
    return " or ".join(f"{side} {than:g}" for side, than in claims.items() if than is not None)
