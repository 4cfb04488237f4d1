"""inspect_ai extension: scores with intervals, reducers, a summary of each run, early stopping.

    from errbar.integrations.inspect_ai import StopWhenDecided, interval, reduce_by

    @task
    def arithmetic():
        return Task(
            dataset=..., scorer=match(), epochs=Epochs(8, reduce_by("pass^4")),
            metrics=[interval("avg"), interval("pass@4")],
            early_stopping=StopWhenDecided("pass@4", at_least=0.8),
        )

inspect_ai finds the extension through its entry point; nothing is computed before it is needed.
"""

import inspect
import math
import os
from collections.abc import Iterable, Sequence
from logging import getLogger
from typing import Any
from urllib.parse import unquote, urlsplit

from errbar.errors import MissingExtra
from errbar.integrations.repeated_tests import TestVerdict, needed_evidence, verdict_on

try:
    from inspect_ai.hooks import Hooks, RunEnd, hooks
    from inspect_ai.scorer import (
        Metric,
        SampleScore,
        Score,
        ScoreReducer,
        metric,
        score_reducer,
        value_to_float,
    )
except ModuleNotFoundError as error:
    raise MissingExtra("inspect_ai is not installed: pip install 'errbar[inspect]'.") from error

_LOG = getLogger(__name__)
_SEES_EPOCHS = "scores" in inspect.signature(metric).parameters
_SETTING = "ERRBAR_INSPECT"


def interval(name: str = "avg", level: float = 0.95, estimand: str = "population") -> Metric:
    """A metric of errbar with its interval, computed from the scores of every epoch.

    Parameters
    ----------
    name
        The metric by its name in errbar: avg, pass@4, pass^4, maj@5 …
    level, estimand
        As in `errbar.score`.
    """
    import errbar  # noqa: PLC0415  only if the metric is used

    measure = errbar.parse(name)

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        known = {str(measure): math.nan, f"{measure} low": math.nan, f"{measure} high": math.nan}
        if not scores:  # inspect_ai asks before the first sample is scored
            return known
        try:
            (found,) = errbar.score(_outcomes(scores), measure, level=level, estimand=estimand)
        except errbar.errors.ErrbarError as error:  # an error here must not end the run
            _LOG.warning("errbar: no %s: %s", measure, error)
            return known
        if not _SEES_EPOCHS:
            _LOG.warning(
                "errbar: this version of inspect_ai reduces epochs before metrics see them, so %s "
                "has one trial for each sample; `errbar score` on the log uses all of them.",
                measure,
            )
        ends = (found.value, found.interval.low, found.interval.high)
        return dict(zip(known, ends, strict=True))

    return compute


interval = metric(name="interval", **({"scores": "unreduced"} if _SEES_EPOCHS else {}))(interval)


def _outcomes(scores: Iterable[SampleScore]) -> Any:
    """Counts of samples that are right or wrong; else rows, where no number means not scored.

    inspect_ai asks for its metrics every second while it runs; counts take it a twentieth of the
    time of rows.
    """
    import errbar  # noqa: PLC0415

    number, values = value_to_float(), dict[str, list[float]]()
    for sample in scores:
        values.setdefault(str(sample.sample_id), []).append(number(sample.score.value))
    samples = values.values()
    if all(value in (0.0, 1.0) for own in samples for value in own):
        return errbar.Counts([len(own) for own in samples], [int(sum(own)) for own in samples])
    return [
        {"question": question, "trial": at, "outcome": None if math.isnan(value) else value}
        for question, own in values.items()
        for at, value in enumerate(own)
    ]


@score_reducer(name="errbar")
def reduce_by(name: str) -> ScoreReducer:
    """Reduce the epochs of a sample by a metric of errbar, as in `reduce_by("pass^4")`.

    It uses all epochs, of which there may be more than the metric draws. For a metric of k draws,
    such as pass@4 or maj@3, it averages over all ways to draw them, so it is not biased.
    """
    import errbar  # noqa: PLC0415  only if the reducer is used

    measure = errbar.parse(name)
    number = value_to_float()

    def reduce(scores: list[Score]) -> Score:
        value = _credit(measure, [number(score.value) for score in scores])
        return Score(value=value, answer=scores[0].answer, metadata=scores[0].metadata)

    return reduce


