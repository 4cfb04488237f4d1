"""A file has the reader that recognises it first, whatever readers its keys rule out unasked."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from errbar.data.readers.base import Glance, Reader, every_reader, find_readers
from logs import FIXTURES

FILES = [file for file in sorted(FIXTURES.rglob("*")) if file.is_file() and file.suffix != ".py"]
ITEM_RUN = '{"experiments": [{"results": {"results": [{"participant_id": 1}]}}]}'  # has no fixture
READERS = list(every_reader().values())


def chosen(file: Path) -> Reader | None:
    known = find_readers([file])
    if known.totals:
        return next(reader for reader in READERS if reader.only_totals)
    return known.found[0].reader if known.found else None


def first_to_recognise(file: Path) -> Reader | None:
    glance = Glance(file)
    return next((reader for reader in READERS if reader.recognise(glance)), None)


def without_keys(file: Path, place: Path) -> Iterator[Path]:
    """The file with other names for the keys of each reader that recognises it."""
    content, glance = file.read_bytes(), Glance(file)
    for reader in READERS:
        if glance.shape and reader.keys and reader.recognise(glance):
            renamed = content
            for key in reader.keys:
                renamed = renamed.replace(f'"{key}"'.encode(), f'"{key}_"'.encode())
            copy = place / reader.name / file.name
            copy.parent.mkdir(parents=True)
            copy.write_bytes(renamed)
            yield copy


def test_the_reader_of_a_file_is_the_first_that_recognises_it(tmp_path: Path) -> None:
    ruled_out = set()
    run = tmp_path / "run.json"
    run.write_text(ITEM_RUN, encoding="utf-8")
    for at, file in enumerate([*FILES, run]):
        assert chosen(file) == first_to_recognise(file), file
        for copy in without_keys(file, tmp_path / str(at)):
            ruled_out.add(copy.parent.name)
            assert chosen(copy) == first_to_recognise(copy), copy
    assert ruled_out == {reader.name for reader in READERS if reader.keys}


@pytest.mark.parametrize("size", [1 << 10, 1 << 15, 1 << 17])
def test_keys_of_documents_of_any_length_are_among_the_possible_ones(
    size: int, tmp_path: Path
) -> None:
    file = tmp_path / "run.json"
    values = ", ".join(f'{{"n": {n}, "text": "said \\"no\\" {n}"}}' for n in range(size // 32))
    file.write_text(f'{{"version": 2, "samples": [{values}], "eval": {{}}}}', encoding="utf-8")
    glance = Glance(file)
    seen = {"version", "samples"} if size > 1 << 16 else {"version", "samples", "eval"}
    assert seen <= glance.possible_keys
    assert glance.keys == seen
