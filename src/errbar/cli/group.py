"""The group that all commands belong to, and how they end."""

from typing import Any

import click

from errbar import __version__
from errbar.cli.endings import ended_early
from errbar.errors import ErrbarError
from errbar.remarks import on_command_line


class _Refusal(click.ClickException):
    """Something given cannot be used: one line on stderr, and the exit code of wrong usage."""

    exit_code = 2


class _Commands(click.Group):
    """Commands that end in one line where they must end early."""

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        with ended_early():
            return super().make_context(*arguments, **more)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with ended_early(), on_command_line():
                return super().invoke(ctx)
        except ErrbarError as error:
            if ctx.params.get("debug"):
                raise
            from errbar.tables import printable  # noqa: PLC0415  --help must not wait

            raise _Refusal(printable(" ".join(str(error).split()))) from error


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="errbar")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def main(debug: bool) -> None:
    """Honest scores from raw evaluation logs: every metric with its error bar."""
    del debug  # read where errors are shown
