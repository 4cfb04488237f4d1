"""Options that several commands have."""

from collections.abc import Callable

import click

Command = Callable[..., None]
Options = Callable[[Command], Command]


def options_of(*options: Options) -> Options:
    """Several options as one decorator."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


PATHS = click.argument("paths", nargs=-1, required=True)

MAP = click.option(
    "--map",
    "mapping",
    multiple=True,
    metavar="MEANING=COLUMN",
    help="Which column is what, as question=task_id, or cluster= for none; may be repeated.",
)

READ = options_of(
    MAP,
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

WRITE = options_of(
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

METRICS = click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    default=("avg",),
    show_default=True,
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
    click.option("--seed", type=int, default=0, show_default=True, help="Of the bootstrap."),
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
