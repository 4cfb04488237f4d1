"""score, curve, inspect and convert: formats, files written whole or not at all, exit codes."""

import csv
import io
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner, Result

import errbar
from errbar.base.remarks import on_command_line
from errbar.cli import main
from errbar.cli.io import columns_in, save
from errbar.cli.options import names_in
from errbar.errors import InputError
from errbar.writers import write_outcomes
from logs import REPOSITORY

LOGS = str(REPOSITORY / "tests" / "fixtures" / "lm_eval" / "named")
HOME = str(Path(errbar.__file__).parents[1])
FORMATS = ("table", "json", "csv", "markdown", "latex")

TABLE = """model,task_id,epoch,passed,status,level
small,a,1,1,ok,easy
small,a,2,0,ok,easy
small,b,1,,error,hard
small,b,2,1,ok,hard
large,a,1,1,ok,easy
large,a,2,1,ok,easy
large,b,1,0,ok,hard
large,b,2,1,timeout,hard
"""
GUESSED = (
    "Columns: system = model, question = task_id, trial = epoch, outcome = passed, status; "
    "not used: 'level' (--map to change)."
)


@pytest.fixture
def runs(tmp_path: Path) -> str:
    (tmp_path / "runs.csv").write_text(TABLE)
    return str(tmp_path / "runs.csv")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def shown(*arguments: str) -> str:
    """What is printed where all is well; only CSV and files have their notes on stderr."""
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    assert bool(result.stderr) == bool({"csv", "convert"} & {*arguments}), result.stderr
    return result.stdout


def refusal(*arguments: str) -> str:
    """The last line on stderr where it is not."""
    result = run(*arguments)
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Traceback" not in result.stderr
    return result.stderr.splitlines()[-1]


def records(*arguments: str) -> list[dict[str, Any]]:
    return list(json.loads(shown(*arguments, "--format", "json"))["rows"])


# Scores.


def test_a_score_is_that_of_the_rows(runs: str) -> None:
    rows = records("score", runs, "-m", "pass@1", "-m", "pass@2")
    assert [(row["system"], row["metric"], row["value"]) for row in rows] == [
        ("large", "pass@1", 0.5),
        ("large", "pass@2", 0.5),
        ("small", "pass@1", 0.5),
        ("small", "pass@2", 1.0),
    ]


def test_without_a_metric_there_is_the_average(runs: str) -> None:
    assert [row["metric"] for row in records("score", runs)] == ["avg", "avg"]


def test_without_a_metric_rewards_are_averaged(tmp_path: Path) -> None:
    (tmp_path / "rewards.csv").write_text("question,outcome,level\na,0.5,x\nb,1,y\n")
    assert [row["value"] for row in records("score", str(tmp_path / "rewards.csv"))] == [0.75]
    rows = records("score", str(tmp_path / "rewards.csv"), "--by", "level")
    assert [(row["metric"], row["value"]) for row in rows] == [("avg", 0.5), ("avg", 1.0)]


def test_a_scorer_or_filter_of_a_table_is_refused(runs: str) -> None:
    for option in ("scorer", "filter"):
        said = refusal("score", runs, f"--{option}", "exact")
        assert f"--{option} exact chooses among the scores in a log" in said
        assert "--map outcome=" in said


def test_the_notes_say_what_failed_and_what_was_guessed(runs: str) -> None:
    text = " ".join(shown("score", runs).split())
    assert "2 of 8 rows have no result (error 1, timeout 1): counted as wrong." in text
    assert GUESSED in text


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        ("fail", {"large": 0.5, "small": 0.5}),
        ("missing", {"large": 0.5, "small": 0.75}),
        (
            "bracket",
            {"large wrong": 0.5, "large right": 0.75, "small wrong": 0.5, "small right": 0.75},
        ),
    ],
)
def test_failed_rows_are_read_from_the_options(
    runs: str, errors: str, expected: dict[str, float]
) -> None:
    rows = records("score", runs, "-m", "avg", "--errors", errors)
    found = {f"{row['system']} {row.get('failed', '')}".strip(): row["value"] for row in rows}
    assert found == expected


