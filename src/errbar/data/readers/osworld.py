"""Results of OSWorld: `…/<model>/<domain>/<example>/result.txt`, a score per example.

The file has one number, between 0 and 1. The model is the folder above the domain, as in OSWorld's
`results/<action space>/<observation>/<model>/…`. Trees of the same model are trials.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from errbar.data.outcome_words import is_outcome, number_in
from errbar.data.readers.base import Glance, Reader
from errbar.data.readers.choices import Choice
from errbar.data.readers.file_content import raw_text
from errbar.data.readers.finding import resolved_folders
from errbar.data.readers.logs import Log
from errbar.errors import InputError

_NAME = "result.txt"
_STEPS = "traj.jsonl"


def _recognise(glance: Glance) -> str:
    path = glance.path
    if path.name != _NAME or _score(glance.text) is None:
        return ""
    return f"a number in {_NAME}, next to {_STEPS}" if (path.parent / _STEPS).exists() else ""


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    folders = resolved_folders()
    for file in files:
        *above, model, domain, example = os.path.dirname(folders.real_path(file)).split(os.sep)
        root = os.sep.join(above)
        system = f"{os.path.basename(root)}/{model}" if choice.files == "systems" else model
        score = _score(raw_text(file).decode("utf-8", "replace"))
        if score is None:
            raise InputError(f"{file}: the score of an example is a number between 0 and 1.")
        log.read(file, 1)
        question = f"{domain}/{example}"
        log.add_trial(system=system, question=question, outcome=score, status="ok")
    log.remark_on_repeats("results of one model in several trees; {} examples have several results")
    return log


def _score(text: str) -> float | None:
    """The number in a result; None if it has none between 0 and 1."""
    word = text.strip()
    return number_in(word) if word and is_outcome(word) else None


READER = Reader(
    "osworld",
    ("",),
    _recognise,
    _read,
    beside=(_STEPS, "runtime.log", "*.png", "*.mp4", "args.json"),
    chooses=(),
    files=("systems", "trials"),
)
