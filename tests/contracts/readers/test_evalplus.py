"""Results of EvalPlus, in its layouts, held against what it prints."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import errbar
from broken_logs import DEEP, refusal, require_read_or_refused
from logs import FIXTURES, claims_of, real, remarks_of, rows_of, values_of

HERE = FIXTURES / "evalplus"
NEW, OLD = HERE / "toy_eval_results.json", HERE / "old" / "toy_eval_results.json"
SAID = json.loads((HERE / "reported.json").read_text(encoding="utf-8"))
PASSED = {"pass": 1.0, "fail": 0.0, "timeout": 0.0}


def told() -> dict[str, list[dict[str, Any]]]:
    return json.loads(NEW.read_text(encoding="utf-8"))["eval"]


@pytest.mark.parametrize("log", [NEW, OLD], ids=["new", "old"])
@pytest.mark.parametrize("scorer", ["base", "plus"])
def test_a_row_for_each_sample(log: Path, scorer: str) -> None:
    kinds = ["base_status", "plus_status"] if scorer == "plus" else ["base_status"]
    expected = {
        (name, trial): min(PASSED[sample[kind]] for kind in kinds)
        for name, samples in told().items()
        for trial, sample in enumerate(samples)
    }
    rows = rows_of(log, scorer=scorer)
    assert {(row["question"], row["trial"]): row["outcome"] for row in rows} == expected
    assert {row["task"] for row in rows} == {"HumanEval" + "+" * (scorer == "plus")}


def test_only_what_did_not_fail_anyway_timed_out() -> None:
    late = [(row["question"], row["trial"]) for row in rows_of(NEW) if row["status"] != "ok"]
    assert sorted(late) == [("HumanEval/3", 0), ("HumanEval/3", 1)]


@pytest.mark.parametrize("log", [NEW, OLD], ids=["new", "old"])
@pytest.mark.parametrize("scorer", ["base", "plus"])
def test_the_numbers_that_evalplus_prints(log: Path, scorer: str) -> None:
    (value,) = values_of(log, "pass@1", scorer=scorer)
    assert round(value, 3) == SAID[scorer]["pass@1"]


def test_plus_is_scored_unless_base_is_requested() -> None:
    assert "Using scorer 'plus' (also: base; choose with scorer=)." in remarks_of(NEW)
    assert values_of(NEW, "pass@1") == values_of(NEW, "pass@1", scorer="plus")
    assert "there is no scorer 'x'; there are: plus, base" in refusal(NEW, scorer="x")


def test_a_run_of_base_alone_is_scored_by_base(tmp_path: Path) -> None:
    whole = json.loads(NEW.read_text(encoding="utf-8"))
    for samples in whole["eval"].values():
        for sample in samples:
            sample["plus_status"] = None
    path = tmp_path / "toy_eval_results.json"
    path.write_text(json.dumps(whole), encoding="utf-8")
    assert values_of(path, "pass@1") == values_of(NEW, "pass@1", scorer="base")
    both = tmp_path / "both"
    both.mkdir()
    for name, source in (("a", path), ("b", NEW)):
        (both / f"{name}_eval_results.json").write_bytes(source.read_bytes())
    assert "samples were not run on the tests of 'plus'" in remarks_of(both)


def test_a_task_without_samples_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "toy_eval_results.json"
    path.write_text(broken({"a/1": [{"base_status": "pass"}], "a/2": []}), encoding="utf-8")
    assert [row["status"] for row in rows_of(path)] == ["ok", "missing"]


def test_numbers_that_a_log_states_are_compared_with_ours(tmp_path: Path) -> None:
    whole = json.loads(NEW.read_text(encoding="utf-8"))
    whole["pass_at_k"] = {"base": {"pass@1": 0.5}, "plus": {"pass@1": 1 / 3}}
    path = tmp_path / "toy_eval_results.json"
    path.write_text(json.dumps(whole), encoding="utf-8")
    assert claims_of(path) == ["pass@1 (plus)"]
    assert claims_of(path, scorer="base") == ["pass@1 (base)"]


def test_real_results() -> None:
    folder = real("evalplus")
    new = next(folder.glob("Meta*.json"))
    samples = json.loads(new.read_text(encoding="utf-8"))["eval"].values()
    for scorer, kinds in (("base", ["base_status"]), ("plus", ["base_status", "plus_status"])):
        right = sum(all(each[0][kind] == "pass" for kind in kinds) for each in samples)
        assert values_of(new, "pass@1", scorer=scorer) == pytest.approx([right / 164])
    variant = next(folder.glob("soryxie*.json"))
    tasks = json.loads(variant.read_text(encoding="utf-8"))["eval"].values()
    right = sum(result["base"][0][0] == "success" for each in tasks for result in each.values())
    assert values_of(variant, "pass@1", scorer="base") == pytest.approx([right / 1640])


def test_real_counts_of_evalperf() -> None:
    folder = real("evalplus")
    scores = errbar.load(folder / "evalperf_counts.csv").score("pass@1")
    mine = {estimate.of.system: estimate.value for estimate in scores.estimates}
    with (folder / "evalperf_reported.csv").open(encoding="utf-8", newline="") as file:
        reported = {row["model"]: float(row["pass@1_pct"]) for row in csv.DictReader(file)}
    assert mine == pytest.approx({name: value / 100 for name, value in reported.items()})


def broken(value: Any) -> str:
    return json.dumps({"date": "", "hash": "", "eval": value})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (NEW.read_text(encoding="utf-8")[:400], "this is not valid JSON"),
        (broken({"a/1": [{"base_status": "perhaps"}]}), "a/1, sample 0: a status is pass, fail"),
        (broken({"a/1": [{"base_status": ["pass"]}]}), "a/1, sample 0: a status is pass, fail"),
        (broken({"a/1": [{"base_status": float("nan")}]}), "a/1, sample 0: a status is pass"),
        (broken({"a/1": ["base_status"]}), "a/1, sample 0: expected an object"),
        (broken({"a/1": {"nfiles": 1}}), "a/1: expected samples, found 'nfiles'"),
        (broken({"a/1": {"nfiles": 1, "base": [["pass"]], "plus": [[], []]}}), "2 plus tests"),
        (broken(None), "there is no 'eval'"),
        (broken([]), "eval: expected an object"),
        (broken({}), "no row to score"),
        ('{"eval": {"nfiles": ' + DEEP, "nested too deeply"),
    ],
)
def test_what_is_broken_is_named(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "toy_eval_results.json"
    path.write_text(text, encoding="utf-8")
    assert said in refusal(path, reader="evalplus")


@pytest.mark.parametrize("log", [NEW, OLD], ids=["new", "old"])
def test_spoiled_logs_are_read_or_refused(log: Path, tmp_path: Path) -> None:
    require_read_or_refused(log, tmp_path, reader="evalplus")


def test_files_of_one_name_for_two_data_sets_are_one_system(tmp_path: Path) -> None:
    """As EvalPlus names them: `humaneval/<model>_eval_results.json`, `mbpp/<model>_…`."""
    text = NEW.read_text(encoding="utf-8")
    for folder, data_set in (("humaneval", "HumanEval/"), ("mbpp", "Mbpp/")):
        (tmp_path / folder).mkdir()
        for model in ("org--small", "org--large"):
            path = tmp_path / folder / f"{model}_eval_results.json"
            path.write_text(text.replace("HumanEval/", data_set), encoding="utf-8")
    subjects = {(row["system"], row["task"]) for row in rows_of(tmp_path)}
    assert subjects == {
        (model, task) for model in ("org--small", "org--large") for task in ("HumanEval+", "Mbpp+")
    }
    apart = {row["system"] for row in rows_of(tmp_path, files="systems")}
    assert apart == {
        f"{folder}/{model}"
        for folder in ("humaneval", "mbpp")
        for model in ("org--small", "org--large")
    }
    assert len(claims_of(tmp_path)) == 4 * len(claims_of(NEW))
