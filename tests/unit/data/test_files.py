"""Files of outcomes: bad ones are refused in one sentence, odd ones are read right."""

import bz2
import gzip
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import errbar
from errbar.cli import main
from errbar.data.engines import flat_files as relations
from errbar.data.readers import documents, file_content, finding
from errbar.data.readers.file_formats import kind_of
from errbar.data.readers.finding import ResolvedFolders, find_files

HEAD = "question,trial,outcome\n"
ROWS = [
    (f"q{question}", trial, (question + trial) % 2) for question in range(5) for trial in range(4)
]
BODY = "".join(f"{question},{trial},{outcome}\n" for question, trial, outcome in ROWS)
LINES = "".join(
    json.dumps({"question": question, "trial": trial, "outcome": outcome}) + "\n"
    for question, trial, outcome in ROWS
)
MANY = "".join(f"m{at},0,1\n" for at in range(30_000))  # more than a reader looks at beforehand
MANY_LINES = "".join(f'{{"question": "m{at}", "trial": 0, "outcome": 1}}\n' for at in range(30_000))
TEN_MB = "x" * 10_000_000

ENGINE_WORDS = (
    "Exception",
    "ignore_errors",
    "auto_detect",
    "auto-detect",
    "strict_mode",
    "read_csv",
)


def write(file: Path, content: str | bytes) -> Path:
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


def parquet(file: Path) -> Path:
    columns = {name: [row[at] for row in ROWS] for at, name in enumerate(("question", "trial"))}
    pq.write_table(pa.table({**columns, "outcome": [row[2] for row in ROWS]}), file)
    return file


def refusal(*arguments: str) -> str:
    """What the command says, in one sentence on stderr, when it exits with 2."""
    result = CliRunner().invoke(main, list(arguments))
    assert isinstance(result.exception, SystemExit), repr(result.exception)[:500]
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("Error: ")
    said = result.stderr.removeprefix("Error: ").strip()
    assert "Error" not in said  # the engine's own headings
    assert not any(word in said for word in ENGINE_WORDS)
    assert len(said) < 1_000
    assert said.isprintable()
    return said


def refused(file: Path, *arguments: str) -> str:
    """The error for a file, which must name it."""
    said = refusal("score", str(file), *arguments)
    assert str(file) in said
    return said


def summary(path: Path | str, **columns: Any) -> tuple[int, int, int]:
    """Questions, rows and failed ones of the only system."""
    (row,) = errbar.load(path, **columns).inspect().to_dicts()
    return row["questions"], row["rows"], row["failed"]


WHOLE = (5, 20, 0)


# Broken rows.


@pytest.mark.parametrize(("body", "line"), [(BODY, 22), (MANY, 30_002)], ids=["early", "late"])
@pytest.mark.parametrize("row", ["z,0,1,extra", "z,0"])
def test_a_row_of_another_length_is_refused_with_its_line(
    row: str, body: str, line: int, tmp_path: Path
) -> None:
    said = refused(write(tmp_path / "runs.csv", f"{HEAD}{body}{row}\nlast,0,1\n"))
    assert f"line {line}" in said.lower().replace("line: ", "line ")


@pytest.mark.parametrize(("body", "line"), [(BODY, 22), (MANY, 30_002)], ids=["early", "late"])
@pytest.mark.parametrize("row", ['"z,0,1', 'z,0,"1'])
def test_an_unclosed_quote_is_refused_with_its_line(
    row: str, body: str, line: int, tmp_path: Path
) -> None:
    more = body.replace("q", "r").replace("m", "n")
    said = refused(write(tmp_path / "runs.csv", f"{HEAD}{body}{row}\n{more}"))
    assert f"line {line}" in said.lower().replace("line: ", "line ")


@pytest.mark.parametrize(
    ("body", "line"), [(LINES, 21), (MANY_LINES, 30_001)], ids=["early", "late"]
)
@pytest.mark.parametrize("row", ['{"question": "z", "outc', "[1, 2]", "3", "nonsense", '{"a": 1}}'])
def test_a_broken_line_of_json_is_refused_with_its_line(
    row: str, body: str, line: int, tmp_path: Path
) -> None:
    said = refused(write(tmp_path / "runs.jsonl", f"{body}{row}\n{LINES}"))
    assert f"line {line}:" in said


@pytest.mark.parametrize("name", ["runs.jsonl", "runs.jsonl.gz"])
def test_a_line_of_json_that_is_cut_short_is_numbered_as_an_editor_does(
    name: str, tmp_path: Path
) -> None:
    whole, cut = '{"question": "a", "outcome": 1}', '{"question": "b", "outc'
    for lines in ([cut], [whole, cut], [whole] * 4 + [cut], ["", whole, "", "", cut]):
        text = "\n".join(lines).encode()
        file = write(tmp_path / name, gzip.compress(text) if name.endswith(".gz") else text)
        said = refused(file)
        assert (
            f"line {len(lines)}: this is not valid JSON" in said or f"at line {len(lines)}," in said
        )


