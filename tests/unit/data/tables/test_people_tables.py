"""Tables as people keep them: partial runs, footers, two formats, graders, lists of trials."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import errbar
from errbar.base.remarks import above
from errbar.errors import InputError, UnknownColumn

RIGHT = {
    "gpt": [1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 0],
    "qwen": [0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1],
}
IDS = [f"q{at}" for at in range(12)]


def rows_of(system: str, **more: object) -> list[dict[str, object]]:
    return [
        {"id": name, "correct": right} | more
        for name, right in zip(IDS, RIGHT[system], strict=True)
    ]


def means(data: object, **told: object) -> dict[str, float]:
    scores = errbar.load(data, **told).score("avg")  # type: ignore[arg-type]
    return {score.system: score.value for score in scores}


def said(data: object) -> str:
    return " ".join(above(errbar.load(data).score("avg").notes()))


def lines(file: Path, rows: list[dict[str, object]]) -> None:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


BOTH = {name: float(np.mean(right)) for name, right in RIGHT.items()}


# Systems with different questions.


@pytest.mark.parametrize("form", ["files", "frame", "weighted"])
def test_a_partial_run_is_said_with_the_means_over_the_questions_of_all(
    form: str, tmp_path: Path
) -> None:
    weights = np.array([1.0 + at % 3 for at in range(7)])
    over = weights if form == "weighted" else None
    whole, part = rows_of("gpt"), rows_of("qwen")[:7]
    data: object = tmp_path
    if form == "files":
        lines(tmp_path / "gpt.jsonl", whole)
        lines(tmp_path / "qwen.jsonl", part)
    else:
        frame = pd.concat([pd.DataFrame(whole).assign(model="gpt"), pd.DataFrame(part)])
        frame["model"] = frame["model"].fillna("qwen")
        if form == "weighted":
            frame["weight"] = [1.0 + int(name[1:]) % 3 for name in frame["id"]]
        data = frame
    common = [float(np.average(RIGHT[name][:7], weights=over)) for name in ("gpt", "qwen")]
    expected = (
        "⚠ Systems have different questions (7 to 12), and each is scored on its own. All have 7 "
        "of them."
    )
    on_common = f"On the 7 questions that all have, avg is gpt {common[0]:.4g}, "
    on_common += f"qwen {common[1]:.4g}."
    runs = errbar.load(data)
    for result in (runs.score("avg"), runs.curve(), runs.inspect()):
        assert {expected, on_common} <= set(above(result.notes()))
    assert "different questions" not in " ".join(above(runs.compare("avg").notes()))


def test_systems_with_as_many_questions_may_have_different_ones() -> None:
    data = {"gpt": rows_of("gpt")[:8], "qwen": rows_of("qwen")[4:]}
    common = [float(np.mean(RIGHT[name][4:8])) for name in ("gpt", "qwen")]
    expected = "⚠ Systems have different questions (8 each), and each is scored on its own. All "
    expected += "have 4 of them."
    assert expected in said(data)
    means = f"avg is gpt {common[0]:.4g}, qwen {common[1]:.4g}."
    assert f"On the 4 questions that all have, {means}" in said(data)


def test_systems_with_the_same_questions_have_no_such_warning() -> None:
    data = {name: rows_of(name) for name in RIGHT}
    assert "different questions" not in said(data)
    unscored = {"gpt": rows_of("gpt"), "qwen": rows_of("qwen", status="unscored", correct=None)}
    assert "different questions" not in said(unscored)


def test_an_inspection_says_what_the_scores_say_of_doubtful_rows(tmp_path: Path) -> None:
    lines(tmp_path / "gpt.jsonl", [row | {"id": f"{row['id']}".upper()} for row in rows_of("gpt")])
    lines(tmp_path / "qwen.jsonl", rows_of("qwen"))
    runs = errbar.load(tmp_path)
    remark = "gpt and qwen share 0 questions of 12 and 12, and 12 without regard to case"
    assert remark in " ".join(above(runs.inspect().notes()))
    scales = {"gpt": rows_of("gpt"), "qwen": [row | {"correct": 80} for row in rows_of("qwen")]}
    assert "Scales differ" in " ".join(above(errbar.load(scales).inspect().notes()))


# Lines that are no rows.


@pytest.mark.parametrize("footer", [{"accuracy": 0.5, "n": 12}, {"mean": 0.5, "total": 12}])
def test_a_line_of_totals_ends_each_of_several_files(
    footer: dict[str, object], tmp_path: Path
) -> None:
    for name in RIGHT:
        lines(tmp_path / f"{name}.jsonl", [*rows_of(name), footer])
    assert means(tmp_path) == pytest.approx(BOTH)
    assert "⚠ 2 rows left out: no id, no outcome" in said(tmp_path)
    accounts = errbar.load(tmp_path).source.origin.accounts.values()
    assert [(each.rows, sum(each.left_out.values())) for each in accounts] == [(13, 1), (13, 1)]


def test_a_total_that_only_one_row_has_makes_no_table_of_counts(tmp_path: Path) -> None:
    footer = {"id": "summary", "correct": sum(RIGHT["gpt"]), "total": 12}
    lines(tmp_path / "gpt.jsonl", [*rows_of("gpt"), footer])
    assert means(tmp_path) == pytest.approx({"": BOTH["gpt"]})
    counts = [{"id": name, "correct": 3, "total": 4} for name in IDS]
    assert means(counts) == {"": 0.75}


# Two formats of one table.


def test_files_that_differ_only_in_their_format_are_said(tmp_path: Path) -> None:
    frame = pd.DataFrame(rows_of("gpt"))
    frame.to_csv(tmp_path / "gpt.csv", index=False)
    frame.to_parquet(tmp_path / "gpt.parquet")
    lines(tmp_path / "qwen.jsonl", rows_of("qwen"))
    assert "⚠ gpt.csv, gpt.parquet differ only in their format" in said(tmp_path)
    (tmp_path / "gpt.parquet").unlink()
    assert "format" not in said(tmp_path)


# Numbers that are text.


def test_weights_and_confidences_have_decimal_commas(tmp_path: Path) -> None:
    weights = [0.5 + at % 4 for at in range(12)]
    table = "id;correct;weight;confidence\n" + "".join(
        f"{row['id']};{row['correct']};{weight};0,{50 + at}\n".replace(".", ",")
        for at, (row, weight) in enumerate(zip(rows_of("gpt"), weights, strict=True))
    )
    (tmp_path / "a.csv").write_text(table, encoding="utf-8")
    assert means(tmp_path) == pytest.approx({"": np.average(RIGHT["gpt"], weights=weights)})
    assert "Weights: 12 of them are written with a decimal comma" in said(tmp_path)
    plain = [row | {"confidence": (50 + at) / 100} for at, row in enumerate(rows_of("gpt"))]
    (value,) = (row["value"] for row in errbar.load(tmp_path, weight=None).roc().to_dicts())
    assert value == errbar.load(plain).roc().to_dicts()[0]["value"]


def test_confidences_in_per_cent_are_shares(tmp_path: Path) -> None:
    percent = [row | {"confidence": f"{50 + at} %"} for at, row in enumerate(rows_of("gpt"))]
    lines(tmp_path / "a.jsonl", percent)
    shares = [row | {"confidence": (50 + at) / 100} for at, row in enumerate(rows_of("gpt"))]
    found, expected = (errbar.load(data).calibration().to_dicts() for data in (tmp_path, shares))
    assert found == expected
    lines(tmp_path / "a.jsonl", [*percent[:6], *shares[6:]])
    assert "'confidence' must be a number; found '50 %'" in said(tmp_path)


def test_systems_in_columns_have_decimal_commas(tmp_path: Path) -> None:
    table = "id;gpt;qwen\n" + "".join(f"{name};0,5;{at % 2},25\n" for at, name in enumerate(IDS))
    (tmp_path / "a.csv").write_text(table.replace("1,25", "0,75"), encoding="utf-8")
    assert means(tmp_path) == {"gpt": 0.5, "qwen": 0.5}


def test_a_skipped_question_has_no_outcome() -> None:
    words = ["passed", "failed", "SKIPPED"] * 4
    data = [{"id": name, "result": word} for name, word in zip(IDS, words, strict=True)]
    assert "no outcome: skipped 4" in said(data)
    assert "counted as wrong (avg 0.333); left out with errors='missing' (avg 0.5)" in said(data)


# Who grades, and who is graded.


@pytest.mark.parametrize(
    "names", [("human_correct", "judge_correct"), ("gpt4_judge", "o3_judge"), ("human", "expert")]
)
def test_columns_of_graders_are_no_systems(names: tuple[str, str]) -> None:
    table = pd.DataFrame(dict(zip(names, RIGHT.values(), strict=True)), index=IDS)
    with pytest.raises(UnknownColumn, match=r"2 scores .* if they are systems, list them"):
        errbar.load(table)
    listed = means(table, system=",".join(names))
    assert sorted(listed.values()) == pytest.approx(sorted(BOTH.values()))


def test_people_beside_models_are_a_system() -> None:
    table = pd.DataFrame({**RIGHT, "human": [1] * 12}, index=IDS)
    assert means(table) == pytest.approx({**BOTH, "human": 1.0})


def test_an_answer_beside_its_target_is_of_the_model_in_the_row() -> None:
    wrong = {"A": "B", "B": "C", "C": "A"}
    data = [
        {"model": name, "id": asked, "target": "ABC"[at % 3]}
        | {"answer": "ABC"[at % 3] if right else wrong["ABC"[at % 3]]}
        for name, outcomes in RIGHT.items()
        for at, (asked, right) in enumerate(zip(IDS, outcomes, strict=True))
    ]
    assert means(data) == pytest.approx(BOTH)


# Outcomes in objects and lists.


def objects(keys: list[str]) -> list[dict[str, object]]:
    return [
        {"id": asked, "results": dict(zip(keys, map(bool, outcomes), strict=True))}
        for asked, *outcomes in zip(IDS, *RIGHT.values(), strict=True)
    ]


def test_keys_beside_the_ids_of_more_rows_are_systems_or_trials() -> None:
    data = objects(["gpt", "qwen"])
    assert means(data) == pytest.approx(BOTH)
    assert "⚠ Systems are the keys of 'results' (gpt, qwen), and questions" in said(data)
    assert len(means(data, system="id")) == 12  # the other reading
    for keys in (["run_1", "run_2"], ["0", "1"]):
        (score,) = errbar.load(objects(keys)).score("avg")
        assert (score.questions, score.trials) == (12, 24)
        assert score.value == pytest.approx(np.mean([*BOTH.values()]))
        assert "⚠ Trials are the keys of 'results'" in said(objects(keys))


def test_keys_that_are_more_than_rows_or_numbered_are_questions() -> None:
    for named in ([f"q{at}" for at in range(12)], [f"case-{at}" for at in range(3)]):
        rows = [{"id": f"run {run}", "results": dict.fromkeys(named, True)} for run in range(6)]
        assert errbar.load(rows).score("avg")[0].questions == len(named)


@pytest.mark.parametrize("kind", [list, np.array, tuple])
def test_lists_of_unequal_numbers_of_trials_are_questions(kind: type) -> None:
    trials: list[list[int | None]] = [[1, 0, 1], [1], [0, None], [0, 0, 1, 1]]
    data = [kind(row) for row in trials if None not in row]
    (score,) = errbar.load(data).score("avg")
    assert score.value == pytest.approx(13 / 18)
    assert (score.questions, score.trials) == (3, 8)
    if kind is list:
        assert "1 of 10 rows has no outcome" in said(trials)


def test_a_square_list_is_a_matrix_still() -> None:
    (score,) = errbar.load([[1, 0], [1, 1]]).score("avg")
    assert (score.value, score.questions) == (0.75, 2)
    with pytest.raises(InputError):
        errbar.load([[1, 0], "x"])


def test_named_rows_below_numbered_columns_are_no_matrix(tmp_path: Path) -> None:
    table = pd.DataFrame(RIGHT).T
    table.to_csv(tmp_path / "a.csv")
    with pytest.raises(InputError, match="Name the first column question or system"):
        errbar.load(tmp_path)
    table.rename_axis("system").to_csv(tmp_path / "a.csv")
    assert means(tmp_path) == pytest.approx(BOTH)
