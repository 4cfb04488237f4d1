"""The path of a row: which modules it crosses on its way to a cell of `errbar score`.

    scripts/walk            a log of inspect_ai through `errbar score`, an array through `eval`
    scripts/walk --steps    every step of both

A step is the first call into a module of errbar, so each module counts once; helpers that a module
calls again and again on the way are not counted again. A step into another folder is a change of
folder. Modules that are imported but not called do not count. Of the readers, those that only look
whether a file is theirs are counted apart.
"""

import contextlib
import io
import sys
import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import errbar

PACKAGE = Path(errbar.__file__).parent
LOG = Path(__file__).parent.parent / "tests" / "fixtures" / "inspect_ai" / "epochs.eval"


def calls_of(work: Callable[[], Any]) -> dict[str, set[str]]:
    """Modules in the order of the first call into each, with the functions that were called."""
    calls: dict[str, set[str]] = {}
    root = f"{PACKAGE}/"

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(root) and code.co_name != "<module>":
            module = code.co_filename.removeprefix(root).removesuffix(".py")
            calls.setdefault(module, set()).add(code.co_name)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return calls


def is_look(module: str, functions: set[str]) -> bool:
    """Whether a reader did nothing but look at the file."""
    return (
        module.startswith("data/readers/")
        and "_recognise" in functions
        and not any(name in functions for name in ("_read", "read"))
    )


def score_log() -> None:
    """A log of inspect_ai as the command scores it."""
    from errbar.cli import main  # noqa: PLC0415  part of the way

    with contextlib.redirect_stdout(io.StringIO()):
        main.main(["score", str(LOG)], standalone_mode=False)


def score_array() -> None:
    """An array through a documented function."""
    from errbar import eval as functions  # noqa: PLC0415  part of the way

    functions.pass_at_k_ci([[0, 1, 1], [1, 1, 0]], 2)


def folder_of(module: str) -> str:
    """Its folder below the package."""
    return module.rpartition("/")[0]


class Walk(NamedTuple):
    """The modules on the way, and the readers that only look whether the file is theirs."""

    modules: list[str]
    looks: list[str]

    @property
    def changes(self) -> int:
        """How often the folder changes."""
        return sum(folder_of(here) != folder_of(there) for here, there in pairwise(self.modules))


def walk(work: Callable[[], Any]) -> Walk:
    """The way of some work, without what is set up once, such as imports and caches."""
    work()
    calls = calls_of(work)
    looks = [module for module, functions in calls.items() if is_look(module, functions)]
    return Walk([module for module in calls if module not in looks], looks)


def main(arguments: list[str]) -> None:
    """Print both ways."""
    for name, work in {"a log through `errbar score`": score_log, "an array": score_array}.items():
        found = walk(work)
        print(f"{name}: {len(found.modules)} modules, {found.changes} changes of folder", end="")
        looks = len(found.looks)
        print(f"; {looks} readers look whether the file is theirs" if looks else "")
        if "--steps" in arguments:
            print("".join(f"  {module}\n" for module in found.modules), end="")


if __name__ == "__main__":
    main(sys.argv[1:])
