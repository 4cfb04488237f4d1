"""Panels of the report that are drawn without a script.

They show quality against cost, shares of noise, and the agreement of a judge with its labels.
Positions are percents of the width and the height of a panel, from its lower left corner.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from errbar.base.tables import interval_cells
from errbar.results.base import Measurement
from errbar.results.costs import CostRow, Costs
from errbar.results.judges import AgreementRow, RaterAgreement
from errbar.results.noise import NoiseRow, NoiseTable
from errbar.results.pictures.forest import Axis

_DECADE = 10.0  # costs that are farther apart have a logarithmic axis
_MOST_TICKS = 6
_LONGEST = 22  # letters of a name beside its point
_LETTER, _LINE = 2.3, 8.0  # size of a letter and of a line, on the narrowest panel
_SIDES = ("right", "left", "right low", "left low")  # of a point, where its name may stand
_ASIDE = 3.0  # from a point to its name
_FAR_END = 104.0  # names may reach over the end of the axis


@dataclass(frozen=True)
class LogAxis(Axis):
    """An axis of costs that differ by more than a decade."""

    @classmethod
    def of(cls, numbers: Iterable[float]) -> "LogAxis":
        """Return an axis whose ticks are 1, 2 and 5 times powers of ten, or such powers only.

        Examples
        --------
        >>> LogAxis.of([0.0031, 0.02]).ticks
        (0.002, 0.005, 0.01, 0.02)
        """
        known = [number for number in numbers if 0.0 < number < math.inf]
        low, high = min(known), max(known)
        for parts in ((1, 2, 5), (1,)):
            steps = [
                float(f"{part}e{power}")
                for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
                for part in parts
            ]
            first = max((at for at, step in enumerate(steps) if step <= low), default=0)
            last = next((at for at, step in enumerate(steps) if step >= high), len(steps) - 1)
            ticks = tuple(steps[first : max(last, first + 1) + 1])
            if len(ticks) <= _MOST_TICKS:
                break
        return cls(ticks)

    def at(self, number: float) -> float:
        """Return a position in percent; 0 for what is not on the axis."""
        first, last = math.log(self.ticks[0]), math.log(self.ticks[-1])
        if number <= 0.0:
            return 0.0
        return round(100.0 * (math.log(number) - first) / (last - first), 2)


@dataclass(frozen=True)
class Mark:
    """A number of a system with its interval, as text and as places on an axis."""

    system: str
    cell: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Spot:
    """A system as a point in the plane of cost and quality."""

    system: str
    x: tuple[float, float, float]  # value, low, high
    y: tuple[float, float, float]
    tooltip: str
    name: str  # beside the point, if there is room
    side: str  # side of the point where the name is placed


@dataclass(frozen=True, kw_only=True)
class CostPanel:
    """Quality against cost on a task, and the cost of a success."""

    task: str
    across: Axis
    up: Axis
    spots: tuple[Spot, ...]
    front: tuple[tuple[float, float], ...]  # corners of the line along the Pareto front
    axis: Axis
    successes: tuple[Mark, ...]


def cost_panels(costs: Costs, order: Sequence[str]) -> list[CostPanel]:
    """Return a panel per task, with systems in the given order."""
    tasks = dict.fromkeys(row.of.task for row in costs)
    return [
        _cost_panel(
            task, sorted(_costs_of_task(costs, task), key=lambda row: order.index(row.of.system))
        )
        for task in tasks
    ]


def _costs_of_task(costs: Costs, task: str) -> list[CostRow]:
    return [row for row in costs if row.of.task == task]


def _cost_panel(task: str, rows: Sequence[CostRow]) -> CostPanel:
    costs = [row.cost.value for row in rows]
    is_wide = min(costs) > 0.0 and max(costs) > _DECADE * min(costs)
    across = (LogAxis if is_wide else Axis).of(_ends(row.cost for row in rows))
    up = Axis.of(_ends(row.quality for row in rows))
    best = _front(rows)
    cells = list(
        zip(
            interval_cells(row.quality.cell for row in rows),
            interval_cells((row.cost.cell for row in rows), are_scores=False),
            strict=True,
        )
    )
    spots: list[Spot] = []
    for row in sorted(rows, key=lambda row: row not in best):  # names of the front come first
        quality, cost = cells[rows.index(row)]
        tooltip = f"{row.of.system}\navg {quality.strip()}\n{cost.strip()} per trial"
        x, y = _places(across, row.cost), _places(up, row.quality)
        name, side = _name_and_side(row.of.system, x[0], y[0], spots)
        spots.append(Spot(system=row.of.system, x=x, y=y, tooltip=tooltip, name=name, side=side))
    successes = interval_cells((row.per_success.cell for row in rows), are_scores=False)
    return CostPanel(
        task=task,
        across=across,
        up=up,
        spots=tuple(spots),
        front=tuple((_places(across, row.cost)[0], _places(up, row.quality)[0]) for row in best),
        axis=Axis.of([0.0, *_ends(row.per_success for row in rows)]),
        successes=tuple(
            Mark(row.of.system, cell, *_three(row.per_success))
            for row, cell in zip(rows, successes, strict=True)
        ),
    )


def _three(number: Measurement) -> tuple[float, float, float]:
    return number.value, number.low, number.high


def _ends(numbers: Iterable[Measurement]) -> list[float]:
    return [end for number in numbers for end in _three(number)]


def _places(axis: Axis, number: Measurement) -> tuple[float, float, float]:
    """Return the places of a number and of its ends; an end that is not known is the number."""
    ends = (number.value if math.isnan(end) else end for end in (number.low, number.high))
    value, low, high = (_clip_to_panel(axis.at(end)) for end in (number.value, *ends))
    return value, low, high


def _clip_to_panel(place: float) -> float:
    return min(max(place, 0.0), 100.0)


def _front(rows: Iterable[CostRow]) -> list[CostRow]:
    """Systems on the Pareto front, the cheapest first."""
    front: list[CostRow] = []
    for row in sorted(rows, key=lambda row: (row.cost.value, -row.quality.value)):
        if not front or row.quality.value > front[-1].quality.value:
            front.append(row)
    return front


def _name_and_side(system: str, x: float, y: float, others: Sequence[Spot]) -> tuple[str, str]:
    """Return the name of a system and its side of the point, or nothing where there is no room."""
    last = system.rpartition("/")[2] or system
    half = _LONGEST // 2
    name = last if len(last) <= _LONGEST else f"{last[: half - 1]}…{last[-half:]}"
    for side in _SIDES:
        left, right, _ = box = _box(x, y, name, side)
        if left >= 0.0 and right <= _FAR_END and not any(_meets(box, other) for other in others):
            return name, side
    return "", ""


def _box(x: float, y: float, name: str, side: str) -> tuple[float, float, float]:
    """Return the ends of a name beside a point, and its height."""
    wide = _ASIDE + _LETTER * len(name)
    left = x - wide if side.startswith("left") else x
    return left, left + wide, y - _LINE if side.endswith("low") else y + 0.75 * _LINE


def _meets(box: tuple[float, float, float], other: Spot) -> bool:
    """Whether a name would cover another, or a point."""
    (x, *_), (y, *_) = other.x, other.y
    named = [_box(x, y, other.name, other.side)] if other.name else []
    return any(
        abs(high - box[2]) < room and box[0] < right and left < box[1]
        for left, right, high, room in (
            (x - _ASIDE, x + _ASIDE, y, 0.75 * _LINE),
            *((*place, _LINE) for place in named),
        )
    )


@dataclass(frozen=True)
class NoiseBar:
    """The shares of the sources of noise of a system or difference, and its standard error."""

    system: str
    against: str
    parts: tuple[tuple[str, float], ...]  # a source, and its share of the variance in percent
    tooltip: str
    errors: tuple[float, float, float]  # as it is, with twice the trials, with twice the questions


def noise_bars(noise: NoiseTable, order: Sequence[str]) -> dict[str, list[NoiseBar]]:
    """Return the bars of every task, the systems first, then their differences.

    Systems are in the given order, in a difference too: its noise has no sign.
    """
    place = {system: at for at, system in enumerate(order)}

    def ordered(row: NoiseRow) -> NoiseRow:
        if not row.against or place[row.of.system] < place[row.against]:
            return row
        return replace(row, of=replace(row.of, system=row.against), against=row.of.system)

    def key(row: NoiseRow) -> tuple[bool, int, int]:
        return bool(row.against), place[row.of.system], place.get(row.against, 0)

    bars: dict[str, list[NoiseBar]] = {}
    for row in sorted(map(ordered, noise), key=key):
        bars.setdefault(row.of.task, []).append(_noise_bar(row))
    return bars


def _noise_bar(row: NoiseRow) -> NoiseBar:
    shares = [100.0 * source.share.value for source in row.sources]
    known = not any(map(math.isnan, shares))
    tooltip = [
        f"{source.name} {share:.0f}%" for source, share in zip(row.sources, shares, strict=True)
    ]
    return NoiseBar(
        row.of.system,
        row.against,
        tuple((source.name, share) for source, share in zip(row.sources, shares, strict=True))
        if known
        else (),
        "\n".join([row.who, *tooltip] if known else [row.who, "no noise"]),
        (
            row.se,
            row.se_with(row.questions, 2.0 * row.trials),
            row.se_with(2.0 * row.questions, row.trials),
        ),
    )


@dataclass(frozen=True, kw_only=True)
class AgreementPanels:
    """A judge beside its labels: coefficients, biases by group, and what it says of each label."""

    coefficients: tuple[Mark, ...]
    scale: Axis  # axis of the coefficients
    biases: dict[str, tuple[Mark, ...]]  # biases by column; the first is over all answers
    axis: Axis  # axis of the biases
    judgements: tuple[str, ...]  # categories that the judge uses
    confusion: tuple[tuple[str, str, tuple[Mark, ...]], ...]  # a label, its answers, the judgements


def agreement_panels(found: RaterAgreement, order: Sequence[str]) -> AgreementPanels:
    """Return the panels of a judge, with systems in the given order."""
    place = {system: at for at, system in enumerate(order)}
    parts: dict[str, list[AgreementRow]] = {}
    for row in found:
        parts.setdefault(row.about, []).append(row)
    bias = parts.get("bias", [])
    by = {
        about.removeprefix("bias by "): sorted(rows, key=lambda row: place.get(row.of[0], 0))
        for about, rows in parts.items()
        if about.startswith("bias by ")
    }
    biases = {
        column: _marks(
            [*bias, *rows],
            ["all answers", *(row.of[0] for row in rows)],
        )
        for column, rows in (by or {"": []}).items()
    }
    confusion: dict[str, list[AgreementRow]] = {}
    for row in parts.get("confusion", []):
        confusion.setdefault(row.of[0], []).append(row)
    coefficients = parts.get("agreement", [])
    drawn = [*bias, *(row for rows in by.values() for row in rows)]
    return AgreementPanels(
        coefficients=_marks(coefficients, [row.measure for row in coefficients]),
        scale=Axis.of([0.0, 1.0, *_known_ends(coefficients)]),
        biases=biases,
        axis=Axis.of([0.0, *_known_ends(drawn)]),
        judgements=tuple(dict.fromkeys(row.of[1] for row in parts.get("confusion", []))),
        confusion=tuple(
            (label, f"{rows[0].items:,}", _marks(rows, [row.of[1] for row in rows]))
            for label, rows in confusion.items()
        ),
    )


def _marks(rows: Sequence[AgreementRow], names: Sequence[str]) -> tuple[Mark, ...]:
    cells = interval_cells((row.value, row.low, row.high, row.sd) for row in rows)
    return tuple(
        Mark(name, cell, row.value, row.low, row.high)
        for name, cell, row in zip(names, cells, rows, strict=True)
    )


def _known_ends(rows: Iterable[AgreementRow]) -> list[float]:
    """Return values and ends; a coefficient is nan where chance alone makes raters agree."""
    ends = (end for row in rows for end in (row.value, row.low, row.high))
    return [end for end in ends if math.isfinite(end)]
