"""Cells in which errbar is wider than the narrowest method that holds, and why.

A method that holds for one difficulty and fails for another, all else being equal, is narrow by
luck: the data do not say which of the two it is.
"""

from collections import defaultdict
from collections.abc import Iterable

from benchmarks.coverage.cells import NAMES, WIDEST, Cell, listed, of_target, percent
from benchmarks.coverage.methods import METHODS, OURS
from errbar.results.estimate import Estimand

_ONE_TRIAL = "one trial per question tells no luck from difficulty, so that both are covered"
_PRIOR_IS_TRUE = "its prior is the truth here"
_BY_LUCK = "narrow by luck: with another difficulty it falls short"
_CAREFUL = "errbar is more careful than it must be"


class Reasons:
    """Why cells are wide, from all cells of the study."""

    def __init__(self, every: Iterable[Cell]) -> None:
        self._alike: dict[tuple[object, ...], list[Cell]] = defaultdict(list)
        for cell in every:
            self._alike[_but_for_difficulty(cell)].append(cell)

    def worst(self, cell: Cell) -> tuple[float, str]:
        """How often the narrowest method holds at worst with any difficulty, and with which."""
        narrowest = cell.narrowest() or OURS
        alike = self._alike[_but_for_difficulty(cell)]
        return min((one.by_method[narrowest].covered, one.unit.difficulty) for one in alike)

    def of(self, cell: Cell) -> str:
        """Why errbar is wider there."""
        if cell.unit.trials == 1 and cell.estimand != Estimand.POPULATION.value:
            return _ONE_TRIAL
        if cell.narrowest() == "posterior" and cell.unit.difficulty == "uniform":
            return _PRIOR_IS_TRUE
        return _BY_LUCK if self.worst(cell)[0] < cell.floor else _CAREFUL


def section(every: Iterable[Cell], target: str) -> str:
    """How many there are for each reason, and the widest."""
    mine = of_target(every, target)
    reasons = Reasons(mine)
    wide = sorted((cell for cell in mine if cell.ratio() > WIDEST), key=lambda cell: -cell.ratio())
    title = f"### {target.capitalize()}: wider than {WIDEST} times the narrowest that holds\n\n"
    if not wide:
        return f"{title}None.\n"
    groups: dict[tuple[str, str], list[Cell]] = defaultdict(list)
    for cell in wide:
        groups[NAMES[cell.narrowest() or OURS], reasons.of(cell)].append(cell)
    counted = [
        f"| {name} | {reason} | {len(cells)} | "
        f"{percent(max(reasons.worst(cell)[0] for cell in cells))} |"
        for (name, reason), cells in sorted(groups.items(), key=lambda one: -len(one[1]))
    ]
    lines = []
    for cell in wide:
        each = [cell.by_method[method] for method in METHODS]
        said = [f"{percent(row.covered)}, {row.width:.4f}" for row in each]
        share, difficulty = reasons.worst(cell)
        said += [NAMES[cell.narrowest() or OURS], f"{percent(share)} ({difficulty})"]
        lines.append(f"| {cell.where} | {cell.ratio():.2f} | {' | '.join(said)} |")
    heads = ["cell", "width", *(NAMES[method] for method in METHODS), "narrowest", "at worst"]
    return "\n".join(
        [
            f"{title}At worst: how often the narrowest method holds with the worst of the seven "
            "difficulties, the metric, k, M and N being the same; for a group, the highest of "
            "these.\n",
            "| narrowest | why errbar is wider | cells | at worst |",
            "|---|---|--:|--:|",
            *counted,
            "",
            listed(lines, heads),
        ]
    )


def _but_for_difficulty(cell: Cell) -> tuple[object, ...]:
    return cell.estimand, cell.family, cell.k, cell.unit.questions, cell.unit.trials
