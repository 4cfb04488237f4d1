"""The group of commands. Only click is loaded here; a command loads what it runs."""

from typing import Any

import click

from errbar import __version__
from errbar.errors import ErrbarError


class _Refusal(click.ClickException):
    """Something given cannot be used: one line on stderr, and the exit code of wrong usage."""

    exit_code = 2


class _Commands(click.Group):
    """Commands whose errors on purpose are shown without a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except ErrbarError as error:
            raise _Refusal(" ".join(str(error).split())) from error


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="errbar")
def main() -> None:
    """Honest scores from raw evaluation logs: every metric with its error bar."""


@main.command()
def demo() -> None:
    """Score a small bundled example."""
    from errbar.cli.demo import report  # noqa: PLC0415  --help must not wait for NumPy

    click.echo(report())