@pytest.mark.usefixtures("short_chains")
def test_short_questions_are_read_from_the_options(runs: str) -> None:
    ask = ("score", runs, "-m", "pass@2", "--errors", "missing")
    assert "1 of 2 questions" in refusal(*ask)
    rows = records(*ask, "--short", "drop")
    assert [(row["system"], row["value"], row["questions"]) for row in rows] == [
        ("large", 1.0, 1),
        ("small", 1.0, 1),
    ]
    rows = records(*ask, "--short", "posterior")
    assert [row["value"] for row in rows] == [None, None]


def test_the_level_and_slices_are_read_from_the_options(runs: str) -> None:
    rows = records("score", runs, "-m", "avg", "--level", "0.5", "--by", "level")
    assert {(row["system"], row["by level"]): row["value"] for row in rows} == {
        ("large", "easy"): 1,
        ("large", "hard"): 0,
        ("small", "easy"): 0.5,
        ("small", "hard"): 0.5,
    }
    assert {row["level"] for row in rows} == {0.5}
    twice = records("score", runs, "-m", "avg", "--by", "level", "--by", "status")
    assert len(twice) == 6
    assert ("large", "hard", "timeout") in [
        (row["system"], row["by level"], row["status"]) for row in twice
    ]


def test_columns_are_mapped_as_told(runs: str) -> None:
    rows = records("score", runs, "-m", "avg", "--map", "system=level", "--repeats", "keep")
    assert [row["system"] for row in rows] == ["easy", "hard"]
    assert "system = level," in shown("score", runs, "--map", "system=level", "--repeats", "keep")


def test_a_repeated_trial_is_refused_or_kept(runs: str) -> None:
    ask = ("score", runs, "--map", "system=level")
    assert "occur more than once" in refusal(*ask)
    assert records(*ask, "--repeats", "keep")


# Lists of metrics and of columns.


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (["pass@1"], ["pass@1"]),
        (["pass@1,pass@2", "avg"], ["pass@1", "pass@2", "avg"]),
        ([" pass@1 , avg ,"], ["pass@1", "avg"]),
        (["avg(weights=[0,0.5,1]),pass@1"], ["avg(weights=[0,0.5,1])", "pass@1"]),
        (["spectrum@2(weights=[0.5, 0.5]),avg"], ["spectrum@2(weights=[0.5, 0.5])", "avg"]),
        ([""], []),
        ([",,"], []),
    ],
)
def test_a_comma_list_is_taken_apart_outside_of_brackets(
    given: list[str], names: list[str]
) -> None:
    assert list(names_in(given)) == names


@pytest.mark.parametrize("text", ["avg(weights=[0,1", "pass@1)", "pass@1(,avg", "avg]"])
def test_brackets_that_do_not_match_are_never_left_out_in_silence(text: str, runs: str) -> None:
    assert text.partition(",")[0] in refusal("score", runs, "-m", "pass@1", "-m", text)


def test_metrics_with_weights_are_read_from_a_list(runs: str) -> None:
    rows = records("score", runs, "-m", "avg(weights=[0, 2]),pass@1", "--errors", "missing")
    assert [row["metric"] for row in rows[:2]] == ["avg(weights=[0.0, 2.0])", "pass@1"]


def test_an_unknown_metric_is_refused_with_the_nearest(runs: str) -> None:
    assert "Did you mean 'pass@k'?" in refusal("score", runs, "-m", "pas@2")
    assert "no metric" in refusal("score", runs, "-m", "")
    assert "errbar selective" in refusal("score", runs, "-m", "aurc")
    assert "k must be at least 1" in refusal("score", runs, "-m", "pass@0")


def test_more_draws_than_trials_are_refused_with_the_most_there_can_be(runs: str) -> None:
    said = refusal("score", runs, "-m", "pass@3")
    assert "2 of 2 questions have fewer" in said
    assert "at most 2" in said
    assert "--short posterior" in said


@pytest.mark.parametrize("text", ["question", "=task_id", "question=", "=", ""])
def test_a_mapping_that_is_not_one_is_refused(text: str, runs: str) -> None:
    assert "meaning=column" in refusal("score", runs, "--map", text)


@pytest.mark.parametrize("name", ["data", "repeats", "connection", "self", "questoin"])
def test_a_mapping_of_no_column_of_ours_is_refused(name: str, runs: str) -> None:
    assert f"'{name}'" in refusal("score", runs, "--map", f"{name}=task_id")


