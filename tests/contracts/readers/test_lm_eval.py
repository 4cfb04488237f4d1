"""Logs of lm-evaluation-harness."""

import json
import math
import re
from itertools import combinations
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

import errbar
from broken_logs import require_read_or_refused
from errbar.data.readers import lm_eval_samples
from errbar.data.readers.base import find_readers
from errbar.errors import InputError
from logs import FIXTURES, agreements_of, columns_of, real

LOGS = FIXTURES / "lm_eval"
STRONG = LOGS / "named" / "toy__strong"


def samples(place: Path, task: str) -> list[dict[str, Any]]:
    """The lines of a file, read plainly."""
    (path,) = place.glob(f"samples_{task}_*.jsonl")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def of_task(columns: dict[str, list[Any]], task: str, name: str) -> list[Any]:
    pairs = zip(columns["task"], columns[name], strict=True)
    return [value for own, value in pairs if own == task]


def number_in(response: str, target: str, doc: Any) -> bool:  # noqa: ARG001
    """What the filters of the toy tasks do with one response."""
    found = re.search(r"(\d+)", response)
    return found is not None and found[1] == target


def said(runs: errbar.Runs) -> str:
    """What is said of the log, in one line."""
    return " ".join(runs.inspect().notes())


def value(runs: errbar.Runs, metric: str, system: str, task: str) -> float:
    (estimate,) = runs.score(metric).only(system, task=task)
    return estimate.value


@pytest.mark.parametrize("chosen", ["take_first", "maj@4"])
def test_a_row_is_a_question_under_the_filter_that_is_chosen(chosen: str) -> None:
    lines = [sample for sample in samples(STRONG, "toy_gen") if sample["filter"] == chosen]
    columns = columns_of(STRONG, filter=chosen)
    assert of_task(columns, "toy_gen", "question") == [str(line["doc_id"]) for line in lines]
    assert of_task(columns, "toy_gen", "outcome") == [line["exact_match"] for line in lines]
    assert of_task(columns, "toy_gen", "answer") == [line["filtered_resps"][0] for line in lines]
    assert of_task(columns, "toy_gen", "target") == [line["target"] for line in lines]
    assert set(columns["status"]) == {"ok"}
    assert set(columns["trial"]) == {1}
    assert set(columns["system"]) == {"toy/strong"}


def test_the_confidence_is_the_share_of_the_likeliest_choice() -> None:
    columns = columns_of(STRONG)
    for at, each in enumerate(samples(STRONG, "toy_choice")):
        likely = [math.exp(float(pair[0])) for pair in each["filtered_resps"]]
        best = max(range(3), key=likely.__getitem__)
        assert of_task(columns, "toy_choice", "answer")[at] == str(best)
        assert of_task(columns, "toy_choice", "confidence")[at] == pytest.approx(
            likely[best] / sum(likely)
        )
        assert of_task(columns, "toy_choice", "outcome")[at] == float(best == each["doc"]["gold"])


def test_another_metric_has_no_confidence() -> None:
    assert "confidence" not in columns_of(STRONG, scorer="acc_norm")


def test_choices_that_were_not_graded_give_no_confidence(tmp_path: Path) -> None:
    lines = samples(STRONG, "toy_choice")
    lines[0]["acc"] = 1 - lines[0]["acc"]
    write(tmp_path, lines)
    runs = errbar.load(tmp_path)
    assert "not always what was graded" in said(runs)


@pytest.mark.parametrize("log", ["named", "unnamed", "old"])
@pytest.mark.parametrize("chosen", [0, 1])
def test_the_totals_of_the_log_come_out(log: str, chosen: int) -> None:
    names = ("strict-match", "flexible-extract") if log == "old" else ("take_first", "maj@4")
    agreements = agreements_of(LOGS / log, filter=names[chosen])
    counts = [agreement for agreement in agreements if agreement.claim.metric == "questions"]
    assert len(agreements) - len(counts) == (1 if log == "old" else 4)
    assert len(counts) == (0 if log == "old" else 4)


def test_models_without_a_name_are_distinguished_by_their_date() -> None:
    systems = {each.key[0] for each in errbar.load(LOGS / "unnamed").inspect().slices}
    assert len(systems) == 2
    assert all("2026-01-01T00-00-0" in system for system in systems)


