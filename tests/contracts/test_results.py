"""Every result is one of a family: it prints, tabulates, exports and draws in the same way."""

import csv
import importlib
import inspect
import io
import json
import pkgutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import errbar
from errbar import demo
from errbar.results.base import Result
from errbar.selective_report import SelectiveReport, report

PEOPLE = [
    {
        "participant_id": number,
        "success": True,
        "predicted_items": {"Sleep": number % 4, "Mood": (number * 3) % 4},
        "ground_truth_items": {"Sleep": (number // 2) % 4, "Mood": number % 4},
        "evidence_counts": {"Sleep": number % 6, "Mood": (number * 5) % 7},
    }
    for number in range(24)
]
WITHOUT_PICTURE = {"Overview"}  # its parts have pictures of their own


@cache
def runs() -> errbar.Runs:
    return errbar.load(demo.LOGS / f"{demo.HARD}.csv")


def ranked() -> dict[str, list[float]]:
    rng = np.random.default_rng(5)
    return {
        "confidence": rng.random(60).tolist(),
        "correct": rng.integers(0, 2, 60).tolist(),
        "id": list(range(60)),
    }


def item_runs(place: Path) -> SelectiveReport:
    path = place / "run.json"
    path.write_text(json.dumps({"experiments": [{"results": {"results": PEOPLE}}]}), "utf-8")
    return report([path], (0.5,), "absolute", rng=0)


EXAMPLES: dict[str, Callable[[Path], Result]] = {
    "Scores": lambda _: runs().score("avg", "pass@2"),
    "RankedScores": lambda _: errbar.load(ranked(), question="id").selective("aurc"),
    "Comparisons": lambda _: runs().compare("avg"),
    "Leaderboard": lambda _: runs().rank("avg"),
    "Inspection": lambda _: runs().inspect(),
    "Overview": lambda _: runs().overview(),
    "Monitoring": lambda _: runs().monitor(above=0.5),
    "History": lambda _: runs().monitor(above=0.5).history(),
    "Plan": lambda _: errbar.plan(
        "avg", difficulty="beta(2, 2)", width=0.3, trials=[2], simulations=20
    ),
    "Gate": lambda _: errbar.gate(
        runs(), runs(), "avg", max_drop=0.1, baseline_system="siskin-mini", system="dunlin-2"
    ),
    "SelectiveReport": item_runs,
}


@pytest.fixture(params=EXAMPLES)
def result(request: pytest.FixtureRequest, tmp_path: Path) -> Result:
    found = EXAMPLES[request.param](tmp_path)
    assert type(found).__name__ == request.param
    return found


def subclasses(kind: Any) -> Iterator[Any]:
    for below in kind.__subclasses__():
        yield below
        yield from subclasses(below)


def test_no_result_is_left_untested() -> None:
    for module in pkgutil.walk_packages(errbar.__path__, "errbar."):
        if "readers" not in module.name and not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    kinds = {kind for kind in subclasses(Result) if not inspect.isabstract(kind)}
    assert {kind.__name__ for kind in kinds} == {*EXAMPLES}


def test_a_result_is_printed_and_shown_in_a_notebook(result: Result) -> None:
    assert result.to_dicts()
    assert result.columns()[0][0] in str(result)
    assert str(result) == repr(result)
    assert "<table" in result._repr_html_() == result.to_html()


def test_a_result_becomes_a_frame_of_any_library(result: Result) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    rows = len(result.to_dicts())
    assert len(result.to_pandas()) == len(result.to_polars()) == rows
    assert result.to_arrow().num_rows == rows


def test_a_result_becomes_text_of_any_format(result: Result) -> None:
    head = result.columns()[0][0]
    assert head in result.to_markdown()
    assert "\\begin{tabular}" in result.to_latex()
    rows = list(csv.DictReader(io.StringIO(result.to_csv())))
    assert len(rows) == len(result.to_dicts())
    assert isinstance(json.loads(result.to_json()), dict)


def test_a_result_draws_itself(result: Result) -> None:
    if type(result).__name__ in WITHOUT_PICTURE:
        with pytest.raises(errbar.errors.WrongType, match="cannot be drawn"):
            result.plot()
    else:
        assert result.plot().spec
