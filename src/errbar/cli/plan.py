"""`errbar plan`: how many questions and trials it takes, from a pilot or from what is assumed."""

from typing import Literal

import click

import errbar
from errbar.cli import working
from errbar.cli.options import (
    ERRORS,
    LEVEL,
    PLOT,
    READ,
    WRITE,
    Paths,
    Reading,
    Writing,
    runs_of,
    shown,
)
from errbar.cli.output import show


@click.command()
@click.argument("pilot", nargs=-1)
@click.option("-m", "--metric", default="pass@1", show_default=True)
@click.option("--difference", type=float, help="To be seen between two systems, as 0.03.")
@click.option("--width", type=float, help="Of the interval of one system, as 0.05.")
@click.option("--power", type=float, default=0.8, show_default=True)
@LEVEL
@click.option("--difficulty", help="In place of a pilot: beta(2,2), uniform, u-shaped, hard …")
@click.option("--mean", type=float, help="What the metric is to be on average; shifts difficulty.")
@click.option(
    "--disagreement",
    type=float,
    help="Of two systems about what is hard: sd of log odds. Without a pilot of two, 1.",
)
@click.option("--system", "systems", multiple=True, help="Of the pilot: one or two of several.")
@ERRORS
@click.option("--questions", type=int, help="As many as there are; finds the trials.")
@click.option("--budget", type=float, help="What may be spent; finds what it buys.")
@click.option("--trials", type=int, multiple=True, help="Per question; may be repeated.")
@click.option("--max-trials", type=int, help="Per question.  [default: 64]")
@click.option("--question-cost", type=float, default=0.0, show_default=True)
@click.option("--trial-cost", type=float, default=1.0, show_default=True, help="Of one system.")
@click.option("--simulations", type=int, default=2000, show_default=True)
@click.option("--seed", "rng", type=int, default=0, show_default=True)
@PLOT
@READ
@WRITE
def plan(
    pilot: Paths,
    metric: str,
    difference: float | None,
    width: float | None,
    power: float,
    level: float,
    difficulty: str | None,
    mean: float | None,
    disagreement: float | None,
    systems: tuple[str, ...],
    errors: Literal["fail", "missing"],
    questions: int | None,
    budget: float | None,
    trials: tuple[int, ...],
    max_trials: int | None,
    question_cost: float,
    trial_cost: float,
    simulations: int,
    rng: int,
    reading: Reading,
    writing: Writing,
) -> None:
    """How many questions and trials it takes, from a PILOT log or an assumed difficulty.

    To see a difference between two systems, or to know the score of one to some width.
    """
    with working(f"errbar plan {shown(pilot) if pilot else difficulty or ''}") as work:
        found = errbar.plan(
            metric,
            difference=difference,
            width=width,
            power=power,
            level=level,
            pilot=runs_of(pilot, reading, work) if pilot else None,
            systems=systems,
            errors=errors,
            difficulty=difficulty,
            mean=mean,
            disagreement=disagreement,
            trials=trials or None,
            max_trials=max_trials,
            questions=questions,
            budget=budget,
            question_cost=question_cost,
            trial_cost=trial_cost,
            simulations=simulations,
            rng=rng,
        )
    show(found, writing)
