"""Contents → one HTML file that needs nothing else: no network, no other file.

Whatever comes from the logs is text: the template escapes it, and the script puts it into the page
as text too. No other script than ours may run, by its digest in the page's own policy.
"""

import base64
import hashlib
import json
import math
from importlib import resources
from pathlib import Path
from typing import Any

from errbar.base.files import written_whole
from errbar.base.remarks import above, below
from errbar.errors import InputError
from errbar.page.contents import Asked, Contents, contents_of
from errbar.runs import Runs

_UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def write_report(runs: Runs, path: str | Path, asked: Asked) -> Path:
    """The report of some runs, written whole or not at all."""
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"a report is an HTML file; name it so, as in report.html; got {path!r}.")
    text = rendered(contents_of(runs, asked))
    with written_whole(target) as file:
        file.write_text(text, encoding="utf-8")
    return target


def rendered(contents: Contents) -> str:
    """The page as text."""
    jinja = _jinja()
    environment = jinja.Environment(autoescape=True, undefined=jinja.StrictUndefined)
    template = environment.from_string(_file("page.html"))
    script = _file("page.js")
    tables = [_table(section.result) for section in contents.sections]
    text: str = template.render(
        contents=contents,
        guesses=dict.fromkeys(note for table in tables if table for note in table["above"]),
        level=f"{100 * contents.asked.level:g} %",
        covers=contents.asked.estimand.words,
        tables=tables,
        style=_file("page.css"),
        script=script,
        digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        data=embedded(contents.record()),
    )
    return text


def embedded(record: Any) -> str:
    """JSON that cannot end the element that it stands in."""
    text = json.dumps(_plain(record), ensure_ascii=False, separators=(",", ":"))
    return "".join(_UNSAFE.get(letter, letter) for letter in text) if _is_unsafe(text) else text


def _is_unsafe(text: str) -> bool:
    return any(letter in text for letter in _UNSAFE)


def _plain(value: Any) -> Any:
    """The same, with null for what is no number."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value


def _table(result: Any) -> dict[str, Any] | None:
    """Heads, rows and notes of a result."""
    if result is None:
        return None
    heads, *rows = zip(*result.columns(), strict=True)
    notes = result.notes()
    return {"heads": heads, "rows": rows, "above": above(notes), "notes": below(notes)}


def _file(name: str) -> str:
    return resources.files("errbar.page").joinpath(name).read_text(encoding="utf-8")


def _jinja() -> Any:
    try:
        import jinja2  # noqa: PLC0415  an extra
    except ImportError as error:
        raise InputError("reports need the extra: pip install 'errbar[report]'.") from error
    return jinja2
