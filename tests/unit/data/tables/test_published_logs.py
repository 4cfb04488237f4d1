"""Result files as repositories publish them: measures, settings, titles, encodings, archives."""

import json
import zipfile
from itertools import combinations
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

import errbar
from errbar.base.remarks import MARK, above
from errbar.errors import InputError, NoOutcomes, UnknownColumn

GOOD = [True, True, True, False, True, True, True, False, True, True, False, True]  # 9 of 12
POOR = [False, True, False, False, True, True] + 6 * [False]  # 3 of 12
BOTH = {"gpt": 0.75, "qwen": 0.25}
BOTH_OF_TEN = (("gpt", 9), ("qwen", 3))


def means(data: Any, **how: Any) -> dict[str, float]:
    return {score.system: score.value for score in errbar.load(data, **how).score("avg")}


def said(data: Any, **how: Any) -> list[str]:
    return above(errbar.load(data, **how).score("avg").notes())


def marked(data: Any) -> str:
    return " ".join(remark for remark in said(data) if remark.startswith(MARK))


def saved(place: Path, value: Any, name: str = "results.json") -> Path:
    file = place / name
    file.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return file


def lines(place: Path, rows: list[dict[str, Any]], name: str = "results.jsonl") -> Path:
    file = place / name
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def table(place: Path, text: str, name: str = "results.csv") -> Path:
    file = place / name
    file.write_text(text, encoding="utf-8")
    return file


def test_several_measures_of_each_system_are_refused_with_the_way_to_choose_one() -> None:
    rows = [
        {
            "task_id": at,
            "gpt_pass@1": good / 2,
            "qwen_pass@1": poor,
            "gpt_lines": 1,
            "qwen_lines": 1,
        }
        for at, (good, poor) in enumerate(zip(GOOD, POOR, strict=True))
    ]
    with pytest.raises(UnknownColumn, match="each of gpt, qwen has 2 measures") as refused:
        errbar.load(rows)
    assert "system='gpt_pass@1,qwen_pass@1'" in str(refused.value)
    assert means(rows, system="gpt_pass@1,qwen_pass@1") == {
        "gpt_pass@1": 0.375,
        "qwen_pass@1": 0.25,
    }
    turned = [
        {"id": at, "f1_gpt": good, "f1_qwen": poor, "em_gpt": poor, "em_qwen": good}
        for at, (good, poor) in enumerate(zip(GOOD, POOR, strict=True))
    ]
    with pytest.raises(UnknownColumn, match=r"system='f1_gpt,f1_qwen'"):
        errbar.load(turned)


def test_systems_by_prompts_are_systems() -> None:
    rows = [
        {"id": at, "gpt_zero": good, "gpt_cot": poor, "qwen_zero": good, "qwen_cot": poor}
        for at, (good, poor) in enumerate(zip(GOOD, POOR, strict=True))
    ]
    assert set(means(rows)) == {"gpt_zero", "gpt_cot", "qwen_zero", "qwen_cot"}


def test_a_predicted_field_is_compared_with_the_actual_one(tmp_path: Path) -> None:
    rows = [
        {
            "actual": {"approved": at % 3 == 0, "note": "a"},
            "predicted": {"approved": (at % 3 == 0) == right, "note": "b"},
        }
        for at, right in enumerate(GOOD)
    ]
    file = saved(tmp_path, rows)
    assert means(file) == {"": 0.75}
    assert any("'predicted.approved' is right where it equals" in remark for remark in said(file))


def test_the_measurements_of_a_row_name_no_scorer(tmp_path: Path) -> None:
    runs = {
        name: [
            {
                "question": f"{name} {at} of them?",
                "passed": right,
                "metrics": {"ms": at, "tps": 2.5},
            }
            for at, right in enumerate(outcomes)
        ]
        for name, outcomes in (("rag", GOOD), ("tool", POOR))
    }
    scores = errbar.load(saved(tmp_path, {"took": 3.5, "raw": runs})).score("avg")
    assert {score.task: score.value for score in scores} == {"rag": 0.75, "tool": 0.25}


def test_an_id_that_some_rows_lack_is_no_id(tmp_path: Path) -> None:
    rows = [
        {"question": f"What is asked in {at}?", "correct": right, "doc_id": at if at % 2 else None}
        for at, right in enumerate(GOOD)
    ]
    assert means(saved(tmp_path, rows)) == {"": 0.75}


