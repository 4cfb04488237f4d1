"""Parse a log of inspect_ai: its header, and the fields of samples that are used.

The summaries of an archive have all that is needed and are much smaller than its samples, which are
read only if summaries are missing. A run that crashed has neither a header nor summaries, but a
journal of both. A score is C, P, I or N, a number, a word for one, or several of these by name.
"""

import json
import math
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errbar.base.remarks import Above, warning
from errbar.data.readers.archive import Archive
from errbar.data.readers.base import Glance
from errbar.data.readers.documents import (
    Other,
    Part,
    Shape,
    document_as,
    elements_as,
    field,
    number_or_none,
    parsed_as,
    require_key,
    require_list,
    require_object,
)
from errbar.data.readers.log_names import without_secrets
from errbar.errors import InputError

_HEADERS = ("header.json", "_journal/start.json")
_SAMPLE = re.compile(r"samples/(.+_epoch_\d+)(?:\.json|/sample\.json)", re.DOTALL)
_WIDE = 40  # characters of a setting in a system name
_SETTINGS = (
    *("task_args", "task_version", "solver", "solver_args"),
    *("model_args", "model_generate_config", "model_roles"),
)
USAGE = ("input_tokens", "output_tokens", "seconds")  # columns of what a sample spent
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


class LoggedScore(Part):
    """Value and answer by a scorer."""

    value: Any = None
    answer: Any = None


class LoggedSample(Part):
    """The fields of a sample that are used; messages and events are dropped."""

    id: Any = None
    epoch: Any = 1
    target: Any = None
    metadata: Any = None
    by_scorer: dict[str, LoggedScore | Other] | Other = field(name="scores", default=None)
    score: LoggedScore | Other = None  # logs of 2024 had one score
    error: Any = None
    limit: Any = None
    completed: Any = True
    model_usage: Any = None
    total_time: Any = None

    def tokens(self, kind: str) -> float | None:
        """Tokens of a kind, such as input_tokens, of all models together."""
        usage = self.model_usage if type(self.model_usage) is dict else {}
        each = [number_or_none(part.get(kind)) for part in usage.values() if type(part) is dict]
        known = [number for number in each if number is not None]
        return sum(known) if known else None

    @property
    def scores(self) -> Mapping[str, Any]:
        """Scores by scorer."""
        if self.by_scorer is None and type(self.score) is LoggedScore:
            return {"score": self.score}
        return self.by_scorer if type(self.by_scorer) is dict else {}


class _LogDocument(Part):
    """A log, or the header of one."""

    eval: Any = None
    status: Any = None
    results: Any = None
    invalidated: Any = None
    samples: list[LoggedSample] | None = None


_SHAPE_OF_SAMPLE: Shape[LoggedSample] = Shape(LoggedSample)
_SHAPE_OF_LOG: Shape[_LogDocument] = Shape(_LogDocument)


