"""The page of a report: its template with the contents, their colours and their notes.

Text from the logs is escaped by the template, and inserted as text by the script. The content
security policy of the page allows its own script only, by its digest.
"""

import base64
import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from errbar.base.markup import printable_json
from errbar.base.remarks import Caution, OnCommon, above, below, counted, marked, merge_remarks
from errbar.base.tables import interval_cells, interval_title, percent, score_text
from errbar.page.contents import Contents
from errbar.page.panels import agreement_panels, cost_panels, noise_bars
from errbar.page.templates import packaged, template_of
from errbar.results.comparison import Comparison
from errbar.results.estimate import BandPoint, Estimate
from errbar.results.judges import CorrectedEstimate
from errbar.results.pictures.forest import Axis
from errbar.results.pictures.picture import in_script
from errbar.results.pictures.vega import with_interval
from errbar.results.scaling import Scaling

_PALETTE, _GOLDEN_ANGLE = 10, 137.5  # colours by hand; the hues of further ones, in degrees
_METHOD = "Method: "
_MOST_PAIRS = 60  # comparisons that are drawn
_MOST_KINDS = 6  # ratings whose confusion is drawn
_MOST_ROWS = 1000  # of a folded table: a page opens in a second, and prints
_MOST_NAMED = 6  # systems in a sentence
_MOST_BESIDE = 18  # letters of a name with its numbers beside it, in a third of the page
_SMALLEST_SHARE = 0.1  # of an axis that panels share
_AXES = {
    "risk": ("coverage", "risk"),
    "roc": ("false positive rate", "true positive rate"),
    "calibration": ("confidence", "share right"),
}


def render(contents: Contents) -> str:
    """Return the page as HTML."""
    template = template_of("page.html")
    script, colours, curves = packaged("page.js"), _colours(contents), _curves(contents)
    text: str = template.render(
        contents=contents,
        axis_of=Axis.of,
        most_kinds=_MOST_KINDS,
        axes=_axes,
        first_pairs=partial(_first_pairs, order=list(colours)),
        most_rows=_MOST_ROWS,
        most_beside=_MOST_BESIDE,
        interval_cells=_interval_cells,
        lead_cells=_lead_cells,
        steps_by_k=partial(_steps_by_k, order=list(colours)),
        cost_panels=partial(cost_panels, order=list(colours)),
        noise_bars=partial(noise_bars, order=list(colours)),
        agreement_panels=partial(agreement_panels, order=list(colours)),
        meaning=_meaning(contents),
        corrected=_correction_sentence(contents),
        colours=colours,
        grouped=partial(_group, order=list(colours)),
        same_questions=_same_questions(contents),
        shared=_common_questions(contents),
        repeated=_most_in_a_panel(curves),
        covers=contents.settings.estimand.words,
        level=percent(contents.settings.level),
        interval=interval_title(contents.settings.level),
        notes=_notes(contents),
        title=contents.title,
        version=contents.versions["errbar"],
        style=packaged("page.css"),
        script=script,
        digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        data=embedded(_by_column(contents.record())),
        looks=embedded({"colours": colours, "curves": curves}),
    )
    return text


def _common_questions(contents: Contents) -> str:
    """Return the number of questions that ranks are based on, in words."""
    board = contents.result("ranks")
    if board is None:
        return ""
    questions = counted(board.questions, "question")
    if _same_questions(contents):
        return f"the same {questions} for every system"
    every = "both systems" if len(board) == 2 else f"all {len(board)} ranked systems"
    return f"the {questions} that {every} have"


def _interval_cells(rows: Iterable[Estimate]) -> list[str]:
    """Return scores with intervals, to the same decimals if the data support about as many."""
    return interval_cells((row.value, row.low, row.high, row.sd) for row in rows)


def _axes(groups: dict[tuple[str, str], list[Any]]) -> dict[tuple[str, str], Axis]:
    """Return the axis of each group: that of its metric, so that the panels of all tasks compare.

    Where a task would shrink to a corner of it, each group of the metric has its own axis.
    """
    ends = {
        key: [x for row in rows for x in (row.low, row.high, row.value) if math.isfinite(x)]
        for key, rows in groups.items()
    }
    axes: dict[tuple[str, str], Axis] = {}
    for metric in {metric for _, metric in groups}:
        own = {key: reach for key, reach in ends.items() if key[1] == metric}
        together = [x for reach in own.values() for x in reach]
        least = min((max(reach) - min(reach) for reach in own.values() if reach), default=0.0)
        shared = together and least >= _SMALLEST_SHARE * (max(together) - min(together))
        axes |= {key: Axis.of(together if shared else reach) for key, reach in own.items()}
    return axes


