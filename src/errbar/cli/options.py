"""Options that several commands have, and how outcomes are read by them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal

import click

import errbar
from errbar.cli import Work
from errbar.errors import InputError

if TYPE_CHECKING:
    from errbar.data.readers.tables.naming import FilesAre, KeysAre, RepeatsAre, RowsAre
    from errbar.runs import Runs

Command = Callable[..., None]
Options = Callable[[Command], Command]
Paths = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How outcomes are read: what the options of `READ` say."""

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
class Writing:
    """How a result is written: what the options of `WRITE` and `PLOT` say."""

    style: Literal["table", "json", "csv", "markdown", "latex"] = "table"
    output: str | None = None
    plot: str | None = None


def options_of(*options: Options) -> Options:
    """Several options as one decorator."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def bundle_of(name: str, kind: type[Reading | Writing], *options: Options) -> Options:
    """Several options as one decorator, for a command that takes them as one value of `kind`."""

    def add(command: Command) -> Command:
        @wraps(command)
        def bundled(**values: Any) -> None:
            own = {one.name: values.pop(one.name) for one in fields(kind) if one.name in values}
            command(**values, **{name: kind(**own)})

        return options_of(*options)(bundled)

    return add


PATHS = click.argument("paths", nargs=-1, required=True)

READ = bundle_of(
    "reading",
    Reading,
    click.option(
        "--map",
        "mapping",
        multiple=True,
        metavar="MEANING=COLUMN",
        help="Which column is what, as question=task_id, or cluster= for none; may be repeated.",
    ),
    click.option(
        "--repeats",
        type=click.Choice(["refuse", "keep", "last"]),
        default="refuse",
        show_default=True,
        help="What to do with a trial that occurs twice; last: the last row of an id counts.",
    ),
    click.option(
        "--files",
        type=click.Choice(["systems", "trials", "tasks", "parts"]),
        help="What several files are that name no system. Each is a system if not said.",
    ),
    click.option(
        "--rows",
        type=click.Choice(["trials", "questions"]),
        help="What rows with the same id are: trials of one question, or questions.",
    ),
    click.option(
        "--keys",
        type=click.Choice(["systems", "questions"]),
        help="What the keys of a JSON document are that has lists of outcomes under them.",
    ),
    click.option(
        "--right", multiple=True, metavar="WORD", help="A word that means right; may be repeated."
    ),
    click.option("--reader", help="Whose logs these are, as inspect_ai; found out if not named."),
    click.option("--scorer", help="Which score of a row, where the log has several."),
    click.option("--filter", help="Which filter of lm-evaluation-harness."),
    click.option(
        "--signal",
        help="Which signal of an item is its confidence; -NAME if less of it is surer.",
    ),
    click.option(
        "--engine",
        type=click.Choice(["duckdb", "spark"]),
        default="duckdb",
        show_default=True,
        help="What reads the files.",
    ),
    click.option("--master", help="Of Spark, as local[2]."),
    click.option("--spark-remote", "remote", help="Of Spark Connect, as sc://host."),
)

WRITE = bundle_of(
    "writing",
    Writing,
    click.option(
        "--format",
        "style",
        type=click.Choice(["table", "json", "csv", "markdown", "latex"]),
        default="table",
        show_default=True,
    ),
    click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write to a file."),
)


def _drawable(_: click.Context, __: click.Parameter, path: str | None) -> str | None:
    """Refuse what cannot be drawn before any work is done."""
    if path is not None:
        from errbar.results.pictures.picture import require_suffix  # noqa: PLC0415  --help must not wait

        require_suffix(path)
    return path


PLOT = click.option(
    "--plot",
    type=click.Path(dir_okay=False),
    callback=_drawable,
    help="Draw it too: a file that ends in .svg, .png, .html or .json.",
)


def names_in(lists: Sequence[str]) -> tuple[str, ...]:
    """Names of metrics, one by one or in comma lists; commas within brackets belong to a name.

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
        raise click.UsageError("no metric is named; name one, as in -m pass@8, or leave -m out.")
    return found


