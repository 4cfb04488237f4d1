"""Where logs for tests are, and what errbar reads from them, as plain Python values."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import errbar
from errbar.results.inspection import Agreement
from errbar.runs import Runs

REPOSITORY = Path(__file__).parents[2]
FIXTURES = REPOSITORY / "tests" / "fixtures"

Source = Path | Sequence[Path] | Runs


def real(name: str) -> Path:
    """A folder of real logs, which lie beside the repository; the test is skipped without them."""
    place = REPOSITORY.parent / "shared" / "logs" / name
    if not place.exists():
        pytest.skip(f"there are no real logs of {name} beside the repository")
    return place


def harness(name: str) -> Path:
    """The Python that has a harness; the test is skipped where it is not installed."""
    python = REPOSITORY / ".cache" / "harnesses" / name / "bin" / "python"
    if not python.exists():
        pytest.skip(f"scripts/harness {name} installs the package")
    return python


def runs_of(source: Source, **told: Any) -> Runs:
    """Runs, which may be loaded already."""
    return source if isinstance(source, Runs) else errbar.load(source, **told)


def columns_of(source: Source, **told: Any) -> dict[str, list[Any]]:
    """What errbar reads, by column; None for a missing value."""
    frame = runs_of(source, **told).source.frame.collect()  # type: ignore[attr-defined]
    found: dict[str, list[Any]] = frame.to_dict(as_series=False)
    return found


def rows_of(source: Source, **told: Any) -> list[dict[str, Any]]:
    """What errbar reads, row by row."""
    found = columns_of(source, **told)
    return [dict(zip(found, row, strict=True)) for row in zip(*found.values(), strict=True)]


def remarks_of(source: Source, **told: Any) -> str:
    """The remarks of errbar on a log, one on each line."""
    return "\n".join(runs_of(source, **told).source.origin.remarks)


def values_of(source: Source, *metrics: str, **told: Any) -> list[float]:
    """The values of metrics of the only system of a log."""
    chosen = {key: told.pop(key) for key in ("scorer", "filter") if key in told}
    scores = runs_of(source, **chosen).score(*metrics, **told)
    assert len(scores.estimates) == len(metrics)
    return [estimate.value for estimate in scores.estimates]


def agreements_of(source: Source, **told: Any) -> list[Agreement]:
    """The numbers that a log states; errbar must compute the same."""
    found = runs_of(source, **told).agreements()
    for each in found:
        assert each.holds, str(each)
    return list(found)


def claims_of(source: Source, **told: Any) -> list[str]:
    """The names of the numbers that a log states; errbar must compute the same."""
    return [each.claim.name for each in agreements_of(source, **told)]