def _steps_by_k(found: Scaling, order: Sequence[str]) -> dict[int, list[Any]]:
    """Return pass@k with more trials by k, with systems in the given order."""
    by_k = found.by_k()
    return {
        k: sorted(steps, key=lambda step: order.index(step[0].of.system))
        for k, steps in by_k.items()
    }


def _lead_cells(rows: Iterable[Comparison]) -> list[tuple[str, str]]:
    """Return the lead of each pair and the ends of its interval, as `_interval_cells`."""
    cells = interval_cells((*row.lead, row.sd) for row in rows)
    parts = (cell.strip().partition(" [") for cell in cells)
    return [(lead, ends.strip("] ").replace(", ", " to ")) for lead, _, ends in parts]


def _meaning(contents: Contents) -> str:
    """Return what the first metric measures, in a few words."""
    line = (type(contents.result("scores")[0].metric).__doc__ or "").strip().partition("\n")[0]
    return f"{line[:1].lower()}{line[1:].removesuffix('.')}"


def _correction_sentence(contents: Contents) -> str:
    """Return a sentence on the correction by labels, and on the scores by the judge alone."""
    scores = contents.result("scores")
    rows = [row for row in scores if isinstance(row, CorrectedEstimate)]
    if not rows:
        return ""
    first = [row for row in rows if row.metric == rows[0].metric and row.task == rows[0].task]
    named = [f"{row.system or 'the system'} {score_text(row.judge, row.sd)}" for row in first]
    few = f"; the judge alone gives {', '.join(named)}" if len(named) <= _MOST_NAMED else ""
    return f" Scores are corrected by trusted labels{few}."


def _first_pairs(pairs: Sequence[Comparison], order: Sequence[str]) -> list[Comparison]:
    """Return the comparisons to draw: all, or those of the best systems if there are too many."""
    if len(pairs) <= _MOST_PAIRS:
        return list(pairs)
    place = {system: at for at, system in enumerate(order)}
    ranked = sorted(pairs, key=lambda row: sorted((place[row.first], place[row.second])))
    return ranked[:_MOST_PAIRS]


def _same_questions(contents: Contents) -> bool:
    """Whether ranks rest on all questions of every ranked system."""
    board = contents.result("ranks")
    if board is None:
        return True
    sizes = {row.system: 0 for row in board}
    for row in contents.result("scores").only(metric=str(board.metric)):
        if row.system in sizes and row.task in board.tasks:
            sizes[row.system] += row.questions
    return set(sizes.values()) == {board.questions}


def _group(rows: Iterable[Any], order: Sequence[str]) -> dict[tuple[str, str], list[Any]]:
    """Return estimates or comparisons by task and metric, with systems in the given order.

    A group without a single number is left out; the table says why.
    """
    groups: dict[tuple[str, str], list[Any]] = {}
    for row in rows:
        groups.setdefault((row.task, str(row.metric)), []).append(row)
    place = {system: at for at, system in enumerate(order)}
    for group in groups.values():
        group.sort(key=lambda row: _place(row, place))
    return {key: group for key, group in groups.items() if any(map(_has_number, group))}


def _has_number(row: Any) -> bool:
    return isinstance(row, Comparison) or not math.isnan(row.value) or not math.isnan(row.low)


def _place(row: Any, place: dict[str, int]) -> tuple[int | bool, ...]:
    """Return the sort key of a row; comparisons are sorted by their verdict first."""
    if not isinstance(row, Comparison):
        return (place[row.system],)
    return not row.better, not row.probably_better, place[row.leader], place[row.trailer]


def _colours(contents: Contents) -> dict[str, str]:
    """Return the colour of each system as CSS, the best system first."""
    board = contents.result("ranks")
    names = [row.system for row in board or ()]
    names += [estimate.system for estimate in contents.result("scores")]
    colours = {}
    for at, name in enumerate(dict.fromkeys(names)):
        hue = round(at * _GOLDEN_ANGLE) % 360
        colours[name] = f"var(--s{at})" if at < _PALETTE else f"oklch(var(--tone) .11 {hue})"
    return colours


def _notes(contents: Contents) -> dict[str, list[str]]:
    """Return notes by section, each only where it first appears; `above` and `methods` gather.

    What labels say of a judge is gathered above, as on a terminal.
    """
    gathered = above if contents.result("agreement") is None else marked
    found: dict[str, list[str]] = {"above": [], "methods": []}
    seen = set(contents.warnings)
    board = contents.result("ranks")
    shown = OnCommon if board is not None and board.left_out else ()  # by the leaderboard
    data = contents.result("quality")
    checks = {str(agreement) for agreement in data.agreements}
    for section in sorted(contents.sections, key=lambda part: part.result is not data):
        notes = [] if section.result is None else section.result.notes()
        found["above"] += [note for note in gathered(notes) if not isinstance(note, shown)]
        own = [note for note in below(notes) if note not in seen | checks]
        if gathered is marked:
            own = [note for note in own if not isinstance(note, Caution)]
        seen |= set(own)
        methods = [note for note in own if note.startswith(_METHOD)]
        found["methods"] += [f"{section.title}: {note.removeprefix(_METHOD)}" for note in methods]
        found[section.name] = merge_remarks(note for note in own if note not in methods)
    found["above"] = merge_remarks(found["above"])
    return {name: list(dict.fromkeys(notes)) for name, notes in found.items()}


