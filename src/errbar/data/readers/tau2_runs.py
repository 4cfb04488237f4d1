"""Runs of τ²-bench in documents and folders; every simulation is counted once."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from errbar.base.remarks import warning
from errbar.data.readers.documents import (
    UNSET,
    Other,
    OtherThanList,
    Part,
    Shape,
    UnsetType,
    document_as,
    number_or_none,
    object_in,
    require_list,
    require_object,
)
from errbar.data.readers.log_names import without_secrets
from errbar.data.readers.logs import Log

_FOLDER = "simulations"
_AGAIN = "simulations that are also in another file"


class _RewardInfo(Part):
    reward: Any | UnsetType = UNSET


class _Simulation(Part):
    """A simulation, or its entry in an index, which has the reward at the top level."""

    id: Any = None
    task_id: Any = None
    trial: Any = None
    termination_reason: Any = None
    reward_info: _RewardInfo | Other = None
    reward: Any = None
    agent_cost: Any = None
    duration: Any = None


class _TaskNumber(Part):
    """A task, of which only the number matters."""


class _RunDocument(_Simulation):
    """The document of a run, or a single simulation."""

    info: Any | UnsetType = UNSET
    tasks: list[_TaskNumber | Other] | OtherThanList = None
    simulations: list[_Simulation | Other] | OtherThanList = None
    simulation_index: list[_Simulation | Other] | OtherThanList = None


_SHAPE: Shape[_RunDocument] = Shape(_RunDocument)


class Simulation(NamedTuple):
    """The fields of a simulation that are used."""

    path: Path
    place: str  # in the file; empty if the file has no other
    id: str | None
    task: Any
    trial: Any
    reward: Any
    reason: str | None
    cost: float | None
    seconds: float | None

    @property
    def where(self) -> str:
        """The file and the place in it, for messages."""
        return f"{self.path}, {self.place}" if self.place else str(self.path)

    @property
    def keys(self) -> list[tuple[str, ...]]:
        """Keys shared with a copy in another file: the id, and the fields of both."""
        if self.id is None:
            return []
        has_both = self.task is not None and self.trial is not None
        return (
            [(self.id, str(self.task), str(self.trial)), (self.id,)] if has_both else [(self.id,)]
        )


@dataclass
class SimulationRun:
    """One document, with the simulations of its folder."""

    path: Path
    info: Mapping[str, Any] = field(default_factory=dict)
    tasks: int = 0
    simulations: list[Simulation] = field(default_factory=list)
    index: list[Simulation] = field(default_factory=list)  # the simulations listed in the document
    elsewhere: int = 0  # simulations left out because they are also in another file
    from_index: int = 0
    not_in_index: int = 0

    @property
    def domain(self) -> str:
        """The data set."""
        return str(object_in(self.info, "environment_info").get("domain_name") or "")

    @property
    def system(self) -> str:
        """The model of the agent, and that of the simulated user if it differs."""
        agent, user = object_in(self.info, "agent_info"), object_in(self.info, "user_info")
        model = agent.get("llm") or agent.get("implementation") or self.path.stem
        other = user.get("llm")
        return f"{model} (user {other})" if other not in (None, model) else str(model)

    def is_nameless(self) -> bool:
        """Whether a simulation does not name its task."""
        return any(simulation.task is None for simulation in self.simulations)

    @property
    def settings(self) -> str:
        """Settings of the agent and the user, and limits, which also define the system."""
        keys = ("agent_info", "user_info", "max_steps", "max_errors")
        options = without_secrets({key: self.info.get(key) for key in keys})
        return json.dumps(options, sort_keys=True, default=str) if self.info else str(self.path)

    @property
    def expected(self) -> int:
        """Number of planned simulations."""
        trials = self.info.get("num_trials")
        return self.tasks * trials if isinstance(trials, int) else self.tasks


def read_runs(files: Sequence[Path], log: Log) -> list[SimulationRun]:
    """Read documents, each with the simulations of its folder."""
    runs: list[SimulationRun] = []
    single: dict[Path, Simulation] = {}
    for file in files:
        whole = document_as(file, _SHAPE)
        if whole.info is not UNSET:
            runs.append(_run(file, whole))
        else:
            single[file] = _simulation(whole, file)
    for run in runs:
        if not run.simulations:
            single |= {
                file: _simulation(document_as(file, _SHAPE), file)
                for file in sorted((run.path.parent / _FOLDER).glob("*.json"))
                if file not in single
            }
    inside = {id(run): len(run.simulations) for run in runs}
    runs += _join(runs, single, log)
    for run in runs:
        _add_index(run)
        if id(run) in inside:
            log.read(run.path, inside[id(run)] + run.from_index)
    for file in single:
        log.read(file, 1)
    _count_once(runs, log)
    return [run for run in runs if run.simulations or not run.elsewhere]


def _run(file: Path, whole: _RunDocument) -> SimulationRun:
    return SimulationRun(
        file,
        require_object(whole.info, f"{file}, info"),
        len(require_list(whole.tasks or [], f"{file}, tasks")),
        _listed(whole.simulations, file, "simulations", "simulation"),
        _listed(whole.simulation_index, file, "simulation_index", "entry"),
    )


def _listed(found: Any, file: Path, key: str, what: str) -> list[Simulation]:
    each = require_list(found or [], f"{file}, {key}")
    for at, simulation in enumerate(each):
        if type(simulation) is not _Simulation:
            require_object(simulation, f"{file}, {what} {at}")
    return [_simulation(simulation, file, f"{what} {at}") for at, simulation in enumerate(each)]


def _simulation(value: _Simulation, path: Path, place: str = "") -> Simulation:
    name, reason, info = value.id, value.termination_reason, value.reward_info
    reward = info.reward if type(info) is _RewardInfo else UNSET
    return Simulation(
        path,
        place,
        None if name is None else str(name),
        value.task_id,
        value.trial,
        value.reward if reward is UNSET else reward,
        None if reason is None else str(reason),
        number_or_none(value.agent_cost),
        number_or_none(value.duration),
    )


def _join(
    runs: Sequence[SimulationRun], single: Mapping[Path, Simulation], log: Log
) -> list[SimulationRun]:
    """Assign simulations to the run of their folder; a folder without a document is a run."""
    homes: dict[Path, list[SimulationRun]] = {}
    for run in sorted(runs, key=lambda run: bool(run.simulations)):
        homes.setdefault(run.path.parent, []).append(run)
    orphans: dict[Path, SimulationRun] = {}
    listed = {id(run): {entry.id for entry in run.index} for run in runs}
    unsure: dict[Path, int] = {}
    for file, simulation in single.items():
        home = file.parent.parent if file.parent.name == _FOLDER else file.parent
        owners = homes.get(home)
        if owners is None:
            owners = [orphans.setdefault(home, SimulationRun(home))]
        lists = [run for run in owners if simulation.id in listed.get(id(run), ())]
        owner = (lists or owners)[0]
        unsure[home] = unsure.get(home, 0) + (len(owners) > 1 and not lists)
        owner.not_in_index += bool(owner.index) and not lists
        owner.simulations.append(simulation)
    log.remarks += [
        warning(
            f"{home}: {len(homes[home])} documents are next to {n} simulations that none of them "
            f"lists; these are assigned to {homes[home][0].path.name}."
        )
        for home, n in unsure.items()
        if n
    ]
    return list(orphans.values())


def _add_index(run: SimulationRun) -> None:
    """Add simulations that are only in the index of a document."""
    there = {simulation.id for simulation in run.simulations}
    lacking = [simulation for simulation in run.index if simulation.id not in there]
    run.simulations += lacking
    run.from_index = len(lacking)


def _count_once(runs: Iterable[SimulationRun], log: Log) -> None:
    """Leave out copies in other files; the copy that names its task is kept."""
    by_run: dict[tuple[str, str], dict[tuple[str, ...], Path]] = {}
    for run in sorted(runs, key=SimulationRun.is_nameless):
        seen = by_run.setdefault((run.settings, run.domain), {})
        kept = []
        for simulation in run.simulations:
            path, keys = simulation.path, simulation.keys
            earlier = seen.get(keys[0], path) if keys else path
            if earlier is not path and earlier != path:
                log.leave_out(path, _AGAIN)
                run.elsewhere += 1
                continue
            kept.append(simulation)
            for key in keys:
                seen.setdefault(key, path)
        run.simulations = kept
