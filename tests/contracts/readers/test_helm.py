"""Run directories of HELM."""

import json
import shutil
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

import errbar
from broken_logs import require_read_or_refused
from errbar.data.readers.base import find_readers
from errbar.errors import InputError
from logs import FIXTURES, agreements_of, columns_of, real

LOG = FIXTURES / "helm"
(RUN,) = (LOG / "toy").iterdir()
PLAIN, LOWER = (f"simple_mcqa:data_augmentation=lower{each}" for each in ("", " (lowercase)"))


def loaded(name: str) -> Any:
    return json.loads((RUN / f"{name}.json").read_text(encoding="utf-8"))


def stat(entry: dict[str, Any], name: str) -> float:
    (found,) = (stat["mean"] for stat in entry["stats"] if stat["name"]["name"] == name)
    return float(found)


def changed(place: Path, change: Any) -> Path:
    """The run again, its stats by instance changed."""
    shutil.copytree(RUN, place / RUN.name)
    entries = loaded("per_instance_stats")
    change(entries)
    path = place / RUN.name / "per_instance_stats.json"
    path.write_text(json.dumps(entries), encoding="utf-8")
    return path


def test_a_row_is_an_instance_in_a_trial() -> None:
    columns, entries = columns_of(LOG), loaded("per_instance_stats")
    assert columns["question"] == [entry["instance_id"] for entry in entries]
    assert columns["trial"] == [entry["train_trial_index"] for entry in entries]
    assert columns["outcome"] == [stat(entry, "exact_match") for entry in entries]
    assert columns["task"] == [LOWER if "perturbation" in entry else PLAIN for entry in entries]
    assert set(columns["outcome"]) == {0.0, 1.0}
    assert set(columns["system"]) == {"simple/model1"}
    assert set(columns["split"]) == {"test"}
    assert set(columns["status"]) == {"ok"}


def test_stats_of_an_instance_in_several_records_are_one_row(tmp_path: Path) -> None:
    """As HELM writes them since 0.5: the stats of each metric in records of their own."""

    def split(entries: list[dict[str, Any]]) -> None:
        apart = [
            entry | {"stats": [stat]} for entry in entries for stat in reversed(entry["stats"])
        ]
        entries[:] = sorted(apart, key=lambda entry: entry["stats"][0]["name"]["name"])

    shown = [entry | {"stats": {"exact_match": 1.0}} for entry in loaded("per_instance_stats")]
    path = changed(tmp_path, split)
    path.with_name("display_predictions.json").write_text(json.dumps(shown), encoding="utf-8")
    whole, apart = columns_of(LOG), columns_of(tmp_path)
    key = ("system", "task", "question", "trial", "outcome")
    rows = [
        sorted(zip(*(columns[name] for name in key), strict=True)) for columns in (whole, apart)
    ]
    assert rows[0] == rows[1]


def test_a_stat_that_occurs_twice_is_never_overwritten(tmp_path: Path) -> None:
    path = changed(tmp_path, lambda entries: entries.append(entries[0]))
    with pytest.raises(InputError, match="occur more than once"):
        errbar.load(path).score("avg")


def test_answers_are_what_their_letters_stand_for() -> None:
    columns = columns_of(LOG)
    right = [a == t for a, t in zip(columns["answer"], columns["target"], strict=True)]
    assert right == [bool(each) for each in columns["outcome"]]
    assert set(columns["answer"]) | set(columns["target"]) == {"Even", "Odd"}


@pytest.mark.parametrize("scorer", [None, "quasi_exact_match", "prefix_exact_match"])
def test_the_totals_of_the_log_come_out(scorer: str | None) -> None:
    agreements = agreements_of(LOG, scorer=scorer)
    assert sorted(agreement.claim.task for agreement in agreements) == [PLAIN, LOWER]


def test_instances_that_are_not_there_are_seen(tmp_path: Path) -> None:
    def change(entries: list[dict[str, Any]]) -> None:
        entries[:] = [entry for entry in entries if entry["instance_id"] != "id38"]

    path = changed(tmp_path, change)
    total = {"name": {"name": "num_instances", "split": "test"}, "count": 2, "sum": 6}
    path.with_name("stats.json").write_text(json.dumps([total]), encoding="utf-8")
    (found,) = errbar.load(tmp_path).agreements()
    assert (found.claim.value, found.value, found.holds) == (3, 2, False)


def test_what_is_chosen_is_stated() -> None:
    said = " ".join(errbar.load(LOG).inspect().notes())
    assert "'exact_match' (also: quasi_exact_match, prefix_exact_match" in said
    assert "not read" not in said


def test_what_is_not_there_cannot_be_chosen() -> None:
    with pytest.raises(InputError, match="'f1'; there are: exact_match, quasi_exact_match"):
        errbar.load(LOG, scorer="f1")


def renamed_stat(entries: list[dict[str, Any]], old: str, new: str) -> None:
    for entry in entries:
        entry["stats"] = [stat for stat in entry["stats"] if stat["name"]["name"] == old]
        for statistic in entry["stats"]:
            statistic["name"]["name"] = new


