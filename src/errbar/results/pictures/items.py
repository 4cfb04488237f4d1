"""Picture of questions and systems on one scale: a Wright map."""

from errbar.results.items import Items
from errbar.results.pictures import vega
from errbar.results.pictures.vega import Picture, Row, Spec

_HEIGHT = 180  # pixels of a panel


def items_picture(found: Items) -> Picture:
    """Draw a histogram of the difficulties, with a mark for the ability of every system."""
    tasks = [task.task for task in found.tasks]
    rows: list[Row] = [
        {"panel": row.task, "difficulty": row.value, "name": row.question} for row in found
    ]
    rows += [{"panel": row.task, "ability": row.value, "name": row.system} for row in found.systems]
    body = vega.facets({"layer": _layers(), "width": vega.WIDTH, "height": _HEIGHT}, tasks)
    below = ["Bars: questions by difficulty. Marks: systems by ability. Both in logits"]
    return vega.compose(vega.with_task("Questions and systems", set(tasks)), below, rows, body)


def _layers() -> list[Spec]:
    """Bars of the difficulties, and ticks of the abilities."""
    tooltip = vega.tooltips(name="system", ability="ability")
    return [
        {
            "transform": [{"filter": "isValid(datum.difficulty)"}],
            "mark": {"type": "bar", "color": vega.FAINT},
            "encoding": {
                "x": {
                    "field": "difficulty",
                    "type": "quantitative",
                    "bin": {"maxbins": 30},
                    "title": "logits",
                },
                "y": {"aggregate": "count", "type": "quantitative", "title": "questions"},
            },
        },
        {
            "transform": [{"filter": "isValid(datum.ability)"}],
            "mark": {"type": "tick", "color": vega.INK, "thickness": 2, "yOffset": 60},
            "encoding": {
                "x": {"field": "ability", "type": "quantitative"},
                "tooltip": tooltip,
            },
        },
    ]
