"""A plug-in without its host says in a sentence which extra brings it."""

import importlib.util
import sys
from pathlib import Path

import pytest

from errbar import integrations
from errbar.errors import MissingExtra

PLACE = Path(integrations.__path__[0])


@pytest.mark.parametrize(
    ("plug_in", "host", "extra"),
    [("inspect_ai", "inspect_ai", "inspect"), ("pytest_plugin", "pytest", "pytest")],
)
def test_a_missing_host_is_stated_in_a_sentence(
    plug_in: str, host: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, host, None)
    spec = importlib.util.spec_from_file_location("plug_in_alone", PLACE / f"{plug_in}.py")
    assert spec is not None
    assert spec.loader is not None
    with pytest.raises(MissingExtra, match=rf"is not installed: pip install 'errbar\[{extra}\]'\."):
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
