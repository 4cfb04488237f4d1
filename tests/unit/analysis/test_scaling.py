"""pass@k far beyond the trials: what is said, and what is refused."""

import json
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import errbar
from errbar.cli import main
from errbar.errors import InputError

Row = dict[str, Any]


def counts(questions: int = 80, trials: int = 8, seed: int = 0, **more: Any) -> list[Row]:
    rng = np.random.default_rng(seed)
    right = rng.binomial(trials, rng.beta(0.5, 1.0, questions))
    return [
        {"system": "a", "question": f"q{at}", "trials": trials, "correct": int(c)} | more
        for at, c in enumerate(right)
    ]


def test_within_the_trials_the_exponent_is_that_of_the_unbiased_scores() -> None:
    runs = errbar.load(counts())
    row = runs.scaling([80])[0]
    failed = [1.0 - runs.score(f"pass@{k}")[0].value for k in (4, 8)]
    assert row.within.value == pytest.approx(np.log2(failed[0] / failed[1]))
    assert row.within.low < row.within.value < row.within.high
    assert row.unsolved == pytest.approx(failed[1])


def test_bounds_are_those_of_the_score() -> None:
    runs = errbar.load(counts())
    score = runs.score("pass@80", short="posterior")[0]
    step = runs.scaling([80])[0].steps[0]
    assert (step.bounded.low, step.bounded.high) == (score.low, score.high)
    assert score.low <= step.solved.low <= step.solved.value <= step.solved.high <= score.high
    assert step.lowest <= step.exponent.low <= step.exponent.high <= step.highest


def test_clusters_and_weights_widen_what_is_stated() -> None:
    rows = counts()
    twice = [row | {"question": f"{row['question']}{i}", "cluster": row["question"]}
             for row in rows for i in "ab"]  # fmt: skip
    single, copied = (errbar.scaling(data, [80])[0] for data in (rows, twice))
    alone = errbar.scaling([{**row, "cluster": None} for row in twice], [80])[0]

    def width(row: Any) -> float:
        own = row.steps[0].bounded
        return float(own.high - own.low)

    assert width(alone) < width(copied)
    assert width(copied) == pytest.approx(width(single), rel=0.15)
    heavy = [row | {"weight": 50.0 if at < 5 else 1.0} for at, row in enumerate(rows)]
    assert width(errbar.scaling(heavy, [80])[0]) > width(single)


def test_ragged_trials_are_used_as_they_are() -> None:
    rows = counts(trials=16)
    rng = np.random.default_rng(1)
    for each in rows[:40]:
        each["correct"] = int(rng.hypergeometric(each["correct"], 16 - each["correct"], 6))
        each["trials"] = 6
    row = errbar.scaling(rows, [160])[0]
    assert (row.least, row.most) == (6, 16)
    assert row.within.low < row.within.value < row.within.high


@pytest.mark.parametrize(
    ("rows", "ks", "said"),
    [
        (counts(trials=3), [30], "3 trials per question, 4 are needed"),
        (counts(questions=6), [80], "6 questions, 10 are needed"),
        (counts(), [8], "k must exceed the 8 trials"),
        (counts(), [0], "ks must be 1 at least"),
        ([{"question": f"q{i}", "outcome": 0.3 * (i % 4)} for i in range(40)], [9], "not right"),
    ],
)
def test_what_the_data_cannot_say_is_refused(rows: list[Row], ks: list[int], said: str) -> None:
    with pytest.raises(InputError, match=said):
        errbar.scaling(rows, ks)


def test_where_no_family_fits_only_the_bounds_are_given() -> None:
    rng = np.random.default_rng(0)
    right = rng.binomial(16, np.where(rng.random(400) < 0.5, 0.1, 0.8))
    rows = [{"question": f"q{i}", "trials": 16, "correct": int(c)} for i, c in enumerate(right)]
    found = errbar.scaling(rows, [160])
    assert np.isnan(found[0].steps[0].solved.value)
    assert found[0].steps[0].bounded.high > 0.99
    assert "No family of distributions fits" in str(found)


def test_the_command_has_the_numbers_of_python(tmp_path: Any) -> None:
    path = tmp_path / "counts.json"
    path.write_text(json.dumps(counts()), "utf-8")
    done = CliRunner().invoke(main, ["scaling", str(path), "-k", "100", "--format", "json"])
    assert done.exit_code == 0, done.output
    (record,) = json.loads(done.output)["rows"]
    (own,) = errbar.scaling(path, [100]).to_dicts()
    own = {name: None if cell == np.inf else cell for name, cell in own.items()}
    assert record == pytest.approx(own)


def test_where_nothing_fails_the_exponent_is_unknown_and_without_limit() -> None:
    (row,) = errbar.scaling([[1] * 4] * 20, [20])
    assert np.isnan(row.steps[0].exponent.value)
    assert row.limit.value == row.limit.high == np.inf