@dataclass(frozen=True, eq=False)
class InspectRun:
    """One log."""

    path: Path
    eval: Mapping[str, Any]
    status: str
    results: Mapping[str, Any]
    invalidated: bool
    samples: list[LoggedSample]
    replaced: int = 0  # members of the archive that a later one of the same name replaces

    @property
    def model(self) -> str:
        """Name of the model with its provider."""
        return _name(self.eval.get("model"))

    @property
    def task(self) -> str:
        """Registered name of the task, not its display name."""
        return _name(self.eval.get("task"))

    @property
    def identity(self) -> tuple[str, str]:
        """Id shared by a run and its retries."""
        return str(self.eval.get("task_id") or self.path), self.model

    @property
    def goodness(self) -> tuple[bool, bool, int, str]:
        """Sort key of the logs of a run; the best has samples, finished, is fullest, and latest."""
        there = len(self.samples)
        return there > 0, self.status == "success", there, str(self.eval.get("created") or "")

    @property
    def stopped(self) -> int:
        """Number of samples that were left out because the run was stopped early."""
        stops = _inner(self.results, "early_stopping", "early_stops")
        return len(stops) if isinstance(stops, list) else 0

    @property
    def expected(self) -> int | None:
        """Number of planned samples, without those that were left out."""
        samples = self.results.get("total_samples")
        if samples is None:
            samples = _inner(self.eval, "dataset", "samples")
            epochs = _inner(self.eval, "config", "epochs") or 1
            samples = (
                samples * epochs if isinstance(samples, int) and isinstance(epochs, int) else None
            )
        return samples - self.stopped if isinstance(samples, int) else None

    def settings(self) -> dict[str, str]:
        """Settings of the run by name."""
        found: dict[str, str] = {}
        for kind in _SETTINGS:
            value = without_secrets(self.eval.get(kind))
            if isinstance(value, Mapping):
                found |= {
                    str(key): json.dumps(setting, default=str) for key, setting in value.items()
                }
            elif value is not None:
                found[kind] = json.dumps(value, default=str)
        return found

    def stated(self) -> list[dict[str, Any]]:
        """Scores stated in the header."""
        where = f"{self.path}, results"
        scores = require_list(self.results.get("scores") or [], f"{where}, scores")
        return [require_object(score, f"{where}, scores") for score in scores]

    def headline(self) -> str:
        """Main score of the task, as stated in the header."""
        scorer = _inner(self.results, "headline", "scorer")
        score = _inner(self.results, "headline", "score")
        return str(scorer) if scorer == score else f"{scorer}/{score}"


def cut_setting(value: str) -> str:
    """A setting; a long one is truncated and gets a digest."""
    if len(value) <= _WIDE:
        return value
    return f"{value[:_WIDE]}… {zlib.crc32(value.encode()):08x}"


def usage_of(samples: Sequence[LoggedSample]) -> dict[str, list[float | None]]:
    """Tokens and seconds of samples, as far as the log has them."""
    found = {kind: [sample.tokens(kind) for sample in samples] for kind in USAGE[:2]}
    found[USAGE[2]] = [number_or_none(sample.total_time) for sample in samples]
    return {name: values for name, values in found.items() if any(v is not None for v in values)}


def _name(value: Any) -> str:
    """Text with lone surrogates escaped, as in the table."""
    return str(value or "").encode("utf-8", "backslashreplace").decode("utf-8")


def _inner(value: Mapping[str, Any], *keys: str) -> Any:
    """A value at a path of keys; None if it is missing."""
    part: Any = value
    for key in keys:
        part = part.get(key) if isinstance(part, Mapping) else None
    return part


def read_run(path: Path) -> InspectRun:
    """A log of either kind."""
    if Glance(path).head.startswith(b"PK"):
        return _read_archive(path)
    log = document_as(path, _SHAPE_OF_LOG)
    return _with_header(path, log, str(path), log.samples or [])


def _read_archive(path: Path) -> InspectRun:
    with Archive(path) as archive:
        name = next((name for name in _HEADERS if name in archive), None)
        if name is None:
            raise InputError(
                f"{path}: it has neither {' nor '.join(_HEADERS)}, one of which every archive of "
                f"inspect_ai has."
            )
        where = f"{path}, {name}"
        header = parsed_as(archive.read(name), _SHAPE_OF_LOG, where)
        return _with_header(path, header, where, list(_samples(archive)), archive.replaced)


def _with_header(
    path: Path, header: _LogDocument, where: str, samples: list[LoggedSample], replaced: int = 0
) -> InspectRun:
    return InspectRun(
        path,
        require_object(require_key({"eval": header.eval}, "eval", where), f"{where}, eval"),
        str(header.status or "unfinished"),
        require_object(header.results or {}, f"{where}, results"),
        bool(header.invalidated),
        samples,
        replaced,
    )


