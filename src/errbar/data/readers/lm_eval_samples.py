"""Samples of a task in a run of lm-evaluation-harness, with the results of the run.

They are in a file of their own, or under `samples` in the results, as `simple_evaluate` returns
them. lmms-eval, which grew out of the harness, puts the date first in the names of its files, and
may write an object for a metric, whose `score` is the value.

Of a large file DuckDB reads the keys that are needed, with all cores, and only these become Python
values. If it fails, the file is read line by line, which either succeeds or names the invalid line.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from glob import escape
from pathlib import Path
from typing import Any

import duckdb

from errbar.data.engines.duckdb import own_engine, quoted
from errbar.data.readers.base import Glance
from errbar.data.readers.documents import (
    document,
    lines,
    list_in,
    name_of,
    object_in,
    object_of,
    parse,
    require_key,
    require_list,
    require_object,
)
from errbar.data.readers.log_names import without_secrets
from errbar.errors import InputError

# Default metrics: the first of these that exists, else the first metric.
USUAL = ("exact_match", "acc", "pass@1", "pass_at_1", "math_verify", "prompt_level_strict_acc")
_OWN = frozenset(
    {
        *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
        *("doc_hash", "prompt_hash", "target_hash", "task_name", "schema_version"),
        *("input", "input_media", "token_counts"),
    }
)
_STAMP = re.compile(r"_(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)(?=\.json)")
_DATED = re.compile(r"(\d{8}_\d{6})_samples_")  # lmms-eval
_CACHED = re.compile(r".*/models--([^/]+?)--([^/]+)/snapshots/[^/]+/?")  # cache of the hub
_SCORE = "score"  # key of the value in a metric that is an object
_NAMES = ("peft", "delta", "pretrained", "model", "path", "engine")
_SETTINGS = ("model_args", "gen_kwargs", "limit", "system_instruction", "chat_template_sha")


@dataclass(frozen=True)
class Samples:
    """The samples of one task in one run."""

    path: Path
    results: Mapping[str, Any]  # results of the run; empty if there are none
    inside: str | None = None  # task, if the samples are in the results

    @cached_property
    def task(self) -> str:
        """Task in the file name, spelled as in the results."""
        if self.inside is not None:
            return self.inside
        name = _STAMP.sub("", self.path.name).removesuffix(".gz").removesuffix(".jsonl")
        known = [task for task in object_in(self.results, "results") if name.endswith(f"_{task}")]
        return max(known, key=len, default=_DATED.sub("", name).removeprefix("samples_"))

    @property
    def model(self) -> str:
        """Model in the results, or else the directory name."""
        names = (
            self.results.get("model_name"),
            self._model_in_settings,
            self.path.absolute().parent.name,
        )
        name = str(next(name for name in names if name is not None))
        cached = _CACHED.fullmatch(name)
        return f"{cached[1]}/{cached[2]}" if cached else name

    @property
    def _model_in_settings(self) -> str | None:
        """Model in the settings of the run; without it lm_eval invents a name."""
        arguments = object_in(self.results, "config").get("model_args")
        if isinstance(arguments, str):
            arguments = dict(pair.split("=", 1) for pair in arguments.split(",") if "=" in pair)
        args = arguments if isinstance(arguments, dict) else {}
        return next((str(args[key]) for key in _NAMES if key in args), None)

    @property
    def totals(self) -> Mapping[str, Any]:
        """Totals of the task in the results."""
        return object_in(object_in(self.results, "results"), self.task)

    @property
    def planned(self) -> int | None:
        """Number of questions stated in the results."""
        n = object_in(object_in(self.results, "n-samples"), self.task).get("effective")
        return n if isinstance(n, int) else None

    def settings(self) -> dict[str, str]:
        """Settings of the run by name."""
        config = object_in(self.results, "config")
        found = {name: config.get(name, self.results.get(name)) for name in _SETTINGS}
        found["num_fewshot"] = object_in(self.results, "n-shot").get(self.task)
        if self._model_in_settings is None:  # runs without a model name may be of different models
            stamp = _STAMP.search(self.path.name)
            found["date"] = stamp[1] if stamp else None
        return {name: json.dumps(value) for name, value in without_secrets(found).items()}

    def aggregation(self, metric: str) -> str:
        """Aggregation of a metric over samples."""
        config = object_in(object_in(self.results, "configs"), self.task)
        for entry in list_in(config, "metric_list"):
            if isinstance(entry, dict) and entry.get("metric") == metric:
                return str(entry.get("aggregation", "mean"))
        return "mean"

    @cached_property
    def first(self) -> dict[str, Any]:
        """The first sample; empty if there is none."""
        samples = (
            iter(self._array) if self._is_array else (sample for _, sample in lines(self.path))
        )
        return next(samples, {})

    @property
    def metrics(self) -> list[str]:
        """Metrics with one number per sample, the usual ones first."""
        names = [metric for metric in list_in(self.first, "metrics") if isinstance(metric, str)]
        names = names or [name for name in self.first if name not in _OWN]
        found = [name for name in names if _is_value(self.first.get(name))]
        return sorted(found, key=lambda name: USUAL.index(name) if name in USUAL else len(USUAL))

    @property
    def is_multiple_choice(self) -> bool:
        """Whether responses are pairs of a log-likelihood and a greedy flag per choice."""
        choices = self.first.get("filtered_resps")
        return (
            isinstance(choices, list)
            and len(choices) > 1
            and all(isinstance(choice, list) and len(choice) == 2 for choice in choices)
            and firsts_of(choices) is not None
        )

    @property
    def repeats(self) -> int:
        """Number of text responses of the first sample."""
        requests = self.first.get("resps")
        responses = requests[0] if isinstance(requests, list) and requests else None
        if not isinstance(responses, list) or not all(
            isinstance(response, str) for response in responses
        ):
            return 0
        return len(responses)

    def columns(self, keys: Sequence[str], firsts: Sequence[str] = ()) -> dict[str, list[Any]]:
        """Values under these keys in every sample; see `fields`."""
        if not self._is_array:
            return fields(self.path, keys, firsts)
        found = {key: [sample.get(key) for sample in self._array] for key in keys}
        return found | {
            key: [firsts_of(sample.get(key)) for sample in self._array] for key in firsts
        }

    def values(self, found: Sequence[Any]) -> list[Any]:
        """Values of a metric; those of objects are their scores."""
        config = object_in(object_in(self.results, "configs"), self.task)
        key = str(config.get("score_key") or _SCORE)
        return [value.get(key) if isinstance(value, dict) else value for value in found]

    def questions(self, ids: Sequence[Any]) -> list[str]:
        """Ids as text; raises an error that names the first invalid id."""
        if set(map(type, ids)) <= {int, str}:
            return list(map(str, ids))
        for at, sample in enumerate(self._array, 1) if self._is_array else lines(self.path):
            where = f"{self.path}, {'sample' if self._is_array else 'line'} {at}"
            name_of(require_key(sample, "doc_id", where), where)
        raise InputError(f"{self.path}: there are samples without doc_id.")

    @cached_property
    def _is_array(self) -> bool:
        """Whether the samples are one array, as in files up to version 0.4.2."""
        return self.inside is not None or Glance(self.path).text.lstrip().startswith("[")

    @cached_property
    def _array(self) -> list[dict[str, Any]]:
        where = str(self.path)
        if self.inside is None:
            samples = document(self.path)
        else:
            samples = object_in(self.results, "samples")[self.inside]
            where = f"{where}, samples, {self.inside}"
        return [require_object(sample, where) for sample in require_list(samples, where)]


def _is_value(value: Any) -> bool:
    """Whether a metric is a number for each sample, or an object with one."""
    if isinstance(value, dict):
        return isinstance(value.get(_SCORE), bool | int | float)
    return isinstance(value, bool | int | float | None)


def holds_results(glance: Glance) -> bool:
    """Whether a file contains the totals of a run."""
    if glance.shape != "object" or not glance.has("results", "configs"):
        return False
    # n-shot may lie beyond the part that was read
    return glance.has("n-shot") or "_stderr," in glance.text


def samples_of(files: Sequence[Path]) -> tuple[list[Samples], list[Path]]:
    """Files of samples with the results of the same run, and the results files not used."""
    documents = {file: object_of(file) for file in files if holds_results(Glance(file))}
    there = dict.fromkeys(documents)
    beside: dict[Path, list[Path]] = {}
    for file in there:
        beside.setdefault(file.parent, []).append(file)
    found: list[Samples] = []
    used: set[Path | None] = set()
    for file in files:
        if file in there:
            inside = [Samples(file, documents[file], task) for task in _inside(documents[file])]
            found += inside
            used |= {file} if inside else set()
            continue
        stamp, dated = _STAMP.search(file.name), _DATED.match(file.name)
        own = file.with_name(f"results_{stamp[1]}.json") if stamp else None
        if dated:
            own = file.with_name(f"{dated[1]}_results.json")
        if own and own not in documents and own.is_file():
            documents[own] = object_of(own)
        alike = beside.get(file.parent, [])
        named = [each for each in alike if stamp and each.stem.endswith(f"_{stamp[1]}")]
        if own not in documents and len(named or alike) == 1 and (named or not stamp):
            own = (named or alike)[0]
        used.add(own)
        found.append(Samples(file, documents.get(own, {}) if own else {}))
    return found, [file for file in there if file not in used]


def _inside(results: Mapping[str, Any]) -> list[str]:
    """Tasks whose samples are in the results."""
    return [
        task
        for task, samples in object_in(results, "samples").items()
        if isinstance(samples, list) and samples and isinstance(samples[0], dict)
    ]


_LONGEST_LINE = 1 << 22  # bytes; DuckDB's buffers grow with this limit
# Smaller files are read line by line: to start DuckDB takes as long as to read 5 MB.
_SMALL = 5_000_000  # bytes; 6 MB take 54 ms line by line and 56 ms in DuckDB, 6 kB 0.1 and 27 ms


def fields(path: Path, keys: Sequence[str], firsts: Sequence[str] = ()) -> dict[str, list[Any]]:
    """Values under these keys for every line; None where a line lacks the key.

    Values under the keys in `firsts` are lists of lists, of which only the first elements are
    returned, as numbers; None if one of them is not a number.
    """
    try:
        if path.stat().st_size > _SMALL:
            return _by_engine(path, keys, firsts)
    except (OSError, duckdb.Error, ValueError, RecursionError):
        pass
    return _by_line(path, keys, firsts)


def _by_line(path: Path, keys: Sequence[str], firsts: Sequence[str]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {key: [] for key in (*keys, *firsts)}
    for _, line in lines(path):
        for key in keys:
            found[key].append(line.get(key))
        for key in firsts:
            found[key].append(firsts_of(line.get(key)))
    return found


def firsts_of(parts: Any) -> list[float] | None:
    """First element of each inner list as a number; None if one of them is not a number."""
    try:
        return [float(part[0]) for part in parts]
    except (TypeError, ValueError, LookupError, OverflowError):
        return None


def _by_engine(path: Path, keys: Sequence[str], firsts: Sequence[str]) -> dict[str, list[Any]]:
    texts = [quoted(key) for key in keys]
    numbers = [
        f"TRY_CAST(json_extract_string({quoted(key)}, '$[*][0]') AS DOUBLE[]) AS {quoted(key)}"
        for key in firsts
    ]
    with own_engine() as engine:
        rows = engine.read_json(
            escape(str(path)),
            format="newline_delimited",
            columns=dict.fromkeys([*keys, *firsts], "JSON"),
            maximum_object_size=_LONGEST_LINE,
        )
        columns = list(zip(*rows.project(", ".join(texts + numbers)).fetchall(), strict=True))
    columns = columns or [()] * len(texts + numbers)
    found = {key: _parse_all(column) for key, column in zip(keys, columns, strict=False)}
    return found | dict(zip(firsts, map(list, columns[len(keys) :]), strict=True))


def _parse_all(texts: Sequence[str | None]) -> list[Any]:
    """Parse JSON texts as a single list, three times as fast as one by one."""
    values: list[Any] = parse(f"[{','.join([text or 'null' for text in texts])}]")
    return values
