"""The help of a command: its own options first, then those of many commands under heads.

`errbar metrics` lists the metrics that options name.
"""

from dataclasses import fields
from typing import Any

import click

from errbar.cli.io import OutputPath, WriteOptions
from errbar.cli.options import PATHS, Command, ReadOptions

_NOT_BROKEN = "\u2011"  # a hyphen at which lines are not broken
_LABELS = frozenset({"labels", "label", "correction"})
_READ = frozenset(field.name for field in fields(ReadOptions)) - _LABELS
_WRITE = frozenset(field.name for field in fields(WriteOptions)) | {"force"}
_HEADS = ("Options", "Reading the data", "Labels by people", "Output")


class _Formatter(click.HelpFormatter):
    """Help whose lines are never broken within an option such as --max-drop."""

    def write(self, string: str) -> None:
        super().write(string.replace(_NOT_BROKEN, "-"))

    def write_text(self, text: str) -> None:
        super().write_text(text.replace("-", _NOT_BROKEN))

    def write_dl(self, rows: Any, *arguments: Any, **more: Any) -> None:
        whole = ((term, text.replace("-", _NOT_BROKEN)) for term, text in rows)
        super().write_dl(whole, *arguments, **more)


class _Context(click.Context):
    formatter_class = _Formatter


class Subcommand(click.Command):
    """A command of errbar."""

    context_class = _Context

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options below the head of their group."""
        found: dict[str, list[tuple[str, str]]] = {head: [] for head in _HEADS}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                found[_head(parameter)].append(record)
        for head, records in found.items():
            if records:
                with formatter.section(head):
                    formatter.write_dl(records)


def command_on_paths(function: Command) -> click.Command:
    """Turn a function into a command of errbar whose arguments are the paths of outcomes."""
    return click.command(cls=Subcommand)(PATHS(function))


def _head(parameter: click.Parameter) -> str:
    if parameter.name in _READ:
        return "Reading the data"
    if parameter.name in _LABELS:
        return "Labels by people"
    writes = parameter.name in _WRITE or isinstance(parameter.type, OutputPath)
    return "Output" if writes else "Options"


@click.command(cls=Subcommand)
def metrics() -> None:
    """List the metrics, with a line on each.

    A number takes the place of k, as in pass@8.

    \b
    Examples:
      errbar metrics
      errbar score logs/ -m pass@8,pass^8
    """
    from errbar.metrics.base import known_metrics  # noqa: PLC0415  --help must not wait

    known = known_metrics()
    width = max(map(len, known))
    for name, meaning in known.items():
        click.echo(f"{name:<{width}}  {meaning}.")
