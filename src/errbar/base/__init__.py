"""Numbers, text, arguments and files; nothing here depends on evaluation.

- `arguments`: the check of an argument, as that a level lies in (0, 1) (`strict_share`); types of
  options by their names (`checked`); fields of frozen values, set once (`freeze`).
- `arrays`: types of arrays, and checks of arguments with an entry per item.
- `files`: files written whole or not at all.
- `tables`: how numbers and tables print: digits that a standard deviation supports (`round_to_sd`),
  `--percent` (`in_percent`), colours on a terminal (`Tone`), control characters (`printable`).
- `narrow_tables`: tables fitted to the width of a terminal.
- `markup`: Markdown, LaTeX, JUnit; text that a spreadsheet would run as a formula (`inert_csv`).
- `remarks`: remarks, guesses and warnings on the data, and words for counts.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType


def modules_on_first_use(package: str) -> Callable[[str], ModuleType]:
    """Return the `__getattr__` of a package that imports a module when it is first used.

    After `from errbar import analysis`, `analysis.costs` works without another import, and is not
    loaded before it is used. The package names these modules for type checkers.

    Examples
    --------
    >>> modules_on_first_use("errbar.base")("files").__name__
    'errbar.base.files'
    """

    def module(name: str) -> ModuleType:
        if find_spec(f"{package}.{name}") is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return import_module(f"{package}.{name}")

    return module