def test_a_column_may_contain_an_equals_sign_and_no_meaning_is_given_twice() -> None:
    assert columns_in(["question=a=b", "outcome=c"]) == {"question": "a=b", "outcome": "c"}
    with pytest.raises(InputError, match="gives two columns"):
        columns_in(["question=a", "question=b"])


@pytest.mark.parametrize(
    "options",
    [
        ["--errors", "ignore"],
        ["--short", "ignore"],
        ["--format", "html"],
        ["--repeats", "some"],
        ["--level", "high"],
        ["--level", "95"],
        ["--level", "nan"],
        ["--by", "nope"],
        ["--no-such-option"],
    ],
)
def test_a_wrong_option_exits_with_two(options: list[str], runs: str) -> None:
    assert refusal("score", runs, *options).startswith("Error: ")


def test_a_command_without_a_path_exits_with_two() -> None:
    for command in ("score", "curve", "inspect", "convert"):
        assert "Missing argument" in refusal(command)


# Curves and inspections.


def test_a_curve_goes_up_to_the_trials(runs: str) -> None:
    rows = records("curve", runs)
    assert [(row["system"], row["metric"], row["value"]) for row in rows] == [
        ("large", "pass@1", 0.5),
        ("large", "pass@2", 0.5),
        ("small", "pass@1", 0.5),
        ("small", "pass@2", 1.0),
    ]


def test_a_curve_takes_the_metric_and_the_ks_of_the_options(runs: str) -> None:
    rows = records("curve", runs, "-m", "pass^k", "-k", "2", "-k", "1", "--level", "0.8")
    assert [row["metric"] for row in rows] == ["pass^2", "pass^1"] * 2
    assert {row["level"] for row in rows} == {0.8}
    assert "letter k" in refusal("curve", runs, "-m", "pass@2")
    assert "at most 2" in refusal("curve", runs, "-k", "3")
    assert refusal("curve", runs, "-k", "0")


def test_an_inspection_shows_numbers_statuses_and_guesses(runs: str) -> None:
    found = json.loads(shown("inspect", runs, "--format", "json"))
    expected = {
        "task": "",
        "questions": 2,
        "rows": 4,
        "failed": 1,
        "unscored": 0,
        "least_trials": 2,
        "median_trials": 2.0,
        "most_trials": 2,
        "binary": True,
    }
    assert found["rows"] == [{"system": name, **expected} for name in ("large", "small")]
    assert "Status: error 1, ok 6, timeout 1." in found["notes"]
    assert found["guesses"] == [GUESSED]


def test_an_inspection_reports_repeated_trials_instead_of_refusing_them(runs: str) -> None:
    text = shown("inspect", runs, "--map", "system=level")
    assert "once" in text or "repeated" in text.lower()


@pytest.mark.parametrize(
    "option",
    [
        *(["--bounds", "0", "1"], ["--largest-cluster", "9"], ["--assume", "no rare failures"]),
        *(["--estimand", "benchmark"], ["--by", "level"], ["--audit"], ["--short", "drop"]),
        *(["--questions-in-all", "99"], ["--method", "documented"]),
    ],
    ids=" ".join,
)
def test_an_option_without_use_for_known_rates_is_refused(option: list[str], runs: str) -> None:
    rates = ["--sensitivity", "0.9", "--specificity", "45/50"]
    shown("score", runs, "-m", "avg", *rates)
    result = run("score", runs, "-m", "avg", *rates, *option)
    assert result.exit_code == 2
    assert f"{option[0]} is not supported with --sensitivity" in result.output


# Formats.


# Which format a result can be written in does not depend on the command that prints it:
# tests/contracts/test_results.py writes every result in every format.
@pytest.mark.parametrize(
    ("command", "style"),
    [*(("score", style) for style in FORMATS), ("curve", "latex"), ("inspect", "markdown")],
)
def test_every_command_writes_every_format(command: str, style: str, runs: str) -> None:
    text = shown(command, runs, "--format", style)
    assert "large" in text
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert "\x1b" not in text


def test_json_is_valid_whatever_is_unknown(runs: str) -> None:
    def refuse(name: str) -> Any:
        raise AssertionError(f"{name} is not JSON")

    ask = ("score", runs, "-m", "pass@2", "--errors", "missing", "--short", "posterior")
    found = json.loads(shown(*ask, "--format", "json"), parse_constant=refuse)
    assert set(found) == {"guesses", "rows", "notes"}
    assert [row["value"] for row in found["rows"]] == [None, None]
    assert all(row["reason"] for row in found["rows"])


