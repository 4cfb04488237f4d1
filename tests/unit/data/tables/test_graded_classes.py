"""Predictions of classifiers are compared with their label, by columns and by rows."""

from pathlib import Path
from typing import Any

import pytest

import errbar
from errbar.errors import UnknownColumn

CLASSES = ("pos", "neg", "neu")
GOLD = [CLASSES[at % 3] for at in range(24)]
WRONG_EVERY = {"bert": 3, "gpt": 6, "llama": 2}  # every third prediction of bert is wrong, …
SHARES = {name: 1 - 1 / every for name, every in WRONG_EVERY.items()}


def predicted(name: str, at: int) -> str:
    """The prediction of a system: the next class where it is wrong."""
    wrong = at % WRONG_EVERY[name] == 0
    return CLASSES[(CLASSES.index(GOLD[at]) + 1) % 3] if wrong else GOLD[at]


def written(tmp_path: Path, header: str, cells: list[str]) -> Path:
    """A CSV file with these rows."""
    path = tmp_path / "predictions.csv"
    path.write_text("\n".join([header, *cells]) + "\n", encoding="utf-8")
    return path


def means(path: Path, **options: Any) -> dict[str, float]:
    """The mean of each system."""
    return {score.system: score.value for score in errbar.load(path, **options).score("avg")}


def wide(tmp_path: Path, label: str, form: str) -> Path:
    """A table with a column of predictions per system."""
    header = ",".join(["text_id", label, *(form.format(name) for name in WRONG_EVERY)])
    rows = [
        ",".join([str(at), GOLD[at], *(predicted(name, at) for name in WRONG_EVERY)])
        for at in range(len(GOLD))
    ]
    return written(tmp_path, header, rows)


@pytest.mark.parametrize("label", ["label", "gold", "y_true", "expected"])
@pytest.mark.parametrize("form", ["{}", "pred_{}", "{}_prediction"])
def test_a_column_of_predictions_per_system(label: str, form: str, tmp_path: Path) -> None:
    path = wide(tmp_path, label, form)
    assert means(path) == pytest.approx(SHARES)
    said = " ".join(str(errbar.load(path).score("avg")).split())
    assert "right where they equal" in said
    assert said.index("right where they equal") < said.index("95% CI")


@pytest.mark.parametrize(
    ("label", "prediction"),
    [
        ("label", "prediction"),
        ("true_label", "predicted_class"),
        ("actual_decision", "predicted_decision"),
        ("gold", "predicted"),
    ],
)
def test_a_row_per_prediction(label: str, prediction: str, tmp_path: Path) -> None:
    rows = [
        f"{name},{at},{GOLD[at]},{predicted(name, at).upper()} ,0.9"
        for name in WRONG_EVERY
        for at in range(len(GOLD))
    ]
    path = written(tmp_path, f"model,id,{label},{prediction},prob", rows)
    assert means(path) == pytest.approx(SHARES)  # case and spaces aside
    frame = errbar.load(path)
    assert frame.score("avg").notes()[0].startswith("24 questions")


def test_labels_of_0_and_1_next_to_predictions_by_name(tmp_path: Path) -> None:
    rows = [f"{at},{at % 2},{at % 2 if at % 4 else 1 - at % 2},{at % 2}" for at in range(20)]
    path = written(tmp_path, "id,label,pred_a,pred_b", rows)
    assert means(path) == {"a": 0.75, "b": 1.0}


def test_labels_of_0_and_1_next_to_other_columns_are_refused_with_every_reading(
    tmp_path: Path,
) -> None:
    rows = [f"{at},{at % 2},{at % 2 if at % 4 else 1 - at % 2},{int(at < 5)}" for at in range(20)]
    path = written(tmp_path, "id,label,svm,bert", rows)
    with pytest.raises(UnknownColumn, match=r"target='label'.*outcome='label'.*'svm,bert'"):
        means(path)
    agreed = sum(at % 2 == int(at < 5) for at in range(20)) / 20
    assert means(path, target="label") == {"svm": 0.75, "bert": agreed}
    assert means(path, target="label", answer="svm") == {"": 0.75}
    assert means(path, outcome="label") == {"": 0.5}
    assert means(path, system="svm,bert")["bert"] == 0.25


def test_predictions_that_are_no_class_and_missing_ones(tmp_path: Path) -> None:
    rows = [f"{at},{GOLD[at]},{GOLD[at]}" for at in range(20)]
    rows += ["20,pos,unsure", "21,neg,unsure", "22,neu,", "23,pos,pos"]
    path = written(tmp_path, "id,label,prediction", rows)
    runs = errbar.load(path)
    said = " ".join(str(runs.score("avg")).split())
    assert "2 predictions are none of its 3 classes ('unsure')" in said
    assert runs.score("avg").notes()[0].startswith("24 questions")
    assert means(path) == {"": 21 / 24}
    assert [score.value for score in runs.score("avg", errors="missing")] == [
        pytest.approx(21 / 23)
    ]


def test_free_answers_are_not_compared(tmp_path: Path) -> None:
    rows = [f"{at},The capital is X{at},It is X{at}" for at in range(12)]
    with pytest.raises(UnknownColumn, match="right"):
        means(written(tmp_path, "id,gold,prediction", rows))


def test_a_column_that_says_what_is_right_comes_first(tmp_path: Path) -> None:
    rows = [f"{at},{GOLD[at]},{GOLD[at]},{int(at < 6)}" for at in range(24)]
    assert means(written(tmp_path, "id,label,prediction,correct", rows)) == {"": 0.25}


def test_two_predictions_of_a_row_are_refused(tmp_path: Path) -> None:
    rows = [f"{at},{GOLD[at]},{GOLD[at]},{predicted('bert', at)}" for at in range(24)]
    path = written(tmp_path, "id,label,prediction,y_pred", rows)
    with pytest.raises(UnknownColumn, match="answer='prediction'"):
        means(path)
    assert means(path, answer="y_pred") == pytest.approx({"": SHARES["bert"]})


def test_records_and_frames_are_read_alike(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    path = wide(tmp_path, "label", "pred_{}")
    frame = pandas.read_csv(path)
    for data in (frame, frame.to_dict("records"), frame.to_dict("list")):
        found = {score.system: score.value for score in errbar.load(data).score("avg")}
        assert found == pytest.approx(SHARES)


def test_labels_and_predictions_in_a_dict_are_columns() -> None:
    arrays = {"y_true": GOLD, "y_pred": [predicted("bert", at) for at in range(len(GOLD))]}
    assert [score.value for score in errbar.load(arrays).score("avg")] == [pytest.approx(2 / 3)]


def test_a_dict_with_rows_and_names_is_a_document() -> None:
    rows = [{"id": at, "correct": at % 4 > 0} for at in range(8)]
    data = {"results": rows, "model": "gpt", "accuracy": 0.75}
    assert [(score.system, score.value) for score in errbar.load(data).score("avg")] == [
        ("gpt", 0.75)
    ]
