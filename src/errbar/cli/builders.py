"""Builders of command-line options: several as one decorator, or as one value of a command."""

from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from typing import Any

import click

Command = Callable[..., None]
Options = Callable[[Command], Command]


def options_of(*options: Options) -> Options:
    """Return several options as one decorator."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def bundle(name: str, kind: type[Any], *options: Options) -> Options:
    """Return a decorator that adds options and passes them to the command as one value.

    Parameters
    ----------
    name
        The parameter of the command that receives the value.
    kind
        A dataclass with a field per option.
    *options
        The options.
    """

    def add(command: Command) -> Command:
        @wraps(command)
        def bundled(**values: Any) -> None:
            own = {
                field.name: values.pop(field.name) for field in fields(kind) if field.name in values
            }
            command(**values, **{name: kind(**own)})

        return options_of(*options)(bundled)

    return add


def choice(flag: str, *values: str, text: str, default: str | None = None) -> Options:
    """Return an option that takes one of several values; `text` is its help."""
    return click.option(
        flag,
        type=click.Choice(values),
        default=default,
        show_default=default is not None,
        help=text,
    )


def number(
    flag: str, kind: type[float] | type[int], text: str, *, default: float | None = None
) -> Options:
    """Return an option that takes a number; `text` is its help."""
    return click.option(
        flag, type=kind, default=default, show_default=default is not None, help=text
    )


def page(name: str) -> Options:
    """Return the option that names the HTML page to write."""
    return click.option(
        "-o",
        "--output",
        type=click.Path(dir_okay=False),
        default=name,
        show_default=True,
        help="The HTML file to write.",
    )
