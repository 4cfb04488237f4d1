"""Reports: results as one self-contained HTML file."""

from pathlib import Path

from errbar.base.files import atomic_file
from errbar.errors import InputError
from errbar.page.contents import Contents, ReportSettings, Section, contents_of
from errbar.page.rendering import embedded, render
from errbar.runs import Runs

__all__ = [
    "Contents", "ReportSettings", "Section", "contents_of", "embedded", "render", "write_report",
]  # fmt: skip


def write_report(runs: Runs, path: str | Path, settings: ReportSettings) -> Path:
    """Write the report of runs to an HTML file atomically, and return its path."""
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"a report is an HTML file, as in report.html; got {path!r}.")
    text = render(contents_of(runs, settings))
    with atomic_file(target) as file:
        file.write_text(text, encoding="utf-8")
    return target
