"""AlpacaEval's length-controlled win rate, beside the package that defines it."""

import csv
import json
import math
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import errbar
from errbar.cli import main
from errbar.data.readers.games.lengths import read_gamed
from errbar.errors import InputError, MissingExtra, UnknownColumn
from errbar.kernels.length_control import GamedRows, LengthControlled, length_controlled
from logs import FIXTURES, harness, real

BASELINE = "gpt4_1106_preview"
REFERENCE = FIXTURES / "reference_alpaca_eval.py"
# alpaca_eval 0.6.6 with scikit-learn 1.9.1 on the files of `made_up`, by reference_alpaca_eval.py:
# win rate, length-controlled win rate and its standard error.
KNOWN = {
    "small": [50.483293693693696, 50.43721153048881, 0.1932606168672983],
    "large": [40.57818648648649, 41.065621374040795, 0.3062353248179149],
}


def gamed_file(folder: Path, instructions: int) -> Path:
    """A made-up df_gamed.csv: a long-winded and a brief baseline."""
    rng = np.random.default_rng(3)
    difficulty = rng.normal(0.0, 1.0, instructions)
    path = folder / "df_gamed.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        names = "index model preference instruction_difficulty std_delta_len not_gamed_baseline"
        rows = csv.writer(file)
        rows.writerow(names.split())
        for name, sign in (("verbose", -1.0), ("concise", 1.0)):
            for at in range(instructions):
                apart = sign * abs(rng.normal(1.0, 0.5))
                odds = 0.3 * difficulty[at] - 1.2 * math.tanh(apart) + rng.normal()
                chance = round(1.0 / (1.0 + math.exp(-odds)), 6)
                rows.writerow([at, name, chance, round(difficulty[at], 6), round(apart, 6), False])
    return path


def annotations(system: str, instructions: int, seed: int) -> list[dict[str, Any]]:
    """Made-up annotations; some are ties (0), some have no verdict, and some are graded."""
    rng = np.random.default_rng(seed)
    rows = []
    for at in range(instructions):
        lengths = rng.integers(20, 400, 2)
        odds = 0.004 * (lengths[1] - lengths[0]) - 0.3 * seed + rng.normal()
        graded = 1.0 + 1.0 / (1.0 + math.exp(-odds))
        kinds = {1: float(round(graded)), 2: 0.0, 3: None}
        rows.append(
            {
                "instruction": f"task {at}",
                "output_1": "é" * int(lengths[0]),
                "output_2": "b" * int(lengths[1]),
                "generator_1": BASELINE,
                "generator_2": system,
                "annotator": "judge",
                "preference": kinds.get(at % 13, round(graded, 6)),
            }
        )
    return rows


def made_up(folder: Path, instructions: int = 120) -> tuple[Path, list[Path]]:
    """Files of two systems, and the gamed baselines."""
    files = []
    for seed, system in enumerate(("small", "large")):
        files.append(folder / f"{system}.json")
        files[-1].write_text(json.dumps(annotations(system, instructions, seed)), encoding="utf-8")
    return gamed_file(folder, instructions), files


def said_by_errbar(gamed: Path, files: list[Path]) -> dict[str, list[float]]:
    """The numbers of `reference_alpaca_eval.py`."""
    plain = {row.system: row.value for row in errbar.prefer(files, against=BASELINE)}
    found = errbar.prefer(files, against=BASELINE, length_controlled=gamed)
    return {
        row.system: [100.0 * part for part in (plain[row.system], row.value, row.standard_error)]
        for row in found
    }


def said_by_alpaca_eval(gamed: Path, files: list[Path]) -> dict[str, list[float]]:
    asked = [harness("alpaca_eval"), REFERENCE, gamed, *files]
    answer = subprocess.run(asked, capture_output=True, text=True, check=True)
    found: dict[str, list[float]] = json.loads(answer.stdout.splitlines()[-1])
    return found


def test_rates_are_those_of_alpaca_eval_as_recorded(tmp_path: Path) -> None:
    gamed, files = made_up(tmp_path)
    found = said_by_errbar(gamed, files)
    assert found.keys() == KNOWN.keys()
    for system, known in KNOWN.items():
        assert found[system] == pytest.approx(known, abs=1e-6), system


def test_rates_are_those_of_alpaca_eval_live(tmp_path: Path) -> None:
    gamed, files = made_up(tmp_path)
    known = said_by_alpaca_eval(gamed, files)
    for system, numbers in said_by_errbar(gamed, files).items():
        assert numbers == pytest.approx(known[system], abs=1e-9), system


def test_rates_of_real_annotations_are_those_of_alpaca_eval_live(tmp_path: Path) -> None:
    gamed = gamed_file(tmp_path, 805)
    files = sorted(real("preferences").glob("alpaca_eval/*/annotations.json.gz"))
    known = said_by_alpaca_eval(gamed, files)
    assert len(known) == 3
    for system, numbers in said_by_errbar(gamed, files).items():
        assert numbers == pytest.approx(known[system], abs=1e-9), system


def drawn(rng: np.random.Generator, size: int) -> LengthControlled:
    """New instructions with graded preferences, for a system and for two gamed baselines."""
    difficulty = rng.standard_normal(size)

    def graded(strength: float, apart: np.ndarray) -> np.ndarray:
        odds = strength + 0.3 * difficulty - 1.5 * np.tanh(apart) + rng.standard_normal(size)
        return 1.0 / (1.0 + np.exp(-odds))

    apart = rng.normal(0.3, 1.0, size)
    gamed = [rng.normal(sign, 0.5, size) for sign in (-1.0, 1.0)]
    preferences = np.concatenate([graded(0.0, each) for each in gamed])
    index = np.arange(size)
    others = GamedRows(preferences, np.concatenate(gamed), np.tile(index, 2), difficulty)
    return length_controlled(graded(-0.7, apart), apart, index, others)