def _samples(archive: Archive) -> Iterator[LoggedSample]:
    """Summaries of samples, and the samples without a summary."""
    names = ["summaries.json"]
    if "summaries.json" not in archive:
        names = sorted(archive.names("_journal/summaries/"), key=_place_in_journal)
    summarised: set[str] = set()
    members = archive.names("samples/")
    for name in names:
        where = f"{archive.path}, {name}"
        found = elements_as(archive.read(name), _SHAPE_OF_SAMPLE, where)
        if members:
            summarised.update(f"{sample.id}_epoch_{sample.epoch}" for sample in found)
        yield from found
    for name in members:
        if name[len("samples/") : -len(".json")] in summarised:
            continue  # the common case
        known = _SAMPLE.fullmatch(name)
        if known and known[1] not in summarised:
            yield parsed_as(archive.read(name), _SHAPE_OF_SAMPLE, f"{archive.path}, {name}")


def _place_in_journal(name: str) -> tuple[int, str]:
    """Number of a part of the journal; of two entries of a sample the later one counts."""
    number = re.search(r"(\d{1,9})\.json$", name)
    return int(number[1]) if number else 0, name


def scorers_in(samples: Sequence[LoggedSample]) -> list[str]:
    """Names of scores in order; parts of a score are named scorer/part."""
    found: dict[str, dict[str, None]] = {}
    for sample in samples:
        for name, score in sample.scores.items():
            if type(score) is not LoggedScore:
                continue
            parts, value = found.get(name), score.value
            if parts is None:
                parts = found[name] = {}
            elif name in parts and isinstance(value, str):
                continue
            if isinstance(value, dict):
                parts |= dict.fromkeys(f"{name}/{key}" for key in value)
            elif isinstance(value, list):
                parts |= dict.fromkeys(f"{name}/{at}" for at in range(len(value)))
            elif not is_nan(value):
                parts[name] = None
    return [part for name, parts in found.items() for part in parts or [name]]


def value_of(sample: LoggedSample, scorer: str) -> tuple[Any, Any]:
    """Value of a scorer, or of a part of one, for a sample, and the answer it saw."""
    scores = sample.scores
    score = scores.get(scorer)
    if type(score) is LoggedScore:
        return score.value, score.answer
    name, _, part = scorer.rpartition("/")
    while name and name not in scores:  # a part may be called a/b
        name, _, first = name.rpartition("/")
        part = f"{first}/{part}"
    score = scores.get(name)
    if type(score) is not LoggedScore:
        return None, None
    if isinstance(score.value, dict):
        return score.value.get(part), score.answer
    if isinstance(score.value, list) and part.isdecimal() and int(part) < len(score.value):
        return score.value[int(part)], score.answer
    return None, score.answer


def number_in(value: Any) -> float | None:
    """Numeric value of a score, as inspect_ai converts it; None if it has none."""
    if not isinstance(value, str):
        return number_or_none(value)
    known = _GRADES.get(value)
    if known is None:
        known = _WORDS.get(value.lower())
    if known is not None:
        return known
    try:
        return number_or_none(float(value))
    except ValueError:
        return None


def is_nan(value: Any) -> bool:
    """Whether the value means that there is no score."""
    return isinstance(value, float) and math.isnan(value)


def oddities(run: InspectRun) -> Iterator[Above]:
    """Warnings about the run: status, missing samples, errors, invalidation."""
    name, there = run.path.name, len(run.samples)
    failed = sum(bool(sample.error) for sample in run.samples)
    missing = run.expected is not None and run.expected != there
    if run.status != "success":
        of = f" of {run.expected}" if missing else ""
        text = f"the run ended as {run.status!r}; {there}{of} samples are in the log."
        yield warning(f"{name}: {text}")
    elif missing:
        yield warning(f"{name}: {run.expected} samples were planned, {there} are in the log.")
    if run.samples and failed == there:
        says = "the log says success, but " if run.status == "success" else ""
        yield warning(f"{name}: {says}every sample ended in an error.")
    if run.stopped:
        text = (
            f"the run was stopped early and {run.stopped} samples were left out. If their scores "
            f"decided when, the mean leans towards the decision"
        )
        yield warning(f"{name}: {text}; do not compare it with runs that were not stopped.")
    if run.invalidated:
        text = "samples were declared invalid after the run; they are still scored."
        yield warning(f"{name}: {text}")
    if run.replaced:
        text = f"{run.replaced} members of the archive have the name of a later one"
        yield warning(f"{name}: {text}; the last counts.")
