"""Pictures of questions: right trials by system, difficulty, a Wright map, and rows by status."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from errbar.base.arrays import Array, Integers
from errbar.base.remarks import counted
from errbar.data.queries.questions import Slice
from errbar.errors import InputError
from errbar.kernels.interval import outer_quantiles
from errbar.results.estimate import Estimand, Interval, Subject
from errbar.results.inspection import Inspection
from errbar.results.items import Items
from errbar.results.pictures import vega
from errbar.results.pictures.picture import Picture, Spec
from errbar.results.pictures.vega import Datum

Shares = Mapping[str, Mapping[str, float]]  # by system: the share of right trials of each question

_MOST_COLUMNS = 400  # of a heat map; more questions share columns by difficulty
_MOST_BINS = 10
_MAP_HEIGHT = 180  # pixels of a panel of a Wright map


@dataclass(frozen=True, kw_only=True)
class Questions:
    """The questions of a task, with the trials of each system and what came of them.

    Either `right` or `means` has a number for each system and question.
    """

    task: str
    names: tuple[str, ...]
    clusters: tuple[str, ...]  # empty if there are no clusters
    systems: tuple[str, ...]
    trials: list[list[int]]  # numbers by system and question; 0 if there are none
    right: list[list[int]] | None = None  # right trials
    means: list[list[float]] | None = None  # mean rewards
    variances: list[list[float]] | None = None  # variances of the rewards of each question
    reach: tuple[float, float] = (0.0, 1.0)  # lowest and highest reward

    def record(self) -> dict[str, Any]:
        """Return the record for the page; a common number of trials is stored once."""
        known = {n for each in self.trials for n in each}
        found = {
            "task": self.task,
            "names": self.names,
            "clusters": self.clusters,
            "systems": self.systems,
            "trials": known.pop() if len(known) == 1 else self.trials,
        }
        if self.right is not None:
            return {**found, "right": self.right}
        return {**found, "means": self.means, "variances": self.variances, "reach": self.reach}


def outcome_map(tasks: Mapping[str, Shares]) -> Picture:
    """Draw the share of right trials, with a row per system and a column per question."""
    rows, most, questions = [], 0, 0
    short = vega.short_names(system for shares in tasks.values() for system in shares)
    for task, shares in tasks.items():
        groups = _by_difficulty(shares)
        most = max(most, len(groups))
        questions = max(questions, sum(map(len, groups)))
        rows += [
            {
                "label": short[system],
                "name": system,
                "panel": task,
                "x": at,
                "value": float(np.mean(observed)),
                "question": group[0] if len(group) == 1 else f"{len(group)} questions",
            }
            for system, own in shares.items()
            for at, group in enumerate(groups)
            if (observed := [own[question] for question in group if question in own])
        ]
    spec = _cells(most)
    each = "" if questions <= _MOST_COLUMNS else f", about {-(-questions // most)} to a column"
    below = [
        f"{counted(questions, 'question')}{each}, the easiest for all systems first",
        "Observed shares, without intervals. White: no trials",
    ]
    body = vega.facets(spec, list(tasks))
    return vega.compose(vega.with_task("Right trials by question", tasks), below, rows, body)


def _cells(columns: int) -> Spec:
    wide = min(max(6 * columns, 300), 860)
    axis = {"labels": False, "ticks": False, "domain": False}
    x = {"field": "x", "type": "ordinal", "title": "questions, easiest first", "axis": axis}
    colour = vega.quantitative(
        "value",
        "share right",
        scale={"scheme": "cividis", "domain": [0, 1]},
        legend={"format": "%"},
    )
    tooltip = vega.tooltips(name="system", question="question", value="share right")
    return {
        "width": wide,
        "height": {"step": vega.STEP},
        "mark": {"type": "rect"},
        "encoding": {"x": x, "y": vega.NAMES_DOWN, "color": colour, "tooltip": tooltip},
    }


def _by_difficulty(shares: Shares) -> list[list[str]]:
    """Return questions from the easiest to the hardest over all systems, grouped into columns."""
    seen: dict[str, list[float]] = {}
    for own in shares.values():
        for question, share in own.items():
            seen.setdefault(question, []).append(share)
    order = sorted(seen, key=lambda question: (-float(np.mean(seen[question])), question))
    each = -(-len(order) // _MOST_COLUMNS)
    return [order[at : at + each] for at in range(0, len(order), each)]


def difficulty_edges(trials: Integers) -> Array:
    """Return edges of bins that are centred on the possible shares of right trials."""
    sizes = np.unique(trials[trials > 0])
    if not sizes.size:
        raise InputError("no question has a trial; there is no difficulty to draw.")
    parts = min(int(sizes[0]), _MOST_BINS) if sizes.size == 1 else _MOST_BINS
    return (np.arange(parts + 2) - 0.5) / parts


def difficulty_picture(
    observed: Mapping[Subject, Array], learned: Mapping[Subject, Array], level: float
) -> Picture:
    """Draw shares of questions by success rate, observed and expected under the model.

    `observed` has a share per bin, `learned` a row of shares per posterior draw.
    """
    tasks = {of.task for of in observed}
    names = {of: str(of) if len(tasks) > 1 else of.system for of in observed}
    short = vega.short_names(names.values())
    rows: list[Datum] = []
    for of, shares in observed.items():
        draws, parts = learned[of], shares.size - 1
        low, high = outer_quantiles(draws, draws, level)
        rows += [
            {
                "panel": short[names[of]],
                "x": at / parts,
                "left": (at - 0.44) / parts,
                "right": (at + 0.44) / parts,
                "share": float(shares[at]),
                "value": float(draws[:, at].mean()),
                "low": float(low[at]),
                "high": float(high[at]),
            }
            for at in range(parts + 1)
        ]
    below = [
        *vega.coverage_notes([("", Interval(0.0, 1.0, level, Estimand.POPULATION))]),
        "Bars: observed. Points: expected under the difficulty model",
    ]
    spec = _histogram()
    labels = [short[name] for name in names.values()]
    title = vega.with_task("Distribution of difficulty", tasks)
    if len(labels) == 1:
        title = vega.with_task(title, labels)
    return vega.compose(title, below, rows, vega.facets(spec, labels, columns=2))


def _histogram() -> Spec:
    ticks: Sequence[float] = [0, 0.2, 0.4, 0.6, 0.8, 1]
    x = vega.quantitative(
        "left", "success rate of a question", axis={"values": ticks, "grid": False}
    )
    x["scale"] = {"domain": [-0.08, 1.08], "nice": False}
    y = vega.quantitative("share", "share of questions", scale={"zero": True, "nice": True})
    tooltip = vega.tooltips(
        x="success rate", share="observed", value="learned", low="from", high="to"
    )
    return {
        "width": vega.WIDTH,
        "height": 200,
        "layer": [
            {
                "mark": {"type": "rect", "color": vega.COLOURS[5], "opacity": 0.55},
                "encoding": {
                    "x": x,
                    "x2": {"field": "right"},
                    "y": y,
                    "y2": {"datum": 0},
                    "tooltip": tooltip,
                },
            },
            {
                "mark": {"type": "rule", "color": vega.INK, "strokeWidth": 1.5},
                "encoding": {
                    "x": {**x, "field": "x"},
                    "y": {**y, "field": "low"},
                    "y2": {"field": "high"},
                    "tooltip": tooltip,
                },
            },
            {
                "mark": {
                    "type": "point",
                    "filled": True,
                    "size": 45,
                    "color": vega.INK,
                    "opacity": 1,
                },
                "encoding": {"x": {**x, "field": "x"}, "y": {**y, "field": "value"}},
            },
        ],
    }


def items_picture(found: Items) -> Picture:
    """Draw a Wright map: a histogram of difficulties, and a mark for the ability of each system."""
    tasks = [task.task for task in found.tasks]
    rows: list[Datum] = [
        {"panel": row.task, "difficulty": row.value, "name": row.question} for row in found
    ]
    rows += [{"panel": row.task, "ability": row.value, "name": row.system} for row in found.systems]
    body = vega.facets({"layer": _scales(), "width": vega.WIDTH, "height": _MAP_HEIGHT}, tasks)
    below = ["Bars: questions by difficulty. Marks: systems by ability. Both in logits"]
    return vega.compose(vega.with_task("Questions and systems", set(tasks)), below, rows, body)


def _scales() -> list[Spec]:
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


# From dark to light, so that they differ in grey print.
_KINDS = {"right": "#08519c", "other score": "#56a0ce", "wrong": "#c6dbef", "no result": "#ffffff"}


def data_picture(found: Inspection) -> Picture:
    """Draw a bar per system and task, with its rows by status."""
    tasks = {part.key[1] for part in found.slices}
    names = [
        " · ".join(filter(None, part.key[: 1 + (len(tasks) > 1)])) or "all rows"
        for part in found.slices
    ]
    short = vega.short_names(names)
    rows = [
        {"label": short[name], "name": name, "kind": kind, "place": at, "rows": rows}
        for name, part in zip(names, found.slices, strict=True)
        for at, (kind, rows) in enumerate(_rows_by_status(part).items())
    ]
    kinds = [kind for kind in _KINDS if any(row["rows"] for row in rows if row["kind"] == kind)]
    scale = {"domain": kinds, "range": [_KINDS[kind] for kind in kinds]}
    spec = {
        "width": vega.WIDTH,
        "height": {"step": vega.STEP},
        "mark": {"type": "bar", "stroke": "#666666", "strokeWidth": 0.5},
        "encoding": {
            "y": vega.NAMES_DOWN,
            "x": vega.quantitative(
                "rows", "rows", axis={"grid": True, "tickMinStep": 1, "format": ",d"}
            ),
            "color": {
                "field": "kind",
                "type": "nominal",
                "scale": scale,
                "legend": {"title": None, "symbolType": "square"},
            },
            "order": {"field": "place", "type": "quantitative"},
            "tooltip": vega.tooltips(name="system", kind="status", rows="rows"),
        },
    }
    below = [found.summary(), "Counts of rows; counts have no interval"]
    return vega.compose(vega.with_task("Contents of the data", tasks), below, rows, spec)


def _rows_by_status(part: Slice) -> dict[str, int]:
    right, other, scored = (
        int(rows @ part.questions) for rows in (part.right, part.other, part.scored)
    )
    return {
        "right": right,
        "other score": other,
        "wrong": scored - right - other,
        "no result": part.failed + part.ungraded,
    }