def test_a_file_of_samples_alone_finds_its_results() -> None:
    (path,) = STRONG.glob("samples_toy_gen_*")
    runs = errbar.load(path)
    assert {each.key for each in runs.inspect().slices} == {("toy/strong", "toy_gen")}
    assert "toy_choice: not read, because there are totals but no samples" in said(runs)


def test_without_results_the_directory_is_the_system(tmp_path: Path) -> None:
    place = tmp_path / "some_model"
    write(place, samples(STRONG, "toy_gen"))
    assert {each.key for each in errbar.load(place).inspect().slices} == {("some_model", "toy")}


def test_the_same_run_again_is_another_trial(tmp_path: Path) -> None:
    for file in STRONG.iterdir():
        text = file.read_text(encoding="utf-8")
        (tmp_path / file.name).write_text(text, encoding="utf-8")
        again = file.name.replace("00-00-01.000001", "00-09-01.000001")
        (tmp_path / again).write_text(text, encoding="utf-8")
    assert set(columns_of(tmp_path)["trial"]) == {1, 2}
    assert set(columns_of(tmp_path)["system"]) == {"toy/strong"}
    (results,) = tmp_path.glob("results_*00-09-01*")
    told = json.loads(results.read_text(encoding="utf-8"))
    told["n-shot"]["toy_gen"] = 5
    results.write_text(json.dumps(told), encoding="utf-8")
    systems = set(of_task(columns_of(tmp_path), "toy_gen", "system"))
    assert systems == {"toy/strong (num_fewshot=0)", "toy/strong (num_fewshot=5)"}


def test_every_response_is_a_trial_once_it_is_graded() -> None:
    runs = errbar.load(STRONG, regrade=number_in)
    lines = [sample for sample in samples(STRONG, "toy_gen") if sample["filter"] == "take_first"]
    right = [[number_in(text, line["target"], None) for text in line["resps"][0]] for line in lines]
    expected = mean(mean(map(any, combinations(each, 2))) for each in right)
    assert value(runs, "pass@2", "toy/strong", "toy_gen") == pytest.approx(expected, abs=1e-14)
    assert value(runs, "avg", "toy/strong", "toy_gen") == pytest.approx(mean(map(mean, right)))
    assert said(runs).count("no responses to grade") == 1
    assert "5 rows left out: there are log-likelihoods, no responses to grade (" in said(runs)