def test_a_line_that_is_no_object_is_numbered_in_files_too_large_to_be_looked_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relations, "_WHOLLY_SNIFFED", 1)
    said = refused(write(tmp_path / "runs.jsonl", f"\n{MANY_LINES}[1, 2]\n"))
    assert "line 30002:" in said


@pytest.mark.parametrize("body", [BODY, MANY], ids=["early", "late"])
@pytest.mark.parametrize("text", ["abc", "1.2.3", "0x1"])
def test_text_among_outcomes_is_refused_and_shown(text: str, body: str, tmp_path: Path) -> None:
    said = refused(write(tmp_path / "runs.csv", f"{HEAD}{body}z,0,{text}\n"))
    assert repr(text) in said
    assert "'outcome'" in said


def test_text_among_outcomes_of_json_lines_is_refused_and_shown(tmp_path: Path) -> None:
    for text in ('"abc"', '{"a": 1}', "[1]"):
        file = write(tmp_path / "runs.jsonl", f'{LINES}{{"question": "z", "outcome": {text}}}\n')
        assert "'outcome'" in refused(file)


# Files that are not what they seem.


@pytest.mark.parametrize("body", [BODY, MANY], ids=["early", "late"])
def test_damaged_utf_8_is_refused_with_its_line(body: str, tmp_path: Path) -> None:
    content = f"{HEAD}qö,0,1\n{body}".encode() + "qué,0,1\n".encode("latin-1")
    said = refused(write(tmp_path / "runs.csv", content))
    assert "utf-8" in said.lower()
    assert str(body.count("\n") + 3) in said


@pytest.mark.parametrize(("name", "text"), [("runs.csv", HEAD + BODY), ("runs.jsonl", LINES)])
def test_utf_16_without_its_mark_is_refused(name: str, text: str, tmp_path: Path) -> None:
    assert "utf" in refused(write(tmp_path / name, text.encode("utf-16-le"))).lower()


@pytest.mark.parametrize("name", ["runs.csv", "runs.jsonl", "runs.parquet", "runs.csv.gz"])
def test_an_empty_file_is_refused(name: str, tmp_path: Path) -> None:
    assert "empty" in refused(write(tmp_path / name, b""))


@pytest.mark.parametrize("content", ["\n\n\n", " \n", "\ufeff"])
@pytest.mark.parametrize("name", ["runs.csv", "runs.jsonl"])
def test_a_blank_file_is_refused(name: str, content: str, tmp_path: Path) -> None:
    refused(write(tmp_path / name, content))


@pytest.mark.parametrize("content", [HEAD, HEAD.strip(), HEAD.replace("\n", "\r\n")])
def test_a_header_alone_is_refused(content: str, tmp_path: Path) -> None:
    assert "no row" in refused(write(tmp_path / "runs.csv", content))


@pytest.mark.parametrize(
    "name", ["runs.csv", "runs.tsv", "runs.jsonl", "runs.json", "runs.parquet"]
)
@pytest.mark.parametrize(
    "content", [bytes(range(256)) * 40, b"\0" * 4000, b"\x89PNG\r\n\x1a\n" * 9]
)
def test_a_binary_file_is_refused(name: str, content: bytes, tmp_path: Path) -> None:
    refused(write(tmp_path / name, content))


@pytest.mark.parametrize("cut", [-4, 200])
def test_a_truncated_parquet_file_is_refused(cut: int, tmp_path: Path) -> None:
    whole = parquet(tmp_path / "whole.parquet").read_bytes()
    refused(write(tmp_path / "runs.parquet", whole[:cut]))


def test_a_damaged_page_of_a_parquet_file_is_refused(tmp_path: Path) -> None:
    columns = {"question": [f"question {at}" for at in range(2000)], "outcome": [1, 0] * 1000}
    pq.write_table(pa.table(columns), tmp_path / "runs.parquet")
    whole = (tmp_path / "runs.parquet").read_bytes()
    refused(write(tmp_path / "runs.parquet", whole[:20] + b"\xff" * 60 + whole[80:]))


@pytest.mark.parametrize("name", ["runs.parquet", "runs.csv.gz", "runs.csv.zst", "runs.jsonl.gz"])
def test_plain_text_under_another_name_is_refused(name: str, tmp_path: Path) -> None:
    refused(write(tmp_path / name, HEAD + BODY))


