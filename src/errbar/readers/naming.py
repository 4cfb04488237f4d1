"""What systems and data sets are called by logs that do not say it themselves."""

import os
from collections.abc import Sequence
from pathlib import Path


def systems_of(files: Sequence[Path], *endings: str) -> list[str]:
    """Names of files without what all logs of a harness end in.

    A file that is called nothing else goes by its folder; of files that are called the same the
    folders are told too.

    Examples
    --------
    >>> systems_of([Path("out/a_results.jsonl"), Path("out/b_results.jsonl")], "_results.jsonl")
    ['a', 'b']
    >>> systems_of([Path("a/results.json"), Path("b/results.json")], "results.json")
    ['a', 'b']
    """
    paths = [_named(file, endings) for file in files]
    names = [path.name for path in paths]
    if len(set(names)) < len(names):
        shared = os.path.commonpath([path.parent for path in paths])
        names = [path.relative_to(shared).as_posix() for path in paths]
    return names if len(set(names)) == len(names) else [str(file) for file in files]


def _named(file: Path, endings: Sequence[str]) -> Path:
    whole = file.resolve()
    name = whole.name.removesuffix(".gz")
    ending = next((one for one in endings if name.endswith(one)), Path(name).suffix)
    stem = name.removesuffix(ending).rstrip("_.")
    return whole.parent / stem if stem else whole.parent


def data_set_of(question: str) -> str:
    """What stands before the stroke of an id: HumanEval of HumanEval/7."""
    return question.rpartition("/")[0]
