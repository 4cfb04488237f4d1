"""The verbs of errbar in the reference: functions with the parameters of the methods of `Runs`.

`errbar.verbs` makes them when it is imported, so that a reader of its text sees assignments only.
"""

import inspect
from typing import Any

import griffe

import errbar
from errbar import verbs

READING = griffe.Parameter(
    "reading", kind=griffe.ParameterKind.var_keyword, annotation="Any", default="{}"
)


class Verbs(griffe.Extension):
    """Puts a function in the place of each verb."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Take the parameters from the method, and the docstring from the function."""
        if pkg.path != errbar.__name__:
            return
        module, runs = pkg["verbs"], pkg["runs.Runs"]
        for name, made in vars(verbs).items():
            if inspect.isfunction(made) and isinstance(module.members.get(name), griffe.Attribute):
                method = runs.all_members[name]
                _, *own = method.parameters
                first = griffe.Parameter(
                    "data", kind=griffe.ParameterKind.positional_or_keyword, annotation="Any"
                )
                module.set_member(
                    name,
                    griffe.Function(
                        name,
                        parameters=griffe.Parameters(first, *own, READING),
                        returns=method.returns,
                        docstring=griffe.Docstring(made.__doc__ or "", parser="numpy"),
                    ),
                )