def test_the_standard_deviation_is_that_over_new_instructions() -> None:
    """The spread of the rate over data sets, and what the jackknife says of each of them."""
    rng = np.random.default_rng(5)
    found = [drawn(rng, 80) for _ in range(60)]
    spread = np.std([each.rate for each in found], ddof=1)
    assert np.mean([each.sd for each in found]) == pytest.approx(spread, rel=0.2)


def test_the_baseline_may_be_the_second_system_and_rows_may_be_numbered(tmp_path: Path) -> None:
    gamed, files = made_up(tmp_path)
    expected = said_by_errbar(gamed, files[:1])["small"]
    rows = json.loads(files[0].read_text(encoding="utf-8"))
    other = [
        {
            "index": at,
            "instruction": row["instruction"],
            "model_a": row["generator_2"],
            "model_b": row["generator_1"],
            "response_a": row["output_2"],
            "response_b": row["output_1"],
            "winner": 1.5 if row["preference"] == 0 else row["preference"],
        }
        for at, row in enumerate(rows)
    ]
    options: dict[str, Any] = {"first_wins": ["2"], "second_wins": ["1"]}
    options |= {"against": BASELINE, "length_controlled": gamed}
    found = errbar.prefer(pd.DataFrame(other), **options)[0]
    assert 100.0 * found.value == pytest.approx(expected[1], abs=1e-9)
    # the groups of the cross-validation depend on the order of the rows
    shuffled = errbar.prefer(pd.DataFrame(other).sample(frac=1.0, random_state=1), **options)[0]
    assert 100.0 * shuffled.value == pytest.approx(expected[1], abs=0.5)


def test_what_cannot_be_linked_to_a_difficulty_is_refused(tmp_path: Path) -> None:
    gamed, files = made_up(tmp_path)
    rows = json.loads(files[0].read_text(encoding="utf-8"))

    def refused(data: Any, match: str, **options: Any) -> None:
        with pytest.raises(InputError, match=match):
            errbar.prefer(data, **{"against": BASELINE, "length_controlled": gamed, **options})

    refused(rows[:-5], "115 rows for 120 instructions.*'index'")
    refused(rows + rows[:1], "121 rows, numbered 0 to 120")
    refused([{**row, "index": 7} for row in rows], "numbered 7 to 7")
    refused([{**row, "index": "x"} for row in rows], "'index' must number instructions")
    refused(rows, "needs a baseline", against=None)
    refused(rows, "no controls", controls=["length"])
    refused(rows, "no anchor", anchor="small")
    refused(rows, "there is no system", against="nobody")
    (tmp_path / "twice.json").write_text(files[0].read_text(encoding="utf-8"), encoding="utf-8")
    refused([files[0], tmp_path / "twice.json"], "in several files")
    numbered = [{**row, "index": at} for at, row in enumerate(rows)]
    whole = errbar.prefer(numbered, against=BASELINE, length_controlled=gamed)
    part = errbar.prefer(numbered[5:], against=BASELINE, length_controlled=gamed)
    assert whole[0].value != part[0].value
    assert "small: 5 of 120 instructions have no row." in "\n".join(part.remarks)


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        (lambda t: t.drop(columns="std_delta_len"), UnknownColumn, "no column 'std_delta_len'"),
        (lambda t: t.assign(preference=t.preference + 1), InputError, r"lie in \[0, 1\]"),
        (lambda t: t.assign(not_gamed_baseline=True), InputError, "must be False"),
        (lambda t: t.sort_values("index"), InputError, "in this order"),
        (lambda t: t.assign(instruction_difficulty=range(len(t))), InputError, "several difficult"),
        (lambda t: t.assign(preference="x"), InputError, "must be numbers"),
    ],
)
def test_a_file_of_gamed_baselines_that_is_not_alpaca_eval_s_is_refused(
    tmp_path: Path, change: Any, error: type[InputError], match: str
) -> None:
    table = change(pd.read_csv(gamed_file(tmp_path, 10)))
    table.to_csv(tmp_path / "other.csv", index=False)
    with pytest.raises(error, match=match):
        read_gamed(tmp_path / "other.csv")


def test_the_command_prints_what_python_does_and_its_page_too(tmp_path: Path) -> None:
    gamed, files = made_up(tmp_path)
    asked = ["prefer", *map(str, files), "--against", BASELINE, "--length-controlled", str(gamed)]
    answer = CliRunner().invoke(main, [*asked, "--format", "json"], catch_exceptions=False)
    rows = json.loads(answer.stdout)
    rates = {row["system"]: 100.0 * row["value"] for row in rows["rows"]}
    for system, (_, rate, _) in said_by_errbar(gamed, files).items():
        assert rates[system] == pytest.approx(rate)
    page = tmp_path / "games.html"
    answer = CliRunner().invoke(main, [*asked, "--report", str(page)], catch_exceptions=False)
    assert answer.exit_code == 0
    assert "length-controlled win rate" in page.read_text(encoding="utf-8")


def test_a_missing_scikit_learn_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sklearn", None)
    gamed, files = made_up(tmp_path)
    with pytest.raises(MissingExtra, match=r"errbar\[alpaca\]"):
        errbar.prefer(files, against=BASELINE, length_controlled=gamed)
