"""Files that contain only totals: they are rejected, with advice on what to load instead.

A total has no questions, so it has no error bar. Such a file is rejected if it is alone, and
reported as skipped next to logs that are read. Harnesses whose readers reject their own totals
(lm-eval, lighteval, BigCodeBench, MMLU-Pro, BFCL) are not in this table.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, NoReturn

from errbar.data.readers.base import Glance, Reader
from errbar.data.readers.choices import Choice
from errbar.data.readers.documents import parse
from errbar.errors import InputError

_SPREAD = re.compile(r":(std|bootstrap_std|n_samples)$")
_COUNTED = re.compile(r'"num_entries"\s*:')
_SAMPLED = re.compile(r'"(pass|majority)@\d+')


class _TotalsFormat(NamedTuple):
    """Totals of a harness: how to recognise them, and which file has every question."""

    harness: str
    keys: tuple[str, ...]  # of each of its documents
    instead: str
    looks: Callable[[Glance], bool] = lambda _: True  # a further condition on the file


def _of_simple_evals(glance: Glance) -> bool:
    """Recognise totals of simple-evals: only numbers, with a score and standard deviations."""
    if not any(_SPREAD.search(key) for key in glance.keys):
        return False
    try:
        whole = parse(glance.text)
    except (ValueError, RecursionError):
        return False
    return isinstance(whole, dict) and all(
        value is None or isinstance(value, int | float) for value in whole.values()
    )


def _of_nemo_skills(glance: Glance) -> bool:
    if '"num_entries"' not in glance.text:  # a fifth of the time of a search
        return False
    return bool(_COUNTED.search(glance.text) and _SAMPLED.search(glance.text))


def _of_helm_groups(glance: Glance) -> bool:
    """Recognise tables of groups of runs of HELM."""
    return '"run_group"' in glance.text or '"run_spec_names"' in glance.text


_HELM_GROUPS = _TotalsFormat(
    "HELM",
    ("title", "header", "rows"),
    "Load the per_instance_stats.json of the run",
    _of_helm_groups,
)
_OBJECTS = (
    _TotalsFormat(
        "simple-evals",
        ("score",),
        "simple-evals writes scores per question only to its HTML report; save the score "
        "of every SingleEvalResult as a table with a question and an outcome in each row",
        _of_simple_evals,
    ),
    _TotalsFormat(
        "MTEB",
        ("dataset_revision", "mteb_version"),
        "MTEB keeps what was predicted with prediction_folder=; score that for each query, as a "
        "table with a question and an outcome in each row",
    ),
    _TotalsFormat(
        "lm-evaluation-harness before 0.4",
        ("results", "versions", "config"),
        "Run lm_eval with --log_samples, and load the samples_*.jsonl too",
    ),
    _TotalsFormat(
        "Every Eval Ever",
        ("schema_version", "evaluation_results", "model_info"),
        "Load the file next to it that ends in _samples.jsonl",
    ),
    _TotalsFormat("NeMo-Skills", (), "Load the output*.jsonl of the run", _of_nemo_skills),
    _HELM_GROUPS,
)
_ARRAYS = (
    _TotalsFormat(
        "HELM",
        ("name", "count", "sum", "sum_squared"),
        "Load the per_instance_stats.json of the run",
    ),
    _HELM_GROUPS,
)


def _kind(glance: Glance) -> _TotalsFormat | None:
    for kind in _with_keys(glance.shape, glance.possible_keys):
        if glance.has(*kind.keys) and kind.looks(glance):
            return kind
    return None


@lru_cache(maxsize=1024)
def _with_keys(shape: str, keys: frozenset[str]) -> tuple[_TotalsFormat, ...]:
    """The formats of totals that a document with these keys may have."""
    kinds = _ARRAYS if shape == "array" else _OBJECTS
    return tuple(kind for kind in kinds if keys.issuperset(kind.keys))


def _recognise(glance: Glance) -> str:
    kind = _kind(glance)
    return f"it has only totals, of {kind.harness}" if kind else ""


def _refuse(files: Sequence[Path], _: Choice) -> NoReturn:
    kind = _kind(Glance(files[0]))
    owner, instead = (f" of {kind.harness}", f" {kind.instead}.") if kind else ("", "")
    rest = len(files) - 1
    more = f" (so do {rest} other files)" if rest > 1 else " (so does another file)" if rest else ""
    raise InputError(
        f"{files[0]}: this file has only totals{owner}{more}, and an error bar needs every "
        f"question; load the file with the result of each question.{instead}"
    )


READER = Reader("totals", ("object", "array"), _recognise, _refuse, chooses=(), only_totals=True)
