"""Run directories of HELM: `per_instance_stats.json` and the files next to it.

`run_spec.json` has the model and the scenario, `scenario_state.json` the answers, and `stats.json`
HELM's totals. HELM reports every split and perturbation separately, so they are separate tasks: the
test split has the scenario's name, others add their own. A trial is a choice of in-context examples
(`train_trial_index`).

The default stat of a scenario is the first of the list below that it has. A scenario without the
chosen stat is left out: no score is not a score of 0. A stat between 0 and 1, such as f1_score, is
a reward.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from errbar.base.remarks import Above, about
from errbar.data.readers import documents
from errbar.data.readers.base import Glance, Reader, has_keys
from errbar.data.readers.choices import Choice
from errbar.data.readers.logs import Claim, Log, pick, picked_remark
from errbar.errors import InputError

_USUAL = (
    *("exact_match", "quasi_exact_match", "final_number_exact_match"),
    *("math_equiv_chain_of_thought", "math_equiv", "pass", "f1_score", "rouge_l", "bleu_4"),
)
_NO_SCORES = (  # prefixes of stats that are not scores
    *("num_", "training_", "inference_", "finish_reason_", "batch_size", "logprob", "max_prob"),
    *("prompt_truncated", "perplexity", "bits_per_byte", "predicted_index"),
)
_INSTANCES = "num_instances"
_MODEL_KEYS = ("model", "model_deployment")  # parts of a run name that identify the model
_Key = tuple[str, int | None, str]  # instance, trial, perturbation


class _InstanceStats(NamedTuple):
    """The stats of an instance, trial and perturbation that are used."""

    key: _Key
    split: str
    scores: dict[str, float | None]  # stats that may be chosen


class _State(NamedTuple):
    """A request and its answer."""

    failed: bool
    answer: str | None
    target: str | None


_NO_STATE = _State(False, None, None)


@dataclass
class _HelmRun:
    """One run directory."""

    path: Path
    only: str | None  # if set, only the values of this stat are kept
    stats: dict[str, None] = field(default_factory=dict)  # names of all stats

    @cached_property
    def spec(self) -> Mapping[str, Any]:
        return self._object("run_spec.json")

    @property
    def name(self) -> str:
        """Name in the specification, or that of the directory, where - may replace :."""
        name, place = self.spec.get("name"), self.path.absolute().parent.name
        return str(name or (place if ":" in place else place.replace("-", ":", 1)))

    @property
    def model(self) -> str:
        """Model in the specification, or else in the name of the run."""
        model = documents.object_in(self.spec, "adapter_spec").get("model") or self._in_name().get(
            "model"
        )
        return str(model or "")

    @property
    def scenario(self) -> str:
        """The name of the run without the model."""
        head, _, arguments = self.name.partition(":")
        parts = (part for part in arguments.split(",") if part.partition("=")[0] not in _MODEL_KEYS)
        return ":".join(part for part in (head, ",".join(parts)) if part)

    def _in_name(self) -> dict[str, str]:
        arguments = self.name.partition(":")[2].split(",")
        return {key: value for key, _, value in (part.partition("=") for part in arguments)}

    @cached_property
    def entries(self) -> list[_InstanceStats]:
        """Stats of each instance and trial: all of them, or only the chosen one.

        HELM may write the stats of one instance and trial in several records, one per metric.
        Records without a common stat are one entry; a stat that occurs twice is another entry.
        """
        found: dict[tuple[_Key, str], _InstanceStats] = {}
        again = []
        for at, element in enumerate(documents.elements(self.path)):
            entry = self._entry(documents.require_object(element, str(self.path)), at)
            known = found.setdefault((entry.key, entry.split), entry)
            if known is entry:
                continue
            if known.scores.keys() & entry.scores.keys():
                again.append(entry)
            else:
                known.scores.update(entry.scores)
        return [*found.values(), *again]

    def _entry(self, record: Mapping[str, Any], at: int) -> _InstanceStats:
        question, trial = record.get("instance_id"), _trial(record)
        if not isinstance(question, str):
            where = f"{self.path}, [{at}]"
            question = documents.name_of(documents.require_key(record, "instance_id", where), where)
        if trial is None:
            raise InputError(f"{self.path}, [{at}]: train_trial_index must be an integer.")
        scores: dict[str, float | None] = {}
        split = ""
        for stat in documents.list_in(record, "stats"):
            named = stat.get("name") if isinstance(stat, dict) else None
            if not isinstance(named, dict):
                continue
            name = str(named.get("name"))
            split = split or str(named.get("split") or "")
            self.stats[name] = None
            if name == self.only or (self.only is None and not name.startswith(_NO_SCORES)):
                scores[name] = _mean(stat)
        return _InstanceStats(
            (question, trial, _perturbation(record.get("perturbation"))), split, scores
        )

    @cached_property
    def totals(self) -> list[Any]:
        """Totals computed by HELM."""
        found = self._beside("stats.json")
        return found if isinstance(found, list) else []

    def states(self) -> dict[_Key, _State]:
        """Requests and answers; of several requests for an instance, the first."""
        states: dict[_Key, _State] = {}
        for state in documents.list_in(self._object("scenario_state.json"), "request_states"):
            if isinstance(state, dict):
                instance = documents.object_in(state, "instance")
                kind = _perturbation(instance.get("perturbation"))
                key = (str(instance.get("id")), _trial(state), kind)
                if key not in states:
                    failed = documents.object_in(state, "result").get("success") is False
                    states[key] = _State(failed, _answer(state), _target(state))
        return states

    def _object(self, name: str) -> Mapping[str, Any]:
        found = self._beside(name)
        return found if isinstance(found, dict) else {}

    def _beside(self, name: str) -> Any:
        path = self.path.with_name(name)
        return documents.document(path) if path.is_file() else None


def _perturbation(perturbation: Any) -> str:
    """Description of a perturbation; "" for none."""
    if not isinstance(perturbation, dict):
        return ""
    others = ("name", "robustness", "fairness", "computed_on")
    more = [f"{key}={value}" for key, value in perturbation.items() if key not in others]
    return " ".join([str(perturbation.get("name")), *more])


def _trial(record: Mapping[str, Any]) -> int | None:
    at = record.get("train_trial_index")
    return at if documents.is_whole(at) and abs(at) < 1 << 31 else None


_has_instances = has_keys(
    (
        "an array of stats by instance_id and train_trial_index",
        *("instance_id", "train_trial_index", "stats"),
    )
)
_LISTED = re.compile(r'"stats"\s*:\s*\[')


def _recognise(glance: Glance) -> str:
    """Stats by instance; in the predictions that HELM displays, `stats` is an object."""
    return _has_instances(glance) if _LISTED.search(glance.text) else ""


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    runs = [_HelmRun(path, choice.scorer) for path in files]
    for run in runs:
        log.read(run.path, len(run.entries))
    chosen = _choose_stats(log, runs, choice.scorer, str(files[0]))
    names = Counter((run.model, run.scenario) for run in runs)
    for run in runs:
        stat = chosen[run.scenario]
        if stat is None:
            log.leave_out(run.path, "of a scenario without the stat", len(run.entries))
            continue
        twice = names[run.model, run.scenario] > 1
        suite = run.path.absolute().parent.parent.name
        system = f"{run.model} ({suite})" if twice else run.model
        _add(log, run, system, stat)
    return log


def _choose_stats(
    log: Log, runs: Sequence[_HelmRun], scorer: str | None, where: str
) -> dict[str, str | None]:
    """The stat to use for every scenario; None if it lacks the chosen one."""
    stats_by_scenario: dict[str, dict[str, None]] = {}
    rows: Counter[str] = Counter()
    for run in runs:
        stats = stats_by_scenario.setdefault(run.scenario, {})
        stats.update(run.stats)
        rows[run.scenario] += len(run.entries)
    found = {
        scenario: _possible_stats(stats, scorer) for scenario, stats in stats_by_scenario.items()
    }
    every = _possible_stats(dict.fromkeys(name for some in found.values() for name in some), scorer)
    pick(
        scorer, every, "stat that scores an answer", where
    )  # raises an error if no scenario has it
    chosen: dict[str, str | None] = {}
    subjects: dict[Above, list[str]] = {}
    for scenario, some in found.items():
        stat = scorer if scorer in some else None if scorer or not some else some[0]
        chosen[scenario] = stat
        if stat is None:
            lacks = f"stat {scorer!r}" if scorer else "stat that scores an answer"
            log.remarks.append(
                f"{scenario}: there is no {lacks}; {rows[scenario]} instances are left out."
            )
        else:
            scores = [name for name in some if not name.startswith(_NO_SCORES)]
            for text in picked_remark(stat, scores, "stat", "scorer"):
                subjects.setdefault(text, []).append(scenario)
    for text, scenarios in subjects.items():
        log.remarks.append(about("; ".join(scenarios) if len(found) > 1 else "", text))
    return chosen


def _possible_stats(stats: Iterable[str], scorer: str | None) -> list[str]:
    """Stats to choose from, the usual ones first; by default only those that are scores."""
    names = sorted(stats, key=lambda name: _USUAL.index(name) if name in _USUAL else len(_USUAL))
    return names if scorer else [name for name in names if not name.startswith(_NO_SCORES)]


def _add(log: Log, run: _HelmRun, system: str, stat: str) -> None:
    """Add a row per instance, trial and perturbation."""
    trials: dict[str, Counter[str]] = {}
    tasks: dict[tuple[str, str], str] = {}
    states = run.states()
    for entry in run.entries:
        question, trial, perturbation = entry.key
        split = entry.split
        task = tasks.get((split, perturbation))
        if task is None:
            task = tasks[split, perturbation] = _task(run, split, perturbation)
            trials.setdefault(task, Counter())
        outcome = entry.scores.get(stat)
        state = states.get(entry.key, _NO_STATE)
        trials[task][question] += 1
        log.add(
            system=system,
            task=task,
            question=question,
            trial=trial,
            outcome=outcome,
            status="error" if state.failed else "unscored" if outcome is None else "ok",
            answer=state.answer,
            target=state.target,
            split=split,
            perturbation=perturbation,
        )
    log.claims += _claims(run, system, stat, trials)


def _task(run: _HelmRun, split: str, perturbation: str) -> str:
    """Scenario, with the split and perturbation unless it is the plain test split."""
    labels = [label for label in (split if split != "test" else "", perturbation) if label]
    return f"{run.scenario} ({', '.join(labels)})" if labels else run.scenario


def _mean(stat: Mapping[str, Any]) -> float | None:
    """Mean of a stat; None if nothing was counted."""
    count, total = (
        documents.number_or_none(stat.get("count")),
        documents.number_or_none(stat.get("sum")),
    )
    return total / count if count and total is not None else None


def _answer(state: Mapping[str, Any]) -> str | None:
    """First completion of the model; for multiple choice, the text of the chosen letter."""
    first = next(iter(documents.list_in(documents.object_in(state, "result"), "completions")), None)
    text = first.get("text") if isinstance(first, dict) else None
    if not isinstance(text, str):
        return None
    meant = documents.object_in(state, "output_mapping").get(text.strip())
    return meant if isinstance(meant, str) else text


def _target(state: Mapping[str, Any]) -> str | None:
    """First reference tagged as correct."""
    for reference in documents.list_in(documents.object_in(state, "instance"), "references"):
        if isinstance(reference, dict) and "correct" in (reference.get("tags") or ()):
            text = documents.object_in(reference, "output").get("text")
            return text if isinstance(text, str) else None
    return None


def _claims(
    run: _HelmRun, system: str, stat: str, trials: Mapping[str, Counter[str]]
) -> Iterator[Claim]:
    """Numbers of instances stated by HELM, and means if all questions have equally many trials.

    HELM averages the means of trials: with unequal numbers of trials that differs from the mean
    over questions. Its worst-case values over perturbations are not compared.
    """
    for total in run.totals:
        named = documents.object_in(total, "name") if isinstance(total, dict) else {}
        perturbed = documents.object_in(named, "perturbation")
        if perturbed.get("computed_on", "perturbed") != "perturbed":
            continue
        split = str(named.get("split") or "")
        task = _task(run, split, _perturbation(named.get("perturbation")))
        value = _mean(total)
        if value is not None and named.get("name") == _INSTANCES:
            yield Claim(f"{_INSTANCES} on {split}", value, "questions", system, task)
        alike = len(set(trials.get(task, Counter()).values())) == 1
        if value is not None and named.get("name") == stat and alike:
            yield Claim(f"{stat} on {split}", value, "avg", system, task, "missing")


READER = Reader(
    "helm",
    ("array",),
    _recognise,
    _read,
    beside=(
        *("run_spec.json", "stats.json", "scenario.json", "scenario_state.json"),
        *("instances.json", "display_*.json"),
    ),
    keys=("train_trial_index",),
)
