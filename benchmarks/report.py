"""How long a report takes to make, how large it is, and how soon a browser shows it.

    scripts/bench report                                          20 × 500 × 16
    scripts/bench report --systems 50 --questions 5000 --trials 2

The first paint is the browser's own measure, from the start of the navigation; the page is opened
several times, and the least and the middle of the times are stated.
"""

import argparse
import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np

import errbar
from errbar.page import ReportSettings, write_report

_FIRST_PAINT = """new Promise((found) => new PerformanceObserver((entries) => {
    const paint = entries.getEntriesByName("first-contentful-paint")[0];
    if (paint) found(paint.startTime);
}).observe({ type: "paint", buffered: true }))"""
_DONE = "performance.getEntriesByType('navigation')[0].domComplete"


def outcomes(systems: int, questions: int, trials: int) -> dict[str, np.ndarray]:
    """Right and wrong trials of systems that are near each other."""
    rng = np.random.default_rng(0)
    easiness = rng.normal(0, 2, questions)
    rates = 1 / (1 + np.exp(-easiness - rng.normal(0, 0.5, (systems, 1))))
    return {
        f"system {at}": (rng.random((questions, trials)) < rate[:, None]).astype(float)
        for at, rate in enumerate(rates)
    }


def shown_after(page: Path, times: int) -> list[tuple[float, float]]:
    """Milliseconds until something is painted, and until the page is complete, of each opening."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  only here

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        found = []
        for _ in range(times):
            opened = browser.new_page()
            opened.goto(page.as_uri())
            found.append((opened.evaluate(_FIRST_PAINT), opened.evaluate(_DONE)))
            opened.close()
        browser.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench report", description=__doc__)
    parser.add_argument("--systems", type=int, default=20)
    parser.add_argument("--questions", type=int, default=500)
    parser.add_argument("--trials", type=int, default=16)
    parser.add_argument("--openings", type=int, default=5)
    asked = parser.parse_args()
    runs = errbar.load(outcomes(asked.systems, asked.questions, asked.trials))
    print(
        f"{asked.systems} systems × {asked.questions:,} questions × {asked.trials} trials; ", end=""
    )
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as place:
        start, spent = time.perf_counter(), time.process_time()
        page = write_report(runs, Path(place) / "report.html", ReportSettings())
        seconds, processor = time.perf_counter() - start, time.process_time() - spent
        print(f"made in        {seconds:8.1f} s, {processor:.1f} s CPU")
        print(f"size           {page.stat().st_size / 1e6:8.2f} MB")
        paints, ends = zip(*shown_after(page, asked.openings), strict=True)
    for name, found in (("first paint", paints), ("page complete", ends)):
        middle = statistics.median(found)
        print(f"{name:<15}{min(found):8.0f} ms at least, {middle:.0f} ms in the middle")


if __name__ == "__main__":
    main()