def test_regrading_that_fails_says_where() -> None:
    with pytest.raises(InputError, match=r"doc_id 0: regrade raised ZeroDivisionError"):
        errbar.load(STRONG, regrade=lambda *_: 1 / 0)
    with pytest.raises(InputError, match="regrade must return a number"):
        errbar.load(STRONG, regrade=lambda *_: "yes")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="this is not one"):
        errbar.load([[1, 0]], regrade=number_in)


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"scorer": "f1"}, "no metric 'f1'; there are: acc, acc_norm, exact_match"),
        ({"filter": "f1"}, "no filter 'f1'; there are: none, take_first, maj@4"),
    ],
)
def test_what_is_not_there_cannot_be_chosen(told: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        errbar.load(STRONG, **told)


def test_totals_alone_are_no_log(tmp_path: Path) -> None:
    (results,) = STRONG.glob("results_*")
    (tmp_path / results.name).write_bytes(results.read_bytes())
    with pytest.raises(InputError, match="--log_samples"):
        errbar.load(tmp_path)


def write(place: Path, lines: list[dict[str, Any]], after: bytes = b"") -> Path:
    place.mkdir(exist_ok=True)
    path = place / "samples_toy_2026-01-01T00-00-00.jsonl"
    path.write_bytes("\n".join(map(json.dumps, lines)).encode() + after)
    return path


@pytest.mark.parametrize("doc_id", [None, 1.5, True, {"a": 1}, float("nan")])
def test_an_id_that_is_none_is_refused_with_its_line(tmp_path: Path, doc_id: Any) -> None:
    lines = samples(STRONG, "toy_choice")
    lines[1]["doc_id"] = doc_id
    path = write(tmp_path, lines)
    with pytest.raises(InputError, match=rf"{re.escape(str(path))}, line 2: "):
        errbar.load(path)


@pytest.mark.parametrize("score", [None, float("nan"), float("inf"), "1", [1], {"a": 1}, 10**400])
def test_a_score_that_is_no_number_is_no_result(tmp_path: Path, score: Any) -> None:
    lines = samples(STRONG, "toy_choice")
    lines[1]["acc"] = score
    columns = columns_of(write(tmp_path, lines).parent)
    assert columns["outcome"][1] is None
    assert columns["status"] == ["ok", "unscored", "ok", "ok", "ok"]


@pytest.mark.parametrize(
    "line", [b'{"doc_id": 9', b"[1]", b"null", b'{"doc_id": "\xff"}', b"[" * 100_000, b"\0"]
)
def test_a_broken_line_is_named(tmp_path: Path, line: bytes) -> None:
    path = write(tmp_path, samples(STRONG, "toy_choice"), b"\n" + line)
    with pytest.raises(InputError, match=rf"{re.escape(str(path))}, line 6: "):
        errbar.load(path)


def test_lines_that_the_engine_cannot_read_are_read_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = columns_of(STRONG)
    monkeypatch.setattr(lm_eval_samples, "_LONGEST_LINE", 100)
    assert columns_of(STRONG) == expected
    lines = samples(STRONG, "toy_choice")
    lines[0]["doc"]["q"] = "\ud800"
    assert len(columns_of(write(tmp_path, lines).parent)["outcome"]) == 5


def test_ordinary_files_are_no_logs_of_lm_eval(tmp_path: Path) -> None:
    path = tmp_path / "outcomes.jsonl"
    path.write_text('{"doc_id": 1, "outcome": 1}\n{"doc_id": 2, "outcome": 0}\n', encoding="utf-8")
    assert not find_readers([path]).found
    path = tmp_path / "results.json"
    path.write_text('{"results": {"a": 1}, "configs": {}}', encoding="utf-8")
    assert not find_readers([path]).found


def test_mutations_are_read_or_refused(tmp_path: Path) -> None:
    require_read_or_refused(STRONG, tmp_path)
    (tmp_path / "graded anew").mkdir()
    require_read_or_refused(STRONG, tmp_path / "graded anew", reader="lm_eval", regrade=number_in)


@pytest.mark.parametrize("log", ["out_custom", "out_dummy", "out_samedir_two_models"])
@pytest.mark.parametrize("chosen", ["take_first", "maj@4", "maj@8"])
@pytest.mark.parametrize("metric", [None, "acc_norm"])
def test_totals_of_real_logs_come_out(log: str, chosen: str, metric: str | None) -> None:
    told: dict[str, Any] = {"scorer": metric} if metric else {"filter": chosen}
    agreements = agreements_of(real("lm-eval") / log, **told)
    claims = 2 * (2 if metric else 3)  # a score of each task, and its number of questions
    assert len(agreements) == claims * (1 if log == "out_dummy" else 2)


def test_reported_numbers_come_out() -> None:
    tasks = ("toy_mc_alpha", "toy_mc_beta")
    for system, alpha, beta, group, filters in (
        ("toy/strong", 0.2, 0.4, 0.2667, (0.95, 0.95, 0.95)),
        ("toy/weak", 0.15, 0.1, 0.1333, (0.3, 0.4, 0.5)),
    ):
        runs = errbar.load(real("lm-eval") / "out_custom")
        found = [value(runs, "avg", system, task) for task in tasks]
        assert found == [pytest.approx(alpha), pytest.approx(beta)]
        assert (20 * found[0] + 10 * found[1]) / 30 == pytest.approx(group, abs=5e-5)
        for chosen, expected in zip(("take_first", "maj@4", "maj@8"), filters, strict=True):
            runs = errbar.load(real("lm-eval") / "out_custom", filter=chosen)
            assert value(runs, "avg", system, "toy_gen") == pytest.approx(expected)


def test_regraded_numbers_come_out() -> None:
    runs = errbar.load(real("lm-eval") / "out_custom", regrade=number_in)
    for system, avg, pass4 in (("toy/strong", 0.675, 0.97571), ("toy/weak", 0.30625, 0.66929)):
        assert value(runs, "avg", system, "toy_gen") == pytest.approx(avg, abs=5e-6)
        assert value(runs, "pass@4", system, "toy_gen") == pytest.approx(pass4, abs=5e-6)


def test_totals_of_questions_that_are_not_there_are_not_compared() -> None:
    runs = errbar.load(real("lm-eval") / "eee_tests")
    (found,) = runs.agreements()
    assert (found.claim.name, found.claim.value, found.value) == ("n-samples", 5000, 10)
    assert "5000 questions were run, but the log has samples of 10" in said(runs)


def test_samples_inside_the_results_are_the_samples_of_the_files(tmp_path: Path) -> None:
    """As `simple_evaluate` returns them, written as one document."""
    (path,) = STRONG.glob("results_*.json")
    whole = json.loads(path.read_text(encoding="utf-8"))
    whole["samples"] = {task: samples(STRONG, task) for task in ("toy_choice", "toy_gen")}
    (tmp_path / "all.json").write_text(json.dumps(whole), encoding="utf-8")
    apart, inside = columns_of(STRONG), columns_of(tmp_path)
    for name in ("system", "task", "question", "outcome", "answer", "target"):
        assert of_tasks(inside, name) == of_tasks(apart, name), name
    assert len(agreements_of(tmp_path)) == len(agreements_of(STRONG))


def of_tasks(columns: dict[str, list[Any]], name: str) -> list[list[Any]]:
    return [of_task(columns, task, name) for task in ("toy_choice", "toy_gen")]


def write_lmms(place: Path, model: str, scores: list[float]) -> None:
    """A run as lmms-eval writes it: the date first, a metric that is an object, no doc."""
    place.mkdir()
    lines = [
        {
            "doc_id": at,
            "target": "Yes",
            "filtered_resps": "Yes" if score else "No",
            "token_counts": [{"output_tokens": 2}],
            "doc_hash": "0" * 64,  # the same for all, as without the documents
            "looks_score": {"question_id": f"picture {at // 2}", "category": "x", "score": score},
            "input": f"Is it {at}?",
        }
        for at, score in enumerate(scores)
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (place / "20260101_000000_samples_looks.jsonl").write_text(text, encoding="utf-8")
    results = {
        "results": {"looks": {"looks_score,none": 100 * sum(scores), "alias": "looks"}},
        "configs": {"looks": {"metric_list": [{"metric": "looks_score", "aggregation": "<sum>"}]}},
        "n-shot": {"looks": 0},
        "n-samples": {"looks": {"effective": len(scores)}},
        "config": {"model": "toy"},
        "model_name": f"/cache/hub/models--toy--{model}/snapshots/0123",
    }
    text = json.dumps(results)
    (place / "20260101_000000_results.json").write_text(text, encoding="utf-8")


def test_runs_of_lmms_eval_are_named_by_their_results(tmp_path: Path) -> None:
    scores = {"small": [1.0, 0.0, 1.0, 1.0], "large": [1.0, 1.0, 1.0, 1.0]}
    for model, of_model in scores.items():
        write_lmms(tmp_path / model, model, of_model)
    runs = errbar.load(tmp_path)
    assert "no samples" not in said(runs)
    for model, of_model in scores.items():
        assert value(runs, "avg", f"toy/{model}", "looks") == mean(of_model)
    columns = columns_of(tmp_path)
    assert columns["question"] == ["0", "1", "2", "3"] * 2
    (found, *_) = agreements_of(tmp_path)
    assert found.claim.name == "n-samples"


def test_results_with_more_in_their_name_are_those_of_the_samples_with_their_date(
    tmp_path: Path,
) -> None:
    for path in STRONG.iterdir():
        name = path.name.replace("results_", "results_mine:2026-01-01_")
        (tmp_path / name).write_bytes(path.read_bytes())
    assert "no samples of its run" not in said(errbar.load(tmp_path))
    assert columns_of(tmp_path)["system"] == columns_of(STRONG)["system"]
    assert len(agreements_of(tmp_path)) == len(agreements_of(STRONG))
