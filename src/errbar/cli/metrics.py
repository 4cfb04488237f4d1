"""`errbar metrics`: every metric, with a line on what it means."""

import click

from errbar.cli.help import Subcommand


@click.command(cls=Subcommand)
def metrics() -> None:
    """List the metrics, with a line on each.

    A number takes the place of k, as in pass@8.

    \b
    Examples:
      errbar metrics
      errbar score logs/ -m pass@8,pass^8
    """
    from errbar.metrics.grammar import known_metrics  # noqa: PLC0415  --help must not wait

    known = known_metrics()
    width = max(map(len, known))
    for name, meaning in known.items():
        click.echo(f"{name:<{width}}  {meaning}.")
