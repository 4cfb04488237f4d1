"""`errbar score`, `errbar curve` and `errbar scaling`: metrics of every system, with intervals."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import click
from click.core import ParameterSource

from errbar.cli import options
from errbar.cli.help import command_on_paths
from errbar.cli.io import shows_result
from errbar.cli.options import Assume, Keywords, bundle, choice
from errbar.errors import InputError

if TYPE_CHECKING:
    from errbar.results.base import Result
    from errbar.results.scaling import Scaling
    from errbar.runs import Runs


@dataclass(frozen=True, kw_only=True)
class ScoreOptions(Keywords):
    """Options of `SCORE`, as keywords of `Runs.score` and `Runs.curve`."""

    errors: Literal["fail", "missing", "bracket"]
    short: Literal["error", "drop", "posterior"]
    by: tuple[str, ...]
    estimand: str | None
    method: Literal["calibrated", "documented"]
    level: float


SCORE = bundle(
    "scoring",
    ScoreOptions,
    options.ERRORS_OR_BOTH,
    choice(
        *("--short", "error", "drop", "posterior"),
        default="error",
        text="If questions have fewer trials than a metric draws: stop with an error, drop these "
        "questions, or extrapolate with a model of difficulty (posterior).",
    ),
    click.option(
        "--by",
        multiple=True,
        help="A column whose values are scored separately; may be repeated.",
    ),
    choice(
        *("--estimand", "population", "benchmark", "rerun"),
        text="What intervals cover: new questions of the same kind (population, the default), "
        "this exact benchmark, or a repeat of this run (rerun).",
    ),
    choice(
        *("--method", "calibrated", "documented"),
        default="calibrated",
        text="The intervals: errbar's own (calibrated), or the normal intervals of errbar.eval "
        "(documented).",
    ),
    options.LEVEL,
)


# Options of `errbar score` that a correction by both rates has no use for.
_NOT_BY_RATES = (
    *("short", "by", "estimand", "method", "audit"),
    *("questions_in_all", "largest_cluster", "assume", "bounds"),
)


@dataclass(frozen=True, kw_only=True)
class RateOptions:
    """Options of `RATES`: how often a judge passes right answers and fails wrong ones."""

    sensitivity: str | None
    specificity: str | None

    def score(self, runs: "Runs", metrics: tuple[str, ...], scoring: ScoreOptions) -> "Result":
        """Score outcomes by both rates."""
        from errbar.judges import score_by_rates  # noqa: PLC0415  --help must not wait

        if self.sensitivity is None or self.specificity is None or metrics != ("avg",):
            raise InputError("--sensitivity and --specificity go together, and correct avg only.")
        rates = rate_in(self.sensitivity), rate_in(self.specificity)
        context = click.get_current_context()
        for parameter in context.command.params:
            name = parameter.name or ""
            is_given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
            if is_given and name in _NOT_BY_RATES:
                raise InputError(f"{parameter.opts[0]} is not supported with --sensitivity.")
        if scoring.errors == "bracket":
            raise InputError("--errors bracket is not supported with --sensitivity.")
        return score_by_rates(
            runs,
            sensitivity=rates[0],
            specificity=rates[1],
            level=scoring.level,
            errors=scoring.errors,
        )


def rate_in(text: str) -> float | tuple[float, float]:
    """Return a rate, written as 0.9 or as 45/50.

    Examples
    --------
    >>> rate_in("45/50"), rate_in("0.9")
    ((45.0, 50.0), 0.9)
    """
    count, slash, items = text.partition("/")
    try:
        return (float(count), float(items)) if slash else float(count)
    except ValueError:
        raise InputError(f"a rate is written as 0.9 or as 45/50; got {text!r}.") from None


RATES = bundle(
    "rates",
    RateOptions,
    click.option(
        "--sensitivity",
        metavar="RATE",
        help="The share of right answers that the judge passes, as in 45/50 for 45 of 50 "
        "labelled answers.",
    ),
    click.option(
        "--specificity",
        metavar="RATE",
        help="The share of wrong answers that the judge fails, written in the same way.",
    ),
)


@command_on_paths
@options.METRICS
@click.option(
    "--audit",
    is_flag=True,
    help="Also report the coverage of the intervals in simulated data sets like this one.",
)
@click.option(
    "--questions-in-all",
    type=int,
    help="The size of the question pool, if these questions are a random sample of it.",
)
@options.LARGEST_CLUSTER
@options.ASSUME
@options.BOUNDS
@RATES
@SCORE
@shows_result
def score(
    runs: "Runs",
    metrics: tuple[str, ...],
    audit: bool,
    questions_in_all: int | None,
    largest_cluster: int | None,
    assume: Assume,
    bounds: tuple[float, float] | None,
    rates: RateOptions,
    scoring: ScoreOptions,
) -> "Result":
    """Score the outcomes at PATHS.

    A path is a file, a glob pattern or a directory: logs of a harness, which is detected, or tables
    in CSV, JSON lines or Parquet.

    \b
    Examples:
      errbar score logs/ -m pass@1,pass@8
      errbar score logs/ --by difficulty --percent
    """
    if rates.sensitivity is not None or rates.specificity is not None:
        return rates.score(runs, metrics, scoring)
    return runs.score(
        *metrics,
        questions_in_all=questions_in_all,
        largest_cluster=largest_cluster,
        assume=None if assume == "nothing" else assume,
        bounds=bounds,
        audit=audit,
        **scoring.keywords(),
    )


@command_on_paths
@click.option(
    "-m",
    "--metric",
    default="pass@k",
    show_default=True,
    help="A metric with the letter k in place of a number.",
)
@click.option("-k", "ks", multiple=True, type=int, help="A value of k; may be repeated.")
@SCORE
@shows_result
def curve(
    runs: "Runs",
    metric: str,
    ks: tuple[int, ...],
    scoring: ScoreOptions,
) -> "Result":
    """Compute a metric at many k.

    \b
    Examples:
      errbar curve logs/
      errbar curve logs/ -m pass^k -k 1 -k 4
    """
    return runs.curve(metric, ks or None, **scoring.keywords())


@command_on_paths
@click.option(
    "-k",
    "ks",
    type=int,
    multiple=True,
    metavar="K",
    help="A number of trials beyond those in the log; may be repeated. By default 10 and 100 "
    "times as many as in the log.",
)
@options.SYSTEMS
@options.ERRORS
@options.LEVEL
@shows_result
def scaling(
    runs: "Runs",
    ks: tuple[int, ...],
    systems: tuple[str, ...],
    errors: Literal["fail", "missing"],
    level: float,
) -> "Scaling":
    """Estimate what many more tries would solve at PATHS.

    It shows how fast failures vanish as trials are added, and bounds that hold
    whatever the difficulty of the questions is.

    \b
    Examples:
      errbar scaling logs/ -k 100
      errbar scaling logs/ -k 100 -k 1000 --explain
    """
    return runs.scaling(ks, systems=systems, errors=errors, level=level)