def test_scores_by_metric_in_two_files_are_no_trials(tmp_path: Path) -> None:
    for name in ("gpt", "qwen"):
        rows = [
            {"scenario_id": at, "model": "judge", "metric": metric, "score": 3 + at % 3}
            for at in range(8)
            for metric in ("accuracy", "completeness")
        ]
        lines(tmp_path, rows, f"{name}.jsonl")
    with pytest.raises(InputError, match=r"a row for each 'metric' \(accuracy, completeness\)"):
        errbar.load(tmp_path)


def test_shares_of_data_sets_are_totals(tmp_path: Path) -> None:
    rows = [
        {"model_name": f"m{at // 2}", "quant": at % 2, "dataset": "humaneval", "n_problems": 20}
        | {"passed": at + 5, "pass_rate": (at + 5) / 20}
        for at in range(8)
    ]
    with pytest.raises(NoOutcomes, match="only totals: 'pass_rate' is 'passed' / 'n_problems'"):
        errbar.load(lines(tmp_path, rows))


def test_a_k_that_numbers_no_trials_is_a_setting(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"query": f"What is {at}?", "k": k, "hit": right and at % 5 < k}
        for at, right in enumerate(GOOD)
        for k in (1, 3, 5)
    ]
    file = lines(tmp_path, rows)
    expected = {f"k={k}": mean(row["hit"] for row in rows if row["k"] == k) for k in (1, 3, 5)}
    assert means(file) == pytest.approx(expected)
    assert any(remark.startswith("Columns: system = k, ") for remark in said(file))
    trials = lines(tmp_path, [{**row, "k": [1, 3, 5].index(row["k"])} for row in rows], "t.jsonl")
    assert means(trials) == pytest.approx({"": mean(row["hit"] for row in rows)})


def test_a_mark_with_a_reason_means_what_the_mark_means(tmp_path: Path) -> None:
    rows = "".join(
        f"q{at},{'○' if good else '×wrong unit'},{'○' if poor else '× no answer'}\n"
        for at, (good, poor) in enumerate(zip(GOOD, POOR, strict=True))
    )
    file = table(tmp_path, f"qid,gpt,qwen\n{rows}")
    assert means(file) == BOTH
    assert any("right: ○ 12; wrong: × 12" in remark for remark in said(file))


def test_a_text_with_other_references_is_another_question(tmp_path: Path) -> None:
    rows = [
        {
            "query": "How high is the bar?",
            "label": str(at),
            "score": int(right),
            "image": f"{at}.png",
        }
        for at, right in enumerate(GOOD)
    ]
    file = lines(tmp_path, [*rows, {**rows[0], "query": "What is it?", "label": "a"}])
    assert errbar.load(file).score("avg")[0].value == pytest.approx(10 / 13)
    assert "identified by 'label' and its id" in marked(file)
    alike = lines(tmp_path, [{**row, "label": "7"} for row in rows for _ in range(2)], "u.jsonl")
    assert "identified by 'label'" not in marked(alike)  # trials of one question


def test_lists_beside_their_totals_are_rows_of_the_settings_around_them(tmp_path: Path) -> None:
    runs = [
        {
            "benchmark": "summaries",
            "ablation": name,
            "metrics": {"n": 12, "f1": 0.4, "confusion": [[1, 2], [3, 4]]},
            "per_row": [
                {"id": at, "label": at % 2, "prediction": at % 2 if right else 1 - at % 2}
                for at, right in enumerate(outcomes)
            ],
        }
        for name, outcomes in (("main", GOOD), ("plain", POOR))
    ]
    assert means(saved(tmp_path, runs)) == {"main": 0.75, "plain": 0.25}


def test_evals_are_questions_and_the_id_of_an_output_is_one(tmp_path: Path) -> None:
    rows = [
        {"experiment": name, "eval": f"build-{at}", "passed": right}
        for name, outcomes in (("gpt", GOOD), ("qwen", POOR))
        for at, right in enumerate(outcomes)
    ]
    assert errbar.load(lines(tmp_path, rows)).compare("avg")[0].difference == 0.5
    nested = [
        {"reward": float(right), "output": {"text": "x", "unique_id": f"algebra/{at}"}}
        for at, right in enumerate(GOOD)
    ]
    file = lines(tmp_path, nested, "rewards.jsonl")
    assert any("question = output.unique_id" in remark for remark in said(file))


