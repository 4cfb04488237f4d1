"""Terminal, JSON, report and Python show the same intervals of the same data."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import errbar
from errbar import demo
from errbar.base.tables import interval_cells
from errbar.cli import main
from errbar.page.contents import ReportSettings, contents_of
from terminals import plain, shown

LOGS = str(Path(demo.__file__).parent / "logs")
CELL = re.compile(r"[-+]?\d\.\d+ \[ ?[-+]?\d\.\d+, +[-+]?\d\.\d+\]")


@pytest.fixture(scope="module")
def report() -> Any:
    """The results of a report by the name of the section."""
    contents = contents_of(errbar.load(LOGS), ReportSettings(metrics=("avg",)))
    return json.loads(json.dumps(contents.record()["results"]))


def ends(rows: list[dict[str, Any]], key: str) -> list[tuple[float, float, float]]:
    return [(row[key], row["low"], row["high"]) for row in rows]


@pytest.mark.parametrize(
    ("command", "section", "key"),
    [
        ("score", "scores", "value"),
        ("rank", "ranks", "value"),
        ("compare", "comparisons", "difference"),
    ],
)
def test_the_four_show_the_same_intervals(
    command: str, section: str, key: str, report: Any
) -> None:
    result = getattr(errbar.load(LOGS), command)("avg")
    in_python = ends(result.to_dicts(), key)
    written = CliRunner().invoke(main, [command, LOGS, "--format", "json"]).stdout
    assert ends(json.loads(written)["rows"], key) == in_python
    assert ends(report[section]["rows"], key) == in_python
    rows = [
        (*numbers, row["sd"]) for numbers, row in zip(in_python, result.to_dicts(), strict=True)
    ]
    cells = [cell.strip() for cell in interval_cells(rows, signed=command == "compare")]
    text = plain(shown(command, LOGS, columns=80))
    assert CELL.findall(text) == cells, text
    assert CELL.findall(str(result)) == cells


@pytest.fixture(scope="module")
def confident(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Outcomes with a confidence."""
    path = tmp_path_factory.mktemp("confident") / "outcomes.csv"
    rows = (f"{at},{int(at % 5 < 2 + at % 2)},{(at * 37 % 60) / 60:.4f}" for at in range(60))
    path.write_text("\n".join(["question,outcome,confidence", *rows]) + "\n", encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("command", ["selective", "roc"])
def test_ranked_scores_are_the_same_in_all_four(command: str, confident: str) -> None:
    result = getattr(errbar.load(confident), command)()
    in_python = ends(result.to_dicts(), "value")
    written = CliRunner().invoke(main, [command, confident, "--format", "json"]).stdout
    assert ends(json.loads(written)["rows"], "value") == in_python
    sections = contents_of(errbar.load(confident), ReportSettings(metrics=("avg",))).record()
    reported = json.loads(json.dumps(sections["results"]))[command]["rows"]
    assert ends(reported, "value") == in_python
    cells = CELL.findall(plain(shown(command, confident, columns=80)))
    assert cells == CELL.findall(str(result))
    assert len(cells) == len(in_python)


def test_a_gate_shows_the_same_numbers_in_python_and_on_the_command_line() -> None:
    found = errbar.gate(
        LOGS, LOGS, "avg", max_drop=0.05, baseline_system="siskin-mini", system="dunlin-2"
    )
    options = ["--baseline-system", "siskin-mini", "--system", "dunlin-2", "--max-drop", "0.05"]
    written = CliRunner().invoke(main, ["gate", LOGS, *options, "--format", "json"]).stdout
    assert json.loads(written)["rows"] == json.loads(json.dumps(found.to_dicts()))
    alone = errbar.compare(LOGS, "avg", systems=["dunlin-2", "siskin-mini"], adjust="none")
    assert {row["task"]: row["change"] for row in found.to_dicts()} == {
        row.task: row.difference if row.first == "dunlin-2" else -row.difference for row in alone
    }


def test_where_a_family_of_comparisons_widens_intervals_it_is_stated(report: Any) -> None:
    runs = errbar.load(LOGS)
    family = runs.compare("avg")
    single = runs.compare("avg", systems=["dunlin-2", "siskin-mini"], adjust="none")
    (alone,) = [row for row in single if row.task == "repo-repair"]
    (among,) = [
        row
        for row in family
        if row.task == "repo-repair" and {row.first, row.second} == {alone.first, alone.second}
    ]
    assert among.difference == alone.difference
    assert among.interval.low < alone.interval.low
    said = "simultaneous for all 6 comparisons"
    assert said in " ".join(str(family).split())
    assert said in " ".join(plain(shown("compare", LOGS, columns=80)).split())
    assert said in " ".join(plain(shown(LOGS, columns=80)).split())
    assert any("all 6 comparisons together" in note for note in report["comparisons"]["notes"])
    assert "not adjusted" in " ".join(str(single).split())


def test_pairs_of_systems_are_counted_once_for_all_tasks() -> None:
    text = " ".join(plain(shown("compare", LOGS, columns=80)).split())
    assert text.startswith("2 of the 3 pairs of systems differ significantly on at least one task")
