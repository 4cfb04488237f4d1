"""Files that would take hours, all memory or the whole stack to read are refused by name."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import IO

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import errbar
from errbar.errors import InputError

ROWS = "question,outcome\n" + "".join(f"q{at},{at % 2}\n" for at in range(12))
HUGE = 1 << 43  # bytes, 8 TB, none of which are written


def sparse(file: Path, head: bytes = b"") -> Path:
    """A file of 8 TB that takes no room on the disk."""
    file.write_bytes(head)
    try:
        os.truncate(file, HUGE)
    except OSError:
        pytest.skip("this file system has no such large files")
    return file


@pytest.mark.parametrize("head", [b"", b"[1, 2"])
@pytest.mark.parametrize("kind", ["csv", "tsv", "json", "jsonl", "yaml", "xml"])
def test_a_file_of_zeros_is_refused_at_once(kind: str, head: bytes, tmp_path: Path) -> None:
    if kind == "yaml":
        pytest.importorskip("yaml")
    file = sparse(tmp_path / f"a.{kind}", head)
    with pytest.raises(InputError, match=rf"^.*a\.{kind}[:,]"):
        errbar.load(file)


@pytest.mark.skipif(not hasattr(os, "SEEK_HOLE"), reason="this system does not tell holes")
def test_a_table_that_goes_on_in_a_hole_is_refused_with_its_place(tmp_path: Path) -> None:
    file = sparse(tmp_path / "a.csv", ROWS.encode())
    with file.open("rb") as content:
        hole = os.lseek(content.fileno(), 0, os.SEEK_HOLE)
    if hole == HUGE:
        pytest.skip("this file system does not tell holes")
    with pytest.raises(InputError, match=rf"a\.csv: from byte {hole:,} on nothing was written"):
        errbar.load(file)


DEEP = 3000
BOMB = ["- &a {question: q, outcome: 1, x: [1, 1, 1, 1, 1, 1, 1, 1, 1]}"]
BOMB += [f"- &{name} [{', '.join([f'*{chr(ord(name) - 1)}'] * 9)}]" for name in "bcdefghi"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[" * DEEP + "]" * DEEP, "the YAML is nested too deeply"),
        ("".join(f"{' ' * at}a:\n" for at in range(DEEP)), "the YAML is nested too deeply"),
        ("\n".join(BOMB), r"its aliases \(\*NAME\) stand for too many values"),
        ("- &a {question: q, outcome: 1, x: *a}", r"its aliases \(\*NAME\) stand for"),
    ],
    ids=["lists", "objects", "a bomb", "a cycle"],
)
def test_yaml_without_end_is_refused(text: str, reason: str, tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    (tmp_path / "a.yaml").write_text(text, encoding="ascii")
    with pytest.raises(InputError, match=rf"a\.yaml: {reason}"):
        errbar.load(tmp_path)


def test_yaml_may_use_aliases(tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    rows = "- {question: a, outcome: 1, tags: &x [1, 2]}\n- {question: b, outcome: 0, tags: *x}\n"
    (tmp_path / "a.yaml").write_text(rows, encoding="ascii")
    assert errbar.load(tmp_path).score("avg")[0].value == 0.5


def test_a_parquet_file_whose_names_are_no_text_is_refused_by_its_own_name(tmp_path: Path) -> None:
    pl.DataFrame({"question": ["a", "b"], "outcome": [1, 0]}).write_parquet(tmp_path / "a.parquet")
    pq.write_table(
        pa.table({"question": ["a"], "outcome": [1], "note": [1]}), tmp_path / "b.parquet"
    )
    raw = (tmp_path / "b.parquet").read_bytes()
    (tmp_path / "b.parquet").write_bytes(raw.replace(b"note", b"\xff\xfete"))
    with pytest.raises(InputError, match=r"b\.parquet: .*unicode"):
        errbar.load(tmp_path)


def test_links_that_lead_nowhere_keep_no_other_file_from_being_read(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(ROWS, encoding="ascii")
    for name, target in {"b": "c", "c": "b", "self": "self", ".d": ".d", "up": ".."}.items():
        (tmp_path / f"{name}.csv").symlink_to(target if target == ".." else f"{target}.csv")
    runs = errbar.load(tmp_path)
    assert runs.score("avg")[0].value == 0.5
    assert {Path(file).name for file in runs.source.origin.accounts.skipped} >= {
        "b.csv",
        "c.csv",
        "self.csv",
    }


@pytest.mark.skipif(os.name != "posix", reason="names are bytes on POSIX alone")
@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_a_name_that_is_not_utf_8_is_refused_as_such(kind: str, tmp_path: Path) -> None:
    file = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9." + kind.encode()))
    try:
        file.touch()
    except OSError:
        pytest.skip("this file system has no such names")
    frame = pl.DataFrame({"question": ["a", "b"], "outcome": [1, 0]})
    write: dict[str, Callable[[IO[bytes]], object]] = {
        "csv": frame.write_csv,
        "jsonl": frame.write_ndjson,
        "parquet": frame.write_parquet,
    }
    with file.open("wb") as out:
        write[kind](out)
    with pytest.raises(InputError, match="the name is not UTF-8"):
        errbar.load(file)