@pytest.mark.parametrize(
    ("rows", "advice"),
    [
        (
            [{"qid": at, "recall_at_5": at / 12, "mrr": 1 / (1 + at)} for at in range(12)],
            "Columns of numbers between 0 and 1: 'recall_at_5', 'mrr'",
        ),
        (
            [
                {"prompt_id": at, "own_rating": 1 + at % 5, "new_rating": 3 + at % 2}
                for at in range(12)
            ],
            "Columns of ratings or scores: 'own_rating'",
        ),
        (
            [{"ID": at, "Score_Quality": None, "Winner": None} for at in range(12)],
            "Columns without any value: 'Score_Quality', 'Winner'",
        ),
        (
            [
                {"model": f"m{at}", "governance": 70.5 + at, "safety_index": 60 + at}
                for at in range(6)
            ],
            "Every 'model' has a single row: if these are totals",
        ),
        (
            [
                {"id": at, "expected_kind": "a", "pred_kind": "b", "kind_ok": at % 2}
                for at in range(9)
            ],
            "Columns with only right and wrong values: 'kind_ok'",
        ),
        (
            [
                {"id": at, "model_name": "m", "category": ["correct", "made up", "hedged"][at % 3]}
                for at in range(12)
            ],
            "Columns of words, of which right='WORD' says which are right: 'category'",
        ),
        (
            [
                {"model": f"m{at % 2}", "task_id": at // 2, "a": {"near": at % 3 // 2, "all": 0.4}}
                | {"b": {"near": at % 2, "all": at / 30}}
                for at in range(24)
            ],
            "Columns of numbers between 0 and 1: 'b.all'",
        ),
    ],
)
def test_what_lacks_an_outcome_says_what_may_be_it(rows: list[dict[str, Any]], advice: str) -> None:
    with pytest.raises(InputError) as refused:
        errbar.load(rows)
    assert advice in str(refused.value)
    assert "outcome=" in str(refused.value)


def test_unknown_statuses_of_rows_with_outcomes_are_left_out_and_said(tmp_path: Path) -> None:
    rows = [
        {"id": at, "correct": right, "status": "correct" if right else f"{'x' * (at % 2)}wrong_row"}
        for at, right in enumerate(GOOD)
    ]
    file = lines(tmp_path, rows)
    assert means(file) == {"": 0.75}
    assert "'status' has words that are no known status: 'wrong_row' (1), 'xwrong_row' (2)" in (
        marked(file)
    )
    assert "wrong_row" not in marked(lines(tmp_path, rows[:3], "few.jsonl"))
    with pytest.raises(InputError, match="status 'wrong_row' is not known"):
        errbar.load(file, status="status").score()
    lost = lines(tmp_path, [*rows, {"id": 12, "correct": None, "status": "wrong_row"}], "b.jsonl")
    with pytest.raises(InputError, match="status 'wrong_row' is not known"):
        errbar.load(lost).score()


def _judged(fault: bool) -> list[dict[str, Any]]:
    return [
        {"case_id": at // (1 + fault), "judge": name, "fault": f"F{at % 2}", "correct": right}
        for name, outcomes in (("gpt", GOOD), ("qwen", POOR))
        for at, right in enumerate(outcomes)
    ]


def test_judges_that_are_compared_are_systems_if_it_is_said(tmp_path: Path) -> None:
    tried = [{**row, "attempt": n} for row in _judged(fault=False) for n in (1, 2)]
    file = lines(tmp_path, tried)
    with pytest.raises(InputError, match=r"every trial has a row for each 'judge' \(gpt, qwen\)"):
        errbar.load(file)
    with pytest.raises(InputError, match="if they are compared, use system='judge'"):
        errbar.load(lines(tmp_path, _judged(fault=False), "once.jsonl"))
    assert means(file, system="judge") == BOTH


def test_judges_among_other_differences_are_named_with_their_means(tmp_path: Path) -> None:
    file = lines(tmp_path, _judged(fault=True))
    assert "rows for each 'judge' (means: gpt 0.75, qwen 0.25)" in marked(file)


def test_columns_that_are_mostly_empty_are_no_systems(tmp_path: Path) -> None:
    rows = [{"condition": name, "cost": 2.5, "avg_quality": 0.7} for name in ("low", "high", "all")]
    rows[2] |= {"hits": 1, "misses": 0}
    with pytest.raises(InputError, match="no column of the data looks like"):
        errbar.load(saved(tmp_path, rows))
    wide = [
        {"id": at, "gpt": outcome, "qwen": outcome if at % 3 else None}
        for at, outcome in enumerate(GOOD)
    ]
    assert set(means(wide)) == {"gpt", "qwen"}


def test_shares_that_count_whole_questions_are_marked_as_totals() -> None:
    rows = [
        {"model": name, "field": f"f{at}", "question": f"q{at}", "n": n, "accuracy": at / n}
        for name in ("gpt", "qwen")
        for at, n in enumerate((11, 21, 29, 35, 48), 1)
    ]
    assert "'accuracy' times 'n' is a whole number in every row" in marked(rows)
    partial = [{**row, "accuracy": 0.3 + at / 97} for at, row in enumerate(rows)]
    assert "whole number" not in marked(partial)


def test_numbered_tasks_are_questions_and_a_rubric_is_listed() -> None:
    rows = [
        {"model": name, "task": f"t{at:02d}", "correctness": 4.5 - at % 3, "robustness": 5 - at % 2}
        | {"style": 4.5, "clarity": 4.5 if at else 2}
        for name in ("gpt", "qwen")
        for at in range(10)
    ]
    said_of = marked(rows)
    assert "outcome is 'correctness'" in said_of
    assert "'style' has mean 4.5" in said_of
    assert "'clarity'" in said_of
    assert "'robustness'" not in said_of  # on another scale
    sets = [{**row, "task": f"{'abcdefghij'[at % 10]}-set"} for at, row in enumerate(rows)]
    with pytest.raises(NoOutcomes, match="only totals, the 'correctness' of each 'task'"):
        errbar.load(sets)


def test_scores_beyond_1_beside_shares_are_listed() -> None:
    rows = [
        {"prompt_id": at, "score_cost": 5, "score_taste": 3 + at % 3, "cosine_a": at / 20}
        | {"overlap_b": (at * 7 % 20) / 20}
        for at in range(20)
    ]
    with pytest.raises(UnknownColumn, match=r"every row has 2 scores \(score_cost, score_taste\)"):
        errbar.load(rows)


def test_systems_that_were_not_run_are_left_out_and_named(tmp_path: Path) -> None:
    ran = {
        name: {
            "available": True,
            "metrics": {"share": 100.0},
            "scenario_results": [
                {"scenario_id": f"s{at}", "passed": right} for at, right in enumerate(outcomes)
            ],
        }
        for name, outcomes in (("gpt", GOOD), ("qwen", POOR))
    }
    document = {"table": {"gpt": [1.0]}, "systems": ran | {"llama": {"available": False}}}
    file = saved(tmp_path, document)
    assert means(file) == BOTH
    assert "out, since there are no rows in them: llama" in marked(file)


def test_an_id_that_systems_share_replaces_one_that_repeats_evenly(tmp_path: Path) -> None:
    rows = [
        {
            "models": {"gpt": {"answer_correct": good}, "qwen": {"answer_correct": poor}},
            "question_id": at % 4,
            "record_id": f"{at * 7:08x}",
        }
        for at, (good, poor) in enumerate(zip(GOOD, POOR, strict=True))
    ]
    file = lines(tmp_path, rows)
    assert means(file) == BOTH
    assert "the question is 'record_id'" in marked(file)
    assert "question='question_id' reads rows with the same 'question_id'" in marked(file)
    runs = [{**row, "run_id": row.pop("record_id")} for row in rows]  # which names trials
    assert "run_id" not in marked(lines(tmp_path, runs, "runs.jsonl"))


def test_lists_of_models_are_systems_by_their_labels(tmp_path: Path) -> None:
    rounds: list[dict[str, Any]] = [
        {
            "num": at,
            "name": f"round {at}",
            "models": [
                {"label": name, "score": score, "cost": 0.1}
                for name, score in (("gpt", 3.0 + at % 2), ("qwen", 1.0 + at % 3))
            ],
        }
        for at in range(6)
    ]
    file = saved(tmp_path, {"rounds": rounds})
    assert means(file) == {"gpt": 3.5, "qwen": 2.0}
    for entry in (entry for each in rounds for entry in each["models"]):
        entry |= {"passed": 40, "total": 45}
    counted = saved(tmp_path, {"rounds": rounds}, "counted.json")
    assert "'passed' of 'total' are read as trials of one question, and 'score'" in marked(counted)
    shares = [
        {"id": at, "passed": at % 4, "total": 4, "score": at % 4 / 4, "note": "x"}
        for at in range(12)
    ]
    assert "is not their share" not in marked(lines(tmp_path, shares, "shares.jsonl"))


def test_only_the_measure_that_all_systems_have_is_their_outcome(tmp_path: Path) -> None:
    rows = [
        {
            "id": at,
            "base_pass": "PASS" if poor else "FAIL",
            "base_detail": "TypeError",
            "sample": at,
        }
        | {"lora_pass": "PASS" if good else "FAIL", "lora_detail": "PASS"}
        for at, (good, poor) in enumerate(zip(GOOD, POOR, strict=True))
    ]
    file = lines(tmp_path, rows)
    assert means(file) == {"lora_pass": 0.75, "base_pass": 0.25}
    assert "Not used, although most of their values are outcomes: lora_detail" in marked(file)


def test_an_empty_label_is_said_to_be_perhaps_an_answer(tmp_path: Path) -> None:
    rows = [
        {"case_id": at, "expected_checks": label, "predicted_checks": label if right else "other"}
        for at, right in enumerate(GOOD)
        for label in [["dates", "", "units"][at % 3]]
    ]
    file = table(
        tmp_path,
        "case_id,expected_checks,predicted_checks\n"
        + "".join(",".join(map(str, row.values())) + "\n" for row in rows),
    )
    assert "'expected_checks' is empty in 4 rows, which have no outcome" in marked(file)
    assert "(mean of all rows 0.75)." in marked(file)


def test_routers_are_systems_and_what_abstained_is_none(tmp_path: Path) -> None:
    rows = [
        {"router": name, "id": at, "abstained": at % 2 == 0, "strict": right, "lenient": True}
        for name, outcomes in (("rules", POOR), ("llm", GOOD))
        for at, right in enumerate(outcomes)
    ]
    scores = means(lines(tmp_path, rows))
    assert scores == {
        "strict/rules": 0.25,
        "strict/llm": 0.75,
        "lenient/rules": 1.0,
        "lenient/llm": 1.0,
    }


_NOTE = "naïve – “é”"
_CSV = "id,model,correct,note\n" + "".join(
    f"q{at},{name},{int(right)},{_NOTE}\n"
    for name, outcomes in (("gpt", GOOD), ("qwen", POOR))
    for at, right in enumerate(outcomes)
)
_ROWS = [
    {"id": f"q{at}", "model": name, "correct": right, "note": _NOTE}
    for name, outcomes in (("gpt", GOOD), ("qwen", POOR))
    for at, right in enumerate(outcomes)
]
_TEXTS = {
    "csv": _CSV,
    "tsv": _CSV.replace(",", "\t"),
    "json": json.dumps(_ROWS, ensure_ascii=False, indent=1),
    "jsonl": "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in _ROWS),
}


@pytest.mark.parametrize("ending", _TEXTS)
@pytest.mark.parametrize("mark", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_read_by_its_mark(ending: str, mark: str, tmp_path: Path) -> None:
    file = tmp_path / f"runs.{ending}"
    file.write_bytes("\ufeff".encode(mark) + _TEXTS[ending].encode(mark))
    assert means(file) == BOTH
    assert "UTF" not in marked(file)  # it is no guess


@pytest.mark.parametrize("size", [1, 4000], ids=["small", "large"])
@pytest.mark.parametrize("ending", _TEXTS)
def test_text_of_windows_is_read_and_said_to_be_a_guess(
    ending: str, size: int, tmp_path: Path
) -> None:
    file = tmp_path / f"runs.{ending}"
    file.write_bytes(_TEXTS[ending].replace("naïve", "naïve" * size).encode("cp1252"))
    assert means(file) == BOTH
    assert "runs." + ending + ": not UTF-8, and read as Windows-1252" in marked(file)


def test_a_ragged_table_in_another_encoding_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "runs.csv"
    file.write_bytes(f"{_CSV}q99,gpt,1\n".encode("utf-16"))
    with pytest.raises(InputError, match="line 26: it has 3 cells, and the header 4"):
        errbar.load(file)


@pytest.mark.parametrize(
    ("title", "told"),
    [
        ("Comparison of June\n", "'Comparison of June'"),
        ("Exported,2026-11-19\nRun,7\n\n", "'Exported,2026-11-19', 'Run,7'"),
        ("Results,,,\nAnnotator: me,,,\n", "'Results', 'Annotator: me'"),
    ],
)
def test_titles_above_a_header_are_left_out_and_said(title: str, told: str, tmp_path: Path) -> None:
    file = table(tmp_path, title + _CSV)
    assert means(file) == BOTH
    assert f"results.csv: left out above the header: {told}" in " ".join(said(file))


def test_what_only_looks_like_a_title_is_a_header(tmp_path: Path) -> None:
    plain = table(tmp_path, "id,gpt,qwen\n" + "q1,pass,fail\nq2,pass,pass\nq3,fail,fail\n")
    assert means(plain) == pytest.approx({"gpt": 2 / 3, "qwen": 1 / 3})
    text = table(tmp_path, 'id,answer,correct\nq1,"a\nscore, passed, correct, of\nb, c, d, e",1\n')
    assert means(text) == {"": 1.0}


def test_the_files_of_a_zip_archive_are_read(tmp_path: Path) -> None:
    place = tmp_path / "logs.zip"
    with zipfile.ZipFile(place, "w") as archive:
        for name, outcomes in (("gpt", GOOD), ("qwen", POOR)):
            rows = "".join(f"q{at},{int(right)}\n" for at, right in enumerate(outcomes))
            archive.writestr(f"runs/{name}.csv", f"id,correct\n{rows}")
        archive.writestr("__MACOSX/runs/._gpt.csv", "x")
        archive.writestr("readme.txt", "of these runs")
    assert means(place) == BOTH
    assert means(str(place)) == BOTH
    assert "read: readme.txt" in marked(place)
    table(tmp_path, _CSV)
    assert "logs.zip (a zip archive; pass its path to read the files in it)" in marked(tmp_path)


@pytest.mark.parametrize("name", ["../out.csv", "/etc/out.csv", "a/../../out.csv", "C:/out.csv"])
def test_a_zip_archive_writes_nowhere_else(name: str, tmp_path: Path) -> None:
    place = tmp_path / "logs.zip"
    with zipfile.ZipFile(place, "w") as archive:
        archive.writestr(name, _CSV)
    with pytest.raises(InputError, match="points to another folder"):
        errbar.load(place)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("version https://git-lfs.github.com/spec/v1\noid sha256:dc\nsize 67\n", "git lfs pull"),
        ("<!DOCTYPE html>\n<html><body>404</body></html>\n", "a web page"),
    ],
)
@pytest.mark.parametrize("ending", ["csv", "json", "jsonl", "parquet"])
def test_what_stands_for_a_file_is_no_table(
    ending: str, content: str, reason: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=reason):
        errbar.load(table(tmp_path, content, f"results.{ending}"))


@pytest.mark.parametrize("stated", [0.6, 60, 60.0, 0.75, 75])
def test_an_accuracy_that_the_rows_give_is_not_warned_of(tmp_path: Path, stated: float) -> None:
    """3 of 5 rows are right, or of the 4 that have an outcome."""
    rows = [{"id": at, "correct": known} for at, known in enumerate([1, 1, 1, 0, None])]
    file = tmp_path / "a.json"
    file.write_text(json.dumps({"summary": {"accuracy": stated}, "results": rows}))
    assert "states" not in str(errbar.load(file).score("avg"))


@pytest.mark.parametrize("stated", [0.9, 1, 0, 59, 0.61, 0.7501])
def test_an_accuracy_that_the_rows_do_not_give_is_warned_of(tmp_path: Path, stated: float) -> None:
    rows = [{"id": at, "correct": known} for at, known in enumerate([1, 1, 1, 0, None])]
    file = tmp_path / "a.json"
    file.write_text(json.dumps({"accuracy": stated, "model": "m", "results": rows}))
    text = " ".join(str(errbar.load(file).score("avg")).split())
    assert f"states accuracy {stated:g}, but its 5 rows give 0.6 ('correct')" in text


def test_a_share_of_another_column_of_right_and_wrong_is_not_warned_of(tmp_path: Path) -> None:
    rows = [{"id": at, "correct": at < 3, "passed": at < 4} for at in range(5)]
    file = tmp_path / "a.json"
    file.write_text(json.dumps({"pass_rate": 0.8, "rows": rows}))
    assert "states" not in str(errbar.load(file, outcome="correct").score("avg"))


def test_a_stated_accuracy_is_compared_by_system(tmp_path: Path) -> None:
    rows = [{"id": at, "correct": at < 2} for at in range(4)]
    file = tmp_path / "a.json"
    file.write_text(
        json.dumps(
            {
                name: {"accuracy": share, "results": rows}
                for name, share in (("gpt", 0.5), ("qwen", 0.9))
            }
        )
    )
    text = " ".join(str(errbar.load(file).score("avg")).split())
    assert "qwen states accuracy 0.9, but its 4 rows give 0.5 ('correct')" in text
    assert "gpt states" not in text


@pytest.mark.parametrize(
    "rows",
    [
        [{"id": 1, "correct": 1, "weight": 9}, {"id": 2, "correct": 0, "weight": 1}],
        [
            {"model": name, "id": at, "correct": at < n}
            for name, n in BOTH_OF_TEN
            for at in range(10)
        ],
        [{"id": at, "correct": 1} for at in range(9)] + [{"id": 9, "correct": 0}] * 5,
    ],
    ids=["weights", "one of two systems", "mean over questions"],
)
def test_a_share_that_is_counted_otherwise_is_not_warned_of(
    tmp_path: Path, rows: list[dict[str, Any]]
) -> None:
    """Each states 0.9; the plain share of right rows is 1/2, 6/10 and 9/14."""
    file = tmp_path / "a.json"
    file.write_text(json.dumps({"accuracy": 0.9, "results": rows}))
    assert "states" not in str(errbar.load(file).score("avg"))


TRIALS = [[1, 1, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 0], [1, 1, 1, 1]]


@pytest.mark.parametrize(
    ("name", "stated", "said"),
    [
        ("accuracy", 11 / 20, None),
        ("accuracy", 3 / 5, "the share of questions that most trials solve"),
        ("pass@1", 11 / 20, None),
        ("pass@2", sum(any(p) for t in TRIALS for p in combinations(t, 2)) / 30, None),
        ("pass_at_4", 0.8, None),
        ("accuracy", 0.8, "the share of questions that some trial solves"),
        ("accuracy", 20, "the share of questions that every trial solves"),
        ("pass@2", 0.9, "but its 20 rows give 0.7 ('correct')"),
        ("pass@8", 0.9, None),  # of more trials than there are
    ],
)
def test_a_stated_number_is_compared_with_all_that_it_may_be_of_trials(
    tmp_path: Path, name: str, stated: float, said: str | None
) -> None:
    rows = [
        {"id": at, "trial": trial, "correct": right}
        for at, each in enumerate(TRIALS)
        for trial, right in enumerate(each)
    ]
    file = tmp_path / "a.json"
    file.write_text(json.dumps({"metrics": {name: stated}, "results": rows}))
    text = " ".join(str(errbar.load(file).score("avg")).split())
    assert (said in text) if said else "states" not in text


def test_a_stated_majority_is_named_as_such(tmp_path: Path) -> None:
    rows = [
        {"id": at, "correct": n < right} for at, right in enumerate([2, 2, 0]) for n in range(3)
    ]
    file = tmp_path / "a.json"
    file.write_text(json.dumps({"accuracy": 0.667, "results": rows}))
    text = " ".join(str(errbar.load(file).score("avg")).split())
    assert "states accuracy 0.667, the share of questions that most trials solve" in text
    assert "give 0.4444 ('correct')" in text