METRICS = click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    default=("avg",),
    show_default=True,
    callback=_named_metrics,
    help="A metric, or a comma list of them; may be repeated.",
)

LEVEL = click.option(
    "--level", type=float, default=0.95, show_default=True, help="Of the intervals."
)

POLICY = options_of(
    click.option(
        "--errors",
        type=click.Choice(["fail", "missing", "bracket"]),
        default="fail",
        show_default=True,
        help="Rows without a result: wrong, left out, both ways.",
    ),
    click.option(
        "--short",
        type=click.Choice(["error", "drop", "posterior"]),
        default="error",
        show_default=True,
        help="Questions with fewer trials than a metric draws.",
    ),
    click.option("--by", multiple=True, help="A column whose values are scored apart."),
    click.option(
        "--estimand",
        type=click.Choice(["population", "benchmark", "rerun"]),
        help="What intervals cover: questions like these (the default), these very questions, or "
        "what the same run would show again.",
    ),
    click.option(
        "--method",
        type=click.Choice(["calibrated", "documented"]),
        default="calibrated",
        show_default=True,
        help="Intervals that hold their level, or those of the papers.",
    ),
    LEVEL,
)

BINS = click.option(
    "--bins",
    type=int,
    help="Of the confidences, where too many differ; the error that they make is bounded.",
)

RESAMPLE = options_of(
    LEVEL,
    click.option(
        "--resamples", type=int, default=2000, show_default=True, help="Of the bootstrap."
    ),
    click.option("--seed", "rng", type=int, default=0, show_default=True, help="Of the bootstrap."),
)

ERRORS = click.option(
    "--errors",
    type=click.Choice(["fail", "missing"]),
    default="fail",
    show_default=True,
    help="Rows without a result: wrong, or left out.",
)

ESTIMAND = click.option(
    "--estimand",
    type=click.Choice(["population", "benchmark", "rerun"]),
    default="population",
    show_default=True,
    help="What it is about: questions like these, these very questions, or the same run again.",
)

BASELINE = click.option(
    "--baseline", help="A system that all others are compared with; all pairs if none."
)

PAIRED = options_of(
    ESTIMAND,
    ERRORS,
    click.option(
        "--short",
        type=click.Choice(["error", "drop"]),
        default="error",
        show_default=True,
        help="Questions with fewer trials than a metric draws.",
    ),
    LEVEL,
)

DECIDE = options_of(
    click.option(
        "--system", "systems", multiple=True, help="Of these only; may be repeated. All if none."
    ),
    PAIRED,
)


def runs_of(paths: Sequence[str], reading: Reading, work: Work) -> "Runs":
    """Outcomes at paths, read by the engine that was asked for."""
    session = None
    if reading.engine == "spark":
        from errbar.data.engines.spark import spark_session  # noqa: PLC0415  an extra

        session = spark_session(reading.master, reading.remote)
    elif reading.master or reading.remote:
        raise InputError("--master and --spark-remote are for --engine spark.")
    columns: dict[str, Any] = {**columns_in(reading.mapping)}
    return errbar.load(
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


def shown(paths: Sequence[str]) -> str:
    """What a message calls them."""
    return paths[0] if len(paths) == 1 else f"{paths[0]} …"


def columns_in(mapping: Sequence[str]) -> dict[str, str | None]:
    """Columns by what they mean: question=task_id, or cluster= for none."""
    from errbar.data.columns import require_meaning  # noqa: PLC0415  --help must not wait
    from errbar.data.readers.tables.column_choice import REQUIRED  # noqa: PLC0415

    columns: dict[str, str | None] = {}
    for text in mapping:
        meaning, equals, name = text.partition("=")
        if not equals or not meaning or (not name and meaning in REQUIRED):
            raise InputError(f"--map {text!r} must be written meaning=column, as question=task_id.")
        if meaning in columns:
            raise InputError(f"--map says twice which column is {meaning}.")
        require_meaning(meaning)
        columns[meaning] = name or None
    return columns
