"""Calibration of logs, and proper scores as metrics: scikit-learn's numbers, and refusals."""

import json
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from scipy.stats import beta
from sklearn.metrics import brier_score_loss, log_loss

import errbar
from errbar.cli import main
from errbar.errors import InputError, WrongType


def rows(items: int = 200, seed: int = 0, **systems: float) -> dict[str, list[Any]]:
    """Answers of systems that are right with `share` of what they state, and the rest at random."""
    rng = np.random.default_rng(seed)
    found: dict[str, list[Any]] = {"system": [], "question": [], "outcome": [], "confidence": []}
    for name, share in systems.items():
        stated = rng.random(items).round(3)
        right = rng.random(items) < share * stated + (1.0 - share) * 0.5
        found["system"] += [name] * items
        found["question"] += list(range(items))
        found["outcome"] += right.astype(int).tolist()
        found["confidence"] += stated.tolist()
    return found


DATA = rows(fine=1.0, off=0.2)


def test_scores_are_those_of_scikit_learn() -> None:
    found = errbar.load(pl.DataFrame(DATA)).score("avg", "brier", "log-loss(clip=0.01)")
    for at, name in enumerate(("fine", "off")):
        some = slice(200 * at, 200 * at + 200)
        right, stated = np.array(DATA["outcome"][some]), np.array(DATA["confidence"][some])
        avg, brier, log = (row for row in found if row.system == name)
        assert avg.value == pytest.approx(right.mean())
        assert brier.value == pytest.approx(brier_score_loss(right, stated), abs=1e-12)
        assert log.value == pytest.approx(log_loss(right, stated.clip(0.01, 0.99)), abs=1e-12)
        assert brier.low < brier.value < brier.high


@pytest.mark.parametrize("kind", ["csv", "arrow", "duckdb", "pandas"])
def test_every_engine_gives_the_same_scores(kind: str, tmp_path: Any) -> None:
    """Certain answers too, whose penalties are the bounds but for rounding."""
    frame = pl.DataFrame({**DATA, "confidence": [round(x) for x in DATA["confidence"]]})
    frame = pl.concat(
        [frame.cast({"confidence": pl.Float64}), pl.DataFrame(rows(50, 1, third=1.0))]
    )
    file = tmp_path / "log.csv"
    frame.write_csv(file)
    sources = {"csv": file, "arrow": frame.to_arrow(), "pandas": frame.to_pandas()}
    source = duckdb.sql(f"SELECT * FROM '{file}'") if kind == "duckdb" else sources[kind]
    metrics = ("brier", "log-loss(clip=0.01)")
    expected = [each.value for each in errbar.load(frame).score(*metrics)]
    assert len(expected) == 6
    assert [each.value for each in errbar.load(source).score(*metrics)] == pytest.approx(expected)


def test_systems_are_compared_ranked_and_gated_by_proper_scores() -> None:
    runs = errbar.load(pl.DataFrame(DATA))
    (row,) = runs.compare("brier")
    assert row.verdict == "fine is better"
    assert row.difference < 0
    assert [each.system for each in runs.rank("brier")] == ["fine", "off"]
    frame = pl.DataFrame(DATA)
    old, new = (frame.filter(pl.col("system") == name) for name in ("fine", "off"))
    assert errbar.gate(old, new, "brier", max_drop=0.01).verdict.value == "regress"
    assert errbar.gate(new, old, "brier", max_drop=0.01).verdict.value == "pass"


def test_rows_without_an_answer_are_left_out_and_counted() -> None:
    silent = {name: list(column) for name, column in DATA.items()}
    silent["outcome"][:5] = [None] * 5
    found = errbar.load(pl.DataFrame(silent)).score("brier")
    right, stated = np.array(DATA["outcome"][5:200]), np.array(DATA["confidence"][5:200])
    assert found[0].value == pytest.approx(brier_score_loss(right, stated), abs=1e-12)
    assert any(note.startswith("brier leaves out 5 rows without an ans") for note in found.notes())


def test_results_on_the_confidence_say_whether_it_is_off() -> None:
    runs = errbar.load(pl.DataFrame(DATA))
    claim = runs.calibration().conclusion()
    assert claim is not None
    few = errbar.Bootstrap(100)
    for found in (runs.roc(method=few), runs.selective("aurc", method=few), runs.compare("brier")):
        (line,) = [note for note in found.notes() if ".calibration()" in note]
        assert claim.claim in line
    no_scale = errbar.load({**DATA, "confidence": [10 * x for x in DATA["confidence"]]})
    found = no_scale.roc(method=few)
    assert not any(".calibration()" in note for note in found.notes())


