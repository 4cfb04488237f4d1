"""`errbar noise`: how much of the uncertainty comes from questions, and how much from trials."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import click

from errbar.cli import options
from errbar.cli.help import command_on_paths
from errbar.cli.io import shows_result
from errbar.cli.options import Keywords, bundle

if TYPE_CHECKING:
    from errbar.results.noise import NoiseTable
    from errbar.runs import Runs

_DESIGN = re.compile(r"(\d+)[x×](\d+)")


def _designs(
    _: click.Context, __: click.Parameter, texts: Sequence[str]
) -> tuple[tuple[int, int], ...]:
    """Read designs such as 200x4."""
    designs = []
    for text in texts:
        match = _DESIGN.fullmatch(text.replace(" ", ""))
        if match is None or "0" in match.groups():
            raise click.BadParameter(f"{text!r} must be QUESTIONSxTRIALS, as in 200x4.")
        designs.append((int(match[1]), int(match[2])))
    return tuple(designs)


@dataclass(frozen=True, kw_only=True)
class NoiseOptions(Keywords):
    """The sources to tell apart: keywords of `Runs.noise`."""

    by: tuple[str, ...]
    systems: tuple[str, ...]
    baseline: str | None
    designs: tuple[tuple[int, int], ...]
    errors: Literal["fail", "missing"]
    bounds: tuple[float, float] | None
    level: float
    rng: int


NOISE = bundle(
    "apart",
    NoiseOptions,
    click.option(
        "--by",
        multiple=True,
        metavar="COLUMN",
        help="A column whose values may add noise, as in judge, prompt or run; may be repeated.",
    ),
    options.SYSTEMS,
    options.BASELINE,
    click.option(
        "--design",
        "designs",
        multiple=True,
        metavar="QUESTIONSxTRIALS",
        callback=_designs,
        help="Also predict the standard error of this design, as in 200x4; may be repeated.",
    ),
    options.ERRORS,
    options.BOUNDS,
    options.LEVEL,
    options.SEED,
)


@command_on_paths
@NOISE
@shows_result
def noise(runs: "Runs", apart: NoiseOptions) -> "NoiseTable":
    """Show where the uncertainty of the scores at PATHS comes from.

    It shows how much of the uncertainty of each score and difference comes from the choice of
    questions, how much from trial noise, and what more questions or trials would change.

    \b
    Examples:
      errbar noise logs/
      errbar noise logs/ --baseline small --design 200x2
    """
    return runs.noise(**apart.keywords())
