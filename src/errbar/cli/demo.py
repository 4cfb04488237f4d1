"""What `errbar demo` prints."""

import textwrap

from errbar import demo
from errbar.evaluate import score

METRICS = ("avg", "maj@7", "pass@8", "pass^8", "geom@4")

TRY_NEXT = """\
import errbar
runs = {"mine": errbar.Counts(trials=[8, 8, 8], correct=[8, 3, 0])}
print(errbar.score(runs, "pass@1", "pass@8"))
"""


def report() -> str:
    """The bundled example, its scores with intervals, and what to try next."""
    return "\n".join(
        [
            demo.ABOUT,
            "",
            str(score(demo.load(), *METRICS)),
            "",
            "On your own counts, in Python:",
            "",
            textwrap.indent(TRY_NEXT, "    ").rstrip(),
        ]
    )