def _most_in_a_panel(curves: list[dict[str, Any]]) -> int:
    """The most systems that share a panel of repeated trials: those of one task."""
    tasks = Counter(curve["task"] for curve in curves if curve["kind"] == "trials")
    return max(tasks.values(), default=0)


def _curves(contents: Contents) -> list[dict[str, Any]]:
    """Return the curves of each system: their points, with the numbers as text."""
    found: dict[tuple[str, str], dict[str, list[Any]]] = {}
    for name in ("curve-one", "curve-all"):
        for estimate in contents.result(name) or ():
            value, _, _, low, high = estimate.digits()
            text = f"{estimate.metric} {value} [{low}, {high}]"
            lines = found.setdefault((estimate.system, estimate.task), {})
            point = (estimate.metric.k, estimate.value, estimate.low, estimate.high, text)
            lines.setdefault(name, []).append(point)
    curves = [
        {
            "kind": "trials",
            "system": system,
            "task": task,
            "lines": [sorted(line) for line in lines.values()],
        }
        for (system, task), lines in found.items()
        if max(map(len, lines.values())) > 1  # a point is no curve
    ]
    curves += _histories(contents)
    for kind, bands in contents.bands.items():
        curves += [
            {
                "kind": kind,
                "system": band.of.system,
                "task": band.of.task,
                "lines": [[_band_point(point, *_AXES[kind]) for point in band.points]],
            }
            for band in bands
            if band.points
        ]
    return curves


def _histories(contents: Contents) -> list[dict[str, Any]]:
    """Return the scores of past runs, a curve per task and metric."""
    timeline = contents.result("history")
    if timeline is None:
        return []
    place = {run: at for at, run in enumerate(timeline.runs, start=1)}
    detected = {drift.task: drift.detected for drift in timeline.drifts if drift.detected}
    lines: dict[tuple[str, str], list[Any]] = {}
    for row in timeline.estimates:
        text = f"{row.system}: {row.metric} {_interval_cells([row])[0].strip()}"
        point = (place[row.system], row.value, row.low, row.high, text)
        lines.setdefault((row.task, str(row.metric)), []).append(point)
    return [
        {
            "kind": "runs",
            "system": "",
            "task": task,
            "title": metric,
            "names": timeline.runs,
            "marks": [(place[run], word) for run, word in [detected[task]]]
            if task in detected
            else [],
            "lines": [sorted(line)],
        }
        for (task, metric), line in lines.items()
    ]


def _band_point(point: BandPoint, across: str, up: str) -> tuple[Any, ...]:
    """Return a point of a curve, with its numbers as text."""
    interval = point.interval
    text = f"{up} {with_interval(point.value, math.nan, interval)} at {across} {point.x:.2g}"
    return round(point.x, 4), round(point.value, 4), interval.low, interval.high, text


def embedded(record: Any) -> str:
    """Return JSON that cannot close the script element that contains it."""
    text = json.dumps(_plain(record), ensure_ascii=False, separators=(",", ":"))
    return in_script(printable_json(text))


def _by_column(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record with the rows of its results as columns, a third of the size.

    A column with equal values is {"all": value}; a column of recurring texts is the list of these
    and the index of each row in it, {"of": texts, "at": places}. The script of the page expands it.
    """
    results = {
        name: {**result, "rows": _columns(_plain(result["rows"]))}
        for name, result in record["results"].items()
    }
    return {**record, "results": results}


def _columns(rows: list[dict[str, Any]]) -> Any:
    if len({tuple(row) for row in rows}) != 1:
        return rows
    columns: dict[str, Any] = {}
    for name in rows[0]:
        values = [row[name] for row in rows]
        if all(value == values[0] and type(value) is type(values[0]) for value in values):
            columns[name] = {"all": values[0]}
        elif all(isinstance(value, str) for value in values):
            place = {text: at for at, text in enumerate(dict.fromkeys(values))}
            columns[name] = {"of": list(place), "at": [place[value] for value in values]}
        else:
            columns[name] = values
    return {"size": len(rows), "columns": columns}


def _plain(value: Any) -> Any:
    """Return a copy of nested values, with null for numbers that are not finite."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return value
