"""Files that hold only totals, each known by a few keys: they are refused, and told what to give.

A total has no questions, so there is nothing to make an error bar from. Such a file is refused
where it is alone; beside logs that are read it is named as skipped. Harnesses whose readers refuse
their own totals (lm-eval, lighteval, BigCodeBench, MMLU-Pro, BFCL) are not in this table.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

from errbar.base.json_text import parse
from errbar.data.readers.base import Choice, Glance, Reader
from errbar.errors import InputError

_SPREAD = re.compile(r":(std|bootstrap_std|n_samples)$")
_COUNTED = re.compile(r'"num_entries"\s*:')
_SAMPLED = re.compile(r'"(pass|majority)@\d+')


class _Kind(NamedTuple):
    """Totals of a harness: how they look, and which of its files has every question."""

    whose: str
    looks: Callable[[Glance], bool]
    instead: str


def _of_simple_evals(glance: Glance) -> bool:
    """Nothing but numbers, a score among them, and how far they spread."""
    if not glance.has("score") or not any(_SPREAD.search(key) for key in glance.keys):
        return False
    try:
        whole = parse(glance.text)
    except (ValueError, RecursionError):
        return False
    return isinstance(whole, dict) and all(
        value is None or isinstance(value, int | float) for value in whole.values()
    )


def _of_nemo_skills(glance: Glance) -> bool:
    return bool(_COUNTED.search(glance.text) and _SAMPLED.search(glance.text))


_OBJECTS = (
    _Kind(
        "simple-evals",
        _of_simple_evals,
        "simple-evals writes the score of each question only into its HTML report; save the score "
        "of every SingleEvalResult as a table with a question and an outcome in each row",
    ),
    _Kind(
        "MTEB",
        lambda glance: glance.has("dataset_revision", "mteb_version"),
        "MTEB keeps what was predicted with prediction_folder=; score that for each query, as a "
        "table with a question and an outcome in each row",
    ),
    _Kind(
        "lm-evaluation-harness before 0.4",
        lambda glance: glance.has("results", "versions", "config"),
        "Run lm_eval with --log_samples, and give the samples_*.jsonl too",
    ),
    _Kind(
        "Every Eval Ever",
        lambda glance: glance.has("schema_version", "evaluation_results", "model_info"),
        "Give the file beside it that ends in _samples.jsonl",
    ),
    _Kind("NeMo-Skills", _of_nemo_skills, "Give the output*.jsonl of the run"),
)
_ARRAYS = (
    _Kind(
        "HELM",
        lambda glance: glance.has("name", "count", "sum", "sum_squared"),
        "Give the per_instance_stats.json of the run",
    ),
)


def _kind(glance: Glance) -> _Kind | None:
    kinds = {"object": _OBJECTS, "array": _ARRAYS}.get(glance.shape, ())
    return next((kind for kind in kinds if kind.looks(glance)), None)


def _recognise(glance: Glance) -> str:
    kind = _kind(glance)
    return f"it holds only totals, of {kind.whose}" if kind else ""


def _refuse(files: Sequence[Path], _: Choice) -> NoReturn:
    kind = _kind(Glance(files[0]))
    whose, instead = (f" of {kind.whose}", f" {kind.instead}.") if kind else ("", "")
    more = f" (so do {len(files) - 1} other files)" if len(files) > 1 else ""
    raise InputError(
        f"{files[0]}: this file holds only totals{whose}{more}, which have no questions to make an "
        f"error bar from; give what the harness wrote for each question.{instead}"
    )


READER = Reader("totals", _recognise, _refuse, chooses=(), only_totals=True)
