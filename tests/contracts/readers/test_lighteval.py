"""Logs of lighteval."""

import json
import random
import shutil
from itertools import combinations
from math import exp
from pathlib import Path
from statistics import mean
from typing import Any

import duckdb
import pytest
from benchmarks.fuzz.mutants import broken_json, strange_values

import errbar
from broken_logs import BROKEN, read_or_refused, require_read_or_refused
from errbar.data.readers.base import find_readers
from errbar.errors import InputError
from logs import FIXTURES, agreements_of, columns_of, real

LOG = FIXTURES / "lighteval"


def details(task: str) -> list[dict[str, Any]]:
    """The rows of a file, read plainly."""
    (path,) = LOG.rglob(f"details_{task}*.parquet")
    table = duckdb.read_parquet(str(path))
    return [dict(zip(table.columns, row, strict=True)) for row in table.fetchall()]


def is_right(response: str, target: str, doc: Any) -> bool:
    assert doc["choices"] == [target]
    return response.strip() == target


def value(runs: errbar.Runs, metric: str, task: str) -> float:
    (estimate,) = runs.score(metric).only("toy/noisy", task=task)
    return estimate.value


def test_as_many_trials_are_right_as_avg_at_n_says() -> None:
    columns = columns_of(LOG)
    rights = dict.fromkeys((str(row["doc"]["id"]) for row in details("toy_gen")), 0.0)
    trials: dict[str, list[int]] = {}
    for task, question, trial, outcome in zip(
        *(columns[name] for name in ("task", "question", "trial", "outcome")), strict=True
    ):
        if task == "toy_gen|0":
            rights[question] += outcome
            trials.setdefault(question, []).append(trial)
    for row in details("toy_gen"):
        question, target = row["doc"]["id"], row["doc"]["choices"][0]
        right = sum(text.strip() == target for text in row["model_response"]["text"])
        assert rights[question] == right == pytest.approx(4 * row["metric"]["avg@n:n=4"])
        assert trials[question] == [1, 2, 3, 4]
    assert set(columns["status"]) == {"ok"}
    assert set(columns["system"]) == {"toy/noisy"}


def test_the_confidence_is_the_share_of_the_likeliest_choice() -> None:
    columns = columns_of(LOG, scorer="acc")
    assert set(columns["task"]) == {"toy_choice|0"}
    for at, row in enumerate(details("toy_choice")):
        likely = list(map(exp, row["model_response"]["logprobs"]))
        best = max(range(3), key=likely.__getitem__)
        assert columns["answer"][at] == str(best)
        assert columns["confidence"][at] == pytest.approx(likely[best] / sum(likely))
        assert columns["outcome"][at] == row["metric"]["acc"] == (best == row["doc"]["gold_index"])


def test_the_totals_of_the_log_come_out() -> None:
    agreements = agreements_of(LOG)
    assert sorted((agreement.claim.task, agreement.claim.metric) for agreement in agreements) == [
        ("toy_choice|0", "avg"),
        ("toy_gen|0", "avg"),
        ("toy_gen|0", "pass@1"),
        ("toy_gen|0", "pass@2"),
    ]


def test_a_majority_is_one_row_for_each_question() -> None:
    columns = columns_of(LOG, scorer="maj@n:n=4")
    assert columns["outcome"] == [row["metric"]["maj@n:n=4"] for row in details("toy_gen")]
    (agreement,) = errbar.load(LOG, scorer="maj@n:n=4").agreements()
    assert agreement.holds


def test_every_response_can_be_graded_anew() -> None:
    runs = errbar.load(LOG, regrade=is_right)
    right = [
        [text.strip() == row["doc"]["choices"][0] for text in row["model_response"]["text"]]
        for row in details("toy_gen")
    ]
    expected = mean(mean(map(any, combinations(each, 3))) for each in right)
    assert value(runs, "pass@3", "toy_gen|0") == pytest.approx(expected, abs=1e-14)
    assert "5 rows are left out" in " ".join(runs.inspect().notes())


