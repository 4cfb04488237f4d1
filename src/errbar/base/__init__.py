"""Numbers, text, arguments and files; nothing here depends on evaluation."""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType


def modules_on_first_use(package: str) -> Callable[[str], ModuleType]:
    """Return the `__getattr__` of a package that imports a module when it is first used.

    After `from errbar import analysis`, `analysis.costs` is there without another import, and
    whoever never asks for it does not wait for it. The package names these modules for type
    checkers.

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