@pytest.fixture
def two_scenarios(tmp_path: Path) -> Path:
    """The run, and another scenario that has f1_score alone."""
    shutil.copytree(RUN, tmp_path / RUN.name)
    place = tmp_path / "summaries-model=simple_model1"
    place.mkdir()
    entries = loaded("per_instance_stats")
    renamed_stat(entries, "exact_match", "f1_score")
    (place / "per_instance_stats.json").write_text(json.dumps(entries), encoding="utf-8")
    return tmp_path


def test_every_scenario_is_scored_by_a_stat_that_it_has(two_scenarios: Path) -> None:
    columns = columns_of(two_scenarios)
    assert set(columns["status"]) == {"ok"}
    assert {each.partition(" ")[0] for each in columns["task"]} == {PLAIN, "summaries"}
    said = " ".join(errbar.load(str(two_scenarios)).inspect().notes())
    assert f"{PLAIN}: using stat 'exact_match' (also:" in said


def test_a_scenario_without_the_stat_is_left_out_and_not_wrong(two_scenarios: Path) -> None:
    runs = errbar.load(str(two_scenarios), scorer="f1_score")
    entries = len(loaded("per_instance_stats"))
    assert {each.task.partition(" ")[0] for each in runs.score("avg")} == {"summaries"}
    said = f"{PLAIN}: there is no stat 'f1_score'; {entries} instances are left out."
    assert said in runs.inspect().notes()


def test_stats_alone_are_named_by_their_directory(tmp_path: Path) -> None:
    place = tmp_path / "mmlu-subject=law,model=openai_gpt2"
    place.mkdir()
    shutil.copy(RUN / "per_instance_stats.json", place)
    columns = columns_of(tmp_path)
    assert set(columns["system"]) == {"openai_gpt2"}
    assert set(columns["task"]) == {"mmlu:subject=law", "mmlu:subject=law (lowercase)"}
    assert set(columns["answer"]) == {None}
    assert len(errbar.load(tmp_path).inspect().slices) == 2


def test_the_same_run_in_two_suites_is_two_systems(tmp_path: Path) -> None:
    for suite in ("v1", "v2"):
        shutil.copytree(RUN, tmp_path / suite / RUN.name)
    assert set(columns_of(tmp_path)["system"]) == {"simple/model1 (v1)", "simple/model1 (v2)"}


def test_a_request_that_failed_is_an_error(tmp_path: Path) -> None:
    path = changed(tmp_path, lambda _: None)
    state = loaded("scenario_state")
    state["request_states"][0]["result"]["success"] = False
    path.with_name("scenario_state.json").write_text(json.dumps(state), encoding="utf-8")
    assert sorted(columns_of(tmp_path)["status"])[:2] == ["error", "ok"]


@pytest.mark.parametrize("count", [0, None, "1", float("nan")])
def test_a_stat_of_nothing_is_no_result(tmp_path: Path, count: Any) -> None:
    def change(entries: list[dict[str, Any]]) -> None:
        (found,) = (stat for stat in entries[0]["stats"] if stat["name"]["name"] == "exact_match")
        found["count"] = count

    changed(tmp_path, change)
    columns = columns_of(tmp_path)
    assert columns["outcome"][0] is None
    assert columns["status"][0] == "unscored"


@pytest.mark.parametrize("key", ["instance_id", "train_trial_index"])
@pytest.mark.parametrize("told", [None, 1.5, True, [], 10**400])
def test_an_id_that_is_none_is_refused_with_its_place(tmp_path: Path, key: str, told: Any) -> None:
    if key == "instance_id" and told == 10**400:
        told = {}
    path = changed(tmp_path, lambda entries: entries[2].__setitem__(key, told))
    with pytest.raises(InputError, match=rf"{path}, \[2\]: "):
        errbar.load(path)


def test_other_arrays_are_no_logs_of_helm(tmp_path: Path) -> None:
    path = tmp_path / "per_instance_stats.json"
    path.write_text('[{"instance_id": 1, "stats": []}]', encoding="utf-8")
    assert not find_readers([path]).found


def test_mutations_are_read_or_refused(tmp_path: Path) -> None:
    require_read_or_refused(LOG, tmp_path)


@pytest.mark.parametrize(
    ("run", "scorer", "task", "expected"),
    [
        ("commonsense*", "exact_match", "*hellaswag* (valid)", 0.3),
        ("mmlu*", "exact_match", "*philosophy*_joint", 1 / 9),
        ("mmlu*", "exact_match", "*philosophy* (valid)", 0.0),
        ("narrative_qa*", "f1_score", "narrative_qa", 0.1742),
    ],
)
def test_reported_numbers_come_out(run: str, scorer: str, task: str, expected: float) -> None:
    (place,) = real("helm").glob(run)
    agreements = [
        each for each in agreements_of(place, scorer=scorer) if each.claim.metric == "avg"
    ]
    (found,) = (agreement for agreement in agreements if Path(agreement.claim.task).match(task))
    assert found.value == pytest.approx(expected, abs=5e-5)
    columns = columns_of(place, scorer=scorer)
    rows = zip(columns["task"], columns["outcome"], strict=True)
    own = mean(outcome for name, outcome in rows if name == found.claim.task)
    assert own == pytest.approx(found.claim.value, abs=1e-12)


def test_every_stat_of_the_real_logs_comes_out() -> None:
    for scorer in ("exact_match", "quasi_exact_match", "f1_score", "rouge_l", "bleu_4"):
        assert agreements_of(real("helm"), scorer=scorer)
