"""Options shared by several commands, and the values that commands receive for them.

Options that belong together reach a command as one typed value, such as `ReadOptions`.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import click

import errbar
from errbar.cli import Work, bundle, choice, number, options_of, working
from errbar.cli.endings import FORCE, OutputPath, require_writable
from errbar.errors import InputError

if TYPE_CHECKING:
    from errbar.analysis.methods import Bootstrap
    from errbar.data.readers.tables.naming import FilesAre, KeysAre, RepeatsAre, RowsAre
    from errbar.runs import Runs

Paths = tuple[str, ...]
Assume = Literal["nothing", "no rare failures"]


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
    engine: Literal["duckdb", "spark"] = "duckdb"
    master: str | None = None
    remote: str | None = None


@dataclass(frozen=True, kw_only=True)
class WriteOptions:
    """How a result is written: the options of `WRITE` and `PLOT`."""

    style: Literal["table", "json", "csv", "raw-csv", "markdown", "latex"] = "table"
    output: str | None = None
    plot: str | None = None
    percent: bool = False
    detail: Literal["table", "explained"] | None = None


class Keywords:
    """Options that are passed on as keywords of the same names."""

    def keywords(self) -> dict[str, Any]:
        """The options by name."""
        return dict(vars(self))


@dataclass(frozen=True, kw_only=True)
class ScoreOptions(Keywords):
    """Options of `SCORE`, as keywords of `Runs.score` and `Runs.curve`."""

    errors: Literal["fail", "missing", "bracket"]
    short: Literal["error", "drop", "posterior"]
    by: tuple[str, ...]
    estimand: str | None
    method: Literal["calibrated", "documented"]
    level: float


@dataclass(frozen=True, kw_only=True)
class PairOptions(Keywords):
    """Options of `PAIR`, as keywords of `Runs.compare`, `Runs.rank` and `errbar.gate`."""

    estimand: str
    errors: Literal["fail", "missing"]
    short: Literal["error", "drop"]
    level: float


@dataclass(frozen=True, kw_only=True)
class ResampleOptions:
    """Options of `RESAMPLE`: the bootstrap, its seed and the bins of the confidence."""

    bins: int | None
    level: float
    resamples: int
    rng: int

    def method(self) -> "Bootstrap":
        """The bootstrap with these settings."""
        return errbar.Bootstrap(self.resamples, self.level)

    def keywords(self) -> dict[str, Any]:
        """Keywords of `Runs.selective` and `Runs.roc`."""
        return {"method": self.method(), "rng": self.rng, "bins": self.bins}


PATHS = click.argument("paths", nargs=-1, required=True)

READ = bundle(
    "reading",
    ReadOptions,
    click.option(
        "--map",
        "mapping",
        multiple=True,
        metavar="MEANING=COLUMN",
        help="Assign a column to a meaning, as in question=task_id; cluster= means that there is "
        "none. May be repeated.",
    ),
    choice(
        *("--repeats", "refuse", "keep", "last"),
        default="refuse",
        text="A trial that occurs twice: refuse it, keep every row, or use the last row of an id.",
    ),
    choice(
        *("--files", "systems", "trials", "tasks", "parts"),
        text="What several files without a system column are. By default each is a system.",
    ),
    choice(
        *("--rows", "trials", "questions"),
        text="What rows with the same id are: trials of one question, or separate questions.",
    ),
    choice(
        *("--keys", "systems", "questions"),
        text="What the keys of a JSON object of outcome lists are.",
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
        "--signal", help="The signal to use as confidence; -NAME if a lower value is surer."
    ),
    choice("--engine", "duckdb", "spark", default="duckdb", text="The engine that reads files."),
    click.option("--master", help="The Spark master, as in local[2]."),
    click.option("--spark-remote", "remote", help="The Spark Connect server, as in sc://host."),
)

WRITE = bundle(
    "writing",
    WriteOptions,
    click.option(
        "--format",
        "style",
        type=click.Choice(["table", "json", "csv", "raw-csv", "markdown", "latex"]),
        default="table",
        show_default=True,
        help="The format of the output; raw-csv does not escape control characters and formulas.",
    ),
    click.option(
        "-o", "--output", type=OutputPath(dir_okay=False), help="Write the output to this file."
    ),
    FORCE,
    click.option("--percent", is_flag=True, help="Show scores in percent."),
    click.option("-q", "--quiet", "detail", flag_value="table", help="Print only the table."),
    click.option("--explain", "detail", flag_value="explained", help="Also print the method."),
)


def _drawable(_: click.Context, __: click.Parameter, path: str | None) -> str | None:
    """Refuse a file name that cannot be drawn before any work is done."""
    if path is not None:
        from errbar.results.pictures.vega import require_suffix  # noqa: PLC0415  --help must not wait

        require_suffix(path)
    return path


PLOT = click.option(
    "--plot",
    type=OutputPath(dir_okay=False),
    callback=_drawable,
    help="Also draw a picture, to a file that ends in .svg, .png, .html or .json.",
)

READ_WRITE_PLOT = options_of(READ, WRITE, PLOT)


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
    found = names_in(lists)
    if not found:
        raise click.UsageError("no metric is named; name one, as in -m pass@8, or omit -m.")
    return found


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

LEVEL = click.option(
    "--level",
    type=float,
    default=0.95,
    show_default=True,
    help="The confidence level of the intervals.",
)

SCORE = bundle(
    "scoring",
    ScoreOptions,
    choice(
        *("--errors", "fail", "missing", "bracket"),
        default="fail",
        text="Rows without a result count as wrong, are left out, or are counted both ways.",
    ),
    choice(
        *("--short", "error", "drop", "posterior"),
        default="error",
        text="Questions with fewer trials than a metric draws: refuse them, drop them, or "
        "extrapolate by the model of difficulty.",
    ),
    click.option(
        "--by",
        multiple=True,
        help="A column whose values are scored separately; may be repeated.",
    ),
    choice(
        *("--estimand", "population", "benchmark", "rerun"),
        text="What intervals cover: new questions of the same kind (the default), this exact "
        "benchmark, or a repeat of this run.",
    ),
    choice(
        *("--method", "calibrated", "documented"),
        default="calibrated",
        text="Intervals that hold their level, or the normal intervals of errbar.eval.",
    ),
    LEVEL,
)

BINS = click.option(
    "--bins",
    type=int,
    help="The number of bins, if there are too many distinct confidences; the error is bounded.",
)

SEED = click.option(
    "--seed", "rng", type=int, default=0, show_default=True, help="The seed of random numbers."
)

RESAMPLE = bundle(
    "resampling",
    ResampleOptions,
    BINS,
    LEVEL,
    number("--resamples", int, "The number of bootstrap resamples.", default=10_000),
    SEED,
)

ERRORS = choice(
    *("--errors", "fail", "missing"),
    default="fail",
    text="Rows without a result count as wrong, or are left out.",
)

ESTIMAND = choice(
    *("--estimand", "population", "benchmark", "rerun"),
    default="population",
    text="What intervals cover: new questions of the same kind, this exact benchmark, or a repeat "
    "of this run.",
)

BASELINE = click.option(
    "--baseline", help="Compare every other system with this one; by default all pairs."
)

SYSTEMS = click.option(
    "--system", "systems", multiple=True, help="Use only this system; may be repeated."
)

PAIR = bundle(
    "pairing",
    PairOptions,
    ESTIMAND,
    ERRORS,
    choice(
        *("--short", "error", "drop"),
        default="error",
        text="Questions with fewer trials than a metric draws: refuse them, or drop them.",
    ),
    LEVEL,
)


ASSUME = choice(
    *("--assume", "nothing", "no rare failures"),
    default="nothing",
    text="What to assume about unseen questions; without rare failures, intervals are narrower.",
)
BOUNDS = click.option(
    "--bounds",
    type=float,
    nargs=2,
    metavar="LOW HIGH",
    help="The lowest and the highest possible reward, if outcomes are not 0 and 1.",
)


@contextmanager
def opened(command: str, paths: Sequence[str], reading: ReadOptions) -> Iterator["Runs"]:
    """Load the outcomes at paths, and show progress as long as a command works on them."""
    with working(f"errbar {command} {shown(paths)}") as work:
        yield runs_of(paths, reading, work)


def runs_of(paths: Sequence[str], reading: ReadOptions, work: Work) -> "Runs":
    """Load the outcomes at paths with the chosen engine."""
    from errbar.loading import load  # noqa: PLC0415  --help must not wait

    session = None
    if reading.engine == "spark":
        from errbar.data.engines.spark import spark_session  # noqa: PLC0415  an extra

        session = spark_session(reading.master, reading.remote)
    elif reading.master or reading.remote:
        raise InputError("--master and --spark-remote need --engine spark.")
    columns: dict[str, Any] = {**columns_in(reading.mapping)}
    require_writable(paths)
    runs = load(
        list(paths) if len(paths) > 1 else paths[0],
        repeats=reading.repeats,
        reader=reading.reader,
        scorer=reading.scorer,
        filter=reading.filter,
        signal=reading.signal,
        files=reading.files,
        rows=reading.rows,
        keys=reading.keys,
        right=reading.right,
        connection=work.connection() if session is None else None,
        spark=session,
        **columns,
    )
    accounts = runs.source.origin.accounts
    require_writable(file for file, account in accounts.items() if not account.skipped)
    return runs


def shown(paths: Sequence[str]) -> str:
    """Return the paths as a message shows them."""
    return paths[0] if len(paths) == 1 else f"{paths[0]} …"


def columns_in(mapping: Sequence[str]) -> dict[str, str | None]:
    """Return columns by meaning, from texts such as question=task_id, or cluster= for none."""
    from errbar.data.columns import require_meaning  # noqa: PLC0415  --help must not wait
    from errbar.data.readers.tables.column_choice import REQUIRED  # noqa: PLC0415

    columns: dict[str, str | None] = {}
    for text in mapping:
        meaning, equals, name = text.partition("=")
        if not equals or not meaning or (not name and meaning in REQUIRED):
            raise InputError(
                f"--map {text!r} must be written meaning=column, as in question=task_id."
            )
        if meaning in columns:
            raise InputError(f"--map gives two columns for {meaning}.")
        require_meaning(meaning)
        columns[meaning] = name or None
    return columns
