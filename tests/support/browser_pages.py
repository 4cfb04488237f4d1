"""Pages in Chromium: their messages, their requests, and what they show."""

import os
import shutil
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import sync_playwright

CHROMIUM = shutil.which("chromium")
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
USUAL = {"width": 1280, "height": 720}  # of a page that nobody told
LOOKS = pytest.mark.parametrize(  # colours do not depend on the width, nor what fits on the colours
    ("size", "scheme"), [(WIDE, "light"), (NARROW, "dark")], ids=["1280-light", "390-dark"]
)
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
QUIET = (
    "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-quic",
)  # fmt: skip

needs_chromium = pytest.mark.skipif(
    CHROMIUM is None and "CI" not in os.environ, reason="no Chromium: scripts/browser installs it"
)


def launched() -> Iterator["Tabs"]:
    """Chromium, closed when the context ends."""
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=list(QUIET),
            timeout=120_000,  # milliseconds: a busy machine may need more than the usual 30 seconds
        )
        yield Tabs(opened)
        opened.close()


class Tab:
    """A page, with its messages and requests since a test took it."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.said: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))

    def clear(self) -> None:
        """Remove what a test left, before the next one."""
        self.page.evaluate("() => { localStorage.clear(); sessionStorage.clear() }")
        self.page.mouse.move(0, 0)
        self.page.goto("about:blank")
        self.said, self.asked = [], []


class Tabs:
    """Pages of a browser that tests share: Chromium takes a second to open a new one."""

    def __init__(self, browser: Any) -> None:
        self._browser = browser
        self._free: list[Tab] = []
        self._taken: list[Tab] = []

    def take(
        self, viewport: Any = None, color_scheme: str = "light", *, scripts: bool = True
    ) -> Tab:
        """A page of this size and colour scheme that no test uses at the moment."""
        if not scripts:
            return Tab(self._browser.new_page(java_script_enabled=False))
        tab = self._free.pop() if self._free else Tab(self._browser.new_page())
        self._taken.append(tab)
        tab.page.set_viewport_size(viewport or USUAL)
        tab.page.emulate_media(media="null", color_scheme=color_scheme)
        return tab

    def give_back(self) -> None:
        """Make every page free again."""
        for tab in self._taken:
            tab.clear()
        self._free += self._taken
        self._taken = []


class Opened:
    """A page, with its messages and requests."""

    def __init__(self, tabs: Tabs, path: Path, **how: Any) -> None:
        tab = tabs.take(**how)
        self.page, self.said, self.asked = tab.page, tab.said, tab.asked
        self.page.goto(path.as_uri())

    def keep(self, name: str, **how: Any) -> None:
        """A picture, in the folder that ERRBAR_ARTEFACTS names."""
        if "ERRBAR_ARTEFACTS" in os.environ:
            place = Path(os.environ["ERRBAR_ARTEFACTS"])
            place.mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=str(place / f"{name}.png"), **how)

    def unfold(self) -> "Opened":
        """Open every table that is folded."""
        self.page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true })")
        return self

    def column(self, table: str, at: int) -> list[str]:
        cells = self.page.locator(f"#{table} tbody tr > :nth-child({at})")
        return [text.strip() for text in cells.all_text_contents()]

    def barriers(self, without: Sequence[str] = ()) -> list[str]:
        """Serious barriers to accessibility that axe-core reports, with their elements."""
        self.page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8"))
        rules = {rule: {"enabled": False} for rule in without}
        asked = "(rules) => axe.run({resultTypes: ['violations'], rules})"
        found = self.page.evaluate(asked, rules)["violations"]
        return [
            f"{rule['id']}: {[node['target'] for node in rule['nodes'][:5]]}"
            for rule in found
            if rule["impact"] in ("serious", "critical")
        ]
