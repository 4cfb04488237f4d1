"""`errbar` and `python -m errbar`: the command, imported where Ctrl-C gives one line."""

import gc
import os
import sys

# What a command imports stays. To look for garbage among it at every 700th new object, which is
# Python's default, takes 20 to 30 ms of the 440 ms of a short command.
_OBJECTS_BETWEEN_COLLECTIONS = 20_000


def main() -> None:
    """Import the command and run it."""
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    try:
        from errbar.cli import main as command  # noqa: PLC0415  takes a while
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)  # noqa: T201  click may not be there yet
        os._exit(130)  # at sys.exit, Python may end by the signal instead; see Terminated
    command(prog_name="errbar")


if __name__ == "__main__":
    main()
