"""How data are read: every guess is printed above the number, with what changes it."""

import io
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner

import errbar
from errbar.cli import main
from errbar.errors import InputError, WrongType
from shapes import GOOD, POOR, TRIALS

RECORDS = [{"id": key, "correct": value} for key, value in GOOD.items()]


def lines(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def table(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    return result.exit_code, " ".join(result.output.split())


def means(data: object, **told: object) -> dict[str, float]:
    scores = errbar.load(data, **told).score("avg")  # type: ignore[arg-type]
    return {score.system: score.value for score in scores}


# Which file is which system.


def test_files_that_name_no_system_are_systems_and_that_is_said_above(tmp_path: Path) -> None:
    first = lines(tmp_path / "baseline.jsonl", RECORDS)
    second = lines(tmp_path / "finetuned.jsonl", [{"id": k, "correct": v} for k, v in POOR.items()])
    code, said = run("score", first, second)
    assert code == 0
    above, _, _ = said.partition("system metric")
    option = "(--files trials, tasks, parts or questions to change)"
    assert f"Systems: named after the 2 files {option}." in above
    assert "Columns: system, question = id, outcome = correct (--map to change)." in above


def test_files_that_differ_by_a_number_are_taken_apart_with_a_warning(tmp_path: Path) -> None:
    files = [
        lines(tmp_path / f"run{at}.jsonl", [{"id": k, "correct": v} for k, v in some.items()])
        for at, some in enumerate((GOOD, POOR))
    ]
    code, said = run("score", *files)
    assert code == 0
    assert "⚠ 2 files name no system" in said.partition("[95% CI]")[0]  # above the numbers
    assert "join them with --files trials" in said
    assert means(files) == {"run0": 0.8, "run1": 0.5}
    joined = errbar.load(files, files="trials").score("avg", "pass@2")
    assert [each.value for each in joined] == pytest.approx([0.65, 0.8])
    assert {each.trials for each in joined} == {20}


def test_trials_of_several_systems_are_joined_by_their_names(tmp_path: Path) -> None:
    for name, some in (("gpt", GOOD), ("qwen", POOR)):
        for at in (1, 2):
            lines(tmp_path / f"{name}_{at}.jsonl", [{"id": k, "ok": v} for k, v in some.items()])
    found = means(tmp_path, files="trials", outcome="ok")
    assert found == {"gpt": 0.8, "qwen": 0.5}


def test_a_system_column_wins_over_the_name_of_a_file(tmp_path: Path) -> None:
    for at, some in enumerate((GOOD, POOR)):
        rows: list[dict[str, object]] = [
            {"id": key, "correct": value, "model": "m", "epoch": at} for key, value in some.items()
        ]
        lines(tmp_path / f"part {at}.jsonl", rows)
    assert means(tmp_path) == {"m": 0.65}


def test_parts_of_one_table_are_one_system(tmp_path: Path) -> None:
    whole = pl.DataFrame(RECORDS)
    for at in range(2):
        name = f"part-0000{at}-d3b1ab00-1111-2222-3333-444455556666-c000.snappy.parquet"
        whole.slice(5 * at, 5).write_parquet(tmp_path / name)
    assert means(tmp_path) == {"": 0.8}


def test_files_of_other_columns_are_read_together(tmp_path: Path) -> None:
    lines(tmp_path / "a.jsonl", RECORDS)
    table(
        tmp_path / "b.csv", "task_id,passed\n" + "".join(f"{k},{int(v)}\n" for k, v in POOR.items())
    )
    assert means(tmp_path) == {"a": 0.8, "b": 0.5}
    compared = errbar.load(tmp_path).compare("avg")
    assert compared[0].questions == 10


def test_a_file_that_holds_no_outcomes_is_named_above(tmp_path: Path) -> None:
    lines(tmp_path / "runs.jsonl", RECORDS)
    (tmp_path / "config.json").write_text('{"temperature": 0.7, "model": "x"}')
    (tmp_path / "notes.txt").write_text("nothing")
    code, said = run("score", tmp_path)
    assert code == 0
    above = said.partition("metric value")[0]
    assert "⚠ Not read: config.json" in above
    assert "⚠ Not read: notes.txt" in above
    assert means(tmp_path) == {"": 0.8}


# Which column is the id.


def test_an_id_wins_over_the_text_of_a_question() -> None:
    texts = ["What is it?", "And what is that one?"]
    rows = [{"id": at, "question": texts[at % 2], "correct": at % 4 == 0} for at in range(8)]
    assert errbar.load(rows).score("avg")[0].questions == 8
    said = errbar.load(rows).score("avg").notes()
    assert any("question = id" in each for each in said)


def test_a_question_that_is_an_id_wins_over_other_ids() -> None:
    rows = [
        {"question": f"q{at // 2}", "id": f"row {at}", "trial": at % 2, "outcome": 1}
        for at in range(8)
    ]
    assert errbar.load(rows).score("avg")[0].questions == 4


def test_rows_without_an_id_are_questions_and_paired_by_their_place(tmp_path: Path) -> None:
    for name, some in (("a", GOOD), ("b", POOR)):
        rows = "".join(f"{int(value)},x\n" for value in some.values())
        table(tmp_path / f"{name}.csv", f"correct,response\n{rows}")
    runs = errbar.load(tmp_path)
    assert {each.system: each.value for each in runs.score("avg")} == {"a": 0.8, "b": 0.5}
    (pair,) = runs.compare("avg")
    wins = sum(GOOD[key] > POOR[key] for key in GOOD)
    assert (pair.questions, pair.wins) == (10, wins)
    assert "every row is a question" in str(runs.score("avg")).partition("[95% CI]")[0]


# What a repeated id means.

UNEQUAL = [("a", 1), ("a", 1), ("a", 1), ("b", 0)]


def test_ids_that_repeat_are_trials_and_the_other_reading_is_said_above(tmp_path: Path) -> None:
    text = "id,correct\n" + "".join(f"{key},{value}\n" for key, value in UNEQUAL)
    file = table(tmp_path / "runs.csv", text)
    code, said = run("score", file)
    assert code == 0
    assert said.startswith("⚠ Ids repeat (4 rows, 2 ids) and no column numbers the trials.")
    assert "--rows questions" in said.partition("metric value")[0]
    assert "0.5 as trials, 0.75 as questions" in said
    assert means(file) == {"": 0.5}
    (apart,) = errbar.load(file, rows="questions").score("avg")
    assert (apart.value, apart.questions) == (0.75, 4)


def test_rows_as_questions_are_clusters_of_their_id() -> None:
    rows = [{"id": at // 5, "correct": int(at // 5 % 2)} for at in range(100)]
    apart = errbar.load(rows, rows="questions").score("avg")[0]
    trials = errbar.load(rows).score("avg")[0]
    assert apart.value == trials.value
    assert apart.interval.high - apart.interval.low > 0.9 * (
        trials.interval.high - trials.interval.low
    )


def test_equal_numbers_of_rows_are_trials_without_a_warning() -> None:
    rows = [{"id": at // 2, "correct": at % 2} for at in range(20)]
    said = errbar.load(rows).score("avg").notes()
    assert not any("⚠" in each for each in said)
    assert any("2 rows of each id are trials" in each for each in said)


# Words for right and wrong.


def test_words_are_counted_above(tmp_path: Path) -> None:
    rows = "".join(f"{k},{'PASS' if v else 'FAIL'}\n" for k, v in GOOD.items())
    code, said = run("score", table(tmp_path / "a.csv", f"id,result\n{rows}"))
    assert code == 0
    assert "Outcomes are words (right: pass 8; wrong: fail 2) (--right WORD to change)." in said


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.Table.from_pylist, list])
def test_words_are_read_in_any_table(kind: object) -> None:
    rows = [{"id": key, "result": "✓" if value else "✗"} for key, value in GOOD.items()]
    assert means(kind(rows)) == {"": 0.8}  # type: ignore[operator]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "frame"])
def test_unknown_words_are_listed_with_the_option_that_says_which_are_right(
    ending: str, tmp_path: Path
) -> None:
    rows = [{"id": key, "result": "gold" if value else "lead"} for key, value in GOOD.items()]
    data: object = pd.DataFrame(rows)
    if ending != "frame":
        data = tmp_path / f"a.{ending}"
        writer = {"csv": "write_csv", "jsonl": "write_ndjson"}[ending]
        getattr(pl.DataFrame(rows), writer)(data)
    with pytest.raises(WrongType, match=r"'gold' \(8\), 'lead' \(2\).*right="):
        means(data)
    assert means(data, right="gold") == {"": 0.8}
    assert means(data, right=["lead"]) == {"": 0.2}


# What was never scored.


def test_a_file_in_which_nothing_was_scored_is_not_wrong(tmp_path: Path) -> None:
    for name, rows in (("one", RECORDS), ("two", [{**row, "correct": None} for row in RECORDS])):
        some: list[dict[str, object]] = [{**row, "model": "m", "epoch": name} for row in rows]
        lines(tmp_path / f"{name}.jsonl", some)
    runs = errbar.load(tmp_path)
    assert [each.value for each in runs.score("avg")] == [0.8]
    assert "⚠ two.jsonl: none of its 10 rows has an outcome" in str(runs.score("avg"))


# Where data come from.


def test_paths_by_name_are_systems(tmp_path: Path) -> None:
    first = lines(tmp_path / "x.jsonl", RECORDS)
    second = table(
        tmp_path / "y.csv", "id,fine\n" + "".join(f"{k},{int(v)}\n" for k, v in POOR.items())
    )
    assert means({"a": str(first), "b": first}) == {"a": 0.8, "b": 0.8}
    with pytest.raises(InputError, match=r"y\.csv.*outcome"):
        errbar.load({"a": first, "b": second})


def test_columns_are_named_by_keyword() -> None:
    frame = pd.DataFrame(
        {"m": ["a"] * 10 + ["b"] * 10, "k": [*GOOD] * 2, "s": [*GOOD.values(), *POOR.values()]}
    )
    assert means(frame, system="m", question="k", outcome="s") == {"a": 0.8, "b": 0.5}


@pytest.mark.parametrize("kind", [pd.Series, pl.Series, list, tuple])
def test_a_vector_has_a_question_in_each_entry(kind: object) -> None:
    (score,) = errbar.load(kind([1, 0, 1, 1] * 50)).score("avg")  # type: ignore[operator]
    assert (score.value, score.questions, score.trials) == (0.75, 200, 200)


def test_a_table_by_columns_and_frames_by_name_are_read() -> None:
    columns = {"id": [*GOOD], "correct": [*GOOD.values()]}
    assert means(columns) == {"": 0.8}
    frames = {
        "a": pd.DataFrame(columns),
        "b": pl.DataFrame({"id": [*POOR], "correct": [*POOR.values()]}),
    }
    assert means(frames) == {"a": 0.8, "b": 0.5}


def test_lists_in_a_frame_are_trials() -> None:
    rows = [{"id": key, "correct": value} for key, value in TRIALS.items()]
    for data in (pd.DataFrame(rows), pl.DataFrame(rows), pa.Table.from_pylist(rows)):
        (score,) = errbar.load(data).score("avg")
        assert score.value == pytest.approx(0.55)
        assert (score.questions, score.trials) == (4, 20)


@pytest.mark.parametrize("form", ["csv", "json", "jsonl", "parquet"])
def test_standard_input_is_read(form: str) -> None:
    frame = pl.DataFrame(RECORDS)
    held = io.BytesIO()
    if form == "json":
        held.write(json.dumps(RECORDS).encode())
    else:
        getattr(frame, {"jsonl": "write_ndjson"}.get(form, f"write_{form}"))(held)
    ask = ["score", "-", "--format", "csv"]
    done = CliRunner().invoke(main, ask, input=held.getvalue())
    assert ",avg,0.8," in done.stdout
    if form == "csv":  # and in a process of its own
        command = [sys.executable, "-m", "errbar", *ask]
        apart = subprocess.run(command, input=held.getvalue(), capture_output=True, check=True)
        assert apart.stdout.decode() == done.stdout


@pytest.mark.parametrize("name", ["runs.pkl", "runs.pickle"])
def test_a_pickle_is_refused_with_the_reason(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_bytes(pickle.dumps(RECORDS))
    code, said = run("score", file)
    assert code == 2
    assert "a pickle can run any code when it is opened" in said


def test_totals_are_refused_as_such(tmp_path: Path) -> None:
    file = tmp_path / "summary.json"
    for whole in ({"accuracy": 0.71, "f1": 0.6}, {"gsm8k": {"acc": 0.5}, "mmlu": {"acc": 0.6}}):
        file.write_text(json.dumps(whole))
        code, said = run("score", file)
        assert code == 2
        assert "totals" in said


# The first command.


def test_a_path_in_place_of_a_command_says_what_was_read_the_scores_and_who_is_better(
    tmp_path: Path,
) -> None:
    many = {f"q{at}": at % 5 != 0 for at in range(100)}
    few = {f"q{at}": at % 2 == 0 for at in range(100)}
    for name, some in (("good", many), ("poor", few)):
        lines(tmp_path / f"{name}.jsonl", [{"id": k, "correct": v} for k, v in some.items()])
    code, said = run(tmp_path)
    assert code == 0
    assert "Read 2 files: 100 questions x 2 systems, 200 rows." in said
    assert said.startswith("good beats poor. ")
    code, said = run("scoer")
    assert code == 2
    assert "No such command" in said


def test_files_without_rows_and_hidden_ones_are_named_and_the_rest_is_read(tmp_path: Path) -> None:
    table(tmp_path / "a.csv", "id,correct\nq1,1\nq2,0\n")
    table(tmp_path / "b.csv", "id,correct\nq1,1\nq2,1\n")
    table(tmp_path / "c.csv", "id,correct\n")
    table(tmp_path / "d.csv", "")
    table(tmp_path / "e.jsonl", "\n")
    table(tmp_path / ".hidden.csv", "id,correct\nq1,0\n")
    pl.DataFrame({"id": ["q"], "correct": [1]}).clear().write_parquet(tmp_path / "f.parquet")
    for name in (".DS_Store", "._a.csv", ".git/x.csv", "__MACOSX/.a.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        table(tmp_path / name, "id,correct\nq1,0\n")
    assert means(str(tmp_path)) == {"a": 0.5, "b": 1.0}
    said = " ".join(errbar.load(str(tmp_path)).score("avg").remarks)
    assert "Not read: c.csv, f.parquet (it has the names of columns and no rows)" in said
    assert "Not read: d.csv, e.jsonl (it is empty)" in said
    assert "Not read: .hidden.csv (hidden" in said
    assert not any(name in said for name in (".DS_Store", "._a.csv", "x.csv", ".a.csv"))


@pytest.mark.parametrize("text", ["", "\n \n", "id,correct\n"])
def test_a_file_without_rows_alone_is_refused(tmp_path: Path, text: str) -> None:
    file = table(tmp_path / "a.csv", text)
    with pytest.raises(InputError, match="nothing to score"):
        errbar.load(str(file))


def test_a_line_that_is_cut_off_is_named_with_what_to_do(tmp_path: Path) -> None:
    whole = lines(tmp_path / "a.jsonl", [{"id": "q1", "correct": 1}, {"id": "q2", "correct": 0}])
    cut = table(tmp_path / "b.jsonl", whole.read_text(encoding="utf-8") + '{"id": "q3", "co')
    for data in (str(cut), [str(whole), str(cut)]):
        with pytest.raises(InputError, match=r"incomplete: wait .* or delete the line") as refused:
            errbar.load(data).score("avg")
        assert str(refused.value).startswith(f"{cut}, line 3:")