def _credit(measure: Any, values: Sequence[float]) -> float:
    """The metric of one sample; nan with too few epochs, and of partial scores but for the mean."""
    import errbar  # noqa: PLC0415

    known = [value for value in values if not math.isnan(value)]
    if len(known) < max(getattr(measure, "k", 1), 1):
        return math.nan
    if set(known) <= {0.0, 1.0}:
        credit: float = measure.point(errbar.Counts([len(known)], [int(sum(known))]))
        return credit
    return sum(known) / len(known) if measure == errbar.parse("avg") else math.nan


@hooks(name="errbar", description="Prints scores with intervals, a comparison and a gate.")
class PrintedSummary(Hooks):
    """At the end of a run, prints what `errbar` prints for its logs.

    It is switched on by environment variables: `ERRBAR_INSPECT=1`, or a list of metrics as in
    `ERRBAR_INSPECT=avg,pass@4`. `ERRBAR_INSPECT_BASELINE` names an earlier log to compare with, and
    `ERRBAR_INSPECT_MAX_DROP` the largest drop from it that is allowed; `ERRBAR_INSPECT_REPORT`
    names a file for the report.
    """

    def enabled(self) -> bool:
        """Whether the environment asks for it."""
        return bool(os.environ.get(_SETTING))

    async def on_run_end(self, data: RunEnd) -> None:
        """Print the summary; a fault of errbar does not harm the run."""
        logs = [local_path(log.location) for log in data.logs if log.location]
        if logs:
            import errbar  # noqa: PLC0415  only if switched on

            try:
                _summarise(logs)
            except errbar.errors.ErrbarError as error:
                _LOG.warning("errbar: %s", error)


def _summarise(logs: Sequence[str]) -> None:
    """Print scores, a gate if there is a baseline, and write the report if a file is named."""
    import errbar  # noqa: PLC0415

    setting = os.environ[_SETTING].replace(" ", "")
    metrics = [] if setting.lower() in {"1", "true", "yes", "on"} else setting.split(",")
    runs = errbar.load(logs)
    shown: list[Any] = [errbar.score(runs, *metrics) if metrics else errbar.overview(runs)]
    baseline, drop = (os.environ.get(f"{_SETTING}_{name}") for name in ("BASELINE", "MAX_DROP"))
    if baseline:
        try:
            max_drop = float(drop or "")
        except ValueError as error:
            raise errbar.errors.InputError(
                f"{_SETTING}_BASELINE needs the largest drop that is allowed as a number in "
                f"{_SETTING}_MAX_DROP; it is {drop!r}."
            ) from error
        shown.append(errbar.gate(baseline, runs, *(metrics or ["avg"]), max_drop=max_drop))
    for result in shown:
        print(result)  # noqa: T201  it is what the hook is for
    page = os.environ.get(f"{_SETTING}_REPORT")
    if page:
        errbar.report(runs, page)


def local_path(location: str) -> str:
    """A path for the location of a log, which may be a `file:` address."""
    parts = urlsplit(location)
    return unquote(parts.path) if parts.scheme == "file" else location


