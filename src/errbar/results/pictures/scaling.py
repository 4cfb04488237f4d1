"""The picture of pass@k beyond the trials: what models say, and what any difficulty allows."""

import math
from typing import Any

from errbar.results.pictures import vega
from errbar.results.pictures.picture import Picture, Spec
from errbar.results.scaling import Scaling


def scaling_picture(found: Scaling) -> Picture:
    """Draw pass@k of every system: bounds as a thin line, the models as a thick one."""
    names = vega.short_names(found.names())
    rows: list[dict[str, Any]] = []
    for name, row in zip(found.names(), found, strict=True):
        for step in row.steps:
            own = step.solved
            known = not math.isnan(own.value)
            rows.append(
                {
                    "label": f"{names[name]} · pass@{step.k:,}".removeprefix(" · "),
                    "panel": "",
                    "value": own.value if known else None,
                    "low": own.low if known else None,
                    "high": own.high if known else None,
                    "least": step.bounded.low,
                    "most": step.bounded.high,
                }
            )
    x = vega.quantitative("least", "pass@k", scale={"zero": False, "nice": True})
    tooltip = vega.tooltips(label="system", value="by model", least="at least", most="at most")

    def line(width: float, ends: tuple[str, str], colour: str) -> Spec:
        return {
            "mark": {"type": "rule", "strokeWidth": width, "color": colour},
            "encoding": {"x": {**x, "field": ends[0]}, "x2": {"field": ends[1]}},
        }

    body: Spec = {
        "width": vega.WIDTH,
        "height": {"step": vega.STEP},
        "encoding": {"y": vega.NAMES_DOWN, "tooltip": tooltip},
        "layer": [
            line(1.2, ("least", "most"), vega.FAINT),
            line(4.0, ("low", "high"), vega.COLOURS[0]),
            {
                "mark": {"type": "point", "filled": True, "size": 60, "color": vega.COLOURS[0]},
                "encoding": {"x": {**x, "field": "value"}},
            },
        ],
    }
    below = [
        found.footer().partition(" (")[0],
        "Thick: models of difficulty. Thin: any distribution of difficulty.",
    ]
    return vega.compose("Far beyond the trials", below, rows, body)
