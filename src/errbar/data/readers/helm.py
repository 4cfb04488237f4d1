"""Run directories of HELM: `per_instance_stats.json`, and what lies beside it.

`run_spec.json` says which model and scenario it is, `scenario_state.json` what was answered, and
`stats.json` what HELM makes of it. HELM reports every split and every perturbation apart, and so
they are tasks apart: the test split has the scenario's name, others say what they are. A trial is
one choice of examples in the prompt (`train_trial_index`).

The stat of a scenario that is scored, if none is asked for, is the first of those below that it
has. A scenario without the stat that is asked for is left out: it has no score, which is not the
score 0. A stat between 0 and 1, such as f1_score, is a reward.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from errbar.base.remarks import Above, about
from errbar.data.provenance import Claim
from errbar.data.readers.base import Choice, Glance, Log, Reader, pick, picked_remark
from errbar.data.readers.documents import (
    document,
    elements,
    is_whole,
    list_in,
    name_of,
    number_or_none,
    object_in,
    require_key,
    require_object,
)
from errbar.errors import InputError

_USUAL = (
    *("exact_match", "quasi_exact_match", "final_number_exact_match"),
    *("math_equiv_chain_of_thought", "math_equiv", "pass", "f1_score", "rouge_l", "bleu_4"),
)
_NO_SCORES = (  # how stats begin that say how much was done, not how well
    *("num_", "training_", "inference_", "finish_reason_", "batch_size", "logprob", "max_prob"),
    *("prompt_truncated", "perplexity", "bits_per_byte", "predicted_index"),
)
_INSTANCES = "num_instances"
_TOLD = ("model", "model_deployment")  # parts of a run's name that say whose it is
_Key = tuple[str, int | None, str]  # instance, trial, perturbation


class _Entry(NamedTuple):
    """What is used of the stats of an instance, trial and perturbation."""

    key: _Key
    split: str
    scores: dict[str, float | None]  # those that may be asked for


class _State(NamedTuple):
    """What was asked and answered."""

    failed: bool
    answer: str | None
    target: str | None


_NO_STATE = _State(False, None, None)


@dataclass
class _Run:
    """One run directory."""

    path: Path
    asked: str | None  # the only stat whose values are held, if there is one
    stats: dict[str, None] = field(default_factory=dict)  # names of all that occur

    @cached_property
    def spec(self) -> Mapping[str, Any]:
        return self._object("run_spec.json")

    @property
    def name(self) -> str:
        """As the specification has it, or the directory, where - may stand for :."""
        told, place = self.spec.get("name"), self.path.absolute().parent.name
        return str(told or (place if ":" in place else place.replace("-", ":", 1)))

    @property
    def model(self) -> str:
        """As the specification calls it; as the name of the run does if there is none."""
        told = object_in(self.spec, "adapter_spec").get("model") or self._in_name().get("model")
        return str(told or "")

    @property
    def scenario(self) -> str:
        """The name of the run without the model."""
        head, _, told = self.name.partition(":")
        parts = (part for part in told.split(",") if part.partition("=")[0] not in _TOLD)
        return ":".join(part for part in (head, ",".join(parts)) if part)

    def _in_name(self) -> dict[str, str]:
        told = self.name.partition(":")[2].split(",")
        return {key: value for key, _, value in (part.partition("=") for part in told)}

    @cached_property
    def entries(self) -> list[_Entry]:
        """What each instance got in each trial, by every stat or by the one that is asked for."""
        return [
            self._entry(require_object(element, str(self.path)), at)
            for at, element in enumerate(elements(self.path))
        ]

    def _entry(self, told: Mapping[str, Any], at: int) -> _Entry:
        question, trial = told.get("instance_id"), _trial(told)
        if not isinstance(question, str):
            where = f"{self.path}, [{at}]"
            question = name_of(require_key(told, "instance_id", where), where)
        if trial is None:
            raise InputError(f"{self.path}, [{at}]: train_trial_index must be a whole number.")
        scores: dict[str, float | None] = {}
        split = ""
        for stat in list_in(told, "stats"):
            named = stat.get("name") if isinstance(stat, dict) else None
            if not isinstance(named, dict):
                continue
            name = str(named.get("name"))
            split = split or str(named.get("split") or "")
            self.stats[name] = None
            if name == self.asked or (self.asked is None and not name.startswith(_NO_SCORES)):
                scores[name] = _mean(stat)
        return _Entry((question, trial, _perturbation(told.get("perturbation"))), split, scores)

    @cached_property
    def totals(self) -> list[Any]:
        """What HELM makes of them."""
        found = self._beside("stats.json")
        return found if isinstance(found, list) else []

    def states(self) -> dict[_Key, _State]:
        """What was asked and answered; the first of several requests for one instance."""
        states: dict[_Key, _State] = {}
        for state in list_in(self._object("scenario_state.json"), "request_states"):
            if isinstance(state, dict):
                instance = object_in(state, "instance")
                kind = _perturbation(instance.get("perturbation"))
                key = (str(instance.get("id")), _trial(state), kind)
                if key not in states:
                    failed = object_in(state, "result").get("success") is False
                    states[key] = _State(failed, _answer(state), _target(state))
        return states

    def _object(self, name: str) -> Mapping[str, Any]:
        found = self._beside(name)
        return found if isinstance(found, dict) else {}

    def _beside(self, name: str) -> Any:
        path = self.path.with_name(name)
        return document(path) if path.is_file() else None


def _perturbation(told: Any) -> str:
    """A perturbation in words; "" for none."""
    if not isinstance(told, dict):
        return ""
    others = ("name", "robustness", "fairness", "computed_on")
    more = [f"{key}={value}" for key, value in told.items() if key not in others]
    return " ".join([str(told.get("name")), *more])


def _trial(record: Mapping[str, Any]) -> int | None:
    at = record.get("train_trial_index")
    return at if is_whole(at) and abs(at) < 1 << 31 else None


def _recognise(glance: Glance) -> str:
    if glance.shape == "array" and glance.has("instance_id", "train_trial_index", "stats"):
        return "an array of stats by instance_id and train_trial_index"
    return ""


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    runs = [_Run(path, choice.scorer) for path in files]
    for run in runs:
        log.read(run.path, len(run.entries))
    chosen = _chosen(log, runs, choice.scorer, str(files[0]))
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


def _chosen(log: Log, runs: Sequence[_Run], asked: str | None, where: str) -> dict[str, str | None]:
    """The stat to score of every scenario; none where it lacks the one that is asked for."""
    held: dict[str, dict[str, None]] = {}
    rows: Counter[str] = Counter()
    for run in runs:
        stats = held.setdefault(run.scenario, {})
        stats.update(run.stats)
        rows[run.scenario] += len(run.entries)
    found = {scenario: _to_choose(stats, asked) for scenario, stats in held.items()}
    every = _to_choose(dict.fromkeys(name for some in found.values() for name in some), asked)
    pick(asked, every, "stat that scores an answer", where)  # refuses what no scenario has
    chosen: dict[str, str | None] = {}
    said: dict[Above, list[str]] = {}
    for scenario, some in found.items():
        stat = asked if asked in some else None if asked or not some else some[0]
        chosen[scenario] = stat
        if stat is None:
            lacks = f"stat {asked!r}" if asked else "stat that scores an answer"
            log.remarks.append(
                f"{scenario}: there is no {lacks}; {rows[scenario]} instances are left out."
            )
        else:
            scores = [name for name in some if not name.startswith(_NO_SCORES)]
            for text in picked_remark(stat, scores, "stat", "scorer"):
                said.setdefault(text, []).append(scenario)
    for text, scenarios in said.items():
        log.remarks.append(about("; ".join(scenarios) if len(found) > 1 else "", text))
    return chosen


def _to_choose(stats: Iterable[str], asked: str | None) -> list[str]:
    """Stats, the usual ones first; only those that score an answer where none is asked for."""
    names = sorted(stats, key=lambda name: _USUAL.index(name) if name in _USUAL else len(_USUAL))
    return names if asked else [name for name in names if not name.startswith(_NO_SCORES)]


def _add(log: Log, run: _Run, system: str, stat: str) -> None:
    """A row for each instance, trial and perturbation."""
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


def _task(run: _Run, split: str, perturbation: str) -> str:
    """The scenario, and what of it if it is not the test split as it is."""
    said = [label for label in (split if split != "test" else "", perturbation) if label]
    return f"{run.scenario} ({', '.join(said)})" if said else run.scenario


def _mean(stat: Mapping[str, Any]) -> float | None:
    """The value of a stat; none if nothing was counted."""
    count, total = number_or_none(stat.get("count")), number_or_none(stat.get("sum"))
    return total / count if count and total is not None else None


def _answer(state: Mapping[str, Any]) -> str | None:
    """What the model wrote first; of choices by letter what the letter stands for."""
    first = next(iter(list_in(object_in(state, "result"), "completions")), None)
    text = first.get("text") if isinstance(first, dict) else None
    if not isinstance(text, str):
        return None
    meant = object_in(state, "output_mapping").get(text.strip())
    return meant if isinstance(meant, str) else text


def _target(state: Mapping[str, Any]) -> str | None:
    """The first reference that is tagged as correct."""
    for reference in list_in(object_in(state, "instance"), "references"):
        if isinstance(reference, dict) and "correct" in (reference.get("tags") or ()):
            text = object_in(reference, "output").get("text")
            return text if isinstance(text, str) else None
    return None


def _claims(
    run: _Run, system: str, stat: str, trials: Mapping[str, Counter[str]]
) -> Iterator[Claim]:
    """Numbers of instances that HELM states, and means where every question has as many trials.

    HELM averages the trials' means: with other numbers of trials that is not the mean of the
    questions' means. What it computes of the worst of several perturbations is not compared.
    """
    for total in run.totals:
        named = object_in(total, "name") if isinstance(total, dict) else {}
        perturbed = object_in(named, "perturbation")
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
    _recognise,
    _read,
    beside=(
        *("run_spec.json", "stats.json", "scenario.json", "scenario_state.json"),
        *("instances.json", "display_*.json"),
    ),
)
