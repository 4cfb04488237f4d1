"""Coverage as a picture: a row per metric and trials, a column per difficulty and questions.

The picture is SVG, written as text. Cells of one colour are one path, which keeps it small.
"""

from collections.abc import Sequence

from benchmarks.coverage.difficulties import DIFFICULTIES
from benchmarks.coverage.grid import FAMILIES
from benchmarks.coverage.methods import METHODS
from benchmarks.coverage.tables import Cell

# Red is too seldom, blue more often than asked; told apart by the colour-blind too (RdBu).
COLOURS = (
    (0.0, "#67001f", "below 50"),
    (0.5, "#b2182b", "50 to 80"),
    (0.8, "#d6604d", "80 to 90"),
    (0.9, "#f4a582", "90 to 92.5"),
    (0.925, "#fddbc7", "92.5 to 94"),
    (0.94, "#f7f7f7", "94 to 96"),
    (0.96, "#d1e5f0", "96 to 97.5"),
    (0.975, "#92c5de", "97.5 to 99"),
    (0.99, "#4393c3", "99 and more"),
)
_TITLES = {
    "errbar": "errbar",
    "posterior": "documented posterior",
    "clt": "central limit theorem",
    "bootstrap": "percentile bootstrap",
}
_SIDE, _GAP, _BETWEEN = 10, 3, 24  # of a cell, between difficulties or metrics, between methods
_LEFT, _TOP, _BOTTOM, _EDGE = 118, 122, 64, 12
_EPSILON = 1e-9  # 0.925 in floats may lie on either side of itself


def picture(every: Sequence[Cell], estimand: str, note: str) -> str:
    """The picture of one target, all methods side by side."""
    mine = [cell for cell in every if cell.estimand == estimand]
    rows = _rows(mine)
    sizes = sorted({cell.unit.questions for cell in mine})
    block = len(DIFFICULTIES) * (len(sizes) * _SIDE + _GAP) - _GAP
    bottom = _TOP + rows[-1][2] + _SIDE
    width = _LEFT + len(METHODS) * (block + _BETWEEN) - _BETWEEN + _EDGE
    height = bottom + _BOTTOM
    down = {place: y for place, _, y in rows}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="sans-serif" font-size="10">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="{_EDGE}" y="24" font-size="16">Coverage of 95 % intervals, {estimand}</text>',
        f'<text x="{_EDGE}" y="42" fill="#444444">{note}</text>',
        *_row_labels(rows),
    ]
    for at, method in enumerate(METHODS):
        left = _LEFT + at * (block + _BETWEEN)
        parts += _column_labels(method, left, sizes)
        parts += _squares(mine, method, left, sizes, down)
    parts += [*_legend(bottom + 28), "</svg>"]
    return "\n".join(parts) + "\n"


def colour(covered: float) -> str:
    """The colour of a share."""
    return [name for least, name, _ in COLOURS if covered >= least - _EPSILON][-1]


def _rows(mine: Sequence[Cell]) -> list[tuple[tuple[str, int, int], str, int]]:
    """Metric, trials and k; what is said of it; how far down it is."""
    places = {(cell.family, cell.unit.trials, cell.k) for cell in mine}
    found, y, last = [], 0, ""
    for place in sorted(places, key=lambda one: (FAMILIES.index(one[0]), one[1], -one[2])):
        family, trials, k = place
        y += _GAP if last and family != last else 0
        last = family
        name = f"N {trials}" if family == "avg" else f"N {trials}, k {k}"
        found.append((place, name, y))
        y += _SIDE
    return found


def _row_labels(rows: list[tuple[tuple[str, int, int], str, int]]) -> list[str]:
    parts, named = [], set()
    for (family, _, _), name, y in rows:
        base = _TOP + y + _SIDE - 2
        if family not in named:
            parts.append(f'<text x="{_EDGE}" y="{base}" font-weight="bold">{family}</text>')
            named.add(family)
        parts.append(f'<text x="{_LEFT - 5}" y="{base}" {_END} font-size="8">{name}</text>')
    return parts


_END = 'text-anchor="end"'


def _column_labels(method: str, left: int, sizes: Sequence[int]) -> list[str]:
    title = f'<text x="{left}" y="64" font-size="13" font-weight="bold">{_TITLES[method]}</text>'
    parts = [title]
    for at, name in enumerate(DIFFICULTIES):
        x = left + at * (len(sizes) * _SIDE + _GAP)
        parts.append(f'<text x="{x}" y="80" font-size="8">{name}</text>')
        for place, size in enumerate(sizes):
            turned = f"translate({x + place * _SIDE + _SIDE - 2} {_TOP - 4}) rotate(-90)"
            parts.append(f'<text transform="{turned}" font-size="8">{size}</text>')
    return parts


def _squares(
    mine: Sequence[Cell],
    method: str,
    left: int,
    sizes: Sequence[int],
    down: dict[tuple[str, int, int], int],
) -> list[str]:
    """One path for each colour."""
    paths: dict[str, list[str]] = {}
    names = list(DIFFICULTIES)
    for cell in mine:
        x = left + names.index(cell.unit.difficulty) * (len(sizes) * _SIDE + _GAP)
        x += sizes.index(cell.unit.questions) * _SIDE
        y = _TOP + down[cell.family, cell.unit.trials, cell.k]
        filled = colour(cell.by_method[method].covered)
        paths.setdefault(filled, []).append(f"M{x} {y}h{_SIDE}v{_SIDE}h-{_SIDE}z")
    return [
        f'<path fill="{filled}" stroke="#ffffff" stroke-width="0.5" d="{"".join(squares)}"/>'
        for filled, squares in sorted(paths.items())
    ]


def _legend(y: int) -> list[str]:
    parts = [f'<text x="{_LEFT}" y="{y + 11}">per cent that hold:</text>']
    for at, (_, name, words) in enumerate(COLOURS):
        x = _LEFT + 110 + at * 92
        parts.append(
            f'<rect x="{x}" y="{y}" width="14" height="14" fill="{name}" stroke="#999999"/>'
            f'<text x="{x + 19}" y="{y + 11}">{words}</text>'
        )
    return parts
