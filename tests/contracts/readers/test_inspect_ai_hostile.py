"""Logs that lie or are broken: one clear error with the file and the place, or a correct read."""

import functools
import gzip
import io
import json
import math
import random
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.fuzz.mutants import broken, broken_value, strange_values

import errbar
from broken_logs import BROKEN, read_or_refused
from errbar.data.readers.base import Glance, find_readers
from errbar.errors import InputError
from inspect_logs import ARCHIVES, PLACE, archived, compress, members, sample, saved, small, write
from logs import agreements_of, remarks_of, rows_of

LOG = PLACE / "again" / "0.eval"
KINDS = ["log.eval", "log.json"]


def stored(path: Path, log: dict[str, Any]) -> Path:
    """A log of the kind that its name says."""
    return archived(path, log) if path.suffix == ".eval" else saved(path, log)


def patched(path: Path, name: str, **fields: int) -> Path:
    """An archive whose directory says something else of a member than is true."""
    places = {"flags": (8, "<H"), "method": (10, "<H"), "packed": (20, "<I"), "size": (24, "<I")}
    raw = bytearray(path.read_bytes())
    start = -1
    while (start := raw.find(b"PK\x01\x02", start + 1)) >= 0:
        if raw[start + 46 :].startswith(name.encode()):
            for field, value in fields.items():
                at, kind = places[field]
                struct.pack_into(kind, raw, start + at, value)
    path.write_bytes(raw)
    return path


# Archives


def test_a_member_that_says_it_is_too_large_is_refused(tmp_path: Path) -> None:
    path = patched(archived(tmp_path / "log.eval", small()), "summaries.json", size=1 << 31)
    with pytest.raises(
        InputError, match=r"log\.eval, summaries\.json: 2,147,483,648 uncompressed bytes"
    ):
        errbar.load(path)


def test_a_member_that_grows_a_thousandfold_is_refused(tmp_path: Path) -> None:
    held = members(archived(tmp_path / "log.eval", small()))
    held["summaries.json"] = b"[" + b" " * (1 << 25) + b"]"
    path = write(tmp_path / "log.eval", held)
    with pytest.raises(InputError, match=r"summaries\.json: 33,554,434 uncompressed bytes are too"):
        errbar.load(path)


@pytest.mark.parametrize("size", [10, 1 << 20])
def test_a_member_that_is_larger_than_it_says_is_refused(size: int, tmp_path: Path) -> None:
    held = members(archived(tmp_path / "log.eval", small()))
    held["summaries.json"] = b"[" + b" " * (1 << 25) + b"]"
    path = patched(write(tmp_path / "log.eval", held), "summaries.json", size=size)
    with pytest.raises(InputError, match=r"log\.eval, summaries\.json cannot be decompressed"):
        errbar.load(path)


def packed_by_zstd(path: Path, name: str, packed: bytes, held: bytes) -> Path:
    """An archive with a member that is packed by zstd in any number of frames."""
    parts = [(name, packed), *((n, member) for n, member in members(LOG).items() if n != name)]
    write(path, parts, zipfile.ZIP_STORED)
    raw = bytearray(path.read_bytes())
    at = raw.find(b"PK\x01\x02")
    struct.pack_into("<H", raw, at + 10, 93)
    struct.pack_into("<I", raw, at + 16, zlib.crc32(held))
    struct.pack_into("<I", raw, at + 24, len(held))
    path.write_bytes(raw)
    return path


def test_a_member_of_zstd_that_is_larger_than_it_says_is_refused(tmp_path: Path) -> None:
    packed = compress(b"[" + b" " * (1 << 25) + b"]")
    path = packed_by_zstd(tmp_path / "log.eval", "summaries.json", packed, b"[]")
    with pytest.raises(
        InputError, match=r"summaries\.json: more than .* uncompressed bytes are too"
    ):
        errbar.load(path)


def test_a_member_of_zstd_may_have_several_frames(tmp_path: Path) -> None:
    held = members(LOG)["summaries.json"]
    packed = compress(held[:100]) + compress(held[100:])
    path = packed_by_zstd(tmp_path / "log.eval", "summaries.json", packed, held)
    assert rows_of(path) == rows_of(LOG)


