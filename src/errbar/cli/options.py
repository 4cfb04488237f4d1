"""Builders of options, options of several commands, and the values that commands receive for them.

Options that belong together reach a command as one typed value, such as `ReadOptions`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal

import click

if TYPE_CHECKING:
    from errbar.data.readers.choices import (
        FilesAre,
        KeysAre,
        RepeatsAre,
        RowsAre,
    )

Paths = tuple[str, ...]
Assume = Literal["nothing", "no rare failures"]


Command = Callable[..., None]
Options = Callable[[Command], Command]


def options_of(*options: Options) -> Options:
    """Return several options as one decorator."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def bundle(name: str, kind: type[Any], *options: Options) -> Options:
    """Return a decorator that adds options and passes them to the command as one value.

    Parameters
    ----------
    name
        The parameter of the command that receives the value.
    kind
        A dataclass with a field per option.
    *options
        The options.
    """

    def add(command: Command) -> Command:
        @wraps(command)
        def bundled(**values: Any) -> None:
            own = {
                field.name: values.pop(field.name) for field in fields(kind) if field.name in values
            }
            command(**values, **{name: kind(**own)})

        return options_of(*options)(bundled)

    return add


def choice(flag: str, *values: str, text: str, default: str | None = None) -> Options:
    """Return an option that takes one of several values; `text` is its help."""
    return click.option(
        flag,
        type=click.Choice(values),
        default=default,
        show_default=default is not None,
        help=text,
    )


