"""Every result is one of a family: it prints, tabulates, exports and draws in the same way."""

import csv
import importlib
import inspect
import io
import json
import pkgutil
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import errbar
from errbar import demo
from errbar.base.tables import Table, in_percent
from errbar.results.base import Result
from errbar.selective.report import SelectiveReport, report
from hostile import HOSTILE

CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]")

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


@cache
def runs() -> errbar.Runs:
    return errbar.load(demo.LOGS / f"{demo.HARD}.csv")


def games() -> list[dict[str, str]]:
    return [
        {"model_a": "small", "model_b": "large", "winner": winner}
        for winner in ["model_a"] * 9 + ["model_b"] * 14 + ["tie"] * 3
    ]


def judged() -> list[dict[str, Any]]:
    return [
        {"question": at, "outcome": int(at % 3 > 0), "human": at % 2 if at < 25 else None}
        for at in range(60)
    ]


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
    "Ratings": lambda _: errbar.prefer(games()),
    "CorrectedScoreTable": lambda _: errbar.score(judged(), label="human"),
    "LabellingPlan": lambda _: errbar.next_labels(errbar.load(judged(), label="human"), 20),
    "RaterAgreement": lambda _: errbar.agree(judged(), ["outcome", "human"], truth="human"),
    "Calibration": lambda _: errbar.load(ranked(), question="id").calibration(),
    "NoiseTable": lambda _: runs().noise(),
    "Items": lambda _: runs().items(),
    "BoardAudit": lambda _: runs().audit_board(),
    "Costs": lambda _: runs().cost(),
    "Scaling": lambda _: runs().scaling([50]),
    "Inspection": lambda _: runs().inspect(),
    "Overview": lambda _: runs().overview(),
    "Monitoring": lambda _: runs().monitor(above=0.5),
    "MonitoringPath": lambda _: runs().monitor(above=0.5).history(),
    "Timeline": lambda _: errbar.history(demo.LOGS / f"{demo.HARD}.csv"),
    "Plan": lambda _: errbar.plan(
        "avg", difficulty="beta(2, 2)", width=0.3, trials=[2], simulations=20
    ),
    "Gate": lambda _: errbar.gate(
        runs(), runs(), "avg", max_drop=0.1, baseline_system="siskin-mini", system="dunlin-2"
    ),
    "SelectiveReport": item_runs,
}


@pytest.fixture(params=EXAMPLES, scope="module")
def result(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Result:
    found = EXAMPLES[request.param](tmp_path_factory.mktemp("result"))
    assert type(found).__name__ == request.param
    return found


def subclasses(kind: Any) -> Iterator[Any]:
    for below in kind.__subclasses__():
        yield below
        yield from subclasses(below)


def test_no_result_is_left_untested() -> None:
    for module in pkgutil.walk_packages(errbar.__path__, "errbar."):
        elsewhere = ("readers", "integrations", "__main__")  # plug-ins import what they plug into
        if not any(name in module.name for name in elsewhere):
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


def numbers_in(cell: str) -> list[float]:
    return [float(number) for number in re.findall(r"(?<![\w^@.])[-+]?\d+(?:\.\d+)?", cell)]


def check_percent(plainly: list[str], scaled: list[str]) -> None:
    """Numbers are a hundred times as large below a head with %, and else the same."""
    if not scaled[0].partition(" [")[0].endswith(" %"):
        assert scaled == plainly
        return
    for before, after in zip(plainly[1:], scaled[1:], strict=True):
        ends = zip(numbers_in(before), numbers_in(after), strict=True)
        assert all(abs(100 * share - percent) <= 1.001 for share, percent in ends), (before, after)


def check_tables(result: Result) -> None:
    """All columns as they print and as CSV has them."""

    def columns() -> list[list[str]]:
        tables = [part for part in result.parts() if isinstance(part, Table)]
        rows = csv.reader(io.StringIO(result.to_csv()))
        return [list(c) for t in tables for c in t.columns] + list(
            map(list, zip(*rows, strict=True))
        )

    plainly = columns()
    with in_percent():
        scaled = columns()
    for before, after in zip(plainly, scaled, strict=True):
        check_percent(before, after)


def test_numbers_are_in_percent_exactly_where_the_head_says_so(result: Result) -> None:
    check_tables(result)


@pytest.mark.parametrize("by", ["borda", "copeland", "win-rate", "bradley-terry", "rasch"])
def test_only_shares_are_in_percent_among_measures_of_rank(by: Any) -> None:
    check_tables(runs().rank("avg", by=by))
    with in_percent():
        head = runs().rank("avg", by=by).columns()[2][0]
    assert (" %" in head.partition("[")[0]) == (by in ("borda", "win-rate"))


def test_a_result_becomes_text_of_any_format(result: Result) -> None:
    head = result.columns()[0][0]
    assert head in result.to_markdown()
    assert "\\begin{tabular}" in result.to_latex()
    rows = list(csv.DictReader(io.StringIO(result.to_csv())))
    assert len(rows) == len(result.to_dicts())
    assert isinstance(json.loads(result.to_json()), dict)


NAMES = (
    *HOSTILE,
    *("=1+1", "+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "[2cm]", "*", "[x](http://a.b)"),
    *("![x](http://a.b/c.png)", "<img src=http://a.b/c.png>", "www.a.b", "@all", "#1", "`x`"),
    *("\x1b]0;title\x07", "\x9b2J", "a\x00b", "a\u202eb", "_a_", "__a__", "a_b", "| a | b |"),
    *("\\input{x}", "$x$ % ~ ^ & {", "^^M"),
)


@pytest.fixture(scope="module")
def hostile() -> Result:
    rows = [{"model": name, "=by": "=1", "id": 0, "outcome": 1} for name in NAMES]
    return errbar.load(rows).score("avg", by=["=by"], method="documented")


def test_names_are_inert_in_csv_unless_raw(hostile: Result) -> None:
    text = hostile.to_csv()
    assert not CONTROLS.search(text)
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))] == []
    raw = csv.DictReader(io.StringIO(hostile.to_csv(raw=True), newline=""))
    assert {row["system"] for row in raw} == set(NAMES)


def test_names_are_inert_in_markdown(hostile: Result) -> None:
    text = hostile.to_markdown().replace("<!-- -->", "")
    text = re.sub(r" \[([-+\d., ]+|([\d.]+% )?CI)\]", "", text)  # intervals
    assert not CONTROLS.search(text)
    assert not re.search(r"[<>`*\[\]]|://|www\.|(?<!\w)[@_]|_(?!\w)|#(?!\d+;)", text)
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert {line.count("|") for line in table} == {table[0].count("|")}


def test_names_are_inert_in_latex(hostile: Result) -> None:
    text = hostile.to_latex()
    assert not CONTROLS.search(text)
    lines = [line for line in text.splitlines() if not line.startswith("%")]
    assert not [line for line in lines if line.startswith(("[", "*"))]
    body = "\n".join(lines).replace("\\\\\n", "\n")
    known = "begin end toprule midrule bottomrule textbackslash textasciicircum textasciitilde"
    known += " textless textgreater textbar pm cdot phantom times dots"
    assert {*re.findall(r"\\([a-z]+)", body)} <= {*known.split()}
    assert not re.search(r"(?<!\\)[%$#^~]", re.sub(r"\$(-|\\cdot)\$", "", body))


def test_a_result_draws_itself(result: Result) -> None:
    assert result.plot().spec
