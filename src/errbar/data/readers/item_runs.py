"""Runs that score the items of a questionnaire for each participant, or abstain.

    {"experiments": [{"results": {"mode": "few_shot", "results": [
        {"participant_id": 300, "success": true,
         "predicted_items": {"Sleep": 2, "Appetite": null},
         "ground_truth_items": {"Sleep": 1, "Appetite": 0},
         "item_signals": {"Sleep": {"llm_evidence_count": 3, "verbalized_confidence": 4},
                          "Appetite": {"llm_evidence_count": 0, "verbalized_confidence": null}}}
    ]}}]}

An item counts if its true score is known; without a predicted score the system abstained. One of
the signals is the confidence, by default the number of pieces of evidence, which older runs save
as `evidence_counts`. Everything left out is counted.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from operator import eq
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from errbar.data.predictions import Predictions
from errbar.data.readers.base import Glance, Reader
from errbar.data.readers.choices import Choice
from errbar.data.readers.documents import JSONDecodeError, is_whole, parse
from errbar.data.readers.item_run_signals import Signal, note_signals, number_of, numbers, shown
from errbar.data.readers.logs import Claim, Log, pick
from errbar.data.readers.tables.naming import systems_of
from errbar.errors import InputError, InternalError

_NAMES = ("name", "mode", "label")  # keys that may name an experiment or its results


class Item(NamedTuple):
    """One item of one participant."""

    participant: str
    item: str
    score: float | None  # None: declined
    truth: float
    confidence: float | None  # None: not saved, and without a default


@dataclass(frozen=True, slots=True)
class ItemColumns:
    """Items of participants as columns."""

    participants: Sequence[str]
    items: Sequence[str]
    scores: Sequence[float | None]
    truths: Sequence[float]
    confidences: Sequence[float | None]

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True, slots=True)
class ItemRun:
    """One experiment of a file."""

    name: str
    columns: ItemColumns
    participants: int  # participants that count
    failed: int  # participants left out because their run failed
    failed_items: int  # their items, at least one each
    without_truth: int  # items left out because their true score is unknown
    without_signal: int  # items without the signal
    signal: Signal
    signals: tuple[str, ...]  # all signals in the run
    stated: int | None = None  # number of items stated by the participants

    @property
    def items(self) -> tuple[Item, ...]:
        """The items one by one."""
        part = self.columns
        return tuple(
            map(Item, part.participants, part.items, part.scores, part.truths, part.confidences)
        )

    @property
    def has_signal(self) -> bool:
        """Whether the signal was saved at all."""
        return self.signal.name in self.signals

    def predictions(self, loss: str = "absolute", span: float | None = None) -> Predictions:
        """Losses and confidences, clustered by participant."""
        if not self.has_signal:
            raise InputError(f"{self.name}: {self.size()}. {self.signal.not_there(self.signals)}")
        if not self.columns.items:
            raise InputError(f"{self.name}: {self.size()}; no item is left to score.")
        answered = [item for item in self.items if item.score is not None]
        unranked = [item for item in answered if item.confidence is None]
        if unranked:
            first = unranked[0]
            raise InputError(
                f"{self.name}: {len(unranked)} of {len(answered)} answered items have no "
                f"{self.signal.name} and cannot be ranked, as {first.item} of participant "
                f"{first.participant}. The signals are: {', '.join(self.signals)}."
            )
        return Predictions.judged(
            self.columns.scores,
            self.columns.truths,
            self.confidences(),
            loss,
            span=span,
            clusters=self.columns.participants,
        )

    def confidences(self) -> list[float]:
        """Confidences of all items; nan for abstentions, which are never ranked."""
        return [confidence or 0.0 for confidence in self.columns.confidences]

    def left_out(self) -> str:
        """Describe what was left out; empty if nothing was."""
        remarks = []
        if self.failed:
            remarks.append(f"{self.failed} failed participant{'s' * (self.failed > 1)}")
        if self.without_truth:
            items = f"{self.without_truth} item{'s' * (self.without_truth > 1)}"
            remarks.append(f"{items} without a truth")
        return f" ({' and '.join(remarks)} left out)" if remarks else ""

    def size(self) -> str:
        """Describe the size of the run."""
        size = len(self.columns)
        answered = size - self.columns.scores.count(None)
        return (
            f"{size} items of {self.participants} participants, {answered} answered"
            f"{self.left_out()}"
        )

    def absent(self) -> str:
        """Describe how items without the signal are treated; empty if all have it."""
        if not self.has_signal or not self.without_signal:
            return ""
        value = self.signal.if_absent
        treatment = "which cannot be ranked" if value is None else f"taken as {value:g}"
        items = f"{self.without_signal} item{'s' * (self.without_signal > 1)}"
        return f"{items} without {self.signal.name}, {treatment}"


def is_item_run(path: str | Path) -> bool:
    """Whether the reader recognises a file."""
    place = Path(path)
    return place.is_file() and bool(READER.recognise(Glance(place)))


def read_item_runs(path: str | Path, signal: str | None = None) -> list[ItemRun]:
    """The experiments of one file, named by themselves or by the file.

    A signal chosen by name must be in all of them.
    """
    place = Path(path)
    data = _load(place)
    experiments = _get(data, "experiments", list, f"{place}")
    if not experiments:
        raise InputError(f"{place}: the list of experiments is empty.")
    runs = []
    for at, experiment in enumerate(experiments):
        where = f"{place}: experiments[{at}]"
        results = _get(experiment, "results", dict, where)
        rows = _get(results, "results", list, f"{where}.results")
        name = _name(experiment, results)
        if name is None:
            name = place.stem if len(experiments) == 1 else f"{place.stem} {at + 1}"
        run = _run(name, rows, Signal.parse(signal), f"{where}.results.results")
        if signal is not None:
            pick(run.signal.name, run.signals, "signal", where)
        runs.append(run)
    return _with_distinct_names(runs)


def _recognise(glance: Glance) -> str:
    inside = [key for key in ("predicted_items", "participant_id") if f'"{key}"' in glance.text]
    known = inside and glance.has("experiments")
    return f"a JSON document with experiments and {inside[0]}" if known else ""


def _read(files: Sequence[Path], choice: Choice) -> Log:
    """Read files; each item is a question, and is right if its score equals the true score."""
    log = Log()
    labels = systems_of(files)
    runs = [
        (path, label, run)
        for path, label in zip(files, labels, strict=True)
        for run in read_item_runs(path, choice.signal)
    ]
    often = Counter(run.name for *_, run in runs)
    for path, label, run in runs:
        name = run.name if often[run.name] == 1 else f"{run.name} ({label})"
        log.read(path, len(run.columns) + run.failed_items + run.without_truth)
        log.leave_out(path, "items of participants whose run failed", run.failed_items)
        log.leave_out(path, "items without a truth", run.without_truth)
        if run.columns.items:
            _add(log, name, run)
        _tell(log, name, run)
    return log


def _add(log: Log, name: str, run: ItemRun) -> None:
    participants, items = run.columns.participants, run.columns.items
    scores, truths = run.columns.scores, run.columns.truths
    size = len(items)
    values = {*scores, *truths}
    written: dict[float | None, str]
    written = {value: f"{value + 0.0:g}" for value in values if value is not None}
    outcomes: list[float | None] = list(map(float, map(eq, scores, truths)))
    statuses = ["ok"] * size
    for at, score in enumerate(scores) if None in scores else ():
        if score is None:
            outcomes[at], statuses[at] = None, "abstained"
    log.extend(
        system=[name] * size,
        question=[f"{who} · {item}" for who, item in zip(participants, items, strict=True)],
        outcome=outcomes,
        status=statuses,
        answer=list(map(written.get, scores)),
        target=list(map(written.get, truths)),
        confidence=run.columns.confidences if run.has_signal else [None] * size,
        cluster=participants,
        item=items,
    )


def _tell(log: Log, name: str, run: ItemRun) -> None:
    """Add the remarks and claims of a run."""
    log.remarks.append(f"{name}: {run.size()}.")
    if run.absent():
        log.remarks.append(f"{name}: {run.absent()}.")
    if run.has_signal:
        remark = run.signal.remark(run.signals)
        log.remarks += [remark] if remark not in log.remarks else []
    else:
        log.remarks.append(f"{name}: {run.signal.not_there(run.signals)}")
    if run.stated is not None and not run.without_truth:
        log.claims.append(Claim("available_items + na_items", run.stated, "rows", name))


def _load(place: Path) -> Any:
    try:
        return parse(place.read_bytes())
    except OSError as error:
        raise InputError(f"{place} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{place} is not text: {error.reason} at byte {error.start}.") from error
    except JSONDecodeError as error:
        raise InputError(
            f"{place} is not valid JSON: {error.msg} in line {error.lineno}, column {error.colno}."
        ) from error
    except RecursionError as error:
        raise InputError(f"{place}: its parts are nested too deeply.") from error


@dataclass
class _SavedValues:
    """Values saved for the items of participants, an entry per item."""

    participants: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    scores: list[Any] = field(default_factory=list)
    truths: list[Any] = field(default_factory=list)
    signals: list[Any] = field(default_factory=list)

    def add(self, participant: str, row: dict[str, Any], signal: Signal, where: str) -> None:
        """Add the items of a participant."""
        predicted, truth = row.get("predicted_items"), row.get("ground_truth_items")
        if type(predicted) is not dict or type(truth) is not dict:
            predicted = _get(row, "predicted_items", dict, where)
            truth = _get(row, "ground_truth_items", dict, where)
        alike = list(truth) == list(predicted)  # most runs save items in the same order
        items = list(truth if alike else _items_of(row))
        self.participants += [participant] * len(items)
        self.items += items
        self.scores += predicted.values() if alike else map(predicted.get, items)
        self.truths += truth.values() if alike else map(truth.get, items)
        self.signals += signal.values(row, items, where)


def _run(name: str, rows: Sequence[Any], signal: Signal, where: str) -> ItemRun:
    saved = _SavedValues()
    seen: set[str] = set()
    signals: dict[str, None] = {}
    failed = failed_items = 0
    stated: int | None = 0
    for at, row in enumerate(rows):
        if (type(row) is not dict or row.get("success") is not True) and not _is_success(
            row, f"{where}[{at}]"
        ):
            failed += 1
            failed_items += max(1, len(_items_of(row)))
            continue
        participant = str(row.get("participant_id", at))
        if participant in seen:
            raise InputError(f"{where}[{at}]: participant {participant} occurs twice in {name}.")
        seen.add(participant)
        saved.add(participant, row, signal, f"{where}[{at}]")
        note_signals(row, signals)
        if stated is not None:
            more = _stated_items(row)
            stated = None if more is None else stated + more
    scores, truths, values = (
        numbers(column) for column in (saved.scores, saved.truths, saved.signals)
    )
    if scores is None or truths is None or values is None:
        _refuse_other_than_numbers(rows, signal, where)
    confidences = signal.ranked(values)
    parts: list[Sequence[Any]] = [saved.participants, saved.items, scores, truths, confidences]
    if None in truths:
        known = [truth is not None for truth in truths]
        parts = [list(compress(part, known)) for part in parts]
    columns = ItemColumns(*parts)
    absent = columns.confidences.count(None)
    if absent and signal.if_absent is not None:
        filled = [signal.if_absent if value is None else value for value in columns.confidences]
        columns = replace(columns, confidences=filled)
    return ItemRun(
        name,
        columns,
        len(seen),
        failed,
        failed_items,
        len(saved.items) - len(columns),
        absent,
        signal,
        tuple(signals),
        stated if seen else None,
    )


def _refuse_other_than_numbers(rows: Sequence[Any], signal: Signal, where: str) -> NoReturn:
    """Raise an error that names an item whose score, true score or signal is not a number."""
    for at, row in enumerate(rows):
        here = f"{where}[{at}]"
        for item in _items_of(row) if _is_success(row, here) else ():
            number_of(row["ground_truth_items"], item, f"{here}.ground_truth_items")
            number_of(row["predicted_items"], item, f"{here}.predicted_items")
            signal.confidence(row, item, here)
    raise InternalError(f"{where} has a value that is not a number, and it was not found.")


def _is_success(row: Any, where: str) -> bool:
    if not isinstance(row, dict):
        raise InputError(f"{where} must be an object; got {shown(row)}.")
    success = row.get("success", True)
    if not isinstance(success, bool):
        raise InputError(f"{where}.success must be true or false; got {shown(success)}.")
    return success


def _items_of(row: dict[str, Any]) -> dict[str, None]:
    """The items of a participant, whether scored or not."""
    parts = (row.get(key) for key in ("ground_truth_items", "predicted_items"))
    return dict.fromkeys(item for part in parts if isinstance(part, dict) for item in part)


def _stated_items(row: dict[str, Any]) -> int | None:
    """Number of items stated by a participant, answered or not."""
    answered, declined = row.get("available_items"), row.get("na_items")
    return answered + declined if is_whole(answered) and is_whole(declined) else None


def _with_distinct_names(runs: list[ItemRun]) -> list[ItemRun]:
    """Runs of the same name get a number."""
    often = Counter(run.name for run in runs)
    so_far: Counter[str] = Counter()
    named = []
    for run in runs:
        so_far[run.name] += 1
        number_of_run = f"{run.name} {so_far[run.name]}"
        named.append(run if often[run.name] == 1 else replace(run, name=number_of_run))
    return named


def _name(*places: dict[str, Any]) -> str | None:
    """The first name among these places, under one of the usual keys."""
    names = (place.get(key) for place in places for key in _NAMES)
    return next((name for name in names if isinstance(name, str) and name), None)


def _get(data: Any, key: str, kind: type, where: str) -> Any:
    if not isinstance(data, dict) or key not in data:
        keys = ", ".join(data) if isinstance(data, dict) else ""
        found = f"the keys {keys}" if keys else shown(data)
        raise InputError(f"{where} has no {key!r}; found {found}.")
    if not isinstance(data[key], kind):
        expected = "a list" if kind is list else "an object"
        raise InputError(f"{where}.{key} must be {expected}; got {shown(data[key])}.")
    return data[key]


READER = Reader(
    "item_runs", ("lines", "object"), _recognise, _read, chooses=("signal",), keys=("experiments",)
)