def number(
    flag: str, kind: type[float] | type[int], text: str, *, default: float | None = None
) -> Options:
    """Return an option that takes a number; `text` is its help."""
    return click.option(
        flag, type=kind, default=default, show_default=default is not None, help=text
    )


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How outcomes are read: the options of `READ`."""

    mapping: tuple[str, ...] = ()
    repeats: "RepeatsAre" = "refuse"
    files: "FilesAre | None" = None
    rows: "RowsAre | None" = None
    keys: "KeysAre | None" = None
    right: tuple[str, ...] = ()
    reader: str | None = None
    scorer: str | None = None
    filter: str | None = None
    signal: str | None = None
    labels: str | None = None
    label: str | None = None
    correction: Literal["ppi++", "ppi", "labels"] = "ppi++"
    engine: Literal["duckdb", "spark"] = "duckdb"
    master: str | None = None
    remote: str | None = None


class Keywords:
    """Options that are passed on as keywords of the same names."""

    def keywords(self) -> dict[str, Any]:
        """The options by name."""
        return dict(vars(self))


@dataclass(frozen=True, kw_only=True)
class PairOptions(Keywords):
    """Options of `PAIR`, as keywords of `Runs.compare`, `Runs.rank` and `errbar.gate`."""

    estimand: str
    errors: Literal["fail", "missing", "bracket"]
    short: Literal["error", "drop"]
    level: float
    bounds: tuple[float, float] | None


PATHS = click.argument("paths", nargs=-1, required=True)

READ = bundle(
    "reading",
    ReadOptions,
    click.option(
        "--map",
        "mapping",
        multiple=True,
        metavar="MEANING=COLUMN",
        help="Say which column has which meaning, as in question=task_id; cluster= says that no "
        "column has it. May be repeated.",
    ),
    choice(
        *("--repeats", "refuse", "keep", "last"),
        default="refuse",
        text="What to do if a trial occurs twice: refuse the data, keep every row as a trial, "
        "or use the last row of each id.",
    ),
    choice(
        *("--files", "systems", "questions", "trials", "tasks", "parts"),
        text="How to read several files without a system column; by default each is a system.",
    ),
    choice(
        *("--rows", "trials", "questions"),
        text="How to read rows with the same id: as trials of one question, or as separate "
        "questions.",
    ),
    choice(
        *("--keys", "systems", "questions"),
        text="How to read the keys of a JSON object of outcome lists.",
    ),
    click.option(
        "--right", multiple=True, metavar="WORD", help="A word that means right; may be repeated."
    ),
    click.option(
        "--reader", help="The harness that wrote the logs, as in inspect_ai; detected by default."
    ),
    click.option("--scorer", help="The score to use, if the log has several."),
    click.option("--filter", help="The filter of lm-evaluation-harness to use."),
    click.option(
        "--signal",
        help="The signal to use as confidence; -NAME if a lower value means more confidence.",
    ),
    click.option(
        "--labels",
        metavar="PATH",
        help="A file with trusted labels of some questions; they correct the scores of a judge.",
    ),
    click.option(
        "--label",
        help="The column with trusted labels, or the scorer of a log that gave them; looked "
        "up in the file of --labels, if given.",
    ),
    choice(
        *("--correction", "ppi++", "ppi", "labels"),
        default="ppi++",
        text="How labels correct scores: by prediction-powered inference with a tuned weight of "
        "the judge (ppi++) or with weight 1 (ppi), or the labels alone.",
    ),
    choice("--engine", "duckdb", "spark", default="duckdb", text="The engine that reads files."),
    click.option("--master", help="The Spark master, as in local[2]."),
    click.option("--spark-remote", "remote", help="The Spark Connect server, as in sc://host."),
)


def names_in(lists: Sequence[str]) -> tuple[str, ...]:
    """Split comma-separated lists of metrics; commas within brackets belong to a name.

    Examples
    --------
    >>> names_in(["pass@1,pass@8", "avg(weights=[0, 1])"])
    ('pass@1', 'pass@8', 'avg(weights=[0, 1])')
    """
    names = []
    for text in lists:
        depth, start = 0, 0
        for at, letter in enumerate(f"{text},"):
            depth += (letter in "([") - (letter in ")]")
            if letter == "," and not depth:
                names.append(text[start:at].strip())
                start = at + 1
        if depth:
            names.append(text[start:].strip())
    return tuple(name for name in names if name)


def _named_metrics(_: click.Context, __: click.Parameter, lists: Sequence[str]) -> tuple[str, ...]:
    names = names_in(lists)
    if not names:
        raise click.UsageError("no metric is named; name one, as in -m pass@8, or omit -m.")
    return names


METRICS = click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    default=("avg",),
    show_default=True,
    callback=_named_metrics,
    help="A metric, or a comma-separated list of metrics; may be repeated.",
)

LEVEL = number("--level", float, "The confidence level of the intervals.", default=0.95)

SEED = click.option(
    "--seed", "rng", type=int, default=0, show_default=True, help="The seed of random numbers."
)


ERRORS = choice(
    *("--errors", "fail", "missing"),
    default="fail",
    text="Count rows without a result as wrong, or leave them out.",
)

ERRORS_OR_BOTH = choice(
    *("--errors", "fail", "missing", "bracket"),
    default="fail",
    text="Count rows without a result as wrong, leave them out, or cover the worst and the best "
    "case (bracket).",
)

ESTIMAND = choice(
    *("--estimand", "population", "benchmark", "rerun"),
    default="population",
    text="What intervals cover: new questions of the same kind (population), this exact "
    "benchmark, or a repeat of this run (rerun).",
)

BASELINE = click.option(
    "--baseline", help="Compare every other system with this one; by default all pairs."
)

SYSTEMS = click.option(
    "--system", "systems", multiple=True, help="Use only this system; may be repeated."
)

BOUNDS = click.option(
    "--bounds",
    type=float,
    nargs=2,
    metavar="LOW HIGH",
    help="The lowest and the highest possible reward, if outcomes are not 0 and 1.",
)

PAIR = bundle(
    "pairing",
    PairOptions,
    ESTIMAND,
    ERRORS_OR_BOTH,
    choice(
        *("--short", "error", "drop"),
        default="error",
        text="If questions have fewer trials than a metric draws: stop with an error, or drop "
        "these questions.",
    ),
    LEVEL,
    BOUNDS,
)


ASSUME = choice(
    *("--assume", "nothing", "no rare failures"),
    default="nothing",
    text="What to assume about unseen questions. With 'no rare failures' intervals are narrower.",
)
LARGEST_CLUSTER = number(
    "--largest-cluster",
    int,
    "The number of questions in the largest cluster of the population, whether it was sampled or "
    "not.",
)