class StopWhenDecided:
    """Stop an eval as soon as the data show whether a metric reaches a value.

    Parameters
    ----------
    name
        avg, or a metric whose mean over draws of k epochs is not biased, such as pass@4 or maj@3.
    at_least
        The value that the metric must reach.
    level
        The probability with which the decision is right, whenever it is made.
    over
        What is left out after the decision. "epochs": further epochs of these exact samples; epochs
        are taken in rounds of the number that the metric draws: pass@4 looks every four epochs.
        "samples": further samples; the decision is about all samples that there could be, and the
        data set must be shuffled, else easy samples may come first.

    The decision is by a likelihood ratio that may be looked at after each round or sample (Robbins
    1970; `kernels.betting.log_evidence`). What is promised is the decision and the interval in the
    log, a confidence sequence. The plain mean of a run that was stopped leans towards the decision.
    """

    def __init__(
        self, name: str = "avg", *, at_least: float, level: float = 0.95, over: str = "epochs"
    ) -> None:
        import errbar  # noqa: PLC0415
        from errbar.base.arguments import strict_share  # noqa: PLC0415
        from errbar.metrics.passk import CreditMetric  # noqa: PLC0415

        if over not in {"epochs", "samples"}:
            raise errbar.errors.InputError(f"over={over!r} must be 'epochs' or 'samples'.")
        self.metric = errbar.parse(name)
        if not isinstance(self.metric, CreditMetric) and self.metric != errbar.parse("avg"):
            raise errbar.errors.InputError(
                f"{name} cannot stop an eval; use avg, or a metric of k draws as in pass@4."
            )
        self.at_least = strict_share(at_least, "at_least")
        self.needed = needed_evidence(strict_share(level, "level"), 1)
        self.over = over
        self.draws: int = getattr(self.metric, "k", 1)
        self._number = value_to_float()
        self._outcomes: dict[tuple[str | int, int], float] = {}
        self._samples: list[str | int] = []
        self._epochs = 0
        self._totals: list[float] = []  # of complete rounds, or of the first samples
        self.verdict: TestVerdict | None = None

    async def start_task(self, task: Any, samples: list[Any], epochs: int) -> str:
        """Note what will be run."""
        from errbar.errors import InputError  # noqa: PLC0415

        if self.over == "samples" and not task.dataset.shuffled:
            raise InputError(
                "StopWhenDecided(over='samples') needs a shuffled data set (--sample-shuffle, or "
                "shuffle=True where it is read): else easy samples may come first."
            )
        if epochs < self.draws:
            raise InputError(f"{self.metric} needs {self.draws} epochs; there are {epochs}.")
        self._samples = [sample.id for sample in samples]
        self._epochs = epochs
        self._outcomes, self._totals, self.verdict = {}, [], None
        return "errbar"

    async def schedule_sample(self, id: str | int, epoch: int) -> Any:
        """Leave a sample out if the eval is decided."""
        if self.verdict is None or self.verdict.decision == "inconclusive":
            return None
        from inspect_ai.util import EarlyStop  # noqa: PLC0415  not in all versions

        return EarlyStop(id=id, epoch=epoch, reason=self._sentence())

    async def complete_sample(
        self, id: str | int, epoch: int, scores: dict[str, SampleScore]
    ) -> None:
        """Take an outcome; the first scorer counts."""
        value = next((self._number(score.score.value) for score in scores.values()), math.nan)
        self._outcomes[id, epoch] = 0.0 if math.isnan(value) else value
        grown = len(self._totals)
        self._extend()
        decided = self.verdict is not None and self.verdict.decision != "inconclusive"
        if len(self._totals) > grown and not decided:
            units = 1 if self.over == "samples" else len(self._samples)
            self.verdict = verdict_on(self._totals, units, self.at_least, self.needed)

    async def complete_task(self) -> dict[str, Any]:
        """What was decided, for the log."""
        verdict = self.verdict
        if verdict is None:
            return {"decision": "inconclusive", "metric": str(self.metric)}
        return {
            "decision": verdict.decision,
            "metric": str(self.metric),
            "at_least": self.at_least,
            "value": verdict.value,
            "low": verdict.low,
            "high": verdict.high,
            "looks": verdict.rounds,
        }

    def _extend(self) -> None:
        """Add the rounds of epochs, or the samples in their order, that are now complete."""
        while len(self._totals) < self._most():
            done = len(self._totals)
            if self.over == "samples":
                names, epochs = self._samples[done : done + 1], range(1, self._epochs + 1)
            else:
                first = 1 + done * self.draws
                names, epochs = self._samples, range(first, first + self.draws)
            if any((name, epoch) not in self._outcomes for epoch in epochs for name in names):
                return
            self._totals.append(sum(self._of_sample(name, epochs) for name in names))

    def _of_sample(self, name: str | int, epochs: Iterable[int]) -> float:
        """The metric of a sample in some epochs; what cannot be scored counts as 0."""
        found = _credit(self.metric, [self._outcomes[name, epoch] for epoch in epochs])
        return 0.0 if math.isnan(found) else found

    def _most(self) -> int:
        """Rounds or samples in all."""
        return len(self._samples) if self.over == "samples" else self._epochs // self.draws

    def _sentence(self) -> str:
        """Why the eval stops."""
        verdict = self.verdict
        assert verdict is not None
        word = "above" if verdict.decision == "pass" else "below"
        ends = f"{verdict.low:.3f} to {verdict.high:.3f}"
        return f"{self.metric} is {word} {self.at_least:g} ({ends})"
