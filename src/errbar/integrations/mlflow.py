"""Scores in MLflow: metrics with their intervals, the table, the outcomes and the report.

`log` writes to the active run, or to a new one. What it writes can be read back: `load` gives the
outcomes of a run, and `history` the scores of the runs of an experiment over time.
"""

import importlib
import math
import re
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import errbar
from errbar.errors import InputError, MissingExtra, NotThere
from errbar.metrics import Metric
from errbar.results.estimate import BaseEstimate, Estimand
from errbar.results.scores import Scores
from errbar.results.timeline import Timeline
from errbar.runs import Runs
from errbar.writers import write_outcomes

_FOLDER = "errbar"  # of the artefacts of a run
_OUTCOMES = f"{_FOLDER}/outcomes.parquet"
_SPELLED = {"@": "_at_", "^": "_hat_"}
_REFUSED = re.compile(r"[^\w\-. :/]")  # characters that MLflow refuses in names


def log(
    data: Any,
    *metrics: Metric | str,
    level: float = 0.95,
    estimand: Estimand | str = Estimand.POPULATION,
    errors: Literal["fail", "missing"] = "fail",
    report: bool = True,
    outcomes: bool = True,
    **reading: Any,
) -> Scores:
    """Write scores with intervals to the active run of MLflow, or to a new one.

    The metric pass@8 becomes `pass_at_8`, `pass_at_8_low` and `pass_at_8_high`, with the system and
    the task before it if there are several. The settings of errbar become parameters; the table,
    the outcomes and the report become artefacts in the folder `errbar`.

    Parameters
    ----------
    data
        Anything that `errbar.load` takes.
    *metrics
        Metrics by name or as values; `avg` by default.
    level, estimand, errors
        As in `Runs.score`.
    report, outcomes
        Whether to write the report, and the outcomes as a Parquet file, which `load` and `history`
        read.
    **reading
        Keywords of `errbar.load`.
    """
    mlflow = _mlflow()
    runs = errbar.load(data, **reading)
    scores = runs.score(*metrics, level=level, estimand=estimand, errors=errors)
    numbers = _numbers(scores)
    settings = {"level": level, "covers": Estimand(estimand).value, "errors": errors}
    with tempfile.TemporaryDirectory() as place:
        files = Path(place)
        (files / "scores.json").write_text(scores.to_json(), encoding="utf-8")
        (files / "scores.md").write_text(scores.to_markdown(), encoding="utf-8")
        if outcomes:
            write_outcomes(runs, str(files / Path(_OUTCOMES).name), "the data")
        if report:
            names = [str(metric) for metric in metrics]
            errbar.report(runs, files / "report.html", *names, level=level, errors=errors)
        active = mlflow.active_run()
        if active is None:
            mlflow.start_run()
        try:
            mlflow.log_params({f"errbar.{name}": value for name, value in settings.items()})
            mlflow.set_tag("errbar.version", errbar.__version__)
            mlflow.log_metrics(numbers)
            mlflow.log_artifacts(place, _FOLDER)
        finally:
            if active is None:
                mlflow.end_run()
    return scores


def load(run_id: str, **reading: Any) -> Runs:
    """Load the outcomes that `log` wrote to a run.

    Parameters
    ----------
    run_id
        The id of the run.
    **reading
        Keywords of `errbar.load`.
    """
    mlflow = _mlflow()
    try:
        path = mlflow.artifacts.download_artifacts(run_id=run_id, artifact_path=_OUTCOMES)
    except (mlflow.exceptions.MlflowException, OSError) as error:
        raise NotThere(f"the run {run_id!r} has no outcomes of errbar: {error}") from error
    return errbar.load(path, **reading)


def history(experiment: str, *metrics: Metric | str, **options: Any) -> Timeline:
    """Scores of the runs of an experiment over time, in the order in which they started.

    Runs without outcomes of errbar are left out.

    Parameters
    ----------
    experiment
        The name of the experiment.
    *metrics, **options
        As in `errbar.history`.
    """
    mlflow = _mlflow()
    client = mlflow.MlflowClient()
    found = client.get_experiment_by_name(experiment)
    if found is None:
        raise NotThere(f"there is no experiment {experiment!r} at {mlflow.get_tracking_uri()}.")
    past: dict[str, Runs] = {}
    token: str | None = None
    while True:
        page = client.search_runs(
            [found.experiment_id], order_by=["attributes.start_time ASC"], page_token=token
        )
        for run in page:
            artefacts = {each.path for each in client.list_artifacts(run.info.run_id, _FOLDER)}
            if _OUTCOMES in artefacts:
                name = run.info.run_name or run.info.run_id
                unique = name if name not in past else f"{name} ({run.info.run_id[:8]})"
                past[unique] = load(run.info.run_id)
        token = page.token
        if not token:
            break
    if not past:
        raise NotThere(f"no run of {experiment!r} has outcomes of errbar; write them with log.")
    return errbar.history(past, *metrics, **options)


def _numbers(scores: Iterable[BaseEstimate]) -> dict[str, float]:
    """Values and ends of intervals, by names that MLflow takes."""
    estimates = [each for each in scores if not math.isnan(each.value)]
    many = [len({getattr(each, part) for each in estimates}) > 1 for part in ("system", "task")]
    numbers: dict[str, float] = {}
    for each in estimates:
        parts = [each.system if many[0] else "", each.task if many[1] else "", str(each.metric)]
        name = "/".join(_name(part) for part in parts if part)
        if name in numbers:
            raise InputError(f"MLflow would call two scores {name!r}; rename a system or a task.")
        numbers |= {name: each.value, f"{name}_low": each.low, f"{name}_high": each.high}
    return {name: number for name, number in numbers.items() if not math.isnan(number)}


def _name(text: str) -> str:
    """A name without characters that MLflow refuses.

    Examples
    --------
    >>> _name("pass@8"), _name("g-pass@8_0.5"), _name("pass^2")
    ('pass_at_8', 'g-pass_at_8_0.5', 'pass_hat_2')
    """
    for sign, spelled in _SPELLED.items():
        text = text.replace(sign, spelled)
    return _REFUSED.sub("_", text.replace("/", "_"))


def _mlflow() -> Any:
    try:
        return importlib.import_module("mlflow")
    except ImportError as error:
        raise MissingExtra("MLflow is not installed: pip install 'errbar[mlflow]'.") from error
