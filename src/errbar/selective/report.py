"""Reports on runs of items: the metrics of each run, and a comparison at common coverage."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errbar.analysis.alignment import align
from errbar.analysis.compare_ranked import compare
from errbar.analysis.curves import risk_bands
from errbar.analysis.methods.bootstrap import Bootstrap
from errbar.analysis.selective import estimate
from errbar.base.tables import DASH, Table, align_points, interval_title, percent, round_to_sd
from errbar.data.predictions import Predictions
from errbar.data.readers.item_runs import ItemColumns, ItemRun, read_item_runs
from errbar.data.readers.tables.naming import systems_of
from errbar.errors import InputError
from errbar.kernels.risk_coverage import is_reached
from errbar.metrics.confidence import Augrc, Aurc, ExcessAurc, RankedMetric, RiskAt
from errbar.results.base import Result, finite
from errbar.results.comparisons import Comparisons
from errbar.results.estimate import RankedEstimate, Subject
from errbar.results.scores import RankedScores
from errbar.selective.item_predictions import ItemPrediction, compute_aurc, compute_risk_at_coverage

if TYPE_CHECKING:
    from errbar.results.pictures.picture import Picture

_DEFAULT = Bootstrap()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """The results of one run: its coverage, metrics and documented figures."""

    run: ItemRun
    coverage: float
    answered: int
    estimates: tuple[RankedEstimate, ...]
    out_of_reach: tuple[RankedMetric, ...]
    documented_aurc: float
    documented_risks: dict[float, float | None]


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class SelectiveReport(Result):
    """The results of all runs, the runs that cannot be ranked, and the comparison."""

    runs: tuple[RunReport, ...]
    unranked: dict[str, str]  # name → reason
    method: Bootstrap
    loss: str
    comparison: Comparisons | None
    remarks: tuple[str, ...] = ()

    def parts(self) -> list[Table | str]:
        """Return the tables of runs, documented figures and comparison, and then sentences."""
        tables: list[Table | str] = []
        if self.runs:
            tables.append(
                Table(
                    self.columns(), self._run_notes(), breaks=self.breaks(), above=self._signals()
                )
            )
            tables.append(Table(self._documented(), _DOCUMENTED_NOTES))
        if self.comparison is not None:
            tables += self.comparison.parts()
        return [*tables, *self._sentences()]

    def notes(self) -> list[str]:
        """Return notes on the runs and on those that were not ranked or compared."""
        return [*self._signals(), *self._run_notes(), *self._sentences()]

    def _signals(self) -> list[str]:
        return list(
            dict.fromkeys(result.run.signal.remark(result.run.signals) for result in self.runs)
        )

    def _sentences(self) -> list[str]:
        return [*self.remarks, *(f"Not ranked: {why}" for why in self.unranked.values())]

    def plot(self) -> "Picture":
        """Draw a forest plot of all runs that can be ranked."""
        rows = [
            replace(estimate, of=Subject(result.run.name))
            for result in self.runs
            for estimate in result.estimates
        ]
        return RankedScores(tuple(rows), self.method.describe()).plot()

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers, for JSON; undefined numbers are null with a reason."""
        return {
            "loss": self.loss,
            "method": self.method.describe(),
            "level": self.method.level,
            "runs": [_run_dict(result) for result in self.runs],
            "unranked": self.unranked,
            "comparison": None if self.comparison is None else _json(self.comparison.to_dicts()),
            "notes": list(self.remarks),
        }

    def to_json(self) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict(), indent=2)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a flat record per run and metric."""
        return [
            {"run": result.run.name, **record}
            for result in self.runs
            for record in _estimates(result)
        ]

    def breaks(self) -> set[int]:
        """Return the rows that begin another run."""
        starts, at = set(), 0
        for result in self.runs:
            starts.add(at)
            at += len(result.estimates) + len(result.out_of_reach)
        return starts - {0}

    def columns(self) -> list[list[str]]:
        """Return the columns as text, each beginning with its head."""
        rows: list[tuple[str, str, str, str]] = []
        for result in self.runs:
            rows += [
                (result.run.name, str(e.metric), round_to_sd(e.value, e.sd), _ends(e))
                for e in result.estimates
            ]
            rows += [
                (
                    result.run.name,
                    str(metric),
                    DASH,
                    f"out of reach: {result.coverage:.4g} answered",
                )
                for metric in result.out_of_reach
            ]
        return [
            ["run", *(name for name, _, _, _ in rows)],
            ["metric", *(metric for _, metric, _, _ in rows)],
            ["value", *align_points(value for _, _, value, _ in rows)],
            [interval_title(self.method.level), *(ends for _, _, _, ends in rows)],
        ]

    def _run_notes(self) -> list[str]:
        notes = [
            f"{result.run.name}: {result.run.size()}; largest coverage {result.coverage:.4g}."
            for result in self.runs
        ]
        notes += [
            f"{result.run.name}: {result.run.absent()}."
            for result in self.runs
            if result.run.absent()
        ]
        notes.append(
            f"Lower is better; the loss is {self.loss}. Ties in confidence count as the mean over "
            f"their orders. Method: {self.method.describe()} of participants."
        )
        for result in self.runs:
            notes += [
                f"{result.run.name}, {e.metric}: {e.reason}." for e in result.estimates if e.reason
            ]
            notes += [
                f"{result.run.name}, {e.metric}: undefined in {percent(round(e.dropped, 4))} of "
                f"the resamples, which are left out."
                for e in result.estimates
                if e.dropped and not e.reason
            ]
        return notes

    def _documented(self) -> list[list[str]]:
        risks = list(self.runs[0].documented_risks)
        return [
            ["run", *(result.run.name for result in self.runs)],
            ["items", *(str(len(result.run.columns)) for result in self.runs)],
            ["AURC", *(f"{result.documented_aurc:.4f}" for result in self.runs)],
            *(
                [
                    f"risk at {percent(risk)}",
                    *(_documented_risk(result.documented_risks[risk]) for result in self.runs),
                ]
                for risk in risks
            ),
        ]


_DOCUMENTED_NOTES = [
    "As documented for such runs: absolute error, ties in input order, trapezoidal rule from the "
    "first point. The area falls if a system abstains more; do not compare it between runs of "
    "different coverage.",
]


def report(
    paths: Sequence[str | Path],
    coverages: Sequence[float] = (0.5,),
    loss: str = "absolute",
    *,
    span: float | None = None,
    method: Bootstrap = _DEFAULT,
    signal: str | None = None,
    rng: int,
) -> SelectiveReport:
    """Read runs of items, score each, and compare those that can be ranked.

    Parameters
    ----------
    paths
        The JSON files.
    coverages
        Coverages at which the risk is reported.
    loss
        The loss of an item: "absolute", "zero-one", "squared" or "normalised".
    span
        The largest possible error, for the normalised loss.
    method
        The bootstrap, which resamples participants.
    signal
        The signal that is used as confidence; see `data.readers.item_run_signals`.
    rng
        The seed of the resamples.
    """
    runs = _runs_by_name(paths, signal)
    metrics = [Aurc(), Augrc(), ExcessAurc(), *(RiskAt(coverage) for coverage in coverages)]
    reports, data, unranked = [], {}, {}
    for run in runs:
        try:
            predictions = run.predictions(loss, span)
            reports.append(_score_run(run, predictions, metrics, coverages, method, rng))
        except InputError as error:
            unranked[run.name] = str(error)
        else:
            data[run.name] = run
    if not reports:
        raise InputError(" ".join(unranked.values()))
    comparison, notes = _compare_runs(data, coverages, loss, span, method, rng)
    return SelectiveReport(
        runs=tuple(reports),
        unranked=unranked,
        method=method,
        loss=loss,
        comparison=comparison,
        remarks=tuple(notes),
    )


def risk_coverage_picture(found: SelectiveReport, span: float | None, rng: int) -> "Picture":
    """Draw the risk–coverage curve of every run with its band."""
    from errbar.results.pictures import risk_picture  # noqa: PLC0415  an extra

    data = {Subject(each.run.name): each.run.predictions(found.loss, span) for each in found.runs}
    return risk_picture(risk_bands(data, found.method, rng))


def _runs_by_name(paths: Sequence[str | Path], signal: str | None) -> list[ItemRun]:
    """Read the runs of all files, and give them unique names."""
    files = list(dict.fromkeys(map(Path, paths)))
    if len(files) == 1:
        return read_item_runs(files[0], signal)
    runs = []
    for file, label in zip(files, systems_of(files), strict=True):
        for run in read_item_runs(file, signal):
            name = label if run.name == file.stem else f"{label}: {run.name}"
            runs.append(replace(run, name=name))
    return runs


def _score_run(
    run: ItemRun,
    predictions: Predictions,
    metrics: Sequence[RankedMetric],
    coverages: Sequence[float],
    method: Bootstrap,
    rng: int,
) -> RunReport:
    fine = [
        metric for metric in metrics if is_reached(metric.least_coverage(), predictions.coverage)
    ]
    items = [
        ItemPrediction(item.score, item.truth, confidence)
        for item, confidence in zip(run.items, run.confidences(), strict=True)
    ]
    return RunReport(
        run=run,
        coverage=predictions.coverage,
        answered=int(predictions.answered.sum()),
        estimates=tuple(estimate(metric, predictions, method=method, rng=rng) for metric in fine),
        out_of_reach=tuple(metric for metric in metrics if metric not in fine),
        documented_aurc=compute_aurc(items),
        documented_risks={
            coverage: compute_risk_at_coverage(items, coverage) for coverage in coverages
        },
    )


def _compare_runs(
    runs: dict[str, ItemRun],
    coverages: Sequence[float],
    loss: str,
    span: float | None,
    method: Bootstrap,
    rng: int,
) -> tuple[Comparisons | None, list[str]]:
    """Compare the runs on their common items, with notes on the items left out."""
    if len(runs) < 2:
        return None, []
    keys = [[(item.participant, item.item) for item in run.items] for run in runs.values()]
    shared = align(keys).shared()
    common = shared[0].size
    if not common:
        return None, ["The runs have no item in common; they are not compared."]
    notes = []
    left = {name: len(own) - common for name, own in zip(runs, keys, strict=True)}
    if any(left.values()):
        lost = ", ".join(f"{number} of {name}" for name, number in left.items() if number)
        notes.append(f"Compared on the {common} items that all runs have; left out: {lost}.")
    data = {
        name: _restrict(run, at.tolist()).predictions(loss, span)
        for (name, run), at in zip(runs.items(), shared, strict=True)
    }
    reach = min(predictions.coverage for predictions in data.values())
    within = [coverage for coverage in coverages if is_reached(coverage, reach)]
    if reach == 0:
        return None, [
            *notes,
            "One of the runs answered none of these items; the runs are not compared.",
        ]
    return compare(data, coverages=within, method=method, rng=rng), notes


def _restrict(run: ItemRun, places: Sequence[int]) -> ItemRun:
    """Return the run restricted to some of its items."""
    items = list(run.items)
    return replace(run, columns=ItemColumns(*zip(*(items[at] for at in places), strict=True)))


def _ends(e: RankedEstimate) -> str:
    if e.reason:
        return DASH
    return " to ".join(round_to_sd(end, e.sd) for end in (e.interval.low, e.interval.high))


def _documented_risk(risk: float | None) -> str:
    return "out of reach" if risk is None else f"{risk:.4f}"


def _run_dict(result: RunReport) -> dict[str, Any]:
    return {
        "name": result.run.name,
        "items": len(result.run.columns),
        "participants": result.run.participants,
        "answered": result.answered,
        "max_coverage": result.coverage,
        "failed_participants": result.run.failed,
        "items_without_truth": result.run.without_truth,
        "signal": result.run.signal.name,
        "lower_is_surer": result.run.signal.lower_is_surer,
        "signals": list(result.run.signals),
        "items_without_signal": result.run.without_signal,
        "estimates": _json(_estimates(result)),
        "out_of_reach": [str(metric) for metric in result.out_of_reach],
        "documented": {
            "aurc": result.documented_aurc,
            "risk_at_coverage": {
                f"{coverage:g}": risk for coverage, risk in result.documented_risks.items()
            },
        },
    }


def _estimates(result: RunReport) -> list[dict[str, Any]]:
    return [
        {
            "metric": str(e.metric),
            "value": e.value,
            "sd": e.sd,
            **e.interval.record(),
            "dropped": e.dropped,
            "reason": e.reason,
        }
        for e in result.estimates
    ]


def _json(records: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return records with null in place of numbers that are not finite."""
    return [{key: finite(value) for key, value in record.items()} for record in records]
