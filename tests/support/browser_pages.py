"""Pages in a real browser: Chromium, and all that a page says, asks for and shows."""

import os
import shutil
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import sync_playwright

CHROMIUM = shutil.which("chromium")
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
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


def launched() -> Iterator[Any]:
    """Chromium, until the caller is done with it."""
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=list(QUIET),
            timeout=120_000,  # milliseconds: a busy machine may need more than the usual 30 seconds
        )
        yield opened
        opened.close()


class Opened:
    """A page, with all that it said and asked for."""

    def __init__(self, browser: Any, path: Path, **how: Any) -> None:
        self.page = browser.new_page(**how)
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
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

    def barriers(self) -> list[str]:
        """What axe-core finds to be a serious barrier for some readers, with the elements."""
        self.page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8"))
        found = self.page.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
        return [
            f"{rule['id']}: {[node['target'] for node in rule['nodes'][:5]]}"
            for rule in found
            if rule["impact"] in ("serious", "critical")
        ]