def test_csv_parses_back(runs: str) -> None:
    back = list(csv.DictReader(io.StringIO(shown("score", runs, "--format", "csv"))))
    expected = records("score", runs)
    assert [row["system"] for row in back] == [row["system"] for row in expected]
    assert [float(row["mean"]) for row in back] == [row["mean"] for row in expected]


@pytest.mark.parametrize(
    ("command", "written"),
    [
        *(("score", "stdout"), ("score", "file"), ("curve", "stdout"), ("inspect", "file")),
        *(("selective", "stdout"), ("roc", "file")),
    ],
)
def test_the_notes_of_csv_are_lines_on_stderr(command: str, written: str, tmp_path: Path) -> None:
    file, target = tmp_path / "runs.csv", tmp_path / "out.csv"
    file.write_text("id,passed,confidence\x1b\na,1,0.9\nb,0,0.4\nb,,0.3\nc,1,0.2\nc,0,0.1\n")
    ask = [command, str(file), "--map", "confidence=confidence\x1b"]
    result = run(*ask, "--format", "csv", *(["-o", str(target)] if written == "file" else []))
    assert result.exit_code == 0, result.output
    text = target.read_text() if written == "file" else result.stdout
    assert result.stdout == ("" if written == "file" else text)
    heads, *rows = csv.reader(io.StringIO(text))
    assert rows
    assert {len(row) for row in rows} == {len(heads)}
    found = json.loads(shown(*ask, "--format", "json"))
    notes = [*found["guesses"], *found["notes"]]
    assert result.stderr.splitlines() == [note.replace("\x1b", r"\x1b") for note in notes]
    assert "question = id" in result.stderr
    assert r"\x1b" in result.stderr


def test_a_table_holds_the_same_numbers_as_the_records(runs: str) -> None:
    *_, table, _ = shown("score", runs, "-m", "avg").split("\n\n")
    head, _, first, *_ = table.splitlines()
    row = records("score", runs, "-m", "avg")[0]
    assert f"{row['metric']} [95% CI]" in head
    assert first.split()[0] == row["system"]
    assert float(first.split()[1]) == pytest.approx(row["value"], abs=0.005)


# Files that are written.


