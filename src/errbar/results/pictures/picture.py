"""A picture: a Vega-Lite specification that contains its data, and the files it is written to."""

import html
import importlib
import importlib.util
import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errbar.base.files import atomic_file
from errbar.base.markup import without_controls
from errbar.errors import InputError

Spec = dict[str, Any]

_VERSION = "5.21"  # of Vega-Lite: the latest that notebooks render without an extension
_MIME = "application/vnd.vegalite.v5+json"
_NO_EXTRA = "pictures need vl-convert-python: pip install 'errbar[plot]'."
_INTERACTIVE = ("params", "tooltip")
HOVER = "hover"  # the name of an invisible layer with tooltips


@dataclass(frozen=True, repr=False)
class Picture:
    """A picture, given by its Vega-Lite specification."""

    spec: Spec

    @property
    def title(self) -> str:
        """The title of the picture."""
        return str(self.spec["title"]["text"])

    def svg(self) -> str:
        """Return the picture as SVG."""
        return _converter().vegalite_to_svg(
            _in_xml(static(self.spec)), vl_version=_VERSION, allowed_base_urls=[]
        )

    def png(self, scale: float = 2.0) -> bytes:
        """Return the picture as PNG, with `scale` pixels per point."""
        if not 0 < scale <= 10 or math.isnan(scale):
            raise InputError(f"scale must be above 0 and at most 10; got {scale!r}.")
        return _converter().vegalite_to_png(
            _in_xml(static(self.spec)),
            vl_version=_VERSION,
            scale=float(scale),
            allowed_base_urls=[],
        )

    def html(self) -> str:
        """Return an HTML page that contains all scripts, so that it needs no network."""
        code = _converter().javascript_bundle(vl_version=_VERSION)
        spec = in_script(json.dumps(self.spec, allow_nan=False))
        return _PAGE.format(title=html.escape(without_controls(self.title)), code=code, spec=spec)

    def json(self) -> str:
        """Return the specification as JSON."""
        return json.dumps(self.spec, ensure_ascii=False, allow_nan=False)

    def save(self, path: str | Path) -> None:
        """Write the picture to a file that ends in .svg, .png, .html or .json, atomically."""
        write = _WRITERS[require_suffix(path)]
        content = write(self)
        with atomic_file(path) as beside:
            beside.write_bytes(content if isinstance(content, bytes) else content.encode())

    def __repr__(self) -> str:
        return f"Picture({self.title!r})"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """Return the interactive picture for a notebook, and SVG as a fallback."""
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
    """Return the suffix of a file name, which must be one of those that can be written."""
    suffix = Path(path).suffix.lower()
    if suffix not in _WRITERS:
        raise InputError(
            f"{path}: a picture's file name ends in {', '.join(_WRITERS)}; got {suffix!r}."
        )
    if suffix != ".json":
        _converter()
    return suffix


def has_extra() -> bool:
    """Whether the package that draws pictures is installed."""
    return importlib.util.find_spec("vl_convert") is not None


def static(part: Any) -> Any:
    """Return a specification without selections, tooltips and encodings that depend on them."""
    if isinstance(part, dict):
        return {
            key: value if key == "data" else static(value)
            for key, value in part.items()
            if key not in _INTERACTIVE and not _depends_on_selection(value)
        }
    if isinstance(part, list):
        return [
            static(layer)
            for layer in part
            if not (isinstance(layer, dict) and layer.get("name") == HOVER)
        ]
    return part


# Characters that XML does not allow; the converter ends the whole process at one of them.
_NOT_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def _in_xml(part: Any) -> Any:
    """Return a specification with characters that XML does not allow replaced by U+FFFD."""
    if isinstance(part, str):
        return _NOT_XML.sub("\ufffd", part)
    if isinstance(part, dict):
        return {_in_xml(key): _in_xml(value) for key, value in part.items()}
    return [_in_xml(entry) for entry in part] if isinstance(part, list) else part


def _depends_on_selection(value: Any) -> bool:
    return isinstance(value, dict) and "param" in value.get("condition", {})


def _converter() -> Any:
    try:
        return importlib.import_module("vl_convert")
    except ImportError as error:
        raise InputError(_NO_EXTRA) from error


_UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def in_script(text: str) -> str:
    """Return JSON such that it cannot close the script element that contains it."""
    for letter, escaped in _UNSAFE.items():
        text = text.replace(letter, escaped)
    return text


# The policy forbids all network access; Vega compiles expressions, which needs unsafe-eval.
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
body {{ width: fit-content; margin: 2rem auto; font-family: sans-serif; background: #f7f7f5; }}
#picture {{ background: #fff; border: 1px solid #e2e2de; border-radius: 12px; padding: 8px; }}
</style>
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
