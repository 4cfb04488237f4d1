"""The way of one row: which modules a log line crosses before it is a cell of `errbar score`.

    scripts/walk            a log of inspect_ai through `errbar score`, and an array through `errbar.eval`
    scripts/walk --steps    every step of both

A step is the first call of a function of errbar. Steps within one module are one; a step into
another folder changes folders. Modules that are only imported do not count.
"""

import contextlib
import io
import sys
import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import errbar

PACKAGE = Path(errbar.__file__).parent
LOG = Path(__file__).parent.parent / "tests" / "fixtures" / "inspect_ai" / "epochs.eval"


def steps_of(work: Callable[[], Any]) -> list[str]:
    """Modules in the order in which functions of theirs are first called."""
    seen: set[tuple[str, int]] = set()
    modules: list[str] = []
    root = f"{PACKAGE}/"

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(root) or code.co_name == "<module>":
            return
        if (code.co_filename, code.co_firstlineno) in seen:
            return
        seen.add((code.co_filename, code.co_firstlineno))
        module = code.co_filename.removeprefix(root).removesuffix(".py")
        if not modules or modules[-1] != module:
            modules.append(module)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return modules


def score_log() -> None:
    """A log of inspect_ai as the command scores it."""
    from errbar.cli.main import main  # noqa: PLC0415  part of the way

    with contextlib.redirect_stdout(io.StringIO()):
        main.main(["score", str(LOG)], standalone_mode=False)


def score_array() -> None:
    """An array through a documented function."""
    from errbar import eval as functions  # noqa: PLC0415  part of the way

    functions.pass_at_k_ci([[0, 1, 1], [1, 1, 0]], 2)


def folder_of(module: str) -> str:
    """Its folder below the package."""
    return module.rpartition("/")[0]


def main(arguments: list[str]) -> None:
    """Print both ways."""
    for name, work in {"a log through `errbar score`": score_log, "an array": score_array}.items():
        work()  # what is set up once, such as imports and caches, is no part of the way
        modules = steps_of(work)
        changes = sum(folder_of(here) != folder_of(there) for here, there in pairwise(modules))
        print(f"{name}: {len(set(modules))} modules, {changes} changes of folder")
        if "--steps" in arguments:
            print("".join(f"  {module}\n" for module in modules), end="")


if __name__ == "__main__":
    main(sys.argv[1:])
