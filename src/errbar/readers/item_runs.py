"""Runs that score the items of a questionnaire per participant, or decline to.

    {"experiments": [{"results": {"results": [
        {"participant_id": 300, "success": true,
         "predicted_items": {"Sleep": 2, "Appetite": null},
         "ground_truth_items": {"Sleep": 1, "Appetite": 0},
         "evidence_counts": {"Sleep": 3, "Appetite": 0}}]}}]}

An item counts if its truth is known; without a predicted score the system declined it. The number
of pieces of evidence is the confidence. Whatever is left out is counted.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from errbar.data.ranked import Predictions
from errbar.errors import InputError
from errbar.readers.base import Choice, Glance, Log, Reader

_HEAD = 1 << 16  # letters of a file in which its experiments are mentioned
_NAMES = ("name", "mode", "label")  # where an experiment, or its results, may say what it is


class Item(NamedTuple):
    """One item of one participant."""

    participant: str
    item: str
    score: float | None  # None: declined
    truth: float
    evidence: float


@dataclass(frozen=True, slots=True)
class ItemRun:
    """One experiment of a file."""

    name: str
    items: tuple[Item, ...]
    participants: int  # those that count
    failed: int  # participants left out because their run failed
    without_truth: int  # items left out because nothing is known to hold them against
    without_evidence: int  # items whose evidence was not counted, taken as none
    has_evidence: bool  # whether there are counts at all

    def predictions(self, loss: str = "absolute", span: float | None = None) -> Predictions:
        """Losses and confidences, clustered by participant."""
        if not self.has_evidence:
            raise InputError(
                f"{self.name}: {self.size()}. No participant has evidence_counts, so nothing says "
                f"how sure the system was, and its answers cannot be ranked. Runs that save "
                f"evidence_counts can be."
            )
        if not self.items:
            raise InputError(f"{self.name}: {self.size()}; no item is left to score.")
        return Predictions.judged(
            [item.score for item in self.items],
            [item.truth for item in self.items],
            [item.evidence for item in self.items],
            loss,
            span=span,
            clusters=[item.participant for item in self.items],
        )

    def left_out(self) -> str:
        """What was left out, in words; empty if nothing was."""
        said = []
        if self.failed:
            said.append(f"{self.failed} failed participant{'s' * (self.failed > 1)}")
        if self.without_truth:
            items = f"{self.without_truth} item{'s' * (self.without_truth > 1)}"
            said.append(f"{items} without a truth")
        return f" ({' and '.join(said)} left out)" if said else ""

    def size(self) -> str:
        """How much there is, in words."""
        answered = sum(item.score is not None for item in self.items)
        return (
            f"{len(self.items)} items of {self.participants} participants, {answered} answered"
            f"{self.left_out()}"
        )


def is_item_run(path: str | Path) -> bool:
    """Whether a file is JSON that has experiments, or is no readable JSON lines file."""
    place = Path(path)
    if place.suffix.lower() != ".json":
        return False
    try:
        with place.open(encoding="utf-8") as file:
            return '"experiments"' in file.read(_HEAD) or not file.read(1)
    except (OSError, UnicodeDecodeError):
        return True


def read_item_runs(path: str | Path) -> list[ItemRun]:
    """The experiments of one file, named by themselves or by the file."""
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
        runs.append(_run(name, rows, f"{where}.results.results"))
    return _told_apart(runs)


def _recognise(glance: Glance) -> str:
    if glance.shape in ("object", "lines") and glance.has("experiments"):
        for key in ("predicted_items", "participant_id"):
            if f'"{key}"' in glance.text:
                return f"a JSON document with experiments and {key}"
    return ""


def _read(files: Sequence[Path], _: Choice) -> Log:
    """An item is right if its score is the truth; each is a question of its own."""
    log = Log()
    runs = [(path, run) for path in files for run in read_item_runs(path)]
    often = Counter(run.name for _, run in runs)
    for path, run in runs:
        name = run.name if often[run.name] == 1 else f"{run.name} ({path.stem})"
        for one in run.items:
            log.add(
                system=name,
                question=f"{one.participant} · {one.item}",
                outcome=None if one.score is None else float(one.score == one.truth),
                status="abstained" if one.score is None else "ok",
                answer=None if one.score is None else f"{one.score:g}",
                target=f"{one.truth:g}",
                confidence=one.evidence if run.has_evidence else None,
                cluster=one.participant,
                item=one.item,
            )
        log.remarks.append(f"{name}: {run.size()}.")
        if run.has_evidence and run.without_evidence:
            log.remarks.append(
                f"{name}: the evidence of {run.without_evidence} items was not counted, and is "
                f"taken as none."
            )
    return log


def _load(place: Path) -> Any:
    try:
        return json.loads(place.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{place} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{place} is not text: {error.reason} at byte {error.start}.") from error
    except json.JSONDecodeError as error:
        raise InputError(
            f"{place} is not valid JSON: {error.msg} in line {error.lineno}, column {error.colno}."
        ) from error
    except RecursionError as error:
        raise InputError(f"{place}: its parts are nested too deeply.") from error


def _run(name: str, rows: Sequence[Any], where: str) -> ItemRun:
    items: list[Item] = []
    seen: set[str] = set()
    failed = without_truth = without_evidence = 0
    has_evidence = False
    for at, row in enumerate(rows):
        here = f"{where}[{at}]"
        if not isinstance(row, dict):
            raise InputError(f"{here} must be an object; got {_shown(row)}.")
        success = row.get("success", True)
        if not isinstance(success, bool):
            raise InputError(f"{here}.success must be true or false; got {_shown(success)}.")
        if not success:
            failed += 1
            continue
        participant = str(row.get("participant_id", at))
        if participant in seen:
            raise InputError(f"{here}: participant {participant} occurs twice in {name}.")
        seen.add(participant)
        predicted = _get(row, "predicted_items", dict, here)
        truth = _get(row, "ground_truth_items", dict, here)
        counts = row.get("evidence_counts")
        if counts is not None and not isinstance(counts, dict):
            raise InputError(f"{here}.evidence_counts must be an object; got {_shown(counts)}.")
        has_evidence |= bool(counts)
        for item in dict.fromkeys([*truth, *predicted]):
            true = _number(truth.get(item), f"{here}.ground_truth_items[{item!r}]")
            score = _number(predicted.get(item), f"{here}.predicted_items[{item!r}]")
            evidence = _number((counts or {}).get(item), f"{here}.evidence_counts[{item!r}]")
            if true is None:
                without_truth += 1
                continue
            without_evidence += evidence is None
            items.append(Item(participant, item, score, true, evidence or 0.0))
    return ItemRun(
        name, tuple(items), len(seen), failed, without_truth, without_evidence, has_evidence
    )


def _told_apart(runs: list[ItemRun]) -> list[ItemRun]:
    """Runs of the same name get a number."""
    names = [run.name for run in runs]
    return [
        run
        if names.count(run.name) == 1
        else replace(run, name=f"{run.name} {names[: at + 1].count(run.name)}")
        for at, run in enumerate(runs)
    ]


def _name(*places: dict[str, Any]) -> str | None:
    return next(_names(places), None)


def _names(places: Sequence[dict[str, Any]]) -> Iterator[str]:
    for place in places:
        for key in _NAMES:
            if isinstance(place.get(key), str) and place[key]:
                yield place[key]


def _get(data: Any, key: str, kind: type, where: str) -> Any:
    if not isinstance(data, dict) or key not in data:
        keys = ", ".join(data) if isinstance(data, dict) else ""
        found = f"the keys {keys}" if keys else _shown(data)
        raise InputError(f"{where} has no {key!r}; found {found}.")
    if not isinstance(data[key], kind):
        wanted = "a list" if kind is list else "an object"
        raise InputError(f"{where}.{key} must be {wanted}; got {_shown(data[key])}.")
    return data[key]


def _number(value: Any, where: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:  # noqa: PLR0124
        raise InputError(f"{where} must be a number or null; got {_shown(value)}.")
    return float(value)


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


READER = Reader("item_runs", _recognise, _read, chooses=())
