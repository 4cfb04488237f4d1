"""Results of BrowserGym and AgentLab: `<date>_<agent>_on_<task>_<seed>/summary_info.json`.

    {"n_steps": 4, "cum_reward": 1.0, "err_msg": null, "terminated": true, "truncated": false, …}

The names of the agent, the task and its seed are in the name of the folder. Seeds are instances of
a task, as in MiniWoB, and belong together: the task is their cluster.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from errbar.data.readers.base import Glance, Reader
from errbar.data.readers.choices import Choice
from errbar.data.readers.documents import number_or_none, object_of
from errbar.data.readers.finding import resolved_folders
from errbar.data.readers.logs import Log
from errbar.errors import InputError

_SIGNS = ("n_steps", "cum_reward", "terminated", "truncated")
_FOLDER = re.compile(
    r"(?:\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d_)?(?P<agent>.+?)_on_(?P<task>.+?)_(?P<seed>\d+|None)"
)


def _recognise(glance: Glance) -> str:
    return f"a JSON document with {', '.join(_SIGNS)}" if glance.has(*_SIGNS) else ""


def _read(files: Sequence[Path], _: Choice) -> Log:
    log = Log()
    folders = resolved_folders()
    for file in files:
        folder = os.path.basename(os.path.dirname(folders.real_path(file)))
        named = _FOLDER.fullmatch(folder)
        if named is None:
            raise InputError(
                f"{file}: the folder names no agent and task, as in <agent>_on_<task>_<seed>. Keep "
                f"the folders as BrowserGym wrote them, or load its table of results."
            )
        whole = object_of(file)
        reward = number_or_none(whole.get("cum_reward"))
        failed = bool(whole.get("err_msg")) and not reward
        question = f"{named['task']} {named['seed']}"
        log.read(file, 1)
        log.add_trial(
            system=named["agent"],
            question=question,
            outcome=None if failed else reward,
            status="error" if failed else "unscored" if reward is None else "ok",
            cluster=named["task"],
        )
    return log


READER = Reader(
    "browsergym",
    ("object",),
    _recognise,
    _read,
    beside=("*.pkl", "*.pkl.gz", "*.log", "*.png", "package_versions.txt", "goal_object.*"),
    chooses=(),
    keys=("n_steps",),
)
