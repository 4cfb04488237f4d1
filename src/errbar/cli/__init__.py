"""The command `errbar`: its group of commands.

Every command is a function that parses options, calls one function and prints. The group imports a
command on first use, and a command imports little but click before it runs, so that help is fast.

Commands:

- `overview`: `errbar PATHS`, demo, inspect; `score`: also curve and scaling; `selective`: also roc
  and calibration; `rank`: also audit-board; `agree`: also label; `help`: metrics, and how help is
  written.
- `compare`, `convert`, `cost`, `gate`, `history`, `items`, `monitor`, `noise`, `plan`, `prefer`,
  `report`: the command of that name.

What they share:

- `options`: options of several commands; `io`: paths loaded, results printed to the width of the
  terminal or written, and the options that name files to write.
- `work`: progress, time limits, Ctrl-C and other signals, errors and exit codes.
"""

import importlib
import os
from typing import Any

import click

from errbar import __version__
from errbar.base.remarks import on_command_line
from errbar.cli.work import Work, ended_early, one_line_errors

_GROUPS = {
    "Scores": ("overview", "score", "curve", "scaling", "selective", "roc", "calibration", "cost"),
    "Comparisons": ("compare", "rank", "audit-board", "gate", "history", "prefer", "items"),
    "Judges": ("agree", "label"),
    "Before and during a run": ("plan", "monitor", "noise"),
    "Data and reports": ("report", "inspect", "convert", "metrics", "demo"),
}
COMMANDS = tuple(name for group in _GROUPS.values() for name in group)
_BESIDE = {
    "audit-board": "rank",
    "calibration": "selective",
    "curve": "score",
    "demo": "overview",
    "label": "agree",
    "roc": "selective",
    "inspect": "overview",
    "metrics": "help",
    "scaling": "score",
}  # commands in the module of another


class _Commands(click.Group):
    """The group of commands, which turns errors into one line on stderr."""

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        with one_line_errors(None), ended_early():
            return super().make_context(*arguments, **more)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted({*COMMANDS, *super().list_commands(ctx)})

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands below the heads of their groups."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        longest = max(map(len, commands))
        for head, names in _GROUPS.items():
            known = ((name.ljust(longest), commands[name]) for name in names)
            with formatter.section(head):
                formatter.write_dl(
                    [(name, command.get_short_help_str(80)) for name, command in known if command]
                )

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command from the module of its name."""
        if cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        module = importlib.import_module(f"errbar.cli.{_BESIDE.get(cmd_name, cmd_name)}")
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Run `overview` if a path is given in place of a command."""
        if self.get_command(ctx, args[0]) is None:
            if _is_path(args[0]):
                return "overview", self.get_command(ctx, "overview"), args
            from difflib import get_close_matches  # noqa: PLC0415  for misspelt names

            if close := get_close_matches(args[0], COMMANDS, n=1):
                ctx.fail(f"No such command {args[0]!r}. Did you mean {close[0]!r}?")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        with one_line_errors(ctx), ended_early(), on_command_line():
            return super().invoke(ctx)


def _is_path(text: str) -> bool:
    """Whether a word looks like a path rather than a misspelt command."""
    return text == "-" or any(mark in text for mark in "/\\.*") or os.path.exists(text)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="errbar")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.option(
    "--time-limit",
    default=Work.most_seconds,
    envvar="ERRBAR_TIME_LIMIT",
    help="End a command after this many seconds; by default after a day.",
)
def main(time_limit: float, **_: bool) -> None:
    """Compute scores with confidence intervals from raw evaluation logs.

    errbar PATHS shows which system is better, all scores, and what was read.

    \b
    Examples:
      errbar logs/
      errbar compare logs/ -m pass@8
      errbar report logs/
    """
    Work.most_seconds = time_limit  # --debug is read where errors are shown
