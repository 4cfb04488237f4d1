"""`errbar` and `python -m errbar`: the command, imported where Ctrl-C gives one line."""

import sys


def main() -> None:
    """Import the command and run it."""
    try:
        from errbar.cli import main as command  # noqa: PLC0415  takes a while
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)  # noqa: T201  click may not be there yet
        sys.exit(130)
    command(prog_name="errbar")


if __name__ == "__main__":
    main()