@pytest.mark.parametrize("cut", [5, -40, -4])
def test_a_truncated_compressed_file_is_refused(cut: int, tmp_path: Path) -> None:
    whole = gzip.compress((HEAD + BODY * 50).encode())
    refused(write(tmp_path / "runs.csv.gz", whole[:cut]), "--repeats", "keep")


def test_bzip2_is_read_or_refused_as_what_it_is(tmp_path: Path) -> None:
    file = write(tmp_path / "runs.csv.bz2", bz2.compress((HEAD + BODY).encode()))
    said = refused(file)
    assert "line" not in said.lower().replace(".jsonl", "").replace("json lines", "")


def test_json_without_an_object_is_refused(tmp_path: Path) -> None:
    for text in ("1\n2\n", "{}\n{}\n", "null\n"):
        refused(write(tmp_path / "runs.jsonl", text))


# Places.


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    for name in ("none.csv", "none", "no/where.parquet", "none.npy"):
        assert "no such file" in refused(tmp_path / name)


def test_a_directory_without_logs_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "notes.txt", "nothing")
    assert ".csv" in refused(tmp_path)


def test_a_pattern_without_match_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "runs.csv", HEAD + BODY)
    assert "pattern" in refused(tmp_path / "*.jsonl")
    assert "pattern" in refused(tmp_path / "runs[0-9].csv")


@pytest.mark.parametrize("name", ["runs", "runs.txt", "csv", ".csv.old"])
def test_a_file_without_a_known_ending_is_refused_with_those_that_are(
    name: str, tmp_path: Path
) -> None:
    said = refused(write(tmp_path / name, HEAD + BODY))
    assert all(ending in said for ending in (".csv", ".jsonl", ".parquet"))


def test_files_of_two_kinds_are_read_together(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", HEAD + BODY)
    write(tmp_path / "b.jsonl", LINES)
    for place in (tmp_path, tmp_path / "*"):
        scores = errbar.load(place).score("avg")
        assert [score.system for score in scores] == ["a", "b"]
        assert [score.trials for score in scores] == [BODY.count("\n"), LINES.count("\n")]


def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path / "runs.csv", HEAD + BODY)
    file.chmod(0)
    if os.access(file, os.R_OK):
        pytest.skip("this user may read everything")
    refused(file)