def test_what_has_no_score_is_refused() -> None:
    certain = {"question": [1, 2, 3], "outcome": [1, 0, 1], "confidence": [0.5, 1.0, 0.9]}
    with pytest.raises(InputError, match=r"1 of 3 answers gave probability 0 .*clip=0\.01"):
        errbar.load(pl.DataFrame(certain)).score("log-loss")
    outside = certain | {"confidence": [50, 100, 90]}
    with pytest.raises(InputError, match="from 0 to 1; 3 of 3 answers"):
        errbar.load(pl.DataFrame(outside)).score("brier")
    with pytest.raises(InputError, match="between 0 and 1; the system has 50"):
        errbar.load(pl.DataFrame(outside)).calibration()
    runs = errbar.load(pl.DataFrame(DATA))
    with pytest.raises(InputError, match="means of different outcomes"):
        runs.compare("brier", "avg")
    with pytest.raises(WrongType, match="cannot be planned for"):
        errbar.plan("brier", pilot=runs, width=0.1)
    with pytest.raises(InputError, match="counts have no confidence"):
        errbar.score({"a": errbar.Counts([4, 4], [1, 3])}, "brier")


def test_a_bin_has_the_interval_of_clopper_and_pearson_adjusted_for_the_number_of_bins() -> None:
    stated = np.repeat([0.2, 0.6, 0.9], 50)
    right = np.concatenate([np.arange(50) < n for n in (10, 30, 50)]).astype(int)
    data = {"question": range(150), "outcome": right, "confidence": stated}
    (found,) = errbar.load(pl.DataFrame(data)).calibration(bins=3)
    for each, wins in zip(found.bins, (10, 30, 50), strict=True):
        tail = 0.025 / 3
        low = beta.ppf(tail, wins, 51 - wins)
        high = beta.ppf(1 - tail, wins + 1, 50 - wins) if wins < 50 else 1.0
        assert each.right == pytest.approx(wins / 50)
        assert (each.low, each.high) == pytest.approx((low, high), abs=1e-4)
    clustered = data | {"cluster": np.arange(150) // 5}
    (wider,) = errbar.load(pl.DataFrame(clustered)).calibration(bins=3)
    assert all(other.low < each.low for each, other in zip(found.bins, wider.bins, strict=True))


def test_parts_add_up_to_the_brier_score_and_the_verdict_names_the_system_that_is_off() -> None:
    found = errbar.load(pl.DataFrame(DATA)).calibration()
    fine, off = found
    for row in found:
        parts = row.uncertainty.value + row.miscalibration.value - row.discrimination.value
        assert parts == pytest.approx(row.brier.value, abs=1e-12)
    assert "no miscalibration" in fine.verdict()
    assert off.verdict().startswith("off is miscalibrated: ")  # too high and too low, by bin
    assert off.miscalibration.low > 0.0
    assert fine.miscalibration.low == 0.0


def test_the_order_of_rows_changes_no_number() -> None:
    frame = pl.DataFrame(DATA)
    turned = errbar.load(frame.sample(fraction=1.0, shuffle=True, seed=1)).calibration()
    assert turned.to_dicts() == errbar.load(frame).calibration().to_dicts()


def test_the_command_prints_the_table_and_json_has_every_system(tmp_path: Any) -> None:
    pl.DataFrame(DATA).write_csv(tmp_path / "log.csv")
    run = CliRunner().invoke(main, ["calibration", str(tmp_path / "log.csv"), "--format", "json"])
    assert run.exit_code == 0, run.output
    assert [row["system"] for row in json.loads(run.stdout)["rows"]] == ["fine", "off"]
    plain = CliRunner().invoke(main, ["calibration", str(tmp_path / "log.csv")])
    assert "1 of 2 systems is miscalibrated" in plain.stdout


def test_rows_without_an_answer_are_counted_once_for_all_systems() -> None:
    rows = [
        {"system": name, "question": at, "outcome": at % 2, "confidence": 0.5}
        | {"status": "abstained" if at < lost else "ok"}
        for name, lost in (("a", 3), ("b", 1))
        for at in range(40)
    ]
    said = [remark for remark in errbar.calibration(rows).remarks if "without an answer" in remark]
    assert said == ["4 rows without an answer left out (a 3, b 1)."]
