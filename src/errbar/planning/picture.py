"""Power over questions as a picture: a line for each number of trials. SVG, written as text."""

from html import escape
from itertools import groupby

from errbar.planning.result import Plan

_WIDTH, _HEIGHT, _LEFT, _TOP, _SIDE, _BELOW = 720, 460, 64, 72, 130, 56
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")  # told apart by the colour-blind (Okabe)
_GREY = "#666666"


def picture(plan: Plan) -> str:
    """Power against questions for the best row's trials and a few others."""
    lines = {
        trials: [(one["questions"], one["power"]) for one in points]
        for trials, points in groupby(plan.curve(), key=lambda one: int(one["trials"]))
    }
    most = _rounded(max(x for points in lines.values() for x, _ in points))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'width="{_WIDTH}" height="{_HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
        *_caption(plan),
        *_axes(most),
        *_target(plan),
    ]
    for points, colour in zip(lines.values(), _COLOURS, strict=False):
        way = " ".join(f"{_x(x, most):.1f},{_y(y):.1f}" for x, y in points)
        parts.append(f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="1.8"/>')
    parts += _legend(plan, list(lines))
    best = plan.best
    parts.append(
        f'<circle cx="{_x(best.questions, most):.1f}" cy="{_y(best.power):.1f}" r="4.5" '
        f'fill="#000000"/>'
    )
    return "\n".join([*parts, "</svg>"])


def _x(questions: float, most: float) -> float:
    return _LEFT + (_WIDTH - _LEFT - _SIDE) * questions / most


def _y(power: float) -> float:
    return _HEIGHT - _BELOW - (_HEIGHT - _TOP - _BELOW) * power


def _caption(plan: Plan) -> list[str]:
    first, *_ = plan.notes()
    asked, _, test = first.partition(": ")
    lines = [asked, *([test] if test else [])]
    return [
        f'<text x="16" y="{24 + 18 * at}" font-size="{14 - 2 * at}">{escape(line)}</text>'
        for at, line in enumerate(lines)
    ]


def _axes(most: float) -> list[str]:
    parts = []
    for at in range(6):
        share, x = at / 5, _x(most * at / 5, most)
        parts += [
            f'<line x1="{_LEFT}" x2="{_WIDTH - _SIDE}" y1="{_y(share):.1f}" y2="{_y(share):.1f}" '
            f'stroke="#dddddd"/>',
            f'<text x="{_LEFT - 8}" y="{_y(share) + 4:.1f}" text-anchor="end">{20 * at} %</text>',
            f'<text x="{x:.1f}" y="{_y(0) + 18:.1f}" text-anchor="middle">{most * at / 5:,.0f}'
            f"</text>",
        ]
    middle = 0.5 * (_LEFT + _WIDTH - _SIDE)
    turned = f"translate(18 {0.5 * (_y(0) + _y(1)):.0f}) rotate(-90)"
    return [
        *parts,
        f'<text x="{middle:.0f}" y="{_HEIGHT - 14}" text-anchor="middle">questions</text>',
        f'<text transform="{turned}" text-anchor="middle">power</text>',
    ]


def _target(plan: Plan) -> list[str]:
    y = _y(plan.target)
    return [
        f'<line x1="{_LEFT}" x2="{_WIDTH - _SIDE}" y1="{y:.1f}" y2="{y:.1f}" stroke="{_GREY}" '
        f'stroke-dasharray="5 4"/>'
    ]


def _legend(plan: Plan, trials: list[int]) -> list[str]:
    left = _WIDTH - _SIDE + 14
    parts = [f'<text x="{left}" y="{_TOP + 4}" fill="{_GREY}">trials per question</text>']
    for at, number in enumerate(trials):
        y = _TOP + 24 + 18 * at
        mark = " (best)" if number == plan.best.trials else ""
        parts += [
            f'<line x1="{left}" x2="{left + 20}" y1="{y}" y2="{y}" stroke="{_COLOURS[at]}" '
            f'stroke-width="2.5"/>',
            f'<text x="{left + 27}" y="{y + 4}">{number}{mark}</text>',
        ]
    return parts


def _rounded(most: float) -> float:
    """The next number whose fifths are easy to read."""
    step = 1.0
    while True:
        for times in (5, 10, 15, 20, 25, 30, 40):
            if times * step >= most:
                return times * step
        step *= 10.0
