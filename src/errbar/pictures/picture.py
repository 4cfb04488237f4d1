"""A picture: one Vega-Lite specification with its data in it, and the files it becomes.

Names from logs are values in the data, never markup and never names of fields. What moves (a note
under the pointer, a legend that filters) is for pages and notebooks; still pictures go without.
"""

import html
import importlib
import importlib.util
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errbar.data.whole import written_whole
from errbar.errors import InputError

Spec = dict[str, Any]

_VERSION = "5.21"  # of Vega-Lite: the last that today's notebooks show by themselves
_MIME = "application/vnd.vegalite.v5+json"
_NO_EXTRA = "pictures are drawn by vl-convert-python: pip install 'errbar[plot]'."
_MOVING = ("params", "tooltip")
HOVER = "hover"  # the name of a layer that nobody sees, for the pointer alone


@dataclass(frozen=True, repr=False)
class Picture:
    """A picture, as `spec` says."""

    spec: Spec

    @property
    def title(self) -> str:
        """What stands above it."""
        return str(self.spec["title"]["text"])

    def svg(self) -> str:
        """As SVG."""
        return _converter().vegalite_to_svg(
            still(self.spec), vl_version=_VERSION, allowed_base_urls=[]
        )

    def png(self, scale: float = 2.0) -> bytes:
        """As PNG, with so many dots for each point."""
        if not 0 < scale <= 10 or math.isnan(scale):
            raise InputError(f"scale must be above 0 and at most 10; got {scale!r}.")
        return _converter().vegalite_to_png(
            still(self.spec), vl_version=_VERSION, scale=float(scale), allowed_base_urls=[]
        )

    def html(self) -> str:
        """As a page that needs nothing else: the code that draws it is in it."""
        code = _converter().javascript_bundle(vl_version=_VERSION)
        return _PAGE.format(title=html.escape(self.title), code=code, spec=_in_script(self.spec))

    def json(self) -> str:
        """The specification itself, as text."""
        return json.dumps(self.spec, ensure_ascii=False, allow_nan=False)

    def save(self, path: str | Path) -> None:
        """Write a file whole or not at all; its name ends in .svg, .png, .html or .json."""
        write = _WRITERS[require_suffix(path)]
        content = write(self)
        with written_whole(path) as beside:
            beside.write_bytes(content if isinstance(content, bytes) else content.encode())

    def __repr__(self) -> str:
        return f"Picture({self.title!r})"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """For notebooks: what moves, and the still picture for those that cannot show it."""
        bundle: dict[str, Any] = {_MIME: self.spec, "text/plain": repr(self)}
        if has_extra():
            bundle["image/svg+xml"] = self.svg()
        return bundle

    def _repr_svg_(self) -> str:
        return self.svg()


_WRITERS: dict[str, Callable[[Picture], str | bytes]] = {
    ".svg": Picture.svg,
    ".png": Picture.png,
    ".html": Picture.html,
    ".json": Picture.json,
}


def require_suffix(path: str | Path) -> str:
    """What the file is to be, by the end of its name, which must be one that can be written."""
    suffix = Path(path).suffix.lower()
    if suffix not in _WRITERS:
        raise InputError(f"{path}: a picture ends in {', '.join(_WRITERS)}; got {suffix!r}.")
    if suffix != ".json":
        _converter()
    return suffix


def has_extra() -> bool:
    """Whether pictures can be drawn here."""
    return importlib.util.find_spec("vl_convert") is not None


def still(part: Any) -> Any:
    """The same without what moves: an encoding that waits for a choice goes with the choice."""
    if isinstance(part, dict):
        return {
            key: value if key == "data" else still(value)
            for key, value in part.items()
            if key not in _MOVING and not _waits(value)
        }
    if isinstance(part, list):
        return [
            still(one) for one in part if not (isinstance(one, dict) and one.get("name") == HOVER)
        ]
    return part


def _waits(value: Any) -> bool:
    return isinstance(value, dict) and "param" in value.get("condition", {})


def _converter() -> Any:
    try:
        return importlib.import_module("vl_convert")
    except ImportError as error:
        raise InputError(_NO_EXTRA) from error


def _in_script(spec: Spec) -> str:
    """JSON that can end neither the script that it stands in nor a line of it."""
    return json.dumps(spec, allow_nan=False).replace("<", "\\u003c").replace(">", "\\u003e")


# The policy lets the page load nothing at all; Vega makes functions of its expressions.
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>body {{ margin: 2rem; font-family: sans-serif; }}</style>
</head>
<body>
<div id="picture"></div>
<script>{code}</script>
<script>
const actions = {{ export: true, source: false, compiled: false, editor: false }};
vegaEmbed("#picture", {spec}, {{ actions, renderer: "svg" }});
</script>
</body>
</html>
"""