def test_a_member_of_zstd_that_is_cut_or_wrong_is_refused(tmp_path: Path) -> None:
    held = members(LOG)["summaries.json"]
    packed = compress(held)
    for given, said in (
        (packed[:-9], "it breaks off"),
        (packed + b"more", "cannot be decompressed"),
        (b"none", "cannot be decompressed"),
        (compress(held[:-1] + b" "), "its checksum differs from the one stated in the archive"),
    ):
        path = packed_by_zstd(tmp_path / "log.eval", "summaries.json", given, held)
        with pytest.raises(InputError, match=said):
            errbar.load(path)


def test_all_members_together_have_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errbar.data.readers.archive._MOST_OF_ALL", 2000)
    with pytest.raises(InputError, match="uncompressed bytes are too many"):
        errbar.load(PLACE / "crashed.eval")
    assert rows_of(archived(tmp_path / "log.eval", small()))


def test_names_that_lead_elsewhere_are_harmless(tmp_path: Path) -> None:
    held = members(archived(tmp_path / "log.eval", small()))
    tricks = ["../../x", "/etc/x", "samples/../../x_epoch_1.json", "C:\\x", "samples/", "a" * 60000]
    path = write(tmp_path / "log.eval", held | dict.fromkeys(tricks[:2], b"{}"))
    assert rows_of(path) == rows_of(archived(tmp_path / "plain.eval", small()))
    own = json.dumps(sample("../../x")).encode()
    path = write(tmp_path / "log.eval", held | dict.fromkeys(tricks, own))
    assert [row["question"] for row in rows_of(path)] == ["a", "../../x"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log.eval", "plain.eval"]


@pytest.mark.parametrize("name", ["epochs.eval", "crashed.eval"])
def test_a_cut_archive_is_refused(name: str, tmp_path: Path) -> None:
    raw = (PLACE / name).read_bytes()
    path = tmp_path / "log.eval"
    for size in [*range(2, 200, 7), *range(200, len(raw), 97), *range(len(raw) - 60, len(raw))]:
        path.write_bytes(raw[:size])
        with pytest.raises(InputError, match=r"log\.eval is not a complete zip archive"):
            errbar.load(path)


def test_a_cut_member_is_refused_where_it_breaks_off(tmp_path: Path) -> None:
    held = members(LOG)
    for name in ("header.json", "summaries.json"):
        for size in range(0, len(held[name]), 29):
            cut = held | {name: held[name][:size]}
            with pytest.raises(
                InputError, match=rf"log\.eval, {name}: this is not valid JSON; .* line 1"
            ):
                errbar.load(write(tmp_path / "log.eval", cut))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_of_members_with_one_name_the_last_counts(tmp_path: Path) -> None:
    held = members(archived(tmp_path / "log.eval", small()))
    again = json.dumps([sample("a", 1, "I")]).encode()
    path = write(tmp_path / "log.eval", [*held.items(), ("summaries.json", again)])
    assert [row["outcome"] for row in rows_of(path)] == [0]


def test_an_encrypted_member_and_an_unknown_method_are_named(tmp_path: Path) -> None:
    for method in (0, 93):
        path = archived(tmp_path / "log.eval", small())
        with pytest.raises(InputError, match=r"summaries\.json is encrypted"):
            errbar.load(patched(path, "summaries.json", flags=1, method=method))
    for method in (1, 12, 14, 98, 99):
        path = archived(tmp_path / "log.eval", small())
        said = rf"summaries\.json is compressed with method {method};"
        with pytest.raises(InputError, match=said):
            errbar.load(patched(path, "summaries.json", method=method))


def test_an_archive_of_something_else_is_no_log(tmp_path: Path) -> None:
    write(tmp_path / "empty.zip", {})
    write(tmp_path / "book.xlsx", {"[Content_Types].xml": b"<x/>", "xl/workbook.xml": b"<x/>"})
    np.savez(tmp_path / "arrays.npz", a=np.eye(2))
    for file in tmp_path.iterdir():
        assert not find_readers([file]).found
    write(tmp_path / "empty.eval", {})
    with pytest.raises(InputError, match=r"neither header\.json nor _journal/start\.json"):
        errbar.load(tmp_path / "empty.eval")


@pytest.mark.parametrize("text", ["", "{", "[", "PK", "{}", "[]", '{"version": 2}', "a,b\n1,2\n"])
def test_other_text_is_no_log(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(text, encoding="utf-8")
    assert not find_readers([tmp_path / "a.json"]).found


# Values


@pytest.mark.parametrize("name", KINDS)
def test_nan_and_infinity_are_no_results(name: str, tmp_path: Path) -> None:
    values = [math.nan, math.inf, -math.inf, "nan", "inf", 10**400, "1e999", None, 1]
    path = stored(tmp_path / name, small([sample(at, 1, value) for at, value in enumerate(values)]))
    found = rows_of(path)
    assert [row["outcome"] for row in found] == [None] * 8 + [1]
    assert [row["status"] for row in found] == ["unscored"] * 8 + ["ok"]
    assert "6 rows have a score that is not a number" in remarks_of(path)


def test_scores_that_are_no_numbers_are_reported_and_make_no_claims(tmp_path: Path) -> None:
    stated = {"scores": [{"name": "s", "scorer": "s", "metrics": {"mean": {"value": 0.5}}}]}
    samples = [sample(), sample("b", 1, "excellent"), sample("c", 1, [1]), sample("d", 1, {"k": 1})]
    path = saved(tmp_path / "log.json", small(samples, results=stated))
    said = remarks_of(path)
    assert '3 rows have a score that is not a number, such as "excellent" (1 times)' in said
    assert not errbar.load(path).agreements()


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("id", [None, True, 1.5, [], {}, math.nan])
def test_an_id_that_is_none_is_refused_with_its_place(id: Any, name: str, tmp_path: Path) -> None:
    path = stored(tmp_path / name, small([sample(), sample(id)]))
    with pytest.raises(InputError, match=rf"{name}, sample 2: an id must be text or an integer"):
        errbar.load(path)


@pytest.mark.parametrize("epoch", [None, "1", 1.5, True, -1, 10**30, []])
def test_an_epoch_that_is_none_is_refused_with_its_place(epoch: Any, tmp_path: Path) -> None:
    path = saved(tmp_path / "log.json", small([sample(), sample("b", epoch)]))
    with pytest.raises(InputError, match=r"log\.json, sample 2: an epoch must be an integer"):
        errbar.load(path)


@pytest.mark.parametrize("name", KINDS)
def test_ids_may_be_written_in_any_way(name: str, tmp_path: Path) -> None:
    ids = ["a/b", "../x", "😀", '"', "'", "\\", "", " ", "\x00", "a\nb", "%s", "x'; DROP TABLE y"]
    ids += ["a_epoch_1", "0", "007", "é", "e\u0301", "x" * 10000]
    path = stored(tmp_path / name, small([sample(each) for each in ids]))
    assert [row["question"] for row in rows_of(path)] == ids
    assert errbar.load(path).inspect().slices[0].questions.sum() == len(ids)


@pytest.mark.parametrize("name", KINDS)
def test_half_a_pair_of_surrogates_is_written_out(name: str, tmp_path: Path) -> None:
    broken = "\ud83d"
    log = small([sample(broken, metadata={broken: 1, "k": broken})], model=broken, task=broken)
    log["results"] = {
        "scores": [{"name": "s", "scorer": "s", "metrics": {"mean": {"value": 1}}}],
    }
    path = stored(tmp_path / name, log)
    (row,) = rows_of(path)
    assert (row["system"], row["question"], row["k"]) == ("\\ud83d",) * 3
    assert len(agreements_of(path)) == 1


@pytest.mark.parametrize("name", KINDS)
def test_metadata_are_columns_under_any_name(name: str, tmp_path: Path) -> None:
    words = {"outcome": "x", "weight": "heavy", "confidence": "high", "cost": "dear"}
    names = ["Question", "cluster", "", " ", "\x00", 'a"b', "a.b", "rowid", "select", "Level"]
    odd = words | dict.fromkeys(names, 1) | {"level": 2, "mixed": True, "deep": [[1]]}
    odd |= {"huge": 10**400, "big": 10**30}
    other = {"huge": 1, "mixed": 2.5, "big": 1, "late": "x"}
    log = small([sample("a", 1, "C", metadata=odd), sample("b", 1, "I", metadata=other)])
    path = stored(tmp_path / name, log)
    first, second = rows_of(path)
    assert (first["question"], first["outcome"], first["metadata.Question"]) == ("a", 1, 1)
    assert first["metadata.weight"] == "heavy"
    assert first["Level"] == 2
    assert first["huge"] == str(10**400)
    assert (first["late"], second["late"]) == (None, "x")
    assert "deep" not in first
    assert "3 names in the metadata are left out of the columns." in remarks_of(path)
    assert errbar.load(path).score("avg", by=['a"b'])


def test_metadata_that_differ_from_sample_to_sample_make_no_table_without_end(
    tmp_path: Path,
) -> None:
    log = small([sample(at, metadata={f"of {at}": at}) for at in range(500)])
    path = saved(tmp_path / "log.json", log)
    assert len(rows_of(path)[0]) == 8 + 100
    assert "400 names in the metadata are left out of the columns." in remarks_of(path)


def test_text_that_is_not_utf_8_is_refused_where_it_is(tmp_path: Path) -> None:
    held = members(LOG)
    held["summaries.json"] = held["summaries.json"].replace(b"Question", b"Quest\xff\xfe", 1)
    with pytest.raises(InputError, match=r"log\.eval, summaries\.json: this is not UTF-8 text"):
        errbar.load(write(tmp_path / "log.eval", held))
    raw = json.dumps(small()).encode().replace(b'"a"', b'"\xff"')
    (tmp_path / "log.json").write_bytes(raw)
    with pytest.raises(InputError, match=r"log\.json: this is not UTF-8 text \(byte \d+\)"):
        errbar.load(tmp_path / "log.json")


@pytest.mark.parametrize("place", ["metadata", "value", "target", "task_args", "results"])
@pytest.mark.parametrize("depth", [100, 900, 980, 100_000])
@pytest.mark.parametrize("name", KINDS)
def test_deep_nesting_is_read_or_refused(name: str, depth: int, place: str, tmp_path: Path) -> None:
    log = small([sample(**{place: "HERE"} if place in ("metadata", "value", "target") else {})])
    if place == "task_args":
        log["eval"]["task_args"] = {"x": "HERE"}
    if place == "results":
        log["results"] = "HERE"
    deep = ("[" * depth + "]" * depth).encode()
    path = stored(tmp_path / name, log)
    if name == "log.eval":
        held = {n: member.replace(b'"HERE"', deep) for n, member in members(path).items()}
        write(path, held)
    else:
        path.write_bytes(path.read_bytes().replace(b'"HERE"', deep))
    try:
        found = rows_of(path)
    except InputError as error:
        assert depth > 100 or place == "results", error  # noqa: PT017
        assert name in str(error)  # noqa: PT017
    else:
        assert [row["question"] for row in found] == ["a"]


def test_numbers_of_thousands_of_digits_are_refused(tmp_path: Path) -> None:
    raw = json.dumps(small([sample("a", 1, "HERE")])).replace('"HERE"', "9" * 10_000)
    (tmp_path / "log.json").write_text(raw, encoding="utf-8")
    with pytest.raises(InputError, match=r"log\.json: Exceeds the limit"):
        errbar.load(tmp_path / "log.json")


def test_a_compressed_log_is_read_and_a_bomb_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.json.gz"
    path.write_bytes(gzip.compress(json.dumps(small()).encode()))
    assert len(rows_of(path)) == 1
    raw = io.BytesIO()
    with gzip.GzipFile(fileobj=raw, mode="wb") as file:
        file.write(json.dumps(small()).encode()[:-1] + b', "x": "')
        for _ in range(40):
            file.write(b"x" * (1 << 20))
        file.write(b'"}')
    path.write_bytes(raw.getvalue())
    with pytest.raises(InputError, match=r"more than [\d,]+ bytes is too large"):
        errbar.load(path)


def test_a_glance_at_quotes_without_end_is_quick(tmp_path: Path) -> None:
    (tmp_path / "log.json").write_text("{" + '\\"' * 40_000, encoding="utf-8")
    assert Glance(tmp_path / "log.json").keys == frozenset()


WRONG: list[Any] = [None, 1, -1.5, True, "text", [], [1], {}, {"a": 1}, [None], [[]], math.nan]


@pytest.mark.parametrize(
    "place",
    [
        ("eval",),
        ("eval", "task"),
        ("eval", "model"),
        ("eval", "config"),
        ("eval", "dataset"),
        ("eval", "task_args"),
        ("results",),
        ("results", "headline"),
        ("results", "scores"),
        ("results", "scores", 0),
        ("results", "scores", 0, "name"),
        ("results", "scores", 0, "reducer"),
        ("results", "scores", 0, "metrics"),
        ("results", "scores", 0, "metrics", "mean"),
        ("results", "scores", 0, "metrics", "mean", "value"),
        ("results", "total_samples"),
        ("status",),
        ("samples",),
        ("samples", 0),
        ("samples", 0, "scores"),
        ("samples", 0, "scores", "s"),
        ("samples", 0, "scores", "s", "value"),
        ("samples", 0, "scores", "s", "answer"),
        ("samples", 0, "target"),
        ("samples", 0, "metadata"),
        ("samples", 0, "error"),
        ("samples", 0, "limit"),
    ],
    ids=str,
)
def test_a_field_of_another_type_is_refused_or_taken_for_none(
    place: tuple[Any, ...], tmp_path: Path
) -> None:
    score = {"name": "s", "scorer": "s", "metrics": {"mean": {"value": 1}}}
    log = small([sample()], results={"scores": [score], "total_samples": 1, "headline": {}})
    parent: Any = log
    for key in place[:-1]:
        parent = parent[key]
    for at, wrong in enumerate(WRONG):
        name = KINDS[(at + len(place)) % len(KINDS)]  # kinds of files hold the same document
        parent[place[-1]] = wrong
        found = read_or_refused(stored(tmp_path / name, log), looked_into=wrong is None)
        assert found is None or len(found) <= 1, f"{wrong!r} in {name}"


# Logs broken at random


@functools.cache
def known_rows(path: Path) -> list[dict[str, Any]]:
    found = read_or_refused(path)
    assert found
    return found


def test_changed_bytes_are_refused_or_change_nothing(tmp_path: Path) -> None:
    """A checksum guards every member, but nothing guards what the directory says of its name."""
    rng = random.Random(7)
    refused = 0
    for at in range(2 * BROKEN):
        source = PLACE / rng.choice(ARCHIVES)
        raw = bytearray(source.read_bytes())
        for _ in range(rng.choice([1, 1, 2, 8])):
            raw[rng.randrange(2, len(raw))] = rng.randrange(256)
        path = tmp_path / source.name
        path.write_bytes(raw)
        found = read_or_refused(path, looked_into=at % 10 == 0)
        refused += found is None
        if found is not None:
            assert set(map(str, found)) <= set(map(str, known_rows(source))), (at, source)
    assert refused > BROKEN // 2


def test_changed_values_are_refused_or_read(tmp_path: Path) -> None:
    rng = random.Random(0)
    strange = strange_values(rng)
    for at in range(2 * BROKEN):
        source = PLACE / rng.choice(ARCHIVES)
        held = members(source)
        name = rng.choice(
            [each for each in held if not each.startswith(("samples/", "reductions"))]
        )
        changed = json.dumps(broken_value(json.loads(held[name]), rng, strange)).encode()
        path = write(tmp_path / source.name, held | {name: changed})
        found = read_or_refused(path, looked_into=at % 10 == 0)
        if found is not None and "summaries" not in name:
            assert len(found) == len(known_rows(source)), (at, source, name)


def test_a_changed_document_is_refused_or_read(tmp_path: Path) -> None:
    rng = random.Random(0)
    strange = strange_values(rng)
    raw = (PLACE / "failures.json").read_bytes()
    path = tmp_path / "failures.json"
    for at in range(BROKEN):
        path.write_bytes(broken(raw, rng, strange, in_bytes=at % 5 < 2))
        if find_readers([path]).found:
            found = read_or_refused(path, looked_into=at % 7 == 0)
            assert found is None or len(found) <= 10
