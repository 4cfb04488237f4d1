"""`errbar history`: runs in order, their scores, the last change and drift."""

import json
from pathlib import Path

import duckdb
import numpy as np
import pytest
from click.testing import CliRunner

import errbar
from errbar.cli import main
from errbar.errors import InputError, NotThere

RATES = np.linspace(0.05, 0.95, 40)


def run_of(rng: np.random.Generator, fall: float = 0.0) -> list[dict[str, object]]:
    return [
        {"question": f"q{at}", "trial": trial, "outcome": int(rng.random() < rate * (1 - fall))}
        for at, rate in enumerate(RATES)
        for trial in range(4)
    ]


@pytest.fixture(scope="module")
def runs() -> dict[str, list[dict[str, object]]]:
    """Eleven runs, the last two after a fall."""
    rng = np.random.default_rng(3)
    return {f"v{at}": run_of(rng, 0.35 * (at > 9)) for at in range(1, 12)}


@pytest.fixture
def folder(tmp_path: Path, runs: dict[str, list[dict[str, object]]]) -> Path:
    for name, rows in runs.items():
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"{name}.jsonl").write_text(lines)
    return tmp_path


def test_a_fall_is_told_from_noise_and_dated(runs: dict[str, list[dict[str, object]]]) -> None:
    before = errbar.history({name: runs[name] for name in list(runs)[:9]})
    assert not before.has_drifted
    found = errbar.history(runs)
    detected = found.drifts[0].detected
    assert detected is not None
    assert detected[1] == "drop"
    assert detected[0] in ("v10", "v11")
    assert found.drifts[0].starts["drop"] == "v10"
    assert "Drift: a drop" in str(found)


def test_drift_needs_as_much_as_both_directions_and_all_tasks_leave_of_the_level() -> None:
    rng = np.random.default_rng(0)
    one_task = {f"v{at}": run_of(rng) for at in range(3)}
    two_tasks = {
        name: [{**row, "task": task} for task in ("sums", "words") for row in rows]
        for name, rows in one_task.items()
    }
    for logs, tests in ((one_task, 2), (two_tasks, 4)):
        for level in (0.9, 0.95):
            drifts = errbar.history(logs, level=level).drifts
            assert [drift.needed for drift in drifts] == pytest.approx(
                [tests / (1.0 - level)] * len(drifts)
            )
            assert len(drifts) == tests // 2


def test_scores_and_the_change_are_those_of_score_and_compare(
    runs: dict[str, list[dict[str, object]]],
) -> None:
    found = errbar.history(runs, "pass@2", since="v3")
    whole = errbar.load(runs)
    for record in found.to_dicts():
        (alone,) = whole.score("pass@2").only(record["run"])
        assert (record["value"], record["low"], record["high"]) == (
            alone.value,
            *(alone.low, alone.high),
        )
    (change,) = whole.compare("pass@2", baseline="v3", systems=["v11", "v3"])
    assert found.changes[0].difference == change.difference
    assert found.changes[0].interval == change.interval
    assert found.drifts[0].runs[0] == "v3"
    assert np.isnan(found.to_dicts()[0]["e_drop"])  # of v1, before v3


def test_a_folder_a_database_and_a_dict_give_the_same(
    folder: Path, runs: dict[str, list[dict[str, object]]], tmp_path: Path
) -> None:
    expected = [record | {"run": record["run"]} for record in errbar.history(runs).to_dicts()]
    assert errbar.history(folder).to_dicts() == expected
    file = tmp_path / "runs.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute(
            f"CREATE TABLE outcomes AS SELECT *, regexp_extract(filename, '(v\\d+).jsonl', 1) AS "
            f"release FROM read_json('{folder}/*.jsonl', filename=true)"
        )
    shown = CliRunner().invoke(
        main, ["history", str(file), "--run", "release", "--format", "json", "--exit-code"]
    )
    assert shown.exit_code == 1  # it has drifted
    assert json.loads(shown.stdout)["rows"] == expected


def test_rewards_have_scores_and_no_test_of_drift() -> None:
    rows = [{"question": f"q{at}", "outcome": at / 10} for at in range(11)]
    found = errbar.history({"a": rows, "b": rows})
    assert not found.has_drifted
    assert "outcomes are rewards" in str(found)
    assert np.isnan(found.to_dicts()[1]["e_drop"])


def test_what_cannot_be_a_history_is_refused(
    runs: dict[str, list[dict[str, object]]], tmp_path: Path
) -> None:
    with pytest.raises(NotThere, match="there is no run 'v99'; there are: 'v1', 'v2'"):
        errbar.history(runs, since="v99")
    with pytest.raises(NotThere, match="is empty"):
        errbar.history(tmp_path)
    two = [{**row, "system": name} for name in "ab" for row in runs["v1"]]
    with pytest.raises(InputError, match="the run 'one' has several systems: 'a', 'b'"):
        errbar.history({"one": two})
    assert errbar.history({"one": two}, system="b").runs == ("one",)
    (tmp_path / "no.duckdb").write_text("not a database")
    with pytest.raises(InputError, match="cannot be read as a DuckDB file"):
        errbar.history(tmp_path / "no.duckdb")
