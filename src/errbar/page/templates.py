"""Pages as files: their templates, and the formatting of names, minus signs and numbers.

Every page extends `shell.html`, which has the head of the document.
"""

import html
import re
from collections.abc import Callable
from datetime import date
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import quote

from errbar.base.files import atomic_file
from errbar.base.markup import without_controls
from errbar.base.remarks import MARK
from errbar.errors import InputError, MissingExtra

_OPTION = re.compile(r"(--[a-z][a-z-]*)")
_NEGATIVE = re.compile(r"(?<![\w.-])-(?=\d)")
_PADDING = re.compile(r"^ +| +(?= )|(?<=\[) +")
_NEAR_BRACKET = re.compile(r"(?<=\[) | (?=\])")
_FIGURE_SPACE = "\u2007"  # as wide as a digit


def write_page(path: str | Path, render: Callable[[], str], *, kind: str) -> Path:
    """Write a self-contained page to an HTML file atomically, and return its path."""
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"a {kind} is an HTML file, as in {kind}.html; got {str(path)!r}.")
    text = render()
    with atomic_file(target) as file:
        file.write_text(text, encoding="utf-8")
    return target


def day_text(day: date) -> str:
    """Return a date as text, as in 5 May 2026."""
    return f"{day.day} {day:%B %Y}"


def template_of(name: str) -> Any:
    """Return a template, in which text is escaped and an unknown name is an error."""
    jinja = _jinja()
    environment = jinja.Environment(
        autoescape=True,
        undefined=jinja.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.do"],
        loader=jinja.FunctionLoader(packaged),
        finalize=_shown,
    )
    environment.tests["marked"] = lambda note: note.startswith(MARK)
    environment.globals["split_at_options"] = _OPTION.split
    environment.globals["minus"] = with_minus
    environment.globals["figures"] = figures
    environment.globals["capital"] = capital
    environment.globals["compact"] = compact
    environment.globals["tick"] = tick_text
    environment.globals["quoted"] = partial(quote, safe="")
    environment.globals["named"] = lambda name: jinja.utils.markupsafe.Markup(_breakable_name(name))
    return environment.get_template(name)


def _shown(value: Any) -> Any:
    """Return a value with the control characters of a text escaped, unless it is HTML."""
    return without_controls(value) if type(value) is str else value


def _breakable_name(name: str) -> str:
    """Return a name as HTML that breaks after its separators, and else only if a part is too wide.

    Examples
    --------
    >>> _breakable_name("qwen/qwen3")
    '<span class="whole"><span class="part">qwen/</span><span class="part">qwen3</span></span>'
    """
    parts = re.findall(r"[^_/,=\s]*[_/,=\s]+|[^_/,=\s]+", name)
    return f'<span class="whole">{"".join(map(_part, parts))}</span>'


def _part(text: str) -> str:
    return f'<span class="part">{html.escape(without_controls(text))}</span>'


def with_minus(text: str) -> str:
    """Return text with a minus sign before negative numbers, not a hyphen.

    Examples
    --------
    >>> with_minus("gpt-4 leads by 0.1 (95% CI -0.2 to 0.4)")
    'gpt-4 leads by 0.1 (95% CI −0.2 to 0.4)'
    """
    return _NEGATIVE.sub("−", text)


def figures(cell: str) -> str:
    """Return a cell of a table with spaces as wide as digits, so that its numbers stay aligned.

    Examples
    --------
    >>> figures("0.5   [ 0.41, 0.74]").replace("\u2007", "~")
    '0.5~~ [~0.41, 0.74]'
    """
    return _PADDING.sub(lambda found: _FIGURE_SPACE * len(found[0]), with_minus(cell))


def capital(sentence: str) -> str:
    """Return a sentence with a capital first letter."""
    return f"{sentence[:1].upper()}{sentence[1:]}"


def compact(cell: str) -> str:
    """Return a cell of a table without the spaces that align it with others.

    Examples
    --------
    >>> compact(" 4.53 [ 0.13, ∞    ]")
    '4.53 [0.13, ∞]'
    """
    return with_minus(_NEAR_BRACKET.sub("", " ".join(cell.split())))


def tick_text(number: float) -> str:
    """Return a round number without an exponent.

    Examples
    --------
    >>> tick_text(8e-05), tick_text(-0.5), tick_text(2e6)
    ('0.00008', '−0.5', '2,000,000')
    """
    text = f"{number:,.12f}" if abs(number) >= 1e4 else f"{number:.12f}"
    return with_minus(text.rstrip("0").rstrip("."))


def packaged(name: str) -> str:
    """Return a file of the page as text."""
    return resources.files("errbar.page").joinpath(name).read_text(encoding="utf-8")


def _jinja() -> Any:
    try:
        import jinja2  # noqa: PLC0415  an extra
    except ImportError as error:
        raise MissingExtra("reports need jinja2: pip install 'errbar[report]'.") from error
    return jinja2
