"""`errbar plan`: the number of questions and trials, from a pilot or an assumed difficulty."""

from dataclasses import dataclass
from typing import Literal

import click

import errbar
from errbar.cli import io, options
from errbar.cli.help import Subcommand
from errbar.cli.io import WriteOptions, paths_text, require_writable, runs_of, show
from errbar.cli.options import Keywords, Paths, ReadOptions, bundle, number
from errbar.cli.work import working


@dataclass(frozen=True, kw_only=True)
class PlanOptions(Keywords):
    """Options of the goal and the design, as keywords of `errbar.plan`."""

    difference: float | None
    width: float | None
    power: float
    level: float
    verdict: Literal["better", "probably better"]
    difficulty: str | None
    mean: float | None
    disagreement: float | None
    systems: tuple[str, ...]
    errors: Literal["fail", "missing"]
    questions: int | None
    budget: float | None
    trials: tuple[int, ...]
    max_trials: int | None
    question_cost: float
    trial_cost: float
    simulations: int
    rng: int


PLAN = bundle(
    "design",
    PlanOptions,
    number("--difference", float, "The difference between two systems to detect, as in 0.03."),
    number("--width", float, "The width of the interval of one system, as in 0.05."),
    number("--power", float, "The probability of reaching that goal.", default=0.8),
    options.LEVEL,
    click.option(
        "--verdict",
        type=click.Choice(["better", "probably better"]),
        default="probably better",
        show_default=True,
        help="The verdict that `errbar compare` should reach.",
    ),
    click.option(
        "--difficulty",
        help="The distribution of difficulty, in place of a pilot: beta(2,2), uniform, "
        "u-shaped, hard ….",
    ),
    number(
        "--mean", float, "The expected mean of the metric; the difficulty is shifted to give it."
    ),
    number(
        "--disagreement",
        float,
        "How much two systems disagree on which questions are hard: the standard deviation of "
        "the difference in log odds. By default estimated from a pilot of two systems, else 1.",
    ),
    click.option(
        "--system", "systems", multiple=True, help="A system of the pilot to use; at most two."
    ),
    options.ERRORS,
    number(
        "--questions",
        int,
        "The number of questions, if it is fixed; errbar finds the number of trials.",
    ),
    number(
        "--budget", float, "The largest total cost; errbar finds the design of the highest power."
    ),
    click.option(
        "--trials",
        type=int,
        multiple=True,
        help="A number of trials per question; may be repeated.",
    ),
    number("--max-trials", int, "The largest number of trials per question.  [default: 64]"),
    number("--question-cost", float, "The cost of a question.", default=0.0),
    number("--trial-cost", float, "The cost of a trial.", default=1.0),
    number(
        "--simulations",
        int,
        "The number of simulated runs that check the best design.",
        default=2000,
    ),
    options.SEED,
)


@click.command(cls=Subcommand)
@click.argument("pilot", nargs=-1)
@click.option("-m", "--metric", default="pass@1", show_default=True, help="The metric to plan for.")
@PLAN
@io.READ_WRITE_PLOT
def plan(
    pilot: Paths, metric: str, design: PlanOptions, reading: ReadOptions, writing: WriteOptions
) -> None:
    """Plan the number of questions and trials.

    The plan is based on a PILOT log or an assumed difficulty. The goal is to detect a difference
    between two systems, or to estimate the score of one system with an interval of some width.

    \b
    Examples:
      errbar plan pilot.jsonl --difference 0.1
      errbar plan --difficulty 'beta(2, 2)' --width 0.2
    """
    require_writable(pilot)
    keywords = design.keywords() | {"trials": design.trials or None}
    with working(f"errbar plan {paths_text(pilot) if pilot else design.difficulty or ''}") as work:
        source = runs_of(pilot, reading, work) if pilot else None
        result = errbar.plan(metric, pilot=source, **keywords)
    show(result, writing)
