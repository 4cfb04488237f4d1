"""`errbar` and `python -m errbar`: the command, imported where Ctrl-C gives one line."""

import codecs
import gc
import io
import os
import sys

# What a command imports stays. To look for garbage among it at every 700th new object, which is
# Python's default, takes 20 to 30 ms of the 440 ms of a short command.
_OBJECTS_BETWEEN_COLLECTIONS = 20_000
_ESCAPED = "errbar.escaped"


def _escaped(error: UnicodeError) -> tuple[str, int]:
    r"""Characters that an encoding lacks, such as cp1252 of Windows, as \uXXXX, as in JSON."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4)), error.end


def main() -> None:
    """Import the command and run it."""
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    codecs.register_error(_ESCAPED, _escaped)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # None if it is closed
            stream.reconfigure(errors=_ESCAPED)
    try:
        from errbar.cli import main as command  # noqa: PLC0415  takes a while
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)  # noqa: T201  click may not be there yet
        os._exit(130)  # at sys.exit, Python may end by the signal instead; see Terminated
    command(prog_name="errbar")


if __name__ == "__main__":
    main()