def test_a_file_among_many_that_lacks_a_column_is_named(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", HEAD + BODY)
    write(tmp_path / "b.csv", "other,thing\nx,1\n")
    assert "b.csv" in refusal("score", str(tmp_path / "a.csv"), str(tmp_path / "b.csv"))
    scores = errbar.load(tmp_path).score("avg")
    assert [(score.system, score.trials) for score in scores] == [("", BODY.count("\n"))]
    assert "⚠ Not read: b.csv" in str(scores).splitlines()[0]


def test_the_broken_one_of_many_files_is_named(tmp_path: Path) -> None:
    for name in "abd":
        write(tmp_path / f"{name}.csv", HEAD + BODY.replace("q", name))
    write(tmp_path / "c.csv", HEAD + BODY.replace("q", "c") + "z,0\n")
    assert "c.csv" in refusal("score", str(tmp_path))
    write(tmp_path / "c.csv", "")
    shown = CliRunner().invoke(main, ["score", str(tmp_path)])
    assert "Not read: c.csv (it is empty)" in " ".join(shown.output.split())


# Columns.


def test_an_unknown_column_is_refused_with_the_nearest(tmp_path: Path) -> None:
    file = write(tmp_path / "runs.csv", HEAD + BODY)
    assert "Did you mean 'question'?" in refusal("score", str(file), "--map", "question=questoin")
    assert "Did you mean 'question'?" in refusal("score", str(file), "--map", "questoin=question")


def test_a_file_without_question_or_outcome_is_named(tmp_path: Path) -> None:
    said = refused(write(tmp_path / "runs.csv", "text,number\na,1\n"))
    assert "question or outcome" in said


@pytest.mark.parametrize("head", ["question,outcome,outcome", "question,question,outcome"])
def test_a_name_that_heads_two_columns_is_refused(head: str, tmp_path: Path) -> None:
    said = refused(write(tmp_path / "runs.csv", f"{head}\na,1,0\nb,0,1\n"))
    assert "twice" in said or "two columns" in said


def test_columns_that_do_not_count_and_share_a_name_are_named(tmp_path: Path) -> None:
    file = write(tmp_path / "runs.csv", "question,outcome,x,x\na,1,0,1\nb,0,1,1\n")
    assert "'x'" in refused(file)


SQL = '"; drop table x; --'


@pytest.mark.parametrize("name", [SQL, "it's", 'a"b', "select %", "ünï🦆", "x\ny"])
def test_columns_of_any_name_are_read(name: str, tmp_path: Path) -> None:
    question, trial, outcome, system, by = (f"{name}{at}" for at in range(5))
    told: Any = {"question": question, "trial": trial, "outcome": outcome, "system": system}
    table = pl.DataFrame(
        {
            question: ["a", "a", "b"],
            trial: [0, 1, 0],
            outcome: [1, 0, 1],
            system: ["s"] * 3,
            by: ["x"] * 3,
        }
    )
    table.write_csv(tmp_path / "runs.csv")
    table.write_ndjson(tmp_path / "runs.jsonl")
    table.write_parquet(tmp_path / "runs.parquet")
    for ending in ("csv", "jsonl", "parquet"):
        scores = errbar.load(tmp_path / f"runs.{ending}", **told).score("avg", by=[by])
        assert [(str(score.of), score.value) for score in scores] == [("s · x", 0.75)]
        assert scores[0].slice == ((by, "x"),)


def test_columns_named_like_those_of_the_reader_do_not_matter(tmp_path: Path) -> None:
    head = "question,outcome,errbar strange outcome,errbar trial number,filename,trial\n"
    assert summary(write(tmp_path / "runs.csv", f"{head}a,1,x,y,z,0\na,0,x,y,z,1\n")) == (1, 2, 0)


# Ids.

IDS = [
    *("007", "7", "7.0", "1e3", "0x10", "it's", 'say "hi"', "two\nlines", "🦆", "#hash", "a,b"),
    *(" padded ", "null", "NaN", "None", "true", "12345678901234567890123", "-", "\\", "\\n", "%s"),
    *("'; drop table x; --", "/* c */ -- d", "é", "e\u0301", "a;b", "a\tb", "'quoted'", "1_000"),
]


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_ids_of_any_letters_stay_apart_and_as_they_are(ending: str, tmp_path: Path) -> None:
    file = tmp_path / f"runs.{ending}"
    table = pl.DataFrame({"question": IDS, "outcome": [1] * len(IDS)})
    if "sv" in ending:
        text = table.write_csv(separator="\t" if ending == "tsv" else ",").encode()
        file.write_bytes(text)
    elif ending == "jsonl":
        table.write_ndjson(file)
    else:
        table.write_parquet(file)
    assert summary(file) == (len(IDS), len(IDS), 0)
    for target in ("out.parquet", "out.csv", "out.jsonl"):
        done = CliRunner().invoke(main, ["convert", str(file), str(tmp_path / target)])
        assert done.exit_code == 0, done.output
    back = pl.read_parquet(tmp_path / "out.parquet")["question"]
    assert sorted(back.to_list()) == sorted(IDS)
    lines = (tmp_path / "out.jsonl").read_text("utf-8").splitlines()
    assert sorted(json.loads(line)["question"] for line in lines) == sorted(IDS)
    back = pl.read_csv(tmp_path / "out.csv", infer_schema=False)["question"]
    assert sorted(back.to_list()) == sorted(IDS)


@pytest.mark.parametrize("question", ["007", "it's", 'say "hi"', "two\nlines", "🦆", "#hash"])
def test_an_id_is_shown_as_it_is_written(question: str, tmp_path: Path) -> None:
    table = pl.DataFrame({"question": [question] * 2, "trial": ["00"] * 2, "outcome": [1, 0]})
    table.write_csv(tmp_path / "runs.csv")
    said = refusal("score", str(tmp_path / "runs.csv"))
    assert f"question {question!r}, trial '00' occurs 2 times" in said


def test_rows_that_begin_with_a_hash_are_not_taken_for_comments(tmp_path: Path) -> None:
    body = "".join(f"#{at},0,1\n" if at % 2 else f"{at},0,1\n" for at in range(100))
    assert summary(write(tmp_path / "runs.csv", HEAD + body)) == (100, 100, 0)


def test_a_comment_above_the_names_of_columns_is_skipped(tmp_path: Path) -> None:
    plain = summary(write(tmp_path / "runs.csv", HEAD + BODY))
    assert summary(write(tmp_path / "runs.csv", "# made on Monday\n" + HEAD + BODY)) == plain


def test_a_row_without_a_question_is_refused(tmp_path: Path) -> None:
    refused(write(tmp_path / "runs.csv", f"{HEAD}{BODY},0,1\n"))
    refused(write(tmp_path / "runs.jsonl", f'{LINES}{{"outcome": 1}}\n{{"question": null}}\n'))


def test_a_row_without_a_system_does_not_vanish(tmp_path: Path) -> None:
    file = write(tmp_path / "runs.csv", "system,question,outcome\n,a,1\nm,a,0\n")
    assert sum(row["rows"] for row in errbar.load(file).inspect().to_dicts()) == 2


# Large fields.


def test_a_field_of_ten_megabytes_is_read(tmp_path: Path) -> None:
    file = write(tmp_path / "runs.csv", f'question,text,outcome\na,"{TEN_MB}",1\nb,t,0\n')
    assert summary(file) == (2, 2, 0)
    line = json.dumps({"question": "a", "text": TEN_MB, "outcome": 1})
    file = write(tmp_path / "runs.jsonl", f'{line}\n{{"question": "b", "outcome": 0}}\n')
    assert summary(file) == (2, 2, 0)


def test_an_outcome_of_ten_megabytes_is_refused_in_a_short_sentence(tmp_path: Path) -> None:
    assert "xxx" in refused(write(tmp_path / "runs.csv", f"{HEAD}{BODY}z,0,{TEN_MB}\n"))


def test_a_question_of_ten_megabytes_is_refused_in_a_short_sentence(tmp_path: Path) -> None:
    file = write(tmp_path / "runs.csv", f"{HEAD}{TEN_MB},0,1\n{TEN_MB},0,1\n")
    assert "xxx" in refusal("score", str(file))


def test_a_header_of_many_columns_is_refused_in_a_short_sentence(tmp_path: Path) -> None:
    head = ",".join(f"column {at}" for at in range(2000))
    refused(write(tmp_path / "runs.csv", f"{head}\n{','.join('1' * 2000)}\n"))


# Odd but fine.


@pytest.mark.parametrize(
    "content",
    [
        HEAD + BODY,
        (HEAD + BODY).rstrip(),
        (HEAD + BODY).replace("\n", "\r\n"),
        (HEAD + BODY).replace("\n", "\r"),
        "\ufeff" + HEAD + BODY,
        (HEAD + BODY).replace(",", ";"),
        (HEAD + BODY).replace(",", "\t"),
        (HEAD + BODY).replace(",", "|"),
        '"question","trial","outcome"\n' + BODY,
        HEAD + BODY + "\n\n",
        HEAD + "\n" + BODY,
        "note,question,trial,outcome\n" + "".join(f'"a, ""b"";\n",{row}\n' for row in BODY.split()),
        "question,trial,outcome,note\n" + "".join(f"{row},\n" for row in BODY.split()),
    ],
    ids=lambda text: repr(text[:40]),
)
def test_a_csv_of_any_dialect_is_read(content: str, tmp_path: Path) -> None:
    assert summary(write(tmp_path / "runs.csv", content)) == WHOLE


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_a_compressed_csv_is_read(mark: str, tmp_path: Path) -> None:
    content = gzip.compress((HEAD + BODY).replace(",", mark).encode())
    assert summary(write(tmp_path / "runs.CSV.GZ", content)) == WHOLE


def test_a_file_of_one_row_is_read(tmp_path: Path) -> None:
    assert summary(write(tmp_path / "a.csv", "question,outcome\na,1")) == (1, 1, 0)
    assert summary(write(tmp_path / "a.jsonl", '{"question": "a", "outcome": 1}')) == (1, 1, 0)


@pytest.mark.parametrize(
    "content", [LINES, LINES.rstrip(), LINES.replace("\n", "\r\n"), "\n" + LINES + "\n\n"]
)
def test_json_lines_of_any_dialect_are_read(content: str, tmp_path: Path) -> None:
    for ending in ("jsonl", "ndjson", "json"):
        assert summary(write(tmp_path / f"runs.{ending}", content)) == WHOLE


def test_json_lines_with_a_byte_order_mark_are_read_or_refused(tmp_path: Path) -> None:
    file = write(tmp_path / "runs.jsonl", "\ufeff" + LINES)
    result = CliRunner().invoke(main, ["score", str(file)])
    if result.exit_code == 0:
        assert summary(file) == WHOLE
    else:
        refused(file)


def test_words_for_right_wrong_and_nothing_are_read(tmp_path: Path) -> None:
    words = ["1", "true", "TRUE", "True", " yes ", "1.0", "1e0", "0", "false", "no", "0.0"]
    nothing = ["", "null", "None", "nan", "NA", "n/a"]
    body = "".join(f"q,{at},{word}\n" for at, word in enumerate([*words, *nothing]))
    scores = errbar.load(write(tmp_path / "runs.csv", HEAD + body)).score("avg", errors="missing")
    assert [(score.value, score.trials) for score in scores] == [(7 / 11, 11)]


def test_json_outcomes_may_be_numbers_booleans_and_null(tmp_path: Path) -> None:
    values = ["1", "true", "1.0", '"1"', "0", "false", "null"]
    body = "".join(f'{{"question": "q", "outcome": {value}}}\n' for value in values)
    scores = errbar.load(write(tmp_path / "runs.jsonl", body)).score("avg")
    assert [(score.value, score.trials) for score in scores] == [(4 / 7, 7)]


def test_a_key_that_comes_late_in_json_lines_is_not_lost(tmp_path: Path) -> None:
    late = '{"question": "z", "trial": 0, "outcome": 0, "status": "error"}\n'
    scores = errbar.load(write(tmp_path / "runs.jsonl", MANY_LINES + late)).score("avg")
    assert "1 of 30,001 rows has no result (error 1): counted as wrong." in scores.remarks


def test_json_lines_with_many_other_keys_are_read(tmp_path: Path) -> None:
    body = "".join(
        json.dumps({"question": f"q{at}", "outcome": 1, **{f"k{at} {i}": 1 for i in range(3)}})
        + "\n"
        for at in range(300)
    )
    assert summary(write(tmp_path / "runs.jsonl", body)) == (300, 300, 0)


def test_files_with_their_columns_in_another_order_are_read_by_name(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", "question,trial,outcome\na,0,1\na,1,1\n")
    write(tmp_path / "b.csv", "outcome,question,trial,note\n0,b,0,x\n0,b,1,y\n")
    scores = errbar.load(tmp_path).score("avg")
    each = [(score.system, score.value, score.questions, score.trials) for score in scores]
    assert each == [("a", 1, 1, 2), ("b", 0, 1, 2)]


def test_files_of_other_dialects_are_read_together(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", "question,trial,outcome\np,0,1\nq,1,1\n")
    write(tmp_path / "b.csv", "question;trial;outcome\r\np;0;0\r\nq;1;0\r\n")
    write(tmp_path / "c.csv.gz", gzip.compress(b"outcome\tquestion\n1\tp\n"))
    rows = [
        (record["system"], record["rows"]) for record in errbar.load(tmp_path).inspect().to_dicts()
    ]
    assert rows == [("a", 2), ("b", 2), ("c", 1)]


@pytest.mark.parametrize(
    "name", ["a[1].csv", "b?.csv", "c*.csv", "it's.csv", "ü 🦆.csv", "{a,b}.csv"]
)
def test_a_file_of_any_name_is_read_and_no_other(name: str, tmp_path: Path) -> None:
    for other in ("a1.csv", "bx.csv", "cx.csv", "a.csv", "b.csv"):
        write(tmp_path / other, HEAD + BODY)
    file = write(tmp_path / name, "question,trial,outcome\nonly,0,1\n")
    assert summary(file) == (1, 1, 0)


def test_a_directory_of_an_odd_name_is_read(tmp_path: Path) -> None:
    for name in ("we[ir]d*", "wei"):
        (tmp_path / name).mkdir()
    write(tmp_path / "we[ir]d*" / "a.csv", "question,outcome\na,1\n")
    write(tmp_path / "wei" / "a.csv", HEAD + BODY)
    assert summary(tmp_path / "we[ir]d*") == (1, 1, 0)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_systems_that_only_directories_name_do_not_become_one(ending: str, tmp_path: Path) -> None:
    for system, outcome in (("007", 1), ("08", 0)):
        place = tmp_path / f"system={system}"
        place.mkdir()
        table = pl.DataFrame({"question": ["a"], "outcome": [outcome]})
        getattr(table, {"jsonl": "write_ndjson"}.get(ending, f"write_{ending}"))(
            place / f"x.{ending}"
        )
    scores = errbar.load(tmp_path).score("avg")
    assert [(score.system, score.value) for score in scores] == [("007", 1), ("08", 0)]


def test_a_pattern_and_a_directory_find_the_same_files_in_order(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    names = ["b.csv", "a.csv", "deep/c.csv"]
    for name in names:
        write(tmp_path / name, HEAD)
    write(tmp_path / "notes.txt", "")
    assert find_files(tmp_path) == sorted(tmp_path / name for name in (*names, "notes.txt"))
    assert find_files(str(tmp_path / "**" / "*.csv")) == sorted(tmp_path / name for name in names)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.csv", "CSV"),
        ("a.TSV", "CSV"),
        ("a.b.jsonl.gz", "JSON"),
        ("a.ndjson.zst", "JSON"),
        ("a.parquet", "Parquet"),
        ("a.pq", "Parquet"),
        ("a.gz", None),
        ("csv", None),
        ("a.csv.bak", None),
    ],
)
def test_the_ending_says_what_a_file_is(name: str, kind: str | None) -> None:
    assert kind_of(Path(name)) == kind


def test_a_connection_of_the_user_reads_the_files(tmp_path: Path) -> None:
    class Counting:
        """A connection that counts what is asked of it."""

        def __init__(self) -> None:
            import duckdb  # noqa: PLC0415

            self.inner, self.asked = duckdb.connect(), 0

        def __getattr__(self, name: str) -> Any:
            self.asked += 1
            return getattr(self.inner, name)

    connection = Counting()
    file = write(tmp_path / "runs.csv", HEAD + BODY)
    assert len(errbar.load(file, connection=connection).score("avg")) == 1
    assert connection.asked


# Matrices and counts.


@pytest.mark.parametrize(
    "content",
    [
        "1,0,1,1\n0,0,1,0\n",
        "1;0;1;1\n0;0;1;0\n",
        "1\t0\t1\t1\n0\t0\t1\t0",
        "\ufeff1,0,1,1\r\n0,0,1,0\r\n",
        "1.0,0,1,1\n0,0,1.0,0\n",
    ],
)
def test_a_csv_of_numbers_alone_is_a_matrix(content: str, tmp_path: Path) -> None:
    file = write(tmp_path / "matrix.csv", content)
    assert summary(file) == (2, 8, 0)
    assert [each.value for each in errbar.load(file).score("pass@1", "pass@2")] == [0.5, 0.75]


@pytest.mark.parametrize("cell", ["", "nan", "NaN"])
def test_an_empty_cell_of_a_matrix_is_a_failed_trial(cell: str, tmp_path: Path) -> None:
    assert summary(write(tmp_path / "matrix.csv", f"1,0,1\n0,{cell},1\n")) == (2, 6, 1)


@pytest.mark.parametrize("row", ["0,abc,1", "0,1", "0,1,1,1", "x,y,z"])
def test_a_broken_row_of_a_matrix_is_refused(row: str, tmp_path: Path) -> None:
    refused(write(tmp_path / "matrix.csv", f"1,0,1\n{row}\n0,0,1\n"))


@pytest.mark.parametrize(
    "names", ["question,n,correct", "task_id,trials,c", "qid,num_samples,num_correct"]
)
@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_table_of_counts_is_scored_as_counts(names: str, ending: str, tmp_path: Path) -> None:
    table = pl.DataFrame(dict(zip(names.split(","), (["007", "7"], [4, 6], [1, 6]), strict=True)))
    file = tmp_path / f"counts.{ending}"
    getattr(table, {"jsonl": "write_ndjson"}.get(ending, f"write_{ending}"))(file)
    for data in (file, table):
        scores = errbar.load(data).score("pass@1", "pass@2")
        assert [score.value for score in scores] == pytest.approx([5 / 8, 3 / 4])
        assert [(score.questions, score.trials) for score in scores] == [(2, 10)] * 2
        guessed = {
            name for name in names.split(",") if name not in ("question", "trials", "correct")
        }
        assert all(f"= {name}" in " ".join(scores.remarks) for name in guessed)


@pytest.mark.parametrize(
    "row", ["b,4,5", "b,4,-1", "b,abc,1", "b,4,abc", "b,,1", "b,4,", "b,4,0.5"]
)
def test_a_row_of_counts_that_cannot_be_is_refused(row: str, tmp_path: Path) -> None:
    said = refused(write(tmp_path / "counts.csv", f"question,n,correct\na,4,2\n{row}\n"))
    assert "'b'" in said


def test_a_question_without_a_name_among_counts_is_refused(tmp_path: Path) -> None:
    refused(write(tmp_path / "counts.csv", "question,n,correct\na,4,2\n,4,2\n"))


def test_a_question_that_occurs_twice_among_counts_is_not_taken_in_silence(tmp_path: Path) -> None:
    refused(write(tmp_path / "counts.csv", "question,n,correct\na,4,2\na,4,2\n"))


def test_a_matrix_that_is_not_text_in_utf_8_is_refused(tmp_path: Path) -> None:
    assert "line 2" in refused(write(tmp_path / "matrix.csv", b"1,0,1\n0,\xe9,1\n"))


def test_counts_of_a_question_add_up_where_that_is_reported(tmp_path: Path) -> None:
    file = write(tmp_path / "counts.csv", "question,n,correct\na,4,2\na,4,4\n")
    (score,) = errbar.load(file, repeats="keep").score("avg")
    assert (score.value, score.questions, score.trials) == (0.75, 1, 8)


@pytest.mark.parametrize("writer", ["polars", "pyarrow"])
def test_nan_in_parquet_is_found_though_the_statistics_of_the_file_leave_it_out(
    writer: str, tmp_path: Path
) -> None:
    outcome = [1.0, float("nan"), 0.0, 1.0] * 50
    data = {"question": [f"q{at // 4}" for at in range(200)], "outcome": outcome}
    file = tmp_path / "runs.parquet"
    if writer == "polars":
        pl.DataFrame(data).write_parquet(file)
    else:
        pq.write_table(pa.table(data), file)
    assert errbar.load(file).inspect().slices[0].failed == 50
    assert errbar.load(file).score("pass@2").to_dicts()[0]["value"] == pytest.approx(5 / 6)


def test_folders_are_resolved_as_pathlib_resolves_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real" / "inner").mkdir(parents=True)
    (tmp_path / "real" / "inner" / "a.json").write_text("{}")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "real" / "b.json").symlink_to(tmp_path / "real" / "inner" / "a.json")
    (tmp_path / "chain").symlink_to(tmp_path / "link" / "inner")
    monkeypatch.chdir(tmp_path)
    folders, hidden = ResolvedFolders(), dict[Path, str]()
    found = [folders.files_under(place, hidden) for place in (tmp_path, Path(), Path("link"))]
    assert all(real == str(path.resolve()) for each in found for real, path in each)
    for name in (
        *("real/inner/a.json", "link/inner/a.json", "link/b.json", "chain/a.json"),
        *("chain/../b.json", "real/absent/c.json", "link", "."),
    ):
        for path in (Path(name), tmp_path / name):
            assert folders.real_path(path) == str(path.resolve())


def test_files_are_in_the_order_of_their_paths_each_once(tmp_path: Path) -> None:
    for name in ("b/a.csv", "b-c/a.csv", "b/a/x.csv", "b.csv", "B.csv", "é/1.csv", "b c/10.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    plain = [file for file in tmp_path.rglob("*") if file.is_file()]
    (tmp_path / "a-link.csv").symlink_to(tmp_path / "b" / "a.csv")
    (tmp_path / "broken.csv").symlink_to(tmp_path / "absent.csv")
    (tmp_path / "folder").symlink_to(tmp_path / "b")
    link, target = tmp_path / "a-link.csv", tmp_path / "b" / "a.csv"
    first = [link if file == target else file for file in sorted(plain)]
    assert find_files(tmp_path) == first
    assert len(find_files([tmp_path / "b", tmp_path])) == len(plain)


def test_links_that_are_not_followed_are_named(tmp_path: Path) -> None:
    for name in ("here/a.csv", "elsewhere/b.csv"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("id,correct\n1,1\n2,0\n", encoding="utf-8")
    links = {"again.csv": "a.csv", "folder": "../elsewhere", "self": ".", "gone.csv": "none.csv"}
    for name, target in links.items():
        (tmp_path / "here" / name).symlink_to(target)
    accounts = errbar.load(tmp_path / "here").source.origin.accounts
    assert {Path(name).name: account.skipped for name, account in accounts.items()} == {
        "a.csv": "",
        "again.csv": f"the same file as {tmp_path / 'here' / 'a.csv'}, by a link",
        "folder": "a link to a folder; pass its path to read it",
        "gone.csv": "a link to a file that does not exist",
    }


def test_pipes_and_sockets_are_named_and_never_waited_for(tmp_path: Path) -> None:
    log = tmp_path / "a.csv"
    log.write_text("id,correct\n1,1\n2,0\n", encoding="utf-8")
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    (tmp_path / "link.csv").symlink_to(pipe)
    for place in (tmp_path, str(tmp_path / "*.csv")):
        accounts = errbar.load(place).source.origin.accounts
        skipped = {Path(name).name: account.skipped for name, account in accounts.items()}
        assert skipped.pop("a.csv") == ""
        assert sorted(skipped) == ["link.csv", "pipe.csv"]
        assert all("a pipe, socket or device" in reason for reason in skipped.values())
    with pytest.raises(errbar.errors.InputError, match=r"pipe\.csv: a pipe, .* standard input"):
        errbar.load(pipe)


def test_a_small_log_is_opened_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = json.dumps({"task_id": "HumanEval/1", "completion": "", "result": "", "passed": True})
    for name in ("a", "b"):
        (tmp_path / f"{name}_results.jsonl").write_text(f"{line}\n", encoding="utf-8")
    opened: list[str] = []

    def counting(opener: Any) -> Any:
        def opened_file(path: Any, *args: Any, **options: Any) -> Any:
            opened.append(Path(path).name)
            return opener(path, *args, **options)

        return opened_file

    monkeypatch.setattr(os, "open", counting(os.open))
    for module in (documents, file_content):
        monkeypatch.setattr(module, "open", counting(open), raising=False)
    errbar.load(tmp_path, repeats="keep")
    assert sorted(opened) == ["a_results.jsonl", "b_results.jsonl"]


def test_a_log_from_a_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    """A pipe gives a part at a time, so its first part is not taken for the whole."""
    pipe = tmp_path / "a.jsonl"
    os.mkfifo(pipe)

    def write_in_parts() -> None:
        with pipe.open("wb", buffering=0) as file:
            for _ in range(3):
                file.write(b"{}\n")
                sleep(0.01)

    with finding.opened_once(), ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write_in_parts)
        assert finding.head_of(pipe, 1 << 16) == b"{}\n" * 3
        writing.result()
        assert finding.whole_file(pipe) == b"{}\n" * 3