@pytest.mark.parametrize("style", ["table", "csv"])  # notes are in the one, not in the other
def test_a_file_gets_what_would_be_printed(style: str, runs: str, tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    assert shown("score", runs, "--format", style, "-o", str(target)) == ""
    assert target.read_bytes().decode() == shown("score", runs, "--format", style)


@pytest.mark.parametrize(
    ("ending", "style"),
    [("txt", "table"), ("JSON", "json"), ("csv", "csv"), ("md", "markdown"), ("tex", "latex")],
)
def test_the_ending_of_a_file_chooses_the_format(
    ending: str, style: str, runs: str, tmp_path: Path
) -> None:
    target = tmp_path / f"scores.{ending}"
    assert run("score", runs, "-o", str(target)).stdout == ""
    assert target.read_bytes().decode() == shown("score", runs, "--format", style)


@pytest.mark.parametrize(
    ("ask", "instead"),
    [
        ("score no-log.csv -o scores.html", "errbar report writes a page"),
        ("score no-log.csv -o scores.csv.gz", ".txt, .json, .csv, .md or .tex"),
        ("score no-log.csv -o scores.json --format csv", "--format json"),
        ("prefer no-log.csv -o games.html", "--report writes a page"),
        ("audit-board no-log.csv -o board.html", "--page writes a page"),
        ("audit-board no-log.csv --page board.json", ".html or .htm"),
        ("report no-log.csv -o report.pdf", ".html or .htm"),
        ("gate a.csv b.csv --max-drop 0.1 --junit tests.json", ".xml"),
    ],
)
def test_a_file_is_never_written_in_a_format_other_than_its_ending_says(
    ask: str, instead: str
) -> None:
    assert instead in refusal(*ask.split())


def test_an_existing_file_is_replaced_whole(runs: str, tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    target.write_text("before " * 10_000)
    said = refusal("score", runs, "-o", str(target))
    assert said == f"Error: {target} exists already; write to another file, or pass --force."
    assert target.read_text() == "before " * 10_000
    shown("score", runs, "-o", str(target), "--force")
    assert "before" not in target.read_text()
    assert sorted(os.listdir(tmp_path)) == ["out.txt", "runs.csv"]


def test_an_existing_file_without_content_is_replaced(runs: str, tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    target.touch()
    shown("score", runs, "-o", str(target))
    assert "small" in target.read_text()


GATE = "gate IN --baseline-system a --system b --max-drop 0.1 -o OUT"


@pytest.mark.parametrize(
    ("given", "ask"),
    [
        *((given, "score IN -o OUT") for given in (".", "in.json", "*.json", "link")),
        *((given, "convert IN OUT") for given in (".", "link")),
        (".", "curve IN --plot OUT"),
        ("link", "plan IN -o OUT"),
        ("in.json", "monitor IN --above 0.5 -o OUT"),
        ("*.json", GATE),
    ],
)
def test_what_is_read_is_never_written(ask: str, given: str, tmp_path: Path) -> None:
    place = tmp_path / "logs"
    place.mkdir()
    file = place / "in.json"
    rows = [{"system": s, "question": q, "outcome": 1} for s in "ab" for q in range(3)]
    file.write_text(json.dumps(rows))
    (tmp_path / "link").symlink_to(file)
    read = tmp_path / "link" if given == "link" else place / given
    words = {"IN": str(read), "OUT": str(file)}
    said = refusal(*(words.get(word, word) for word in ask.split()), "--force")
    assert said == f"Error: {file} is one of the files to read; write to another file."
    assert json.loads(file.read_text()) == rows


def test_a_file_in_the_working_directory_is_written(
    runs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shown("score", runs, "-o", "out.txt")
    assert (tmp_path / "out.txt").read_text() == shown("score", runs)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_a_written_file_has_the_permissions_of_any_other(runs: str, tmp_path: Path) -> None:
    (tmp_path / "other").touch()
    for command in (["score", runs, "-o", "out.txt"], ["convert", runs, "out.csv"]):
        target = tmp_path / command[-1]
        shown(*command[:-1], str(target))
        assert stat.S_IMODE(target.stat().st_mode) == stat.S_IMODE(
            (tmp_path / "other").stat().st_mode
        )


def test_a_place_that_cannot_be_written_is_refused(runs: str, tmp_path: Path) -> None:
    assert "none/out.txt" in refusal("score", runs, "-o", str(tmp_path / "none" / "out.txt"))
    assert "directory" in refusal("score", runs, "-o", str(tmp_path))
    assert "runs.csv" in refusal("score", runs, "-o", str(tmp_path / "runs.csv" / "out.txt"))
    assert sorted(os.listdir(tmp_path)) == ["runs.csv"]


def test_nothing_is_written_when_the_work_fails(runs: str, tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    target.write_text("old")
    refusal("score", runs, "-m", "pass@9", "-o", str(target), "--force")
    assert target.read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["out.txt", "runs.csv"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_interrupted_write_leaves_the_old_file_and_none_beside(
    error: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "out.txt"
    target.write_text("old")

    def interrupted(*_: Any) -> None:
        raise error

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(error):
        save("new", str(target))
    assert os.listdir(tmp_path) == ["out.txt"]
    assert target.read_text() == "old"


def test_a_full_disk_is_refused_in_one_sentence(
    runs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    said = refusal("score", runs, "-o", str(tmp_path / "out.txt"))
    assert "out.txt" in said
    assert "No space left" in said
    assert os.listdir(tmp_path) == ["runs.csv"]


# Conversions.


@pytest.mark.parametrize("ending", ["parquet", "csv", "tsv", "jsonl"])
def test_a_conversion_scores_the_same(ending: str, runs: str, tmp_path: Path) -> None:
    target = tmp_path / f"out.{ending}"
    assert "8 rows" in shown("convert", runs, str(target))
    assert "guessed" not in shown("score", str(target))
    by = ("--by", "level", "-m", "avg")
    assert records("score", str(target), *by) == records("score", runs, *by)


def test_a_conversion_says_what_the_reader_left_out(tmp_path: Path) -> None:
    result = run("convert", LOGS, str(tmp_path / "out.csv"))
    assert (result.exit_code, result.stdout.count("\n")) == (0, 1), result.output
    with on_command_line():
        notes = errbar.load(LOGS).source.origin.notes()
    assert result.stderr.splitlines() == notes != []


def test_a_conversion_has_our_names_and_keeps_the_other_columns(runs: str, tmp_path: Path) -> None:
    shown("convert", runs, str(tmp_path / "out.parquet"))
    table = pl.read_parquet(tmp_path / "out.parquet")
    assert set(table.columns) == {"system", "question", "trial", "outcome", "status", "level"}
    assert table["outcome"].null_count() == 1
    assert table["question"].to_list() == list("aabb") * 2


def test_a_conversion_where_our_name_is_taken_keeps_both_or_says_so(tmp_path: Path) -> None:
    file = tmp_path / "runs.csv"
    file.write_text("task_id,question,outcome\na,What is it?,1\nb,Why?,0\n")
    ask = ("convert", str(file), str(tmp_path / "out.csv"), "--map", "question=task_id")
    result = run(*ask)
    if result.exit_code:
        assert "question" in refusal(*ask)
    else:
        back = pl.read_csv(tmp_path / "out.csv")
        assert back["question"].to_list() == ["a", "b"]
        assert any("What is it?" in back[name].to_list() for name in back.columns)


def test_a_confidence_that_is_no_number_is_not_lost_in_a_conversion(tmp_path: Path) -> None:
    file = tmp_path / "runs.csv"
    file.write_text("question,outcome,confidence\na,1,high\nb,0,0.5\n")
    ask = ("convert", str(file), str(tmp_path / "out.csv"))
    result = run(*ask)
    if result.exit_code:
        assert "high" in refusal(*ask)
    else:
        assert "high" in (tmp_path / "out.csv").read_text()


def test_a_conversion_that_fails_leaves_what_was_there(runs: str, tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    target.write_text("old")
    Path(runs).write_text(TABLE + "large,c,1,abc,ok,hard\n")
    assert "'abc'" in refusal("convert", runs, str(target), "--force")
    Path(runs).write_text(TABLE + "large,c\n")
    refusal("convert", runs, str(target), "--force")
    assert target.read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["out.csv", "runs.csv"]
    Path(runs).write_text(TABLE)
    assert "out.txt" in refusal("convert", runs, str(tmp_path / "out.txt"))


def test_counts_are_converted_too_and_never_in_part(tmp_path: Path) -> None:
    file, target = tmp_path / "counts.csv", str(tmp_path / "out.parquet")
    file.write_text("id,trials,correct\na,4,2\nb,4,1\n")
    assert "2 rows" in shown("convert", str(file), target)
    assert pl.read_parquet(target).columns == ["question", "trials", "correct"]
    assert records("score", target) == records("score", str(file))
    file.write_text("id,trials,correct\na,4,two\nb,4,1\n")
    assert "question 'a'" in refusal("convert", str(file), str(tmp_path / "none.csv"))
    assert not (tmp_path / "none.csv").exists()


@pytest.mark.parametrize("ending", ["xlsx", "arrow", "npy", "txt", "csv.xz", "parquet.gz"])
def test_a_conversion_to_a_kind_that_is_not_written_is_refused(
    ending: str, runs: str, tmp_path: Path
) -> None:
    target = tmp_path / f"out.{ending}"
    said = refusal("convert", runs, str(target))
    assert said == f"Error: {target}: write to a file that ends in .parquet, .csv or .jsonl."
    assert not target.exists()


@pytest.mark.parametrize("ending", ["tsv", "ndjson", "json", "csv.gz", "tsv.gz", "jsonl.zst"])
def test_a_conversion_to_another_ending_scores_the_same(
    ending: str, runs: str, tmp_path: Path
) -> None:
    target = str(tmp_path / f"out.{ending}")
    shown("convert", runs, target)
    assert records("score", target) == records("score", runs)


ENDINGS = ("parquet", "csv", "jsonl")


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_conversion_to_a_place_that_cannot_be_written_is_refused(
    ending: str, runs: str, tmp_path: Path
) -> None:
    nowhere = tmp_path / "none" / f"out.{ending}"
    said = refusal("convert", runs, str(nowhere))
    assert said == f"Error: {nowhere} cannot be written: there is no directory {nowhere.parent}."
    within = str(tmp_path / "runs.csv" / f"out.{ending}")
    assert within in refusal("convert", runs, within)
    directory = tmp_path / f"directory.{ending}"
    directory.mkdir()
    assert "is a directory; name a file" in refusal("convert", runs, str(directory))
    assert sorted(os.listdir(tmp_path)) == [directory.name, "runs.csv"]
    assert os.listdir(directory) == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such pipes")
@pytest.mark.parametrize("command", ["score", "convert"])
def test_what_is_no_file_is_never_replaced_by_one(command: str, runs: str, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    ask = ("score", runs, "-o") if command == "score" else ("convert", runs)
    assert "not a regular file" in refusal(*ask, str(pipe))
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(
    os.name == "nt" or os.geteuid() == 0, reason="this user may write to everything"
)
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_target_that_is_read_only_is_left_alone(ending: str, runs: str, tmp_path: Path) -> None:
    target = tmp_path / f"out.{ending}"
    target.write_text("old")
    target.chmod(0o444)
    assert "read-only" in refusal("convert", runs, str(target), "--force")
    assert target.read_text() == "old"
    shut = tmp_path / "shut"
    shut.mkdir(mode=0o555)
    assert "Permission denied" in refusal("convert", runs, str(shut / target.name))


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="only Linux has such a directory")
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_directory_in_which_no_file_can_be_made_is_refused(ending: str, runs: str) -> None:
    said = refusal("convert", runs, f"/proc/self/out.{ending}")
    assert said.startswith(f"Error: /proc/self/out.{ending} cannot be written: ")


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_conversion_onto_itself_is_whole(ending: str, runs: str, tmp_path: Path) -> None:
    before = records("score", runs)
    file = tmp_path / f"own.{ending}"
    table = pl.read_csv(runs)
    kind = {"parquet": "parquet", "csv": "csv", "jsonl": "ndjson"}[ending]
    getattr(table, f"write_{kind}")(file)
    for _ in range(2):
        assert write_outcomes(errbar.load(file), file, str(file)) == 8
    assert records("score", str(file)) == before
    assert "guessed" not in shown("score", str(file))
    assert sorted(os.listdir(tmp_path)) == [file.name, "runs.csv"]


def test_a_conversion_into_the_directory_that_is_read_is_whole(runs: str, tmp_path: Path) -> None:
    assert "8 rows" in shown("convert", str(tmp_path), str(tmp_path / "all.csv"))
    assert len(pl.read_csv(tmp_path / "all.csv")) == 8
    assert Path(runs).read_text() == TABLE


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
@pytest.mark.parametrize("ask", [("score", "-o"), ("convert",)])
def test_a_link_stays_and_what_it_points_to_is_replaced(
    ask: tuple[str, ...], runs: str, tmp_path: Path
) -> None:
    (tmp_path / "real.csv").write_text("old")
    link = tmp_path / "link.csv"
    link.symlink_to(tmp_path / "real.csv")
    assert run(ask[0], runs, *ask[1:], str(link), "--force").exit_code == 0
    assert link.is_symlink()
    assert "small" in (tmp_path / "real.csv").read_text()


# Processes.


def test_a_score_loads_no_library_that_it_does_not_need(runs: str) -> None:
    script = (
        "import sys\n"
        "from errbar.cli import main\n"
        f"main(['score', {runs!r}], standalone_mode=False)\n"
        "heavy = 'pandas', 'polars', 'pyarrow', 'sklearn', 'rich', 'pyspark', 'scipy.stats'\n"
        "print([name for name in heavy if name in sys.modules], file=sys.stderr)\n"
    )
    environment = {**os.environ, "PYTHONPATH": HOME}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, check=False, text=True, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.strip() == "[]"


def test_a_process_prints_to_stdout_and_complains_to_stderr(runs: str) -> None:
    def process(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "errbar", *arguments],
            env={**os.environ, "PYTHONPATH": HOME, "PYTHONIOENCODING": "utf-8"},
            check=False,
            text=True,
            encoding="utf-8",
            capture_output=True,
        )

    fine = process("score", runs, "--format", "json")
    assert (fine.returncode, fine.stderr) == (0, "")
    assert json.loads(fine.stdout)["rows"]
    wrong = process("score", f"{runs}.none")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("Error: ")
    assert wrong.stderr.count("\n") == 1
