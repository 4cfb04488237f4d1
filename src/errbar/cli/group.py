"""The group that all commands belong to, and how they end."""

from pathlib import Path
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

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """A path in place of a command asks for what a person wants first."""
        if self.get_command(ctx, args[0]) is None and _is_path(args[0]):
            return "overview", self.get_command(ctx, "overview"), args
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with ended_early(), on_command_line():
                return super().invoke(ctx)
        except ErrbarError as error:
            if ctx.params.get("debug"):
                raise
            from errbar.tables import printable  # noqa: PLC0415  --help must not wait

            raise _Refusal(printable(" ".join(str(error).split()))) from error


def _is_path(text: str) -> bool:
    """Whether it looks like a path rather than a mistyped command."""
    return text == "-" or any(mark in text for mark in "/\\.*") or Path(text).exists()


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="errbar")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def main(debug: bool) -> None:
    """Honest scores from raw evaluation logs: every metric with its error bar.

    errbar PATHS shows what was read, the scores, and who is better.
    """
    del debug  # read where errors are shown