def test_details_alone_find_their_results_or_do_without(tmp_path: Path) -> None:
    assert len(errbar.load(LOG / "details").agreements()) == 4
    shutil.copytree(LOG / "details", tmp_path / "details")
    found = errbar.load(tmp_path).inspect()
    assert {each.key[0] for each in found.slices} == {"toy/noisy"}
    assert not found.agreements


def test_totals_alone_are_no_log() -> None:
    with pytest.raises(InputError, match="--save-details"):
        errbar.load(LOG / "results")


def test_what_is_not_there_cannot_be_chosen() -> None:
    with pytest.raises(InputError, match=r"no metric 'f1'; there are: acc, .*avg@n:n=4"):
        errbar.load(LOG, scorer="f1")


def written(place: Path, row: str) -> Path:
    """A file with the columns of details, of which one value is told."""
    path = place / "details_toy_2026-01-01T00-00-00.parquet"
    shape = (
        "SELECT {id: %s, task_name: 'toy', choices: ['a'], gold_index: 0} AS doc, "
        "{em: %s} AS metric, {text: ['a'], logprobs: []::DOUBLE[]} AS model_response"
    )
    first, second = shape % ("'x'", "1::DOUBLE"), shape % tuple(row.split("; "))
    duckdb.sql(f"COPY ({first} UNION ALL {second}) TO '{path}'")
    return path


@pytest.mark.parametrize("score", ["NULL", "'nan'::DOUBLE", "'inf'::DOUBLE"])
def test_a_score_that_is_no_number_is_no_result(tmp_path: Path, score: str) -> None:
    path = written(tmp_path, f"'y'; {score}")
    columns = columns_of(path)
    assert columns["outcome"] == [1.0, None]
    assert columns["status"] == ["ok", "unscored"]
    assert columns["answer"] == columns["target"] == ["a", "a"]


def test_a_question_without_an_id_is_refused_with_its_row(tmp_path: Path) -> None:
    path = written(tmp_path, "NULL; 1::DOUBLE")
    with pytest.raises(InputError, match=rf"{path}, row 2: an id must be text"):
        errbar.load(path)


def test_columns_of_another_kind_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    duckdb.sql(f"COPY (SELECT 1 AS doc, 2 AS metric, 'x' AS model_response) TO '{path}'")
    assert not find_readers([path]).found
    with pytest.raises(InputError, match="no struct column 'doc'"):
        errbar.load(path, reader="lighteval")


def test_mutations_are_read_or_refused(tmp_path: Path) -> None:
    require_read_or_refused(LOG, tmp_path)


def test_broken_totals_do_not_hide_the_details(tmp_path: Path) -> None:
    shutil.copytree(LOG, tmp_path / "log")
    (results,) = tmp_path.rglob("results_*.json")
    raw, rng = results.read_bytes(), random.Random(5)
    strange = strange_values(rng)
    for at in range(BROKEN):
        results.write_bytes(broken_json(raw, rng, strange))
        found = read_or_refused(tmp_path / "log", looked_into=at % 10 == 0)
        assert found or not isinstance(json.loads(results.read_bytes()), dict)


def test_reported_numbers_come_out() -> None:
    runs = errbar.load(real("lighteval") / "out")
    assert len(agreements_of(runs)) == 4
    gen = errbar.load(real("lighteval") / "out", scorer="avg@n:n=8")
    assert value(gen, "pass@4", "toy_gen|0") == pytest.approx(0.91214, abs=5e-6)
    assert value(gen, "avg", "toy_gen|0") == pytest.approx(0.55625, abs=5e-6)
    assert value(runs, "avg", "toy_mc|0") == pytest.approx(0.15, abs=5e-6)
    majority = errbar.load(real("lighteval") / "out", scorer="maj@n:n=8")
    assert value(majority, "avg", "toy_gen|0") == pytest.approx(0.75, abs=5e-6)


def test_responses_graded_anew_give_the_reported_numbers() -> None:
    runs = errbar.load(real("lighteval") / "out", regrade=is_right)
    assert value(runs, "pass@4", "toy_gen|0") == pytest.approx(0.91214, abs=5e-6)
