"""Picture of a history: the score of each run with its interval, and where drift was detected."""

from errbar.results.pictures import vega
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
